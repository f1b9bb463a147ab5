# SPDX-License-Identifier: Apache-2.0
"""Stores from files, arrays, scipy matrices, and graphs of networkx and igraph."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any, Hashable, Iterable, Optional, Sequence, Union

import numpy

from . import _library as c
from ._context import Context
from ._values import choice, ids, names as name_array, reals, text
from .errors import InputError
from .store import Path, Store

_CLASSES = {None: 0, "host": 1, "domain": 2}
_ORDERS = {"keep": 0, "degree": 1}
_WEIGHTS = {"where good": 0, "required": 1, "ignored": 2}


def _options(*, force=False, undirected=False, keep_duplicates=False, drop_self_loops=False,
             transpose=False, n_vertices=0, profile=None, profile_rules=None, classes=None,
             order="keep", zstd_level=0, format=None, target_first=False, weights="where good",
             vertex_list=None, skip_bad_lines=False, max_bad_lines=0, directed=False):
    return c.BuildOptions(
        force=force, undirected=undirected, keep_duplicates=keep_duplicates,
        drop_self_loops=drop_self_loops, transpose=transpose, n_vertices=n_vertices,
        profile=profile, profile_rules=profile_rules,
        class_rule=choice(_CLASSES, classes, "classes"), order=choice(_ORDERS, order, "order"),
        zstd_level=zstd_level, format=format, target_first=target_first,
        weights=choice(_WEIGHTS, weights, "weights"), vertex_list=vertex_list,
        skip_bad_lines=skip_bad_lines, max_bad_lines=max_bad_lines, directed=directed)


def _build(function, path, inputs, options, context, labels=None):
    temporary = None if path is not None else tempfile.mkdtemp(prefix="millrace-")
    path = os.fspath(path) if path is not None else os.path.join(temporary, "graph.mill")
    context = context or Context()
    figures = c.BuildFigures()
    try:
        context.handle.call(function, path, *inputs, options, figures)
        store = Store(path, context=context, labels=labels, temporary=temporary)
    except BaseException:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)
        raise
    store.build_figures = figures.to_dict()
    return store


def build_files(path: Optional[Path], inputs: Union[Path, Sequence[Path]],
                context: Optional[Context] = None, **options: Any) -> Store:
    """A store from files of links, in any format that the program reads.

    inputs: one path or several. path: None for a temporary store. options: as the fields of
    struct mr_store_build_options: undirected, profile, classes, format, target_first, ...
    The store is that of the program. Vertices with links come first: store.names, not the numbers
    of the file, are what a vertex is called.
    """
    if isinstance(inputs, (str, bytes, os.PathLike)):
        inputs = [inputs]
    files = [text(file, "inputs") for file in inputs]
    files = (c.c_char_p * len(files))(*files)
    return _build(c.lib.mr_store_build_files, path, (files, len(files)), _options(**options),
                  context)


def build(sources: Any, targets: Any, path: Optional[Path] = None,
          names: Optional[Iterable[str]] = None, weights: Any = None,
          context: Optional[Context] = None, labels: Optional[Sequence[Hashable]] = None,
          **options: Any) -> Store:
    """A store from arrays: link i goes from sources[i] to targets[i].

    names: texts; sources and targets are then indices into it. weights: above 0, one per link.
    path: None for a temporary store. options: as build_files, and n_vertices.
    """
    sources, targets = ids(sources, "sources"), ids(targets, "targets")
    arrays = c.EdgeArrays(n_edges=len(sources), sources=sources, targets=targets)
    if len(sources) != len(targets):
        raise InputError(f"there are {len(sources)} sources and {len(targets)} targets")
    if weights is not None:
        arrays.weights = reals(weights, "weights", len(sources), numpy.float32)
    if names is not None:
        arrays.names = name_array(names)
        arrays.n_names = len(arrays.__dict__["names"])
    return _build(c.lib.mr_store_build_arrays, path, (arrays,), _options(**options), context,
                  labels)


def from_scipy(matrix: Any, path: Optional[Path] = None, weights: bool = False,
               **options: Any) -> Store:
    """A store from a square scipy.sparse matrix or array: entry (i, j) is a link from i to j."""
    coordinates = matrix.tocoo()
    if coordinates.shape[0] != coordinates.shape[1]:
        raise InputError(f"the matrix has the shape {coordinates.shape} and is not square")
    stored = coordinates.data != 0
    return build(
        coordinates.row[stored], coordinates.col[stored], path,
        weights=coordinates.data[stored] if weights else None,
        n_vertices=coordinates.shape[0], labels=range(coordinates.shape[0]), **options)


def from_networkx(graph: Any, path: Optional[Path] = None, weight: Optional[str] = None,
                  **options: Any) -> Store:
    """A store from a networkx graph; the nodes become the labels. weight: an edge attribute.

    Parallel edges count as often as they occur, as in networkx.
    """
    nodes = list(graph)
    number = {node: i for i, node in enumerate(nodes)}
    edges = [(number[u], number[v], data) for u, v, data in graph.edges(data=True)]
    ends = numpy.array([e[:2] for e in edges], numpy.uint64).reshape(len(edges), 2)
    values = None if weight is None else [data.get(weight, 1.0) for _, _, data in edges]
    options.setdefault("undirected", not graph.is_directed())
    options.setdefault("keep_duplicates", graph.is_multigraph() and weight is None)
    return build(ends[:, 0], ends[:, 1], path, weights=values, n_vertices=len(nodes),
                 labels=nodes, **options)


def from_igraph(graph: Any, path: Optional[Path] = None, weight: Optional[str] = None,
                **options: Any) -> Store:
    """A store from an igraph graph; labels are the attribute "name" of vertices, else numbers."""
    ends = numpy.array(graph.get_edgelist(), numpy.uint64).reshape(graph.ecount(), 2)
    named = "name" in graph.vs.attributes()
    options.setdefault("undirected", not graph.is_directed())
    options.setdefault("keep_duplicates", graph.has_multiple() and weight is None)
    return build(ends[:, 0], ends[:, 1], path,
                 weights=None if weight is None else graph.es[weight],
                 n_vertices=graph.vcount(),
                 labels=graph.vs["name"] if named else range(graph.vcount()), **options)


def as_store(graph: Any, **options: Any) -> Store:
    """A store of whatever can be one: a store, a path, a matrix, or a graph."""
    if isinstance(graph, Store):
        return graph
    if isinstance(graph, (str, os.PathLike)):
        is_store = c.lib.mr_store_probe(text(graph, "graph"))
        return Store(graph) if is_store else build_files(None, graph, **options)
    if hasattr(graph, "tocoo"):
        return from_scipy(graph, **options)
    if hasattr(graph, "get_edgelist"):
        return from_igraph(graph, **options)
    if hasattr(graph, "is_multigraph"):
        return from_networkx(graph, **options)
    raise InputError(f"{type(graph).__name__} is no store, path, matrix or graph")
