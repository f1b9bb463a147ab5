#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares docs/json-fields.md with what the commands print.

    json_fields.py PROGRAM FIELDS   run the commands; write their fields to the file FIELDS
    json_fields.py FIELDS PAGE      exit code 1, and a line for each difference

A section of the page has a table whose first column names the fields. Its head "with the parts store, run"
adds the fields of the sections "Part: store" and "Part: run". A field inside another one is
written `outer.inner`; the fields of the objects of a list are `list[].inner`.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

# Each run: the section of the page, the file to read (None: standard output), and the command.
RUNS = [
    ("build", None, "build links.txt -o g.mill --classes domain"),
    ("build", None, "build big.txt -o big.mill"),
    ("transpose", None, "transpose g.mill -o r.mill"),
    ("fold", None, "fold g.mill -o hosts.mill"),
    ("generate", None, "generate kron --scale 6 -o k.txt"),
    ("check", None, "check g.mill"),
    ("info", None, "info g.mill"),
    ("info", None, "info w.mill"),
    ("show", None, "show g.mill http://a.example/ --links-in --links-out"),
    ("show", None, "show w.mill 1 --links-in --links-out --weights"),
    ("show", None, "show dated.mill http://a.example/"),
    ("pagerank", None, "pagerank g.mill -o p.tsv"),
    ("pagerank", "p.tsv.meta.json", "pagerank g.mill -o p.tsv --force"),
    ("pagerank", None, "pagerank g.mill --top 2"),
    ("pagerank", None, "pagerank links.txt --seeds seeds.txt --until order:2"),
    ("pagerank", None, "pagerank g.mill --links external --until levels:5 --start scores.txt"),
    ("pagerank", None, "pagerank g.mill --internal-weight 0.5 --teleport scores.txt"),
    ("pagerank", None, "pagerank g.mill --heritrix"),
    ("pagerank", None, "pagerank g.mill --what-if more.txt --without links.txt"),
    ("pagerank", None, "pagerank canonical.mill"),
    ("ppr", None, "ppr g.mill --seed http://a.example/"),
    ("ppr", None, "ppr links.txt --seeds seeds.txt --top 1"),
    ("ppr", None, "ppr g.mill --batch batch.txt -o ppr.npy"),
    ("ppr", None, "ppr g.mill --teleport scores.txt --links external"),
    ("ppr", None, "ppr g.mill --teleport scores.txt --internal-weight 0.5"),
    ("ppr", None, "ppr canonical.mill --seeds seeds.txt"),
    ("ppr", None, "ppr g.mill --each seeds.txt -o each.tsv"),
    ("trustrank", None, "trustrank g.mill --trusted seeds.txt --links external"),
    ("trustrank", None, "trustrank canonical.mill --trusted seeds.txt"),
    ("trustrank", None, "trustrank links.txt --trusted seeds.txt --spam-mass --top 1"),
    ("hits", None, "hits g.mill"),
    ("hits", None, "hits links.txt --query seeds.txt --page-scores scores.txt --start scores.txt --top 1"),
    ("salsa", None, "salsa g.mill --top 1"),
    ("salsa", None, "salsa links.txt"),
    ("katz", None, "katz g.mill --top 1"),
    ("katz", None, "katz links.txt --seeds seeds.txt"),
    ("eigenvector", None, "eigenvector g.mill --top 1"),
    ("eigenvector", None, "eigenvector links.txt"),
    ("degree", None, "degree g.mill --top 1"),
    ("degree", None, "degree links.txt"),
    ("opic", None, "opic g.mill --state state --window 4"),
    ("opic", None, "opic g.mill --state state --times times.txt --intervals times.txt --window 3x9d --targets seeds.txt"),
    ("opic", None, "opic links.txt --one-link --top 1 --score-columns all"),
    ("harmonic", None, "harmonic g.mill -o h.tsv"),
    ("harmonic", None, "harmonic links.txt --top 1 --log2m 6"),
    ("harmonic", None, "harmonic g.mill --exact --sources seeds.txt"),
    ("components", None, "components g.mill"),
    ("components", None, "components links.txt --weak-only"),
    ("certify", None, "certify p.tsv --graph g.mill"),
    ("certify --harmonic", None, "certify h.tsv --graph g.mill --harmonic"),
    ("compare", None, "compare p.tsv p.tsv"),
    ("compare --changes", None, "compare p.tsv more.tsv --changes"),
    ("precedence", None, "precedence p.tsv -o levels.txt"),
    ("show", None, "show g.mill http://a.example/"),
    ("show", None, "show g.mill http://a.example/ --scores p.tsv --links-in --links-out"),
    ("why", None, "why g.mill p.tsv http://a.example/"),
    ("bench", None, "bench g.mill --rounds 1"),
    ("release.json", "of_store/release.json", "release g.mill --output of_store"),
    ("release.json", "rel/release.json", "release links.txt --output rel"),
    ("--estimate", None, "pagerank g.mill --estimate"),
    ("append", None, "append g.mill more.txt"),
]


def fields_of(value, prefix=""):
    """The paths of all fields of a JSON value."""
    found = set()
    if isinstance(value, dict):
        for key, inner in value.items():
            found.add(prefix + key)
            found |= fields_of(inner, prefix + key + ".")
    elif isinstance(value, list):
        for inner in value:
            found |= fields_of(inner, prefix[:-1] + "[].")
    return found


def run_all(program):
    """The fields of each section."""
    sections = {}
    with tempfile.TemporaryDirectory() as folder:
        def write(name, text):
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(text)

        def run(command):
            done = subprocess.run([program, *command.split()], cwd=folder, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, check=False)
            if done.returncode != 0:
                sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}")
            return done.stdout

        links = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "b"), ("d", "a"), ("a", "e")]
        write("links.txt", "".join(f"http://{a}.example/ http://{b}.example/\n" for a, b in links) +
              "http://a.example/ http://a.example/x\n")
        write("more.txt", "http://e.example/ http://f.example/\n")
        write("seeds.txt", "http://a.example/\nhttp://c.example/\n")
        write("batch.txt", "one\thttp://a.example/\n")
        write("weights.txt", "1 2 0.5\n2 1 3\n2 3 1\n")
        write("scores.txt", "http://a.example/\t0.5\nhttp://c.example/\t0.2\n")
        write("times.txt", "http://a.example/\t100\t50\nhttp://c.example/\t200\t60\n")
        write("big.txt", "".join(f"{i} {i * 7 % 500}\n" for i in range(1, 500)))
        run("pagerank more.txt -o more.tsv --quiet")
        run("build weights.txt -o w.mill --weights --quiet")
        write("dated.jl", '{"url": "http://a.example/", "links": ["/x"], "timestamp": 100}\n{"url": "http://a.example/", "status": 404}\n')
        run("build dated.jl -o dated.mill --quiet")
        run("build links.txt -o canonical.mill --profile surt --quiet")
        for section, beside, command in RUNS:
            text = run(command + (" --quiet" if section == "release.json" else " --json --quiet"))
            if beside:
                with open(os.path.join(folder, beside), encoding="utf-8") as file:
                    text = file.read()
            fields = fields_of(json.loads(text))
            if section == "release.json":
                fields = {re.sub(r"^stages\.[^.]*", "stages.*", field) for field in fields}
            sections.setdefault(section, set()).update(fields)
    check_commands(program)
    return sections


def check_commands(program):
    """Every command that lists --json has a run, and so prints JSON."""
    pages = subprocess.run([program, "help", "--man"], capture_output=True, text=True, check=True).stdout
    for command in re.findall(r"^millrace-(.*)\.1$", pages, re.M):
        text = subprocess.run([program, "help", command], capture_output=True, text=True, check=True).stdout
        if "      --json " in text and not any(run.split()[0] == command for _, _, run in RUNS):
            sys.exit(f"{command} lists --json, and no run here tries it")


def read_page(path):
    """The fields that each section of the page names, and the parts that each section includes."""
    own, parts = {}, {}
    section = None
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("## "):
                section = line[3:].strip().strip("`")
                own[section], parts[section] = set(), []
            elif line.startswith("| with the parts "):
                parts[section] = ["Part: " + name for name in line[17:].split(" |")[0].split(", ")]
            elif line.startswith("| `"):
                own[section] |= set(re.findall("`([^`]*)`", line.split("|")[1]))
    return own, parts


def main():
    if not sys.argv[1].endswith(".json"):
        fields_by_section = {name: sorted(fields) for name, fields in run_all(os.path.abspath(sys.argv[1])).items()}
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            json.dump(fields_by_section, file)
        return
    with open(sys.argv[1], encoding="utf-8") as file:
        printed = {name: set(fields) for name, fields in json.load(file).items()}
    own, parts = read_page(sys.argv[2])
    problems = []
    seen_of_parts = {}
    for section, fields in printed.items():
        if section not in own:
            problems.append(f"{section}: no section")
            continue
        known = set(own[section])
        for part in parts[section]:
            known |= own[part]
            seen_of_parts.setdefault(part, set()).update(fields)
        problems += [f"{section}: the page lacks {field}" for field in sorted(fields - known)]
        problems += [f"{section}: no run has {field}" for field in sorted(own[section] - fields)]
    for section in own:
        if section.startswith("Part: "):
            missing = own[section] - seen_of_parts.get(section, set())
            problems += [f"{section}: no run has {field}" for field in sorted(missing)]
        elif section not in printed:
            problems.append(f"{section}: nothing runs it")
    print("\n".join(problems), file=sys.stderr)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
