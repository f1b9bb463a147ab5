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
    run show web.mill "$page" --links-out --quiet
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
    run show web.mill http://a/$n --links-out --quiet
    [ ! -s "$root/stdout" ] || fail "nofollow: $(cat "$root/stdout")"
done

begin "outlinks of the crawler count where the HTML is not there, unless told otherwise"
write a.warc <<'END'
page("http://a/1", "<a href=html>")
record("metadata", "http://a/1", b"hopsFromSeed: L\r\noutlink: http://a/meta L a/@href\r\n", "application/warc-fields")
page("http://a/2", "<a href=html2>")
record("metadata", "http://a/2", b"fetchTimeMs: 325\r\ncharset-detected: UTF-8\r\n", "application/warc-fields")
record("metadata", "http://a/3", b"outlink: http://a/meta3 L a/@href\r\n", "application/warc-fields")
page("http://a/3", "<a href=html3>")
page("http://a/4", "%PDF-1.4 http://a/no", type="application/pdf")
record("metadata", "http://a/4", b"outlink: http://a/meta4 L a/@href\r\n", "application/warc-fields")
page("http://a/5", gzip.compress(b"<a href=html5>" + 99 * b" " + b"<a href=lost>")[:-20], "Content-Encoding: gzip")
record("metadata", "http://a/5", b"outlink: http://a/meta5 L a/@href\r\n", "application/warc-fields")
END
run build -o web.mill a.warc --quiet
links_are http://a/1 http://a/html
links_are http://a/2 http://a/html2
links_are http://a/3 http://a/html3
links_are http://a/4 http://a/meta4
links_are http://a/5 http://a/html5 http://a/meta5
run build -o web.mill a.warc --outlinks-from html --force --quiet
links_are http://a/1 http://a/html
run build -o web.mill a.warc --outlinks-from metadata --force --quiet
links_are http://a/1 http://a/meta
run find web.mill html --quiet
[ ! -s "$root/stdout" ] || fail "links of HTML: $(cat "$root/stdout")"
run build -o web.mill --outlinks-from html - --format urls --force <<<"http://a/ http://b/"
exits 2
stderr_is <<<"millrace: --outlinks-from: lines of two names has only one source of links, other than a WARC file; leave it out"

# all_links_are OPTION...: build from these, and compare all links with the lines "FROM TO" of standard input.
all_links_are() {
    cat >"$root/links"
    run build -o web.mill "$@" --force --quiet
    exits 0
    run export web.mill --to edges -o edges.txt --names names.txt --force --quiet
    awk 'NR == FNR { name[FNR - 1] = $1; next } /^#/ { next } { print name[$1], name[$2] }' names.txt edges.txt |
        sort | cmp -s - <(sort "$root/links") ||
        fail "$*: $(awk 'NR == FNR { name[FNR - 1] = $1; next } /^#/ { next } { print name[$1], name[$2] }' names.txt edges.txt)"
}

begin "archives are told by their records, whatever their bytes hold"
write base <<'END'
def wat(url, link):
    record("metadata", url, ('{"Container":{"Filename":"x"},"Envelope":{"WARC-Header-Metadata":{"WARC-Target-URI":"%s"},"Payload-Metadata":'
        '{"HTTP-Response-Metadata":{"HTML-Metadata":{"Links":[{"path":"A@/href","url":"%s"}]}}}}}' % (url, link)).encode(), "application/json")
def file(name, *calls):
    global out
    out = open(name, "wb")
    for call in calls:
        call()
html = lambda: page("http://a/", "<a href=html>")
meta = lambda: wat("http://b/", "wat")
info = lambda: record("warcinfo", "", b"format: WARC\r\naccept: application/json\r\n", "application/warc-fields")
text = lambda: record("conversion", "http://a/", b"text only", "text/plain")
file("1.warc", info, lambda: page("http://a/j", '{"a":1}', type="application/json"), html)
file("2.warc", lambda: record("request", "http://a/", b"GET / HTTP/1.1\r\nAccept: application/json\r\n\r\n", "application/http;msgtype=request"), html)
file("3.warc", lambda: record("resource", "urn:pageinfo:http://a/", b'{"pageid":"x","urls":{"http://a/":{}}}', "application/json"), html)
file("4.warc", lambda: record("metadata", "http://a/", b'{"title":"not an envelope"}', "application/json"), html)
file("5.warc", lambda: page("http://a/", "<link rel=alternate type='application/json+oembed' href=oembed><a href=html>"))
file("6.wat", info, html)
file("7", info, meta)
file("8.warc", lambda: record("warcinfo", "", 70000 * b"x", "application/warc-fields"), meta)
file("both", html, meta)
file("also", meta, text, html)
file("text", info, text, text)
END
for file in [1-6]*; do
    all_links_are $file <<<"http://a/ http://a/html"
done
for file in 7 8*; do
    all_links_are $file <<<"http://b/ http://b/wat"
done
for files in both also "1.warc 7" "7 1.warc"; do
    all_links_are $files <<<$'http://a/ http://a/html\nhttp://b/ http://b/wat'
done
run build -o web.mill 7 --link-kinds speculative --force
exits 2
has "$root/stderr" "a WAT file cannot tell such links from others"
run build -o text.mill text
exits 3
stderr_is <<<"millrace: text: holds the text of pages without their links, as WET files do; give the WARC or WAT file of the same crawl"

begin "only http, https and ftp have pages"
write a.warc <<'END'
def fields(url, body):
    record("metadata", url, body, "application/warc-fields")
for url in "metadata://gnu.org/software/wget/warc/MANIFEST.txt", "urn:text:http://a/", "urn:pageinfo:http://a/", "screenshot:http://a/", \
        "filedesc://a.arc", "dns:a", "whois:a", "warcinfo:x", "about:blank", "file:///etc/passwd", "chrome://x/", "data:text/html,x":
    record("resource", url, b"<a href=http://no/>", "text/html")
    record("response", url, response("<a href=http://no/>"))
    fields(url, b"outlink: http://no/ L a/@href\r\n")
record("resource", "HTTP://a/r", b"<a href=mailto:x@y><a href='javascript:x()'><a href=data:,x><a href=tel:1><a href=FTP://f/x><a href=yes>", "text/html;charset=utf-8")
record("resource", "ftp://f/", b"<a href=x>", "application/xhtml+xml")
record("resource", "http://a/t", b"<a href=no>", "text/plain")
record("resource", "http://a/untyped", b"<!doctype html><a href=yes2>", "")
fields("http://b/", b"outlink: mailto:x L a/@href\r\noutlink: dns:b L a/@href\r\noutlink: urn:x L a/@href\r\noutlink: yes L a/@href\r\n")
END
all_links_are a.warc <<'END'
ftp://f/ ftp://f/x
http://a/r ftp://f/x
http://a/r http://a/yes
http://a/untyped http://a/yes2
http://b/ http://b/yes
END
run find web.mill . --quiet
printf '%s\n' ftp://f/ ftp://f/x http://a/r http://a/t http://a/untyped http://a/yes http://a/yes2 http://b/ http://b/yes | cmp -s - <(sort "$root/stdout") ||
    fail "pages: $(cat "$root/stdout")"
run pagerank web.mill --fetched links --next 9 --quiet
cut -f 1 "$root/stdout" | sort >next
file_is next <<<$'ftp://f/x\nhttp://a/t\nhttp://a/yes\nhttp://a/yes2\nhttp://b/yes'

begin "headers of records: line ends, case, folds, blanks and brackets"
write a.warc <<'END'
def raw(n, head):
    body = response("<a href=x%d>" % n)
    out.write(b"WARC/1.1\r\n" + head % len(body) + body + b"\r\n\r\n")
raw(1, b"WARC-Type: response\nWARC-Target-URI: http://a/\nContent-Type: application/http\nContent-Length: %d\n\n")
raw(2, b"warc-type: RESPONSE\r\nwarc-target-uri: http://a/\r\ncontent-type: Application/HTTP\r\ncontent-length: %d\r\n\r\n")
raw(3, b"WARC-Type:\r\n response\r\nWARC-Target-URI:\r\n\thttp://a/\r\nContent-Type: application/http;\r\n msgtype=response\r\nContent-Length:\r\n %d\r\n\r\n")
raw(4, b"WARC-Type : response\r\nWARC-Target-URI\t: http://a/\r\nContent-Type :application/http\r\nContent-Length : %d \r\n\r\n")
raw(5, b"WARC-Type:response\r\nWARC-Target-URI:<http://a/>\r\nContent-Type:application/http\r\nContent-Length:%d\r\n\r\n")
raw(6, b"WARC-Type: response\nWARC-Target-URI: http://a/\r\nContent-Type: application/http\nContent-Length: %d\n\r\n")
raw(7, b"WARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Length: %d\r\n\r\n")
page("http://a/", "<a href=x8>", "LOCATION : y8", "Refresh:\r\n 3;\r\n url=z8")
END
all_links_are a.warc < <(for link in x1 x2 x3 x4 x5 x6 x7 x8 y8 z8; do echo "http://a/ http://a/$link"; done)

begin "damaged records are skipped and counted, and the others are read"
write /dev/null <<'END'
import gzip, io
def made(call):
    global out
    before, out = out, io.BytesIO()
    call()
    text, out = out.getvalue(), before
    return text
def one(n):
    return made(lambda: page("http://%s/%d" % (host, n), "<p>%s<a href=x%d>" % (n * 50 * "word ", n)))
def old(n):
    return made(lambda: arc("http://%s/%d" % (host, n), response("<a href=x%d>" % n)))
def flip(packed, at):
    return packed[:at] + bytes([packed[at] ^ 0xFF]) + packed[at + 1:]
gz = lambda data: gzip.compress(data, mtime=0)
def file(name, good, parts):
    global host, a, b, c, za, zb, zc, zm, half
    host = name
    a, b, c, m = one(1), one(2), one(3), made(lambda: record("metadata", "http://no/", b"outlink: no L a/@href\r\n", "application/warc-fields"))
    za, zb, zc, zm = map(gz, (a, b, c, m))
    open(name, "wb").write(b"".join(parts()))
    links.writelines("http://%s/%d http://%s/x%d\n" % (name, n, name, n) for n in good)
links = open("expected", "w")
length = lambda n: b.replace(b"Content-Length: %d" % len(b[b.index(b"HTTP/1.1"):-4]), b"Content-Length: " + n)
file("cut.warc", [1], lambda: [a, b[:len(b) // 2]])
file("cut-head.warc", [1], lambda: [a, b[:90]])
file("middle.warc", [1, 3], lambda: [a, b[:len(b) // 2], c])
file("middle-head.warc", [1, 3], lambda: [a, b[:90], c])
file("short.warc", [1, 2, 3], lambda: [a, length(b"80"), c])
file("long.warc", [1, 3], lambda: [a, length(b"900"), c])
file("huge.warc", [1, 3], lambda: [a, length(b"99999999999"), c])
file("none.warc", [1, 3], lambda: [a, length(b"many"), c])
file("magic.warc", [1, 3], lambda: [a, b"WXRC" + b[4:], c])
file("noise.warc", [1, 3], lambda: [a, b"\0\1\2" + 70000 * b"noise WARC/1.0 ", c])
file("cut.warc.gz", [1], lambda: [za, zb[:len(zb) // 2]])
file("cut-end.warc.gz", [1, 2], lambda: [za, zb[:-5]])
file("middle.warc.gz", [1, 3], lambda: [za, zb[:len(zb) // 2], zc])
file("flip.warc.gz", [1, 3], lambda: [za, flip(zb, len(zb) // 2), zc])
file("first-byte.warc.gz", [1, 3], lambda: [za, flip(zb, 0), zc])
file("check.warc.gz", [1, 3], lambda: [za, flip(zb, len(zb) - 7), zc])
file("check-last.warc.gz", [1], lambda: [za, flip(zb, len(zb) - 7)])
file("metadata.warc.gz", [1, 3], lambda: [za, flip(zm, len(zm) - 7), zc])
file("tail.warc.gz", [1, 3], lambda: [za, zc, b"no gzip"])
file("first.warc.gz", [1, 3], lambda: [flip(zb, len(zb) - 30), za, zc])
file("one-piece.warc.gz", [1, 2], lambda: [gz(a + b + c)[:-20]])
file("cut.arc", [1], lambda: [b"filedesc://x 0.0.0.0 20080430204825 text/plain 2\nx\n\n", old(1), old(2)[:80]])
file("length.arc", [1, 3], lambda: [b"filedesc://x 0.0.0.0 20080430204825 text/plain 2\nx\n\n", old(1), old(2).replace(b" %d\n" % len(response("<a href=x2>")), b" 9\n"), old(3)])
file("members.arc.gz", [1, 3], lambda: map(gz, [b"filedesc://x 0.0.0.0 20080430204825 text/plain 2\nx\n\n", old(1)]))
open("members.arc.gz", "ab").write(flip(gz(old(2)), 60) + gz(old(3)))
file("whole.warc.gz", [], lambda: [flip(gz(a + b + c), 200)])
END
mv whole.warc.gz whole
files=(*.warc *.arc *.gz)
all_links_are "${files[@]}" --bad-lines skip <expected
run build -o web.mill "${files[@]}" --bad-lines skip --force
has "$root/stderr" " ${#files[@]} bad"
has "$root/stderr" "note: middle.warc: offset 455: the record that begins here is longer or shorter than its Content-Length says; skipped"
for file in cut.warc short.warc none.warc magic.warc cut.warc.gz flip.warc.gz check-last.warc.gz members.arc.gz; do
    run build -o bad.mill $file
    exits 3
    has "$root/stderr" "(in the decompressed file); skip such records with --bad-lines skip"
done
run build -o bad.mill middle.warc.gz
has "$root/stderr" "millrace: middle.warc.gz: offset 458: the record that begins here "
run build -o bad.mill check.warc.gz
exits 3
has "$root/stderr" ": the record that begins here is damaged: damaged gzip data ("
run build -o bad.mill whole --bad-lines skip
exits 3
has "$root/stderr" "get the file again or decompress what can be saved"
run build -o bad.mill middle.warc cut.warc --bad-lines skip --max-bad 1
exits 3
has "$root/stderr" "and so the input has more than 1 bad records; raise --max-bad or mend the input"
missing bad.mill

begin "what the crawler guesses is no navigation, and parts of a page are embeds"
write a.warc <<'END'
def fields(url, *outlinks):
    record("metadata", url, b"".join(b"outlink: %s\r\n" % o.encode() for o in outlinks), "text/anvl")
fields("http://m/", "a L a/@href", "b L A/@HREF", "c L area/@href", "d E frame/@src", "e E iframe/@src", "f R Location:", "g R meta", "h L meta/@content",
    "i L form/@action", "j", "n1 L option/@value", "n2 L param/@value", "n3 L input/@value", "n4 L =NAVLINK_MISC", "n5 L a/@data-href", "n6 L link/@href",
    "n7 L a/@onclick", "n8 X =JS_MISC", "e1 L img/@src", "e2 L img/@srcset", "e3 L video/@poster", "e4 E link/@href", "e5 E meta/@content")
page("http://h/", """<a href=a><option value=n1><img src=e1 srcset='e2 2x,e3,, e4 3x, data:image/png;base64,aaa 4x ,e5,e6 100w'><video poster=e7 src=e8>
<picture><source srcset="e9,e10"></picture><link rel=preload imagesrcset='e11 1x, e12 2x'><input type=image src=e13><form method=" POST " action=n2>""")
record("metadata", "http://w/", b'{"Envelope":{"WARC-Header-Metadata":{"WARC-Target-URI":"http://w/"},"Payload-Metadata":{"HTTP-Response-Metadata":{"HTML-Metadata":{'
    b'"Head":{"Metas":[{"http-equiv":"Refresh","content":"0;URL=r"},{"name":"x","content":"n"}]},"Links":[{"path":"A@/href","url":"a"},{"path":"FORM@/action","url":"g"},'
    b'{"path":"FORM@/action","url":"g2","method":"GET"},{"path":"FORM@/action","url":"n1","method":"post"},{"path":"FORM@/action","url":"n2","method":" POST "},'
    b'{"path":"OPTION@/value","url":"n3"},{"path":"IMG@/srcset","url":"e1"},{"path":"VIDEO@/poster","url":"e2"},{"path":"META@/content","url":"n4"}]}}}}}', "application/json")
END
all_links_are a.warc < <(for n in a b c d e f g h i j; do echo "http://m/ http://m/$n"; done; echo http://h/ http://h/a; for n in a g g2 r; do echo "http://w/ http://w/$n"; done)
run build -o web.mill a.warc --link-kinds embed --force --quiet
links_are http://m/ http://m/{d,e,e{1..5}}
links_are http://h/ http://h/e{1..4} "http://h/e5,e6" http://h/e{7,8} "http://h/e9,e10" http://h/e{11..13}
run build -o web.mill a.warc --link-kinds speculative --force --quiet
links_are http://m/ http://m/n{1..8}

begin "links that are easy to lose: blanks in URLs, bodies packed in several ways, links that are too long"
write a.warc <<'END'
import gzip, zlib
page("http://a/a b", "<a href='/c d'>")
page("http://a/ c", "<a href='/a b'>")
record("metadata", "http://a/d e", b"outlink: http://a/a%20b L a/@href\r\n", "application/warc-fields")
z = gzip.compress
body = b"<a href=first>" + 9000 * b" " + b"<a href=last>"
page("http://z/1", z(body[:5000]) + z(body[5000:]), "Content-Encoding: gzip")
page("http://z/2", b"".join(z(body[i:i + 99]) for i in range(0, len(body), 99)), "Content-Encoding: x-gzip")
page("http://z/3", z(z(body)), "Content-Encoding: gzip, gzip")
page("http://z/4", z(z(z(body))), "Content-Encoding: gzip", "Content-Encoding: x-gzip , gzip")
page("http://z/5", brotli(z(zlib.compress(body))), "Content-Encoding: deflate,gzip, identity, br")
page("http://z/6", z(body), "Content-Encoding: gzip, gzip")
page("http://z/7", chunks(z(z(body)), 100), "Content-Encoding: gzip,gzip", "Transfer-Encoding: chunked")
page("http://z/8", z(body) + b"trailing bytes", "Content-Encoding: GZIP")
page("http://z/9", body, "Content-Encoding: compress")
page("http://z/10", body, "Content-Encoding: vibrate")
page("http://z/11", chunks(z(z(body)), 99), "Transfer-Encoding: gzip, chunked", "Content-Encoding: gzip")
END
all_links_are a.warc < <(printf 'http://a/%s\n' "a%20b http://a/c%20d" "%20c http://a/a%20b" "d%20e http://a/a%20b"
    for n in {1..11}; do printf "http://z/$n http://z/%s\n" first last; done)
write a.warc <<'END'
page("http://z/1", b"\x1f\x9d\x90" + 99 * b"compressed", "Content-Encoding: compress")
page("http://z/2", b"\xffDCB" + 99 * b"x", "Content-Encoding: dcb")
page("http://z/3", gzip.compress(gzip.compress(b"<a href=first>" + bytes(999))[:-9]), "Content-Encoding: gzip, gzip")
page("http://z/4", gzip.compress(b"<a href=first>") + gzip.compress(b"<a href=last>")[:-9], "Content-Encoding: gzip")
long = 65536 * "x"
page("http://l/", "<a href=a><a href=%s><a href='http://x/%s'><img src='data:,%s'><a href='%s'><a href='  javascript:%s'><a href='?%s'><a href=b>"
    % (long, long, long, 10 * long, 3 * long, 30000 * "\u00e9"))
record("metadata", "http://m/", ("outlink: http://x/%s L a/@href\r\noutlink: a L a/@href\r\n" % long).encode(), "application/warc-fields")
END
all_links_are a.warc <<'END'
http://l/ http://l/a
http://l/ http://l/b
http://m/ http://m/a
http://z/3 http://z/first
http://z/4 http://z/first
http://z/4 http://z/last
END
run build -o web.mill a.warc --force
has "$root/stderr" "note: a.warc: 4 pages are cut off or damaged; links before the damage count"
has "$root/stderr" "note: a.warc: left out 5 links of more than 65,535 bytes"
write a.warc <<'END'
page("http://a:b:c/", "<a href=/x>")
page("http://a/", "<a href=x>")
record("response", "", response("<a href=x>"))
page("http://a/" + 66000 * "x", "<a href=x>")
END
run build -o bad.mill a.warc
exits 3
stderr_is <<<"millrace: a.warc: offset 0: the URL of this record is not valid (in the decompressed file); skip such records with --bad-lines skip"
all_links_are a.warc --bad-lines skip <<<"http://a/ http://a/x"
run build -o web.mill a.warc --bad-lines skip --force
has "$root/stderr" " 3 bad"

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
