#!/usr/bin/env bash
# Makes sure that base images are there.
#
#   scripts/base-images.sh golang:1.26-bookworm node:22-bookworm-slim ...
#
# An image that is there is kept. Else it is pulled. Where no registry can be
# reached a stand-in is built under the same name, from Debian's packages, the
# Go toolchain module and Node's npm package. It has the label
# crossswe.standin, and this machine's own certificates, so that programs in
# it reach what this machine reaches. A stand-in of another recipe, or with
# other certificates, is made anew.
#
# Stand-ins are known for debian:bookworm-slim, golang:1.N-bookworm,
# golang:1.N.P-bookworm, node:N-bookworm-slim (18, 20, 22, 24),
# python:3.N-bookworm (what pyenv has on this machine), rust:1.N-bookworm
# (what rustup has) and maven:3-eclipse-temurin-17.
#
# Exit status: 0 all are there, 1 a build failed, 2 wrong arguments or a name
# without a stand-in, 3 needs root, 4 the socket is not permitted, 5 not a
# Debian system, 6 no engine answers.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

readonly HERE=$(cd "$(dirname "$0")" && pwd)
readonly CA_DIR=/usr/local/share/ca-certificates
readonly CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt
readonly SUITE=bookworm
# The day Debian 12 came out; any fixed time makes the root file system's
# bytes depend on the packages only.
readonly EPOCH=1686355200
export DOCKER_BUILDKIT=0

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# Raise it when this script makes stand-ins of other content than before.
readonly RECIPE_VERSION=1

# recipe NAME... identifies what a stand-in is made from, apart from package
# versions: the Dockerfiles of these names and the certificates.
recipe() {
	local f
	{
		echo $RECIPE_VERSION
		for f in "$@"; do cat "$HERE/standin/$f.Dockerfile"; done
		find "$CA_DIR" -name '*.crt' -exec cat {} + 2>/dev/null || true
	} | sha256sum | cut -c1-16
}
RECIPE=$(recipe golang node npm rootfs)
readonly RECIPE ROOTFS=crossswe-standin:$SUITE-$RECIPE

# recipe_of IMAGE is the recipe of one image: those of later languages have
# their own, so that a new language does not make all others anew.
recipe_of() {
	local own=${1%%:*}
	case $own in
	debian | golang | node) echo "$RECIPE" ;;
	*) [ -e "$HERE/standin/${own##*/}.Dockerfile" ] && recipe rootfs "${own##*/}" || echo "$RECIPE" ;;
	esac
}

label() { docker image inspect --format "{{index .Config.Labels \"$2\"}}" "$1" 2>/dev/null; }

# is_there NAME: there, and if it is a stand-in then of this recipe.
is_there() {
	docker image inspect "$1" >/dev/null 2>&1 || return 1
	[ "$(label "$1" crossswe.standin)" != true ] || [ "$(label "$1" crossswe.recipe)" = "$(recipe_of "$1")" ]
}

size_of() { docker image inspect --format '{{.Size}}' "$1" | numfmt --to=si --suffix=B; }

# proxies prints the build arguments for the proxies of this machine. The
# builder knows these names and keeps their values out of the image.
proxies() {
	local p
	for p in http_proxy https_proxy no_proxy; do
		[ -z "${!p:-}" ] || printf '%s\n%s\n' --build-arg "$p"
	done
}

# standin NAME DOCKERFILE DIR [BUILD-ARG...] builds DIR with a Dockerfile.
standin() {
	local name=$1 dockerfile=$2 dir=$3 arg args=()
	shift 3
	for arg in "$@"; do args+=(--build-arg "$arg"); done
	mapfile -t -O ${#args[@]} args < <(proxies)
	cp "$HERE/standin/$dockerfile" "$dir/Dockerfile"
	tar -C "$dir" --sort=name --mtime=@$EPOCH --owner=0 --group=0 --numeric-owner --mode=u+w,a+rX -c . |
		docker build --force-rm --tag "$name" "${args[@]}" \
			--label crossswe.standin=true --label "crossswe.recipe=$(recipe_of "$name")" - >"$WORK/build.log" 2>&1 || {
		tail -n 40 "$WORK/build.log" >&2
		die 1 "building $name failed; the end of its log is above"
	}
}

# debian_sources prints apt lines for the mirrors that this machine uses, and
# nothing when it uses none of Debian's: mmdebstrap then takes its default.
debian_sources() {
	local origin label uri seen=' '
	# shellcheck disable=SC2016 # apt fills these in
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
		while IFS='|' read -r origin label uri; do
			[ "$origin" = Debian ] && [[ $seen != *" $label "* ]] || continue
			seen+="$label "
			case $label in
			Debian) printf 'deb %s %s main\ndeb %s %s-updates main\n' "$uri" $SUITE "$uri" $SUITE ;;
			Debian-Security) printf 'deb %s %s-security main\n' "$uri" $SUITE ;;
			esac
		done
}

# apt_proxies prints mmdebstrap's options for the proxies that apt uses here.
apt_proxies() {
	apt-config dump | sed -n 's/^\(Acquire::https\?::[Pp]roxy .*\);$/--aptopt=\1/p'
}

# build_rootfs makes the root file system that all stand-ins share.
build_rootfs() {
	! docker image inspect "$ROOTFS" >/dev/null 2>&1 || return 0
	apt_install mmdebstrap debian-archive-keyring
	say "building the root file system from Debian's packages"
	local sources=() options=() dir=$WORK/rootfs
	debian_sources >"$WORK/sources.list"
	[ ! -s "$WORK/sources.list" ] || sources=("$WORK/sources.list")
	mapfile -t options < <(apt_proxies)
	SOURCE_DATE_EPOCH=$EPOCH mmdebstrap --quiet --variant=minbase --include=ca-certificates,git \
		--customize-hook='rm -f "$1/etc/apt/apt.conf.d/99mmdebstrap"' \
		"${options[@]}" $SUITE "$WORK/rootfs.tar" "${sources[@]}"
	docker import "$WORK/rootfs.tar" "$ROOTFS-import" >/dev/null
	rm -f "$WORK/rootfs.tar"
	mkdir -p "$dir/ca"
	find "$CA_DIR" -name '*.crt' -exec cp {} "$dir/ca/" \; 2>/dev/null || true
	standin "$ROOTFS" rootfs.Dockerfile "$dir" "ROOTFS=$ROOTFS-import"
	docker rmi "$ROOTFS-import" >/dev/null
}

# go_version VERSION prints the release that a tag's version stands for: a
# full one itself, a minor one this machine's own, else the newest there is.
go_version() {
	local local_version
	[[ $1 =~ ^1\.[0-9]+$ ]] || { echo "$1"; return; }
	local_version=$(GOTOOLCHAIN=local go env GOVERSION)
	case $local_version in
	go"$1".*[!0-9.]*) ;;
	go"$1".*) echo "${local_version#go}"; return ;;
	esac
	cd "$WORK" && go list -m -versions golang.org/toolchain | tr ' ' '\n' |
		sed -n "s/^v0\.0\.1-go\(${1/./\\.}\.[0-9]*\)\.linux-$(go env GOHOSTARCH)$/\1/p" | sort -V | tail -n 1
}

build_golang() {
	local name=$1 version root dir=$WORK/golang
	command -v go >/dev/null || die 1 "a stand-in for $name needs the go command (1.21 or later)"
	version=$(go_version "$2")
	[ -n "$version" ] || die 1 "no release of Go $2 can be had"
	say "$name is Go $version"
	# The go command unpacks another release itself, with the run bits that
	# the plain module would lack.
	root=$(cd "$WORK" && GOTOOLCHAIN=go$version go env GOROOT)
	mkdir -p "$dir"
	cp -r "$root" "$dir/go"
	chmod -R u+w "$dir/go"
	standin "$name" golang.Dockerfile "$dir" "ROOTFS=$ROOTFS" "GOLANG_VERSION=$version"
	rm -rf "$dir"
}

# npm_for MAJOR prints the npm that official images of that Node carry.
npm_for() {
	case $1 in
	18 | 20) echo npm@10.8 ;;
	22) echo npm@10.9 ;;
	24) echo npm@11 ;;
	*) return 1 ;;
	esac
}

# npm_pack SPEC DIR unpacks the newest package that SPEC allows into DIR, by
# this machine's npm or by Debian's in a container.
npm_pack() {
	local spec=$1 dir=$2 box
	mkdir -p "$dir"
	if command -v npm >/dev/null; then
		(cd "$dir" && npm pack --silent "$spec" >/dev/null)
	else
		if ! docker image inspect "$ROOTFS-npm" >/dev/null 2>&1; then
			mkdir -p "$WORK/npm"
			standin "$ROOTFS-npm" npm.Dockerfile "$WORK/npm" "ROOTFS=$ROOTFS"
		fi
		box=$(docker create --label crossswe=1 --env "NODE_EXTRA_CA_CERTS=$CA_BUNDLE" --workdir /out \
			"$ROOTFS-npm" npm pack --silent "$spec")
		docker start --attach "$box" >/dev/null && docker cp "$box:/out/." - | tar -C "$dir" --strip-components=1 -x || {
			docker rm -f "$box" >/dev/null
			die 1 "fetching $spec failed"
		}
		docker rm -f "$box" >/dev/null
	fi
	tar -C "$dir" -xzf "$dir"/*.tgz
	rm -f "$dir"/*.tgz
}

build_node() {
	local name=$1 major=$2 npm version dir=$WORK/node extra=
	npm=$(npm_for "$major") || die $EXIT_USAGE "no stand-in is known for $name"
	rm -rf "$dir"
	npm_pack "node-linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@$major" "$WORK/node-package"
	npm_pack "$npm" "$WORK/npm-package"
	mkdir -p "$dir"
	mv "$WORK/node-package/package" "$dir/node"
	mv "$WORK/npm-package/package" "$dir/npm"
	chmod 755 "$dir/node/bin/node" "$dir"/npm/bin/*-cli.js
	version=$("$dir/node/bin/node" --version)
	say "$name is Node ${version#v} with $npm"
	[ -z "$(find "$CA_DIR" -name '*.crt' -print -quit 2>/dev/null)" ] || extra=$CA_BUNDLE
	standin "$name" node.Dockerfile "$dir" "ROOTFS=$ROOTFS" "NODE_VERSION=${version#v}" "EXTRA_CA=$extra"
	rm -rf "$dir"
}

# python_root MINOR prints the root of a Python 3.MINOR that pyenv has.
python_root() {
	local versions=${PYENV_ROOT:-$HOME/.pyenv}/versions
	find "$versions" -mindepth 1 -maxdepth 1 -name "3.$1.*" 2>/dev/null | grep -E '/3\.[0-9]+\.[0-9]+$' | sort -V | tail -n 1
}

# build_python copies an interpreter of this machine, without what is installed
# in it, and makes its records name the place where it then stands.
build_python() {
	local name=$1 minor=$2 root lib dir=$WORK/python
	root=$(python_root "$minor")
	[ -n "$root" ] || die 1 "a stand-in for $name needs Python 3.$minor of pyenv"
	say "$name is Python ${root##*/}"
	rm -rf "$dir"
	mkdir -p "$dir/python/bin"
	cp -a "$root/include" "$root/lib" "$dir/python/"
	cp -a "$root/bin/python3.$minor" "$dir/python/bin/"
	ln -s "python3.$minor" "$dir/python/bin/python3"
	lib=$dir/python/lib/python3.$minor
	find "$lib/site-packages" -mindepth 1 -delete
	rm -rf "$lib/test" "$lib/idlelib" "$lib/lib2to3/tests" "$lib"/config-3.*/libpython*.a
	find "$lib" -name __pycache__ -prune -exec rm -rf {} +
	grep -rlIF "$root" "$dir/python/lib" | xargs -r sed -i "s|$root|/usr/local|g"
	standin "$name" python.Dockerfile "$dir" "ROOTFS=$ROOTFS" "PYTHON_VERSION=${root##*/}"
	rm -rf "$dir"
}

# rust_toolchain VERSION prints the directory of this machine's own toolchain
# of a release: 1.N or 1.N.P.
rust_toolchain() {
	local dir
	for dir in "${RUSTUP_HOME:-$HOME/.rustup}"/toolchains/* "$(rustc --print sysroot 2>/dev/null)"; do
		case $("$dir/bin/rustc" --version 2>/dev/null) in
		"rustc $1 "* | "rustc $1."[0-9]*" ("*) readlink -f "$dir"; return ;;
		esac
	done
	return 1
}

# build_rust needs a toolchain on this machine: no registry has them.
build_rust() {
	local name=$1 from version dir=$WORK/rust/toolchain
	from=$(rust_toolchain "$2") || die 1 "a stand-in for $name needs a toolchain of Rust $2 on this machine (rustup toolchain install $2)"
	version=$("$from/bin/rustc" --version | cut -d ' ' -f 2)
	say "$name is Rust $version"
	mkdir -p "$dir"
	tar -C "$from" --exclude=./lib/rustlib/src --exclude='./lib/rustlib/*.json' -c ./bin ./lib ./libexec | tar -C "$dir" -x
	standin "$name" rust.Dockerfile "$WORK/rust" "ROOTFS=$ROOTFS" "RUST_VERSION=$version"
	rm -rf "$WORK/rust"
}

# build_maven makes Debian's JDK, of which there is one, and Debian's Maven look
# like the official image.
build_maven() {
	local name=$1 version=$2 dir=$WORK/maven
	[ "$version" = 17 ] || die $EXIT_USAGE "no stand-in is known for $name: Debian has OpenJDK 17 only"
	say "$name is Debian's OpenJDK $version with Debian's Maven"
	mkdir -p "$dir"
	standin "$name" maven.Dockerfile "$dir" "ROOTFS=$ROOTFS" "JAVA_MAJOR=$version"
}

build() {
	local name=$1
	case $name in
	debian:$SUITE-slim) build_rootfs && docker tag "$ROOTFS" "$name" ;;
	golang:1.*-$SUITE) build_rootfs && build_golang "$name" "$(expr "$name" : 'golang:\(.*\)-bookworm')" ;;
	maven:3-eclipse-temurin-*) build_rootfs && build_maven "$name" "${name##*-}" ;;
	node:*-$SUITE-slim) build_rootfs && build_node "$name" "$(expr "$name" : 'node:\(.*\)-bookworm-slim')" ;;
	python:3.*-$SUITE) build_rootfs && build_python "$name" "$(expr "$name" : 'python:3\.\([0-9]*\)-bookworm')" ;;
	rust:1.*-$SUITE) build_rootfs && build_rust "$name" "$(expr "$name" : 'rust:\(.*\)-bookworm')" ;;
	*) die $EXIT_USAGE "$name cannot be pulled, and no stand-in is known for it" ;;
	esac
}

ensure() {
	local name=$1 start=$SECONDS why
	if is_there "$name"; then
		say "$name is there"
		return
	fi
	if why=$(timeout 900 docker pull --quiet "$name" 2>&1); then
		say "$name pulled, $(size_of "$name"), $((SECONDS - start)) s"
		return
	fi
	say "$name cannot be pulled ($why); building a stand-in"
	build "$name"
	say "$name built, $(size_of "$name"), $((SECONDS - start)) s"
}

main() {
	local name
	[ $# -gt 0 ] || die $EXIT_USAGE "usage: base-images.sh NAME..."
	case $(engine_state) in
	permission) refuse_permission ;;
	none) die $EXIT_ENGINE "no engine answers; run $HERE/engine.sh first" ;;
	esac
	# One build at a time: several would make the same things twice.
	exec 9<"$HERE"
	flock 9
	for name in "$@"; do ensure "$name"; done
}

main "$@"
