# SPDX-License-Identifier: Apache-2.0
"""What callers give for pages, and for pages with numbers: one reader for all calls.

A dictionary, and a Series of pandas, say which page a number is of. A frame of two columns does so, too. An array, also
one of Polars or Arrow, has no labels: its numbers are by vertex. What could mean two things is refused.
"""

from collections.abc import Mapping

import numpy

from .errors import InputError

_TAKEN = ("a dictionary {page: number}, a Series whose index are pages, a frame of two columns, or an array of a number "
          "for each vertex")


def _list(column):
    """The values of a column of numpy, pandas, Polars or Arrow as objects of Python."""
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(column, method):
            return getattr(column, method)()
    return list(column)


def is_series(of):
    """Is it a Series of pandas, which has an index?"""
    return hasattr(of, "index") and hasattr(of, "to_dict") and hasattr(of, "dtype")


def is_frame(of):
    """Is it a table of pandas, Polars, Arrow or DuckDB?"""
    return hasattr(of, "columns") and not isinstance(of, Mapping)


def _has_names(index):
    """Does an index of pandas have labels, and not just the numbers of the rows?"""
    return not (type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1)


def _kind(column):
    """The kind of numpy's type for a column: b, i, u, f, or O for texts and others."""
    try:
        return numpy.asarray(column).dtype.kind
    except (TypeError, ValueError):
        return "O"


def _are_numbers(column):
    """May the values be numbers? Decimals and missing ones are objects."""
    kind = _kind(column)
    return kind in "biuf" or (kind == "O" and not any(isinstance(one, (str, bytes)) for one in _list(column)))


def _of_frame(frame, what):
    """The column of pages and the column of numbers, or one column alone."""
    names = list(getattr(frame, "column_names", frame.columns))
    if hasattr(frame, "fetchall"):  # a relation of DuckDB
        columns = [list(column) for column in zip(*frame.fetchall())] or [[] for _ in names]
    else:
        columns = [frame[name] for name in names]
    index = getattr(frame, "index", None)  # numbers without a name are those of the rows that a sort or a filter left
    has_names = index is not None and _has_names(index) and (index.name is not None or _kind(index) not in "iu")
    if len(names) == 1:
        return columns[0], None
    if len(names) != 2 or has_names or not _are_numbers(columns[1]):
        raise InputError(f"{what} is a table of the columns {', '.join(map(repr, names))}; take the column of the pages and "
                         f"that of the numbers: frame{'.reset_index()' if has_names else ''}[[PAGE, NUMBER]]")
    return columns


def _of_series(series, what, are_numbers, n):
    kind, has_names = _kind(series), _has_names(series.index)
    if are_numbers or kind in "bf" or (kind in "iu" and has_names and _kind(series.index) == "O"):
        return _list(series.index), _list(series)
    if kind in "iu" and (has_names or len(series) == n):
        raise InputError(f"{what}: this Series may have pages or numbers as its values; give series.tolist() for pages, "
                         "series.to_dict() for numbers of the pages in its index")
    return _list(series), None


def check_once(pages, what):
    """Refuse pages of which one has two numbers."""
    seen = set()
    for page in pages:
        if page in seen:
            raise InputError(f"{what} have the page {page!r} twice, and a page has one score; of a frame, "
                             "frame.groupby(PAGE)[NUMBER].sum() adds them")
        seen.add(page)


def pages_and_numbers(of, what, n, are_numbers=False):
    """(pages, numbers) of what a caller gives for `what`. numbers is None for pages alone; pages is None for an array of a
    number for each of n vertices. are_numbers: integers cannot be pages."""
    if isinstance(of, (str, bytes)):
        raise InputError(f"{what} is one text; give a list: [{of!r}]")
    if hasattr(of, "collect") and hasattr(of, "lazy"):  # a LazyFrame of Polars
        of = of.collect()
    if is_frame(of):
        of, numbers = _of_frame(of, what)
        if numbers is not None:
            return _list(of), _list(numbers)
    if is_series(of):
        return _of_series(of, what, are_numbers, n)
    if hasattr(of, "keys") and hasattr(of, "values"):  # a dictionary or a ranking
        return list(of.keys()), list(of.values())
    if hasattr(of, "__array__"):
        kind, is_array = _kind(of), isinstance(of, (numpy.ndarray, numpy.generic))
        if kind in "bf" or are_numbers or (is_array and kind not in "OSUT"):
            return None, of if is_array else numpy.asarray(of)
        if kind in "iu" and len(of) == n:
            raise InputError(f"{what}: these integers may be pages or a number for each vertex; give a list for pages, an "
                             "array of numpy for numbers")
        return _list(of), None
    if not hasattr(of, "__iter__"):
        raise TypeError(f"{what}: {of!r} is not {'' if are_numbers else 'a list of pages, '}{_TAKEN}")
    if are_numbers and isinstance(of, (list, tuple)):
        return None, of
    return list(of), None
