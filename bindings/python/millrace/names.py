# SPDX-License-Identifier: Apache-2.0
"""Names of the vertices of a store, read from disk when asked for."""

from __future__ import annotations

import operator
from typing import Any, Iterator, List, SupportsIndex, Tuple

from . import _library as c
from ._values import name as name_bytes, name_text


class Names:
    """A sequence of texts: names[vertex], len(names), iteration by vertex, names.find(text).

    Stores of numbers give the numbers as texts.
    """

    def __init__(self, store_handle, context, n_vertices):
        self._n = n_vertices
        self.handle, _ = context.handle.make(
            c.lib.mr_store_open_names, store_handle, close=c.lib.mr_names_close,
            what=store_handle.what, parent=store_handle)

    def __repr__(self) -> str:
        return f"<millrace.Names of {self._n} vertices>"

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, vertex: SupportsIndex) -> str:
        if isinstance(vertex, str):
            raise TypeError(f"{vertex!r} is a name: names.find({vertex!r}) is its vertex")
        vertex = operator.index(vertex)
        if not -self._n <= vertex < self._n:
            raise IndexError(f"vertex {vertex} is not among {self._n}")
        name, n_bytes = c.c_void_p(), c.c_size_t()
        return self.handle.call_here(
            c.lib.mr_names_get, vertex % self._n, name, n_bytes,
            then=lambda _: name_text(name, n_bytes.value))

    def spellings(self, vertex: int) -> List[str]:
        """The spellings of a page in the input, if there is one that is not its name, in a store that was built with a
        profile."""
        n_bytes = c.c_size_t()

        def copied(_):
            return name_text(c.lib.mr_names_spellings(self.handle.pointer, n_bytes), n_bytes.value)

        if not 0 <= operator.index(vertex) < self._n:
            raise IndexError(f"vertex {vertex} is not among {self._n}")
        text = self.handle.call_here(
            c.lib.mr_names_get, vertex, c.c_void_p(), c.c_size_t(), then=copied)
        return text.split("\n")[1:]

    def find(self, name: Any) -> int:
        """The vertex of a name; KeyError where there is none."""
        try:
            text = name_bytes(name)
        except (TypeError, UnicodeEncodeError):
            raise KeyError(name) from None
        vertex, found = c.c_uint32(), c.c_bool()
        self.handle.call_here(c.lib.mr_names_find, text, len(text), vertex, found)
        if not found.value:
            raise KeyError(name)
        return vertex.value

    def __contains__(self, name: object) -> bool:
        try:
            self.find(name)
        except KeyError:
            return False
        return True

    def sorted(self) -> Iterator[Tuple[int, str]]:
        """All pairs (vertex, name) in the order of the names; reads each block once."""
        cursor, _ = self.handle.make(
            c.lib.mr_name_cursor_open, 0, close=c.lib.mr_name_cursor_close, what=self.handle.what)
        name, n_bytes = c.c_void_p(), c.c_size_t()

        def copied(_):
            if not name.value:
                return None
            vertex = c.lib.mr_name_cursor_vertex(cursor.pointer)
            return vertex, name_text(name, n_bytes.value)

        return iter(
            lambda: cursor.call_here(c.lib.mr_name_cursor_next, name, n_bytes, then=copied), None)

    def to_list(self) -> List[str]:
        """All names, by vertex."""
        names = [""] * self._n
        for vertex, name in self.sorted():
            names[vertex] = name
        return names

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_list())
