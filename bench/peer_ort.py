#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole models: our time over ONNX Runtime's and, with --openvino, over OpenVINO's.

Each process has all libraries in it and lets them take turns; ourselves stand beside ourselves, a second session of
the same model, so that a reader sees what a difference means. A ratio is least over least of all processes' runs, and
median over median of their medians. --batch N changes the models' first dimension. --neighbour measures each turn
twice, alone and while another process streams through 256 MiB of memory, and shows how much slower each side became.
--cpu-time counts the time of the calling thread alone, so that other work on the machine takes nothing but caches and
memory from it: for one thread (OpenVINO computes on a thread of its own, and is left out).
Needs numpy, onnx and onnxruntime. The library is the one beside the command of --oribi.
Usage: peer_ort.py [--oribi build/bin/oribi] [--processes 8] [--seconds 0.3] [--threads 1,2] [--batch 1,8]
                   [--openvino] [--neighbour] [--json | --table] MODEL.onnx ...
"""
import argparse
import contextlib
import ctypes
import json
import math
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

OURS, AGAIN, ORT, OPENVINO = "oribi", "oribi again", "onnxruntime", "openvino"
TURN_SECONDS, REST_SECONDS = 0.04, 0.003  # a rest: a peer's threads stop spinning


def ort_session(path, threads):
    import onnxruntime
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


def ort_run(path, threads, feeds):
    session = ort_session(path, threads)
    return lambda: session.run(None, feeds)


def openvino_run(path, threads, feeds):
    import openvino
    core = openvino.Core()
    compiled = core.compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": "1",
                                                "INFERENCE_NUM_THREADS": str(threads),
                                                "PERFORMANCE_HINT": "LATENCY"})
    request = compiled.create_infer_request()
    for name, value in feeds.items():
        request.set_tensor(name, openvino.Tensor(value))

    def run():
        request.start_async()
        request.wait()
    return run


class Library:
    """As much of oribi.h as a benchmark needs."""

    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        for name in ("TF_NewStatus", "oribi_options_create", "oribi_model_open", "oribi_session_create", "oribi_run_create",
                     "TF_AllocateTensor", "TF_TensorData"):
            getattr(self.c, name).restype = ctypes.c_void_p
        self.c.TF_Message.restype = self.c.oribi_model_input_name.restype = ctypes.c_char_p
        self.status = ctypes.c_void_p(self.c.TF_NewStatus())

    def made(self, name, *args):
        result = getattr(self.c, name)(*args, self.status)
        if self.c.TF_GetCode(self.status) != 0:
            raise RuntimeError(self.c.TF_Message(self.status).decode())
        return ctypes.c_void_p(result)

    def run(self, path, threads, feeds):
        options = self.made("oribi_options_create")
        self.c.oribi_options_set_threads(options, threads)
        model = self.made("oribi_model_open", str(path).encode(), options)
        run = self.made("oribi_run_create", self.made("oribi_session_create", model, options))
        for i in range(self.c.oribi_model_num_inputs(model)):
            value = feeds[self.c.oribi_model_input_name(model, i).decode()]
            dims = (ctypes.c_int64 * value.ndim)(*value.shape)
            tensor = ctypes.c_void_p(self.c.TF_AllocateTensor(1, dims, value.ndim, ctypes.c_size_t(value.nbytes)))
            ctypes.memmove(self.c.TF_TensorData(tensor), value.ctypes.data, value.nbytes)
            self.made("oribi_run_set_input", run, i, tensor)
        execute, status = self.c.oribi_run_execute, self.status
        self.made("oribi_run_execute", run)
        return lambda: execute(run, status)


def with_batch(path, batch, folder):
    """The model for a batch: its inputs, outputs and the shapes of its Reshape nodes begin with it."""
    import onnx
    model = onnx.load(path)
    values = {i.name: i for i in model.graph.initializer}
    del model.graph.value_info[:]
    for value in [*model.graph.input, *model.graph.output]:
        dims = value.type.tensor_type.shape.dim
        if value.name not in values and dims and dims[0].dim_value == 1:
            dims[0].dim_value = batch
    for name in {n.input[1] for n in model.graph.node if n.op_type == "Reshape" and n.input[1] in values}:
        shape = onnx.numpy_helper.to_array(values[name]).copy()
        if shape[0] == 1:
            shape[0] = batch
            values[name].CopyFrom(onnx.numpy_helper.from_array(shape, name))
    out = pathlib.Path(folder) / pathlib.Path(path).name
    onnx.save(model, str(out))
    return str(out)


class Neighbour:
    """Another process that streams through memory, or is stopped."""

    def __init__(self):
        code = "import numpy\na = numpy.zeros(1 << 26, numpy.float32)\nwhile True: numpy.add(a, 1, out=a)"
        self.process = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        self.set(False)

    def set(self, is_busy):
        self.process.send_signal(signal.SIGCONT if is_busy else signal.SIGSTOP)
        time.sleep(0.01)

    def end(self):
        self.process.kill()
        self.process.wait()


def turn(run, seconds, clock=time.perf_counter):
    time.sleep(REST_SECONDS)
    run()
    times, begin = [], time.perf_counter()
    while not times or time.perf_counter() - begin < seconds:
        start = clock()
        run()
        times.append((clock() - start) * 1e3)
    return times


def work(args, path):
    """One process of one model: {side: [least, median]} of each kind of turn, as JSON."""
    feeds = ort_inputs(ort_session(path, 1))
    library = Library(str(pathlib.Path(args.oribi).resolve().parent.parent / "lib/liboribi.so"))
    threads = int(args.threads)
    clock = time.thread_time if args.cpu_time else time.perf_counter
    runs = {OURS: library.run(path, threads, feeds), ORT: ort_run(path, threads, feeds),
            AGAIN: library.run(path, threads, feeds)}
    if args.openvino:
        runs[OPENVINO] = openvino_run(path, threads, feeds)
    neighbour = Neighbour() if args.neighbour else None
    kinds = ("alone", "busy") if neighbour else ("alone",)
    times = {kind: {side: [] for side in runs} for kind in kinds}
    end = time.perf_counter() + args.seconds * len(runs) * len(kinds)
    while not times["alone"][ORT] or time.perf_counter() < end:
        for kind in kinds:
            if neighbour:
                neighbour.set(kind == "busy")
            for side, run in runs.items():
                times[kind][side] += turn(run, TURN_SECONDS, clock)
    if neighbour:
        neighbour.end()
    json.dump({kind: {side: [min(t), statistics.median(t)] for side, t in sides.items()}
               for kind, sides in times.items()}, sys.stdout)


def measure(args, path, threads):
    """[least, median] of each kind of turn and side, over all processes."""
    command = [sys.executable, __file__, "--work", "--oribi", args.oribi, "--seconds", str(args.seconds),
               "--threads", str(threads), path]
    command += [option for option in ("--openvino", "--neighbour", "--cpu-time")
                if getattr(args, option[2:].replace("-", "_"))]
    parts = []
    for _ in range(args.processes):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit {done.returncode}")
        parts.append(json.loads(done.stdout))
    return {kind: {side: [min(p[kind][side][0] for p in parts), statistics.median(p[kind][side][1] for p in parts)]
                   for side in parts[0][kind]} for kind in parts[0]}


def mean_of(ratios):
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios))


def print_columns(table, columns, value_of):
    """A row for each model, a column for each (title, key); value_of(row, key)."""
    print("| model | " + " | ".join(title for title, _ in columns) + " |\n|---|" + "---:|" * len(columns))
    means = [[] for _ in columns]
    for model in dict.fromkeys(row["model"] for row in table):
        cells = []
        for i, (_, key) in enumerate(columns):
            ratio = value_of([row for row in table if row["model"] == model], key)
            cells.append("" if ratio is None else f"{ratio:.2f}")
            means[i] += [] if ratio is None else [ratio]
        print(f"| {model.removeprefix('light_')} | " + " | ".join(cells) + " |")
    print("| **geometric mean** | " + " | ".join(f"**{mean_of(m):.2f}**" if m else "" for m in means) + " |")


def print_table(table, openvino):
    """Least over least; the last column is what two threads gain us at the smallest batch."""
    kinds = sorted({(row["batch"], row["threads"]) for row in table})
    columns = [(f"{'OpenVINO' if peer == OPENVINO else 'ORT'}, batch {b}, {t} thread{'s' if t > 1 else ''}", (peer, b, t))
               for peer in [ORT] + [OPENVINO] * openvino for b, t in kinds]
    if {t for _, t in kinds} >= {1, 2}:
        columns.append((f"1 thread over 2, batch {kinds[0][0]}", (None, kinds[0][0], 0)))

    def value_of(rows, key):
        peer, batch, threads = key
        times = {row["threads"]: row["alone"] for row in rows if row["batch"] == batch}
        if peer is None:
            return times[1][OURS][0] / times[2][OURS][0] if {1, 2} <= set(times) else None
        return times[threads][OURS][0] / times[threads][peer][0] if threads in times else None
    print_columns(table, columns, value_of)


def print_neighbours(table, openvino):
    """How much longer each side's median takes beside the neighbour."""
    kinds = sorted({(row["batch"], row["threads"]) for row in table})
    columns = [(f"{side}, batch {b}, {t} thread{'s' if t > 1 else ''}", (side, b, t))
               for b, t in kinds for side in [OURS, ORT] + [OPENVINO] * openvino]

    def value_of(rows, key):
        side, batch, threads = key
        row = next((r for r in rows if (r["batch"], r["threads"]) == (batch, threads)), None)
        return row["busy"][side][1] / row["alone"][side][1] if row else None
    print_columns(table, columns, value_of)


def print_row(row):
    alone = row["alone"]
    text = f"{row['model']:24} batch {row['batch']} threads {row['threads']} {alone[OURS][0]:9.3f} ms"
    for peer in [p for p in (ORT, OPENVINO, AGAIN) if p in alone]:
        least, median = (alone[OURS][i] / alone[peer][i] for i in (0, 1))
        text += f"  {peer} {alone[peer][0]:9.3f}: {least:5.2f} {median:5.2f}"
    for side, times in row.get("busy", {}).items():
        text += f"  {side} beside the neighbour {times[1] / alone[side][1]:5.2f}"
    print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oribi", default="build/bin/oribi")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=0.3, help="of each side in each process")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--batch", default="1")
    parser.add_argument("--openvino", action="store_true")
    parser.add_argument("--neighbour", action="store_true")
    parser.add_argument("--cpu-time", action="store_true", help="one thread: count its own time, not the others' on a busy machine")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--table", action="store_true", help="print the page's table at the end")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    if args.cpu_time and (args.openvino or args.threads != "1"):
        parser.error("--cpu-time needs --threads 1, and no --openvino")
    if args.work:
        return work(args, args.models[0])
    table, failed = [], False
    for batch, threads in [(int(b), int(t)) for b in args.batch.split(",") for t in args.threads.split(",")]:
        for path in args.models:
            name = pathlib.Path(path).stem
            with contextlib.ExitStack() as stack:
                try:
                    if batch > 1:
                        path = with_batch(path, batch, stack.enter_context(tempfile.TemporaryDirectory()))
                    row = {"model": name, "batch": batch, "threads": threads, **measure(args, path, threads)}
                except (RuntimeError, ValueError) as error:
                    print(f"{name}: {error}", file=sys.stderr)
                    failed = True
                    continue
            table.append(row)
            if not args.json:
                print_row(row)
    if args.json:
        json.dump(table, sys.stdout, indent=1)
    if args.table and table:
        (print_neighbours if args.neighbour else print_table)(table, args.openvino)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
