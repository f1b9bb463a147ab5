#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ranks a graph whose links take four times the memory. Checks this with the program's own figures,
# and then inside a memory cgroup, which counts the page cache too.
#
#     tests/outofcore.sh [SCALE [DIRECTORY]]
#
# SCALE is the scale of the Kronecker graph, by default 23 (2^23 vertices, 16 links per vertex, both
# ways: a store of about 0.7 GB; making it takes about 5 GB more). DIRECTORY holds all files, by
# default a temporary directory; a store that is there is used again. Not part of CI.
set -euo pipefail
export LC_ALL=C

scale=${1:-23}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
MILLRACE=${MILLRACE:-$here/../build/release/cli/millrace}
if [ $# -ge 2 ]; then
    directory=$2
    mkdir -p "$directory"
    clean=()
else
    directory=$(mktemp -d "${TMPDIR:-/tmp}/outofcore.XXXXXX")
    clean=("$directory")
fi
cgroup=
failures=0

# shellcheck disable=SC2317 # called by trap
clean_up() {
    if [ -n "$cgroup" ]; then
        rmdir "$cgroup" 2>/dev/null || true
    fi
    rm -rf ${clean[@]+"${clean[@]}"}
}
trap clean_up EXIT

field() {
    sed -nE "s/^ *\"$2\": \"?([^\",]*)\"?,?\$/\1/p" "$1" | head -n 1
}

row() {
    printf '%-34s %16s %16s  %s\n' "$@"
}

# expect NAME FOUND WANTED CONDITION: prints a row, and whether a comparison of two numbers or words
# is true.
expect() {
    local verdict=ok
    if ! test "$2" "$4" "$3"; then
        verdict=FAILED
        failures=$((failures + 1))
    fi
    row "$1" "$2" "$3" "$verdict"
}

store=$directory/kron-$scale.mill
if [ ! -d "$store" ]; then
    "$MILLRACE" generate kron --scale "$scale" --edge-factor 16 --undirected -o "$store"
fi
"$MILLRACE" info "$store" --json >"$directory/info.json"
links=$(field "$directory/info.json" links_bytes)
memory=$((links / 4))
limit=$(((memory + memory / 10) / 4096 * 4096))

# rank NAME RUNNER...: a ranking, its figures, and its row of checks.
rank() {
    local name=$1 meta=$directory/$1.tsv.meta.json
    shift
    "$@" "$MILLRACE" pagerank "$store" --precision double --acceleration 0 --memory "$memory" \
        -o "$directory/$name.tsv" --force
    printf '\n'
    row "$name" found wanted ""
    row vertices "$(field "$meta" vertices)" "" ""
    row edges "$(field "$meta" edges)" "" ""
    row threads "$(field "$meta" threads)" "" ""
    row seconds "$(printf %.1f "$(field "$meta" seconds)")" "" ""
    row "seconds waiting, all threads" "$(printf %.1f "$(field "$meta" wait_seconds)")" "" ""
    row "error bound" "$(printf %.2g "$(field "$meta" error_bound)")" "" ""
    row "links bytes" "$links" "" ""
    row "pinned bytes" "$(field "$meta" pinned_bytes)" "" ""
    row passes "$(field "$meta" passes)" "" ""
    expect "memory <= links / 4" "$memory" $((links / 4)) -le
    expect "peak RSS <= memory + 10%" "$(field "$meta" peak_rss_bytes)" "$limit" -le
    expect "reads by" "$(field "$meta" io)" io_uring =
    expect "O_DIRECT" "$(field "$meta" direct)" true =
    expect "bytes read = passes x unpinned" "$(field "$meta" bytes_read)" \
        $(($(field "$meta" passes) * (links - $(field "$meta" pinned_bytes)))) -eq
}

rank free env

# In the cgroup: first join it, then run the program.
# shellcheck disable=SC2016 # expands in the inner shell
join='echo $$ >"$0/cgroup.procs"; exec "$@"'
if [ -w /sys/fs/cgroup/memory/memory.limit_in_bytes ] || [ -w /sys/fs/cgroup/memory/cgroup.procs ]; then
    cgroup=/sys/fs/cgroup/memory/millrace-outofcore-$$
    mkdir "$cgroup"
    echo "$limit" >"$cgroup/memory.limit_in_bytes"
    peak=memory.max_usage_in_bytes events=memory.oom_control
elif [ -w /sys/fs/cgroup/cgroup.subtree_control ] &&
    grep -qw memory /sys/fs/cgroup/cgroup.subtree_control; then
    cgroup=/sys/fs/cgroup/millrace-outofcore-$$
    mkdir "$cgroup"
    echo "$limit" >"$cgroup/memory.max"
    if [ -e "$cgroup/memory.swap.max" ]; then
        echo 0 >"$cgroup/memory.swap.max"
    fi
    peak=memory.peak events=memory.events
else
    echo "no memory cgroup can be made here (root?): the second half is skipped"
fi

if [ -n "$cgroup" ]; then
    rank cgroup bash -c "$join" "$cgroup"
    if [ -e "$cgroup/$peak" ]; then
        expect "cgroup's peak, page cache included" "$(cat "$cgroup/$peak")" "$limit" -le
    fi
    expect "killed for memory" "$(sed -n 's/^oom_kill //p' "$cgroup/$events")" 0 -eq
    cmp "$directory/free.tsv" "$directory/cgroup.tsv" || failures=$((failures + 1))
    echo "the same scores, byte for byte"
fi
exit $((failures > 0))
