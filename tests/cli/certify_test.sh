#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# millrace certify: scores that other programs made.
. "$(dirname "$0")/lib.sh"

# below FILE KEY LIMIT; above FILE KEY LIMIT
below() { awk -v a="$(field "$1" "$2")" -v b="$3" 'BEGIN { exit !(a + 0 < b + 0) }' || fail "$2 is $(field "$1" "$2")"; }
above() { awk -v a="$(field "$1" "$2")" -v b="$3" 'BEGIN { exit !(a + 0 > b + 0) }' || fail "$2 is $(field "$1" "$2")"; }

begin "exact scores of a small graph, in any scale and order"
# a and b link to each other, c links to both: x_c = 0.15/3, x_a = x_b = (1 - x_c) / 2
printf '%s\n' 'a b' 'b a' 'c a' 'c b' >links.txt
"$MILLRACE" build links.txt -o g.mill --quiet
printf 'c\t5\nb\t47.5\na\t47.5\n' >s.tsv
run certify s.tsv --graph g.mill --json
exits 0
below "$root/stdout" error_bound 1e-13
field_is "$root/stdout" top 3
field_is "$root/stdout" top_proven 3
field_is "$root/stdout" order_proven 0
run certify s.tsv --graph g.mill
exits 0
has "$root/stdout" "3 of 3 have a score"
has "$root/stdout" "3 of the 3 best are surely among the 3 best"

begin "wrong scores have a bound above their error"
printf 'a\t0.5\nb\t0.45\nc\t0.05\n' >s.tsv
printf '%s\n' 'a b' 'b a' 'c a' 'c b' >links.txt
"$MILLRACE" build links.txt -o g.mill --quiet
run certify s.tsv --graph g.mill --top 1 --json
exits 0
above "$root/stdout" error_bound 0.05
field_is "$root/stdout" top_proven 0
# pages without a score have 0
printf 'a\t1\n' >s.tsv
run certify s.tsv --graph g.mill --json
exits 0
field_is "$root/stdout" pages_with_score 1
above "$root/stdout" error_bound 1.05

begin "the program's own scores, as text, array and Common Crawl's ranks"
"$MILLRACE" generate crawl --pages 20000 --seed 3 -o crawl.mill --quiet
"$MILLRACE" pagerank crawl.mill -o s.tsv --quiet
"$MILLRACE" pagerank crawl.mill -o s.npy --quiet
for file in s.tsv s.npy; do
    run certify $file --graph crawl.mill --json --threads 2
    exits 0
    below "$root/stdout" error_bound 2e-9
    above "$root/stdout" top_proven 0
done
{
    printf '#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\n'
    awk -F '\t' '{ print "1\t1\t1\t" $2 "\t" $1 }' s.tsv
} | gzip >ranks.txt.gz
run certify ranks.txt.gz --graph crawl.mill --json
exits 0
below "$root/stdout" error_bound 2e-9
# a swapped pair of the best
sort -t "$(printf '\t')" -k2,2gr s.tsv | awk -F '\t' '
    NR == 1 { name = $1; score = $2; next }
    NR == 2 { print name "\t" $2; print $1 "\t" score; next }
    { print }' >swapped.tsv
run certify swapped.tsv --graph crawl.mill --json
exits 0
above "$root/stdout" error_bound 1e-5
run pagerank crawl.mill --iterations 3 -o early.tsv --quiet
run certify early.tsv --graph crawl.mill --json
above "$root/stdout" error_bound 1e-3

begin "what cannot be certified is refused"
printf '%s\n' 'a b' >links.txt
"$MILLRACE" build links.txt -o g.mill --quiet
printf 'a\t1\nz\t2\n' >s.tsv
run certify s.tsv
exits 2
stderr_is <<'END'
millrace: certify: needs the graph; say --graph STORE
END
run certify s.tsv --graph g.mill
exits 3
stderr_is <<'END'
millrace: s.tsv: 1 of its names are not pages of g.mill; name the graph that the scores are of, or leave them out with --max-unknown
END
run certify s.tsv --graph g.mill --max-unknown 1 --json
exits 0
field_is "$root/stdout" unknown_names 1
printf 'a\t-1\nb\t2\n' >s.tsv
run certify s.tsv --graph g.mill
exits 3
printf 'a\t0\nb\t0\n' >s.tsv
run certify s.tsv --graph g.mill
exits 3
stderr_is <<'END'
millrace: no page of the graph has a score above 0; use scores of this graph
END
only_left links.txt g.mill s.tsv

finish
