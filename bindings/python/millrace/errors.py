# SPDX-License-Identifier: Apache-2.0
"""Exceptions: one class for each status of the library, with the message of the library."""

import ctypes

from . import _library as c


class MillraceError(Exception):
    """A call failed. str() is the whole message: file, line or offset, reason and way out.

    file, line, offset, errno: where the library knows them, else None.
    """

    def __init__(self, text, file=None, line=None, offset=None, errno=None):
        super().__init__(text)
        self.file, self.line, self.offset, self.errno = file, line, offset, errno


class RuntimeFailure(MillraceError):
    """A system call failed, or something unforeseen happened."""


class UsageError(MillraceError, ValueError):
    """An option or argument is not valid."""


class InputError(MillraceError, ValueError):
    """An input file or array is not valid."""


class CorruptError(MillraceError):
    """A file that Millrace wrote is damaged."""


class BudgetError(MillraceError, MemoryError):
    """Memory or disk is too small."""


class NotConverged(UserWarning):
    """A ranking is valid, but its error bound is above the tolerance."""


_CLASSES = {
    c.RUNTIME: RuntimeFailure, c.USAGE: UsageError, c.INPUT: InputError,
    c.CORRUPT: CorruptError, c.BUDGET: BudgetError}


def error_of(err):
    """The exception for a struct mr_error."""
    if err.status == c.INTERRUPTED:
        return KeyboardInterrupt()
    text = c.lib.mr_error_text(err, ctypes.create_string_buffer(c.MAX_TEXT), c.MAX_TEXT)
    return _CLASSES.get(err.status, MillraceError)(
        text.decode("utf-8", "replace"),
        file=err.file.decode("utf-8", "surrogateescape") or None,
        line=err.position if err.location_kind == c.LOCATION_LINE else None,
        offset=err.position if err.location_kind == c.LOCATION_OFFSET else None,
        errno=err.os_errno or None)


def check(status, err):
    """Raise the exception of `err` unless `status` is OK."""
    if status != c.OK:
        raise error_of(err)
