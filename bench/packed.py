#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packed files (`oribi pack`) against the models they were made of: load, the first run, memory.

Models are copies with stored random weights, as in peer_load.py. In turns, a process each, files in
the page cache: `oribi bench --runs N --warm-up 0` of the model and of its packed file; load is open
plus session, the least of the rounds; `first` the first run over the median of those that follow,
the median of the rounds.

Needs numpy and onnx for the copies.
Usage: packed.py [--oribi build/bin/oribi] [--rounds 5] [--runs 5] [--threads 1] MODEL.onnx ...
       packed.py ... | bench/page.py packed
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def bench(args, path):
    out = subprocess.run([args.oribi, "bench", path, "--runs", str(args.runs), "--warm-up", "0",
                          "--threads", str(args.threads), "--json"], capture_output=True, text=True,
                         check=True).stdout
    row = json.loads(out)
    row["first"] = row["first_ms"] / row["median_ms"]
    return row


def touch(path):
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def measure(args, source, folder):
    name = os.path.basename(source).removesuffix(".onnx").removeprefix("light_")
    plain, packed = os.path.join(folder, name + ".onnx"), os.path.join(folder, name + ".oribi")
    subprocess.run([sys.executable, os.path.join(HERE, "peer_load.py"), "--write", plain, source],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([args.oribi, "pack", plain, "-o", packed], check=True, stderr=subprocess.DEVNULL)
    found = {plain: [], packed: []}
    for path in found:
        touch(path)
    for _ in range(args.rounds):
        for path, rows in found.items():
            rows.append(bench(args, path))
    sizes = [os.path.getsize(path) / 1048576 for path in (plain, packed)]
    for path in found:
        os.unlink(path)

    def all_of(path, key, pick):
        return pick(row[key] for row in found[path])

    print("| %s | %.1f, %.1f | %.1f, **%.1f** | %.2f, **%.2f** |" % (
        name, *sizes, all_of(plain, "load_ms", min), all_of(packed, "load_ms", min),
        all_of(plain, "first", statistics.median), all_of(packed, "first", statistics.median)),
          flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--oribi", default="build/bin/oribi")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    print("| model | file, MiB: model, packed | load, ms: model, packed | first run over the median of "
          "later ones: model, packed |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for source in args.models:
            measure(args, source, folder)


main()
