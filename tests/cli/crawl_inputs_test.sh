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

finish
