#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Source lists are explicit but for kinds of rankings (library/rank/kind_*.c), so a file can be forgotten. Every .c and .cc file and every test script
# must be named in the CMakeLists.txt of its folder or of a folder above it. A test that is never
# built is worse than no test. And every file that docs/architecture.md and docs/notes/constants.md name must be there.
set -euo pipefail
cd "${MILLRACE_SOURCE_DIR:-$(dirname "$0")/..}"

failures=0
# The names that each CMakeLists.txt lists, with its folder before them.
listed=$(mktemp)
trap 'rm -f "$listed"' EXIT
find engine generators formats algorithms library cli bench tests -name CMakeLists.txt | while IFS= read -r list; do
    grep -oE '[A-Za-z0-9_./-]+' "$list" | sed "s|^|$(dirname "$list")/|"
done >"$listed"
while IFS= read -r source; do
    echo "$source is not listed in the CMakeLists.txt of its folder" >&2
    failures=1
done < <(find engine generators formats algorithms library cli bench tests \
    -name '*.c' -o -name '*.cc' -o -path "tests/*_test.sh" | grep -v '^library/rank/kind_' | grep -vxFf "$listed")
# The map of the house must not lead to files that have moved.
for file in $(grep -ohE '`[a-z0-9_]+/[a-z0-9_/]+\.(c|h|sh)`' docs/architecture.md docs/notes/constants.md | tr -d '`' | sort -u); do
    if [ ! -e "$file" ]; then
        echo "a document names $file, which is not there" >&2
        failures=1
    fi
done
exit $failures
