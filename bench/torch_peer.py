# SPDX-License-Identifier: Apache-2.0
"""An ONNX model of pictures by PyTorch's operators on its GPU: a peer where ONNX Runtime has no CUDA.

Runner(path).times(): milliseconds of a run, input and output on the GPU, launched one operator after the other and
as one CUDA graph. Numbers are floats of 32 bits throughout (no TF32), as
ours are. An operator that is not here is an error that names it.
"""
import statistics
import time

import numpy
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper


def padded(x, attrs, value):
    pads = attrs.get("pads")
    if attrs.get("auto_pad") == b"SAME_UPPER":  # of stride 1
        total = [k - 1 for k in attrs["kernel_shape"]]
        pads = [n // 2 for n in total] + [n - n // 2 for n in total]
    if not pads or not any(pads):
        return x
    half = len(pads) // 2
    flat = [p for axis in reversed(range(half)) for p in (pads[axis], pads[axis + half])]
    return F.pad(x, flat, value=value)


def conv(x, w, b=None, **attrs):
    return F.conv2d(padded(x, attrs, 0.0), w, b, attrs.get("strides", 1), 0, attrs.get("dilations", 1), attrs.get("group", 1))


def max_pool(x, **attrs):
    return F.max_pool2d(padded(x, attrs, float("-inf")), attrs["kernel_shape"], attrs.get("strides", 1), 0)


def mean_pool(x, **attrs):
    return F.avg_pool2d(x, attrs["kernel_shape"], attrs.get("strides", 1), attrs.get("pads", [0, 0])[:2],
                        count_include_pad=bool(attrs.get("count_include_pad", 0)))


def gemm(a, b, c, **attrs):
    return F.linear(a, b if attrs.get("transB") else b.t(), c)


def slice_of(x, *lists, **attrs):
    starts, ends, axes = [t.tolist() for t in lists] or [attrs[name] for name in ("starts", "ends", "axes")]
    for start, end, axis in zip(starts, ends, axes):
        x = x.narrow(axis, start, min(end, x.shape[axis]) - start)
    return x


def norm(x, scale, bias, mean, var, **attrs):
    return F.batch_norm(x, mean, var, scale, bias, False, 0.0, attrs.get("epsilon", 1e-5))


OPS = {
    "Conv": conv, "MaxPool": max_pool, "AveragePool": mean_pool, "Gemm": gemm, "BatchNormalization": norm,
    "Relu": lambda x: F.relu(x), "Clip": lambda x, low=None, high=None, **a: torch.clamp(x, a.get("min", 0.0), a.get("max", 6.0)),
    "Add": lambda a, b: a + b, "Sum": lambda a, b: a + b, "Mul": lambda a, b: a * b, "Sub": lambda a, b: a - b,
    "Div": lambda a, b: a / b, "Exp": torch.exp, "MatMul": torch.matmul, "Dropout": lambda x, *_, **a: x,
    "GlobalAveragePool": lambda x: x.mean((2, 3), keepdim=True), "Flatten": lambda x, **a: x.flatten(a.get("axis", 1)),
    "Concat": lambda *x, axis: torch.cat(x, axis), "Softmax": lambda x, axis=1: torch.softmax(x.flatten(1) if x.dim() == 2 else x, axis),
    "Transpose": lambda x, perm: x.permute(perm), "Slice": slice_of,
    "Unsqueeze": lambda x, axes: x[(...,) + (None,) * len(axes)],
}
SHAPED = ("Reshape", "Slice")  # whose second and later inputs say how


class Runner:
    def __init__(self, path):
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.benchmark = True
        graph = onnx.load(str(path)).graph
        self.values = {t.name: torch.tensor(numpy_helper.to_array(t)) for t in graph.initializer}
        self.nodes = []
        for node in graph.node:
            attrs = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            if node.op_type == "ConstantOfShape":
                value = numpy_helper.to_array(attrs["value"]).item()
                self.values[node.output[0]] = torch.full(tuple(self.values[node.input[0]].tolist()), value)
            elif node.op_type not in OPS and node.op_type != "Reshape":
                raise ValueError(f"{path}: PyTorch's side has no {node.op_type}")
            else:
                self.nodes.append((node.op_type, list(node.input), node.output[0], attrs))
        shapes = {name for kind, inputs, _, _ in self.nodes if kind in SHAPED for name in inputs[1:]}
        self.values = {k: v if k in shapes else v.cuda() for k, v in self.values.items()}
        known = set(self.values)
        self.input = next(i for i in graph.input if i.name not in known)
        dims = [d.dim_value or 1 for d in self.input.type.tensor_type.shape.dim]
        self.x = torch.tensor(numpy.random.default_rng(7).standard_normal(dims, dtype=numpy.float32)).cuda()
        self.output = graph.output[0].name

    def run(self):
        values = dict(self.values)
        values[self.input.name] = self.x
        for kind, inputs, output, attrs in self.nodes:
            args = [values[name] for name in inputs if name]
            if kind == "Reshape":
                wanted = [args[0].shape[i] if n == 0 else n for i, n in enumerate(args[1].tolist())]
                values[output] = args[0].reshape(wanted)
            else:
                values[output] = OPS[kind](*args, **attrs)
        return values[self.output]

    def times(self, rounds=5, runs=20):
        with torch.inference_mode():
            for _ in range(3):
                self.run()
            torch.cuda.synchronize()
            captured = torch.cuda.CUDAGraph()
            with torch.cuda.graph(captured):
                self.run()
            return [statistics.median(self.timed(what, runs) for _ in range(rounds)) for what in (self.run, captured.replay)]

    @staticmethod
    def timed(what, runs):
        times = []
        for _ in range(runs):
            start = time.perf_counter()
            what()
            torch.cuda.synchronize()
            times.append((time.perf_counter() - start) * 1e3)
        return statistics.median(times)

