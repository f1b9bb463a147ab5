#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pagerank --heritrix against the steps of Heritrix's "Offline PageRank Analysis Notes", done here with sort,
# join and awk as they are written there, on lines TARGET SOURCE.
. "$(dirname "$0")/lib.sh"

shared=$root/shared
mkdir "$shared"

# Scores are compared with 17 digits, between the rounds and at the end, so that doubles stay what they are. The
# small files' are the same to the last of them. With many links to a page, sums in another order (shuffle sorts
# by text) differ in the last two; there scores agree to one part in 10^14.

# round: one run of the notes' PageRank job, map, shuffle and reduce; lines ID<TAB>SCORE<TAB>O:ID,ID...
round() {
    awk -F '\t' '{
        n = split(substr($3, 3), to, ",")
        for (i = 1; i <= n; i++) {
            printf "%s\t%.17g\n", to[i], $2 / n
        }
        printf "%s\t%s\n", $1, $3
    }' | sort | awk -F '\t' '
        function emit() { if (key != "") printf "%s\t%.17g\t%s\n", key, sum * 0.85 + 0.15, list }
        $1 != key { emit(); key = $1; sum = 0; list = "" }
        $2 ~ /^O:/ { list = $2; next }
        { sum += $2 }
        END { emit() }'
}

# notes LINKS ROUNDS: lines URL<TAB>SCORE, by URL.
notes() {
    sort "$1" | awk '$1 != last { id++; last = $1 } { print id "\t" $1 "\t" $2 }' >input_links.txt
    cut -f 1,2 input_links.txt | tr '\t' ' ' | uniq >map.txt
    # GenGraph: sources by id, where they have one; without self-loops, each target once; the rest to the dummy.
    awk '{ print $2, $1 }' map.txt | sort >ids.txt
    awk '$2 != $3 { print $3, $1 }' input_links.txt | sort -u >links_by_source.txt
    {
        join ids.txt links_by_source.txt | awk '
            function emit() { if (id != "") printf "%s\t1.0\tO:%s\n", id, list }
            $2 != id { emit(); id = $2; list = $3; next }
            { list = list "," $3 }
            END { emit() }'
        join -v 1 ids.txt links_by_source.txt | awk '{ printf "%s\t1.0\tO:dummy\n", $2 }'
        printf 'dummy\t1.0\tO:dummy\n'
    } >pr.txt
    for ((i = 0; i < $2; i++)); do
        round <pr.txt >pr.next
        mv pr.next pr.txt
    done
    cut -f 1,2 pr.txt | tr '\t' ' ' | sort | join - <(sort map.txt) |
        awk '{ printf "%s\t%s\n", $3, $2 }' | sort
}

# like_the_notes FILE: are scores printed by millrace those in notes.txt?
like_the_notes() {
    awk -F '\t' '{ printf "%s\t%.17g\n", $1, $2 }' "$1" | sort | diff notes.txt - >"$root/diff" || fail "not the notes' scores:
$(head -n 20 "$root/diff")"
}

# close_to_the_notes FILE: the same pages, and scores to 1e-14 of themselves?
close_to_the_notes() {
    diff <(cut -f 1 notes.txt) <(cut -f 1 "$1" | sort) >"$root/diff" || fail "not the notes' pages:
$(head -n 20 "$root/diff")"
    join -t "$(printf '\t')" notes.txt <(sort "$1") |
        awk -F '\t' '{ d = ($2 - $3) / $2; if (d > 1e-14 || d < -1e-14) { print; bad = 1 } } END { exit bad }' \
            >"$root/diff" || fail "not the notes' scores: $(head -n 20 "$root/diff")"
}

# a and b link to each other and b twice; nothing links to `new`; `alone` has a link from itself only and links
# to a; `end` links nowhere, `loop` to itself only; `late` is linked to by `new` only.
cat >"$shared/links.txt" <<'LINKS'
http://x/a http://x/b
http://x/b http://x/a
http://x/b http://x/a
http://x/a http://x/a
http://x/end http://x/a
http://x/end http://x/b
http://x/loop http://x/b
http://x/loop http://x/loop
http://x/alone http://x/alone
http://x/a http://x/alone
http://x/a http://x/new
http://x/late http://x/new
LINKS

# The same and worse at random: 300 pages, a tenth of the links to the page itself, many repeated.
awk 'BEGIN {
    for (i = 0; i < 1500; i++) {
        r = (r * 69069 + 1) % 4294967296
        source = int(r / 65536) % 300
        r = (r * 69069 + 1) % 4294967296
        target = int((int(r / 65536) % 220) ^ 2 / 220)
        r = (r * 69069 + 1) % 4294967296
        print "http://x/" (r < 429496730 ? source : target), "http://x/" source
        if (r % 5 == 0) {
            print "http://x/" target, "http://x/" source
        }
    }
}' >"$shared/many.txt"

begin "self-loops, dangling pages, a page only linked to by itself, repeated lines: the notes' scores"
notes "$shared/links.txt" 10 >notes.txt
cut -f 1 notes.txt >names.txt
file_is names.txt <<'END_OF_NAMES'
http://x/a
http://x/alone
http://x/b
http://x/end
http://x/late
http://x/loop
END_OF_NAMES
run pagerank "$shared/links.txt" --columns target-source --heritrix --iterations 10 -o ours.tsv
exits 0
has "$root/stderr" "note: --heritrix leaves out pages without a link to them (1) and self-loops (3)"
like_the_notes ours.tsv
grep -qxF "$(printf 'http://x/alone\t0.15')" ours.tsv || fail "$(cat ours.tsv)"
for pair in 'heritrix true' 'iterations 10' 'dangling "none"' 'normalised false' \
    'pages_left_out 1' 'self_loops_left_out 3'; do
    field_is ours.tsv.meta.json "${pair%% *}" "${pair#* }"
done
only_left ids.txt input_links.txt links_by_source.txt map.txt names.txt notes.txt ours.tsv ours.tsv.meta.json pr.txt

begin "on many links, after 1, 10 and 20 rounds"
"$MILLRACE" build -o "$shared/many.mill" --columns target-source --duplicates keep --quiet "$shared/many.txt"
for rounds in 1 10 20; do
    notes "$shared/many.txt" "$rounds" >notes.txt
    run pagerank "$shared/many.mill" --heritrix --iterations "$rounds" --quiet
    exits 0
    close_to_the_notes "$root/stdout"
done
[ "$(wc -l <notes.txt)" -gt 150 ] || fail "few pages: $(wc -l <notes.txt)"
[ "$(wc -l <notes.txt)" -lt 290 ] || fail "no page was left out"

begin "10 rounds by default; the same bytes for any threads"
run pagerank "$shared/many.mill" --heritrix --quiet -o "$shared/ten.tsv" --threads 1
exits 0
run pagerank "$shared/many.mill" --heritrix --iterations 10 --quiet -o three.tsv --threads 3 --no-pin --memory 64M
exits 0
cmp "$shared/ten.tsv" three.tsv || fail "scores"
run pagerank "$shared/many.mill" --heritrix --iterations 11 --quiet -o eleven.tsv
! cmp -s "$shared/ten.tsv" eleven.tsv || fail "a round more changes nothing"

begin "the scores come to the limit that the bound promises"
run pagerank "$shared/many.mill" --heritrix --iterations 400 --quiet -o limit.tsv
awk -F '\t' 'NR == FNR { limit[$1] = $2; next } { d = $2 - limit[$1]; s += d < 0 ? -d : d } END { print s }' \
    limit.tsv "$shared/ten.tsv" >distance
awk -v bound="$(field "$shared/ten.tsv.meta.json" error_bound)" '{ exit !($1 > 1e-3 && $1 <= bound) }' distance ||
    fail "distance $(cat distance), bound $(field "$shared/ten.tsv.meta.json" error_bound)"

begin "--tolerance: rounds until the bound, from 1 or from --start"
run pagerank "$shared/many.mill" --heritrix --iterations 400 --quiet -o limit.tsv
run pagerank "$shared/many.mill" --heritrix --tolerance 1e-9 -o certain.tsv --quiet
exits 0
awk -v bound="$(field certain.tsv.meta.json error_bound)" -v rounds="$(field certain.tsv.meta.json passes)" \
    'BEGIN { exit !(bound <= 1e-9 && rounds > 30 && rounds < 400) }' || fail "$(cat certain.tsv.meta.json)"
awk -F '\t' 'NR == FNR { limit[$1] = $2; next } { d = $2 - limit[$1]; s += d < 0 ? -d : d } END { exit !(s <= 2e-9) }' \
    limit.tsv certain.tsv || fail "far from the limit"
# They are the first round whose bound holds, and the metadata counts the rounds.
rounds=$(field certain.tsv.meta.json iterations)
run pagerank "$shared/many.mill" --heritrix --iterations "$rounds" -o same.tsv --quiet
cmp certain.tsv same.tsv || fail "not the scores of $rounds rounds"
run pagerank "$shared/many.mill" --heritrix --iterations $((rounds - 1)) -o before.tsv --quiet
awk -v bound="$(field before.tsv.meta.json error_bound)" 'BEGIN { exit !(bound > 1e-9) }' || fail "too many rounds"
# Started from there, no round is left to make; from the scores of 4 rounds 6 more are the notes' 10.
run pagerank "$shared/many.mill" --heritrix --tolerance 1e-9 --start certain.tsv -o again.tsv --quiet
exits 0
cmp -s certain.tsv again.tsv || fail "the start was moved"
run pagerank "$shared/many.mill" --heritrix --iterations 4 -o four.tsv --quiet
run pagerank "$shared/many.mill" --heritrix --iterations 6 --start four.tsv -o ten.tsv --quiet
exits 0
cmp -s ten.tsv "$shared/ten.tsv" || fail "4 and 6 rounds are not 10"
# A page that the file lacks starts from 1.
sed 1d four.tsv >most.tsv
sed 1d four.tsv >given.tsv
head -n 1 four.tsv | awk -F '\t' '{ print $1 "\t1" }' >>given.tsv
run pagerank "$shared/many.mill" --heritrix --iterations 2 --start most.tsv -o most.out --quiet
run pagerank "$shared/many.mill" --heritrix --iterations 2 --start given.tsv -o given.out --quiet
cmp -s most.out given.out || fail "a new page does not start from 1"
run pagerank "$shared/many.mill" --heritrix --tolerance 1e-30 --max-passes 40 -o rough.tsv
exits 6
has "$root/stderr" "is above the tolerance 1.00e-30 after"
run pagerank "$shared/many.mill" --heritrix --iterations 3 --tolerance 1e-3
exits 2

begin "the file of the job, out and in: one round of the notes on it is one round more here"
run pagerank "$shared/many.mill" --heritrix --iterations 4 --heritrix-file pr.txt -o four.tsv --quiet
exits 0
awk -F '\t' 'NF != 3 || $3 !~ /^O:/ { exit 1 }' pr.txt || fail "$(head -n 3 pr.txt)"
grep -v '^dummy' pr.txt | cut -f 1,2 | sort | cmp -s - <(sort four.tsv) || fail "scores"
round <pr.txt | cut -f 1,2 | grep -v '^dummy' | sort >notes.txt
run pagerank "$shared/many.mill" --heritrix --iterations 5 -o five.tsv --quiet
close_to_the_notes five.tsv
# What the job writes is an input, and its scores are a start.
round <pr.txt >pr.next
run build -o job.mill pr.next --duplicates keep --quiet
exits 0
run pagerank job.mill --dangling none --quiet -o /dev/null
run pagerank "$shared/many.mill" --heritrix --iterations 1 --start pr.next -o six.tsv --quiet
exits 0
run pagerank "$shared/many.mill" --heritrix --iterations 6 -o notes.tsv --quiet
sort notes.tsv >notes.txt
close_to_the_notes six.tsv
printf '%s\n' 'http://x/a,b http://x/c' 'http://x/c http://x/a,b' 'http://x/c http://x/d,e' >commas.txt
run pagerank commas.txt --heritrix --heritrix-file comma.txt --iterations 1 -o commas.tsv
exits 0
has "$root/stderr" "note: names with blanks, commas or control bytes: 4; these bytes are written as %NN"
file_is comma.txt <<'END_OF_FILE'
http://x/a%2Cb	0.575	O:http://x/c
http://x/c	1	O:http://x/a%2Cb,http://x/d%2Ce
http://x/d%2Ce	0.575	O:dummy
dummy	1.0	O:dummy
END_OF_FILE
run pagerank commas.txt --heritrix-file no.txt
exits 2
stderr_is <<<"millrace: --heritrix-file needs --heritrix"

begin "nothing to leave out: the store itself is read"
printf '%s\n' 'a b' 'b a' 'c a' 'a c' >ring.txt
"$MILLRACE" build -o ring.mill --columns target-source --quiet ring.txt
notes ring.txt 10 >notes.txt
run pagerank ring.mill --heritrix
exits 0
stderr_is <<'END_OF_MESSAGE'
millrace: error bound 2.3e+00 after 10 iterations, T s
END_OF_MESSAGE
like_the_notes "$root/stdout"

begin "stores that keep repeated links, merge them, or lack links of pages to themselves"
notes "$shared/links.txt" 10 >notes.txt
for how in keep merge; do
    "$MILLRACE" build -o $how.mill --columns target-source --duplicates $how --quiet "$shared/links.txt"
    run pagerank $how.mill --heritrix -o $how.tsv
    exits 0
    like_the_notes $how.tsv
done
has "$root/stderr" "self-loops (3); making a temporary store"
"$MILLRACE" build -o loopless.mill --columns target-source --self-loops drop --quiet "$shared/links.txt"
run pagerank loopless.mill --heritrix
exits 2
stderr_is <<'END_OF_MESSAGE'
millrace: loopless.mill: was built with --self-loops drop, and --heritrix needs the links of pages to themselves; build it without that flag
END_OF_MESSAGE

begin "crawl-rank: the whole of the notes"
notes "$shared/links.txt" 10 >notes.txt
run crawl-rank "$shared/links.txt" -o out --columns target-source --heritrix --levels 3
exits 0
like_the_notes out/ranks.tsv
cut -d ' ' -f 1 out/precedence.txt | sort >ours.txt
cut -f 1 notes.txt | cmp - ours.txt || fail "precedence: $(cat out/precedence.txt)"

run crawl-rank "$shared/links.txt" -o near --columns target-source --heritrix --tolerance 1e-6 --levels 3
exits 0
"$MILLRACE" build -o kept.mill --columns target-source --duplicates keep --quiet "$shared/links.txt"
"$MILLRACE" pagerank kept.mill --heritrix --tolerance 1e-6 -o kept.tsv --quiet
cmp near/ranks.tsv kept.tsv || fail "crawl-rank --tolerance: other ranks than pagerank --tolerance"

begin "the files of the notes are inputs, and recipes write them"
notes "$shared/links.txt" 10 >notes.txt
"$MILLRACE" build "$shared/links.txt" --columns target-source --self-loops drop --quiet -o links.mill
tr '\t' ' ' <input_links.txt >blanks.txt
for input in input_links.txt blanks.txt "pr.txt --names map.txt"; do
    run build $input --self-loops drop --quiet -o input.mill --force
    exits 0
    "$MILLRACE" export input.mill --to urls --quiet -o - | sort >got.txt
    # Pages without a link to them have no number, and so no line in pr.txt.
    "$MILLRACE" export links.mill --to urls --quiet -o - | sort >want.txt
    case $input in pr.txt*) sed -i '/new\t/d; /\tlate$/d' want.txt ;; esac
    cmp want.txt got.txt || fail "$input: $(diff want.txt got.txt)"
done
cut -f 1,2 input_links.txt | tr '\t' ' ' >repeated.txt # without uniq
run build pr.txt --names repeated.txt --quiet -o repeated.mill
exits 0
awk '!seen[$1]++' input_links.txt >unique.txt
run build unique.txt -o never.mill
exits 3
has "$root/stderr" "if its links are behind these, --columns 2,3 takes them, and --columns 3,2 if the target comes first"
awk '{ print $2 "\t" $1 }' notes.txt >score_uri.txt
run precedence notes.txt -o -
cp "$root/stdout" levels.txt
for scores in score_uri.txt "$(tr '\t' ' ' <score_uri.txt >blanks.txt && echo blanks.txt)"; do
    run precedence "$scores" -o -
    exits 0
    cmp levels.txt "$root/stdout" || fail "$scores: other levels"
    run compare notes.txt "$scores"
    has "$root/stdout" "0 of them with different scores"
done
run precedence pr.txt -o -
exits 0
lacks "$root/stdout" dummy

begin "export and the rankings write the files of the notes; what build makes of them is the same graph"
# notes made links.txt, input_links.txt, map.txt and pr.txt (0 rounds) with sort, cut, join and awk.
"$MILLRACE" build "$shared/links.txt" --columns target-source --duplicates keep --quiet -o g.mill
export LC_ALL=C
notes "$shared/links.txt" 0 >/dev/null
sort "$shared/links.txt" >links.want
sort -n input_links.txt >input-links.want
mv map.txt map.want
# Targets in order, for the notes leave the order of the list open.
by_number() { awk -F '[\t,:]' '{ n = split($0, f, /[\t,:]/); delete t; for (i = 4; i <= n; i++) t[i - 3] = f[i]
    for (i = 1; i <= n - 3; i++) for (j = i + 1; j <= n - 3; j++) if (t[j] < t[i]) { x = t[i]; t[i] = t[j]; t[j] = x }
    printf "%s %s", f[1], f[2]; for (i = 1; i <= n - 3; i++) printf " %s", t[i]; print "" }' "$@" | sort; }
by_number pr.txt >pagerank.want
for file in links input-links map pagerank; do
    run export g.mill --to heritrix-$file -o - --quiet
    exits 0
    cp "$root/stdout" $file.got
    case $file in
    links) sort links.got -o links.got ;;
    pagerank) cp pagerank.got pr0.txt && by_number pr0.txt >pagerank.got ;;
    esac
    cmp $file.want $file.got || fail "$file: $(diff $file.want $file.got)"
done
id_of() { "$MILLRACE" info "$1" --json | sed -n 's/.*"graph_id": "\(.*\)".*/\1/p'; }
"$MILLRACE" export g.mill --to heritrix-links -o l.txt --quiet
"$MILLRACE" export g.mill --to heritrix-input-links -o i.txt --quiet
run convert "$shared/links.txt" --columns target-source --duplicates keep --to heritrix-input-links c.txt --quiet
cmp i.txt c.txt || fail "convert writes another file"
for input in "l.txt --columns target-source" i.txt; do
    run build $input --duplicates keep -o again.mill --force --quiet
    exits 0
    [ "$(id_of again.mill)" = "$(id_of g.mill)" ] || fail "$input: another graph"
done
# pr0.txt and map.txt have the links between pages with a number, without self-loops.
run build pr0.txt --names map.got --duplicates keep -o job.mill --quiet
exits 0
"$MILLRACE" export job.mill --to heritrix-links -o - --quiet | sort >job.got
awk '$1 != $2 && !/ http:..x.new$/' links.want | uniq | cmp - job.got || fail "pr0.txt: other links: $(cat job.got)"
run export g.mill --to heritrix-pagerank -o - --host x
has "$root/stderr" "note: pages have the numbers of --to heritrix-map; pages without a link to them are left out with their links (1)"
printf '%s\n' '"http://x/a b","http://x/c,d"' '"http://x/c,d","http://x/a b"' >blank.csv
"$MILLRACE" build blank.csv --format csv --columns 1,2 -o blank.mill --quiet
run export blank.mill --to heritrix-map -o -
stdout_is <<'END_OF_FILE'
1 http://x/a%20b
2 http://x/c,d
END_OF_FILE
has "$root/stderr" "note: names with blanks or control bytes: 1; these bytes are written as %NN"
run export g.mill --to heritrix-map --names names.txt -o none.txt
exits 2
stderr_is <<<"millrace: --names: Heritrix's map.txt has other numbers; --to heritrix-map writes their names"

begin "score_uri.txt: the score, then the URL"
"$MILLRACE" build "$shared/links.txt" --columns target-source --duplicates keep --quiet -o g.mill
run pagerank g.mill -o ranks.tsv --quiet
awk -F '\t' '{ print $2 "\t" $1 }' ranks.tsv >want.txt
run pagerank g.mill -o score_uri.txt --quiet
exits 0
cmp want.txt score_uri.txt || fail "$(diff want.txt score_uri.txt)"
run pagerank g.mill -o best.score_uri.txt.gz --sort score --header --quiet
zcat best.score_uri.txt.gz | sed 1d | sort -gr | cmp - <(sort -gr want.txt) || fail "sorted: $(zcat best.score_uri.txt.gz)"
for scores in score_uri.txt best.score_uri.txt.gz; do
    run compare ranks.tsv $scores
    has "$root/stdout" "0 of them with different scores"
done
printf '1 2\n' >n.txt
"$MILLRACE" build n.txt --quiet -o n.mill
head -n 1 ranks.tsv | cut -f 1 >one.txt
awk -F '\t' 'NR < 4 { print "topic" NR "\t" $1 "\t1" }' ranks.tsv >topics.tsv
while IFS='|' read -r command message; do # nothing is ranked, and no input is read, before that
    run $command -o x.score_uri.txt
    exits 2
    stderr_is <<<"millrace: x.score_uri.txt: has lines SCORE<TAB>URL, and $message; name a file of lines with tabs (.tsv)"
done <<'END_OF_TABLE'
pagerank n.mill|"1" is no URL
hits g.mill|there are 2 scores
hits n.txt|there are 2 scores
trustrank n.txt --trusted one.txt --spam-mass|there are 4 scores
opic n.txt --score-columns all|there are 4 scores
harmonic n.txt --score-columns harmonic,reach|there are 2 scores
ppr g.mill --batch topics.tsv|there are 3 scores
END_OF_TABLE
printf 'http://a/ http://b/\nhttp://a/ zorro\n' >mixed.txt
run pagerank mixed.txt -o m.score_uri.txt --quiet
exits 3
stderr_is <<<'millrace: m.score_uri.txt: has lines SCORE<TAB>URL, and "zorro" is no URL; name a file of lines with tabs (.tsv)'
missing m.score_uri.txt

begin "what makes no sense with it"
plain="millrace: --heritrix makes plain rounds of 0.15 + 0.85 * sum that start from 1 for each page"
while read -r name value; do
    run pagerank "$shared/links.txt" --heritrix "--$name" $value
    exits 2
    stderr_is <<<"$plain; leave out --$name"
done <<'END_OF_FLAGS'
damping 0.9
until order:3
max-passes 7
dangling uniform
teleport weights.txt
seeds names.txt
inner 2
acceleration 0
END_OF_FLAGS
run pagerank "$shared/links.txt" --heritrix --self-loops drop
exits 2
stderr_is <<<"millrace: --heritrix needs the links of pages to themselves; leave out --self-loops drop"
for flags in '--damping 0.9' '--self-loops drop'; do
    run crawl-rank "$shared/links.txt" -o never --heritrix $flags
    exits 2
    stderr_is <<<"$plain with a link to it; leave out ${flags/ [01]*/}"
    missing never
done

finish
