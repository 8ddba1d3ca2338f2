#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The law of the house: which folder may include which. What the table does not name is forbidden.

A file belongs to the longest folder of the table that it lies in; a folder without a row is an error. A room may
include itself. An include is found as the compiler finds it: beside the file, or from the folders that builds pass.
The table has no circle. `--self-test` is part of every run: arrows that must not pass are planted.
"""
import os
import pathlib
import re
import subprocess
import sys

C = "include/tensorflow/c"
CONTRACT = [C, "include/oribi"]  # what a plugin in C sees
MICRO = ["micro", "include/micro"]
LOW = ["src/format", "src/tensor", "src/base", "include/oribi", C, *MICRO]
LAW = {
    # What others compile against.
    C: [],
    "include/tvm": [],
    "include/oribi": [C],
    "include/unsupported": [],
    "include/third_party": ["include/unsupported"],
    "include/tensorflow/cc": [C, "include/unsupported"],
    "include/tensorflow/core": [C, "include/tensorflow/cc", "include/unsupported"],
    "include/tensorflow/lite": [C, "include/tensorflow/core", "include/absl"],
    # Kernels in C99; geometry_* and *_prepare are the host's half.
    "include/micro": [],  # what kernels of plugins may use of it, too
    "micro": ["include/micro"],
    # The library, from the bottom.
    "src/base": [],
    "src/format": ["src/base", C],
    "src/tensor": ["src/base", C, *MICRO],
    "src/plan": ["src/base", "src/tensor", C],
    "src/op": LOW,
    "src/device": LOW,
    "src/kernel": ["src/device", "src/op", *LOW],
    "src/plugin": ["src/kernel", "src/device", "src/op", *LOW],
    "src/c_api": ["src/plugin", "src/op", *LOW],
    "src/check": ["src/kernel", "src/device", "src/op", *LOW],
    "src/author": ["src/check", "src/target", "src/plugin", "src/kernel", "src/device", "src/op", *LOW],
    "src/graph": ["src/kernel", "src/op", *LOW],
    "src/target": ["src/graph", "src/kernel", "src/op", "include/tvm", *LOW],
    "src/import": ["src/target", "src/graph", "src/plugin", "src/op", *LOW],
    "src/pass": ["src/graph", "src/kernel", "src/op", *LOW],
    "src/grappler": ["src/pass", "src/import", "src/graph", "src/plugin", "src/op", *LOW],
    "src/session": ["src/check", "src/grappler", "src/pass", "src/plan", "src/target", "src/import", "src/graph", "src/plugin", "src/kernel",
                    "src/device", "src/op", *LOW],
    "src/binding": ["src/session", "src/import", "src/graph", "src/plugin", "src/kernel", "src/device", "src/op", *LOW],
    # The compiler: each of its rooms sees those before it.
    "src/compile/common": ["src/plugin", "src/graph", "src/op", *LOW],
    "src/compile/lower": ["src/compile/common", "src/target", "src/graph", "src/op", *LOW],
    "src/compile/plan": ["src/compile/lower", "src/compile/common", "src/plan", "src/target", "src/graph", *LOW],
    "src/compile/schedule": ["src/compile/plan", "src/compile/lower", "src/compile/common", "src/target",
                             "include/tvm", *LOW],
    "src/compile/emit": ["src/compile/schedule", "src/compile/plan", "src/compile/lower", "src/compile/common",
                         "src/pass", "src/target", *LOW],
    "src/compile/report": ["src/compile/schedule", "src/compile/plan", "src/compile/lower", "src/compile/common", *LOW],
    "src/compile": ["src/compile/report", "src/compile/emit", "src/compile/schedule", "src/compile/plan",
                    "src/compile/lower", "src/compile/common", "src/pass", "src/import", "src/graph", "src/plugin",
                    *LOW],
    "src/desk": ["src/compile/schedule", "src/compile/plan", "src/session", "include/tvm", *LOW],
    # Programs: include/ alone. The room of formats is the one exception, compiled into the command as well.
    "src/cli": ["src/format", "include/oribi", "include/tvm", C],
    "src/plugin/probe": ["include/oribi", C],
    # Configurations are JSON, whose objects, and those of the floor below them, are compiled in as well.
    "triton": ["src/format", "src/base", "include/oribi", C],
    # Plugins, ours as a stranger's.
    "plugins": [C],
    "plugins/ops_core": [*CONTRACT, *MICRO, "plugins"],
    "plugins/cpu": [*CONTRACT, *MICRO, "plugins"],
    "plugins/device_ops": [*CONTRACT, *MICRO],
    "plugins/ethos_u": [*CONTRACT, "include/tvm", "plugins"],
    "plugins/opencl": [*CONTRACT, "plugins/device_ops"],
    "plugins/gpu": [*CONTRACT, "plugins/device_ops"],
    "plugins/cuda": [*CONTRACT, "plugins/gpu"],
    "plugins/hip": [*CONTRACT, "plugins/gpu"],
    "plugins/ort_adapter": [C, "micro"],
    # Firmware, and what shows how.
    "platform": ["include/tvm", "include/oribi"],
    "zephyr": ["include/tvm"],
    "packaging": [],
    "examples": [*CONTRACT, "include/micro", "include/tvm", "include/tensorflow/core", "include/tensorflow/cc",
                 "include/unsupported"],
    "examples/accelerators/uart_accel/firmware": ["include/tvm", "platform"],
    # Who measures and tests looks everywhere.
    "bench": ["*"],
    "tests": ["*"],
}
SAME_ROOM = {"include/absl": "include/tensorflow/core"}  # the C++ face has names in both
# The built-ins' table is where the library meets its own plugins.
MEETING = {("src/plugin/built_in.c", "plugins/built_in.h")}
# Of micro/, what is compiled on the host alone; emitted kernels do not know it.
HOST_HALF = re.compile(r"^micro/(?:.*/)?(?:geometry_\w+|(?:\w+_)?prepare)\.[ch]$")
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"]+)[>\"]", re.M)
SOURCE = re.compile(r"\.(?:c|h|inc|cc|cu)$")
ROOTS = ("include", "src", "plugins", "", "platform", "src/cli", "plugins/device_ops/code")


def room(path):
    """The longest folder of the table that the path lies in; None: the table has none."""
    folders = [f for f in (*LAW, *SAME_ROOM) if path.startswith(f + "/")]
    longest = max(folders, key=len, default=None)
    return SAME_ROOM.get(longest, longest)


def found(path, quote, name, files):
    """The file or, of a planted one, the folder that is included; None: not of this repository."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
    if quote == '"' and (beside in files or name.startswith("../")):
        return beside
    places = [os.path.join(root, name) for root in ROOTS]
    planted = [p for p in places if quote == '"' and "/" in name and os.path.dirname(p) in LAW]
    return next((p for p in places if p in files), next(iter(planted), None))


def faults(path, text, files):
    """Reasons why the file's includes break the law."""
    own = room(path)
    if own is None:
        yield 1, "its folder has no row in LAW (tests/lint/layers.py): say what it may include"
        return
    for match in INCLUDE.finditer(text):
        target = found(path, match.group(1), match.group(2), files)
        if target is None or "*" in LAW[own] or (path, target) in MEETING:
            continue
        theirs = room(target)
        if own == "micro" and HOST_HALF.match(target) and not HOST_HALF.match(path):
            yield text.count("\n", 0, match.start()) + 1, f"{target} is the host's half: no emitted kernel knows it"
        if theirs != own and theirs not in LAW[own]:
            line = text.count("\n", 0, match.start()) + 1
            yield line, f"{own} may not include {target} ({theirs or 'a folder without a row'})"


def circle():
    """A folder that reaches itself over the table's arrows, or None."""
    def reach(folder, seen):
        for other in LAW.get(folder, []):
            if other != "*" and other not in seen:
                seen.add(other)
                reach(other, seen)
        return seen
    return next((folder for folder in LAW if folder in reach(folder, set())), None)


PLANTED = [
    ("src/base/x.c", '#include "op/op.h"'), ("src/base/x.c", '#include "micro/dims.h"'),
    ("src/session/x.c", '#include "compile/x.h"'), ("src/plan/plan.c", '#include "graph/graph.h"'),
    ("src/pass/x.c", '#include "import/onnx/onnx.h"'), ("src/op/x.c", '#include "ops_core/shape_functions.h"'),
    ("src/compile/lower/x.c", '#include "compile/emit/writer.h"'), ("src/cli/x.c", '#include "graph/graph.h"'),
    ("src/cli/verify/x.c", '#include "harness/model.h"'), ("src/cli/x.c", '#include "../base/alloc.h"'),
    ("plugins/cpu/base/x.c", '#include "base/alloc.h"'), ("plugins/cpu/base/x.c", '#include "../../../src/base/alloc.h"'),
    ("plugins/cpu/move/x.c", '#include "ops_core/shape_functions.h"'),
    ("plugins/device_ops/x.c", '#include "gpu/gpu.h"'), ("plugins/ops_core/x.c", '#include "cpu/base/walk.h"'),
    ("micro/x.c", '#include "tensorflow/c/kernels.h"'), ("micro/conv/x.c", '#include "cpu/base/walk.h"'),
    ("micro/conv/x.c", '#include "micro/geometry/geometry_window.h"'), ("micro/x.c", '#include "micro/prepare.h"'),
    ("micro/x.c", '# include <oribi/oribi.h>'), ("platform/x.c", '#include "base/alloc.h"'),
    ("examples/x/x.cc", '#include "base/alloc.h"'), ("examples/x/x.c", '#include "../../src/base/alloc.h"'),
    ("include/oribi/x.h", '#include "op/op.h"'), ("include/tensorflow/c/x.h", '#include "oribi/oribi.h"'),
    ("src/new_room/x.c", ""), ("new_top/x.c", ""),
]


def self_test(files):
    for path, text in PLANTED:
        if not list(faults(path, text, files)):
            sys.exit(f"layers: the planted {text or 'folder without a row'} in {path} was not seen")
    for path, text in (("src/op/x.c", '#include "base/alloc.h"'), ("src/cli/x.c", '#include "format/json.h"'),
                       ("tests/op/x.c", '#include "op/op.h"'), ("src/op/x.c", "#include <string.h>")):
        if list(faults(path, text, files)):
            sys.exit(f"layers: {text} in {path} was refused")
    LAW["src/base"].append("src/op")
    if circle() is None:
        sys.exit("layers: a planted circle in the table was not seen")
    LAW["src/base"].remove("src/op")


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.split("\n")
    files = {f for f in listed if f and (root / f).is_file()}
    self_test(files)
    bad = [f"layers: the table has a circle through {circle()}"] if circle() else []
    for path in sorted(f for f in files if SOURCE.search(f)):
        bad += [f"{path}:{line}: {why}" for line, why in faults(path, (root / path).read_text(), files)]
    print("\n".join(bad), end="\n" if bad else "")
    sys.exit(1 if bad else 0)


main()
