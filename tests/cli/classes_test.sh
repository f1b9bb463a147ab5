#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Links inside hosts and domains: built apart, ranked without each other, with weights. What is expected is
# worked out with awk from the lines that were built from.
. "$(dirname "$0")/lib.sh"

shared=$root/shared
mkdir "$shared"
"$MILLRACE" generate crawl --pages 600 --urls --random-seed 7 --quiet -o "$shared/links.txt"
awk '{ split($1, a, "/"); split($2, b, "/"); print > (a[3] == b[3] ? in_file : out_file) }' \
    in_file="$shared/internal.txt" out_file="$shared/external.txt" "$shared/links.txt"
tr '\t' '\n' <"$shared/links.txt" | sort -u >"$shared/pages.txt"
"$MILLRACE" build -o "$shared/crawl.mill" --classes host --quiet "$shared/links.txt"

# distance FILE FILE: the sum of the differences of the scores, and that the names are the same.
distance() {
    awk -F '\t' 'NR == FNR { score[$1] = $2; n++; next }
        !($1 in score) { print "not the same names"; exit }
        { d = score[$1] - $2; s += d < 0 ? -d : d; n-- }
        END { print n == 0 ? s : "not the same names" }' "$1" "$2"
}

is_close() { # FILE FILE
    local d
    d=$(distance "$1" "$2")
    awk -v d="$d" 'BEGIN { exit !(d == d + 0 && d < 1e-11) }' || fail "$1 and $2: distance $d"
}

# ranks INTERNAL EXTERNAL: lines NAME<TAB>SCORE, 170 rounds of links that count so much.
ranks() {
    awk -F '\t' -v wi="$1" -v we="$2" '
        { split($1, a, "/"); split($2, b, "/"); from[NR] = $1; to[NR] = $2
          w[NR] = a[3] == b[3] ? wi : we; sum[$1] += w[NR]; page[$1]; page[$2] }
        END {
            for (p in page) { n++ }
            for (p in page) { x[p] = 1 / n }
            for (round = 0; round < 170; round++) {
                lost = 0
                for (p in page) { next_x[p] = 0; if (sum[p] == 0) lost += x[p] }
                for (i = 1; i <= NR; i++) { next_x[to[i]] += x[from[i]] * w[i] / sum[from[i]] }
                for (p in page) { x[p] = 0.15 / n + 0.85 * (next_x[p] + lost / n) }
            }
            for (p in page) { printf "%s\t%.17g\n", p, x[p] }
        }' "$shared/links.txt" | sort
}

begin "what is inside and what is not"
run build -o crawl.mill --classes host "$shared/links.txt" --columns source-target
exits 0
has "$root/stderr" "$(wc -l <"$shared/internal.txt" | sed ':a;s/\B[0-9]\{3\}\>/,&/;ta') of the links are internal, by host"
cmp -s crawl.mill/links.1.1 "$shared/crawl.mill/links.1.1" || fail "not the same bytes"
run check --full crawl.mill
exits 0
run info crawl.mill --json
has "$root/stdout" '"classes": "host"'
has "$root/stdout" "\"internal_edges\": $(wc -l <"$shared/internal.txt"),"
run build -o small.mill --classes host "$shared/links.txt" --columns source-target --memory 40M --threads 3 --quiet
exits 0
for file in MANIFEST index.1 links.1 links.1.1 degrees.1 names.1; do
    cmp crawl.mill/$file small.mill/$file || fail "$file"
done

begin "one class: as if the store had these links only"
for class in internal external; do
    run build -o $class.mill --vertex-list "$shared/pages.txt" --columns source-target --quiet "$shared/$class.txt"
    exits 0
    for command in pagerank degree hits salsa opic; do
        [ $command != hits ] || [ $class = external ] || continue # no dominant eigenvalue: both say so
        exact=() # two runs to the default tolerance need not be that close
        [ $command != pagerank ] || exact=(--tolerance 1e-12)
        run $command $class.mill "${exact[@]}" -o expected.tsv --force --quiet
        [ "$code" = 0 ] || [ $command = hits ] || exits 0
        run $command "$shared/crawl.mill" --links $class "${exact[@]}" -o actual.tsv --force --quiet
        [ "$code" = 0 ] || [ $command = hits ] || exits 0
        is_close expected.tsv actual.tsv
    done
    field_is actual.tsv.meta.json links "\"$class\""
done
run pagerank "$shared/links.txt" --columns source-target --links external --tolerance 1e-12 -o temporary.tsv --quiet
exits 0
run pagerank external.mill --tolerance 1e-12 -o expected.tsv --force --quiet
is_close expected.tsv temporary.tsv

begin "weights"
ranks 1 3 >expected.tsv
run pagerank "$shared/crawl.mill" --external-weight 3 --tolerance 1e-12 -o actual.tsv --quiet
exits 0
is_close expected.tsv actual.tsv
field_is actual.tsv.meta.json external_weight 1.0
run pagerank "$shared/crawl.mill" --external-weight 0.75 --internal-weight 0.25 --tolerance 1e-12 -o same.tsv --quiet --threads 3 --no-pin --memory 64M
exits 0
cmp actual.tsv same.tsv || fail "other bits"
run pagerank "$shared/crawl.mill" --external-weight 3 --iterations 170 -o rounds.tsv --quiet
exits 0
is_close expected.tsv rounds.tsv
run pagerank "$shared/crawl.mill" --external-weight 3 --tolerance 1e-12 --inner 1 --acceleration 0 -o plain.tsv --quiet
exits 0
is_close expected.tsv plain.tsv
ranks 2 0.5 >expected.tsv
run pagerank "$shared/crawl.mill" --external-weight 0.5 --internal-weight 2 --tolerance 1e-12 -o inside.tsv --quiet
exits 0
is_close expected.tsv inside.tsv
awk -v d="$(distance actual.tsv inside.tsv)" 'BEGIN { exit !(d > 0.1) }' || fail "weights change nothing"
seed=$(sed -n 50p "$shared/pages.txt")
printf '%s\n' "$seed" >seeds.txt
run pagerank "$shared/crawl.mill" --external-weight 3 --seeds seeds.txt --tolerance 1e-12 -o seeds.tsv --quiet
exits 0
run ppr "$shared/crawl.mill" --external-weight 3 --seed "$seed" --tolerance 1e-12 -o ppr.tsv --quiet
exits 0
is_close seeds.tsv ppr.tsv
{ sed 's/^/a\t/' seeds.txt; sed -n '150p;300p' "$shared/pages.txt" | sed 's/^/b\t/'; } >batch.txt
run ppr "$shared/crawl.mill" --external-weight 3 --batch batch.txt --tolerance 1e-12 -o batch.tsv --quiet
exits 0
cut -f 1,2 batch.tsv >a.tsv
is_close seeds.tsv a.tsv

begin "domains, and hosts however they are spelled"
cat >links.txt <<'LINKS'
http://a.com/1 http://A.com/2
http://www.a.com/ http://a.com/1
http://a.co.uk/ http://b.co.uk/
http://b.co.uk/ http://www.b.co.uk:8080/
http://192.0.2.1/ http://192.0.2.2/
http://a.com/1 mailto:x
mailto:x mailto:x
mailto:y mailto:x
LINKS
run build -o host.mill --classes host --columns source-target links.txt
exits 0
has "$root/stderr" "2 of the links are internal, by host"
run build -o domain.mill --classes domain --columns source-target links.txt
exits 0
has "$root/stderr" "4 of the links are internal, by registered domain"

begin "opic weighs links as the store tells them apart"
cat >own.txt <<'LINKS'
http://a.x.com/ http://b.x.com/
http://b.x.com/ http://a.x.com/
http://a.x.com/ http://y.org/
http://y.org/ http://a.x.com/
http://y.org/ http://y.org/
LINKS
for rule in host domain; do
    run build -o $rule.mill --classes $rule --columns source-target own.txt --force --quiet
    run opic $rule.mill --internal-weight 0 --method drain -o $rule.tsv --force
    exits 0
    has "$root/stderr" "of the links are internal by $([ $rule = host ] && echo host || echo "registered domain"), as in the store"
done
run build -o plain.mill --columns source-target own.txt --force --quiet
run opic plain.mill --internal-weight 0 --method drain -o plain.tsv --force --quiet
cmp plain.tsv host.tsv || fail "hosts: $(cat host.tsv)"
# By domain only a <-> y is left: b gets what the virtual page pays it, as a page that no link leads to.
awk -F '\t' '{ s[$1] = $2 } END { exit !(s["http://b.x.com/"] < s["http://y.org/"] / 2) }' domain.tsv || fail "$(cat domain.tsv)"
awk -F '\t' '{ s[$1] = $2 } END { exit !(s["http://b.x.com/"] > s["http://y.org/"] * 0.99) }' host.tsv || fail "$(cat host.tsv)"
run opic domain.mill --internal-weight 0.5 --ignore-self-loops --method drain -o ignored.tsv
exits 0
grep -v 'y.org/ http://y.org' own.txt >no-loop.txt
run build -o no-loop.mill --classes domain --columns source-target no-loop.txt --quiet
run opic no-loop.mill --internal-weight 0.5 --method drain -o no-loop.tsv --quiet
cmp ignored.tsv no-loop.tsv || fail "self-loops: $(cat ignored.tsv)"
ls | grep -q internal && fail "the temporary store was left"

begin "the reverse has the same classes"
run transpose "$shared/crawl.mill" -o back.mill --quiet
exits 0
run check --full back.mill
exits 0
run info back.mill --json
has "$root/stdout" "\"internal_edges\": $(wc -l <"$shared/internal.txt"),"
run transpose back.mill -o forth.mill --quiet
exits 0
for class in 1 1.1; do
    cmp "$shared/crawl.mill/links.$class" forth.mill/links.$class >/dev/null || fail "links.$class"
done

begin "crawl-rank"
run crawl-rank "$shared/links.txt" -o out --columns source-target --external-weight 3 --quiet
exits 0
run pagerank "$shared/crawl.mill" --external-weight 3 -o expected.tsv --quiet
is_close expected.tsv out/ranks.tsv

begin "a checkpoint is of its weights"
run pagerank "$shared/crawl.mill" --external-weight 3 --checkpoint state --max-passes 3 --tolerance 1e-12 -o a.tsv --quiet
if [ -e state ]; then
    run pagerank "$shared/crawl.mill" --external-weight 2 --checkpoint state --resume -o b.tsv --quiet
    [ "$code" != 0 ] || fail "resumed with other weights"
fi

begin "a store without classes ranks as one that was built with them, and --estimate builds nothing"
run build -o plain.mill --columns source-target --quiet "$shared/links.txt"
run build -o by-domain.mill --columns source-target --quiet "$shared/links.txt" --classes domain
for options in "--links internal" "--links external" "--external-weight 2"; do
    run pagerank "$shared/crawl.mill" $options --tolerance 1e-12 -o expected.tsv --force --quiet
    run pagerank plain.mill $options --tolerance 1e-12 -o actual.tsv --force
    exits 0
    has "$root/stderr" "note: plain.mill does not tell links inside a host apart; a temporary store in"
    cmp expected.tsv actual.tsv || fail "$options: other scores"
    for store in plain.mill "$shared/crawl.mill"; do
        run pagerank by-domain.mill $options --tolerance 1e-12 -o expected.tsv --force --quiet
        run pagerank "$store" $options --classes domain --tolerance 1e-12 -o actual.tsv --force
        exits 0
        has "$root/stderr" "does not tell links inside a domain apart"
        cmp expected.tsv actual.tsv || fail "$options: other scores by domain"
    done
    run pagerank plain.mill $options --estimate
    exits 0
    stderr_is </dev/null
done
run pagerank plain.mill --links internal --tmp . --quiet --top 1
exits 0
[ "$(ls -d millrace-work* 2>/dev/null)" = "" ] || fail "a temporary store is left"
run transpose "$shared/crawl.mill" -o crawl-reversed.mill --quiet
run hits "$shared/crawl.mill" --links external -o expected.tsv --force --quiet
run hits "$shared/crawl.mill" --links external --reverse crawl-reversed.mill -o actual.tsv --force --quiet
exits 0
cmp expected.tsv actual.tsv || fail "the reverse with classes"

begin "what makes no sense"
run build -o plain.mill --columns source-target --quiet "$shared/links.txt"
echo 1 2 >some-numbers.txt
run build some-numbers.txt -o numbered.mill --quiet
run pagerank numbered.mill --links internal
exits 2
stderr_is <<<"millrace: numbered.mill: calls its pages by numbers, so no link is inside a host; name them: millrace build INPUT --names FILE --classes host -o STORE"
printf 'http://a/\nhttp://b/\n' >some-names.txt
run build --names some-names.txt --classes host -o named.mill --quiet <<<"0 1" -
exits 0
run pagerank named.mill --links internal --quiet
exits 0
run pagerank plain.mill --classes host
exits 2
stderr_is <<<"millrace: --classes: plain.mill is a store already; this flag is for building one: millrace build INPUT... --classes host -o STORE"
run transpose plain.mill -o plain-reversed.mill --quiet
run hits "$shared/crawl.mill" --links external --reverse plain-reversed.mill
exits 2
stderr_is <<<"millrace: plain-reversed.mill: does not tell internal and external links apart; leave out --reverse, and a temporary store takes its place"
run pagerank "$shared/crawl.mill" --links internal --external-weight 2
exits 2
stderr_is <<<"millrace: --links leaves only one class of links; leave out --external-weight"
run pagerank "$shared/crawl.mill" --internal-weight 0
exits 2
run pagerank "$shared/crawl.mill" --external-weight 1e-10
exits 2
stderr_is <<<"millrace: --external-weight 1e-10: must be at least 1e-09 and at most 1e+09"
# What only teleports and one kind of links reach has at least the former.
printf 'http://a/1\thttp://b/1\nhttp://a/1\thttp://a/2\nhttp://a/2\thttp://b/1\nhttp://b/1\thttp://a/1\nhttp://b/1\thttp://b/2\nhttp://b/2\thttp://b/1\n' >ends.txt
run build ends.txt -o ends.mill --classes host --quiet
exits 0
run pagerank ends.mill --internal-weight 1e9 --external-weight 1e-9 -o ends.tsv --quiet
exits 0
run pagerank ends.mill --internal-weight 1e-9 --external-weight 1e9 -o ends.tsv --force --quiet
exits 0
awk '$2 < .0374 { exit 1 }' ends.tsv || fail "a page has less than its share of teleports"

begin "weights are left out where there are classes, with a note"
printf 'source,target,weight\nhttp://a/1,http://a/2,3\nhttp://a/2,http://b/1,5\n' >weights.csv
run build weights.csv -o weights.mill --classes host
exits 0
has "$root/stderr" "note: the weights of the links are ignored (a store with --classes has none)"
run pagerank weights.mill --weights
exits 3
has "$root/stderr" "with --weights and without --classes"
echo 1 2 >numbers.txt
run build -o n.mill --classes host numbers.txt
exits 2
stderr_is <<<"millrace: --classes is for URLs, and the pages of this input are numbers"

finish
