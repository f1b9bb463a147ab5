#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines and branches that the tests reach, from gcov's notes: coverage.py BUILD FOLDER...

Prints a row for each folder and a list of the files that reach least, and writes BUILD/uncovered.txt: every
line that no test reached. Headers count once for each source that includes them; a line or branch is
reached if one of them reached it. Branches to clean-up that only exceptions could take do not exist in C.
"""

import collections
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile


def notes(build):
    """gcov's JSON of every object file of the program that has run."""
    files = [f for f in glob.glob(f"{build}/**/*.gcda", recursive=True) if "_test.dir" not in f]
    with tempfile.TemporaryDirectory() as scratch:
        for at in range(0, len(files), 40):
            subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--preserve-paths",
                            *map(os.path.abspath, files[at:at + 40])], cwd=scratch, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for name in glob.glob(f"{scratch}/*.json.gz"):
                with gzip.open(name, "rt") as file:
                    yield json.load(file)
                os.unlink(name)


def main():
    build, folders = sys.argv[1], sys.argv[2:]
    root = os.getcwd() + os.sep
    lines, branches = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for note in notes(build):
        for file in note["files"]:
            path = os.path.normpath(os.path.join(note["current_working_directory"], file["file"]))
            path = path[len(root):] if path.startswith(root) else ""
            if path.split(os.sep)[0] not in folders or path.endswith("_test.c"):
                continue
            for line in file["lines"]:
                number = line["line_number"]
                lines[path][number] += line["count"]
                for i, branch in enumerate(line["branches"]):
                    branches[path][number, i] += branch["count"]

    def share(counters):
        total = sum(len(c) for c in counters)
        hit = sum(1 for c in counters for n in c.values() if n)
        return hit, total, 100 * hit / total if total else 100.0

    print(f"{'folder':28}{'lines':>18}{'branches':>22}")
    groups = collections.defaultdict(list)
    for path in lines:
        groups[path.split(os.sep)[0]].append(path)
        groups[os.path.dirname(path)].append(path)
    for group in sorted(groups):
        paths = set(groups[group])
        l, b = share([lines[p] for p in paths]), share([branches[p] for p in paths])
        print(f"{group:28}{l[0]:7} of {l[1]:6} {l[2]:5.1f}%{b[0]:8} of {b[1]:6} {b[2]:5.1f}%")
    print("\nfiles that reach least, by branches that are missed:")
    worst = sorted(branches, key=lambda p: sum(1 for n in branches[p].values() if not n), reverse=True)
    for path in worst[:20]:
        l, b = share([lines[path]]), share([branches[path]])
        print(f"  {path:46}{b[1] - b[0]:5} branches missed ({b[2]:.1f}%), {l[1] - l[0]:4} lines ({l[2]:.1f}%)")
    with open(os.path.join(build, "uncovered.txt"), "w", encoding="utf-8") as out:
        for path in sorted(lines):
            with open(path, encoding="utf-8") as source:
                text = source.read().splitlines()
            for number in sorted(n for n, count in lines[path].items() if not count):
                out.write(f"{path}:{number}: {text[number - 1].strip()}\n")
    print(f"\nthe lines: {build}/uncovered.txt")


if __name__ == "__main__":
    main()
