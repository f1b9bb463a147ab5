# SPDX-License-Identifier: Apache-2.0
# Helpers of the command line tests: source this, then
#
#     begin "what is shown"         a fresh directory to work in
#     run pagerank links.txt        runs millrace; standard input is that of `run`, or empty
#     exits 0                       checks the exit code,
#     stdout_is <<'END'             the whole of standard output,
#     stderr_is <<'END'             the whole of standard error, times and sizes as T and SIZE,
#     file_is FILE <<'END'          and the whole of a file.
#     finish                        at the end: exit code of the script
#
# Every failure is printed with the command that failed and counted; the script goes on.
# CTest says which program to run in MILLRACE; by hand it is that of the release build.

set -uo pipefail
export LC_ALL=C
unset NO_COLOR OMP_NUM_THREADS

tests_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
MILLRACE=${MILLRACE:-$tests_dir/../../build/release/cli/millrace}
if [ ! -x "$MILLRACE" ]; then
    echo "no program $MILLRACE; build it first (./dev build)" >&2
    exit 1
fi
root=$(mktemp -d "${TMPDIR:-/tmp}/cli.XXXXXX")
trap 'rm -rf "$root"' EXIT
failures=0
case_name=
command_line=
code=

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n  millrace %s\n  %s\n' "$case_name" "$command_line" "$*" >&2
}

begin() {
    case_name=$1
    rm -rf "$root/case"
    mkdir "$root/case"
    cd "$root/case" || exit 1
}

# Without a redirection of its own, `run` reads nothing: scripts have a terminal when run by hand.
run() {
    command_line=$*
    if [ -t 0 ]; then
        "$MILLRACE" "$@" >"$root/stdout" 2>"$root/stderr" </dev/null
    else
        "$MILLRACE" "$@" >"$root/stdout" 2>"$root/stderr"
    fi
    code=$?
}

exits() {
    [ "$code" = "$1" ] || fail "exit code $code instead of $1; $(cat "$root/stderr")"
}

# eventually COMMAND...: waits until the command succeeds. The limit of ten minutes is for what hangs: what takes 0.1 s
# on a quiet machine may take long on a busy one.
eventually() {
    for _ in $(seq 12000); do
        "$@" && return
        sleep 0.05
    done
    fail "never: $*"
}

# Times, sizes and speeds differ from run to run or from version to version of the format.
normalise() {
    sed -E -e 's/[0-9]+(\.[0-9]+)? (bytes|[kKMGT]i?B)\b/SIZE/g' \
        -e 's/[0-9]+\.[0-9]+ bits per link/B bits per link/g' \
        -e 's/[0-9]+\.[0-9] s\b/T s/g' \
        -e 's/(reading|numbering|sorting|writing) [0-9]+\.[0-9]/\1 T/g'
}

# same LABEL ACTUAL-FILE: is it what standard input says?
same() {
    local wanted found
    # Texts without zero bytes are compared without starting a program.
    if IFS= read -r -d '' wanted; then
        { printf '%s\0' "$wanted" && cat; } >"$root/expected"
    else
        [ ! -e "$2" ] || IFS= read -r -d '' found <"$2" || [ "$found" != "$wanted" ] || return 0
        printf '%s' "$wanted" >"$root/expected"
    fi
    if ! diff -u --label expected --label "$1" "$root/expected" "$2" >"$root/diff"; then
        fail "$1 differs:
$(cat "$root/diff")"
    fi
}

stdout_is() {
    same stdout "$root/stdout"
}

stderr_is() {
    local text=
    IFS= read -r -d '' text <"$root/stderr"
    if [[ $text == *[0-9]' '[bkMGT]* || $text == *[0-9].[0-9]* ]]; then
        normalise <"$root/stderr" >"$root/stderr.normalised"
        same stderr "$root/stderr.normalised"
    else # nothing to normalise: no program is started
        same stderr "$root/stderr"
    fi
}

nothing_printed() {
    stdout_is </dev/null
    stderr_is </dev/null
}

file_is() {
    same "$1" "$1"
}

# What the last command printed to standard output, scores rounded to 6 decimals.
scores_are() {
    awk -F '\t' '{ printf "%s %.6f\n", $1, $2 }' "$root/stdout" >"$root/scores"
    same scores "$root/scores"
}

# has FILE TEXT: the text occurs in the file.
has() {
    local text=
    [ ! -e "$1" ] || IFS= read -r -d '' text <"$1"
    [[ "$text" == *"$2"* ]] || grep -qF -- "$2" "$1" || fail "no '$2' in $1: $(head -c 2000 "$1")"
}

lacks() {
    ! grep -qF -- "$2" "$1" || fail "there is '$2' in $1"
}

missing() {
    [ ! -e "$1" ] || fail "$1 is there"
}

# field FILE KEY: the value of a key of the outermost object of indented JSON.
field() {
    local line pattern="^  \"$2\": (.*[^,]),?\$"
    while IFS= read -r line || [ -n "$line" ]; do
        [[ ! $line =~ $pattern ]] || printf '%s\n' "${BASH_REMATCH[1]}"
    done <"$1"
}

field_is() {
    local value
    value=$(field "$1" "$2")
    [ "$value" = "$3" ] || fail "$2 is '$value' instead of '$3' in $1"
}

# Nothing but these names is left in the directory.
only_left() {
    local left expected
    shopt -s dotglob
    left=$(printf '%s\n' *) expected="$*"
    shopt -u dotglob
    [ "${left//$'\n'/ }" = "$expected" ] || expected=$(printf '%s\n' "$@" | sort)
    [ "${left//$'\n'/ }" = "${expected//$'\n'/ }" ] || fail "left: $left; expected: $expected"
}

finish() {
    [ "$failures" = 0 ] || echo "$failures failed" >&2
    exit $((failures > 0))
}
