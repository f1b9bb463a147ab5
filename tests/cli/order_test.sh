#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build --order: pages by degree inside the store, and everything that comes out as if they were not. Each store is
# held against the one of the same links in the order of the input.
. "$(dirname "$0")/lib.sh"

shared=$root/shared
mkdir "$shared"
"$MILLRACE" generate crawl --pages 3000 --urls --random-seed 7 --quiet -o "$shared/crawl.txt"
"$MILLRACE" generate kron --scale 11 --edge-factor 8 --random-seed 5 --quiet -o "$shared/dense.txt"
awk -v OFS='\t' '{ print 7919 * $1 + 13, 7919 * $2 + 13, 1 + ($1 + 3 * $2) % 7 }' "$shared/dense.txt" \
    >"$shared/numbers.txt"
build() { # NAME FLAG... INPUT
    local name=$1
    shift
    "$MILLRACE" build -o "$shared/$name.keep.mill" --quiet "$@"
    "$MILLRACE" build -o "$shared/$name.degree.mill" --order degree --quiet "$@"
}
build crawl --classes host "$shared/crawl.txt"
build plain "$shared/crawl.txt"
build numbers "$shared/numbers.txt" --no-weights
build weights "$shared/numbers.txt" --weights
build dense --vertices 2500 "$shared/dense.txt"
build both --undirected --duplicates keep --self-loops drop "$shared/numbers.txt" --no-weights

# both COMMAND...: millrace with @ as the store in each order, outputs keep and degree.
both() {
    local order
    command_line=$*
    for order in keep degree; do
        "$MILLRACE" "${@//@/$order}" >$order.out 2>$order.err </dev/null ||
            fail "$order: exit code $?: $(cat $order.err)"
    done
}

alike() { # the same text
    both "$@"
    cmp -s keep.out degree.out || fail "$(diff keep.out degree.out | head -n 5)"
}

alike_sorted() { # the same lines
    both "$@"
    cmp -s <(sort keep.out) <(sort degree.out) || fail "$(diff <(sort keep.out) <(sort degree.out) | head -n 5)"
}

close() { # the same names in the same order, scores to 1e-12 of the largest
    both "$@"
    paste keep.out degree.out | awk -F '\t' '
        { half = NF / 2
          if ($1 != $(half + 1)) { print "line " NR ": " $1 " and " $(half + 1); bad = 1; exit }
          for (i = 2; i <= half; i++) {
              d = $i - $(half + i); d = d < 0 ? -d : d; most[i] = $i > most[i] ? $i : most[i]
              off[i] = d > off[i] ? d : off[i] } }
        END { for (i in off) if (off[i] > 1e-12 * most[i]) { print "off by " off[i] " of " most[i]; bad = 1 }
              exit bad }' >off || fail "$(cat off)"
}

begin "the order is another, and the store is good"
for store in crawl numbers weights dense both; do
    for order in keep degree; do
        run check --full "$shared/$store.$order.mill"
        exits 0
    done
    for order in keep degree; do
        run info --json "$shared/$store.$order.mill"
        has "$root/stdout" "\"order\": \"$order\""
    done
    [ -e "$shared/$store.degree.mill/order.1" ] || fail "$store has no order"
    ! cmp -s "$shared/$store.keep.mill/links.1" "$shared/$store.degree.mill/links.1" || fail "$store: the same links"
done
run info --json "$shared/crawl.degree.mill"
has "$root/stdout" '"order": "degree"'

begin "vertices with links out are first, by links in and out, places among equals"
printf '5 1\n6 1\n7 1\n5 9\n2 9\n3 3\n' >links.txt
run build -o small.mill --order degree links.txt --json
exits 0
has "$root/stdout" '"order": "degree"'
# 1: 3, 2: 1, 3: 2, 5: 2, 6: 1, 7: 1, 9: 2
run export small.mill --to u32 -o - --quiet
exits 0
od -An -v -t u1 -j 64 -N 28 -w4 small.mill/order.1 | awk '{ print $1 }' | tr '\n' ' ' >vertices
echo '5 2 0 1 3 4 6 ' | cmp -s - <(cat vertices; echo) || fail "vertices of places: $(cat vertices)"
od -An -v -t u1 -j 192 -N 28 -w4 small.mill/order.1 | awk '{ print $1 }' | tr '\n' ' ' >places
echo '2 3 1 4 5 0 6 ' | cmp -s - <(cat places; echo) || fail "places of vertices: $(cat places)"

begin "scores"
for store in crawl numbers dense both; do
    close pagerank "$shared/$store.@.mill" --iterations 60
    close hits "$shared/$store.@.mill" --tolerance 1e-14
    alike degree "$shared/$store.@.mill"
    close salsa "$shared/$store.@.mill"
done
close pagerank "$shared/weights.@.mill" --weights --iterations 60
close pagerank "$shared/weights.@.mill" --tolerance 1e-13
close pagerank "$shared/crawl.@.mill" --links external --iterations 60
close pagerank "$shared/crawl.@.mill" --internal-weight 0.5 --iterations 60
for order in keep degree; do
    "$MILLRACE" pagerank "$shared/numbers.$order.mill" --iterations 60 -o $order.npy --names $order.names --quiet
    "$MILLRACE" pagerank "$shared/numbers.$order.mill" --iterations 60 -o $order.tsv --quiet
done
cmp -s keep.names degree.names || fail "names beside the .npy"
for order in keep degree; do
    cut -f 2 $order.tsv | cmp -s - <(od -An -v -t f8 -w8 -j 128 $order.npy | tr -d ' ' |
        awk '{ printf "%.17g\n", $1 }') || fail "$order: .npy and .tsv differ"
    run pagerank "$shared/numbers.$order.mill" --start keep.npy --tolerance 1e-9 -o a.tsv --force
    exits 0
    run pagerank "$shared/numbers.$order.mill" --start degree.tsv --tolerance 1e-9 -o b.tsv --force
    exits 0
    [ "$(grep -c 'after [12] passes\|1 pass' "$root/stderr")" = 1 ] || fail "a start was of no use: $(cat "$root/stderr")"
done

begin "seeds and lists"
page=$(cut -f 1 "$shared/crawl.txt" | sed -n 700p)
other=$(cut -f 2 "$shared/crawl.txt" | sed -n 9000p)
printf '%s\t2\n%s\t1\n' "$page" "$other" >pages.tsv
printf 'x\t%s\t1\ny\t%s\t1\n' "$page" "$other" >batch.tsv
close ppr "$shared/crawl.@.mill" --seed "$page" --tolerance 1e-13
close ppr "$shared/crawl.@.mill" --batch batch.tsv --tolerance 1e-13
for order in keep degree; do
    "$MILLRACE" ppr "$shared/crawl.$order.mill" --batch batch.tsv --tolerance 1e-13 --quiet -o $order.npy
    od -An -v -t f8 -w8 -j 128 $order.npy >$order.out
done
paste keep.out degree.out | awk '{ d = $1 - $2; if (d > 1e-12 || d < -1e-12) exit 1 }' || fail "ppr into an .npy"
close pagerank "$shared/crawl.@.mill" --teleport pages.tsv --tolerance 1e-13
close trustrank "$shared/crawl.@.mill" --trusted pages.tsv --tolerance 1e-13
close hits "$shared/crawl.@.mill" --query pages.tsv --tolerance 1e-14

begin "opic"
both opic "$shared/crawl.@.mill" --method drain --cash-left 1e-4
paste keep.out degree.out | awk -F '\t' '{ d = $2 - $4; s += d < 0 ? -d : d } $1 != $3 || s > 1e-3 { exit 1 }' ||
    fail "opic"
for first in keep degree; do
    for then in keep degree; do
        rm -f state
        "$MILLRACE" opic "$shared/crawl.$first.mill" --state state --sweeps 3 --quiet -o a.tsv --force
        "$MILLRACE" opic "$shared/crawl.$then.mill" --state state --sweeps 3 --quiet -o $first.$then.tsv
    done
done
cmp -s keep.keep.tsv degree.degree.tsv || fail "opic that went on"

begin "pages and links"
alike find "$shared/crawl.@.mill" index --vertices
alike_sorted show "$shared/crawl.@.mill" "$page" --links-out
alike_sorted show "$shared/crawl.@.mill" "$other" --links-in
"$MILLRACE" degree "$shared/crawl.keep.mill" -o degrees.tsv --quiet
alike show "$shared/crawl.@.mill" "$other" --scores degrees.tsv
alike hosts "$shared/crawl.@.mill" --internal --scores degrees.tsv --header

begin "exports have the numbers of the input"
host=$(sed -E 's,^[a-z]+://([^/]+)/.*,\1,' <<<"$page")
for format in u32 edges mtx npy sg bvgraph; do
    for store in plain numbers dense both; do
        [ $store.$format != both.bvgraph ] || continue # which holds no link twice
        for order in keep degree; do
            mkdir -p $order.$store.$format
            "$MILLRACE" export "$shared/$store.$order.mill" --to $format --quiet -o $order.$store.$format/g \
                --names $order.$store.$format/names || fail "$store $order $format"
        done
        case $format in
        u32 | edges | mtx | npy) # links in the order of the store: a build has none
            for order in keep degree; do
                "$MILLRACE" build --format $format --duplicates keep --quiet --force -o $order.again.mill \
                    $order.$store.$format/g || fail "$store $order $format"
            done
            diff -rq keep.again.mill degree.again.mill || fail "$store $format: other links"
            rm -r keep.again.mill degree.again.mill {keep,degree}.$store.$format/g
            ;;
        esac
        diff -rq keep.$store.$format degree.$store.$format >differs || fail "$store $format: $(cat differs)"
        rm -r keep.$store.$format degree.$store.$format
    done
done
alike_sorted export "$shared/plain.@.mill" --host "$host" --to edges
alike_sorted export "$shared/crawl.@.mill" --to edges
alike_sorted export "$shared/weights.@.mill" --to wel
[ -z "$(find . "$shared" -name 'millrace-*')" ] || fail "temporary stores are left"

begin "the reverse keeps the order"
for order in keep degree; do
    "$MILLRACE" transpose "$shared/crawl.$order.mill" -o $order.mill --quiet
    run check --full $order.mill
    exits 0
done
alike_sorted export @.mill --to edges
close hits "$shared/crawl.@.mill" --reverse @.mill --tolerance 1e-14
run hits "$shared/crawl.degree.mill" --reverse keep.mill
exits 3

begin "the same bytes for any threads and memory"
for flags in '--threads 1' '--threads 5' '--memory 40M' '--memory 40M --threads 3'; do
    for store in numbers weights; do
        weights=--no-weights
        [ $store = numbers ] || weights=--weights
        # shellcheck disable=SC2086 # words
        run build -o $store.mill --order degree "$shared/numbers.txt" $weights $flags --force
        exits 0
        diff -r $store.mill "$shared/$store.degree.mill" >differs || fail "$flags: $(cat differs)"
    done
done
sort -R "$shared/crawl.txt" >shuffled.txt
run build -o crawl.mill --order degree --classes host shuffled.txt
diff -r crawl.mill "$shared/crawl.degree.mill" >differs || fail "shuffled: $(cat differs)"

begin "appended to, it is what a build of everything is"
printf '5 1\n7 5\n9 5\n' >old.txt
printf '2 9\n6 9\n4 9\n9 1\n' >new.txt
run build -o store.mill old.txt --order degree --quiet
exits 0
run build -o all.mill old.txt new.txt --order degree --quiet
exits 0
run append store.mill new.txt
exits 0
stderr_is <<'END'
millrace: 4 links: 4 new, 0 known; 3 new pages
millrace: store.mill: 7 pages, 7 links, SIZE, T s
END
[ -e store.mill/order.1 ] || fail "no order"
diff -r store.mill all.mill >differs || fail "$(cat differs)"
run append store.mill old.txt --quiet
exits 0
diff -r store.mill all.mill >differs || fail "$(cat differs)"

begin "--sort score: the rows of the other file, sorted by another program; from memory and from disk"
tab=$(printf '\t')
for store in crawl.degree numbers.keep; do
    for column in "pagerank 2" "hits:--by=hub 2" "degree:--by=in 3"; do
        command=${column% *} key=${column##* }
        "$MILLRACE" "${command%%:*}" "$shared/$store.mill" --quiet >rows
        sort -s -t "$tab" -k "$key,${key}gr" rows >want
        run ${command/:/ } "$shared/$store.mill" --sort score --quiet
        exits 0
        cmp want "$root/stdout" || fail "$store $command"
    done
    run pagerank "$shared/$store.mill" --sort score --memory 34M -o few.csv --quiet --force
    exits 0
    "$MILLRACE" pagerank "$shared/$store.mill" --quiet | sort -s -t "$tab" -k 2,2gr | cut -f 1 >want
    tail -n +2 few.csv | cut -d , -f 1 | cmp want - || fail "$store few.csv"
done
head -n 1 few.csv | grep -qx 'name,score' || fail "$(head -n 1 few.csv)"
run pagerank "$shared/crawl.keep.mill" --sort score -o never.npy
exits 2
stderr_is <<<'millrace: --sort score: an .npy has the order of the names; leave out --sort'
run pagerank "$shared/crawl.keep.mill" --sort score --names never.txt
exits 2
stderr_is <<<'millrace: --sort score: --names has the order of the names; leave out --sort'
run pagerank "$shared/crawl.keep.mill" --by score
exits 2
stderr_is <<<'millrace: --by score needs --top K or --sort score'

finish
