# SPDX-License-Identifier: Apache-2.0
"""The graph of a comparison, and the programs of peers.py and referee.py that Python cannot import.

A source tree is known by a file in it. Programs are compiled into the directory of the comparison. Each function
returns the seconds of preparing (reading or converting the graph), the seconds of ranking as the program itself prints
them, a file of ranks, and a bound on their error where the program cannot write ranks.
"""

import json

import os
import re
import shutil
import subprocess
import sys
import time

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = 100  # of programs with a fixed number of rounds: 0.85^100 is 9e-8, what single precision can tell
SINGLE = "1e-7"  # a change that single precision can tell
DOUBLE = "1.7e-10"  # a change of a round that leaves an error of 1e-9
CXX = ("g++", "-O3", "-w", "-fopenmp")


class Left(Exception):
    """Why a program is left out."""


def run(*command, cwd=None):
    began = time.monotonic()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=cwd,
                            check=False)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: {(result.stderr or result.stdout).decode()[-2000:]}")
    return time.monotonic() - began, result.stdout.decode()


def write_ranks(path, ranks):
    with open(path, "w", encoding="ascii") as file:
        for vertex, rank in enumerate(ranks):
            file.write(f"{vertex}\t{rank:.17g}\n")
    return path


class Graph:
    """One graph in the formats of all programs, in a directory. `make` are the words of the command that makes it."""

    def __init__(self, millrace, directory, name, make):
        self.millrace, self.directory, self.name = millrace, directory, name
        self.store, self.pairs_file, self.text, self.sg = (f"{directory}/{name}.{suffix}"
                                                           for suffix in ("mill", "u32", "el", "sg"))
        made = f"{directory}/made.mill"
        self.call(*make, "-o", made)
        self.call("export", made, "--to", "u32", "-o", self.pairs_file)
        self.pairs = numpy.fromfile(self.pairs_file, "<u4").reshape(-1, 2)
        self.n = int(self.pairs.max()) + 1  # some programs take the largest number that has a link
        self.build_seconds = self.call("build", self.pairs_file, "-o", self.store, "--vertices", str(self.n))
        self.call("export", self.store, "--to", "edges", "-o", self.text)
        self.call("export", self.store, "--to", "sg", "-o", self.sg)

    def path(self, name):
        return f"{self.directory}/{self.name}-{name}"

    def call(self, *command):
        return run(self.millrace, *command, "--force", "--quiet")[0]

    def exact(self):
        """The ranks to 1e-12. Exit code 6: rounding allows no smaller error, and the best ranks are written."""
        subprocess.run([self.millrace, "pagerank", self.store, "--tolerance", "1e-12", "-o", self.path("exact.npy"),
                        "--force", "--quiet"], stderr=subprocess.DEVNULL, check=False)
        return numpy.load(self.path("exact.npy"))

    def certify(self, scores, *options):
        """What is proven of a file of scores. Scores that no ranking has are refused."""
        command = [self.millrace, "certify", scores, "--graph", self.store, *options, "--json", "--quiet"]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if not result.stdout:
            raise Left("refused: " + result.stderr.decode().strip().rpartition(": ")[2])
        return json.loads(result.stdout)


def seconds_in(text, pattern, unit=1.0):
    return float(re.search(pattern, text).group(1)) * unit


def compiled(graph, name, *command):
    """The path of a program that this command compiles, if it is not there yet."""
    path = f"{graph.directory}/{name}"
    if not os.path.exists(path):
        run(*command, "-o", path)
    return path


def of_graphblas(graph, tolerance=DOUBLE):
    folders = ("/usr/include", "/usr/include/suitesparse")  # of Debian 12 and 13
    include = next((folder for folder in folders if os.path.exists(f"{folder}/GraphBLAS.h")), None)
    if include is None:
        raise Left("libgraphblas-dev is not installed")
    program = compiled(graph, "peers_graphblas", "gcc", "-O3", f"-I{include}", f"{HERE}/peers_graphblas.c",
                       "-lgraphblas", "-lm")
    scores = graph.path("graphblas.tsv")
    whole, text = run(program, graph.pairs_file, str(graph.n), tolerance, scores)
    ranked = seconds_in(text, r"seconds ([0-9.]+)")
    return whole - ranked, ranked, scores


def of_webgraph(graph, tolerance=DOUBLE):
    """webgraph-rank reads the links backwards, which Millrace writes as a BVGraph for it."""
    if not (shutil.which("webgraph") and shutil.which("webgraph-rank")):
        raise Left("cargo install webgraph-cli brings webgraph and webgraph-rank")
    base, reverse, scores = graph.path("transposed"), graph.path("reverse.mill"), graph.path("webgraph.ranks")
    prepared = graph.call("transpose", graph.store, "-o", reverse)
    prepared += graph.call("export", reverse, "--to", "bvgraph", "-o", base)
    prepared += run("webgraph", "build", "ef", base)[0]
    return prepared, run("webgraph-rank", "pagerank", base, "-o", scores, "--fmt", "java", "--threshold", tolerance)[0], scores


def of_graphx(graph, tolerance="1e-9"):
    """Ranking is the whole program, with the start of Spark and the reading of the links. Once: it takes minutes."""
    shards, scores = graph.path("shards"), graph.path("graphx.ranks")
    if not shutil.which("spark-submit"):
        raise Left("pip install pyspark brings spark-submit")
    if not os.path.exists(scores):
        graph.graphx = [graph.call("export", graph.store, "--shards", str(4 * os.cpu_count()), "-o", shards)]
        graph.graphx.append(run("spark-submit", "--driver-memory", "12g", f"{HERE}/../examples/spark/rank.py", shards, scores,
                                tolerance)[0])
    return *graph.graphx, scores


def of_gap(graph, source, rounds=1000, tolerance=SINGLE):
    program = compiled(graph, "peers_gap", *CXX, "-std=c++11", f"-I{source}/src", f"{HERE}/peers_gap.cc")
    scores = graph.path("gap.tsv")
    _, text = run(program, graph.sg, str(rounds), tolerance, scores)
    return seconds_in(text, r"Read Time: *([0-9.]+)"), seconds_in(text, r"seconds ([0-9.]+)"), scores


def of_gridgraph(graph, source, rounds=ROUNDS):
    flags = [*CXX, "-std=c++11", "-include", "functional", f"-I{source}"]
    preprocess = compiled(graph, "gridgraph_preprocess", *flags, f"{source}/tools/preprocess.cpp")
    pagerank = compiled(graph, "gridgraph_pagerank", *flags, f"{source}/examples/pagerank.cpp")
    grid = graph.path("grid")
    prepared, _ = run(preprocess, "-i", graph.pairs_file, "-o", grid, "-v", str(graph.n), "-p", "4", "-t", "0")
    _, text = run(pagerank, grid, str(rounds), "8")
    ranks = numpy.fromfile(f"{grid}/pagerank", "<f4", graph.n)
    return prepared, seconds_in(text, r"took ([0-9.]+) seconds"), write_ranks(graph.path("gridgraph.tsv"), ranks)


def of_graphchi(graph, source, rounds=ROUNDS):
    program = compiled(graph, "graphchi_pagerank", *CXX, f"-I{source}/src", f"-I{source}/example_apps",
                       f"{source}/example_apps/pagerank.cpp", "-lz")
    folder = graph.path("graphchi")
    os.makedirs(f"{folder}/conf", exist_ok=True)
    with open(f"{folder}/conf/graphchi.cnf", "w", encoding="ascii") as file:
        file.write("loadthreads = 4\nniothreads = 2\nmembudget_mb = 800\ncachesize_mb = 0\nio.blocksize = 1048576\n")
    for name in os.listdir(folder):
        if name.startswith("links"):
            subprocess.run(["rm", "-rf", f"{folder}/{name}"], check=True)
    os.symlink(graph.text, f"{folder}/links")
    whole, text = run(program, "file", "links", "filetype", "edgelist", "niters", str(rounds), cwd=folder)
    ranked = seconds_in(text, r"runtime:\s+([0-9.]+)")
    ranks = numpy.fromfile(f"{folder}/links.4B.vout", "<f4", graph.n)
    return whole - ranked, ranked, write_ranks(graph.path("graphchi.tsv"), ranks)


def of_acgraph(graph, source):
    """It writes no ranks, but the distance of its ranks from others; those of Millrace, to 1e-12."""
    if not os.listdir(f"{source}/third_party/PIGO"):
        raise Left("its submodules are missing; git submodule update --init brings them")
    build = f"{graph.directory}/acgraph"
    run("cmake", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_CXX_FLAGS=-include tuple -include functional -w")
    run("cmake", "--build", build, "--target", "pr", "el2csr", "formatter")
    for folder in ("csr", "hybrid"):
        os.makedirs(f"{build}/{folder}", exist_ok=True)
    first, _ = run(f"{build}/el2csr", graph.text, f"{build}/csr")
    second, _ = run(f"{build}/formatter", f"{build}/csr", f"{build}/hybrid")
    graph.exact().astype("<f8").tofile(f"{build}/exact")
    text = run(f"{build}/pr", f"{build}/hybrid", "-tn", str(os.cpu_count()), "-cmb", "800", "-rmax",
               str(1e-10 / graph.n), "-gt", f"{build}/exact")[1]
    distance = float(text.strip().splitlines()[-1])
    return first + second, seconds_in(text, r"calc: ([0-9.]+)ms", 1e-3), None, distance + 1e-12


# Name, a file that tells its source tree, function, default settings.
PROGRAMS = (("GAP", "src/pr.cc", of_gap, {"rounds": 20, "tolerance": "1e-4"}),
            ("GridGraph", "core/bigvector.hpp", of_gridgraph, {"rounds": 20}),
            ("GraphChi", "src/graphchi_basic_includes.hpp", of_graphchi, {"rounds": 4}),
            ("ACGraph", "tools/el2csr.cpp", of_acgraph, {}))


def of_source(source):
    """The name of the program of a source tree, the function that runs it on a graph, and its default settings."""
    source = os.path.abspath(source)
    for name, mark, rank, default in PROGRAMS:
        if os.path.exists(f"{source}/{mark}"):
            return name, lambda graph, **settings: rank(graph, source, **settings), default
    names = ", ".join(name for name, *_ in PROGRAMS)
    sys.exit(f"{source}: no source tree of a program that is known here: {names}")
