# SPDX-License-Identifier: Apache-2.0
"""Types into a real shell, and looks at what its completion writes.

    shells.py bash|zsh SCRIPT PROGRAM

Exit code 77: the shell is not installed. The shell runs in a directory with a folder `build`, which must not become
the command.
"""

import os
import pty
import re
import select
import shutil
import signal
import sys
import time

TIMEOUT = 600
# What is typed (\t: completion), and what the last word is afterwards.
CASES = (("millrace pager\t", "pagerank "), ("millrace buil\t", "build "), ("millrace pagerank --tol\t", "--tolerance"),
         ("millrace pagerank --precision s\t", "single "), ("millrace pagerank --precision=d\t", "--precision=double"),
         ("millrace export --to bv\t", "bvgraph "), ("millrace crawl-rank --crawler storm\t", "stormcrawler "),
         ("millrace help exit\t", "exit-codes "), ("millrace info one-st\t", "one-store.mill"))


class Shell:
    def __init__(self, arguments):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(PS1="ready>", TERM="dumb", HOME=os.getcwd())
            os.execvp(arguments[0], arguments)

    def type(self, keys, expected):
        """Types keys; the text that the shell shows until it holds what is expected, or until time is over."""
        os.write(self.terminal, keys.encode())
        shown, end = "", time.monotonic() + TIMEOUT
        while expected not in shown and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.2)[0]:
                shown += os.read(self.terminal, 4096).decode(errors="replace")
                shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\x07|\r", "", shown)
        return shown

    def close(self):
        os.close(self.terminal)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def main():
    name, script, program = sys.argv[1:]
    if shutil.which(name) is None:
        sys.exit(77)
    os.environ["PATH"] = os.path.dirname(program) + ":" + os.environ["PATH"]
    os.makedirs("build/x", exist_ok=True)
    os.makedirs("one-store.mill", exist_ok=True)
    shell = Shell(["bash", "--norc", "--noprofile", "-i"] if name == "bash" else ["zsh", "-f", "-i"])
    load = f". {script}; bind 'set enable-bracketed-paste off'"
    if name == "zsh":
        load = f"PROMPT='ready>'; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; . {script}"
    shell.type(f"{load}; echo lo''aded\n", "loaded")
    failed = 0
    for keys, expected in CASES:
        wanted = keys[:-1].rsplit(" ", 1)[0] + " " + expected
        shown = shell.type(keys, wanted)
        if wanted not in shown:
            print(f"{name}: {keys!r} shows {shown!r} instead of {wanted!r}", file=sys.stderr)
            failed = 1
        shell.type("\x15echo em''pty\n", "empty")
    shell.close()
    sys.exit(failed)


main()
