#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page of `report`: its figures are those of other commands, it is whole HTML without a reference to anything
# outside, names cannot break it. ../browser_test.sh looks at it in a browser.
. "$(dirname "$0")/lib.sh"

# check_page FILE: python looks at the page, and prints the rows of its figures, each table behind a header.
check_page() {
    python3 - "$1" <<'END'
import html.parser, json, re, sys

class Page(html.parser.HTMLParser):
    void = {"meta", "line", "path", "wbr", "br"}
    def __init__(self):
        super().__init__()
        self.open, self.problems, self.figures = [], [], ""
    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        if tag in ("link", "img", "iframe", "a") or {"src", "href", "xlink:href"} & set(names):
            self.problems.append(f"<{tag}> refers to something")
        if tag == "svg" and names.get("role") != "img":
            self.problems.append("a picture without a role")
        for name, value in attributes:
            if name in ("d", "x", "y", "x1", "y1", "width", "height", "points") and re.search("nan|inf", value or ""):
                self.problems.append(f"{name}={value}")
        if tag not in self.void:
            self.open.append((tag, names.get("id")))
    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.void:
            self.open.pop()
    def handle_endtag(self, tag):
        if not self.open or self.open.pop()[0] != tag:
            self.problems.append(f"</{tag}> closes something else")
    def handle_data(self, data):
        if ("script", "figures") in self.open:
            self.figures += data

text = open(sys.argv[1]).read()
page = Page()
page.feed(text)
if page.open:
    page.problems.append(f"open at the end: {page.open}")
if re.search(r"url\(|@import|\bimport\b|fetch\(|XMLHttp|innerHTML|eval", text.replace(page.figures, "")):
    page.problems.append("the page refers to something, or makes text HTML")
assert text.startswith("<!doctype html>") and 'name="viewport"' in text and "prefers-color-scheme:dark" in text
figures = json.loads(page.figures)
def rows(header, table):
    print(header)
    for row in table:
        print(*row, sep="\t")
def number(value, digits):
    return "-" if value is None else f"{value:.{digits}g}"
rows("fact", figures["facts"].items())
for file in figures["scores"]:
    rows("page	score", ([name, number(score, 6), *links] for name, score, *links, _, _ in file["top"]))
    rows("linker", ([name, linker] for name, *_, linkers in file["top"] for linker, _ in linkers))
    rows("level", ([n, pages, number(least, 4), number(most, 4)] for n, pages, least, most in file["levels"]))
rows("compared", ([name, pages, *(number(x, 6) for x in (tau, rho)), f"{common} of {top}", number(l1, 4)]
                  for name, pages, tau, rho, common, top, l1 in figures["compared"]))
rows("host	score", ([name, number(score, 4), *counts] for (name, _), score, *counts in figures.get("hosts", [])))
rows("part of the bow-tie", ([n] for n in figures.get("bow_tie", [])))
spam = figures.get("spam", {"classes": [], "pages": [], "hosts": []})
rows("share of spam mass", ([name, pages] for name, pages, _ in spam["classes"]))
rows("spam page", ([name, number(score, 4), f"{100 * share:.2f}%"] for name, score, share, _ in spam["pages"]))
rows("spam host", ([name, number(mass, 4), f"{100 * share:.2f}%", pages] for (name, _), mass, share, pages in spam["hosts"]))
rows("farm", ([name, ", ".join(giver for giver, _ in givers), links, f"{share:.0f}%"]
              for (name, _), givers, links, share in figures.get("farms", {"rows": []})["rows"]))
for problem in page.problems:
    print(problem, file=sys.stderr)
sys.exit(bool(page.problems))
END
}

begin "a crawl: figures are those of info, pagerank, hosts and components"
cp "$tests_dir/../../examples/debian-docs/links.txt.zst" .
run build -o docs.mill --columns target-source links.txt.zst --quiet
run pagerank docs.mill -o ranks.tsv --log log.tsv --quiet
run report docs.mill ranks.tsv -o page.html --components --log log.tsv
exits 0
check_page page.html >rows || fail "the page is not whole"
# Rounded up, as in the summary of the ranking: 1.82e-10 is not "at most 1.8e-10".
bound=$("$MILLRACE" pagerank docs.mill --top 1 2>&1 | sed -n 's/.*error bound \(\S*\) .*/\1/p')
grep -qx "\"bound\":\"$bound\".*" page.html || fail "not $bound: $(grep '"bound"' page.html)"
[ "$(stat -c %s page.html)" -lt 500000 ] || fail "it has $(stat -c %s page.html) bytes"
for fact in "pages 42614" "links 234402" "pages_without_links 30764" "self_links 3601" "most_links_in 3094" \
    "most_links_out 2590"; do
    grep -qx "${fact/ /	}" rows || fail "no $fact"
done
"$MILLRACE" pagerank docs.mill --top 10 --quiet | awk -F'\t' '{ printf "%s\t%.6g\n", $1, $2 }' >expected
grep -A 10 '^page	score' rows | tail -n 10 | cut -f 1,2 >actual
cmp -s expected actual || fail "best pages: $(diff expected actual)"
best=$(head -n 1 expected | cut -f 1)
"$MILLRACE" show docs.mill "$best" --links-in --limit 10000 --quiet | sort >linkers
awk -F'\t' 'NR == FNR { score[$1] = $2; next } { print score[$1] "\t" $1 }' ranks.tsv linkers |
    sort -t '	' -k 1,1gr -k 2 | head -n 10 | cut -f 2 | sort >expected
awk -F'\t' -v page="$best" '/^linker$/ { on = 1 } on && $1 == page { print $2 }' rows | sort >actual
cmp -s expected actual || fail "who links to $best: $(diff expected actual)"
"$MILLRACE" why docs.mill ranks.tsv "$best" --top 10 --json --quiet >why.json
python3 - page.html why.json <<'END' || fail "why $best is best"
import json, re, sys
text = open(sys.argv[1]).read()
whys = json.loads(re.search(r'^"why":(.*?\]\]\]\})', text, re.S | re.M).group(1))
rows = json.load(open(sys.argv[2]))["shares"]
of = lambda *kinds: [(row["name"], f"{row['share']:.9g}", row["links"] or row["pages"]) for row in rows if row["from"] in kinds]
teleport, dangling, links, pages, others, n, hosts = whys["pages"][0]
listed = lambda shares: [(name, f"{share:.9g}", count) for name, share, count in shares]
assert len(whys["pages"]) == 20 and whys["bound"] < 1e-9
assert [f"{teleport:.9g}", f"{dangling:.9g}"] == [share for _, share, _ in of("teleport", "dangling")]
assert listed(pages) == of("page") and listed([("-", others, n)]) == of("pages") and listed(hosts) == of("own-host", "host")
assert abs(teleport + dangling + links - rows[0]["share"]) < 1e-9
END
"$MILLRACE" hosts docs.mill --scores ranks.tsv --sort score --top 10 --quiet |
    awk -F'\t' '{ printf "%s\t%.4g\t%d\n", $1, $5, $2 }' >expected
grep -A 10 '^host	score' rows | tail -n 10 | cut -f 1-3 >actual
cmp -s expected actual || fail "hosts: $(diff expected actual)"
"$MILLRACE" components docs.mill --quiet | awk '$1 ~ /^(core|in|out|tendrils|disconnected)$/ { print $2 }' |
    tr -d , >expected
grep -A 5 '^part of the bow-tie' rows | tail -n 5 >actual
cmp -s expected actual || fail "bow-tie: $(diff expected actual)"
grep -A 5 '^level$' rows | tail -n 5 | cut -f 2 | sort | uniq -c | grep -q '4 8523' || fail "levels: $(cat rows)"
[ "$(grep -c '^<svg' page.html)" = 6 ] || fail "$(grep -c '^<svg' page.html) pictures"

begin "only a bound on the sum of all errors is called proven"
printf '0 1\n1 2\n2 0\n2 1\n' >links.txt
run build -o g.mill links.txt --quiet
for ranking in "pagerank" "opic --method drain --tolerance 1e-3" "katz" "opic --one-link --sweeps 5" "hits --norm l1"; do
    rm -f scores.tsv page.html
    run $ranking g.mill -o scores.tsv --quiet
    exits 0
    run report g.mill scores.tsv -o page.html --quiet
    exits 0
    echo "$ranking $(grep -c '^"bound":' page.html)"
done >actual
printf '%s\n' "pagerank 1" "opic --method drain --tolerance 1e-3 1" "katz 0" "opic --one-link --sweeps 5 0" \
    "hits --norm l1 0" | cmp - actual || fail "$(cat actual)"

begin "a farm is named, and its giver"
for i in $(seq 120); do
    echo "http://farm.example/$i http://boss.example/"
    echo "http://honest$((i % 7)).example/$i http://good.example/"
done >links.txt
echo "http://good.example/ http://boss.example/" >>links.txt
run build -o g.mill links.txt --quiet
run report g.mill -o page.html
exits 0
check_page page.html >rows || fail "the page is not whole"
grep -qx 'boss.example	farm.example	121	99%' rows || fail "$(cat rows)"
grep -q '^good.example	honest' rows && fail "good.example is called a farm"
grep -q '"bow_tie":' page.html && fail "a bow-tie that nobody asked for"

begin "a farm of three hosts is named with all of them, a farm of six is not"
for i in $(seq 180); do
    echo "http://farm$((i % 3)).example/$i http://boss.example/"
    echo "http://farm$((i % 6)).example/$i http://chief.example/"
done >links.txt
run build -o g.mill links.txt --quiet
run report g.mill -o page.html
exits 0
check_page page.html >rows || fail "the page is not whole"
grep -qx 'boss.example	farm0.example, farm1.example, farm2.example	180	100%' rows || fail "$(cat rows)"
grep -q '^chief.example	farm' rows && fail "chief.example gets links from six hosts"

begin "spam mass is that of trustrank, from one file and from two"
printf 'https://www.postgresql.org/docs/15/\nhttps://cmake.org/\n' >good.txt
zstd -dqc "$tests_dir/../../examples/debian-docs/links.txt.zst" | tr '\\' / | sed -E 's,/[.]( |$),/\1,g' | awk '!seen[$0]++' >links.txt # as browsers spell URLs
run build -o docs.mill --columns target-source links.txt --quiet
run pagerank docs.mill -o ranks.tsv --tolerance 1e-12 --log log.tsv --quiet
run trustrank docs.mill --trusted good.txt -o trust.tsv --tolerance 1e-12 --quiet
run trustrank docs.mill --trusted good.txt -o mass.tsv --tolerance 1e-12 --spam-mass --good-share 0.85 --quiet
run report docs.mill mass.tsv --top 10 -o one.html
exits 0
run report docs.mill ranks.tsv trust.tsv --good-share 0.85 --top 10 -o two.html
exits 0
for page in one two; do
    check_page $page.html >rows || fail "$page.html is not whole"
    sed -n '/^share of spam mass/,/^farm/p' rows | sed '$d' >$page.spam
done
cmp -s one.spam two.spam || fail "one file and two: $(diff one.spam two.spam)"
python3 - mass.tsv >expected <<'END'
import sys
pages = [(name, *map(float, numbers)) for name, *numbers in (line.split("\t") for line in open(sys.argv[1]))]
much = [page for page in pages if page[1] >= 10 / len(pages)]
for low, high in ((-1e9, .5), (.5, .9), (.9, .98), (.98, 9)):
    print(sum(low <= page[3] < high for page in much))
for name, rank, mass, share, trust in sorted((page for page in much if page[3] >= .98), key=lambda page: -page[1])[:10]:
    print(name, f"{rank:.4g}", f"{100 * share:.2f}%")
hosts = {}
for name, rank, mass, share, trust in pages:
    host = hosts.setdefault(name.split("/")[2], [0, 0, 0])
    host[0], host[1], host[2] = host[0] + mass, host[1] + rank, host[2] + 1
for name, (mass, rank, n) in sorted(hosts.items(), key=lambda item: -item[1][0])[:10]:
    print(name, f"{mass:.4g}", f"{100 * mass / rank:.2f}%", n)
END
awk -F'\t' '/^(share|spam)/ { top = 0; table = $0; next } table ~ /share/ { print $2 }
    table ~ /page|host/ && top++ < 10 { $1 = $1; print }' one.spam >actual
cmp -s expected actual || fail "spam mass: $(diff expected actual)"
run report docs.mill ranks.tsv --good-share 0.85 -o no.html
exits 2
grep -q "trustrank --spam-mass" "$root/stderr" || fail "$(cat "$root/stderr")"
run report docs.mill ranks.tsv -o plain.html
grep -q '^"spam":' plain.html && fail "spam mass without trust"
run pagerank docs.mill --seeds good.txt --seeds good.txt -o ranks.tsv --force --quiet
exits 0
run report docs.mill ranks.tsv trust.tsv --good-share 0.85 -o seeded.html # of two lists of seeds
exits 2

begin "hosts whose pages came in two appends are listed once"
printf 'http://a.org/1 http://b.org/1\nhttp://b.org/1 http://a.org/1\n' >1.txt
printf 'http://a.org/2 http://b.org/2\nhttp://b.org/3 http://a.org/1\n' >2.txt
"$MILLRACE" build -o g.mill 1.txt --quiet
"$MILLRACE" append g.mill 2.txt --quiet
run report g.mill -o r.html
exits 0
check_page r.html >rows || fail "the page is not whole"
grep -A 3 '^host	score' rows | grep '[.]org' >"$root/hosts"
same hosts "$root/hosts" <<'END'
b.org	0	3	2	2
a.org	0	2	2	2
END

begin "names cannot break the page; numbers have no hosts; a graph without links"
printf 'http://a.example/<script>alert(1)</script>&amp;"\thttp://b.example/\n' >links.txt
run build -o g.mill links.txt --quiet
run pagerank g.mill -o "r<b>.tsv" --quiet
run report g.mill "r<b>.tsv" -o page.html
exits 0
check_page page.html >rows || fail "the page is not whole"
grep -q 'alert(1)</script>\|<b>' page.html && fail "a name became HTML"
grep -qF 'http://a.example/<script>alert(1)</script>&amp;"' rows || fail "$(cat rows)"
printf '1 2\n' >links.txt
run build -o n.mill links.txt --quiet
run report n.mill
exits 0
cp "$root/stdout" page.html
check_page page.html >/dev/null || fail "the page is not whole"
printf 'a b\nb a\n' >links.txt # these are no hosts
run build -o w.mill links.txt --quiet
run report w.mill -o words.html
exits 0
check_page words.html >/dev/null || fail "the page is not whole"
grep -q '"hosts":\[' words.html && fail "hosts without names"
printf '' >none.txt
printf '7\n8\n' >pages.txt
run build -o empty.mill none.txt --vertex-list pages.txt --format pairs --quiet
if [ "$code" = 0 ]; then
    run report empty.mill -o empty.html
    exits 0
    check_page empty.html >/dev/null || fail "the page is not whole"
fi

begin "charts in files are those of the page, with plain attributes; the map of hosts has the links of the input"
zstd -dqc "$tests_dir/../../examples/debian-docs/links.txt.zst" >links.txt
run build -o docs.mill --columns target-source links.txt --quiet
run pagerank docs.mill -o ranks.tsv --log log.tsv --quiet
run hits docs.mill -o hits.tsv --quiet
run report docs.mill ranks.tsv hits.tsv -o page.html --charts figures --log log.tsv --top 12
exits 0
check_page page.html >rows || fail "the page is not whole"
(cd figures && echo *) >"$root/files"
same charts "$root/files" <<<"convergence.svg degrees.svg histogram.svg hosts.svg links.svg scores.svg"
python3 - <<'END' || fail "the charts"
import collections, pathlib, re, xml.dom.minidom
page = pathlib.Path("page.html").read_text()
for path in pathlib.Path("figures").iterdir():
    text = path.read_text()
    assert text in page, path
    root = xml.dom.minidom.parseString(text).documentElement
    assert root.tagName == "svg" and root.getAttribute("id") == path.stem and root.hasAttribute("width"), path
    assert not re.search("var\\(|style|href|system-ui", text), path
    for tag in ("line", "path", "circle"):
        for element in root.getElementsByTagName(tag):
            own = {name for part in (element, element.parentNode) for name in part.attributes.keys()}
            assert own & {"fill", "stroke"}, (path, element.toxml())
links = collections.Counter()
for line in open("links.txt"):
    target, source = (url.split("/")[2].split(":")[0] for url in line.split())
    links[target, source] += 1
svg = xml.dom.minidom.parse("figures/hosts.svg").documentElement
names = [t.firstChild.data.rsplit(" ", 1)[0] for t in svg.getElementsByTagName("text")
         if t.getAttribute("text-anchor") == "end"]
assert len(names) == 12, names
cells = {}
group, = svg.getElementsByTagName("g")
for path in group.getElementsByTagName("path"):
    x, y, side = map(float, re.match(r"M([\d.]+) ([\d.]+)h([\d.]+)", path.getAttribute("d")).groups())
    cells[round((y - 34) / side), round((x - 304) / side)] = float(path.getAttribute("opacity"))
wanted = {(i, k): links[names[i], names[k]] for i in range(12) for k in range(12) if links[names[i], names[k]]}
assert wanted.keys() == cells.keys(), (wanted, cells)
for a in wanted:
    for b in wanted:
        assert wanted[a] <= wanted[b] or cells[a] >= cells[b], (a, b)
END
if command -v rsvg-convert >/dev/null; then
    for chart in figures/*.svg; do
        rsvg-convert "$chart" -o chart.png || fail "rsvg-convert: $chart"
    done
fi
# --top: so many pages and hosts. Two files are compared as compare does.
sort -t '	' -k 2,2gr ranks.tsv | head -n 12 | cut -f 1 >expected
grep -A 12 -m 1 '^page	score' rows | tail -n 12 | cut -f 1 | cmp - expected || fail "best pages: $(cat rows)"
"$MILLRACE" hosts docs.mill --scores ranks.tsv --sort score --top 12 --quiet | cut -f 1 >expected
grep -A 12 '^host	score' rows | tail -n 12 | cut -f 1 | cmp - expected || fail "best hosts: $(cat rows)"
"$MILLRACE" compare ranks.tsv hits.tsv --top 12 --json --quiet | python3 -c '
import json, sys
c = json.load(sys.stdin)
print("hits.tsv", c["pages_compared"], "%.6g" % c["kendall_tau"], "%.6g" % c["spearman_rho"],
      "%d of %d" % (c["top_common"], c["top"]), "%.4g" % c["l1"], sep="\t")' >expected
grep '^hits.tsv	' rows | cmp - expected || fail "compared: $(grep hits.tsv rows; cat expected)"

begin "the same input gives the same bytes; --stamp says when and how"
printf 'http://a/x http://b/y\n' >links.txt
run build -o g.mill links.txt --quiet
run report g.mill -o 1.html
sleep 1
run report g.mill -o 2.html
cmp 1.html 2.html || fail "$(diff 1.html 2.html)"
mkdir "it's here"
run report g.mill -o "it's here/r.html" --stamp
exits 0
python3 - "it's here/r.html" <<'END' || fail "the stamp"
import datetime, json, re, sys
stamp = json.loads(re.search('^"stamp":({.*}),$', open(sys.argv[1]).read(), re.M)[1])
age = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None) - datetime.datetime.fromisoformat(stamp["date"])
assert abs(age.total_seconds()) < 3600, age
assert stamp["command"][1:] == ["report", "g.mill", "-o", "it's here/r.html", "--stamp"], stamp
END

begin "what is refused"
printf '1 2\n' >links.txt
run build -o g.mill links.txt --quiet
run report g.mill missing.tsv -o page.html
exits 3
[ ! -e page.html ] || fail "a page without scores"
touch page.html
run report g.mill -o page.html
exits 2
mkdir charts
touch charts/links.svg
run report g.mill -o new.html --charts charts
exits 2
stderr_is <<<'millrace: charts/links.svg: exists, and --charts writes it; name another file, or use --force to replace it'
missing new.html
run report g.mill -o new.html --charts page.html
[ "$code" != 0 ] || fail "a file is taken for a directory"
missing new.html

finish
