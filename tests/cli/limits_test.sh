#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The limits: of numbers, of counts, of paths and names, of the process. Within them a command works;
# beyond them it says so and changes nothing.
. "$(dirname "$0")/lib.sh"

printf '1 2\n2 3\n3 1\n1 3\n' >"$root/links.txt"
links=$root/links.txt
"$MILLRACE" build "$links" -o "$root/small.mill" --quiet
"$MILLRACE" pagerank "$root/small.mill" -o "$root/expected.tsv" --quiet

begin "ids up to 2^64 - 1, and none beyond"
printf '18446744073709551615 0\n0 9223372036854775808\n' >ids.txt
run build ids.txt -o ids.mill --quiet
exits 0
run show ids.mill 18446744073709551615 --links-out
exits 0
has "$root/stdout" 0
printf '18446744073709551616 0\n' >ids.txt
run build ids.txt -o more.mill --quiet
exits 3
has "$root/stderr" "ids.txt:1:"
missing more.mill

begin "only the ratios of weights count, at the ends of a float, too"
for times in 1 3e30 1e-37; do
    awk -v t=$times 'BEGIN {
        printf "source,target,weight\na,b,%.9g\na,c,%.9g\nb,b,%.9g\nb,c,%.9g\n", 1.25 * t, 1.5 * t, 9e7 * t, 1e7 * t
    }' >w.csv
    run build w.csv -o w.mill --force --weights --quiet
    exits 0
    run pagerank w.mill --weights -o w$times.tsv --quiet
    exits 0
    paste w1.tsv w$times.tsv | awk '($2 - $4) ^ 2 > 1e-14 { exit 1 }' || fail "$times: $(cat w$times.tsv)"
done
printf 'source,target,weight\na,b,1.25e-37\na,c,1.5e-37\nb,b,1\nb,c,1e38\n' >w.csv
run build w.csv -o w.mill --force --weights --quiet
exits 0
run pagerank w.mill --weights
exits 3
stderr_is <<<"millrace: w.mill: has weights from 1.25e-37 to 1e+38, too far apart to be ranked by; build it again without the smallest, or rank without --weights"

# No command fails above a budget with which it works. In ./dev limits there are more of them.
walk=("harmonic walk.mill --log2m 4 --threads 7")
budgets=(36 45 57)
if [ -n "${MILLRACE_LARGE:-}" ]; then
    walk+=("harmonic walk.mill" "harmonic walk.mill --exact --sources few.txt" "pagerank wide.mill --max-passes 3"
        "hits wide.mill --max-rounds 2" "salsa wide.mill" "degree wide.mill" "components wide.mill" "opic wide.mill --sweeps 3"
        "export wide.mill --to edges" "export wide.mill --to sg" "transpose wide.mill" "build walk.txt" "build walk.jsonl"
        "build walk.txt --undirected --codec zstd")
    budgets=(32 33 34 36 38 41 45 50 57 64 72 81 96 128 181 256)
fi
begin "no command fails above a budget with which it works"
run generate crawl --pages 30000 -o walk.mill --quiet
exits 0
if [ -n "${MILLRACE_LARGE:-}" ]; then
    run generate crawl --pages 200000 -o wide.mill --quiet
    exits 0
    run export wide.mill --to edges -o walk.txt --quiet
    exits 0
    seq 1 1000 1300 >few.txt
    awk 'NR > 300000 { exit } !/#/ { printf "{\"url\":\"http://a/%d\",\"links\":[\"http://a/%d\"],\"timestamp\":%d}\n", $1, $2, 1600000000 + NR }' walk.txt >walk.jsonl
fi
for command in "${walk[@]}"; do
    works=
    for m in "${budgets[@]}"; do
        # shellcheck disable=SC2086
        run $command -o "walk.out" --force --memory "${m}Mi" --quiet
        case $code in
        0 | 6) works=$m ;;
        5) ;;
        *) fail "$command with $m MiB: exit code $code: $(cat "$root/stderr")" ;;
        esac
        [ "$code" != 5 ] || [ -z "$works" ] ||
            fail "$command works with $works MiB and not with $m: $(cat "$root/stderr")"
    done
    rm -rf walk.out
done
rm -rf walk.* wide.mill

begin "2^32 - 1 pages are announced, and no more"
run build "$links" -o x.mill --vertices 4294967295 --memory 100M --quiet
exits 5
missing x.mill
run build "$links" -o x.mill --vertices 4294967296 --quiet
exits 2
has "$root/stderr" 4294967295
run build "$links" -o x.mill --vertices 4294967295 --estimate
exits 0

begin "an error about a list of pages says how much is enough for the ranking, too"
seq 0 899999 | awk '{ print $1, int($1 / 3) }' >tree.txt
seq 0 7 6299993 | awk '{ print $1 % 900000 }' >pages.txt
run build tree.txt -o tree.mill --quiet
exits 0
for command in "pagerank tree.mill --seeds pages.txt" "hits tree.mill --start pages.txt --max-rounds 1"; do
    sed 's/$/ 1/' pages.txt >weighted.txt
    # shellcheck disable=SC2086
    run ${command/start pages/start weighted} --memory 32Mi --quiet -o out.npy --force
    exits 5
    enough=$(sed -nE 's/.*--memory ([0-9]+)Mi.*/\1/p' "$root/stderr")
    # shellcheck disable=SC2086
    run ${command/start pages/start weighted} --memory "${enough:-32}Mi" --quiet -o out.npy --force
    [ "$code" != 5 ] || fail "$enough MiB are not enough: $(cat "$root/stderr")"
done
rm -rf tree.mill tree.txt pages.txt weighted.txt out.npy

# The long ones run in ./dev limits.
if [ -n "${MILLRACE_LARGE:-}" ]; then
begin "an error about memory says how much is enough"
run generate kron --scale 20 --edge-factor 2 -o kron.mill --quiet
exits 0
awk 'BEGIN { srand(3); for (i = 0; i < 2500000; i++) print int(rand() * 60000), int(rand() * 20000) }' >dense.txt
awk 'BEGIN { srand(4); for (i = 0; i < 500000; i++) print int(rand() * 60000), int(rand() * 20000) }' >fewer.txt
awk 'BEGIN { for (i = 0; i < 1700000; i++) printf "{\"url\":\"http://a/%d\",\"links\":[\"http://a/7\"],\"timestamp\":%d}\n", i, i + 1 }' >dated.jsonl
sed 's|a/[0-9]*\([0-9][0-9][0-9]"\)|a/\1|' dated.jsonl >often.jsonl # 1,100 pages
seq 2200000 | awk '{ print $1 "\t0.000125" }' >scores.tsv
seq 3 7 2200000 >fetched.txt
run build fewer.txt -o base.mill --quiet
exits 0
run build often.jsonl -o often.mill --memory 32Mi --quiet
exits 0
for command in "build dense.txt -o dense.mill" "build dated.jsonl -o dated.mill" "salsa kron.mill -o out" \
    "build dense.txt -o kept.mill --duplicates keep" "append base.mill dense.txt" \
    "build dense.txt -o zstd.mill --undirected --codec zstd" \
    "precedence scores.tsv -o out.txt" "precedence scores.tsv --fetched fetched.txt --only fetched -o list.txt" \
    "compare scores.tsv scores.tsv"; do
    # shellcheck disable=SC2086
    run $command --memory 32Mi --quiet
    exits 5
    enough=$(sed -nE 's/.*--memory ([0-9]+)Mi.*/\1/p' "$root/stderr")
    # shellcheck disable=SC2086
    run $command --memory "${enough:-32}Mi" --quiet
    exits 0
done

begin "what an estimate calls the least memory is enough, with the names of the pages"
run generate crawl --pages 1000000 --urls -o named.mill --quiet
exits 0
for command in "pagerank named.mill --max-passes 2" \
    "pagerank named.mill --max-passes 2 --acceleration 2" "hits named.mill --max-rounds 1" \
    "opic named.mill --sweeps 1" "opic named.mill --sweeps 1 --internal-weight 0.5" \
    "opic named.mill --sweeps 1 --external-weight 0 --ignore-self-loops"; do
    # shellcheck disable=SC2086
    run $command --estimate --memory 32Mi
    exits 0
    least=$(sed -nE 's/^least memory +--memory ([0-9]+)Mi.*/\1/p' "$root/stdout")
    # shellcheck disable=SC2086
    run $command -o out.npy --force --quiet --memory "${least}Mi"
    [ "$code" != 5 ] || fail "$least MiB are not enough: $(cat "$root/stderr")"
done
rm -rf named.mill
awk 'BEGIN { srand(5); for (i = 0; i < 2000000; i++) print int(rand() * 1500000), int(rand() * 1500000), rand() + 1 }' >w.wel
run build w.wel --format wel -o weighted.mill --quiet
exits 0
for command in pagerank hits "ppr --seed 1"; do
    # shellcheck disable=SC2086
    run $command weighted.mill --weights --estimate
    least=$(sed -nE 's/^least memory +--memory ([0-9]+)Mi.*/\1/p' "$root/stdout")
    # shellcheck disable=SC2086
    run $command weighted.mill --weights -o out.npy --force --quiet --memory "${least}Mi"
    [ "$code" != 5 ] || fail "$least MiB are not enough: $(cat "$root/stderr")"
done
rm -rf weighted.mill w.wel

begin "10,000 inputs"
mkdir inputs
(
    cd inputs || exit
    for ((i = 0; i < 10000; i++)); do echo "$i $(((i + 1) % 10000))" >"$i"; done
)
run build inputs/* -o many.mill --format edges --quiet
exits 0
run info many.mill
has "$root/stdout" "10,000"
fi

begin "an error about memory says how much is enough"
awk 'BEGIN { srand(3); for (i = 0; i < 1000000; i++) print int(rand() * 60000), int(rand() * 20000) }' >dense.txt
run build dense.txt -o kept.mill --duplicates keep --undirected --memory 32Mi --quiet
exits 5
enough=$(sed -nE 's/.*--memory ([0-9]+)Mi.*/\1/p' "$root/stderr")
run build dense.txt -o kept.mill --duplicates keep --undirected --memory "${enough:-32}Mi" --quiet
exits 0

begin "pages that are announced are counted in an error about memory"
echo '1 2' >link.txt
run build link.txt -o out.mill --vertices 4294967295 --memory 64Mi
exits 5
enough=$(sed -nE 's/.*--memory ([0-9]+)Mi.*/\1/p' "$root/stderr")
[ "${enough:-0}" -gt 16384 ] || fail "asks for $enough MiB"

begin "paths of 4,095 bytes, and longer ones are refused"
part=$(printf 'd%.0s' $(seq 200))
(
    for ((i = 0; i < 19; i++)); do mkdir "$part" && cd "$part" || exit; done
    deep=$PWD
    room=$((4095 - ${#deep} - 1))
    name=$(printf 'n%.0s' $(seq 250)) path=$deep
    while [ $room -gt 250 ]; do
        path=$path/$name
        mkdir "$path"
        room=$((room - 251))
    done
    path=$path/$(printf 'e%.0s' $(seq $room))
    [ ${#path} = 4095 ] || exit 7
    cp "$links" "$path" || exit 6
    "$MILLRACE" build "$path" --format edges -o "$root/case/deep.mill" --quiet 2>"$root/stderr" || exit 9
    "$MILLRACE" build "${path}x" --format edges -o "$root/case/deeper.mill" --quiet 2>"$root/stderr"
    [ $? = 3 ] || exit 8
)
code=$?
command_line="build with a path of 4,095 bytes"
exits 0
missing deeper.mill

begin "names of files with line feeds and bytes that are no UTF-8"
name=$'line\nfeed\xff\xfe.txt' store=$'st\nore\xff.mill'
cp "$links" "$name"
run build "$name" -o "$store" --format edges --quiet
exits 0
run pagerank "$store" -o $'ra\nnks\xfe.tsv' --quiet
exits 0
cmp -s "$root/expected.tsv" $'ra\nnks\xfe.tsv' || fail "other scores"
python3 -c 'import json, sys; json.load(open(b"ra\nnks\xfe.tsv.meta.json", errors="strict"))' ||
    fail "the metadata are no JSON in UTF-8"

begin "a stack that is too small is refused, and what the message says is enough"
printf '0 1\n1 2\n' >links.txt
enough="gives each thread a stack that is too small; set it to 256K or more, or unset it"
while IFS='|' read -r limit setting expected message; do
    (
        ulimit -s "$limit"
        # shellcheck disable=SC2086 # NAME=VALUE or nothing
        exec env $setting "$MILLRACE" pagerank links.txt --quiet
    ) >"$root/stdout" 2>"$root/stderr" </dev/null
    code=$? command_line="pagerank, ulimit -s $limit $setting"
    exits "$expected"
    [ -z "$message" ] || has "$root/stderr" "millrace: $message"
done <<END
40||5|a stack of 40 KiB is too small; run first: ulimit -s 256
128||5|a stack of 128 KiB is too small; run first: ulimit -s 256
256||0|
8192|OMP_STACKSIZE=32k|5|OMP_STACKSIZE=32k $enough
8192|OMP_STACKSIZE=32|5|OMP_STACKSIZE=32 $enough
8192|OMP_STACKSIZE=65536B|5|OMP_STACKSIZE=65536B $enough
8192|GOMP_STACKSIZE=100K|5|GOMP_STACKSIZE=100K $enough
8192|OMP_STACKSIZE=256K|0|
8192|OMP_STACKSIZE=4M|0|
8192|OMP_STACKSIZE=many|0|
END

begin "30 file descriptors"
cp -r "$root/small.mill" in.mill
for command in "build $links -o out.mill" "append in.mill $links" "pagerank in.mill -o out.tsv --threads 4" \
    "check --full in.mill" "export in.mill --to edges -o out.txt"; do
    # shellcheck disable=SC2086
    (ulimit -n 30 && exec "$MILLRACE" $command --quiet) 2>"$root/stderr"
    code=$? command_line="$command (ulimit -n 30)"
    exits 0
done

begin "no locked memory"
(ulimit -l 0 && exec "$MILLRACE" pagerank "$root/small.mill" -o out.tsv --quiet) 2>"$root/stderr"
code=$? command_line="pagerank (ulimit -l 0)"
exits 0
cmp -s "$root/expected.tsv" out.tsv || fail "other scores"

begin "a limit of file sizes, for each command that writes"
run generate kron --scale 12 -o kron.mill --quiet
for command in "pagerank kron.mill -o out" "transpose kron.mill -o out.mill" \
    "export kron.mill --to edges -o out" "append kron.mill $links" "hits kron.mill -o out"; do
    # shellcheck disable=SC2086
    (ulimit -f 8 && exec "$MILLRACE" $command --quiet) 2>"$root/stderr"
    code=$? command_line="$command (ulimit -f 8)"
    exits 5
    has "$root/stderr" "ulimit -f"
    only_left kron.mill
done
run check --full kron.mill --quiet
exits 0

begin "a directory that is only read"
if [ "$(id -u)" != 0 ] || command -v setpriv >/dev/null; then
    as=()
    [ "$(id -u)" != 0 ] || as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    mkdir only
    cp -r "$root/small.mill" only/
    chmod -R a+rX,a-w only "$root"
    if "${as[@]}" test -r only/small.mill/MANIFEST 2>/dev/null; then
        TMPDIR=/nonexistent "${as[@]}" "$MILLRACE" pagerank only/small.mill --sort name --quiet \
            >out.tsv 2>"$root/stderr"
        code=$? command_line="pagerank (of a store that is only read)"
        exits 0
        cmp -s "$root/expected.tsv" out.tsv || fail "other scores"
        for command in "append only/small.mill $links" "pagerank only/small.mill -o only/out" \
            "build $links -o only/new.mill"; do
            # shellcheck disable=SC2086
            "${as[@]}" "$MILLRACE" $command --quiet 2>"$root/stderr"
            code=$? command_line="$command (in a directory that is only read)"
            exits 1
            has "$root/stderr" only
        done
    fi
    chmod -R u+w only "$root"
fi

begin "a clock that jumps, back and forth"
faults=${MILLRACE_FAULTS:-$MILLRACE_BUILD_DIR/tests/libmillrace_faults.so}
if [ -e "$faults" ] && [ -z "${MILLRACE_SANITIZER:-}" ]; then
    for step in 100000 -100000; do
        MILLRACE_FAULT_CLOCK=$step LD_PRELOAD=$faults "$MILLRACE" pagerank "$root/small.mill" \
            -o out.tsv --checkpoint out.check --force 2>"$root/stderr"
        code=$? command_line="pagerank (a clock that goes $step seconds a look)"
        exits 0
        cmp -s "$root/expected.tsv" out.tsv || fail "other scores"
    done
fi

begin "devices and directories as inputs never hang"
for input in /dev/null /dev/zero /dev/full .; do
    for command in "build $input -o x.mill --format edges" "pagerank $input --format edges" \
        "precedence $input -o x" "pagerank $root/small.mill --teleport $input"; do
        # shellcheck disable=SC2086
        timeout 600 "$MILLRACE" $command --quiet --memory 100M --force >/dev/null 2>"$root/stderr"
        code=$? command_line=$command
        [ "$code" -lt 6 ] || fail "exit code $code: $(head -n 2 "$root/stderr")"
    done
done

begin "a pipe, a device or a directory in place of a file of a store"
for file in MANIFEST links.1 degrees.1 index.1; do
    for kind in pipe device directory; do
        cp -r "$root/small.mill" odd.mill
        rm "odd.mill/$file"
        case $kind in
        pipe) mkfifo "odd.mill/$file" ;;
        device) ln -s /dev/zero "odd.mill/$file" ;;
        directory) mkdir "odd.mill/$file" ;;
        esac
        for command in "pagerank odd.mill" "check --full odd.mill" "append odd.mill $links"; do
            # shellcheck disable=SC2086
            timeout 600 "$MILLRACE" $command --quiet >/dev/null 2>"$root/stderr"
            code=$? command_line="$command with a $kind as $file"
            [ "$code" != 0 ] && [ "$code" -lt 6 ] || fail "exit code $code: $(cat "$root/stderr")"
        done
        rm -rf odd.mill
    done
done

finish
