#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Crawl the HTML manuals that Debian packages, and write the links between their pages.

Each manual is read from its .deb file but crawled under the address at which its project
publishes it on the web, so that links from one manual to another come out as they would in a
crawl of the live sites. Nothing is read from the network; the only input is a folder of .deb
files and the only outside program is dpkg-deb.

    crawl.py --packages              print the packages needed, for apt-get download
    crawl.py --debs DIR > links.txt  crawl them; figures and package versions go to stderr

Every output line is "target source": two absolute URLs and one space between them, in the
order of the crawl. The crawl is breadth first from the start pages of all manuals at once, in
the order of the table below; one page's links are in document order.

What counts as a link
  - href of <a> and <area>, src of <frame> and <iframe>, and href of <link> where rel says that
    it leads to another page of the manual (next, prev, index, ...);
  - http and https only, fragment removed, query kept;
  - one line for each distinct target of a page. "#name" alone is not a link, but a page that
    names itself in its own menu does link to itself.
A target with no page in these packages (any other web site, a picture, a broken link) is
recorded and not crawled.
"""

import argparse
import collections
import html.parser
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse

# package, its folder of pages, the address it is published at, the start pages in that folder.
# Later entries are other addresses of the same manual (older or newer releases, moved sites).
MANUALS = [
    ("python3.11-doc", "/usr/share/doc/python3.11/html", "https://docs.python.org/3/",
     "index.html", "https://docs.python.org/3.11/", "https://docs.python.org/dev/",
     "https://docs.python.org/"),
    ("git-doc", "/usr/share/doc/git-doc", "https://git-scm.com/docs/",
     "git.html", "https://www.kernel.org/pub/software/scm/git/docs/"),
    ("sqlite3-doc", "/usr/share/doc/sqlite3", "https://www.sqlite.org/", "index.html"),
    ("postgresql-doc-15", "/usr/share/doc/postgresql-doc-15/html",
     "https://www.postgresql.org/docs/15/", "index.html",
     "https://www.postgresql.org/docs/current/", "https://www.postgresql.org/docs/devel/",
     "https://www.postgresql.org/docs/current/static/"),
    ("postgis-doc", "/usr/share/doc/postgis-doc", "https://postgis.net/docs/manual-3.3/",
     "postgis.html", "https://postgis.net/docs/"),
    ("slony1-2-doc", "/usr/share/doc/slony1-2-doc/adminguide",
     "https://www.slony.info/documentation/2.2/", "index.html",
     "https://www.slony.info/documentation/"),
    ("debian-policy", "/usr/share/doc/debian-policy/policy.html",
     "https://www.debian.org/doc/debian-policy/", "index.html"),
    ("debian-policy", "/usr/share/doc/debian-policy/perl-policy.html",
     "https://www.debian.org/doc/packaging-manuals/perl-policy/", "index.html"),
    ("debian-policy", "/usr/share/doc/debian-policy/menu-policy.html",
     "https://www.debian.org/doc/packaging-manuals/menu-policy/", "index.html"),
    ("debian-policy", "/usr/share/doc/debian-policy/fhs",
     "https://www.debian.org/doc/packaging-manuals/fhs/", "fhs-3.0.html"),
    ("debian-policy", "/usr/share/doc/debian-policy",
     "https://www.debian.org/doc/packaging-manuals/",
     "copyright-format-1.0.html debconf_specification.html"),
    ("developers-reference", "/usr/share/developers-reference",
     "https://www.debian.org/doc/manuals/developers-reference/", "index.html",
     "https://www.debian.org/doc/developers-reference/"),
    ("debian-reference-en", "/usr/share/debian-reference",
     "https://www.debian.org/doc/manuals/debian-reference/", "index.en.html"),
    ("maint-guide", "/usr/share/doc/maint-guide/html",
     "https://www.debian.org/doc/manuals/maint-guide/", "index.en.html",
     "https://www.debian.org/doc/maint-guide/"),
    ("debmake-doc", "/usr/share/doc/debmake-doc/html",
     "https://www.debian.org/doc/manuals/debmake-doc/", "index.en.html"),
    ("debian-faq", "/usr/share/doc/debian/FAQ",
     "https://www.debian.org/doc/manuals/debian-faq/", "index.html",
     "https://www.debian.org/doc/FAQ/"),
    ("debian-history", "/usr/share/doc/debian-history/docs",
     "https://www.debian.org/doc/manuals/project-history/", "index.en.html"),
    ("apt-doc", "/usr/share/doc/apt-doc/guide.html",
     "https://www.debian.org/doc/manuals/apt-guide/", "index.html"),
    ("apt-doc", "/usr/share/doc/apt-doc/offline.html",
     "https://www.debian.org/doc/manuals/apt-offline/", "index.html"),
    ("installation-guide-amd64", "/usr/share/doc/installation-guide-amd64",
     "https://www.debian.org/releases/bookworm/amd64/", "en/index.html de/index.html",
     "https://www.debian.org/releases/stable/amd64/"),
    ("debian-handbook", "/usr/share/doc/debian-handbook/html/en-US",
     "https://debian-handbook.info/browse/en-US/", "index.html",
     "https://debian-handbook.info/browse/stable/"),
    ("debian-handbook", "/usr/share/doc/debian-handbook/html",
     "https://debian-handbook.info/browse/", "fr-FR/index.html"),
    ("apache2-doc", "/usr/share/doc/apache2-doc/manual/en",
     "https://httpd.apache.org/docs/2.4/en/", "index.html",
     "https://httpd.apache.org/docs/2.4/", "https://httpd.apache.org/docs/current/",
     "https://httpd.apache.org/docs/trunk/"),
    ("apache2-doc", "/usr/share/doc/apache2-doc/manual", "https://httpd.apache.org/docs/2.4/",
     "fr/index.html", "https://httpd.apache.org/docs/current/",
     "https://httpd.apache.org/docs/trunk/"),
    ("haproxy-doc", "/usr/share/doc/haproxy/html", "https://docs.haproxy.org/2.6/",
     "intro.html"),
    ("bash-doc", "/usr/share/doc/bash", "https://www.gnu.org/software/bash/manual/",
     "bashref.html bash.html"),
    ("autoconf-doc", "/usr/share/doc/autoconf", "https://www.gnu.org/software/autoconf/manual/",
     "autoconf.html"),
    ("libtool-doc", "/usr/share/doc/libtool", "https://www.gnu.org/software/libtool/manual/",
     "libtool.html"),
    ("octave-doc", "/usr/share/doc/octave/octave.html", "https://docs.octave.org/v7/",
     "index.html", "https://docs.octave.org/latest/", "https://octave.org/doc/v7/"),
    ("cmake-doc", "/usr/share/doc/cmake-data/html", "https://cmake.org/cmake/help/v3.25/",
     "index.html", "https://cmake.org/cmake/help/latest/"),
    ("python-django-doc", "/usr/share/doc/python-django-doc/html",
     "https://docs.djangoproject.com/en/3.2/", "index.html",
     "https://docs.djangoproject.com/en/stable/", "https://docs.djangoproject.com/en/dev/"),
    ("sphinx-doc", "/usr/share/doc/sphinx-doc/html", "https://www.sphinx-doc.org/en/master/",
     "index.html", "https://www.sphinx-doc.org/en/stable/", "https://www.sphinx-doc.org/"),
    ("python-sqlalchemy-doc", "/usr/share/doc/python-sqlalchemy-doc/html",
     "https://docs.sqlalchemy.org/en/14/", "index.html",
     "https://docs.sqlalchemy.org/en/latest/", "https://docs.sqlalchemy.org/"),
    ("python-jinja2-doc", "/usr/share/doc/python-jinja2-doc/html",
     "https://jinja.palletsprojects.com/en/3.1.x/", "index.html",
     "https://jinja.palletsprojects.com/en/latest/", "https://jinja.palletsprojects.com/"),
    ("python-flask-doc", "/usr/share/doc/python-flask-doc/html",
     "https://flask.palletsprojects.com/en/2.2.x/", "index.html",
     "https://flask.palletsprojects.com/en/latest/", "https://flask.palletsprojects.com/"),
    ("python-werkzeug-doc", "/usr/share/doc/python-werkzeug-doc/html",
     "https://werkzeug.palletsprojects.com/en/2.2.x/", "index.html",
     "https://werkzeug.palletsprojects.com/en/latest/",
     "https://werkzeug.palletsprojects.com/"),
    ("python-click-doc", "/usr/share/doc/python-click-doc/html",
     "https://click.palletsprojects.com/en/8.1.x/", "index.html",
     "https://click.palletsprojects.com/en/latest/", "https://click.palletsprojects.com/"),
    ("python-itsdangerous-doc", "/usr/share/doc/python-itsdangerous-doc/html",
     "https://itsdangerous.palletsprojects.com/en/2.1.x/", "index.html",
     "https://itsdangerous.palletsprojects.com/"),
    ("python-requests-doc", "/usr/share/doc/python-requests-doc/html",
     "https://requests.readthedocs.io/en/latest/", "index.html",
     "https://requests.readthedocs.io/"),
    ("python-babel-doc", "/usr/share/doc/python-babel-doc/html",
     "https://babel.pocoo.org/en/latest/", "index.html", "https://babel.pocoo.org/"),
    ("python-pytest-doc", "/usr/share/doc/python-pytest-doc/html",
     "https://docs.pytest.org/en/stable/", "index.html", "https://docs.pytest.org/en/latest/",
     "https://docs.pytest.org/en/7.2.x/", "https://docs.pytest.org/"),
    ("python-psycopg2-doc", "/usr/share/doc/python-psycopg2-doc/html",
     "https://www.psycopg.org/docs/", "index.html"),
    ("python-setuptools-doc", "/usr/share/doc/python-setuptools-doc/html",
     "https://setuptools.pypa.io/en/latest/", "index.html",
     "https://setuptools.readthedocs.io/en/latest/"),
    ("docutils-doc", "/usr/share/doc/docutils-doc", "https://docutils.sourceforge.io/",
     "docs/index.html", "https://docutils.sourceforge.net/"),
    ("nodejs-doc", "/usr/share/doc/nodejs/api", "https://nodejs.org/docs/latest-v18.x/api/",
     "index.html", "https://nodejs.org/api/", "https://nodejs.org/dist/latest-v18.x/docs/api/"),
    ("postfix-doc", "/usr/share/doc/postfix/html", "https://www.postfix.org/", "index.html"),
    ("exim4-doc-html", "/usr/share/doc/exim4-doc-html/spec_html",
     "https://www.exim.org/exim-html-current/doc/html/spec_html/", "index.html"),
    ("rsyslog-doc", "/usr/share/doc/rsyslog-doc/html", "https://www.rsyslog.com/doc/v8-stable/",
     "index.html", "https://www.rsyslog.com/doc/", "https://www.rsyslog.com/doc/master/"),
    ("zsh-doc", "/usr/share/doc/zsh-common/html", "https://zsh.sourceforge.io/Doc/Release/",
     "index.html"),
    ("vim-doc", "/usr/share/doc/vim/html", "https://vimdoc.sourceforge.net/htmldoc/",
     "index.html"),
    ("swi-prolog-doc", "/usr/share/swi-prolog/doc", "https://www.swi-prolog.org/doc/",
     "Manual/index.html packages/index.html"),
    ("libfftw3-doc", "/usr/share/doc/libfftw3-dev/html", "https://www.fftw.org/fftw3_doc/",
     "index.html"),
    ("libfftw3-doc", "/usr/share/doc/libfftw3-dev/fftw-faq.html", "https://www.fftw.org/faq/",
     "index.html"),
    ("dbus-1-doc", "/usr/share/doc/dbus", "https://dbus.freedesktop.org/doc/",
     "dbus-specification.html dbus-tutorial.html dbus-faq.html api/index.html"),
    ("libxml2-doc", "/usr/share/doc/libxml2/html", "http://xmlsoft.org/", "index.html"),
    ("libcairo2-doc", "/usr/share/gtk-doc/html/cairo", "https://www.cairographics.org/manual/",
     "index.html"),
    ("libharfbuzz-doc", "/usr/share/gtk-doc/html/harfbuzz", "https://harfbuzz.github.io/",
     "index.html"),
    ("libsoup2.4-doc", "/usr/share/gtk-doc/html/libsoup-2.4",
     "https://developer.gnome.org/libsoup-2.4/", "index.html"),
    ("libatk1.0-doc", "/usr/share/gtk-doc/html/atk", "https://developer.gnome.org/atk/",
     "index.html"),
    ("libglib2.0-doc", "/usr/share/gtk-doc/html/glib", "https://developer.gnome.org/glib/",
     "index.html", "https://developer.gnome.org/glib/stable/"),
    ("libglib2.0-doc", "/usr/share/gtk-doc/html/gobject",
     "https://developer.gnome.org/gobject/", "index.html",
     "https://developer.gnome.org/gobject/stable/"),
    ("libglib2.0-doc", "/usr/share/gtk-doc/html/gio", "https://developer.gnome.org/gio/",
     "index.html", "https://developer.gnome.org/gio/stable/"),
    ("libgtk-3-doc", "/usr/share/gtk-doc/html/gtk3", "https://developer.gnome.org/gtk3/",
     "index.html", "https://developer.gnome.org/gtk3/stable/"),
    ("libgtk-3-doc", "/usr/share/gtk-doc/html/gdk3", "https://developer.gnome.org/gdk3/",
     "index.html", "https://developer.gnome.org/gdk3/stable/"),
    ("libgdk-pixbuf2.0-doc", "/usr/share/doc/libgdk-pixbuf2.0-doc/html",
     "https://docs.gtk.org/", "gdk-pixbuf/index.html gdk-pixdata/index.html"),
    ("libpango1.0-doc", "/usr/share/doc/libpango1.0-doc/reference", "https://docs.gtk.org/",
     "Pango/index.html PangoCairo/index.html PangoFT2/index.html"),
]

# Packages with no pages of their own, only symbolic links that other packages' pages go through.
LINK_PACKAGES = ["python3-doc"]

PAGE_SUFFIXES = (".html", ".htm", ".xhtml")

# What a web server may leave out of an address: /docs/git-add for git-add.html, and so on.
HIDDEN_SUFFIXES = ("", ".html", ".en.html")
INDEX_NAMES = ("index.html", "index.en.html")

LINK_RELS = {"next", "prev", "previous", "up", "top", "home", "start", "first", "last",
             "contents", "toc", "index", "genindex", "glossary", "copyright", "chapter",
             "section", "subsection", "appendix"}

# Escaped wherever they occur in a URL; '%' is left alone, so nothing is escaped twice.
UNSAFE = re.compile("[\x00-\x20\x7f-\U0010ffff\"<>`]")


class Site:
    """The manuals as one web: addresses to files and back."""

    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.folders = []    # (real folder, address), longest folder first
        self.addresses = []  # (address without scheme and www., folder), longest first
        self.packages = {}   # real folder -> package
        self.file_of = {}    # page address -> file
        self.cache = {}
        for package, folder, address, _starts, *others in MANUALS:
            real = os.path.realpath(self.root + folder)
            self.folders.append((real, address))
            self.packages[real] = package
            self.addresses += [(site_key(a), real) for a in [address, *others]]
        self.folders.sort(key=lambda entry: -len(entry[0]))
        self.addresses.sort(key=lambda entry: -len(entry[0]))

    def page_of_file(self, path):
        """The address of the page in this file, or None if it holds no page of a manual.

        Symbolic links are followed first, so a file has one address however it is reached, and
        nothing outside the manuals' own folders is ever read.
        """
        try:
            real = os.path.realpath(path)
            if os.path.isdir(real):
                real = next(filter(os.path.isfile,
                                   (os.path.realpath(os.path.join(real, name))
                                    for name in INDEX_NAMES)), "")
            if not real.endswith(PAGE_SUFFIXES) or not os.path.isfile(real):
                return None
        except (ValueError, OSError):  # a NUL or an overlong name
            return None
        for folder, address in self.folders:
            if real.startswith(folder + "/"):
                name = real[len(folder) + 1:]
                if os.path.basename(name) == "index.html":
                    name = name[:-len("index.html")]
                url = address + urllib.parse.quote(name, safe="/:@!$&'()*+,;=~")
                self.file_of[url] = real
                return url
        return None

    def page_of_path(self, path):
        """The page for a path of the installed system, such as /usr/share/doc/git/html."""
        for suffix in HIDDEN_SUFFIXES:
            page = self.page_of_file(self.root + path + suffix)
            if page:
                return page
        return None

    def page_of_url(self, url):
        """The page that this address leads to, or None. The query, if any, is not looked at."""
        key = site_key(url)
        if key not in self.cache:
            self.cache[key] = self.find_page(key)
        return self.cache[key]

    def find_page(self, key):
        for address, folder in self.addresses:
            if key.startswith(address) or key + "/" == address:
                rest = urllib.parse.unquote(key[len(address):])
                if ".." in rest.split("/"):
                    continue
                path = os.path.join(folder, rest.lstrip("/"))
                for suffix in HIDDEN_SUFFIXES:
                    page = self.page_of_file(path + suffix)
                    if page:
                        return page
        return None


def site_key(url):
    """Host and path of a clean URL, by which http:, https: and www. make no difference."""
    rest = url.split("?", 1)[0].split("//", 1)[1]
    return rest[4:] if rest.startswith("www.") else rest


def escape(match):
    return urllib.parse.quote(match.group(), safe="", errors="replace")


def clean_url(url):
    """An absolute http(s) URL in the form that is written out, or None if it is none."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    host = parts.hostname
    if not host.isascii():
        host = host.encode("idna").decode("ascii")
    if ":" in host:
        host = f"[{host}]"
    if parts.port and parts.port != {"http": 80, "https": 443}[parts.scheme]:
        host = f"{host}:{parts.port}"
    clean = f"{parts.scheme}://{host}{parts.path or '/'}"
    if parts.query:
        clean += "?" + parts.query
    return UNSAFE.sub(escape, clean)


def target_of(site, base, reference):
    """The URL that a reference leads to from a page at base, or None if it is no link."""
    reference = re.sub("[\t\r\n]", "", reference).strip("\x00\x0b\x0c ")
    if not reference or reference.startswith("#"):
        return None
    try:
        reference = urllib.parse.urldefrag(reference).url
        path = re.sub("^file:(//)?(?=/)", "", reference)
        if path.startswith("/usr/share/"):
            # Packagers point at files of the installed system; on the web that is the page.
            path = urllib.parse.unquote(path.split("?", 1)[0])
            return site.page_of_path(os.path.normpath(path))
        url = clean_url(urllib.parse.urljoin(base, reference))
    except (ValueError, UnicodeError):  # not a URL: a bad port, bracket or host name
        return None
    if url is None:
        return None
    page = site.page_of_url(url)
    if page is None:
        return url
    query = url.partition("?")[2]
    return f"{page}?{query}" if query else page


class LinkParser(html.parser.HTMLParser):
    """Collects the references of one page, in order, and its base address."""

    def __init__(self):
        super().__init__()
        self.base = None
        self.references = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("a", "area", "frame", "iframe", "link", "base"):
            return
        values = dict(reversed(attrs))  # of a repeated attribute the first one counts
        reference = values.get("src" if tag in ("frame", "iframe") else "href")
        if reference is None:
            return
        if tag == "base":
            self.base = self.base or reference
        elif tag != "link" or LINK_RELS & set((values.get("rel") or "").lower().split()):
            self.references.append(reference)


def read_page(path):
    """The text of a page, by the encoding it declares, else UTF-8, else Latin-1."""
    with open(path, "rb") as file:
        data = file.read()
    declared = re.search(rb"""charset\s*=\s*["']?([A-Za-z0-9_.:-]+)""", data[:4096])
    for encoding in ([declared.group(1).decode("ascii")] if declared else []) + ["utf-8"]:
        try:
            return data.decode(encoding)
        except (UnicodeError, LookupError):
            pass
    return data.decode("latin-1")


def links_of(site, page):
    """The distinct targets of a page, in the order of their first mention."""
    parser = LinkParser()
    parser.feed(read_page(site.file_of[page.partition("?")[0]]))
    parser.close()
    base = page
    if parser.base:
        try:
            base = clean_url(urllib.parse.urljoin(page, parser.base.strip())) or page
        except (ValueError, UnicodeError):
            pass
    targets = (target_of(site, base, reference) for reference in parser.references)
    return list(dict.fromkeys(target for target in targets if target))


def crawl(site):
    """Yields (page, its targets) for every page within reach, breadth first."""
    frontier = collections.deque()
    seen = set()

    def found(url):
        if url not in seen:
            seen.add(url)
            if url.partition("?")[0] in site.file_of:
                frontier.append(url)

    for package, folder, _address, starts, *_others in MANUALS:
        for start in starts.split():
            page = site.page_of_path(f"{folder}/{start}")
            if page is None:
                sys.exit(f"crawl.py: {package} has no {folder}/{start}")
            found(page)
    while frontier:
        page = frontier.popleft()
        targets = links_of(site, page)
        for target in targets:
            found(target)
        yield page, targets


def unpack(folder, root):
    """Unpacks the packages into root and returns their names with versions."""
    versions = {}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".deb"):
            continue
        path = os.path.join(folder, name)
        fields = subprocess.run(["dpkg-deb", "-W", "--showformat=${Package} ${Version}", path],
                                check=True, capture_output=True, text=True).stdout.split()
        if fields[0] not in package_names():
            continue
        if fields[0] in versions:
            sys.exit(f"crawl.py: {folder} holds {fields[0]} twice")
        subprocess.run(["dpkg-deb", "-x", path, root], check=True)
        versions[fields[0]] = fields[1]
    missing = [package for package in package_names() if package not in versions]
    if missing:
        sys.exit(f"crawl.py: not in {folder}: {' '.join(missing)}")
    return versions


def package_names():
    return list(dict.fromkeys([manual[0] for manual in MANUALS] + LINK_PACKAGES))


def host_of(url):
    return url.split("/", 3)[2]


def main():
    parser = argparse.ArgumentParser(description="Crawl the manuals in Debian packages.")
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--packages", action="store_true", help="print the packages needed")
    choice.add_argument("--debs", metavar="DIR", help="crawl the packages in this folder")
    options = parser.parse_args()
    if options.packages:
        print("\n".join(package_names()))
        return

    pages_per_package = collections.Counter()
    counts = collections.Counter()
    links_in = collections.Counter()
    crawled = set()
    with tempfile.TemporaryDirectory() as root:
        versions = unpack(options.debs, root)
        site = Site(root)
        for page, targets in crawl(site):
            real = site.file_of[page.partition("?")[0]]
            folder = next(folder for folder, _ in site.folders if real.startswith(folder + "/"))
            pages_per_package[site.packages[folder]] += 1
            crawled.add(page)
            links_in.update(targets)
            counts["no links"] += not targets
            counts["to itself"] += page in targets
            for target in targets:
                if host_of(target) != host_of(page):
                    counts["between hosts"] += 1
                    counts["between manuals"] += target.partition("?")[0] in site.file_of
            sys.stdout.write("".join(f"{target} {page}\n" for target in targets))
    sys.stdout.flush()

    def report(*words):
        print(*words, file=sys.stderr)

    urls = crawled | set(links_in)
    report("| package | version | pages crawled |\n|---|---|---:|")
    for package in package_names():
        report(f"| {package} | {versions[package]} | {pages_per_package[package]} |")
    uncrawled = len(urls - crawled)
    report(f"""
| figure | count |
|---|---:|
| links (lines) | {sum(links_in.values())} |
| links from one host to another | {counts["between hosts"]} |
| of these, to a crawled page | {counts["between manuals"]} |
| links from a page to itself | {counts["to itself"]} |
| distinct URLs | {len(urls)} |
| pages crawled | {len(crawled)} |
| URLs not crawled | {uncrawled} |
| URLs with no links out (dangling) | {uncrawled + counts["no links"]} |
| hosts | {len({host_of(url) for url in urls})} |
| hosts with crawled pages | {len({host_of(url) for url in crawled})} |

Most linked to:
""")
    for url, count in sorted(links_in.items(), key=lambda item: (-item[1], item[0]))[:10]:
        report(f"{count:8} {url}")


if __name__ == "__main__":
    main()
