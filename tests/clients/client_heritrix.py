# SPDX-License-Identifier: Apache-2.0
"""Heritrix in the loop of heritrix.md: rounds of the best pages until none is left, in the order of the levels."""

import glob
import os
import re
import zipfile

VERSION = "3.13.0"
NEEDS = f"Heritrix {VERSION} from Maven Central"
PROGRAMS = ("java", "mvn")
QUICK = """disposition.delayFactor=0
disposition.minDelayMs=0
disposition.maxDelayMs=0
crawlController.maxToeThreads=1
crawlController.pauseAtStart=false
frontier.retryDelaySeconds=1
frontier.maxRetries=2
checkpointService.checkpointOnShutdown=true
"""


def job(kit, jars):
    """The profile that Heritrix comes with, and the bean of the page."""
    with zipfile.ZipFile(glob.glob(f"{jars}/heritrix-engine-*.jar")[0]) as jar:
        beans = jar.read("org/archive/crawler/restlet/profile-crawler-beans.cxml").decode()
    with open(os.path.join(os.path.dirname(__file__), "../../docs/crawlers/heritrix.md"), encoding="utf-8") as page:
        policy, queues = re.findall(r"^```xml\n(.*?)^```$", page.read(), re.S | re.M)[:2]
    seeds = '<bean class="org.archive.spring.ConfigFile"><property name="path" value="seeds.txt"/></bean>'
    for old, new in (
            (r"ENTER_AN_URL_WITH_YOUR_CONTACT_INFO\w*", "http://127.0.0.1/contact"),
            (r"##[.][.]more[?][.][.]##", QUICK),
            (r'<prop key="seeds.textSource.value">\s*# URLS HERE\s*http\S*\s*</prop>', ""),
            (r'<bean class="org.archive.spring.ConfigString">.*?</bean>', seeds),
            (r"<!-- URI PRECEDENCE POLICY -->\s*<!--.*?-->", policy.replace('value="6"', 'value="127"')),
            (r'(<bean class="[\w.]*TooManyHopsDecideRule">)', r'\1<property name="maxHops" value="0"/>'),
            (r'(<bean id="frontier"\s+class="[\w.]*BdbFrontier">)', r"\1" + queues)):
        beans, n = re.subn(old, new, beans, count=1, flags=re.S)
        kit.check(n == 1, f"the profile of Heritrix has no {old}")
    kit.write("jobs/loop/crawler-beans.cxml", beans)
    kit.write("jobs/loop/seeds.txt", "".join(f"{site}\n" for site in kit.web.sites))


def is_page(url):
    """Not what pages embed, what Heritrix guesses, and what it asks each server for."""
    return url.startswith("http") and not re.search(r"/(img|js|css|notalink)/|/(favicon.ico|robots.txt)$", url)


def run(kit):
    home = kit.install("dist", [VERSION], lambda folder: [
        ["mvn", "-B", "-q", "dependency:copy", f"-Dartifact=org.archive.heritrix:heritrix:{VERSION}:zip:dist", "-DoutputDirectory=."],
        ["python3", "-m", "zipfile", "-e", f"heritrix-{VERSION}-dist.zip", "."]]) + f"/heritrix-{VERSION}"
    kit.take("heritrix", {"heritrix/heritrix_loop.sh": "bash"})
    job(kit, f"{home}/lib")
    kit.run(f"bash heritrix_loop.sh {kit.per_round}", HERITRIX_HOME=home)
    states, rounds = {}, []
    for path in sorted(glob.glob(kit.file("jobs/loop/2*/logs/crawl.log"))):
        with open(path, encoding="utf-8") as log:
            lines = [line.split() for line in log]
        rounds.append([line[3] for line in lines if is_page(line[3])])
        states.update({line[3]: int(line[1]) for line in lines if is_page(line[3])})
    kit.figures["rounds"] = len(rounds)
    found = {page for _, page, _ in kit.web.links} | set(kit.web.sites)
    denied = {page for page in found if "/private/" in page}
    # The target of a redirect is fetched in the same round, also if an earlier round had it.
    asked, again = [page for _, page in kit.web.asked if is_page(page)], {to for _, to, kind in kit.web.links if kind == "redirect"}
    once = [page for i, page in enumerate(asked) if page not in again or page not in asked[:i]]
    kit.check_fetched(found - denied, once)
    kit.figures["twice"] += len(asked) - len(once)
    truth = {page: -9998 if page in denied else kit.web.pages[page].status for page in found}
    kit.count("states", sum(states.get(page) == state for page, state in truth.items()), len(set(truth) | set(states)),
              {page for page in set(truth) | set(states) if truth.get(page) != states.get(page)})
    kit.figures["added"] = len(set(states) - found)
    kit.web.links = [(source.lower(), to.lower(), kind) for source, to, kind in kit.web.links]  # as --profile heritrix has them
    kit.check_links("crawl.mill", {page.lower() for page, state in truth.items() if state in (200, 301, 302)})
    for number, pages in enumerate(rounds[1:], 1):
        lines = [line.rsplit(" ", 1) for line in kit.read(f"precedence-{number}.txt").splitlines()]
        kit.check_order({page: int(level) for page, level in lines}, pages)
