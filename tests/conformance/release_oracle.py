# SPDX-License-Identifier: Apache-2.0
"""Checks the files of `millrace release` against files made from scratch: the join and the sorting of
cc-webgraph, numbers by the fewest digits, degrees and folding from the edges.

    release_oracle.py DIR RELEASE

DIR has vertices/ and edges/, and {host,domain}.{pr,hc,cc}.tsv: the scores and labels of single runs.
"""
import collections
import glob
import gzip
import struct
import sys

where, release = sys.argv[1], sys.argv[2]
ICANN = {"com", "org", "uk", "uk.co", "de", "jp", "jp.co", "no", "no.hordaland.os"}


def to_float(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def shortest(value, read=float):
    """The fewest digits that read back as the same number."""
    return next(text for digits in range(1, 18) if read(float(text := "%.*g" % (digits, value))) == value)


def lines(path):
    with gzip.open(path, "rt", newline="\n") as f:
        return f.read().split("\n")[:-1]


def scores(path):
    with open(path) as f:
        return {name: float(value) for name, value in (line.rstrip("\n").split("\t") for line in f)}


def check(what, found, expected):
    if found != expected:
        for a, b in zip(found, expected):
            if a != b:
                sys.exit(f"{what}: {a!r} instead of {b!r}")
        sys.exit(f"{what}: {len(found)} lines instead of {len(expected)}")


def positions(names, values):
    order = sorted(range(len(names)), key=lambda i: (-values[i], i))
    place = [0] * len(names)
    for position, i in enumerate(order):
        place[i] = position + 1
    return place


def check_level(level, names, edges, counts):
    n = len(names)
    pagerank, harmonic = scores(f"{where}/{level}.pr.tsv"), scores(f"{where}/{level}.hc.tsv")
    check(f"{level} names", sorted(pagerank), sorted(names))
    hc = [to_float(harmonic[name]) for name in names]
    pr = [pagerank[name] for name in names]
    hc_place, pr_place = positions(names, hc), positions(names, pr)
    title = "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev"
    expected = [title + ("\t#n_hosts" if counts else "")] + [""] * n
    more = [f"\t{counts[name]}" if counts else "" for name in names]
    for i, name in enumerate(names):
        expected[hc_place[i]] = (f"{hc_place[i]}\t{shortest(hc[i], to_float)}\t{pr_place[i]}\t"
                                 f"{shortest(pr[i])}\t{name}{more[i]}")
    check(f"{level} ranks", lines(f"{release}/{level}-ranks.txt.gz"), expected)

    out, into = collections.Counter(u for u, _ in edges), collections.Counter(v for _, v in edges)
    rows = [(out[x], into[x], f"{out[x]}\t{into[x]}\t{x}{more[i]}") for i, x in enumerate(names)]
    prefix = f"{release}/{level}-outdegrees-indegrees"
    check(f"{level} degrees", lines(prefix + ".txt.gz"), [row[2] for row in rows])
    header = "#outdegree\t#indegree\t#host_rev" + ("\t#n_hosts" if counts else "")
    for which, name in ((0, "topout"), (1, "topin")):
        top = sorted((r for r in rows if r[which] > 1000), key=lambda r: (-r[which], r[2]))
        if level == "host":
            assert top, "the graph of the test has no page with more than 1000 links"
        check(f"{level} {name}", lines(f"{prefix}-{name}.txt.gz"), [header] + [r[2] for r in top])
    for which, name in ((0, "outdegree"), (1, "indegree")):
        spread = collections.Counter(row[which] for row in rows)
        check(f"{level} {name}s", lines(f"{release}/{level}-{name}-distrib.txt.gz"),
              ["#arcs\t#nodes"] + [f"{d}\t{spread[d]}" for d in sorted(spread)])

    with open(f"{where}/{level}.cc.tsv") as f:
        weak = collections.Counter(line.split("\t")[1] for line in f)
    sizes = collections.Counter(weak.values())
    check(f"{level} components", lines(f"{release}/{level}-connected-components-distrib.txt.gz"),
          ["#freq\t#size\t#perc"] + ["%d\t%d\t%9.6f%%" % (sizes[s], s, 100 * s * sizes[s] / n)
                                     for s in sorted(sizes, reverse=True)])
    with open(f"{release}/{level}.stats") as f:
        stats = dict(line.rstrip("\n").split("=") for line in f)
    assert int(stats["nodes"]) == n and int(stats["arcs"]) == len(edges), stats
    assert int(stats["dangling"]) == sum(row[0] == 0 for row in rows), stats
    assert int(stats["maxindegree"]) == max(row[1] for row in rows), stats
    assert int(stats["maxwccsize"]) == max(sizes), stats


def domain_of(host):
    labels = host.split(".")
    for i in range(len(labels) - 1, 0, -1):
        if ".".join(labels[:i]) in ICANN:
            return ".".join(labels[: i + 1])
    return host


def main():
    names = {}
    for path in sorted(glob.glob(f"{where}/vertices/*")):
        for line in lines(path):
            number, name = line.split("\t")
            names[int(number)] = name
    edges = [tuple(names[int(x)] for x in line.split("\t"))
             for path in sorted(glob.glob(f"{where}/edges/*")) for line in lines(path)]
    hosts = [names[i] for i in range(len(names))]
    check_level("host", hosts, edges, None)

    # domain_of takes the longest suffix; a host that is a suffix itself is its own domain
    domains = {host: host if host in ICANN else domain_of(host) for host in hosts}
    counts = collections.Counter(domains.values())
    folded = {(domains[u], domains[v]) for u, v in edges if domains[u] != domains[v]}
    check_level("domain", sorted(counts, key=lambda n: n.encode()), sorted(folded), counts)


main()
