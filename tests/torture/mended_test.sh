#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What torture found and what is mended, each place of the program once (./dev torture: at more depth): without
# memory `find` missed names, JSON lines, WARC, ARC and WAT files lost links, `info` left out figures, `check` called
# an order damaged, `certify` its .meta.json missing, and CDXJ files crashed. Where a full disk kept results of crawl-rank
# from getting their names, and from giving them back, the next run took them for those of somebody else.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MILLRACE_BUILD_DIR:-$here/../../build/test}
export MILLRACE_FAULTS=$build/tests/libmillrace_faults.so
python3 "$here/torture.py" --quiet --classes enospc '^crawl-rank$'
exec python3 "$here/torture.py" --frames 1 --quiet --classes alloc,eintr,short \
    '^(find|build-jsonl|build-wat-skip|format-(warc|arc|cdxj)|certify-harmonic|info|check-order|pagerank-checkpoint|pagerank-resume)$'
