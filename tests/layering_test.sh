#!/usr/bin/env bash
# Dependencies point downwards: engine includes engine only, formats engine and formats, algorithms
# engine and algorithms, library all of these; and everybody includes the public headers, which include one
# another only. What stands in tests (x_test.c) obeys the same rule.
set -euo pipefail
cd "${MILLRACE_SOURCE_DIR:-$(dirname "$0")/..}"

failures=0

# check LAYER ALLOWED...: every quoted include names a file below one of the allowed directories.
check() {
    local layer=$1 allowed
    allowed=$(IFS='|'; echo "$*")
    if grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' -r "$layer" --include='*.[ch]' |
        grep -vE "include[[:space:]]*\"($allowed)/[a-z0-9_/]+\.h\""; then
        echo "^ $layer/ may include only: $*" >&2
        failures=1
    fi
    # With angle brackets a layer would slip through.
    if grep -nE '#[[:space:]]*include[[:space:]]*<(\.\./)*(engine|generators|formats|algorithms|cli|bench|tests)/' \
        -r "$layer" --include='*.[ch]'; then
        echo "^ our own headers are included in quotes" >&2
        failures=1
    fi
}

check include/millrace millrace
check engine tests/support millrace
check generators engine tests/support millrace
check formats engine generators tests/support millrace
check algorithms engine tests/support millrace
check library engine generators formats algorithms tests/support millrace
exit $failures
