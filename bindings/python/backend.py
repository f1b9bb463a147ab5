# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel and the source archive (PEP 517), with the standard library, CMake and a C compiler.

    pip install .                           builds the library and installs the module with it inside
    python3 bindings/python/backend.py DIR [TREE]  writes the wheel and the source archive into DIR; the objects are
                            those of the build tree TREE, or of DIR/tree

The wheel has the shared library and the program beside the modules, and beside them the libraries that a system may lack, under names
of their own. (Debian's archives of them cannot go into a shared library.) The same sources and tools give the same
bytes.
"""

import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CMAKE = (ROOT / "CMakeLists.txt").read_text()
VERSION = re.search(r"project\(millrace VERSION ([0-9.]+)", CMAKE)[1]
HOMEPAGE = re.search(r'HOMEPAGE_URL "(.*)"', CMAKE)[1]
MAINTAINER = re.search(r'set\(MILLRACE_MAINTAINER "(.*)"\)', CMAKE)[1]
DIST_INFO = f"millrace-{VERSION}.dist-info"
# What every system with glibc has.
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread))\.so\.\d+$")
# Debian's packages of the other libraries, whose licences go into the wheel.
LICENCES = ("libgomp1 liburing-dev libzstd-dev libxxhash-dev zlib1g-dev libjansson-dev libidn2-dev libpsl-dev "
            "libbrotli-dev libbz2-dev libunistring2").split()


def _metadata():
    return f"""\
Metadata-Version: 2.1
Name: millrace
Version: {VERSION}
Summary: Out-of-core link ranking: PageRank with a proof of its error, HITS, OPIC
License: Apache-2.0
Author: The authors of Millrace
Maintainer-email: {MAINTAINER}{HOMEPAGE and chr(10) + "Home-page: " + HOMEPAGE}
Keywords: pagerank,hits,graph,ranking,crawl,centrality
Classifier: Development Status :: 4 - Beta
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Scientific/Engineering :: Information Analysis
Classifier: Programming Language :: Python :: 3
{chr(10).join(f"Classifier: Programming Language :: Python :: 3.{minor}" for minor in range(9, 15))}
Requires-Python: >=3.9
Requires-Dist: numpy
Provides-Extra: graphs
Requires-Dist: scipy; extra == 'graphs'
Requires-Dist: networkx; extra == 'graphs'
Requires-Dist: igraph; extra == 'graphs'
Description-Content-Type: text/markdown

{(ROOT / "docs/python.md").read_text()}""".encode()


def _date():
    """Seconds since 1970 of everything that is packed; a zip file begins with 1980."""
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)


def _platform(binaries):
    """Such as manylinux_2_34_x86_64: the oldest C library that has all versions of functions that the files need."""
    versions = [int(found[1]) for data in binaries for found in re.finditer(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", data)]
    machine = os.uname().machine
    return f"manylinux_2_{max(17, *versions)}_{machine}" if versions else f"linux_{machine}"


def _run(*command):
    if subprocess.run(command, stdout=sys.stderr).returncode != 0:
        raise SystemExit(f"millrace: {' '.join(map(str, command))} failed. CONTRIBUTING.md says what a build needs; "
                         "on Debian and Ubuntu ./dev deps wheel installs it")


def configure(build):
    """Make `build` a build tree."""
    if shutil.which("cmake") is None:
        raise SystemExit("millrace: there is no cmake, and the library is built with it. "
                         "On Debian and Ubuntu ./dev deps wheel installs what a build needs")
    _run("cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O3 -DNDEBUG",
         *(["-G", "Ninja"] if shutil.which("ninja") else []), "--log-level=WARNING")


def build_library(build):
    """Build the shared library in the build tree `build`. Returns its path."""
    _run("cmake", "--build", build, "--target", "millrace_wheel", "millrace_wheel_program", "--parallel",
         str(os.cpu_count()))
    return pathlib.Path(build, "wheel", f"libmillrace.so.{VERSION}"), pathlib.Path(build, "wheel/program")


def _binaries(library, program):
    """`library`, `program` and what they need beside the C library, by their names in the wheel. What they need has
    names of its own, in the files as well: the loader takes no other copy for it. They are as long as the old ones."""
    lines = subprocess.run(["ldd", library, program], check=True, capture_output=True, text=True).stdout
    if "not found" in lines:
        raise SystemExit(f"millrace: {library} needs what this system lacks:\n{lines}")
    found = {name: path for name, path in re.findall(r"(\S+) => (/\S+)", lines) if not SYSTEM.match(name)}
    found[f"libmillrace.so.{VERSION.rpartition('.')[0]}"] = library
    found["program"] = program
    files = {}
    for name, path in sorted(found.items()):
        data = pathlib.Path(path).read_bytes()
        for other in found:
            data = data.replace(b"\0%s\0" % other.encode(), b"\0%s\0" % _own_name(other).encode())
        files[f"millrace/{_own_name(name)}"] = data
    return files


def _own_name(name):
    return name if name.startswith("libmillrace") else name.replace("lib", "mr-", 1)


def _modules():
    return {f"millrace/{path.name}": path.read_bytes()
            for path in sorted((HERE / "millrace").iterdir()) if path.suffix in (".py", ".pyi", ".typed")}


def _dist_info(platform):
    """The files that say what the wheel is."""
    return {f"{DIST_INFO}/METADATA": _metadata(),
            f"{DIST_INFO}/WHEEL": (f"Wheel-Version: 1.0\nGenerator: millrace ({VERSION})\nRoot-Is-Purelib: false\n"
                                   f"Tag: py3-none-{platform}\n").encode(),
            f"{DIST_INFO}/entry_points.txt": (b"[console_scripts]\nmillrace = millrace.__main__:main\n"
                                             b"[networkx.backends]\nmillrace = millrace.networkx_backend\n"
                                             b"[networkx.backend_info]\nmillrace = millrace.networkx_backend:get_info\n")}


def write_wheel(folder, library, program):
    """Pack the module with `library`, `program` and what they need. Returns the name of the wheel."""
    binaries = _binaries(library, program)
    platform = _platform(binaries.values())
    files = {**_modules(), **binaries, **_dist_info(platform)}
    files[f"{DIST_INFO}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    for package in LICENCES:
        path = pathlib.Path("/usr/share/doc", package, "copyright")
        if path.exists():
            files[f"{DIST_INFO}/licenses/{package}.txt"] = path.read_bytes()
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
        for name, data in files.items())
    files[f"{DIST_INFO}/RECORD"] = f"{record}{DIST_INFO}/RECORD,,\n".encode()

    wheel = f"millrace-{VERSION}-py3-none-{platform}.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, time.gmtime(_date())[:6])
            entry.external_attr = (0o100755 if name in binaries else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def _sources():
    """The files of the source tree: those that git knows, or all but what builds made."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True).stdout
        return sorted(name for name in listed.decode().split("\0") if name and (ROOT / name).exists())
    return sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                  if path.is_file() and path.relative_to(ROOT).parts[0] not in ("build", "PKG-INFO")
                  and "__pycache__" not in path.parts)


# --- the hooks of PEP 517 -------------------------------------------------------------------------


def build_sdist(sdist_directory, config_settings=None):  # pylint: disable=unused-argument
    """All sources, as they stand in the tree."""
    name = f"millrace-{VERSION}"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        files = [(path, (ROOT / path).read_bytes(), (ROOT / path).stat().st_mode & 0o100) for path in _sources()]
        for path, data, executable in [*files, ("PKG-INFO", _metadata(), 0)]:
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size, entry.mtime, entry.mode = len(data), _date(), 0o755 if executable else 0o644
            archive.addfile(entry, io.BytesIO(data))
    target = pathlib.Path(sdist_directory) / f"{name}.tar.gz"
    target.write_bytes(gzip.compress(packed.getvalue(), mtime=_date()))
    return target.name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):  # pylint: disable=unused-argument
    """What pip asks for before it builds. Without this hook it builds the library twice."""
    (pathlib.Path(metadata_directory) / DIST_INFO).mkdir()
    # Which C library will do is known when the wheel is built.
    for name, data in _dist_info(f"linux_{os.uname().machine}").items():
        (pathlib.Path(metadata_directory) / name).write_bytes(data)
    return DIST_INFO


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    """Build the library and pack it."""
    with tempfile.TemporaryDirectory(prefix="millrace-wheel-") as folder:
        configure(folder)
        return write_wheel(wheel_directory, *build_library(folder))


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    tree = sys.argv[2] if len(sys.argv) > 2 else out / "tree"
    if len(sys.argv) == 2:
        configure(tree)
    print(out / write_wheel(out, *build_library(tree)))
    print(out / build_sdist(out))
