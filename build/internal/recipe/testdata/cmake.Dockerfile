# Written from the environment spec; edit that, not this.

# toolchains and packages
FROM debian:bookworm-slim AS base
ENV LANG="C.UTF-8"
ENV TZ="UTC"
RUN ["sh","-c","apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -- \"$@\" >/dev/null && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/apt","sh","cmake","g++"]
RUN ["sh", "-c", "git config --system --add safe.directory '*' && git config --system user.name crossswe && git config --system user.email crossswe@localhost && git config --system init.defaultBranch main && git config --system advice.detachedHead false"]

# content that FetchContent declares at base and head, less the siblings
FROM base AS cmake-content
ARG GOPROXY
ARG npm_config_registry
ADD ["repos/a.tar","/testbed/"]
ADD ["repos/b.tar","/testbed/"]
COPY ["deps/cmake/","/deps/cmake/"]
RUN ["env","-C","/testbed/b","cmake","-DNAME=json","-DARGS=URL;https://example.com/j.zip","-P","/deps/cmake/fetch.cmake"]

# the image: checkouts, dependencies, links, and a warm cache
FROM base
ADD ["repos/a.tar","/testbed/"]
ADD ["repos/b.tar","/testbed/"]
COPY --from=cmake-content /deps/cmake/out/ /var/crossswe/cmake/content/
COPY ["files/","/"]
RUN ["env","-C","/testbed/a","sh","/var/crossswe/cmake/cmake.sh","provide","/b/a","/p/a"]
RUN ["env","-C","/testbed/b","sh","/var/crossswe/cmake/cmake.sh","configure","/b/b","-DCMAKE_PREFIX_PATH=/p/a;/p/c"]
RUN ["sh","-c","\"$@\" || echo \"the command failed with $?: its outcome is left to verify\"","sh","env","-C","/testbed/b","sh","/var/crossswe/cmake/cmake.sh","test","/b/b","/r/b","t"]
RUN mkdir -p -m 0777 '/var/crossswe/reports' '/r'
COPY ["tools/","/opt/crossswe/"]
WORKDIR /testbed
CMD ["bash"]
