#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Scrapy and Frontera themselves in the loops of docs/crawlers/scrapy.md, in fewer rounds than those of ./dev clients;
# the newest networkx and pandas.
set -euo pipefail

clients() { python3 -B "$MILLRACE_SOURCE_DIR/tests/clients/clients.py" "$MILLRACE" "$MILLRACE_SOURCE_DIR/build/clients" "$@"; }

# A client that cannot be had is skipped with what helps; a directory without it is an error.
if command -v java >/dev/null; then
    code=0
    said=$(NUTCH='' clients nutch 2>&1) || code=$?
    [[ $code = 77 && $said = *"nutch: skipped: NUTCH is not set. It needs NUTCH=DIRECTORY"* ]] || { echo "$code: $said"; exit 1; }
    code=0
    said=$(NUTCH=/nowhere clients nutch 2>&1) || code=$?
    [[ $code = 1 && $said = *"NUTCH: /nowhere has no bin/nutch"* ]] || { echo "$code: $said"; exit 1; }
fi

NETWORKX=3.6.1 PANDAS=3.1.1 clients --per-round 150 scrapy frontera networkx frames
