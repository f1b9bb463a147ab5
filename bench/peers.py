# SPDX-License-Identifier: Apache-2.0
"""Ranks one graph with Millrace and with other programs, and certifies what each of them found.

    peers.py MILLRACE DIRECTORY SCALE [GAP]

igraph and networkx are those of Debian (python3-igraph, python3-networkx). GAP is a directory with the
programs of the GAP Benchmark Suite; its `pr` writes no ranks, so only its time is in the table. What is
not installed is left out, with a word. Writes DIRECTORY/peers.md and DIRECTORY/peers.svg.
"""

import json
import os
import re
import subprocess
import sys
import time

TOLERANCE = 1e-9
NETWORKX_EDGES = 3_000_000  # networkx holds a graph in dictionaries and needs much memory


def run(*command):
    began = time.monotonic()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: {result.stderr.decode()}")
    return time.monotonic() - began, result.stdout.decode()


def certify(millrace, scores, store):
    """The proven bound on the error of a file of scores."""
    command = [millrace, "certify", scores, "--graph", store, "--json", "--quiet"]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    return json.loads(result.stdout)["error_bound"]


def write_ranks(path, ranks):
    with open(path, "w", encoding="ascii") as file:
        for vertex, rank in enumerate(ranks):
            file.write(f"{vertex}\t{rank:.17g}\n")


def of_millrace(millrace, directory, store):
    scores = f"{directory}/millrace.tsv"
    _, text = run(millrace, "pagerank", store, "--tolerance", str(TOLERANCE), "--json", "--quiet")
    run(millrace, "pagerank", store, "--tolerance", str(TOLERANCE), "-o", scores, "--force", "--quiet")
    return json.loads(text)["seconds"], scores


def of_igraph(edges, directory, n):
    import igraph  # pylint: disable=import-outside-toplevel
    graph = igraph.Graph(n=n, edges=edges, directed=True)
    began = time.monotonic()
    ranks = graph.pagerank(implementation="prpack")
    seconds = time.monotonic() - began
    write_ranks(f"{directory}/igraph.tsv", ranks)
    return seconds, f"{directory}/igraph.tsv"


def of_networkx(edges, directory, n):
    import networkx  # pylint: disable=import-outside-toplevel
    if len(edges) > NETWORKX_EDGES:
        raise ImportError(f"more than {NETWORKX_EDGES} edges")
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges)
    began = time.monotonic()
    ranks = networkx.pagerank(graph, tol=TOLERANCE / n, max_iter=1000)
    seconds = time.monotonic() - began
    write_ranks(f"{directory}/networkx.tsv", [ranks[v] for v in range(n)])
    return seconds, f"{directory}/networkx.tsv"


def of_gap(gap, links):
    _, text = run(f"{gap}/pr", "-f", links, "-n", "3", "-t", str(TOLERANCE), "-i", "1000")
    return float(re.search(r"Average Time: *([0-9.]+)", text).group(1)), None


def chart(rows, path):
    most = max(seconds for _, seconds, _ in rows)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {24 * len(rows) + 10}" role="img" '
             'font-family="system-ui,sans-serif" font-size="13"><title>Seconds of PageRank</title>']
    for i, (name, seconds, _) in enumerate(rows):
        y, width = 24 * i + 6, 380 * seconds / most
        lines.append(f'<text x="120" y="{y + 13}" text-anchor="end">{name}</text><rect x="130" y="{y}" '
                     f'width="{width:.1f}" height="17" fill="#1f6feb"/><text x="{136 + width:.1f}" '
                     f'y="{y + 13}">{seconds:.3g} s</text>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["</svg>\n"]))


def main():
    millrace, directory, scale, gap = (sys.argv[1:] + [""])[:4]
    os.makedirs(directory, exist_ok=True)
    store, links = f"{directory}/kron{scale}.mill", f"{directory}/kron{scale}.el"
    run(millrace, "generate", "kron", "--scale", scale, "--edge-factor", "16", "-o", store, "--force", "--quiet")
    run(millrace, "export", store, "--to", "edges", "-o", links, "--force", "--quiet")
    with open(links, encoding="ascii") as file:
        edges = [tuple(map(int, line.split())) for line in file if line[0] != "#"]
    n = 1 << int(scale)
    rows = []
    candidates = [("Millrace", lambda: of_millrace(millrace, directory, store)),
                  ("igraph", lambda: of_igraph(edges, directory, n)),
                  ("networkx", lambda: of_networkx(edges, directory, n))]
    if gap:
        candidates.append(("GAP", lambda: of_gap(gap, links)))
    for name, rank in candidates:
        try:
            seconds, scores = rank()
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        rows.append((name, seconds, certify(millrace, scores, store) if scores else None))
    table = [f"| kron-{scale}, {len(edges):,} links | seconds | proven error |", "|---|---|---|"]
    for name, seconds, bound in rows:
        table.append(f"| {name} | {seconds:.3g} | {'no ranks' if bound is None else f'{bound:.2g}'} |")
    with open(f"{directory}/peers.md", "w", encoding="utf-8") as file:
        file.write("\n".join(table) + "\n")
    print("\n".join(table))
    chart(rows, f"{directory}/peers.svg")


main()
