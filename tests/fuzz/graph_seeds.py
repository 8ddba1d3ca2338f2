#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seeds of models with graphs of nodes: ONNX's If, Loop, Scan and functions, TFLite's IF, WHILE and CALL, from the
models that tests write: graph_seeds.py FOLDER."""
import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
for folder in ("tests/cli", "tests/op", "tests/session", "tests/peer/tflite"):
    sys.path.insert(0, str(ROOT / folder))

import onnx_examples  # noqa: E402
import operators_page  # noqa: E402
import subgraphs_test as lite  # noqa: E402
from onnx_lite import field, info, node  # noqa: E402

G = onnx_examples.G
X = "f32 2,3"


def function(name, nodes, inputs, outputs):
    return b"".join([field(1, name), *[field(4, i) for i in inputs], *[field(5, o) for o in outputs],
                     *[field(7, n) for n in nodes], field(9, field(1, "") + field(2, 18)), field(10, "my")])


def graph(name, nodes, inputs, outputs):
    return b"".join([field(1, n) for n in nodes] + [field(2, name)] + [field(11, i) for i in inputs] +
                    [field(12, field(1, o)) for o in outputs])


def holding(made, **graphs):
    """The node with graphs as attributes."""
    return made + b"".join(field(5, field(1, name) + field(6, g) + field(20, 5)) for name, g in graphs.items())


def model(nodes, inputs, outputs, functions=()):
    opsets = field(8, field(1, "") + field(2, 18)) + field(8, field(1, "my") + field(2, 1))
    return field(1, 8) + field(7, graph("main", nodes, inputs, outputs)) + opsets + \
        b"".join(field(25, f) for f in functions)


def nested():
    """A Loop whose body has an If of the condition that it carries, a function in one branch; it collects, too."""
    yes = graph("yes", [node("Add", ["s", "x"], ["t"])], [], ["t"])
    no = graph("no", [node("Half", ["s"], ["u"], "my")], [], ["u"])
    body = graph("body", [node("Not", ["c"], ["d"]), holding(node("If", ["d"], ["n"]), then_branch=yes, else_branch=no),
                          node("Identity", ["n"], ["k"])],
                 [info("i", [], 7), info("c", [], 9), info("s", [2, 3])], ["d", "n", "k"])
    loop = holding(node("Loop", ["m", "e", "x"], ["y", "z"]), body=body)
    half = function("Half", [node("Mul", ["a", "a"], ["b"])], ["a"], ["b"])
    return model([loop], [info("m", [], 7), info("e", [], 9), info("x", [2, 3])], ["y", "z"], [half])


def growing():
    """A Loop that carries what grows, as long as it is small."""
    body = graph("body", [node("Concat", ["s", "x"], ["n"], axis=0), node("Size", ["n"], ["k"]),
                          node("Less", ["k", "m"], ["d"])],
                 [info("i", [], 7), info("c", [], 9), info("s", ["n", 3])], ["d", "n"])
    loop = holding(node("Loop", ["m", "", "x"], ["y"]), body=body)
    return model([loop], [info("m", [], 7), info("x", [1, 3])], ["y"])


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    seeds = {"nested.onnx": nested(), "growing.onnx": growing()}
    for op in ("If", "Loop", "Scan"):
        for kind in ("f32", "i64", "bool", "str"):
            for k, example in enumerate(onnx_examples.EXAMPLES[op]):
                seeds[f"{op}_{kind}_{k}.onnx"] = operators_page.model(op, example, kind, 18)
    seeds["if.tflite"] = lite.write(*lite.branches())
    seeds["while.tflite"] = lite.write(*lite.loop(lite.adding()))
    seeds["call.tflite"] = lite.write(*lite.calling())
    seeds["missing.tflite"] = lite.write(*lite.missing())
    for name, data in seeds.items():
        (folder / name).write_bytes(data)


main()
