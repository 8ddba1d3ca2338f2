#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Single operators of 128 x 1536 floats: our time over ONNX Runtime's on one thread, and how far the answers
lie apart. The two sides take turns; least time over least time. Needs numpy, onnx and onnxruntime.
Usage: peer_ops.py [--oribi build/bin/oribi] [--rounds 5] [NAME ...]
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    sys.exit(f"skipped: {error}")

ROWS, COLUMNS = 128, 1536


def model(nodes, constants=()):
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [ROWS, COLUMNS]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:],
                              [numpy_helper.from_array(numpy.array(v, numpy.float32), n) for n, v in constants])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def one(op, *constants, **attrs):
    names = [f"c{i}" for i in range(len(constants))]
    return model([helper.make_node(op, ["x", *names], ["y"], **attrs)], list(zip(names, constants)))


def chain(text, constants):
    """'a = Op b c' in lines."""
    nodes = []
    for line in text.strip().splitlines():
        target, call = line.split("=", 1)
        op, *inputs = call.split()
        op, _, axes = op.partition(":")
        attrs = {} if not axes else {"axis": int(axes)}
        nodes.append(helper.make_node(op, inputs, [target.strip()], **attrs))
    return model(nodes, constants)


GELU = chain("a = Div x root\nb = Erf a\nc = Add b one\nd = Mul x c\ny = Mul d half",
             [("root", 1.41421356), ("one", 1), ("half", 0.5)])
GELU_TANH = chain("a = Pow x three\nb = Mul a k\nc = Add x b\nd = Mul c s\ne = Tanh d\nf = Add e one\n"
                  "g = Mul x f\ny = Mul g half",
                  [("three", 3), ("k", 0.044715), ("s", 0.7978845608), ("one", 1), ("half", 0.5)])
SILU = chain("a = Sigmoid x\ny = Mul x a", [])


def layer_norm():
    node, means = helper.make_node, []
    for source, target in (("x", "m"), ("q", "v")):
        means.append(node("ReduceMean", [source, "axes"], [target], keepdims=1))
    built = model([means[0], node("Sub", ["x", "m"], ["d"]), node("Pow", ["d", "two"], ["q"]), means[1],
                   node("Add", ["v", "eps"], ["e"]), node("Sqrt", ["e"], ["r"]), node("Div", ["d", "r"], ["n"]),
                   node("Mul", ["n", "w"], ["s"]), node("Add", ["s", "b"], ["y"])],
                  [("two", 2), ("eps", 1e-5), ("w", numpy.linspace(0.5, 2, COLUMNS)),
                   ("b", numpy.linspace(-1, 1, COLUMNS))])
    built.graph.initializer.append(numpy_helper.from_array(numpy.array([-1]), "axes"))
    return built


CASES = {
    "Erf": one("Erf"), "Gelu": one("Gelu"), "Gelu tanh": one("Gelu", approximate="tanh"),
    "Gelu of nodes": GELU, "Gelu tanh of nodes": GELU_TANH, "SiLU of nodes": SILU,
    "Pow 2": one("Pow", 2), "Pow 3": one("Pow", 3), "Pow 0.5": one("Pow", 0.5), "Pow -1": one("Pow", -1),
    "Pow -0.5": one("Pow", -0.5), "Pow 1.7": one("Pow", 1.7), "Pow of tensors": one("Pow", numpy.full(COLUMNS, 1.7)),
    "Exp": one("Exp"), "Log": one("Log"), "Sigmoid": one("Sigmoid"), "Tanh": one("Tanh"), "Softplus": one("Softplus"),
    "Elu": one("Elu"), "HardSwish": one("HardSwish"), "HardSigmoid": one("HardSigmoid"), "Mish": one("Mish"),
    "PRelu": one("PRelu", numpy.linspace(0.1, 0.3, COLUMNS)), "Softmax": one("Softmax", axis=-1),
    "LogSoftmax": one("LogSoftmax", axis=-1), "LeakyRelu": one("LeakyRelu"),
    "LayerNormalization": one("LayerNormalization", numpy.linspace(0.5, 2, COLUMNS), numpy.linspace(-1, 1, COLUMNS)),
    "LayerNorm of nodes": layer_norm(),
}


def ours(oribi, path, runs):
    done = subprocess.run([oribi, "bench", path, "--threads", "1", "--runs", str(runs), "--json"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)["min_ms"]


def theirs(session, feed, runs):
    best = float("inf")
    for _ in range(runs):
        begin = time.perf_counter()
        session.run(None, feed)
        best = min(best, time.perf_counter() - begin)
    return best * 1e3


def apart(oribi, path, session, feed, folder):
    numpy.save(folder / "x.npy", feed["x"])
    subprocess.run([oribi, "run", path, "-i", f"x=@{folder}/x.npy", "-f", "-o", f"{folder}/y.npy"], check=True,
                   capture_output=True)
    want = session.run(None, feed)[0]
    return numpy.max(numpy.abs(numpy.load(folder / "y.npy") - want) / (numpy.abs(want) + 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oribi", default="build/bin/oribi")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    feed = {"x": numpy.random.default_rng(1).uniform(0.05, 4, (ROWS, COLUMNS)).astype(numpy.float32)}
    print("| operator | Oribi, us | ONNX Runtime, us | ratio | apart |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for title in args.names or CASES:
            path = folder / "m.onnx"
            onnx.save(CASES[title], path)
            session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
            pairs = [(ours(args.oribi, path, args.runs), theirs(session, feed, args.runs))
                     for _ in range(args.rounds)]
            mine, peer = (min(times) for times in zip(*pairs))
            print(f"| {title} | {mine * 1e3:.0f} | {peer * 1e3:.0f} | {mine / peer:.2f} | "
                  f"{apart(args.oribi, path, session, feed, folder):.0e} |", flush=True)


if __name__ == "__main__":
    main()
