# SPDX-License-Identifier: Apache-2.0
"""Crawlee in the loop of crawlee.md: its request queue says what is fetched, its datasets have the links."""

import glob
import json

VERSION = "3.18.1"
NEEDS = f"@crawlee/cheerio {VERSION} from npm"
PROGRAMS = ("node", "npm")


def records(kit, pattern):
    for name in sorted(glob.glob(kit.file(pattern))):
        with open(name, encoding="utf-8") as file:
            yield json.load(file)


def run(kit):
    kit.npm(f"@crawlee/cheerio@{VERSION}")
    kit.take("crawlee/ranked_crawler.mjs", "crawlee/crawlee_loop.sh")
    kit.write("seeds.txt", "".join(f"{site}\n" for site in kit.web.sites))
    kit.run(f"bash crawlee_loop.sh {kit.per_round}")
    rounds = len(glob.glob(kit.file("storage/datasets/round-*")))
    kit.figures["rounds"] = rounds
    found, asked = kit.web.found(), [page for _, page in kit.web.asked]
    denied = {page for page in found if "/private/" in page}
    kit.check_fetched(found - denied, asked)
    items = {item["url"]: item["statusCode"] for item in records(kit, "storage/datasets/round-*/*.json")}
    truth = {page: "blocked" if page in denied else kit.web.pages[page].status for page in found}
    kit.count("states", sum(items.get(page) == state for page, state in truth.items()), len(items | truth))
    queue = {request["url"]: request["orderNo"] for request in records(kit, "storage/request_queues/default/*.json")}
    kit.check(set(queue) == found - denied, f"the queue: {sorted(set(queue) ^ (found - denied))[:5]}")
    kit.check(not any(queue.values()), "requests are left in the queue")
    kit.figures["added"] = len(set(queue) - found)
    kit.check_links("crawl.mill", {page for page in items if items[page] in (200, 301, 302)})
    for number in range(2, rounds + 1):
        pages = kit.read(f"next-{number}.txt").splitlines()
        kit.check_order({page: place for place, page in enumerate(pages)}, asked)
