#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/vectors/onnx_resize.bin.xz and onnx_where.bin.xz: float models of ONNX's Resize and Where, the
latter behind comparisons, and what ONNX Runtime gives for them, in the form of tests/peer/tflite/container.py;
`compile.vectors` reads them, `compile.float` verifies some bit for bit.

    onnx_choose.py        # an interpreter with numpy, onnx and onnxruntime"""
import pathlib
import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "tflite"))
import container  # noqa: E402

VECTORS = HERE.parent / "vectors"
CASES, SMOOTH = 26, 8 # of each operator; of Resize with antialias
COORDINATES = ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric")
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


class Case:
    def __init__(self, operator, index):
        self.rng = np.random.default_rng([index, len(operator), 7])
        self.index, self.constants, self.nodes, self.inputs, self.given = index, [], [], [], {}

    def constant(self, value, dtype=np.float32):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def input(self, shape):
        name = f"x{len(self.given)}"
        self.given[name] = (self.rng.standard_normal(shape) * 3).astype(np.float32)
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def node(self, operator, inputs, **attributes):
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def model(self):
        output = helper.make_tensor_value_info(self.nodes[-1].output[0], TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "g", self.inputs, [output], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)

    def shape(self, rank, low=1, high=6):
        return [int(k) for k in self.rng.integers(low, high, rank)]


def resize(case):
    """Both spatial dimensions or one, up and down, by scales or to sizes, in every mode and rule."""
    i, size = case.index, case.shape(4, 1, 4)[:2] + case.shape(2, 2, 8)
    mode = ("linear", "nearest", "linear", "cubic", "nearest")[i % 5]
    rule = COORDINATES[i % 4 if mode == "cubic" else i % 5]
    attributes = {"mode": mode, "coordinate_transformation_mode": rule}
    if mode == "nearest":
        attributes["nearest_mode"] = NEAREST[i % 4]
    if mode == "cubic" and i % 2:
        attributes.update(exclude_outside=1, cubic_coeff_a=-0.5)
    factors = [1.0, 1.0, *case.rng.choice([0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 2.6, 3.0], 2)]
    x = case.input(size)
    if i >= CASES:
        attributes.update(mode=("linear", "cubic")[i % 2], antialias=1)
        attributes.pop("nearest_mode", None)
    # With align_corners ONNX's own data count the part of an element that a scale leaves, ONNX Runtime does not.
    if i % 3 == 2 or rule == "align_corners":
        sizes = [max(1, round(a * b)) for a, b in zip(size, factors)]
        case.node("Resize", [x, "", "", case.constant(sizes, np.int64)], **attributes)
    else:
        factors = [f if int(a * f) > 0 else 1.0 for a, f in zip(size, factors)]
        case.node("Resize", [x, "", case.constant(factors)], **attributes)


def where(case):
    """A condition of one or two comparisons; the three inputs broadcast, and some are constants."""
    i, size = case.index, case.shape(1 + case.index % 4)
    narrow = [1 if k % 2 == i % 2 else d for k, d in enumerate(size)]
    x = case.input(size)
    other = case.input(narrow) if i % 3 else case.constant(case.rng.standard_normal(narrow))
    relation = ("Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal")[i % 5]
    if relation == "Equal":
        x_value = case.given[x]
        x_value[...] = np.round(x_value)
        other = case.constant(np.round(case.rng.standard_normal(narrow)))
    condition = case.node(relation, [x, other])
    if i % 4 == 1:
        second = case.node("Less", [x, case.constant(0.5)])
        condition = case.node(("And", "Or")[i % 8 // 4], [condition, second])
    if i % 4 == 2:
        condition = case.node("Not", [condition])
    yes = case.constant(case.rng.standard_normal(size[-1:])) if i % 2 else case.input(size)
    no = case.constant(-1.25) if i % 3 == 0 else case.input(narrow)
    case.node("Where", [condition, yes, no])


OPERATORS = {"resize": (resize, 2e-5, 2e-5), "where": (where, 0.0, 0.0)}


def answer(model, given):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    return session.run(None, given)[0]


def main():
    references = {who: f"onnxruntime {onnxruntime.__version__}" for who in container.VARIANTS}
    for name, (make, atol, rtol) in OPERATORS.items():
        out = []
        for index in range(CASES + (SMOOTH if make is resize else 0)):
            case = Case(name, index)
            make(case)
            model = case.model()
            want = answer(model, case.given)
            data = {who: [want.tobytes()] for who in container.VARIANTS}
            out.append(container.Case(f"{index}", model.SerializeToString(),
                                      [x.tobytes() for x in case.given.values()], data, atol, rtol))
        path = VECTORS / f"onnx_{name}.bin.xz"
        path.write_bytes(container.pack(name.upper(), "ONNX", references, out))
        print(path.name, len(out), path.stat().st_size)


if __name__ == "__main__":
    main()
