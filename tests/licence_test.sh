#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every source names its licence in its first line, or in the second behind #!. `./dev fmt` adds the
# line where it is missing.
set -euo pipefail
cd "${MILLRACE_SOURCE_DIR:-$(dirname "$0")/..}"

without=$(find CMakeLists.txt dev .ci bench bindings cli cmake engine examples formats generators \
    algorithms include library tests -type f \
    \( -name '*.[ch]' -o -name '*.cc' -o -name '*.h.in' -o -name '*.sh' -o -name '*.py' \
    -o -name '*.cmake' -o -name CMakeLists.txt -o -name dev -o -path .ci/run \) -print0 |
    xargs -0 awk 'FNR == 1 { found = 0 }
        FNR <= 2 && /SPDX-License-Identifier: Apache-2\.0/ { found = 1 }
        FNR == 2 && !found { print FILENAME }')
if [ -n "$without" ]; then
    echo "these sources do not name their licence (SPDX); ./dev fmt adds the line:" >&2
    echo "$without" >&2
    exit 1
fi
