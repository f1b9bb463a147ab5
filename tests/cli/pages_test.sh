#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Links from the HTML of WARC and ARC files: codings, chunks, encodings, <base>, robots rules, redirects, damage.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || { echo "skipped: no python3 to write the files"; exit 77; }

# Write the WARC or ARC file that the Python code on standard input makes with page(), and so on.
write() {
    { cat <<'END'
import gzip, sys, zlib
out = open(sys.argv[1], "wb")
def record(kind, url, body, type="application/http; msgtype=response"):
    out.write(b"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
              % (kind.encode(), url.encode(), type.encode(), len(body), body))
def response(body, *heads, status="200 OK", type="text/html"):
    lines = ["HTTP/1.1 " + status] + (["Content-Type: " + type] if type else []) + list(heads)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body if isinstance(body, bytes) else body.encode())
def page(url, body, *heads, **more):
    record("response", url, response(body, *heads, **more))
def chunks(body, size=7):
    parts = [body[i:i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x;x=y\r\n%s\r\n" % (len(p), p) for p in parts) + b"0\r\n\r\n"
def brotli(body):  # one block that is not compressed
    return ((len(body) - 1) << 4 | 1 << 20).to_bytes(3, "little") + body + b"\x03"
def arc(url, body, type="text/html"):
    out.write(b"%s 1.2.3.4 20080430204825 %s %d\n%s\n" % (url.encode(), type.encode(), len(body), body))
END
        cat; } >"$root/write.py"
    python3 "$root/write.py" "$1" || exit 1
}

# links_are NAME LINE...: what the page links to.
links_are() {
    local page=$1
    shift
    run links web.mill "$page" --out --quiet
    exits 0
    printf '%s\n' "$@" | sort | cmp -s - <(sort "$root/stdout") || fail "$page: $(cat "$root/stdout")"
}

begin "elements, base, redirects; images and scripts only if asked for"
write a.warc <<'END'
page("http://a.org/d/p?q", """<!DOCTYPE html><head><title><a href=no></title><link rel=canonical href=/c><link rel=stylesheet href=s>
<link rel=alternate href=f.rss><base href='/b/'><base href='/no/'><meta http-equiv=Refresh content="5; URL='r?x=1&amp;y'"></head>
<a href=x#y>x</a><a href="">self</a><a href='mailto:a@b'><a href='javascript:x'><area href=//b.org><img src=i.png><script src=j></script>
<!-- <a href=no> --><iframe src=if></iframe><form action=get></form><form action=post method=post></form><a href='a b?c d'>""",
     "Refresh: 3; url=/hr")
page("http://a.org/old", "<a href=no>", "Location: /new", status="301 Moved")
page("http://a.org/i", "x", type="image/png")
page("http://a.org/404", "<a href=no>", status="404 Not Found")
page("http://a.org/text", "<a href=no>", type="text/plain")
page("http://a.org/untyped", " <!DOCTYPE html><a href=yes>", type=None)
page("http://a.org/robots.txt", "<a href=no>", type="text/html")
record("request", "http://a.org/none", b"GET / HTTP/1.1\r\n\r\n", "application/http; msgtype=request")
record("response", "dns:a.org", b"20080430204825\na.org. 1 IN A 1.2.3.4\n", "text/dns")
END
run build -o web.mill a.warc
exits 0
links_are "http://a.org/d/p?q" http://a.org/c http://a.org/b/r?x=1\&y http://a.org/hr http://a.org/b/x http://a.org/b/ \
    http://b.org/ http://a.org/b/if http://a.org/b/get "http://a.org/b/a%20b?c%20d"
links_are http://a.org/old http://a.org/new
links_are http://a.org/untyped http://a.org/yes
run pagerank web.mill --quiet
grep -qE '/(no|i|404|robots.txt)\s' "$root/stdout" && fail "pages that are none"
grep -q '^http://a.org/text' "$root/stdout" || fail "a text is a page"
run build -o web.mill a.warc --link-kinds img,embed,failed --force --quiet
exits 0
links_are "http://a.org/d/p?q" http://a.org/b/i.png http://a.org/b/j http://a.org/b/s
run build -o web.mill a.warc --link-kinds a,failed --force --quiet
links_are http://a.org/404 http://a.org/no

begin "gzip, deflate, brotli, zstd, chunks, and archives that removed them"
printf '<a href=zstd>' | zstd -qc >z
write a.warc <<'END'
page("http://a/1", gzip.compress(b"<a href=gzip>"), "Content-Encoding: gzip")
page("http://a/2", zlib.compress(b"<a href=zlib>"), "content-encoding:deflate")
raw = zlib.compressobj(9, zlib.DEFLATED, -15)
page("http://a/3", raw.compress(b"<a href=raw>") + raw.flush(), "Content-Encoding: deflate")
page("http://a/4", brotli(b"<a href=brotli>"), "Content-Encoding: br")
page("http://a/5", open("z", "rb").read(), "Content-Encoding: zstd")
page("http://a/6", chunks(b"<a href=chunked><a href=twice>"), "Transfer-Encoding: chunked")
page("http://a/7", chunks(gzip.compress(b"<a href=both>"), 3), "Transfer-Encoding: chunked", "Content-Encoding: x-gzip")
page("http://a/8", b"<a href=plain>", "Transfer-Encoding: chunked", "Content-Encoding: gzip")
page("http://a/9", b"<a href=plain>", "Content-Encoding: br")
page("http://a/10", b"\n<a href=big>" + 300000 * b" " + b"<a href=end>", "Content-Encoding: gzip")
END
run build -o web.mill a.warc
exits 0
lacks "$root/stderr" damaged
n=0
for link in gzip zlib raw brotli zstd; do
    links_are http://a/$((++n)) http://a/$link
done
links_are http://a/6 http://a/chunked http://a/twice
links_are http://a/7 http://a/both
links_are http://a/8 http://a/plain
links_are http://a/9 http://a/plain
links_are http://a/10 http://a/big http://a/end

begin "damaged pages: links before the damage count, and a note says so"
write a.warc <<'END'
import random
random.seed(1)
noise = bytes(random.randrange(33, 127) for i in range(60000))
body = gzip.compress(b"<a href=first>" + noise + b"<a href=last>")
page("http://a/1", body[:30000], "Content-Encoding: gzip")
page("http://a/2", chunks(b"<a href=first>" + noise, 1000)[:2000], "Transfer-Encoding: chunked")
page("http://a/3", chunks(b"<a href=first>                 ", 20) .replace(b"\r\nb;", b"\r\nzz"), "Transfer-Encoding: chunked")
page("http://a/4", body[:20] + b"damage" + body[26:], "Content-Encoding: gzip")
page("http://a/bomb", gzip.compress(b"<a href=first>" + bytes(80 << 20) + b"<a href=last>"), "Content-Encoding: gzip")
END
run build -o web.mill a.warc
exits 0
has "$root/stderr" "note: a.warc: 5 pages are cut off or damaged; links before the damage count"
links_are http://a/1 http://a/first
links_are http://a/2 http://a/first
links_are http://a/bomb http://a/first

begin "encodings: the path in UTF-8, the query in that of the page"
write a.warc <<'END'
e = "<a href='\u00e9?\u00e9'>"
page("http://a/1", e)
page("http://a/2", e.encode("latin-1"), type="text/html; charset=ISO-8859-1")
page("http://a/3", b"<meta charset='windows-1252'>" + e.encode("latin-1"))
page("http://a/4", b"<meta http-equiv=Content-Type content='text/html; charset=iso-8859-1'>" + e.encode("latin-1"))
page("http://a/5", e.encode("latin-1"))
page("http://a/6", b"\xff\xfe" + ("<p>" * 3000 + e).encode("utf-16-le"))
page("http://a/7", e.encode("utf-16-be"), type="text/html; charset=utf-16be")
page("http://a/8", b"\xef\xbb\xbf" + e.encode(), type="text/html; charset=latin1")
page("http://a/9", "<a href='\u4e2d?\u4e2d'>".encode("gbk"), type="text/html; charset=gb2312")
page("http://a/10", "<a href='\u8868?\u8868'>".encode("shift_jis"), type="text/html; charset=Shift_JIS")
page("http://a/11", e, type="text/html; charset=no/such,thing")
page("http://a/12", "<a href='&eacute;?&#233;'>", type="text/html; charset=koi8-r")
END
run build -o web.mill a.warc --quiet
exits 0
for n in 1 6 7 8 11 12; do
    links_are http://a/$n http://a/%C3%A9?%C3%A9
done
for n in 2 3 4 5; do
    links_are http://a/$n http://a/%C3%A9?%E9
done
links_are http://a/9 http://a/%E4%B8%AD?%D6%D0
links_are http://a/10 "http://a/%E8%A1%A8?%95\\"

begin "nofollow: of a link, of a page, of a header"
write a.warc <<'END'
page("http://a/1", "<a href=x rel='noopener NoFollow'><a href=y>")
page("http://a/2", "<a href=x><meta name=Robots content='noindex, nofollow'>")
page("http://a/3", "<a href=x>", "X-Robots-Tag: none")
END
run build -o web.mill a.warc --quiet
links_are http://a/2 http://a/x
run build -o web.mill a.warc --drop-nofollow --force --quiet
links_are http://a/1 http://a/y
for n in 2 3; do
    run links web.mill http://a/$n --out --quiet
    [ ! -s "$root/stdout" ] || fail "nofollow: $(cat "$root/stdout")"
done

begin "outlinks of the crawler replace those of the page, unless told otherwise"
write a.warc <<'END'
page("http://a/1", "<a href=html>")
record("metadata", "http://a/1", b"hopsFromSeed: L\r\noutlink: http://a/meta L a/@href\r\n", "application/warc-fields")
page("http://a/2", "<a href=html2>")
record("metadata", "http://a/2", b"fetchTimeMs: 325\r\ncharset-detected: UTF-8\r\n", "application/warc-fields")
page("http://a/3", "<a href=html3>")
END
run build -o web.mill a.warc --quiet
links_are http://a/1 http://a/meta
links_are http://a/2 http://a/html2
links_are http://a/3 http://a/html3
run build -o web.mill a.warc --outlinks-from html --force --quiet
links_are http://a/1 http://a/html
run build -o web.mill a.warc --outlinks-from metadata --force --quiet
links_are http://a/1 http://a/meta
run find web.mill html --quiet
[ ! -s "$root/stdout" ] || fail "links of HTML: $(cat "$root/stdout")"
run build -o web.mill --outlinks-from html - --format urls --force <<<"http://a/ http://b/"
exits 2
stderr_is <<<"millrace: --outlinks-from: lines of two names has only one source of links, other than a WARC file; leave it out"

begin "arc: records, in gzip members or not"
write a.arc <<'END'
head = b"1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n\n"
out.write(b"filedesc://a.arc 0.0.0.0 20080430204825 text/plain %d\n%s\n" % (len(head), head))
arc("dns:a.org", b"20080430204825\na.org 1.2.3.4\n", "text/dns")
arc("http://a.org/", response("<a href=x><a href=//b.org/>"))
arc("http://a.org/old", response("", "Location: new", status="302 Found"))
out.write(b"http://a.org/v2 1.2.3.4 20080430204825 text/html 200 CHECK - 0 a.arc %d\n" % len(response("<a href=y>")) + response("<a href=y>") + b"\n")
END
gzip -c a.arc >a.arc.gz
for file in a.arc a.arc.gz; do
    run build -o web.mill $file --force --quiet
    exits 0
    links_are http://a.org/ http://a.org/x http://b.org/
    links_are http://a.org/old http://a.org/new
    links_are http://a.org/v2 http://a.org/y
done
head -c 300 a.arc >cut.arc
run build -o cut.mill cut.arc
exits 3
has "$root/stderr" "the record that begins here is cut off"
{ head -n 4 a.arc; echo "http://a.org/ no length here"; } >bad.arc
run build -o cut.mill bad.arc
exits 3
has "$root/stderr" "the line that begins here does not end with the length of an ARC record"

finish
