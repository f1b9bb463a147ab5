#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""inputs.py MILLRACE [REGEX]: inputs as other programs and people write them, each with what it means.

A case has files, a command and what holds after it. A wrong graph with exit code 0 is what these cases look for, so most accept a refusal
(REFUSE) beside the right graph; a refusal must have a message."""
import gzip, os, re, struct, subprocess, sys, tempfile, pathlib

CASES = []
BUILD = "millrace build -o s.mill "

def case(name, files, command, *wants):
    CASES.append((name, files, command if command.startswith("millrace") else BUILD + command, wants))

def links(text):
    """The graph has exactly these links: `a b, c d` (a blank between the ends; | where names have blanks)."""
    return ("links", sorted(tuple(one.strip().split("|" if "|" in one else " ")) for one in text.split(",")))

def pages(n): return ("pages", n)
def nlinks(n): return ("nlinks", n)
def out(text): return ("out", text)
def lacks(text): return ("lacks", text)
def said(text): return ("said", text)       # on stderr, whatever the exit code
REFUSE = ("refuse",)                         # or a refusal with a message
def refuse(text): return ("refuse", text)    # a refusal whose message has the text; nothing else will do

# ---- Tables ----
case("screaming-frog", {"all_inlinks.csv": b'"Type","Source","Destination","Size (Bytes)","Alt Text","Anchor","Status Code","Status","Follow","Target","Rel","Path Type"\r\n'
     b'"Hyperlink","https://a.example/","https://a.example/x","1200","","X","200","OK","true","_blank","","Absolute"\r\n'
     b'"Hyperlink","https://a.example/x","https://a.example/","900","","home, sweet","200","OK","true","","","Absolute"\r\n'},
     "all_inlinks.csv", links("https://a.example/ https://a.example/x, https://a.example/x https://a.example/"))
case("screaming-frog-title", {"a.csv": b'"All Inlinks"\n"Type","Source","Destination"\n"Hyperlink","https://a.example/","https://a.example/x"\n'}, "a.csv",
     links("https://a.example/ https://a.example/x"))
case("semrush", {"b.csv": b'Page ascore,Source title,Source url,Target url,Anchor,External links,Internal links,Nofollow,First seen\n'
     b'30,"A, the page",https://x.example/1,https://me.example/,me,12,40,false,2024-01-01\n31,B,https://y.example/2,https://me.example/p,me,12,40,true,2024-01-01\n'},
     "b.csv", links("https://x.example/1 https://me.example/, https://y.example/2 https://me.example/p"))
case("majestic", {"m.csv": b'Target URL,Source URL,Anchor Text,Source Crawl Date\nhttp://me.example/,http://x.example/1,me,2024-01-01\n'}, "m.csv",
     links("http://x.example/1 http://me.example/"))
case("neo4j-header", {"r.csv": b'pageId:START_ID(Page),weight:int,pageId:END_ID(Page),:TYPE\n1,5,2,LINKS\n2,6,3,LINKS\n'}, "r.csv", links("1 2, 2 3"))
case("padded-ids", {"z.txt": b"00501 10001\n10001 90210\n"}, "z.txt", links("00501 10001, 10001 90210"))
case("padded-ids-table", {"z.csv": b"source,target\n007,501\n501,007\n"}, "z.csv", links("007 501, 501 007"))
case("neo4j-plain", {"r.csv": b':START_ID;:END_ID;:TYPE\n1;2;L\n2;3;L\n'}, "r.csv", links("1 2, 2 3"))
case("arango", {"e.csv": b'_key,_from,_to\n100,pages/1,pages/2\n101,pages/2,pages/3\n'}, "e.csv", links("pages/1 pages/2, pages/2 pages/3"))
case("opencitations", {"c.csv": b'oci,citing,cited,creation,timespan,journal_sc,author_sc\n1-2,10.1/a,10.1/b,2020,P1Y,no,no\n2-3,10.1/b,10.1/c,2019,P1Y,no,no\n'}, "c.csv",
     links("10.1/a 10.1/b, 10.1/b 10.1/c"))
case("pandas-index", {"p.csv": b',source,target,weight\n0,a.example,b.example,1\n1,b.example,c.example,2\n'}, "p.csv", links("a.example b.example, b.example c.example"))
case("r-write-csv", {"p.csv": b'"","from","to"\n"1","a","b"\n"2","b","c"\n'}, "p.csv", links("a b, b c"))
case("r-write-table", {"p.txt": b'"from" "to"\n"1" "a" "b"\n"2" "b" "c"\n'}, "p.txt", links("a b, b c"), REFUSE)
case("unknown-three-columns", {"p.csv": b'alpha,beta,gamma\nx1,y1,z1\nx2,y2,z2\n'}, "p.csv", REFUSE)
case("unknown-two-columns-tab", {"p.tsv": b'citing_paper\tcited_paper\nW1\tW2\nW2\tW3\n'}, "p.tsv", links("W1 W2, W2 W3"), REFUSE)
case("unknown-header-over-urls", {"p.txt": b'Seite Verweis\nhttp://a.x/ http://b.x/\nhttp://b.x/ http://c.x/\n'}, "p.txt", links("http://a.x/ http://b.x/, http://b.x/ http://c.x/"), REFUSE)
case("unknown-header-over-numbers-tab", {"p.txt": b'alpha\tbeta\n1\t2\n2\t3\n'}, "p.txt", links("1 2, 2 3"), REFUSE)
case("unknown-header-over-numbers-blank", {"p.txt": b'alpha beta\n1 2\n2 3\n'}, "p.txt", links("1 2, 2 3"), REFUSE)
case("columns-by-number", {"p.csv": b'id,what,a,b\n7,L,http://a.x/,http://b.x/\n8,L,http://b.x/,http://c.x/\n'}, "p.csv --columns 3,4", links("http://a.x/ http://b.x/, http://b.x/ http://c.x/"))
case("columns-by-name", {"p.csv": b'id,what,a,b\n7,L,http://a.x/,http://b.x/\n8,L,http://b.x/,http://c.x/\n'}, "p.csv --columns a,b", links("http://a.x/ http://b.x/, http://b.x/ http://c.x/"))
case("columns-backwards", {"p.csv": b'a;b;n\n1;2;9\n2;3;9\n'}, "p.csv --columns b,a", links("2 1, 3 2"))
case("columns-no-such-name", {"p.csv": b'a,b\n1,2\n'}, "p.csv --columns a,zz", refuse("zz"))
case("excel-sep", {"p.csv": b'sep=;\r\nSource;Target\r\n1;2\r\n2;3\r\n'}, "p.csv", links("1 2, 2 3"))
case("decimal-comma", {"p.csv": b'Source;Target;Weight\n1;2;0,5\n2;3;1,25\n'}, "p.csv --weights", links("1 2, 2 3"))
case("cr-only", {"p.csv": b'source,target\r1,2\r2,3\r'}, "p.csv", links("1 2, 2 3"), REFUSE)
case("cr-only-edges", {"p.txt": b'1 2\r2 3\r3 1\r'}, "p.txt", links("1 2, 2 3, 3 1"), REFUSE)
case("utf16-be", {"p.csv": b'\xfe\xff' + "from,to\n1,2\n2,3\n".encode("utf-16-be")}, "p.csv", links("1 2, 2 3"), refuse("UTF-16"))
case("utf16-urls", {"p.txt": b'\xff\xfe' + "http://a.x/ http://b.x/\n".encode("utf-16-le")}, "p.txt", links("http://a.x/ http://b.x/"), refuse("UTF-16"))
case("bom-edges", {"p.txt": b'\xef\xbb\xbf1 2\n2 3\n'}, "p.txt", links("1 2, 2 3"))
case("pipe", {"p.txt": b'source|target\n1|2\n2|3\n'}, "p.txt", links("1 2, 2 3"), REFUSE)
case("psql", {"p.txt": b' source | target \n--------+--------\n      1 |      2\n      2 |      3\n(2 rows)\n'}, "p.txt", links("1 2, 2 3"), REFUSE)
case("markdown", {"p.md": b'| source | target |\n|---|---|\n| a | b |\n'}, "p.md", links("a b"), REFUSE)
case("newlines-in-quotes-first", {"p.csv": b'source,note,target\na,"one\ntwo\nthree",b\nb,"x",c\n'}, "p.csv", links("a b, b c"))
case("quotes-doubled", {"p.csv": b'source,target\n"a ""x""",b\nb,"c,d"\n'}, "p.csv", nlinks(2))
case("tab-blank-in-url", {"p.txt": b'http://a.x/one two\thttp://b.x/\nhttp://b.x/\thttp://c.x/three four\n'}, "p.txt", nlinks(2), lacks("two"))
case("semicolon-no-header", {"p.csv": b'a.example;b.example\nb.example;c.example\n'}, "p.csv", links("a.example b.example, b.example c.example"))
case("networkx-edgelist", {"p.txt": b"1 2 {}\n2 3 {}\n"}, "p.txt", links("1 2, 2 3"))
case("networkx-edgelist-data", {"p.txt": b"1 2 {'weight': 7, 'color': 'red'}\n2 3 {}\n"}, "p.txt", links("1 2, 2 3"), REFUSE)
case("snap-temporal", {"p.txt": b"1 2 1082040961\n3 4 1082155839\n5 2 1082414391\n"}, "p.txt", links("1 2, 3 4, 5 2"))
case("konect-asym", {"out.x": b"% asym unweighted\n1 2\n2 3\n"}, "out.x", links("1 2, 2 3"))
case("konect-weighted-time", {"out.x": b"% asym positive\n% 3 3 3\n1 2 1 1082040961\n2 3 1 1082040961\n3 1 1 1082040961\n"}, "out.x", links("1 2, 2 3, 3 1"))
case("konect-sym", {"out.x": b"% sym unweighted\n1 2\n2 3\n"}, "out.x", links("1 2, 2 1, 2 3, 3 2"), refuse("--undirected"))
case("konect-bip-3", {"out.x": b"% bip weighted\n1\t1\t5\n2\t1\t3\n"}, "out.x", pages(3), REFUSE)
case("snap-undirected-header", {"p.txt": b"# Undirected graph (each unordered pair of nodes is saved once): CA\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n1\t2\n2\t3\n"}, "p.txt",
     links("1 2, 2 1, 2 3, 3 2"), said("--undirected"))
case("snap-directed-header", {"p.txt": b"# Directed graph (each unordered pair of nodes is saved once): web\n# Nodes: 3 Edges: 2\n1\t2\n2\t3\n"}, "p.txt", links("1 2, 2 3"))
case("undirected-beside-directed", {"a.txt": b"# Undirected graph: x\n1\t2\n", "b.txt": b"# Directed graph: y\n3\t4\n"}, "a.txt b.txt", links("1 2, 2 1, 3 4"), REFUSE)
case("gephi-mixed-types", {"p.csv": b"Source,Target,Type,Id\n1,2,Directed,0\n2,3,Undirected,1\n"}, "p.csv", links("1 2, 2 3, 3 2"), said("--undirected"))
case("gephi-directed", {"p.csv": b"Source,Target,Type,Id\n1,2,Directed,0\n2,3,Directed,1\n"}, "p.csv", links("1 2, 2 3"))
case("mtx-symmetric", {"m.mtx": b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"}, "m.mtx", nlinks(4))
case("mtx-one-percent-general", {"m.mtx": b"%MatrixMarket matrix coordinate real general\n3 3 2\n2 1 0.5\n3 2 1.5\n"}, "m.mtx", nlinks(2))

# ---- No lists of pairs ----
case("adjacency-names", {"p.txt": b"a b c\nb c\nc a\n"}, "p.txt", links("a b, a c, b c, c a"), REFUSE)
case("adjacency-commas", {"p.txt": b"0\t1,2,3\n1\t2\n2\t0,1\n"}, "p.txt", REFUSE)
case("adjacency-colon", {"p.txt": b"0: 1 2\n1: 2\n2: 0\n"}, "p.txt", REFUSE)
case("adjacency-longer-later", {"p.txt": b"1 2\n2 3\n3 1 2\n"}, "p.txt", links("1 2, 2 3, 3 1, 3 2"), REFUSE)
case("adjacency-csv", {"p.csv": b"1,2,3\n2,3\n3,1\n"}, "p.csv", links("1 2, 1 3, 2 3, 3 1"), REFUSE)
case("adjacency-urls", {"p.txt": b"http://a.x/ http://b.x/ http://c.x/\nhttp://b.x/ http://c.x/\n"}, "p.txt", links("http://a.x/ http://b.x/, http://a.x/ http://c.x/, http://b.x/ http://c.x/"), REFUSE)
case("square-blank", {"p.txt": b"0 1 1\n1 0 0\n1 1 0\n"}, "p.txt", REFUSE)
case("square-comma", {"p.csv": b"0,1,1\n1,0,0\n1,1,0\n"}, "p.csv", REFUSE)
case("square-two", {"p.txt": b"0 1\n1 0\n"}, "p.txt", links("0 1, 1 0"))
case("tuples-names", {"p.txt": b"('a', 'b')\n('b', 'c')\n"}, "p.txt", links("a b, b c"), REFUSE)
case("lists", {"p.txt": b"[1, 2]\n[2, 3]\n"}, "p.txt", links("1 2, 2 3"), REFUSE)
case("python-list-of-tuples", {"p.txt": b"[(1, 2), (2, 3)]\n"}, "p.txt", links("1 2, 2 3"), REFUSE)
case("count-line-two", {"p.txt": b"4 3\n0 1\n1 2\n3 0\n"}, "p.txt", links("0 1, 1 2, 3 0"), links("4 3, 0 1, 1 2, 3 0"), REFUSE)
case("count-line-one", {"p.txt": b"3\n0 1\n1 2\n2 0\n"}, "p.txt", links("0 1, 1 2, 2 0"), REFUSE)
for name, line in (("two", b"7 9"), ("two-far", b"7  9"), ("three", b"7 9 3"), ("crlf", b"7 9\r")):  # blanks above tabs; few rows tell the count
    rows = b"".join(b"%d\t%d\n" % (i % 7, i % 5) for i in range(300))
    case("count-blanks-over-tabs-" + name, {"p.txt": line + b"\n" + rows}, "p.txt", refuse("p.txt:1: \"" + line.decode().strip() + "\": a count"))
    case("count-blanks-over-tabs-%s-way-out" % name, {"p.txt": line + b"\n" + rows}, "millrace help >/dev/null; tail -n +2 p.txt | millrace build --duplicates keep -o s.mill -", nlinks(300))
case("title-over-tabs", {"p.txt": b"7 9 x\n" + rows}, "p.txt --duplicates keep", nlinks(300), said("millrace: 300 lines: 300 links, 0 comments"))
case("arrow", {"p.txt": b"a -> b\nb -> c\n"}, "p.txt", links("a b, b c"), REFUSE)
case("dot", {"p.dot": b"digraph G {\n  a -> b;\n  b -> c;\n}\n"}, "p.dot", links("a b, b c"), REFUSE)
case("sif", {"p.sif": b"a pp b\nb pp c\n"}, "p.sif", links("a b, b c"), REFUSE)
case("ntriples", {"p.nt": b"<http://a.x/> <http://p.x/links> <http://b.x/> .\n"}, "p.nt", links("http://a.x/ http://b.x/"), REFUSE)
case("gml", {"p.gml": b"graph [\n  directed 1\n  node [ id 0 ]\n  edge [ source 0 target 1 ]\n]\n"}, "p.gml", REFUSE)
case("graphml", {"p.graphml": b'<?xml version="1.0"?>\n<graphml><graph edgedefault="directed"><edge source="a" target="b"/></graph></graphml>\n'}, "p.graphml", REFUSE)
case("pajek", {"p.net": b"*Vertices 2\n1 \"a\"\n2 \"b\"\n*Arcs\n1 2\n"}, "p.net", REFUSE)
case("d3-json", {"p.json": b'{"nodes":[{"id":"a"},{"id":"b"}],"links":[{"source":"a","target":"b"}]}\n'}, "p.json", links("a b"), REFUSE)
case("scores-as-graph", {"p.tsv": b"http://a.x/\t0.25\nhttp://b.x/\t0.75\n"}, "p.tsv", REFUSE)
case("negative-ids", {"p.txt": b"-1 2\n2 3\n"}, "p.txt", links("-1 2, 2 3"))
case("parquet", {"p.parquet": b"PAR1\x15\x04\x15\x10" + bytes(64) + b"PAR1"}, "p.parquet", REFUSE)
case("html", {"p.html": b"<!doctype html><html><body><a href=x>y</a></body></html>\n"}, "p.html", REFUSE)

# ---- The grammar of lines: the file has one separator, whatever it is called ----
for ending in ("csv", "txt", "tsv", ""):
    case("titles-" + ending, {"p." + ending: b"Ann Lee,Bob Ray\nBob Ray,Cid Fox\n"}, "p." + ending, links("Ann Lee|Bob Ray, Bob Ray|Cid Fox"))
case("short-row", {"p.csv": b"New A,B\nNew B,C\nParis, Texas,D\nNew C,D\n"}, "p.csv", refuse('p.csv:3: "Paris, Texas,D": more fields'))
case("short-row-skipped", {"p.csv": b"New A,B\nNew B,C\nParis, Texas,D\nC,New D\n"}, "p.csv --bad-lines skip", links("New A|B, New B|C, C|New D"))
case("row-too-short", {"p.csv": b"a,b\nb,c\nc\nd,e\n"}, "p.csv", refuse('p.csv:3: "c": no source or no target'))
case("tabs-short-row", {"p": b"a b\tc\nd\ne\tf g\nh\ti\n"}, "p", refuse('p:2: "d": no second field'))
case("tabs-quotes-inside", {"p.tsv": b'"Heroes" (album)\tDavid Bowie\nDavid Bowie\t"Heroes" song\nBob\t6" disk\n'}, "p.tsv",
     links('"Heroes" (album)|David Bowie, David Bowie|"Heroes" song, Bob|6" disk'))
case("tabs-quotes-around", {"p.tsv": b'"Ann B"\t"a ""q"" z"\n"a ""q"" z"\tCid\n'}, "p.tsv", links('Ann B|a "q" z, a "q" z|Cid'))
case("tabs-far-blank", {"p.tsv": b"".join(b"p%d\tp%d\n" % (i, i + 1) for i in range(9000)) + b"Paris Hilton\tp1\n"}, "p.tsv",
     nlinks(9001), pages(9002))
case("urls-with-commas", {"p.txt": b"http://a/1,2 http://b/3,4\nhttp://b/3,4 http://a/1,2\n"}, "p.txt", nlinks(2), pages(2))
case("decimal-comma", {"p.csv": b"a;b;0,5\nb;c;1,5\n"}, "p.csv", links("a b, b c"))
case("decimal-comma-of-thousands", {"p.tsv": b"42,301,1|2,3.5,10.0,51.0\n"}, "p.tsv", refuse("more than two columns"))
case("decimal-comma-two-in-a-field", {"p.csv": b"1,2,3;4,5,6\n7,8,9;1,2,3\n"}, "p.csv", refuse("more than two columns"))
case("decimal-comma-in-ids", {"p.csv": b"1,3;4,5\n2,3;1,7\n"}, "p.csv", refuse("--separator ',' or --separator ';'"))
case("decimal-comma-beside-a-point", {"p.csv": b"1;2;0,5.1\n2;3;1,5.2\n"}, "p.csv", refuse("--separator ',' or --separator ';'"))
case("decimal-comma-of-numbers", {"p.csv": b"1;2;0,5\n2;3;1,25\n"}, "p.csv", links("1 2, 2 3"))
case("loop-with-weight", {"p.tsv": b"58 58 1\n12 52 10\n"}, "p.tsv", links("58 58, 12 52"))
case("two-separators", {"p.csv": b"a;b,c\nd;e,f\n"}, "p.csv", refuse("--separator ',' or --separator ';'"))
case("two-separators-said", {"p.csv": b"a;b c\nd;e f\n"}, "p.csv --separator semicolon", links("a|b c, d|e f"))
case("four-words", {"p.txt": b"a b c d\nb c d e\n"}, "p.txt", refuse("--columns 1,2"))
case("triples", {"p.txt": b"/m/1\t/has/x\t/m/2\n/m/3\t/is/y\t/m/4\n"}, "p.txt", refuse("more than two columns"))
case("triples-said", {"p.txt": b"/m/1\t/has/x\t/m/2\n/m/3\t/is/y\t/m/4\n"}, "p.txt --columns 1,3", links("/m/1 /m/2, /m/3 /m/4"))
case("name-name-number", {"p.txt": b"a b 3\nb c 4.5\n"}, "p.txt", links("a b, b c"))
case("four-numbers", {"p.txt": b"1 2 3 9\n2 3 1 8\n"}, "p.txt", refuse("more than two columns"))
case("four-numbers-konect", {"out.x": b"% asym positive\n1 2 1 1082008561\n2 3 1 1082008562\n"}, "out.x", links("1 2, 2 3"))

# ---- Headers: directions, words of two columns, parts ----
for header, forth in (("user,follower", False), ("page,backlink", False), ("url,inlink", False), ("page,referrer", False),
                      ("paper,cited_by", False), ("package,dependency", True), ("package,depends_on", True),
                      ("module,imports", True), ("parent,child", True), ("page,link", True), ("citing,cited", True)):
    case("header-" + header, {"p.csv": header.encode() + b"\na,b\nb,c\n"}, "p.csv",
         links("a b, b c" if forth else "b a, c b"))
case("header-plain", {"p.csv": b"artist,song\na,b\nb,c\n"}, "p.csv", links("a b, b c"))
case("header-of-hosts", {"p.csv": b"alpha,beta\nlocalhost,a.org\n" + b"".join(b"h%d.org,a.org\n" % i for i in range(20))}, "p.csv", nlinks(21), lacks("alpha"))
case("header-again", {"p.csv": b"src,dst\na,b\nsrc,dst\nb,c\n"}, "p.csv", links("a b, b c"))
case("header-alone", {"p.csv": b"src,dst\n"}, "p.csv", refuse("no links in it"))
case("header-alone-beside", {"p.csv": b"src,dst\n", "q.csv": b"src,dst\na.org,b.org\n"}, "p.csv q.csv", links("a.org b.org"))
case("header-alone-beside-numbers", {"p.csv": b"src,dst\n", "q.csv": b"src,dst\n1,2\n"}, "q.csv p.csv", links("1 2"))

# ---- No value, numbers, several pages in a field ----
case("no-value", {"p.csv": b"a,b\nb,\nc,NULL\nd,None\n\\N,a\nb,c\nNaN,nan\nNA,x\n"}, "p.csv", links("a b, b c"), said("left out 6 lines"))
case("no-value-tabs", {"p": b"a\tb\nb\t\\N\nc\t\n\td\nb\tc\n"}, "p", links("a b, b c"), said("left out 3 lines"))
case("no-value-quoted", {"p.csv": b'a,"NULL"\nb,a\n'}, "p.csv", links("a NULL, b a"))
case("no-value-numbers", {"p.csv": b"1,2\n2,\n3,1\n"}, "p.csv", links("1 2, 3 1"))
case("whole-fractions", {"p.csv": b"source,target\n1,2.0\n2,3.0\n3.0,1\n"}, "p.csv", links("1 2, 2 3, 3 1"))
case("negative", {"p.csv": b"src,dst\n7,-5\n-5,9\n9,-8123456789012345678\n"}, "p.csv", links("7 -5, -5 9, 9 -8123456789012345678"))
case("list-cell", {"p.csv": b'page,links\na,"b,c"\nb,c\nd,\n'}, "p.csv", links("a b, a c, b c"))
case("list-cell-json", {"p.csv": b'url,links\nhttp://a/,"[""http://b/"", ""http://c/""]"\n'}, "p.csv", links("http://a/ http://b/, http://a/ http://c/"))
case("list-cell-back", {"p.tsv": b"page\tinlinks\na\tb;c\n"}, "p.tsv", links("b a, c a"))
case("list-cell-unsaid", {"p.tsv": b"http://a/\thttp://b/;http://c/\n"}, "p.tsv", refuse("several pages in one field"))
case("list-cell-late", {"p.csv": b"from,to\nhttp://a/,http://b/\nhttp://a/,\"http://b/,http://c/\"\n"}, "p.csv", refuse("p.csv:3"))

# ---- What generated tables found ----
case("page-beside-title", {"p.csv": b"title,url,referrer\nHome,http://b.example/,http://a.example/\n"}, "p.csv", links("http://a.example/ http://b.example/"))
case("list-json-comma", {"p.csv": b'url,links\nhttp://a/,"[""http://b/x,1""]"\n'}, "p.csv", nlinks(1), lacks("1"))
case("list-url-semicolon", {"p.csv": b"url,links\nhttp://a/,http://b/p;jsessionid=2\n"}, "p.csv", links("http://a/ http://b/p;jsessionid=2"))
case("list-url-comma", {"p.csv": b'url,links\nhttp://a/,"http://b/?q=a,b http://c/"\n'}, "p.csv", nlinks(2), lacks("b"))
case("header-again-floats", {"p.csv": b"src,dst\n1.0,2.0\nsrc,dst\n2.0,3.0\n"}, "p.csv", links("1 2, 2 3"))
case("comments-above-floats", {"p.csv": b"% a comment\n# another, with commas; and more\n22.0\t1.0\n1.0\t3.0\n"}, "p.csv", links("22 1, 1 3"))
case("unknown-header-again", {"p.tsv": b"foo;bar\r\n55;40\r\nfoo;bar\r\n"}, "p.tsv", links("55 40"))
case("counts-of-links", {"p.csv": b"Address,Status Code,Inlinks,Outlinks\nhttp://a.example/,200,12,30\n"}, "p.csv", refuse("numbers and names"))
case("counts-of-followers", {"p.csv": b"user,followers\nann,120\n"}, "p.csv", refuse("numbers and names"))
case("several-pages", {"p.csv": b"page;parentname;url\nx;http://a.example/;http://b.example/\n"}, "p.csv", refuse("--columns SOURCE,TARGET"))
case("linkchecker", {"p.csv": b"# created by LinkChecker at 2026-11-28 15:00:06+000\nurlname;parentname;base;result;valid;url;level\n"
     b"http://a.example/;;;200 OK;True;http://a.example/;0\n/x;http://a.example/;;404 Not Found;False;http://a.example/x;1\n# Stopped checking\n"},
     "p.csv", links("http://a.example/ http://a.example/x"))
case("httrack-new.txt", {"new.txt": b"date\tsize'/'remotesize\tflags(request:Update,Range state:File response:Modified,Chunked,gZipped)\tstatuscode\tstatus ('servermsg')\tMIME\tEtag|Date\tURL\tlocalfile\t(from URL)\n"
     b"15:00:07\t829/829\t---M-Z\t200\tadded ('OK')\ttext/html\tdate:x\thttp://a.example/\ta/index.html\t(from )\n"
     b"15:00:09\t602/602\t---MC-\t200\tadded ('OK')\ttext/html\tdate:x\thttp://a.example/x\ta/x\t(from http://a.example/)\n"},
     "new.txt", links("http://a.example/ http://a.example/x"))
case("opensearch-answer", {"h.json": b'{"took":1,"hits":{"total":{"value":2},"hits":[{"_id":"1","_source":{"url":"http://a.example/","outlinks":["http://b.example/"]}},\n  '
     b'{"_id":"2","_source":{"url":"http://b.example/","outlinks":["http://a.example/","http://c.example/"]}}]}}'}, "h.json",
     links("http://a.example/ http://b.example/, http://b.example/ http://a.example/, http://b.example/ http://c.example/"))
case("solr-answer", {"s.json": b'{"responseHeader":{"status":0},"response":{"numFound":2,"start":0,"docs":[\n      {"id":"x","url":["http://a.example/"],"links":["http://b.example/"]},{"url":"http://b.example/","links":[]}]}}'},
     "s.json", links("http://a.example/ http://b.example/"))
case("search-answer-of-others", {"h.json": b'{"hits":{"hits":[{"_source":{"title":"x"}}]}}'}, "h.json", refuse("title"))
case("search-answer-empty", {"h.json": b'{"hits":{"hits":[]}}'}, "h.json", refuse("no links"))
case("scrapy-csv", {"f.csv": b'url,links,status\nhttp://a.example/,"http://b.example/,http://c.example/x;y",200\nhttp://b.example/,,200\n'}, "f.csv",
     links("http://a.example/ http://b.example/, http://a.example/ http://c.example/x;y"))
case("crawlee-csv", {"f.csv": b'url,statusCode,links\nhttp://a.example/,200,"[""http://b.example/"",""http://c.example/x;y""]"\n'}, "f.csv",
     links("http://a.example/ http://b.example/, http://a.example/ http://c.example/x;y"))
case("ids-beside-names", {"p.csv": b"ID,Project Name,Dependency Name\n1,express,qs\n"}, "p.csv", refuse("--columns SOURCE,TARGET"))
case("pandas-index-of-numbers", {"p.csv": b",0,1\n0,5,7\n1,7,9\n"}, "p.csv", refuse("counts the rows"))
case("ruler", {"p.txt": b"src  dst\n---  ---\n1    2\n2    3\n"}, "p.txt", refuse("lines drawn"))
case("no-referer", {"p.csv": b"url,referer\nhttp://b.example/,http://a.example/\nhttp://a.example/,-\n"}, "p.csv", links("http://a.example/ http://b.example/"))
case("header-following", {"p.csv": b"user,following\nann,bob\n"}, "p.csv", links("ann bob"))
case("header-of-users", {"p.csv": b"user,retweeted_user\nann,bob\n"}, "p.csv", links("ann bob"))
case("header-or-link", {"p.txt": b"Page Film\nAnn Bob\n"}, "p.txt", refuse("the names of the columns, or a link"))
case("text-behind-urls", {"l.txt": b"http://a.example/\thttp://b.example/\tclick here\nhttp://b.example/\thttp://c.example/\tabout us\n"}, "l.txt", nlinks(2))
case("link-or-header", {"d.csv": b"zlib,glibc\nlibssl1.1,libc6\nlibc6,libgcc1\n"}, "d.csv", refuse("the names of the columns, or a link"))
case("no-header-twice-a-page", {"d.csv": b"Oslo,Oslo\nParis2,Rome3\n"}, "d.csv", nlinks(2))
case("types-of-others", {"c.tsv": b"prev\tcurr\ttype\tn\na\tb\tlink\t3\nother\tb\texternal\t9\n"}, "c.tsv --columns 1,2", links("a b, other b"))
case("types-of-others-where", {"c.tsv": b"prev\tcurr\ttype\tn\na\tb\tlink\t3\nother\tb\texternal\t9\n"}, "c.tsv --columns 1,2 --where type=link", links("a b"))
case("where-by-number", {"c.tsv": b"a\tb\tlink\nother\tb\texternal\n"}, "c.tsv --columns 1,2 --where 3=link", links("a b"))

# ---- What tables of crawlers say of a link; rows that are chosen ----
TYPES = (b"Type,Source,Destination,Follow,Rel\nHyperlink,http://a/,http://b/,true,\nHyperlink,http://a/,http://c/,false,nofollow\n"
         b"Image,http://a/,http://a/i.png,true,\nCSS,http://a/,http://a/s.css,true,\nHTTP Redirect,http://c/,http://d/,true,\n")
case("types", {"p.csv": TYPES}, "p.csv", links("http://a/ http://b/, http://a/ http://c/, http://c/ http://d/"), said("left out 2 links"))
case("types-nofollow", {"p.csv": TYPES}, "p.csv --drop-nofollow", links("http://a/ http://b/, http://c/ http://d/"))
case("types-images", {"p.csv": TYPES}, "p.csv --link-kinds img", links("http://a/ http://a/i.png"))
case("types-none", {"p.csv": b"source,target\na,b\n"}, "p.csv --link-kinds img", refuse("--link-kinds: a table without a column Type"))
case("nofollow-none", {"p.csv": b"source,target\na,b\n"}, "p.csv --drop-nofollow", refuse("--drop-nofollow: a table without a column Rel"))
case("where", {"p.csv": b"source,target,rel\na,b,x\nb,c,y\n"}, "p.csv --where rel=x", links("a b"))
LISTED = {"l.txt": b"http://a.x/\thttp://b.x/\nhttp://b.x/\thttp://c.x/&d\n"}
RANK = "millrace build -q -o s.mill l.txt && millrace pagerank -q s.mill "
for name, data, what, way in (("warc", b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n", "is a WARC file", None),
        ("scrapy", b"2024-01-02 03:04:05 [scrapy.core.engine] DEBUG: Crawled (200) <GET http://a.x/> (referer: None)\n"
         b"2024-01-02 03:04:06 [scrapy.core.engine] DEBUG: Crawled (404) <GET http://b.x/> (referer: http://a.x/)\n", "is a log of Scrapy", "http://c.x/&d"),
        ("sitemap", b'<?xml version="1.0"?>\n<urlset><url><loc>http://a.x/</loc></url><url><loc>http://c.x/&amp;d</loc></url></urlset>\n', "is XML or HTML", "http://b.x/"),
        ("page", b"<!DOCTYPE html>\n<html></html>\n", "is XML or HTML", None)):
    for option in ("--fetched f --next 9", "--seeds f"): case("list-%s-%s" % (name, option[2:7]), {**LISTED, "f": data}, RANK + option, refuse(what))
    if way: case("list-%s-way-out" % name, {**LISTED, "f": data}, RANK + "--fetched f --next 9 2>err; sed 's/.*a line; [^\"]*\\(sed -nE\\|grep\\)/\\1/; s/ prints .*//' err | sh >list; "
                 + "millrace pagerank -q s.mill --fetched list --urls-only --next 1", out(way + "\n"))
case("where-no-row", {"p.csv": b"source,target,rel\na,b,x\n"}, "p.csv --where rel=y", refuse("no links in it in rows with rel=y"))
case("crawl-log-beside-json", {"c.log": b"20071213110513593   200       3112 http://s.example/a L http://s.example/ text/html #001 20071213110512512+67 X5NU - 3t\n",
     "c.jl": b'{"url": "http://s.example/", "links": ["http://s.example/b"]}\n'}, "c.log c.jl 2>err; grep -c forest err >n; cat n", out("1\n"))
case("where-no-column", {"p.csv": b"source,target\na,b\n"}, "p.csv --where rel=x", refuse("no column for --where rel=x"))
case("text-beside-urls", {"p.csv": b"url,title\nhttp://a/,Home\nhttp://b/,About\n"}, "p.csv", refuse("list of pages"))
case("numbered-names", {"p.txt": b"1\torg.a\n3\torg.b\n", "q.txt": b"0\tcom.c\n2\tcom.d\n"}, "p.txt q.txt", refuse("numbered pages"))

# ---- Files that others publish or export: the file, its text, its links (None: it has none) ----
for name, file, text, graph_ in (
    ('kaggle pagerank web-Google csv', 'x.csv', 'FromNodeId,ToNodeId\n0,11342\n0,824020\n', '0 11342, 0 824020'),
    ('kaggle wikispeedia', 'links.tsv', '# articles\n\n%C3%81ed%C3%A1n\tBede\nBede\tWashington%2C_D.C.\n', '%C3%81ed%C3%A1n Bede, Bede Washington%2C_D.C.'),
    ('kaggle got edges', 'x.csv', ',Source,Target,Type,weight,book\n0,Addam-Marbrand,Jaime-Lannister,Undirected,3,1\n1,Addam-Marbrand,Tywin-Lannister,Undirected,6,1\n', 'Addam-Marbrand Jaime-Lannister, Jaime-Lannister Addam-Marbrand, Addam-Marbrand Tywin-Lannister, Tywin-Lannister Addam-Marbrand'),
    ('netzschleuder edges.csv', 'x.csv', '# source, target, weight\n0, 1, 3\n1, 2, 4\n', '0 1, 1 2'),
    ('netzschleuder nodes.csv', 'x.csv', '# index, name, _pos\n0, Alice, "array([1., 2.])"\n1, Bob, "array([3., 4.])"\n', None),
    ('ogb edge.csv', 'edge.csv', '0,411\n640,411\n', '0 411, 640 411'),
    ('ogb num-edge-list', 'num-edge-list.csv', '1157799\n', None),
    ('ogb triples', 'x.csv', 'source,edge_type,target\n1,cites,2\n2,cites,3\n', '1 2, 2 3'),
    ('konect tsv', 'out.x', '% asym positive\n% 3 2 2\n1 2 1 1082008561\n2 1 1 1082008562\n', '1 2, 2 1'),
    ('snap temporal', 'sx.txt', '9 8 1217567877\n1 1 1217573801\n', '9 8, 1 1'),
    ('snap soc-sign csv', 'soc-sign-bitcoinotc.csv', '7188,1,10,1407470400\n430,1,10,1376539200\n', '7188 1, 430 1'),
    ('snap twitter ego', 'a.edges', '214328887 34428380\n17116707 28465635\n', '214328887 34428380, 17116707 28465635'),
    ('snap com-amazon ungraph', 'c.txt', '# Undirected graph: ../a.txt\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n1\t2\n2\t3\n', '1 2, 2 1, 2 3, 3 2'),
    ('neo4j admin rels', 'x.csv', ':START_ID,role,:END_ID,:TYPE\nkeanu,"Neo",tt0133093,ACTED_IN\n', 'keanu tt0133093'),
    ('neo4j admin groups', 'x.csv', ':START_ID(Person),:END_ID(Movie),:TYPE\n1,7,LIKES\n', '1 7'),
    ('neo4j apoc csv', 'x.csv', '"_id","_labels","name","_start","_end","_type"\n"0",":P","x",,,\n"1",":P","y",,,\n,,,"0","1","KNOWS"\n', '0 1'),
    ('neptune', 'x.csv', '~id,~from,~to,~label,weight:Double\ne1,v1,v2,knows,0.5\n', 'v1 v2'),
    ('tigergraph', 'x.csv', 'from,to,since\nAnn Lee,Bob Ray,2020-01-02\n', 'Ann Lee|Bob Ray'),
    ('janusgraph/gremlin edges', 'x.csv', '"id","outV","inV","label"\n1,10,20,knows\n', '10 20'),
    ('arangodb csv', 'x.csv', '_key,_from,_to\n1,pages/a,pages/b\n', 'pages/a pages/b'),
    ('dgraph/graphframes src dst relationship', 'x.csv', 'src,dst,relationship\na,b,friend\nb,c,follow\n', 'a b, b c'),
    ('gephi edges id', 'x.csv', 'Id,Source,Target,Type,Label,Weight\n0,a,b,Directed,,1.0\n', 'a b'),
    ('gephi semicolon', 'x.csv', 'Source;Target;Type;Id;Label;timeset;Weight\n1;2;Directed;0;;;1.0\n', '1 2'),
    ('cytoscape sif edge table', 'x.csv', 'SUID,interaction,name,selected,shared interaction,shared name\n81,pp,a (pp) b,false,pp,a (pp) b\n', None),
    ('sif', 'n.sif', 'a pp b\nb pp c\n', 'a b, b c'),
    ('screaming frog all outlinks', 'x.csv', 'Type,From,To,Anchor Text,Alt Text,Follow,Target,Rel,Status Code,Status,Path Type,Link Path,Link Position,Link Origin\nHyperlink,http://a.example/,http://b.example/,Home,,true,,,200,OK,Absolute,//a,Nav,HTML\n', 'http://a.example/ http://b.example/'),
    ('ahrefs backlinks', 'x.csv', 'Referring page title,Referring page URL,Language,Platform,Domain rating,Target URL,Left context,Anchor,Nofollow\nHome,http://a.example/,en,WordPress,10,http://b.example/,see,the page,FALSE\n', 'http://a.example/ http://b.example/'),
    ('ahrefs refdomains', 'x.csv', 'Domain,Domain rating,Dofollow ref. domains,Links to target,First seen\na.example,10,3,5,2024-01-01\n', None),
    ('semrush', 'x.csv', 'Page ascore,Source title,Source url,Target url,Anchor,External links,Internal links,Nofollow\n10,Home,http://a.example/,http://b.example/,x,3,4,FALSE\n', 'http://a.example/ http://b.example/'),
    ('majestic', 'x.csv', 'Target URL,Source URL,Anchor Text,Source Crawl Date,Source First Found Date,FlagNoFollow,Source Citation Flow\nhttp://b.example/,http://a.example/,x,2024-01-01,2024-01-01,-,10\n', 'http://a.example/ http://b.example/'),
    ('moz', 'x.csv', 'URL,Title,Anchor Text,Spam Score,PA,DA,Link Equity,Target URL\nhttp://a.example/,Home,x,1,10,10,yes,http://b.example/\n', 'http://a.example/ http://b.example/'),
    ('sitebulb', 'x.csv', 'URL,Link URL,Anchor Text,Link Type\nhttp://a.example/,http://b.example/,home,Hyperlink\n', 'http://a.example/ http://b.example/'),
    ('gsc latest links', 'x.csv', 'Linking page,Last crawled\nhttp://a.example/,2024-01-01\nhttp://b.example/,2024-01-02\n', None),
    ('bing backlinks', 'x.csv', 'Source Url,Anchor Text,Target Url\nhttp://a.example/,x,http://b.example/\n', 'http://a.example/ http://b.example/'),
    ('npm deps csv', 'x.csv', 'package,version,dependency,range\nexpress,4.18.2,accepts,~1.3.8\nexpress,4.18.2,qs,6.11\n', 'express accepts, express qs'),
    ('pypi requires', 'x.csv', 'name,requires\nrequests,urllib3\nflask,click\n', 'requests urllib3, flask click'),
    ('openalex refs', 'x.csv', 'work_id,referenced_work_id\nhttps://openalex.org/W1,https://openalex.org/W2\n', 'https://openalex.org/W1 https://openalex.org/W2'),
    ('opencitations', 'x.csv', 'oci,citing,cited,creation,timespan,journal_sc,author_sc\n06101-06102,doi:10.1/a,doi:10.1/b,2020,P1Y,no,no\n', 'doi:10.1/a doi:10.1/b'),
    ('crossref pairs', 'x.tsv', 'doi\treference_doi\n10.1/a\t10.1/b\n10.1/b\t10.1/c\n', '10.1/a 10.1/b, 10.1/b 10.1/c'),
    ('patent citations', 'cite75_99.txt', '"CITING","CITED"\n3858241,956203\n3858241,1324234\n', '3858241 956203, 3858241 1324234'),
    ('clickstream no header', 'c.tsv', 'Peter_Kropotkin\tAnarchism\tlink\t55\nother-search\tAnarchism\texternal\t9\n', None),
    ('clickstream header', 'c.tsv', 'prev\tcurr\ttype\tn\nPeter_Kropotkin\tAnarchism\tlink\t55\nBakunin\tAnarchism\tlink\t9\n', 'Peter_Kropotkin Anarchism, Bakunin Anarchism'),
    ('wikilinkgraphs', 'e.csv', 'page_id_from\tpage_title_from\tpage_id_to\tpage_title_to\n12\tAnarchism\t25\tAutism Spectrum\n', '12 25'),
    ('wiki pagelinks tsv', 'p.tsv', 'pl_from\tpl_namespace\tpl_title\n12\t0\tAutism\n', None),
    ('hive ctrl-A', '000000_0', 'a.example\x01b.example\nb.example\x01c.example\n', None),
    ('mysql -B', 'o.tsv', 'src\tdst\nA b\tNULL\nA b\tC d\n', 'A b|C d'),
    ('mysql -t', 'o.txt', '+-----+-----+\n| src | dst |\n+-----+-----+\n|   1 |   2 |\n+-----+-----+\n', None),
    ('psql default', 'o.txt', ' src | dst \n-----+-----\n   1 |   2\n   2 |   3\n(2 rows)\n', '1 2, 2 3'),
    ('psql -A', 'o.txt', 'src|dst\n1|2\n2|3\n(2 rows)\n', '1 2, 2 3'),
    ('psql -At', 'o.txt', 'a.example|b.example\nb.example|c.example\n', 'a.example b.example, b.example c.example'),
    ('sqlite box', 'o.txt', '┌─────┬─────┐\n│ src │ dst │\n├─────┼─────┤\n│ 1   │ 2   │\n└─────┴─────┘\n', None),
    ('spark csv escape', 'part-00000-x.csv', 'src,dst\n"a \\"q\\" b",c\n', None),
    ('R write.table', 'r.txt', '"from" "to"\n"1" "a b" "c"\n"2" "c" "d"\n', 'a b|c, c|d'),
    ('R write.csv', 'x.csv', '"","from","to"\n"1","a","b"\n"2","b","c"\n', 'a b, b c'),
    ('R numbers', 'r.txt', '"V1" "V2"\n"1" 1 2\n"2" 2 3\n', '1 2, 2 3'),
    ('excel sep', 'x.csv', 'sep=;\r\nSource;Target\r\nA b;C d\r\n', 'A b|C d'),
    ('excel trailing empties', 'x.csv', 'Source,Target,,\r\nA,B,,\r\n,,,\r\n', 'A B'),
    ('pandas index', 'x.csv', ',source,target\n0,a,b\n1,b,c\n', 'a b, b c'),
    ('pandas no header names', 'x.csv', '0,1\na,b\nb,c\n', 'a b, b c'),
    ('pandas Unnamed', 'x.csv', 'Unnamed: 0,source,target\n0,a,b\n', 'a b'),
    ('pandas print', 'p.txt', '  source target\n0      a      b\n1      b      c\n', None),
    ('networkx data dicts', 'e.edgelist', "a b {'weight': 1}\nb c {}\n", 'a b, b c'),
    ('networkx empty dicts', 'e.edgelist', '1 2 {}\n2 3 {}\n', '1 2, 2 3'),
    ('igraph ncol', 'g.ncol', 'a b 1.5\nb c 2\n', 'a b, b c'),
    ('airports routes', 'routes.dat', '2B,410,AER,2965,KZN,2990,,0,CR2\n2B,410,ASF,2966,KZN,2990,,0,CR2\n', None),
    ('email enron from to', 'x.csv', 'date,from,to\n2001-05-14,phillip@enron.com,tim@enron.com\n', 'phillip@enron.com tim@enron.com'),
    ('stackoverflow link types', 'x.csv', 'Id,CreationDate,PostId,RelatedPostId,LinkTypeId\n19,2010-04-26,109,32412,1\n', '109 32412'),
    ('linux deps apt rdepends', 'x.txt', 'libc6\n  Depends: libgcc-s1\n', None),
    ('go mod graph', 'g.txt', 'a.org/x b.org/y@v1.0.0\nb.org/y@v1.0.0 c.org/z@v0.1\n', 'a.org/x b.org/y@v1.0.0, b.org/y@v1.0.0 c.org/z@v0.1'),
    ('jdeps', 'j.txt', 'a.jar -> java.base\na.jar -> b.jar\n', None),
    ('scrapy items csv', 'x.csv', 'from_url,to_url,text\nhttp://a.example/,http://b.example/,"a\nb"\n', 'http://a.example/ http://b.example/'),
    ('muckrack/hyphe', 'x.csv', 'Source;Target;weight\n12;14;3\n', '12 14'),
    ('url status', 'x.csv', 'url,status\nhttp://a.example/,200\nhttp://b.example/,404\n', None),
    ('edges with node file header', 'x.csv', 'id,label\n1,Ann\n2,Bob\n', None),
    ('tab weights named', 'w.txt', 'Ann Lee\tBob Ray\t3\nBob Ray\tCid\t4\n', 'Ann Lee|Bob Ray, Bob Ray|Cid'),
    ('two urls and anchor', 'l.txt', 'http://a.example/\thttp://b.example/\tclick here\nhttp://b.example/\thttp://c.example/\tx\n', 'http://a.example/ http://b.example/, http://b.example/ http://c.example/'),
    ('target source words', 'x.csv', 'to,from\nb,a\n', 'a b'),
    ('in/out', 'x.csv', 'outlink,page\nhttp://b.example/,http://a.example/\n', 'http://a.example/ http://b.example/'),
    ('external_links cols', 'x.csv', 'page,external_link\nhttp://a.example/,http://b.example/\n', 'http://a.example/ http://b.example/'),
    ('redirects', 'x.csv', 'url,redirect_url\nhttp://a.example/,http://b.example/\n', 'http://a.example/ http://b.example/'),
    ('user friends', 'x.csv', 'user_id,friend_id\n1,2\n2,1\n', '1 2, 2 1'),
    ('mention', 'x.csv', 'tweet_id,user,mentioned_user\n100,ann,bob\n', 'ann bob'),
    ('followers plural', 'x.csv', 'user,followers\nann,"bob,cid"\n', 'bob ann, cid ann'),
    ('required_by', 'x.csv', 'package,required_by\nsix,urllib3\n', 'urllib3 six'),
    ('subreddit tsv', 's.tsv', 'SOURCE_SUBREDDIT\tTARGET_SUBREDDIT\tPOST_ID\tTIMESTAMP\tLINK_SENTIMENT\tPROPERTIES\nleague\tteam\t1u4\t2013-12-31 16:39:58\t1\t345.0,298.0\n', 'league team'),
    ('node1,node2,timestamp', 'x.csv', 'node1,node2,timestamp\n5,6,100\n', '5 6'),
    ('swapped weight', 'x.csv', 'weight,src,dst\n3,a,b\n', 'a b'),
    ('yes/no', 'x.csv', 'src,dst,nofollow\nhttp://a.example/,http://b.example/,1\n', 'http://a.example/ http://b.example/'),
):
    case(name, {file: text.encode()}, file, *([links(graph_)] if graph_ else []), REFUSE)

# ---- Weights ----
case("weight-zero", {"p.wel": b"1 2 0\n2 3 1\n3 1 2\n"}, "p.wel --weights", links("2 3, 3 1"), refuse("zero"))
case("weight-negative", {"p.wel": b"1 2 -1\n2 3 1\n3 1 2\n"}, "p.wel --weights", REFUSE)
case("weight-nan", {"p.wel": b"1 2 nan\n2 3 1\n3 1 2\n"}, "p.wel --weights", REFUSE)
case("weight-zero-csv", {"p.csv": b"source,target,weight\na,b,0\nb,c,1\nc,b,0.5\n"}, "p.csv --weights", links("b c, c b"), refuse("zero"))
case("weight-zero-mtx", {"p.mtx": b"%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 0\n2 3 1\n3 1 2\n"}, "p.mtx --weights", nlinks(2), refuse("zero"))
case("weight-negative-skip", {"p.wel": b"1 2 -1\n2 3 1\n3 1 2\n"}, "p.wel --weights --bad-lines skip", links("2 3, 3 1"))

# ---- Mixes ----
EDGES, URLS = b"1 2\n2 3\n", b"http://a.x/ http://b.x/\n"
CRAWL_LOG = (b"2011-06-23T17:12:08.802Z   200       1299 http://s.example/ - - text/html #014 20110623171208574+225 sha1:Y - -\n"
             b"2011-06-23T17:12:09.802Z   200       1299 http://s.example/a L http://s.example/ text/html #014 20110623171208574+225 sha1:Y - -\n")
def warc(*records, end=b"\r\n"):
    data = b""
    for kind, uri, mime, body in records:
        head = [b"WARC/1.0", b"WARC-Type: " + kind]
        if uri: head.append(b"WARC-Target-URI: " + uri)
        head += [b"WARC-Date: 2024-01-02T03:04:05Z", b"WARC-Record-ID: <urn:uuid:12345678-1234-1234-1234-%012d>" % len(data), b"Content-Type: " + mime, b"Content-Length: %d" % len(body)]
        data += end.join(head) + end + end + body + b"\r\n\r\n"
    return data
def page(uri, html, headers=b"Content-Type: text/html"):
    return (b"response", uri, b"application/http; msgtype=response", b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n\r\n" + html)
S = b"http://site.example/"
PAGE = page(S, b'<a href="x.html">x</a>')
case("mix-urls-warc", {"a.txt": URLS, "b.warc": warc(PAGE)}, "a.txt b.warc", links("http://a.x/ http://b.x/, http://site.example/ http://site.example/x.html"), REFUSE)
case("mix-warc-urls", {"a.txt": URLS, "b.warc": warc(PAGE)}, "b.warc a.txt", links("http://a.x/ http://b.x/, http://site.example/ http://site.example/x.html"), REFUSE)
case("mix-log-urls", {"a.txt": URLS, "b.log": CRAWL_LOG}, "b.log a.txt", links("http://a.x/ http://b.x/, http://s.example/ http://s.example/a"), REFUSE)
case("mix-edges-urls", {"a.txt": EDGES, "b.txt": URLS}, "a.txt b.txt", REFUSE)
case("mix-urls-edges", {"a.txt": EDGES, "b.txt": URLS}, "b.txt a.txt", REFUSE)
case("mix-edges-u32", {"a.txt": EDGES, "b.u32": struct.pack("<4I", 5, 6, 6, 7)}, "a.txt b.u32", links("1 2, 2 3, 5 6, 6 7"), REFUSE)
case("mix-u32-u64", {"a.u32": struct.pack("<4I", 5, 6, 6, 7), "b.u64": struct.pack("<2Q", 8, 9)}, "a.u32 b.u64", links("5 6, 6 7, 8 9"), REFUSE)
case("mix-u64-u32", {"a.u32": struct.pack("<4I", 5, 6, 6, 7), "b.u64": struct.pack("<2Q", 8, 9)}, "b.u64 a.u32", links("5 6, 6 7, 8 9"), REFUSE)
case("mix-mtx-edges", {"a.txt": b"0 1\n", "b.mtx": b"%%MatrixMarket matrix coordinate pattern general\n4 4 1\n1 3\n"}, "b.mtx a.txt", links("0 1, 0 2"), REFUSE)
case("mix-csv-urls", {"a.csv": b"source,target\nhttp://c.x/,http://d.x/\n", "b.txt": URLS}, "a.csv b.txt", links("http://a.x/ http://b.x/, http://c.x/ http://d.x/"), REFUSE)
case("mix-csv-orders", {"a.csv": b"source,target\n1,2\n", "b.csv": b"target,source\n4,3\n"}, "a.csv b.csv", links("1 2, 3 4"), REFUSE)
case("mix-jsonl-urls", {"a.jl": b'{"url":"http://c.x/","links":["http://d.x/"]}\n', "b.txt": URLS}, "a.jl b.txt", links("http://a.x/ http://b.x/, http://c.x/ http://d.x/"), REFUSE)
case("mix-wel-edges", {"a.wel": b"1 2 5\n2 3 7\n", "b.txt": b"3 4\n"}, "a.wel b.txt", links("1 2, 2 3, 3 4"), REFUSE)
case("mix-sg-edges", {"m.graph": b"3 2\n2\n1 3\n2\n", "b.txt": b"0 1\n"}, "b.txt m.graph", nlinks(4), nlinks(5), REFUSE)
case("mix-append", {"a.txt": URLS, "b.log": CRAWL_LOG}, "millrace build -o s.mill a.txt && millrace append s.mill b.log", links("http://a.x/ http://b.x/, http://s.example/ http://s.example/a"), REFUSE)
case("mix-numbers-names-append", {"a.txt": EDGES, "b.txt": URLS}, "millrace build -o s.mill a.txt && millrace append s.mill b.txt", REFUSE)
case("format-forced-other", {"a.txt": URLS, "b.log": CRAWL_LOG}, "--format urls a.txt b.log", REFUSE)
case("mix-heritrix-nutch", {"a.txt": b"http://a.x/ 0.5 O:http://b.x/,http://c.x/\n", "b.txt": b"http://s.example/a\tInlinks:\n fromUrl: http://s.example/ anchor: A\n\n"}, "a.txt b.txt",
     links("http://a.x/ http://b.x/, http://a.x/ http://c.x/, http://s.example/ http://s.example/a"), REFUSE)

# ---- Archives ----
JSON = (b"response", S + b"api", b"application/http; msgtype=response", b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"Envelope": {"a": 1}}')
ONE = links("http://site.example/ http://site.example/x.html")
case("warc-json-response-first", {"a.warc": warc(JSON, PAGE)}, "a.warc", nlinks(1))
case("warc-accept-json", {"a.warc": warc((b"request", S, b"application/http; msgtype=request", b"GET / HTTP/1.1\r\nAccept: application/json\r\n\r\n"), PAGE)}, "a.warc", ONE)
case("warc-pageinfo", {"a.warc": warc((b"resource", b"urn:pageinfo:" + S, b"application/json", b'{"pageid":"x","urls":{"http://q.x/":{}}}'), PAGE)}, "a.warc", ONE)
case("warc-oembed", {"a.warc": warc(page(S, b'<link rel="alternate" type="application/json+oembed" href="http://site.example/wp-json/oembed"><a href="x.html">x</a>'))}, "a.warc", ONE)
case("warc-gz-json", {"a.warc.gz": b"".join(gzip.compress(warc(r)) for r in (JSON, PAGE))}, "a.warc.gz", nlinks(1))
case("warc-browsertrix-text", {"a.warc": warc((b"resource", b"urn:text:" + S, b"text/plain", b"hello"), (b"resource", b"urn:thumbnail:" + S, b"image/jpeg", b"xx"), PAGE)}, "a.warc", ONE)
case("warc-dns", {"a.warc": warc((b"response", b"dns:site.example", b"text/dns", b"20240102030405\nsite.example. 300 IN A 1.2.3.4\n"), PAGE)}, "a.warc", ONE)
case("warc-metadata-uri", {"a.warc": warc((b"resource", b"metadata://gnu.org/software/wget/warc/MANIFEST.txt", b"text/plain", b"<urn:uuid:1>\n"), PAGE)}, "a.warc", ONE)
case("warc-lf", {"a.warc": warc(PAGE, end=b"\n")}, "a.warc", ONE, refuse("line end"))
case("warc-wget-brackets", {"a.warc": warc(page(b"<" + S + b">", b'<a href="x.html">x</a>'))}, "a.warc", ONE)
case("warc-javascript-links", {"a.warc": warc(page(S, b'<a href="javascript:void(0)">j</a><a href="mailto:a@b.x">m</a><a href="tel:1">t</a><a href="data:text/html,x">d</a><a href="x.html">x</a>'))}, "a.warc", ONE)
case("warc-srcset", {"a.warc": warc(page(S, b'<img srcset="a 1x, b 2x" src="c"><video poster="p"></video><a href="x.html">x</a>'))}, "a.warc", ONE)
case("warc-option-value", {"a.warc": warc(page(S, b'<select><option value="/guess">g</option></select><a href="x.html">x</a>'),
     (b"metadata", S, b"application/warc-fields", b"outlink: http://site.example/guess L option/@value\r\noutlink: http://site.example/x.html L a/@href\r\n"))}, "a.warc", ONE)
case("warc-metadata-only", {"a.warc": warc(
     (b"metadata", S, b"application/warc-fields", b"outlink: http://site.example/guess L option/@value\r\noutlink: http://site.example/x.html L a/@href\r\noutlink: http://site.example/p.php E img/@src\r\n"))}, "a.warc", ONE)
case("warc-uri-blank", {"a.warc": warc(page(S + b"a b", b'<a href="x.html">x</a>'))}, "a.warc", links("http://site.example/a%20b http://site.example/x.html"), said("bad"), REFUSE)
gz = gzip.compress(b'<a href="x.html">x</a>') + gzip.compress(b'<a href="y.html">y</a>')
case("warc-gzip-two-members", {"a.warc": warc(page(S, gz, b"Content-Type: text/html\r\nContent-Encoding: gzip"))}, "a.warc", nlinks(2))
case("warc-gzip-twice", {"a.warc": warc(page(S, gzip.compress(gzip.compress(b'<a href="x.html">x</a>')), b"Content-Type: text/html\r\nContent-Encoding: gzip, gzip"))}, "a.warc", ONE)
case("warc-long-link", {"a.warc": warc(page(S, b'<a href="/' + b"q" * 70000 + b'">q</a><a href="x.html">x</a>'))}, "a.warc", ("nlinks", 2), said("long"), said("bad"))
case("warc-cut-gz", {"a.warc.gz": gzip.compress(warc(PAGE)) + gzip.compress(warc(page(b"http://b.example/", b'<a href="y.html">y</a>' * 40)))[:-30]}, "a.warc.gz --bad-lines skip", ONE, nlinks(2))
case("warc-cut-gz-says-so", {"a.warc.gz": gzip.compress(warc(PAGE)) + gzip.compress(warc(page(b"http://b.example/", b'<a href="y.html">y</a>' * 40)))[:-30]}, "a.warc.gz", refuse("--bad-lines skip"))
bad = bytearray(gzip.compress(warc(page(b"http://b.example/", bytes(range(256)) * 20)))); bad[60:70] = b"\xff" * 10
case("warc-damaged-member", {"a.warc.gz": gzip.compress(warc(PAGE)) + bytes(bad) + gzip.compress(warc(page(b"http://c.example/", b'<a href="z.html">z</a>')))}, "a.warc.gz --bad-lines skip", nlinks(2))
case("warc-damaged-length", {"a.warc": warc(PAGE).replace(b"Content-Length: ", b"Content-Length: x") + warc(page(b"http://c.example/", b'<a href="z.html">z</a>'))}, "a.warc --bad-lines skip",
     links("http://c.example/ http://c.example/z.html"))
WAT = (b'{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response","WARC-Target-URI":"http://site.example/"},"Payload-Metadata":{"HTTP-Response-Metadata":{"Response-Message":{"Status":"200"},'
       b'"HTML-Metadata":{"Links":[{"path":"A@/href","url":"x.html"},{"path":"FORM@/action","url":"/post","method":"post"},{"path":"IMG@/src","url":"i"}]}}}}}')
case("wat-post", {"a.warc.wat": warc((b"metadata", S, b"application/json", WAT))}, "a.warc.wat", ONE)
case("mix-warc-wat", {"a.warc": warc(page(b"http://b.example/", b'<a href="y.html">y</a>')), "b.warc.wat": warc((b"metadata", S, b"application/json", WAT))}, "a.warc b.warc.wat", nlinks(2))
case("wet", {"a.warc.wet": warc((b"warcinfo", None, b"application/warc-fields", b"x: y\r\n"), (b"conversion", S, b"text/plain", b"words only"))}, "a.warc.wet", REFUSE)
case("next-no-dns", {"a.warc": warc(PAGE, (b"response", b"dns:site.example", b"text/dns", b"x"))}, "millrace pagerank a.warc --fetched links --next 9", out("http://site.example/x.html"), ("outlacks", "dns:"))

# ---- URLs ----
def urls(name, html, target, base=S):
    case("url-" + name, {"a.warc": warc(page(base, html))}, "a.warc", ("links", [(base.decode(), target)]))
urls("backslash", b'<a href="\\a\\b">x</a>', "http://site.example/a/b")
urls("dots", b'<a href="/a/%2e%2e/b">x</a>', "http://site.example/b")
urls("same-scheme", b'<a href="http:y">x</a>', "http://site.example/y")
urls("port", b'<a href="http://o.example:80/y">x</a>', "http://o.example/y")
urls("https-port", b'<a href="https://o.example:443/y">x</a>', "https://o.example/y")
urls("upper-host", b'<a href="HTTP://O.Example/Y">x</a>', "http://o.example/Y")
urls("idn", '<a href="http://bücher.example/y">x</a>'.encode(), "http://xn--bcher-kva.example/y")
urls("newline", b'<a href=" /a\n/b ">x</a>', "http://site.example/a/b")
urls("ipv4", b'<a href="http://0x7f.1/">x</a>', "http://127.0.0.1/")
urls("fragment", b'<a href="y#z">x</a>', "http://site.example/y")
urls("scheme-relative", b'<a href="//o.example">x</a>', "http://o.example/")
case("url-idn-one-page", {"a.warc": warc(page(b"http://xn--bcher-kva.example/", '<a href="http://bücher.example/y">x</a>'.encode()), page("http://bücher.example/y".encode(), b'<a href="/">h</a>'))}, "a.warc", pages(2), nlinks(2))
case("url-port-one-page", {"a.warc": warc(page(b"http://site.example:80/", b'<a href="http://site.example/y">x</a>'), page(b"http://site.example/y", b'<a href="/">h</a>'))}, "a.warc", pages(2), nlinks(2))
for p in ("heritrix", "wayback", "surt"):
    case("url-profile-" + p, {"a.txt": "http://b\u00fccher.example:80/x http://q.example/\nhttp://xn--bcher-kva.example/x http://r.example/\n".encode()}, "a.txt --profile " + p, pages(3), nlinks(2))

# ---- Lists ----
L = {"l.txt": b"http://s.example/ http://s.example/a\nhttp://s.example/ http://s.example/b\n"}
NEXT = "millrace pagerank l.txt --next 9 --fetched "
def fetched(name, data, *wants, suffix="txt", more=""):
    case("fetched-" + name, dict(L, **{"f." + suffix: data}), NEXT + "f." + suffix + more, *wants)
B, A = out("http://s.example/b"), ("outlacks", "http://s.example/a\t")
fetched("plain", b"http://s.example/\nhttp://s.example/a\n", B, A)
fetched("nutch-json", b'{"url":"http://s.example/a","statusCode":2,"statusName":"db_fetched"}\n{"url":"http://s.example/b","statusCode":1,"statusName":"db_unfetched"}\n', B, A, suffix="json")
fetched("browsertrix", b'{"format":"json-pages-1.0","id":"pages","title":"All Pages"}\n{"id":"1","url":"http://s.example/a","ts":"2024-01-02T03:04:05Z","title":"t","loadState":4,"status":200}\n', B, A, suffix="jsonl")
fetched("elastic", b'{"_index":"status","_id":"x","_source":{"url":"http://s.example/a","status":"FETCHED","nextFetchDate":"2024-01-02T03:04:05.000Z"}}\n{"_index":"status","_id":"y","_source":{"url":"http://s.example/b","status":"DISCOVERED"}}\n', B, A, suffix="json")
fetched("itemloader", b'{"url":["http://s.example/a"],"title":["x"]}\n', B, A, suffix="jl")
fetched("json-array", b'[\n{"url":"http://s.example/a","title":"x"},\n{"url":"http://s.example/","title":"y"}\n]\n', B, A, suffix="json")
fetched("cdx11", b" CDX N b a m s k r M S V g\nexample,s)/a 20240102030405 http://s.example/a text/html 200 AAAA - - 1043 333 x.warc.gz\n", B, A, suffix="cdx")
fetched("cdx9", b" CDX N b a m s k r V g\nexample,s)/a 20240102030405 http://s.example/a text/html 200 AAAA - 333 x.warc.gz\n", B, A, suffix="cdx")
fetched("cdx-no-header", b"example,s)/a 20240102030405 http://s.example/a text/html 200 AAAA - - 1043 333 x.warc.gz\n", B, A, suffix="cdx")
fetched("cdxj-header", b'!OpenWayback-CDXJ 1.0\nexample,s)/a 20240102030405 {"url":"http://s.example/a","status":"200"}\n', B, A, suffix="cdxj")
fetched("csv-stormcrawler", b'url,status,nextfetchdate\nhttp://s.example/a,FETCHED,x\nhttp://s.example/b,DISCOVERED,y\n', B, A, suffix="csv")
fetched("csv-upper", b'"URL";"Status Code"\n"http://s.example/a";"200"\n', B, A, suffix="csv")
fetched("screaming-frog", b'"Address","Content Type","Status Code"\n"http://s.example/a","text/html","200"\n', B, A, suffix="csv")
fetched("crawl-log-17", b"20071213110512593   200       3112 http://s.example/a L http://s.example/ text/html #001 20071213110512512+67 X5NU - 3t\n", B, A, suffix="log")
fetched("two-files", b"http://s.example/a\n", B, A, more=" --fetched l2.txt")
CASES[-1][1]["l2.txt"] = b"http://s.example/\n"
fetched("all-unknown", b"http://other.example/q\n", refuse("other.example"))
S1, S2 = b"http://a.x/,0.25\nhttp://b.x/,0.75\n", b"http://a.x/\t0.25\nhttp://b.x/\t0.75\n"
for name, data in (("node-pagerank", b"node,pagerank\n" + S1), ("pandas", b",node,pagerank\n0,http://a.x/,0.25\n1,http://b.x/,0.75\n"), ("gephi", b"Id;Label;PageRank\nhttp://a.x/;A;0,25\nhttp://b.x/;B;0,75\n"),
                   ("quoted", b'"page","rank"\n"http://a.x/","0.25"\n"http://b.x/","0.75"\n'), ("blanks", b"http://a.x/ 0.25\nhttp://b.x/ 0.75\n")):
    case("scores-" + name, {"a.csv" if b"," in data or b";" in data else "a.txt": data, "b.tsv": S2}, "millrace compare %s b.tsv" % ("a.csv" if b"," in data or b";" in data else "a.txt"), ("exit0",))
case("cc-duplicate-skip", {"v.txt": b"0\tcom.example\t12\n1\tno.hordaland\t1\n2\tno.hordaland\t1\n3\torg.example\t3\n", "e.txt": b"0\t1\n1\t2\n3\t2\n"}, "v.txt e.txt --bad-lines skip", pages(3))
case("cdxj-graph", {"a.cdxj": b'!OpenWayback-CDXJ 1.0\ncom,example)/old 20240102030406 {"url": "http://example.com/old", "mime": "text/html", "status": "301", "redirect": "http://example.com/new"}\n'}, "a.cdxj", nlinks(1))
case("jsonl-itemloader", {"a.jl": b'{"url":["http://a.x/"],"links":["http://b.x/","/c"]}\n'}, "a.jl", nlinks(2))
case("jsonl-advertools", {"a.jl": b'{"url":"http://a.x/","links_url":"http://a.x/b@@http://a.x/c","links_nofollow":"False@@False"}\n'}, "a.jl", nlinks(2), refuse("links_url"))
case("jsonl-unknown-keys", {"a.jl": b'{"address":"http://a.x/","hyperlinks":["http://b.x/"]}\n'}, "a.jl", nlinks(1), refuse("hyperlinks"))

# ---- Names of numbered graphs ----
RING = b"0 1\n1 2\n2 0\n"
for name, names, wanted in (
        ("titles", b"Paris Hilton\nParis\nParis, Texas\n", "Paris Hilton|Paris, Paris|Paris~ Texas, Paris~ Texas|Paris Hilton"),
        ("titles-numbers", b"1984\n2001 A Space Odyssey\nApollo 11\n", "1984|2001 A Space Odyssey, 2001 A Space Odyssey|Apollo 11, Apollo 11|1984"),
        ("id-tab", b"2\tC c\n0\tA a\n1\tB b\n", "A a|B b, B b|C c, C c|A a"),
        ("id-comma", b"2,c.org\n0,a.org\n1,b.org\n", "a.org|b.org, b.org|c.org, c.org|a.org"),
        ("id-header", b'id,name\n0,"A, a"\n1,B\n2,C\n', "A~ a|B, B|C, C|A~ a"),
        ("snap", b"0 Chiasmal syndrome\n1 Kleroterion\n2 Zariski's main theorem\n",
         "Chiasmal syndrome|Kleroterion, Kleroterion|Zariski's main theorem, Zariski's main theorem|Chiasmal syndrome"),
        ("id-second", b"A\t1\nB b\t2\nC\t0\n", "C|A, A|B b, B b|C")):
    case("names-" + name, {"e.txt": RING, "n.txt": names}, "e.txt --names n.txt",
         ("links", sorted(tuple(x.strip().replace("~", ",") for x in one.split("|")) for one in wanted.split(","))))
case("names-binary", {"e.txt": RING, "n.txt": b"a\0b\nb\nc\n"}, "e.txt --names n.txt", refuse("no text"))
case("names-mixed", {"e.txt": RING, "n.txt": b"0,a\n1,b\nc\n"}, "e.txt --names n.txt", refuse("not in all"))
case("names-tabs-no-ids", {"e.txt": RING, "n.txt": b"a\tb\nb\tc\nc\td\n"}, "e.txt --names n.txt", refuse("cut -f 1"))

OWN = ["1,2-Dichloroethane", " blanks ", "# no comment", "Paris, Texas", '"Heroes"', "17 | x", "NULL", "a\\x20b", "2001 A"]
OWN_CSV = b"source,target\n" + "".join('"%s","%s"\n' % tuple(n.replace('"', '""') for n in (a, b))
                                       for a, b in zip(OWN, OWN[1:] + OWN[:1])).encode()
OWN_LINKS = ("pages", len(OWN))
case("names-own-list", {"a.csv": OWN_CSV}, "millrace build -q -o a.mill a.csv && millrace export a.mill --to edges -q -o e.txt --names n.txt"
     " && millrace build -q -o s.mill e.txt --names n.txt && millrace export s.mill --to csv -q -o b.csv"
     " && millrace export a.mill --to csv -q -o a2.csv && cmp a2.csv b.csv", OWN_LINKS, nlinks(len(OWN)))
case("names-own-csv", {"a.csv": OWN_CSV}, "millrace build -q -o a.mill a.csv && millrace export a.mill --to csv -q -o b.csv"
     " && millrace build -q -o s.mill b.csv && millrace export s.mill --to csv -q -o c.csv && cmp b.csv c.csv", OWN_LINKS, nlinks(len(OWN)))
for first in ("1,2-Dichloroethane", "0 x", "Apollo 11", "id,name"):
    case("names-own-first-" + first, {"a.csv": b'"%s",zz\nzz,"%s"\n' % (first.encode(), first.encode())}, "millrace build -q -o a.mill a.csv"
         " && millrace export a.mill --to edges -q -o e.txt --names n.txt && millrace build -q -o s.mill e.txt --names n.txt"
         " && millrace export s.mill --to csv -q -o b.csv && millrace export a.mill --to csv -q -o a2.csv && cmp a2.csv b.csv", nlinks(2))

# Names that a table would read otherwise: codes, which the header announces
ODD = ["a\tb", "# x", "NULL", "-", "source", " blank ", '"q', "%", "<p>", "\x01", "\\x41", "007", "1.0"]
ODD_CSV = b"source,target\n" + "".join('"%s","%s"\n' % tuple(n.replace('"', '""') for n in (a, b)) for a, b in zip(ODD, ODD[1:] + ODD[:1])).encode()
for to in ("csv", "urls"):
    case("names-odd-" + to, {"a.csv": ODD_CSV}, "millrace build -q -o a.mill a.csv && millrace export a.mill -q -o b." + to + " && millrace build -q -o s.mill b." + to +
         " && millrace export a.mill --to u32 -q -o a.u32 --names a.n && millrace export s.mill --to u32 -q -o s.u32 --names s.n && cmp a.u32 s.u32 && cmp a.n s.n",
         ("pages", len(ODD)), nlinks(len(ODD)))
case("names-first-words", {"a.csv": b'from,to\nurl,link\nlink,url\n'}, "millrace build -q -o a.mill a.csv && millrace export a.mill -q -o b.urls && millrace build -q -o s.mill b.urls",
     links("url link, link url"))
case("tabs-keep-blanks", {"p.tsv": b"source\ttarget\n Paris \tRome\nRome\tMilan \n"}, "p.tsv", ("links", [(" Paris ", "Rome"), ("Rome", "Milan ")]))
case("tabs-padded", {"p.tsv": b"source\ttarget\na \tb\nb \tc\n"}, "p.tsv", refuse("other blanks around it"))
case("tabs-padded-no-header", {"p.tsv": b"x y\t b c\nb c\td\n"}, "p.tsv", refuse("other blanks around it"))
case("tabs-padded-numbers", {"p.tsv": b"1 \t 2\n2\t3 \n"}, "p.tsv", links("1 2, 2 3"))
case("markup-of-names", {"p.tsv": b"<a>\tb\nb\tc\n"}, "p.tsv --columns 1,2", links("<a> b, b c"))

# ---- Files put together, cut apart, and converted twice ----
for name, data, wanted in (
        ("crcrlf", b"a\tb\r\r\nb\tc\r\r\n", "a b, b c"), ("crcrlf-numbers", b"1 2\r\r\n2 3\r\r\n", "1 2, 2 3"), ("crcrlf-csv", b"target,source\r\r\na,b\r\r\nb,c\r\r\n", "b a, c b"),
        ("mark-inside", b"\xef\xbb\xbfa b\nb c\n\xef\xbb\xbfc d\n", "a b, b c, c d"), ("mark-inside-numbers", b"\xef\xbb\xbf1 2\n\xef\xbb\xbf2 3\n", "1 2, 2 3"),
        ("mark-inside-header", b"\xef\xbb\xbfsource,target\na,b\n\xef\xbb\xbfsource,target\nb,c\n", "a b, b c"), ("two-marks", b"\xef\xbb\xbf\xef\xbb\xbfsource,target\na,b\nb,a\n", "a b, b a"),
        ("utf16-twice", 2 * "\ufeffa b\nb c\n".encode("utf-16-le"), "a b, b c")):
    case(name, {"p": data}, "p", links(wanted))
CUT = b"target,source\na,b\nb,c\n"
for name, files in (("reversed", {"aa": CUT, "ab": b"c,d\nd,e\n"}), ("id-first", {"aa": b"id,source,target\n1,10,20\n2,20,30\n", "ab": b"3,30,40\n4,40,50\n"}),
                    ("known", {"aa": b"url,referrer\nhttp://a/,http://b/\n", "ab": b"http://c/,http://d/\n"}), ("header-file", {"aa": CUT[:14], "ab": b"c,d\nd,e\n"}),
                    ("tabs", {"aa": CUT.replace(b",", b"\t"), "ab": b"c\td\nd\te\n"}), ("numbers", {"aa": b"to from\n1 2\n", "ab": b"2 3\n"})):
    for order in ("aa ab", "ab aa"):
        case("cut-%s-%s" % (name, order[1]), files, order, refuse("ab: has no header"))
case("cut-as-it-stands", {"aa": b"source,target\na,b\n", "ab": b"b,c\n"}, "aa ab", links("a b, b c"))
case("cut-columns", {"aa": CUT, "ab": b"c,d\n"}, "aa ab --columns 2,1", links("b a, c b, d c"))
case("cut-two-headers", {"aa": CUT, "ab": b"source,target\nc,d\n"}, "aa ab", links("b a, c b, c d"))
case("pandas-index-unnamed", {"p.csv": b"source,target\n0,10,20\n1,20,30\n"}, "p.csv", refuse("more fields than the header"))
case("quotes-single", {"p.csv": b"source,target\n'a,x',b\nb,'a,x'\n"}, "p.csv", refuse("more fields than the header"))
case("thousands", {"p.tsv": b"source\ttarget\tweight\n1\t2\t1,234\n2\t3\t5\n"}, "p.tsv --weights", refuse("thousands"))
case("thousands-not", {"p.csv": b"source;target;weight\n1;2;1,250\n2;3;0,5\n"}, "p.csv --weights", links("1 2, 2 3"))
case("scores-thousands", {"r.txt": b"a\t1,234\nb\t5\nc\t7\n"}, "millrace precedence r.txt -o -", refuse("r.txt:1"))
case("tgf", {"p.tgf": b"a A\nb B\n#\na b\n"}, "p.tgf", refuse("Trivial Graph Format"))
case("uniq-c", {"p": b"     12 1 2\n      3 2 3\n"}, "p", refuse("uniq -c"))
case("seeds-mark-inside", {"g.tsv": b"a\tb\nb\tc\nc\ta\n", "l": b"a\n\xef\xbb\xbfb\r\r\n"}, "millrace build -q -o s.mill g.tsv && millrace ppr s.mill --seeds l --max-unknown 0", out("a\t"))

for words, turned in (("url,found_on", 1), ("url,discovered_from", 1), ("Ziel;Quelle", 1), ("cible,source", 1), ("destino,origen", 1), ("user,followed_by", 1), ("page,links_in", 1),
                      ("item,part_of", 0), ("tweet,in_reply_to", 0), ("page,links_out", 0), ("Quelle;Ziel", 0), ("id,parent", 1)):
    sign = ";" if ";" in words else ","
    case("words-" + words, {"p.csv": (words + "\nhttp://a/%shttp://b/\n" % sign).encode()}, "p.csv", links("http://b/ http://a/" if turned else "http://a/ http://b/"))

for name, data in (("sorted", b"a,b\nb,c\nsource,target\nz,a\n"), ("sorted-tabs", b"a\tb\nb\tc\nsource\ttarget\nz\ta\n"), ("sorted-blanks", b"a b\nb c\nfrom to\nz a\n"),
                   ("turned", b"source,target\na,b\ntarget,source\nd,c\n"), ("turned-tabs", b"source\ttarget\na\tb\ntarget\tsource\nd\tc\n"), ("other-case", b"source,target\na,b\nSource,Target\nb,c\n"),
                   ("in-quotes", b'source,target\na,b\n"source","target"\nb,c\n'), ("url-words", b"url,link\na,b\nLink,URL\nb,c\n"), ("late", b"source,target\n" + 2000 * b"a,b\n" + b"Source;Target\nTarget,Source\nb,c\n")):
    case("header-inside-" + name, {"p": data}, "p", refuse("the words of a header" if name != "late" else "p:"))
case("header-inside-said", {"p": b"a\tb\nb\tc\nsource\ttarget\n"}, "p --columns 1,2", links("a b, b c, source target"))
# ---- What changes behind the lines that are looked at ----
def late(line, form="%d %d\n", n=1200): return "".join(form % (i, i + 1) for i in range(n)).encode() + line
for name, file, data in (("lines", "p.txt", late(b"7 00501\n")), ("commas", "p.csv", late(b"00501,7\n", "%d,%d\n")), ("tabs", "p.tsv", late(b"7\t00501\n", "%d\t%d\n")), ("table", "p.csv", b"source,target\n" + late(b"00501,7\n", "%d,%d\n")),
                         ("weights", "p.csv", b"source,target,weight\n" + late(b"00501,7,2\n", "%d,%d,1\n")), ("wel", "p.wel", late(b"7 00501 0.5\n", "%d %d 0.5\n")), ("said", "p.csv", late(b"00501,7,2\n", "%d,%d,1\n"))):
    more = " --columns 1,2" if name == "said" else ""
    case("padded-late-" + name, {file: data}, file + more, refuse("--format urls"))
    case("padded-late-%s-way-out" % name, {file: data}, "--format urls " + file + more + " && millrace find s.mill 00501", out("00501"))
case("padded-late-numbers", {"p.txt": late(b"7 00501\n")}, "--format edges p.txt && millrace find s.mill 501", out("501"))
for first, second in (("z.csv", "n.csv"), ("z.txt", "n.csv"), ("n.csv", "z.txt")):
    both = {"z.csv": b"source,target\n00501,10001\n", "z.txt": b"00501 10001\n", "n.csv": b"source,target\n10001,7\n"}
    case("padded-beside-%s-%s" % (first, second), both, "%s %s" % (first, second), refuse("--format urls"))
    case("padded-beside-%s-%s-way-out" % (first, second), both, "--format urls %s %s" % (first, second), links("00501 10001, 10001 7"))
case("padded-list", {"l": b"007\n8\n9\n", "p": b"8 9\n9 7\n"}, "p --vertex-list l", refuse("l:1"))
case("padded-seed", {"p": b"7 8\n8 7\n"}, "p && millrace ppr s.mill --seed 007", refuse("007"))
for name, data in (("word", b'{"url":"a","depth":3}\n{"url":"b","depth":1,"score":0.5}\n'), ("null", b'{"url":"a","score":null,"depth":1}\n{"url":"b","depth":1,"score":0.5}\n'),
                   ("none", b'{"url":"a","x":1}\n{"url":"b","x":2,"y":0.5}\n')):
    case("scores-json-first-" + name, {"r.jsonl": data}, "millrace precedence r.jsonl -o -", *([out("b 1"), said("1 row without a score")] if name == "null"
         else [refuse('"score"' if name != "none" else '"x", "y"')]))
case("scores-json-only", {"r.json": b'[{"url":"http://a/","x":1},\n{"url":"http://b/","x":2}]'}, "millrace precedence r.json --levels 2 -o -", out("http://b/ 1"))
case("mix-column", {"a.tsv": b"name\tx\ty\nhttp://a/\t1\t9\nhttp://b/\t2\t8\n"}, "millrace precedence --mix 0.1:a.tsv,0.9:a.tsv --column x --levels 2 -o -", out("http://b/ 1"))
case("crawler-table", {"a.tsv": b"http://a/\t1\n"}, "millrace precedence a.tsv --crawler heritrix -o p.csv", refuse("name a file of lines"))

# ---- Counts above links, indexes before them, thousands ----
for name, data in (("above-weights", b"3 2\n1 2 0.5\n2 3 0.5\n"), ("above-names", b"3 2\na b\nb c\n"), ("above-weights-from-1", b"3 3 2\n1 2 0.5\n2 3 0.5\n"), ("alone-above-names", b"2\na b\nb c\n"), ("properties", b"a.name,b.name\nx,y\ny,z\n")):
    case("count-" + name, {"p": data}, "p", refuse("p:1: "))
    case("count-%s-gz" % name, {"p.gz": gzip.compress(data)}, "p.gz", refuse("gzip -dc FILE | tail -n +2 | millrace"))
    case("count-%s-way-out" % name, {"p.gz": gzip.compress(data)}, "millrace help >/dev/null; gzip -dc p.gz | tail -n +2 | millrace build -q -o s.mill -", nlinks(2))
    if name != "alone-above-names": case("count-%s-link" % name, {"p": data}, "p --columns 1,2", nlinks(3))
for name, data in (("commas", b"0,10,20\n1,20,30\n2,30,40\n"), ("tabs", b"1\t10\t20\n2\t20\t30\n3\t30\t40\n"), ("blanks", b"0 10 20\n1 20 30\n2 30 40\n"), ("semicolons", b"0;10;20\n1;20;30\n2;30;40\n")):
    case("index-" + name, {"p": data}, "p", refuse("counts the rows"))
    case("index-%s-way-out" % name, {"p": data}, "p --columns 2,3", links("10 20, 20 30, 30 40"))
case("ids-thousands", {"p.csv": b"source;target\n1.000;2.000\n2.000;3.000\n"}, "p.csv", REFUSE)
case("ids-thousands-late", {"p.csv": b"source,target\n" + late(b"1.000,5\n", "%d,%d\n")}, "p.csv", refuse("p.csv:1202"))
for name, data in (("commas", b"a.org,0.5\nb.org,\nc.org,0.7\n"), ("tabs", b"a.org\tNULL\nb.org\t0.4\nc.org\t0.7\n"), ("blanks", b"a.org 0.5\nb.org nan\nc.org 0.7\n"),
                   ("header", b"source,target\na.org,0.5\nb.org,\nc.org,0.7\n"), ("numbers", b"id,target\n7.000,5.000\n1.000,\n2.000,3.000\n")):
    case("scores-missing-" + name, {"p": data}, "p", refuse("as scores are"))
case("links-missing", {"p": b"a.org,b.org\nb.org,\nc.org,d.org\n"}, "p", nlinks(2))
case("all-without-source", {"p": b"\t1\t2\n\t2\t3\n"}, "p", refuse("no links in it"))

case("find-count-heading", {"p": b"a b\nb a\n"}, "p && millrace find s.mill a --count -o c.csv && cat c.csv", out("count\n1\n"))

case("no-values", {"p.csv": b"source,target\na,b\nb,N/A\nb,n/a\n<NA>,b\n#N/A,b\n\"N/A\",b\n"}, "p.csv", links("a b, N/A b"))

# ---- Names that are not of page 0, or of two pages ----
for name, names, *wants in (
        ("header-word", b"title\nA\nB\nC\n", refuse("header")), ("header-quoted", b'"name"\n"A"\n"B"\n"C"\n', refuse("header")), ("comment", b"# names\nA\nB\nC\n", refuse("comment")),
        ("twice", b"A\nB\nA\n", refuse("one name for the ids 0 and 2")), ("jsonl", b'{"id": 0, "name": "A"}\n{"id": 1, "name": "B"}\n{"id": 2, "name": "C"}\n', refuse("JSON")),
        ("name-id-header", b"label,id\nA,0\nB,1\nC,2\n", links("A B, B C, C A")), ("name-number", b"A,2\nB,1\nC,0\n", refuse("its id or a part of it")),
        ("float-ids", b"2.0,A\n1.0,B\n0.0,C\n", links("C B, B A, A C")), ("mark-inside", b"A\n\xef\xbb\xbfB\r\r\nC\n", links("A B, B C, C A"))):
    case("names-" + name, {"e.txt": RING, "n.txt": names}, "e.txt --names n.txt", *wants)
case("names-twice-said", {"e.txt": RING, "n.txt": b"A\nB\nA\n"}, "e.txt --names n.txt --bad-lines skip", links("A B, B A, A A"))
for first in ("title", "# x", '{"a"', "Paris, 75001", "1.0,x", "name"):
    case("names-own-first-" + first, {"a.csv": b'"%s",zz\nzz,"%s"\n' % (2 * (first.replace('"', '""').encode(),))}, "millrace build -q -o a.mill a.csv --columns 1,2"
         " && millrace export a.mill --to edges -q -o e.txt --names n.txt && millrace build -q -o s.mill e.txt --names n.txt"
         " && millrace export s.mill --to csv -q -o b.csv && millrace export a.mill --to csv -q -o a2.csv && cmp a2.csv b.csv", nlinks(2))

# ---- Scores of other programs ----
ONE_THIRD = {"e.txt": RING}
ON_RING = "millrace build -q -f -o s.mill e.txt && millrace certify %s --graph s.mill"
for name, file, data in (
        ("a-line", "r.txt", b"0.3333333333333333\n0.3333333333333333\n0.3333333333333333\n"),
        ("a-line-crlf", "r.txt", b"3.333333333333333e-1\r\n0.3333333333333333\r\n0.3333333333333333"),
        ("json", "r.json", b"[0.3333333333333333, 0.3333333333333333,\n 0.3333333333333333]\n"),
        ("ranks", "r.ranks", struct.pack(">3d", 1 / 3, 1 / 3, 1 / 3)),
        ("floats", "r.f32", struct.pack(">3f", 0.5, 0.5, 0.5)), ("floats-by-size", "r.harm", struct.pack(">3f", 0.5, 0.5, 0.5)),
        ("doubles-by-size", "r.pr", struct.pack(">3d", 0.5, 0.5, 0.5)),
        ("tuples", "r.txt", b"(0,1.0)\n(1,1.0)\n(2,1.0)\n"),
        ("title", "r.csv", b"title,score\n0,0.3333333333333333\n1,0.3333333333333333\n2,0.3333333333333333\n")):
    case("scores-" + name, dict(ONE_THIRD, **{file: data}), ON_RING % file, ("nlinks", 3))
for name, file, data in (
        ("too-few", "r.txt", b"0.5\n0.5\n"), ("too-many", "r.txt", b"0.25\n0.25\n0.25\n0.25\n"),
        ("ranks-too-few", "r.ranks", struct.pack(">2d", 0.5, 0.5)), ("ranks-cut", "r.ranks", struct.pack(">3d", 1, 1, 1)[:-1]),
        ("ranks-no-number", "r.ranks", struct.pack(">3d", 1, float("nan"), 1)), ("floats-little-endian", "r.f32", struct.pack("<3f", 0.1, 0.2, 0.7)),
        ("floats-cut", "r.f32", struct.pack(">3f", 1, 1, 1)[:-1]), ("floats-too-many", "r.harm", struct.pack(">4f", 1, 1, 1, 1))):
    case("scores-" + name, dict(ONE_THIRD, **{file: data}), ON_RING % file, refuse(file))
MANY = 20000
for name, data, *wants in (
        ("twice", b"0\t.3\n1\t.3\n2\t.4\n1\t.1\n", refuse("r.tsv:4")), ("places", b"url,rank\n0,1\n1,2\n2,3\n", refuse("places or ids")),
        ("none-found", b"http://a/\t.5\nhttp://b/\t.5\n", refuse('the first is "http://a/", and a page of the graph is "0"')),
        ("nan", b"0\t.5\n1\tnan\n2\t.5\n", refuse("r.tsv:2")), ("more-columns", b"id,score\n0,0,33\n1,0,33\n2,0,33\n", refuse("r.tsv:2")),
        ("whole-beside-fractions", b"0\t.5\t4\n1\t.25\t9\n2\t.25\t7\n", refuse("--column K, from 1 to 2"))):
    case("scores-" + name, dict(ONE_THIRD, **{"r.tsv": data}), ON_RING % "r.tsv", *wants)
case("scores-places-way-out", {"r.csv": b"url,rank\na,2\nb,1\n"}, "millrace precedence r.csv --column rank --levels 2 -o -", out("a 1"))
case("scores-index-way-out", {"r.csv": b"1,7,.5\n2,8,.1\n3,9,.2\n"}, "millrace precedence r.csv; cut -d',' -f2- r.csv | millrace precedence - --levels 3 -o -", said("-f2-"), out("7 1"))
case("scores-twice-late", {"e.txt": b"".join(b"%d %d\n" % (i, (i + 1) % MANY) for i in range(MANY)), "r.tsv": b"".join(b"%d\t1\n" % i for i in range(MANY)) + b"17\t1\n"},
     ON_RING % "r.tsv", refuse("r.tsv:20001: \"17\" has a score already"))
case("scores-json-object-way-out", {"r.json": b'{"a": 0.5, "b": 0.25}\n'}, "millrace precedence r.json; jq -r 'to_entries[] | [.key, .value] | @tsv' r.json | millrace precedence - --levels 2 -o -",
     said("to_entries"), out("a 1"))
for name, data in (("comments", b"# made\n\na\t.5\n\nb\t.25\n"), ("header-again", b"page;wert\nb;.25\npage;wert\na;.5\n"), ("null", b"a\t.5\nb\t.25\nc\tNULL\n"), ("percent", b"a\t50%\nb\t25 %\n"),
                   ("score-first", b".25\tb\n.5\ta\n"), ("pandas-series", b",0\na,.5\nb,.25\n"), ("r", b'"","x"\n"a",.5\n"b",.25\n'), ("quoted-comma", b'a,"0,5"\nb,"0,25"\n'),
                   ("title", b"score,title\n.5,a\n.25,b\n"), ("a-rank-behind", b"a\t.5\t1\nb\t.25\t2\nc\t.125\t3\n")):
    case("scores-of-" + name, {"r": data}, "millrace precedence r --levels 2 -o -", out("a 1"), out("b "))
case("scores-blank-in-name", {"r.txt": b"Paris Hilton 0.5\nRome Trevi 0.25\n"}, "millrace precedence r.txt -o -", refuse("NAME<TAB>SCORE"))
case("scores-blank", {"r.txt": b"Paris 0.5\nRome 0.25\n"}, "millrace precedence r.txt -o -", out("Paris 1"))

# ---- Times beside the ends; weights in some inputs; compressed files put together ----
for name, row in (("seconds", "108200856%d 1%d 2%d\n"), ("tabs", "108200856%d\t1%d\t2%d\n"), ("commas", "108200856%d,1%d,2%d\n"), ("semicolons", "108200856%d;1%d;2%d\n"), ("milliseconds", "108200856100%d 1%d 2%d\n"), ("days", "2004041%d 1%d 2%d\n"),
                  ("stamps", "2004041010000%d 1%d 2%d\n"), ("mixed", "108200856%d\t1%d 2%d\n"), ("dates", "2004-04-1%d,1%d,2%d\n"), ("date-and-clock", "2004-04-10 10:00:0%d,1%d,2%d\n")):
    data = "".join(row % (i, i, i) for i in range(1, 4)).encode()
    case("times-first-" + name, {"p": data}, "p", refuse("--columns 2,3"))
    case("times-first-%s-way-out" % name, {"p": data}, "p --columns 2,3", links("11 21, 12 22, 13 23"))
case("times-second", {"p": b"1 1082008561 2\n2 1082008562 3\n"}, "p", refuse("--columns 1,3"))
case("times-second-way-out", {"p": b"1 1082008561 2\n2 1082008562 3\n"}, "p --columns 1,3", links("1 2, 2 3"))
case("times-no", {"p": b"1082008561 1082008562 2\n1082008562 17 3\n"}, "p", links("1082008561 1082008562, 1082008562 17"))
case("times-weights", {"p": b"1082008561 1 2\n"}, "p --weights", links("1082008561 1"))
COUNTED = "".join("%d %d %d\n" % (i, 7 * (i + 3) % 20, i % 9) for i in range(20)).encode()
case("counts-or-weights", {"p": COUNTED}, "p", refuse("--columns 1,2,3"))
case("counts-weights", {"p": COUNTED.replace(b" 0\n", b" 9\n")}, "p --weights", nlinks(20))
case("counts-fractions", {"p": COUNTED.replace(b" 8\n", b" .5\n")}, "p", nlinks(20))
case("counts-floats-missing", {"p": b"".join(b"%d,%d,%s\n" % (i, 40 + i, b"" if i == 3 else b"%d.0" % (50 + i)) for i in range(5))}, "p", REFUSE)
WEIGHED, PLAIN = b"source,target,weight\na,b,5\nb,c,7\n", b"source,target\nc,d\n"
for name, files, command, wants in (
        ("first", {}, "w.csv p.csv", refuse("p.csv: has no weights")), ("last", {}, "p.csv w.csv", refuse("p.csv: has no weights")), ("must", {}, "p.csv w.csv --weights", refuse("p.csv: has no weights")),
        ("way-out", {}, "p.csv w.csv --no-weights", links("a b, b c, c d")), ("columns", {}, "p.csv w.csv --columns 1,2", links("a b, b c, c d")), ("classes", {}, "p.csv w.csv --classes host", links("a b, b c, c d")),
        ("empty", {"e.csv": b""}, "e.csv w.csv e.csv", links("a b, b c")), ("header-alone", {"e.csv": b"source,target\n"}, "e.csv w.csv", links("a b, b c")),
        ("append", {}, BUILD + "-q w.csv && millrace append s.mill p.csv", refuse("without weights")), ("append-two", {}, BUILD + "-q w.csv && millrace append s.mill w.csv p.csv", refuse("p.csv: has no weights")),
        ("append-plain", {}, BUILD + "-q p.csv && millrace append s.mill w.csv p.csv", links("a b, b c, c d")), ("rank", {}, "millrace pagerank w.csv p.csv", ("exit0",)), ("folder", {"f/w.csv": WEIGHED, "f/p.csv": PLAIN}, "f", refuse("f/p.csv: has no weights")),
        ("wel", {"a.wel": b"1 2 5\n", "b.txt": b"2 3\n"}, "a.wel b.txt", refuse("b.txt: has no weights"))):
    case("weights-some-" + name, dict({"w.csv": WEIGHED, "p.csv": PLAIN}, **files), command, wants)
for name, parts, wants in (("lines", (b"1 2", b"3 4"), refuse("gzip -dc")), ("weights", (b"1 2 5\n2 3 7", b"3 4 6\n"), REFUSE), ("names", (b"a b\nb c", b"c d\n"), REFUSE), ("ended", (b"a b\n", b"b c\n"), links("a b, b c")),
                           ("empty-last", (b"a b\nb c", b""), links("a b, b c")), ("cr", (b"a b\r", b"b c\r"), links("a b, b c")), ("utf16", ("\ufeffa b\n".encode("utf-16-le"), "b c\n".encode("utf-16-le")), links("a b, b c")),
                           ("blocks", (b"1 2\n" * 20000 + b"1 ", b"3\n"), links("1 2, 1 3"))):
    case("members-" + name, {"p.gz": b"".join(gzip.compress(part) for part in parts)}, "p.gz", wants)
case("members-way-out", {"p.gz": gzip.compress(b"1 2") + gzip.compress(b"3 4")}, "millrace help > /dev/null; gzip -dc p.gz | millrace build -q -o s.mill -", links("1 23"))
case("members-seeds", {"p": b"1 2\n2 12\n", "l.gz": gzip.compress(b"1") + gzip.compress(b"2")}, "p && millrace ppr s.mill --seeds l.gz", refuse("gzip -dc"))
case("members-binary", {"p.u32.gz": gzip.compress(struct.pack("<3I", 1, 2, 2)) + gzip.compress(struct.pack("<I", 3))}, "p.u32.gz --format u32", links("1 2, 2 3"))
case("files-without-ends", {"a": b"1 2", "b": b"3 4"}, "a b", links("1 2, 3 4"))

# ---- Lists ----
PLACES = {"e": b"http://a.x/ http://b.x/1\nhttp://b.x/1 http://c.x/\nhttp://c.x/ http://a.x/\n", "n": b"7 8\n8 9\n9 7\n", "w": b"Ann Lee\tBob\nBob\tCid\nCid\tAnn Lee\n"}
TELEPORT = "millrace build -q -f -o s.mill %s && millrace pagerank s.mill %s --damping 0.0001 -f -o r && sed 's/\\(\\.[0-9]\\)[0-9]*$/\\1/' r"
for name, graph, option, data, *wants in (
        ("quoted-urls", "e", "seeds", b'"http://b.x/1"\n"http://c.x/"\n', out("http://b.x/1\t0.4")), ("quoted-titles", "w", "seeds", b'"Ann Lee"\n', out("Ann Lee\t0.9")),
        ("json-texts", "e", "seeds", b'"http://b.x/1",\n"http://c.x/"\n', out("http://b.x/1\t0.4")), ("json-array", "e", "seeds", b'["http://b.x/1", "http://c.x/"]', refuse("jq -r '.[]'")),
        ("ids-as-floats", "n", "seeds", b"7.0\n9.000\n", out("7\t0.4")), ("padded", "n", "seeds", b"007\n", refuse('"007"')), ("data", "n", "seeds", b"7\0\n", refuse("data and no list")),
        ("weights-of-titles", "w", "teleport", b"title,weight\nAnn Lee,3\nBob,1\n", out("Ann Lee\t0.7")), ("weights-of-ids", "n", "teleport", b"id;weight\n7;0,75\n9;0,25\n", out("7\t0.7")),
        ("weights-without-header", "n", "teleport", b"7,3\n9,1\n", refuse("a header such as page,weight")), ("weights-zero", "n", "teleport", b"7\t0\n", refuse("weight above 0")),
        ("weights-twice", "n", "teleport", b"7\t1\n7\t2\n9\t1\n", out("7\t0.7")), ("seeds-twice", "n", "seeds", b"7\n7\n9\n", out("7\t0.4")), ("seeds-unknown", "n", "seeds", b"7\n70\n71\n", refuse("2 of 3 names"))):
    case("list-" + name, dict(PLACES, l=data), TELEPORT % (graph, "--%s l" % option), *wants)
case("list-json-array-way-out", dict(PLACES, l=b'["http://b.x/1", "http://c.x/"]'), "e && jq -r '.[]' l | millrace export s.mill --vertex-list - --to edges -o e.txt -f --names l2 && cat l2", out("http://b.x/1"))
case("times-of-databases", dict(PLACES, l=b"http://a.x/\t2026-11-28 10:00:00\n"), "e && millrace opic s.mill --times l --score-columns all --header -o o.tsv && cat o.tsv", out("1795860000"))
# ---- A campaign of lines that are no links, two tables, ids, signs and dates ----
R = REFUSE
def ls(n=1200, f="http://h%d.x/ http://h%d.x/\n"): return "".join(f % (i, i + 1) for i in range(n)).encode()
case("conflict-numbers", {"p": b"1 2\n<<<<<<< HEAD\n2 3\n=======\n2 4\n>>>>>>> b\n3 1\n"}, "p", R)
case("conflict-names", {"p": b"a b\n<<<<<<< HEAD\nb c\n=======\nb d\n>>>>>>> x\nc a\n"}, "p", R)
case("conflict-csv", {"p": b"a,b\n<<<<<<< HEAD\nb,c\n=======\nb,d\n>>>>>>> x\nc,a\n"}, "p", R)
case("conflict-tsv-late", {"p": ls(f="a b%d\ta b%d\n") + b"<<<<<<< HEAD\na b\tc d\n=======\nx\ty\n>>>>>>> x\n"}, "p", R)
case("conflict-names-late", {"p": ls() + b"<<<<<<< HEAD\nb c\n>>>>>>> x\n"}, "p", R)
case("progress-numbers", {"p": b"1 2\n10% done\n2 3\n"}, "p", R)
case("progress-words-late", {"p": ls() + b"Processed 1000 rows\n"}, "p", R)
case("error-late", {"p": ls() + b"Segmentation fault\n"}, "p", R)
case("error-early", {"p": b"http://a.x/ http://b.x/\nhttp://b.x/ http://c.x/\nSegmentation fault\n"}, "p", R)
case("total-numbers", {"p": b"1 2\n2 3\ntotal 17\n"}, "p", R)
case("total-names", {"p": b"a b\nb c\nc a\nd a\ntotal 17\n"}, "p", R)
case("total-colon", {"p": b"a b\nb c\nc a\nd a\nTotal: 17\n"}, "p", R)
case("total-csv", {"p.csv": b"source,target\na,b\nb,c\nTotal,2\n"}, "p.csv", R)
case("total-csv-empty", {"p.csv": b"source,target\na,b\nb,c\nTotal,\n"}, "p.csv", links("a b, b c"))
case("total-csv-weights", {"p.csv": b"source,target,weight\na,b,1\nb,c,2\nTotal,,3\n"}, "p.csv", links("a b, b c"))
case("total-urls", {"p": ls(3) + b"total 17\n"}, "p", R)
case("total-late", {"p": ls() + b"Total: 1200\n"}, "p", R)
case("rows-footer", {"p.csv": b"source,target\na,b\nb,c\n(2 rows affected)\n"}, "p.csv", R)
case("rows-selected", {"p": b"a\tb\nb\tc\n\n2 rows selected.\n"}, "p", R)
case("comment-slashes", {"p": b"1 2\n// note\n2 3\n"}, "p", R, links("1 2, 2 3"))
case("comment-slashes-names", {"p": b"http://a.x/ http://b.x/\n// note\nhttp://b.x/ http://c.x/\nhttp://b.x/ http://d.x/\nhttp://b.x/ http://e.x/\n"}, "p", R, nlinks(4))
case("comment-semicolon", {"p": b"a b\n; note\nb c\nc d\nd e\n"}, "p", R, nlinks(4))
case("comment-dashes", {"p": b"a b\n-- note\nb c\nc d\nd e\n"}, "p", R, nlinks(4))
case("comment-trailing", {"p": b"1 2 # first\n2 3\n"}, "p", links("1 2, 2 3"))
case("comment-trailing-names", {"p": b"a b # first\nb c\n"}, "p", R, links("a b, b c"))
case("comment-mid-csv", {"p.csv": b"source,target\na,b\n# note, here\nb,c\n"}, "p.csv", links("a b, b c"))
case("comment-mid-tsv", {"p.tsv": b"a x\tb\n#note\tx\nb\tc y\n"}, "p.tsv", nlinks(3), R)
case("comment-c", {"p": b"/* links\n of us */\n1 2\n2 3\n"}, "p", links("1 2, 2 3"), R)
case("html-tail-numbers", {"p": b"1 2\n2 3\n<html><body>502 Bad Gateway</body></html>\n"}, "p", R)
case("html-tail-names", {"p": ls() + b"<html>\n<head><title>502 Bad Gateway</title></head>\n"}, "p", R)
case("html-tail-csv", {"p.csv": b"source,target\na,b\n<html>\n<head>\n"}, "p.csv", R)
case("page-404", {"p": b"404: Not Found"}, "p", R)
case("page-404-b", {"p": b"404 Not Found\n"}, "p", R)
case("page-not-found", {"p": b"Not Found\n"}, "p", R)
case("page-denied", {"p": b"Access Denied\n"}, "p", R)
case("page-gateway", {"p": b"Bad Gateway"}, "p", R)
case("page-s3", {"p": b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code></Error>\n'}, "p", R)
case("page-json-error", {"p": b'{"message":"Not Found","status":"404"}\n'}, "p", R)
case("page-html-csv", {"p.csv": b"\n\n<!DOCTYPE html>\n<html lang=en>\n<title>Sign in</title>\n"}, "p.csv", R)
case("lfs-pointer", {"p.csv": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"}, "p.csv", R)
case("checksums", {"p": b"d41d8cd98f00b204e9800998ecf8427e  a.txt\n0cc175b9c0f1b6a831c399e269772661  b.txt\n"}, "p", R)
case("checksums-sha256", {"p": b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 *a.txt\n"}, "p", R)
case("checksums-folder", {"f/a.txt": b"a.org b.org\n", "f/MD5SUMS": b"d41d8cd98f00b204e9800998ecf8427e  a.txt\n"}, "f", R, links("a.org b.org"))
case("crc-bsd", {"p": b"MD5 (a.txt) = d41d8cd98f00b204e9800998ecf8427e\n"}, "p", R)
# -- B. two tables
case("two-tables-nodes-first", {"p.csv": b"id,label\n1,A\n2,B\n\nsource,target\n1,2\n"}, "p.csv", R, links("1 2"))
case("two-tables-nodes-first-3", {"p.csv": b"id,label,x\n1,A,3\n2,B,4\n\nsource,target\n1,2\n"}, "p.csv", R, links("1 2"))
case("two-tables-nodes-last", {"p.csv": b"source,target\n1,2\n2,3\n\nid,label\n1,A\n2,B\n"}, "p.csv", R, links("1 2, 2 3"))
case("two-tables-names", {"p.csv": b"source,target\na,b\nb,c\n\nid,label\na,Alpha\nb,Beta\n"}, "p.csv", R, links("a b, b c"))
case("two-tables-names-tsv", {"p.tsv": b"source\ttarget\na\tb\nb\tc\n\nname\tkind\na\tAlpha\nb\tBeta\n"}, "p.tsv", R, links("a b, b c"))
case("two-tables-same-words", {"p.csv": b"source,target\na,b\n\nsource,target,weight\nb,c,5\n"}, "p.csv", R)
case("sections", {"p": b"[nodes]\n1 A\n2 B\n[edges]\n1 2\n2 1\n"}, "p", R)
case("sections-hash", {"p": b"#nodes\n1 A\n2 B\n#edges\n1 2\n2 1\n"}, "p", R)
case("sections-star", {"p": b"*nodes\n1 A\n2 B\n*edges\n1 2\n"}, "p", R)
case("types-row", {"p.csv": b"source,target\nstring,string\na,b\nb,c\n"}, "p.csv", R, links("a b, b c"))
case("types-row-int", {"p.csv": b"source,target\nint,int\n1,2\n2,3\n"}, "p.csv", R, links("1 2, 2 3"))
case("ruler-csv", {"p.csv": b"source,target\n------,------\na,b\nb,c\n"}, "p.csv", R, links("a b, b c"))
case("ruler-tabs", {"p.tsv": b"source\ttarget\n------\t------\na\tb\nb\tc\n"}, "p.tsv", R, links("a b, b c"))
# -- C. ids
case("ids-2-64", {"p": b"18446744073709551616 1\n1 2\n"}, "p", R)
case("ids-2-64-max", {"p": b"18446744073709551615 1\n1 2\n"}, "p", R, links("18446744073709551615 1, 1 2"))
case("ids-2-63", {"p": b"9223372036854775808 1\n1 2\n"}, "p", links("9223372036854775808 1, 1 2"))
case("ids-2-53-csv", {"p.csv": b"source,target\n9007199254740993,9007199254740992\n"}, "p.csv", links("9007199254740993 9007199254740992"))
case("ids-hex", {"p": b"0x1A 0x2B\n0x2B 0x1A\n"}, "p", links("0x1A 0x2B, 0x2B 0x1A"), R)
case("ids-hex-plain", {"p": b"10 20\n1a 2b\n2b 10\n"}, "p", R, links("10 20, 1a 2b, 2b 10"))
case("ids-exponent", {"p": b"1e5 2e5\n2e5 1e5\n"}, "p", R, links("1e5 2e5, 2e5 1e5"))
case("ids-exponent-some", {"p": b"99999 1\n1e+05 2\n2 3\n"}, "p", R, links("99999 1, 100000 2, 2 3"))
case("ids-exponent-csv", {"p.csv": b"from,to\n99999,1\n1e+05,2\n2,3\n"}, "p.csv", R, links("99999 1, 100000 2, 2 3"))
case("ids-exponent-csv-2", {"p.csv": b"from,to\n1.0E5,1\n2.5E5,2\n2,3\n"}, "p.csv", R)
case("ids-plus", {"p": b"+1 +2\n+2 +3\n"}, "p", R, links("1 2, 2 3"), links("+1 +2, +2 +3"))
case("ids-plus-some", {"p": b"1 2\n+2 3\n"}, "p", R, links("1 2, 2 3"))
case("ids-thousands-blank", {"p": b"1,234 56\n2,345 67\n"}, "p", R)
case("ids-thousands-tab", {"p": b"1,234\t56\n2,345\t67\n"}, "p", R)
case("ids-thousands-both", {"p": b"1,234\t5,678\n2,345\t6,789\n"}, "p", R)
case("ids-blank-thousands", {"p": b"1 234\t56\n2 345\t67\n"}, "p", R, links("1 234|56, 2 345|67"))
case("ids-apostrophe", {"p": b"1'234 5'678\n5'678 1'234\n"}, "p", R, links("1'234 5'678, 5'678 1'234"))
case("ids-underscore", {"p": b"1_000 2_000\n"}, "p", R, links("1_000 2_000"))
case("ids-float-blank", {"p": b"1.0 2.0\n2.0 3.0\n"}, "p", links("1 2, 2 3"), R)
case("ids-float-mixed", {"p": b"1 2.0\n2 3.0\n"}, "p", links("1 2, 2 3"), R)
case("ids-half", {"p": b"1.5 2.5\n2.5 3.5\n"}, "p", R)
case("ids-inf-csv", {"p.csv": b"source,target\n1.0,2.0\n2,inf\n3,-1\n4,1150.5\n"}, "p.csv", R)
case("ids-half-some-csv", {"p.csv": b"source,target\n1,2\n2,3.5\n3,4\n"}, "p.csv", R)
case("ids-half-late-csv", {"p.csv": b"source,target\n" + ls(f="%d,%d\n") + b"3,4.5\n"}, "p.csv", R)
case("ids-letters-late", {"p": ls(f="%d %d\n") + b"n1 n2\n"}, "p", R)
case("ids-letters-late-csv", {"p.csv": b"source,target\n" + ls(f="%d,%d\n") + b"n1,n2\n"}, "p.csv", R)
case("ids-ipv6", {"p": b"2001:db8::1 2001:db8::2\n::1 fe80::1%eth0\n"}, "p", links("2001:db8::1 2001:db8::2, ::1 fe80::1%eth0"))
case("ids-ipv6-ports", {"p": b"[::1]:443 [::2]:80\n[::2]:80 [::1]:443\n"}, "p", links("[::1]:443 [::2]:80, [::2]:80 [::1]:443"), R)
case("ids-ipv6-brackets", {"p": b"[::1] [::2]\n[::2] [::1]\n"}, "p", links("[::1] [::2], [::2] [::1]"), R)
case("ids-ipv4", {"p": b"10.0.0.1 10.0.0.2\n10.0.0.2 10.0.0.1\n"}, "p", links("10.0.0.1 10.0.0.2, 10.0.0.2 10.0.0.1"))
case("ids-ipv4-csv", {"p.csv": b"src,dst,bytes\n10.0.0.1,10.0.0.2,500\n"}, "p.csv", links("10.0.0.1 10.0.0.2"))
case("ids-netflow", {"p": b"10.0.0.1:80 10.0.0.2:443\n"}, "p", links("10.0.0.1:80 10.0.0.2:443"))
case("ids-mac", {"p": b"00:1a:2b:3c:4d:5e 00:1a:2b:3c:4d:5f\n"}, "p", nlinks(1))
case("ids-uuid", {"p": b"6ba7b810-9dad-11d1-80b4-00c04fd430c8 6ba7b811-9dad-11d1-80b4-00c04fd430c8\n"}, "p", nlinks(1))
case("ids-uuid-braces", {"p": b"{6ba7b810-9dad-11d1-80b4-00c04fd430c8} {6ba7b811-9dad-11d1-80b4-00c04fd430c8}\n"}, "p", nlinks(1), R)
case("ids-hash-sign", {"p": b"#1 #2\n#2 #3\n"}, "p", links("#1 #2, #2 #3"), R)
case("ids-hashtags", {"p": b"#cats #dogs\n#dogs #birds\n"}, "p", links("#cats #dogs, #dogs #birds"), R)
case("ids-hashtags-csv", {"p.csv": b"source,target\n#cats,#dogs\n#dogs,#birds\n"}, "p.csv", links("#cats #dogs, #dogs #birds"))
case("ids-hashtags-tsv", {"p.tsv": b"#cats\t#dogs x\n#dogs x\t#birds\n"}, "p.tsv", links("#cats|#dogs x, #dogs x|#birds"), R)
case("ids-at", {"p": b"@ann @bob\n@bob @cid\n"}, "p", links("@ann @bob, @bob @cid"))
case("ids-mail", {"p": b"a@x.org b@y.org\n"}, "p", links("a@x.org b@y.org"))
case("ids-mail-brackets", {"p": b"<a@x.org> <b@y.org>\n<b@y.org> <a@x.org>\n"}, "p", nlinks(2), R)
case("ids-percent", {"p": b"%C3%A9 b\nb %C3%A9\n"}, "p", links("%C3%A9 b, b %C3%A9"))
case("ids-percent-numbers", {"p": b"1 2%\n2 3%\n"}, "p", R, links("1 2, 2 3"))
case("ids-n-prefix", {"p": b"n0::n1 n0::n2\nn0::n2 n0::n1\n"}, "p", nlinks(2))
case("ids-negative-zero", {"p": b"-0 1\n1 2\n"}, "p", R, links("-0 1, 1 2"))
case("ids-fullwidth", {"p": "１ ２\n２ ３\n".encode()}, "p", nlinks(2))
case("ids-arabic", {"p": "١ ٢\n".encode()}, "p", nlinks(1))
# -- D. signs between
case("arrow-numbers", {"p": b"1 -> 2\n2 -> 3\n"}, "p", R, links("1 2, 2 3"))
case("arrow-glued", {"p": b"1->2\n2->3\n"}, "p", R)
case("arrow-fat", {"p": b"a => b\nb => c\n"}, "p", R, links("a b, b c"))
case("arrow-unicode", {"p": "a → b\nb → c\n".encode()}, "p", R, links("a b, b c"))
case("arrow-back", {"p": b"a <- b\nb <- c\n"}, "p", R, links("b a, c b"))
case("arrow-tabs", {"p": b"a b\t->\tc d\nc d\t->\te\n"}, "p", R)
case("arrow-csv", {"p.csv": b"a,->,b\nb,->,c\n"}, "p.csv", R)
case("dash", {"p": b"1 - 2\n2 - 3\n"}, "p", R, links("1 2, 2 3"))
case("dash-names", {"p": b"a - b\nb - c\n"}, "p", R, links("a b, b c"))
case("dash-glued", {"p": b"1-2\n2-3\n"}, "p", R)
case("colon", {"p": b"1:2\n2:3\n"}, "p", R, links("1 2, 2 3"))
case("colon-one", {"p": b"1: 2\n2: 3\n"}, "p", R, links("1 2, 2 3"))
case("colon-names", {"p": b"a: b\nb: c\n"}, "p", R)
case("colons-movielens", {"p": b"1::1193::5::978300760\n1::661::3::978302109\n"}, "p", R)
case("equals", {"p": b"a = b\nb = c\n"}, "p", R)
case("tilde", {"p": b"a~b\nb~c\n"}, "p", R)
case("bars", {"p": b"a || b\nb || c\n"}, "p", R)
case("bars-glued", {"p": b"a||b\nb||c\n"}, "p", R, links("a b, b c"))
case("semicolons-end", {"p": b"1 2;\n2 3;\n"}, "p", R, links("1 2, 2 3"))
case("semicolons-end-names", {"p": b"a b;\nb c;\n"}, "p", R, links("a b, b c"))
case("semicolons-end-csv", {"p.csv": b"a,b;\nb,c;\n"}, "p.csv", R, links("a b, b c"))
case("commas-end", {"p": b"1,2,\n2,3,\n"}, "p", R, links("1 2, 2 3"))
case("commas-end-names", {"p.csv": b"a,b,\nb,c,\n"}, "p.csv", R, links("a b, b c"))
case("commas-end-header", {"p.csv": b"source,target,\na,b,\nb,c,\n"}, "p.csv", links("a b, b c"))
case("tabs-end", {"p": b"a x\tb\t\nb\tc y\t\n"}, "p", links("a x|b, b|c y"))
case("tabs-two", {"p": b"a x\t\tb\nb\t\tc y\n"}, "p", R, links("a x|b, b|c y"))
case("tabs-two-numbers", {"p": b"1\t\t2\n2\t\t3\n"}, "p", links("1 2, 2 3"), R)
case("commas-two", {"p": b"1,,2\n2,,3\n"}, "p", R)
case("commas-two-names", {"p.csv": b"a,,b\nb,,c\n"}, "p.csv", R)
case("blanks-end", {"p": b"1 2  \n2 3 \n"}, "p", links("1 2, 2 3"))
case("comma-blank", {"p": b"1 , 2\n2 , 3\n"}, "p", links("1 2, 2 3"))
case("quotes-single", {"p.csv": b"'1','2'\n'2','3'\n"}, "p.csv", R, links("1 2, 2 3"))
case("quotes-single-names", {"p.csv": b"'a b','c'\n'c','d'\n"}, "p.csv", R, links("a b|c, c|d"))
case("quotes-numbers-blank", {"p": b'"1" "2"\n"2" "3"\n'}, "p", R, links("1 2, 2 3"))
case("quotes-curly", {"p.csv": "“a”,“b”\n“b”,“c”\n".encode()}, "p.csv", R, nlinks(2))
case("quotes-one-side", {"p.csv": b'"a",b\nb,"c"\n'}, "p.csv", links("a b, b c"))
case("tuples-numbers", {"p": b"(1,2)\n(2,3)\n"}, "p", R, links("1 2, 2 3"))
case("tuples-blank", {"p": b"(1, 2)\n(2, 3)\n"}, "p", R, links("1 2, 2 3"))
case("sets", {"p": b"{1,2}\n{2,3}\n"}, "p", R)
case("first-word", {"p": b"edge 1 2\nedge 2 3\n"}, "p", R, links("1 2, 2 3"))
case("first-letter", {"p": b"e 1 2\ne 2 3\ne 3 1\n"}, "p", R, links("1 2, 2 3, 3 1"))
case("first-letter-weights", {"p": b"a 1 2 5\na 2 3 7\n"}, "p", R)
case("first-word-names", {"p": b"link a b\nlink b c\n"}, "p", R)
case("first-word-urls", {"p": b"LINK http://a.x/ http://b.x/\nLINK http://b.x/ http://c.x/\n"}, "p", R)
case("last-word", {"p": b"1 2 e\n2 3 e\n"}, "p", R, links("1 2, 2 3"))
case("last-word-names", {"p": b"a b follows\nb c follows\n"}, "p", R)
case("verbs", {"p": b"ann follows bob\nbob follows cid\n"}, "p", R)
case("fixed-width", {"p": b"alpha     beta      \nbeta      gamma     \n"}, "p", links("alpha beta, beta gamma"))
case("fixed-width-titles", {"p": b"New York    Los Angeles\nLos Angeles New York   \n"}, "p", R)
case("times-two", {"p": b"10:00 10:05\n10:05 10:10\n"}, "p", R, nlinks(2))
case("date-names", {"p": b"2024-01-01 http://a.x/ http://b.x/\n2024-01-02 http://b.x/ http://c.x/\n"}, "p", R)
case("date-names-tabs", {"p": b"2024-01-01\thttp://a.x/\thttp://b.x/\n2024-01-02\thttp://b.x/\thttp://c.x/\n"}, "p", R)
case("date-two", {"p": b"2024-01-01 a\n2024-01-02 b\n"}, "p", R)
case("date-csv", {"p.csv": b"from,to\n2020-01-01,2020-01-02\n2020-01-02,2020-01-03\n"}, "p.csv", R)
case("date-csv-quoted", {"p.csv": b'from,to\n"2020-01-01","2020-01-02"\n'}, "p.csv", R)
case("date-csv-said", {"p.csv": b'from,to\n"2020-01-01","2020-01-02"\n'}, "p.csv --columns from,to", links("2020-01-01 2020-01-02"))
case("date-csv-german", {"p.csv": b"von;bis\n01.02.2020;03.02.2020\n03.02.2020;05.02.2020\n"}, "p.csv", R)
case("date-slashes", {"p.csv": b"01/02/2020,01/03/2020\n01/03/2020,01/04/2020\n"}, "p.csv", R)
case("date-target", {"p.csv": b"source,target\na,2020-01-01\nb,2020-01-02\n"}, "p.csv", R)
case("date-clock", {"p.csv": b"start,end\n2020-01-01 10:00:00,2020-01-01 11:00:00\n"}, "p.csv", R)
case("periods", {"p.csv": b"start,end\n1082008561,1082008661\n1082008661,1082008761\n"}, "p.csv", R, nlinks(2))
case("lat-lon", {"p.csv": b"52.52,13.40\n48.85,2.35\n"}, "p.csv", R)
case("lat-lon-header", {"p.csv": b"lat,lon\n52.52,13.40\n48.85,2.35\n"}, "p.csv", R)
case("measures", {"p": b"a 5ms\nb 7ms\n"}, "p", R, nlinks(2))
for name, data in (("blanks", b"http://a.x/ 2024-01-02\nhttp://b.x/ 2024-01-03\n"), ("one", b"http://a.x/\t2024-01-02T03:04:05Z\n"), ("loc", b"loc,lastmod,changefreq,priority\nhttp://a.x/,2024-01-02,daily,1\n"),
                   ("more", b"http://a.x/,2024-01-02,daily,0.5\nhttp://b.x/,2024-01-03,weekly,0.8\n"), ("header", b"url,when\nhttp://a.x/,2024-01-02\nhttp://b.x/,2024-01-03\n"), ("stamps", b"http://a.x/ 20240102030405\nhttp://b.x/ 20240102030406\n"),
                   ("quotes", b'"http://a.x/","2024-01-02 03:04:05"\n"http://b.x/","2024-01-02 03:04:05"\n'), ("hosts", b"a.x 2024-01-02\nb.x 2024-01-02\n"), ("first", b"2024-01-02 http://a.x/\n2024-01-03 http://b.x/\n"),
                   ("tabs", b"Paris\t2024-01-02\nRome\t2024-01-03\n"), ("slashes", b"01/02/2024\ta.x\n02/02/2024\tb.x\n"), ("points", b"1.2.2024 a.x\n2.2.2024 b.x\n")):
    case("dates-" + name, {"p": data}, "p", R)
for name, data in (("names", b"2024-01-01\tHome\nHome\t2024-01-01\n"), ("versions", b"1.2.2 1.2.3\n1.2.3 1.2.4\n"), ("addresses", b"10.0.0.1 10.0.0.2\n10.0.0.2 10.0.0.3\n"), ("posts", b"2024-01-01-a b\nb 2024-01-02-c\n")):
    case("no-dates-" + name, {"p": data}, "p", nlinks(2))
case("sign-back-way-out", {"p": b"a <- b\nb <- c\n"}, "p --columns 3,1", links("b a, c b"))
case("sign-unicode-way-out", {"p": "a \u2192 b\n".encode()}, "p --columns 1,3", links("a b"))
case("quotes-single-way-out", {"p": b"'a','b'\n'b','c'\n"}, "millrace help > /dev/null; tr -d \"'\" < p | millrace build -q -o s.mill -", links("a b, b c"))
case("colon-way-out", {"p": b"a: b\nb: c\n"}, "p --format adjacency", links("a b, b c"))
for line in ("// note", "Total: 17", "Segmentation fault", "<<<<<<< HEAD", "17 rows"):
    case("no-link-late-%s-way-out" % line, {"p": ls() + line.encode() + b"\n"}, "p --columns 1,2", nlinks(1201))
    case("no-link-late-%s-skipped" % line, {"p": ls() + line.encode() + b"\n"}, "p --bad-lines skip", nlinks(1200))
case("titles-of-signs", {"p": b"!!!\tBand names\nBand names\tA b\nA b\tC\nC\tD\nD\t!!!\nE\tD\nF\tD\nG\tD\nH\tD\n"}, "p", nlinks(9))
case("words-of-totals", {"p": b"total sum\nsum rows\n"}, "p", links("total sum, sum rows"))

# ---- A campaign of JSON, Matrix Market, other languages and logs ----
def jl(*lines): return "\n".join(lines).encode() + b"\n"
# -- JSON
case("json-nested", {"p.jsonl": jl('{"data":{"url":"http://a/","links":["http://b/"]}}')}, "p.jsonl", R, links("http://a/ http://b/"))
case("json-nested-ends", {"p.jsonl": jl('{"from":{"url":"http://a/"},"to":{"url":"http://b/"}}')}, "p.jsonl", R, links("http://a/ http://b/"))
case("json-key-twice", {"p.jsonl": jl('{"source":"a","target":"b","source":"c"}')}, "p.jsonl", R, links("c b"))
case("json-links-object", {"p.jsonl": jl('{"url":"http://a/","links":{"http://b/":1}}')}, "p.jsonl", R, links("http://a/ http://b/"))
case("json-links-string", {"p.jsonl": jl('{"url":"http://a/","links":"http://b/"}')}, "p.jsonl", R, links("http://a/ http://b/"))
case("json-links-null", {"p.jsonl": jl('{"url":"http://a/","links":null}', '{"url":"http://b/","links":["http://a/"]}')}, "p.jsonl", links("http://b/ http://a/"))
case("json-links-with-null", {"p.jsonl": jl('{"url":"http://a/","links":[null,"http://b/"]}')}, "p.jsonl", R, links("http://a/ http://b/"))
case("json-links-numbers", {"p.jsonl": jl('{"id":1,"links":[2,3]}')}, "p.jsonl", R, links("1 2, 1 3"))
case("json-url-numbers", {"p.jsonl": jl('{"url":"http://a/","links":[2,3]}')}, "p.jsonl", R)
case("json-outlinks-objects", {"p.jsonl": jl('{"url":"http://a/","outlinks":[{"url":"http://b/","text":"t"}]}')}, "p.jsonl", links("http://a/ http://b/"), R)
case("json-pairs-numbers", {"p.jsonl": jl('{"from":1,"to":2}', '{"from":2,"to":3}')}, "p.jsonl", links("1 2, 2 3"))
case("json-pairs-mixed", {"p.jsonl": jl('{"from":1,"to":"1"}')}, "p.jsonl", R, links("1 1"))
case("json-pairs-float", {"p.jsonl": jl('{"from":1.0,"to":2.0}')}, "p.jsonl", R, links("1 2"))
case("json-pairs-half", {"p.jsonl": jl('{"from":1.5,"to":2.5}')}, "p.jsonl", R)
case("json-pairs-exponent", {"p.jsonl": jl('{"from":1e3,"to":2}')}, "p.jsonl", R, links("1000 2"))
case("json-pairs-2-53", {"p.jsonl": jl('{"from":9007199254740993,"to":9007199254740992}')}, "p.jsonl", R, links("9007199254740993 9007199254740992"))
case("json-pairs-2-63", {"p.jsonl": jl('{"from":18446744073709551615,"to":9223372036854775808}')}, "p.jsonl", R, links("18446744073709551615 9223372036854775808"))
case("json-pairs-2-70", {"p.jsonl": jl('{"from":1180591620717411303424,"to":1180591620717411303425}')}, "p.jsonl", R, links("1180591620717411303424 1180591620717411303425"))
case("json-pairs-bool", {"p.jsonl": jl('{"from":true,"to":false}')}, "p.jsonl", R)
case("json-pairs-null", {"p.jsonl": jl('{"source":"a","target":null}', '{"source":"a","target":"b"}')}, "p.jsonl", R, links("a b"))
case("json-pairs-missing", {"p.jsonl": jl('{"source":"a","target":"b"}', '{"source":"a"}')}, "p.jsonl", R, links("a b"))
case("json-pairs-empty", {"p.jsonl": jl('{"source":"a","target":""}', '{"source":"a","target":"b"}')}, "p.jsonl", R, links("a b"))
case("json-pairs-weight", {"p.jsonl": jl('{"source":"a","target":"b","weight":3}')}, "p.jsonl --weights", R)
case("json-pairs-undirected", {"p.jsonl": jl('{"source":"a","target":"b","directed":false}')}, "p.jsonl", R, links("a b, b a"), links("a b"))
case("json-comma-end", {"p.jsonl": b'{"source":"a","target":"b",}\n'}, "p.jsonl", R, links("a b"))
case("json-commas-between", {"p.jsonl": b'{"source":"a","target":"b"},\n{"source":"b","target":"c"},\n'}, "p.jsonl", links("a b, b c"), R)
case("json-comments", {"p.jsonl": b'// links\n{"source":"a","target":"b"}\n'}, "p.jsonl", R, links("a b"))
case("json-comments-hash", {"p.jsonl": b'# links\n{"source":"a","target":"b"}\n'}, "p.jsonl", R, links("a b"))
case("json-one-line", {"p.jsonl": b'{"source":"a","target":"b"}{"source":"b","target":"c"}'}, "p.jsonl", links("a b, b c"), R)
case("json-pretty", {"p.json": b'[\n  {\n    "source": "a",\n    "target": "b"\n  },\n  {\n    "source": "b",\n    "target": "c"\n  }\n]\n'}, "p.json", links("a b, b c"))
case("json-array-pairs", {"p.json": b'[["a","b"],["b","c"]]\n'}, "p.json", R, links("a b, b c"))
case("json-lines-pairs", {"p.jsonl": b'["a","b"]\n["b","c"]\n'}, "p.jsonl", R, links("a b, b c"))
case("json-lines-pairs-numbers", {"p.jsonl": b'[1,2]\n[2,3]\n'}, "p.jsonl", R, links("1 2, 2 3"))
case("json-adjacency", {"p.json": b'{"a":["b","c"],"b":["c"]}\n'}, "p.json", R, links("a b, a c, b c"))
case("json-adjacency-pretty", {"p.json": b'{\n "a": ["b", "c"],\n "b": ["c"]\n}\n'}, "p.json", R, links("a b, a c, b c"))
case("json-edges", {"p.json": b'{"edges":[["a","b"],["b","c"]]}\n'}, "p.json", R, links("a b, b c"))
case("json-d3-index", {"p.json": b'{"nodes":[{"name":"x"},{"name":"y"}],"links":[{"source":0,"target":1}]}\n'}, "p.json", R, links("x y"))
case("json-d3-pretty", {"p.json": b'{\n"nodes":[\n{"id":"x"},\n{"id":"y"}\n],\n"links":[\n{"source":"x","target":"y"}\n]}\n'}, "p.json", R, links("x y"))
case("json-node-link", {"p.json": b'{"directed": true, "multigraph": false, "graph": {}, "nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2}]}'}, "p.json", R, links("1 2"))
case("json-cytoscape", {"p.json": b'{"elements":{"nodes":[{"data":{"id":"a"}}],"edges":[{"data":{"source":"a","target":"b"}}]}}'}, "p.json", R, links("a b"))
case("json-jgf", {"p.json": b'{"graph":{"nodes":{"a":{}},"edges":[{"source":"a","target":"b"}]}}'}, "p.json", R, links("a b"))
case("json-geo", {"p.json": b'{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":{"from":"a","to":"b"}}]}'}, "p.json", R)
case("json-bom", {"p.jsonl": b'\xef\xbb\xbf{"source":"a","target":"b"}\n'}, "p.jsonl", links("a b"))
case("json-utf16", {"p.jsonl": b"\xff\xfe" + '{"source":"a","target":"b"}\n'.encode("utf-16-le")}, "p.jsonl", links("a b"), R)
case("json-crlf", {"p.jsonl": b'{"source":"a","target":"b"}\r\n{"source":"b","target":"c"}\r\n'}, "p.jsonl", links("a b, b c"))
case("json-escapes", {"p.jsonl": b'{"source":"\\u00e9","target":"a\\/b"}\n'}, "p.jsonl", links("\u00e9 a/b"))
case("json-surrogates", {"p.jsonl": b'{"source":"\\ud83d\\ude00","target":"b"}\n'}, "p.jsonl", links("\U0001f600 b"))
case("json-lone-surrogate", {"p.jsonl": b'{"source":"\\ud83d","target":"b"}\n'}, "p.jsonl", R)
case("json-nul", {"p.jsonl": b'{"source":"a\\u0000x","target":"b"}\n'}, "p.jsonl", R, nlinks(1))
case("json-line-end-in-name", {"p.jsonl": b'{"source":"a\\nx","target":"b"}\n'}, "p.jsonl", R, nlinks(1))
case("json-es-bulk", {"p.jsonl": jl('{"index":{"_index":"x"}}', '{"source":"a","target":"b"}')}, "p.jsonl", links("a b"), R)
case("json-mongo", {"p.jsonl": jl('{"_id":{"$oid":"5"},"from":{"$numberLong":"1"},"to":{"$numberLong":"2"}}')}, "p.jsonl", R, links("1 2"))
case("json-apoc", {"p.json": jl('{"type":"node","id":"0","labels":["P"]}', '{"id":"0","type":"relationship","label":"KNOWS","start":{"id":"0"},"end":{"id":"1"}}')}, "p.json", R, links("0 1"))
case("json-error-line", {"p.jsonl": jl('{"source":"a","target":"b"}', '{"error":"timeout"}')}, "p.jsonl", R)
case("json-cut", {"p.jsonl": b'{"source":"a","target":"b"}\n{"source":"b","tar'}, "p.jsonl", R)
case("json-python", {"p.jsonl": b"{'source': 'a', 'target': 'b'}\n"}, "p.jsonl", R)
case("json-nan", {"p.jsonl": b'{"source":"a","target":NaN}\n{"source":"a","target":"b"}\n'}, "p.jsonl", R, links("a b"))
case("json-case", {"p.jsonl": jl('{"Source":"a","Target":"b"}')}, "p.jsonl", links("a b"))
case("json-mixed-kinds", {"p.jsonl": jl('{"url":"http://a/","links":["http://b/"]}', '{"from":"http://b/","to":"http://c/"}')}, "p.jsonl", R, links("http://a/ http://b/, http://b/ http://c/"))
case("json-relative-no-base", {"p.jsonl": jl('{"url":"/a","links":["/b"]}')}, "p.jsonl", R, links("/a /b"))
case("json-names-links", {"p.jsonl": jl('{"url":"Paris","links":["Rome"]}')}, "p.jsonl", R, links("Paris Rome"))
case("json-swagger", {"p.jsonl": jl('{"url":"http://a/","target":"_blank","links":["http://b/"]}')}, "p.jsonl", R, links("http://a/ http://b/"))
case("json-har", {"p.har": b'{"log":{"version":"1.2","entries":[{"request":{"url":"http://a/"}}]}}'}, "p.har", R)
case("json-string-lines", {"p.jsonl": b'"a b"\n"b c"\n'}, "p.jsonl", R)
# -- Matrix Market
MM = b"%%MatrixMarket matrix coordinate "
case("mtx-symmetric-weights", {"p.mtx": MM + b"real symmetric\n3 3 2\n2 1 0.5\n3 2 1.5\n"}, "p.mtx", links("0 1, 1 0, 1 2, 2 1"), nlinks(4))
case("mtx-skew", {"p.mtx": MM + b"real skew-symmetric\n3 3 1\n2 1 0.5\n"}, "p.mtx", nlinks(2), R)
case("mtx-hermitian", {"p.mtx": MM + b"complex hermitian\n3 3 1\n2 1 0.5 1\n"}, "p.mtx", nlinks(2), R)
case("mtx-complex", {"p.mtx": MM + b"complex general\n3 3 1\n2 1 0.5 1\n"}, "p.mtx", nlinks(1), R)
case("mtx-array", {"p.mtx": b"%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n"}, "p.mtx", R, nlinks(2))
case("mtx-upper", {"p.mtx": b"%%MATRIXMARKET MATRIX COORDINATE PATTERN GENERAL\n3 3 1\n1 2\n"}, "p.mtx", nlinks(1))
case("mtx-few", {"p.mtx": MM + b"pattern general\n3 3 3\n1 2\n2 3\n"}, "p.mtx", R)
case("mtx-many", {"p.mtx": MM + b"pattern general\n3 3 1\n1 2\n2 3\n"}, "p.mtx", R)
case("mtx-id-0", {"p.mtx": MM + b"pattern general\n3 3 2\n0 1\n1 2\n"}, "p.mtx", R)
case("mtx-id-above", {"p.mtx": MM + b"pattern general\n3 3 1\n1 4\n"}, "p.mtx", R)
case("mtx-rectangle", {"p.mtx": MM + b"pattern general\n3 5 1\n1 4\n"}, "p.mtx", R, nlinks(1))
case("mtx-no-values", {"p.mtx": MM + b"real general\n3 3 1\n1 2\n"}, "p.mtx", R)
case("mtx-values-pattern", {"p.mtx": MM + b"pattern general\n3 3 1\n1 2 0.5\n"}, "p.mtx", R, nlinks(1))
case("mtx-comments", {"p.mtx": MM + b"pattern general\n% a\n%\n\n3 3 1\n% x\n1 2\n"}, "p.mtx", nlinks(1), R)
case("mtx-crlf", {"p.mtx": MM + b"pattern general\r\n3 3 1\r\n1 2\r\n"}, "p.mtx", nlinks(1))
case("mtx-no-header", {"p.mtx": b"3 3 2\n1 2\n2 3\n"}, "p.mtx", R, links("1 2, 2 3"), nlinks(2))
case("mtx-symmetric-upper-half", {"p.mtx": MM + b"pattern symmetric\n3 3 2\n1 2\n2 3\n"}, "p.mtx", nlinks(4), R)
case("mtx-symmetric-both", {"p.mtx": MM + b"pattern symmetric\n3 3 2\n1 2\n2 1\n"}, "p.mtx", nlinks(2), R)
case("mtx-float-size", {"p.mtx": MM + b"pattern general\n3.0 3.0 1\n1 2\n"}, "p.mtx", R)
case("mtx-two", {"p.mtx": 2 * (MM + b"pattern general\n3 3 1\n1 2\n")}, "p.mtx", R)
# -- METIS and others with counts
case("metis-plain", {"p.graph": b"3 2\n2\n1 3\n2\n"}, "p.graph", nlinks(4))
case("metis-comment", {"p.graph": b"% x\n3 2\n2\n% y\n1 3\n2\n"}, "p.graph", nlinks(4))
case("metis-weights", {"p.graph": b"3 2 1\n2 5\n1 5 3 7\n2 7\n"}, "p.graph", nlinks(4))
case("metis-node-weights", {"p.graph": b"3 2 10\n9 2\n9 1 3\n9 2\n"}, "p.graph", nlinks(4))
case("metis-short", {"p.graph": b"3 2\n2\n1 3\n"}, "p.graph", R)
case("metis-id-0", {"p.graph": b"3 2\n0\n0 2\n1\n"}, "p.graph", R)
case("metis-one-way", {"p.graph": b"3 2\n2\n3\n\n"}, "p.graph", R, nlinks(2))
case("metis-wrong-count", {"p.graph": b"3 9\n2\n1 3\n2\n"}, "p.graph", R, said("9"))
case("dl", {"p.dl": b"dl n=3 format=edgelist1\nlabels:\na,b,c\ndata:\n1 2\n2 3\n"}, "p.dl", R)
case("vna", {"p.vna": b"*node data\nid type\na 1\n*tie data\nfrom to\na b\n"}, "p.vna", R)
case("leda", {"p.lgr": b"LEDA.GRAPH\nvoid\nvoid\n-1\n2\n|{}|\n|{}|\n1\n1 2 0 |{}|\n"}, "p.lgr", R)
case("dot-plain", {"p.txt": b"graph 1 2 2\nnode a 0.5 1 0.7 0.5 a solid ellipse black lightgrey\nedge a b 4 0.5 1 0.5 1 solid black\nstop\n"}, "p.txt", R)
case("dot-undirected", {"p.dot": b"graph {\n a -- b\n}\n"}, "p.dot", R)
case("dot-fragment", {"p.dot": b"a -> b;\nb -> c;\n"}, "p.dot", R, links("a b, b c"))
case("mermaid", {"p.mmd": b"graph TD\n  A --> B\n  B --> C\n"}, "p.mmd", R)
case("plantuml", {"p.puml": b"@startuml\nA --> B\n@enduml\n"}, "p.puml", R)
case("gml-late", {"p.gml": b"Creator \"x\"\nVersion 1\ngraph\n[\n node\n [\n id 0\n ]\n edge\n [\n source 0\n target 1\n ]\n]\n"}, "p.gml", R)
case("graphml-one-line", {"p.xml": b"<graphml><graph edgedefault='directed'><edge source='a' target='b'/></graph></graphml>"}, "p.xml", R)
case("tgf-names", {"p.tgf": b"1 Ann\n2 Bob\n#\n1 2 knows\n"}, "p.tgf", R)
case("off", {"p.off": b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"}, "p.off", R)
case("obj", {"p.obj": b"v 0.1 0.2 0.3\nv 1 2 3\nf 1 2 3\n"}, "p.obj", R)
case("svmlight", {"p.txt": b"1 1:0.5 2:0.3\n-1 2:0.1 5:0.4\n"}, "p.txt", R)
case("libsvm-one", {"p.txt": b"1 5:0.5\n0 7:0.3\n"}, "p.txt", R)
case("arff", {"p.arff": b"@relation x\n@attribute source numeric\n@attribute target numeric\n@data\n1,2\n2,3\n"}, "p.arff", R, links("1 2, 2 3"))
case("fasta", {"p.fa": b">a b\nACGT\n>b c\nACGT\n"}, "p.fa", R)
case("bed", {"p.bed": b"chr1\t100\t200\nchr1\t300\t400\n"}, "p.bed", R)
case("vcf", {"p.vcf": b"##fileformat=VCFv4.2\n#CHROM\tPOS\tID\nchr1\t100\trs1\n"}, "p.vcf", R)
case("sam", {"p.sam": b"@HD\tVN:1.6\nr1\t0\tchr1\t100\n"}, "p.sam", R)
case("yaml", {"p.yml": b"a:\n  - b\n  - c\nb:\n  - c\n"}, "p.yml", R)
case("yaml-list", {"p.yml": b"- a\n- b\n"}, "p.yml", R)
case("yaml-pairs", {"p.yml": b"- source: a\n  target: b\n"}, "p.yml", R)
case("toml", {"p.toml": b"[links]\na = \"b\"\nb = \"c\"\n"}, "p.toml", R)
case("ini", {"p.ini": b"[x]\na=b\nb=c\n"}, "p.ini", R)
case("robots", {"robots.txt": b"User-agent: *\nDisallow: /x\nDisallow: /y\n"}, "robots.txt", R)
case("hosts-file", {"hosts": b"127.0.0.1 localhost\n::1 localhost\n"}, "hosts", R)
case("bibtex", {"p.bib": b"@article{a,\n title = {x},\n}\n"}, "p.bib", R)
case("ris", {"p.ris": b"TY  - JOUR\nAU  - A\nER  - \n"}, "p.ris", R)
case("mbox", {"p.mbox": b"From a@x Mon Jan  1 00:00:00 2024\nFrom: a@x\nTo: b@x\n"}, "p.mbox", R)
case("ics", {"p.ics": b"BEGIN:VCALENDAR\nVERSION:2.0\n"}, "p.ics", R)
case("srt", {"p.srt": b"1\n00:00:01,000 --> 00:00:02,000\nHello\n"}, "p.srt", R)
case("m3u", {"p.m3u": b"#EXTM3U\nhttp://a.x/1\nhttp://a.x/2\n"}, "p.m3u", R)
case("sitemap-txt", {"sitemap.txt": b"http://a.x/1\nhttp://a.x/2\n"}, "sitemap.txt", R)
case("diff", {"p.diff": b"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-1 2\n+1 3\n 2 3\n"}, "p.diff", R)
case("git-log", {"p": b"0ce176b7 Notes\n4a2239a3 Figures\n6c27d747 Docs\n"}, "p", R, nlinks(3))
case("git-parents", {"p": b"0ce176b7 4a2239a3\n4a2239a3 6c27d747\n6c27d747\n"}, "p", R, nlinks(2))
case("git-parents-merge", {"p": b"0ce176b7 4a2239a3 6c27d747\n4a2239a3 6c27d747\n"}, "p", R)
case("du", {"p": b"4.0K\t./a\n8.0K\t./b\n"}, "p", R, nlinks(2))
case("du-numbers", {"p": b"4\t./a\n8\t./b\n"}, "p", R)
case("ls-l", {"p": b"total 8\n-rw-r--r-- 1 root root 12 Nov 29 09:00 a\n"}, "p", R)
case("wc", {"p": b"  10 a\n  20 b\n  30 total\n"}, "p", R)
case("ldd", {"p": b"\tlibc.so.6 => /lib/libc.so.6 (0x00007f)\n\tlibm.so.6 => /lib/libm.so.6 (0x00007f)\n"}, "p", R)
case("netstat", {"p": b"Proto Recv-Q Send-Q Local Foreign State\ntcp 0 0 10.0.0.1:22 10.0.0.2:5000 ESTABLISHED\n"}, "p", R)
case("tcpdump", {"p": b"10:00:00.000001 IP 10.0.0.1.22 > 10.0.0.2.5000: Flags [P.]\n"}, "p", R)
case("pip-deptree", {"p": b"flask==1.0\n  - click [required: >=5.1, installed: 8.0]\n"}, "p", R)
case("npm-ls", {"p": "a@1.0.0\n├── b@1.0.0\n└── c@1.0.0\n".encode()}, "p", R)
case("make", {"Makefile": b"a: b c\nb: c\n"}, "Makefile", R)
case("tsort-odd", {"p": b"a b\nb\nc\n"}, "p", R)
case("wget-log", {"p.log": b"--2024-01-01 10:00:00--  http://a.x/\nResolving a.x... 1.2.3.4\n"}, "p.log", R)
case("wget-rejected", {"p.csv": b"REASON\tU_URL\tU_SCHEME\tU_HOST\tU_PORT\tU_PATH\tU_PARAMS\tU_QUERY\tU_FRAGMENT\tP_URL\tP_SCHEME\nDOMAIN\thttp%3A//b.x/\tSCHEME_HTTP\tb.x\t80\t\t\t\t\thttp%3A//a.x/\tSCHEME_HTTP\n"}, "p.csv", R, nlinks(1))
case("curl-v", {"p.log": b"* Trying 1.2.3.4:80...\n> GET / HTTP/1.1\n< HTTP/1.1 200 OK\n"}, "p.log", R)
case("access-combined", {"access.log": b'10.0.0.1 - - [01/Jan/2024:10:00:00 +0000] "GET /b HTTP/1.1" 200 12 "http://a.x/" "Mozilla"\n'}, "access.log", R)
case("access-iis", {"u.log": b"#Software: Microsoft IIS\n#Fields: date time cs-uri-stem cs(Referer)\n2024-01-01 10:00:00 /b http://a.x/\n"}, "u.log", R, links("http://a.x/ /b"))
case("access-s3", {"s3.log": b'79a5 bucket [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a5 3E57 REST.GET.OBJECT k "GET /k HTTP/1.1" 200\n'}, "s3.log", R)
case("squid", {"a.log": b"1286536308.779    180 192.168.0.224 TCP_MISS/200 411 GET http://a.x/ - DIRECT/1.2.3.4 text/html\n"}, "a.log", R)

# ---- A campaign of bytes, ragged rows, weights, headers and folders ----
# -- bytes
case("bytes-latin1", {"p": b"caf\xe9 th\xe9\nth\xe9 caf\xe9\n"}, "p", nlinks(2), R)
case("bytes-latin1-csv", {"p.csv": b"source,target\ncaf\xe9,th\xe9\n"}, "p.csv", nlinks(1), R)
case("bytes-nul-inside", {"p": b"a\0b c\nd e\n"}, "p", R)
case("bytes-nul-late", {"p": ls() + b"a\0b c\n"}, "p", R)
case("bytes-nul-numbers", {"p": b"1 2\n2\0 3\n"}, "p", R)
case("bytes-nul-numbers-late", {"p": ls(f="%d %d\n") + b"1 \0002\n"}, "p", R)
case("bytes-nul-csv-late", {"p.csv": b"source,target\n" + ls(f="a%d,a%d\n") + b"a\0b,c\n"}, "p.csv", R)
case("bytes-nul-end", {"p": b"1 2\n2 3\n" + 100 * b"\0"}, "p", R)
case("bytes-nul-end-names", {"p": b"a b\nb c\n" + 100 * b"\0"}, "p", R)
case("bytes-nul-end-late", {"p": ls() + 5000 * b"\0"}, "p", R)
case("bytes-nul-end-late-numbers", {"p": ls(f="%d %d\n") + 5000 * b"\0"}, "p", R)
case("bytes-utf16-no-mark", {"p": "1 2\n2 3\n".encode("utf-16-le")}, "p", links("1 2, 2 3"), R)
case("bytes-utf16-no-mark-names", {"p": "a b\nb c\n".encode("utf-16-le")}, "p", links("a b, b c"), R)
case("bytes-utf16-be-no-mark", {"p": "a b\nb c\n".encode("utf-16-be")}, "p", links("a b, b c"), R)
case("bytes-utf32", {"p": b"\xff\xfe\0\0" + "a b\nb c\n".encode("utf-32-le")}, "p", links("a b, b c"), R)
case("bytes-ctrl-z", {"p": b"1 2\r\n2 3\r\n\x1a"}, "p", links("1 2, 2 3"), R)
case("bytes-ctrl-z-names", {"p": b"a b\r\nb c\r\n\x1a"}, "p", links("a b, b c"), R)
case("bytes-form-feed", {"p": b"1 2\n\x0c2 3\n"}, "p", R, links("1 2, 2 3"))
case("bytes-nel", {"p": "a b\u0085b c\u0085".encode()}, "p", R)
case("bytes-line-separator", {"p": "a b\u2028b c\n".encode()}, "p", R)
case("bytes-nbsp", {"p": "a\u00a0b\nb\u00a0c\n".encode()}, "p", R)
case("bytes-nbsp-csv", {"p.csv": "source,target\na\u00a0,b\na,b\n".encode()}, "p.csv", R, pages(3), pages(2))
case("bytes-zero-width", {"p.csv": "source,target\n\u200ba,b\nb,a\n".encode()}, "p.csv", R, pages(3), pages(2))
case("bytes-vertical-tab", {"p": b"a\x0bb\nb\x0bc\n"}, "p", R)
case("bytes-colours", {"p": b"\x1b[31ma\x1b[0m b\n\x1b[31mb\x1b[0m c\n"}, "p", R, nlinks(2))
case("bytes-backspace", {"p": b"a\x08b c\n"}, "p", R, nlinks(1))
case("bytes-crlf-lf", {"p": b"a b\r\nb c\nc a\r\n"}, "p", links("a b, b c, c a"))
case("bytes-cr-lf-mixed", {"p": b"a b\rb c\nc a\r"}, "p", R)
case("bytes-cr-inside", {"p": b"1 2\r3 4\n5 6\n"}, "p", R)
case("bytes-cr-inside-late", {"p": ls(f="%d %d\n") + b"1 2\r3 4\n"}, "p", R)
case("bytes-cr-inside-names-late", {"p": ls() + b"http://a.x/ http://b.x/\rhttp://c.x/ http://d.x/\n"}, "p", R)
case("bytes-cr-inside-csv-late", {"p.csv": b"source,target\n" + ls(f="a%d,a%d\n") + b"b,c\rd,e\n"}, "p.csv", R)
case("bytes-nfd", {"p.csv": "source,target\ne\u0301,b\n\u00e9,b\n".encode()}, "p.csv", pages(3), pages(2), R)
case("only-mark", {"p": b"\xef\xbb\xbf"}, "p", R)
case("only-line-ends", {"p": b"\n\n\r\n"}, "p", R)
case("only-comments", {"p": b"# a\n% b\n"}, "p", R)
case("only-nul", {"p": b"\0"}, "p", R)
case("empty", {"p": b""}, "p", R)
case("blank-lines-first", {"p": b"\n\n1 2\n\n2 3\n\n"}, "p", links("1 2, 2 3"))
case("long-name", {"p": b"a" * 70000 + b" b\n"}, "p", R)
case("long-line-numbers", {"p": b"1 2" + b" " * 2000000 + b"\n2 3\n"}, "p", R, links("1 2, 2 3"))
case("many-columns", {"p.csv": b",".join(b"c%d" % i for i in range(300)) + b"\n" + b",".join(b"%d" % i for i in range(300)) + b"\n"}, "p.csv", R)
case("many-columns-known", {"p.csv": b",".join(b"c%d" % i for i in range(200)) + b",source,target\n" + b",".join(b"%d" % i for i in range(202)) + b"\n"}, "p.csv", R, links("200 201"))
case("one-link", {"p": b"1 2"}, "p", links("1 2"))
case("one-link-names", {"p": b"a b"}, "p", links("a b"))
# -- weights and ragged rows
case("wel-more", {"p.wel": b"1 2 5\n2 3 53 4 6\n"}, "p.wel", R)
case("wel-more-late", {"p.wel": ls(f="%d %d 5\n") + b"2 3 53 4 6\n"}, "p.wel", R)
case("wel-less-late", {"p.wel": ls(f="%d %d 5\n") + b"2 3\n"}, "p.wel", R)
case("weights-more-late", {"p": ls(f="%d %d 5\n") + b"2 3 53 4 6\n"}, "p --weights", R)
case("numbers-more-late", {"p": ls(f="%d %d\n") + b"2 3 4 5\n"}, "p", R)
case("names-more-late", {"p": ls() + b"http://a.x/ http://b.x/ http://c.x/\n"}, "p", R)
case("names-weight-late", {"p": ls() + b"http://a.x/ http://b.x/ 5\n"}, "p", R)
case("csv-more-late", {"p.csv": ls(f="a%d,b%d\n") + b"a1,b2,c3\n"}, "p.csv", R)
case("csv-less-late", {"p.csv": ls(f="a%d,b%d\n") + b"a1\n"}, "p.csv", R)
case("csv-other-separator-late", {"p.csv": b"source,target\n" + ls(f="a%d,b%d\n") + b"a1;b2\n"}, "p.csv", R)
case("tsv-other-separator-late", {"p.tsv": b"source\ttarget\n" + ls(f="a%d\tb%d\n") + b"a1,b2\n"}, "p.tsv", R)
case("numbers-semicolon-late", {"p": ls(f="%d %d\n") + b"7;8\n"}, "p", R)
case("urls-tab-late", {"p": ls() + b"http://a.x/\thttp://b.x/\n"}, "p", nlinks(1201), R)
case("urls-comma-late", {"p": ls() + b"http://a.x/,http://b.x/\n"}, "p", R)
case("urls-in-tabs-blank-late", {"p": ls(f="http://h%d.x/\thttp://h%d.x/\n") + b"http://a.x/ http://b.x/\n"}, "p", R)
case("columns-swapped-late", {"p.csv": b"source,target\n" + ls(f="a%d,a%d\n") + b"target,source\nb,a\n"}, "p.csv", R)
case("header-other-late", {"p.csv": b"source,target,w\n" + ls(f="a%d,a%d,1\n") + b"from,to,w\nb,a,2\n"}, "p.csv", R)
case("header-added-late", {"p": ls(f="%d,%d\n") + b"source,target\n1,2\n"}, "p", R)
case("weight-words-late", {"p.csv": b"source,target,weight\n" + ls(f="a%d,a%d,1\n") + b"a,b,heavy\n"}, "p.csv", R)
case("weight-comma-late", {"p.csv": b"source;target;weight\n" + ls(f="a%d;a%d;1\n") + b"a;b;1,234\n"}, "p.csv --weights", R)
case("weight-inf", {"p.csv": b"source,target,weight\na,b,inf\nb,c,1\n"}, "p.csv --weights", R)
case("weight-percent", {"p.csv": b"source,target,weight\na,b,50%\nb,c,20%\n"}, "p.csv --weights", R)
case("weight-money", {"p.csv": b"source,target,weight\na,b,$5\nb,c,$7\n"}, "p.csv --weights", R)
case("weight-exponent", {"p.csv": b"source,target,weight\na,b,1e-3\nb,c,2E2\n"}, "p.csv --weights", links("a b, b c"))
case("weight-fraction", {"p.csv": b"source,target,weight\na,b,1/2\nb,c,1\n"}, "p.csv --weights", R)
case("weight-tiny", {"p.csv": b"source,target,weight\na,b,1e-60\nb,c,1\n"}, "p.csv --weights", R)
case("weight-quoted", {"p.csv": b'source,target,weight\n"a","b","5"\n'}, "p.csv --weights", links("a b"))
case("weight-blank-header", {"p.txt": b"source target weight\n1 2 5\n2 3 7\n"}, "p.txt --weights", links("1 2, 2 3"))
case("weight-count", {"p.csv": b"source,target,count\na,b,5\n"}, "p.csv --weights", R, links("a b"))
case("weight-none-kept", {"p": b"a b 5\nb c 7\n"}, "p --weights", R, links("a b, b c"))
# -- headers
for words, forth in (("head,tail", None), ("tail,head", None), ("u,v", True), ("v,u", False), ("node1,node2", True), ("node2,node1", False), ("origin,destination", True),
                     ("destination,origin", False), ("departure,arrival", True), ("sender,receiver", True), ("receiver,sender", False), ("caller,callee", True), ("callee,caller", False), ("importer,imported", True), ("imported,importer", False),
                     ("dependent,dependency", True), ("dependency,dependent", False), ("follower,followee", True), ("followee,follower", False), ("followed,follower", False), ("citing,cited", True), ("cited,citing", False), ("linked,linking", False), ("parent,child", True), ("child,parent", None),
                     ("referer,request", True), ("request,referer", False), ("url,from", False), ("from,url", True), ("page,to", True), ("to,page", False), ("SourceID,TargetID", True), ("Target ID,Source ID", False), ("src_ip,dst_ip", True), ("dst_ip,src_ip", False),
                     ("subject,object", True), ("object,subject", False), ("predecessor,successor", True), ("ego,alter", None), ("from_node_id,to_node_id", True), ("to_node_id,from_node_id", False), ("link_from,link_to", True), ("link_to,link_from", False), ("linking_page,linked_page", True),
                     ("quoting,quoted", None), ("replying_to,user", None), ("manager,employee", None), ("employee,manager", True), ("supervisor,employee", None), ("buyer,seller", None), ("payer,payee", None), ("giver,taker", None), ("rater,ratee", None), ("voter,candidate", None)):
    w = links("a b, b c") if forth else links("b a, c b") if forth is False else None
    case("words-2-" + words, {"p.csv": (words + "\na,b\nb,c\n").encode()}, "p.csv", *([w] if w else [links("a b, b c"), links("b a, c b")]), R)
for words, row, want in (("id,id", "1,2", links("1 2")), ("url,url", "http://a/,http://b/", links("http://a/ http://b/")), ("from,to,from_id,to_id", "A,B,1,2", links("A B")), ("source_name,source_id,target_name,target_id", "A,1,B,2", (links("A B"), links("1 2"))),
                         ("source_id,source_name,target_id,target_name", "1,A,2,B", links("1 2")), ("index,source,target", "0,a,b", links("a b")), ("row,source,target", "0,a,b", links("a b")), ("time,from,to", "1082008561,1,2", links("1 2")), ("from,to,time", "1,2,1082008561", links("1 2")),
                         ("source,target,source_type,target_type", "a,b,x,y", links("a b")), ("source_type,source,target_type,target", "x,a,y,b", links("a b")), ("source,edge,target", "a,e,b", links("a b")), ("subject,predicate,object", "a,p,b", links("a b")), ("Source , Target ", "a,b", links("a b")),
                         ('"Source","Target"', "a,b", links("a b")), ("source (id),target (id)", "1,2", links("1 2")), ("#source,target", "a,b", links("a b")), ("# source,target", "a,b", links("a b")), ("source,target,", "a,b,", links("a b")), (",source,target", ",a,b", links("a b")),
                         ("from,to,to", "a,b,c", None), ("source,target1,target2", "a,b,c", None), ("source,target_1,target_2", "a,b,c", None), ("page,link1,link2", "a,b,c", None), ("source,targets", 'a,"[b, c]"', links("a b, a c")), ("source,targets", 'a,"{b,c}"', links("a b, a c")), ("source,targets", 'a,b c', (links("a b, a c"), links("a|b c"))),
                         ("source,targets", "a,", None), ("source,targets", 'a,"[]"', None), ("page,links", 'http://a/,17', None), ("url,inlinks", "http://a/,3", None), ("source,target,weight,source", "a,b,1,c", None)):
    wants = [want] if want and want[0] == "links" else list(want or [])
    case("row-%s-%s" % (words, row), {"p.csv": (words + "\n" + row + "\n").encode()}, "p.csv", *wants, R)
# -- archives of text, by name
case("gz-name-plain", {"p.txt": gzip.compress(b"1 2\n")}, "p.txt", links("1 2"))
case("gz-twice", {"p.gz": gzip.compress(gzip.compress(b"1 2\n"))}, "p.gz", R)
case("gz-cut", {"p.gz": gzip.compress(b"1 2\n" * 1000)[:-12]}, "p.gz", R)
case("gz-tail", {"p.gz": gzip.compress(b"1 2\n") + b"\0" * 512}, "p.gz", R, links("1 2"))
case("gz-tail-text", {"p.gz": gzip.compress(b"1 2\n") + b"3 4\n"}, "p.gz", R)
case("gz-empty", {"p.gz": gzip.compress(b"")}, "p.gz", R)
case("gz-not", {"p.gz": b"1 2\n"}, "p.gz", links("1 2"), R)
case("tar-gz", {"p.tar.gz": gzip.compress(b"a.txt" + bytes(95) + b"0000644\0" + bytes(24) + b"00000000004\0" + bytes(12) + b"        " + b"0" + bytes(100) + b"ustar\00000" + bytes(247) + b"1 2\n" + bytes(508))}, "p.tar.gz", R)
case("folder-readme", {"f/a.txt": b"1 2\n", "f/README.md": b"# Links\n\nThe links of 2024.\n"}, "f", R, links("1 2"))
case("folder-json", {"f/a.csv": b"source,target\na,b\n", "f/meta.json": b'{"created":"2024"}\n'}, "f", R, links("a b"))
case("folder-nodes", {"f/edges.csv": b"source,target\n1,2\n", "f/nodes.csv": b"id,label\n1,A\n2,B\n"}, "f", R, links("1 2"))
case("folder-crc", {"f/part-0": b"1 2\n", "f/.part-0.crc": b"crc\0\0\0", "f/_SUCCESS": b""}, "f", links("1 2"))
case("folder-backup", {"f/a.txt": b"1 2\n", "f/a.txt~": b"1 3\n"}, "f", R, links("1 2"), links("1 2, 1 3"))
case("folder-empty", {"f/_x": b"1 2\n"}, "f", R)
case("same-file-twice", {"a": b"a b\n"}, "a a", links("a b"), R)
case("json-whole-floats", {"p.jsonl": jl('{"from":1.0,"to":2e0}', '{"from":2.5,"to":3}')}, "p.jsonl --bad-lines skip", links("1 2"))

# ---- Results ----
case("damping-09999", {"a.txt": b"1 2\n2 3\n3 1\n1 3\n"}, "millrace pagerank a.txt --damping 0.9999", ("exit0",))
case("damping-099999", {"a.txt": b"1 2\n2 3\n3 1\n1 3\n4 1\n"}, "millrace pagerank a.txt --damping 0.99999", ("exit0",))
case("generate-other-kind", {}, "millrace generate crawl --scale 8 -o s.mill", refuse("--scale"))
case("generate-other-kind-2", {}, "millrace generate kron --pages 100 --scale 8 -o s.mill", refuse("--pages"))

# ---- The runner ----
def graph(program, work):
    run = subprocess.run([program, "export", "s.mill", "--to", "u32", "-o", "e.u32", "--names", "e.n", "--force", "--quiet"], cwd=work, capture_output=True)
    if run.returncode: return None, None
    names = (work / "e.n").read_text(errors="replace").split("\n")[:-1]
    return names, sorted((names[a], names[b]) for a, b in struct.iter_unpack("<II", (work / "e.u32").read_bytes()))

def holds(want, run, names, edges):
    kind, rest = want[0], want[1:]
    text, err, ok = run.stdout.decode(errors="replace"), run.stderr.decode(errors="replace"), run.returncode == 0
    if kind == "links": return ok and edges == sorted(rest[0])
    if kind == "nlinks": return ok and edges is not None and len(edges) == rest[0]
    if kind == "pages": return ok and names is not None and len(names) == rest[0]
    if kind == "lacks": return ok and names is not None and rest[0] not in names
    if kind == "out": return ok and rest[0] in text
    if kind == "outlacks": return ok and rest[0] not in text
    if kind == "said": return rest[0] in err
    if kind == "exit0": return ok
    if kind == "refuse": return run.returncode in (2, 3) and err != "" and (not rest or rest[0] in err)
    raise SystemExit("unknown: " + kind)

AND = {"lacks", "out", "outlacks"}  # of these all must hold; of the others one

def main():
    program, only = os.path.abspath(sys.argv[1]), re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
    bad = total = 0
    for name, files, command, wants in CASES:
        if not only.search(name): continue
        total += 1
        with tempfile.TemporaryDirectory() as tmp:
            work = pathlib.Path(tmp)
            for path, data in files.items():
                (work / path).parent.mkdir(exist_ok=True)
                (work / path).write_bytes(data)
            run = subprocess.run(["sh", "-c", command.replace("millrace ", program + " ")], cwd=work, capture_output=True, stdin=subprocess.DEVNULL)
            names, edges = graph(program, work) if (work / "s.mill").exists() else (None, None)
            each = [holds(w, run, names, edges) for w in wants if w[0] in AND]
            some = [holds(w, run, names, edges) for w in wants if w[0] not in AND]
            refused = any(w[0] == "refuse" and holds(w, run, names, edges) for w in wants)
            if not (all(each) and (any(some) or not some)) and not refused:
                bad += 1
                print("%s: exit %d, %s, %s\n    stderr: %s\n    wanted: %s" % (name, run.returncode, ("graph %s" % (edges,))[:300], run.stdout.decode(errors="replace")[:200] if wants[0][0].startswith("out") else "",
                      run.stderr.decode(errors="replace").strip().replace("\n", " / ")[:500], wants))
    print("%d passed, %d failed" % (total - bad, bad))
    sys.exit(bad > 0)

main()
