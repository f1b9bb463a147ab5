# SPDX-License-Identifier: Apache-2.0
"""A little web on addresses of this machine, whose links are known: 4 sites of 70 pages each, with redirects, dead and
busy pages, pages that robots.txt forbids, frames, areas, images, and links in many spellings.

    with Web() as web:
        web.sites    the first page of each site
        web.pages    {url: Page}, each URL that something answers
        web.links    [(source, target, kind)]: kind is nav, redirect or nofollow
        web.asked    [(status, url)] of what was fetched, in order

It is served by threads of this process. Links are resolved here by hand, not by a library."""

import gzip
import random
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGES_OF_SITE = 70
PORTS = (8401, 8404)


@dataclass
class Page:
    body: bytes
    type: str = "text/html; charset=utf-8"
    status: int = 200
    location: str = ""
    number: int = 1  # chooses how the page is sent


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        host, port = self.server.server_address
        url = f"http://{host}:{port}{self.path}"
        page = self.server.web.pages.get(url) or Page(b"no such page", "text/html", 404)
        body = page.body
        with self.server.web.lock:
            self.server.web.asked.append((page.status, url))
        self.send_response(page.status)
        self.send_header("Content-Type", page.type)
        if page.location:
            self.send_header("Location", page.location)
        if page.number % 3 == 0 and "gzip" in self.headers.get("Accept-Encoding", "") and len(body) > 300:
            body = gzip.compress(body, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        if page.number % 4 == 1 and self.request_version == "HTTP/1.1" and page.status == 200:
            self.send_header("Transfer-Encoding", "chunked")
            body = b"".join(b"%x\r\n%s\r\n" % (len(body[i:i + 100]), body[i:i + 100])
                            for i in range(0, len(body), 100)) + b"0\r\n\r\n"
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass  # a crawler that closes its connection


class Web:
    def __init__(self):
        self.pages, self.links, self.asked = {}, [], []
        self.lock = threading.Lock()
        self.servers = self._listen()
        self.sites = ["http://%s:%d/" % server.server_address for server in self.servers]
        self._make()

    def __enter__(self):
        for server in self.servers:
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def found(self):
        """The pages that a crawl from the first pages of the sites finds."""
        return {target for _, target, _ in self.links} | set(self.sites)

    def _listen(self):
        """Three hosts, one of them with two ports, in the first network 127.0.N that is free."""
        for net in range(255):
            servers = []
            try:
                for host, port in ((1, 0), (2, 0), (3, 0), (1, 1)):
                    servers.append(Server((f"127.0.{net}.{host}", PORTS[port]), Handler))
                    servers[-1].web = self
                return servers
            except OSError:
                for server in servers:
                    server.server_close()
        raise OSError(f"port {PORTS[0]} is taken on each network of this machine")

    def page_url(self, site, number):
        return self.sites[site] + (f"p/{number}.html" if number else "")

    def _make(self):
        chance, popular = random.Random(7), []
        order = [(site, number) for number in range(PAGES_OF_SITE) for site in range(4)]
        for site, number in order:
            self._make_page(site, number, chance, popular, order)
        for site in range(4):
            self._make_others(site)

    def _make_page(self, site, number, chance, popular, order):
        url, body = self.page_url(site, number), []

        def link(text, target, kind="nav", rel=""):
            body.append(f'<a href="{text}"{rel}>x</a>')
            self.links.append((url, target, kind))

        def path(text, kind="nav", rel=""):
            link("/" + text, self.sites[site] + text, kind, rel)

        if number == 0:  # a way to every page
            for other in range(1, 8):
                path(f"p/{other}.html")
            for other in self.sites:
                link(other, other)
        elif number < 8:
            for other in range(max(8, number * 9 - 1), min(PAGES_OF_SITE, number * 9 + 8)):
                link(f"{other}.html", self.page_url(site, other))
        for _ in range(chance.randrange(2, 7)):
            to = chance.choice(popular) if popular and chance.random() < 0.7 else chance.choice(order)
            popular.append(to)
            self._spell(link, site, to, chance.randrange(6))
        for when, text in ((number % 10 == 3, f"r/{number}"), (number % 10 == 4, f"gone/{number}"),
                           (number % 20 == 5, f"busy/{number}"), (number % 20 == 6, f"private/{number}.html")):
            if when:
                path(text)
        if number % 10 == 7:
            path(f"nf/{number}.html", "nofollow", ' rel="nofollow"')
        if number % 20 == 8:
            body.append(f'<iframe src="/frame/{number}.html"></iframe>')
            self.links.append((url, f"{self.sites[site]}frame/{number}.html", "nav"))
        body.append(f'<img src="/img/{number % 5}.png"><script src="/js/{number % 3}.js"></script>'
                    '<link rel=stylesheet href="/css/a.css">')
        if number == 9:
            link("/q?a=1&amp;b=x,y", self.sites[site] + "q?a=1&b=x,y")
        if number == 10:
            link("/caf\u00e9/%20b c.html", self.sites[site] + "caf%C3%A9/%20b%20c.html")
        if number == 11:
            body.append('<a href="mailto:x@y">x</a><a href="javascript:void(0)">x</a>')
        if number == 12:
            body.insert(0, '<area href="/p/1.html">')
            self.links.append((url, self.page_url(site, 1), "nav"))
        text = f"<!doctype html><html><head><meta charset=utf-8><title>{url}</title></head><body>{' '.join(body)}</body>"
        self.pages[url] = Page(text.encode(), number=number)

    def _spell(self, link, site, to, style):
        target = self.page_url(*to)
        if style == 0 and to[0] == site and to[1]:
            link(f"/p/./{to[1]}.html#frag", target)
        elif style == 1:
            link(target.replace("http:", "HTTP:") + "#top", target)
        elif style == 2 and to[1]:
            link(f"{self.sites[to[0]]}x/../p/{to[1]}.html", target)
        elif style == 4:
            link(f"  {target}\n", target)
        else:
            link(target, target)
            if style == 3:
                link(target, target)

    def _make_others(self, site):
        here = self.sites[site]
        html = "text/html"
        for number in range(PAGES_OF_SITE):
            if number % 10 == 3:
                to = self.page_url((site + 1) % 4, number % 7 + 1)
                self.pages[f"{here}r/{number}"] = Page(b"<a href=/nope.html>moved</a>", html,
                                                       301 if number % 20 == 3 else 302, to)
                self.links.append((f"{here}r/{number}", to, "redirect"))
            if number % 10 == 4:
                self.pages[f"{here}gone/{number}"] = Page(b"<a href=/fromgone.html>gone</a>", html, 404)
            if number % 20 == 5:
                self.pages[f"{here}busy/{number}"] = Page(b"busy", html, 503)
            if number % 20 == 6:
                self.pages[f"{here}private/{number}.html"] = Page(b"private", html)
            for kind, when, to in (("nf", number % 10 == 7, 1), ("frame", number % 20 == 8, 2)):
                if when:
                    self.pages[f"{here}{kind}/{number}.html"] = Page(b"<a href=/p/%d.html>x</a>" % to, html)
                    self.links.append((f"{here}{kind}/{number}.html", self.page_url(site, to), "nav"))
        self.pages[here + "q?a=1&b=x,y"] = Page(b"q", html)
        self.pages[here + "caf%C3%A9/%20b%20c.html"] = Page(b"cafe", html)
        for number in range(5):
            self.pages[f"{here}img/{number}.png"] = Page(b"\x89PNG\r\n\x1a\n" + bytes([site, number]) * 40, "image/png")
        for number in range(3):
            self.pages[f"{here}js/{number}.js"] = Page(b"var x = '/notalink/%d.html';" % number, "application/javascript")
        self.pages[here + "css/a.css"] = Page(b"body { background: url(/img/0.png) }", "text/css")
        self.pages[here + "robots.txt"] = Page(b"User-agent: *\nDisallow: /private/\n", "text/plain")
