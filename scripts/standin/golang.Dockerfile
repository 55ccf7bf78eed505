# golang:1.N-bookworm: the layout of the official image.
ARG ROOTFS
FROM ${ROOTFS}
RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      g++ gcc libc6-dev make pkg-config curl procps \
 && rm -rf /var/lib/apt/lists/*
ARG GOLANG_VERSION
ENV GOLANG_VERSION=${GOLANG_VERSION} \
    GOTOOLCHAIN=local \
    GOPATH=/go \
    PATH=/go/bin:/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
COPY go/ /usr/local/go/
RUN mkdir -p /go/src /go/bin && chmod -R 1777 /go && test "$(go env GOVERSION)" = "go${GOLANG_VERSION}"
WORKDIR /go
CMD ["bash"]
