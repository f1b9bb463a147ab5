#!/usr/bin/env bash
# Source lists are explicit, so a file can be forgotten. Every .c and .cc below a directory that has a
# CMakeLists.txt must be named in it: a test that is never built is worse than none.
set -euo pipefail
cd "${MILLRACE_SOURCE_DIR:-$(dirname "$0")/..}"

failures=0
for list in engine formats algorithms cli bench tests; do
    while IFS= read -r source; do
        name=${source#"$list"/}
        if ! grep -qE "(^|[[:space:]])${name//./\\.}([[:space:]]|\)|$)" "$list/CMakeLists.txt"; then
            echo "$source is not listed in $list/CMakeLists.txt" >&2
            failures=1
        fi
    done < <(find "$list" -name '*.c' -o -name '*.cc' -o -path "tests/*_test.sh")
done
exit $failures
