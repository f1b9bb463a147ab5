# SPDX-License-Identifier: Apache-2.0
"""The backend of networkx: nx.pagerank(graph, backend="millrace"), for networkx 3.2 and newer.

The entry point `networkx.backends` names this module. A function here has the name and the arguments of networkx's
function, and gets what `convert_from_nx` made of the graph. What cannot be done exactly as networkx does it raises
NotImplementedError, so that networkx takes the next backend or says the reason.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any, Dict, Hashable, Iterator, List, Optional, Set, Tuple, Union

import networkx
import numpy

from . import build
from .errors import InputError, NotConverged, UsageError
from .ranking import Ranking
from .store import Store


SMALL = 50000  # nodes and edges up to which networkx is quicker
LEAST_TOLERANCE, SURE_TOLERANCE = 1e-13, 1e-11  # between them rounding may hide that a bound is reached


def _least(tol: float) -> None:
    if not tol >= LEAST_TOLERANCE:
        raise NotImplementedError(f"tol: {tol} is below {LEAST_TOLERANCE}")


class Graph:
    """Nodes and edges of a graph of networkx, and stores of them, each made when it is first needed."""

    __networkx_backend__ = "millrace"

    def __init__(self, graph: Any, edge_attrs: Optional[Dict[str, Any]], all_attrs: bool):
        self.nodes = list(graph)
        self.number = {node: i for i, node in enumerate(self.nodes)}
        self._directed, self._multi = graph.is_directed(), graph.is_multigraph()
        edges = list(graph.edges(data=True))
        self.ends = numpy.array([(self.number[u], self.number[v]) for u, v, _ in edges], numpy.uint64).reshape(-1, 2)
        attrs = edge_attrs or {}
        if all_attrs:
            attrs = {**dict.fromkeys({name for *_, data in edges for name in data}, 1), **attrs}
        self.values = {name: [data.get(name, default) for *_, data in edges] for name, default in attrs.items()}
        self._stores: Dict[Optional[str], Store] = {}

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_stores": {}}  # a copy makes stores of its own

    def number_of_edges(self) -> int:
        return len(self.ends)

    def is_directed(self) -> bool:
        return self._directed

    def is_multigraph(self) -> bool:
        return self._multi

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.nodes)

    def __contains__(self, node: Any) -> bool:
        try:
            return node in self.number
        except TypeError:
            return False

    def store(self, weight: Optional[str] = None, tol: float = 1) -> Store:
        """A store with this attribute as the weights, which are floats of 32 bits there: exact, or near enough for `tol`.
        An edge of weight 0 is none."""
        if weight not in self._stores:
            ends, weights = self.ends, None
            if weight is not None:
                if weight not in self.values:
                    raise NotImplementedError(f"the graph was converted without the attribute {weight!r}")
                weights = numpy.array(self.values[weight], numpy.float64)
                ends, weights = ends[weights != 0], weights[weights != 0]
                if not numpy.all(weights > 0):
                    raise NotImplementedError("a weight is negative or no number")
                with numpy.errstate(over="ignore"):
                    single = weights.astype(numpy.float32)
                if not numpy.all(numpy.isfinite(single) & (single > 1.2e-38)):
                    raise NotImplementedError("a weight is out of the range of floats of 32 bits")
                if tol * len(self) < 1e-6 and numpy.any(single != weights):
                    raise NotImplementedError("a weight is no float of 32 bits, which this tolerance needs")
                if len(weights) and numpy.all(weights == 1):
                    weights = None
            self._stores[weight] = build(
                ends[:, 0], ends[:, 1], weights=weights, n_vertices=len(self), labels=self.nodes,
                undirected=not self._directed, keep_duplicates=self._multi and weights is None)
        return self._stores[weight]

    def some(self, nbunch: Any) -> List[Hashable]:
        """Nodes of the graph as networkx's nbunch_iter gives them."""
        return self.nodes if nbunch is None else list(networkx.Graph.nbunch_iter(self, nbunch))

    @property
    def _adj(self) -> Dict[Hashable, int]:
        return self.number  # all that nbunch_iter asks of it


def convert_from_nx(graph: Any, edge_attrs: Optional[Dict[str, Any]] = None,
                    preserve_edge_attrs: bool = False, **_: Any) -> Graph:
    return Graph(graph, edge_attrs, preserve_edge_attrs)


def convert_to_nx(result: Any, **_: Any) -> Any:
    """A graph of networkx; other results are what they are."""
    if not isinstance(result, Graph):
        return result
    kinds = [[networkx.Graph, networkx.MultiGraph], [networkx.DiGraph, networkx.MultiDiGraph]]
    graph = kinds[result.is_directed()][result.is_multigraph()](backend="networkx")
    graph.add_nodes_from(result.nodes)
    names = list(result.values)
    for (u, v), *values in zip(result.ends.tolist(), *result.values.values()):
        graph.add_edge(result.nodes[u], result.nodes[v], **dict(zip(names, values)))
    return graph


def _weights(graph: Graph, of: Dict[Hashable, float], what: str) -> Dict[Hashable, float]:
    """The weights of nodes of the graph; networkx passes over other keys."""
    found = {node: float(weight) for node, weight in of.items() if node in graph}
    if any(weight < 0 for weight in found.values()):
        raise NotImplementedError(f"{what} has a weight below 0")
    if sum(found.values()) == 0:
        if what == "personalization":
            raise ZeroDivisionError
        raise NotImplementedError(f"{what} has no weight above 0 for a node of the graph")
    return found


def _converged(max_iter: int, rank: Any, *arguments: Any, **options: Any) -> Ranking:
    if max_iter <= 0:
        raise networkx.PowerIterationFailedConvergence(max_iter)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", NotConverged)
            return rank(*arguments, **options)
    except NotConverged as error:
        if options["tolerance"] < SURE_TOLERANCE:
            raise NotImplementedError("the bound is not reached; rounding may hide it") from error
        raise networkx.PowerIterationFailedConvergence(max_iter) from error


def pagerank(G: Graph, alpha: float = 0.85, personalization: Optional[Dict[Hashable, float]] = None,
             max_iter: int = 100, tol: float = 1e-6, nstart: Optional[Dict[Hashable, float]] = None,
             weight: Optional[str] = "weight",
             dangling: Optional[Dict[Hashable, float]] = None) -> Dict[Hashable, float]:
    """As networkx.pagerank. The sum of all errors is at most `tol`, with `dangling` at most what networkx's stop at a
    change of len(G) * tol promises: that, times max(1, alpha / (1 - alpha)). `max_iter` bounds the passes over the
    edges; `nstart` changes nothing."""
    if not len(G):
        return {}
    if not 0 <= alpha < 1:
        raise NotImplementedError(f"alpha: {alpha} is not at least 0 and below 1")
    if nstart is not None and not any(nstart.get(node) for node in G.nodes):
        raise NotImplementedError("nstart has only zeros")
    _least(tol)
    store = G.store(weight, tol)
    options = {"damping": alpha, "tolerance": tol, "max_passes": max_iter, "weights": bool(store.has_weights)}
    teleport = None if personalization is None else _weights(G, personalization, "personalization")
    if dangling is None or not store.n_dangling:
        return _converged(max_iter, store.pagerank, teleport=teleport, **options).to_dict()
    # Without what nodes without links give away, scores add up to less than 1. The rest is the share of `dangling`.
    # Errors of `given` count 1 / (1 - alpha) times at most: the sum of its scores is at least 1 - alpha.
    options.update(dangling="none", tolerance=tol * len(G) * max(alpha, 1 - alpha) / 4)
    direct, given = (
        _converged(max_iter, store.pagerank, teleport=to, **options).scores
        for to in (teleport, _weights(G, dangling, "dangling")))
    return dict(zip(G.nodes, (direct + (1 - direct.sum()) / given.sum() * given).tolist()))


def hits(G: Graph, max_iter: int = 100, tol: float = 1e-8, nstart: Optional[Dict[Hashable, float]] = None,
         normalized: bool = True) -> Tuple[Dict[Hashable, float], Dict[Hashable, float]]:
    """As networkx.hits. `tol` bounds the change of a round; `nstart` changes nothing."""
    if not len(G):
        return {}, {}
    if not normalized or not len(G.ends):
        raise NotImplementedError("the sign of scores without a norm, and scores without edges, are a matter of the method")
    _least(tol)
    store = G.store("weight")
    ranking = _converged(max_iter, store.hits, tolerance=tol, max_rounds=max_iter, norm="l1",
                         weights=bool(store.has_weights))
    return ranking.to_dict("hub"), ranking.to_dict("authority")


def harmonic_centrality(G: Graph, nbunch: Any = None, distance: Optional[str] = None,
                        sources: Any = None) -> Dict[Hashable, float]:
    """As networkx.harmonic_centrality, without distances of edges."""
    if distance is not None:
        raise NotImplementedError("edges have no distances here; distance=None counts links")
    if not len(G):
        return {}
    nodes = G.nodes if nbunch is None else set(G.some(nbunch))
    chosen = None if sources is None else G.some(sources)
    if chosen is not None and not chosen:
        return dict.fromkeys(nodes, 0)
    scores = G.store().harmonic(exact=True, sources=chosen)["harmonic"].tolist()
    return {node: scores[G.number[node]] or 0 for node in nodes}


@networkx.utils.not_implemented_for("multigraph")
def katz_centrality(G: Graph, alpha: float = 0.1, beta: Union[float, Dict[Hashable, float]] = 1.0,
                    max_iter: int = 1000, tol: float = 1e-6, nstart: Optional[Dict[Hashable, float]] = None,
                    normalized: bool = True, weight: Optional[str] = None) -> Dict[Hashable, float]:
    """As networkx.katz_centrality. The sum of all errors is at most `tol` times the sum of the scores; `nstart` changes
    nothing."""
    if not len(G):
        return {}
    if not alpha > 0:
        raise NotImplementedError(f"alpha: {alpha} is not above 0")
    times, seeds = beta, None
    if isinstance(beta, dict):
        if set(beta) != set(G.nodes):
            raise networkx.NetworkXError("beta dictionary must have a value for every node")
        seeds = _weights(G, beta, "beta")
        times = sum(seeds.values())
    elif not isinstance(beta, (int, float)):
        raise networkx.NetworkXError("beta must be a number")
    _least(tol)
    store = G.store(weight, tol)
    try:
        scores = times * _converged(max_iter, store.katz, attenuation=alpha, tolerance=tol, max_passes=max_iter,
                                    seeds=seeds, weights=bool(store.has_weights)).scores
    except UsageError as error:  # the attenuation is too large
        raise networkx.PowerIterationFailedConvergence(max_iter) from error
    return dict(zip(G.nodes, (scores / numpy.linalg.norm(scores) if normalized else scores).tolist()))


@networkx.utils.not_implemented_for("multigraph")
def eigenvector_centrality(G: Graph, max_iter: int = 100, tol: float = 1e-6,
                           nstart: Optional[Dict[Hashable, float]] = None,
                           weight: Optional[str] = None) -> Dict[Hashable, float]:
    """As networkx.eigenvector_centrality. `tol` bounds the change of a pass, as there; `nstart` changes nothing."""
    if not len(G):
        raise networkx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    if nstart is not None and not any(nstart.values()):
        raise networkx.NetworkXError("initial vector cannot have all zero values")
    _least(tol)
    store = G.store(weight, tol)
    if not store.n_edges:
        return dict.fromkeys(G.nodes, len(G) ** -0.5)
    try:
        return _converged(max_iter, store.eigenvector, tolerance=min(1.0, tol * len(G) ** 0.5), max_passes=max_iter,
                          norm="l2", weights=bool(store.has_weights)).to_dict()
    except InputError as error:  # no cycle of edges
        raise networkx.PowerIterationFailedConvergence(max_iter) from error


def _components(graph: Graph, column: str) -> List[Set[Hashable]]:
    members: Dict[float, Set[Hashable]] = {}
    if len(graph):
        labels = graph.store().components(weak_only=column == "weak")[column]
        for node, label in zip(graph.nodes, labels.tolist()):
            members.setdefault(label, set()).add(node)
    return list(members.values())


def _family(name: str, column: str) -> None:
    """The functions NAME_components, number_NAME_components and is_NAME. Strong components have an order in networkx,
    that of its search, so that it lists them itself."""
    def components(G):
        yield from _components(G, column)

    def number(G):
        return len(_components(G, column))

    def is_one(G):
        if not len(G):
            raise networkx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
        return number(G) == 1

    refuse = networkx.utils.not_implemented_for("directed" if name == "connected" else "undirected")
    listed = [] if column == "strong" else [(components, f"{name}_components")]
    for function, key in (*listed, (number, f"number_{name}_components"),
                          (is_one, f"is_{name}")):
        function.__name__ = key
        globals()[key] = refuse(function)


_family("connected", "weak")
_family("weakly_connected", "weak")
_family("strongly_connected", "strong")

FUNCTIONS = ("pagerank", "hits", "harmonic_centrality", "katz_centrality", "eigenvector_centrality", "connected_components",
             "number_connected_components", "is_connected", "weakly_connected_components",
             "number_weakly_connected_components", "is_weakly_connected", "number_strongly_connected_components",
             "is_strongly_connected")


def can_run(name: str, args: Any, kwargs: Any) -> Union[bool, str]:
    """True, or why not: a newer networkx may have arguments that a function here does not know."""
    try:
        inspect.signature(globals()[name]).bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    return True


def should_run(name: str, args: Any, kwargs: Any) -> Union[bool, str]:  # pylint: disable=unused-argument
    """True, or why networkx is quicker."""
    graph = args[0] if args else kwargs["G"]
    size = len(graph) + graph.number_of_edges()
    return True if size > SMALL else f"networkx is quicker on {size} nodes and edges"


def get_info() -> Dict[str, Any]:
    """What networkx's documents say about this backend."""
    return {
        "backend_name": "millrace", "project": "Millrace", "package": "millrace",
        "short_summary": "Link ranking with proven error bounds, by all cores.",
        "functions": {name: {"additional_docs": (globals()[name].__doc__ or "").strip()} for name in FUNCTIONS}}
