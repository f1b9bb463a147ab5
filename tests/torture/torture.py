#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Torture: run a command again and again, and let its n-th fallible call fail, n = 1, 2, 3, ... until
the run meets no fault any more.

    torture.py [--sites K] [--frames K [--faults N]] [REGEX]    the scenarios (scenarios.py) that match
    torture.py --program COMMAND...                 one command of a test script, see below

A command that meets a fault must either do what it always does, or end with a fitting exit code and a
message, and leave the directory as it was. It must not crash, hang, leak memory, or leave a half. What
a failed removal leaves behind must be gone after the next run.

Tests of the program run whole under torture: `MILLRACE=tests/torture/program bash tests/cli/X_test.sh`
(with MILLRACE_TORTURED, the program) calls this script for each command. It tortures the command, then runs it in peace for the test.

MILLRACE is the program, MILLRACE_FAULTS the library of faults.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import scenarios

TIMEOUT_S = 600

# class: (exit codes after the fault, must a run with the fault do what it always does?)
CLASSES = {
    "alloc": ({5}, False),
    "eio": ({1}, False),
    "enospc": ({5}, False),
    "eintr": (set(), True),
    "short": (set(), True),
    "thread": ({1, 5}, False),
    "ring": (set(), True),
    "ring-eio": ({1}, False),
    "ring-again": (set(), True),
    "ring-short": (set(), True),
}
# With a plus, all later calls fail too.
LASTING = ("alloc", "eio", "enospc", "thread", "ring", "ring-eio")
# Calls that clean up; where they fail, something may stay until the next run.
MAY_LEAVE = "fsync|unlink|rmdir|open|opendir|flock|fstat|close|malloc|calloc|realloc|strdup|mmap"
# What the C library's or libgomp's own start may do for want of memory or threads.
RUNTIME_MESSAGE = re.compile(r"^\s*libgomp: ")


# What is known and not mended yet: (fault, why, reason). It is counted and does not fail the campaign.
KNOWN = ()


class Result:
    def __init__(self, code, stdout, stderr, report):
        self.code, self.stdout, self.stderr = code, stdout, stderr
        self.fired = self.path = ""
        self.at, self.leaks, self.calls, self.ended = [], [], [], False
        for line in report.splitlines():
            word, _, rest = line.partition(" ")
            if word == "fired":
                self.fired = rest
            elif word == "path":
                self.path = rest
            elif word == "at":
                self.at = rest.split()
            elif word == "leak":
                self.leaks.append(rest)
            elif word == "call":
                self.calls.append(rest.split())
            elif word == "end":
                self.ended = True


def tree(directory):
    """What identifies the state of a directory cheaply: {path: (size, mtime, inode, mode)}."""
    state = {}
    for folder, folders, files in os.walk(directory):
        for name in folders + files:
            path = os.path.join(folder, name)
            s = os.lstat(path)
            key = os.path.relpath(path, directory)
            state[key] = "dir" if name in folders else (s.st_size, s.st_mtime_ns, s.st_ino, s.st_mode)
    return state


def contents(directory):
    """{path: hash of the bytes}"""
    state = {}
    for folder, folders, files in os.walk(directory):
        for name in folders:
            state[os.path.relpath(os.path.join(folder, name), directory)] = "dir"
        for name in files:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                state[os.path.relpath(path, directory)] = hashlib.sha1(file.read()).hexdigest()
    return state


class Torture:
    """One command in one directory, which holds what the command needs and nothing else."""

    def __init__(self, name, words, directory, stdin=None, environment=None, sites=1):
        self.name, self.words, self.directory, self.stdin = name, words, directory, stdin
        self.environment, self.sites = environment or {}, sites
        self.scratch = tempfile.mkdtemp(prefix="torture-", dir=os.environ.get("TMPDIR"))
        self.backup = os.path.join(self.scratch, "backup")
        self.failures, self.n_runs, self.tried = [], 0, collections.Counter()
        self.tolerated = collections.Counter()

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def run(self, fault=None, extra=(), frames=0):
        self.n_runs += 1
        report = os.path.join(self.scratch, "report")
        if os.path.exists(report):
            os.unlink(report)
        environment = dict(os.environ, GOMP_SPINCOUNT="1000", **self.environment)  # else it starts twice
        environment["MILLRACE_FAULT_REPORT"] = report
        environment["MILLRACE_FAULT_SITES"] = str(self.sites)
        environment["LD_PRELOAD"] = os.environ["MILLRACE_FAULTS"]
        if fault:
            environment["MILLRACE_FAULT"] = fault
        if frames:
            environment["MILLRACE_FAULT_LIST"] = str(frames)
        stdin = open(self.stdin, "rb") if self.stdin else subprocess.DEVNULL
        try:
            done = subprocess.run(
                [os.environ["MILLRACE"], *self.words, *extra],
                cwd=self.directory, env=environment, stdin=stdin, capture_output=True,
                timeout=TIMEOUT_S, check=False)
            code, stdout, stderr = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            code, stdout, stderr = "hangs", late.stdout or b"", late.stderr or b""
        finally:
            if self.stdin:
                stdin.close()
        text = ""
        if os.path.exists(report):
            with open(report, encoding="utf-8", errors="replace") as file:
                text = file.read()
        return Result(code, stdout, stderr.decode(errors="replace"), text)

    # ---- The directory ----

    def save(self):
        shutil.copytree(self.directory, self.backup, symlinks=True)
        self.old = contents(self.directory)

    def restore(self):
        for name in os.listdir(self.directory):
            path = os.path.join(self.directory, name)
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
        shutil.copytree(self.backup, self.directory, symlinks=True, dirs_exist_ok=True)
        self.before = tree(self.directory)

    def baseline(self, frames=0):
        """Run twice in peace: what differs between two runs is no failure later. `twice` is what a run makes of the
        results of another one: a state goes on. With `frames`, `calls` has [(class, n, callers)] of all calls that
        can fail."""
        self.save()
        first = self.run()
        self.new = contents(self.directory)
        self.restore()
        self.expected = self.run(frames=frames)
        self.calls = [(c, int(n), callers) for c, n, callers in self.expected.calls]
        again = contents(self.directory)
        self.volatile = {p for p in self.new if again.get(p) != self.new[p]}
        self.stdout_volatile = first.stdout != self.expected.stdout
        self.twice = again
        if self.expected.code == 0:
            self.run(extra=[] if "--force" in self.words else ["--force"])
            self.twice = contents(self.directory)
        self.restore()
        if first.code != self.expected.code or set(again) != set(self.new):
            raise SystemExit(f"{self.name}: two runs in peace differ")
        if self.expected.leaks:
            self.fail("none", self.expected, f"leaks without a fault: {self.expected.leaks}")

    def differs(self, state, wanted):
        """The first difference of two states, or None."""
        for path in sorted(set(state) | set(wanted)):
            if path not in state:
                return f"{path} is absent"
            if path not in wanted:
                return f"{path} is left"
            if state[path] != wanted[path] and path not in self.volatile:
                return f"{path} is different"
        return None

    # ---- Judgement ----

    def fail(self, fault, result, why):
        for faults, whys, reason in KNOWN:
            if re.match(faults, fault) and re.search(whys, why):
                self.tolerated[reason] += 1
                return
        self.failures.append((self.name, fault, result, why))

    def judge(self, fault, result):
        name, _, number = fault.partition(":")
        codes, transparent = CLASSES[name]
        lasting = number.endswith("+")
        changed = tree(self.directory) != self.before
        state = contents(self.directory) if changed else self.old
        why = self.judge_code(name, codes, transparent, lasting, result)
        why = why or self.judge_state(result, state, lasting)
        if why:
            self.fail(fault, result, why)
        elif result.leaks and not (lasting and name == "alloc"):
            self.fail(fault, result, "leaks " + ", ".join(result.leaks))
        if changed or tree(self.directory) != self.before:
            self.restore()

    def judge_code(self, name, codes, transparent, lasting, result):
        if result.code == "hangs" or result.code < 0:
            return f"crash or hang: {result.code}"
        if result.code == self.expected.code:
            if result.stdout != self.expected.stdout and not self.stdout_volatile and \
                    result.code == 0:
                return "prints something else and exits with 0"
            return None
        if RUNTIME_MESSAGE.match(result.stderr):
            codes, transparent = {5}, False
        if transparent and not (name == "ring" and "--io" in self.words):
            return f"is not overcome: exit {result.code}"
        if name == "ring" and "--io" in self.words:
            codes = {1}
        if result.code not in codes:
            return f"exit {result.code}"
        if not re.search(r"^millrace: .*\S", result.stderr, re.M):
            return "says nothing"
        if result.path and not lasting and not self.names_file(result):
            return f"does not name the file {result.path}"
        return None

    def names_file(self, result):
        """The message has the file's name, or for a temporary or unnamed one that of its folder, the
        output, or what it is for."""
        path = re.sub(r" \(deleted\)$", "", result.path)
        name = re.sub(r"\.tmp-.*", "", os.path.basename(path.rstrip("/")))
        folder = re.sub(r"\.tmp-.*", "", os.path.basename(os.path.dirname(path)))
        message = result.stderr
        if name in ("", ".") or path == self.directory:
            return True
        return name in message or (folder and folder in message) or "standard output" in message \
            or "temporary" in message or name.startswith(("pipe:", "null", "mill"))

    def judge_state(self, result, state, lasting):
        if self.expected.code != 0:
            return self.prefixed("a refused command changed ", self.differs(state, self.old))
        for folder in scenarios.FOLDERS:
            if self.is_mixed(folder, state):
                return f"exit {result.code}, with results of two runs in {folder}"
        wanted = self.new
        if result.code != 0:  # a log stays, and a log that cannot be written costs no scores
            state, wanted = ({p: k for p, k in s.items() if p != "out.log"} for s in (state, wanted))
        why = self.differs(state, wanted)
        if why is None or (result.code != 0 and self.differs(state, self.old) is None):
            return None
        # What could not be removed may stay; files under final names may not be halves.
        wanted = (self.new,) if result.code == 0 else (self.old, self.new)
        for path in set(state) | set(self.old) | set(self.new):
            if lasting and path.endswith("/_SUCCESS") and path not in state:
                continue  # no rename could be undone: the folder does not say that it is whole
            whole = any(state.get(path) == w.get(path) for w in wanted) or path in self.volatile
            if not whole and not self.is_leftover(path):
                return f"exit {result.code}, half-made: {path} of {why}"
        # The OpenMP runtime ends the process as a kill does. The state of crawl-rank stays, so that the next run
        # goes on from there.
        goes_on = "out/crawl-rank.json" in state and "out/_SUCCESS" not in state
        if not lasting and not re.match(MAY_LEAVE, result.fired) and not goes_on and \
                not RUNTIME_MESSAGE.match(result.stderr) and not why.startswith("out.check"):
            return f"exit {result.code}, not cleaned: {why}"
        # The next run cleans up and does what it always does, from the results that are there.
        again = self.run(extra=[] if "--force" in self.words or goes_on else ["--force"])
        if again.code != 0:
            return f"{why}; then exit {again.code}: {again.stderr.strip()}"
        found = contents(self.directory)
        return self.differs(found, self.twice) and \
            self.prefixed(f"{why}; after the next run ", self.differs(found, self.new))

    def is_mixed(self, folder, state):
        """Whether a folder of results says that it is whole, and has neither all old nor all new results."""
        def results(of):
            return {path: key for path, key in of.items()
                    if path.startswith(folder + "/") and not self.is_leftover(path)}
        return folder + "/_SUCCESS" in state and \
            all(self.differs(results(state), results(whole)) for whole in (self.old, self.new))

    @staticmethod
    def is_leftover(path):
        return any(".tmp-" in part or part in ("out.check", "out.log", "crawl-rank.json", "_millrace_unfinished") for part in path.split(os.sep)) or \
            path.endswith("LOCK") or \
            re.search(r"\.mill/(weights\.)?(index|links|degrees|names|order)\.\d+(\.1)?$", path)

    @staticmethod
    def prefixed(text, why):
        return why and text + why

    # ---- All faults ----

    def torture_all(self, names):
        """n = 1, 2, 3, ... until no fault is met."""
        for name in names:
            for plus in ("", "+") if name in LASTING else ("",):
                n, met = 0, True
                while met:
                    n += 1
                    met = self.torture(name, n, plus)

    def torture(self, name, n, plus):
        """Returns False if the run met no fault."""
        fault = f"{name}:{n}{plus}"
        result = self.run(fault)
        if result.fired == "" and result.ended and result.code == self.expected.code:
            self.restore()
            return False
        self.tried[name + plus] += 1
        self.judge(fault, result)
        return True


def resolve(program, offsets):
    if not offsets:
        return ""
    lines = subprocess.run(["addr2line", "-f", "-s", "-e", program, *offsets], capture_output=True,
                           text=True, check=False).stdout.splitlines()
    return " < ".join(f"{lines[i]} ({lines[i + 1].split(' ')[0]})" for i in range(0, len(lines) - 1, 2))


def print_failures(failures, limit=200):
    """Each kind once: many n give the same failure."""
    program = os.environ["MILLRACE"]
    kinds = collections.OrderedDict()
    for name, fault, result, why in failures:
        key = (fault.partition(":")[0], result.fired, tuple(result.at[:3]), re.sub(r"\d+", "N", why))
        kinds.setdefault(key, []).append((name, fault, result, why))
    for cases in list(kinds.values())[:limit]:
        name, fault, result, why = cases[0]
        print(f"FAILED: {name}, {fault} ({result.fired} {result.path}): {why}"
              + (f" [{len(cases)} cases]" if len(cases) > 1 else ""))
        print(f"    at {resolve(program, result.at[:6])}")
        for leak in result.leaks[:3]:
            print(f"    leak of {leak.split()[1]} bytes from {resolve(program, leak.split()[:1])}")
        if result.stderr.strip():
            print("    " + "\n    ".join(result.stderr.strip().splitlines()[:4]))


def make_fixtures(directory):
    os.makedirs(directory)
    for name, text in scenarios.FILES.items():
        with open(os.path.join(directory, name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
    for fixture in scenarios.FIXTURES:
        command, extra = fixture if isinstance(fixture, tuple) else (fixture, {})
        environment = dict(os.environ, GOMP_SPINCOUNT="1000", **extra)
        if extra:
            environment["LD_PRELOAD"] = os.environ["MILLRACE_FAULTS"]
        done = subprocess.run([os.environ["MILLRACE"], *command.split(), "--quiet"], cwd=directory,
                              env=environment, capture_output=True, text=True, check=False)
        if done.returncode not in ((130,) if extra else (0,)):
            raise SystemExit(f"fixture: {command}: {done.returncode} {done.stderr}")


def copy_named(fixtures, directory, command):
    """Copies the fixtures that a command names, with what lies beside them, and one file that it does not name."""
    named = {word.split(".")[0] for word in command.split()} | {"list"}
    for name in os.listdir(fixtures):
        if name.split(".")[0] in named:
            path, copy = os.path.join(fixtures, name), os.path.join(directory, name)
            shutil.copytree(path, copy) if os.path.isdir(path) else shutil.copy2(path, copy)


def prepare(scenario, fixtures, sites=1, frames=0):
    """The Torture of a scenario in a directory of its own, after its runs in peace."""
    name, command, environment = (*scenario, {})[:3]
    directory = tempfile.mkdtemp(prefix="scenario-")
    copy_named(fixtures, directory, command)
    words = [*command.split(), "--quiet", "--threads", "2"]
    torture = Torture(name, words, directory, environment=environment, sites=sites)
    torture.baseline(frames)
    return torture


def prepare_scenario(arguments):
    scenario, fixtures, options = arguments
    return prepare(scenario, fixtures, options.sites, options.frames)


def run_scenario(arguments):
    torture, options, chosen = arguments
    if chosen is None:
        torture.torture_all(options.classes)
    else:
        most = options.faults or len(chosen)
        for name, n, plus in chosen[:most]:
            torture.torture(name, n, plus)
        torture.tried["left out"] += len(chosen[most:])
    torture.close()
    shutil.rmtree(torture.directory, ignore_errors=True)
    return torture.name, torture.failures, torture.tried, torture.n_runs, torture.tolerated


def choose(listed, options):
    """Each place of the program once, in the scenario that has the fewest calls before it."""
    seen, chosen = set(), [[] for _ in listed]
    for n, i, call in sorted((c[1], i, c) for i, calls in enumerate(listed) for c in calls):
        for plus in ("", "+") if call[0] in LASTING else ("",):
            key = (call[0], call[2], plus)
            if call[0] in options.classes and key not in seen:
                seen.add(key)
                chosen[i].append((call[0], n, plus))
    for calls in chosen:
        calls.sort(key=lambda c: hashlib.sha1(repr(c).encode()).digest())
    return chosen


def run_scenarios(options):
    chosen = [s for s in scenarios.SCENARIOS if re.search(options.regex, s[0])]
    if not chosen:
        raise SystemExit(f"no scenario matches {options.regex}")
    root = tempfile.mkdtemp(prefix="torture-", dir=os.environ.get("TMPDIR"))
    tempfile.tempdir = root
    began = time.time()
    failures, tried, n_runs, tolerated = [], collections.Counter(), 0, collections.Counter()
    try:
        fixtures = os.path.join(root, "fixtures")
        make_fixtures(fixtures)
        with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
            tortures = list(pool.map(prepare_scenario, [(s, fixtures, options) for s in chosen]))
            plans = [None] * len(chosen)
            if options.frames:
                plans = choose([torture.calls for torture in tortures], options)
            jobs = [(torture, options, plan) for torture, plan in zip(tortures, plans)]
            for name, failed, counts, runs, let in pool.map(run_scenario, jobs):
                failures += failed
                tried += counts
                tolerated += let
                n_runs += runs
                if not options.quiet:
                    print(f"{name}: {sum(counts.values())} faults, {len(failed)} failures", flush=True)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    print_failures(failures)
    per_class = ", ".join(f"{n} {c}" for c, n in sorted(tried.items()))
    print(f"{len(chosen)} commands, {sum(tried.values())} faults ({per_class}), {n_runs} runs, "
          f"{len(failures)} failures, {time.time() - began:.0f} s"
          + "".join(f"\n    known, {n} times: {reason}" for reason, n in tolerated.items()))
    return 1 if failures else 0


def torture_program(words):
    """Tortures a command of a test script in a copy of its directory, then runs it in peace. Commands
    that never end by themselves, or that read a terminal, are run only."""
    program = os.environ["MILLRACE"] = os.environ["MILLRACE_TORTURED"]
    stdin, directory = None, os.getcwd()
    scratch = tempfile.mkdtemp(prefix="torture-")
    if not os.isatty(0) and not os.path.samefile("/dev/null", "/proc/self/fd/0"):
        stdin = os.path.join(scratch, "stdin")
        with open(stdin, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
    copy = os.path.join(scratch, "directory")
    shutil.copytree(directory, copy, symlinks=True)
    failures = []
    absolute = any(directory in word for word in words)
    if not absolute and sum(os.path.getsize(os.path.join(f, n)) for f, _, ns in os.walk(copy)
                            for n in ns) < 50 << 20:
        tortured = Torture(" ".join(words), words, copy, stdin=stdin)
        try:
            tortured.baseline()
            tortured.torture_all(list(CLASSES))
            failures = tortured.failures
        except SystemExit as reason:
            print(f"torture: {reason}: not tortured", file=sys.stderr)
        finally:
            tortured.close()
    with open(os.environ.get("MILLRACE_TORTURE_LOG", "/dev/stderr"), "a", encoding="utf-8") as log:
        sys.stdout = log
        print_failures(failures)
        sys.stdout = sys.__stdout__
    code = subprocess.run([program, *words], stdin=open(stdin, "rb") if stdin else None,
                          check=False).returncode
    shutil.rmtree(scratch, ignore_errors=True)
    raise SystemExit(99 if failures else code if code >= 0 else 128 - code)


def main():
    if sys.argv[1:2] == ["--program"]:
        torture_program(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("regex", nargs="?", default=".")
    parser.add_argument("--sites", type=int, default=1,
                        help="try the first K calls from each place; 0: all calls")
    parser.add_argument("--frames", type=int, default=0,
                        help="try each place of the program, with so many callers, in one scenario only")
    parser.add_argument("--faults", type=int, default=0,
                        help="with --frames: at most N faults for each scenario")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--classes", type=lambda text: text.split(","), default=list(CLASSES))
    parser.add_argument("--quiet", action="store_true")
    for name in ("MILLRACE", "MILLRACE_FAULTS"):
        if name not in os.environ:
            raise SystemExit(f"torture: {name} is not set")
        os.environ[name] = os.path.abspath(os.environ[name])
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise SystemExit(run_scenarios(parser.parse_args()))


if __name__ == "__main__":
    main()
