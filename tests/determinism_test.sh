#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The same input gives the same bytes: stores and scores do not depend on threads, memory or I/O
# back end. The metadata must say exactly what was read, and that the memory limit was respected.
# shellcheck source=tests/helpers.sh
. "$(dirname "$0")/helpers.sh"

crawl=$sources/examples/debian-docs/links.txt.zst
n_compared=0

compare() {
    same "$@"
    n_compared=$((n_compared + 1))
}

# Finds and prints the smallest --memory that suffices. Leaves the output named `small`.
smallest() {
    local size code
    for size in 32Mi 33Mi 34Mi 36Mi 40Mi 48Mi 64Mi 128Mi 256Mi; do
        code=0
        "$MILLRACE" "$@" --memory $size --quiet >/dev/null 2>"$root/stderr" || code=$?
        case $code in
        0)
            echo $size
            return
            ;;
        5) ;;
        *) break ;;
        esac
    done
    cat "$root/stderr" >&2
    echo "FAILED: exit code $code: millrace $* --memory $size" >&2
    return 1
}

# --- stores ---------------------------------------------------------------------------------------

# same_stores REFERENCE COMMAND...: the command gives REFERENCE for any --threads and --memory.
same_stores() {
    local reference=$1 size threads memory
    shift
    size=$(smallest "$@" -o small.mill)
    compare small.mill "$reference" "$* --memory $size"
    rm -r small.mill
    echo "$1: $reference, --memory $size"
    for threads in 3 8; do
        memory=$size
        [ $((threads % 2)) = 1 ] || memory=1G
        must "$@" -o other.mill --threads $threads --memory "$memory" --quiet
        compare other.mill "$reference" "$* --threads $threads --memory $memory"
        rm -r other.mill
    done
}

kron=(generate kron --scale 14 --edge-factor 16 --undirected)
must "${kron[@]}" -o kron.mill --threads 1 --memory 2G --quiet
same_stores kron.mill "${kron[@]}"

urls=(build --columns target-source "$crawl")
must "${urls[@]}" -o crawl.mill --threads 1 --memory 2G --quiet
same_stores crawl.mill "${urls[@]}"

# The same links as text, with sparse numbers as ids; then in two files and in another order.
must export kron.mill --to u32 -o - |
    od -An -v -t u4 -w8 | awk '{ print 1000 * $1 + 7, 1000 * $2 + 7 }' >links.txt
must build -o sparse.mill links.txt --threads 1 --memory 2G --codec zstd:3 --quiet
same_stores sparse.mill build links.txt --codec zstd:3
lines=$(wc -l <links.txt)
tail -n $((lines / 3)) links.txt | gzip -1 >first.txt.gz
head -n $((lines - lines / 3)) links.txt | tac >second.txt
must build -o other.mill first.txt.gz second.txt --codec zstd:3 --threads 3 --quiet
compare other.mill sparse.mill "the same links in another order"
rm -r other.mill links.txt first.txt.gz second.txt

# --- scores ---------------------------------------------------------------------------------------

backends=(pread auto)
if "$MILLRACE" pagerank kron.mill --io uring --quiet >uring.tsv 2>"$root/stderr"; then
    backends+=(uring)
else
    echo "no io_uring here: $(cat "$root/stderr")"
fi

# same_scores STORE OPTIONS...: compares one reference with every way to run.
same_scores() {
    local store=$1 threads io memory size
    shift
    must pagerank "$store" "$@" -o reference.tsv --threads 1 --io pread --memory 2G --force --quiet
    size=$(smallest pagerank "$store" "$@" -o small.tsv --threads 1 --force)
    compare small.tsv reference.tsv "pagerank $store $* --memory $size"
    echo "pagerank $store $*: --memory $size"
    # Each two of them meet once: threads and memory, memory and I/O.
    for way in "1 0 1G" "2 1 $size" "3 2 $size" "8 0 $size" "8 2 1G" "3 1 1G"; do
        read -r threads io memory <<<"$way"
        io=${backends[io % ${#backends[@]}]}
        must pagerank "$store" "$@" -o other.tsv --threads "$threads" --io "$io" --memory "$memory" --force --quiet
        compare other.tsv reference.tsv "pagerank $store $* --threads $threads --io $io --memory $memory"
    done
    must pagerank "$store" "$@" --no-pin -o other.tsv --force --quiet
    compare other.tsv reference.tsv "pagerank $store $* --no-pin"
}

same_scores kron.mill
same_scores kron.mill --precision single --dangling uniform
same_scores kron.mill --inner 4
same_scores crawl.mill --inner 4 --precision single
same_scores crawl.mill --damping 0.9
same_scores sparse.mill --dangling none

# Graphs of many sizes: with one band or many, with tiles of one encoding or both. An error in the
# order of additions shows in some graphs only.
# same_for_threads OPTIONS...: ranks sized.mill with several numbers of threads.
same_for_threads() {
    local threads
    must pagerank sized.mill "$@" -o reference.npy --threads 1 --force --quiet
    for threads in 2 3; do
        must pagerank sized.mill "$@" -o other.npy --threads $threads --force --quiet
        compare other.npy reference.npy "$graph: pagerank $* --threads $threads"
    done
}

for graph in kron-{11,17} undirected-{10,16} crawl-{300,30000}-1 crawl-150000-3 crawl-200000-1; do
    IFS=- read -r kind size seed <<<"$graph"
    case $kind in
    kron) make=(kron --scale "$size" --edge-factor 4) ;;
    undirected) make=(kron --scale "$size" --edge-factor 4 --undirected) ;;
    crawl) make=(crawl --pages "$size" --random-seed "$seed") ;;
    esac
    must generate "${make[@]}" -o sized.mill --quiet
    same_for_threads
    case $graph in
    *-1[01] | *-1[67] | crawl-30000-1 | crawl-200000-1) same_for_threads --inner 4 ;;
    esac
    rm -r sized.mill
done

# Containers often forbid io_uring.
without=${MILLRACE_BUILD_DIR:-$sources/build/test}/tests/without_io_uring
must pagerank crawl.mill -o reference.tsv --threads 1 --force --quiet
if [ -x "$without" ] && "$without" true 2>"$root/stderr"; then
    "$without" "$MILLRACE" pagerank crawl.mill -o other.tsv --force --quiet
    compare other.tsv reference.tsv "pagerank crawl.mill with io_uring forbidden"
    io=$(field other.tsv.meta.json io)
    [ "$io" = pread ] || fail "io is $io with io_uring forbidden"
    code=0
    "$without" "$MILLRACE" pagerank crawl.mill --io uring >/dev/null 2>"$root/stderr" || code=$?
    [ $code = 1 ] || fail "exit code $code with --io uring and io_uring forbidden"
    # A sandbox may allow io_uring_setup and forbid io_uring_enter.
    code=0
    "$without" --enter "$MILLRACE" pagerank crawl.mill -o other.tsv --force --quiet \
        2>"$root/stderr" || code=$?
    [ $code = 0 ] || fail "exit code $code with io_uring_enter forbidden: $(cat "$root/stderr")"
    compare other.tsv reference.tsv "pagerank crawl.mill with io_uring_enter forbidden"
    io=$(field other.tsv.meta.json io)
    [ "$io" = pread ] || fail "io is $io with io_uring_enter forbidden"
else
    echo "io_uring cannot be forbidden here"
fi

# The same with the sysctl. It changes the whole machine, so it runs only on request, as root.
sysctl=/proc/sys/kernel/io_uring_disabled
if [ "${MILLRACE_TEST_SYSCTL-0}" = 1 ] && [ -w $sysctl ]; then
    before=$(cat $sysctl)
    trap 'echo "$before" >$sysctl; rm -rf "$root"' EXIT
    echo 2 >$sysctl
    must pagerank crawl.mill -o other.tsv --force --quiet
    echo "$before" >$sysctl
    compare other.tsv reference.tsv "pagerank crawl.mill with kernel.io_uring_disabled"
    io=$(field other.tsv.meta.json io)
    [ "$io" = pread ] || fail "io is $io with kernel.io_uring_disabled"
fi

# --- what was read --------------------------------------------------------------------------------

# adds_up STORE WHICH OPTIONS...: checks that bytes_read = passes x (links_bytes - pinned_bytes),
# and that `pinned` is none, all or some of the links. If links are pinned, one of the passes reads
# all of them.
adds_up() {
    local store=$1 which=$2 links passes read pinned again found limit peak
    shift 2
    must pagerank "$store" "$@" -o other.tsv --force --quiet
    must info "$store" --json >info.json
    links=$(field info.json links_bytes)
    passes=$(field other.tsv.meta.json passes)
    read=$(field other.tsv.meta.json bytes_read)
    pinned=$(field other.tsv.meta.json pinned_bytes)
    [ "$links" = "$(field other.tsv.meta.json links_bytes)" ] || fail "links_bytes differ"
    [ "$read" = $((passes * (links - pinned))) ] ||
        fail "pagerank $store $*: $read bytes read, $passes passes, $links bytes, $pinned pinned"
    # Sanitizers use memory of their own.
    if [ -z "${MILLRACE_SANITIZER-}" ]; then
        limit=$(field other.tsv.meta.json memory_limit_bytes)
        peak=$(field other.tsv.meta.json peak_rss_bytes)
        [ "$peak" -le $((limit + limit / 10)) ] || fail "pagerank $store $*: peak RSS $peak of $limit"
    fi
    found=some
    [ "$pinned" != 0 ] || found=none
    [ "$pinned" != "$links" ] || found=all
    [ $found = "$which" ] || fail "pagerank $store $*: $found pinned instead of $which"
    echo "pagerank $store $*: $read = $passes x ($links - $pinned)"
}

for io in "${backends[@]}"; do
    adds_up kron.mill all --memory 1G --io "$io"
    adds_up kron.mill all --memory 1G --inner 4 --io "$io"
    adds_up kron.mill none --memory 1G --no-pin --io "$io"
    adds_up crawl.mill none --no-pin --iterations 3 --threads 3 --io "$io"
done

# Links that do not fit into memory, so that only a part is pinned. The scores stay the same.
must generate kron --scale 17 --edge-factor 64 --undirected -o big.mill --quiet
size=$(smallest pagerank big.mill --iterations 3 -o small.tsv --force)
adds_up big.mill some --iterations 3 --memory "$size" --threads 1
cp other.tsv reference.tsv
adds_up big.mill none --iterations 3 --memory "$size" --no-pin
compare other.tsv reference.tsv "nothing pinned"
adds_up big.mill some --iterations 3 --memory "$size" --threads 2 --io pread
compare other.tsv reference.tsv "some pinned, two threads"
adds_up big.mill all --iterations 3 --memory 1G
compare other.tsv reference.tsv "all pinned"

finish "$n_compared comparisons, all the same"
