# SPDX-License-Identifier: Apache-2.0
"""What a store says about its pages and hosts."""

from __future__ import annotations

from typing import Hashable, List, NamedTuple, Optional


class Page(NamedTuple):
    """A page of a store.

    label             its name, or its label in a graph of Python
    spellings         those of the input, if it had another one than the name
    links_in, links_out
    fetches           how often it was fetched at different times; 0 if nothing is known
    first_fetch, last_fetch   seconds since 1970; None if they are not known
    compared          fetches that were compared with the one before, by links or by digests
    changes           of these, fetches that found another digest or other links
    gone              the crawler was told that there is no such page any more
    """

    label: Hashable
    vertex: int
    spellings: List[str]
    links_in: int
    links_out: int
    fetches: int
    first_fetch: Optional[int]
    last_fetch: Optional[int]
    compared: int
    changes: int
    gone: bool


class Host(NamedTuple):
    """The sums of a host or a registered domain; "" has the pages without a host.

    internal          links inside it; None unless asked for
    score             the sum of the scores of its pages; NaN without scores
    """

    host: str
    pages: int
    links_out: int
    links_in: int
    internal: Optional[int]
    score: float
