# SPDX-License-Identifier: Apache-2.0
"""The gate from Python values to C values.

Every argument and every field of a struct comes through here. What C cannot hold is refused, and
never cut, wrapped or rounded to something else: numbers out of range, texts with a NUL byte, arrays
of another shape or type.
"""

import ctypes
import operator
import os
from ctypes import c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

import numpy

from .errors import InputError, UsageError

_ENCODING = ("utf-8", "surrogateescape")  # names are bytes; this keeps all of them
_SIGNED = (c_int,)
_UNSIGNED = (c_uint, c_uint32, c_uint64, c_size_t)


class Needed(c_char_p):
    """A text that cannot be None."""


def integer(kind, value, what, least=None):
    """A number that the C type holds."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what}: {value!r} is not an integer") from None
    bits = 8 * ctypes.sizeof(kind)
    low, high = (-1 << bits - 1, (1 << bits - 1) - 1) if kind in _SIGNED else (0, (1 << bits) - 1)
    low = low if least is None else least
    if not low <= number <= high:
        raise UsageError(f"{what}: {number} is not between {low} and {high}")
    return number


def real(value, what):
    """A floating point number. The library says which of them are valid."""
    try:
        if isinstance(value, (str, bytes)):  # float() would read them
            raise TypeError
        return float(value)
    except TypeError:
        raise TypeError(f"{what}: {value!r} is not a number") from None
    except OverflowError:
        raise UsageError(f"{what}: {value!r} is too large") from None


def truth(value, what):
    """True or False. 0 and 1 are accepted, other numbers and texts are mistakes."""
    if isinstance(value, (bool, int, numpy.bool_)) and value in (0, 1):
        return bool(value)
    raise TypeError(f"{what}: {value!r} is neither True nor False")


def text(value, what):
    """The bytes of a text or path."""
    if value is None:
        return None
    try:
        data = os.fsencode(value)
    except TypeError:
        raise TypeError(f"{what}: {value!r} is not a text or path") from None
    if b"\0" in data:
        raise UsageError(f"{what}: {value!r} has a NUL byte")
    return data


def paths(values, what):
    """An array of the paths of one file or of several."""
    if isinstance(values, (str, bytes, os.PathLike)):
        values = [values]
    made = [text(value, what) for value in values]
    if None in made:
        raise TypeError(f"{what}: None is not a text or path")
    return (c_char_p * len(made))(*made)


def to_c(kind, value, what):
    """`value` as ctypes takes it for a parameter or field of the type `kind`."""
    if kind in _SIGNED or kind in _UNSIGNED:
        return integer(kind, value, what)
    if kind is c_bool:
        return truth(value, what)
    if kind is c_char_p or (kind is Needed and value is not None):
        return text(value, what)
    if kind is Needed:
        raise TypeError(f"{what}: None is not a text or path")
    if kind is c_double:
        return real(value, what)
    if kind is c_void_p and isinstance(value, numpy.ndarray):
        return value.ctypes.data  # the caller keeps the array
    return value


def choice(table, value, what):
    """The number in C of one of some words."""
    if value not in table:
        raise UsageError(f"{what}: {value!r} is not one of {', '.join(map(repr, table))}")
    return table[value]


def name(value):
    """The bytes of the name of a page: a text, bytes, or a number."""
    if isinstance(value, str):
        return value.encode(*_ENCODING)
    return bytes(value) if isinstance(value, bytes) else b"%d" % operator.index(value)


def name_text(pointer, n_bytes):
    """The text of a name, copied."""
    return ctypes.string_at(pointer, n_bytes).decode(*_ENCODING)


def names(values):
    """An array of names, each ended by a NUL byte."""
    made = []
    for value in values:
        try:
            made.append(name(value))
        except (TypeError, UnicodeEncodeError):
            raise InputError(f"name {len(made)}: {value!r} is not a text") from None
        if b"\0" in made[-1]:
            raise InputError(f"name {len(made) - 1}: {value!r} has a NUL byte")
    return (c_char_p * len(made))(*made)


def _array(values, kinds, what, meant, width=None):
    array = numpy.asarray(values)
    tail = () if width is None else (width,)
    if array.ndim == 0 or array.shape[1:] != tail or (array.size and array.dtype.kind not in kinds):
        meant = f"one-dimensional array of {meant}" if width is None else (
            f"array of {meant} of the shape (n, {width})")
        raise InputError(f"{what} is no {meant}: it has the shape {array.shape} and "
                         f"the type {array.dtype}")
    if numpy.ma.is_masked(values):
        raise InputError(f"{what} is an array with masked values")
    return array


def reals(values, what, n=None, kind=numpy.float64):
    """A one-dimensional array of n floating point numbers."""
    array = _array(values, "biuf", what, "numbers")
    if n is not None and len(array) != n:
        raise InputError(f"{what} has {len(array)} numbers, not {n}")
    with numpy.errstate(over="ignore"):  # the library refuses what is not finite
        return numpy.ascontiguousarray(array, kind)


def ids(values, what, width=None):
    """An array of integers from 0: one-dimensional, or of the shape (n, width)."""
    array = _array(values, "iu", what, "integers", width)
    if array.size and array.dtype.kind == "i" and array.min() < 0:
        first = (array < 0).argmax() // (width or 1)
        raise InputError(f"{what} has numbers below 0, the first at index {first}")
    return numpy.ascontiguousarray(array, numpy.uint64)
