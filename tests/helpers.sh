# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Helpers for the scripts in this directory that run the program. A script sources this file. It
# changes into a temporary directory, which is removed at the end, and defines
#
#     fail TEXT...               print TEXT, count the failure, go on
#     must COMMAND...            run millrace; end the script if it fails
#     field FILE KEY             the value of a key of indented JSON
#     same ACTUAL EXPECTED WHAT  check that two files or two directories have the same bytes
#     read_graph OUT FORMAT FILE what tests/formats/read_graph.py reads from a file; also `OUT --weights FORMAT FILE`
#     finish TEXT...             print TEXT and end the script with its exit code
#
# MILLRACE names the program to run; CTest sets it. The default is the release build.

set -euo pipefail
export LC_ALL=C
unset NO_COLOR OMP_NUM_THREADS

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sources=${MILLRACE_SOURCE_DIR:-$here/..}
MILLRACE=${MILLRACE:-$sources/build/release/cli/millrace}
root=$(mktemp -d "${TMPDIR:-/tmp}/millrace.XXXXXX")
trap 'rm -rf "$root"' EXIT
cd "$root"
failures=0

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$*" >&2
}

must() {
    local code=0
    "$MILLRACE" "$@" 2>"$root/stderr" || code=$?
    if [ $code != 0 ]; then
        printf 'FAILED: exit code %d: millrace %s\n' $code "$*" >&2
        cat "$root/stderr" >&2
        exit 1
    fi
}

field() {
    sed -nE "s/^ *\"$2\": \"?([^\",]*)\"?,?\$/\1/p" "$1" | head -n 1
}

same() {
    if ! diff -rq "$1" "$2" >"$root/diff" 2>&1; then
        fail "$3: $(cat "$root/diff")"
    fi
}

# One Python reads all files of a script: to start one takes longer than to read.
read_graph() {
    local said= IFS=$'\t'
    if [ -z "${GRAPHS_PID-}" ]; then
        coproc GRAPHS { exec python3 "$sources/tests/formats/read_graph.py" --serve; }
    fi
    printf '%s\n' "$*" >&"${GRAPHS[1]}"
    read -r said <&"${GRAPHS[0]}" || true
    [ "$said" = ok ] || fail "read_graph.py ${*:2}: $said"
}

finish() {
    if [ $failures != 0 ]; then
        echo "$failures failed" >&2
        exit 1
    fi
    echo "$*"
    exit 0
}
