# SPDX-License-Identifier: Apache-2.0
"""Stores: graphs on disk, opened and ranked."""

import ctypes
import os
import shutil
import warnings
import weakref

import numpy

from . import _library as c
from ._context import Context
from .errors import NotConverged, UsageError
from .names import Names
from .ranking import Ranking

_DANGLING = {"teleport": 0, "uniform": 1, "none": 2}
_NORMS = {"l1": 0, "l2": 1, "max": 2}
_WEIGHT = numpy.dtype([("vertex", numpy.uint32), ("weight", numpy.float64)], align=True)


def choice(table, value, what):
    if value not in table:
        raise UsageError(f"{what}: {value!r} is not one of {', '.join(map(repr, table))}")
    return table[value]


class Store:
    """An open store. `with` closes it, and removes it where it is a temporary one.

    len(store) is the number of vertices; n_edges, n_dangling and the other fields of `figures`
    are attributes. `names` are those of the input; `labels` are the nodes of a graph of Python
    that the store was made of, else None.
    """

    def __init__(self, path, memory=0, threads=0, tmp_dir=None, progress=None, *, context=None,
                 labels=None, temporary=None):
        self.path = os.fspath(path)
        self.context = context or Context(memory, threads, tmp_dir, progress)
        self.labels = labels
        self._remove = temporary and weakref.finalize(self, shutil.rmtree, temporary, True)
        self._names = self._weighted = None
        self.handle = self.context.make(
            c.lib.mr_store_open, os.fsencode(path), close=c.lib.mr_store_close)
        figures = c.StoreFigures()
        c.lib.mr_store_describe(self.handle.pointer, figures)
        self.figures = {name: getattr(figures, name) for name, _ in figures._fields_[1:]}

    def __getattr__(self, name):
        figures = self.__dict__.get("figures", {})
        if name in figures:
            return figures[name]
        raise AttributeError(name)

    def __len__(self):
        return self.figures["n_vertices"]

    def __repr__(self):
        return (f"<millrace.Store {self.path!r}: {len(self)} vertices, "
                f"{self.figures['n_edges']} edges>")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Close the store. Rankings and their arrays stay."""
        for handle in (self._names and self._names.handle, self._weighted, self.handle):
            if handle:
                handle.close()
        if self._remove:
            self._remove()

    @property
    def _open(self):
        if not self.handle.is_open:
            raise UsageError(f"{self.path} is closed")
        return self.handle

    @property
    def names(self):
        if self._names is None or not self._names.handle.is_open:
            self._names = Names(self.context, self._open, len(self))
        return self._names

    def label(self, vertex):
        """What the caller knows a vertex by: its label, else its name."""
        return self.names[vertex] if self.labels is None else self.labels[vertex]

    def vertex(self, label):
        """The vertex of a label or name; KeyError where there is none."""
        if self.labels is None:
            return self.names.find(label)
        if not hasattr(self, "_vertices"):
            self._vertices = {label: v for v, label in enumerate(self.labels)}
        return self._vertices[label]

    def _links(self, weights):
        if not weights:
            return self._open.pointer
        if self._weighted is None:
            self._weighted = self.context.make(
                c.lib.mr_store_open_weights, self._open.pointer, close=c.lib.mr_store_close,
                parent=self.handle)
        return self._weighted.pointer

    def _vertex_weights(self, of):
        """{label: weight}, labels, or an array of a weight per vertex become entries by vertex."""
        if isinstance(of, numpy.ndarray) and of.shape == (len(self),):
            vertices = numpy.flatnonzero(of)
            entries = numpy.zeros(len(vertices), _WEIGHT)
            entries["vertex"], entries["weight"] = vertices, of[vertices]
            return entries
        pairs = of.items() if hasattr(of, "items") else ((label, 1.0) for label in of)
        total = {}
        for label, weight in pairs:
            vertex = self.vertex(label)
            total[vertex] = total.get(vertex, 0.0) + weight
        entries = numpy.zeros(len(total), _WEIGHT)
        for i, vertex in enumerate(sorted(total)):
            entries[i] = vertex, total[vertex]
        return entries

    def _rank(self, function, *arguments):
        out = c.c_void_p()
        status = self.context.call_long(
            function, *arguments, ctypes.byref(out), accept=(c.NOT_CONVERGED,))
        ranking = Ranking(self, out.value)
        if status == c.NOT_CONVERGED:
            warnings.warn(
                f"the error bound {ranking.error_bound:.3g} is above {ranking.tolerance:.3g} after "
                f"{ranking.passes} passes", NotConverged, stacklevel=3)
        return ranking

    def pagerank(self, damping=0, tolerance=0, max_passes=0, dangling="teleport", teleport=None,
                 start=None, iterations=0, weights=False):
        """PageRank with a proven error bound (column "score"); with `teleport` personalised.

        teleport: labels or names of pages, {label: weight}, or an array of a weight per vertex.
        start: an array of scores to start from. 0 means the default: damping 0.85, tolerance 1e-9.
        """
        params = c.PagerankParams(
            damping=damping, tolerance=tolerance, max_passes=max_passes, iterations=iterations,
            dangling=choice(_DANGLING, dangling, "dangling"))
        if teleport is not None:
            entries = self._vertex_weights(teleport)
            params.teleport, params.n_teleport = entries.ctypes.data, len(entries)
        if start is not None:
            first = numpy.ascontiguousarray(start, numpy.float64)
            if first.shape != (len(self),):
                raise UsageError(f"start has the shape {first.shape}, not ({len(self)},)")
            params.start = first.ctypes.data
        return self._rank(c.lib.mr_rank_pagerank, self._links(weights), params)

    def trust(self, trusted, damping=0, tolerance=0, max_passes=0, spam_mass=False, good_share=0):
        """TrustRank (column "trust"); with spam_mass also "pagerank", "spam_mass", "spam_share"."""
        entries = self._vertex_weights(trusted)
        params = c.TrustParams(
            damping=damping, tolerance=tolerance, max_passes=max_passes, spam_mass=spam_mass,
            good_share=good_share)
        return self._rank(
            c.lib.mr_rank_trust, self._open.pointer, entries.ctypes.data, len(entries), params)

    def reverse(self, path, force=False):
        """Write the store of the reverse links to `path`, and open it."""
        self.context.call_long(
            c.lib.mr_store_build_reverse, self._open.pointer, os.fsencode(path), force)
        return Store(path, context=self.context, labels=self.labels)

    def hits(self, reverse=None, tolerance=0, max_rounds=0, norm="l1"):
        """HITS: columns "hub" and "authority". `reverse` is self.reverse(...); a store whose links
        all go both ways needs none."""
        params = c.HitsParams(
            tolerance=tolerance, max_rounds=max_rounds, norm=choice(_NORMS, norm, "norm"))
        other = (reverse or self)._open
        return self._rank(c.lib.mr_rank_hits, self._open.pointer, other.pointer, params)

    def salsa(self):
        """SALSA in its limit: columns "hub" and "authority"."""
        return self._rank(c.lib.mr_rank_salsa, self._open.pointer)

    def degree(self, weights=False):
        """Columns "out" and "in"; with weights their sums."""
        return self._rank(c.lib.mr_rank_degree, self._links(weights))

    def opic(self, tax=0, window=0, tolerance=0, sweeps=0, state=None):
        """OPIC; `state` is a file that goes from one crawl to the next."""
        params = c.OpicParams(
            tax=tax, window=window, tolerance=tolerance, sweeps=sweeps,
            state=os.fsencode(state) if state is not None else None)
        return self._rank(
            c.lib.mr_rank_opic, self._open.pointer, self.names.handle.pointer, params)

    def read_scores(self, path, column=None):
        """One column of a file of scores, by vertex; NaN for vertices that the file lacks."""
        scores = numpy.empty(len(self), numpy.float64)
        self.context.call_long(
            c.lib.mr_scores_read, os.fsencode(path), column.encode() if column else None,
            self.names.handle.pointer, len(self), scores.ctypes.data, None)
        return scores

    def precedence(self, scores, levels=5, log=False):
        """Levels for the queues of a crawler, 1 for the best: an array of uint8."""
        scores = numpy.ascontiguousarray(scores, numpy.float64)
        result = numpy.empty(len(scores), numpy.uint8)
        if log:
            self.context.call(c.lib.mr_precedence_log_levels, scores.ctypes.data, len(scores),
                              levels, result.ctypes.data, None)
        else:
            self.context.call(c.lib.mr_precedence_levels, scores.ctypes.data, len(scores),
                              c.PrecedenceOptions(n_levels=levels), result.ctypes.data, None)
        return result

    def check(self, full=False):
        """Verify every checksum; `full` decodes everything. CorruptError names file and offset."""
        self.context.call_long(c.lib.mr_store_check, os.fsencode(self.path), full)
