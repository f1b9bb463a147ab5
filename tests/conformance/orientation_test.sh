#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Real graphs: compares counts with those of their publishers, and top ranks with an independent
# computation to 1e-13 (damping 0.85). The data are not part of this repository; MILLRACE_DATA names
# their directory.
# shellcheck source=tests/helpers.sh
. "$(dirname "$0")/../helpers.sh"

data=${MILLRACE_DATA:-$sources/../shared/data}
if [ ! -d "$data" ]; then
    echo "skipped: no graphs in $data; MILLRACE_DATA names their directory"
    exit 77
fi
n_graphs=0

# has FILE: succeeds if FILE exists; prints a line if not.
has() {
    [ -e "$data/$1" ] || {
        echo "skipped: no $1 in $data"
        false
    }
}

# counts STORE KEY VALUE...: checks figures of info --json.
counts() {
    local store=$1 found
    shift
    must info "$store" --json >info.json
    while [ $# -gt 0 ]; do
        found=$(field info.json "$1")
        [ "$found" = "$2" ] || fail "$store: $1 is $found instead of $2"
        shift 2
    done
}

# top STORE RANK...: checks all printed digits of the best scores; RANK is SCORE or NAME=SCORE.
top() {
    local store=$1
    shift
    must pagerank "$store" --tolerance 5e-12 --top $# --quiet >found.tsv
    printf '%s\n' "$@" | sed 's/.*=//' >scores
    printf '%s\n' "$@" | sed -n 's/=.*//p' >names
    # half a unit of the last printed digit, and the error that the tolerance allows
    paste scores found.tsv | awk -F '\t' -v store="$store" '
        { digits = $1; sub(/.*\./, "", digits)
          difference = $1 - $3; if (difference < 0) difference = -difference
          printf "%-16s %-8s %.12f, published %s\n", store, $2, $3, $1
          if (!(difference <= 0.5 * 10 ^ -length(digits) + 5e-12)) bad = 1 }
        END { exit bad || NR != '$#' }' || fail "$store: ranks differ from $*"
    if [ -s names ]; then
        cut -f 1 found.tsv | diff - names >/dev/null || fail "$store: other pages than $*"
    fi
    n_graphs=$((n_graphs + 1))
    rm -r "$store"
}

cnr=(vertices 325557 edges 3216152 dangling 78056 self_loops 87442
    max_out_degree 2716 max_in_degree 18235)
cnr_top=(0.0177718842 0.0177718842 0.00750487253 0.00680340208 0.00561858539)

if has cnr-2000/cnr-2000.el.zst; then
    must build -o cnr.mill "$data/cnr-2000/cnr-2000.el.zst" --quiet
    counts cnr.mill "${cnr[@]}"
    top cnr.mill "${cnr_top[@]}"
fi

# Line 1 has the number of vertices; then comes one line of successors per vertex.
if has cnr-2000-java/cnr-2000.graph-txt.gz; then
    gzip -dc "$data/cnr-2000-java/cnr-2000.graph-txt.gz" |
        awk 'NR > 1 { for (i = 1; i <= NF; i++) print NR - 2, $i }' |
        must build -o cnr-java.mill - --vertices 325557 --quiet
    counts cnr-java.mill "${cnr[@]}"
    top cnr-java.mill "${cnr_top[@]}"
fi

# The first line has the numbers of pages and edges.
if has snap/web-NotreDame.tar.gz; then
    tar -xzOf "$data/snap/web-NotreDame.tar.gz" | tail -n +2 |
        must build -o notre-dame.mill - --quiet
    counts notre-dame.mill vertices 325729 edges 1497134
    top notre-dame.mill 1963=0.00547376866 0=0.00546654775 10336=0.00497832182
fi

if has snap/soc-Slashdot0902.txt.gz; then
    must build -o slashdot.mill "$data/snap/soc-Slashdot0902.txt.gz" --quiet
    counts slashdot.mill vertices 82168 edges 948464
    top slashdot.mill 2494=0.00211992129 398=0.0019589454
fi

[ $n_graphs -gt 0 ] || exit 77
finish "$n_graphs graphs agree"
