#!/bin/sh
# mvn.sh [ARGUMENT...] runs Maven on the image's own repository, without a
# network; while the image is built CROSSSWE_MAVEN_ONLINE holds the options that
# take the place of -o. Checks of style, coverage, licences and signatures are
# no tests.
set -eu
# shellcheck disable=SC2086 # several options
exec mvn ${CROSSSWE_MAVEN_ONLINE:--o} --batch-mode --no-transfer-progress -Dstyle.color=never \
	-Dmaven.repo.local=/var/lib/maven/repository \
	-Denforcer.skip -Dcheckstyle.skip -Dspotbugs.skip -Dfindbugs.skip -Dpmd.skip -Dcpd.skip -Djacoco.skip \
	-Drat.skip -Dlicense.skip -Danimal.sniffer.skip -Dspotless.check.skip -Dspotless.apply.skip -Dfmt.skip \
	-Dformatter.skip -Dimpsort.skip -Dsort.skip -Djapicmp.skip -Drevapi.skip -Dcyclonedx.skip \
	-Dmaven.javadoc.skip -Dmaven.source.skip -Dgpg.skip -Dmaven.site.skip -Dmaven.deploy.skip "$@"
