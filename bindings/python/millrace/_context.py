# SPDX-License-Identifier: Apache-2.0
"""Handles of the library, and how calls are made.

A context serves one call at a time, and every handle belongs to a context: a call takes the locks
of the contexts of its handles, and so does `close`. So nothing is closed while a call uses it, and
no call uses what is closed. Calls of the main thread run in a thread of their own, which takes the
locks, keeps the arguments and owns the results, so that they are in order whatever interrupts the
main thread. That waits where Ctrl-C reaches it; the library is asked to stop. The thread stays for the
next call: to start it, and OpenMP's for it, takes longer than to rank a small graph.
"""

import _thread
import ctypes
import itertools
import logging
import os
import queue
import threading
import warnings
import weakref

from . import _library as c
from ._values import to_c
from .errors import (
    BudgetError, CorruptError, InputError, MillraceError, RuntimeFailure, UsageError, in_python)

log = logging.getLogger("millrace")

_CLASSES = {
    c.RUNTIME: RuntimeFailure, c.USAGE: UsageError, c.INPUT: InputError,
    c.CORRUPT: CorruptError, c.BUDGET: BudgetError}
_numbers = itertools.count()
_called_back = threading.local()
_helpers = []  # the queues of the threads that work for the main thread; a fork has none of these threads
os.register_at_fork(after_in_child=_helpers.clear)


def error_of(err):
    """The exception for a struct mr_error."""
    if err.status == c.INTERRUPTED:
        return KeyboardInterrupt()
    buffer = ctypes.create_string_buffer(c.MAX_TEXT)
    place = c.lib.mr_error_text(err, buffer, c.MAX_TEXT)[:-len(err.message) or None]
    return _CLASSES.get(err.status, MillraceError)(
        place.decode("utf-8", "replace") + in_python(err.message.decode("utf-8", "replace")),
        file=err.file.decode("utf-8", "surrogateescape") or None,
        line=err.position if err.location_kind == c.LOCATION_LINE else None,
        offset=err.position if err.location_kind == c.LOCATION_OFFSET else None,
        errno=err.os_errno or None)


def _alone(calls, work):
    """work(), while no other thread uses the contexts."""
    if getattr(_called_back, "active", False):
        raise UsageError("a callback cannot use Millrace; keep what it needs before the call")
    if not calls:
        return work()
    lock = calls[0].lock
    if lock._is_owned():  # pylint: disable=protected-access
        raise UsageError("a call of Millrace is in progress in this thread")
    with lock:
        return _alone(calls[1:], work)


class _Calls:
    """The calls of a context, one at a time, and the caller's functions that they call back."""

    def __init__(self, progress):
        self.number = next(_numbers)  # a call takes the locks of several contexts in this order
        self.lock = threading.RLock()
        self.guard = threading.Lock()  # of `current`
        self.current = None
        self.failure = None
        self.context = None  # the pointer of the context

        @c.NOTE
        def note(_, text):
            said = in_python(text.decode("utf-8", "replace"))
            is_guess = "is read as source" in said or "names, read as source" in said
            self.call_back(lambda: warnings.warn(said) if is_guess else log.info("%s", said))

        @c.PROGRESS
        def report(_, at):
            self.call_back(
                lambda: progress(at[0].stage.decode(), at[0].done, at[0].total))

        self.note, self.report = note, c.PROGRESS() if progress is None else report

    def call_back(self, function):
        """The first exception of a callback stops the call, which raises it."""
        if self.failure is not None:
            return
        try:
            _called_back.active = True
            function()
        except BaseException as error:  # pylint: disable=broad-except
            self.failure = error
            c.lib.mr_context_stop(self.context, True)
        finally:
            _called_back.active = False

    def begin(self, call):
        with self.guard:
            if call.is_stopped:
                raise KeyboardInterrupt
            self.current = call

    def end(self):
        """The end of the call in progress, and what its callbacks raised."""
        with self.guard:
            self.current = None
            c.lib.mr_context_stop(self.context, False)
            failure, self.failure = self.failure, None
        return failure


def _serve(work):
    while True:
        work.get()()


def _two_helpers():
    while len(_helpers) < 2:
        work = queue.SimpleQueue()
        _thread.start_new_thread(_serve, (work,))
        _helpers.append(work)
    return _helpers


class _Call:
    """function(*arguments, err), and then the result of then(status)."""

    def __init__(self, function, arguments, accept, then):
        self.function, self.arguments = function, arguments
        self.accept, self.then = accept, then
        self.calls = arguments[0].calls
        self.is_stopped = False
        self.attended, self.running = threading.Lock(), threading.Lock()
        self.result = self.error = None

    def run(self):
        """Make the call in this thread."""
        calls = {a.calls for a in self.arguments if isinstance(a, Handle)}
        calls.update(handle.calls for _, _, handle in self._inside())
        return _alone(sorted(calls, key=lambda one: one.number), self._make)

    def _inside(self):
        """The handles in structs of arguments: (struct, field, handle)."""
        return [one for a in self.arguments for one in getattr(a, "handles", ())]

    def _make(self):
        for struct, field, handle in self._inside():
            setattr(struct, field, handle.pointer)
        values = [
            a.pointer if isinstance(a, Handle) else to_c(kind, a, "argument")
            for kind, a in zip(self.function.argtypes, self.arguments)]
        err = c.Error()
        self.calls.begin(self)
        try:
            status = self.function(*values, err)
            if status != c.OK and status not in self.accept:
                raise error_of(err)
            result = self.then(status)
        finally:
            failure = self.calls.end()
            if failure is not None:
                raise failure from None
        return result

    def run_apart(self):
        """Make the call in another thread.

        What is raised here meanwhile, such as KeyboardInterrupt, stops the call. A second thread
        sees to that when this one leaves the lock: another Ctrl-C may come at any line here. Hence
        also locks and _thread, which are C: Ctrl-C inside threading.Event breaks it.
        """
        try:
            with self.attended:
                self.running.acquire()
                try:
                    guard, worker = _two_helpers()
                except RuntimeError as error:
                    raise RuntimeFailure(f"{error}; raise the limit of processes (ulimit -u, or the pids of the "
                                         "container) or of memory") from None
                guard.put(self._stop_unattended)
                worker.put(self._keep_result)
                self._wait()
        except BaseException:
            self._wait_stopped()
            raise
        if self.error is not None:
            raise self.error
        return self.result

    def _wait(self):
        # In slices: a signal that comes just before a wait begins does not end that wait.
        while not self.running.acquire(timeout=0.1):
            pass

    def _wait_stopped(self):
        while True:
            try:
                if self._stop():
                    self._wait()
                return
            except BaseException:  # pylint: disable=broad-except
                continue  # the first one is raised when the call has ended

    def _keep_result(self):
        try:
            self.result = self.run()
        except BaseException as error:  # pylint: disable=broad-except
            self.error = error
        self.running.release()

    def _stop_unattended(self):
        with self.attended:
            self._stop()

    def _stop(self):
        """Stop the call; whether it is in progress. If it has not begun, it never does."""
        with self.calls.guard:
            self.is_stopped = True
            if self.calls.current is not self:
                return False
            c.lib.mr_context_stop(self.calls.context, True)
            return True


class Owned:
    """A pointer of the library. It is closed when nothing holds this object, nor a pointer that was
    made from it."""

    def __init__(self, pointer, close, parent):
        # At exit the system takes everything back, and arrays may still be read.
        weakref.finalize(self, self._release, pointer, close, parent).atexit = False

    @staticmethod
    def _release(pointer, close, parent):
        # `parent` is an argument so that it lives until this call has ended.
        close(pointer)


class Handle:
    """A pointer of the library, and the calls that use it."""

    def __init__(self, pointer, close, what, calls, parent=None):
        self._pointer, self.what, self.calls = pointer, what, calls
        self.owned = Owned(pointer, close, parent and parent.owned)
        self._children = weakref.WeakSet()
        if parent is not None:
            parent._children.add(self)

    def __reduce__(self):
        raise TypeError("what the library holds cannot be copied or pickled; open the store again")

    @property
    def pointer(self):
        if self._pointer is None:
            raise UsageError(f"{self.what} is closed; open it again, or ask before it is closed")
        return self._pointer

    def close(self):
        """Close it and what was made from it, when the call that uses it has ended."""
        _alone([self.calls], self._close)

    def _close(self):
        for child in list(self._children):
            child._close()
        self._pointer = self.owned = None

    def call_here(self, function, *arguments, then=lambda status: status):
        """As `call`, in this thread and with arguments of C, for the many short calls of names."""
        def make():
            err = c.Error()
            status = function(self.pointer, *arguments, err)
            if self.calls.failure is not None:
                raise self.calls.end()
            if status != c.OK:
                raise error_of(err)
            return then(status)

        return _alone((self.calls,), make)

    def call(self, function, *arguments, accept=(), then=lambda status: status):
        """function(self, *arguments, err); Ctrl-C stops it. Returns then(status), where status is
        OK or one of `accept`. `then` runs before any other call."""
        call = _Call(function, (self, *arguments), accept, then)
        in_main = threading.current_thread() is threading.main_thread()
        return call.run_apart() if in_main else call.run()

    def make(self, function, *arguments, close, what, parent=None, accept=()):
        """The handle that function(self, *arguments, out, err) opens, and the status."""
        out = c.c_void_p()
        return self.call(
            function, *arguments, out, accept=accept,
            then=lambda status: (
                Handle(out.value, close, what, self.calls, parent or self), status))


def context_of(context, *own):
    """The context; a new one if it is None."""
    if context is not None and not isinstance(context, Context):
        raise TypeError(f"context: {context!r} is not a millrace.Context")
    return Context(*own) if context is None else context


class Context:
    """A memory budget, threads and a directory for temporary files; one call at a time.

    progress(stage, done, total) is called from time to time. It must not use Millrace. An exception
    of it stops the call, which raises it.
    """

    def __init__(self, memory=0, threads=0, tmp_dir=None, progress=None):
        if progress is not None and not callable(progress):
            raise TypeError(f"progress: {progress!r} is not a function")
        calls = _Calls(progress)
        options = c.ContextOptions(
            memory_bytes=memory, threads=threads, tmp_dir=tmp_dir, note=calls.note,
            progress=calls.report)
        err, out = c.Error(), c.c_void_p()
        if _alone([], lambda: c.lib.mr_context_create(options, out, err)) != c.OK:
            raise error_of(err)
        calls.context = out.value
        self.handle = Handle(out.value, c.lib.mr_context_destroy, "the context", calls)
