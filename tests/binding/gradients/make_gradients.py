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


def case(name, body, inputs, shapes=None, wanted=None, given=None, by_python=False, also=()):
    """body: placeholders to one tensor, or several; shapes: of the placeholders, where not the inputs'; by_python: where C++ has no gradient;
    also: other outputs that are kept."""
    with tf.Graph().as_default() as graph:
        places = [V1.placeholder(v.dtype, v.shape if shapes is None else shapes[i], name=f"x{i}") for i, v in enumerate(inputs)]
        ends = body(*places)
        ends = list(ends) if isinstance(ends, (list, tuple)) else [ends]
        extra = [V1.placeholder(v.dtype, v.shape, name=f"d{i}") for i, v in enumerate(given or [])]
        data = graph.as_graph_def().SerializeToString(deterministic=True)
        ys = [e.name for e in ends]
        if by_python:
            gradients = [v.name for v in V1.gradients(ends, places)]
            whole = graph.as_graph_def().SerializeToString()
    xs = [f"x{i}" for i in (range(len(inputs)) if wanted is None else wanted)]
    mine = c_api.Graph(API, whole if by_python else data)
    gradients = [mine.output(v) for v in gradients] if by_python else mine.gradients(ys, xs, [d.op.name for d in extra] or None)
    feeds = {f"x{i}": v for i, v in enumerate(inputs)} | {f"d{i}": v for i, v in enumerate(given or [])}
    values = mine.run(feeds, gradients)
    FOUND.update({f"{name}/graph": np.frombuffer(data, np.uint8), f"{name}/y": np.array(ys), f"{name}/x": np.array(xs)})
    FOUND.update({f"{name}/in:{k}": v for k, v in feeds.items()})
    FOUND.update({f"{name}/dy:{i}": v for i, v in enumerate(values)})
    FOUND.update({f"{name}/of:{k}": v for k, v in zip(also, mine.run(feeds, mine.outputs(also)) if also else [])})


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

case("LeakyReluGrad", lambda a: R.LeakyReluGrad(gradients=a, features=X, alpha=0.3) * [[1.0, 2, 3]], [f32(2, 3)])

# Pictures
for op, sizes in [("ResizeBilinear", [(7, 4), (3, 9)]), ("ResizeBicubic", [(7, 4)]), ("ResizeNearestNeighbor", [(7, 4), (2, 9)])]:
    for i, size in enumerate(sizes):
        for how in ("align_corners", "half_pixel_centers", None):
            attrs = {how: True} if how else {}
            case(f"{op}_{i}_{how}", lambda a: getattr(R, op)(images=a, size=size, **attrs) * f32(2, *size, 3), [f32(2, 5, 6, 3)])
for antialias in (False, True):
    case(f"ScaleAndTranslate_{antialias}", lambda a: R.ScaleAndTranslate(images=a, size=[3, 8], scale=[0.6, 1.3], translation=[0.5, -0.25],
                                                                         kernel_type="triangle", antialias=antialias) * f32(1, 3, 8, 2), [f32(1, 5, 6, 2)])
for mode in ("REFLECT", "SYMMETRIC"):
    case(f"MirrorPad_{mode}", lambda a: R.MirrorPad(input=a, paddings=[[1, 0], [2, 2]], mode=mode) * f32(4, 8), [f32(3, 4)])
case("PadV2", lambda a: R.PadV2(input=a, paddings=[[1, 0], [2, 1]], constant_values=7.0) * f32(3, 6), [X])
case("SpaceToDepth", lambda a: R.SpaceToDepth(input=a, block_size=2) * f32(1, 2, 3, 8), [f32(1, 4, 6, 2)])
case("DepthToSpace", lambda a: R.DepthToSpace(input=a, block_size=2) * f32(1, 4, 6, 2), [f32(1, 2, 3, 8)])
case("SpaceToBatchND", lambda a: R.SpaceToBatchND(input=a, block_shape=[2, 2], paddings=[[1, 1], [0, 0]]) * f32(4, 3, 3, 2), [f32(1, 4, 6, 2)])
case("BatchToSpaceND", lambda a: R.BatchToSpaceND(input=a, block_shape=[2, 2], crops=[[1, 1], [0, 0]]) * f32(1, 4, 6, 2), [f32(4, 3, 3, 2)])
case("SpaceToBatch", lambda a: R.SpaceToBatch(input=a, block_size=2, paddings=[[0, 0], [0, 0]]) * f32(4, 2, 3, 2), [f32(1, 4, 6, 2)])
case("BatchToSpace", lambda a: R.BatchToSpace(input=a, block_size=2, crops=[[0, 0], [0, 0]]) * f32(1, 6, 6, 2), [f32(4, 3, 3, 2)])

# Places
for axis in (0, 1, -1):
    case(f"GatherV2_{axis}", lambda a: R.GatherV2(params=a, indices=[[1, 0], [1, 2]], axis=axis) * 3.0, [f32(3, 4, 3)], [[3, None, 3]], by_python=axis < 0)
case("GatherV2_batches", lambda a: R.GatherV2(params=a, indices=[[1, 0, 1], [1, 2, 3]], axis=2, batch_dims=1) * f32(2, 3, 3, 2), [f32(2, 3, 4, 2)])
case("GatherNd", lambda a: R.GatherNd(params=a, indices=[[1, 0], [0, 2], [1, 0]]) * f32(3, 2), [f32(2, 3, 2)])
case("ScatterNd", lambda a: R.ScatterNd(indices=[[1], [3], [1]], updates=a, shape=[5, 2]) * f32(5, 2), [f32(3, 2)])
case("ScatterNdNonAliasingAdd", lambda a, b: R.ScatterNdNonAliasingAdd(input=a, indices=[[1], [3]], updates=b) * f32(5, 2), [f32(5, 2), f32(2, 2)])
case("SegmentSum", lambda a: R.SegmentSum(data=a, segment_ids=[0, 0, 2]) * f32(3, 2), [f32(3, 2)])
for op in ["Sum", "Max", "Min"]:
    case(f"UnsortedSegment{op}", lambda a: getattr(R, f"UnsortedSegment{op}")(data=a, segment_ids=[1, 0, 1, -1], num_segments=3) * [[1.0, 2], [3, 4], [0, 0]],
         [np.float32([[1, 2], [3, 4], [1, 5], [6, 7]])])
case("DynamicPartition", lambda a: [p * (i + 1.0) for i, p in enumerate(R.DynamicPartition(data=a, partitions=[1, 0, 1, 2], num_partitions=3)) if i != 0],
     [f32(4, 2)])
case("DynamicStitch", lambda a, b: R.DynamicStitch(indices=[[0, 3], [1, 2]], data=[a, b]) * f32(4, 2), [f32(2, 2), f32(2, 2)])
case("Roll", lambda a: R.Roll(input=a, shift=[1], axis=[1]) * [[1.0, 2, 3]], [X])
case("ReverseSequence", lambda a: R.ReverseSequence(input=a, seq_lengths=[2, 3], seq_dim=1, batch_dim=0) * [[1.0, 2, 3]], [X])
case("Diag", lambda a: R.Diag(diagonal=a) * f32(3, 3), [f32(3)])
case("DiagPart", lambda a: R.DiagPart(input=a) * [1.0, 2, 3], [f32(3, 3)])
case("MatrixDiag", lambda a: R.MatrixDiag(diagonal=a) * f32(2, 3, 3), [X])
case("MatrixBandPart", lambda a: R.MatrixBandPart(input=a, num_lower=1, num_upper=0) * f32(2, 3, 4), [f32(2, 3, 4)])
case("Fill", lambda a: R.Fill(dims=[2, 3], value=a) * [[1.0, 2, 3]], [f32()])

# Numbers
for axes in ([1], [0, 2], [-1, 0], []):
    case(f"Prod_{len(axes)}_{sum(axes)}", lambda a: R.Prod(input=a, axis=tf.constant(axes, tf.int32), keep_dims=len(axes) == 2) * 2.0, [f32(2, 3, 4)])
case("Prod_noughts", lambda a: R.Prod(input=a, axis=1), [np.float32([[0, 2, 3], [0, 0, 1]])])
case("ClipByValue", lambda a, b: R.ClipByValue(t=a, clip_value_min=-0.5, clip_value_max=b) * [[1.0, 2, 3]], [X, np.float32(0.7)])
case("Lgamma", lambda a: R.Lgamma(x=a), [P * 3])
case("Erfinv", lambda a: R.Erfinv(x=a), [U])
case("Ndtri", lambda a: R.Ndtri(x=a), [(U + 1) / 2])
case("Inv", lambda a: R.Inv(x=a) * a, [P])
case("CheckNumerics", lambda a: R.CheckNumerics(tensor=a, message="m") * a, [X])
case("QuantizeAndDequantizeV3", lambda a: R.QuantizeAndDequantizeV3(input=a, input_min=-1.0, input_max=1.0, num_bits=8, range_given=True) * [[1.0, 2, 3]], [X])
case("Complex", lambda a, b: R.Real(input=R.Complex(real=a, imag=b)) * 2.0 + R.Imag(input=R.Conj(input=R.Complex(real=a, imag=b))) * 3.0, [X, f32(2, 3)])
case("Angle", lambda a, b: R.Angle(input=R.Complex(real=a, imag=b)) * [[1.0, 2, 3]], [P, f32(2, 3)])
for equation, shapes in [("ab,bc->ac", [(2, 3), (3, 4)]), ("abc,cd->abd", [(2, 3, 4), (4, 2)]), ("bij,bkj->bik", [(2, 3, 4), (2, 5, 4)]), ("ab->ba", [(2, 3)])]:
    case(f"Einsum_{equation}", lambda *a: R.Einsum(inputs=list(a), equation=equation) * 2.0, [f32(*s) for s in shapes])
for op in ("BatchMatMul", "BatchMatMulV3"):
    extra = {"Tout": tf.float32} if op.endswith("V3") else {}
    case(op, lambda a, b: getattr(R, op)(x=a, y=b, adj_y=True, **extra) * f32(2, 3, 5), [f32(2, 3, 4), f32(2, 5, 4)])

# Layers
for padding, stride in [("SAME", 1), ("VALID", 2)]:
    for multiple in (1, 2):
        case(f"DepthwiseConv2dNative_{padding}_{multiple}",
             lambda a, b: R.DepthwiseConv2dNative(input=a, filter=b, strides=[1, stride, stride, 1], padding=padding), [f32(2, 6, 5, 3), f32(3, 2, 3, multiple)])
case("Conv2DBackpropInput", lambda a, b: R.Conv2DBackpropInput(input_sizes=[2, 6, 4, 3], filter=a, out_backprop=b, strides=[1, 2, 2, 1], padding="SAME") *
     f32(2, 6, 4, 3), [f32(3, 3, 3, 2), f32(2, 3, 2, 2)])
for training in (False, True):
    for form, shape in [("NHWC", (2, 3, 4, 5)), ("NCHW", (2, 5, 3, 4))][:2 if training else 1]:
        case(f"FusedBatchNormV3_{training}_{form}", lambda a, b, c: R.FusedBatchNormV3(
            x=a, scale=b, offset=c, mean=[] if training else f32(5), variance=[] if training else np.abs(f32(5)) + np.float32(0.2), epsilon=0.01,
            is_training=training, data_format=form)[0] * f32(*shape), [f32(*shape), f32(5), f32(5)], also=[f"FusedBatchNormV3:{k}" for k in range(3 if training else 1)])
    case(f"FusedBatchNorm_{training}", lambda a, b, c: R.FusedBatchNorm(
        x=a, scale=b, offset=c, mean=[] if training else f32(5), variance=[] if training else np.abs(f32(5)) + np.float32(0.2), epsilon=0.01,
        is_training=training)[0] * f32(2, 3, 4, 5), [f32(2, 3, 4, 5), f32(5), f32(5)], by_python=True)
case("LRN", lambda a: R.LRN(input=a, depth_radius=2, bias=1.5, alpha=0.4, beta=0.7) * f32(2, 2, 3, 7), [f32(2, 2, 3, 7)], by_python=True)

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
