#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The committed layouts of tests/abi/contract.abi against TensorFlow's own C headers: each struct member's
offset, each size and each enumerator that TensorFlow has too becomes an assertion that g++ checks. Then
one number of each kind is changed, and its assertion must fail.

    python layout.py SOURCE_FOLDER        77 without tensorflow 2.16
"""
import os
import pathlib
import re
import subprocess
import sys

BASELINE = "2.16."
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import tensorflow as tf
except ImportError:
    print("skipped: no tensorflow in this Python")
    sys.exit(77)

HEADERS = ["c_api.h", "c_api_experimental.h", "env.h", "kernels.h", "kernels_experimental.h", "logging.h", "ops.h",
           "tf_buffer.h", "tf_tensor.h", "tf_tstring.h", "experimental/grappler/grappler.h",
           "experimental/pluggable_profiler/pluggable_profiler.h",
           "experimental/stream_executor/stream_executor.h"]
FEWEST = {"struct": 120, "size": 15, "enum": 50}


def words_of(include):
    """Every identifier of TensorFlow's C headers."""
    words = set()
    for folder in ("tensorflow/c", "tensorflow/core/platform", "tsl/c", "tsl/platform", "xla/tsl/c"):
        for path in (include / folder).rglob("*.h"):
            text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", path.read_text(errors="replace"), flags=re.S)
            words |= set(re.findall(r"\w+", text))
    return words


def assertions(lines, known):
    """kind: list of (what, number, expression)"""
    found = {kind: [] for kind in FEWEST}
    for line in lines:
        kind, rest = line.split(" ", 1)
        fields = rest.split(" ", 2)
        if kind == "struct":
            name, member = fields[0].split(".", 1)
            if name in known and name.startswith(("TF_", "TP_", "TSL_", "SE_", "SP_")):
                found[kind].append((fields[0], int(fields[1]), f"8 * offsetof({name}, {member})"))
        elif kind == "size" and fields[0] in known:
            found[kind].append((fields[0], int(fields[1]), f"sizeof({fields[0]})"))
        elif kind == "enum":
            name = fields[0].split(".")[1]
            if name in known:
                found[kind].append((name, int(fields[1]), f"static_cast<long long>({name})"))
    return found


def holds(include, rows):
    text = "#include <cstddef>\n" + "".join(f'#include "tensorflow/c/{h}"\n' for h in HEADERS)
    text += "".join(f'static_assert({value} == {number}, "{what}");\n' for what, number, value in rows)
    done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-w", "-I", include, "-x", "c++", "-"], input=text,
                          text=True, capture_output=True)
    return done.returncode == 0, done.stderr


def main():
    if not tf.__version__.startswith(BASELINE):
        print(f"skipped: the baseline is tensorflow {BASELINE}x, here is {tf.__version__}")
        sys.exit(77)
    include = pathlib.Path(tf.sysconfig.get_include())
    lines = (pathlib.Path(sys.argv[1]) / "tests/abi/contract.abi").read_text().splitlines()
    found = assertions(lines, words_of(include))
    ok, errors = holds(include, [row for rows in found.values() for row in rows])
    if not ok:
        sys.exit(f"layout: differs from tensorflow {tf.__version__}:\n{errors[:4000]}")
    for kind, rows in found.items():
        print(f"{kind}: {len(rows)} as in tensorflow {tf.__version__}")
        if len(rows) < FEWEST[kind]:
            sys.exit(f"layout: only {len(rows)} of {kind} are compared")
        what, number, value = rows[0]
        if holds(include, [(what, number + 8, value)])[0]:
            sys.exit(f"layout: the planted fault in {kind} {what} was not seen")


main()
