#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Damage: one of so many bytes of each kind of store. `./dev damage` tries all.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MILLRACE_BUILD_DIR:-$here/../../build/test}
# Setting up io_uring for each check takes half of the time, and a disk five times as long as memory.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
campaign=("$build/tests/damage_campaign" "${1:-397}" "$here"/../golden/format-*/*.mill)
code=0
"$build/tests/without_io_uring" "${campaign[@]}" || code=$?
[ $code != 77 ] || exec "${campaign[@]}"
exit $code
