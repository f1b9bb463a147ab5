# SPDX-License-Identifier: Apache-2.0
"""Tables that leave this module as Arrow's C stream, without pyarrow.

The three structs and the rules of their life are those of "The Arrow C data interface" and "The Arrow
C stream interface". All callbacks stand in this module, because a consumer may call them as long as the
process lives. `private_data` is the key of what a struct needs, in `_held`.
"""

import ctypes
import errno
import itertools
from ctypes import CFUNCTYPE, POINTER, PYFUNCTYPE, c_char_p, c_int, c_int64, c_void_p, pythonapi

import numpy

from .errors import InputError


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


_RELEASE = CFUNCTYPE(None, c_void_p)
_GET_SCHEMA = CFUNCTYPE(c_int, c_void_p, POINTER(Schema))
_GET_NEXT = CFUNCTYPE(c_int, c_void_p, POINTER(Array))
_LAST_ERROR = CFUNCTYPE(c_void_p, c_void_p)
Schema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64),
    ("n_children", c_int64), ("children", POINTER(POINTER(Schema))), ("dictionary", c_void_p),
    ("release", _RELEASE), ("private_data", c_void_p)]
Array._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
    ("n_children", c_int64), ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))), ("dictionary", c_void_p), ("release", _RELEASE),
    ("private_data", c_void_p)]
Stream._fields_ = [
    ("get_schema", _GET_SCHEMA), ("get_next", _GET_NEXT), ("get_last_error", _LAST_ERROR),
    ("release", _RELEASE), ("private_data", c_void_p)]

_NAME = b"arrow_array_stream"
_keys = itertools.count(1)  # a NULL is read as None
_held = {}


def _hold(*values):
    key = next(_keys)
    _held[key] = values
    return key


def _release(kind, pointer):
    """Release a struct and those of its children that the consumer has not moved away."""
    one = kind.from_address(pointer)
    for i in range(getattr(one, "n_children", 0)):
        child = one.children[i].contents
        if child.release:
            child.release(ctypes.addressof(child))
    _held.pop(one.private_data, None)
    one.release = _RELEASE()


_release_schema = _RELEASE(lambda pointer: _release(Schema, pointer))
_release_array = _RELEASE(lambda pointer: _release(Array, pointer))
_release_stream = _RELEASE(lambda pointer: _release(Stream, pointer))


def _fill(one, children, release, *held):
    pointers = (POINTER(type(one)) * len(children))(*map(ctypes.pointer, children))
    one.n_children, one.children = len(children), pointers
    one.release, one.private_data = release, _hold(pointers, children, held)
    return one


class Export:
    """A table in batches. columns: {name: format}. batches: an iterator of lists, for each column its
    numpy arrays of values; of a text, those of offsets and of bytes."""

    def __init__(self, columns, batches):
        self.columns, self.batches, self.error = columns, batches, None

    def fill_schema(self, to):
        children = [_fill(Schema(format=format.encode(), name=name.encode()), [], _release_schema)
                    for name, format in self.columns.items()]
        to.format, to.name = b"+s", b""
        _fill(to, children, _release_schema)

    def fill_next(self, to):
        batch = next(self.batches, None)
        if batch is None:
            return
        children = []
        for format, arrays in zip(self.columns.values(), batch):
            buffers = (c_void_p * (1 + len(arrays)))(None, *(one.ctypes.data for one in arrays))
            length = len(arrays[0]) - (format == "U")
            children.append(_fill(
                Array(length=length, n_buffers=len(buffers), buffers=buffers), [], _release_array,
                buffers, arrays))
        buffers = (c_void_p * 1)(None)
        to.length, to.n_buffers, to.buffers = children[0].length, 1, buffers
        _fill(to, children, _release_array, buffers)

    def capsule(self):
        stream = Stream(_get_schema, _get_next, _get_last_error, _release_stream, _hold(self))
        _held[ctypes.addressof(stream), "struct"] = stream
        return _new_capsule(ctypes.addressof(stream), _NAME, _end_capsule)


def _call(pointer, to, method):
    """The number of errno. All of `to` is 0 before, so that its `release` is NULL where it is not filled."""
    export = _held[Stream.from_address(pointer).private_data][0]
    ctypes.memset(to, 0, ctypes.sizeof(to.contents))
    try:
        method(export, to.contents)
    except BaseException as error:  # pylint: disable=broad-except
        export.error = ctypes.create_string_buffer(str(error).encode("utf-8", "replace"))
        return errno.EIO
    return 0


_get_schema = _GET_SCHEMA(lambda pointer, to: _call(pointer, to, Export.fill_schema))
_get_next = _GET_NEXT(lambda pointer, to: _call(pointer, to, Export.fill_next))


@_LAST_ERROR
def _get_last_error(pointer):
    error = _held[Stream.from_address(pointer).private_data][0].error
    return ctypes.addressof(error) if error else None


# The address of a capsule that is being freed must not become an object of Python.
_pointer_of = PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", pythonapi))
_END = PYFUNCTYPE(None, c_void_p)
_new_capsule = PYFUNCTYPE(ctypes.py_object, c_void_p, c_char_p, _END)(("PyCapsule_New", pythonapi))


@_END
def _end_capsule(capsule):
    address = _pointer_of(capsule, _NAME)
    if Stream.from_address(address).release:
        _release(Stream, address)
    del _held[address, "struct"]


def pointer_of(capsule):
    """The address of the stream in a capsule."""
    return _pointer_of(id(capsule), _NAME)


def texts(values):
    """The two arrays of a column of texts."""
    try:
        data = [value.encode() for value in values]
    except UnicodeEncodeError as error:
        raise InputError(f"{error.object!r} is not UTF-8, and texts of Arrow are; write(path) writes "
                         "it as it is") from None
    offsets = numpy.zeros(len(data) + 1, numpy.int64)
    numpy.cumsum([len(one) for one in data], out=offsets[1:])
    return [offsets, numpy.frombuffer(b"".join(data) or b"\0", numpy.uint8)]
