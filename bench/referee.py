# SPDX-License-Identifier: Apache-2.0
"""Certifies the ranks that other programs make with their default settings.

    referee.py MILLRACE DIRECTORY [GRAPHS...]

GRAPHS are files of links in any format that Millrace reads; without them, six graphs of different shapes that Millrace
makes, and the crawl in examples/. Each program ranks as a user calls it first; "to 1e-9" are settings that a user finds
in its manual. For each: the distance of its ranks from the exact ones (sum of the differences; Millrace to 1e-12), the
bound that `millrace certify` proves without knowing them, how many of the best 100 pages are where they belong, and how
many of them are proven to be. The script names on stderr what is not installed, and leaves it out. Writes
DIRECTORY/referee.md.
"""

import json
import os
import subprocess
import sys

import numpy

import peers_built
from peers_built import Left, run, write_ranks

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = f"{HERE}/../examples/debian-docs/links.txt.zst"
MADE = [("kron-14", ["kron", "--scale", "14"]), ("rmat-16", ["rmat", "--scale", "16"]),
        ("crawl-100k", ["crawl", "--pages", "100000"]), ("crawl-1M", ["crawl", "--pages", "1000000"]),
        ("wide-2M", ["rmat", "--scale", "21", "--edge-factor", "1"])]
TOP = 100


class Graph:
    def __init__(self, millrace, directory, name, make):
        self.millrace, self.directory, self.name = millrace, directory, name
        self.store, self.pairs_file, self.sg = (f"{directory}/{name}.{suffix}" for suffix in ("mill", "u32", "sg"))
        made = f"{directory}/made.mill"
        self.call(*make, "-o", made)
        self.call("export", made, "--to", "u32", "-o", self.pairs_file)
        with open(f"{made}.json", "w", encoding="ascii") as file:
            subprocess.run([millrace, "info", made, "--json"], stdout=file, check=True)
        with open(f"{made}.json", encoding="ascii") as file:
            self.n = json.load(file)["vertices"]
        self.call("build", self.pairs_file, "-o", self.store, "--vertices", str(self.n))
        self.pairs = numpy.fromfile(self.pairs_file, "<u4").reshape(-1, 2)
        # Exit code 6: rounding allows no smaller error, and the best ranks are written.
        subprocess.run([millrace, "pagerank", self.store, "--tolerance", "1e-12", "-o", self.path("exact.npy"),
                        "--force", "--quiet"], stderr=subprocess.DEVNULL, check=False)
        self.exact = numpy.load(self.path("exact.npy"))

    def path(self, name):
        return f"{self.directory}/{self.name}-{name}"

    def call(self, *command):
        return run(self.millrace, *command, "--force", "--quiet")[0]

    def matrix(self):
        from scipy import sparse  # pylint: disable=import-outside-toplevel
        source, target = self.pairs[:, 0].astype("i8"), self.pairs[:, 1].astype("i8")
        return sparse.csr_matrix((numpy.ones(len(source)), (target, source)), (self.n, self.n))


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


def of_scipy(graph, until=1e-6, rounds=1000):
    """The loop that one finds in answers and tutorials: rounds until the ranks change by less than 1e-6."""
    matrix = graph.matrix()
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


def of_graphblas(graph):
    scores = peers_built.of_graphblas(graph)[2]
    return numpy.loadtxt(scores, usecols=1)


def of_millrace(graph):
    graph.call("pagerank", graph.store, "-o", graph.path("millrace.npy"))
    return numpy.load(graph.path("millrace.npy"))


PROGRAMS = [("Millrace", of_millrace), ("igraph", of_igraph), ("igraph, arpack", of_igraph_arpack),
            ("networkx", of_networkx), ("networkx, tol=1e-10/n", of_networkx_exactly),
            ("scipy loop to 1e-6", of_scipy), ("scipy loop, 20 rounds", of_scipy_20),
            ("GraphBLAS to 1e-9", of_graphblas)]


def in_place(exact, ranks):
    """How many of the best 100 are where they belong; pages of one exact score may change places."""
    best, theirs = (numpy.argsort(-scores, kind="stable")[:TOP] for scores in (exact, ranks))
    return int(numpy.isclose(exact[best], exact[theirs], rtol=1e-10, atol=0).sum())


def row(graph, name, rank):
    ranks = rank(graph)
    scores = write_ranks(graph.path("scores.tsv"), ranks)
    command = [graph.millrace, "certify", scores, "--graph", graph.store, "--top", str(TOP), "--json", "--quiet"]
    proof = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)
    distance = numpy.abs(ranks / ranks.sum() - graph.exact / graph.exact.sum()).sum()
    return (f"| {graph.name} | {name} | {distance:.1e} | {proof['error_bound']:.1e} | "
            f"{in_place(graph.exact, ranks)} | {proof['top_proven']} |")


def main():
    millrace, directory, *files = sys.argv[1:]
    millrace, directory = os.path.abspath(millrace), os.path.abspath(directory)
    os.makedirs(directory, exist_ok=True)
    graphs = [(os.path.basename(file).split(".")[0], ["build", file]) for file in files] or [
        ("debian-docs", ["build", "--columns", "target-source", EXAMPLE]),
        *((name, ["generate", *make]) for name, make in MADE)]
    lines = ["| graph | program | distance | proven bound | of the best 100 in place | proven among the best 100 |",
             "|---|---|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    for name, make in graphs:
        graph = Graph(millrace, directory, name, make)
        for program, rank in PROGRAMS:
            try:
                lines.append(row(graph, program, rank))
                print(lines[-1], flush=True)
            except (ImportError, Left) as error:
                print(f"{name}: {program} is left out: {error}", file=sys.stderr)
    with open(f"{directory}/referee.md", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
