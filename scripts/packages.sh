#!/usr/bin/env bash
# Prints the packages whose tests need a container engine, or those whose tests
# need none. The first are the engine's own, those whose tests import it, and
# the end-to-end tests.
#
#   scripts/packages.sh engine|quick
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
engine | quick) ;;
*)
	echo "usage: packages.sh engine|quick" >&2
	exit 2
	;;
esac
go list -f '{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... |
	awk -v want="$1" '{
		is = "quick"
		if ($1 == "crossswe/internal/container" || $1 == "crossswe/e2e") is = "engine"
		for (i = 2; i <= NF; i++) if ($i == "crossswe/internal/container") is = "engine"
		if (is == want) print $1
	}'
