#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs/json-fields.md names the fields that the commands print, and no others.
set -euo pipefail
export LC_ALL=C.UTF-8
page=$MILLRACE_SOURCE_DIR/docs/json-fields.md
check=$MILLRACE_SOURCE_DIR/tests/json_fields.py
work=$(mktemp -d "${TMPDIR:-/tmp}/fields.XXXXXX")
trap 'rm -rf "$work"' EXIT

python3 "$check" "$MILLRACE" "$work/fields.json"
python3 "$check" "$work/fields.json" "$page"

# The comparison itself: a field that the page lacks and one that nothing prints are reported.
sed 's/`score_sum`/`sum_of_scores`/' "$page" >"$work/changed.md"
if python3 "$check" "$work/fields.json" "$work/changed.md" 2>"$work/said"; then
    echo "a renamed field was not found" >&2
    exit 1
fi
grep -qx 'pagerank: the page lacks score_sum' "$work/said"
grep -qx 'pagerank: no run has sum_of_scores' "$work/said"
