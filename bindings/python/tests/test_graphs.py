# SPDX-License-Identifier: Apache-2.0
"""Graphs in the forms of Python, networkx, igraph and scipy; their ranks are the oracle."""

import os
import tempfile
import unittest
import warnings

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
    import pandas
except ImportError:
    pandas = None
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


class Directions(unittest.TestCase):
    """What is guessed of a direction is a warning."""

    def warned(self, make):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with make() as store:
                links = sorted((store.label(int(a)), store.label(int(b))) for a, b in store.edges())
        return links, [str(one.message) for one in caught]

    def test_columns_without_known_names(self):
        table = {"left": numpy.array([1, 2]), "right": numpy.array([2, 3])}
        self.assertEqual(self.warned(lambda: millrace.build(table)), ([(1, 2), (2, 3)], [
            'the table has no known names of columns; "left" is read as source, "right" as target; if the target comes '
            'first, say columns="target-source"']))
        self.assertEqual(self.warned(lambda: millrace.build(table, columns="target-source")), ([(2, 1), (3, 2)], []))
        self.assertEqual(self.warned(lambda: millrace.build(table, source="right", target="left")), ([(2, 1), (3, 2)], []))
        known = {"to": table["left"], "from": table["right"]}
        self.assertEqual(self.warned(lambda: millrace.build(known)), ([(2, 1), (3, 2)], []))

    def test_files_without_a_header(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "links.txt")
            with open(path, "w", encoding="ascii") as file:
                file.write("a b\nb c\n")
            links, said = self.warned(lambda: millrace.build_files(None, path))
            self.assertEqual((links, len(said)), ([("a", "b"), ("b", "c")], 1))
            self.assertIn('read as source, then target; if the target comes first, say columns="target-source"', said[0])
            self.assertEqual(self.warned(lambda: millrace.build_files(None, path, columns="target-source"))[1], [])

    def test_a_warning_that_is_an_error_ends_the_build(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(UserWarning, "is read as source"):
                millrace.build({"left": numpy.array([1]), "right": numpy.array([2])})

    def test_arrays_that_may_be_something_else(self):
        links, said = self.warned(lambda: millrace.build(numpy.array([[0, 1], [2, 0]])))
        self.assertEqual(links, [(0, 1), (2, 0)])
        self.assertEqual(said, [
            "links of the shape (2, 2) are read as two links, one in each row; else give links.T, if sources are in one row "
            "and targets in the other; or scipy.sparse.csr_array(links), if it is an adjacency matrix with links from rows "
            "to columns"])
        self.assertEqual(self.warned(lambda: millrace.build(numpy.array([[0, 1], [2, 0], [1, 2]])))[1], [])
        for array, hint in ((numpy.zeros((2, 5), int), "links.T"), (numpy.zeros((3, 3)), "csr_array"),
                            (numpy.zeros((3, 3), int), "csr_array")):
            with self.assertRaisesRegex(millrace.InputError, f"it has the shape .*; give .*{hint}"):
                millrace.build(array)


class Plain(unittest.TestCase):
    """Pairs, dictionaries, arrays of pairs and iterators: the store is that of two arrays."""

    def scores(self, sources, targets, n, weights=None):
        with millrace.build(sources, targets, n_vertices=n, weights=weights) as store:
            return store.pagerank(weights=weights is not None).scores.tolist()

    def same(self, links, nodes, scores, **options):
        ours = millrace.pagerank(links, **options).to_dict()
        self.assertEqual(set(ours), set(nodes))
        for node, score in zip(nodes, scores):
            self.assertAlmostEqual(ours[node], score, delta=2e-9)

    def test_one_graph_in_every_form(self):
        sources, targets, weights = [0, 0, 1, 2], [1, 2, 2, 0], [3, 1, 2, 5]
        even, uneven = (self.scores(sources, targets, 3, of) for of in (None, weights))
        kinds = (["b", "a", "c"], [2, 7, 9], [("x", 1), "y", 3.5], [-1, 2**70, True],
                 [numpy.int64(4), 5, 2**64 - 1])
        for nodes in kinds:
            pairs = [(nodes[s], nodes[t]) for s, t in zip(sources, targets)]
            triples = [(*pair, weight) for pair, weight in zip(pairs, weights)]
            table = {nodes[0]: {nodes[1]: 3, nodes[2]: 1}, nodes[1]: {nodes[2]: 2},
                     nodes[2]: {nodes[0]: 5}}
            for links in (iter(pairs), set(pairs), [list(pair) for pair in pairs],
                          {node: list(to) for node, to in table.items()}):
                self.same(links, nodes, even)
            for links in (triples, table):
                self.same(links, nodes, uneven, weight=True)

    def test_arrays_and_chunks(self):
        rng = numpy.random.default_rng(5)
        links = rng.integers(0, 1000, (30000, 2))
        weights = rng.uniform(0.5, 2, 30000).astype(numpy.float32)
        names = range(1000)
        even, uneven = (self.scores(*links.T, 1000, of) for of in (None, weights))
        cuts = [0, 1, 1, 5000, 12000, 30000]
        parts = [slice(a, b) for a, b in zip(cuts, cuts[1:])]
        for form in (links, links.astype(numpy.uint16), [links[part] for part in parts],
                     (links[part] for part in parts)):
            self.same(form, names, even)
        self.same([(links[part], weights[part]) for part in parts], names, uneven, weight=True)
        self.same(numpy.array([["b", "a"], ["a", "b"]]), ["a", "b"], [0.5, 0.5])

    def test_pages_without_links_and_no_links(self):
        for nodes in (["b", "a", "c"], [7, 5, 300], [("x",), None.__class__, 2.5]):
            self.same({nodes[0]: [nodes[1]], nodes[2]: []}, nodes, self.scores([0], [1], 3))
        self.assertEqual(millrace.pagerank([]).to_dict(), {})
        self.assertEqual(millrace.pagerank([(0, 1)]).top(5)[0][0], 1)
        with millrace.build([(1, 3)], n_vertices=5) as store:
            self.assertEqual(list(store.degree().to_dict("in")), [0, 1, 2, 3, 4])

    def test_the_names_are_in_the_store(self):
        for links, names in (([("b", "a")], ["a", "b"]), ([(10, 20)], ["10", "20"]),
                             ({10: [20], 5: []}, ["10", "20", "5"])):
            with millrace.build(links) as made, millrace.open(made.path) as store:
                self.assertEqual(sorted(store.names), names)

    @unittest.skipUnless(pandas, "no pandas; Debian: python3-pandas")
    def test_tables(self):
        even, uneven = (self.scores([0, 0, 1], [1, 2, 2], 3, of) for of in (None, [1, 3, 2]))
        for nodes, source, target in ((["b", "a", "c"], ["b", "b", "a"], ["a", "c", "c"]),
                                      ([2, 7, 9], [2, 2, 7], [7, 9, 9])):
            table = pandas.DataFrame({"source": source, "target": target, "weight": [1, 3, 2]})
            self.same(table[["source", "target"]], nodes, even)
            self.same(table, nodes, uneven, weight=True)
            self.same(table, nodes, even)
            self.same(table[["weight", "target", "source"]], nodes, uneven, weight=True)
            table.columns = ["one", "two", "three"]
            with self.assertRaisesRegex(millrace.InputError, "3 columns, and their names do not say"):
                millrace.pagerank(table)
            with self.assertRaisesRegex(TypeError, "no weights; it is called weight here"):
                millrace.pagerank(table, weights=True)
            self.same(table, nodes, uneven, source="one", target="two", weight="three")
            self.same(table, nodes, uneven, columns="one,two,three", weight=True)
            self.same(table, nodes, even, columns="one,two")
            for missing in (None, float("nan")):
                with self.assertRaises(millrace.InputError):
                    millrace.pagerank(pandas.DataFrame({"s": source, "t": [*target[:2], missing]}))

    def test_what_is_no_links_is_refused(self):
        nan = float("nan")
        for links in (["ab", "cd"], [("a",)], [("a", "b", 1)], [("a", "b"), ("c",)], 5, None,
                      numpy.array([1, 2]), numpy.array([[1.0, 2.0]]), numpy.array([[1, 2, 3]]),
                      numpy.array([[1, -2]]), [(None, "a")], [(nan, 1)], {"a": "bc"}, {"a": 5},
                      {("a", "b"): 1.0}, [numpy.array([[1, 2]]), 5], [numpy.array([[1, -2]])],
                      [("a", "b\0")], b"ab"):
            with self.subTest(links=links), self.assertRaises(millrace.InputError):
                millrace.pagerank(links)
        for links in ([("a", "b")], {"a": ["b"]}, [numpy.array([[1, 2]])], [("a", "b", nan)],
                      [("a", "b", -1)], [(numpy.array([[1, 2]]), [1, 2])]):
            with self.subTest(links=links), self.assertRaises(millrace.InputError):
                millrace.pagerank(links, weight=True)

    def test_an_exception_of_an_iterator_comes_out(self):
        def chunks():
            yield numpy.array([[1, 2]])
            raise ZeroDivisionError("mine")

        context = millrace.Context()
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            millrace.build(chunks(), context=context)
        self.assertEqual(len(millrace.build([(0, 1)], context=context)), 2)


if __name__ == "__main__":
    unittest.main()
