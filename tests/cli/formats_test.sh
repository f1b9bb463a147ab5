#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# millrace build, export, convert: formats that are found out, named, refused.
. "$(dirname "$0")/lib.sh"

# bytes FILE HEX...
bytes() {
    local file=$1
    shift
    printf "$(printf '%s' "$*" | tr -d ' ' | sed 's/../\\x&/g')" >"$file"
}

# refused CODE FILE TEXT: what build says of a file.
refused() {
    run build --quiet --force -o x.mill "$2" "${@:4}"
    exits "$1"
    stderr_is <<<"millrace: $3"
}

begin "a format that does not exist is answered with those that do"
echo "1 2" >x
run build -o x.mill x --format graphml
exits 2
stderr_is <<'END'
millrace: --format graphml: must be auto, bvgraph, wat, warc, arc, nutch, nutch-sequence, commoncrawl, crawl-log, heritrix-pagerank, cdxj, jsonl, adjacency, graphalytics, npy, mtx, dimacs, ligra, sg, wsg, u32, u64, u32be, u64be, u32-f32, u64-f64, ascii-graph, smat, metis, adjlist, csv, wel, edges or urls
END
run build x -o x.mill --quiet
exits 0
run export x.mill --to dot -o x.dot
exits 2
stderr_is <<'END'
millrace: --format dot: must be u32, u64, edges, mtx, npy, wel, u32-f32, graphalytics, sg, wsg or bvgraph
END

begin "snap is another name of edges"
echo "1 2" >x
run build --format snap x -o x.mill --quiet
exits 0
run export x.mill --to snap -o x.snap --quiet
exits 0
run export x.mill --to edges -o x.edges --quiet
exits 0
cmp -s x.snap x.edges || fail "--format snap writes something else than --format edges"

begin "raw numbers have no mark"
bytes x 0000000001000000
refused 3 x "x: binary data of no known format; if it is raw numbers, say which with --format ('millrace help inputs' lists the formats)"
mv x x.u32
run build --quiet -o x.mill x.u32
exits 0
bytes x.u32 00000000010000000200
refused 3 x.u32 "x.u32: offset 8: the file ends within an edge of SIZE; is it of another format?"
bytes x.u64 ffffffffffffffff 0000000000000000
refused 3 x.u64 "x.u64: offset 0: vertex 2^64-1, which is no vertex; is it of another format?"

begin "Matrix Market"
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 2 9999\n1 1\n' >x.mtx
refused 3 x.mtx "x.mtx:2: 9999 entries do not fit into the rest of the file"
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n2 2\n' >x.mtx
refused 3 x.mtx 'x.mtx:4: "2": more than the 1 entries announced'
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 2 1\n3 1\n' >x.mtx
refused 3 x.mtx 'x.mtx:3: "3": the row must be from 1 to 2'
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n' >x.mtx
refused 2 x.mtx "--vertices 1: the input has 2; give at least as many" --vertices 1
refused 2 x.mtx "--vertex-list: Matrix Market says by itself which vertices there are" --vertex-list x.mtx
run build -o x.mill x.mtx
exits 0
stderr_is <<'END'
millrace: Matrix Market: 1 links
millrace: 2 pages, 1 of them dangling; 1 links; 0 duplicates merged, 0 self-loops
millrace: x.mill: SIZE, B bits per link, T s (reading T, numbering T, sorting T, writing T)
END

begin "METIS, ASCIIGraph, adjacency lists, Ligra, DIMACS"
printf '4 1\n2\n1\n' >x.metis
refused 3 x.metis "x.metis:4: the file ends after 2 of 4 vertices"
printf '2 1\n2\n3\n' >x.metis
refused 3 x.metis 'x.metis:3: "3": a neighbour must be a number from 1 to 2'
printf '3 2 100\n7 2\n8 1 3\n9 2\n' >x.metis
refused 3 x.metis 'x.metis:2: "7": a neighbour must be a number from 1 to 3'
run build -o x.mill --force x.metis
has "$root/stderr" "x.metis: if its format, 1xx, says that lines begin with the sizes of vertices, write the file without them"
printf '3 2 100\n1 2\n1 1 3\n1 2\n' >x.metis
refused 3 x.metis "x.metis:5: 7 neighbours, one a line too many for the 2 edges announced: the lines begin with vertex sizes; write the file without them"
printf '3 2\n2\n1 3\n' >x.metis
refused 3 x.metis 'x.metis:4: the file ends after 2 of 3 vertices, and 3 neighbours where the header says 2 edges'
printf '3 1\n2\n1\n' >x.metis
run build -o x.mill --force --quiet x.metis
exits 0
printf '3 999999999999\n2\n1 3\n2\n' >x.metis
refused 3 x.metis 'x.metis:1: 999999999999 edges do not fit into the rest of the file'
printf '2\n1\n0\n1\n' >x.graph-txt
refused 3 x.graph-txt 'x.graph-txt:4: "1": more lines than the 2 vertices'
printf '0 2 1\n' >x
refused 3 x 'x:1: the line ends after 1 of 2 neighbours' --format adjlist
printf 'AdjacencyGraph\n2\n1\n0\n5\n1\n' >x
refused 3 x 'x:5: "5": an offset must be a number from 0 to 1'
printf 'AdjacencyGraph\n2\n4000000000\n' >x
refused 3 x 'x:3: 4000000002 numbers do not fit into the rest of the file'
printf 'p sp 2 2\na 1 2 1\n' >x.gr
refused 3 x.gr 'x.gr:3: 1 edges where 2 were announced'

begin "GAPBS"
bytes x.sg 00 0100000000000000 0200000000000000
refused 3 x.sg "x.sg: offset 0: its first bytes announce 2 vertices and 1 edges, which do not make SIZE; is it a .sg file, and whole?"
bytes x.sg 00 0100000000000000 0100000000000000 0000000000000000 0100000000000000 07000000
refused 3 x.sg "x.sg: offset 33: target 7 of vertex 0 is not below 1"
gzip x.sg
refused 3 x.sg.gz "x.sg.gz: this format is read in several places at once, and so only from an uncompressed file; decompress it into one"
gunzip x.sg.gz
run build --quiet --force -o x.mill - --format sg <x.sg
exits 3
has "$root/stderr" "standard input: this format is read in several places at once"
: >x.sg
refused 3 x.sg "x.sg: is empty, or no regular file"

begin "NumPy"
bytes x.npy 934e554d5059 0100 0600 7b2722207d0a
refused 3 x.npy "x.npy: offset 10: the elements are no integers of 4 or SIZE; save an array of shape (2, E) or (E, 2) of int32 or int64"

bytes x.npy 934e554d5059 0100 7600 \
    "$(printf '%-117s\n' "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 1), }" | od -An -v -tx1 | tr -d ' \n')" \
    0100000000000000 0200000000000000
run build --quiet --force -o x.mill x.npy
exits 0
run build --quiet --force -o x.mill - <x.npy
exits 3
has "$root/stderr" "which takes an uncompressed file; decompress it into one"

begin "Graphalytics: what its properties say is so"
printf '1\n2\n3\n' >g.v
printf '1 2\n2 3\n' >g.e
printf 'graph.g.vertex-file = g.v\ngraph.g.meta.vertices = 3\ngraph.g.meta.edges = 2\n' >g.properties
run build --quiet --force -o x.mill g.e
exits 0
printf '1 2\n' >g.e
refused 3 g.e "g.e: has 1, and the properties say meta.edges = 2; get the whole file, or mend that line"
printf '1\n2\n' >g.v
refused 3 g.e "g.v: has 2, and the properties say meta.vertices = 3; get the whole file, or mend that line"
echo 'graph.g.directed = maybe' >>g.properties
refused 3 g.e "g.properties:4: .directed: must be true or false"

begin "archives and headers that look like links"
printf '1 2\n2 3\n' >links.txt
tar -cf links.tar links.txt
refused 3 links.tar "links.tar: is a tar archive; take the file out of it: tar -xOf ARCHIVE | millrace build -o STORE -"
{
    echo 65 64
    seq 64 | awk '{ print $1 - 1, $1 }'
} >headed
run build --force -o x.mill headed
exits 0
has "$root/stderr" "note: the first line, 65 64, was taken for a link"
tail -n +2 headed >links.txt
run build --force -o x.mill links.txt
exits 0
if grep -q "taken for a link" "$root/stderr"; then fail "a note about a header that is none"; fi
printf '%%%%MatrixMarket matrix coordinate pattern general\n99999999999 2 1\n1 1\n' >x.mtx
refused 3 x.mtx "x.mtx: says that it has 99999999999 pages; a store can hold 4294967295"

begin "WebGraph"
bytes web.graph 7dc5daf177
refused 3 web.graph "web.graph: a WebGraph needs its properties beside it, in web.properties"
printf 'graphclass=it.unimi.dsi.webgraph.BVGraph\nnodes=5\narcs=5\n' >web.properties
run build --quiet -o x.mill web.graph
exits 0
refused 3 web "web: no such file, but the beginning of some; say web.graph"
bytes web.graph 7dc5daff77
refused 3 web.graph 'web.graph: offset 2: bit 21, node 2: a successor is no node; the file is damaged, or its .properties are another graph'"'"'s'

begin "tables"
printf 'node_1,node_2\n1,2\n2,3\n' >x.csv
run build --force -o x.mill x.csv
exits 0
has "$root/stderr" "2 lines: 2 links"
printf 'src,dst,weight\n1,2,\n1,2,3\n' >x.csv
refused 3 x.csv 'x.csv:2: "1,2,": the weight is missing or no number; --no-weights reads past weights; skip such lines with --bad-lines skip'
printf 'src,dst\n1\n\n2\n' >x.csv
refused 3 x.csv 'x.csv:2: "1": no source or no target; no line is any better: check the file and its --format'
rm -r x.mill
printf 'source,target\na,b\n"c,b\n' >x.csv
refused 3 x.csv 'x.csv:3: ""c,b": its quotes do not match; skip such lines with --bad-lines skip'
run build -o x.mill x.csv --bad-lines skip --columns source-target
exits 0
has "$root/stderr" "2 pages"
run convert x.csv x.txt
exits 3
run convert x.csv x.txt --bad-lines skip --names names --quiet
exits 0
file_is names <<'END'
a
b
END
file_is x.txt <<'END'
# Nodes: 2 Edges: 1
# FromNodeId	ToNodeId
0	1
END

# built LINK...: the links of what build makes of the file x, as it calls them.
built() {
    run build --quiet --force -o x.mill x
    exits 0
    run export x.mill --to edges -o links --names names --force --quiet
    exits 0
    run info x.mill --json
    if grep -q '"names": "text"' "$root/stdout"; then
        awk 'NR == FNR { name[FNR - 1] = $0; next } !/^#/ { print name[$1] " " name[$2] }' names links
    else
        awk '!/^#/ { print $1 " " $2 }' links
    fi | sort >ends
    printf '%s\n' "$@" | sort | cmp -s - ends || fail "$(cat x) has the links $(cat ends)"
}

begin "a comment is never the header of a table, a line without a sign of comments is"
for comment in '# source target' '# FromNodeId ToNodeId' '% from to' '#source target' '# target source'; do
    printf '%s\n1 2 5\n3 4 6\n' "$comment" >x
    built '1 2' '3 4'
done
for comment in '# src dst ts' '% from to' '# target source'; do
    printf '%s\nhttp://a/ http://b/ 5\nhttp://b/ http://c/ 6\n' "$comment" >x
    built 'http://a/ http://b/' 'http://b/ http://c/'
done
printf '# source target\n\n%% any\ntarget,source\n# links\n1,2\n' >x
built '2 1'
printf 'source target\n1 2 5\n' >x
built '1 2'

begin "tables without a header, and the names that columns have"
printf 'http://a/,http://b/\r\n"http://c/x,y","http://b/""q"""\r\n' >x
built 'http://a/ http://b/' 'http://c/x,y http://b/"q"'
printf 'http://a/; http://b/;an anchor, with blanks\nhttp://b/; http://a/;x\n' >x
built 'http://a/ http://b/' 'http://b/ http://a/'
printf '"http://a/"\t"http://b/"\n' >x
built 'http://a/ http://b/'
printf '1;2\n2;3\n' >x
built '1 2' '2 3'
printf 'http://a/x,1 http://b/y,2\nhttp://a/x,3 http://b/y,4\n' >x
built 'http://a/x,1 http://b/y,2' 'http://a/x,3 http://b/y,4'
printf 'From URL,anchor,To URL\nhttp://a/,x,http://b/\n' >x
built 'http://a/ http://b/'
printf 'url\tlink\nhttp://a/\thttp://b/\n' >x
built 'http://a/ http://b/'
printf 'url,referrer\nhttp://a/,http://b/\n' >x
built 'http://b/ http://a/'
printf 'page,goes_to\nhttp://a/,http://b/\n' >x
refused 3 x 'x:1: "page,goes_to": a header, it seems, that does not say which columns are source and target; call them so, or leave the line out'
printf 'Page GoesTo\nhttp://a/ http://b/\n' >x
refused 3 x 'x:1: "Page GoesTo": a header, it seems, that does not say which columns are source and target; call them so, or leave the line out'
printf 'url,status\nhttp://a/,0.5\nhttp://b/,0.25\n' >x
refused 3 x 'x:2: "http://a/,0.5": names and numbers that are not whole, as scores are, and no links; a header such as source,target says that they are'

begin "names of several words, in two columns with a tab between or in a .csv"
# words_built FILE PAGE...: the store of FILE has these pages.
words_built() {
    local file=$1
    shift
    run build --force -o x.mill "$file"
    exits 0
    "$MILLRACE" find x.mill . | LC_ALL=C sort >pages
    printf '%s\n' "$@" | LC_ALL=C sort | cmp -s - pages || fail "$file: $(cat pages)"
}
printf 'Marie Curie\tPierre Curie\nPierre Curie\tMarie Curie\nMarie Curie\tE\n' >x
words_built x 'Marie Curie' 'Pierre Curie' E
has "$root/stderr" "note: x has no header; its first column is read as source, the second as target"
printf 'Marie Curie,Pierre Curie\nPierre,Marie Curie\n' >x.csv
words_built x.csv 'Marie Curie' Pierre 'Pierre Curie'
cp x.csv x # prose has commas, too
run build --force -o x.mill x
exits 3
run build --force -o x.mill x --format csv --quiet
exits 0
[ "$("$MILLRACE" find x.mill . | grep -c 'Marie Curie')" = 1 ] || fail "--format csv: $("$MILLRACE" find x.mill .)"
printf 'a.example b.example\tclick here\n' >x # two hosts and a text
built 'a.example b.example'
printf 'a b\t3\n' >x
built 'a b'

begin "SMAT: its first line is no link"
printf '4 4 3\n0 1 1\n1 2 1\n\n2 0 1\n' >x
run build --force -o x.mill x
exits 0
has "$root/stderr" "SMAT: 3 links"
has "$root/stderr" "4 pages, 1 of them dangling; 3 links"
printf '2 4 1\n0 3 0.5\n' >x.smat
run build --force -o x.mill x.smat --weights
exits 0
has "$root/stderr" "4 pages, 3 of them dangling; 1 links"
printf '2 2 1\n0 2 1\n' >x.smat
refused 3 x.smat 'x.smat:2: "2": a column must be a number from 0 to 1' --format smat
printf '2 2 2\n0 1 1\n' >x.smat
refused 3 x.smat 'x.smat:3: 1 entries where 2 were announced' --format smat
printf '2 2 1\n0 1 1\n1 0 1\n' >x.smat
refused 3 x.smat 'x.smat:3: "1": more than the 1 entries announced' --format smat
printf '4 4 7\n0 1 1\n1 2 1\n' >x # two links behind it, not seven: links with a third column
run build --force --quiet -o x.mill x
exits 0
run info x.mill --json
has "$root/stdout" '"edges": 3,'

begin "text that is no list of links is refused, and --format urls takes it as it is"
printf 'http://a/\thttp://b/\n' >x
built 'http://a/ http://b/'
for names in 'a b' 'org.example.www com.example' 'www.example.com example.org' 'Foo_(bar) Été' 'n1 _:b2' \
    '1.2.3.4 example.com' 'com,example)/a org)/' 'http://a/ b' '17 n3'; do
    echo "$names" >x
    built "$names"
done
printf '0.5\thttp://a/\n0.25\thttp://b/\n' >x
refused 3 x 'x:2: "0.25\x09http://b/": names and numbers that are not whole, as scores are, and no links; --format urls takes both for names of pages'
run build --quiet --force -o x.mill x --format urls
exits 0
printf '1 http://a/\n2 http://b/\n' >x
refused 3 x 'x:2: "2 http://b/": numbers and names, as in a list of numbered pages, and no links; --format urls takes both for names of pages'
printf 'Name: value\nOther: 17\n' >x
refused 3 x 'x:1: "Name: value": neither URLs nor hosts nor ids; --format urls takes the first two words of each line for a link'
printf 'It was the best of times\nit was the worst\nof all times and then\n' >x
refused 3 x 'x:2: "it was the worst": not as many words as in the first line; --format adjacency takes a page and all that it links to, --format urls the first two words of each line'
printf '# pages\nhttp://a/\nhttp://b/\n' >x
refused 3 x 'x:2: "http://a/": one word a line, and no links; links are lines of two names, a page and one that it links to'
not_read="which is not read; write its links as lines of two names, or as a table with the columns source and target"
printf '<?xml version="1.0"?>\n<graphml>\n' >x
refused 3 x "x: is XML or HTML, $not_read"
printf '<http://a/> <http://p/> <http://b/> .\n' >x
refused 3 x "x: is RDF, $not_read"
printf 'digraph {\n  a -> b;\n}\n' >x
refused 3 x "x: is GraphViz, $not_read"
printf 'graph [\n  node [ id 1 ]\n' >x
refused 3 x "x: is GML, $not_read"
printf '*Vertices 2\n1 "a"\n2 "b"\n' >x
refused 3 x "x: is Pajek, $not_read"

begin "convert: what is dangling in the graph, not in its reverse, and what its numbers are"
printf '10 20\n10 30\n10 40\n' >x
for output in x.graph x.sg x.mtx; do
    run convert x $output
    exits 0
    has "$root/stderr" "3 of the"
    lacks "$root/stderr" " 1 of them dangling"
    has "$root/stderr" "note: the output has new numbers for the pages, in the order of their numbers; --names FILE writes these"
done
run convert x x.txt
exits 0
lacks "$root/stderr" "anew"
run convert x x.mtx --names names --force
exits 0
lacks "$root/stderr" "anew"
printf '0 1\n1 2\n' >x
run convert x x.mtx --force
exits 0
lacks "$root/stderr" "anew"
printf 'a b\n' >x
run convert x x.npy
exits 0
has "$root/stderr" "note: the output has new numbers for the pages, in the order of their names; --names FILE writes these"

begin "a host, in names"
printf 'http://a.example/1 http://a.example/2\nhttp://a.example/2 https://a.example/3\nhttp://b.example/ http://a.example/1\nhttp://a.example/1 http://www.a.example/\n' >links
run build links -o x.mill --quiet
exits 0
run export x.mill --host a.example -o part.mtx --names names
exits 0
file_is names <<'END'
http://a.example/1
http://a.example/2
https://a.example/3
END
file_is part.mtx <<'END'
%%MatrixMarket matrix coordinate pattern general
3 3 2
1 2
2 3
END
run export x.mill --host c.example -o part.mtx --force
exits 3
stderr_is <<'END'
millrace: --host c.example: the store has no page of this host
END
echo "http://c.example/" >list
run export x.mill --vertex-list list -o part.mtx --force
exits 3
stderr_is <<'END'
millrace: note: list:1: "http://c.example/" is no page of the store; left out
millrace: list:1: none of the 1 names is a page of the store, here the first, "http://c.example/"; a name of the store is "http://a.example/"; compare their spelling with 'millrace find' (http or https, www., slashes), and check that each line begins with its name
END
printf 'http://b.example/\na.example\nhttp://c.example/\n' >list
run export x.mill --vertex-list list -o part.mtx --force --names names
exits 0
grep -qx http://b.example/ names && [ "$(grep -c http.*a.example names)" = 3 ] || fail "$(cat names)"

begin "an estimate knows what a file says of itself"
printf '%%%%MatrixMarket matrix coordinate pattern general\n9 9 3\n1 1\n1 2\n1 3\n' >x.mtx
run build --estimate --json -o x.mill x.mtx
exits 0
field_is "$root/stdout" memory_bytes $(((32 << 20) + 3 * 12))

run convert --estimate --json x.mtx x.txt
exits 0
field_is "$root/stdout" temporary_bytes 12

begin "an output says by its name what it is"
printf '1 2\n' >links
run build links -o x.mill --quiet --force
run export x.mill -o x.foo
exits 2
stderr_is <<'END'
millrace: x.foo: the suffix names no format; choose one with --to, or end the name with .txt, .mtx, .npy, .u32, .sg, .graph, ...
END
run convert links x.foo
exits 2
has "$root/stderr" "choose one with --to"
run export x.mill -o x.el --quiet
exits 0
file_is x.el <<'END'
# Nodes: 2 Edges: 1
# FromNodeId	ToNodeId
1	2
END
run export x.mill -o x.sg.gz
exits 2
stderr_is <<'END'
millrace: x.sg.gz: GAPBS serialized graph has several parts that are written at once and cannot be compressed; leave out the last suffix
END

begin "what cannot go to standard output"
printf '1 2\n' >links
run build links -o x.mill --quiet
run export x.mill --to bvgraph
exits 2
stderr_is <<'END'
millrace: WebGraph BVGraph has several parts that are written at once; say -o FILE
END
run convert links
exits 2
stderr_is <<'END'
millrace: convert needs an input and an output; 'millrace help convert' tells more
END
only_left links x.mill

begin "nothing is left of an export that fails, and of temporary stores"
printf '1 2\n1 2\n' >links
run build links -o x.mill --quiet --duplicates keep
run export x.mill -o x.graph --quiet
exits 2
stderr_is <<'END'
millrace: the store keeps duplicates, which a WebGraph cannot hold; build it with --duplicates merge
END
only_left links x.mill

finish
