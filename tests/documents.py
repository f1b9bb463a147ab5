# SPDX-License-Identifier: Apache-2.0
"""Runs the sessions of documents and compares what they print with what stands there.

    documents.py [--update] PROGRAM ROOT FILE...

A session is a block that begins with ```console. Its lines "$ COMMAND" are run by bash, in one
directory per document with `millrace` in PATH and examples/ of the source tree. Standard output and
standard error must be the lines below the command. Only times, speeds and sizes of memory may
differ: they are compared as T. --update writes what was printed into the documents. A bound such as
1.9e-10 in the text around the sessions must stand in one of them. From its line
<!-- $ COMMAND --> to its end a document is what this command prints.
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

VOLATILE = [
    (re.compile(r"\b\d+(\.\d+)?(e-?\d+)? (s|ms)\b"), "T s"),
    (re.compile(r"\((reading|numbering) .*\)$"), "(T)"),
    (re.compile(r"peak memory \S+ \S+"), "peak memory T"),
]
BOUND = re.compile(r"\b\d\.\d+e-\d+")
MADE = re.compile(r"<!-- \$ (.*) -->$")
SPEEDS = re.compile(r"millrace: reading [0-9.]+ s, ")  # a line of speeds, only after slow builds


def without_times(line):
    for pattern, text in VOLATILE:
        line = pattern.sub(text, line)
    return line.rstrip()


def sessions(lines):
    """Yields (start, end) of the lines inside each block."""
    start = None
    for i, line in enumerate(lines):
        if line.strip() == "```console":
            start = i + 1
        elif line.strip() == "```" and start is not None:
            yield start, i
            start = None


def steps(lines):
    """Splits a session into (command line, expected lines)."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line, []))
        elif found:
            found[-1][1].append(line)
        else:
            sys.exit(f"a session begins without a command: {line}")
    return found


def bounds_of_nothing(lines):
    """The bounds that the text has and no session."""
    inside = [line for start, end in sessions(lines) for line in lines[start:end]]
    return sorted(set(BOUND.findall("\n".join(lines))) - set(BOUND.findall("\n".join(inside))))


def run_made(path, command, program, update):
    """The end of the document, from the line with the command, is what the command prints."""
    text = pathlib.Path(path).read_text()
    kept = text[:text.index(f"<!-- $ {command} -->")]
    printed = subprocess.run(["bash", "-c", 'millrace() { "$0" "$@"; }; ' + command, os.path.abspath(program)],
                             stdout=subprocess.PIPE, check=True).stdout.decode()
    if update:
        text = kept + printed
        pathlib.Path(path).write_text(text)
    differing = [*difflib.unified_diff(text.splitlines(), (kept + printed).splitlines(), path, command, n=0)]
    print(*differing[:20], *(["./dev documents writes it anew"] if differing else []),
          sep="\n", end="\n" if differing else "", file=sys.stderr)
    return len(differing)


def run(path, program, root, update):
    lines = pathlib.Path(path).read_text().splitlines()
    made = next(filter(None, map(MADE.match, lines)), None)
    if made:
        return run_made(path, made[1], program, update)
    problems, changed = 0, list(lines)
    for bound in bounds_of_nothing(lines):
        problems += 1
        print(f"{path}: the text says {bound}, and no session prints it", file=sys.stderr)
    with tempfile.TemporaryDirectory() as work:
        os.makedirs(f"{work}/bin")
        os.makedirs(f"{work}/home")
        os.symlink(os.path.abspath(program), f"{work}/bin/millrace")
        os.symlink(os.path.abspath(f"{root}/examples"), f"{work}/home/examples")
        environment = dict(os.environ, PATH=f"{work}/bin:{os.environ['PATH']}", LC_ALL="C.UTF-8", TERM="dumb")
        for start, end in reversed(list(sessions(lines))):
            changed[start:end] = [None]
        printed_of = []
        for start, end in sessions(lines):
            printed_lines = []
            for command, expected in steps(lines[start:end]):
                result = subprocess.run(["bash", "-c", command[2:]], cwd=f"{work}/home", env=environment,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                printed = [line for line in result.stdout.decode().splitlines() if not SPEEDS.match(line)]
                while expected and not expected[-1].strip():
                    expected.pop()
                is_same = [without_times(l) for l in expected] == [without_times(l) for l in printed]
                if not is_same:
                    problems += 1
                    print(f"{path}: {command}\n  stands there:", *expected, "  was printed:", *printed,
                          sep="\n", file=sys.stderr)
                printed_lines += [command, *(expected if is_same else printed), ""]
            printed_of.append(printed_lines[:-1])
    if update:
        for i in range(len(changed)):
            if changed[i] is None:
                changed[i] = "\n".join(printed_of.pop(0))
        pathlib.Path(path).write_text("\n".join(changed) + "\n")
        return 0
    return problems


def main():
    arguments = sys.argv[1:]
    update = arguments[0] == "--update"
    program, root, *files = arguments[update:]
    if sum(run(file, program, root, update) for file in files):
        sys.exit(1)


main()
