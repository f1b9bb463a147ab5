# SPDX-License-Identifier: Apache-2.0
"""Graphs of networkx, igraph and scipy: the ranks are those of networkx and igraph."""

import unittest

import numpy

import millrace

try:
    import networkx
except ImportError:
    networkx = None
try:
    import igraph
except ImportError:
    igraph = None
try:
    import scipy.sparse as sparse
except ImportError:
    sparse = None


@unittest.skipUnless(networkx and sparse, "no networkx and scipy; Debian: python3-networkx python3-scipy")
class Networkx(unittest.TestCase):
    def same(self, graph, weight=None, **options):
        ours = millrace.pagerank(graph, weight=weight, tolerance=1e-12).to_dict()
        theirs = networkx.pagerank(graph, weight=weight, tol=1e-15, max_iter=2000, **options)
        self.assertEqual(list(ours), list(theirs))
        for node, score in theirs.items():
            self.assertAlmostEqual(ours[node], score, delta=1e-11)

    def test_directed(self):
        for seed in range(5):
            self.same(networkx.gnp_random_graph(100, 0.03, seed=seed, directed=True))

    def test_undirected_weights_and_multigraphs(self):
        karate = networkx.karate_club_graph()
        self.same(karate)
        self.same(karate, weight="weight")
        several = networkx.MultiDiGraph([("a", "b"), ("a", "b"), ("a", "c"), ("c", "a")])
        self.same(several)
        loops = networkx.Graph([(0, 0), (0, 1)])
        self.same(loops)

    def test_nodes_of_any_kind_and_nodes_without_edges(self):
        graph = networkx.DiGraph([(("x", 1), "y"), ("y", 3.5)])
        graph.add_node("alone")
        self.same(graph)
        with millrace.from_networkx(graph) as store:
            ours = store.pagerank(teleport={"alone": 1, "y": 2}).to_dict()
        theirs = networkx.pagerank(graph, personalization={"alone": 1, "y": 2}, tol=1e-15)
        for node, score in theirs.items():
            self.assertAlmostEqual(ours[node], score, delta=1e-9)

    def test_hits(self):
        graph = networkx.gnp_random_graph(60, 0.1, seed=3, directed=True)
        hubs, authorities = networkx.hits(graph, tol=1e-12, max_iter=10000)
        with millrace.from_networkx(graph) as store:
            with millrace.from_networkx(graph, transpose=True) as reverse:
                hits = store.hits(reverse, tolerance=1e-12)
        for node in graph:
            self.assertAlmostEqual(hits["hub"][node], hubs[node], delta=1e-7)
            self.assertAlmostEqual(hits["authority"][node], authorities[node], delta=1e-7)


@unittest.skipUnless(igraph, "no igraph; Debian: python3-igraph")
class Igraph(unittest.TestCase):
    def test_pagerank(self):
        graph = igraph.Graph.GRG(80, 0.2)
        numpy.testing.assert_allclose(
            millrace.pagerank(graph).scores, graph.pagerank(), atol=1e-9)
        several = igraph.Graph([(0, 1), (0, 1), (0, 2), (2, 0)], directed=True)
        several.vs["name"] = ["a", "b", "c"]
        several.es["strength"] = [1, 2, 3, 4]
        self.assertEqual(list(millrace.pagerank(several).to_dict()), ["a", "b", "c"])
        numpy.testing.assert_allclose(
            millrace.pagerank(several).scores, several.pagerank(), atol=1e-9)
        numpy.testing.assert_allclose(millrace.pagerank(several, weight="strength").scores,
                                      several.pagerank(weights="strength"), atol=1e-9)


@unittest.skipUnless(sparse, "no scipy; Debian: python3-scipy")
class Scipy(unittest.TestCase):
    def test_csr(self):
        matrix = sparse.random(50, 50, 0.1, "csr", random_state=4)
        with millrace.from_scipy(matrix) as store:
            self.assertEqual(store.n_edges, matrix.nnz)
            numpy.testing.assert_array_equal(store.degree()["in"], matrix.getnnz(0))
        weighted = millrace.pagerank(matrix, weight=True).scores
        step = numpy.asarray(matrix.astype(numpy.float32).astype(float).todense())
        degree = step.sum(1)
        step = numpy.where(degree[:, None] > 0, step / numpy.maximum(degree, 1e-300)[:, None], 1 / 50)
        exact = numpy.linalg.solve(numpy.eye(50) - 0.85 * step.T, numpy.full(50, 0.15 / 50))
        numpy.testing.assert_allclose(weighted, exact, atol=1e-9)

    def test_not_square(self):
        with self.assertRaises(millrace.InputError):
            millrace.from_scipy(sparse.csr_matrix((2, 3)))


if __name__ == "__main__":
    unittest.main()
