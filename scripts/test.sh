#!/usr/bin/env bash
# Runs go test with the race detector and fails if a test was skipped: one that
# needs a container engine must fail without it.
#
#   scripts/test.sh [go test flags] PACKAGES
#
# What every test says is kept in $TEST_LOG (bin/test.log); shown are the packages and, if
# something fails, what it said.
set -uo pipefail
cd "$(dirname "$0")/.."
mkdir -p bin
readonly LOG=${TEST_LOG:-bin/test.log}
: >"$LOG" # tail must find it, whoever is first

go test -race -v "$@" >"$LOG" 2>&1 &
readonly TESTS=$!
trap 'kill -INT $TESTS 2>/dev/null; exit 130' INT TERM
tail -n +1 -f --pid=$TESTS "$LOG" | grep --line-buffered -E '^(ok|FAIL|\?)[[:space:]]' &
wait $TESTS
readonly STATUS=$?
wait

if [ $STATUS -ne 0 ]; then
	# Passing tests, and the announcements of all, say nothing here.
	grep -vE '^ *(=== |--- PASS)|^(ok|PASS|\?)' "$LOG" | tail -n 300 >&2
	echo "tests failed; everything they said is in $LOG" >&2
	exit 1
fi
if grep -E '^ *--- SKIP' "$LOG" >&2; then
	echo "the tests above were skipped: a test that cannot run must fail" >&2
	exit 1
fi
