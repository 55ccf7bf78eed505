#!/bin/sh
# Fills the image's repository: see the recipe. A state's script is a list of
# calls of the functions must, place and resolve.
set -eu
root=/deps/maven
home=/var/crossswe/maven
out=/var/lib/maven
repository=$out/repository
tab=$(printf '\t')
unresolved='Could not resolve|Could not find artifact|Non-resolvable|Could not transfer|PluginResolutionException|Failed to read artifact descriptor|resolution will not be reattempted|No versions available'
mkdir -p $repository
: >>$out/versions
: >>$out/used

# What the surroundings of the build say of mirrors and proxies.
CROSSSWE_MAVEN_ONLINE=--batch-mode
if [ -n "${MAVEN_SETTINGS:-}" ]; then
	printf '%s\n' "$MAVEN_SETTINGS" >/tmp/settings.xml
	CROSSSWE_MAVEN_ONLINE="$CROSSSWE_MAVEN_ONLINE --settings /tmp/settings.xml"
fi
proxy() { # SCHEME URL
	at=${2#*://}
	at=${at##*@}
	at=${at%%/*}
	port=${at##*:}
	[ "$port" != "$at" ] || port=80
	MAVEN_OPTS="${MAVEN_OPTS:-} -D$1.proxyHost=${at%%:*} -D$1.proxyPort=$port"
}
[ -z "${http_proxy:-}" ] || proxy http "$http_proxy"
[ -z "${https_proxy:-}" ] || proxy https "$https_proxy"
[ -z "${no_proxy:-}" ] || MAVEN_OPTS="${MAVEN_OPTS:-} -Dhttp.nonProxyHosts=$(echo "$no_proxy" | sed 's/ //g; s/,/|/g; s/|\./|*./g; s/^\./*./')"
export MAVEN_OPTS="${MAVEN_OPTS:-}" CROSSSWE_MAVEN_ONLINE

must() { strict=yes; }

place() { # DIR base|head
	find "/testbed/$1" -mindepth 1 -maxdepth 1 -not -name .git -exec rm -rf {} +
	if [ "$2" = base ] || [ ! -d "$root/trees/$1" ]; then
		(cd "$root/base/$1" && find . -mindepth 1 -maxdepth 1 -not -name .git -exec cp -a {} "/testbed/$1/" \;)
	else
		cp -a "$root/trees/$1/." "/testbed/$1/"
	fi
}

resolve() { # DIR COMMAND...
	cd "$1"
	shift
	echo "+ $*"
	if timeout 1200 "$@" >/tmp/log 2>&1 </dev/null; then
		return 0
	fi
	tail -n 15 /tmp/log
	if grep -E "$unresolved" /tmp/log >/tmp/why; then
		head -n 1 /tmp/why >>/tmp/unresolved
	fi
}

# siblings calls its arguments with group, artifact and the place in the
# repository of every module of the set.
siblings() {
	while IFS="$tab" read -r _ group artifact; do
		"$@" "$group" "$artifact" "$repository/$(echo "$group" | tr . /)/$artifact"
	done <$home/siblings
}

# old reports whether a version is older than every one that the POMs of the
# set name: it cannot hold the change.
old() { # NAME VERSION
	least=$(sed -n "s/^$1 //p" $home/versions | sed 's/-.*//' | sort -V | head -n 1)
	[ -n "$least" ] && [ "$2" != "$least" ] && [ "$(printf '%s\n' "$least" "$2" | sort -V | head -n 1)" = "$2" ]
}

# asked takes every version of a sibling that came from outside, or that was
# looked for there, away and notes it: from then on the checkout stands for it.
# An old one that no consumer uses stays: it serves a plugin of Maven.
asked() { # GROUP ARTIFACT PLACE
	for version in "$3"/*/; do
		[ -d "$version" ] && ls "$version" | grep -qE '\.(sha1|lastUpdated)$' || continue
		v=$(basename "$version")
		if old "$1:$2" "$v" && ! grep -qxF "$1:$2 $v" $out/used; then continue; fi
		echo "$1:$2 $v" >>$out/found
		rm -rf "$version"
	done
}

forget() { # GROUP ARTIFACT PLACE
	for version in "$3"/*/; do
		[ ! -d "$version" ] || ls "$version" | grep -q '\.sha1$' || rm -rf "$version"
	done
	rm -f "$3/maven-metadata-local.xml"
}

# A snapshot of a third party is gone: its release stands for it.
while read -r name version; do
	release=${version%-SNAPSHOT}
	coordinates=${name%:*}
	at=$repository/$(echo "${coordinates%%:*}" | tr . /)/${coordinates##*:}
	artifact=${coordinates##*:}
	for kind in pom "${name##*:}"; do
		[ -e "$at/$release/$artifact-$release.$kind" ] ||
			(cd /tmp && sh $home/mvn.sh -q org.apache.maven.plugins:maven-dependency-plugin:3.6.1:get "-Dartifact=$coordinates:$release:$kind" -Dtransitive=false </dev/null) || true
		if [ -e "$at/$release/$artifact-$release.$kind" ]; then
			mkdir -p "$at/$version"
			cp "$at/$release/$artifact-$release.$kind" "$at/$version/$artifact-$version.$kind"
			echo "the release $release stands for $name $version"
		else
			echo "no release stands for $name $version"
		fi
	done
done <$home/snapshots

cp -a /testbed $root/base
for state in $root/states/*; do
	for round in 1 2 3 4; do
		echo "resolving $(basename "$state"), round $round"
		strict=no
		rm -f /tmp/unresolved $out/found
		. "$state"
		siblings asked
		[ -e $out/found ] || break
		sort -u $out/found
		sort -u -o $out/versions $out/versions $out/found
	done
	if [ -e /tmp/unresolved ] && [ $strict = yes ]; then
		sort -u /tmp/unresolved
		exit 1
	fi
done
siblings forget

# Without a network, an artifact whose origin is on record is taken for absent
# unless that origin is configured.
rm -f $out/found $out/used
find $repository \( -name _remote.repositories -o -name '*.lastUpdated' -o -name resolver-status.properties \) -delete
find $repository -name 'maven-metadata-*.xml' -not -name maven-metadata-local.xml -not -name maven-metadata-central.xml | while read -r file; do
	[ -e "$(dirname "$file")/maven-metadata-central.xml" ] || cp "$file" "$(dirname "$file")/maven-metadata-central.xml"
done
