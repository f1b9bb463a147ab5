#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs/crawlers: every command of these pages, in order, on small files as crawlers write them; no list
# of pages to fetch has a page that is fetched. ./dev clients runs the crawlers themselves.
. "$(dirname "$0")/lib.sh"

pages=$MILLRACE_SOURCE_DIR/docs/crawlers
millrace() { "$MILLRACE" "$@"; }

# The lines of a page that begin with four blanks and "millrace", without scripts.
run_page() {
    local line n=0
    while IFS= read -r line; do
        command_line=$line
        eval "$line" >"$root/stdout" 2>"$root/stderr" || fail "$(cat "$root/stderr")"
        n=$((n + 1))
    done < <(sed -n '/^```[a-z]/,/^```$/d; s/^    \(millrace .*\)$/\1/p' "$pages/$1")
    [ $n -ge 3 ] || fail "$1 has $n commands"
    [ "$(grep -c 'millrace' "$pages/$1")" -ge $n ] || fail "$1"
}

# These files list pages to fetch: they are not empty, and no fetched page is among them.
offers() {
    local file
    for file in "$@"; do
        [ -s "$file" ] || fail "$file is empty"
        cut -f 1 "$file" | cut -d ' ' -f 1 | grep -Fx -f done.txt && fail "$file offers a fetched page"
    done
}

record() { # TYPE CONTENT-TYPE URL BODY
    printf 'WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n' \
        "$1" "$3" "$2" "${#4}" "$4"
}

begin "heritrix"
outlinks() {
    record metadata application/warc-fields "$1" "$(shift; printf 'outlink: %s L a/@href\r\n' "$@")"
}
(outlinks http://a.com/ http://a.com/x http://b.com/
    outlinks http://b.com/ http://a.com/x http://c.com/) | gzip >crawl.warc.gz
outlinks http://a.com/x http://d.com/ http://a.com/ | gzip >second.warc.gz
printf '%s\n' http://a.com/ http://b.com/ >done.txt
awk '{ print "2026-01-02T03:04:05.678Z   200       1299 " $1 " L http://x/ text/html #014 20260102030405000+225 sha1:X - -" }' \
    done.txt >crawl.log
run_page heritrix.md
offers precedence.txt next.seeds next.tsv
awk '$1 == "http://a.com/x" && $2 == 1 { a++ } $1 == "http://c.com/" && $2 > 1 && $2 <= 5 { c++ }
    END { exit !(a && c && NR == 2) }' precedence.txt || fail "$(cat precedence.txt)"
grep -q '^http://d.com/' next.tsv || fail "the appended page is not offered"
sed -n '/^```xml/,/^```$/p' "$pages/heritrix.md" | sed '1d;$d' >beans.txt
(echo '<beans>'; cat beans.txt; echo '</beans>') | python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.stdin.buffer)' ||
    fail "the beans are no XML"

begin "nutch"
mkdir segment seeds
cat >segment/dump <<'END'
Recno:: 0
URL:: http://a.com/

ParseData::
Version: 5
Status: success(1,0)
Title: A
Outlinks: 2
  outlink: toUrl: http://a.com/x anchor: x
  outlink: toUrl: http://b.com/ anchor: b
Content Metadata: nutch.segment.name=20260102030405

Recno:: 1
URL:: http://b.com/

ParseData::
Version: 5
Status: success(1,0)
Title: B
Outlinks: 1
  outlink: toUrl: http://c.com/ anchor: c
Content Metadata: nutch.segment.name=20260102030405

END
printf '%s\n' http://a.com/ http://b.com/ >done.txt
(awk '{ print $1 "\tVersion: 7\nStatus: 2 (db_fetched)\nFetch time: Sat Jan 3" NR - 1 " 12:00:00 UTC 2026\nModified time: Thu Jan 01 00:00:00 UTC 1970\nRetries since fetch: 0\nRetry interval: 2592000 seconds (30 days)\nScore: 1.0\nSignature: null\nMetadata: \n" }' done.txt
    printf 'http://c.com/\tVersion: 7\nStatus: 1 (db_unfetched)\nFetch time: Sat Jan 31 12:00:00 UTC 2026\nRetry interval: 2592000 seconds (30 days)\n\n') >crawldb.txt
mkdir -p crawldb/current/part-r-00000
python3 - "$MILLRACE_SOURCE_DIR/tests/formats" <<'END'
import random, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from nutch_files import fetch_datum, text, write_file
pages = (("http://a.com/", 2), ("http://b.com/", 4), ("http://c.com/", 1))
write_file("crawldb/current/part-r-00000/data", "org.apache.nutch.crawl.CrawlDatum",
           [(text(url), fetch_datum(random.Random(1), status)) for url, status in pages], "DefaultCodec", True)
END
run_page nutch.md
offers next.tsv
[ "$(cut -f 1 seeds/ranked.txt | grep -cFx -f done.txt)" = 2 ] || fail "fetched pages have no score"
[ "$(head -c 3 part-r-00000)" = SEQ ] || fail "no SequenceFile"
awk -F '\t' 'NF != 2 || $2 !~ /^nutch\.score=/ { exit 1 }' seeds/ranked.txt || fail "$(cat seeds/ranked.txt)"
[ "$(cut -f 1 again.tsv | sort | tr '\n' ' ')" = "http://a.com/ http://b.com/ " ] || fail "$(cat again.tsv)"

# A web of this machine in `www`; sets `site`. The server's log has the requests.
serve() {
    (cd www && exec python3 -u -m http.server --bind 127.0.0.1 0 >../server.out 2>../server.log) &
    server=$!
    trap 'kill $server 2>/dev/null; rm -rf "$root"' EXIT
    eventually grep -q ' port [0-9]* ' server.out
    site=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\) .*/\1/p' server.out)
}
fetched_pages() { sed -n 's/.*"GET \([^ ]*\) .*/\1/p' server.log | sort | tr '\n' ' '; }

begin "nutch: the loop of the examples, with a dead page, a redirect and a page whose links change"
nutch() { python3 -B "$MILLRACE_SOURCE_DIR/tests/formats/nutch_files.py" "$@"; }
mkdir -p www/moved seeds
page() { # FILE LINK...
    local link
    for link in "${@:2}"; do echo "<a href=$link>x</a>"; done >"www/$1"
}
page index.html a.html b.html dead.html moved
page a.html b.html /
page b.html c.html
page c.html
page moved/index.html /a.html
serve
echo "$site/" >seeds/first.txt
sed 's/-topN "${1-50000}"/-topN 3/' "$MILLRACE_SOURCE_DIR/examples/nutch/nutch_loop.sh" >loop.sh
[ "$(wc -l <loop.sh)" -ge 10 ] || fail "no loop"
loop() { # DAY: until nothing is left on this day
    command_line="nutch.md: the loop, day $1"
    export NUTCH_NOW=$((1700000000 + $1 * 86400))
    # shellcheck disable=SC1091
    (. ./loop.sh) >out.txt 2>&1
}
links_are() { # the links that stand on the standard input, as FROM TO without the site
    millrace export crawl.mill --to urls -o links.txt --quiet --force
    sort >wanted.txt
    sed "s|$site||g" links.txt | tr '\t' ' ' | sort | cmp - wanted.txt || fail "links: $(sed "s|$site||g" links.txt)"
}
loop 0
has out.txt "1 gone"
[ "$(fetched_pages)" = "/ /a.html /b.html /c.html /dead.html /moved /moved/ " ] || fail "fetched $(fetched_pages)"
links_are <<'END'
/ /a.html
/ /b.html
/ /dead.html
/ /moved
/a.html /b.html
/a.html /
/b.html /c.html
/moved/ /a.html
END
page b.html new.html
page new.html /
loop 40
[ "$(fetched_pages)" = "/ / /a.html /a.html /b.html /b.html /c.html /c.html /dead.html /moved /moved /moved/ /moved/ /new.html " ] ||
    fail "fetched again: $(fetched_pages)"
links_are <<'END'
/ /a.html
/ /b.html
/ /dead.html
/ /moved
/a.html /b.html
/a.html /
/b.html /new.html
/moved/ /a.html
/new.html /
END
kill $server

begin "stormcrawler"
printf 'from_url,to_url\nhttp://a.com/,http://a.com/x\nhttp://a.com/,http://b.com/\nhttp://b.com/,http://c.com/\n' >links.csv
printf '%s\n' http://a.com/ http://b.com/ >done.txt
(echo 'url,status,nextfetchdate,metadata'
    awk '{ print $1 ",FETCHED,2026-03-01T00:00:00Z,lastProcessedDate=2026-01-0" NR "T00:00:00Z" }' done.txt
    echo 'http://c.com/,DISCOVERED,2026-03-01T00:00:00Z,') >status.csv
run_page stormcrawler.md
sed 's/.*"url":"\([^"]*\)".*/\1/' items.jsonl >items.txt
offers seeds.txt items.txt
sed -n '/^```python/,/^```$/p' "$pages/stormcrawler.md" | sed '1d;$d' >bulk.py
python3 bulk.py <seeds.txt >bulk.jsonl || fail "bulk.py"
[ "$(wc -l <bulk.jsonl)" = $((2 * $(wc -l <seeds.txt))) ] || fail "$(cat bulk.jsonl)"
has bulk.jsonl '"_id": "'"$(printf %s "$(head -1 seeds.txt | cut -f 1)" | sha256sum | cut -d ' ' -f 1)"'"'
has bulk.jsonl '{"doc": {"metadata": {"score": ["'

begin "crawlee"
mkdir -p storage/datasets/default storage/datasets/more storage/request_queues/default
echo '{"url": "http://a.com/", "statusCode": 200, "links": ["http://a.com/x", "http://a.com/gone"]}' >storage/datasets/default/000000001.json
echo '{"url": "http://a.com/gone", "statusCode": 404, "links": []}' >storage/datasets/more/000000001.json
echo '{"url": "http://a.com/", "orderNo": null, "json": "{}"}' >storage/request_queues/default/x.json
echo '{"url": "http://a.com/x", "orderNo": 1795877853064, "json": "{}"}' >storage/request_queues/default/y.json
printf '%s\n' http://a.com/ >done.txt
run_page crawlee.md
offers next.txt
[ "$(sort next.txt | tr '\n' ' ')" = "http://a.com/gone http://a.com/x " ] || fail "$(cat next.txt)"

begin "common crawl"
printf '0\tcom.a\n1\tcom.b\n2\tcom.b.www\n3\torg.c\n' | gzip >vertices.txt.gz
printf '0\t1\n0\t3\n1\t2\n2\t3\n3\t0\n' | gzip >edges.txt.gz
record metadata application/json http://a.com/ \
    '{"Container":{},"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response","WARC-Target-URI":"http://a.com/"},"Payload-Metadata":{"HTTP-Response-Metadata":{"Response-Message":{"Status":"200"},"HTML-Metadata":{"Links":[{"path":"A@/href","url":"/x"},{"path":"A@/href","url":"http://b.com/"}]}}}}}' \
    >crawl.warc.wat
echo 'com,a)/ 20260102030405 {"url": "http://a.com/", "status": "200"}' >index.cdxj
echo http://a.com/ >done.txt
run_page common-crawl.md
offers next.txt
grep -q '^#pr_pos' ranks.txt || fail "ranks"
[ "$(sort n_hosts.tsv | tr '\t\n' '= ')" = "com.a=1 com.b=2 org.c=1 " ] || fail "$(cat n_hosts.tsv)"

begin "scrapy"
site=http://127.0.0.1:80
(echo "{\"url\": \"$site/\", \"links\": [\"$site/a.html\", \"$site/b.html\", \"$site/c.html\", \"$site/d.html\", \"$site/e.html\"]}"
    echo "{\"url\": \"$site/0\", \"links\": [\"$site/d.html\", \"$site/b.html\", \"$site/c.html\"]}"
    echo "{\"url\": \"$site/1\", \"links\": [\"$site/d.html\", \"$site/b.html\"]}"
    echo "{\"url\": \"$site/2\", \"links\": [\"$site/d.html\"]}") >crawl.jl
printf '%s\n' "$site/" "$site/0" "$site/1" "$site/2" >done.txt
run_page scrapy.md
offers next.tsv scores.tsv

finish
