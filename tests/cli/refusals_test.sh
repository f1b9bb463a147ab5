#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Input that looks right and is not: each of these ran to the end with wrong figures once. Each is refused now,
# with the file, the line and the reason, or at least told.
. "$(dirname "$0")/lib.sh"

# A store of three pages, its scores, and files with fewer of them.
prepare() {
    begin "$1"
    printf '0 1\n1 2\n2 0\n' >links.txt
    run build links.txt -o g.mill --quiet
    exits 0
    run pagerank g.mill -o scores.tsv --quiet
    exits 0
    : >empty.tsv
    head -n 2 scores.tsv >cut.tsv
}

prepare "scores of no page or of some"
run hosts g.mill --scores empty.tsv
exits 3
stderr_is <<<"millrace: empty.tsv: has scores of 0 of the 3 pages; scores have to come from a ranking of this store, without --top"
run hosts g.mill --scores cut.tsv
exits 3
stderr_is <<<"millrace: cut.tsv: has scores of 2 of the 3 pages; scores have to come from a ranking of this store, without --top"
run show g.mill 1 --scores cut.tsv
exits 3
run hosts g.mill --scores scores.tsv --quiet
exits 0
run precedence empty.tsv -o levels.txt
exits 3
stderr_is <<<"millrace: empty.tsv: has no scores; rank a graph first, as with millrace pagerank"

prepare "columns that nobody reads"
printf '0\t2\n' >seeds.txt
run pagerank g.mill --seeds seeds.txt --top 1
exits 0
has "$root/stderr" "note: seeds.txt:1: only the name of each line is read"
printf '0\t2\t7\n' >teleport.txt
run pagerank g.mill --teleport teleport.txt --top 1
exits 0
has "$root/stderr" "note: teleport.txt:1: only a name and its value of each line is read"
printf '0 2 # home\n' >teleport.txt
run pagerank g.mill --teleport teleport.txt --top 1 --quiet
exits 0
printf 'a 0 1 9\n' >batch.txt
run ppr g.mill --batch batch.txt
exits 3
has "$root/stderr" "more fields; lines are VECTOR<TAB>PAGE<TAB>WEIGHT"
printf '3 9 9\n1\n2\n0\n' >g.graph-txt
run build g.graph-txt -o a.mill
exits 3
stderr_is <<<'millrace: g.graph-txt:1: "9": the first line of an ASCIIGraph has the number of nodes alone'

begin "weights: decimal commas and numbers too small to divide by"
printf '0 1 1,5\n1 2 2\n2 0 1\n' >w.txt
run build w.txt --weights -o w.mill
exits 3
stderr_is <<<'millrace: w.txt:1: "0 1 1,5": a comma in the weight; write fractions with a point; skip such lines with --bad-lines skip'
printf '0,1,1.5\n1,2,2\n2,0,1\n' >w.txt
run build w.txt --weights -o w.mill --quiet
exits 0
printf '0 1 1e-39\n1 2 2\n2 0 1\n' >w.txt
run build w.txt --weights -o small.mill
exits 3
stderr_is <<<'millrace: w.txt:1: "0 1 1e-39": the weight is below 1.2e-38 or above 3.4e38; scale all weights, or leave out --weights; skip such lines with --bad-lines skip'
printf '0 1 1.2e-38\n1 2 1.2e-38\n2 0 1.2e-38\n' >w.txt
run build w.txt --weights -o small.mill --quiet
exits 0
for precision in single double; do
    run pagerank small.mill --weights --precision $precision --top 3 --quiet
    exits 0
    sum_is_1=$(cut -f 2 "$root/stdout" | awk '{ s += $1 } END { print (s > 0.999 && s < 1.001) }')
    [ "$sum_is_1" = 1 ] || fail "ranks by the least weights do not add up to 1 in $precision precision"
done

finish
