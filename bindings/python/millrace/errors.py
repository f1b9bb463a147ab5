# SPDX-License-Identifier: Apache-2.0
"""Exceptions, one class for each status of the library, and its messages in the words of Python."""

import re


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


# What the library says for the program millrace, and the same for this module. The first that fits
# counts. A command for the shell stays.
_WORDS = [
    (r"pipe it: .* \| millrace \.\.\. -", "open it with another module, such as pandas, Polars or DuckDB, and "
     "give the links to millrace.build"),
    (r"'millrace check --full'", r"store.check(full=True)"),
    (r"'millrace transpose'", r"store.reverse(path)"),
    (r"'millrace find'", r"store.names.find(name)"),
    (r"'millrace [^']*'|\| millrace .*? -(?![\w-])|psql --csv", r"\g<0>"),
    (r"--bad-lines\s+skip\b", r"skip_bad_lines=True"),
    (r"--columns target-source\b", r'columns="target-source"'),
    (r"--columns source-target\b", r'columns="source-target"'),
    (r"--duplicates merge\b", r"keep_duplicates=False"),
    (r"--duplicates\b", r"keep_duplicates"),
    (r"--self-loops\b", r"drop_self_loops"),
    (r"leave out --resume\b", r"remove the file"),
    (r"--names and --no-weights\b", "names and weights=False"),
    (r"--good-share\b", "good_share"),
    (r"--log-scale\b", "log"),
    (r"--per-host\b", "per_host"),
    (r"--no-weights leaves\b", "weights=False leaves"),
    (r"--to (pages|heritrix-map|wel)\b", r'to="\1"'),
    (r"--vertex-list, --host\b", "vertices, host"),
    (r"say -o FILE\b", "give the path of a file"),
    (r"--no-weights\b", r'weights="ignored"'),
    (r"--memory 34M or 32Mi\b", r"memory=32 << 20"),
    (r"--memory (\d+)Mi\b", r"memory=\1 << 20"),
    (r"--memory (\d+)M\b", r"memory=\1_000_000"),
    (r"-o, --tmp\b", r"path, tmp_dir"),
    (r"--tmp\b", r"tmp_dir"),
    (r"--(force|directed|undirected|replace|transpose)\b", r"\1=True"),
    (r"--drop-unlinked\b", r"drop_unlinked=True"),
    (r"--max-unknown\b", r"max_unknown"),
    (r"--max-bad\b", r"max_bad_lines"),
    (r"--max-(passes|rounds)\b", r"max_\1"),
    (r"--vertices\b", r"n_vertices"),
    (r"--vertex-list\b", r"vertex_list"),
    (r"--rule\b", r"profile_rules"),
    (r"--(checkpoint|classes|damping|format|gone|host|largest|names|percentages|scores|seeds|memory|profile|to|tolerance|top|weights)\b", r"\1"),
    (r"(?<![\w-])--[a-z][a-z-]+", None)]  # an option that this module does not have
_ANY_WORD = re.compile("|".join(words for words, _ in _WORDS))


def in_python(text):
    """`text` with the arguments of this module in place of the options of the program."""
    others = []

    def translate(match):
        for words, python in _WORDS:
            found = re.fullmatch(words, match[0])
            if found and python is not None:
                return found.expand(python)
        others.append(match[0])
        return match[0]

    text = _ANY_WORD.sub(translate, text)
    return f"{text} ({', '.join(dict.fromkeys(others))}: see millrace --help)" if others else text
