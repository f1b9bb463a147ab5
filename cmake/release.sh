#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the files of a release, for the system that it runs on: ./dev release [DIRECTORY]
#
#     millrace-VERSION.tar.gz                         the sources, which pip takes as well
#     millrace-VERSION-py3-none-PLATFORM.whl          the module for Python
#     NAME_VERSION-1~SYSTEM_ARCHITECTURE.deb          the program, the library, what compiling needs
#     millrace-VERSION-linux-MACHINE-static.tar.gz    the program for any Linux, man pages, completions
#     millrace-VERSION.spdx                           what is inside (SPDX 2.3)
#     SHA256SUMS
#
# All is built from the unpacked sources, once: the three kinds of binaries are links of the same objects. Times are
# those of the last commit (SOURCE_DATE_EPOCH), so that the same system makes the same bytes.
set -euo pipefail
export LC_ALL=C TZ=UTC
umask 022
root=$PWD
out=$(realpath -m "${1-build/dist}")
version=$(sed -n 's/^project(millrace VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
maintainer=$(sed -n 's/^set(MILLRACE_MAINTAINER "\(.*\)".*/\1/p' CMakeLists.txt)
homepage=$(sed -n 's/^ *HOMEPAGE_URL "\(.*\)".*/\1/p' CMakeLists.txt)
name=millrace-$version
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CMakeLists.txt)}

say() {
    printf 'dev: %s\n' "$*" >&2
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || rm -rf "$out"
mkdir -p "$out"
[ -z "$(ls -A "$out")" ] || { say "$out has files already; name a new or empty folder"; exit 1; }

# --- the sources, and the objects -------------------------------------------------------------------

PYTHONDONTWRITEBYTECODE=1 python3 -c "
import sys
sys.path.insert(0, 'bindings/python')
import backend
backend.build_sdist(sys.argv[1])" "$out"
tar -C "$work" -xzf "$out/$name.tar.gz"
tree=$work/tree
cd "$work/$name"
# No name of a folder of this machine gets into what is built.
export CFLAGS="${CFLAGS-} -ffile-prefix-map=$work="
say "building $name"
PYTHONDONTWRITEBYTECODE=1 python3 bindings/python/backend.py "$work" >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; exit 1; }
cp "$work"/*.whl "$out"

# --- Debian packages --------------------------------------------------------------------------------

# The system of the packages: debian12, ubuntu24.04.
# shellcheck source=/dev/null
system=$(. /etc/os-release && echo "$ID$VERSION_ID")
relink() {
    cmake -S . -B "$tree" --log-level=WARNING "$@" >>"$work/log"
    cmake --build "$tree" --parallel "$(nproc)" --target "${target-all}" >>"$work/log" ||
        { tail -n 30 "$work/log" >&2; exit 1; }
}
say "packing for $system"
relink "-DCPACK_DEBIAN_PACKAGE_RELEASE=1~$system"
(cd "$tree" && cpack -B "$work/cpack" >>"$work/log" 2>&1) || { tail -n 30 "$work/log" >&2; exit 1; }
cp "$work"/cpack/*.deb "$out"
for package in "$out"/*.deb; do # a field that dpkg cannot read would fail at the install
    dpkg-deb -f "$package" Package Depends >>"$work/log"
done

# --- the static program -----------------------------------------------------------------------------

say "linking the static program"
echo "set(CMAKE_FIND_LIBRARY_SUFFIXES .a)" >"$work/static.cmake"
target=millrace_manual relink -U 'pkgcfg_lib_*' -U '__pkg_config_checked_*' -U 'BZIP2_LIB*' \
    "-DOpenMP_gomp_LIBRARY=$(gcc -print-file-name=libgomp.a)" \
    "-DOpenMP_pthread_LIBRARY=$(gcc -print-file-name=libpthread.a)" \
    "-DCMAKE_PROJECT_millrace_INCLUDE=$work/static.cmake" \
    "-DCMAKE_C_STANDARD_LIBRARIES=-lidn2 -lunistring -lbrotlicommon -static-pie"
static=$name-linux-$(uname -m)-static
cmake --install "$tree" --component program --prefix "$work/$static" --strip >>"$work/log"
needed=$(readelf -d "$work/$static/bin/millrace" | sed -n '/NEEDED/p')
[ -z "$needed" ] || { say "the static program needs shared libraries: $needed"; exit 1; }
find "$work/$static" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -cf "$work/$static.tar" "$static"
gzip -9n <"$work/$static.tar" >"$out/$static.tar.gz"

# --- what is inside ---------------------------------------------------------------------------------

# The libraries in the wheel and in the static program, by the packages that they come from.
bill() {
    local package field
    printf 'SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0\nSPDXID: SPDXRef-DOCUMENT\nDocumentName: %s\n' "$name"
    printf 'DocumentNamespace: %s\n' "${homepage:-urn:millrace}#$name-$system-$(uname -m)"
    printf 'Creator: Tool: dev release\nCreated: %s\n' "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)"
    printf '\nPackageName: millrace\nSPDXID: SPDXRef-millrace\nPackageVersion: %s\n' "$version"
    printf 'PackageSupplier: Organization: %s\nPackageDownloadLocation: %s\nFilesAnalyzed: false\n' \
        "${maintainer%% <*}" "${homepage:-NOASSERTION}"
    printf 'PackageLicenseConcluded: Apache-2.0\nPackageLicenseDeclared: Apache-2.0\nPackageCopyrightText: NOASSERTION\n'
    printf 'Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-millrace\n'
    for package in $(./dev deps --list release | tr ' ' '\n' | grep '^lib.*-dev$' | grep -v libc6-dev | sort) libgomp1 libc6; do
        field=$(dpkg-query -W -f='${source:Package} ${source:Version}' "$package" 2>/dev/null) || continue
        [ -n "${field% *}" ] || continue
        printf '\nPackageName: %s\nSPDXID: SPDXRef-%s\nPackageVersion: %s\n' "${field% *}" "${package//[^a-zA-Z0-9.-]/-}" "${field#* }"
        printf 'PackageSupplier: Organization: %s\nPackageDownloadLocation: NOASSERTION\nFilesAnalyzed: false\n' "$system"
        printf 'PackageLicenseConcluded: NOASSERTION\nPackageLicenseDeclared: NOASSERTION\nPackageCopyrightText: NOASSERTION\n'
        printf 'ExternalRef: PACKAGE-MANAGER purl pkg:deb/%s/%s@%s?arch=source\n' "${system%%[0-9]*}" "${field% *}" "${field#* }"
        printf 'Relationship: SPDXRef-millrace CONTAINS SPDXRef-%s\n' "${package//[^a-zA-Z0-9.-]/-}"
    done
}
bill >"$out/$name.spdx"

cd "$out"
sha256sum ./* | sed 's|\./||' >"$work/SHA256SUMS"
cp "$work/SHA256SUMS" .
cd "$root"
case $maintainer in *@localhost*) say "nobody maintains this release: set MILLRACE_MAINTAINER and HOMEPAGE_URL in CMakeLists.txt before it is published" ;; esac
(cd "$out" && ls -l --time-style=+%F) >&2
say "the files of the release are in $out"
