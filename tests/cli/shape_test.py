#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models whose inputs have open sizes: --shape reaches the importer, in every command that opens a model.

    shape_test.py ORIBI SOURCE_FOLDER BUILD_FOLDER
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx_lite as o

ORIBI, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
from build import Builder  # noqa: E402
OPEN = ["n", 2, "h", "w"]


def transposed(x, weights):
    """A transposed convolution, 2 x 2 at stride 2: every pixel becomes a square of its own."""
    y = np.einsum("nchw,cokl->nohkwl", x, weights)
    n, c, h, k, w, m = y.shape
    return y.reshape(n, c, h * k, w * m)


class Shapes(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def oribi(self, *args, code=0):
        done = subprocess.run([ORIBI, *map(str, args)], capture_output=True, cwd=self.folder, env=os.environ,
                              timeout=300)
        self.out, self.err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, code, f"{args}\n{self.out}\n{self.err}")
        return self.out

    def write(self, name, nodes, weights=(), shape=OPEN):
        path = self.folder / f"{name}.onnx"
        path.write_bytes(o.model(nodes, [o.info("x", shape)], [o.info("y", OPEN)], weights))
        return path

    def upsampler(self):
        """An operator whose translation wants sizes."""
        self.weights = np.random.default_rng(1).standard_normal((2, 3, 2, 2)).astype(np.float32)
        return self.write("up", [o.node("ConvTranspose", ["x", "w"], ["y"], strides=[2, 2])],
                          [o.tensor("w", self.weights)])

    def run_model(self, model, x, *options):
        np.save(self.folder / "x.npy", x)
        self.oribi("run", model, "-i", "0=@x.npy", "-o", "y.npy", "--force", *options)
        return np.load(self.folder / "y.npy")

    def test_inputs_alone_tell_shapes(self):
        model = self.upsampler()
        for shape in ((1, 2, 3, 5), (2, 2, 1, 4)):
            x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
            np.testing.assert_allclose(self.run_model(model, x), transposed(x, self.weights), rtol=1e-5, atol=1e-6)
        self.assertIn("waits_for_shapes", self.oribi("inspect", model, "--json", "--steps"))
        self.oribi("compile", model, "-o", "c", code=4)
        self.assertIn("--shape NAME=", self.err)

    def test_tflite_inputs_may_be_resized(self):
        for default, others in ((4, (4, 9)), (1, (3, 9))):  # of 1 there is no window
            b = Builder("MAX_POOL_2D", "f32", 0)
            x = b.input([1, default, default, 2])
            b.graph.tensors[x].signature = [1, -1, default, 2] if default == 4 else [1, -1, -1, 2]
            b.op("MAX_POOL_2D", [x], [b.output([1, 2, 2, 2])], padding="VALID", filter_h=3, filter_w=3, stride_h=1,
                 stride_w=1, activation="NONE")
            model = self.folder / f"pool{default}.tflite"
            model.write_bytes(b.model())
            for height in others:
                width = 4 if default == 4 else height
                x = np.random.default_rng(4).standard_normal((1, height, width, 2)).astype(np.float32)
                want = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2)).max((-1, -2))
                np.testing.assert_array_equal(self.run_model(model, x), want)
                np.testing.assert_array_equal(self.run_model(model, x, "--shape", f"x0=1x{height}x{width}x2"), want)
                self.oribi("verify", model, "--shape", f"x0=1x{height}x{width}x2", "--runs", "1")
            self.oribi("run", model, "-i", "x0=ramp", "--shape", "x0=1x4x4x3", code=4)

    def test_a_shape_is_known_before_nodes_are_translated(self):
        model = self.upsampler()
        x = np.random.default_rng(2).standard_normal((1, 2, 3, 5)).astype(np.float32)
        np.testing.assert_allclose(self.run_model(model, x, "--shape", "x=1x2x3x5"), transposed(x, self.weights),
                                   rtol=1e-5, atol=1e-6)
        self.oribi("bench", model, "--shape", "x=1x2x3x5", "--runs", "1")
        self.assertIn("Conv2DBackpropInput", self.oribi("inspect", model, "--shape", "x=1x2x3x5", "--steps"))

    def test_compile_takes_shapes_and_verify_gives_them_to_both(self):
        model = self.upsampler()
        self.oribi("compile", model, "--shape", "x=1x2x3x5", "-o", "c")
        header = (self.folder / "c/tvmgen_up.h").read_text()
        self.assertIn("X_SHAPE {1, 2, 3, 5}", header)
        self.assertIn("Y_SHAPE {1, 3, 6, 10}", header)
        self.assertIn("equal bit for bit", self.oribi("verify", model, "--shape", "x=1x2x3x5", "--runs", "2"))

    def test_groups_are_computed_with_and_without_sizes(self):
        weights = np.random.default_rng(5).standard_normal((4, 3, 2, 2)).astype(np.float32)
        model = self.write("groups", [o.node("ConvTranspose", ["x", "w"], ["y"], strides=[2, 2], group=2)],
                           [o.tensor("w", weights)], ["n", 4, "h", "w"])
        x = np.random.default_rng(6).standard_normal((2, 4, 3, 2)).astype(np.float32)
        want = np.concatenate([transposed(x[:, g:g + 2], weights[g:g + 2]) for g in (0, 2)], 1)
        np.testing.assert_allclose(self.run_model(model, x), want, rtol=1e-5, atol=1e-6)
        self.assertIn("ONNX>ConvTranspose", self.oribi("inspect", model, "--steps"))  # at once: it asks for no sizes
        self.oribi("verify", model, "--shape", "x=2x4x3x2", "--runs", "2")

    def test_a_claim_of_the_file_gives_a_rank_that_does_not_follow(self):
        nodes = [o.node("NonZero", ["s"], ["t"]), o.node("Squeeze", ["t", "zero"], ["u"]),
                 o.node("Reshape", ["x", "u"], ["v"]), o.node("Transpose", ["v"], ["y"])]
        x, s = np.arange(12, dtype=np.float32), np.float32([0, 0, 0, 1, 1])  # to 3 x 4
        np.save(self.folder / "x.npy", x)
        np.save(self.folder / "s.npy", s)
        for rank, code in ((2, 0), (3, 4), (None, 3)):
            info = [] if rank is None else [o.info("v", [f"d{i}" for i in range(rank)])]
            model = self.folder / "claim.onnx"
            model.write_bytes(o.model(nodes, [o.info("x", [12]), o.info("s", [5])], [o.info("y", ["a", "b"])],
                                      [o.tensor("zero", np.int64([0]))], infos=info))
            self.oribi("run", model, "-i", "x=@x.npy", "-i", "s=@s.npy", "-o", "y.npy", "--force", code=code)
            if code == 0:
                np.testing.assert_array_equal(np.load(self.folder / "y.npy"), x.reshape(3, 4).T)

    def test_a_later_shape_counts_and_a_contradiction_is_named(self):
        model = self.upsampler()
        x = np.ones((1, 2, 1, 1), np.float32)
        self.run_model(model, x, "--shape", "x=1x2x9x9", "--shape", "x=1x2x1x1")
        for command in (["run", "-i", "x=ramp"], ["compile", "-o", "c"]):
            self.oribi(command[0], model, *command[1:], "--shape", "x=1x3x4x4", code=4)
            self.assertIn("the shape [1,3,4,4] given for input 'x' contradicts the model's shape [?,2,?,?]", self.err)
            self.oribi(command[0], model, *command[1:], "--shape", "X=1x2x4x4", code=4)
            self.assertIn("no input 'X'; did you mean 'x'?", self.err)
        for text in ("x", "x=", "=1", "x=1xx2", "x=-1", "x=1x99999999999", "x=" + "x".join(["1"] * 17)):
            self.oribi("compile", model, "--shape", text, "-o", "c", code=2)

    def test_of_several_models_each_takes_the_shapes_of_its_inputs(self):
        up, twice = self.upsampler(), self.write("twice", [o.node("Add", ["x", "x"], ["y"])])
        self.oribi("compile", up, twice, "--shape", "x=1x2x2x2", "-o", "c")
        self.oribi("compile", up, twice, "--shape", "x=1x2x2x2", "--shape", "z=1", "-o", "d", code=4)
        self.assertIn("--shape z=1: none of the models has such an input", self.err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
