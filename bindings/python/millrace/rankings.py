# SPDX-License-Identifier: Apache-2.0
"""The kinds of rankings of the library, as methods of a store, made from their rows.

`python -m millrace.rankings` prints their types, which are the file rankings.pyi.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import itertools
import keyword
import textwrap
import warnings

from . import _library as c
from ._values import integer, real, text, truth
from .errors import NotConverged
from .ranking import Ranking

(FLAG, COUNT, REAL, TEXT, CHOICE, PAGES, WEIGHTS, TIMES, INTERVALS, VERTICES, FETCHED, FILE, REALS, TABLE, RECORD, STORE,
 VECTORS) = range(1, 18)
_TYPES = {FLAG: "bool", COUNT: "Optional[int]", REAL: "Optional[float]", TEXT: "Union[str, float, None]",
          PAGES: "Optional[Weights]", WEIGHTS: "Optional[Weights]", TIMES: "Optional[Weights]",
          INTERVALS: "Optional[Weights]", VERTICES: "Optional[Iterable[Hashable]]",
          FETCHED: "Union[str, Iterable[Hashable], None]", FILE: "Optional[Path]",
          REALS: "Optional[Scores]", STORE: "Optional[Store]",
          VECTORS: "Union[None, Mapping[str, Weights], Sequence[Weights]]"}


_PAGES = " Here labels or names, {label: weight}, or an array of a weight per vertex."
_SECONDS, _LIST = " Here {label or name: seconds}.", " Here labels or names."
_MORE = {VECTORS: " Here {column: pages}, or a list of pages for the columns \"0\", \"1\" and so on.", PAGES: _PAGES, WEIGHTS: _PAGES, TIMES: _SECONDS, INTERVALS: _SECONDS, VERTICES: _LIST, FETCHED: _LIST,
         REALS: " Here a ranking, {label: score}, or an array of a score per vertex."}


def _rows(pointer):
    """The rows of a table that ends with a row without a name."""
    return list(itertools.takewhile(lambda row: row.name is not None, (pointer[i] for i in itertools.count())))


def _key(name):
    return name.decode().replace("-", "_")


def _vectors(store, of, what):
    """The array of vectors of {column: pages} or a list of pages."""
    if isinstance(of, (str, bytes)) or not hasattr(of, "__iter__"):
        raise TypeError(f"{what}: {of!r} is neither {{column: pages}} nor a list of pages")
    pairs = of.items() if hasattr(of, "items") else ((str(i), one) for i, one in enumerate(of))
    made = [(text(name, what), store._vertex_weights(one, f"{what} {name}")) for name, one in pairs]
    vectors = (c.RankVector * len(made))(*((name, one.ctypes.data, len(one)) for name, one in made))
    vectors.kept = made
    return vectors


class Kind:
    """One kind: its name, columns, rows of options by keyword, and rows of figures."""

    def __init__(self, kind):
        self.name, self.text, self.takes_weights = kind.name.decode(), kind.text.decode(), kind.takes_weights
        self.columns = {row.name.decode(): f" (with {_key(row.needs)})" if row.needs else
                        f" (without {_key(row.excludes)})" if row.excludes else "" for row in _rows(kind.columns)}
        self.needs = [_key(name) for name in kind.needs.split(b"|")] if kind.needs else []
        self.options = {_key(row.name): row for row in _rows(kind.options)}
        self.figures = _rows(kind.figures)

    def type_of(self, row):
        if row.type == CHOICE:
            return "Literal[" + ", ".join(f'"{word}"' for word in row.choices.decode().split("|")) + "]"
        return _TYPES[row.type]

    def parameters(self):
        """(keyword, type, default) of each; stores come first."""
        given = [(key, self.type_of(row), row.choices.decode().split("|")[0] if row.type == CHOICE
                  else False if row.type == FLAG else None) for key, row in sorted(self.options.items(), key=lambda item: item[1].type != STORE)]
        return given + [("weights", "bool", False)] * self.takes_weights

    def doc(self):
        columns = " and ".join(f'"{name}"{when}' for name, when in self.columns.items())
        lines = [f"{self.text} Columns {columns}." if len(self.columns) > 1 else f"{self.text} Column {columns}.", ""]
        lines += [f"{key}: {row.help.decode()}{_MORE.get(row.type, '')}" for key, row in self.options.items()]
        lines += ["weights: use the weights of the links."] * self.takes_weights
        return "\n".join(textwrap.fill(line, 100, subsequent_indent="    ") for line in lines)

    def values(self, store, options, weights):
        """The array of values for the options that are given; `kept` lives as long as its pointers."""
        given = [(self.options[key], key, value) for key, value in options.items() if value is not None]
        values, kept, handles = (c.NamedValue * len(given))(), [], []
        for at, (row, key, value) in zip(values, given):
            at.name = row.name
            if row.type == FLAG:
                at.count = truth(value, key)
            elif row.type == COUNT:
                at.count = integer(c.c_uint64, value, key)
            elif row.type == REAL:
                at.real = real(value, key)
            elif row.type == TEXT and not isinstance(value, (str, bytes)):
                at.text = repr(real(value, key)).encode()
            elif row.type in (TEXT, CHOICE, FILE) or (row.type == FETCHED and isinstance(value, str)):
                at.text = text(value, key)
            elif row.type == STORE:
                if not isinstance(value, Rankings):
                    raise TypeError(f"{key}: {value!r} is not a millrace.Store")
                handles.append((at, "store", value._links(weights)))
            elif row.type in (VERTICES, FETCHED):
                kept.append(store._vertices_of(value, key))
                at.vertices, at.count = kept[-1].ctypes.data, len(kept[-1])
            elif row.type == REALS:
                kept.append(store._scores(value, None, 0))
                at.reals, at.count = kept[-1].ctypes.data_as(ctypes.POINTER(ctypes.c_double)), len(kept[-1])
            elif row.type == VECTORS:
                made = _vectors(store, value, key)
                kept.append(made)
                at.vectors, at.count = ctypes.addressof(made), len(made)
            else:
                kept.append(store._vertex_weights(value, key, row.type == WEIGHTS))
                at.pages, at.count = kept[-1].ctypes.data, len(kept[-1])
        values.kept, values.handles = kept, handles
        return values

    def figures_of(self, ranking):
        """All figures that the ranking has; those of a table are a list of dictionaries."""
        return _figures(self.figures, lambda row, value: c.lib.mr_ranking_value(ranking, row, value))


def _figures(rows, get):
    found = {}
    for row in rows:
        value = c.NamedValue()
        get(row, value)
        if value.name:
            found[row.name.decode()] = _figure(row, value)
    return found


def _figure(row, value):
    if row.type in (TABLE, RECORD):
        fields = _rows(ctypes.cast(row.fields, ctypes.POINTER(c.RankFigure)))
        records = [_figures(fields, functools.partial(c.lib.mr_ranking_record, row, value, i)) for i in range(value.count)]
        return records if row.type == TABLE else records[0]
    return (bool(value.count) if row.type == FLAG else value.count if row.type == COUNT else
            value.real if row.type == REAL else value.reals[:value.count] if row.type == REALS else
            value.text and value.text.decode())


def _kinds():
    for index in itertools.count():
        kind = c.lib.mr_ranking_kind_at(index)
        if not kind:
            return
        yield Kind(kind.contents)


KINDS = {kind.name: kind for kind in _kinds()}


class Rankings:
    """The rankings of a store: a method for each kind."""

    def _rank(self, kind, options, weights, *arguments):
        handle, status = self.context.handle.make(
            c.lib.mr_rank, *arguments, close=c.lib.mr_ranking_free, what="the ranking", accept=(c.NOT_CONVERGED,))
        ranking = Ranking(self, handle, kind, options, weights)
        if status == c.NOT_CONVERGED:
            bound = ranking.error_bound
            missed = "the tolerance is not reached" if bound is None else (
                f"the error bound {bound:.3g} is above {ranking.tolerance:.3g}")
            warnings.warn(f"{missed} after {ranking.passes} passes", NotConverged, stacklevel=3)
        return ranking


# What other programs call the same things.
_OTHER_NAMES = {"alpha": "damping", "d": "damping", "tol": "tolerance", "eps": "tolerance", "error": "tolerance",
                "personalization": "teleport", "personalized": "teleport", "reset": "teleport", "weight": "weights",
                "edge_weight": "weights", "max_iter": "max_passes", "nstart": "start", "beta": "attenuation"}


def _method(kind):
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)]
    parameters += [inspect.Parameter(
        key, inspect.Parameter.POSITIONAL_OR_KEYWORD if type_ == _TYPES[STORE] else inspect.Parameter.KEYWORD_ONLY,
        default=default, annotation=type_) for key, type_, default in kind.parameters()]
    signature = inspect.Signature(parameters, return_annotation="Ranking")
    keywords = {one.name for one in parameters if one.kind == inspect.Parameter.KEYWORD_ONLY}

    def rank(*arguments, **options):
        for name in _OTHER_NAMES.keys() & options.keys() - signature.parameters.keys():
            if _OTHER_NAMES[name] in signature.parameters:
                raise TypeError(f"{kind.name}() has no {name}; it is called {_OTHER_NAMES[name]} here")
        given = {"self": arguments[0], **options} if len(arguments) == 1 and options.keys() <= keywords else (
            signature.bind(*arguments, **options).arguments)
        self, weights = given.pop("self"), given.pop("weights", False)
        values = kind.values(self, given, weights)
        return self._rank(kind, given, weights, self._links(weights), self.names.handle, kind.name, values, len(values))

    rank.__name__, rank.__qualname__, rank.__doc__ = kind.name, f"Store.{kind.name}", kind.doc()
    rank.__signature__ = signature
    return rank


for _kind in KINDS.values():
    assert not keyword.iskeyword(_kind.name) and not hasattr(Rankings, _kind.name)
    setattr(Rankings, _kind.name, _method(_kind))


def types():
    """The text of rankings.pyi."""
    lines = ["# SPDX-License-Identifier: Apache-2.0", "# Made by `python -m millrace.rankings`.",
             "from typing import Any, Hashable, Iterable, Literal, Mapping, Optional, Sequence, Union", "", "import numpy", "", "from .ranking import Ranking, Scores",
             "from .store import Path, Store, Weights", "", "class Rankings:", "    def _rank(self, kind: Any, options: Any, weights: Any, *arguments: Any) -> Ranking: ..."]
    for kind in KINDS.values():
        words = [f"{key}: {type_} = ..." for key, type_, _ in kind.parameters()]
        words.insert(sum(type_ == _TYPES[STORE] for _, type_, _ in kind.parameters()), "*")
        filled = textwrap.fill(f"def {kind.name}({', '.join(['self', *words])})->Ranking: ...", 116,
                               initial_indent="    ", subsequent_indent="        ", break_long_words=False)
        lines.append(filled.replace(")->Ranking:", ") -> Ranking:"))  # the arrow begins no line
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(types(), end="")
