#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every source names its licence in its first line, or in the second behind #!. `./dev fmt` adds the
# line where it is missing. The version is the same everywhere.
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

# The version stands in CMakeLists.txt; what cannot read it there repeats it.
version=$(sed -n 's/^project(millrace VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -n "$version" ]
same() {
    [ "$2" = "$version" ] || { echo "$1 has version '$2', CMakeLists.txt $version" >&2 && exit 1; }
}
same CITATION.cff "$(sed -n 's/^version: //p' CITATION.cff)"
same CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)"
if [ -n "${MILLRACE-}" ]; then
    same "millrace version" "$("$MILLRACE" version | sed -n '1s/^millrace \([0-9.]*\),.*/\1/p')"
fi
for key in cff-version message title authors license; do
    grep -q "^$key:" CITATION.cff || { echo "CITATION.cff has no $key" >&2 && exit 1; }
done
repeated=$(grep -rlF "$version" --include='*.[ch]' --include='*.in' --include='*.py' --include='*.toml' --include='*.cmake' \
    cli engine formats algorithms library include bindings cmake examples || true)
[ -z "$repeated" ] || { echo "these repeat the version: $repeated" >&2 && exit 1; }
