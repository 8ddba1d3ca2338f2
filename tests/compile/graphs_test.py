#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random graphs of int8, uint8 or int16: the host session and the emitted C (under ASan and UBSan, 50 models to a translation unit)
against a third implementation, oracle.py, to the bit.

    graphs_test.py VECTORS_RUN SOURCE_FOLDER [--graphs N] [--seed S] [--optimize HOW] [--plant]

Compiled for speed, with as many instances of kernels as there can be. --plant spoils the emitted C in seven ways, one after the other, and fails when one of them goes unseen.
20,000 graphs are `--graphs 20000`; the test runs some hundred."""
import argparse
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

import oracle

CHUNK = 500
KINDS = ("i8", "u8", "i8", "i16")  # of graphs, by their numbers
# Files of the emitted C, the first of a pattern: what is spoilt, into what, and the graphs that should notice.
PLANTS = {
    "rounding": ("fixed_point.h", "(remainder > threshold ? 1 : 0)", "0 * threshold * remainder", ("i8",)),
    "clamp": ("fixed_point.h", "x > high ? high : x", "x >= high ? high - 1 : x", ("i8",)),
    "instance": ("conv2d_lanes_s8_[1-9]*.c", "#define ORIBI_MICRO_ROWS ", "#define ORIBI_MICRO_ROWS -1 + ", ("i8",)),
    "pool": ("average_pool_s8.c", "values / 2 : -(values / 2)", "values / 3 : -(values / 2)", ("i8",)),
    "wide pool": ("wide_average_pool.c", "values / 2 : -(values / 2)", "values / 3 : -(values / 2)", ("u8", "i16")),
    "wide sum": ("wide_add.c", "p->a_zero, p->finer", "p->a_zero + 1, p->finer", ("u8", "i16")),
    "wide rounding": ("wide.h", "(INT64_C(1) << (total - 1))", "(INT64_C(0) << (total - 1))", ("i16",)),
}


class Random:
    """One graph: grows operator by operator, with the value of every tensor known."""

    def __init__(self, seed, index, model):
        self.rng = np.random.default_rng([seed, index])
        self.kind = KINDS[index % len(KINDS)]
        self.dtype = {"i8": np.int8, "u8": np.uint8, "i16": np.int16}[self.kind]
        self.low, self.high = np.iinfo(self.dtype).min, np.iinfo(self.dtype).max
        self.model = model
        self.graph = model.Graph()
        self.live = []  # (index, quantisation, value) of activations
        self.used, self.inputs = set(), []

    def pick(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def size(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def quant(self):
        scale = np.float32(2.0 ** self.rng.uniform(-6, -3))
        if self.kind == "i16":
            return np.float32(scale / 256), 0
        middle = 0 if self.kind == "i8" else 128
        return scale, self.pick(self.low, self.high, self.size(self.low, self.high), middle)

    # --- Tensors

    def tensor(self, value, quant, data=None):
        index = self.graph.add(self.model.Tensor(f"t{len(self.graph.tensors)}", value.shape, self.kind, data, *quant))
        if data is None:
            self.live.append((index, quant, value))
        return index

    def ints(self, values):
        data = np.asarray(values, np.int32)
        return self.graph.add(self.model.Tensor(f"t{len(self.graph.tensors)}", data.shape, "i32", data))

    def input(self, shape):
        value = self.rng.integers(self.low, self.high + 1, shape).astype(self.dtype)
        index = self.tensor(value, self.quant())
        self.graph.inputs.append(index)
        self.inputs.append(value.tobytes())

    def take(self, rank=None):
        """A tensor of this rank, the last ones more often."""
        found = [t for t in self.live if rank is None or t[2].ndim == rank]
        if not found:
            return None
        chosen = found[max(self.size(0, len(found) - 1), self.size(0, len(found) - 1))]
        self.used.add(chosen[0])
        return chosen

    def result(self, name, inputs, value, quant, **options):
        self.graph.op(name, inputs, [self.tensor(value, quant)], **options)

    # --- Operators: each returns without an effect when it does not fit

    def constant(self, data, kind, scales, zero=0, axis=0):
        zeros = [zero] * len(scales)
        return self.graph.add(self.model.Tensor(f"t{len(self.graph.tensors)}", data.shape, kind, data, scales, zeros,
                                                axis))

    def weights(self, shape, axis, quant_in, taps, is_product):
        """Indices of filter and bias, what the oracle wants of them, and the quantisation of a result that has
        some range. is_product: of one scale alone, whose product with the input's the source rounds."""
        n = shape[axis]
        is_one = is_product or self.kind == "u8"
        scales = (2.0 ** self.rng.uniform(-9, -5, 1 if is_one else self.pick(1, n))).astype(np.float32)
        zero = self.size(0, 255) if self.kind == "u8" else 0
        if self.kind == "u8":
            data = self.rng.integers(0, 256, shape).astype(np.uint8)
        else:
            data = self.rng.integers(-127, 128, shape).astype(np.int8)
        spread = {"i8": 90.0, "u8": 130.0, "i16": 18900.0}[self.kind] * 74.0 * taps ** 0.5
        bias = self.rng.integers(-int(spread), int(spread) + 1, n)
        wide = self.kind == "i16"
        w = self.constant(data, "u8" if self.kind == "u8" else "i8", scales, zero, axis)
        b = self.constant(bias.astype(np.int64 if wide else np.int32), "i64" if wide else "i32",
                          scales * np.float32(quant_in[0]))
        real = float(quant_in[0]) * float(scales.mean()) * spread / (12000.0 if wide else 50.0)
        quant = (np.float32(real * 2.0 ** self.rng.uniform(-1, 1)), self.quant()[1])
        known = oracle.Weights(data, np.broadcast_to(scales, [n]), zero, bias, is_one)
        return w, b, known, quant

    def window(self, x):
        window = [self.size(1, min(3, x.shape[1])), self.size(1, min(3, x.shape[2]))]
        dilations = [self.pick(1, 1, 2), self.pick(1, 1, 2)]
        padding = self.pick("SAME", "VALID")
        for k in range(2):
            if padding == "VALID" and (window[k] - 1) * dilations[k] >= x.shape[1 + k]:
                dilations[k] = 1
        return window, [self.size(1, 2), self.size(1, 2)], dilations, padding

    def activation(self):
        return self.pick("NONE", "RELU", "RELU6")

    def conv(self):
        t = self.take(4)
        window, strides, dilations, padding = self.window(t[2])
        channels = self.pick(1, 2, 3, 4, 8, 9)
        shape = [channels, *window, t[2].shape[3]]
        w, b, known, quant = self.weights(shape, 0, t[1], int(np.prod(shape[1:])), False)
        act = self.activation()
        value = oracle.conv_2d(t[2], t[1], known, quant, strides, dilations, padding, act)
        self.result("CONV_2D", [t[0], w, b], value, quant, padding=padding, stride_h=strides[0], stride_w=strides[1],
                    dilation_h=dilations[0], dilation_w=dilations[1], activation=act)

    def depthwise(self):
        t = self.take(4)
        window, strides, dilations, padding = self.window(t[2])
        strides[1] = strides[0]
        times = self.pick(1, 1, 2)
        channels = t[2].shape[3] * times
        w, b, known, quant = self.weights([1, *window, channels], 3, t[1], window[0] * window[1], False)
        act = self.activation()
        value = oracle.depthwise_conv_2d(t[2], t[1], known, quant, strides, dilations, padding, act)
        self.result("DEPTHWISE_CONV_2D", [t[0], w, b], value, quant, padding=padding, stride_h=strides[0],
                    stride_w=strides[1], dilation_h=dilations[0], dilation_w=dilations[1], depth_multiplier=times,
                    activation=act)

    def fully_connected(self):
        t = self.take()
        depth = int(np.prod(t[2].shape[1:]))
        if depth > 400:
            return
        out = self.size(1, 9)
        if self.size(0, 7) == 0:
            self.weights([out, depth], 0, t[1], depth, False)  # left over, as in models of the field
        w, b, known, quant = self.weights([out, depth], 0, t[1], depth, True)
        act = self.activation()
        value = oracle.fully_connected(t[2], t[1], known, quant, act)
        self.result("FULLY_CONNECTED", [t[0], w, b], value, quant, activation=act)

    def binary(self, name):
        a = self.take()
        same = [t for t in self.live if t[2].shape == a[2].shape]
        b = same[self.size(0, len(same) - 1)]
        self.used.add(b[0])
        act = self.activation()
        scale = float(a[1][0]) + float(b[1][0]) if name == "ADD" else float(a[1][0]) * float(b[1][0]) * (12000 if self.kind == "i16" else 60)
        quant = (np.float32(scale * 2.0 ** self.rng.uniform(-0.5, 0.7)), self.quant()[1])
        run = oracle.add if name == "ADD" else oracle.mul
        self.result(name, [a[0], b[0]], run(a[2], a[1], b[2], b[1], quant, act), quant, activation=act)

    def pool(self, name):
        t = self.take(4)
        window, strides, _, padding = self.window(t[2])
        act = self.activation()
        run = oracle.average_pool_2d if name == "AVERAGE_POOL_2D" else oracle.max_pool_2d
        value = run(t[2], t[1], window, strides, padding, act)
        self.result(name, [t[0]], value, t[1], padding=padding, stride_h=strides[0], stride_w=strides[1],
                    filter_h=window[0], filter_w=window[1], activation=act)

    def reshape(self):
        t = self.take()
        shape = self.pick([1, t[2].size], [t[2].size, 1], [1, 1, 1, t[2].size], [1, t[2].size, 1, 1])
        self.result("RESHAPE", [t[0], self.ints(shape)], t[2].reshape(shape), t[1], new_shape=shape)

    def pad(self):
        t = self.take(4)
        pads = [[0, 0], [self.size(0, 2), self.size(0, 2)], [self.size(0, 2), self.size(0, 1)], [0, self.pick(0, 0, 1)]]
        value = np.pad(t[2], pads, constant_values=np.asarray(t[1][1], self.dtype))
        self.result("PAD", [t[0], self.ints(pads)], value, t[1])

    def transpose(self):
        t = self.take(4)
        order = [0, *(1 + self.rng.permutation(3)).tolist()]
        self.result("TRANSPOSE", [t[0], self.ints(order)], np.ascontiguousarray(t[2].transpose(order)), t[1])

    def concat(self):
        a = self.take(4)
        parts = [t for t in self.live if t[2].ndim == 4 and t[1] == a[1] and t[2].shape[:3] == a[2].shape[:3]]
        parts = [parts[self.size(0, len(parts) - 1)] for _ in range(self.size(1, 2))] + [a]
        self.used |= {p[0] for p in parts}
        self.result("CONCATENATION", [p[0] for p in parts], np.concatenate([p[2] for p in parts], 3), a[1], axis=3)

    def extreme(self, name):
        a = self.take()
        same = [t for t in self.live if t[2].shape == a[2].shape and t[1] == a[1]]
        b = same[self.size(0, len(same) - 1)]
        self.used.add(b[0])
        value = (np.maximum if name == "MAXIMUM" else np.minimum)(a[2], b[2])
        self.result(name, [a[0], b[0]], value, a[1])

    def grow(self, most):
        kinds = [self.conv, self.conv, self.depthwise, self.depthwise, self.fully_connected,
                 lambda: self.binary("ADD"), lambda: self.binary("ADD"), lambda: self.binary("MUL"),
                 lambda: self.pool("AVERAGE_POOL_2D"), lambda: self.pool("MAX_POOL_2D"), self.reshape, self.pad,
                 self.transpose, self.concat, lambda: self.extreme("MAXIMUM"), lambda: self.extreme("MINIMUM")]
        for _ in range(self.size(1, 2)):
            self.input([1, self.size(1, 7), self.size(1, 7), self.pick(1, 2, 3, 4, 8)])
        wanted = self.size(1, most)
        while len(self.graph.operators) < wanted:
            kinds[self.size(0, len(kinds) - 1)]()

    def case(self, container, name):
        """What nobody reads is an output, and now and then something that is read as well."""
        inputs = set(self.graph.inputs)
        outputs = [t for t in self.live if t[0] not in inputs and (t[0] not in self.used or self.size(0, 9) == 0)]
        self.graph.outputs = [t[0] for t in outputs]
        values = [t[2].tobytes() for t in outputs]
        return container.Case(name, self.model.write(self.graph), self.inputs, {"tflm": values})


def run(args, tools, cases, plant, environment=None):
    """Findings on some graphs: lines."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wanted = [(c, c.outputs["tflm"]) for c in cases]
        (folder / "jobs").write_bytes(struct.pack("<I", len(cases)) + b"".join(
            tools.head_of(c) + struct.pack("<I", len(c.model)) + c.model + tools.pieces(c.inputs) +
            tools.pieces(outputs) for c, outputs in wanted))
        done = subprocess.run([args.program, folder / "jobs", folder, "tflm"], capture_output=True, text=True,
                              env={**os.environ, "ORIBI_VECTORS_OPTIMIZE": args.optimize, **(environment or {})})
        lines = [done.stderr] if done.returncode != 0 else []
        built = 0
        for line in done.stdout.splitlines():
            if not line.startswith("batch ") or "fails" in line:
                lines.append(line)
                continue
            number, *indices = [int(w) for w in line.split()[1:]]
            batch = folder / f"b{number}"
            if plant is not None and not spoil(batch, plant):
                continue
            built += len(indices)
            lines += tools.build_and_run(batch, indices, wanted, True)
        if plant is None and built != len(cases):
            lines.append(f"{len(cases)} graphs, but only {built} of them were built")
        return lines


def spoil(batch, plant):
    name, old, new, _ = PLANTS[plant]
    path = next(iter(sorted((batch / "micro").glob(name))), None)
    if path is None:
        return False
    text = path.read_text()
    if old not in text:
        sys.exit(f"graphs_test.py: {name} has changed; plant '{plant}' elsewhere")
    path.write_text(text.replace(old, new))
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--graphs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--optimize", default="speed")
    parser.add_argument("--plant", action="store_true")
    args = parser.parse_args()
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(args.source / "tests/peer/tflite"), str(args.source / "tests/compile")]
    import container
    import model
    import vectors_test as tools

    def make(first, count):
        cases = []
        for index in range(first, first + count):
            graph = Random(args.seed, index, model)
            graph.grow(8)
            cases.append(graph.case(container, f"graph {index}"))
        return cases

    if args.plant:
        cases = make(0, 100)
        unseen = [p for p, (*_, kinds) in PLANTS.items()
                  if not run(args, tools, [c for i, c in enumerate(cases) if KINDS[i % len(KINDS)] in kinds], p)]
        print(f"planted {len(PLANTS)} faults, unseen: {', '.join(unseen) or 'none'}")
        return int(bool(unseen))
    findings = 0
    for first in range(0, args.graphs, CHUNK):
        count = min(CHUNK, args.graphs - first)
        lines = run(args, tools, make(first, count), None)
        findings += len(lines)
        print(f"graphs {first} to {first + count - 1} of seed {args.seed}: {len(lines)} findings", flush=True)
        for line in lines[:5]:
            print(f"  {line[:600]}")
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
