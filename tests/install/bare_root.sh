#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the wheel and the Debian packages in a bare root, uses them, and removes them. As root:
#
#     debootstrap --variant=minbase bookworm ROOT
#     tests/install/bare_root.sh ROOT build/wheel/*.whl build/release/*.deb
#
# Checks: the wheel with no other package than numpy; the program, man page, completion, the C examples by
# pkg-config, the Python module and its tests over the installed library; and that
# removal leaves nothing of Millrace behind.
set -euo pipefail
root=$1
shift
rm -rf "$root/tmp/millrace"
mkdir -p "$root/tmp/millrace"
cp "$@" "$root/tmp/millrace"
cp -r bindings CMakeLists.txt include "$root/tmp/millrace"
inside() {
    printf '\n$ %s\n' "$*"
    chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        bash -ec "$*"
}

# Completion needs /dev/fd, and the program /proc.
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
[ -e "$root/dev/fd" ] || ln -s /proc/self/fd "$root/dev/fd"

# minbase leaves documents out (path-exclude), which would hide the man pages.
rm -f "$root"/etc/dpkg/dpkg.cfg.d/docker "$root"/etc/dpkg/dpkg.cfg.d/excludes
inside 'apt-get -qq update && apt-get -qq -y install --no-install-recommends python3-numpy python3-pip >/dev/null 2>&1
    dpkg -l | grep -c -- "-dev " || true'
inside 'cd /tmp/millrace; printf "1 2\n2 3\n3 2\n" >links.txt
    time pip --quiet install --no-index --no-deps --target installed *.whl 2>&1 | grep -v root || true
    ldd installed/millrace/libmillrace.so.* | grep -v /tmp/millrace/installed
    time PYTHONPATH=installed python3 -c "import millrace; print(millrace.pagerank(\"links.txt\").top(3))"'
inside 'apt-get -qq -y install --no-install-recommends man-db bash-completion zstd \
    gcc g++ libc6-dev pkg-config python3-scipy python3-networkx >/dev/null 2>&1; echo prepared'
(cd "$root" && find . -xdev -path ./tmp -prune -o -path ./var/lib/dpkg -prune -o -path ./var/cache -prune -o \
    -path ./proc -prune -o -path ./var/log -prune -o -path ./var/lib/apt -prune -o -print | LC_ALL=C sort) >"$root.before"

inside 'apt-get -qq -y install --no-install-recommends /tmp/millrace/*.deb >/dev/null 2>&1; dpkg -l "*millrace*" | grep ^ii'
inside 'millrace version | head -n 1; ldd /usr/bin/millrace | wc -l'
inside 'man -P cat millrace-pagerank 2>/dev/null | head -n 12'
inside '. /usr/share/bash-completion/completions/millrace; COMP_WORDS=(millrace pagerank --tol); COMP_CWORD=2
    _millrace; echo "--tol completes to ${COMPREPLY[*]}"'
inside 'cd /tmp/millrace; doc=/usr/share/doc/*millrace*/examples; ls -d $doc/*
    millrace crawl-rank $doc/debian-docs/links.txt.zst -o out --columns target-source --quiet; ls out
    for p in arrays_to_ranks file_to_precedence store_by_name; do
        gcc $doc/c/$p.c $(pkg-config --cflags --libs millrace) -o $p
    done
    ./arrays_to_ranks a.mill; ./store_by_name a.mill http://c.example/
    printf "1 2\n2 3\n3 2\n" >links.txt; ./file_to_precedence links.txt f.mill'
inside 'cd /tmp/millrace/bindings/python; PYTHONPATH=. PYTHONDONTWRITEBYTECODE=1 python3 -W ignore -m unittest discover -s tests 2>&1 | tail -n 4'
inside 'apt-get -qq -y purge millrace libmillrace-dev "libmillrace0*" >/dev/null 2>&1; apt-get -qq -y autoremove --purge >/dev/null 2>&1; ldconfig'
(cd "$root" && find . -xdev -path ./tmp -prune -o -path ./var/lib/dpkg -prune -o -path ./var/cache -prune -o \
    -path ./proc -prune -o -path ./var/log -prune -o -path ./var/lib/apt -prune -o -print | LC_ALL=C sort) >"$root.after"
left=$(LC_ALL=C comm -13 "$root.before" "$root.after" | grep -i millrace || true)
if [ -n "$left" ]; then
    printf 'left behind:\n%s\n' "$left"
    exit 1
fi
echo "removal left nothing"
