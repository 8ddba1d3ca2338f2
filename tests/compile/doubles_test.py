#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What computes in double in emitted C: functions of one and of two elements, comparisons, bounds, reductions, softmax. The host says
what numpy says with all kernels, and emitted C what the host's `--kernels micro` say to the bit, here and on a microcontroller. What has no
kernel of doubles is refused by name.

    doubles_test.py ORIBI SOURCE_FOLDER"""
import math
import pathlib
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

RNG = np.random.default_rng(5)
X = RNG.normal(size=(3, 4, 5)) * 6
Y = RNG.normal(size=(4, 1)) * 2
NODE = onnx.node
KINDS = {np.dtype(np.float64): 11, np.dtype(np.bool_): 9, np.dtype(np.int64): 7}


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


UNARY = [  # operator, attributes, formula
    ("Abs", {}, np.abs), ("Ceil", {}, np.ceil), ("Cos", {}, np.cos), ("Elu", {}, lambda x: np.where(x < 0, np.expm1(x), x)),
    ("Erf", {}, np.vectorize(math.erf)), ("Exp", {}, np.exp), ("Floor", {}, np.floor),
    ("HardSwish", {}, lambda x: x * np.clip(x * float(np.float32(1 / 6)) + 0.5, 0, 1)), ("LeakyRelu", {"alpha": 0.25}, lambda x: np.where(x < 0, x * 0.25, x)),
    ("Neg", {}, np.negative), ("Reciprocal", {}, np.reciprocal), ("Relu", {}, lambda x: np.maximum(x, 0)), ("Round", {}, np.rint),
    ("Selu", {}, lambda x: 1.0507009873554805 * np.where(x < 0, 1.6732632423543772 * np.expm1(x), x)),
    ("Sigmoid", {}, lambda x: 1 / (1 + np.exp(-x))), ("Sign", {}, np.sign), ("Sin", {}, np.sin),
    ("Softplus", {}, lambda x: np.log1p(np.exp(x))), ("Softsign", {}, lambda x: x / (1 + np.abs(x))), ("Tanh", {}, np.tanh),
    ("Softmax", {"axis": -1}, softmax), ("LogSoftmax", {"axis": -1}, lambda x: np.log(softmax(x))),
    ("ReduceMax", {"axes": [1], "keepdims": 0}, lambda x: x.max(1)), ("ReduceMin", {"axes": [0, 2]}, lambda x: x.min((0, 2), keepdims=True)),
    ("ReduceMean", {"axes": [0]}, lambda x: x.mean(0, keepdims=True)), ("ReduceProd", {"axes": [2]}, lambda x: x.prod(2, keepdims=True)),
    ("ReduceL2", {"axes": [1, 2], "keepdims": 0}, lambda x: np.sqrt((x * x).sum((1, 2)))),
    ("ReduceL1", {"axes": [1, 2], "keepdims": 0}, lambda x: np.abs(x).sum((1, 2))),
]
POSITIVE = [("Log", {}, np.log), ("Sqrt", {}, np.sqrt)]  # of |x|
BINARY = [
    ("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply), ("Div", np.divide), ("Max", np.maximum), ("Min", np.minimum),
    ("PRelu", lambda x, y: np.where(x < 0, x * y, x)), ("Less", np.less), ("LessOrEqual", np.less_equal), ("Greater", np.greater),
    ("GreaterOrEqual", np.greater_equal), ("Equal", np.equal),
]


class Doubles(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def call(self, *arguments):
        return subprocess.run([ORIBI, *arguments], capture_output=True, text=True, timeout=600)

    def command(self, *arguments):
        done = self.call(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def write(self, nodes, inputs, wants, weights=()):
        file = self.folder / "model.onnx"
        file.write_bytes(onnx.model(nodes, [onnx.info(n, x.shape, 11) for n, x in inputs.items()],
                                    [onnx.info(n, y.shape, KINDS[y.dtype]) for n, y in wants.items()],
                                    [onnx.tensor(n, np.asarray(w)) for n, w in dict(weights).items()], 14))
        words = []
        for name, value in inputs.items():
            np.save(self.folder / f"{name}.npy", value)
            words += ["-i", f"{name}=@{self.folder}/{name}.npy"]
        return file, words

    def check(self, nodes, inputs, wants, weights=(), targets=()):
        wants = {n: np.asarray(y) for n, y in wants.items()}
        model, words = self.write(nodes, inputs, wants, weights)
        for kernels in ([], ["--kernels", "micro"]):
            self.command("run", model, *words, "-o", self.folder / "y.npz", "-f", *kernels)
            with np.load(self.folder / "y.npz") as got:
                for name, want in wants.items():
                    with self.subTest(f"{name} {kernels}"):
                        self.assertEqual(got[name].dtype, want.dtype)
                        np.testing.assert_allclose(got[name], want, rtol=3e-14, atol=1e-15)
        self.assertIn("equal bit for bit", self.command("verify", model, *words, "--runs", "2"))
        for target in targets:
            self.assertIn("equal bit for bit", self.command("verify", model, *words, "--runs", "0", "--target", target))

    def targets(self):
        return ["cortex-m4"] if shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm") else []

    def test_functions_of_one(self):
        nodes = [NODE(op, ["x"], [op.lower()], **attributes) for op, attributes, _ in UNARY] + [NODE("Abs", ["x"], ["p"])] + \
            [NODE(op, ["p"], [op.lower()], **attributes) for op, attributes, _ in POSITIVE]
        wants = {op.lower(): f(X) for op, _, f in UNARY} | {op.lower(): f(np.abs(X)) for op, _, f in POSITIVE}
        self.check(nodes, {"x": X}, wants, targets=self.targets())

    def test_functions_of_two_and_comparisons(self):
        for shapes, (a, b) in {"rows": (X, Y), "alone": (X, Y[0]), "turned": (Y, X), "equal": (X, np.where(X > 0, X, -X))}.items():
            with self.subTest(shapes):
                ops = [(op, f) for op, f in BINARY if op != "PRelu" or shapes != "turned"]
                self.check([NODE(op, ["x", "z"], [op.lower()]) for op, _ in ops], {"x": a, "z": b},
                           {op.lower(): f(a, b) for op, f in ops})

    def test_powers_bounds_and_choices(self):
        nodes = [NODE("Abs", ["x"], ["p"]), NODE("Pow", ["p", "z"], ["power"]), NODE("Clip", ["x", "low", "high"], ["clip"]),
                 NODE("Less", ["x", "z"], ["is"]), NODE("Where", ["is", "x", "z"], ["choice"]),
                 NODE("ArgMax", ["x"], ["best"], axis=1, keepdims=0)]
        low, high = np.float64(-1.1), np.float64(2.3)
        self.check(nodes, {"x": X, "z": Y}, {"power": np.abs(X) ** Y, "clip": np.clip(X, low, high), "choice": np.where(X < Y, X, Y),
                                             "best": X.argmax(1)}, {"low": low, "high": high}.items())

    def test_what_is_not_finite(self):
        x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e308, -1e308, 5e-324, 709.9, -745.2])
        with np.errstate(all="ignore"):
            wants = {op.lower(): f(x) for op, attributes, f in UNARY
                     if op in ("Abs", "Exp", "Floor", "Relu", "Sigmoid", "Tanh", "Elu", "Reciprocal", "Sin", "Cos")}
        wants["tanh"] = np.tanh(x)
        nodes = [NODE(op, ["x"], [op.lower()], **attributes) for op, attributes, _ in UNARY if op.lower() in wants]
        self.check(nodes, {"x": x}, wants)

    def test_what_has_no_kernel_of_doubles_is_refused_by_name(self):
        model, _ = self.write([NODE("MatMul", ["x", "w"], ["y"], name="product")], {"x": X}, {"y": np.zeros((3, 4, 2))},
                              {"w": np.ones((5, 2))}.items())
        done = self.call("compile", model, "-o", self.folder / "c")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, "'product'.*float")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
