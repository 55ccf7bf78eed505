# Written from the environment spec; edit that, not this.

# toolchains and packages
FROM maven:3-eclipse-temurin-17 AS base
ENV LANG="C.UTF-8"
ENV TZ="UTC"
RUN ["sh","-c","apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -- \"$@\" >/dev/null && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/apt","sh","ca-certificates","git"]
RUN ["sh", "-c", "git config --system --add safe.directory '*' && git config --system user.name crossswe && git config --system user.email crossswe@localhost && git config --system init.defaultBranch main && git config --system advice.detachedHead false"]

# Maven artifacts of base and head, less the siblings; only the repository leaves this stage
FROM base AS maven-artifacts
ARG MAVEN_SETTINGS
ADD ["repos/a.tar","/testbed/"]
ADD ["repos/b.tar","/testbed/"]
COPY ["files/","/"]
COPY ["deps/maven/","/deps/maven/"]
RUN ["sh","/deps/maven/fetch.sh"]

# the image: checkouts, dependencies, links, and a warm cache
FROM base
ADD ["repos/a.tar","/testbed/"]
ADD ["repos/b.tar","/testbed/"]
COPY --from=maven-artifacts /var/lib/maven/ /var/lib/maven/
COPY ["files/","/"]
RUN ["env","-C","/testbed/b/sub","sh","/var/crossswe/maven/provide.sh","."]
RUN ["env","-C","/testbed/b","make"]
RUN ["env","-C","/testbed/a","sh","/var/crossswe/maven/provide.sh",".","it's"]
RUN mkdir -p -m 0777 '/var/crossswe/reports'
COPY ["tools/","/opt/crossswe/"]
WORKDIR /testbed
CMD ["bash"]
