#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Damage: one of so many bytes of each kind of store. `./dev damage` tries all.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MILLRACE_BUILD_DIR:-$here/../../build/test}
export MILLRACE_FAULTS=$build/tests/libmillrace_faults.so
exec "$build/tests/damage_campaign" "${1:-97}" "$here"/../golden/format-*/*.mill
