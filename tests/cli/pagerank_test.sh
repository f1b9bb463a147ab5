#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# millrace pagerank: scores, certificates, outputs, metadata.
. "$(dirname "$0")/lib.sh"

# Pages 2 and 3 link to 1, which links nowhere. With s the score of 2 and of 3, that of 1 is
# s + 0.85 * 2 s = 2.7 s: 27/47, 10/47, 10/47.
star() {
    printf '2 1\n3 1\n' >star.txt
}

begin "a text file, directly"
star
run pagerank star.txt
exits 0
scores_are <<'END'
1 0.574468
2 0.212766
3 0.212766
END
sed -E 's/bound [^ ]+/bound E/; s/after [0-9]+ pass(es)?/after N passes/; s|one in .*|one in TMP|' "$root/stderr" >certificate
mv certificate "$root/stderr"
stderr_is <<'END'
millrace: note: star.txt is no store; built a temporary one in TMP
millrace: 3 pages, 1 of them dangling; 2 links; 0 duplicates merged, 0 self-loops
millrace: error bound E (tolerance 1e-09) after N passes, T s
END
only_left star.txt

begin "a store, and the certificate keeps its promise"
star
run build -o star.mill star.txt --quiet
exits 0
run pagerank star.mill --tolerance 1e-12
exits 0
grep -qE '^millrace: error bound [0-9]\.[0-9]e-[0-9]+ \(tolerance 1e-12\) after [0-9]+ pass(es)?, [0-9]+\.[0-9] s$' \
    "$root/stderr" || fail "no certificate: $(cat "$root/stderr")"
awk -F '\t' '{ e = $2 - ($1 == 1 ? 27 : 10) / 47; sum += e < 0 ? -e : e }
    END { exit !(sum <= 1e-12) }' "$root/stdout" || fail "the error is above 1e-12"
run pagerank star.mill --quiet
exits 0
stderr_is </dev/null

begin "--damping, --dangling, --precision, --inner"
star
run build -o star.mill star.txt --quiet
run pagerank star.mill --damping 0 --quiet
exits 0
scores_are <<'END'
1 0.333333
2 0.333333
3 0.333333
END
run pagerank star.mill --damping 0.5 --quiet
exits 0
scores_are <<'END'
1 0.500000
2 0.250000
3 0.250000
END
run pagerank star.mill --dangling none --quiet
exits 0
scores_are <<'END'
1 0.135000
2 0.050000
3 0.050000
END
run pagerank star.mill --dangling uniform --inner 3 --quiet
exits 0
scores_are <<'END'
1 0.574468
2 0.212766
3 0.212766
END
run pagerank star.mill --precision single --quiet
exits 0
scores_are <<'END'
1 0.574468
2 0.212766
3 0.212766
END

begin "--iterations: the textbook, from 1/n"
star
run build -o star.mill star.txt --quiet
# One round: dangling mass 1/3 goes to all; 2 and 3 get 0.05 + 0.85/9, 1 gets 0.85 * 2/3 more.
run pagerank star.mill --iterations 1
exits 0
scores_are <<'END'
1 0.711111
2 0.144444
3 0.144444
END
grep -qE '^millrace: error bound [^ ]+ after 1 iteration, [0-9]+\.[0-9] s$' "$root/stderr" ||
    fail "no bound: $(cat "$root/stderr")"

begin "--seeds and --teleport"
printf '1 2\n2 3\n3 1\n4 1\n' >links.txt
run build -o graph.mill links.txt --quiet
printf '4\n' >seeds.txt
run pagerank graph.mill --seeds seeds.txt --damping 0.5 --sort name --quiet
exits 0
# From 4 half goes to 1: x4 = 1/2, x1 = 1/4 + x3/2, x2 = x1/2, x3 = x2/2, so x1 = 2/7.
scores_are <<'END'
1 0.285714
2 0.142857
3 0.071429
4 0.500000
END
printf '4\t2.5\n' >teleport.txt
cp "$root/stdout" by-seeds
run pagerank graph.mill --teleport teleport.txt --damping 0.5 --sort name --quiet
exits 0
stdout_is <by-seeds
printf '4\n17\n18\n' >seeds.txt
run pagerank graph.mill --seeds seeds.txt
exits 3
stderr_is <<'END'
millrace: note: seeds.txt:2: "17" is no page of the store; left out
millrace: note: seeds.txt:3: "18" is no page of the store; left out
millrace: seeds.txt:2: 2 of 3 names (66.7%) are no page of the store, here the first, "17"; compare their spelling with 'millrace find', or allow more than 50% with --max-unknown
END
run pagerank graph.mill --seeds seeds.txt --max-unknown 2 --damping 0.5 --sort name --quiet
exits 0
stdout_is <by-seeds
run pagerank graph.mill --seeds seeds.txt --max-unknown 2 --damping 0.5 -o scores.tsv
exits 0
grep note "$root/stderr" >notes
file_is notes <<'END'
millrace: note: seeds.txt:2: "17" is no page of the store; left out
millrace: note: seeds.txt:3: "18" is no page of the store; left out
millrace: note: seeds.txt: 2 of 3 names (66.7%) are no page of the store
END
field_is scores.tsv.meta.json seeds '"seeds.txt"'
field_is scores.tsv.meta.json seeds_vertices 1
field_is scores.tsv.meta.json seeds_unknown 2
printf '4\t-1\n' >teleport.txt
run pagerank graph.mill --teleport teleport.txt --quiet
exits 3
has "$root/stderr" 'millrace: teleport.txt:1: "4'
has "$root/stderr" "the weight is negative"

begin "a page that no teleport reaches scores exactly 0"
printf '1 2\n2 1\n3 1\n' >links.txt
printf '1\n' >seeds.txt
run pagerank links.txt --seeds seeds.txt --quiet
exits 0
tail -n 1 "$root/stdout" >last
file_is last <<<'3	0'

begin "-o: the file is whole, and metadata stands beside it"
star
run pagerank -o scores.tsv star.txt --quiet --tolerance 1e-10
exits 0
nothing_printed
only_left scores.tsv scores.tsv.meta.json star.txt
awk -F '\t' '{ printf "%s %.6f\n", $1, $2 }' scores.tsv >rounded
file_is rounded <<'END'
1 0.574468
2 0.212766
3 0.212766
END
meta=scores.tsv.meta.json
field_is $meta algorithm '"pagerank"'
field_is $meta vertices 3
field_is $meta edges 2
field_is $meta damping 0.85
field_is $meta tolerance 1e-10
field_is $meta dangling '"teleport"'
field_is $meta precision '"double"'
field_is $meta converged true
field_is $meta normalised true
for key in passes edge_visits bytes_read degree_bytes_read pinned_bytes seconds wait_seconds \
    error_bound rounding_bound residual inner wave threads memory_limit_bytes memory_peak_bytes \
    peak_rss_bytes; do
    field $meta $key | grep -qE '^[0-9.e-]+$' || fail "no number $key in the metadata"
done
for key in direct registered_buffers; do
    field $meta $key | grep -qE '^(true|false)$' || fail "no $key in the metadata"
done
field $meta io | grep -qE '^"(io_uring|pread)"$' || fail "no io in the metadata"
field $meta version | grep -qE '^"[0-9]+\.[0-9]+\.[0-9]+"$' || fail "no version in the metadata"
field $meta store_id | grep -qE '^"[0-9a-f]{16}"$' || fail "no store_id in the metadata"
has $meta '"--tolerance"'
has $meta '"star.txt"'

begin "-o: what exists is refused before any work, and replaced with --force"
star
printf 'precious\n' >scores.tsv
run pagerank star.txt -o scores.tsv
exits 2
stderr_is <<'END'
millrace: scores.tsv: exists; use --force to replace it
END
file_is scores.tsv <<<precious
run pagerank star.txt -o scores.tsv --quiet --force
exits 0
lacks scores.tsv precious

begin "--io pread says so in the metadata"
star
run pagerank star.txt -o scores.tsv --io pread --quiet
exits 0
field_is scores.tsv.meta.json io '"pread"'

begin "--json prints the metadata"
star
run pagerank star.txt -o scores.tsv --json --quiet
exits 0
stdout_is <scores.tsv.meta.json
run pagerank star.txt --json --quiet
exits 0
field_is "$root/stdout" converged true

begin "--top prints the best, best first, equal ones in order; -o still gets all"
star
run pagerank star.txt --top 2 --quiet
exits 0
scores_are <<'END'
1 0.574468
2 0.212766
END
run pagerank star.txt --top 1 -o scores.tsv --quiet
exits 0
scores_are <<<'1 0.574468'
[ "$(wc -l <scores.tsv)" = 3 ] || fail "the file has not all scores"
run pagerank star.txt --top 100 --quiet
exits 0
[ "$(wc -l <"$root/stdout")" = 3 ] || fail "not all pages are in the top 100"

begin "--header"
star
run pagerank star.txt --header --top 1 --quiet
exits 0
scores_are <<'END'
name 0.000000
1 0.574468
END

begin "compressed and binary outputs by suffix"
star
run pagerank star.txt --sort name --quiet
cp "$root/stdout" plain
run pagerank star.txt -o scores.tsv.gz --quiet
exits 0
gzip -dc scores.tsv.gz | cmp - plain || fail "gzip differs"
if command -v zstd >/dev/null; then
    run pagerank star.txt -o scores.tsv.zst --quiet
    exits 0
    zstd -dc scores.tsv.zst | cmp - plain || fail "zstd differs"
fi
run pagerank star.txt -o scores.npy --names names.txt --quiet
exits 0
head -c 6 scores.npy | cmp - <(printf '\x93NUMPY') || fail "no NumPy file"
has scores.npy "'descr': '<f8'"
tail -c 24 scores.npy | od -An -v -t f8 -w8 | awk '{ printf "%.6f\n", $1 }' >values
file_is values <<'END'
0.574468
0.212766
0.212766
END
file_is names.txt <<'END'
1
2
3
END
run pagerank star.txt -o single.npy --precision single --quiet
exits 0
has single.npy "'descr': '<f4'"
[ -f single.npy.meta.json ] || fail "no metadata beside the array"

begin "-o /dev/null takes the scores and no metadata"
star
run pagerank star.txt -o /dev/null --quiet
exits 0
missing /dev/null.meta.json

begin "not converged: exit 6, and the scores are written all the same"
run generate kron --scale 10 --edge-factor 8 --random-seed 1 -o kron.mill --quiet
run pagerank kron.mill --max-passes 2 --inner 1 -o scores.tsv
exits 6
stdout_is </dev/null
sed -E 's/bound [^ ]+/bound E/' "$root/stderr" >reason
file_is reason <<'END'
millrace: error bound E is above the tolerance 1.00e-09 after 2 passes; no more passes are allowed: raise --max-passes or --tolerance, or lower --damping
END
[ "$(wc -l <scores.tsv)" = 1024 ] || fail "no scores"
field_is scores.tsv.meta.json converged false
field_is scores.tsv.meta.json passes 2
run pagerank kron.mill --tolerance 1e-15 -o rounded.tsv
exits 6
has "$root/stderr" "passes; rounding allows no smaller one: raise --tolerance, or lower --damping"

begin "a damping near 1 converges: slow errors are told from fast ones"
printf '1 2\n2 3\n3 1\n1 3\n' >slow.txt
for damping in 0.9995 0.9999 0.99999; do
    run pagerank slow.txt --damping "$damping" -o slow.tsv --quiet --force
    exits 0
    # x2 = (1 - a) / 3 + a x1 / 2, x1 = (1 - a) / 3 + a x3, x3 = 1 - x1 - x2
    awk -F '\t' -v a="$damping" '
        { x[$1] = $2 }
        END {
            t = (1 - a) / 3
            one = (t + a * (1 - t)) / (1 + a + a * a / 2)
            two = t + a * one / 2
            d = (x[1] > one ? x[1] - one : one - x[1]) + (x[2] > two ? x[2] - two : two - x[2])
            exit !(d <= 1e-9)
        }' slow.tsv || fail "damping $damping: $(cat slow.tsv)"
    field_is slow.tsv.meta.json score_sum 1.0
done

begin "a store takes no flags for building, and stands alone"
star
run build -o star.mill star.txt --quiet
run pagerank star.mill --undirected
exits 2
stderr_is <<'END'
millrace: --undirected: star.mill is a store already; this flag is for building one: millrace build INPUT... --undirected -o STORE
END
run pagerank star.mill star.txt
exits 2
stderr_is <<'END'
millrace: star.txt: one argument too many; star.mill is a store, and stands alone; 'millrace append' adds files to it
END

begin "flags for building an input"
printf 'a b\na c\n' >links.txt
run pagerank links.txt --columns target-source --quiet
exits 0
scores_are <<'END'
a 0.574468
b 0.212766
c 0.212766
END
run pagerank - --vertices 3 --quiet <<<'0 0'
exits 0
[ "$(wc -l <"$root/stdout")" = 3 ] || fail "not three vertices"
only_left links.txt

begin "--tmp holds the temporary store"
star
mkdir tmp
run pagerank star.txt --tmp tmp
exits 0
has "$root/stderr" "built a temporary one in tmp"
only_left star.txt tmp
[ -z "$(ls -A tmp)" ] || fail "left in tmp: $(ls -A tmp)"

begin "the same bits for any threads, memory and back end"
run generate kron --scale 12 --edge-factor 8 --random-seed 3 -o kron.mill --quiet
exits 0
run pagerank kron.mill -o reference.tsv --quiet
exits 0
for flags in "--threads 1" "--threads 3" "--io pread" "--memory 40M --threads 1" "--no-pin"; do
    run pagerank kron.mill -o scores.tsv --force --quiet $flags
    exits 0
    cmp -s scores.tsv reference.tsv || fail "other scores with $flags"
done

begin "--until order and levels end earlier, and say what is proven"
run generate kron --scale 12 --edge-factor 8 --random-seed 3 -o kron.mill --quiet
run pagerank kron.mill --tolerance 1e-10 -o all.tsv --quiet
run pagerank kron.mill --tolerance 1e-10 --until order:10 -o scores.tsv
exits 0
grep -qE '^millrace: order of the best 10 proven, [0-9]+ ties; error bound [^ ]+ after [0-9]+ passes, [0-9.]+ s$' \
    "$root/stderr" || fail "no word of the order: $(cat "$root/stderr")"
field_is scores.tsv.meta.json proven_until true
field_is scores.tsv.meta.json converged true
[ "$(field scores.tsv.meta.json edge_visits)" -lt "$(field all.tsv.meta.json edge_visits)" ] ||
    fail "as many links as to 1e-10"
for file in all scores; do
    sort -t '	' -k 2,2gr -k 1,1n $file.tsv | head -n 10 | cut -f 1 >$file.best
done
cmp -s all.best scores.best || fail "another order of the best 10"
run pagerank kron.mill --tolerance 1e-10 --until levels:5:0.05 -o scores.tsv --force
exits 0
grep -qE '^millrace: at most [^ ]+ of the pages can be on another of 5 levels; error bound ' \
    "$root/stderr" || fail "no word of levels: $(cat "$root/stderr")"
[ "$(field scores.tsv.meta.json edge_visits)" -lt "$(field all.tsv.meta.json edge_visits)" ] ||
    fail "as many links as to 1e-10"
for file in all scores; do
    run precedence $file.tsv -o $file.levels --quiet
    exits 0
done
changed=$(diff all.levels scores.levels | grep -c '^<' || true)
[ "$changed" -le 204 ] || fail "$changed of 4096 pages changed their level"

begin "--until counts no tie that is none"
printf '0 1\n1 2\n2 3\n3 4\n' >chain.txt
for k in 1 2 3 4 5; do
    run pagerank chain.txt --vertices 5 --until order:$k -o scores.tsv --force
    exits 0
    grep -qE "^millrace: order of the best $k proven, 0 ties; error bound [0-9.e-]+ after" \
        "$root/stderr" || fail "order:$k: $(cat "$root/stderr")"
    [ "$(sort -t '	' -k 2,2gr scores.tsv | cut -f 1 | tr '\n' ' ')" = '4 3 2 1 0 ' ] ||
        fail "order:$k: not the order of a chain: $(cat scores.tsv)"
done
seq 0 998 | awk '{ print $1, $1 + 1 }' >chain.txt
run pagerank chain.txt --damping 0.999 --tolerance 1e-6 -o all.tsv --force
run pagerank chain.txt --damping 0.999 --tolerance 1e-6 --until levels:5:0.01 -o scores.tsv --force
exits 0
for file in all scores; do
    run precedence $file.tsv -o $file.levels --quiet --force
    exits 0
done
changed=$(diff all.levels scores.levels | grep -c '^<' || true)
[ "$changed" -le 10 ] || fail "$changed of 1000 pages changed their level"

begin "--until: twins are tied, and what only looks equal is not"
printf 'a b\na c\na d\ne f\n' >twins.txt # b, c, d: the same in-links; a, e: none
run pagerank twins.txt --until order:6 -o scores.tsv
exits 0
has "$root/stderr" "millrace: order of the best 6 proven, 3 ties; error bound "
field_is scores.tsv.meta.json until_ties 3
field_is scores.tsv.meta.json until_close 0
printf 'a b\nc d\n' >equal.txt # the same scores for another reason
run pagerank equal.txt --until order:1 -o scores.tsv --force
exits 0
grep -qE '^millrace: order of the best 1 not proven, 1 of them too close to the next; error bound [^ ]+ \(tolerance 1e-09\) after ' \
    "$root/stderr" || fail "$(cat "$root/stderr")"
field_is scores.tsv.meta.json proven_until false
field_is scores.tsv.meta.json converged true
field_is scores.tsv.meta.json until_close 1
run pagerank equal.txt --until levels:4:0.1 -o scores.tsv --force
exits 0
grep -qE '^millrace: at most 0.5 of the pages can be on another of 4 levels; error bound [^ ]+ \(tolerance 1e-09\) after ' \
    "$root/stderr" || fail "$(cat "$root/stderr")"
printf '1 2 1\n1 3 1\n' >weighted.txt
run build weighted.txt --weights -o weighted.mill --quiet
run pagerank weighted.mill --weights --until order:1 -o scores.tsv --force
exits 0
has "$root/stderr" "millrace: order of the best 1 not proven, 1 of them too close to the next; error bound "

begin "--until: what is wrong is refused"
run generate kron --scale 8 --edge-factor 8 --random-seed 3 -o kron.mill --quiet
for wrong in order order: order:0 levels:5:1 levels:127 levels:5:-1 order:5:6 best:7; do
    run pagerank kron.mill --until $wrong
    exits 2
done
run pagerank kron.mill --iterations 3 --until order:5
exits 2

begin "a log that cannot be written costs no scores"
"$MILLRACE" generate kron --scale 8 --random-seed 1 -o kron.mill --quiet
run pagerank kron.mill -o whole.tsv --quiet
exits 0
run pagerank kron.mill -o scores.tsv --log /dev/full --quiet
exits 5
stderr_is <<'END'
millrace: /dev/full: cannot write the log, which is cut off; the scores are complete: No space left on device
END
cmp scores.tsv whole.tsv || fail "other scores than without a log"
run pagerank kron.mill --log /dev/full --top 3 --quiet
exits 5
[ "$(wc -l <"$root/stdout")" = 3 ] || fail "the best pages are lost: $(cat "$root/stdout")"

begin "--log has a line per pass"
run generate kron --scale 10 --edge-factor 8 --random-seed 3 -o kron.mill --quiet
run pagerank kron.mill -o scores.tsv --log log.tsv --quiet
exits 0
passes=$(field scores.tsv.meta.json passes)
head -n 1 log.tsv >header
file_is header <<'END'
pass	bound	certified	seconds	edge_visits	bytes_read
END
awk -F '\t' -v passes="$passes" 'NR > 1 && ($1 != NR - 1 || NF != 6) { bad = 1 }
    END { exit !(NR == passes + 1 && $3 == 1 && $2 <= 1e-9 && !bad) }' log.tsv ||
    fail "a wrong log: $(cat log.tsv)"
run pagerank kron.mill --log log.tsv
exits 2
stderr_is <<'END'
millrace: log.tsv: exists, and --log writes it; name another file, or use --force to replace it
END

begin "--start: yesterday's scores start today's graph, by name"
printf 'a b\nb c\nc a\nd a\n' >old.txt
run pagerank old.txt -o old.tsv --quiet
exits 0
run pagerank old.txt --start old.tsv -o same.tsv
exits 0
[ "$(field same.tsv.meta.json edge_visits)" -lt "$(field old.tsv.meta.json edge_visits)" ] ||
    fail "as many links as from 1/n"
printf 'a b\nb c\nc a\ne a\nf e\n' >new.txt
run pagerank new.txt -o cold.tsv --quiet
run pagerank new.txt --start old.tsv -o warm.tsv
exits 0
has "$root/stderr" "note: old.tsv: 1 of its names are not pages of the graph, and it lacks 2 pages of the graph"
paste cold.tsv warm.tsv | awk -F '\t' '{ e = $2 - $4; sum += e < 0 ? -e : e }
    END { exit !(sum <= 2e-9) }' || fail "another result from another start"
run pagerank old.txt -o old.npy --quiet
run pagerank old.txt --start old.npy --quiet
exits 0
run pagerank new.txt --start old.npy --quiet
exits 3
has "$root/stderr" "old.npy: has 4 rows for 5 pages"
printf 'a -1\n' | tr ' ' '\t' >wrong.tsv
run pagerank old.txt --start wrong.tsv --quiet
exits 3
printf 'z 1\n' | tr ' ' '\t' >wrong.tsv
run pagerank old.txt --start wrong.tsv --quiet
exits 3
has "$root/stderr" 'wrong.tsv: none of its 1 names is a page of the graph: the first is "z", and a page of the graph is "a"'
printf 'a 0\n' | tr ' ' '\t' >wrong.tsv
run pagerank old.txt --start wrong.tsv --quiet
exits 3
has "$root/stderr" "gives no page of the graph a score above 0"
printf 'a\n' >seeds.txt
run pagerank old.txt --start old.tsv --seeds seeds.txt
exits 2

begin "--checkpoint and --resume: interrupted and resumed, the same bits"
scale=16
[ -z "${MILLRACE_SANITIZER-}" ] || scale=13
run generate kron --scale $scale --edge-factor 16 --random-seed 3 -o kron.mill --quiet
flags="--damping 0.9999 --acceleration 0 --inner 1 --tolerance 1e-5"
run pagerank kron.mill $flags -o whole.tsv --quiet
exits 0
interruptions=0
resume="--resume auto"
signal=HUP expected=129 # the terminal goes away; then TERM and HUP in turn
for delay in 0.2 0.15 0.1 0.25 0.3; do
    "$MILLRACE" pagerank kron.mill $flags -o parts.tsv --quiet --checkpoint state $resume --log log.tsv \
        --threads 1 2>"$root/stderr" &
    pid=$!
    sleep $delay
    kill -$signal $pid 2>/dev/null || true
    code=0
    wait $pid || code=$?
    [ $code = $expected ] || break
    if [ $signal = HUP ]; then signal=TERM expected=143; else signal=HUP expected=129; fi
    if [ -f state ] && [ -s "$root/stderr" ]; then # else it was killed before it could catch that
        has "$root/stderr" "millrace: interrupted; the state is in state: --resume continues"
        interruptions=$((interruptions + 1))
        resume=--resume
        cp state kept
    fi
done
if [ -f kept ]; then
    rm -f parts.tsv parts.tsv.meta.json # there already when a run was interrupted
    cp kept state
    run pagerank kron.mill $flags -o parts.tsv --checkpoint state
    exits 2
    stderr_is <<'END'
millrace: state: exists; --resume continues from it, --force starts again
END
    run pagerank kron.mill --damping 0.998 -o parts.tsv --checkpoint state --resume --quiet
    exits 2
    has "$root/stderr" "belongs to another run"
    cp kept auto
    run pagerank kron.mill $flags -o auto.tsv --checkpoint auto --resume auto --log auto.log
    exits 0
    [ "$(sed -n 2p auto.log | cut -f 1)" -gt 1 ] || fail "--resume auto began anew: $(head -n 2 auto.log)"
    cmp -s auto.tsv whole.tsv || fail "--resume auto: other scores"
    missing auto
    cp kept older
    run pagerank kron.mill --damping 0.5 -o other.tsv --checkpoint older --resume auto --log log.tsv
    exits 0
    has "$root/stderr" "millrace: note: the checkpoint older is of another graph or of other options, and is now older.1; the ranking begins anew"
    missing older
    cmp -s kept older.1 || fail "--resume auto lost the checkpoint of another run"
    [ "$(cut -f 1 log.tsv | head -n 2 | tr '\n' ' ')" = "pass 1 " ] || fail "the log is not that of one run: $(cat log.tsv)"
    run pagerank kron.mill --damping 0.5 -o anew.tsv --quiet
    cmp -s other.tsv anew.tsv || fail "a checkpoint of another run changed the scores"
    cp kept damaged
    printf 'x' | dd of=damaged bs=1 seek=5000 conv=notrunc status=none
    run pagerank kron.mill $flags -o parts.tsv --checkpoint damaged --resume --quiet
    exits 4
    has "$root/stderr" "damaged: offset"
    has "$root/stderr" "the checkpoint is damaged; remove it and begin anew"
    run pagerank kron.mill $flags -o /dev/full --checkpoint state --resume --quiet
    exits 5 # what was ranked is not lost with scores that cannot be written
    [ -f state ] || fail "the checkpoint went before the scores were there"
    run pagerank kron.mill $flags -o parts.tsv --checkpoint state --resume --quiet --threads 3
    exits 0
fi
[ $interruptions -gt 0 ] || fail "no run was interrupted: they are too short"
cmp -s whole.tsv parts.tsv || fail "other scores after $interruptions interruptions"
missing state
run pagerank kron.mill --checkpoint state --resume --quiet
exits 2
has "$root/stderr" "state: no such checkpoint; say --resume auto to begin anew then"

begin "--estimate ranks nothing"
run generate kron --scale 10 --edge-factor 8 -o kron.mill --quiet
run pagerank kron.mill --estimate -o scores.tsv
exits 0
stderr_is </dev/null
normalise <"$root/stdout" | sed -E 's/passes +[0-9]+$/passes N/; s/[0-9]+Mi$/N Mi/' >estimate
file_is estimate <<'END'
peak memory     SIZE (--memory SIZE)
least memory    --memory N Mi
temporary disk  SIZE
passes N
END

run pagerank kron.mill --estimate --iterations 20 --json
exits 0
field_is "$root/stdout" passes 21.0
missing scores.tsv

begin "the least --memory that --estimate names works, and less is refused before anything is read"
run generate crawl --pages 2000000 -o large.mill --quiet
for ranking in "pagerank --tolerance 0.5" "pagerank --tolerance 0.5 --acceleration 5" \
    "ppr --seed 5 --tolerance 0.5" "opic --method drain --sweeps 2"; do
    read -r command arguments <<<"$ranking"
    # shellcheck disable=SC2086
    run $command large.mill $arguments --estimate --memory 34Mi -o large.npy
    least=$(sed -n 's/^least memory    --memory \([0-9]*\)Mi.*/\1/p' "$root/stdout")
    [ "${least:-0}" -ge 35 ] || fail "$ranking: no least memory"
    has "$root/stdout" "Mi; it would be refused now"
    # shellcheck disable=SC2086
    run $command large.mill $arguments --memory "${least}Mi" --no-pin --quiet -o large.npy --force
    exits 0
    # shellcheck disable=SC2086
    run $command large.mill $arguments --estimate --json -o large.npy
    bytes=$(sed -n 's/.*"least_memory_bytes": \([0-9]*\).*/\1/p' "$root/stdout")
    # shellcheck disable=SC2086
    run $command large.mill $arguments --memory "$bytes" --no-pin --quiet -o large.npy --force
    exits 0
    # shellcheck disable=SC2086
    run $command large.mill $arguments --memory "$((least - 2))Mi" -o large.npy --force
    exits 5
    has "$root/stderr" "this ranking needs --memory"
done
# One list of arrays is what is allocated and what is planned, and the columns are written beside them.
run generate kron --scale 21 --edge-factor 1 -o large.mill --force --quiet
for ranking in salsa degree "hits --tolerance 1e9 --acceleration 0 --probe 0" components "components --weak-only" \
    "harmonic --log2m 4" "opic --sweeps 1 --score-columns all"; do
    # shellcheck disable=SC2086
    run $ranking large.mill --estimate --json -o large.tsv.zst
    bytes=$(sed -n 's/.*"least_memory_bytes": \([0-9]*\).*/\1/p' "$root/stdout")
    [ "${bytes:-0}" -gt 34000000 ] || fail "$ranking: no least memory"
    # shellcheck disable=SC2086
    run $ranking large.mill --memory "$bytes" --quiet -o large.tsv.zst --force
    exits 0
    # shellcheck disable=SC2086
    run $ranking large.mill --memory $((bytes - 1000000)) --quiet -o large.tsv.zst --force
    exits 5
    has "$root/stderr" "this ranking needs --memory"
done
rm -r large.*

begin "too little memory names how much a ranking needs"
printf '0 1\n' >links.txt
run build -o wide.mill links.txt --vertices 20000000 --quiet
exits 0
run pagerank wide.mill --memory 64Mi --next 5 --fetched links -o scores.tsv
exits 5
has "$root/stderr" "millrace: this ranking needs --memory 175Mi or more"
only_left links.txt wide.mill

begin "scores as CSV and JSON, written and read back; what cannot be written is refused before any work"
printf 'http://a/x,y http://b/"q"\\\nhttp://b/"q"\\ http://c/\nhttp://c/ http://a/x,y\n' >links
run build -o web.mill links --format urls --quiet
exits 0
for file in a.tsv a.csv a.jsonl a.json a.csv.gz; do
    run pagerank web.mill -o $file --header --quiet
    exits 0
done
awk -F '\t' '{ name = $1; if (gsub(/"/, "\"\"", name) || name ~ /,/) name = "\"" name "\""; print name "," $2 }' \
    a.tsv | cmp -s - a.csv || fail "$(cat a.csv)"
gzip -dc a.csv.gz | cmp -s - a.csv || fail "compressed"
run pagerank web.mill -o plain.csv --quiet # a table of commas has a header, which pandas expects
cmp -s plain.csv a.csv || fail "a .csv without a header"
rm plain.csv plain.csv.meta.json
awk -F '\t' 'NR > 1 { name = $1; gsub(/[\\"]/, "\\\\&", name); print "{\"name\":\"" name "\",\"score\":" $2 "}" }' \
    a.tsv | cmp -s - a.jsonl || fail "$(cat a.jsonl)"
{ echo '['; sed '$!s/$/,/' a.jsonl; echo ']'; } | cmp -s - a.json || fail "$(cat a.json)"
for file in a.csv a.jsonl a.json a.csv.gz; do
    run compare a.tsv $file
    exits 0
    has "$root/stdout" "pages compared   3, 0 of them with different scores"
    run precedence $file --column score
    exits 0
    cp "$root/stdout" levels
    run precedence a.tsv
    cmp -s "$root/stdout" levels || fail "levels of $file"
done
run hits web.mill -o hits.jsonl --quiet
exits 0
run compare hits.jsonl hits.jsonl --column hub
exits 0
printf '{"name":"http://a/x,y"}\n' >bad.jsonl
run compare a.tsv bad.jsonl
exits 3
stderr_is <<<'millrace: bad.jsonl:1: no score among its values'
printf 'http://c/,1\n"http://a/,2\n' >bad.csv
run compare a.tsv bad.csv
exits 3
stderr_is <<<'millrace: bad.csv:1: no table: the lines have different numbers of columns, or quotes that do not match; lines are NAME<TAB>SCORE'
for suffix in parquet.gz xlsx npz xz f32 mill pq; do
    run pagerank missing.txt -o x.$suffix
    exits 2
    stderr_is <<<"millrace: x.$suffix: .$suffix is not written; name a file of lines with tabs (.tsv), .csv, .parquet, .jsonl, .json or .npy; .gz or .zst behind it compresses"
    run hits missing.txt -o x.$suffix
    exits 2
    run opic missing.txt -o x.$suffix
    exits 2
done
for command in 'pagerank missing.txt --names' 'precedence missing.txt --crawler nutch -o'; do
    # shellcheck disable=SC2086
    run $command x.csv.gz
    exits 2
    stderr_is <<<"millrace: x.csv.gz: is written as plain lines, whatever its suffix; name a file of lines (.txt, .tsv), with .gz or .zst behind it to compress"
done
printf 'a\xc3\xa9 b\xc3\n' >links
run build -o bytes.mill links --format urls --quiet
exits 0
run pagerank bytes.mill -o bytes.jsonl --quiet
exits 0
has bytes.jsonl "{\"name\":\"a$(printf '\xc3\xa9')\","
has bytes.jsonl '{"name":"b\\xc3",'

begin "--like NAME sets the options that its help names, --scale pages multiplies by the number of pages"
printf 'a b\na c\nb c\nd c\nc e\nd d\n' >links
run build --quiet -o g.mill links
exits 0
names=$("$MILLRACE" pagerank --help | tr -s ' \n' ' ' | sed 's/.*but for those that are said here;//; s/\. Default millrace.*//' | tr ';' '\n')
[ "$(wc -l <<<"$names")" -ge 15 ] || fail "names: $names"
while read -r name settings; do
    options=()
    for setting in $settings; do
        options+=("--${setting%=*}" "${setting#*=}")
    done
    run pagerank g.mill --quiet --json --like "${name%:}" -o like.tsv --force
    exits 0
    run pagerank g.mill --quiet "${options[@]}" -o said.tsv --force
    exits 0
    cmp like.tsv said.tsv || fail "$name is not ${options[*]}"
done <<<"$names"
run pagerank g.mill --quiet --iterations 10
cp "$root/stdout" one
run pagerank g.mill --quiet --iterations 10 --scale pages
paste one "$root/stdout" | awk -F '\t' '{ d = $4 - 5 * $2; sum += $4; if (d > 1e-15 || d < -1e-15) bad++ } END { exit bad || sum < 5 - 1e-14 || sum > 5 + 1e-14 }' ||
    fail "not 5 times: $(cat "$root/stdout")"
run pagerank g.mill --quiet --like scikit-network --iterations 3 -o like.tsv --force
"$MILLRACE" pagerank g.mill --quiet --iterations 3 --sort name | cmp like.tsv || fail "what is said does not win"
run pagerank g.mill --quiet --dangling teleport --like gap -o like.tsv --force
"$MILLRACE" pagerank g.mill --quiet --sort name | cmp like.tsv || fail "what is said does not win, also before and by default"
"$MILLRACE" pagerank g.mill --scale pages --json --tolerance 1e-7 -o like.tsv --force >json 2>/dev/null
grep -q '"tolerance": 5e-07' json && grep -q '"score_sum": 5.0' json && grep -q '"normalised": false' json || fail "$(cat json)"
run pagerank g.mill --like nutch --tolerance 1e-6
exits 2
stderr_is <<<'millrace: iterations, which like sets, makes exactly so many rounds; leave out tolerance'
run pagerank g.mill --like giraph
exits 2
has "$root/stderr" 'millrace: --like giraph: must be millrace, graphx, graphframes, nutch, law-weakly,'
run pagerank g.mill --like gap --heritrix
exits 2

begin "a pipe gets the best first: the rows of --sort name, sorted by another program; from memory and from disk"
"$MILLRACE" generate crawl --pages 3000 --urls --random-seed 7 --quiet -o crawl.mill
"$MILLRACE" generate kron --scale 11 --edge-factor 8 --random-seed 5 --quiet -o numbers.mill
tab=$(printf '\t')
for store in crawl numbers; do
    for column in "pagerank 2" "hits:--by=hub 2" "degree:--by=in 3"; do
        command=${column% *} key=${column##* }
        "$MILLRACE" "${command%%:*}" $store.mill --sort name --quiet >rows
        sort -s -t "$tab" -k "$key,${key}gr" rows >want
        run ${command/:/ } $store.mill --quiet
        exits 0
        cmp want "$root/stdout" || fail "$store $command"
    done
    run pagerank $store.mill --sort score --memory 34M -o few.csv --quiet --force
    exits 0
    "$MILLRACE" pagerank $store.mill --sort name --quiet | sort -s -t "$tab" -k 2,2gr | cut -f 1 >want
    tail -n +2 few.csv | cut -d , -f 1 | cmp want - || fail "$store few.csv"
done
head -n 1 few.csv | grep -qx 'name,score' || fail "$(head -n 1 few.csv)"
run pagerank crawl.mill --sort score -o never.npy
exits 2
stderr_is <<<'millrace: --sort score: an .npy has the order of the names; leave out --sort'
run pagerank crawl.mill --sort score --names never.txt
exits 2
stderr_is <<<'millrace: --sort score: --names has the order of the names; leave out --sort'
run pagerank crawl.mill -o with.csv --bom --quiet
run pagerank crawl.mill -o without.csv --quiet
{ printf '\xef\xbb\xbf'; cat without.csv; } | cmp - with.csv || fail "--bom"
run precedence with.csv -o levels.txt --quiet
exits 0
run pagerank crawl.mill -o never.tsv --bom
exits 2
stderr_is <<<'millrace: --bom: -o never.tsv is no .csv, which alone has it'
"$MILLRACE" pagerank crawl.mill --top 5 --quiet >five
for same in '-n 5' '-n5' '--limit 5' '--limit=5'; do
    # shellcheck disable=SC2086
    run pagerank crawl.mill $same --quiet
    cmp five "$root/stdout" || fail "$same"
done
run pagerank crawl.mill --by score -o never.tsv
exits 2
stderr_is <<<'millrace: --by score needs --top K or --sort score'
run generate kron --scale 21 --edge-factor 1 -o large.mill --quiet
run pagerank large.mill --memory 80M
exits 5
has "$root/stderr" 'all rows, best first, take 50.3 MB of memory beside the scores; say --sort name or -o FILE'

begin "--what-if: options about inputs say how its lists are read"
printf 'b\ta\nc\tb\n' >back.txt
"$MILLRACE" build -o back.mill --columns target-source back.txt --quiet
run pagerank back.mill --what-if back.txt --columns target-source --top 1
exits 0
has "$root/stderr" ": 0 links more, 0 fewer, 0 new pages"
run pagerank back.mill --without back.txt --undirected
exits 2
stderr_is <<<"millrace: append: the build of the store fixed --undirected; leave it out"

finish
