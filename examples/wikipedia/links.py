#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The links between the articles of a Wikipedia, from the SQL files of its dump.

    links.py DIRECTORY TITLES >LINKS; millrace build -o wiki.mill --names TITLES LINKS

DIRECTORY has ...page.sql.gz, ...redirect.sql.gz, ...linktarget.sql.gz and ...pagelinks.sql.gz of one dump, from 2024 on;
plain .sql files are read, too. Links to a redirect lead to its article, links to missing pages are left out. TITLES gets
the number and the title of each article that has links. docs/wikipedia.md
"""
import array
import glob
import gzip
import re
import sys

TEXT = rb"'((?:[^'\\]|\\.)*)'"
ANY = rb"(?:'(?:[^'\\]|\\.)*'|[^',()]+)"


def rows(directory, table, numbers, title=None):
    """Yields the columns `numbers`, as numbers, and the text `title` of all rows of the table."""
    paths = glob.glob(f"{directory}/*{table}.sql*")
    if len(paths) != 1:
        sys.exit(f"links.py: {directory}: {len(paths)} files *{table}.sql.gz; there must be one")
    wanted = {name: rb"(-?\d+)" for name in numbers} | ({title: TEXT} if title else {})
    columns, row = [], None
    with (gzip.open if paths[0].endswith(".gz") else open)(paths[0], "rb") as lines:
        for line in lines:
            if line.startswith(b"  `"):
                columns.append(line.split(b"`")[1].decode())
            if not line.startswith(b"INSERT INTO "):
                continue
            if row is None:
                order = [name for name in columns if name in wanted]
                if len(order) < len(wanted):
                    sys.exit(f"links.py: {paths[0]}: has the columns {', '.join(columns)}; {', '.join(wanted)} are needed, "
                             "as dumps from 2024 on have them")
                row = re.compile(rb"\(" + b",".join(wanted.get(name, ANY) for name in columns) + rb"\)[,;]")
                where = [order.index(name) + 1 for name in numbers]
                text = order.index(title) + 1 if title else None
            at = line.index(b"(")
            while match := row.match(line, at):
                at = match.end()
                values = [int(match[i]) for i in where]
                yield values + [re.sub(rb"\\(.)", rb"\1", match[text])] if text else values
            if line[at - 1:at] != b";":
                sys.exit(f"links.py: {paths[0]}: a row of other columns: {line[at:at + 80]!r}")


def main(directory, titles):
    page_of, redirects = {}, {}
    for page, namespace, is_redirect, title in rows(directory, "page", ("page_id", "page_namespace", "page_is_redirect"),
                                                    "page_title"):
        if namespace == 0:
            page_of[title] = page
            if is_redirect:
                redirects[page] = 0
    for page, namespace, title in rows(directory, "redirect", ("rd_from", "rd_namespace"), "rd_title"):
        if namespace == 0 and page in redirects:
            redirects[page] = page_of.get(title, 0)
    target_of = array.array("I")  # the article that a link target means; 0: none
    for target, namespace, title in rows(directory, "linktarget", ("lt_id", "lt_namespace"), "lt_title"):
        page = page_of.get(title, 0) if namespace == 0 else 0
        for _ in range(5):  # redirects to redirects are rare, and circles have no article
            page = redirects.get(page, page)
        if page and page not in redirects:
            target_of.extend([0] * (target + 1 - len(target_of)))
            target_of[target] = page
    linked = bytearray(max(page_of.values(), default=0) + 1)
    for page, namespace, target in rows(directory, "pagelinks", ("pl_from", "pl_from_namespace", "pl_target_id")):
        article = target_of[target] if target < len(target_of) else 0
        if namespace == 0 and article and page < len(linked) and page not in redirects:
            sys.stdout.write(f"{page}\t{article}\n")
            linked[page] = linked[article] = 1
    with open(titles, "wb") as out:
        for title, page in page_of.items():
            if linked[page]:
                out.write(b"%d\t%s\n" % (page, title))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
