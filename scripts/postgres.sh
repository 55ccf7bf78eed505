#!/usr/bin/env bash
# Makes sure that the programs of a PostgreSQL server are there. The tests start
# servers of their own with them: no cluster is made, no server is left running.
#
#   scripts/postgres.sh
#
# If they are there, nothing is done. Otherwise, as root on Debian, they are
# installed; else the script says what to do.
# CROSSSWE_POSTGRES_DIR and CROSSSWE_CREATECLUSTER are where Debian keeps the
# programs and the configuration; only tests set them.
#
# Exit status: 0 they are there, 1 the installation did not bring them, 2 wrong
# arguments, 3 needs root, 5 not a Debian system.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

readonly DIR=${CROSSSWE_POSTGRES_DIR:-/usr/lib/postgresql}
readonly CREATECLUSTER=${CROSSSWE_CREATECLUSTER:-/etc/postgresql-common/createcluster.conf}

# initdb_path prints where initdb is: the newest of Debian's, else that in PATH.
initdb_path() {
	find "$DIR" -path '*/bin/initdb' 2>/dev/null | sort -V | tail -n 1 | grep . || command -v initdb
}

# without_cluster keeps the server's package from making and starting a cluster.
# The file belongs to a package that the server's needs, and is its own to read.
without_cluster() {
	apt_install postgresql-common
	sed -i 's/^#\? *create_main_cluster *=.*/create_main_cluster = false/' "$CREATECLUSTER"
	grep -q '^create_main_cluster = false$' "$CREATECLUSTER" || echo 'create_main_cluster = false' >>"$CREATECLUSTER"
}

main() {
	local found
	if found=$(initdb_path); then
		say "$("$found" --version) is there"
		return
	fi
	command -v apt-get >/dev/null ||
		die $EXIT_SYSTEM "PostgreSQL is not installed, and this is not a Debian system." \
			"Install its server, put initdb and postgres in PATH, and try again."
	is_root ||
		die $EXIT_ROOT "PostgreSQL is not installed, and installing it needs root." "Run as root: $0"
	without_cluster
	apt_install postgresql
	found=$(initdb_path) || die 1 "there is no initdb, although postgresql is installed"
	say "$("$found" --version) is there"
}

[ $# -eq 0 ] || die $EXIT_USAGE "usage: postgres.sh"
main
