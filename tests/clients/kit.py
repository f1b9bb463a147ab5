# SPDX-License-Identifier: Apache-2.0
"""What each client of `./dev clients` has: its programs from a registry, a folder to work in, and checks.

A client is a module client_NAME.py with NEEDS, a line that says what it takes and from where, PROGRAMS of this machine
(PACKAGE_OF), and run(kit). run() calls checks of the kit, which fill a line of the table, and fails by an exception or by
a check. A client that cannot be had here is skipped."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

ROOT = os.path.realpath(f"{os.path.dirname(__file__)}/../..")
PACKAGE_OF = {"java": "default-jre-headless", "mvn": "maven", "node": "nodejs", "npm": "npm", "cargo": "cargo", "sqlite3": "sqlite3",
              "wget": "wget"}


class Skip(Exception):
    """The client cannot be had here."""


class Failed(Exception):
    """The client did not do what it should."""


class Kit:
    is_offline = False  # PyPI did not answer, so no other client waits for it

    def __init__(self, name, millrace, build, web, per_round):
        self.name, self.millrace_path, self.web, self.per_round = name, os.path.abspath(millrace), web, per_round
        self.tools = os.path.join(os.path.abspath(build), name)  # kept from run to run
        self.work = os.path.join(self.tools, "work")             # made anew by each run
        self.figures, self.failures = {}, []
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(os.path.join(self.work, "bin"))
        os.symlink(self.millrace_path, os.path.join(self.work, "bin", "millrace"))
        self.path = [os.path.join(self.work, "bin")]

    # ---- programs ----

    def install(self, folder, wanted, commands):
        """Run the commands unless the folder has what is wanted; it then has a file that says so."""
        folder = os.path.join(self.tools, folder)
        mark = os.path.join(folder, "wanted")
        if os.path.exists(mark) and open(mark, encoding="utf-8").read() == "\n".join(wanted):
            return folder
        if Kit.is_offline:
            raise Skip("there is no network")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for command in commands(folder):
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=1200, check=False)
            if done.returncode != 0:
                lines = done.stdout.splitlines() or [f"exit code {done.returncode}"]
                errors = [line for line in lines if re.search("ERR|error|fatal", line)]
                Kit.is_offline = "connection broken" in done.stdout
                raise Skip(f"{' '.join(command)}: {(errors or lines[-1:])[0]}")
        with open(mark, "w", encoding="utf-8") as file:
            file.write("\n".join(wanted))
        return folder

    def given(self, variable, *names):
        """The directory that the variable names, which has these files: a client that no registry has."""
        if not os.environ.get(variable):
            raise Skip(f"{variable} is not set")
        folder = os.path.abspath(os.environ[variable])
        for name in names:
            if not os.path.exists(f"{folder}/{name}"):
                raise Failed(f"{variable}: {folder} has no {name}")
        return folder

    def pip(self, *packages, folder="venv"):
        """Packages of PyPI in an environment of their own, whose programs come first in the PATH."""
        folder = self.install(folder, packages, lambda folder: [
            [sys.executable, "-m", "venv", folder],
            [f"{folder}/bin/pip", "install", "--quiet", "--disable-pip-version-check", "--retries=1", "--timeout=15",
             *packages]])
        self.path.insert(0, f"{folder}/bin")
        return folder

    def module(self):
        """The module for Python of this build, in the environment that pip() made last."""
        library = f"{os.path.dirname(os.path.dirname(self.millrace_path))}/libmillrace.so"
        make = f"import backend; backend.write_wheel('.', '{library}', '{self.millrace_path}')"
        self.run(f'rm -f *.whl; python3 -B -c "{make}"', PYTHONPATH=f"{ROOT}/bindings/python")
        self.run("python3 -m pip install --quiet --no-index --no-deps --force-reinstall *.whl")
        os.environ["MILLRACE_LIBRARY"] = library

    def npm(self, *packages):
        """Packages of npm, in node_modules beside the scripts of the work folder."""
        folder = self.install("npm", packages, lambda folder: [
            ["npm", "install", "--loglevel=error", "--no-audit", "--no-fund", "--prefix", folder, *packages]])
        os.symlink(f"{folder}/node_modules", os.path.join(self.work, "node_modules"))

    # ---- files and commands ----

    def file(self, name):
        return os.path.join(self.work, name)

    def read(self, name):
        with open(self.file(name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.file(name)), exist_ok=True)
        with open(self.file(name), "w", encoding="utf-8") as file:
            file.write(text)

    def take(self, *names):
        """Take scripts of examples into the work folder: "scrapy/scrapy_loop.sh", ..."""
        for name in names:
            with open(f"{ROOT}/examples/{name}", encoding="utf-8") as file:
                text = file.read()
            if text.count("\n") >= 62:
                raise Failed(f"examples/{name} is longer than a screen")
            self.write(os.path.basename(name), text)

    def run(self, command, **environment):
        """Run a line of bash in the work folder, with the client's programs and millrace in PATH. Returns what it
        prints, which log.txt has too. An exit code other than 0 is a failure."""
        path = os.pathsep.join([*self.path, os.environ["PATH"]])
        with subprocess.Popen(["bash", "-euo", "pipefail", "-c", command], cwd=self.work, text=True,
                              env={**os.environ, "PATH": path, **environment}, start_new_session=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            try:
                said, _ = process.communicate(timeout=1800)
            except BaseException:  # a loop that does not end, or the user: its children end with it
                os.killpg(process.pid, signal.SIGKILL)
                raise
        with open(self.file("log.txt"), "a", encoding="utf-8") as log:
            log.write(f"$ {command}\n{said}")
        if process.returncode != 0:
            raise Failed(f"{command}: exit code {process.returncode}: {said[-800:].strip()}")
        return said

    @contextlib.contextmanager
    def server(self, command, port):
        """A server of the client in the work folder, from when it listens on the port of this machine."""
        with open(self.file("server.txt"), "a", encoding="utf-8") as log, \
                subprocess.Popen(command.split(), cwd=self.work, stdout=log, stderr=log) as process:
            try:
                for _ in range(1200):
                    with socket.socket() as probe:
                        if probe.connect_ex(("127.0.0.1", port)) == 0:
                            break
                    if process.poll() is not None:
                        raise Failed(f"{command}: it ended; {self.work}/server.txt says why")
                    time.sleep(0.1)
                yield
            finally:
                process.terminate()

    # ---- checks ----

    def check(self, is_right, text):
        if not is_right:
            self.failures.append(text)

    def count(self, figure, right, n, what=()):
        """`right` of `n` in a column of the table; `what` is wrong."""
        old = self.figures.get(figure, (0, 0))
        self.figures[figure] = (old[0] + right, old[1] + n)
        self.check(right == n and n > 0, f"{figure}: {right} of {n} {sorted(what)[:5]}")

    def check_links(self, store, fetched, kinds=("nav", "redirect", "nofollow"), loops=True):
        """The links of the store are those of the pages that were fetched; without `loops`, those to other pages."""
        self.run(f"millrace export {store} --to urls -o links.tsv --quiet --force")
        found = {tuple(line.split("\t")[:2]) for line in self.read("links.tsv").splitlines()}
        found = {link for link in found if link[0].startswith("http") and (loops or link[0] != link[1])}  # not the header
        true = {(source, target) for source, target, kind in self.web.links if source in fetched and kind in kinds}
        self.count("links", len(true & found), len(true | found), true ^ found)

    def check_order(self, wanted, got):
        """Pages `got` come in the order of `wanted` {page: place}; equal places in any order."""
        places = [wanted[page] for page in dict.fromkeys(got) if page in wanted]
        pairs = [(a, b) for i, a in enumerate(places) for b in places[i + 1:] if a != b]
        if pairs:
            self.count("order", sum(a < b for a, b in pairs), len(pairs))

    def check_fetched(self, wanted, asked):
        """What was asked for is what is wanted, each once; robots.txt and what pages embed aside."""
        asked = [page for page in asked if not re.search(r"/(robots\.txt|img/|js/|css/|favicon)", page)]
        self.count("fetched", len(set(asked) & set(wanted)), len(set(asked) | set(wanted)), set(asked) ^ set(wanted))
        self.figures["twice"] = self.figures.get("twice", 0) + len(asked) - len(set(asked))
        self.check(len(asked) == len(set(asked)), f"fetched twice: {sorted(p for p in set(asked) if asked.count(p) > 1)[:5]}")
