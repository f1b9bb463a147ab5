#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# millrace build: what it reads, what it says, what it refuses.
. "$(dirname "$0")/lib.sh"

# The links of a store as lines "source target" of vertex numbers, in order of source and target.
links_of() {
    "$MILLRACE" export "$1" --to u32 | od -An -v -t u4 -w8 | awk '{ print $1, $2 }' |
        sort -n -k1,1 -k2,2
}

links_are() {
    links_of "$1" >"$root/links"
    same "links of $1" "$root/links"
}

# figure STORE KEY VALUE of info --json
figure_is() {
    "$MILLRACE" info "$1" --json >"$root/info.json" || fail "info failed"
    field_is "$root/info.json" "$2" "$3"
}

begin "a summary of what was read and built"
printf '# a comment\n1 2\n1 2\n2 1\n2 2\n\n1 3\n' >links.txt
run build -o graph.mill links.txt
exits 0
stdout_is </dev/null
stderr_is <<'END'
millrace: 7 lines: 5 links, 2 comments and blanks, 0 bad
millrace: 3 pages, 1 of them dangling; 4 links; 1 duplicate merged, 1 self-loop
millrace: graph.mill: SIZE, B bits per link, T s (reading T, numbering T, sorting T, writing T)
END
only_left graph.mill links.txt
links_are graph.mill <<'END'
0 1
0 2
1 0
1 1
END

begin "--quiet says nothing"
printf '1 2\n' >links.txt
run build -o graph.mill links.txt --quiet
exits 0
nothing_printed

begin "--json has the summary"
printf '1 2\n2 1\n2 1\n3 3\nx\n' >links.txt
run build -o graph.mill links.txt --json --quiet --bad-lines skip
exits 0
stderr_is </dev/null
field_is "$root/stdout" store '"graph.mill"'
field_is "$root/stdout" lines 5
field_is "$root/stdout" input_edges 4
field_is "$root/stdout" bad_lines 1
field_is "$root/stdout" duplicates 1
field_is "$root/stdout" self_loops 1
field_is "$root/stdout" vertices 3
field_is "$root/stdout" edges 3
field_is "$root/stdout" dangling 0

begin "options stand anywhere"
printf '1 2\n' >links.txt
run build links.txt --quiet -o a.mill
exits 0
run --quiet build 2>/dev/null
exits 2
run build --quiet links.txt -ob.mill
exits 0
run build --output=c.mill --quiet -- links.txt
exits 0
only_left a.mill b.mill c.mill links.txt

begin "separators, CR LF, comments, no newline at the end"
printf '%s\r\n' '# SNAP' '% Matrix' '1 2' '1,3' '1 , 4' >links.txt
printf '   7\t8   \n9\t1 # why\n10 1' >>links.txt
run build -o graph.mill links.txt --quiet
exits 0
nothing_printed
links_are graph.mill <<'END'
0 1
0 2
0 3
4 5
6 0
7 0
END

begin "sparse 64-bit ids keep their names"
printf '18446744073709551615 5\n5 1000000007\n' >links.txt
run build -o graph.mill links.txt --quiet
exits 0
figure_is graph.mill names '"numbers"'
run pagerank graph.mill --sort name --quiet
exits 0
cut -f 1 "$root/stdout" >names
file_is names <<'END'
5
1000000007
18446744073709551615
END

begin "gzip, zstd, standard input, several files"
printf '1 2\n2 3\n' >a.txt
printf '3 1\n' >b.txt
cat a.txt b.txt >all.txt
run build -o plain.mill all.txt --quiet
exits 0
gzip -k all.txt
run build -o gz.mill all.txt.gz --quiet
exits 0
cat <(gzip -c a.txt) <(gzip -c b.txt) >members.gz
run build -o members.mill members.gz --quiet
exits 0
run build -o stdin.mill - --quiet <all.txt
exits 0
run build -o gzipped-stdin.mill --quiet - <all.txt.gz
exits 0
run build b.txt -o several.mill a.txt --quiet
exits 0
if command -v zstd >/dev/null; then
    zstd -q all.txt
    run build -o zst.mill all.txt.zst --quiet
    exits 0
    diff -r plain.mill zst.mill || fail "zstd makes a difference"
fi
for store in gz members stdin gzipped-stdin several; do
    diff -r plain.mill $store.mill || fail "$store makes a difference"
done

begin "pairs of names"
cat >links.txt <<'END'
# page, what it links to
http://b.example/ http://a.example/x
http://a.example/x http://a.example/
http://a.example/ http://b.example/
http://b.example/top,1 http://a.example/
END
run build -o graph.mill links.txt
exits 0
stderr_is <<'END'
millrace: note: links.txt holds names, read as source, then target; if the target comes first, say --columns target-source
millrace: 5 lines: 4 links, 1 comment or blank, 0 bad
millrace: 4 pages, 0 of them dangling; 4 links; 0 duplicates merged, 0 self-loops
millrace: graph.mill: SIZE, B bits per link, T s (reading T, numbering T, sorting T, writing T)
END
figure_is graph.mill names '"text"'
run pagerank graph.mill --sort name --quiet
exits 0
cut -f 1 "$root/stdout" >names
file_is names <<'END'
http://a.example/
http://a.example/x
http://b.example/
http://b.example/top,1
END

begin "--columns says which way round, and then there is no note"
printf 'a b\n' >links.txt
run build -o forth.mill links.txt --columns source-target
exits 0
lacks "$root/stderr" note
links_are forth.mill <<<'0 1'
run build -o back.mill links.txt --columns target-source
exits 0
lacks "$root/stderr" note
links_are back.mill <<<'1 0'

begin "--columns says how many rows are not like the first one"
printf 'a\tb\tc\td\na\tc\ne\tf\n' >uneven.tsv
run build uneven.tsv --columns 1,2 -o uneven.mill
exits 0
has "$root/stderr" "note: uneven.tsv: 2 of 3 rows have another number of fields than the first one; --columns takes the same columns of all"

begin "--format urls reads numbers as names"
printf '10 9\n' >links.txt
run build -o graph.mill links.txt --format urls --quiet
exits 0
links_are graph.mill <<<'0 1'
figure_is graph.mill names '"text"'

begin "--transpose"
printf '1 2\n1 3\n' >links.txt
run build -o graph.mill links.txt --transpose --quiet
exits 0
links_are graph.mill <<'END'
1 0
2 0
END
figure_is graph.mill transposed true

begin "--undirected: a self-loop counts once"
printf '1 2\n2 1\n3 3\n' >links.txt
run build -o graph.mill links.txt --undirected --quiet
exits 0
links_are graph.mill <<'END'
0 1
1 0
2 2
END

begin "self-loops are those of the store, as info counts them"
printf '1 1\n1 1\n1 2\n2 2\n' >links.txt
for flags in '' '--duplicates keep' '--undirected'; do
    # shellcheck disable=SC2086
    run build -o graph.mill links.txt --force $flags
    exits 0
    n=$([ "$flags" = '--duplicates keep' ] && echo 3 || echo 2)
    has "$root/stderr" "merged, $n self-loops"
    lacks "$root/stderr" "dropped"
    run info graph.mill
    has "$root/stdout" "self-loops      $n"
done
run build -o graph.mill links.txt --force --self-loops drop
exits 0
has "$root/stderr" "merged, 3 self-loops dropped"
run info graph.mill
has "$root/stdout" "self-loops      0"

begin "--duplicates keep, --self-loops drop"
printf '1 2\n1 2\n2 2\n' >links.txt
run build -o graph.mill links.txt --duplicates keep --self-loops drop --quiet
exits 0
links_are graph.mill <<'END'
0 1
0 1
END

begin "--vertices: dense"
printf '1 3\n' >links.txt
run build -o graph.mill links.txt --vertices 5 --quiet
exits 0
figure_is graph.mill vertices 5
figure_is graph.mill names '"identity"'
links_are graph.mill <<<'1 3'
run build -o graph.mill links.txt --vertices 3 --force
exits 3
stderr_is <<'END'
millrace: links.txt:1: "1 3": vertex 3 is not below --vertices 3; no line is any better: check the file and its --format
END
figure_is graph.mill vertices 5

begin "--vertex-list"
printf '5\n7\n9\n' >vertices.txt
printf '9 5\n' >links.txt
run build -o graph.mill links.txt --vertex-list vertices.txt --quiet
exits 0
figure_is graph.mill vertices 3
links_are graph.mill <<<'2 0'
printf '9 6\n' >links.txt
run build -o graph.mill links.txt --vertex-list vertices.txt --force
exits 3
stderr_is <<'END'
millrace: links.txt:1: "9 6": vertex 6 is not in the vertex list; no line is any better: check the file and its --format
END

begin "--vertex-list of names, also without a link"
printf 'http://b/\nhttp://a/\n' >vertices.txt
: >links.txt
run build -o graph.mill links.txt --vertex-list vertices.txt --quiet
exits 0
run pagerank graph.mill --sort name --quiet
exits 0
stdout_is <<'END'
http://a/	0.5
http://b/	0.5
END

begin "the first of several inputs may be empty"
: >a.txt
printf 'x y\n' >b.txt
run build -o graph.mill a.txt b.txt --quiet
exits 0
figure_is graph.mill names '"text"'
links_are graph.mill <<<'0 1'

begin "an empty input is a mistake, unless its vertices are given"
: >links.txt
run build -o graph.mill links.txt
exits 3
stderr_is <<'END'
millrace: links.txt: no links in it; for a graph without links say --vertices N or --vertex-list FILE
END
only_left links.txt
run build -o graph.mill links.txt --vertices 4
exits 0
figure_is graph.mill vertices 4
figure_is graph.mill edges 0
run pagerank graph.mill --sort name --quiet
exits 0
stdout_is <<'END'
0	0.25
1	0.25
2	0.25
3	0.25
END
run build -o none.mill links.txt --vertices 0 --quiet
exits 0
run pagerank none.mill --quiet
exits 0
nothing_printed

begin "a bad line stops the build, with file, line and way out"
printf '1 2\n1 x\n' >links.txt
run build -o graph.mill links.txt
exits 3
stderr_is <<'END'
millrace: links.txt:2: "1 x": the second field is no number; skip such lines with --bad-lines skip
END
only_left links.txt
printf '1 2\n\n3\n' >links.txt
run build -o graph.mill links.txt
exits 3
stderr_is <<'END'
millrace: links.txt:3: "3": no second field; skip such lines with --bad-lines skip
END
printf '1 2\n18446744073709551616 3\n-1 4\n' | run build -o graph.mill -
exits 3
stderr_is <<'END'
millrace: standard input:2: "18446744073709551616 3": the first field is not below 2^64; skip such lines with --bad-lines skip
END

begin "--bad-lines skip notes and counts them"
printf '1 2\n1 x\n2 1\n-5 1\n' >links.txt
run build -o graph.mill links.txt --bad-lines skip
exits 0
stderr_is <<'END'
millrace: note: links.txt:2: "1 x": the second field is no number; skipped
millrace: note: links.txt:4: "-5 1": the first field is negative; skipped
millrace: 4 lines: 2 links, 0 comments and blanks, 2 bad
millrace: 2 pages, 0 of them dangling; 2 links; 0 duplicates merged, 0 self-loops
millrace: graph.mill: SIZE, B bits per link, T s (reading T, numbering T, sorting T, writing T)
END
run build -o graph.mill links.txt --force --bad-lines skip --max-bad 1 --quiet
exits 3
stderr_is <<'END'
millrace: links.txt:4: "-5 1": the first field is negative, and so the input has more than 1 bad lines; raise --max-bad or mend the input
END

begin "further columns are ignored, and said to be"
printf '1 2 0.5\n2 1 0.5\n' >links.txt
run build -o graph.mill links.txt
exits 0
has "$root/stderr" "millrace: note: 2 lines have more than two columns; the others are ignored"

begin "the extra column of a single line may be a neighbour"
printf '1 2\n2 1 9\n' >links.txt
run build -o graph.mill links.txt
exits 3
stderr_is <<'END'
millrace: links.txt:2: "2 1 9": not as many words as in the other lines; --format adjacency takes a page and all that it links to, --columns 1,2 the first two
END
run build -o graph.mill links.txt --columns 1,2
exits 0

begin "an existing output is refused, and replaced with --force"
printf '1 2\n' >links.txt
run build -o graph.mill links.txt --quiet
exits 0
printf '1 2\n2 3\n' >links.txt
run build -o graph.mill links.txt --quiet
exits 2
stderr_is <<'END'
millrace: graph.mill: exists; use --force to replace it
END
figure_is graph.mill edges 1
run build -o graph.mill links.txt --quiet --force
exits 0
figure_is graph.mill edges 2
only_left graph.mill links.txt

begin "a directory is its files in the order of their names"
mkdir parts parts/_temporary
printf 'page,link\na,b\nb,c\n' >parts/part-00000.csv
printf 'page,link\nc,a\n' | gzip >parts/part-00001.csv.gz
printf 'page,link\n' >parts/part-00002.csv
printf 'no links' >parts/.part-00000.csv.crc
touch parts/_SUCCESS
printf 'page,link\na,b\nb,c\nc,a\n' >whole.csv
"$MILLRACE" build -o whole.mill whole.csv --quiet
run build -o parts.mill parts --quiet
exits 0
cmp -s whole.mill/links.1 parts.mill/links.1 && cmp -s whole.mill/names.1 parts.mill/names.1 || fail "other links"
"$MILLRACE" pagerank whole.csv --quiet >ranks.tsv
run pagerank parts --quiet
exits 0
cmp -s ranks.tsv "$root/stdout" || fail "other ranks"
run append parts.mill parts --quiet
exits 0
run build -o parts.mill parts --estimate --quiet
exits 0
mkdir parts/deep
run build -o deep.mill parts
exits 3
stderr_is <<'END'
millrace: parts/deep: is a directory inside an input; name those with the files to read, such as parts/*/
END
missing deep.mill

begin "a directory of Parquet files has nothing else; a = in a name is no sign of them"
mkdir table crawl=1
touch table/1.parquet table/more.csv
run build table -o no.mill
exits 3
stderr_is <<'END'
millrace: table/more.csv: is beside Parquet files in a directory; name the files to read, such as table/*.parquet
END
missing no.mill
echo 'a b' >crawl=1/links=1.txt
run build crawl=1 -o named.mill --quiet
exits 0

begin "inputs that cannot be read"
mkdir directory
run build -o graph.mill nowhere.txt
exits 3
stderr_is <<'END'
millrace: nowhere.txt: does not exist; check the name
END
run build -o graph.mill directory
exits 3
stderr_is <<'END'
millrace: directory: is no store, and a directory without files to read; those whose names begin with _ or . are left out
END
printf '1 2\n' >one.txt
run build -o one.mill one.txt --quiet
run build -o graph.mill one.mill
exits 2
stderr_is <<'END'
millrace: one.mill: is a store, and stands alone; 'millrace append' adds files to it, 'millrace export' writes its links to a file
END
rm -r one.mill one.txt
printf '1 2\n' >links.txt
run build -o graph.mill links.txt nowhere.txt
exits 3
stderr_is <<'END'
millrace: nowhere.txt: does not exist; check the name
END
printf '\xfd7zXZ\0\0\0' >links.xz
run build -o graph.mill links.xz
exits 3
has "$root/stderr" "links.xz: is xz data, which is not read"
seq 1 100000 | awk '{ print $1, $1 + 1 }' | gzip -c | head -c 100000 >links.gz
run build -o graph.mill links.gz
exits 3
has "$root/stderr" "ends in the middle of gzip data"
only_left directory links.gz links.txt links.xz

begin "the same graph for any order, threads and memory"
seq 1 20000 | awk '{ print ($1 * 7919) % 5003, ($1 * 104729) % 5003 }' >links.txt
sort -r links.txt >reversed.txt
run build -o a.mill links.txt --quiet
exits 0
run build -o b.mill reversed.txt --threads 3 --memory 40M --quiet
exits 0
diff -r a.mill b.mill || fail "stores differ"
run build -o z.mill links.txt --codec zstd --quiet
exits 0
figure_is z.mill codec '"zstd:9"'
links_of a.mill >a.links
links_are z.mill <a.links

begin "--estimate builds nothing"
printf '1 2\n2 3\n' >links.txt
run build -o graph.mill links.txt --estimate --memory 64M
exits 0
stderr_is </dev/null
normalise <"$root/stdout" >estimate
file_is estimate <<'END'
peak memory     SIZE (--memory SIZE)
temporary disk  SIZE
passes          0
END
run build -o graph.mill links.txt --estimate --json
exits 0
field_is "$root/stdout" temporary_bytes 0
seq 1 3000000 | sed 's/.*/& &/;p' >links.txt # a file is looked into, here and there
run build -o graph.mill links.txt --estimate --json --memory 40M
exits 0
bytes=$(sed -n 's/.*"temporary_bytes": \([0-9]*\).*/\1/p' "$root/stdout")
[ "$bytes" -gt $((8 * 5900000)) ] && [ "$bytes" -lt $((8 * 6200000)) ] || fail "$bytes bytes"
rm estimate
only_left links.txt

begin "--tmp holds what is temporary, and gives it back"
seq 1 1000 | awk '{ print $1, $1 + 1 }' >links.txt
mkdir tmp
run build -o graph.mill links.txt --tmp tmp --quiet
exits 0
[ -z "$(ls -A tmp)" ] || fail "left in tmp: $(ls -A tmp)"

begin "raw pairs by one thread and by several"
run generate kron --scale 15 --random-seed 4 -o links.u32 --quiet
exits 0
run generate kron --scale 15 --random-seed 4 -o expected.mill --quiet
exits 0
for threads in 1 2 5; do
    run build links.u32 --vertices 32768 -o a.mill --force --quiet --threads $threads
    exits 0
    diff -r expected.mill a.mill || fail "$threads threads make another store"
done
head -c 4000001 links.u32 >short.u32
cp short.u32 bad.u64
truncate -s 4000000 bad.u64
printf '\377%.0s' 1 2 3 4 5 6 7 8 | dd of=bad.u64 bs=1 seek=3200008 conv=notrunc status=none
for threads in 1 3; do
    run build short.u32 -o b.mill --threads $threads
    exits 3
    stderr_is <<'END'
millrace: short.u32: offset 4000000: the file ends within an edge of SIZE; is it of another format?
END
    run build - --format u32 -o b.mill --threads $threads <short.u32
    exits 3
    run build bad.u64 -o b.mill --threads $threads
    exits 3
    stderr_is <<'END'
millrace: bad.u64: offset 3200000: vertex 2^64-1, which is no vertex; is it of another format?
END
    missing b.mill
done

# direction FILE TEXT OPTIONS LINKS...: what a file says about the direction of its links.
direction() {
    printf "$2" >"$1"
    # shellcheck disable=SC2086
    run build -o d.mill --force --quiet $3 "$1"
    exits 0
    run export d.mill --to edges --quiet
    [ "$(grep -v '#' "$root/stdout" | tr '\t\n' '> ')" = "$4 " ] || fail "$1 $3: $(cat "$root/stdout"), not $4"
}
begin "files that call themselves undirected, or directed"
both='0>1 1>0 1>2 2>1'
once='0>1 1>2'
direction sym.txt '%% sym unweighted\n%% 2 3 3\n0 1\n1 2\n' '' "$both"
direction weights.tsv '%% sym posweighted\n0\t1\t2\n1\t2\t3\n' --weights "$both"
direction asym.txt '%% asym unweighted\n0 1\n1 2\n' '' "$once"
direction snap.txt '# Undirected graph (each unordered pair of nodes is saved once): x.txt\n# Nodes: 3 Edges: 2\n0\t1\n1\t2\n' '' "$both"
direction snap.txt '# Directed graph (each unordered pair of nodes is saved once): x.txt\n0\t1\n1\t2\n' '' "$once"
direction type.txt '# graph type: undirected\n0 1\n1 2\n' '' "$both"
direction behind.txt '0 1\n# undirected\n1 2\n' '' "$both"
direction unclear.txt '# undirected edges were made directed\n0 1\n1 2\n' '' "$once"
direction names.txt '# Undirected\na b\nb c\n' '' "$both"
direction names.txt '#undirected b\nb c\n' '' "$once"
direction loop.txt '# undirected\n0 0\n0 1\n1 2\n' '' "0>0 $both"
direction old.mtx '%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n' '' "$both"
direction old.mtx '%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5\n3 2 0.5\n' --weights "$both"
direction new.mtx '%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n2 3\n' --directed "$once"
direction sym.txt '%% sym\n0 1\n1 2\n' --directed "$once"
direction asym.txt '%% asym\n0 1\n1 2\n' --undirected "$both"
direction new.mtx '%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n2 3\n' --undirected "$both"
direction gephi.csv 'Source,Target,Type,Id,Label,Weight\n0,1,Undirected,0,,3\n1,2,Undirected,1,,1\n' '' "$both"
direction gephi.csv 'Source,Target,Type,Id,Label,Weight\n0,1,Directed,0,,3\n1,2,Directed,1,,1\n' '' "$once"
direction gephi.csv 'Source;Target;Type\n0;1;undirected\n1;2;Directed\n' '' '0>1 1>0 1>2'
direction gephi.csv 'Source,Target,Type\n0,1,Undirected\n1,2,Undirected\n' --directed "$once"
direction gephi.csv 'Source,Target,Type\n0,1,Undirected\n1,2,Undirected\n' --undirected "$both"
direction neo4j.csv ':START_ID,:END_ID,:TYPE\n0,1,KNOWS\n1,2,KNOWS\n' '' "$once"
direction commented.csv '# Undirected graph\nsource,target\n0,1\n1,2\n' '' "$both"

begin "a file that calls itself undirected, beside one that does not"
printf '%% sym\n0 1\n1 1\n' >u.txt
printf '1 2\n' >d.txt
for inputs in 'u.txt d.txt' 'd.txt u.txt' 'u.txt d.txt --threads 3'; do
    # shellcheck disable=SC2086
    run build -o m.mill --force $inputs --quiet
    links_are m.mill <<'END'
0 1
1 0
1 1
1 2
END
done
printf '%% sym\n0 1 2\n1 1 2\n' >u.wel
printf '1 2 2\n' >d.wel
run build -o w.mill u.wel d.wel --quiet
run export w.mill --to wel --quiet
stdout_is <<'END'
0 1 2
1 0 2
1 1 2
1 2 2
END

begin "one note says so, and names the way to the links as they are written"
printf '%% sym\n0 1\n' >u.txt
cp u.txt v.txt
run build -o u.mill u.txt v.txt
exits 0
stderr_is <<'END'
millrace: note: u.txt says "sym": each of its links goes in both directions; --directed takes them as they are written
millrace: 4 lines: 2 links, 2 comments and blanks, 0 bad
millrace: 2 pages, 0 of them dangling; 2 links; 2 duplicates merged, 0 self-loops
millrace: u.mill: SIZE, B bits per link, T s (reading T, numbering T, sorting T, writing T)
END
run build -o u.mill --force u.txt --directed --undirected
exits 2
stderr_is <<'END'
millrace: --directed and --undirected exclude each other; give one of them
END

begin "two sides with the same numbers are refused, and the way out keeps them apart"
printf '%% bip unweighted\n1 1\n2 1\n2 2\n' >b.tsv
run build -o b.mill b.tsv
exits 3
missing b.mill
stderr_is <<'END'
millrace: b.tsv: % bip says that the two columns number different things, each from 1; name the sides: awk '!/^%/ {print "left/" $1, "right/" $2}' FILE | millrace ... -; --directed takes equal numbers for one page
END
awk '!/^%/ {print "left/" $1, "right/" $2}' b.tsv >named.txt
run build -o b.mill --quiet named.txt
exits 0
figure_is b.mill vertices 4

begin "a host of Common Crawl that comes twice is one page, if bad lines are skipped"
printf '0\tcom.example\n1\tno.hordaland\n' >v1.txt
printf '2\tno.hordaland\n3\torg.example\n4\tcom.example\n5\tse.example\n' >v2.txt
printf '0\t1\n1\t2\n3\t2\n4\t5\n5\t3\n' >e.txt
run build -o c.mill v1.txt v2.txt e.txt
exits 3
stderr_is <<'END'
millrace: v2.txt:1: "2\x09no.hordaland": the host occurs twice; --bad-lines skip makes one page of both, as it does in a file for --names
END
run build -o c.mill v1.txt v2.txt e.txt --bad-lines skip --quiet
exits 0
links_are c.mill <<'END'
0 1
0 3
1 1
2 1
3 2
END
run build -o c2.mill v1.txt v2.txt e.txt --bad-lines skip --max-bad 1 --quiet
exits 3
cat v1.txt v2.txt >v.txt
run build -o c3.mill e.txt --names v.txt --bad-lines skip --quiet
exits 0
links_are c3.mill <<'END'
0 1
0 3
1 1
2 1
3 2
END

finish
