#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""References for tests/models/random_weights_test.c: each light topology with seeded random weights,
run by ONNX Runtime. Test-only, by hand; needs onnx, onnxruntime and numpy.

    tests/peer/random_weights.py MODELS_FOLDER > tests/models/random_references.inc

The recipe is portable and stands twice, here and in tests/models/random_model.h: element i of the
tensor NAME is made of splitmix64(fnv1a(NAME) + i), 24 bits of it, scaled by the tensor's role. The
digest is FNV-1a over all weights, so that a difference in the recipe shows before any network runs.
"""
import math
import os
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

# Model, factor on the weights of the last layer (keeps softmax away from 0 and 1).
MODELS = [
    ("light_squeezenet", 1.0),
    ("light_shufflenet", 0.000030517578125),
    ("light_mobilenetv2", 1.0),
    ("light_inception_v1", 0.125),
    ("light_inception_v2", 0.125),
    ("light_resnet50", 0.000030517578125),
    ("light_densenet121", 1.0),
    ("light_bvlc_alexnet", 1.0),
    ("light_zfnet512", 1.0),
    ("light_vgg19", 1.0),
]
N_SAMPLES = 64
MASK = (1 << 64) - 1


def fnv1a(data, state=0xCBF29CE484222325):
    for byte in data:
        state = ((state ^ byte) * 0x100000001B3) & MASK
    return state


def fnv1a_words(words, state):
    """FNV-1a of 32-bit words, one multiplication for each word."""
    for word in words.tolist():
        state = ((state ^ word) * 0x100000001B3) & MASK
    return state


def uniform(name, count):
    """count floats in [0, 1), multiples of 2**-24."""
    with np.errstate(over="ignore"):
        z = np.uint64(fnv1a(name.encode())) + (np.arange(1, count + 1, dtype=np.uint64)
                                               * np.uint64(0x9E3779B97F4A7C15))
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(40)).astype(np.float32) * np.float32(2.0 ** -24)


def reshaped(graph):
    return {n.output[0]: n.input[0] for n in graph.node if n.op_type == "Reshape"}


def roles(graph):
    """Tensor name -> what it is for."""
    found = {}
    source = reshaped(graph)
    for node in graph.node:
        if node.op_type == "BatchNormalization":
            for name, role in zip(node.input[1:5], ["near_one", "small", "small", "near_one"]):
                found[name] = role
        elif node.op_type == "Unsqueeze":
            users = [n.op_type for n in graph.node if node.output[0] in n.input]
            found[node.input[0]] = "near_one" if "Mul" in users else "small"
        elif node.op_type in ("Conv", "Gemm"):
            found[source.get(node.input[1], node.input[1])] = "weights"
    return found


def last_weights(graph):
    name = [n.input[1] for n in graph.node if n.op_type in ("Conv", "Gemm")][-1]
    return reshaped(graph).get(name, name)


def make(name, shape, role, factor):
    count = int(np.prod(shape)) if len(shape) else 1
    u = uniform(name, count)
    signed = u * np.float32(2) - np.float32(1)
    if role == "weights":
        fan_in = count // next(d for d in shape if d != 1)
        scale = np.float32(math.sqrt(6.0 / fan_in)) * np.float32(factor)
        values = signed * scale
    elif role == "near_one":
        values = u * np.float32(0.5) + np.float32(0.75)
    else:
        values = signed * np.float32(0.125)
    return values.astype(np.float32).reshape(shape)


def fill(model, factor):
    """Replaces each ConstantOfShape by random numbers; returns the digest of all of them."""
    graph = model.graph
    role_of = roles(graph)
    shapes = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    last = last_weights(graph)
    digest = 0xCBF29CE484222325
    kept, made = [], []
    for node in graph.node:
        if node.op_type != "ConstantOfShape":
            kept.append(node)
            continue
        name = node.output[0]
        shape = [int(d) for d in shapes[node.input[0]]]
        values = make(name, shape, role_of.get(name, "small"), factor if name == last else 1.0)
        # The first and last 64 elements of each tensor are enough for a digest in Python.
        flat = values.reshape(-1).view(np.uint32)
        digest = fnv1a_words(flat[:64], digest)
        digest = fnv1a_words(flat[-64:], digest)
        made.append(numpy_helper.from_array(values, name))
    del graph.node[:]
    graph.node.extend(kept)
    graph.initializer.extend(made)
    return digest


def run(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    data = model.SerializeToString()
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    feed = {}
    known = {t.name for t in model.graph.initializer}
    for value in session.get_inputs():
        if value.name not in known:
            count = int(np.prod(value.shape))
            feed[value.name] = (uniform("input", count) * np.float32(2)
                                - np.float32(1)).reshape(value.shape)
    return session.run(None, feed)[0].reshape(-1)


def main():
    folder = sys.argv[1]
    only = sys.argv[2:]
    print("/* SPDX-License-Identifier: Apache-2.0 */")
    print("/* Made by tests/peer/random_weights.py with onnxruntime %s. */" % onnxruntime.__version__)
    for name, factor in MODELS:
        if only and name not in only:
            continue
        model = onnx.load(os.path.join(folder, name + ".onnx"))
        digest = fill(model, factor)
        out = run(model)
        step = len(out) // N_SAMPLES
        samples = out[: step * N_SAMPLES : step]
        sys.stderr.write("%-20s n %d min %g max %g mean %g std %g\n" % (
            name, len(out), out.min(), out.max(), out.mean(), out.std()))
        print('{"%s", %sF, UINT64_C(0x%016x), %d,\n {' % (name, repr(float(factor)), digest, len(out)))
        for i in range(0, N_SAMPLES, 4):
            print("  " + " ".join("%.9eF," % v for v in samples[i : i + 4]))
        print(" }},")
        sys.stdout.flush()


main()
