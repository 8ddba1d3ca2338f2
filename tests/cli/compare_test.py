#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`oribi compare` and the tolerances of `oribi verify --against`, held against numbers made here:
what differs, where, by how much, and which value is the first.

usage: compare_test.py ORIBI SOURCE BUILD"""
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import onnx_lite as o

ORIBI = os.path.abspath(sys.argv[1])
SOURCE = pathlib.Path(sys.argv[2]).resolve()

# In place of a Python with ONNX Runtime: two modules that compute y = 2x + 1 for any model.
FAKE_RUNTIME = '''
import numpy
class SessionOptions: pass
class Port:
    def __init__(self, name): self.name = name
class InferenceSession:
    def __init__(self, model, options, providers):
        self.has_nodes = isinstance(model, bytes)
    def get_inputs(self): return [Port("x")]
    def get_outputs(self): return [Port("y")] + ([Port("m")] if self.has_nodes else [])
    def run(self, names, feeds):
        m = feeds["x"] * numpy.float32(2)
        return [m + numpy.float32(1), m][:len(names)]
'''


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)

    def oribi(self, *args, code=0, env=None):
        got = subprocess.run([ORIBI, *map(str, args)], cwd=self.at, capture_output=True, text=True,
                             timeout=300, check=False, env={**os.environ, **(env or {})})
        self.assertEqual(got.returncode, code, got.stdout + got.stderr)
        return got.stdout + got.stderr

    def affine(self, name, factor=2.0, names=("x", "m", "y"), term=1.0):
        x, m, y = names
        (self.at / name).write_bytes(o.model(
            [o.node("Mul", [x, "f"], [m]), o.node("Add", [m, "t"], [y])],
            [o.info(x, [2, 3])], [o.info(y, [2, 3])],
            [o.tensor("f", np.array([factor], "float32")),
             o.tensor("t", np.array([term], "float32"))]))
        return name

    def test_equal_models_agree_and_different_ones_are_named_with_the_place(self):
        a, b = self.affine("a.onnx"), self.affine("b.onnx", 2.5)
        self.assertIn("output 'y' f32 2x3 is the same", self.oribi("compare", a, a))

        said = self.oribi("compare", a, b, "-i", "x=2x3xf32=0,0,0,0,1,0", code=1)

        self.assertIn("differs in 1 of 6 elements, most at 4: 3 for 3.5 (largest difference 0.5", said)
        self.assertIn("relative 0.143, 2097152 ulp", said)

    def test_limits_say_what_agrees(self):
        a = self.affine("a.onnx")
        x = np.arange(6, dtype="float32").reshape(2, 3)
        golden = 2 * x + 1
        golden[1, 1] = np.nextafter(golden[1, 1], np.float32(100))
        np.savez(self.at / "g.npz", x=x, y=golden)
        for limits, code in (((), 0), (("--ulp", 0), 1), (("--ulp", 1), 0), (("--rtol", 0), 0),
                             (("--rtol", 0, "--atol", 0), 1), (("--rtol", 1e-6, "--atol", 0), 0)):
            with self.subTest(limits):
                self.oribi("compare", a, "g.npz", *limits, code=code)
        self.assertIn("needs a number from 0 on", self.oribi("compare", a, a, "--rtol", "x", code=2))
        self.assertIn("needs a number from 0 on", self.oribi("compare", a, a, "--atol", "-1", code=2))

    def test_nan_is_nan_and_an_infinity_has_a_sign(self):
        def ends(name, values):
            np.savez(self.at / name, y=np.array(values, "float32"))
            return name
        a = ends("a.npz", [np.nan, np.inf, 1])
        self.oribi("compare", a, ends("b.npz", [np.nan, np.inf, 1]))
        self.assertIn("differs in 1 of 3", self.oribi("compare", a, ends("c.npz", [np.nan, -np.inf, 1]), code=1))
        self.assertIn("differs in 1 of 3", self.oribi("compare", a, ends("d.npz", [0, np.inf, 1]), code=1))

    def test_whole_numbers_are_the_same_or_within_what_is_asked_for(self):
        big = 1 << 53
        np.savez(self.at / "a.npz", i=np.array([big, 7], "int64"), q=np.array([1, 2], "int8"))
        np.savez(self.at / "b.npz", i=np.array([big + 1, 7], "int64"), q=np.array([1, 3], "int8"))
        said = self.oribi("compare", "a.npz", "b.npz", code=1)
        self.assertIn(f"output 'i' i64 2 differs in 1 of 2 elements, most at 0: {big} for {big + 1}", said)
        self.assertIn("output 'q' i8 2 differs in 1 of 2 elements, most at 1: 2 for 3", said)
        self.oribi("compare", "a.npz", "b.npz", "--atol", 1)

    def test_other_shapes_types_and_names_are_no_agreement(self):
        np.savez(self.at / "a.npz", y=np.zeros((2, 3), "float32"))
        np.savez(self.at / "b.npz", y=np.zeros((3, 2), "float32"))
        np.savez(self.at / "c.npz", y=np.zeros((2, 3), "float64"))
        np.savez(self.at / "d.npz", y=np.zeros((2, 3), "float32"), z=np.zeros(1))
        np.savez(self.at / "e.npz", u=np.zeros((2, 3)), v=np.zeros(1))
        self.assertIn("its shape is another", self.oribi("compare", "a.npz", "b.npz", code=1))
        self.assertIn("its type is another", self.oribi("compare", "a.npz", "c.npz", code=1))
        self.assertIn("output 'z' is in d.npz alone", self.oribi("compare", "d.npz", "a.npz"))
        self.assertIn("no output in common", self.oribi("compare", "a.npz", "e.npz", code=4))

    def test_names_of_another_tool_are_taken_by_number(self):
        a, b = self.affine("a.onnx"), self.affine("b.onnx", names=("in", "mid", "out"))
        self.assertIn("is the same", self.oribi("compare", a, b))

    def test_the_first_divergence_is_named_with_what_is_before_it(self):
        def chain(name, factor):
            nodes = [o.node("Mul", ["x", "two"], ["p"]), o.node("Mul", ["p", "f"], ["q"], name="guilty"),
                     o.node("Mul", ["q", "two"], ["r"])]
            (self.at / name).write_bytes(o.model(
                nodes, [o.info("x", [4])], [o.info("r", [4])],
                [o.tensor("two", np.array([2], "float32")), o.tensor("f", np.array([factor], "float32"))]))
            return name
        said = self.oribi("compare", chain("a.onnx", 3), chain("b.onnx", 4), "--per-node", code=1)
        self.assertIn("nodes: 3 values compared, 2 differ", said)
        self.assertIn("first divergence: value 'q'", said)
        self.assertIn("of node 'guilty'  after 'p', which agrees", said)

    def test_sides_have_options_of_their_own(self):
        a = self.affine("a.onnx")
        self.oribi("compare", a, "--b", "--kernels micro --threads 1", "--a", "--disable-pass fuse")
        self.assertIn("is of both sides", self.oribi("compare", a, "--b", "--rtol 1", code=2))
        self.assertIn("takes options", self.oribi("compare", a, "--b", "more", code=2))
        self.assertIn("has no effect on", self.oribi("compare", a, "g.npz", "--b", "-t 1", code=2))
        self.assertIn("wants two of", self.oribi("compare", a, code=2))

    def test_several_runs_have_other_inputs(self):
        a, b = self.affine("a.onnx"), self.affine("b.onnx", 3.0)
        rows = json.loads(self.oribi("compare", a, b, "--runs", 3, "--json", code=1))
        self.assertEqual([r["name"] for r in rows], ["y"] * 3)
        self.assertEqual(len({r["a"] for r in rows}), 3)
        self.assertTrue(all(not r["agrees"] and r["differing"] > 0 for r in rows))

    def runtime(self):
        """A python3 that finds the modules above."""
        (self.at / "fake").mkdir()
        (self.at / "fake" / "onnxruntime.py").write_text(FAKE_RUNTIME)
        (self.at / "fake" / "onnx.py").write_text(
            "class ValueInfoProto:\n    def __init__(self, name): self.name = name\n"
            "class Graph: output = []; node = []\n"
            "class Model:\n    graph = Graph\n    def SerializeToString(self): return b''\n"
            "def load(path): return Model()\n")
        program = self.at / "python"
        program.write_text(f"#!/bin/sh\nPYTHONPATH={self.at}/fake exec {sys.executable} \"$@\"\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return program

    def test_onnxruntime_is_a_side(self):
        python = self.runtime()
        a, b = self.affine("a.onnx"), self.affine("b.onnx", term=1.5)
        self.assertIn("is the same", self.oribi("compare", a, "onnxruntime", "--python", python))
        said = self.oribi("compare", b, "onnxruntime", "--python", python, "--per-node", code=1)
        self.assertIn("nodes: 2 values compared, 1 differ", said)
        self.assertIn("first divergence: value 'y'", said)

    def test_where_it_is_absent_the_message_says_what_to_do(self):
        a = self.affine("a.onnx")
        said = self.oribi("compare", a, "onnxruntime", "--python", self.at / "none", code=3)
        self.assertIn("is not there; name a Python that has numpy, onnxruntime", said)
        empty = self.at / "empty"
        empty.write_text("#!/bin/sh\necho 'No module named onnxruntime' >&2\nexit 9\n")
        empty.chmod(0o755)
        self.assertIn("lacks a package", self.oribi("compare", a, "onnxruntime", "--python", empty, code=3))
        self.assertIn("runs the model that the first argument names",
                      self.oribi("compare", "onnxruntime", a, code=2))

    def test_verify_meets_floats_within_limits(self):
        digits = SOURCE / "examples/digits/digits.onnx"
        rng = np.random.default_rng(5)
        x = rng.random((1, 1, 8, 8), dtype="float32")
        info = json.loads(subprocess.run([ORIBI, "inspect", digits, "--json"], capture_output=True, text=True,
                                         check=True).stdout)
        port = info["inputs"][0]
        np.save(self.at / "x.npy", rng.random(port["shape"], dtype="float32"))
        self.oribi("run", digits, "-i", f"{port['name']}=@x.npy", "-o", "y.npz")
        y = dict(np.load(self.at / "y.npz"))
        name = next(iter(y))
        y[name] = np.nextafter(y[name], np.float32(10))
        np.savez(self.at / "g.npz", **{port["name"]: np.load(self.at / "x.npy"), **y})
        self.oribi("verify", digits, "--runs", 0, "--against", "g.npz", "--rtol", 1e-4)
        said = self.oribi("verify", digits, "--runs", 0, "--against", "g.npz", "--ulp", 0, code=1)
        self.assertIn("differs in", said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
