#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models on a plugin's device beside our own CPU kernels: least times, in turns, a process each.

For each model, `--rounds` times in turns: `oribi bench --json` on the CPU and with --device. A row
has the least run of all rounds on both sides (what a busy machine disturbs least), their ratio, and
how many copies a run makes. With --cold also the seconds of one `oribi run` with empty caches (ours
and PoCL's, in a temporary folder: every program is compiled) and of the next one. Ends with 1 when a
ratio is above --limit.

Usage: device.py [--oribi build/bin/oribi] [--plugin build/plugins/oribi_opencl.so] [--device OPENCL]
                 [--threads 2] [--rounds 3] [--runs 10] [--limit RATIO] [--cold] [--json] MODEL.onnx ...
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time


def bench(args, model, device):
    command = [args.oribi, "bench", model, "--json", "--threads", str(args.threads), "--runs", str(args.runs)]
    done = subprocess.run(command + device, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command + device)}: {done.stderr.strip()}")
    return json.loads(done.stdout)["min_ms"]


def count_copies(args, model, device):
    command = [args.oribi, "inspect", model, "--copies", *device]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return sum(line.split()[1:3] in (["to", "device"], ["to", "host"]) for line in done.stdout.splitlines())


def time_starts(args, model, device):
    """Seconds of a process that compiles all programs, and of the next one, which finds them."""
    command = [args.oribi, "run", model, "-i", "0=rand:1", "--threads", str(args.threads), *device]
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, XDG_CACHE_HOME=folder, POCL_CACHE_DIR=os.path.join(folder, "pocl"))
        seconds = []
        for _ in range(2):
            start = time.perf_counter()
            subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
            seconds.append(time.perf_counter() - start)
    return seconds


def measure(args, model):
    device = ["--plugin", args.plugin, "--device", args.device]
    sides = [[], []]
    for _ in range(args.rounds):
        for side, extra in zip(sides, ([], device)):
            side.append(bench(args, model, extra))
    row = {"model": os.path.splitext(os.path.basename(model))[0], "cpu_ms": min(sides[0]), "device_ms": min(sides[1])}
    row["ratio"] = row["device_ms"] / row["cpu_ms"]
    row["copies"] = count_copies(args, model, device)
    if args.cold:
        row["cold_s"], row["warm_s"] = time_starts(args, model, device)
    return row


def show(row):
    text = f"| {row['model']} | {row['cpu_ms']:.3f} | {row['device_ms']:.3f} | {row['ratio']:.2f} | {row['copies']} |"
    if "cold_s" in row:
        text += f" {row['cold_s']:.2f} | {row['warm_s']:.2f} |"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--oribi", default="build/bin/oribi")
    parser.add_argument("--plugin", default="build/plugins/oribi_opencl.so")
    parser.add_argument("--device", default="OPENCL")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--limit", type=float)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = []
    if not args.json:
        print("| model | CPU ms | device ms | ratio | copies |" + (" cold s | warm s |" if args.cold else "")
              + "\n|---|---:|---:|---:|---:|" + ("---:|---:|" if args.cold else ""))
    for model in args.models:
        rows.append(measure(args, model))
        if not args.json:
            print(show(rows[-1]), flush=True)
    if args.json:
        print(json.dumps(rows))
    return 1 if args.limit is not None and any(row["ratio"] > args.limit for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
