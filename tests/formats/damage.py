#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damages files of Nutch and Heritrix in many ways, and looks what Millrace makes of each.

    damage.py N FILE...    N cuts and N flipped bits of each FILE; of a SequenceFile a tenth with Hadoop's checksums beside it

MILLRACE is the program. Of each file: how many ended with an error, how many made the same graph, and how many made another
one. Another graph is allowed where the format has no check: a cut between records, and flips in bytes that are not compressed,
or by a codec without a checksum (Snappy; zstd as Hadoop writes it). With checksums, and in a .gz, there is none. Exits with 1
for others, and stops at an exit code that is neither 0 nor 3.
"""
import os
import random
import struct
import subprocess
import sys
import zlib

PROGRAM = os.environ["MILLRACE"]
GZIP = b"\x1f\x8b"


def graph(name):
    """The links and the facts of the pages of the file `name` here; None if it is refused."""
    built = subprocess.run([PROGRAM, "build", "-q", "-f", "-o", "damaged.mill", name, "links.txt"], capture_output=True, text=True)
    if built.returncode != 0:
        assert built.returncode == 3 and built.stderr.startswith("millrace: "), (name, built.returncode, built.stderr)
        return None
    return [subprocess.run([PROGRAM, "export", "damaged.mill", "--to", to], capture_output=True, check=True).stdout
            for to in ("urls", "pages")]


def sums(data):
    """Hadoop's .crc of a file."""
    return b"crc\0" + struct.pack(">i", 512) + \
        b"".join(struct.pack(">I", zlib.crc32(data[at:at + 512])) for at in range(0, len(data), 512))


def cuts(data, n, rng):
    for size in rng.sample(range(1, len(data)), min(n, len(data) - 1)):  # a file of 0 bytes is an empty list
        yield data[:size]


def flips(data, n, rng):
    for at in rng.sample(range(8 * len(data)), min(n, 8 * len(data))):
        flipped = bytearray(data)
        flipped[at // 8] ^= 1 << at % 8
        yield bytes(flipped)


def is_checked(data):
    """Are all links of the file inside a compression that has a checksum?"""
    head = data[:400]
    return head.startswith(GZIP) or b"Text" in head and head[head.index(b"\x01"):][:2] == b"\x01\x01" and \
        any(codec in head for codec in (b"DefaultCodec", b"DeflateCodec", b"GzipCodec", b"BZip2Codec"))


def main():
    n, bad = int(sys.argv[1]), 0
    open("links.txt", "w").write("http://p.org/ http://p.org/old\n")
    print("file, cuts: refused same other, flips: refused same other, with checksums: refused same other")
    for path in sys.argv[2:]:
        data, rng = open(path, "rb").read(), random.Random(7)
        beside = ".damaged.crc"
        counts = []
        ways = [(cuts, False), (flips, False), (lambda *of: [*cuts(*of), *flips(*of)], True)]
        for make, with_sums in ways[:3 if data.startswith(b"SEQ") else 2]:
            open("damaged", "wb").write(data)
            good = graph("damaged")
            assert good is not None, path
            if with_sums:
                open(beside, "wb").write(sums(data))
            refused = same = other = 0
            for damaged in make(data, n // 10 if with_sums else n, rng):
                open("damaged", "wb").write(damaged)
                found = graph("damaged")
                refused += found is None
                same += found == good
                other += found is not None and found != good
            counts.append((refused, same, other))
            if with_sums:
                os.remove(beside)
        wrong = counts[1][2] if is_checked(data) else 0
        wrong += sum(counts[2][1:]) if len(counts) > 2 else 0
        wrong += sum(counts[0][1:]) if data.startswith(GZIP) else 0
        bad += wrong
        print(os.path.basename(path), *(c for count in counts for c in count), "WRONG" if wrong else "", sep="\t", flush=True)
    sys.exit(bad > 0)


main()
