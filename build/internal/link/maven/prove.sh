#!/bin/sh
# prove.sh DIR GROUP ARTIFACT MODULES [OPTION...], in the directory of a
# consumer's outermost POM, prints DIR, a provider's module, when every one of
# the consumer's modules that uses the artifact gets the archive that was built
# in DIR; else what it gets instead. A provider that does not build in this
# state leaves no archive at all: then none is what the consumer must get.
set -eu
dir=$1 group=$2 artifact=$3 modules=$4
shift 4
home=/var/crossswe/maven
at=/var/lib/maven/repository/$(echo "$group" | tr . /)/$artifact
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# unbuilt reports whether the last build of the provider failed.
unbuilt() {
	for failed in $home/failed-*; do
		[ -e "$failed" ] || continue
		case $(echo "$dir" | tr - /)/ in
		"$(echo "${failed#"$home/failed"}" | tr - /)"/*) return 0 ;;
		esac
	done
	return 1
}

sh $home/mvn.sh org.apache.maven.plugins:maven-dependency-plugin:3.6.1:tree -DoutputType=text \
	-DoutputFile="$tree/tree" -DappendOutput=true -Dincludes="$group:$artifact" -pl "$modules" -am "$@" >"$tree/log" 2>&1 || {
	grep '^\[ERROR\]' "$tree/log" | head -n 3 >&2
	exit 1
}
# A line is "+- group:artifact:type[:classifier]:version:scope".
sed -n "s/^[-+|\\\\ ]* \($group:$artifact:.*\)$/\1/p" "$tree/tree" | sed 's/ (.*//' |
	awk -F: 'NF == 5 { print $4, $5 } NF == 6 { print $5, $6 }' | sort -u >"$tree/versions"
if [ ! -s "$tree/versions" ]; then
	echo "no module uses $group:$artifact"
	exit 0
fi
# The image build learns from it which versions the checkout is to stand for.
[ -z "${CROSSSWE_MAVEN_ONLINE:-}" ] || sed "s/ .*//; s/^/$group:$artifact /" "$tree/versions" >>/var/lib/maven/used
while read -r version scope; do
	if [ "$scope" = system ]; then
		echo "$group:$artifact:$version as an archive in the consumer's checkout"
		exit 0
	fi
	archive=$at/$version/$artifact-$version.jar
	if [ ! -e "$archive" ]; then
		if unbuilt; then continue; fi
		echo "$group:$artifact:$version, which is not the checkout's"
		exit 0
	fi
	same=no
	for built in "$dir"/target/*.jar; do
		if cmp -s "$built" "$archive"; then same=yes; fi
	done
	if [ $same = no ]; then
		echo "$archive, which was not built in the checkout"
		exit 0
	fi
done <"$tree/versions"
echo "$dir"
