# SPDX-License-Identifier: Apache-2.0
"""Cases of operators that find places for elements: blocks, indices, segments, fills, shapes."""
import model
import numpy as np

from build import Skip


def _index_kind(b):
    return b.walk("i32", "i64")


def shape(b):
    dims = b.shape(b.pick(1, 2, 3, 4), 1, 5)
    kind = _index_kind(b)
    b.op("SHAPE", [b.input(dims, b.quant())], [b.output([len(dims)], None, kind)], output_type=kind)


def rank(b):
    dims = b.shape(b.pick(1, 2, 3, 4), 1, 5)
    b.op("RANK", [b.input(dims, b.quant())], [b.output([], None, "i32")])


def _blocks(name, into):
    def case(b):
        n, h, w, c = b.shape(4, 1, 3)
        block = b.size(1, 3)
        q = b.quant()
        small, large = [n, h, w, c * block * block], [n, h * block, w * block, c]
        source, result = (large, small) if into else (small, large)
        b.op(name, [b.input(source, q)], [b.output(result, q)], block=block)
    return case


def space_to_batch(b):
    spatial = b.walk(2, 1)
    block = [b.size(1, 3) for _ in range(spatial)]
    pads = [[b.size(0, 2), 0] for _ in range(spatial)]
    dims = [b.size(1, 3)] + [b.size(1, 3) * k for k in block] + [b.size(1, 3)]
    for i in range(spatial):
        pads[i][1] = -(pads[i][0]) % block[i]
    out = [dims[0] * int(np.prod(block))] + [(d + sum(p)) // k for d, p, k in zip(dims[1:], pads, block)] + dims[-1:]
    q = b.quant()
    b.op("SPACE_TO_BATCH_ND", [b.input(dims, q), b.ints(block), b.ints(pads)], [b.output(out, q)])


def batch_to_space(b):
    spatial = b.walk(2, 1)
    block = [b.size(1, 3) for _ in range(spatial)]
    dims = [b.size(1, 2) * int(np.prod(block))] + b.shape(spatial, 2, 4) + [b.size(1, 3)]
    crops = [[b.size(0, 1), b.size(0, 1)] if k * d > 2 else [0, 0] for k, d in zip(block, dims[1:])]
    out = [dims[0] // int(np.prod(block))] + [d * k - sum(p) for d, p, k in zip(dims[1:], crops, block)] + dims[-1:]
    if min(out) < 1:
        raise Skip()
    q = b.quant()
    b.op("BATCH_TO_SPACE_ND", [b.input(dims, q), b.ints(block), b.ints(crops)], [b.output(out, q)])


def tile(b):
    dims, q = b.shape(b.pick(1, 2, 3), 1, 4), b.quant()
    times = b.shape(len(dims), 1, 3)
    b.op("TILE", [b.input(dims, q), b.const(times, _index_kind(b))],
         [b.output([d * t for d, t in zip(dims, times)], q)])


def one_hot(b):
    dims, depth, q = b.shape(b.pick(1, 2), 1, 4), b.size(2, 5), b.quant()
    indices = b.input(dims, None, _index_kind(b), b.rng.integers(-1, depth + 1, dims))
    on, off = b.const(b.values([]), b.kind, q), b.const(b.values([]), b.kind, q)
    axis = b.pick(-1, 0, len(dims))
    out = list(dims)
    out.insert(axis if axis >= 0 else len(dims), depth)
    b.op("ONE_HOT", [indices, b.const(np.int32(depth), "i32"), on, off], [b.output(out, q)], axis=axis)


def fill(b):
    dims, q = b.shape(b.pick(1, 2, 3), 1, 4), b.quant()
    b.op("FILL", [b.const(dims, _index_kind(b)), b.input([], q)], [b.output(dims, q)])


def range_(b):
    if b.kind not in ("f32", "i32", "i64"):
        raise Skip()
    start, step, n = b.size(-5, 5), b.pick(1, 2, -1, -3), b.size(1, 7)
    parts = [b.const(v, b.kind) for v in (start, start + step * n, step)]
    b.op("RANGE", parts, [b.output([n])])


def reverse(b):
    dims, q = b.shape(b.pick(1, 2, 3, 4), 1, 4), b.quant()
    axis = b.size(0, len(dims) - 1)
    b.op("REVERSE_V2", [b.input(dims, q), b.ints([axis - len(dims) if b.i % 3 == 2 else axis])], [b.output(dims, q)])


def reverse_sequence(b):
    dims, q = b.shape(b.pick(2, 3, 4), 1, 4), b.quant()
    seq, batch = (int(a) for a in b.rng.choice(len(dims), 2, replace=False))
    lengths = b.rng.integers(1, dims[seq] + 1, [dims[batch]])
    b.op("REVERSE_SEQUENCE", [b.input(dims, q), b.input([dims[batch]], None, _index_kind(b), lengths)],
         [b.output(dims, q)], seq_dim=seq, batch_dim=batch)


def _nd(b, dims):
    """Indices of places in the first dimensions, and how many."""
    depth = b.size(1, len(dims))
    lead = b.shape(b.pick(1, 2), 1, 3)
    index = np.stack([b.rng.integers(0, d, lead) for d in dims[:depth]], -1)
    return index, lead + dims[depth:]


def gather_nd(b):
    dims, q = b.shape(b.pick(1, 2, 3), 1, 4), b.quant()
    index, out = _nd(b, dims)
    kind = _index_kind(b) if b.i >= 26 else "i32"  # C takes int32 where they are computed, and the first have vectors
    b.op("GATHER_ND", [b.input(dims, q), b.input(index.shape, None, kind, index)], [b.output(out, q)])


def scatter_nd(b):
    dims, q = b.shape(b.pick(1, 2, 3), 1, 4), b.quant()
    index, updates = _nd(b, dims)
    b.op("SCATTER_ND", [b.input(index.shape, None, "i32", index), b.input(updates, q), b.ints(dims)],
         [b.output(dims, q)])


def segment_sum(b):
    dims = b.shape(b.pick(1, 2, 3), 2, 5)
    ids = np.cumsum(b.rng.integers(0, 2, dims[0]))
    ids -= ids[0]
    q = b.quant()
    b.op("SEGMENT_SUM", [b.input(dims, q), b.ints(ids)], [b.output([int(ids[-1]) + 1] + dims[1:], q)])


def _unsorted(name):
    def case(b):
        dims, q = b.shape(b.pick(1, 2, 3), 2, 5), b.quant()
        count = b.size(1, 4)
        ids = b.rng.integers(0 if b.i % 2 else -1, count, [dims[0]])
        b.op(name, [b.input(dims, q), b.input(ids.shape, None, "i32", ids), b.ints(count)],
             [b.output([count] + dims[1:], q)])
    return case


def where(b):
    dims = b.shape(b.pick(1, 2, 3), 1, 4)
    x = b.rng.integers(0, 2, dims)
    at = np.argwhere(x)
    b.op("WHERE", [b.input(dims, b.quant(), data=x)], [b.output(at.shape, None, "i64")])


def unique(b):
    n, kind = b.size(1, 9), _index_kind(b)
    x = b.rng.integers(0, 5, [n])
    b.op("UNIQUE", [b.input([n], b.quant(), data=x)],
         [b.output([len(set(x.tolist()))], b.quant()), b.output([n], None, kind)], index_type=kind)


def _no_bool(b):
    """LiteRT takes bytes of bool for elements of four bytes here, and writes beyond its tensors."""
    if b.kind == "bool":
        raise Skip()


def matrix_diag(b):
    _no_bool(b)
    dims, q = b.shape(b.pick(1, 2, 3), 1, 4), b.quant()
    b.op("MATRIX_DIAG", [b.input(dims, q)], [b.output(dims + dims[-1:], q)])


def matrix_set_diag(b):
    _no_bool(b)
    dims, q = b.shape(b.pick(2, 3), 1, 4), b.quant()
    b.op("MATRIX_SET_DIAG", [b.input(dims, q), b.input(dims[:-2] + [min(dims[-2:])], q)], [b.output(dims, q)])


def broadcast_to(b):
    full, q = b.shape(b.pick(1, 2, 3, 4), 1, 4), b.quant()
    source = [d if b.pick(True, False) else 1 for d in full][b.size(0, len(full) - 1):]
    b.op("BROADCAST_TO", [b.input(source, q), b.const(full, _index_kind(b))], [b.output(full, q)])


def broadcast_args(b):
    if b.kind not in ("i32", "i64"):
        raise Skip()
    full = b.shape(b.pick(1, 2, 3, 4), 1, 4)
    other = [d if b.pick(True, False) else 1 for d in full][b.size(0, len(full) - 1):]
    b.op("BROADCAST_ARGS", [b.input([len(full)], data=full), b.input([len(other)], data=other)],
         [b.output([len(full)])])


def update_slice(b):
    dims, q = b.shape(b.pick(1, 2, 3), 1, 5), b.quant()
    part = [b.size(1, d) for d in dims]
    at = [b.size(-1, d) for d in dims]
    kind = _index_kind(b)
    b.op("DYNAMIC_UPDATE_SLICE", [b.input(dims, q), b.input(part, q), b.input([len(dims)], None, kind, at)],
         [b.output(dims, q)])


def bucketize(b):
    dims = b.shape(b.pick(1, 2, 3), 1, 5)
    bounds = np.sort(b.rng.integers(-50, 50, b.size(1, 5)))
    b.op("BUCKETIZE", [b.input(dims, b.quant())], [b.output(dims, None, "i32")], boundaries=bounds)


def embedding_lookup(b):
    rows, q = b.shape(b.pick(2, 3), 1, 5), b.quant()
    ids = b.rng.integers(0, rows[0], [b.size(1, 5)])
    b.op("EMBEDDING_LOOKUP", [b.input(ids.shape, None, "i32", ids), b.const(b.values(rows), b.kind, q)],
         [b.output([len(ids)] + rows[1:], q)])


def sparse_to_dense(b):
    dims = b.shape(b.pick(1, 2, 3), 2, 4)
    count = b.size(1, 4)
    flat = np.sort(b.rng.choice(int(np.prod(dims)), min(count, int(np.prod(dims))), replace=False))
    index = np.stack(np.unravel_index(flat, dims), -1)
    kind = _index_kind(b)
    values = b.values([len(flat)]) if b.i % 2 else b.values([])
    b.op("SPARSE_TO_DENSE", [b.input(index.shape, None, kind, index), b.const(dims, kind),
                             b.input(values.shape, b.quant(), data=values), b.const(b.values([]), b.kind)],
         [b.output(dims, b.quant())], validate=True)


def bitcast(b):
    dims = b.shape(b.pick(1, 2, 3), 1, 4)
    other = {"f32": "i32", "i32": "f32", "i64": "i64", "i8": "u8", "u8": "i8", "i16": "i16", "bool": "u8"}[b.kind]
    b.op("BITCAST", [b.input(dims)], [b.output(dims, None, other)])


def densify(b):
    """A matrix by rows, or of blocks of rows and columns; the constant is added to the input."""
    if not b.is_float:
        raise Skip()
    block = b.walk([1, 1], [1, 4], [4, 1], [2, 2])
    outer = [b.size(1, 4), b.size(1, 4)]
    dims = [o * k for o, k in zip(outer, block)]
    width = b.walk(np.int32, np.uint16, np.uint8)
    kept = b.rng.integers(0, 2, outer).astype(bool)
    values = b.rng.standard_normal(outer + block).astype(np.float32)[kept]
    segments = np.concatenate([[0], np.cumsum(kept.sum(1))])
    level = (segments.astype(width), np.nonzero(kept)[1].astype(width))
    has_blocks = block != [1, 1]
    sparse = model.sparsity([0, 1, 2, 3] if has_blocks else [0, 1], [0, 1] if has_blocks else [],
                            [outer[0], level] + (block if has_blocks else []))
    if values.size == 0:
        raise Skip()
    given = b.graph.add(model.Tensor("w", dims, "f32", values, sparsity=sparse))
    dense = b._add("dense", dims, "f32", None, None)
    x = b.input(dims)
    b.op("DENSIFY", [given], [dense])
    b.op("ADD", [x, dense], [b.output(dims)], activation="NONE")


def rfft_2d(b):
    """Of powers of two, as TFLite has it; its lengths may cut the planes or go beyond them."""
    if not b.is_float:
        raise Skip()
    length = [b.walk(1, 2, 8, 4), b.walk(16, 8, 32, 2, 4)]
    dims = b.shape(b.pick(0, 1), 1, 2) + [b.pick(n, n, max(1, n - b.size(0, n // 2)), n + 3) for n in length]
    half = dims[:-2] + [length[0], length[1] // 2 + 1]
    line = b._add("line", half, "c64", None, None)
    b.op("RFFT2D", [b.input(dims), b.ints(length)], [line])
    part = b.walk("REAL", "IMAG", "COMPLEX_ABS", "CAST")
    options = {"in_type": "c64", "out_type": "f32"} if part == "CAST" else {}
    b.op(part, [line], [b.output(half)], **options)


def _seeds(b):
    low = b.walk(1, 0, 1234567, -5, 1 << 40, -(1 << 62))
    return {"seed": low, "seed2": b.walk(7, 1, -1, 0 if low else 3, (1 << 33) + 5)}


def _random(name):
    """Another stretch of numbers in each run."""
    def case(b):
        if b.column != "f32":
            raise Skip()
        shape = b.shape(b.pick(1, 2, 3, 4), 1, 6)
        if np.prod(shape) % 2:  # TFLite writes normal numbers in pairs
            shape[-1] += 1
        given = b.input([len(shape)], None, "i32", shape) if b.i % 3 == 2 else b.ints(shape)
        b.op(name, [given], [b.output(shape)], **_seeds(b))
        b.steps = b.size(1, 4)
        b.data = b.data * b.steps
    return case


def multinomial(b):
    """The numbers of classes are the result's, whose type is the column's."""
    if b.column not in ("i32", "i64"):
        raise Skip()
    rows, classes, samples = b.size(1, 4), b.size(1, 9), b.size(1, 12)
    data = b.rng.standard_normal((rows, classes)).astype(np.float32) * np.float32(2)
    if b.i % 4 == 3:
        data[0, b.size(0, classes - 1)] = b.pick(np.inf, -np.inf, np.nan)
    x = b.input([rows, classes], None, "f32", data)
    count = b.input([], None, "i32", samples) if b.i % 3 == 2 else b.const(np.int32(samples), "i32")
    b.op("MULTINOMIAL", [x, count], [b.output([rows, samples])], **_seeds(b))
    b.steps = b.size(1, 3)
    b.data = b.data * b.steps


CASES = {"RANDOM_UNIFORM": _random("RANDOM_UNIFORM"), "RANDOM_STANDARD_NORMAL": _random("RANDOM_STANDARD_NORMAL"),
         "MULTINOMIAL": multinomial, "DENSIFY": densify, "RFFT2D": rfft_2d, "SHAPE": shape, "RANK": rank, "SPACE_TO_DEPTH": _blocks("SPACE_TO_DEPTH", True),
         "DEPTH_TO_SPACE": _blocks("DEPTH_TO_SPACE", False), "SPACE_TO_BATCH_ND": space_to_batch,
         "BATCH_TO_SPACE_ND": batch_to_space, "TILE": tile, "ONE_HOT": one_hot, "FILL": fill, "RANGE": range_,
         "REVERSE_V2": reverse, "REVERSE_SEQUENCE": reverse_sequence, "GATHER_ND": gather_nd,
         "SCATTER_ND": scatter_nd, "SEGMENT_SUM": segment_sum, "WHERE": where, "UNIQUE": unique,
         "MATRIX_DIAG": matrix_diag, "MATRIX_SET_DIAG": matrix_set_diag, "BROADCAST_TO": broadcast_to,
         "BROADCAST_ARGS": broadcast_args, "DYNAMIC_UPDATE_SLICE": update_slice, "BUCKETIZE": bucketize,
         "EMBEDDING_LOOKUP": embedding_lookup, "SPARSE_TO_DENSE": sparse_to_dense, "BITCAST": bitcast,
         **{name: _unsorted(name) for name in ("UNSORTED_SEGMENT_SUM", "UNSORTED_SEGMENT_PROD",
                                               "UNSORTED_SEGMENT_MAX", "UNSORTED_SEGMENT_MIN")}}
