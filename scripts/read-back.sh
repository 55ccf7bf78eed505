#!/usr/bin/env bash
# Reads a dataset back with pyarrow and the datasets library, which are none of
# our own code. Without arguments it is a dataset of hostile rows, made for it.
#
#   scripts/read-back.sh [DATASET [ROWS]]
#
# The libraries are installed into bin/python once.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
readonly PYTHON=bin/python

if ! "$PYTHON/bin/python" -c 'import pyarrow, datasets' 2>/dev/null; then
	python3 -c 'import ensurepip' 2>/dev/null || apt_install python3 python3-venv
	python3 -m venv "$PYTHON"
	"$PYTHON/bin/pip" install -q 'pyarrow>=20' 'datasets>=4'
fi
if [ $# -gt 0 ]; then
	exec "$PYTHON/bin/python" scripts/read-back.py "$@"
fi
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
go test -count=1 -run TestHostileRowsAreWritten ./publish -args -keep "$made"
"$PYTHON/bin/python" scripts/read-back.py "$made" "$made/rows.jsonl"
