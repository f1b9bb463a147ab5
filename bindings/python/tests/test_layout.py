# SPDX-License-Identifier: Apache-2.0
"""The structs of the module have the layout that a C compiler gives those of the headers."""

import ctypes
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from millrace import _library as c

ROOT = pathlib.Path(__file__).resolve().parents[3]
GENERATED = pathlib.Path(os.environ.get("MILLRACE_BUILD_DIR", ROOT / "build/release")) / "generated"


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
@unittest.skipUnless((GENERATED / "millrace/version.h").exists(), "no build tree")
class Layout(unittest.TestCase):
    def test_structs(self):
        lines = []
        for struct in c.STRUCTS:
            name = "struct " + struct._c_name
            lines.append(f'printf("{struct._c_name} %zu\\n", sizeof({name}));')
            for field, _ in struct._fields_:
                lines.append(f'printf("{struct._c_name}.{field} %zu %zu\\n", offsetof({name}, {field}),'
                             f" sizeof((({name} *)0)->{field}));")
        source = ("#include <millrace/millrace.h>\n#include <stddef.h>\n#include <stdio.h>\n"
                  "int main(void) {\n" + "\n".join(lines) + "\nreturn 0;\n}\n")
        with tempfile.TemporaryDirectory() as work:
            path = pathlib.Path(work)
            (path / "layout.c").write_text(source)
            subprocess.run(
                ["cc", f"-I{ROOT / 'include'}", f"-I{GENERATED}", path / "layout.c", "-o",
                 path / "layout"], check=True)
            expected = subprocess.run(
                [path / "layout"], check=True, capture_output=True, text=True).stdout
        actual = []
        for struct in c.STRUCTS:
            actual.append(f"{struct._c_name} {ctypes.sizeof(struct)}")
            for field, _ in struct._fields_:
                at = getattr(struct, field)
                actual.append(f"{struct._c_name}.{field} {at.offset} {at.size}")
        self.assertEqual(expected.splitlines(), actual)


if __name__ == "__main__":
    unittest.main()
