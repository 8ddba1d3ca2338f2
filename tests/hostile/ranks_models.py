# SPDX-License-Identifier: Apache-2.0
"""Models of single ops for a rank, and what numpy makes of the input; see ranks_chains.py for others. FAMILIES:
name -> (function of a rank, lowest rank, highest)."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import onnx_lite as o  # noqa: E402

FAMILIES = {}


def family(lowest=1, highest=17):
    def add(make):
        FAMILIES[make.__name__] = (make, lowest, highest)
        return make
    return add


def shape_of(rank, seed=0):
    """At most 864 elements; axes of one element between those of several."""
    random = np.random.default_rng(rank * 31 + seed)
    dims = [1] * rank
    for size, axis in zip([3, 2, 4, 2, 3, 2, 3], random.permutation(rank)):
        dims[axis] = size
    return dims


def data(shape, seed=0):
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(np.float32) / 4


def order_of(rank, seed=0):
    return [int(a) for a in np.random.default_rng(rank * 7 + seed).permutation(rank)]


def ints(name, values):
    return o.tensor(name, np.array(values, np.int64))


class Model:
    """x goes in, y comes out."""

    def __init__(self, rank, opset=13):
        self.x = data(shape_of(rank))
        self.nodes, self.weights, self.opset, self.n = [], [], opset, 0
        self.more = {}  # inputs beside x, of unknown length

    def add(self, op, *inputs, outputs=None, **attributes):
        self.n += 1
        outputs = outputs or [f"t{self.n}"]
        self.nodes.append(o.node(op, list(inputs), outputs, **attributes))
        return outputs[0]

    def ints(self, values):
        self.n += 1
        self.weights.append(ints(f"c{self.n}", values))
        return f"c{self.n}"

    def array(self, values):
        self.n += 1
        self.weights.append(o.tensor(f"c{self.n}", np.ascontiguousarray(values)))
        return f"c{self.n}"

    def bytes(self, y, is_open):
        """is_open: only the run says how large x is."""
        dims = [f"d{i}" for i in range(self.x.ndim)] if is_open else list(self.x.shape)
        inputs = [o.info("x", dims)] + [o.info(n, ["n"], 7) for n in self.more]
        return o.model(self.nodes, inputs, [o.info(y, [])], self.weights, opset=self.opset)


# --- The ops: (model, name of the result, what numpy says) ------------------------------------------


@family()
def transpose(rank):
    m, order = Model(rank), order_of(rank)
    return m, m.add("Transpose", "x", perm=order), np.transpose(m.x, order)


@family()
def transpose_of_weights(rank):
    m, order = Model(rank), order_of(rank, 1)
    w = data(shape_of(rank, 5), 3)
    y = m.add("Add", m.add("Transpose", m.array(w), perm=order),
              m.add("ReduceSum", "x", m.ints(range(rank)), keepdims=1))
    return m, y, np.transpose(w, order) + m.x.sum(keepdims=True)


@family()
def softmax(rank):
    m, axis = Model(rank), rank // 2
    e = np.exp(m.x - m.x.max(axis=axis, keepdims=True))
    return m, m.add("Softmax", "x", axis=axis), e / e.sum(axis=axis, keepdims=True)


@family()
def log_softmax(rank):
    m = Model(rank)
    e = np.exp(m.x - m.x.max(axis=-1, keepdims=True))
    return m, m.add("LogSoftmax", "x", axis=-1), np.log(e / e.sum(axis=-1, keepdims=True))


@family()
def reshape(rank):
    m = Model(rank)
    to = [m.x.size] + [1] * (rank - 1)
    return m, m.add("Reshape", "x", m.ints(to)), m.x.reshape(to)


@family()
def reshape_to_it(rank):
    m, to = Model(1), shape_of(rank)
    m.x = data([int(np.prod(to))])
    return m, m.add("Reshape", "x", m.ints(to)), m.x.reshape(to)


@family()
def reshape_computed(rank):
    m = Model(1)
    m.more["s"] = np.array(shape_of(rank), np.int64)
    m.x = data([int(np.prod(m.more["s"]))])
    return m, m.add("Reshape", "x", "s"), m.x.reshape(m.more["s"])


@family()
def fill_computed(rank):
    m = Model(1)
    m.more["s"] = np.array(shape_of(rank), np.int64)
    y = m.add("Add", m.add("ConstantOfShape", "s"), m.add("ReduceSum", "x", m.ints([0]), keepdims=1))
    return m, y, np.zeros(m.more["s"]) + m.x.sum()


@family()
def expand_computed(rank):
    m = Model(1)
    m.x = m.x[:1]
    m.more["s"] = np.array(shape_of(rank), np.int64)
    return m, m.add("Expand", "x", "s"), np.broadcast_to(m.x, m.more["s"])


@family()
def flatten(rank):
    m = Model(rank)
    axis = rank // 2
    rows = int(np.prod(m.x.shape[:axis]))
    return m, m.add("Flatten", "x", axis=axis), m.x.reshape(rows, -1)


@family(2)
def squeeze(rank):
    m = Model(rank)
    m.x = m.x[:, :1]
    return m, m.add("Squeeze", "x", m.ints([1])), m.x[:, 0]


@family(2)
def unsqueeze(rank):
    m = Model(rank - 1)
    return m, m.add("Unsqueeze", "x", m.ints([rank - 1])), m.x[..., None]


def reduction(op, of, keep, since=18):
    def make(rank):
        m = Model(rank)
        axes = sorted(order_of(rank, 2)[:(rank + 1) // 2])
        if since > m.opset:
            y = m.add(op, "x", axes=axes, keepdims=keep)
        else:
            y = m.add(op, "x", m.ints(axes), keepdims=keep)
        return m, y, of(m.x, axis=tuple(axes), keepdims=bool(keep))
    make.__name__ = f"{op.lower()}_{keep}"
    family()(make)


for k in (0, 1):
    reduction("ReduceSum", np.sum, k, 13)
    reduction("ReduceMean", np.mean, k)
    reduction("ReduceMax", np.max, k)
    reduction("ReduceMin", np.min, k)
reduction("ReduceProd", np.prod, 0)
reduction("ReduceL2", lambda x, **a: np.sqrt(np.sum(x * x, **a)), 1)


@family()
def argmax(rank):
    m, axis = Model(rank), rank - 1
    m.x = np.random.default_rng(2).permutation(m.x.size).reshape(m.x.shape).astype(np.float32)
    y = m.add("Cast", m.add("ArgMax", "x", axis=axis, keepdims=0), to=1)
    return m, y, m.x.argmax(axis=axis)


@family()
def top_k(rank):
    m = Model(rank)
    m.x = np.random.default_rng(2).permutation(m.x.size).reshape(m.x.shape).astype(np.float32)
    y = m.add("TopK", "x", m.ints([1]), outputs=["values", "places"], axis=0)
    return m, y, m.x.max(axis=0, keepdims=True)


@family()
def cumsum(rank):
    m = Model(rank)
    m.weights.append(o.tensor("axis", np.array(rank // 2, np.int64)))
    return m, m.add("CumSum", "x", "axis"), m.x.cumsum(axis=rank // 2)


@family()
def cut(rank):
    m = Model(rank)
    starts, ends = [0] * rank, [max(1, d - 1) for d in m.x.shape]
    y = m.add("Slice", "x", m.ints(starts), m.ints(ends))
    return m, y, m.x[tuple(slice(0, e) for e in ends)]


@family()
def cut_backwards(rank):
    m = Model(rank)
    axes = list(range(rank))
    y = m.add("Slice", "x", m.ints([-1] * rank), m.ints([-100] * rank), m.ints(axes), m.ints([-1] * rank))
    return m, y, np.flip(m.x)


@family()
def concat(rank):
    m, axis = Model(rank), rank // 2
    w = data(m.x.shape, 9)
    return m, m.add("Concat", "x", m.array(w), "x", axis=axis), np.concatenate([m.x, w, m.x], axis)


@family()
def split(rank):
    m = Model(rank)
    m.x = np.concatenate([m.x, m.x + 1], rank - 1)
    n = m.x.shape[-1] // 2
    m.add("Split", "x", m.ints([n, n]), outputs=["a", "b"], axis=rank - 1)
    return m, m.add("Sub", "b", "a"), m.x[..., n:] - m.x[..., :n]


def padding(mode, how):
    def make(rank):
        m = Model(rank)
        before = [1 if d > 1 else 0 for d in m.x.shape]
        after = [1 if i % 5 == 0 and d > 1 else 0 for i, d in enumerate(m.x.shape)]
        y = m.add("Pad", "x", m.ints(before + after), mode=mode)
        return m, y, np.pad(m.x, list(zip(before, after)), how)
    make.__name__ = f"pad_{mode}"
    family()(make)


padding("constant", "constant")
padding("reflect", "reflect")


@family()
def tile(rank):
    m = Model(rank)
    times = [2 if i in (0, rank - 1) else 1 for i in range(rank)]
    return m, m.add("Tile", "x", m.ints(times)), np.tile(m.x, times)


@family()
def expand(rank):
    m = Model(rank)
    to = [2 if d == 1 and i % 4 == 0 else d for i, d in enumerate(m.x.shape)]
    return m, m.add("Expand", "x", m.ints(to)), np.broadcast_to(m.x, to)


def broadcast(op, of):
    def make(rank):
        m = Model(rank)
        w = data([2 if d == 1 and i % 3 == 0 else 1 if i % 2 else d for i, d in enumerate(m.x.shape)], 4)
        return m, m.add(op, "x", m.array(w)), of(m.x, w)
    make.__name__ = f"broadcast_{op.lower()}"
    family()(make)


for name, of in (("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply)):
    broadcast(name, of)


@family()
def broadcast_vector(rank):
    m = Model(rank)
    w = data([m.x.shape[-1]], 4)
    return m, m.add("Mul", "x", m.array(w)), m.x * w


@family()
def maximum_of_three(rank):
    m = Model(rank)
    w, v = data(m.x.shape[-1:], 4), data([1] * rank, 5)
    return m, m.add("Max", "x", m.array(w), m.array(v)), np.maximum(np.maximum(m.x, w), v)


@family()
def where(rank):
    m = Model(rank)
    w = data([1] + list(m.x.shape[1:]), 4)
    c = m.add("Greater", "x", m.array(w))
    return m, m.add("Where", c, "x", m.array(w)), np.where(m.x > w, m.x, w)


@family()
def elementwise(rank):
    m = Model(rank)
    return m, m.add("Exp", m.add("Neg", m.add("Abs", "x"))), np.exp(-np.abs(m.x))


@family()
def clip(rank):
    m = Model(rank)
    m.weights += [o.tensor("low", np.array(-1, np.float32)), o.tensor("high", np.array(1, np.float32))]
    return m, m.add("Clip", "x", "low", "high"), m.x.clip(-1, 1)


@family()
def prelu(rank):
    m = Model(rank)
    return m, m.add("PRelu", "x", m.array(np.array([0.5], np.float32))), np.where(m.x < 0, m.x / 2, m.x)


@family()
def cast(rank):
    m = Model(rank)
    return m, m.add("Cast", m.add("Cast", "x", to=6), to=1), np.trunc(m.x)


@family()
def gather(rank):
    m, axis = Model(rank), rank // 2
    index = [0, m.x.shape[axis] - 1, 0]
    return m, m.add("Gather", "x", m.ints(index), axis=axis), np.take(m.x, index, axis)


@family()
def gather_nd(rank):
    m = Model(rank)
    index = np.array([[0] * rank, [d - 1 for d in m.x.shape]])
    return m, m.add("GatherND", "x", m.array(index)), m.x[tuple(index.T)]


@family()
def scatter_nd(rank):
    m = Model(rank)
    index, y = np.array([[d - 1 for d in m.x.shape]]), m.x.copy()
    y[tuple(index[0])] = 77
    return m, m.add("ScatterND", "x", m.array(index), m.array(np.array([77], np.float32))), y


@family()
def gather_elements(rank):
    m, axis = Model(rank), rank // 2
    index = np.random.default_rng(3).integers(-m.x.shape[axis], m.x.shape[axis], m.x.shape)
    return m, m.add("GatherElements", "x", m.array(index), axis=axis), np.take_along_axis(m.x, index, axis)


@family()
def scatter_elements(rank):
    m = Model(rank, 18)
    index, more = np.zeros(m.x.shape, np.int64) - 1, data(m.x.shape, 6)
    y = m.x.copy()
    y[-1:] = np.maximum(y[-1:], more.max(0, keepdims=True))
    return m, m.add("ScatterElements", "x", m.array(index), m.array(more), reduction="max"), y


@family(2)
def trilu(rank):
    m = Model(rank, 14)
    return m, m.add("Trilu", "x", upper=0), np.tril(m.x)


@family()
def einsum(rank):
    m = Model(rank)
    return m, m.add("Einsum", "x", "x", equation="...,...->..."), m.x * m.x


@family()
def einsum_of_letters(rank):
    m, letters = Model(rank), "abcdefghijklmnopqrstuvwxyz"[:rank]
    return m, m.add("Einsum", "x", equation=f"{letters}->{letters[::-1]}"), m.x.transpose()


@family(2)
def reverse_sequence(rank):
    m = Model(rank)
    y = m.add("ReverseSequence", "x", m.ints([m.x.shape[0]] * m.x.shape[1]), time_axis=0, batch_axis=1)
    return m, y, m.x[::-1]


@family()
def compress(rank):
    m, axis = Model(rank), rank - 1
    y = m.add("Compress", "x", m.add("Cast", m.ints([1] * m.x.shape[axis]), to=9), axis=axis)
    return m, y, m.x


@family()
def unique(rank):
    m = Model(rank)
    return m, m.add("Unique", "x", axis=rank - 1), np.unique(m.x, axis=rank - 1)


@family(2)
def one_hot(rank):
    m = Model(rank - 1)
    m.x = np.abs(m.x).round()
    place = m.add("Cast", "x", to=7)
    m.weights += [o.tensor("depth", np.array(3, np.int64)), o.tensor("two", np.array([0, 1], np.float32))]
    return m, m.add("OneHot", place, "depth", "two"), np.eye(3)[m.x.astype(int)] * 1.0


@family(3)
def matmul(rank):
    m = Model(rank)
    w = data([m.x.shape[-1], 3], 5)
    return m, m.add("MatMul", "x", m.array(w)), m.x @ w


@family(3)
def matmul_of_two(rank):
    m = Model(rank)
    w = data([1] * (rank - 2) + [m.x.shape[-1], 2], 5)
    both = m.add("Add", m.array(w), m.add("ReduceSum", "x", m.ints(range(rank)), keepdims=1))
    return m, m.add("MatMul", "x", both), m.x @ (w + m.x.sum(keepdims=True))


@family()
def layer_norm(rank):
    m = Model(rank, 17)
    w = data([m.x.shape[-1]], 4)
    mean, var = m.x.mean(-1, keepdims=True), m.x.var(-1, keepdims=True)
    y = m.add("LayerNormalization", "x", m.array(w), axis=-1, epsilon=0.5)
    return m, y, (m.x - mean) / np.sqrt(var + 0.5) * w


@family(2)
def batch_norm(rank):
    m = Model(rank)
    c = m.x.shape[1]
    scale, shift, mean = (data([c], s) for s in (1, 2, 3))
    var = np.abs(data([c], 4)) + 1
    y = m.add("BatchNormalization", "x", *(m.array(a) for a in (scale, shift, mean, var)), epsilon=0.0)
    lay = [1, c] + [1] * (rank - 2)
    a, b, d, e = (v.reshape(lay) for v in (scale, shift, mean, var))
    return m, y, (m.x - d) / np.sqrt(e) * a + b


@family()
def fill(rank):
    m, to = Model(1), shape_of(rank)
    y = m.add("Add", m.add("ConstantOfShape", m.ints(to)), m.add("ReduceSum", "x", m.ints([0]), keepdims=1))
    return m, y, np.zeros(to) + m.x.sum()


@family()
def shape(rank):
    m = Model(rank)
    return m, m.add("Cast", m.add("Shape", "x"), to=1), np.array(m.x.shape)


@family()
def quantize(rank):
    m = Model(rank)
    m.weights.append(o.tensor("scale", np.array(0.25, np.float32)))
    y = m.add("DequantizeLinear", m.add("QuantizeLinear", "x", "scale"), "scale")
    return m, y, np.clip(np.round(m.x / 0.25), 0, 255) * 0.25


@family()
def quantize_axis(rank):
    m, axis = Model(rank), rank // 2
    s = np.array([0.25, 0.5, 0.125, 1][:m.x.shape[axis]], np.float32)
    scale = m.array(s)
    zero = m.add("Cast", m.array(np.zeros(len(s), np.int32)), to=3)
    y = m.add("DequantizeLinear", m.add("QuantizeLinear", "x", scale, zero, axis=axis), scale, zero, axis=axis)
    s = s.reshape([-1 if i == axis else 1 for i in range(rank)])
    return m, y, np.clip(np.round(m.x / s), -128, 127) * s
