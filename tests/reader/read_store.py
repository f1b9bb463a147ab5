#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a Millrace store and prints its links: source TAB target, by name, in store order; where they have
weights, TAB weight behind.

    read_store.py STORE        check every byte and every figure of STORE, print its links; on standard
                               error say what was in it
    read_store.py --self-test  check this program's XXH3-64 and the examples of the specification

Written from docs/store-format.md alone, as a proof that it suffices, and as an independent witness for
what the millrace program writes. Needs the standard library, and for compressed blocks Python 3.14 or
the zstd program. It keeps all names and degrees in memory and does about a million links a second at
best: it is for small stores. Exit code: 0, 1 for a store that is damaged or not one, 77 where a
compressed block cannot be decompressed for want of zstd.
"""

import io
import itertools
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

try:
    from compression import zstd as zstd_module  # Python 3.14
except ImportError:
    zstd_module = None


class Refused(Exception):
    """The store is damaged, or not one that this program can read."""


class NoZstd(Exception):
    """Nothing here decompresses zstd."""


def require(condition, what):
    if not condition:
        raise Refused(what)


# ---- XXH3-64 with seed 0 and the default secret, for 17 bytes or more (a store has no shorter input).
# After doc/xxhash_spec.md of the xxHash project.

MASK = (1 << 64) - 1
PRIME32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
PRIME64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
           0x27D4EB2F165667C5)
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")


def two_words(data, at):
    return struct.unpack_from("<2Q", data, at)


def fold(a, b):
    product = a * b
    return (product & MASK) ^ (product >> 64)


def mix16(data, at, secret_at):
    low, high = two_words(data, at)
    secret_low, secret_high = two_words(SECRET, secret_at)
    return fold(low ^ secret_low, high ^ secret_high)


def avalanche(h):
    h ^= h >> 37
    h = (h * 0x165667919E3779F9) & MASK
    return h ^ (h >> 32)


def accumulate(sums, data, at, secret_at):
    words = struct.unpack_from("<8Q", data, at)
    keys = struct.unpack_from("<8Q", SECRET, secret_at)
    for i in range(8):
        key = words[i] ^ keys[i]
        sums[i ^ 1] += words[i]
        sums[i] = (sums[i] + (key & 0xFFFFFFFF) * (key >> 32)) & MASK


def xxh3_long(data):
    size = len(data)
    sums = [PRIME32[2], *PRIME64[0:4], PRIME32[1], PRIME64[4], PRIME32[0]]
    n_blocks = (size - 1) // 1024
    scramblers = struct.unpack_from("<8Q", SECRET, 128)
    for block in range(n_blocks):
        for stripe in range(16):
            accumulate(sums, data, 1024 * block + 64 * stripe, 8 * stripe)
        for i in range(8):
            value = sums[i] & MASK
            sums[i] = ((value ^ (value >> 47) ^ scramblers[i]) * PRIME32[0]) & MASK
    for stripe in range((size - 1 - 1024 * n_blocks) // 64):
        accumulate(sums, data, 1024 * n_blocks + 64 * stripe, 8 * stripe)
    accumulate(sums, data, size - 64, 121)
    result = size * PRIME64[0]
    for i in range(0, 8, 2):
        low, high = two_words(SECRET, 11 + 8 * i)
        result += fold((sums[i] & MASK) ^ low, (sums[i + 1] & MASK) ^ high)
    return avalanche(result & MASK)


def xxh3(data):
    size = len(data)
    assert size > 16
    if size > 240:
        return xxh3_long(data)
    result = size * PRIME64[0]
    if size <= 128:
        for i in range((size - 1) // 32 + 1):
            result += mix16(data, 16 * i, 32 * i)
            result += mix16(data, size - 16 * (i + 1), 32 * i + 16)
        return avalanche(result & MASK)
    for i in range(8):
        result += mix16(data, 16 * i, 16 * i)
    result = avalanche(result & MASK)
    for i in range(8, size // 16):
        result += mix16(data, 16 * i, 16 * (i - 8) + 3)
    result += mix16(data, size - 16, 119)
    return avalanche(result & MASK)


# ---- zstd

def decompress(frame, raw_bytes):
    """At most raw_bytes + 1 bytes of what the frame holds."""
    if zstd_module is not None:
        try:
            return zstd_module.ZstdDecompressor().decompress(frame, raw_bytes + 1)
        except zstd_module.ZstdError as error:
            raise Refused(f"a block does not decompress: {error}") from error
    if shutil.which("zstd") is None:
        raise NoZstd
    with tempfile.TemporaryFile() as file:
        file.write(frame)
        file.seek(0)
        with subprocess.Popen(["zstd", "-dcq"], stdin=file, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:
            raw = process.stdout.read(raw_bytes + 1)
        require(process.returncode == 0, "a block does not decompress")
        return raw


# ---- LEB128

class Stream:
    """Numbers and bytes from data[at:end]."""

    def __init__(self, data, at=0, end=None):
        self.data, self.at, self.end = data, at, len(data) if end is None else end

    def is_over(self):
        return self.at == self.end

    def number(self, bits):
        return self.numbers(bits, 1)[0]

    def numbers(self, bits, count):
        """A loop without calls: all links of a store go through it."""
        data, at, end, values = self.data, self.at, self.end, []
        for _ in range(count):
            value = shift = 0
            while True:
                if at >= end:
                    raise Refused("a number is cut off")
                byte = data[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if value >> bits or (byte >= 128 and shift >= bits):
                    raise Refused(f"a number has more than {bits} bits")
                if byte < 128:
                    break
            values.append(value)
        self.at = at
        return values

    def bytes(self, count):
        require(count <= self.end - self.at, "bytes are cut off")
        self.at += count
        return self.data[self.at - count:self.at]


# ---- Manifest

FIGURES = (("version", 8, "I"), ("one", 12, "I"), ("graph_id", 16, "Q"),
           ("n_vertices", 24, "Q"), ("n_edges", 32, "Q"), ("n_dangling", 40, "Q"),
           ("n_self_loops", 48, "Q"), ("max_out_degree", 56, "Q"), ("max_in_degree", 64, "Q"),
           ("band_bits", 72, "I"), ("stripe_bits", 76, "I"), ("n_bands", 80, "I"),
           ("zstd_level", 84, "I"), ("n_tiles", 88, "Q"), ("keys_tiles", 96, "Q"),
           ("keys_edges", 104, "Q"), ("keys_bytes", 112, "Q"), ("flags", 120, "I"),
           ("name_kind", 124, "I"), ("name_key", 128, "I"), ("n_classes", 132, "I"),
           ("index_bytes", 136, "Q"),
           ("links_bytes", 144, "Q"), ("degrees_bytes", 152, "Q"), ("names_bytes", 160, "Q"),
           ("index_checksum", 168, "Q"), ("corners_tiles", 176, "Q"),
           ("corners_edges", 184, "Q"), ("corners_bytes", 192, "Q"), ("corners_parts", 200, "Q"),
           ("corners_entries", 208, "Q"), ("corners_rows", 216, "Q"), ("weights_id", 224, "Q"),
           ("weights_total", 232, "d"), ("weights_least", 240, "f"), ("weights_most", 244, "f"),
           ("byte_edges", 248, "Q"), ("class_rule", 256, "I"), ("order_id", 264, "Q"),
           ("order_kind", 260, "I"), ("n_sources", 272, "Q"), ("order_vertices", 280, "Q"),
           ("order_graph_id", 288, "Q"), ("order_one", 296, "I"), ("last_append", 304, "Q"),
           ("n_facts", 312, "Q"), ("facts_id", 320, "Q"),
           ("checksum", 504, "Q"))
FLAG_DUPLICATES, FLAG_NO_LOOPS, FLAG_HAS_WEIGHTS, FLAG_IS_WEIGHTED, FLAG_DIGESTS, KNOWN_FLAGS = 2, 4, 16, 32, 128, 255
IDENTITY, NUMBERS, TEXT = 0, 1, 2
ORDER_NONE, ORDER_CORE = 0, 2


class Manifest:
    def __init__(self, data):
        require(data[:8] == b"MILLRACE" and len(data) >= 12, "not a store's manifest")
        for name, at, kind in FIGURES[:1]:
            version, = struct.unpack_from("<" + kind, data, at)
            require(4 <= version <= 6, f"format version {version}; this program reads versions 4 to 6")
        require(len(data) == 512, "the manifest does not have 512 bytes")
        require(xxh3(data[:504]) == struct.unpack_from("<Q", data, 504)[0],
                "the manifest's checksum is wrong")
        for name, at, kind in FIGURES:
            setattr(self, name, struct.unpack_from("<" + kind, data, at)[0])
        require(not any(data[300:304]) and not any(data[328:504]), "reserved bytes are not zero")
        require(self.one == 1 and self.n_classes in (1, 2) and self.flags & ~KNOWN_FLAGS == 0 and
                8 <= self.stripe_bits <= 16 and self.stripe_bits <= self.band_bits <= 20 and
                self.band_bits + self.stripe_bits <= 32 and self.n_vertices < 1 << 32 and
                self.n_edges <= 1 << 48 and self.name_kind <= TEXT and self.zstd_level <= 22 and
                self.n_bands == -(-self.n_vertices >> self.band_bits) and
                self.keys_edges + self.corners_edges == self.n_edges and
                self.class_rule <= 2 and (self.class_rule == 0 or self.n_classes == 2),
                "the manifest's figures are impossible")
        require(self.name_kind != IDENTITY or self.names_bytes == 0, "names where there are none")
        self.has_weights = bool(self.flags & FLAG_HAS_WEIGHTS)
        self.is_weighted = bool(self.flags & FLAG_IS_WEIGHTED)
        require(self.order_kind == (ORDER_CORE if self.order_id != 0 else ORDER_NONE) and
                self.n_sources <= self.n_vertices and
                (self.order_kind != ORDER_NONE or
                 (self.order_vertices, self.order_graph_id, self.order_one) == (0, 0, 0)) and
                (self.order_kind == ORDER_NONE or
                 (not self.is_weighted and 1 <= self.order_vertices == self.n_vertices and
                  self.order_one == 1 and self.order_graph_id == self.graph_id)),
                "an order where there is none")
        require(self.is_weighted or not any(data[232:256]), "weights where there are none")
        require(self.has_weights or self.weights_id == 0, "weights where there are none")
        require(not self.is_weighted or self.last_append == 0, "a weighted set is not appended to")
        require((self.version > 4) == (self.n_facts > 0) == (self.facts_id != 0) and
                self.n_facts <= self.n_vertices and (self.version == 4 or not self.is_weighted) and
                (self.version > 4 or not self.flags & FLAG_DIGESTS),
                "fetch facts where there are none")
        self.n_stripes = -(-self.n_sources >> self.stripe_bits)

    def vertices_of(self, band):
        first = band << self.band_bits
        return first, min(self.n_vertices, (band + 1) << self.band_bits)


# ---- Blocks

LINKS, IN_DEGREES, OUT_DEGREES, NAME_NUMBERS, NAME_TEXT, IN_STRENGTHS, OUT_STRENGTHS = 1, 2, 3, 4, 5, 7, 8
ORDER_BITS, FETCH_FACTS = 11, 12
NAME_ALIGNED = (NAME_NUMBERS, NAME_TEXT, ORDER_BITS, FETCH_FACTS)

RAW_MAX = 262080


class Block:
    """An entry of the index: where a block is, and what."""

    def __init__(self, data, at=0):
        (self.offset, self.stored_bytes, self.raw_bytes, self.first, self.last,
         self.n_entries) = struct.unpack_from("<QIIIIQ", data, at)

    def read(self, file, graph_id, kind, band, number):
        """The payload, decompressed, of the block that should be here."""
        file.seek(self.offset)
        data = file.read(self.stored_bytes)
        require(len(data) == self.stored_bytes, "a file is cut off")
        (checksum, magic, found_kind, codec, zero, *header) = struct.unpack_from(
            "<Q4sBBHQIIIIIIQQ", data)
        require(xxh3(data[8:]) == checksum, "a block's checksum is wrong")
        require(magic == b"MRB1" and zero == 0, "a block's header is wrong")
        payload_bytes = header[2]
        require(found_kind == kind and
                header == [graph_id, self.stored_bytes, payload_bytes, self.raw_bytes, band,
                           self.first, self.last, self.n_entries, number],
                "a block is not the one of the index")
        align = 64 if kind in NAME_ALIGNED else 4096
        require(self.stored_bytes == -(-(64 + payload_bytes) // align) * align,
                "a block has too much or too little padding")
        payload, padding = data[64:64 + payload_bytes], data[64 + payload_bytes:]
        require(not any(padding), "padding is not zero")
        require(codec in (0, 1), f"unknown codec {codec}")
        self.codec = codec
        raw = payload if codec == 0 else decompress(payload, self.raw_bytes)
        require(len(raw) == self.raw_bytes, "a block has another size than it says")
        return raw


class Part:
    """A file of links: its figures, its bands, its blocks."""

    FIGURES = ("file_bytes", "block_id", "n_blocks", "n_edges", "n_tiles", "keys_tiles", "keys_edges",
               "keys_bytes", "corners_tiles", "corners_edges", "corners_bytes", "corners_parts",
               "corners_entries", "corners_rows", "zero")

    def __init__(self, data, at):
        self.one, self.link_class, *figures = struct.unpack_from("<II15Q", data, at)
        for name, figure in zip(self.FIGURES, figures):
            setattr(self, name, figure)
        require(self.zero == 0 and self.keys_edges + self.corners_edges == self.n_edges,
                "a part's figures are impossible")
        self.name = f"links.1.{self.link_class}" if self.link_class else "links.1"


class NamePart:
    """A file of names, or vertices that are called by their own numbers."""

    def __init__(self, data, at):
        (self.one, self.kind, self.first, self.n_vertices, self.file_bytes, self.block_id,
         self.n_blocks, self.index_bytes, zero) = struct.unpack_from("<II7Q", data, at)
        require(zero == 0, "a part of names is impossible")
        self.name = "names.1"


class Band:
    """The blocks that a part has of one band, by their numbers in its file."""

    def __init__(self, data, at):
        (self.first_block, self.first_diagonal, self.end_block, self.n_edges,
         self.n_diagonal_edges) = struct.unpack_from("<5Q", data, at)


class Run:
    """Blocks of degrees of one band."""

    def __init__(self, data, at):
        (self.first_in, self.end_in, self.first_out, self.end_out) = struct.unpack_from("<4Q", data, at)


class Index:
    def __init__(self, data, manifest):
        require(xxh3(data) == manifest.index_checksum, "the index's checksum is wrong")
        magic, graph_id, *counts = struct.unpack_from("<8s10Q", data)
        require(magic == b"MRINDEX3" and graph_id == manifest.graph_id, "not the store's index")
        sizes = (128, 64, 32, 32, 40, 32, 32, 32, 1)
        (n_parts, n_name_parts, self.n_sets, n_runs, n_bands, *_) = counts
        require(88 + sum(n * size for n, size in zip(counts, sizes)) == len(data) and
                0 < n_parts <= 255 and n_name_parts <= 255 and
                self.n_sets == (1 if manifest.n_classes == 1 else 3) and
                n_runs == self.n_sets * manifest.n_bands and
                n_bands == n_parts * manifest.n_bands, "the index's counts are wrong")
        starts = [88]
        for n, size in zip(counts, sizes):
            starts.append(starts[-1] + n * size)

        def entries(kind, i):
            return [kind(data, at) for at in range(starts[i], starts[i + 1], sizes[i])]

        self.parts, self.name_parts = entries(Part, 0), entries(NamePart, 1)
        self.facts = [struct.unpack_from("<4Q", data, at) for at in range(starts[2], starts[3], 32)]
        self.runs, bands = entries(Run, 3), entries(Band, 4)
        links, self.degrees, names = (entries(Block, i) for i in (5, 6, 7))
        require(self.facts[0] == (manifest.n_dangling, manifest.n_self_loops,
                                  manifest.max_out_degree, manifest.max_in_degree),
                "facts of degrees are wrong")
        check_fill(self.degrees, manifest.degrees_bytes, 4096)
        self.check_runs(manifest)
        require(len(self.parts) == manifest.n_classes, "not a part for each class")
        for i, part in enumerate(self.parts):
            require((part.one, part.link_class, part.block_id) == (1, i, manifest.graph_id), "parts are out of order")
            part.bands = bands[i * manifest.n_bands:(i + 1) * manifest.n_bands]
            part.blocks, links = links[:part.n_blocks], links[part.n_blocks:]
            check_fill(part.blocks, part.file_bytes, 4096, 32760 << 19)
            check_bands(part, manifest)
        require(not links, "blocks of no part")
        for name in Part.FIGURES[3:-1]:
            require(sum(getattr(part, name) for part in self.parts) == getattr(manifest, name),
                    f"{name} of the parts do not add up")
        require(sum(part.file_bytes for part in self.parts) == manifest.links_bytes,
                "files of links do not add up")
        self.check_name_parts(manifest, names, data[starts[8]:])

    def check_runs(self, manifest):
        block = 0
        for ends in (("first_in", "end_in"), ("first_out", "end_out")):
            for band in range(manifest.n_bands):
                for set_number in range(self.n_sets):
                    run = self.runs[set_number * manifest.n_bands + band]
                    first, end = (getattr(run, name) for name in ends)
                    require(first == block <= end, "degrees are out of place")
                    check_vertices(self.degrees[first:end], *manifest.vertices_of(band))
                    block = end
        require(block == len(self.degrees), "degrees of no band")

    def check_name_parts(self, manifest, names, first_names):
        vertex = 0
        require(len(self.name_parts) == (manifest.name_kind != IDENTITY), "not one file of names")
        for part in self.name_parts:
            require((part.one, part.first, part.kind, part.block_id) ==
                    (1, 0, manifest.name_kind, manifest.graph_id),
                    "the file of names is out of place")
            part.blocks, names = names[:part.n_blocks], names[part.n_blocks:]
            part.first_names = first_names[:part.index_bytes]
            first_names = first_names[part.index_bytes:]
            check_fill(part.blocks, part.file_bytes, 64)
            vertex += part.n_vertices
            check_vertices(part.blocks, part.first, vertex)
        require(not names and not first_names, "names of no part")
        require(sum(part.file_bytes for part in self.name_parts) == manifest.names_bytes,
                "files of names do not add up")
        require((manifest.name_kind == IDENTITY) == (not self.name_parts) and
                (not self.name_parts or vertex == manifest.n_vertices), "names are missing")


def check_bands(part, manifest):
    block = 0
    for band in part.bands:
        require(band.first_block == block <= band.first_diagonal <= band.end_block
                <= len(part.blocks), "a band's blocks do not follow the band's before")
        blocks = part.blocks[band.first_block:band.end_block]
        diagonal = part.blocks[band.first_diagonal:band.end_block]
        require(sum(b.n_entries for b in blocks) == band.n_edges and
                sum(b.n_entries for b in diagonal) == band.n_diagonal_edges and
                all(b.last < manifest.n_stripes for b in blocks), "a band's figures are wrong")
        block = band.end_block
    require(block == len(part.blocks), "blocks of no band")
    require(sum(b.n_edges for b in part.bands) == part.n_edges, "the edges do not add up")


def check_fill(blocks, file_bytes, align, most_entries=None):
    """The blocks fill their file without gaps."""
    end = 0
    for block in blocks:
        require(block.offset == end and 0 < block.stored_bytes <= 262144 and
                block.stored_bytes % align == 0 and block.raw_bytes <= RAW_MAX and
                block.first <= block.last and 0 < block.n_entries <= (most_entries or block.raw_bytes),
                "an entry of the index is impossible")
        end += block.stored_bytes
    require(end == file_bytes, "the blocks do not fill their file")


def check_vertices(blocks, first, end):
    """The blocks hold vertices first..end-1, each once, in order."""
    for block in blocks:
        require(block.first == first and block.last - block.first + 1 == block.n_entries,
                "a block has the wrong vertices")
        first = block.last + 1
    require(first == end, "vertices are missing")


# ---- Links

class Counts:
    """What the links are found to be, to be held against the manifest and the stored degrees."""

    def __init__(self, n_vertices, n_classes=1):
        self.in_degrees = [[0] * n_vertices for _ in range(n_classes)]
        self.out_degrees = [[0] * n_vertices for _ in range(n_classes)]
        self.n_self_loops = [0] * n_classes
        self.n_tiles = self.n_edges = 0
        self.keys_tiles = self.keys_edges = self.keys_bytes = 0
        self.corners_tiles = self.corners_edges = self.corners_bytes = 0
        self.corners_parts = self.corners_entries = self.corners_rows = 0
        # with weights; sums of floats, in the order of the links, and of each vertex's targets
        self.in_strengths, self.out_links = [0.0] * n_vertices, [[] for _ in range(n_vertices)]
        self.byte_edges, self.least, self.most = 0, 0.0, 0.0
        self.n_cuts = [0, 0]  # tiles' continuations in a further block: off the diagonal, on it

    def add(self, name, count):
        setattr(self, name, getattr(self, name) + count)


KEYS, CORNERS, BYTE_WEIGHTS, FLOAT_WEIGHTS = 0, 1, 2, 3
LEAST_LINK_BYTES = {KEYS: 1, BYTE_WEIGHTS: 2, FLOAT_WEIGHTS: 5}


def keys_of_keys(stream, n_links):
    """The keys of a part of encoding 0."""
    return list(itertools.accumulate(stream.numbers(32, n_links), lambda key, step: (key + step) & 0xFFFFFFFF))


def keys_of_corners(stream, n_links, band_bits, stripe_bits, counts):
    """The keys, as encoding 0 has them, of a part of encoding 1."""
    first_group, n_groups, *n_entries = (stream.number(32) for _ in range(6))
    require(0 < n_groups <= n_links and 8 * (first_group + n_groups) <= 1 << band_bits and
            sum(n_entries) <= n_links, "a corner tile's header is impossible")
    restarts = stream.bytes(n_groups)
    first_row, n_rows = 8 * first_group, 8 * n_groups
    # of each row the changes from column to column: row -> {column: rise}
    changes = {}
    for kind, count in enumerate(n_entries):
        sign = 1 if kind in (0, 2) else -1
        for key in keys_of_keys(stream, count):
            row = key >> 5 & (1 << band_bits) - 1
            column = (key >> band_bits + 5 << 5) + (key & 31)
            require(first_row <= row < first_row + n_rows, "an entry is outside of its rows")
            require(column < 1 << stripe_bits, "an entry is outside of its stripe")
            of_row = changes.setdefault(row, {})
            start = column if kind < 2 else 0
            of_row[start] = of_row.get(start, 0) + sign
            of_row[column + 1] = of_row.get(column + 1, 0) - sign
    keys, row = [], {}
    for r in range(n_rows):
        if restarts[r >> 3] >> (r & 7) & 1:
            row = {}
        for column, rise in changes.get(first_row + r, {}).items():
            row[column] = row.get(column, 0) + rise
        row = {column: rise for column, rise in row.items() if rise != 0}
        level, ends = 0, sorted(row)
        for column, end in zip(ends, ends[1:]):
            level += row[column]
            require(level in (0, 1), "a row of a corner tile is not of zeros and ones")
            if level == 1:
                keys += [(c << band_bits) + first_row + r for c in range(column, end)]
        require(len(keys) <= n_links, "a corner tile has too many links")
    require(len(keys) == n_links, "a corner tile has too few links")
    counts.corners_parts += 1
    counts.corners_entries += sum(n_entries)
    counts.corners_rows += n_rows
    return sorted(keys)


def take_weights(stream, encoding, n_links):
    """The weights at the end of a tile's data, which the stream then ends before."""
    size = 1 if encoding == BYTE_WEIGHTS else 4
    stream.end -= size * n_links
    require(stream.end >= stream.at, "a tile has no room for its weights")
    weights = struct.unpack_from(f"<{n_links}{'B' if size == 1 else 'f'}", stream.data, stream.end)
    require(all(0 < weight < float("inf") for weight in weights), "a weight is not above 0 and finite")
    return weights


def block_tiles(raw, block, encodings=(KEYS, CORNERS)):
    """(stripe, encoding, number of links, Stream of the data) of each tile of a block."""
    stream, n_entries, stripe = Stream(raw), 0, None
    while not stream.is_over():
        before = stripe
        stripe, encoding, n_links, n_bytes = (stream.number(32) for _ in range(4))
        require(stripe == block.first if before is None else stripe > before,
                "a block's stripes are out of order")
        require(encoding in encodings, f"unknown tile encoding {encoding}")
        require(0 < n_links <= (1 << 19 if encoding == CORNERS else
                                n_bytes // LEAST_LINK_BYTES[encoding]),
                "a tile's number of links is impossible")
        start = stream.at
        stream.bytes(n_bytes)
        yield stripe, encoding, n_links, Stream(raw, start, start + n_bytes)
        n_entries += n_links
    require(stripe == block.last and n_entries == block.n_entries,
            "a block's tiles are not what its header says")


def pairs_of(keys, lowest, step, band_bits, first_source, end_source, first_target, end_target):
    """The sources and targets of a tile's keys, which rise from `lowest` on by `step` at least."""
    require(all(map(int.__le__, [lowest] + [key + step for key in keys[:-1]], keys)), "keys are out of order")
    last = (1 << band_bits) - 1
    found = [(first_source + (key >> band_bits), first_target + (key & last)) for key in keys]
    require(found[-1][0] < end_source and max(target for _, target in found) < end_target,
            "a link leads beyond the vertices")
    return found


def links(manifest, part, file, counts):
    """Every link of a part as (source, target, weight), in the order of its file; weight None for none."""
    encodings = (BYTE_WEIGHTS, FLOAT_WEIGHTS) if manifest.is_weighted else (KEYS, CORNERS)
    band_bits, stripe_bits, link_class = manifest.band_bits, manifest.stripe_bits, part.link_class
    step = 0 if manifest.flags & FLAG_DUPLICATES else 1
    out_degrees, in_degrees = counts.out_degrees[link_class], counts.in_degrees[link_class]
    for number, band in enumerate(part.bands):
        first_target, end_target = manifest.vertices_of(number)
        on_diagonal = stripe = lowest = None
        for i in range(band.first_block, band.end_block):
            block = part.blocks[i]
            raw = block.read(file, part.block_id, LINKS, number, i - band.first_block)
            if on_diagonal != (i >= band.first_diagonal):
                on_diagonal, stripe = i >= band.first_diagonal, None
            is_first = True
            for tile_stripe, encoding, n_links, stream in block_tiles(raw, block, encodings):
                require((tile_stripe >> (band_bits - stripe_bits) == number) == on_diagonal,
                        "a tile is on the wrong side of the diagonal")
                name = "corners" if encoding == CORNERS else "keys"
                if is_first and tile_stripe == stripe:
                    counts.n_cuts[on_diagonal] += 1  # goes on: `lowest` stands
                else:
                    require(stripe is None or tile_stripe > stripe, "tiles are out of order")
                    counts.n_tiles += 1
                    counts.add(name + "_tiles", 1)
                    lowest = 0
                is_first, stripe = False, tile_stripe
                counts.add(name + "_edges", n_links)
                counts.add(name + "_bytes", stream.end - stream.at)
                first_source = stripe << stripe_bits
                end_source = min(manifest.n_vertices, (stripe + 1) << stripe_bits)
                weights = [None] * n_links
                if manifest.is_weighted:
                    weights = take_weights(stream, encoding, n_links)
                    counts.byte_edges += n_links if encoding == BYTE_WEIGHTS else 0
                keys = keys_of_corners(stream, n_links, band_bits, stripe_bits, counts) \
                    if encoding == CORNERS else keys_of_keys(stream, n_links)
                found = pairs_of(keys, lowest, step, band_bits, first_source, end_source, first_target, end_target)
                lowest = keys[-1] + step
                for (source, target), weight in zip(found, weights):
                    out_degrees[source] += 1
                    in_degrees[target] += 1
                    if source == target:
                        counts.n_self_loops[link_class] += 1
                    if weight is not None:
                        counts.in_strengths[target] += weight
                        counts.out_links[source].append((target, weight))
                        counts.least = min(counts.least or weight, weight)
                        counts.most = max(counts.most, weight)
                    yield source, target, weight
                require(stream.is_over(), "a tile has more bytes than links")
                counts.n_edges += n_links


def read_degrees(manifest, index, file, kind, set_number):
    """And the strengths, where links have weights."""
    degrees, strengths = [], []
    block_kind = kind if not manifest.is_weighted else \
        IN_STRENGTHS if kind == IN_DEGREES else OUT_STRENGTHS
    for number in range(manifest.n_bands):
        run = index.runs[set_number * manifest.n_bands + number]
        first, end = ((run.first_in, run.end_in) if kind == IN_DEGREES else
                      (run.first_out, run.end_out))
        for i in range(first, end):
            block = index.degrees[i]
            raw = block.read(file, manifest.graph_id, block_kind, number, i - first)
            stream = Stream(raw)
            if manifest.is_weighted:
                stream.end -= 8 * block.n_entries
                require(stream.end >= 0, "strengths are cut off")
                strengths += struct.unpack_from(f"<{block.n_entries}d", raw, stream.end)
            degrees += stream.numbers(32, block.n_entries)
            require(stream.is_over(), "a block of degrees has more bytes than degrees")
    return degrees, strengths


def in_order(numbers):
    """Their sum, rounded after each (sum() of Python 3.12 compensates)."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def check_degrees(manifest, index, file, counts):
    """Each set of degrees against the links: of all classes, then of each."""
    sets = [range(manifest.n_classes)] + [[c] for c in range(index.n_sets - 1)]
    for i, classes in enumerate(sets):
        in_degrees = [sum(d) for d in zip(*(counts.in_degrees[c] for c in classes))]
        out_degrees = [sum(d) for d in zip(*(counts.out_degrees[c] for c in classes))]
        stored_in, in_strengths = read_degrees(manifest, index, file, IN_DEGREES, i)
        stored_out, out_strengths = read_degrees(manifest, index, file, OUT_DEGREES, i)
        require(in_degrees == stored_in, "in-degrees differ from the links")
        require(out_degrees == stored_out, "out-degrees differ from the links")
        if manifest.is_weighted:
            summed = [in_order(weight for _, weight in sorted(links, key=lambda link: link[0]))
                      for links in counts.out_links]
            require(in_strengths == counts.in_strengths, "in-strengths differ from the weights")
            require(out_strengths == summed, "out-strengths differ from the weights")
            require((in_order(summed), counts.least, counts.most, counts.byte_edges) ==
                    (manifest.weights_total, manifest.weights_least, manifest.weights_most,
                     manifest.byte_edges), "figures of the weights are wrong")
        last = max((v for v, degree in enumerate(out_degrees) if degree > 0), default=-1)
        require(i > 0 or last + 1 == manifest.n_sources,
                "the last vertex with links is another one")
        found = (out_degrees.count(0), sum(counts.n_self_loops[c] for c in classes),
                 max(out_degrees, default=0), max(in_degrees, default=0))
        require(found == index.facts[i], f"facts of degrees: {found} found, {index.facts[i]} stated")


def check_figures(manifest, counts):
    for what, found, stated in (
            ("edges", counts.n_edges, manifest.n_edges),
            ("tiles", counts.n_tiles, manifest.n_tiles),
            *((name.replace("_", ", "), getattr(counts, name), getattr(manifest, name))
              for name in ("keys_tiles", "keys_edges", "keys_bytes", "corners_tiles",
                           "corners_edges", "corners_bytes", "corners_parts", "corners_entries",
                           "corners_rows"))):
        require(found == stated, f"{what}: {found} found, {stated} stated")
    require(not manifest.flags & FLAG_NO_LOOPS or sum(counts.n_self_loops) == 0,
            "there are self-loops")


# ---- Names

URL = re.compile(rb"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)(.*)", re.DOTALL)
AUTHORITY = re.compile(rb"(\[[0-9A-Fa-f:.]*\]|[A-Za-z0-9._~%\x80-\xff-]*)(?::([0-9]*))?")
IPV4 = re.compile(rb"[0-9]{1,3}(\.[0-9]{1,3}){3}")


def surt_key(name):
    """Key function 1."""
    url = URL.fullmatch(name)
    user, at_sign, rest_of_authority = url[2].rpartition(b"@") if url else (b"", b"", b"")
    authority = AUTHORITY.fullmatch(rest_of_authority)
    if url is None or authority is None:
        return b"!" + name
    scheme, rest, (host, port) = url[1], url[3], authority.groups()
    if not host.startswith(b"[") and not IPV4.fullmatch(host):
        host = b",".join(reversed(host.split(b".")))
    flags = (0 if rest.startswith(b"/") else 1) | (2 if scheme == b"https" else 0)
    key = host + b")" + (b"" if port is None else b":" + port) + b"/" * (flags & 1) + rest + b"\0"
    if at_sign or scheme not in (b"http", b"https"):
        flags |= 4 | (8 if at_sign else 0)
        key += scheme + user + len(scheme).to_bytes(3, "big") + len(user).to_bytes(3, "big")
    return key + bytes([flags])


def bare_key(name):
    """Key function 2."""
    key = surt_key(name)
    if key.startswith(b"!"):
        bare = surt_key(b"http://" + name)
        if not bare.startswith(b"!"):
            return bare[:-1] + bytes([bare[-1] | 16])
    return key


def take_name(stream, before):
    shared, rest = stream.number(64), stream.number(64)
    require(shared <= len(before) and 1 <= shared + rest <= 65536, "a name has a wrong length")
    return before[:shared] + stream.bytes(rest)


def read_first_names(manifest, part):
    """What the index of names has: the first name of each block."""
    data, n_blocks, first_names = part.first_names, len(part.blocks), []
    if manifest.name_kind == NUMBERS:
        require(len(data) == 8 * n_blocks, "the index of names has a wrong size")
        return list(struct.unpack(f"<{n_blocks}Q", data))
    n_groups = -(-n_blocks // 16)
    require(len(data) >= 8 * n_groups, "the index of names is cut off")
    end = len(data) - 8 * n_groups
    offsets = struct.unpack_from(f"<{n_groups}Q", data, end)
    stream, name = Stream(data, 0, end), b""
    for block in range(n_blocks):
        if block % 16 == 0:
            require(offsets[block // 16] == stream.at, "the index of names has a wrong offset")
            name = b""
        name = take_name(stream, name)
        first_names.append(name)
    require(stream.is_over(), "the index of names has bytes left")
    return first_names


def read_names(manifest, part, file):
    """The names of a part's vertices, as bytes."""
    is_text = manifest.name_kind == TEXT
    key_of = None
    if not is_text:
        key_of = int
    elif manifest.name_key & 0xff == 1:
        key_of = surt_key
    elif manifest.name_key & 0xff == 2:
        key_of = bare_key
    elif manifest.name_key & 0xff == 3:
        key_of = bytes
    has_spellings = is_text and manifest.name_key >> 31 == 1
    names, first_names, key_before = [], read_first_names(manifest, part), None
    for i, block in enumerate(part.blocks):
        stream = Stream(block.read(file, part.block_id, NAME_TEXT if is_text else NAME_NUMBERS,
                                   0, i))
        name = b"" if is_text else 0
        for entry in range(block.n_entries):
            if is_text:
                name = take_name(stream, name)
            else:
                name += stream.number(64)
                require(name < 1 << 64, "a number has more than 64 bits")
            require(entry > 0 or name == first_names[i], "the index of names has another name")
            if key_of is not None:
                key = key_of(name.split(b"\n")[0] if has_spellings else name)
                require(key_before is None or key > key_before, "names are out of order")
                key_before = key
            if has_spellings:
                spellings = name.split(b"\n")[1:]
                require(spellings == sorted(set(spellings)), "spellings are out of order")
                names.append(name.split(b"\n")[0])
            else:
                names.append(name if is_text else b"%d" % name)
        require(stream.is_over(), "a block of names has bytes left")
    return names


# ---- The whole

def open_file(directory, name, n_bytes):
    try:
        file = open(os.path.join(directory, name), "rb")
    except OSError as error:
        raise Refused(f"{name}: {error.strerror}") from error
    if os.fstat(file.fileno()).st_size != n_bytes:
        file.close()
        raise Refused(f"{name} does not have the size that the manifest says")
    return file


def read_order(directory, manifest):
    """The place of each vertex."""
    n, per_block, offset, blocks, bits = manifest.n_vertices, 32768, 0, [], b""
    entries = -(-n // 32)
    for first in range(0, entries, per_block):
        count = min(per_block, entries - first)
        stored = -(-(64 + 4 * count) // 64) * 64
        blocks.append(Block(struct.pack("<QIIIIQ", offset, stored, 4 * count, first,
                                        first + count - 1, count)))
        offset += stored
    with open_file(directory, "order.1", offset) as file:
        for number, block in enumerate(blocks):
            bits += block.read(file, manifest.order_graph_id, ORDER_BITS, 0, number)
            require(block.codec == 0, "a block of the order is compressed")
    require(len(bits) < 56 or (xxh3(bits) or 1) == manifest.order_id, "it is another order")
    core = [place for place in range(8 * len(bits)) if bits[place // 8] >> place % 8 & 1]
    require(not core or core[-1] < n, "bits behind the last position")
    members = set(core)
    return core + [place for place in range(n) if place not in members]


def read_facts(directory, manifest):
    """(position, first, last, fetches, compared, changes, gone) of each page with fetch facts, in order."""
    n, per_block, data = manifest.n_facts, 8192, b""
    row_bytes = 26 if manifest.flags & FLAG_DIGESTS else 18
    if n == 0:
        return []
    n_blocks = -(-n // per_block)
    size = -(-(64 * n_blocks + row_bytes * n) // 64) * 64
    with open_file(directory, "facts.1", size) as file:
        for number in range(n_blocks):
            count = min(per_block, n - number * per_block)
            offset = number * (64 + row_bytes * per_block)
            file.seek(offset + 40)  # the header says the first and the last position
            first, last = struct.unpack("<2I", file.read(8))
            raw = Block(struct.pack("<QIIIIQ", offset, -(-(64 + row_bytes * count) // 64) * 64, row_bytes * count,
                                    first, last, count))
            payload = raw.read(file, manifest.graph_id, FETCH_FACTS, 0, number)
            require(raw.codec == 0, "a block of fetch facts is compressed")
            require((first, last) == (struct.unpack_from("<I", payload)[0],
                                      struct.unpack_from("<I", payload, row_bytes * (count - 1))[0]),
                    "a block of fetch facts has other positions than it says")
            data += payload
    rows = list(struct.iter_unpack("<3I3H" + "8x" * (row_bytes == 26), data))
    require(all(a[0] < b[0] for a, b in zip(rows, rows[1:])) and rows[-1][0] < manifest.n_vertices,
            "fetch facts are out of order")
    if manifest.version == 6:
        rows = [(*row[:5], row[5] & 32767, row[5] >> 15) for row in rows]
    else:
        rows = [(*row, 0) for row in rows]
    require(all(1 <= first and changes <= compared < fetches and (first == last if fetches == 1 else first < last) or
                gone and first == fetches == compared == changes == 0
                for _, first, last, fetches, compared, changes, gone in rows), "fetch facts are impossible")
    require((xxh3(data) or 1) == manifest.facts_id, "they are other fetch facts")
    return rows


def open_set(directory, prefix):
    """Manifest and index of the store, or of its weighted set."""
    try:
        with open(os.path.join(directory, prefix + "MANIFEST"), "rb") as file:
            manifest = Manifest(file.read(513))
    except OSError as error:
        raise Refused(f"not a store: {prefix}MANIFEST: {error.strerror}") from error
    require(manifest.is_weighted == (prefix != ""), "a weighted set out of its place")
    with open_file(directory, f"{prefix}index.1", manifest.index_bytes) as file:
        require(manifest.index_bytes >= 88, "the index is cut off")
        return manifest, Index(file.read(), manifest)


def read_weighted(directory, store):
    """The links of the weighted set, with their weights, and what is to be said of it."""
    manifest, index = open_set(directory, "weights.")
    for name in ("n_vertices", "n_edges", "n_dangling", "n_self_loops", "max_out_degree",
                 "max_in_degree", "band_bits", "stripe_bits"):
        require(getattr(manifest, name) == getattr(store, name), f"another {name} in the weighted set")
    require(manifest.checksum == store.weights_id and len(index.parts) == 1 and
            manifest.name_kind == IDENTITY and manifest.n_classes == 1 and
            manifest.flags & 15 == store.flags & 15, "the weighted set is not the store's")
    counts, (part,) = Counts(manifest.n_vertices), index.parts
    with open_file(directory, "weights." + part.name, part.file_bytes) as file:
        found = list(links(manifest, part, file, counts))
    with open_file(directory, "weights.degrees.1", manifest.degrees_bytes) as file:
        check_degrees(manifest, index, file, counts)
    check_figures(manifest, counts)
    return found, (f"; weights from {counts.least:g} to {counts.most:g}, "
                   f"{counts.byte_edges} in a byte")


def print_store(directory, out):
    manifest, index = open_set(directory, "")
    weighted, about_weights = (read_weighted(directory, manifest) if manifest.has_weights
                               else (None, ""))
    names = [b"%d" % v for v in range(manifest.n_vertices)] if manifest.name_kind == IDENTITY else []
    for part in index.name_parts:
        if part.kind == IDENTITY:
            names += [b"%d" % vertex for vertex in range(part.n_vertices)]
        else:
            with open_file(directory, part.name, part.file_bytes) as file:
                names += read_names(manifest, part, file)
    require(len(set(names)) == len(names), "two vertices have the same name")
    if manifest.order_id != 0:
        names = [names[place] for place in read_order(directory, manifest)]
    facts = read_facts(directory, manifest)
    counts = Counts(manifest.n_vertices, manifest.n_classes)
    seen = set()
    require(weighted is None or len(index.parts) == 1, "several parts beside weights")
    for part in index.parts:
        with open_file(directory, part.name, part.file_bytes) as file:
            for i, (source, target, _) in enumerate(links(manifest, part, file, counts)):
                if len(index.parts) > 1:
                    require(manifest.flags & FLAG_DUPLICATES or (source, target) not in seen,
                            "a link is in two parts")
                    seen.add((source, target))
                weight = b""
                if weighted is not None:
                    require(i < len(weighted) and weighted[i][:2] == (source, target),
                            "the links with weights are others")
                    weight = b"\t%g" % weighted[i][2]
                out.write(names[source] + b"\t" + names[target] + weight + b"\n")
    with open_file(directory, "degrees.1", manifest.degrees_bytes) as file:
        check_degrees(manifest, index, file, counts)
    check_figures(manifest, counts)
    blocks = [block for part in index.parts for block in part.blocks]
    return (f"{manifest.n_vertices} vertices, {counts.n_edges} links, {manifest.n_bands} bands, "
            f"{len(index.parts)} parts, {counts.n_tiles} tiles, "
            f"{counts.corners_parts} parts of corners, "
            f"cut {counts.n_cuts[0]} times off the diagonal and {counts.n_cuts[1]} on it; "
            f"blocks: {len(blocks)} links ({sum(block.codec for block in blocks)} zstd), "
            f"{len(index.degrees)} degrees, {sum(part.n_blocks for part in index.name_parts)} names"
            + (f"; fetch facts of {len(facts)} pages" + ", with digests" * bool(manifest.flags & FLAG_DIGESTS) if facts else "") + about_weights)


def self_test():
    """Against the values that docs/store-format.md gives."""
    data = bytes(range(256)) * 16
    for size, checksum in ((64, 0x6187EB9089B0ED55), (192, 0x981EB7DF4A4911D7),
                           (504, 0x1364F2C110BA1AB4), (4088, 0x65F4ADC8831043FD)):
        require(xxh3(data[:size]) == checksum, f"XXH3-64 of {size} bytes is wrong")

    example = bytes.fromhex("""
        55 BE 4E CC 21 05 96 71  4D 52 42 31 01 00 00 00
        EF CD AB 89 67 45 23 01  00 10 00 00 08 00 00 00
        08 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00
        03 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00
        00 00 03 04 01 01 FF 03""")
    block = Block(struct.pack("<QIIIIQ", 0, 4096, 8, 0, 0, 3), 0)
    raw = block.read(io.BytesIO(example.ljust(4096, b"\0")), 0x0123456789ABCDEF, LINKS, 0, 0)
    (stripe, encoding, n_links, stream), = block_tiles(raw, block)
    keys = keys_of_keys(stream, n_links)
    require((stripe, encoding, keys, stream.is_over()) == (0, KEYS, [1, 2, 513], True),
            "the example of keys is wrong")

    rows = ((1, 2, 3, 4), (1, 2, 3, 4, 7), (1, 2, 3, 4, 7), (), (0, 1, 2), (0, 2))
    wanted = sorted(column * 256 + row for row, columns in enumerate(rows) for column in columns)
    stream = Stream(bytes.fromhex("00 01  01 01 02 01  48  27 A1 01 04 7E 00"))
    counts = Counts(0)
    require(keys_of_corners(stream, 19, 8, 8, counts) == wanted and stream.is_over() and
            counts.corners_entries == 5, "the example of corners is wrong")

    for name, key in ((b"https://www.example.com:8080/a?b", b"com,example,www):8080/a?b\0\2"),
                      (b"http://192.0.2.1", b"192.0.2.1)/\0\1"),
                      (b"ftp://me@example.org/", b"org,example)/\0ftpme\0\0\3\0\0\2\x0c"),
                      (b"example.org", b"!example.org")):
        require(surt_key(name) == key, f"the key of {name} is {surt_key(name)}")
    stream = Stream(b"\0\x09a.example\x09\2/b")
    first = take_name(stream, b"")
    require((first, take_name(stream, first)) == (b"a.example", b"a.example/b"), "names are wrong")


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        figures = print_store(arguments[0], sys.stdout.buffer)
        sys.stdout.buffer.flush()
        print(f"read_store.py: {arguments[0]}: good: {figures}", file=sys.stderr)
    except Refused as error:
        print(f"read_store.py: {arguments[0]}: {error}", file=sys.stderr)
        return 1
    except NoZstd:
        print("read_store.py: neither Python 3.14 nor the zstd program is here", file=sys.stderr)
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
