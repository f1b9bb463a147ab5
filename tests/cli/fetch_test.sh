#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What to fetch next: --fetched, --times, --only, --next and --revisit, against sort and grep; lists of
# fetched pages as crawlers write them.
. "$(dirname "$0")/lib.sh"

shared=$root/shared
mkdir "$shared"
zstd -dcq "$MILLRACE_SOURCE_DIR/examples/debian-docs/links.txt.zst" >"$shared/docs.txt"
"$MILLRACE" build -o "$shared/docs.mill" --columns target-source --quiet "$shared/docs.txt" ||
    fail "build"
"$MILLRACE" pagerank "$shared/docs.mill" -o "$shared/ranks.tsv" --quiet || fail "pagerank"
# Every third page with links is fetched, each a day after the one before it.
cut -d ' ' -f 2 "$shared/docs.txt" | sort -u | awk 'NR % 3 == 0' >"$shared/fetched.txt"
awk '{ print $1 "\t" 1700000000 + NR * 60 }' "$shared/fetched.txt" >"$shared/times.tsv"

# The lines of FILE whose name is in the list, or is not (-v).
among() {
    awk -F '\t' -v v="$1" 'NR == FNR { f[$1] = 1; next } ($1 in f) != (v == "-v")' "$shared/fetched.txt" "$2"
}

begin "--next is the best of the pages that are not fetched"
among -v "$shared/ranks.tsv" | sort -t '	' -k 2,2gr -s | head -500 >wanted.txt
run pagerank "$shared/docs.mill" --fetched "$shared/fetched.txt" --next 500 -o all.tsv --quiet
exits 0
cmp "$root/stdout" wanted.txt || fail "next"
cmp all.tsv "$shared/ranks.tsv" || fail "-o does not have all scores"
run pagerank "$shared/docs.mill" --times "$shared/times.tsv" --next 500 --quiet
exits 0
cmp "$root/stdout" wanted.txt || fail "a page with a time is fetched"
printf 'https://cmake.org/\tno time\n' >no.tsv
run pagerank "$shared/docs.mill" --times no.tsv --next 5
exits 3
has "$root/stderr" "the second field is no time"
run hits "$shared/docs.mill" --fetched "$shared/fetched.txt" --next 50 -o hits.tsv --quiet
exits 0
among -v hits.tsv | sort -t '	' -k 3,3gr -s | awk 'NR <= 50' | cut -f 1,3 | cmp - "$root/stdout" || fail "hits"
run hits "$shared/docs.mill" --fetched "$shared/fetched.txt" --next 50 --by hub --quiet
exits 0
among -v hits.tsv | sort -t '	' -k 2,2gr -s | awk 'NR <= 50' | cut -f 1,2 | cmp - "$root/stdout" || fail "by hub"
run ppr "$shared/docs.mill" --seeds "$shared/fetched.txt" --fetched "$shared/fetched.txt" --next 50 -o ppr.tsv --quiet
exits 0
among -v ppr.tsv | sort -t '	' -k 2,2gr -s | awk 'NR <= 50' | cmp - "$root/stdout" || fail "ppr"

begin "lists and scores that are directories are their files"
mkdir fetched ranks
split -l 200 "$shared/fetched.txt" fetched/part-
split -l 300 "$shared/ranks.tsv" ranks/part-
touch fetched/_SUCCESS ranks/_SUCCESS
for list in fetched "$shared/fetched.txt"; do
    run pagerank "$shared/docs.mill" --fetched $list --seeds $list --next 20 --quiet
    exits 0
    cp "$root/stdout" "next.${list##*.}"
done
cmp next.fetched next.txt || fail "other pages to fetch"
for scores in ranks "$shared/ranks.tsv"; do
    run certify $scores --graph "$shared/docs.mill"
    exits 0
    cp "$root/stdout" "certificate.${scores##*.}"
done
cmp certificate.ranks certificate.tsv || fail "other scores"

begin "--per-host and --per-domain bound the pages of a host"
# cap N HOST DOMAIN: the first N pages of the standard input without more than so many of a host or domain. Domains are
# the last two labels, which is right for the pages of .org and .com.
cap() {
    awk -F '\t' -v n="$1" -v most="$2" -v of_domain="$3" '
        { split($1, u, "/"); sub(/:.*/, "", u[3]); k = split(u[3], l, "."); d = l[k - 1] "." l[k]
          if ((most && hosts[u[3]] >= most) || (of_domain && domains[d] >= of_domain)) next
          hosts[u[3]]++; domains[d]++; print; if (++done == n) exit }'
}
for command in pagerank opic; do
    run $command "$shared/docs.mill" --fetched "$shared/fetched.txt" --next 100000 --quiet
    cp "$root/stdout" all.txt
    for flags in "50 3 0" "300 1 0" "30 0 2" "60 3 5" "100000 2 0"; do
        # shellcheck disable=SC2086
        set -- $flags
        cap "$@" <all.txt >wanted.txt
        # shellcheck disable=SC2046
        run $command "$shared/docs.mill" --fetched "$shared/fetched.txt" --next "$1" --quiet \
            $([ "$2" = 0 ] || echo --per-host "$2") $([ "$3" = 0 ] || echo --per-domain "$3")
        exits 0
        cmp "$root/stdout" wanted.txt || fail "$command $flags"
    done
done
run pagerank "$shared/docs.mill" --times "$shared/times.tsv" --next 100000 --revisit --quiet
cap 40 2 0 <"$root/stdout" >wanted.txt
run pagerank "$shared/docs.mill" --times "$shared/times.tsv" --next 40 --revisit --per-host 2 --quiet
cmp "$root/stdout" wanted.txt || fail "--revisit"
for limits in "--per-host 2" "--per-host 4294967295 --per-domain 1"; do # their sum is 2^32
    # shellcheck disable=SC2086
    run pagerank "$shared/docs.mill" $limits
    exits 2
    stderr_is <<<"millrace: --per-host needs --next N"
done
printf '1 2\n' >numbers.txt
run pagerank numbers.txt --fetched links --next 2 --per-domain 1 --quiet
exits 3
stderr_is <<<"millrace: pages are called by numbers, which have no hosts; build the store from URLs"

begin "--urls-only: pages to fetch without scores; crawl-rank chooses them in the same way"
for command in "pagerank --fetched $shared/fetched.txt" "opic --fetched $shared/fetched.txt" "hits --fetched links" \
    "pagerank --times $shared/times.tsv --revisit --per-host 3"; do
    # shellcheck disable=SC2086
    set -- $command
    run "$1" "$shared/docs.mill" "${@:2}" --next 30 --quiet
    cut -f 1 "$root/stdout" >wanted.txt
    run "$1" "$shared/docs.mill" "${@:2}" --next 30 --urls-only --quiet
    exits 0
    cmp "$root/stdout" wanted.txt || fail "$command"
done
run pagerank "$shared/docs.mill" --urls-only
exits 2
stderr_is <<<"millrace: --urls-only needs --next N"
head -2000 "$shared/fetched.txt" >first.txt
tail -n +2001 "$shared/fetched.txt" >rest.txt
run precedence "$shared/ranks.tsv" --fetched "$shared/fetched.txt" --next 300 --levels 7 -o levels.txt --quiet
exits 0
run crawl-rank "$shared/docs.txt" -o out --columns target-source --outlinks-from auto --fetched first.txt \
    --fetched rest.txt --next 300 --levels 7 --quiet
exits 0
cmp out/ranks.tsv "$shared/ranks.tsv" || fail "not the scores of all pages"
cmp out/precedence.txt levels.txt || fail "crawl-rank --fetched --next"
grep -Fxf "$shared/fetched.txt" <(cut -d ' ' -f 1 out/precedence.txt) && fail "offers a fetched page"
run crawl-rank "$shared/docs.txt" -o never --next 3
exits 2
stderr_is <<<"millrace: --next needs to know which pages are fetched; say --fetched FILE|links or --times FILE"
run crawl-rank "$shared/docs.txt" -o never --fetched links --next 3
exits 2
stderr_is <<<"millrace: --fetched links: scores have no links; name a file, such as crawl.log, or give it to the ranking, with --only"
run crawl-rank "$shared/docs.txt" -o out --fetched nowhere.txt --next 3 --force
exits 3
missing never
cut -d ' ' -f 1,2 "$shared/docs.txt" | tr ' ' '\n' | sort -u >all.txt
run crawl-rank "$shared/docs.txt" -o late --columns target-source --fetched all.txt --only unfetched --levels 7
exits 3
has "$root/stderr" "late keeps what is done: the same command goes on from there"
run crawl-rank "$shared/docs.txt" -o late --columns target-source --fetched "$shared/fetched.txt" --next 300 --levels 7
exits 0
has "$root/stderr" "late/ranks.tsv: done before, in "
cmp late/precedence.txt levels.txt || fail "another list after a failure"
run precedence "$shared/ranks.tsv" --fetched "$shared/fetched.txt" --next 3 --per-domain 1
exits 2

begin "--only"
run pagerank "$shared/docs.mill" --fetched "$shared/fetched.txt" --only unfetched -o some.tsv --top 3
exits 0
has "$root/stderr" "fetched: $(awk 'END { printf "%d", NR }' "$shared/fetched.txt" | sed -E 's/^([0-9]+)([0-9]{3})$/\1,\2/') of 42,614 pages"
among -v "$shared/ranks.tsv" | cmp - some.tsv || fail "unfetched"
sort -t '	' -k 2,2gr -s some.tsv | awk 'NR <= 3' | cmp - "$root/stdout" || fail "top"
run pagerank "$shared/docs.mill" --fetched "$shared/fetched.txt" --only fetched -o some.tsv --force --quiet
exits 0
among "" "$shared/ranks.tsv" | cmp - some.tsv || fail "fetched"
run pagerank "$shared/docs.mill" --fetched links --only fetched --quiet
exits 0
cut -f 1 "$root/stdout" | sort >found.txt
cut -d ' ' -f 2 "$shared/docs.txt" | sort -u | cmp - found.txt || fail "pages with links"

begin "--revisit orders by score times age"
run pagerank "$shared/docs.mill" --times "$shared/times.tsv" --next 100 --revisit --quiet
exits 0
cut -f 1 "$root/stdout" >found.txt
last=$(tail -1 "$shared/times.tsv" | cut -f 2)
awk -F '\t' -v last="$last" 'NR == FNR { t[$1] = $2; next } $1 in t { printf "%s\t%.17g\n", $1, $2 * ((last - t[$1]) / 86400) }' \
    "$shared/times.tsv" "$shared/ranks.tsv" | sort -t '	' -k 2,2gr -s | head -100 | cut -f 1 >wanted.txt
cmp found.txt wanted.txt || fail "revisit"

begin "the files of crawlers say what is fetched"
run pagerank "$shared/docs.mill" --fetched "$shared/fetched.txt" --next 20 --quiet
cp "$root/stdout" wanted.txt
awk '{ print "2026-01-02T00:00:00.000Z   200       1299 " $1 " L http://x/ text/html #014 20260102000000000+225 sha1:X - -" }
    END { print "2026-01-02T00:00:00.000Z   200  10 https://nowhere.example/a.png E http://x/ image/png #014 2+2 sha1:X - -" }' \
    "$shared/fetched.txt" >crawl.log
awk '{ print $1 "\tVersion: 7\nStatus: 2 (db_fetched)\nFetch time: Sat Jan 31 12:00:00 CET 2026\nModified time: Thu Jan 01 00:00:00 UTC 1970\nRetries since fetch: 0\nRetry interval: 2592000 seconds (30 days)\nScore: 1.0\nSignature: null\nMetadata: \n" }' \
    "$shared/fetched.txt" >crawldb.txt
cut -f 1 wanted.txt | head -9 | awk '{ print $1 "\tVersion: 7\nStatus: 1 (db_unfetched)\nFetch time: Sat Jan 31 12:00:00 CET 2026\nRetry interval: 2592000 seconds (30 days)\n" }' >>crawldb.txt
awk '{ print "key 20260102000000 {\"url\": \"" $1 "\", \"status\": \"200\"}" }' "$shared/fetched.txt" | gzip >index.cdxj.gz
(echo "url,status,nextfetchdate,metadata"
    awk '{ print "\"" $1 "\",FETCHED,2026-03-01T00:00:00Z,\"lastProcessedDate=2026-01-02T00:00:00Z\"" }' "$shared/fetched.txt"
    cut -f 1 wanted.txt | awk '{ print "\"" $1 "\",DISCOVERED,2026-03-01T00:00:00Z," }') >status.csv
for file in crawl.log crawldb.txt index.cdxj.gz status.csv; do
    for flag in --fetched --times; do
        run pagerank "$shared/docs.mill" $flag $file --next 20 --quiet
        exits 0
        cmp "$root/stdout" wanted.txt || fail "$flag $file"
    done
    run opic "$shared/docs.mill" --fetched list:$file --next 20 --quiet
    exits 0
    [ "$(wc -l <"$root/stdout")" = 20 ] || fail "opic $file"
    grep -Fxf "$shared/fetched.txt" <(cut -f 1 "$root/stdout") && fail "opic $file offers a fetched page"
done
run pagerank "$shared/docs.mill" --fetched crawl.log --next 1
exits 0
has "$root/stderr" "crawl.log is read as a crawl.log: "
has "$root/stderr" "1 of "

begin "--revisit of a store with fetch facts: score times the probability of a change"
# Round R of N: pages with times, some of them with other links than before.
facts_round() {
    awk -v r="$1" -v n="$2" 'BEGIN { for (i = 0; i < 60; i++) if (r == 0 || i * 7 % 11 % (n + 1) < r) {
        k = i % 4 == 0 ? r : i % 4 == 1 ? int(r / 2) : 0
        printf "{\"url\": \"http://a.com/%d\", \"links\": [\"/%d\", \"/%d\"], \"timestamp\": %d}\n",
            i, (i * 5 + 1) % 60, (i * 3 + k + 2) % 60, 1700000000 + r * 86400 * (1 + i % 3) + i } }'
}
facts_round 0 4 >round.jl
run build -o facts.mill round.jl --quiet
revisits_are() { # OPTION...: of facts.mill
    run pagerank facts.mill -o ranks.tsv --next 50 --revisit --force --quiet --tolerance 1e-12 "$@"
    exits 0
    python3 - "$root/stdout" <<'END' || fail "$*: $(head -5 "$root/stdout")"
import math
import struct
import sys
facts = open("facts.mill/facts.1", "rb").read()
n, = struct.unpack_from("<Q", open("facts.mill/MANIFEST", "rb").read(), 312)
scores = [line.split("\t") for line in open("ranks.tsv")]  # in the order of positions
rows = [struct.unpack_from("<3I3H", facts, 64 + 18 * i) for i in range(n)]
lists = {line.split()[0]: int(line.split()[1]) for line in open("times.txt")}
pages = {}
for at, first, last, fetches, compared, changes in rows:
    c = -compared * math.log((compared - changes + 0.5) / (compared + 0.5))
    watched = (last - first) * compared / (fetches - 1) if compared else 0
    pages[scores[at][0]] = max(last, lists.get(scores[at][0], 0)), c, watched
now = max(time for time, _, _ in pages.values())
watched, changes = sum(t for _, _, t in pages.values()), sum(c for _, c, _ in pages.values())
prior = watched / (1 + changes) if watched else 30 * 86400
wanted = {}
for name, score in scores:
    if name in pages:
        time, c, seconds = pages[name]
        wanted[name] = float(score) * (1 - (1 + (now - time) / (prior + seconds)) ** -(1 + c)), float(score)
found = [line.split("\t") for line in open(sys.argv[1])]
best = sorted(wanted, key=lambda name: -wanted[name][0])[:50]
assert len(found) == len(best) == 50 and len(pages) == 60
for (name, priority, score), other in zip(found, best):
    assert abs(float(priority) - wanted[name][0]) <= 1e-9 * wanted[other][0] + 1e-16, (name, priority, wanted[name])
    assert abs(wanted[name][0] - wanted[other][0]) <= 1e-9 * wanted[other][0] + 1e-16, (name, other)
END
}
: >times.txt
revisits_are --fetched links # one fetch each
for round in 1 2 3 4; do
    facts_round $round 4 >round.jl
    run append facts.mill round.jl --replace --quiet
    exits 0
done
revisits_are --fetched links
run show facts.mill http://a.com/8
has "$root/stdout" "compared fetches"
printf 'http://a.com/8 1800000000\nhttp://a.com/9 1600000000\n' >times.txt # newer, and older than in the store
revisits_are --fetched links --times times.txt
printf '%s\n' '{"url": "http://a.com/1", "links": ["/2", "/3"], "timestamp": 9}' '{"url": "http://a.com/2", "links": [], "timestamp": 8}' >empty.jl
run build -o empty.mill empty.jl --quiet
echo http://a.com/3 >wanted
for command in pagerank hits "ppr --seed http://a.com/1" opic; do # a page that was fetched and has no links
    # shellcheck disable=SC2086
    run ${command%% *} empty.mill ${command#"${command%% *}"} --next 9 --fetched links --urls-only --quiet
    exits 0
    cmp -s "$root/stdout" wanted || fail "$command: $(cat "$root/stdout")"
done
printf 'http://a.com/1 http://a.com/2\n' >links.txt
run build -o plain.mill links.txt --quiet
for command in pagerank hits "ppr --seed http://a.com/1"; do
    # shellcheck disable=SC2086
    run ${command%% *} plain.mill ${command#"${command%% *}"} --next 9 --revisit --fetched links
    exits 2
    has "$root/stderr" "--revisit needs --next N and --times FILE; the store has no fetch facts"
done

begin "--revisit offers no page that is gone, by its newest fetch"
printf 'http://a.com/%s http://a.com/%s\n' a b b c c d d e e a a d >links.txt
run build -o web.mill links.txt --columns source-target --quiet
run pagerank web.mill -o ranks.tsv --quiet
line() { echo "2026-01-0$3T00:00:00.000Z   $1       1299 http://a.com/$2 L http://a.com/ text/html #014 - - - -"; }
{ line 200 a 1; line 200 d 1; line 404 d 2; line 404 b 1; line 200 b 3; line 200 c 4; } >one.log
grep -v /d one.log >two.log
tac one.log >back.log
for command in "pagerank web.mill" "hits web.mill" "opic web.mill" "precedence ranks.tsv --crawler scrapy"; do
    for lists in "--times one.log" "--times back.log" "--fetched one.log --times two.log"; do
        [ "$command $lists" != "opic web.mill --times one.log" ] || lists="$lists --fetched one.log"
        [ "$command $lists" != "opic web.mill --times back.log" ] || lists="$lists --fetched one.log"
        # shellcheck disable=SC2086
        run $command $lists --next 9 --revisit --quiet
        exits 0
        [ "$(cut -f 1 "$root/stdout" | sort | tr '\n' ' ')" = "http://a.com/a http://a.com/b http://a.com/c " ] ||
            fail "$command $lists: $(cat "$root/stdout")"
    done
done
{ cat one.log; line 503 e 1; } >busy.log
run opic web.mill --fetched busy.log --times one.log --next 9 --revisit
exits 0
[ "$(grep -c "fetch failed for now" "$root/stderr")" = 1 ] || fail "the second reading repeats the notes"
line 404 a 2 >gone.log
for command in "pagerank web.mill" "opic web.mill --fetched gone.log"; do
    # shellcheck disable=SC2086
    run $command --times gone.log --next 9 --revisit
    exits 0
    has "$root/stderr" "note: no page is fetched and not gone; --next has none to print"
done
run precedence ranks.tsv --times gone.log --next 9 --revisit
exits 3
has "$root/stderr" "no page of the scores is fetched and not gone"
for command in "pagerank web.mill" "precedence ranks.tsv"; do
    # shellcheck disable=SC2086
    run $command --fetched one.log --times one.log --next 9 --revisit --only unfetched
    exits 2
    stderr_is <<<"millrace: --revisit prints fetched pages; leave out --only unfetched"
done
run opic web.mill --times - --next 9 --revisit <one.log
exits 2
stderr_is <<<"millrace: -: --revisit reads a list twice, and standard input and pipes can be read only once; write the list to a file"

begin "failures for now are no fetches; --retries counts them"
printf 'http://a.com/%s http://a.com/%s\n' a b b c c d d e e a >links.txt
run build -o web.mill links.txt --columns source-target --quiet
run pagerank web.mill -o ranks.tsv --quiet
line() { echo "2026-01-02T00:00:0$3.000Z   $1       1299 http://a.com/$2 L http://a.com/ text/html #014 - - - -"; }
{ line 200 a 0; line 503 b 0; line -2 c 0; line 404 d 0; line 500 e 0; line 200 e 1; } >one.log
{ line -1 b 2; line 503 f 2; } >two.log
for command in "pagerank web.mill" "opic web.mill" "precedence ranks.tsv --crawler scrapy"; do
    # shellcheck disable=SC2086
    run $command --fetched one.log --fetched two.log --next 9
    exits 0
    [ "$(cut -f 1 "$root/stdout" | sort | tr '\n' ' ')" = "http://a.com/b http://a.com/c " ] || fail "$command"
    has "$root/stderr" "two.log: 2 fetches failed for now (no connection: 1, the server failed: 1"
    has "$root/stderr" "one.log: 3 fetches failed for now (no connection: 1, the server failed: 2, to be fetched again: 0); they are left out, and --retries N counts N of a page as a fetch"
    # shellcheck disable=SC2086
    run $command --fetched one.log --fetched two.log --retries 2 --next 9
    exits 0
    [ "$(cut -f 1 "$root/stdout" | sort | tr '\n' ' ')" = "http://a.com/c " ] || fail "$command --retries 2"
    # shellcheck disable=SC2086
    run $command --fetched one.log --fetched two.log --retries 3 --next 9 --quiet
    [ "$(cut -f 1 "$root/stdout" | sort | tr '\n' ' ')" = "http://a.com/b http://a.com/c " ] || fail "$command --retries 3"
done
run pagerank web.mill --times one.log --next 9 --quiet
[ "$(cut -f 1 "$root/stdout" | sort | tr '\n' ' ')" = "http://a.com/b http://a.com/c " ] || fail "--times"
for command in "pagerank web.mill" "opic web.mill" "precedence ranks.tsv"; do
    # shellcheck disable=SC2086
    run $command --times one.log --retries 2
    exits 2
    has "$root/stderr" "--retries counts failures in a file; say --fetched "
done

begin "precedence writes the pages to fetch, on levels of their own"
run precedence "$shared/ranks.tsv" --fetched "$shared/fetched.txt" --next 100 --levels 4 -o next.txt
exits 0
has "$root/stderr" "100 pages on 4 levels, 25 of them on level 1"
cut -d ' ' -f 1 next.txt | sort >found.txt
among -v "$shared/ranks.tsv" | sort -t '	' -k 2,2gr -s | awk 'NR <= 100' | cut -f 1 | sort | cmp - found.txt || fail "next"
awk '$2 == 1' next.txt | cut -d ' ' -f 1 | sort >found.txt
among -v "$shared/ranks.tsv" | sort -t '	' -k 2,2gr -s | awk 'NR <= 25' | cut -f 1 | sort | cmp - found.txt || fail "level 1"
run precedence "$shared/ranks.tsv" --fetched "$shared/fetched.txt" --only fetched --per-host -o fetched.txt --quiet
exits 0
cut -d ' ' -f 1 fetched.txt | sort | cmp - "$shared/fetched.txt" || fail "fetched"
run pagerank "$shared/docs.mill" --times "$shared/times.tsv" --next 100 --revisit --quiet
cut -f 1 "$root/stdout" | sort >wanted.txt
run precedence "$shared/ranks.tsv" --times "$shared/times.tsv" --next 100 --revisit --crawler scrapy -o again.txt --quiet
exits 0
cut -f 1 again.txt | sort | cmp - wanted.txt || fail "revisit"
printf 'http://www.a.com/x http://a.com/y\nhttp://a.com/y http://a.com/z\n' >links.txt
run build -o web.mill --profile heritrix links.txt --quiet
run pagerank web.mill -o ranks.tsv --quiet
echo 'http://WWW.a.com/y?' >fetched.txt
run precedence ranks.tsv --spellings web.mill --fetched fetched.txt --only unfetched --levels 1 --quiet
exits 0
stdout_is <<'END'
http://www.a.com/x 1
http://a.com/z 1
END
run precedence ranks.tsv --fetched links --only fetched
exits 2
stderr_is <<<"millrace: --fetched links: scores have no links; name a file, such as crawl.log, or give it to the ranking, with --only"

begin "several files add up; another option is given once"
printf 'http://a.com/ http://a.com/x\nhttp://a.com/x http://a.com/y\nhttp://a.com/y http://b.com/\n' >links.txt
run build -o web.mill links.txt --quiet
run pagerank web.mill -o ranks.tsv --quiet
echo http://a.com/ >one.txt
printf '{"url": "http://a.com/x", "ts": "2026-01-02T00:00:00Z"}\n' >two.jsonl
printf 'http://a.com/y\t1767312000\n' >three.tsv
for command in "pagerank web.mill" "ppr web.mill --seeds one.txt --seeds two.jsonl" "opic web.mill" "precedence ranks.tsv"; do
    run $command --fetched one.txt --fetched two.jsonl --times three.tsv --next 5 --quiet
    exits 0
    [ "$(awk '{ print $1 }' "$root/stdout")" = http://b.com/ ] || fail "$command: $(cat "$root/stdout")"
    run $command --times three.tsv --times two.jsonl --fetched one.txt --next 5 --quiet
    [ "$(awk '{ print $1 }' "$root/stdout")" = http://b.com/ ] || fail "$command --times: $(cat "$root/stdout")"
done
run pagerank web.mill --fetched links --fetched one.txt --next 5 --quiet
[ "$(awk '{ print $1 }' "$root/stdout")" = http://b.com/ ] || fail "links and a file"
run ppr web.mill --seeds one.txt --seeds two.jsonl -o both.tsv --quiet
printf 'http://a.com/\nhttp://a.com/x\n' >seeds.txt
run ppr web.mill --seeds seeds.txt --quiet -o listed.tsv
cmp listed.tsv both.tsv || fail "seeds"
has both.tsv.meta.json '"seeds": ['
run ppr web.mill --seeds seeds.txt --seeds one.txt --quiet -o twice.tsv # a page that is listed twice counts once
cmp twice.tsv both.tsv || fail "seeds of two lists"
run opic web.mill --fetched all --fetched one.txt
exits 2
stderr_is <<<"millrace: --fetched one.txt: all pages, or some of them?"
run pagerank web.mill --teleport one.txt --teleport three.tsv
exits 2
stderr_is <<<"millrace: --teleport is given twice; leave one out"

begin "lists for precedence have hosts and domains"
printf 'http://www.a.com/\t1\nhttp://b.com/\t2\nhttp://www.a.com/x\t3\nhttp://a.co.uk/\t4\n' >ranks.tsv
while read -r name left; do
    echo "$name" >list.txt
    run precedence ranks.tsv --fetched list.txt --only unfetched --levels 1 --quiet
    exits 0
    [ "$(cut -d ' ' -f 1 "$root/stdout" | paste -sd ,)" = "$left" ] || fail "$name: $(cat "$root/stdout")"
done <<'END'
www.a.com http://b.com/,http://a.co.uk/
a.com http://b.com/,http://a.co.uk/
*.a.com http://b.com/,http://a.co.uk/
com.a.www http://b.com/,http://a.co.uk/
http://www.a.com/x http://www.a.com/,http://b.com/,http://a.co.uk/
a.co.uk http://www.a.com/,http://b.com/,http://www.a.com/x
END
printf 'b.com\t1767312000\nwww.a.com\t1767312000\n' >times.tsv
run precedence ranks.tsv --times times.tsv --only unfetched --levels 1 --quiet
stdout_is <<<"http://a.co.uk/ 1"
echo nowhere.example >list.txt
run precedence ranks.tsv --fetched list.txt --only unfetched
exits 3
has "$root/stderr" 'list.txt:1: none of the 1 names is a page, host or domain of the store, here the first, "nowhere.example"'

begin "null in a list of JSON is an empty cell"
printf 'http://a.com/ http://b.com/\nhttp://b.com/ http://a.com/\nhttp://c.com/ http://a.com/\n' >links.txt
printf '%s\n' '{"url": "http://a.com/", "fetched": null}' '{"url": "http://b.com/", "fetched": "2026-01-02"}' \
    '{"url": "http://c.com/", "status": null}' >list.jsonl
printf 'url,fetched\nhttp://a.com/,\nhttp://b.com/,2026-01-02\nhttp://c.com/,\n' >list.csv
for list in list.jsonl list.csv; do
    run pagerank links.txt --fetched $list --next 3 --urls-only --quiet
    stdout_is < <(printf 'http://a.com/\nhttp://c.com/\n')
done

begin "lists of pages of any state, and weights"
printf 'http://a.com/ http://b.com/\nhttp://b.com/ http://a.com/\nhttp://c.com/ http://a.com/\n' >links.txt
run build -o web.mill links.txt --quiet
printf '{"url": "http://c.com/", "statusName": "db_unfetched"}\n' >list.json
run ppr web.mill --seeds list.json -o wanted.tsv --quiet
exits 0
echo http://c.com/ >list.txt
run ppr web.mill --seeds list.txt --sort name --quiet
cmp "$root/stdout" wanted.tsv || fail "seeds"
echo '2026-01-02T00:00:00.000Z   503       1299 http://c.com/ L http://a.com/ text/html #014 - - - -' >crawl.log
run ppr web.mill --seeds crawl.log --sort name --quiet
cmp "$root/stdout" wanted.tsv || fail "a page that failed for now"
run export web.mill --vertex-list crawl.log --names names.txt -o part.txt --quiet
[ "$(cat names.txt)" = http://c.com/ ] || fail "the part of a page that failed for now"
printf 'http://a.com/\t0.5\nhttp://c.com/\t0.25\n' >weights.tsv
run ppr web.mill --teleport weights.tsv -o weighted.tsv --quiet
printf '[{"url": "http://a.com/", "score": 0.5}, {"url": "http://c.com/", "score": 0.25}]' >weights.json
printf 'URL;Score;Title\nhttp://a.com/;0,5;x\nhttp://c.com/;0,25;y\n' >weights.csv
for file in weights.json weights.csv; do
    run ppr web.mill --teleport $file --sort name --quiet
    exits 0
    cmp "$root/stdout" weighted.tsv || fail "$file"
done

begin "pages with blanks in their URL"
printf '{"url": "http://a.com/", "links": ["/x y", "/z"]}\n' >crawl.jl
run build -o web.mill crawl.jl --quiet
printf '{"url": "http://a.com/x y"}\n' >list.jl
printf 'url,status\n"http://a.com/x y",200\n' >list.csv
printf 'com,a)/ 20260102000000 {"url": "http://a.com/x y", "status": "200"}\n' >list.cdxj
for file in list.jl list.csv list.cdxj; do
    run pagerank web.mill --fetched $file --fetched links --next 5 --quiet
    [ "$(cut -f 1 "$root/stdout")" = http://a.com/z ] || fail "$file: $(cat "$root/stdout")"
done

begin "refusals"
sed 's#http#ftpx#' "$shared/fetched.txt" | awk '{ print "2026-01-02T00:00:00.000Z 200 9 " $1 " L - text/html" }' >crawl.log
run pagerank "$shared/docs.mill" --fetched crawl.log --next 20
exits 3
has "$root/stderr" "compare their spelling with 'millrace find'"
run pagerank "$shared/docs.mill" --next 20
exits 2
stderr_is <<<"millrace: --next needs to know which pages are fetched; say --fetched FILE|links or --times FILE"
run pagerank "$shared/docs.mill" --next 20 --revisit --fetched links
exits 2
stderr_is <<<"millrace: --revisit needs --next N and --times FILE; the store has no fetch facts"
run pagerank "$shared/docs.mill" --only fetched --fetched links -o a.npy
exits 2
run pagerank "$shared/docs.mill" --next 20 --fetched nothere.log
exits 3

finish
