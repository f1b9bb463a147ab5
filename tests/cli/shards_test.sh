#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# export --shards: parts for Spark, read back by rules of its readers; ranks that come back.
. "$(dirname "$0")/lib.sh"

# Reads a directory of parts as GraphLoader.edgeListFile does: lines that begin with # or are empty
# are left out, fields end at white space, two integers.
read_graphx() {
    cat "$1"/part-* | grep -v '^#' | awk 'NF { if (NF != 2) exit 1; print $1 "\t" $2 }' | sort
}

begin "GraphX: all links and pages once, ids of the input, a page and its links in one part"
"$MILLRACE" generate crawl --pages 5000 --random-seed 3 -o crawl.mill --quiet
"$MILLRACE" export crawl.mill --to edges -o links.txt --quiet
awk '!/^#/ { print 1000 + 3 * $1 "\t" 1000 + 3 * $2 }' links.txt >shifted.txt
"$MILLRACE" build shifted.txt -o g.mill --quiet
run export g.mill --shards 7 -o parts
exits 0
[ -e parts/_SUCCESS ] || fail "no _SUCCESS"
[ "$(find parts/edges -name 'part-*.txt' | wc -l)" = 7 ] || fail "$(ls parts/edges)"
sort shifted.txt >expected.txt
read_graphx parts/edges | cmp -s - expected.txt || fail "other links"
cut -f 1 shifted.txt >ids.txt
cut -f 2 shifted.txt >>ids.txt
sort -u ids.txt | awk '{ print $1 "\t" $1 }' | sort >expected.txt
read_graphx parts/vertices | cmp -s - expected.txt || fail "other pages"
for i in 0 1 2 3 4 5 6; do
    cut -f 1 parts/edges/part-0000$i.txt | sort -u >sources.txt
    cut -f 1 parts/vertices/part-0000$i.txt | sort -u >pages.txt
    [ -z "$(comm -23 sources.txt pages.txt)" ] || fail "part $i has links of pages of other parts"
    [ "$(wc -l <pages.txt)" -gt 400 ] || fail "part $i has few pages"
done

begin "weights are a third column"
printf '0 1 0.25\n1 0 2.5\n' >w.wel
"$MILLRACE" build w.wel -o w.mill --weights --quiet
run export w.mill --shards 1 -o weighted
exits 0
has "$root/stderr" "note: the third column has the weights of links, which GraphLoader.edgeListFile leaves out"
file_is weighted/edges/part-00000.txt <<'END'
0	1	0.25
1	0	2.5
END
run export w.mill --shards 1 --shards-for graphframes -o frames --quiet
file_is frames/edges/part-00000.csv <<'END'
src,dst,weight
0,1,0.25
1,0,2.5
END

begin "GraphFrames: CSV that Python reads; ids are those of Common Crawl's vertices"
printf '0\tcom.a\n1\tcom.a-b\n2\tcom.a.b\n3\torg.c\n' >v.txt
printf '0\t1\n0\t2\n2\t0\n3\t0\n' >e.txt
"$MILLRACE" build v.txt e.txt -o g.mill --quiet
run export g.mill --shards 2 --shards-for graphframes -o parts
exits 0
python3 - >read.txt <<'END'
import csv, glob
for kind in ("vertices", "edges"):
    rows = []
    for path in sorted(glob.glob(f"parts/{kind}/part-*.csv")):
        with open(path, newline="") as f:
            rows += [(tuple(row)) for row in csv.DictReader(f).__iter__() for row in [row.items()]]
    for row in sorted(rows):
        print(kind, *(f"{key}={value}" for key, value in row))
END
file_is read.txt <<'END'
vertices id=0 name=com.a
vertices id=1 name=com.a-b
vertices id=2 name=com.a.b
vertices id=3 name=org.c
edges src=0 dst=1
edges src=0 dst=2
edges src=2 dst=0
edges src=3 dst=0
END
printf '%s\n' 'http://x/a,b http://x/q"r' 'http://x/q"r http://x/a,b' >links.txt
"$MILLRACE" build links.txt -o u.mill --quiet
run export u.mill --shards 1 --shards-for graphframes -o urls
exits 0
file_is urls/vertices/part-00000.csv <<'END'
id,name
0,"http://x/a,b"
1,http://x/q\x22r
END

begin "names come back from Spark and from the parts, each as itself"
printf '%s\n' 'a,"b\	c,d' 'c,d	\x22e' '\x22e	 # f' ' # f	a,"b\' 'g	g' >odd.txt
"$MILLRACE" build odd.txt --format urls -o odd.mill --quiet
"$MILLRACE" export odd.mill --to urls -o odd.links --quiet
"$MILLRACE" pagerank odd.mill -o odd.tsv --quiet
for layout in graphx graphframes graphx.gz graphframes.gz; do
    run export odd.mill --shards 2 --shards-for $layout -o "odd.$layout"
    exits 0
    has "$root/stderr" "names have codes \\xNN, which Millrace reads in ranks"
    run build -o back.mill --names "odd.$layout/vertices" "odd.$layout/edges" --quiet --force
    exits 0
    "$MILLRACE" export back.mill --to urls -o back.links --quiet --force
    cmp -s odd.links back.links || fail "$layout: other links"
done
# Ranks as Spark writes them: an id, a name, a score, with commas in quotes.
python3 - >back.csv <<'END'
import csv, glob
ranks = [line.rstrip("\n").split("\t") for line in open("odd.tsv")]
rows = [row for path in glob.glob("odd.graphframes/vertices/part-*") for row in csv.reader(open(path))]
rows = sorted((row for row in rows if row != ["id", "name"]), key=lambda row: int(row[0]))
for (number, name), (_, value) in zip(rows, ranks):
    print(number, f'"{name}"' if "," in name else name, value, sep=",")
END
run compare odd.tsv back.csv --json
exits 0
field_is "$root/stdout" pages_compared 5
field_is "$root/stdout" pages_different 0

begin "ids beyond Spark's numbers are positions, and the numbers are names"
printf '18446744073709551615 3\n3 9223372036854775808\n' >large.txt
"$MILLRACE" build large.txt -o large.mill --quiet
run export large.mill --shards 1 -o large
exits 0
stderr_is <<'END'
millrace: note: page 18446744073709551615 is no number for Spark; ids are positions, and the numbers are the names
END
file_is large/vertices/part-00000.txt <<'END'
0	3
1	9223372036854775808
2	18446744073709551615
END
file_is large/edges/part-00000.txt <<'END'
0	1
2	0
END
printf '9223372036854775807 3\n' >largest.txt
"$MILLRACE" build largest.txt -o largest.mill --quiet
run export largest.mill --shards 1 -o largest
exits 0
stderr_is </dev/null
file_is largest/edges/part-00000.txt <<<'9223372036854775807	3'

begin "pages without links are in the parts"
printf '0 5\n' >few.txt
"$MILLRACE" build few.txt --vertices 7 -o few.mill --quiet
run export few.mill --shards 1 -o few
exits 0
cut -f 1 few/vertices/part-00000.txt | paste -sd ' ' >found
file_is found <<<'0 1 2 3 4 5 6'

begin "ranks made elsewhere come back, joined with the names"
printf '0\tcom.a\n1\tcom.a-b\n2\tcom.a.b\n3\torg.c\n' >v.txt
printf '0\t1\n0\t2\n2\t0\n3\t0\n' >e.txt
"$MILLRACE" build v.txt e.txt -o g.mill --quiet
"$MILLRACE" export g.mill --shards 3 -o parts --quiet
python3 - >ranks.tsv <<'END'
import glob
edges = [tuple(map(int, line.split())) for p in glob.glob("parts/edges/part-*") for line in open(p)]
names = dict(line.rstrip("\n").split("\t") for p in glob.glob("parts/vertices/part-*") for line in open(p))
n, out = len(names), {}
for u, v in edges:
    out.setdefault(u, []).append(v)
x = [1 / n] * n
for _ in range(200):
    y = [0.15 / n + 0.85 * sum(x[u] for u in range(n) if u not in out) / n] * n
    for u, targets in out.items():
        for v in targets:
            y[v] += 0.85 * x[u] / len(targets)
    x = y
for number, name in names.items():
    print(f"{name}\t{x[int(number)] * n!r}")
END
run certify ranks.tsv --graph g.mill --json
exits 0
awk -v b="$(field "$root/stdout" error_bound)" 'BEGIN { exit !(b + 0 < 1e-12) }' || fail "$(cat "$root/stdout")"
run precedence ranks.tsv --crawler commoncrawl -o p.txt --quiet
exits 0

begin "wrong uses are refused, and old parts do not stay"
printf 'a b\n' >links.txt
"$MILLRACE" build links.txt -o g.mill --quiet
run export g.mill --shards 2
exits 2
stderr_is <<'END'
millrace: --shards needs a directory; say -o DIR
END
run export g.mill --shards-for graphframes -o x.txt
exits 2
run export g.mill --shards 2 --to mtx -o x
exits 2
run export g.mill --shards 3 -o parts
exits 0
run export g.mill --shards 2 -o parts
exits 2
run export g.mill --shards 2 -o parts --force
exits 0
[ "$(find parts -name 'part-*' | wc -l)" = 4 ] || fail "$(find parts)"

# The names and contents of all files in a directory.
contents() {
    (cd "$1" && find . | sort && find . -type f -exec md5sum {} + | sort)
}

begin "--force: the old parts stay until all new ones are complete"
printf '0 1\n1 2\n2 3\n3 0\n' >small.txt
"$MILLRACE" build small.txt -o small.mill --quiet
"$MILLRACE" generate kron --scale 14 -o large.mill --quiet
"$MILLRACE" export small.mill --shards 2 -o parts --quiet
echo mine >parts/notes.txt
contents parts >before
(ulimit -f 200 && exec "$MILLRACE" export large.mill --shards 2 -o parts --force) >"$root/stdout" 2>"$root/stderr"
code=$? command_line="export --force, files of 200 KiB"
exits 5
contents parts | diff before - >"$root/diff" || fail "a full disk: $(head -9 "$root/diff")"
for signal in TERM KILL; do
    setsid "$MILLRACE" export large.mill --shards 900 -o parts --force --quiet 2>/dev/null &
    until [ -e parts/_millrace_unfinished/edges ]; do
        kill -0 $! 2>/dev/null || break
    done
    kill -$signal $!
    wait $! 2>/dev/null
    rm -rf left && cp -r parts left && rm -rf left/_millrace_unfinished left/LOCK
    contents left | diff before - >"$root/diff" || fail "SIG$signal: $(head -9 "$root/diff")"
done
"$MILLRACE" export large.mill --shards 3 -o expected --quiet
run export large.mill --shards 3 -o parts --force
exits 0
[ "$(cat parts/notes.txt)" = mine ] || fail "a file of the user is gone"
rm parts/notes.txt
diff -r expected parts >"$root/diff" || fail "after all: $(cat "$root/diff")"
echo mine >parts/edges/notes.txt
run export large.mill --shards 3 -o parts --force
exits 2
stderr_is <<'END'
millrace: parts/edges: has notes.txt, which is no part; move it away, or name another directory
END

finish
