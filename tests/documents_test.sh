#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sessions in README.md and the tutorials print what stands there. A changed digit is found.
set -euo pipefail

cd "$MILLRACE_SOURCE_DIR"
documents=(README.md docs/tutorial-*.md)
python3 tests/documents.py "$MILLRACE" . "${documents[@]}"

# The comparison itself: one digit of a score, changed, is reported.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed 's/0\.0087027515782706674/0.0087027515782706679/' README.md >"$work/changed.md"
! cmp -s README.md "$work/changed.md"
if python3 tests/documents.py "$MILLRACE" . "$work/changed.md" 2>"$work/said"; then
    echo "a changed digit was not found" >&2
    exit 1
fi
grep -q 'changed.md: \$ millrace pagerank' "$work/said"

# Every link between documents leads somewhere.
bad=0
while IFS=: read -r file target; do
    target=${target%%#*}
    if [ -n "$target" ] && [ ! -e "$(dirname "$file")/$target" ]; then
        echo "$file: no $target" >&2
        bad=1
    fi
done < <(grep -oE '\]\([^)]*\)' README.md CONTRIBUTING.md docs/*.md docs/*/*.md |
    sed -E 's/:\]\((.*)\)$/:\1/' | grep -vE ':(https?|mailto):')
exit $bad
