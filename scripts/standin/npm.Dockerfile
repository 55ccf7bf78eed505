# Debian's npm, only to fetch packages where the machine has no npm.
ARG ROOTFS
FROM ${ROOTFS}
RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends npm \
 && rm -rf /var/lib/apt/lists/*
