#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/cpu/golden_heavy.txt: TensorFlow's answers to convolutions and matrix products.

Run like cpu_golden.py, whose format this follows; small inputs, one line each. The fused forms are
the plain op of TensorFlow with bias, side input and activation applied after it.
"""
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(7)
out = open(os.path.join(os.path.dirname(__file__), "..", "cpu", "golden_heavy.txt"), "w")


def random(*shape):
    return (rng.integers(-64, 65, size=shape) / 32).astype(np.float32)


def show(array):
    array = np.asarray(array)
    name = {"float32": "float", "int32": "int32"}[str(array.dtype)]
    words = [str(d) for d in array.shape] + [str(v) for v in array.reshape(-1)]
    return " ".join([name, str(array.ndim)] + words)


def attribute(value):
    if isinstance(value, bool):
        return "bool %d" % value
    if isinstance(value, int):
        return "int %d" % value
    if isinstance(value, list) and value and isinstance(value[0], str):
        return "strings %d %s" % (len(value), " ".join(value))
    if isinstance(value, list):
        return ("ints %d %s" % (len(value), " ".join(map(str, value)))).strip()
    return "string %s" % value


def write(op, inputs, result, attrs):
    print("op", op, file=out)
    for name, value in attrs.items():
        print("attr", name, attribute(value), file=out)
    for array in inputs:
        print("in", show(array), file=out)
    print("out", show(result), file=out)
    print("tol 1e-5 8\nend", file=out)


def conv(image, filters, padding, stride=(1, 1), dilation=(1, 1), explicit=(), depthwise=False,
         fused=()):
    x, w = random(*image), random(*filters)
    attrs = {"strides": [1, *stride, 1], "dilations": [1, *dilation, 1], "padding": padding,
             "data_format": "NHWC", "explicit_paddings": list(explicit)}
    op = "DepthwiseConv2dNative" if depthwise else "Conv2D"
    if depthwise and dilation != (1, 1):  # the raw op has no kernel for it on the CPU
        result = tf.nn.depthwise_conv2d(x, w, attrs["strides"], padding, dilations=dilation).numpy()
    else:
        result = getattr(tf.raw_ops, op)(input=x, filter=w, **attrs).numpy()
    inputs = [x, w]
    if fused:
        for word in fused:
            if word == "BiasAdd":
                inputs.append(random(result.shape[-1]))
                result = tf.nn.bias_add(result, inputs[-1]).numpy()
            elif word == "Add":
                inputs.append(random(*result.shape))
                result = result + inputs[-1]
            else:
                activation = {"LeakyRelu": lambda v: tf.nn.leaky_relu(v, 0.2), "Relu": tf.nn.relu,
                              "Relu6": tf.nn.relu6, "Elu": tf.nn.elu, "Tanh": tf.nn.tanh,
                              "Sigmoid": tf.nn.sigmoid}[word]
                result = activation(result).numpy()
        if depthwise:
            del attrs["explicit_paddings"]
        attrs.update(fused_ops=list(fused), num_args=len(inputs) - 2)
        op = "_FusedDepthwiseConv2dNative" if depthwise else "_FusedConv2D"
    write(op, inputs, result, attrs)


def conv_3d(image, filters, padding, stride=(1, 1, 1), dilation=(1, 1, 1)):
    x, w = random(*image), random(*filters)
    attrs = {"strides": [1, *stride, 1], "dilations": [1, *dilation, 1], "padding": padding,
             "data_format": "NDHWC"}
    write("Conv3D", [x, w], tf.raw_ops.Conv3D(input=x, filter=w, **attrs).numpy(), attrs)


def main():
    print("# Made by tests/peer/cpu_golden_heavy.py with TensorFlow %s. Do not edit."
          % tf.__version__, file=out)
    for padding in "SAME", "VALID":
        conv((1, 5, 7, 3), (3, 3, 3, 5), padding)
        conv((2, 6, 5, 2), (2, 3, 2, 9), padding, stride=(2, 2))
        conv((1, 9, 8, 2), (3, 2, 2, 4), padding, dilation=(2, 3))
        conv((1, 5, 4, 6), (3, 3, 2, 6), padding)  # three groups
        conv((1, 4, 6, 33), (1, 1, 33, 3), padding, stride=(2, 2))
        conv((1, 7, 6, 5), (3, 3, 5, 1), padding, depthwise=True)
        conv((1, 7, 9, 3), (3, 3, 3, 2), padding, stride=(2, 2), depthwise=True)
        conv((1, 8, 9, 4), (5, 5, 4, 1), padding, depthwise=True)
        conv((1, 9, 9, 2), (3, 3, 2, 1), padding, dilation=(2, 2), depthwise=True)
    conv((1, 5, 6, 3), (3, 3, 3, 4), "EXPLICIT", explicit=(0, 0, 2, 1, 0, 3, 0, 0))
    conv((1, 6, 5, 20), (3, 3, 20, 1), "EXPLICIT", stride=(2, 2), depthwise=True,
         explicit=(0, 0, 1, 0, 1, 1, 0, 0))
    for words in (["BiasAdd"], ["BiasAdd", "Relu"], ["BiasAdd", "Relu6"], ["BiasAdd", "Elu"],
                  ["BiasAdd", "LeakyRelu"], ["BiasAdd", "Tanh"], ["BiasAdd", "Sigmoid"],
                  ["BiasAdd", "Add"], ["BiasAdd", "Add", "Relu"]):
        conv((1, 4, 5, 3), (3, 3, 3, 5), "SAME", fused=words)
        conv((1, 4, 5, 3), (3, 3, 3, 1), "SAME", fused=words, depthwise=True)
    for ta in False, True:
        for tb in False, True:
            a, b = random(*((7, 5) if ta else (5, 7))), random(*((9, 7) if tb else (7, 9)))
            write("MatMul", [a, b], tf.linalg.matmul(a, b, ta, tb), {"transpose_a": ta,
                                                                    "transpose_b": tb})
            a = random(2, 1, *((7, 5) if ta else (5, 7)))
            b = random(3, *((9, 7) if tb else (7, 9)))
            write("BatchMatMulV2", [a, b], tf.raw_ops.BatchMatMulV2(x=a, y=b, adj_x=ta, adj_y=tb),
                  {"adj_x": ta, "adj_y": tb})
    for padding, stride, size in ("SAME", 2, (7, 8)), ("VALID", 2, (9, 9)), ("SAME", 1, (4, 4)):
        sizes = np.array([1, *size, 3], np.int32)
        w = random(3, 3, 3, 5)
        grown = [-(-s // stride) if padding == "SAME" else (s - 3) // stride + 1 for s in size]
        g = random(1, *grown, 5)
        attrs = {"strides": [1, stride, stride, 1], "padding": padding, "data_format": "NHWC",
                 "dilations": [1, 1, 1, 1], "explicit_paddings": []}
        write("Conv2DBackpropInput", [sizes, w, g],
              tf.raw_ops.Conv2DBackpropInput(input_sizes=sizes, filter=w, out_backprop=g, **attrs),
              attrs)
    for padding in "SAME", "VALID":
        conv_3d((1, 4, 5, 6, 3), (3, 2, 3, 3, 5), padding)
        conv_3d((2, 5, 4, 3, 2), (2, 3, 2, 2, 4), padding, stride=(2, 1, 2))


main()
