#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Generated tables and names, through the module for Python over the shared library of the build tree (tests/tables.py).
# More of them, and names and lists: ./dev tables.
set -euo pipefail
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
export OMP_WAIT_POLICY=passive # the graphs are tiny, and threads that spin only take processors
export MILLRACE_LIBRARY=$MILLRACE_BUILD_DIR/libmillrace.so
export PYTHONPATH=$MILLRACE_SOURCE_DIR/bindings/python
[ $# != 0 ] || set -- 300 1 tables
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy' 2>/dev/null; then
        exec "$python" -W ignore "$MILLRACE_SOURCE_DIR/tests/tables.py" "$@"
    fi
done
echo "skipped: no Python with numpy; './dev deps python' installs it"
exit 77
