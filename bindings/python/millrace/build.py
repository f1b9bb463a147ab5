# SPDX-License-Identifier: Apache-2.0
"""Stores from files, arrays, pairs, scipy matrices, and graphs of networkx and igraph."""

from __future__ import annotations

import array
import ctypes
import itertools
import os
import shutil
import tempfile
import warnings
from collections.abc import Mapping
from typing import (
    TYPE_CHECKING, Any, Dict, Hashable, Iterable, Literal, Optional, Sequence, TypedDict, Union)

import numpy

from . import _arrow, _library as c
from ._context import Context, context_of, error_of
from ._values import choice, ids, names as name_array, paths, real, reals, text
from .errors import InputError, UsageError
from .store import LARGEST, Path, Store

_CLASSES = {None: 0, "host": 1, "domain": 2}
_WEIGHTS = {"where good": 0, "required": 1, "ignored": 2}


if TYPE_CHECKING:
    from typing_extensions import Unpack


class ReadingOptions(TypedDict, total=False):
    """How files of links are read."""

    format: Optional[str]  # None: detected; `millrace help inputs` lists the names
    columns: Optional[str]  # "target-source", or of a table "SOURCE,TARGET[,WEIGHT]"; None: as its header says
    vertex_list: Optional[Path]  # a file that lists the vertices; no others exist
    skip_bad_lines: bool
    max_bad_lines: int  # that may be skipped; 0: any number
    directed: bool  # take links as they stand, also of a file that calls itself undirected
    zstd_level: int  # 0: plain blocks; 1 to 19


class BuildOptions(ReadingOptions, total=False):
    """How a store is built, as the fields of struct mr_store_build_options say."""

    force: bool  # replace an existing store
    undirected: bool  # add the reverse of every link
    keep_duplicates: bool  # else equal links are merged and their weights added
    drop_self_loops: bool
    transpose: bool
    n_vertices: int  # above 0: the vertices are 0 .. n_vertices - 1
    profile: Optional[str]  # of URLs: "heritrix", "wayback", "surt"
    profile_rules: Optional[str]
    classes: Literal[None, "host", "domain"]  # keep links inside these apart


class FileOptions(BuildOptions, total=False):
    """BuildOptions, and what to do with weights of files."""

    weights: Literal["where good", "required", "ignored"]


def _options(*, force=False, undirected=False, keep_duplicates=False, drop_self_loops=False,
             transpose=False, n_vertices=0, profile=None, profile_rules=None, classes=None,
             zstd_level=0, format=None, columns=None, weights="where good",
             vertex_list=None, skip_bad_lines=False, max_bad_lines=0, directed=False):
    return c.BuildOptions(
        force=force, undirected=undirected, keep_duplicates=keep_duplicates,
        drop_self_loops=drop_self_loops, transpose=transpose, n_vertices=n_vertices,
        profile=profile, profile_rules=profile_rules,
        class_rule=choice(_CLASSES, classes, "classes"),
        zstd_level=zstd_level, format=format, columns=columns,
        weights=choice(_WEIGHTS, weights, "weights"), vertex_list=vertex_list,
        skip_bad_lines=skip_bad_lines, max_bad_lines=max_bad_lines, directed=directed)


def _build(function, path, inputs, options, context, labels=None):
    temporary = None if path is not None else tempfile.mkdtemp(prefix="millrace-")
    path = os.fspath(path) if path is not None else os.path.join(temporary, "graph.mill")
    context = context_of(context)
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
                context: Optional[Context] = None, **options: Unpack[FileOptions]) -> Store:
    """A store from files of links, in any format that the program reads.

    inputs: one path or several. path: None for a temporary store. options: FileOptions.
    The store is that of the program. Vertices with links come first: store.names, not the numbers
    of the file, are what a vertex is called.
    """
    files = paths(inputs, "inputs")
    return _build(c.lib.mr_store_build_files, path, (files, len(files)), _options(**options),
                  context)


def convert(inputs: Union[Path, Sequence[Path]], output: Path, to: Optional[str] = None, *,
            names: Optional[Path] = None, host: Optional[str] = None,
            largest: Literal[None, "weak", "strong"] = None, context: Optional[Context] = None,
            **options: Unpack[FileOptions]) -> None:
    """Turn files of links into a file in the format of another program, through a temporary store.

    inputs: as in build_files, or the path of a store, which takes no options but force. to, names, host, largest:
    as in store.export. options: FileOptions; force replaces the output. Equal links are written once, unless
    keep_duplicates is set.
    """
    force = options.pop("force", False)
    files = [os.fsdecode(path) for path in paths(inputs, "inputs")]
    stores = [path for path in files if c.lib.mr_store_probe(os.fsencode(path))]
    if stores and (options or len(files) > 1):
        raise UsageError(f"{stores[0]} is a store, which takes no options of inputs and no other inputs; "
                         "use store.export")
    err, checked = c.Error(), c.ExportOptions(
        force=force, format=to, names=names, host=host, largest=choice(LARGEST, largest, "largest"))
    if c.lib.mr_store_export_check(paths(files, "inputs"), len(files), paths([output], "output")[0], checked, err):
        raise error_of(err)
    with Store(files[0], context=context) if stores else build_files(None, files, context, **options) as store:
        store.export(output, to, names=names, host=host, largest=largest, force=force,
                     weights=options.get("weights") != "ignored")


def append_files(store: Union[Store, Path], inputs: Union[Path, Sequence[Path]] = (), *,
                 replace: bool = False, gone: Union[Path, Sequence[Path]] = (),
                 seeds: Union[Path, Sequence[Path]] = (), drop_unlinked: bool = False,
                 max_unknown: Optional[int] = None, context: Optional[Context] = None,
                 **reading: Unpack[ReadingOptions]) -> Store:
    """Add the links of files to a store, which changes in one step, and open it again.

    A store that is open, also the given one, keeps the old links. New names give pages other
    numbers. replace: the links of a page in the inputs replace those that the store has of it.
    gone: files of pages that lose their links: lists, or a crawler's files, of which those pages
    count that ended in 404 or 410. drop_unlinked: leave gone pages out to which no page links.
    seeds: lists of pages to add. max_unknown: so many names in `gone` may be unknown; None: half of
    them. reading: ReadingOptions.
    The other options are those of the store. Costs a reading of the store and a build of all links.
    """
    known = isinstance(store, Store)
    path = store.path if known else store
    context = store.context if known and context is None else context_of(context)
    lists = [paths(files, what) for files, what in (
        (inputs, "inputs"), (gone, "gone"), (seeds, "seeds"))]
    options = c.AppendOptions(
        replace=replace, drop_unlinked=drop_unlinked, gone=lists[1], n_gone=len(lists[1]),
        seeds=lists[2], n_seeds=len(lists[2]),
        max_unknown=c.HALF_UNKNOWN if max_unknown is None else max_unknown,
        reading=ctypes.pointer(_options(**reading)))
    figures = c.AppendFigures()
    context.handle.call(c.lib.mr_store_append_files, path, lists[0], len(lists[0]), options, figures)
    made = Store(path, context=context)
    made.append_figures = figures.to_dict()
    made.before = store  # a temporary store stays as long as either is in use
    return made


def append(store: Union[Store, Path], links: Any, *, weights: bool = False, source: Optional[str] = None,
           target: Optional[str] = None, weight: Optional[str] = None, **options: Any) -> Store:
    """Add links in any form that build() takes to a store, and open it again. options: those of append_files. The links
    go through a temporary file."""
    with tempfile.TemporaryDirectory(prefix="millrace-") as folder:
        path = os.path.join(folder, "links.csv")
        with as_store(links, weight or weights, source=source, target=target, keep_duplicates=True) as made:
            made.export(path)
        return append_files(store, path, format="csv", **options)


def build(sources: Any, targets: Any = None, path: Optional[Path] = None,
          names: Optional[Iterable[str]] = None, weights: Any = None,
          context: Optional[Context] = None, labels: Optional[Sequence[Hashable]] = None, *,
          source: Optional[str] = None, target: Optional[str] = None, weight: Optional[str] = None,
          **options: Unpack[BuildOptions]) -> Store:
    """A store from arrays: link i goes from sources[i] to targets[i].

    names: texts; sources and targets are then indices into it. weights: above 0, one per link.
    path: None for a temporary store. options: BuildOptions; those of files have no use here.

    Without targets, `sources` has both ends: pairs of texts, numbers or whatever is hashable; a
    dictionary {source: targets}; a table, of which one batch at a time is in memory
    where it exports Arrow's stream (pyarrow, Polars, DuckDB); a dictionary of arrays, which is a table; an array of
    integers of the shape (E, 2); or an iterator of such arrays, for graphs larger than memory. With weights=True, pairs
    are triples (source, target, weight), a dictionary is {source: {target: weight}}, a table has a
    column of weights, and an iterator gives pairs (array, array of weights).
    source, target, weight: the columns of a table. Without them its names say which they are, as in a file
    (`millrace help inputs`), or it has no others, in this order.
    """
    if targets is None:
        if names is not None or labels is not None or not isinstance(weights, (bool, type(None))):
            raise InputError("names, labels and arrays of weights need sources and targets")
        columns = _columns(source, target, weight) or options.pop("columns", None)
        return _from_links(sources, path, bool(weights) or weight is not None, columns, {"context": context, **options})
    if (source, target, weight) != (None, None, None):
        raise InputError("source, target and weight are columns of a table; sources and targets are arrays")
    if names is not None and labels is not None:
        raise InputError("vertices have names or labels, not both")
    sources, targets = ids(sources, "sources"), ids(targets, "targets")
    arrays = c.MemoryEdges(n_edges=len(sources), sources=sources, targets=targets)
    if len(sources) != len(targets):
        raise InputError(f"there are {len(sources)} sources and {len(targets)} targets")
    if weights is not None:
        arrays.weights = reals(weights, "weights", len(sources), numpy.float32)
    if names is not None:
        arrays.names = name_array(names)
        arrays.n_names = len(arrays.__dict__["names"])
    return _build(c.lib.mr_store_build_edges, path, (arrays,), _options(**options), context,
                  labels)


def _columns(source, target, weight):
    """The option `columns` for columns of a table, or None."""
    names = [source, target, *([] if weight is None else [weight])]
    if names == [None, None]:
        return None
    if None in names:
        raise InputError("source and target are both needed to name the columns of a table")
    for name in names:
        if not isinstance(name, str) or not name or "," in name:
            raise InputError(f"{name!r} is no name of a column here; give the table other names of columns")
    return ",".join(names)


# A dictionary with these keys has columns, not the targets of pages with these names.
_ENDS = ({"source", "target"}, {"src", "dst"}, {"from", "to"})


def _table_of(links):
    """What exports Arrow's stream, or a dictionary of columns, if `links` is a table; else None."""
    if isinstance(links, Mapping) and not hasattr(links, "__arrow_c_stream__"):
        arrays = links and all(isinstance(key, str) and hasattr(value, "dtype") and getattr(value, "ndim", 0) == 1
                               for key, value in links.items())
        return dict(links) if arrays or any(words <= links.keys() for words in _ENDS) else None
    if isinstance(links, numpy.ndarray):
        return {name: links[name] for name in links.dtype.names} if links.dtype.names else None
    if hasattr(links, "collect") and hasattr(links, "lazy"):  # a LazyFrame of Polars
        return links.collect()
    if hasattr(links, "to_reader") and not hasattr(links, "__arrow_c_stream__"):  # a scanner of pyarrow
        return links.to_reader()
    if hasattr(links, "scanner"):  # a dataset of pyarrow
        return links.scanner().to_reader()
    if hasattr(links, "reset_index") and hasattr(links, "columns"):  # pandas, whose index would be a column more
        try:
            return links.reset_index(drop=True).__arrow_c_stream__()
        except Exception:  # pylint: disable=broad-except; no pyarrow, or a column of mixed types
            return {str(name): numpy.asarray(links[name]) for name in links.columns}
    return links if hasattr(links, "__arrow_c_stream__") else None


# Since which version tables export Arrow's stream.
_STREAMS = {"polars": "1.4", "pyarrow": "14", "duckdb": "1.1"}


def _from_links(links, path, weighted, columns, options):
    """What has both ends of the links, in one of the forms that build() takes."""
    table = _table_of(links)
    given = links if table is None else table
    module = type(given).__module__.partition(".")[0]
    if module in _STREAMS and not hasattr(given, "__arrow_c_stream__") and not hasattr(given, "__arrow_c_array__"):
        raise InputError(f"a {type(given).__name__} of this {module} exports no stream of Arrow; "
                         f"tables of {module} {_STREAMS[module]} or newer do")
    if table is not None:
        return _from_table(table, path, weighted, columns, options)
    if columns is not None:
        raise InputError(f"source, target and weight name columns of a table, and a {type(links).__name__} has none")
    if isinstance(links, Mapping):
        return _from_pairs(_pairs_of(links, weighted), path, weighted, options, links)
    if isinstance(links, numpy.ndarray) and links.dtype.kind in "OSUT":
        links = links.tolist()
    if isinstance(links, numpy.ndarray):
        return build(*_ends_of(links).T, path, **options)
    if hasattr(links, "__arrow_c_array__") or (hasattr(links, "columns") and hasattr(links, "index")):
        raise InputError(f"{type(links).__name__} is no table with a column of sources and one of targets")
    if isinstance(links, (str, bytes)):
        raise InputError(f"{links!r} is one text; give pairs (source, target)")
    try:
        links = iter(links)
    except TypeError:
        raise InputError(f"{type(links).__name__} is no store, path, matrix or graph") from None
    first = list(itertools.islice(links, 1))
    one = first[0] if first else None
    if weighted and isinstance(one, tuple) and one:
        one = one[0]
    make = _from_chunks if isinstance(one, numpy.ndarray) and one.ndim == 2 else _from_pairs
    return make(itertools.chain(first, links), path, weighted, options)


def _from_table(table, path, weighted, columns, options):
    """A dictionary of columns, a capsule of Arrow's stream, or whatever exports one. The capsule keeps the struct that
    the call releases."""
    if isinstance(table, dict):
        export = _export_of(table)
        if export is None:  # objects of several types
            names = columns.split(",") if columns else list(table)
            if len(names) != 2 + weighted:
                raise InputError(f"the table has {len(names)} columns; name source, target{', weight' * weighted}")
            return _from_pairs(zip(*(table[name].tolist() for name in names)), path, weighted, options)
        table = export.capsule()
    capsule = table.__arrow_c_stream__() if hasattr(table, "__arrow_c_stream__") else table
    context = options.pop("context", None)
    made = _options(**options, columns=columns, weights="required" if weighted else "ignored")
    return _build(c.lib.mr_store_build_edges, path, (c.MemoryEdges(stream=_arrow.pointer_of(capsule)),), made, context)


def _export_of(columns):
    """A dictionary of arrays as one batch of Arrow; None if a column has neither numbers nor texts."""
    formats, arrays = {}, []
    if len({len(column) for column in columns.values()}) > 1:
        raise InputError("the columns of the table have different lengths")
    for name, column in columns.items():
        column = numpy.asarray(column)
        if column.dtype.kind in "OSUT":
            column = column.tolist()
            if not all(isinstance(one, str) for one in column):
                return None
            formats[name], made = "U", _arrow.texts(column)
        else:
            formats[name] = {"i": "l", "b": "l", "u": "L", "f": "g"}.get(column.dtype.kind)
            if formats[name] is None:
                return None
            made = [numpy.ascontiguousarray(column, {"l": numpy.int64, "L": numpy.uint64, "g": float}[formats[name]])]
        arrays.append(made)
    return _arrow.Export(formats, iter([arrays]))


def _ends_of(array):
    """The array of links, of the shape (E, 2). What may be an adjacency matrix or has the ends in rows is not read so."""
    is_square = array.ndim == 2 and array.shape[0] == array.shape[1]
    others = [*(["links.T, if sources are in one row and targets in the other"] if array.shape[:1] == (2,) else []),
              *(["scipy.sparse.csr_array(links), if it is an adjacency matrix with links from rows to columns"]
                if is_square else [])]
    if array.ndim == 2 and array.shape[1] != 2 and others:
        raise InputError(f"links is no array of integers of the shape (n, 2): it has the shape {array.shape}; give "
                         + "; or ".join(others))
    if is_square and array.dtype.kind in "iu":
        warnings.warn("links of the shape (2, 2) are read as two links, one in each row; else give " + "; or ".join(others),
                      stacklevel=5)
    return ids(array, "links", 2)


def _pairs_of(table, weighted):
    for source, targets in table.items():
        if isinstance(targets, (str, bytes)) or not isinstance(
                targets, Mapping if weighted else Iterable):
            raise InputError(f"{source!r}: {targets!r} is not {{target: weight}}" if weighted else
                             f"{source!r}: {targets!r} is not a list of targets")
        for target in targets:
            yield (source, target, targets[target]) if weighted else (source, target)


def _from_pairs(pairs, path, weighted, options, nodes=()):
    number: Dict[Hashable, int] = {node: i for i, node in enumerate(nodes)}
    ends, weights = array.array("Q"), array.array("d")
    for i, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list, numpy.ndarray)) or len(pair) != 2 + weighted:
            raise InputError(f"link {i}: {pair!r} is not (source, target"
                             f"{', weight' if weighted else ''})")
        ends.extend([number.setdefault(node, len(number)) for node in pair[:2]])
        if weighted:
            weights.append(real(pair[2], f"the weight of link {i}"))
    if weighted:
        options["weights"] = weights
    return _from_nodes(list(number), numpy.array(ends, numpy.uint64).reshape(-1, 2), path, options)


def _from_nodes(nodes, ends, path, options):
    """A store of links between indices of nodes. Texts and numbers are its names, also on disk."""
    for node in nodes:
        if node is None or node != node:
            raise InputError(f"{node!r} is no page; leave out links whose ends are not known")
    if all(isinstance(node, str) for node in nodes):
        return build(*ends.T, path, names=nodes, **options)
    if not all(_is_id(node) for node in nodes):
        return build(*ends.T, path, n_vertices=len(nodes), labels=nodes, **options)
    total = options.get("n_vertices", 0)
    if total or len(numpy.unique(ends)) == len(nodes):
        return build(*numpy.array(nodes, numpy.uint64)[ends].T, path,
                     labels=range(total) if total else sorted(nodes), **options)
    store = build(*ends.T, path, names=nodes, **options)
    store.labels = [int(name) for name in store.names]
    return store


def _is_id(node):
    return (isinstance(node, (int, numpy.integer)) and not isinstance(node, bool) and
            0 <= node < 1 << 64)


def _from_chunks(chunks, path, weighted, options):
    context = context_of(options.pop("context", None))
    made = _options(**options, weights="required" if weighted else "ignored")
    calls, at, left = context.handle.calls, itertools.count(), []

    def take(edges, weights, capacity, n_edges):
        while not left or len(left[0]) == 0:
            chunk = next(chunks, None)
            if chunk is None:
                return
            what = f"chunk {next(at)}"
            if weighted and not (isinstance(chunk, tuple) and len(chunk) == 2):
                raise InputError(f"{what} is not a pair (array of links, array of weights)")
            ends, values = chunk if weighted else (chunk, None)
            left[:] = [ids(ends, what, 2)]
            if weighted:
                left.append(reals(values, f"the weights of {what}", len(left[0]), numpy.float32))
        n = min(capacity, len(left[0]))
        for to, part in zip((edges, weights), left):
            ctypes.memmove(to, part.ctypes.data, part[:n].nbytes)
        left[:] = [part[n:] for part in left]
        n_edges[0] = n

    @c.EDGES
    def give(_, edges, weights, capacity, n_edges, __):
        calls.call_back(lambda: take(edges, weights, capacity, n_edges))
        return c.OK if calls.failure is None else c.INTERRUPTED

    return _build(c.lib.mr_store_build_edges, path, (c.MemoryEdges(next=give),), made, context)


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


def as_store(graph: Any, weight: Union[str, bool, None] = None, *, source: Optional[str] = None,
             target: Optional[str] = None, **options: Any) -> Store:
    """A store of whatever can be one: a store, a path, a matrix, a graph, or links as in build.

    weight: an attribute of edges or a column of a table, or True for the weights that the graph has. source, target: the
    columns of a table.
    """
    weighted = weight is not None and weight is not False
    if isinstance(graph, Store):
        return graph
    if isinstance(graph, (str, os.PathLike)):
        if c.lib.mr_store_probe(text(graph, "graph")):
            return Store(graph)
        return build_files(None, graph, weights="required" if weighted else "where good",
                           **{"columns": _columns(source, target, weight if isinstance(weight, str) else None), **options})
    if hasattr(graph, "tocoo"):
        return from_scipy(graph, weights=weighted, **options)
    if hasattr(graph, "get_edgelist") or hasattr(graph, "is_multigraph"):
        make = from_igraph if hasattr(graph, "get_edgelist") else from_networkx
        return make(graph, weight=("weight" if weight is True else weight) if weighted else None,
                    **options)
    column = weight if isinstance(weight, str) and source is not None else None
    return build(graph, weights=weighted, source=source, target=target, weight=column, **options)
