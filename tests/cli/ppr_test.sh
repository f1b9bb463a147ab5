#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# millrace ppr and millrace trustrank: teleports to chosen pages, one set or many at once.
. "$(dirname "$0")/lib.sh"

# Error bounds as B.
normalise_bounds() {
    sed -E -i 's/error (bound|bounds at most) [0-9.]+e[-+][0-9]+/error \1 B/' "$root/stderr"
}

web() {
    printf 'a b\na c\nb c\nc a\nd c\nd e\ne d\nf f\n' | sed -E 's#([a-f])#http://\1/#g' >links.txt
    "$MILLRACE" build -o web.mill links.txt --quiet
}

# Column K of two score files differs by at most 1e-8 in each line.
close() {
    paste "$1" "$2" | awk -F '\t' -v k="$3" -v l="$4" \
        '{ d = $k - $l; if (d > 1e-8 || d < -1e-8) exit 1 }' || fail "$1 column $3 is not $2 column $4"
}

begin "one seed: what pagerank makes of the same teleport"
web
run ppr web.mill --seed http://d/ -o seed.tsv
exits 0
normalise_bounds
stdout_is </dev/null
stderr_is <<'END'
millrace: error bound B (tolerance 1e-09) after 13 passes, 0 of them partial, T s
END
echo http://d/ >seeds.txt
run pagerank web.mill --seeds seeds.txt -o expected.tsv --quiet
close seed.tsv expected.tsv 2 4
run ppr web.mill --seeds seeds.txt -o seeds.tsv --quiet
exits 0
cmp -s seed.tsv seeds.tsv || fail "--seed and --seeds differ"
field_is seed.tsv.meta.json algorithm '"ppr"'
field_is seed.tsv.meta.json converged true
grep -q '^http://f/	0$' seed.tsv || fail "what the seed does not reach is not 0"

begin "weights, dangling rules, a file of links"
web
printf 'http://a/\t1\nhttp://f/\t3\nhttp://a/\t1\n' >teleport.tsv
for rule in teleport uniform none; do
    run ppr links.txt --teleport teleport.tsv --dangling $rule -o scores.tsv --quiet --force
    exits 0
    run pagerank links.txt --teleport teleport.tsv --dangling $rule -o expected.tsv --quiet --force
    close scores.tsv expected.tsv 2 4
done
field_is scores.tsv.meta.json teleport_lines 3
field_is scores.tsv.meta.json teleport_vertices 2
field_is scores.tsv.meta.json teleport_duplicates 1

begin "a batch: the scores of each vector alone, whatever the width"
web
{
    echo "# topics"
    printf 'one\thttp://a/\ntwo\thttp://d/\t2\none\thttp://b/\ntwo\thttp://e/\t1\nthree\thttp://f/\n'
} >batch.tsv
run ppr web.mill --batch batch.tsv -o batch1.tsv --header --width 1
exits 0
normalise_bounds
stderr_is <<'END'
millrace: 3 vectors, 1 per pass: error bounds at most B (tolerance 1e-09) after 24 passes, T s
END
for width in 2 4 16; do
    run ppr web.mill --batch batch.tsv -o batch.tsv.$width --header --width $width --quiet
    exits 0
    cmp -s batch1.tsv batch.tsv.$width || fail "width $width gives other scores"
done
[ "$(head -n 1 batch1.tsv)" = "$(printf 'name\tone\ttwo\tthree')" ] || fail "header"
tail -n +2 batch1.tsv >rows.tsv
printf 'http://d/\t2\nhttp://e/\t1\n' >two.tsv
run ppr web.mill --teleport two.tsv -o alone.tsv --quiet
close rows.tsv alone.tsv 3 6
run ppr web.mill --batch batch.tsv -o batch.npy --names names.txt --quiet --width 2
exits 0
has batch.npy "'shape': (6, 3)"
[ "$(wc -l <names.txt)" = 6 ] || fail "names"
run compare batch.npy rows.tsv --column 2 --json
field_is "$root/stdout" l1 0.0
run ppr web.mill --batch batch.tsv --top 1 --by three --quiet
exits 0
grep -q '^http://f/	0	0	1$' "$root/stdout" || fail "top: $(cat "$root/stdout")"
run ppr web.mill --batch batch.tsv --json --quiet
exits 0
[ "$(grep -c '"error_bound"' "$root/stdout")" = 3 ] || fail "a certificate for each vector"

begin "teleports that are refused"
web
run ppr web.mill
exits 2
stderr_is <<'END'
millrace: ppr: needs one of --seed NAME, --seeds FILE, --teleport FILE, --batch FILE, --each FILE
END
run ppr web.mill --seed http://a/ --batch batch.tsv
exits 2
run ppr web.mill --seed http://nowhere/
exits 3
stderr_is <<'END'
millrace: --seed http://nowhere/: no page of the graph has that name
END
printf 'http://a/\t1\nhttp://x/\t1\nhttp://y/\t1\n' >teleport.tsv
run ppr web.mill --teleport teleport.tsv
exits 3
stderr_is <<'END'
millrace: note: teleport.tsv:2: "http://x/" is no page of the store; left out
millrace: note: teleport.tsv:3: "http://y/" is no page of the store; left out
millrace: teleport.tsv:2: 2 of 3 names (66.7%) are no page of the store, here the first, "http://x/"; compare their spelling with 'millrace find', or allow more than 50% with --max-unknown
END
run ppr web.mill --teleport teleport.tsv --max-unknown 2 -o scores.tsv
exits 0
has "$root/stderr" 'millrace: note: teleport.tsv:3: "http://y/" is no page of the store; left out'
field_is scores.tsv.meta.json teleport_unknown 2
printf 'http://a/\t-1\n' >teleport.tsv
run ppr web.mill --teleport teleport.tsv
exits 3
has "$root/stderr" "teleport.tsv:1:"
has "$root/stderr" "the weight is negative"
printf 'http://a/\tnan\n' >teleport.tsv
run ppr web.mill --teleport teleport.tsv
exits 3
has "$root/stderr" "the weight is no finite number"
printf 'http://a/\t0\nhttp://b/\t0\n' >teleport.tsv
run ppr web.mill --teleport teleport.tsv
exits 3
stderr_is <<'END'
millrace: teleport.tsv: names no page with a weight above 0; at least one must
END
printf 'one\thttp://a/\ntwo\thttp://b/\t0\n' >batch.tsv
run ppr web.mill --batch batch.tsv -o scores.npy
exits 3
stderr_is <<'END'
millrace: batch.tsv: vector "two": names no page with a weight above 0; at least one must
END
missing scores.npy

begin "not converged: exit 6, and the scores so far"
web
printf 'one\thttp://a/\ntwo\thttp://b/\n' >batch.tsv
run ppr web.mill --batch batch.tsv -o scores.npy --max-passes 2
exits 6
stderr_is <<'END'
millrace: the error bound of 2 of 2 vectors is above the tolerance 1.00e-09; raise --tolerance, or lower --damping
END
[ -s scores.npy ] || fail "no scores"

begin "each: the best pages of every seed, as ranked alone"
web
printf 'http://b/ http://g/\nhttp://c/ http://g/\n' >>links.txt
"$MILLRACE" build -o web.mill links.txt --quiet --force
printf '# seeds\nhttp://d/\nset\thttp://a/\t3\nhttp://a/\nset\thttp://b/\t1\nhttp://d/\n' >each.txt
for rule in teleport uniform none; do
    run ppr web.mill --each each.txt --top 4 --tolerance 1e-7 --dangling $rule -o each.tsv --force --header
    exits 0
    has "$root/stderr" "millrace: 4 seeds, the best 4 pages of each, proven for "
    has "$root/stderr" "; the errors of all scores of a seed add up to at most "
    has each.tsv "$(printf 'seed\tpage\tscore\tbound\tproven')"
    printf 'http://a/\t3\nhttp://b/\t1\n' >set.tsv
    "$MILLRACE" ppr web.mill --teleport set.tsv --dangling $rule --top 4 --quiet >expected.tsv
    grep '^set' each.tsv | cut -f 2- >found.tsv
    cut -f 1 expected.tsv | cmp -s - <(cut -f 1 found.tsv) || fail "$rule: other pages: $(cat each.tsv)"
    paste expected.tsv found.tsv | awk -F '\t' '{ d = $2 - $4; if (d > 2e-7 || d < -2e-7) exit 1 }' ||
        fail "$rule: other scores"
done
awk -F '\t' 'NR > 1 && ($4 > 1e-7 || $5 != 1) { exit 1 }' each.tsv || fail "not proven: $(cat each.tsv)"
# A seed that comes twice is answered twice; seeds stay in the order of their first lines.
[ "$(tail -n +2 each.tsv | cut -f 1 | uniq | tr '\n' ' ')" = "http://d/ set http://a/ http://d/ " ] || fail "seeds"

begin "each: other files, threads and memory change no bit"
web
printf 'http://d/\nhttp://f/\n' >each.txt
run ppr web.mill --each each.txt --top 3 -o each.jsonl
exits 0
python3 - <<'END' || fail "jsonl"
import json
rows = list(map(json.loads, open("each.jsonl")))
assert [row["seed"] for row in rows] == 3 * ["http://d/"] + ["http://f/"] and rows[0]["page"] == "http://c/"
last = rows[-1]
assert last == {"seed": "http://f/", "page": "http://f/", "score": last["score"], "bound": last["bound"], "proven": True}
assert abs(last["score"] - 1) <= last["bound"] <= 1e-2
END
field_is each.jsonl.meta.json each '"each.txt"'
field_is each.jsonl.meta.json seeds 2
run ppr web.mill --each each.txt --top 3 -o each.npy --names names.txt
exits 0
has each.npy "('pages', '<u4', (3,))"
[ "$(wc -c <each.npy)" = $((192 + 2 * (13 + 3 * 12))) ] || fail "npy: $(wc -c <each.npy)"
run ppr web.mill --each each.txt --top 3 --quiet
exits 0
cp "$root/stdout" each.tsv
run ppr web.mill --each each.txt --top 3 -o each.csv --quiet
exits 0
run ppr web.mill --each each.txt --top 3 -o each.json --quiet
exits 0
python3 - <<'END' || fail "csv, json"
import csv, json
rows = [line.rstrip("\n").split("\t") for line in open("each.tsv")]
assert [["seed", "page", "score", "bound", "proven"]] + rows == list(csv.reader(open("each.csv")))
assert json.load(open("each.json")) == [json.loads(line) for line in open("each.jsonl")]
END
run ppr web.mill --each <(echo http://d/) --top 1 -o single.tsv
exits 0
has "$root/stderr" "millrace: 1 seed, the best 1 page of each, proven for "
"$MILLRACE" generate crawl --pages 20000 --random-seed 3 -o crawl.mill --quiet
seq 0 97 19999 >seeds.txt
run ppr crawl.mill --each seeds.txt -t 1 -o one.tsv --quiet
run ppr crawl.mill --each seeds.txt -t 3 -o three.tsv --quiet
cmp -s one.tsv three.tsv || fail "threads change the output"
run ppr crawl.mill --each seeds.txt --estimate
least=$(sed -n 's/^least memory *--memory //p' "$root/stdout")
run ppr crawl.mill --each seeds.txt --memory "$least" -o least.tsv --quiet
exits 0
cmp -s one.tsv least.tsv || fail "memory changes the output"

begin "each: names that do not fit into memory together are looked up again"
long=http://long.org/$(printf '%0500d' 0)
seq 2 12000 | sed "s,.*,http://h/ $long&," >links.txt
"$MILLRACE" build -o long.mill links.txt --quiet
run ppr long.mill --each <(echo http://h/) --top 12000 --tolerance 1e-7 --quiet
exits 0
cut -f 2 "$root/stdout" | sort >found
{ echo http://h/; seq 2 12000 | sed "s,^,$long,"; } | sort | cmp -s - found || fail "other names"

begin "each: a seed that goes through the whole graph has the same best pages, from any threads"
"$MILLRACE" generate kron --scale 16 --edge-factor 24 -o kron.mill --quiet
for threads in 1 3; do
    run ppr kron.mill --each <(seq 1 3) --tolerance 1e-6 --top 5 --threads $threads -o kron$threads.tsv
    exits 0
done
cmp -s kron1.tsv kron3.tsv || fail "threads change the output"
"$MILLRACE" ppr kron.mill --seed 1 --tolerance 1e-6 --top 5 --quiet | cut -f 1 >best
sed 5q kron1.tsv | cut -f 2 | cmp -s - best || fail "--seed has other pages"

begin "each: what is refused, and what is left out"
web
printf 'http://a/\nhttp://x/\nset\thttp://b/\t0\n' >each.txt
run ppr web.mill --each each.txt --top 2 -o each.jsonl
exits 0
sed -i -E 's/ at most .*/ .../' "$root/stderr"
stderr_is <<'END'
millrace: note: each.txt:2: "http://x/" is no page of the store; left out
millrace: note: each.txt: 1 of 3 names (33.3%) are no page of the store
millrace: note: each.txt:2: "http://x/" has no page of the store with a weight above 0
millrace: note: each.txt:3: "set" has no page of the store with a weight above 0
millrace: 3 seeds, the best 2 pages of each, proven for 1; the errors of all scores of a seed add up to ...
END
[ "$(grep -c '"seed":"http://a/"' each.jsonl)" = "$(wc -l <each.jsonl)" ] || fail "rows of seeds without a page"
field_is each.jsonl.meta.json seeds_empty 2
field_is each.jsonl.meta.json seeds_unknown 1
run ppr web.mill --each each.txt --max-unknown 0
exits 3
has "$root/stderr" 'each.txt:2: "http://x/" is no page of the store (1 such names so far); allow more with --max-unknown'
printf 'set\thttp://b/\t0\n' >empty.txt
run ppr web.mill --each empty.txt
exits 3
has "$root/stderr" "empty.txt: no line has a page of the store with a weight above 0"
run ppr web.mill --each each.txt --top 0
exits 2
has "$root/stderr" "--top"
for error in 0 1.5 -1 nan; do
    run ppr web.mill --each each.txt --tolerance $error
    exits 2
    has "$root/stderr" "--tolerance"
done
run ppr web.mill --each each.txt --batch each.txt
exits 2
run ppr web.mill --each each.txt -o score_uri.txt
exits 2
has "$root/stderr" "score_uri.txt: has one score for each page, not one for each seed; name a file of lines with tabs (.tsv)"
run ppr web.mill --each each.txt --tolerance 1e-300 -o far.tsv --quiet
exits 6
[ -s far.tsv ] || fail "no pages"

begin "trustrank: pagerank from the trusted; spam mass is what they do not explain"
web
printf 'http://a/\nhttp://b/\n' >trusted.txt
run trustrank web.mill --trusted trusted.txt -o trust.tsv --quiet
exits 0
run pagerank web.mill --seeds trusted.txt -o expected.tsv --quiet
close trust.tsv expected.tsv 2 4
run trustrank web.mill --trusted trusted.txt --spam-mass -o spam.tsv --quiet
exits 0
run pagerank web.mill -o ranks.tsv --quiet
close spam.tsv ranks.tsv 2 7
close spam.tsv trust.tsv 5 7
# The bound of the columns is in the report of the same file, too.
run trustrank web.mill --trusted trusted.txt --spam-mass -o again.tsv
has "$root/stderr" "note: the trusted pages are"
bound=$(sed -n 's/^millrace: pagerank and trust, which add up to 1, have error bounds of at most //p' "$root/stderr")
"$MILLRACE" report web.mill again.tsv -o again.html --quiet
has again.html "\"bound\":\"$bound\""
# f is reached from itself alone: all of it is spam; a and b jump for themselves
awk -F '\t' '$1 == "http://f/" { exit !($3 == $2 && $4 == 1) }' spam.tsv || fail "f: $(cat spam.tsv)"
awk -F '\t' '$3 < 0 || $3 > $2 { exit 1 }' spam.tsv || fail "mass is no part: $(cat spam.tsv)"
# The masses of trusted and of all others add up to the whole.
printf 'http://c/\nhttp://d/\nhttp://e/\nhttp://f/\n' >others.txt
run trustrank web.mill --trusted others.txt --spam-mass -o others.tsv --quiet
paste spam.tsv others.tsv | awk -F '\t' '{ d = $3 + $8 - $2; if (d > 1e-8 || d < -1e-8) exit 1 }' ||
    fail "masses do not add up"
run trustrank web.mill --trusted trusted.txt --spam-mass --good-share 0.85 --sort score --by spam_mass -o suspects.tsv
exits 0
lacks "$root/stderr" "note: the trusted pages"
cut -f 3 suspects.tsv | sort -c -g -r || fail "suspects are not sorted: $(cat suspects.tsv)"
run trustrank web.mill --trusted trusted.txt --spam-mass --good-share 0.85 --top 1 --by spam_mass --header --quiet
exits 0
has "$root/stdout" "$(printf 'name\tpagerank\tspam_mass\tspam_share\ttrust')"
has "$root/stdout" "http://f/"
run trustrank web.mill
exits 2
stderr_is <<'END'
millrace: trustrank: needs --trusted FILE
END

finish
