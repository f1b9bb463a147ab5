# SPDX-License-Identifier: Apache-2.0
"""Runs real crawlers with Millrace in the loops of docs/crawlers, on a little web of this machine.

    clients.py MILLRACE DIRECTORY [--list] [NAME...]

DIRECTORY keeps the crawlers. Prints a table; exits with 1 if a client failed, and with 77 if all of them were skipped
because their package registry cannot be reached."""

import glob
import importlib
import os
import sys
import time

from kit import Failed, Kit, Skip
from web import Web

COLUMNS = ("links", "states", "scores", "order", "fetched", "added", "twice", "rounds")


def names():
    here = os.path.dirname(os.path.abspath(__file__))
    return sorted(os.path.basename(path)[len("client_"):-len(".py")] for path in glob.glob(f"{here}/client_*.py"))


def text_of(figure):
    return f"{figure[0]} of {figure[1]}" if isinstance(figure, tuple) else str(figure)


def run(name, module, millrace, directory):
    """The client's line of the table, and how it ended: 0, 1 or 77."""
    started, code = time.time(), 0
    with Web() as web:
        kit = Kit(name, millrace, directory, web)
        try:
            module.run(kit)
        except Skip as skip:
            print(f"{name}: skipped, the package registry cannot be reached: {skip}", file=sys.stderr)
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
    millrace, directory, *wanted = sys.argv[1:]
    if "--list" in wanted:
        for name in names():
            print(f"{name:14}{importlib.import_module('client_' + name).NEEDS}")
        return 0
    unknown = set(wanted) - set(names())
    if unknown:
        print(f"clients: no client {', '.join(sorted(unknown))}; there are {', '.join(names())}", file=sys.stderr)
        return 1
    rows, codes = [["client", *COLUMNS, "seconds"]], []
    for name in wanted or names():
        print(f"clients: {name}", file=sys.stderr)
        row, code = run(name, importlib.import_module("client_" + name), millrace, directory)
        rows.append(row)
        codes.append(code)
    for row in rows:
        print("| " + " | ".join(row + ["-"] * (len(rows[0]) - len(row))) + " |")
    return 1 if 1 in codes else 77 if set(codes) == {77} else 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
