#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# millrace hits: hubs and authorities.
. "$(dirname "$0")/lib.sh"

# Changes and estimates of errors are rounding: as E.
normalise_hits() {
    sed -E -i 's/by (about )?[0-9.]+e[-+][0-9]+/by \1E/g' "$root/stderr"
}

two_hubs() {
    printf '1 2\n1 3\n4 2\n4 3\n5 3\n6 7\n' >links.txt
    "$MILLRACE" build -o web.mill links.txt --quiet
    "$MILLRACE" transpose web.mill -o reversed.mill --quiet
}

# Hub and authority rounded, as NAME HUB AUTHORITY.
both_are() {
    sort "$root/stdout" | awk -F '\t' '{ printf "%s %.6f %.6f\n", $1, $2, $3 }' >"$root/both"
    same both "$root/both"
}

begin "a store and its reverse"
two_hubs
run hits web.mill --reverse reversed.mill
exits 0
normalise_hits
stderr_is <<'END'
millrace: the last of 5 rounds changed hubs by E, authorities by E (l1, tolerance 1e-09), 18 passes, T s
millrace: second eigenvalue 0.2192 of the first; hubs are off by about E
END
both_are <<'END'
1 0.390388 0.000000
2 0.000000 0.438447
3 0.000000 0.561553
4 0.390388 0.000000
5 0.219224 0.000000
6 0.000000 0.000000
7 0.000000 0.000000
END
cp "$root/stdout" given.tsv

begin "without a reverse it makes one, says so, and leaves nothing behind; the same for a file of links"
two_hubs
rm -r reversed.mill
run hits web.mill -o hits.tsv
exits 0
has "$root/stderr" "millrace: note: no --reverse STORE; making a temporary reverse in $TMPDIR ('millrace transpose' makes one to keep)"
only_left hits.tsv hits.tsv.meta.json links.txt web.mill
run hits links.txt -o direct.tsv --quiet --threads 1
exits 0
cmp -s hits.tsv direct.tsv || fail "a file of links gives other scores"
only_left hits.tsv hits.tsv.meta.json links.txt web.mill direct.tsv direct.tsv.meta.json
field_is hits.tsv.meta.json algorithm '"hits"'
field_is hits.tsv.meta.json depends_on_start false
field_is hits.tsv.meta.json acceleration 6

begin "norms, --top, --by, --header, .npy"
two_hubs
run hits web.mill --reverse reversed.mill --norm max --top 2 --header --quiet
exits 0
stderr_is </dev/null
head -n 1 "$root/stdout" >head.txt
printf 'name\thub\tauthority\n' | cmp -s - head.txt || fail "header $(cat head.txt)"
awk 'NR == 2 && $1 == 3 && $3 == 1 { found = 1 } END { exit !found }' "$root/stdout" || fail "the best is not 3"
run hits web.mill --reverse reversed.mill --norm l2 --top 1 --by hub --quiet
exits 0
awk '$1 == 1 && $2 > 0.657 && $2 < 0.658 { found = 1 } END { exit !found }' "$root/stdout" || fail "hub $(cat "$root/stdout")"
run hits web.mill --reverse reversed.mill -o hits.npy --names names.txt --quiet
exits 0
has hits.npy "'shape': (7, 2)"
[ "$(wc -l <names.txt)" = 7 ] || fail "names"

begin "links that go both ways need no reverse"
printf '1 2\n2 3\n' >links.txt
run build -o web.mill --undirected links.txt --quiet
run hits web.mill -o hits.tsv
exits 0
lacks "$root/stderr" temporary

begin "page scores: what is irrelevant gives nothing back"
two_hubs
printf '7\t5\n' >relevance.tsv
run hits web.mill --reverse reversed.mill --page-scores relevance.tsv --quiet
exits 0
both_are <<'END'
1 0.000000 0.000000
2 0.000000 0.000000
3 0.000000 0.000000
4 0.000000 0.000000
5 0.000000 0.000000
6 1.000000 0.000000
7 0.000000 1.000000
END
printf '7\t5\n8\t1\n' >relevance.tsv
run hits web.mill --reverse reversed.mill --page-scores relevance.tsv -o half.tsv
exits 0
has "$root/stderr" "note: relevance.tsv: 1 of 2 names (50%) are no page of the store"
run hits web.mill --reverse reversed.mill --page-scores relevance.tsv --max-unknown 0
exits 3
stderr_is <<'END'
millrace: relevance.tsv:2: "8" is no page of the store (1 such names so far); allow more with --max-unknown
END
printf '7\t-5\n' >relevance.tsv
run hits web.mill --reverse reversed.mill --page-scores relevance.tsv
exits 3
stderr_is <<'END'
millrace: relevance.tsv:1: "7\x09-5": the weight is negative
END

begin "equal parts: a warning"
printf '1 2\n3 4\n' >links.txt
run hits links.txt -o hits.tsv
exits 0
has "$root/stderr" "millrace: warning: the two largest eigenvalues seem equal (ratio 1): parts of the graph share the first rank, and their shares depend on the start"
field_is hits.tsv.meta.json depends_on_start true
run hits links.txt -o hits.tsv --probe 0 --force
exits 0
lacks "$root/stderr" eigenvalue
field_is hits.tsv.meta.json separation null

begin "a query: the pages found, what they link to, what links to them"
printf 'http://a/ http://b/\nhttp://c/ http://b/\nhttp://d/ http://b/\nhttp://b/ http://e/\nhttp://e/ http://f/\n' >links.txt
run build -o web.mill links.txt --quiet
printf 'http://b/\n' >found.txt
run hits web.mill --query found.txt -o hits.tsv
exits 0
has "$root/stderr" "millrace: pages of the query: 1, with their neighbours: 5; links: 4"
cut -f 1 hits.tsv >names.txt
file_is names.txt <<'END'
http://a/
http://b/
http://c/
http://d/
http://e/
END
field_is hits.tsv.meta.json base_set_vertices 5
only_left found.txt hits.tsv hits.tsv.meta.json links.txt names.txt web.mill
run hits web.mill --query found.txt --in-links 1 --quiet
exits 0
cut -f 1 "$root/stdout" | sort | tr '\n' ' ' >names.txt
printf 'http://a/ http://b/ http://e/ ' | cmp -s - names.txt || fail "names $(cat names.txt)"
run hits web.mill --query found.txt --reverse web.mill
exits 2
run hits web.mill --in-links 3
exits 2
stderr_is <<'END'
millrace: --in-links needs --query FILE
END

begin "a start from an earlier result, of another crawl too"
two_hubs
run hits web.mill --reverse reversed.mill -o old.tsv --quiet
printf '99\t0.5\t0.5\n' >>old.tsv
run hits web.mill --reverse reversed.mill --start old.tsv -o new.tsv --quiet
exits 0
run compare old.tsv new.tsv --json
awk -F '[ ,]+' '/"l1"/ { exit !($3 < 1e-8) }' "$root/stdout" || fail "another result: $(cat "$root/stdout")"

begin "no links: zeros"
run build -o web.mill --vertices 3 /dev/null --quiet
run hits web.mill --quiet
exits 0
stdout_is <<<"$(printf '0\t0\t0\n1\t0\t0\n2\t0\t0')"

begin "not converged: exit 6, and the scores so far"
two_hubs
run hits web.mill --reverse reversed.mill --max-rounds 1 -o hits.tsv
exits 6
[ -e hits.tsv ] || fail "no scores"
field_is hits.tsv.meta.json converged false

begin "precedence takes the authorities, or a column"
two_hubs
run hits web.mill --reverse reversed.mill -o hits.tsv --header --quiet
run precedence hits.tsv --levels 7 --quiet
exits 0
has "$root/stdout" "3 1"
run precedence hits.tsv --levels 7 --column hub --quiet
exits 0
has "$root/stdout" "1 1"

begin "what is no reverse is refused, although its degrees or its links are right"
two_hubs
run hits web.mill --reverse web.mill
exits 3
stderr_is <<'END'
millrace: web.mill is not the reverse of web.mill: its links are others; make one with 'millrace transpose'
END
printf '0 1\n1 2\n2 3\n3 0\n0 2\n1 3\n' >one.txt
printf '0 3\n1 2\n2 3\n3 0\n0 2\n1 1\n' >same-degrees.txt
printf '0 1 2\n1 2 1\n2 3 1\n3 0 1\n0 2 1\n1 3 1\n' >heavy.txt
printf '0 1 1\n1 2 1\n2 3 1\n3 0 1\n0 2 1\n1 3 2\n' >same-links.txt
printf '0 1 .5\n1 3 1\n1 2 1\n2 3 1\n3 0 1\n0 2 1\n0 1 1.5\n' >merged.txt
printf '0 1\n1 2\n2 3\n3 0\n0 2\n1 2\n' >appended.txt
for name in one same-degrees appended; do
    "$MILLRACE" build -o $name.mill $name.txt --quiet
done
for name in heavy same-links merged; do
    "$MILLRACE" build -o $name.mill $name.txt --weights --quiet
    "$MILLRACE" build -o $name-built.mill $name.txt --weights --transpose --quiet
done
for name in one same-degrees heavy same-links merged; do
    "$MILLRACE" transpose $name.mill -o $name-reversed.mill --quiet
done
"$MILLRACE" transpose appended.mill -o one-before.mill --quiet
"$MILLRACE" append one.mill appended.txt --quiet # brings no new link
while read -r store reverse code weights; do
    run hits $store.mill --reverse $reverse.mill --quiet $weights
    exits "$code"
done <<'END'
one one-reversed 0
one-reversed one 0
one same-degrees-reversed 3
one one-before 3
heavy heavy-reversed 0 --weights
heavy heavy-built 0 --weights
heavy merged-reversed 0 --weights
merged merged-built 0 --weights
heavy same-links-reversed 3 --weights
heavy same-links-reversed 0
END
run hits web.mill --by score --top 3
exits 2
stderr_is <<'END'
millrace: --by score: no such score; choose hub or authority
END
run hits web.mill --acceleration 1
exits 2

begin "salsa: degrees within connected parts; degree: numbers of links"
two_hubs
run salsa web.mill
exits 0
stderr_is <<'END'
millrace: hubs: 4, authorities: 3, connected parts: 2, T s
END
both_are <<'END'
1 0.300000 0.000000
2 0.000000 0.266667
3 0.000000 0.400000
4 0.300000 0.000000
5 0.150000 0.000000
6 0.250000 0.000000
7 0.000000 0.333333
END
run salsa links.txt --top 1 --quiet --json
exits 0
"${PYTHON:-python3}" -c 'import json, sys
(page,) = json.load(sys.stdin)["top"]
assert page["name"] == "3" and page["links_in"] == 3 and page["links_out"] == 0, page
assert abs(page["authority"] - 0.4) < 1e-12 and page["hub"] == 0 and "host" not in page, page
' <"$root/stdout" || fail "$(cat "$root/stdout")"
run salsa links.txt -o salsa.tsv --json --quiet
field_is "$root/stdout" parts 2
field_is "$root/stdout" largest_part_hubs 3
run degree web.mill --top 1 --json --quiet
exits 0
lacks "$root/stdout" links_in
run degree web.mill --top 2 --by in --header --quiet
exits 0
stdout_is <<<"$(printf 'name\tout\tin\n3\t0\t3\n2\t0\t2')"

begin "plain rounds go on while a vector with a small share comes up"
{
    seq 1 1000 | awk '{ print $1, $1 + 2000, 1 }'
    echo "5000 5001 1.05"
} >small-share.txt
run build -o share.mill --weights small-share.txt --quiet
exits 0
run hits share.mill --weights --acceleration 0 --top 1 --quiet
exits 0
[ "$(cut -c 1-15 "$root/stdout")" = "$(printf '5001\t0\t0.999999')" ] || fail "$(cat "$root/stdout")"
run hits share.mill --weights --acceleration 0 --max-rounds 40 --top 1 --quiet
exits 6
has "$root/stderr" "raise --tolerance or --max-rounds"

finish
