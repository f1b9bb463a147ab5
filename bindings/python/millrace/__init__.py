# SPDX-License-Identifier: Apache-2.0
"""Millrace: link ranking of graphs that are larger than memory.

    import millrace

    with millrace.build_files("web.mill", "links.txt.gz") as store:
        ranking = store.pagerank()
        print(ranking.error_bound, ranking.top(10))

See docs/python.md of Millrace.
"""

from __future__ import annotations

from typing import Any, Optional, Union

from ._context import Context
from ._library import lib as _lib
from .build import append, append_files, as_store, build, build_files, convert, from_igraph, from_networkx, from_scipy
from .errors import (
    BudgetError, CorruptError, InputError, MillraceError, NotConverged, RuntimeFailure,
    UsageError)
from .names import Names
from .query import Host, Page, Share, Why
from .ranking import BestPages, Certificate, Change, Changes, Comparison, HarmonicCertificate, Ranking, compare
from .store import Store

__version__ = _lib.mr_version().decode()
open = Store  # pylint: disable=redefined-builtin; meant as millrace.open(path)


def pagerank(graph: Any, weight: Union[str, bool, None] = None, *, source: Optional[str] = None,
             target: Optional[str] = None, columns: Optional[str] = None, **options: Any) -> Ranking:
    """PageRank of a store, a path, a matrix of scipy, a graph of networkx or igraph, pairs, a
    dictionary, an array of the shape (E, 2), or whatever else build() takes.

    weight: the edge attribute or the column of a table to rank with, or True for the weights that the graph has. source,
    target, or columns="SOURCE,TARGET,WEIGHT": the columns of a table.
    """
    if "weights" in options:
        raise TypeError("pagerank() has no weights; it is called weight here")
    store = as_store(graph, weight, source=source, target=target, **({} if columns is None else {"columns": columns}))
    return store.pagerank(weights=weight is not None and weight is not False, **options)


__all__ = [
    "BestPages", "BudgetError", "Certificate", "Change", "Changes", "Comparison", "Context", "CorruptError", "HarmonicCertificate",
    "Host", "InputError", "MillraceError", "Names", "NotConverged", "Page", "Ranking", "RuntimeFailure", "Share", "Store",
    "UsageError", "Why",
    "append", "append_files", "as_store", "build", "build_files", "compare", "convert", "from_igraph",
    "from_networkx", "from_scipy", "open", "pagerank"]
