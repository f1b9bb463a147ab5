#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every option that a command lists is accepted by it and means one thing in it; every option that a document names
# exists, and the comparison itself finds one that does not.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$MILLRACE_SOURCE_DIR"
work=$(mktemp -d "${TMPDIR:-/tmp}/options.XXXXXX")
trap 'rm -rf "$work"' EXIT

python3 tests/option_tables.py accepted "$MILLRACE"
python3 tests/option_tables.py named "$MILLRACE" README.md CONTRIBUTING.md docs/*.md docs/crawlers/*.md

printf 'Say `millrace info g.mill --damping 0.5`, or `--dampnig`.\n' >"$work/wrong.md"
if python3 tests/option_tables.py named "$MILLRACE" "$work/wrong.md" 2>"$work/said"; then
    echo "a wrong option was not found" >&2
    exit 1
fi
grep -q -- '--damping is no option of info' "$work/said"
grep -q -- '--dampnig is no option of any command' "$work/said"
