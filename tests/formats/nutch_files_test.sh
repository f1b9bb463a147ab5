#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Nutch's SequenceFiles, written and read by nutch_files.py, which shares no code with Millrace: every
# coding gives the links of the independent reader. Damage is an error, never another graph.
. "$(dirname "$0")/../cli/lib.sh"

tool=$MILLRACE_SOURCE_DIR/tests/formats/nutch_files.py
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
python3 -c 'import bz2, ctypes, zlib; ctypes.CDLL("libzstd.so.1"); ctypes.CDLL("libsnappy.so.1")' || exit 77
python3 "$tool" write "$root/files" || exit 1

begin "every coding of a linkdb, a segment and a crawldb"
cp -r "$root/files" files
for file in files/linkdb-* files/flagged files/segment-*; do
    run build -o web.mill "$file" --duplicates keep --force --quiet
    exits 0
    run export web.mill --to edges -o edges.txt --names names.txt --force --quiet
    exits 0
    awk 'NR == FNR { name[FNR - 1] = $1; next } /^#/ { next } { print name[$1] "\t" name[$2] }' names.txt edges.txt | sort >links
    python3 "$tool" read "$file" | sort >expected
    cmp -s links expected || fail "$file: $(diff links expected | head -n 3)"
done
[ "$(wc -l <expected)" -gt 3000 ] || fail "too few links"
for file in files/crawldb-*; do
    run build -o web.mill "$file" files/linkdb-plain --force --json
    exits 0
    python3 "$tool" read "$file" >pages
    [ "$(wc -l <pages)" = 270 ] || fail "pages"
    run find web.mill . --quiet
    [ "$(sort -u pages - <"$root/stdout" | wc -l)" = "$(wc -l <"$root/stdout")" ] || fail "$file: pages are missing"
done

begin "what is fetched, when and how often, from a crawldb and from a segment's crawl_fetch"
cp -r "$root/files" files
run build -o web.mill files/linkdb-plain --quiet
exits 0
run find web.mill . --quiet
cp "$root/stdout" known
for file in files/fetch{db,ed}-{plain,ZStandardCodec-blocks}; do
    python3 "$tool" fetches "$file" | awk 'NR == FNR { known[$1]; next } $1 in known' known - | sort >expected
    run pagerank web.mill --fetched "$file" --only fetched
    exits 0
    has "$root/stderr" "note: $file is read as a SequenceFile of Nutch: $(wc -l <expected) pages fetched"
    cut -f 1 "$root/stdout" | sort >pages
    cut -f 1 expected | cmp -s - pages || fail "$file: other pages"
    run opic web.mill --times "$file" --score-columns all -o columns.tsv --force --quiet
    exits 0
    awk -F '\t' 'NR == FNR { time[$1] = $2; next } $1 in time && $4 != time[$1]' expected columns.tsv >differ
    [ ! -s differ ] || fail "$file: $(head -n 3 differ)"
done
[ "$(wc -l <expected)" -gt 150 ] || fail "too few fetches"
run pagerank web.mill --fetched files/linkdb-plain --next 5
exits 3
has "$root/stderr" 'files/linkdb-plain: is a Hadoop SequenceFile of "org.apache.nutch.crawl.Inlinks"; fetches are in'
head -c 3000 files/fetchdb-plain >cut
run pagerank web.mill --fetched cut --next 5
exits 3
has "$root/stderr" "millrace: cut: offset"

begin "fetches and signatures in the files of Nutch are fetch facts"
python3 "$tool" visits . || exit 1
printf 'http://p.org/ http://p.org/old\n' >links.txt
# FILES: fetches, compared, changes of http://p.org/; its links
while read -r files fetches compared changes links; do
    # shellcheck disable=SC2086
    run build -o web.mill ${files//,/ } links.txt --force --quiet
    exits 0
    run show web.mill http://p.org/ --json
    found=$(python3 -c 'import json, sys
page = json.load(sys.stdin)
print(*(page.get(key, 0) for key in ("fetches", "compared", "changes")))' <"$root/stdout")
    run show web.mill http://p.org/ --links-out --quiet
    [ "$found $(tr -d '\n' <"$root/stdout" | sed 's,http://p.org/,,g')" = "$fetches $compared $changes $links" ] ||
        fail "$files: $found $(cat "$root/stdout")"
done <<'END'
parsed 3 2 1 cold
named 0 0 0 bold
fetched 4 1 0 old
db 3 2 1 old
moved 1 0 0 old
fetched,moved 4 1 0 old
db,moved 4 3 1 old
named,fetched 4 1 0 bold
parsed,db 4 3 1 cold
END

# The fetch of the crawldb is the last one of the store; one that is later is another.
for append in moved db; do
    run build -o web.mill fetched links.txt --force --quiet
    exits 0
    run append web.mill "$append" links.txt --quiet
    exits 0
    run show web.mill http://p.org/ --json
    field_is "$root/stdout" fetches 4
done

begin "redirects of fetches and links of the WebGraph are links; a segment or a database is its directory"
python3 "$tool" redirects . || exit 1
# INPUTS: their links
while read -r files links; do
    # shellcheck disable=SC2086
    run build -o web.mill ${files//,/ } --force --quiet
    exits 0
    run export web.mill --to csv
    found=$(tail -n +2 "$root/stdout" | sort | sed 's,http://p.org/,,g; s/,/>/' | xargs)
    [ "$found" = "$links" ] || fail "$files: $found"
done <<'END'
db a>b c>d
fetch a>b c>d
links a>b c>d
crawl/crawldb a>b c>d
crawl/webgraph/outlinks a>b c>d
crawl/segments/20260101000000 a>b c>d e>f
crawl/segments a>b c>d e>f
END
run pagerank web.mill --fetched crawl/segments --only fetched --quiet
exits 0
[ "$(cut -f 1 "$root/stdout" | sort | xargs)" = "http://p.org/a http://p.org/b http://p.org/c" ] || fail "fetched, and handed out"
touch crawl/crawldb/current/other
run build -o web.mill crawl/crawldb --force
exits 3
has "$root/stderr" "crawl/crawldb/current/other: is no part of a file of Nutch"
mkdir plain
printf 'a b\n' >plain/data
printf 'b c\n' >plain/index
run build -o web.mill plain --force --json
exits 0
field_is "$root/stdout" edges 2

begin "values of another version are refused: which are read, and what to do"
printf 'http://p.org/ http://p.org/old\n' >links.txt
run build -o web.mill links.txt --quiet
# FILE|COMMAND|REASON; the values of the file have the version 9
python3 - "$root/files" <<'END'
import os, sys
for name, old in (("crawldb-plain", b"\x07\x02"), ("segment-plain", b"\x05\x02\x01")):
    data = open(os.path.join(sys.argv[1], name), "rb").read()
    open(name.partition("-")[0], "wb").write(data.replace(old, b"\x09" + old[1:]))
END
dump="--fetched reads the text that 'nutch readdb CRAWLDB -dump DIR' writes, and build the text that 'nutch readseg -dump SEGMENT DIR' writes"
while IFS='|' read -r file command reason; do
    # shellcheck disable=SC2086
    run $command
    exits 3
    has "$root/stderr" "millrace: $file: offset"
    has "$root/stderr" "the record or block that begins here has values of version 9; $reason"
    missing new.mill
    missing new.tsv
done <<END
crawldb|build -o new.mill crawldb|only versions 6 and 7 of CrawlDatum can be read; $dump
crawldb|opic web.mill --fetched crawldb -o new.tsv|only versions 6 and 7 of CrawlDatum can be read; $dump
segment|build -o new.mill segment|only version 5 of ParseData can be read; build also reads the text that 'nutch readseg -dump SEGMENT DIR' writes
END
rm -r crawldb segment links.txt web.mill

begin "a value with bytes too many or too few is damaged"
cp -r "$root/files" files
n=0
for file in files/*-{more,less}; do
    run build -o web.mill "$file"
    exits 3
    has "$root/stderr" "the record or block that begins here is damaged: "
    missing web.mill
    n=$((n + 1))
done
[ $n = 16 ] || fail "$n files"
for command in "build -o web.mill" "pagerank files/other-class --fetched"; do
    # shellcheck disable=SC2086
    run $command files/other-class
    exits 3
    has "$root/stderr" 'has metadata of the class "org.apache.nutch.protocol.CustomerStatus", which Millrace does not know; build reads the text that'
done
run build -o web.mill files/other-state
exits 3
has "$root/stderr" "the record or block that begins here is damaged: the state of a CrawlDatum"

begin "cut files and flipped bits are errors, or what the format cannot tell; Hadoop's checksums tell it"
MILLRACE=$MILLRACE python3 "${tool%nutch_files.py}damage.py" 10 "$root"/files/{linkdb-plain,segment-DefaultCodec-blocks,fetched-BZip2Codec-records,linkdb-SnappyCodec-blocks} >damage ||
    fail "$(cat damage)"
[ "$(wc -l <damage)" = 5 ] || fail "$(cat damage)"
cp "$root/files/linkdb-plain" data
printf 'crc\0\0\0\2\0\0\0\0\1' >.data.crc
run build -o web.mill data
exits 3
has "$root/stderr" "millrace: data: offset 0: its bytes from here on are not those whose checksums are in .data.crc; copy both files again, or remove that one"
printf 'crc\0' >.data.crc
run build -o web.mill data
exits 3
has "$root/stderr" "millrace: .data.crc: has no checksums of Hadoop; copy it and data again, or remove it"

begin "damage and other files"
cp -r "$root/files" files
for file in linkdb-plain segment-DefaultCodec-blocks segment-BZip2Codec-records linkdb-ZStandardCodec-blocks; do
    for part in 30 200 3000; do
        head -c $part files/$file >cut
        run build -o cut.mill cut
        exits 3
        has "$root/stderr" "millrace: cut: offset"
        missing cut.mill
    done
done
python3 - files/segment-DefaultCodec-blocks <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[len(data) // 2] ^= 255
open("flipped", "wb").write(data)
data = open(sys.argv[1], "rb").read()
open("other", "wb").write(data.replace(b"DefaultCodec", b"OwnCodec").replace(b"*org.apache.hadoop.io.compress.O", b"&org.apache.hadoop.io.compress.O"))
data = open("files/linkdb-plain", "rb").read()
open("content", "wb").write(data.replace(b"\x1eorg.apache.nutch.crawl.Inlinks", b"\x21org.apache.nutch.protocol.Content"))
END
run build -o cut.mill flipped
exits 3
has "$root/stderr" "the Hadoop SequenceFile is damaged here: its compressed data are damaged; copy it again"
run build -o cut.mill other
exits 3
has "$root/stderr" 'is compressed with the codec "org.apache.hadoop.io.compress.OwnCodec"; DefaultCodec,'
run build -o cut.mill content
exits 3
has "$root/stderr" 'is a Hadoop SequenceFile of "org.apache.nutch.protocol.Content"; links are in the files called data'
only_left files cut flipped other content

finish
