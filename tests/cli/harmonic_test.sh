#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# millrace harmonic: exact figures of a small graph, and the same bits for any memory and threads.
. "$(dirname "$0")/lib.sh"

begin "exact figures: a path, a branch, a page apart"
printf '%s\n' 'a b' 'b c' 'd c' 'e e' >links.txt
"$MILLRACE" build links.txt -o g.mill --quiet
run harmonic g.mill --exact --score-columns harmonic,closeness,reach --header --quiet
exits 0
stdout_is <<'END'
name	harmonic	closeness	reach
c	2.5	0.25	4
b	1	1	2
a	0	0	1
d	0	0	1
e	0	0	1
END
run harmonic links.txt --score-columns harmonic,closeness,reach --header --threads 1 --memory 40M # small graphs are exact
has "$root/stderr" "relative error 0"
cmp "$root/stdout" <("$MILLRACE" harmonic g.mill --exact --score-columns harmonic,closeness,reach --header --quiet --threads 3) ||
    fail "the default of a small graph"
printf 'a\n' >sources.txt
run harmonic g.mill --exact --sources sources.txt -o h.tsv --quiet
exits 0
file_is h.tsv <<'END'
a	0
b	1
c	0.5
d	0
e	0
END
[ "$(tr -d ' \n' <h.tsv.meta.json | grep -o '"neighbourhood":[^]]*]')" = \
    '"neighbourhood":[1.0,2.0,3.0]' ] || fail "$(cat h.tsv.meta.json)"
field_is h.tsv.meta.json relative_error 0.0
field_is h.tsv.meta.json closeness_error 0.0

begin "the same bits for any memory and threads"
"$MILLRACE" generate crawl --pages 60000 --random-seed 3 -o crawl.mill --quiet
"$MILLRACE" export crawl.mill --to edges -o links.txt --quiet
"$MILLRACE" build links.txt -o built.mill --quiet
run harmonic built.mill --log2m 7 -o all.tsv --threads 1 --quiet
exits 0
field_is all.tsv.meta.json slices 1
field_is all.tsv.meta.json temporary_bytes 0
run harmonic built.mill --log2m 7 --estimate
has "$root/stdout" "temporary disk  0 bytes"
awk -v e="$(field all.tsv.meta.json relative_error)" -v c="$(field all.tsv.meta.json closeness_error)" \
    'BEGIN { exit !(e > 0.0919 && e < 0.092 && c > 1.99 * e && c < 2.01 * e) }' || fail "the stated errors"
run harmonic built.mill --log2m 7 -o few.tsv --threads 3 --memory 35M --quiet
exits 0
[ "$(field few.tsv.meta.json slices)" -gt 2 ] || fail "$(field few.tsv.meta.json slices) slices"
run harmonic built.mill --log2m 7 --memory 35M --estimate
grep -q 'temporary disk  [1-9]' "$root/stdout" || fail "an estimate without the disk of slices"
cmp -s all.tsv few.tsv || fail "other scores in slices"

begin "wrong flags are refused"
printf 'a b\n' >links.txt
run harmonic links.txt --log2m 3
exits 2
run harmonic links.txt --score-columns harmonic,size
exits 2
has "$root/stderr" "size is none of the columns"
: >none.txt
run harmonic links.txt --sources none.txt --quiet
exits 3
stderr_is <<'END'
millrace: none.txt: names no page with a weight above 0; at least one must
END
only_left links.txt none.txt

finish
