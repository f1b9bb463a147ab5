#!/usr/bin/env bash
# Interruption, closed pipes, progress on what is no terminal.
. "$(dirname "$0")/lib.sh"

# interrupted SIGNAL CODE ARGUMENT...: a command that waits for its input, a pipe named links, is
# stopped once it has begun to write, and leaves nothing.
interrupted() {
    local signal=$1 expected=$2
    shift 2
    begin "SIG$signal ends with $expected and leaves nothing"
    mkfifo links
    command_line="$* (SIG$signal)"
    "$MILLRACE" "$@" >"$root/stdout" 2>"$root/stderr" &
    local pid=$!
    exec 9>links
    printf '1 2\n' >&9
    for _ in $(seq 100); do
        [ -n "$(find . -name '*.mill*' -print -quit)" ] && break
        sleep 0.05
    done
    sleep 0.2
    kill "-$signal" "$pid"
    wait "$pid"
    code=$?
    exec 9>&-
    exits "$expected"
    stdout_is </dev/null
    tail -n 1 "$root/stderr" >last
    file_is last <<<'millrace: interrupted'
    rm last
    only_left links
}

# A script's background commands ignore SIGINT unless job control is on.
set -m
interrupted INT 130 build -o graph.mill --format edges links
interrupted TERM 143 build -o graph.mill --format edges links
interrupted TERM 143 pagerank --format edges links
set +m

begin "a reader that goes away is no error"
run generate kron --scale 14 --edge-factor 4 -o kron.mill --quiet
exits 0
{
    "$MILLRACE" pagerank kron.mill --quiet --tolerance 1e-3 2>"$root/stderr"
    echo $? >code
} | head -n 1 >/dev/null
code=$(cat code)
exits 0
stderr_is </dev/null

begin "a full disk under standard output is an error"
if [ -e /dev/full ]; then
    "$MILLRACE" info "$root/case" >/dev/full 2>/dev/null
    run generate kron --scale 5 -o kron.mill --quiet
    "$MILLRACE" info kron.mill >/dev/full 2>"$root/stderr"
    code=$?
    command_line="info kron.mill >/dev/full"
    exits 1
    stderr_is <<'END'
millrace: standard output: cannot write: No space left on device
END
fi

begin "no progress on what is no terminal, before 30 seconds are over"
run generate kron --scale 10 --edge-factor 4 -o kron.mill --quiet
run pagerank kron.mill --top 1
exits 0
[ "$(wc -l <"$root/stderr")" = 1 ] || fail "more than the certificate: $(cat "$root/stderr")"

finish
