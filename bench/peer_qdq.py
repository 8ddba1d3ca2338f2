#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Quantised ONNX models on one thread against ONNX Runtime: QDQ, a scale for each channel, made here
of float models by ONNX Runtime's own static tool.

    bench/peer_qdq.py [--oribi COMMAND] [--bits 7,8] [--rounds N] [--seconds S] [--keep DIR] MODEL.onnx...

Needs a Python with numpy, onnx and onnxruntime. Weights that a model makes by ConstantOfShape become
normally distributed ones, and calibration sees random inputs: speed asks for no more. Weights have 7
bits (reduce_range), as ONNX Runtime advises for x86 without VNNI, where its sums of products of 8 bits
saturate, and 8 bits. Rounds of the two sides take turns. Times are those of the CPU for one run, ours as
the difference of two processes, so that a busy machine's waiting is in neither; the least, and the median.
"""
import argparse
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import onnx
from onnx import numpy_helper, version_converter
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

import peer_ort


class Pictures(CalibrationDataReader):
    def __init__(self, path):
        session = peer_ort.ort_session(str(path), 1)
        random = numpy.random.default_rng(3)
        self.left = iter([{name: random.normal(0, 1, x.shape).astype(numpy.float32) for name, x in
                           peer_ort.ort_inputs(session).items()} for _ in range(2)])

    def get_next(self):
        return next(self.left, None)


def random_weights(model):
    """Weights of ConstantOfShape, whose shape is a constant, by the recipe of He."""
    random = numpy.random.default_rng(2)
    constants = {c.name: numpy_helper.to_array(c) for c in model.graph.initializer}
    constants.update({n.output[0]: numpy_helper.to_array(n.attribute[0].t)
                      for n in model.graph.node if n.op_type == "Constant"})
    kept = []
    for node in model.graph.node:
        if node.op_type != "ConstantOfShape" or node.input[0] not in constants:
            kept.append(node)
            continue
        shape = [int(d) for d in constants[node.input[0]]]
        fan = int(numpy.prod(shape[1:])) if len(shape) > 1 else 0
        array = random.normal(0, (2 / fan) ** 0.5, shape) if fan else numpy.full(shape, 0.02)
        model.graph.initializer.append(numpy_helper.from_array(array.astype(numpy.float32), node.output[0]))
    del model.graph.node[:]
    model.graph.node.extend(kept)


def quantise(path, bits, folder):
    wide, ready, narrow = (folder / f"{path.stem}_{kind}.onnx" for kind in ("wide", "ready", f"qdq{bits}"))
    model = onnx.load(path)
    random_weights(model)
    names = {c.name for c in model.graph.initializer}
    inputs = [i for i in model.graph.input if i.name not in names]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    model.ir_version = max(model.ir_version, 8)
    if model.opset_import[0].version < 13:
        model = version_converter.convert_version(model, 13)
    onnx.save(model, wide)
    quant_pre_process(str(wide), str(ready), skip_symbolic_shape=True)
    quantize_static(str(ready), str(narrow), Pictures(ready), quant_format=QuantFormat.QDQ, per_channel=True,
                    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, reduce_range=bits == 7)
    return str(narrow)


def our_cpu(oribi, path, runs):
    """Milliseconds of CPU that a process of this many runs takes."""
    begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([oribi, "bench", path, "--threads", "1", "--runs", str(runs), "--json"],
                   check=True, capture_output=True)
    return (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin) * 1e3


def compare(oribi, path, rounds, seconds):
    session = peer_ort.ort_session(path, 1)
    feeds = peer_ort.ort_inputs(session)
    session.run(None, feeds)
    begin = time.process_time()
    session.run(None, feeds)
    runs = max(3, int(seconds / max(time.process_time() - begin, 1e-4)))
    ours, theirs = [], []
    for _ in range(rounds):
        begin = time.process_time()
        for _ in range(runs):
            session.run(None, feeds)
        theirs.append((time.process_time() - begin) * 1e3 / runs)
        few = our_cpu(oribi, path, 2)
        ours.append((our_cpu(oribi, path, 2 + runs) - few) / runs)
    return [(min(side), statistics.median(side)) for side in (ours, theirs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oribi", default="build/bin/oribi")
    parser.add_argument("--bits", default="7,8")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--keep", type=pathlib.Path, help="leave the models in this folder")
    parser.add_argument("models", type=pathlib.Path, nargs="*")
    args = parser.parse_args()
    print("| model | bits of weights | Oribi ms | ONNX Runtime ms | least over least | medians |\n"
          "|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as work:
        for path, bits in [(p, int(b)) for p in args.models for b in args.bits.split(",")]:
            narrow = quantise(path, bits, args.keep or pathlib.Path(work))
            ours, theirs = compare(args.oribi, narrow, args.rounds, args.seconds)
            print(f"| {path.stem.removeprefix('light_')} | {bits} | {ours[0]:.2f} | {theirs[0]:.2f} | "
                  f"{ours[0] / theirs[0]:.2f} | {ours[1] / theirs[1]:.2f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
