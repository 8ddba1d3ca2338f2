#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tensors around the sizes at which arithmetic wraps: each is refused, and nothing large is taken.

    sizes_test.py ORIBI

Every way to ask for a size (a constant shape, a shape that is computed, a product of repeats, of
paddings, of two inputs) meets every element size and counts around 2^31, 2^32, 2^62, 2^63 and 2^64
bytes. What can be had may be computed; what cannot must end in an error within seconds.
"""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import onnx_lite as o  # noqa: E402

ORIBI = pathlib.Path(sys.argv[1]).resolve()
SANITIZED = os.environ.get("ORIBI_SANITIZED") == "1"
CRASH = r"Sanitizer|runtime error:|0x(?:5[5-6]|7[ef])[0-9a-f]{10}\b|\b(?:9[3-4]\d{12}|1(?:3[89]|40)\d{12})\b"
TYPES = {"u8": (2, 1), "i16": (5, 2), "f16": (10, 2), "f32": (1, 4), "i64": (7, 8), "f64": (11, 8)}
MOST = 256 << 20  # bytes that a run may have at its peak


def ints(name, values):
    return o.tensor(name, np.array(values, np.int64))


def scalar(name, value):
    return o.tensor(name, np.array(value, np.int64))


def counts(size):
    for power in (62, 63, 64):
        for less in (1, 8, 63, 64, 65, 127, 4096):
            yield ((1 << power) - less) // size
    yield from ((1 << 63) // size, (1 << 63) - 1, (1 << 62) + 1, (1 << 40) // size)


def fits(n):
    return min(n, (1 << 63) - 1)


def halves(n):
    """Two factors of about n."""
    return [1 << 31, max(1, n >> 31)]


def expand(n):
    return [o.node("Expand", ["t", "s"], ["y"])], [ints("s", [fits(n)])], None


def expand_of_two(n):
    return [o.node("Expand", ["t", "s"], ["y"])], [ints("s", halves(n))], None


def expand_computed(n):
    return [o.node("Expand", ["t", "s"], ["y"])], [], ("s", [fits(n)])


def tile(n):
    return [o.node("Tile", ["t", "s"], ["y"])], [ints("s", [fits(n)])], None


def tile_computed(n):
    return [o.node("Tile", ["t", "s"], ["y"])], [], ("s", [fits(n)])


def pad(n):
    return [o.node("Pad", ["t", "s"], ["y"])], [ints("s", [fits(n) // 2] * 2)], None


def fill(n):
    return [o.node("ConstantOfShape", ["s"], ["f"]), o.node("CastLike", ["f", "t"], ["y"])], \
        [ints("s", [fits(n)])], None


def fill_computed(n):
    return [o.node("ConstantOfShape", ["s"], ["f"]), o.node("Cast", ["f"], ["c"], to=1),
            o.node("ReduceMax", ["c"], ["m"], keepdims=0), o.node("CastLike", ["m", "t"], ["y"])], \
        [], ("s", [fits(n)])


def counted(n):
    return [o.node("Range", ["a", "b", "c"], ["r"]), o.node("CastLike", ["r", "t"], ["y"])], \
        [scalar("a", 0), scalar("b", fits(n)), scalar("c", 1)], None


def outer(n):
    """Two vectors that broadcast to a matrix which nothing could hold."""
    return [o.node("Expand", ["t", "s"], ["p"]), o.node("Reshape", ["p", "column"], ["q"]),
            o.node("Equal", ["p", "q"], ["y"])], [ints("s", [1 << 20]), ints("column", [-1, 1])], None


def one_hot(n):
    return [o.node("Cast", ["t"], ["i"], to=7), o.node("OneHot", ["i", "s", "v"], ["y"])], \
        [scalar("s", fits(n)), o.tensor("v", np.array([0, 1], np.float32))], None


def chain(n):
    """Constants of one element that stand for many, through ops that fold."""
    return [o.node("Expand", ["t", "s"], ["p"]), o.node("Neg", ["p"], ["q"]),
            o.node("Concat", ["p", "q"], ["c"], axis=0), o.node("ReduceMax", ["c"], ["y"], keepdims=0)], \
        [ints("s", [fits(n)])], None


def run(folder, name, make, element, n):
    nodes, weights, more = make(n)
    nodes = [o.node("Cast", ["x"], ["t"], to=element)] + nodes
    inputs = [o.info("x", [1])] + ([o.info(more[0], [len(more[1])], 7)] if more else [])
    (folder / "m.onnx").write_bytes(o.model(nodes, inputs, [o.field(1, "y")], weights, opset=15))
    np.save(folder / "x.npy", np.ones(1, np.float32))
    arguments = ["-i", "x=@x.npy"]
    if more:
        np.save(folder / "s.npy", np.array(more[1], np.int64))
        arguments += ["-i", "s=@s.npy"]
    command = [ORIBI, "run", "m.onnx", *arguments, "--max-bytes", "64m", "--time-limit", "5000"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60)
    text = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode not in (3, 4, 5) or re.search(CRASH, text) or not text.strip():
        return f"{name}, {n} elements: ended with {done.returncode}: {text[:400]}"
    return None


def main():
    bad = total = 0
    makes = (expand, expand_of_two, expand_computed, tile, tile_computed, pad, fill, fill_computed, counted,
             outer, one_hot, chain)
    types = ["i16", "f32"] if SANITIZED else TYPES
    with tempfile.TemporaryDirectory() as scratch:
        for make in makes:
            for i, type_name in enumerate(types):
                element, size = TYPES[type_name]
                for n in list(counts(size))[i % 3::3]:
                    said = run(pathlib.Path(scratch), f"{make.__name__} of {type_name}", make, element, n)
                    total += 1
                    if said:
                        print(said)
                        bad += 1
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    if peak > MOST and not SANITIZED:
        print(f"a run took {peak} bytes")
        bad += 1
    print(f"{total} models, {bad} faults")
    sys.exit(1 if bad else 0)


main()
