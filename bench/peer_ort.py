#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole models: our time over ONNX Runtime's, 1 and 2 threads, in one run.

Rounds of the two take turns, so that a busy machine hits both; each side's time is the median of its
rounds' medians. Needs numpy and onnxruntime; the command comes from --oribi.
Usage: peer_ort.py [--oribi build/bin/oribi] [--rounds 5] [--threads 1,2] [--json] MODEL.onnx ...
"""
import argparse
import json
import math
import statistics
import subprocess
import sys
import time

import numpy
import onnxruntime


def ort_session(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def ort_inputs(session):
    feeds = {}
    for value in session.get_inputs():
        shape = [d if isinstance(d, int) else 1 for d in value.shape]
        feeds[value.name] = numpy.random.default_rng(1).random(shape, dtype=numpy.float32)
    return feeds


def ort_round(session, feeds, seconds):
    times = []
    session.run(None, feeds)
    begin = time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        session.run(None, feeds)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3, len(times)


def our_round(command, path, threads, runs):
    result = subprocess.run(
        [command, "bench", path, "--threads", str(threads), "--runs", str(runs), "--json"],
        capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip() or "exit %d" % result.returncode)
    return json.loads(result.stdout)["median_ms"]


def compare(command, path, threads, rounds, seconds):
    session = ort_session(path, threads)
    feeds = ort_inputs(session)
    ours, theirs = [], []
    runs = 3
    for _ in range(rounds):
        median, runs = ort_round(session, feeds, seconds)
        theirs.append(median)
        ours.append(our_round(command, path, threads, max(3, runs)))
    return statistics.median(ours), statistics.median(theirs)


def mean_of(ratios):
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios))


def print_table(table):
    threads = sorted({row["threads"] for row in table})
    by_model = {}
    for row in table:
        by_model.setdefault(row["model"], {})[row["threads"]] = row["ratio"]
    print("| model | " + " | ".join(f"{n} thread{'s' if n > 1 else ''}" for n in threads) + " |")
    print("|---|" + "---:|" * len(threads))
    for model, ratios in by_model.items():
        print(f"| {model} | " + " | ".join(f"{ratios[n]:.2f}" for n in threads) + " |")
    means = [mean_of([r["ratio"] for r in table if r["threads"] == n]) for n in threads]
    print("| **geometric mean** | " + " | ".join(f"**{m:.2f}**" for m in means) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oribi", default="build/bin/oribi")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--table", action="store_true", help="print the page's table at the end")
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    table, failed = [], False
    for threads in [int(t) for t in args.threads.split(",")]:
        ratios = []
        for path in args.models:
            name = path.rsplit("/", 1)[-1].removesuffix(".onnx")
            try:
                ours, theirs = compare(args.oribi, path, threads, args.rounds, args.seconds)
            except (RuntimeError, ValueError) as error:
                print(f"{name}: {error}", file=sys.stderr)
                failed = True
                continue
            ratios.append(ours / theirs)
            table.append({"model": name, "threads": threads, "ours_ms": ours, "ort_ms": theirs,
                          "ratio": ours / theirs})
            if not args.json:
                print(f"{name:24} {threads} thread{'s' if threads > 1 else ' '} "
                      f"{ours:9.3f} ms  ORT {theirs:9.3f} ms  ratio {ours / theirs:5.2f}", flush=True)
        if ratios and not args.json:
            mean = mean_of(ratios)
            print(f"{'geometric mean':24} {threads} thread{'s' if threads > 1 else ' '} "
                  f"{mean:5.2f}, worst {max(ratios):5.2f}", flush=True)
    if args.json:
        json.dump(table, sys.stdout, indent=1)
    if args.table:
        print_table(table)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
