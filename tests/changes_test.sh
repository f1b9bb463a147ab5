#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `compare --changes` calls proven, beside dense solutions of both graphs (tests/changes.py).
set -euo pipefail
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
exec python3 "$MILLRACE_SOURCE_DIR/tests/changes.py" "$MILLRACE" "$@"
