#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random nodes of ONNX's operators on pictures and signals, by Oribi and by ONNX Runtime or, where that has no
kernel, onnx's reference evaluator. Prints what differs and a count for each operator.

    onnx_pictures.py ORIBI [--cases N] [--seed N] [--op NAME]...     # an interpreter with numpy, onnx and onnxruntime"""
import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F32, F64, I64 = np.float32, np.float64, np.int64


class Case:
    """One node: inputs are given, constant or computed (a constant behind an input that is added), or absent."""

    def __init__(self, rng):
        self.rng, self.inputs, self.values, self.constants = rng, [], {}, []
        self.attributes, self.opset, self.tolerance, self.reference_only = {}, 22, 1e-4, False
        self.real = self.pick(F32, F32, F64)

    def pick(self, *options):
        return options[self.rng.integers(len(options))]

    def int(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def give(self, value, constant=False):
        name = f"x{len(self.inputs)}"
        value = np.asarray(value)
        if constant:
            self.constants.append(numpy_helper.from_array(value, name))
        else:
            self.values[name] = value
        self.inputs.append(name)

    def maybe(self, value):
        """An optional input: absent, constant or given."""
        kind = self.pick("absent", "constant", "given")
        self.inputs.append("") if kind == "absent" else self.give(value, kind == "constant")
        return kind != "absent"

    def number(self, value):
        self.give(value, self.pick(True, False))

    def noise(self, *shape, scale=1.0, dtype=None):
        return (self.rng.standard_normal(shape) * scale).astype(dtype or self.real)

    def sizes(self, n, low, high):
        return [self.int(low, high) for _ in range(n)]


def grid_sample(c):
    space = c.pick(1, 2, 2, 3)
    space = max(space, 2)
    n, channels, size, out = c.int(1, 2), c.int(1, 3), c.sizes(space, 1, 6), c.sizes(space, 1, 5)
    c.opset = c.pick(16, 20, 22) if space == 2 else c.pick(20, 22)
    names = ("bilinear", "nearest", "bicubic") if c.opset == 16 else ("linear", "nearest", "cubic")
    mode = c.pick(*names[:2]) if space == 3 else c.pick(*names)
    c.attributes = {"mode": mode, "padding_mode": c.pick("zeros", "border", "reflection"), "align_corners": c.int(0, 1)}
    c.give(c.noise(n, channels, *size))
    c.give(c.rng.uniform(-1.6, 1.6, (n, *out, space)).astype(c.real))


def affine_grid(c):
    space = c.pick(2, 3)
    n = c.int(1, 2)
    c.opset = c.pick(20, 22)
    c.attributes = {"align_corners": c.int(0, 1)}
    c.give(c.noise(n, space, space + 1))
    c.number(np.array([n, c.int(1, 3), *c.sizes(space, 2, 6)], I64))


def non_max_suppression(c):
    batches, classes, boxes = c.int(1, 2), c.int(1, 3), c.int(1, 30)
    c.real, c.opset = F32, c.pick(10, 11, 13)
    c.attributes = {"center_point_box": c.int(0, 1)}
    c.give(c.rng.uniform(0, 3, (batches, boxes, 4)).astype(F32))
    c.give(np.round(c.rng.uniform(0, 1, (batches, classes, boxes)), 1).astype(F32))
    c.maybe(np.array(c.pick([5], [50], 3), I64))
    c.maybe(np.array([c.pick(0.0, 0.2, 0.5, 1.0)], F32))
    c.maybe(np.array([c.pick(0.0, 0.35, 0.7)], F32))
    while c.inputs[-1] == "":
        c.inputs.pop()


def roi_align(c):
    n, channels, h, w, regions = c.int(1, 3), c.int(1, 3), *c.sizes(2, 3, 9), c.int(1, 4)
    c.opset = c.pick(10, 16, 22)
    c.attributes = {"output_height": c.int(1, 4), "output_width": c.int(1, 4), "mode": "avg",
                    "sampling_ratio": c.pick(0, 1, 2, 3), "spatial_scale": c.pick(1.0, 0.5, 2.0)}
    if c.opset >= 16:
        c.attributes["coordinate_transformation_mode"] = c.pick("half_pixel", "output_half_pixel")
    c.give(c.noise(n, channels, h, w))
    corners = c.rng.uniform(-2, 8, (regions, 2))
    c.give(np.concatenate([corners, corners + c.rng.uniform(0.2, 8, (regions, 2))], 1).astype(c.real))
    c.give(c.rng.integers(0, n, regions).astype(I64))


def roi_align_max(c):
    roi_align(c)
    if c.opset == 10: # onnx's evaluator takes the default of opset 16
        c.opset, c.attributes["coordinate_transformation_mode"] = 16, "output_half_pixel"
    c.attributes["mode"], c.reference_only = "max", True


def max_roi_pool(c):
    n, channels, h, w, regions = c.int(1, 3), c.int(1, 3), *c.sizes(2, 3, 9), c.int(1, 4)
    c.real, c.opset = F32, 13
    c.attributes = {"pooled_shape": c.sizes(2, 1, 4), "spatial_scale": c.pick(1.0, 0.5, 2.0)}
    c.give(c.noise(n, channels, h, w))
    corners = np.round(c.rng.uniform(-2, 8, (regions, 2)), 1)
    picture = c.rng.integers(0, n, (regions, 1))
    c.give(np.concatenate([picture, corners, corners + np.round(c.rng.uniform(0, 8, (regions, 2)), 1)], 1).astype(F32))


def window(c, space, taps, strides, dilations, pads):
    return [(pads[k] + pads[k + len(space)] + space[k] - dilations[k] * (taps[k] - 1) - 1) // strides[k] + 1
            for k in range(len(space))]


def deform_conv(c):
    groups, fields = c.pick(1, 1, 2), c.pick(1, 2)
    channels, outputs, n = groups * fields * c.int(1, 2), groups * c.int(1, 2), c.int(1, 2)
    size, taps = c.sizes(2, 4, 7), c.sizes(2, 1, 3)
    strides, dilations, pads = c.sizes(2, 1, 2), c.sizes(2, 1, 2), c.sizes(4, 0, 1)
    out = window(c, size, taps, strides, dilations, pads)
    if min(out) < 1:
        return deform_conv(c)
    c.opset = c.pick(19, 22)
    c.attributes = {"group": groups, "offset_group": fields, "strides": strides, "dilations": dilations, "pads": pads,
                    "kernel_shape": taps}
    count = fields * taps[0] * taps[1]
    c.give(c.noise(n, channels, *size))
    c.give(c.noise(outputs, channels // groups, *taps))
    c.give(c.noise(n, 2 * count, *out, scale=1.5))
    c.maybe(c.noise(outputs))
    c.maybe(c.noise(n, count, *out))
    while c.inputs[-1] == "":
        c.inputs.pop()


def col2im(c):
    rank = c.pick(1, 2, 2, 3)
    size, taps = c.sizes(rank, 3, 7), c.sizes(rank, 1, 3)
    strides, dilations, pads = c.sizes(rank, 1, 2), c.sizes(rank, 1, 2), c.sizes(2 * rank, 0, 1)
    out = window(c, size, taps, strides, dilations, pads)
    if min(out) < 1:
        return col2im(c)
    c.reference_only = rank != 2 # ONNX Runtime forgets pads there
    c.opset, c.real, c.attributes = 18, F32, {"strides": strides, "dilations": dilations, "pads": pads}
    c.give(c.noise(c.int(1, 2), c.int(1, 3) * int(np.prod(taps)), int(np.prod(out))))
    c.number(np.array(size, I64))
    c.number(np.array(taps, I64))


def max_unpool(c):
    space = c.sizes(c.pick(1, 2, 3), 1, 3)
    taps = [2] * len(space)
    full = [2 * k for k in space]
    n, channels = c.int(1, 2), c.int(1, 2)
    c.opset, c.real = c.pick(9, 11, 22), F32
    c.attributes = {"kernel_shape": taps, "strides": taps}
    total = n * channels * int(np.prod(full))
    c.give(c.noise(n, channels, *space))
    c.give(c.rng.permutation(total)[: n * channels * int(np.prod(space))].reshape(n, channels, *space).astype(I64))


def center_crop_pad(c):
    shape = c.sizes(c.int(1, 4), 1, 6)
    axes = [int(k) for k in c.rng.permutation(len(shape))[: c.int(1, len(shape))]]
    c.opset, c.reference_only = 18, True
    dtype = c.pick(F32, F64, np.int8, I64, np.uint16)
    if c.int(0, 1):
        c.attributes = {"axes": [k - len(shape) if c.int(0, 1) else k for k in axes]}
    else:
        axes = shape
    c.give((c.noise(*shape) * 9).astype(dtype))
    c.number(np.array(c.sizes(len(axes), 1, 7), c.pick(np.int32, I64)))


def dft(c):
    shape = [c.int(1, 3), c.int(1, 40), c.int(1, 3), c.pick(1, 2)]
    axis, inverse, onesided = c.pick(0, 1, 2), c.int(0, 1), c.int(0, 1)
    if inverse and onesided:
        shape[3] = 2
        shape[axis] = max(shape[axis], 2)
    elif onesided:
        shape[3] = 1
    c.opset, c.reference_only = c.pick(17, 20), True
    c.attributes = {"inverse": inverse, "onesided": onesided}
    c.give(c.noise(*shape))
    c.maybe(np.array(c.int(2, 45), c.pick(np.int32, I64)))
    if c.opset == 17:
        c.attributes["axis"] = axis - c.pick(0, 4)
    elif axis == 2:
        c.inputs.append("")
    else:
        c.number(np.array(axis - c.pick(0, 4), I64))
    while c.inputs[-1] == "":
        c.inputs.pop()


def stft(c):
    length, frame = c.int(20, 60), c.int(2, 20)
    c.opset = 17
    c.attributes = {"onesided": 1}
    parts = 1
    if c.int(0, 2) == 0:
        parts, c.attributes["onesided"], c.reference_only = 2, 0, True
    c.give(c.noise(c.int(1, 2), length, parts))
    c.number(np.array(c.int(1, 9), I64))
    kind = c.int(0, 2)
    if kind > 0:
        c.give(c.noise(frame))
    else:
        c.inputs.append("")
    if kind < 2:
        c.number(np.array(frame, I64))


def windows(c):
    c.operator, c.opset, c.tolerance = c.pick("HannWindow", "HammingWindow", "BlackmanWindow"), 17, 1e-5
    c.attributes = {"periodic": c.int(0, 1), "output_datatype": c.pick(TensorProto.FLOAT, TensorProto.DOUBLE)}
    c.number(np.array(c.int(2, 50), c.pick(np.int32, I64)))


def mel_weight_matrix(c):
    c.opset = 17
    c.attributes = {"output_datatype": c.pick(TensorProto.FLOAT, TensorProto.DOUBLE)}
    dtype = c.pick(np.int32, I64)
    for value in (c.int(2, 20), c.pick(16, 64, 512), c.pick(8000, 16000)):
        c.number(np.array(value, dtype))
    c.number(np.array(c.pick(0, 60.5), F32))
    c.number(np.array(c.pick(2000, 3999.0), F32))


def resize(c):
    rank = c.pick(2, 3, 4, 4, 4, 5)
    shape = c.sizes(rank, 1, 7)
    mode = c.pick("nearest", "linear", "cubic")
    axes = sorted(int(k) for k in c.rng.permutation(rank)[: c.int(1, min(rank, 2))])
    c.opset = c.pick(11, 13, 18, 19)
    c.attributes = {"mode": mode}
    rule = c.pick("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "tf_crop_and_resize")
    if c.opset == 19:
        rule = c.pick(rule, "half_pixel_symmetric")
    c.attributes["coordinate_transformation_mode"] = rule
    dtype = c.pick(F32, F32, F32, np.int32, np.uint8, np.int8)
    if mode == "nearest":
        c.attributes["nearest_mode"] = c.pick("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    if mode == "cubic":
        dtype = F32
        c.attributes.update(cubic_coeff_a=c.pick(-0.75, -0.5), exclude_outside=c.int(0, 1))
        axes = [rank - 2, rank - 1] if rank > 1 else axes
    if c.opset >= 18 and mode != "nearest" and rank == 4 and c.int(0, 2) == 0 and rule != "tf_crop_and_resize":
        c.attributes["antialias"] = 1
        axes, dtype = [2, 3], F32
    c.give((c.noise(*shape) * 20).astype(dtype))
    roi = np.concatenate([np.zeros(rank), np.ones(rank)])
    for k in axes:
        roi[k], roi[rank + k] = sorted(c.rng.uniform(-0.3, 1.3, 2))
    c.attributes["extrapolation_value"] = 3.0
    c.give(roi.astype(F32), True) if rule == "tf_crop_and_resize" else c.inputs.append("")
    factors = [c.pick(0.4, 0.5, 0.75, 1.5, 2.0, 2.6, 3.0, 8 / 3) if k in axes else 1.0 for k in range(rank)]
    factors = [f if int(np.float32(a) * np.float32(f)) > 0 else 1.0 for a, f in zip(shape, factors)]
    # Scales that leave a part of an element: ONNX Runtime and the specification differ for these rules.
    c.slack = 1 if dtype is not F32 else 0
    if rule in ("align_corners", "pytorch_half_pixel") or c.int(0, 1):
        c.inputs.append("")
        c.number(np.array([max(1, int(a * f)) for a, f in zip(shape, factors)], I64))
    else:
        c.number(np.array(factors, F32))
    if c.opset == 11 and c.inputs[1] == "":
        c.inputs[1] = "roi"
        c.constants.append(numpy_helper.from_array(np.zeros(0, F32), "roi"))
    if c.opset == 11 and c.inputs[2] == "":
        c.inputs[2] = "scales"
        c.constants.append(numpy_helper.from_array(np.zeros(0, F32), "scales"))


def old_resize(c):
    """Before opset 11: asymmetric, the nearest on the left."""
    c.operator, c.opset = c.pick(("Upsample", 7), ("Upsample", 9), ("Resize", 10))
    rank = c.pick(2, 4, 4)
    shape, mode = c.sizes(rank, 1, 5), c.pick("nearest", "linear")
    factors = [1.0] * (rank - 2) + [c.pick(1.0, 1.5, 2.0, 2.6, 3.0) for _ in range(2)]
    c.attributes = {"mode": mode}
    c.give((c.noise(*shape) * 20).astype(c.pick(F32, F32, np.int32, np.uint8) if mode == "nearest" else F32))
    if c.opset == 7:
        c.attributes["scales"] = factors
    else:
        c.number(np.array(factors, F32))


def conv(c):
    rank = c.pick(1, 2, 3, 3, 3)
    groups = c.pick(1, 1, 2, 3)
    depth, per = c.int(1, 3), c.int(1, 3)
    size, taps = c.sizes(rank, 3, 7), c.sizes(rank, 1, 3)
    strides, dilations, pads = c.sizes(rank, 1, 2), c.sizes(rank, 1, 2), c.sizes(2 * rank, 0, 2)
    c.opset = c.pick(1, 11, 22)
    c.attributes = {"group": groups, "strides": strides, "dilations": dilations}
    kind = c.pick("NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
    if kind == "NOTSET":
        c.attributes["pads"] = pads
    else:
        c.attributes["auto_pad"] = kind
        if kind != "VALID":
            c.attributes["dilations"] = [1] * rank
    if min(window(c, size, taps, strides, dilations, [0] * 2 * rank)) < 1:
        return conv(c)
    c.give(c.noise(c.int(1, 2), groups * depth, *size))
    c.give(c.noise(groups * per, depth, *taps), c.pick(True, True, False))
    if c.int(0, 1):
        c.give(c.noise(groups * per))


def pool(c):
    rank = c.pick(1, 2, 3, 3)
    c.operator = c.pick("AveragePool", "MaxPool")
    size, taps = c.sizes(rank, 3, 8), c.sizes(rank, 1, 3)
    strides, dilations = c.sizes(rank, 1, 3), c.sizes(rank, 1, 2)
    c.opset = c.pick(19, 22)
    c.attributes = {"kernel_shape": taps, "strides": strides, "dilations": dilations, "ceil_mode": c.int(0, 1)}
    kind = c.pick("NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
    if kind == "NOTSET":
        c.attributes["pads"] = [min(c.int(0, 1), taps[k % rank] - 1) for k in range(2 * rank)]
    else: # ONNX Runtime does something of its own with dilations and with strides that leave elements out
        dilations, strides = [1] * rank, [min(strides[k], taps[k]) for k in range(rank)]
        c.attributes.update(auto_pad=kind, ceil_mode=0, dilations=dilations, strides=strides)
    if min(window(c, size, taps, strides, dilations, [0] * 2 * rank)) < 1:
        return pool(c)
    if c.operator == "AveragePool":
        c.attributes["count_include_pad"] = c.int(0, 1)
        c.real = F32
        c.give(c.noise(c.int(1, 2), c.int(1, 3), *size))
    else:
        c.attributes["storage_order"] = c.int(0, 1)
        c.give((c.noise(c.int(1, 2), c.int(1, 3), *size) * 30).astype(c.pick(F32, F64, np.int8, np.uint8)))
        c.outputs = c.pick(1, 2)


def norm(c):
    c.operator = c.pick("LRN", "InstanceNormalization", "GroupNormalization", "LpNormalization",
                        "MeanVarianceNormalization")
    rank = c.int(3, 5)
    shape = [c.int(1, 2), 6, *c.sizes(rank - 2, 1, 5)]
    c.real, c.opset = F32, 18
    if c.operator == "LRN":
        c.attributes = {"size": c.int(1, 6), "alpha": 0.02, "beta": c.pick(0.5, 0.75), "bias": c.pick(1.0, 2.0)}
        shape = [6, 6, *c.sizes(2, 1, 5)] # the evaluator does as many channels as there are pictures
    elif c.operator == "InstanceNormalization":
        c.real = c.pick(F32, F64)
    elif c.operator == "GroupNormalization":
        c.opset = c.pick(18, 21)
        c.attributes = {"num_groups": c.pick(1, 2, 3, 6)}
    elif c.operator == "LpNormalization":
        c.real = c.pick(F32, F64)
        c.attributes = {"axis": c.int(0, rank - 1), "p": c.pick(1, 2)}
    else:
        shape = [c.int(2, 3), 6, *c.sizes(2, 2, 5)]
        c.attributes = {"axes": c.pick([0, 2, 3], [1], [0, 1, 2, 3], [2, 3])}
    c.give(c.noise(*shape))
    if c.operator in ("InstanceNormalization", "GroupNormalization"):
        count = c.attributes["num_groups"] if c.operator[0] == "G" and c.opset < 21 else 6
        c.give(c.noise(count))
        c.give(c.noise(count))


def space(c):
    c.operator, block = c.pick("DepthToSpace", "SpaceToDepth"), c.int(1, 3)
    c.opset, c.attributes, c.reference_only = c.pick(13, 28), {"blocksize": block}, True
    n, channels, h, w = c.int(1, 2), c.int(1, 2), c.int(1, 3), c.int(1, 3)
    dtype = c.pick(F32, F64, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, I64, np.uint64, np.bool_)
    shape = [n, channels, h * block, w * block]
    if c.operator == "DepthToSpace":
        shape = [n, channels * block * block, h, w]
    if c.opset == 28 or c.operator == "DepthToSpace":
        c.attributes["mode"] = c.pick("DCR", "CRD")
    c.give((c.noise(*shape) * 30).astype(dtype))


OPERATORS = {
    "GridSample": grid_sample, "AffineGrid": affine_grid, "NonMaxSuppression": non_max_suppression, "RoiAlign": roi_align,
    "RoiAlign max": roi_align_max, "MaxRoiPool": max_roi_pool, "DeformConv": deform_conv, "Col2Im": col2im,
    "MaxUnpool": max_unpool, "CenterCropPad": center_crop_pad, "DFT": dft, "STFT": stft, "windows": windows,
    "MelWeightMatrix": mel_weight_matrix,
    "Resize": resize, "old Resize": old_resize, "Conv": conv, "pool": pool, "norm": norm, "space": space,
}


def model_of(c, name):
    types = [helper.np_dtype_to_tensor_dtype(v.dtype) for v in c.values.values()]
    known = c.rng.integers(3) > 0
    given = [helper.make_tensor_value_info(k, t, v.shape if known else [f"{k}_{i}" for i in range(v.ndim)])
             for (k, v), t in zip(c.values.items(), types)]
    operator = getattr(c, "operator", name.split()[0])
    outputs = [f"y{i}" for i in range(getattr(c, "outputs", 1))]
    node = helper.make_node(operator, c.inputs, outputs, **c.attributes)
    results = [onnx.ValueInfoProto(name=k) for k in outputs]
    graph = helper.make_graph([node], "g", given, results, c.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", c.opset)], ir_version=14 if c.opset > 24 else 10)
    try:
        return onnx.shape_inference.infer_shapes(model), operator
    except Exception:  # noqa: BLE001
        return model, operator


def peer(model, c):
    if not c.reference_only:
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
            return session.run(None, c.values), "ORT"
        except Exception as error:  # noqa: BLE001
            c.why = str(error)
    from onnx.reference import ReferenceEvaluator
    return ReferenceEvaluator(model).run(None, c.values), "reference"


def ours(oribi, model, c, folder):
    onnx.save(model, folder / "m.onnx")
    command = [oribi, "run", folder / "m.onnx", "-o", folder / "y.npz", "-f", "-t", "1"]
    for i, (name, value) in enumerate(c.values.items()):
        np.save(folder / f"{i}.npy", value)
        command += ["-i", f"{name}=@{folder / f'{i}.npy'}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.strip() or f"exit {done.returncode}"
    with np.load(folder / "y.npz") as file:
        return [file[k] for k in file.files]


def compare(want, have, tolerance, slack=0):
    for i, (a, b) in enumerate(zip(want, have)):
        a = np.asarray(a)
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"output {i}: {b.dtype}{b.shape} for {a.dtype}{a.shape}"
        if a.dtype.kind != "f":
            if np.any(np.abs(a.astype(F64) - b.astype(F64)) > slack):
                return f"output {i}: {np.argwhere(a != b)[0]}: {b[a != b][0]} for {a[a != b][0]}, {np.sum(a != b)} of {a.size}"
        elif not np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True):
            at = np.unravel_index(np.nanargmax(np.abs(a.astype(F64) - b)), a.shape)
            return f"output {i}: {b[at]} for {a[at]} at {at}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("oribi")
    parser.add_argument("--cases", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--op", action="append")
    options = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in options.op or OPERATORS:
            counts = collections.Counter()
            for i in range(options.cases):
                c = Case(np.random.default_rng([options.seed, i, *name.encode()]))
                OPERATORS[name](c)
                model, operator = model_of(c, name)
                try:
                    want, who = peer(model, c)
                except Exception as error:  # noqa: BLE001
                    counts["no peer"] += 1
                    continue
                have = ours(options.oribi, model, c, pathlib.Path(folder))
                why = have if isinstance(have, str) else compare(want, have, c.tolerance, getattr(c, "slack", 0))
                kind = "equal" if not why else "refused" if isinstance(have, str) else "differ"
                counts[f"{kind} {who}"] += 1
                if why:
                    bad += 1
                    shapes = [v.shape for v in c.values.values()]
                    print(f"{name} {i}: {kind} ({who}) {operator}-{c.opset} {c.attributes} {shapes} {c.inputs}\n    {why[:400]}")
            print(f"{name}: " + ", ".join(f"{v} {k}" for k, v in sorted(counts.items())), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
