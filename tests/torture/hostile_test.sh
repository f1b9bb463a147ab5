#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stores with right checksums and hostile contents. `./dev damage` makes more.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MILLRACE_BUILD_DIR:-$here/../../build/test}
export MILLRACE_FAULTS=$build/tests/libmillrace_faults.so
exec python3 "$here/hostile_stores.py" --cases "${1:-40}" "$here"/../golden/format-*/*.mill
