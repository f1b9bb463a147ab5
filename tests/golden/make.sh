#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes one small store of each kind, with what it must say, in tests/golden/format-N. Run it once for
# each version of the store format, with the program of that version, and never again: the stores
# are there to prove that later programs read them or say what to do.
#
#     MILLRACE=build/release/cli/millrace tests/golden/make.sh tests/golden/format-4
#     MILLRACE=build/release/cli/millrace tests/golden/make.sh tests/golden/format-5 dated
#     MILLRACE=build/release/cli/millrace tests/golden/make.sh tests/golden/format-5 digests
#     MILLRACE=build/release/cli/millrace tests/golden/make.sh tests/golden/format-6 gone
#
# Version 5 has only stores with fetch facts, version 6 only those with gone pages; all others are of version 4.
set -euo pipefail
export LC_ALL=C
: "${MILLRACE:?}"
to=$(realpath "${1:?the directory to fill}")
wanted=${2:-*}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
MILLRACE=$(realpath "$MILLRACE")
cd "$root"

seq 0 159 | awk '{ print 3 * ($1 % 23), 3 * (($1 * 17 + int($1 / 9)) % 29) }' >links.txt
seq 0 59 | awk '{ print 3 * ($1 % 19), 3 * (($1 * 5 + 1) % 31) }' >more.txt
seq 0 69 | awk '{ print "http://h" $1 % 4 ".example/p" $1 % 11, "http://h" ($1 * 3) % 5 ".example/p" ($1 * 7) % 13 }' >urls.txt
seq 0 89 | awk '{ print $1 % 17, ($1 * 5) % 19, 1 + $1 % 7 }' >weighted.txt
seq 0 2999 | awk '{ print ($1 * 7919) % 600, ($1 * 104729) % 601 }' >bands.txt
# Rows of runs, which corners encode well.
seq 0 39 | awk '{ for (i = 0; i < 30; i++) print i + int($1 / 9), $1 }' >runs.txt

make() {
    local kind=$1
    shift
    "$MILLRACE" build -o "$kind.mill" --quiet "$@"
}
make keys links.txt --codec plain --encoding keys
make corners runs.txt --vertices 64 --codec plain --encoding corners
make zstd bands.txt --vertices 700 --codec zstd:9 --encoding keys
make identity links.txt --vertices 100 --undirected
make duplicates links.txt more.txt more.txt --duplicates keep
make text urls.txt --columns source-target --profile heritrix
make classes urls.txt --columns source-target --classes host
make weights weighted.txt --weights
make transposed links.txt --transpose
make empty /dev/null --vertices 0
seq 0 39 | awk '{ t = 1700000000 + $1 * 7777 % 40000
    print "{\"url\": \"http://h" $1 % 4 ".example/p" $1 % 11 "\", \"timestamp\": " t ", \"links\": [\"http://h" ($1 * 3) % 5 ".example/p" ($1 * 7) % 13 "\", \"/p0\"]}" }' >dated.jl
make dated dated.jl
sed 's/"timestamp": \([0-9]*\)/&, "digest": "sha1:\1"/' dated.jl >digests.jl
make digests digests.jl
awk 'NR % 5 == 0 { sub(/"timestamp"/, "\"status\": 404, &") } { print }' digests.jl >gone.jl
make gone gone.jl
case $wanted in dated | digests | gone) ;; *) rm -r dated.mill digests.mill gone.mill ;; esac

for store in $wanted.mill; do
    kind=${store%.mill}
    rm -rf "${to:?}/$store"
    cp -r "$store" "$to/"
    "$MILLRACE" export "$store" --to edges -o "$to/$kind.links" --force --quiet
    "$MILLRACE" pagerank "$store" --quiet | awk -F '\t' '{ printf "%s\t%.6f\n", $1, $2 }' >"$to/$kind.ranks"
done
[ "$wanted" != '*' ] || "$MILLRACE" opic keys.mill --sweeps 3 --state "$to/state.opic" -o "$to/state.scores" --force --quiet
rm -f "$to/state.scores.meta.json"
