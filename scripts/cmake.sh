#!/usr/bin/env bash
# Makes sure that CMake, Ninja and a C++ compiler are there, for the tests of
# the script that environments of C and C++ run.
#
# Exit status: 0 they are there, 3 needs root, 5 not a Debian system.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

for program in cmake ctest ninja c++; do
	command -v "$program" >/dev/null || apt_install cmake ninja-build g++
done
