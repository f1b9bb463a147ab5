#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rounds of appends against a model: a set of pages and the links of each.

    append_model.py MILLRACE DIRECTORY ROUNDS

Each round appends random links, with or without --replace, a list of gone pages, and --drop-unlinked, to stores of
every kind, and compares the pages, the links, their weights and the counts of the summary with those of the model.
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
KINDS = {  # flags of the build, and how the inputs are written
    "names": ("", "urls"), "numbers": ("", "edges"), "all numbers": ("", "edges"), "JSON": ("", "jsonl"),
    "classes": ("--classes host", "urls"), "weights": ("--weights", "wel"),
    "transposed": ("--transpose", "urls"),
    "repeated": ("--duplicates keep", "urls"), "profile": ("--profile heritrix", "urls"),
    "dated": ("", "dated"), "dated without loops": ("--self-loops drop", "dated"),
    "dated reversed": ("--transpose", "dated"), "dated repeated": ("--duplicates keep", "dated"),
}


def run(*arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{arguments}: {done.returncode}\n{done.stderr}")
    return done.stdout


def rows_in(store):
    """(position, first, last, fetches, compared, changes, gone) of each page with fetch facts; one block is enough."""
    data, manifest = (store / "facts.1").read_bytes() if (store / "facts.1").exists() else b"", (store / "MANIFEST").read_bytes()
    n, row_bytes = struct.unpack_from("<Q", manifest, 312)[0], 26 if manifest[120] & 128 else 18
    rows = [struct.unpack_from("<3I3H", data, 64 + row_bytes * i) for i in range(n)]
    if any(row[5] >> 15 for row in rows) != (manifest[8] == 6):
        sys.exit(f"{store}: version {manifest[8]}")
    return [(*row[:5], row[5] & 32767, row[5] >> 15) for row in rows]


def comparisons(fetches):
    """(compared, changes) of {time: digest or None}."""
    digests = [digest for _, digest in sorted(fetches.items())]
    pairs = [pair for pair in zip(digests, digests[1:]) if all(pair)]
    return len(pairs), sum(a != b for a, b in pairs)


class Model:
    def __init__(self, kind):
        self.flags, self.form = KINDS[kind]
        self.kind, self.pages, self.links = kind, set(), collections.Counter()
        self.merges = "keep" not in self.flags
        self.clock, self.times, self.compared = 0, {}, {}  # of each page: {time: digest}; [compared, changes]
        self.gone = set()

    def name(self, number):
        return f"http://h{number % 3}.org/p{number}" if self.form in ("urls", "jsonl", "dated") else str(number)

    def random_links(self, most):
        number = lambda: random.randrange(30) if self.kind == "all numbers" else random.randrange(40) * 3
        links = [(number(), number(), random.randrange(1, 5)) for _ in range(random.randrange(most))]
        fetched = {s for s, _, _ in links}
        fetched |= {number() for _ in range(3)} if self.form in ("jsonl", "dated") else set()
        return links, fetched

    def write(self, path, links, fetched):
        self.dated, self.died = {}, set()
        if self.form == "dated":  # some pages without a time, some with older captures before or behind; some answer 404
            self.clock += 100
            lines = []
            for page in sorted(fetched):
                line = {"url": self.name(page), "links": [self.name(t) for f, t, _ in links if f == page]}
                if random.random() < 0.8:
                    times = random.sample(range(50), random.randrange(3)) + [random.randrange(50, 99)]
                    self.dated[page] = {self.clock + t: random.choice((None, "md5:a", "md5:B")) for t in times}
                    for time, digest in self.dated[page].items():
                        lines.append(line | {"timestamp": time, "contentDigest": digest})
                        lines[-1]["links"] = line["links"] if time == max(self.dated[page]) else [self.name(3)]
                    if random.random() < 0.1:
                        self.died.add(page)
                        lines.append({"url": line["url"], "links": [], "timestamp": self.clock + 99, "status": 404})
                else:
                    lines.append(line)
            random.shuffle(lines)
            lines = [json.dumps(line) for line in lines]
        elif self.form == "jsonl":
            lines = [json.dumps({"url": self.name(s), "links": [self.name(t) for f, t, _ in links if f == s]})
                     for s in sorted(fetched)]
        else:
            weight = (lambda w: f" {w}") if self.form == "wel" else lambda w: ""
            lines = [f"{self.name(s)} {self.name(t)}{weight(w)}" for s, t, w in links]
        path.write_text("".join(line + "\n" for line in lines))

    def add(self, links, fetched, replaces=False, gone=(), drops=False):
        """Apply an append; returns the counts that the summary should have."""
        before_pages, before = set(self.pages), collections.Counter(self.links)
        set_of = lambda page: {t for s, t in self.links if s == page}
        sets = {page: set_of(page) for page in self.dated}
        fresh = {source for source, _, _ in links} | fetched - set(gone)
        self.pages |= {page for link in links for page in link[:2]} | ({3} if self.dated else set())
        links = [link for link in links if link[0] not in self.died and ("drop" not in self.flags or link[0] != link[1])]
        sources = {source for source, _, _ in links}
        fresh = sources | fetched - set(gone)
        told = set(gone) - fresh
        self.gone -= (fresh if replaces or gone else sources) | self.dated.keys()
        self.gone |= told | self.died
        old = set(gone) & self.pages | (fetched & self.pages if replaces else set())
        self.links = collections.Counter({l: w for l, w in self.links.items() if l[0] not in old})
        new = {(s, t) for s, t, _ in links} if self.merges else set()
        removed = sum(w if not self.merges else 1 for l, w in before.items() if l not in self.links and l not in new)
        for source, target, weight in links:
            if self.form == "wel" or not self.merges:
                self.links[source, target] += weight if self.form == "wel" else 1
            else:
                self.links[source, target] = 1
        self.pages |= fetched
        gone = set(gone) & before_pages - fresh
        linked = {t for s, t in self.links if s != t}
        dropped = {p for p in gone if p not in linked} if drops else set()
        self.pages -= dropped
        for page, new in self.dated.items():
            compared, inside, known = self.compared.setdefault(page, [0, 0]), comparisons(new), self.times.setdefault(page, {})
            by_links = known and replaces and self.merges and page in fresh and inside[1] == 0
            border = comparisons({0: known[max(known)], 1: new[min(new)]}) if known else (0, 0)
            compared[0] += inside[0] + bool(by_links or border[0])
            compared[1] += inside[1] + bool(border[1] or by_links and set_of(page) != sets[page])
            known.update(new)
        self.gone -= dropped
        for page in dropped:
            self.times.pop(page, None)
            self.compared.pop(page, None)
        size = (lambda c: len(c)) if self.merges else lambda c: sum(c.values())
        kept = size(before) - removed
        return {"new_links": size(self.links) - kept, "kept_links": kept, "removed_links": removed,
                "replaced_pages": len(fresh & before_pages) if replaces else 0, "gone_pages": len(gone),
                "dropped_pages": len(dropped), "vertices": len(self.pages)}

    def compare(self, store, where):
        run("check", "--full", str(store), "--quiet")
        names = run("find", str(store), ".", "--quiet").split() if self.pages else []
        has_text = self.form in ("urls", "jsonl", "dated")
        lines = [line.split() for line in run("export", str(store), "--to", "wel" if self.form == "wel" else "edges",
                                              "--quiet").splitlines() if not line.startswith("#")]
        name = (lambda i: names[int(i)]) if has_text else lambda i: i
        found = collections.Counter()
        for line in lines:
            ends = (name(line[0]), name(line[1]))
            found[ends[::-1] if "transpose" in self.flags else ends] += float(line[2]) if len(line) > 2 else 1
        wanted = collections.Counter({(self.name(s), self.name(t)): w for (s, t), w in self.links.items()})
        if sorted(names) != sorted(map(self.name, self.pages)):
            sys.exit(f"{where}: pages {sorted(names)} and not {sorted(map(self.name, self.pages))}")
        facts = {self.name(p): (0, 0, 0, 0, 0, 1) for p in self.gone}
        facts |= {self.name(p): (min(t), max(t), len(t), *self.compared[p], p in self.gone) for p, t in self.times.items()}
        stored = {names[row[0]]: row[1:] for row in rows_in(store)}
        if stored != facts:
            sys.exit(f"{where}: fetches {stored} and not {facts}")
        if found != wanted:
            sys.exit(f"{where}: links {found - wanted} too many, {wanted - found} missing")


for kind in KINDS:
    random.seed(kind)
    model, store = Model(kind), root / f"{kind.replace(' ', '-')}.mill"
    links, fetched = model.random_links(120)
    links += [(0, 0, 1)] + [(0, page, 1) for page in range(30) if kind == "all numbers"]
    fetched.add(0)
    model.write(root / "input", links, fetched)
    file_format = ["--format", "jsonl" if model.form == "dated" else model.form]
    run("build", "-o", str(store), str(root / "input"), *file_format, *model.flags.split(), "--quiet")
    model.add(links, fetched)
    model.compare(store, kind)
    for turn in range(rounds):
        replaces, drops = random.random() < 0.7, random.random() < 0.5
        links, fetched = model.random_links(25)
        links.append((3, 6, 2))
        fetched.add(3)
        known = sorted(model.pages)
        gone = random.sample(known, random.randrange(min(5, len(known)))) if random.random() < 0.6 else []
        has_input = not gone or random.random() < 0.8
        flags = ["--replace"] if replaces and has_input else []
        if gone:
            (root / "gone").write_text("".join(model.name(p) + "\n" for p in gone))
            flags += ["--gone", str(root / "gone")] + (["--drop-unlinked"] if drops else [])
        if has_input:
            model.write(root / "input", links, fetched)
            flags += [str(root / "input"), *file_format]
        else:
            model.dated, model.died = {}, set()
        counts = json.loads(run("append", str(store), *flags, "--json", "--quiet"))
        wanted = model.add(*((links, fetched) if has_input else ([], set())), "--replace" in flags, gone, drops and gone)
        where = f"{kind}, round {turn}, {' '.join(flags)}"
        if {key: counts[key] for key in wanted} != wanted:
            sys.exit(f"{where}: the summary says {({key: counts[key] for key in wanted})} and not {wanted}")
        model.compare(store, where)
        if has_input and model.form in ("jsonl", "dated") and replaces:  # once more: nothing happens
            before = (store / "MANIFEST").read_bytes()
            run("append", str(store), *flags, "--quiet", *(["--max-unknown", "100%"] if gone else []))
            if (store / "MANIFEST").read_bytes() != before:
                sys.exit(f"{where}: a repeated append changes the store")
