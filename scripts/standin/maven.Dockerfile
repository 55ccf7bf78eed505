# maven:3-eclipse-temurin-N: Debian's OpenJDK and Maven at the places of the
# official image. The JVM has a trust store of its own, which
# ca-certificates-java fills with the root file system's certificates.
ARG ROOTFS
FROM ${ROOTFS}
ARG JAVA_MAJOR
RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      ca-certificates-java curl maven openjdk-${JAVA_MAJOR}-jdk-headless procps \
 && update-ca-certificates -f \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir -p /opt/java \
 && ln -s "/usr/lib/jvm/java-${JAVA_MAJOR}-openjdk-$(dpkg --print-architecture)" /opt/java/openjdk \
 && /opt/java/openjdk/bin/javac -version 2>&1 | grep -q "^javac ${JAVA_MAJOR}\." && mvn --version
ENV JAVA_HOME=/opt/java/openjdk MAVEN_HOME=/usr/share/maven
CMD ["mvn"]
