# SPDX-License-Identifier: Apache-2.0
"""The program that the wheel has inside: `millrace ...`, or `python -m millrace ...`."""

import os
import sys


def main() -> None:
    """Become the program."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program")
    if not os.path.exists(program):
        sys.exit("millrace: this module is no installed wheel, so the program is not inside; ./dev wheel makes one, and "
                 "./dev build the program")
    os.execv(program, ["millrace", *sys.argv[1:]])


if __name__ == "__main__":
    main()
