#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ops whose float kernels are found by their traits and names: the host against numpy's formula, emitted C against
the host to the bit, and one of elements between two convolutions leaves the layout alone. Names of plugins' ops find nothing.

    ops_test.py ORIBI SOURCE_FOLDER"""
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tests/cli"))
import onnx_lite as onnx  # noqa: E402

ERF = np.vectorize(math.erf)
MS = "com.microsoft"
X = (np.random.default_rng(3).normal(size=(1, 4, 6, 6)) * 6).astype(np.float32)
C = np.float32([[[0.5]], [[-2]], [[0]], [[7]]])  # an operand that is repeated

S, G, D = (np.random.default_rng(4).normal(size=s).astype(np.float32) for s in (X.shape, (6,), (6,)))


BITS, SCALES = np.random.default_rng(5).integers(0, 256, (5, 1, 8)).astype(np.uint8), np.linspace(0.01, 0.03, 5).astype(np.float32)[:, None]
ZEROS = np.uint8([[3], [0], [15], [8], [7]])
FOUR = {"K": 6, "N": 5, "bits": 4, "block_size": 16}


def in_4_bits(x, bits, scales, zeros):
    """Two numbers in a byte, the lower half first."""
    numbers = np.stack([bits & 15, bits >> 4], -1).reshape(5, 16)[:, :6].astype(np.float64)
    return x @ ((numbers - zeros) * scales).T


def normalised(x, epsilon):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon)


# operator, domain, attributes, further operands, formula
CASES = [
    ("FastGelu", MS, {}, [], lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))),
    ("FusedMatMul", MS, {"alpha": 0.25, "transB": 1}, [S[:, :, :3]], lambda x, s: 0.25 * x @ s.swapaxes(2, 3)),
    ("FusedMatMul", MS, {"transBatchA": 1}, [S[0, 0]], lambda x, s: x.transpose(1, 2, 0, 3) @ s),
    ("Gelu", MS, {}, [], lambda x: 0.5 * x * (1 + ERF(x * math.sqrt(0.5)))),
    ("SkipLayerNormalization", MS, {"epsilon": 0.125}, [S, G, D], lambda x, s, g, d: normalised(x + s, 0.125) * g + d),
    ("SkipSimplifiedLayerNormalization", MS, {"epsilon": 0.125}, [S, G],
     lambda x, s, g: (x + s) / np.sqrt(np.mean((x + s) ** 2, -1, keepdims=True) + 0.125) * g),
    ("MatMulNBits", MS, FOUR, [BITS, SCALES], lambda x, bits, scales: in_4_bits(x, bits, scales, 8)),
    ("MatMulNBits", MS, FOUR, [BITS, SCALES, ZEROS], in_4_bits),
    ("BiasGelu", MS, {}, [C], lambda x, bias: 0.5 * (x + bias) * (1 + ERF((x + bias) * math.sqrt(0.5)))),
    ("GlobalLpPool", "", {}, [], lambda x: np.sqrt(np.sum(x * x, (2, 3), keepdims=True))),
    ("GlobalLpPool", "", {"p": 1}, [], lambda x: np.sum(np.abs(x), (2, 3), keepdims=True)),
    ("GlobalLpPool", "", {"p": 3}, [], lambda x: np.sum(np.abs(x) ** 3, (2, 3), keepdims=True) ** (1 / 3)),
    ("QuickGelu", MS, {}, [], lambda x: x / (1 + np.exp(-1.702 * x))),
    ("QuickGelu", MS, {"alpha": -0.5}, [], lambda x: x / (1 + np.exp(0.5 * x))),
]


# Not what our Elu computes.
PLUGIN = """#include "oribi/kernel_kit.h"
ORIBI_PLUGIN("elu", "0.1", "unlicensed");
typedef struct None { int nothing; } None;
static void elu_read(oribi_kit_setup *setup, None *none) { (void)setup, (void)none; }
static void elu_loop(const None *none, const float *x, float *y, int64_t count)
{
    (void)none;
    for (int64_t i = 0; i < count; i++) y[i] = 3 * x[i];
}
ORIBI_KIT_UNARY(elu, None, float, float, 1)
void TF_InitKernel(void)
{
    oribi_kit_register_op("Com>Acme>Elu", "x: float", "y: float", "", "elementwise", oribi_kit_shape_unchanged);
    oribi_kit_register_kernel("Com>Acme>Elu", "CPU", elu_create, elu_compute, oribi_kit_free);
}
"""


class Ops(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, nodes, dims, weights):
        file = self.folder / "model.onnx"
        file.write_bytes(onnx.model(nodes, [onnx.info("x", X.shape)], [onnx.info("y", dims)], weights, 14, [MS, "com.acme"]))
        return file

    def command(self, *arguments):
        done = subprocess.run([ORIBI, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_host_computes_the_formula_and_emitted_c_what_the_host_does(self):
        np.save(self.folder / "x.npy", X)
        for op, domain, attributes, more, formula in CASES:
            with self.subTest(f"{op} {attributes}"):
                want = formula(X.astype(np.float64), *more)
                names = [f"w{i}" for i in range(len(more))]
                node = onnx.node(op, ["x", *names], ["y"], domain, **attributes)
                model = self.write([node], want.shape, [onnx.tensor(n, w) for n, w in zip(names, more)])
                for kernels in ([], ["--kernels", "micro"]):
                    self.command("run", model, "-i", f"x=@{self.folder}/x.npy", "-o", self.folder / "y.npy", "-f",
                                 *kernels)
                    np.testing.assert_allclose(np.load(self.folder / "y.npy"), want, rtol=3e-6, atol=1e-6)
                self.assertIn("equal bit for bit", self.command("verify", model, "--runs", "2"))

    def test_a_product_of_two_computed_sides_or_of_a_turned_one_has_its_bias_and_relu_behind(self):
        weights = np.random.default_rng(6).normal(size=(4, 3)).astype(np.float32)
        a, bias = X.reshape(4, 36), np.float32([0.5, -1, 2])
        given = [onnx.tensor("dims", np.int64([4, 36])), onnx.tensor("w", weights), onnx.tensor("first", np.int64([0, 1, 2])),
                 onnx.tensor("bias", bias)]
        flat, three = onnx.node("Reshape", ["x", "dims"], ["a"]), onnx.node("Gather", ["a", "first"], ["b"])
        np.save(self.folder / "x.npy", X)
        for turn, other, product in ((1, "w", a.T @ weights), (0, "b", a @ a[:3].T)):
            with self.subTest(f"transA {turn}, {other}"):
                nodes = [flat, three, onnx.node("Gemm", ["a", other, "bias"], ["c"], transA=turn, transB=1 - turn),
                         onnx.node("Relu", ["c"], ["y"])]
                model = self.write(nodes, product.shape, given)
                self.command("run", model, "--kernels", "micro", "-i", f"x=@{self.folder}/x.npy", "-o",
                             self.folder / "y.npy", "-f")
                np.testing.assert_allclose(np.load(self.folder / "y.npy"), np.maximum(product + bias, 0), rtol=1e-5, atol=1e-4)
                self.assertIn("equal bit for bit", self.command("verify", model, "--runs", "2"))

    def test_one_of_elements_takes_part_in_the_layout(self):
        taps = onnx.tensor("taps", np.ones((4, 4, 3, 3), np.float32))
        for op, domain, attributes, more, formula in CASES:
            if formula(X, *more).shape != X.shape:
                continue
            with self.subTest(f"{op} {attributes}"):
                names = [f"w{i}" for i in range(len(more))]
                nodes = [onnx.node("Conv", ["x", "taps"], ["a"], pads=[1, 1, 1, 1]),
                         onnx.node(op, ["a", *names], ["b"], domain, **attributes),
                         onnx.node("Conv", ["b", "taps"], ["y"], pads=[1, 1, 1, 1])]
                model = self.write(nodes, X.shape, [taps, *(onnx.tensor(n, w) for n, w in zip(names, more))])
                self.command("compile", model, "-o", self.folder / "c", "--name", "net", "--force")
                source = "".join(p.read_text() for p in (self.folder / "c").glob("*.c"))
                self.assertEqual(len(set(re.findall(r"transpose_\d+", source))), 2)  # of the input and the output

    def test_more_separate_axes_than_emitted_c_reduces_are_refused(self):
        x = np.ones((2,) * 14, np.float32)
        np.save(self.folder / "x.npy", x)
        node = onnx.node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)
        model = self.folder / "model.onnx"
        model.write_bytes(onnx.model([node], [onnx.info("x", x.shape)], [onnx.info("y", x.shape[:7])],
                                     [onnx.tensor("axes", np.arange(0, 14, 2))], 14))
        run = [ORIBI, "run", model, "-i", f"x=@{self.folder}/x.npy", "-o", self.folder / "y.npy"]
        subprocess.run(run, check=True, capture_output=True)
        np.testing.assert_array_equal(np.load(self.folder / "y.npy"), np.full(x.shape[:7], 128))
        done = subprocess.run([*run, "-f", "--kernels", "micro"], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("at most 6 separate axes", done.stderr)

    def test_an_op_of_a_plugin_is_not_taken_for_ours_of_that_name(self):
        (self.folder / "elu.c").write_text(PLUGIN)
        plugin = self.folder / "elu.so"
        subprocess.run(["gcc", "-shared", "-fPIC", f"-I{SOURCE}/include", self.folder / "elu.c", "-o", plugin], check=True)
        model = self.write([onnx.node("Elu", ["x"], ["y"], "com.acme")], X.shape, [])
        np.save(self.folder / "x.npy", X)
        self.command("run", model, "-p", plugin, "-i", f"x=@{self.folder}/x.npy", "-o", self.folder / "y.npy")
        np.testing.assert_array_equal(np.load(self.folder / "y.npy"), 3 * X)
        done = subprocess.run([ORIBI, "compile", model, "-p", plugin, "-o", self.folder / "c"], capture_output=True,
                              text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cannot be compiled to C yet", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
