#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi quantise`: is the int8 model as good as the float one? Judged by labels of pictures that nobody
trained with, by the float model, and by which kernels run.

usage: quantise_test.py ORIBI SOURCE BUILD"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import onnx_lite as o

ORIBI = os.path.abspath(sys.argv[1])
SOURCE = pathlib.Path(sys.argv[2]).resolve()
DIGITS = SOURCE / "examples/digits/digits.onnx"
SHARED = SOURCE.parent / "shared/models/onnx"
HELD_OUT = np.load(SOURCE / "examples/digits/held_out.npz")
RANDOM = np.random.default_rng(16)


class Quantise(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)

    def oribi(self, *args, code=0):
        got = subprocess.run([ORIBI, *map(str, args)], cwd=self.at, capture_output=True, text=True,
                             timeout=500, check=False)
        self.assertEqual(got.returncode, code, got.stdout + got.stderr)
        return got.stdout if code == 0 else got.stdout + got.stderr

    def quantise(self, model, *more, data="data", code=0):
        text = self.oribi("quantise", model, "--data", data, "-o", "q.onnx", "--force", "--json", *more, code=code)
        return json.loads(text) if code == 0 else text

    def save(self, arrays, data="data"):
        (self.at / data).mkdir()
        for i, array in enumerate(arrays):
            np.save(self.at / data / f"{i:03}.npy", array.astype("float32"))

    def ops(self, model="q.onnx"):
        return [s["op"] for s in json.loads(self.oribi("inspect", model, "--json"))["steps"]]

    def digits(self):
        self.save([(p / 255).reshape(1, 1, 8, 8) for p in HELD_OUT["pictures"]])

    def right(self, model):
        """How many of the held-out pictures get their label."""
        self.oribi("run", model, "-i", "0=@data/", "-o", "y-{}.npy", "--force")
        labels = HELD_OUT["labels"]
        return sum(np.load(self.at / f"y-{i}.npy").argmax() == labels[i] for i in range(len(labels)))

    def test_digits_are_told_as_well_by_each_calibration(self):
        self.digits()
        least = self.right(DIGITS) - len(HELD_OUT["labels"]) // 100
        for method in ("mse", "minmax", "percentile:99.99"):
            with self.subTest(method):
                told = self.quantise(DIGITS, "--calibrate", method, "--min-agreement", 99)
                self.assertEqual(359, told["outputs"][0]["rows"])
                self.assertGreaterEqual(self.right("q.onnx"), least)
        self.assertLess(told["bytes"], told["bytes_before"] / 2)
        values = {v["value"]: v for v in told["values"]}
        self.assertEqual(10, len(values))
        self.assertNotIn("snr_db", values.pop("picture"))  # it is what both models get
        self.assertGreater(min(v["snr_db"] for v in values.values()), 25)

    def test_layers_compute_integers_here_and_in_c(self):
        self.digits()
        self.quantise(DIGITS)
        ops = self.ops()
        self.assertEqual(7, ops.count("ONNX>QLinearConv2D"))
        self.assertLessEqual(set(ops), {"ONNX>QLinearConv2D", "ONNX>QLinearAdd", "ONNX>QLinearMaxPool",
                                        "ONNX>QuantizeLinear", "Reshape", "Transpose", "Softmax"})
        self.assertIn("equal bit for bit", self.oribi("verify", "q.onnx"))

    def test_public_models(self):
        if not SHARED.exists():
            self.skipTest("no ../shared")
        self.save([np.pad(np.kron(p, np.ones((3, 3))), 2).reshape(1, 1, 28, 28) for p in HELD_OUT["pictures"]], "mnist")
        smooth = [np.kron(RANDOM.normal(0, 0.4, (3, 15, 20)), np.ones((16, 16)))[None] for _ in range(6)]
        self.save(smooth, "faces")
        for model, data in (("mnist", "mnist"), ("ultraface_rfb320", "faces")):
            with self.subTest(model):
                self.quantise(SHARED / f"{model}.onnx", "--min-agreement", 99, data=data)
                self.assertNotIn("_FusedConv2D", self.ops())
                self.oribi("compile", "q.onnx", "-o", "c", "--force")

    def layered(self, nodes, weights, opset=13, x=(1, 3, 8, 8), y=(1, 8, 8, 8)):
        (self.at / "m.onnx").write_bytes(o.model(nodes, [o.info("x", x)], [o.info("y", y)], [
            o.tensor(name, np.asarray(w, "float32")) for name, w in weights.items()], opset=opset))
        self.save([RANDOM.normal(0, 1, x) for _ in range(8)])
        return "m.onnx"

    def filters(self, scale=1.0):
        # channels of very different sizes: one scale for all would lose the small ones
        return RANDOM.normal(0, 1, (8, 3, 3, 3)) * scale * np.logspace(-4, 0, 8).reshape(8, 1, 1, 1)

    def test_each_channel_has_its_scale(self):
        model = self.layered([o.node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
                              o.node("Mul", ["c", "f"], ["y"])],
                             {"w": self.filters(), "f": np.logspace(4, 0, 8).reshape(8, 1, 1)})
        told = self.quantise(model)
        self.assertGreater(told["outputs"][0]["snr_db"], 35)

    def test_what_follows_a_convolution_goes_into_it(self):
        for opset in (9, 13):
            with self.subTest(opset):
                model = self.layered(
                    [o.node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]),
                     o.node("BatchNormalization", ["c", "s", "t", "m", "v"], ["n"], epsilon=0.01),
                     o.node("Add", ["n", "a"], ["p"]), o.node("Relu", ["p"], ["y"])],
                    {"w": self.filters(), "b": RANDOM.normal(0, 1, 8), "s": RANDOM.uniform(-2, 2, 8),
                     "t": RANDOM.normal(0, 1, 8), "m": RANDOM.normal(0, 1, 8), "v": RANDOM.uniform(0.1, 2, 8),
                     "a": RANDOM.normal(0, 1, (8, 1, 1))}, opset)
                told = self.quantise(model)
                self.assertGreater(told["outputs"][0]["snr_db"], 30)
                self.assertEqual(1, self.ops().count("ONNX>QLinearConv2D"))
                self.assertFalse({"FusedBatchNormV3", "AddV2", "Mul", "Relu"} & set(self.ops()))
                for file in (self.at / "data").iterdir():
                    file.unlink()
                (self.at / "data").rmdir()

    def test_names_of_the_model_stay_its_own(self):
        model = self.layered([o.node("Conv", ["x", "w"], ["x_int8"], pads=[1, 1, 1, 1]),
                              o.node("Relu", ["x_int8"], ["x_scale"]),
                              o.node("Conv", ["x_scale", "w_int8"], ["y"])],
                             {"w": self.filters(), "w_int8": RANDOM.normal(0, 1, (8, 8, 1, 1))})
        self.assertGreater(self.quantise(model)["outputs"][0]["snr_db"], 25)
        self.assertEqual(2, self.ops().count("ONNX>QLinearConv2D"))

    def test_several_inputs_come_by_name(self):
        (self.at / "m.onnx").write_bytes(o.model(
            [o.node("MatMul", ["a", "w"], ["p"]), o.node("MatMul", ["b", "w"], ["q"]), o.node("Add", ["p", "q"], ["y"])],
            [o.info("a", [4, 6]), o.info("b", [4, 6])], [o.info("y", [4, 5])],
            [o.tensor("w", RANDOM.normal(0, 1, (6, 5)).astype("float32"))]))
        (self.at / "data").mkdir()
        for i in range(6):
            np.savez(self.at / f"data/{i}.npz", b=RANDOM.normal(0, 3, (4, 6)).astype("float32"),
                     a=RANDOM.normal(0, 1, (4, 6)).astype("float32"))
        self.assertGreater(self.quantise("m.onnx")["outputs"][0]["snr_db"], 30)

    def test_a_model_that_became_bad_is_exit_code_1(self):
        self.digits()
        self.quantise(DIGITS, "--calibrate", "percentile:1", "--min-agreement", 99, code=1)

    def test_what_cannot_be_done_is_refused_before_a_file_is_written(self):
        self.digits()
        model = self.layered_once()
        self.assertIn("no operator of floats", self.quantise(model, data="one", code=3))
        self.assertIn("no ONNX model", self.quantise(SOURCE / "examples/digits/digits_int8.tflite", code=3))
        self.quantise(DIGITS, data="none", code=4)
        np.save(self.at / "data/000.npy", np.full((1, 1, 8, 8), np.inf, "float32"))
        self.assertIn("000.npy", self.quantise(DIGITS, code=4))
        self.assertIn("--calibrate is", self.quantise(DIGITS, "--calibrate", "median", code=2))
        self.assertIn("--min-agreement needs", self.quantise(DIGITS, "--min-agreement", "101", code=2))
        self.assertFalse((self.at / "q.onnx").exists())
        (self.at / "q.onnx").write_text("mine")
        self.oribi("quantise", DIGITS, "--data", "data", "-o", "q.onnx", code=4)
        self.assertEqual("mine", (self.at / "q.onnx").read_text())

    def layered_once(self):
        (self.at / "m.onnx").write_bytes(o.model([o.node("Sin", ["x"], ["y"])], [o.info("x", [4])], [o.info("y", [4])]))
        self.save([np.zeros(4)], "one")
        return "m.onnx"


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
