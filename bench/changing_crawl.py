#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulates a crawl of a web that changes, and prints how far ranks are from those of the true graph, by round.

    bench/changing_crawl.py LINKS DIRECTORY [ROUNDS] [PAGES]
    bench/changing_crawl.py --revisits LINKS DIRECTORY [ROUNDS] [PAGES]

LINKS has lines "source target" of the whole web, as numbers (generate crawl -o LINKS.txt). The crawl begins with
PAGES pages, breadth-first. A round fetches PAGES pages, half of them new (--next --fetched), half again (--next
--revisit). Of these, 5% have changed a third of their links and 1% are gone. One store gets them with append --replace
--gone, another without, which makes the union of all links. The true graph is built from what Python knows: all pages
ever seen, with their present links. The table has the L1 distance to its PageRank, and Kendall's tau among its best
1,000 pages, of PageRank from the scores of the round before and of adaptive OPIC (a window of 4, 20 sweeps a round)
with a state. It ends with an error if a page is offered twice, if one that is gone is offered, or if cash is lost.

--revisits: all pages with links are fetched once. Each page then changes a link at a rate of its own, spread evenly
over three decades on a log scale, from once in 316 rounds to 3 times in a round. A round fetches PAGES pages again.
The table has the freshness by round: the PageRank of the pages whose newest links were fetched, as a share of all.
The last line has the PageRank of the pages whose visits found other links, in a mean round, as a share of all. The
pages of the first column are those of pagerank --next --revisit on a store with fetch facts, which append --replace
keeps; those of the others are the best by score times age, the oldest, and the best by score.

MILLRACE names the program."""
import array
import collections
import json
import math
import os
import random
import subprocess
import sys

MILLRACE = os.environ.get("MILLRACE", "build/release/cli/millrace")
CASH = 1 << 62
DAY = 86400


def run(*words):
    return subprocess.run([MILLRACE, *map(str, words), "--quiet"], check=True, text=True, capture_output=True).stdout


def name(page):
    return f"http://h{page // 50}.example/{page}"


def page_of(url):
    return int(url.rsplit("/", 1)[1])


def read_web(path):
    targets = collections.defaultdict(lambda: array.array("i"))
    with open(path) as lines:
        for line in lines:
            source, target = line.split()
            targets[int(source)].append(int(target))
    return targets


def tau(left, right):
    """Kendall's tau-b of two lists. Scores that differ by less than their error are ties."""
    left, right = ([float(f"{score:.6g}") for score in scores] for scores in (left, right))
    pairs = concordant = ties_left = ties_right = 0
    for i, (a, b) in enumerate(zip(left, right)):
        for c, d in zip(left[:i], right[:i]):
            pairs += 1
            ties_left += a == c
            ties_right += b == d
            concordant += ((a > c) - (a < c)) * ((b > d) - (b < d))
    return concordant / ((pairs - ties_left) * (pairs - ties_right)) ** 0.5


def scores_of(path):
    with open(path) as lines:
        return {url: float(score) for url, score in (line.split("\t") for line in lines)}


class Crawl:
    def __init__(self, links, directory):
        self.web, self.directory = read_web(links), directory
        self.draw = random.Random(42)
        self.fetched, self.gone, self.seen = set(), set(), set()
        self.changes = 0
        self.log = self.path("log.jsonl")
        for file in os.listdir(directory):
            if file.endswith(".opic"):
                os.remove(self.path(file))
        open(self.log, "w").close()

    def path(self, file):
        return os.path.join(self.directory, file)

    def begin(self, n):
        queue = collections.deque([max(self.web, key=lambda page: (len(self.web[page]), -page))])
        self.seen.update(queue)
        pages = []
        while queue and len(pages) < n:
            page = queue.popleft()
            pages.append(page)
            for target in self.web.get(page, ()):
                if target not in self.seen:
                    self.seen.add(target)
                    queue.append(target)
        return pages

    def change(self, new, again):
        """The web changes before the pages are fetched."""
        n = len(new) + len(again)
        gone = self.draw.sample(new + again, n // 100)
        self.gone.update(gone)
        for page in self.draw.sample([page for page in again if page not in self.gone], min(len(again) // 2, n // 20)):
            links = self.web.get(page, [])
            for at in self.draw.sample(range(len(links)), len(links) // 3):
                links[at] = self.draw.choice(self.web[self.draw.choice(links)] or links)  # popular pages are likelier
            self.changes += 1

    def write_page(self, out, page):
        print(name(page), *map(name, dict.fromkeys(self.web.get(page, ()))), file=out)

    def fetch(self, pages, day):
        """The links of a round, and what the crawler's log says of it."""
        paths = self.path("gone.jsonl"), self.path("round.adj")
        with open(self.log, "a") as log, open(paths[0], "w") as gone, open(paths[1], "w") as links:
            for page in pages:
                is_gone = page in self.gone
                line = json.dumps({"url": name(page), "status": 404 if is_gone else 200,
                                   "timestamp": 1700000000 + day * DAY})
                print(line, file=log)
                if is_gone:
                    print(line, file=gone)
                else:
                    self.write_page(links, page)
                    self.seen.update(self.web.get(page, ()))
        self.fetched.update(pages)

    def write_true(self):
        with open(self.path("true.adj"), "w") as out:
            for page in sorted(self.seen | self.fetched):
                if page in self.fetched and page not in self.gone:
                    self.write_page(out, page)
                else:
                    print(name(page), file=out)
        run("build", "-o", self.path("true.mill"), "--force", "--format", "adjacency", self.path("true.adj"))
        run("pagerank", self.path("true.mill"), "-o", self.path("true.tsv"), "--force", "--tolerance", "1e-9")
        return scores_of(self.path("true.tsv"))

    def add(self, store, is_first):
        if is_first:
            run("build", "-o", self.path(store), "--force", "--format", "adjacency", self.path("round.adj"))
        elif store == "replace.mill":
            run("append", self.path(store), "--format", "adjacency", self.path("round.adj"), "--replace",
                "--gone", self.path("gone.jsonl"), "--max-unknown", "100%")
        else:
            run("append", self.path(store), "--format", "adjacency", self.path("round.adj"))

    def rank(self, kind, is_first):
        store, ranks, opic = (self.path(kind + end) for end in (".mill", ".tsv", ".opic"))
        if not is_first:
            os.replace(ranks, ranks + ".before")
        start = [] if is_first else ["--start", ranks + ".before"]
        run("pagerank", store, "-o", ranks, "--force", "--tolerance", "1e-9", *start)
        run("opic", store, "-o", opic + ".tsv", "--force", "--state", opic, "--window", 4, "--sweeps", 20)
        with open(opic + ".tsv.meta.json") as meta:
            if json.load(meta)["cash_sum"] != CASH:
                sys.exit("cash is lost")
        return {kind + " pagerank": scores_of(ranks), kind + " opic": scores_of(opic + ".tsv")}

    def next(self, n, *how):
        lines = run("pagerank", self.path("replace.mill"), "--start", self.path("replace.tsv"), "--next", n,
                    "--urls-only", *how)
        return [page_of(line) for line in lines.splitlines()]


def write_round(path, web, pages, day):
    """The captures of a round, spread over its day."""
    with open(path, "w") as out:
        for i, page in enumerate(pages):
            print(json.dumps({"url": name(page), "timestamp": 1700000000 + day * DAY + i * DAY // len(pages),
                              "links": [name(target) for target in web[page]]}), file=out)


def revisits(links, directory, rounds, n):
    web, draw = read_web(links), random.Random(42)
    pages, targets = sorted(web), sorted({target for links in web.values() for target in links})
    store, captures, ranks = (os.path.join(directory, file) for file in ("facts.mill", "round.jl", "facts.tsv"))
    rates = {page: 10 ** draw.uniform(-2.5, 0.5) for page in pages}
    write_round(captures, web, pages, 0)
    run("build", "-o", store, "--force", captures)
    run("pagerank", store, "-o", ranks, "--force")
    scores = {page_of(url): score for url, score in scores_of(ranks).items()}
    total, version = sum(scores[page] for page in pages), dict.fromkeys(pages, 0)

    def offered(_last, _day):
        lines = run("pagerank", store, "--next", n, "--revisit", "--fetched", "links", "--urls-only")
        return [page_of(line) for line in lines.splitlines()]

    policies = {
        "score times probability": offered,
        "score times age": lambda last, day: sorted(pages, key=lambda p: (-scores[p] * (day - last[p]), p))[:n],
        "oldest first": lambda last, _: sorted(pages, key=lambda p: (last[p], p))[:n],
        "best first": lambda _last, _day: sorted(pages, key=lambda p: (-scores[p], p))[:n]}
    known = {policy: dict(version) for policy in policies}
    last = {policy: dict(version) for policy in policies}
    print("round", *policies, sep="\t")
    sums, found = dict.fromkeys(policies, 0.0), dict.fromkeys(policies, 0.0)
    for day in range(1, rounds + 1):
        for page in pages:
            if draw.random() < 1 - math.exp(-rates[page]):
                version[page] += 1
                web[page][draw.randrange(len(web[page]))] = draw.choice(targets)
        cells = []
        for policy, choose in policies.items():
            chosen = choose(last[policy], day)
            for page in chosen:
                found[policy] += scores[page] * (known[policy][page] != version[page]) / total
                known[policy][page], last[policy][page] = version[page], day
            if choose is offered:
                write_round(captures, web, chosen, day)
                run("append", store, captures, "--replace")
            fresh = sum(scores[page] for page in pages if known[policy][page] == version[page]) / total
            sums[policy] += fresh
            cells.append(f"{fresh:.4f}")
        print(day, *cells, sep="\t", flush=True)
    for what, shares in ("mean", sums), ("found", found):
        print(what, *(f"{share / rounds:.4f}" for share in shares.values()), sep="\t")


def main():
    is_about_revisits = sys.argv[1] == "--revisits"
    links, directory, *numbers = sys.argv[1 + is_about_revisits:]
    rounds, n = (int(number) for number in (numbers + ["20", "20000"][len(numbers):]))
    if is_about_revisits:
        revisits(links, directory, rounds, n)
        return
    crawl = Crawl(links, directory)
    crawl.fetch(crawl.begin(n), 0)
    for i in range(rounds + 1):
        found = {}
        for kind in "replace", "union":
            crawl.add(kind + ".mill", i == 0)
            found.update(crawl.rank(kind, i == 0))
        true = crawl.write_true()
        best = sorted(true, key=lambda url: (-true[url], url))[:1000]
        if i == 0:
            measures = [f"{what} {which}" for which in found for what in ("L1", "tau")]
            print("round", "fetched", "changed", "gone", *measures, sep="\t")
        cells = []
        for scores in found.values():
            distance = sum(abs(true.get(url, 0) - scores.get(url, 0)) for url in true.keys() | scores.keys())
            order = tau([true[url] for url in best], [scores.get(url, 0) for url in best])
            cells += [f"{distance:.3g}", f"{order:.4f}"]
        print(i, len(crawl.fetched), crawl.changes, len(crawl.gone), *cells, sep="\t", flush=True)
        if i == rounds:
            break
        new = crawl.next(n // 2, "--fetched", crawl.log)
        again = crawl.next(n // 2, "--times", crawl.log, "--revisit")
        if len(set(new)) < len(new) or crawl.fetched & set(new):
            sys.exit("a page is offered twice")
        if crawl.gone & (set(new) | set(again)):
            sys.exit("a page that is gone is offered")
        crawl.change(new, again)
        crawl.fetch(new + again, i + 1)


main()
