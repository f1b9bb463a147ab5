# SPDX-License-Identifier: Apache-2.0
"""Certifies the ranks that other programs make with their default settings.

    referee.py MILLRACE DIRECTORY [SOURCES...] [GRAPHS...]

SOURCES are source trees of other programs, as in peers.py. GRAPHS are files of links in any format that Millrace reads;
without them, the crawl in examples/ and five graphs of different shapes that Millrace makes. Each program ranks as a
user calls it first; "to 1e-9" are settings that a user finds in its manual. For each: the distance of its ranks from
the exact ones (sum of the differences; Millrace to 1e-12), the bound that `millrace certify` proves without knowing
them, how many of the best 100 pages are where they belong, and how many of them are proven to be. The script names on
stderr what is not installed, and leaves it out. Writes DIRECTORY/referee.md.
"""

import os
import sys

import numpy

import peers_built
from peers_built import Graph, Left, write_ranks

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = f"{HERE}/../examples/debian-docs/links.txt.zst"
MADE = [("kron-14", ["kron", "--scale", "14"]), ("rmat-16", ["rmat", "--scale", "16"]),
        ("crawl-100k", ["crawl", "--pages", "100000"]), ("crawl-1M", ["crawl", "--pages", "1000000"]),
        ("wide-2M", ["rmat", "--scale", "21", "--edge-factor", "1"])]
TOP = 100


def networkx_graph(graph):
    import networkx  # pylint: disable=import-outside-toplevel
    if not hasattr(graph, "networkx"):
        graph.networkx = networkx.DiGraph()
        graph.networkx.add_nodes_from(range(graph.n))
        graph.networkx.add_edges_from(graph.pairs.tolist())
    return networkx, graph.networkx


def of_networkx(graph, **settings):
    networkx, made = networkx_graph(graph)
    try:
        ranks = networkx.pagerank(made, **settings)
    except networkx.PowerIterationFailedConvergence as error:
        raise Left(str(error)) from error
    return numpy.array([ranks[v] for v in range(graph.n)])


def of_networkx_exactly(graph):
    return of_networkx(graph, tol=1e-10 / graph.n, max_iter=1000)


def of_igraph(graph, **settings):
    import igraph  # pylint: disable=import-outside-toplevel
    return numpy.array(igraph.Graph(n=graph.n, edges=graph.pairs, directed=True).pagerank(**settings))


def of_igraph_arpack(graph):
    return of_igraph(graph, implementation="arpack")


def matrix_of(graph):
    from scipy import sparse  # pylint: disable=import-outside-toplevel
    source, target = graph.pairs[:, 0].astype("i8"), graph.pairs[:, 1].astype("i8")
    return sparse.csr_matrix((numpy.ones(len(source)), (target, source)), (graph.n, graph.n))


def of_scipy(graph, until=1e-6, rounds=1000):
    """The loop that one finds in answers and tutorials: rounds until the ranks change by less than 1e-6."""
    matrix = matrix_of(graph)
    degrees = numpy.asarray(matrix.sum(axis=0)).ravel()
    ranks = numpy.full(graph.n, 1 / graph.n)
    for _ in range(rounds):
        shares = numpy.divide(ranks, degrees, out=numpy.zeros(graph.n), where=degrees > 0)
        following = 0.85 * (matrix @ shares + ranks[degrees == 0].sum() / graph.n) + 0.15 / graph.n
        change = numpy.abs(following - ranks).sum()
        ranks = following
        if change < until:
            break
    return ranks


def of_scipy_20(graph):
    """GAP's and many benchmarks' way: 20 rounds."""
    return of_scipy(graph, until=0, rounds=20)


def of_built(rank, settings):
    """The ranks of a program of peers_built.py."""
    def ranks(graph):
        scores = rank(graph, **settings)[2]
        if scores is None:
            raise Left("it writes no ranks")
        return numpy.loadtxt(scores, usecols=1)
    return ranks


def of_millrace(graph):
    graph.call("pagerank", graph.store, "-o", graph.path("millrace.npy"))
    return numpy.load(graph.path("millrace.npy"))


PROGRAMS = [("Millrace", of_millrace), ("igraph", of_igraph), ("igraph, arpack", of_igraph_arpack),
            ("networkx", of_networkx), ("networkx, tol=1e-10/n", of_networkx_exactly),
            ("scipy loop to 1e-6", of_scipy), ("scipy loop, 20 rounds", of_scipy_20),
            ("GraphBLAS to 1e-4", of_built(peers_built.of_graphblas, {"tolerance": "1e-4"})),  # LAGraph's default
            ("GraphBLAS to 1e-9", of_built(peers_built.of_graphblas, {}))]


def in_place(exact, ranks):
    """How many of the best 100 are where they belong; pages of one exact score may change places."""
    best, theirs = (numpy.argsort(-scores, kind="stable")[:TOP] for scores in (exact, ranks))
    return int(numpy.isclose(exact[best], exact[theirs], rtol=1e-10, atol=0).sum())


def cell(graph, exact, rank):
    """Distance and bound, and of the best pages how many are in place and how many are proven to be."""
    ranks = rank(graph)
    try:
        proof = graph.certify(write_ranks(graph.path("scores.tsv"), ranks), "--top", str(TOP))
    except Left as refusal:
        return str(refusal)
    distance = numpy.abs(ranks / ranks.sum() - exact / exact.sum()).sum()
    return f"{distance:.0e} ≤ {proof['error_bound']:.0e}; {in_place(exact, ranks)}, {proof['top_proven']}"


def main():
    millrace, directory, *given = sys.argv[1:]
    millrace, directory = os.path.abspath(millrace), os.path.abspath(directory)
    os.makedirs(directory, exist_ok=True)
    programs = list(PROGRAMS)
    for source in filter(os.path.isdir, given):
        name, rank, default = peers_built.of_source(source)
        programs.append((name, of_built(rank, default)))
    graphs = [(os.path.basename(file).split(".")[0], ["build", file]) for file in given if not os.path.isdir(file)] or [
        ("debian-docs", ["build", "--columns", "target-source", EXAMPLE]),
        *((name, ["generate", *make]) for name, make in MADE)]
    cells = {}
    for name, make in graphs:
        graph = Graph(millrace, directory, name, make)
        exact = graph.exact()
        for program, rank in programs:
            try:
                cells[program, name] = cell(graph, exact, rank)
                print(f"{name}, {program}: {cells[program, name]}", flush=True)
            except (ImportError, Left) as error:
                print(f"{name}: {program} is left out: {error}", file=sys.stderr)
    names = [name for name, _ in graphs]
    lines = [f"| program | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for program, _ in programs:
        if any((program, name) in cells for name in names):
            lines.append(f"| {program} | {' | '.join(cells.get((program, name), '') for name in names)} |")
    with open(f"{directory}/referee.md", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
