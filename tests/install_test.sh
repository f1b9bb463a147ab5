#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The installed files can be used from C and C++. Every header compiles alone. A program that uses
# only the flags of pkg-config links with either library and runs, also after the tree was moved.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$MILLRACE_BUILD_DIR" --prefix "$work/configured" >"$work/log"
mv "$work/configured" "$work/moved"
prefix=$work/moved

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name millrace.pc)")
libdir=$(dirname "$PKG_CONFIG_PATH")
read -ra cflags <<<"$(pkg-config --cflags millrace)"
read -ra libs <<<"$(pkg-config --libs millrace)"
read -ra static_libs <<<"$(pkg-config --static --libs millrace)"
version=$(pkg-config --modversion millrace)
c=("${CC:-cc}" -std=c17 -Wall -Wextra -Wpedantic -Werror)
cxx=("${CXX:-g++}" -x c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror)
command -v "${cxx[0]}" >/dev/null || { echo "no ${cxx[0]}; ./dev deps test installs it" >&2; exit 1; }

# Only the public headers are installed, and each compiles alone.
[ "$(find "$prefix/include" -type f | LC_ALL=C sort)" = \
    "$({ ls "$MILLRACE_SOURCE_DIR"/include/millrace/*.h; echo /version.h; } |
        sed "s|.*/|$prefix/include/millrace/|" | LC_ALL=C sort)" ] || {
    echo "the installed headers are not those of include/millrace" >&2
    find "$prefix/include" -type f >&2
    exit 1
}
for header in "$prefix"/include/millrace/*.h; do
    printf "#include <millrace/%s>\nextern int unit;\n" "${header##*/}" >"$work/one.c"
    "${c[@]}" "${cflags[@]}" -fsyntax-only "$work/one.c"
    "${cxx[@]}" "${cflags[@]}" -fsyntax-only "$work/one.c"
done

# use NAME SOURCE COMPILER...: builds SOURCE with the shared library and with the static one, and
# runs both.
use() {
    local name=$1 source=$2
    shift 2
    "$@" "${cflags[@]}" "$source" -o "$work/$name" "${libs[@]}" -lm
    mkdir "$work/$name.d"
    (cd "$work/$name.d" && LD_LIBRARY_PATH=$libdir "$work/$name" >../"$name.out")
    # -x c++ is meant for sources only, so archives come after -x none.
    "$@" "${cflags[@]}" "$source" -o "$work/$name-static" -x none \
        "${static_libs[@]/#-lmillrace/-l:libmillrace.a}" -lm
    mkdir "$work/$name-static.d"
    (cd "$work/$name-static.d" && "$work/$name-static" >../"$name-static.out")
    cmp "$work/$name.out" "$work/$name-static.out"
}
use in_c "$MILLRACE_SOURCE_DIR/tests/install/consumer.c" "${c[@]}"
# The program of docs/c.md.
sed -n '/^```c$/,/^```$/{/^```/d;p}' "$MILLRACE_SOURCE_DIR/docs/c.md" >"$work/best.c"
"${c[@]}" "${cflags[@]}" "$work/best.c" -o "$work/best" "${libs[@]}"
printf 'a b\nb a\nc b\n' >"$work/links.txt"
(cd "$work" && LD_LIBRARY_PATH=$libdir ./best links.txt >best.out 2>best.err)
[ "$(cut -f 1 "$work/best.out" | tr '\n' ' ')" = "b a c " ] # b = 0.1/3 + 0.9 a + 0.9 c, a = 0.1/3 + 0.9 b, c = 0.1/3
awk -F '\t' '{ s[$1] = $2 } END { exit !((s["a"] - 0.1 / 3 - 0.9 * s["b"]) ^ 2 < 1e-20 && (s["c"] - 0.1 / 3) ^ 2 < 1e-20) }' \
    "$work/best.out"
grep -qE '^the errors of all scores add up to [0-9]e-[0-9]+ at most$' "$work/best.err"
! (cd "$work" && LD_LIBRARY_PATH=$libdir ./best nowhere.txt 2>best.err)
grep -qx 'best: nowhere.txt: does not exist; check the name' "$work/best.err"
use in_cxx "$MILLRACE_SOURCE_DIR/tests/install/consumer.c" "${cxx[@]}"
cmp "$work/in_c.out" "$work/in_cxx.out"
# A program without any shared library, if the archives are installed. -static takes libmillrace.a.
if [[ " ${static_libs[*]} " == *" -lunistring "* ]]; then
    "${c[@]}" "${cflags[@]}" "$MILLRACE_SOURCE_DIR/tests/install/consumer.c" -o "$work/whole" -static "${static_libs[@]}" \
        2>"$work/log" || { cat "$work/log" >&2; exit 1; }
    mkdir "$work/whole.d"
    (cd "$work/whole.d" && "$work/whole" >../whole.out)
    cmp "$work/whole.out" "$work/in_c.out"
fi
[ "$(head -n 1 "$work/in_c.out")" = "$version" ]

# The CMake package gives the same program, in C and C++, with the shared library and with the archive, also
# after the tree was moved. tests/examples_test.sh runs the examples.
mkdir "$work/project"
cp "$MILLRACE_SOURCE_DIR"/examples/c/*.c "$MILLRACE_SOURCE_DIR/tests/install/consumer.c" "$work/project"
cp "$MILLRACE_SOURCE_DIR/tests/install/examples.cmake" "$work/project/CMakeLists.txt"
cmake -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$prefix" -DSOURCES="$work/project" \
    -DMILLRACE_WANTED="${version%.*}" >"$work/log" 2>&1 &&
    cmake --build "$work/project/build" >>"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
for program in consumer-{c,cxx}-{millrace,static}; do
    mkdir "$work/project/$program.d"
    (cd "$work/project/$program.d" && ../build/$program >../$program.out)
    cmp "$work/project/$program.out" "$work/in_c.out"
done
bash "$MILLRACE_SOURCE_DIR/tests/examples_test.sh" "$work/project/build" find_package

[ -x "$prefix/bin/millrace" ]
for page in $("$prefix/bin/millrace" help --man); do
    [ -s "$prefix/share/man/man${page##*.}/$page" ] || { echo "no $page installed" >&2; exit 1; }
done
cmp "$prefix/share/man/man${page##*.}/$page" <("$prefix/bin/millrace" help --man "$page")
for file in LICENSE README.md CHANGELOG.md CITATION.cff docs/crawl.md docs/commands.md examples/c/arrays_to_ranks.c; do
    [ -s "$prefix/share/doc/millrace/$file" ] || { echo "no $file installed" >&2; exit 1; }
done
[ ! -e "$prefix/share/doc/millrace/docs/notes" ] || { echo "notes are installed" >&2; exit 1; }
python3 "$MILLRACE_SOURCE_DIR/tests/document_links.py" "$prefix/share/doc/millrace"
grep -qx "version: $version" "$prefix/share/doc/millrace/CITATION.cff"
grep -qF "## $version" "$prefix/share/doc/millrace/CHANGELOG.md"
bash -n "$prefix/share/bash-completion/completions/millrace"
[ -s "$prefix/share/zsh/site-functions/_millrace" ]
[ -s "$prefix/share/fish/vendor_completions.d/millrace.fish" ]
[ "$(readlink "$libdir/libmillrace.so")" = "libmillrace.so.${version%.*}" ]

# Relocations are read-only before main runs, and the program may lie at any address.
for binary in "$prefix/bin/millrace" "$libdir/libmillrace.so"; do
    readelf -lW "$binary" | grep -q GNU_RELRO || { echo "$binary: no RELRO" >&2; exit 1; }
    readelf -dW "$binary" | grep -q 'NOW' || { echo "$binary: no BIND_NOW" >&2; exit 1; }
    readelf -hW "$binary" | grep -q 'Type: *DYN' || { echo "$binary: no PIE" >&2; exit 1; }
done
echo "installed, version $version"
