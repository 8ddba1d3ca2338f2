#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Load time and peak memory: ours over ONNX Runtime's, on copies of models with stored weights.

The small models of a test collection make their weights by ConstantOfShape, so they weigh nothing.
This writes copies whose weights are seeded random numbers kept in the file (embedded) or beside it
(external), in a temporary folder, one at a time, and then, in turns, a process each:

  ours  `oribi bench --runs 1 --warm-up 0 --json`: load is open plus session, peak is the whole
        process
  ORT   a Python of its own: load is InferenceSession(...), peak is that after one run less what the
        process had reached when Python, numpy and onnxruntime were imported

Needs numpy, onnx and onnxruntime. The files are in the page cache when they are read.
Usage: peer_load.py [--oribi build/bin/oribi] [--rounds 3] [--threads 1] [--json | --table] MODEL.onnx ...
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

SMALL_MIB = 16  # below, the process itself outweighs the model
ORT_CHILD = r"""
import json, resource, sys, time
import numpy, onnxruntime
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
base = peak()
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(sys.argv[2])
options.inter_op_num_threads = 1
options.log_severity_level = 3
start = time.perf_counter()
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
load = time.perf_counter() - start
feeds = {}
for value in session.get_inputs():
    shape = [d if isinstance(d, int) else 1 for d in value.shape]
    feeds[value.name] = numpy.random.default_rng(1).random(shape, dtype=numpy.float32)
session.run(None, feeds)
print(json.dumps({"load_ms": load * 1e3, "peak_kib": peak() - base}))
"""


def random_values(numpy, rng, dims, role):
    """Numbers that keep the activations of a deep net finite and normal."""
    if role == "variance":
        return rng.uniform(0.5, 1.5, dims).astype(numpy.float32)
    if role == "scale":
        return rng.uniform(0.9, 1.1, dims).astype(numpy.float32)
    values = rng.standard_normal(dims, dtype=numpy.float32)
    fan_in = math.prod(dims[1:]) if len(dims) > 1 else 10000
    values *= numpy.float32(math.sqrt(2.0 / max(fan_in, 1)))
    return values


def write_copy(source, target, external, seed):
    """Writes the copy; tells the bytes of its weights."""
    import numpy
    import onnx
    from onnx import numpy_helper

    model = onnx.load(source)
    graph = model.graph
    rng = numpy.random.default_rng(seed)
    roles, stored = {}, {i.name: i for i in graph.initializer}
    for node in graph.node:
        if node.op_type == "BatchNormalization":
            roles[node.input[1]], roles[node.input[4]] = "scale", "variance"
    kept, made = [], []
    for node in graph.node:
        shape = stored.get(node.input[0]) if node.op_type == "ConstantOfShape" else None
        if shape is None or (node.attribute and node.attribute[0].t.data_type != 1):
            kept.append(node)
            continue
        dims = [int(d) for d in numpy_helper.to_array(shape)]
        values = random_values(numpy, rng, dims, roles.get(node.output[0]))
        made.append(numpy_helper.from_array(values, node.output[0]))
    del graph.node[:]
    graph.node.extend(kept)
    read = {name for node in kept for name in node.input}
    weights = [i for i in graph.initializer if i.name in read] + made
    del graph.initializer[:]
    graph.initializer.extend(weights)
    names = {i.name for i in weights}
    inputs = [i for i in graph.input if i.name not in names and i.name in read]
    del graph.input[:]
    graph.input.extend(inputs)
    model.ir_version = max(model.ir_version, 4)  # from 4 on an initialiser need not be an input
    total = sum(len(i.raw_data) or 4 * math.prod(i.dims) for i in weights)
    onnx.save_model(model, target, save_as_external_data=external,
                    location=os.path.basename(target) + ".data", size_threshold=1024)
    return total


def in_small_parent(command):
    """Output of a command that was started by a shell: a process inherits the peak of the one that
    started it, and this one may be large."""
    result = subprocess.run(["sh", "-c", '"$@"; exit $?', "sh", *command], capture_output=True,
                            text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip()[-400:] or "exit %d" % result.returncode)
    return json.loads(result.stdout)


def measure(oribi, path, threads, rounds):
    sides = {"ours": [oribi, "bench", path, "--runs", "1", "--warm-up", "0", "--threads",
                      str(threads), "--json"],
             "ort": [sys.executable, "-c", ORT_CHILD, path, str(threads)]}
    found = {"ours": [], "ort": []}
    for _ in range(rounds):
        for side, command in sides.items():
            found[side].append(in_small_parent(command))
    row = {}
    for side, results in found.items():
        row[side + "_load_ms"] = statistics.median(r["load_ms"] for r in results)
        row[side + "_peak_mib"] = statistics.median(r["peak_kib"] for r in results) / 1024
    return row


def compare(args, source, external, folder):
    name = os.path.basename(source).removesuffix(".onnx")
    path = os.path.join(folder, name + ".onnx")
    made = subprocess.run([sys.executable, __file__, "--write", path, *(["--external"] * external),
                           source], stdout=subprocess.PIPE, text=True, check=True)
    weights = int(made.stdout) / 1048576
    row = {"model": name, "storage": "external" if external else "embedded", "weights_mib": weights}
    try:
        row.update(measure(args.oribi, path, args.threads, args.rounds))
    finally:
        for file in (path, path + ".data"):
            if os.path.exists(file):
                os.unlink(file)
    return row


def print_row(row):
    print(f"{row['model']:22} {row['storage']:8} {row['weights_mib']:7.1f} MiB  "
          f"load {row['ours_load_ms']:7.1f} ms, ORT {row['ort_load_ms']:7.1f} ms, "
          f"ratio {row['ours_load_ms'] / row['ort_load_ms']:5.2f}  "
          f"peak {row['ours_peak_mib']:7.1f} MiB, ORT {row['ort_peak_mib']:7.1f} MiB, "
          f"ratio {row['ours_peak_mib'] / row['ort_peak_mib']:5.2f}  "
          f"over weights {row['ours_peak_mib'] / row['weights_mib']:5.2f}, "
          f"ORT {row['ort_peak_mib'] / row['weights_mib']:5.2f}", flush=True)


def print_table(rows):
    """A row for each model that was measured in both ways."""
    print("| model | weights, MiB | load, ms: embedded | external | peak, MiB: embedded | external | peak over weights |\n"
          "|---|---|---|---|---|---|---|")
    by_model = {}
    for row in rows:
        by_model.setdefault(row["model"], {})[row["storage"]] = row
    columns = {}
    for model, kinds in by_model.items():
        cells = []
        for what in ("load_ms", "peak_mib"):
            for kind in ("embedded", "external"):
                mine, peer = (kinds[kind][f"{side}_{what}"] for side in ("ours", "ort"))
                columns.setdefault((what, kind), []).append(mine / peer)
                cells.append(f"{mine:.0f}, ORT {peer:.0f}: {mine / peer:.2f}")
        weights = kinds["embedded"]["weights_mib"]
        mine = max(row["ours_peak_mib"] for row in kinds.values()) / weights
        peer = min(row["ort_peak_mib"] for row in kinds.values()) / weights
        over = f"{mine:.2f}, ORT {peer:.2f}" if weights > SMALL_MIB else "small"
        print(f"| {model} | {weights:.1f} | {' | '.join(cells)} | {over} |")
    means = [f"{math.exp(statistics.fmean(map(math.log, ratios))):.2f}, {max(ratios):.2f}" for ratios in columns.values()]
    print(f"| **geometric mean, worst** | | {' | '.join(means)} | |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oribi", default="build/bin/oribi")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--storage", default="embedded,external")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--table", action="store_true", help="print the page's table at the end")
    parser.add_argument("--write", metavar="FILE", help="only write the copy, and tell its weights")
    parser.add_argument("--external", action="store_true", help="with --write")
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    if args.write:
        print(write_copy(args.models[0], args.write, args.external, 1))
        return 0
    table, failed = [], False
    with tempfile.TemporaryDirectory(prefix="oribi-load-") as folder:
        for source in args.models:
            for storage in args.storage.split(","):
                try:
                    table.append(compare(args, source, storage == "external", folder))
                except (RuntimeError, ValueError, subprocess.CalledProcessError) as error:
                    print(f"{source}, {storage}: {error}", file=sys.stderr)
                    failed = True
                    continue
                if not args.json:
                    print_row(table[-1])
    if args.json:
        json.dump(table, sys.stdout, indent=1)
    if args.table and table and not failed:
        print_table(table)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
