# SPDX-License-Identifier: Apache-2.0
# Made by `python -m millrace.rankings`.
from typing import Any, Hashable, Iterable, Literal, Mapping, Optional, Sequence, Union

import numpy

from .ranking import Ranking, Scores
from .store import Path, Store, Weights

class Rankings:
    def _rank(self, kind: Any, options: Any, weights: Any, *arguments: Any) -> Ranking: ...
    def components(self, *, weak_only: bool = ...) -> Ranking: ...
    def degree(self, *, weights: bool = ...) -> Ranking: ...
    def eigenvector(self, *, tolerance: Optional[float] = ..., max_passes: Optional[int] = ..., norm: Literal["l1",
        "l2", "max"] = ..., weights: bool = ...) -> Ranking: ...
    def harmonic(self, *, log2m: Optional[int] = ..., exact: bool = ..., sources: Optional[Weights] = ...,
        random_seed: Optional[int] = ...) -> Ranking: ...
    def hits(self, reverse: Optional[Store] = ..., *, page_scores: Optional[Weights] = ..., norm: Literal["l1",
        "l2", "max"] = ..., tolerance: Optional[float] = ..., max_rounds: Optional[int] = ..., start:
        Optional[Scores] = ..., acceleration: Optional[int] = ..., probe: Optional[int] = ..., no_pin: bool = ...,
        weights: bool = ...) -> Ranking: ...
    def katz(self, *, attenuation: Optional[float] = ..., tolerance: Optional[float] = ..., max_passes:
        Optional[int] = ..., seeds: Optional[Weights] = ..., weights: bool = ...) -> Ranking: ...
    def opic(self, *, method: Literal["auto", "opic", "drain"] = ..., tax: Optional[float] = ..., one_link: bool =
        ..., policy: Literal["cyclic", "greedy", "random"] = ..., visits: Union[str, float, None] = ...,
        random_seed: Optional[int] = ..., payout: Literal["all", "unvisited", "visited"] = ..., targets:
        Optional[Iterable[Hashable]] = ..., fetched: Union[str, Iterable[Hashable], None] = ..., ignore_self_loops:
        bool = ..., internal_weight: Optional[float] = ..., external_weight: Optional[float] = ..., tolerance:
        Optional[float] = ..., sweeps: Optional[int] = ..., cash_left: Optional[float] = ..., no_pin: bool = ...,
        state: Optional[Path] = ..., window: Union[str, float, None] = ..., times: Optional[Weights] = ...,
        intervals: Optional[Weights] = ..., new_pages: Literal["auto", "average", "zero"] = ..., score_columns:
        Literal["score", "all"] = ...) -> Ranking: ...
    def pagerank(self, *, like: Literal["millrace", "graphx", "graphframes", "nutch", "law-weakly", "law-strongly",
        "law-pseudorank", "webgraph", "cc-webgraph", "networkx", "igraph", "networkit", "scikit-network",
        "graphblas", "lagraph", "gap"] = ..., dangling: Literal["teleport", "uniform", "none"] = ..., scale:
        Literal["one", "pages"] = ..., damping: Optional[float] = ..., tolerance: Optional[float] = ..., max_passes:
        Optional[int] = ..., precision: Literal["double", "single"] = ..., inner: Optional[int] = ..., acceleration:
        Optional[int] = ..., no_pin: bool = ..., until: Union[str, float, None] = ..., start: Optional[Scores] =
        ..., checkpoint: Optional[Path] = ..., iterations: Optional[int] = ..., heritrix: bool = ..., teleport:
        Optional[Weights] = ..., seeds: Optional[Weights] = ..., weights: bool = ...) -> Ranking: ...
    def ppr(self, *, seed: Union[str, float, None] = ..., seeds: Optional[Weights] = ..., teleport:
        Optional[Weights] = ..., batch: Union[None, Mapping[str, Weights], Sequence[Weights]] = ..., width:
        Optional[int] = ..., dangling: Literal["teleport", "uniform", "none"] = ..., damping: Optional[float] = ...,
        tolerance: Optional[float] = ..., max_passes: Optional[int] = ..., precision: Literal["double", "single"] =
        ..., inner: Optional[int] = ..., acceleration: Optional[int] = ..., no_pin: bool = ..., weights: bool =
        ...) -> Ranking: ...
    def salsa(self, *, weights: bool = ...) -> Ranking: ...
    def trustrank(self, *, trusted: Optional[Weights] = ..., spam_mass: bool = ..., good_share: Optional[float] =
        ..., width: Optional[int] = ..., damping: Optional[float] = ..., tolerance: Optional[float] = ...,
        max_passes: Optional[int] = ..., precision: Literal["double", "single"] = ..., inner: Optional[int] = ...,
        acceleration: Optional[int] = ..., no_pin: bool = ..., weights: bool = ...) -> Ranking: ...
