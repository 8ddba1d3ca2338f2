#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A sentence encoder of MiniLM's shape (6 layers, 384 wide, 12 heads, 1536 inside) against ONNX
Runtime, in float and with dynamically quantised weights.

    bench/encoder.py [--oribi COMMAND] [--lengths 16,128,512] [--threads N] [--rounds N] [--keep DIR]

Needs a Python with numpy, onnx and onnxruntime. The graph is what exporters write: LayerNorm and
Gelu as formulas, attention as products, a softmax and transposes; weights are random. Both sides
run in turns, a process of ours and the peer here; the least and the median of all runs.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

LAYERS, WIDTH, HEADS, INSIDE, WORDS = 6, 384, 12, 1536, 1000


class Graph:
    def __init__(self):
        self.nodes, self.constants, self.count = [], [], 0
        self.random = numpy.random.default_rng(1)

    def constant(self, array):
        self.count += 1
        name = f"c{self.count}"
        self.constants.append(numpy_helper.from_array(numpy.asarray(array), name))
        return name

    def weights(self, *shape):
        return self.constant(self.random.normal(0, 0.05, shape).astype(numpy.float32))

    def scalar(self, value):
        return self.constant(numpy.float32(value))

    def node(self, op, *inputs, **attributes):
        self.count += 1
        name = f"{op}_{self.count}"
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def dense(self, x, columns, rows):
        return self.node("Add", self.node("MatMul", x, self.weights(rows, columns)),
                         self.weights(columns))

    def layer_norm(self, x):
        centred = self.node("Sub", x, self.node("ReduceMean", x, axes=[-1]))
        variance = self.node("ReduceMean", self.node("Pow", centred, self.scalar(2)), axes=[-1])
        root = self.node("Sqrt", self.node("Add", variance, self.scalar(1e-12)))
        scaled = self.node("Mul", self.node("Div", centred, root), self.weights(WIDTH))
        return self.node("Add", scaled, self.weights(WIDTH))

    def heads(self, x, length, order):
        shape = self.constant(numpy.array([1, length, HEADS, WIDTH // HEADS], numpy.int64))
        return self.node("Transpose", self.node("Reshape", x, shape), perm=order)

    def attention(self, x, mask, length):
        query = self.heads(self.dense(x, WIDTH, WIDTH), length, [0, 2, 1, 3])
        key = self.heads(self.dense(x, WIDTH, WIDTH), length, [0, 2, 3, 1])
        value = self.heads(self.dense(x, WIDTH, WIDTH), length, [0, 2, 1, 3])
        scores = self.node("Div", self.node("MatMul", query, key),
                           self.scalar((WIDTH / HEADS) ** 0.5))
        share = self.node("Softmax", self.node("Add", scores, mask), axis=-1)
        mixed = self.node("Transpose", self.node("MatMul", share, value), perm=[0, 2, 1, 3])
        flat = self.node("Reshape", mixed, self.constant(numpy.array([1, length, WIDTH], numpy.int64)))
        return self.dense(flat, WIDTH, WIDTH)

    def gelu(self, x):
        erf = self.node("Erf", self.node("Div", x, self.scalar(2 ** 0.5)))
        return self.node("Mul", self.node("Mul", x, self.node("Add", erf, self.scalar(1))),
                         self.scalar(0.5))


def make_model(path, length):
    g = Graph()
    mask = g.node("Mul", g.node("Sub", g.scalar(1), g.node("Cast", g.node(
        "Unsqueeze", "attention_mask", g.constant(numpy.array([1, 2], numpy.int64))),
        to=TensorProto.FLOAT)), g.scalar(-1e4))
    x = g.node("Add", g.node("Gather", g.weights(WORDS, WIDTH), "input_ids"), g.weights(length, WIDTH))
    x = g.layer_norm(x)
    for _ in range(LAYERS):
        x = g.layer_norm(g.node("Add", g.attention(x, mask, length), x))
        inside = g.gelu(g.dense(x, INSIDE, WIDTH))
        x = g.layer_norm(g.node("Add", g.dense(inside, WIDTH, INSIDE), x))
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, length])
              for name in ("input_ids", "attention_mask")]
    outputs = [helper.make_tensor_value_info(x, TensorProto.FLOAT, [1, length, WIDTH])]
    graph = helper.make_graph(g.nodes, "encoder", inputs, outputs, g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def peer(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def peer_times(session, feeds, seconds):
    times = []
    session.run(None, feeds)
    begin = time.perf_counter()
    while len(times) < 5 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        session.run(None, feeds)
        times.append((time.perf_counter() - start) * 1e3)
    return times


def compare(oribi, path, length, threads, rounds):
    session = peer(path, threads)
    ids = numpy.random.default_rng(2).integers(0, WORDS, (1, length))
    feeds = {"input_ids": ids, "attention_mask": numpy.ones((1, length), numpy.int64)}
    ours, theirs = [], []
    for _ in range(rounds):
        times = peer_times(session, feeds, 0.5)
        theirs.append((min(times), statistics.median(times)))
        found = json.loads(subprocess.run(
            [oribi, "bench", path, "--threads", str(threads), "--runs", str(len(times)), "--json"],
            check=True, capture_output=True, text=True).stdout)
        ours.append((found["min_ms"], found["median_ms"]))
    return [(min(r[0] for r in rows), statistics.median(r[1] for r in rows))
            for rows in (ours, theirs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oribi", default="build/bin/oribi")
    parser.add_argument("--lengths", default="16,128,512")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", type=pathlib.Path, help="leave the models in this folder")
    args = parser.parse_args()
    print("| weights | length | Oribi ms | ONNX Runtime ms | least over least | medians |")
    print("|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as work:
        folder = args.keep or pathlib.Path(work)
        for length in [int(n) for n in args.lengths.split(",")]:
            wide, narrow = (str(folder / f"encoder_{kind}_{length}.onnx") for kind in ("f32", "int8"))
            make_model(wide, length)
            quantize_dynamic(wide, narrow, weight_type=QuantType.QInt8)
            for kind, path in (("float", wide), ("int8", narrow)):
                ours, theirs = compare(args.oribi, path, length, args.threads, args.rounds)
                print(f"| {kind} | {length} | {ours[0]:.2f} | {theirs[0]:.2f} | "
                      f"{ours[0] / theirs[0]:.2f} | {ours[1] / theirs[1]:.2f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
