#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the benchmarks of the bench preset, from the root of the repository; ./dev bench calls it.
# Stores are made once, and made again when the program is newer. Results go to
# build/bench/results.txt (the text of the terminal) and build/bench/results.json.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'END_OF_USAGE'
usage: ./dev bench [--large] [micro] [pass] [STORE...]
       ./dev bench livejournal [FILE]

  micro     decoders, kernels, blocks: Google Benchmark
  pass      the whole pass against a plain in-memory CSR pull: Kronecker graphs of scale 20 and
            22, crawls of 20 M links with 10 and with 40 links a page, cnr-2000
  STORE     the whole pass on a store of your own
  --large   with `pass`: also the Kronecker graph of scale 24 (6 GB of memory; 10 GB of disk while it is made)

  livejournal  import, ranks certified to 1e-9 and the whole pass on FILE, soc-LiveJournal1.txt.gz
            from https://snap.stanford.edu/data/soc-LiveJournal1.html; without FILE on a generated
            graph of the same size, degrees and reciprocity

Without micro, pass or a store: micro and pass. Close other programs first: medians bear some noise,
a busy machine they do not. cnr-2000 is taken from $MILLRACE_DATA/cnr-2000/cnr-2000.el.zst, where
MILLRACE_DATA is ../shared/data unless set.
END_OF_USAGE
}

build=build/bench
stores=$build/stores
parts=$build/parts
millrace=$build/cli/millrace-bench
data=${MILLRACE_DATA:-../shared/data}
json=() # "section<TAB>name<TAB>file" of every result

# Both sides stay on their processors. Otherwise some kernels put short bursts of work on one
# processor.
export OMP_PROC_BIND=${OMP_PROC_BIND-true}

say() {
    printf '%s\n' "$*" >&2
}

# --- the machine ----------------------------------------------------------------------------------

cpu_field() {
    LC_ALL=C lscpu | sed -n "s/^$1: *//p" | head -n 1
}

# The disk of the stores. The passes measure its speed.
disk_name() {
    local device model
    device=$(df --output=source "$build" | tail -n 1)
    model=$(lsblk --nodeps --noheadings --output MODEL "$device" 2>/dev/null | head -n 1 | xargs) || true
    printf '%s, %s' "${model:-$(basename "$device")}" "$(df --output=fstype "$build" | tail -n 1)"
}

# Prints one line per item: "key<TAB>value".
machine() {
    printf 'processor\t%s\n' "$(cpu_field 'Model name')"
    printf 'processors\t%s\n' "$(nproc)"
    printf 'L1d\t%s\n' "$(cpu_field 'L1d cache')"
    printf 'L2\t%s\n' "$(cpu_field 'L2 cache')"
    printf 'L3\t%s\n' "$(cpu_field 'L3 cache')"
    printf 'memory\t%s MiB\n' "$(awk '/^MemTotal:/ {print int($2 / 1024)}' /proc/meminfo)"
    printf 'disk\t%s\n' "$(disk_name)"
    printf 'system\tLinux %s\n' "$(uname -r | cut -d- -f1)"
    printf 'compiler\t%s\n' "$(cc --version | head -n 1)"
    printf 'commit\t%s\n' "$(git describe --always --dirty 2>/dev/null || echo none)"
}

# --- stores ---------------------------------------------------------------------------------------

is_fresh() {
    [ "$1/MANIFEST" -nt "$millrace" ]
}

make_kron() {
    local scale=$1 store=$stores/kron-$1.mill
    is_fresh "$store" && return
    say "bench: making $store"
    "$millrace" generate kron --scale "$scale" --edge-factor 16 --random-seed 1 --undirected -o "$store" \
        --force --quiet
}

# make_crawl STORE PAGES LINKS_PER_PAGE
make_crawl() {
    is_fresh "$1" && return
    say "bench: making $1"
    "$millrace" generate crawl --pages "$2" --links-per-page "$3" --random-seed 1 -o "$1" --force --quiet
}

# make_text STORE INPUT [flag...]
make_text() {
    local store=$1 input=$2
    shift 2
    is_fresh "$store" && return
    say "bench: making $store"
    "$millrace" build -o "$store" "$input" --force --quiet "$@"
}

# --- runs -----------------------------------------------------------------------------------------

run_micro() {
    local name
    for name in keys kernels block; do
        printf '\n%s\n' "$name"
        "$build/bench/bench_$name" --benchmark_out="$parts/$name.json" --benchmark_out_format=json
        # The library prints the machine and the path; neither belongs into a published result.
        sed -i '/^ *"\(host_name\|executable\)":/d' "$parts/$name.json"
        json+=("micro	$name	$parts/$name.json")
    done
}

# run_pass NAME STORE [flag...]
run_pass() {
    local name=$1 store=$2
    shift 2
    printf '\n%s\n' "$name"
    "$build/bench/bench_pass" "$store" --json "$parts/$name.json" --patience 120 "$@"
    json+=("pass	$name	$parts/$name.json")
}

run_passes() {
    local large=$1 input=$data/cnr-2000/cnr-2000.el.zst
    make_kron 20
    run_pass kron-20-float "$stores/kron-20.mill" --relax
    make_kron 22
    run_pass kron-22-float "$stores/kron-22.mill" --relax
    run_pass kron-22-float-1-thread "$stores/kron-22.mill" --threads 1
    run_pass kron-22-double "$stores/kron-22.mill" --value double
    if [ "$large" = yes ]; then
        make_kron 24
        run_pass kron-24-float "$stores/kron-24.mill"
    fi
    make_crawl "$stores/crawl-10.mill" 2000000 10
    run_pass crawl-10-float "$stores/crawl-10.mill" --relax
    make_crawl "$stores/crawl-40.mill" 500000 40
    run_pass crawl-40-float "$stores/crawl-40.mill" --relax
    if [ -f "$input" ]; then
        make_text "$stores/cnr-2000.mill" "$input"
        run_pass cnr-2000-float "$stores/cnr-2000.mill" --relax
        run_pass cnr-2000-float-1-thread "$stores/cnr-2000.mill" --threads 1
        make_text "$stores/cnr-2000-zstd.mill" "$input" --codec zstd
        run_pass cnr-2000-zstd-float "$stores/cnr-2000-zstd.mill"
    else
        printf '\ncnr-2000: skipped, there is no %s\n' "$input"
    fi
}

# Runs one command; writes its seconds and peak memory to $1.time (seconds, KiB), and its output to
# $1.log.
timed() {
    local to=$1
    shift
    command time -f '%e %M' -o "$to.time" "$@" 2>"$to.log" || {
        cat "$to.log" >&2
        exit 1
    }
}

run_livejournal() {
    local input=$1 store=$stores/livejournal.mill part=$parts/livejournal name=soc-LiveJournal1
    local links build_seconds build_kib rank_seconds rank_kib
    if [ -z "$input" ]; then
        input=$build/livejournal-like.txt.zst
        name='livejournal-like (generated)'
        if ! [ "$input" -nt "$millrace" ]; then
            say "bench: making $input"
            "$millrace" generate livejournal-like -o "$input" --force --quiet
        fi
    fi
    say "bench: importing $input"
    timed "$part-build" "$millrace" build -o "$store" "$input" --force --quiet
    timed "$part-rank" "$millrace" pagerank "$store" -o "$part.tsv" --force --quiet
    read -r build_seconds build_kib <"$part-build.time"
    read -r rank_seconds rank_kib <"$part-rank.time"
    links=$("$millrace" info "$store" --json | sed -n 's/^ *"edges": \([0-9]*\),$/\1/p' | head -n 1)
    printf '\n%s: %s links\n' "$name" "$links"
    printf '  import    %8s s %10s KiB peak RSS\n' "$build_seconds" "$build_kib"
    printf '  ranks     %8s s %10s KiB peak RSS\n' "$rank_seconds" "$rank_kib"
    grep -E '"(passes|error_bound|edge_visits|seconds|converged)":' "$part.tsv.meta.json" || true
    run_pass livejournal-float "$store"
}

# --- results --------------------------------------------------------------------------------------

quote() {
    sed 's/[\\"]/\\&/g; s/.*/"&"/'
}

# Prints the results of one section as members of an object.
json_section() {
    local entry section name file comma=""
    for entry in ${json[@]+"${json[@]}"}; do
        IFS=$'\t' read -r section name file <<<"$entry"
        if [ "$section" = "$1" ]; then
            printf '%s\n%s: ' "$comma" "$(quote <<<"$name")"
            cat "$file"
            comma=,
        fi
    done
}

write_json() {
    local key value comma=""
    printf '{\n"machine": {'
    while IFS=$'\t' read -r key value; do
        printf '%s\n  %s: %s' "$comma" "$(quote <<<"$key")" "$(quote <<<"$value")"
        comma=,
    done <<<"$machine"
    printf '\n},\n"micro": {'
    json_section micro
    printf '},\n"pass": {'
    json_section pass
    printf '}\n}\n'
}

main() {
    local word
    awk -F '\t' '{printf "%-11s %s\n", $1, $2}' <<<"$machine"
    [ $micro = no ] || run_micro
    [ $pass = no ] || run_passes $large
    [ $livejournal = no ] || run_livejournal "$livejournal_file"
    for word in ${own[@]+"${own[@]}"}; do
        run_pass "$(basename "$word" .mill)" "$word" --relax
    done
    write_json >$build/results.json
}

large=no micro=no pass=no livejournal=no livejournal_file= own=()
for word in "$@"; do
    case $word in
    livejournal) livejournal=yes ;;
    *.txt | *.txt.gz | *.txt.zst) livejournal_file=$word ;;
    --large) large=yes ;;
    micro) micro=yes ;;
    pass) pass=yes ;;
    --help) usage && exit ;;
    -*) usage >&2 && exit 2 ;;
    *) own+=("$word") ;;
    esac
done
if [ "$micro$pass$livejournal${#own[@]}" = nonono0 ]; then
    micro=yes pass=yes
fi
mkdir -p $stores $parts
machine=$(machine)
main > >(tee $build/results.txt)
wait $!
say "bench: written: $build/results.txt and $build/results.json"
