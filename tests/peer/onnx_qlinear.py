#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/vectors/onnx_*.bin.xz: models of ONNX's quantised operators, and what ONNX Runtime gives
for them: operators without its optimisations, models that say with QuantizeLinear and DequantizeLinear
where they are quantised (onnx_qdq_*, of onnx_qdq.py) with all of them, as its users run them. Sums of
x86-64 do not saturate. In the form of tests/peer/tflite/container.py, whose two variants are the same
here; `compile.vectors` reads them.

    onnx_qlinear.py [--into FOLDER] [--cases N] [OPERATOR...]    # with numpy, onnx and onnxruntime"""
import argparse
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "tflite")]
import container  # noqa: E402
import onnx_qdq  # noqa: E402

VECTORS = HERE.parent / "vectors"
CASES = 24
U8, S8 = np.uint8, np.int8
TYPES = {U8: TensorProto.UINT8, S8: TensorProto.INT8, np.float32: TensorProto.FLOAT}
MIXES = [(U8, U8, U8), (U8, S8, U8), (S8, S8, S8)]  # input, weights, result: what ONNX Runtime has


class Case:
    def __init__(self, operator, index):
        self.rng = np.random.default_rng([index, len(operator)])
        self.index, self.constants, self.names = index, [], []

    def any_of(self, dtype, *shape):
        info = np.iinfo(dtype)
        return np.array(self.rng.integers(info.min, info.max + 1, shape), dtype)

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def scale(self, low, high, *shape):
        return np.array(self.rng.uniform(low, high, shape), np.float32)

    def weights_parameters(self, dtype, channels):
        """Scale and zero point, of each channel every third time."""
        if dtype is S8 and self.index % 3 == 0:
            return [self.constant(self.scale(0.001, 0.03, channels)),
                    self.constant(np.zeros(channels, S8))]
        return [self.constant(self.scale(0.001, 0.03)), self.constant(self.any_of(dtype))]

    def parameters(self, dtype, low=0.01, high=0.1):
        return [self.constant(self.scale(low, high)), self.constant(self.any_of(dtype))]

    def model(self, operator, inputs, given, result, domain="", **attributes):
        """given: {name: array} of what is fed; result: the type of the first output, or of each."""
        results = result if isinstance(result, list) else [result]
        names = ["y", "y1", "y2"][:len(results)]
        node = helper.make_node(operator, inputs, names, domain=domain, **attributes)
        graph = helper.make_graph(
            [node], "g", [helper.make_tensor_value_info(name, TYPES[x.dtype.type], x.shape)
                          for name, x in given.items()],
            [helper.make_tensor_value_info(name, kind, None) for name, kind in zip(names, results)],
            self.constants)
        opsets = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8), given

    def window(self):
        """Sizes and attributes of a convolution: (channels, per group, outputs, h, w, kernel, attributes)."""
        rng = self.rng
        group = (1, 1, 2, 3)[self.index % 4]
        depth, each = int(rng.integers(1, 4)), int(rng.integers(1, 4))
        kernel = [int(k) for k in rng.integers(1, 4, 2)]
        attributes = {"group": group, "strides": [int(k) for k in rng.integers(1, 3, 2)],
                      "dilations": [int(k) for k in rng.integers(1, 3, 2)],
                      "pads": [int(k) for k in rng.integers(0, 3, 4)]}
        height, width = (int(k) for k in rng.integers(6, 10, 2))
        return group * depth, depth, group * each, height, width, kernel, attributes


def qlinear_conv(case):
    xd, wd, yd = MIXES[case.index % 3]
    channels, depth, outputs, height, width, kernel, attributes = case.window()
    x, w = case.any_of(xd, 1 + case.index % 2, channels, height, width), case.any_of(wd, outputs, depth, *kernel)
    inputs = ["x", case.constant(case.scale(0.01, 0.1)), case.constant(case.any_of(xd)), case.constant(w),
              *case.weights_parameters(wd, outputs), case.constant(case.scale(0.1, 0.5)),
              case.constant(case.any_of(yd))]
    if case.index % 2:
        inputs.append(case.constant(case.rng.integers(-9000, 9000, outputs).astype(np.int32)))
    return case.model("QLinearConv", inputs, {"x": x}, TYPES[yd], **attributes)


def conv_integer(case):
    channels, depth, outputs, height, width, kernel, attributes = case.window()
    wd = (U8, S8)[case.index % 2]
    x, w = case.any_of(U8, 1, channels, height, width), case.any_of(wd, outputs, depth, *kernel)
    inputs = ["x", case.constant(w), case.constant(case.any_of(U8)), case.constant(case.any_of(wd))]
    return case.model("ConvInteger", inputs, {"x": x}, TensorProto.INT32, **attributes)


def qlinear_matmul(case):
    xd, wd, yd = MIXES[case.index % 3]
    rows, inner, columns = (int(k) for k in case.rng.integers(1, 30, 3))
    x, w = case.any_of(xd, rows, inner), case.any_of(wd, inner, columns)
    inputs = ["x", case.constant(case.scale(0.01, 0.1)), case.constant(case.any_of(xd)), case.constant(w),
              *case.weights_parameters(wd, columns), case.constant(case.scale(0.1, 0.5)),
              case.constant(case.any_of(yd))]
    return case.model("QLinearMatMul", inputs, {"x": x}, TYPES[yd])


def shape(case):
    return (1, int(case.rng.integers(1, 6)), *(int(k) for k in case.rng.integers(2, 8, 2)))


def pair(operator):
    def make(case):
        dtype, size = (U8, S8)[case.index % 2], shape(case)
        other = (size, (size[1], 1, size[3]), (1,))[case.index % 3]
        given = {"x": case.any_of(dtype, *size), "b": case.any_of(dtype, *other)}
        inputs = ["x", *case.parameters(dtype), "b", *case.parameters(dtype), *case.parameters(dtype, 0.02, 0.3)]
        return case.model(operator, inputs, given, TYPES[dtype], "com.microsoft")
    return make


def one(operator, **attributes):
    def make(case):
        dtype = (U8, S8)[case.index % 2]
        given = {"x": case.any_of(dtype, *shape(case))}
        inputs = ["x", *case.parameters(dtype), *case.parameters(dtype, 0.004, 0.05)]
        return case.model(operator, inputs, given, TYPES[dtype], "com.microsoft", **attributes)
    return make


def qlinear_average_pool(case):
    """Padding that counts and that does not, either layout."""
    dtype, rng = (U8, S8)[case.index % 2], case.rng
    channels, height, width = (int(k) for k in rng.integers(3, 8, 3))
    kernel = [int(k) for k in rng.integers(2, 4, 2)]
    last = case.index // 2 % 2
    size = (1, height, width, channels) if last else (1, channels, height, width)
    inputs = ["x", *case.parameters(dtype), *case.parameters(dtype)]
    return case.model("QLinearAveragePool", inputs, {"x": case.any_of(dtype, *size)}, TYPES[dtype], "com.microsoft",
                      channels_last=last, count_include_pad=case.index // 4 % 2, kernel_shape=kernel,
                      strides=[int(k) for k in rng.integers(1, 3, 2)],
                      pads=[int(rng.integers(0, k)) for k in kernel + kernel])


def qlinear_softmax(case):
    """Of uint8: for int8, ONNX Runtime lets a result of 1 wrap to -128 (its graphs have uint8 there). Over more
    than one value: of one, its exponential times 256 leaves float, and the result is 0 instead of 1."""
    size = tuple(max(k, 2) for k in shape(case))
    inputs = ["x", case.constant(case.scale(0.02, 0.2)), case.constant(case.any_of(U8)),
              case.constant(np.float32(1 / 256)), case.constant(U8(0))]
    opset = (13, 12)[case.index % 2]
    return case.model("QLinearSoftmax", inputs, {"x": case.any_of(U8, *size)}, TYPES[U8], "com.microsoft",
                      axis=1 + case.index % 3, opset=opset)


def matmul_integer(case):
    """A constant right side, or two that are fed; zero points absent, one, or of each row and column."""
    wd = (U8, S8)[case.index % 2]
    rows, inner, columns = (int(k) for k in case.rng.integers(1, 20, 3))
    batch = [(), (2,), (3,)][case.index // 2 % 3]
    given = {"x": case.any_of(U8, *batch, rows, inner)}
    w = case.any_of(wd, inner, columns)
    if case.index % 4 < 2:
        right = case.constant(w)
    else:
        given["w"], right = w, "w"
    inputs = ["x", right]
    if case.index % 3:
        inputs += [case.constant(case.any_of(U8)),
                   case.constant(case.any_of(wd, columns) if case.index % 3 == 2 else case.any_of(wd))]
    return case.model("MatMulInteger", inputs, given, TensorProto.INT32)


def qlinear_matmul_of_two(case):
    """Both sides are fed."""
    xd, wd, yd = MIXES[case.index % 3]
    rows, inner, columns = (int(k) for k in case.rng.integers(1, 20, 3))
    batch = [(), (2,), (2, 3)][case.index // 3 % 3]
    given = {"x": case.any_of(xd, *batch, rows, inner), "w": case.any_of(wd, *batch, inner, columns)}
    inputs = ["x", case.constant(case.scale(0.01, 0.1)), case.constant(case.any_of(xd)), "w",
              case.constant(case.scale(0.001, 0.03)), case.constant(case.any_of(wd)),
              case.constant(case.scale(0.1, 0.5)), case.constant(case.any_of(yd))]
    return case.model("QLinearMatMul", inputs, given, TYPES[yd])


def dynamic_quantize_linear(case):
    x = (case.rng.normal(case.index % 5 - 2, 3, shape(case)) * (case.index % 7 > 0)).astype(np.float32)
    return case.model("DynamicQuantizeLinear", ["x"], {"x": x},
                      [TensorProto.UINT8, TensorProto.FLOAT, TensorProto.UINT8])


def dynamic(operator):
    """Quantised as the model runs: the zero point of sums is computed too."""
    def make(case):
        channels, depth, outputs, height, width, kernel, attributes = case.window()
        if operator == "ConvInteger":
            x = case.rng.normal(0, 1, (1, channels, height, width)).astype(np.float32)
            w = case.any_of(S8, outputs, depth, *kernel)
        else:
            x, w = case.rng.normal(0, 1, (height, channels)).astype(np.float32), case.any_of(S8, channels, outputs)
            attributes = {}
        nodes = [helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
                 helper.make_node(operator, ["q", case.constant(w), "z", case.constant(S8(0))], ["i"], **attributes),
                 helper.make_node("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
                 helper.make_node("Mul", ["s", case.constant(case.scale(0.001, 0.02))], ["m"]),
                 helper.make_node("Mul", ["f", "m"], ["y"])]
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], case.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), {"x": x}
    return make


def qlinear_concat(case):
    dtype, size, axis = (U8, S8)[case.index % 2], shape(case), 1 + case.index % 3
    other = [k + 2 if i == axis else k for i, k in enumerate(size)]
    given = {"x": case.any_of(dtype, *size), "b": case.any_of(dtype, *other)}
    inputs = [*case.parameters(dtype), "x", *case.parameters(dtype), "b", *case.parameters(dtype)]
    return case.model("QLinearConcat", inputs, given, TYPES[dtype], "com.microsoft", axis=axis)


def quantize_linear(case):
    """Ties, values far outside, a scale for each channel every third time."""
    dtype, size = (U8, S8)[case.index % 2], shape(case)
    x = case.rng.normal(0, 6, size).astype(np.float32)
    x.flat[::3] = np.round(x.flat[::3]) / 2 + 0.25
    channels = [size[1]] if case.index % 3 == 0 else []
    scale = np.full(channels, 0.5, np.float32) if case.index % 2 else case.scale(0.01, 0.3, *channels)
    inputs = ["x", case.constant(scale), case.constant(case.any_of(dtype, *channels))]
    return case.model("QuantizeLinear", inputs, {"x": x}, TYPES[dtype], axis=1)


def dequantize_linear(case):
    dtype, size = (U8, S8)[case.index % 2], shape(case)
    channels = [size[1]] if case.index % 3 == 0 else []
    inputs = ["x", case.constant(case.scale(0.01, 0.3, *channels)),
              case.constant(case.any_of(dtype, *channels))]
    return case.model("DequantizeLinear", inputs, {"x": case.any_of(dtype, *size)}, TensorProto.FLOAT, axis=1)


OPERATORS = {
    "qlinear_conv": qlinear_conv, "conv_integer": conv_integer, "qlinear_matmul": qlinear_matmul,
    "qlinear_add": pair("QLinearAdd"), "qlinear_mul": pair("QLinearMul"),
    "qlinear_sigmoid": one("QLinearSigmoid"), "qlinear_leaky_relu": one("QLinearLeakyRelu", alpha=0.3),
    "qlinear_global_average_pool": one("QLinearGlobalAveragePool", channels_last=0),
    "qlinear_concat": qlinear_concat, "quantize_linear": quantize_linear,
    "dequantize_linear": dequantize_linear, "qlinear_average_pool": qlinear_average_pool,
    "qlinear_softmax": qlinear_softmax, "matmul_integer": matmul_integer,
    "qlinear_matmul_of_two": qlinear_matmul_of_two, "dynamic_quantize_linear": dynamic_quantize_linear,
    "dynamic_matmul": dynamic("MatMulInteger"), "dynamic_conv": dynamic("ConvInteger"),
    **onnx_qdq.MODELS,
}


def answer(model, given, is_optimised):
    options = onnxruntime.SessionOptions()
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if is_optimised else levels.ORT_DISABLE_ALL
    options.add_session_config_entry("session.x64quantprecision", "1")
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    return session.run(None, given)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=pathlib.Path, default=VECTORS)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("operators", nargs="*", metavar="OPERATOR")
    arguments = parser.parse_args()
    references = {who: f"onnxruntime {onnxruntime.__version__}" for who in container.VARIANTS}
    for name in arguments.operators or OPERATORS:
        out = []
        for index in range(arguments.cases):
            model, given = OPERATORS[name](Case(name, index))
            want = answer(model, given, name.startswith("qdq_"))
            data = {who: [y.tobytes() for y in want] for who in container.VARIANTS}
            out.append(container.Case(f"{index}", model.SerializeToString(), [x.tobytes() for x in given.values()], data))
        path = arguments.into / f"onnx_{name}.bin.xz"
        path.write_bytes(container.pack(name.upper(), "ONNX", references, out))
        print(path.name, len(out), path.stat().st_size)


if __name__ == "__main__":
    main()
