#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the #include lines and fails on an arrow that points up.

Rooms of src/ stand in the order of LAYERS; a room may include itself and rooms below. Plugins see
include/ (and micro/) and their own files, micro/ sees itself. `--self-test` plants faults.
"""
import pathlib
import re
import sys

LAYERS = [
    ["cli"], ["desk"], ["session", "compile"], ["grappler"], ["pass"], ["import"], ["target"], ["graph"], ["plugin"],
    ["kernel"], ["device"], ["op"], ["tensor"], ["base"],
]
LEVEL = {room: i for i, rooms in enumerate(LAYERS) for room in rooms}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
# One planner serves session and compile and knows neither graph nor device.
PLUGIN_TABLE = ("src/plugin/built_in.c", "built_in.h")


def faults(path, text):
    """Reasons why the file's includes break the law."""
    parts = path.split("/")
    for match in INCLUDE.finditer(text):
        target = match.group(1)
        line = text.count("\n", 0, match.start()) + 1
        first = target.split("/")[0]
        if parts[0] == "src":
            room = parts[1]
            if (path, target) == PLUGIN_TABLE:
                continue
            if room == "cli" and first in LEVEL and first != "cli":
                yield line, f"the command sees include/ alone, not {target}"
            elif first in LEVEL and LEVEL[first] < LEVEL[room]:
                yield line, f"{room} includes {target}: the arrow points up"
            elif first in LEVEL and first != room and LEVEL[first] == LEVEL[room]:
                yield line, f"{room} includes {target}: rooms of one floor do not see each other"
            elif "plugins" in target or target == "built_in.h":
                yield line, f"core includes a plugin's {target}"
        elif parts[0] == "plugins" and first in LEVEL:
            yield line, f"a plugin includes {target}: built-ins have no private door"
        elif parts[0] == "micro" and (first in LEVEL or first in ("tensorflow", "oribi")):
            yield line, f"micro includes {target}: it sees itself only"
        elif parts[0] == "include" and first in LEVEL:
            yield line, f"a public header includes {target}"


def self_test():
    planted = [
        ("src/base/x.c", '#include "op/op.h"'),
        ("src/session/x.c", '#include "compile/x.h"'),
        ("plugins/cpu/x.c", '#include "base/alloc.h"'),
        ("micro/x.c", '#include "tensorflow/c/kernels.h"'),
        ("src/cli/x.c", '#include "graph/graph.h"'),
        ("include/oribi/x.h", '#include "op/op.h"'),
    ]
    for path, text in planted:
        if not list(faults(path, text)):
            sys.exit(f"layers: the planted fault in {path} was not seen")
    if list(faults("src/op/x.c", '#include "base/alloc.h"')):
        sys.exit("layers: a downward arrow was refused")


def main():
    self_test()
    bad = 0
    root = pathlib.Path(__file__).resolve().parents[2]
    for top in ("src", "plugins", "micro", "include", "platform"):
        for path in sorted((root / top).rglob("*.[ch]")):
            name = str(path.relative_to(root))
            for line, why in faults(name, path.read_text()):
                print(f"{name}:{line}: {why}")
                bad += 1
    sys.exit(1 if bad else 0)


main()
