#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layer by layer: where do we lose to ONNX Runtime, and where do we win?

The two name and order layers differently, so those of equal work (operations of convolutions and products, which both
sides' shapes give) are one row; everything else is a row of its own for each kind of operator. Rounds of the two take
turns; a layer's time is the least of all its runs. Needs numpy and onnxruntime; the command comes from --oribi.
Usage: peer_layers.py [--oribi build/bin/oribi] [--rounds 5] [--runs 8] [--threads 1] MODEL.onnx ...
"""
import argparse
import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile

from peer_ort import ort_inputs

PRODUCTS = ("conv", "gemm", "matmul")
KINDS = ("pool", "concat", "transpose", "softmax", "norm", "reorder", "add", "mul", "relu", "clip", "resize", "gather")


def kind_of(op):
    return next((k for k in KINDS if k in op.lower()), op)


def key_of(op, operations):
    is_product = operations > 0 and any(p in op.lower() for p in PRODUCTS)
    return ("product", round(operations)) if is_product else ("", kind_of(op))


def our_round(command, path, threads, runs, times):
    done = subprocess.run([command, "bench", path, "--threads", str(threads), "--runs", str(runs), "--profile", "--json"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"exit {done.returncode}")
    for step in json.loads(done.stdout)["profile"]["steps"]:
        name = (step["node"], key_of(step["op"], step["operations"]))
        times[name] = min(times.get(name, math.inf), step["least_ms"])


def operations_of(event):
    """Of a convolution or a product, two for each multiplication."""
    shapes = [next(iter(s.values())) for s in event["args"]["input_type_shape"]]
    outputs = [next(iter(s.values())) for s in event["args"]["output_type_shape"]]
    op = event["args"]["op_name"].lower()
    if "conv" in op:
        return 2 * math.prod(outputs[0]) * math.prod(shapes[1][1:])
    if any(p in op for p in PRODUCTS):
        return 2 * math.prod(outputs[0]) * shapes[0][-1]
    return 0


def their_round(onnxruntime, path, threads, runs, times):
    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.log_severity_level, options.enable_profiling = 3, True
        options.profile_file_prefix = str(pathlib.Path(folder) / "profile")
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        feeds = ort_inputs(session)
        for _ in range(runs + 3):
            session.run(None, feeds)
        events = json.loads(pathlib.Path(session.end_profiling()).read_text())
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            name = (event["args"]["node_index"], key_of(event["args"]["op_name"], operations_of(event)))
            times[name] = min(times.get(name, math.inf), event["dur"] / 1e3)


def rows_of(times):
    """(summed ms, how many steps, a name) of each key."""
    rows = collections.defaultdict(lambda: [0.0, 0, ""])
    for (name, key), ms in times.items():
        row = rows[key]
        row[0], row[1], row[2] = row[0] + ms, row[1] + 1, row[2] or name
    return rows


def table(ours, theirs):
    mine, peer = rows_of(ours), rows_of(theirs)
    total = [sum(r[0] for r in rows.values()) for rows in (mine, peer)]
    print(f"{'layers of equal work':34} {'steps':>7} {'ours':>8} {'peer':>8} {'ratio':>6} {'lost ms':>8} {'GFLOP/s':>8} {'peer':>7}")
    none = [0.0, 0, ""]
    for key in sorted({*mine, *peer}, key=lambda k: peer.get(k, none)[0] - mine.get(k, none)[0]):
        a, b = mine.get(key, none), peer.get(key, none)
        what = f"{a[2] or b[2]}, {key[1] / 1e6:.1f} MFLOP" if key[0] else key[1]
        rates = [f"{key[1] * r[1] / r[0] / 1e6:.1f}" if key[0] and r[0] > 0 else "" for r in (a, b)]
        ratio = f"{a[0] / b[0]:.2f}" if a[0] > 0 and b[0] > 0 else ""
        print(f"{what[:34]:34} {f'{a[1]}/{b[1]}':>7} {a[0]:8.3f} {b[0]:8.3f} {ratio:>6} {a[0] - b[0]:8.3f} {rates[0]:>8} {rates[1]:>7}")
    print(f"{'all':34} {f'{len(ours)}/{len(theirs)}':>7} {total[0]:8.3f} {total[1]:8.3f} {total[0] / total[1]:6.2f}")


def main():
    import onnxruntime

    parser = argparse.ArgumentParser()
    parser.add_argument("--oribi", default="build/bin/oribi")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    for path in args.models:
        ours, theirs = {}, {}
        for _ in range(args.rounds):
            our_round(args.oribi, path, args.threads, args.runs, ours)
            their_round(onnxruntime, path, args.threads, args.runs, theirs)
        print(f"\n{path}: {args.threads} thread(s), ONNX Runtime {onnxruntime.__version__}, least of {args.rounds} x {args.runs}")
        table(ours, theirs)


if __name__ == "__main__":
    sys.exit(main())
