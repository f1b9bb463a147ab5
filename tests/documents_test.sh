#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sessions in README.md and the tutorials print what stands there, and docs/commands.md and the end of
# docs/json-fields.md are what the program prints. A changed digit is found.
set -euo pipefail

cd "$MILLRACE_SOURCE_DIR"
documents=(README.md docs/tutorial-*.md docs/commands.md docs/json-fields.md)
python3 tests/documents.py "$MILLRACE" . "${documents[@]}"

# The comparison itself: one digit of a score, changed, is reported.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed 's/0\.0087028549957491284/0.0087028549957491289/' README.md >"$work/changed.md"
! cmp -s README.md "$work/changed.md"
if python3 tests/documents.py "$MILLRACE" . "$work/changed.md" 2>"$work/said"; then
    echo "a changed digit was not found" >&2
    exit 1
fi
grep -q 'changed.md: \$ millrace pagerank' "$work/said"
sed 's/are at most 9\.8e-11/are at most 1.1e-10/' docs/tutorial-first-ranking.md >"$work/changed.md"
! python3 tests/documents.py "$MILLRACE" . "$work/changed.md" 2>"$work/said"
grep -q 'changed.md: the text says 1.1e-10' "$work/said"

sed 's/^| `--damping A` |/| `--dampnig A` |/' docs/commands.md >"$work/changed.md"
! cmp -s docs/commands.md "$work/changed.md"
! python3 tests/documents.py "$MILLRACE" . "$work/changed.md" 2>"$work/said"
grep -q '^-| `--dampnig A` |' "$work/said"

# Every link between documents leads somewhere.
python3 tests/document_links.py .
cp README.md "$work/README.md"
if python3 tests/document_links.py "$work" 2>"$work/said"; then
    echo "links that lead nowhere were not found" >&2
    exit 1
fi
grep -q 'README.md: no docs/index.md' "$work/said"
