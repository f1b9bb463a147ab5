#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# release: every file against an independent program, resumption, refusals.
. "$(dirname "$0")/lib.sh"
oracle=$(cd "$(dirname "$0")/../conformance" && pwd)/release_oracle.py

# A graph of 3000 reversed hosts in the layout of Common Crawl, in two parts of each file.
make_graph() {
    python3 - <<'END'
import random, gzip, os
random.seed(5)
names = set()
suffixes = ["com", "org", "uk.co", "de", "com.blogspot", "jp.co", "no.hordaland.os"]
while len(names) < 2994:
    site = random.choice(suffixes) + "." + "".join(random.choice("ab-") for _ in range(6)).strip("-") + "x"
    names.add(site)
    for _ in range(random.randrange(4)):
        names.add(site + "." + random.choice(["www", "blog", "m", "a-b"]))
names |= {"uk.co", "com", "no.hordaland", "com.blogspot", "com.a", "com.a-b"}
names = sorted(names, key=lambda n: n.encode())
n = len(names)
edges = set()
for _ in range(9000):
    u, v = int(random.random() ** 2 * n * 0.3), int(random.random() ** 3 * n)
    if u != v:
        edges.add((u * 7919 % n, v * 104729 % n))
edges |= {(5, v) for v in range(100, 1400)} | {(v, 9) for v in range(100, 1400)}
edges = sorted(e for e in edges if e[0] != e[1])
for part in range(2):
    for kind, lines in (("vertices", [f"{i}\t{x}\n" for i, x in enumerate(names)]),
                        ("edges", [f"{u}\t{v}\n" for u, v in edges])):
        os.makedirs(kind, exist_ok=True)
        half = len(lines) // 2
        with gzip.open(f"{kind}/part-0000{part}.txt.gz", "wt", newline="\n") as f:
            f.writelines(lines[half * part: half if part == 0 else None])
END
}

begin "all files are those of an independent program"
make_graph
run release vertices edges -o out --log2m 5 --threads 2
exits 0
head -1 "$root/stdout" | grep -qx '# host' || fail "$(cat "$root/stdout")"
grep -q '^millrace: stage 1 of 12, build of the input graph: at least' "$root/stderr" ||
    fail "$(cat "$root/stderr")"
for level in host domain; do
    store=out/graph.mill
    [ $level = domain ] && store=out/domain.mill
    "$MILLRACE" pagerank $store -o $level.pr.tsv --quiet
    "$MILLRACE" harmonic $store -o $level.hc.tsv --log2m 5 --quiet
    "$MILLRACE" components $store -o $level.cc.tsv --quiet >components.txt
done
python3 "$oracle" . out >report.txt 2>&1 || fail "$(cat report.txt)"

begin "only the files of edges count for the links that a build expects"
make_graph
gzip -dc vertices/part-*.gz >names.txt
gzip -dc edges/part-*.gz | head -n 1000 >links.txt
run build -o expected.mill --estimate --json names.txt links.txt
exits 0
field_is "$root/stdout" memory_bytes $(((32 << 20) + 12 * 1000))

begin "the same bytes for other threads and memory, and from a store"
make_graph
"$MILLRACE" release vertices edges -o one --log2m 5 --quiet --threads 1 >stdout.one
"$MILLRACE" release vertices edges -o two --log2m 5 --quiet --threads 3 --memory 110M >stdout.two
"$MILLRACE" build vertices/* edges/* -o g.mill --quiet
run release g.mill -o three --log2m 5
exits 0
for file in host-ranks domain-ranks host-outdegrees-indegrees domain-indegree-distrib \
    host-connected-components-distrib domain-outdegrees-indegrees-topin; do
    for other in two three; do
        cmp -s one/$file.txt.gz $other/$file.txt.gz || fail "$other/$file.txt.gz differs"
    done
done
cmp -s stdout.one stdout.two || fail "other statistics"

begin "a release goes on where it stopped, and refuses other inputs"
make_graph
"$MILLRACE" release vertices edges -o out --log2m 5 --quiet >stdout.one
cp out/domain-ranks.txt.gz before.gz
python3 - <<'END'
import json
state = json.load(open("out/release.json"))
for stage in ("domain fold", "domain harmonic", "domain tables"):
    del state["stages"][stage]
json.dump(state, open("out/release.json", "w"))
END
rm -rf out/domain.mill out/domain-ranks.txt.gz
run release vertices edges -o out --log2m 5
exits 0
[ "$(grep -c 'done before' "$root/stderr")" = 9 ] || fail "$(cat "$root/stderr")"
cmp -s before.gz out/domain-ranks.txt.gz || fail "other ranks"
run release vertices edges -o out --log2m 5
[ "$(grep -c 'done before' "$root/stderr")" = 12 ] || fail "$(cat "$root/stderr")"
run release vertices edges -o out --log2m 4
exits 0
[ "$(grep -c 'done before' "$root/stderr")" = 8 ] || fail "$(cat "$root/stderr")"
touch -d '2001-01-01' edges/part-00000.txt.gz
run release vertices edges -o out --log2m 5
exits 2
stderr_is <<'END'
millrace: out/release.json: belongs to a release of other inputs, or the inputs have changed; name another directory, or say --force to begin anew
END

begin "pages come with their hosts and domains"
printf '%s\n' 'http://a.example.com/1 http://b.example.com/2' \
    'http://b.example.com/2 http://c.org/' 'http://c.org/ http://a.example.com/1' >links.txt
"$MILLRACE" build links.txt -o web.mill --quiet
run release web.mill -o out --quiet
exits 0
zcat out/page-ranks.txt.gz | cut -f 3,5 | sort >pages.txt
file_is pages.txt <<'END'
#pr_pos	#page
1	http://a.example.com/1
2	http://b.example.com/2
3	http://c.org/
END
zcat out/host-ranks.txt.gz | cut -f 5,6 | sort >hosts.txt
file_is hosts.txt <<'END'
#host_rev	#n_pages
com.example.a	1
com.example.b	1
org.c	1
END
zcat out/domain-ranks.txt.gz | cut -f 5,6 | sort >domains.txt
file_is domains.txt <<'END'
#host_rev	#n_hosts
com.example	2
org.c	1
END

begin "a store that grows between two stages is refused"
make_graph
"$MILLRACE" build vertices/* edges/* -o g.mill --quiet
zcat vertices/* | awk -F '\t' '{ print $2, "com.a" }' >more.txt
"$MILLRACE" release g.mill -o out --log2m 5 --no-fold >"$root/stdout" 2>"$root/stderr" &
until [ -e out/host-pagerank.npy ] || ! kill -0 $! 2>/dev/null; do :; done
kill -STOP $! # the other stages take a few hundredths of a second
"$MILLRACE" append g.mill more.txt --columns source-target --quiet
kill -CONT $!
wait $!
code=$? command_line="release g.mill, which grows"
exits 3
has "$root/stderr" "millrace: g.mill: has changed since the release began, so its tables would be of two graphs; say --force to begin anew"
missing out/_SUCCESS
run release g.mill -o out --log2m 5 --no-fold --force --quiet
exits 0
[ -e out/_SUCCESS ] || fail "no _SUCCESS"

begin "--force: the old files stay until all new ones are complete, and go if there is no new one"
printf '%s\n' 'http://a.example.com/1 http://b.org/2' 'http://b.org/2 http://a.example.com/1' >links.txt
"$MILLRACE" build links.txt -o web.mill --quiet
"$MILLRACE" release web.mill -o out --quiet >/dev/null
echo mine >out/host-notes.txt
find out -type f -exec md5sum {} + | sort >before
"$MILLRACE" generate crawl --pages 9000 --urls -o big.mill --quiet
(ulimit -f 100 && exec "$MILLRACE" release big.mill -o out --log2m 5 --force) >"$root/stdout" 2>"$root/stderr"
code=$? command_line="release --force, files of 100 KiB"
exits 5
find out -type f -exec md5sum {} + | sort | diff before - >"$root/diff" || fail "$(cat "$root/diff")"
run release web.mill -o out --no-fold --force --quiet
exits 2
stderr_is <<'END'
millrace: out/host.stats: is of another release, and this one has no host graph; name another directory, or remove out/host*
END
find out -type f -exec md5sum {} + | sort | diff before - >"$root/diff" || fail "$(cat "$root/diff")"
rm -r out/host[-.]*[a-z] out/domain*
echo mine >out/notes.txt
run release web.mill -o out --no-fold --force --quiet
exits 0
[ "$(ls out)" = "$(printf '%s\n' _SUCCESS notes.txt page-components.tsv.gz page-components.tsv.gz.meta.json \
    page-connected-components-distrib.txt.gz page-degrees.npy page-degrees.npy.meta.json page-harmonic.npy \
    page-harmonic.npy.meta.json page-indegree-distrib.txt.gz page-outdegree-distrib.txt.gz \
    page-outdegrees-indegrees-topin.txt.gz page-outdegrees-indegrees-topout.txt.gz \
    page-outdegrees-indegrees.txt.gz page-pagerank.npy \
    page-pagerank.npy.meta.json page-ranks.txt.gz page.stats release.json)" ] || fail "$(ls out)"
run release web.mill -o out --no-fold --quiet
exits 0

begin "wrong uses are refused"
printf '1 2\n' >numbers.txt
run release numbers.txt
exits 2
stderr_is <<'END'
millrace: release: needs an output directory; say -o DIR, such as -o release
END
"$MILLRACE" build numbers.txt -o n.mill --quiet
run release n.mill -o out
exits 3
stderr_is <<'END'
millrace: n.mill: its pages are called by numbers; ranks need names: give vertices with names, or build the store with --names
END
run release n.mill numbers.txt -o out
exits 2
mkdir full
touch full/file
run release n.mill -o full
exits 2
stderr_is <<'END'
millrace: full: has files, but no release that could go on (release.json); name another directory, or say --force to write into this one
END
run release n.mill -o out --estimate
exits 2

finish
