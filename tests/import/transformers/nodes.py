# SPDX-License-Identifier: Apache-2.0
"""Nodes of com.microsoft by themselves, with what models seldom give them: masks of each form, caches, windows, sinks, packed
inputs, lengths that differ from batch to batch. Each case is an operator, its inputs (None: absent) and attributes."""
import numpy as np
import onnx
from onnx import helper, numpy_helper

RNG = np.random.default_rng(7)
CASES = {}


def f32(*shape, spread=1.0):
    return (RNG.standard_normal(shape) * spread).astype(np.float32)


def i32(*values):
    return np.array(values, np.int32)


def case(name, op, inputs, outputs=("y",), constants=(), **attributes):
    CASES[name] = (op, inputs, outputs, constants, attributes)


# --- Attention: 2 heads of 4 ----------------------------------------------------------------------------
def attention(name, length=5, past=0, mask=None, bias=None, **more):
    inputs = {"x": f32(2, length, 6), "w": f32(6, 24), "b": f32(24), "mask_index": mask,
              "past": f32(2, 2, 2, past, 4) if past else None, "attention_bias": bias}
    case(f"attention_{name}", "Attention", inputs, ("y", "present") if past else ("y",), ("w", "b"), num_heads=2, **more)


attention("plain")
attention("causal", unidirectional=1, scale=0.3)
attention("lengths", mask=i32(5, 3))
attention("ends_and_begins", mask=i32(5, 4, 0, 2))
attention("mask_of_keys", mask=np.array([[1, 1, 1, 1, 0], [0, 0, 1, 1, 1]], np.int32), unidirectional=1)
attention("mask_of_pairs", mask=(RNG.random((2, 5, 5)) > 0.4).astype(np.int32), mask_filter_value=-5.0)
attention("past", past=3, length=2, unidirectional=1, mask=np.array([[1] * 5, [0, 1, 1, 1, 1]], np.int32))
attention("bias", bias=f32(1, 2, 5, 5))
case("attention_sizes", "Attention", {"x": f32(2, 3, 6), "w": f32(6, 8 + 8 + 12), "b": f32(28)}, ("y",), ("w", "b"), num_heads=2,
     qkv_hidden_sizes=[8, 8, 12])
case("attention_no_bias", "Attention", {"x": f32(1, 3, 6), "w": f32(6, 24), "b": None}, ("y",), ("w",), num_heads=2)

case("qattention", "QAttention",
     {"x": RNG.integers(0, 256, (2, 3, 6)).astype(np.uint8), "w": RNG.integers(-64, 64, (6, 24)).astype(np.int8), "b": f32(24),
      "x_scale": np.float32(0.02), "w_scale": RNG.uniform(0.01, 0.03, 24).astype(np.float32), "mask_index": i32(3, 2),
      "x_zero": np.uint8(120), "w_zero": np.zeros(24, np.int8)}, ("y",), ("w", "b", "x_scale", "w_scale", "x_zero", "w_zero"), num_heads=2)
case("qattention_past", "QAttention",
     {"x": RNG.integers(0, 256, (2, 3, 6)).astype(np.uint8), "w": RNG.integers(0, 128, (6, 24)).astype(np.uint8), "b": f32(24),
      "x_scale": np.float32(0.02), "w_scale": np.float32(0.02), "mask_index": None, "x_zero": np.uint8(120), "w_zero": np.uint8(60),
      "past": f32(2, 2, 2, 2, 4)}, ("y", "present"), ("w", "b", "x_scale", "w_scale", "x_zero", "w_zero"), num_heads=2, unidirectional=1)


# --- MultiHeadAttention -----------------------------------------------------------------------------------
def heads(name, outputs=("y",), keys=5, length=3, past=0, bias=False, mask=None, added=None, four=False, **more):
    shape = (2, 2, keys, 4) if four else (2, keys, 8)
    inputs = {"query": f32(2, length, 8), "key": f32(*shape), "value": f32(*shape), "bias": f32(24) if bias else None,
              "key_padding_mask": mask, "attention_bias": added,
              "past_key": f32(2, 2, past, 4) if past else None, "past_value": f32(2, 2, past, 4) if past else None}
    case(f"heads_{name}", "MultiHeadAttention", inputs, outputs, (), num_heads=2, **more)


heads("lengths", mask=i32(5, 2))
heads("pairs", mask=(RNG.random((2, 3, 5)) > 0.3).astype(np.int32))
heads("present", ("y", "k", "v"), bias=True)
heads("past", ("y", "k", "v"), keys=3, past=4, unidirectional=1, mask=np.array([[1] * 7, [0, 0] + [1] * 5], np.int32))
heads("past_of_other_step", four=True, bias=True)
heads("added", added=f32(1, 1, 3, 5), scale=0.2)


# --- GroupQueryAttention: 4 heads of queries and 2 of keys, of 16 -------------------------------------------
def grouped(name, length=1, past=6, last=(6, 6), total=7, packed=False, angles=False, positions=None, bias=None, sinks=None, **more):
    q, kv = 4 * 16, 2 * 16
    turns = np.arange(12)[:, None] * (100.0 ** (-np.arange(8) / 8))[None]
    inputs = {"query": f32(2, length, q + 2 * kv if packed else q), "key": None if packed else f32(2, length, kv),
              "value": None if packed else f32(2, length, kv), "past_key": f32(2, 2, past, 16), "past_value": f32(2, 2, past, 16),
              "seqlens_k": i32(*last), "total_sequence_length": np.array(total, np.int32),
              "cos_cache": np.cos(turns).astype(np.float32) if angles else None, "sin_cache": np.sin(turns).astype(np.float32) if angles else None,
              "position_ids": positions, "attention_bias": bias, "head_sink": sinks}
    case(f"grouped_{name}", "GroupQueryAttention", inputs, ("y", "present_key", "present_value"), ("cos_cache", "sin_cache"),
         num_heads=4, kv_num_heads=2, do_rotary=int(angles), **more)


grouped("step")
grouped("rotary", angles=True)
grouped("interleaved", angles=True, rotary_interleaved=1, scale=0.4)
grouped("prompt", length=5, past=0, last=(4, 4), total=5, angles=True)
grouped("short_prompt", length=5, past=0, last=(4, 2), total=5, angles=True)
grouped("room", past=12, last=(6, 3), total=7, angles=True)
grouped("room_prompt", length=5, past=12, last=(4, 4), total=5)
grouped("packed", packed=True, angles=True)
grouped("window", past=10, last=(10, 10), total=11, local_window_size=4)
grouped("window_prompt", length=9, past=0, last=(8, 8), total=9, local_window_size=3)
grouped("softcap_bias", bias=f32(1, 4, 1, 7, spread=4.0), softcap=2.0)
grouped("sinks", sinks=f32(4))
grouped("smooth", smooth_softmax=1)
grouped("positions", angles=True, positions=np.array([[3], [5]], np.int64))


# --- Products and tables ------------------------------------------------------------------------------------
case("to_float", "MatMulIntegerToFloat",
     {"a": RNG.integers(0, 256, (2, 3, 8)).astype(np.uint8), "b": RNG.integers(-64, 64, (8, 5)).astype(np.int8), "a_scale": np.float32(0.02),
      "b_scale": RNG.uniform(0.01, 0.03, 5).astype(np.float32), "a_zero": np.uint8(110), "b_zero": RNG.integers(-9, 9, 5).astype(np.int8),
      "bias": f32(5)}, ("y",), ("b", "b_scale", "b_zero", "bias"))
for activation, more in (("Relu", {}), ("LeakyRelu", {"activation_alpha": 0.2}), ("Tanh", {})):
    case(f"gemm_{activation.lower()}", "FusedGemm", {"a": f32(3, 4), "b": f32(5, 4), "c": f32(5)}, ("y",), ("b", "c"), transB=1,
         activation=activation, **more)
ROWS = np.array([[3, -1], [0, 2]], np.int64)
for bits in (2, 4, 8):
    case(f"gather_bytes_{bits}", "GatherBlockQuantized",
         {"data": RNG.integers(0, 256, (5, 4 * bits)).astype(np.uint8), "indices": ROWS, "scales": f32(5, 2), "zero_points": None}, ("y",),
         ("data", "scales"), bits=bits, block_size=16)
case("gather_zero_points", "GatherBlockQuantized",
     {"data": RNG.integers(0, 256, (5, 16)).astype(np.uint8), "indices": ROWS[0], "scales": f32(5, 2),
      "zero_points": RNG.integers(0, 256, (5, 1)).astype(np.uint8)}, ("y",), ("data", "scales", "zero_points"), bits=4, block_size=16)


# --- Products with weights of 4 bits, of a depth that is no multiple of the block -----------------------------
def bits(name, rows=1, depth=72, columns=21, block=32, zeros=False, bias=False, **more):
    blocks = -(-depth // block)
    inputs = {"a": f32(rows, depth), "b": RNG.integers(0, 256, (columns, blocks, block // 2)).astype(np.uint8),
              "scales": RNG.uniform(0.01, 0.1, (columns, blocks)).astype(np.float32),
              "zero_points": RNG.integers(0, 256, (columns, (blocks + 1) // 2)).astype(np.uint8) if zeros else None,
              "g_idx": None, "bias": f32(columns) if bias else None}
    case(f"bits_{name}", "MatMulNBits", inputs, ("y",), ("b", "scales", "zero_points", "bias"), K=depth, N=columns, bits=4, block_size=block, **more)


bits("row")
bits("rows", rows=7, zeros=True)
bits("bias", rows=2, block=16, bias=True)
bits("row_int8", accuracy_level=4)
bits("rows_int8", rows=7, depth=256, columns=40, block=128, zeros=True, bias=True, accuracy_level=4)
bits("narrow_int8", rows=3, block=16, accuracy_level=4)


def model_of(op, inputs, outputs, constants, attributes):
    given = {k: np.asarray(v) for k, v in inputs.items() if v is not None}
    names = [k if k in given else "" for k in inputs]
    while not names[-1]:
        names.pop()
    node = helper.make_node(op, names, list(outputs), name="node", domain="com.microsoft", **attributes)
    values = [helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for k, v in given.items() if k not in constants]
    results = [helper.make_tensor_value_info(k, onnx.TensorProto.FLOAT, None) for k in outputs]
    graph = helper.make_graph([node], op, values, results, [numpy_helper.from_array(v, k) for k, v in given.items() if k in constants])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=9)
    return model, {k: v for k, v in given.items() if k not in constants}
