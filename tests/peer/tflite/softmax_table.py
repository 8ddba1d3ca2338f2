#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of softmax of int16 by TensorFlow Lite's recipe, in float32 as TensorFlow Lite Micro has it: 512
places and the end, each rounded, less half of what interpolation is off in the middle of what follows.

    python3 softmax_table.py micro/softmax_table_s16.c     (with a Python that has numpy)

Writes the tables into the file, or with --check says whether they are there already, and that the same in
double differs in the two places of micro/softmax_table_s16.h alone."""
import math
import pathlib
import re
import sys

import numpy as np


def rounded(value, kind):
    return kind(math.floor(abs(float(value)) + 0.5) * (1 if value >= 0 else -1))


def table(scale, zero, function, kind):
    """kind: np.float32 or np.float64, of every operation. Results are in steps of 2 / 65535."""
    scale, step_out = kind(scale) / kind(65535), kind(2) / kind(65535)
    low, high = scale * kind(-32768 - zero), scale * kind(32767 - zero)
    step = (high - low) / kind(512)
    inverse = kind(65536) / (step_out * kind(32767) - step_out * kind(-32768))
    out = []
    for i in range(512):
        at = low + kind(i) * step
        here, after = function(at) * inverse, function(low + kind(i + 1) * step) * inverse
        middle = rounded(function(at + step / kind(2)) * inverse, kind)
        off = rounded((after + rounded(here, kind)) / kind(2), kind) - middle
        out.append(rounded(here, kind) - rounded(off / kind(2), kind))
    out.append(rounded(function(high) * inverse, kind))
    return [int(min(max(value, -32768), 32767)) for value in out]


def both(kind):
    return (table(10, 32767, lambda x: kind(math.exp(float(x))), kind),
            table(1, -32768, lambda x: kind(1) / (kind(1) + x), kind))


def main():
    path = pathlib.Path(sys.argv[1])
    text = new = path.read_text()
    tables = both(np.float32)
    for name, rows in zip(("exp", "reciprocal"), tables):
        lines = "".join("    " + " ".join(f"{v}," for v in rows[i:i + 12]) + "\n" for i in range(0, 513, 12))
        new = re.sub(rf"({name}_table_s16\[513\] = \{{\n)[^}}]*(\}};)", lambda m: m[1] + lines + m[2], new)
    if sys.argv[2:] != ["--check"]:
        path.write_text(new)
        return
    differ = [[(i, b - a) for i, (a, b) in enumerate(zip(x, y)) if a != b] for x, y in zip(tables, both(float))]
    if new != text or differ != [[], [(160, 1), (294, -1)]]:
        sys.exit(f"{path} is not what the recipe gives, or double differs elsewhere: {differ}")


if __name__ == "__main__":
    main()
