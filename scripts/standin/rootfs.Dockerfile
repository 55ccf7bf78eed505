# debian:bookworm-slim, with this machine's certificates.
ARG ROOTFS
FROM ${ROOTFS}
COPY ca/ /usr/local/share/ca-certificates/
RUN update-ca-certificates
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
CMD ["bash"]
