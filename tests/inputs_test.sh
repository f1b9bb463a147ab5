#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# 369 inputs as other programs and people write them: tables, lists that are no pairs, mixes of formats, archives,
# URLs, lists of pages. Each gives the right graph or a refusal.
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/inputs.py" "$MILLRACE"
