#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kills commands with kill -9 at random moments. The output under its final name must be complete,
# the old one or the new one. Other files that are left must not disturb: the next run removes them
# and gives the same bytes as always.
# MILLRACE_CRASH_SEED=N repeats a run, as far as moments can be repeated. MILLRACE_CRASH_TRIALS=N
# kills each command N times, not once; more than 2 take larger graphs (./dev crash). MILLRACE_CRASH_ONLY=REGEX
# tries only commands that match.
# shellcheck source=tests/helpers.sh
. "$(dirname "$0")/helpers.sh"

trials=${MILLRACE_CRASH_TRIALS:-1}
# 2^scale pages and, for what is made out of core, 2^large.
scale=14 large=17
[ "$trials" -le 2 ] || scale=16 large=18
only=${MILLRACE_CRASH_ONLY:-.}
seed=${MILLRACE_CRASH_SEED:-$RANDOM}
RANDOM=$seed
# Moments and outputs that are there before take turns; where they begin is chosen.
phase=$((RANDOM % 4))
n_trials=0 n_killed=0 n_old=0 n_absent=0 n_new=0

# The time in microseconds.
now() {
    echo $((${EPOCHREALTIME/./}))
}

# Prints a moment in a command that takes $1 microseconds, in seconds. For an even $2 it is
# anywhere; for an odd $2 it is in the last fifth, where files are published.
moment() {
    local share=$((RANDOM << 15 | RANDOM)) micros
    if [ $(($2 % 2)) = 1 ]; then
        micros=$(($1 * 4 / 5 + share % ($1 / 5)))
    else
        micros=$((1000 + share % $1))
    fi
    printf '%d.%06d' $((micros / 1000000)) $((micros % 1000000))
}

# Runs "$@" and kills it after $seconds. Sets code, which is 0 if the command ended by itself. Such
# a command may have had more of the machine than the run that set $duration; then $duration was too
# long.
kill_after() {
    local began elapsed
    code=0
    began=$(now)
    timeout --foreground --signal=KILL "$seconds" "$MILLRACE" "$@" --quiet \
        >/dev/null 2>"$root/stderr" || code=$?
    elapsed=$(($(now) - began))
    n_trials=$((n_trials + 1))
    case $code in
    0 | 124) # 124: it ended by itself just as the time was up
        code=0
        [ $elapsed -ge $duration ] || duration=$elapsed
        ;;
    137)
        n_killed=$((n_killed + 1))
        killed=$((killed + 1))
        ;;
    *) fail "$*: exit code $code: $(cat "$root/stderr")" ;;
    esac
}

# Succeeds if trial $1 is needed: until $trials commands were killed, or 4 * $trials trials were
# made.
goes_on() {
    [ $killed -lt "$trials" ] && [ "$1" -lt $((4 * trials)) ]
}

# Prints which of $old and $new the output is, or absent, or broken. A killed writer leaves its lock
# file in a store; this file is ignored.
state() {
    if [ ! -e "work/$output" ]; then
        echo absent
    elif diff -rq -x LOCK "work/$output" "$new" >/dev/null 2>&1; then
        echo new
    elif diff -rq -x LOCK "work/$output" "$old" >/dev/null 2>&1; then
        echo old
    else
        echo broken
    fi
}

check_whole() {
    case $output in
    *.mill)
        "$MILLRACE" check --full --quiet "work/$output" >/dev/null 2>"$root/stderr" ||
            fail "$*: check: $(cat "$root/stderr")"
        ;;
    esac
    # A small text file is written in one call, so it is complete or absent.
    if [ -e "work/$output.meta.json" ] && [ "$(tail -n 1 "work/$output.meta.json")" != "}" ]; then
        fail "$*: half of $output.meta.json"
    fi
}

# One trial: kills millrace $@ after $1 seconds. $before is the output before it: absent or old.
trial() {
    local seconds=$1 code found left
    shift
    rm -rf work
    mkdir work
    [ "$before" = absent ] || cp -r "$old" "work/$output"
    kill_after "$@"
    found=$(state)
    case $found in
    old) n_old=$((n_old + 1)) ;;
    new) n_new=$((n_new + 1)) ;;
    absent) n_absent=$((n_absent + 1)) ;;
    esac
    if [ "$found" != new ] && { [ "$found" != "$before" ] || [ $code = 0 ]; }; then
        fail "millrace $*: killed after $seconds s: $output was $before and is $found"
    fi
    [ "$found" = absent ] || check_whole "killed after $seconds s: millrace $*"
    left=$(ls work)

    must "$@" --force --quiet
    same "work/$output" "$new" "run again after a kill after $seconds s: millrace $*"
    for name in work/*; do
        case $name in
        "work/$output" | "work/$output.meta.json") ;;
        *) fail "left after running again: ${name#work/}; after the kill: $left" ;;
        esac
    done
}

# crash OUTPUT OLD NEW COMMAND...: trials of a command that writes work/OUTPUT. Without a kill the
# output is NEW.
crash() {
    output=$1 old=$2 new=$3
    shift 3
    local began duration i killed=0
    [[ $1 =~ $only ]] || return 0
    rm -rf work
    mkdir work
    began=$(now)
    must "$@" --quiet
    duration=$(($(now) - began))
    same "work/$output" "$new" "undisturbed: millrace $*"
    for ((i = 0; ; i++)); do
        goes_on $i || break
        before=absent
        if [ $(((i + phase) % 4)) -ge 2 ]; then
            before=old
            trial "$(moment $duration $((i + phase)))" "$@" --force
        else
            trial "$(moment $duration $((i + phase)))" "$@"
        fi
    done
    echo "$1: $killed kills in $i trials of $((duration / 1000)) ms"
}

# Succeeds if the results in folder $1 are those in $2. Files with times and commands are not
# compared, nor those of a run that is not finished.
same_results() {
    diff -rq -x LOCK -x '*.meta.json' -x '*.tmp-*' -x release.json -x crawl-rank.json -x _millrace_unfinished \
        "$1" "$2" >"$root/differs" 2>&1
}

# folder OLD NEW COMMAND...: trials of a command that writes a folder of results, work/out, that is
# NEW without a kill. While work/out/_SUCCESS is there, all results are OLD or all are NEW. The same
# command, with --force where results are there, makes NEW then.
folder() {
    local began duration i seconds code before found force old=$1 new=$2 killed=0
    shift 2
    [[ "$1 $2" =~ $only ]] || return 0
    for ((i = -1; ; i++)); do
        goes_on $i || break
        rm -rf work
        mkdir work
        before=absent
        [ $i -lt 0 ] || [ $(((i + phase) % 4)) -lt 2 ] || before=old
        [ $before = absent ] || cp -r "$old" work/out
        if [ $i -lt 0 ]; then
            began=$(now)
            must "$@" --quiet >/dev/null
            duration=$(($(now) - began))
            same_results work/out "$new" || fail "undisturbed: millrace $*: $(cat "$root/differs")"
            continue
        fi
        seconds=$(moment $duration $((i + phase)))
        if [ $before = old ]; then kill_after "$@" --force; else kill_after "$@"; fi
        found=absent
        if [ ! -e work/out/_SUCCESS ]; then
            n_absent=$((n_absent + 1))
        elif same_results work/out "$new"; then
            found=new n_new=$((n_new + 1))
        elif same_results work/out "$old"; then
            found=old n_old=$((n_old + 1))
        else
            fail "millrace $*: killed after $seconds s: results of two runs: $(cat "$root/differs")"
        fi
        [ $code != 0 ] || [ $found = new ] || fail "millrace $*: work/out is $found"
        force=--force
        if [ $before = absent ] && [ $found = absent ] && [ "$1" != export ]; then force=; fi
        # shellcheck disable=SC2086
        must "$@" $force --quiet >/dev/null
        same_results work/out "$new" || fail "run again after a kill after $seconds s: millrace $*: $(cat "$root/differs")"
        [ -e work/out/_SUCCESS ] || fail "run again after a kill after $seconds s: millrace $*: no _SUCCESS"
        find work -name '*.tmp-*' -o -name _millrace_unfinished >"$root/left"
        [ ! -s "$root/left" ] || fail "left after running again: $(cat "$root/left")"
        [ "$(ls work)" = out ] || fail "left after running again: $(ls work)"
    done
    echo "$1 $2: $killed kills in $i trials of $((duration / 1000)) ms"
}

# change OLD NEW COMMAND...: trials of a command that turns work/graph.mill from OLD into NEW. After
# a kill the store is complete and has the id of one of them; unused files may be in it.
change() {
    local began duration i seconds code old_id new_id id killed=0
    old=$1 new=$2
    shift 2
    [[ $1 =~ $only ]] || return 0
    must info "$old" --json >"$root/info"
    old_id=$(field "$root/info" store_id)
    must info "$new" --json >"$root/info"
    new_id=$(field "$root/info" store_id)
    for ((i = -1; ; i++)); do
        goes_on $i || break
        rm -rf work
        mkdir work
        cp -r "$old" work/graph.mill
        began=$(now)
        if [ $i -lt 0 ]; then
            must "$@" --quiet
            duration=$(($(now) - began))
            same work/graph.mill "$new" "undisturbed: millrace $*"
            continue
        fi
        seconds=$(moment $duration $((i + phase)))
        kill_after "$@"
        "$MILLRACE" check --full --quiet work/graph.mill 2>"$root/stderr" ||
            fail "$*: killed after $seconds s: check: $(cat "$root/stderr")"
        must info work/graph.mill --json >"$root/info"
        id=$(field "$root/info" store_id)
        case $id in
        "$old_id") n_old=$((n_old + 1)) ;;
        "$new_id") n_new=$((n_new + 1)) ;;
        *) fail "$*: killed after $seconds s: store $id, which is neither $old_id nor $new_id" ;;
        esac
        must "$@" --quiet
        same work/graph.mill "$new" "run again after a kill after $seconds s: millrace $*"
        [ "$(ls work)" = graph.mill ] || fail "left after running again: $(ls work)"
    done
    echo "$1: $killed kills in $i trials of $((duration / 1000)) ms"
}

must generate kron --scale 11 --random-seed 2 -o old.mill --quiet
must generate kron --scale $scale --random-seed 1 -o kron.mill --quiet
must export kron.mill --to u32 -o - |
    od -An -v -t u4 -w8 | awk '{ print 10 * $1 + 1, 10 * $2 + 1 }' >links.txt
must build -o sparse.mill links.txt --quiet
must pagerank kron.mill --damping 0.5 -o old.tsv --quiet
must pagerank kron.mill -o new.tsv --quiet

crash graph.mill old.mill sparse.mill build links.txt -o work/graph.mill
crash graph.mill old.mill kron.mill generate kron --scale $scale --random-seed 1 -o work/graph.mill
# A build out of core, in pieces, through temporary files.
must generate kron --scale $large --random-seed 3 -o large.mill --quiet
must export large.mill --to u32 -o - |
    od -An -v -t u4 -w8 | awk '{ print 10 * $1 + 1, 10 * $2 + 1 }' >large.txt
must build -o large-sparse.mill large.txt --quiet
must transpose large.mill -o reversed.mill --quiet
crash graph.mill old.mill large-sparse.mill build large.txt --memory 48M -o work/graph.mill
# A build from names.
sed 's/[0-9][0-9]*/http:\/\/h&.example\/&/g' links.txt >urls.txt
must build -o urls.mill urls.txt --columns source-target --quiet
crash graph.mill old.mill urls.mill build urls.txt --columns source-target -o work/graph.mill
crash graph.mill old.mill reversed.mill transpose large.mill --memory 48M -o work/graph.mill
awk 'NR % 3 > 0' large.txt >most.txt
awk 'NR % 3 == 0 || NR % 10 == 0' large.txt >more.txt
must build -o base.mill most.txt --quiet
cp -r base.mill appended.mill
must append appended.mill more.txt --quiet
change base.mill appended.mill append work/graph.mill more.txt --memory 48M
# An append with new names between the old ones, which writes the whole store again.
awk 'NR % 3 > 0' urls.txt >most-urls.txt
awk 'NR % 3 == 0 || NR % 10 == 0' urls.txt >more-urls.txt
must build -o classes.mill most-urls.txt --columns source-target --classes host --quiet
must build -o all-classes.mill urls.txt --columns source-target --classes host --quiet
change classes.mill all-classes.mill append work/graph.mill more-urls.txt --columns source-target
# Folders of results.
must export classes.mill --shards 3 -o parts --quiet
must export all-classes.mill --shards 3 -o more-parts --quiet
folder parts more-parts export all-classes.mill --shards 3 -o work/out
must crawl-rank most-urls.txt --columns source-target -o crawled --quiet
must crawl-rank urls.txt --columns source-target -o more-crawled --quiet
folder crawled more-crawled crawl-rank urls.txt --columns source-target -o work/out
must release classes.mill --log2m 4 -o released --quiet >/dev/null
must release all-classes.mill --log2m 4 -o more-released --quiet >/dev/null
folder released more-released release all-classes.mill --log2m 4 -o work/out
crash scores.tsv old.tsv new.tsv pagerank kron.mill -o work/scores.tsv

[ $n_killed -gt 0 ] || fail "nothing was ever killed in time"
finish "seed $seed: $n_killed of $n_trials killed; left: $n_absent nothing, $n_old the old, $n_new the new"
