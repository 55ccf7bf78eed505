# Written from the environment spec; edit that, not this.

# toolchains and packages
FROM rust:1.86-bookworm AS base
ENV LANG="C.UTF-8"
ENV TZ="UTC"
RUN ["sh", "-c", "if command -v rustup; then rustup toolchain link crossswe \"$(rustc --print sysroot)\"; fi"]
ENV RUSTUP_TOOLCHAIN="crossswe"
RUN ["sh", "-c", "git config --system --add safe.directory '*' && git config --system user.name crossswe && git config --system user.email crossswe@localhost && git config --system init.defaultBranch main && git config --system advice.detachedHead false"]

# crates of base and head under every mask, less the siblings; only these, lock files of those without one, and programs leave this stage
FROM base AS cargo-crates
ARG GOPROXY
ARG npm_config_registry
COPY ["deps/cargo/","/deps/cargo/"]
RUN ["/deps/cargo/out/cargolink","fetch","-deps","/deps/cargo"]

# the image: checkouts, dependencies, links, and a warm cache
FROM base
ADD ["repos/a.tar","/testbed/"]
ADD ["repos/b.tar","/testbed/"]
COPY --from=cargo-crates /deps/cargo/out/ /opt/crossswe/
COPY ["files/","/"]
RUN ["env","-C","/testbed/b","/opt/crossswe/cargolink","link","-repo","b"]
RUN ["env","-C","/testbed/b","/opt/crossswe/cargolink","link","-repo","b"]
RUN ["sh","-c","\"$@\" || echo \"the command failed with $?: its outcome is left to verify\"","sh","env","-C","/testbed/b","cargo","test","--no-run","--message-format=json","--lib","--","--format=json"]
RUN ["/opt/crossswe/cargolink","restore"]
RUN mkdir -p -m 0777 '/var/crossswe/reports'
COPY ["tools/","/opt/crossswe/"]
WORKDIR /testbed
CMD ["bash"]
