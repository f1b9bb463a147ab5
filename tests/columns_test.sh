#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No line of C is longer than 100 columns. clang-format breaks code at 100 columns and leaves
# comments alone, so this test looks at comments too.
set -euo pipefail
cd "${MILLRACE_SOURCE_DIR:-$(dirname "$0")/..}"

long=$(find engine generators formats algorithms library include cli bench tests examples \
    \( -name '*.c' -o -name '*.h' -o -name '*.cc' \) -print0 |
    LC_ALL=C.UTF-8 xargs -0 grep -nE '^.{101,}' || true)
if [ -n "$long" ]; then
    echo "these lines are longer than 100 columns:" >&2
    cut -c1-80 <<<"$long" >&2
    exit 1
fi
