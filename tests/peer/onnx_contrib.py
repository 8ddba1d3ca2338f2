#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random nodes of com.microsoft that optimisers and quantisers write, against ONNX Runtime.

    onnx_contrib.py LIBORIBI [--cases N] [--seed S]     # needs numpy, onnx, onnxruntime"""
import argparse
import pathlib
import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import oribi_run  # noqa: E402


def matmul_bits(rng):
    bits, block, k, n = int(rng.choice([4, 8])), int(rng.choice([16, 32, 64])), int(rng.integers(1, 100)), int(rng.integers(1, 9))
    blocks = -(-k // block)
    inputs = [("A", rng.normal(size=[*rng.integers(1, 4, rng.integers(1, 3)), k]).astype("float32"))]
    weights = [("B", rng.integers(0, 256, (n, blocks, block * bits // 8)).astype("uint8")),
               ("scales", rng.uniform(0.01, 0.1, n * blocks).astype("float32"))]
    if rng.integers(0, 2):
        weights.append(("zero_points", rng.integers(0, 256, n * -(-blocks * bits // 8)).astype("uint8")))
    return inputs, weights, {"K": k, "N": n, "bits": bits, "block_size": block}


def fused_conv(rng):
    channels, outputs, depthwise = int(rng.integers(1, 4)), int(rng.integers(1, 5)), bool(rng.integers(0, 2))
    outputs = channels if depthwise else outputs
    size = [int(v) for v in rng.integers(5, 9, 2)]
    inputs = [("X", rng.normal(size=(2, channels, *size)).astype("float32"))]
    weights = [("W", rng.normal(size=(outputs, 1 if depthwise else channels, 3, 3)).astype("float32")),
               ("B", rng.normal(size=outputs).astype("float32"))]
    if rng.integers(0, 2):
        inputs.append(("Z", rng.normal(size=(2, outputs, size[0] - 2, size[1] - 2)).astype("float32")))
    attributes = {"activation": str(rng.choice(["Relu", "Tanh", "Sigmoid", "LeakyRelu", "Clip"])), "group": channels if depthwise else 1}
    if attributes["activation"] in ("LeakyRelu", "Clip"):
        attributes["activation_params"] = {"LeakyRelu": [0.2], "Clip": [-0.5, 0.75]}[attributes["activation"]]
    return inputs, weights, attributes


def rotary(rng):
    batch, length, heads, half = (int(v) for v in rng.integers(1, 5, 4))
    half *= 4
    wide = bool(rng.integers(0, 2))
    shape = (batch, heads, length, 2 * half) if wide else (batch, length, heads * 2 * half)
    positions = rng.integers(0, 8, (batch, length)) if rng.integers(0, 2) else rng.integers(0, 8, 1)
    angles = rng.uniform(-3, 3, (16, half))
    return ([("input", rng.normal(size=shape).astype("float32")), ("position_ids", positions.astype("int64"))],
            [("cos_cache", np.cos(angles).astype("float32")), ("sin_cache", np.sin(angles).astype("float32"))],
            {"interleaved": int(rng.integers(0, 2)), "num_heads": heads})


def heads(rng):
    batch, length, keys, count, size = (int(v) for v in rng.integers(1, 6, 5))
    size *= 4
    given = [("query", (batch, length, count * size)), ("key", (batch, keys, count * size)), ("value", (batch, keys, count * size))]
    inputs = [(name, rng.normal(size=shape).astype("float32")) for name, shape in given]
    weights, attributes = [], {"num_heads": count}
    if rng.integers(0, 2):
        weights.append(("bias", rng.normal(size=3 * count * size).astype("float32")))
    if rng.integers(0, 2):
        mask = (rng.integers(0, 4, (batch, keys)) > 0).astype("int32")
        mask[:, 0] = 1
        inputs.append(("key_padding_mask", mask))
    if rng.integers(0, 2):
        inputs.append(("attention_bias", rng.normal(size=(batch, count, length, keys)).astype("float32")))
    if rng.integers(0, 2):
        attributes["scale"] = 0.3
    return inputs, weights, attributes


def embedding(rng):
    batch, length, size = (int(v) for v in rng.integers(1, 6, 3))
    inputs = [("input_ids", rng.integers(0, 20, (batch, length)).astype("int32"))]
    weights = [("word", rng.normal(size=(20, 8 * size)).astype("float32")), ("position", rng.normal(size=(9, 8 * size)).astype("float32")),
               ("gamma", rng.normal(size=8 * size).astype("float32")), ("beta", rng.normal(size=8 * size).astype("float32"))]
    if rng.integers(0, 2):
        inputs.append(("segment_ids", rng.integers(0, 2, (batch, length)).astype("int32")))
        weights.append(("segment", rng.normal(size=(2, 8 * size)).astype("float32")))
    return inputs, weights, {"epsilon": 1e-5}


def quantised(rng, shape, columns=0):
    """Bytes, a scale (or one for each column) and a zero point."""
    return (rng.integers(0, 256, shape).astype("uint8"), rng.uniform(0.01, 0.05, columns or ()).astype("float32"),
            rng.integers(100, 150, columns or ()).astype("uint8"))


def qgemm(rng):
    m, k, n = (int(v) for v in rng.integers(1, 20, 3))
    turn_a, turn_b = (int(v) for v in rng.integers(0, 2, 2))
    a, a_scale, a_zero = quantised(rng, (k, m) if turn_a else (m, k))
    b, b_scale, b_zero = quantised(rng, (n, k) if turn_b else (k, n), n if rng.integers(0, 2) else 0)
    weights = [("a_scale", a_scale), ("a_zero", a_zero), ("B", b), ("b_scale", b_scale), ("b_zero", b_zero)]
    if rng.integers(0, 2):
        weights.append(("C", rng.integers(-3000, 3000, (1, n)).astype("int32")))
    return [("A", a)], weights, {"transA": turn_a, "transB": turn_b, "alpha": float(rng.choice([1.0, 0.5]))}


def dynamic(rng):
    k, n = (int(v) for v in rng.integers(1, 20, 2))
    b, b_scale, b_zero = quantised(rng, (k, n), n if rng.integers(0, 2) else 0)
    weights = [("B", b), ("b_scale", b_scale)] + ([("b_zero", b_zero)] if rng.integers(0, 2) else [])
    if rng.integers(0, 2):
        weights.append(("bias", rng.normal(size=n).astype("float32")))
    return [("A", rng.normal(size=[*rng.integers(1, 4, rng.integers(1, 3)), k]).astype("float32"))], weights, {}


def bnb4(rng):
    block, k, n = int(rng.choice([16, 32, 64])), int(rng.integers(1, 5)) * 64, int(rng.integers(1, 9))
    weights = [("B", rng.integers(0, 256, n * k // 2).astype("uint8")), ("absmax", rng.uniform(0.1, 1, n * k // block).astype("float32"))]
    return ([("A", rng.normal(size=[*rng.integers(1, 4, rng.integers(1, 3)), k]).astype("float32"))], weights,
            {"K": k, "N": n, "block_size": block, "quant_type": int(rng.integers(0, 2))})


DRAWS = {"QGemm": (qgemm, ["A", "a_scale", "a_zero", "B", "b_scale", "b_zero", "C"]),
         "DynamicQuantizeMatMul": (dynamic, ["A", "B", "b_scale", "b_zero", "bias"]), "MatMulBnb4": (bnb4, ["A", "B", "absmax"]),
         "MultiHeadAttention": (heads, ["query", "key", "value", "bias", "key_padding_mask", "attention_bias"]),
         "EmbedLayerNormalization": (embedding, ["input_ids", "segment_ids", "word", "position", "segment", "gamma", "beta"]),
         "MatMulNBits": (matmul_bits, ["A", "B", "scales", "zero_points"]), "FusedConv": (fused_conv, ["X", "W", "B", "Z"]),
         "RotaryEmbedding": (rotary, ["input", "position_ids", "cos_cache", "sin_cache"])}


def model_of(op, names, inputs, weights, attributes):
    there = {name for name, _ in inputs + weights}
    node = helper.make_node(op, [n if n in there else "" for n in names], ["y", "mask"] if op.startswith("Embed") else ["y"], domain="com.microsoft", **attributes)
    kinds = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64, "uint8": TensorProto.UINT8, "int32": TensorProto.INT32}
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info(n, kinds[str(a.dtype)], a.shape) for n, a in inputs],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(a, n) for n, a in weights])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)],
                             ir_version=9).SerializeToString()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("library")
    arguments.add_argument("--cases", type=int, default=60)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    oribi, rng, failures = oribi_run.Oribi(given.library), np.random.default_rng(given.seed), 0
    for op, (draw, names) in DRAWS.items():
        worst = 0.0
        for _ in range(given.cases):
            inputs, weights, attributes = draw(rng)
            data = model_of(op, names, inputs, weights, attributes)
            wanted = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"]).run(None, dict(inputs))[0]
            try:
                found = oribi.run(data, dict(inputs))[0]
            except oribi_run.Refused as refused:
                print(f"{op} {attributes}: {refused}")
                failures += 1
                continue
            same = found.shape == wanted.shape and np.allclose(found, wanted, rtol=1e-4, atol=1e-4)
            worst = max(worst, float(np.abs(found - wanted).max())) if found.shape == wanted.shape else np.inf
            if not same:
                print(f"{op} {attributes} {[(n, a.shape) for n, a in inputs + weights]}: differs by {worst}")
                failures += 1
        print(f"{op}: {given.cases} cases, worst difference {worst:.2g}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
