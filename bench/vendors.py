#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models with our kernels and with a vendor's plugin for TensorFlow, on one machine, in turns, the least of all turns. Inside:
of the fastest of the runs that were traced, the time in steps on the vendor's kernels. Those have threads of their own
(OpenMP's), which OMP_NUM_THREADS limits here as --threads does ours. With --tensorflow, a Python that has TensorFlow: in the
same turns Keras' ResNet-50, random weights; with --extended, a Python that has the plugin's wheel as well, the same there.

    bench/vendors.py COMMAND --plugin tensorflow-plugins/libitex_cpu.so [--threads N] [--turns N] [--tensorflow PYTHON]
        [--extended PYTHON] MODEL...
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

KERAS = """
import time, numpy, tensorflow as tf
tf.config.threading.set_intra_op_parallelism_threads({threads})
tf.config.threading.set_inter_op_parallelism_threads(1)
model = tf.function(tf.keras.applications.ResNet50(weights=None), jit_compile=False)
x = tf.constant(numpy.random.rand(1, 224, 224, 3).astype("f"))
times = []
for i in range(13):
    start = time.perf_counter()
    model(x, training=False).numpy()
    times.append(time.perf_counter() - start)
print(min(times[3:]) * 1e3)
"""
RUNS = 8


def run(*words, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=True, **more).stdout


def least_ms(command, model, options):
    return json.loads(run(command, "bench", model, "--json", *options))["min_ms"]


def traced(command, model, options, name):
    """Of the fastest run: milliseconds, those in steps on kernels of a plugin, numbers of such steps and of all."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        run(command, "run", model, *["-i", f"{name}=rand:1"] * RUNS, "--trace", trace, *options)
        steps = [e for e in json.loads(trace.read_text())["traceEvents"] if e.get("cat") == "step"]
    n = len(steps) // RUNS
    best = None
    for k in range(RUNS):
        own = steps[k * n:(k + 1) * n]
        theirs = [e["dur"] for e in own if not e["args"]["detail"].endswith(" of built-in")]
        total = max(e["ts"] + e["dur"] for e in own) - min(e["ts"] for e in own)
        if best is None or total < best[0]:
            best = total, sum(theirs), len(theirs), n
    return best[0] / 1e3, best[1] / 1e3, best[2], best[3]


def measure(args, model):
    name = json.loads(run(args.command, "inspect", model, "--json"))["inputs"][0]["name"]
    ours = ["--threads", args.threads]
    theirs = [*ours, "--plugin", args.plugin]
    turns = [(least_ms(args.command, model, ours), least_ms(args.command, model, theirs),
              traced(args.command, model, theirs, name)) for _ in range(args.turns)]
    total, inside, n_theirs, n = min(t[2] for t in turns)
    print(f"| {pathlib.Path(model).name} | {n} | {n_theirs} | {min(t[0] for t in turns):.3f} | {min(t[1] for t in turns):.3f} | "
          f"{total:.3f} | {inside:.3f} | {total - inside:.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--tensorflow")
    parser.add_argument("--extended")
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = args.threads
    print("| model | steps | on the plugin's kernels | our kernels, ms | with the plugin, ms | traced, ms | inside its kernels, ms | "
          "outside, ms |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for model in args.models:
        measure(args, model)
    pythons = [p for p in (args.tensorflow, args.extended) if p]
    keras = [[float(run(p, "-c", KERAS.format(threads=args.threads)).split()[-1]) for p in pythons] for _ in range(args.turns)]
    for k, python in enumerate(pythons):
        print(f"Keras' ResNet-50, {python}: {min(turn[k] for turn in keras):.1f} ms")


main()
