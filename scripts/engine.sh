#!/usr/bin/env bash
# Makes sure that a container engine answers.
#
#   scripts/engine.sh
#
# If one answers, nothing is done. Otherwise, as root on Debian, docker.io is
# installed and its daemon started; else the script says what to do.
# DOCKER_HOST is honoured: an engine of another place is never installed.
# CROSSSWE_STATE_DIR is where a daemon started by hand keeps its log and pid
# file; /run/crossswe unless set.
#
# Exit status: 0 an engine answers, 3 needs root, 4 the socket is not
# permitted, 5 not a Debian system, 6 the engine does not come up.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

readonly STATE_DIR=${CROSSSWE_STATE_DIR:-/run/crossswe}
readonly LOG=$STATE_DIR/dockerd.log
readonly PID=$STATE_DIR/dockerd.pid

# wait_for_engine SECONDS
wait_for_engine() {
	local until=$((SECONDS + $1))
	while [ "$SECONDS" -lt "$until" ]; do
		[ "$(engine_state)" = ok ] && return 0
		sleep 0.5
	done
	return 1
}

engine_packages() {
	echo docker.io iptables ca-certificates
	if grep -qs Y /sys/module/apparmor/parameters/enabled; then echo apparmor; fi
}

# start_by_hand runs the daemon without an init system. A second daemon on the
# same data would be refused by Docker's own lock.
start_by_hand() {
	local daemon
	daemon=$(PATH=$PATH:/usr/sbin:/sbin command -v dockerd) ||
		die $EXIT_ENGINE "there is no dockerd, although docker.io is installed"
	mkdir -p "$STATE_DIR"
	say "starting $daemon (log $LOG, pid file $PID)"
	PATH=$PATH:/usr/sbin:/sbin setsid nohup "$daemon" --pidfile "$PID" >"$LOG" 2>&1 </dev/null 9>&- &
	wait_for_engine 60 && return 0
	tail -n 20 "$LOG" >&2
	die $EXIT_ENGINE "the engine does not answer after 60 s; the end of $LOG is above"
}

start_engine() {
	if [ -d /run/systemd/system ] && systemctl start docker && wait_for_engine 30; then
		return 0
	fi
	start_by_hand
}

main() {
	case $(engine_state) in
	ok) say "engine $(docker version --format '{{.Server.Version}}') answers"; return 0 ;;
	permission) refuse_permission ;;
	esac
	[ -z "${DOCKER_HOST:-}" ] ||
		die $EXIT_ENGINE "no engine answers at DOCKER_HOST; start it, or unset DOCKER_HOST to use this machine's own"
	command -v apt-get >/dev/null ||
		die $EXIT_SYSTEM "no engine answers, and this is not a Debian system." \
			"Install Docker or Podman with its Docker socket, start it, and try again."
	is_root ||
		die $EXIT_ROOT "no engine answers, and installing one needs root." \
			"Run as root: $0" "or start an engine of your own and set DOCKER_HOST to its address."
	mkdir -p "$STATE_DIR"
	exec 9>"$STATE_DIR/engine.lock"
	flock 9
	[ "$(engine_state)" = ok ] && return 0
	# shellcheck disable=SC2046 # one word per package
	apt_install $(engine_packages)
	start_engine
	say "engine $(docker version --format '{{.Server.Version}}') answers"
}

[ $# -eq 0 ] || die $EXIT_USAGE "usage: engine.sh"
main
