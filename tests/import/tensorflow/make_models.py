#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the models of models.tar.xz: small SavedModels and frozen graphs as TensorFlow itself saves them, each with inputs
and TensorFlow's own outputs (NAME.npz, members in:NAME and out:NAME).

Needs tensorflow-cpu 2.16.1; the tests read the archive alone.
Usage: make_models.py FOLDER [NAME ...], then tar -C FOLDER -cJf models.tar.xz --sort=name --mtime=@0 --owner=0 --group=0 .
"""
import os
import pathlib
import shutil
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
import numpy as np
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

OUT = pathlib.Path(sys.argv[1])
RNG = np.random.default_rng(0)
MODELS = {}
L = tf.keras.layers
V1 = tf.compat.v1


def f32(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def model(function):
    MODELS[function.__name__] = function
    return function


def store(name, inputs, outputs):
    plain = {f"out:{k}": np.asarray(v) for k, v in outputs.items()}
    plain.update({f"in:{k}": np.asarray(v) for k, v in inputs.items()})
    np.savez_compressed(OUT / f"{name}.npz", **{k: v.astype("S") if v.dtype == object else v for k, v in plain.items()})


def save(name, module, function, inputs, signatures=None):
    concrete = function.get_concrete_function()
    path = OUT / name
    shutil.rmtree(path, ignore_errors=True)
    tf.saved_model.save(module, str(path), signatures=signatures or {"serving_default": concrete})
    (path / "fingerprint.pb").unlink()
    loaded = tf.saved_model.load(str(path)).signatures["serving_default"]
    store(name, inputs, loaded(**{k: tf.constant(v) for k, v in inputs.items()}))


def freeze(name, function, inputs, lower):
    frozen = convert_variables_to_constants_v2(function.get_concrete_function(), lower_control_flow=lower)
    results = frozen(*[tf.constant(inputs[t.name.split(":")[0]]) for t in frozen.inputs])
    (OUT / f"{name}.pb").write_bytes(frozen.graph.as_graph_def().SerializeToString(deterministic=True))
    store(name, inputs, {"Identity": results[0] if isinstance(results, (list, tuple)) else results})


def keras(name, network, x):
    for weight in network.weights:  # what is nought or one as it begins would not be seen to be lost
        weight.assign(np.abs(f32(*weight.shape)) * 0.4 + 0.1 if "variance" in weight.path else f32(*weight.shape) * 0.4)
    module = tf.Module()
    module.network = network
    module.f = tf.function(lambda x: {"y": network(x, training=False)},
                           input_signature=[tf.TensorSpec([None, *x.shape[1:]], x.dtype, name="x")])
    save(name, module, module.f, {"x": x})


def plain(name, specs, body, inputs, frozen=None, **members):
    """A function of tensors; frozen: a GraphDef, with control flow lowered or not."""
    module = tf.Module()
    for key, value in members.items():
        setattr(module, key, value())
    module.f = tf.function(lambda *a: body(module, *a), input_signature=[tf.TensorSpec(s, d, name=n) for n, s, d in specs])
    if frozen is None:
        save(name, module, module.f, inputs)
    else:
        freeze(name, module.f, inputs, frozen)


# --- Networks ---------------------------------------------------------------------------------------
@model
def convolutions():
    keras("convolutions", tf.keras.Sequential([
        tf.keras.Input((12, 12, 2)), L.Conv2D(4, 3, padding="same", use_bias=False), L.BatchNormalization(), L.ReLU(),
        L.DepthwiseConv2D(3, 2, padding="same"), L.ReLU(6.0), L.MaxPool2D(), L.GlobalAveragePooling2D(), L.Dense(3, "softmax")]), f32(2, 12, 12, 2))


@model
def dilated():
    keras("dilated", tf.keras.Sequential([tf.keras.Input((20, 3)), L.Conv1D(4, 5, dilation_rate=2, padding="causal"), L.ReLU(),
                                          L.SeparableConv1D(4, 3), L.GlobalMaxPooling1D()]), f32(2, 20, 3))


@model
def decoder():
    x = tf.keras.Input((8, 8, 2))
    a = L.Conv2D(3, 3, padding="same", activation="elu")(x)
    b = L.Conv2DTranspose(2, 2, 2)(L.MaxPool2D()(a))
    y = L.UpSampling2D(2, interpolation="bilinear")(L.Concatenate()([a, b]))
    keras("decoder", tf.keras.Model(x, L.Conv2D(1, 1, activation="sigmoid")(y)), f32(1, 8, 8, 2))


@model
def attention():
    x = tf.keras.Input((5, 8))
    y = L.LayerNormalization()(x + L.MultiHeadAttention(2, 4)(x, x))
    keras("attention", tf.keras.Model(x, L.Dense(8)(L.Dense(12, "gelu")(y))), f32(2, 5, 8))


@model
def embedding():
    keras("embedding", tf.keras.Sequential([tf.keras.Input((6,), dtype=tf.int32), L.Embedding(20, 8), L.GlobalAveragePooling1D(), L.Dense(4)]),
          RNG.integers(0, 20, (2, 6)).astype(np.int32))


@model
def lstm():
    keras("lstm", tf.keras.Sequential([tf.keras.Input((7, 4)), L.LSTM(6, return_sequences=True), L.LSTM(5), L.Dense(2)]), f32(3, 7, 4))


@model
def gru_both_ways():
    keras("gru_both_ways", tf.keras.Sequential([tf.keras.Input((5, 4)), L.Bidirectional(L.GRU(3, return_sequences=True))]), f32(2, 5, 4))


# --- Functions, control flow, lists -----------------------------------------------------------------
def halves(module, x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: x * module.a, lambda: x - module.a)


def powers(module, x, n):
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y @ module.m + 1.0), [0, x])


HALVES = [("x", [None, 3], tf.float32)]
POWERS = [("x", [None, 3], tf.float32), ("n", [], tf.int32)]


@model
def if_taken():
    plain("if_taken", HALVES, lambda m, x: {"y": halves(m, x)}, {"x": np.abs(f32(2, 3))}, a=lambda: tf.Variable(2.0))


@model
def if_not_taken():
    plain("if_not_taken", HALVES, lambda m, x: {"y": halves(m, x)}, {"x": -np.abs(f32(2, 3))}, a=lambda: tf.Variable(2.0))


@model
def if_frozen():
    plain("if_frozen", HALVES, halves, {"x": -np.abs(f32(2, 3))}, frozen=False, a=lambda: tf.Variable(2.0))


@model
def if_lowered():
    plain("if_lowered", HALVES, halves, {"x": -np.abs(f32(2, 3))}, frozen=True, a=lambda: tf.Variable(2.0))


@model
def while_of_a_variable():
    def body(module, x, n):
        i, y = powers(module, x, n)
        return {"y": y, "i": i}
    plain("while_of_a_variable", POWERS, body, {"x": f32(2, 3), "n": np.int32(4)}, m=lambda: tf.Variable(f32(3, 3) * 0.3))


@model
def while_lowered():
    plain("while_lowered", POWERS, lambda m, x, n: powers(m, x, n)[1], {"x": f32(2, 3), "n": np.int32(4)}, frozen=True,
          m=lambda: tf.Variable(f32(3, 3) * 0.3))


@model
def nested_lowered():
    def body(module, x):
        def step(i, y):
            inner = tf.while_loop(lambda k, z: k < i, lambda k, z: (k + 1, z + module.a), [0, y])[1]
            return i + 1, tf.cond(i % 2 == 0, lambda: inner * 0.5, lambda: -inner)
        return tf.while_loop(lambda i, y: i < 5, step, [0, x])[1]
    plain("nested_lowered", HALVES, body, {"x": f32(2, 3)}, frozen=True, a=lambda: tf.Variable(2.0))


@model
def cases_lowered():
    """Of two, of three within three; an index that is none of them takes the last."""
    def body(module, x, k):
        inner = lambda: tf.switch_case(k - 5, [lambda: x + 7.0, lambda: x + 8.0, lambda: x - 3.0])
        return tf.concat([tf.switch_case(k, [lambda: x + 1.0, lambda: x * 2.0, inner]), tf.switch_case(k - 6, [lambda: x, lambda: x * module.a])], 0)
    plain("cases_lowered", [*HALVES, ("k", [], tf.int32)], body, {"x": f32(2, 3), "k": np.int32(6)}, frozen=True, a=lambda: tf.Variable(2.0))


@model
def case_of_three():
    plain("case_of_three", [*HALVES, ("k", [], tf.int32)],
          lambda m, x, k: {"y": tf.switch_case(k, [lambda: x + 1.0, lambda: x * 2.0, lambda: -x])}, {"x": f32(2, 3), "k": np.int32(1)})


@model
def list_of_sums():
    def body(module, x):
        sums = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
        for i in tf.range(tf.shape(x)[0]):
            sums = sums.write(i, tf.reduce_sum(x[:i + 1], 0))
        return {"y": sums.stack()}
    plain("list_of_sums", [("x", [None, 3], tf.float32)], body, {"x": f32(4, 3)})


LIST = tf.raw_ops


@model
def list_that_grows():
    """Elements are pushed and popped, and a list is written beyond its end."""
    def body(module, x):
        pushed = LIST.EmptyTensorList(element_shape=tf.constant(-1), max_num_elements=-1, element_dtype=tf.float32)
        written = tf.TensorArray(tf.float32, size=1, dynamic_size=True)
        for i in tf.range(tf.shape(x)[0]):
            pushed = LIST.TensorListPushBack(input_handle=pushed, tensor=x[i] * 2.0)
            written = written.write(2 * i, x[i])
        left, last = LIST.TensorListPopBack(input_handle=pushed, element_shape=[3], element_dtype=tf.float32)
        return {"stack": LIST.TensorListStack(input_handle=left, element_shape=[3], element_dtype=tf.float32, num_elements=-1), "last": last,
                "written": LIST.TensorListStack(input_handle=written.flow, element_shape=[3], element_dtype=tf.float32),
                "n": LIST.TensorListLength(input_handle=pushed)}
    plain("list_that_grows", [("x", [None, 3], tf.float32)], body, {"x": f32(4, 3)})


@model
def list_by_places():
    def body(module, x):
        split = LIST.TensorListSplit(tensor=x, element_shape=[2, 3], lengths=tf.constant([2, 2, 2], tf.int64))
        whole, lengths = LIST.TensorListConcatV2(input_handle=split, element_shape=[2, 3], leading_dims=tf.constant([], tf.int64),
                                                 element_dtype=tf.float32)
        spread = LIST.TensorListScatterV2(tensor=x, indices=[7, 1, 2, 0, 3, 4], element_shape=[3], num_elements=8)
        into = LIST.TensorListScatterIntoExistingList(input_handle=spread, tensor=x[:2] + 5.0, indices=[6, 0])
        longer = LIST.TensorListResize(input_handle=LIST.TensorListFromTensor(tensor=x, element_shape=[3]), size=8)
        shorter = LIST.TensorListResize(input_handle=longer, size=2)
        both = LIST.TensorListConcatLists(input_a=shorter, input_b=into, element_dtype=tf.float32)
        stack = {k: LIST.TensorListStack(input_handle=v, element_shape=[3], element_dtype=tf.float32)
                 for k, v in (("into", into), ("longer", longer), ("both", both))}
        return {"whole": whole, "lengths": lengths, "shape": LIST.TensorListElementShape(input_handle=split, shape_type=tf.int64), **stack,
                "gathered": LIST.TensorListGather(input_handle=into, indices=[6, 1], element_shape=[3], element_dtype=tf.float32)}
    plain("list_by_places", [("x", [6, 3], tf.float32)], body, {"x": f32(6, 3)})


# --- Tables -----------------------------------------------------------------------------------------
def table(keys, values, otherwise):
    return lambda: tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), otherwise)


@model
def words():
    plain("words", [("s", [None], tf.string)], lambda m, s: {"i": m.t.lookup(s)}, {"s": np.array([b"b", b"zz", b"a"])},
          t=table(["a", "b", "c"], [10, 20, 30], -1))


@model
def numbers():
    plain("numbers", [("i", [None], tf.int64)], lambda m, i: {"s": m.t.lookup(i)}, {"i": np.array([2, 0, 9])},
          t=table(tf.constant([0, 1, 2], tf.int64), ["x", "y", "z"], "?"))


@model
def vocabulary():
    file = OUT / "words.txt"
    file.write_text("cat\ndog\nbird\n")
    plain("vocabulary", [("s", [None], tf.string)], lambda m, s: {"i": m.t.lookup(s)}, {"s": np.array([b"bird", b"fish", b"cat"])},
          t=lambda: tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
              str(file), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1))
    file.unlink()


# --- Ops that become others ---------------------------------------------------------------------------
RAW = tf.raw_ops


def ops(name, specs, body):
    """Specs: name, shape, value. Each output is one op's."""
    plain(name, [(k, s, tf.as_dtype(v.dtype) if v.dtype.kind != "S" else tf.string) for k, s, v in specs], lambda m, *a: body(*a),
          {k: v for k, _, v in specs})


@model
def ops_of_pictures():
    def body(x, y):
        hsv = RAW.RGBToHSV(images=x)
        return {"hsv": hsv, "rgb": RAW.HSVToRGB(images=hsv), "contrast": RAW.AdjustContrastv2(images=x, contrast_factor=1.7),
                "hue": tf.image.adjust_hue(x, 0.3), "saturation": tf.image.adjust_saturation(x, 1.4),
                "patches": tf.image.extract_patches(y, [1, 3, 2, 1], [1, 2, 1, 1], [1, 1, 2, 1], "SAME"),
                "cubic": tf.image.resize(x, [7, 11], method="bicubic"), "area": RAW.ResizeArea(images=x, size=[3, 7]), "old_cubic": RAW.ResizeBicubic(images=x, size=[3, 7]),
                "aligned_cubic": RAW.ResizeBicubic(images=x, size=[9, 1], align_corners=True)}
    ops("ops_of_pictures", [("x", [None, None, None, 3], RNG.random((2, 5, 4, 3), np.float32)), ("y", [None, None, None, 2], f32(1, 6, 5, 2))], body)


def overlapping(*shape):
    corner = RNG.random((*shape, 2), np.float32)
    return np.concatenate([corner, corner + RNG.random((*shape, 2), np.float32) * 0.5 + 0.05], -1).astype(np.float32)


@model
def ops_of_boxes():
    def body(boxes, scores, many, of_each):
        kept = tf.image.non_max_suppression_padded(boxes, scores, 12, 0.4, 0.2, pad_to_max_output_size=True)
        scored = tf.image.non_max_suppression_with_scores(boxes, scores, 9, 0.4, 0.1)
        soft = tf.image.non_max_suppression_with_scores(boxes, scores, 9, 1.0, 0.1, soft_nms_sigma=0.5)
        combined = tf.image.combined_non_max_suppression(many[:, :, None], of_each, 4, 9, 0.4, 0.3)
        each = tf.image.combined_non_max_suppression(tf.stack([many, many * 0.5, many * 2.0], 2), of_each, 2, 7, 0.4, 0.1, pad_per_class=True,
                                                     clip_boxes=False)
        few = tf.image.combined_non_max_suppression(many[:, :, None], of_each, 4, 40, 0.4, 0.8)
        named = {f"{k}_{i}": v for k, o in (("combined", combined), ("each", each), ("few", few)) for i, v in enumerate(o)}
        return {"v2": RAW.NonMaxSuppressionV2(boxes=boxes, scores=scores, max_output_size=5, iou_threshold=0.4),
                "v3": tf.image.non_max_suppression(boxes, scores, 20, 0.5, 0.3), "padded": kept[0], "valid": kept[1], "scored": scored[0],
                "its_scores": scored[1], "soft": soft[0], "soft_scores": soft[1], **named}
    boxes, many = overlapping(15), overlapping(2, 11)
    ops("ops_of_boxes", [("boxes", [None, 4], boxes), ("scores", [None], RNG.random(15, np.float32)), ("many", [None, None, 4], many),
                         ("of_each", [None, None, 3], RNG.random((2, 11, 3), np.float32))], body)


@model
def ops_of_places():
    def body(x, i, v):
        parts = tf.dynamic_partition(x, i % 3, 3)
        stitched = tf.dynamic_stitch([[4, 0], [[1, 2], [3, 0]]], [x[:2], tf.reshape(x[:4], [2, 2, 3])])
        unique = tf.unique_with_counts(i)
        square = tf.matmul(x, x, transpose_b=True)
        at = tf.constant([[1], [0], [1]])
        return {"roll": tf.roll(x, [1, -2], [0, 1]), "rolled_back": tf.roll(x, -7, -1), "inverse": tf.math.invert_permutation(v), "part_0": parts[0],
                "part_2": parts[2], "stitched": stitched, "unique": unique[0], "which": unique[1], "often": unique[2], "add": tf.tensor_scatter_nd_add(x, at, x[:3]),
                "sub": tf.tensor_scatter_nd_sub(x, at, x[:3]), "max": tf.tensor_scatter_nd_max(x, at, x[2:5]), "min": tf.tensor_scatter_nd_min(x, at, x[2:5]),
                "diag": tf.linalg.diag(x), "diag_above": tf.linalg.diag(x, k=1), "diag_wide": tf.linalg.diag(x, num_rows=3, num_cols=5, padding_value=7.0),
                "old_diag": RAW.MatrixDiag(diagonal=x), "part": tf.linalg.diag_part(square), "part_below": tf.linalg.diag_part(square, k=-2),
                "set": tf.linalg.set_diag(square, x[:, 0]), "set_above": tf.linalg.set_diag(square, x[:5, 0], k=1),
                "old_top": RAW.InTopK(predictions=x, targets=i % 3, k=1), "lower": tf.searchsorted(tf.sort(x), x * 1.1), "upper": tf.searchsorted(tf.sort(x), x, side="right"),
                "top": tf.nn.in_top_k(i % 3, x, 2), "reverse": RAW.Reverse(tensor=x, dims=[False, True]), "args": RAW.BroadcastArgs(s0=tf.shape(x), s1=[4, 1, 1]),
                "offset": tf.concat(RAW.ConcatOffset(concat_dim=1, shape=[[2, 3], [2, 4], [2, 1]]), 0),
                "blocks": RAW.SpaceToBatch(input=tf.reshape(x[:4], [1, 2, 6, 1]), paddings=[[0, 0], [1, 1]], block_size=2)}
    ops("ops_of_places", [("x", [None, 3], f32(6, 3)), ("i", [None], np.array([4, 2, 2, 0, 4, 1], np.int32)), ("v", [None], np.array([3, 0, 2, 1], np.int32))], body)


@model
def ops_of_numbers():
    def body(x, y, q):
        zero = tf.where(x > 0.5, 0.0, x)
        low, high = tf.constant([-1.0, -0.5, 0.0]), tf.constant([1.0, 2.0, 0.7])
        return {"xlogy": tf.math.xlogy(zero, y * 0.0 + tf.nn.relu(y)), "xlog1py": tf.math.xlog1py(zero, tf.abs(y) - 1.0), "xdivy": tf.math.xdivy(zero, tf.nn.relu(y)),
                "cross": tf.linalg.cross(x, y), "space": tf.linspace(x[0, 0], 3.0, 7), "one": tf.linspace(x[0, 0], 3.0, 1), "near": RAW.ApproximateEqual(x=x, y=y, tolerance=0.5),
                "buckets": RAW.Bucketize(input=x, boundaries=[-1.0, 0.0, 0.25, 2.0]), "bins": tf.histogram_fixed_width(x, [-1.0, 1.0], 6),
                "fake": tf.quantization.fake_quant_with_min_max_args(x * 4.0, -2.3, 5.1, 4), "fake_vars": tf.quantization.fake_quant_with_min_max_vars(x, -0.7, 1.3, 8, True),
                "fake_each": tf.quantization.fake_quant_with_min_max_vars_per_channel(x, low, high),
                "there_and_back": tf.quantization.quantize_and_dequantize_v2(x, -1.5, 1.0, num_bits=5, range_given=True, round_mode="HALF_TO_EVEN"),
                "of_its_range": tf.quantization.quantize_and_dequantize_v2(tf.abs(x), 0.0, 0.0, signed_input=False, num_bits=6, round_mode="HALF_UP"),
                "narrow": tf.quantization.quantize_and_dequantize_v2(x, 0.0, 0.0, narrow_range=True),
                "product": RAW.BatchMatMulV3(x=x, y=q, Tout=tf.float32), "old_product": RAW.BatchMatMul(x=x[None], y=q[None]), "inverse": RAW.Inv(x=x)}
    ops("ops_of_numbers", [("x", [None, 3], f32(5, 3)), ("y", [None, 3], f32(5, 3)), ("q", [3, None], f32(3, 2))], body)


@model
def ops_of_segments():
    def body(x, i):
        ids = tf.constant([0, 0, 1, 3, 3, 3])
        return {"mean": tf.math.segment_mean(x, ids), "max": tf.math.segment_max(x, ids), "min": tf.math.segment_min(x, ids), "prod": tf.math.segment_prod(x, ids),
                "some": tf.sparse.segment_sum(x, i, ids), "some_mean": tf.sparse.segment_mean(x, i, ids, 6), "root": tf.sparse.segment_sqrt_n(x, i, ids)}
    ops("ops_of_segments", [("x", [None, 2], f32(6, 2)), ("i", [None], np.array([5, 0, 1, 1, 2, 4], np.int32))], body)


@model
def ops_of_crops():
    def body(x, boxes):
        at = [0, 1, 0, 1, 1]
        return {"crops": tf.image.crop_and_resize(x, boxes, at, [3, 4]), "one": tf.image.crop_and_resize(x, boxes, at, [1, 2], extrapolation_value=7.0),
                "nearest": tf.image.crop_and_resize(x, boxes, at, [5, 3], "nearest"), "bytes": RAW.CropAndResize(image=tf.cast(x * 9, tf.uint8), boxes=boxes,
                box_ind=at, crop_size=[2, 2])}
    boxes = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.5], [-0.3, 0.1, 1.2, 0.9], [0.8, 0.9, 0.2, 0.1], [0.5, 0.5, 0.5, 0.5]], np.float32)
    ops("ops_of_crops", [("x", [None, None, None, 2], RNG.random((2, 6, 5, 2), np.float32)), ("boxes", [None, 4], boxes)], body)


@model
def ops_of_sparse_tensors():
    def body(x, y):
        s = tf.sparse.from_dense(x)
        reshaped = tf.sparse.reshape(s, [-1, 2, 5])
        filled, empty = tf.sparse.fill_empty_rows(s, -1.0)
        mixed = tf.sparse.reorder(tf.SparseTensor(tf.reverse(s.indices, [0]), tf.reverse(s.values, [0]), s.dense_shape))
        left = RAW.ListDiff(x=tf.constant([5, 1, 7, 1, 3]), y=tf.cast(y[0, :2], tf.int32))
        return {"product": tf.sparse.sparse_dense_matmul(s, y[:5]), "of_transposed": tf.sparse.sparse_dense_matmul(s, x, adjoint_a=True), "sum": tf.sparse.reduce_sum(s, 1),
                "kept": tf.sparse.reduce_sum(s, [0], keepdims=True), "indices": reshaped.indices, "shape": reshaped.dense_shape, "filled": filled.indices,
                "values": filled.values, "empty": empty, "mixed": mixed.indices, "mixed_values": mixed.values, "out": left[0], "idx": left[1],
                "loss": tf.nn.softmax_cross_entropy_with_logits(x[:, :4], y[:6, :4]), "sparse_loss": tf.nn.sparse_softmax_cross_entropy_with_logits([1, 0, 3, 2, 1, 0], x),
                "unravelled": tf.unravel_index([17, 3, 22], [2, 3, 4]), "diag": tf.linalg.tensor_diag(x[:2, :2]), "diag_part": tf.linalg.tensor_diag_part(y[:3, :3]),
                "mean": tf.nn.safe_embedding_lookup_sparse(tf.constant(f32(9, 3)), tf.sparse.from_dense(tf.cast(tf.abs(x) * 3, tf.int64)), None, combiner="mean"),
                "weighted": tf.nn.embedding_lookup_sparse(tf.constant(f32(9, 3)), tf.sparse.from_dense(tf.constant([[1, 0, 3], [2, 5, 0]], tf.int64)), None, "sqrtn")}
    x = f32(6, 5) * (RNG.random((6, 5)) > 0.5)
    x[2] = 0
    ops("ops_of_sparse_tensors", [("x", [None, 5], x.astype(np.float32)), ("y", [None, 4], np.maximum(f32(6, 4), 0.5)[[0, 1, 2, 3, 4, 5]])], body)


@model
def ops_of_gradients():
    """What a gradient that the model itself computes is made of."""
    layers = [tf.nn.relu, tf.nn.relu6, tf.nn.elu, tf.nn.selu, tf.nn.leaky_relu, tf.nn.sigmoid, tf.nn.tanh, tf.nn.softplus, tf.nn.softsign,
              lambda v: tf.sqrt(tf.abs(v) + 0.1), lambda v: tf.math.rsqrt(tf.abs(v) + 0.1), lambda v: tf.math.reciprocal(v), lambda v: v[::2, 1:] * 3.0,
              lambda v: v * v[:1, :1], lambda v: tf.reduce_mean(v * v, 1, keepdims=True) - v]

    def body(x, p):
        found = {}
        for i, layer in enumerate(layers):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = layer(x) ** 2
            found[f"d{i}"] = tape.gradient(y, x)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(p)
            sized = RAW.ResizeBilinear(images=p, size=[7, 5], half_pixel_centers=True)
            trained = tf.compat.v1.nn.fused_batch_norm(p, [1.0, 2.0], [0.5, -1.0])[0]
            frozen = tf.compat.v1.nn.fused_batch_norm(p, [1.0, 2.0], [0.5, -1.0], [0.1, 0.2], [0.7, 1.2], is_training=False)[0]
            results = {"sized": sized, "trained": trained, "frozen": frozen}
            ends = {k: v * v * v for k, v in results.items()}
        found.update({f"d_{k}": tape.gradient(v, p) for k, v in ends.items()})
        return found | {"trained": trained}
    ops("ops_of_gradients", [("x", [None, 4], f32(5, 4)), ("p", [None, 4, 6, 2], f32(2, 4, 6, 2))], body)


@model
def ops_of_parts():
    """Of ranges, of parts that are set, of sparse with dense tensors."""
    def body(x, i, v):
        at = tf.constant([3, 0])
        sparse = tf.constant([[0, 1], [2, 0], [4, 3]], tf.int64)
        cut = RAW.SparseSlice(indices=sparse, values=v, shape=[5, 4], start=[1, 0], size=[9, 3])
        r1 = RAW.RaggedRange(starts=i, limits=[7, 0, 3], deltas=[2, -1, 5])
        r2 = RAW.RaggedRange(starts=0.5, limits=v, deltas=0.75, Tsplits=tf.int32)
        found = {f"in_place_{k}": getattr(RAW, f"Inplace{k}")(x=x + float(ord(k[0])), i=at, v=x[1:3] * 2.0)  # TensorFlow changes x itself
                 for k in ("Add", "Sub", "Update")}
        found |= {f"dense_{k}": getattr(RAW, f"SparseDenseCwise{k}")(sp_indices=sparse, sp_values=v, sp_shape=[5, 4], dense=x[:1]) for k in ("Add", "Div", "Mul")}
        return found | {"third": RAW.NthElement(input=x, n=2), "second_last": RAW.NthElement(input=x, n=1, reverse=True), "cut_at": cut[0], "cut": cut[1],
                        "cut_shape": cut[2], "splits": r1[0], "range": r1[1], "real_splits": r2[0], "real_range": r2[1],
                        "set": RAW.TensorStridedSliceUpdate(input=x, begin=[1, 0], end=[4, 9], strides=[2, 3], value=x[:1, :1], end_mask=2),
                        "sum": RAW.SparseTensorDenseAdd(a_indices=sparse, a_values=v, a_shape=tf.constant([5, 4], tf.int64), b=x)}
    ops("ops_of_parts", [("x", [None, 4], f32(5, 4)), ("i", [3], np.int32([1, 4, 3])), ("v", [3], np.float32([1.5, -2, 4]))], body)


@model
def ops_of_waves():
    def body(x):
        z = tf.complex(x, tf.reverse(x, [1]))
        spectrum, parts = tf.signal.rfft(x), lambda k, v: {k + "_re": tf.math.real(v), k + "_im": tf.math.imag(v)}
        square = tf.reshape(z, [-1, 4, 4])
        return {**parts("fft", tf.signal.fft(z)), **parts("ifft", tf.signal.ifft(z)), **parts("fft2d", tf.signal.fft2d(square)), **parts("ifft2d", tf.signal.ifft2d(square)),
                "irfft": tf.signal.irfft(spectrum), "odd": tf.signal.irfft(spectrum, [11]), "irfft2d": tf.signal.irfft2d(tf.signal.rfft2d(tf.math.real(square))),
                "dct": tf.signal.dct(x), "idct": tf.signal.idct(x), "mfcc": tf.signal.mfccs_from_log_mel_spectrograms(x), "angle": tf.math.angle(z),
                **parts("conj", tf.math.conj(z)), **parts("quotient", z / (z * z + tf.cast(x, tf.complex64))), **parts("exp", tf.exp(-z)), "abs": tf.abs(z - spectrum[:, :1]),
                "back": tf.signal.inverse_stft(tf.signal.stft(tf.tile(x, [1, 4]), 16, 8), 16, 8), "cast": tf.cast(z, tf.float32)}
    ops("ops_of_waves", [("x", [None, 16], f32(2, 16))], body)


@model
def ops_of_chance():
    """With seeds: the numbers of the first run."""
    def body(x):
        return {"uniform": RAW.RandomUniform(shape=tf.shape(x), dtype=tf.float32, seed=3, seed2=7), "normal": RAW.RandomStandardNormal(shape=[5], dtype=tf.float32, seed=-1, seed2=9),
                "classes": RAW.Multinomial(logits=x, num_samples=6, seed=4, seed2=2), "spread": tf.reduce_mean(tf.random.uniform([4000])) * 0.0 + x[0, 0]}
    ops("ops_of_chance", [("x", [None, 3], f32(5, 3))], body)


@model
def ops_of_first_draws():
    """With seeds: the numbers of the first run, of ops that draw as their stateless kin do; and sparse tensors that are joined."""
    def body(x, i, v):
        at = tf.constant([[0, 1], [2, 0]], tf.int64)
        wide = RAW.SparseConcat(indices=[at, at], values=[v, v * 2.0], shapes=[tf.constant([3, 2], tf.int64), tf.constant([3, 4], tf.int64)], concat_dim=-1)
        high = tf.sparse.concat(0, [tf.SparseTensor(at, v, [3, 2]), tf.SparseTensor(at[:1], v[1:], [1, 2]), tf.SparseTensor(at, v + 1.0, [4, 2])])
        words = tf.sparse.concat(1, [tf.SparseTensor(at, tf.strings.as_string(v), [3, 2]), tf.SparseTensor(at, ["b", "a"], [3, 2])])
        return {"cut": RAW.TruncatedNormal(shape=tf.shape(x), dtype=tf.float32, seed=5, seed2=11), "cut_64": RAW.TruncatedNormal(shape=[3], dtype=tf.float64, seed=0, seed2=2),
                "whole": RAW.RandomUniformInt(shape=[7], minval=i[0], maxval=i[1], seed=87654321, seed2=3),
                "long": RAW.RandomUniformInt(shape=tf.shape(x), minval=tf.constant(-10, tf.int64), maxval=tf.constant(10**12, tf.int64), seed=-4, seed2=1),
                "wide_at": wide[0], "wide": wide[1], "wide_shape": wide[2], "high_at": high.indices, "high": high.values, "words": words.values}
    ops("ops_of_first_draws", [("x", [None, 3], f32(5, 3)), ("i", [2], np.int32([-3, 12])), ("v", [2], np.float32([1.5, -2]))], body)


@model
def volumes():
    keras("volumes", tf.keras.Sequential([tf.keras.Input((4, 5, 3, 2)), L.Conv3DTranspose(3, 3, 2, padding="same", activation="relu"),
                                          L.Conv3DTranspose(2, (2, 3, 1), (1, 2, 1)), L.Conv3D(1, 2)]), f32(2, 4, 5, 3, 2))


# --- What sessions saved ----------------------------------------------------------------------------
def session_model(name, is_frozen):
    with tf.Graph().as_default() as graph, V1.Session() as session:
        x = V1.placeholder(tf.float32, [None, 5], name="x")
        w = V1.get_variable("w", [5, 3], initializer=V1.constant_initializer(f32(5, 3)), use_resource=False)
        b = V1.get_variable("b", [3], initializer=V1.constant_initializer(0.5), use_resource=not is_frozen)
        y = tf.nn.softmax(tf.matmul(x, w) + b, name="y")
        session.run(V1.global_variables_initializer())
        value = f32(2, 5)
        if is_frozen:
            constants = V1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["y"])
            (OUT / f"{name}.pb").write_bytes(constants.SerializeToString(deterministic=True))
        else:
            shutil.rmtree(OUT / name, ignore_errors=True)
            V1.saved_model.simple_save(session, str(OUT / name), {"x": x}, {"y": y})
        store(name, {"x": value}, {"y": session.run(y, {x: value})})


@model
def session_frozen():
    session_model("session_frozen", True)


@model
def session_saved():
    session_model("session_saved", False)


def session_graph(name, specs, body, saved=False):
    """What TensorFlow 1 made of it: loops and conditions of nodes, arrays with a flow. body: values of the placeholders to a tensor or several."""
    V1.disable_control_flow_v2()
    with tf.Graph().as_default() as graph, V1.Session() as session:
        places = [V1.placeholder(value.dtype, shape, name=key) for key, shape, value in specs]
        results = body(*places)
        feeds = {place: value for place, (_, _, value) in zip(places, specs)}
        named = {k: tf.identity(v, name=k) for k, v in results.items()}
        if saved:
            shutil.rmtree(OUT / name, ignore_errors=True)
            V1.saved_model.simple_save(session, str(OUT / name), {p.op.name: p for p in places}, named)
        else:
            constants = V1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), list(named))
            (OUT / f"{name}.pb").write_bytes(constants.SerializeToString(deterministic=True))
        store(name, {p.op.name: v for p, v in feeds.items()}, session.run(named, feeds))
    V1.enable_control_flow_v2()


@model
def pictures_mapped():
    """As detectors of TensorFlow 1 prepare their pictures."""
    def prepare(picture):
        small = V1.image.resize_images(picture, [4, 5], align_corners=False)
        return small * (2.0 / 255.0) - 1.0, tf.shape(small)
    def body(x):
        small, shapes = tf.map_fn(prepare, tf.cast(x, tf.float32), dtype=(tf.float32, tf.int32))
        return {"small": small, "shapes": shapes}
    session_graph("pictures_mapped", [("x", [None, None, None, 3], RNG.integers(0, 256, (2, 6, 7, 3)).astype(np.uint8))], body)


def cut_or_filled(x, n):
    """As detectors of TensorFlow 1 bring a number of boxes to n: what one way does fails on the other."""
    have = tf.shape(x)[0]
    def fill():
        more = V1.cond(tf.rank(x) > 1, lambda: tf.concat([[n - have], tf.shape(x)[1:]], 0), lambda: tf.expand_dims(n - have, 0))
        return tf.concat([x, tf.zeros(more)], 0)
    return V1.cond(have > n, lambda: tf.slice(x, [0, 0], [n, -1]), fill)


def cut_or_fill(name, rows):
    session_graph(name, [("x", [None, 4], f32(rows, 4))], lambda x: {"y": cut_or_filled(x, 5), "z": cut_or_filled(x, 2) + 1.0})


@model
def cut():
    cut_or_fill("cut", 7)


@model
def filled():
    cut_or_fill("filled", 1)


@model
def dynamic_rnn():
    """Sequences of different lengths: the state of one that has ended stays, its outputs are nought."""
    kernel, bias = f32(7, 16) * 0.5, f32(16) * 0.1

    def body(x, lengths):
        steps, batch = tf.shape(x)[1], tf.shape(x)[0]
        taken = V1.TensorArray(tf.float32, size=steps, name="input").unstack(tf.transpose(x, [1, 0, 2]))
        made = V1.TensorArray(tf.float32, size=steps, element_shape=[None, 4], name="output")

        def step(t, c, h, made):
            i, j, f, o = tf.split(tf.matmul(tf.concat([taken.read(t), h], 1), kernel) + bias, 4, 1)
            new_c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(j)
            new_h = tf.sigmoid(o) * tf.tanh(new_c)
            ended = t >= lengths
            def kept():
                return V1.where(ended, c, new_c), V1.where(ended, h, new_h), V1.where(ended, tf.zeros_like(new_h), new_h)
            c, h, out = V1.cond(t < tf.reduce_min(lengths), lambda: (new_c, new_h, new_h), kept)
            return t + 1, c, h, made.write(t, out)
        nought = tf.zeros([batch, 4])
        _, c, h, made = tf.while_loop(lambda t, *_: t < steps, step, [0, nought, nought, made])
        return {"y": tf.transpose(made.stack(), [1, 0, 2]), "c": c, "h": h}
    session_graph("dynamic_rnn", [("x", [None, None, 3], f32(3, 5, 3)), ("lengths", [None], np.array([5, 2, 3], np.int32))], body, saved=True)


@model
def array_of_an_older_graph():
    def body(x):
        def step(i, made):
            return i + 1, made.write(2 * i, x[i] * 3.0)
        made = V1.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False, infer_shape=False)
        made = tf.while_loop(lambda i, _: i < tf.shape(x)[0], step, [0, made])[1]
        part = V1.TensorArray(tf.float32, size=3, clear_after_read=False).split(x, [2, 2, 2])
        some = V1.TensorArray(tf.float32, size=9, clear_after_read=False).scatter([8, 0, 3, 1, 5, 2], x)
        return {"read": made.read(4), "size": made.size(), "concat": part.concat(), "part": part.read(1), "some": some.gather([3, 8, 0])}
    session_graph("array_of_an_older_graph", [("x", [None, 3], f32(6, 3))], body)


@model
def words_counted():
    """Rows of as many numbers as each text has words."""
    layers = {mode: L.TextVectorization(output_mode=mode, max_tokens=8) for mode in ("count", "multi_hot", "tf_idf")}
    for layer in layers.values():
        layer.adapt(["the cat sat on a dog", "dog the"])
    plain("words_counted", [("x", [None, 1], tf.string)], lambda m, x: {k: layer(x) for k, layer in layers.items()},
          {"x": np.array([["the cat, the CAT!"], [""], ["a dog and dog"]], object)}, layers=lambda: list(layers.values()))


R = tf.raw_ops


@model
def cells():
    """Cells whose steps are one op each."""
    def body(x, c, h):
        w, b, peeps = f32(7, 16) * 0.5, f32(16) * 0.1, [f32(4) * 0.3 for _ in range(3)]
        plain_cell = R.LSTMBlockCell(x=x, cs_prev=c, h_prev=h, w=w, wci=peeps[0], wcf=peeps[1], wco=peeps[2], b=b)
        looking = R.LSTMBlockCell(x=x, cs_prev=plain_cell.cs, h_prev=plain_cell.h, w=w, wci=peeps[0], wcf=peeps[1], wco=peeps[2], b=b,
                                  use_peephole=True, forget_bias=0.5, cell_clip=0.3)
        gru = R.GRUBlockCell(x=x, h_prev=h, w_ru=f32(7, 8) * 0.5, w_c=f32(7, 4) * 0.5, b_ru=f32(8) * 0.1, b_c=f32(4) * 0.1)
        return {"c1": plain_cell.cs, "h1": plain_cell.h, "f1": plain_cell.f, "c2": looking.cs, "h2": looking.h, "o2": looking.o, "g": gru.h, "u": gru.u}
    session_graph("cells", [("x", [None, 3], f32(2, 3)), ("c", [None, 4], f32(2, 4)), ("h", [None, 4], f32(2, 4))], body)


@model
def fused_steps():
    """An LSTM whose sequence is one op, which stops where the longest text does."""
    def body(x, n):
        w, b, nought, peep = f32(7, 16) * 0.5, f32(16) * 0.1, np.zeros((2, 4), np.float32), f32(4) * 0.3
        some = dict(seq_len_max=tf.reduce_max(n), x=x, cs_prev=nought, h_prev=nought, w=w, wci=peep, wcf=peep, wco=peep, b=b)
        one, two = R.BlockLSTM(use_peephole=True, **some), R.BlockLSTMV2(**some)
        return {"h": one.h, "cs": one.cs, "h2": two.h, "f2": two.f, "ci2": two.ci}
    session_graph("fused_steps", [("x", [6, 2, 3], f32(6, 2, 3)), ("n", [None], np.array([3, 5], np.int64))], body)


@model
def places_of_maxima():
    def body(x):
        a = R.MaxPoolWithArgmax(input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        b = R.MaxPoolWithArgmax(input=x, ksize=[1, 3, 2, 1], strides=[1, 1, 2, 1], padding="VALID", Targmax=tf.int32, include_batch_in_index=True)
        return {"y": a.output, "places": a.argmax, "y2": b.output, "places2": b.argmax,
                "y3": R.MaxPoolV2(input=x, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")}
    session_graph("places_of_maxima", [("x", [None, 5, 6, 3], f32(2, 5, 6, 3))], body)


@model
def letters_read():
    def body(x, n):
        a = R.CTCGreedyDecoder(inputs=x, sequence_length=n, merge_repeated=True)
        b = R.CTCGreedyDecoder(inputs=x, sequence_length=n, blank_index=1)
        return {"at": a.decoded_indices, "values": a.decoded_values, "shape": a.decoded_shape, "p": a.log_probability,
                "at2": b.decoded_indices, "values2": b.decoded_values, "text": tf.sparse.to_dense(
                    tf.SparseTensor(a.decoded_indices, a.decoded_values, a.decoded_shape), -1)}
    x = np.repeat(f32(9, 3, 4), 2, axis=0)
    session_graph("letters_read", [("x", [None, None, 4], x), ("n", [None], np.array([18, 0, 11], np.int32))], body)


@model
def layers_of_older_graphs():
    """Of version 8, in which a batch norm was an op that is refused today."""
    with tf.Graph().as_default() as graph:
        x = V1.placeholder(tf.float32, [None, 4, 4, 3], name="x")
        parts = [tf.constant(v, name=n) for n, v in (("m", f32(3)), ("v", np.abs(f32(3)) + 0.2), ("beta", f32(3)), ("gamma", f32(3)))]
        R.BiasAddV1(value=x, bias=parts[0], name="a")
    old = graph.as_graph_def()
    old.versions.producer = 8
    for name, scales in (("b", True), ("c", False)):
        made = old.node.add(name=name, op="BatchNormWithGlobalNormalization", input=["x", *(p.op.name for p in parts)])
        made.attr["T"].type, made.attr["variance_epsilon"].f, made.attr["scale_after_normalization"].b = 1, 0.1, scales
    (OUT / "layers_of_older_graphs.pb").write_bytes(old.SerializeToString(deterministic=True))
    given = f32(1, 4, 4, 3)
    with tf.Graph().as_default(), V1.Session() as session:
        results = dict(zip("abc", tf.import_graph_def(old, return_elements=["a:0", "b:0", "c:0"], name="")))
        store("layers_of_older_graphs", {"x": given}, session.run(results, {"x:0": given}))


@model
def picture_decoded():
    """As classifiers were frozen with the reader of their pictures: here the pixels are what is given."""
    with tf.Graph().as_default() as graph, V1.Session() as session:
        pixels = tf.io.decode_jpeg(tf.constant(b"", name="DecodeJpeg/contents"), channels=3, name="DecodeJpeg")
        x = V1.image.resize_bilinear(tf.expand_dims(tf.cast(pixels, tf.float32), 0), [4, 6]) * (1 / 128.0) - 1.0
        y = tf.nn.softmax(tf.reduce_mean(x, [1, 2]), name="softmax")
        (OUT / "picture_decoded.pb").write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))
        given = RNG.integers(0, 256, (9, 11, 3)).astype(np.uint8)
        store("picture_decoded", {"DecodeJpeg": given}, {"softmax": session.run(y, {"DecodeJpeg:0": given})})


def wave(samples, channels):
    """Bytes of a WAV file of 16 bits, with a chunk that says nothing of sound."""
    sound = (RNG.standard_normal((samples, channels)) * 8000).astype("<i2").tobytes()
    head = b"WAVEfmt " + np.array([16], "<u4").tobytes() + np.array([1, channels], "<u2").tobytes() + np.array([16000, 32000 * channels], "<u4").tobytes()
    head += np.array([2 * channels, 16], "<u2").tobytes() + b"LIST" + np.array([4], "<u4").tobytes() + b"INFO"
    body = head + b"data" + np.array([len(sound)], "<u4").tobytes() + sound
    return b"RIFF" + np.array([len(body)], "<u4").tobytes() + body


@model
def word_heard():
    """As the models of speech commands were frozen."""
    def body(file):
        sound, rate = tf.audio.decode_wav(file, desired_channels=1, desired_samples=4000)
        spectrum = R.AudioSpectrogram(input=sound, window_size=480, stride=160, magnitude_squared=True)
        x = R.Mfcc(spectrogram=spectrum, sample_rate=rate, dct_coefficient_count=10, upper_frequency_limit=4000, lower_frequency_limit=20)
        plainly = R.AudioSpectrogram(input=tf.audio.decode_wav(file).audio, window_size=500, stride=250)
        y = tf.nn.softmax(tf.matmul(tf.reshape(x, [1, 230]) * 0.05, f32(230, 4) * 0.1))
        return {"cepstrum": x, "plainly": plainly, "rate": rate, "y": y}
    session_graph("word_heard", [("file", [], np.array(wave(3900, 2), object))], body)


@model
def windows_seen():
    def body(x, v):
        size = dict(ksizes=[1, 3, 2, 1], strides=[1, 2, 1, 1], rates=[1, 1, 2, 1])
        filters = f32(2, 3, 2)
        return {"a": R.ExtractImagePatches(images=x, padding="SAME", **size), "b": R.ExtractImagePatches(images=x, padding="VALID", **size),
                "c": R.ExtractVolumePatches(input=v, ksizes=[1, 2, 3, 2, 1], strides=[1, 1, 2, 2, 1], padding="SAME"),
                "d": R.Dilation2D(input=x, filter=filters, strides=[1, 2, 1, 1], rates=[1, 1, 1, 1], padding="SAME"),
                "e": R.Dilation2D(input=x, filter=filters, strides=[1, 1, 2, 1], rates=[1, 2, 1, 1], padding="VALID"),
                "f": tf.math.real(R.FFT3D(input=tf.cast(v[..., 0], tf.complex64)))}
    session_graph("windows_seen", [("x", [None, None, None, 2], f32(2, 7, 6, 2)), ("v", [None, None, None, None, 2], f32(1, 3, 4, 5, 2))], body)


@model
def sizes_smoothed():
    """Of larger and of smaller pictures, with all that weighs pixels."""
    def body(x):
        results = {"moved": R.ScaleAndTranslate(images=x, size=[5, 5], scale=[0.6, 1.2], translation=[0.5, -1.0])}
        for name in ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"):
            for size, antialias in (((9, 4), True), ((5, 11), False)):
                results[f"{name}_{size[0]}"] = R.ScaleAndTranslate(
                    images=x, size=size, scale=tf.constant([size[0] / 7.0, size[1] / 8.0]), translation=[0.0, 0.0], kernel_type=name, antialias=antialias)
        return results
    session_graph("sizes_smoothed", [("x", [None, None, None, 3], f32(2, 7, 8, 3))], body)


@model
def special_functions():
    def body(x):
        share = tf.sigmoid(x)
        results = {"digamma": tf.math.digamma(x * 0.45 + 0.9), "erfinv": tf.math.erfinv(x * 0.33), "ndtri": tf.math.ndtri(share), "i0": tf.math.bessel_i0(2 * x),
                "i0e": tf.math.bessel_i0e(8 * x), "i1": tf.math.bessel_i1(2 * x), "i1e": tf.math.bessel_i1e(8 * x), "erfcinv": tf.math.erfcinv(share)}
        return {f"of_{k}": v for k, v in results.items()}
    session_graph("special_functions", [("x", [None], np.linspace(-2.93, 3.02, 60).astype(np.float32))], body)


@model
def two_signatures():
    module = tf.Module()
    module.w = tf.Variable(f32(3, 3))
    spec = [tf.TensorSpec([None, 3], tf.float32, name="x")]
    module.f = tf.function(lambda x: {"y": x @ module.w}, input_signature=spec)
    module.g = tf.function(lambda x: {"z": x - 1.0}, input_signature=spec)
    save("two_signatures", module, module.f, {"x": f32(2, 3)}, {"serving_default": module.f, "less": module.g})


def example(**features):
    made = tf.train.Example()
    for name, values in features.items():
        kind = {bytes: "bytes_list", float: "float_list", int: "int64_list"}[type(values[0])]
        getattr(made.features.feature[name], kind).value.extend(values)
    return made.SerializeToString(deterministic=True)


EXAMPLES = np.array([example(age=[33], size=[1.5, 2.5], words=[b"cat", b"mat", b"cat"], tags=[b"x"], marks=[3, 4]),
                     example(age=[7], size=[0.25, -4.0], tags=[b"yy", b"z"]),
                     example(words=[b"dog"], size=[1.0, 1.0], marks=[9])])


@model
def examples_read():
    """A signature that takes tf.train.Example, as models that are served have it, and reads them as tables and embeddings."""
    kinds = {"age": tf.io.FixedLenFeature([], tf.int64, -1), "size": tf.io.FixedLenFeature([2], tf.float32),
             "words": tf.io.VarLenFeature(tf.string), "tags": tf.io.RaggedFeature(tf.string),
             "marks": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)}

    def body(m, examples):
        read = tf.io.parse_example(examples, kinds)
        place = tf.strings.to_hash_bucket_fast(read["words"].values, 11)
        places = tf.SparseTensor(read["words"].indices, place, read["words"].dense_shape)
        embedded = tf.nn.safe_embedding_lookup_sparse(m.table, places, combiner="mean")
        wide = tf.concat([read["size"], tf.cast(read["age"], tf.float32)[:, None], embedded], 1)
        return {"y": wide @ m.w, "marks": read["marks"], "tags": tf.strings.reduce_join(read["tags"].to_tensor("-"), 1)}
    plain("examples_read", [("examples", [None], tf.string)], body, {"examples": EXAMPLES},
          table=lambda: tf.Variable(f32(11, 4)), w=lambda: tf.Variable(f32(7, 3)))


@model
def example_read():
    """One example, not a vector of them."""
    kinds = {"size": tf.io.FixedLenFeature([2], tf.float32), "words": tf.io.VarLenFeature(tf.string),
             "marks": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)}

    def body(m, example):
        read = tf.io.parse_single_example(example, kinds)
        return {"size": read["size"] * m.scale, "words": tf.sparse.to_dense(read["words"], b""), "marks": read["marks"]}
    plain("example_read", [("example", [], tf.string)], body, {"example": EXAMPLES[0]}, scale=lambda: tf.Variable(3.0))


@model
def examples_of_older_graphs():
    """What estimators and TensorFlow 1 wrote: ParseExample, and columns of features."""
    def body(examples):
        read = V1.parse_example(examples, {"age": tf.io.FixedLenFeature([1], tf.int64, [5]), "words": tf.io.VarLenFeature(tf.string),
                                           "size": tf.io.FixedLenFeature([2], tf.float32)})
        buckets = tf.raw_ops.Bucketize(input=read["age"], boundaries=[1.0, 10.0, 40.0])
        ids = tf.strings.to_hash_bucket_fast(read["words"].values, 5)
        counts = V1.sparse_tensor_to_dense(tf.SparseTensor(read["words"].indices, ids, read["words"].dense_shape), -1)
        hot = tf.reduce_sum(tf.one_hot(counts, 5), 1)
        return {"y": tf.concat([tf.one_hot(buckets[:, 0], 4), hot, read["size"]], 1)}
    session_graph("examples_of_older_graphs", [("examples", [None], EXAMPLES)], body)


@model
def texts_cleaned():
    """Texts cleaned, cut into words, padded and counted: the ops of tf.strings that a classifier of texts begins with."""
    def body(m, x):
        clean = tf.strings.strip(tf.strings.regex_replace(tf.strings.lower(x), r"[^a-z0-9 ]", " "))
        words = tf.strings.split(clean)
        rows = words.to_tensor("")
        return {"rows": rows, "n": tf.cast(words.row_lengths(), tf.int32), "length": tf.strings.length(clean, "UTF8_CHAR"),
                "starts": tf.strings.substr(rows, 0, 2), "joined": tf.strings.join([x, m.end], "|"),
                "pairs": tf.strings.ngrams(words, 2, "+").to_tensor("?"), "hash": tf.strings.to_hash_bucket_strong(rows, 97, [1, 2]),
                "is_number": tf.strings.regex_full_match(rows, "[0-9]+"),
                "shouted": tf.strings.upper(tf.strings.reduce_join(rows, 1, separator="_"))}
    plain("texts_cleaned", [("x", [None], tf.string)], body,
          {"x": np.array([b"The CAT, sat on 2 mats!", b"", b"  a  b 17  ", b"<b>x</b>"])}, end=lambda: tf.constant("end"))


@model
def letters_told():
    """Letters as numbers and back, and numbers as texts and back."""
    def body(m, x, v):
        letters = tf.strings.unicode_decode(x, "UTF-8")
        shown = tf.strings.as_string(v, precision=3)
        return {"letters": letters.to_tensor(m.pad), "back": tf.strings.unicode_encode(letters + 1, "UTF-8"),
                "pieces": tf.strings.unicode_split(x, "UTF-8").to_tensor("."), "shown": shown,
                "read": tf.strings.to_number(shown), "coded": tf.io.encode_base64(x),
                "sixteen": tf.strings.length(tf.strings.unicode_transcode(x, "UTF-8", "UTF-16-BE"))}
    plain("letters_told", [("x", [None], tf.string), ("v", [None], tf.float32)], body,
          {"x": np.array([t.encode() for t in ("caf\u00e9", "\u20ac5", "z")]), "v": np.float32([0.5, -2.25, 1e4])},
          pad=lambda: tf.constant(-1))


def main():
    OUT.mkdir(exist_ok=True)
    tf.random.set_seed(0)
    for name, make in MODELS.items():
        if not sys.argv[2:] or name in sys.argv[2:]:
            make()
            print(name, flush=True)


if __name__ == "__main__":
    main()
