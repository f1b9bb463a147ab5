# SPDX-License-Identifier: Apache-2.0
"""Ranks one graph with Millrace and with other programs, and certifies what each of them found.

    peers.py MILLRACE DIRECTORY GRAPH [SOURCES...]

GRAPH is a file of links in any format that Millrace reads, or the scale S of a Kronecker graph of 2^S pages without
links of a page to itself. igraph, networkx, graph-tool and GraphBLAS are those of Debian (python3-igraph,
python3-networkx, python3-graph-tool, libgraphblas-dev), networkit and GraphX (pyspark) those of pip, webgraph and
webgraph-rank those of cargo. SOURCES are source trees of other programs, which peers_built.py builds and runs: the GAP
Benchmark Suite, GridGraph, GraphChi, ACGraph. The script names on stderr what is not installed, and leaves it out. A second table
compares HITS. Each program ranks three times, all in turn, and the table has the median. Writes DIRECTORY/peers.md and
DIRECTORY/peers.svg.
"""

import json
import math
import os
import sys
import time

import numpy

import peers_built
from peers_built import Graph, Left, write_ranks

TOLERANCE = 1e-9
TURNS = 3
NETWORKX_EDGES = 5_000_000  # networkx holds a graph in dictionaries and needs much memory


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


def of_networkit(graph):
    import networkit  # pylint: disable=import-outside-toplevel
    networkit.setNumberOfThreads(os.cpu_count())
    began = time.monotonic()
    made = networkit.Graph(graph.n, directed=True)
    made.addEdges((graph.pairs[:, 0], graph.pairs[:, 1]))
    ready = time.monotonic()
    rank = networkit.centrality.PageRank(
        made, 0.85, float(peers_built.DOUBLE), distributeSinks=networkit.centrality.SinkHandling.DistributeSinks)
    rank.norm = networkit.centrality.Norm.L1_NORM
    ranks = rank.run().scores()
    ended = time.monotonic()
    return Row("networkit", ready - began, ended - ready, write_ranks(graph.path("networkit.tsv"), ranks))


def of_graph_tool(graph):
    import graph_tool.centrality  # pylint: disable=import-outside-toplevel
    began = time.monotonic()
    made = graph_tool.Graph()
    made.add_vertex(graph.n)
    made.add_edge_list(graph.pairs)
    ready = time.monotonic()
    ranks = graph_tool.centrality.pagerank(made, epsilon=float(peers_built.DOUBLE))
    ended = time.monotonic()
    return Row("graph-tool", ready - began, ended - ready, write_ranks(graph.path("graph-tool.tsv"), ranks.a))


# HITS: authorities of others beside those of Millrace to 1e-12. No program but Millrace bounds an error.


def hits_of_millrace(graph, tolerance="1e-9"):
    scores = graph.path(f"hits-{tolerance}.npy")
    graph.call("hits", graph.store, "--tolerance", tolerance, "-o", scores)
    with open(scores + ".meta.json", encoding="utf-8") as file:
        seconds = json.load(file)["seconds"]
    return seconds, numpy.load(scores)[:, 1]


def hits_of_igraph(graph):
    import igraph  # pylint: disable=import-outside-toplevel
    made = igraph.Graph(n=graph.n, edges=graph.pairs, directed=True)
    began = time.monotonic()
    scores = made.authority_score()
    return time.monotonic() - began, numpy.array(scores)


def hits_of_networkx(graph):
    import networkx  # pylint: disable=import-outside-toplevel
    if len(graph.pairs) > NETWORKX_EDGES:
        raise Left(f"the graph has more than {NETWORKX_EDGES:,} links")
    made = networkx.DiGraph()
    made.add_nodes_from(range(graph.n))
    made.add_edges_from(graph.pairs.tolist())
    began = time.monotonic()
    scores = networkx.hits(made, max_iter=1000)[1]
    return time.monotonic() - began, numpy.array([scores[v] for v in range(graph.n)])


def table_of_hits(graph):
    exact = hits_of_millrace(graph, "1e-12")[1]
    yield f"| {graph.name}, HITS | ranking, s | distance of the authorities |"
    yield "|---|---|---|"
    for name, rank in (("Millrace", hits_of_millrace), ("igraph", hits_of_igraph), ("networkx", hits_of_networkx)):
        try:
            seconds, scores = rank(graph)
            distance = numpy.abs(scores / scores.sum() - exact / exact.sum()).sum()
            yield f"| {name} | {seconds:.3g} | {distance:.2g} |"
        except (ImportError, Left) as error:
            print(f"HITS of {name} is left out: {error}", file=sys.stderr)


def chart(graph, rows, path):
    """A dot for the seconds of each, loading included, with how exact the ranks are. Readable at the width of a README."""
    seconds = {row.name: row.prepared + row.ranked for row in rows}
    first = math.floor(math.log10(min(seconds.values())))
    decades = range(first, math.ceil(math.log10(max(seconds.values()))) + 1)
    step, height = 460 / (len(decades) - 1), 30 * len(rows) + 96
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 {height}" role="img" '
             'font-family="system-ui,sans-serif" font-size="15" fill="#24292f"><title>Seconds to load a graph and rank it, '
             f'and the proven error of the ranks</title><rect width="820" height="{height}" fill="#fff"/>'
             f'<text x="120" y="24">{graph.name}, {len(graph.pairs):,} links: seconds to load it and rank it, and the proven '
             f'error.</text><text x="120" y="46">Each vertical line is ten times the one before.</text>']
    for i, decade in enumerate(decades):
        x = 120 + i * step
        lines.append(f'<path d="M{x:.1f} 58V{height - 30}" stroke="#d0d7de"/><text x="{x:.1f}" y="{height - 12}" '
                     f'text-anchor="middle">{10.0 ** decade:g} s</text>')
    for i, row in enumerate(rows):
        x, y = 120 + step * (math.log10(seconds[row.name]) - first), 30 * i + 72
        colour = "#1f6feb" if row.name.startswith("Millrace") else "#57606a"
        lines.append(f'<text x="112" y="{y + 5}" text-anchor="end">{row.name}</text>'
                     f'<circle cx="{x:.1f}" cy="{y}" r="7" fill="{colour}"/><text x="{x + 14:.1f}" '
                     f'y="{y + 5}" stroke="#fff" stroke-width="4" paint-order="stroke">{float(f"{seconds[row.name]:.2g}"):g} s, error '
                     f'{row.bound:.1g}</text>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["</svg>\n"]))


def table(graph, rows):
    yield f"| {graph.name}, {len(graph.pairs):,} links | preparing, s | ranking, s | proven error |"
    yield "|---|---|---|---|"
    for row in rows:
        row.bound = row.bound if row.bound is not None else graph.certify(row.scores)["error_bound"]
        yield f"| {row.name} | {row.prepared:.3g} | {row.ranked:.3g} | {row.bound:.2g} |"


def medians(graph, candidates):
    """A row for each program that runs here: that of its three runs which took the median time."""
    runs = {name: [] for name, _ in candidates}
    for turn in range(TURNS):
        for name, rank in candidates:
            try:
                if len(runs[name]) == turn:
                    made = rank(graph)
                    runs[name].append(made if isinstance(made, Row) else Row(name, *made))
            except (ImportError, Left) as error:
                print(f"{name} is left out: {error}", file=sys.stderr)
    return [sorted(rows, key=lambda row: row.ranked)[len(rows) // 2] for rows in runs.values() if rows]


def main():
    millrace, directory, graph, *sources = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    if graph.isdigit():
        name, make = f"kron-{graph}", ["generate", "kron", "--scale", graph, "--edge-factor", "16", "--self-loops",
                                       "drop"]
    else:
        name, make = os.path.basename(graph).split(".")[0], ["build", graph]
    graph = Graph(os.path.abspath(millrace), os.path.abspath(directory), name, make)
    candidates = [("Millrace", of_millrace), ("Millrace --no-pin", lambda graph: of_millrace(graph, "--no-pin")),
                  ("igraph", of_igraph), ("networkx", of_networkx), ("networkit", of_networkit),
                  ("graph-tool", of_graph_tool), ("GraphX", peers_built.of_graphx),
                  ("GraphBLAS", peers_built.of_graphblas), ("webgraph-rs", peers_built.of_webgraph)]
    candidates += [peers_built.of_source(source)[:2] for source in sources]
    rows = medians(graph, candidates)
    lines = [*table(graph, rows), "", *table_of_hits(graph)]
    with open(f"{directory}/peers.md", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    print("\n".join(lines))
    chart(graph, [row for row in rows if row.name != "Millrace --no-pin"], f"{directory}/peers.svg")


if __name__ == "__main__":
    main()
