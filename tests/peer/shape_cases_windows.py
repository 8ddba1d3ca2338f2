# SPDX-License-Identifier: Apache-2.0
"""Random arguments for ops of images and windows, added to those of shape_cases.py."""
from shape_cases import SMALL, case, dims_of, flag, floats, ints, plain_vector, vector

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
