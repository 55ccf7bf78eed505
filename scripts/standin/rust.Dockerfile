# rust:1.N-bookworm: the layout of the official image, without rustup itself.
ARG ROOTFS
FROM ${ROOTFS}
RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      g++ gcc libc6-dev libssl-dev make pkg-config curl procps \
 && rm -rf /var/lib/apt/lists/*
ARG RUST_VERSION
ENV RUSTUP_HOME=/usr/local/rustup \
    CARGO_HOME=/usr/local/cargo \
    RUST_VERSION=${RUST_VERSION} \
    PATH=/usr/local/cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
COPY toolchain/ /usr/local/rustup/toolchains/${RUST_VERSION}/
RUN mkdir -p /usr/local/cargo/bin \
 && ln -s /usr/local/rustup/toolchains/${RUST_VERSION}/bin/* /usr/local/cargo/bin/ \
 && rustc --version | grep -q "^rustc ${RUST_VERSION} " && cargo --version
CMD ["bash"]
