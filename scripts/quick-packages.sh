#!/usr/bin/env bash
# Prints the packages whose tests need no container engine: all but the engine's
# own, those whose tests import it, and the end-to-end tests.
set -euo pipefail
cd "$(dirname "$0")/.."
go list -f '{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... |
	awk '$1 == "crossswe/internal/container" || $1 ~ /^crossswe\/e2e$/ { next }
		{ for (i = 2; i <= NF; i++) if ($i == "crossswe/internal/container") next; print $1 }'
