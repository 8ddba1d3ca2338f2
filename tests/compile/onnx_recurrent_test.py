#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX's LSTM, GRU and RNN: the host against numpy's formulas, emitted C against the host to the bit, over directions,
layouts, lengths, states, peepholes, functions and outputs that are absent.

    onnx_recurrent_test.py ORIBI SOURCE_FOLDER"""
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

STEPS, BATCH, FEATURES, UNITS = 5, 3, 4, 6
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
ALL = ("b", "lengths", "h", "c", "p")
FUNCTIONS = {
    "Sigmoid": lambda x, a, b: 1 / (1 + np.exp(-x)),
    "Tanh": lambda x, a, b: np.tanh(x),
    "Relu": lambda x, a, b: np.maximum(x, 0),
    "Affine": lambda x, a, b: a * x + b,
    "LeakyRelu": lambda x, a, b: np.where(x < 0, a * x, x),
    "ThresholdedRelu": lambda x, a, b: np.where(x > a, x, 0),
    "ScaledTanh": lambda x, a, b: a * np.tanh(b * x),
    "HardSigmoid": lambda x, a, b: np.clip(a * x + b, 0, 1),
    "Elu": lambda x, a, b: np.where(x < 0, a * np.expm1(x), x),
    "Softsign": lambda x, a, b: x / (1 + np.abs(x)),
    "Softplus": lambda x, a, b: np.log1p(np.exp(x)),
}
DEFAULTS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}
TAKES = {"Affine": (1, 1), "LeakyRelu": (1, 0), "ThresholdedRelu": (1, 0), "ScaledTanh": (1, 1), "HardSigmoid": (1, 1),
         "Elu": (1, 0)}

# operator, attributes, inputs beyond x, w and r, outputs
CASES = [
    ("LSTM", {}, (), "y"),
    ("LSTM", {"direction": "bidirectional", "clip": 0.5}, ALL, "y y_h y_c"),
    ("LSTM", {"direction": "reverse", "layout": 1, "input_forget": 1}, ALL, "- y_h"),
    ("LSTM", {"direction": "bidirectional", "activations": ["HardSigmoid", "Softsign", "Elu", "Sigmoid", "ScaledTanh", "Relu"],
              "activation_alpha": [0.25, 0.5, 0.75], "activation_beta": [0.5, 0.75]}, ("b", "c"), "y - y_c"),
    ("GRU", {"layout": 1}, ("h",), "y y_h"),
    ("GRU", {"direction": "bidirectional", "linear_before_reset": 1}, ALL, "y y_h"),
    ("GRU", {"direction": "reverse", "clip": 0.75, "activations": ["Sigmoid", "LeakyRelu"], "activation_alpha": [0.5]},
     ("b", "lengths"), "y"),
    ("RNN", {"direction": "reverse"}, ALL, "y y_h"),
    ("RNN", {"direction": "bidirectional", "layout": 1, "activations": ["Affine", "Softplus"], "activation_alpha": [0.25],
             "activation_beta": [0.5]}, ("b",), "- y_h"),
    ("RNN", {"activations": ["ThresholdedRelu"], "activation_alpha": [0.125]}, ("h",), "y"),
]


def functions(op, attributes, directions):
    """Of each direction a list; without alphas and betas they are not asked for here."""
    names = attributes.get("activations", DEFAULTS[op] * directions)
    alphas, betas = iter(attributes.get("activation_alpha", [])), iter(attributes.get("activation_beta", []))
    made = []
    for name in names:
        a, b = (next(of) if takes else 0 for of, takes in zip((alphas, betas), TAKES.get(name, (0, 0))))
        made.append(lambda x, f=FUNCTIONS[name], a=a, b=b: f(x, a, b))
    each = len(names) // directions
    return [made[i * each:][:each] for i in range(directions)]


def one_row(op, attributes, apply, x, w, r, b, h, c, p):
    """The outputs of one sequence in one direction, and the last states."""
    limit = attributes.get("clip", np.inf)
    flag = attributes.get("input_forget", 0) or attributes.get("linear_before_reset", 0)
    wb, rb = b.reshape(2, -1)
    f = [lambda v, k=k: apply[k](np.clip(v, -limit, limit)) for k in range(len(apply))]
    y = []
    for row in x:
        if op == "LSTM":
            i, o, g, u = (w @ row + wb + r @ h + rb).reshape(4, -1)
            pi, po, pf = p.reshape(3, -1)
            i = f[0](i + pi * c)
            c, old = (1 - i if flag else f[0](g + pf * c)) * c + i * f[1](u), c
            h = f[0](o + po * c) * apply[2](c)
        elif op == "GRU":
            n = len(h)
            z, s = f[0]((w @ row + wb)[:2 * n] + (r @ h + rb)[:2 * n]).reshape(2, -1)
            own = s * (r @ h + rb)[2 * n:] if flag else r[2 * n:] @ (s * h) + rb[2 * n:]
            h = z * h + (1 - z) * f[1]((w @ row + wb)[2 * n:] + own)
        else:
            h = f[0](w @ row + wb + r @ h + rb)
        y.append(h)
    return y, h, c


def formula(op, attributes, v):
    """y, y_h, y_c in layout 0."""
    d = len(v["w"])
    y, last_h, last_c = np.zeros((STEPS, d, BATCH, UNITS)), np.zeros((d, BATCH, UNITS)), np.zeros((d, BATCH, UNITS))
    apply = functions(op, attributes, d)
    for k in range(d):
        back = k == 1 or attributes.get("direction") == "reverse"
        for n, length in enumerate(v["lengths"]):
            x = v["x"][:length, n]
            out, h, c = one_row(op, attributes, apply[k], x[::-1] if back else x, v["w"][k], v["r"][k], v["b"][k],
                                v["h"][k, n], v["c"][k, n], v["p"][k])
            if length:
                y[:length, k, n] = out[::-1] if back else out
                last_h[k, n], last_c[k, n] = h, c
    return {"y": y, "y_h": last_h, "y_c": last_c}


def rounded(v):
    """On the nearest of 256 places of its range, in which 0 is."""
    low, high = min(v.min(initial=0), 0), max(v.max(initial=0), 0)
    scale = np.float32(high - low) / np.float32(255) if low < high else np.float32(1)
    zero = np.rint(-low / scale)
    return (np.clip(np.rint(v / scale) + zero, 0, 255) - zero) * scale


def dynamic(attributes, v):
    """What DynamicQuantizeLSTM gives: y, y_h, y_c; all rows of a direction are rounded together in each step."""
    d, lengths = len(v["w"]), v["lengths"]
    y, last_h, last_c = np.zeros((STEPS, d, BATCH, UNITS)), np.zeros((d, BATCH, UNITS)), np.zeros((d, BATCH, UNITS))
    x, apply = rounded(v["x"][:max(lengths)]), functions("LSTM", attributes, d)
    for k in range(d):
        back = k == 1 or attributes.get("direction") == "reverse"
        h, c = ([np.where(length > 0, s, 0) for length, s in zip(lengths, v[name][k])] for name in "hc")
        for step in range(STEPS):
            product = rounded(np.array([h[n] * (step <= lengths[n]) for n in range(BATCH)]))
            for n, length in enumerate(lengths):
                if step < length:
                    at = length - 1 - step if back else step
                    sums = v["b"][k].reshape(2, -1).sum(0) + v["r"][k] @ product[n]
                    # the sums of the hidden values stand in the biases: these are rounded, those that the cell keeps are not
                    _, h[n], c[n] = one_row("LSTM", attributes, apply[k], x[at:at + 1, n], v["w"][k], v["r"][k] * 0,
                                            np.concatenate([sums, sums * 0]), h[n], c[n], v["p"][k])
                    y[at, k, n] = h[n]
        last_h[k], last_c[k] = h, c
    return {"y": y, "y_h": last_h, "y_c": last_c}


class Recurrent(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def command(self, *arguments):
        done = subprocess.run([ORIBI, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def values(self, op, attributes, there):
        rng = np.random.default_rng(7)
        d, rows = 2 if attributes.get("direction") == "bidirectional" else 1, GATES[op] * UNITS
        shapes = {"x": (STEPS, BATCH, FEATURES), "w": (d, rows, FEATURES), "r": (d, rows, UNITS), "b": (d, 2 * rows),
                  "h": (d, BATCH, UNITS), "c": (d, BATCH, UNITS), "p": (d, 3 * UNITS)}
        v = {k: rng.uniform(-0.5, 0.5, s).astype(np.float32) for k, s in shapes.items()}
        v.update({k: v[k] * 0 for k in "bhcp" if k not in there})
        v["lengths"] = np.int32([2, 5, 0] if "lengths" in there else [STEPS] * BATCH)
        return v

    def write(self, op, attributes, there, outputs, v, opset=14):
        names = ["x", "w", "r", "b", "lengths", "h"] + (["c", "p"] if op == "LSTM" else [])
        d = len(v["w"])
        infos = []
        for k in names:
            if k in ("x", "h", "c") and (k == "x" or k in there):
                infos.append(onnx.info(k, v[k].shape))
            elif k == "lengths" and k in there:
                infos.append(onnx.info(k, v[k].shape, 6))
        node = onnx.node(op, [k if k in ("x", "w", "r") or k in there else "" for k in names],
                         [o if o != "-" else "" for o in outputs.split()], name="node", hidden_size=UNITS, **attributes)
        shapes = {"y": (STEPS, d, BATCH, UNITS), "y_h": (d, BATCH, UNITS), "y_c": (d, BATCH, UNITS)}
        if attributes.get("layout"):
            shapes = {"y": (BATCH, STEPS, d, UNITS), "y_h": (BATCH, d, UNITS), "y_c": (BATCH, d, UNITS)}
        file = self.folder / "model.onnx"
        file.write_bytes(onnx.model([node], infos, [onnx.info(o, shapes[o]) for o in outputs.split() if o != "-"],
                                    [onnx.tensor(k, v[k]) for k in ("w", "r", "b", "p") if k in "wr" or
                                     (k in there and k in names)], opset))
        return file

    def test_the_host_computes_the_formulas_and_emitted_c_what_the_host_does(self):
        for op, attributes, there, outputs in CASES:
            with self.subTest(f"{op} {attributes} {there} {outputs}"):
                v = self.values(op, attributes, there)
                want = formula(op, attributes, v)
                if attributes.get("layout"):
                    v.update({k: v[k].swapaxes(0, 1).copy() for k in "xhc"})
                    want = {k: w.transpose(2, 0, 1, 3) if k == "y" else w.swapaxes(0, 1) for k, w in want.items()}
                model = self.write(op, attributes, there, outputs, v)
                given = []
                for k in ("x", "lengths", "h", "c"):
                    if k == "x" or (k in there and (k != "c" or op == "LSTM")):
                        np.save(self.folder / f"{k}.npy", v[k])
                        given += ["-i", f"{k}=@{self.folder}/{k}.npy"]
                for kernels in ([], ["--kernels", "micro"], ["--kernels", "micro-fma"]):
                    self.command("run", model, *given, "-o", self.folder / "y.npz", "-f", *kernels)
                    got = np.load(self.folder / "y.npz")
                    for k in got:
                        np.testing.assert_allclose(got[k], want[k], rtol=2e-5, atol=2e-6)
                for fused in ([], ["--fma"]):
                    self.assertIn("equal bit for bit", self.command("verify", model, "--runs", "0", *given, *fused))

    def test_rounded_products(self):
        """com.microsoft's DynamicQuantizeLSTM, with one scale of a direction's weights."""
        for attributes, there in [({}, ()), ({"direction": "bidirectional", "clip": 0.5}, ALL), ({"direction": "reverse"}, ("b", "lengths"))]:
            with self.subTest(f"{attributes} {there}"):
                v = self.values("LSTM", attributes, there)
                d, rng = len(v["w"]), np.random.default_rng(8)
                scales = rng.uniform(0.004, 0.006, d).astype(np.float32)
                bytes_of, zeros = {}, {"w": rng.integers(-5, 5, d).astype(np.int8), "r": rng.integers(100, 140, d).astype(np.uint8)}
                for k, low, high in (("w", -128, 128), ("r", 0, 256)):
                    b = rng.integers(low, high, v[k].swapaxes(1, 2).shape).astype(zeros[k].dtype)
                    bytes_of[k] = b
                    v[k] = ((b.astype(np.float32) - zeros[k][:, None, None]) * scales[:, None, None]).swapaxes(1, 2)
                inputs = ["x", "w", "r"] + [k if k in there else "" for k in ("b", "lengths", "h", "c", "p")] + ["s", "wz", "s", "rz"]
                node = onnx.node("DynamicQuantizeLSTM", inputs, ["y", "y_h", "y_c"], "com.microsoft", hidden_size=UNITS, **attributes)
                given, infos = [], []
                for k in ("x", "lengths", "h", "c"):
                    if k == "x" or k in there:
                        np.save(self.folder / f"{k}.npy", v[k])
                        given += ["-i", f"{k}=@{self.folder}/{k}.npy"]
                        infos.append(onnx.info(k, v[k].shape, 6 if k == "lengths" else 1))
                weights = [onnx.tensor(k, bytes_of[k]) for k in "wr"] + [onnx.tensor(k, v[k]) for k in "bp" if k in there] + \
                    [onnx.tensor("s", scales), onnx.tensor("wz", zeros["w"]), onnx.tensor("rz", zeros["r"])]
                want = dynamic(attributes, v)
                model = self.folder / "model.onnx"
                model.write_bytes(onnx.model([node], infos, [onnx.info(k, want[k].shape) for k in want], weights, 14, ["com.microsoft"]))
                for kernels in ([], ["--kernels", "micro"]):
                    self.command("run", model, *given, "-o", self.folder / "y.npz", "-f", *kernels)
                    got = np.load(self.folder / "y.npz")
                    for k in got:  # a sum near the middle of two places may go to the other one
                        np.testing.assert_allclose(got[k], want[k], atol=5e-3)
                self.assertIn("equal bit for bit", self.command("verify", model, "--runs", "0", *given))

    def test_what_is_wrong_is_said(self):
        for attributes, there, words in [({"direction": "sideways"}, (), "the direction must be"),
                                         ({"activations": ["Sigmoid", "Tanh", "Sine"]}, (), "no activation 'Sine'"),
                                         ({"activations": ["Sigmoid"]}, (), "1 activations, there must be 3"),
                                         ({"clip": -1.0}, (), "must be above 0"),
                                         ({"layout": 2}, (), "must be 0 or 1")]:
            with self.subTest(words):
                model = self.write("LSTM", attributes, there, "y", self.values("LSTM", {}, there))
                done = subprocess.run([ORIBI, "inspect", model], capture_output=True, text=True)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
