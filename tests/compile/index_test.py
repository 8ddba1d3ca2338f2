#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What picks, places and orders by index: the host against numpy, emitted C against the host to the bit. Indices are constants of
int32 and int64, counted from either end, or computed.

    index_test.py ORIBI SOURCE_FOLDER"""
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
X = RNG.normal(size=(3, 4, 5)).astype(np.float32)
U = RNG.normal(size=(2, 4, 5)).astype(np.float32)
PLACES = RNG.integers(-3, 3, U.shape)
PAIRS = np.array([[0, 1], [2, -1], [0, 1], [-2, 0]])
ROWS = RNG.normal(size=(4, 5)).astype(np.float32)
MEET = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
FLOAT, INT32 = 1, 6


def scattered(x, how):
    y = x.copy()
    at = np.indices(PLACES.shape)
    MEET[how].at(y, (PLACES, at[1], at[2]), U)
    return y


def scattered_pairs(x, how):
    y = x.copy()
    MEET[how].at(y, tuple(PAIRS.T), ROWS)
    return y


def put(x, places, updates):
    y = x.copy()
    np.put_along_axis(y, places, updates, 1)
    return y


def reversed_to(x, lengths, batch, time):
    y = np.moveaxis(x, (batch, time), (0, 1)).copy()
    for i, n in enumerate(lengths):
        y[i, :n] = y[i, :n][::-1].copy()
    return np.moveaxis(y, (0, 1), (batch, time))


ONCE = np.stack([RNG.permutation(4)[:2] for _ in range(15)]).reshape(3, 5, 2).transpose(0, 2, 1)
HOT = np.array([[0, -1, 7], [2, -4, 3]])
OFF_ON = np.float32([-2, 5])

# operator, opset, attributes, constants behind x, what numpy says
CASES = [
    ("GatherElements", 13, {"axis": 0}, [PLACES], lambda x: np.take_along_axis(x, PLACES, 0)),
    ("GatherElements", 13, {"axis": -1}, [PLACES[:, :2].astype(np.int32)],
     lambda x: np.take_along_axis(x[:2, :2], PLACES[:, :2], -1)),
    ("GatherND", 13, {}, [PAIRS], lambda x: x[tuple(PAIRS.T)]),
    ("GatherND", 13, {"batch_dims": 1}, [np.array([[[0], [3]], [[-1], [1]], [[2], [2]]])],
     lambda x: np.stack([x[0, [0, 3]], x[1, [-1, 1]], x[2, [2, 2]]])),
    *[("ScatterElements", 18, {"axis": 0, "reduction": how}, [PLACES, U], lambda x, how=how: scattered(x, how))
      for how in MEET],
    ("ScatterElements", 18, {"axis": 1}, [ONCE, X[:, :2]], lambda x: put(x, ONCE, X[:, :2])),
    *[("ScatterND", 18, {"reduction": how}, [PAIRS, ROWS], lambda x, how=how: scattered_pairs(x, how)) for how in MEET],
    ("ScatterND", 18, {}, [PAIRS[1:], ROWS[1:]], lambda x: scattered_to(x)),
    *[("Trilu", 14, {"upper": upper}, [np.array(k)], lambda x, k=k, upper=upper: (np.triu if upper else np.tril)(x, k))
      for upper in (0, 1) for k in (-9, 0, 2)],
    *[("CumSum", 14, {"exclusive": e, "reverse": r}, [np.array(1)], lambda x, e=e, r=r: sums(x, e, r))
      for e in (0, 1) for r in (0, 1)],
    ("ReverseSequence", 10, {"time_axis": 0, "batch_axis": 1}, [np.array([3, 0, 1, 2])],
     lambda x: reversed_to(x, [3, 0, 1, 2], 1, 0)),
    ("ReverseSequence", 10, {"time_axis": 1, "batch_axis": 0}, [np.array([4, 2, 0])],
     lambda x: reversed_to(x, [4, 2, 0], 0, 1)),
]


def scattered_to(x):
    y = x.copy()
    y[tuple(PAIRS[1:].T)] = ROWS[1:]
    return y


def sums(x, exclusive, reverse):
    x = x[:, ::-1] if reverse else x
    y = np.cumsum(x, 1) - (x if exclusive else 0)
    return y[:, ::-1] if reverse else y


class Indices(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def command(self, *arguments):
        done = subprocess.run([ORIBI, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def agrees(self, model, x, want, tolerance):
        file = self.folder / "model.onnx"
        file.write_bytes(model)
        np.save(self.folder / "x.npy", x)
        self.command("run", file, "-i", f"x=@{self.folder}/x.npy", "-o", self.folder / "y.npy", "-f")
        np.testing.assert_allclose(np.load(self.folder / "y.npy"), want, rtol=tolerance, atol=tolerance)
        self.assertIn("equal bit for bit", self.command("verify", file, "--runs", "2"))

    def test_constant_indices(self):
        for op, opset, attributes, more, formula in CASES:
            with self.subTest(f"{op} {attributes} {[m.dtype for m in more]}"):
                names = [f"w{i}" for i in range(len(more))]
                want = formula(X)
                self.agrees(onnx.model([onnx.node(op, ["x", *names], ["y"], **attributes)], [onnx.info("x", X.shape)],
                                       [onnx.info("y", want.shape)],
                                       [onnx.tensor(n, w) for n, w in zip(names, more)], opset), X, want, 2e-6)

    def test_integers_wrap_and_compare(self):
        x = RNG.integers(-2**31, 2**31, X.shape).astype(np.int32)
        updates = RNG.integers(-2**31, 2**31, U.shape).astype(np.int32)
        for how, meet in MEET.items():
            want, at = x.copy(), np.indices(PLACES.shape)
            with np.errstate(over="ignore"):
                meet.at(want, (PLACES, at[1], at[2]), updates)
            node = onnx.node("ScatterElements", ["x", "i", "u"], ["y"], axis=0, reduction=how)
            self.agrees(onnx.model([node], [onnx.info("x", x.shape, INT32)], [onnx.info("y", x.shape, INT32)],
                                   [onnx.tensor("i", PLACES), onnx.tensor("u", updates)], 18), x, want, 0)
        node = onnx.node("CumSum", ["x", "axis"], ["y"], reverse=1)
        self.agrees(onnx.model([node], [onnx.info("x", x.shape, INT32)], [onnx.info("y", x.shape, INT32)],
                               [onnx.tensor("axis", np.array(2))], 14), x,
                    np.cumsum(x[..., ::-1], 2, dtype=np.int32)[..., ::-1], 0)

    def test_one_hot(self):
        for axis in (-1, 0, 1):
            want = np.moveaxis(np.where(np.arange(4) == np.where(HOT < 0, HOT + 4, HOT)[..., None], 5, -2), -1, axis)
            nodes = [onnx.node("OneHot", ["i", "depth", "values"], ["hot"], axis=axis),
                     onnx.node("Mul", ["hot", "x"], ["y"])]
            x = RNG.normal(size=want.shape).astype(np.float32)
            self.agrees(onnx.model(nodes, [onnx.info("x", want.shape)], [onnx.info("y", want.shape)],
                                   [onnx.tensor("i", HOT), onnx.tensor("depth", np.array(4)), onnx.tensor("values", OFF_ON)],
                                   13), x, want * x, 1e-6)

    def test_computed_indices(self):
        """Of int32, cut from floats: x is clipped to what there is, from both ends."""
        x = RNG.uniform(-3, 2.9, (2, 4)).astype(np.float32)
        data, places = ROWS[:3, :4], x.astype(np.int32)
        weights = [onnx.tensor("low", np.float32(-3).reshape(())), onnx.tensor("high", np.float32(2.5).reshape(())),
                   onnx.tensor("data", data), onnx.tensor("depth", np.array(3)), onnx.tensor("values", OFF_ON)]
        before = [onnx.node("Clip", ["x", "low", "high"], ["c"]), onnx.node("Cast", ["c"], ["i"], to=INT32)]
        hot = np.where(np.arange(3) == np.where(places < 0, places + 3, places)[..., None], 5, -2)
        for node, want in ((onnx.node("GatherElements", ["data", "i"], ["y"], axis=0), np.take_along_axis(data, places, 0)),
                           (onnx.node("OneHot", ["i", "depth", "values"], ["y"]), hot)):
            self.agrees(onnx.model([*before, node], [onnx.info("x", x.shape)], [onnx.info("y", want.shape)], weights, 13),
                        x, want, 0)

    def test_what_is_not_there_is_refused(self):
        model = self.folder / "model.onnx"
        model.write_bytes(onnx.model([onnx.node("GatherElements", ["x", "i"], ["y"])], [onnx.info("x", (3, 2))],
                                     [onnx.info("y", (1, 2))], [onnx.tensor("i", np.array([[0, 3]]))], 13))
        np.save(self.folder / "x.npy", np.zeros((3, 2), np.float32))
        for command in (["run", model, "-i", f"x=@{self.folder}/x.npy"], ["compile", model, "-o", self.folder / "c"]):
            done = subprocess.run([ORIBI, *command], capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("y", done.stderr)
        done = subprocess.run([ORIBI, "run", model, "-i", f"x=@{self.folder}/x.npy"], capture_output=True, text=True)
        self.assertIn("indices[1] = 3 is outside [-3, 3), dimension 0", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
