#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds of personalised PageRank on a small graph, one query after the other: Millrace and other packages in turn, 100
queries in a row each.

    small_graphs.py [QUERIES] [STORE]

3,000 pages, 12,000 links, three seeds, the best ten pages. Packages that are not installed are left out. STORE: where the
graph is left for bench_small, which measures the C library.
"""

import importlib
import sys
import time
import warnings

import numpy

import millrace

N, LINKS, SEEDS, BEST, IN_A_ROW = 3000, 12000, 3, 10, 100
QUERIES = int(sys.argv[1]) if len(sys.argv) > 1 else 1000


def with_module(name, make):
    try:
        return make(importlib.import_module(name))
    except ImportError as error:
        print(f"left out: {error}", file=sys.stderr)
        return None


def best(scores):
    return numpy.argsort(scores)[-BEST:]


def main():
    warnings.simplefilter("ignore")  # networkx says at each call that it keeps the converted graph
    random = numpy.random.default_rng(7)
    links = numpy.unique(random.integers(0, N, (LINKS, 2)), axis=0)
    path = sys.argv[2] if len(sys.argv) > 2 else None
    store = millrace.build(links[:, 0], links[:, 1], path, n_vertices=N, labels=list(range(N)), force=path is not None)
    alone = millrace.Store(store.path, threads=1, labels=list(range(N)))

    def networkx(module):
        graph = module.DiGraph()
        graph.add_nodes_from(range(N))
        graph.add_edges_from(links.tolist())
        return graph, module.pagerank

    def igraph(module):
        return module.Graph(n=N, edges=links, directed=True).personalized_pagerank

    def matrix(module):
        return module.csr_matrix((numpy.ones(len(links)), links.T), shape=(N, N))

    graph, pagerank = with_module("networkx", networkx) or (None, None)
    prpack, csr = with_module("igraph", igraph), with_module("scipy.sparse", matrix)
    power = csr is not None and with_module("fast_pagerank", lambda module: module.pagerank_power)
    ranker = csr is not None and with_module("sknetwork.ranking", lambda module: module.PageRank)
    ways = {"millrace": lambda seeds: store.pagerank(teleport=seeds).top(BEST),
            "millrace, 1 thread": lambda seeds: alone.pagerank(teleport=seeds).top(BEST)}
    if graph:
        ways["millrace in networkx"] = lambda seeds: pagerank(
            graph, personalization=dict.fromkeys(seeds, 1), backend="millrace")
        ways["networkx"] = lambda seeds: pagerank(graph, personalization=dict.fromkeys(seeds, 1), backend="networkx")
    if prpack:
        ways["igraph"] = lambda seeds: best(prpack(reset_vertices=seeds))
    if ranker:
        ways["scikit-network"] = lambda seeds: best(ranker().fit_predict(csr, dict.fromkeys(seeds, 1)))
    if power:
        ways["fast-pagerank"] = lambda seeds: best(power(
            csr, p=0.85, personalize=numpy.bincount(seeds, minlength=N).astype(float)))
    taken = {name: [] for name in ways}
    queries = random.integers(0, N, (QUERIES, SEEDS)).tolist()
    for first in range(0, QUERIES, IN_A_ROW):
        for name, way in ways.items():
            for seeds in queries[first:first + IN_A_ROW]:
                start = time.perf_counter()
                way(seeds)
                taken[name].append(time.perf_counter() - start)
    for name, seconds in taken.items():
        print(f"{name:22} median {1e3 * numpy.median(seconds):7.3f} ms, least {1e3 * min(seconds):7.3f}, "
              f"{QUERIES} queries in {sum(seconds):.2f} s")


if __name__ == "__main__":
    main()
