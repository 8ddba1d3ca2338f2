#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models with our kernels and with a vendor's plugin for TensorFlow, on one machine, in turns; the time inside the vendor's
kernels is that of their steps in a trace. With --tensorflow, a Python that has TensorFlow: the same with Keras' ResNet-50,
random weights, where the plugin is loaded or not as that environment has it.

    bench/vendors.py COMMAND --plugin tensorflow-plugins/libitex_cpu.so [--threads N] [--tensorflow PYTHON] MODEL...
"""
import argparse
import json
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
print(sorted(times[3:])[5] * 1e3)
"""


def run(*words, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=True, **more).stdout


def median_ms(command, model, options):
    return json.loads(run(command, "bench", model, "--json", *options))["median_ms"]


def inside_ms(command, model, options, name):
    """Of the last of four runs: time in steps on kernels of the plugin, their number, that of all steps."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        run(command, "run", model, *["-i", f"{name}=rand:1"] * 4, "--trace", trace, *options)
        steps = [e for e in json.loads(trace.read_text())["traceEvents"] if e.get("cat") == "step"]
    last = steps[len(steps) * 3 // 4:]
    theirs = [e["dur"] for e in last if not e["args"]["detail"].endswith(" of built-in")]
    return sum(theirs) / 1e3, len(theirs), len(last)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--tensorflow")
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    threads = ["--threads", args.threads]
    print("| model | steps | on the plugin's kernels | our kernels, ms | with the plugin, ms | of it inside its kernels, ms |")
    print("|---|---:|---:|---:|---:|---:|")
    for model in args.models:
        name = json.loads(run(args.command, "inspect", model, "--json"))["inputs"][0]["name"]
        with_plugin = [*threads, "--plugin", args.plugin]
        times = [(median_ms(args.command, model, threads), median_ms(args.command, model, with_plugin)) for _ in range(3)]
        ours, theirs = (sorted(t[k] for t in times)[1] for k in (0, 1))
        inside, n_theirs, n = inside_ms(args.command, model, with_plugin, name)
        print(f"| {pathlib.Path(model).name} | {n} | {n_theirs} | {ours:.3f} | {theirs:.3f} | {inside:.3f} |", flush=True)
    if args.tensorflow:
        print(f"\nKeras' ResNet-50 in that TensorFlow, ms: {run(args.tensorflow, '-c', KERAS.format(threads=args.threads)).split()[-1]}")


main()
