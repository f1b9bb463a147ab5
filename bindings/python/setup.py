# SPDX-License-Identifier: Apache-2.0
"""The version stands in CMakeLists.txt of the source tree and nowhere else."""

import pathlib
import re

from setuptools import setup

cmake = pathlib.Path(__file__).resolve().parents[2] / "CMakeLists.txt"
setup(version=re.search(r"project\(millrace VERSION ([0-9.]+)", cmake.read_text()).group(1))
