#!/bin/sh
# Configures, builds, installs and tests projects of CMake outside their
# checkouts. It is called in the project's directory.
#
#   cmake.sh configure BUILD [ARG...]         configure the project
#   cmake.sh provide BUILD PREFIX [ARG...]    build it anew and install it
#   cmake.sh test BUILD REPORT DIR [ARG...]   build, and run the tests of DIR
#   cmake.sh prove BUILD package|content|either NAME CHECKOUT [PREFIX]
#
# prove prints CHECKOUT when what BUILD compiles comes from there.
set -u
verb=$1
build=$2
shift 2

# unlink_all removes what earlier states linked, and the lists of tests that were
# taken from it: what does not build in this state must not be there.
unlink_all() {
	[ -f "$build/build.ninja" ] || return 0
	ninja -C "$build" -t targets all | sed -n 's/: [A-Z]*_[A-Z_]*LINKER__.*//p' |
		while IFS= read -r file; do rm -f "$build/$file"; done
	find "$build" -name '*_tests*.cmake' -not -path '*/CMakeFiles/*' -exec rm -f {} +
}

configure() {
	rm -f "$build/.configured"
	unlink_all
	mkdir -p "$build"
	cmake -S . -B "$build" -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON --compile-no-warning-as-error "$@" >"$build/configure.log" 2>&1
	code=$?
	cat "$build/configure.log"
	[ $code -eq 0 ] && touch "$build/.configured"
}

# provide takes no notice of what the installation does not need: tests that do
# not compile must not leave the consumer without its library.
provide() {
	prefix=$1
	shift
	rm -rf "$prefix" "$prefix.sums"
	configure "-DCMAKE_INSTALL_PREFIX=$prefix" "$@" || return 1
	cmake --build "$build" -- -k 0 || echo "not all was built: the installation says whether that matters"
	if ! cmake --install "$build" >"$build/install.log" 2>&1; then
		cat "$build/install.log" >&2
		rm -rf "$prefix"
		return 1
	fi
	find "$prefix" -type f -exec sha256sum {} + >"$prefix.sums"
}

# run_tests writes a report of four parts: what CTest lists, what is compiled,
# CTest's XML, and CTest's own words.
run_tests() {
	report=$1 dir=${2:-.}
	shift 2
	rm -f "$report"
	if [ ! -f "$build/.configured" ]; then
		cat "$build/configure.log" 2>/dev/null
		echo "the project is not configured" >&2
		return 1
	fi
	cmake --build "$build" -- -k 0
	rm -f "$report.xml"
	ctest --test-dir "$build/$dir" --show-only=json-v1 >"$report.part" || return 1
	cat "$build/compile_commands.json" >>"$report.part" 2>/dev/null || echo '[]' >>"$report.part"
	ctest --test-dir "$build/$dir" --output-junit "$report.xml" "$@" >"$report.log" 2>&1
	code=$?
	cat "$report.xml" "$report.log" >>"$report.part"
	rm -f "$report.xml" "$report.log"
	mv "$report.part" "$report"
	return $code
}

void() {
	echo "$1" >&2
	exit 1
}

# uses says whether a compiler or linker is given $1 or what is below it, for
# files that are not there themselves.
uses() {
	grep -F '"command": ' "$build/compile_commands.json" | grep -E -- "$1(/| |\"|\$)" | grep -qvE -- " -c $1/" ||
		grep -E '^  (LINK_LIBRARIES|LINK_PATH) = ' "$build/build.ninja" | grep -qF -- "$1/"
}

prove_package() {
	name=$1 prefix=$2
	sha256sum --quiet -c "$prefix.sums" >&2 || void "$prefix does not hold what was installed in this state"
	found=$(sed -n "s/^${name}_[A-Za-z0-9_]*:\(PATH\|FILEPATH\)=\(\/.*\)/\2/Ip" "$build/CMakeCache.txt")
	[ -n "$found" ] || void "no ${name}_DIR in CMakeCache.txt: the package was not looked for"
	real=$(readlink -f "$prefix")
	echo "$found" | tr ';' '\n' | while IFS= read -r file; do
		case "$(readlink -f "$file")/" in
		"$real"/*) ;;
		*) void "$name comes from $file" ;;
		esac
	done || exit 1
	uses "$prefix" || void "nothing is compiled or linked from $prefix"
	if grep -E '^  LINK_LIBRARIES = ' "$build/build.ninja" | tr ' ' '\n' | grep -F "/lib$name." | grep -vF "$prefix/" >&2; then
		void "another $name is linked"
	fi
}

prove_content() {
	name=$(echo "$1" | tr A-Z a-z) from=$2
	uses "$from" || void "nothing is compiled from $from"
	! uses "$build/_deps/$name-src" || void "$name is compiled from a copy of its own"
	if grep -iE "^${name}_DIR:[A-Z]*=/" "$build/CMakeCache.txt" >&2; then
		void "a package $name was found beside"
	fi
}

prove() {
	kind=$1 name=$2 from=$3
	# What is not configured builds nothing, from whichever copy.
	if [ -f "$build/.configured" ]; then
		case $kind in
		package) prove_package "$name" "${4:-}" ;;
		content) prove_content "$name" "$from" ;;
		either) (prove_package "$name" "${4:-}") || prove_content "$name" "$from" ;;
		*) void "nothing is known of $kind" ;;
		esac
	fi
	echo "$from"
}

case $verb in
configure) configure "$@" ;;
provide) provide "$@" ;;
test) run_tests "$@" ;;
prove) prove "$@" ;;
*) void "nothing is known of $verb" ;;
esac
