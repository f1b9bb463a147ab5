#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the order of the folders, and that nothing depends on itself:
#
#   includes  a file includes headers of its own folder and of lower ones; formats and algorithms
#             never include each other
#   below     the program includes only those headers of the engine, the formats and the algorithms that
#             are listed here with a reason; all else goes through the public headers and library/
#   headers   no circle among headers
#   objects   no circle among object files, and none refers to a folder above its own
#   names     no two files have the same name, and no name is both a struct and a function
#   tidy      no tag twice, no declaration without a caller, no field that nobody sets or reads:
#             tests/tidy.py; tests/tidy_test.sh shows that it finds them
#
# The objects come from the build tree. Tests (x_test.c) may include everything of their layer.
set -euo pipefail
export LC_ALL=C
cd "${MILLRACE_SOURCE_DIR:-$(dirname "$0")/..}"
build=${MILLRACE_BUILD_DIR:-build/test}

# The folders from the lowest to the highest. A folder named x86 or arm is a part of the folder
# above it.
folders="include/millrace
    engine engine/base engine/io engine/store engine/tile engine/writer engine/names engine/scan engine/pass
    engine/builder/edges engine/builder/vertices engine/builder/writer engine/builder
    generators
    formats/stream formats/table formats/url formats/graph formats/graph/webgraph formats/crawl formats/pages formats/score formats/release formats
    algorithms/base algorithms/scores algorithms/components algorithms/harmonic algorithms/pagerank algorithms/hits
    algorithms/opic algorithms/spectral
    library/import library library/rank library/query library/report
    cli/program cli/graph cli/ranking cli/levels cli/release cli/commands cli"

# What the program takes from below library/, and why. The list may only get shorter.
below="
    the budget of memory, clocks, numbers as text
        engine/base/bytes.h engine/base/clock.h engine/base/count_text.h engine/base/memory.h
    files of outputs appear whole, temporary files go away
        engine/io/publish.h engine/io/workspace.h formats/stream/input_paths.h
    transpose, the stores of rankings
        engine/builder/transpose.h
    the least memory and disk of a run, for --estimate, and the figures of passes
        engine/pass/pass.h
    the proof of certify
        algorithms/pagerank/pagerank.h
    files of scores and levels, lists of pages, hosts
        formats/pages/page_list.h formats/release/release_files.h
        formats/score/precedence_file.h formats/score/score_match.h formats/score/scores.h
        formats/score/vertex_weights.h formats/stream/double_text.h formats/url/host.h"

# Known exceptions; these lists are to become empty. Folders with circles among their objects:
circles=""
# Names that are both a struct and a function:
two_things=""

work=$(mktemp -d "${TMPDIR:-/tmp}/layering.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Every C file in a folder.
find . -ignore_readdir_race \( -path './.?*' -o -path './build*' -o -path ./tests -o -path ./bench -o -path ./examples \) -prune -o \
    -name '*.[ch]' -print | sed 's|^\./||' | grep / | sort >"$work/files"
if [ "$(wc -l <"$work/files")" -lt 400 ]; then
    echo "the sources are not where this test looks for them" >&2
    exit 1
fi

# Awk functions: folder_of(PATH), and the ranks of folders.
ranks='
function folder_of(path) {
    sub(/\/[^\/]*$/, "", path)
    sub(/\/(x86|arm)$/, "", path)
    return path
}
function layer_of(path) {
    sub(/\/.*/, "", path)
    return path
}
function is_upward(from, to) {
    return rank[to] > rank[from] ||
        (layer_of(from) == "algorithms" && (layer_of(to) == "formats" || layer_of(to) == "generators"))
}
BEGIN {
    n_folders = split(folders, list)
    for (i = 1; i <= n_folders; i++) {
        rank[list[i]] = i
        highest[layer_of(list[i])] = list[i]
    }
}'

# ---- Folders and includes ----

awk -v folders="$folders" "$ranks"'
    !(folder_of($0) in rank) { print $0 ": the folder is not in the list of tests/layering_test.sh" }
' "$work/files" >"$work/wrong"

# Prints FILE TARGET for every include in quotes.
xargs grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' <"$work/files" |
    sed -E 's/:[^"]*"([^"]*)".*/ \1/; s/ millrace\// include\/millrace\//' >"$work/includes"
awk -v folders="$folders" "$ranks"'
    {
        from = folder_of($1)
        to = folder_of($2)
        if ($1 ~ /_test\.c$/) {
            from = highest[layer_of(from)]
            if (to == "tests/support")
                next
        }
        if (!(to in rank))
            print $1 " includes " $2 ", which lies in none of the folders"
        else if (is_upward(from, to))
            print $1 " includes " $2 ", which is not below it"
    }
' "$work/includes" >>"$work/wrong"

grep '^cli/' "$work/includes" | grep -v '^[^ ]*_test\.c ' |
    grep -oE ' (engine|generators|formats|algorithms)/.*' | tr -d ' ' | sort -u >"$work/taken"
grep -oE '[^ ]*/[^ ]*\.h' <<<"$below" | sort >"$work/listed"
comm -23 "$work/taken" "$work/listed" |
    sed 's/$/: cli takes it, and tests\/layering_test.sh gives no reason/' >>"$work/wrong"
comm -13 "$work/taken" "$work/listed" |
    sed 's/$/: cli does not take it any more; it leaves the list of tests\/layering_test.sh/' >>"$work/wrong"

# An include in angle brackets would escape the check.
xargs grep -HnE '#[[:space:]]*include[[:space:]]*<(\.\./)*(engine|generators|formats|algorithms|library|cli|tests)/' \
    <"$work/files" | sed 's/$/ (our own headers are included in quotes)/' >>"$work/wrong" || true

# Public headers: users must get each one by including millrace.h, directly or through another
# header.
grep '^include/' "$work/files" | grep -v '^include/millrace/millrace\.h$' | while IFS= read -r header; do
    if [[ $header == *internal.h ]] || ! grep -qE "^include/.* $header\$" "$work/includes"; then
        echo "$header: a private header, or forgotten in millrace.h"
    fi
done >>"$work/wrong" || true

# ---- Circles ----

# circle WHAT: reports a circle in the pairs of standard input, each a file and a file that it
# needs.
circle() {
    if ! tsort >/dev/null 2>"$work/circle"; then
        sed -n "s/^tsort: \([^-].*\)/\1: in a circle of $1/p" "$work/circle" >>"$work/wrong"
    fi
}

awk '$1 ~ /\.h$/ { print $1, $2 }' "$work/includes" | circle headers

# Only where the layers are built: tests that run at the same time make and remove files beside them.
find "$build"/{engine,generators,formats,algorithms,library,cli} -path '*/CMakeFiles/millrace_*.dir/*.o' \
    -exec nm -gAP {} + | awk '{ print $1, $2, $3 }' >"$work/symbols"
# Turns a PATH under the build tree into that of its source. Objects without a source do not count.
awk -v folders="$folders" -v build="$build/" -v circles="$circles" "$ranks"'
    BEGIN {
        n_circles = split(circles, list)
        for (i = 1; i <= n_circles; i++)
            is_excused[list[i]] = 1
    }
    FNR == NR { is_source[$1] = 1; next }
    {
        object = substr($1, length(build) + 1)
        sub(/CMakeFiles\/[^\/]*\.dir\//, "", object)
        sub(/\.o:$/, "", object)
        if (!(object in is_source))
            next
        n_objects += !(object in is_object)
        is_object[object] = 1
        if ($3 == "U")
            needs[object " " $2] = 1
        else
            home[$2] = object
    }
    END {
        for (need in needs) {
            split(need, part)
            object = part[1]
            other = home[part[2]]
            if (other == "" || other == object)
                continue
            from = folder_of(object)
            to = folder_of(other)
            if (is_upward(from, to))
                print object " calls " part[2] " of " other ", which is not below it" >wrong
            if (!(from == to && from in is_excused))
                print object, other
        }
        if (n_objects < 200)
            print "only " n_objects + 0 " objects below " build ": build it first" >wrong
    }
' wrong="$work/wrong-objects" "$work/files" wrong="$work/wrong-objects" "$work/symbols" | sort -u | circle objects
cat "$work/wrong-objects" >>"$work/wrong" 2>/dev/null || true

# ---- Threads ----

# OpenMP ends the process if it lacks a thread (engine/base/team.h).
find engine formats generators algorithms library cli -name '*.c' ! -name '*_test.c' -exec awk '
    { line = line $0 }
    /\\$/ { next }
    line ~ /pragma omp parallel/ && line !~ /mr_team_threads\(/ {
        print FILENAME ":" FNR ": the num_threads of a parallel region is not from mr_team_threads"
    }
    { line = "" }
' {} + >>"$work/wrong"

# ---- Names ----

find . -ignore_readdir_race \( -path './.?*' -o -path './build*' -o -path ./include \) -prune -o \
    \( -name '*.[ch]' -o -name '*.cc' -o -name '*.sh' -o -name '*.py' \) ! -name internal.h -print |
    sed 's|.*/||' | sort | uniq -d | sed 's/$/: two files have this name/' >>"$work/wrong"

xargs cat <"$work/files" | awk -v two_things="$two_things" '
    BEGIN {
        n = split(two_things, list)
        for (i = 1; i <= n; i++)
            is_excused[list[i]] = 1
    }
    {
        line = $0
        while (match(line, /(struct|enum|union) mr_[a-z0-9_]+/)) {
            name = substr(line, RSTART, RLENGTH)
            sub(/.* /, "", name)
            is_type[name] = 1
            line = substr(line, 1, RSTART - 1) " " substr(line, RSTART + RLENGTH)
            sub(/ \(/, " ", line)
        }
        while (match(line, /mr_[a-z0-9_]+\(/)) {
            is_function[substr(line, RSTART, RLENGTH - 1)] = 1
            line = substr(line, RSTART + RLENGTH)
        }
    }
    END {
        for (name in is_function)
            if (name in is_type && !(name in is_excused))
                print name " is a struct and a function"
        for (name in is_excused)
            if (!(name in is_function && name in is_type))
                print name " is one thing only: it leaves the list of tests/layering_test.sh"
    }
' >>"$work/wrong"

python3 tests/tidy.py >>"$work/wrong"

sort -u "$work/wrong" >&2
[ ! -s "$work/wrong" ]
