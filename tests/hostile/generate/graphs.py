#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes KIND.onnx into the present folder: a graph of N nodes or more of a kind that was quadratic,
or that folds for long.

    graphs.py KIND N
"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cli"))
import onnx_lite as onnx  # noqa: E402

X = [onnx.info("x", [2])]


def chain(n):
    nodes = [onnx.node("Abs" if i % 2 else "Neg", [f"v{i}" if i else "x"], [f"v{i + 1}"]) for i in range(n)]
    return onnx.model(nodes, X, [onnx.info(f"v{n}", [2])])


def fan(n):
    """Many values that all live until a chain of sums reads them."""
    nodes = [onnx.node("Neg", ["x"], [f"a{i}"]) for i in range(n)]
    nodes += [onnx.node("Add", [f"s{i - 1}" if i else "x", f"a{i}"], [f"s{i}"]) for i in range(n)]
    return onnx.model(nodes, X, [onnx.info(f"s{n - 1}", [2])])


def ladder(n):
    nodes, p, q = [], "x", "x"
    for i in range(n):
        nodes += [onnx.node("Add", [p, q], [f"p{i}"]), onnx.node("Mul", [p, q], [f"q{i}"])]
        p, q = f"p{i}", f"q{i}"
    return onnx.model(nodes + [onnx.node("Add", [p, q], ["y"])], X, [onnx.info("y", [2])])


def outputs(n):
    nodes = [onnx.node("Neg", ["x"], [f"a{i}"]) for i in range(n)]
    return onnx.model(nodes, X, [onnx.info(f"a{i}", [2]) for i in range(n)])


def identities(n):
    """Outputs that a pass puts in the place of others."""
    nodes = [onnx.node("Neg", ["x"], [f"b{i}"]) for i in range(n)]
    nodes += [onnx.node("Identity", [f"b{i}"], [f"a{i}"]) for i in range(n)]
    return onnx.model(nodes, X, [onnx.info(f"a{i}", [2]) for i in range(n)])


def unknown(n):
    """Outputs whose sizes show in the run."""
    nodes = [onnx.node("NonZero", ["x"], [f"a{i}"]) for i in range(n)]
    return onnx.model(nodes, X, [onnx.info(f"a{i}", [1, "N"], 7) for i in range(n)])


def softmaxes(n):
    """With --kernels micro, steps that want working memory."""
    nodes = [onnx.node("Softmax", [f"v{i}" if i else "x"], [f"v{i + 1}"]) for i in range(n)]
    return onnx.model(nodes, X, [onnx.info(f"v{n}", [2])])


def images(n):
    """Many images that cannot be cut into turns of whole cache lines, on their way through n steps."""
    nodes = [onnx.node("Abs" if i % 2 else "Neg", [f"v{i}" if i else "x"], [f"v{i + 1}"]) for i in range(n)]
    return onnx.model(nodes, [onnx.info("x", [(1 << 61) - 1])], [onnx.info(f"v{n}", [(1 << 61) - 1])])


def constants(n):
    nodes = [onnx.node("Neg", [f"c{i}" if i else "c"], [f"c{i + 1}"]) for i in range(n)]
    nodes.append(onnx.node("Add", ["x", f"c{n}"], ["y"]))
    return onnx.model(nodes, X, [onnx.info("y", [2])], [onnx.tensor("c", np.ones(2, np.float32))])


def products(n):
    """Constant products of matrices, whose results are just small enough to be kept."""
    matrix = np.full((512, 512), 1 / 512, np.float32)
    nodes = [onnx.node("MatMul", ["c", "c"], [f"c{i}"]) for i in range(n)]
    nodes += [onnx.node("ReduceMean", [f"c{i}"], [f"m{i}"], keepdims=0) for i in range(n)]
    nodes += [onnx.node("Add", [f"s{i - 1}" if i else "x", f"m{i}"], [f"s{i}"]) for i in range(n)]
    return onnx.model(nodes, X, [onnx.info(f"s{n - 1}", [2])], [onnx.tensor("c", matrix)])


def repeated(n):
    """Weights of n x 2 that are one element, which kernels would pack."""
    nodes = [onnx.node("ConstantOfShape", ["dims"], ["w"]), onnx.node("Gemm", ["x", "w"], ["y"], transB=1)]
    return onnx.model(nodes, [onnx.info("x", [1, 2])], [onnx.info("y", [1, n])],
                      [onnx.tensor("dims", np.array([n, 2], np.int64))])


kind, count = sys.argv[1], int(sys.argv[2])
pathlib.Path(f"{kind}.onnx").write_bytes(globals()[kind](count))
