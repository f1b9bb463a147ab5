#!/usr/bin/env bash
# A flipped bit anywhere in a store: `check --full` finds it, and `pagerank` either refuses or gives the
# bytes it always gives (a ranking does not read every file). engine/scan/damage_test.c has the thorough
# version of the first half; this one asks the program.
# shellcheck source=tests/helpers.sh
. "$(dirname "$0")/helpers.sh"

RANDOM=20
n_flips=100 n_refused=0 n_same=0

# flip FILE: one bit, at random.
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
finish "$n_flips flips: $n_refused refused, $n_same without effect"
