# SPDX-License-Identifier: Apache-2.0
"""Pages, and pages with numbers, in all forms that a caller has; a ranking as a dictionary, a column and a pickle."""

import copy
import pickle
import unittest

import numpy

import millrace

try:
    import pandas
except ImportError:
    pandas = None
try:
    import polars
except ImportError:
    polars = None

LINKS = [("b.org", "z.org"), ("y.org", "z.org"), ("z.org", "b.org"), ("b.org", "y.org"), ("a.org", "y.org")]
RING = numpy.array([[i, (i + 1) % 12] for i in range(12)] + [[i, 0] for i in range(12)])


class Index(list):
    """The index of a Series; pandas calls the one that only counts rows RangeIndex."""

    dtype = numpy.dtype(object)

    def __array__(self, dtype=None, copy=None):
        return numpy.array(list(self), dtype)


class RangeIndex(Index):
    start, step = 0, 1


class Series:
    """As much of pandas's as this module looks at."""

    def __init__(self, values, index=None):
        self.values = numpy.array(values)
        self.dtype = self.values.dtype
        self.index = RangeIndex(range(len(values))) if index is None else Index(index)

    def __len__(self):
        return len(self.values)

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or self.values.dtype)

    def tolist(self):
        return self.values.tolist()

    def to_dict(self):
        return dict(zip(self.index, self.values))


class Pages(unittest.TestCase):
    def setUp(self):
        self.ring, self.named = millrace.build(RING), millrace.build(LINKS)
        self.ranking = self.named.pagerank()
        self.addCleanup(self.ring.close)
        self.addCleanup(self.named.close)

    def teleport(self, of):
        return self.ring.pagerank(teleport=of).top(3)

    def test_values_that_are_pages(self):
        expected = self.teleport([10, 11])
        forms = [(10, 11), {10, 11}, {10: 1, 11: 1}, Series([10, 11]), iter([10, 11]), Series([1.0, 1.0], [10, 11]),
                 numpy.eye(12)[10] + numpy.eye(12)[11], numpy.array(["10", "11"])]
        if pandas:
            forms += [pandas.Series([10, 11]), pandas.DataFrame({"page": [10, 11], "w": [1, 1]}), pandas.Index([10, 11]),
                      pandas.Series(["10", "11"], index=[3, 7])]
        if polars:
            forms += [polars.Series([10, 11]), polars.DataFrame({"page": [10, 11], "w": [1.0, 1.0]}),
                      polars.DataFrame({"page": [10, 11]}).lazy()]
        for form in forms:
            with self.subTest(form=form):
                self.assertEqual(self.teleport(form), expected)

    def test_what_could_mean_two_things_is_refused(self):
        for form in (Series(range(12)), Series([10, 11], [3, 7])):
            form.index.__class__ = Index if form.index[0] == 3 else RangeIndex
            if form.index[0] == 3:
                form.index = numpy.array([3, 7])
            with self.subTest(form=form), self.assertRaisesRegex(millrace.InputError, "tolist|may have pages or numbers"):
                self.teleport(form)
        for form, error in ((numpy.array([10, 11]), millrace.InputError), ("10", millrace.InputError), (10, TypeError)):
            with self.subTest(form=form), self.assertRaises(error):
                self.teleport(form)

    def test_scores_are_by_the_index(self):
        best = sorted(self.ranking.items(), key=lambda pair: -pair[1])
        names, scores = zip(*best)
        ordered = Series(scores, names)
        self.assertLess(self.named.certify(ordered).error_bound, 1e-9)
        levels = self.named.precedence(dict(best), levels=4).tolist()
        self.assertEqual(self.named.precedence(ordered, levels=4).tolist(), levels)
        self.assertEqual(self.named.next(ordered, 4, []), self.named.next(self.ranking, 4, []))
        self.assertEqual(millrace.compare(ordered, self.ranking).n_different, 0)
        self.assertEqual(self.named.pagerank(start=ordered).passes, self.named.pagerank(start=self.ranking).passes)
        with self.assertRaisesRegex(millrace.InputError, r"series\.to_numpy\(\)"):
            self.named.certify(Series(scores))
        with self.assertRaisesRegex(millrace.InputError, "pages without numbers"):
            self.named.certify({*names})

    def test_pages_that_come_twice(self):
        self.assertEqual(self.ring.ppr(seeds=[10, 10, 11]).top(3), self.teleport([10, 11]))
        twice = Series([0.1, 0.2, 0.3], ["a.org", "b.org", "a.org"])
        for of in (self.named.certify, self.named.precedence, lambda one: millrace.compare(one, self.ranking)):
            with self.assertRaisesRegex(millrace.InputError, "'a.org' twice"):
                of(twice)
        last = {"a.org": 5, "y.org": 9}
        self.assertEqual(self.named.next(self.ranking, 4, Series([9.0, 5.0, 2.0], ["y.org", "a.org", "y.org"]), revisit=True)[0][0],
                         self.named.next(self.ranking, 4, last, revisit=True)[0][0])
        if pandas:
            frame = pandas.DataFrame({"page": ["a.org", "y.org", "a.org"], "time": [5, 9, 2]})
            times = [self.named.opic(times=of).to_dict() for of in (frame, frame[:2], last)]
            self.assertTrue(times[0] == times[1] == times[2])

    def test_nothing_in_common_is_refused(self):
        with self.assertRaisesRegex(millrace.InputError, "no page in common"):
            millrace.compare(self.ranking, self.ring.pagerank())

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_frames(self):
        frame = pandas.DataFrame({"page": list(self.ranking), "score": self.ranking.scores})
        objects = frame.assign(score=frame.score.astype(object))
        for one in (frame.sort_values("score"), frame[frame.score > 0].iloc[::-1], objects, frame.set_index("page")):
            self.assertLess(self.named.certify(one).error_bound, 1e-9)
        labelled = frame.assign(title=list("wxyz")).set_index("title")
        with self.assertRaisesRegex(millrace.InputError, r"frame\.reset_index\(\)\[\[PAGE, NUMBER\]\]"):
            self.named.certify(labelled)
        self.assertLess(self.named.certify(labelled.reset_index()[["page", "score"]]).error_bound, 1e-9)
        with self.assertRaisesRegex(TypeError, "not a number"):
            self.named.certify(frame.assign(score=pandas.array([0.1, 0.2, None, 0.3], "Float64")))

    def test_fetched_pages(self):
        some = ["a.org", "y.org"]
        left = [page for page, _ in self.named.next(self.ranking, 4, some)]
        flags = numpy.isin(list(self.ranking), some)
        for form in (set(some), {"a.org": 5, "y.org": 7}, flags, Series(flags, list(self.ranking)), Series(some)):
            with self.subTest(form=form):
                self.assertEqual([page for page, _ in self.named.next(self.ranking, 4, form)], left)

    def test_other_names_of_options_are_known(self):
        for option, ours in (("alpha", "damping"), ("tol", "tolerance"), ("personalization", "teleport"),
                             ("max_iter", "max_passes"), ("weight", "weights")):
            with self.assertRaisesRegex(TypeError, f"has no {option}; it is called {ours} here"):
                self.ring.pagerank(**{option: 1})


class Mapping(unittest.TestCase):
    def test_a_ranking_is_a_dictionary_and_a_column(self):
        with millrace.build(LINKS) as store:
            ranking = store.pagerank()
            self.assertEqual(dict(ranking), ranking.to_dict())
            table = dict(ranking.to_polars().rows()) if polars else None
            self.assertEqual(list(ranking), sorted({page for link in LINKS for page in link}))
            self.assertEqual((list(ranking.keys()), list(ranking.values())), (list(ranking), ranking.scores.tolist()))
        # What was asked once stays when the store is closed.
        self.assertEqual(ranking.top(1)[0][0], "z.org")
        self.assertEqual(ranking[:2].tolist(), ranking.scores[:2].tolist())
        if pandas:
            self.assertEqual(pandas.Series(ranking).to_dict(), ranking.to_dict())
        if polars:
            self.assertEqual(table, ranking.to_dict())

    def test_what_is_in_it(self):
        with millrace.build(RING) as store:
            ranking = store.pagerank()
            self.assertIn(3, ranking)
            self.assertNotIn(99, ranking)
            self.assertNotIn([], ranking)
            self.assertEqual(ranking.get(3), ranking[3])
            self.assertIsNone(ranking.get(99))

    def test_numbers_stay_numbers(self):
        for links in (RING, [(5, 7), (7, 5)], numpy.array([[2**63, 4], [4, 2**63]], numpy.uint64)):
            with millrace.build(links) as store:
                ranking = store.pagerank()
                for label in (*ranking, ranking.top(1)[0][0], *store.links(ranking.top(1)[0][0]),
                              *(page for page, _ in store.next(ranking, 3, []))):
                    self.assertIs(type(label), int)

    def test_pickles_and_copies(self):
        with millrace.build(LINKS) as store:
            ranking = store.hits()
            with self.assertRaisesRegex(millrace.UsageError, "ask before it is closed"):
                closed = millrace.build(LINKS)
                late = closed.hits()
                closed.close()
                pickle.dumps(late)
            pickled = pickle.dumps(ranking)
        for made in (pickle.loads(pickled), copy.deepcopy(ranking)):
            self.assertEqual((made.to_dict("hub"), made.top(2)), (ranking.to_dict("hub"), ranking.top(2)))
            self.assertEqual((made.columns, made.passes, made.figures), (ranking.columns, ranking.passes, ranking.figures))
            self.assertEqual(made["a.org"], ranking.to_dict()["a.org"])
            with self.assertRaisesRegex(millrace.UsageError, "has no store to write with"):
                made.write("never.tsv")


class Tables(unittest.TestCase):
    """The names of columns say which are the ends, as in a file."""

    def test_dictionaries_of_columns(self):
        expected = millrace.pagerank([("x", "hub"), ("y", "hub"), ("z", "x")]).to_dict()
        table = {"target": numpy.array(["hub", "hub", "x"]), "source": numpy.array(["x", "y", "z"])}
        self.assertEqual(millrace.pagerank(table).to_dict(), expected)
        self.assertEqual(millrace.pagerank({name: column.tolist() for name, column in table.items()}).to_dict(), expected)
        weighted = {"a": table["source"], "n": numpy.array([1, 2, 3]), "b": table["target"]}
        self.assertEqual(millrace.pagerank(weighted, source="a", target="b").to_dict(), expected)
        self.assertEqual(
            millrace.pagerank(weighted, source="a", target="b", weight="n").to_dict(),
            millrace.pagerank([("x", "hub", 1), ("y", "hub", 2), ("z", "x", 3)], weight=True).to_dict())
        # What the message says works when it is typed.
        with self.assertRaisesRegex(millrace.InputError, 'name them: columns="SOURCE,TARGET"'):
            millrace.build(weighted)
        self.assertEqual(millrace.build(weighted, columns="a,b").pagerank().to_dict(), expected)
        self.assertEqual(millrace.build(weighted, columns="1,3").pagerank().to_dict(), expected)
        self.assertTrue(millrace.build(weighted, columns="a,b,n").has_weights)
        for options in ({"source": "a"}, {"source": "a", "target": "c"}, {"source": "a,b", "target": "n"}):
            with self.assertRaises(millrace.InputError):
                millrace.pagerank(weighted, **options)
        with self.assertRaisesRegex(millrace.InputError, "name columns of a table"):
            millrace.build([("a", "b")], source="a", target="b")

    def test_floats_of_named_columns_are_ids(self):
        ids = {"source": numpy.array([1.0, 2.0]), "target": numpy.array([2.0, 3.0])}
        self.assertEqual(list(millrace.pagerank(ids)), [1, 2, 3])
        for wrong, reason in ((1.5, "no whole"), (-1.0, "no whole"), (float("nan"), "no whole"),
                              (2.0**60, "a float that stands for several whole")):
            with self.assertRaisesRegex(millrace.InputError, f"row 1: column \"target\" is {reason} number"):
                millrace.pagerank({**ids, "target": numpy.array([2.0, wrong])})
        with self.assertRaisesRegex(millrace.InputError, "cast it to an integer or a text"):
            millrace.pagerank({"s": ids["source"], "t": ids["target"]})

    def test_links_are_appended_in_every_form(self):
        with millrace.build([("a", "b"), ("b", "c")]) as store:
            with millrace.append(store, {"source": ["c", "d"], "target": ["a", "a"]}) as grown:
                self.assertEqual(sorted(grown.names), ["a", "b", "c", "d"])
                self.assertEqual((grown.n_edges, grown.append_figures["n_new_links"]), (4, 2))
        with millrace.build(numpy.array([[1, 2], [2, 3]])) as store:
            with millrace.append(store, numpy.array([[3, 1], [7, 1]])) as grown:
                self.assertEqual(sorted(grown.degree()), [1, 2, 3, 7])


if __name__ == "__main__":
    unittest.main()
