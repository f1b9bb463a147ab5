#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stores number pages with links first, and rankings leave out the others. What comes out is what rounds over all
# pages make, in the order of the input. The crawl has more pages than a band, three quarters of them frontier.
. "$(dirname "$0")/lib.sh"

begin "a crawl with a frontier"
run generate crawl --pages 200000 --frontier 0.74 --random-seed 3 -o crawl.txt --quiet
exits 0
run build -o web.mill --vertices 200000 crawl.txt --quiet
exits 0
run check --full web.mill
exits 0
run info web.mill --json
exits 0
field_is "$root/stdout" core_first true
dangling=$(sed -n 's/.*"dangling": \([0-9]*\).*/\1/p' "$root/stdout")
[ "$dangling" -gt 145000 ] && [ "$dangling" -lt 151000 ] || fail "$dangling of 200000 pages are frontier, not 74%"
links=$(sed -n 's/^  "edges": \([0-9]*\).*/\1/p' "$root/stdout")
run generate kron --scale 10 --frontier 0.5 -o kron.mill
exits 2
has "$root/stderr" "--frontier is only for crawl"
run generate crawl --pages 100 --frontier 0.9 -o kron.mill
exits 2
run export web.mill --to edges -o all.txt --quiet
exits 0
grep -v '^#' crawl.txt | tr ' ' '\t' | sort -n -k 1,1 -k 2,2 >sorted.txt
grep -v '^#' all.txt | tr ' ' '\t' | sort -n -k 1,1 -k 2,2 | cmp -s - sorted.txt || fail "the export has other links"

# Lists are a merge of the core's and the frontier's: no second store beside the reverse.
run export web.mill -o web.graph --quiet
exits 0
run build -o lists.mill web.graph --quiet
exits 0
run export lists.mill --to edges -o all.txt --quiet --force
exits 0
grep -v '^#' all.txt | sort -n -k 1,1 -k 2,2 | cmp -s - sorted.txt || fail "the lists have other links"

# near A B BOUND: the scores of two files differ by at most BOUND in all.
near() {
    paste "$1" "$2" | awk -v bound="$3" '
        $1 != $3 { print "line " NR ": " $1 " and " $3; bad = 1; exit }
        { d = $2 - $4; sum += d < 0 ? -d : d }
        END { if (sum > bound) { print "off by " sum; bad = 1 } exit bad }' >off || fail "$1 and $2: $(cat off)"
}

case_name="rankings of the core are those of all pages"
awk '!seen[$1]++ { from[$1] = 1 } { to[$2] = 1 } END { for (v in to) if (!(v in from)) print v }' sorted.txt |
    sort -n >frontier.txt
{ sed -n '5p;900p' frontier.txt; awk 'NR == 100 || NR == 40000 { print $1 }' sorted.txt; } | sort -n |
    awk '{ print $1 "\t" NR }' >seeds.tsv
for rule in teleport uniform none; do
    for seeds in '' '--teleport seeds.tsv'; do
        # shellcheck disable=SC2086 # words
        run pagerank web.mill --dangling $rule $seeds --iterations 200 -o rounds.tsv --force --quiet
        exits 0
        # shellcheck disable=SC2086 # words
        run pagerank web.mill --dangling $rule $seeds --tolerance 1e-11 -o scores.tsv --force --json --quiet
        exits 0
        near rounds.tsv scores.tsv 1.2e-11
        applied=$(sed -n 's/^.*"edge_visits": \([0-9]*\).*/\1/p' "$root/stdout" | head -n 1)
        passes=$(sed -n 's/^.*"passes": \([0-9]*\).*/\1/p' "$root/stdout" | head -n 1)
        [ "$applied" -lt $((2 * passes * links)) ] || fail "$applied links applied in $passes passes"
    done
done
awk -v OFS='\t' '{ print $1, $2, 1 + ($1 + 3 * $2) % 7 }' sorted.txt >weights.txt
run build -o weights.mill --vertices 200000 --weights weights.txt --quiet
exits 0
run pagerank weights.mill --weights --iterations 200 -o rounds.tsv --force --quiet
exits 0
run pagerank weights.mill --weights --tolerance 1e-11 -o scores.tsv --force --quiet
exits 0
near rounds.tsv scores.tsv 1.2e-11
run pagerank web.mill --until order:20 --top 20 -o top.tsv --quiet
exits 0
run pagerank web.mill --tolerance 1e-11 --top 20 -o more.tsv --quiet
exits 0
cmp -s <(cut -f 1 top.tsv) <(cut -f 1 more.tsv) || fail "--until order:20: $(paste top.tsv more.tsv)"

case_name="the same bits"
run pagerank web.mill -o scores.tsv --force --quiet
exits 0
run build -o packed.mill --vertices 200000 --codec zstd:3 crawl.txt --quiet
exits 0
for flags in '--threads 1' '--threads 5' '--no-pin' '--memory 40M'; do
    for store in web packed; do
        # shellcheck disable=SC2086 # words
        run pagerank $store.mill -o other.tsv --acceleration 5 --force --quiet $flags
        exits 0
        cmp -s scores.tsv other.tsv || fail "$store $flags: other scores"
    done
done

case_name="scores are made while they are written"
awk 'BEGIN { for (v = 10000; v < 1250000; v++) print (v * 7919) % 9973, v }' >star.txt
run build -o star.mill star.txt --quiet
exits 0
least_for() {
    run pagerank star.mill --acceleration 0 --memory 32Mi --quiet --sort name "$@"
    exits 5
    least=$(sed -n 's/.*needs --memory \([0-9]*\)Mi or more.*/\1/p' "$root/stderr")
}
least_for --until order:10
all=$least
least_for
[ "$all" -ge $((least + 9)) ] || fail "$least MiB for a stream of scores, $all MiB for all of them"
for flags in '-o F.tsv' '-o F.tsv.zst' '-o F.csv.gz --header' '-o F.json' '-o F.npy' '-o F.txt --precision single'; do
    for side in all few; do
        # shellcheck disable=SC2086 # words
        run pagerank star.mill --acceleration 0 ${flags/F/$side} --force --quiet \
            $([ $side = all ] || echo --memory "${least}Mi")
        exits 0
    done
    file=${flags#-o F}
    cmp -s "all${file%% *}" "few${file%% *}" || fail "$flags: other scores"
done
run pagerank star.mill --acceleration 0 --top 50 --quiet
exits 0
mv "$root/stdout" top.txt
run pagerank star.mill --acceleration 0 --top 50 --memory "${least}Mi" --quiet
exits 0
cmp -s "$root/stdout" top.txt || fail "--top 50: other pages"

case_name="pages of the frontier are promoted"
first=$(sed -n 10p frontier.txt)
second=$(sed -n 60000p frontier.txt)
printf '%s 7\n%s %s\n200000 5\n' "$first" "$second" "$first" >new.txt
run append web.mill new.txt
exits 0
run check --full web.mill
exits 0
run show web.mill "$first" --links-out --quiet
stdout_is <<<'7'
cat crawl.txt new.txt >both.txt
run build -o both.mill --vertices 200001 both.txt --quiet
exits 0
diff -r web.mill both.mill || fail "append: not the store of one build"
run pagerank both.mill --tolerance 1e-11 -o built.tsv --quiet
exits 0
run pagerank web.mill --tolerance 1e-11 -o appended.tsv --quiet
exits 0
near built.tsv appended.tsv 2e-11
for store in web both; do
    run export $store.mill -o $store.sg --quiet
    exits 0
done
cmp -s web.sg both.sg || fail "append: other lists"
run export web.mill --host x -o host.txt
exits 2
awk 'NR % 3 == 0 { print $1 }' frontier.txt >some.txt
{ cut -f 1 sorted.txt | uniq | awk 'NR % 2 == 0'; cat some.txt; } >part.txt
for store in web both; do
    run export $store.mill --vertex-list part.txt -o $store.sg --names $store.names --quiet --force
    exits 0
done
cmp -s web.sg both.sg || fail "append: other lists of a part"
sort -n -u part.txt | cmp -s - web.names || fail "other names of a part"

finish
