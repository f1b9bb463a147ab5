# SPDX-License-Identifier: Apache-2.0
"""The wheel and the source archive: what is inside, and that they work away from the source tree."""

import base64
import csv
import hashlib
import importlib.metadata
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
VERSION = re.search(r"VERSION ([0-9.]+) DESC", (ROOT / "CMakeLists.txt").read_text())[1]

sys.path.insert(0, str(ROOT / "bindings/python"))
import backend  # noqa: E402

RANK = """
import millrace, sys
with open("links.csv", "w") as file:
    file.write("source,target\\nhttp://a.example/,http://b.example/\\n")
assert len(millrace.build_files(None, "links.csv", profile="heritrix")) == 2
print(millrace.__file__, millrace.pagerank([("a", "b")]).top(1)[0][0])
with open("/proc/self/maps") as file:
    print(*sorted({line.split()[-1] for line in file if ".so" in line and "/millrace/" in line}))
"""


@unittest.skipUnless({"MILLRACE_LIBRARY", "MILLRACE"} <= set(os.environ), "MILLRACE_LIBRARY and MILLRACE name nothing to pack")
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.work)
        cls.path = cls.wheel("one")
        cls.tree = cls.work / "tree"
        with zipfile.ZipFile(cls.path) as archive:
            archive.extractall(cls.tree)
            mode = archive.getinfo("millrace/program").external_attr >> 16
            (cls.tree / "millrace/program").chmod(mode & 0o777)  # as pip does
            cls.libraries = sorted(name for name in archive.namelist() if ".so" in name)

    @classmethod
    def wheel(cls, folder):
        (cls.work / folder).mkdir()
        return cls.work / folder / backend.write_wheel(
            cls.work / folder, os.environ["MILLRACE_LIBRARY"], os.environ["MILLRACE"])

    def test_contents(self):
        path = self.path
        self.assertRegex(path.name, rf"^millrace-{VERSION}-py3-none-(many)?linux_\w+\.whl$")
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            data = {name: archive.read(name) for name in names}
        self.assertEqual(len(names), len(set(names)))
        modules = {f"millrace/{f.name}" for f in (ROOT / "bindings/python/millrace").iterdir() if f.is_file()}
        self.assertEqual(modules, {name for name in names if name.endswith((".py", ".pyi", ".typed"))})
        info = f"millrace-{VERSION}.dist-info/"
        self.assertEqual({name.split("/")[0] + "/" for name in names}, {"millrace/", info})
        rows = {name: (digest, size) for name, digest, size in csv.reader(
            io.StringIO(data[info + "RECORD"].decode()))}
        self.assertEqual(list(rows), names)
        self.assertEqual(rows.pop(info + "RECORD"), ("", ""))
        for name, (digest, size) in rows.items():
            sha = base64.urlsafe_b64encode(hashlib.sha256(data[name]).digest()).decode().rstrip("=")
            self.assertEqual((digest, int(size)), ("sha256=" + sha, len(data[name])), name)
        self.assertIn(f"Tag: {path.name.split('-', 2)[2][:-4]}\n".encode(), data[info + "WHEEL"])
        self.assertIn(f"Version: {VERSION}\n".encode(), data[info + "METADATA"])
        self.assertIn(f"millrace/libmillrace.so.{VERSION.rpartition('.')[0]}", names)
        found = importlib.metadata.PathDistribution(self.tree / info).entry_points
        self.assertEqual([(one.group, one.name) for one in found],
                         [("console_scripts", "millrace"), ("networkx.backends", "millrace"), ("networkx.backend_info", "millrace")])
        for one in found:
            self.assertIn(one.value.partition(":")[0].replace(".", "/") + ".py", names)

    def test_metadata_without_a_build(self):
        """pip asks for it before it builds; it is that of the wheel."""
        prepared = self.work / backend.prepare_metadata_for_build_wheel(self.work)
        self.assertEqual({file.name for file in prepared.iterdir()}, {"METADATA", "WHEEL", "entry_points.txt"})
        for file in prepared.iterdir():
            if file.name == "WHEEL":  # has the oldest C library that will do, which the built files say
                continue
            self.assertEqual(file.read_bytes(), (self.tree / prepared.name / file.name).read_bytes())

    def test_libraries_name_each_other(self):
        """Nothing that readelf says a library needs is missing, but for the C library."""
        for name in self.libraries:
            needed = subprocess.run(["readelf", "-d", self.tree / name], check=True, text=True,
                                    capture_output=True).stdout
            for other in re.findall(r"NEEDED.*\[(.*)\]", needed):
                if not re.match(r"(lib(c|m|pthread|dl|rt)\.so|ld-linux)", other):
                    self.assertIn("millrace/" + other, self.libraries, name)
            self.assertIn(f"[{name.split('/')[1]}]", needed)  # its own name

    def test_the_tag_is_the_oldest_c_library_that_will_do(self):
        """What readelf says that the files need."""
        needed = set()
        for name in (*self.libraries, "millrace/program"):
            said = subprocess.run(["readelf", "-V", self.tree / name], check=True, text=True, capture_output=True).stdout
            needed |= set(map(int, re.findall(r"Name: GLIBC_2\.(\d+)", said)))
        self.assertIn(f"manylinux_2_{max(needed)}_", self.path.name)

    def test_the_program_is_inside(self):
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(self.tree), "HOME": str(self.work),
                       "LD_LIBRARY_PATH": str(self.tree / "millrace"), "PYTHONDONTWRITEBYTECODE": "1"}
        ran = subprocess.run([sys.executable, "-m", "millrace", "version"], env=environment, text=True, cwd=self.work,
                             capture_output=True, check=False)
        self.assertEqual((ran.stderr, ran.stdout.partition(",")[0]), ("", f"millrace {VERSION}"))
        self.assertEqual(subprocess.run([sys.executable, "-m", "millrace", "bad"], env=environment, cwd=self.work,
                                        capture_output=True, check=False).returncode, 2)

    def test_reproducible(self):
        self.assertEqual(self.path.read_bytes(), self.wheel("two").read_bytes())

    def test_import_from_the_unpacked_wheel(self):
        tree = self.tree
        # The library of a real wheel has its run path; that of the build tree has none.
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(tree), "HOME": str(self.work),
                       "LD_LIBRARY_PATH": str(tree / "millrace"), "PYTHONDONTWRITEBYTECODE": "1"}
        ran = subprocess.run([sys.executable, "-c", RANK], cwd=self.work, env=environment, text=True,
                             capture_output=True, check=False)
        self.assertEqual(ran.stderr, "")
        first, maps = ran.stdout.splitlines()
        self.assertEqual(first, f"{tree}/millrace/__init__.py b")
        self.assertEqual(maps.split(), [str(tree / name) for name in self.libraries])

    @unittest.skipUnless(shutil.which("ninja") and "MILLRACE_BUILD_DIR" in os.environ, "no ninja, or no build tree")
    def test_source_archive(self):
        """No file of the library, nor of what CMake reads, is missing, and it makes the same archive again. `./dev
        release` builds from it."""
        name = backend.build_sdist(self.work)
        self.assertEqual(name, f"millrace-{VERSION}.tar.gz")
        with tarfile.open(self.work / name) as archive:
            archive.extractall(self.work)
        root, build = self.work / f"millrace-{VERSION}", pathlib.Path(os.environ["MILLRACE_BUILD_DIR"])
        inputs = subprocess.run(["ninja", "-C", build, "-t", "inputs", "build.ninja", "millrace_shared"], check=True,
                                capture_output=True, text=True).stdout.splitlines()
        needed = {path.relative_to(ROOT) for path in map(lambda line: (build / line).resolve(), inputs)
                  if path.is_relative_to(ROOT) and not path.is_relative_to(build)}
        self.assertGreater(len(needed), 300)
        self.assertEqual([path for path in sorted(needed) if not (root / path).exists()], [])
        (self.work / "again").mkdir()
        subprocess.run(
            [sys.executable, "-c", "import backend; backend.build_sdist('../again')"], check=True, cwd=root,
            env={**os.environ, "PYTHONPATH": str(root / "bindings/python"), "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual((self.work / name).read_bytes(), (self.work / "again" / name).read_bytes())


if __name__ == "__main__":
    unittest.main()
