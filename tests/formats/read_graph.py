#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Graph files of other programs, read independently of the library: written from the formats' own
descriptions, slow and plain. Prints "source target" per line, sorted, vertices from 0.

    read_graph.py FORMAT FILE
    read_graph.py --weights FORMAT FILE   "source target weight", the weights of a link told several times
                                          added up; nothing where there are none or one is not above 0

    read_graph.py --serve                 each line of standard input is an OUTPUT and the arguments above,
                                          separated by tabs; answers "ok" or what is wrong

FORMAT: bvgraph (big-endian, any code of WebGraph's flags), u32, u64, mtx, npy, sg, metis,
ascii-graph, edges, wel.
"""
import ast
import struct
import sys


class Bits:
    """Most significant bit first."""

    def __init__(self, data):
        self.length = 8 * len(data)
        self.at = 0
        # Shifts of one huge integer would be slow: read looks at a window of bytes.
        self.data = data

    def read(self, n):
        first, last = self.at >> 3, (self.at + n + 7) >> 3
        window = int.from_bytes(self.data[first:last], "big")
        window >>= 8 * last - self.at - n
        self.at += n
        return window & ((1 << n) - 1)

    def unary(self):
        zeros = 0
        while self.read(1) == 0:
            zeros += 1
            if self.at > self.length:
                raise ValueError("beyond the end")
        return zeros

    def gamma(self):
        length = self.unary()
        return (1 << length) + self.read(length) - 1

    def delta(self):
        length = self.gamma()
        return (1 << length) + self.read(length) - 1

    def zeta(self, k):
        h = self.unary()
        left = 1 << (h * k)
        m = self.read(h * k + k - 1)
        return m + left - 1 if m < left else (m << 1 | self.read(1)) - 1

    def nibble(self):
        value = 0
        while True:
            stop = self.read(1)
            value = value << 3 | self.read(3)
            if stop:
                return value

    def golomb(self, modulus):
        quotient = self.unary()
        length = modulus.bit_length() - 1
        rest = self.read(length)
        limit = (2 << length) - modulus
        if rest >= limit:
            rest = (rest << 1 | self.read(1)) - limit
        return quotient * modulus + rest

    def code(self, name, k):
        if name in ("ZETA", "GOLOMB"):
            return getattr(self, name.lower())(k)
        return getattr(self, name.lower())()


def signed(code):
    return code >> 1 if code & 1 == 0 else -(code + 1 >> 1)


def bvgraph(path):
    base = path[: -len(".graph")] if path.endswith(".graph") else path
    properties = {}
    for line in open(base + ".properties", encoding="latin-1"):
        if "=" in line and line[0] not in "#!":
            key, value = line.split("=", 1)
            properties[key.strip()] = value.strip()
    k = int(properties.get("zetak", 3))
    window = int(properties.get("windowsize", 7))
    least = int(properties.get("minintervallength", 4))
    codes = dict(OUTDEGREES="GAMMA", REFERENCES="UNARY", BLOCK_COUNT="GAMMA", BLOCKS="GAMMA",
                 RESIDUALS="ZETA", OFFSETS="GAMMA")
    for flag in properties.get("compressionflags", "").split("|"):
        if flag.strip():
            field, name = flag.strip().rsplit("_", 1)
            codes[field] = name
    bits = Bits(open(base + ".graph", "rb").read())
    lists = []
    starts = [0]
    for node in range(int(properties["nodes"])):
        degree = bits.code(codes["OUTDEGREES"], k)
        out = []
        if degree > 0:
            reference = bits.code(codes["REFERENCES"], k) if window > 0 else 0
            if reference > 0:
                rest = lists[node - reference]
                blocks = [bits.code(codes["BLOCKS"], k) + (i > 0)
                          for i in range(bits.code(codes["BLOCK_COUNT"], k))]
                for i, length in enumerate(blocks + [len(rest)] * (len(blocks) % 2 == 0)):
                    if i % 2 == 0:
                        out += rest[:length]
                    rest = rest[length:]
            if len(out) < degree and least > 0:
                end = None
                for _ in range(bits.gamma()):
                    gap = bits.gamma()
                    left = node + signed(gap) if end is None else end + 1 + gap
                    length = bits.gamma() + least
                    out += range(left, left + length)
                    end = left + length
            at = None
            for _ in range(degree - len(out)):
                gap = bits.code(codes["RESIDUALS"], k)
                at = node + signed(gap) if at is None else at + gap + 1
                out.append(at)
            out.sort()
        assert len(out) == degree == len(set(out))
        lists.append(out)
        starts.append(bits.at)
    assert bits.length - bits.at < 64, "bits left over"
    assert sum(map(len, lists)) == int(properties["arcs"])
    try:
        offsets = Bits(open(base + ".offsets", "rb").read())
    except FileNotFoundError:
        offsets = None
    if offsets is not None:
        at = 0
        for start in starts:
            at += offsets.code(codes["OFFSETS"], k)
            assert at == start, f"offset {at} instead of {start}"
    return [(u, v) for u, out in enumerate(lists) for v in out]


def pairs(path, letter):
    size = 2 * struct.calcsize(letter)
    data = open(path, "rb").read()
    assert len(data) % size == 0
    return list(struct.iter_unpack("<2" + letter, data))


def mtx(path):
    lines = open(path).read().split("\n")
    header = lines[0].lower().split()
    rows = [line.split() for line in lines if line.strip() and line[0] != "%"]
    if header[0] != "%%matrixmarket":  # GraphBLAS takes it for a real one then, dense where it has two sizes
        header = ["", "", "coordinate" if len(rows[0]) == 3 else "array", "real", "general"]
    if header[2] == "array":
        height, width = map(int, rows[0])
        below = {"general": 0, "skew-symmetric": 1}  # from which row of a column on; symmetric: the diagonal
        first = [0 if header[4] == "general" else j + below.get(header[4], 0) for j in range(width)]
        places = [(i, j) for j in range(width) for i in range(first[j], height)]
        assert len(places) == len(rows) - 1
        entries = [(i, j, value) for (i, j), value in zip(places, rows[1:]) if any(map(float, value))]
    else:
        assert len(rows) - 1 == int(rows[0][2])
        entries = [(int(row[0]) - 1, int(row[1]) - 1, row[2:]) for row in rows[1:]]
    edges = []
    for i, j, value in entries:
        weight = value[:1] if header[3] in ("real", "integer") else []
        edges.append((i, j, *weight))
        if header[4] != "general" and i != j:
            edges.append((j, i, *("-" + w if header[4] == "skew-symmetric" else w for w in weight)))
    return edges


def npy(path):
    data = open(path, "rb").read()
    assert data[:6] == b"\x93NUMPY" and data[6] == 1
    end = 10 + struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:end].decode().strip())
    assert end % 64 == 0 and data[end - 1] == 10
    numbers = [x[0] for x in struct.iter_unpack(header["descr"].replace("i8", "q").replace(
        "i4", "i").replace("u4", "I").replace("u8", "Q"), data[end:])]
    rows, columns = header["shape"]
    assert len(numbers) == rows * columns
    fortran = header["fortran_order"]

    def at(i, j):
        return numbers[j * rows + i] if fortran else numbers[i * columns + j]

    if columns == 2:
        return [(at(i, 0), at(i, 1)) for i in range(rows)]
    return [(at(0, j), at(1, j)) for j in range(columns)]


def sg(path):
    data = open(path, "rb").read()
    directed, m, n = struct.unpack("<?qq", data[:17])
    assert len(data) == 17 + (1 + directed) * (8 * (n + 1) + 4 * m)

    def block(at):
        offsets = struct.unpack(f"<{n + 1}q", data[at : at + 8 * (n + 1)])
        at += 8 * (n + 1)
        others = list(struct.iter_unpack("<i", data[at : at + 4 * m]))
        assert offsets[0] == 0 and offsets[-1] == m
        return [(v, *other) for v in range(n) for other in others[offsets[v] : offsets[v + 1]]]

    out = block(17)
    if directed:
        into = block(17 + 8 * (n + 1) + 4 * m)
        assert sorted(out) == sorted((u, v) for v, u in into), "the two directions disagree"
    else:
        assert sorted(out) == sorted((v, u) for u, v in out), "not symmetric"
    return out


def metis(path):
    lines = [line for line in open(path).read().split("\n") if not line.startswith("%")]
    header = lines[0].split()
    weighted = len(header) > 2 and int(header[2]) % 10 == 1
    lists = [line.split() for line in lines[1 : 1 + int(header[0])]]
    if weighted:
        return [(u, int(v) - 1, w) for u, out in enumerate(lists) for v, w in zip(out[::2], out[1::2])]
    return [(u, int(v) - 1) for u, out in enumerate(lists) for v in out]


def ascii_graph(path):
    lines = open(path).read().split("\n")
    return [(u, int(v)) for u in range(int(lines[0])) for v in lines[1 + u].split()]


def edges(path):
    rows = [line.split() for line in open(path) if line.strip() and line[0] not in "#%"]
    return [(int(row[0]), int(row[1]), *row[2:3]) for row in rows]


def is_link(weight):
    """A weight of 0 is no link."""
    return not weight or float(weight[0]) != 0


def weighted_lines(edges):
    sums = {}
    for u, v, *weight in edges:
        if not is_link(weight):
            continue
        if not weight or not 0 < float(weight[0]) < float("inf"):
            return ""
        sums.setdefault((u, v), []).append(struct.unpack("<f", struct.pack("<f", float(weight[0])))[0])
    return "".join("%d %d %.9g\n" % (u, v, struct.unpack("<f", struct.pack("<f", sum(sorted(weights))))[0])
                   for (u, v), weights in sorted(sums.items()))


READERS = {
    "bvgraph": bvgraph,
    "u32": lambda path: pairs(path, "I"),
    "u64": lambda path: pairs(path, "Q"),
    "mtx": mtx,
    "npy": npy,
    "sg": sg,
    "metis": metis,
    "ascii-graph": ascii_graph,
    "edges": edges,
    "wel": edges,
}


def lines_of(arguments):
    if arguments[0] == "--weights":
        return weighted_lines(READERS[arguments[1]](arguments[2]))
    found = sorted((u, v) for u, v, *weight in READERS[arguments[0]](arguments[1]) if is_link(weight))
    return "".join(f"{u} {v}\n" for u, v in found)


def serve():
    for line in sys.stdin:
        output, *arguments = line.rstrip("\n").split("\t")
        try:
            text = lines_of(arguments)
            with open(output, "w") as out:
                out.write(text)
            print("ok", flush=True)
        except Exception as error:  # whatever it is, the script has to hear of it
            print(repr(error).replace("\n", " "), flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        sys.stdout.write(lines_of(sys.argv[1:]))
