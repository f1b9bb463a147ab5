#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sessions in README.md, the tutorials and the guides print what stands there, and docs/commands.md and the end of
# docs/json-fields.md are what the program prints. A changed digit is found.
set -euo pipefail

cd "$MILLRACE_SOURCE_DIR"
documents=(README.md docs/tutorial-*.md docs/{seo,spam,packages,wikipedia,commands,json-fields}.md)
python3 tests/documents.py "$MILLRACE" . "${documents[@]}"

# README's first screen runs as it stands, in a copy of this tree whose build is done, and shows a terminal what stands
# there. The demo ends with these ranks and with a command that runs.
first_screen() {
    mkdir "$work/bin"
    echo 'mkdir "$3" && cp -r "$MILLRACE_SOURCE_DIR"/dev "$MILLRACE_SOURCE_DIR"/examples "$3"' >"$work/bin/git"
    echo 'mkdir -p build/release/cli && ln -sf "$MILLRACE" build/release/cli/millrace' >"$work/bin/cmake"
    echo 'echo installed' >"$work/bin/dpkg-query"
    chmod +x "$work"/bin/*
    sed -n '/^```sh$/,/^```$/{/^```/d;p};/^```$/q' README.md >"$work/screen"
    sed -n '/^ *score /,/ proven to /p' README.md >"$work/stands_there"
    (cd "$work" && PATH=$work/bin:$PATH TERM=dumb script -qec "bash -ex screen" /dev/null </dev/null) | tr -d '\r' >"$work/shown"
    sed -n '/^ *score /,/ proven to /p' "$work/shown" >"$work/tables"
    diff "$work/stands_there" <(tail -n 12 "$work/tables")
    diff "$work/stands_there" <(head -n 12 "$work/tables")
    (cd "$work/millrace" && bash -ec "$(sed -n 's/^Next: //p' "$work/shown")" && grep -q postgresql build/demo/report.html)
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
first_screen

# The comparison itself: one digit of a score, changed, is reported.
sed 's/0\.008702854995749128/0.008702854995749129/' README.md >"$work/changed.md"
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
