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


class Share(NamedTuple):
    """What a score has from one page, or from several.

    name              the label of the page, or the host of the pages; "" for pages without a host; None for others
    share, bound      damping * score, divided by links or their weights; at most how far it is from the exact share
    score             of the page, or the sum of those of the pages
    links             the links that the page divides its score among; 0 of several pages
    alone             what the share would be if that were its only link; 0 of several pages
    pages             how many pages
    """

    name: Optional[Hashable]
    share: float
    bound: float
    score: float
    links: int
    alone: float
    pages: int


class Why(NamedTuple):
    """Where the score of a page comes from; teleport, dangling and links add up to it within error_bound.

    teleport, dangling, links   their shares; dangling is that of pages without links
    pages             of `links` the pages with the largest shares; `others` is the sum of the rest
    hosts             of `links` the hosts: that of the page itself, then those with the largest shares; `other_hosts` is
                      the sum of the rest. Empty for pages that are numbers
    """

    score: float
    error_bound: float
    teleport: Share
    dangling: Share
    links: Share
    pages: List[Share]
    others: Share
    hosts: List[Share]
    other_hosts: Share
