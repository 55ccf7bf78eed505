# node:N-bookworm-slim: the layout of the official image, without yarn and
# corepack.
ARG ROOTFS
FROM ${ROOTFS}
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node
ARG NODE_VERSION
ARG EXTRA_CA
ENV NODE_VERSION=${NODE_VERSION} NODE_EXTRA_CA_CERTS=${EXTRA_CA}
COPY node/bin/node /usr/local/bin/node
COPY node/include/ /usr/local/include/
COPY npm/ /usr/local/lib/node_modules/npm/
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
 && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
 && ln -s node /usr/local/bin/nodejs \
 && test "$(node --version)" = "v${NODE_VERSION}" && npm --version
CMD ["node"]
