#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Power loss: some of the disks that each command can leave. `./dev power` makes all.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MILLRACE_BUILD_DIR:-$here/../../build/test}
export MILLRACE_FAULTS=$build/tests/libmillrace_faults.so
exec python3 "$here/power_loss.py" --limit 8 "$@"
