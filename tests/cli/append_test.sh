#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# append: what it says, and that the store is the one that a build of everything makes.
. "$(dirname "$0")/lib.sh"

# rank STORE FILE: scores by name.
rank() {
    "$MILLRACE" pagerank "$1" --quiet | sort >"$2" || fail "pagerank $1"
}

# close_to A B: the same names, scores that add up to a difference within both bounds of 1e-9.
close_to() {
    [ "$(cut -f 1 "$1" | cksum)" = "$(cut -f 1 "$2" | cksum)" ] || fail "other names"
    paste "$1" "$2" | awk -F '\t' '{ d = $2 - $4; sum += d < 0 ? -d : d } END { exit !(sum < 2e-9) }' ||
        fail "other scores"
}

begin "numbers: new links, known links, new vertices"
printf '1 2\n2 3\n3 1\n3 5\n' >old.txt
printf '3 1\n5 1\n4 2\n4 2\n' >new.txt
run build -o graph.mill old.txt --quiet
exits 0
run append graph.mill new.txt
exits 0
stderr_is <<'END'
millrace: 3 links: 2 new, 1 known; 1 new page
millrace: graph.mill: 5 pages, 6 links, SIZE, T s
END
run info graph.mill
exits 0
grep -E '^(pages|links|names)  ' "$root/stdout" >info
file_is info <<'END'
pages           5
links           6
names           numbers
END
run check --full graph.mill --quiet
exits 0
run export graph.mill --to edges --quiet
exits 0
grep -v '#' "$root/stdout" | sort >links
printf '1\t2\n2\t3\n3\t1\n3\t5\n4\t2\n5\t1\n' >wanted
cmp links wanted || fail "links"
run find graph.mill --quiet .
exits 0
stdout_is <<'END'
1
2
3
4
5
END

begin "nothing new leaves the store as it is"
printf '1 2\n2 3\n' >old.txt
run build -o graph.mill old.txt --quiet
exits 0
cp -r graph.mill before.mill
run append graph.mill old.txt old.txt
exits 0
stderr_is <<'END'
millrace: 2 links: 0 new, 2 known; 0 new pages
millrace: graph.mill: 3 pages, 2 links, SIZE, T s
END
diff -r graph.mill before.mill || fail "changed"

begin "appends give the bytes of a build of everything"
shared=$root/shared
mkdir -p "$shared"
zstd -dcq "$MILLRACE_SOURCE_DIR/examples/debian-docs/links.txt.zst" >"$shared/docs.txt"
cp "$shared/docs.txt" docs.txt
awk 'NR % 3 > 0' docs.txt >a.txt
awk 'NR % 3 == 0 || NR % 7 == 0' docs.txt >b.txt
run build -o all.mill --columns target-source docs.txt --quiet
exits 0
run build -o docs.mill --columns target-source a.txt --quiet
exits 0
split -n l/3 b.txt part.
for part in part.aa part.ab part.ac; do
    run append docs.mill --columns target-source $part --quiet
    exits 0
done
run check --full docs.mill --quiet
exits 0
diff -r docs.mill all.mill || fail "it is not a build of everything"
cp -r docs.mill again.mill
run append again.mill --columns target-source part.ab --quiet --memory 64M
exits 0
diff -r docs.mill again.mill || fail "an append of known links changed the store"

begin "the same bytes for any threads and memory"
awk 'BEGIN { for (i = 0; i < 60000; i++) print (i * 7919) % 9001 * 3, (i * i + i) % 9001 * 3 }' >a.txt
awk 'BEGIN { for (i = 0; i < 60000; i++) print (i * 7907) % 9999 * 3, (i * i + 5) % 12000 }' >b.txt
run build -o base.mill a.txt --quiet
exits 0
cp -r base.mill one.mill
run append one.mill b.txt --threads 1 --memory 2G --quiet
exits 0
for threads in 1 3; do
    for memory in 40M 1G; do
        rm -rf two.mill
        cp -r base.mill two.mill
        run append two.mill b.txt --threads $threads --memory $memory --quiet
        exits 0
        diff -r one.mill two.mill || fail "--threads $threads --memory $memory"
    done
done

begin "what the store was built with holds"
printf '1 2\n2 2\n' >a.txt
printf '5 1\n1 2\n3 3\n' >b.txt
run build -o graph.mill a.txt --undirected --duplicates keep --self-loops drop --quiet
exits 0
run append graph.mill b.txt --quiet
exits 0
run export graph.mill --to edges --quiet
exits 0
grep -v '#' "$root/stdout" | sort >links
printf '1\t2\n1\t2\n1\t5\n2\t1\n2\t1\n5\t1\n' >wanted
cmp links wanted || fail "links"
run build -o all.mill a.txt b.txt --undirected --duplicates keep --self-loops drop --quiet
exits 0
diff -r -x MANIFEST graph.mill all.mill || fail "it is not a build of everything"
run append graph.mill b.txt --undirected
exits 2
stderr_is <<'END'
millrace: append: the build of the store fixed --undirected; leave it out
END

begin "numbers are names where the store has names"
printf 'a b\nb 17\n' >a.txt
printf '17 a\n18 17\n' >b.txt
run build -o graph.mill a.txt --format urls --quiet
exits 0
run append graph.mill b.txt --quiet
exits 0
run show graph.mill 17 --links-in --quiet
exits 0
sort "$root/stdout" >links
printf '18\nb\n' >wanted
cmp links wanted || fail "links to 17"
printf '1 2\n' >numbers.txt
run build -o numbers.mill numbers.txt --quiet
exits 0
run append numbers.mill a.txt --quiet
exits 2
stderr_is <<'END'
millrace: a.txt: has names for pages, the store numbers; give links as the store was built from
END
[ "$(ls)" = "a.txt
b.txt
graph.mill
links
numbers.mill
numbers.txt
wanted" ] || fail "left: $(ls)"

begin "a store of URLs takes no numbers"
printf 'http://a/ http://b/\n' >a.txt
printf '1 2\n' >b.txt
run build -o graph.mill a.txt --quiet
exits 0
run append graph.mill b.txt
exits 2
stderr_is <<'END'
millrace: b.txt: has numbers for pages, the store names such as "http://a/"; give links as the store was built from, or say --format urls if the numbers are names
END
run check --full graph.mill --quiet
exits 0
run append graph.mill b.txt --format urls --quiet
exits 0
run append graph.mill b.txt --quiet
exits 0
run show graph.mill 1 --links-out --links-in --quiet
exits 0

begin "spellings of pages add up"
printf 'http://a.org/x http://b.org/\n' >a.txt
printf 'http://www.a.org/x http://c.org/y\nhttp://www.c.org/y http://a.org/x\n' >b.txt
run build -o graph.mill a.txt --profile heritrix --quiet --columns source-target
exits 0
run build -o all.mill a.txt b.txt --profile heritrix --quiet --columns source-target
exits 0
run append graph.mill b.txt --columns source-target
exits 0
has "$root/stderr" "new spellings of 1 known page"
run info graph.mill
has "$root/stdout" "pages           3"
diff -r graph.mill all.mill || fail "it is not a build of everything"

begin "one writer at a time"
printf '1 2\n' >a.txt
run build -o graph.mill a.txt --quiet
exits 0
cp -r graph.mill before.mill
exec 7>graph.mill/LOCK
flock -n 7
echo $$ >&7
for command in "append graph.mill a.txt" "build -o graph.mill a.txt --force"; do
    # shellcheck disable=SC2086 # a command and its arguments
    run $command
    exits 1
    stderr_is <<END
millrace: $(case $command in build*) ;; *) echo "$PWD/" ;; esac)graph.mill: is being written by process $$; wait for it, or end it
END
done
run pagerank graph.mill --quiet
exits 0
exec 7>&-
run append graph.mill a.txt --quiet
exits 0
diff -r graph.mill before.mill || fail "changed"

begin "weights add up"
awk 'BEGIN { for (i = 0; i < 6000; i++) print (i * 7919) % 901 * 3, (i * i + i) % 901 * 3, 1 + i % 5 }' >a.wel
awk 'BEGIN { for (i = 0; i < 6000; i++) print (i * 7907) % 999 * 3, (i * i + 5) % 1200, 1 + i % 3 }' >b.wel
for flags in "--weights" "--weights --undirected" "--weights --duplicates keep"; do
    rm -rf graph.mill all.mill
    # shellcheck disable=SC2086 # several flags
    run build -o graph.mill a.wel $flags --quiet
    exits 0
    # shellcheck disable=SC2086
    run build -o all.mill a.wel b.wel $flags --quiet
    exits 0
    run append graph.mill b.wel
    exits 0
    run check --full graph.mill --quiet
    exits 0
    # The same weights by number: the same ranks bit by bit.
    "$MILLRACE" pagerank graph.mill --weights --quiet | sort >appended
    "$MILLRACE" pagerank all.mill --weights --quiet | sort >whole
    cmp appended whole || fail "$flags: other bits"
    case $flags in *keep) diff -r -x MANIFEST graph.mill all.mill || fail "$flags: other bytes" ;; esac
    # What was appended last is refused: it would count again.
    cp -r graph.mill before.mill
    run append graph.mill b.wel --quiet --threads 1 --memory 64M
    exits 2
    has "$root/stderr" "graph.mill: has these links already: they were the last to be appended, and would count twice; nothing is left to do"
    diff -r graph.mill before.mill || fail "$flags: a refused append changed the store"
    rm -rf before.mill
done
cp -r graph.mill before.mill
printf '1 2\n' >plain.txt
run append graph.mill plain.txt
exits 3
stderr_is <<'END'
millrace: plain.txt:1: "1 2": the weight is missing or no number; no line is any better: check the file and its --format
END
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n' >pattern.mtx
run append graph.mill pattern.mtx
exits 2
stderr_is <<'END'
millrace: pattern.mtx: Matrix Market without weights, and the store has some; give links with weights
END
diff -r graph.mill before.mill || fail "changed"

begin "classes of links stay told apart"
head -n 20000 "$shared/docs.txt" >docs.txt
awk 'NR % 3 > 0' docs.txt >a.txt
awk 'NR % 3 == 0 || NR % 7 == 0' docs.txt >b.txt
for flags in "--classes host" "--classes domain"; do
    rm -rf graph.mill all.mill
    # shellcheck disable=SC2086
    run build -o all.mill --columns target-source docs.txt $flags --quiet
    exits 0
    # shellcheck disable=SC2086
    run build -o graph.mill --columns target-source a.txt $flags --quiet
    exits 0
    for i in 1 2; do # new pages, then none
        run append graph.mill --columns target-source b.txt --quiet
        exits 0
        run check --full graph.mill --quiet
        exits 0
        diff -r graph.mill all.mill || fail "$flags: it is not a build of everything"
    done
done

begin "a store of every kind may lose its last page, and is ranked and appended to afterwards"
printf 'http://a.org/\thttp://b.org/\n' >links.txt
printf 'source,target,weight\nhttp://a.org/,http://b.org/,2\n' >links.csv
printf '{"url":"http://a.org/","time":"20240101000000","digest":"AA","links":["http://b.org/"]}\n' >links.jl
printf '1 2\n' >numbers.txt
printf 'http://a.org/\nhttp://b.org/\n' >gone.txt
printf '1\n2\n' >gone-numbers.txt
while read -r input options; do
    gone=gone.txt
    [ "$input" != numbers.txt ] || gone=gone-numbers.txt
    # shellcheck disable=SC2086 # a list of words
    run build -o s.mill --force --quiet "$input" $options
    exits 0
    run append s.mill --gone "$gone" --drop-unlinked --quiet
    exits 0
    for command in 'info --json' 'check --full' pagerank 'pagerank -o scores.npy --force' hits harmonic opic \
        'export --to edges' 'transpose -o other.mill --force'; do
        # shellcheck disable=SC2086
        run ${command%% *} s.mill ${command#"${command%% *}"} --quiet
        exits 0
    done
    run append s.mill "$input" --quiet
    exits 0
    # shellcheck disable=SC2086
    run build -o whole.mill --force --quiet "$input" $options
    exits 0
    for file in links.1 degrees.1; do
        cmp -s s.mill/$file whole.mill/$file || fail "$file is not that of one build"
    done
done <<'END'
links.txt
links.txt --classes host
links.txt --classes domain
links.txt --codec zstd
links.txt --transpose
links.txt --duplicates keep
links.txt --classes host --codec zstd
links.csv --weights
links.jl
numbers.txt
END

begin "links are replaced, gone pages go: a model"
python3 "$tests_dir/append_model.py" "$MILLRACE" . 3 || fail "model"

begin "--replace and --gone say what they did"
printf 'a b\na c\nb a\nc d\nd a\n' >old.txt
printf 'a c\na e\n' >new.txt
run build -o graph.mill old.txt --columns source-target --format urls --quiet
exits 0
cp -r graph.mill fresh.mill
run append graph.mill new.txt --columns source-target --replace
exits 0
stderr_is <<'END'
millrace: 2 links: 1 new, 1 known; 1 new page
millrace: 1 page replaced, 0 gone, 0 dropped; 1 link added, 4 kept, 1 removed
millrace: graph.mill: 5 pages, 5 links, SIZE, T s
END
cp -r graph.mill before.mill
run append graph.mill new.txt --columns source-target --replace --quiet # again
exits 0
diff -r graph.mill before.mill || fail "a repeated append changed the store"
echo d >gone.txt
run append graph.mill --gone gone.txt --drop-unlinked
exits 0
stderr_is <<'END'
millrace: 0 pages replaced, 1 gone, 0 dropped; 0 links added, 4 kept, 1 removed
millrace: graph.mill: 5 pages, 4 links, SIZE, T s
END
printf 'b\nd\n' >gone.txt # nothing links to b any more; c links to d
run append graph.mill --gone gone.txt --drop-unlinked
exits 0
stderr_is <<'END'
millrace: 0 pages replaced, 2 gone, 1 dropped; 0 links added, 3 kept, 1 removed
millrace: graph.mill: 4 pages, 3 links, SIZE, T s
END
run find graph.mill . --quiet
stdout_is <<'END'
a
c
d
e
END
printf 'a c\na e\nc d\n' >all.txt # the bytes of a build of what is left
run build -o all.mill all.txt --columns source-target --format urls --quiet
diff <("$MILLRACE" export all.mill --quiet) <("$MILLRACE" export graph.mill --quiet) || fail "it is not a build of what is left"
rm -rf graph.mill
cp -r fresh.mill graph.mill
echo 'a
b
c' >gone.txt # the input has a and c: they are not gone, but their old links go
printf 'a c\nc e\n' >new.txt
run append graph.mill new.txt --columns source-target --gone gone.txt --drop-unlinked
exits 0
has "$root/stderr" "0 pages replaced, 1 gone, 1 dropped; 1 link added, 2 kept, 3 removed"

begin "a page that links only to itself is fetched, also where the store drops such links"
printf 'a b\na c\nb a\n' >old.txt
printf 'a a\nb b\nb c\n' >new.txt
run build -o graph.mill old.txt --columns source-target --format urls --self-loops drop --quiet
run append graph.mill new.txt --columns source-target --replace
exits 0
has "$root/stderr" "1 link: 1 new, 0 known; 0 new pages"
has "$root/stderr" "2 pages replaced, 0 gone, 0 dropped; 1 link added, 0 kept, 3 removed"
run export graph.mill --to urls --quiet
stdout_is <<<$'source\ttarget\nb\tc'

begin "pages that lose all their links have changed, also where the input has no link at all"
round() { printf '{"url": "http://a.com/%s", "links": [%s], "timestamp": "2026-01-0%s"}\n' "$@"; }
{ round a '"b", "c"' 1; round b '' 1; } >old.jl
{ round a '' 2; round b '' 2; } >new.jl
run build -o graph.mill old.jl --quiet
run append graph.mill new.jl --replace --quiet
exits 0
for page in "a 1" "b 0"; do
    run show graph.mill "http://a.com/${page% *}"
    grep -qE "^changes +${page#* } of 1" "$root/stdout" || fail "changes of $page: $(cat "$root/stdout")"
done

begin "fetch facts are those of one build, wherever the inputs are cut; in another order a note says what cannot count"
fetch() { # DAY KIND: a line of CDXJ; KIND: same (a revisit without a digest), unknown, or a digest
    case $2 in
    same) rest='"mime": "warc/revisit"' ;;
    unknown) rest='"mime": "text/html"' ;;
    *) rest="\"mime\": \"text/html\", \"digest\": \"$2\"" ;;
    esac
    echo "org,p)/ 202401$1000000 {\"url\": \"http://p.org/\", \"status\": \"200\", $rest}"
}
printf 'http://p.org/\thttp://q.org/\n' >links.txt
while read -r wanted kinds; do
    n=0
    for kind in $kinds; do
        n=$((n + 1))
        fetch 0$n "$kind" >"$n.cdxj"
    done
    mapfile -t files < <(seq -f %g.cdxj $n)
    run build -o whole.mill links.txt "${files[@]}" --force --quiet
    exits 0
    run show whole.mill http://p.org/
    has "$root/stdout" "${wanted/,/ of } compared fetches"
    for cut in $(seq $((n - 1))) each; do
        step=$([ "$cut" = each ] && echo 1 || echo $n)
        first=$([ "$cut" = each ] && echo 1 || echo "$cut")
        run build -o parts.mill links.txt "${files[@]:0:first}" --force --quiet
        exits 0
        for ((at = first; at < n; at += step)); do
            run append parts.mill links.txt "${files[@]:at:step}"
            exits 0
            lacks "$root/stderr" "order of the fetches"
        done
        cmp -s parts.mill/facts.1 whole.mill/facts.1 || fail "other facts, cut at $cut: $kinds"
    done
done <<'END'
1,2 A same B
1,2 same A B
0,3 same same A same
0,1 same unknown A
0,1 A unknown same A
0,2 same same same
1,4 A same same A B
1,3 unknown same A C same
END
run append whole.mill links.txt 2.cdxj
exits 0
has "$root/stderr" "note: pages with fetches here between those that the store knows: 1"

begin "--seeds are pages without links"
printf 'a b\nb a\n' >old.txt
printf 'a\nc\n' >one.txt
printf 'd\n' >two.txt
run build -o graph.mill old.txt --columns source-target --format urls --quiet
run append graph.mill --seeds one.txt --seeds two.txt
exits 0
has "$root/stderr" "0 links: 0 new, 0 known; 2 new pages"
has "$root/stderr" "graph.mill: 4 pages, 2 links"
run check --full graph.mill --quiet
exits 0
cp -r graph.mill before.mill
run append graph.mill --seeds two.txt --quiet # again
exits 0
diff -r graph.mill before.mill || fail "changed"
printf 'd e\n' >new.txt
printf 'f\n' >seeds.txt
run append graph.mill new.txt --columns source-target --seeds seeds.txt --gone one.txt --drop-unlinked
exits 0
has "$root/stderr" "1 link: 1 new, 0 known; 2 new pages"
has "$root/stderr" "0 pages replaced, 2 gone, 1 dropped; 1 link added, 1 kept, 1 removed"
# A crawler's own file names its pages; what is no list is refused.
printf 'http://a.org/ http://b.org/\n' >old.txt
printf '2026-01-02T00:00:00.000Z 503 9 http://c.org/ L - text/html #1 - - - -\n' >crawl.log
printf '{"url": "http://d.org/x y", "status": "DISCOVERED"}\n' >index.jl
printf 'url,status\nhttp://e.org/,DISCOVERED\n' >status.csv
run build -o graph.mill old.txt --force --quiet
run append graph.mill --seeds crawl.log --seeds index.jl --seeds status.csv --quiet
exits 0
run find graph.mill . --quiet
[ "$(tr '\n' ' ' <"$root/stdout")" = "http://a.org/ http://b.org/ http://c.org/ http://d.org/x%20y http://e.org/ " ] ||
    fail "seeds: $(cat "$root/stdout")"
printf 'WARC/1.0\r\n' >crawl.warc
run append graph.mill --seeds crawl.warc
exits 3
stderr_is <<<"millrace: crawl.warc: is a WARC file, and no list of pages; write their names, one per line"
run append graph.mill --seeds graph.mill/MANIFEST
exits 3
stderr_is <<<"millrace: graph.mill/MANIFEST: is a binary file, and no list of pages; write their names, one per line"
run build -o listed.mill --vertex-list crawl.log --format urls old.txt --bad-lines skip --quiet
run find listed.mill . --quiet
stdout_is <<<"http://c.org/"
for flags in "" --weights; do
    printf '1 2 1\n5 1 2\n' >a.wel
    printf '9\n2\n' >seeds.txt
    # shellcheck disable=SC2086
    run build -o numbers.mill a.wel $flags --force --quiet
    for i in 1 2; do
        run append numbers.mill --seeds seeds.txt --quiet
        exits 0
        run find numbers.mill . --quiet
        [ "$(tr '\n' ' ' <"$root/stdout")" = "1 2 5 9 " ] || fail "numbers $flags: $(cat "$root/stdout")"
    done
done

begin "states of opic and starts of rankings go on after appends"
printf 'a b\na c\nb a\nc d\nd a\ne a\n' >old.txt
printf 'a e\nb f\n' >new.txt
printf 'd\ne\n' >gone.txt
echo g >seeds.txt
run build -o graph.mill old.txt --columns source-target --format urls --quiet
for window in "" "--window 2"; do
    cp -r graph.mill next.mill
    # shellcheck disable=SC2086
    run opic next.mill --state s.opic $window --sweeps 5 -o scores.tsv --force --quiet
    exits 0
    run pagerank next.mill -o ranks.tsv --force --quiet
    run append next.mill new.txt --columns source-target --replace --gone gone.txt --drop-unlinked --seeds seeds.txt
    exits 0
    has "$root/stderr" "2 pages replaced, 2 gone, 0 dropped; 2 links added, 1 kept, 5 removed"
    run append next.mill --gone gone.txt --drop-unlinked --quiet # d is linked by c, e by a
    # shellcheck disable=SC2086
    run opic next.mill --state s.opic $window --sweeps 5 -o scores.tsv --force
    exits 0
    has "$root/stderr" "s.opic: 5 pages of before, 2 new"
    [ "$(cut -f 1 scores.tsv | tr '\n' ' ')" = "a b c d e f g " ] || fail "pages of the state"
    # What it ends with is what a run on a build of the same links ends with.
    run pagerank next.mill --start ranks.tsv --tolerance 1e-12 -o started.tsv --force --quiet
    exits 0
    printf 'a e\nb f\nc d\n' >all.txt
    printf '%s\n' a b c d e f g >pages.txt
    run pagerank all.txt --columns source-target --format urls --vertex-list pages.txt --tolerance 1e-12 -o whole.tsv --force --quiet
    exits 0
    close_to started.tsv whole.tsv
    rm -rf next.mill s.opic
done

begin "the files of crawlers say what is gone"
urls() { printf 'http://a.com/%s http://a.com/%s\n' a b b c c d d e e a f a g a; }
urls >old.txt
run build -o fresh.mill old.txt --columns source-target --quiet
exits 0
line() { echo "2026-01-02T00:00:00.000Z   $1       1299 http://a.com/$2 L http://a.com/ text/html #014 - - - -"; }
{ line 404 a; line 410 b; line 503 c; line 200 d; line -2 e; line 404 f; line 200 f; } >crawl.log
db() { printf 'http://a.com/%s\tVersion: 7\nStatus: %s (x)\nFetch time: Sat Jan 31 12:00:00 CET 2026\nRetry interval: 2592000 seconds (30 days)\n\n' "$2" "$1"; }
{ db 3 a; db 3 b; db 1 c; db 2 d; db 4 e; } >crawldb.txt
cdxj() { printf 'com,a)/%s 2026010200000%s {"url": "http://a.com/%s", "status": "%s"}\n' "$2" "$3" "$2" "$1"; }
{ cdxj 404 a 0; cdxj 410 b 0; cdxj 200 c 0; cdxj 404 f 0; cdxj 200 f 1; } >index.cdxj
printf '%s\n' ' CDX N b a m s k r M S V g' 'x 20260102000000 http://a.com/a text/html 404 X - - 9 0 x' \
    'x 20260102000000 http://a.com/b text/html 410 X - - 9 0 x' 'x 20260102000000 http://a.com/c w/r - X - - 9 0 x' >index.cdx
printf 'url,status\nhttp://a.com/a,ERROR\nhttp://a.com/b,404\nhttp://a.com/c,FETCH_ERROR\nhttp://a.com/d,FETCHED\n' >status.csv
printf '{"url": "http://a.com/a", "status": 404}\n{"url": "http://a.com/b", "status": 410}\n{"url": "http://a.com/c"}\n' >status.jsonl
printf 'http://a.com/a\nhttp://a.com/b\n' >list.txt
grep -v 'a.com/[ab] ' old.txt >left.txt
for file in crawl.log crawldb.txt index.cdxj index.cdx status.csv status.jsonl list.txt; do
    cp -r fresh.mill graph.mill
    run append graph.mill --gone $file
    exits 0
    has "$root/stderr" "0 pages replaced, 2 gone, 0 dropped; 0 links added, 5 kept, 2 removed"
    run pagerank graph.mill --fetched links --next 9 --urls-only --quiet # a and b have no links, and are gone
    stdout_is </dev/null
    rm -rf graph.mill
done
printf 'url,title\nhttp://a.com/a,x\n' >nothing.csv
printf '{"url": "http://a.com/a"}\n' >nothing.jsonl
printf 'x,a)/ 20260102000000 {"url": "http://a.com/a"}\n' >nothing.cdxj
for file in nothing.csv nothing.jsonl nothing.cdxj; do
    run append fresh.mill --gone $file
    exits 3
    has "$root/stderr" "without a status of any page, so nothing says which ones are gone; give their status (404), or a list of them, one per line"
done
run append fresh.mill --gone crawl.log --gone list.txt --drop-unlinked
exits 0
has "$root/stderr" "crawl.log is read as a crawl.log: 3 pages gone"
has "$root/stderr" "0 pages replaced, 2 gone, 1 dropped"

begin "a page that is gone is not offered until it is fetched again"
printf 'http://a.com/a http://a.com/%s\n' b c d >old.txt
printf 'http://a.com/b\nhttp://a.com/d\n' >list.txt
offered() {
    for flags in "pagerank --fetched links" "pagerank --times times.txt" "pagerank --fetched links --per-host 9" "opic --fetched links"; do
        # shellcheck disable=SC2086
        run ${flags%% *} graph.mill ${flags#* } --next 9 --urls-only --quiet
        exits 0
        [ "$(sort "$root/stdout" | sed 's,.*/,,' | tr '\n' ' ')" = "$1" ] || fail "$flags: not $1"
    done
}
printf 'http://a.com/a\t100\n' >times.txt
run build -o graph.mill old.txt --columns source-target --quiet
offered 'b c d '
run append graph.mill --gone list.txt --quiet
offered 'c '
run show graph.mill http://a.com/b --json
has "$root/stdout" '"gone": true'
echo '{"url": "http://a.com/d", "links": ["/e"], "timestamp": "2026-01-03"}' >round.jl
run append graph.mill round.jl --quiet # d is there again, and gives e
run pagerank graph.mill --fetched links --revisit --next 9 --urls-only --quiet
[ "$(sort "$root/stdout" | tr '\n' ' ')" = "http://a.com/a http://a.com/d " ] || fail "d is fetched, b is gone"
echo '{"url": "http://a.com/d", "status": 404, "timestamp": "2026-01-05"}' >round.jl
run append graph.mill round.jl --quiet
run pagerank graph.mill --fetched links --revisit --next 9 --urls-only --quiet
stdout_is <<<"http://a.com/a"
offered 'c e '
run transpose graph.mill -o turned.mill --quiet
run show turned.mill http://a.com/b --json
has "$root/stdout" '"gone": true'
rm -rf graph.mill turned.mill
printf 'a b\na c\n' >old.txt
run build -o graph.mill old.txt --columns source-target --format urls --quiet
printf 'b\nd\n' >list.txt
printf 'a d\n' >new.txt
run append graph.mill new.txt --columns source-target --gone list.txt --quiet # d is a page of the input alone
run pagerank graph.mill --fetched links --next 9 --urls-only --quiet
stdout_is <<<"c"
rm -rf graph.mill

begin "an append whose --gone names pages of its input may be repeated"
printf 'http://a.com/a http://a.com/b\n' >old.txt
printf '%s\n' '{"url": "http://a.com/b", "links": ["/a"], "status": 200}' '{"url": "http://a.com/x", "links": [], "status": 404}' \
    '{"url": "http://a.com/y", "links": []}' >round.jl
printf 'http://a.com/x\nhttp://a.com/b\n' >list.txt
for flags in "round.jl --replace --gone round.jl" "--seeds list.txt --gone list.txt" "round.jl --gone list.txt"; do
    run build -o web.mill old.txt --columns source-target --force --quiet
    for i in 1 2 3; do
        # shellcheck disable=SC2086
        run append web.mill $flags --drop-unlinked --max-unknown 100% --quiet
        exits 0
        run find web.mill x$ --quiet
        [ ! -s "$root/stdout" ] || fail "$flags, $i: a page that is gone and has no link to it"
        [ $i = 1 ] || cmp web.mill/MANIFEST before || fail "$flags, $i: the store changes"
        cp web.mill/MANIFEST before
    done
done
run append web.mill round.jl --gone - --drop-unlinked <list.txt
exits 2
stderr_is <<<"millrace: -: --gone with an input reads a list twice, and standard input and pipes can be read only once; write the list to a file"

begin "what --replace and --gone cannot do"
printf '1 2\n' >a.txt
run build -o graph.mill a.txt --undirected --quiet
exits 0
for flags in "a.txt --replace" "--gone a.txt"; do
    # shellcheck disable=SC2086
    run append graph.mill $flags
    exits 2
    has "$root/stderr" "graph.mill: has each link in both directions, so nothing says which page it is on; build a store without --undirected to replace links"
done
run append graph.mill --quiet
exits 2
stderr_is <<<"millrace: append: needs an input file (- for standard input), --gone FILE or --seeds FILE; 'millrace help append' shows how"
run append graph.mill --gone a.txt --replace
exits 2
stderr_is <<<"millrace: --replace needs an input with the new links; leave it out"
run append graph.mill a.txt --drop-unlinked
exits 2
stderr_is <<<"millrace: --drop-unlinked drops gone pages; say which with --gone FILE"
run build -o graph.mill a.txt --force --quiet
printf '7\n8\n' >gone.txt
cp -r graph.mill before.mill
run append graph.mill --gone gone.txt
exits 3
has "$root/stderr" "none of the 2 names is a page of the store"
diff -r graph.mill before.mill || fail "changed"

begin "no store, no input"
run append nothing.mill a.txt
exits 3
stderr_is <<'END'
millrace: nothing.mill: no such store; check the name
END
printf '1 2\n' >a.txt
run build -o graph.mill a.txt --quiet
exits 0
cp -r graph.mill before.mill
run append graph.mill missing.txt
exits 3
printf '1 2\n3 x\n' >bad.txt
run append graph.mill --format edges bad.txt
exits 3
diff -r graph.mill before.mill || fail "changed"

finish
