# SPDX-License-Identifier: Apache-2.0
"""The module: builds, rankings, names, arrays, exceptions. The oracle of ranks is in this file."""

import gc
import importlib.util
import inspect
import os
import pathlib
import pickle
import sys
import tempfile
import types
import unittest
import unittest.mock
import warnings

import numpy

import millrace
from millrace import _library as c

NAMES = ["http://b.example/", "http://a.example/1", "http://a.example/2", "http://c.example/"]
SOURCES, TARGETS = [0, 0, 1, 2, 3], [1, 2, 2, 0, 2]


def power_iteration(sources, targets, n, teleport=None, damping=0.85):
    """PageRank by the book in numpy; dangling vertices go where the teleport goes."""
    links = numpy.zeros((n, n))
    links[sources, targets] = 1
    degree = links.sum(1)
    share = numpy.full(n, 1 / n) if teleport is None else teleport / teleport.sum()
    rank = share.copy()
    for _ in range(400):
        out = numpy.where(degree > 0, rank / numpy.maximum(degree, 1), 0)
        rank = damping * (out @ links + rank[degree == 0].sum() * share) + (1 - damping) * share
    return rank


class InDirectory(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = pathlib.Path(self.directory.name)


class Builds(InDirectory):
    def test_arrays_with_names(self):
        store = millrace.build(SOURCES, TARGETS, self.path / "web.mill", names=NAMES)
        self.assertEqual((len(store), store.n_edges, store.n_dangling), (4, 5, 0))
        self.assertEqual(sorted(store.names), sorted(NAMES))
        for name in NAMES:
            self.assertEqual(store.names[store.names.find(name)], name)
        self.assertEqual([name for _, name in store.names.sorted()], sorted(
            NAMES, key=lambda name: name.replace("http://", "").split("/")))
        self.assertNotIn("http://nowhere.example/", store.names)
        with self.assertRaises(KeyError):
            store.names.find("http://nowhere.example/")
        with self.assertRaises(IndexError):
            store.names[4]
        with self.assertRaisesRegex(TypeError, "names.find"):
            store.names[NAMES[0]]

    def test_a_name_that_is_not_utf_8_comes_back(self):
        odd = b"http://a.example/\xff".decode("utf-8", "surrogateescape")
        with millrace.build([0], [1], names=[odd, "x"]) as store:
            self.assertIn(odd, store.names)
            self.assertEqual(set(store.names), {odd, "x"})

    def test_files(self):
        links = self.path / "links.txt"
        links.write_text("1 2\n2 3\n3 2\n")
        with millrace.build_files(self.path / "web.mill", links) as store:
            self.assertEqual(sorted(store.names), ["1", "2", "3"])
            self.assertEqual(store.build_figures["input_edges"], 3)
        with millrace.build_files(self.path / "two.mill", [links, links], columns="target-source",
                                  keep_duplicates=True) as store:
            self.assertEqual(store.n_edges, 6)
            self.assertEqual(store.degree().to_dict("out"), {1: 0, 2: 4, 3: 2})

    def test_files_are_appended(self):
        for name, text in (("a.txt", "a b\nb c\nc a\n"), ("b.txt", "a c\nd a\n"), ("gone.txt", "b\n"),
                           ("seeds.txt", "s\n")):
            (self.path / name).write_text(text)
        files = [self.path / name for name in ("a.txt", "b.txt")]
        with millrace.build_files(self.path / "g.mill", files[0]) as before:
            with millrace.append_files(before, files[1]) as store:
                self.assertEqual((store.n_edges, before.n_edges), (5, 3))
                self.assertEqual(store.append_figures["n_new_links"], 2)
                self.assertEqual(store.store_id, millrace.build_files(None, files).store_id)
        store = millrace.append_files(
            self.path / "g.mill", files[1], replace=True, gone=self.path / "gone.txt",
            seeds=[self.path / "seeds.txt"], drop_unlinked=True)
        self.assertEqual(store.degree().to_dict("out"), {"a": 1, "c": 1, "d": 1, "s": 0})
        with millrace.build_files(None, files[0]) as temporary:
            store = millrace.append_files(temporary, files[1], columns="target-source")
        self.assertEqual(store.degree().to_dict("in"), {"a": 1, "b": 1, "c": 1, "d": 1})
        for options, said in (
                ({"inputs": files, "undirected": True}, "fixed undirected=True; leave it out"),
                ({"inputs": files, "keep_duplicates": True}, "fixed keep_duplicates; leave it out"),
                ({}, "needs an input file"), ({"seeds": files, "replace": True}, "^replace=True needs"),
                ({"seeds": files, "drop_unlinked": True}, "say which with gone FILE"),
                ({"inputs": files, "max_unknown": -1}, "^max_unknown: -1"),
                ({"inputs": files, "zstd_level": 20}, "zstd")):
            with self.subTest(**options), self.assertRaisesRegex(millrace.UsageError, said):
                millrace.append_files(self.path / "g.mill", **options)
        (self.path / "gone.txt").write_text("x\ny\na\n")
        with self.assertRaisesRegex(millrace.InputError, "max_unknown"):
            millrace.append_files(self.path / "g.mill", gone=self.path / "gone.txt")

    def test_no_output_gets_into_a_store_or_onto_an_input(self):
        web, links, scores = (self.path / name for name in ("web.mill", "links.txt", "scores.tsv"))
        links.write_text("http://a.org/\thttp://b.org/\nhttp://b.org/\thttp://c.org/\n")
        store = millrace.build_files(web, links)
        ranking = store.pagerank()
        ranking.write(scores)
        inside, own = "is inside a store", "is also an input"
        for said, call in (
                (inside, lambda: store.export(web / "links.1", to="edges", force=True)),
                (inside, lambda: store.export(web / "new", to="edges")),
                (inside, lambda: store.export(self.path / "x.txt", to="edges", names=web / "names.1", force=True)),
                (own, lambda: store.export(web, to="edges", force=True)),
                (inside, lambda: ranking.write(web / "MANIFEST", force=True)),
                (inside, lambda: store.report(web / "MANIFEST", force=True)),
                (inside, lambda: store.report(self.path / "x.html", charts=web / "charts")),
                (own, lambda: store.report(scores, [scores], force=True)),
                (inside, lambda: store.precedence(ranking, path=web / "names.1", force=True)),
                (inside, lambda: store.fold(self.path / "f.mill", members=web / "links.1", force=True)),
                (own, lambda: store.fold(web, force=True)),
                (own, lambda: store.reverse(web, force=True)),
                (inside, lambda: millrace.build([0], [1], web / "inner.mill")),
                (own, lambda: millrace.build_files(links, links, force=True)),
                (own, lambda: millrace.convert(links, links, to="urls", force=True)),
                (own, lambda: millrace.convert(web, web, to="urls", force=True)),
                (inside, lambda: store.opic(state=web / "state")),
                (inside, lambda: store.pagerank(checkpoint=web / "state"))):
            with self.subTest(said=said), self.assertRaisesRegex(millrace.UsageError, said):
                call()
        store.check(full=True)
        self.assertFalse(any((self.path / name).exists() for name in ("f.mill", "x.txt", "x.html")))
        self.assertEqual(len(links.read_text().split()), 4)

    def test_a_fold_is_the_graph_of_hosts(self):
        pages = ["http://x.a.com/1", "http://x.a.com/2", "http://y.a.com/", "http://b.com/", "nowhere"]
        store = millrace.build([0, 1, 2, 0, 4], [3, 3, 3, 1, 3], names=pages)
        for options, edges in (
                ({}, {("com.a.x", "com.b"): 2, ("com.a.y", "com.b"): 1}),
                ({"by": "domain"}, {("com.a", "com.b"): 3}),
                ({"by": "icann-domain", "weights": "pages", "self_loops": True},
                 {("com.a", "com.b"): 3, ("com.a", "com.a"): 1})):
            hosts = store.fold(self.path / "hosts.mill", force=True, members=self.path / "n.tsv", **options)
            degree, total = hosts.degree(weights=True), {}
            for (source, _), weight in edges.items():
                total[source] = total.get(source, 0) + weight
            self.assertEqual({k: v for k, v in degree.to_dict("out").items() if v}, total)
            self.assertEqual((hosts.fold_figures["n_alone"], hosts.n_edges), (1, len(edges)))
        self.assertEqual((self.path / "n.tsv").read_text(), "com.a\t3\ncom.b\t1\n")
        self.assertFalse(store.fold(self.path / "plain.mill", weights="none").has_weights)
        with self.assertRaises(millrace.UsageError):
            store.fold(self.path / "hosts.mill")
        with self.assertRaises(millrace.UsageError):
            store.fold(self.path / "new.mill", members=self.path / "n.tsv")
        self.assertFalse((self.path / "new.mill").exists())
        for options in ({"by": "site"}, {"weights": "all"}, {"zstd_level": 20}):
            with self.subTest(**options), self.assertRaises(millrace.UsageError):
                store.fold(self.path / "new.mill", **options)
        with millrace.build([0], [1]) as numbers, self.assertRaises(millrace.InputError):
            numbers.fold(self.path / "new.mill")

    def test_a_store_stays_and_a_temporary_one_goes(self):
        millrace.build([0], [1], self.path / "a.mill").close()
        self.assertEqual(len(millrace.open(self.path / "a.mill")), 2)
        with millrace.build([0], [1]) as store:
            self.assertTrue(os.path.exists(store.path))
        self.assertFalse(os.path.exists(store.path))

    def test_weights(self):
        with millrace.build([0, 0], [1, 2], weights=[3, 1]) as store:
            self.assertTrue(store.has_weights)
            degree = store.degree(weights=True)["in"]
            self.assertEqual(degree.tolist(), [0, 3, 1])
            even, uneven = store.pagerank().scores, store.pagerank(weights=True).scores
            self.assertEqual(even[1], even[2])
            self.assertGreater(uneven[1], uneven[2])

    def test_arrays_of_all_integer_types_and_none(self):
        for kind in (numpy.int32, numpy.uint8, numpy.int64, numpy.uint64):
            with millrace.build(numpy.array([0, 5], kind)[::-1], numpy.array([1, 1], kind),
                                n_vertices=6) as store:
                self.assertEqual(store.degree()["out"].tolist(), [1, 0, 0, 0, 0, 1])
        with millrace.build([], [], n_vertices=3) as store:
            self.assertEqual(store.pagerank().scores.tolist(), [1 / 3] * 3)


class Rankings(InDirectory):
    def setUp(self):
        super().setUp()
        self.store = millrace.build(SOURCES, TARGETS, n_vertices=5)
        self.addCleanup(self.store.close)

    def test_pagerank_and_certificate(self):
        ranking = self.store.pagerank(tolerance=1e-12)
        exact = power_iteration(SOURCES, TARGETS, 5)
        self.assertTrue(ranking.converged)
        self.assertEqual(ranking.bound_kind, "error")
        self.assertLessEqual(numpy.abs(ranking.scores - exact).sum(), ranking.error_bound + 1e-15)
        self.assertLessEqual(ranking.error_bound, 1e-12)
        self.assertEqual(ranking.top(2), [(2, ranking.scores[2]), (0, ranking.scores[0])])
        self.assertEqual(ranking.to_dict()[3], ranking.scores[3])

    def test_teleport_in_three_forms(self):
        exact = power_iteration(SOURCES, TARGETS, 5, numpy.array([1, 0, 0, 3.0, 0]))
        for teleport in ({"0": 1, "3": 3}, ["0", "3", "3", "3"], numpy.array([1, 0, 0, 3.0, 0])):
            numpy.testing.assert_allclose(
                self.store.pagerank(teleport=teleport).scores, exact, atol=1e-9)

    def test_an_array_outlives_ranking_and_store(self):
        with millrace.build(SOURCES, TARGETS) as store:
            ranking = store.pagerank()
            scores, copy = ranking.scores, ranking.scores.copy()
            self.assertIs(ranking.scores, scores)
            self.assertFalse(scores.flags.owndata)
            del ranking
        del store
        gc.collect()
        filler = [numpy.ones(4) for _ in range(1000)]
        self.assertEqual(scores.tolist(), copy.tolist())
        self.assertEqual(len(filler), 1000)
        with self.assertRaises(ValueError):
            scores[0] = 1

    def test_start_needs_fewer_passes(self):
        scores = self.store.pagerank(tolerance=1e-12).scores
        again = self.store.pagerank(start=scores)
        self.assertLessEqual(again.passes, self.store.pagerank().passes)
        with self.assertRaises(millrace.InputError):
            self.store.pagerank(start=scores[1:])

    def test_what_did_not_converge_warns(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ranking = self.store.pagerank(max_passes=1)
        self.assertEqual([w.category for w in caught], [millrace.NotConverged])
        self.assertFalse(ranking.converged)

    def test_hits_makes_a_reverse(self):
        with self.store.reverse(self.path / "other.mill") as reverse:
            given = self.store.hits(reverse)
        numpy.testing.assert_array_equal(self.store.hits().scores, given.scores)
        self.assertIn("rounds changed hubs", given.text)
        self.assertEqual(given.bound_kind, "estimate")
        again = self.store.hits(start=given["hub"], probe=0)
        self.assertLess(again.rounds, given.rounds)
        self.assertIsNone(again.bound_kind)
        self.assertRaises(TypeError, self.store.hits, "reverse.mill")
        only = self.store.hits(page_scores=["2"])
        self.assertEqual(set(numpy.flatnonzero(only["hub"])), {0, 1, 3})

    def test_hits_refuses_the_reverse_of_another_graph(self):
        """Two rings of three pages and a ring of six have the same degrees."""
        rings = millrace.build([0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3], n_vertices=6)
        ring = millrace.build([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0], n_vertices=6)
        reverse = ring.reverse(self.path / "ring.mill")
        with self.assertRaisesRegex(millrace.InputError, r"not the reverse.*store\.reverse\(path\)"):
            rings.hits(reverse)
        self.assertTrue(ring.hits(reverse).converged)

    def test_notebooks(self):
        ranking = self.store.pagerank()
        numpy.testing.assert_array_equal(numpy.asarray(ranking), ranking.scores)
        self.assertIn(f"<td>{ranking.top(1)[0][0]}</td>", ranking._repr_html_())
        self.assertIn(f"{len(self.store)} vertices", repr(self.store.names))
        shown = float(repr(ranking).split("error bound ")[1].rstrip(">"))
        self.assertTrue(ranking.error_bound <= shown <= 1.1 * ranking.error_bound, ranking)
        self.assertIn("n_edges", dir(self.store))
        try:
            import pandas
        except ImportError:
            return
        frame = ranking.to_pandas()
        self.assertEqual(list(frame.columns), ["score"])
        self.assertEqual(frame["score"].idxmax(), ranking.top(1)[0][0])
        self.assertIsInstance(frame, pandas.DataFrame)

    def test_every_public_function_has_types(self):
        for owner in (millrace, millrace.Store, millrace.Ranking, millrace.Names):
            for name, function in vars(owner).items():
                if inspect.isfunction(function) and not name.startswith("_"):
                    self.assertIn("return", function.__annotations__, name)
                    self.assertTrue(function.__doc__ or owner is millrace.Store, name)

    def test_single_precision(self):
        ranking = self.store.pagerank(precision="single")
        self.assertEqual((ranking.scores.dtype, ranking.tolerance), (numpy.float32, 1e-5))
        error = numpy.abs(ranking.scores - power_iteration(SOURCES, TARGETS, 5)).sum()
        self.assertLessEqual(error, ranking.error_bound + 1e-12)
        ranking.write(self.path / "ranks.npy")
        self.assertEqual(numpy.load(self.path / "ranks.npy").dtype, numpy.float32)
        self.assertLess(self.store.certify(ranking).error_bound, 1e-5)
        with self.assertRaises(millrace.UsageError):
            self.store.pagerank(precision="half")

    def test_an_early_end_and_what_it_proves(self):
        whole = self.store.pagerank(tolerance=1e-12)
        self.assertFalse(whole.proven_until)
        for options in ({"until": "order:3"}, {"until": "levels:5"}, {"until": "levels:2:0"}):
            ranking = self.store.pagerank(tolerance=1e-12, **options)
            self.assertTrue(ranking.proven_until, options)
            self.assertLessEqual(ranking.passes, whole.passes + 2)
        for options in ({"until": "order"}, {"until": "levels:127"}, {"until": "order:-1"}, {"until": "levels:5:1"},
                        {"until": "order:2", "iterations": 3}):
            with self.subTest(**options), self.assertRaises(millrace.UsageError):
                self.store.pagerank(**options)

    def test_a_stopped_ranking_goes_on_from_its_checkpoint(self):
        random = numpy.random.default_rng(1)
        links = random.integers(0, 2000, (20000, 2))
        state = self.path / "state"
        store = millrace.build(links)
        self.addCleanup(store.close)
        whole = store.pagerank()
        c.lib.mr_context_stop(store.context.handle.pointer, True)  # as Ctrl-C does
        with self.assertRaises(KeyboardInterrupt):
            store.pagerank(checkpoint=state)
        self.assertTrue(state.exists())
        with self.assertRaisesRegex(millrace.UsageError, "another run.*remove the file to begin anew$"):
            store.pagerank(checkpoint=state, damping=0.5)
        again = store.pagerank(checkpoint=state)
        self.assertEqual(again.scores.tolist(), whole.scores.tolist())
        self.assertEqual(again.passes, whole.passes)
        self.assertFalse(state.exists())
        state.write_text("something else")
        with self.assertRaisesRegex(millrace.UsageError, "another file with checkpoint$"):
            store.pagerank(checkpoint=state)

    def test_many_teleports_and_the_order_of_the_best(self):
        teleports = [["0"], {"1": 1, "3": 3}, numpy.array([1, 0, 0, 3.0, 0])]
        ranks = self.store.ppr(batch=teleports, tolerance=1e-12)
        self.assertEqual(ranks.columns, ["0", "1", "2"])
        self.assertEqual([one["name"] for one in ranks.figures["vectors"]], ranks.columns)
        named = self.store.ppr(batch={"x": ["0"], "y": teleports[1]}, tolerance=1e-12, width=1)
        self.assertEqual(named["y"].tolist(), ranks["1"].tolist())
        self.assertEqual(self.store.ppr(seed="0", tolerance=1e-12).scores.tolist(), named["x"].tolist())
        for column, weights in zip(ranks.columns, ([1, 0, 0, 0, 0], [0, 1, 0, 3, 0], [1, 0, 0, 3, 0])):
            exact = power_iteration(SOURCES, TARGETS, 5, numpy.array(weights, float))
            numpy.testing.assert_allclose(ranks[column], exact, atol=1e-11)
        for error, batch in ((KeyError, [["0"], ["nobody"]]), (millrace.UsageError, [[]]), (millrace.UsageError, []),
                             (TypeError, "0"), (TypeError, 3)):
            with self.subTest(batch=batch), self.assertRaises(error):
                self.store.ppr(batch=batch)
        with self.assertRaises(millrace.InputError):
            self.store.ppr(seed="nobody")
        with self.assertWarns(millrace.NotConverged):
            self.store.ppr(batch=[["0"]], tolerance=1e-300, max_passes=2)
        exact = power_iteration(SOURCES, TARGETS, 5)
        best = [name for name, _ in self.store.pagerank(until="order:2", tolerance=1e-12).top(2)]
        self.assertEqual(best, [self.store.label(v) for v in numpy.argsort(-exact)[:2]])

    def test_harmonic_and_components(self):
        # Links 0 -> 1 -> 2 -> 0, 0 -> 2, 3 -> 2; vertex 4 is alone.
        for sources, expected in ((None, [2, 11 / 6, 3, 0, 0]), (["3"], [1 / 2, 1 / 3, 1, 0, 0]),
                                  (["1", 0, "1"], [1 / 2, 1, 2, 0, 0])):
            found = self.store.harmonic(exact=True, sources=sources)["harmonic"]
            numpy.testing.assert_allclose(found, expected, rtol=1e-15)
        self.assertRaises(millrace.UsageError, self.store.harmonic, sources=[])
        components = self.store.components()
        self.assertEqual(components["weak"].tolist(), [0, 0, 0, 0, 4])
        self.assertEqual(components["strong"].tolist(), [0, 0, 0, 3, 4])
        self.assertEqual(components["part"].tolist(), [0, 0, 0, 1, 4])
        self.assertEqual(components.words, {"part": ["core", "in", "out", "tendrils", "disconnected"]})
        self.assertEqual(components.figures["bow_tie"]["core"], 3)
        self.assertEqual(components.figures["weak"]["by_size"], [
            {"from": 1, "components": 1, "pages": 1}, {"from": 4, "components": 1, "pages": 4}])
        self.assertNotIn("strong", self.store.components(weak_only=True).figures)
        self.assertIn("disconnected", components.text)
        components.write(self.path / "labels.csv")
        self.assertIn(",core", (self.path / "labels.csv").read_text())
        self.assertEqual(self.store.components(weak_only=True).columns, ["weak"])

    def test_every_kind_runs_and_says_what_it_found(self):
        from millrace import rankings  # pylint: disable=import-outside-toplevel
        self.assertEqual((pathlib.Path(rankings.__file__).parent / "rankings.pyi").read_text(), rankings.types())
        for name, kind in rankings.KINDS.items():
            ranking = getattr(self.store, name)(**{key: "0" if key == "seed" else ["0"] for key in kind.needs[:1]})
            self.assertEqual(ranking.columns, [column for column, when in kind.columns.items() if "with " not in when])
            self.assertEqual(list(ranking.figures), [row.name.decode() for row in kind.figures if not row.needs])
            for key in kind.options:
                self.assertIn(f"\n{key}: ", getattr(millrace.Store, name).__doc__)
                with self.assertRaises((TypeError, millrace.MillraceError)):
                    getattr(self.store, name)(**{key: object()})
            with self.assertRaises(TypeError):
                getattr(self.store, name)(no_such_option=1)

    def test_hits_salsa_trust_opic(self):
        reverse = self.store.reverse(self.path / "reverse.mill")
        hits = self.store.hits(reverse)
        links = numpy.zeros((5, 5))
        links[SOURCES, TARGETS] = 1
        authority = numpy.abs(numpy.linalg.eigh(links.T @ links)[1][:, -1])
        numpy.testing.assert_allclose(hits["authority"], authority / authority.sum(), atol=1e-7)
        self.assertEqual(hits.columns, ["hub", "authority"])
        self.assertAlmostEqual(self.store.salsa()["hub"].sum(), 1)
        trust = self.store.trustrank(trusted=["0"], spam_mass=True)
        numpy.testing.assert_allclose(
            trust["trust"], power_iteration(SOURCES, TARGETS, 5, numpy.eye(5)[0]), atol=1e-9)
        self.assertEqual(trust.columns, ["pagerank", "spam_mass", "spam_share", "trust"])
        self.assertEqual([one["name"] for one in trust.figures["vectors"]], ["trusted", "pagerank"])
        self.assertGreater(trust.error_bound, 1.9 * trust.figures["vectors"][0]["error_bound"])
        for options, problem in ((dict(), "trustrank needs trusted"),
                                 (dict(trusted=["0"], good_share=0.5), "good-share needs spam-mass")):
            with self.assertRaisesRegex(millrace.UsageError, problem):
                self.store.trustrank(**options)
        self.assertGreater(self.store.opic(tolerance=0.001).scores[2], 0.2)

    def test_opic_with_lists_and_a_state(self):
        state = self.path / "state"
        first = self.store.opic(state=state, targets=["0"], fetched="links", sweeps=3)
        self.assertEqual((first.columns, first.figures["payout"], first.figures["fetched"], first.rounds),
                         (["score"], "targets", "links", 3))
        again = self.store.opic(state=state, targets=["0"], fetched=["0", "1"], window=4, score_columns="all")
        self.assertEqual(again.columns, ["cash", "history", "last_visit", "score"])
        self.assertTrue(again.figures["continued"])
        self.assertEqual((again.figures["fetched"], again.figures["window"]), ("list", 4))
        timed = self.store.opic(times={"0": 100, "2": 2e9}, window="90d", visits=None)
        self.assertEqual((timed.figures["policy"], timed.figures["window"], timed.figures["visits"]),
                         ("times", 90 * 86400, 2))
        self.assertEqual(self.store.opic().figures["method"], "drain")
        with self.assertRaisesRegex(millrace.UsageError, "--window with a unit of time needs --times"):
            self.store.opic(window="3d")

    def test_certified_scores_of_others(self):
        exact = power_iteration(SOURCES, TARGETS, 5)
        table = dict(zip(self.store.names, 3 * exact))
        self.store.pagerank().write(self.path / "ranks.tsv")
        for scores in (exact, table, self.store.pagerank(), self.path / "ranks.tsv"):
            self.assertLess(self.store.certify(scores).error_bound, 1e-8)
        proof = self.store.certify(table, top=2)
        self.assertEqual((proof.top, proof.top_proven), (2, 2))
        self.assertAlmostEqual(proof.score_sum, 3)
        off = exact + 0.01 * numpy.eye(5)[4]
        error = numpy.abs(off / off.sum() - exact).sum()
        bound = self.store.certify(off).error_bound
        self.assertTrue(error <= bound <= 13 * error, (error, bound))
        near = power_iteration(SOURCES, TARGETS, 5, numpy.array([1, 0, 0, 3.0, 0]))
        self.assertLess(self.store.certify(near, teleport={"0": 1, "3": 3}).error_bound, 1e-12)
        self.assertGreater(self.store.certify(near).error_bound, 0.1)
        with millrace.build([9, 9, 8], [8, 7, 9]) as other:  # as many pages, other names
            with self.assertRaisesRegex(millrace.InputError, "max_unknown=3"):
                self.store.certify(other.pagerank())
        (self.path / "more.tsv").write_text("0\t1\nnobody\t1\n")
        for scores in ({**table, "nobody": 1}, self.path / "more.tsv"):
            with self.assertRaisesRegex(millrace.InputError, "max_unknown=1"):
                self.store.certify(scores)
            self.store.certify(scores, max_unknown=1)
        for scores in ({"0": -1}, {"0": float("inf")}, {}, exact[1:], exact[:, None], [0.0] * 5):
            with self.subTest(scores=scores), self.assertRaises(millrace.InputError):
                self.store.certify(scores)
        for options in ({"damping": 0}, {"damping": 1}, {"top": 0}, {"max_unknown": -1}):
            with self.subTest(**options), self.assertRaises(millrace.UsageError):
                self.store.certify(exact, **options)

    def test_pages_links_and_hosts(self):
        with millrace.build(SOURCES, TARGETS, names=NAMES, weights=[3, 1, 2, 1, 1]) as store:
            hub, page = NAMES[0], store.page(NAMES[2])
            self.assertEqual(store.links(hub), NAMES[1:3])
            self.assertEqual(store.links(hub, weights=True), [(NAMES[1], 3.0), (NAMES[2], 1.0)])
            self.assertEqual(store.links(NAMES[2], incoming=True), [NAMES[1], hub, NAMES[3]])
            self.assertEqual(store.links(NAMES[3], incoming=True), [])
            self.assertEqual((page.label, page.vertex), (NAMES[2], store.names.find(NAMES[2])))
            self.assertEqual((page.links_in, page.links_out, page.spellings), (3, 1, []))
            self.assertEqual((page.fetches, page.first_fetch, page.last_fetch), (0, None, None))
            self.assertEqual([host[:5] for host in store.hosts()], [
                ("a.example", 2, 2, 4, None), ("b.example", 1, 2, 1, None), ("c.example", 1, 1, 0, None)])
            self.assertTrue(numpy.isnan(store.hosts()[0].score))
            scores = {name: i for i, name in enumerate(NAMES)}
            self.assertEqual(
                [(host.host, host.internal, host.score) for host in store.hosts(internal=True, scores=scores)],
                [("a.example", 1, 3.0), ("b.example", 0, 0.0), ("c.example", 0, 3.0)])
            with self.assertRaises(KeyError):
                store.links("http://nowhere.example/")
            with self.assertRaisesRegex(millrace.InputError, "not finite"):
                store.hosts(scores={NAMES[0]: 1})
        graph = millrace.build({"a": {"b": 1}, ("t", 1): {"a": 1}})
        self.assertEqual(graph.links(("t", 1)), ["a"])
        self.assertEqual(graph.links("a", True), [("t", 1)])
        self.assertEqual(graph.page(("t", 1)).label, ("t", 1))

    def test_all_links_as_arrays(self):
        with millrace.build(SOURCES, TARGETS, names=NAMES, weights=[3, 1, 2, 1, 5]) as store:
            named = {(store.names[s], store.names[t]) for s, t in store.edges()}
            self.assertEqual(named, {(NAMES[s], NAMES[t]) for s, t in zip(SOURCES, TARGETS)})
            edges, weights = store.edges(weights=True)
            self.assertEqual((edges.shape, edges.dtype, weights.dtype), ((5, 2), numpy.uint32, numpy.float32))
            self.assertEqual({store.names[s]: w for (s, _), w in zip(edges, weights)}[NAMES[3]], 5.0)
            self.assertAlmostEqual(weights.sum(), 12)
            for wrong in (None, "x", 2):
                with self.assertRaises(TypeError):
                    store.edges(weights=wrong)
        with millrace.build([0, 0, 1], [1, 1, 2], keep_duplicates=True) as store:
            self.assertEqual(sorted(store.edges().tolist()), [[0, 1], [0, 1], [1, 2]])
            with self.assertRaises(millrace.InputError):
                store.edges(weights=True)
        many = numpy.random.default_rng(1).integers(0, 3000, (20000, 2))
        with millrace.build(many, n_vertices=3000) as store:
            self.assertEqual(set(map(tuple, store.edges().tolist())), set(map(tuple, many.tolist())))
            self.assertEqual(len(store.edges()), store.n_edges)

    def test_files_of_other_programs(self):
        b, a1, a2, other = NAMES
        out, names = self.path / "out", self.path / "names.txt"
        with millrace.build([0, 1, 2, 2], [1, 0, 1, 3], names=NAMES, weights=[1, 2, 0.5, 4]) as store:
            for options, text in (
                    ({"to": "urls"}, {f"{b} {a1}", f"{a1} {b}", f"{a2} {a1}", f"{a2} {other}"}),
                    ({"to": "urls", "transpose": True}, {f"{a1} {b}", f"{b} {a1}", f"{a1} {a2}", f"{other} {a2}"}),
                    ({"to": "urls", "host": "A.example"}, {f"{a2} {a1}"}),
                    ({"to": "urls", "vertices": [b, a1]}, {f"{b} {a1}", f"{a1} {b}"}),
                    ({"to": "urls", "vertices": []}, set()),
                    ({"to": "urls", "largest": "strong"}, {f"{b} {a1}", f"{a1} {b}"}),
                    ({"to": "csv"}, {"source,target,weight", f"{b},{a1},1", f"{a1},{b},2", f"{a2},{a1},0.5", f"{a2},{other},4"}),
                    ({"to": "csv", "weights": False}, {"source,target", f"{b},{a1}", f"{a1},{b}", f"{a2},{a1}", f"{a2},{other}"})):
                with self.subTest(options):
                    store.export(out, force=True, **options)
                    self.assertEqual(set(out.read_text().replace("\t", " ").splitlines()), text)
            store.export(self.path / "out.npy", vertices=[b, a1], names=names)
            ordered = names.read_text().split()
            self.assertEqual(ordered, sorted((b, a1), key=lambda name: "/a." not in name))
            self.assertEqual(sorted(numpy.load(self.path / "out.npy").T.tolist()), [[0, 1], [1, 0]])
            store.export(out, to="pages", scores={b: 4, a1: 3, a2: 2, other: 1}, seeds=[a2], force=True)
            rows = {line.split()[2]: line.split()[7:] for line in out.read_text().splitlines()}
            self.assertEqual(rows, {b: ["2", "4"], a1: ["1", "3"], a2: ["0", "2"], other: ["1", "1"]})
            before = sorted(os.listdir(self.path))
            for options, message in (
                    ({}, "choose one with to,"), ({"to": "x"}, "to x: must be u32, "), ({"to": "urls"}, "force=True"),
                    ({"to": "edges", "host": "a.example", "largest": "weak"}, "vertices, host and largest exclude"),
                    ({"to": "pages", "host": "a.example"}, "leave out"), ({"to": "edges", "seeds": [b]}, 'scores and seeds are about the table of to="pages"'),
                    ({"to": "wel", "weights": False, "force": True}, "weights=False leaves"), ({"to": "edges", "host": "x.org", "force": True}, "no page of"),
                    ({"to": "pages", "scores": {b: 1}, "force": True}, "not finite"),
                    ({"to": "pages", "transpose": True, "force": True}, "no links to reverse; leave out transpose=True"),
                    ({"to": "edges", "path": "-", "names": "-"}, "the links and names both"),
                    ({"to": "edges", "path": "nowhere/x", "host": "x.org"}, "nowhere"),
                    ({"to": "edges", "path": "new", "names": out, "host": "x.org"}, "force=True"),
                    ({"to": "edges", "names": out, "force": True}, "would write the same file")):
                with self.subTest(options), self.assertRaisesRegex(millrace.MillraceError, message):
                    store.export(**{"path": out, **options})
            self.assertEqual(sorted(os.listdir(self.path)), before)
        links = self.path / "links.txt"
        links.write_text("7 9\n9 7\n8 9\n")
        millrace.convert(links, self.path / "c.mtx", n_vertices=10)
        self.assertEqual((self.path / "c.mtx").read_text().splitlines()[-4:], ["10 10 3", "8 10", "9 10", "10 8"])
        with millrace.build(SOURCES, TARGETS, self.path / "g.mill", names=NAMES):
            millrace.convert(self.path / "g.mill", out, "urls", host="c.example", force=True)
        self.assertEqual(out.read_text(), "")
        millrace.convert([self.path / "g.mill"], out, "urls", force=True)
        self.assertEqual(len(out.read_text().splitlines()), 5)
        for inputs, options in ((self.path / "g.mill", {"undirected": True}), ([self.path / "g.mill"], {"format": "edges"}),
                                ([links, self.path / "g.mill"], {})):
            with self.subTest(options), self.assertRaisesRegex(millrace.UsageError, "g.mill is a store, .* use store.export"):
                millrace.convert(inputs, out, "urls", force=True, **options)
        with self.assertRaisesRegex(millrace.UsageError, "force=True"):
            millrace.convert(links, self.path / "c.mtx")
        millrace.convert([links], self.path / "c.mtx", "edges", largest="strong", force=True)
        self.assertEqual((self.path / "c.mtx").read_text().splitlines()[-2:], ["7\t9", "9\t7"])

    def test_files_for_crawlers(self):
        b, a1, a2, other = NAMES
        out = self.path / "out"
        with millrace.build(SOURCES, TARGETS, names=NAMES) as store:
            scores = {b: 4, a1: 3, a2: 2, other: 1}
            order = [a1, a2, b, other]  # of the names
            for options, text in (
                    ({"levels": 2}, f"{a1} 1\n{a2} 2\n{b} 1\n{other} 2\n"),
                    ({"levels": 2, "per_host": True}, f"{a1} 1\n{a2} 2\n{b} 1\n{other} 1\n"),
                    ({"percentages": [25, 75]}, f"{a1} 2\n{a2} 2\n{b} 1\n{other} 2\n"),
                    ({"levels": 2, "log": True}, f"{a1} 1\n{a2} 2\n{b} 1\n{other} 2\n"),
                    ({"levels": 2, "pages": [a2, other]}, f"{a2} 1\n{other} 2\n"),
                    ({"levels": 2, "crawler": "scrapy"}, f"{a1}\t1\n{a2}\t0\n{b}\t1\n{other}\t0\n"),
                    ({"crawler": "commoncrawl"},
                     f"#pr_pos\t#pr_val\t#host_rev\n2\t3\t{a1}\n3\t2\t{a2}\n1\t4\t{b}\n4\t1\t{other}\n")):
                with self.subTest(options):
                    levels = store.precedence(scores, path=out, force=True, **options)
                    self.assertEqual(out.read_text(), text)
                    if "crawler" not in options:
                        written = dict(line.split() for line in text.splitlines())
                        self.assertEqual(levels.tolist(), [int(written.get(store.names[v], 0)) for v in range(4)])
            store.precedence(scores, 2, path=out, force=True)
            store.precedence({**scores, a2: 9}, 2, path=self.path / "changed", only_changed=out)
            self.assertEqual((self.path / "changed").read_text(), f"{a1} 2\n{a2} 1\n")
            self.assertEqual(sorted(store.names[v] for v in range(4)), order)
            for options, message in (
                    ({"log": True, "per_host": True}, "leave out percentages and per_host"), ({"levels": 127}, "1 to 126"),
                    ({"percentages": [25, 70]}, "100"), ({"percentages": []}, "percentages is empty"),
                    ({"scores": {**scores, b: numpy.inf}}, f"score inf of {b} is not finite"),
                    *(({"scores": {**scores, a2: -1}, "crawler": crawler, "path": self.path / "no"}, f"score -1 of {a2} is below 0")
                      for crawler in ("nutch", "stormcrawler", "frontera")),
                    ({"percentages": [25, 75], "levels": 3}, "leave out levels"),
                    ({"crawler": "x"}, "not one of"), ({"path": out}, "force=True"), ({"force": True}, "give its path"),
                    ({"scores": {b: 1}}, "has no score; say in pages"), ({"path": self.path / "x.npy"}, "plain lines")):
                with self.subTest(options), self.assertRaisesRegex(ValueError, message):
                    store.precedence(**{"scores": scores, **options})
            self.assertEqual(store.precedence({b: -1, a1: -2, a2: -3, other: -4}, 2, path=out, force=True).tolist(),
                             store.precedence(scores, 2).tolist())
            self.assertEqual(store.precedence({a2: 1, b: 2}, 2, pages=[a2, b]).tolist(),
                             [{a2: 2, b: 1}.get(store.names[v], 0) for v in range(4)])

    def test_a_page_about_a_store(self):
        page, ranks = self.path / "page.html", self.path / "ranks.tsv"
        with millrace.build(SOURCES, TARGETS, names=NAMES) as store, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the scores have no .meta.json
            store.pagerank().write(ranks)
            store.report(page, ranks, components=True, top=2, charts=self.path / "charts")
            text = page.read_text()
            self.assertTrue(text.startswith("<!doctype html>") and text.endswith("</html>\n"), text[-100:])
            for words in (f'["{store.pagerank().top(1)[0][0]}",', "ranks.tsv", '"bow_tie":', '<svg id="degrees"'):
                self.assertIn(words, text)
            self.assertIn("degrees.svg", os.listdir(self.path / "charts"))
            self.assertNotIn(sys.argv[0], text)
            store.report(page, [ranks], stamp=True, force=True)
            self.assertIn('"stamp":{', page.read_text())
            for options, message in (
                    ({}, "force=True"), ({"top": 1001, "force": True}, "1000 pages"), ({"scores": [ranks] * 5}, "4 files"),
                    ({"good_share": 2}, "good_share"),
                    ({"scores": "nowhere", "force": True}, "nowhere"), ({"good_share": 0.5, "force": True}, "good_share")):
                with self.subTest(options), self.assertRaisesRegex(millrace.MillraceError, message):
                    store.report(page, **options)
            (self.path / "mine").mkdir()
            for directory in ("mine", "new"):  # an empty directory of the user stays
                with self.assertRaisesRegex(millrace.MillraceError, "nowhere"):
                    store.report(self.path / "no.html", "nowhere", charts=self.path / directory)
            self.assertEqual((os.listdir(self.path / "mine"), (self.path / "new").exists()), ([], False))
            for options, message in (  # outputs come before inputs that do not exist
                    ({"path": page}, "page.html: exists"), ({"path": self.path / "x" / "y"}, "x is not there"),
                    ({"path": self.path / "no.html", "charts": self.path / "charts"}, "charts/degrees.svg: exists"),
                    ({"path": self.path / "charts" / "degrees.svg", "charts": self.path / "charts", "force": True},
                     "would write the same file; give each its own")):
                with self.subTest(options), self.assertRaisesRegex(millrace.MillraceError, message):
                    store.report(**{"scores": "nowhere", **options})

    def test_temporary_files_are_not_in_the_current_directory(self):
        self.addCleanup(os.chdir, os.getcwd())
        page, out = self.path / "page.html", self.path / "out"
        with millrace.build(SOURCES, TARGETS, names=NAMES) as store:
            os.chdir("/proc")
            store.report(page, components=True)
            store.export(out, "urls", largest="strong")
        self.assertIn("bow-tie", page.read_text())

    def test_the_next_pages_to_fetch(self):
        b, a1, a2, other = NAMES
        files = {"crawled.txt": f"{b}\n", "times.txt": f"{b}\t1000000000\n{a1}\t1000172800\n{a2}\t1000259200\n"}
        for name, text in files.items():
            (self.path / name).write_text(text)
        day, now = 86400, 1_700_000_000
        with millrace.build(SOURCES, TARGETS, names=NAMES) as store:
            scores = {b: 4, a1: 3, a2: 2, other: 1}
            done = numpy.array([store.names[v] == b for v in range(4)])
            for fetched in ([b], {b: now}, done, {b, "http://nowhere.example/"}):
                self.assertEqual(store.next(scores, 2, fetched), [(a1, 3.0), (a2, 2.0)])
            for options, pages in (
                    ({"n": 9}, [a1, a2, other]), ({"n": 9, "per_host": 1}, [a1, other]),
                    ({"n": 9, "per_domain": 1}, [a1, other]), ({"n": 0}, []),
                    ({"n": 9, "fetched": []}, [b, a1, a2, other]),
                    ({"n": 9, "fetched": None, "times": self.path / "times.txt"}, [other])):
                options.setdefault("fetched", ())
                options.setdefault("files", self.path / "crawled.txt")
                if options["fetched"] == []:
                    options["files"] = ()
                self.assertEqual([page for page, _ in store.next(scores, **options)], pages, options)
            self.assertEqual(store.next({b: 4, a2: 2}, 9, []), [(b, 4.0), (a2, 2.0)])
            self.assertEqual(store.next(scores, 9, {b: now - day, a1: now - 4 * day, a2: now}, revisit=True),
                             [(a1, 12.0), (b, 4.0), (a2, 0.0)])
            self.assertEqual(store.next(scores, 1, times=self.path / "times.txt", revisit=True), [(b, 12.0)])
            for error, said, options in (
                    (millrace.UsageError, "fetched=\\[\\]", {}), (millrace.UsageError, "times", {"revisit": True, "fetched": [b]}),
                    (millrace.InputError, "give a list", {"fetched": b}), (TypeError, "fetched", {"fetched": 3}),
                    (millrace.InputError, "max_unknown=2", {"fetched": ["x", b, "y"]}),
                    (millrace.InputError, "shape", {"fetched": done[:2]}), (TypeError, "retries", {"fetched": [], "retries": "1"}),
                    (millrace.UsageError, "per_host", {"fetched": [], "per_host": -1}),
                    (millrace.UsageError, "^n: -1", {"fetched": [], "n": -1}),
                    (millrace.InputError, "no time", {"fetched": {b: float("nan")}, "revisit": True}),
                    (millrace.InputError, "no time", {"fetched": {b: -1}}), (TypeError, "not a number", {"fetched": {b: "x"}}),
                    (millrace.InputError, "no time", {"times": self.path / "crawled.txt"}),
                    (TypeError, "files", {"files": [None]}), (millrace.InputError, "does not exist", {"files": "nowhere"})):
                with self.subTest(**options), self.assertRaisesRegex(error, said):
                    store.next(scores, **{"n": 1, **options})

    def test_spellings(self):
        (self.path / "links.txt").write_text("http://WWW.a.com/x http://b.com/\nhttp://a.com/x http://b.com/\n")
        with millrace.build_files(None, self.path / "links.txt", profile="heritrix") as store:
            page = store.page("http://www.a.com/x")
            self.assertEqual((page.label, page.spellings), ("http://a.com/x", ["http://WWW.a.com/x", "http://a.com/x"]))

    def test_certified_harmonic_centralities(self):
        # 0 -> 1 -> 2, 0 -> 2: exact values 0, 1, 2
        with millrace.build([0, 1, 0], [1, 2, 2]) as store:
            found = store.certify_harmonic({"0": 0, "1": 1.1, "2": 1.5}, 0.1)
            self.assertEqual((found.sample, found.n_unreached, found.within_2, found.largest), (3, 1, 2, 2))
            self.assertAlmostEqual(found.largest_error, 0.25)
            self.assertAlmostEqual(found.mean_signed_error, (0 + 0.1 - 0.25) / 3)
            exact = store.harmonic(exact=True)
            self.assertEqual(store.certify_harmonic(exact["harmonic"], 0).within_1, 3)
            self.assertEqual(store.certify_harmonic(exact["harmonic"], 0, sample=2).sample, 2)

    def test_compared_scores(self):
        a, b = {"x": 1, "y": 2, "z": 3, "w": 4}, {"w": 4, "z": 2.5, "x": 1.5, "y": 1, "v": 7}
        for name, table in (("a.tsv", a), ("b.tsv", b)):
            (self.path / name).write_text("".join(f"{k}\t{v}\n" for k, v in table.items()))
        nan = float("nan")
        for sides in ((a, b), (self.path / "a.tsv", str(self.path / "b.tsv")),
                      ([1, 2, 3, 4, nan], numpy.array([1.5, 1, 2.5, 4, 7]))):
            likeness = millrace.compare(*sides, top=2)
            self.assertAlmostEqual(likeness.kendall_tau, 2 / 3)
            self.assertAlmostEqual(likeness.spearman_rho, 0.8)
            self.assertEqual((likeness.l1, likeness.l_infinity), (2, 1))
            self.assertEqual((likeness.n_a, likeness.n_b, likeness.n_compared), (4, 5, 4))
            self.assertEqual((likeness.top, likeness.top_common), (2, 1))
            self.assertEqual(millrace.compare(*sides, missing="zero").l1, 9)
        ranking = self.store.pagerank()
        self.assertEqual(millrace.compare(ranking, self.store.pagerank()).n_different, 0)
        self.assertEqual(millrace.compare(ranking.to_dict(), ranking).n_different, 0)
        with millrace.build([4, 4, 5, 6, 7], [5, 6, 6, 4, 6]) as other:  # the names 4 to 7
            likeness = millrace.compare(ranking, other.pagerank())
            self.assertEqual((likeness.n_a, likeness.n_b, likeness.n_common), (5, 4, 1))
        for sides in ((a, self.path / "b.tsv"), ([1, 2], [1]), ([1, float("inf")], [1, 2]), (a, [1.0])):
            with self.subTest(sides=sides), self.assertRaises(millrace.InputError):
                millrace.compare(*sides)
        with self.assertRaises(millrace.UsageError):
            millrace.compare(a, b, missing="drop")

    def test_changes(self):
        links = [("http://a/1", "http://b/1"), ("http://b/1", "http://a/1"), ("http://a/2", "http://b/1"),
                 ("http://c/1", "http://a/2"), ("http://c/1", "http://a/1")]
        more = links[:4] + [("http://c/1", "http://d/1"), ("http://d/1", "http://a/2")]
        numbers = {page: i for i, page in enumerate(sorted({page for link in more for page in link}))}
        for label in (str, lambda page: numbers[page], lambda page: ("page", numbers[page])):
            with self.subTest(label=label):
                before, after = (millrace.pagerank([(label(s), label(t)) for s, t in one]) for one in (links, more))
                found = after.changes(before)
                exact = {label(page): (4 * before[label(page)], 5 * after[label(page)])
                         for page in numbers if page != "http://d/1"}
                rows = {row.name: row for row in found.rows if row.of == "page"}
                self.assertEqual({name for name, row in rows.items() if row.kind == "gained"},
                                 {name for name, (old, new) in exact.items() if new - old > 1e-6})
                self.assertEqual({name for name, row in rows.items() if row.kind == "lost"},
                                 {name for name, (old, new) in exact.items() if new - old < -1e-6})
                self.assertEqual(rows[label("http://d/1")].kind, "new")
                for name in rows.keys() & exact.keys():
                    self.assertAlmostEqual(rows[name].before, exact[name][0])
                    self.assertAlmostEqual(rows[name].after, exact[name][1])
                if importlib.util.find_spec("pandas"):
                    self.assertEqual(list(found.to_pandas().name), [row.name for row in found.rows])
                self.assertEqual(found.counts["page"]["new"], 1)
                self.assertEqual(found.counts["host"]["new"], int(label is str))
                again = pickle.loads(pickle.dumps(after)).changes(pickle.loads(pickle.dumps(before)))
                self.assertEqual([row.name for row in again.rows], [row.name for row in found.rows])
                one = after.changes(before, scale="one", top=1)
                self.assertEqual(one.bound_before, found.bound_before / 4)
                self.assertEqual(max(sum(row.kind == kind and row.of == "page" for row in one.rows)
                                     for kind in ("gained", "lost")), 1)
        with self.assertRaises(millrace.UsageError):
            after.changes(millrace.build([(1, 2)]).hits())

    def test_files_of_scores_and_levels(self):
        ranking = self.store.pagerank()
        ranking.write(self.path / "ranks.tsv")
        self.assertEqual(self.store.read_scores(self.path / "ranks.tsv").tolist(),
                         ranking.scores.tolist())
        (self.path / "other.tsv").write_text("nowhere\t1\nelsewhere\t2\n")
        with self.assertRaisesRegex(millrace.InputError, "none of its 2 names is a page"):
            self.store.read_scores(self.path / "other.tsv", max_unknown=2)
        (self.path / "other.tsv").write_text("nowhere\t1\n0\t3\nelsewhere\t2\n")
        with self.assertRaisesRegex(millrace.InputError, "2 scores are of pages .* max_unknown=2"):
            self.store.read_scores(self.path / "other.tsv")
        self.assertEqual(numpy.nansum(self.store.read_scores(self.path / "other.tsv", max_unknown=2)), 3)
        ranking.write(self.path / "ranks.npy")
        self.assertEqual(numpy.load(self.path / "ranks.npy").tolist(), ranking.scores.tolist())
        ranking.write(self.path / "best.tsv", sort="score")
        rows = [line.split("\t") for line in (self.path / "best.tsv").read_text().splitlines()]
        self.assertEqual([(int(name), float(score)) for name, score in rows], ranking.top(len(self.store)))
        with self.assertRaises(millrace.UsageError):
            ranking.write(self.path / "ranks.tsv")
        self.assertEqual(self.store.precedence(ranking.scores).tolist(), [2, 3, 1, 4, 5])


class Plots(InDirectory):
    def test_scores_and_the_pages_that_have_them(self):
        """Without matplotlib, a module in its place takes down what is drawn."""
        drawn = {}

        class Axes:
            def loglog(self, x, y, form):
                drawn.update(x=x, y=y, form=form)

            def set(self, **texts):
                drawn.update(texts)

        with millrace.build([(1, 0), (2, 0), (3, 1)]) as store:
            degrees = store.degree()
            axes = Axes()
            with unittest.mock.patch.dict(sys.modules, {"matplotlib": types.ModuleType("matplotlib"),
                                                        "matplotlib.pyplot": types.ModuleType("matplotlib.pyplot")}):
                sys.modules["matplotlib"].pyplot = sys.modules["matplotlib.pyplot"]
                self.assertIs(degrees.plot("in", ax=axes), axes)
                self.assertEqual({**drawn, "x": drawn["x"].tolist(), "y": drawn["y"].tolist()}, {
                    "x": [2, 1], "y": [1, 2], "form": ".", "title": "in of 4 pages", "xlabel": "in of a page",
                    "ylabel": "pages with at least this"})
                for column in ("1", "part"):
                    with self.assertRaisesRegex(millrace.UsageError, "is no column of scores"):
                        (store.components() if column == "part" else degrees).plot(column, ax=axes)
            with unittest.mock.patch.dict(sys.modules, {"matplotlib": None}):
                with self.assertRaisesRegex(ImportError, "plot needs matplotlib; python3 -m pip install matplotlib"):
                    degrees.plot()

    def test_many_scores_are_thinned_and_none_are_no_error(self):
        pyplot = unittest.mock.MagicMock()
        with millrace.build(numpy.column_stack([numpy.arange(1, 5000), numpy.arange(5000 - 1)])) as store:
            ranking = store.pagerank()
            with unittest.mock.patch.dict(sys.modules, {"matplotlib": pyplot, "matplotlib.pyplot": pyplot.pyplot}):
                axes = ranking.plot()
                x, y, _ = axes.loglog.call_args[0]
                self.assertLessEqual(len(x), 2000)
                self.assertEqual((x[0], y[0]), (ranking.scores.max(), (ranking.scores == ranking.scores.max()).sum()))
                self.assertEqual((x[-1], y[-1]), (ranking.scores.min(), len(store)))
                for score, pages in zip(x, y):
                    self.assertEqual((ranking.scores >= score).sum(), pages)

    def test_the_real_one(self):
        try:
            import matplotlib
        except ImportError:
            return
        matplotlib.use("Agg")
        with millrace.build([(1, 0), (2, 0), (3, 1)]) as store:
            axes = store.pagerank().plot()
            self.assertEqual((axes.get_xscale(), axes.get_yscale(), axes.get_xlabel()), ("log", "log", "score of a page"))
            axes.figure.savefig(self.path / "scores.png")
            matplotlib.pyplot.close(axes.figure)


class Errors(InDirectory):
    def test_a_bad_line_names_file_and_line(self):
        (self.path / "links.txt").write_text("1 2\n2 x\n")
        with self.assertRaises(millrace.InputError) as caught:
            millrace.build_files(None, self.path / "links.txt")
        self.assertEqual(caught.exception.line, 2)
        self.assertTrue(caught.exception.file.endswith("links.txt"))
        self.assertIsInstance(caught.exception, ValueError)

    def test_arrays_that_are_no_links(self):
        for sources, targets in (([0, -1], [1, 1]), ([0.5], [1]), ([0], [1, 2]), ([[0]], [[1]])):
            with self.assertRaises(millrace.InputError):
                millrace.build(sources, targets)
        with self.assertRaises(millrace.InputError):
            millrace.build([0], [7], names=["a", "b"])

    def test_options_that_are_none(self):
        with self.assertRaises(millrace.UsageError):
            millrace.build([0], [1], classes="best")
        with self.assertRaises(TypeError):
            millrace.build([0], [1], clases="host")
        with millrace.build([0], [1]) as store, self.assertRaises(millrace.UsageError):
            store.pagerank(damping=1.5)

    def test_values_that_c_does_not_hold(self):
        """None of them becomes another value, and no file appears."""
        store = millrace.build([0, 0, 1], [1, 2, 2])
        nan, inf, big = float("nan"), float("inf"), 2**32
        square, build = numpy.arange(6.0).reshape(2, 3), millrace.build
        masked = numpy.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])
        work = str(self.path / "x")
        before = set(os.listdir())
        for error, use in (
                # Names and paths with a NUL byte, and what is no text.
                (ValueError, lambda: build([0], [1], names=["a", "b\0x"])),
                (ValueError, lambda: build([0], [1], names=["a", b"b\0"])),
                (ValueError, lambda: build([0], [1], names=["a", None])),
                (ValueError, lambda: build([0], [1], names=["a", "\ud800"])),
                (ValueError, lambda: build([0], [1], path=work + "\0y")),
                (ValueError, lambda: build([0], [1], profile="surt\0")),
                (ValueError, lambda: millrace.open(work + "\0y")),
                (ValueError, lambda: millrace.pagerank(work + "\0y")),
                (ValueError, lambda: millrace.build_files(work, ["a", "b\0"])),
                (ValueError, lambda: millrace.build_files(work, [])),
                (ValueError, lambda: millrace.Context(tmp_dir="/tmp\0x")),
                (ValueError, lambda: store.reverse(work + "\0")),
                (ValueError, lambda: store.opic(state=work + "\0")),
                (ValueError, lambda: store.pagerank().write(work + "\0.tsv")),
                (ValueError, lambda: store.read_scores(work, column="a\0")),
                (TypeError, lambda: millrace.open(5)),
                # Counts that are negative, or above those of C, or no integers.
                (ValueError, lambda: store.pagerank(iterations=big + 5)),
                (ValueError, lambda: store.pagerank(iterations=big)),
                (ValueError, lambda: store.pagerank(max_passes=big + 1)),
                (ValueError, lambda: store.pagerank(max_passes=-1)),
                (ValueError, lambda: store.pagerank(max_passes=numpy.int64(-1))),
                (TypeError, lambda: store.pagerank(max_passes=1.5)),
                (ValueError, lambda: store.trustrank(trusted=["0"], max_passes=2**64)),
                (ValueError, lambda: store.hits(max_rounds=-1)),
                (ValueError, lambda: store.opic(sweeps=2**64)),
                (ValueError, lambda: store.opic(sweeps=-1)),
                (ValueError, lambda: build([0], [1], n_vertices=-1)),
                (ValueError, lambda: build([0], [1], n_vertices=2**64 + 5)),
                (ValueError, lambda: build([0], [1], zstd_level=2**31)),
                (ValueError, lambda: build([0], [1], zstd_level=-2**32 + 3)),
                (ValueError, lambda: millrace.build_files(None, work, max_bad_lines=-1)),
                (ValueError, lambda: millrace.Context(threads=-1)),
                (ValueError, lambda: millrace.Context(threads=big + 1)),
                (ValueError, lambda: millrace.Context(threads=100000)),
                (ValueError, lambda: millrace.Context(memory=-1)),
                (ValueError, lambda: millrace.Context(memory=2**64 + (1 << 30))),
                (TypeError, lambda: millrace.Context(memory=1e9)),
                (ValueError, lambda: millrace.open(store.path, 1 << 30, context=store.context)),
                (ValueError, lambda: store.pagerank().top(-1)),
                (TypeError, lambda: store.pagerank().top(1.5)),
                (ValueError, lambda: store.pagerank().write(work, top=-1)),
                (ValueError, lambda: store.pagerank().write(work, sort="best")),
                (ValueError, lambda: store.pagerank().write(work, top=2**64 + 1)),
                (ValueError, lambda: store.precedence([1.0, 2.0], levels=big + 5)),
                (ValueError, lambda: store.precedence([1.0, 2.0], levels=0)),
                (ValueError, lambda: store.precedence([1.0, 2.0], levels=-1, log=True)),
                (TypeError, lambda: store.names[1.5]),
                (IndexError, lambda: store.names[big]),
                # Numbers.
                (ValueError, lambda: store.pagerank(damping=10**400)),
                (ValueError, lambda: store.pagerank(damping=nan)),
                (ValueError, lambda: store.pagerank(tolerance=nan)),
                (TypeError, lambda: store.pagerank(damping="0.5")),
                (TypeError, lambda: store.pagerank(damping=0.5j)),
                # Yes and no.
                (TypeError, lambda: build([0], [1], undirected="no")),
                (TypeError, lambda: store.pagerank(weights="weight")),
                (TypeError, lambda: store.check(full="yes")),
                (TypeError, lambda: store.reverse(work, force="no")),
                # Arrays of another shape or type.
                (ValueError, lambda: store.precedence(square)),
                (ValueError, lambda: store.precedence(square, log=True)),
                (ValueError, lambda: store.precedence(numpy.float64(3))),
                (ValueError, lambda: store.precedence(["1", "2"])),
                (ValueError, lambda: store.precedence([1j, 2])),
                (ValueError, lambda: store.precedence(masked)),
                (ValueError, lambda: store.precedence([1, inf, 2], log=True)),
                (ValueError, lambda: store.precedence([1, nan, 2])),
                (ValueError, lambda: store.pagerank(start=numpy.ones((3, 1)))),
                (ValueError, lambda: store.pagerank(start=numpy.ones(3) * 1j)),
                (ValueError, lambda: store.pagerank(start=masked)),
                (ValueError, lambda: store.pagerank(teleport="01")),
                (ValueError, lambda: store.harmonic(sources="01")),
                (ValueError, lambda: store.pagerank(teleport=numpy.array([0, 1]))),
                (ValueError, lambda: store.pagerank(teleport=square)),
                (ValueError, lambda: store.pagerank(teleport=masked)),
                (ValueError, lambda: store.pagerank(teleport={"0": nan})),
                (TypeError, lambda: store.pagerank(teleport={"0": "1"})),
                (ValueError, lambda: build([0, 1], [1, 0], weights=[[1, 2]])),
                (ValueError, lambda: build([0, 1], [1, 0], weights=[1, 2j])),
                (ValueError, lambda: build([0], [1], weights=[1e300])),
                (ValueError, lambda: build([0], [1], weights=[1e-60])),
                (ValueError, lambda: build([0], [1], labels=["a"])),
                (ValueError, lambda: build([2**64], [1])),
                (ValueError, lambda: build(numpy.ma.masked_array([0, 1], [0, 1]), [1, 2]))):
            with self.subTest(line=use.__code__.co_firstlineno), self.assertRaises(error):
                use()
        self.assertEqual((set(os.listdir()), os.listdir(self.path)), (before, []))

    def test_each_option_refuses_each_value_that_it_cannot_have(self):
        """No call crashes, none takes a wrong value for a right one or for no value, and none leaves a file."""
        class Raises:
            def raises(self, *_, **__):
                raise ZeroDivisionError

            __index__ = __float__ = __iter__ = __fspath__ = __bool__ = __len__ = __array__ = __hash__ = raises

        def iterates():
            yield NAMES[0]
            raise ZeroDivisionError

        closed = millrace.build([0], [1])
        closed.close()
        links = self.path / "links.tsv"
        links.write_text("\n".join(f"{NAMES[s]}\t{NAMES[t]}" for s, t in zip(SOURCES, TARGETS)))
        store = millrace.build_files(self.path / "g.mill", links)
        scores = numpy.array(store.pagerank().scores)
        ranks, file = store.pagerank(), str(self.path / "r.tsv")
        ranks.write(file)
        before, own = os.listdir(self.path), os.listdir()
        none = ["x", b"x", "", "a\0b", float("nan"), -1, 2**64, 1.5, 2j, [None], numpy.ones((2, 2)), closed, Raises(),
                iterates, str(self.path / "nowhere" / "x")]
        for call, given, options in (
                (store.certify, {"scores": scores}, "scores damping top weights teleport column max_unknown"),
                (store.certify_harmonic, {"scores": scores, "relative_error": 0.1},
                 "scores relative_error sample seed column max_unknown"),
                (millrace.compare, {"a": scores, "b": scores}, "a b top missing column column_b context"),
                (millrace.append_files, {"store": store, "inputs": str(links)},
                 "store inputs replace gone seeds drop_unlinked max_unknown context format columns skip_bad_lines"),
                (store.fold, {"path": str(self.path / "f.mill")}, "by weights self_loops force zstd_level"),
                (store.fold, {}, "path"), (ranks.write, {}, "path"),
                (store.pagerank, {}, "until precision checkpoint teleport start weights"),
                (store.ppr, {"batch": [[NAMES[0]]]}, "batch damping max_passes weights"),
                (store.hits, {}, "reverse norm weights"), (store.harmonic, {}, "exact log2m sources"),
                (store.opic, {}, "state"), (store.components, {}, "weak_only"),
                (store.read_scores, {"path": file}, "path column max_unknown"), (store.page, {}, "page"),
                (store.links, {"page": NAMES[0]}, "page incoming weights"),
                (store.hosts, {}, "by internal scores column"),
                (store.export, {"path": str(self.path / "new.mtx")},
                 "to vertices host largest names weights transpose scores column seeds force"),
                (store.precedence, {"scores": scores, "path": str(self.path / "levels")},
                 "scores levels log percentages per_host pages column path crawler only_changed force"),
                (store.next, {"scores": scores, "n": 1, "fetched": []},
                 "scores n fetched files times revisit per_host per_domain retries max_unknown column")):
            for option in options.split():
                for value in none:
                    if (option in ("path", "checkpoint", "state", "names") and call != store.read_scores and
                            isinstance(value, (str, bytes)) and value in ("x", b"x")):
                        continue  # the name of a new file
                    wrong = value() if value is iterates else value
                    with self.subTest(call=call.__name__, option=option, value=repr(value)), self.assertRaises(
                            (TypeError, ValueError, KeyError, ZeroDivisionError, millrace.MillraceError)):
                        call(**{**given, option: wrong})
        for call in (store.fold, store.reverse, ranks.write, store.read_scores, millrace.open):
            with self.subTest(call=call.__name__), self.assertRaises(TypeError):
                call(None)
        self.assertEqual((os.listdir(self.path), os.listdir()), (before, own))

    def test_values_of_numpy_are_values(self):
        store = millrace.build([0, 0, 1], [1, 2, 2], names=[b"a", "b", numpy.str_("c")],
                               undirected=numpy.bool_(False))
        self.assertEqual(store.names.to_list(), ["a", "b", "c"])
        self.assertEqual(store.names.find(b"b"), store.names.find("b"))
        self.assertEqual(store.names[numpy.uint8(1)], "b")
        self.assertEqual(store.pagerank(iterations=numpy.int16(5)).passes, 6)
        self.assertEqual(store.pagerank(damping=numpy.float32(0)).scores.tolist(), [1 / 3] * 3)
        self.assertEqual(store.pagerank(teleport=numpy.array(["c", "c"])).top(1)[0][0], "c")
        self.assertNotIn("\ud800", store.names)
        self.assertNotIn("a\0", store.names)
        self.assertNotIn(None, store.names)

    def test_messages_speak_python(self):
        for said, expected in (
                ("exists; use --force to replace it", "exists; use force=True to replace it"),
                ("is Parquet data, which is not read; pipe it: duckdb -csv -c \"x\" | millrace ... -",
                 "is Parquet data, which is not read; open it with another module, such as pandas, Polars or "
                 "DuckDB, and give the links to millrace.build"),
                ("skip such lines with --bad-lines skip", "skip such lines with skip_bad_lines=True"),
                ("no links; say --vertices N or --vertex-list FILE",
                 "no links; say n_vertices N or vertex_list FILE"),
                ("it takes --memory 130Mi or more", "it takes memory=130 << 20 or more"),
                ("it takes --memory 137M or more", "it takes memory=137_000_000 or more"),
                ("say --memory 34M or 32Mi", "say memory=32 << 20"),
                ("raise --max-passes or --tolerance, or lower --damping",
                 "raise max_passes or tolerance, or lower damping"),
                ("make one with 'millrace transpose'", "make one with store.reverse(path)"),
                ("'millrace check --full' says where", "store.check(full=True) says where"),
                ("tr ' ' < F | millrace ... --format adjacency - takes it, --directed not",
                 "tr ' ' < F | millrace ... --format adjacency - takes it, directed=True not"),
                ("say --columns 1,2", "say --columns 1,2 (--columns: see millrace --help)")):
            self.assertEqual(millrace.errors.in_python(said), expected)
        millrace.build([0], [1], self.path / "--force.mill")
        with self.assertRaises(millrace.UsageError) as caught:
            millrace.build([0], [1], self.path / "--force.mill")
        self.assertEqual(str(caught.exception), f"{self.path}/--force.mill: exists; use force=True "
                                                "to replace it")
        (self.path / "bad.txt").write_text("1 2\n2 x\n")
        with self.assertRaisesRegex(millrace.InputError, "skip_bad_lines=True"):
            millrace.build_files(None, self.path / "bad.txt")
        with millrace.build_files(None, self.path / "bad.txt", skip_bad_lines=True) as store:
            self.assertEqual(store.n_edges, 1)

    def test_damage_is_found(self):
        with millrace.build([0, 1], [1, 0], self.path / "a.mill") as store:
            store.check(full=True)
            victim = max(self.path.glob("a.mill/*"), key=lambda file: file.stat().st_size)
            data = bytearray(victim.read_bytes())
            data[len(data) // 2] ^= 1
            victim.write_bytes(data)
            with self.assertRaises(millrace.CorruptError):
                store.check(full=True)

    def test_a_closed_store(self):
        store = millrace.build([0], [1])
        store.close()
        store.close()
        for use in (store.pagerank, store.salsa, lambda: store.names, lambda: store.page("0"), lambda: store.links("0"),
                    store.hosts, lambda: store.next([1, 1], 1, []), lambda: store.certify([1, 1]),
                    lambda: store.certify_harmonic([1, 1], 0.1), lambda: store.fold("x.mill"), lambda: store.export("x.mtx"),
                    lambda: store.ppr(batch=[["0"]]), lambda: store.read_scores("x")):
            with self.assertRaises(millrace.UsageError):
                use()

    def test_a_budget_that_is_too_small(self):
        with self.assertRaises(millrace.BudgetError) as caught:
            millrace.Context(memory=1000)
        self.assertIsInstance(caught.exception, MemoryError)


if __name__ == "__main__":
    unittest.main()
