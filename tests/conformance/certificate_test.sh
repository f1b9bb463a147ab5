#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares the certificate with an independent solution in long double, on a Kronecker graph and on
# this repository's crawl, and on real graphs if MILLRACE_DATA names their directory (./dev certificate).
# MILLRACE_LARGE=1 adds a Kronecker graph of 2^20 vertices.
# shellcheck source=tests/helpers.sh
. "$(dirname "$0")/../helpers.sh"

data=${MILLRACE_DATA:-}
oracle=${MILLRACE_BUILD_DIR:-$sources/build/test}/tests/rank_oracle

# certified STORE DAMPING RULE: ranks in every precision, with both ways of sweeping, to several
# tolerances.
certified() {
    local store=$1 damping=$2 rule=$3 list=() vertices name
    must info "$store" --json >info.json
    vertices=$(field info.json vertices)
    must export "$store" --to u32 -o edges.u32 --force --quiet
    while read -r name options; do
        # shellcheck disable=SC2086 # options are words
        must pagerank "$store" --damping "$damping" --dangling "$rule" $options --quiet \
            -o "$name.npy" --force
        list+=("$name.npy" "$(field "$name.npy.meta.json" error_bound)")
    done <<'RUNS'
default-1e-4 --tolerance 1e-4
default-1e-9 --tolerance 1e-9
default-5e-12 --tolerance 5e-12
bands-1e-4 --inner 4 --tolerance 1e-4
bands-1e-9 --inner 4 --tolerance 1e-9
bands-plain --inner 6 --acceleration 0 --tolerance 1e-6
single --precision single
iterations --iterations 20
RUNS
    echo "$store, damping $damping, $rule:"
    "$oracle" edges.u32 "$damping" "$rule" "$vertices" "${list[@]}" ||
        fail "$store: an error is above its bound"
}

certify_all() {
    certified "$1" 0.85 teleport
    certified "$1" 0.85 none
    rm -r "$1"
}

must generate kron --scale 12 --edge-factor 8 -o kron.mill --quiet
certified kron.mill 0.99 teleport
certify_all kron.mill
must build --columns target-source "$sources/examples/debian-docs/links.txt.zst" -o crawl.mill --quiet
certify_all crawl.mill
if [ -n "$data" ]; then
    must build -o cnr.mill "$data/cnr-2000/cnr-2000.graph" --quiet
    certify_all cnr.mill
    tar -xzOf "$data/snap/web-NotreDame.tar.gz" | tail -n +2 | must build -o notredame.mill - --quiet
    certify_all notredame.mill
    must build -o slashdot.mill "$data/snap/soc-Slashdot0902.txt.gz" --quiet
    certify_all slashdot.mill
fi
if [ -n "${MILLRACE_LARGE:-}" ]; then
    must generate kron --scale 20 --edge-factor 16 --random-seed 1 --undirected -o kron.mill --quiet
    certify_all kron.mill
fi
finish "no error is above its bound"
