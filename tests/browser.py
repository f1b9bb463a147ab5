# SPDX-License-Identifier: Apache-2.0
"""Looks at pages in headless Chromium, as a reader would: a wide window, a phone, the dark, and print.

    browser.py PAGE... [--pictures DIRECTORY]

Fails on an error in the console, a request for anything but the page, a page that is wider than its window, and a
text of a picture that leaves it or lies on another text. The tables of a report sort, search, and show who links to a
page, and have the numbers of its figures. Writes PAGE-wide.png, PAGE-phone.png, PAGE-dark.png and
PAGE-print.pdf to DIRECTORY. It speaks the DevTools protocol through the pipes 3 and 4 of the browser, so that it needs no other module. Exit code 77: there is
no Chromium.
"""

import argparse
import base64
import csv
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

FLAGS = ("--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
         "--disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars").split()
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
TIMEOUT = 600  # seconds for one answer
VIEWS = (("wide", 1100, "light"), ("phone", 390, "light"), ("dark", 1100, "dark"))
# Elements that reach beyond the right edge, unless a box around them scrolls.
OVERFLOW = """[...document.querySelectorAll('body *')].filter(e => !e.closest('.wide') && !e.closest('svg') &&
    e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map(e => e.outerHTML.slice(0, 80))"""
# Texts of pictures that leave their picture, and pairs of texts that lie on each other.
LABELS = """[...document.querySelectorAll('svg')].flatMap(svg => {
    const frame = svg.getBoundingClientRect(), found = [];
    const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    texts.forEach(([name, box], i) => {
        if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1)
            found.push(name + ' leaves its picture');
        for (const [other, far] of texts.slice(i + 1))
            if (box.left < far.right - 1 && far.left < box.right - 1 && box.top < far.bottom - 3 &&
                far.top < box.bottom - 3) found.push(name + ' lies on ' + other);
    });
    return found;
})"""

# What a reader does with a report: every table has the rows of its figures, in their order; sorts by a click on a head;
# finds what is searched; shows all rows; a click on the links of a page shows who links to it; the pointer on a picture
# shows values. A list of what is wrong.
USED = """(() => {
    const wrong = [], check = (good, text) => { if (!good) wrong.push(text); };
    const cells = (table, at) => table ? [...table.tBodies[0].rows].map(row => row.cells[at].textContent) : [];
    const read = text => Number(text.replaceAll(',', ''));
    const figures = JSON.parse(document.getElementById('figures').textContent);
    const page = document.getElementById('pages-1'), top = figures.scores[0].top;
    const tools = page.parentElement.previousElementSibling, [search] = tools.getElementsByTagName('input');
    const [more] = tools.getElementsByTagName('button'), heads = page.tHead.rows[0].cells;
    const click = head => head.querySelector('button').click();
    check(cells(page, 0).join() === top.slice(0, 20).map(row => row[0]).join(), 'other pages');
    check(cells(page, 1).every((text, i) => Math.abs(read(text) / top[i][1] - 1) < 1e-5), 'other scores');
    if (!more.hidden) more.click();
    check(cells(page, 0).length === top.length, 'not all are shown');
    click(heads[2]);
    let links = cells(page, 2).map(read);
    check(links.every((n, i) => i === 0 || links[i - 1] >= n), 'not sorted down');
    check(links[0] === Math.max(...top.map(row => row[2])), 'another number of links');
    click(heads[2]);
    links = cells(page, 2).map(read);
    check(links.every((n, i) => i === 0 || links[i - 1] <= n), 'not sorted up');
    click(heads[0]);
    const names = cells(page, 0);
    check(names.join() === [...names].sort().join(), 'names are not sorted');
    check(!search === top.length <= 10, 'no search');
    if (search) {
        search.value = top[3][0].toUpperCase();
        search.dispatchEvent(new Event('input'));
        check(cells(page, 0).includes(top[3][0]) && cells(page, 0).every(name => name.includes(top[3][0])), 'search');
        search.value = '';
        search.dispatchEvent(new Event('input'));
    }
    click(heads[1]);
    const [show] = page.tBodies[0].getElementsByTagName('button');
    show.click();
    const from = page.querySelector('tr.from').textContent;
    check(top[0][5].every(([name]) => from.includes(name)), 'who links to the best page');
    const why = figures.why.pages[0], named = [...why[3], ...why[6]].map(([name]) => name);
    check(why[3].length > 0 && named.every(name => from.includes(name)), 'why the best page has its score');
    show.click();
    check(!page.querySelector('tr.from'), 'it cannot be closed');
    if (!more.hidden) more.click();
    const kept = [];
    URL.createObjectURL = blob => { kept.push(blob); return '#'; };
    tools.lastElementChild.click();
    check(kept.length === 1 && kept[0].type === 'text/csv', 'no CSV');
    for (const table of document.querySelectorAll('table')) check(table.tBodies[0].rows.length > 0, table.id + ' is empty');
    for (const picture of document.querySelectorAll('main svg')) {
        const [path] = picture.querySelectorAll('.cell path, path[class^=s]'), box = path.getBoundingClientRect();
        path.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: box.x, clientY: box.y}));
        check(/[0-9]/.test(picture.nextElementSibling.textContent), picture.id + ' shows no values');
    }
    if (figures.changes) {
        const {page} = figures.changes, [[, gained], [, lost], [, fresh]] = page;
        const changed = document.getElementById('pages-changed'), rows = [...gained, ...lost].slice(0, 20);
        check(cells(changed, 0).join() === rows.map(row => row[0]).join(), 'other pages have changed');
        check(cells(changed, 5).every((text, i) => read(text) === rows[i][4]), 'other ranks');
        check(cells(document.getElementById('pages-new'), 0)[0] === fresh[0]?.[0], 'other new pages');
        check(gained.every(row => row[2] > row[1]) && lost.every(row => row[2] < row[1]), 'gained is not lost');
    }
    check(document.querySelectorAll('main svg').length === Object.keys(figures.charts).length, 'a picture is missing');
    return kept.length ? kept[0].text().then(text => ({wrong, text})) : {wrong, text: ''};
})()"""


class Browser:
    def __init__(self, program, profile):
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()
        fds = (to_read, back_write)

        def pipes():
            spare = [os.dup(fd) for fd in fds]
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        self.process = subprocess.Popen(  # pylint: disable=subprocess-popen-preexec-fn
            [program, *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={profile}"], preexec_fn=pipes,
            close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in fds:
            os.close(fd)
        self.bytes, self.last_id, self.session, self.events = b"", 0, None, []

    def message(self, deadline):
        while b"\0" not in self.bytes:
            if not select.select([self.back], [], [], max(0, deadline - time.monotonic()))[0]:
                sys.exit("the browser does not answer")
            more = os.read(self.back, 1 << 20)
            if not more:
                sys.exit("the browser has ended")
            self.bytes += more
        text, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.last_id += 1
        request = {"id": self.last_id, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message(time.monotonic() + TIMEOUT)
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.message(time.monotonic() + TIMEOUT))

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            sys.exit(f"{expression[:40]}: {result['exceptionDetails']['exception']['description']}")
        return result["result"].get("value")

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(TIMEOUT)


def open_page(browser, address):
    browser.session = None
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.call(f"{domain}.enable")
    browser.events.clear()
    browser.call("Page.navigate", url=address)
    browser.wait_for("Page.loadEventFired")


def shown(browser, width, scheme):
    """What is wrong at this width."""
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                 mobile=width < 500)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    problems = [f"beyond the right edge at {width}: {element}" for element in browser.value(OVERFLOW)]
    problems += [f"at {width}: {label}" for label in browser.value(LABELS)]
    if not browser.value("!!document.rootElement"):  # a page, not a picture in a file of its own
        if browser.value("document.documentElement.scrollWidth") > width:
            problems.append(f"the page scrolls sideways at {width}")
        if browser.value("document.body.innerText.trim() == ''"):
            problems.append("nothing is shown")
    return problems


def used(browser):
    """What is wrong when it is used."""
    answer = browser.value(USED)
    if answer is None:
        return ["the script of the test failed"]
    rows = list(csv.reader(answer["text"].splitlines()))
    shown_rows = browser.value("JSON.parse(document.getElementById('figures').textContent).scores[0].top")
    same = [[row[0], float(row[1]), int(row[2]), int(row[3])] for row in rows[1:]] == [row[:4] for row in shown_rows]
    return answer["wrong"] + ([] if same else ["the CSV has other rows"])


def take(browser, path):
    image = browser.call("Page.captureScreenshot", captureBeyondViewport=True, clip={
        "x": 0, "y": 0, "scale": 1, "width": browser.value("document.documentElement.clientWidth"),
        "height": browser.value("document.documentElement.scrollHeight")})
    path.write_bytes(base64.b64decode(image["data"]))


def noise(events, address):
    """Errors of the console, and requests for anything else."""
    for event in events:
        method, params = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent" and params["request"]["url"] != address:
            yield f"a request for {params['request']['url']}"
        if method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
            yield f"the console says {json.dumps(params)[:200]}"


def look(browser, page, directory):
    address = page.resolve().as_uri()
    open_page(browser, address)
    problems = []
    for name, width, scheme in VIEWS:
        problems += shown(browser, width, scheme)
        if directory:
            take(browser, directory / f"{page.name}-{name}.png")
    if browser.value("!!document.getElementById('pages-1')"):
        problems += used(browser)
    printed = base64.b64decode(browser.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    if directory:
        (directory / f"{page.name}-print.pdf").write_bytes(printed)
    if not printed.startswith(b"%PDF"):
        problems.append("it cannot be printed")
    return problems + list(noise(browser.events, address))


def main():
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if not program:
        print("there is no Chromium")
        sys.exit(77)
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    failed = False
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            for page in arguments.pages:
                for problem in look(browser, page, arguments.pictures):
                    print(f"{page.name}: {problem}", file=sys.stderr)
                    failed = True
            browser.close()
        finally:
            browser.process.kill()
            browser.process.wait()
    sys.exit(failed)


if __name__ == "__main__":
    main()
