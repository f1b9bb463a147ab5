# SPDX-License-Identifier: Apache-2.0
"""Spark: it reads the shards of `export`, ranks them with GraphX, and what it writes is read."""

import csv
import json
import os
import re

from kit import ROOT

VERSION = "4.0.1"
NEEDS = f"Spark {VERSION} from PyPI (pyspark)"
PROGRAMS = ("java",)
SPARK = ("--master 'local[2]' --driver-memory 2g --conf spark.ui.enabled=false --conf spark.log.level=ERROR "
         "--conf spark.ui.showConsoleProgress=false --conf spark.sql.shuffle.partitions=2 --conf spark.default.parallelism=2")
LAYOUTS = ("graphx", "graphframes", "graphx.gz", "graphframes.gz")
ODD = ('quo"te,\\', "back\\slash", "comma, quo\"te", "\\x41", '"all"', " blank ", "# no comment", "NULL")  # a path
ALONE = ("alone.example", "alone \"too\", \\")
REFUSED = {"bzip2", "parquet", "orc", "rows", "edges"}  # with the command that reads it; links in tuples, too


def graph():
    """Links by name, in awkward names, too, and pages without links."""
    with open(f"{ROOT}/examples/hosts.txt", encoding="utf-8") as file:
        links = {tuple(line.split()) for line in file if not line.startswith("#")}
    plain = sorted(links)
    links |= {*zip(ODD, ODD[1:]), (ODD[0], "docs.python.org")}
    return plain, links, {name for link in links for name in link} | set(ALONE)


def decoded(name):
    return re.sub(r"\\x([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), name)


def coded(name):
    return "".join(f"\\x{ord(c):02x}" if c in '\\"# N' else c for c in name)


def check_shards(kit, links, names):
    """Spark read all links and pages of each layout. Returns the names by id."""
    for layout in LAYOUTS:
        pages, pairs = json.loads(kit.read(f"read/{layout}.json"))
        name_of = {int(number): decoded(name) for number, name in pages}
        found = {(name_of[int(source)], name_of[int(target)]) for source, target in pairs}
        kit.count("links", len(found & links) if len(pairs) == len(links) else 0, len(found | links), found ^ links)
        kit.check(set(name_of.values()) == names and len(pages) == len(names), f"{layout}: pages {set(name_of.values()) ^ names}")
    for layout in ("graphx.weights", "graphframes.weights"):
        rows = [tuple(map(float, row)) for row in json.loads(kit.read(f"read/{layout}.json"))[1]]
        kit.check(sorted(rows) == [(0, 1, 0.25), (1, 0, 2.5)], f"{layout}: {rows}")
    large = json.loads(kit.read("read/graphframes.large.json"))
    kit.check(sorted(large[1]) == [[0, 1], [2, 0]] and [2, str(2 ** 64 - 1)] in large[0], f"large numbers: {large}")
    return name_of


def check_forms(kit, plain, name_of):
    """Directories that Spark wrote are read right, or refused with what reads them."""
    number = {name: i for i, name in enumerate(sorted({name for link in plain for name in link}))}
    truth = {"links": set(plain), "numbers": {(str(number[a]), str(number[b])) for a, b in plain}}
    for kind, wanted in truth.items():
        for form in sorted(os.listdir(kit.file(kind))):
            refused = form in REFUSED | {"tuples"}
            said = kit.run(f"rm -f form.csv; {{ millrace build {kind}/{form} -o form.mill --quiet --force && "
                           "millrace export form.mill -o form.csv --quiet; } 2>&1 || echo refused $?")
            found = set() if refused else set(map(tuple, csv.reader(kit.read("form.csv").splitlines()[1:])))
            is_right = "refused 3" in said and "is not read" in said if refused else found == wanted
            kit.count("cases", int(is_right), 1, [f"{kind}/{form}: {said[-300:]} {sorted(found ^ wanted)[:3]}"])
    kit.run("millrace build hashes -o hashes.mill --quiet")  # half of them are below 0
    kit.count("cases", int(f'"edges": {len(plain)},' in kit.run("millrace info hashes.mill --json")), 1, ["hashes"])
    kit.write("truth.json", json.dumps([{"name": coded(name), "score": i + 0.5} for i, name in name_of.items()]))
    for form in sorted(set(os.listdir(kit.file("ranks"))) - {"quoted"}):  # which has \\x22 for \x22
        said = kit.run(f"millrace compare ranks/{form} truth.json --json 2>&1 || echo refused $?")
        is_right = ("refused 3" in said if form in REFUSED else
                    f'"pages_compared": {len(name_of)},' in said and '"pages_different": 0,' in said)
        kit.count("cases", int(is_right), 1, [f"ranks/{form}: {said[-300:]}"])


def scores_in(kit, folder):
    lines = [line.rsplit("\t", 1) for name in os.listdir(kit.file(folder)) if name.startswith("part-") and not name.endswith(".json")
             for line in kit.read(f"{folder}/{name}").splitlines()]
    scores = {decoded(name): float(score) for name, score in lines}
    return {name: score / sum(scores.values()) for name, score in scores.items()}


def check_ranks(kit, names):
    """GraphX's ranks are Millrace's, by examples/spark/rank.py and by the lines of docs/performance.md."""
    kit.run(f"spark-submit {SPARK} {ROOT}/examples/spark/rank.py parts/graphx ranked 1e-16")
    with open(f"{ROOT}/docs/performance.md", encoding="utf-8") as file:
        recipe = re.search(r"^    import org.apache.spark.graphx._.*?(?=^$)", file.read(), re.M | re.S)[0]
    kit.write("recipe/lines", re.sub("^    ", "", recipe, flags=re.M))
    kit.run(f"cd recipe && ln -s ../parts/graphx parts && spark-shell {SPARK} <lines")
    kit.run("mkdir ours && millrace pagerank graph.mill --tolerance 1e-13 -o ours/part-0 --quiet")
    ours = scores_in(kit, "ours")
    for folder, error in (("ranked", 1e-16), ("recipe/ranks", 1e-9)):
        theirs = scores_in(kit, folder)
        close = [name for name in names if abs(theirs.get(name, 9) - ours[name]) <= error]
        kit.count("scores", len(close), len(names), names - set(close))
        said = json.loads(kit.run(f"millrace certify {folder} --graph graph.mill --json"))
        kit.check(said["error_bound"] < 1e-8, f"{folder}: {said['error_bound']}")


def run(kit):
    kit.pip(f"pyspark=={VERSION}")
    plain, links, names = graph()
    row = {name: i for i, name in enumerate(sorted(names), 1)}
    kit.write("names.txt", "".join(f"{coded(name)}\n" for name in row))
    kit.write("graph.mtx", f"%%MatrixMarket matrix coordinate pattern general\n{len(row)} {len(row)} {len(links)}\n" +
              "".join(f"{row[a]} {row[b]}\n" for a, b in sorted(links)))
    kit.run("mkdir parts && millrace build graph.mtx --names names.txt -o graph.mill --quiet")
    for layout in LAYOUTS:
        kit.run(f"millrace export graph.mill --shards 2 --shards-for {layout} -o parts/{layout} --quiet")
    kit.write("weights.wel", "0 1 0.25\n1 0 2.5\n")
    kit.write("large.txt", f"{2 ** 64 - 1} 3\n3 {2 ** 63}\n")
    for graph_file, layout in (("weights.wel", "graphx"), ("weights.wel", "graphframes"), ("large.txt", "graphframes")):
        kind = graph_file.partition(".")[0]
        kit.run(f"millrace build {graph_file} -o {kind}.mill --quiet --force && "
                f"millrace export {kind}.mill --shards 2 --shards-for {layout} -o parts/{layout}.{kind} --quiet")
    kit.write("links.tsv", "".join(f"{a}\t{b}\n" for a, b in plain))
    number = {name: i for i, name in enumerate(sorted({name for link in plain for name in link}))}
    kit.write("numbers.tsv", "".join(f"{number[a]}\t{number[b]}\n" for a, b in plain))
    kit.run(f"spark-submit {SPARK} {ROOT}/tests/clients/spark_forms.py {' '.join(os.listdir(kit.file('parts')))}")
    name_of = check_shards(kit, links, names)
    check_forms(kit, plain, name_of)
    check_ranks(kit, names)
