# SPDX-License-Identifier: Apache-2.0
"""Data frames: each type in, the ranks back by the keys of the frame, and joined with it."""

import os
import re
import sys

VERSIONS = os.environ.get("PANDAS", "2.3.3 3.1.1").split()
OTHERS = ("polars==2.1.0", "pyarrow==26.0.1", "duckdb==2.0.1", "networkx==3.6.1", "scipy")
NEEDS = f"pandas {', '.join(VERSIONS)} (PANDAS=VERSIONS takes others), {', '.join(OTHERS)} from PyPI"
PROGRAMS = ()


def run(kit):
    for version in VERSIONS:
        kit.pip(f"pandas=={version}", *OTHERS, folder=f"venv-{version}")
        kit.module()
        said = kit.run(f"python3 -B {os.path.dirname(os.path.abspath(__file__))}/frames.py")
        right, n = map(int, re.search(r"(\d+) of (\d+)$", said.strip()).groups())
        kit.count("cases", right, n, [line for line in said.splitlines() if line.startswith("WRONG")])
        print(f"pandas {version}: {right} of {n}", file=sys.stderr)
