#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TFLite's IF, WHILE and CALL through the command, against numpy: branches of two shapes, loops that nest, that grow
and that do nothing; subgraphs that call themselves, that are not there, that do not fit their operator.

usage: subgraphs_test.py ORIBI
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../peer/tflite"))

import schema  # noqa: E402
from model import Graph, Tensor, write  # noqa: E402

schema.OPERATORS.update({
    "CALL": (31, 16, ["subgraph:u32"]),
    "LESS": (58, 44, []),
    "IF": (118, 92, ["then_subgraph:i32", "else_subgraph:i32"]),
    "WHILE": (119, 93, ["cond_subgraph:i32", "body_subgraph:i32"]),
})


def graph(inputs, outputs, *rest):
    """Tensors are (name, shape, kind[, data]); the first ones are inputs, the last ones outputs."""
    made = Graph()
    tensors = list(inputs) + list(rest) + list(outputs)
    made.names = {t[0]: made.add(Tensor(t[0], t[1], t[2], *t[3:])) for t in tensors}
    made.inputs = [made.names[t[0]] for t in inputs]
    made.outputs = [made.names[t[0]] for t in outputs]
    return made


def op(made, name, inputs, outputs, **options):
    made.op(name, [made.names[i] for i in inputs], [made.names[o] for o in outputs], **options)


def run(folder, graphs, **feeds):
    """The output, or what the command says against the model."""
    path = os.path.join(folder, "model.tflite")
    with open(path, "wb") as file:
        file.write(write(*graphs))
    args = []
    for name, value in feeds.items():
        np.save(os.path.join(folder, name + ".npy"), value)
        args += ["-i", f"{name}=@{folder}/{name}.npy"]
    out = os.path.join(folder, "out.npy")
    done = subprocess.run([sys.argv[1], "run", path, "-f", "-o", out, *args], capture_output=True, text=True,
                          check=False)
    return np.load(out) if done.returncode == 0 else done.stderr


def inspect(folder, graphs, *flags):
    """What the command says of the model's steps."""
    path = os.path.join(folder, "model.tflite")
    with open(path, "wb") as file:
        file.write(write(*graphs))
    done = subprocess.run([sys.argv[1], "inspect", path, *flags], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


X = ("x", [4], "f32")
Y = ("y", [4], "f32")
COUNT = ("n", [], "i32")
ONE = ("one", [], "i32", np.int32(1))


def branches():
    main = graph([("c", [], "bool"), X], [Y])
    op(main, "IF", ["c", "x"], ["y"], then_subgraph=1, else_subgraph=2)
    yes = graph([X], [Y])
    op(yes, "ADD", ["x", "x"], ["y"])
    no = graph([X], [Y], ("t", [4], "f32"))
    op(no, "MUL", ["x", "x"], ["t"])
    op(no, "SUB", ["t", "x"], ["y"])
    return [main, yes, no]


def calling():
    made = graph([X], [Y])
    op(made, "CALL", ["x"], ["y"], subgraph=1)
    return [made, branches()[2]]


def less():
    """i < n"""
    made = graph([("i", [], "i32"), COUNT, ("a", [4], "f32"), X], [("c", [], "bool")])
    op(made, "LESS", ["i", "n"], ["c"])
    return made


def loop(body):
    """a = body(a, x), n times; a begins as x."""
    zero = ("zero", [], "i32", np.int32(0))
    main = graph([COUNT, X], [Y], zero, ("i", [], "i32"), ("m", [], "i32"), ("z", [4], "f32"))
    op(main, "WHILE", ["zero", "n", "x", "x"], ["i", "m", "y", "z"], cond_subgraph=1, body_subgraph=2)
    return [main, less(), body]


def adding():
    made = graph([("i", [], "i32"), COUNT, ("a", [4], "f32"), X], [("j", [], "i32"), ("b", [4], "f32")], ONE)
    op(made, "ADD", ["i", "one"], ["j"])
    op(made, "ADD", ["a", "x"], ["b"])
    made.outputs = [made.names[k] for k in ("j", "n", "b", "x")]
    return made


def missing():
    """x -> ? -> the condition of an IF and the limit of a WHILE, whose subgraphs hold operators that no kernel will ever run: 51 is DELEGATE."""
    schema.OPERATORS.update({"UNKNOWN": (127, 0, []), "ODD": (51, 0, [])})
    main = graph([X], [Y], ("c", [], "bool"), ("n", [], "i32"), ("a", [4], "f32"), ("i", [], "i32"),
                 ("m", [], "i32"), ("z", [4], "f32"), ("zero", [], "i32", np.int32(0)))
    op(main, "UNKNOWN", ["x"], ["c"])
    op(main, "UNKNOWN", ["x"], ["n"])
    op(main, "IF", ["c", "x"], ["a"], then_subgraph=1, else_subgraph=2)
    op(main, "WHILE", ["zero", "n", "a", "x"], ["i", "m", "y", "z"], cond_subgraph=3, body_subgraph=4)
    yes, no = graph([X], [Y]), graph([X], [Y])
    op(yes, "ODD", ["x"], ["y"])
    op(no, "CALL", ["x"], ["y"], subgraph=1)
    return [main, yes, no, less(), adding()]


def main():
    x = np.array([1, -2, 3, 0.5], np.float32)
    failed = 0

    def expect(what, found, wanted):
        nonlocal failed
        good = wanted in found if isinstance(wanted, str) and isinstance(found, str) else (
            not isinstance(found, str) and not isinstance(wanted, str) and np.array_equal(found, wanted))
        failed += not good
        print("ok" if good else f"WRONG {found!r}, wanted {wanted!r}", "-", what)

    with tempfile.TemporaryDirectory() as folder:
        for c in (True, False):
            expect(f"IF of {c}", run(folder, branches(), c=np.bool_(c), x=x), x + x if c else x * x - x)
        for n in (0, 1, 2, 7, 1000):
            expect(f"WHILE, {n} times", run(folder, loop(adding()), n=np.int32(n), x=x), x * np.float32(n + 1))
        caller = calling()[0]
        expect("CALL", run(folder, calling(), x=x), x * x - x)
        expect("a subgraph that calls itself", run(folder, [caller, caller], x=x), "one may call itself")
        expect("a subgraph that is not there", run(folder, [caller], x=x), "there is no subgraph 1")
        expect("a branch with another number of inputs",
               run(folder, [branches()[0], less(), less()], c=np.bool_(True), x=x), "inputs; it gets 1")
        expect("a condition of no condition", run(folder, [*loop(adding())[:1], adding(), adding()], n=np.int32(1), x=x),
               "its condition has 4 outputs")
        steps = json.loads(inspect(folder, loop(adding()), "--steps", "--json"))["steps"]
        inside = {s["node"]: s for s in steps if s.get("within") == "i"}
        expect("steps of a loop follow it", str(sorted(inside)), "['i/body/b', 'i/body/j', 'i/condition/c']")
        expect("... and say of which graph they are", inside["i/body/j"]["graph"] + inside["i/body/j"]["op"], "bodyAddV2")
        expect("a step of a graph is explained", inspect(folder, loop(adding()), "--explain", "i/body/j"),
               "node i/body/j, op AddV2:\n  kernel 'Add")
        expect("a loop is explained by its graph", inspect(folder, loop(adding()), "--explain", "i"),
               "node i, op Oribi>Loop:\n  graph body: 3 steps")
        expect("a node that is near one of a graph", inspect(folder, loop(adding()), "--explain", "i/body/k"),
               "did you mean 'i/body/")
        expect("branches are explained", inspect(folder, branches(), "--explain", "y"),
               "\n  graph then: 1 step\n  graph else: 2 steps")
        report = run(folder, missing(), x=x)
        expect("what is missing, each in its place", report, "2 ops of the model are not provided")
        expect("... in front", report, "2 nodes: 'c', 'n'")
        expect("... in subgraphs of what waits", report, "2 nodes: 'a/then/y', 'a/else/y/call/y'")
        odd, made = less(), adding()
        odd.operators[0] = ("UNKNOWN", *odd.operators[0][1:])
        made.operators[0] = ("ODD", *made.operators[0][1:])
        report = run(folder, [loop(made)[0], odd, made], n=np.int32(1), x=x)
        expect("a body is looked at, too, when its condition is missing", report, "node 'i/body/j'")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
