#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/cpu/golden_onnx.txt: what ONNX Runtime answers where our op is ONNX>Name.

    python3 -m venv peer && peer/bin/pip install onnx onnxruntime && peer/bin/python tests/peer/cpu_golden_onnx.py

Format and reader as for cpu_golden.py.
"""
import os

import numpy as np
import onnx
import onnxruntime
from onnx import helper

NAMES = {"float32": "float", "float64": "double", **{t: t for t in ("int64", "int32", "uint8", "int8", "bool")}}
rng = np.random.default_rng(7)
out = open(os.path.join(os.path.dirname(__file__), "..", "cpu", "golden_onnx.txt"), "w")
print("# Made by tests/peer/cpu_golden_onnx.py with ONNX Runtime %s. Do not edit." %
      onnxruntime.__version__, file=out)
count = 0


def show(array):
    array = np.asarray(array)
    return " ".join([NAMES[array.dtype.name], str(array.ndim)] + [str(d) for d in array.shape] +
                    [str(int(v) if v.dtype == bool else v) for v in array.reshape(-1)])


def attribute(value):
    if isinstance(value, list):
        return "ints %d %s" % (len(value), " ".join(map(str, value)))
    if isinstance(value, float):
        return "float %r" % value
    return "int %d" % value if isinstance(value, int) else "string %s" % value


def case(op, *inputs, opset=19, n_outputs=1, tol=0.0, scale=0.0, present=None, ours=None, **attrs):
    """ours: our op's attributes, as lines, where they differ from ONNX's."""
    global count
    names = ["x%d" % i if x is not None else "" for i, x in enumerate(inputs)]
    feeds = {n: x for n, x in zip(names, inputs) if x is not None}
    node = helper.make_node(op, names, ["y%d" % i for i in range(n_outputs)], **attrs)
    graph = helper.make_graph(
        [node], "g",
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
         for n, x in feeds.items()],
        [helper.make_tensor_value_info("y%d" % i, onnx.TensorProto.UNDEFINED, None) for i in range(0)] +
        [helper.make_empty_tensor_value_info("y%d" % i) for i in range(n_outputs)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    model = onnx.shape_inference.infer_shapes(model)
    results = onnxruntime.InferenceSession(model.SerializeToString(),
                                           providers=["CPUExecutionProvider"]).run(None, feeds)
    if op == "MaxPool" and n_outputs == 1:
        results.append(None)  # our op always gives indices; not compared
    print("op ONNX>%s" % op, file=out)
    for line in [name + " " + attribute(value) for name, value in attrs.items()] if ours is None else ours:
        print("attr", line, file=out)
    if op == "Resize":  # the importer's attributes
        print("attr T type", NAMES[inputs[0].dtype.name], file=out)
    if present is not None:
        print("attr present bools %d %s" % (len(present), " ".join(map(str, present))), file=out)
    for x in feeds.values():
        print("in", show(x), file=out)
    for y in results:
        if y is not None:
            print("out", show(y), file=out)
    print("tol %g %g\nend" % (tol, scale), file=out)
    count += 1


def f32(*shape):
    return np.asarray(rng.uniform(-3, 3, shape)).round(2).astype(np.float32)


for op, attrs, opset in [("HardSigmoid", {}, 19), ("HardSigmoid", dict(alpha=0.3, beta=0.4), 19),
                         ("HardSwish", {}, 19), ("Mish", {}, 19), ("Gelu", {}, 20),
                         ("Gelu", dict(approximate="tanh"), 20), ("Celu", dict(alpha=1.5), 19),
                         ("Shrink", dict(bias=0.5, lambd=1.0), 19), ("ThresholdedRelu", dict(alpha=0.7), 19)]:
    case(op, f32(3, 7), opset=opset, tol=2e-6, scale=0.1, **attrs)
case("PRelu", f32(2, 3, 4), f32(3, 1))
case("PRelu", f32(2, 3), np.float32([0.25]))
case("MaxPool", f32(1, 2, 5, 6), kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 0, 1], n_outputs=2)
case("MaxPool", f32(1, 2, 5, 6), kernel_shape=[2, 2], dilations=[2, 2], n_outputs=2, storage_order=1)
case("MaxPool", f32(2, 3, 7), kernel_shape=[3], strides=[2], ceil_mode=1)
case("MaxPool", f32(1, 2, 3, 4, 3), kernel_shape=[2, 2, 2], auto_pad="SAME_LOWER")
for pad in [0, 1]:
    for ceil in [0, 1]:
        case("AveragePool", f32(1, 2, 6, 6), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 0, 0],
             count_include_pad=pad, ceil_mode=ceil, tol=2e-6, scale=3)
case("AveragePool", f32(1, 2, 8), kernel_shape=[2], dilations=[3], tol=2e-6, scale=3)
case("AveragePool", f32(1, 1, 3, 3, 3), kernel_shape=[2, 2, 2], auto_pad="SAME_UPPER", tol=2e-6, scale=3)
saved = rng.bit_generator.state
case("Conv", f32(2, 4, 3, 4, 5), f32(6, 2, 2, 2, 3), f32(6), group=2, pads=[1, 0, 1, 0, 1, 2], strides=[1, 2, 1],
     dilations=[1, 1, 2], tol=1e-5, scale=8)
case("Conv", f32(1, 3, 9), f32(4, 3, 3), auto_pad="SAME_LOWER", strides=[2], tol=1e-5, scale=8)
case("Conv", f32(2, 3, 1, 1, 1), f32(4, 3, 2, 2, 1), pads=[1, 1, 0, 1, 0, 0], tol=1e-5, scale=8)  # one pixel becomes two
rng.bit_generator.state = saved
x = f32(1, 1, 4, 5)
for mode in ["nearest", "linear", "cubic"]:
    for coordinates in ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]:
        case("Resize", x, None, None, np.array([1, 1, 7, 3]), mode=mode, present=[1, 0, 0, 1],
             coordinate_transformation_mode=coordinates, tol=2e-5, scale=3)
        # With align_corners ONNX's own data count the part of an element that a scale leaves, ONNX Runtime does not.
        scales = [1, 1, 0.5, 2.4] if coordinates == "align_corners" else [1, 1, 0.6, 2.3]
        case("Resize", x, None, np.float32(scales), mode=mode, present=[1, 0, 1],
             coordinate_transformation_mode=coordinates, tol=2e-5, scale=3)
for nearest in ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]:
    case("Resize", x, None, np.float32([1, 1, 2, 2]), mode="nearest", present=[1, 0, 1],
         nearest_mode=nearest, coordinate_transformation_mode="half_pixel")
case("Resize", x, None, np.float32([1, 1, 1.7, 1.7]), mode="cubic", present=[1, 0, 1], exclude_outside=1,
     cubic_coeff_a=-0.5, tol=2e-5, scale=3)
case("Resize", rng.integers(0, 255, (1, 1, 3, 3)).astype(np.uint8), None, np.float32([1, 1, 2, 2]),
     mode="nearest", present=[1, 0, 1])

d, i64 = f32(3, 4), np.int64
elements = rng.integers(-3, 3, (2, 4))
case("GatherElements", d, elements, axis=0)
case("GatherElements", d.astype(np.int8), rng.integers(-4, 4, (3, 6)).astype(np.int32), axis=-1)
case("GatherElements", f32(2, 3, 4).astype(np.float64), rng.integers(0, 3, (1, 5, 2)), axis=1)
for reduction in ["none", "add", "mul", "max", "min"]:
    places = np.array([[0, 1, 2, -1], [-3, 1, 0, 2]] if reduction != "none" else [[0, 1, 2, -1], [1, 2, 0, 0]])
    for dtype in [np.float32, np.int32, np.uint8]:
        case("ScatterElements", d.astype(dtype), places, f32(2, 4).astype(dtype), axis=0, reduction=reduction)
    case("ScatterND", f32(4, 2, 3), np.array([[0], [2], [-2 if reduction != "none" else -1]]), f32(3, 2, 3),
         reduction=reduction, opset=18)
case("ScatterND", rng.integers(0, 99, (2, 3)), np.array([[1, -1], [0, 0]], np.int64), np.array([7, 8]))
case("GatherND", d, np.array([[0, 1], [-1, -4]]))
case("GatherND", f32(2, 3, 4), np.array([[[0], [2]], [[-1], [1]]]), batch_dims=1)
case("GatherND", f32(2, 3, 4, 2), rng.integers(-4, 4, (2, 3, 2, 1)), batch_dims=2)
for upper in [0, 1]:
    for k in [-5, -1, 0, 2, 9]:
        case("Trilu", f32(2, 3, 5), np.array(k, i64), upper=upper, ours=["upper bool %d" % upper])
case("Trilu", rng.integers(0, 99, (4, 3)), np.array(-1, i64), upper=1, ours=["upper bool 1"])
for k in [-2, 0, 1, 7]:
    case("EyeLike", f32(3, 4), k=k, dtype=11, ours=["k int %d" % k, "dtype type double"])
case("EyeLike", rng.integers(0, 9, (4, 2)).astype(np.int32), k=-1, ours=["k int -1", "dtype type int32"])
for how in [0, 1]:
    flags = ["sorted bool %d" % how, "flat bool 1"]
    for dtype in [np.float32, np.float64, np.int64, np.int8]:
        case("Unique", rng.integers(-4, 4, (4, 5)).astype(dtype), sorted=how, n_outputs=4, ours=flags)
    for axis in [0, 1, -1]:
        case("Unique", rng.integers(0, 2, (3, 5, 2)).astype(np.float32), sorted=how, axis=axis, n_outputs=4,
             ours=["sorted bool %d" % how, "flat bool 0", "axis int %d" % axis])
for mode, at in [("linear", [1, 3]), ("circular", [4, 2])]:
    case("TensorScatter", f32(2, 5, 3), f32(2, 2, 3), np.array(at), mode=mode, axis=1, opset=24)
for attrs in [{}, dict(p=1, strides=[2, 1]), dict(p=3, pads=[1, 0, 1, 1]), dict(auto_pad="SAME_UPPER"),
              dict(dilations=[2, 1]), dict(ceil_mode=1, strides=[2, 2])]:
    case("LpPool", f32(1, 2, 5, 6), kernel_shape=[2, 3], tol=2e-6, scale=9, **attrs)
case("LpPool", f32(2, 3, 7), kernel_shape=[3], tol=2e-6, scale=9)
for axis in [-1, 0, 1]:
    case("OneHot", rng.integers(-4, 4, (2, 3)), np.array(3), f32(2), axis=axis)
case("OneHot", rng.integers(-4, 4, 5), np.array(3), np.array([2, 7], np.int64))
out.close()
print(count, "cases")
