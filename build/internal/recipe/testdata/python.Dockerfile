# Written from the environment spec; edit that, not this.

# toolchains and packages
FROM python:3.12-bookworm AS base
ENV LANG="C.UTF-8"
ENV TZ="UTC"
ENV PATH="/opt/venv/bin:$PATH"
RUN ["sh", "-c", "git config --system --add safe.directory '*' && git config --system user.name crossswe && git config --system user.email crossswe@localhost && git config --system init.defaultBranch main && git config --system advice.detachedHead false"]

# Python packages of base and head, less the siblings; only the environment and the build back ends leave this stage
FROM base AS python-packages
ARG GOPROXY
ARG npm_config_registry
ADD ["repos/a.tar","/testbed/"]
ADD ["repos/b.tar","/testbed/"]
COPY ["deps/python/","/deps/python/"]
RUN ["python3","/deps/python/install.py","prepare"]
RUN ["env","-C","/testbed/a","SETUPTOOLS_SCM_PRETEND_VERSION_FOR_A=1.2","python3","/deps/python/install.py","environment","--local","a @ file:///testbed/a"]
RUN ["env","-C","/testbed/a","pip","install","by-hand"]
RUN ["env","-C","/testbed/b","python3","/deps/python/install.py","backend","--into","/opt/pybuild/b","--product","setuptools"]
RUN ["python3","/deps/python/install.py","finish"]

# the image: checkouts, dependencies, links, and a warm cache
FROM base
ADD ["repos/a.tar","/testbed/"]
ADD ["repos/b.tar","/testbed/"]
COPY --from=python-packages /opt/venv /opt/venv
COPY --from=python-packages /opt/pybuild /opt/pybuild
RUN ["env","-C","/testbed/b","PYTHONPATH=/opt/pybuild/a","/opt/venv/bin/pip","install","--editable","/testbed/a"]
RUN ["env","-C","/testbed/b","/opt/venv/bin/pip","install","--editable","/testbed/b"]
RUN mkdir -p -m 0777 '/var/crossswe/reports'
COPY ["tools/","/opt/crossswe/"]
WORKDIR /testbed
CMD ["bash"]
