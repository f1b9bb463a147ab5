# SPDX-License-Identifier: Apache-2.0
"""Names of the vertices of a store, read from disk when asked for."""

from __future__ import annotations

import ctypes
from typing import Any, Iterator, List, Tuple

from . import _library as c
from ._context import Handle

_ENCODING = ("utf-8", "surrogateescape")  # names are bytes; this keeps all of them


def to_text(pointer, n_bytes):
    return ctypes.string_at(pointer, n_bytes).decode(*_ENCODING)


class Names:
    """A sequence of texts: names[vertex], len(names), iteration by vertex, names.find(text).

    Stores of numbers give the numbers as texts.
    """

    def __init__(self, context, store_handle, n_vertices):
        self._context, self._n = context, n_vertices
        self.handle = context.make(
            c.lib.mr_store_open_names, store_handle.pointer, close=c.lib.mr_names_close,
            parent=store_handle)

    def _call(self, function, *arguments):
        # The functions of names take no context, and use one of their own.
        return self._context.call(
            lambda context, *rest: function(self.handle.pointer, *rest), *arguments)

    def __repr__(self) -> str:
        return f"<millrace.Names of {self._n} vertices>"

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, vertex: int) -> str:
        if isinstance(vertex, str):
            raise TypeError(f"{vertex!r} is a name: names.find({vertex!r}) is its vertex")
        if not -self._n <= vertex < self._n:
            raise IndexError(f"vertex {vertex} is not among {self._n}")
        name, n_bytes = c.c_void_p(), c.c_size_t()
        self._call(c.lib.mr_names_get, vertex % self._n, ctypes.byref(name), ctypes.byref(n_bytes))
        return to_text(name, n_bytes.value)

    def find(self, name: Any) -> int:
        """The vertex of a name; KeyError where there is none."""
        text = str(name).encode(*_ENCODING)
        vertex, found = c.c_uint32(), c.c_bool()
        self._call(
            c.lib.mr_names_find, text, len(text), ctypes.byref(vertex), ctypes.byref(found))
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
        out = c.c_void_p()
        self._call(c.lib.mr_name_cursor_open, 0, ctypes.byref(out))
        cursor = Handle(out.value, c.lib.mr_name_cursor_close, self.handle)
        name, n_bytes = c.c_void_p(), c.c_size_t()
        try:
            while True:
                self._context.call(
                    lambda context, *rest: c.lib.mr_name_cursor_next(cursor.pointer, *rest),
                    ctypes.byref(name), ctypes.byref(n_bytes))
                if not name.value:
                    return
                vertex = c.lib.mr_name_cursor_vertex(cursor.pointer)
                yield vertex, to_text(name, n_bytes.value)
        finally:
            cursor.close()

    def to_list(self) -> List[str]:
        """All names, by vertex."""
        names = [""] * self._n
        for vertex, name in self.sorted():
            names[vertex] = name
        return names

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_list())
