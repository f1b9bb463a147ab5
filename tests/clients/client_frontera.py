# SPDX-License-Identifier: Apache-2.0
"""Frontera in the loop of scrapy.md: its queue of sqlalchemy hands out the pages, and its metadata table says what is
fetched. No Scrapy newer than 2.8 works with it, and no Python newer than 3.9 without the line below."""

import csv
import glob
import json

PACKAGES = ("frontera==0.8.1", "sqlalchemy==1.4.54", "cachetools==5.5.2", "scrapy==2.8.0", "twisted==22.10.0",
            "w3lib==1.22.0", "setuptools==65.5.0")
NEEDS = f"{', '.join(PACKAGES)} from PyPI"
PROGRAMS = ("sqlite3",)


def run(kit):
    folder = kit.pip(*PACKAGES)
    for site in glob.glob(f"{folder}/lib/python3*/site-packages"):
        with open(f"{site}/iterable.pth", "w", encoding="utf-8") as file:  # a system may have a sitecustomize of its own
            file.write("import collections.abc; collections.Iterable = collections.abc.Iterable\n")
    kit.take("frontera/ranked_strategy.py", "frontera/frontier_settings.py", "frontera/frontera_loop.sh", "scrapy/ranked.py")
    kit.write("seeds.txt", "".join(f"{site}\n" for site in kit.web.sites))
    said = kit.run(f"bash frontera_loop.sh {kit.per_round} -s CONCURRENT_REQUESTS=1")
    kit.check("no page of the scores is left to fetch" in said, "the loop did not end by itself")
    rounds = kit.run("ls rounds").split()
    kit.figures["rounds"] = len(rounds)
    found = kit.web.found()
    denied = {page for page in found if "/private/" in page}
    asked = [page for _, page in kit.web.asked]
    kit.check_fetched(found - denied, asked)
    # Frontera's metadata table, as the loop gives it to --fetched: every page, with what came of it.
    states = {row["url"]: row["status"] for row in csv.DictReader(kit.read("metadata.csv").splitlines())}
    truth = {page: "IgnoreRequest" if page in denied else str(kit.web.pages[page].status) for page in found}
    kit.count("states", sum(states.get(page) == state for page, state in truth.items()), len(truth | states))
    items = [json.loads(line) for name in rounds for line in kit.read(f"rounds/{name}").splitlines()]
    kit.check(len(items) == len(found - denied), f"{len(items)} items")
    kit.check_links("crawl.mill", {page for page, state in truth.items() if state in ("200", "301", "302")})
    for number in range(2, len(rounds) + 1):
        lines = [line.split("\t") for line in kit.read(f"scores-{number}.tsv").splitlines()]
        kit.check_order({page: float(score) for page, score in lines}, asked)
        kit.check(len(lines) <= kit.per_round, f"scores-{number}.tsv has {len(lines)} lines")
    # Queue.score is a Float of 8 bytes: what it hands out is what the file has.
