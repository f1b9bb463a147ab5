#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Files for crawlers, each checked by a strict parser of what that crawler accepts; crawl-rank.
. "$(dirname "$0")/lib.sh"

shared=$root/shared
mkdir "$shared"
cat >"$shared/links.txt" <<'LINKS'
http://www.example.com/a http://example.com/b?
http://example.com/a http://example.com/b
http://www2.example.com/a http://other.org/
http://other.org http://user@example.com/b
http://other.org/ http://example.com/c
http://example.com/c http://example.com/b
LINKS

begin "crawl-rank: the steps, and what they make by hand"
run crawl-rank "$shared/links.txt" -o "$shared/out" --columns source-target --profile heritrix --levels 3
exits 0
has "$root/stderr" '$ millrace build -o '
has "$root/stderr" '$ millrace pagerank -o '
has "$root/stderr" '$ millrace precedence -o '
has "$root/stderr" "peak memory"
"$MILLRACE" build -o hand.mill --columns source-target --profile heritrix --quiet "$shared/links.txt"
"$MILLRACE" pagerank hand.mill -o hand.tsv --quiet
"$MILLRACE" precedence hand.tsv --levels 3 --spellings hand.mill -o hand.txt --quiet
cmp hand.tsv "$shared/out/ranks.tsv" || fail "scores"
cmp hand.txt "$shared/out/precedence.txt" || fail "levels"
cmp hand.mill/MANIFEST "$shared/out/crawl.mill/MANIFEST" || fail "store"

begin "heritrix: URI, one blank, a level of 1 to 126; every spelling that was met, once"
levels=$shared/out/precedence.txt
awk 'NF != 2 || !/^[^ ]+ [0-9]+$/ || $2 < 1 || $2 > 126 || seen[$1]++ { exit 1 }' "$levels" ||
    fail "not what PrecedenceLoader reads: $(cat "$levels")"
cut -d ' ' -f 1 "$levels" | sort >found.txt
tr ' ' '\n' <"$shared/links.txt" | sort -u >wanted.txt
cmp found.txt wanted.txt || fail "not the spellings of the input"
[ "$(grep '/b' "$levels" | cut -d ' ' -f 2 | sort -u | wc -l)" = 1 ] || fail "spellings differ in level"

begin "nutch: URL, tab, nutch.score=float; the average page has 1"
ranks=$shared/pages.tsv # without metadata, which would name the store and its spellings
cp "$shared/out/ranks.tsv" "$ranks"
run precedence "$ranks" --crawler nutch --quiet
exits 0
awk -F '\t' 'NF != 2 || $2 !~ /^nutch\.score=[0-9]+(\.[0-9]+)?(e-?[0-9]+)?$/ { exit 1 }
    { sub(/nutch\.score=/, "", $2); s += $2 } END { exit !(s / NR > 0.999999 && s / NR < 1.000001) }' \
    "$root/stdout" || fail "$(cat "$root/stdout")"

begin "stormcrawler: URL, then key=value, tabs between"
run precedence "$ranks" --crawler stormcrawler --levels 2 --quiet
exits 0
awk -F '\t' 'NF != 3 || $2 !~ /^score=[0-9.e-]+$/ || $3 !~ /^level=[12]$/ { exit 1 }' "$root/stdout" ||
    fail "$(cat "$root/stdout")"

begin "a score of exactly 1, which the injector ignores, is the next float"
printf 'http://a/\t1\nhttp://b/\t3\nhttp://c/\t2\n' >two.tsv
run precedence two.tsv --crawler nutch --quiet
stdout_is <<'END'
http://a/	nutch.score=0.5
http://b/	nutch.score=1.5
http://c/	nutch.score=1.00000012
END

begin "frontera: scores from 0 to 1, the best one 0 for the queues that take the lowest first, 1 for HBase's"
for queue in frontera:0 frontera-hbase:1; do
    run precedence "$ranks" --crawler ${queue%:*} --quiet
    exits 0
    awk -F '\t' -v best=${queue#*:} 'NF != 2 || $2 + 0 < 0 || $2 + 0 > 1 { exit 1 } $2 == best { n++ } END { exit n != 1 }' \
        "$root/stdout" || fail "$(cat "$root/stdout")"
done

begin "urlfrontier: items with the place of a page as the time from which it may be fetched"
printf 'http://b/"q"\\\t2\nhttp://a/\t1\nhttp://c/\t3\n' >scores.tsv
run precedence scores.tsv --crawler urlfrontier -o items.jsonl --quiet
exits 0
file_is items.jsonl <<'END'
{"known":{"info":{"url":"http://b/\"q\"\\"},"refetchableFromDate":"2"}}
{"known":{"info":{"url":"http://a/"},"refetchableFromDate":"3"}}
{"known":{"info":{"url":"http://c/"},"refetchableFromDate":"1"}}
END
sed -i 's/http:..a./http:\/\/x\//' items.jsonl
run precedence scores.tsv --crawler urlfrontier --only-changed items.jsonl --quiet
exits 0
stdout_is <<<'{"known":{"info":{"url":"http://a/"},"refetchableFromDate":"3"}}'

begin "nutch-nodes: a SequenceFile of all pages, in units of the average score"
awk 'BEGIN { for (i = 1; i < 300; i++) printf "http://h%d/%0*d\t%d\n", i, i, 0, 2 * i }' >scores.tsv
run precedence scores.tsv --crawler nutch-nodes -o part-r-00000 --quiet
exits 0
python3 - <<'END' || fail "other nodes"
import io, struct
f = io.BytesIO(open("part-r-00000", "rb").read())
head = b"SEQ\x06" + b"".join(bytes([len(name)]) + name for name in (b"org.apache.hadoop.io.Text", b"org.apache.nutch.scoring.webgraph.Node"))
assert f.read(len(head)) == head and f.read(6) == bytes(6)
sync, nodes, syncs = f.read(16), {}, 0
while True:
    length = f.read(4)
    if not length:
        break
    length, = struct.unpack(">i", length)
    if length == -1:
        assert f.read(16) == sync
        syncs += 1
        continue
    size = f.read(4)
    key, value = f.read(struct.unpack(">i", size)[0]), f.read(length - struct.unpack(">i", size)[0])
    n = struct.unpack("b", key[:1])[0]
    skip = 1 if n >= 0 else 1 - (n + 112)
    n = n if n >= 0 else int.from_bytes(key[1:skip], "big")
    assert len(key) == skip + n and value[:8] == bytes(8) and value[12:] == bytes(4)
    nodes[key[skip:].decode()] = value[8:12]
rows = [line.rstrip("\n").split("\t") for line in open("scores.tsv")]
total = sum(float(score) for _, score in rows)
assert syncs > 10 and nodes == {name: struct.pack(">f", float(score) * (len(rows) / total)) for name, score in rows}
END
run precedence scores.tsv --crawler nutch-nodes --only-changed part-r-00000
exits 2

begin "scrapy: integers, higher is sooner"
run precedence "$ranks" --crawler scrapy --levels 3 --quiet
exits 0
run_levels=$(cut -f 2 "$root/stdout" | tr '\n' ' ')
run precedence "$ranks" --levels 3 --quiet
[ "$run_levels" = "$(awk '{ printf "%d ", 3 - $2 }' "$root/stdout")" ] || fail "$run_levels"

begin "commoncrawl: a header, positions from 1, each once, in the order of the values"
run precedence "$ranks" --crawler commoncrawl --quiet
exits 0
[ "$(head -1 "$root/stdout")" = '#pr_pos	#pr_val	#host_rev' ] || fail "header"
tail -n +2 "$root/stdout" | sort -n >rows.txt
awk -F '\t' 'NF != 3 || $1 != NR || (NR > 1 && $2 + 0 > before + 0) { exit 1 } { before = $2 }' rows.txt ||
    fail "$(cat rows.txt)"
[ "$(wc -l <rows.txt)" = "$(wc -l <"$ranks")" ] || fail "rows"

begin "--log: equal steps of the logarithm"
printf 'a\t1000\nb\t999\nc\t90\nd\t11\ne\t1\nf\t0\n' >scores.tsv
run precedence scores.tsv --log-scale --levels 3 --quiet
exits 0
[ "$(cut -d ' ' -f 2 "$root/stdout" | tr -d '\n')" = 112233 ] || fail "$(cat "$root/stdout")"

begin "--per-host: levels of each host by itself"
printf 'http://a/1\t9\nhttp://a/2\t8\nhttp://b/1\t2\nhttp://b/2\t3\nhttp://c/\t1\n' >scores.tsv
run precedence scores.tsv --per-host --levels 2 --json -o levels.txt --quiet
exits 0
[ "$(cut -d ' ' -f 2 levels.txt | tr -d '\n')" = 12211 ] || fail "$(cat levels.txt)"

# Writes a file of scores in any order, and the levels that each page should get.
any_order() { # HOSTS PAGES
    python3 - "$1" "$2" <<'END'
import math, random, sys
n_hosts, n = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(n)
hosts = {}
with open("any.tsv", "w") as out:
    for row in range(n):
        host = "hOsT"[draw.randrange(4):] + "%d.org" % min(int(draw.expovariate(3 / n_hosts)), n_hosts)
        score = draw.randrange(100)
        hosts.setdefault(host.lower(), []).append((-score, row))
        out.write("http://%s/%d\t%d\n" % (host, row, score))
levels = [0] * n
for pages in hosts.values():
    for rank, (_, row) in enumerate(sorted(pages)):
        ends = (max(1, math.floor(len(pages) * i / 5 + 0.5)) for i in range(1, 6))
        levels[row] = next(level for level, end in enumerate(ends, 1) if rank < end)
open("expected", "w").writelines("%d\n" % level for level in levels)
END
}

begin "--per-host: the pages of a host stand anywhere, in any case, with any memory"
while read -r hosts pages memory; do
    any_order "$hosts" "$pages"
    run precedence any.tsv --per-host --memory "$memory" -o levels.txt --force --quiet
    exits 0
    sed 's/.* //' levels.txt | cmp - expected >"$root/diff" || fail "$hosts hosts: $(cat "$root/diff")"
done <<'END'
2 1000 1G
40 1000 1G
100 20000 1G
300000 400000 32Mi
END

begin "--per-host: the best page of every host is on level 1, however few it has"
printf 'http://a/\t9\nhttp://b/1\t2\nhttp://b/2\t3\nhttp://c/1\t1\nhttp://c/2\t0\nhttp://c/3\t2\n' >scores.tsv
run precedence scores.tsv --per-host
exits 0
stdout_is <<'LEVELS'
http://a/ 1
http://b/1 4
http://b/2 1
http://c/1 3
http://c/2 5
http://c/3 1
LEVELS
stderr_is <<<"millrace: 6 pages on 5 levels, 3 of them on level 1"

begin "--mix: weights times scores over the best one; pages of the first file"
printf 'a\t4\nb\t2\nc\t1\n' >one.tsv
printf 'c\t10\nx\t20\na\t5\n' >two.tsv
run precedence --mix 0.6:one.tsv,0.4:two.tsv --crawler frontera-hbase
exits 0
has "$root/stderr" "two.tsv has no score for 1 page, and counts as 0 there"
# 0.6 + 0.1, 0.3, 0.15 + 0.2, over the best
awk -F '\t' '{ printf "%s %.6f\n", $1, $2 }' "$root/stdout" >found.txt
printf 'a 1.000000\nb %.6f\nc %.6f\n' "$(awk 'BEGIN { print 0.3 / 0.7 }')" 0.5 | cmp - found.txt ||
    fail "$(cat found.txt)"
run precedence --mix one.tsv
exits 2
run precedence one.tsv --mix 1:one.tsv
exits 2

begin "--only-changed: what moved, and what is new"
printf 'a\t5\nb\t4\nc\t3\nd\t2\n' >old.tsv
printf 'a\t5\nb\t1\nc\t3\nd\t2\ne\t9\nf\t0\n' >new.tsv
run precedence old.tsv --levels 2 -o old.txt --quiet
run precedence new.tsv --levels 2 --only-changed old.txt
exits 0
stdout_is <<'CHANGED'
b 2
c 1
e 1
f 2
CHANGED
has "$root/stderr" "4 lines written, 2 unchanged"
echo broken >bad.txt
run precedence new.tsv --only-changed bad.txt
exits 3
stderr_is <<<"millrace: bad.txt:1: is no line of this format; --only-changed takes what an earlier run wrote for the same --crawler"

begin "crawl-rank: failures of a step are its own, with its exit code"
echo "only-one-name" >bad.txt
run crawl-rank bad.txt -o out2 --format urls
exits 3
has "$root/stderr" "bad.txt:1: "
has "$root/stderr" "crawl-rank stops: 'millrace build' failed"
missing out2
run crawl-rank "$shared/links.txt" -o "$shared/out"
exits 2
run crawl-rank "$shared/links.txt"
exits 2
stderr_is <<<"millrace: crawl-rank: needs an output directory; say -o DIR, such as -o out"

begin "crawl-rank goes on where a step met a limit, and replaces only what is its own"
awk 'BEGIN { for (i = 0; i < 20000; i++) print "http://h" i % 90 ".example/p" i, "http://h" i % 7 ".example/p" i * 7 % 20000 }' \
    >"$shared/many.txt"
cp "$shared/many.txt" links.txt
limited() {
    command_line="crawl-rank $*, files of $blocks KiB"
    (ulimit -f "$blocks" && exec "$MILLRACE" crawl-rank "$@") >"$root/stdout" 2>"$root/stderr" </dev/null
    code=$?
}
run crawl-rank links.txt -o whole --quiet
exits 0
"$MILLRACE" build links.txt -o other.mill --quiet
blocks=700
limited links.txt -o out
exits 5
has "$root/stderr" "out keeps what is done: the same command goes on from there"
[ "$(ls -A out | tr '\n' ' ')" = '_millrace_unfinished crawl-rank.json ' ] || fail "$(ls -A out)"
[ -d out/_millrace_unfinished/crawl.mill ] || fail "no store is kept"
cp -r out cut
run crawl-rank other.mill -o out
exits 2
stderr_is <<<"millrace: out/crawl-rank.json: belongs to a crawl-rank of other inputs, or the inputs have changed; name another directory, or say --force to begin anew"
echo mine >out/ranks.tsv
run crawl-rank links.txt -o out
exits 2
stderr_is <<<"millrace: out/ranks.tsv: exists; use --force to replace it"
[ "$(cat out/ranks.tsv)" = mine ] || fail "a file of the user is replaced"
rm out/ranks.tsv
run crawl-rank links.txt -o out
exits 0
has "$root/stderr" "out/crawl.mill: done before, in "
diff -r -x '*.json' whole out || fail "goes on to other outputs"
missing out/crawl-rank.json
run crawl-rank links.txt -o out
exits 2
rm -r out && mv cut out
run crawl-rank links.txt -o out --force --quiet
exits 0
diff -r -x '*.json' whole out || fail "--force: other outputs"
# A limit while the results are replaced keeps them.
limited links.txt -o out --force --damping 0.5
exits 5
diff -r -x '*.json' whole out || fail "--force and a limit: other outputs"

begin "one crawl-rank at a time works in a directory"
mkdir out
exec {lock}>out/LOCK
flock "$lock"
run crawl-rank "$shared/many.txt" -o out
exits 1
has "$root/stderr" "millrace: out: is being written by"
exec {lock}>&-
run crawl-rank "$shared/many.txt" -o out --quiet
exits 0
missing out/LOCK

begin "crawl-rank goes on after kill -9"
cp "$shared/many.txt" links.txt
run crawl-rank links.txt -o whole --quiet
exits 0
for delay in 0.03 0.06 0.09 0.12 0.15; do
    rm -rf out
    setsid "$MILLRACE" crawl-rank links.txt -o out --quiet >/dev/null 2>&1 &
    sleep $delay
    kill -9 -- "-$!" 2>/dev/null
    wait $! 2>/dev/null
    [ -e out/crawl-rank.json ] || rm -rf out # it had ended, or not begun
    run crawl-rank links.txt -o out --quiet
    exits 0
    diff -r -x '*.json' whole out || fail "killed after $delay s: goes on to other outputs: $(ls -A out)"
    missing out/crawl-rank.json
done

begin "crawl-rank goes on where it was cut off when its results had their names"
cp "$shared/many.txt" links.txt
run crawl-rank links.txt -o whole --quiet
exits 0
for mark in _SUCCESS _SUCCESS.tmp-1; do
    rm -rf out
    cp -r whole out
    mv out/_SUCCESS out/$mark 2>/dev/null
    mkdir out/_millrace_unfinished
    run crawl-rank links.txt -o out --quiet
    exits 0
    diff -r -x '*.json' whole out || fail "$mark: other outputs: $(ls -A out)"
done
rm -rf out # in the middle of it
cp -r whole out
mkdir out/_millrace_unfinished
touch out/_millrace_unfinished/_COMMIT out/_millrace_unfinished/_COMMIT.tmp-1
mv out/ranks.tsv* out/_millrace_unfinished
rm out/_SUCCESS
run crawl-rank links.txt -o out --quiet
exits 0
diff -r -x '*.json' whole out || fail "other outputs: $(ls -A out)"
mkdir out/_millrace_unfinished
touch out/_millrace_unfinished/ranks.tsv # of a run with --force, whose results are not those in out
run crawl-rank links.txt -o out --quiet
exits 2

begin "crawl-rank --force: old results stay together until all new ones are complete"
printf 'http://a.org/1 http://a.org/2\nhttp://a.org/2 http://a.org/1\n' >few.txt
cp "$shared/many.txt" links.txt
results() { # a list of the results in a directory, with what they are
    for file in "$1"/{ranks.tsv,precedence.txt,crawl.mill/MANIFEST,_SUCCESS}; do md5sum <"$file" 2>&1; done
}
"$MILLRACE" crawl-rank links.txt -o whole --quiet
"$MILLRACE" crawl-rank few.txt -o out --quiet
echo mine >out/crawl.mill/notes.txt
results whole >new
results out >old
(ulimit -f 600 && exec "$MILLRACE" crawl-rank links.txt -o out --force) >"$root/stdout" 2>"$root/stderr" </dev/null
code=$? command_line="crawl-rank --force, files of 600 KiB"
exits 5
results out | cmp - old || fail "a full disk: $(ls out)"
missing out/_millrace_unfinished
for wait in "out/_millrace_unfinished/crawl.mill.tmp-*" out/_millrace_unfinished/crawl.mill out/_millrace_unfinished/ranks.tsv; do
    "$MILLRACE" crawl-rank links.txt -o out --force --quiet 2>/dev/null &
    # shellcheck disable=SC2086 # the star is wanted
    until compgen -G "$wait" >/dev/null || ! kill -0 $! 2>/dev/null; do :; done
    [ -z "$(pgrep -P $!)" ] || fail "killed at $wait: a stage is a process that goes on to work"
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    results out >now
    [ ! -e out/_SUCCESS ] || cmp -s now old || cmp -s now new || fail "killed at $wait: mixed results: $(ls out)"
done
run crawl-rank links.txt -o out --force --quiet
exits 0
[ "$(cat out/crawl.mill/notes.txt)" = mine ] || fail "a file of the user is gone"
rm out/crawl.mill/notes.txt
diff -r -x '*.json' whole out || fail "--force: other outputs"
missing out/_millrace_unfinished
field_is out/ranks.tsv.meta.json store '"out/crawl.mill"'

begin "the files of Aduana's database: pages with their scores, and links between their numbers"
printf '%s\n' '0123456789abcdef 0 http://a/ 1000000000.0 1767312000.0 0 12 0 1.000e+00' \
    'f123456789abcdef 2 http://b/ 0.0 0.0 0 0 1 5.000e-01' '2123456789abcdef 1 http://c/ 0.0 0.0 0 3 1 2.500e-01' >info
cut -d ' ' -f 1,3- info >info8 # of another version, without numbers
cut -d ' ' -f 1-7,9 info >infoi # and of a third, without depths
printf '0 2\n0 1\n2 1\n1 0\n' >links
run build links --names info --quiet -o a.mill
exits 0
run export a.mill --to urls --quiet -o -
stdout_is <<<$'http://a/\thttp://b/\nhttp://a/\thttp://c/\nhttp://b/\thttp://c/\nhttp://c/\thttp://a/'
run build links --names infoi --quiet -o ai.mill
exits 0
cmp <("$MILLRACE" export a.mill --to urls -q -o -) <("$MILLRACE" export ai.mill --to urls -q -o -) || fail "names of infoi"
run build links --names info8 -o never.mill
exits 3
has "$root/stderr" 'info8:1: "0123456789abcdef http://a/'
has "$root/stderr" "does not say which page has which index"
printf 'http://a/\t1\nhttp://b/\t0.5\nhttp://c/\t0.25\n' >scores
for dump in info info8 infoi; do
    printf '0 1\n' | run build - --names info --quiet -o seeded.mill --force
    run append seeded.mill --seeds "$dump" --quiet
    exits 0
    run pagerank a.mill --fetched "$dump" --next 9 --urls-only
    exits 0
    stdout_is <<<http://b/
    run build "$dump" -o never.mill
    exits 3
    stderr_is <<<"millrace: $dump: has the pages of Aduana's database and no links; page_db_dump links writes these, and --names takes this file beside them"
    run precedence "$dump" -o - --quiet
    stdout_is <<<$'http://a/ 1\nhttp://b/ 3\nhttp://c/ 5'
    run compare scores "$dump"
    has "$root/stdout" "pages compared   3, 0 of them with different scores"
    for command in "pagerank --start" "ppr --teleport" "hits --page-scores" "hosts --scores"; do
        run ${command% *} a.mill ${command#* } scores --quiet
        cp "$root/stdout" want
        run ${command% *} a.mill ${command#* } "$dump" --quiet
        exits 0
        cmp want "$root/stdout" || fail "$command $dump: not as with the scores"
    done
done
missing never.mill

begin "a folder of small files is one list: one note, one look at what the store lacks"
printf 'http://a/\thttp://b/\nhttp://b/\thttp://c/\n' >links.tsv
run build -o crawl.mill links.tsv --quiet
mkdir queue
echo '{"url":"http://a/","orderNo":null}' >queue/1.json
echo '{"url":"http://b/","orderNo":7}' >queue/2.json
echo '{"url":"http://robots.example/","orderNo":null}' >queue/3.json # the store has it nowhere
: >queue/4.json
run pagerank crawl.mill --fetched queue --next 5 --urls-only
exits 0
stdout_is <<'END_OF_LIST'
http://c/
http://b/
END_OF_LIST
has "$root/stderr" "note: queue is read as a file of JSON: 1 page fetched"
has "$root/stderr" "note: queue: 1 of 2 names (50%) are no page of the store"
[ "$(grep -c queue "$root/stderr")" = 2 ] || fail "$(cat "$root/stderr")"
rm queue/1.json
run pagerank crawl.mill --fetched queue --next 5 --urls-only
exits 3
has "$root/stderr" "queue/3.json:1: none of the 1 names is a page of the store"

begin "a directory is its files for compare, precedence and --names, too"
printf '0 1\n1 2\n3 0\n2 0\n' >edges.txt
printf '%s\n' http://a/ http://b/ http://c/ http://d/ >names.txt
mkdir lines ids scores
head -n 1 names.txt >lines/part-0
: >lines/part-1
tail -n 3 names.txt >lines/part-2
: >lines/_SUCCESS
(echo id,name; echo 2,http://c/; echo 3,http://d/) >ids/part-0.csv
(echo id,name; echo 1,http://b/; echo 0,http://a/) >ids/part-1.csv
for names in names.txt lines ids; do
    run build -o crawl.mill edges.txt --names $names --quiet --force
    exits 0
    run export crawl.mill --to urls -o got.tsv --quiet --force
    exits 0
    sort got.tsv >$names.links
    cmp names.txt.links $names.links || fail "$names: $(cat got.tsv)"
done
rm ids/part-1.csv
run build -o other.mill edges.txt --names ids --quiet
exits 3
has "$root/stderr" "edges.txt: vertex 0 has no name in ids"
run pagerank crawl.mill -o ranks.tsv --quiet
exits 0
sed -n 1,2p ranks.tsv >scores/part-0.tsv
: >scores/part-1.tsv
sed -n '3,$p' ranks.tsv >scores/part-2.tsv
run compare ranks.tsv scores
exits 0
has "$root/stdout" "pages compared   4, 0 of them with different scores"
has "$root/stdout" "in one only      0 in A, 0 in B"
run precedence ranks.tsv -o one.txt --quiet
run precedence scores -o several.txt --quiet
exits 0
cmp one.txt several.txt || fail "$(cat several.txt)"
echo 'http://a/' >>scores/part-1.tsv
run precedence scores
exits 3
has "$root/stderr" "scores/part-1.tsv:1: "

finish
