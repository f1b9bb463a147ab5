#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every two formats as two inputs of one graph: the links of both, or a refusal that names both files.

    mixes.py MILLRACE DIRECTORY

What each sample has is written down here by hand. Inputs whose pages mean the same must give the union: all that have
names, and all numbers that lines or records give as they are. Formats that number the pages of a graph from 0 or 1 on
go together with themselves alone.
"""
import itertools
import json
import os
import pathlib
import struct
import subprocess
import sys

program, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])


def warc(kind, content_type, uri, body):
    body = body.encode()
    head = (f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
            f"WARC-Record-ID: <urn:uuid:1>\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n")
    return head.encode() + body + b"\r\n\r\n"


def page(letter):
    return f'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href="http://{letter}.x/1">x</a>'


def npy(pairs):
    shape = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({len(pairs)}, 2), }}"
    header = shape.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(
        f"<{2 * len(pairs)}q", *itertools.chain(*pairs))


WAT = json.dumps({"Envelope": {
    "WARC-Header-Metadata": {"WARC-Type": "response", "WARC-Target-URI": "http://t.x/"},
    "Payload-Metadata": {"HTTP-Response-Metadata": {
        "Response-Message": {"Status": "200"}, "Headers": {"Content-Type": "text/html"},
        "HTML-Metadata": {"Links": [{"path": "A@/href", "url": "http://t.x/1"}]}}}}})
ARC = page("k")
ARC_HEAD = "1 0 X\nURL IP-address Archive-date Content-type Archive-length\n"
NAMES = {  # file: bytes; each has one link, from http://LETTER.x/ to http://LETTER.x/1
    "u.txt": b"http://u.x/ http://u.x/1\n",
    "c.csv": b"source,target\nhttp://c.x/,http://c.x/1\n",
    "j.jsonl": b'{"url": "http://j.x/", "links": ["http://j.x/1"]}\n',
    "n.dump": b"http://n.x/1\tInlinks:\n fromUrl: http://n.x/ anchor: A\n\n",
    "l.log": b"2011-06-23T17:12:08.802Z   200       1299 http://l.x/1 L http://l.x/ text/html #014 "
             b"20110623171208574+225 sha1:Y - -\n",
    "h.txt": b"http://h.x/ 0.5 O:http://h.x/1\n",
    "d.cdxj": b'x,d)/ 20200101000000 {"url": "http://d.x/", "status": "301", "redirect": "http://d.x/1"}\n',
    "w.warc": warc("response", "application/http; msgtype=response", "http://w.x/", page("w")),
    "t.wat": warc("metadata", "application/json", "http://t.x/", WAT),
    "k.arc": f"filedesc://k.arc 0.0.0.0 20200101000000 text/plain {len(ARC_HEAD)}\n{ARC_HEAD}\n"
             f"http://k.x/ 127.0.0.1 20200101000000 text/html {len(ARC)}\n{ARC}\n".encode(),
}
NUMBERS = {  # each has the links 2 -> 3 and 3 -> 1
    "edges.txt": b"2 3\n3 1\n",
    "numbers.csv": b"target,source\n3,2\n1,3\n",
    "weights.wel": b"2 3 0.5\n3 1 1.5\n",
    "raw.u32": struct.pack("<4I", 2, 3, 3, 1),
    "raw.u64": struct.pack("<4Q", 2, 3, 3, 1),
    "pairs.npy": npy([(2, 3), (3, 1)]),
}
GRAPHS = {  # each has the links 0 -> 1 and 1 -> 2, counted from 0
    "m.mtx": b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n",
    "m.graph": b"3 2\n2\n3\n\n",
}
CONVERTED = {"b.sg": "sg", "bv.graph": "bvgraph"}
REVERSED = {"v.txt": b"0\tcom.example\n1\torg.example\n", "e.txt": b"0\t1\n"}  # of Common Crawl, in this order


def run(*words):
    return subprocess.run([program, *words], cwd=root, capture_output=True, text=True, check=False)


def build(*inputs):
    return run("build", "--quiet", "--force", "-o", "s.mill", *inputs)


def links():
    done = run("export", "s.mill", "--quiet", "--force", "--to", "u32", "-o", "e.u32", "--names", "e.names")
    if done.returncode:
        sys.exit(done.stderr)
    names = (root / "e.names").read_text().split("\n")
    return sorted((names[a], names[b]) for a, b in struct.iter_unpack("<II", (root / "e.u32").read_bytes()))


failures = 0


def fail(*words):
    global failures
    failures += 1
    print("FAILED:", *words)


def expect(inputs, wanted):
    done = build(*inputs)
    if done.returncode:
        fail(*inputs, "ended with", done.returncode, done.stderr)
    elif links() != sorted(wanted):
        fail(*inputs, "gave", links(), "and not", sorted(wanted))


def refuse(inputs, *needed):
    done = build(*inputs)
    if done.returncode != 3 or any(word not in done.stderr for word in needed):
        fail(*inputs, "ended with", done.returncode, done.stderr)


for file, data in {**NAMES, **NUMBERS, **GRAPHS, **REVERSED}.items():
    (root / file).write_bytes(data)
(root / "pairs.wel").write_text("0 1 1\n1 2 1\n")
for file, kind in CONVERTED.items():
    made = run("convert", "pairs.wel", file, "--quiet", "--force", "--to", kind)
    if made.returncode:
        sys.exit(made.stderr)

LINKS = {file: [(f"http://{file[0]}.x/", f"http://{file[0]}.x/1")] for file in NAMES}
LINKS.update({file: [("2", "3"), ("3", "1")] for file in NUMBERS})
LINKS.update({file: [("0", "1"), ("1", "2")] for file in [*GRAPHS, *CONVERTED]})
for file, wanted in LINKS.items():
    expect([file], wanted)
for turn, (first, second) in enumerate(itertools.combinations(LINKS, 2)):
    pair = [first, second] if turn % 2 else [second, first]
    if "weights.wel" in pair and first in NUMBERS and second in NUMBERS:
        refuse(pair, "has no weights", "--no-weights")
        expect([*pair, "--no-weights"], set(LINKS[first] + LINKS[second]))
    elif any(first in kind and second in kind for kind in (NAMES, NUMBERS)):
        expect(pair, set(LINKS[first] + LINKS[second]))
    else:
        refuse(pair, first, second, "store of each")
for file in LINKS:  # a web graph of Common Crawl is of hosts, and its files of links belong to it
    if file != "edges.txt":
        refuse(["v.txt", "e.txt", file], file)
expect(["v.txt", "e.txt"], [("com.example", "org.example")])
refuse(["m.mtx", "v.txt", "e.txt"], "m.mtx", "v.txt")

# Empty parts and parts of comments alone go with everything.
for file, text in (("empty", ""), ("comments", "# nothing\n\n")):
    (root / file).write_text(text)
    for other in ("u.txt", "edges.txt", "m.mtx", "w.warc"):
        expect([file, other], LINKS[other])
        expect([other, file], LINKS[other])

# Digits beside URLs: names, if the user says so.
refuse(["u.txt", "edges.txt"], "--format urls")
done = build("--format", "urls", "u.txt", "edges.txt")
if done.returncode or links() != sorted(LINKS["u.txt"] + LINKS["edges.txt"]):
    fail("--format urls", done.stderr)

# --format X of what is plainly something else.
for file, given in (("m.mtx", "edges"), ("pairs.npy", "u64"), ("j.jsonl", "urls"), ("w.warc", "urls"),
                    ("l.log", "urls"), ("h.txt", "urls"), ("n.dump", "urls"), ("d.cdxj", "urls")):
    refuse(["--format", given, file], file, "leave --format out")

# Pipes are read once, in whatever place they stand.
for inputs in ("u.txt -", "- u.txt"):
    done = subprocess.run([program, "build", "--quiet", "--force", "-o", "s.mill", *inputs.split()], cwd=root,
                          input=NAMES["j.jsonl"].decode(), capture_output=True, text=True, check=False)
    if done.returncode or links() != sorted(LINKS["u.txt"] + LINKS["j.jsonl"]):
        fail(inputs, done.stderr)
done = subprocess.run([program, "build", "--quiet", "--force", "-o", "s.mill", "u.txt", "-"], cwd=root,
                      input="1 2\n", capture_output=True, text=True, check=False)
if done.returncode != 3 or "standard input" not in done.stderr:
    fail("numbers from a pipe behind URLs", done.returncode, done.stderr)
sys.exit(failures > 0)
