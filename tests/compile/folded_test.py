#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models whose exporters left shapes, borders and conditions to be computed: what follows from the shapes of the inputs is no code any
more, and the rest is the host's to the bit. With what such models count with: integers of 64 bits, positions, blocks of pixels.

    folded_test.py ORIBI SOURCE_FOLDER"""
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

RNG = np.random.default_rng(11)
X = RNG.normal(size=(2, 3, 4, 5)).astype(np.float32)
FLOAT, INT32, INT64, BOOL, DOUBLE = 1, 6, 7, 9, 11
KINDS = {np.dtype(np.float32): FLOAT, np.dtype(np.int32): INT32, np.dtype(np.int64): INT64, np.dtype(np.bool_): BOOL,
         np.dtype(np.float64): DOUBLE}
FAR = np.float32([0, -0.0, 1e-9, 0.5, -1, 3.1415927, 1.5707964, -100.25, 8.1e6, 6.7e7, -6.8e7, 1e10, -3e20, 3.4e38, 5.3e-39])
COUNTS = np.array([0, 1, -1, 7, 1 << 40, -(1 << 62), (1 << 63) - 1, -(1 << 63), 40, 2], np.int64)


def ints(*values):
    return np.array(values, np.int64)


def nodes_of(op, names, **attributes):
    return [onnx.node(op, names, ["y"], **attributes)]


def padded(mode, pads, axes):
    """The pads come out of floats, which the importer does not see through."""
    nodes = [onnx.node("Add", ["half", "half"], ["sum"]), onnx.node("Cast", ["sum"], ["pads"], to=INT64),
             onnx.node("Pad", ["x", "pads", "value", "axes"], ["y"], mode=mode)]
    half = np.float32(pads)
    widths = [(0, 0)] * 4
    for i, axis in enumerate(axes):
        widths[axis] = (2 * pads[i], 2 * pads[i + len(axes)])
    more = {"constant_values": 2.5} if mode == "constant" else {}

    def answer(x):
        cut = tuple(slice(max(-b, 0), x.shape[i] + min(a, 0)) for i, (b, a) in enumerate(widths))
        return np.pad(x[cut], [(max(b, 0), max(a, 0)) for b, a in widths], mode, **more)
    return nodes, {"half": half, "value": np.float32([2.5])[0], "axes": ints(*axes)}, answer


def top(x, k, axis):
    order = np.argsort(-x, axis, kind="stable").take(range(k), axis)
    return np.take_along_axis(x, order, axis), order


def graph(nodes, outputs, weights=()):
    return b"".join([onnx.field(1, n) for n in nodes] + [onnx.field(2, "inner")] + [onnx.field(5, w) for w in weights] +
                    [onnx.field(12, o) for o in outputs])


def branch(name, nodes, output):
    """An attribute that is a graph."""
    return onnx.field(5, onnx.field(1, name) + onnx.field(6, graph(nodes, [onnx.info(output, [])])) + onnx.field(20, 5))


def chosen(size):
    """An If whose condition is whether the first dimension is `size`: known when the shapes are."""
    node = onnx.node("If", ["is"], ["y"]) + branch("then_branch", [onnx.node("Neg", ["x"], ["a"])], "a") + \
        branch("else_branch", [onnx.node("Exp", ["x"], ["b"]), onnx.node("Add", ["b", "half"], ["c"])], "c")
    return [onnx.node("Add", ["x", "x"], ["twice"]), onnx.node("Shape", ["twice"], ["s"]),
            onnx.node("Gather", ["s", "zero"], ["n"]), onnx.node("Equal", ["n", "size"], ["is"]), node], \
        {"zero": np.array(0), "size": np.array(size), "half": np.float32(0.5)}, \
        (lambda x: -x) if size == 2 else (lambda x: np.exp(x) + np.float32(0.5))


def branches(condition, yes, no):
    return onnx.node("If", [condition], ["y"]) + branch("then_branch", yes, "a") + branch("else_branch", no, "b")


def decided(nested):
    """A condition that the run computes; in one of its branches, where `nested`, another one."""
    inner = onnx.node("If", ["small"], ["b"]) + branch("then_branch", [onnx.node("Tanh", ["t"], ["c"])], "c") + \
        branch("else_branch", [onnx.node("Mul", ["t", "t"], ["q"]), onnx.node("Identity", ["q"], ["d"])], "d")
    no = [onnx.node("Exp", ["x"], ["t"]), inner if nested else onnx.node("Neg", ["t"], ["b"])]
    nodes = [onnx.node("ReduceMax", ["x"], ["top"], keepdims=0), onnx.node("Less", ["zero", "top"], ["is"]),
             onnx.node("Less", ["top", "limit"], ["small"]),
             branches("is", [onnx.node("Add", ["x", "x"], ["s"]), onnx.node("Sqrt", ["s"], ["a"])], no)]
    return nodes, {"zero": np.float32(0), "limit": np.float32(-2)}


def decide(x, nested):
    t = np.exp(x)
    return np.sqrt(x + x) if x.max() > 0 else -t if not nested else np.tanh(t) if x.max() < -2 else t * t


def impossible():
    """The other branch cannot run with this shape."""
    nodes, weights = decided(False)
    nodes[-1] = branches("is", [onnx.node("Neg", ["x"], ["a"])],
                         [onnx.node("Cast", ["sizes"], ["shape"], to=INT64), onnx.node("Reshape", ["flat", "shape"], ["r"]),
                          onnx.node("Add", ["x", "r"], ["b"])])
    return nodes, weights | {"flat": np.zeros(63, np.float32), "sizes": np.float32([9, 7])}


# name, input, nodes, weights, what numpy says
CASES = [
    ("depth to space", X.transpose(0, 3, 1, 2)[:, :4].copy(), nodes_of("DepthToSpace", ["x"], blocksize=2), {},
     lambda x: x.reshape(2, 2, 2, 1, 3, 4).transpose(0, 3, 4, 1, 5, 2).reshape(2, 1, 6, 8)),
    ("space to depth", X[:, :, :, :4].copy(), nodes_of("SpaceToDepth", ["x"], blocksize=2), {},
     lambda x: x.reshape(2, 3, 2, 2, 2, 2).transpose(0, 3, 5, 1, 2, 4).reshape(2, 12, 2, 2)),
    *[(f"pad {mode}", X, *padded(mode, pads, axes)) for mode in ("constant", "reflect", "edge", "wrap")
      for pads, axes in (((1, 0, 1, 1), (2, 3)), ((-1, 1, 1, 0), (3, 1)))],
    ("pad, what is cut away filled", X, *padded("constant", (-2, 3), (2,))),
    *[(f"{op} {axis}", X, nodes_of(op, ["x"], axis=axis, keepdims=0), {},
       lambda x, f=f, axis=axis: f(x, axis)) for op, f in (("ArgMax", np.argmax), ("ArgMin", np.argmin)) for axis in (1, -1)],
    ("top k", X, [onnx.node("TopK", ["x", "k"], ["y", "i"], axis=2)], {"k": ints(3)}, lambda x: top(x, 3, 2)[0]),
    ("places of top k", np.round(X), [onnx.node("TopK", ["x", "k"], ["v", "y"], axis=3)], {"k": ints(4)}, lambda x: top(x, 4, 3)[1]),
    ("sine", FAR, nodes_of("Sin", ["x"]), {}, lambda x: np.sin(x.astype(np.float64)).astype(np.float32)),
    ("cosine", FAR, nodes_of("Cos", ["x"]), {}, lambda x: np.cos(x.astype(np.float64)).astype(np.float32)),
    *[(f"{op} of int64", COUNTS, nodes_of(op, ["x", "w"]), {"w": COUNTS[::-1].copy()}, lambda x, f=f: f(x, COUNTS[::-1]))
      for op, f in (("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply), ("Less", np.less), ("Greater", np.greater),
                    ("Equal", np.equal), ("LessOrEqual", np.less_equal), ("Max", np.maximum), ("Min", np.minimum))],
    ("Equal of int32", COUNTS.astype(np.int32), nodes_of("Equal", ["x", "w"]), {"w": np.int32([7])}, lambda x: x == 7),
    ("int64 to bool", COUNTS, nodes_of("Cast", ["x"], to=BOOL), {}, lambda x: x != 0),
    ("int64 to float", COUNTS, nodes_of("Cast", ["x"], to=FLOAT), {}, lambda x: x.astype(np.float32)),
    ("int64 to double", COUNTS, nodes_of("Cast", ["x"], to=DOUBLE), {}, lambda x: x.astype(np.float64)),
    ("int64 to int32", COUNTS, nodes_of("Cast", ["x"], to=INT32), {}, lambda x: x.astype(np.int32)),
    ("float to int64", FAR, nodes_of("Cast", ["x"], to=INT64), {},
     lambda x: np.clip(x.astype(np.float64), -2.0 ** 63, 2.0 ** 63 - 1024).astype(np.int64) + 1023 * (x >= 2.0 ** 63)),
    ("float to bool", np.float32([0, -0.0, 1, -2, np.nan, 1e-45]), nodes_of("Cast", ["x"], to=BOOL), {}, lambda x: x.astype(bool)),
    ("rows by int64", ints(1, 0, 2, 2), nodes_of("Gather", ["w", "x"], axis=1), {"w": X}, lambda x: X.take(x, 1)),
    *[(f"if, size {size}", X, *chosen(size)) for size in (2, 5)],
    *[(f"if, {'nested, ' if nested else ''}{move}", np.abs(X) + np.float32(move) if move >= 0 else -np.abs(X) + np.float32(move + 0.5),
       *decided(nested), lambda x, nested=nested: decide(x, nested)) for nested in (False, True) for move in (1, -1, -9)],
    ("if, no way to the other branch", np.abs(X), *impossible(), lambda x: -x),
]


class Folded(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def command(self, *arguments):
        done = subprocess.run([ORIBI, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def write(self, x, nodes, weights, y):
        file = self.folder / "model.onnx"
        file.write_bytes(onnx.model(nodes, [onnx.info("x", x.shape, KINDS[x.dtype])], [onnx.info("y", y.shape, KINDS[y.dtype])],
                                    [onnx.tensor(n, np.asarray(w)) for n, w in weights.items()], 18))
        np.save(self.folder / "x.npy", x)
        return file

    def test_the_host_computes_what_numpy_does_and_emitted_c_the_same(self):
        for name, x, nodes, weights, answer in CASES:
            with self.subTest(name):
                want = np.asarray(answer(x))
                model = self.write(x, nodes, weights, want)
                x_word = f"x=@{self.folder}/x.npy"
                self.command("run", model, "-i", x_word, "-o", self.folder / "y.npy", "-f", "--kernels", "micro")
                got = np.load(self.folder / "y.npy")
                self.assertEqual(got.dtype, want.dtype)
                if want.dtype == np.float32:
                    np.testing.assert_allclose(got, want, rtol=2e-7 if "sine" in name else 3e-6, atol=1e-12)
                else:
                    np.testing.assert_array_equal(got, want)
                for weights_as in ("c", "bin") if name in ("if, nested, -1", "rows by int64") else ("c",):
                    told = self.command("verify", model, "-i", x_word, "--runs", "0", "--weights", weights_as)
                    self.assertIn("equal bit for bit", told)

    def test_a_condition_that_follows_from_shapes_leaves_its_branch_alone(self):
        for size, kept, gone in ((2, "neg_f32", "exp_f32"), (5, "exp_f32", "neg_f32")):
            nodes, weights, _ = chosen(size)
            model = self.write(X, nodes, weights, X)
            self.command("compile", model, "-o", self.folder / f"c{size}", "--name", "net")
            source = (self.folder / f"c{size}" / "tvmgen_net.c").read_text()
            self.assertIn(kept, source)
            self.assertNotIn(gone, source)

    def test_joins_that_need_not_run_leave_no_constants(self):
        nodes = [onnx.node("Exp", ["x"], ["a"]), onnx.node("Neg", ["x"], ["b"]), onnx.node("Concat", ["a", "b"], ["c"], axis=0),
                 onnx.node("Tanh", ["c"], ["d"]), onnx.node("Abs", ["c"], ["e"]), onnx.node("Concat", ["d", "e"], ["f"], axis=0),
                 onnx.node("Sqrt", ["f"], ["g"]), onnx.node("Exp", ["f"], ["h"]), onnx.node("Concat", ["g", "h"], ["i"], axis=0),
                 onnx.node("Neg", ["i"], ["y"])]
        model = self.write(X, nodes, {}, np.zeros((16, 3, 4, 5), np.float32))
        told = self.command("verify", model, "--runs", "1", "--weights", "incbin")
        self.assertIn("equal bit for bit", told)


del sys.argv[1:3]
unittest.main()
