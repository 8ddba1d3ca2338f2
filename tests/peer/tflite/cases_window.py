# SPDX-License-Identifier: Apache-2.0
"""Cases of operators whose window slides over an image: convolutions and pools."""
from build import ACTIVATIONS, LOW, Skip, window


def geometry(b, dilates=True):
    g = {"padding": b.walk("SAME", "VALID"), "activation": b.walk(*ACTIVATIONS, "NONE")}
    g["h"], g["w"] = b.size(3, 8), b.size(3, 8)
    g["kh"], g["kw"] = b.pick((1, 1), (3, 3), (3, 3), (2, 2), (1, 3), (3, 2), (2, 1))
    g["sh"], g["sw"] = b.pick((1, 1), (1, 1), (2, 2), (2, 1), (1, 3))
    dilated = dilates and b.i % 4 == 3
    g["dh"], g["dw"] = b.pick((2, 1), (1, 2), (2, 2)) if dilated else (1, 1)
    if dilated:
        g["sh"] = g["sw"] = 1
    g["h"] = max(g["h"], (g["kh"] - 1) * g["dh"] + 1)
    g["w"] = max(g["w"], (g["kw"] - 1) * g["dw"] + 1)
    g["oh"] = window(g["h"], g["kh"], g["sh"], g["dh"], g["padding"])
    g["ow"] = window(g["w"], g["kw"], g["sw"], g["dw"], g["padding"])
    return g


def _options(g):
    return {"padding": g["padding"], "stride_h": g["sh"], "stride_w": g["sw"],
            "activation": g["activation"]}


def conv_2d_grouped(b):
    """One channel a group, as Keras writes depthwise layers of ConvNeXt, and several."""
    g, n, groups, depth, m = geometry(b), b.pick(1, 1, 2), b.size(2, 6), b.walk(1, 1, 3), b.walk(1, 2, 1, 3)
    q = b.quant()
    x = b.input([n, g["h"], g["w"], groups * depth], q)
    w, bias, out = b.weights([groups * m, g["kh"], g["kw"], depth], 0, q, g["kh"] * g["kw"] * depth)
    y = b.output([n, g["oh"], g["ow"], groups * m], out)
    b.op("CONV_2D", [x, w] + ([bias] if bias >= 0 else []), [y], dilation_h=g["dh"], dilation_w=g["dw"], **_options(g))


def _image(b, g, n, channels, q, outside=None):
    """The layer's input; of some cases what a PAD in front makes, as Keras writes it for layers of stride 2, of zeros or of
    what is outside."""
    if b.i % 4 != 1:
        return b.input([n, g["h"], g["w"], channels], q)
    g["padding"] = "VALID"
    g["oh"], g["ow"] = (window(g[s], g["k" + s], g["s" + s], 1, "VALID") for s in "hw")
    pads = [[0, 0], *([b.size(0, min(g["k" + s] - 1, (g[s] - 1) // 2)) for _ in range(2)] for s in "hw"), [0, 0]]
    x = b.input([n, *(g[s] - sum(p) for s, p in zip("hw", pads[1:3])), channels], q)
    padded = b.between([n, g["h"], g["w"], channels], q)
    if outside is None:
        b.op("PAD", [x, b.ints(pads)], [padded])
    else:
        b.op("PADV2", [x, b.ints(pads), b.const([outside], b.kind, q)], [padded])
    return padded


def conv_2d(b):
    g, n, ic, oc = geometry(b), b.pick(1, 1, 2), b.size(1, 5), b.size(1, 6)
    if b.i % 6 == 5:  # a 1x1 filter
        g.update(kh=1, kw=1, dh=1, dw=1)
        g["oh"] = window(g["h"], 1, g["sh"], 1, g["padding"])
        g["ow"] = window(g["w"], 1, g["sw"], 1, g["padding"])
    q = b.quant()
    x = _image(b, g, n, ic, q)
    w, bias, out = b.weights([oc, g["kh"], g["kw"], ic], 0, q, g["kh"] * g["kw"] * ic,
                             bias=b.i % 7 != 6)
    y = b.output([n, g["oh"], g["ow"], oc], out)
    b.op("CONV_2D", [x, w] + ([bias] if bias >= 0 else []), [y], dilation_h=g["dh"],
         dilation_w=g["dw"], **_options(g))


def depthwise_conv_2d(b):
    g, n, ic, m = geometry(b), b.pick(1, 1, 2), b.size(1, 6), b.walk(1, 1, 2, 1, 3)
    q = b.quant()
    x = _image(b, g, n, ic, q)
    w, bias, out = b.weights([1, g["kh"], g["kw"], ic * m], 3, q, g["kh"] * g["kw"],
                             bias=b.i % 7 != 6)
    y = b.output([n, g["oh"], g["ow"], ic * m], out)
    b.op("DEPTHWISE_CONV_2D", [x, w] + ([bias] if bias >= 0 else []), [y], depth_multiplier=m,
         dilation_h=g["dh"], dilation_w=g["dw"], **_options(g))


def transpose_conv(b):
    """The output's size is given; the window slides over it."""
    g, n, ic, oc = geometry(b, False), b.pick(1, 1, 2), b.size(1, 4), b.size(1, 4)
    q = b.quant()
    x = b.input([n, g["oh"], g["ow"], ic], q)
    w, bias, out = b.weights([oc, g["kh"], g["kw"], ic], 0, q, g["kh"] * g["kw"] * ic,
                             bias=b.i % 4 != 3, narrow=False)
    y = b.output([n, g["h"], g["w"], oc], out)
    shape = b.ints([n, g["h"], g["w"], oc])
    g["activation"] = b.walk("NONE", "NONE", "RELU", "NONE", "RELU6")
    b.op("TRANSPOSE_CONV", [shape, w, x] + ([bias] if bias >= 0 else []), [y], **_options(g))


def transpose_conv_bias(b):
    """MediaPipe's operator, whose result's sizes follow from the input's; the twin is TRANSPOSE_CONV of those sizes."""
    if b.column != "f32":
        raise Skip()
    g, n, ic, oc = geometry(b, False), b.pick(1, 1, 2), b.size(1, 4), b.size(1, 4)
    padding = g["padding"]
    sizes = []
    for size, filter_size, stride in ((g["oh"], g["kh"], g["sh"]), (g["ow"], g["kw"], g["sw"])):
        cut = max(0, filter_size - (size - 1) % stride - 1) if padding == "SAME" else 0
        sizes.append(stride * (size - 1) + filter_size - cut)
    x = b.input([n, g["oh"], g["ow"], ic])
    w, bias, _ = b.weights([oc, g["kh"], g["kw"], ic], 0, None, g["kh"] * g["kw"] * ic)
    y = b.output([n] + sizes + [oc])
    b.op("TRANSPOSE_CONV", [b.ints([n] + sizes + [oc]), w, x, bias], [y], padding=padding, stride_h=g["sh"],
         stride_w=g["sw"], activation="NONE")
    b.twin = b.model()
    b.graph.operators.clear()
    b.op("CUSTOM:Convolution2DTransposeBias", [x, w, bias], [y],
         words=[1 if padding == "SAME" else 2, g["sw"], g["sh"]])


def _pool(b, name):
    g, n, c = geometry(b, False), b.pick(1, 2), b.size(1, 5)
    q = b.quant()
    x = _image(b, g, n, c, q, LOW.get(b.kind, 0)) if name == "MAX_POOL_2D" else b.input([n, g["h"], g["w"], c], q)
    y = b.output([n, g["oh"], g["ow"], c], q)
    b.op(name, [x], [y], filter_h=g["kh"], filter_w=g["kw"], **_options(g))


def average_pool_2d(b):
    _pool(b, "AVERAGE_POOL_2D")


def max_pool_2d(b):
    _pool(b, "MAX_POOL_2D")


CASES = {"CONV_2D": conv_2d, "CONV_2D_GROUPED": conv_2d_grouped, "DEPTHWISE_CONV_2D": depthwise_conv_2d, "TRANSPOSE_CONV": transpose_conv,
         "CONVOLUTION_2D_TRANSPOSE_BIAS": transpose_conv_bias,
         "AVERAGE_POOL_2D": average_pool_2d, "MAX_POOL_2D": max_pool_2d}
