# python:3.N-bookworm: the layout of the official image. It stands on the
# libraries that a Python of this machine was linked with.
ARG ROOTFS
FROM ${ROOTFS}
RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      g++ gcc libc6-dev make pkg-config curl procps \
      libbz2-1.0 libcrypt1 libexpat1 libffi8 libgdbm6 liblzma5 libncursesw6 libnsl2 libreadline8 libsqlite3-0 libssl3 libtirpc3 libuuid1 zlib1g \
      libffi-dev libssl-dev zlib1g-dev \
 && rm -rf /var/lib/apt/lists/*
ARG PYTHON_VERSION
ENV PYTHON_VERSION=${PYTHON_VERSION} \
    PATH=/usr/local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
COPY python/ /usr/local/
RUN ldconfig \
 && python3 -m ensurepip --default-pip >/dev/null \
 && ln -sf python3 /usr/local/bin/python && ln -sf pip3 /usr/local/bin/pip \
 && test "$(python --version)" = "Python ${PYTHON_VERSION}" \
 && python -c 'import bz2, ctypes, hashlib, lzma, readline, sqlite3, ssl, venv, zlib' \
 && case "$(python -c 'import sys; print(sys.prefix)')" in /usr/local) ;; *) exit 1 ;; esac
CMD ["python3"]
