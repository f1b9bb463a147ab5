# SPDX-License-Identifier: Apache-2.0
"""The backend of networkx gives what networkx gives: on graphs of all its kinds, and in networkx's own tests."""

import contextlib
import copy
import functools
import inspect
import io
import pickle
import random
import unittest

try:
    import networkx
    import scipy  # pylint: disable=unused-import; networkx ranks with it
except ImportError:
    networkx = None
try:
    import pytest
except ImportError:
    pytest = None

KINDS = ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph")
FAMILIES = ("connected", "weakly_connected", "strongly_connected")


def some_graph(kind, seed):
    """Nodes of several types, self-loops, parallel edges, weights that are there, missing and 0."""
    draw = random.Random(f"{kind} {seed}")
    graph = getattr(networkx, kind)()
    nodes = [*range(20), *"abcdefgh", ("x", 1), 2.5]
    graph.add_nodes_from(nodes)
    for _ in range(60):
        graph.add_edge(draw.choice(nodes[:25]), draw.choice(nodes),
                       **draw.choice([{}, {}, {"weight": 0}, {"weight": draw.randint(1, 9)}]))
    return graph


def here(name, graph, *args, **kwargs):
    """The function of the backend, with the graph converted as networkx does it."""
    from millrace import networkx_backend as backend  # pylint: disable=import-outside-toplevel
    weight = kwargs.get("weight", "weight")
    converted = backend.convert_from_nx(graph, edge_attrs=weight and {weight: 1})
    return getattr(backend, name)(converted, *args, **kwargs)


@unittest.skipUnless(networkx, "no networkx and scipy; Debian: python3-networkx python3-scipy")
class Backend(unittest.TestCase):
    def near(self, ours, theirs, delta):
        self.assertEqual(list(ours), list(theirs))
        for node, score in theirs.items():
            self.assertIs(type(ours[node]), float if ours[node] else type(theirs[node]))
            self.assertAlmostEqual(ours[node], score, delta=delta)

    def test_pagerank(self):
        for kind in KINDS:
            for options in ({}, {"weight": None}, {"alpha": 0.5}, {"personalization": {0: 1, "a": 2, "no node": 5}},
                            {"dangling": {3: 1, "b": 2}}, {"dangling": {1: 1}, "personalization": {2: 1}}):
                with self.subTest(kind=kind, options=options):
                    graph = some_graph(kind, 1)
                    self.near(here("pagerank", graph, tol=1e-9, **options),
                              networkx.pagerank(graph, tol=1e-15, max_iter=3000, **options), 1e-8)

    def test_dangling_at_high_damping(self):
        graph = networkx.DiGraph([(0, 0), (0, 1)])  # the ranks are (1 - a) / 2 / (1 - a / 2) and the rest
        for alpha in (0.85, 0.99, 0.999):
            first = (1 - alpha) / 2 / (1 - alpha / 2)
            for tol in (1e-6, 1e-8, 1e-11):
                self.near(here("pagerank", graph, alpha=alpha, dangling={1: 1}, tol=tol, max_iter=20000),
                          {0: first, 1: 1 - first}, 2 * tol * alpha / (1 - alpha))

    def test_hits(self):
        for kind in KINDS:
            graph = some_graph(kind, 2)
            for ours, theirs in zip(here("hits", graph, max_iter=1000, tol=1e-10), networkx.hits(graph, tol=0)):
                self.near(ours, theirs, 1e-6)

    def test_harmonic_centrality(self):
        for kind in KINDS:
            for options in ({}, {"nbunch": [3, "a", "no node"]}, {"sources": [1, "b", ("x", 1)]}, {"nbunch": "c"}):
                graph = some_graph(kind, 3)
                ours, theirs = here("harmonic_centrality", graph, **options), dict.fromkeys(graph, 0)
                for source in options.get("sources", graph):
                    for node, far in networkx.shortest_path_length(graph, source).items():
                        theirs[node] += 1 / far if far else 0
                chosen = [node for node in options.get("nbunch", graph) if node in graph]
                self.assertEqual(sorted(map(str, ours)), sorted(map(str, chosen)))
                self.near(ours, {node: theirs[node] for node in ours}, 1e-9)

    def test_katz_and_eigenvector_centrality(self):
        for kind in KINDS[:2]:
            for options in ({}, {"weight": "weight"}):
                graph = some_graph(kind, 4)
                for more in ({}, {"normalized": False, "beta": 2.5}, {"beta": {node: i for i, node in enumerate(graph)}}):
                    both = {"alpha": 0.01, "tol": 1e-12, **options, **more}
                    self.near(here("katz_centrality", graph, **both),
                              networkx.katz_centrality(graph, max_iter=3000, **both), 1e-8 * len(graph) ** 2)
                self.near(here("eigenvector_centrality", graph, max_iter=3000, tol=1e-11, **options),
                          networkx.eigenvector_centrality(graph, max_iter=9000, tol=1e-13, **options), 1e-6)
        for graph in (networkx.MultiGraph([(0, 1)]), networkx.MultiDiGraph([(0, 1)])):
            for name in ("katz_centrality", "eigenvector_centrality"):
                self.assertRaises(networkx.NetworkXNotImplemented, here, name, graph)
        with self.assertRaises(networkx.PowerIterationFailedConvergence):
            here("katz_centrality", networkx.complete_graph(5), alpha=0.25, weight=None)
        with self.assertRaises(networkx.PowerIterationFailedConvergence):
            here("eigenvector_centrality", networkx.DiGraph([(0, 1), (1, 2)]), weight=None)

    def test_components(self):
        for kind in KINDS:
            for family in FAMILIES[1:] if "Di" in kind else FAMILIES[:1]:
                for seed in range(4):
                    graph = some_graph(kind, seed)
                    theirs = list(map(frozenset, getattr(networkx, f"{family}_components")(graph)))
                    self.assertEqual(here(f"number_{family}_components", graph), len(theirs))
                    if family != "strongly_connected":  # networkx lists them in the order of its search
                        self.assertEqual(set(map(frozenset, here(f"{family}_components", graph))), set(theirs))

    def test_a_converted_graph_is_copied(self):
        from millrace import networkx_backend as backend  # pylint: disable=import-outside-toplevel
        graph = backend.convert_from_nx(some_graph("DiGraph", 1), edge_attrs={"weight": 1})
        scores = backend.pagerank(graph)
        for made in (pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph)):
            self.assertEqual(backend.pagerank(made), scores)

    def test_what_networkx_asks_first(self):
        from millrace import networkx_backend as backend  # pylint: disable=import-outside-toplevel
        graph = networkx.DiGraph([(0, 1)])
        self.assertIs(backend.can_run("hits", (graph,), {"tol": 1e-3}), True)
        self.assertIn("method", backend.can_run("hits", (graph,), {"method": "power"}))
        self.assertIn("quicker", backend.should_run("hits", (graph,), {}))
        graph.add_nodes_from(range(backend.SMALL))
        self.assertIs(backend.should_run("hits", (), {"G": graph}), True)
        self.assertEqual(set(backend.get_info()["functions"]), set(backend.FUNCTIONS))

    def test_what_is_not_done_here_is_said(self):
        graph = some_graph("DiGraph", 1)
        negative = networkx.DiGraph([(0, 1, {"weight": -1.0})])
        huge, exact = networkx.DiGraph([(0, 1, {"weight": 1e40})]), networkx.DiGraph([(0, 1, {"weight": 0.1})])
        for name, of, options in (("pagerank", graph, {"alpha": 1}), ("pagerank", huge, {}), ("pagerank", graph, {"tol": 0}),
                                  ("pagerank", exact, {"tol": 1e-12}), ("pagerank", graph, {"nstart": {0: 0}}),
                                  ("pagerank", graph, {"dangling": {0: 0}}), ("hits", graph, {"normalized": False}),
                                  ("hits", networkx.empty_graph(2), {}), ("pagerank", negative, {}), ("hits", negative, {}),
                                  ("harmonic_centrality", graph, {"distance": "weight"}),
                                  ("katz_centrality", graph, {"alpha": 0})):
            with self.subTest(name=name, options=options), self.assertRaises(NotImplementedError):
                here(name, of, **options)
        for name in ("pagerank", "hits"):
            with self.assertRaises(networkx.PowerIterationFailedConvergence):
                here(name, graph, max_iter=1)

    def test_a_converted_graph_comes_back(self):
        from millrace import networkx_backend as backend  # pylint: disable=import-outside-toplevel
        for kind in KINDS:
            graph = some_graph(kind, 1)
            back = backend.convert_to_nx(backend.convert_from_nx(graph, preserve_edge_attrs=True))
            self.assertEqual(type(back), type(graph))
            self.assertEqual(list(back), list(graph))
            weighted = [sorted((str(u), str(v), w) for u, v, w in one.edges(data="weight", default=1))
                        for one in (graph, back)]
            self.assertEqual(*weighted)


class Shim:
    """Puts the backend behind the functions of networkx, as its dispatch does with backend_priority and fallback.
    networkx before 3.2 has none."""

    def __init__(self):
        self.calls = 0
        from millrace import networkx_backend as backend  # pylint: disable=import-outside-toplevel
        self.originals = {name: getattr(networkx, name) for name in backend.FUNCTIONS}

    def replacement(self, name, original):
        signature = inspect.signature(original)

        @functools.wraps(original)
        def run(*args, **kwargs):
            bound = signature.bind(*args, **kwargs)
            graph = bound.arguments["G"]
            try:
                result = here(name, graph, *bound.args[1:], **bound.kwargs)
            except NotImplementedError:
                return original(*args, **kwargs)
            self.calls += 1
            return result
        return run

    def __enter__(self):
        for name, original in self.originals.items():
            setattr(networkx, name, self.replacement(name, original))
        return self

    def __exit__(self, *_):
        for name, original in self.originals.items():
            setattr(networkx, name, original)


@unittest.skipUnless(networkx and pytest, "no networkx, scipy and pytest; Debian: python3-networkx python3-scipy "
                     "python3-pytest")
class TheirTests(unittest.TestCase):
    def test_all(self):
        modules = [f"networkx.algorithms.{name}" for name in (
            "link_analysis.tests.test_pagerank", "link_analysis.tests.test_hits",
            "centrality.tests.test_harmonic_centrality", "centrality.tests.test_katz_centrality",
            "centrality.tests.test_eigenvector_centrality", "components.tests.test_connected",
            "components.tests.test_weakly_connected", "components.tests.test_strongly_connected")]
        # Of networkx before 3: expects an exception of scipy.
        left_out = ["test_hits_not_convergent" if networkx.__version__ < "3" else "none"]
        said = io.StringIO()
        with Shim() as shim, contextlib.redirect_stdout(said):
            code = pytest.main(["-q", "-p", "no:cacheprovider", "--tb=short", "-k", f"not {' and not '.join(left_out)}",
                                "--pyargs", *modules])
        self.assertEqual(code, 0, said.getvalue())
        self.assertGreater(shim.calls, 50)
        print(f"networkx {networkx.__version__}: {said.getvalue().splitlines()[-1]}; {shim.calls} calls came here")


if __name__ == "__main__":
    unittest.main()
