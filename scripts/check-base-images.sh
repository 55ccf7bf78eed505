#!/usr/bin/env bash
# Tries base images as a build step would use them, on the default network.
#
#   scripts/check-base-images.sh golang:1.26-bookworm node:22-bookworm-slim ...
#
# Exit status: 0 all work, 1 one does not, 2 wrong arguments.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

# try IMAGE SCRIPT
try() {
	local out
	if out=$(timeout 300 docker run --rm --label crossswe=1 "$1" bash -euo pipefail -c "$2" 2>&1); then
		say "$1: $(tail -n 1 <<<"$out")"
	else
		tail -n 20 <<<"$out" >&2
		die 1 "$1 does not work; the end of the output is above"
	fi
}

# The module and the package are small and have no dependencies. Go 1.22.5
# stands for any toolchain that an instance asks for.
readonly GO_CHECK='
	go version
	GOTOOLCHAIN=go1.22.5 go version | grep -q "go1.22.5 "
	mkdir /tmp/m && cd /tmp/m && go mod init example.org/m && go get golang.org/x/sync@v0.8.0
	printf "package main\nimport \"C\"\nimport _ \"golang.org/x/sync/errgroup\"\nfunc main() {}\n" >m.go
	go mod tidy && go mod download && CGO_ENABLED=1 go run -race m.go
	echo "$(go version), go1.22.5 on demand, modules and cgo work"'
readonly NODE_CHECK='
	mkdir /tmp/m && cd /tmp/m && npm init -y >/dev/null && npm install --no-audit --no-fund is-number
	node -e "if (!require(\"is-number\")(5)) process.exit(1)"
	npx --version >/dev/null
	echo "node $(node --version), npm $(npm --version), a package installs and loads"'
readonly PYTHON_CHECK='
	export PIP_CERT=/etc/ssl/certs/ca-certificates.crt
	python -m venv /tmp/v && /tmp/v/bin/python -m pip install -q iniconfig
	/tmp/v/bin/python -c "import iniconfig, ssl, sqlite3"
	echo "$(python --version), $(pip --version | cut -d" " -f1-2), a package installs and loads"'
readonly RUST_CHECK='
	cargo new --quiet --lib /tmp/m && cd /tmp/m && cargo add --quiet itoa@1
	printf "#[test]\nfn t() { assert_eq!(itoa::Buffer::new().format(7), \"7\"); }\n" >src/lib.rs
	cargo test --quiet >/dev/null
	echo "$(rustc --version), a crate is fetched and its test runs"'
readonly MAVEN_CHECK='
	mkdir -p /tmp/m && cd /tmp/m
	mvn -q -B dependency:get -Dartifact=junit:junit:4.13.2:pom -Dtransitive=false >/dev/null
	echo "$(javac -version), $(mvn -v | head -n 1), an artifact is fetched"'

[ $# -gt 0 ] || die $EXIT_USAGE "usage: check-base-images.sh NAME..."
for name in "$@"; do
	case $name in
	golang:*) try "$name" "$GO_CHECK" ;;
	rust:*) try "$name" "$RUST_CHECK" ;;
	maven:*) try "$name" "$MAVEN_CHECK" ;;
	node:*) try "$name" "$NODE_CHECK" ;;
	python:*) try "$name" "$PYTHON_CHECK" ;;
	*) try "$name" 'git --version && test -s /etc/ssl/certs/ca-certificates.crt && echo "$(git --version), certificates"' ;;
	esac
done
