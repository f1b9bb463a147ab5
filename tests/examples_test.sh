#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The examples do what their comments say, in C and C++, whichever way they found the library.
#
#     examples_test.sh                  adds the source tree to a project and links them; CTest runs this, up to the
#                                       linking, for which the library is compiled once more (./dev limits)
#     examples_test.sh DIRECTORY WAY    runs those built in DIRECTORY; tests/install_test.sh runs this
#
# Programs are called NAME-c-millrace, NAME-cxx-millrace and, where there is an archive, NAME-c-static, ...
set -euo pipefail
export LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
built=${1-} way=${2-add_subdirectory}

if [ -z "$built" ]; then
    # Compiled without optimisation: what is tested is the linking.
    mkdir "$work/project"
    cp "$MILLRACE_SOURCE_DIR"/examples/c/*.c "$MILLRACE_SOURCE_DIR/tests/install/consumer.c" "$work/project"
    cp "$MILLRACE_SOURCE_DIR/tests/install/examples.cmake" "$work/project/CMakeLists.txt"
    launcher=()
    ! command -v ccache >/dev/null || launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
    built=$work/project/build
    cmake -S "$work/project" -B "$built" -DMILLRACE_TREE="$MILLRACE_SOURCE_DIR" -DSOURCES="$work/project" \
        -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 "${launcher[@]}" >"$work/log" 2>&1 ||
        { tail -n 40 "$work/log" >&2; exit 1; }
    if [ -z "${MILLRACE_LARGE-}" ]; then
        echo "a project that adds the source tree finds all that it links"
        exit
    fi
    cmake --build "$built" --parallel "$(nproc)" >>"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; exit 1; }
fi

expect() {
    if [ "$1" != "$2" ]; then
        printf '%s: %s\n  expected %s\n' "$program" "$1" "$2" >&2
        exit 1
    fi
}

n=0
cd "$work"
for variant in c-millrace cxx-millrace c-static cxx-static; do
    [ -x "$built/arrays_to_ranks-$variant" ] || continue
    n=$((n + 1))

    # The exact scores of the example's four pages: power iteration by hand, to 12 digits.
    program=arrays_to_ranks-$variant
    ranks=$("$built/$program" "$variant.mill" 2>stderr |
        awk '{ printf "%s%.9f", (NR > 1 ? " " : ""), $2 }')
    expect "$ranks" "$(awk 'BEGIN {
        a = b = c = d = 0.25
        for (i = 0; i < 400; i++) {
            p = 0.0375 + 0.85 * (c + d / 2); q = 0.0375 + 0.85 * a / 2
            r = 0.0375 + 0.85 * (a / 2 + b + d / 2); s = 0.0375
            a = p; b = q; c = r; d = s
        }
        printf "%.9f %.9f %.9f %.9f", a, b, c, d }')"
    expect "$(grep -cE '^the errors of all scores add up to [0-9.e-]+ at most$' stderr)" 1

    # Page 9 has most links; four others share the lower levels in the order of their scores.
    program=file_to_precedence-$variant
    printf '1 9\n2 9\n3 9\n4 9\n9 4\n4 3\n' >links.txt
    expect "$("$built/$program" links.txt "$variant-file.mill" | tr '\n' ' ')" "1 4 2 5 3 3 4 2 9 1 "
    # One file, one store: the program builds the same bytes.
    printf 'http://a.example/ http://b.example/\nhttp://b.example/ http://c.example/1\nhttp://b.example/ http://a.example/\n' >urls.txt
    printf 'source,target,weight\n4,1,0.5\n1,7,2\n7,4,3.25\n7,9,1\n' >weights.csv
    printf '9 7 0.5\n7 3 2\n9 3 1e-3\n' >weights.wel
    for links in links.txt urls.txt weights.csv weights.wel; do
        "$built/$program" $links "$variant-$links.mill" >"$variant-$links.levels"
        "$MILLRACE" build --quiet --force -o program.mill $links
        diff -r "$variant-$links.mill" program.mill || { echo "$program: another store of $links" >&2; exit 1; }
    done
    expect "$("$built/$program" missing.txt other.mill 2>&1 || true)" \
        "file_to_precedence: missing.txt: does not exist; check the name"

    program=store_by_name-$variant
    expect "$("$built/$program" "$variant.mill" http://c.example/ | cut -f 1-3)" "http://c.example/	3	1"
    expect "$("$built/$program" "$variant.mill" http://c.example/ | cut -f 4)" "${ranks:24:11}"
    expect "$("$built/$program" "$variant.mill" nowhere 2>&1 || true)" "store_by_name: no page is called nowhere"
done
[ $n -ge 2 ] || { echo "no programs in $built" >&2; exit 1; }
echo "$n variants of the examples work ($way)"
