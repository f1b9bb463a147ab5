# SPDX-License-Identifier: Apache-2.0
"""Shares of scores against dense solutions of the equation by numpy."""

import collections
import os
import random
import tempfile
import unittest

import numpy

import millrace

GRAPHS = 200
SLACK = 1e-12  # of the dense solution


def name_of(page):
    return f"http://{'www.' if page % 2 else ''}site{page % 3}.example/{page}"


def random_graph(seed):
    """(pages, {(source, target): weight}): with loops, hubs and pages without links."""
    draw = random.Random(seed)
    n = draw.randint(2, 40)
    sources = draw.sample(range(n), draw.randint(1, n))
    links = {(draw.choice(sources), draw.choice([0, draw.randrange(n)])): draw.choice([1, 2, 0.5, 3.25])
             for _ in range(draw.randint(1, 5 * n))}
    return n, links


def build(directory, links, weighted):
    path = os.path.join(directory, "links.csv")
    with open(path, "w") as file:
        file.write("source,target,weight\n")
        for (source, target), weight in links.items():
            file.write(f"{name_of(source)},{name_of(target)},{weight}\n")
    return millrace.build_files(None, path, weights="required" if weighted else "ignored")


def dense(links, n, damping, dangling, teleport, scale):
    """The matrix of portions and the exact scores; `teleport` adds up to 1."""
    portions = numpy.zeros((n, n))
    for (source, target), weight in links.items():
        portions[source, target] = weight
    sums = portions.sum(axis=1)
    without = sums == 0
    portions[~without] /= sums[~without, None]
    onto = {"teleport": teleport, "uniform": numpy.full(n, 1 / n), "none": numpy.zeros(n)}[dangling]
    matrix = numpy.eye(n) - damping * (portions.T + numpy.outer(onto, without))
    return portions, without, onto, numpy.linalg.solve(matrix, (1 - damping) * teleport * scale)


class Shares(unittest.TestCase):
    def test_random_graphs(self):
        counts = collections.Counter()
        for seed in range(GRAPHS):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as directory:
                self.one_graph(seed, directory, counts)
        self.assertGreater(counts["checked"], 10 * GRAPHS)
        self.assertGreater(counts["rough"], GRAPHS // 8)  # errors that are no rounding

    def one_graph(self, seed, directory, counts):
        draw = random.Random(f"options of {seed}")
        _, links = random_graph(seed)
        weighted, damping = draw.random() < 0.5, draw.choice([0.0, 0.5, 0.85, 0.99])
        kind, dangling = draw.choice(["pagerank", "pagerank", "ppr", "trustrank"]), draw.choice(["teleport", "uniform", "none"])
        # The store has the pages that links name. Its vertices are rows of the dense matrix.
        with build(directory, links, weighted) as store:
            vertex = {page: store.vertex(name_of(page)) for page in {page for link in links for page in link}}
            links = {(vertex[s], vertex[t]): weight if weighted else 1 for (s, t), weight in links.items()}
            n, options = len(store), {}
            teleport = numpy.full(n, 1 / n)
            if kind != "pagerank" or draw.random() < 0.5:
                weights = {v: draw.choice([1, 1, 4.5]) for v in draw.sample(range(n), draw.randint(1, n))}
                if kind == "trustrank":
                    weights, dangling = dict.fromkeys(weights, 1), "teleport"
                teleport = numpy.zeros(n)
                for v, weight in weights.items():
                    teleport[v] = weight / sum(weights.values())
                options["trusted" if kind == "trustrank" else "teleport"] = {store.label(v): w for v, w in weights.items()}
            if kind != "trustrank":
                options["dangling"] = dangling
            if kind == "pagerank" and draw.random() < 0.3:
                options["scale"] = "pages"
            scale = n if "scale" in options else 1
            rounds = kind == "pagerank" and draw.random() < 0.5
            options.update({"iterations": draw.randint(1, 9)} if rounds else {"tolerance": draw.choice([1e-3, 1e-9])})
            ranking = getattr(store, kind)(weights=weighted, damping=damping, **options)
            portions, without, onto, exact = dense(links, n, damping, dangling, teleport, scale)
            error = numpy.abs(exact - ranking.scores).sum()
            counts["rough"] += error > 1e-9
            for page in range(n):
                self.one_page(store, ranking, page, damping, portions, exact, counts,
                              (1 - damping) * teleport[page] * scale, damping * onto[page] * exact[without].sum())

    def one_page(self, store, ranking, page, damping, portions, exact, counts, teleport, dangling):
        top = 1 + page % 5
        why = ranking.why(store.label(page), top=top, by="domain" if page % 2 else "host")
        shares = damping * portions[:, page] * exact
        linking = set(numpy.flatnonzero(portions[:, page]).tolist())

        def near(share, wanted):
            self.assertLessEqual(abs(share.share - wanted), share.bound + SLACK * max(1, exact.sum()))
            counts["checked"] += 1

        near(why.teleport, teleport)
        near(why.dangling, dangling)
        near(why.links, shares.sum())
        self.assertEqual(why.links.pages, len(linking))
        total = why.teleport.share + why.dangling.share + why.links.share
        self.assertLessEqual(abs(total - ranking.scores[page]), why.error_bound + SLACK)
        self.assertEqual(why.score, ranking.scores[page])
        listed = [store.vertex(one.name) for one in why.pages]
        self.assertEqual(len(set(listed)), min(top, len(linking)))
        self.assertLessEqual(set(listed), linking)
        for v, one in zip(listed, why.pages):
            near(one, shares[v])
            self.assertEqual((one.score, one.links), (ranking.scores[v], (portions[v] > 0).sum()))
            self.assertEqual(one.alone, damping * ranking.scores[v])
        self.assertEqual([one.share for one in why.pages], sorted((one.share for one in why.pages), reverse=True))
        near(why.others, shares[sorted(linking - set(listed))].sum())
        self.assertTrue(all(one.share <= why.pages[-1].share for one in [why.others] if one.pages == 1))
        # Hosts: the own one first, all others by share; what is not listed is the rest.
        hosts = collections.defaultdict(list)
        for v in linking:
            hosts[self.host(store, v, page)].append(v)
        self.assertEqual(why.hosts[0].name, self.host(store, page, page))
        for one in why.hosts:
            near(one, shares[hosts[one.name]].sum())
            self.assertEqual(one.pages, len(hosts[one.name]))
        rest = [v for name, of in hosts.items() if name not in {one.name for one in why.hosts} for v in of]
        near(why.other_hosts, shares[rest].sum())
        self.assertEqual(why.other_hosts.pages, len(rest))
        self.assertLessEqual(len(why.hosts), top + 1)

    @staticmethod
    def host(store, vertex, page):
        host = store.label(vertex).split("/")[2]
        return ".".join(host.split(".")[-2:]) if page % 2 else host


class Refusals(unittest.TestCase):
    def setUp(self):
        self.store = millrace.build([0, 1, 2, 2, 3], [1, 2, 0, 3, 0])

    def test_scores_of_other_options_do_not_add_up(self):
        ranking = self.store.pagerank()
        ranking._options = {"damping": 0.5}
        with self.assertRaisesRegex(millrace.InputError, "adds up to .* and its score is .*; rank the store again"):
            ranking.why(0)

    def test_kinds_that_are_not_explained(self):
        for ranking in (self.store.salsa(), self.store.pagerank(heritrix=True), self.store.katz(),
                        self.store.trustrank(trusted=[0], spam_mass=True)):
            with self.assertRaisesRegex(millrace.UsageError, "why explains scores of pagerank, ppr and trustrank"):
                ranking.why(0)

    def test_unknown_pages(self):
        with self.assertRaises(KeyError):
            self.store.pagerank().why(9)


class Options(unittest.TestCase):
    def test_columns_of_a_batch_and_a_seed(self):
        store = millrace.build([0, 1, 2, 2, 3], [1, 2, 0, 3, 0])
        batch = {"a": [0], "b": {1: 2, 3: 1}}
        ranking = store.ppr(batch=batch)
        for column, pages in batch.items():
            alone = store.ppr(teleport=pages).why(0)
            why = ranking.why(0, column=column)
            self.assertAlmostEqual(why.teleport.share, alone.teleport.share)
            self.assertAlmostEqual(why.links.share, alone.links.share)
        self.assertEqual(ranking.why(0).score, ranking["b"][store.vertex(0)])
        seed = store.ppr(seed="0").why(0)
        self.assertAlmostEqual(seed.teleport.share, 0.15)

    def test_like_another_program(self):
        store = millrace.build([0, 1, 2, 2, 3], [1, 2, 0, 3, 0])
        self.assertAlmostEqual(store.pagerank(like="graphx").why(0).teleport.share, 0.15)

    def test_repeated_links_count_as_often(self):
        store = millrace.build([0, 0, 0, 1], [1, 1, 2, 0], keep_duplicates=True)
        ranking = store.pagerank()
        (share,) = ranking.why(1).pages
        self.assertEqual(share.links, 3)
        self.assertAlmostEqual(share.share, 0.85 * 2 / 3 * ranking[0])


if __name__ == "__main__":
    unittest.main()
