# Sourced by the scripts beside it: messages, exit codes, apt.
# shellcheck shell=bash

readonly EXIT_USAGE=2        # wrong arguments, or an image name nobody knows how to make
readonly EXIT_ROOT=3         # needs root
readonly EXIT_PERMISSION=4   # an engine is there, its socket is not permitted
readonly EXIT_SYSTEM=5       # not a Debian system
readonly EXIT_ENGINE=6       # no engine answers

say() { printf '%s: %s\n' "${0##*/}" "$*"; }

# die CODE MESSAGE... prints each message on a line of its own.
die() {
	local code=$1 line
	shift
	for line in "$@"; do printf '%s: %s\n' "${0##*/}" "$line" >&2; done
	exit "$code"
}

is_root() { [ "$(id -u)" -eq 0 ]; }

# apt_install PACKAGE... installs what is missing, or says what to do.
apt_install() {
	local missing=() p
	for p in "$@"; do
		dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q ' installed$' || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	command -v apt-get >/dev/null ||
		die $EXIT_SYSTEM "this is not a Debian system: install what corresponds to: ${missing[*]}"
	is_root || die $EXIT_ROOT "run as root: apt-get install --no-install-recommends ${missing[*]}"
	say "installing ${missing[*]}"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# engine_state prints "ok", "permission" or "none".
engine_state() {
	local out
	command -v docker >/dev/null || { echo none; return; }
	if out=$(timeout 20 docker version --format '{{.Server.Version}}' 2>&1); then
		echo ok
	elif [[ $out == *"permission denied"* ]]; then
		echo permission
	else
		echo none
	fi
}

refuse_permission() {
	die $EXIT_PERMISSION \
		"an engine is there, but user $(id -un) may not use its socket." \
		"Run as root, or: usermod -aG docker $(id -un) (as root), then log in again."
}
