#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the help of all commands lists, and what the documents say about it.

    option_tables.py accepted PROGRAM        every option that a command lists is accepted by it
    option_tables.py named PROGRAM FILE...   every option that a document names exists, at its command

The tables are read from `millrace help COMMAND` and `millrace help inputs`.
"""

import concurrent.futures
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

OPTION = re.compile(r"^(?:  -\w, |      )--([a-z0-9-]+)(?: (\S+))?")
COMMON = {"memory": "512M", "threads": "1", "tmp": ".", "duckdb": "links.txt", "io": "pread", "json": None, "quiet": None, "force": None,
          "estimate": None, "log-json": None}

# A run of each command that works, and what it needs for each option with a free value; other options take the first
# of their choices. An option that needs another one has it in its value: the words after the first.
RUNS = {
    "build": ("links.txt -o new.mill", {
        "output": "n2.mill", "names": ("numbers.u32 -o new.mill", "numbers.names"),
        "duplicates": "keep", "self-loops": "drop"}),
    "append": ("g.mill more.txt", {
        "vertices": ("n.mill more.u32", "9"), "vertex-list": "new-pages.txt", "gone": "pages.txt", "seeds": "pages.txt",
        "drop-unlinked": "--gone pages.txt", "max-unknown": "3 --gone pages.txt",
        "where": ("g.mill weighted.csv", "source=http://a.example/"),
        "link-kinds": ("g.mill page.warc", "navigation"), "drop-nofollow": ("g.mill links.jsonl", None)}),
    "fold": ("g.mill -o f.mill", {"output": "f2.mill", "members": "members.txt", "codec": "zstd:1"}),
    "transpose": ("g.mill -o r.mill", {"output": "r2.mill", "codec": "zstd:1"}),
    "generate": ("kron --scale 6 -o k.mill", {
        "scale": "5", "edge-factor": "4", "random-seed": "2", "seed": "2", "output": "k2.mill", "codec": "zstd:1",
        "pages": ("crawl --pages 500 -o k.mill", "600"), "hosts": ("hosts --hosts 1000 -o k.mill", "2000"),
        "frontier": ("crawl --pages 500 -o k.mill", "0.2"), "links-per-page": ("crawl --pages 500 -o k.mill", "40"),
        "urls": ("crawl --pages 500 -o k.mill", None),
        "names": ("hosts --hosts 1000 -o k.txt", "k.names")}),
    "pagerank": ("g.mill -o p.csv", {
        "until": "order:2", "start": "scores.tsv", "checkpoint": "c.bin", "resume": "--checkpoint c.bin",
        "heritrix-file": "h.txt --heritrix", "teleport": "scores.tsv", "seeds": "pages.txt", "log": "log.tsv",
        "names": "p.names", "sort": "score", "by": "score --top 2",
        "max-unknown": "3 --seeds pages.txt", "iterations": "3",
        "tolerance": "1e-6", "acceleration": "2", "like": "gap", "scale": "pages", "what-if": "more.txt",
        "without": "more.txt"}),
    "ppr": ("g.mill --seed http://a.example/ -o p.csv", {
        "seeds": ("g.mill -o p.csv", "pages.txt"), "teleport": ("g.mill -o p.csv", "scores.tsv"),
        "batch": ("g.mill -o p.csv", "batch.txt"), "seed": ("g.mill -o p.csv", "http://a.example/"),
        "each": ("g.mill -o p.tsv", "pages.txt"),
        "width": ("g.mill -o p.csv", "2 --batch batch.txt"), "names": "p.names",
        "by": ("g.mill -o p.csv", "one --top 2 --batch batch.txt"),
        "max-unknown": ("g.mill -o p.csv", "3 --seeds pages.txt"), "tolerance": "1e-6"}),
    "trustrank": ("g.mill --trusted pages.txt -o p.csv", {
        "trusted": ("g.mill -o p.csv", "pages.txt"), "good-share": "0.8 --spam-mass",
        "max-unknown": "3", "score-columns": "trust",
        "names": "p.names", "sort": "score", "by": "trust --top 2", "tolerance": "1e-6"}),
    "opic": ("g.mill -o p.csv", {
        "tax": "0.1 --method opic", "policy": "greedy --method opic", "visits": "3 --method opic --policy greedy",
        "random-seed": "3 --method opic --policy random", "payout": "unvisited --sweeps 3", "targets": "pages.txt", "one-link": "--sweeps 3", "intervals": "times.tsv --times times.tsv --window 2x9d", "fetched": "links", "sweeps": "3",
        "cash-left": "0.1", "state": "s.opic", "window": "4 --state s.opic", "times": "times.tsv --state s.opic",
        "retries": "2 --fetched pages.txt", "new-pages": "zero --state s.opic", "next": "2",
        "per-host": "1 --next 2", "per-domain": "1 --next 2", "urls-only": "--next 2", "revisit": "--next 2",
        "dump-state": ("-o p.csv", "old.opic"), "names": "p.names", "sort": "score", "by": "score --top 2"}),
    "hits": ("g.mill -o p.csv", {
        "reverse": "back.mill", "page-scores": "scores.tsv", "query": "pages.txt", "in-links": "3 --query pages.txt",
        "start": "scores2.tsv", "probe": "2", "names": "p.names", "sort": "score", "by": "hub --top 2",
        "max-unknown": "3 --query pages.txt", "score-columns": "authority"}),
    "salsa": ("g.mill -o p.csv", {"names": "p.names", "sort": "score", "by": "hub --top 2", "score-columns": "hub"}),
    "harmonic": ("g.mill -o p.csv", {
        "sources": "pages.txt", "score-columns": "reach", "names": "p.names", "sort": "score", "by": "harmonic --top 2", "log2m": "5",
        "max-unknown": "3 --sources pages.txt"}),
    "degree": ("g.mill -o p.csv", {"names": "p.names", "sort": "score", "by": "in --top 2", "score-columns": "in,out"}),
    "eigenvector": ("g.mill -o p.csv", {"names": "p.names", "sort": "score", "by": "score --top 2"}),
    "katz": ("g.mill -o p.csv", {
        "names": "p.names", "sort": "score", "by": "score --top 2", "attenuation": "0.05", "seeds": "pages.txt",
        "max-unknown": "3 --seeds pages.txt"}),
    "release": ("links.txt -o rel", {"output": "rel2", "log2m": "5"}),
    "crawl-rank": ("links.txt -o cr", {
        "output": "cr2", "format": "urls", "columns": "target-source",
        "where": ("weighted.csv -o cr", "source=http://a.example/"), "link-kinds": ("page.warc -o cr", "navigation"), "profile": "none",
        "rule": "-www --profile surt", "max-bad": "3 --bad-lines skip", "codec": "zstd:1", "levels": "3",
        "percentages": "20,80", "only-changed": "old-levels.txt", "drop-nofollow": ("links.jsonl -o cr", None),
        "links": "external --classes host", "fetched": "some.txt --only unfetched", "times": "times.tsv --fetched some.txt --only unfetched",
        "only": "unfetched --fetched some.txt", "next": "2 --fetched some.txt", "retries": "2 --fetched some.txt --only unfetched",
        "revisit": "--next 2 --times times.tsv", "max-unknown": "3 --fetched some.txt --only unfetched", "vertices": ("numbers.u32 -o cr", "9"),
        "internal-weight": "0.5 --classes host", "external-weight": "2 --classes host", "crawler": "heritrix",
        "tolerance": "1e-6", "iterations": "3", "per-host": None}),
    "precedence": ("scores.tsv -o l.txt", {
        "output": "l2.txt", "levels": "3", "percentages": "20,80", "crawler": "heritrix", "spellings": "g.mill",
        "only-changed": "old-levels.txt", "mix": ("-o l.txt", "1:scores.tsv"), "column": "1",
        "max-unknown": ("-o l.txt", "3 --mix 1:scores.tsv"), "per-host": None, "fetched": "some.txt --only unfetched",
        "times": "times.tsv --only unfetched", "retries": "2 --fetched some.txt --only unfetched"}),
    "info": ("g.mill", {}),
    "show": ("g.mill http://a.example/", {"scores": "all.tsv", "column": "1 --scores all.tsv",
                                          "levels": "3 --scores all.tsv", "top": "2 --links-in",
                                          "offset": "1 --links-in", "output": "l.csv --links-in",
                                          "bom": ("g.mill http://a.example/ --links-in -o l.csv", None),
                                          "weights": ("g.mill http://a.example/ --links-in", None)}),
    "why": ("g.mill all.tsv http://a.example/", {"column": "1", "top": "2", "output": "why.csv", "header": None,
                                                 "bom": "-o why.csv"}),
    "find": ("g.mill example -o found.csv", {"output": "found.txt", "top": "2", "vertices": "", "hashes": ""}),
    "hosts": ("g.mill -o hosts.csv", {"output": "hosts.txt", "scores": "all.tsv", "column": "1 --scores all.tsv",
                         "sort": "name"}),
    "report": ("g.mill all.tsv -o r.html", {"output": "r2.html", "log": "passes.tsv", "charts": "charts", "top": "3",
                                            "good-share": ("g.mill mass.tsv -o r.html", "0.8"), "since": "all.tsv"}),
    "components": ("g.mill -o comp.csv", {"output": "comp2.tsv", "sizes": "sizes.tsv", "score-columns": "weak"}),
    "compare": ("all.tsv all.tsv", {"column": "1", "column-b": "1", "scale": "one --changes", "output": "alike.csv",
                                    "bom": "-o alike.csv"}),
    "export": ("g.mill -o e.txt", {
        "output": "e2.txt", "to": "edges", "shards": "2", "shards-for": "graphx --shards 2",
        "vertex-list": "pages.txt", "host": "a.example", "names": "e.names", "max-unknown": "3 --vertex-list pages.txt",
        "scores": "all.tsv --to pages", "seeds": "pages.txt --to pages",
        "window": ("g.mill -o e.graph", "16"), "max-ref": ("g.mill -o e.graph", "100")}),
    "convert": ("links.txt c.txt", {"to": "edges", "host": "a.example", "names": "c.names",
                                      "window": ("links.txt c.graph", "16"), "max-ref": ("links.txt c.graph", "100"),
                                      "weights": ("weighted.csv c.wel", None)}),
    "check": ("g.mill", {}),
    "certify": ("all.tsv --graph g.mill", {
        "graph": ("all.tsv", "g.mill"), "column": "1", "teleport": "scores.tsv", "max-unknown": "3",
        "harmonic": ("h.tsv --graph g.mill", None), "sample": ("h.tsv --graph g.mill --harmonic", "2"),
        "random-seed": ("h.tsv --graph g.mill --harmonic", "2"),
        "relative-error": ("h.tsv --graph g.mill --harmonic", "0.1")}),
    "bench": ("g.mill --rounds 1", {"rounds": "1"}),
    "version": ("", {}),
    "help": ("", {}),
}
# What inputs need, and what options mean in all commands.
SHARED = {
    "format": "urls", "columns": "source-target", "separator": "blank",
    "where": ("weighted.csv", "source=http://a.example/"), "vertices": ("numbers.u32", "9"), "vertex-list": "pages.txt",
    "link-kinds": ("page.warc", "navigation"), "drop-nofollow": ("links.jsonl", None), "outlinks-from": "auto", "profile": "none", "rule": "-www --profile surt",
    "max-bad": "3 --bad-lines skip", "codec": "zstd:1", "output": "out.tsv", "top": "2", "damping": "0.8",
    "tolerance": "1e-6", "max-passes": "200", "max-rounds": "200", "internal-weight": "0.5", "external-weight": "2",
    "fetched": "some.txt", "times": "times.tsv --fetched some.txt", "only": "unfetched --fetched some.txt",
    "retries": "2 --fetched some.txt", "per-host": "1 --next 2 --fetched some.txt",
    "per-domain": "1 --next 2 --fetched some.txt", "urls-only": "--next 2 --fetched some.txt", "next": "2 --fetched some.txt", "revisit": "--next 2 --times times.tsv --fetched some.txt", "inner": "2", "acceleration": "2",
    "max-unknown": "3", "sql": "from(values('a','b'))t(s,t)",
}
SAME = ("memory", "threads", "tmp", "duckdb", "io", "quiet", "log-json")  # mean the same everywhere; one command is enough
# The options of inputs are one table; commands that have names of their own beside it are enough.
WITH_INPUTS = ("build", "append", "pagerank", "opic", "hits", "harmonic", "convert", "crawl-rank")


def output_of(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False).stdout


def read_tables(program):
    """Of each command: its options with their values (None: a switch), and the names of those of inputs."""
    tables, of_inputs = {}, {}
    for line in output_of(program, "help", "inputs").splitlines():
        if match := OPTION.match(line):
            of_inputs[match[1]] = match[2]
    commands = re.findall(r"^  ([a-z-]+)  ", output_of(program, "help"), re.M)
    for command in commands:
        table, inputs, brief = {}, set(), False
        for line in output_of(program, "help", command).split("\nExamples:")[0].splitlines():
            if not line.startswith(" "):
                brief = "see 'millrace help inputs'" in line
            elif brief:
                inputs |= set(re.findall(r"--([a-z0-9-]+)", line))
            elif match := OPTION.match(line):
                if match[1] in table:
                    sys.exit(f"{command} lists --{match[1]} twice")
                table[match[1]] = match[2]
        for name in inputs:
            if name in table:
                sys.exit(f"{command} lists --{name} twice: for itself and for inputs")
        tables[command] = (table, {name: of_inputs[name] for name in inputs})
    return tables


# ---- Every option is accepted ----

def prepare(program, folder):
    def write(name, text):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)

    def run(*command):
        done = subprocess.run([program, *command], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stderr}")

    links = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "b"), ("d", "a"), ("a", "e")]
    write("links.txt", "".join(f"http://{a}.example/ http://{b}.example/\n" for a, b in links))
    write("weighted.csv", "source,target,weight\n" + "".join(f"http://{a}.example/,http://{b}.example/,2\n" for a, b in links))
    write("more.txt", "http://e.example/ http://f.example/\n")
    write("pages.txt", "".join(f"http://{page}.example/\n" for page in "abcde"))
    write("new-pages.txt", "http://e.example/\nhttp://f.example/\n")
    write("some.txt", "http://a.example/\n")
    write("numbers.names", "one\ntwo\nthree\nfour\n")
    page = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href="http://b.example/">b</a>'
    write("page.warc", "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nContent-Type: "
          f"application/http; msgtype=response\r\nContent-Length: {len(page)}\r\n\r\n{page}\r\n\r\n")
    write("links.jsonl", '{"url": "http://a.example/", "links": ["http://b.example/"]}\n')
    write("batch.txt", "one\thttp://a.example/\n")
    write("times.tsv", "http://a.example/\t100\t50\nhttp://c.example/\t200\t60\n")
    write("scores.tsv", "".join(f"http://{page}.example/\t0.{i + 1}\n" for i, page in enumerate("abcde")))
    write("scores2.tsv", "".join(f"http://{page}.example/\t0.5\t0.{i + 1}\n" for i, page in enumerate("abcde")))
    for name, numbers in (("numbers.u32", (1, 2, 2, 3)), ("more.u32", (3, 1))):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"".join(number.to_bytes(4, "little") for number in numbers))
    run("build", "links.txt", "-o", "kept.mill", "--classes", "host")
    run("build", "weighted.csv", "-o", "w.mill", "--weights")
    run("transpose", "kept.mill", "-o", "back.mill")
    run("pagerank", "kept.mill", "-o", "all.tsv", "--log", "passes.tsv", "--header")
    run("trustrank", "kept.mill", "--trusted", "pages.txt", "--spam-mass", "-o", "mass.tsv")
    run("harmonic", "kept.mill", "-o", "h.tsv")
    run("build", "numbers.u32", "-o", "kept-n.mill")
    run("opic", "kept.mill", "--state", "old.opic", "-o", "o.tsv")
    run("precedence", "scores.tsv", "-o", "old-levels.txt")


def clean(folder, kept, changes):
    """Removes what the last run made; renews the stores if it changed them."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name not in kept or (changes and name in ("g.mill", "n.mill")):
            (shutil.rmtree if os.path.isdir(path) else os.remove)(path)
    if changes:
        shutil.copytree(f"{folder}/kept.mill", f"{folder}/g.mill")
        shutil.copytree(f"{folder}/kept-n.mill", f"{folder}/n.mill")


def arguments_of(command, name, value, is_input):
    """The arguments of a run that gives this option, or a reason to leave it out."""
    base, own = RUNS[command]
    sample = own.get(name, SHARED.get(name, ""))
    if is_input and command not in ("append", "crawl-rank"):
        base = base.replace("g.mill", "links.txt", 1)
        if isinstance(sample, tuple) and sample[0] in ("numbers.u32", "links.jsonl", "page.warc", "weighted.csv"):
            sample = (base.replace("links.txt", sample[0]), sample[1])
    if isinstance(sample, tuple):
        base, sample = sample
    words = base.split()
    if name == "weights" and value is None and command != "convert":
        words = [{"g.mill": "w.mill", "links.txt": "weighted.csv"}.get(word, word) for word in words]
    if f"--{name}" in words or (name == "output" and "-o" in words):
        at = words.index(f"--{name}" if f"--{name}" in words else "-o")
        del words[at:at + 2]
    sample = (COMMON.get(name) or sample or "") if value else sample or ""
    if value and not sample.strip():
        sample = value.split("|")[0] if "|" in value else "1"
    return words + [f"--{name}", *sample.split()]


def try_options(program, runs, prepared):
    """The failures of these runs, in a folder of their own."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(prepared, folder, dirs_exist_ok=True)
        kept = set(os.listdir(folder)) | {"n.mill"}
        before = None
        for command, name, words in runs:
            clean(folder, kept, "append" in (command, before))
            before = command
            done = subprocess.run([program, command, *words], cwd=folder, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, check=False)
            is_known = ((name == "resume" and "no such checkpoint" in done.stderr) or
                        (name == "sql" and "needs the library of DuckDB" in done.stderr))
            if done.returncode and not is_known:
                failures.append(f"{command} {' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()}")
    return failures


def accepted(program):
    tables = read_tables(program)
    runs = []
    for command, (table, inputs) in tables.items():
        if command not in RUNS:
            sys.exit(f"{command} has no run in this test")
        if command not in WITH_INPUTS:
            inputs = {}
        for name, value in sorted({**table, **inputs}.items()):
            # A query is an operand, and behind the output of convert there is none.
            if (name not in SAME or command == "pagerank") and (command, name) != ("convert", "sql"):
                runs.append((command, name, arguments_of(command, name, value, name in inputs)))
    with tempfile.TemporaryDirectory() as prepared, concurrent.futures.ThreadPoolExecutor() as pool:
        prepare(program, prepared)
        shutil.copytree(f"{prepared}/kept.mill", f"{prepared}/g.mill")
        halves = pool.map(try_options, (program, program), (runs[::2], runs[1::2]), (prepared, prepared))
        failures = list(itertools.chain(*halves))
    print(f"{len(runs)} options accepted")
    return failures


# ---- Every option that a document names exists ----

# Options of other programs.
FOREIGN = {"install", "prefix", "preset", "build", "check", "help", "man", "completion", "parallel", "sites", "frames", "cases",
           "multipart-suffixes-as-domains", "recursive", "pictures", "strict", "enable-incomplete-feature",
           "system-site-packages", "config", "seeds-file", "tries", "max-redirect", "warc-file", "mode", "strip-components", "rm", "user", "userns",
           "now"}


def code_of(text):
    """The pieces of code of a Markdown text: the lines of fenced blocks, joined at backslashes, and the spans."""
    fenced = re.findall(r"^ *```[^\n]*\n(.*?)^ *```", text, re.M | re.S)
    for block in fenced:
        yield from block.replace("\\\n", " ").splitlines()
    rest = re.sub(r"^ *```[^\n]*\n.*?^ *```", "", text, flags=re.M | re.S)
    yield from (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", rest))


def named(program, paths):
    tables = read_tables(program)
    everything = FOREIGN | set().union(*(set(table) | set(inputs) for table, inputs in tables.values()))
    failures, options = [], 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            pieces = list(code_of(file.read()))
        for piece in pieces:
            for part in re.split(r"[|;&#]| > ", piece):
                words = part.split()
                if "millrace" in words:
                    words = words[words.index("millrace") + 1:]
                command = words[0] if words and words[0] in tables else None
                known = everything if command in (None, "help") else set(tables[command][0]) | set(tables[command][1])
                for name in re.findall(r"(?<![\w-])--([a-z][a-z0-9-]*)", part):
                    options += 1
                    if name not in known | {"help"}:
                        failures.append(f"{path}: --{name} is no option of {command or 'any command'}: {piece}")
    print(f"{options} options named")
    return failures


def main():
    found = accepted(sys.argv[2]) if sys.argv[1] == "accepted" else named(sys.argv[2], sys.argv[3:])
    for failure in found:
        print(failure, file=sys.stderr)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
