# SPDX-License-Identifier: Apache-2.0
"""Random arguments for the ops of tests/cxx/plugins/shape_fns.cc: shapes that mostly fit, some of whose dimensions
are not known or are changed, and values that mostly are sensible. CASES: op -> function of a generator that gives
"inputs | attributes"."""

CASES = {}
SMALL = (0, 1, 1, 2, 2, 3, 4, 5, 8)


def case(*names):
    def keep(make):
        for name in names:
            CASES[name] = make
        return make
    return keep


def dims_of(r, low=0, high=4):
    return [r.choice(SMALL) for _ in range(r.randint(low, high))]


def shape(r, dims, loss=0.2):
    """Brackets with dimensions, of which some are forgotten or changed; a question mark for an unknown rank."""
    if r.random() < 0.08:
        return "?"
    dims = list(dims)
    if r.random() < 0.1 and dims:
        dims[r.randrange(len(dims))] = r.choice(SMALL)
    if r.random() < 0.04 and dims:
        del dims[r.randrange(len(dims))]
    if r.random() < 0.04:
        dims.insert(r.randint(0, len(dims)), r.choice(SMALL))
    return "[" + ",".join("?" if r.random() < loss else str(d) for d in dims) + "]"


def floats(r, *many):
    return " ".join("float" + shape(r, dims) for dims in many)


def vector(r, values, dtype="int32"):
    """An integer vector, whose value is known, partly known, or not."""
    n, roll = len(values), r.random()
    if roll < 0.65:
        return f"{dtype}[{n}]{{{','.join(map(str, values))}}}"
    if roll < 0.8 and n > 0 and min(values) >= 0:
        parts = [str(v) for v in values]
        parts[r.randrange(n)] = "?"
        return f"{dtype}[{n}]{{{','.join(parts)}}}"
    return dtype + shape(r, [n])


def plain_vector(r, values, dtype="int32"):
    """The same without partly known ones."""
    return f"{dtype}[{len(values)}]{{{','.join(map(str, values))}}}" if r.random() < 0.75 else dtype + shape(r, [len(values)])


def scalar(r, value, dtype="int32"):
    roll = r.random()
    return f"{dtype}[]{{{value}}}" if roll < 0.75 else f"{dtype}[]" if roll < 0.9 else dtype + shape(r, [])


def ints(values):
    return "[" + ", ".join(map(str, values)) + "]"


def proto(dims):
    if dims is None:
        return "{ unknown_rank: true }"
    return "{ " + " ".join(f"dim {{ size: {d} }}" for d in dims) + " }"


def flag(r, p=0.5):
    return "true" if r.random() < p else "false"


def integers(r):
    return r.choice(("int32", "int64"))


@case("Unchanged", "Scalar", "NoOutputs")
def one_input(r):
    return floats(r, dims_of(r)) + " |"


@case("Unknown")
def unknown(r):
    return floats(r, dims_of(r)) + f" | O={r.randint(1, 3)}"


@case("UnchangedWithRank", "UnchangedWithRankAtLeast", "UnchangedWithRankAtMost")
def with_rank(r):
    return floats(r, dims_of(r)) + f" | rank={r.choice((0, 1, 2, 2, 3, 4, 5))}"


@case("MergeBothInputs")
def merge(r):
    dims = dims_of(r)
    return floats(r, dims, dims) + " |"


def broadcast(r):
    dims = dims_of(r)
    other = [1 if r.random() < 0.3 else d for d in dims][r.choice((0, 0, 0, 1, 2)):]
    pair = [[1 if r.random() < 0.15 else d for d in dims], other]
    r.shuffle(pair)
    return floats(r, *pair)


@case("BroadcastBinary")
def broadcast_binary(r):
    return broadcast(r) + " |"


@case("BroadcastOutput1")
def broadcast_output(r):
    return broadcast(r) + " | O=2"


@case("BroadcastHelper")
def broadcast_helper(r):
    return broadcast(r) + f" | strict={flag(r)}"


def some_shape(r):
    return None if r.random() < 0.15 else [d if r.random() < 0.8 else -1 for d in dims_of(r)]


@case("DatasetIterator")
def dataset(r):
    n = r.randint(1, 3)
    protos = ", ".join(proto(some_shape(r)) for _ in range(n))
    return f"float{shape(r, [])} | O={n + (r.random() < 0.1)}; output_shapes=[{protos}]"


@case("ExplicitShape")
def explicit_shape(r):
    return f" | shape={proto(some_shape(r))}"


@case("ExplicitShapes")
def explicit_shapes(r):
    n = r.randint(1, 3)
    return f" | O={n}; shapes=[" + ", ".join(proto(some_shape(r)) for _ in range(n)) + "]"


@case("Random", "FromTensor", "FromTensorOrScalar")
def shape_value(r):
    dtype = r.choice(("int32", "int64", "int64", "float"))
    roll = r.random()
    if roll < 0.12:
        return f"{dtype}[]{{{r.choice((-1, -1, 2, -2))}}} |"
    if roll < 0.2:
        return f"{dtype}[1,2]{{2,3}} |"
    values = [r.choice((-1, 0, 1, 2, 3, 7, -2) if r.random() < 0.3 else (1, 2, 3)) for _ in range(r.randint(0, 4))]
    if dtype == "float":
        return plain_vector(r, values, dtype) + " |"
    return vector(r, values, dtype) + " |"


@case("AsShape")
def as_shape(r):
    return vector(r, [r.choice(SMALL) for _ in range(r.randint(1, 4))], integers(r)) + " | O=2"


@case("Slice")
def slice_case(r):
    dims = dims_of(r, 1)
    begin = [r.randint(0, d + (r.random() < 0.05)) for d in dims]
    size = [r.choice((-1, d - b, max(0, d - b - 1))) for d, b in zip(dims, begin)]
    if r.random() < 0.1:
        size[r.randrange(len(size))] = r.choice((-2, 9))
    dtype = integers(r)
    return f"{floats(r, dims)} {vector(r, begin, dtype)} {vector(r, size, dtype)} |"


@case("GatherNd")
def gather_nd(r):
    dims = dims_of(r, 1)
    indices = dims_of(r, 0, 2) + [r.randint(0, len(dims) + (r.random() < 0.15))]
    return f"{floats(r, dims)} int32{shape(r, indices)} |"


@case("ScatterNd")
def scatter_nd(r):
    dims, outer = dims_of(r, 1), dims_of(r, 0, 2)
    depth = r.randint(0, len(dims))
    updates = [] if r.random() < 0.1 else outer + dims[depth:]
    indices = shape(r, outer + [depth]).replace("[]", "?")  # a scalar ends TensorFlow
    return f"int32{indices} {floats(r, updates, dims)} |"


@case("ValidateSparse")
def sparse(r):
    n, rank = r.choice(SMALL), r.randint(0, 4)
    return f"int64{shape(r, [n, rank])} {floats(r, [n])} int64{shape(r, [rank])} |"


@case("ValidateVariable")
def variable(r):
    if r.random() < 0.2:
        return "float[] | dtype=DT_FLOAT"
    dtype, name = r.choice((("float", "DT_FLOAT"), ("int32", "DT_INT32")))
    wanted = name if r.random() < 0.8 else "DT_INT64"
    return f"resource[]->{dtype}{shape(r, dims_of(r))} | dtype={wanted}"


def axes_of(r, rank):
    axes = [r.randint(-rank, rank - 1) if rank else 0 for _ in range(r.randint(0, 2))]
    if r.random() < 0.08:
        axes.append(rank + r.randint(0, 1))
    return axes


@case("Reduction")
def reduction(r):
    dims, dtype = dims_of(r), integers(r)
    axes = axes_of(r, len(dims))
    roll = r.random()
    if roll < 0.15:
        second = scalar(r, axes[0] if axes else 0, dtype)
    elif roll < 0.2:
        second = f"{dtype}[1,1]{{0}}"
    elif roll < 0.25:
        second = "float[1]{0}"
    else:
        second = plain_vector(r, axes, dtype)
    return f"{floats(r, dims)} {second} | keep_dims={flag(r)}"


@case("SparseReduce")
def sparse_reduce(r):
    dims = dims_of(r)
    axes = axes_of(r, len(dims))
    inputs = f"int64{shape(r, [3, len(dims)])} {floats(r, [3])} {plain_vector(r, dims, 'int64')} {plain_vector(r, axes)}"
    return f"{inputs} | keep_dims={flag(r)}"


@case("SegmentReductionWithNumSegments")
def segments(r):
    dims = dims_of(r, 1)
    return f"{floats(r, dims)} int32{shape(r, dims[:r.randint(0, len(dims))])} {scalar(r, r.choice((0, 1, 4, -1)), integers(r))} |"


def concat_parts(r, low=1):
    dims = dims_of(r, 0 if r.random() < 0.1 else 1)
    axis = r.randint(-len(dims), len(dims) - 1) if dims else 0
    parts = []
    for _ in range(r.randint(low, 3)):
        part = list(dims)
        if part:
            part[axis] = r.choice(SMALL)
        parts.append(part)
    if r.random() < 0.08:
        axis = r.choice((len(dims), -len(dims) - 1))
    return parts, axis


@case("Concat")
def concat(r):
    parts, axis = concat_parts(r)
    return f"{scalar(r, axis)} {floats(r, *parts)} | n={len(parts)}"


@case("ConcatV2")
def concat_v2(r):
    parts, axis = concat_parts(r)
    return f"{floats(r, *parts)} {scalar(r, axis, integers(r))} |"


@case("QuantizedConcatV2")
def quantized_concat(r):
    parts, axis = concat_parts(r)
    ranges = floats(r, *([[]] * (2 * len(parts))))
    return f"{floats(r, *parts)} {scalar(r, axis)} {ranges} | O=3; n={len(parts)}"


def product(r, batch_a, batch_b, names):
    m, k, n = (r.choice(SMALL) for _ in range(3))
    ta, tb = r.random() < 0.5, r.random() < 0.5
    a, b = ([k, m] if ta else [m, k]), ([n, k] if tb else [k, n])
    flags = "; ".join(f"{name}={'true' if on else 'false'}" for name, on in zip(names, (ta, tb)))
    return f"{floats(r, batch_a + a, batch_b + b)} | {flags}"


@case("MatMul")
def matmul(r):
    return product(r, [], [], ("transpose_a", "transpose_b"))


@case("BatchMatMul")
def batch_matmul(r):
    batch = dims_of(r, 0, 2)
    return product(r, batch, batch, ("adj_x", "adj_y"))


@case("BatchMatMulV2")
def batch_matmul_v2(r):
    batch = dims_of(r, 0, 2)
    other = [1 if r.random() < 0.3 else d for d in batch][r.randint(0, 1):]
    return product(r, batch, other, ("adj_x", "adj_y"))


@case("Einsum")
def einsum(r):
    sizes = {label: r.choice(SMALL) for label in "abcd"}
    batch = dims_of(r, 0, 2)

    def operand():
        labels = [r.choice("abcd") for _ in range(r.randint(0, 3))]
        at = r.randint(0, len(labels)) if r.random() < 0.5 else None
        text = "".join(labels) if at is None else "".join(labels[:at]) + "..." + "".join(labels[at:])
        dims = [sizes[x] for x in labels]
        return text, dims if at is None else dims[:at] + [1 if r.random() < 0.2 else d for d in batch] + dims[at:], labels
    parts = [operand() for _ in range(r.choice((1, 2, 2)))]
    known = sorted({label for part in parts for label in part[2]})
    out = "".join(r.sample(known, r.randint(0, len(known))))
    if any("..." in part[0] for part in parts) and r.random() < 0.9:
        at = r.randint(0, len(out))
        out = out[:at] + "..." + out[at:]
    equation = ",".join(part[0] for part in parts) + "->" + out
    roll = r.random()
    if roll < 0.1:
        equation = r.choice((equation + "z", equation.replace("->", ""), equation + ".", equation.replace("...", ".."),
                             equation + "->", equation.replace("->", ",->"), "." + equation, equation + out))
    return floats(r, *(part[1] for part in parts)) + f" | equation='{equation}'"


@case("ReduceScatter")
def reduce_scatter(r):
    dims = dims_of(r, 1)
    axis = r.randrange(len(dims))
    size = r.choice((1, 2, 4))
    dims[axis] = size * r.choice((1, 2, 3))
    if r.random() < 0.1:
        axis = r.choice((-1, len(dims), -len(dims) - 1))
    groups = f"int32{shape(r, [2, size])}" if r.random() < 0.5 else f"int32[1,{size}]{{{','.join(map(str, range(size)))}}}"
    return f"{floats(r, dims)} {groups} {scalar(r, axis)} |"


def diagonals(r, rows, columns):
    ks = [r.randint(-rows, columns) for _ in range(r.choice((1, 1, 2, 2, 2, 3 if r.random() < 0.2 else 2)))]
    if r.random() < 0.8:
        ks.sort()
    return ks


def diagonal_input(r, ks):
    if len(ks) == 1 and r.random() < 0.5:
        return scalar(r, ks[0])
    return plain_vector(r, ks)


def longest(rows, columns, ks):
    return max(0, min(rows + min(ks[-1], 0), columns - max(ks[0], 0)))


@case("MatrixDiagPartV2")
def diag_part(r):
    rows, columns = r.randint(1, 5), r.randint(1, 5)
    return f"{floats(r, dims_of(r, 0, 2) + [rows, columns])} {diagonal_input(r, diagonals(r, rows, columns))} {floats(r, [])} |"


@case("MatrixDiagV2")
def diag(r):
    rows, columns = r.randint(1, 5), r.randint(1, 5)
    ks = diagonals(r, rows, columns)
    x = dims_of(r, 0, 2) + ([ks[-1] - ks[0] + 1] if len(ks) > 1 and ks[-1] > ks[0] else []) + [longest(rows, columns, ks)]
    sizes = " ".join(scalar(r, r.choice((v, v, -1))) for v in (rows, columns))
    # the dimensions of the diagonals are known: TensorFlow counts with unknown ones as with -1
    kept = 2 if len(ks) > 1 else 1
    dims = ",".join(["?" if r.random() < 0.2 else str(d) for d in x[:-kept]] + [str(d) for d in x[-kept:]])
    return f"float[{dims}] {diagonal_input(r, ks)} {sizes} {floats(r, [])} |"


@case("MatrixSetDiagV2")
def set_diag(r):
    rows, columns, batch = r.randint(1, 5), r.randint(1, 5), dims_of(r, 0, 2)
    ks = diagonals(r, rows, columns)
    x = batch + ([ks[-1] - ks[0] + 1] if len(ks) > 1 and ks[-1] > ks[0] else []) + [longest(rows, columns, ks)]
    # a band in matrices that are known in part is refused by TensorFlow, whatever it is
    matrices = "float" + shape(r, batch + [rows, columns]) if len(ks) == 1 else f"float{batch + [rows, columns]}"
    return f"{matrices.replace(' ', '')} {floats(r, x)} {diagonal_input(r, ks)} |"


FAR = (1 << 63) - 1


@case("Subshape")
def subshape(r):
    dims = dims_of(r, 0, 5)
    ends = (-FAR, FAR, -6, -7, 6, 7) + tuple(range(-5, 6)) * 3
    stride = r.choice((1, 1, -1, -1, 2, -2, 3, -3))
    return f"{floats(r, dims)} | start={r.choice(ends)}; end={r.choice(ends)}; stride={stride}"


@case("SubshapePlain")
def subshape_plain(r):
    ends = (FAR, -6, 6, 7) + tuple(range(-5, 6)) * 3
    return f"{floats(r, dims_of(r, 0, 5))} | O=2; start={r.choice(ends)}; end={r.choice(ends)}"


@case("Whole")
def whole(r):
    dims = dims_of(r)
    return floats(r, dims, dims[:r.randint(0, len(dims))]) + f" | O=5; at={r.randint(-4, 4)}"


@case("Dims")
def dims_case(r):
    pair = [r.choice((0, 1, 2, 3, 4, 6, 12, 1 << 31)) for _ in range(2)]
    return floats(r, pair) + f" | which={r.randint(0, 12)}; number={r.choice((1, 2, 3, 4, 6, 0, -1))}"


@case("ScalarDim")
def scalar_dim(r):
    value, rank = r.choice((0, 1, 3, -1, -2, -3, -4)), r.choice((-2, -1, 0, 1, 3, 4))
    if r.random() < 0.1:
        return f"int32[1]{{{value}}} | rank={rank}"
    return f"{scalar(r, value, r.choice(('int32', 'int64', 'int64', 'float')))} | rank={rank}"


@case("Element")
def element(r):
    values = [r.randint(-3, 9) for _ in range(r.randint(1, 3))]
    at = r.choice((-2, -1, 0, 1, 2, 3))
    if r.random() < 0.3:
        return f"{scalar(r, values[0], integers(r))} | at={at}"
    return f"{plain_vector(r, values, integers(r))} | at={at}"


@case("Same")
def same(r):
    dims = dims_of(r, 0, 3)
    return floats(r, dims, dims) + " |"


@case("Changed")
def changed(r):
    dims = dims_of(r, 0, 3)
    return floats(r, dims, dims, dims) + " | O=5"


@case("Attributes")
def attributes(r):
    return f" | O=2; f={{ name: '{'f' * r.randint(1, 5)}' }}; shape={proto(some_shape(r))}"
