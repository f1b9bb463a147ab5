# SPDX-License-Identifier: Apache-2.0
"""Handles of the library, and how calls are made.

A handle keeps its parent alive, so that the library's order of closing holds whatever the order in
which Python drops objects. Calls that can take long run in a thread of their own: the caller's
thread waits where Ctrl-C reaches it, asks the library to stop, and raises KeyboardInterrupt.
"""

import ctypes
import logging
import os
import threading
import weakref

from . import _library as c
from .errors import check

log = logging.getLogger("millrace")


class Handle:
    """A pointer of the library with the function that closes it."""

    def __init__(self, pointer, close, parent=None):
        self.pointer = pointer
        self.parent = parent
        self._finalizer = weakref.finalize(self, Handle._release, pointer, close, parent)

    @staticmethod
    def _release(pointer, close, parent):
        # `parent` is an argument so that it lives until this call.
        close(pointer)

    def close(self):
        self._finalizer()
        self.pointer = None

    @property
    def is_open(self):
        return self._finalizer.alive


class Context:
    """A memory budget, threads and a directory for temporary files; one call at a time."""

    def __init__(self, memory=0, threads=0, tmp_dir=None, progress=None):
        @c.NOTE
        def note(_, text):
            log.info("%s", text.decode("utf-8", "replace"))

        @c.PROGRESS
        def report(_, at):
            progress(at.contents.stage.decode(), at.contents.done, at.contents.total)

        options = c.ContextOptions(
            memory_bytes=memory, threads=threads,
            tmp_dir=os.fsencode(tmp_dir) if tmp_dir is not None else None, note=note)
        if progress is not None:
            options.progress = report
        self._callbacks = note, report
        self._lock = threading.Lock()
        err, out = c.Error(), c.c_void_p()
        check(c.lib.mr_context_create(options, out, err), err)
        # The callbacks are the parent: the library may call them until the context is gone.
        self.handle = Handle(out.value, c.lib.mr_context_destroy, self._callbacks)

    def call(self, function, *arguments, accept=()):
        """function(context, *arguments, err); returns the status, OK or one of `accept`."""
        err = c.Error()
        with self._lock:
            status = function(self.handle.pointer, *arguments, err)
        if status not in accept:
            check(status, err)
        return status

    def call_long(self, function, *arguments, accept=()):
        """As call, and Ctrl-C stops it."""
        if threading.current_thread() is not threading.main_thread():
            return self.call(function, *arguments, accept=accept)
        result = []

        def work():
            try:
                result.append(self.call(function, *arguments, accept=accept))
            except BaseException as error:  # raised again by the caller's thread
                result.append(error)
            done.set()

        done = threading.Event()
        thread = threading.Thread(target=work, name="millrace")
        thread.start()
        try:
            done.wait()
        except KeyboardInterrupt:
            c.lib.mr_context_stop(self.handle.pointer)
            done.wait()
            c.lib.mr_context_resume(self.handle.pointer)
            raise
        finally:
            thread.join()
        if isinstance(result[0], BaseException):
            raise result[0]
        return result[0]

    def make(self, function, *arguments, close, parent=None):
        """A handle that function(context, *arguments, out, err) opens."""
        out = c.c_void_p()
        self.call(function, *arguments, ctypes.byref(out))
        return Handle(out.value, close, parent or self.handle)
