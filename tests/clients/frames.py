# SPDX-License-Identifier: Apache-2.0
"""Runs with the packages of client_frames.py: frames of all types are ranked as networkx ranks their links, their keys
come back with their types and join, and what has no clear meaning is refused in Millrace's words."""

import decimal
import io

import duckdb
import millrace
import networkx
import numpy
import pandas
import polars
import pyarrow
import pyarrow.compute
import pyarrow.csv
import pyarrow.dataset
import scipy.sparse

TEXTS = ["a", "a", "b", "c", "d", "\xe9 x"], ["b", "c", "c", "a", "c", "a"]
NUMBERS = [10, 10, 20, 30, 40, 50], [20, 30, 30, 10, 30, 10]
WEIGHTS = [1.0, 2.0, 1.0, 3.0, 1.0, 1.0]
RIGHT, WRONG = [], []


def exact(ends, weights=None):
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from(zip(*ends, weights or [1.0] * 6))
    return networkx.pagerank(graph, tol=1e-13, max_iter=1000)


def tell(name, problem):
    (WRONG if problem else RIGHT).append(name)
    if problem:
        print(f"WRONG {name}: {problem}")


def ranks(name, make, ends, weights=None, **options):
    """The frame is ranked right, and the ranks join with its own keys."""
    try:
        ranking = millrace.pagerank(make(), weight=True if weights else None, **options)
        wanted, column = exact(ends, weights), ranking.to_pandas()["score"]
        joined = pandas.DataFrame({"key": list(wanted)}).join(column, on="key")["score"]
        found = dict(ranking)
        different = [key for key, score in wanted.items() if not abs(found.get(key, 9) - score) < 1e-8]
        tell(name, different or (joined.isna().any() and "the keys do not join") or
             ({type(key) for key in found} != {type(key) for key in wanted} and f"keys {list(found)}"))
    except Exception as error:  # pylint: disable=broad-exception-caught
        tell(name, f"{type(error).__name__}: {error}")


def refused(name, run, *words):
    try:
        tell(name, f"no error: {run()}")
    except Exception as error:  # pylint: disable=broad-exception-caught
        missing = [word for word in words if word not in str(error)]
        tell(name, (not isinstance(error, (millrace.MillraceError, TypeError)) or missing) and f"{type(error).__name__}: {error}")


def equal(name, run, wanted):
    try:
        found = run()
        tell(name, found != wanted and f"{found} in place of {wanted}")
    except Exception as error:  # pylint: disable=broad-exception-caught
        tell(name, f"{type(error).__name__}: {error}")


frame, ints = (pandas.DataFrame({"s": s, "t": t}) for s, t in (TEXTS, NUMBERS))
for kind in ("object", "string", "string[pyarrow]", "string[python]", "category"):
    ranks(f"pandas {kind}", lambda kind=kind: frame.astype(kind), TEXTS)
for kind in "int8 int16 int32 uint8 uint16 uint32 uint64 Int64 UInt32 Int8".split():
    ranks(f"pandas {kind}", lambda kind=kind: ints.astype(kind), NUMBERS)
ranks("pandas Arrow", lambda: frame.convert_dtypes(dtype_backend="pyarrow"), TEXTS)
ranks("pandas filtered", lambda: pandas.concat([frame.head(2).replace("a", "z"), frame]).query("s != 'z'"), TEXTS)
ranks("pandas weights", lambda: frame.assign(w=WEIGHTS), TEXTS, WEIGHTS)
ranks("pandas names its columns", lambda: pandas.DataFrame({"target": TEXTS[1], "weight": WEIGHTS, "source": TEXTS[0]}), TEXTS, WEIGHTS)
ranks("pandas source=, target=", lambda: frame.assign(x=1)[["x", "t", "s"]], TEXTS, source="s", target="t")
ranks("columns in a dictionary", lambda: {"source": TEXTS[0], "target": TEXTS[1]}, TEXTS)

table = polars.DataFrame({"s": TEXTS[0], "t": TEXTS[1]})
for kind in (polars.String, polars.Categorical, polars.Enum(sorted(set(TEXTS[0] + TEXTS[1])))):
    ranks(f"polars {kind}", lambda kind=kind: table.cast(kind), TEXTS)
for kind in "Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64".split():
    ranks(f"polars {kind}", lambda kind=kind: polars.from_pandas(ints).cast(getattr(polars, kind)), NUMBERS)
ranks("polars lazy", table.lazy, TEXTS)
ranks("polars chunks", lambda: polars.concat([table[:2], table[2:3], table[3:]], rechunk=False), TEXTS)
ranks("polars weights", lambda: table.with_columns(w=polars.Series(WEIGHTS)), TEXTS, WEIGHTS)
ranks("polars decimals", lambda: table.with_columns(w=polars.Series(WEIGHTS).cast(polars.Decimal(10, 2))), TEXTS, WEIGHTS)

arrow, numbers = (pyarrow.table({"s": s, "t": t}) for s, t in (TEXTS, NUMBERS))
for kind in (pyarrow.large_string(), pyarrow.string_view(), pyarrow.dictionary(pyarrow.int8(), pyarrow.string())):
    ranks(f"pyarrow {kind}", lambda kind=kind: arrow.cast(pyarrow.schema([("s", kind), ("t", kind)])), TEXTS)
ranks("pyarrow batch", lambda: arrow.to_batches()[0], TEXTS)
ranks("pyarrow reader", lambda: arrow.to_reader(max_chunksize=2), TEXTS)
ranks("pyarrow dataset", lambda: pyarrow.dataset.dataset(arrow), TEXTS)
ranks("pyarrow scanner", lambda: pyarrow.dataset.dataset(arrow).scanner(), TEXTS)
ranks("pyarrow dictionary of integers", lambda: pyarrow.table({k: numbers[k].dictionary_encode() for k in "st"}), NUMBERS)
ranks("pyarrow reader of CSV", lambda: pyarrow.csv.open_csv(io.BytesIO(frame.to_csv(index=False).encode())), TEXTS)

with duckdb.connect() as base:
    base.register("e", arrow)
    base.register("n", numbers)
    ranks("duckdb", lambda: base.sql("select s, t from e"), TEXTS)
    ranks("duckdb integers", lambda: base.sql("select s::int s, t::ubigint t from n"), NUMBERS)
    ranks("duckdb hugeint", lambda: base.sql("select s::hugeint s, t::hugeint t from n"), NUMBERS)
    ranks("duckdb sum", lambda: base.sql("select s, t, sum(1) w from e group by all"), TEXTS, [1.0] * 6)
    ranks("duckdb decimals", lambda: base.sql("select s, t, 1.0 w from e"), TEXTS, [1.0] * 6)

ranks("numpy", lambda: numpy.array(NUMBERS).T, NUMBERS)
ranks("numpy structured", lambda: numpy.array(list(zip(*NUMBERS)), [("s", "u4"), ("t", "u4")]), NUMBERS)
ranks("pairs", lambda: zip(*TEXTS), TEXTS)
ranks("rows", lambda: frame.itertuples(index=False), TEXTS)
ranks("scipy", lambda: scipy.sparse.coo_array(([1] * 6, tuple(numpy.array(NUMBERS) // 10 - 1)), (5, 5)),
      tuple([number // 10 - 1 for number in side] for side in NUMBERS))

# A Series is what it says: pages are never taken by place.
store = millrace.build(numpy.array([[i, (i + 1) % 12] for i in range(12)] + [[i, 0] for i in range(12)]))
listed = store.pagerank(teleport=[10, 11]).to_dict()
for series in (pandas.Series, polars.Series):
    try:
        near = store.pagerank(teleport=series([10, 11]))
        tell(f"teleport of {series.__module__}", dict(near) != listed and "other pages")
    except millrace.MillraceError as error:
        tell(f"teleport of {series.__module__}", "weight" not in str(error) and str(error))
hosts = millrace.build([("b.org", "z.org"), ("y.org", "z.org"), ("z.org", "b.org"), ("b.org", "y.org"), ("a.org", "y.org")])
ranking = hosts.pagerank()
column = ranking.to_pandas()["score"].sort_values(ascending=False)  # another order than the vertices
for name, ask in (("certify", lambda scores: round(hosts.certify(scores).error_bound, 12)),
                  ("precedence", lambda scores: hosts.precedence(scores, levels=4).tolist()),
                  ("next", lambda scores: hosts.next(scores, 4, [])),
                  ("hosts", lambda scores: [(host.host, host.score) for host in hosts.hosts(scores=scores)]),
                  ("compare", lambda scores: millrace.compare(column.to_dict(), scores).l1)):
    equal(f"{name} of a Series", lambda ask=ask: ask(column), ask(column.to_dict()))
    equal(f"{name} of a frame", lambda ask=ask: ask(ranking.to_polars().sample(fraction=1, shuffle=True, seed=3)), ask(column.to_dict()))
equal("a Series is the ranking", lambda: pandas.Series(ranking).to_dict(), ranking.to_dict())
refused("a null", lambda: millrace.pagerank(pandas.DataFrame({"s": TEXTS[0] + [None], "t": TEXTS[1] + ["a"]})), "row 6")
refused("a negative id", lambda: millrace.pagerank(pandas.DataFrame({"s": [-1, 2], "t": [2, -1]})), "row 0", "negative")
refused("one column", lambda: millrace.pagerank(frame[["s"]]), "column")
refused("unknown words", lambda: store.pagerank(personalization=[10]), "teleport")
refused("a bad weight", lambda: millrace.pagerank(frame.assign(w=decimal.Decimal(-1)), weight=True), "the weight is -1")
for words, kind in (("half-precision", pyarrow.float16()), ("dates", pyarrow.date32()), ("lists", pyarrow.list_(pyarrow.int8()))):
    refused(f"pyarrow {kind}", lambda kind=kind: millrace.pagerank(arrow.append_column("w", pyarrow.nulls(6, kind)), weight=True), words)
refused("pyarrow runs", lambda: millrace.pagerank(pyarrow.table({k: pyarrow.compute.run_end_encode(arrow[k]) for k in "st"})), "runs")

print(f"{len(RIGHT)} of {len(RIGHT) + len(WRONG)}")
