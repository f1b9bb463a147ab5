#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stores of each kind (tests/golden) are read as when they were made.
# shellcheck source=tests/helpers.sh
. "$(dirname "$0")/helpers.sh"

golden=$sources/tests/golden
n_stores=0
for store in "$golden"/format-*/*.mill; do
    name=${store#"$golden"/} expected=${store%.mill}
    cp -r "$store" copy.mill # the original may be read-only
    must check --full copy.mill --quiet
    must export copy.mill --to edges -o links --force --quiet
    cmp <(sort links) <(sort "$expected.links") || fail "$name: other links"
    must pagerank copy.mill --sort name --quiet >ranks
    awk -F '\t' '{ printf "%s\t%.6f\n", $1, $2 }' ranks | cmp - "$expected.ranks" || fail "$name: other ranks"
    rm -r copy.mill
    n_stores=$((n_stores + 1))
done

# An opic state goes on from where it was.
for state in "$golden"/format-*/state.opic; do
    cp "$state" state.opic
    must opic "$(dirname "$state")/keys.mill" --state state.opic --sweeps 4 -o on.tsv --force --quiet
    must opic "$(dirname "$state")/keys.mill" --sweeps 4 -o anew.tsv --force --quiet
    [ "$(wc -l <on.tsv)" = "$(wc -l <anew.tsv)" ] || fail "$state: other pages"
done

# change AT VALUE: other.mill is a store with this number in its manifest.
change() {
    rm -rf other.mill
    cp -r "$golden/format-4/keys.mill" other.mill
    chmod -R u+w other.mill
    python3 - "$sources/tests/reader" "$@" <<'END'
import struct, sys
sys.path.insert(0, sys.argv[1])
import read_store
with open("other.mill/MANIFEST", "r+b") as file:
    data = bytearray(file.read())
    struct.pack_into("<I", data, int(sys.argv[2]), int(sys.argv[3]))
    struct.pack_into("<Q", data, 504, read_store.xxh3(bytes(data[:504])))
    file.seek(0)
    file.write(data)
END
}

# Versions that this program does not know.
for version in 1 3 99; do
    change 8 $version
    code=0
    "$MILLRACE" pagerank other.mill --quiet >stdout 2>stderr || code=$?
    [ $code = 3 ] || fail "version $version: exit code $code: $(cat stderr)"
    [ ! -s stdout ] || fail "version $version is ranked"
    grep -q "has format version $version, this program reads 4 to 6; build the store again" stderr ||
        fail "version $version: $(cat stderr)"
done

finish "$n_stores stores"
