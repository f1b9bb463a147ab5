# SPDX-License-Identifier: Apache-2.0
"""networkx: its own tests of what the backend has, each call dispatched to Millrace."""

import os
import re
import sys

NEWEST = "3.7" if sys.version_info >= (3, 12) else "3.6.1"
VERSIONS = os.environ.get("NETWORKX", f"3.2.1 3.5 {NEWEST}").split()
NEEDS = f"networkx {', '.join(VERSIONS)} from PyPI (NETWORKX=VERSIONS takes others)"
PROGRAMS = ()
SUITES = ("link_analysis", "components", *(f"centrality.tests.test_{name}_centrality" for name in ("harmonic", "katz", "eigenvector")))
# networkx 3.2 hands a graph of its own test backend to Millrace as it is.
NOT_OURS = {"3.2.1": {"test_connected_components[convert]"}}
# A plugin of pytest that counts what comes to the backend.
COUNT = '''import collections, functools, networkx
from millrace import networkx_backend as backend
calls, refused = collections.Counter(), collections.Counter()
def count(name, function):
    @functools.wraps(function)
    def run(*args, **kwargs):
        try:
            result = function(*args, **kwargs)
        except NotImplementedError as error:
            refused[f"{name}: {error}"] += 1
            raise
        calls[name] += 1
        return result
    setattr(backend, name, run)
for name in backend.FUNCTIONS:
    count(name, getattr(backend, name))
def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"CALLS {sum(calls.values())} {dict(calls)} REFUSED {sum(refused.values())} {dict(refused)}")
'''


def run(kit):
    kit.write("count_calls.py", COUNT)
    for version in VERSIONS:
        kit.pip(f"networkx=={version}", "numpy", "scipy", "pytest<8", folder=f"venv-{version}")
        kit.module()
        said = kit.run("python3 -m pytest -q -p no:cacheprovider -p count_calls --pyargs "
                       f"{' '.join(f'networkx.algorithms.{suite}' for suite in SUITES)} 2>&1 || true",
                       PYTHONPATH=".", NETWORKX_TEST_BACKEND="millrace", NETWORKX_FALLBACK_TO_NX="True")
        numbers = {what: int(n) for n, what in re.findall(r"(\d+) (passed|failed|skipped|error)", said.splitlines()[-1])}
        calls = [int(n) for n in re.findall(r"^CALLS (\d+) .* REFUSED (\d+)", said, re.M)[0]]
        failed = {test.rpartition("::")[2] for test in re.findall(r"^(?:FAILED|ERROR) (\S+)", said, re.M)}
        failed -= NOT_OURS.get(version, set())
        kit.count("cases", numbers.get("passed", 0), numbers.get("passed", 0) + len(failed), failed)
        kit.check(calls[0] > 50, f"networkx {version}: only {calls[0]} calls came to Millrace")
        print(f"networkx {version}: {numbers}; {calls[0]} calls done by Millrace, {calls[1]} given back", file=sys.stderr)
