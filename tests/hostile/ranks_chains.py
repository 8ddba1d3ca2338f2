# SPDX-License-Identifier: Apache-2.0
"""Families of ops behind a Transpose, for the passes, which move it through them; like those of ranks_models.py, to
which they are added."""
import numpy as np

from ranks_models import data, family, Model, order_of, o


def behind(name, apply, lowest=1):
    """Transpose, an op, the Transpose back; apply(model, value, array) gives both results."""
    def make(rank):
        m, order = Model(rank), order_of(rank, 3)
        moved = np.transpose(m.x, order)
        y, wanted = apply(m, m.add("Transpose", "x", perm=order), moved)
        if wanted.ndim != rank:
            return m, m.add("Neg", y), -wanted
        back = [int(i) for i in np.argsort(order)]
        return m, m.add("Neg", m.add("Transpose", y, perm=back)), -np.transpose(wanted, back)
    make.__name__ = f"transposed_{name}"
    family(lowest)(make)


def reduce_last(m, v, a, keep):
    axes = [a.ndim - 1] + ([1] if a.ndim > 2 else [])
    return m.add("ReduceSum", v, m.ints(axes), keepdims=keep), a.sum(axis=tuple(axes), keepdims=bool(keep))


def merged(m, v, a):
    to = [a.shape[0], -1] if a.ndim > 1 else [1, -1]
    return m.add("Reshape", v, m.ints(to)), a.reshape(to)


def parted(m, v, a):
    """An axis of one element more at the front and one less, where one can go."""
    ones = [i for i, d in enumerate(a.shape) if d == 1]
    rest = [d for i, d in enumerate(a.shape) if not ones or i != ones[-1]]
    to = ([1] if ones else []) + rest
    return m.add("Reshape", v, m.ints(to)), a.reshape(to)


def vector(m, v, a):
    w = data([a.shape[-1]], 6)
    return m.add("Add", v, m.array(w)), a + w


def whole(m, v, a):
    w = data(a.shape, 6)
    return m.add("Mul", v, m.array(w)), a * w


def joined(m, v, a):
    return m.add("Concat", v, m.add("Relu", v), axis=a.ndim - 1), np.concatenate([a, np.maximum(a, 0)], -1)


def halves(m, v, a):
    d = m.add("Concat", v, v, axis=0)
    m.add("Split", d, m.ints([a.shape[0]] * 2), outputs=["p", "q"], axis=0)
    return m.add("Add", "p", "q"), a + a


def padded(m, v, a):
    pads = [1] + [0] * (a.ndim - 1)
    return m.add("Pad", v, m.ints(pads + pads)), np.pad(a, [(p, p) for p in pads])


def sliced(m, v, a):
    return m.add("Slice", v, m.ints([0] * a.ndim), m.ints([1] * a.ndim)), a[(slice(0, 1),) * a.ndim]


def sliced_axis(m, v, a):
    return m.add("Slice", v, m.ints([0]), m.ints([1]), m.ints([a.ndim - 1])), a[..., :1]


def tiled(m, v, a):
    times = [2] + [1] * (a.ndim - 1)
    return m.add("Tile", v, m.ints(times)), np.tile(a, times)


def softmaxed(m, v, a):
    e = np.exp(a)
    return m.add("Softmax", v, axis=-1), e / e.sum(-1, keepdims=True)


def shaped(m, v, a):
    return m.add("Cast", m.add("Shape", v), to=1), np.array(a.shape, np.float32).reshape([-1])


def squeezed(m, v, a):
    return m.add("Squeeze", m.add("ReduceMax", v, axes=[0], keepdims=1), m.ints([0])), a.max(0)


def quantized(m, v, a):
    m.weights.append(o.tensor("scale", np.array(0.25, np.float32)))
    y = m.add("DequantizeLinear", m.add("QuantizeLinear", v, "scale"), "scale")
    return y, np.clip(np.round(a / 0.25), 0, 255) * 0.25


def quantized_axis(m, v, a):
    s = np.array([0.25, 0.5, 0.125, 1][:a.shape[-1]], np.float32)
    scale, zero = m.array(s), m.add("Cast", m.array(np.zeros(len(s), np.int32)), to=3)
    y = m.add("DequantizeLinear", m.add("QuantizeLinear", v, scale, zero, axis=a.ndim - 1), scale, zero,
              axis=a.ndim - 1)
    return y, np.clip(np.round(a / s), -128, 127) * s


def mean_of_quantized(m, v, a):
    m.weights.append(o.tensor("scale", np.array(0.25, np.float32)))

    def pair(value):
        return m.add("DequantizeLinear", m.add("QuantizeLinear", value, "scale"), "scale")

    def fake(array):
        return np.clip(np.round(array / 0.25), 0, 255) * 0.25
    return pair(m.add("ReduceMax", pair(v), axes=[a.ndim - 1], keepdims=1)), \
        fake(fake(a).max(-1, keepdims=True))


for chain in (vector, whole, joined, halves, padded, sliced, sliced_axis, tiled, softmaxed, shaped, squeezed,
              quantized, quantized_axis, mean_of_quantized, merged, parted):
    behind(chain.__name__, chain)
for k in (0, 1):
    behind(f"reduced_{k}", lambda m, v, a, k=k: reduce_last(m, v, a, k))


@family()
def two_transposes(rank):
    m, a, b = Model(rank), order_of(rank, 3), order_of(rank, 4)
    y = m.add("Transpose", m.add("Transpose", "x", perm=a), perm=b)
    return m, y, np.transpose(np.transpose(m.x, a), b)


@family(2, 15)
def shuffle(rank):
    m = Model(rank)
    m.x = data([1] * (rank - 2) + [3, 12])
    wide = [1] * (rank - 2) + [3, 4, 3]
    order = list(range(rank - 1)) + [rank, rank - 1]
    y = m.add("Reshape", m.add("Transpose", m.add("Reshape", "x", m.ints(wide)), perm=order), m.ints(m.x.shape))
    return m, y, m.x.reshape(wide).transpose(order).reshape(m.x.shape)
