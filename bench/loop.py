#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A loop of 10,000 iterations over two additions, beside ONNX Runtime: what an iteration costs.

usage: loop.py ORIBI [RUNS]     with a Python that has onnx, onnxruntime and numpy

Both on one thread, turn by turn; the least of all runs counts, as in performance.md.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy
import onnx.parser
import onnxruntime

MODEL = '''<ir_version: 8, opset_import: ["" : 17]>
loop (int64 n, float[64] x) => (float[64] y) {
  y = Loop <body = b (int64 i, bool c, float[64] a) => (bool c, float[64] d) {
     t = Add(a, x)
     d = Add(t, x)
  }> (n, , x)
}'''


def peer(path, feeds):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def once():
        start = time.perf_counter()
        session.run(None, feeds)
        return (time.perf_counter() - start) * 1e3
    return once


def main():
    command, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    feeds = {"n": numpy.array(10000, dtype=numpy.int64), "x": numpy.ones(64, dtype=numpy.float32)}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "loop.onnx")
        onnx.save(onnx.parser.parse_model(MODEL), path)
        inputs = []
        for name, value in feeds.items():
            numpy.save(os.path.join(folder, name + ".npy"), value)
            inputs += ["-i", f"{name}=@{folder}/{name}.npy"]
        once = peer(path, feeds)
        ours, theirs = [], []
        for _ in range(rounds):
            theirs += [once() for _ in range(20)]
            told = subprocess.run([command, "bench", path, *inputs, "-t", "1", "-n", "20", "--json"],
                                  capture_output=True, text=True, check=True).stdout
            ours.append(json.loads(told)["min_ms"])
    print(f"oribi {min(ours):.2f} ms, ONNX Runtime {min(theirs):.2f} ms, ratio {min(ours) / min(theirs):.2f}")
    sys.exit(min(ours) > 0.5 * min(theirs))


main()
