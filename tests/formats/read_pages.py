#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The links of the pages in WARC files, read independently of Millrace: html5lib makes a tree of
each page (html.parser its tags, where html5lib is missing), urllib joins URLs. Prints one line
"page<TAB>link" for each link, sorted, each once. A page has the links of its newest capture, or with
the first argument --all those of all captures. Compare with a store that was built with
--outlinks-from html and all kinds of links."""
import gzip
import re
import sys
import urllib.parse
import zlib
from html.parser import HTMLParser

try:
    import html5lib
except ImportError:
    html5lib = None

ATTRIBUTES = {"a": "href", "area": "href", "form": "action", "frame": "src", "iframe": "src", "link": "href",
              "img": "src", "script": "src", "embed": "src", "source": "src", "video": "src", "audio": "src",
              "object": "data", "input": "src"}


def records(data):
    at = 0
    while True:
        begin = data.find(b"WARC/", at)
        if begin < 0:
            return
        end = data.index(b"\r\n\r\n", begin)
        head = data[begin:end]
        length = int(re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)[1])
        yield head, data[end + 4:end + 4 + length]
        at = end + 4 + length


def field(head, name):
    found = re.search(rb"(?im)^" + name + rb": *([^\r\n]*)", head)
    return found[1].strip().decode("latin-1") if found else None


def unchunk(body):
    if not re.match(rb"[0-9a-fA-F]+[ ;\r]", body):
        return body
    out, at = b"", 0
    while True:
        line = body.find(b"\n", at)
        if line < 0:
            return out
        size = int(body[at:line].split(b";")[0], 16)
        if size == 0:
            return out
        out += body[line + 1:line + 1 + size]
        at = line + 1 + size + 2


def name_of(url):
    url = urllib.parse.urldefrag(url)[0]
    parts = urllib.parse.urlsplit(url)
    if parts.scheme.lower() not in ("http", "https", "ftp") or not parts.netloc:
        return None
    user, mark, host = parts.netloc.rpartition("@")
    # The percent-encode sets of paths and of queries in the URL standard of WHATWG.
    text = parts.scheme.lower() + "://" + user + mark + host.lower() + encoded(parts.path or "/", " \"<>`{}^")
    return text + "?" + encoded(parts.query, " \"<>'") if "?" in url else text


def encoded(text, unsafe):
    return "".join(c if 32 < ord(c) < 127 and c not in unsafe else "".join("%%%02X" % b for b in c.encode()) for c in text)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        names = {}
        for name, value in attrs:
            names.setdefault(name, value or "")
        self.tags.append((tag, names))


def tags_of(text):
    if html5lib is None:
        parser = Tags()
        parser.feed(text)
        parser.close()
        return parser.tags
    tree = html5lib.parse(text, treebuilder="etree", namespaceHTMLElements=False)
    return [(e.tag, e.attrib) for e in tree.iter() if isinstance(e.tag, str)]


SETS = ("img", "source", "link")


def srcset_of(text):
    """The URLs of a srcset, as section 4.8.4.2.1 of the HTML standard parses them."""
    urls = []
    while text := text.lstrip(" \t\r\n\f,"):
        url = re.match(r"[^ \t\r\n\f]+", text)[0]
        text = text[len(url):]
        if not url.endswith(","):
            text = text.partition(",")[2]
        urls.append(url.rstrip(","))
    return urls


def links_of(url, head, body):
    status = int(head.split()[1])
    links = []
    location = field(head, b"location")
    if location:
        links.append(location)
    kind = (field(head, b"content-type") or "").split(";")[0].strip().lower()
    if 300 <= status < 400 or kind not in ("text/html", "application/xhtml+xml"):
        return [urllib.parse.urljoin(url, link) for link in links]
    if "chunked" in (field(head, b"transfer-encoding") or ""):
        body = unchunk(body)
    coding = field(head, b"content-encoding") or ""
    if "gzip" in coding and body[:2] == b"\x1f\x8b":
        body = zlib.decompressobj(47).decompress(body)
    charset = re.search(r"(?i)charset=[\"']?([\w-]+)", field(head, b"content-type") or "")
    if not charset:
        meta = re.search(rb"(?i)<meta[^>]*charset=[\"']?([\w-]+)", body)
        charset = meta and [None, meta[1].decode()]
    try:
        text = body.decode(charset[1] if charset else "utf-8", "replace")
    except LookupError:
        text = body.decode("cp1252", "replace")
    base = url
    tags = tags_of(text)
    for tag, attrs in tags:
        if tag == "base" and "href" in attrs:
            base = urllib.parse.urljoin(url, attrs["href"].strip())
            break
    for tag, attrs in tags:
        value = attrs.get(ATTRIBUTES.get(tag))
        if tag == "form" and attrs.get("method", "").strip().lower() == "post":
            value = None
        if tag == "input" and attrs.get("type", "").strip().lower() != "image":
            value = None
        if tag == "meta" and attrs.get("http-equiv", "").strip().lower() == "refresh":
            found = re.match(r"\s*[\d.]*\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"']*)", attrs.get("content", ""), re.I)
            value = found[1].strip() if found and found[1] else None
        values = [value] if value is not None else []
        if tag in ("video", "audio", "source", "embed", "script") and "poster" in attrs:
            values.append(attrs["poster"])
        for item in srcset_of(attrs.get({"link": "imagesrcset"}.get(tag, "srcset"), "") if tag in SETS else ""):
            values.append(item)
        for value in values:
            links.append(urllib.parse.urljoin(base, re.sub(r"[\t\r\n]", "", value.strip())))
    return links


def main():
    captures = {}  # page -> {time: links}
    paths = [path for path in sys.argv[1:] if path != "--all"]
    for path in paths:
        data = gzip.open(path).read() if path.endswith(".gz") else open(path, "rb").read()
        for head, block in records(data):
            url = field(head, b"WARC-Target-URI")
            kind = field(head, b"Content-Type") or ""
            if field(head, b"WARC-Type") == "resource":
                block = b"HTTP/1.1 200 OK\r\nContent-Type: " + kind.encode() + b"\r\n\r\n" + block
            elif field(head, b"WARC-Type") != "response" or not kind.startswith("application/http"):
                continue
            end = block.find(b"\r\n\r\n")
            url = url.strip("<>")
            if name_of(url) is None:
                continue
            names = {name_of(link) for link in links_of(url, block[:end], block[end + 4:])} - {None}
            captures.setdefault(name_of(url), {}).setdefault(field(head, b"WARC-Date"), set()).update(names)
    out = set()
    for page, times in captures.items():
        for time in times if "--all" in sys.argv else [max(times)]:
            out |= {(page, link) for link in times[time]}
    for page, link in sorted(out):
        print(page + "\t" + link)
    print("%d pages, %d links" % (len(captures), len(out)), file=sys.stderr)


main()
