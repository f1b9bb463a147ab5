# SPDX-License-Identifier: Apache-2.0
"""URLFrontier in the loop of stormcrawler.md, with its default service (RocksDB), then the order of its memory service."""

import json
import os
import re
from urllib.parse import urlsplit

VERSION = "2.6"
JARS = [f"urlfrontier-{part}-{VERSION}.jar" for part in ("service", "client")]
NEEDS = f"URLFRONTIER=DIRECTORY with {' and '.join(JARS)}, which no registry has: its project's sources build them"
PROGRAMS = ("java", "wget")
PORT = 7871


def per_host(pages):
    hosts = {}
    for page in pages:
        hosts.setdefault(urlsplit(page).hostname, []).append(page)
    return hosts.values()


def places(kit, name):
    """{page: place} of a file for PutURLs."""
    known = [json.loads(line)["known"] for line in kit.read(name).splitlines()]
    return {item["info"]["url"]: int(item["refetchableFromDate"]) for item in known}


def run(kit):
    folder = kit.given("URLFRONTIER", *JARS)
    service, client = (f"{folder}/{jar}" for jar in JARS)
    server = f"java -Xmx400m -cp {service} crawlercommons.urlfrontier.service.URLFrontierServer -p {PORT}"
    kit.take("urlfrontier/urlfrontier_loop.sh")
    kit.write("seeds.txt", "".join(f"{site}\n" for site in kit.web.sites))
    with kit.server(server, PORT):
        said = kit.run(f"bash urlfrontier_loop.sh {kit.per_round}", URLFRONTIER_CLIENT=client, URLFRONTIER_PORT=str(PORT))
    kit.check("no page of the scores is left to fetch" in said, "the loop did not end by itself")
    rounds = len([name for name in os.listdir(kit.file("rounds")) if name.endswith(".warc.gz")])
    kit.figures["rounds"] = rounds
    found = kit.web.found()  # wget takes robots.txt for what it follows, not for what it is told
    kit.check_fetched(found, [page for _, page in kit.web.asked])
    kit.check_links("crawl.mill", {page for page in found if kit.web.pages[page].status < 400})
    # Each page is in the frontier, and none is handed out again: an item without a date.
    dump = [json.loads(line)["known"] for line in kit.read("frontier.jsonl").splitlines()]
    done = {item["info"]["url"] for item in dump if "refetchableFromDate" not in item}
    kit.count("states", len(done & found), len({item["info"]["url"] for item in dump} | found))
    kit.figures["added"] = len(done - found)
    for number in range(2, rounds + 1):
        wanted, asked = places(kit, f"next-{number}.jsonl"), kit.read(f"asked-{number}.txt").splitlines()
        kit.check(set(asked) == set(wanted), f"asked-{number}.txt has other pages than next-{number}.jsonl")
        for pages in per_host(asked):
            kit.check_order(wanted, pages)
    # The other service keeps the order, too: all pages as if none were fetched.
    kit.run("millrace precedence ranks.tsv --crawler urlfrontier -o all.jsonl")
    with kit.server(server + " implementation=crawlercommons.urlfrontier.service.memory.MemoryFrontierService", PORT):
        call = f"java -cp {client} crawlercommons.urlfrontier.client.Client -p {PORT}"
        said = kit.run(f"{call} PutURLs -f all.jsonl; {call} GetURLs -q 1000 -m 1000 -d 600")
    got = re.findall(r'^url: "(.*)"$', said, re.M)
    kit.check(set(got) == found, f"memory service: {len(got)} pages")
    for pages in per_host(got):
        kit.check_order(places(kit, "all.jsonl"), pages)
