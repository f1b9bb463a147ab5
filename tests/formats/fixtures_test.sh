#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Other programs' own files, which are no part of this repository: in and out again, edge by edge
# against readers in Python. Skipped where they are not.
. "$(dirname "$0")/../helpers.sh"

shared=$(cd "${MILLRACE_SHARED:-$sources/../shared}" 2>/dev/null && pwd) || shared=
[ -n "$shared" ] || { echo "no ../shared/formats"; exit 77; }
command -v python3 >/dev/null || { echo "no python3"; exit 77; }

# fixture FORMAT FILE [BACK]: the links of FILE, and again after an export as BACK.
fixture() {
    local file=$shared/$2
    must build --quiet --force -o in.mill "$file"
    must export --quiet --force in.mill --to u32 -o in.u32
    read_graph every "$1" "$file"
    uniq every expected
    read_graph found u32 in.u32
    same found expected "$2"
    if [ -n "${3-}" ]; then
        local out=back.$3
        [ "$3" != bvgraph ] || out=back.graph
        must export --quiet --force in.mill --to "$3" -o $out
        read_graph found "$3" $out
        same found expected "$2, exported as $3"
        must build --quiet --force -o again.mill $out
        must export --quiet --force again.mill -o again.u32
        same again.u32 in.u32 "$2, exported as $3 and imported"
    fi
}

# weights FORMAT FILE KEPT [OPTION...]: the weights of FILE, which has some that can be kept, or none; again
# after an export in every format that has weights.
weights() {
    local file=$shared/$2
    must build --quiet --force -o in.mill "$file" "${@:4}"
    must check --quiet --full in.mill
    read_graph expected --weights "$1" "$file"
    if [ "$3" = none ]; then
        [ ! -s expected ] && [ ! -e in.mill/weights.links.1 ] || fail "$2 has weights"
        return
    fi
    [ -s expected ] && [ -e in.mill/weights.links.1 ] || fail "$2 has no weights"
    for back in wel mtx; do
        must export --quiet --force in.mill --to $back -o back.$back
        read_graph found --weights $back back.$back
        same found expected "weights of $2, exported as $back"
    done
}

formats=formats
fixture bvgraph $formats/bvgraph-tiny/golden5.graph bvgraph
fixture bvgraph $formats/bvgraph-tiny/zom9.graph bvgraph
fixture sg $formats/gapbs-serialized/testGraph_gapbs.sg sg
fixture sg $formats/gapbs-serialized/testGraph_gapbs_sym.sg sg
must export --quiet --force in.mill -o back.sg
cmp -s back.sg $shared/$formats/gapbs-serialized/testGraph_gapbs_sym.sg || fail "an undirected .sg, exported, has other bytes"
fixture sg $formats/gapbs-serialized/monaco_gapbs.sg sg
fixture metis $formats/gapbs/4.graph
fixture metis $formats/gapbs/4w.graph
fixture metis data/metis/jazz.graph
fixture metis data/metis/polblogs.graph
fixture metis data/metis/PGPgiantcompo.graph
for name in A A2 LFAT5 LFAT5_two comments_cover cover cover_structure karate \
    ldbc-cdlp-directed-example ldbc-cdlp-undirected-example ldbc-directed-example \
    ldbc-directed-example-unweighted ldbc-undirected-example ldbc-undirected-example-bool \
    ldbc-wcc-example lp_afiro_structure structure matrix_fp32_structure west0067 west0067_noheader \
    full comments_full full_noheader full_symmetric complex \
    mangled_int16 mangled_int32 mangled_uint16 mangled_uint32 mangled_skew; do # those but for their type
    fixture mtx $formats/matrix-market/$name.mtx mtx
done
fixture mtx $formats/gapbs/4.mtx mtx
fixture mtx $formats/gapbs/4w.mtx mtx

weights wel $formats/gapbs/4.wel whole --vertices 14
weights metis $formats/gapbs/4w.graph whole
weights mtx $formats/gapbs/4w.mtx whole
weights wel $formats/gapbs-serialized/monaco.wel whole --vertices 1590 # some are 0: these are no links
for name in cover comments_cover ldbc-cdlp-directed-example ldbc-cdlp-undirected-example \
    ldbc-directed-example ldbc-directed-example-unweighted ldbc-undirected-example \
    ldbc-undirected-example-bool ldbc-wcc-example full full_noheader full_symmetric; do
    weights mtx $formats/matrix-market/$name.mtx any
done
# Below 0, or pattern.
for name in A A2 LFAT5 west0067 structure mangled_skew karate; do
    weights mtx $formats/matrix-market/$name.mtx none
done

# The same graph in two formats is the same store; ids that do not appear make the difference else.
same_as() {
    must build --quiet --force -o a.mill "$shared/$1" --vertices "$3" --self-loops drop
    must build --quiet --force -o b.mill "$shared/$2" --vertices "$3" --self-loops drop
    must export --force a.mill -o a.u32
    must export --force b.mill -o b.u32
    same a.u32 b.u32 "$1 and $2"
}
same_as $formats/gapbs/4.el $formats/gapbs/4.mtx 14
same_as $formats/gapbs/4.el $formats/gapbs/4.graph 14
same_as $formats/gapbs/4.wel $formats/gapbs/4w.graph 14
same_as $formats/gapbs/4.wel $formats/gapbs/4w.mtx 14
same_as $formats/matrix-market/west0067.mtx $formats/matrix-market/west0067_noheader.mtx 67
same_as $formats/matrix-market/full.mtx $formats/matrix-market/full_noheader.mtx 3

# Files that a reader must refuse, and at which line.
refused() {
    local code=0
    "$MILLRACE" build --quiet --force -o x.mill "$shared/$formats/matrix-market/$1.mtx" \
        2>refusal || code=$?
    [ $code = 3 ] || fail "$1.mtx: exit code $code"
    [ "$(sed "s|.*/||" refusal)" = "$1.mtx:$2" ] || fail "$1.mtx: $(cat refusal)"
}
refused mangled3 '1: "mangled": the header'"'"'s field must be real, integer, complex or pattern'
refused mangled4 '1: "mangled": the header'"'"'s symmetry must be general, symmetric, skew-symmetric or hermitian'
refused mangled5 '1: a pattern matrix cannot be hermitian'
refused mangled7 '5: the entry has no value'
refused mangled8 '4: here must stand the numbers of rows, columns and entries'
refused mangled9 '4: a matrix of 3 rows and 4 columns cannot be symmetric'
refused mangled10 '7: the file ends after 2 of 3 entries'
refused mangled11 '5: "zero": the column must be from 1 to 4'
refused mangled12 '5: the entry has no value'
refused mangled14 '8: entry 2 2 has two values; if they are links to be merged, say --duplicates merge'
refused mangled15 '5: ".959": more than the line should hold'
refused mangled16 '5: ".959": more than the line should hold'
refused mangled_format '1: an array cannot be a pattern; a pattern is of layout coordinate'

# WebGraph's own bytes: the export is what Java wrote, but for the zeros that fill both.
for name in cnr-2000-t cnr-2000; do
    graph=$shared/data/cnr-2000/$name.graph
    must convert --quiet --force "$graph" java.graph
    [ $((($(stat -c %s java.graph) - $(stat -c %s "$graph") + 8) / 8)) = 1 ] || fail "$name: another size"
    cmp -n "$(stat -c %s "$graph")" java.graph "$graph" || fail "$name: not WebGraph's bytes"
done
must build --quiet -o from-graph.mill "$shared/data/cnr-2000/cnr-2000.graph"
must build --quiet -o from-text.mill "$shared/data/cnr-2000/cnr-2000.el.zst" --vertices 325557
same from-graph.mill/links.1 from-text.mill/links.1 "cnr-2000 as BVGraph and as text"
must build --quiet -o old.mill "$shared/data/cnr-2000-java/cnr-2000.graph"
must build --quiet -o old-text.mill "$shared/data/cnr-2000-java/cnr-2000.graph-txt.gz"
same old.mill/links.1 old-text.mill/links.1 "the encoding of 2006 and its text"

finish "other programs' files read and written"
