#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# millrace opic: scores, states between crawls, what to fetch next.
. "$(dirname "$0")/lib.sh"

# Pages 2 and 3 link to 1, which links nowhere: PageRank is 27/47, 10/47, 10/47 (pagerank_test.sh).
star() {
    printf '2 1\n3 1\n' >star.txt
}

# Round and round, a page that leads in, and one that nobody fetched.
ring() {
    printf '1 2\n2 3\n3 1\n4 1\n3 5\n' >ring.txt
    run build -o ring.mill ring.txt --quiet
    exits 0
}

begin "both methods come near to PageRank"
star
run opic star.txt --method drain --quiet
exits 0
scores_are <<'END'
1 0.574468
2 0.212766
3 0.212766
END
ring
run pagerank ring.mill --tolerance 1e-12 -o pagerank.tsv --quiet
for method in opic drain; do
    run opic ring.mill --method $method --tolerance 0.001 -o $method.tsv
    exits 0
    grep -qE '^millrace: error bound [0-9.e-]+ after [0-9]+ sweeps, [0-9]+\.[0-9] s$' \
        "$root/stderr" || fail "no bound: $(cat "$root/stderr")"
    paste pagerank.tsv $method.tsv | awk -F '\t' '{ e = $2 - $4; s += e < 0 ? -e : e }
        END { exit !(s <= 0.001) }' || fail "$method is too far from PageRank"
    field_is $method.tsv.meta.json cash_sum 4611686018427387904
    field_is $method.tsv.meta.json bound '"distance"'
    field_is $method.tsv.meta.json method "\"$method\""
done

# Everybody has 1/3 at first. Pages 2 and 3 keep 0.1 of the cash from being passed on, page 1 pays its
# third to the virtual page, which then has 0.4333, and page 1 0.5667. In the second sweep each gets
# 0.1444 from it. Of 2 in all, page 1 has 1/3 + 0.5667 + 0.1444.
begin "what is printed"
star
run build -o star.mill star.txt --quiet
run opic star.mill --sweeps 2 -o scores.tsv
exits 0
stderr_is <<'END'
millrace: error bound 1.7e+00 after 2 sweeps, T s
millrace: |H| 1.56667, cash moved 0.567 in the last sweep, 0.567 with the virtual page; the cash adds up exactly
END
file_is scores.tsv.meta.json <scores.tsv.meta.json
field_is scores.tsv.meta.json sweeps 2
field_is scores.tsv.meta.json visits 6
run opic star.mill --sweeps 2 --top 1 --header
exits 0
sed -E 's/\t(0\.52222)[0-9]*/\t\1/' "$root/stdout" >top
file_is top <<'END'
name	score
1	0.52222
END
run opic star.mill --tax 0 --sweeps 3 --quiet --json
exits 0
has "$root/stdout" '"bound": "stationarity"'
run opic star.mill --tax 0 --tolerance 1e-9 --policy greedy --sweeps 4 --quiet
exits 0

begin "not converged: exit 6, scores all the same"
ring
run opic ring.mill --tolerance 1e-30 --method drain -o scores.tsv
exits 6
grep -q 'is above the tolerance 1.00e-30' "$root/stderr" || fail "$(cat "$root/stderr")"
[ "$(wc -l <scores.tsv)" = 5 ] || fail "no scores"

begin "a state goes on where it was left, and a changed graph is merged by name"
ring
run opic ring.mill --state crawl.opic --sweeps 3 --quiet
exits 0
cp "$root/stdout" three
run opic ring.mill --state crawl.opic --sweeps 4 -o seven.tsv
exits 0
stderr_is <<'END'
millrace: note: crawl.opic: 5 pages, graph and parameters unchanged
millrace: error bound 1.2e+00 after 4 sweeps, T s
millrace: |H| 5.57809, cash moved 0.788 in the last sweep, 0.239 with the virtual page; the cash adds up exactly
END
run opic ring.mill --sweeps 7 --quiet -o at-once.tsv
exits 0
cmp at-once.tsv seven.tsv || fail "other scores"
field_is seven.tsv.meta.json total_sweeps 7
printf '1 2\n2 3\n3 1\n6 7\n' >next.txt
run opic next.txt --state crawl.opic --sweeps 1 -o next.tsv
exits 0
grep '^millrace: note: crawl.opic' "$root/stderr" >merge
file_is merge <<'END'
millrace: note: crawl.opic: 3 pages of before, 2 new (paid 0.4 of the cash), 2 gone (gave back 0.18)
END
field_is next.tsv.meta.json pages_added 2
field_is next.tsv.meta.json cash_sum 4611686018427387904
# A text graph has other names.
printf 'http://a/ http://b/\n' >urls.txt
cp crawl.opic before
run opic urls.txt --state crawl.opic --sweeps 1 -o urls.tsv
exits 3
grep -qF 'millrace: crawl.opic: was made of pages called by numbers' "$root/stderr" ||
    fail "$(cat "$root/stderr")"
cmp -s crawl.opic before || fail "the state was changed"

begin "a state converges after links have changed, with the defaults"
printf 'a b\nb c\nc a\na c\nd a\n' >old.txt
printf 'a b\nb d\nd c\nc b\nc d\n' >new.txt
run opic old.txt --columns source-target --format urls --state four.opic -o old.tsv --quiet
exits 0
run opic new.txt --columns source-target --format urls --state four.opic -o new.tsv
exits 0
has "$root/stderr" "four.opic: 4 pages, links or parameters changed"
run pagerank new.txt --columns source-target --format urls -o want.tsv --quiet
paste new.tsv want.tsv | awk '{ d += ($2 > $4 ? $2 - $4 : $4 - $2) } END { exit !(d <= 0.01) }' || fail "$(paste new.tsv want.tsv)"
printf 'a b\nb d\nd c\nc b\nc e\n' >new.txt # e is not fetched
run opic new.txt --columns source-target --format urls --state four.opic --fetched links -o left.tsv
exits 0
has "$root/stderr" "in sum, more than the tolerance 1.0e-02: the cash is on pages that are not fetched, so the bound falls no further; --fetched all has scores near PageRank"

begin "what is no state is left alone"
ring
run opic ring.mill --state ring.txt --sweeps 1 -o scores.tsv
exits 3
stderr_is <<'END'
millrace: ring.txt: is no opic state; check the name, nothing was changed
END
[ "$(wc -l <ring.txt)" = 5 ] || fail "ring.txt was changed"
missing scores.tsv
run opic ring.mill --state crawl.opic --sweeps 2 --quiet -o scores.tsv
printf 'X' | dd of=crawl.opic bs=1 seek=80 conv=notrunc status=none
run opic ring.mill --state crawl.opic --sweeps 2 --quiet -o again.tsv
exits 4
grep -qE '^millrace: crawl.opic: offset 0: .*; the file is damaged' "$root/stderr" ||
    fail "$(cat "$root/stderr")"

begin "what to fetch next: the richest that was not fetched"
printf '1 2\n1 3\n2 3\n2 4\n3 4\n1 4\n' >links.txt
run opic links.txt --next 5 --sweeps 20 --quiet
exits 0
cut -f 1 "$root/stdout" >pages
file_is pages <<'END'
4
END
printf '1\n' >fetched.txt
run opic links.txt --next 2 --fetched list:fetched.txt --sweeps 20 --quiet --header
exits 0
[ "$(head -1 "$root/stdout")" = "name	cash" ] || fail "no header"
[ "$(wc -l <"$root/stdout")" = 3 ] || fail "not two pages"
printf '4\n' >leaves.txt
run opic links.txt --next 2 --fetched links:leaves.txt --sweeps 20
exits 0
has "$root/stderr" "note: all pages are fetched; --next has none to print"

begin "what to fetch next: no page that has a time, in this run or an earlier one"
printf '1 2\n1 3\n2 3\n2 4\n3 4\n1 4\n2 5\n3 6\n' >links.txt
printf '1 100\n2 110\n5 120\n' >times.txt
next_are() { # PAGE...
    cut -f 1 "$root/stdout" | sort >pages
    printf '%s\n' "$@" | cmp -s - pages || fail "next: $(cat pages)"
}
run opic links.txt --times times.txt --next 10 --quiet
exits 0
next_are 4 6
run opic links.txt --times times.txt --next 10 --fetched list:/dev/null --quiet --state s.opic -o s.tsv
exits 0
next_are 3 4 6
field_is s.tsv.meta.json pages_visited 3
printf '3 200\n4 210\n' >times.txt
run opic links.txt --times times.txt --next 10 --quiet --state s.opic
exits 0
next_are 6
run opic links.txt --next 10 --sweeps 1 --quiet --state s.opic
exits 0
next_are 6
printf '6 300\n' >times.txt
run opic links.txt --times times.txt --next 10 --state s.opic
exits 0
stdout_is </dev/null
has "$root/stderr" "note: all pages are fetched; --next has none to print"

begin "URLs: weights of links, hosts as targets, times"
cat >links.txt <<'END'
http://a.example/ http://a.example/1
http://a.example/1 http://a.example/
http://a.example/ http://b.example/
http://b.example/ http://a.example/
http://c.example/ http://c.example/1
END
run build -o web.mill links.txt --quiet
run opic web.mill --internal-weight 0 --method drain --quiet -o external.tsv --force
exits 0
# Only the links between a and b are left: /1 has what it is paid, as c has.
awk -F '\t' '{ s[$1] = $2 } END { d = s["http://a.example/1"] - s["http://c.example/1"]
    exit !(d < 1e-9 && d > -1e-9 && s["http://b.example/"] > 2 * s["http://c.example/"]) }' \
    external.tsv || fail "internal links count: $(cat external.tsv)"
ls | grep -q internal && fail "the temporary store was left"
printf 'c.example\n' >targets.txt
run opic web.mill --targets targets.txt --method drain --quiet
exits 0
awk -F '\t' '$1 !~ /c.example/ && $2 != 0 { exit 1 }' "$root/stdout" || fail "others were paid"
# A domain stands for its hosts, as people write it or reversed; so everywhere.
printf '%s\n' 'http://x.b.co.uk/ http://y.b.co.uk/' 'http://y.b.co.uk/ http://x.b.co.uk/' 'http://b.com/ http://x.b.co.uk/' >uk.txt
run build -o uk.mill uk.txt --quiet
for name in b.co.uk uk.co.b '*.b.co.uk' 'uk.co.b.*'; do
    printf '%s\n' "$name" >domain.txt
    run opic uk.mill --targets domain.txt --quiet
    exits 0
    [ "$(awk -F '\t' '$2 > 0.4 { print $1 }' "$root/stdout" | tr '\n' ' ')" = "http://x.b.co.uk/ http://y.b.co.uk/ " ] || fail "$name: $(cat "$root/stdout")"
    cp "$root/stdout" opic.tsv
    for flags in "pagerank --seeds domain.txt" "ppr --seed $name" "trustrank --trusted domain.txt"; do
        set -f
        run ${flags%% *} uk.mill ${flags#* } --quiet
        set +f
        exits 0
        paste opic.tsv "$root/stdout" | awk -F '\t' '$1 != $3 || $2 - $4 > 1e-8 || $4 - $2 > 1e-8 { exit 1 }' || fail "$flags: $(cat "$root/stdout")"
    done
    run opic uk.mill --fetched domain.txt --next 9 --quiet
    [ "$(cut -f 1 "$root/stdout")" = http://b.com/ ] || fail "--fetched $name"
done
printf '%s\n' co.uk >domain.txt
run pagerank uk.mill --seeds domain.txt
exits 3
has "$root/stderr" 'none of the 1 names is a page, host or domain of the store, here the first, "co.uk"; a name of the store is "http://b.com/";'
printf '%s\n' $'t\tb.co.uk\t2' $'t\thttp://b.com/\t1' >batch.tsv
printf '%s\n' $'http://x.b.co.uk/\t1' $'http://y.b.co.uk/\t1' $'http://b.com/\t1' >weights.tsv
run ppr uk.mill --batch batch.tsv --quiet
cp "$root/stdout" batch.out
run ppr uk.mill --teleport weights.tsv --quiet
cmp -s "$root/stdout" batch.out || fail "the pages of a domain do not share its weight"
# Links inside a registered domain, in a store that is divided by domain.
run build -o domain.mill uk.txt --classes domain --quiet
run opic domain.mill --internal-weight 2
has "$root/stderr" "note: 2 of the links are internal by registered domain, as in the store"
printf 'http://a.example/ 2006-08-21\nhttp://b.example/ 20060822000000\n' >times.txt
run opic web.mill --times times.txt --window 90d --state web.opic --sweeps 2 -o first.tsv --quiet
exits 0
field_is first.tsv.meta.json visits 2
run opic web.mill --times times.txt --window 90d --state web.opic -o second.tsv --quiet
exits 0
field_is second.tsv.meta.json visits 0
printf 'http://a.example/ 2006-08-21T02:00:00.802+02:00\nhttp://b.example/ 1156204800000\n' >same.txt
run opic web.mill --times same.txt --window 90d --sweeps 2 -o same.tsv --quiet
exits 0
cmp -s first.tsv same.tsv || fail "the same times in other notations make other scores"
# Windows of single pages: the same for all is the same; a page without an interval has the window.
awk '{ print $0, 7776000 }' same.txt >intervals.txt
run opic web.mill --times intervals.txt --intervals intervals.txt --window 1x90d --sweeps 2 -o one.tsv
exits 0
cmp -s first.tsv one.tsv || fail "intervals of 90 days are a window of 90 days"
grep -q "of each line is read" "$root/stderr" && fail "the interval is read"
field_is one.tsv.meta.json intervals_vertices 2
awk 'NR == 1 { print $0, 30; next } { print }' same.txt >intervals.txt
run opic web.mill --times intervals.txt --intervals intervals.txt --window 2x90d --sweeps 2 -o two.tsv
exits 0
cmp -s first.tsv two.tsv && fail "the interval makes no difference"
field_is two.tsv.meta.json intervals_vertices 1
run opic web.mill --times same.txt --intervals same.txt --window 2x90d
exits 3
has "$root/stderr" "same.txt: has nothing for --intervals about a page of the graph; check the names"
run opic web.mill --times links.txt --window 90d
exits 3
has "$root/stderr" "the second field is no time: seconds or milliseconds since 1970, YYYYMMDDhhmmss or YYYY-MM-DD[Thh:mm:ss[Z|+hh:mm]]"
run build -o numbers.mill /dev/stdin --quiet < <(printf '1 2\n')
run opic numbers.mill --internal-weight 2
exits 3
grep -qF 'pages are called by numbers, which have no hosts' "$root/stderr" ||
    fail "$(cat "$root/stderr")"

begin "cash, history and last visit as columns, and those of a state"
star
run opic star.txt --state star.opic --sweeps 3 --score-columns all --header -o all.tsv --quiet
exits 0
head -1 all.tsv | cmp - <(printf 'name\tcash\thistory\tlast_visit\tscore\n') || fail "header"
run opic --dump-state star.opic --quiet
exits 0
tail -n +2 all.tsv | cut -f 1-4 | sed 's/$/\t1/' | cmp - "$root/stdout" || fail "state and columns"
awk -F '\t' 'NR > 1 { c += $2; x[$1] = $2 + $3; all += $2 + $3; s[$1] = $5 }
    END { for (p in x) { d = x[p] / all - s[p]; if (d > 1e-12 || d < -1e-12) exit 1 } exit !(c > 0 && c <= 1) }' all.tsv ||
    fail "score is history and cash"
run opic --dump-state star.txt
exits 3
run opic star.txt --dump-state star.opic
exits 2
run opic
exits 2

begin "drain is the default where nothing is kept"
star
run opic star.txt -o auto.tsv --quiet
run opic star.txt --method drain -o drain.tsv --quiet
cmp auto.tsv drain.tsv || fail "auto"
has auto.tsv.meta.json '"method": "drain"'
run opic star.txt --state a.opic --sweeps 2 -o kept.tsv --quiet
has kept.tsv.meta.json '"method": "opic"'

begin "--one-link: the virtual page is one link more"
# a -> b, a -> c, b -> a; c has no links. By hand, all start with 1/3 of the cash:
# a gives a third of it to b, c and the virtual page each; b gives half to a; c gives all to it.
printf 'a b\na c\nb a\n' >three.txt
run opic three.txt --one-link --sweeps 1 --score-columns all --targets none.txt --quiet
exits 3
run opic three.txt --one-link --sweeps 1 --score-columns all --quiet
exits 0
awk -F '\t' '{ e = $1 == "a" ? 1 / 6 : 1 / 9; d = $2 - e; if (d > 1e-12 || d < -1e-12) bad++ } END { exit !(NR == 3 && !bad) }' \
    "$root/stdout" || fail "$(cat "$root/stdout")"
run opic three.txt --one-link --method drain
exits 2
run opic three.txt --one-link --tolerance 0.05
exits 0
has "$root/stderr" "on stationarity"

begin "--next --revisit: the richest of the fetched pages"
printf 'a b\na c\nb a\nc a\nd a\nb d\n' >four.txt
printf 'a\t100\nb\t200\nd\t300\n' >times.tsv
run opic four.txt --times times.tsv --fetched list:/dev/null --state four.opic --next 2 --revisit --quiet
exits 0
cp "$root/stdout" found.txt
run opic --dump-state four.opic --quiet
awk '$1 != "c"' "$root/stdout" | sort -s -k 2,2gr | awk -F '\t' -v OFS='\t' 'NR <= 2 { print $1, $2 + 0 }' |
    cmp - <(awk -v OFS='\t' '{ print $1, $2 + 0 }' found.txt) || fail "revisit"
run opic four.txt --revisit
exits 2

begin "flags that make no sense together"
star
refuse() {
    local message=$1
    shift
    run opic star.txt "$@"
    exits 2
    has "$root/stderr" "$message"
}
refuse "--tax 2: must be at least 0 and at most 1" --tax 2
refuse "--payout nobody: must be all, unvisited or visited" --payout nobody
refuse "--targets and --payout exclude each other; give one of them" --targets t --payout visited
refuse "--fetched list: must be all, links, links:FILE or FILE" --fetched list
refuse "--method drain needs --tax above 0" --method drain --tax 0
refuse "--method drain counts all cash from the start" --method drain --window 3
refuse "--window with a unit of time needs --times" --window 3d
refuse "--window 0: must be above 0" --window 0
refuse "--window 3x4: must have a unit of time behind x, such as 3x30d" --window 3x4
once="reads a list twice, and standard input and pipes can be read only once; write the list to a file"
mkfifo pipe
for file in - pipe; do
    refuse "$file: --revisit $once" --next 9 --revisit --times $file
    refuse "$file: --revisit $once" --next 9 --revisit --fetched links:$file
done
rm pipe
refuse "--window x4d: " --window x4d --times t
refuse "--top and --next exclude each other; give one of them" --top 1 --next 1
refuse "--top, --next and --json print to standard output; give one of them" --next 1 --json
refuse "--window with x needs --intervals, a file with intervals of pages" --window 3x4d --times x
refuse "--intervals needs --window" --intervals x
refuse "--times and --tolerance exclude each other; give one of them" --times x --tolerance 1
refuse "--times says which pages are visited; leave out --method drain" --times x --method drain
refuse "--one-link and --internal-weight exclude each other; give one of them" --one-link --internal-weight 2
refuse "--internal-weight and --external-weight must not both be 0" \
    --internal-weight 0 --external-weight 0
refuse "--visits 0: must be a number of pages" --visits 0
only_left star.txt

finish
