#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every format that is read and written, against readers in Python that share nothing with the library:
# out and in again, in from files that Python wrote, and a graph through every pair of formats.
. "$(dirname "$0")/../helpers.sh"

command -v python3 >/dev/null || { echo "no python3"; exit 77; }

# links OUT STORE: the links of a store by the numbers of its vertices, as read_graph has them.
links() {
    must export "$2" --to u32 -o links.u32 --force
    read_graph "$1" u32 links.u32
}

# Graphs of every shape: empty rows, self-loops, runs, copies of the row before, a hub.
python3 - <<'END'
import random

random.seed(8)
n = 3000
rows, previous = [], []
for v in range(n):
    row = set()
    kind = random.random()
    if kind < 0.2:
        row = set()
    elif kind < 0.6 and previous:
        row = {t for t in previous if random.random() < 0.8}
    if kind > 0.15:
        start = random.randrange(n)
        row |= set(range(start, min(n, start + random.randrange(9))))
        row |= {random.randrange(n) for _ in range(random.randrange(6))}
    if v % 700 == 3:
        row |= set(random.sample(range(n), 900))
    previous = sorted(row)
    rows.append(previous)
rows[-1] = sorted(set(rows[-1]) | {n - 1})
edges = [(u, v) for u in range(n) for v in rows[u]]
with open("truth", "w") as out:
    out.write("".join(f"{u} {v}\n" for u, v in sorted(edges)))
with open("in.graph-txt", "w") as out:
    out.write(f"{n}\n" + "".join(" ".join(map(str, row)) + "\n" for row in rows))
with open("in.metis", "w") as out:
    out.write(f"% a comment\n{n} {len(edges)}\n")
    out.write("".join(" ".join(str(t + 1) for t in row) + "\n" for row in rows))
random.shuffle(edges)
with open("in.csv", "w") as out:
    out.write("weight,Target,note,Source\n")
    out.write("".join(f'1.5,{v},"a, ""b""",{u}\n' for u, v in edges))
import struct

for name, layout in [("u32", "<II"), ("u64", "<QQ"), ("u32be", ">II"), ("u64be", ">QQ")]:
    with open(f"in.{name}", "wb") as out:
        for u, v in edges:
            out.write(struct.pack(layout, u, v))


def npy(name, descr, order, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(name, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


us, vs = [u for u, _ in edges], [v for _, v in edges]
m = len(edges)
flat = [x for edge in edges for x in edge]
npy("rows.npy", "<i8", False, (m, 2), struct.pack(f"<{2 * m}q", *flat))
npy("halves.npy", "<i4", False, (2, m), struct.pack(f"<{2 * m}i", *us, *vs))
npy("big.npy", ">u8", True, (2, m), struct.pack(f">{2 * m}Q", *flat))
npy("columns.npy", "<u4", True, (m, 2), struct.pack(f"<{2 * m}I", *us, *vs))
END

# in_is FORMAT FILE [OPTION...]: what the program reads is what Python wrote.
in_is() {
    local file=$2
    must build --quiet --force --json -o in.mill "$file" --vertices 3000 "${@:3}" >figures
    [ "$(field figures format)" = "$1" ] || fail "$file: taken for $(field figures format)"
    same in.mill/links.1 graph.mill/links.1 "$file in"
}
must build --quiet -o graph.mill in.graph-txt
links found graph.mill
same found truth "ascii-graph in"
in_is metis in.metis
in_is csv in.csv
in_is u32 in.u32
in_is u64 in.u64
for name in rows halves big columns; do
    in_is npy $name.npy
done
for name in u32be u64be; do
    in_is $name in.$name --format $name
done
gzip -k in.graph-txt in.u64 in.csv rows.npy
in_is ascii-graph in.graph-txt.gz
in_is u64 in.u64.gz
in_is csv in.csv.gz
in_is npy rows.npy.gz

# Out, read by Python; and in again, to the very bytes of the store.
for format in u32 u64 edges mtx npy sg bvgraph; do
    out=out.$format
    [ $format != bvgraph ] || out=out.graph
    must export graph.mill --to $format -o $out
    read_graph found $format $out
    same found truth "$format out"
    must build --quiet --force -o again.mill $out --vertices 3000
    same again.mill/links.1 graph.mill/links.1 "$format out and in"
done
# A symmetric graph: .sg keeps one direction.
must build --quiet --undirected -o both.mill in.graph-txt
links truth2 both.mill
must export both.mill -o both.sg
read_graph found sg both.sg
same found truth2 "symmetric sg"

# Transposed on the way in, by lists of both kinds.
must build --quiet --transpose -o reversed.mill out.graph
must export reversed.mill -o reversed.graph
read_graph back bvgraph reversed.graph
awk '{ print $2, $1 }' back | sort -n -k1,1 -k2,2 >found
same found truth "reversed"

# A conversion gives what the export gave that Python has read.
convert() {
    must convert --quiet --force "$1" "$2" --vertices 3000
    same "$2" "out.${2#c.}" "$1 to $2"
}
for input in in.metis out.u32 out.mtx out.npy out.sg out.graph; do
    convert $input c.u32
    convert $input c.graph
done
for output in c.mtx c.npy c.sg; do
    convert in.graph-txt $output
    convert out.graph $output
done

# Little memory and several threads change no byte of a list.
must convert --quiet in.graph-txt small.graph --memory 40M --threads 3
same small.graph out.graph "converted in little memory"

# A part of it: by Python too.
awk 'BEGIN { for (v = 5; v < 3000; v += 7) print v }' >some
must export graph.mill --vertex-list some --names some.names -o some.graph
same some.names some "names of a part"
read_graph found bvgraph some.graph
awk 'NR == FNR { new[$1] = FNR - 1; next } ($1 in new) && ($2 in new) { print new[$1], new[$2] }' \
    some truth >expected
same found expected "a part"
must export graph.mill --vertex-list some -o some.txt
read_graph found edges some.txt
awk 'NR == FNR { new[$1]; next } ($1 in new) && ($2 in new)' some truth >expected
same found expected "a part, by its own numbers"

finish "every format read and written"
