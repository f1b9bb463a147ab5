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
millrace: --format graphml: must be auto, bvgraph, wat, warc, arc, nutch, nutch-sequence, heritrix-pagerank, commoncrawl, crawl-log, cdxj, jsonl, adjacency, npy, mtx, sg, u32, u64, u32be, u64be, ascii-graph, metis, csv, wel, edges or urls
END
run build x -o x.mill --quiet
exits 0
run export x.mill --to dot -o x.dot
exits 2
stderr_is <<'END'
millrace: --to dot: must be u32, u64, edges, mtx, npy, wel, sg, bvgraph, urls, csv, jsonl, heritrix-links, heritrix-input-links, heritrix-map, heritrix-pagerank or pages
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
millrace: Matrix Market: 1 link
millrace: 2 pages, 1 of them dangling; 1 link; 0 duplicates merged, 0 self-loops
millrace: x.mill: SIZE, B bits per link, T s (reading T, numbering T, sorting T, writing T)
END

begin "METIS, ASCIIGraph"
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

begin "GAPBS"
bytes x.sg 00 0100000000000000 0200000000000000
refused 3 x.sg "x.sg: offset 0: its first bytes announce 2 vertices and 1 edges, which do not make SIZE; is it a .sg file, and whole?"
bytes x.sg 00 0100000000000000 0100000000000000 0000000000000000 0100000000000000 07000000
refused 3 x.sg "x.sg: offset 33: target 7 of vertex 0 is not below 1"
bytes x.sg 00 0100000000000000 0200000000000000 0000000000000000 0100000000000000 0100000000000000 01000000
refused 3 x.sg "x.sg: says that it is undirected, but the lists of two ends of an edge differ; --directed takes them as they are written"
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

begin "archives and headers that look like links"
printf '1 2\n2 3\n' >links.txt
tar -cf links.tar links.txt
refused 3 links.tar "links.tar: is a tar archive, which is not read; pipe it: tar -xOf 'links.tar' MEMBER | millrace ... -, for one that tar -tf 'links.tar' lists"
{
    echo 65 64
    seq 64 | awk '{ print $1 - 1, $1 }'
} >headed
run build --force -o x.mill headed
exits 0
has "$root/stderr" "note: headed:1 is read as a count of the links below it, and not as a link"
has "$root/stderr" "65 pages"
tail -n +2 headed >links.txt
run build --force -o x.mill links.txt
exits 0
if grep -q "as a count" "$root/stderr"; then fail "a note about a header that is none"; fi
printf '%%%%MatrixMarket matrix coordinate pattern general\n99999999999 2 1\n1 1\n' >x.mtx
refused 3 x.mtx "x.mtx: says that it has 99999999999 pages; a store can hold 4294967295"

begin "WebGraph"
bytes web.graph 7dc5daf177
refused 3 web.graph "web.graph: a WebGraph needs its properties beside it, in web.properties"
printf 'graphclass=it.unimi.dsi.webgraph.BVGraph\nnodes=5\narcs=5\n' >web.properties
run build --quiet -o x.mill web.graph
exits 0
mv x.mill whole.mill
run build --quiet -o x.mill web
exits 0
cmp -s x.mill/links.1 whole.mill/links.1 || fail "web is not web.graph"
mv web.properties aside
refused 3 web "web: no such file, but the beginning of some; say web.graph"
mv aside web.properties

# Labels of links.
# labelled LABELSPEC HEX LINES: the weights of web with these labels.
labelled() {
    local class=it.unimi.dsi.webgraph.labelling
    printf 'graphclass = %s.BitStreamArcLabelledImmutableGraph\nunderlyinggraph = ../web\nlabelspec = %s.%s\n' \
        $class $class "$1" >labels/l.properties
    bytes labels/l.labels "$2"
    run build --quiet --force -o x.mill labels/l
    exits 0
    run export x.mill --to wel -o -
    grep -v '^#' "$root/stdout" | sort | tr '\t\n' ' ;' | cmp -s - <(printf '%s' "$3") || fail "$1: $(cat "$root/stdout")"
}
mkdir labels
labelled "FixedWidthIntLabel(COUNT,10)" 0040200fff0000 '0 1 1;0 2 2;1 2 3;2 0 1023;'
labelled "GammaCodedIntLabel(COUNT)" 4c8210 '0 1 1;0 2 2;1 2 3;2 0 7;3 4 1;'
run build --quiet --force -o x.mill labels/l.properties --no-weights
exits 0
cmp -s x.mill/links.1 whole.mill/links.1 || fail "the graph under the labels is another"
bytes labels/l.labels 4c
refused 3 labels/l "labels/l.labels: ends before the label of the last link; it lost bytes at its end, or is another graph's"
sed -i 's/GammaCodedIntLabel(COUNT)/FixedWidthIntListLabel(LIST,10)/' labels/l.properties
run build --force -o x.mill labels/l
exits 0
has "$root/stderr" "labels/l.properties has labels that are no weights; the links are read without them"
cmp -s x.mill/links.1 whole.mill/links.1 || fail "the graph under the labels is another"
refused 3 labels/l "labels/l.properties:3: labelspec: these labels are no weights; leave out --weights" --weights

# The window and chains of references.
run generate crawl --pages 3000 -o crawl.mill --quiet
exits 0
for options in "" "--window 7 --max-ref 3" "--window 16 --max-ref 100"; do
    run export crawl.mill -o crawl.graph --quiet --force $options
    exits 0
    wc -c <crawl.graph >>sizes
    run build --quiet --force -o x.mill crawl
    exits 0
    run export x.mill -o back.graph --quiet --force $options
    cmp -s crawl.graph back.graph || fail "$options: not the same again"
done
has crawl.properties "windowsize=16"
has crawl.properties "maxrefcount=100"
[ "$(sed -n 1p sizes)" = "$(sed -n 2p sizes)" ] && [ "$(sed -n 3p sizes)" -lt "$(sed -n 1p sizes)" ] || fail "sizes $(cat sizes)"
run export crawl.mill -o crawl.mtx --window 16
exits 2
stderr_is <<<"millrace: --window and --max-ref are about the lists of --to bvgraph"

# Damage.
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
printf 'source target\n1 2\n' >x
built '1 2'
printf 'source target\n1 2 5\n' >x # the 1 may be the number of the row
refused 3 x 'x:2: "1 2 5": more fields than the header; --columns takes them by number; no line is any better: check the file and its --format'

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
built 'http://a/ http://b/'
printf 'Page GoesTo\nhttp://a/ http://b/\n' >x
built 'http://a/ http://b/'
printf 'url,status\nhttp://a/,0.5\nhttp://b/,0.25\n' >x
refused 3 x 'x: is a list of pages with what they are, which is not read; lists have no links, which come from the pages: WARC files, tables of a crawler'

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
printf 'Marie Curie,Pierre Curie\nPierre,Marie Curie\n' >x.csv
words_built x.csv 'Marie Curie' Pierre 'Pierre Curie'
has "$root/stderr" "note: x.csv has no header; its first column is read as source, the second as target"
words_built x 'Marie Curie' 'Pierre Curie' E # whatever the file is called
cp x.csv x
words_built x 'Marie Curie' Pierre 'Pierre Curie'
printf 'a.example b.example\tclick here\n' >x # two hosts and a text
refused 3 x "x:1: \"a.example b.example\x09click here\": several pages in one field; write a line for each link, or, if each line is a page and all that it links to: tr ' ' '\\t' < FILE | millrace ... --format adjacency -"
printf 'a b\t3\n' >x
refused 3 x 'x:1: "a b\x093": numbers and names, as in a list of numbered pages, and no links; if its first two columns are links, say --columns 1,2'

begin "a format that is not read is refused by its name, and the way out gives its links"
# refused_as TITLE LINKS FILE [OPTION...]: what is typed as the message says gives LINKS.
refused_as() {
    local title=$1 links=$2 file=$3 command
    run build --quiet --force -o x.mill "${@:3}"
    exits 3
    has "$root/stderr" "$file: is $title, which is not read; "
    command=$(sed -nE 's/^.*which is not read; (.*its .e file has the links: )?//; s/; if .*//; s/,.* with --und.*//; p' \
        "$root/stderr" | sed "s,BASE.e,g.e,; s,millrace \.\.\.,\"\$MILLRACE\" build --quiet --force -o x.mill,")
    bash -c "$command" || fail "$file: $command"
    "$MILLRACE" export x.mill --quiet --force --to "$([[ $links = *:* ]] && echo wel || echo edges)" -o x.out
    grep -v '^#' x.out | sort | tr '\t\n' ' ;' | sed -E 's/ ([0-9]+) ([0-9.]+);/ \1:\2;/g' >found
    [ "$(cat found)" = "$links" ] || fail "$file: $(cat found)"
}
printf 'c a comment\nc\np sp 3 2\na 1 2 5\na 2 3 7\n' >x.gr
refused_as DIMACS '1 2;2 3;' x.gr
refused_as DIMACS '1 2;2 3;' x.gr --format urls
printf 'c FILE: x.clq\r\np col 3 2\r\ne 1 2\r\ne 2 3\r\n' >x.clq
refused_as DIMACS '1 2;2 1;2 3;3 2;' x.clq
printf 'p tw 3 2\n1 2\n2 3\n' >x
refused_as DIMACS '1 2;2 1;2 3;3 2;' x
printf 'p max 3 2\nn 1 s\nn 3 t\na 1 2 5\na 2 3 7\n' >x
refused_as DIMACS '1 2;2 3;' x
printf 'AdjacencyGraph\n4\n3\n0\n1\n1\n3\n2\n0\n3\n' >x
refused_as "Ligra's adjacency graph" '0 2;2 0;2 3;' x
refused_as "Ligra's adjacency graph" '0 2;2 0;2 3;' x --format urls
printf 'WeightedAdjacencyGraph 4 3 0 1 1 3\n2 0 3\n5 6 7\n' >x
refused_as "Ligra's adjacency graph" '0 2;2 0;2 3;' x
printf '2 4 1\n0 3 0.5\n' >x.smat
refused_as SMAT '0 3:0.5;' x.smat
printf '0 2 1 2\n1 1 0\n2 2 0 1\n' >x
refused_as "GraphChi's adjacency list" '0 1;0 2;1 0;2 0;2 1;' x
printf '1\n2\n3\n' >g.v
printf '1 2\n2 3\n' >g.e
printf 'graph.g.vertex-file = g.v\ngraph.g.meta.vertices = 3\n' >g.properties
for file in g.v g.e g.properties; do
    refused_as "LDBC Graphalytics" '1 2;2 3;' $file
done
bytes x.wsg 01 0200000000000000 0300000000000000 \
    0000000000000000 0100000000000000 0200000000000000 0200000000000000 01000000 05000000 02000000 07000000 \
    0000000000000000 0000000000000000 0100000000000000 0200000000000000 00000000 05000000 01000000 07000000
if command -v python3 >/dev/null; then
    refused_as "GAPBS's weighted graph" '0 1:5;1 2:7;' x.wsg
fi
for name in smat dimacs ligra graphalytics adjlist wsg u32-f32 u64-f64; do
    run build --quiet --force -o x.mill x --format $name
    exits 2
    has "$root/stderr" "--format $name: must be auto, bvgraph, "
    run export x.mill --to $name -o x.out
    exits 2
    has "$root/stderr" "--to $name: must be u32, u64, "
done
printf 'c d\np q\n' >x
run build --force --quiet -o x.mill x
exits 0
printf '4 4 7\n0 1 1\n1 2 1\n' >x # two links behind it, not seven: links with a third column
run build --force --quiet -o x.mill x
exits 0
run info x.mill --json
has "$root/stdout" '"edges": 3,'

begin "text that is no list of links is refused, and --columns 1,2 takes it as it is"
printf 'http://a/\thttp://b/\n' >x
built 'http://a/ http://b/'
for names in 'a b' 'org.example.www com.example' 'www.example.com example.org' 'Foo_(bar) Été' 'n1 _:b2' \
    '1.2.3.4 example.com' 'com,example)/a org)/'; do
    echo "$names" >x
    built "$names"
done
printf '0.5\thttp://a/\n0.25\thttp://b/\n' >x
refused 3 x 'x:2: "0.25\x09http://b/": names and numbers that are not whole, as scores are, and no links; if its first two columns are links, say --columns 1,2'
run build --quiet --force -o x.mill x --format urls
exits 3
run build --quiet --force -o x.mill x --columns 1,2
exits 0
printf 'http://a/ b\n' >x
refused 3 x 'x:1: "http://a/ b": URLs beside what are no URLs, and no links; if its first two columns are links, say --columns 1,2'
printf '17 n3\n' >x
refused 3 x 'x:1: "17 n3": numbers and names, as in a list of numbered pages, and no links; if its first two columns are links, say --columns 1,2'
printf '1 http://a/\n2 http://b/\n' >x
refused 3 x 'x:2: "2 http://b/": numbers and names, as in a list of numbered pages, and no links; if its first two columns are links, say --columns 1,2'
printf 'Colour: value\nOther: 17\n' >x
refused 3 x 'x:1: "Colour: value": a key and its value, or a page and one that it links to; --format adjacency takes such lines'
printf 'It was the best of times\nit was the worst\nof all times and then\n' >x
refused 3 x 'x:2: "it was the worst": not as many words as in the other lines; --format adjacency takes a page and all that it links to, --columns 1,2 the first two'
printf '# pages\nhttp://a/\nhttp://b/\n' >x
refused 3 x 'x:2: "http://a/": one word a line, and no links; links are lines of two names, a page and one that it links to'
printf '<?xml version="1.0"?>\n<graphml>\n' >x
refused_as_is() { # KIND
    run build --force -o x.mill x "${@:2}"
    exits 3
    has "$root/stderr" "x: is $1, which is not read; "
}
refused_as_is GraphML
printf '<http://a/> <http://p/> <http://b/> .\n' >x
refused_as_is 'RDF (N-Triples)'
printf 'digraph {\n  a -> b;\n}\n' >x
refused_as_is GraphViz
printf 'graph [\n  node [ id 1 ]\n' >x
refused_as_is GML
printf '*Vertices 2\n1 "a"\n2 "b"\n' >x
refused_as_is Pajek

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
millrace: list:1: none of the 1 names is a page of the store, here the first, "http://c.example/"; a name of the store is "http://a.example/1"; compare their spelling with 'millrace find' (http or https, www., slashes), and check that each line begins with its name
END
printf 'http://b.example/\na.example\nhttp://c.example/\n' >list
run export x.mill --vertex-list list -o part.mtx --force --names names
exits 0
grep -qx http://b.example/ names && [ "$(grep -c http.*a.example names)" = 3 ] || fail "$(cat names)"

begin "a host, in keys and in names of hosts"
printf 'http://a.example/1 https://a.example:8080/2\nhttp://a.example/1 http://b.example/\n' >ports
run build ports --profile surt -o surt.mill --quiet
exits 0
run export surt.mill --host A.example:80 --to edges -o - --names names --quiet
exits 0
file_is names <<'END'
example,a)/1
example,a:8080)/2
END
printf 'http://www.example.com/a http://www.example.com/b\nhttp://www.example.com/a http://x.org/\n' >www
for profile in none heritrix wayback surt; do
    run build www --profile $profile -fo www.mill --quiet
    exits 0
    run export www.mill --host WWW.example.com --to edges -o - --quiet
    exits 0
    [ "$(grep -c '^[0-9]' "$root/stdout")" = 1 ] || fail "$profile: $(cat "$root/stdout")"
done
run fold surt.mill -o hosts.mill --quiet
exits 0
run export hosts.mill --host a.example --to edges -o - --names names --force --quiet
exits 0
file_is names <<'END'
example.a
END

begin "a list in any spelling of a store with a profile"
printf 'http://www.a.example/1?jsessionid=0123456789abcdef0123456789abcdef http://a.example/2\n' >spelled
run build spelled --profile heritrix -o spelled.mill --quiet
exits 0
cut -d' ' -f1 spelled >list
run export spelled.mill --vertex-list list --to edges -o - --names names --force --quiet
exits 0
[ "$(wc -l <names)" = 1 ] || fail "$(cat names)"

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
file_is x.el <<<"1	2" # GAPBS reads numbers and stops at a comment
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

# reads WORDS...: convert makes these links of the file x; "reads - TEXT" is a refusal with TEXT.
# ARGS are more arguments.
reads() {
    local ends out=x.txt
    case " $ARGS " in *' --weights '*) out=x.wel ;; esac
    run convert x $out --force --names names $ARGS
    if [ "$1" = - ]; then
        exits 3
        has "$root/stderr" "$2"
        return
    fi
    exits 0
    # edges have numbers as the input has them, and places of names
    ends=$(awk 'NR == FNR { name[FNR - 1] = $0; other += !/^[0-9]+$/; next }
        !/^#/ { print other ? name[$1] ">" name[$2] : $1 ">" $2 }' names $out | sort | paste -sd ' ')
    [ "$ends" = "$*" ] || fail "$(head -c 200 x | cat -v) has the links $ends, not $*"
}

begin "tables: header words, title lines, quotes, separators"
ARGS=
while IFS='|' read -r text ends; do
    printf '%b' "$text" >x
    # shellcheck disable=SC2086
    reads $ends
done <<'END'
Source URL,Target URL\nhttp://a/,http://b/\n|http://a/>http://b/
~id,~from,~to,weight:Double\ne1,v1,v2,2.5\ne2,v2,v3,1\n|v1>v2 v2>v3
name:START_ID(Person),:END_ID(Movie),:TYPE\na,b,X\nb,c,X\n|a>b b>c
_key,_id,_from,_to\n1,e/1,v/1,v/2\n|v/1>v/2
Target URL\tAnchor\tReferring page URL\nhttp://b/\tx\thttp://a/\n|http://a/>http://b/
source_name,source_id,target_id,target_name\na,1,2,b\nb,2,3,c\n|a>b b>c
"All Links"\n"Type","Source","Destination","Anchor"\n"A","http://a/","http://b/","two\nlines, ""x"""\n"A","http://b/","http://c/",""\n|http://a/>http://b/ http://b/>http://c/
Report,,\n,,\nsource,target,weight\na,b,1\n|a>b
sep=;\r\nSource;Target;Weight\r\na;b;0,5\r\nb;c;1,5\r\n|a>b b>c
sep=;\n1;2\n2;3\n|1>2 2>3
\xef\xbb\xbfsource,target\na,b\n|a>b
"from" "to"\n"1" "a" "b"\n"2" "b" "c"\n|a>b b>c
"","from","to"\n"1","a","b"\n|a>b
,source,target\n0,a,b\n|a>b
"source","target"\n"a","b",\n"b","c",\n|a>b b>c
urlname;parentname;result\nhttp://b/;http://a/;200\n|http://a/>http://b/
OriginPage\tLinkToPage\tStatus\nhttp://a/\thttp://b/\t200\n|http://a/>http://b/
citing,cited\n10.1/a,10.1/b\n10.1/b,10.1/c\n|10.1/a>10.1/b 10.1/b>10.1/c
paper,ref\n10.1/a,10.1/b\n10.1/b,10.1/c\n|10.1/a>10.1/b 10.1/b>10.1/c
START_NODE;END_NODE;W\n1;2;3\n2;3;1\n|1>2 2>3
x,y\n1,2\n2,3\n|1>2 2>3
x y\n1 2\n2 3\n|1>2 2>3
x\ty\n1\t2\n2\t3\n|1>2 2>3
x y\nhttp://a/ http://b/\n|http://a/>http://b/
Source,Target\r1,2\r2,3\r|1>2 2>3
1 2\r2 3|1>2 2>3
"a" "b"\n"b" "c"\n|a>b b>c
4 4 3\n0 1\n1 2\n3 0\n|0>1 1>2 3>0
# n\n4,4,3\n0,1\n1,2\n3,0\n|0>1 1>2 3>0
1 2 # x\n2 3\n|1>2 2>3
a.x\x7cb.x\nb.x\x7cc.x\n|a.x>b.x b.x>c.x
END
for form in UTF-16LE UTF-16BE; do
    printf '\xef\xbb\xbfReferring page\tTarget\r\nhttp://a/\xc3\xa4\xf0\x9f\x98\x80\thttp://b/\r\n' | iconv -f UTF-8 -t $form >x
    reads 'http://a/ä😀>http://b/'
    printf '1 2\n2 3\n' | iconv -f UTF-8 -t $form >x
    reads '1>2' '2>3'
done
awk 'BEGIN { for (i = 0; i < 30000; i++) print "p" i ",p" i + 1 ",é" }' | sed '1i source,target,x' >y
iconv -f UTF-8 -t UTF-16 y >x # more than a look, and characters at every place
run convert x x.txt --force --names names
exits 0
cp x.txt x.utf8.txt
run convert y x.txt --force --names names
cmp x.txt x.utf8.txt || fail "UTF-16 and UTF-8 are two graphs"
printf 'http://a.x/a b\thttp://b.x/\nhttp://b.x/\thttp://c.x/\n' >x
reads 'http://a.x/a b>http://b.x/' 'http://b.x/>http://c.x/'
printf 'U.S. Steel\tA.B. Smith\n' >x
reads 'U.S. Steel>A.B. Smith'

begin "tables: columns by name and number"
while IFS='|' read -r ARGS text ends; do
    printf '%b' "$text" >x
    # shellcheck disable=SC2086
    reads $ends
done <<'END'
--columns bb,aa|aa;bb;cc\n1;2;3\n2;3;1\n|2>1 3>2
--columns 3,1|aa;bb;cc\n1;2;3\n2;3;1\n|1>2 3>1
--columns 2,1|Source,Target\na,b\n|b>a
--columns 1,2|1 2 3\n2 3\n|1>2 2>3
--columns 1,3|1 -> 2\n2 -> 3\n|1>2 2>3
--columns CC,AA,bb --weights|"aa"\t"bb"\t"cc"\n1\t0,5\t2\n2\t1\t3\n|2>1 3>2
--columns target-source|source,target\na,b\n|b>a
END
ARGS='--columns a,zz'
printf 'a,b\n1,2\n' >x
reads - 'x:1: "a,b": the table lacks some of the columns --columns a,zz; a column has a name of the header or a number, from 1'
ARGS=
printf 'aa;bb;cc\n1;2;3\n2;3;1\n' >x
reads - 'x:1: "aa;bb;cc": no column is called source or target; say which they are with --columns SOURCE,TARGET, by name or by number, from 1'
run build -o x.mill --force x --columns 1
exits 2
has "$root/stderr" "--columns 1: must be source-target, target-source or columns of a table: SOURCE,TARGET or SOURCE,TARGET,WEIGHT"
for same in 2,2 aa,aa,cc; do
    run build -o x.mill --force x --columns $same
    exits 2
    has "$root/stderr" "--columns $same: source and target are the same column; name two"
done
run build -o x.mill --force x --columns 1,2 --format edges
exits 2
has "$root/stderr" "--columns 1,2: only tables have such columns; leave out --format, or say --format csv"

begin "what is no list of pairs is refused, and the way out that the message names works"
while IFS='|' read -r text way words; do
    printf '%b' "$text" >x
    reads - "$words"
    case $way in
    '') ;;
    --*) run convert x x.txt --force --names names $way && exits 0 ;;
    *)
        sh -c "$way" <x >y
        case $words in *adjacency*) way='--format adjacency' ;; *) way= ;; esac
        run convert y x.txt --force --names names $way && exits 0
        ;;
    esac
done <<'END'
1 2 3\n2 3\n3 1\n|--format adjacency|x:2: "2 3": not as many words as in the other lines; --format adjacency takes a page and all that it links to, --columns 1,2 the first two
a b c\nb c\n|--format adjacency|not as many words
a\tb\tc\nb\tc\n|--columns 1,2|not as many words
http://a/ http://b/ http://c/\nhttp://b/ http://c/\n|--format adjacency|not as many words
1,2,3\n2,3\n|--format adjacency --separator ,|--format adjacency --separator ',' takes a page and all that it links to, --columns 1,2 the first two
0\t1,2,3\n1\t2\n|--columns 1,2|several pages in one field
0\t1,2\n1\t2,0\n||several pages in one field
a\tb,c\nb\tc,a\n||several pages in one field; write a line for each link, or, if each line is a page and all that it links to: tr
a,b,c\nb,c,a\n|--columns 1,2|more than two columns, and no header names them; --columns 1,2 takes the first two, --columns 1,3 the first and the third
0 1 0\n1 0 1\n0 1 0\n||a row of a matrix, it seems, and no link
0,1,0\n1,0,1\n0,1,0\n||a row of a matrix, it seems, and no link
0 0.5 0.5\n1 0 0\n0.5 0.5 0\n||a row of a matrix, it seems, and no link
1 -> 2\n2 -> 3\n|--columns 1,3|a sign between two pages; --columns 1,3 takes the two beside it, --format adjacency a page and all that it links to
0: 1 2\n1: 2\n|--format adjacency|a page and all that it links to, it seems; --format adjacency takes such lines
4 4 9\n0 1\n1 2\n3 0\n|--columns 1,2|not as many words
3 2\n0 1\n1 2\n|--columns 1,2|the numbers of pages and of links, or a link; tail -n +2 FILE
source,target\na,b,c\nb,c\n|--bad-lines skip|"a,b,c": more fields than the header
anchor,source,target\nhi, you,http://a/,http://b/\nx,http://b/,http://c/\n|--bad-lines skip|more fields than the header
 source \x7c target \n--------+--------\n 1 \x7c 2\n||is a table with lines drawn between its rows, which is not read; export it as CSV
\x7c source \x7c target \x7c\n\x7c---\x7c---\x7c\n\x7c a \x7c b \x7c\n||is a table with lines drawn
a;b,c\nd;e,f\n|--separator ;|two characters may separate its columns; --separator ',' or --separator ';' says it
END
printf '1 2\n2 3\0 4\n' >x
reads - 'x: binary data of no known format'
seq 20000 | awk '{ print $1, $1 + 1 } END { print "5 6 7" }' >x
reads - "x: 1 of 20001 lines have more than two numbers, which may be neighbours"
seq 20000 | awk 'BEGIN { print "20001 20000" } { print $1 - 1, $1 }' >x
reads - "x: the first line, 20001 20000, says how many lines follow, it seems"
seq 20000 | awk 'BEGIN { print "20001 20001 20009" } { print $1 - 1, $1 }' >x
reads - "x:1: a count of 20009 links, it seems, above 20000"

begin "weights: 0 is no link, bad ones say what they are and can be skipped"
while IFS='|' read -r ARGS text ends; do
    printf '%b' "$text" >x
    # shellcheck disable=SC2086
    reads $ends
done <<'END'
--weights|1 2 0\n2 3 1\n3 1 2\n|2>3 3>1
--weights|1 2 0.0\n2 3 1\n|2>3
--weights|source,target,weight\na,b,0\nb,c,1\n|b>c
--weights|%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 0\n2 3 1\n3 1 2\n|1>2 2>0
--weights --format metis|3 2 001\n2 0 3 1\n1 0\n1 1\n|0>2 2>0
--weights --bad-lines skip|1 2 -1\n2 3 1\n|2>3
--weights --bad-lines skip|1 2 nan\n2 3 1\n|2>3
--weights --bad-lines skip|1 2 x\n2 3 1\nx 1 2\n|2>3
--weights|1,2,0.5\n# c\n\n 2, 3 ,1\n|1>2 2>3
--weights --bad-lines skip|source,target,weight\na,b,-2\nb,c,1\n|b>c
--weights --bad-lines skip|%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 -1\n2 3 1\n|1>2
END
for weight in '-1|negative; a link weighs more than 0' 'nan|NaN, and no number' 'inf|infinite'; do
    ARGS=--weights
    printf '2 3 1\n1 2 %s\n' "${weight%%|*}" >x
    reads - "x:2: \"1 2 ${weight%%|*}\": the weight is ${weight#*|}; skip such lines with --bad-lines skip"
    printf 'source,target,weight\n2,3,1\n1,2,%s\n' "${weight%%|*}" >x
    reads - "x:3: \"1,2,${weight%%|*}\": the weight is ${weight#*|}; skip such lines with --bad-lines skip"
done
printf '1 2 0\n2 3 1\n' >x
run build -o x.mill --force x --weights
has "$root/stderr" "note: left out 1 link of weight 0"
ARGS=

begin "links with names, written and read again, are the same graph"
printf 'http://a/x,y\thttp://b/"q"\nhttp://b/"q"\thttp://c/ d\nhttp://c/ d\thttp://a/x,y\n' >named.txt
run build named.txt -qfo named.mill
exits 0
printf 'source,target,weight\na,b,0.1\nb,c,3\nc,a,16777217\n' >heavy.csv
run build heavy.csv -qfo heavy.mill
exits 0
printf 'http://a/x,y http://b/\nhttp://b/ http://a/x,y\n' >plain.txt # build resolves the URLs of JSON
run build plain.txt -qfo plain.mill
exits 0
id_of() { "$MILLRACE" info "$1" --json | sed -n 's/.*"graph_id": "\([^"]*\)".*/\1/p'; }
for file in out.urls out.csv out.csv.gz out.jsonl; do
    case $file in out.jsonl) stores=plain ;; out.urls) stores=named ;; *) stores="named heavy" ;; esac
    for store in $stores; do
        run export $store.mill -qfo $file
        exits 0
        run build $file -qfo back.mill
        exits 0
        [ "$(id_of back.mill)" = "$(id_of $store.mill)" ] || fail "$store in $file: another graph"
        if [ $store = heavy ]; then
            "$MILLRACE" pagerank heavy.mill --weights -qfo heavy.tsv
            "$MILLRACE" pagerank back.mill --weights -qfo back.tsv
            cmp -s heavy.tsv back.tsv || fail "$file: other weights"
        fi
    done
done
printf 'a\001b\tc\n' | "$MILLRACE" build - -qfo odd.mill
run export odd.mill -fo out.urls
exits 0
has "$root/stderr" 'names with codes \xNN: 1; the header says so, and build reads these codes'
run build out.urls -qfo back.mill
[ "$(id_of back.mill)" = "$(id_of odd.mill)" ] || fail "odd.mill in out.urls: another graph"
run export heavy.mill --vertex-list <(printf 'a\nb\n') --to csv
exits 0
stdout_is <<<$'source,target,weight\na,b,0.100000001'

begin "every two formats as inputs of one graph"
python3 "$tests_dir/mixes.py" "$MILLRACE" . || fail "mixes"

finish
