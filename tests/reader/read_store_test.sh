#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What build writes, read by an independent program: read_store.py was written from docs/store-format.md
# alone, checks every checksum and figure of a store, and prints its links, which have to be those of the
# input. Then damage, which it has to notice, so that its silence means something.
set -euo pipefail
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1

command -v python3 >/dev/null || { echo "python3 is missing" >&2; exit 77; }
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "python3 is too old" >&2; exit 77; }
reader=$MILLRACE_SOURCE_DIR/tests/reader/read_store.py
python3 "$reader" --self-test
# Names are compressed in any store that has some.
if ! command -v zstd >/dev/null && ! python3 -c 'import compression.zstd' 2>/dev/null; then
    echo "the zstd program is missing" >&2
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# check NAME WANTED BUILD-OPTION...: build NAME.mill; its links, sorted, are the lines of WANTED.
check() {
    local name=$1 wanted=$2
    shift 2
    "$MILLRACE" build --quiet -o "$name.mill" "$@"
    "$MILLRACE" check --quiet --full "$name.mill"
    if ! python3 "$reader" "$name.mill" 2>"$name.figures" >"$name.unsorted"; then
        cat "$name.figures" >&2
        exit 1
    fi
    sort "$name.unsorted" >"$name.read"
    if ! cmp "$name.read" "$wanted"; then
        diff "$wanted" "$name.read" | head -5 >&2 || true
        echo "$name: the links read are not those of the input (millrace build $*)" >&2
        exit 1
    fi
    sed 's/^read_store.py: //' "$name.figures"
}

# refuse NAME WHAT MESSAGE: the store NAME.mill, which WHAT happened to, is refused with MESSAGE.
refuse() {
    local status=0
    python3 "$reader" "$1.mill" >/dev/null 2>"$1.refused" || status=$?
    if [ "$status" != 1 ] || ! grep -qF "$3" "$1.refused"; then
        echo "$2: exit $status and '$(cat "$1.refused")', expected 1 and '$3'" >&2
        exit 1
    fi
    echo "$2: refused"
}

swap() { awk -v OFS='\t' '{ print $2, $1 }' "$@"; }

# ---- Numbers, sparse, with loops, repetitions, and the least and the greatest possible.
cat >numbers.txt <<'END'
# a comment
5 3
3	5
3 5
5,5
5 5
1000000 3
18446744073709551615 0
0 18446744073709551615
77 1000000
END
grep -v '#' numbers.txt | sed 's/[, ]/\t/' >pairs
sort pairs >every
sort -u pairs >once
check numbers once numbers.txt
check numbers-zstd once --codec zstd numbers.txt
check duplicates every --duplicates keep numbers.txt
swap once | sort >reversed
check transposed reversed --transpose numbers.txt
awk '$1 != $2' once >no-loops
check no-loops no-loops --self-loops drop numbers.txt
swap once | sort -u - once >both-ways
check undirected both-ways --undirected numbers.txt
awk '$1 != $2' every | swap | sort - every >both-ways-every
check undirected-duplicates both-ways-every --undirected --duplicates keep numbers.txt

# ---- Vertices that are their own names, most without links; none at all; more than a band of them.
printf '3\t4\n4\t0\n' >few.txt
check dense few.txt --vertices 70000 few.txt
: >nothing
check empty nothing --vertices 0 nothing
check linkless nothing --vertices 1000 nothing

# ---- URLs, bytes above 127 and what is no URL among them.
cat >urls.txt <<'END'
http://www.example.com/ https://www.example.com/
https://www.example.com/ http://example.com:8080/a?b#c
http://example.com:8080/a?b#c ftp://me:secret@example.org
ftp://me:secret@example.org http://192.0.2.1/x
http://192.0.2.1/x http://[2001:db8::1]:80/
http://[2001:db8::1]:80/ http://example.com
http://example.com http://b@cher.example/ü
http://b@cher.example/ü mailto:me@example.org
mailto:me@example.org just,a#name
just,a#name http://www.example.com/
http://www.example.com/ http://www.example.com/
END
# The port of the scheme is dropped, as browsers do.
tr ' ' '\t' <urls.txt | sed 's/]:80/]/g; s/#c//g' | sort -u >urls.wanted # a fragment is no part of a page
check urls urls.wanted urls.txt
check urls-zstd urls.wanted --codec zstd:19 urls.txt
printf '%s\n' 'http://WWW.a.b/x http://a.b/y' 'http://a.b/x http://u@a.b/y?' 'x HTTP://a.b/y' >spelled.txt
printf '%s\t%s\n' http://a.b/x http://a.b/y x http://a.b/y >spelled.wanted
check spelled spelled.wanted --profile heritrix spelled.txt
printf '%s\t%s\n' a.b/x a.b/y x/ a.b/y >bare.wanted
check bare bare.wanted --profile wayback spelled.txt

# ---- Larger: several bands and segments; tiles that are cut over blocks, off the diagonal and on it;
# enough names for groups in their index. Generated, always the same.
python3 - <<'END'
from random import Random
random = Random(1)

def write(name, pairs, form):
    with open(name, "w") as file:
        file.writelines("%s\t%s\n" % (form(a), form(b)) for a, b in pairs)

def some(count, sources, targets):
    return [(random.randrange(*sources), random.randrange(*targets)) for _ in range(count)]

low, high = (0, 60000), (70000, 140000)
write("large.txt", some(140000, low, low) + some(140000, high, low) + some(20000, low, high) +
      some(5000, high, high), str)
write("sites.txt", some(30000, (0, 30000), (0, 30000)),
      lambda v: "http://h%03d.site%d.example/%s/page-%d.html" % (v % 331, v % 7, "d" * (v % 89), v))
END
sort -u large.txt >large.wanted
check large large.wanted --vertices 140000 large.txt
check large-zstd large.wanted --vertices 140000 --codec zstd:1 large.txt
head -n 30000 large.txt >many.txt
sort -u many.txt >many.wanted
check many-numbers many.wanted many.txt
sort -u sites.txt >sites.wanted
check sites sites.wanted sites.txt
# A band of two segments takes a million links off its diagonal.
awk 'BEGIN { for (i = 65536; i < 81920; i++) for (j = 0; j < 73; j++) print i "\t" 200 * j }' >dense-band.txt
sort dense-band.txt >dense-band.wanted
check dense-band dense-band.wanted --vertices 81920 --encoding keys --codec zstd dense-band.txt

# ---- Corners: what they are made for, several parts of a tile, and links without any structure.
head -n 700000 dense-band.txt >dense-part.txt # more than the 2^19 links of a part
sort dense-part.txt >dense-part.wanted
check dense-part-corners dense-part.wanted --vertices 81920 dense-part.txt
check large-corners large.wanted --vertices 140000 --encoding corners large.txt
check urls-corners urls.wanted --encoding corners urls.txt
check undirected-corners both-ways --undirected --encoding corners numbers.txt
python3 - <<'END'
from random import Random
random = Random(2)
with open("pages.txt", "w") as file:
    for site in range(0, 90000, 600):
        menu = set(range(site, site + random.randrange(20)))
        for page in range(site, site + 50):
            if random.random() < 0.2:
                menu ^= {random.randrange(site, site + 300) for _ in range(3)}
            file.writelines(f"{page}\t{target}\n" for target in menu)
            if random.random() < 0.3:
                file.write(f"{page}\t{random.randrange(90000)}\n")
END
sort -u pages.txt >pages.wanted
check pages pages.wanted --vertices 90000 pages.txt
check pages-transposed <(swap pages.wanted | sort) --vertices 90000 --transpose --codec zstd pages.txt

# ---- Weights: in bytes, in floats, both; several of a link; cut tiles; with names; with zstd.
python3 - <<'END'
from random import Random
random = Random(3)
def write(name, pairs, weight, form=str):
    links = {}
    with open(name + ".txt", "w") as file:
        file.writelines("%s %s %g\n" % (form(a), form(b), w) for a, b in pairs
                        for w in (weight(),) if links.setdefault((a, b), []).append(w) is None)
    with open(name + ".wanted", "w") as file:
        file.writelines(sorted("%s\t%s\t%g\n" % (form(a), form(b), sum(w)) for (a, b), w in links.items()))
    with open(name + ".kept", "w") as file:
        file.writelines(sorted("%s\t%s\t%g\n" % (form(a), form(b), x) for (a, b), w in links.items() for x in w))
low, high = (0, 6000), (70000, 140000)
pairs = [(random.randrange(*random.choice((low, high))), random.randrange(*low)) for _ in range(120000)]
write("bytes", pairs + pairs[:999], lambda: random.randrange(1, 100))
write("floats", pairs, lambda: random.randrange(1, 4000) / 8)
write("mixed", pairs[:60000], lambda: random.randrange(1, 300))
END
check bytes bytes.wanted --weights bytes.txt
check bytes-kept bytes.kept --weights --duplicates keep bytes.txt
check floats floats.wanted --weights --codec zstd floats.txt
check mixed mixed.wanted --weights mixed.txt
printf '%s\n' source,target,weight http://a.b/,http://c.d/,2.5 http://c.d/,http://c.d/,1 >named.csv
printf '%s\t%s\t%s\n' http://a.b/ http://c.d/ 2.5 http://c.d/ http://c.d/ 1 >named.wanted
check named named.wanted named.csv
# ---- Two classes, each in files of its own; hosts, reversed.
for i in $(seq 3000); do
    echo "http://h$((i * 7919 % 97)).org/$((i % 11)) http://h$((i * 104729 % 89)).org/$((i % 13))"
    echo "http://h$((i % 97)).org/$((i % 11)) http://h$((i % 97)).org/$((i % 7))"
done >classes.txt
sed 's/ /\t/' classes.txt | sort -u >classes.wanted
check classes classes.wanted --columns source-target --classes host classes.txt
check classes-corners classes.wanted --columns source-target --classes domain --encoding corners --codec zstd classes.txt
printf '0\tcom.a\n1\tcom.a-b\n2\tcom.a.www\n' >vertices.txt
printf '0\t1\n2\t0\n' >edges.txt
printf 'com.a\tcom.a-b\ncom.a.www\tcom.a\n' >hosts.wanted
check hosts hosts.wanted --classes domain vertices.txt edges.txt

# ---- Fetch facts: of one page, of many in several blocks; the order of the pages does not matter.
printf '%s\n' '{"url": "http://a.b/", "links": ["http://c.d/"], "timestamp": 4294967295}' >one-fetch.jl
printf 'http://a.b/\thttp://c.d/\n' >one-fetch.wanted
check one-fetch one-fetch.wanted one-fetch.jl
awk 'BEGIN { for (i = 0; i < 9000; i++) for (j = 0; j <= i % 7 % 3; j++)
    printf "{\"url\": \"http://a.b/%d\", \"links\": [\"http://a.b/%d\"], \"timestamp\": %d}\n", i, i * 7 % 9000, i + 9 * j + 1
    }' >fetches.jl
awk 'BEGIN { for (i = 0; i < 9000; i++) print "http://a.b/" i "\thttp://a.b/" i * 7 % 9000 }' | sort >fetches.wanted
check fetches fetches.wanted fetches.jl
awk '{ sub("}$", ", \"digest\": \"" NR % 5 "\"}"); print }' fetches.jl >digests.jl
check digests fetches.wanted digests.jl

# ---- Stores that were written when this format was new: both programs read them; a build makes the same bytes still.
golden=$(dirname "$reader")/golden
sort "$golden/links.tsv" >golden.wanted
for store in 4 5; do
    "$MILLRACE" check --quiet --full "$golden/$store.mill"
    python3 "$reader" "$golden/$store.mill" 2>/dev/null | sort | cmp - golden.wanted
    "$MILLRACE" pagerank "$golden/$store.mill" --tolerance 1e-12 -o "golden-$store.tsv" --quiet
    paste golden-4.tsv "golden-$store.tsv" |
        awk -F '\t' '$1 != $3 || $2 - $4 > 1e-12 || $4 - $2 > 1e-12 { exit 1 }'
    echo "golden $store: good"
done
check golden golden.wanted "$golden/links.tsv"
diff -r golden.mill "$golden/4.mill"
"$MILLRACE" build -o golden-5.mill --quiet "$golden/links.jl"
diff -r golden-5.mill "$golden/5.mill"
# An append is what a build of all links makes.
cp -r "$golden/4.mill" grown.mill
printf 'http://e.org/\thttp://a.org/x\n' >more.tsv
"$MILLRACE" append grown.mill more.tsv --quiet
"$MILLRACE" check --full --quiet grown.mill
sort golden.wanted more.tsv >grown.wanted
python3 "$reader" grown.mill 2>/dev/null | sort | cmp - grown.wanted
"$MILLRACE" build -o all.mill "$golden/links.tsv" more.tsv --quiet
diff -r grown.mill all.mill

# Are they what they are here for?
expect() { # NAME PATTERN
    grep -qE "$2" "$1.figures" || { echo "$1: no '$2' in: $(cat "$1.figures")" >&2; exit 1; }
}
expect large " 3 bands, "
expect large "cut [1-9][0-9]* times off the diagonal and [1-9]"
expect dense-band "[(]10 zstd[)]"
expect dense-part-corners " [2-9] parts of corners"
expect large-corners " [1-9][0-9]* parts of corners"
expect pages " [1-9] parts of corners"
expect pages-transposed " [1-9] parts of corners"
expect sites " ([2-9][0-9]|1[7-9]) names$"

expect one-fetch "fetch facts of 1 pages"
expect fetches "fetch facts of 9000 pages$"
expect digests "fetch facts of 9000 pages, with digests"
expect bytes "weights from 1 to .*, 1[0-9]* in a byte"
expect floats "weights from 0.125 to"
expect mixed "in a byte"

# ---- Damage. One byte in each file; a file cut short; a newer version; no manifest.
flip() { # FILE OFFSET
    python3 -c '
import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2]))
    byte = file.read(1)[0]
    file.seek(int(sys.argv[2]))
    file.write(bytes([byte ^ 16]))' "$1" "$2"
}
cp -r dense.mill dense-order.mill
flip dense-order.mill/order.1 2000
refuse dense-order "a byte of the order" "a block's checksum is wrong"
flip fetches.mill/facts.1 147600
refuse fetches "a byte of the fetch facts" "a block's checksum is wrong"
truncate -s -64 digests.mill/facts.1
refuse digests "fetch facts cut short" "facts.1 does not have the size that the manifest says"
flip urls.mill/links.1 4095 # the padding counts too
refuse urls "a byte of the links" "a block's checksum is wrong"
flip sites.mill/names.1 1000
refuse sites "a byte of the names" "a block's checksum is wrong"
flip large.mill/degrees.1 100
refuse large "a byte of the degrees" "a block's checksum is wrong"
flip large-zstd.mill/index.1 99
refuse large-zstd "a byte of the index" "the index's checksum is wrong"
flip numbers.mill/MANIFEST 40
refuse numbers "a byte of the manifest" "the manifest's checksum is wrong"
truncate -s -4096 many-numbers.mill/links.1
refuse many-numbers "a file cut short" "links.1 does not have the size that the manifest says"
printf '\007' | dd of=dense.mill/MANIFEST bs=1 seek=8 conv=notrunc status=none
refuse dense "a newer version" "format version 7; this program reads versions 4 to 6"
flip bytes.mill/weights.links.1 9999
refuse bytes "a byte of the weights" "a block's checksum is wrong"
flip floats.mill/weights.degrees.1 5000
refuse floats "a byte of the strengths" "a block's checksum is wrong"
cp mixed.mill/weights.MANIFEST bytes-kept.mill/weights.MANIFEST
refuse bytes-kept "another weighted set" "index" # its size or its checksum
rm empty.mill/MANIFEST
refuse empty "no manifest" "not a store"
