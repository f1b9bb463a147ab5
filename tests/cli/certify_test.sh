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
printf 'a\t1\nb\t1\n' >s.tsv
run certify s.tsv --graph g.mill --json
exits 0
field_is "$root/stdout" pages_with_score 2
above "$root/stdout" error_bound 0.1

begin "the program's own scores, as text, array and Common Crawl's ranks"
"$MILLRACE" generate crawl --pages 20000 --random-seed 3 -o crawl.mill --quiet
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
printf 'a\t1\nb\t2\nz\t2\n' >s.tsv
run certify s.tsv
exits 2
stderr_is <<'END'
millrace: certify: needs scores and their graph: certify SCORES STORE
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
millrace: s.tsv: gives no page of g.mill a score above 0; use scores of this graph
END
run certify s.tsv missing.mill
exits 3
stderr_is <<<"millrace: missing.mill: no such store; check the name"
only_left links.txt g.mill s.tsv
printf '%s\n' 'a b' 'b c' 'c a' 'c d' 'd a' >links.txt
"$MILLRACE" build links.txt -o g.mill --quiet --force
mkdir ranks
printf 'name,pagerank\na,1.148\nb,1.125\n' >ranks/part-00000.csv
printf 'name,pagerank\nc,1.107\nd,0.62\n' >ranks/part-00001.csv
: >ranks/_SUCCESS
: >ranks/.part-00000.csv.crc
run certify ranks/part-00000.csv --graph g.mill
exits 3
stderr_is <<'END'
millrace: ranks/part-00000.csv: 2 of the 4 pages have no score, and nothing can be proven of the others; if ranks are in parts, name their directory
END
run certify ranks/part-00000.csv ranks/part-00001.csv --graph g.mill
exits 2
stderr_is <<'END'
millrace: ranks/part-00001.csv: one argument too many beside --graph g.mill
END
run certify ranks --graph g.mill --json
exits 0
awk -v b="$(field "$root/stdout" error_bound)" 'BEGIN { exit !(b + 0 < 0.01) }' || fail "$(cat "$root/stdout")"
printf 'a\t1\nb\t2\nc\t3\nd\t4\n' >s.tsv
run certify s.tsv --graph g.mill
exits 0
stderr_is <<'END'
millrace: note: a bound above 2 proves nothing; are the scores of another graph, --damping, --teleport, --weights or --column?
END

begin "--teleport: the exact ranking of pagerank --teleport, and of no other"
"$MILLRACE" generate crawl --pages 20000 --random-seed 3 -o crawl.mill --quiet
printf '5\t3\n77\t0.5\n19000\t2\n' >teleport.tsv
"$MILLRACE" pagerank crawl.mill --teleport teleport.tsv -o t.tsv --quiet
run certify t.tsv --graph crawl.mill --teleport teleport.tsv --json
exits 0
below "$root/stdout" error_bound 2e-9
run certify t.tsv --graph crawl.mill --json
exits 0
above "$root/stdout" error_bound 0.5
printf '5\t3\n77\t0.6\n19000\t2\n' >other.tsv
run certify t.tsv --graph crawl.mill --teleport other.tsv --json
exits 0
above "$root/stdout" error_bound 1e-3
# --dangling: where pages without links link to
for dangling in teleport uniform none; do
    "$MILLRACE" pagerank crawl.mill --teleport teleport.tsv --dangling $dangling -o d.tsv --quiet --force
    for said in teleport uniform none; do
        run certify d.tsv --graph crawl.mill --teleport teleport.tsv --dangling $said --json
        # scores are divided by their sum, and then none is teleport
        if [ "${dangling/none/teleport}" = "${said/none/teleport}" ]; then
            below "$root/stdout" error_bound 1e-8
        else
            above "$root/stdout" error_bound 1e-3
        fi
    done
done
printf 'nowhere\t3\n' >other.tsv
run certify t.tsv --graph crawl.mill --teleport other.tsv
exits 3

begin "--harmonic: a sample of pages against searches in breadth"
"$MILLRACE" generate crawl --pages 20000 --random-seed 3 -o crawl.mill --quiet
"$MILLRACE" harmonic crawl.mill -o exact.tsv --exact --quiet
run certify exact.tsv --graph crawl.mill --harmonic --sample 200 --json
exits 0
field_is "$root/stdout" sample 200
field_is "$root/stdout" relative_error 0.0
below "$root/stdout" largest_error 1e-12
"$MILLRACE" harmonic crawl.mill -o h.tsv --log2m 10 --quiet
run certify h.tsv --graph crawl.mill --harmonic --sample 200 --json
exits 0
above "$root/stdout" within_3 150
below "$root/stdout" mean_error 0.12
above "$root/stdout" mean_error 0
# ten times too large
awk -F '\t' '{ print $1 "\t" 10 * $2 }' h.tsv >ten.tsv
run certify ten.tsv --graph crawl.mill --harmonic --relative-error 0.0325 --json
exits 0
below "$root/stdout" within_3 10
above "$root/stdout" largest_error 8
run certify ten.tsv --graph crawl.mill --harmonic
exits 2
has "$root/stderr" "say --relative-error E"
run certify h.tsv --graph crawl.mill --relative-error 0.1
exits 2
run certify h.tsv --graph crawl.mill --harmonic --weights
exits 2

finish
