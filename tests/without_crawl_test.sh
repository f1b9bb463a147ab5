#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A build with -DMILLRACE_CRAWL=OFF needs none of the libraries that names and crawls need. It ranks numbered graphs,
# and it refuses the rest by name.
#
#     without_crawl_test.sh [PROGRAM]   CTest configures the build, `./dev limits` builds it and runs it; the rest
#                                       can be tried with a PROGRAM of such a build
set -euo pipefail
export LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

# A pkg-config that knows none of these libraries, and a CMake that finds no bzip2.
config=$(command -v pkg-config)
mkdir bin
cat >bin/pkg-config <<END
#!/bin/sh
case "\$*" in *idn2*|*psl*|*brotli*) exit 1 ;; esac
exec $config "\$@"
END
chmod +x bin/pkg-config
launcher=()
! command -v ccache >/dev/null || launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
configure() {
    cmake -S "$MILLRACE_SOURCE_DIR" -B "$1" -DPKG_CONFIG_EXECUTABLE="$work/bin/pkg-config" \
        -DCMAKE_DISABLE_FIND_PACKAGE_BZip2=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 \
        ${launcher[@]+"${launcher[@]}"} "${@:2}" >log 2>&1
}
! bin/pkg-config --exists libidn2 || fail "this pkg-config knows a library of crawls"
configure without -DMILLRACE_CRAWL=OFF || fail "$(tail -n 20 log)"
few=${1-}
if [ -z "$few" ] && [ -z "${MILLRACE_LARGE-}" ]; then
    echo "a build without crawls configures without their libraries"
    exit
fi
if [ -z "$few" ]; then
    cmake --build without --target millrace_cli --parallel "$(nproc)" >>log 2>&1 || fail "$(tail -n 20 log)"
    few=$work/without/cli/millrace
fi
! readelf -d "$few" | grep -E 'NEEDED.*(idn2|psl|brotli|bz2)' || fail "it needs a library of crawls"

# The stores and scores of numbered graphs are the same bytes.
printf '10 20\n20 30\n30 10\n10 30\n' >numbers.txt
printf '%%%%MatrixMarket matrix coordinate pattern general\n4 4 3\n1 2\n2 3\n3 1\n' >dense.mtx
for input in numbers.txt dense.mtx; do
    for program in "$few" "$MILLRACE"; do
        "$program" build "$input" -o graph.mill --force --quiet
        "$program" pagerank graph.mill -o "ranks-${program##*/}.tsv" --force --quiet
        mv graph.mill "graph-${program##*/}.mill"
    done
    diff -r "graph-${few##*/}.mill" "graph-${MILLRACE##*/}.mill"
    cmp "ranks-${few##*/}.tsv" "ranks-${MILLRACE##*/}.tsv"
    rm -r graph-*.mill
done
"$few" build numbers.txt -o graph.mill --quiet
for command in "hits graph.mill" "ppr graph.mill --seed 10" "opic graph.mill --json" "show graph.mill 10" "check graph.mill"; do
    # shellcheck disable=SC2086
    "$few" $command >/dev/null 2>stderr || fail "$command: $(cat stderr)"
done

# What is missing is refused by name, with the way out.
printf 'a b\nb c\n' >names.txt
printf 'http://h%s.example/ http://münchen.example/\n' 1 2 >urls.txt
printf '%s\n' '{"url": "http://a.example/", "links": ["http://b.example/"]}' >items.jl
printf 'source,target\na,b\n' >table.csv
printf 'WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n' >crawl.warc
printf 'WARC/1.0\r\nWARC-Type: metadata\r\nContent-Type: application/json\r\n\r\n' >crawl.wat
printf 'filedesc://x.arc 0.0.0.0 20260101000000 text/plain 0\n' >crawl.arc
printf 'SEQ\006\031org.apache.hadoop.io.Text' >data
"$MILLRACE" build names.txt -o named.mill --quiet
while IFS='|' read -r message command; do
    code=0
    # shellcheck disable=SC2086
    "$few" $command >stdout 2>stderr || code=$?
    [ "$code" = 2 ] || fail "$command: exit code $code: $(cat stderr)"
    grep -qF "$message" stderr || fail "$command: no '$message' in: $(cat stderr)"
    grep -qF -- "build it with -DMILLRACE_CRAWL=ON" stderr || fail "$command: no way out: $(cat stderr)"
    [ ! -e x.mill ] && [ ! -s stdout ] || fail "$command: made something"
done <<'END'
the pages have names|build names.txt -o x.mill
the pages have names|build urls.txt -o x.mill
the pages have names|build items.jl -o x.mill
the pages have names|build table.csv -o x.mill
the pages have names|pagerank names.txt
the pages have names|pagerank named.mill
the pages have names|find named.mill a
a WARC file|build crawl.warc -o x.mill
a WAT file|build crawl.wat -o x.mill
an ARC file|build crawl.arc -o x.mill
a SequenceFile of Nutch|build data -o x.mill
a SequenceFile of Nutch|pagerank graph.mill --fetched data --next 1
a WARC file|build numbers.txt --format warc -o x.mill
END
echo "a build without crawls ranks numbered graphs and refuses the rest"
