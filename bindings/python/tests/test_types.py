# SPDX-License-Identifier: Apache-2.0
"""mypy --strict accepts the sessions of docs/python.md, and refuses attributes and options that do not exist."""

import doctest
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
WRONG = """import millrace
store = millrace.build([0], [1])
store.n_edgs
store.pagerank().bound
store.pagerank(dampling=0.5)
store.pagerank(dangling="nowhere")
store.pagerank(precision=1)
millrace.build([0], [1], clases="host")
millrace.build([0], [1], classes="best")
millrace.build_files(None, "a.txt", undirected="no")
millrace.append_files(store, undirected=True)
store.certify({"a": 1}).proven
millrace.compare([1.0], "a.tsv", missing="drop")
"""


@unittest.skipUnless(shutil.which("mypy"), "no mypy")
class Types(unittest.TestCase):
    @unittest.skipUnless(shutil.which("stubtest"), "no stubtest")
    def test_stubs_are_the_methods(self):
        done = subprocess.run(["stubtest", "millrace.rankings", "--ignore-missing-stub"], text=True, check=False,
                              capture_output=True, env={**os.environ, "MYPY_CACHE_DIR": os.devnull,
                                                        "PYTHONPATH": str(ROOT / "bindings/python")})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_sessions_of_the_document_and_what_does_not_exist(self):
        text = (ROOT / "docs/python.md").read_text().replace("\n```", "\n\n```")
        with tempfile.TemporaryDirectory() as work:
            for name, program in (("right.py", doctest.script_from_examples(text)), ("wrong.py", WRONG)):
                (pathlib.Path(work) / name).write_text(program)
            done = subprocess.run(
                ["mypy", "--strict", "--ignore-missing-imports", "--follow-imports=silent",
                 "--enable-incomplete-feature=Unpack", f"--cache-dir={work}", "right.py", "wrong.py"],
                env={**os.environ, "MYPYPATH": str(ROOT / "bindings/python")}, cwd=work,
                capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        errors = [line for line in done.stdout.splitlines() if ": error:" in line]
        wrong = [line for line in errors if line.startswith("wrong.py:")]
        self.assertEqual([line for line in errors if line not in wrong], [])
        self.assertEqual(sorted({int(line.split(":")[1]) for line in wrong}),
                         list(range(3, len(WRONG.splitlines()) + 1)), done.stdout)


if __name__ == "__main__":
    unittest.main()
