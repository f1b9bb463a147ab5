#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the peak memory of every command on inputs that are several times larger than --memory.

    memory.py [--memory MIB] [--times N] [REGEX]    ./dev memory

It makes a store without compression, a text of numbers and a text of URLs, each N times as large as
--memory, runs each command that matches, and prints a table. A command fails if its resident memory
exceeds --memory by more than 64 MiB, or if it ends with another exit code than 0. Where --memory is
too small for the arrays of a command, the error names the least that works, and the command runs with
that: a command that asks twice fails. MILLRACE is the program; inputs are made in TMPDIR and removed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

SLACK_MIB = 64
MOST_TRIALS = 8
# The ranking is refused before its store is read; the reverse knows its need when its links are counted.
ASKS_TWICE = ("hits store.mill -o out.tsv",)
STORE, NAMED, TEXT, URLS = "store.mill", "named.mill", "links.txt", "urls.txt"

# (what its input is, command)
COMMANDS = [
    (TEXT, "build links.txt -o out.mill"),
    (TEXT, "build links.txt -o out.mill --duplicates keep"),
    (TEXT, "build links.txt -o out.mill --undirected --codec zstd"),
    (URLS, "build urls.txt -o out.mill"),
    (URLS, "build urls.txt -o out.mill --classes host"),
    (URLS, "crawl-rank urls.txt -o out"),
    (TEXT, "convert links.txt out.mtx"),
    (TEXT, "pagerank links.txt -o out.tsv"),
    (STORE, "append copy.mill links.txt"),
    (STORE, "transpose store.mill -o out.mill"),
    (STORE, "pagerank store.mill -o out.tsv"),
    (STORE, "pagerank store.mill -o out.tsv --inner 4 --until order:10"),
    (STORE, "ppr store.mill --seed 1 -o out.tsv"),
    (STORE, "trustrank store.mill --trusted seeds.txt -o out.tsv"),
    (STORE, "hits store.mill -o out.tsv"),
    (STORE, "salsa store.mill -o out.tsv"),
    (STORE, "degree store.mill -o out.tsv"),
    (STORE, "harmonic store.mill --log2m 4 -o out.tsv"),
    (STORE, "components store.mill -o out.tsv"),
    (STORE, "opic store.mill --sweeps 2 -o out.tsv"),
    (STORE, "check --full store.mill"),
    (STORE, "info store.mill"),
    (STORE, "show store.mill 1 --links-in --links-out"),
    (STORE, "show store.mill 1 --links-in"),
    (STORE, "export store.mill --to edges -o out.txt"),
    (STORE, "export store.mill --to bvgraph -o out.graph"),
    (STORE, "export store.mill --to mtx -o out.mtx"),
    (NAMED, "find named.mill /x123 -o out.txt"),
    (NAMED, "hosts named.mill -o out.txt"),
    (NAMED, "export named.mill --to edges -o out.txt --names out.names"),
    (NAMED, "pagerank named.mill -o out.tsv"),
    # lists of all pages of a store with names, 1 M of them; the scores are not in its order
    ("pages.txt", "pagerank pages.mill --teleport pages.txt -o out.tsv"),
    ("pages.txt", "pagerank pages.mill --seeds pages.txt -o out.tsv"),
    ("pages.txt", "pagerank pages.mill --fetched pages.txt --next 10 -o out.tsv"),
    ("pages.txt", "ppr pages.mill --seeds pages.txt -o out.tsv"),
    ("pages.txt", "ppr pages.mill --teleport pages.txt -o out.tsv"),
    ("vectors.txt", "ppr pages.mill --batch vectors.txt -o out.tsv"),
    ("pages.txt", "trustrank pages.mill --trusted pages.txt -o out.tsv"),
    ("pages.txt", "hits pages.mill --query pages.txt -o out.tsv"),
    ("pages.txt", "hits pages.mill --start pages.txt -o out.tsv"),
    ("pages.txt", "hits pages.mill --page-scores pages.txt -o out.tsv"),
    ("pages.txt", "opic pages.mill --sweeps 2 --times pages.txt -o out.tsv"),
    ("pages.txt", "opic pages.mill --sweeps 2 --fetched pages.txt --next 10 -o out.tsv"),
    ("pages.txt", "precedence ranks-named.tsv --fetched pages.txt --only fetched -o out.txt"),
    ("pages.txt", "compare pages.txt ranks-named.tsv"),
    ("ranks.tsv", "precedence ranks.tsv -o out.txt"),
    ("ranks.tsv", "compare ranks.tsv ranks.tsv"),
]


def run(words):
    """(exit code, peak resident MiB, seconds, message)"""
    began = time.time()
    # The peak of a child of this script would count the memory that it shares with the interpreter.
    done = subprocess.run(["time", "--quiet", "-f", "%M", "-o", "peak", os.environ["MILLRACE"], *words],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False)
    with open("peak", encoding="ascii") as file:
        peak = int(file.read()) / 1024
    return done.returncode, peak, time.time() - began, done.stderr.decode(errors="replace").strip()


def must(*words):
    code, _, _, message = run(words)
    if code != 0:
        raise SystemExit(f"memory: {' '.join(words)}: exit {code}: {message}")


def size_of(path):
    if os.path.isdir(path):
        return sum(os.path.getsize(os.path.join(path, name)) for name in os.listdir(path))
    return os.path.getsize(path)


def make_lists():
    """A store with a million names, its scores, and lists of its pages in another order."""
    pages, step = 1000000, 7919
    def name(page):
        return f"http://www.host{page % 5003}.example/some/directory/of/pages/number-{page}.html"
    with open("named.txt", "w", encoding="ascii") as links, open("pages.txt", "w", encoding="ascii") as lists, \
            open("vectors.txt", "w", encoding="ascii") as vectors:
        for i in range(pages):
            page = i * step % pages
            links.write(f"{name(page)}\t{name(page // 2)}\n")
            lists.write(f"{name(page)}\t1{i:06d}\n")
            vectors.write(f"v{i % 3}\t{name(page)}\n")
    must("build", "named.txt", "--columns", "source-target", "-o", "pages.mill", "--quiet")
    must("pagerank", "pages.mill", "-o", "ranks-named.tsv", "--tolerance", "1e-3", "--quiet")


def make_inputs(least):
    """Every input has at least `least` bytes. The store has few pages and many links, since arrays
    over the pages have to fit."""
    # A link takes 4 bytes; of those that are generated some are the same.
    links = least // 4
    scale = max(12, (links // 128).bit_length() - 1)
    factor = 16
    while not os.path.exists(STORE) or size_of(STORE) < least:
        factor = factor * 3 // 2
        must("generate", "kron", "--scale", str(scale), "--edge-factor",
             str(max(factor, int(1.2 * links) >> scale)), "--encoding", "keys", "--codec", "plain",
             "-o", STORE, "--force", "--quiet")
    with open(TEXT, "w", encoding="ascii") as text, open(URLS, "w", encoding="ascii") as urls:
        state, pages = 1, 1 << scale
        while text.tell() < least or urls.tell() < least:
            lines, named = [], []
            for _ in range(100000):
                state = (state * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
                a, b = (state >> 40) % pages, (state >> 20) % (pages // 3)
                lines.append(f"{a} {b}\n")
                named.append(f"http://www.host{a % 5003}.example/directory/x{a % 997}/{a}.html "
                             f"http://www.host{b % 1009}.example/directory/x{b % 997}/{b}.html\n")
            if text.tell() < least:
                text.writelines(lines)
            if urls.tell() < least:
                urls.writelines(named)
    must("build", URLS, "-o", NAMED, "--columns", "source-target", "--quiet")
    must("generate", "kron", "--scale", str(scale + 3), "--edge-factor", "2", "-o", "large.mill", "--quiet")
    must("pagerank", "large.mill", "-o", "ranks.tsv", "--tolerance", "1e-3", "--quiet")
    shutil.rmtree("large.mill")
    make_lists()
    with open("seeds.txt", "w", encoding="ascii") as file:
        file.write("1\n2\n3\n")


def least_memory(message):
    """The MiB that an error asks for, or 0."""
    found = re.search(r"--memory (\d+)Mi", message)
    return int(found.group(1)) if found else 0


def measure(source, command, limit):
    """Prints one line of the table; returns whether the promise holds."""
    words = command.split()
    if "copy.mill" in words:
        shutil.rmtree("copy.mill", ignore_errors=True)
        shutil.copytree(STORE, "copy.mill")
    if URLS in words:
        words += ["--columns", "source-target"]
    size = size_of(source) / (1 << 20)
    more = ["--quiet"] + (["--force"] if "-o" in words or words[0] == "convert" else [])
    code, peak, seconds, message = run(words + more + ["--memory", f"{limit}Mi"])
    asked = []
    for _ in range(MOST_TRIALS):
        needed = least_memory(message) if code == 5 else 0
        if needed <= limit:
            break
        limit = needed
        asked.append(f"{limit}: {message.splitlines()[-1]}")
        code, peak, seconds, message = run(words + more + ["--memory", f"{limit}Mi"])
    good = code == 0 and peak <= limit + SLACK_MIB and len(asked) <= 1 + (command in ASKS_TWICE)
    note = "" if good else f"**exit {code}** {message.splitlines()[-1] if message else ''}" \
        if code else f"**asks {len(asked)} times**" if len(asked) > 1 else "**too much**"
    note = note or ("asks twice" if len(asked) > 1 else "")
    print(f"| `{command}` | {size:.0f} | {limit} | {peak:.0f} | {seconds:.1f} | {note} |", flush=True)
    for line in asked if len(asked) > 1 else []:
        print(f"    {line}", file=sys.stderr)
    for name in os.listdir("."):
        if name.startswith("out"):
            shutil.rmtree(name) if os.path.isdir(name) else os.unlink(name)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("regex", nargs="?", default=".")
    parser.add_argument("--memory", type=int, default=32, help="MiB")
    parser.add_argument("--times", type=int, default=8)
    options = parser.parse_args()
    os.environ["MILLRACE"] = os.path.abspath(os.environ["MILLRACE"])
    directory = tempfile.mkdtemp(prefix="memory-")
    try:
        os.chdir(directory)
        os.environ["TMPDIR"] = directory
        make_inputs(options.memory * options.times << 20)
        print("| command | input, MiB | `--memory`, MiB | peak resident, MiB | s | |\n|---|---|---|---|---|---|")
        results = [measure(source, command, options.memory) for source, command in COMMANDS
                   if re.search(options.regex, command)]
    finally:
        os.chdir("/")
        shutil.rmtree(directory, ignore_errors=True)
    failed = results.count(False)
    print(f"{len(results)} commands, {failed} failed", file=sys.stderr)
    raise SystemExit(1 if failed or not results else 0)


if __name__ == "__main__":
    main()
