# SPDX-License-Identifier: Apache-2.0
"""WebGraph in Java and in Rust: exports are read by both, and graphs that both write are read here, link for link."""

import random

JAVA, RUST = "3.6.12", "0.5.0"
NEEDS = f"WebGraph {JAVA} from Maven Central and a JDK; webgraph-cli {RUST} from crates.io, and cargo"
PROGRAMS = ("java", "mvn", "cargo")
POM = ("<project><modelVersion>4.0.0</modelVersion><groupId>millrace</groupId><artifactId>clients</artifactId>"
       "<version>1</version><packaging>pom</packaging><dependencies><dependency><groupId>it.unimi.dsi</groupId>"
       f"<artifactId>webgraph</artifactId><version>{JAVA}</version></dependency></dependencies></project>")
JAVA_WRITES = ("", "-w 16 -m -1", "-w 0", "-m 1 -i 2 -k 5", "-c RESIDUALS_GAMMA")
RUST_WRITES = ("", "-w 16 -r -1", "--residuals zeta2 -i 2", "-E little", "--bvgraphz")


def graphs():
    """{name: (n, links)} of shapes that the format treats in different ways."""
    draw = random.Random(1)
    yield "loop", 1, {(0, 0)}
    yield "none", 1000, set()
    yield "clique", 60, {(i, j) for i in range(60) for j in range(60)}
    yield "sparse", 2000, {(draw.randrange(2000), draw.randrange(2000)) for _ in range(1500)}
    yield "far", 100000, {(0, 99999), (99999, 0), (99999, 1), (99999, 2), (99999, 3), (50000, 99999)}
    lists = [set(draw.sample(range(400), 20))]
    for i in range(1, 400):  # each like one before it, which is what references and blocks are for
        lists.append({x for x in lists[max(0, i - draw.randrange(1, 20))] if draw.random() < 0.9} | {draw.randrange(400), i, i - 1})
    yield "copies", 400, {(i, j) for i, targets in enumerate(lists) for j in targets}


def read_ascii(text, first):
    """Links of WebGraph's ASCIIGraph, which has a line for each node after `first` lines."""
    return {(i, int(j)) for i, line in enumerate(text.split("\n")[first:]) for j in line.split()}


def pom(folder):
    with open(f"{folder}/pom.xml", "w", encoding="utf-8") as file:
        file.write(POM)
    return [["mvn", "-B", "-q", "dependency:copy-dependencies", "-DoutputDirectory=."]]


def run(kit):
    java = f"java -cp '{kit.install('jars', [JAVA], pom)}/*' it.unimi.dsi.webgraph"
    kit.path.append(kit.install("cargo", [RUST], lambda folder: [
        ["cargo", "install", "--quiet", "webgraph-cli", "--version", RUST, "--root", folder]]) + "/bin")

    def check(case, links, found):
        kit.count("cases", int(found == links), 1, [f"{case}: {len(found)} links of {len(links)}"])

    def check_ours(name, base, n, links):
        said = kit.run(f"millrace convert {base}.graph {base}.mtx --force --quiet 2>&1 && cat {base}.mtx || echo refused")
        rows = [tuple(map(int, line.split())) for line in said.splitlines() if line[:1].isdigit()]
        size = rows[0][0] if rows else 0
        check(f"Millrace reads {base}", (n, links), (size, {(i - 1, j - 1) for i, j in rows[1:]}))

    for name, n, links in graphs():
        kit.write(f"{name}.txt.mtx", f"%%MatrixMarket matrix coordinate pattern general\n{n} {n} {len(links)}\n" +
                  "".join(f"{i + 1} {j + 1}\n" for i, j in sorted(links)))
        kit.write(f"{name}.graph-txt", f"{n}\n" + "".join(" ".join(map(str, targets)) + "\n" for targets in rows_of(n, links)))
        kit.run(f"millrace convert {name}.txt.mtx ours-{name}.graph --quiet")
        kit.run(f"{java}.ASCIIGraph -g BVGraph ours-{name} read-{name} 2>&1")
        check(f"Java reads {name}", links, read_ascii(kit.read(f"read-{name}.graph-txt"), 1))
        kit.run(f"webgraph to arcs ours-{name} 2>log >read-{name}.arcs || cat log")
        check(f"Rust reads {name}", links, {tuple(map(int, line.split())) for line in kit.read(f"read-{name}.arcs").splitlines()})
        for i, options in enumerate(JAVA_WRITES):
            kit.run(f"{java}.BVGraph -t 1 -g ASCIIGraph {options} {name} java-{name}-{i} 2>&1")
            check_ours(f"java {options}", f"java-{name}-{i}", n, links)
        for i, options in enumerate(RUST_WRITES):
            kit.run(f"webgraph to bvgraph -s java-{name}-0 rust-{name}-{i} {options} 2>&1")
            check_ours(f"rust {options}", f"rust-{name}-{i}", n, links)


def rows_of(n, links):
    rows = [[] for _ in range(n)]
    for i, j in sorted(links):
        rows[i].append(j)
    return rows
