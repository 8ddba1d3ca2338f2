#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LSTM models that are not as they should be are refused with the reason, and damaged ones survived.

    lstm_test.py ORIBI VECTORS_RUN SOURCE_FOLDER"""
import pathlib
import struct
import subprocess
import sys
import tempfile

BATCH, STEPS, FEATURES, UNITS = 2, 3, 4, 5


def build(kind="i8", change=None, drop=(), n_inputs=24, between=5, **options):
    """change(tensors) may spoil the tensors, which are named as in tensors() below; drop: inputs to leave out."""
    is_float, bias_kind = kind == "f32", {"f32": "f32", "i8": "i32", "i16": "i64"}[kind]
    weight_kind = "f32" if is_float else "i8"
    rng = np.random.default_rng(1)

    def tensor(name, shape, of, scale=None, data=True, variable=False):
        value = rng.integers(-9, 9, shape).astype(DTYPES[of]) if data else None
        zero = None if is_float or scale is None else 0
        return model.Tensor(name, shape, of, value, None if is_float else scale, zero, 0, variable)

    inputs = {0: tensor("x", [BATCH, STEPS, FEATURES], kind, 0.05, False)}
    for gate in range(4):
        inputs[1 + gate] = tensor(f"w{gate}", [UNITS, FEATURES], weight_kind, 0.01)
        inputs[5 + gate] = tensor(f"r{gate}", [UNITS, UNITS], weight_kind, 0.02)
        inputs[12 + gate] = tensor(f"b{gate}", [UNITS], bias_kind, 0.0005)
    inputs[18] = tensor("hidden", [BATCH, UNITS], kind, 1 / 128, False, True)
    inputs[19] = tensor("cell", [BATCH, UNITS], "f32" if is_float else "i16", 2.0 ** -11, False, True)
    tensors = {t.name: t for t in inputs.values()}
    if change is not None:
        change(tensors)
    for name, t in tensors.items():  # what was added: "9" is input 9
        if name.isdigit():
            inputs[int(name)] = t
    graph = model.Graph()
    ids = {i: graph.add(t) for i, t in inputs.items() if i not in drop}
    y = graph.add(model.Tensor("y", [BATCH, STEPS, UNITS], kind, None, None if is_float else 1 / 128, 0))
    graph.inputs, graph.outputs = [ids[0]], [y]
    inner = [graph.add(model.Tensor(f"i{k}", [0], kind, None, 1 / 128, 0)) for k in range(between)]
    graph.op("UNIDIRECTIONAL_SEQUENCE_LSTM", [ids.get(i, -1) for i in range(n_inputs)], [y], inner,
             **{"activation": "TANH", **options})
    return model.write(graph)


def spoil(name, **fields):
    def change(tensors):
        for key, value in fields.items():
            setattr(tensors[name], key, value)
    return change


def add(number, shape):
    return lambda tensors: tensors.update(
        {str(number): model.Tensor(f"t{number}", shape, "i8", np.ones(shape, np.int8), 0.1, 0)})


def add_float(number, shape):
    return lambda tensors: tensors.update(
        {str(number): model.Tensor(f"t{number}", shape, "f32", np.ones(shape, np.float32))})


def full(tensors):
    """Every form at once, but for coupled gates."""
    for number, shape in ((9, [UNITS]), (10, [UNITS]), (11, [UNITS]), (16, [UNITS, UNITS]), (17, [UNITS]),
                          *((20 + g, [UNITS]) for g in range(4))):
        add_float(number, shape)(tensors)


def refusals():
    """(model, variant, words of the refusal)"""
    two = {"scales": np.float32([0.1, 0.2]), "zeros": np.int64([0, 0])}
    cases = [
        ({"n_inputs": 23}, "tflm", "23 inputs; it must have 20 or 24"),
        ({"change": add(10, [UNITS])}, "tflm", "peepholes from the cell"),
        ({"change": add(16, [UNITS, UNITS])}, "tflm", "a projection of the output"),
        ({"change": add(21, [UNITS])}, "tflm", "layer normalisation"),
        ({"drop": (1, 5, 12)}, "tflm", "coupled to the forget gate"),
        ({"drop": (13,)}, "tflm", "input 13 is required"),
        ({"drop": (18,)}, "tflm", "input 18 is required"),
        ({"kind": "f32", "change": add_float(10, [UNITS])}, "tflm", "input 9 is required"),
        ({"kind": "f32", "change": add_float(20, [UNITS])}, "tflm", "input 21 is required"),
        ({"kind": "f32", "change": add_float(17, [UNITS])}, "tflm", "input 16 is required"),
        ({"kind": "f32", "change": add_float(16, [UNITS, UNITS + 1])}, "tflm",
         f"input 16 must be a constant of {UNITS} rows and {UNITS} columns"),
        ({"kind": "f32", "change": add_float(16, [UNITS, UNITS]), "proj_clip": -1.0}, "tflm", "a clip of the projection"),
        ({"kind": "f32", "drop": (1,)}, "tflm", "input 5 is there, which does not go"),
        ({"kind": "f32", "drop": (1, 5, 12), "change": spoil("r2", shape=[UNITS * UNITS])}, "tflm",
         "input 7 must be a constant"),
        ({"activation": "RELU"}, "tflm", "an activation other than TANH"),
        ({"change": spoil("w2", kind="f32", data=np.ones([UNITS, FEATURES], np.float32))}, "tflm",
         "input 3 of type float"),
        ({"kind": "f32", "change": spoil("r1", kind="i8", data=np.ones([UNITS, UNITS], np.int8))}, "tflm",
         "input 6 of type int8"),
        ({"change": spoil("w0", data=None)}, "tflm", "input"),
        ({"change": spoil("w0", shape=[FEATURES, UNITS])}, "tflm",
         f"input 1 must be a constant of {UNITS} rows and {FEATURES} columns"),
        ({"change": spoil("b3", shape=[UNITS, 1])}, "tflm", "input 15 must be a constant"),
        ({"change": spoil("x", shape=[BATCH * STEPS, FEATURES])}, "tflm", "an input of 2 dimensions"),
        ({"cell_clip": -1.0}, "tflm", "a clip of -1"),
        ({"cell_clip": float("nan")}, "tflm", "a clip of"),
        ({"change": spoil("cell", shape=[BATCH * UNITS])}, "tflm", "the states must have the shape"),
        ({"change": spoil("cell", shape=[BATCH, UNITS + 1])}, "tflm", "input 1 must be a constant of 6 rows"),
        ({"change": spoil("hidden", shape=[BATCH + 1, UNITS])}, "tflm", "Dimensions must be equal"),
        ({"change": spoil("hidden", variable=False)}, "tflm", "no operator before this one makes input"),
        ({"change": spoil("w1", **two)}, "tflm", "one scale"),
        ({"change": spoil("w1", zeros=np.int64([3]))}, "tflm", "weights with a zero point"),
        ({"change": spoil("cell", zeros=np.int64([3]))}, "tflm", "a cell state with a zero point"),
        ({"change": spoil("cell", scales=np.float32([16.0]))}, "tflm", "outside its range"),
        ({"change": spoil("b0", data=np.full(UNITS, 2 ** 31 - 1, np.int32))}, "tflm", "could leave 32 bits"),
        ({"kind": "i16", "change": spoil("b0", data=np.full(UNITS, 2 ** 60, np.int64))}, "tflm", "could leave"),
        ({"kind": "i16", "change": spoil("x", zeros=np.int64([3]))}, "tflm", "outside its range"),
        ({"kind": "i16"}, "tflite", "LSTM of int16 is not supported in the variant tflite"),
        ({"between": 4}, "tflite", "five intermediate tensors; there are 4"),
        ({"change": spoil("cell", scales=np.float32([2.0 ** -8]))}, "tflite", "outside its range"),
    ]
    return [(build(**options), variant, words) for options, variant, words in cases]


def damaged(data):
    """The model with a byte changed, for each third byte of what is not weights, and cut short."""
    out = [data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1:] for at in range(0, len(data), 3)]
    return out + [data[:at] for at in range(0, len(data), 97)]


def main():
    oribi, vectors_run = sys.argv[1:3]
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def compile_it(data, variant):
            (folder / "model.tflite").write_bytes(data)
            return subprocess.run([oribi, "compile", folder / "model.tflite", "-o", folder / "c", "--force",
                                   "--tflite-variant", variant], capture_output=True, text=True)

        for kind, change in (("f32", None), ("f32", full), ("i8", None), ("i16", None)):
            done = compile_it(build(kind, change), "tflm")
            header = (folder / "c/tvmgen_model.h").read_text() if done.returncode == 0 else done.stderr
            if "struct tvmgen_model_state {" not in header:
                print(f"the good model of {kind}: {header[:2000]}")
                bad += 1
        for data, variant, words in refusals():
            done = compile_it(data, variant)
            if done.returncode == 0 or words not in done.stderr or "lstm" not in done.stderr.lower():
                print(f"exit {done.returncode}, wanted '{words}', got: {done.stderr}")
                bad += 1
        models = damaged(build()) + damaged(build("f32", full))[::3]
        jobs = struct.pack("<I", len(models)) + b"".join(
            struct.pack("<ffII", 0, 0, 1, len(m)) + m + struct.pack("<II", 0, 0) for m in models)
        (folder / "jobs").write_bytes(jobs)
        done = subprocess.run([vectors_run, folder / "jobs", folder, "tflm"], capture_output=True, text=True)
        print(f"{len(models)} damaged models: exit {done.returncode}")
        if done.returncode != 0 or "fails" not in done.stdout:
            print(done.stdout[-500:], done.stderr[-3000:])
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(sys.argv[3]) / "tests/peer/tflite"))
    import model
    import numpy as np
    from build import DTYPES
    sys.exit(main())
