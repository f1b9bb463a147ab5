# SPDX-License-Identifier: Apache-2.0
# Made by `python -m millrace.rankings`.
from typing import Any, Literal, Mapping, Optional, Sequence, Union

import numpy

from .ranking import Ranking
from .store import Path, Store, Weights

class Rankings:
    def _rank(self, function: Any, *arguments: Any) -> Ranking: ...
    def components(self, *, weak_only: bool = ...) -> Ranking: ...
    def degree(self, *, weights: bool = ...) -> Ranking: ...
    def eigenvector(self, *, tolerance: Optional[float] = ..., max_passes: Optional[int] = ..., norm: Literal["l1",
        "l2", "max"] = ..., weights: bool = ...) -> Ranking: ...
    def harmonic(self, *, log2m: Optional[int] = ..., exact: bool = ..., sources: Optional[Weights] = ...,
        random_seed: Optional[int] = ...) -> Ranking: ...
    def hits(self, reverse: Optional[Store] = ..., *, page_scores: Optional[Weights] = ..., norm: Literal["l1",
        "l2", "max"] = ..., tolerance: Optional[float] = ..., max_rounds: Optional[int] = ..., start:
        Optional[numpy.ndarray] = ..., acceleration: Optional[int] = ..., probe: Optional[int] = ..., no_pin: bool =
        ..., weights: bool = ...) -> Ranking: ...
    def katz(self, *, attenuation: Optional[float] = ..., tolerance: Optional[float] = ..., max_passes:
        Optional[int] = ..., seeds: Optional[Weights] = ..., weights: bool = ...) -> Ranking: ...
    def pagerank(self, *, dangling: Literal["teleport", "uniform", "none"] = ..., damping: Optional[float] = ...,
        tolerance: Optional[float] = ..., max_passes: Optional[int] = ..., precision: Literal["double", "single"] =
        ..., inner: Optional[int] = ..., acceleration: Optional[int] = ..., no_pin: bool = ..., until: Optional[str]
        = ..., start: Optional[numpy.ndarray] = ..., checkpoint: Optional[Path] = ..., iterations: Optional[int] =
        ..., heritrix: bool = ..., teleport: Optional[Weights] = ..., seeds: Optional[Weights] = ..., weights: bool
        = ...) -> Ranking: ...
    def ppr(self, *, seed: Optional[str] = ..., seeds: Optional[Weights] = ..., teleport: Optional[Weights] = ...,
        batch: Union[None, Mapping[str, Weights], Sequence[Weights]] = ..., width: Optional[int] = ..., dangling:
        Literal["teleport", "uniform", "none"] = ..., damping: Optional[float] = ..., tolerance: Optional[float] =
        ..., max_passes: Optional[int] = ..., precision: Literal["double", "single"] = ..., inner: Optional[int] =
        ..., acceleration: Optional[int] = ..., no_pin: bool = ..., weights: bool = ...) -> Ranking: ...
    def salsa(self, *, weights: bool = ...) -> Ranking: ...
    def trustrank(self, *, trusted: Optional[Weights] = ..., spam_mass: bool = ..., good_share: Optional[float] =
        ..., width: Optional[int] = ..., damping: Optional[float] = ..., tolerance: Optional[float] = ...,
        max_passes: Optional[int] = ..., precision: Literal["double", "single"] = ..., inner: Optional[int] = ...,
        acceleration: Optional[int] = ..., no_pin: bool = ..., weights: bool = ...) -> Ranking: ...
