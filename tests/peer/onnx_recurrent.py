#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random LSTM, GRU, RNN and com.microsoft:DynamicQuantizeLSTM operators, computed by Oribi and by ONNX Runtime: directions, lengths, layouts,
activations with their numbers, optional inputs and outputs, clips, batches, constant and computed weights.

    onnx_recurrent.py ORIBI [CASES [FIRST_SEED]]     # an interpreter with numpy, onnx and onnxruntime
    onnx_recurrent.py ORIBI --one SEED               # one case, which is stored as /tmp/onnx_recurrent.onnx

Prints each case that differs, then how many agree. What the peer does not have is computed by what it has: layout 1 by
layout 0 with tensors turned, double by float."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
FUNCTIONS = {"LSTM": 3, "GRU": 2, "RNN": 1}
PLAIN = ("Sigmoid", "Tanh", "Relu", "Softsign", "Softplus")
WITH_ALPHA = ("LeakyRelu", "ThresholdedRelu", "Elu")
WITH_BOTH = ("Affine", "ScaledTanh", "HardSigmoid")
ONE_OF = {TensorProto.FLOAT: np.float32, TensorProto.DOUBLE: np.float64}
onnxruntime.set_default_logger_severity(4)


def activations(rng, count):
    names = [str(rng.choice(PLAIN + WITH_ALPHA + WITH_BOTH)) for _ in range(count)]
    alphas = [round(float(rng.uniform(0.1, 0.9)), 3) for name in names if name in WITH_ALPHA + WITH_BOTH]
    betas = [round(float(rng.uniform(0.1, 0.9)), 3) for name in names if name in WITH_BOTH]
    return {"activations": names, **({"activation_alpha": alphas} if alphas else {}),
            **({"activation_beta": betas} if betas else {})}


class Case:
    def __init__(self, seed):
        rng = np.random.default_rng([seed, 14])
        self.op = str(rng.choice(list(GATES)))
        self.kind = TensorProto.DOUBLE if rng.random() < 0.1 else TensorProto.FLOAT
        real = ONE_OF[self.kind]
        self.layout = int(rng.random() < 0.3)
        direction = str(rng.choice(["forward", "reverse", "bidirectional"]))
        d = 2 if direction == "bidirectional" else 1
        sizes = [1, 2, 3, 5, 8, 17, 33] if rng.random() < 0.9 else [64, 100, 130]
        h, c = int(rng.choice(sizes)), int(rng.choice(sizes))
        steps, batch = int(rng.choice([1, 2, 3, 7, 20, 61])), int(rng.choice([1, 1, 2, 3, 9, 30]))
        rows = GATES[self.op] * h
        self.attributes = {"direction": direction, "hidden_size": h}
        if rng.random() < 0.4:
            self.attributes.update(activations(rng, d * FUNCTIONS[self.op]))
            steps = min(steps, 5)  # those without a bound grow without one
        if rng.random() < 0.3:
            self.attributes["clip"] = round(float(rng.uniform(0.2, 2.0)), 2)
        if self.op == "LSTM" and rng.random() < 0.2:
            self.attributes["input_forget"] = 1
        if self.op == "GRU" and rng.random() < 0.5:
            self.attributes["linear_before_reset"] = 1

        def values(*shape, scale=1.0):
            return (rng.standard_normal(shape) * scale).astype(real)

        spread = 1.0 / np.sqrt(h + c)
        given = [values(steps, batch, c), values(d, rows, c, scale=spread), values(d, rows, h, scale=spread)]
        given.append(values(d, 2 * rows) if rng.random() < 0.7 else None)
        lengths = rng.integers(0 if rng.random() < 0.3 else 1, steps + 1, batch).astype(np.int32)
        given.append(lengths if rng.random() < 0.4 else None)
        given.append(values(d, batch, h) if rng.random() < 0.5 else None)
        if self.op == "LSTM":
            given.append(values(d, batch, h) if rng.random() < 0.5 else None)
            given.append(values(d, 3 * h) if rng.random() < 0.4 else None)
        self.given = given
        names = ["y", "y_h"] + (["y_c"] if self.op == "LSTM" else [])
        self.outputs = [name if rng.random() < 0.75 else "" for name in names]
        if not any(self.outputs):
            self.outputs[0] = "y"
        self.constant = rng.random() < 0.7
        self.unknown = rng.random() < 0.3
        self.dynamic = self.op == "LSTM" and self.kind == TensorProto.FLOAT and rng.random() < 0.4
        if self.dynamic:
            self.layout, self.constant = 0, True
            if batch > 1 and self.outputs[0] == "":
                given[4] = None  # without y the peer lets rows that have ended take part in the range of each step
            self.attributes = {k: v for k, v in self.attributes.items() if not k.startswith("activation")}
            self.bytes = {}
            kind, each = (np.int8, np.uint8)[int(rng.integers(2))], rng.random() < 0.3
            for i in (1, 2):
                scale = (np.abs(given[i]).max() / 100 * rng.uniform(0.5, 1, (d, rows if each else 1))).astype(real)
                zero = rng.integers(-9, 9, scale.shape) * (not each) + (0 if kind == np.int8 else 128) * (not each)
                places = np.round(given[i].swapaxes(1, 2) / scale[:, None]) + zero[:, None]
                low, high = np.iinfo(kind).min, np.iinfo(kind).max
                shape = scale.shape if each else (d,)
                self.bytes[i] = [np.clip(places, low, high).astype(kind), scale.reshape(shape),
                                 zero.astype(kind).reshape(shape)]

    def turned(self, i, value):
        """An input of layout 0 as layout 1 has it."""
        return np.ascontiguousarray(value.swapaxes(0, 1)) if i in (0, 5, 6) else value

    def model(self, layout, kind):
        inputs, constants, names, feeds = [], [], [], {}
        for i, value in enumerate(self.given):
            name = f"i{i}" if value is not None else ""
            names.append(name)
            if value is None:
                continue
            value = self.turned(i, value) if layout else value
            value = value if i == 4 else value.astype(ONE_OF[kind])
            if self.constant and i in (1, 2, 3, 7):
                constants.append(numpy_helper.from_array(value, name))
                continue
            shape = list(value.shape)
            if self.unknown and i in (0, 5, 6):
                shape = ["s", "b", shape[2]] if i == 0 else [None, None, shape[2]]
            inputs.append(helper.make_tensor_value_info(name, TensorProto.INT32 if i == 4 else kind, shape))
            feeds[name] = value
        if self.dynamic:
            names += [""] * (8 - len(names)) + ["s1", "z1", "s2", "z2"]
            constants = [c for c in constants if c.name not in ("i1", "i2")]
            for i, (places, scale, zero) in self.bytes.items():
                constants += [numpy_helper.from_array(v, n + str(i)) for n, v in zip("isz", (places, scale, zero))]
        while names[-1] == "":
            names.pop()
        outputs = list(self.outputs)
        while outputs[-1] == "":
            outputs.pop()
        name = {True: {"op_type": "DynamicQuantizeLSTM", "domain": "com.microsoft"}, False: {"op_type": self.op}}
        node = helper.make_node(**name[self.dynamic], inputs=names, outputs=outputs, **self.attributes, **({"layout": 1} if layout else {}))
        infos = [helper.make_tensor_value_info(name, kind, None) for name in outputs if name]
        graph = helper.make_graph([node], "g", inputs, infos, constants)
        return helper.make_model(graph, ir_version=8,
                                 opset_imports=[helper.make_opsetid("", 14), helper.make_opsetid("com.microsoft", 1)]), feeds

    def expected(self):
        model, feeds = self.model(0, TensorProto.FLOAT)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        names = [output.name for output in session.get_outputs()]
        results = dict(zip(names, session.run(None, feeds)))
        if self.layout:
            for name in results:
                results[name] = results[name].transpose(2, 0, 1, 3) if name == "y" else results[name].swapaxes(0, 1)
        return {name: value.astype(ONE_OF[self.kind]) for name, value in results.items()}


def compute(oribi, model, feeds, folder):
    path = folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    command = [oribi, "run", str(path), "-t", "1", "-f", "-o", str(folder / "y.npz")]
    for name, value in feeds.items():
        np.save(folder / f"{name}.npy", value)
        command += ["-i", f"{name}=@{folder / name}.npy"]
    done = subprocess.run(command + EXTRA, capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip()
    return dict(np.load(folder / "y.npz")), ""


def difference(case, oribi, folder):
    """"": they agree."""
    model, feeds = case.model(case.layout, case.kind)
    wanted = case.expected()
    got, message = compute(oribi, model, feeds, folder)
    if got is None:
        return message
    for name, value in wanted.items():
        if got[name].shape != value.shape or got[name].dtype != value.dtype:
            return f"{name}: {got[name].dtype} {got[name].shape} instead of {value.dtype} {value.shape}"
        largest = np.max(np.abs(value), initial=1.0)  # some activations have no bound, and so sums cancel
        if not largest < 1e6:
            return ""
        near = 2e-2 if case.dynamic else 1e-4  # a step of 1 / 255 goes the other way at times
        if not np.allclose(got[name], value, rtol=1e-3, atol=near * largest, equal_nan=True):
            return f"{name}: differs by {np.nanmax(np.abs(got[name] - value))}"
    return ""


def main():
    oribi = sys.argv[1]
    one = "--one" in sys.argv
    numbers = [int(a) for a in sys.argv[2:] if a.isdigit()]
    count, first = (1, numbers[0]) if one else (numbers[0] if numbers else 300, numbers[1] if len(numbers) > 1 else 0)
    agree = refused = 0
    with tempfile.TemporaryDirectory() as name:
        for seed in range(first, first + count):
            case = Case(seed)
            if one:
                pathlib.Path("/tmp/onnx_recurrent.onnx").write_bytes(case.model(case.layout, case.kind)[0].SerializeToString())
            try:
                said = difference(case, oribi, pathlib.Path(name))
            except onnxruntime.capi.onnxruntime_pybind11_state.Fail as error:
                refused += 1
                print(f"{seed} {'dynamic ' * case.dynamic}{case.op} {case.attributes}: the peer refuses: {str(error)[:200]}")
                continue
            agree += said == ""
            if said:
                there = [i for i, v in enumerate(case.given) if v is not None]
                print(f"{seed} {'dynamic ' * case.dynamic}{case.op} {case.attributes} layout {case.layout} inputs {there} "
                      f"{case.given[0].shape}: {said}")
    print(f"{agree} of {count} agree, {refused} refused by the peer")
    return 0 if agree + refused == count and agree > 0 else 1


EXTRA = ["--kernels", "micro"] if "--micro" in sys.argv else []
if __name__ == "__main__":
    sys.exit(main())
