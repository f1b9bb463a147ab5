# SPDX-License-Identifier: Apache-2.0
"""Nutch in the loop of nutch.md, in Hadoop's local mode: rounds of the best pages until none is due."""

import glob
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "formats"))
import nutch_files  # pylint: disable=wrong-import-position

VERSION = "1.21"
NEEDS = (f"NUTCH=DIRECTORY with Nutch {VERSION}: the folder of apache-nutch-{VERSION}-bin.tar.gz, which nutch.apache.org has; "
         "Maven Central has no plugins of it")
PROGRAMS = ("java",)
SITE = """<?xml version="1.0"?><configuration>
<property><name>http.agent.name</name><value>millrace-test</value></property>
<property><name>plugin.folders</name><value>NUTCH/plugins</value></property>
<property><name>plugin.includes</name>
<value>protocol-http|urlfilter-regex|parse-html|scoring-opic|urlnormalizer-(pass|regex|basic)</value></property>
<property><name>parser.html.outlinks.ignore_tags</name><value>img,script,link,form</value></property>
<property><name>fetcher.server.delay</name><value>0.0</value></property>
<property><name>fetcher.server.min.delay</name><value>0.0</value></property>
<property><name>hadoop.tmp.dir</name><value>WORK/tmp</value></property>
</configuration>
"""
# Keeps the scores that each list of pages is made from.
WRAPPER = """#!/bin/bash
[ "$1" != generate ] || cp ranked/ranked.txt "ranked-$(ls crawl/segments 2>/dev/null | wc -l).txt" 2>/dev/null
export JAVA_HOME=${JAVA_HOME:-$(dirname "$(dirname "$(realpath "$(command -v java)")")")} NUTCH_HEAPSIZE=500 NUTCH_LOG_DIR=$PWD/logs
export NUTCH_CONF_DIR=WORK/conf:NUTCH/conf
exec NUTCH/bin/nutch "$@"
"""
STATES = {200: 2, 301: 5, 302: 4, 404: 3, 503: 1}  # of the server, and of CrawlDatum


def install(kit):
    home = kit.given("NUTCH", "bin/nutch", "conf/regex-urlfilter.txt", "plugins/protocol-http")
    with open(f"{home}/conf/regex-urlfilter.txt", encoding="utf-8") as file:  # without the rule that drops queries
        kit.write("conf/regex-urlfilter.txt", re.sub(r"^-.*[?][*]!@=.*$", "", file.read(), flags=re.M))
    kit.write("conf/nutch-site.xml", SITE.replace("NUTCH", home).replace("WORK", kit.work))
    kit.write("bin/nutch", re.sub(r"\bNUTCH(?=/)", home, WRAPPER).replace("WORK", kit.work))
    os.chmod(kit.file("bin/nutch"), 0o755)


def pages_of(path):
    """{page: (state, score)} of a crawldb or a list."""
    found = {}
    for name in glob.glob(path):
        for _, key, value in nutch_files.records_of(name):
            found[nutch_files.Reader(key).text()] = (value[1], struct.unpack(">f", value[15:19])[0])
    return found


def scores_of(text):
    return {line.split("\t")[0]: float(line.split("nutch.score=")[1]) for line in text.splitlines()}


def check_scores(kit, wanted):
    database = pages_of(kit.file("crawl/crawldb/current/part-r-*/data"))
    wrong = [page for page, score in wanted.items() if struct.pack("f", database.get(page, (0, -1))[1]) != struct.pack("f", score)]
    kit.count("scores", len(wanted) - len(wrong), len(wanted), wrong)
    return database


def run(kit):
    install(kit)
    # Nutch leaves out the others, and pages that only those lead to; and links of a page to itself if they are spelled well.
    links = [(source, target, kind) for source, target, kind in kit.web.links if kind != "nofollow" and source != target]
    led_to = {target for _, target, _ in links}
    kit.web.links = [link for link in links if link[0] in led_to or link[0] in kit.web.sites]
    kit.take("nutch/nutch_loop.sh")
    kit.write("seeds/first.txt", "".join(f"{site}\n" for site in kit.web.sites))
    kit.run(f"bash nutch_loop.sh {kit.per_round}")
    lists = [pages_of(f"{segment}/crawl_generate/part-r-*") for segment in sorted(glob.glob(kit.file("crawl/segments/*")))]
    kit.figures["rounds"] = len(lists)
    found = {page for _, page, _ in kit.web.links} | set(kit.web.sites)
    denied = {page for page in found if "/private/" in page}
    kit.check_fetched(found - denied, [page for _, page in kit.web.asked])
    ranked = scores_of(kit.read("ranked/ranked.txt"))
    database = check_scores(kit, ranked)
    truth = {page: 3 if page in denied else STATES[kit.web.pages[page].status] for page in found}
    kit.count("states", sum(database.get(page, (0,))[0] == state for page, state in truth.items()), len(set(truth) | set(database)),
              {page for page in set(truth) | set(database) if database.get(page, (0,))[0] != truth.get(page)})
    kit.figures["added"] = len(set(database) - found)
    kit.check_links("crawl.mill", {page for page, state in truth.items() if state in (2, 4, 5)}, loops=False)
    # Each list has the best pages that wait.
    right = pairs = 0
    done = set()
    for number, pages in enumerate(lists):
        name = kit.file(f"ranked-{number}.txt")
        scores = scores_of(kit.read(name)) if os.path.exists(name) else {}
        left = [score for page, score in scores.items() if page not in pages and page not in done]
        for page in pages:
            right += sum(scores.get(page, 0) >= score for score in left)
            pairs += len(left)
        done |= set(pages)
    kit.count("order", right, pairs)
    # The other way of the page: nodes for scoreupdater, which adds no page.
    with open(os.path.join(os.path.dirname(__file__), "../../docs/crawlers/nutch.md"), encoding="utf-8") as page:
        lines = re.findall(r"^    (.*(?:nutch-nodes|scoreupdater).*)$", page.read(), re.M)
    kit.run('nutch updatedb crawl/crawldb "$(ls -d crawl/segments/* | tail -n 1)"')  # scoring-opic adds to the scores
    kit.run("; ".join(lines))
    ranks = [line.split("\t") for line in kit.read("ranks.tsv").splitlines()]
    exact = {page: float(rank) * len(ranks) for page, rank in ranks}  # the average page has 1
    kit.check(set(check_scores(kit, exact)) == set(database), "scoreupdater added pages")
