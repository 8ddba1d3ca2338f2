#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The logistic function at 256 places, as TensorFlow Lite Micro's kernels of int16 interpolate it; asked of
the interpreter's TANH, whose result under the scale 256 / 12288 is entry k of the table less 32768 at x = k.

    python3 curve_table.py micro/curve_table_s16.c     (with a Python that has tflite_micro)

Writes the table into the file, or with --check says whether it is there already."""
import pathlib
import re
import sys

import numpy as np
from tflite_micro import runtime

import model

PLACES = 255  # the last one is reached by interpolation alone


def tanh(scale, x):
    graph = model.Graph()
    for name, of in (("x", scale), ("y", 2.0 ** -15)):
        graph.add(model.Tensor(name, [1, len(x)], "i16", None, of, 0))
    graph.inputs, graph.outputs = [0], [1]
    graph.op("TANH", [0], [1])
    interpreter = runtime.Interpreter.from_bytes(model.write(graph), arena_size=1 << 16)
    interpreter.set_input(np.array([x], np.int16), 0)
    interpreter.invoke()
    return interpreter.get_output(0)[0].astype(int)


def table():
    out = [int(y) + 32768 for y in tanh(256 / 12288, range(PLACES))]
    almost = int(tanh(2 / 12288, [(254 * 256 + 254) // 2])[0]) + 32768  # 254 of 256 of the way
    candidates = [last for last in range(out[-1], 65536)
                  if (out[-1] * 256 + 254 * (last - out[-1]) + 128) >> 8 == almost]
    if len(candidates) != 1:
        sys.exit(f"curve_table.py: the last place may be {candidates}")
    return out + candidates


def main():
    path = pathlib.Path(sys.argv[1])
    text = path.read_text()
    rows = table()
    lines = "".join("    " + " ".join(f"{v}," for v in rows[i:i + 8]) + "\n" for i in range(0, 256, 8))
    new = re.sub(r"(\[256\] = \{\n)[^}]*(\};)", lambda m: m[1] + lines + m[2], text)
    if sys.argv[2:] == ["--check"]:
        sys.exit(0 if new == text else f"{path} is not the interpreter's table")
    path.write_text(new)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
