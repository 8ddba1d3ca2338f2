#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes gradients.npz: graphs, what is fed, and the gradients that TensorFlow 2.16.1's own TF_AddGradients gives of them.

    python3 -m venv peer && peer/bin/pip install tensorflow-cpu==2.16.1 && peer/bin/python make_gradients.py

A case is NAME/graph, NAME/y and NAME/x (names), NAME/in:PLACEHOLDER, NAME/dy:I. Those that are given are fed
to the placeholders d0, d1."""
import os
import pathlib

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
import numpy as np
import tensorflow as tf

import c_api

V1, R = tf.compat.v1, tf.raw_ops
FOLDER = pathlib.Path(__file__).resolve().parent
API = c_api.Api(pathlib.Path(tf.__file__).parent / "libtensorflow_cc.so.2")
RNG = np.random.default_rng(0)
FOUND = {}


def f32(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def case(name, body, inputs, shapes=None, wanted=None, given=None, by_python=False):
    """body: placeholders to one tensor, or several; shapes: of the placeholders, where not the inputs'; by_python: where C++ has no gradient."""
    with tf.Graph().as_default() as graph:
        places = [V1.placeholder(v.dtype, v.shape if shapes is None else shapes[i], name=f"x{i}") for i, v in enumerate(inputs)]
        ends = body(*places)
        ends = list(ends) if isinstance(ends, (list, tuple)) else [ends]
        extra = [V1.placeholder(v.dtype, v.shape, name=f"d{i}") for i, v in enumerate(given or [])]
        data = graph.as_graph_def().SerializeToString(deterministic=True)
        ys = [e.name for e in ends]
        if by_python:
            gradient = V1.gradients(ends, places)[0].name
            whole = graph.as_graph_def().SerializeToString()
    xs = [f"x{i}" for i in (range(len(inputs)) if wanted is None else wanted)]
    mine = c_api.Graph(API, whole if by_python else data)
    gradients = [mine.output(gradient)] if by_python else mine.gradients(ys, xs, [d.op.name for d in extra] or None)
    feeds = {f"x{i}": v for i, v in enumerate(inputs)} | {f"d{i}": v for i, v in enumerate(given or [])}
    values = mine.run(feeds, gradients)
    FOUND.update({f"{name}/graph": np.frombuffer(data, np.uint8), f"{name}/y": np.array(ys), f"{name}/x": np.array(xs)})
    FOUND.update({f"{name}/in:{k}": v for k, v in feeds.items()})
    FOUND.update({f"{name}/dy:{i}": v for i, v in enumerate(values)})


X, P = f32(2, 3), np.abs(f32(2, 3)) + np.float32(0.1)
U = np.tanh(f32(2, 3)) * np.float32(0.9)
for op, x in [("Abs", X), ("Acos", U), ("Acosh", P + 1), ("Asin", U), ("Asinh", X), ("Atan", X), ("Atanh", U), ("Cos", X), ("Cosh", X), ("Erf", X),
              ("Exp", X), ("Expm1", X), ("Identity", X), ("Log", P), ("Log1p", P), ("Neg", X), ("Reciprocal", P), ("Rsqrt", P), ("Sigmoid", X),
              ("Sign", X), ("Sin", X), ("Sinh", X), ("Sqrt", P), ("Square", X), ("Tan", U), ("Tanh", X)]:
    case(op, lambda a: getattr(R, op)(**{"input" if op == "Identity" else "x": a}) * 3.0, [x], [[None, 3]])
for op in ["Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign", "LeakyRelu"]:
    case(op, lambda a: getattr(R, op)(features=a) * a, [X * 4])
case("LeakyRelu_alpha", lambda a: R.LeakyRelu(features=a, alpha=0.3), [X])
case("Softmax", lambda a: R.Softmax(logits=a) * [[1.0, 2, 3]], [X])
case("LogSoftmax", lambda a: R.LogSoftmax(logits=a) * [[1.0, 2, 3]], [X], [[None, None]])
case("L2Loss", lambda a: R.L2Loss(t=a), [X])
case("doubles", lambda a: tf.math.erf(a) * tf.sqrt(a) * 0.1, [np.float64(P)])

PAIRS = [((2, 3), (2, 3)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (1, 3)), ((2, 3), ()), ((4, 2, 3), (2, 1)), ((1,), (2, 1))]
for op in ["Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "DivNoNan", "SquaredDifference", "Maximum", "Minimum", "Pow", "Atan2"]:
    for i, (a, b) in enumerate(PAIRS):
        inputs = [np.abs(f32(*a)) + np.float32(0.2), f32(*b)]
        names = ("y", "x") if op == "Atan2" else ("x", "y")
        unknown = [[None] * len(a), [None] * len(b)] if i in (1, 3, 5) else [None, None] if i == 2 else None
        if i == 0 or op in ("Add", "AddV2", "Mul") or (i in (1, 3) and op != "Atan2"):  # whose gradients do not fit there
            case(f"{op}_{i}", lambda a, b: getattr(R, op)(**dict(zip(names, (a, b)))), inputs, unknown)
case("SelectV2", lambda a, b: R.SelectV2(condition=tf.constant([True, False, True]), t=a, e=b), [f32(2, 3), f32(3)])
case("Select", lambda a, b: R.Select(condition=tf.constant([[True, False, True]] * 2), x=a, y=b), [X, f32(2, 3)])
case("Cast", lambda a: tf.cast(tf.cast(a, tf.float64) * 2, tf.float32), [X])
case("AddN", lambda a, b: tf.add_n([a, b, a]), [X, f32(2, 3)])

for i in range(4):
    ta, tb = bool(i & 2), bool(i & 1)
    case(f"MatMul_{i}", lambda a, b: R.MatMul(a=a, b=b, transpose_a=ta, transpose_b=tb), [f32(*([4, 2] if ta else [2, 4])), f32(*([3, 4] if tb else [4, 3]))])
    case(f"BatchMatMulV2_{i}", lambda a, b: R.BatchMatMulV2(x=a, y=b, adj_x=ta, adj_y=tb),
         [f32(5, *([4, 2] if ta else [2, 4])), f32(*([3, 4] if tb else [4, 3]))])
case("BatchMatMulV2_batches", lambda a, b: R.BatchMatMulV2(x=a, y=b), [f32(5, 1, 2, 4), f32(3, 4, 2)], [[None, 1, 2, 4], [None, 4, 2]])

for keep in (False, True):
    for op in ["Sum", "Mean", "Max", "Min"]:
        for i, (axes, shape) in enumerate([([1], None), ([0, 2], [[None, 3, None]]), ([-1], None)]):
            case(f"{op}_{keep}_{i}", lambda a: getattr(R, op)(input=a, axis=axes, keep_dims=keep), [f32(2, 3, 4)], shape)
case("Max_ties", lambda a: R.Max(input=a, axis=[1]), [np.float32([[1, 3, 3], [2, 2, 2]])])
for exclusive in (False, True):
    case(f"Cumsum_{exclusive}", lambda a: R.Cumsum(x=a, axis=1, exclusive=exclusive, reverse=not exclusive) * [[1.0, 2, 3]], [X])
    case(f"Cumsum_both_{exclusive}", lambda a: R.Cumsum(x=a, axis=0, exclusive=exclusive, reverse=exclusive) * [[1.0], [2]], [X])

W = tf.constant
case("Reshape", lambda a: R.Reshape(tensor=a, shape=[3, 2]) * [[1.0, 2]], [X])
case("ExpandDims", lambda a: R.ExpandDims(input=a, axis=1) * [[[1.0, 2, 3]]], [X], [[None, 3]])
case("Squeeze", lambda a: R.Squeeze(input=a, axis=[1]) * [[1.0, 2, 3]], [f32(2, 1, 3)])
case("Transpose", lambda a: R.Transpose(x=a, perm=[2, 0, 1]) * f32(4, 2, 3), [f32(2, 3, 4)])
case("ReverseV2", lambda a: R.ReverseV2(tensor=a, axis=[1]) * [[1.0, 2, 3]], [X])
case("BroadcastTo", lambda a: R.BroadcastTo(input=a, shape=[4, 2, 3]) * f32(4, 2, 3), [f32(2, 1)])
case("Tile", lambda a: R.Tile(input=a, multiples=[2, 3]) * f32(4, 9), [X])
case("Pad", lambda a: R.Pad(input=a, paddings=[[1, 0], [2, 1]]) * f32(3, 6), [X])
case("Slice", lambda a: R.Slice(input=a, begin=[0, 1], size=[2, 2]) * f32(2, 2), [X])
case("Pack", lambda a, b: R.Pack(values=[a, b], axis=1) * f32(2, 2, 3), [X, f32(2, 3)])
case("Unpack", lambda a: R.Unpack(value=a, num=3, axis=1)[1] * 2.0, [X])
case("ConcatV2", lambda a, b: R.ConcatV2(values=[a, b, a], axis=-1) * f32(2, 8), [X, f32(2, 2)])
case("ConcatV2_rows", lambda a, b: R.ConcatV2(values=[a, b], axis=0) * 2.0, [X, f32(4, 3)], [[None, 3], [None, 3]])
case("Split", lambda a: [p * (i + 1.0) for i, p in enumerate(R.Split(axis=1, value=a, num_split=3)) if i != 1], [X])
case("SplitV", lambda a: R.SplitV(value=a, size_splits=[1, 2], axis=1, num_split=2)[1] * 2.0, [X])
case("GatherV2", lambda a: R.GatherV2(params=a, indices=[1, 0, 1], axis=0) * f32(3, 3), [X])

for padding in ["SAME", "VALID"]:
    for stride in (1, 2):
        case(f"Conv2D_{padding}_{stride}", lambda a, b: R.Conv2D(input=a, filter=b, strides=[1, stride, stride, 1], padding=padding),
             [f32(2, 6, 5, 2), f32(3, 2, 2, 3)], [[None, 6, 5, 2], [3, 2, 2, 3]])
        case(f"AvgPool_{padding}_{stride}", lambda a: R.AvgPool(value=a, ksize=[1, 3, 2, 1], strides=[1, stride, stride, 1], padding=padding) *
             3.0, [f32(2, 6, 5, 2)], [[None, 6, 5, 2]])
        case(f"MaxPool_{padding}_{stride}", lambda a: R.MaxPool(input=a, ksize=[1, 3, 2, 1], strides=[1, stride, stride, 1], padding=padding) *
             3.0, [f32(2, 6, 5, 2)])
case("BiasAdd", lambda a, b: R.BiasAdd(value=a, bias=b) * f32(2, 4, 3), [f32(2, 4, 3), f32(3)])
case("BiasAdd_first", lambda a, b: R.BiasAdd(value=a, bias=b, data_format="NCHW") * f32(2, 3, 4, 5), [f32(2, 3, 4, 5), f32(3)])
case("SoftmaxCrossEntropy", lambda a, b: R.SoftmaxCrossEntropyWithLogits(features=a, labels=b)[0] * [1.0, 2], [X, np.float32([[0, 1, 0], [0.5, 0, 0.5]])])
case("SparseSoftmaxCrossEntropy", lambda a: R.SparseSoftmaxCrossEntropyWithLogits(features=a, labels=[2, 0])[0], [X], by_python=True)

# Whole graphs
case("square_of_square", lambda a: R.Square(x=R.Square(x=a)), [X])
case("used_twice", lambda a, b: tf.tanh(a @ b) + tf.reduce_sum(a * a, 1, keepdims=True) * b[0], [f32(2, 3), f32(3, 2)])
case("given", lambda a: [a * a, tf.exp(a)], [X], given=[f32(2, 3), f32(2, 3)])
case("stopped", lambda a: tf.stop_gradient(a * a) * a, [X])
case("whole_numbers_beside", lambda a, i: tf.gather(a, tf.cast(i, tf.int64)) * 2.0, [X, np.int32([1, 1])], wanted=[0])


def network(x, w, v, b):
    h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, 1, "SAME"), b)), 2, 2, "VALID")
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits([[1.0, 0, 0], [0, 0, 1.0]], tf.reshape(h, [-1, 18]) @ v))


case("network", network, [f32(2, 6, 6, 1), f32(3, 3, 1, 2), f32(18, 3), f32(2)])
np.savez_compressed(FOLDER / "gradients.npz", **FOUND)
print(len([k for k in FOUND if k.endswith("/graph")]), "cases")
