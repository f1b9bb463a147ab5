#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Interruption, closed pipes, progress on what is no terminal.
. "$(dirname "$0")/lib.sh"

# contains DIRECTORY PATTERN: the directory has a file of that name.
contains() {
    [ -n "$(find "$1" -name "$2" -print -quit)" ]
}

# ended PROCESS: the process does not run any more.
ended() {
    ! kill -0 "$1" 2>/dev/null
}

# interrupted SIGNAL CODE ARGUMENT...: a command that waits for its input, a pipe named links, is
# stopped once it has begun to write, and leaves nothing.
interrupted() {
    local signal=$1 expected=$2
    shift 2
    begin "SIG$signal ends with $expected and leaves nothing"
    mkfifo links
    command_line="$* (SIG$signal)"
    TMPDIR=. "$MILLRACE" "$@" >"$root/stdout" 2>"$root/stderr" &
    local pid=$!
    exec 9>links
    seq 2000000 | sed 's/$/ 1/' >&9 # more than --memory holds
    eventually contains . 'graph.mill*'
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
interrupted INT 130 build -o graph.mill --memory 32Mi --format edges links
interrupted TERM 143 build -o graph.mill --memory 32Mi --format edges links
interrupted HUP 129 build -o graph.mill --memory 32Mi --format edges links
interrupted TERM 143 pagerank --memory 32Mi --format edges links
interrupted HUP 129 hits --memory 32Mi --format edges links
set +m

begin "what-if leaves neither its copy nor another store behind"
mkfifo links
seq 300 | awk '{ print $1, $1 * 7 % 300 }' >few.txt
run build few.txt -o g.mill --quiet
cp -r g.mill kept
TMPDIR=. "$MILLRACE" pagerank g.mill --what-if links --quiet >"$root/stdout" 2>"$root/stderr" &
pid=$!
exec 9>links
seq 20000 | sed 's/$/ 1/' >&9
eventually contains . 'what-if.mill*'
kill -TERM "$pid"
wait "$pid"
code=$?
exec 9>&-
exits 143
diff -r g.mill kept >/dev/null || fail "the store has changed"
only_left few.txt g.mill kept links

begin "SIGUSR1 prints the progress, with --quiet too, and the run goes on"
seq 3000 | awk '{ print $1, $1 * 7 % 3000 }' >links.txt
"$MILLRACE" build links.txt -o g.mill --quiet
"$MILLRACE" opic g.mill --sweeps 1000000 -o scores.tsv --quiet 2>"$root/stderr" &
pid=$!
for _ in $(seq 100); do # the handler is there a moment after the start
    sleep 0.05
    kill -USR1 $pid 2>/dev/null && grep -q 'millrace: rank' "$root/stderr" && break
done
command_line="opic (SIGUSR1)"
has "$root/stderr" "millrace: rank"
kill -TERM $pid
wait $pid
code=$?
exits 143
rm -f links.txt scores.tsv.checkpoint
rm -r g.mill

begin "--log-json: a run that is stopped has objects alone, SIGUSR1 asks for one, and its end says why"
seq 3000 | awk '{ print $1, $1 * 7 % 3000 }' >links.txt
"$MILLRACE" build links.txt -o g.mill --quiet
"$MILLRACE" opic g.mill --sweeps 1000000 -o scores.tsv --quiet --log-json 2>"$root/stderr" &
pid=$!
for _ in $(seq 100); do
    sleep 0.05
    kill -USR1 $pid 2>/dev/null && grep -q '"stage": "rank"' "$root/stderr" && break
done
kill -TERM $pid
wait $pid
code=$?
command_line="opic --log-json"
exits 143
python3 - "$root/stderr" <<'END' || fail "$(cat "$root/stderr")"
import json, sys, datetime
*lines, last = open(sys.argv[1])
assert last == "millrace: interrupted\n", last
lines = [json.loads(line) for line in lines]
assert {line["event"] for line in lines[:-1]} == {"progress"}, lines
for line in lines:
    assert line["seconds"] > 0 and datetime.datetime.fromisoformat(line["time"].replace("Z", "+00:00")), line
assert lines[-2]["stage"] == "rank" and lines[-2]["passes"] > 0 and 0 < lines[-2]["share"] < 1, lines[-2]
end = {key: lines[-1][key] for key in ("event", "command", "exit_code", "error")}
assert end == {"event": "end", "command": "opic", "exit_code": 143, "error": "interrupted"}, end
assert lines[-1]["peak_rss_bytes"] > 1 << 20, lines[-1]
END
rm -f links.txt scores.tsv.checkpoint
rm -r g.mill

begin "--log-json: notes and summaries are messages, which --quiet leaves out"
printf 'a b\nb a\n' >few.txt
run build few.txt -o g.mill --log-json
exits 0
sed -E 's/"time": "[0-9TZ:-]+"/"time": T/; s/"(seconds|peak_rss_bytes)": [0-9.e-]+/"\1": N/g; s/ [0-9.]+ (kB|s)\b/ N \1/g; s/ing [0-9.]+/ing N/g' \
    "$root/stderr" >lines
file_is lines <<'END'
{"time": T, "event": "message", "text": "note: few.txt holds names, read as source, then target; if the target comes first, say --columns target-source"}
{"time": T, "event": "message", "text": "2 lines: 2 links, 0 comments and blanks, 0 bad"}
{"time": T, "event": "message", "text": "2 pages, 0 of them dangling; 2 links; 0 duplicates merged, 0 self-loops"}
{"time": T, "event": "message", "text": "g.mill: N kB, 16384.00 bits per link, N s (reading N, numbering N, sorting N, writing N)"}
{"time": T, "event": "end", "command": "build", "exit_code": 0, "seconds": N, "peak_rss_bytes": N}
END
run pagerank g.mill -o scores.tsv --log-json --quiet
exits 0
[ "$(grep -c '"event": "end", "command": "pagerank", "exit_code": 0' "$root/stderr")" = 1 ] && [ "$(wc -l <"$root/stderr")" = 1 ] ||
    fail "$(cat "$root/stderr")"
rm -r g.mill few.txt lines scores.tsv*

begin "more threads than processors are capped, with a note"
printf '1 2\n2 1\n' >few.txt
run pagerank few.txt --threads 1000
exits 0
has "$root/stderr" "note: --threads 1000: "
rm few.txt

begin "nohup is obeyed"
mkfifo links
(
    trap '' HUP
    exec "$MILLRACE" build -o graph.mill --format edges links --quiet
) &
pid=$!
exec 9>links
printf '1 2\n' >&9
sleep 0.3
kill -HUP $pid
exec 9>&-
wait $pid
code=$?
command_line="build (with nohup)"
exits 0
only_left graph.mill links

begin "what kill -9 leaves is removed by the next run, and never in the working directory"
mkdir tmp work
mkfifo links
printf '1 2\n' >plain.txt
for command in pagerank "ppr --seed 1" hits "convert links out.sg"; do
    # shellcheck disable=SC2086
    set -- $command
    [ "$1" = convert ] || set -- "$@" ../links
    [ "$1" != convert ] || set -- convert ../links ../out.sg
    for _ in 1; do
        (cd work && TMPDIR=../tmp exec "$MILLRACE" "$@" --format edges >/dev/null 2>&1) &
        pid=$!
        exec 9>links
        printf '1 2\n' >&9
        eventually contains tmp 'millrace-work-*'
        kill -9 $pid
        wait $pid 2>/dev/null
        exec 9>&-
        [ "$(ls tmp | wc -l)" = 1 ] || fail "$command: $(ls tmp | wc -l) names are left in tmp"
        [ -z "$(ls -A work)" ] || fail "$command: in the working directory: $(ls -A work)"
    done
    TMPDIR=tmp run pagerank plain.txt --quiet
    exits 0
    [ -z "$(ls -A tmp)" ] || fail "$command: the next run leaves $(ls -A tmp)"
done

begin "the temporary store of a live process stays, whatever its number"
mkdir tmp
mkfifo links
TMPDIR=tmp "$MILLRACE" pagerank --format edges links --quiet >"$root/live" 2>&1 &
pid=$!
exec 9>links
printf '1 2\n' >&9
eventually contains tmp 'millrace-work-*'
printf '1 2\n' >plain.txt
TMPDIR=tmp run pagerank plain.txt --quiet
exits 0
[ "$(ls tmp | wc -l)" = 1 ] || fail "left in tmp: $(ls tmp)"
exec 9>&-
wait $pid || fail "the live process: $(cat "$root/live")"
[ -z "$(ls -A tmp)" ] || fail "left in tmp: $(ls -A tmp)"

begin "a limit of file sizes is an error, and nothing is left"
(
    ulimit -f 100
    exec "$MILLRACE" generate kron --scale 14 -o kron.mill --quiet
) 2>"$root/stderr"
code=$?
command_line="generate kron (ulimit -f 100)"
exits 5
has "$root/stderr" "raise the limit of file sizes (ulimit -f)"
[ -z "$(ls -A)" ] || fail "left: $(ls -A)"

begin "a reader that goes away ends the run without a message, and not with 0"
run generate kron --scale 14 --edge-factor 4 -o kron.mill --quiet
exits 0
{
    "$MILLRACE" pagerank kron.mill --quiet --tolerance 1e-3 2>"$root/stderr"
    echo $? >code
} | head -n 1 >/dev/null
code=$(cat code)
exits 141
stderr_is </dev/null

begin "a full disk under standard output is an error"
if [ -e /dev/full ]; then
    "$MILLRACE" info "$root/case" >/dev/full 2>/dev/null
    run generate kron --scale 5 -o kron.mill --quiet
    "$MILLRACE" info kron.mill >/dev/full 2>"$root/stderr"
    code=$?
    command_line="info kron.mill >/dev/full"
    exits 5
    stderr_is <<'END'
millrace: standard output: cannot write: No space left on device
END
fi

begin "help that cannot be written is an error"
for command in --help "help build" "build --help" --version; do
    if [ -e /dev/full ]; then
        # shellcheck disable=SC2086
        "$MILLRACE" $command >/dev/full 2>"$root/stderr"
        code=$?
        command_line="$command >/dev/full"
        exits 5
        stderr_is <<'END'
millrace: standard output: cannot write: No space left on device
END
    fi
done

# stopped COMMAND: one SIGTERM ends the command, which waits for a pipe.
stopped() {
    local pid
    command_line=$*
    "$MILLRACE" "$@" >"$root/stdout" 2>"$root/stderr" </dev/null &
    pid=$!
    sleep 0.4
    kill -TERM $pid 2>/dev/null
    eventually ended $pid
    kill -9 $pid 2>/dev/null
    wait $pid
    code=$?
    exits 143
}

begin "one signal ends what waits for a pipe"
run generate kron --scale 8 --edge-factor 4 -o kron.mill --quiet
mkfifo pipe
stopped pagerank pipe
stopped build -o new.mill pipe
stopped build -o new.mill pipe --format u32
stopped pagerank kron.mill --quiet -o pipe
stopped pagerank kron.mill --quiet --teleport pipe
stopped ppr kron.mill --quiet --seeds pipe
stopped precedence pipe -o levels.txt
stopped hosts kron.mill --scores pipe
stopped export kron.mill --quiet --to edges -o pipe
only_left kron.mill pipe

begin "one signal ends what waits for a full pipe"
run generate kron --scale 14 -o kron.mill --quiet
mkfifo pipe
sleep 3600 <pipe &
sleeper=$!
command_line="export kron.mill --to edges -o - >pipe"
"$MILLRACE" export kron.mill --to edges -o - --quiet >pipe 2>"$root/stderr" &
pid=$!
sleep 0.5
kill -TERM $pid
wait $pid
code=$?
exits 143
kill $sleeper 2>/dev/null

begin "a pipe instead of a file of a store is refused at once"
run generate kron --scale 8 --edge-factor 4 -o kron.mill --quiet
for file in kron.mill/*; do
    mv "$file" kept
    mkfifo "$file"
    for command in "pagerank kron.mill" "check kron.mill --full"; do
        # shellcheck disable=SC2086
        run $command --quiet
        exits 3
        has "$root/stderr" "$file: is a pipe or a device; a regular file is needed here"
    done
    rm "$file"
    mv kept "$file"
done

begin "what goes through a pipe is whole"
printf '1 2\n2 3\n3 1\n1 3\n' >links.txt
run pagerank links.txt --quiet
cp "$root/stdout" expected
mkfifo pipe
(
    printf '1 2\n2 3\n'
    sleep 0.5
    printf '3 1\n1 3\n'
) >pipe &
run pagerank pipe --quiet
exits 0
cmp -s expected "$root/stdout" || fail "other scores through a pipe"
run generate kron --scale 14 -o kron.mill --quiet
run export kron.mill --to edges -o edges.txt --quiet
cat pipe >through &
reader=$!
run export kron.mill --to edges -o pipe --quiet
exits 0
wait $reader
cmp -s edges.txt through || fail "other bytes through a pipe"

begin "no progress on what is no terminal, before 30 seconds are over"
run generate kron --scale 10 --edge-factor 4 -o kron.mill --quiet
run pagerank kron.mill --top 1
exits 0
[ "$(wc -l <"$root/stderr")" = 1 ] || fail "more than the certificate: $(cat "$root/stderr")"

finish
