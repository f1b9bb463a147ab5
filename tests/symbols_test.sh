#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# libmillrace.so exports exactly the functions that tests/exported_symbols.txt lists. A new public
# function goes into the list. A private function that appears here needs hidden visibility.
set -euo pipefail
cd "${MILLRACE_SOURCE_DIR:-$(dirname "$0")/..}"

list=tests/exported_symbols.txt
exported=$(nm -D --defined-only "$MILLRACE_BUILD_DIR/libmillrace.so" |
    awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort)
LC_ALL=C sort -c -u "$list"
diff --label "$list" --label libmillrace.so -U 0 "$list" - <<<"$exported" || {
    echo "the exported symbols are not those of $list" >&2
    exit 1
}

# Each function is declared in a public header and marked with MR_API.
while IFS= read -r symbol; do
    cat include/millrace/*.h include/millrace/*.h.in | tr -s ' \n' '  ' |
        grep -qE "MR_API [a-z0-9_ ]+[ *]$symbol\(" || {
        echo "$symbol is exported and no header in include/millrace/ declares it" >&2
        exit 1
    }
done <"$list"
[ "$(objdump -p "$MILLRACE_BUILD_DIR/libmillrace.so" | awk '$1 == "SONAME" { print $2 }')" = \
    "libmillrace.so.$(sed -n 's/^project(millrace VERSION \([0-9]*\.[0-9]*\)\..*/\1/p' CMakeLists.txt)" ]
echo "$(wc -l <"$list") exported symbols"
