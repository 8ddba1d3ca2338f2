#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""int8 models on one thread against TensorFlow Lite's interpreter (XNNPACK on): least time over least time, the
two sides in turn. Needs a Python with numpy and LiteRT (ai-edge-litert), or else tensorflow.

    peer_tflite.py [--oribi build/bin/oribi] [--rounds 5] [--runs 200] MODEL.tflite...
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import numpy as np
    try:
        from ai_edge_litert.interpreter import Interpreter
    except ImportError:
        from tensorflow.lite import Interpreter
except ImportError:
    sys.exit("skipped: this Python has neither ai-edge-litert nor tensorflow")


def ours(oribi, model, runs):
    done = subprocess.run([oribi, "bench", model, "--threads", "1", "--runs", str(runs), "--json"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["min_ms"]


def theirs(model, runs):
    peer = Interpreter(model_path=str(model), num_threads=1)
    peer.allocate_tensors()
    rng = np.random.default_rng(1)
    for port in peer.get_input_details():
        peer.set_tensor(port["index"], rng.integers(-128, 128, port["shape"]).astype(port["dtype"]))
    best = float("inf")
    for _ in range(runs):
        begin = time.perf_counter()
        peer.invoke()
        best = min(best, time.perf_counter() - begin)
    return 1000 * best


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--oribi", type=pathlib.Path, default=pathlib.Path("build/bin/oribi"))
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--runs", type=int, default=200)
    options.add_argument("models", type=pathlib.Path, nargs="+")
    given = options.parse_args()
    print("| model | Oribi, ms | TensorFlow Lite, ms | ratio |\n|---|---:|---:|---:|")
    for model in given.models:
        rounds = [(ours(given.oribi, model, given.runs), theirs(model, given.runs)) for _ in range(given.rounds)]
        mine, peer = (min(times) for times in zip(*rounds))
        print(f"| {model.stem} | {mine:.3f} | {peer:.3f} | {mine / peer:.2f} |")


main()
