# SPDX-License-Identifier: Apache-2.0
"""Compares what `compare --changes` calls proven, and the ranks of `pagerank --what-if`, with exact rankings: the linear
system of each graph, solved densely.

    changes.py MILLRACE [PAIRS]

200 random pairs of graphs, with pages that come and go, loose and tight tolerances, both scales, with the score of pages
without links lost or not. Each change must have its sign in the exact solutions, and the exact ranks must be in their
ranges; no change that is clearly larger than the bounds may be missing. What-if ranks are within their bound, and the
store keeps its bytes.
"""

import json
import math
import pathlib
import random
import subprocess
import sys

PROGRAM = sys.argv[1]
PAIRS = int(sys.argv[2]) if len(sys.argv) > 2 else 200
SLACK = 1e-11  # of the dense solution


def run(*command):
    return subprocess.run([PROGRAM, *command, "-q"], check=True, capture_output=True, text=True, timeout=60).stdout


def solve(matrix, right):
    """Gauss with pivots."""
    rows = [row + [value] for row, value in zip(matrix, right)]
    n = len(rows)
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            if factor:
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - math.fsum(rows[i][k] * x[k] for k in range(i + 1, n))) / rows[i][i]
    return x


def pagerank(links, damping, lost, more=()):
    """{page: exact score} of x = a P^T x + (1 - a) / n; divided by its sum unless `lost`. `more`: pages without links."""
    pages = sorted({page for link in links for page in link} | set(more))
    number = {page: i for i, page in enumerate(pages)}
    out = {}
    for source, target in set(links):
        out.setdefault(source, []).append(target)
    matrix = [[float(i == k) for k in range(len(pages))] for i in range(len(pages))]
    for source, targets in out.items():
        for target in targets:
            matrix[number[target]][number[source]] -= damping / len(targets)
    x = solve(matrix, [(1 - damping) / len(pages)] * len(pages))
    total = 1 if lost else math.fsum(x)
    return {page: value / total for page, value in zip(pages, x)}


def by_host(scores):
    sums = {}
    for page, score in scores.items():
        sums.setdefault(page.split("/")[2], []).append(score)
    return {host: math.fsum(values) for host, values in sums.items()}


def changed(random_, links):
    """The same links but for a few, and with pages that come and go."""
    gone = {page for page in sorted({p for link in links for p in link}) if random_.random() < 0.05}
    kept = [link for link in links if random_.random() > 0.1 and not gone & set(link)]
    return kept + graph(random_, random_.randrange(1, 6), 40)


def graph(random_, n_links, n_pages):
    def page():
        number = int(n_pages * random_.random() ** 2)
        return f"http://h{number % 7}.org/{number}"
    return [(page(), page()) for _ in range(n_links)]


def rank_range(exact, page):
    """Ranks that the page has, if scores closer than the slack are in any order."""
    return (1 + sum(x > exact[page] + SLACK for x in exact.values()),
            sum(x > exact[page] - SLACK for x in exact.values()))


def check(rows, before, after, bounds, proven):
    for row in rows:
        name, kind = row["name"], row["kind"]
        assert (name in before, name in after) == (kind != "new", kind != "gone"), row
        if kind in ("gained", "lost"):
            difference = after[name] - before[name]
            assert (difference > 0) == (kind == "gained"), (row, difference)
        for exact, when in ((before, "before"), (after, "after")):
            if name in exact:
                best, worst = rank_range(exact, name)
                assert row[f"best_{when}"] <= worst and best <= row[f"worst_{when}"], (row, best, worst)
                assert row[f"best_{when}"] <= row[f"rank_{when}"] <= row[f"worst_{when}"], row
    listed = {row["name"]: row for row in rows}
    assert len(listed) == len(rows), "a name is in two rows"
    for name in set(before) | set(after):
        if name not in before or name not in after:
            assert name in listed, name
        elif abs(after[name] - before[name]) > 2 * bounds + 2 * SLACK:  # scores are off by the bounds once more
            assert name in listed, (name, before[name], after[name], bounds)
            proven[0] += 1


def write(name, links):
    with open(name, "w", encoding="ascii") as file:
        file.writelines(f"{source}\t{target}\n" for source, target in links)


def bytes_of(store):
    return {path.name: path.read_bytes() for path in pathlib.Path(store).iterdir()}


def what_if(random_, links, proven):
    """Ranks copies of a store with more and with fewer links."""
    write("links.txt", links)
    run("build", "links.txt", "-o", "g.mill", "--force")
    tolerance = random_.choice(["1e-9", "1e-3"])
    run("pagerank", "g.mill", "-o", "old.tsv", "--force", "--tolerance", tolerance)
    before = bytes_of("g.mill")
    add, drop = graph(random_, random_.randrange(1, 8), 40), random_.sample(links, random_.randrange(1, 8))
    drop += graph(random_, 2, 40)
    write("add.txt", add)
    write("drop.txt", drop)
    options = random_.choice([["--what-if", "add.txt", "--without", "drop.txt"], ["--what-if", "add.txt"],
                              ["--without", "drop.txt"]])
    run("pagerank", "g.mill", *options, "--start", "old.tsv", "-o", "new.tsv", "--force", "--tolerance", tolerance)
    assert bytes_of("g.mill") == before, "the store has changed"
    left = set(links) - set(drop) if "--without" in options else set(links)
    exact = pagerank(left | set(add) if "--what-if" in options else left, 0.85, False,
                     {page for link in links for page in link})
    with open("new.tsv", encoding="ascii") as file:
        scores = {name: float(score) for name, score in (line.split("\t") for line in file)}
    with open("new.tsv.meta.json", encoding="ascii") as file:
        bound = json.load(file)["error_bound"]
    assert set(scores) == set(exact), (options, set(scores) ^ set(exact))
    error = math.fsum(abs(scores[page] - exact[page]) for page in exact)
    assert error <= bound + SLACK, (options, error, bound)
    found = json.loads(run("compare", "--changes", "old.tsv", "new.tsv", "--json", "--scale", "one", "--top", "1000"))
    check([row for row in found["changes"] if row["of"] == "page"], pagerank(links, 0.85, False), exact,
          found["bound_a"] + found["bound_b"], proven)


def what_if_of_stores(random_):
    """Has the bits of a build of the changed links, whatever the store was built with."""
    def links(n, n_pages, weight):
        return [(random_.randrange(n_pages), random_.randrange(n_pages), *weight) for _ in range(n)]

    for options in ([], ["--format", "edges", "--duplicates", "keep"], ["--undirected"], ["--transpose"],
                    ["--self-loops", "drop"], ["--weights"]):
        weight = (1,) if "--weights" in options else ()
        first, add = links(400, 60, weight), links(20, 70, weight)
        drop = {link[:2] for link in random_.sample(first, 30)}
        reverse = {(target, source) for source, target in drop} if "--undirected" in options else set()
        left = [link for link in first if link[:2] not in drop | reverse]
        for name, rows in (("links.txt", first), ("add.txt", add), ("drop.txt", drop), ("changed.txt", left + add),
                           ("pages.txt", {page[:1] for link in first + add for page in (link, link[1:])})):
            with open(name, "w", encoding="ascii") as file:
                file.writelines("\t".join(map(str, row)) + "\n" for row in rows)
        run("build", "links.txt", "-o", "g.mill", "--force", *options)
        run("build", "changed.txt", "-o", "changed.mill", "--force", "--vertex-list", "pages.txt", *options)
        weights = ["--weights"] if weight else []
        changed = run("pagerank", "g.mill", "--what-if", "add.txt", "--without", "drop.txt", *weights)
        assert changed == run("pagerank", "changed.mill", *weights), options


def main():
    random_ = random.Random(58)
    what_if_of_stores(random_)
    proven = [0]
    for pair in range(PAIRS):
        first = graph(random_, random_.randrange(20, 120), 30)
        exact, scale = [], random_.choice(["pages", "one"])
        for name, links in (("old", first), ("new", changed(random_, first))):
            damping = random_.choice([0.85, 0.85, 0.5])
            lost = random_.random() < 0.25
            write(f"{name}.txt", links)
            run("pagerank", f"{name}.txt", "-o", f"{name}.tsv", "--force", "--damping", str(damping), "--tolerance",
                random_.choice(["1e-5", "1e-3", "0.02"]), "--precision", random_.choice(["single", "double"]), "--dangling", "none" if lost else "teleport",
                "--scale", random_.choice(["one", "pages"]))
            scores = pagerank(links, damping, lost)
            exact.append({page: value * (len(scores) if scale == "pages" else 1) for page, value in scores.items()})
        found = json.loads(run("compare", "--changes", "old.tsv", "new.tsv", "--json", "--scale", scale, "--top", "1000"))
        bounds = found["bound_a"] + found["bound_b"]
        for of, group in (("page", dict), ("host", by_host)):
            rows = [row for row in found["changes"] if row["of"] == of]
            check(rows, group(exact[0]), group(exact[1]), bounds, proven)
            for kind in ("gained", "lost", "new", "gone"):
                assert found[f"{of}s_{kind}"] == sum(row["kind"] == kind for row in rows), (of, kind)
        few = json.loads(run("compare", "--changes", "old.tsv", "new.tsv", "--json", "--scale", scale, "--top", "2"))
        for of in ("page", "host"):
            for kind in ("gained", "lost", "new", "gone"):
                some, all_ = ([(row["of"], row["kind"], row["name"]) for row in of_rows["changes"]
                               if (row["of"], row["kind"]) == (of, kind)] for of_rows in (few, found))
                assert some == all_[:2], (pair, some, all_)
        what_if(random_, first, proven)
    assert proven[0] > 20 * PAIRS, proven
    print(f"{PAIRS} pairs of graphs: {proven[0]} changes proven, all with the exact sign")


main()
