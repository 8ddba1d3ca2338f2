# SPDX-License-Identifier: Apache-2.0
"""Cases of operators that move values: shapes, slices, joins, padding, resizing."""
import numpy as np

from build import Skip


def _input(b, rank=None, low=1, high=5):
    shape = b.shape(rank or b.pick(1, 2, 3, 4), low, high)
    q = b.quant()
    return shape, q, b.input(shape, q)


# --- Shapes

def reshape(b):
    shape, q, x = _input(b, b.pick(2, 3, 4))
    total = int(np.prod(shape))
    new = b.walk([total], [1, total], [total, 1], shape[::-1], [1] + shape)
    given = [-1] + new[1:] if b.i % 3 == 1 else new
    y = b.output(new, q)
    if b.i % 2:
        b.op("RESHAPE", [x, b.ints(given)], [y], new_shape=given)
    else:
        b.op("RESHAPE", [x, b.ints(given)], [y])


def squeeze(b):
    shape = b.shape(4, 1, 4)
    ones = b.walk([0], [0, 3], [1, 2], [2], [0, 1, 3])
    shape = [1 if i in ones else d for i, d in enumerate(shape)]
    q = b.quant()
    x = b.input(shape, q)
    dims = [] if b.i % 4 == 3 else [d - 4 if b.i % 4 == 2 else d for d in ones]
    out = [d for i, d in enumerate(shape) if (d != 1 if not dims else i not in ones)]
    b.op("SQUEEZE", [x], [b.output(out, q)], squeeze_dims=dims)


def expand_dims(b):
    shape, q, x = _input(b, b.pick(1, 2, 3))
    at = b.size(-len(shape) - 1, len(shape))
    out = list(shape)
    out.insert(at if at >= 0 else at + len(shape) + 1, 1)
    axis = b.ints([at]) if b.i % 2 else b.const(np.int32(at), "i32")
    b.op("EXPAND_DIMS", [x, axis], [b.output(out, q)])


def transpose(b):
    shape, q, x = _input(b, b.walk(2, 3, 4, 4, 3), 1, 5)
    order = [int(i) for i in b.rng.permutation(len(shape))]
    b.op("TRANSPOSE", [x, b.ints(order)], [b.output([shape[i] for i in order], q)])


# --- Parts

def slice_(b):
    shape, q, x = _input(b, None, 2, 6)
    begin = [b.size(0, d - 1) for d in shape]
    size = [b.size(1, d - s) for d, s in zip(shape, begin)]
    given = [-1 if s + n == d and b.i % 2 else n for s, n, d in zip(begin, size, shape)]
    b.op("SLICE", [x, b.ints(begin), b.ints(given)], [b.output(size, q)])


def strided_slice(b, offset=False):
    shape, q, x = _input(b, b.walk(1, 2, 3, 4), 2, 6)
    rank, out = len(shape), []
    begin, end, stride = [], [], []
    masks = {"begin_mask": 0, "end_mask": 0, "shrink_axis_mask": 0}
    for i, d in enumerate(shape):
        backwards = b.i % 3 == 2 and b.pick(True, False)
        step = -b.size(1, 2) if backwards else b.size(1, 2)
        first, last = b.size(0, d - 1), b.size(0, d - 1)
        first, last = (max(first, last), min(first, last) - 1) if backwards else (
            min(first, last), max(first, last) + 1)
        if b.i % 4 == 1 and b.pick(True, False):
            masks["begin_mask"] |= 1 << i
            first = d - 1 if backwards else 0
        if b.i % 4 == 2 or last < 0:
            masks["end_mask"] |= 1 << i
            last = -1 if backwards else d
        if b.i % 5 == 4 and i == 0 and rank > 1:
            masks["shrink_axis_mask"] |= 1 << i
            if b.i % 2:
                masks["begin_mask"] |= 1
            step, last = 1, first + 1
        else:
            out.append(len(range(first, last, step)))
        begin.append(first - d if b.i % 7 == 3 and not backwards else first)
        end.append(last)
        stride.append(step)
    if not all(out):
        raise Skip()
    given = b.ints(begin)
    if offset:  # ends count from begins, which an input may be
        end = [e - (f + d if f < 0 else f) for e, f, d in zip(end, begin, shape)]
        masks["offset"] = True
        given = b.input([rank], None, "i32", begin) if b.i >= 26 and b.i % 2 else given
    b.op("STRIDED_SLICE", [x, given, b.ints(end), b.ints(stride)], [b.output(out, q)], **masks)


def strided_slice_offset(b):
    strided_slice(b, True)


def split(b):
    n = b.walk(2, 3, 1, 4)
    shape = b.shape(b.pick(1, 2, 3, 4), 1, 4)
    at = b.size(0, len(shape) - 1)
    part = list(shape)
    shape[at] *= n
    q = b.quant()
    axis = b.ints([at]) if b.i % 2 else b.const(np.int32(at - len(shape) if b.i % 4 == 2 else at), "i32")
    x = b.input(shape, q)
    b.op("SPLIT", [axis, x], [b.output(part, q) for _ in range(n)], num_splits=n)


def split_v(b):
    n = b.walk(2, 3, 2)
    shape = b.shape(b.pick(1, 2, 3, 4), 1, 4)
    at, sizes = b.size(0, len(shape) - 1), b.shape(n, 1, 3)
    shape[at] = sum(sizes)
    q = b.quant()
    x = b.input(shape, q)
    outs = [b.output(shape[:at] + [s] + shape[at + 1:], q) for s in sizes]
    given = sizes[:-1] + [-1] if b.i % 3 == 1 else sizes
    b.op("SPLIT_V", [x, b.ints(given), b.const(np.int32(at), "i32")], outs, num_splits=n)


def gather(b):
    shape, q, x = _input(b, b.walk(1, 2, 3, 4), 2, 5)
    axis = b.size(0, len(shape) - 1)
    batch = 1 if b.i % 5 == 4 and axis > 0 else 0
    lead = shape[:batch]
    indices_shape = lead + b.walk([3], [2, 2], [1], [4])
    indices = b.rng.integers(0, shape[axis], indices_shape)
    where = b.ints(indices) if b.i % 2 else b.input(indices_shape, None, "i32", indices)
    out = shape[:axis] + indices_shape[batch:] + shape[axis + 1:]
    b.op("GATHER", [x, where], [b.output(out, q)], axis=axis - len(shape) if b.i % 6 == 5 else axis,
         batch_dims=batch)


# --- Joins

def concatenation(b):
    n = b.walk(2, 3, 1, 4)
    shape = b.shape(b.walk(1, 2, 3, 4), 1, 4)
    at = b.size(0, len(shape) - 1)
    q = b.quant()
    quants = [q] * n
    if b.column == "u8" and b.i % 2:  # the one type whose inputs are brought to the result's scale
        quants = [b.quant() for _ in range(n)]
    sizes = b.shape(n, 1, 4)
    xs = []
    for k, (size, quant) in enumerate(zip(sizes, quants)):
        part = shape[:at] + [size] + shape[at + 1:]
        constant = k == 1 and b.i % 5 == 3
        xs.append(b.const(b.values(part), b.kind, quant) if constant else b.input(part, quant))
    out = shape[:at] + [sum(sizes)] + shape[at + 1:]
    b.op("CONCATENATION", xs, [b.output(out, q)], axis=at - len(shape) if b.i % 3 == 2 else at,
         activation="NONE")


def pack(b):
    n = b.walk(2, 3, 1, 4)
    shape = b.shape(b.walk(1, 2, 3), 1, 4)
    at = b.size(0, len(shape))
    q = b.quant()
    xs = [b.input(shape, q) for _ in range(n)]
    out = shape[:at] + [n] + shape[at:]
    b.op("PACK", xs, [b.output(out, q)], count=n, axis=at - len(out) if b.i % 3 == 2 else at)


def unpack(b):
    shape = b.shape(b.walk(2, 3, 4), 1, 4)
    at = b.size(0, len(shape) - 1)
    q = b.quant()
    x = b.input(shape, q)
    outs = [b.output(shape[:at] + shape[at + 1:], q) for _ in range(shape[at])]
    b.op("UNPACK", [x], outs, count=shape[at], axis=at - len(shape) if b.i % 3 == 2 else at)


# --- Padding and resizing

def _paddings(b, shape, most):
    return [[b.size(0, min(most, d)), b.size(0, min(most, d))] for d in shape]


def pad(b):
    shape, q, x = _input(b, b.walk(1, 2, 3, 4), 1, 4)
    pads = _paddings(b, shape, 3)
    out = [d + p[0] + p[1] for d, p in zip(shape, pads)]
    b.op("PAD", [x, b.ints(pads)], [b.output(out, q)])


def padv2(b):
    shape, q, x = _input(b, b.walk(1, 2, 3, 4), 1, 4)
    pads = _paddings(b, shape, 3)
    out = [d + p[0] + p[1] for d, p in zip(shape, pads)]
    value = b.const(b.values([1] if b.i % 2 else []), b.kind, q)
    b.op("PADV2", [x, b.ints(pads), value], [b.output(out, q)])


def mirror_pad(b):
    shape, q, x = _input(b, b.walk(1, 2, 3, 4), 2, 4)
    mode = b.walk("REFLECT", "SYMMETRIC")
    pads = [[min(p, d - 1) if mode == "REFLECT" else p for p in pair]
            for pair, d in zip(_paddings(b, shape, 3), shape)]
    out = [d + p[0] + p[1] for d, p in zip(shape, pads)]
    b.op("MIRROR_PAD", [x, b.ints(pads)], [b.output(out, q)], mode=mode)


def _resize(b, name):
    shape, q, x = _input(b, 4, 1, 4)
    out = [shape[0], b.size(1, 7), b.size(1, 7), shape[3]]
    if b.i % 4 == 3:
        out[1:3] = [2 * shape[1], 2 * shape[2]]
    align, half = b.walk((False, False), (True, False), (False, True))
    b.op(name, [x, b.ints(out[1:3])], [b.output(out, q)], align_corners=align, half_pixel_centers=half)


def resize_bilinear(b):
    _resize(b, "RESIZE_BILINEAR")


def resize_nearest_neighbor(b):
    _resize(b, "RESIZE_NEAREST_NEIGHBOR")


CASES = {"RESHAPE": reshape, "SQUEEZE": squeeze, "EXPAND_DIMS": expand_dims, "TRANSPOSE": transpose,
         "SLICE": slice_, "STRIDED_SLICE": strided_slice, "STRIDED_SLICE_OFFSET": strided_slice_offset, "SPLIT": split, "SPLIT_V": split_v,
         "GATHER": gather, "CONCATENATION": concatenation, "PACK": pack, "UNPACK": unpack, "PAD": pad,
         "PADV2": padv2, "MIRROR_PAD": mirror_pad, "RESIZE_BILINEAR": resize_bilinear,
         "RESIZE_NEAREST_NEIGHBOR": resize_nearest_neighbor}
