# SPDX-License-Identifier: Apache-2.0
"""Runs real crawlers with Millrace in the loops of docs/crawlers, on a little web of this machine.

    clients.py MILLRACE DIRECTORY [--list] [--per-round PAGES] [NAME...]

DIRECTORY keeps the crawlers. Prints a table; exits with 1 if a client failed, and with 77 if all of them were skipped
because they cannot be had here. A round of a loop has 40 pages unless told otherwise."""

import argparse
import glob
import importlib
import os
import shutil
import sys
import time

from kit import PACKAGE_OF, Failed, Kit, Skip
from web import Web

COLUMNS = ("links", "states", "scores", "order", "fetched", "added", "twice", "rounds", "cases")


def names():
    here = os.path.dirname(os.path.abspath(__file__))
    return sorted(os.path.basename(path)[len("client_"):-len(".py")] for path in glob.glob(f"{here}/client_*.py"))


def text_of(figure):
    return f"{figure[0]} of {figure[1]}" if isinstance(figure, tuple) else str(figure)


def needs(module):
    programs = "; ".join(f"{program} (apt-get install {PACKAGE_OF[program]})" for program in module.PROGRAMS)
    return f"{module.NEEDS}; {programs}" if programs else module.NEEDS


def run(name, module, millrace, directory, per_round):
    """The client's line of the table, and how it ended: 0, 1 or 77."""
    started, code = time.time(), 0
    with Web() as web:
        kit = Kit(name, millrace, directory, web, per_round)
        try:
            missing = [program for program in module.PROGRAMS if shutil.which(program) is None]
            if missing:
                raise Skip(f"there is no {', '.join(missing)}")
            module.run(kit)
        except Skip as skip:
            print(f"{name}: skipped: {skip}. It needs {needs(module)}", file=sys.stderr)
            return [name, "skipped"], 77
        except Failed as failure:
            kit.failures.append(str(failure))
    for failure in kit.failures:
        print(f"{name}: {failure}", file=sys.stderr)
        code = 1
    if code:
        print(f"{name}: {kit.work}/log.txt has what it printed", file=sys.stderr)
    return [name, *(text_of(kit.figures.get(column, "-")) for column in COLUMNS), f"{time.time() - started:.0f}"], code


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("millrace")
    parser.add_argument("directory")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--per-round", type=int, default=40)
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    if options.list:
        for name in names():
            print(f"{name:14}{needs(importlib.import_module('client_' + name))}")
        return 0
    unknown = set(options.names) - set(names())
    if unknown:
        print(f"clients: no client {', '.join(sorted(unknown))}; there are {', '.join(names())}", file=sys.stderr)
        return 1
    rows, codes = [["client", *COLUMNS, "seconds"]], []
    for name in options.names or names():
        print(f"clients: {name}", file=sys.stderr)
        module = importlib.import_module("client_" + name)
        row, code = run(name, module, options.millrace, options.directory, options.per_round)
        rows.append(row)
        codes.append(code)
    for row in rows:
        print("| " + " | ".join(row + ["-"] * (len(rows[0]) - len(row))) + " |")
    return 1 if 1 in codes else 77 if set(codes) == {77} else 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
