# SPDX-License-Identifier: Apache-2.0
"""The numbers of other programs beside those of `pagerank --like NAME`: the table of docs/notes/clients.md.

    client_conventions.py FOLDER    prints the scores of what Python has, as JSON; run() calls it in their environment

Each row of the table has a program, options of Millrace, and the digits to which they agree, at least, on the graphs of
make_graphs(): what the program makes with its tightest tolerance, and what it makes unless told otherwise."""

import json
import math
import os
import random
import struct
import sys

NEEDS = "networkx, igraph, networkit, scikit-network, graphblas-algorithms and pyspark from PyPI, LAW from Maven Central"
PROGRAMS = ("java", "mvn")
PIP = ("networkx==3.5", "igraph==1.0.0", "networkit==11.3", "scikit-network==0.33.5", "graphblas-algorithms==2023.10.0",
       "python-graphblas==2025.2.0", "pyspark==4.0.1")
JARS = ("it.unimi.dsi:webgraph:3.6.12", "org.apache.commons:commons-configuration2:2.8.0", "commons-io:commons-io:2.15.1",
        "it.unimi.dsi:law:2.7.2")
ALONE = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
N = 300
PREFERENCE = (0.5, 0.25, 0.25)  # of pages 0, 1 and 2
SPARK = """import org.apache.spark.graphx._
val links = sc.textFile("g.el").map(_.split(" ")).map(f => Edge(f(0).toLong, f(1).toLong, 1))
val graph = Graph(sc.parallelize(0L until 300L).map((_, 0)), links)
def put(name: String, ranks: Graph[Double, Double]) = {
  val file = new java.io.PrintWriter(name); ranks.vertices.collect.sortBy(_._1).foreach(v => file.println(v._2)); file.close }
put("graphx", graph.pageRank(1e-15)); put("graphx.usual", graph.pageRank(1e-4))
System.exit(0)
"""


def make_graphs(kit):
    """300 pages with links of a page to itself, repeated ones, weights, and pages without links; full.el has none of these."""
    draw = random.Random(3)
    links = []
    for _ in range(1000):
        target = draw.choice([draw.randrange(N), min(N - 2, int(draw.expovariate(0.02)))])
        links.append((draw.randrange(240), target, draw.choice([1, 2, 5, 0.5])))
    links += [(7, 7, 2), (7, 7, 1), (3, 4, 1), (3, 4, 2), (3, 4, 4)]
    full = links + [(page, (page + 7) % N, 1) for page in range(N) if page not in {s for s, _, _ in links}]
    kit.write("g.wel", "".join(f"{s} {t} {w:g}\n" for s, t, w in links))
    kit.write("g.el", "".join(f"{s} {t}\n" for s, t, _ in links))
    kit.write("full.el", "".join(f"{s} {t}\n" for s, t, _ in full))
    kit.write("preference.tsv", "".join(f"{page}\t{share}\n" for page, share in enumerate(PREFERENCE)))
    with open(kit.file("preference"), "wb") as file:
        file.write(struct.pack(f">{N}d", *PREFERENCE, *[0] * (N - len(PREFERENCE))))


# ---- The scores of other programs: {row: [those by a tight tolerance, those by default]} ----

def formulas(numpy, links):
    """What programs that are in no registry compute, by their sources: GAP, LAGraph, Nutch's LinkRank."""
    def matrix(pairs):
        moves = numpy.zeros((N, N))
        for s, t in pairs:
            moves[t, s] = 1
        out = moves.sum(axis=0)
        return moves / numpy.maximum(out, 1), out == 0
    moves, dangling = matrix({(s, t) for s, t, _ in links})
    alone, _ = matrix({(s, t) for s, t, _ in links if s != t})
    linkrank = numpy.ones(N)
    for _ in range(10):
        linkrank = 0.15 + 0.85 * (1 / N + moves @ linkrank)
    evenly = numpy.full(N, 0.15 / N)
    return {"GAP": [numpy.linalg.solve(numpy.eye(N) - 0.85 * alone, evenly)],
            "LAGraph": [numpy.linalg.solve(numpy.eye(N) - 0.85 * (moves + dangling / N), evenly)],
            "Nutch": [linkrank]}


def peers(folder):
    import graphblas_algorithms
    import graphblas_algorithms.nxapi
    import igraph
    import networkit
    import networkx
    import numpy
    import scipy.sparse
    import sknetwork.ranking

    def read(name):
        with open(f"{folder}/{name}", encoding="utf-8") as file:
            return [(int(s), int(t), float(*w or [1])) for s, t, *w in (line.split() for line in file)]

    def two(function, *args, **tight):
        return [[scores[v] for v in range(N)] for scores in (function(*args, **tight), function(*args))]

    def of_networkit(graph, **more):
        made = []
        for tolerance in (1e-15, 1e-8):
            rank = networkit.centrality.PageRank(graph, 0.85, tolerance, **more)
            made.append(list(rank.run().scores()))
        return made

    links, full = read("g.wel"), read("full.el")
    tight = {"tol": 1e-17, "max_iter": 1000}
    merged, multiple = networkx.DiGraph(), networkx.MultiDiGraph()
    for graph in (merged, multiple):
        graph.add_nodes_from(range(N))
    merged.add_edges_from((s, t) for s, t, _ in links)
    multiple.add_weighted_edges_from(links)
    counted, weighted = (networkit.Graph(N, weighted=is_weighted, directed=True) for is_weighted in (False, True))
    for s, t, w in links:
        counted.addEdge(s, t)
        weighted.addEdge(s, t, w)
    of_igraph = igraph.Graph(n=N, edges=[(s, t) for s, t, _ in links], directed=True)
    matrix = scipy.sparse.csr_matrix(([1.0] * len(full), ([s for s, _, _ in full], [t for _, t, _ in full])), shape=(N, N))
    found = {
        "networkx, DiGraph": two(networkx.pagerank, merged, **tight),
        "networkx, MultiDiGraph with weights": two(networkx.pagerank, multiple, **tight),
        "graphblas-algorithms": two(graphblas_algorithms.nxapi.pagerank, graphblas_algorithms.DiGraph.from_networkx(merged, weight=None),
                                    **tight),
        "igraph": [of_igraph.pagerank(implementation="arpack"), of_igraph.pagerank()],
        "igraph, weights": [of_igraph.pagerank(weights=[w for _, _, w in links])],
        "networkit": of_networkit(counted),
        "networkit, weights": of_networkit(weighted),
        "networkit, normalized=True": of_networkit(counted, normalized=True),
        "scikit-network, all pages with links": [sknetwork.ranking.PageRank().fit_predict(matrix)],
        **formulas(numpy, links)}
    print(json.dumps({row: [list(map(float, one)) for one in scores] for row, scores in found.items()}))


def of_graphx(kit, home):
    kit.write("graphx.scala", SPARK)
    spark = kit.run("python -c 'import pyspark; print(pyspark.__path__[0])'").strip()
    kit.run(f"echo ':load graphx.scala' | {spark}/bin/spark-shell --master 'local[2]' --driver-memory 1g --conf spark.ui.enabled=false "
            "--conf spark.log.level=ERROR --conf spark.ui.showConsoleProgress=false", SPARK_HOME=spark, PYSPARK_PYTHON=f"{home}/bin/python")
    return {"GraphX": [[float(line) for line in kit.read(name).split()] for name in ("graphx", "graphx.usual")]}


def of_law(kit):
    tags = "".join("<dependency>" + "".join(f"<{tag}>{part}</{tag}>" for tag, part in zip(("groupId", "artifactId", "version"), jar.split(":")))
                   + (ALONE if ":law:" in jar else "") + "</dependency>" for jar in JARS)

    def commands(folder):
        with open(f"{folder}/pom.xml", "w", encoding="utf-8") as file:
            file.write("<project><modelVersion>4.0.0</modelVersion><groupId>millrace</groupId><artifactId>clients</artifactId><version>1</version>"
                       f"<packaging>pom</packaging><dependencies>{tags}</dependencies></project>")
        return [["mvn", "-B", "-q", "dependency:copy-dependencies", "-DoutputDirectory=."]]
    jars = kit.install("jars", list(JARS), commands)
    kit.run(f"millrace convert g.el t.graph --vertices {N} --transpose --quiet --force")
    found = {}
    for row, options in (("LAW, weakly preferential", ""), ("LAW, strongly preferential", "-S"), ("LAW, pseudorank", "--pseudorank"),
                         ("cc-webgraph", "--expand --mapped")):
        preference = "-p preference" if row.startswith("LAW") else ""
        found[row] = []
        for threshold in ("1e-15", "1e-6"):
            kit.run(f"java -cp '{jars}/*' it.unimi.dsi.law.rank.PageRankParallelGaussSeidel -T 2 -t {threshold} {preference} {options} t law")
            with open(kit.file("law.ranks"), "rb") as file:
                found[row].append(list(struct.unpack(f">{N}d", file.read())))
    return found


# ---- The table ----

def rows():
    """(program, options of Millrace, digits) of the table in docs/notes/clients.md."""
    root = os.path.realpath(f"{os.path.dirname(__file__)}/../..")
    with open(f"{root}/docs/notes/clients.md", encoding="utf-8") as file:
        cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in file if "| `--like " in line]
    return [(row[0], row[1].split("`")[1], [float(text) for text in row[2:] if text]) for row in cells if len(row) == 4]


def digits(found, own):
    """To how many digits the worst score agrees; 16: exactly."""
    worst = max(abs(a - b) / b if b > 0 else abs(a) for a, b in zip(found, own))
    return min(16.0, -math.log10(max(worst, 1e-17)))


def run(kit):
    home = kit.pip(*PIP)
    make_graphs(kit)
    scores = json.loads(kit.run(f"python {os.path.realpath(__file__)} . 2>/dev/null").splitlines()[-1])
    scores.update(of_graphx(kit, home))
    scores.update(of_law(kit))
    table = rows()
    kit.check({row for row, _, _ in table} == set(scores), f"rows of the table and programs: {set(scores) ^ {row for row, _, _ in table}}")
    for row, options, least in table:
        graph = "g.wel" if "--weights" in options else "full.el" if "all pages" in row else "g.el"
        rounds = "--iterations" in options or "nutch" in options or "scikit" in options
        text = kit.run(f"millrace pagerank {graph} --vertices {N} --quiet {options} {'' if rounds else '--tolerance 1e-13'}")
        by_page = dict(line.split("\t") for line in text.splitlines())
        own = [float(by_page[str(page)]) for page in range(N)]
        if "normalized" in row:  # divided by the least score there can be, that of a page without links to it
            own = [score / min(own) for score in own]
        for found, at_least in zip(scores[row], least):
            reached = digits(found, own)
            with open(kit.file("digits.txt"), "a", encoding="utf-8") as file:
                file.write(f"{row}\t{options}\t{reached:.1f}\n")
            kit.count("scores", int(reached >= at_least), 1, [f"{row}: {reached:.1f} digits, not {at_least}"])


if __name__ == "__main__":
    peers(sys.argv[1])
