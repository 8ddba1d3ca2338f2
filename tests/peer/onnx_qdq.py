# SPDX-License-Identifier: Apache-2.0
"""Models that say with QuantizeLinear and DequantizeLinear (QDQ) where they are quantised, for
onnx_qlinear.py: one operator between pairs, and small nets. Every value has a pair behind it, as
quantisers leave them; types, scales, paddings and which tensors have a scale for each channel vary."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

U8, S8 = np.uint8, np.int8
OPSET = 13


class Net:
    """A model in the making; values are names."""

    def __init__(self, case):
        self.case, self.rng = case, case.rng
        self.dtype = (U8, S8)[case.index % 2]
        self.nodes, self.constants, self.given = [], [], {}

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, operator, *inputs, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def feed(self, *shape):
        name = f"x{len(self.given)}"
        self.given[name] = self.rng.normal(0, 1, shape).astype(np.float32)
        return name

    def some_scale(self, low, high):
        return np.float32(self.rng.uniform(low, high))

    def zero(self):
        info = np.iinfo(self.dtype)
        return np.array(self.rng.integers(info.min, info.max + 1), self.dtype)

    def pair(self, value, low=0.01, high=0.05, zero=None, scale=None):
        """Quantised and dequantised."""
        parameters = [self.constant(self.some_scale(low, high) if scale is None else np.float32(scale)),
                      self.constant(self.zero() if zero is None else np.array(zero, self.dtype))]
        return self.node("DequantizeLinear", self.node("QuantizeLinear", value, *parameters), *parameters)

    def rectified_pair(self, value, low=0.01, high=0.05):
        """With a zero point that makes a rectifier before it do nothing, as quantisers choose it."""
        return self.pair(value, low, high, np.iinfo(self.dtype).min)

    def weights(self, *shape, axis=0):
        """Dequantised weights and their scale, or the scales along an axis every other time. Signed where the
        rest is, and every other time where it is not; symmetric, as a scale for each channel asks."""
        dtype = S8 if self.dtype is S8 or self.case.index // 2 % 2 else U8
        by_channel = self.case.index // 4 % 2 == 1 and dtype is S8
        info = np.iinfo(dtype)
        value = np.array(self.rng.integers(info.min, info.max + 1, shape), dtype)
        scale = self.rng.uniform(0.002, 0.02, shape[axis] if by_channel else ()).astype(np.float32)
        zero = np.zeros(scale.shape, dtype) if dtype is S8 else np.array(self.rng.integers(100, 150), dtype)
        attributes = {"axis": axis} if by_channel else {}
        return self.node("DequantizeLinear", self.constant(value), self.constant(scale), self.constant(zero),
                         **attributes), scale

    def bias(self, count, input_scale, scale):
        """int32 in the scale of sums."""
        values = self.rng.integers(-3000, 3000, count).astype(np.int32)
        both = (np.float32(input_scale) * scale).astype(np.float32)
        attributes = {"axis": 0} if both.shape else {}
        return self.node("DequantizeLinear", self.constant(values), self.constant(both),
                         self.constant(np.zeros(both.shape, np.int32)), **attributes)

    def conv(self, value, input_scale, inputs, outputs, kernel=3, group=1, has_bias=True, **attributes):
        weights, scale = self.weights(outputs, inputs // group, kernel, kernel)
        operands = [value, weights] + ([self.bias(outputs, input_scale, scale)] if has_bias else [])
        return self.node("Conv", *operands, group=group, **attributes)

    def model(self, *outputs, kind=TensorProto.FLOAT):
        names = [f"y{i}" for i in range(len(outputs))]
        for name, value in zip(names, outputs):
            self.nodes.append(helper.make_node("Identity", [value], [name]))
        graph = helper.make_graph(
            self.nodes, "g",
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, x.shape) for n, x in self.given.items()],
            [helper.make_tensor_value_info(n, kind, None) for n in names], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8), self.given


def image(net, channels=None):
    size = [int(k) for k in net.rng.integers(5, 9, 2)]
    channels = channels or int(net.rng.integers(2, 6))
    scale = net.some_scale(0.01, 0.04)
    return net.pair(net.feed(1, channels, *size), scale=scale), channels, scale


def conv(case):
    net = Net(case)
    value, channels, scale = image(net)
    group = channels if case.index % 3 == 2 else 1
    out = net.conv(value, scale, channels, channels * int(net.rng.integers(1, 3)), kernel=int(net.rng.integers(1, 4)),
                   group=group, has_bias=case.index % 5 > 0, strides=[int(k) for k in net.rng.integers(1, 3, 2)],
                   pads=[int(k) for k in net.rng.integers(0, 2, 4)], dilations=[int(k) for k in net.rng.integers(1, 3, 2)])
    return net.model(net.pair(out, 0.05, 0.2))


def rectified_conv(case):
    """The rectifier does nothing that saturation does not do; every third one does, as does every clip."""
    net = Net(case)
    value, channels, scale = image(net)
    out = net.conv(value, scale, channels, 4, pads=[1, 1, 1, 1])
    if case.index % 3 == 1:
        out = net.node("Clip", out, net.constant(np.float32(0)), net.constant(np.float32(6)))
    else:
        out = net.node("Relu", out)
    return net.model(net.rectified_pair(out, 0.03, 0.1) if case.index % 3 else net.pair(out, 0.03, 0.1))


def product(case):
    """MatMul, and Gemm with its switches."""
    net = Net(case)
    rows, inner, columns = (int(k) for k in net.rng.integers(1, 20, 3))
    scale = net.some_scale(0.01, 0.04)
    turn = case.index // 3 % 2
    weights_axis = 0 if case.index % 3 and turn else 1
    if case.index % 3 == 0:
        value = net.pair(net.feed(*([2, 3][:case.index // 3 % 3]), rows, inner), scale=scale)
        weights, _ = net.weights(inner, columns, axis=1)
        out = net.node("MatMul", value, weights)
    else:
        value = net.pair(net.feed(rows, inner), scale=scale)
        weights, each = net.weights(*((columns, inner) if turn else (inner, columns)), axis=weights_axis)
        operands = [value, weights] + ([net.bias(columns, scale, each)] if case.index % 4 else [])
        out = net.node("Gemm", *operands, transB=turn)
    return net.model(net.pair(out, 0.05, 0.2))


def float_product(case):
    """The result stays float, as the last layer's may."""
    net = Net(case)
    rows, inner, columns = (int(k) for k in net.rng.integers(1, 20, 3))
    scale = net.some_scale(0.01, 0.04)
    value = net.pair(net.feed(rows, inner), scale=scale)
    weights, each = net.weights(inner, columns, axis=1)
    if case.index % 3 == 0:
        return net.model(net.node("MatMul", value, weights))
    operands = [value, weights] + ([net.bias(columns, scale, each)] if case.index % 3 == 1 else [])
    return net.model(net.node("Gemm", *operands))


def product_of_two(case):
    """Both sides computed."""
    net = Net(case)
    rows, inner, columns = (int(k) for k in net.rng.integers(1, 12, 3))
    batch = [(), (2,), (2, 3)][case.index % 3]
    a, b = net.pair(net.feed(*batch, rows, inner)), net.pair(net.feed(*batch, inner, columns))
    return net.model(net.pair(net.node("MatMul", a, b), 0.03, 0.1))


def binary(operator):
    def make(case):
        net = Net(case)
        size = [int(k) for k in net.rng.integers(2, 6, 3)]
        other = (size, [size[0], 1, 1], [1, size[1], size[2]])[case.index % 3]
        a, b = net.pair(net.feed(1, *size)), net.pair(net.feed(1, *other))
        out = net.node(operator, a, b)
        if case.index % 4 == 3:
            out = net.rectified_pair(net.node("Relu", out))
        else:
            out = net.pair(out)
        return net.model(out)
    return make


def average_pool(case):
    net = Net(case)
    value, _, _ = image(net)
    if case.index % 3 == 0:
        return net.model(net.pair(net.node("GlobalAveragePool", value)))
    kernel = [int(k) for k in net.rng.integers(2, 4, 2)]
    return net.model(net.pair(net.node(
        "AveragePool", value, kernel_shape=kernel, count_include_pad=case.index % 2,
        strides=[int(k) for k in net.rng.integers(1, 3, 2)], pads=[int(net.rng.integers(0, k)) for k in kernel + kernel])))


def function(case):
    """Of one value; the last ones ONNX Runtime computes in float. Not two pairs one after the other: it makes one
    pair of them, with a range of its own."""
    net = Net(case)
    value, _, _ = image(net)
    kind = case.index % 8
    scale = None
    if kind == 0:
        out, scale = net.node("Sigmoid", value), 1 / 256
    elif kind == 1:
        out = net.node("LeakyRelu", value, alpha=0.2)
    elif kind == 2:
        out, scale = net.node("Tanh", value), 1 / 128
    elif kind == 3:
        out = net.node("Clip", value, net.constant(np.float32(-0.3)), net.constant(np.float32(0.4)))
    elif kind == 4:
        out = net.node("Relu", value)
    elif kind == 5:
        out = net.node("Mul", value, net.node("HardSigmoid", value))
    elif kind == 6:
        out = net.node("Sqrt", net.node("Abs", value))
    else:
        out = net.node("Neg", net.node("Elu", value))
    return net.model(net.pair(out, scale=scale))


def softmax(case):
    net = Net(case)
    value = net.pair(net.feed(int(net.rng.integers(1, 5)), int(net.rng.integers(2, 30))), 0.03, 0.2)
    return net.model(net.pair(net.node("Softmax", value, axis=1), scale=1 / 256, zero=np.iinfo(net.dtype).min))


def joined(case):
    """Parts of other scales than the result, or of its own."""
    net = Net(case)
    size = [int(k) for k in net.rng.integers(2, 6, 3)]
    axis = 1 + case.index % 3
    scale, zero = net.some_scale(0.01, 0.05), net.zero()
    same = {"scale": scale, "zero": zero}
    parts = [net.pair(net.feed(1, *size), **(same if (case.index + i) % 2 else {})) for i in range(2 + case.index % 2)]
    return net.model(net.pair(net.node("Concat", *parts, axis=axis), **same))


def moved(case):
    """What only moves elements, each with a pair of the same scale behind it."""
    net = Net(case)
    scale, zero = net.some_scale(0.01, 0.05), net.zero()
    same = {"scale": scale, "zero": zero}
    value = net.pair(net.feed(1, 4, 6, 6), **same)
    kinds = [("Transpose", [], {"perm": [0, 2, 3, 1]}), ("Reshape", [np.array([1, 4, 36])], {}),
             ("MaxPool", [], {"kernel_shape": [2, 2], "strides": [2, 2]}),
             ("MaxPool", [], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
             ("Slice", [np.array([1]), np.array([5]), np.array([2])], {}), ("Squeeze", [np.array([0])], {}),
             ("Flatten", [], {}), ("Pad", [np.array([0, 0, 1, 1, 0, 0, 0, 2])], {}),
             ("Unsqueeze", [np.array([2])], {}), ("Gather", [np.array([2, 0, 1])], {"axis": 1})]
    operator, constants, attributes = kinds[case.index % len(kinds)]
    out = net.pair(net.node(operator, value, *[net.constant(c.astype(np.int64)) for c in constants], **attributes), **same)
    return net.model(out)


def net(case):
    """A convolution net: residual sum, depthwise, pools, a gate, a dense end with a softmax."""
    net = Net(case)
    value, channels, scale = image(net, 3)
    wide = 8
    value = net.rectified_pair(net.node("Relu", net.conv(value, scale, channels, wide, pads=[1, 1, 1, 1])), 0.05, 0.1)
    if case.index % 2:
        value = net.node("MaxPool", value, kernel_shape=[2, 2], strides=[1, 1])
    scale, rest = net.some_scale(0.05, 0.1), value
    value = net.pair(value, scale=scale)
    value = net.pair(net.conv(value, scale, wide, wide, group=wide, pads=[1, 1, 1, 1]), 0.05, 0.1)
    value = net.pair(net.node("Add", value, rest), 0.05, 0.1)
    if case.index % 3 == 1:
        gate = net.pair(net.node("Sigmoid", value), scale=1 / 256, zero=np.iinfo(net.dtype).min)
        value = net.pair(net.node("Mul", value, gate), 0.05, 0.1)
    if case.index % 3 == 2:
        value = net.pair(net.node("Concat", value, rest, axis=1), 0.05, 0.1)
        wide *= 2
    value = net.pair(net.node("GlobalAveragePool", value), scale=0.04)
    value = net.pair(net.node("Flatten", value), scale=0.04)
    weights, each = net.weights(10, wide, axis=0)
    value = net.node("Gemm", value, weights, net.bias(10, 0.04, each), transB=1)
    if case.index % 4 < 2:
        value = net.node("Softmax", net.pair(value, 0.05, 0.2), axis=1)
        return net.model(net.pair(value, scale=1 / 256, zero=np.iinfo(net.dtype).min))
    return net.model(net.pair(value, 0.05, 0.2))


MODELS = {f"qdq_{name}": make for name, make in {
    "conv": conv, "rectified_conv": rectified_conv, "product": product, "product_of_two": product_of_two,
    "float_product": float_product,
    "add": binary("Add"), "mul": binary("Mul"), "average_pool": average_pool, "function": function,
    "softmax": softmax, "concat": joined, "moved": moved, "net": net}.items()}
