#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Flips one bit anywhere in a store. `check --full` must find it. `pagerank` must refuse the store
# or give the same bytes as always, because a ranking does not read every file.
# engine/scan/damage_test.c tests the first half more thoroughly; this script tests the program.
# shellcheck source=tests/helpers.sh
. "$(dirname "$0")/helpers.sh"

RANDOM=20
n_flips=36 n_refused=0 n_same=0

# flip FILE: flips one random bit.
flip() {
    local bytes offset byte bit=$((RANDOM % 8))
    bytes=$(stat -c %s "$1")
    offset=$(((RANDOM << 15 | RANDOM) % bytes))
    byte=$(od -An -t u1 -j $offset -N 1 "$1")
    where="bit $bit of byte $offset of ${1#*/}"
    printf '%b' "\\x$(printf %x $((byte ^ 1 << bit)))" |
        dd of="$1" bs=1 seek=$offset conv=notrunc status=none
}

seq 1 6000 | awk '{ print 3 * ($1 % 2003), 3 * (($1 * 7919) % 2503) }' >links.txt
must build -o good.mill links.txt --codec "${1-plain}" --quiet
must pagerank good.mill -o good.tsv --quiet
must check good.mill --full --quiet

files=(good.mill/*)
for ((i = 0; i < n_flips; i++)); do
    rm -rf damaged.mill damaged.tsv
    cp -r good.mill damaged.mill
    flip "damaged.mill/$(basename "${files[i % ${#files[@]}]}")"

    code=0
    "$MILLRACE" check damaged.mill --full >stdout 2>stderr || code=$?
    case $code in
    3 | 4) ;;
    *) fail "check --full: exit code $code with $where flipped: $(cat stderr)" ;;
    esac
    [ ! -s stdout ] || fail "check --full: with $where flipped: $(cat stdout)"

    code=0
    "$MILLRACE" pagerank damaged.mill -o damaged.tsv --quiet >stdout 2>stderr || code=$?
    case $code in
    0)
        same damaged.tsv good.tsv "ranked with $where flipped"
        n_same=$((n_same + 1))
        ;;
    3 | 4)
        [ ! -e damaged.tsv ] || fail "scores in spite of exit code $code with $where flipped"
        grep -q '^millrace: damaged\.mill' stderr || fail "$where flipped: $(cat stderr)"
        n_refused=$((n_refused + 1))
        ;;
    *) fail "pagerank: exit code $code with $where flipped: $(cat stderr)" ;;
    esac
done
# The degrees that each class of links alone gives. No ranking of all links reads them.
awk 'BEGIN { for (i = 0; i < 3000; i++)
    print "http://h" i * 7 % 20 ".com/" i % 60, "http://h" i * 11 % 20 ".com/" i * 3 % 60 }' >urls.txt
must build -o classes.mill urls.txt --classes host --codec "${1-plain}" --quiet
must check classes.mill --full --quiet
for ((i = 0; i < n_flips; i++)); do
    rm -rf damaged.mill
    cp -r classes.mill damaged.mill
    flip damaged.mill/degrees.1
    for how in --quiet --full; do
        code=0
        "$MILLRACE" check damaged.mill $how --quiet >stdout 2>stderr || code=$?
        [ $code = 4 ] || fail "check $how: exit code $code with $where flipped"
    done
done
# A wrong in-degree behind a right checksum: page 0 gets one that no link makes.
printf '0 1\n1 2\n2 1\n' >short.txt
must build -o wrong.mill short.txt --codec plain --quiet
if command -v python3 >/dev/null; then
    python3 - "$sources/tests/reader" wrong.mill/degrees.1 <<'END'
import struct
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import read_store
block = bytearray(open(sys.argv[2], "rb").read())
stored_bytes, = struct.unpack_from("<I", block, 24)
assert block[12] == 2 and block[64] == 0
block[64] = 1
block[:8] = struct.pack("<Q", read_store.xxh3(bytes(block[8:stored_bytes])))
open(sys.argv[2], "wb").write(block)
END
    must check wrong.mill --quiet
    for command in "check wrong.mill --full" "salsa wrong.mill"; do
        code=0
        # shellcheck disable=SC2086
        "$MILLRACE" $command --quiet >stdout 2>stderr || code=$?
        [ $code = 4 ] || fail "$command: exit code $code with a wrong in-degree: $(cat stderr)"
        [ ! -s stdout ] || fail "$command: prints in spite of a wrong in-degree"
    done
    cat stderr
fi
finish "$n_flips flips: $n_refused refused, $n_same without effect"
