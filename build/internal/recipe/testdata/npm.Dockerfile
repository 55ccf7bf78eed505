# Written from the environment spec; edit that, not this.

# toolchains and packages
FROM sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb AS base
ENV LANG="C.UTF-8"
ENV TZ="UTC"
RUN ["sh","-c","apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -- \"$@\" >/dev/null && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/apt","sh","ca-certificates","git"]
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
RUN ["env","-C","/testbed/b/odd \"$dir\" <&>","A=b c","npm","install"]
RUN ["node","/deps/npm/collect.js"]

# the image: checkouts, dependencies, links, and a warm cache
FROM base
ADD ["repos/a.tar","/testbed/"]
ADD ["repos/b.tar","/testbed/"]
COPY --from=npm-modules /deps/npm/out/ /testbed/
RUN ["env","-C","/testbed/b","ln","-s","/testbed/a","node_modules/a"]
RUN ["env","-C","/testbed/a/packages/p","npm","run","build"]
RUN mkdir -p -m 0777 '/var/crossswe/reports' '/var/else where'
COPY ["tools/","/opt/crossswe/"]
WORKDIR /testbed
CMD ["bash"]
