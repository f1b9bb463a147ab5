# SPDX-License-Identifier: Apache-2.0
"""Ranks one graph with Millrace and with other programs, and certifies what each of them found.

    peers.py MILLRACE DIRECTORY SCALE [SOURCES...]

igraph, networkx and GraphBLAS are those of Debian (python3-igraph, python3-networkx, libgraphblas-dev). SOURCES are
source trees of other programs, which peers_built.py builds and runs: the GAP Benchmark Suite, GridGraph, GraphChi,
ACGraph. What is not there is left out, with a word. All of them rank the same Kronecker graph of 2^SCALE pages,
without links of a page to itself. Writes DIRECTORY/peers.md and DIRECTORY/peers.svg.
"""

import json
import os
import subprocess
import sys
import time

import numpy

import peers_built
from peers_built import Left, run, write_ranks

TOLERANCE = 1e-9
NETWORKX_EDGES = 3_000_000  # networkx holds a graph in dictionaries and needs much memory


class Graph:
    """One graph in the formats of all programs, in a directory."""

    def __init__(self, millrace, directory, scale):
        self.millrace, self.directory, self.scale = millrace, directory, scale
        self.store, self.pairs_file, self.text, self.sg = (f"{directory}/kron{scale}.{suffix}"
                                                           for suffix in ("mill", "u32", "el", "sg"))
        made = f"{directory}/made.mill"
        self.call("generate", "kron", "--scale", scale, "--edge-factor", "16", "--self-loops", "drop", "-o", made)
        self.call("export", made, "--to", "u32", "-o", self.pairs_file)
        self.pairs = numpy.fromfile(self.pairs_file, "<u4").reshape(-1, 2)
        self.n = int(self.pairs.max()) + 1  # some programs take the largest number that has a link
        self.build_seconds = self.call("build", self.pairs_file, "-o", self.store, "--vertices", str(self.n))
        self.call("export", self.store, "--to", "edges", "-o", self.text)
        self.call("export", self.store, "--to", "sg", "-o", self.sg)

    def path(self, name):
        return f"{self.directory}/{name}"

    def call(self, *command):
        return run(self.millrace, *command, "--force", "--quiet")[0]

    def certify(self, scores):
        """The proven bound on the error of a file of scores."""
        command = [self.millrace, "certify", scores, "--graph", self.store, "--json", "--quiet"]
        result = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        return json.loads(result.stdout)["error_bound"]


class Row:
    def __init__(self, name, prepared, ranked, scores=None, bound=None):
        self.name, self.prepared, self.ranked, self.scores, self.bound = name, prepared, ranked, scores, bound


def of_millrace(graph, *flags):
    scores = graph.path("millrace.tsv")
    graph.call("pagerank", graph.store, "--tolerance", str(TOLERANCE), "-o", scores, *flags)
    with open(scores + ".meta.json", encoding="utf-8") as file:
        seconds = json.load(file)["seconds"]
    return Row("Millrace" + "".join(f" {flag}" for flag in flags), graph.build_seconds, seconds, scores)


def of_igraph(graph):
    import igraph  # pylint: disable=import-outside-toplevel
    began = time.monotonic()
    made = igraph.Graph(n=graph.n, edges=graph.pairs, directed=True)
    ready = time.monotonic()
    ranks = made.pagerank(implementation="prpack")
    ended = time.monotonic()
    return Row("igraph", ready - began, ended - ready, write_ranks(graph.path("igraph.tsv"), ranks))


def of_networkx(graph):
    import networkx  # pylint: disable=import-outside-toplevel
    if len(graph.pairs) > NETWORKX_EDGES:
        raise Left(f"the graph has more than {NETWORKX_EDGES:,} links")
    began = time.monotonic()
    made = networkx.DiGraph()
    made.add_nodes_from(range(graph.n))
    made.add_edges_from(graph.pairs.tolist())
    ready = time.monotonic()
    ranks = networkx.pagerank(made, tol=TOLERANCE / graph.n, max_iter=1000)
    ended = time.monotonic()
    ranks = [ranks[v] for v in range(graph.n)]
    return Row("networkx", ready - began, ended - ready, write_ranks(graph.path("networkx.tsv"), ranks))


def chart(rows, path):
    most = max(row.ranked for row in rows)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {24 * len(rows) + 10}" role="img" '
             'font-family="system-ui,sans-serif" font-size="13"><title>Seconds of PageRank</title>']
    for i, row in enumerate(rows):
        y, width = 24 * i + 6, 380 * row.ranked / most
        lines.append(f'<text x="140" y="{y + 13}" text-anchor="end">{row.name}</text><rect x="150" y="{y}" '
                     f'width="{width:.1f}" height="17" fill="#1f6feb"/><text x="{156 + width:.1f}" '
                     f'y="{y + 13}">{row.ranked:.3g} s</text>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["</svg>\n"]))


def table(graph, rows):
    yield f"| kron-{graph.scale}, {len(graph.pairs):,} links | preparing, s | ranking, s | proven error |"
    yield "|---|---|---|---|"
    for row in rows:
        bound = row.bound if row.bound is not None else graph.certify(row.scores)
        yield f"| {row.name} | {row.prepared:.3g} | {row.ranked:.3g} | {bound:.2g} |"


def main():
    millrace, directory, scale, *sources = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    graph = Graph(os.path.abspath(millrace), os.path.abspath(directory), scale)
    candidates = [("Millrace", of_millrace), ("Millrace --no-pin", lambda graph: of_millrace(graph, "--no-pin")),
                  ("igraph", of_igraph), ("networkx", of_networkx), ("GraphBLAS", peers_built.of_graphblas)]
    candidates += [peers_built.of_source(source) for source in sources]
    rows = []
    for name, rank in candidates:
        try:
            made = rank(graph)
            rows.append(made if isinstance(made, Row) else Row(name, *made))
        except (ImportError, Left) as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    lines = list(table(graph, rows))
    with open(f"{directory}/peers.md", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    print("\n".join(lines))
    chart(rows, f"{directory}/peers.svg")


main()
