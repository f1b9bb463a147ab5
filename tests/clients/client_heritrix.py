# SPDX-License-Identifier: Apache-2.0
"""Heritrix in the loop of heritrix.md, rounds of the best pages until none is left, in the order of the levels; then a
crawl that is stopped and goes on by its recovery journal."""

import glob
import os
import re
import time
import zipfile

from kit import Failed

VERSION = "3.13.0"
NEEDS = f"Heritrix {VERSION} from Maven Central"
PROGRAMS = ("java", "mvn", "curl")
PORT = 8499
QUICK = """disposition.delayFactor=0
disposition.minDelayMs=0
disposition.maxDelayMs=0
crawlController.maxToeThreads=1
frontier.retryDelaySeconds=1
frontier.maxRetries=2
checkpointService.checkpointOnShutdown=true
"""


def blocks(language):
    with open(os.path.join(os.path.dirname(__file__), "../../docs/crawlers/heritrix.md"), encoding="utf-8") as page:
        return re.findall(rf"^```{language}\n(.*?)^```$", page.read(), re.S | re.M)


def job(kit, jars, name, max_hops):
    """The profile that Heritrix comes with, and the beans of the page."""
    with zipfile.ZipFile(glob.glob(f"{jars}/heritrix-engine-*.jar")[0]) as jar:
        beans = jar.read("org/archive/crawler/restlet/profile-crawler-beans.cxml").decode()
    policy, queues, rule = blocks("xml")
    seeds = '<bean class="org.archive.spring.ConfigFile"><property name="path" value="seeds.txt"/></bean>'
    for old, new in (
            (r"ENTER_AN_URL_WITH_YOUR_CONTACT_INFO\w*", "http://127.0.0.1/contact"),
            (r"##[.][.]more[?][.][.]##", QUICK),
            (r'<prop key="seeds.textSource.value">\s*# URLS HERE\s*http\S*\s*</prop>', ""),
            (r'<bean class="org.archive.spring.ConfigString">.*?</bean>', seeds),
            (r"<!-- URI PRECEDENCE POLICY -->\s*<!--.*?-->", policy.replace('value="6"', 'value="127"')),
            (r'(<bean id="frontier"\s+class="[\w.]*BdbFrontier">)', r"\1" + queues),
            (r'(<bean class="[\w.]*TooManyHopsDecideRule">)', rf'\1<property name="maxHops" value="{max_hops}"/>'),
            (r'(<bean class="[\w.]*TransclusionDecideRule">.*?</bean>)', r"\1" + ("" if max_hops else rule))):
        beans, n = re.subn(old, new, beans, count=1, flags=re.S)
        kit.check(n == 1, f"the profile of Heritrix has no {old}")
    kit.write(f"jobs/{name}/crawler-beans.cxml", beans)
    kit.write(f"jobs/{name}/seeds.txt", "".join(f"{site}\n" for site in kit.web.sites))


def is_page(url):
    """Not what pages embed, what Heritrix guesses, and what it asks each server for."""
    return url.startswith("http") and not re.search(r"/(img|js|css|notalink)/|/(favicon.ico|robots.txt)$", url)


def run(kit):
    home = kit.install("dist", [VERSION], lambda folder: [
        ["mvn", "-B", "-q", "dependency:copy", f"-Dartifact=org.archive.heritrix:heritrix:{VERSION}:zip:dist", "-DoutputDirectory=."],
        ["python3", "-m", "zipfile", "-e", f"heritrix-{VERSION}-dist.zip", "."]]) + f"/heritrix-{VERSION}"
    kit.take("heritrix/heritrix_loop.sh")
    job(kit, f"{home}/lib", "loop", 0)
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
    kit.check_fetched(found - denied, [page for _, page in kit.web.asked if is_page(page)])
    truth = {page: -9998 if page in denied else kit.web.pages[page].status for page in found}
    kit.count("states", sum(states.get(page) == state for page, state in truth.items()), len(set(truth) | set(states)),
              {page for page in set(truth) | set(states) if truth.get(page) != states.get(page)})
    kit.figures["added"] = len(set(states) - found)
    kit.web.links = [(source.lower(), to.lower(), kind) for source, to, kind in kit.web.links]  # as --profile heritrix has them
    kit.check_links("crawl.mill", {page.lower() for page, state in truth.items() if state in (200, 301, 302)})
    for number, pages in enumerate(rounds[1:], 1):
        lines = [line.rsplit(" ", 1) for line in kit.read(f"precedence-{number}.txt").splitlines()]
        kit.check_order({page: int(level) for page, level in lines}, pages)
    go_on(kit, home, found - denied)


def wait(kit, condition, what):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise Failed(f"{what}: not within a minute; {kit.work}/server.txt")


def go_on(kit, home, wanted):
    """A crawl that is stopped after 200 pages goes on in another launch, by the commands of the page."""
    job(kit, f"{home}/lib", "again", 20)
    start = len(kit.web.asked)

    def asked():
        return [page for _, page in kit.web.asked[start:] if is_page(page)]

    def tell(action, state):
        kit.run(f"curl -skL -u admin:admin --anyauth -d action={action} https://127.0.0.1:{PORT}/engine/job/again >answer.xml")
        wait(kit, lambda: state in kit.read("jobs/again/job.log").splitlines()[-1], f"{action}: {state}")

    with kit.server(f"java -cp {home}/lib/* org.archive.crawler.Heritrix -a admin:admin -p {PORT} -j jobs", PORT):
        kit.run(f"until curl -sk https://127.0.0.1:{PORT}/ >answer.xml; do sleep 0.2; done")
        tell("launch", "PAUSED")
        tell("unpause", "RUNNING")
        wait(kit, lambda: len(asked()) >= 200, "200 pages")
        tell("terminate", "FINISHED")
        first = asked()
        tell("teardown", "discarded")
        kit.run(f"cd jobs/again; {blocks('bash')[-1]}", HERITRIX_HOME=home)
        tell("launch", "PAUSED")
        wait(kit, lambda: not glob.glob(kit.file("jobs/again/action/*.gz")), "the journal is taken")
        tell("unpause", "FINISHED")
        tell("teardown", "discarded")
    second = asked()[len(first):]
    again, seeds = set(first) & set(second), set(kit.web.sites)
    kit.check(again <= seeds, f"fetched again: {sorted(again - seeds)[:5]}")
    kit.check(wanted <= set(first + second), f"not fetched: {sorted(wanted - set(first + second))[:5]}")
    lines = [line.rsplit(" ", 1) for line in kit.read("jobs/again/precedence.txt").splitlines()]
    kit.check_order({page: int(level) for page, level in lines if page not in seeds}, second)
