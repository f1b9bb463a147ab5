# shellcheck shell=bash
# Helpers of the scripts in this directory that run the program. Source it: it changes into a directory
# of its own, removed in the end, and defines
#
#     fail TEXT...               say so, count it, go on
#     must COMMAND...            run millrace; the script ends when that fails
#     field FILE KEY             the value of a key of indented JSON
#     same ACTUAL EXPECTED WHAT  the same bytes, of two files or two directories
#     finish TEXT...             TEXT and the end of the script, with its exit code
#
# CTest says which program to run in MILLRACE; by hand it is that of the release build.

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

finish() {
    if [ $failures != 0 ]; then
        echo "$failures failed" >&2
        exit 1
    fi
    echo "$*"
    exit 0
}
