#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nutch's SequenceFiles, independently of Millrace and written from the published layout.

    nutch_files.py write DIRECTORY    a linkdb, a segment, crawldbs and fetches in all codings that Python has
    nutch_files.py visits DIRECTORY   fetches of one page in each kind of file
    nutch_files.py redirects DIRECTORY  pages that lead to others, links of the WebGraph, a crawl in directories
    nutch_files.py read FILE          the links of a file, "source<TAB>target" in the order of the file

inject, generate, fetch, parse and updatedb do what these commands of Nutch do, with the same files and arguments,
for a small web and one part. NUTCH_NOW is the time in seconds.
"""
import bz2
import ctypes
import functools
import glob
import io
import os
import random
import re
import struct
import sys
import urllib.error
import urllib.parse
import urllib.request
import zlib

SYNC = bytes(range(16))


def vint(n):
    if -112 <= n <= 127:
        return struct.pack("b", n)
    base, value = (-112, n) if n >= 0 else (-120, ~n)
    size = (value.bit_length() + 7) // 8
    return struct.pack("b", base - size) + value.to_bytes(size, "big")


def text(s):
    data = s.encode()
    return vint(len(data)) + data


class Zstd:
    """zstd's library and not its program, which would be started for each of hundreds of frames."""

    def __init__(self):
        self.lib = ctypes.CDLL("libzstd.so.1")
        for name in "ZSTD_createCCtx", "ZSTD_compressBound", "ZSTD_compress2", "ZSTD_decompress":
            getattr(self.lib, name).restype = ctypes.c_void_p if name == "ZSTD_createCCtx" else ctypes.c_size_t
        self.context = ctypes.c_void_p(self.lib.ZSTD_createCCtx())
        # As streams have them: frames with a checksum that do not tell their size.
        for parameter, value in (200, 0), (201, 1):  # contentSizeFlag, checksumFlag
            self.lib.ZSTD_CCtx_setParameter(self.context, parameter, value)
        self.room = ctypes.create_string_buffer(1 << 20)

    def result(self, size):
        assert not self.lib.ZSTD_isError(ctypes.c_size_t(size)), "zstd fails"
        return self.room[:size]

    def pack(self, data):
        return self.result(self.lib.ZSTD_compress2(self.context, self.room, ctypes.c_size_t(len(self.room)),
                                                   data, ctypes.c_size_t(len(data))))

    def unpack(self, data):
        return self.result(self.lib.ZSTD_decompress(self.room, ctypes.c_size_t(len(self.room)),
                                                    data, ctypes.c_size_t(len(data))))


@functools.cache
def zstd():
    return Zstd()


def gzip_two(data):
    """Two members, as Hadoop's reader accepts them."""
    out = b""
    for part in (data[:len(data) // 2], data[len(data) // 2:]):
        z = zlib.compressobj(6, zlib.DEFLATED, 31)
        out += z.compress(part) + z.flush()
    return out


def snappy(data):
    """Hadoop's blocks of Snappy: the bytes, then two pieces with their lengths, of literals alone."""
    out = struct.pack(">i", len(data))
    for part in (data[:len(data) // 2], data[len(data) // 2:]):
        raw, left = bytearray(), len(part)
        while left > 127:
            raw.append(left & 127 | 128)
            left >>= 7
        raw.append(left)
        for at in range(0, len(part), 65536):
            literal = part[at:at + 65536]
            raw += bytes([61 << 2]) + struct.pack("<H", len(literal) - 1) + literal
        out += struct.pack(">i", len(raw)) + raw
    return out


def unsnappy(data):
    out, at = b"", 4
    while at < len(data):
        end = at + 4 + struct.unpack_from(">i", data, at)[0]
        at += 4
        while data[at] & 128:
            at += 1
        at += 1
        while at < end:
            size = struct.unpack_from("<H", data, at + 1)[0] + 1
            out += data[at + 3:at + 3 + size]
            at += 3 + size
    return out


CODECS = {"SnappyCodec": (snappy, unsnappy), "DefaultCodec": (zlib.compress, zlib.decompress), "GzipCodec": (gzip_two, None),
          "BZip2Codec": (bz2.compress, bz2.decompress), "ZStandardCodec": (lambda data: zstd().pack(data), lambda data: zstd().unpack(data))}
PREFIX = "org.apache.hadoop.io.compress."


def write_file(path, value_class, records, codec=None, blocks=False, version=6):
    out = bytearray(b"SEQ" + bytes([version]) + text("org.apache.hadoop.io.Text") + text(value_class))
    out += bytes([codec is not None, blocks])
    if codec:
        out += text(PREFIX + codec)
    if version >= 6:
        out += struct.pack(">i", 1) + text("made by") + text("a test")
    out += SYNC
    pack = CODECS[codec][0] if codec else lambda data: data
    if blocks:
        for at in range(0, len(records), 40):
            part = records[at:at + 40]
            out += b"\xff\xff\xff\xff" + SYNC + vint(len(part))
            for piece in (b"".join(vint(len(k)) for k, v in part), b"".join(k for k, v in part),
                          b"".join(vint(len(v)) for k, v in part), b"".join(v for k, v in part)):
                piece = pack(piece)
                out += vint(len(piece)) + piece
    else:
        for i, (key, value) in enumerate(records):
            if i % 7 == 3:
                out += b"\xff\xff\xff\xff" + SYNC
            value = pack(value)
            out += struct.pack(">ii", len(key) + len(value), len(key)) + key + value
    open(path, "wb").write(out)


def inlinks(sources, more=lambda: b""):
    return struct.pack(">i", len(sources)) + b"".join(text(s) + text("an anchor \u00e9") + more() for s in sources)


def flagged(rng):
    """What stands behind an anchor since Nutch 1.21 (NUTCH-3101)."""
    return b"\x01" + metadata(rng) if rng.random() < 0.1 else b"\x00"


def protocol_status(target=None):
    """A MapWritable with a class of Nutch's own, as the fetcher leaves it: perhaps with the target of a redirect."""
    name = b"org.apache.nutch.protocol.ProtocolStatus"
    return b"\x01\x01" + struct.pack(">h", len(name)) + name + struct.pack(">ib", 1, -116) + text("_pst_") + b"\x01" + \
        b"\x02\x01" + struct.pack(">qi", 0, 2) + (struct.pack(">i", -1) if target is None else written(target)) + \
        struct.pack(">i", 3) + b"abc"


def written(s):
    return struct.pack(">i", len(s.encode())) + s.encode()


def link_datum(url, kind):
    """A link of the WebGraph: kind 1 is one to the page of the key, 2 one from it."""
    return text(url) + text("an anchor") + struct.pack(">fqb", 1.0, 1700000000000, kind)


def redirects(directory):
    """Pages that lead to others, in a crawldb and in fetches; links of the WebGraph; a crawl as a directory."""
    def moved(status, target):
        return datum(status)[:-1] + b"\x01" + protocol_status(target)

    def page(name):
        return text("http://p.org/" + name)

    to = "http://p.org/"
    files = {
        "db": ("crawl.CrawlDatum", [("a", moved(4, to + "b")), ("c", moved(5, to + "d")), ("e", moved(2, to + "no"))]),
        "fetch": ("crawl.CrawlDatum", [("a", moved(35, to + "b")), ("c", moved(36, to + "d")), ("e", moved(34, to + "no"))]),
        "links": ("scoring.webgraph.LinkDatum", [("a", link_datum(to + "b", 2)), ("d", link_datum(to + "c", 1))]),
    }
    for name, (kind, values) in files.items():
        for path in name, "crawl/%s" % {"db": "crawldb/current", "fetch": "segments/20260101000000/crawl_fetch",
                                        "links": "webgraph/outlinks/current"}[name] + "/part-r-00000/data":
            if "/" in path:
                os.makedirs(os.path.join(directory, os.path.dirname(path)))
                write_file(os.path.join(directory, os.path.dirname(path), "index"), "org.apache.hadoop.io.LongWritable", [])
            write_file(os.path.join(directory, path), "org.apache.nutch." + kind, [(page(key), value) for key, value in values])
    generated = b"\x00" + struct.pack(">ib", 1, -116) + text("_ngt_") + struct.pack(">bq", -122, 1767225600000)
    os.makedirs(os.path.join(directory, "crawl/segments/20260102000000/crawl_generate"))
    write_file(os.path.join(directory, "crawl/segments/20260102000000/crawl_generate/part-r-00000"), "org.apache.nutch.crawl.CrawlDatum",
               [(page("b"), datum(1)[:-1] + b"\x01" + generated)])
    parts = os.path.join(directory, "crawl/segments/20260101000000")
    for name, kind, value in ("parse_data", "parse.ParseData", parse_data(random.Random(3), [to + "f"], None)), ("content", "protocol.Content", b""):
        os.makedirs(parts + "/%s/part-r-00000" % name)
        write_file(parts + "/%s/part-r-00000/index" % name, "org.apache.hadoop.io.LongWritable", [])
        write_file(parts + "/%s/part-r-00000/data" % name, "org.apache.nutch." + kind, [(page("e"), value)])


def metadata(rng):
    """A MapWritable of one text and one number, whose class is Hadoop's own."""
    return b"\x00" + struct.pack(">i", 2) + struct.pack("b", -116) + text("rel") + struct.pack("b", -116) + \
        text("x" * rng.randrange(300)) + struct.pack("b", -116) + text("n") + struct.pack("b", -123) + struct.pack(">i", 7)


def parse_data(rng, targets, redirect, about=()):
    args = [redirect, None] if redirect else []
    out = b"\x05\x02\x01" + struct.pack(">h", 100 if redirect else 0)
    out += struct.pack(">i", len(args) if args else -1)
    out += b"".join(struct.pack(">i", -1) if a is None else struct.pack(">i", len(a)) + a.encode() for a in args)
    out += text("a title") + struct.pack(">i", len(targets))
    for target in targets:
        has = rng.random() < 0.2
        out += text(target) + text("anchor") + bytes([has]) + (metadata(rng) if has else b"")
    out += struct.pack(">i", len(about))
    for name, value in about:
        out += text(name) + struct.pack(">i", 1) + text(value)
    return out + struct.pack(">i", 0)


def visits(directory):
    """Fetches of http://p.org/ as files of Nutch: NAME, then lines of its facts: fetches, compared, changes, links."""
    rng, page = random.Random(5), text("http://p.org/")
    signatures = {name: bytes([ord(name)] * 16) for name in "AB"}

    def crawled(status, day, signature, interval=0):
        signature = signatures.get(signature, b"")
        return bytes([7, status]) + struct.pack(">qbifqb", (day * DAY + interval) * 1000, 0, interval, 1.0, 0, len(signature)) + \
            signature + b"\x00"

    def parsed(target, signature, name, value):
        about = [("x", "y"), ("nutch.content.digest", signatures[signature].hex()), (name, value)]
        return parse_data(rng, ["http://p.org/" + target], None, about)

    def timed(target, signature, day):
        return parsed(target, signature, "_ftk_", str(day * DAY * 1000 + 999))

    files = {
        "parsed": ("ParseData", [timed("b", "B", 20001), timed("a", "A", 20000), timed("c", "B", 20002)]),
        "named": ("ParseData", [parsed(name, "B", "nutch.segment.name", "2026010%s000000" % day) for name, day in ("b2", "a1")]),
        "fetched": ("CrawlDatum", [crawled(33, 20000, "A"), crawled(33, 20001, ""), crawled(38, 20002, ""), crawled(34, 20003, ""), crawled(37, 20004, "B"),
                                   crawled(35, 20005, "B"), crawled(65, 20006, "A"), crawled(67, 20007, "")]),
        "db": ("CrawlDatum", [crawled(2, 20000, "A", 2592000), crawled(6, 20001, "B", 2592000), crawled(1, 20002, "", 2592000), crawled(2, 20003, "B", 100),
                              crawled(3, 20004, "B", 100)]),
        # AdaptiveFetchSchedule: not the interval after a fetch
        "moved": ("CrawlDatum", [crawled(2, 20004, "B", 2592000)]),
    }
    os.makedirs(directory, exist_ok=True)
    for name, (kind, values) in files.items():
        write_file(os.path.join(directory, name), "org.apache.nutch." + ("parse." if kind == "ParseData" else "crawl.") + kind,
                   [(page, value) for value in values], "DefaultCodec", True)


def datum(status):
    return bytes([7, status]) + struct.pack(">qbifqb", 1700000000000, 0, 2592000, 1.0, 0, 0) + b"\x00"


def fetch_datum(rng, status):
    """A CrawlDatum with a time, an interval, sometimes a signature and metadata."""
    signature = bytes(rng.randrange(2) * 16)
    return bytes([rng.choice((6, 7)), status]) + \
        struct.pack(">qbif", rng.randrange(1600000000, 1700000000) * 1000, 0, rng.randrange(1, 5000000), 0.5) + \
        struct.pack(">qb", 0, len(signature)) + signature + b"\x01" + (metadata(rng) if rng.random() < 0.5 else protocol_status())


def write(directory):
    rng = random.Random(26)
    urls = ["http://h%d.org/%s/%d" % (rng.randrange(30), "p" * rng.randrange(200), i) for i in range(300)]
    urls.append("http://h.org/\u00e9\u4e2d")
    some = [(u, [rng.choice(urls) for _ in range(rng.randrange(6))]) for u in urls]
    some[5] = (some[5][0], [rng.choice(urls) for _ in range(3000)])
    linkdb = [(text(u), inlinks(s)) for u, s in some]
    linkdb21 = [(text(u), inlinks(s, lambda: flagged(rng))) for u, s in some]
    segment = [(text(u), parse_data(rng, t, "http://r.org/%d" % i if i % 50 == 0 else None))
               for i, (u, t) in enumerate(some)]
    crawldb = [(text(u), datum(3 if i % 10 == 0 else 2)) for i, u in enumerate(urls)]
    fetchdb = [(text(u), fetch_datum(rng, 1 + i % 8)) for i, u in enumerate(urls)]
    os.makedirs(directory, exist_ok=True)
    # The second value of each of these files has a byte too many or two too few.
    page, target = text("http://p.org/"), ["http://q.org/"]
    values = {"Inlinks": (inlinks(target), inlinks(target, lambda: b"\x00"), inlinks(target * 3, lambda: b"\x01" + metadata(rng))),
              "ParseData": (parse_data(rng, target, None), parse_data(rng, [], None, [("x", "y")])),
              "CrawlDatum": (datum(2), datum(2)[:-1] + b"\x01" + metadata(rng), datum(2)[:-1] + b"\x01" + protocol_status())}
    for kind, good in values.items():
        for i, value in enumerate(good):
            for change, data in (("more", value + b"\x07"), ("less", value[:-2])):
                write_file(os.path.join(directory, "%s-%d-%s" % (kind, i, change)), "org.apache.nutch." +
                           ("parse." if kind == "ParseData" else "crawl.") + kind, [(page, value), (page, data)], "DefaultCodec")
    own = protocol_status().replace(b"ProtocolStatus", b"CustomerStatus")
    for name, value in ("class", datum(2)[:-1] + b"\x01" + own), ("state", datum(9)):
        write_file(os.path.join(directory, "other-" + name), "org.apache.nutch.crawl.CrawlDatum", [(page, value)])
    fetched = [(text(u), fetch_datum(rng, 33 + i % 6 if i % 7 else 65)) for i, u in enumerate(urls)]
    write_file(os.path.join(directory, "flagged"), "org.apache.nutch.crawl.Inlinks", linkdb21)
    for name, value_class, records in (("linkdb", "org.apache.nutch.crawl.Inlinks", linkdb),
                                       ("segment", "org.apache.nutch.parse.ParseData", segment),
                                       ("crawldb", "org.apache.nutch.crawl.CrawlDatum", crawldb),
                                       ("fetchdb", "org.apache.nutch.crawl.CrawlDatum", fetchdb),
                                       ("fetched", "org.apache.nutch.crawl.CrawlDatum", fetched)):
        write_file(os.path.join(directory, name + "-plain"), value_class, records)
        write_file(os.path.join(directory, name + "-plain4"), value_class, records, version=5)
        for codec in CODECS:
            write_file(os.path.join(directory, "%s-%s-records" % (name, codec)), value_class, records, codec)
            write_file(os.path.join(directory, "%s-%s-blocks" % (name, codec)), value_class, records, codec, True)


class Reader:
    def __init__(self, data):
        self.f = io.BytesIO(data)

    def take(self, n):
        data = self.f.read(n)
        assert len(data) == n, "cut off"
        return data

    def byte(self):
        return self.take(1)[0]

    def int(self):
        return struct.unpack(">i", self.take(4))[0]

    def vint(self):
        first = struct.unpack("b", self.take(1))[0]
        if first >= -112:
            return first
        size = -(first + 112) if first >= -120 else -(first + 120)
        value = int.from_bytes(self.take(size), "big")
        return value if first >= -120 else ~value

    def text(self):
        return self.take(self.vint()).decode()

    def map(self):
        for _ in range(struct.unpack("b", self.take(1))[0]):
            self.take(1)
            self.take(struct.unpack(">H", self.take(2))[0])
        for _ in range(2 * self.int()):
            kind = struct.unpack("b", self.take(1))[0]
            {-116: self.text, -123: self.int}[kind]()


def unpack(codec, data):
    if codec is None or not data:
        return data
    if codec == "GzipCodec":
        out = b""
        while data:
            z = zlib.decompressobj(31)
            out += z.decompress(data)
            data = z.unused_data
        return out
    return CODECS[codec][1](data)


def records_of(path):
    r = Reader(open(path, "rb").read())
    assert r.take(3) == b"SEQ"
    version = r.byte()
    r.text()
    value_class = r.text()
    packed, blocks = r.byte(), r.byte()
    codec = r.text()[len(PREFIX):] if packed else None
    for _ in range(2 * r.int() if version >= 6 else 0):
        r.text()
    sync = r.take(16)
    while True:
        head = r.f.read(4)
        if not head:
            return
        length = struct.unpack(">i", head)[0]
        if length == -1:
            assert r.take(16) == sync
            if not blocks:
                continue
            n = r.vint()
            kl, ks, vl, vs = (Reader(unpack(codec, r.take(r.vint()))) for _ in range(4))
            for _ in range(n):
                yield value_class, ks.take(kl.vint()), vs.take(vl.vint())
            continue
        key = r.take(r.int())
        yield value_class, key, unpack(codec, r.take(length - len(key)))


def read(path):
    for value_class, key, value in records_of(path):
        page = Reader(key).text()
        r = Reader(value)
        if value_class.endswith("Inlinks"):
            for _ in range(r.int()):
                print(r.text() + "\t" + page)
                r.text()
                if os.path.basename(path) == "flagged" and r.byte():
                    r.map()
        elif value_class.endswith("ParseData"):
            assert r.byte() == 5
            r.byte(), r.byte()
            minor = struct.unpack(">h", r.take(2))[0]
            for i in range(r.int()):
                n = r.int()
                arg = r.take(max(n, 0)).decode()
                if i == 0 and minor == 100:
                    print(page + "\t" + arg)
            r.text()
            for _ in range(r.int()):
                print(page + "\t" + r.text())
                r.text()
                if r.byte():
                    r.map()
        else:
            assert value[0] == 7
            if value[1] not in (3, 7, 8):
                print(page)


def fetches(path):
    """Pages that were fetched, when, and every how many seconds."""
    for _, key, value in records_of(path):
        status, time, _, interval = struct.unpack(">Bqbi", value[1:15])
        if 2 <= status <= 31 or status in (33, 35, 36, 37, 38):
            last = time / 1000 - (interval if status <= 31 else 0)
            print("%s\t%.0f\t%d" % (Reader(key).text(), last, interval))


# ---- A small Nutch ----

DAY = 86400
DATUM = "org.apache.nutch.crawl.CrawlDatum"
UNFETCHED, FETCHED, GONE, REDIRECT = 1, 2, 3, 5
FETCH_SUCCESS, FETCH_RETRY, FETCH_REDIR_PERM, FETCH_GONE, LINKED = 33, 34, 36, 37, 67
INTERVALS = {FETCHED: 30 * DAY, REDIRECT: 30 * DAY, GONE: 90 * DAY, UNFETCHED: DAY}


def now():
    return int(os.environ["NUTCH_NOW"])


def read_part(folder, value_class=DATUM):
    """Of each key: its value; of a CrawlDatum [status, time, tries, interval, score]."""
    found = {}
    for _, key, value in records_of(folder + "/part-r-00000/data"):
        if value_class == DATUM:
            status, time, tries, interval, score = struct.unpack(">Bqbif", value[1:19])
            value = [status, time // 1000, tries, interval, score]
        found[Reader(key).text()] = value
    return found


def write_part(folder, entries, value_class=DATUM):
    """Keys are sorted by their bytes, as those of a MapFile are."""
    os.makedirs(folder + "/part-r-00000", exist_ok=True)
    records = []
    for url, value in sorted(entries.items(), key=lambda entry: entry[0].encode()):
        if value_class == DATUM:
            status, time, tries, interval, score = value
            value = bytes([7, status]) + struct.pack(">qbifqb", time * 1000, tries, interval, score, 0, 0) + b"\x00"
        records.append((text(url), value))
    write_file(folder + "/part-r-00000/data", value_class, records, "DefaultCodec", True)
    if "crawl_generate" not in folder:  # a MapFile has one key in 128 of its data in an index
        write_file(folder + "/part-r-00000/index", "org.apache.hadoop.io.LongWritable", [
            (key, struct.pack(">q", 0)) for key, _ in records[:1]])


def inject(crawldb, seeds, *flags):
    pages = read_part(crawldb + "/current") if os.path.exists(crawldb) else {}
    for name in os.listdir(seeds):
        for line in open(os.path.join(seeds, name)):
            url, *fields = line.rstrip("\n").split("\t")
            score = float(dict(field.split("=") for field in fields).get("nutch.score", 1))
            if url not in pages:
                pages[url] = [UNFETCHED, now(), 0, INTERVALS[FETCHED], score]
            elif "-update" in flags:
                pages[url][4] = score
    write_part(crawldb + "/current", pages)


def generate(crawldb, segments, _, top):
    due = [(-page[4], url) for url, page in read_part(crawldb + "/current").items() if page[1] <= now()]
    if not due:
        sys.exit(1)
    segment = "%s/%014d" % (segments, 20260000000000 + len(glob.glob(segments + "/*")))
    pages = read_part(crawldb + "/current")
    write_part(segment + "/crawl_generate", {url: pages[url] for _, url in sorted(due)[:int(top)]})


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def fetch(segment):
    """Bodies stand in a file of their own here; Nutch has them in content."""
    fetched, bodies = {}, {}
    for url, page in read_part(segment + "/crawl_generate").items():
        status, target = FETCH_SUCCESS, None
        try:
            with urllib.request.build_opener(Stay).open(url, timeout=600) as answer:
                bodies[url] = answer.read()
        except urllib.error.HTTPError as error:
            target = error.headers["Location"] if error.code in (301, 302) else None
            status = FETCH_REDIR_PERM if target else FETCH_GONE if error.code in (404, 410) else FETCH_RETRY
        fetched[url] = [status, now(), page[2], page[3], page[4]]
        if target:
            fetched.setdefault(urllib.parse.urljoin(url, target), [LINKED, now(), 0, page[3], 0.0])
    write_part(segment + "/crawl_fetch", fetched)
    write_part(segment + "/content", bodies, "org.apache.nutch.protocol.Content")


def parse(segment):
    rng = random.Random(4)
    write_part(segment + "/parse_data", {
        url: parse_data(rng, [urllib.parse.urljoin(url, link) for link in re.findall("<a href=([^>]*)>", body.decode())], None)
        for url, body in read_part(segment + "/content", "Content").items()}, "org.apache.nutch.parse.ParseData")


def updatedb(crawldb, segment):
    pages = read_part(crawldb + "/current")
    states = {FETCH_SUCCESS: FETCHED, FETCH_REDIR_PERM: REDIRECT, FETCH_GONE: GONE, FETCH_RETRY: UNFETCHED}
    linked = [urllib.parse.urljoin(url, link)
              for url, body in read_part(segment + "/content", "Content").items()
              for link in re.findall("<a href=([^>]*)>", body.decode())]
    for url, (status, time, tries, _, score) in read_part(segment + "/crawl_fetch").items():
        if status == LINKED:
            linked.append(url)
            continue
        state = states[status]
        pages[url] = [state, time + INTERVALS[state], tries + 1 if state == UNFETCHED else 0, INTERVALS[state], score]
    for url in linked:
        pages.setdefault(url, [UNFETCHED, now(), 0, INTERVALS[FETCHED], 0.0])
    write_part(crawldb + "/current", pages)


if __name__ == "__main__":
    {"write": write, "read": read, "fetches": fetches, "visits": visits, "redirects": redirects, "inject": inject, "generate": generate, "fetch": fetch,
     "parse": parse, "updatedb": updatedb}[sys.argv[1]](*sys.argv[2:])
