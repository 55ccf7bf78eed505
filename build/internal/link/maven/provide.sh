#!/bin/sh
# provide.sh MODULES [OPTION...], in the directory of a provider's outermost
# POM, builds modules and those that they need, and puts them into the image's
# repository under every version that anyone asks for. What stood there before
# goes first, so that no build that fails leaves an older state in use.
set -eu
modules=$1
shift
home=/var/crossswe/maven
repository=/var/lib/maven/repository
tab=$(printf '\t')
failed=$home/failed$(echo "$PWD" | tr / -)

# ours calls its arguments with directory, path in the repository, group and
# artifact of each module below this directory.
ours() {
	while IFS="$tab" read -r dir group artifact; do
		case $dir/ in
		"$PWD"/*) "$@" "$dir" "$repository/$(echo "$group" | tr . /)/$artifact" "$group" "$artifact" ;;
		esac
	done <$home/siblings
}

# downloaded reports whether a version came from outside. Such a one is older
# than the set and serves a plugin of Maven.
downloaded() { ls "$1" | grep -q '\.sha1$'; }

forget() {
	rm -rf "$1/target"
	for version in "$2"/*/; do
		[ ! -d "$version" ] || downloaded "$version" || rm -rf "$version"
	done
	rm -f "$2/maven-metadata-local.xml"
}

# versions prints what is asked of an artifact, by the POMs and as the image
# build found out.
versions() {
	while read -r name version; do
		[ "$name" != "$1" ] || echo "$version"
	done <<-end
		$(cat $home/versions /var/lib/maven/versions 2>/dev/null)
	end
}

alias_all() {
	for own in "$2"/*/; do
		if [ ! -d "$own" ] || downloaded "$own"; then continue; fi
		own=$(basename "$own")
		rm -f "$2/$own/_remote.repositories"
		versions "$3:$4" | while read -r version; do
			[ ! -e "$2/$version" ] || continue
			mkdir "$2/$version.new"
			for file in "$2/$own/$4-$own"*; do
				name=$(basename "$file")
				cp "$file" "$2/$version.new/$4-$version${name#"$4-$own"}"
			done
			mv "$2/$version.new" "$2/$version"
		done
		return 0
	done
}

touch "$failed"
ours forget
sh $home/mvn.sh -q install -pl "$modules" -am "$@" || {
	code=$?
	ours forget
	exit $code
}
ours alias_all
rm -f "$failed"
