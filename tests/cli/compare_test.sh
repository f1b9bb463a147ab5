#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# millrace compare: two score files.
. "$(dirname "$0")/lib.sh"

begin "two rankings of the same pages, in another order, one of them compressed"
printf 'x\t1\ny\t2\nz\t3\nw\t4\n' >a.tsv
printf 'w\t4\nz\t2.5\nx\t1.5\ny\t1\n' | gzip >b.tsv.gz
run compare a.tsv b.tsv.gz --top 2
exits 0
stderr_is </dev/null
stdout_is <<'END'
pages compared   4, 3 of them with different scores
in one only      0 in A, 0 in B, left out
sum of scores    10 in A, 9 in B
Kendall tau-b    0.666666667
Spearman rho     0.800000000
best in common   2 of 2
L1               2
L-infinity       1
END
gzip -dc b.tsv.gz | run compare a.tsv - --json
exits 0
stdout_is <<'END'
{
  "a": "a.tsv",
  "b": "-",
  "matched_by": "name",
  "missing": "skip",
  "pages_a": 4,
  "pages_b": 4,
  "pages_common": 4,
  "pages_compared": 4,
  "pages_different": 3,
  "sum_a": 10.0,
  "sum_b": 9.0,
  "kendall_tau": 0.6666666666666666,
  "spearman_rho": 0.8,
  "top": 4,
  "top_common": 4,
  "l1": 2.0,
  "l_infinity": 1.0
}
END

begin "tables of other programs"
printf 'x\t1\ny\t2.5\nz\t3\n' >a.tsv
printf 'node,pagerank\nx,1\ny,2.5\nz,3\n' >networkx.csv
printf ',node,pagerank\n0,x,1\n1,y,2.5\n2,z,3\n' >pandas.csv
printf 'Id;Label;PageRank\nx;X;1\ny;Y;2,5\nz;Z;3\n' >gephi.csv
printf 'x 1\ny 2.5\nz 3\n' >blanks.txt
printf 'Node\tPageRank\r\nx\t1\r\ny\t2,5\r\nz\t3\r\n' | iconv -f utf-8 -t utf-16 >excel.txt
printf '[{"id": "x", "pagerank": 1}, {"id": "y", "pagerank": 2.5}, {"id": "z", "pagerank": 3}]' >list.json
for file in networkx.csv pandas.csv gephi.csv blanks.txt excel.txt list.json; do
    run compare a.tsv $file --json
    exits 0
    field_is "$root/stdout" pages_common 3
    field_is "$root/stdout" l1 0.0
done

begin "pages that only one file has: left out, or 0"
printf 'x\t1\ny\t2\nz\t3\n' >a.tsv
printf 'y\t2\nz\t3\nw\t4\n' >b.tsv
run compare a.tsv b.tsv --top 1
exits 0
stdout_is <<'END'
pages compared   2, 0 of them with different scores
in one only      1 in A, 1 in B, left out
sum of scores    6 in A, 9 in B
Kendall tau-b    1.000000000
Spearman rho     1.000000000
best in common   0 of 1
L1               0
L-infinity       0
END
run compare a.tsv b.tsv --missing zero --json
exits 0
field_is "$root/stdout" pages_compared 4
field_is "$root/stdout" l1 5.0
field_is "$root/stdout" l_infinity 4.0

begin "what cannot be correlated is undefined"
printf 'x\t1\ny\t1\n' >a.tsv
run compare a.tsv a.tsv
exits 0
has "$root/stdout" "Kendall tau-b    undefined"
run compare a.tsv a.tsv --json
field_is "$root/stdout" spearman_rho null

begin "a ranking with itself, as text and as an array"
printf '1 2\n2 3\n3 1\n3 4\n1 4\n5 1\n' >links.txt
run pagerank links.txt -o a.tsv --quiet
run pagerank links.txt -o a.npy --quiet
run compare a.tsv a.npy --json
exits 0
field_is "$root/stdout" matched_by '"row"'
field_is "$root/stdout" kendall_tau 1.0
field_is "$root/stdout" l1 0.0
head -n 3 a.tsv >short.tsv
run compare short.tsv a.npy
exits 3
stderr_is <<'END'
millrace: a.npy: an array has no names, so the other file must have as many rows; short.tsv does not
END

begin "columns of one file against each other"
printf 'name\thub\tauthority\nx\t1\t2\ny\t2\t1\n' >hits.tsv
run compare hits.tsv hits.tsv --column hub --column-b authority --json
exits 0
field_is "$root/stdout" kendall_tau -1.0

begin "every file of scores that is written for somebody is read back"
printf 'http://a/ http://b/\nhttp://c/ http://b/\nhttp://b/ http://d/\n' >urls.txt
run pagerank urls.txt -o ranks.tsv --quiet
for format in nutch stormcrawler frontera frontera-hbase scrapy commoncrawl heritrix; do
    run precedence ranks.tsv --crawler $format -o $format.txt --levels 4 --quiet
    exits 0
    run compare ranks.tsv $format.txt --json
    exits 0
    field_is "$root/stdout" pages_common 4
    case $format in # levels are 1 for the best, Frontera's scores 0; two pages with equal scores are on two of them
    commoncrawl) field_is "$root/stdout" l1 0.0 ;;
    heritrix | frontera) field "$root/stdout" spearman_rho | grep -qE '^-(1.0|0.9)' || fail "$format: $(cat "$root/stdout")" ;;
    *) field "$root/stdout" spearman_rho | grep -qE '^(1.0|0.9)' || fail "$format: $(cat "$root/stdout")" ;;
    esac
done
run hits urls.txt -o hits.tsv --quiet
run compare ranks.tsv hits.tsv --json
exits 0
run opic urls.txt -o opic.tsv --quiet
run compare ranks.tsv opic.tsv --json
exits 0

begin "a row of the figures"
printf 'x\t1\ny\t2\n' >a.tsv
run compare a.tsv a.tsv -o alike.csv
exits 0
stdout_is </dev/null
file_is alike.csv <<'END'
a,b,matched_by,missing,pages_a,pages_b,pages_common,pages_compared,pages_different,sum_a,sum_b,kendall_tau,spearman_rho,top,top_common,l1,l_infinity
a.tsv,a.tsv,name,skip,2,2,2,2,0,3,3,1,1,2,2,0,0
END

begin "what changed" # bounds are powers of 2, so that sums are exact
side() { # FILE PAGES BOUND [FIELD...]
    printf '{"vertices": %s, "error_bound": %s, "dangling": "teleport", "score_sum": 1%s}' "$2" "$3" "${4:-}" >"$1.meta.json"
}
printf 'http://a/1\t0.5\nhttp://a/2\t0.25\nb\t0.125\nhttp://c/\t0.125\n' >old.tsv
printf 'http://a/2\t0.5\nhttp://a/1\t0.25\nb\t0.125\nhttp://d/\t0.125\n' >new.tsv
side old.tsv 4 0.0625
side new.tsv 4 0.0625
run compare --changes old.tsv new.tsv --header
exits 0
stdout_is <<'END'
name	of	kind	before	after	change	rank_before	rank_after	best_before	worst_before	best_after	worst_after
http://a/2	page	gained	1	2	1	2	1	2	2	1	1
http://a/1	page	lost	2	1	-1	1	2	1	1	2	2
http://d/	page	new	nan	0.5	nan	0	3	0	0	3	4
http://c/	page	gone	0.5	nan	nan	3	0	3	4	0	0
d	host	new	nan	0.5	nan	0	2	0	0	2	2
c	host	gone	0.5	nan	nan	2	0	2	2	0	0
END
stderr_is <<'END'
millrace: pages: 1 gained and 1 lost more than both bounds, 1 new, 1 gone
millrace: hosts: 0 gained and 0 lost more than both bounds, 1 new, 1 gone
millrace: bounds of a score: 1.3e-01 before, 1.3e-01 after; scores are times the pages of their graph (--scale pages)
END
side old.tsv 4 0.25
side new.tsv 4 0.25
run compare --changes old.tsv new.tsv --json # a change that is as large as both bounds is not proven
exits 0
field_is "$root/stdout" bound_a 0.5000000000000036
field_is "$root/stdout" pages_gained 0
side old.tsv 4 0.24
run compare --changes old.tsv new.tsv --json --scale one
exits 0
field_is "$root/stdout" bound_b 0.1250000000000009
field_is "$root/stdout" pages_gained 1
side new.tsv 4 0.25 ', "damping": 0.5'
side old.tsv 4 0.125 ', "damping": 0.85'
sed -i s/teleport/none/ old.tsv.meta.json new.tsv.meta.json # then nothing halves the bounds
run compare --changes old.tsv new.tsv --json
exits 0
field_is "$root/stdout" bound_b 1.0
field_is "$root/stdout" pages_gained 0
stderr_is <<'END'
millrace: note: old.tsv and new.tsv were not ranked in the same way: damping differs; changes come from this, too
millrace: pages: 0 gained and 0 lost more than both bounds, 1 new, 1 gone
millrace: hosts: 0 gained and 0 lost more than both bounds, 1 new, 1 gone
millrace: bounds of a score: 5.0e-01 before, 1.0e+00 after; scores are times the pages of their graph (--scale pages)
END

begin "changes that nothing can prove"
printf 'x\t0.5\ny\t0.5\n' >a.tsv
run compare --changes a.tsv a.tsv
exits 3
stderr_is <<'END'
millrace: a.tsv: has no .meta.json with an error bound of PageRank beside it, so no change can be proven; 'millrace certify SCORES --graph STORE --json > SCORES.meta.json' writes one
END
printf 'x y\ny x\n' >links.txt
run build links.txt -o g.mill --quiet
"$MILLRACE" certify a.tsv --graph g.mill --json >a.tsv.meta.json
run pagerank g.mill -o b.tsv --quiet
run pagerank g.mill -o b.npy --quiet
run compare --changes a.tsv b.tsv
exits 0
stdout_is </dev/null
run compare --changes a.tsv b.npy
exits 3
stderr_is <<'END'
millrace: an array has no names, by which changes are found; give files with names, such as -o scores.tsv
END
head -n 1 b.tsv >cut.tsv
cp b.tsv.meta.json cut.tsv.meta.json
run compare --changes a.tsv cut.tsv
exits 3
stderr_is <<'END'
millrace: cut.tsv: has 1 scores of a graph with 2 pages; changes need the scores of all pages, as -o FILE writes them
END
awk -F '\t' '{ printf "%s\t%.1f\n", $1, $2 + 0.1 }' b.tsv >rounded.tsv
cp b.tsv.meta.json rounded.tsv.meta.json
run compare --changes a.tsv rounded.tsv
exits 3
has "$root/stderr" "rounded.tsv: has scores that add up to 1.2 and not to 1, from which they differ by at most "
run hits g.mill -o hits.tsv --quiet
run compare --changes b.tsv hits.tsv
exits 3
has "$root/stderr" "hits.tsv: has scores of hits without one error bound for all of them, so no change can be proven; "
run compare --changes a.tsv nowhere.tsv
exits 3
stderr_is <<'END'
millrace: nowhere.tsv: does not exist; check the name
END
run compare --changes - b.tsv
exits 2
stderr_is <<'END'
millrace: changes need files of scores, because they are read twice
END

begin "what is refused"
printf 'http://a/\t1\n' >a.tsv
printf 'com.b\t1\ncom.c\t2\n' >b.tsv
run compare a.tsv b.tsv
exits 3
stdout_is </dev/null
stderr_is <<'END'
millrace: a.tsv: names no page that b.tsv names: the first ones are "http://a/" and "com.b"; give scores of the same pages, called by the same names
END
run precedence --mix 1:a.tsv,1:b.tsv
exits 3
printf 'x\t1\n' >a.tsv
run compare a.tsv
exits 2
stderr_is <<'END'
millrace: compare needs two files of scores; 'millrace help compare' tells more
END
run compare - -
exits 2
stderr_is <<'END'
millrace: standard input can be read only once; name - once
END
run compare a.tsv nowhere.tsv
exits 3
stderr_is <<'END'
millrace: nowhere.tsv: does not exist; check the name
END

finish
