#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Torture, short enough for every run of the tests: some of the places of the program that call what can fail. `./dev torture` tries all.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MILLRACE_BUILD_DIR:-$here/../../build/test}
export MILLRACE_FAULTS=$build/tests/libmillrace_faults.so
# Places are told apart by their nearest caller alone. Two faults for each command; what is left out is said: the
# formats of inputs from the start.
exec python3 "$here/torture.py" --frames 1 --faults 2 --quiet "${1-^(?!format-)}"
