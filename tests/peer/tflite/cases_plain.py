# SPDX-License-Identifier: Apache-2.0
"""Cases of functions of one and two elements, of comparisons, choices and sums over axes that the other files do
not have, in every element type: what no reference computes makes no vector."""
import math

import numpy as np

from build import LOW, Skip, window

INTEGERS = ("i8", "i16", "u8", "i32", "i64", "u32")


# --- One operand

def _input(b, q, shape=None, low=None, high=None, data=None):
    """Floats between low and high; of a byte all values in some cases."""
    shape = shape or b.shape(b.pick(1, 2, 3, 4), 1, 5)
    if b.kind in ("i8", "u8") and b.i % 3 == 0:
        shape, data = [4, 64], np.arange(LOW[b.kind], LOW[b.kind] + 256).reshape(4, 64)
    elif b.is_float and low is not None:
        data = b.rng.uniform(low, high, shape)
    return shape, b.input(shape, q, data=data)


def _function(name, bits=(-6.0, -2.0), low=None, high=None, out="free", positive=False, **options):
    """positive: the quantised numbers are at least 0, or above."""
    def case(b):
        q = b.quant(*bits)
        if positive and b.kind in ("i8", "u8"):
            q = (q[0], LOW[b.kind])
        chosen = {key: value(b) if callable(value) else value for key, value in options.items()}
        data = None
        if positive and q is not None and b.kind == "i16":
            data = b.rng.integers(1, 32767, [2, 9])
        shape, x = _input(b, q, [2, 9] if data is not None else None, low, high, data)
        result = q if out == "same" else b.quant() if out == "free" else out[b.kind] if q else None
        b.op(name, [x], [b.output(shape, result)], **chosen)
        if name == "RSQRT" and b.kind == "i16":
            b.exclude("tflm")  # takes int16 for int8
    return case


UNIT = {"i8": (1 / 256, -128), "u8": (1 / 256, 0), "i16": (1 / 32768, 0)}
NORMAL = {"i8": (1 / 128, 0), "u8": (1 / 128, 128), "i16": (1 / 32768, 0)}
LOGARITHM = {"i8": (16 / 256, 127), "u8": (16 / 256, 255), "i16": (16 / 32768, 0)}
ONE = {"EXP": _function("EXP", (-7.0, -4.0)), "LOG": _function("LOG", positive=True, low=0.01, high=20),
       "SQRT": _function("SQRT", positive=True, low=0, high=50),
       "RSQRT": _function("RSQRT", positive=True, low=0.01, high=20),
       "SQUARE": _function("SQUARE"), "SIN": _function("SIN", low=-20, high=20),
       "COS": _function("COS", low=-20, high=20), "ABS": _function("ABS"), "NEG": _function("NEG", out="same"),
       "FLOOR": _function("FLOOR", low=-5, high=5, out="same"), "CEIL": _function("CEIL", out="same"),
       "ROUND": _function("ROUND", out="same"), "ELU": _function("ELU"), "SIGN": _function("SIGN"),
       "GELU": _function("GELU", approximate=lambda b: bool(b.i % 2)), "LOGICAL_NOT": _function("LOGICAL_NOT"),
       "RELU_0_TO_1": _function("RELU_0_TO_1"), "ZEROS_LIKE": _function("ZEROS_LIKE", out="same"),
       "LOG_SOFTMAX": _function("LOG_SOFTMAX", (-7.0, -1.0), out=LOGARITHM),
       "L2_NORMALIZATION": _function("L2_NORMALIZATION", out=NORMAL)}


# --- Two operands

def _far_quotients(b, a, c, scales, zeros):
    """The references shift a quotient right by 32 bits or more, which C leaves open: near 0 they are wrong."""
    top, bottom = (np.asarray(x, np.int64) - z for x, z in zip(np.broadcast_arrays(a, c), zeros))
    power = math.frexp(float(np.float32(scales[0] / np.float32(scales[1] * scales[2]))))[1]
    top = np.where(bottom < 0, -top, top)
    room = [31 - int(v if v >= 0 else -v - 1).bit_length() for v in top.ravel()]
    over = [int(v).bit_length() - 1 for v in np.abs(bottom).ravel()]
    return any(r + o - power > 31 for r, o in zip(room, over))


def _shapes(b):
    full = b.shape(b.pick(1, 2, 3, 4), 1, 4)
    other = [full, [d if b.pick(True, False) else 1 for d in full], full[b.size(0, len(full) - 1):], []][b.i % 4]
    return (full, other) if b.i % 8 < 4 else (other, full)


def _data(b, shape, low, high, nonzero):
    if b.kind == "bool":
        return b.values(shape)
    data = b.rng.uniform(low, high, shape) if b.is_float else b.rng.integers(int(low), int(high) + 1, shape)
    return np.where(data == 0, 1, data) if nonzero else data


def _pair(name, low=None, high=None, result=None, nonzero=False, quants="free", **options):
    """quants: of operands; 'same' gives all tensors one."""
    def case(b):
        sa, sc = _shapes(b)
        if b.kind in ("i8", "i16", "u8"):
            bounds = (None, None)
        else:
            bounds = (low if low is not None else -9, high if high is not None else 9)
        q = b.quant()
        qa, qc = (q, q) if quants == "same" or b.i % 5 == 4 else (q, b.quant())
        make = (lambda s, nz: None) if bounds[0] is None else (lambda s, nz: _data(b, s, *bounds, nz))
        a = b.input(sa, qa, data=make(sa, False))
        if bounds[0] is None and nonzero:
            data = b.values(sc)
            c = b.input(sc, qc, data=np.where(data == qc[1], data ^ 1, data))
        else:
            c = b.input(sc, qc, data=make(sc, nonzero))
        kind = result or b.kind
        out = None if kind != b.kind else q if quants == "same" else b.quant(-5.0, -1.0)
        b.op(name, [a, c], [b.output(np.broadcast_shapes(tuple(sa), tuple(sc)), out, kind)],
             **{key: value(b) for key, value in options.items()})
        if name == "DIV" and qa is not None and _far_quotients(
                b, np.frombuffer(b.data[-2], b.values([0]).dtype).reshape(sa),
                np.frombuffer(b.data[-1], b.values([0]).dtype).reshape(sc), (qa[0], qc[0], out[0]), (qa[1], qc[1])):
            b.excluded.update(("tflm", "tflite", "litert"))
        if name == "GREATER" and b.kind == "i16":
            b.exclude("tflm")  # whose kernel computes with multipliers that nobody has set
        if name == "ATAN2" and sa != sc:
            b.exclude("litert")  # which reads beyond the smaller one
    return case


def _logic(name):
    def case(b):
        if b.kind != "bool":  # TensorFlow Lite Micro reads anything as if it were
            raise Skip()
        _pair(name)(b)
    return case


TWO = {name: _pair(name, -3, 3, "bool") for name in
       ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")}
TWO.update({"LOGICAL_OR": _logic("LOGICAL_OR"), "LOGICAL_AND": _logic("LOGICAL_AND"),
            "POW": _pair("POW", 0, 4), "FLOOR_DIV": _pair("FLOOR_DIV", nonzero=True),
            "FLOOR_MOD": _pair("FLOOR_MOD", nonzero=True), "SQUARED_DIFFERENCE": _pair("SQUARED_DIFFERENCE"),
            "DIV": _pair("DIV", nonzero=True,
                         activation=lambda b: b.walk("NONE", "RELU", "RELU6", "RELU_N1_TO_1")),
            "ATAN2": _pair("ATAN2"), "BITWISE_XOR": _pair("BITWISE_XOR"),
            "RIGHT_SHIFT": _pair("RIGHT_SHIFT", 0, 7)})


def select(b, name="SELECT"):
    shape = b.shape(b.pick(1, 2, 3), 1, 4)
    q = b.quant()
    condition = b.values(shape if b.i % 2 else shape[:1], "bool")
    c = b.input(condition.shape, None, "bool", condition)
    b.op(name, [c, b.input(shape, q), b.input(shape, q)], [b.output(shape, q)])


def select_v2(b):
    sa, sc = _shapes(b)
    q = b.quant()
    third = b.pick(sa, sc, [1])
    c = b.input(third, None, "bool", b.values(third, "bool"))
    shape = np.broadcast_shapes(tuple(sa), tuple(sc), tuple(third))
    b.op("SELECT_V2", [c, b.input(sa, q), b.input(sc, q)], [b.output(shape, q)])


def add_n(b):
    shape = b.shape(b.pick(1, 2, 3), 1, 4)
    q, out = b.quant(), b.quant()
    b.op("ADD_N", [b.input(shape, q) for _ in range(b.size(2, 4))], [b.output(shape, out)])


# --- Over axes

def _reduce(name, same=True):
    def case(b):
        shape = b.shape(b.pick(1, 2, 3, 4), 1, 4)
        rank, keep = len(shape), b.i % 2 == 0
        axes = sorted(int(a) for a in b.rng.choice(rank, b.size(1, rank), replace=False))
        out_shape = [1 if i in axes else d for i, d in enumerate(shape) if keep or i not in axes]
        given = [a - rank if b.i % 4 == 3 else a for a in axes]
        q = b.quant(-7.0, -5.0)
        out = q if same else b.quant(-6.0, 0.0)
        data = None if b.kind not in ("i32", "i64") else b.rng.integers(-5, 6, shape)
        b.op(name, [b.input(shape, q, data=data), b.ints(given)], [b.output(out_shape, out)], keep_dims=keep)
    return case


def _arg(name):
    def case(b):
        shape = b.shape(b.pick(1, 2, 3, 4), 1, 5)
        axis = b.size(-len(shape), len(shape) - 1)
        kind = b.walk("i32", "i64")
        out = [d for i, d in enumerate(shape) if i != axis % len(shape)]
        x = b.input(shape, b.quant(), data=b.rng.integers(0, 4, shape) if b.i % 3 == 0 else None)
        given = b.ints([axis]) if b.i % 4 == 1 else b.const(np.int32(axis), "i32")
        b.op(name, [x, given], [b.output(out, None, kind)], output_type=kind)
    return case


def cumsum(b):
    shape = b.shape(b.pick(1, 2, 3), 1, 5)
    axis = b.size(-len(shape), len(shape) - 1)
    q = b.quant()
    b.op("CUMSUM", [b.input(shape, q), b.const(np.int32(axis), "i32")], [b.output(shape, b.quant())],
         exclusive=bool(b.i % 2), reverse=bool(b.i // 2 % 2))


def top_k(b):
    shape = b.shape(b.pick(1, 2, 3), 1, 6)
    k = b.size(1, shape[-1])
    q = b.quant()
    x = b.input(shape, q, data=b.rng.integers(0, 5, shape) if b.i % 2 else None)
    b.op("TOPK_V2", [x, b.const(np.int32(k), "i32")],
         [b.output(shape[:-1] + [k], q), b.output(shape[:-1] + [k], None, "i32")])


def l2_pool(b):
    if not b.is_float:
        raise Skip()
    shape, size, stride = b.shape(4, 3, 6), b.size(1, 3), b.size(1, 2)
    padding = b.walk("SAME", "VALID")
    out = [-(-d // stride) if padding == "SAME" else (d - size) // stride + 1 for d in shape[1:3]]
    b.op("L2_POOL_2D", [b.input(shape)], [b.output([shape[0]] + out + shape[3:])], padding=padding, stride_w=stride,
         stride_h=stride, filter_w=size, filter_h=size, activation="NONE")


def local_response(b):
    if not b.is_float:
        raise Skip()
    shape, b.usual = b.shape(3, 1, 4) + [b.size(1, 9)], True  # the reference's window lacks its last channel
    b.op("LOCAL_RESPONSE_NORMALIZATION", [b.input(shape)], [b.output(shape)], radius=b.walk(2, 1, 5, 0, 9),
         bias=b.pick(1.0, 2.0, 0.5), alpha=b.pick(1.0, 1e-4, 0.3), beta=b.walk(0.75, 0.5, 1.0))


def _conv_3d(name):
    def case(b):
        if not b.is_float:
            raise Skip()
        padding, sizes, filters, strides, dilations, out = b.walk("SAME", "VALID"), [], [], [], [], []
        for _ in range(3):
            strides.append(b.size(1, 2))
            dilations.append(1 if strides[-1] > 1 else b.size(1, 2))
            filters.append(b.size(1, 3))
            sizes.append(b.size(3, 6))
            out.append(window(sizes[-1], filters[-1], strides[-1], dilations[-1], padding))
        taken, made, batch = b.size(1, 3), b.size(1, 4), b.pick(1, 2)
        first, channels = [], [taken, made]
        if name == "CONV_3D_TRANSPOSE":  # its window slides over the result
            sizes, out, channels = out, sizes, [made, taken]
            first = [b.ints([batch] + out + [made])]
        w = b.const(b.rng.standard_normal(filters + channels) / math.sqrt(math.prod(filters) * taken), "f32")
        x = b.input([batch] + sizes + [taken])
        inputs = first + ([w, x] if first else [x, w])
        inputs += [b.const(b.rng.standard_normal(made), "f32")] if b.i % 3 else []
        b.op(name, inputs, [b.output([batch] + out + [made])], padding=padding, activation=b.walk("NONE", "RELU", "RELU6"),
             stride_d=strides[0], stride_h=strides[1], stride_w=strides[2], dilation_d=dilations[0],
             dilation_h=dilations[1], dilation_w=dilations[2])
    return case


def fake_quant(b):
    if not b.is_float:
        raise Skip()
    shape = b.shape(b.pick(1, 2, 3), 1, 5)
    b.op("FAKE_QUANT", [b.input(shape)], [b.output(shape)], min=float(b.walk(-1.0, 0.0, -3.5, 0.25)),
         max=float(b.walk(1.0, 6.0, 2.25)), bits=b.walk(8, 4, 16), narrow=bool(b.i % 2))


CASES = {**ONE, **TWO, "SELECT": select, "SELECT_V2": select_v2, "ADD_N": add_n,
         "REDUCE_PROD": _reduce("REDUCE_PROD", False), "REDUCE_MAX": _reduce("REDUCE_MAX"),
         "REDUCE_MIN": _reduce("REDUCE_MIN"), "REDUCE_ANY": _reduce("REDUCE_ANY"),
         "REDUCE_ALL": _reduce("REDUCE_ALL"), "ARG_MAX": _arg("ARG_MAX"), "ARG_MIN": _arg("ARG_MIN"),
         "CUMSUM": cumsum, "TOPK_V2": top_k, "L2_POOL_2D": l2_pool,
         "LOCAL_RESPONSE_NORMALIZATION": local_response, "FAKE_QUANT": fake_quant, "CONV_3D": _conv_3d("CONV_3D"),
         "CONV_3D_TRANSPOSE": _conv_3d("CONV_3D_TRANSPOSE")}
