# SPDX-License-Identifier: Apache-2.0
"""Scores of a store, as numpy arrays over the library's own memory."""

from __future__ import annotations

import ctypes
import decimal
import functools
import html
import itertools
import os
import tempfile
from typing import (
    Any, Dict, Hashable, Iterator, List, Literal, Mapping, NamedTuple, Optional, Tuple, Union)

import numpy

from . import _arrow, _library as c
from ._context import Context, Handle, context_of
from ._pages import check_once, pages_and_numbers
from ._values import choice, integer, reals
from .errors import InputError, UsageError
from .query import Why

_BATCH = 65536
_ARROW = {"d": "g", "f": "f", "I": "I", "B": "C"}
_KINDS = {0: None, 1: "error", 2: "estimate", 3: "stationarity", 4: "relative"}


def _bound_text(bound):
    """Two digits, rounded up: 1.82e-10 is not at most 1.8e-10."""
    up = decimal.Context(prec=2, rounding=decimal.ROUND_CEILING)
    return f"{up.create_decimal_from_float(bound):.1e}"


class Ranking(Mapping[Hashable, float]):
    """Columns of scores, one number per vertex, and the certificate.

    scores            the last column: PageRank's only one, the authorities of HITS, ...
    ranking["hub"]    a column by name; `columns` lists the names
    ranking["b.org"]  the score of a page, in the last column
    ranking[:10]      scores of the first vertices

    It is also a dictionary {label or name: score} of the last column: dict(ranking), pandas.Series(ranking), `in`,
    iteration, items(). A pickle has the columns, figures and labels, and does without the store.
    error_bound       at most the sum of the errors of all scores, where bound_kind is "error";
                      divided by the sum of the scores, where it is "relative"
    proven_until      whether what `until` asked for is proven
    converged, tolerance, residual, passes, rounds, seconds, bytes_read, eigenvalue, change
    figures           all figures of the ranking by name, of katz, harmonic and other kinds
    text              what there is to say about the result, of these
    words             what the numbers of a column of words are: {"part": ["core", "in", ...]}

    Arrays are read-only views without a copy. They stay valid when the ranking and the store are
    gone. An array has the scores by vertex: names of the store and `labels` of a graph of Python
    have the same order.
    """

    bound_kind: Optional[str]
    error_bound: Any  # a number; None without a bound
    converged: bool
    proven_until: bool
    tolerance: float
    residual: float
    rounding_bound: float
    change: float
    eigenvalue: float
    passes: int
    rounds: int
    bytes_read: int
    seconds: float
    words: Dict[str, List[str]]

    def __init__(self, store: Any, handle: Handle, kind: Any, options: Any = None, weights: bool = False):
        self._store, self._kind, self._options, self._weights = store, kind, options or {}, weights
        self._handle = handle  # never closed: nothing here waits for other calls
        self._keys = None
        figures, n_columns = c.RankingFigures(), c.c_uint()
        c.lib.mr_ranking_describe(handle.pointer, figures)
        self._table = c.lib.mr_ranking_columns(handle.pointer, ctypes.byref(n_columns))
        self._columns = {
            self._table[i].name.decode(): self._view(i, figures.n_vertices)
            for i in range(n_columns.value)}
        self.words = {
            self._table[i].name.decode(): [word.decode() for word in itertools.takewhile(
                bool, (self._table[i].words[k] for k in itertools.count()))]
            for i in range(n_columns.value) if self._table[i].words}
        self.bound_kind = _KINDS[figures.bound_kind]
        self.error_bound = figures.error_bound if self.bound_kind else None
        for name in ("converged", "proven_until", "tolerance", "residual", "rounding_bound", "change",
                     "eigenvalue", "passes", "rounds", "bytes_read", "seconds"):
            setattr(self, name, getattr(figures, name))

    def _view(self, column, n):
        kind = c.SCORE_TYPES[self._table[column].type]
        memory = (kind * n).from_address(self._table[column].values) if n else (kind * 0)()
        memory.owner = self._handle.owned  # the array's base keeps the ranking
        array = numpy.frombuffer(memory, dtype=kind, count=n)
        array.flags.writeable = False
        return array

    @functools.cached_property
    def figures(self) -> Dict[str, Any]:
        """All figures of the ranking by name."""
        return self._kind.figures_of(self._handle.pointer)

    @functools.cached_property
    def text(self) -> str:
        """What there is to say about the result."""
        return c.lib.mr_ranking_text(self._handle.pointer).decode()

    @property
    def columns(self) -> List[str]:
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, key: Hashable) -> Any:
        """The array of a column or, of any other key, the score of the page with this label or name; KeyError where
        there is none. Of a slice, scores by vertex."""
        if isinstance(key, str) and key in self._columns:
            return self._columns[key]
        if isinstance(key, slice):
            return self.scores[key]
        return self._score(key)

    def _score(self, label):
        return float(self.scores[self._store.vertex(label)])

    def _labels(self):
        """The labels or names by vertex, kept for later when the store is closed."""
        if self._keys is None:
            self._keys = self._store._all_labels()
        return self._keys

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._labels())

    def keys(self) -> Any:
        """The labels or names by vertex."""
        return self.to_dict().keys()

    def __contains__(self, label: object) -> bool:
        try:
            self._store.vertex(label)
        except (KeyError, TypeError):
            return False
        return True

    def get(self, label: Any, default: Any = None) -> Any:
        """The score of the page with this label or name."""
        try:
            return self._score(label)
        except KeyError:
            return default

    def items(self) -> Any:
        """Pairs (label or name, score) by vertex."""
        return self.to_dict().items()

    def values(self) -> Any:
        """The scores by vertex."""
        return self.to_dict().values()

    __eq__, __hash__ = object.__eq__, object.__hash__  # columns are no single number to compare

    def __getstate__(self) -> Dict[str, Any]:
        kept = {name: column.copy() for name, column in self._columns.items()}
        state = {name: value for name, value in self.__dict__.items() if name not in ("_store", "_handle", "_table", "_kind", "_options")}
        return {**state, "_columns": kept, "_keys": self._labels(), "figures": self.figures, "text": self.text}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._store, self._handle, self._table = _Unpickled(self._keys), None, None
        for column in self._columns.values():
            column.flags.writeable = False

    @property
    def scores(self) -> numpy.ndarray:
        """The last column."""
        return self._columns[self.columns[-1]]

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> numpy.ndarray:
        array = self.scores if dtype is None else self.scores.astype(dtype, copy=False)
        return array.copy() if copy else array

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        bound = f", error bound {_bound_text(self.error_bound)}" if self.bound_kind else ""
        return f"<millrace.Ranking of {len(self)} vertices: {', '.join(self.columns)}{bound}>"

    def _repr_html_(self) -> str:
        """The best ten as a table, for notebooks."""
        rows = "".join(f"<tr><td>{html.escape(str(label))}</td><td>{score:.6g}</td></tr>"
                       for label, score in self.top())
        return (f"<p>{html.escape(repr(self))}</p><table><tr><th>vertex</th>"
                f"<th>{html.escape(self.columns[-1])}</th></tr>{rows}</table>")

    def plot(self, column: Optional[str] = None, ax: Any = None) -> Any:
        """How the scores are distributed, on logarithmic axes: of each score, how many pages have at least that.

        Scores that are not above 0 are left out. ax: Axes of matplotlib; None: of a new figure. Returns the Axes.
        """
        try:
            from matplotlib import pyplot  # pylint: disable=import-outside-toplevel
        except ImportError as error:
            raise ImportError("plot needs matplotlib; python3 -m pip install matplotlib") from error
        name = self.columns[-1] if column is None else column
        scores = self._columns.get(name)
        if scores is None or scores.dtype.kind != "f":
            raise UsageError(f"{name!r} is no column of scores; there are {', '.join(self.columns)}")
        scores, n = numpy.unique(scores[scores > 0], return_counts=True)
        pages = numpy.cumsum(n[::-1])[::-1]
        # From the best: each of the first, then ever fewer, as one sees them.
        shown = numpy.unique(numpy.geomspace(1, len(scores), 2000).astype(int)) if len(scores) else numpy.zeros(0, int)
        if ax is None:
            ax = pyplot.figure().subplots()
        ax.loglog(scores[len(scores) - shown], pages[len(scores) - shown], ".")
        ax.set(title=f"{name} of {len(self):,} pages", xlabel=f"{name} of a page", ylabel="pages with at least this")
        return ax

    def top(self, k: int = 10, column: Optional[str] = None) -> List[Tuple[Hashable, float]]:
        """The k best vertices as pairs (label or name, score), best first; ties by vertex."""
        scores = self.scores if column is None else self[column]
        k = min(integer(c.c_uint64, k, "k"), len(scores))
        if k == 0:
            return []
        # All that are at least as good as the k-th best, so that ties are decided by vertex.
        threshold = numpy.partition(scores, len(scores) - k)[len(scores) - k]
        best = numpy.flatnonzero(scores >= threshold)
        best = best[numpy.argsort(-scores[best], kind="stable")][:k]
        label = self._store.label if self._keys is None else self._keys.__getitem__
        return [(label(int(v)), float(scores[v])) for v in best]

    def why(self, page: Hashable, top: int = 20, by: Literal["host", "domain"] = "host",
            column: Optional[str] = None) -> Why:
        """Where the score of a page comes from, of pagerank, ppr and trustrank: the share of the teleport, of pages
        without links, of each page that links to it, the `top` largest, and of each host or domain. column: of
        ppr(batch=...), the last unless said. Takes a reading of a part of the links and of the degrees; scores in
        single precision a copy."""
        if self._handle is None:
            raise UsageError("a ranking from a pickle has no store to look for links in; rank the store again")
        scores = self.scores if column is None else self[column]
        return self._store._why(numpy.ascontiguousarray(scores, numpy.float64), page, top, by, self._why_options(column))

    def _why_options(self, column):
        """(weights, damping, dangling, scale, bound, pages of the teleport or None, what gave them)."""
        kind, given = self._kind.name, self._options
        if kind not in ("pagerank", "ppr", "trustrank") or given.get("heritrix") or given.get("spam_mass"):
            raise UsageError(f"why explains scores of pagerank, ppr and trustrank (without heritrix and spam_mass), and "
                             f"these are of {kind}")
        vectors = self.figures.get("vectors", [])
        at = next((i for i, one in enumerate(vectors) if one["name"] == column), -1)
        key = next((key for key in ("teleport", "seeds", "trusted", "seed", "batch") if given.get(key) is not None), None)
        pages = given.get(key)
        if key == "batch":
            pages = (list(pages.values()) if hasattr(pages, "values") else list(pages))[at]
        elif key == "seed":
            if pages not in self._store.names:
                raise UsageError(f"the seed {pages} is a host or domain; rank with seeds=[...] of its pages")
            pages = [self._store.label(self._store.names.find(pages))]
        damping = given.get("damping")
        return (self._weights, self._kind.options["damping"].usual if damping is None else damping,
                self.figures.get("dangling") or given.get("dangling") or "teleport",
                len(self) if self.figures.get("scale") == "pages" else 1,
                vectors[at]["error_bound"] if vectors else self.error_bound, pages, key)

    def to_dict(self, column: Optional[str] = None) -> Dict[Hashable, float]:
        """{label or name: score} of all vertices, as networkx returns it."""
        scores = self.scores if column is None else self[column]
        return dict(zip(self._labels(), scores.tolist()))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame of all columns; its index are the labels or names. Copies the columns, once."""
        import pandas  # pylint: disable=import-outside-toplevel
        return pandas.DataFrame(
            {name: column.copy() for name, column in self._columns.items()}, index=self._labels(), copy=False)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow's stream of the labels or names, in the column "name", and all columns. pyarrow, Polars, DuckDB and
        pandas take it. Names come in their order, 65,536 rows at a time; labels by vertex. Columns are not copied where
        that is the order of the vertices: with labels, and of pages that are numbers."""
        labels = self._store.labels
        if labels is not None:
            is_text = not all(isinstance(one, int) and abs(one) < 1 << 63 for one in labels)
            pairs = enumerate(map(str, labels) if is_text else labels)
        else:
            is_text = self._store.figures["name_kind"] == c.NAMES_TEXT
            pairs = self._store.names.sorted()
        kind = numpy.int64 if labels is not None else numpy.uint64

        def batches():
            while True:
                rows = list(itertools.islice(pairs, _BATCH))
                if not rows:
                    return
                vertices = [vertex for vertex, _ in rows]
                names = (_arrow.texts([name for _, name in rows]) if is_text else
                         [numpy.array([int(name) for _, name in rows], kind)])
                if vertices == list(range(vertices[0], vertices[0] + len(rows))):
                    vertices = slice(vertices[0], vertices[0] + len(rows))  # no copy
                yield [names, *([column[vertices]] for column in self._columns.values())]

        formats = {"name": "U" if is_text else "l" if kind is numpy.int64 else "L"}
        kinds = {name: _ARROW[array.dtype.char] for name, array in self._columns.items()}
        return _arrow.Export({**formats, **kinds}, batches()).capsule()

    def to_arrow(self) -> Any:
        """A pyarrow.Table of the names or labels and all columns. Needs pyarrow 14."""
        import pyarrow  # pylint: disable=import-outside-toplevel
        return pyarrow.table(_Stream(self))

    def to_polars(self) -> Any:
        """A polars.DataFrame of the names or labels and all columns. Needs Polars 1.3."""
        import polars  # pylint: disable=import-outside-toplevel
        return polars.DataFrame(_Stream(self))

    def changes(self, before: Union["Ranking", str, "os.PathLike[str]"], top: int = 100, *,
                scale: Literal["pages", "one"] = "pages") -> "Changes":
        """What surely changed since another ranking, that of an older graph, or a file of one: pages and hosts whose
        scores differ by more than both error bounds, and new and gone ones. scale: "pages" compares scores times the
        pages of their graph, "one" shares of the whole. At most `top` rows of each kind. The rankings go through
        temporary files. Takes 20 bytes for each page, 54 more where the pages are not the same ones."""
        options = c.ChangesOptions(
            top=integer(c.c_uint64, top, "top", 1), shares=choice({"pages": False, "one": True}, scale, "scale"), hosts=True)
        found, texts = c.Changes(), {}

        def copied(_):
            try:
                return Changes([
                    Change(name if of == "host" else texts.get(name, name), of, kind, row.before.score, row.after.score,
                           row.before.rank, row.after.rank, row.before.best, row.before.worst, row.after.best, row.after.worst)
                    for of, lists in zip(("page", "host"), found.lists)
                    for kind, rows in zip(_CHANGES, lists) for row in rows.rows[:rows.n_rows]
                    for name in [ctypes.string_at(row.name, row.name_bytes).decode("utf-8", "surrogateescape")]],
                    {of: {kind: rows.n for kind, rows in zip(_CHANGES, lists)}
                     for of, lists in zip(("page", "host"), found.lists)},
                    found.bound_before, found.bound_after)
            finally:
                c.lib.mr_changes_free(found)

        context = context_of(None) if self._handle is None else self._store.context
        with tempfile.TemporaryDirectory() as folder:
            sides = [c.ScoresSide(path=one) if isinstance(one, (str, os.PathLike)) else
                     one._side(os.path.join(folder, name), texts)
                     for one, name in ((before, "before.tsv"), (self, "after.tsv"))]
            return context.handle.call(c.lib.mr_scores_find_changes, *sides, options, found, then=copied)

    def _side(self, path, texts):
        """A file of the scores, and what is proven of them. `texts` gets {text in the file: label}."""
        if self.bound_kind != "error" or len(self._columns) != 1:
            raise UsageError("changes need one column of scores with an error bound, as pagerank has it")
        if self._handle is not None and self._store.labels is None and self._store.figures["name_kind"] == c.NAMES_TEXT:
            self.write(path)
        else:
            with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
                for label, score in zip(self._labels(), self.scores.tolist()):
                    text = str(label)
                    if texts.setdefault(text, label) != label or text.splitlines() != [text] or "\t" in text:
                        raise InputError(f"{label!r} and {texts[text]!r}: labels must be told apart by a line of text")
                    file.write(f"{text}\t{score!r}\n")
        return c.ScoresSide(
            path=path, n_vertices=len(self), bound=self.error_bound, adds_up=self.figures["dangling"] != "none",
            total=len(self) if float(self.scores.sum(dtype=float)) > 1.05 else 1)

    def write(self, path: Union[str, os.PathLike[str]], force: bool = False, header: bool = False,
              top: Optional[int] = None, sort: Literal["name", "score"] = "name") -> None:
        """Write all columns to a file whose suffix decides the format, as the program does. sort: "name", or "score"
        for the best first by the last column; `top` writes so many of these."""
        if self._handle is None:
            raise UsageError("a ranking from a pickle has no store to write with; to_pandas() or to_arrow() can be written")
        best = choice({"name": False, "score": True}, sort, "sort") or top is not None
        options = c.ScoresOptions(
            force=force, header=header, only_top=best, top=len(self) if top is None else top,
            top_column=len(self._columns) - 1, error_bound=self.error_bound if self.bound_kind == "error" else 0)
        self._store.context.handle.call(
            c.lib.mr_scores_write, path, self._store.names.handle, len(self), self._table,
            len(self._columns), options, None)


class _Best(NamedTuple):
    indptr: numpy.ndarray
    ids: numpy.ndarray
    scores: numpy.ndarray
    bounds: numpy.ndarray


class BestPages(_Best):
    """The best pages of many seeds, as `indptr, ids, scores, bounds = store.ppr_top(seeds)`.

    ids[indptr[i]:indptr[i + 1]]  the best vertices of seed i, best first, and so their scores
    bounds    of each seed, at most the sum of the errors of all its scores
    proven    of each seed, whether no other page is better than one of these
    shape     (seeds, vertices of the store)
    """

    proven: numpy.ndarray
    shape: Tuple[int, int]

    def to_scipy(self) -> Any:
        """A scipy.sparse.csr_array of the scores, a row for each seed. Its arrays are copies, ordered by vertex."""
        import scipy.sparse  # pylint: disable=import-outside-toplevel
        made = scipy.sparse.csr_array((self.scores, self.ids, self.indptr), shape=self.shape, copy=True)
        made.sort_indices()
        return made

    def to_arrow(self) -> Any:
        """A pyarrow.Table with a row for each seed: lists of pages (vertices) and scores, bound, proven."""
        import pyarrow  # pylint: disable=import-outside-toplevel
        ends = pyarrow.array(self.indptr)
        return pyarrow.table({
            "pages": pyarrow.LargeListArray.from_arrays(ends, pyarrow.array(self.ids)),
            "scores": pyarrow.LargeListArray.from_arrays(ends, pyarrow.array(self.scores)),
            "bound": self.bounds, "proven": self.proven})


class _Stream:
    """A ranking as a table alone, for what would take it as a dictionary."""

    def __init__(self, ranking):
        self.__arrow_c_stream__ = ranking.__arrow_c_stream__


class _Unpickled:
    """The labels of a ranking that came from a pickle, in the place of its store."""

    figures = {"name_kind": c.NAMES_TEXT}

    def __init__(self, labels):
        self.labels = labels
        self._vertices = {label: vertex for vertex, label in enumerate(labels)}
        self.label, self.vertex = labels.__getitem__, self._vertices.__getitem__


_CHANGES = ("gained", "lost", "new", "gone")


class Change(NamedTuple):
    """A page or host of Changes. Scores are NaN and ranks 0 where it was not there; best and worst: the exact rank is
    one of these."""

    name: Hashable
    of: str
    kind: str
    before: float
    after: float
    rank_before: int
    rank_after: int
    best_before: int
    worst_before: int
    best_after: int
    worst_after: int


class Changes(NamedTuple):
    """What changed between two rankings, as `ranking.changes(before)` finds it.

    rows      of pages, then of hosts: gained, lost, new, gone, each the largest change first
    counts    how many there are, listed or not: {"page": {"gained": n, ...}, "host": ...}
    bound_before, bound_after  the most that a score, or the sum of a host, is off, in the scale that is compared
    """

    rows: List[Change]
    counts: Dict[str, Dict[str, int]]
    bound_before: float
    bound_after: float

    def to_pandas(self) -> Any:
        """A pandas.DataFrame of the rows."""
        import pandas  # pylint: disable=import-outside-toplevel
        return pandas.DataFrame(self.rows, columns=Change._fields)


class Certificate(NamedTuple):
    """What is proven of given scores. Scores are divided by their sum.

    error_bound       at most the sum of all differences to the exact ranks
    rounding_bound    the part of it that comes from rounding in the proof
    top_proven        of the `top` best, those that are surely among the `top` best by exact ranks
    order_proven      the first so many are surely in their exact order
    """

    score_sum: float
    error_bound: float
    residual: float
    rounding_bound: float
    top: int
    top_proven: int
    order_proven: int


class HarmonicCertificate(NamedTuple):
    """Relative errors of harmonic centralities at a sample of pages.

    sample            how many pages were searched from
    n_unreached       of these, pages that no other page reaches
    within_1, 2, 3    of these, pages whose error is at most 1, 2 and 3 stated deviations
    mean_error, mean_signed_error, largest_error
    largest           the page with the largest error
    """

    sample: int
    n_unreached: int
    within_1: int
    within_2: int
    within_3: int
    mean_error: float
    mean_signed_error: float
    largest_error: float
    largest: Hashable


class Comparison(NamedTuple):
    """How alike two rankings are. kendall_tau and spearman_rho are NaN where all scores of one side are equal."""

    n_a: int
    n_b: int
    n_common: int
    n_compared: int
    n_different: int
    kendall_tau: float
    spearman_rho: float
    l1: float
    l_infinity: float
    top: int
    top_common: int
    by_row: bool
    sum_a: float
    sum_b: float


# Scores by vertex, by label or name, or in a file.
Scores = Union[Ranking, numpy.ndarray, Mapping[Any, float], str, "os.PathLike[str]"]


def _pages_of(of, other, what):
    """(pages, scores) of one side; a ranking beside an array is an array."""
    if isinstance(of, Ranking):
        return None if isinstance(other, (numpy.ndarray, list, tuple)) else of._labels(), of.scores
    pages, scores = pages_and_numbers(of, what, 0, are_numbers=True)
    if scores is None:
        raise InputError(f"{what} has pages without numbers; give {{page: score}}")
    return pages, scores


def compare(a: Scores, b: Scores, top: int = 100, missing: Literal["skip", "zero"] = "skip", column: Optional[str] = None,
            column_b: Optional[str] = None, context: Optional[Context] = None) -> Comparison:
    """Kendall's tau-b, Spearman's rho, the overlap of the `top` best and distances of two rankings.

    a, b: two files of scores, whose pages are matched by name, or rows of .npy by number; two
    dictionaries {label: score}; or two arrays of the same vertices. A Ranking is an array, and a
    dictionary if the other side is one or has another store. missing: pages that one side lacks (or
    has NaN for) are left out ("skip") or have the score 0 there ("zero"). column, column_b: as in
    store.read_scores, of files. Takes 32 bytes for each page.
    """
    options = c.CompareOptions(
        missing_is_zero=choice({"skip": False, "zero": True}, missing, "missing"),
        top=integer(c.c_uint64, top, "top", 1))
    figures = c.CompareFigures()
    call = context_of(context).handle.call
    are_files = [isinstance(one, (str, os.PathLike)) for one in (a, b)]
    if all(are_files):
        sides = c.ScoresSide(path=a, column=column), c.ScoresSide(path=b, column=column_b or column)
    elif any(are_files) or column is not None or column_b is not None:
        raise InputError("a file of scores compares with another file only; read it with "
                         "store.read_scores(path, column)")
    else:
        if all(isinstance(one, Ranking) for one in (a, b)) and a._store is b._store:
            a, b = a.scores, b.scores
        pairs = [_pages_of(one, other, what) for one, other, what in ((a, b, "a"), (b, a, "b"))]
        if any(pages is not None for pages, _ in pairs):
            if not all(pages is not None for pages, _ in pairs):
                raise InputError("one side has labels and the other has none; give dictionaries {page: score} or two arrays")
            for (pages, _), what in zip(pairs, "ab"):
                check_once(pages, f"the scores of {what}")
            tables = [dict(zip(pages, scores)) for pages, scores in pairs]
            if all(tables) and not tables[0].keys() & tables[1].keys():
                raise InputError(f"a and b have no page in common: the first ones are {pairs[0][0][0]!r} and {pairs[1][0][0]!r}; "
                                 "give scores of the same pages")
            labels = dict.fromkeys(itertools.chain(*tables))
            a, b = ([table.get(label, numpy.nan) for label in labels] for table in tables)
        else:
            (_, a), (_, b) = pairs
        a, b = reals(a, "a"), reals(b, "b")
        if len(a) != len(b):
            raise InputError(f"there are {len(a)} and {len(b)} scores; compare two dictionaries "
                             "{page: score}")
        sides = (c.ScoresSide(scores=one, n_vertices=len(one)) for one in (a, b))
    call(c.lib.mr_scores_compare, *sides, options, figures)
    return Comparison(**figures.to_dict())
