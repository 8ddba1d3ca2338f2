#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random nodes of ONNX's operators of indices, reductions, losses, bits and orders against ONNX Runtime: shapes (empty ones
and ranks up to 5 among them), types, attributes, indices that count from the end. Where ONNX Runtime has no kernel
for a type, the reference evaluator of the onnx package answers.

    onnx_indices.py LIBORIBI [--cases N] [--seed S] [--op NAME]     # needs numpy, onnx, onnxruntime"""
import argparse
import collections
import pathlib
import sys
import warnings

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import helper
    from onnx.reference import ReferenceEvaluator
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import oribi_run  # noqa: E402

FLOATS = ["float32", "float64"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
NUMBERS = FLOATS + SIGNED + UNSIGNED
ALL = NUMBERS + ["bool"]


class Draw:
    """One random node: its inputs, attributes and outputs."""

    def __init__(self, rng):
        self.rng, self.inputs, self.attributes, self.n_outputs, self.opset = rng, [], {}, 1, 18
        self.constants = set()  # inputs that the model holds
        self.tolerance = 1e-5

    def int(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def pick(self, values):
        return values[self.int(0, len(values) - 1)]

    def shape(self, low=1, high=4, empty=True):
        shape = [self.int(1, 4) for _ in range(self.int(low, high))]
        if empty and shape and self.int(0, 15) == 0:
            shape[self.int(0, len(shape) - 1)] = 0
        return shape

    def values(self, dtype, shape, low=-9, high=9):
        if dtype == "bool":
            return self.rng.integers(0, 2, shape).astype(bool)
        if dtype in FLOATS:
            return self.rng.uniform(low, high, shape).round(2).astype(dtype)
        return self.rng.integers(max(low, 0) if dtype in UNSIGNED else low, high + 1, shape).astype(dtype)

    def axis(self, rank):
        return self.int(-rank, rank - 1)

    def maybe(self, **attributes):
        self.attributes.update({name: value for name, value in attributes.items() if self.int(0, 3)})

    def add(self, value, is_constant=None):
        if is_constant if is_constant is not None else self.int(0, 1):
            self.constants.add(len(self.inputs))
        self.inputs.append(value)


def indices_of(d, shape, limit, dtype=None):
    return d.rng.integers(-limit, limit, shape).astype(dtype or d.pick(["int32", "int64"]))


def part_of(d, shape, axis):
    """A shape within another, of any size along the axis."""
    return [d.int(1, 5) if k == axis % len(shape) else d.int(min(n, 1), n) for k, n in enumerate(shape)]


def gather_elements(d):
    shape = d.shape(empty=False)
    axis = d.axis(len(shape))
    d.add(d.values(d.pick(ALL), shape))
    d.add(indices_of(d, part_of(d, shape, axis), shape[axis]))
    d.attributes["axis"] = axis


def scatter_elements(d):
    shape = d.shape(empty=False)
    axis, dtype = d.axis(len(shape)), d.pick(ALL)
    reduction = d.pick(["none", "add", "mul", "max", "min"])
    if dtype == "bool" or d.opset < 16:
        reduction = "none"
    part = [d.int(1, n) for n in shape]
    indices = indices_of(d, part, shape[axis])
    if reduction == "none":  # which of two updates wins is not said
        order = np.argsort(d.rng.random(part[:axis % len(shape)] + [shape[axis]] + part[axis % len(shape):][1:]), axis)
        indices = np.take(order, range(part[axis]), axis).astype(indices.dtype)
        indices = np.where(d.rng.random(part) < 0.5, indices, indices - shape[axis]).astype(indices.dtype)
    d.add(d.values(dtype, shape, -4, 4))
    d.add(indices)
    d.add(d.values(dtype, part, -4, 4))
    d.attributes.update(axis=axis, reduction=reduction)


def gather_nd(d):
    shape, batch = d.shape(1, 4, empty=False), 0
    if len(shape) > 1:
        batch = d.int(0, len(shape) - 1)
    outer = d.shape(0 if batch == 0 else 1, 2, empty=False)
    depth = d.int(1, len(shape) - batch)
    indices = np.stack([d.rng.integers(-n, n, shape[:batch] + outer) for n in shape[batch:batch + depth]], -1)
    d.add(d.values(d.pick(ALL), shape))
    d.add(indices.astype("int64"))
    d.attributes["batch_dims"] = batch


def scatter_nd(d):
    shape, dtype = d.shape(1, 4, empty=False), d.pick(ALL)
    depth, reduction = d.int(1, len(shape)), d.pick(["none", "add", "mul", "max", "min"])
    count = d.int(1, 5)
    places = d.rng.integers(0, int(np.prod(shape[:depth])), count)
    if reduction == "none" or dtype == "bool":
        reduction, places = "none", np.unique(places)
    indices = np.stack(np.unravel_index(places, shape[:depth]), -1)
    indices = np.where(d.rng.random(indices.shape) < 0.3, indices - np.array(shape[:depth]), indices)
    d.add(d.values(dtype, shape, -4, 4))
    d.add(indices.astype("int64"))
    d.add(d.values(dtype, [len(places)] + shape[depth:], -4, 4))
    d.attributes["reduction"] = reduction


def trilu(d):
    d.add(d.values(d.pick(ALL), d.shape(2, 4)))
    if d.int(0, 3):
        d.add(np.array(d.int(-6, 6), "int64"))
    d.maybe(upper=d.int(0, 1))


LETTERS = "abcdeZQ"


def einsum(d):
    n = d.int(1, 3)
    sizes = {c: d.int(1, 4) for c in LETTERS}
    middle = d.shape(0, 2, empty=False)
    has_dots = d.int(0, 2) == 0
    terms, dtype = [], d.pick(["float32", "float64", "int32", "int64"])
    for _ in range(n):
        letters = [d.pick(LETTERS) for _ in range(d.int(0, 3))]
        if d.int(0, 3):
            letters = list(dict.fromkeys(letters))
        at = d.int(0, len(letters))
        dots = middle[d.int(0, len(middle)):] if has_dots and d.int(0, 3) else None
        dots = dots and [1 if d.int(0, 5) == 0 else k for k in dots]
        shape = [sizes[c] for c in letters]
        if dots is not None:
            shape[at:at] = dots
            letters.insert(at, "...")
        terms.append("".join(letters))
        d.add(d.values(dtype, shape, -3, 3))
    equation = ",".join(terms)
    used = sorted(set(equation) & set(LETTERS))
    if d.int(0, 2):
        out = [c for c in d.rng.permutation(used) if d.int(0, 2)]
        if "..." in equation:
            out.insert(d.int(0, len(out)), "...")
        equation += "->" + "".join(out)
    elif set("ZQ") & set(used):
        equation += "->"  # which case of letters comes first is not said
        equation += ("..." if "..." in equation else "") + "".join(used)
    d.attributes["equation"] = equation if d.int(0, 3) else equation.replace(",", " , ").replace("->", " -> ")
    d.tolerance = 1e-4


def reverse_sequence(d):
    shape, time = d.shape(2, 4, empty=False), d.int(0, 1)
    d.add(d.values(d.pick(ALL), shape))
    d.add(d.rng.integers(0, shape[time] + 1, shape[1 - time]))
    d.attributes.update(time_axis=time, batch_axis=1 - time)


def unique(d):
    shape = d.shape(1, 3, empty=False)
    d.maybe(sorted=d.int(0, 1))
    if d.int(0, 1):
        d.attributes["axis"] = d.axis(len(shape))
    known = ["float32", "float64", "int8", "int64"]  # the reference evaluator gives unsorted slices a wrong shape
    d.add(d.values(d.pick(known if "axis" in d.attributes else NUMBERS), shape, -2, 2))
    d.n_outputs = 4


def compress(d):
    shape = d.shape(1, 4)
    count = int(np.prod(shape))
    if d.int(0, 1):
        d.attributes["axis"] = d.axis(len(shape))
        count = shape[d.attributes["axis"]]
    d.add(d.values(d.pick(ALL), shape))
    d.add(d.rng.integers(0, 2, d.int(0, count)).astype(bool))


def eye_like(d):
    d.add(d.values(d.pick(ALL), d.shape(2, 2)))
    d.maybe(k=d.int(-5, 5), dtype=d.pick([1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13]))


def range_of(d):
    dtype = d.pick(FLOATS + ["int16", "int32", "int64"])
    step = d.values(dtype, [], -4, 4)
    for value in (d.values(dtype, []), d.values(dtype, []), step if step != 0 else step + 1):
        d.add(np.array(value, dtype))
    d.opset = 11


def one_hot(d):
    shape, depth = d.shape(0, 3), d.int(1, 5)
    dtype = d.pick(["int64", "float32", "int32", "uint8"])
    d.add(d.values(dtype, shape, 0 if dtype == "float32" else -depth, depth - 1).round().astype(dtype))
    d.add(np.array(depth if d.int(0, 1) else [depth], d.pick(["int64", "int32", "float32"])))
    d.add(d.values(d.pick(["int64", "float32", "int32", "bool", "float64", "uint8"]), [2]))
    d.maybe(axis=d.axis(len(shape) + 1))


def cumulative(d):
    shape = d.shape(1, 4)
    d.add(d.values(d.pick(FLOATS + ["int32", "int64"]), shape, -3, 3))
    d.add(np.array(d.axis(len(shape)), d.pick(["int32", "int64"])))
    d.maybe(exclusive=d.int(0, 1), reverse=d.int(0, 1))


def cumulative_product(d):
    cumulative(d)
    d.opset = 26


def top_k(d):
    shape, dtype = d.shape(1, 4, empty=False), d.pick(NUMBERS)
    axis = d.axis(len(shape))
    x = d.values(dtype, shape, -99, 99)
    d.add(x)
    d.add(np.array([d.int(0, shape[axis])], "int64"))
    d.attributes.update(axis=axis)
    d.maybe(largest=d.int(0, 1))
    d.n_outputs, d.opset = 2, 11


def arg(d):
    shape = d.shape(1, 4, empty=False)
    d.add(d.values(d.pick(FLOATS + ["int32", "int8", "uint8", "int64"]), shape, -2, 2))
    d.maybe(axis=d.axis(len(shape)), keepdims=d.int(0, 1), select_last_index=d.int(0, 1))


def non_zero(d):
    d.add(d.values(d.pick(["float32", "int32", "int64", "uint8", "bool"] + NUMBERS), d.shape(1, 4), -1, 1))


def hardmax(d):
    shape = d.shape(1, 4, empty=False)
    d.add(d.values("float32", shape, -2, 2))
    d.maybe(axis=d.axis(len(shape)))


def det(d):
    n = d.int(1, 4)
    d.add(d.values("float32", d.shape(0, 2) + [n, n], -2, 2))
    d.tolerance = 1e-3


def lp_pool(d):
    space = d.int(1, 3)
    kernel = [d.int(1, 3) for _ in range(space)]
    d.add(d.values("float32", [d.int(1, 2), d.int(1, 3)] + [d.int(5, 7) for _ in range(space)]))
    d.attributes["kernel_shape"] = kernel
    d.maybe(p=d.int(1, 3), strides=[d.int(1, 2) for _ in range(space)])
    if d.int(0, 1):
        d.attributes["pads"] = [d.int(0, k - 1) for k in kernel * 2]
    else:
        d.maybe(dilations=[d.int(1, 2) for _ in range(space)])
    d.tolerance = 1e-4


def one_input(types, *names, low=-9):
    def draw(d):
        d.add(d.values(d.pick(types), d.shape(0, 5), low))
        d.maybe(**{name: d.int(0, 1) for name in names})
        d.opset = 20
    return draw


def infinite(d):
    x = d.values(d.pick(FLOATS), d.shape(0, 4))
    d.add(np.where(d.rng.random(x.shape) < 0.4, d.pick([np.inf, -np.inf, np.nan]), x).astype(x.dtype))
    d.maybe(detect_negative=d.int(0, 1), detect_positive=d.int(0, 1))


def is_nan(d):
    infinite(d)
    d.attributes = {}


def two_inputs(types, low=-9):
    def draw(d):
        shape, dtype = d.shape(0, 4), d.pick(types)
        for _ in range(2):
            cut = shape[d.int(0, len(shape)):] if d.int(0, 1) else shape
            d.add(d.values(dtype, [1 if d.int(0, 4) == 0 else n for n in cut], low))
    return draw


def variadic(d):
    shape, dtype = d.shape(0, 3), d.pick(NUMBERS)
    for _ in range(d.int(1, 4)):
        d.add(d.values(dtype, [1 if d.int(0, 4) == 0 else n for n in shape]))


def mod(d):
    two_inputs(NUMBERS)(d)
    y = d.inputs[1]
    d.inputs[1] = np.where(y == 0, 1, y).astype(y.dtype)
    d.attributes["fmod"] = 1 if y.dtype.name in FLOATS else d.int(0, 1)
    d.opset = 13


def bit_shift(d):
    two_inputs(UNSIGNED)(d)
    y = d.inputs[1]
    d.inputs[1] = (y % 7).astype(y.dtype)
    d.attributes["direction"] = d.pick(["LEFT", "RIGHT"])


def celu(d):
    one_input(["float32"])(d)
    d.maybe(alpha=float(d.int(1, 3)))


def batch_norm(d):
    shape = d.shape(2, 5, empty=False)
    dtype = d.pick(FLOATS)
    d.add(d.values(dtype, shape))
    for low in (-2, -2, -2, 0):
        d.add(d.values(dtype, [shape[1]], low, 3))
    d.attributes.update(training_mode=d.int(0, 1))
    d.maybe(momentum=0.7, epsilon=1e-3)
    d.n_outputs, d.opset, d.tolerance = 3 if d.attributes["training_mode"] else 1, 15, 1e-4


def dropout(d):
    d.add(d.values(d.pick(FLOATS), d.shape(0, 4)))
    if d.int(0, 1):
        d.add(np.array(0, "float32"))
        d.add(np.array(bool(d.int(0, 1))))
    d.n_outputs, d.opset = d.int(1, 2), 13


def reduce(types, since=18, low=-9, high=9, is_defined=True):
    """is_defined: has it a value of no elements?"""
    def draw(d):
        shape = d.shape(0, 5, is_defined)
        d.add(d.values(d.pick(types), shape, low, high))
        axes = sorted({d.int(0, len(shape) - 1) for _ in range(d.int(0, len(shape)))}) if shape else []
        axes = [a - len(shape) if d.int(0, 2) == 0 else a for a in axes]
        d.opset, d.tolerance = d.pick([13, since, 20]), 1e-4
        if d.opset >= since and d.int(0, 3):
            d.add(np.array(axes, "int64"))
        elif d.opset < since and axes:
            d.attributes["axes"] = axes
        d.maybe(keepdims=d.int(0, 1))
        if d.opset >= since:
            d.maybe(noop_with_empty_axes=d.int(0, 1))
    return draw


def loss(d):
    classes, more = d.int(1, 5), d.shape(0, 3, empty=False)
    n, dtype = d.int(1, 4), d.pick(FLOATS)
    d.add(d.values(dtype, [n, classes] + more, -4, 4))
    target = d.rng.integers(0, classes, [n] + more).astype(d.pick(["int32", "int64"]))
    if d.int(0, 1):
        d.attributes["ignore_index"] = ignored = d.int(-3, classes)
        target = np.where(d.rng.random(target.shape) < 0.2, ignored, target).astype(target.dtype)
        target.reshape(-1)[0] = 0 if ignored else classes - 1
    d.add(target)
    if d.int(0, 1):
        d.add(d.values(dtype, [classes], 1, 3))
    d.maybe(reduction=d.pick(["none", "sum", "mean"]))
    d.opset, d.tolerance = 13, 1e-4


def cross_entropy(d):
    loss(d)
    d.n_outputs = d.int(1, 2)


def tensor_scatter(d):
    shape = d.shape(3, 4, empty=False)
    axis = d.int(1, len(shape) - 1)
    part = [d.int(1, n) if k == axis else n for k, n in enumerate(shape)]
    dtype, mode = d.pick(["float32", "int32", "int8", "bool"]), d.pick(["linear", "circular"])
    d.add(d.values(dtype, shape), False)
    d.add(d.values(dtype, part), False)
    most = shape[axis] - part[axis] if mode == "linear" else shape[axis] - 1
    d.add(d.rng.integers(0, most + 1, shape[0]), False)
    d.attributes.update(axis=axis - d.pick([0, len(shape)]), mode=mode)
    d.opset = 24


DRAWS = {
    "GatherElements": gather_elements, "ScatterElements": scatter_elements, "GatherND": gather_nd,
    "ScatterND": scatter_nd, "Trilu": trilu, "Einsum": einsum, "ReverseSequence": reverse_sequence,
    "Unique": unique, "Compress": compress, "EyeLike": eye_like, "Range": range_of, "OneHot": one_hot,
    "CumSum": cumulative, "CumProd": cumulative_product, "TopK": top_k, "ArgMax": arg, "ArgMin": arg,
    "NonZero": non_zero, "Hardmax": hardmax, "Det": det, "LpPool": lp_pool, "IsInf": infinite, "IsNaN": is_nan,
    "Equal": two_inputs(ALL), "Min": variadic, "Max": variadic, "Mod": mod, "Celu": celu,
    "Identity": one_input(ALL), "Dropout": dropout, "BatchNormalization": batch_norm,
    "BitShift": bit_shift, "BitwiseAnd": two_inputs(SIGNED + UNSIGNED), "BitwiseOr": two_inputs(SIGNED + UNSIGNED),
    "BitwiseXor": two_inputs(SIGNED + UNSIGNED), "BitwiseNot": one_input(SIGNED + UNSIGNED),
    "NegativeLogLikelihoodLoss": loss, "SoftmaxCrossEntropyLoss": cross_entropy, "TensorScatter": tensor_scatter,
    **{f"Reduce{kind}": reduce(FLOATS + ["int32", "int64"]) for kind in ("L1", "L2", "SumSquare")},
    "ReduceProd": reduce(FLOATS + ["int32", "int64"], low=-1, high=1),
    "ReduceMean": reduce(FLOATS + ["int32", "int64"], is_defined=False),
    "ReduceSum": reduce(FLOATS + ["int32", "int64"], 13),
    "ReduceLogSum": reduce(FLOATS, low=1), "ReduceLogSumExp": reduce(FLOATS),
    "ReduceMax": reduce(FLOATS + ["int8", "uint8", "int32", "int64"]),
    "ReduceMin": reduce(FLOATS + ["int8", "uint8", "int32", "int64"]),
}


def model_of(op, d):
    if op.startswith("Bitwise"):
        d.opset = 18
    names = [f"x{i}" for i in range(len(d.inputs))]
    types = [helper.np_dtype_to_tensor_dtype(x.dtype) for x in d.inputs]
    node = helper.make_node(op, names, [f"y{i}" for i in range(d.n_outputs)], **d.attributes)
    graph = helper.make_graph(
        [node], "g",
        [helper.make_tensor_value_info(names[i], types[i], x.shape) for i, x in enumerate(d.inputs) if i not in d.constants],
        [helper.make_empty_tensor_value_info(f"y{i}") for i in range(d.n_outputs)],
        [onnx.numpy_helper.from_array(np.asarray(d.inputs[i]), names[i]) for i in sorted(d.constants)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", d.opset)], ir_version=9 if d.opset < 24 else 10)
    feeds = {names[i]: np.asarray(x) for i, x in enumerate(d.inputs) if i not in d.constants}
    try:
        model = onnx.shape_inference.infer_shapes(model)
    except onnx.shape_inference.InferenceError:
        pass
    return model, feeds


def peer(model, feeds):
    """What ONNX Runtime answers, or else the reference evaluator; None: neither does."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, feeds), "ONNX Runtime"
    except Exception:  # noqa: BLE001: it has many
        pass
    try:
        return ReferenceEvaluator(model).run(None, feeds), "the reference evaluator"
    except Exception:  # noqa: BLE001
        return None, None


def differs(ours, theirs, tolerance):
    for i, (a, b) in enumerate(zip(ours, theirs)):
        b = np.asarray(b)
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"output {i}: {a.dtype}{list(a.shape)} for {b.dtype}{list(b.shape)}"
        if a.dtype.kind == "f" and not np.allclose(a, b, tolerance, tolerance, True):
            return f"output {i}: {a.ravel()[:8]} for {b.ravel()[:8]}"
        if a.dtype.kind != "f" and not np.array_equal(a, b):
            return f"output {i}: {a.ravel()[:12]} for {b.ravel()[:12]}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--cases", type=int, default=40, help="of each operator")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--op", action="append")
    options = parser.parse_args()
    oribi, counts, bad = oribi_run.Oribi(options.library), collections.Counter(), 0
    warnings.simplefilter("ignore")
    for op in options.op or DRAWS:
        for index in range(options.cases):
            d = Draw(np.random.default_rng([options.seed, index, *op.encode()]))
            DRAWS[op](d)
            model, feeds = model_of(op, d)
            theirs, who = peer(model, feeds)
            if theirs is None:
                counts["neither peer answers"] += 1
                continue
            try:
                difference = differs(oribi.run(model.SerializeToString(), feeds), theirs, d.tolerance)
            except oribi_run.Refused as message:
                difference = f"refused: {message}"
            counts["differ" if difference else f"equal to {who}"] += 1
            if difference:
                bad += 1
                shapes = [f"{x.dtype}{list(x.shape)}{'c' if i in d.constants else ''}" for i, x in enumerate(d.inputs)]
                print(f"{op} case {index}, opset {d.opset}, {who}: {shapes} {d.attributes}: {difference}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
