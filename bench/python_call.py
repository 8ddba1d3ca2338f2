#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What does a call from Python cost above the same call in C?

    python_call.py BUILD [ROUNDS]      BUILD: a build folder

One Add of 16 floats, one thread, processor time of the thread (others on the machine do not count), the least of many rounds of 1,000
calls, C and Python in turns.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(sys.argv[1]).resolve()
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 30
CALLS = 1000
os.environ.setdefault("ORIBI_LIBRARY", str(BUILD / "lib/liboribi.so.1"))
sys.path[:0] = [str(SOURCE / "python"), str(SOURCE / "tests/python/suite")]
import support  # noqa: E402
from support import add, numpy, oribi  # noqa: E402


def least(call):
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.thread_time_ns()
        for _ in range(CALLS):
            call()
        best = min(best, (time.thread_time_ns() - start) / CALLS)
    return best


def main():
    session = oribi.Session(add((16,)), threads=1)
    x, y = oribi.tensor([1.0] * 16, dtype="float32"), oribi.tensor([2.0] * 16, dtype="float32")
    out = oribi.empty((16,))
    cases = [("oribi.Tensor in, oribi.Tensor or array out", {"x": x, "y": y}, {})]
    cases += [("the same, result into `out`", {"x": x, "y": y}, {"out": {"z": out}})]
    if numpy is not None:
        a, b = numpy.ones(17, "f4"), numpy.ones(17, "f4")
        shift = 1 if a.ctypes.data % 64 == 0 else 0
        cases += [("aligned arrays, the same ones again", {"x": x.numpy(), "y": y.numpy()}, {}),
                  ("arrays that are not aligned, the same again", {"x": a[shift:16 + shift], "y": b[shift:16 + shift]}, {})]
    with tempfile.TemporaryDirectory() as work:
        model, program = pathlib.Path(work, "add.onnx"), pathlib.Path(work, "python_call")
        model.write_bytes(add((16,)))
        subprocess.run(["cc", "-O2", f"-I{BUILD}/include/oribi", f"-I{BUILD}/include", SOURCE / "bench/python_call.c", "-o", program,
                        f"-L{BUILD}/lib", "-loribi", f"-Wl,-rpath,{BUILD}/lib"], check=True)
        c = []
        found = {}
        for name, inputs, options in cases:
            c.append(float(subprocess.run([program, model, str(ROUNDS), str(CALLS)], check=True, capture_output=True).stdout))
            found[name] = least(lambda: session.run(inputs, **options))
        base = min(c)
        print(f"{'C':48} {base / 1e3:6.2f} us")
        for name, ns in found.items():
            print(f"{name:48} {ns / 1e3:6.2f} us   {(ns - base) / 1e3:6.2f} us above C")


main()
