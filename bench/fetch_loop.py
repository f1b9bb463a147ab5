#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulates a crawl that is ranked after each round, and prints what each order of fetches is worth.

    bench/fetch_loop.py LINKS DIRECTORY [ROUNDS] [PAGES] [ORDER...]

LINKS has lines "source target" of the whole web, by name. The crawl begins with the page of most
links. A round fetches PAGES pages: their links are appended to the store of the crawl, the store is
ranked, and --next with --fetched says what comes next. The orders are opic, pagerank, hits and
breadth-first, which needs no ranking. The table has the share of all importance (PageRank of the
whole web) in the pages that were fetched. A page that comes twice ends the run with an error.
MILLRACE names the program."""
import collections
import os
import subprocess
import sys

MILLRACE = os.environ.get("MILLRACE", "build/release/cli/millrace")


def run(*words, **more):
    return subprocess.run([MILLRACE, *words, "--quiet"], check=True, text=True, **more)


def read_web(path):
    """Lists of targets by source, as numbers, and the names."""
    number, names, targets = {}, [], []

    def of(name):
        known = number.get(name)
        if known is None:
            known = number[name] = len(names)
            names.append(name)
            targets.append([])
        return known

    with open(path) as lines:
        for line in lines:
            source, target = line.split()
            targets[of(source)].append(of(target))
    return number, names, targets


def importance(path, directory, number):
    scores = os.path.join(directory, "web.tsv")
    if not os.path.exists(scores):
        run("build", "-o", os.path.join(directory, "web.mill"), path)
        run("pagerank", os.path.join(directory, "web.mill"), "-o", scores)
    worth = [0.0] * len(number)
    with open(scores) as lines:
        for line in lines:
            name, score = line.split()
            worth[number[name]] = float(score)
    return worth


class Crawl:
    def __init__(self, order, directory, web):
        self.order, (self.number, self.names, self.targets) = order, web
        self.store = os.path.join(directory, order + ".mill")
        self.fetched_path = os.path.join(directory, order + ".fetched")
        self.links_path = os.path.join(directory, order + ".links")
        self.fetched, self.found, self.queue = set(), set(), collections.deque()
        open(self.fetched_path, "w").close()
        self.is_new = True

    def fetch(self, pages):
        with open(self.fetched_path, "a") as log, open(self.links_path, "w") as links:
            for page in pages:
                if page in self.fetched:
                    sys.exit(f"{self.order}: {self.names[page]} came twice")
                self.fetched.add(page)
                log.write(self.names[page] + "\n")
                for target in self.targets[page]:
                    links.write(self.names[page] + " " + self.names[target] + "\n")
                    if target not in self.found and target not in self.fetched:
                        self.found.add(target)
                        self.queue.append(target)

    def next(self, n):
        if self.order == "breadth-first":
            pages = []
            while self.queue and len(pages) < n:
                page = self.queue.popleft()
                if page not in self.fetched:
                    pages.append(page)
            return pages
        if self.is_new:
            run("build", "-o", self.store, "--force", self.links_path)
        else:
            run("append", self.store, self.links_path)
        self.is_new = False
        command = [self.order, self.store, "--next", str(n)]
        command += ["--fetched", "list:" + self.fetched_path if self.order == "opic" else
                    self.fetched_path]
        if self.order == "pagerank":
            command += ["--tolerance", "1e-6"]
        if self.order == "hits":
            command += ["--tolerance", "1e-3"]
        lines = run(*command, capture_output=True).stdout.splitlines()
        return [self.number[line.split("\t")[0]] for line in lines]


def main():
    path, directory = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    n = int(sys.argv[4]) if len(sys.argv) > 4 else 20000
    orders = sys.argv[5:] or ["opic", "pagerank", "hits", "breadth-first"]
    web = read_web(path)
    worth = importance(path, directory, web[0])
    start = max(range(len(web[1])), key=lambda page: (len(web[2][page]), -page))
    table = {}
    for order in orders:
        crawl = Crawl(order, directory, web)
        crawl.fetch([start])
        for i in range(rounds):
            crawl.fetch(crawl.next(n))
            table[i, order] = sum(worth[page] for page in crawl.fetched)
            print(order, i + 1, len(crawl.fetched), f"{table[i, order]:.4f}", file=sys.stderr,
                  flush=True)
    print("round", *orders, sep="\t")
    for i in range(rounds):
        print(i + 1, *(f"{table[i, order]:.4f}" for order in orders), sep="\t")


main()
