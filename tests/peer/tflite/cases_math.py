# SPDX-License-Identifier: Apache-2.0
"""Cases of operators that compute from values: element by element, sums over axes, products."""
import numpy as np

from build import ACTIVATIONS, HIGH, HYBRID, LOW, Skip

ODD_QUANTS = {"f32": None, "i8": (1 / 256, -128), "u8": (1 / 256, 0), "i16": (1 / 32768, 0)}


# --- Two operands

def _two_shapes(b):
    """Equal, with ones repeated, of different ranks, a scalar."""
    full = b.shape(b.pick(1, 2, 3, 4), 1, 4)
    other = list(full)
    form = b.i % 4
    if form == 1:
        other = [d if b.pick(True, False) else 1 for d in full]
    elif form == 2:
        other = full[b.size(0, len(full) - 1):]
    elif form == 3:
        full = b.shape(3, 2, 4)
        at = b.size(0, 2)
        other = [1 if i == at else d for i, d in enumerate(full)]
        full = [1 if i == (at + 1) % 3 else d for i, d in enumerate(full)]
    return (other, full) if b.i % 3 == 2 else (full, other)


def _binary(b, name, out_bits):
    shape_a, shape_c = _two_shapes(b)
    qa, qc = b.quant(), b.quant()
    out = b.quant(*out_bits)
    same = b.i % 5 == 4
    options = {}
    if b.kind == "i16" and name != "MUL" and b.i % 3 == 2:
        qa, qc, out, options = _powers(b)
        if name == "ADD" or b.i % 2:  # TensorFlow Lite's interpreter ends itself where such sums broadcast
            shape_a = shape_c = [3, b.size(10, 20)]
    a = b.input(shape_a, qa)
    if b.i % 4 == 1 and not same:  # a constant operand
        c = b.const(b.values(shape_c), b.kind, qc)
    else:
        c = b.input(shape_c, qa if same else qc)
    y, activation = b.output(np.broadcast_shapes(shape_a, shape_c), out), b.walk(*ACTIVATIONS)
    if b.kind == "i32" and activation != "NONE":
        b.exclude("tflm")  # which leaves the activation out
    b.op(name, [a, c], [y], activation=activation, **options)


def _powers(b):
    """Scales of powers of two, of which TensorFlow Lite makes shifts unless the model says otherwise: one
    input has the output's scale, the other a finer one."""
    exponent, finer = b.size(-11, -8), b.size(0, 4)
    quants = [(np.float32(2.0 ** exponent), 0), (np.float32(2.0 ** (exponent - finer)), 0)]
    return (*(quants if b.pick(True, False) else quants[::-1]), quants[0],
            {"pot_scale_int16": False} if b.i % 4 == 2 else {})


def add(b):
    _binary(b, "ADD", (-5.0, -1.0))


def sub(b):
    _binary(b, "SUB", (-5.0, -1.0))


def mul(b):
    _binary(b, "MUL", (-6.0, 1.0))


def _extreme(b, name):
    shape_a, shape_c = _two_shapes(b)
    q = b.quant()
    a = b.input(shape_a, q)
    c = b.const(b.values(shape_c), b.kind, q) if b.i % 4 == 1 else b.input(shape_c, q)
    b.op(name, [a, c], [b.output(np.broadcast_shapes(shape_a, shape_c), q)])


def maximum(b):
    _extreme(b, "MAXIMUM")


def minimum(b):
    _extreme(b, "MINIMUM")


# --- One operand

def _every_value(b, q):
    """All 256 of a byte in some cases, else a small random tensor."""
    if b.kind in ("i8", "u8") and b.i % 3 == 0:
        return b.input([4, 64], q, data=np.arange(LOW[b.kind], HIGH[b.kind] + 1).reshape(4, 64))
    return b.input(b.shape(b.pick(1, 2, 3, 4), 1, 5), q)


CURVE = (-7.0, -1.0)


def _unary(b, name, out="free", in_bits=(-6.0, -2.0), **options):
    q = b.quant(*in_bits)
    if in_bits == CURVE and b.i % 6 == 3 and b.kind in ("i8", "u8"):
        # Scales of powers of two bring values to ties, where fixed point and float part.
        q = (np.float32(2.0 ** -(5 + b.i // 6 % 13)), q[1])
    if in_bits == CURVE and b.i % 4 == 3 and b.kind == "i16":  # two powers have a way of their own
        q = (np.float32(2.0 ** -b.walk(11, 12, 13)), 0)
    x = _every_value(b, q)
    out = q if out == "same" else b.quant(-6.0, -2.0) if out == "free" else out
    b.op(name, [x], [b.output(b.graph.tensors[x].shape, out)], **options)


def logistic(b):
    _unary(b, "LOGISTIC", ODD_QUANTS[b.kind], CURVE)


def tanh(b):
    out = {"f32": None, "i8": (1 / 128, 0), "u8": (1 / 128, 128), "i16": (1 / 32768, 0)}[b.kind]
    _unary(b, "TANH", out, CURVE)


def relu(b):
    _unary(b, "RELU")


def relu6(b):
    if b.i % 2:
        _unary(b, "RELU6")
        b.exclude("tflm")  # clamps and leaves the input's scale, whatever the output's is
    else:
        _unary(b, "RELU6", "same")


def relu_n1_to_1(b):
    _unary(b, "RELU_N1_TO_1")


def leaky_relu(b):
    _unary(b, "LEAKY_RELU", alpha=float(np.float32(b.walk(0.1, 0.01, 0.3, 0.5, 1.5, 0.2))))


def hard_swish(b):
    _unary(b, "HARD_SWISH", in_bits=(-6.0, -3.0))


def prelu(b):
    shape = b.shape(b.pick(2, 3, 4), 1, 4)
    q, alpha_q, out = b.quant(), b.quant(-9.0, -6.0), b.quant()
    alpha_shape = [1] * (len(shape) - 2) + [shape[-1]] if b.i % 2 else [1] * (len(shape) - 1)
    if b.i % 5 == 4:
        alpha_shape = shape[1:]
    alpha_kind = "i8" if b.kind == "i16" else b.kind
    if b.kind == "i16":
        alpha_q = b.quant(-9.0, -6.0, "i8")
    alpha = b.const(b.values(alpha_shape, alpha_kind), alpha_kind, alpha_q)
    b.op("PRELU", [b.input(shape, q), alpha], [b.output(shape, out)])


def softmax(b):
    shape = b.shape(b.pick(1, 2, 2, 3, 4), 1, 5)
    shape[-1] = b.size(1, 12)
    q = b.quant(-7.0, -0.5)
    if b.kind == "i16" and b.i % 4 == 3:  # places all over the tables
        shape, q = [200, b.pick(2, 3)], (np.float32(10.0 / 65535.0), 0)
    b.op("SOFTMAX", [b.input(shape, q)], [b.output(shape, ODD_QUANTS[b.kind])],
         beta=float(np.float32(b.walk(1.0, 1.0, 0.5, 2.0))))


def softmax_wide(b):
    """Of bytes into int16."""
    if b.kind not in ("i8", "u8"):
        raise Skip()
    shape = b.shape(b.pick(1, 2, 2, 3, 4), 1, 5)
    shape[-1] = b.size(1, 12)
    b.op("SOFTMAX", [b.input(shape, b.quant(-7.0, -0.5))], [b.output(shape, (1 / 65536, -32768), "i16")],
         beta=float(np.float32(b.walk(1.0, 1.0, 0.5, 2.0))))


# --- Sums over axes

def _reduce(b, name):
    shape = b.shape(b.pick(2, 3, 4, 4), 1, 5)
    rank = len(shape)
    keep = b.i % 2 == 0
    count = b.size(1, rank)
    axes = sorted(int(a) for a in b.rng.choice(rank, count, replace=False))
    if b.i % 3 == 0 and rank == 4:  # the form of a global pool
        axes = [1, 2]
    out_shape = [1 if i in axes else d for i, d in enumerate(shape) if keep or i not in axes]
    given = [a - rank if b.i % 4 == 3 else a for a in axes]
    q, out = b.quant(), b.quant()
    if b.i % 5 == 1:
        out = q
    elif name == "SUM" and not b.is_float:
        spread = float(q[0]) * np.sqrt(np.prod([shape[a] for a in axes])) * 2.0
        out = (np.float32(spread * 2.0 ** b.rng.uniform(-1, 1)), out[1])
    b.op(name, [b.input(shape, q), b.ints(given)], [b.output(out_shape, out)], keep_dims=keep)


def mean(b):
    _reduce(b, "MEAN")


def sum_(b):
    _reduce(b, "SUM")
    if not b.is_float and b.kind != "u8":
        b.exclude("tflite")  # 2.16.1, and LiteRT 2.3: no sum of the values, under any scale
        b.exclude("litert")


# --- Products

def fully_connected(b):
    rows, ic, oc = b.size(1, 4), b.size(1, 12), b.size(1, 7)
    keep = b.i % 4 == 1
    lead = [rows] if not keep else [b.size(1, 3), b.size(1, 3)]
    q = b.quant()
    x = b.input(lead + [ic], q)
    w, bias, out = b.weights([oc, ic], 0, q, ic, bias=b.i % 7 != 6)
    y = b.output(lead + [oc], out)
    options = {"asymmetric": bool(b.i % 2)} if b.column == HYBRID else {}
    b.op("FULLY_CONNECTED", [x, w, bias], [y], keep_num_dims=keep, activation=b.walk(*ACTIVATIONS), **options)


def batch_matmul(b):
    m, k, n = b.size(1, 5), b.size(1, 6), b.size(1, 5)
    adj_x, adj_y = b.walk((False, False), (True, False), (False, True), (True, True))
    lead_x, lead_y = b.pick(([], []), ([2], [2]), ([3], [1]), ([1], [2]), ([2, 3], [2, 3]),
                            ([2, 1], [1, 3]))
    if b.column == HYBRID:  # TFLite reads more than one batch of weights in another order than it is told
        lead_x = lead_y = lead_x[:1]
    qx, qy = b.quant(), b.quant()
    x = b.input(lead_x + ([k, m] if adj_x else [m, k]), qx)
    shape_y = lead_y + ([n, k] if adj_y else [k, n])
    # constant right sides are what a layer has; the rest are products of two activations
    if b.column == HYBRID:
        c = b.const(b.rng.integers(-127, 128, shape_y), "i8", (np.float32(2.0 ** b.rng.uniform(-9, -5)), 0))
    else:
        c = b.const(b.values(shape_y), b.kind, qy) if b.i % 3 == 1 else b.input(shape_y, qy)
    lead = list(np.broadcast_shapes(lead_x, lead_y))
    out = None
    if not b.is_float:
        rms, steps = (18900.0, 12000.0) if b.kind == "i16" else (95.0, 50.0)
        scale = float(qx[0]) * float(qy[0]) * rms * rms * np.sqrt(k) / steps
        out = (np.float32(scale * 2.0 ** b.rng.uniform(-1, 1)), 0 if b.kind == "i16" else b.quant()[1])
    y = b.output(lead + [m, n], out)
    options = {"asymmetric": bool(b.i % 2)} if b.column == HYBRID else {}
    b.op("BATCH_MATMUL", [x, c], [y], adj_x=adj_x, adj_y=adj_y, **options)


# --- Between element types

def quantize(b):
    """The column is the result's type."""
    if b.is_float:
        raise Skip()
    shape, out = b.shape(b.pick(1, 2, 3, 4), 1, 5), b.quant()
    source = b.walk("f32", b.kind, "f32", {"i8": "i16", "i16": "i8", "u8": "i8"}[b.kind],
                    {"i8": "u8", "i16": "f32", "u8": "f32"}[b.kind])
    if source == "f32":
        spread = float(out[0]) * (20000.0 if b.kind == "i16" else 90.0)
        x = b.input(shape, None, "f32", b.rng.standard_normal(shape) * spread)
    else:
        x = b.input(shape, b.quant(kind=source), source)
    b.op("QUANTIZE", [x], [b.output(shape, out)])


def quantize_wide(b):
    """Between int32 and the column's type."""
    if b.kind not in ("i8", "i16"):
        raise Skip()
    shape, q = b.shape(b.pick(1, 2, 3), 1, 5), b.quant()
    wide = (np.float32(float(q[0]) * 2.0 ** b.rng.uniform(-8, 0)), 0)
    data = b.rng.integers(-200000, 200000, shape)
    if b.i % 2:
        b.op("QUANTIZE", [b.input(shape, wide, "i32", data)], [b.output(shape, q)])
    else:
        b.op("QUANTIZE", [b.input(shape, q)], [b.output(shape, wide, "i32")])


def dequantize(b):
    """The column is the source's type; floats have 16 bits in a file and are folded."""
    shape = b.shape(b.pick(1, 2, 3, 4), 1, 5)
    if not b.is_float:
        b.op("DEQUANTIZE", [b.input(shape, b.quant())], [b.output(shape, None, "f32")])
        return
    half = b.const(b.values(shape, "f16"), "f16")
    full = b._add("full", shape, "f32", None, None)
    x = b.input(shape)
    b.op("DEQUANTIZE", [half], [full])
    b.op("ADD", [x, full], [b.output(shape)], activation="NONE")


def cast(b):
    shape = b.shape(b.pick(1, 2, 3), 1, 5)
    others = {"f32": ("i32", "i8", "u8", "i16"), "i8": ("f32", "i32", "i16", "u8"),
              "i16": ("f32", "i32", "i8"), "u8": ("f32", "i32", "i8")}[b.kind]
    other = b.walk(*others)
    source, to = (b.kind, other) if b.i // len(others) % 2 == 0 else (other, b.kind)
    data = b.values(shape, source)
    if source == "f32":  # what every type can hold
        data = np.abs(data * 20).clip(0, 127)
    x = b.input(shape, None, source, data)
    b.op("CAST", [x], [b.output(shape, None, to)], in_type=source, out_type=to)


CASES = {"ADD": add, "SUB": sub, "MUL": mul, "MAXIMUM": maximum, "MINIMUM": minimum,
         "LOGISTIC": logistic, "TANH": tanh, "RELU": relu, "RELU6": relu6,
         "RELU_N1_TO_1": relu_n1_to_1, "LEAKY_RELU": leaky_relu,
         "PRELU": prelu, "HARD_SWISH": hard_swish, "SOFTMAX": softmax, "SOFTMAX_WIDE": softmax_wide, "MEAN": mean, "SUM": sum_,
         "FULLY_CONNECTED": fully_connected, "BATCH_MATMUL": batch_matmul, "QUANTIZE": quantize,
         "DEQUANTIZE": dequantize, "CAST": cast}
