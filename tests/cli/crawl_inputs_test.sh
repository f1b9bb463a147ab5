#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Inputs of crawlers: WAT, WARC with outlinks, Nutch, adjacency lines, crawl.log, CDXJ, JSON lines, Heritrix's
# offline PageRank.
. "$(dirname "$0")/lib.sh"

# record TYPE CONTENT-TYPE TARGET BODY
record() {
    printf 'WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n' \
        "$1" "$3" "$2" "${#4}" "$4"
}

# links_are NAME LINE...: what the page links to.
links_are() {
    local page=$1
    shift
    run show web.mill "$page" --links-out --quiet
    exits 0
    printf '%s\n' "$@" | cmp -s - "$root/stdout" || fail "$page: $(cat "$root/stdout")"
}

page=http://example.com/dir/page
json='{"Envelope":{"WARC-Header-Metadata":{"WARC-Target-URI":"'$page'"},"Payload-Metadata":{"HTTP-Response-Metadata":{"Headers":{"location":"/moved"},"HTML-Metadata":{"Head":{"Base":"http://other.org/b/"},"Links":[{"path":"A@/href","url":"x?y#frag"},{"path":"IMG@/src","url":"i.png"},{"path":"A@/href","url":"mailto:a@b"},{"path":"A@/href","url":"../z","rel":"nofollow"},{"path":"FORM@/action","url":"//third.org/f"}]}}}}}'

begin "wat: links resolved against BASE, redirects, kinds, nofollow"
{ record response application/http "$page" "$(head -c 100000 /dev/zero | tr '\0' x)"
    record metadata application/json "$page" "$json"; } >a.wat
gzip -c a.wat >a.wat.gz
run build -o web.mill a.wat.gz --quiet
exits 0
links_are $page http://example.com/moved http://other.org/b/x?y http://other.org/z http://third.org/f
run build -o web.mill a.wat --link-kinds a --drop-nofollow --force --quiet
exits 0
links_are $page http://other.org/b/x?y
head -c 1000 a.wat >cut.wat
run build -o cut.mill cut.wat
exits 3
stderr_is <<<"millrace: cut.wat: offset 0: the record that begins here is cut off (in the decompressed file); skip such records with --bad-lines skip"
[ ! -e cut.mill ] || fail "something was left behind"

begin "wat: images, stylesheets and robots.txt are no pages, failures neither"
# wat STATUS TYPE URL LINKS
wat() {
    record metadata application/json "$3" '{"Envelope":{"WARC-Header-Metadata":{"WARC-Target-URI":"'"$3"'"},"Payload-Metadata":{"HTTP-Response-Metadata":{"Response-Message":{"Status":"'"$1"'"},"Headers":{"Content-Type":"'"$2"'"},"HTML-Metadata":{"Head":{"Link":[{"path":"LINK@/href","url":"/s","rel":"StyleSheet"},{"path":"LINK@/href","url":"/next","rel":"next"}]},"Links":['"$4"']}}}}}'
}
links='{"path":"A@/href","url":"/b"},{"path":"A@/href","url":"/i.JPG?x"},{"path":"A@/href","url":"/wiki/File:i.jpg"},{"path":"A@/href","url":"/robots.txt"},{"path":"SCRIPT@/src","url":"/js"},{"path":"IMG@/src","url":"/i.png"},{"path":"IFRAME@/src","url":"/f"}'
{ wat 200 text/html http://a/ "$links"; wat 200 image/gif http://a/gif ''; wat 200 'TEXT/css; charset=x' http://a/css ''
    wat 200 text/plain http://a/robots.txt ''; wat 404 text/html http://a/404 '{"path":"A@/href","url":"/c"}'; } >kinds.wat
run build -o web.mill kinds.wat
exits 0
has "$root/stderr" "note: left out 5 links other than navigation and redirects; --link-kinds takes more"
has "$root/stderr" "5 pages, 4 of them dangling; 4 links"
links_are http://a/ http://a/b http://a/f http://a/next http://a/wiki/File:i.jpg
run build -o web.mill kinds.wat --link-kinds a,embed,failed --force --json
exits 0
lacks "$root/stderr" "left out"
links_are http://a/ http://a/b http://a/i.JPG?x http://a/i.png http://a/js http://a/s http://a/wiki/File:i.jpg
links_are http://a/404 http://a/c http://a/s
run find web.mill 'css$|gif$' --quiet
stdout_is <<'END'
http://a/css
http://a/gif
END
run build -o web.mill kinds.wat --link-kinds img,link --force --quiet
exits 0
links_are http://a/ http://a/i.png http://a/next http://a/s

begin "warc: outlinks of metadata records, by default those of navigation and redirects"
# outlinks WAY URL OUTLINK...
outlinks() {
    record metadata application/warc-fields "$2" "$(printf 'via: http://x/\r\nhopsFromSeed: %s\r\n' "$1"; shift 2; printf 'outlink: %s\r\n' "$@")"
}
{ record response application/http $page $'HTTP/1.1 200 OK\r\n\r\nx'
    outlinks L $page '../a L a/@href' 'http://b.org/ E img/@src' '/area L area/@href' '/r R Location:' '/x X =JS_MISC' \
        '/i.png L a/@href' '/f E iframe/@src' '/m M sitemap' '/robots.txt L a/@href' 'http://old.org/'
    outlinks LE http://example.com/logo 'logo2 R Location:'
    outlinks LP http://example.com/robots.txt
    outlinks LX http://example.com/js '/from-script L a/@href' '/y X =JS_MISC'
    record response application/http http://example.com/404 $'HTTP/1.0 404 Not Found\r\n\r\nx'
    record request application/http http://example.com/404 $'GET /404 HTTP/1.0\r\n\r\n'
    outlinks L http://example.com/404 '/home L a/@href'
    outlinks - http://example.com/seed; } >a.warc
run build -o web.mill a.warc
exits 0
has "$root/stderr" "note: left out 7 links other than navigation and redirects; --link-kinds takes more"
links_are $page http://example.com/a http://example.com/area http://example.com/f http://example.com/r http://old.org/
run pagerank web.mill --sort name --quiet
cut -f 1 "$root/stdout" >names
file_is names <<'END'
http://example.com/a
http://example.com/area
http://example.com/dir/page
http://example.com/f
http://example.com/from-script
http://example.com/js
http://example.com/r
http://example.com/seed
http://old.org/
END
run build -o web.mill a.warc --link-kinds embed --force --quiet
exits 0
links_are $page http://example.com/f http://example.com/i.png http://b.org/
links_are http://example.com/logo http://example.com/logo2
run build -o web.mill a.warc --link-kinds area,iframe,speculative,manifest,prerequisite --force --quiet
exits 0
links_are $page http://example.com/area http://example.com/f http://example.com/m http://example.com/robots.txt http://example.com/x
links_are http://example.com/js http://example.com/y
run build -o web.mill a.warc --link-kinds failed,navigation --force --quiet
exits 0
links_are http://example.com/404 http://example.com/home
run build -o bad.mill a.warc --link-kinds inferred
exits 3
stderr_is <<<"millrace: a.warc: no links of the wanted kinds in it, and 13 of other kinds; say which with --link-kinds"

# What the responses of the WARC say they are, and where crawl-rank puts these URLs.
data=${MILLRACE_DATA:-${MILLRACE_SOURCE_DIR:-$tests_dir/../..}/../shared/data}/crawl/aut-example.warc.gz
if [ -e "$data" ]; then
    begin "a crawl of Heritrix: no image, stylesheet or script has a level"
    run crawl-rank "$data" -o out
    exits 0
    zcat "$data" | LC_ALL=C awk -F ': *' '{ sub(/\r$/, "") } /^WARC\// { uri = ""; type = 0 } /^WARC-Type: response/ { type = 1 }
        type && tolower($1) == "warc-target-uri" { uri = substr($0, index($0, " ") + 1) }
        uri != "" && tolower($1) == "content-type" && tolower($2) ~ /^(image|text\/css|application\/x-(javascript|shockwave))/ { print uri; uri = "" }' |
        sort -u >embeds
    [ "$(wc -l <embeds)" = 75 ] || fail "$(wc -l <embeds) images, stylesheets and scripts instead of 75"
    cut -d ' ' -f 1 out/precedence.txt | sort -u | comm -12 - embeds >found
    file_is found </dev/null
    has out/precedence.txt "http://www.archive.org/ 1"
    lacks out/precedence.txt robots.txt
    run crawl-rank "$data" -o all --link-kinds navigation,redirect,embed,speculative
    exits 0
    cut -d ' ' -f 1 all/precedence.txt | sort -u | comm -12 - embeds >found
    [ "$(wc -l <found)" -gt 70 ] || fail "$(wc -l <found) embeds with --link-kinds embed"
else
    echo "no $data: real crawls are not tried" >&2
fi

begin "kinds that an input cannot tell are refused before anything is read"
printf '1 2\n' >numbers
run build -o bad.mill numbers --link-kinds a
exits 2
stderr_is <<<"millrace: --link-kinds a: lines of two numbers cannot tell kinds of links; leave it out"
wat 200 text/html http://a/ "$links" >a.wat
run build -o bad.mill a.wat --link-kinds navigation,speculative
exits 2
stderr_is <<<"millrace: --link-kinds speculative: a WAT file cannot tell such links from others; leave it out"
printf '%s\n' '2020-01-01T00:00:02.000Z 200 10 http://s/a L http://s/ text/html #1 - - - -' >crawl.log
run crawl-rank crawl.log -o out --link-kinds a
exits 2
stderr_is <<'END'
millrace: $ millrace build -o out/crawl.mill --link-kinds a --force -- crawl.log
millrace: --link-kinds a: Heritrix's crawl.log cannot tell such links from others; leave it out
millrace: crawl-rank stops: 'millrace build' failed
END
run build -o bad.mill crawl.log --drop-nofollow
exits 2
stderr_is <<<"millrace: --drop-nofollow: Heritrix's crawl.log cannot tell which links are nofollow, only WARC, ARC and WAT files, JSON lines and tables can; leave it out"
run build -o bad.mill a.wat --link-kinds a,b
exits 2
stderr_is <<<"millrace: --link-kinds a,b: must be of navigation, redirect, embed, speculative, prerequisite, inferred, manifest, submit, failed, a, area, form, iframe, frame, link, img, with commas between"
missing bad.mill

begin "scheme and host do not depend on case, and an empty path is /"
{ wat 200 text/html HTTP://G.com '{"path":"A@/href","url":"HTTP://User@H.org:80/A"},{"path":"A@/href","url":"B"},{"path":"A@/href","url":"//G.COM"}'
    wat 200 text/html http://g.com/ '{"path":"A@/href","url":"http://I.org?Q"}'; } >case.wat
run build -o web.mill case.wat --quiet
exits 0
links_are http://g.com/ http://g.com/ http://g.com/B http://g.com/next http://User@h.org/A http://i.org/?Q
run info web.mill --json
has "$root/stdout" '"vertices": 5,'
printf '%s\n' 'k 20200101000000 {"url": "HTTP://A.org", "status": "301", "redirect": "HTTP://B.org"}' \
    'k 20200101000000 {"url": "http://a.org/", "status": "200"}' >index.cdxj
run build -o web.mill index.cdxj --force --quiet
exits 0
links_are http://a.org/ http://b.org/
run info web.mill --json
has "$root/stdout" '"vertices": 2,'
printf '%s\n' '{"url": "HTTP://A.com", "links": ["HTTP://B.com", "http://b.com/"]}' '{"from": "http://B.com", "to": "http://a.com/"}' >case.jl
run build -o web.mill case.jl --force --quiet
exits 0
run find web.mill . --quiet
stdout_is <<<$'http://a.com/\nhttp://b.com/'
printf '2011-06-23T17:12:08.802Z 200 1299 %s L HTTP://A.com text/html #014 20110623171208574+225 sha1:X - -\n' HTTP://B.com http://b.com/ >case.log
run build -o web.mill case.log --force --quiet
exits 0
run find web.mill . --quiet
stdout_is <<<$'http://a.com/\nhttp://b.com/'
# A list finds the pages in either spelling.
printf '%s\n' HTTP://B.com >fetched.txt
for file in fetched.txt case.log; do
    run pagerank web.mill --fetched $file --next 5 --quiet
    exits 0
    [ "$(cut -f 1 "$root/stdout")" = http://a.com/ ] || fail "$file: $(cat "$root/stdout")"
done

begin "nutch: in-links, whatever their anchors say"
printf 'http://t/\tInlinks:\n fromUrl: http://a/ anchor: fromUrl: x anchor: \n fromUrl: http://b/ anchor: \n\nhttp://a/\tInlinks:\n fromUrl: http://t/ anchor: z\n\n' >dump
run build -o web.mill dump --quiet
exits 0
links_are http://a/ http://t/
links_are http://b/ http://t/
links_are http://t/ http://a/
printf 'http://t/\tInlinks:\n\n fromUrl: http://a/ anchor: x\n' >bad
run build -o bad.mill bad
exits 3
has "$root/stderr" "bad:3: "

begin "adjacency, crawl.log, cdxj"
printf 'http://a/\thttp://b/\thttp://c/\nhttp://d/\n' >adjacency
run build -o web.mill adjacency --format adjacency --quiet
exits 0
links_are http://a/ http://b/ http://c/
run info web.mill --json
has "$root/stdout" '"vertices": 4,'
printf '%s\n' '2020-01-01T00:00:00.000Z 200 10 http://s/ - - text/html #1 - - - -' \
    '2020-01-01T00:00:01.000Z 1 10 dns:s P http://s/ text/dns #1 - - - -' \
    '2020-01-01T00:00:02.000Z 200 10 http://s/a L http://s/ text/html #1 - - - -' >crawl.log
run build -o web.mill crawl.log --force
exits 0
has "$root/stderr" "one link to each page, from the page it was found in"
links_are http://s/ http://s/a
printf '%s\n' 'org,a)/x 20200101000000 {"url": "http://a.org/x", "status": "301", "redirect": "y?z#f"}' \
    'org,a)/y 20200101000000 {"url": "http://a.org/y", "status": "200"}' >index.cdxj
run build -o web.mill index.cdxj --force --quiet
exits 0
links_are http://a.org/x http://a.org/y?z

begin "crawl.log: hops, failures and robots.txt"
log() {
    printf '2020-01-01T00:00:00.000Z %s 10 %s %s %s %s #1 - - - -\n' "$@"
}
{ log 200 http://s/ - - text/html; log -9998 http://seed/ - - unknown; log 200 http://s/robots.txt P http://s/ text/plain
    log 200 http://s/a L http://s/ text/html; log 200 http://s/i LE http://s/a image/png; log 200 http://s/moved LR http://s/a text/html
    log 302 http://s/i2 LE http://s/a text/html; log 200 http://s/i3 LER http://s/i2 image/png; log 200 http://s/x LX http://s/a text/html
    log -2 http://down/ LL http://s/a unknown; log 404 http://s/gone LL http://s/a text/html; log 200 http://s/photo LL http://s/a image/jpeg
    log 200 http://s/deep 50+LL http://s/moved text/html; } >crawl.log
run build -o web.mill crawl.log
exits 0
has "$root/stderr" "note: left out 9 links other than navigation and redirects; --link-kinds takes more"
has "$root/stderr" "4 pages, 1 of them dangling; 3 links"
links_are http://s/ http://s/a
links_are http://s/a http://s/moved
links_are http://s/moved http://s/deep
run build -o web.mill crawl.log --link-kinds embed,speculative --force --quiet
exits 0
links_are http://s/a http://s/i http://s/i2 http://s/photo http://s/x
links_are http://s/i2 http://s/i3
run build -o web.mill crawl.log --link-kinds navigation,failed,prerequisite --force --quiet
exits 0
links_are http://s/a http://down/ http://s/gone
links_are http://s/ http://s/a http://s/robots.txt
run find web.mill seed --quiet
stdout_is <<<"http://seed/"

begin "cdxj: images, robots.txt and failures are no pages"
printf '%s\n' 'k 20200101000000 {"url": "http://a/x", "mime": "text/html", "status": "301", "redirect": "y"}' \
    'k 20200101000000 {"url": "http://a/i", "mime": "image/png", "status": "200"}' \
    'k 20200101000000 {"url": "http://a/robots.txt", "mime": "text/plain", "status": "200"}' \
    'k 20200101000000 {"url": "http://a/404", "mime": "text/html", "status": "404", "redirect": "z"}' \
    'k 20200101000000 {"url": "http://a/again", "mime": "warc/revisit", "status": "-"}' >index.cdxj
run build -o web.mill index.cdxj --quiet
exits 0
run pagerank web.mill --sort name --quiet
cut -f 1 "$root/stdout" >names
file_is names <<'END'
http://a/again
http://a/x
http://a/y
END
run build -o web.mill index.cdxj --link-kinds redirect,failed,embed,prerequisite --force --quiet
exits 0
links_are http://a/404 http://a/z
run find web.mill 'i$|robots' --quiet
stdout_is <<'END'
http://a/i
http://a/robots.txt
END

begin "only http, https and ftp have pages: crawl.log, cdxj, nutch"
others="dns:s urn:x:http://s/ metadata://s/x whois:s mailto:a@s javascript:x screenshot:http://s/"
{ log 200 http://s/ - - text/html; log 200 http://s/a L http://s/ text/html
    for url in $others; do
        log 1 $url L http://s/ text/html
        log 200 http://s/a L $url text/html
    done; } >crawl.log
for url in $others; do
    printf 'k 20200101000000 {"url": "%s", "mime": "text/html", "status": "200", "redirect": "http://no/"}\n' $url
done >index.cdxj
printf 'k 20200101000000 {"url": "http://s/", "mime": "text/html", "status": "301", "redirect": "%s"}\n' $others http://s/a >>index.cdxj
{ printf '\nRecno:: 0\nURL:: http://s/\n\nParseData::\nOutlinks: 8\n'
    printf '  outlink: toUrl: %s anchor: x\n' $others http://s/a; } >dump
for input in crawl.log index.cdxj dump; do
    run build -o web.mill $input --force --quiet
    exits 0
    run find web.mill . --quiet
    stdout_is <<<$'http://s/\nhttp://s/a'
done

begin "nutch: a segment has links, a crawldb has none"
printf '\nRecno:: 0\nURL:: http://a/\n\nCrawlDatum::\nVersion: 7\n\nParseData::\nVersion: 5\nTitle: x\nOutlinks: 2\n  outlink: toUrl: http://b/ anchor: b c\n  outlink: toUrl: http://c/ anchor: \nContent Metadata: \n\n\nRecno:: 1\nURL:: http://b/\n\nParseData::\nOutlinks: 0\n\n' >dump
run build -o web.mill dump --force --quiet
exits 0
links_are http://a/ http://b/ http://c/
sed -i 's/Outlinks: 2/Outlinks: 3/' dump
run build -o bad.mill dump
exits 3
stderr_is <<<'millrace: dump:14: "Content Metadata: ": fewer lines "  outlink: toUrl:" than "Outlinks:" says; skip such lines with --bad-lines skip'
for part in Content ParseText; do
    printf '\nRecno:: 0\nURL:: http://a/\n\n%s::\n\nRecno:: 1\nURL:: http://no/\n\nParseData::\nOutlinks: 0\n' $part >pages
    run build -o bad.mill pages
    exits 3
    has "$root/stderr" "millrace: pages:5: this dump has the contents of pages, which can look like records; give the segment's directory itself"
done
no_links="is a dump of Nutch's crawldb, which has no links; dump the linkdb (nutch readlinkdb LINKDB -dump DIR) or a segment (nutch readseg -dump SEGMENT DIR -nocontent -noparsetext)"
printf 'http://a/\tVersion: 7\nStatus: 2 (db_fetched)\nFetch time: Thu Jan 01 00:00:00 UTC 1970\n\n' >crawldb
printf 'Url,Status code,Status name,Fetch Time\n"http://a/",2,"db_fetched",x\n' >crawldb.csv
printf '{"url":"http://a/","statusCode":2,"statusName":"db_fetched"}\n' >crawldb.json
for file in crawldb crawldb.csv crawldb.json; do
    run build -o bad.mill $file
    exits 3
    stderr_is <<<"millrace: $file: $no_links"
done

begin "JSON lines: pages with links, pairs, arrays, and what is neither"
printf '%s\n' '{"url": "http://a.org/d/p", "title": "t", "links": ["x?y#z", "../r", "mailto:a@b"]}' \
    '{"url": "http://b.org/", "links": [{"url": "http://a.org/", "nofollow": true}, {"href": "c", "text": "t"}]}' \
    '{"url": "http://c.org/"}' >crawl.jl
run build -o web.mill crawl.jl --force
exits 0
has "$root/stderr" "3 lines: 4 links, 0 comments and blanks, 0 bad"
links_are http://a.org/d/p http://a.org/d/x?y http://a.org/r
links_are http://b.org/ http://a.org/ http://b.org/c
run info web.mill --json
has "$root/stdout" '"vertices": 7,'
run build -o web.mill crawl.jl --force --quiet --drop-nofollow
exits 0
links_are http://b.org/ http://b.org/c
printf '%s\n' '{"from": "http://a/", "to": "http://b/"}' '{"source": "http://a/", "target": "n"}' '{"to_url": 17, "from_url": "n"}' >pairs.jsonl
run build -o web.mill pairs.jsonl --force --quiet
exits 0
links_are http://a/ n http://b/
links_are n 17
printf '[\n{"url": "http://a/", "links": ["http://b/"]},\n{"url": "http://b/", "links": []}\n]\n' >feed.json
run build -o web.mill feed.json --force --quiet
exits 0
links_are http://a/ http://b/
tr -d '\n' <feed.json >line.json
run build -o web.mill line.json --force --quiet
exits 0
links_are http://a/ http://b/
printf '{\n "url": "http://a/",\n "hrefz": []\n}\n' >pretty.json
run build -o bad.mill pretty.json
exits 3
has "$root/stderr" 'note: pretty.json: no links; the keys of its first object are "url", "hrefz", and links are read from'
printf '{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}\n' >graph.json
run build -o bad.mill graph.json
exits 3
stderr_is <<<"millrace: graph.json:1: one object with the keys \"nodes\", \"links\"; take what has the links out: jq -c '.links[]' FILE | millrace ... -"
printf '{"nodes": [], "edges": [{"from": 1}]}\n' >graph.json
run build -o bad.mill graph.json
exits 3
stderr_is <<<'millrace: graph.json:1: JSON with the keys "nodes", "edges"; each object needs "url" and "links", or "from" and "to"; rename the keys, for example with jq -c'
printf '%s\n' '{"url": "http://a/", "links": ["/b"]}' '{"url": "d"}' '{"url": "http://a/", "links": 3}' '{"from": 1.5, "to": 2}' '{"x": 1}' '{"url":' '17' >bad.jl
run build -o bad.mill bad.jl --bad-lines skip --quiet --json
exits 0
field_is "$root/stdout" bad_lines 6
tail -n +2 bad.jl >worse.jl
run build -o bad.mill worse.jl --force
exits 3
stderr_is <<<'millrace: worse.jl:1: "{"url": "d"}": the "url" is not an absolute URL; write other names under "from" and "to"; no line is any better: check the file and its --format'

begin "Heritrix's offline PageRank: pages, scores, links"
printf 'http://a/\t1.0\tO:http://b/,http://c/x,y\nhttp://b/ 0.5 O:dummy\ndummy\t1.0\tO:dummy\n' >pr1.txt
run build -o web.mill pr1.txt --force --quiet
exits 0
links_are http://a/ http://b/ http://c/x,y
run info web.mill --json
has "$root/stdout" '"vertices": 3,'
printf '1\t1.0\tO:2, 3\n2\t1.0\tO:1\n' >pr1.txt
run build -o web.mill pr1.txt --force --quiet
exits 0
links_are 1 2 3

begin "Common Crawl: pages and edges, in parts, compressed; hosts stay reversed and keep their ids"
printf '0\tcom.example\n1\tcom.example.www\n2\torg.a-b\n' | gzip >vertices-0.txt.gz
{ printf '3\torg.a.x\n' | gzip; printf '4\torg.wiki.de\n' | gzip; } >vertices-1.txt.gz
printf '0\t1\n0\t3\n' | gzip >edges-0.txt.gz
printf '1\t4\n4\t0\n4\t1\n' | gzip >edges-1.txt.gz
run build -o web.mill vertices-?.txt.gz edges-?.txt.gz --force
exits 0
has "$root/stderr" "5 pages, 2 of them dangling; 5 links"
links_are com.example com.example.www org.a.x
links_are org.wiki.de com.example com.example.www
run pagerank web.mill -o ranks.tsv --quiet
exits 0
printf '%s\n' com.example com.example.www org.a-b org.a.x org.wiki.de | cmp - <(cut -f 1 ranks.tsv) || fail "names"
run hosts web.mill --by domain
exits 0
cut -f 1,2 "$root/stdout" | sort | cmp - <(printf 'a-b.org\t1\na.org\t1\nexample.com\t2\nwiki.org\t1\n') || fail "$(cat "$root/stdout")"
run check --full web.mill
exits 0
printf '0\thttp://h.org/1\n1\thttp://h.org/2\n2\thttp://www.x.co.uk/\n' >pages.txt
printf '0\t1\n1\t2\n' >edges.txt
run build -o pages.mill pages.txt edges.txt --quiet
exits 0
run show pages.mill http://h.org/1 --links-out --quiet
stdout_is <<<"http://h.org/2"
run hosts pages.mill --quiet
exits 0
cut -f 1,2 "$root/stdout" | sort | cmp - <(printf 'h.org\t2\nwww.x.co.uk\t1\n') || fail "$(cat "$root/stdout")"
printf '0\torg.h\n1\thttp://h.org/2\n' >mixed.txt
run build -o bad.mill mixed.txt
exits 3
stderr_is <<<'millrace: mixed.txt:2: "1\x09http://h.org/2": a URL among reversed hosts'
printf '0\thttp://h.org/2\n1\torg.h\n' >mixed.txt
run build -o bad.mill mixed.txt
exits 3
stderr_is <<<'millrace: mixed.txt:2: "1\x09org.h": a reversed host among URLs'
run build -o bad.mill edges-0.txt.gz --format commoncrawl
exits 3
stderr_is <<<'millrace: edges-0.txt.gz:1: "0\x091": an edge before any vertex; give the files of vertices first'
run build -o bad.mill vertices-0.txt.gz --profile heritrix
exits 2
stderr_is <<<"millrace: --profile heritrix is for URLs, and the pages of a web graph of Common Crawl are hosts"
[ ! -e bad.mill ] || fail "something was left behind"

# refused FORMAT FILE POSITION TEXT: exit code 3, the message has both, and nothing is left behind.
refused() {
    run build -o refused.mill --format "$1" "$2"
    exits 3
    has "$root/stderr" "millrace: $2$3"
    has "$root/stderr" "$4"
    ! compgen -G 'refused.mill*' >left || fail "left behind: $(cat left)"
}

# lying LENGTH BODY: a metadata record with that Content-Length.
lying() {
    record metadata application/json "$page" "$2" | sed "s/^Content-Length: .*\r/Content-Length: $1\r/"
}

begin "archives are read at the same time: the same store, notes and error on any threads"
# An archive has pages that link to each other and into the next archive; page 5 of each is cut off.
for ((i = 1; i <= 12; i++)); do
    for ((k = 0; k < 40; k++)); do
        html="<a href='/p$((k * 7 % 40))'>x</a> <a href='http://h$((i % 12 + 1)).example/p$k'>y</a>"
        record response application/http "http://h$i.example/p$k" "HTTP/1.1 200 OK"$'\r\n'"Content-Type: text/html"$'\r\n\r\n'"$html"
    done >part$i.warc
    head -c 1000 part$i.warc >bad$i.warc
done
for threads in 1 2 5; do
    run build -o t$threads.mill part?.warc part1?.warc --threads $threads --force
    exits 0
    sed 's/, [0-9.]* s (.*//' "$root/stderr" | grep -v 'reading' >said$threads
    (cd t$threads.mill && sha256sum links* names* degrees* index* 2>/dev/null) >sums$threads
    run build -o bad.mill part1.warc bad2.warc part3.warc bad4.warc bad5.warc --threads $threads
    exits 3
    cp "$root/stderr" error$threads
done
cmp -s sums1 sums2 && cmp -s sums1 sums5 || fail "other stores"
sed -i 's/t[125].mill/t.mill/' said?
cmp -s said1 said2 && cmp -s said1 said5 || fail "other words: $(cat said?)"
cmp -s error1 error2 && cmp -s error1 error5 || fail "other errors: $(cat error?)"
has error5 "bad2.warc: offset"

begin "a folder of archives is its files in sorted order, beside an index; other text in it is refused"
mkdir crawl
record response application/http http://a/ "$(printf 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href="/one">')" | gzip >crawl/1.warc.gz
record metadata application/json "$page" "$json" >crawl/2.wat
echo 'a)/two 20260101000000 {"url": "http://a/two", "mime": "text/html", "status": "200"}' >crawl/index.cdxj
: >crawl/_SUCCESS
run build -o files.mill crawl/1.warc.gz crawl/2.wat crawl/index.cdxj --quiet
exits 0
run build -o folder.mill crawl --quiet
exits 0
cmp files.mill/MANIFEST folder.mill/MANIFEST || fail "other than its files"
run build -o one.mill crawl/1.warc.gz --quiet
run append one.mill crawl --quiet
exits 0
run find one.mill . --quiet
grep -qx http://a/two "$root/stdout" || fail "append did not read the index"
echo "About this" >crawl/README
run build -o folder.mill crawl --force
exits 3
stderr_is <<<"millrace: crawl/README: is lines of two names, and crawl/1.warc.gz in the same directory is a WARC file; name the files to read"
run build -o folder.mill crawl/1.warc.gz crawl/README --force --quiet # names are trusted
exits 0

begin "archives on any threads: --max-bad counts the bad records of all files in their order"
for ((i = 1; i <= 6; i++)); do
    for ((k = 0; k < 2; k++)); do
        record metadata application/json "$page" "${json:0:200}"
    done >bad$i.wat
    record metadata application/json "http://h$i.example/" "${json//$page/http://h$i.example/}" >>bad$i.wat
done
for threads in 1 2 6; do
    run build -o few.mill bad?.wat --bad-lines skip --max-bad 11 --threads $threads --force --quiet
    exits 3
    has "$root/stderr" "bad6.wat: offset 336: the JSON of this record is wrong: "
    has "$root/stderr" ", and so the input has more than 11 bad records; raise --max-bad or mend the input"
    run build -o few.mill bad?.wat --bad-lines skip --max-bad 12 --threads $threads --force --quiet
    exits 0
done

begin "a length in characters, in gzip members: read to the next record, counted; revisits of other URLs"
for name in a b c; do
    record response application/http http://$name/ "HTTP/1.1 200 OK"$'\r\n'"Content-Type: text/html"$'\r\n\r\n'"<p>ü€<a href=http://t/$name>" |
        LC_ALL=C awk '/^Content-Length/ { $2 = $2 - 3 "\r" } 1' | gzip
done >characters.warc.gz
{ record revisit $'application/http\r\nWARC-Refers-To-Target-URI: http://a/' http://d/ "HTTP/1.1 200 OK"$'\r\n'"Content-Type: text/html"$'\r\n\r\n'
    record metadata application/warc-fields http://d/ 'outlink: http://t/d L a/@href'
    record revisit $'application/http\r\nWARC-Refers-To-Target-URI: http://a/' http://e/ "HTTP/1.1 200 OK"$'\r\n'"Content-Type: text/html"$'\r\n\r\n'; } >other.warc
run build -o bad.mill characters.warc.gz
exits 3
stderr_is <<<"millrace: characters.warc.gz: offset 0: the record that begins here is longer or shorter than its Content-Length says (in the decompressed file); skip such records with --bad-lines skip"
run build -o web.mill characters.warc.gz other.warc --bad-lines skip --force
exits 0
has "$root/stderr" "note: characters.warc.gz: offset 0: the record that begins here is longer than its Content-Length says; read to the next one"
has "$root/stderr" "note: other.warc: the links of 1 revisit of other URLs are not known: no metadata follow"
has "$root/stderr" "6 records: 4 links, 3 bad"
has "$root/stderr" "9 pages, 5 of them dangling; 4 links"

begin "metadata before a damaged gzip member count"
record metadata application/warc-fields http://a/ 'outlink: http://t/a L a/@href' | gzip >whole.gz
record metadata application/warc-fields http://b/ "$(printf 'outlink: http://t/b L a/@href\r\n%0.s' {1..300})" | gzip >damaged.gz
printf '\377\377\377\377' | dd of=damaged.gz bs=1 seek=12 conv=notrunc status=none
for files in "whole.gz damaged.gz" "whole.gz damaged.gz whole.gz"; do
    # shellcheck disable=SC2086
    cat $files >damaged.warc.gz
    run build -o web.mill damaged.warc.gz --bad-lines skip --force
    exits 0
    links_are http://a/ http://t/a
    run find web.mill http://b/ --quiet
    stdout_is </dev/null
done

begin "the newest capture of a page counts: a model"
python3 "$tests_dir/captures_model.py" "$MILLRACE" . 6 || fail "model"

begin "captures of WARC, ARC and WAT files, and revisits"
# capture TYPE TIME [HEADER] LINK: a page http://s/ with one link
capture() {
    local body="HTTP/1.1 200 OK"$'\r\n'"Content-Type: text/html"$'\r\n\r\n'"${4:+<a href=\"$4\">x</a>}"
    printf 'WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: http://s/\r\nWARC-Date: 2026-01-0%sT00:00:00Z\r\n%bContent-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n' \
        "$1" "$2" "$3" "${#body}" "$body"
}
refers() { printf 'WARC-Refers-To-Date: 2026-01-0%sT00:00:00Z\\r\\n' "$1"; }
capture response 1 '' /one >1.warc
capture response 2 '' /two >2.warc
capture revisit 3 "$(refers 1)" '' >3.warc
capture revisit 3 '' '' >3x.warc
capture revisit 3 "$(refers 9)" '' >3y.warc
capture revisit 3 "$(refers 3)" '' >3z.warc # of the same second, as of another page with the same bytes
capture revisit 3 '' '' | sed '/^WARC-Date/d' >undated.warc
# FILES: the links of http://s/
while read -r files; do
    # shellcheck disable=SC2086
    run build -o web.mill ${files%%:*} --force --quiet --threads 2
    exits 0
    # shellcheck disable=SC2086
    links_are http://s/ ${files##*: }
done <<'END'
1.warc 2.warc: http://s/two
2.warc 1.warc: http://s/two
2.warc 3.warc 1.warc: http://s/one
2.warc 3x.warc 1.warc: http://s/two
3y.warc 2.warc 1.warc: http://s/two
3z.warc 2.warc 1.warc: http://s/two
1.warc 3.warc: http://s/one
--captures all 2.warc 3.warc 1.warc: http://s/one http://s/two
END
run build -o web.mill 2.warc 1.warc --force
has "$root/stderr" "left out 1 link of older captures of a page; --captures all takes them"
cp -r web.mill before.mill
for file in 3.warc 3z.warc undated.warc; do # a revisit says that the links are those of before
    run append web.mill $file --replace --quiet
    exits 0
    cmp web.mill/links.1 before.mill/links.1 || fail "$file: a revisit changed the links"
done
run show web.mill http://s/
has "$root/stdout" "fetches     3
first fetch 2026-01-01T00:00:00Z
last fetch  2026-01-03T00:00:00Z
changes     0 of 1 compared fetches"
arc() { printf 'http://s/ 1.2.3.4 2026010%s000000 text/html %d\n%s\n' "$1" "${#2}" "$2"; }
head='filedesc://x.arc 0.0.0.0 20260101000000 text/plain 76'
{ printf '%s\n1 0 Org\nURL IP-address Archive-date Content-type Archive-length\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n' "${head% *} 73"; } >a.arc
for time in 2 1; do
    arc $time "HTTP/1.1 200 OK"$'\r\n'"Content-Type: text/html"$'\r\n\r\n'"<a href=\"/arc$time\">x</a>" >>a.arc
done
run build -o web.mill a.arc --force --quiet --format arc
exits 0
links_are http://s/ http://s/arc2
for time in 2 1; do
    record metadata application/json http://s/ '{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response","WARC-Date":"2026-01-0'$time'T00:00:00Z","WARC-Target-URI":"http://s/"},"Payload-Metadata":{"HTTP-Response-Metadata":{"HTML-Metadata":{"Links":[{"path":"A@/href","url":"/wat'$time'"}]}}}}}'
done >a.wat
run build -o web.mill a.wat --force --quiet
exits 0
links_are http://s/ http://s/wat2

begin "a digest in the input says whether a page has changed"
facts_of() { # STORE PAGE: fetches, compared, changes, day of the first and of the last fetch
    run show "$1" "$2" --json
    python3 -c 'import json, sys
page = json.load(sys.stdin)
print(page.get("fetches", 0), page.get("compared", 0), page.get("changes", 0), page.get("first_fetch", "")[8:10], page.get("last_fetch", "")[8:10])' <"$root/stdout"
}
digest() { printf 'WARC-Payload-Digest: %s\\r\\n' "$1"; }
{ capture response 1 "$(digest sha1:AA)" /one; capture response 2 "$(digest sha1:BB)" /one
    capture revisit 3 "$(digest sha1:BB)$(refers 2)" ''; capture response 4 "$(digest sha1:aa)" /one; } >digests.warc
wat() { # DAY DIGEST
    record metadata application/json http://s/ '{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response","WARC-Date":"2026-01-0'"$1"'T00:00:00Z","WARC-Payload-Digest":"'"$2"'","WARC-Target-URI":"http://s/"},"Payload-Metadata":{"HTTP-Response-Metadata":{"HTML-Metadata":{"Links":[{"path":"A@/href","url":"/x"}]}}}}}'
}
{ wat 2 sha1:B; wat 1 sha1:A; wat 3 sha1:b; } >digests.wat
log() { # DAY STATUS DIGEST
    echo "2026-01-0$1T00:00:09.000Z $2 10 http://s/ L http://r/ text/html #1 2026010${1}000000123+45 $3 - -"
}
{ log 1 200 sha1:A; log 2 200 sha1:B; log 3 404 sha1:C; log 4 -2 -; log 5 301 sha1:B; log 6 200 -; } >digests.log
cdxj() { echo "s)/ 2026010${1}000000 {\"url\": \"http://s/\", \"mime\": \"$2\", \"status\": \"$3\", \"digest\": \"$4\", \"redirect\": \"/x\"}"; }
{ cdxj 1 text/html 200 A; cdxj 2 warc/revisit - A; cdxj 3 text/html 200 sha1:B; cdxj 4 warc/revisit - -; cdxj 5 text/html 404 C; } >digests.cdxj
json() { echo "{\"url\": \"http://s/\", \"links\": [\"/x\"], \"timestamp\": \"2026-01-0$1\"$2}"; }
{ json 1 ', "digest": "A"'; json 2 ', "metadata": {"signature": ["a"]}'; json 3 ', "payload_digest": "sha256:B"'; json 4 ''
    json 5 ', "md5": "C", "status": 404'; json 6 ', "sha1": "D", "status": 403'; json 7 ', "sha1": "D"'; } >digests.jl
{ json 1 ''; json 2 ', "status": "404abc"' | sed 's,/x,/y,'; } >odd.jl
while read -r file captures wanted; do
    run build -o web.mill "$file" --captures "$captures" --force --quiet
    exits 0
    [ "$(facts_of web.mill http://s/)" = "$wanted" ] || fail "$file, $captures: $(facts_of web.mill http://s/)"
done <<'END'
digests.warc newest 4 3 2 01 04
digests.warc all 4 3 2 01 04
digests.wat newest 3 2 1 01 03
digests.log newest 4 2 1 01 06
digests.cdxj newest 4 3 1 01 04
digests.jl newest 5 2 1 01 07
digests.jl all 5 2 1 01 07
odd.jl newest 2 0 0 01 02
END
links_are http://s/ http://s/y # "404abc" is no status
run build -o web.mill digests.jl --captures all --force --quiet
links_are http://s/ http://s/x # of all captures, 404 among them
{ json 4 ''; json 5 ', "status": 410' | sed 's,"/x",,'; json 6 ', "status": 403' | sed 's,"/x",,'; } >gone.jl
run build -o web.mill gone.jl digests.log --force --quiet
links_are http://r/ http://s/ # and none of http://s/, which was gone when it was last seen
[ "$(facts_of web.mill http://s/)" = "5 1 1 01 06" ] || fail "gone: $(facts_of web.mill http://s/)"
run show web.mill http://s/ --links-out --quiet
[ ! -s "$root/stdout" ] || fail "links of a page that is gone"
# In parts it is the same as in one build, in any order; the links and the digest may disagree.
split -l 1 digests.jl part.
run build -o all.mill digests.jl --force --quiet
for order in "aa ab ac ad ae af ag" "ad ac ab aa ag af ae"; do
    rm -rf web.mill
    for part in $order; do
        if [ -e web.mill ]; then run append web.mill part.$part --quiet; else run build -o web.mill part.$part --quiet; fi
        exits 0
        [ $part = ac ] && run append web.mill part.$part --quiet
    done
    cmp web.mill/facts.1 all.mill/facts.1 || fail "in parts, $order: $(facts_of web.mill http://s/)"
done
run build -o web.mill part.aa --force --quiet
sed 's,/x,/y,' part.ab >other.jl # other links, the same digest
run append web.mill other.jl --replace --quiet
[ "$(facts_of web.mill http://s/)" = "2 1 1 01 02" ] || fail "other links: $(facts_of web.mill http://s/)"

begin "fetches without links take no memory: a long crawl.log in the least budget"
awk 'BEGIN { # of each of 500 pages 2400 fetches, a second apart; the digests are A B B A B B ...
    for (i = 0; i < 1200000; i++) {
        s = 10000 + i / 500
        printf "2026-02-01T00:00:00.000Z 200 9 http://s/%d L - text/html #1 20260101%02d%02d%02d123+1 sha1:%s -\n", i % 500, s / 3600, s % 3600 / 60, s % 60, int(i / 500) % 3 ? "B" : "A"
    }
    print "2026-02-01T00:00:00.000Z 200 9 http://s/0 L http://s/1 text/html #1 - - -"
}' >long.log
run build -o web.mill long.log --memory 32Mi --force --quiet
exits 0
for page in 0 249 250 499; do
    [ "$(facts_of web.mill http://s/$page)" = "2400 2399 1599 01 01" ] || fail "page $page: $(facts_of web.mill http://s/$page)"
done
rm long.log

begin "json: a failed fetch replaces no links; a line of 30,000 links; one object for all pages"
echo '{"url":"http://a/","links":["http://b/","http://c/"],"timestamp":"2024-01-01T00:00:00Z","status":200}' >1.jsonl
echo '{"url":"http://a/","links":["http://a/error"],"timestamp":"2024-02-01T00:00:00Z","status":503}' >2.jsonl
run build -o web.mill 1.jsonl --force --quiet
run append web.mill 2.jsonl --replace
exits 0
has "$root/stderr" "0 pages replaced"
links_are http://a/ http://b/ http://c/
run build -o web.mill 1.jsonl 2.jsonl --link-kinds navigation,failed --captures all --force --quiet
exits 0
links_are http://a/ http://a/error http://b/ http://c/
awk 'BEGIN { printf "{\"url\":\"http://a/\",\"links\":[\"http://b/\""; for (i = 0; i < 30000; i++) printf ",\"http://b.example/a-page-with-a-name-%d\"", i
    print "]}"; print "{\"url\":\"http://c/\",\"links\":[\"http://d/\"]}" }' >long.jsonl
run build -o web.mill long.jsonl --force
exits 0
has "$root/stderr" "2 lines: 30,002 links"
run pagerank web.mill --fetched long.jsonl --next 2 --urls-only --quiet
exits 0
rm long.jsonl
if command -v jq >/dev/null; then
    while IFS='|' read -r text page links; do
        printf '%s\n' "$text" >all.json
        run build -o web.mill all.json --force
        exits 3
        advice=$(sed -n 's/.*write one for each: \(jq .*\) FILE | millrace ... -$/\1/p' "$root/stderr")
        bash -c "$advice all.json" >each.jsonl || fail "$advice"
        run build -o web.mill each.jsonl --force --quiet
        exits 0
        # shellcheck disable=SC2086
        links_are "$page" $links
    done <<'END'
{"http://a/":["http://b/","c"],"http://b/":[]}|http://a/|http://a/c http://b/
{"0":[1,2],"1":[0]}|0|1 2
END
else
    echo "no jq: the advice for one object is not tried" >&2
fi

begin "rounds without links are rounds"
printf '{"url": "http://s/", "links": ["http://s/a"]}\n{"url": "http://s/a", "links": ["http://s/"]}\n' >old.jsonl
printf '{"url": "http://s/a", "links": []}\n' >new.jsonl
printf 'Recno:: 0\nURL:: http://s/a\n\nParseData::\nVersion: 5\nStatus: success(1,0)\nTitle: x\nOutlinks: 0\nContent Metadata:\nParse Metadata:\n\n' >new.dump
echo http://s/a >new.adj
body="HTTP/1.1 200 OK"$'\r\n'"Content-Type: text/html"$'\r\n\r\n<p>nothing'
record response application/http http://s/a "$body" >new.warc
for file in new.jsonl new.dump new.warc "new.adj --format adjacency"; do
    run build -o web.mill old.jsonl --force --quiet
    # shellcheck disable=SC2086
    run append web.mill $file --replace
    exits 0
    has "$root/stderr" "1 page replaced, 0 gone, 0 dropped; 0 links added, 1 kept, 1 removed"
    lacks "$root/stderr" "links are read from"
done
printf '{"url": "http://s/a", "status": 503, "links": []}\n' >failed.jsonl # says nothing of the links
run build -o web.mill old.jsonl --force --quiet
run append web.mill failed.jsonl --replace
has "$root/stderr" "0 pages replaced, 0 gone, 0 dropped; 0 links added, 2 kept, 0 removed"
run append web.mill new.warc --quiet # a page more, or none
exits 0
run build -o none.mill new.jsonl
exits 3
has "$root/stderr" "new.jsonl: no links in it; for a graph without links say --vertices N or --vertex-list FILE"
printf '%s\n' '2020-01-01T00:00:02.000Z 200 10 http://s/a L http://s/ text/html #1 - - - -' >crawl.log
run append web.mill crawl.log --replace
exits 2
has "$root/stderr" "millrace: crawl.log: is Heritrix's crawl.log, which has some links of a page and not all; --replace needs the pages (WARC, JSON, dumps of segments); leave it out to add links"

begin "hostile: records that lie about their length, cut members, deep and endless text"
for length in -5 x '' 18446744073709551616; do
    lying "$length" "$json" >hostile
    refused wat hostile ": offset 0: " "no Content-Length that is a number"
done
{ record metadata application/json "$page" "$json"; lying 18446744073709551615 "$json"; } >hostile
offset=$(record metadata application/json "$page" "$json" | wc -c)
refused wat hostile ": offset $offset: " "more than 32 MiB"
lying 33554432 "$json" >hostile
refused wat hostile ": offset 0: " "cut off"
lying 20 "$json" >hostile
refused wat hostile ": offset 0: " "longer or shorter than its Content-Length says"
record metadata application/json "$page" "$(printf '{"a": \033[31m')" >hostile
refused wat hostile ": offset 0: " 'near '"'"'\x1b'"'"
record metadata application/json "$page" "$(head -c 100000 /dev/zero | tr '\0' '[')" >hostile
refused wat hostile ": offset 0: " "maximum parsing depth"
record metadata application/json "$page" "$json" | gzip >member.gz
{ cat member.gz; head -c 100 member.gz; } >hostile.gz
refused wat hostile.gz ": offset $(zcat member.gz | wc -c): " "ends in the middle of gzip data"
head -c 64M /dev/zero | gzip -1 >zeros.gz
for format in wat warc; do
    refused $format zeros.gz ": offset 0: " "no WARC record"
    : >empty
    refused $format empty ": " "no links in it"
done
for format in nutch adjacency crawl-log cdxj jsonl heritrix-pagerank; do
    refused $format zeros.gz ":1: " "longer than 1048576 bytes"
    printf 'http://a/\0 x\n' >hostile
    refused $format hostile ":1: " 'http://a/\x00'
done
printf 'k 20200101000000 {"url":"http://a/\\nb","redirect":"http://c/"}\n' >hostile
run build -o web.mill hostile --format cdxj --force --quiet
exits 0
links_are http://a/b http://c/ # as in browsers
printf 'a b\tInlinks:\n fromUrl: http://c/ anchor: \n' >hostile
refused nutch hostile ":2: " "has blanks or control characters"
printf 'http://a/ b\tInlinks:\n fromUrl: http://c/ anchor: \n' >hostile
refused nutch hostile ":2: " "has blanks or control characters" # Nutch writes %20
printf 'http://a/\tInlinks:\nhttp://b/ Inlinks:\n fromUrl: http://c/ anchor: \n' >hostile
run build -o web.mill hostile --format nutch --bad-lines skip --force
exits 3 # the link is not taken for one to the page before
has "$root/stderr" "no links in it"

begin "hostile: three bytes of JSON that take hundreds"
{ printf '[' && printf '{},%.0s' {1..100000} && printf '1]'; } >bomb
record metadata application/json "$page" "$(cat bomb)" >bomb.wat
{ printf 'a 20200101000000 {"url":"http://a/","x":' && cat bomb && printf '}\n'; } >bomb.cdxj
run build -o web.mill bomb.wat --format wat --memory 40MB
exits 5
has "$root/stderr" "bomb.wat: offset 0: out of memory budget: JSON needs"
run build -o web.mill bomb.cdxj --format cdxj --memory 40MB
exits 5
has "$root/stderr" "bomb.cdxj:1: out of memory budget: JSON needs"

begin "links and pages are spelled as in browsers"
body='HTTP/1.1 200 OK
Content-Type: text/html; charset=utf-8

'
hrefs='http://bücher.example:80/x\y http:z %2e%2E/. //H.Example:80 \\\\h.example?q# ///h.example/%2E http://0x7f.1/ http:/a%20b/../ü'
for href in $hrefs 'mailto:x' 'http://h:x/' ' /t'$'\t''ab '; do body+="<a href=\"$href\">"; done
{ record response application/http 'http://Bücher.example:80/d/e' "$(printf "${body//%/%%}")"
    record response application/http 'HTTP://h.example' "$(printf 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n')"; } >a.warc
run build -o web.mill a.warc --force --quiet
exits 0
links_are 'http://xn--bcher-kva.example/d/e' http://127.0.0.1/ http://h.example/ 'http://h.example/?q' \
    http://xn--bcher-kva.example/ http://xn--bcher-kva.example/%C3%BC http://xn--bcher-kva.example/d/z \
    http://xn--bcher-kva.example/tab http://xn--bcher-kva.example/x/y
run info web.mill --json
has "$root/stdout" '"vertices": 9,'

begin "a time that is none makes a capture undated, with a note"
cat >crawl.jl <<'END'
{"url": "http://a.org/", "timestamp": "soon", "links": ["http://b.org/"]}
{"url": "http://a.org/", "timestamp": "20240101000000", "links": ["http://c.org/"]}
{"url": "http://d.org/", "timestamp": "", "links": ["http://c.org/"]}
{"url": "http://e.org/", "timestamp": null, "links": ["http://c.org/"]}
{"url": "http://f.org/", "links": ["http://c.org/"]}
END
run build crawl.jl -o s.mill
exits 0
note="note: 1 capture has a time that is none: it counts as undated"
has "$root/stderr" "$note"
run show s.mill http://a.org/ --links-out --quiet
has "$root/stdout" http://b.org/
has "$root/stdout" http://c.org/
http=$(printf 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=http://b.org/>')
for date in 2024-01-01T00:00:00Z yesterday; do
    printf 'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.org/\r\nWARC-Date: %s\r\nContent-Type: application/http\r\nContent-Length: %s\r\n\r\n%s\r\n\r\n' \
        $date ${#http} "$http"
done >crawl.warc
run build crawl.warc -o s.mill --force
exits 0
has "$root/stderr" "$note"

finish
