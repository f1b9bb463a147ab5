#!/usr/bin/env bash
# Inputs of crawlers: WAT, WARC with outlinks, Nutch, adjacency lines, crawl.log, CDXJ.
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
    run links web.mill "$page" --out --quiet
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
stderr_is <<<"millrace: cut.wat: offset 0: the record that begins here is cut off (in the decompressed file); if it is a WARC file, get it again"
[ ! -e cut.mill ] || fail "something was left behind"

begin "warc: outlinks of metadata records"
record metadata application/warc-fields $page $'via: http://x/\noutlink: ../a L a/@href\noutlink: http://b.org/ E img/@src' >a.warc
run build -o web.mill a.warc --quiet
exits 0
links_are $page http://example.com/a http://b.org/

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
has "$root/stderr" "one link to each page, the one it was found by"
links_are http://s/ http://s/a
printf '%s\n' 'org,a)/x 20200101000000 {"url": "http://a.org/x", "status": "301", "redirect": "y?z#f"}' \
    'org,a)/y 20200101000000 {"url": "http://a.org/y", "status": "200"}' >index.cdxj
run build -o web.mill index.cdxj --force --quiet
exits 0
links_are http://a.org/x http://a.org/y?z

begin "Common Crawl: vertices and edges, in parts, compressed; hosts stay reversed and keep their ids"
printf '0\tcom.example\n1\tcom.example.www\n2\torg.a-b\n' | gzip >vertices-0.txt.gz
{ printf '3\torg.a.x\n' | gzip; printf '4\torg.wiki.de\n' | gzip; } >vertices-1.txt.gz
printf '0\t1\n0\t3\n' | gzip >edges-0.txt.gz
printf '1\t4\n4\t0\n4\t1\n' | gzip >edges-1.txt.gz
run build -o web.mill vertices-?.txt.gz edges-?.txt.gz --force
exits 0
has "$root/stderr" "5 vertices, 2 of them dangling; 5 links"
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
run build -o bad.mill edges-0.txt.gz --format commoncrawl
exits 3
stderr_is <<<'millrace: edges-0.txt.gz:1: "0\x091": an edge before any vertex; name the files of vertices first'
run build -o bad.mill vertices-0.txt.gz --profile heritrix
exits 2
stderr_is <<<"millrace: --profile heritrix is for URLs, and the vertices of a web graph of Common Crawl are hosts"
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
refused wat hostile ": offset 0: " "premature end of input"
record metadata application/json "$page" "$json" | tr -d '\r' >hostile
refused wat hostile ": offset 0: " "no WARC record"
record metadata application/json "$page" "$(printf '{"a": \033[31m')" >hostile
refused wat hostile ": offset 0: " 'near '"'"'\x1b'"'"
record metadata application/json "$page" "$(head -c 100000 /dev/zero | tr '\0' '[')" >hostile
refused wat hostile ": offset 0: " "maximum parsing depth"
record metadata application/json "$page" "$json" | gzip >member.gz
{ cat member.gz; head -c 100 member.gz; } >hostile.gz
refused wat hostile.gz ": offset $(($(wc -c <member.gz) + 100)): " "ends in the middle of gzip data"
head -c 64M /dev/zero | gzip -1 >zeros.gz
for format in wat warc; do
    refused $format zeros.gz ": offset 0: " "no WARC record"
    : >empty
    refused $format empty ": " "no links in it"
done
for format in nutch adjacency crawl-log cdxj; do
    refused $format zeros.gz ":1: " "longer than 1048576 bytes"
    printf 'http://a/\0 x\n' >hostile
    refused $format hostile ":1: " 'http://a/\x00'
done
printf 'k 20200101000000 {"url":"http://a/\\nb","redirect":"http://c/"}\n' >hostile
refused cdxj hostile ": " "no links in it"
printf 'http://a/ b\tInlinks:\n fromUrl: http://c/ anchor: \n' >hostile
refused nutch hostile ":2: " "has blanks or control characters"
printf 'http://a/\tInlinks:\nhttp://b/ Inlinks:\n fromUrl: http://c/ anchor: \n' >hostile
run build -o web.mill hostile --format nutch --bad-lines skip
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

finish
