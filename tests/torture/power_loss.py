#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Power loss: replays what a command changed on disk up to each of its operations, makes the disks that
a power loss at that moment could leave, and looks at each.

    power_loss.py [--limit N] [REGEX]

The library of faults records every change below the table of file operations (record.c). A change is
durable when the file or the directory was synced after it. What is not durable may be

    kept      everything reached the disk
    dropped   nothing did, neither names nor bytes
    names     the names did, the bytes did not: files are empty, or full of zeros
    partly    some of the writes, and some of the changes of each directory, in their order
    torn      the last write ends inside, at 512 bytes and at 4 KiB

Every disk must have, under the final names, what was there before or what the command makes, whole. A
store passes the full check. After the command ended well, everything dropped must still give the new
state. Now and then the command is run again on the disk; it must give what it always gives and clean up.
"""

import argparse
import concurrent.futures
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import scenarios
from torture import contents, make_fixtures, prepare

CHOSEN = """build-numbers build-names build-replace append append-names append-classes append-dated transpose
generate-text pagerank pagerank-parts pagerank-checkpoint opic-state-new opic-state-on precedence-changed
export-bvgraph export-names""".split()
RERUN_EVERY = 40


class File:
    """Its bytes on the disk, and the writes that are not durable yet."""

    def __init__(self, data=b""):
        self.durable, self.pending = bytearray(data), []

    def bytes(self, chosen, torn=None):
        """With the pending writes whose numbers are in `chosen`; the last of them cut to `torn` bytes."""
        data = bytearray(self.durable)
        for i, (kind, at, what) in enumerate(self.pending):
            if i not in chosen:
                continue
            if kind == "truncate":
                del data[at:]
                data.extend(bytes(at - len(data)))
            else:
                if torn is not None and i == len(self.pending) - 1:
                    what = what[:torn]
                data.extend(bytes(max(0, at + len(what) - len(data))))
                data[at:at + len(what)] = what
        return bytes(data)

    def size(self):
        return len(self.bytes(range(len(self.pending))))


def apply_name(names, change):
    """Applies a change of names to {path: File or "dir"}. Returns False if it cannot be applied."""
    kind, *arguments = change
    if kind == "create":
        names[arguments[0]] = arguments[1]
    elif kind == "remove":
        return names.pop(arguments[0], None) is not None
    else:
        source, target, exchange = arguments
        if source not in names or (exchange and target not in names):
            return False

        def subtree(path):
            return {p[len(path):]: names.pop(p) for p in list(names)
                    if p == path or p.startswith(path + "/")}

        moved, old = subtree(source), subtree(target)
        names.update({target + p: f for p, f in moved.items()})
        if exchange:
            names.update({source + p: f for p, f in old.items()})
    return True


class Disk:
    """Names and files, as the record of a command changes them."""

    def __init__(self, directory):
        self.durable, self.now, self.pending, self.fds = {}, {}, [], {}
        for folder, folders, files in os.walk(directory):
            for name in folders:
                self.durable[os.path.relpath(os.path.join(folder, name), directory)] = "dir"
            for name in files:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    self.durable[os.path.relpath(path, directory)] = File(file.read())
        self.now = dict(self.durable)
        self.directory = os.path.realpath(directory)

    def relative(self, path):
        return os.path.relpath(os.path.realpath(os.path.join(self.directory, os.path.dirname(path)))
                               + "/" + os.path.basename(path), self.directory)

    def change(self, *change):
        """A change of names; it is pending in the directories that it touches."""
        apply_name(self.now, change)
        touched = {os.path.dirname(change[1])}
        if change[0] == "rename":
            touched.add(os.path.dirname(change[2]))
        self.pending.append((change, touched))

    def sync_directory(self, path):
        """A synced directory is durable with all changes before that concern it, and those need."""
        last = max((i for i, (_, touched) in enumerate(self.pending) if path in touched), default=-1)
        kept = []
        for i, (change, touched) in enumerate(self.pending):
            # A journal keeps the order of changes: what came before the last one is durable, too.
            if i > last or not apply_name(self.durable, change):
                kept.append((change, touched))
        self.pending = kept

    def replay(self, line, data):
        """Applies a line of the record. Returns False for a line that changes nothing."""
        word, _, rest = line.partition(" ")
        if word == "open":
            fd, flags, path = rest.split(" ", 2)
            path, flags = self.relative(path), int(flags)
            if path.startswith(".."):
                self.fds[int(fd)] = File()
                return False
            if flags & 1 or path not in self.now:
                self.change("create", path, File())
            self.fds[int(fd)] = self.now[path]
            if flags & 2 and self.now[path].size() > 0:
                self.now[path].pending.append(("truncate", 0, b""))
            return True
        if word == "write":
            fd, at, n, begin = map(int, rest.split())
            self.fds[fd].pending.append(("write", at, data[begin:begin + n]))
        elif word == "truncate":
            fd, size = map(int, rest.split())
            self.fds[fd].pending.append(("truncate", size, b""))
        elif word == "sync":
            fd, _, path = rest.partition(" ")
            if os.path.isabs(path) and self.now.get(self.relative(path), None) == "dir" or \
                    self.relative(path) == ".":
                self.sync_directory("" if self.relative(path) == "." else self.relative(path))
            elif int(fd) in self.fds:
                file = self.fds[int(fd)]
                file.durable = bytearray(file.bytes(range(len(file.pending))))
                file.pending = []
        elif word == "rename":
            flags, _, paths = rest.partition(" ")
            source, target = (self.relative(p) for p in paths.split("\t"))
            self.change("rename", source, target, int(flags) == 2)
        elif word == "link":
            source, target = (self.relative(p) for p in rest.split("\t"))
            self.change("create", target, self.now[source])
        elif word in ("unlink", "rmdir"):
            self.change("remove", self.relative(rest))
        elif word == "mkdir":
            self.change("create", self.relative(rest), "dir")
        else:
            return False
        return True

    # ---- What may be left ----

    def with_names(self, chosen):
        names = dict(self.durable)
        for i, (change, _) in enumerate(self.pending):
            if i in chosen:
                apply_name(names, change)
        return names

    def states(self, seed):
        """[(kind, {path: bytes or None for a directory})]"""
        everything = range(len(self.pending))
        dice = random.Random(seed)

        def state(names, pick, torn=None):
            return {p: None if f == "dir" else f.bytes(pick(f), torn) for p, f in names.items()}

        def every(file):
            return range(len(file.pending))

        def some(file):
            return {i for i in range(len(file.pending)) if dice.random() < 0.5}

        now = self.with_names(everything)
        yield "kept", state(now, every)
        yield "dropped", state(self.durable, lambda f: ())
        yield "names", state(now, lambda f: ())
        yield "zeros", {p: None if f == "dir" else
                        bytes(f.bytes(()) + bytes(max(0, f.size() - len(f.durable))))
                        for p, f in now.items()}
        for unit in (512, 4096):
            yield f"torn at {unit}", state(now, every, unit)
        yield "partly", state(now, some)
        # Directories reach the disk one by one, each in its order; no file system mixes one's.
        folders = sorted({t for _, touched in self.pending for t in touched})
        for folder in folders:
            only = [i for i, (_, touched) in enumerate(self.pending) if folder in touched]
            yield f"only the names of {folder}", state(self.with_names(only), every)
            yield f"not the names of {folder}", state(
                self.with_names([i for i in everything if i not in only]), every)
        cut = dice.randint(0, len(self.pending))
        yield "partly", state(self.with_names(range(cut)), some)


def write_state(state, directory):
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    for path in sorted(state):
        full = os.path.join(directory, path)
        if state[path] is None:
            os.makedirs(full, exist_ok=True)
        elif os.path.isdir(os.path.dirname(full)):
            with open(full, "wb") as file:
                file.write(state[path])


class Campaign:
    def __init__(self, torture, work):
        self.torture, self.work = torture, work
        self.failures, self.seen, self.n, self.left = [], {}, 0, {"old": 0, "new": 0, "mixed": 0}

    def fail(self, moment, kind, why):
        self.failures.append(f"{self.torture.name}: operation {moment}, {kind}: {why}")

    def run(self, words):
        return subprocess.run([os.environ["MILLRACE"], *words], cwd=self.work, capture_output=True,
                              text=True, check=False, timeout=600)

    def look(self, moment, kind, state, must_be_new):
        key = hashlib.sha1(repr(sorted((p, d and hashlib.sha1(d).digest()) for p, d in
                                       state.items())).encode()).digest() + bytes([must_be_new])
        if key in self.seen:
            return
        self.seen[key] = True
        self.n += 1
        write_state(state, self.work)
        found, old, new = contents(self.work), self.torture.old, self.torture.new
        finals = {self.group(p) for p in {**old, **new} if old.get(p) != new.get(p)}
        kinds = set()
        for final in finals:
            which = self.which(final, found, old, new)
            if which is None:
                which = self.whole_store(final)
            if which is None:
                self.fail(moment, kind, f"{final} is neither old nor new")
                return
            kinds.add(which)
        self.left[kinds.pop() if len(kinds) == 1 else "mixed"] += 1
        if must_be_new and any(self.which(f, found, old, new) != "new" and
                               self.whole_store(f) != "new" for f in finals):
            self.fail(moment, kind, "the command had ended well, and its result is lost")
        for path in old:
            if path not in found and old[path] == new.get(path) and self.group(path) not in finals:
                self.fail(moment, kind, f"{path}, which the command does not change, is gone")
        if self.n % RERUN_EVERY == 0 and "checkpoint" not in self.torture.name:
            words = self.torture.words
            again = self.run(words if "--force" in words else [*words, "--force"])
            why = self.torture.differs(contents(self.work), new)
            if again.returncode != 0 or why:
                self.fail(moment, kind, f"run again: exit {again.returncode} {why}: {again.stderr}")

    @staticmethod
    def group(path):
        """The output that a path belongs to: a store or state is one."""
        return path.split(os.sep)[0]

    @staticmethod
    def within(final, tree):
        return {p: h for p, h in tree.items() if p == final or p.startswith(final + os.sep)}

    def which(self, final, found, old, new):
        """old, new, or None. Files of a store that no manifest names do not count here."""
        for name, tree in (("new", new), ("old", old)):
            if self.within(final, found) == self.within(final, tree) or (
                    final in self.torture.volatile and final in found and found[final] == tree.get(final)):
                return name
        if final in self.torture.volatile and final in found:
            with open(os.path.join(self.work, final), encoding="utf-8", errors="replace") as file:
                return "new" if file.read().endswith("}\n") else None
        return None

    def whole_store(self, final):
        """A store with files that no manifest names: checked, and told by its id."""
        path = os.path.join(self.work, final)
        if not os.path.exists(os.path.join(path, "MANIFEST")):
            # A store that is not complete: never taken for one.
            if os.path.isdir(path) and not final.endswith(".mill"):
                return "old"
            return None
        with open(os.path.join(path, "MANIFEST"), "rb") as file:
            manifest = hashlib.sha1(file.read()).hexdigest()
        name = os.path.join(final, "MANIFEST")
        if self.run(["check", "--full", "--quiet", final]).returncode != 0:
            return None
        return "new" if manifest == self.torture.new.get(name) else \
            "old" if manifest == self.torture.old.get(name) else None


def run_scenario(arguments):
    scenario, fixtures, limit = arguments
    root = tempfile.mkdtemp(prefix="power-")
    torture = prepare(scenario, fixtures)
    name, directory, work = torture.name, torture.directory, os.path.join(root, "work")
    try:
        disk = Disk(directory)
        stem = os.path.join(root, "record")
        torture.environment = dict(torture.environment, MILLRACE_FAULT_RECORD=stem)
        done = torture.run()
        if done.code != torture.expected.code:
            raise SystemExit(f"{name}: recorded run: exit {done.code} {done.stderr}")
        torture.new = contents(directory)
        with open(stem + ".lines", encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
        with open(stem + ".bytes", "rb") as file:
            data = file.read()
        campaign = Campaign(torture, work)
        stride, turn = max(1, 10 * len(lines) // limit), 0
        for moment, line in enumerate(lines):
            if disk.replay(line, data):
                for kind, state in disk.states(f"{name} {moment}"):
                    turn += 1
                    if turn % stride == 0:
                        campaign.look(moment, f"{kind} after '{line[:80]}'", state, False)
        for kind, state in disk.states(name):
            campaign.look(len(lines), f"{kind} at the end", state, True)
        return name, len(lines), campaign.n, campaign.left, campaign.failures
    finally:
        torture.close()
        shutil.rmtree(directory, ignore_errors=True)
        shutil.rmtree(root, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regex", nargs="?", default=".")
    parser.add_argument("--limit", type=int, default=1 << 30, help="about so many disks per command")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    for name in ("MILLRACE", "MILLRACE_FAULTS"):
        os.environ[name] = os.path.abspath(os.environ[name])
    chosen = [s for s in scenarios.SCENARIOS if s[0] in CHOSEN and re.search(options.regex, s[0])]
    root = tempfile.mkdtemp(prefix="power-", dir=os.environ.get("TMPDIR"))
    tempfile.tempdir = root
    began, n_disks, failures = time.time(), 0, []
    total = {"old": 0, "new": 0, "mixed": 0}
    try:
        fixtures = os.path.join(root, "fixtures")
        make_fixtures(fixtures)
        with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
            jobs = [(s, fixtures, options.limit) for s in chosen]
            for name, n_operations, n, left, failed in pool.map(run_scenario, jobs):
                print(f"{name}: {n_operations} operations, {n} disks: {left}, {len(failed)} failures",
                      flush=True)
                n_disks += n
                failures += failed
                for kind, count in left.items():
                    total[kind] += count
    finally:
        shutil.rmtree(root, ignore_errors=True)
    for failure in failures[:60]:
        print("FAILED: " + failure)
    print(f"{len(chosen)} commands, {n_disks} disks ({total['old']} old, {total['new']} new, "
          f"{total['mixed']} with outputs of both), {len(failures)} failures, "
          f"{time.time() - began:.0f} s")
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()
