#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page of `report`: its figures are those of other commands, it is whole HTML without a reference to anything
# outside, names cannot break it, and a browser shows it where Chromium is installed.
. "$(dirname "$0")/lib.sh"

# check_page FILE: python looks at the page; prints the texts of its table cells, a row per line.
check_page() {
    python3 - "$1" <<'END'
import html.parser, re, sys

class Page(html.parser.HTMLParser):
    void = {"meta", "line", "path"}
    def __init__(self):
        super().__init__()
        self.open, self.rows, self.problems, self.texts = [], [], [], []
    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        if tag in ("script", "link", "img", "iframe") or {"src", "href", "xlink:href"} & set(names):
            self.problems.append(f"<{tag}> refers to something")
        if tag == "svg" and names.get("role") != "img":
            self.problems.append("a picture without a role")
        for name, value in attributes:
            if name in ("d", "x", "y", "x1", "y1", "width", "height", "points") and re.search("nan|inf", value or ""):
                self.problems.append(f"{name}={value}")
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in self.void:
            self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.void:
            self.open.pop()
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes something else")
    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data
        self.texts.append(data)

text = open(sys.argv[1]).read()
page = Page()
page.feed(text)
if page.open:
    page.problems.append(f"open at the end: {page.open}")
if re.search(r"url\(|@import", text):
    page.problems.append("the style refers to something")
assert text.startswith("<!doctype html>") and 'name="viewport"' in text and "prefers-color-scheme:dark" in text
for row in page.rows:
    print("\t".join(row))
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
[ "$(stat -c %s page.html)" -lt 100000 ] || fail "it has $(stat -c %s page.html) bytes"
for number in 42,615 234,403 72.2% 3,601 3,094 2,590 5.45; do
    grep -q "<dd>$number</dd>" page.html || fail "no $number"
done
"$MILLRACE" pagerank docs.mill --top 10 --quiet | awk -F'\t' '{ printf "%s\t%.6g\n", $1, $2 }' >expected
grep -A 10 '^page	score' rows | tail -n 10 | cut -f 1,2 >actual
cmp -s expected actual || fail "best pages: $(diff expected actual)"
"$MILLRACE" hosts docs.mill --scores ranks.tsv --sort score --top 10 --quiet |
    awk -F'\t' '{ printf "%s\t%.4g\t%d\n", $1, $5, $2 }' >expected
grep -A 10 '^host	score' rows | tail -n 10 | cut -f 1-3 | tr -d , >actual
cmp -s expected actual || fail "hosts: $(diff expected actual)"
"$MILLRACE" components docs.mill --quiet | awk '$1 ~ /^(core|in|out|tendrils|disconnected)$/ { print $2 }' >expected
grep -A 5 '^part of the bow-tie' rows | tail -n 5 | cut -f 2 >actual
cmp -s expected actual || fail "bow-tie: $(diff expected actual)"
grep -A 5 '^level	' rows | tail -n 5 | cut -f 2 | sort | uniq -c | grep -q '5 8,523' || fail "levels: $(cat rows)"
[ "$(grep -c '<svg' page.html)" = 4 ] || fail "$(grep -c '<svg' page.html) pictures"

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
grep -q 'class="bar"' page.html && fail "a bow-tie that nobody asked for"

begin "names cannot break the page; numbers have no hosts; a graph without links"
printf 'http://a.example/<script>alert(1)</script>&amp;"\thttp://b.example/\n' >links.txt
run build -o g.mill links.txt --quiet
run pagerank g.mill -o "r<b>.tsv" --quiet
run report g.mill "r<b>.tsv" -o page.html
exits 0
check_page page.html >rows || fail "the page is not whole"
grep -q '<script\|<b>' page.html && fail "a name became HTML"
grep -qF 'http://a.example/<script>alert(1)</script>&amp;"' rows || fail "$(cat rows)"
printf '1 2\n' >links.txt
run build -o n.mill links.txt --quiet
run report n.mill
exits 0
cp "$root/stdout" page.html
check_page page.html >/dev/null || fail "the page is not whole"
printf '' >none.txt
printf '7\n8\n' >pages.txt
run build -o empty.mill none.txt --vertex-list pages.txt --format pairs --quiet
if [ "$code" = 0 ]; then
    run report empty.mill -o empty.html
    exits 0
    check_page empty.html >/dev/null || fail "the page is not whole"
fi

begin "what is refused"
printf '1 2\n' >links.txt
run build -o g.mill links.txt --quiet
run report g.mill missing.tsv -o page.html
exits 3
[ ! -e page.html ] || fail "a page without scores"
touch page.html
run report g.mill -o page.html
exits 2

if command -v chromium >/dev/null && [ -z "${MILLRACE_SANITIZER-}" ]; then
    begin "a browser shows it"
    run report "$PWD/../missing" -o x.html
    printf '1 2\n2 3\n' >links.txt
    run build -o g.mill links.txt --quiet
    run report g.mill -o page.html
    timeout 60 chromium --headless --no-sandbox --disable-gpu --window-size=400,900 \
        --screenshot="$PWD/page.png" "file://$PWD/page.html" >browser.log 2>&1
    [ "$(stat -c %s page.png 2>/dev/null || echo 0)" -gt 10000 ] || fail "no picture: $(tail -n 3 browser.log)"
fi

finish
