# SPDX-License-Identifier: Apache-2.0
"""Handles in threads, after close, in callbacks, and under Ctrl-C: right answers or exceptions.

MILLRACE_STRESS_SECONDS=60 makes the test of many threads longer.
"""

import _thread
import copy
import gc
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import weakref

import numpy

import millrace
from millrace import _context

STRESS_SECONDS = float(os.environ.get("MILLRACE_STRESS_SECONDS", "1"))
N = 2000
NAMES = [f"http://example.org/page/{i:05}/{'x' * (i % 50)}" for i in range(N)]
ENDS = numpy.random.default_rng(1).integers(0, N, (2, 4 * N))


def large_store(**options):
    ends = numpy.random.default_rng(2).integers(0, 50000, (2, 500000))
    return millrace.build(*ends, **options)


def in_threads(n, work):
    """work(i) in n threads at once; the first exception is raised."""
    failures = []

    def run(i):
        try:
            work(i)
        except BaseException as error:
            failures.append(error)
    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class AfterClose(unittest.TestCase):
    def test_every_use_is_refused(self):
        store = millrace.build([0, 0, 1], [1, 2, 2], weights=[1, 2, 3])
        other = millrace.build([0, 0, 1], [1, 2, 2])
        ranking, names, started = store.pagerank(weights=True), store.names, store.names.sorted()
        scores, copied = ranking.scores, ranking.scores.tolist()
        next(started)
        store.close()
        for use in (
                store.pagerank, store.salsa, store.degree, store.opic, store.hits,
                lambda: store.pagerank(weights=True), lambda: store.ppr_top([0]), lambda: store.trustrank(trusted=["0"]),
                lambda: store.reverse("x.mill"), lambda: other.hits(store),
                lambda: store.read_scores("x"), lambda: store.names, lambda: names[0],
                lambda: names.find("0"), lambda: "0" in names, lambda: list(names), names.to_list,
                lambda: next(started), lambda: list(names.sorted()), ranking.top, ranking.to_dict,
                lambda: ranking.write("x"), lambda: store.label(0), lambda: store.vertex("0")):
            with self.assertRaisesRegex(millrace.UsageError, "is closed"):
                use()
        store.close()
        self.assertEqual(scores.tolist(), copied)
        self.assertEqual(other.pagerank().top(1)[0][0], 2)

    def test_parents_outlive_what_was_made_of_them(self):
        names = millrace.build([0], [1], names=["a", "b"]).names
        pairs = millrace.build([0], [1], names=["c", "d"]).names.sorted()
        gc.collect()
        self.assertEqual((names.to_list(), list(pairs)), (["a", "b"], [(0, "c"), (1, "d")]))

    def test_a_store_that_its_own_callback_holds_is_collected(self):
        class Window:
            def __init__(self):
                self.store = millrace.build(
                    [0], [1], context=millrace.Context(progress=self.progress))

            def progress(self, *_):
                pass

        window = Window()
        path, gone = window.store.path, weakref.ref(window)
        del window
        while gone() is not None or os.path.exists(path):  # for ever if it is not collected
            gc.collect()

    def test_handles_are_not_copied(self):
        store = millrace.build([0], [1])
        for use in (copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "open the store again"):
                use(store)

    def test_arrays_are_there_until_the_end(self):
        # Registered before the module's own work at exit, and so called after it.
        code = ("import atexit; atexit.register(lambda: print(scores.sum()))\n"
                "import millrace; scores = millrace.build([0, 1], [1, 0]).pagerank().scores\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.returncode), ("1.0\n", 0), done.stderr)


class Pushes(unittest.TestCase):
    """store.ppr_top against the ranking of each seed, for all rules, weights and kinds of seeds."""

    def setUp(self):
        state = numpy.random.default_rng(5)
        self.ends = state.integers(0, 300, (2, 1500))
        self.ends[0] %= 250  # the others have no links
        self.store = millrace.build(*self.ends, weights=state.integers(1, 9, 1500))
        self.addCleanup(self.store.close)

    def test_scores_are_within_the_bound_and_proven_pages_are_the_best(self):
        seeds, n_proven = [0, 17, [3, 4], {5: 1, 6: 3}, 299, {7: 0}, 17], 0
        for dangling in "teleport", "uniform", "none":
            for weights in False, True:
                best = self.store.ppr_top(seeds, 20, 1e-3, dangling=dangling, weights=weights)
                self.assertEqual(best.shape, (7, len(self.store)))
                for i, seed in enumerate(seeds):
                    ids = best.ids[best.indptr[i]:best.indptr[i + 1]]
                    scores = best.scores[best.indptr[i]:best.indptr[i + 1]]
                    if seed == {7: 0}:
                        self.assertTrue(len(ids) == 0 and numpy.isnan(best.bounds[i]) and not best.proven[i])
                        continue
                    teleport = seed if isinstance(seed, dict) else {page: 1 for page in numpy.atleast_1d(seed).tolist()}
                    exact = self.store.ppr(teleport=teleport, dangling=dangling, weights=weights).scores
                    self.assertLessEqual(best.bounds[i], 1e-3)
                    self.assertLessEqual(abs(exact[ids] - scores).sum(), best.bounds[i] + 1e-9)
                    others = numpy.delete(exact, ids)
                    if best.proven[i]:
                        n_proven += 1
                        self.assertGreaterEqual(exact[ids].min() + 2e-9, others.max())
        self.assertGreater(n_proven, 4)

    def test_a_call_again_opens_nothing_and_threads_share_it(self):
        seeds = list(range(40))
        first = self.store.ppr_top(seeds, 5)
        push, found = self.store._push, []
        threads = [threading.Thread(target=lambda: found.append(self.store.ppr_top(seeds, 5))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertIs(self.store._push, push)
        for again in found:
            for one, other in zip(again, first):
                numpy.testing.assert_array_equal(one, other)
        self.assertEqual(len(found), 4)

    def test_matrices_and_tables(self):
        best = self.store.ppr_top([1, 2], 4)
        try:
            matrix = best.to_scipy()
        except ImportError:
            self.skipTest("no scipy")
        self.assertEqual((matrix.shape, matrix.nnz), ((2, len(self.store)), 8))
        self.assertEqual(matrix[1, int(best.ids[4])], best.scores[4])
        try:
            table = best.to_arrow()
        except ImportError:
            self.skipTest("no pyarrow")
        self.assertEqual(table.column("pages").to_pylist(), [best.ids[:4].tolist(), best.ids[4:].tolist()])
        self.assertEqual(table.column_names, ["pages", "scores", "bound", "proven"])

    def test_what_is_refused(self):
        for wrong in ({"k": 0}, {"error": 0}, {"error": 1.1}, {"damping": 1}, {"dangling": "nowhere"}):
            with self.assertRaises(millrace.UsageError):
                self.store.ppr_top([1], **wrong)
        with self.assertRaises(KeyError):
            self.store.ppr_top(["nobody"])
        self.assertEqual(self.store.ppr_top([]).indptr.tolist(), [0])
        with self.assertWarns(millrace.NotConverged):
            self.store.ppr_top([1], error=1e-300)


class Threads(unittest.TestCase):
    def setUp(self):
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        self.addCleanup(sys.setswitchinterval, before)

    def test_a_thread_that_cannot_be_started_is_a_failure(self):
        start, store = _thread.start_new_thread, millrace.build(*ENDS)
        for n_started in range(2):
            def start_some(*arguments, left=[n_started]):
                if not left[0]:
                    raise RuntimeError("can't start new thread")
                left[0] -= 1
                return start(*arguments)
            _context._helpers.clear()  # so that the next call starts them
            with unittest.mock.patch("_thread.start_new_thread", start_some):
                with self.assertRaisesRegex(millrace.RuntimeFailure, "can't start new thread; raise the limit of"):
                    store.pagerank()
        self.assertTrue(store.pagerank().converged)

    def test_the_main_thread_starts_its_helpers_once(self):
        store = millrace.build(*ENDS, context=millrace.Context(threads=1))
        store.pagerank()
        before = self.threads()
        for page in range(5):
            store.pagerank(teleport=[page])
        self.assertEqual(self.threads(), before)

    @staticmethod
    def threads():
        """The threads of this process, without those of io_uring, which the kernel starts when it likes."""
        return {one.parent.name for one in pathlib.Path("/proc/self/task").glob("*/comm")
                if not one.read_text(encoding="utf-8").startswith("iou-")}

    def test_a_fork_has_helpers_of_its_own(self):
        store = millrace.build(*ENDS, context=millrace.Context(threads=1))
        expected = store.pagerank(teleport=[1]).scores
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            os._exit(0 if numpy.array_equal(store.pagerank(teleport=[1]).scores, expected) else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_eight_threads_get_what_one_gets(self):
        store = millrace.build(*ENDS, names=NAMES)
        with tempfile.TemporaryDirectory() as folder:
            reverse = millrace.open(store.reverse(os.path.join(folder, "reverse.mill")).path)
            truth, exact = store.names.to_list(), store.pagerank().scores
            hub = store.hits(reverse)["hub"]
            until = time.monotonic() + STRESS_SECONDS
            counts = [0] * 8

            def work(i):
                rng = numpy.random.default_rng(i)
                mine = store if i % 2 else millrace.open(store.path)
                while time.monotonic() < until:
                    counts[i] += 1
                    for vertex in rng.integers(0, N, 50).tolist():
                        self.assertEqual(store.names[vertex], truth[vertex])
                    vertex = int(rng.integers(0, N))
                    self.assertEqual(mine.names.find(truth[vertex]), vertex)
                    if i < 4:
                        numpy.testing.assert_array_equal(mine.pagerank().scores, exact)
                    elif i == 4:
                        numpy.testing.assert_array_equal(mine.hits(reverse)["hub"], hub)
                    elif i == 5:
                        self.assertEqual([name for _, name in store.names.sorted()], sorted(truth))
                    elif i == 6:
                        with millrace.open(store.path) as short:
                            self.assertEqual(len(short.names), N)
                    gc.collect(0)

            in_threads(8, work)
        self.assertGreater(min(counts), 0)

    def test_close_in_the_middle(self):
        """What begins after close raises UsageError; nothing else comes out, and nothing crashes."""
        for attempt in range(2 + int(STRESS_SECONDS / 3)):
            store = millrace.build(*ENDS, names=NAMES, weights=numpy.ones(4 * N))
            uses = [
                lambda: store.pagerank(tolerance=1e-12), lambda: store.pagerank(weights=True),
                lambda: store.names[5], lambda: sum(1 for _ in store.names.sorted()),
                lambda: store.names.find(NAMES[3]), lambda: store.degree(), store.salsa]

            def work(i):
                if i == 7:
                    time.sleep(0.03 * attempt)
                    store.close()
                    return
                try:
                    while True:
                        uses[i]()
                except millrace.UsageError as error:
                    self.assertIn("is closed", str(error))

            in_threads(8, work)

    def test_close_waits_for_a_ranking(self):
        store, passes = large_store(), []
        thread = threading.Thread(
            target=lambda: passes.append(store.pagerank(iterations=60).passes))
        thread.start()
        while not store.context.handle.calls.current:
            time.sleep(0.001)
        store.close()
        thread.join()
        self.assertEqual(len(passes), 1)

    def test_two_contexts_do_not_wait_for_each_other_for_ever(self):
        one = millrace.build(*ENDS, n_vertices=N)
        two = millrace.build(ENDS[1], ENDS[0], n_vertices=N)

        def work(i):
            for _ in range(5):
                (two.hits(one) if i % 2 else one.hits(two))

        in_threads(4, work)


class Callbacks(unittest.TestCase):
    def run_with(self, progress, use=None):
        context = millrace.Context(progress=lambda *at: progress(*at))
        return large_store(context=context) if use is None else use(context)

    def test_an_exception_stops_the_call_and_comes_out(self):
        calls, allowed = [], [True]

        def progress(*_):
            if not allowed[0]:
                calls.append(1)
                raise ZeroDivisionError("mine")

        store = self.run_with(progress)
        allowed[0] = False
        for kind in (store.pagerank, lambda: in_threads(1, lambda _: store.pagerank())):
            del calls[:]
            with self.assertRaisesRegex(ZeroDivisionError, "mine"):
                kind()
            self.assertEqual(len(calls), 1)
        allowed[0] = True
        self.assertTrue(store.pagerank().converged)

    def test_a_callback_cannot_use_millrace(self):
        tried, stores = [], []

        def progress(*_):
            for use in (lambda: stores[0].names[0], lambda: stores[0].close(),
                        lambda: millrace.build([0], [1]), millrace.Context,
                        lambda: next(stores[0].names.sorted())):
                with self.assertRaisesRegex(millrace.UsageError, "callback"):
                    use()
            tried.append(1)

        stores.append(millrace.build([0, 1], [1, 0]))
        store = self.run_with(progress)
        stores[0] = store
        self.assertTrue(store.pagerank().converged)
        self.assertGreater(len(tried), 1)

    def test_it_is_a_function(self):
        with self.assertRaises(TypeError):
            millrace.Context(progress=3)


class Interrupts(unittest.TestCase):
    def setUp(self):
        # A shell that starts tests in the background ignores SIGINT for them.
        self.addCleanup(signal.signal, signal.SIGINT,
                        signal.signal(signal.SIGINT, signal.default_int_handler))

    def interrupted(self, store, signals, pause, kind=KeyboardInterrupt, number=signal.SIGINT):
        """Signals during a ranking that would take minutes; how long it took to stop."""
        def send():
            while not store.context.handle.calls.current:
                time.sleep(0.001)
            for _ in range(signals):
                os.kill(os.getpid(), number)
                time.sleep(pause)
            sent.set()

        sent = threading.Event()
        sender = threading.Thread(target=send)
        sender.start()
        began = time.monotonic()
        with self.assertRaises(kind):
            store.pagerank(iterations=100000)
        while not sent.is_set():  # signals may come later than the end
            try:
                sent.wait()
            except kind:
                pass
        sender.join()
        return time.monotonic() - began

    def test_one_and_many(self):
        with large_store() as store:
            for signals, pause in ((1, 0), (2, 0.01), (6, 0.004), (200, 0.0003)):
                self.assertLess(self.interrupted(store, signals, pause), 60)
                self.assertTrue(store.pagerank(tolerance=1e-3).converged)

    def test_an_exception_of_any_handler_stops_the_call(self):
        def handler(*_):
            raise TimeoutError

        self.addCleanup(signal.signal, signal.SIGUSR1, signal.signal(signal.SIGUSR1, handler))
        with large_store() as store:
            self.assertLess(self.interrupted(store, 1, 0, TimeoutError, signal.SIGUSR1), 60)
            self.assertTrue(store.pagerank(tolerance=1e-3).converged)

    def test_who_waits_stops_nobody_else(self):
        with large_store() as store:
            passes = []
            thread = threading.Thread(
                target=lambda: passes.append(store.pagerank(iterations=60).passes))
            thread.start()
            while not store.context.handle.calls.current:
                time.sleep(0.001)
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
            with self.assertRaises(KeyboardInterrupt):
                while True:
                    store.pagerank(iterations=60)
            thread.join()
            self.assertEqual(len(passes), 1)


if __name__ == "__main__":
    unittest.main()
