#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random ConvTranspose nodes, with every attribute, against ONNX Runtime: of one to three axes, with groups, of sizes
that the model says or leaves open, on the host and in emitted C. Skipped (77) without onnx and onnxruntime.

    conv_transpose.py ORIBI [--cases 150] [--seed 0]"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

onnxruntime.set_default_logger_severity(4)


def make(rng):
    """A model and an input, or None where the sizes leave nothing."""
    axes, group = int(rng.integers(1, 4)), int(rng.choice([1, 1, 2, 3]))
    inner, outer = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    sizes, kernel = [int(v) for v in rng.integers(1, 7, axes)], [int(v) for v in rng.integers(1, 5, axes)]
    attributes = {"group": group}
    strides = dilations = [1] * axes
    if rng.random() < 0.8:
        attributes["strides"] = strides = [int(v) for v in rng.integers(1, 4, axes)]
    if rng.random() < 0.4:
        attributes["dilations"] = dilations = [int(v) for v in rng.integers(1, 4, axes)]
    if rng.random() < 0.5:
        attributes["kernel_shape"] = kernel
    more = [0] * axes
    if rng.random() < 0.5:  # below the stride or the dilation, as the operator wants it
        more = [int(rng.integers(0, max(s, d))) for s, d in zip(strides, dilations)]
        attributes["output_padding"] = more
    full = [s * (i - 1) + m + d * (k - 1) + 1 for s, i, m, d, k in zip(strides, sizes, more, dilations, kernel)]
    kind = rng.integers(0, 5)
    if kind == 0:
        attributes["auto_pad"] = str(rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"]))
    elif kind == 1:
        attributes["output_shape"] = [max(1, f - int(rng.integers(0, 4))) for f in full]
        if rng.random() < 0.5:
            attributes["auto_pad"] = str(rng.choice(["SAME_UPPER", "SAME_LOWER"]))
    elif kind < 4:
        pads = [int(v) for v in rng.integers(0, 3, 2 * axes)]
        attributes["pads"] = pads
        if any(f - a - b < 1 for f, a, b in zip(full, pads[:axes], pads[axes:])):
            return None
    channels = group * inner
    weights = [numpy_helper.from_array(rng.standard_normal([channels, outer, *kernel]).astype(np.float32), "w")]
    if rng.random() < 0.5:
        weights.append(numpy_helper.from_array(rng.standard_normal(group * outer).astype(np.float32), "b"))
    shape = [int(rng.integers(1, 3)), channels, *sizes]
    is_open = rng.random() < 0.5
    declared = ["n", channels, *"dhw"[:axes]] if is_open else shape
    node = helper.make_node("ConvTranspose", ["x", *[w.name for w in weights]], ["y"], **attributes)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, declared)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model, rng.standard_normal(shape).astype(np.float32), attributes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("oribi")
    parser.add_argument("--cases", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    n_run = n_verified = n_wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for i in range(options.cases):
            made = make(np.random.default_rng([options.seed, i]))
            if made is None:
                continue
            model, x, attributes = made
            (folder / "m.onnx").write_bytes(model.SerializeToString())
            np.save(folder / "x.npy", x)
            try:
                want = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
            except Exception as error:  # what ONNX Runtime refuses is no case
                print(f"case {i}: the peer: {str(error)[:100]}")
                continue
            run = [options.oribi, "run", folder / "m.onnx", "-i", f"x=@{folder / 'x.npy'}", "-o", folder / "y.npy",
                   "--force"]
            done = subprocess.run(run, capture_output=True, text=True)
            got = np.load(folder / "y.npy") if done.returncode == 0 else np.zeros(0)
            n_run += 1
            if got.shape != want.shape or not np.allclose(got, want, 1e-4, 1e-5):
                n_wrong += 1
                print(f"case {i}: {attributes} of {x.shape}: {done.stderr or (got.shape, want.shape)}")
            if i % 10 == 0:
                shape = "x=" + "x".join(map(str, x.shape))
                done = subprocess.run([options.oribi, "verify", folder / "m.onnx", "--shape", shape, "--runs", "2"],
                                      capture_output=True, text=True)
                n_verified += 1
                if done.returncode != 0:
                    n_wrong += 1
                    print(f"case {i}: {attributes} of {x.shape}: emitted C: {done.stderr}")
    print(f"seed {options.seed}: {n_run} cases, {n_verified} of them in C, {n_wrong} wrong")
    return 1 if n_wrong or n_run < options.cases // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
