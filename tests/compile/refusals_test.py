#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Quantised models that no interpreter computes, or whose numbers are outside what an operator bears: each is
refused, with the operator and the reason in the message and nothing written.

    refusals_test.py ORIBI SOURCE_FOLDER"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE = sys.argv[1:3]
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(SOURCE) / "tests/peer/tflite"))
from build import Builder

Q15 = 2.0 ** -15


def unary(name, column, given, result, shape=(2, 3), **options):
    b = Builder(name, column, 0)
    b.op(name, [b.input(list(shape), given)], [b.output(list(shape), result)], **options)
    return b


def binary(name, column, first, second, result, kinds=(None, None), **options):
    b = Builder(name, column, 0)
    inputs = [b.input([2, 3], q, kind) for q, kind in zip((first, second), kinds)]
    b.op(name, inputs, [b.output([2, 3], result)], **options)
    return b


def join(column, other, activation):
    b = Builder("CONCATENATION", column, 0)
    parts = [b.input([4], (0.5, 0)), b.input([4], other)]
    b.op("CONCATENATION", parts, [b.output([8], (0.5, 0))], axis=0, activation=activation)
    return b


def add_n(column, *shapes):
    b = Builder("ADD_N", column, 0)
    b.op("ADD_N", [b.input(list(shape)) for shape in shapes], [b.output(list(shapes[0]))])
    return b


def pool(column, given, result):
    b = Builder("AVERAGE_POOL_2D", column, 0)
    b.op("AVERAGE_POOL_2D", [b.input([1, 4, 4, 2], given)], [b.output([1, 3, 3, 2], result)], padding="VALID",
         filter_h=2, filter_w=2, stride_h=1, stride_w=1, activation="NONE")
    return b


def transpose_conv(bias_kind, column="i16x8", zero=0):
    b = Builder("TRANSPOSE_CONV", column, 0)
    kind = {"i16x8": "i8", "u8": "u8"}[column]
    x = b.input([1, 2, 2, 1], (0.5, 0))
    w = b.const(np.ones([1, 2, 2, 1]), kind, ([0.5], [zero]))
    bias = b.const(np.ones(1), bias_kind, ([0.25], [0]))
    b.op("TRANSPOSE_CONV", [b.ints([1, 4, 4, 1]), w, x, bias], [b.output([1, 4, 4, 1], (0.5, 0))], padding="VALID",
         stride_h=2, stride_w=2, activation="NONE")
    return b


def decode(head, table=bytes(8), codes=bytes(4), shape=(4,), column="i8"):
    b = Builder("TFLM_DECODE", column, 0)
    inputs = [b.const(np.frombuffer(raw, np.uint8), "u8") for raw in (codes, bytes(head).ljust(16, b"\0") + table)]
    b.op("CUSTOM:TFLM_DECODE", inputs, [b.output(list(shape), (0.5, 0))], raw=b"")
    return b


def circular_buffer(period, slots=4):
    b = Builder("CIRCULAR_BUFFER", "i8", 0)
    b.op("CUSTOM:CIRCULAR_BUFFER", [b.input([1, 1, 2, 3], (0.5, 0))], [b.output([1, slots, 2, 3], (0.5, 0))],
         flex={"cycles_max": period})
    return b


def circular_buffers(count):
    b = Builder("CIRCULAR_BUFFER", "i8", 0)
    x = b.input([1, 1, 2, 3], (0.5, 0))
    for y in reversed([b.output([1, 2, 2, 3], (0.5, 0)) for _ in range(count)]):  # the last is y0
        b.op("CUSTOM:CIRCULAR_BUFFER", [x], [y], flex={"cycles_max": 2})
    return b


OUTSIDE = "a size, scale or zero point is outside its range"
ADD = {"activation": "NONE"}
# name: (model, what the message says, whose rounding)
REFUSED = {
    "int16 has no zero points": (binary("ADD", "i16x8", (0.5, 3), (0.5, 0), (0.5, 0), **ADD), OUTSIDE, "tflm"),
    "nor has a product's result": (binary("MUL", "i16x8", (0.5, 0), (0.5, 0), (0.5, 1), **ADD), OUTSIDE, "tflm"),
    "a zero point outside uint8": (binary("ADD", "u8", (0.5, 256), (0.5, 0), (0.5, 0), **ADD), "zero point 256", "tflm"),
    "operands of two types": (binary("ADD", "u8", (0.5, 0), (0.5, 0), (0.5, 0), (None, "i8"), **ADD),
                              "operands of different types", "tflm"),
    "a factor beyond 31 bits": (binary("MUL", "i16x8", (1e9, 0), (1e9, 0), (1e-9, 0), **ADD), OUTSIDE, "tflm"),
    "powers of two of which none is the sum's": (binary("ADD", "i16x8", (0.25, 0), (0.125, 0), (0.5, 0), **ADD), OUTSIDE,
                                                 "tflite"),
    "extremes of two scales": (binary("MAXIMUM", "u8", (0.5, 0), (0.25, 0), (0.5, 0)), "different scales", "tflm"),
    "extremes of int16 of two scales": (binary("MINIMUM", "i16x8", (0.5, 0), (0.5, 0), (0.25, 0)), "different scales",
                                        "tflm"),
    "a pool that would rescale": (pool("u8", (0.5, 0), (0.5, 1)), "different scales", "tflm"),
    "a join of int8 that would rescale": (join("i8", (0.25, 0), "NONE"), "scales are not the result's", "tflm"),
    "a join of uint8 with an activation": (join("u8", (0.5, 0), "RELU"), "activation", "tflm"),
    "softmax of int16 elsewhere than in 1/32768": (unary("SOFTMAX", "i16x8", (0.01, 0), (1 / 256, 0), beta=1.0), OUTSIDE,
                                                   "tflm"),
    "softmax of uint8 with a zero point": (unary("SOFTMAX", "u8", (0.01, 0), (1 / 256, 7), beta=1.0), OUTSIDE, "tflm"),
    "softmax over more than int32 sums": (unary("SOFTMAX", "i16x8", (0.01, 0), (Q15, 0), (1, 65536), beta=1.0),
                                          "a sum could leave 32 bits", "tflm"),
    "a curve elsewhere than in 1/32768": (unary("TANH", "i16x8", (0.01, 0), (0.01, 0)), OUTSIDE, "tflm"),
    "a curve of too large a scale": (unary("LOGISTIC", "i16x8", (3.0, 0), (Q15, 0)), OUTSIDE, "tflm"),
    "results of another type": (binary("SUB", "i16x8", (0.5, 0), (0.5, 0), (0.5, 0), ("u8", "u8"), **ADD),
                                "different types", "tflm"),
    "narrow biases of transposed int16": (transpose_conv("i32"), "biases of int32", "tflm"),
    "filters with a zero point outside": (transpose_conv("i32", "u8", 256), "zero point 256", "tflm"),
    "sums of other shapes": (add_n("f32", (2, 3), (2, 3), (1, 3)), "different shapes", "tflm"),
    "slopes of int16": (binary("PRELU", "i16x8", (0.5, 0), (0.5, 0), (0.5, 0)), "not supported", "tflm"),
    "hard swish of int16": (unary("HARD_SWISH", "i16x8", (0.5, 0), (0.5, 0)), "not supported", "tflm"),
    "a rectifier to 1 of int16": (unary("RELU_N1_TO_1", "i16x8", (0.5, 0), (0.5, 0)), "not supported", "tflm"),
    "a join of int16 with an activation": (join("i16x8", (0.5, 0), "RELU6"), "activation", "tflm"),
    "products of matrices of uint8": (binary("BATCH_MATMUL", "u8", (0.5, 0), (0.5, 0), (0.5, 0), adj_y=True),
                                      "not supported", "tflm"),
    "indices that end early": (decode([0, 1, 0, 0, 1, 4, 16], codes=bytes(1)), "too few indices", "tflm"),
    "an index behind its table": (decode([0, 1, 0, 0, 1, 4, 16], codes=b"\x0f" * 4), "behind its table", "tflm"),
    "indices of no bits": (decode([0, 1, 0, 0, 1, 0, 16]), "too few indices", "tflm"),
    "pruned without their values": (decode([2, 1, 0, 0, 1], b"ab", b"\xff"), "too few values", "tflm"),
    "pruned without their bits": (decode([2, 1, 0, 0, 1], shape=(40,)), "too few bits", "tflm"),
    "Huffman codes that end early": (decode([1, 1, 0, 0, 1], b"\0\x88" * 4, bytes(4), (99,)), "end early", "tflm"),
    "a Huffman code that never ends": (decode([1, 1, 0, 0, 1]), "none of its table", "tflm"),
    "Huffman codes of floats": (decode([1, 1, 0, 0, 1, 1], column="f32"), "int16", "tflm"),
    "codes of a kind to come": (decode([9, 1, 0, 0, 1]), "kind 9", "tflm"),
    "codes of a version to come": (decode([0, 2, 0, 0, 1]), "version 2", "tflm"),
    "runs that end early in more than 32 places": (circular_buffers(33), "more than 32", "tflm"),
    "a buffer of one": (circular_buffer(1, 1), "it keeps int8", "tflm"),
}


class Refusals(unittest.TestCase):
    def compile(self, builder, variant):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "m.tflite").write_bytes(builder.model())
            done = subprocess.run([ORIBI, "compile", folder / "m.tflite", "-o", folder / "c", "--tflite-variant",
                                   variant], capture_output=True, text=True)
            return done.returncode, done.stderr, (folder / "c").exists()

    def test_each_is_refused_with_its_reason(self):
        for name, (builder, text, variant) in REFUSED.items():
            with self.subTest(name):
                code, message, is_written = self.compile(builder, variant)
                self.assertGreater(code, 0, message)
                self.assertIn(text, message)
                self.assertIn("y0", message)  # the node
                self.assertFalse(is_written)

    def test_what_one_variant_refuses_the_other_computes(self):
        builder, _, variant = REFUSED["powers of two of which none is the sum's"]
        self.assertEqual(variant, "tflite")
        code, message, _ = self.compile(builder, "tflm")
        self.assertEqual(code, 0, message)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
