#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a terminal a ranking shows the best pages as a table, with the digits that are proven. A file and a pipe get
# all lines. crawl-rank ends with the best pages and hosts. Python makes the terminal (a pty).
. "$(dirname "$0")/lib.sh"

# on_terminal ARGUMENT...: runs millrace on a terminal; what it shows, without colours and progress, is in `shown`.
on_terminal() {
    TERM=dumb python3 -c 'import os, pty, sys
chunks = []
def read(fd):
    data = os.read(fd, 65536)
    chunks.append(data)
    return data
null = os.open(os.devnull, os.O_RDWR)
os.dup2(null, 0)
os.dup2(null, 1)
status = pty.spawn(sys.argv[2:], read)
with open(sys.argv[1], "wb") as file:
    file.write(b"".join(chunks).replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(status))' shown "$MILLRACE" "$@" || fail "exit code $?"
}
shown_is() {
    diff - shown >differs || fail "$(cat differs)"
}

# Page 2 gets the score of 1, and both go to 2: by hand 2 has (1 + d) / (2 + d), 1 the rest, where page 2 has no links.
begin "a table of numbers, with the proven decimals, and all lines in a pipe"
printf '1 2\n3 2\n' >links.txt
run build -o g.mill links.txt --quiet
on_terminal pagerank g.mill --tolerance 1e-4 --quiet
awk 'BEGIN {
    a = b = 1 / 3
    for (i = 0; i < 200; i++) { x = 0.05 + 0.85 * b / 3; y = 0.05 + 0.85 * (2 * a + b / 3); a = x; b = y }
    printf "%s\n", "  score   links in  links out  page"
    printf "%.5f          2          0  2\n%.5f          0          1  1\n%.5f          0          1  3\n", b, a, a }' >expected
proven=$("$MILLRACE" pagerank g.mill --tolerance 1e-4 --json --quiet | sed -n 's/.*"error_bound": \([^,]*\),.*/\1/p')
head -n 1 shown | grep -qE '^ +score +links in +links out +page$' || fail "heading: $(head -n 1 shown)"
python3 - shown expected "$proven" <<'END' || fail "$(cat shown)"
import sys
shown, expected = ([line.split() for line in open(name)][1:] for name in sys.argv[1:3])
bound = float(sys.argv[3])
decimals = len(shown[0][0].split(".")[1])
assert bound <= 0.5 * 10**-decimals < 10 * bound + 1e-16 or decimals == 17, (bound, decimals)
for row, wanted in zip(shown, expected):
    assert row[1:] == wanted[1:], (row, wanted)
    assert abs(float(row[0]) - float(wanted[0])) <= 0.5 * 10**-decimals + bound + 1e-5, (row, wanted)
END
run pagerank g.mill --quiet
[ "$(wc -l <"$root/stdout")" = 3 ] || fail "a pipe gets $(wc -l <"$root/stdout") lines"
head -n 2 shown >first
on_terminal pagerank g.mill --tolerance 1e-4 --top 1 --quiet
shown_is <first
on_terminal pagerank g.mill --tolerance 1e-4 --top 1 -o r.tsv --quiet
shown_is <first
[ "$(wc -l <r.tsv)" = 3 ] || fail "-o with --top writes $(cat r.tsv)"
run pagerank g.mill --top 1 --quiet
[ "$(cut -f 1 "$root/stdout")" = 2 ] || fail "a pipe gets $(cat "$root/stdout")"
on_terminal pagerank g.mill --top 1001 --quiet # more than a person reads: lines
[ "$(head -n 1 shown | cut -f 1)" = 2 ] || fail "--top 1001 shows $(cat shown)"
on_terminal pagerank g.mill --top 1
! grep -q 'more pages' shown || fail "$(cat shown)"

begin "hosts, the place in the host, and how to get the rest"
for i in $(seq 11); do
    printf 'http://a.example/%s http://b.example/\nhttp://b.example/ http://a.example/%s\n' "$i" $((i % 3 + 1))
done >links.txt
run build -o g.mill links.txt --quiet
cp -r links.txt g.mill "$root"
on_terminal pagerank g.mill
grep -c '^millrace: 2 more pages: -o FILE writes all scores, --top K prints the best K; a pipe gets all, best first$' shown \
    >/dev/null || fail "$(cat shown)"
grep -cE '^millrace: each score is proven to [0-9]+ decimals$' shown >/dev/null || fail "$(cat shown)"
[ "$(grep -E '^0\.' shown | awk '{ print $4, $5 }' | head -n 4 | tr '\n' ' ')" = \
    "1 http://b.example/ 1 http://a.example/1 2 http://a.example/2 3 http://a.example/3 " ] || fail "$(cat shown)"
on_terminal salsa g.mill --quiet
[ "$(wc -l <shown)" = 5 ] || fail "salsa: $(cat shown)" # the others have no links to them
on_terminal opic g.mill --quiet
[ "$(wc -l <shown)" = 11 ] || fail "opic: $(cat shown)"
on_terminal degree g.mill --quiet
[ "$(sed -n 2p shown | awk '{ print $1, $2, $5 }')" = "11 11 http://b.example/" ] || fail "degree: $(cat shown)"

begin "pages without a score are not among the best"
printf '1 2\n3 1\n4 1\n' >links.txt
run build -o g.mill links.txt --quiet
on_terminal ppr g.mill --seed 1 --quiet
[ "$(awk 'NR > 1 { print $4 }' shown | tr '\n' ' ')" = "1 2 " ] || fail "$(cat shown)"
on_terminal ppr g.mill --seed 1
grep -q '^millrace: 2 more pages: ' shown || fail "$(cat shown)"

begin "--json and --top: the best pages are in the JSON"
cp -r "$root"/{links.txt,g.mill} .
run pagerank g.mill --json --top 2 --quiet
exits 0
python3 -c 'import json, sys
result = json.load(sys.stdin)
first, second = result["top"]
assert first["name"] == "http://b.example/" and first["links_in"] == 11 and first["links_out"] == 3, first
assert second["host"] == "a.example" and second["rank_in_host"] == 1 and result["converged"] is True, second
' <"$root/stdout" || fail "$(cat "$root/stdout")"
"$MILLRACE" pagerank g.mill --top 1 --quiet >top.tsv
python3 -c 'import json, sys
assert float(open("top.tsv").read().split("\t")[1]) == json.load(sys.stdin)["top"][0]["score"]
' <"$root/stdout" || fail "$(cat top.tsv)"
run opic g.mill --json --top 1 --quiet
python3 -c 'import json, sys
assert json.load(sys.stdin)["top"][0]["name"] == "http://b.example/"' <"$root/stdout" || fail "$(cat "$root/stdout")"
run pagerank g.mill --json --quiet
grep -q '"top"' "$root/stdout" && fail "a list that nobody asked for"

begin "crawl-rank shows the best pages and hosts"
cp -r "$root"/{links.txt,g.mill} .
run crawl-rank links.txt -o out
exits 0
[ "$(sed -n 2p "$root/stdout" | awk '{ print $5 }')" = http://b.example/ ] || fail "$(cat "$root/stdout")"
grep -qE '^a\.example	11	' "$root/stdout" || fail "$(cat "$root/stdout")"
run crawl-rank links.txt -o out --force --quiet
stdout_is </dev/null

begin "hosts: a terminal gets the best 20, and all where an order is given"
for ((i = 10; i < 35; i++)); do
    for ((k = 0; k < i % 7; k++)); do
        echo "http://h$i/$k http://h10/"
    done
done >many.txt
run build -o many.mill many.txt --quiet
run hosts many.mill --quiet
sort -t "$(printf '\t')" -k 2,2nr -k 1,1 "$root/stdout" | head -n 20 | cut -f 1 >want
on_terminal hosts many.mill --quiet
tail -n +2 shown | awk '{ print $NF }' | diff want - || fail "$(cat shown)"
on_terminal hosts many.mill
grep -q 'hosts, of which these are the first; --sort, -o FILE and a pipe get all$' shown || fail "$(cat shown)"
on_terminal hosts many.mill --sort name --quiet
[ "$(wc -l <shown)" = "$(($(wc -l <"$root/stdout") + 1))" ] || fail "--sort name: $(cat shown)"
on_terminal hosts many.mill --top 3 --quiet
[ "$(wc -l <shown)" = 4 ] || fail "--top 3: $(cat shown)"

begin "hosts: columns and proven digits on a terminal, lines with tabs in a pipe"
cp -r "$root"/{links.txt,g.mill} .
run pagerank g.mill -o r.tsv --quiet
run hosts g.mill --scores r.tsv --quiet
awk -F'\t' '{ printf "%s %s %s %.9f %s\n", $2, $3, $4, $5, $1 }' "$root/stdout" >expected
on_terminal hosts g.mill --scores r.tsv --sort score --quiet
head -n 1 shown | grep -qE '^ *pages +links_out +links_in +score +host$' || fail "$(cat shown)"
decimals=$(awk 'NR == 2 { split($4, part, "."); print length(part[2]) }' shown)
[ "$decimals" -ge 9 ] || fail "$decimals decimals"
tail -n +2 shown | awk '{ printf "%s %s %s %.9f %s\n", $1, $2, $3, $4, $5 }' | cmp -s - expected || fail "$(cat shown expected)"

begin "why on a terminal: shares with the digits that are proven"
printf '1 2\n3 2\n2 1\n' >links.txt
run build -o g.mill links.txt --quiet
run pagerank g.mill --iterations 9 -o r.tsv --quiet
on_terminal why g.mill r.tsv 2 --quiet
run why g.mill r.tsv 2 --quiet
python3 - shown "$root/stdout" <<'END' || fail "$(cat shown)"
import sys
shown, rows = ([line.rstrip("\n") for line in open(name)] for name in sys.argv[1:])
rows = [row.split("\t") for row in rows]
assert shown[0].split() == "from share bound score links pages percent name".split() and len(shown) == len(rows) + 1 > 4
for line, row in zip(shown[1:], rows):
    origin, share, off, score, links, pages, percent, name = line.split()
    assert float(score) == float("%.6g" % float(row[4])) and [links, pages] == [row[5], row[7]], line
    exact, bound = float(row[2]), float(row[3])
    unit = 10 ** -len(share.partition(".")[2])
    assert (origin, name) == (row[0], row[1]) and abs(float(share) - exact) <= unit / 2 * (1 + 1e-9) + 1e-17
    assert bound <= float(off) <= 1.1 * bound and (bound <= unit / 2 or unit == 1), line
    assert abs(float(percent[:-1]) - 100 * exact / float(rows[0][2])) <= 0.05 + 1e-9
END

begin "rows of all commands are columns on a terminal, below a heading, with the same values as in a pipe"
printf '1 2\n3 2\n2 1\n' >links.txt
printf '1\n2\n' >each.txt
run build -o g.mill links.txt --quiet
run pagerank g.mill -o r.tsv --quiet
run pagerank g.mill --damping 0.5 -o other.tsv --quiet
for command in "find g.mill . --vertices" "show g.mill 2 --links-in --links-out --scores r.tsv" \
    "compare --changes r.tsv other.tsv --top 2" "ppr g.mill --each each.txt"; do
    # shellcheck disable=SC2086 # words
    run $command --header --quiet
    # shellcheck disable=SC2086
    on_terminal $command --quiet
    python3 - shown "$root/stdout" <<'END' || fail "$command: $(cat shown)"
import sys
shown, rows = ([line.rstrip("\n") for line in open(name)] for name in sys.argv[1:])
rows = [row.split("\t") for row in rows]
names = [i for i, name in enumerate(rows[0]) if name in ("name", "seed", "page")]
order = [i for i, name in enumerate(rows[0]) if i not in names and not name.startswith(("best_", "worst_"))] + names
def value(text):
    return "%.6g" % float(text) if text[0].isdigit() or text[0] == "-" else text
assert len(shown) == len(rows) > 2
for line, row in zip(shown, rows):
    assert [value(word) for word in line.split()] == [value(row[i]) for i in order], (line, row)
ends = {line.rindex(" ") for line in shown} if len(names) == 1 else {0}
assert len(ends) == 1, shown
END
done
on_terminal find g.mill . --quiet
[ "$(tr '\n' ' ' <shown)" = "1 2 3 " ] || fail "one column has no heading: $(cat shown)"

begin "names are padded by the columns of the terminal that they take, in any locale"
printf 'ü\t日本\n日本\te\xcc\x81\ne\xcc\x81\tplain\nplain\tü\n' >links.txt
printf 'ü\n日本\ne\xcc\x81\nplain\n' >each.txt
run build -o g.mill links.txt --quiet
for locale in C C.UTF-8; do
    LC_ALL=$locale on_terminal ppr g.mill --each each.txt --top 1 --quiet
    python3 - shown <<'END' || fail "$locale: $(cat shown)"
import sys, unicodedata
def width(text):
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)
rows = [line.rstrip("\n") for line in open(sys.argv[1], encoding="utf-8")]
assert len(rows) == 5 and len({width(row[:row.rindex(" ")]) for row in rows}) == 1, rows
END
done

begin "a count of one, in records of an archive"
printf 'WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI: http://a/\r\nContent-Length: 34\r\n\r\n%s\r\n\r\n\r\n' \
    'outlink: http://b/ L a/@href      ' >one.warc
run build -o g.mill one.warc
has "$root/stderr" "millrace: 1 record: 1 link, 0 bad$(printf '\nmillrace: 2 pages')"
run pagerank g.mill -o r.tsv --quiet
run why g.mill r.tsv http://b/
has "$root/stderr" "1 page links to it; "
run show g.mill http://b/ --links-in
has "$root/stderr" "millrace: 1 link in; 1 to 1 shown"

begin "more rows than a table holds: one heading, the widths of the first thousand"
seq 1 2500 | sed 's/$/ 1/' >links.txt
run build -o g.mill links.txt --quiet
on_terminal find g.mill . --vertices --quiet
[ "$(wc -l <shown)" = 2501 ] && [ "$(sed -n '1p;2p;2501p' shown | tr -s ' ' | tr '\n' ';')" = "vertex name; 0 1; 2499 2500;" ] ||
    fail "$(sed -n '1,2p;1000,1002p;2501p' shown)"
long=$(printf '%02000d' 7)
printf 'x%s y\ny x%s\n' "$long" "$long" >links.txt
printf 'y\nx%s\n' "$long" >each.txt
run build -o long.mill links.txt --format urls --quiet
on_terminal ppr long.mill --each each.txt --quiet
[ "$(awk '{ print NF }' shown | tr '\n' ' ')" = "5 5 5 5 5 " ] || fail "long names: $(cut -c 1-200 shown)"

finish
