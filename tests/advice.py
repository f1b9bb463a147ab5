#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""advice.py MILLRACE: files that are no lists of links are refused by what they are, and the advice works.

Each case is an input and what its message says. Every command in a message is run on the very input that caused it and
must give the links that the case names, or be refused; a wrong graph is never right. The same inputs are refused behind
comments and with --format and --columns, too."""
import concurrent.futures, io, os, pathlib, re, shutil, sqlite3, struct, subprocess, sys, tarfile, tempfile, zipfile

PROGRAM = os.path.abspath(sys.argv[1])
CASES = []       # (name, data, kind, [expected links of each command], flags)
REFUSED = "refused"
COMMENTS = b"# a comment\n\n% another\n// of C\n-- of SQL\n; of Lisp\n/* and\n * a long one\n */\n"
FLAGS = ["--format adjacency", "--format urls", "--format edges", "--format csv", "--columns 1,2"]


def links(text):
    """`a b; c d`, with | between names that have blanks."""
    return sorted("\t".join(part.strip().split("|" if "|" in part else " ")) for part in text.split(";")) if text else []


def case(kind, expected, *inputs, name="x", at_start=False, guess=False):
    """Inputs (texts, or pairs of a text and its own links) that are refused as `kind`. `expected`: the links that each
    command of the message gives, in order; REFUSED; or nothing where the message has no command. at_start: the mark
    stands in the first byte. guess: flags overrule it."""
    for data in inputs:
        wanted = expected
        if isinstance(data, tuple):
            data, wanted = data
        wanted = wanted if isinstance(wanted, list) else [] if wanted is None else [wanted]
        data = data.encode() if isinstance(data, str) else data
        CASES.append((name, data, kind, wanted, at_start, guess))


def read_as(text, expected, name="x", flags=""):
    """What looks like one of these kinds, and is a list of links."""
    CASES.append((name, text.encode(), None, [expected], flags, None))


# ---- Archives and data of other programs ----

def zipped(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return data.getvalue()


def tarred(mode, *names):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            content = b"" if name.endswith("/") else b"1 2\n2 3\n"
            info.size, info.mtime = len(content), 1.5   # a fraction makes a header of pax
            archive.addfile(info, io.BytesIO(content))
    return data.getvalue()


def npy(shape, values, letter="q"):
    head = "{'descr': '<%s', 'fortran_order': False, 'shape': %s, }" % ("i8" if letter == "q" else "S3", shape)
    head += " " * (117 - len(head)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + (
        values if letter != "q" else struct.pack("<%dq" % len(values), *values))


def by_tool(command, data):
    if shutil.which(command.split()[0]) is None:
        return None
    return subprocess.run(command.split(), input=data, capture_output=True, check=True).stdout


def by_module(module, write):
    """The file that `write` makes with pandas and the like, or a fake one where these are not installed."""
    try:
        __import__(module)
        import pandas
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x")
            write(pandas.DataFrame({"source": [1, 2], "target": [2, 3]}), path)
            return pathlib.Path(path).read_bytes()
    except Exception:
        return None


PAIRS = "1 2; 2 3"
TEXT = b"1 2\n2 3\n"
for command, kind in (("xz -c", "xz data"), ("lz4 -c", "lz4 data"), ("bzip2 -c", "bzip2 data")):
    data = by_tool(command, TEXT)
    if data is not None:
        case(kind, PAIRS, data, at_start=True)
CODES = sum(byte << 9 * i for i, byte in enumerate(TEXT))   # of 9 bits, each a byte
case("compress (.Z) data", PAIRS, b"\x1f\x9d\x90" + CODES.to_bytes(9, "little"), at_start=True)
case("7z data", PAIRS, b"\x37\x7a\xbc\xaf\x27\x1c\x00\x04", at_start=True)
case("a tar archive", PAIRS, tarred("w", "a.txt"), tarred("w", "data/", "data/a.txt"), tarred("w:gz", "./a.txt", "b.txt"), at_start=True)
case("a zip archive", PAIRS, zipped(a_dot_txt=TEXT), zipped(data__="", data__a_dot_txt=TEXT, b_dot_txt="3 4\n"), at_start=True)
case("a zip archive", PAIRS, zipped(a_dot_csv="source,target\n1,2\n2,3\n", README="no links\n"), name="x.zip", at_start=True)
WARC_BODY = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href='/b'>b</a>"
WARC = (b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: 2024-01-02T03:04:05Z\r\n"
        b"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" % (len(WARC_BODY), WARC_BODY))
case("a zip archive", "http://a.example/ http://a.example/b", zipped(crawl_dot_warc=WARC), at_start=True)
case("a WACZ archive", "http://a.example/ http://a.example/b",
     zipped(archive__data_dot_warc=WARC, datapackage_dot_json="{}"), zipped(datapackage_dot_json="{}", archive__data_dot_warc=WARC),
     zipped(pages__pages_dot_jsonl='{"format": "json-pages-1.0"}\n', archive__data_dot_warc=WARC),
     zipped(indexes__index_dot_cdx="", archive__data_dot_warc=WARC), zipped(fuzzy_dot_json="[]", archive__data_dot_warc=WARC), at_start=True)
case("an archive of NumPy's arrays", "0 1; 1 2; 2 0", zipped(edge_index_dot_npy=npy((2, 3), [0, 1, 2, 1, 2, 0])),
     zipped(edge_index_dot_npy=npy((2, 3), [0, 1, 2, 1, 2, 0]), x_dot_npy=npy((3, 1), [5, 6, 7])),
     zipped(arr_0_dot_npy=npy((3, 2), [0, 1, 1, 2, 2, 0])), (zipped(x_dot_npy=npy((3,), [5, 6, 7])), REFUSED), at_start=True)
MATRIX = dict(format_dot_npy=npy("()", b"csr", "S"), shape_dot_npy=npy((2,), [3, 3]), data_dot_npy=npy((3,), [1, 1, 1]))
case("a sparse matrix of SciPy", "0 1; 1 2; 2 0",
     zipped(indices_dot_npy=npy((3,), [1, 2, 0]), indptr_dot_npy=npy((4,), [0, 1, 2, 3]), **MATRIX), at_start=True)
with tempfile.TemporaryDirectory() as folder:
    database = sqlite3.connect(folder + "/x")
    database.executescript("create table links (source, target); insert into links values (1, 2), (2, 3);")
    database.close()
    case("an SQLite database", PAIRS, pathlib.Path(folder, "x").read_bytes(), at_start=True)
for kind, module, write, fake in (
        ("Parquet data", "pyarrow", lambda f, p: f.to_parquet(p), b"PAR1\x15\x04"),
        ("ORC data", "pyarrow", lambda f, p: f.to_orc(p), b"ORC\n\x03\x00"),
        ("Arrow data", "pyarrow", lambda f, p: f.to_feather(p), b"ARROW1\0\0"),
        ("Feather data", "none", None, b"FEA1\0\0"),
        ("HDF5 data", "tables", lambda f, p: f.to_hdf(p, key="f"), b"\x89HDF\r\n\x1a\n\0"),
        ("an Excel workbook", "openpyxl", lambda f, p: f.to_excel(p + ".xlsx", index=False) or os.rename(p + ".xlsx", p),
         zipped(**{"[Content_Types]_dot_xml": "<Types/>"})),
        ("an OpenDocument sheet", "odf", lambda f, p: f.to_excel(p + ".ods", index=False) or os.rename(p + ".ods", p),
         zipped(mimetype="application/vnd.oasis.opendocument.spreadsheet"))):
    made = by_module(module, write)
    case(kind, REFUSED if made is None else PAIRS, made or fake, at_start=True)
case("an Excel workbook", REFUSED, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0", zipped(xl__workbook_dot_xml="<w/>"), zipped(_rels___dot_rels="<r/>"), at_start=True)
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:2d5929e38482ea1427b649035930356a10346fd6671a6b6be34ef51a1d6aaf3b\nsize 591\n"
for name in ("x.warc", "x.csv", "x.mtx", "x.txt.gz", "x.graph", "x"):
    case("a pointer of Git LFS", None, LFS, name=name, at_start=True)

# ---- Logs ----
case("a log", None,
     "2024-01-02 03:04:05 [scrapy.core.engine] DEBUG: Crawled (200) <GET http://a.example/> (referer: None)\n"
     "2024-01-02 03:04:06 [scrapy.core.engine] DEBUG: Crawled (200) <GET http://b.example/> (referer: http://a.example/)\n",
     "2024-01-02 03:04:05,123 INFO  crawl.Injector - Injector: starting\n2024-01-02 03:04:05,125 INFO  crawl.Injector - crawlDb: db\n",
     "2024-01-02 03:04:05,123 - crawler - INFO - fetched\n2024-01-02 03:04:05,123 - crawler - INFO - parsed\n",
     "2024-01-02T03:04:05.123Z INFO PREPARING 20240102030405\n2024-01-02T03:04:06.000Z INFO RUNNING 20240102030406\n",
     "2024-01-02T03:04:05.123Z SEVERE thread-12 org.archive.crawler failed\n",
     "[2024-01-02 03:04:05] WARNING x\n[2024-01-02 03:04:06] INFO y\n",
     "[2024-01-02 03:04:05,000: INFO/MainProcess] Connected\n[2024-01-02 03:04:05,000: INFO/MainProcess] ready\n",
     "INFO:scrapy.utils.log:Scrapy 2.11 started\nINFO:scrapy.crawler:Overridden settings\n",
     "INFO: Starting crawl\nINFO: Done crawl\n", "[INFO] 2024-01-02 a\n[INFO] 2024-01-02 b\n",
     "Jan 02 03:04:05 host crawler[17]: a\nJan 02 03:04:06 host crawler[17]: b\n", "Jan 2, 2024 3:04:05 AM org.archive.Crawl start\nINFO: x\n",
     "--2024-01-02 03:04:05--  http://a.example/\nResolving a.example... 1.2.3.4\n", at_start=True)
case("a log of a web server", None, '1.2.3.4 - - [02/Jan/2024:03:04:05 +0000] "GET / HTTP/1.1" 200 123 "http://b.example/" "Mozilla"\n',
     '1.2.3.4 - - [02/Jan/2024:03:04:05 +0000] "GET / HTTP/1.1" 200 123\n', 'host user - [02/Feb/2024:03:04:05 -0800] "-" 408 0\n',
     '::1 - - [02/Dec/2024:03:04:05 +0000] "HEAD / HTTP/1.0" 200 0\n', 'a.example b.example c [02/Mar/2024:03:04:05] x\n')
case("Heritrix's progress-statistics.log", None,
     "           timestamp  discovered      queued   downloaded       doc/s(avg)  KB/s(avg)\n2024-01-02T03:04:05Z 5 3 2 0.5(0.5) 1(1)\n",
     "timestamp discovered queued downloaded\n2024-01-02T03:04:05Z 5 3 2\n", "discovered queued downloaded\n5 3 2\n",
     "2024-01-02T03:04:05Z CRAWL RUNNING - Preparing\n2024-01-02T03:04:25Z 1 1 0\n", "2024-01-02T03:04:05.123Z CRAWL ENDING - Finished\n")
case("Heritrix's uri-errors.log", None, '2024-01-02T03:04:05.123Z http://a.example/ "unknown scheme" javascript:x\n',
     '2024-01-02T03:04:05.123Z n/a "illegal" http://[x\n', '2024-01-02T03:04:05.123Z https://a.example/p "no host" http:///\n',
     '2024-01-02T03:04:05.123Z null "x" y\n', '2024-01-02T03:04:05.123Z dns:a.example "x" y\n')
case("", None, "F+ http://a.example/\nF+ http://b.example/\n", "F+ http://a.example/\nFs http://a.example/\nF+ https://b.example/\n", "F+ dns:a.example\nF+ http://a.example/\n",
     "Fd http://a.example/x\nF+ http://a.example/\n", at_start=True)    # a recovery journal with seeds alone

# ---- Lists of pages ----
case("is a dump of Nutch's crawldb", None, "Url,Status code,Status name\nhttp://a.example/,2,db_fetched\n",
     "http://a.example/\tVersion: 7\nStatus: 2 (db_fetched)\nFetch time: Mon\n", "http://a.example/ b\tVersion: 7\nStatus: 1 (db_unfetched)\n",
     "Url,Status code,Status name,Fetch Time\n", "http://a.example/\tVersion: 7\r\nStatus: 2\r\n")
case("has the pages of Aduana's database and no links", None, "00000000000000a1 http://a.example/ 1.0 2.0 1 1 0.5 0.25\n",
     "00000000000000a1 http://a.example/%20b 0.0 0.0 0 0 - 0\n", "00000000000000a1\thttp://a.example/\t1\t2\t1\t1\n",
     "00000000000000a1 17 http://a.example/ 1.0 2.0 1 1 0.5 0.25\n", "ffffffffffffffff https://a.example/ 1700000000 1700000001 3 4 1 0.1\n")
case("the index of an index of captures", None, "example,a)/ 20240101000000\tcdx-00000.gz\t0\t188224\t1\n", "com,a)/x?y=1 20240101000000\tcdx-00000.gz\t0\t188224\t1\n",
     "com,a)/ 20240101000000\tindex.cdx.gz\t0\t1\n", "org,b,www)/ 20240101000000\tcdx-00299.gz\t7\t188224\t9\r\n", "a 20240101000000\tx.gz\t0\t188224\t1\n")
case("a list of seeds for Nutch's injector", None, "http://a.example/\tnutch.score=10\nhttp://b.example/\tnutch.score=5\n",
     "http://a.example/\nhttp://b.example/\tnutch.fetchInterval=2592000\n", "http://a.example/\tuserType=open_source\n",
     "https://a.example/\tnutch.score=10\tnutch.fetchInterval=86400\n", "http://a.example/\tkey=\n")
case("a list of pages with what they are", None, "url,title\nhttp://a.example/,Home\nhttp://b.example/,About\n", "url\ttitle\nhttp://a.example/\tHome page\n",
     "URL;Title;Status\nhttp://a.example/;Home;200\n", '"page","title"\n"Paris","The capital"\n', "page,title,text\nParis,Capital,x\n",
     "url,status\nhttp://a.example/,0.5\nhttp://b.example/,0.25\n", "Address,Title 1,H1-1\nhttp://a.example/,Home,Home\n")
case("a sitemap", None, '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n<url><loc>http://a.example/</loc></url>\n</urlset>\n',
     "<urlset>\n<url>\n", '<sitemapindex xmlns="x">\n<sitemap>\n', "<?xml version='1.0'?><!-- x --><urlset\n xmlns='x'>\n", "\ufeff<?xml version='1.0'?>\n<sitemapindex>\n")

# ---- Databases and prints ----
case("an SQL dump", None, "-- MySQL dump 10.19\n--\n/*!40101 SET NAMES utf8mb4 */;\nDROP TABLE IF EXISTS `pagelinks`;\nINSERT INTO `pagelinks` VALUES (1,0,5),(2,0,6);\n",
     "CREATE TABLE links (source int, target int);\nINSERT INTO links VALUES (1, 2);\n", "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE x(a);\n",
     "SET statement_timeout = 0;\nCOPY public.links (a, b) FROM stdin;\n1\t2\n\\.\n", "INSERT INTO links VALUES (1,2);\n", "insert into links values\n(1,2),\n(2,3);\n",
     "BEGIN;\nINSERT INTO links VALUES (1,2);\n", "USE wiki;\nLOCK TABLES x WRITE;\n", "CREATE TABLE links\n(\n a int\n);\n", "COPY links (a, b) FROM stdin;\n1\t2\n")
case("a table with lines drawn between its rows", None, " source | target \n--------+--------\n 1 | 2\n", "| source | target |\n|---|---|\n| a | b |\n",
     "+---+---+\n|src|dst|\n+---+---+\n|  1|  2|\n+---+---+\n", "| a | b |\n| --- | --- |\n| x | y |\n", "| a | b |\n|:--|--:|\n| x | y |\n", "+--------+\n| source |\n+--------+\n")
case("a printed data frame", None, "   src  dst\n0    1    2\n1    2    3\n", "  source target\n0      a      b\n1      b      c\n", "   src  dst  weight\n0    1    2     0.5\n1    2    3     0.1\n",
     "  src dst\n1   1   2\n2   2   3\n", "shape: (2, 2)\n\u250c\u2500\u252c\n", "\u250c\u2500\u252c\n\u2502 a \u2502\n", "   src  dst\n0    1    2\n", at_start=True)
case("a printed sparse matrix", None, "  (0, 1)\t1.0\n  (0, 2)\t1.0\n  (1, 2)\t1.0\n", "<Compressed Sparse Row sparse matrix of dtype 'float64'\n\twith 3 stored elements>\n  Coords\tValues\n  (0, 1)\t1.0\n",
     "<3x3 sparse matrix of type '<class 'numpy.float64'>'\n", "(0, 1)\t1\n(1, 2)\t1\n", "<COOrdinate sparse array of dtype 'int64'\n")
case("a printed array", None, "[[0 1]\n [1 2]]\n", "array([[0, 1],\n       [1, 2]])\n", "tensor([[0, 1],\n        [1, 2]])\n", "[[0. 1.]\n [1. 0.]]\n", "[0 1 2]\n")
case("edges as networkx prints them", None, "EdgeView([(0, 1), (1, 2)])\n", "OutEdgeView([(0, 1)])\n", "OutMultiEdgeDataView([(0, 1, {})])\n", "NodeView((0, 1))\n", "EdgeDataView([(0, 1, {'weight': 1})])\n")

# ---- Rows and objects ----
case("edges as Spark prints them", "1 2; 2 3; 3 1", "Edge(1,2,1)\nEdge(2,3,1)\nEdge(3,1,1)\n", "Edge(1,2,0.5)\nEdge(2,3,0.5)\nEdge(3,1,1)\n", "Edge(1,2,)\nEdge(2,3,)\nEdge(3,1,)\n",
     "Edge(1,2,a b)\nEdge(2,3,b c)\nEdge(3,1,d)\n", ("Edge(1,2,1)\n", "1 2"), ("Edge(-1,2,1)\nEdge(2,5,1)\n", ["-1 2; 2 5"]))
case("rows as Spark prints them", "1 2; 2 3", "Row(src=1, dst=2)\nRow(src=2, dst=3)\n", "Row(src='1', dst='2')\nRow(src='2', dst='3')\n", "Row(dst=2, src=1)\nRow(dst=3, src=2)\n",
     "Row(src=1, dst=2, weight=0.5)\nRow(src=2, dst=3, weight=1.0)\n", ("Row(src='http://a/', dst='http://b/,c')\n", "http://a/ http://b/,c"), ("Row(a=1, b=2)\n", REFUSED))
case("objects as Python prints them", "1 2; 2 3", "{'src': 1, 'dst': 2}\n{'src': 2, 'dst': 3}\n", "{'source': '1', 'target': '2'}\n{'source': '2', 'target': '3'}\n",
     "{'src': 1, 'dst': 2},\n{'src': 2, 'dst': 3},\n", "{'src': 1, 'dst': 2, 'w': None}\n{'src': 2, 'dst': 3, 'w': 0.5}\n", ("{'url': 'http://a/', 'links': ['http://b/', 'http://c/']}\n", "http://a/ http://b/; http://a/ http://c/"),
     ("{'a': 1, 'b': 2}\n", REFUSED))
case("rows as Python prints them", "a b; b c", "('a', 'b')\n('b', 'c')\n", "['a', 'b']\n['b', 'c']\n", '("a", "b")\n("b", "c")\n', "('a', 'b'),\n('b', 'c'),\n", "('a', 'b', 2)\n('b', 'c', 3)\n",
     ("('New York', 'Paris, Texas')\n('Paris, Texas', 'New York')\n", "New York|Paris, Texas; Paris, Texas|New York"), '["a","b"]\n["b","c"]\n')
case("links in brackets", "1 2; 2 3", "(1, 2)\n(2, 3)\n", "[1, 2]\n[2, 3]\n", "(1,2)\n(2,3)\n", "(1, 2),\n(2, 3),\n", "{1, 2}\n{2, 3}\n", "(1, 2, 5)\n(2, 3, 7)\n",
     ("(http://a/,http://b/)\n(http://b/,http://c/)\n", "http://a/ http://b/; http://b/ http://c/"), ("(a.org,b.org)\n(b.org,a.org)\n", "a.org b.org; b.org a.org"), ("(1,0.25)\n(2,0.75)\n", REFUSED))
case("rows in brackets", None, "((1, 2), 3)\n((2, 3), 1)\n", "(1, [2, 3])\n(2, [1])\n", "(a,CompactBuffer(b, c))\n(b,CompactBuffer(c))\n", "('a', ['b', 'c'])\n('b', ['c'])\n", "((1,a),(2,b),1)\n", "[[1, 2], 3]\n[[2, 3], 1]\n")
case("a list of lists", PAIRS, "[[1, 2], [2, 3]]\n", "[(1, 2), (2, 3)]\n", "[[1,2],[2,3]]", "[\n[1, 2],\n[2, 3]\n]\n", '[["1", "2"], ["2", "3"]]\n', ("[[1, 2, 3], [0], [1]]\n", REFUSED))

# ---- Languages for graphs ----
TRIANGLE = "0 1; 1 0; 1 2; 2 1; 2 3; 3 2"
for name, data in (("x", ">>sparse6<<:Cdv\n"), ("x", ">>sparse6<<:Cdv"), ("x.txt", "\n>>sparse6<<:Cdv\n")):
    case("sparse6", TRIANGLE, data, name=name)
case("graph6", TRIANGLE, ">>graph6<<Ch\n", ">>graph6<<Ch")
case("digraph6", None, ">>digraph6<<&BP_\n")
case("Pajek", "1 2; 2 3", '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Arcs\n1 2 1\n2 3 1\n', "*vertices 3\r\n*arcs\r\n1 2\r\n2 3\r\n", "*Network x\n*Vertices 3\n*Arcs :1 \"rel\"\n1 2 1\n2 3\n",
     "*Vertices 3\n*Arcslist\n1 2\n2 3\n", "*Arcs\n1 2\n2 3\n", ("*Vertices 3\n*Edges\n1 2\n*Arcs\n2 3\n", "1 2; 2 1; 2 3"), ("*Vertices 3\n*Edgeslist\n1 2 3\n", "1 2; 1 3; 2 1; 3 1"),
     ("*Vertices 2\n*Matrix\n0 1\n1 0\n", REFUSED))
case("GraphViz", "a b; b c", "digraph {\n  a -> b;\n  b -> c;\n}\n", "digraph G { a -> b -> c }\n", "strict digraph \"my graph\" {\n a -> b\n b -> c [label=\"x\"]\n}\n", "digraph G\n{\na -> b; b -> c;\n}\n",
     "/* Example\n*/\ndigraph G {\n  a -> b ;\n  b -> c ;\n}\n", ("graph {\n a -- b -- c;\n}\n", "a b; b a; b c; c b"))
NODES = "".join('  node [\n    id %d\n    label "%s"\n  ]\n' % (i, name) for i, name in enumerate("abc"))
EDGES = "  edge [\n    source 0\n    target 1\n  ]\n  edge [\n    source 1\n    target 2\n  ]\n"
case("GML", "0 1; 1 2", "graph [\n  directed 1\n" + NODES + EDGES + "]\n", 'Creator "igraph"\nVersion 1\ngraph\n[\n  directed 1\n' + NODES + EDGES + "]\n",
     "graph [ directed 1 node [ id 0 label \"a\" ] node [ id 1 label \"b\" ] node [ id 2 label \"c\" ] edge [ source 0 target 1 ] edge [ source 1 target 2 ] ]\n",
     'graph [\n  comment "x"\n  directed 1\n' + NODES + EDGES + "]\n", ("graph [\n" + NODES + EDGES + "]\n", "0 1; 1 0; 1 2; 2 1"))
case("GraphML", "n0 n1; n1 n2", *(head + '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed"><node id="n0"/><node id="n1"/><node id="n2"/>'
     '<edge source="n0" target="n1"/><edge source="n1" target="n2"/></graph></graphml>\n' for head in ('<?xml version="1.0"?>\n', "", "<?xml version='1.0'?>\n<!-- of igraph -->\n\n", '<?xml version="1.0" encoding="UTF-8"?>', "<!-- x -->")), at_start=True)
case("GEXF", "0 1; 1 2", *(head + '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph defaultedgetype="directed"><nodes><node id="0" label="a"/><node id="1" label="b"/><node id="2" label="c"/></nodes>'
     '<edges><edge id="0" source="0" target="1"/><edge id="1" source="1" target="2"/></edges></graph></gexf>\n' for head in ('<?xml version="1.0"?>\n', "", "<?xml version='1.0'?>\n\n")), at_start=True)
case("XML or HTML", None, "<?xml version='1.0'?>\n<x/>\n", "<!DOCTYPE html>\n<html>\n", "<mediawiki xmlns='x'>\n", "<a href='http://a.example/'>a</a>\n", "<!-- links -->\n<links>\n")
A, P, C = "<http://d.example/A>", "<http://d.example/link>", "<http://d.example/C>"
case("RDF (N-Triples)", "http://d.example/A http://d.example/C", f"{A} {P} {C} .\n", f"# started 2020\n{A} {P} {C} .\n", f'{A} {P} "a text of 2 words"@en .\n{A} {P} {C} .\n', f"{A}\t{P}\t{C}\t<http://g.example/> .\n",
     f'{A} {P} {C} .\n{A} {P} "5"^^<http://w3.example/int> .\n', (f"_:b1 {P} {C} .\n{C} {P} _:b1 .\n", "_:b1 http://d.example/C; http://d.example/C _:b1"), (f'{A} {P} "x" .\n', REFUSED))
case("is RDF, ", None, f"@prefix d: <http://d.example/> .\nd:A d:link d:C .\n", f"@base <http://d.example/> .\n<A> <link> <C> .\n", f"{A} {P} {C} ;\n  {P} {A} .\n", f"PREFIX d: <http://d.example/>\nd:A d:link d:C .\n",
     f"{A}\n  {P} {C} .\n", f"BASE <http://d.example/>\n", f"{A} {C}\n")
case("GDF", "a b; b c", "nodedef>name VARCHAR,label VARCHAR\na,A\nb,B\nc,C\nedgedef>node1 VARCHAR,node2 VARCHAR\na,b\nb,c\n", "nodedef> name\na\nb\nc\nedgedef> node1,node2,weight DOUBLE\na,b,1.5\nb,c,2\n",
     "edgedef>node1 VARCHAR,node2 VARCHAR\na,b\nb,c\n", "nodedef>name VARCHAR\r\na\r\nb\r\nedgedef>node1 VARCHAR,node2 VARCHAR,directed BOOLEAN\r\na,b,true\r\nb,c,true\r\n", ("nodedef>name VARCHAR\na\nb\n", REFUSED))
case("LGL", "foo bar; bar foo; foo foobar; foobar foo; foobar bat; bat foobar", "# foo\nbar 1\nfoobar 2\n# foobar\nbat 10\n", "# foo\nbar\nfoobar\n# foobar\nbat\n", "# foo\nbar 1.5\nfoobar\n# foobar\nbat 1e3\n",
     "# foo\r\nbar\r\nfoobar\r\n# foobar\r\nbat\r\n", ("# 1\n2\n3\n# 2\n3\n", "1 2; 2 1; 1 3; 3 1; 2 3; 3 2"), ("# http://a/\nhttp://b/ 1\n# http://b/\nhttp://c/ 1\n", "http://a/ http://b/; http://b/ http://a/; http://b/ http://c/; http://c/ http://b/"), at_start=True)
case("DIMACS", "1 2; 2 3", "c a comment\nc\np sp 3 2\na 1 2 5\na 2 3 7\n", "p max 3 2\nn 1 s\nn 3 t\na 1 2 5\na 2 3 7\n", "# x\np sp 3 2\na 1 2 5\na 2 3 7\n", "p asn 3 2\nn 1\na 1 2 5\na 2 3 7\n",
     "c x\r\np min 3 2\r\na 1 2 0 5 7\r\na 2 3 0 5 7\r\n", "c x\r\np sp 3 2\r\na 1 2 5\r\na 2 3 7\r\n", at_start=True)
case("DIMACS", "1 2; 2 1; 2 3; 3 2", "p edge 3 2\ne 1 2\ne 2 3\n", "c FILE: x.clq\r\np col 3 2\r\ne 1 2\r\ne 2 3\r\n", "p tw 3 2\n1 2\n2 3\n", "c x\np td 3 2\n1 2\n2 3\n", "c\nc\np edge 3 2\ne 1 2\ne 2 3\n", at_start=True)
for text in ("a 1 2 3\na 2 3 1\n", "a 1 2\na 2 3\n", "e 1 2\ne 2 3\n"):    # DIMACS without its first line
    case("numbers and names, as in a list of numbered pages", [PAIRS, "2 1; 3 2"], text, at_start=True, guess=True)
case("Ligra's adjacency graph", "0 2; 2 0; 2 3", "AdjacencyGraph\n4\n3\n0\n1\n1\n3\n2\n0\n3\n", "AdjacencyGraph 4 3 0 1 1 3\n2 0 3\n", "AdjacencyGraph\r\n4\r\n3\r\n0\r\n1\r\n1\r\n3\r\n2\r\n0\r\n3\r\n", "AdjacencyGraph\n4\n3\n\n0\n1\n1\n3\n\n2\n0\n3\n",
     "WeightedAdjacencyGraph 4 3 0 1 1 3\n2 0 3\n5 6 7\n", "WeightedAdjacencyGraph\n4\n3\n0\n1\n1\n3\n2\n0\n3\n5\n6\n7\n", at_start=True)
case("lines counted by uniq -c", "10 20; 20 30", "      2 10 20\n      1 20 30\n", at_start=True, guess=True)
case("Trivial Graph Format", "1 2; 2 3", "1 First\n2 Second\n3 Third\n#\n1 2\n2 3\n", "1 First node\n2 x\n3\n# \n1 2 an edge\n2 3 one more\n", at_start=True, guess=True)
case("a list of checksums", None, "d41d8cd98f00b204e9800998ecf8427e  a.txt\n68b329da9893e34099c7d8ad5cb9c940 *b.txt\n")
case("a list of the addresses of hosts", None, "127.0.0.1\tlocalhost\n::1 ip6-localhost\n")
case("SMAT", "0 3", "2 4 1\n0 3 0.5\n", name="x.smat", at_start=True, guess=True)
case("GraphChi's adjacency list", ["0 1; 0 2; 1 0; 2 0; 2 1", "0 2; 1 1; 2 2"], "0 2 1 2\n1 1 0\n2 2 0 1\n", "0\t2\t1\t2\n1\t1\t0\n2\t2\t0\t1\n", at_start=True, guess=True)
case("LDBC Graphalytics", [None, None], "graph.g.vertex-file = g.v\ngraph.g.edge-file = g.e\n", "# x\ngraph.test.vertex-file=g.v\n")
case("GAPBS's weighted graph", "0 1; 1 2", bytes.fromhex("01 0200000000000000 0300000000000000 0000000000000000 0100000000000000 0200000000000000 0200000000000000 01000000 05000000 02000000 07000000"
                   "0000000000000000 0000000000000000 0100000000000000 0200000000000000 00000000 05000000 01000000 07000000"), name="x.wsg", at_start=True, guess=True)
for version, data in ((1, struct.pack("<3I", 1, 2, 0)), (1, struct.pack("<4I", 1, 2, 0, 0)), (2, struct.pack("<3Q", 1, 2, 0))):
    case("a graph of Galois (.gr)", "0 1; 0 2; 2 0", struct.pack("<4Q3Q", version, 0, 3, 3, 2, 2, 3) + data, name="x.gr", at_start=True)
case("a graph of Galois (.gr)", "0 1; 0 2; 2 0", struct.pack("<4Q3Q4I3I", 1, 4, 3, 3, 2, 2, 3, 1, 2, 0, 0, 7, 8, 9), at_start=True)
case("a binary graph of GBBS", "0 1; 0 2; 2 0", struct.pack("<3Q4Q3I", 3, 3, 68, 0, 2, 2, 3, 1, 2, 0),
     struct.pack("<3Q4Q6I", 3, 3, 80, 0, 2, 2, 3, 1, 7, 2, 8, 0, 9), at_start=True)
case("a compressed graph of GBBS", None, struct.pack("<3Q4Q3I5B", 3, 3, 5, 0, 3, 3, 5, 2, 0, 1, 2, 2, 2, 5, 5), at_start=True)

# ---- Links that look like one of these ----
for text in ("4 4 3\n0 1 2\n1 2 1\n\n2 0 1\n", "4 4 3\n0 1 2.5\n1 2 1\n2 0 1\n", "4 4 3\n0\t1\t2\n1\t2\t1\n2\t0\t1\n".replace("4 4 3", "4\t4\t3"), "4 4 3\n0 1\n1 2\n2 0\n"):
    read_as(text, "0 1; 1 2; 2 0")    # a count above them
read_as("4 4 3\n0 1 2\n1 2 1\n", "4 4; 0 1; 1 2")
for text in ("info b\ndebug c\n", "set theory\n", "graph theory\ndigraph b\n", "begin stop\ninsert into\n", "strict a\n", "F+ b\n", "a 2024-01-02x\n", "discovered queued\n", "Creator b\n", "version b\n",
             "url b.example\n", "page c\n", "//a.example/ //b.example/\n", "Edge Row\n", "p sp\na 1\n", "Error:404 Page:2\n", "*a *b\n", "array list\n"):
    read_as(text, "; ".join(line for line in text.split("\n") if line))
read_as("2024-01-02 http://a.example/ http://b.example/\n", "http://a.example/ http://b.example/", flags="--columns 2,3")
read_as("http://a.example/,2024-01-02,b.example\n", "http://a.example/ b.example", flags="--columns 1,3")
read_as("1 2 2024-01-02\n2 3 2024-01-02\n", "1 2; 2 3", flags="--columns 1,2")
read_as("a,b,2024-01-02\nb,c,2024-01-02\n", "a b; b c", flags="--columns 1,2")

# ---- Pages with all that they link to ----
def adjacency(text, expected, flags="--format adjacency"):
    """Read with these links, or refused with a message whose commands give these links, each its own."""
    CASES.append(("x", text.encode(), "" if isinstance(expected, list) else None, expected if isinstance(expected, list) else [expected], flags, None))


FULL = "a b; a c; b c"
for text in ("a b c\nb c\nc\n", "a\tb\tc\nb\tc\n", "a: b c\nb: c\n", "a:\tb\tc\nb:\tc\nc:\n", "a : b c\nb : c\n", "a -> b c\nb -> c\n", "a => b c\nb => c\nc\n", "a --> b c\nb --> c\n",
             "# x\n\na b  c\nb\tc\n", "a \tb\t c\nb\t\tc\n", "a: b c\nb: c\nd:\n".replace("d:\n", "c:\n"), "a ->\tb\tc\nb ->\tc\n".replace(" ->\t", "\t->\t")):
    adjacency(text, FULL)
adjacency("1: 2 3\n2: 3\n3: 1\n", "1 2; 1 3; 2 3; 3 1")
adjacency("New York\tParis\tRome\nParis\tRome\nSan Marino\n", "New York|Paris; New York|Rome; Paris|Rome")
adjacency("http://a/ http://b/x,y http://c/d,e/f\n", "http://a/ http://b/x,y; http://a/ http://c/d,e/f")
adjacency("Paris,_Texas Texas\n", "Paris,_Texas Texas")
for sign, text in ((",", "a,b,c\nb,c\n"), (";", "a;b;c\nb;c\n"), ("|", "a|b|c\nb|c\n"), (",", "a, b, c\nb, c\n")):
    adjacency(text, [FULL, None])    # the second command takes them for names
adjacency("http://a/,http://b/,http://c/\nhttp://b/,http://c/\n", ["http://a/ http://b/; http://a/ http://c/; http://b/ http://c/", REFUSED])
adjacency("http://a/,http://b/,http://c/\nhttp://b/,http://c/\n", "http://a/ http://b/; http://a/ http://c/; http://b/ http://c/", "--format adjacency --separator ,")
adjacency("a,b c,,d\nb c, d\n", "a|b c; a|d; b c|d", "--format adjacency --separator comma")
adjacency("Smith,John Doe\n", [None, "Smith,John Doe"])
adjacency("a: b\nb c\n", [None])
adjacency("a b\nb: c\n", [None])
adjacency("a b -> c\n", [None])
adjacency("a: b\nb c:\n", "a: b; b c:", "--format adjacency --separator blank")

# ---- Lines whose shape does not say what the links are ----
def shape(text, verdict, *expected, name="x"):
    """Each command that the refusal names gives what it says, whatever the file means."""
    CASES.append((name, text.encode(), verdict, list(expected), True, True))


THREE = "a b; a c; b c"
UNEVEN = "not as many words as in the other lines"
for text in ("a b c\nb c\n", "a\tb\tc\nb\tc\n", "# x\na b c\n\nb c\n"):
    shape(text, UNEVEN, THREE, "a b; b c")
shape("http://a/ http://b/ http://c/\nhttp://b/ http://c/\n", UNEVEN, "http://a/ http://b/; http://a/ http://c/; http://b/ http://c/", "http://a/ http://b/; http://b/ http://c/")
for text in ("1 2 3\n2 3\n3 1\n", "1\t2\t3\n2\t3\n3\t1\n", "1,2,3\n2,3\n3,1\n", "1, 2, 3\n2, 3\n3, 1\n"):
    shape(text, UNEVEN, "1 2; 1 3; 2 3; 3 1", "1 2; 2 3; 3 1")
shape("New York\tParis\tRome\nParis\tRome\n", UNEVEN, "New York|Paris; New York|Rome; Paris|Rome", "New York|Paris; Paris|Rome")
shape("a b\nc\n", UNEVEN, "a b", REFUSED)
shape("one two three\nfour five six\nseven\n", "", "one two; one three; four five; four six", REFUSED)
LISTS = "several pages in one field"
for text in ("0\t1,2\n1\t2\n", "0 1,2\n1 2\n"):
    shape(text, LISTS, "0 1; 0 2; 1 2")
for text in ("a\tb,c\nb\tc,a\n", "a\tb;c\nb\tc;a\n", "a\tb|c\nb\tc|a\n"):
    shape(text, LISTS, "a b; a c; b c; b a")
shape("a,b;c\nb,c;a\n", "two characters may separate its columns", REFUSED, "a,b c; b,c a")
shape("a,b,c\nb,c\n", "one word a line, and no links")
for text in ("http://a/\thttp://b/,http://c/x,y\n", "http://a/ http://b/,http://c/x,y\n", "http://a/\thttp://b/ http://c/x,y\n", "http://a/\thttp://b/|http://c/x,y\n"):
    shape(text, LISTS, "http://a/ http://b/; http://a/ http://c/x,y")
shape('"a","b;c"\n"b","c;a"\n', LISTS, REFUSED)
shape("New York\tParis, Texas;Rome\nRome\tNew York;Paris, Texas\n", LISTS, "New York|Paris, Texas; New York|Rome; Rome|New York; Rome|Paris, Texas")
shape("Page Film\nAnn Bob\n", "the names of the columns, or a link", "Ann Bob", "Page Film; Ann Bob")
shape("zlib,glibc\nlibssl1.1,libc6\nlibc6,libgcc1\n", "the names of the columns, or a link", "libssl1.1 libc6; libc6 libgcc1",
      "zlib glibc; libssl1.1 libc6; libc6 libgcc1")
shape(",0,1\n0,5,7\n1,7,9\n", "the first column has no name", "5 7; 7 9")
MORE = "more than two columns, and no header names them"
for text in ("a,b,c\nb,c,a\n", "a;b;c\nb;c;a\n", "a\tb\tc\nb\tc\ta\n", "a b c\nb c a\n"):
    shape(text, MORE, "a b; b c", "a c; b a")
shape("Q1\tP31\tQ2\nQ2\tP31\tQ3\n", MORE, "Q1 P31; Q2 P31", "Q1 Q2; Q2 Q3")
shape("1\t5\t2\t9\n2\t5\t3\t9\n", MORE, "1 5; 2 5", "1 2; 2 3")
for text in ("1 -> 2\n2 -> 3\n", "1 => 2\n2 => 3\n", "1\t->\t2\n2\t->\t3\n"):
    shape(text, "a sign between two pages", PAIRS, PAIRS)
shape("a -> b c\nb -> c\n", "a sign between two pages", "a b; b c", THREE)
for text in ("a: b c\nb: c\n", "a:\tb\tc\nb:\tc\n", "http://a/: http://b/ http://c/\nhttp://b/: http://c/\n".replace("http://", "")):
    shape(text, "a page and all that it links to, it seems", THREE if "/" not in text else "a/ b/; a/ c/; b/ c/")
for text in ("0 1 0\n1 0 1\n0 1 0\n", "0,1,0\n1,0,1\n0,1,0\n", "0 0.5 0.5\n1 0 0\n0.5 0.5 0\n"):
    shape(text, "a row of a matrix, it seems, and no link")
shape("4 4 9\n0 1\n1 2\n3 0\n", UNEVEN, "4 4; 4 9; 0 1; 1 2; 3 0", "4 4; 0 1; 1 2; 3 0")
shape("0.5\thttp://a/\n0.25\thttp://b/\n", "as scores are, and no links", "0.5 http://a/; 0.25 http://b/")
shape("1 http://a/\n2 http://b/\n", "as in a list of numbered pages", "1 http://a/; 2 http://b/")
shape("1\thttp://a/\thttp://b/\n2\thttp://b/\thttp://c/\n", "as in a list of numbered pages", "http://a/ http://b/; http://b/ http://c/", "http://b/ http://a/; http://c/ http://b/")
shape("Colour: value\nOther: 17\n", "a key and its value, or a page and one", "Colour value; Other 17")
shape("a - b\nb - c\n", "a sign between two pages", "a b; b c")
shape("a <- b\nb <- c\n", "a sign between two pages", "b a; c b")
shape("http://a/\nhttp://b/\n", "one word a line, and no links")
shape("http://a/ b\nhttp://c/ d\n", "URLs beside what are no URLs, and no links", "http://a/ b; http://c/ d")
shape("aa;bb;cc\n1;2;3\n2;3;1\n", "no column is called source or target", None)

COUNTED = "".join(f"{i} {i + 1}\n" for i in range(20000))
shape("20001 20000\n" + COUNTED, "says how many lines follow, it seems", COUNTED.strip().replace("\n", ";"), "20001 20000;" + COUNTED.strip().replace("\n", ";"))
shape("20001 20001 20009\n" + COUNTED, "a count of 20009 links, it seems", COUNTED.strip().replace("\n", ";"), "20001 20001;" + COUNTED.strip().replace("\n", ";"))
shape("% bip\n1 1\n2 1\n2 2\n", "the two columns number different things", "left/1 right/1; left/2 right/1; left/2 right/2")
shape('{"http://a/": ["http://b/", "http://c/"], "http://b/": ["http://c/"]}\n', "one object for all pages", "http://a/ http://b/; http://a/ http://c/; http://b/ http://c/")
shape('{"a": ["b", "c"], "b": ["c"]}\n', "one object for all pages", THREE)
shape('{"links": [{"source": "a", "target": "b"}, {"source": "b", "target": "c"}], "nodes": []}\n', "take what has the links out", "a b; b c")
shape('{"the links": [{"source": "a", "target": "b"}]}\n', "take what has the links out", REFUSED)
shape('{"url": "http://a/", "links": "http://b/,http://c/"}\n', "the links are one text with commas", "http://a/ http://b/; http://a/ http://c/")

# ---- The check ----
TOOLS = "xz|lz4|gzip|7z|bzip2|tar|unzip|duckdb|sqlite3|python3|sed|awk|tr|tail|jq|gvpr"
PIPELINE = re.compile(r"(?:^|[;:,] |\(|with )((?:%s) .*?(?:\| millrace \.\.\. (?:--\S+ \S+ )?(?:--undirected )?-(?=$|[;,. )])|&& millrace \.\.\. [^ ;]+))" % TOOLS)
OPTION = re.compile(r"--(?:format|columns|separator) (?:'.'|[^ ;]+?)(?: --separator (?:'.'|[^ ;]+?))?(?=[; ]|, |$)")
MODULE = re.compile(r"\b(pandas|scipy|networkx)\b")
absent, skipped = {}, set()


def has_module(name):
    if name not in absent:
        absent[name] = subprocess.run(["python3", "-c", "import " + name], capture_output=True).returncode != 0
    return not absent[name]


def commands(message, name):
    """The commands that a message gives, as they are typed for this file."""
    found = [(m.start(1), m.group(1).replace("millrace ...", f"{PROGRAM} build --quiet --force -o s.mill")) for m in PIPELINE.finditer(message)]
    rest = PIPELINE.sub(lambda m: " " * len(m.group(0)), message)
    found += [(m.start(), f"{PROGRAM} build --quiet --force -o s.mill 'FILE' {m.group(0)}") for m in OPTION.finditer(rest)]
    return [re.sub(r"'FILE'|\bFILE\b", f"'{name}'", command.replace("MEMBER", f"$(tar -tf {name} | grep -v '/$' | head -1)")) for _, command in sorted(found)]


def found_links(folder):
    run = subprocess.run([PROGRAM, "export", "s.mill", "--to", "urls", "-o", "-", "--quiet"], cwd=folder, capture_output=True, text=True)
    return sorted(set(run.stdout.removeprefix("source\ttarget\n").splitlines())) if run.returncode == 0 else None


def run(folder, command):
    shutil.rmtree(folder + "/s.mill", ignore_errors=True)
    result = subprocess.run(command, shell=True, cwd=folder, capture_output=True, timeout=100)
    return result.returncode, result.stderr.decode(errors="replace")


def check_command(folder, command, wanted):
    """Returns what is wrong, or None."""
    if wanted is None:
        return None
    tool, module = command.split()[0], MODULE.search(command)
    if shutil.which(tool) is None or (tool == "python3" and module and not has_module(module.group(1))):
        skipped.add(module.group(1) if tool == "python3" else tool)
        return None
    code, said = run(folder, command)
    if wanted == REFUSED:
        return f"{command}\n    gives {found_links(folder)}" if code == 0 else None
    found = found_links(folder) if code == 0 else None
    return None if found == links(wanted) else f"{command}\n    gives {found} (exit {code}: {said.strip()}), not {links(wanted)}"


def check(number):
    name, data, kind, wanted, at_start, guess = CASES[number]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        def build(content, flags=""):
            pathlib.Path(folder, name).write_bytes(content)
            return run(folder, f"{PROGRAM} build -o s.mill --force --quiet '{name}' {flags}")

        if kind is None: # links
            code, said = build(data, at_start)
            return [] if code == 0 and found_links(folder) == links(wanted[0]) else [f"{data!r} {at_start}: exit {code}, {said.strip()}, {found_links(folder)}"]
        is_adjacency = isinstance(at_start, str)
        code, message = build(data, at_start if is_adjacency else "")
        if code != 3 or kind not in message:
            return [f"{data[:70]!r}: exit {code}, not refused as {kind}: {message.strip()}"]
        found = commands(message.strip(), name)
        if len(found) != len(wanted):
            return [f"{data[:70]!r}: {len(found)} commands {found}, not {len(wanted)}: {message.strip()}"]
        wrong += filter(None, (check_command(folder, *pair) for pair in zip(found, wanted)))
        for i, flags in enumerate([] if guess or is_adjacency else FLAGS):
            if number % len(FLAGS) != i and CASES[number - 1][2] == kind:
                continue # all flags on the first input of each kind, one on each other
            code, message = build(data, flags)
            if code != 3 or kind not in message:
                wrong.append(f"{data[:70]!r} {flags}: exit {code}: {message.strip()}")
        if not at_start:
            flags = ([""] + FLAGS)[number % 6]
            code, message = build(COMMENTS + data.removeprefix(b"\xef\xbb\xbf"), flags)
            if code != 3 or kind not in message:
                wrong.append(f"{data[:70]!r} {flags} behind comments: exit {code}: {message.strip()}")
    return wrong


with concurrent.futures.ThreadPoolExecutor(4) as pool:
    wrong = [text for one in pool.map(check, range(len(CASES))) for text in one]
print(*wrong, sep="\n")
print(f"{len(CASES)} inputs; {len(wrong)} wrong; without {', '.join(sorted(skipped)) or 'nothing'}, the advice that needs it is not run" if skipped else f"{len(CASES)} inputs; {len(wrong)} wrong")
sys.exit(bool(wrong))
