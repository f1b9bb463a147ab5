# SPDX-License-Identifier: Apache-2.0
"""Arrow's C stream interface. The producer is written from the specification, with ctypes."""

import ctypes
import errno
import struct
import sys
import types
import unittest
import unittest.mock
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p

import numpy

import millrace
from millrace import _arrow


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


RELEASE = CFUNCTYPE(None, c_void_p)
Schema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64), ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)), ("release", RELEASE),
    ("private_data", c_void_p)]
Array._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(Array))), ("dictionary", POINTER(Array)),
    ("release", RELEASE), ("private_data", c_void_p)]
GET_SCHEMA = CFUNCTYPE(c_int, c_void_p, POINTER(Schema))
GET_NEXT = CFUNCTYPE(c_int, c_void_p, POINTER(Array))
LAST_ERROR = CFUNCTYPE(c_void_p, c_void_p)
Stream._fields_ = [("get_schema", GET_SCHEMA), ("get_next", GET_NEXT), ("get_last_error", LAST_ERROR),
                   ("release", RELEASE), ("private_data", c_void_p)]


class Column:
    """One column of a batch: a format, buffers behind the validity, and perhaps a dictionary."""

    def __init__(self, format, *buffers, length, valid=None, offset=0, dictionary=None):
        self.format, self.length, self.offset, self.dictionary = format, length, offset, dictionary
        self.n_nulls = 0
        bits = None
        if valid is not None:
            bits = numpy.packbits(numpy.array([True] * offset + list(valid)), bitorder="little").tobytes()
            self.n_nulls = -1  # not counted
        self.buffers = [bits, *buffers]


def numbers(format, values, **more):
    kind = {"c": "i1", "C": "u1", "s": "<i2", "S": "<u2", "i": "<i4", "I": "<u4", "l": "<i8", "L": "<u8",
            "f": "<f4", "g": "<f8"}[format]
    skipped = more.get("offset", 0)
    return Column(format, numpy.array([0] * skipped + list(values), kind).tobytes(), length=len(values), **more)


def texts(format, values, **more):
    data = [value.encode() for value in ["skipped"] * more.get("offset", 0) + list(values)]
    if format.startswith("v"):
        views, rest = b"", b""
        for i, value in enumerate(data):
            if len(value) <= 12:
                views += struct.pack("<i12s", len(value), value)
            else:
                views += struct.pack("<i4sii", len(value), value[:4], 1, len(rest))
                rest += value
        sizes = numpy.array([0, len(rest)], "<i8").tobytes()
        return Column(format, views, b"unused", rest, sizes, length=len(values), **more)
    ends = numpy.cumsum([0] + [len(value) for value in data])
    offsets = ends.astype("<i4" if format in "uz" else "<i8").tobytes()
    return Column(format, offsets, b"".join(data), length=len(values), **more)


class Table:
    """Exports its batches, which are lists of columns. Counts what is not released."""

    def __init__(self, batches, names=("source", "target", "weight"), error=None, offset=0):
        self.batches, self.names, self.error, self.offset = batches, names, error, offset
        self.alive, self.kept, self.at, self.most = 0, [], 0, 0

    def keep(self, value):
        self.kept.append(value)
        return value

    def schema(self, to, format, name, children=(), dictionary=None):
        pointers = [self.keep(ctypes.pointer(self.schema(Schema(), *child))) for child in children]
        to.format, to.name, to.n_children = format.encode(), name.encode(), len(children)
        to.children = self.keep((POINTER(Schema) * len(pointers))(*pointers))
        if dictionary:
            to.dictionary = self.keep(ctypes.pointer(self.schema(Schema(), dictionary.format, "",
                                                                 dictionary=dictionary.dictionary)))
        to.release = self.release(Schema)
        return to

    def release(self, kind):
        self.alive += 1
        self.most = max(self.most, self.alive)

        def release(pointer):
            self.alive -= 1
            kind.from_address(pointer).release = RELEASE()

        return self.keep(RELEASE(release))

    def array(self, to, column):
        buffers = [self.keep(ctypes.create_string_buffer(b, max(len(b), 1))) if b is not None else None
                   for b in column.buffers]
        addresses = [ctypes.addressof(b) if b is not None else None for b in buffers]
        to.length, to.null_count, to.offset = column.length, column.n_nulls, column.offset
        to.n_buffers, to.buffers = len(buffers), self.keep((c_void_p * len(buffers))(*addresses))
        if column.dictionary is not None:
            to.dictionary = self.keep(ctypes.pointer(self.array(Array(), column.dictionary)))
        return to

    def batch(self, to, columns):
        pointers = [self.keep(ctypes.pointer(self.array(Array(), column))) for column in columns]
        to.length, to.n_children, to.offset = columns[0].length - self.offset, len(columns), self.offset
        to.n_buffers, to.buffers = 1, self.keep((c_void_p * 1)(None))
        to.children = self.keep((POINTER(Array) * len(pointers))(*pointers))
        to.release = self.release(Array)

    def depth(self, column):
        return 0 if column.dictionary is None else 1 + self.depth(column.dictionary)

    def __arrow_c_stream__(self, requested_schema=None):
        def get_schema(_, to):
            children = [(column.format, name, (), column.dictionary)
                        for column, name in zip(self.batches[0], self.names)]
            self.schema(to[0], "+s", "", children)
            self.alive -= len(children) + sum(self.depth(column) for column in self.batches[0])
            return 0

        def get_next(_, to):
            if self.at == len(self.batches):
                to[0].release = RELEASE()
                return errno.EIO if self.error else 0
            self.at += 1
            self.batch(to[0], self.batches[self.at - 1])
            return 0

        error = self.error and self.keep(ctypes.create_string_buffer(self.error))
        stream = self.keep(Stream(GET_SCHEMA(get_schema), GET_NEXT(get_next),
                                  LAST_ERROR(lambda _: error and ctypes.addressof(error)), self.release(Stream)))
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
        return new(ctypes.addressof(stream), b"arrow_array_stream", None)


SOURCES, TARGETS = [1, 2, 3, 3, 9], [2, 3, 1, 9, 9]
URLS = ["http://a.example/", "b", "http://example.org/a/long/path?and=query", "é"]
FROM, TO = [0, 1, 2, 2, 3], [1, 2, 0, 3, 3]


def links(store):
    with store:
        ranking = store.degree()
        return sorted(zip(store.names.to_list(), ranking["out"].tolist(), ranking["in"].tolist())), store.n_edges


class Builds(unittest.TestCase):
    def build(self, table, **options):
        store = millrace.build(table, **options)
        self.assertEqual(table.alive, 0)
        return store

    def expect(self, message, table, **options):
        with self.assertRaises(millrace.InputError) as caught:
            millrace.build(table, **options)
        self.assertEqual(str(caught.exception), message)
        self.assertEqual(table.alive, 0)

    def test_integers_of_every_size(self):
        expected = links(millrace.build(numpy.array([SOURCES, TARGETS]).T))
        for format in "cCsSiIlL":
            table = Table([[numbers(format, SOURCES[:2]), numbers(format, TARGETS[:2])],
                           [numbers(format, []), numbers(format, [])],
                           [numbers(format, SOURCES[2:], offset=3), numbers(format, TARGETS[2:], valid=[True] * 3)]])
            self.assertEqual(links(self.build(table)), expected, format)

    def test_large_numbers(self):
        with self.build(Table([[numbers("L", [1 << 63, 5]), numbers("I", [(1 << 32) - 1, 5])]])) as store:
            self.assertEqual(sorted(store.names, key=int), ["5", "4294967295", "9223372036854775808"])

    def test_texts_of_every_kind(self):
        sources, targets = [URLS[i] for i in FROM], [URLS[i] for i in TO]
        expected = links(millrace.build(list(zip(sources, targets))))
        for format in "u", "U", "z", "Z", "vu", "vz":
            table = Table([[texts(format, sources[:2]), texts(format, targets[:2], offset=2)],
                           [texts(format, sources[2:], valid=[True] * 3), texts(format, targets[2:])]])
            self.assertEqual(links(self.build(table)), expected, format)

    def test_dictionaries(self):
        expected = links(millrace.build([(URLS[a], URLS[b]) for a, b in zip(FROM, TO)]))
        for indices, values in zip("cCsSiIlL", ("u", "vu", "U", "z") * 2):
            table = Table([[numbers(indices, FROM, dictionary=texts(values, URLS, offset=1)),
                            numbers(indices, TO, offset=1, dictionary=texts(values, URLS))]])
            self.assertEqual(links(self.build(table)), expected, indices + values)
        codes = Table([[numbers("c", FROM, dictionary=numbers("l", [10, 11, 12, 13])),
                        numbers("l", [10 + b for b in TO])]])
        expected = links(millrace.build(numpy.array([FROM, TO]).T + 10))
        self.assertEqual(links(self.build(codes)), expected)

    def test_weights(self):
        weights = [0.5, 2, 3, 4, 5]
        triples = list(zip(SOURCES, TARGETS, weights))
        expected = millrace.pagerank(triples, weight=True).to_dict()
        for format in "fg":
            table = Table([[numbers("l", SOURCES), numbers("i", TARGETS), numbers(format, weights)]])
            ranking = millrace.pagerank(table, weight=True)
            self.assertEqual({int(k): v for k, v in ranking.to_dict().items()}, expected)
        large = [1 << 63, 1 << 62, 3, 4, 5]
        found = [millrace.pagerank(Table([[numbers("l", SOURCES), numbers("l", TARGETS), numbers(format, large)]]),
                                   weight=True).to_dict() for format in "Lg"]
        self.assertEqual(*found)
        named = Table([[texts("u", ["a", "b"]), texts("U", ["b", "a"]), numbers("C", [1, 255])]])
        self.assertEqual(links(self.build(named, weights=True))[1], 2)

    def test_the_offset_of_a_batch(self):
        table = Table([[numbers("l", [7, 1, 2]), texts("u", ["x"] * 3)]], offset=1)
        table.batches[0][1] = numbers("l", [7, 2, 1])
        self.assertEqual(links(self.build(table)), links(millrace.build(numpy.array([[1, 2], [2, 1]]))))

    def test_one_batch_at_a_time(self):
        table = Table([[numbers("l", [i]), numbers("l", [i + 1])] for i in range(100)])
        self.assertEqual(self.build(table).n_edges, 100)
        self.assertLessEqual(table.most, 5)  # the stream, the schema and its columns, a batch

    def test_frames_of_pandas(self):
        """Without their index, which would be a third column; and as arrays where pandas has no pyarrow."""
        class Frame:
            columns = ["s", "t"]

            def __init__(self, has_pyarrow):
                self.has_pyarrow = has_pyarrow

            def __getitem__(self, name):
                return numpy.array(SOURCES if name == "s" else TARGETS)

            def reset_index(self, drop):
                assert drop
                self.table = Table([[numbers("l", SOURCES), numbers("l", TARGETS)]])  # lives as long as its stream
                return self.table if self.has_pyarrow else self

            def __arrow_c_stream__(self):
                if not self.has_pyarrow:
                    raise ImportError("pyarrow")
                return Table([[numbers("l", SOURCES)] * 3]).__arrow_c_stream__()

        expected = links(millrace.build(numpy.array([SOURCES, TARGETS]).T))
        self.assertEqual(links(millrace.build(Frame(True))), expected)
        self.assertEqual(links(millrace.build(Frame(False))), expected)

    def test_what_is_refused(self):
        good = numbers("l", [1, 2, 3])
        null = numbers("l", [1, 2, 3], valid=[True, True, False])
        first = [numbers("l", [5]), numbers("l", [6])]
        self.expect('row 2: column "source" is null; leave out rows without a value', Table([[null, good]]))
        self.expect('row 3: column "target" is null; leave out rows without a value', Table([first, [good, null]]))
        self.expect('row 1: column "target" is negative; numbers of pages begin with 0',
                    Table([[good, numbers("l", [1, -1, 0])]]))
        self.expect('row 0: column "target" is null; leave out rows without a value',
                    Table([[good, numbers("c", [1, 0, 0],
                                          dictionary=numbers("l", [1, 2], valid=[True, False]))]]))
        self.expect('row 2: column "target" has an index that its dictionary lacks',
                    Table([[good, numbers("c", [0, 1, 2], dictionary=numbers("l", [1, 2]))]]))
        self.expect('column "target" has floats; cast it to an integer, as the source is',
                    Table([[good, numbers("g", [0, 1, 2], dictionary=numbers("l", [1, 2]))]]))
        inner = numbers("i", [1, 0], dictionary=numbers("l", [1000, 2000]))
        self.expect('column "target" is a dictionary whose values are a dictionary; cast it to an integer, as the '
                    'source is', Table([[good, numbers("c", [0, 1, 0], dictionary=inner)]]))
        self.expect("the batch from row 1 on has too few columns or values; the program that made the table has a "
                    "fault", Table([first, [good, numbers("l", [1, 2])]]))
        self.expect("the batch from row 1 on has too few columns or values; the program that made the table has a "
                    "fault", Table([first, [good]]))
        self.expect('row 1: column "source" is no whole number from 0; leave out rows without a value, and cast the '
                    "column to an integer or a text", Table([[numbers("g", [1.0, 1.5, 2.0]), good]]))
        self.expect('column "target" has texts; cast it to an integer, as the source is',
                    Table([[good, texts("u", ["a"] * 3)]]))
        self.expect('column "target" has integers; cast it to a text, as the source is',
                    Table([[texts("u", ["a"] * 3), good]]))
        self.expect('column "weight" has texts; cast it to a 32-bit or 64-bit float',
                    Table([[good, good, texts("u", ["a"] * 3)]]), weights=True)
        for format, words in (("e", "half-precision floats"), ("b", "truth values"), ("tdD", "dates"), ("tsu:", "times"),
                              ("w:16", "bytes"), ("+r", "runs"), ("+l", "lists"), ("d:38,0,256", "decimals of another width")):
            self.expect(f'column "weight" has {words}; cast it to a 32-bit or 64-bit float',
                        Table([[good, good, Column(format, b"", length=3)]]), weights=True)
        small = Column("d:3,1", struct.pack("<qq", -25, -1) * 3, length=3)
        self.expect("link 0: the weight is -2.5; it must be finite and at least 1.2e-38", Table([[good, good, small]]), weights=True)
        self.expect("the table has 1 columns, and their names do not say which are source and target; name them: "
                    'columns="SOURCE,TARGET"', Table([[good]]))
        self.expect("the table has 2 columns, and their names do not say which are source, target and weight; name them: "
                    'columns="SOURCE,TARGET,WEIGHT"', Table([[good, good]]), weights=True)
        self.expect("the stream of the table failed: the disk is gone",
                    Table([first], error=b"the disk is gone"))
        self.expect("link 1: a name is empty, longer than 65536 bytes or has a line feed in it",
                    Table([[texts("u", ["a", ""]), texts("u", ["b", "c"])]]))
        with self.assertRaises(millrace.InputError):
            millrace.build(Table([[good, good, numbers("f", [1, 0, 1])]]), weights=True)
        with self.assertRaises(millrace.UsageError):
            millrace.build(Table([first]), classes="size")


def consume(exporter, moves_children=False):
    """The columns of a stream as lists, read as the specification says; all structs are released."""
    capsule = exporter.__arrow_c_stream__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    stream = Stream.from_address(pointer(capsule, b"arrow_array_stream"))
    address = ctypes.addressof(stream)
    schema = Schema()
    if stream.get_schema(address, schema):
        raise OSError(ctypes.string_at(stream.get_last_error(address)).decode())
    assert schema.format == b"+s"
    fields = [(schema.children[i][0].name.decode(), schema.children[i][0].format.decode())
              for i in range(schema.n_children)]
    schema.release(ctypes.addressof(schema))
    assert not schema.release
    columns, sizes = {name: [] for name, _ in fields}, []
    while True:
        batch = Array()
        if stream.get_next(address, batch):
            raise OSError(ctypes.string_at(stream.get_last_error(address)).decode())
        if not batch.release:
            break
        assert batch.n_children == len(fields) and batch.offset == 0 and batch.n_buffers == 1
        sizes.append(batch.length)
        moved = [Array() for _ in fields]
        for i in range(len(fields)):
            child = batch.children[i][0]
            ctypes.memmove(ctypes.addressof(moved[i]), ctypes.addressof(child), ctypes.sizeof(Array))
            if moves_children:
                child.release = RELEASE()
        if moves_children:
            batch.release(ctypes.addressof(batch))
        for (name, format), child in zip(fields, moved):
            assert child.length == sizes[-1] and child.null_count == 0
            columns[name] += values_of(format, child)
            if moves_children:
                child.release(ctypes.addressof(child))
        if not moves_children:
            batch.release(ctypes.addressof(batch))
        assert not batch.release
    stream.release(address)
    assert not stream.release
    return columns, sizes


def values_of(format, array):
    n = array.length
    if format == "U":
        offsets = numpy.frombuffer(ctypes.string_at(array.buffers[1], 8 * (n + 1)), "<i8")
        data = ctypes.string_at(array.buffers[2], int(offsets[n])) if n else b""
        return [data[a:b].decode() for a, b in zip(offsets, offsets[1:])]
    assert array.n_buffers == 2
    kind = {"g": "<f8", "l": "<i8", "L": "<u8"}[format]
    return numpy.frombuffer(ctypes.string_at(array.buffers[1], 8 * n), kind).tolist()


class Exports(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(_arrow._held, {})

    def test_names_numbers_and_labels(self):
        for graph, kind in (([(URLS[a], URLS[b]) for a, b in zip(FROM, TO)], str),
                            (numpy.array([SOURCES, TARGETS]).T, int),
                            ([(-1, 2), (2, 3), (3, -1)], int),
                            ([((1, 2), "x"), ("x", (1, 2))], str)):
            for moves in False, True:
                ranking = millrace.pagerank(graph)
                columns, _ = consume(ranking, moves)
                self.assertEqual(list(columns), ["name", "score"])
                expected = {kind(str(name)): score for name, score in ranking.to_dict().items()}
                self.assertEqual(dict(zip(columns["name"], columns["score"])), expected)

    def test_every_column_in_batches(self):
        n = 150000
        with millrace.build(numpy.array([numpy.arange(n), (numpy.arange(n) * 7 + 1) % n]).T) as store:
            ranking = store.degree()
            columns, sizes = consume(ranking)
        self.assertEqual(sizes, [65536, 65536, n - 2 * 65536])
        self.assertEqual(columns, {"name": list(range(n)), "out": ranking["out"].tolist(),
                                   "in": ranking["in"].tolist()})

    def test_columns_by_vertex_are_not_copied(self):
        for graph in numpy.array([SOURCES, TARGETS]).T, [(-1, 2), (2, 3), (3, -1)]:
            ranking = millrace.pagerank(graph)
            with unittest.mock.patch.object(_arrow, "Export") as export:
                ranking.__arrow_c_stream__()
            for _, scores in export.call_args[0][1]:
                self.assertTrue(numpy.shares_memory(scores[0], ranking.scores))

    def test_a_table_of_scores_is_a_table(self):
        """What this module exports it also reads: names and their numbers of links as links."""
        degrees = millrace.build(numpy.array([SOURCES, TARGETS]).T).degree()
        with self.assertRaisesRegex(millrace.InputError, "the table has 3 columns"):
            millrace.build(degrees)
        ranking = millrace.pagerank(numpy.array([SOURCES, TARGETS]).T)
        with self.assertRaisesRegex(millrace.InputError, 'column "score" has floats'):
            millrace.build(ranking)

    def test_a_stream_that_nobody_reads(self):
        ranking = millrace.pagerank([("a", "b")])
        ranking.__arrow_c_stream__()
        self.assertEqual(_arrow._held, {})

    def test_what_arrow_cannot_hold(self):
        ranking = millrace.pagerank([("a", "b\udcff")])
        with self.assertRaisesRegex(OSError, "is not UTF-8"):
            consume(ranking)
        store = millrace.build([("a", "b")])
        ranking = store.pagerank()
        store.close()
        with self.assertRaises((OSError, millrace.UsageError)):
            consume(ranking)

    def test_frames(self):
        """pyarrow and Polars take the object itself; these stand for them."""
        ranking = millrace.pagerank([("a", "b"), ("b", "a")])
        fakes = {"pyarrow": types.SimpleNamespace(table=consume),
                 "polars": types.SimpleNamespace(DataFrame=consume)}
        with unittest.mock.patch.dict(sys.modules, fakes):
            for made in ranking.to_arrow(), ranking.to_polars():
                self.assertEqual(made[0], {"name": ["a", "b"], "score": [0.5, 0.5]})

    def test_frames_without_a_stream(self):
        """Old frames say which version has it."""
        frame = type("DataFrame", (), {"__module__": "polars.dataframe.frame"})()
        said = "DataFrame of this polars exports no stream of Arrow; tables of polars 1.4 or newer do"
        with self.assertRaisesRegex(millrace.InputError, said):
            millrace.pagerank(frame)

    def test_the_score_of_a_page(self):
        ranking = millrace.pagerank([("a", "b"), ("b", "a"), ("score", "a")])
        self.assertEqual(ranking["a"], ranking.to_dict()["a"])
        self.assertIsInstance(ranking["a"], float)
        self.assertEqual(len(ranking["score"]), 3)  # a column first
        self.assertRaises(KeyError, lambda: ranking["nobody"])
        numbers = millrace.pagerank(numpy.array([[5, 7], [7, 5]]))
        self.assertEqual(numbers[5], 0.5)
        self.assertRaises(KeyError, lambda: numbers[0])


if __name__ == "__main__":
    unittest.main()
