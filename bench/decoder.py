#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One token of a Llama-like decoder with a cache (6 layers, 512 wide, 8 heads of queries and 4 of keys,
1408 inside) against ONNX Runtime, with weights as floats and as 4 bits (MatMulNBits, blocks of 32).

    bench/decoder.py [--oribi COMMAND] [--pasts 100,500] [--forms ...] [--kinds ...] [--rounds N] [--keep DIR]

Needs a Python with numpy, onnx and onnxruntime. The graphs are those of
tests/import/transformers/graph.py, larger: `exported` as PyTorch's exporters write them, `grouped` with
GroupQueryAttention; `in place` is `grouped` with caches of 1024 places that are past and present at once,
on both sides, ours through the Python package of this tree. q4 computes in float, q4 int8 says accuracy_level 4. Both sides run in turns, a
process of ours and the peer here; the least and the median of all runs.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/import/transformers"))
import graph  # noqa: E402

BLOCK = 32
KINDS = ["float", "q4", "q4 int8"]
SIZES = {"WIDTH": 512, "HEADS": 8, "SIZE": 64, "BIG": 64, "INSIDE": 1408, "LAYERS": 6, "WORDS": 2048, "PLACES": 1024}


def packed(weights):
    """[K, N] as MatMulNBits has it: [N, blocks, bytes], a scale for each block, 8 is nought."""
    columns = weights.T.reshape(weights.shape[1], -1, BLOCK)
    scales = numpy.abs(columns).max(-1, keepdims=True) / 7
    numbers = (numpy.round(columns / scales) + 8).astype(numpy.uint8)
    return numbers[..., 0::2] | numbers[..., 1::2] << 4, scales[..., 0].astype(numpy.float32)


def in_4_bits(model, accuracy_level):
    """Every product with constant weights."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    constants = {c.name: c for c in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in constants:
            weights = numpy_helper.to_array(constants[node.input[1]])
            if weights.ndim != 2:
                continue
            names = [node.input[1] + part for part in ("_bits", "_scales")]
            model.graph.initializer.extend(numpy_helper.from_array(a, name) for a, name in zip(packed(weights), names))
            model.graph.initializer.remove(constants[node.input[1]])
            node.CopyFrom(helper.make_node("MatMulNBits", [node.input[0], *names], node.output, name=node.name, domain="com.microsoft",
                                           K=weights.shape[0], N=weights.shape[1], bits=4, block_size=BLOCK, accuracy_level=accuracy_level))
    if all(o.domain != "com.microsoft" for o in model.opset_import):
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return model


def make_models(folder):
    for name, value in SIZES.items():
        setattr(graph, name, value)
    for form, make in (("exported", graph.llama), ("grouped", lambda: graph.grouped(False)), ("in place", lambda: graph.grouped(False))):
        plain = make()
        for kind in KINDS:
            path = folder / f"decoder_{form}_{kind}.onnx".replace(" ", "_")
            model = plain
            if kind != "float":
                model = in_4_bits(plain, accuracy_level=4 if "int8" in kind else 0)
            onnx.save(model, path)
            yield form, kind, path


def peer(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def inputs_of(session, past, room=None):
    """A token behind `past` others, in caches of `room`."""
    rng = numpy.random.default_rng(2)
    feeds = {"input_ids": numpy.array([[7]]), "attention_mask": numpy.ones((1, past + 1), numpy.int64),
             "position_ids": numpy.array([[past]])}
    for i in session.get_inputs():
        if i.name.startswith("past"):
            feeds[i.name] = rng.normal(0, 1, (1, i.shape[1], room or past, i.shape[3])).astype(numpy.float32)
    return {i.name: feeds[i.name] for i in session.get_inputs()}


def our_command(oribi, path, feeds, folder, threads):
    command = [oribi, "bench", str(path), "--threads", str(threads), "--json"]
    for name, array in feeds.items():
        numpy.save(folder / f"{name}.npy", array)
        command += ["-i", f"{name}=@{folder / name}.npy"]
    return command


def times_of(run, count):
    times = []
    run()
    for _ in range(count):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return sorted(times)


def compare_in_place(args, path, past):
    """Past and present are one piece of memory on both sides."""
    session, our = peer(path, args.threads), oribi(args).Session(str(path), threads=args.threads)
    feeds = inputs_of(session, past, SIZES["PLACES"])
    theirs_bound, given, out = session.io_binding(), {}, {}
    for name, array in feeds.items():
        value = onnxruntime.OrtValue.ortvalue_from_numpy(array)
        theirs_bound.bind_ortvalue_input(name, value)
        given[name] = array
        if name.startswith("past"):
            present = name.replace("past_key_values", "present")
            theirs_bound.bind_ortvalue_output(present, value)
            given[name] = out[present] = oribi(args).tensor(array)
    theirs_bound.bind_output("logits")
    ours, theirs = [], []
    for _ in range(args.rounds):
        theirs.append(times_of(lambda: session.run_with_iobinding(theirs_bound), args.runs))
        ours.append(times_of(lambda: our.run(given, out=out), args.runs))
    return [(min(r[0] for r in rows), sorted(r[len(r) // 2] for r in rows)[len(rows) // 2]) for rows in (ours, theirs)]


def oribi(args):
    """The package of this tree over the library beside the command."""
    os.environ.setdefault("ORIBI_LIBRARY", str(pathlib.Path(args.oribi).resolve().parent.parent / "lib/liboribi.so.1"))
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
    import oribi as package  # noqa: PLC0415
    return package


def compare(args, path, past, folder):
    session = peer(path, args.threads)
    feeds = inputs_of(session, past)
    command = our_command(args.oribi, path, feeds, folder, args.threads)
    ours, theirs = [], []
    for _ in range(args.rounds):
        theirs.append(times_of(lambda: session.run(None, feeds), args.runs))
        found = json.loads(subprocess.run([*command, "--runs", str(args.runs)], check=True, capture_output=True, text=True).stdout)
        ours.append((found["min_ms"], found["median_ms"]))
    theirs = [(times[0], times[len(times) // 2]) for times in theirs]
    return [(min(r[0] for r in rows), sorted(r[1] for r in rows)[len(rows) // 2]) for rows in (ours, theirs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oribi", default="build/bin/oribi")
    parser.add_argument("--pasts", default="100,500")
    parser.add_argument("--forms", default="exported,grouped,in place")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--keep", type=pathlib.Path, help="leave models and inputs in this folder")
    args = parser.parse_args()
    print("| graph | weights | past | Oribi ms | ONNX Runtime ms | least over least | medians |")
    print("|---|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as work:
        folder = args.keep or pathlib.Path(work)
        folder.mkdir(exist_ok=True)
        for form, kind, path in make_models(folder):
            if form not in args.forms.split(",") or kind not in args.kinds.split(","):
                continue
            for past in [int(n) for n in args.pasts.split(",")]:
                ours, theirs = compare_in_place(args, path, past) if form == "in place" else compare(args, path, past, folder)
                print(f"| {form} | {kind} | {past} | {ours[0]:.2f} | {theirs[0]:.2f} | {ours[0] / theirs[0]:.2f} | "
                      f"{ours[1] / theirs[1]:.2f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
