#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Scores have the same bytes for any threads, I/O, memory, codec and kernels: on Kronecker graphs and
# crawls of 2^8 and 2^17 vertices; with MILLRACE_SIZES, of every size to 2^MILLRACE_SIZES (./dev
# sizes: 24). A graph of one band, of a few and of many take different ways through the pass.
set -euo pipefail
export LC_ALL=C
cd "$(mktemp -d "${TMPDIR:-/tmp}/sizes.XXXXXX")"
trap 'rm -rf "$PWD"' EXIT
largest=${MILLRACE_SIZES:-17} step=1
[ -n "${MILLRACE_SIZES-}" ] || step=9
n_compared=0

# sum NAME ARGUMENTS...: ranks NAME.mill and leaves the checksum of the scores in $result.
sum() {
    local name=$1
    shift
    "$MILLRACE" pagerank "$name" "$@" -o scores.npy --force --quiet
    result=$(sha256sum <scores.npy)
}

# same NAME ARGUMENTS...: the scores of a ranking are those of $expected.
same() {
    sum "$@"
    n_compared=$((n_compared + 1))
    if [ "$result" != "$expected" ]; then
        echo "other scores: MILLRACE_KERNELS=${MILLRACE_KERNELS-} pagerank $*" >&2
        exit 1
    fi
}

for ((bits = 8; bits <= largest; bits += step)); do
    for kind in kron crawl; do
        if [ $kind = kron ]; then
            shape=(--scale "$bits" --undirected)
        else
            shape=(--pages $((1 << bits)))
        fi
        for codec in plain zstd; do
            rm -rf "$codec.mill"
            "$MILLRACE" generate $kind "${shape[@]}" --codec $codec -o $codec.mill --quiet
        done
        sum plain.mill --threads 1
        expected=$result
        for threads in 2 3 8; do
            same plain.mill --threads $threads
        done
        same zstd.mill --threads 3
        same plain.mill --threads 2 --no-pin --io pread
        same zstd.mill --threads 8 --no-pin --io uring
        # The bits depend on the depth, which depends on --memory: fix it, and pin a part.
        sum plain.mill --threads 1 --acceleration 2
        expected=$result
        least=$("$MILLRACE" pagerank plain.mill --acceleration 2 --estimate |
            sed -n 's/^least memory    --memory \([0-9]*\)Mi.*/\1/p')
        same plain.mill --threads 2 --acceleration 2 --memory "${least}Mi"
        same zstd.mill --threads 3 --acceleration 2 --memory "$((least + 2))Mi"
        # With more memory, links stay there, then rows of the first bands, then of all bands.
        for ((more = 4; bits == largest && more <= 12; more += 2)); do
            same plain.mill --threads 2 --acceleration 2 --memory "$((least + more))Mi"
        done
        for kernels in portable avx2 avx512; do
            MILLRACE_KERNELS=$kernels same plain.mill --threads 2 --acceleration 2
        done
    done
done
[ "$n_compared" -ge $(((largest - 8) / step * 2 * 11)) ]
echo "$n_compared comparisons of 2^8 to 2^$largest pages: the same bytes"
