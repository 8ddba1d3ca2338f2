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


FORMATS = ("NHWC", "NHWC", "NCHW", "NCHW")


def image(text, n, spatial, c):
    if text == "NCHW_VECT_C":
        return [n, c, *spatial, 4]
    return [n, c, *spatial] if text in ("NCHW", "NCDHW") else [n, *spatial, c]


def ordered(text, spatial, other=1, channels=None):
    channels = other if channels is None else channels
    return [other, channels, *spatial] if text.startswith("NC") else [other, *spatial, channels]


@case("BiasAdd", "BiasAddGrad")
def bias_add(r):
    text = r.choice(("NHWC", "NCHW", "NHWC", "NDHWC", "foo"))
    dims = dims_of(r, 1, 5)
    channels = dims[1] if text == "NCHW" and len(dims) > 1 else dims[-1]
    return floats(r, dims, [channels]) + f" | data_format='{text}'"


@case("BiasAddWithoutFormat")
def bias_add_plain(r):
    dims = dims_of(r, 1, 5)
    return floats(r, dims, [dims[-1]]) + " |"


def norm(r, n_vectors, before, outputs, side_at=None, has_factor=True):
    text = r.choice(("NHWC", "NCHW", "NDHWC", "NCDHW", "HWNC" if r.random() < 0.3 else "NHWC"))
    c = r.choice(SMALL if side_at is None else (*SMALL, 4, 4, 8, 8, 12))
    if side_at is not None and r.random() < 0.8:
        text = r.choice(("NHWC", "NCHW"))
    x = image(text, r.choice(SMALL), dims_of(r, 3, 3) if "D" in text else dims_of(r, 2, 2), c)
    parts = [x] * before + [[c]] * n_vectors
    attrs = f"O={outputs}; data_format='{text}'; is_training={flag(r)}"
    if has_factor and r.random() < 0.4:
        attrs += f"; exponential_avg_factor={r.choice(('1.0', '0.5', '0.0'))}"
    if side_at is not None:
        side = r.randint(0, 1)
        attrs += f"; num_side_inputs={side}"
        while len(parts) < side_at:
            parts.append([c])
        parts.append(x)
    return floats(r, *parts) + " | " + attrs


@case("FusedBatchNorm")
def fused_norm(r):
    return norm(r, 4, 1, 5)


@case("FusedBatchNormV3")
def fused_norm_v3(r):
    return norm(r, 4, 1, 6)


@case("FusedBatchNormEx")
def fused_norm_ex(r):
    return norm(r, 4, 1, 6, 5)


@case("FusedBatchNormGrad")
def fused_norm_grad(r):
    return norm(r, 3, 2, 5, has_factor=False)


@case("FusedBatchNormGradEx")
def fused_norm_grad_ex(r):
    return norm(r, 3, 2, 6, 8, has_factor=False)


def window_attrs(r, text, n_spatial, size=1, dilate=True, explicit=False, channel_window=False):
    """strides, dilations, padding and paddings of 2 or 3 spatial dimensions."""
    def numbers(choices):
        other = r.choice((1, 1, 1, 1, 2))
        return ordered(text, [r.choice(choices) for _ in range(n_spatial)], other,
                       r.choice((1, 1, 2)) if channel_window else None)
    strides = numbers((1, 1, 2, 3))
    attrs = {"data_format": f"'{text}'", "strides": ints(strides if r.random() > 0.04 else strides[1:])}
    if r.random() < 0.03:
        attrs["strides"] = ints([0] * len(strides))
    if dilate and r.random() < 0.4:
        attrs["dilations"] = ints(numbers((1, 1, 2, 0) if r.random() < 0.1 else (1, 2, 3)))
    kinds = ("VALID", "SAME", "EXPLICIT") if explicit else ("VALID", "SAME")
    padding = r.choice(kinds)
    attrs["padding"] = f"'{padding}'"
    if explicit and (padding == "EXPLICIT" or r.random() < 0.05):
        pads = ordered(text, [(r.randint(0, 2), r.randint(0, 2)) for _ in range(n_spatial)], (0, 0))
        if r.random() < 0.1:
            pads[r.randrange(len(pads))] = r.choice(((1, 0), (0, -1), (0, 2)))
        flat = [p for pair in pads for p in pair]
        attrs["explicit_paddings"] = ints(flat if r.random() > 0.05 else flat[2:])
    return attrs


def line(inputs, attrs):
    return inputs + " | " + "; ".join(f"{name}={value}" for name, value in attrs.items())


def conv_inputs(r, text, n_spatial=2, order="HWIO"):
    c = r.choice((1, 2, 4, 8, 6, 0) if r.random() < 0.3 else (2, 4))
    groups = r.choice((1, 1, 1, 2)) if c % 2 == 0 and c else 1
    x = image(text, r.choice(SMALL), [r.choice((1, 3, 5, 7, 8, 9)) for _ in range(n_spatial)], c)
    window = [r.choice((1, 1, 2, 3, 0) if r.random() < 0.1 else (1, 2, 3)) for _ in range(n_spatial)]
    out = r.choice((1, 2, 3, 4, 8))
    if text == "NCHW_VECT_C":
        return floats(r, x, [out, c, *window, 4])
    depth = c // groups
    filters = {"HWIO": [*window, depth, out], "OIHW": [out, depth, *window], "OHWI": [out, *window, depth]}[order]
    return floats(r, x, filters)


@case("Conv2D")
def conv2d(r):
    text = r.choice((*FORMATS, "NCHW_VECT_C", "HWNC" if r.random() < 0.1 else "NHWC"))
    return line(conv_inputs(r, text), window_attrs(r, text, 2))


@case("Conv2DFilter")
def conv2d_filter(r):
    text, order = r.choice(FORMATS), r.choice(("HWIO", "OIHW", "OHWI", "OHWI"))
    attrs = dict(window_attrs(r, text, 2), filter_format=f"'{order if r.random() > 0.05 else 'foo'}'")
    return line(conv_inputs(r, text, 2, order), attrs)


@case("Conv2DExplicit")
def conv2d_explicit(r):
    text = r.choice(FORMATS)
    return line(conv_inputs(r, text), window_attrs(r, text, 2, explicit=True))


@case("Conv3D")
def conv3d(r):
    text = r.choice(("NDHWC", "NCDHW"))
    # without dilations: TensorFlow takes that of the next dimension
    return line(conv_inputs(r, text, 3), window_attrs(r, text, 3, dilate=False))


@case("Conv")
def conv(r):
    n = r.choice((2, 2, 3))
    text, name = r.choice((("NHWC", "CHANNELS_LAST"), ("NCHW", "CHANNELS_FIRST")))
    attrs = window_attrs(r, text, n, explicit=True)
    attrs["data_format"] = f"'{name if r.random() > 0.04 else 'NHWC'}'"
    inputs = conv_inputs(r, text, n)
    if r.random() < 0.3:
        attrs["groups"] = r.choice((0, 1, 2, 2))
    if r.random() < 0.3:
        attrs["batch_dims"] = r.choice((1, 2, 2, 3))
        extra = [r.choice(SMALL) for _ in range(attrs["batch_dims"] - 1)]
        inputs = inputs.replace("float[", "float[" + "".join(f"{d}," for d in extra), 1)
    return line(inputs, attrs)


def depthwise_inputs(r, text):
    c = r.choice((1, 2, 3, 4))
    x = image(text, r.choice(SMALL), [r.choice((1, 3, 5, 8)) for _ in range(2)], c)
    return floats(r, x, [r.choice((1, 2, 3)), r.choice((1, 2, 3)), c, r.choice((1, 2))])


@case("Depthwise")
def depthwise(r):
    text = r.choice(FORMATS)
    return line(depthwise_inputs(r, text), window_attrs(r, text, 2))


@case("DepthwiseExplicit")
def depthwise_explicit(r):
    text = r.choice(FORMATS)
    return line(depthwise_inputs(r, text), window_attrs(r, text, 2, explicit=True))


@case("Conv2DBackpropInput")
def conv_backprop(r):
    text = r.choice(FORMATS)
    n, c, out = (r.choice((1, 2, 4)) for _ in range(3))
    spatial = [r.choice((3, 5, 8)) for _ in range(2)]
    sizes = image(text, n, spatial, c) if r.random() < 0.75 else spatial if r.random() < 0.8 else [1, 2, 3]
    inputs = f"{vector(r, sizes)} {floats(r, [3, 3, c, out], image(text, n, spatial, out))}"
    attrs = window_attrs(r, text, 2, explicit=True)
    return line(inputs, attrs)


@case("Conv2DBackpropFilterWithBias")
def conv_backprop_bias(r):
    text = r.choice(FORMATS)
    sizes = [3, 3, 2, 4]
    return f"{floats(r, [1, 5, 5, 2])} {vector(r, sizes)} {floats(r, image(text, 1, [3, 3], 4))} | O=2; data_format='{text}'"


def pool_line(r, text, n_spatial, explicit=False, extra="", outputs=1, over_channels=False):
    x = image(text, r.choice(SMALL), [r.choice((1, 3, 5, 8)) for _ in range(n_spatial)], r.choice((1, 2, 4, 8)))
    attrs = window_attrs(r, text, n_spatial, dilate=False, explicit=explicit, channel_window=over_channels)
    sizes = ordered(text, [r.choice((1, 2, 3)) for _ in range(n_spatial)], 1,
                    r.choice((1, 1, 2)) if over_channels else None)
    attrs["ksize"] = ints(sizes if r.random() > 0.04 else sizes[1:])
    if outputs > 1:
        attrs["O"] = outputs
    return line(floats(r, x) + extra, attrs)


@case("AvgPool")
def avg_pool(r):
    return pool_line(r, r.choice((*FORMATS, "NCHW_VECT_C")), 2)


@case("QuantizedAvgPool")
def quantized_avg_pool(r):
    return pool_line(r, "NHWC", 2, extra=" " + floats(r, [], []), outputs=3)


@case("MaxPool")
def max_pool(r):
    return pool_line(r, r.choice((*FORMATS, "NCHW_VECT_C")), 2, over_channels=True)


@case("MaxPoolExplicit")
def max_pool_explicit(r):
    return pool_line(r, r.choice(FORMATS), 2, explicit=True, over_channels=True)


@case("Pool3D")
def pool3d(r):
    return pool_line(r, r.choice(("NDHWC", "NCDHW")), 3)


@case("MaxPoolV2")
def max_pool_v2(r):
    text = r.choice(FORMATS)
    x = image(text, 2, [r.choice((1, 3, 5, 8)) for _ in range(2)], 4)
    sizes = [ordered(text, [r.choice((1, 2, 3)) for _ in range(2)], 1, r.choice((1, 1, 2))) for _ in range(2)]
    vectors = " ".join(plain_vector(r, s if r.random() > 0.05 else s[1:]) for s in sizes)
    return f"{floats(r, x)} {vectors} | data_format='{text}'; padding='{r.choice(('VALID', 'SAME'))}'; n=3"


@case("AvgPoolGrad", "AvgPool3DGrad")
def avg_pool_grad(r):
    return f"{vector(r, dims_of(r, 3, 5))} {floats(r, dims_of(r, 4, 4))} |"


@case("MaxPoolGrad", "MaxPool3DGrad")
def max_pool_grad(r):
    return floats(r, dims_of(r, 4, 5), dims_of(r, 4, 4)) + " |"


@case("WindowedSize")
def windowed(r):
    size = r.choice((0, 1, 3, 5, 8, 20))
    return f"{floats(r, [size])} | window={r.randint(0, 6)}; stride={r.choice((0, 1, 1, 2, 3, -1))}; same={flag(r)}"


@case("WindowedSizeV2")
def windowed_v2(r):
    size = r.choice((0, 1, 3, 5, 8, 20))
    attrs = {"window": r.randint(0, 5), "stride": r.choice((0, 1, 1, 2, 3)), "dilation": r.choice((0, 1, 1, 2, 3)),
             "before": r.randint(0, 2), "after": r.randint(0, 2),
             "padding": f"'{r.choice(('VALID', 'SAME', 'EXPLICIT'))}'"}
    return line(floats(r, [size]), attrs)


@case("FromFormat")
def from_format(r):
    text = r.choice(("NHWC", "NCHW", "NCHW_VECT_C", "NHWC_VECT_W", "HWNC", "HWCN", "NDHWC", "channels_last", "foo"))
    return floats(r, [r.choice((1, 2, 4, 8)) for _ in range(4)]) + f" | data_format='{text}'"


@case("QuantizedConv2D")
def quantized_conv(r):
    text = "NHWC"
    attrs = dict(window_attrs(r, text, 2), O=3)
    return line(conv_inputs(r, text) + " " + floats(r, [], [], [], []), attrs)


def fused(r, inputs, text):
    names = [name for name in ("BiasAdd", "Sum", "Relu", "Requantize") if r.random() < 0.4]
    attrs = dict(window_attrs(r, text, 2, explicit=True), O=3, fused_ops="[" + ", ".join(f"'{n}'" for n in names) + "]")
    n = r.choice((1, 4))
    ranges = [[], [], [n] if r.random() < 0.5 else [], [n] if r.random() < 0.5 else [], [], [], []]
    bias = [[4]] if "BiasAdd" in names else []
    bias += [[1, 4, 4, 4]] if "Sum" in names else []
    return line(inputs + " " + floats(r, *(bias + ranges)), attrs)


@case("FusedQuantizedConv2D")
def fused_conv(r):
    return fused(r, conv_inputs(r, "NHWC"), "NHWC")


@case("FusedQuantizedDepthwise")
def fused_depthwise(r):
    return fused(r, depthwise_inputs(r, "NHWC"), "NHWC")


@case("QuantizeV2")
def quantize(r):
    dims = dims_of(r, 1)
    axis = r.choice((-1, -1, -2, 0, 1, len(dims) - 1))
    ranges = [[]] * 2 if axis < 0 else [[dims[min(axis, len(dims) - 1)]]] * 2
    return floats(r, dims, *ranges) + f" | O=3; axis={axis}"


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
