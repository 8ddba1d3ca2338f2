#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/cpu/golden.txt: what TensorFlow's CPU kernels answer to small inputs.

    python3 -m venv peer && peer/bin/pip install tensorflow-cpu && peer/bin/python tests/peer/cpu_golden.py

Not part of the build: the table is committed, tests/cpu/golden_test.c reads it. Each case is

    op NAME
    attr NAME KIND VALUES
    in DTYPE RANK DIMS... VALUES...
    out DTYPE RANK DIMS... VALUES...
    tol RELATIVE SCALE
    end
"""
import inspect
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

DTYPES = {np.dtype(n): c for n, c in [("float32", "float"), ("float64", "double"), ("int8", "int8"),
          ("int16", "int16"), ("int32", "int32"), ("int64", "int64"), ("uint8", "uint8"),
          ("uint16", "uint16"), ("uint32", "uint32"), ("uint64", "uint64"), ("bool", "bool"),
          ("float16", "half")]}
DTYPES[np.dtype(tf.bfloat16.as_numpy_dtype)] = "bfloat16"
rng = np.random.default_rng(20260101)
out = open(os.path.join(os.path.dirname(__file__), "..", "cpu", "golden.txt"), "w")
print("# Made by tests/peer/cpu_golden.py with TensorFlow %s. Do not edit." % tf.__version__, file=out)
count = 0
RENAMED = {("Select", "t"): "x", ("Select", "e"): "y", ("Where", "input"): "condition"}


def show(array):
    array = np.asarray(array)
    name = DTYPES[array.dtype]
    flat = array.reshape(-1)
    if name in ("half", "bfloat16"):
        words = [str(v) for v in flat.view(np.uint16)]
    elif name in ("float", "double"):
        words = [str(v) for v in flat]  # the shortest that reads back the same
    else:
        words = [str(int(v)) for v in flat]
    return " ".join([name, str(array.ndim)] + [str(d) for d in array.shape] + words)


def attribute(name, kind, value):
    if kind == "list(int)":
        return "ints %d %s" % (len(value), " ".join(map(str, value)))
    if kind == "int":
        return "int %d" % value
    if kind == "float":
        return "float %.9g" % value
    if kind == "bool":
        return "bool %d" % value
    if kind == "string":
        return "string %s" % value
    if kind == "type":
        return "type %s" % DTYPES[np.dtype(tf.as_dtype(value).as_numpy_dtype)]
    raise ValueError((name, kind))


def case(op, *inputs, tol=0.0, scale=0.0, compare=None, **attrs):
    """Runs raw op `op`; list inputs are list arguments. Results that cancel are judged by `scale`,
    the size of what went in."""
    global count
    definition = op_def_registry.get(op)
    kwargs = dict(attrs)
    function = getattr(tf.raw_ops, op)
    known = inspect.signature(function).parameters  # a few names differ in Python
    for arg, value in zip(definition.input_arg, inputs):
        kwargs[arg.name if arg.name in known else RENAMED.get((op, arg.name), "axis")] = (
            [tf.constant(np.asarray(v)) for v in value] if isinstance(value, list)
            else tf.constant(np.asarray(value)))
    for arg in definition.attr:
        if arg.name in kwargs and arg.type == "type":
            kwargs[arg.name] = tf.as_dtype(kwargs[arg.name])
    try:
        with tf.device("/CPU:0"):
            results = function(**kwargs)
    except (tf.errors.InvalidArgumentError, tf.errors.NotFoundError) as error:
        if "not in the list of allowed" not in str(error) and "Could not find device" not in str(error):
            raise
        print("skipped:", op, [np.asarray(i).dtype.name for i in inputs if not isinstance(i, list)])
        return
    if not isinstance(results, (list, tuple)):
        results = [results]
    print("op", op, file=out)
    for arg in definition.attr:
        if arg.name in attrs:
            print("attr", arg.name, attribute(arg.name, arg.type, attrs[arg.name]), file=out)
    for value in inputs:
        for item in value if isinstance(value, list) else [value]:
            print("in", show(item), file=out)
    for item in results[:compare]:  # TensorFlow leaves some outputs undefined
        print("out", show(item.numpy()), file=out)
    print("tol %g %g\nend" % (tol, scale), file=out)
    count += 1


def f32(*shape, low=-3.0, high=3.0):
    return np.asarray(rng.uniform(low, high, shape)).round(2).astype(np.float32)


def ints(dtype, *shape, low=None, high=None):
    info = np.iinfo(dtype)
    low = max(info.min, -50) if low is None else low
    high = 50 if high is None else high
    return rng.integers(low, high, shape, dtype=dtype, endpoint=True)


# TensorFlow flushes denormals to zero and we do not, so none is here; variants_test.c has them.
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 3e38, -3e38, 88.5,
                    -80.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1e-4, -1e-4, 6.0, 6.5, 20.0,
                    -20.0], np.float32)
I = np.int32
NUMBERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
SIGNED = NUMBERS[:4]


def unary():
    exact = ["Abs", "Neg", "Square", "Sign", "Relu", "Relu6", "Floor", "Ceil", "Rint", "Round"]
    close = ["Exp", "Expm1", "Log", "Log1p", "Sqrt", "Rsqrt", "Reciprocal", "Sin", "Cos", "Tanh",
             "Erf", "Sigmoid", "Softplus", "Softsign", "Elu", "Selu", "Sinh", "Cosh", "Asinh", "Atan"]
    for op in exact + close:
        x = SPECIAL
        if op in ("Sin", "Cos", "Sinh", "Cosh"):
            x = x[np.abs(np.nan_to_num(x, posinf=0, neginf=0)) < 100]
        if op == "Reciprocal":
            x = x[~(np.abs(x) == np.float32(3e38))]
        tol = 0 if op in exact else 3e-6
        case(op, x, tol=tol, scale=0.02 if op in ("Elu", "Selu") else 0)
        case(op, f32(2, 3, 5), tol=tol)
        case(op, f32(0, 3), tol=tol)
        case(op, f32(7).astype(np.float64), tol=tol and 1e-12)
    for op in ["Asin", "Acos", "Atanh", "Tan", "Erfc", "Acosh", "Lgamma"]:
        x = f32(9, low=-0.9, high=0.9) + (2.0 if op in ("Acosh", "Lgamma") else 0.0)
        case(op, x.astype(np.float32), tol=1e-5)
    for dtype in SIGNED:
        for op in ["Abs", "Neg", "Square", "Sign"]:
            case(op, ints(dtype, 2, 4, low=-11, high=11))
    for dtype in [np.int32, np.uint8]:
        case("Relu", ints(dtype, 9))
        case("Relu6", ints(dtype, 9))
        case("Invert", ints(dtype, 9))
    for op in ["IsNan", "IsInf", "IsFinite"]:
        case(op, SPECIAL)
    case("LogicalNot", np.array([True, False]))
    case("LeakyRelu", SPECIAL, alpha=0.1, tol=1e-6)
    case("LeakyRelu", f32(3, 4))


def binary():
    pairs = [((2, 3), (2, 3)), ((2, 3), ()), ((), (2, 3)), ((2, 3), (3,)), ((3,), (2, 3)),
             ((2, 1, 4), (3, 1)), ((1,), (5,)), ((2, 1), (1, 3)), ((0, 3), (3,)), ((2, 3, 4), (3, 1)),
             ((1, 1), (1,)), ((2, 1, 3, 1, 2), (1, 4, 1, 3, 1))]
    exact = ["AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference"]
    for op in exact + ["RealDiv"]:
        for a, b in pairs:
            case(op, f32(*a), f32(*b), tol=1e-6, scale=0 if op == "RealDiv" else 3)
        x, y = np.meshgrid(SPECIAL[:7], SPECIAL[:7])
        case(op, x, y, tol=1e-6)
    for op in ["FloorDiv", "FloorMod", "TruncateMod", "Pow", "Atan2", "DivNoNan", "MulNoNan"]:
        case(op, f32(4, 1), f32(3) + (4 if op == "Pow" else 0), tol=1e-5, scale=1)
        if op not in ("Atan2",):
            case(op, np.abs(f32(5)), f32(5), tol=1e-5, scale=1)
    for op in ["Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"]:
        x, y = np.meshgrid(SPECIAL[:7], SPECIAL[:7])
        case(op, x, y)
        case(op, ints(np.int32, 3, 1, low=0, high=3), ints(np.int32, 4, low=0, high=3))
        case(op, ints(np.uint8, 8, low=0, high=3), ints(np.uint8, 8, low=0, high=3))
    for op in ["LogicalAnd", "LogicalOr", "Equal"]:
        case(op, np.array([True, True, False, False]), np.array([True, False, True, False]))
    for dtype in NUMBERS:
        extremes = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 3, 7], dtype)
        for op in exact:
            case(op, ints(dtype, 2, 3), ints(dtype, 3))
        for op in ["AddV2", "Sub", "Mul"]:
            case(op, extremes, extremes[::-1].copy())
        case("FloorDiv", ints(dtype, 3, 4), ints(dtype, 4, low=1, high=9))
        case("FloorMod", ints(dtype, 3, 4), ints(dtype, 4, low=1, high=9)) if dtype not in (
            np.int8, np.int16, np.uint8, np.uint16) else None
        case("BitwiseXor", ints(dtype, 6), ints(dtype, 6))
        case("BitwiseAnd", ints(dtype, 6), ints(dtype, 6))
        case("BitwiseOr", ints(dtype, 6), ints(dtype, 6))
        case("LeftShift", ints(dtype, 6, low=0), ints(dtype, 6, low=0, high=6))
        case("RightShift", ints(dtype, 6), ints(dtype, 6, low=0, high=6))
    for dtype in [np.int32, np.int64]:
        case("FloorDiv", ints(dtype, 5), ints(dtype, 5, low=-9, high=-1))
        case("FloorMod", ints(dtype, 5), ints(dtype, 5, low=-9, high=-1))
        case("TruncateDiv", ints(dtype, 5), ints(dtype, 5, low=-9, high=-1))
        case("TruncateMod", ints(dtype, 5), ints(dtype, 5, low=-9, high=-1))
        case("Pow", ints(dtype, 5, low=-5, high=5), ints(dtype, 5, low=0, high=7))
    case("AddN", [f32(2, 3), f32(2, 3), f32(2, 3), f32(2, 3)], tol=1e-6, scale=3)
    case("AddN", [f32(4)])
    case("AddN", [ints(np.int32, 4), ints(np.int32, 4)])
    case("BiasAdd", f32(2, 3, 2, 4), f32(4))
    case("BiasAdd", f32(2, 4), f32(4), data_format="NHWC")
    case("BiasAdd", f32(2, 4, 3, 2), f32(4), data_format="NCHW")
    case("BiasAdd", ints(np.int32, 2, 4), ints(np.int32, 4))
    case("ClipByValue", SPECIAL, np.float32(-2), np.float32(6))
    case("ClipByValue", f32(2, 3), f32(2, 3), f32(2, 3) + 3)
    case("ClipByValue", ints(np.int32, 5), I(-7), I(9))


def windows():
    for pad in ["SAME", "VALID"]:
        for k, s in [((2, 2), (2, 2)), ((3, 3), (1, 1)), ((3, 2), (2, 1)), ((1, 1), (2, 2)), ((3, 3), (2, 2))]:
            attrs = dict(ksize=[1, *k, 1], strides=[1, *s, 1], padding=pad)
            case("MaxPool", f32(2, 5, 6, 3), **attrs)
            case("AvgPool", f32(2, 5, 6, 3), tol=1e-6, scale=3, **attrs)
    case("MaxPool", f32(1, 5, 5, 11), ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="EXPLICIT",
         explicit_paddings=[0, 0, 1, 0, 0, 1, 0, 0])
    case("MaxPool", f32(1, 4, 4, 9) - 5, ksize=[1, 3, 3, 1], strides=[1, 1, 1, 1], padding="SAME")
    case("MaxPool", ints(np.int8, 1, 4, 4, 2), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    case("MaxPool", ints(np.int32, 1, 4, 4, 2), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")
    case("AvgPool", f32(1, 7, 7, 5), ksize=[1, 7, 7, 1], strides=[1, 1, 1, 1], padding="VALID", tol=1e-6, scale=3)
    case("AvgPool", f32(1, 3, 3, 2).astype(np.float64), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1],
         padding="SAME", tol=1e-12, scale=3)


def norms():
    for shape in [(5,), (3, 4), (2, 3, 2), (2, 33), (4, 1), (0, 3), (1, 1000)]:
        case("Softmax", f32(*shape, low=-9, high=9), tol=1e-5)
        case("LogSoftmax", f32(*shape, low=-9, high=9), tol=1e-6, scale=9)
    case("Softmax", np.array([[1000.0, 1000.0, -1000.0], [-np.inf, 0, 1]], np.float32), tol=1e-5)
    case("Softmax", f32(2, 5).astype(np.float64), tol=1e-12)
    for beta in [0.75, 0.5, 1.0, 0.3]:
        case("LRN", f32(1, 2, 2, 9), depth_radius=2, bias=1.0, alpha=0.2, beta=beta, tol=1e-5)
    case("LRN", f32(2, 1, 2, 3), depth_radius=5, bias=2.0, alpha=1e-4, beta=0.75, tol=1e-5)
    case("LRN", f32(1, 1, 1, 20), depth_radius=0, bias=1.0, alpha=1.0, beta=0.75, tol=1e-5)


def movement():
    for perm in [(0, 2, 3, 1), (0, 3, 1, 2), (3, 2, 1, 0), (0, 1, 2, 3), (1, 0, 3, 2)]:
        case("Transpose", f32(2, 3, 4, 5), np.array(perm, I))
        case("Transpose", ints(np.uint8, 1, 3, 4, 2), np.array(perm, np.int64))
    case("Transpose", f32(1, 20, 3, 7), np.array([0, 2, 3, 1], I))
    case("Transpose", f32(18, 37), np.array([1, 0], I))
    case("Transpose", ints(np.int64, 3, 4, 5), np.array([2, 0, 1], I))
    case("Transpose", f32(0, 3), np.array([1, 0], I))
    case("Transpose", f32(2, 3, 2, 2, 3).astype(np.float16), np.array([4, 0, 2, 1, 3], I))
    case("ReverseV2", f32(2, 3, 4), np.array([0, 2], I))
    case("ReverseV2", ints(np.int8, 5), np.array([-1], I))
    case("ReverseV2", f32(2, 2), np.array([], I))
    case("Tile", f32(2, 3), np.array([2, 1], I))
    case("Tile", ints(np.int16, 2, 1, 3), np.array([1, 3, 2], np.int64))
    case("Tile", f32(2, 3), np.array([0, 2], I))
    case("BroadcastTo", f32(3, 1), np.array([2, 3, 4], I))
    case("BroadcastTo", np.float32(2.5), np.array([2, 2], I))
    case("DepthToSpace", f32(2, 2, 3, 8), block_size=2)
    case("SpaceToDepth", f32(2, 4, 6, 3), block_size=2)
    case("ConcatV2", [f32(2, 3), f32(2, 1), f32(2, 0)], I(1))
    case("ConcatV2", [f32(2, 3), f32(1, 3)], I(-2))
    case("ConcatV2", [ints(np.uint8, 1, 2, 2), ints(np.uint8, 1, 2, 5)], np.int64(2))
    case("Concat", I(0), [f32(2, 3), f32(1, 3)])
    case("Pack", [f32(2, 3), f32(2, 3)], axis=1)
    case("Pack", [f32(2), f32(2), f32(2)], axis=-1)
    case("Pack", [I(1), I(2)])
    case("Unpack", f32(2, 3, 2), num=3, axis=1)
    case("Split", I(1), f32(2, 6), num_split=3)
    case("Split", I(-3), f32(2, 3, 2), num_split=2)
    case("SplitV", f32(2, 6), np.array([1, -1, 2], I), I(1), num_split=3)
    case("SplitV", ints(np.int8, 5), np.array([2, 3, 0], np.int64), I(0), num_split=3)
    case("Slice", f32(3, 4, 5), np.array([1, 0, 2], I), np.array([2, -1, 3], I))
    case("Slice", f32(3, 4), np.array([0, 0], np.int64), np.array([3, 4], np.int64))
    case("Slice", f32(3, 4), np.array([3, 0], I), np.array([0, 4], I))
    x = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)

    def strided(x, begin, end, step, **masks):
        case("StridedSlice", x, np.array(begin, I), np.array(end, I), np.array(step, I), **masks)
    strided(x, [0, 1], [2, 3], [1, 1])
    strided(x, [1], [2], [1], shrink_axis_mask=1)
    strided(x, [0, -1], [0, -4], [1, -1], begin_mask=1, end_mask=1)
    strided(x, [0, 0, 1], [0, 0, 3], [1, 1, 1], ellipsis_mask=2, begin_mask=1, end_mask=1)
    strided(x, [0, 0, 0], [0, 0, 0], [1, 1, 1], ellipsis_mask=2, new_axis_mask=5)
    strided(x, [-1, 0, 3], [0, 9, -9], [1, 2, -2], shrink_axis_mask=1)
    strided(x, [5, -7], [9, 2], [1, 1])
    strided(x, [0, 0, 0, 4], [2, 3, 4, -6], [1, 1, 2, -1])
    strided(np.arange(10, dtype=np.int64), [0], [0], [-3], begin_mask=1, end_mask=1)
    strided(np.arange(10, dtype=np.uint8), [-3], [0], [1], end_mask=1)
    case("Pad", f32(2, 3), np.array([[1, 0], [2, 1]], I))
    case("Pad", f32(1, 2, 2, 3), np.array([[0, 0], [1, 1], [2, 0], [0, 0]], np.int64))
    case("PadV2", ints(np.int8, 3), np.array([[2, 2]], I), np.int8(7))
    case("PadV2", f32(2, 2, 2), np.array([[0, 1], [0, 0], [1, 0]], I), np.float32(-1.5))
    for mode in ["REFLECT", "SYMMETRIC"]:
        case("MirrorPad", f32(3, 4), np.array([[1, 2], [2, 3]], I), mode=mode)
        case("MirrorPad", ints(np.int32, 2, 3, 2), np.array([[1, 1], [0, 2], [1, 1]], I), mode=mode)
    case("Reshape", f32(2, 6), np.array([3, -1], I))
    case("Reshape", f32(0, 6), np.array([3, -1], I))
    case("Reshape", f32(1), np.array([], I))
    case("ExpandDims", f32(2, 3), I(-1))
    case("ExpandDims", f32(2, 3), np.int64(1))
    case("Squeeze", f32(1, 2, 1, 3))
    case("Identity", f32(3))
    case("Bitcast", f32(2, 3), type="int32")
    case("Bitcast", f32(2, 3), type="uint8")
    case("Bitcast", ints(np.uint8, 2, 4), type="int32")
    case("Shape", f32(2, 0, 3))
    case("Shape", f32(2, 4), out_type="int64")
    case("Size", f32(2, 4))
    case("Rank", f32(2, 4))


def makers():
    case("Fill", np.array([2, 3], I), np.float32(1.5))
    case("Fill", np.array([], np.int64), np.int8(3))
    case("Fill", np.array([5, 3, 7], I), np.int64(-9))
    case("ZerosLike", f32(2, 3))
    for dtype in [np.float32, np.float16, np.int16, np.bool_, np.float64]:
        case("OnesLike", np.zeros((2, 2), dtype))
    case("Range", I(2), I(11), I(3))
    case("Range", np.int64(5), np.int64(-4), np.int64(-2))
    case("Range", np.float32(0), np.float32(1), np.float32(0.3))
    case("Range", np.float64(1), np.float64(1), np.float64(0.5))
    case("OneHot", np.array([0, 2, -1, 5], I), I(3), np.float32(1), np.float32(0))
    case("OneHot", ints(np.int64, 2, 3, low=0, high=3), I(4), np.int8(5), np.int8(-5), axis=0)
    case("OneHot", ints(np.uint8, 2, 3, low=0, high=3), I(4), np.float32(5), np.float32(-5), axis=1)


def casts():
    values = np.array([0, 1, -1, 2.5, -2.5, 100.4, -100.6, 127], np.float32)
    small = np.array([0, 1, 2.5, 100.4, 127], np.float32)
    for to in ["float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "bool"]:
        case("Cast", values, DstT=to)
    for to in ["uint8", "uint16", "uint32", "uint64"]:
        case("Cast", small, DstT=to)
    for dtype in NUMBERS + [np.bool_]:
        source = np.array([0, 1, 1, 0], dtype) if dtype == np.bool_ else np.concatenate(
            [ints(dtype, 4), np.array([np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)])
        for to in ["float32", "float64", "int8", "int64", "uint8", "uint64", "bool", "bfloat16"]:
            case("Cast", source, DstT=to)
    halves = np.array([0, 1, -2.5, 65504, 6e-8, 5.9e-5, np.inf, -0.0], np.float16)
    for to in ["float32", "float64", "bfloat16", "int32"]:
        case("Cast", halves[:3] if to == "int32" else halves, DstT=to)
    edges = np.array([65519.9, 65520, 1e9, -1e9, 6.1e-5, 6.09e-5, 2.98e-8, 2.99e-8, 1e-9, 1.0009765625,
                      1.00048828125, 1.001464843, np.inf, 0.1], np.float32)
    case("Cast", edges, DstT="float16")
    case("Cast", edges, DstT="bfloat16")


def picks():
    case("GatherV2", f32(4, 3), np.array([3, 0, 0], I), I(0))
    case("GatherV2", f32(2, 4, 3), np.array([[3, 0], [1, 1]], np.int64), I(1))
    case("GatherV2", f32(2, 4, 3), np.array([[3, 0], [1, 1]], np.int64), I(1), batch_dims=1)
    case("GatherV2", ints(np.uint8, 5), I(2), I(-1))
    case("Gather", f32(4, 3), np.array([[2]], I))
    case("GatherNd", f32(3, 4, 2), np.array([[0, 1], [2, 3]], I))
    case("GatherNd", f32(3, 4), np.array([[[2]], [[0]]], np.int64))
    case("GatherNd", ints(np.int8, 3, 4), np.array([[2, 1], [0, 0], [1, 3]], I))
    case("ScatterNd", np.array([[1], [3], [1]], I), f32(3, 2), np.array([5, 2], I), tol=1e-6, scale=3)
    case("ScatterNd", np.array([[0, 1], [2, 2]], np.int64), ints(np.int64, 2), np.array([3, 3], np.int64))
    case("SelectV2", np.array([[True], [False]]), f32(3), f32(2, 3))
    case("SelectV2", np.array(True), ints(np.uint8, 2, 2), ints(np.uint8, 2))
    case("Select", np.array([True, False]), f32(2, 3), f32(2, 3))
    case("Select", np.array([True, False, True]), f32(3), f32(3))
    case("Where", np.array([[True, False], [False, True]]))
    case("Where", np.array([0.0, -0.0, np.nan, 2], np.float32))
    case("Where", np.zeros((2, 0), np.int32))


def reductions():
    for op in ["Sum", "Mean", "Prod", "Max", "Min"]:
        for shape, axes, keep in [((2, 3, 4), [1], False), ((2, 3, 4), [0, 2], True), ((2, 3, 4), [-1], False),
                                  ((2, 3, 4, 5), [1, 2], True), ((2, 3), [], False), ((3, 0, 2), [1], False),
                                  ((0, 3), [1], False), ((2, 70), [1], False), ((3, 2, 300), [1], False),
                                  ((5,), [0], False), ((2, 3, 4, 5), [0, 1, 2, 3], False), ((), [], False)]:
            case(op, f32(*shape), np.array(axes, I), keep_dims=keep, tol=1e-6, scale=30 if op == "Sum" else 0.5)
        case(op, np.array([[1, np.nan, 3], [np.inf, 2, 1]], np.float32), I(1), tol=1e-6)
        for dtype in NUMBERS:
            if op != "Prod":
                case(op, ints(dtype, 2, 3, low=1, high=9), np.array([1], np.int64))
        case(op, f32(3, 4).astype(np.float64), np.array([0], I), tol=1e-12, scale=3)
    for op in ["All", "Any"]:
        case(op, np.array([[True, False], [True, True]]), np.array([1], I))
        case(op, np.zeros((2, 0), np.bool_), np.array([1], I), keep_dims=True)


def indices():
    for op in ["ArgMax", "ArgMin"]:
        case(op, f32(3, 4, 2), I(1))
        case(op, f32(5), I(-1), output_type="int32")
        case(op, np.array([[1, 3, 3], [2, 2, 2]], np.float32), I(1))
        case(op, ints(np.uint8, 2, 6), np.int64(0))
    for k, shape in [(3, (2, 7)), (0, (2, 3)), (5, (5,)), (2, (2, 2, 9)), (1, (4, 1))]:
        case("TopKV2", f32(*shape), I(k))
    case("TopKV2", ints(np.int32, 3, 8, low=0, high=3), I(6))
    case("TopKV2", np.array([3, 1, 3, 2, 3], np.int8), I(4))
    for exclusive in [False, True]:
        for reverse in [False, True]:
            case("Cumsum", f32(2, 5, 2), I(1), exclusive=exclusive, reverse=reverse, tol=1e-6, scale=3)
    case("Cumsum", ints(np.int32, 4, 3), I(-2))
    case("ReverseSequence", f32(3, 4, 2), np.array([1, 4, 2], np.int64), seq_dim=1, batch_dim=0)
    case("ReverseSequence", ints(np.int32, 4, 3), np.array([0, 3, 2], I), seq_dim=0, batch_dim=1)
    case("L2Loss", f32(3, 4), tol=1e-6)
    case("L2Loss", f32(0))
    case("BatchToSpaceND", f32(4, 2, 3, 2), np.array([2, 2], I), np.array([[0, 1], [1, 0]], I))
    case("SpaceToBatchND", f32(1, 3, 4, 2), np.array([2, 2], I), np.array([[0, 1], [0, 0]], I))
    case("SpaceToBatchND", f32(2, 5), np.array([3], I), np.array([[1, 0]], I))
    case("ShapeN", [f32(2, 3), f32(4)])


def images():
    for size in [(4, 6), (2, 3), (7, 5), (3, 4), (1, 1)]:
        for mode in [dict(), dict(align_corners=True), dict(half_pixel_centers=True)]:
            case("ResizeBilinear", f32(1, 3, 4, 2), np.array(size, I), tol=1e-6, scale=3, **mode)
            case("ResizeNearestNeighbor", f32(1, 3, 4, 2), np.array(size, I), **mode)
    case("ResizeNearestNeighbor", ints(np.uint8, 1, 2, 2, 3), np.array([5, 3], I))
    for pad in ["SAME", "VALID"]:
        attrs = dict(ksize=[1, 2, 3, 2, 1], strides=[1, 2, 1, 2, 1], padding=pad)
        case("MaxPool3D", f32(1, 3, 4, 5, 2), **attrs)
        case("AvgPool3D", f32(1, 3, 4, 5, 2), tol=1e-6, scale=3, **attrs)
    case("FusedBatchNormV3", f32(2, 2, 3, 4), f32(4), f32(4), f32(4), np.abs(f32(4)) + 0.1,
         is_training=False, epsilon=0.01, tol=1e-5, scale=3, compare=1)


def systems():
    for dtype in (np.float32, np.float64):
        a = (f32(2, 4, 4) + 3 * np.eye(4)).astype(dtype)
        b, some = f32(2, 4, 3).astype(dtype), dict(tol=1e-5, scale=3)
        positive = (a @ a.transpose(0, 2, 1) + np.eye(4)).astype(dtype)
        case("Cholesky", positive, **some)
        for adjoint in (False, True):
            case("MatrixInverse", a, adjoint=adjoint, **some)
            case("MatrixSolve", a, b, adjoint=adjoint, **some)
            for lower in (False, True):
                case("MatrixTriangularSolve", a, b, lower=lower, adjoint=adjoint, **some)
                case("MatrixTriangularSolve", a[0], b, lower=lower, adjoint=adjoint, **some)
    case("MatrixTriangularSolve", a, b[:1], **some)
    case("MatrixInverse", f32(0, 3, 3))
    case("MatrixSolve", f32(1, 1) + 2, f32(1, 2), **some)


def few_channels():
    """Behind all others, and of numbers of its own, so that those of the others remain."""
    random = np.random.default_rng(3)
    x = random.normal(0, 2, (1, 13, 17, 3)).astype(np.float32).round(2)
    sides = random.normal(0, 2, (3, 3)).astype(np.float32).round(2)
    case("FusedBatchNormV3", x, *sides, np.float32([0.5, 1, 2]), is_training=False, epsilon=0.01, tol=1e-5, scale=3,
         compare=1)


unary()
binary()
windows()
norms()
movement()
makers()
casts()
picks()
reductions()
indices()
images()
systems()
few_channels()
out.close()
print(count, "cases")
