# Written from the environment spec; edit that, not this.

# go 1.25.8
FROM golang@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa AS go-toolchain
ARG GOPROXY
ARG npm_config_registry
ENV GOTOOLCHAIN="go1.25.8"
RUN go version && mkdir -p /go/pkg/mod/cache/download && rm -rf /go/pkg/mod/cache/download/golang.org/toolchain/@v/*.zip

# toolchains and packages
FROM golang@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa AS base
ENV LANG="C.UTF-8"
ENV TZ="UTC"
ENV GOTOOLCHAIN="go1.25.8"
COPY --from=go-toolchain /go/pkg/mod /go/pkg/mod
RUN GOPROXY=off go build std

# node 22
COPY --from=node:22-bookworm-slim /usr/local/bin/ /usr/local/bin/
COPY --from=node:22-bookworm-slim /usr/local/lib/node_modules/ /usr/local/lib/node_modules/
COPY --from=node:22-bookworm-slim /usr/local/include/node/ /usr/local/include/node/

# python 3.12
COPY --from=python:3.12-bookworm /usr/local/bin/ /usr/local/bin/
COPY --from=python:3.12-bookworm /usr/local/lib/ /usr/local/lib/
COPY --from=python:3.12-bookworm /usr/local/include/ /usr/local/include/
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libbz2-1.0 libexpat1 libffi8 liblzma5 libncursesw6 libnsl2 libreadline8 libsqlite3-0 libssl3 libtirpc3 libuuid1 zlib1g >/dev/null && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/apt && ldconfig
ENV PATH="/opt/venv/bin:$PATH"
RUN ["sh", "-c", "git config --system --add safe.directory '*' && git config --system user.name crossswe && git config --system user.email crossswe@localhost && git config --system init.defaultBranch main && git config --system advice.detachedHead false"]

# npm packages of base and head, less the siblings; only node_modules leaves this stage
FROM base AS npm-modules
ARG GOPROXY
ARG npm_config_registry
ADD ["repos/a.tar","/testbed/"]
ADD ["repos/b.tar","/testbed/"]
COPY ["deps/npm/","/deps/npm/"]
RUN cp -a /deps/npm/manifests/. /testbed/
RUN ["env","-C","/testbed/a","npm","install"]
RUN ["node","/deps/npm/collect.js"]

# Python packages of base and head, less the siblings; only the environment and the build back ends leave this stage
FROM base AS python-packages
ARG GOPROXY
ARG npm_config_registry
ADD ["repos/a.tar","/testbed/"]
ADD ["repos/b.tar","/testbed/"]
COPY ["deps/python/","/deps/python/"]
RUN ["python3","/deps/python/install.py","prepare"]
RUN ["env","-C","/testbed/b","SETUPTOOLS_SCM_PRETEND_VERSION_FOR_A=1.2","python3","/deps/python/install.py","environment","--local","a @ file:///testbed/a"]
RUN ["python3","/deps/python/install.py","finish"]

# Go modules of base and head under every mask; only the module cache leaves this stage
FROM base AS go-modules
ARG GOPROXY
ARG npm_config_registry
ADD ["repos/a.tar","/testbed/"]
ADD ["repos/b.tar","/testbed/"]
COPY ["deps/go/","/deps/go/"]
RUN ["sh","/deps/go/fetch.sh"]

# the image: checkouts, dependencies, links, and a warm cache
FROM base
ADD ["repos/a.tar","/testbed/"]
ADD ["repos/b.tar","/testbed/"]
COPY --from=npm-modules /deps/npm/out/ /testbed/
COPY --from=python-packages /opt/venv /opt/venv
COPY --from=python-packages /opt/pybuild /opt/pybuild
COPY --from=go-modules /deps/go/mod /go/pkg/mod
COPY --from=go-modules /deps/go/out/go.work.sum /testbed/go.work.sum
COPY ["files/","/"]
ENV GOWORK="/testbed/go.work"
ENV GOPROXY="off"
RUN ["env","-C","/testbed/b","ln","-s","/testbed/a","node_modules/a"]
RUN ["sh","-c","\"$@\" || echo \"the command failed with $?: its outcome is left to verify\"","sh","env","-C","/testbed/b/sub","CGO_ENABLED=0","go","test","-exec=true","-json","-count=1","./"]
RUN mkdir -p -m 0777 '/var/crossswe/reports'
COPY ["tools/","/opt/crossswe/"]
WORKDIR /testbed
CMD ["bash"]
