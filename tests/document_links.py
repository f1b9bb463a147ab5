# SPDX-License-Identifier: Apache-2.0
"""Checks that every link between the documents of a tree leads to a file, and to a heading where it names one.

    document_links.py ROOT

Links to other sites are not followed. Code is no link. Exits with 1 and says which links lead nowhere.
"""

import pathlib
import re
import sys

CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
OUTSIDE = re.compile(r"https?:|mailto:")


def anchors(path):
    """The names that a heading gets where documents are shown: lower case, hyphens for blanks, no other signs."""
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    headings = re.findall(r"^#+ +(.*?) *$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def problems(path):
    for target in LINK.findall(CODE.sub("", path.read_text())):
        if OUTSIDE.match(target):
            continue
        name, _, anchor = target.partition("#")
        file = path.parent / name if name else path
        if not file.exists():
            yield f"{path}: no {target}"
        elif anchor and anchor not in anchors(file):
            yield f"{path}: no heading {target}"


def main():
    root = pathlib.Path(sys.argv[1])
    files = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("examples/**/*.md")]
    if not files:
        sys.exit(f"{root}: no documents")
    found = [problem for path in sorted(files) for problem in problems(path)]
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    sys.exit(bool(found))


main()
