#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stores with right checksums and hostile contents.

    hostile_stores.py [--cases N] [--seed S] STORE...

Takes intact stores and changes numbers in them: counts, offsets, sizes, ids, figures, headers of blocks,
and payloads (overlong numbers, streams that end early or late, keys out of range, names that ascend
wrongly). Then it makes every checksum right again. It knows the layout from docs/store-format.md alone
and shares only XXH3 with tests/reader/read_store.py. MILLRACE (best built with sanitizers) checks, ranks,
queries and exports each store. It must never crash, hang, or take more memory than --memory allows.
"""

import argparse
import collections
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reader"))
from read_store import xxh3

MEMORY_MIB = 64
SLACK_MIB = 64
TIMEOUT_S = 600
COMMANDS = (
    "check {} --full --quiet",
    "pagerank {} --iterations 3 --quiet",
    "salsa {} --quiet",
    "export {} --to edges",
    "show {} 3 --links-in --links-out",
    "show {} http://h1.example/p1",
    "find {} h1",
    "hosts {}",
)
# Section 4: (offset, bytes) of the fields of the manifest.
MANIFEST = [(12, 4), *[(at, 8) for at in range(16, 72, 8)], *[(at, 4) for at in range(72, 88, 4)],
            *[(at, 8) for at in range(88, 120, 8)], *[(at, 4) for at in range(120, 136, 4)],
            *[(at, 8) for at in range(136, 240, 8)], (240, 4), (244, 4), (248, 8), (256, 4), (264, 8), (312, 8),
            (320, 8)]
# Section 5: the nine lists and the (offset, bytes) of the fields of their items.
ENTRY = [(0, 8), (8, 4), (12, 4), (16, 4), (20, 4), (24, 8)]
LISTS = [(128, [(0, 4), (4, 4), *[(at, 8) for at in range(8, 128, 8)]]),
         (64, [(0, 4), (4, 4), *[(at, 8) for at in range(8, 64, 8)]]),
         *[(32, [(at, 8) for at in range(0, 32, 8)])] * 2,
         (40, [(at, 8) for at in range(0, 40, 8)]), *[(32, ENTRY)] * 3, (1, [(0, 1)])]
# Section 6: of the header of a block.
BLOCK = [(12, 1), (13, 1), (14, 2), (16, 8), (24, 4), (28, 4), (32, 4), (36, 4), (40, 4), (44, 4),
         (48, 8), (56, 8)]


class Store:
    def __init__(self, path):
        self.name, self.files = os.path.basename(path), {}
        for name in sorted(os.listdir(path)):
            with open(os.path.join(path, name), "rb") as file:
                self.files[name] = bytearray(file.read())

    def copy(self):
        other = Store.__new__(Store)
        other.name, other.files = self.name, {n: bytearray(d) for n, d in self.files.items()}
        return other

    def blocks(self, name):
        """Where the blocks of a file begin, by their own sizes."""
        data, at = self.files[name], 0
        while at + 64 <= len(data):
            size = struct.unpack_from("<I", data, at + 24)[0]
            if size < 64 or at + size > len(data):
                return
            yield at, size
            at += size

    def files_of_blocks(self):
        return [n for n in self.files if "MANIFEST" not in n and "index." not in n
                and any(True for _ in self.blocks(n))]

    def seal(self, blocks=()):
        """Makes checksums right: of the blocks [(file, offset, size)], the indexes, the manifests."""
        for name, at, size in blocks:
            struct.pack_into("<Q", self.files[name], at, xxh3(bytes(self.files[name][at + 8:at + size])))
        for prefix in ("weights.", ""):
            manifest = self.files.get(prefix + "MANIFEST")
            if manifest is None:
                continue
            index = self.files.get(f"{prefix}index.1")
            if index is not None and len(index) > 16:
                struct.pack_into("<Q", manifest, 168, xxh3(bytes(index)))
                # Only sizes that were right stay right; a hostile size stays hostile.
            if prefix == "" and "weights.MANIFEST" in self.files:
                manifest[224:232] = self.files["weights.MANIFEST"][504:512]
            struct.pack_into("<Q", manifest, 504, xxh3(bytes(manifest[:504])))

    def write(self, directory):
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        for name, data in self.files.items():
            with open(os.path.join(directory, name), "wb") as file:
                file.write(data)


def hostile(dice, old, size):
    top = (1 << 8 * size) - 1
    return dice.choice([0, 1, old + 1, old - 1, old * 2, 2 * old + 1, old + 64, old + 4096, old ^ 1,
                        1 << 31, (1 << 32) - 1, 1 << 32, (1 << 48) + 1, 1 << 63, top, top - 1,
                        top // 2, 255, 256, dice.getrandbits(8 * size)]) & top


def change(dice, data, at, size):
    old = int.from_bytes(data[at:at + size], "little")
    new = hostile(dice, old, size)
    data[at:at + size] = new.to_bytes(size, "little")
    return f"{old:#x} -> {new:#x}"


def change_manifest(dice, store):
    name = dice.choice([n for n in store.files if n.endswith("MANIFEST")])
    at, size = dice.choice(MANIFEST)
    what = change(dice, store.files[name], at, size)
    return f"{name} offset {at}: {what}", ()


def change_index(dice, store):
    name = dice.choice([n for n in store.files if "index." in n])
    data = store.files[name]
    counts = struct.unpack_from("<9Q", data, 16)
    places = [(16 + 8 * i, 8) for i in range(9)]
    at = 88
    for n, (size, fields) in zip(counts, LISTS):
        places += [(at + i * size + f, w) for i in range(n) for f, w in fields]
        at += n * size
    lists = [p for p in places if p[0] + p[1] <= len(data)]
    at, size = dice.choice(lists)
    return f"{name} offset {at}: {change(dice, data, at, size)}", ()


def change_block(dice, store):
    """A field of a header, here and mostly in the index, too, so that they agree."""
    name = dice.choice(store.files_of_blocks())
    at, size = dice.choice(list(store.blocks(name)))
    field, width = dice.choice(BLOCK)
    before = bytes(store.files[name][at:at + 64])
    what = change(dice, store.files[name], at + field, width)
    after = store.files[name]
    if dice.random() < 0.7:  # the entry of the index: offset, sizes, first, last, n_entries
        def entry(b):
            return b[24:28] + b[32:36] + b[40:48] + b[48:56]
        prefix = "weights." if name.startswith("weights.") else ""
        for index in (n for n in store.files if n.startswith(prefix + "index.")):
            found = store.files[index].find(struct.pack("<Q", at) + entry(before))
            if found >= 0:
                store.files[index][found + 8:found + 32] = entry(after[at:at + 64])
    return f"{name} block at {at} field {field}: {what}", [(name, at, size)]


def change_payload(dice, store):
    name = dice.choice(store.files_of_blocks())
    at, size = dice.choice(list(store.blocks(name)))
    data = store.files[name]
    n = struct.unpack_from("<I", data, at + 28)[0]
    if n == 0 or n > size - 64:
        return f"{name}: nothing", ()
    where = at + 64 + dice.choice([0, 1, 2, 3, 4, 5, 6, 7, dice.randrange(n), dice.randrange(n), n - 1]) % n
    kind = dice.randrange(6)
    end = at + 64 + n
    if kind == 0:  # an overlong number
        run = bytes([0xFF] * dice.choice([1, 4, 5, 9, 10, 20]))
        data[where:min(end, where + len(run))] = run[:end - where]
    elif kind == 1:
        data[where] = dice.choice([0, 1, 0x7F, 0x80, 0xFF, data[where] ^ 1, data[where] ^ 0x80])
    elif kind == 2:  # the stream ends inside a number
        data[end - 1] |= 0x80
    elif kind == 3:  # a byte more or less in the middle: all later numbers move
        data[where:end] = bytes([dice.randrange(256)]) + data[where:end - 1]
    elif kind == 4:
        data[where:end] = bytes(dice.randrange(256) for _ in range(end - where))
    else:
        data[where:end] = bytes(end - where)
    return f"{name} block at {at}, payload byte {where - at - 64}, kind {kind}", [(name, at, size)]


CHANGES = (change_manifest, change_index, change_index, change_block, change_payload, change_payload,
           change_payload)


def limit_nothing_but_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, store):
    words = command.format(store).split()
    done = subprocess.Popen(
        [os.environ["MILLRACE"], *words, "--memory", f"{MEMORY_MIB}Mi", "--threads", "2"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        preexec_fn=limit_nothing_but_core)
    try:
        _, stderr = done.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        done.kill()
        done.communicate()
        return "hangs", ""
    stderr = stderr.decode(errors="replace")
    if done.returncode < 0 or done.returncode > 6 or "Sanitizer" in stderr or "runtime error" in stderr:
        return f"crash {done.returncode}", stderr[:2000]
    if done.returncode != 0 and not stderr.startswith("millrace: "):
        return f"exit {done.returncode} without a message", stderr[:500]
    return done.returncode, stderr


def peak_mib():
    """Of all commands so far that ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("stores", nargs="+")
    options = parser.parse_args()
    sanitized = "asan" in os.environ["MILLRACE"]
    dice = random.Random(options.seed)
    stores = [Store(path) for path in options.stores]
    root = tempfile.mkdtemp(prefix="hostile-", dir=os.environ.get("TMPDIR"))
    path = os.path.join(root, "hostile.mill")
    results, failures, began = collections.Counter(), 0, time.time()
    os.environ.setdefault("ASAN_OPTIONS", "allocator_may_return_null=1:quarantine_size_mb=8")
    try:
        for case in range(options.cases):
            store = dice.choice(stores).copy()
            if dice.random() < 0.02:  # the changer itself is right: an unchanged store passes
                what, blocks = "nothing", ()
            else:
                changes = CHANGES if store.files_of_blocks() else CHANGES[:3]
                what, blocks = dice.choice(changes)(dice, store)
            store.seal(blocks)
            for command in (COMMANDS[0], dice.choice(COMMANDS[1:])):
                store.write(path)
                result, text = run(command, path)
                results[result] += 1
                wrong = isinstance(result, str) or (what == "nothing" and result != 0 and
                                                    command == COMMANDS[0])
                if peak_mib() > MEMORY_MIB + SLACK_MIB and not sanitized:
                    wrong, result = True, f"{peak_mib():.0f} MiB"
                if wrong:
                    failures += 1
                    print(f"FAILED: case {case}, {store.name}: {what}: {command}: {result}\n{text}")
    finally:
        shutil.rmtree(root, ignore_errors=True)
    print(f"{options.cases} stores, {sum(results.values())} commands: "
          + ", ".join(f"{n} with exit code {c}" for c, n in sorted(results.items(), key=str))
          + f"; peak {peak_mib():.0f} MiB; {failures} failures, {time.time() - began:.0f} s")
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()
