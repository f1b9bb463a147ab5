#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds on disks that are too small, of all sizes from nearly nothing to enough. A build that does
# not fit must exit with code 5 and say so, leave no temporary file, and keep the inputs and the old
# store unchanged. A build that fits gives the same bytes as always. The test mounts a file system,
# as root or in a user namespace; it is skipped where neither works.
# shellcheck source=tests/helpers.sh
if [ "${1-}" != --inside ]; then
    here=$(dirname "${BASH_SOURCE[0]}")
    for as in "" "unshare --user --map-root-user --mount" "unshare --mount"; do
        probe=$(mktemp -d)
        # shellcheck disable=SC2086 # a command and its arguments, or nothing
        if $as bash -c "mount -t tmpfs -o size=1m none '$probe' && umount '$probe'" 2>/dev/null; then
            rmdir "$probe"
            # shellcheck disable=SC2086
            exec $as bash "${BASH_SOURCE[0]}" --inside
        fi
        rmdir "$probe"
    done
    echo "cannot mount a file system here: skipped"
    exit 77
fi
. "$(dirname "$0")/helpers.sh"

trap 'umount disk 2>/dev/null || true; rm -rf "$root"' EXIT
mkdir disk
n_full=0 n_fit=0

# full NAME STORE KIBYTES COMMAND...: runs the command on a disk of KIBYTES that has the old store
# on it.
full() {
    local name=$1 expected=$2 kibytes=$3 code=0 left
    shift 3
    mount -t tmpfs -o size="${kibytes}k" none disk
    if ! cp -r old.mill disk/graph.mill 2>/dev/null; then
        umount disk
        return
    fi
    "$MILLRACE" "$@" -o disk/graph.mill --force --quiet >stdout 2>stderr || code=$?
    left=$(ls -A disk)
    [ "$left" = graph.mill ] || fail "$name, $kibytes KiB: left: $left"
    case $code in
    0)
        n_fit=$((n_fit + 1))
        same disk/graph.mill "$expected" "$name, $kibytes KiB"
        ;;
    5)
        n_full=$((n_full + 1))
        same disk/graph.mill old.mill "$name, $kibytes KiB: the old store"
        "$MILLRACE" check --full --quiet disk/graph.mill || fail "$name: the old store is damaged"
        grep -q '^millrace: ' stderr || fail "$name, $kibytes KiB: says nothing"
        ;;
    *) fail "$name, $kibytes KiB: exit code $code: $(cat stderr)" ;;
    esac
    umount disk
}

# change NAME OLD NEW KIBYTES COMMAND...: the command turns disk/graph.mill from OLD into NEW.
change() {
    local name=$1 old=$2 expected=$3 kibytes=$4 code=0 left
    shift 4
    mount -t tmpfs -o size="${kibytes}k" none disk
    if ! cp -r "$old" disk/graph.mill 2>/dev/null; then
        umount disk
        return
    fi
    "$MILLRACE" "$@" --quiet >stdout 2>stderr || code=$?
    left=$(ls -A disk)
    [ "$left" = graph.mill ] || fail "$name, $kibytes KiB: left: $left"
    case $code in
    0)
        n_fit=$((n_fit + 1))
        same disk/graph.mill "$expected" "$name, $kibytes KiB"
        ;;
    5)
        n_full=$((n_full + 1))
        same disk/graph.mill "$old" "$name, $kibytes KiB: the old store"
        grep -q '^millrace: ' stderr || fail "$name, $kibytes KiB: says nothing"
        ;;
    *) fail "$name, $kibytes KiB: exit code $code: $(cat stderr)" ;;
    esac
    umount disk
}

# Out of core: with little memory the spool, the partition and the store are on the disk, one after
# the other.
must generate kron --scale 9 --random-seed 2 -o old.mill --quiet
must generate kron --scale 17 --edge-factor 12 --random-seed 1 -o kron.txt --quiet
sum=$(cksum kron.txt)
must build kron.txt -o new.mill --quiet --memory 40M --threads 2
must generate kron --scale 17 --edge-factor 12 --random-seed 1 -o kron.mill --quiet
must transpose kron.mill -o transposed.mill --quiet

awk 'NR % 4 > 0' kron.txt >most.txt
awk 'NR % 4 == 0 || NR % 10 == 0' kron.txt >rest.txt
must build most.txt -o most.mill --quiet
cp -r most.mill appended.mill
must append appended.mill rest.txt --quiet

for ((kibytes = 100; kibytes < 26000; kibytes = kibytes * 8 / 5)); do
    # The size of a pipe is unknown, so the disk becomes full in the course of the build.
    full build new.mill $kibytes build - --memory 40M --threads 2 <kron.txt
    full generate kron.mill $kibytes generate kron --scale 17 --edge-factor 12 --random-seed 1 --memory 40M
    full transpose transposed.mill $kibytes transpose kron.mill --memory 40M
    change append most.mill appended.mill $kibytes append disk/graph.mill rest.txt --memory 40M
done
change append most.mill appended.mill 200000 append disk/graph.mill rest.txt --memory 40M
full build new.mill 200000 build kron.txt --memory 40M --threads 2
full transpose transposed.mill 200000 transpose kron.mill --memory 40M

# A build that is known to be too large is refused before it reads.
full build new.mill 8000 build kron.txt --memory 36M --threads 2
grep -q 'needs about [0-9.]* [kMG]*B of temporary disk for [0-9]* links' stderr || fail "$(cat stderr)"

# Names that do not fit are known before the links are read.
must generate crawl --pages 40000 --urls -o urls.mill --quiet
full transpose urls.mill 180 transpose urls.mill --memory 40M
grep -q 'needs [0-9.]* [kM]*B or more for the names of the pages alone, and [0-9.]* [kM]*B is free' stderr || fail "$(cat stderr)"
change append urls.mill urls.mill 560 append disk/graph.mill rest.txt --memory 40M
grep -q 'for the names of the pages alone' stderr || fail "$(cat stderr)"

# A separate temporary directory fills up in the same way.
mount -t tmpfs -o size=4096k none disk
code=0
"$MILLRACE" build - <kron.txt -o other.mill --memory 40M --tmp disk --quiet 2>stderr || code=$?
[ $code = 5 ] || fail "a full --tmp: exit code $code: $(cat stderr)"
[ -z "$(ls -A disk)" ] || fail "a full --tmp: left: $(ls -A disk)"
[ ! -e other.mill ] || fail "a full --tmp: there is a store"
ls -d other.mill* 2>/dev/null && fail "a full --tmp: something is left"
umount disk

# Scores: refused before the ranking if they surely do not fit; else the last write fails, and they
# stand in --tmp, from where pagerank goes on.
mkdir rescue
must pagerank kron.mill -o whole.npy --quiet
mount -t tmpfs -o size=300k none disk
code=0
"$MILLRACE" pagerank kron.mill -o disk/scores.npy --quiet 2>stderr || code=$?
[ $code = 5 ] && grep -q 'the scores take .* or more, and the disk has room for' stderr ||
    fail "scores without room: exit code $code: $(cat stderr)"
for to in u32 npy edges mtx; do
    code=0
    "$MILLRACE" export kron.mill --to $to -o disk/links --quiet 2>stderr || code=$?
    [ $code = 5 ] && grep -q 'the links take .* or more, and the disk has room for' stderr ||
        fail "an export without room: exit code $code: $(cat stderr)"
done
umount disk
# Lines of names count with all their bytes, and so does a file of names alone; what fits is not refused.
"$MILLRACE" pagerank urls.mill -o named.tsv --names names.txt --quiet
lines=$(stat -c %s named.tsv) names=$(stat -c %s names.txt)
for kib in $((names / 1024 - 8)) $((lines / 1024 + 64)); do
    mount -t tmpfs -o size="${kib}k" none disk
    code=0
    "$MILLRACE" pagerank urls.mill -o disk/scores.tsv --quiet 2>stderr || code=$?
    if [ "$kib" -gt $((names / 1024)) ]; then
        cmp disk/scores.tsv named.tsv || fail "scores that fit: exit code $code: $(cat stderr)"
    else
        [ $code = 5 ] && grep -q 'the scores take .* or more, and the disk has room for' stderr ||
            fail "lines without room: exit code $code: $(cat stderr)"
        code=0
        "$MILLRACE" pagerank urls.mill -o named.npy --names disk/names --quiet 2>stderr || code=$?
        [ $code = 5 ] && grep -q 'the names take .* or more, and the disk has room for' stderr ||
            fail "names without room: exit code $code: $(cat stderr)"
        [ ! -e named.npy ] || fail "scores without their names"
    fi
    umount disk
done
mount -t tmpfs -o size=1500k none disk
code=0
"$MILLRACE" pagerank kron.mill -o disk/scores.tsv --tmp rescue --quiet 2>stderr || code=$?
[ $code = 5 ] && [ -z "$(ls -A disk)" ] || fail "a full disk for scores: exit code $code: $(cat stderr; ls -A disk)"
saved=$(sed -n 's/.*the scores are in \(.*\.npy\), in the order of the names$/\1/p' stderr)
cmp "$saved" whole.npy || fail "the scores are not saved: $(cat stderr)"
must pagerank kron.mill --start "$saved" -o again.tsv --quiet
umount disk

[ "$sum" = "$(cksum kron.txt)" ] || fail "the input has changed"
"$MILLRACE" check --full --quiet kron.mill || fail "the input store has changed"
[ $n_full -gt 12 ] || fail "only $n_full disks were full"
[ $n_fit -gt 2 ] || fail "only $n_fit fitted"
finish "$n_full disks were full, $n_fit had room"
