#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the models of models.tar.xz: small transformers (graph.py) in the variants that ONNX Runtime's own tools make of
them, each with inputs and ONNX Runtime's own outputs (NAME.npz, members in:NAME and out:NAME; of decoders as well `tokens`,
what greedy decoding finds from `prompt` on with the cache fed back).

Needs onnx 1.23.2, onnxruntime 1.32.0, onnx-ir 1.1 and sympy; the tests read the archive alone.
Usage: make_models.py FOLDER, then tar -C FOLDER -cf - --sort=name --mtime=@0 --owner=0 --group=0 . | xz -9e > models.tar.xz
"""
import copy
import logging
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_bnb4_quantizer import MatMulBnb4Quantizer
from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer
from onnxruntime.transformers import float16, optimizer
from onnxruntime.transformers.fusion_options import FusionOptions

import graph
import nodes

OUT = pathlib.Path(sys.argv[1])
TOKENS = 200
logging.disable(logging.WARNING)


# --- Variants, by the names of Optimum's and Transformers.js' tools ------------------------------------
def fp16(model):
    return float16.convert_float_to_float16(copy.deepcopy(model), keep_io_types=False, disable_shape_infer=True)


def fp16_keep(model):
    return float16.convert_float_to_float16(copy.deepcopy(model), keep_io_types=True, disable_shape_infer=False)


def quantized(model, **options):
    """Weights of 7 bits: with 8 the products of ONNX Runtime overflow where a CPU has no VNNI."""
    plain, out = OUT / "plain.onnx", OUT / "small.onnx"
    onnx.save(model, plain)
    quantize_dynamic(plain, out, weight_type=QuantType.QInt8, reduce_range=True, extra_options={"DefaultTensorType": graph.F32}, **options)
    result = onnx.load(out)
    plain.unlink()
    out.unlink()
    return result


def q4(model, **options):
    quantizer = MatMulNBitsQuantizer(copy.deepcopy(model), block_size=16, **{"is_symmetric": True, **options})
    quantizer.process()
    return quantizer.model.model


def q4_gather(model):
    config = DefaultWeightOnlyQuantConfig(block_size=16, is_symmetric=False, op_types_to_quantize=("MatMul", "Gather"),
                                          quant_axes=(("MatMul", 0), ("Gather", 1)))
    quantizer = MatMulNBitsQuantizer(copy.deepcopy(model), algo_config=config)
    quantizer.process()
    return quantizer.model.model


def bnb4(model, quant_type=MatMulBnb4Quantizer.NF4):
    quantizer = MatMulBnb4Quantizer(copy.deepcopy(model), quant_type, 64)
    quantizer.process()
    return quantizer.model.model


def optimized(model, kind, **flags):
    plain = OUT / "plain.onnx"
    onnx.save(model, plain)
    options = FusionOptions(kind)
    for name, value in flags.items():
        setattr(options, name, value)
    result = optimizer.optimize_model(str(plain), kind, num_heads=graph.HEADS, hidden_size=graph.WIDTH, opt_level=0, optimization_options=options)
    plain.unlink()
    if all(o.domain != "com.microsoft" for o in result.model.opset_import):
        result.model.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    return result.model


def saved(model, level="ORT_ENABLE_EXTENDED"):
    """What a session of ONNX Runtime writes of its own graph."""
    out = OUT / "saved.onnx"
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    options.optimized_model_filepath, options.log_severity_level = str(out), 4
    onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    result = onnx.load(out)
    out.unlink()
    return result


USUAL = {"": lambda m: m, "_fp16": fp16, "_quantized": quantized, "_q4": q4, "_q4f16": lambda m: fp16(q4(m)), "_bnb4": bnb4}


# --- Inputs ---------------------------------------------------------------------------------------------
def half(model, name):
    return any(i.name == name and i.type.tensor_type.elem_type == onnx.TensorProto.FLOAT16 for i in model.graph.input)


def encoder_inputs(model, rng):
    ids = rng.integers(2, graph.WORDS, (2, 7))
    mask = np.ones((2, 7), np.int64)
    ids[1, 5:], mask[1, 5:] = 1, 0
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.repeat([[0, 0, 0, 1, 1, 1, 1]], 2, 0)}


def picture_inputs(model, rng):
    return {"pixel_values": rng.standard_normal((1, 3, 32, 32)).astype(np.float16 if half(model, "pixel_values") else np.float32)}


def decoder_inputs(model, ids, past, before):
    """One step behind `before` tokens; past: name to array."""
    batch, own = ids.shape
    feeds = {"input_ids": ids, "attention_mask": np.ones((batch, before + own), np.int64),
             "position_ids": np.repeat(np.arange(before, before + own)[None], batch, 0), **past}
    return {i.name: feeds[i.name] for i in model.graph.input}


def empty_past(model, batch, rng=None, length=0):
    def values(*shape):
        return rng.standard_normal(shape).astype(dtype) if rng else np.zeros(shape, dtype)

    past = {}
    for i in model.graph.input:
        dims = [d.dim_value for d in i.type.tensor_type.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type)
        if i.name.startswith("past_key_values."):
            past[i.name] = values(batch, dims[1], length, dims[3])
        elif i.name.startswith("past_"):  # keys and values in one, as com.microsoft's Attention has them
            past[i.name] = values(2, batch, dims[2], length, dims[4])
    return past


def session_of(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def greedy(model, session, prompt):
    """Tokens one after another, the first run with the whole prompt."""
    ids, past, before, found = prompt, empty_past(model, 1), 0, []
    names = [o.name for o in session.get_outputs()]
    for _ in range(TOKENS):
        outputs = dict(zip(names, session.run(None, decoder_inputs(model, ids, past, before))))
        before += ids.shape[1]
        ids = outputs["logits"][:, -1].argmax(-1)[:, None].astype(np.int64)
        found.append(int(ids[0, 0]))
        past = {n: outputs[n.replace("past_key_values", "present").replace("past_", "present_")] for n in past}
    return np.array(found)


def store(name, model, inputs, decodes=False):
    onnx.save(model, OUT / f"{name}.onnx")
    session = session_of(model)
    feeds = {i.name: inputs[i.name] for i in session.get_inputs()}
    members = {f"in:{k}": v for k, v in feeds.items()}
    members.update({f"out:{o.name}": v.copy() for o, v in zip(session.get_outputs(), session.run(None, feeds))})
    for row, last in enumerate(feeds.get("seqlens_k", ())):
        for key in ("out:present_key", "out:present_value"):  # what lies behind what counts is anything: NaN
            members[key][row, :, last + 1:] = np.nan
    if decodes:
        members["prompt"] = np.array([[5, 17, 3, 42]])
        members["tokens"] = greedy(model, session, members["prompt"])
    np.savez(OUT / f"{name}.npz", **members)
    print(name, sorted({n.op_type for n in model.graph.node if n.domain}))


def family(name, model, inputs, variants=USUAL, decodes=False):
    for suffix, make in variants.items():
        made = make(model)
        store(name + suffix, made, inputs(made, np.random.default_rng(0)), decodes)


def step_inputs(model, rng):
    return decoder_inputs(model, rng.integers(2, graph.WORDS, (2, 1)), empty_past(model, 2, rng, 6), 6)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    for name, case in nodes.CASES.items():
        model, inputs = nodes.model_of(*case)
        store(f"node_{name}", model, inputs)
    family("minilm", graph.bert(14, pooler=False), encoder_inputs)
    family("bert", graph.bert(17, pooler=True), encoder_inputs)
    family("roberta", graph.roberta(), encoder_inputs)
    family("vit", graph.vit(), picture_inputs)
    for kind in ("minilm", "roberta"):
        fused = optimized(graph.bert(14, False) if kind == "minilm" else graph.roberta(), "bert")
        family(f"{kind}_fused", fused, encoder_inputs, {**USUAL, "_saved": saved})
    family("minilm_heads", optimized(graph.bert(14, False), "bert", use_multi_head_attention=True), encoder_inputs, {"": lambda m: m})
    family("minilm_q4_zero", graph.bert(21, False), encoder_inputs,
           {"": lambda m: q4(m, is_symmetric=False), "_gather": q4_gather, "_qdq": lambda m: q4(m, quant_format=onnxruntime.quantization.QuantFormat.QDQ)})
    family("minilm_quantized_saved", graph.bert(14, False), encoder_inputs, {"": lambda m: saved(quantized(m, per_channel=True))})
    family("gpt2", graph.gpt2(), step_inputs, decodes=True)
    family("llama", graph.llama(), step_inputs, decodes=True)
    family("grouped", graph.grouped(False), step_inputs, decodes=True)
    family("grouped_packed", graph.grouped(True, local_window_size=5, softcap=3.0), step_inputs, {"": lambda m: m, "_q4": q4}, decodes=True)
    family("gpt2_fused", optimized(graph.gpt2(), "gpt2"), step_inputs, {"": lambda m: m, "_quantized": quantized}, decodes=True)


main()
