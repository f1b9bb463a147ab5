#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# 318 files that are no lists of links: each is refused by what it is, and each command of the message gives the links
# of the very file, or is refused.
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/advice.py" "$MILLRACE"
