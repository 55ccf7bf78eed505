# Written from the environment spec; edit that, not this.

# go 1.25.8
FROM golang:1.26-bookworm AS go-toolchain
ENV GOTOOLCHAIN="go1.25.8"
RUN go version && mkdir -p /go/pkg/mod/cache/download && rm -rf /go/pkg/mod/cache/download/golang.org/toolchain/@v/*.zip

# toolchains and packages
FROM golang:1.26-bookworm AS base
ENV LANG="C.UTF-8"
ENV TZ="UTC"
ENV GOTOOLCHAIN="go1.25.8"
COPY --from=go-toolchain /go/pkg/mod /go/pkg/mod
RUN GOPROXY=off go build std

# java 17
COPY --from=maven:3-eclipse-temurin-17 /opt/java/openjdk/ /opt/java/openjdk/
COPY --from=maven:3-eclipse-temurin-17 /usr/share/maven/ /usr/share/maven/
ENV JAVA_HOME="/opt/java/openjdk"
RUN ln -sf /usr/share/maven/bin/mvn /opt/java/openjdk/bin/* /usr/local/bin/ && mvn --version
RUN ["sh", "-c", "git config --system --add safe.directory '*' && git config --system user.name crossswe && git config --system user.email crossswe@localhost && git config --system init.defaultBranch main && git config --system advice.detachedHead false"]

# Go modules of base and head under every mask; only the module cache leaves this stage
FROM base AS go-modules
ADD ["repos/a.tar","/testbed/"]
ADD ["repos/b.tar","/testbed/"]
COPY ["deps/go/","/deps/go/"]
RUN ["sh","/deps/go/fetch.sh"]

# the image: checkouts, dependencies, links, and a warm cache
FROM base
ADD ["repos/a.tar","/testbed/"]
ADD ["repos/b.tar","/testbed/"]
COPY --from=go-modules /deps/go/mod /go/pkg/mod
COPY --from=go-modules /deps/go/out/go.work.sum /testbed/go.work.sum
COPY ["files/","/"]
ENV GOWORK="/testbed/go.work"
ENV GOPROXY="off"
RUN ["sh","-c","\"$@\" || echo \"the command failed with $?: its outcome is left to verify\"","sh","env","-C","/testbed/b/sub","CGO_ENABLED=0","go","test","-exec=true","-json","-count=1","./"]
RUN mkdir -p -m 0777 '/var/crossswe/reports'
COPY ["tools/","/opt/crossswe/"]
WORKDIR /testbed
CMD ["bash"]
