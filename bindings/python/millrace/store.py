# SPDX-License-Identifier: Apache-2.0
"""Stores: graphs on disk, opened and ranked."""

from __future__ import annotations

import ctypes
import itertools
import os
import shutil
import sys
import tempfile
import warnings
import weakref
from typing import (
    Any, Callable, Dict, Hashable, Iterable, List, Literal, Mapping, Optional, Sequence, Tuple, Union, overload)

import numpy

from . import _library as c
from ._context import Context, context_of
from ._pages import check_once, is_series, pages_and_numbers
from ._values import choice, integer, paths, real, reals, truth
from .errors import InputError, NotConverged, UsageError
from .names import Names
from .query import Host, Page, Share, Why
from .ranking import BestPages, Certificate, HarmonicCertificate, Ranking, Scores
from .rankings import Rankings

_GROUPS = {"host": 0, "domain": 1, "icann-domain": 2}
_FOLD_WEIGHTS = {"links": 0, "pages": 1, "none": 2}
_CRAWLERS = {name: i for i, name in enumerate(
    ("heritrix", "nutch", "stormcrawler", "frontera", "scrapy", "commoncrawl", "frontera-hbase",
     "urlfrontier", "nutch-nodes"))}
LARGEST = {None: 0, "weak": 1, "strong": 2}
_WEIGHT = numpy.dtype([("vertex", numpy.uint32), ("weight", numpy.float64)], align=True)
_ANSWER = numpy.dtype([("n", numpy.uint64), ("bound", numpy.float64), ("proven", bool)], align=True)


# Pages with weights: {label or name: weight}, labels or names, or an array of a weight per vertex.
Weights = Union[Mapping[Hashable, float], Iterable[Hashable], numpy.ndarray]
Path = Union[str, "os.PathLike[str]"]
Crawler = Literal["heritrix", "nutch", "stormcrawler", "frontera", "scrapy", "commoncrawl", "frontera-hbase",
                  "urlfrontier", "nutch-nodes"]
# Fetched pages: {label or name: time of the last fetch}, labels or names, or True and False by vertex.
Fetched = Union[Mapping[Hashable, float], Iterable[Hashable], numpy.ndarray]


class Store(Rankings):
    """An open store. `with` closes it, and removes it if it is a temporary one.

    len(store) is the number of vertices; the fields of `figures` are attributes. `names` are those of the input; `labels` are the nodes of a graph of Python
    that the store was made of, else None.
    """

    n_vertices: int
    n_edges: int
    n_dangling: int
    n_self_loops: int
    max_out_degree: int
    max_in_degree: int
    bytes: int
    store_id: int
    n_classes: int
    class_rule: int
    name_kind: int
    undirected: bool
    duplicates_kept: bool
    self_loops_dropped: bool
    transposed: bool
    has_weights: bool
    is_weighted: bool
    build_figures: Dict[str, Any]  # of a store that was just built
    append_figures: Dict[str, Any]  # of a store that was just appended to
    fold_figures: Dict[str, Any]  # of a store that was just made by a fold

    def __init__(self, path: Path, memory: int = 0, threads: int = 0,
                 tmp_dir: Optional[Path] = None, progress: Optional[Callable[..., Any]] = None, *,
                 context: Optional[Context] = None, labels: Optional[Sequence[Hashable]] = None,
                 temporary: Optional[str] = None):
        own = (memory, threads, tmp_dir, progress)
        if context is not None and own != (0, 0, None, None):
            raise UsageError("memory, threads, tmp_dir and progress are those of the context")
        self.path = os.fspath(path)
        self.context = context_of(context, *own)
        self.labels = labels
        self._remove = temporary and weakref.finalize(self, shutil.rmtree, temporary, True)
        self._names: Optional[Names] = None
        self._weighted: Any = None
        self._push: Any = None  # what it was opened with, its handle
        self.handle, _ = self.context.handle.make(
            c.lib.mr_store_open, path, close=c.lib.mr_store_close, what=self.path)
        figures = c.StoreFigures()
        c.lib.mr_store_describe(self.handle.pointer, figures)
        self.figures: Dict[str, Any] = figures.to_dict()
        self.__dict__.update(self.figures)
        if labels is not None and len(labels) != len(self):
            raise InputError(f"there are {len(labels)} labels for {len(self)} vertices")

    def __len__(self) -> int:
        return self.figures["n_vertices"]

    def __repr__(self) -> str:
        return (f"<millrace.Store {self.path!r}: {len(self)} vertices, "
                f"{self.figures['n_edges']} edges>")

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close the store, when no other thread uses it. Rankings and their arrays stay."""
        self.handle.close()
        if self._remove:
            self._remove()

    @property
    def names(self) -> Names:
        """The names of the vertices: names[vertex], names.find(name)."""
        if self.handle.pointer and self._names is None:
            self._names = Names(self.handle, self.context, len(self))
        return self._names

    def label(self, vertex: int) -> Hashable:
        """What the caller knows a vertex by: its label, else its name, which in a graph of numbers is a number."""
        if self.labels is not None:
            return self.labels[vertex]
        return self.names[vertex] if self.figures["name_kind"] == c.NAMES_TEXT else int(self.names[vertex])

    def _all_labels(self):
        """The labels of all vertices, as label() gives them."""
        if self.labels is not None:
            return list(self.labels)
        names = self.names.to_list()
        return names if self.figures["name_kind"] == c.NAMES_TEXT else list(map(int, names))

    def vertex(self, label: Hashable) -> int:
        """The vertex of a label or name; KeyError if the store has no such page."""
        if self.labels is None:
            return self.names.find(label)
        if not hasattr(self, "_vertices"):
            self._vertices = {label: v for v, label in enumerate(self.labels)}
        return self._vertices[label]

    def _known(self, labels, what):
        """The vertices of labels or names; KeyError with those that are no pages."""
        labels, unknown, vertices = list(labels), [], []
        for label in labels:
            try:
                vertices.append(self.vertex(label))
            except KeyError:
                unknown.append(label)
        if unknown:
            raise KeyError(f"{what}: {len(unknown)} of {len(labels)} are no pages of {self.path}, such as "
                           + ", ".join(map(repr, unknown[:3])))
        return vertices

    def _links(self, weights):
        if not truth(weights, "weights"):
            return self.handle
        if self._weighted is None:
            self._weighted, _ = self.context.handle.make(
                c.lib.mr_store_open_weights, self.handle, close=c.lib.mr_store_close,
                what=self.path, parent=self.handle)
        return self._weighted

    def _plain(self, of):
        """A ranking as an array of this store's vertices, or as a dictionary; all else as it is."""
        if isinstance(of, Ranking):
            return of.scores if of._store is self else of.to_dict()
        return of

    def _vertex_weights(self, of, what, adds=True):
        """{label: weight}, labels, or an array of a weight per vertex become entries by vertex. adds: the weights of a page
        that comes twice add up; else the largest counts, as of seeds and times."""
        labels, numbers = pages_and_numbers(self._plain(of), what, len(self))
        if labels is None:
            weights = reals(numbers, what, len(self))
            vertices = numpy.flatnonzero(weights)
            entries = numpy.zeros(len(vertices), _WEIGHT)
            entries["vertex"], entries["weight"] = vertices, weights[vertices]
            return entries
        known = self._known(labels, what)
        total = dict.fromkeys(known, 0.0 if adds else -numpy.inf)
        for vertex, weight in zip(known, itertools.repeat(1.0) if numbers is None else numbers):
            total[vertex] = total[vertex] + real(weight, what) if adds else max(total[vertex], real(weight, what))
        entries = numpy.zeros(len(total), _WEIGHT)
        for i, vertex in enumerate(sorted(total)):
            entries[i] = vertex, total[vertex]
        return entries

    def _vertices_of(self, of, what):
        """The vertices of labels or names, ascending."""
        labels, numbers = pages_and_numbers(of, what, len(self))
        if labels is None:
            if numbers.dtype != bool or numbers.shape != (len(self),):
                raise InputError(f"{what} is an array of the type {numbers.dtype} and the shape {numbers.shape}; give a "
                                 f"list of pages, or an array of True and False of the shape ({len(self)},)")
            return numpy.flatnonzero(numbers).astype(numpy.uint32)
        if numbers is not None and all(isinstance(one, bool) for one in numbers):
            labels = itertools.compress(labels, numbers)
        vertices = self._known(labels, what)
        return numpy.unique(numpy.array(vertices, numpy.uint32))

    def _pushes(self, weights, damping, dangling):
        """The lists of links for pushes; those of the last call stay."""
        key = truth(weights, "weights"), real(damping, "damping"), dangling
        last = self._push
        if last is None or last[0] != key:
            last = None
            self._push = None  # closes it, when no other thread uses it
            options = c.PushOptions(damping=damping, dangling=dangling)
            push, _ = self.context.handle.make(
                c.lib.mr_push_open, self._links(weights), options, close=c.lib.mr_push_close,
                what=self.path, parent=self.handle)
            self._push = key, push
            return push
        return last[1]

    def ppr_top(self, seeds: Iterable[Any], k: int = 100, error: float = 1e-2, *, damping: float = 0.85,
                dangling: Literal["teleport", "uniform", "none"] = "teleport", weights: bool = False) -> BestPages:
        """The best k pages of personalised PageRank of each seed: `indptr, ids, scores, bounds`, arrays of numpy.

        seeds: each is a page (label or name), a list of pages, or {page: weight}; one without a weight above 0 has no
        pages. error: the errors of all scores of a seed add up to at most this, above 0 and at most 1. The first call
        reads the links, and keeps them by source (4 bytes each if memory has room, else in a temporary file); the next
        ones with the same damping, dangling and weights only follow links from the seeds, by all threads. Threads of
        Python may share the store; their calls come one after the other.
        """
        made = [self._vertex_weights(
            seed if isinstance(seed, (Mapping, list, set, frozenset)) else [seed], "seeds") for seed in seeds]
        vectors = (c.RankVector * len(made))(*((b"", entries.ctypes.data, len(entries)) for entries in made))
        k = min(integer(c.c_uint64, k, "k", 1), max(len(self), 1))
        vertices, scores = numpy.zeros((len(made), k), numpy.uint32), numpy.zeros((len(made), k))
        answers = numpy.zeros(len(made), _ANSWER)
        status = self._pushes(weights, damping, dangling).call(
            c.lib.mr_push_best, vectors, len(made), k, error, vertices, scores, answers, accept=(c.NOT_CONVERGED,))
        if status == c.NOT_CONVERGED:
            warnings.warn(f"the error {error} is less than pushes reach; the bounds say more", NotConverged, stacklevel=2)
        listed = numpy.arange(k) < answers["n"][:, None]
        best = BestPages(numpy.append([0], numpy.cumsum(answers["n"])).astype(numpy.int64), vertices[listed],
                         scores[listed], numpy.where(answers["n"] > 0, answers["bound"], numpy.nan))
        best.proven, best.shape = answers["proven"].copy(), (len(made), len(self))
        return best

    def reverse(self, path: Path, force: bool = False) -> Store:
        """Write the store of the reverse links to `path`, and open it."""
        options = c.BuildOptions(force=force, zstd_level=c.LEVEL_OF_STORE)
        self.context.handle.call(c.lib.mr_store_build_reverse, self.handle, path, options, None)
        return Store(path, context=self.context, labels=self.labels)

    def fold(self, path: Path, by: Literal["host", "domain", "icann-domain"] = "host",
             weights: Literal["links", "pages", "none"] = "links", self_loops: bool = False,
             members: Optional[Path] = None, force: bool = False, zstd_level: Optional[int] = None) -> Store:
        """Write the graph of the hosts or registered domains of this store to `path`, and open it.

        weights: of a link between two hosts, the number of links between their pages (or the sum of
        their weights), or of pages that have such a link. self_loops: links inside a host become one
        of the host to itself. members: a file that gets lines `name<TAB>n` with the number of pages
        of each host. zstd_level None: that of this store. Reads the links once.
        """
        options = c.FoldOptions(
            by=choice(_GROUPS, by, "by"), weights=choice(_FOLD_WEIGHTS, weights, "weights"),
            keep_self_loops=self_loops, force=force, members=members,
            zstd_level=c.LEVEL_OF_STORE if zstd_level is None else zstd_level)
        figures = c.BuildFigures()
        self.context.handle.call(c.lib.mr_store_fold, self.handle, path, options, figures)
        made = Store(path, context=self.context)
        made.fold_figures = figures.to_dict()
        return made


    def read_scores(self, path: Path, column: Optional[str] = None,
                    max_unknown: int = 0) -> numpy.ndarray:
        """One column of a file of scores, by vertex; NaN for vertices that the file lacks.

        max_unknown: so many pages that the graph does not have are left out.
        """
        return self._scores(os.fsdecode(path), column, max_unknown)

    def _scores(self, of, column, max_unknown):
        """Scores by vertex of a ranking, an array, a dictionary or a file."""
        unknown = 0
        if column is not None and not isinstance(of, (str, os.PathLike)):
            raise UsageError("column is of files of scores; of a ranking, take ranking[column]")
        of = self._plain(of)
        if isinstance(of, (str, os.PathLike)):
            scores, found = numpy.empty(len(self), numpy.float64), c.ScoresFound()
            self.context.handle.call(
                c.lib.mr_scores_read, of, column, self.names.handle, len(self), scores, found)
            unknown = found.n_unknown
            labels = None
        else:
            labels, scores = pages_and_numbers(of, "scores", len(self), are_numbers=True)
            if scores is None:
                raise InputError("scores are pages without numbers; give {page: score}")
        if labels is not None:
            numbers, scores = scores, numpy.full(len(self), numpy.nan)
            check_once(labels, "scores")
            for label, score in zip(labels, numbers):
                try:
                    scores[self.vertex(label)] = real(score, "scores")
                except KeyError:
                    unknown += 1
        scores = reals(scores, "scores", len(self))
        if unknown > integer(c.c_uint64, max_unknown, "max_unknown"):
            by_vertex = ", or series.to_numpy() for scores by vertex" if is_series(of) else ""
            raise InputError(f"{unknown} scores are of pages that {self.path} does not have; take "
                             f"the graph that the scores are of, or max_unknown={unknown}{by_vertex}")
        return scores

    def _side(self, scores, column, max_unknown):
        array = self._scores(scores, column, max_unknown)
        return c.ScoresSide(scores=array, n_vertices=len(array))

    def certify(self, scores: Scores, damping: float = 0.85, top: int = 100, weights: bool = False,
                teleport: Optional[Weights] = None, column: Optional[str] = None,
                max_unknown: int = 0,
                dangling: Literal["teleport", "uniform", "none"] = "teleport") -> Certificate:
        """Prove how far scores are from the exact PageRank of this graph, whoever made them.

        scores: a dictionary {label or name: score}, an array by vertex, a ranking, or a file; of
        any sum, 0 for pages without one. top: prove as many as possible of so many best pages.
        damping, weights, teleport, dangling: of the exact ranking. max_unknown: so many pages that the graph
        does not have are left out. One pass over the links, and 16 bytes for each vertex.
        """
        uniform = choice({"teleport": False, "none": False, "uniform": True}, dangling, "dangling")
        params = c.CertifyOptions(damping=damping, top=integer(c.c_uint64, top, "top", 1), is_uniform=uniform)
        if teleport is not None:
            entries = self._vertex_weights(teleport, "teleport")
            params.teleport, params.n_teleport = entries, len(entries)
        figures = c.CertifyFigures()
        self.context.handle.call(
            c.lib.mr_scores_certify, self._links(weights), None,
            self._side(scores, column, max_unknown), params, figures)
        *found, _, _ = figures.to_dict().values()
        return Certificate(*found)

    def certify_harmonic(self, scores: Scores, relative_error: float, sample: int = 64, seed: int = 1,
                         column: Optional[str] = None, max_unknown: int = 0) -> HarmonicCertificate:
        """Measure how far harmonic centralities are from the exact ones, whoever made them.

        relative_error: the standard deviation that is stated, 0 to 1, such as 1.04 / sqrt(2 ** log2m)
        for harmonic(log2m=...). sample: how many pages to search from, which `seed` draws. Other
        arguments are as in certify. Takes 16 bytes for each vertex, and for each 64 pages of the
        sample a reading of the links for each distance.
        """
        figures = c.CertifyHarmonicFigures()
        self.context.handle.call(
            c.lib.mr_scores_certify_harmonic, self.handle, None, self._side(scores, column, max_unknown), 0,
            relative_error, sample, seed, figures)
        *found, largest = figures.to_dict().values()
        return HarmonicCertificate(*found, largest=self.label(largest))

    def page(self, page: Hashable) -> Page:
        """What the store says about the page with this label or name; KeyError if the store has no such page.
        Reads a few blocks."""
        vertex, facts = self.vertex(page), c.VertexFacts()
        self.context.handle.call(
            c.lib.mr_vertex_describe, self.handle, self.names.handle, vertex, facts)
        return Page(
            self.label(vertex), vertex, self.names.spellings(vertex), facts.in_degree,
            facts.out_degree, facts.n_fetches, facts.first_fetch or None, facts.last_fetch or None,
            facts.n_compared, facts.n_changes, facts.is_gone)

    @overload
    def links(self, page: Hashable, incoming: bool = ...) -> List[Hashable]: ...

    @overload
    def links(self, page: Hashable, incoming: bool = ..., *,
              weights: Literal[True]) -> List[Tuple[Hashable, float]]: ...

    def links(self, page: Hashable, incoming: bool = False, *, weights: bool = False) -> Any:
        """The pages that a page links to, or with `incoming` those that link to it, in the order of
        the names; with weights pairs (page, weight). KeyError if there is no such page. Incoming
        links take a reading of a part of the links, outgoing ones at least a block of each part."""
        weighted, edges = self._links(True) if truth(weights, "weights") else None, c.VertexEdges()

        def copied(_):
            found = [(one.vertex, one.weight) for one in edges.items[:edges.n_items]]
            c.lib.mr_vertex_edges_free(edges)
            return found

        found = self.context.handle.call(
            c.lib.mr_vertex_list_edges, self.handle, weighted, self.names.handle, self.vertex(page),
            incoming, edges, then=copied)
        labels = [self.label(vertex) for vertex, _ in found]
        return list(zip(labels, (weight for _, weight in found))) if weights else labels

    @overload
    def edges(self) -> numpy.ndarray: ...

    @overload
    def edges(self, *, weights: Literal[True]) -> Tuple[numpy.ndarray, numpy.ndarray]: ...

    def edges(self, *, weights: bool = False) -> Any:
        """All links: an array of the shape (n_edges, 2) of vertices, source and target, in the order of the store. With
        weights a pair of it and an array of their weights. millrace.build takes the array, and a table of pandas, a
        matrix of scipy or a file of numpy come from it. Takes 8 bytes for each link, 12 with weights."""
        weighted = truth(weights, "weights")
        pairs = numpy.empty((self.figures["n_edges"], 2), numpy.uint32)
        values = numpy.empty(len(pairs) if weighted else 0, numpy.float32)
        n_read = 0

        @c.PAIRS
        def take(_, edges, one_weights, n, __):
            nonlocal n_read
            if n_read + n > len(pairs):
                return c.CORRUPT
            ctypes.memmove(pairs[n_read:].ctypes.data, edges, 8 * n)
            if weighted:
                ctypes.memmove(values[n_read:].ctypes.data, one_weights, 4 * n)
            n_read += n
            return c.OK

        self.context.handle.call(c.lib.mr_store_read_edges, self._links(weighted), take, None)
        return (pairs, values) if weighted else pairs

    def export(self, path: Path, to: Optional[str] = None, *, vertices: Optional[Iterable[Hashable]] = None,
               host: Optional[str] = None, largest: Literal[None, "weak", "strong"] = None,
               names: Optional[Path] = None, weights: bool = True, transpose: bool = False,
               scores: Optional[Scores] = None, column: Optional[str] = None,
               seeds: Optional[Iterable[Hashable]] = None, window: int = 7, max_ref: int = 3,
               force: bool = False) -> None:
        """Write the links in the format of another program, out of core.

        to: "u32", "u64", "edges", "mtx", "npy", "wel", "sg", "bvgraph"; with names "urls", "csv",
        "jsonl"; Heritrix's "heritrix-links" and others (docs/formats.md). None: by the suffix of the
        path; ".gz" and ".zst" compress. Pages have the names of the store, or the numbers 0 to n - 1
        in the order of the names; in "edges" and "wel" those of the input.
        vertices (labels or names), host ("www.example.org") or largest (connected component) limit
        the file to some pages and the links between them. names: a second file, for the names of the
        pages. weights: write them where the store and the format have them. transpose: write the
        reverse of each link. to="pages" is a table of the pages for crawlers: with scores, as in
        certify, of all pages, and with depths, the least number of links from one of `seeds`.
        Formats of lists by source (sg, bvgraph) take a temporary store unless links go both ways.
        window, max_ref: of "bvgraph", how many lists before it a list may refer to, and the longest
        chain of references; window=16, max_ref=100 takes 8 to 14% fewer bytes.
        """
        options = c.ExportOptions(
            force=force, no_weights=not truth(weights, "weights"), reversed=transpose, format=to, names=names, host=host,
            largest=choice(LARGEST, largest, "largest"), window=0 if window == 7 else window,
            max_references=0 if max_ref == 3 else max_ref)
        if scores is not None or column is not None:
            options.scores = self._scores(scores, column, 0)
        for field, of in (("vertices", vertices), ("seeds", seeds)):
            if of is not None:
                made = self._vertices_of(of, field)
                setattr(options, field, made)
                setattr(options, f"n_{field}", len(made))
        self.context.handle.call(c.lib.mr_store_export, self.handle, self.names.handle, path, options)

    def hosts(self, by: Literal["host", "domain", "icann-domain"] = "host", internal: bool = False,
              scores: Optional[Scores] = None, column: Optional[str] = None) -> List[Host]:
        """Sums of pages, links and scores for each host or registered domain, in the order of the names.

        internal: count the links inside each host, too, which takes a reading of the links. scores:
        of all pages, as in certify. Takes 10 bytes for each vertex, and about 500 for each host.
        `pandas.DataFrame(store.hosts())` is a table.
        """
        rows: List[Host] = []
        values = None if scores is None and column is None else self._scores(scores, column, 0)

        @c.HOST
        def take(_, sums, __):
            one = sums[0]
            rows.append(Host(
                one.host.decode("utf-8", "surrogateescape"), one.n_vertices, one.out_degree,
                one.in_degree, one.n_internal if internal else None,
                numpy.nan if values is None else one.score))
            return c.OK

        self.context.handle.call(
            c.lib.mr_store_sum_hosts, self.handle, self.names.handle, choice(_GROUPS, by, "by"),
            internal, values, take, None)
        return rows

    def _why(self, scores, page, top, by, ranked):
        """Why the page has its score; `ranked` is what Ranking._why_options gives."""
        weights, damping, dangling, scale, bound, pages, key = ranked
        vertices, found = numpy.array([self.vertex(page)], numpy.uint32), c.Why()
        options = c.WhyOptions(damping=damping, dangling=dangling, scale=scale, error_bound=bound,
                               by=choice(_GROUPS, by, "by"), top=integer(c.c_uint64, top, "top", 1))
        if pages is not None:
            entries = self._vertex_weights(pages, key)
            options.teleport, options.n_teleport = entries, len(entries)

        def share(of):
            host = None if of.host is None else of.host.decode("utf-8", "surrogateescape")
            return Share(host, of.share, of.bound, of.score, of.out_degree,
                         damping * of.score if of.out_degree else 0.0, of.n_vertices)

        def copied(_):
            vertices = [one.vertex for one in found.vertices[:found.n_listed]]
            made = [found.score, bound, *map(share, (found.teleport, found.dangling, found.links)),
                    [share(one) for one in found.vertices[:found.n_listed]], share(found.others),
                    [share(one) for one in found.hosts[:found.n_hosts]], share(found.other_hosts)]
            c.lib.mr_why_free(found)
            return vertices, made

        listed, made = self.context.handle.call(
            c.lib.mr_scores_explain, self._links(weights), self.names.handle, scores, options, vertices, 1, found,
            then=copied)
        made[5] = [one._replace(name=self.label(vertex)) for vertex, one in zip(listed, made[5])]
        return Why(*made)

    def _fetched(self, of, limit):
        """An array that is True for pages that are fetched, and one of the times."""
        done, times = numpy.zeros(len(self), bool), numpy.zeros(len(self) + 1, numpy.uint32)
        labels, numbers = pages_and_numbers(of, "fetched", len(self))
        if labels is None:
            done[self._vertices_of(numbers, "fetched")] = True
            return done, times
        if numbers is not None and all(isinstance(one, bool) for one in numbers):
            labels, numbers = list(itertools.compress(labels, numbers)), None
        unknown = n = 0
        for n, (label, time) in enumerate(zip(labels, itertools.repeat(None) if numbers is None else numbers), 1):
            try:
                vertex = self.vertex(label)
            except KeyError:
                unknown += 1
                continue
            done[vertex] = True
            if time is not None:
                if not 0 < real(time, "fetched") < 1 << 32:
                    raise InputError(f"fetched: {time!r} is no time in seconds since 1970")
                times[vertex] = max(int(times[vertex]), int(time))
        if unknown > (n // 2 if limit is None else integer(c.c_uint64, limit, "max_unknown")):
            raise InputError(f"{unknown} of {n} fetched pages are not pages of {self.path}; take the graph of this "
                             f"crawl, or max_unknown={unknown}")
        return done, times

    def next(self, scores: Scores, n: int, fetched: Optional[Fetched] = None, *,
             files: Union[Path, Sequence[Path]] = (), times: Union[Path, Sequence[Path]] = (), revisit: bool = False,
             per_host: int = 0, per_domain: int = 0, retries: int = 0, max_unknown: Optional[int] = None,
             column: Optional[str] = None) -> List[Tuple[Hashable, float]]:
        """The n pages to fetch next, best first: pairs (page, score) of those that are not fetched.

        scores: as in certify; pages without a score are left out. fetched: names or labels of pages, {page: time of
        its last fetch in seconds since 1970}, or an array of True and False by vertex. files: lists of fetched pages,
        or what a crawler writes (crawl.log, CDX and others); times: files with lines `name<TAB>time`, or what a
        crawler writes. revisit: instead the fetched pages in the order to fetch them again, with this priority: the
        score times the age in days, or in a store with fetch facts times the probability that the page has changed.
        Pages that the files call gone are left out then. per_host, per_domain: at most so many pages of one.
        retries: so many fetches that failed count as one. max_unknown: so many names may be unknown; None: half.
        """
        values, files, times = self._scores(scores, column, 0), paths(files, "files"), paths(times, "times")
        if fetched is None and not len(files) + len(times):
            raise UsageError("next needs to know which pages are fetched; give fetched=[] if none is")
        done, seconds = self._fetched(() if fetched is None else fetched, max_unknown)
        bits = numpy.zeros(len(self) // 8 + 1, numpy.uint8)
        bits[:(len(self) + 7) // 8] = numpy.packbits(done, bitorder="little")
        retries, per_host, per_domain = (integer(c.c_uint, value, what) for value, what in (
            (retries, "retries"), (per_host, "per_host"), (per_domain, "per_domain")))
        limit = c.HALF_UNKNOWN if max_unknown is None else integer(c.c_uint64, max_unknown, "max_unknown")
        for one, tries, ages in ((files, retries, None), (times, 0, seconds)):
            if len(one):
                self.context.handle.call(
                    c.lib.mr_fetched_read, self.handle, self.names.handle, one, len(one), tries, revisit, limit, bits,
                    ages)
        if truth(revisit, "revisit"):
            priorities = numpy.empty(len(self) + 1)
            self.context.handle.call(
                c.lib.mr_fetch_priorities, self.handle, self.names.handle, c.ScoreColumn(values=values.ctypes.data),
                len(self), seconds, priorities)
            if not seconds.any():
                raise UsageError("revisit needs times: in fetched, in files of times, or a store with fetch facts")
        else:
            bits, priorities = ~bits, values
        bits[:(len(self) + 7) // 8] &= numpy.packbits(~numpy.isnan(values), bitorder="little")
        n = min(integer(c.c_uint64, n, "n"), len(self))
        vertices, chosen = numpy.empty(n, numpy.uint32), c.c_uint64()
        self.context.handle.call(
            c.lib.mr_fetch_choose, self.handle, self.names.handle, c.ScoreColumn(values=priorities.ctypes.data), bits, n,
            per_host, per_domain, vertices, chosen)
        return [(self.label(v), float(priorities[v])) for v in vertices[:chosen.value].tolist()]

    def precedence(self, scores: Scores, levels: int = 5, log: bool = False, *,
                   percentages: Optional[Sequence[float]] = None, per_host: bool = False,
                   pages: Optional[Iterable[Hashable]] = None, column: Optional[str] = None,
                   path: Optional[Path] = None, crawler: Crawler = "heritrix",
                   only_changed: Optional[Path] = None, force: bool = False) -> numpy.ndarray:
        """Levels for the queues of a crawler, 1 for the best: an array of uint8; with `path` also the file that a
        crawler loads, in the order of the names, with a line for each spelling.

        scores: as in certify, of all pages. levels: their number, with equally many pages in each. log: each
        level has the same width in the logarithm of the score. percentages: other shares of the pages, the best first.
        per_host: for the pages of each host separately. pages: only these (labels or names) have
        levels, and all others 0. crawler: "heritrix", "nutch", "stormcrawler", "frontera", "scrapy", "commoncrawl",
        "frontera-hbase", "urlfrontier" or "nutch-nodes" (docs/crawlers). only_changed: an earlier file, whose lines are left out. Equal
        scores are in the order of the names. Takes 20 to 40 bytes for each vertex.
        """
        values = self._scores(scores, column, 0)
        n_levels, without = integer(c.c_uint, levels, "levels", 1), numpy.isnan(values)
        options = c.PrecedenceOptions(
            force=force, logarithmic=log, per_host=per_host, format=choice(_CRAWLERS, crawler, "crawler"),
            n_levels=n_levels, only_changed=only_changed)
        if percentages is not None:
            options.percentages = shares = reals(percentages, "percentages")
            if not len(shares):
                raise UsageError("percentages is empty; give a share for each level, or leave it out")
            if levels not in (5, len(shares)):
                raise UsageError("levels and percentages contradict each other; leave out levels")
            options.n_levels = len(shares)
        if pages is not None:
            chosen = numpy.zeros(8 * (len(self) // 8 + 1), bool)
            chosen[self._vertices_of(pages, "pages")] = True
            values, without = numpy.where(without, 0, values), without & chosen[:len(self)]
            options.chosen = numpy.packbits(chosen, bitorder="little")
        if without.any():
            raise InputError(f"{self.label(int(without.argmax()))!r} has no score; say in pages which ones get a level")
        if path is None and (only_changed is not None or crawler != "heritrix" or truth(force, "force")):
            raise UsageError("crawler, only_changed and force are about a file; give its path, or leave them out")
        result = numpy.empty(len(self), numpy.uint8)
        self.context.handle.call(
            c.lib.mr_precedence_write, self.handle, self.names.handle, values, options, path, result, None)
        return result

    def report(self, path: Path, scores: Union[Path, Sequence[Path]] = (), *, components: bool = False, top: int = 10,
               good_share: float = 0, passes: Optional[Path] = None, charts: Optional[Path] = None,
               since: Optional[Path] = None, stamp: bool = False, force: bool = False) -> None:
        """Write a page of HTML about the store, with its pictures inside and nothing to load.

        scores: up to 4 files of rankings of this store; those that the program wrote have a .meta.json beside
        them, which the page needs for error bounds and spam mass. components: also find the connected
        components. top: pages and hosts of a list, at most 1000. good_share: for spam mass, the share of
        the pages that the trusted ones stand in for; 0: as in the file. passes: a file of `millrace
        pagerank --log`. charts: a directory that gets the pictures as SVG. since: an older file of scores, for
        what changed in the first of `scores`. stamp: say when and by which
        command the page was made. Reads the links three times, about three more for components.
        """
        files, command = paths(scores, "scores"), paths(sys.argv, "sys.argv") if truth(stamp, "stamp") else None
        options = c.ReportOptions(
            force=force, components=components, top=integer(c.c_uint, top, "top", 1), scores=files, n_scores=len(files),
            good_share=good_share, passes=passes, charts=charts, since=since, n_command=len(command or ()))
        if command is not None:
            options.command = command
        self.context.handle.call(c.lib.mr_store_report, self.handle, self.names.handle, path, options)

    def check(self, full: bool = False) -> None:
        """Verify every checksum; `full` decodes everything. CorruptError names file and offset."""
        self.context.handle.call(c.lib.mr_store_check, self.path, full, None)
