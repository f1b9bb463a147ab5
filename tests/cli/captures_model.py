#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dated captures of pages in several files against a model: of each page the newest captures count.

    captures_model.py MILLRACE DIRECTORY ROUNDS
"""
import collections
import json
import os
import pathlib
import random
import struct
import subprocess
import sys

program, root, rounds = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
FAILED, GONE = (403, "503", "timeout", -9998), (404, "410 Gone")
FLAGS = ([], ["--undirected"], ["--transpose"], ["--self-loops", "drop"], ["--duplicates", "keep"],
         ["--profile", "heritrix"])


def run(*arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{arguments}: {done.returncode}\n{done.stderr}")
    return done.stdout


def expected(captures, newest, flags, mode):
    captures = [capture for capture in captures if capture[3] not in FAILED + GONE]  # those have the links of an error page
    links = collections.Counter((page, target) for page, time, targets, _ in captures for target in targets
                                if mode == "all" or time is None or time == newest[page])
    older = sum(len(targets) for _, _, targets, _ in captures) - sum(links.values())
    if "--undirected" in flags:
        links += collections.Counter({(b, a): n for (a, b), n in links.items() if a != b})
    if "--transpose" in flags:
        links = collections.Counter({(b, a): n for (a, b), n in links.items()})
    if "drop" in flags:
        links = collections.Counter({(a, b): n for (a, b), n in links.items() if a != b})
    return (links if "keep" in flags else collections.Counter(set(links))), older


def fetches_in(store):
    """Of each position that has fetch facts: (first, last, fetches, compared, changes), whether its first and last fetch
    have digests, and both the same, and whether it is gone."""
    path, manifest = store / "facts.1", (store / "MANIFEST").read_bytes()
    data = path.read_bytes() if path.exists() else b""
    n, row_bytes = struct.unpack_from("<Q", manifest, 312)[0], 26 if manifest[120] & 128 else 18
    rows = [struct.unpack_from("<3I3H2I", data[64 + row_bytes * i:][:row_bytes] + bytes(8)) for i in range(n)]
    return {row[0]: (*row[1:5], row[5] & 32767, row[6] > 0, row[7] > 0, row[6] == row[7], row[5] >> 15) for row in rows}


def facts_of(fetches, gone):
    """The same of a page whose fetches are {time: digest or None}, and that is gone since `gone`; None: it is not."""
    if not fetches:
        return 0, gone, 0, 0, 0, False, False, True, 1
    known = sorted(fetches.items())
    pairs = [(a[1], b[1]) for a, b in zip(known, known[1:]) if a[1] and b[1]]
    first, last = known[0], known[-1]
    return (first[0], last[0], len(known), len(pairs), sum(a != b for a, b in pairs),
            bool(first[1]), bool(last[1]), first[1] == last[1], gone is not None)


for turn in range(rounds):
    random.seed(turn)
    flags, n = FLAGS[turn % len(FLAGS)], random.choice([5, 30, 150])
    url = lambda page: f"http://{random.choice(['www.', '']) if '--profile' in flags else ''}a{page}.org/p"
    captures = [(random.randrange(n), random.choice([None] + [1700000000 + random.randrange(4) for _ in range(6)]),
                 [random.randrange(n) for _ in range(random.randrange(4))],
                 random.choice((None, None, 200, "OK", 301, *FAILED, *GONE))) for _ in range(3 * n)]
    captures += [(0, None, [0], None)] * 3
    has_digests = turn % 4 > 0
    digests = {(page, time): random.choice((None, "sha1:AAAA", "sha1:bbbb", "cc")) if has_digests else None
               for page, time, _, _ in captures}
    files = [root / name for name in ("a.jl", "b.jl", "c.jl")]
    lines = [[], [], []]
    for i, (page, time, targets, status) in enumerate(captures):
        line = {"url": url(page), "links": [url(target) for target in targets], "status": status}
        line |= {"digest": digests[page, time]} if digests[page, time] and status not in GONE else {}
        line |= {"metadata": {"status": "404"}} if random.random() < 0.1 else {}
        lines[i % 3 if i >= 3 * n else random.randrange(3)].append(
            json.dumps(line if time is None else line | {"timestamp": time}))
    for path, some in zip(files, lines):
        path.write_text("".join(line + "\n" for line in some))
    newest = collections.defaultdict(int)
    for page, time, _, status in captures:
        newest[page] = max(newest[page], time or 0 if status not in FAILED else 0)
    for mode in ("newest", "all"):
        links, older = expected(captures, newest, flags, mode)
        bytes_of = set()
        for threads, memory in (("1", "1G"), ("3", "40M")):
            summary = json.loads(run("build", "-o", str(root / "s.mill"), *map(str, files), "--captures", mode,
                                     "--threads", threads, "--memory", memory, "--force", "--quiet", "--json", *flags))
            names = run("find", str(root / "s.mill"), ".", "--quiet").split()
            pages = list(dict.fromkeys(name.replace("www.", "") for name in names))
            ids = [int(name[len("http://a"):].split(".")[0]) for name in pages]
            found = collections.Counter(
                tuple(ids[int(end)] for end in line.split()) for line in
                run("export", str(root / "s.mill"), "--to", "edges", "--quiet").splitlines() if line[0] != "#")
            if found != links or summary["older_links"] != older:
                sys.exit(f"{turn}, {mode}, {flags}: {found - links} too many, {links - found} missing, "
                         f"{summary['older_links']} older links and not {older}")
            fetches = collections.defaultdict(dict)
            for page, time, _, status in captures:
                if time and status not in FAILED + GONE:
                    fetches[page][time] = digests[page, time]
            gone = {page: max(time or 0 for p, time, _, status in captures if p == page and status in GONE)
                    for page, _, _, status in captures if status in GONE}
            undated = {page for page, time, _, status in captures if time is None and status in GONE}
            facts = {ids.index(page): facts_of(fetches[page], gone[page] if page in gone and (
                page in undated or gone[page] > max(fetches[page], default=0)) else None)
                for page in fetches.keys() | gone.keys()}
            if fetches_in(root / "s.mill") != facts:
                sys.exit(f"{turn}, {mode}, {flags}: fetches {fetches_in(root / 's.mill')} and not {facts}")
            bytes_of.add(b"".join(path.read_bytes() for path in sorted((root / "s.mill").iterdir())))
        if len(bytes_of) != 1:
            sys.exit(f"{turn}, {mode}, {flags}: the bytes depend on the threads or the memory")
