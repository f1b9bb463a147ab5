# SPDX-License-Identifier: Apache-2.0
"""Compares what `compare --changes` calls proven with exact rankings: the linear system of each graph, solved densely.

    changes.py MILLRACE [PAIRS]

200 random pairs of graphs, with pages that come and go, loose and tight tolerances, both scales, with the score of pages
without links lost or not. Each change must have its sign in the exact solutions, and the exact ranks must be in their
ranges; no change that is clearly larger than the bounds may be missing.
"""

import json
import math
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


def pagerank(links, damping, lost):
    """{page: exact score} of x = a P^T x + (1 - a) / n; divided by its sum unless `lost`."""
    pages = sorted({page for link in links for page in link})
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


def main():
    random_ = random.Random(58)
    proven = [0]
    for pair in range(PAIRS):
        first = graph(random_, random_.randrange(20, 120), 30)
        exact, scale = [], random_.choice(["pages", "one"])
        for name, links in (("old", first), ("new", changed(random_, first))):
            damping = random_.choice([0.85, 0.85, 0.5])
            lost = random_.random() < 0.25
            with open(f"{name}.txt", "w", encoding="ascii") as file:
                file.writelines(f"{source}\t{target}\n" for source, target in links)
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
    assert proven[0] > 20 * PAIRS, proven
    print(f"{PAIRS} pairs of graphs: {proven[0]} changes proven, all with the exact sign")


main()
