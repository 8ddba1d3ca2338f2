#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes, for destroyers_test.c, a call with NULL of every function of the house that destroys, frees, releases or
closes what its one argument points to: what headers declare tomorrow is in the test tomorrow.

usage: destroyers.py OUTPUT FOLDER..."""
import pathlib
import re
import sys

DESTROYER = re.compile(r"^void (oribi_\w+_(?:destroy|free|release|close|delete))\((?:const )?(\w+) \*\w+\);", re.M)


def main():
    output, *folders = (pathlib.Path(p) for p in sys.argv[1:])
    includes, calls = [], []
    for folder in folders:
        for header in sorted(folder.rglob("*.h")):
            found = DESTROYER.findall(header.read_text())
            includes += [f'#include "{header.relative_to(folder)}"'] if found else []
            calls += [name for name, _ in found]
    lines = includes + [""]
    lines += [f"static void call_{name}(void)\n{{\n    {name}(NULL);\n}}" for name in calls]
    lines += ["static const destroyer destroyers[] = {", *(f'    {{"{name}", call_{name}}},' for name in calls), "};"]
    output.write_text("\n".join(lines) + "\n")


main()
