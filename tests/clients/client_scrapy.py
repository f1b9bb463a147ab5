# SPDX-License-Identifier: Apache-2.0
"""Scrapy in the loop of scrapy.md: rounds of the best pages until none is left."""

import json

VERSION = "2.19.0"
NEEDS = f"Scrapy {VERSION} from PyPI"
PROGRAMS = ()


def run(kit):
    kit.pip(f"scrapy=={VERSION}")
    kit.take("scrapy/ranked.py", "scrapy/scrapy_loop.sh")
    kit.write("seeds.txt", "".join(f"{site}\n" for site in kit.web.sites))
    said = kit.run(f"bash scrapy_loop.sh {kit.per_round} -s CONCURRENT_REQUESTS=1 "
                   "-s SCHEDULER_PRIORITY_QUEUE=scrapy.pqueues.ScrapyPriorityQueue")
    kit.check("no page of the scores is left to fetch" in said, "the loop did not end by itself")
    rounds = kit.run("ls rounds").split()
    kit.figures["rounds"] = len(rounds)
    items = [[json.loads(line) for line in kit.read(f"rounds/{name}").splitlines()] for name in rounds]
    found = kit.web.found()
    denied = {page for page in found if "/private/" in page}
    kit.check_fetched(found - denied, [page for _, page in kit.web.asked])
    # Each answer is an item with the status of the server, and each page that robots.txt denies.
    states = {item["url"]: item["status"] for items_of_round in items for item in items_of_round}
    truth = {page: "blocked" if page in denied else kit.web.pages[page].status for page in found}
    kit.count("states", sum(states.get(page) == state for page, state in truth.items()), len(truth | states))
    kit.check_links("crawl.mill", {page for page, state in truth.items() if state in (200, 301, 302)})
    # The server was asked in the order of the priorities.
    asked = [page for _, page in kit.web.asked]
    for number in range(2, len(rounds) + 1):
        lines = [line.split("\t") for line in kit.read(f"next-{number}.tsv").splitlines()]
        kit.check_order({page: -int(priority) for page, priority in lines}, asked)
        kit.check(len(lines) <= kit.per_round, f"next-{number}.tsv has {len(lines)} lines")
