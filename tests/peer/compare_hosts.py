#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One plugin binary in two hosts: compiled against TensorFlow's own C headers, loaded by TensorFlow and
by Oribi, each in a process of its own, must give the same bits. And the other way round: compiled
against Oribi's headers with weak references, a plugin uses extension functions where they are.

    PYTHON_WITH_TENSORFLOW tests/peer/compare_hosts.py ORIBI SOURCE [--report docs/reference/two-hosts.md]

Needs tensorflow-cpu 2.16.x (the baseline of the contract) and g++; exits 77 without.
"""
import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77
try:
    import numpy as np
    import tensorflow as tf
    from tensorflow.python.eager import context, execute
    from tensorflow.python.framework import load_library
except ImportError:
    print("skipped: no tensorflow")
    sys.exit(SKIP)
if not tf.__version__.startswith("2.16."):
    print(f"skipped: tensorflow {tf.__version__}, not 2.16.x")
    sys.exit(SKIP)

ATTRS = {"i": 70000, "s": "hello", "li": [1, 2, 3], "ls": ["ab", "cde"]}
X4 = [0.5, -1.25, 3.0, 1e-3]
MANY = [i / 7 - 100 for i in range(3000)]
# Bits of the second output of Weak: pool, input type, resources; none in TensorFlow.
USED_THERE, USED_HERE = 0, 7
LENGTHS = [0, 1, 21, 22, 23, 24, 100, 5000]


def in_tensorflow(plugin, wanted):
    """Results of the wanted case as a list of lists, or [code, message] of a failure."""
    # The plugin needs no library by name, so TensorFlow's symbols must be global.
    for library in ("libtensorflow_framework.so.2", "libtensorflow_cc.so.2"):
        ctypes.CDLL(str(pathlib.Path(tf.sysconfig.get_lib()) / library), ctypes.RTLD_GLOBAL)
    load_library.load_pluggable_device_library(plugin)
    context.ensure_initialized()
    ctx = context.context()

    def run(name, n, inputs, attrs):
        return execute.execute(name.encode(), n, inputs, attrs, ctx)

    def constant(values, kind):
        return tf.constant(values, kind)

    x = constant(X4, tf.float32)
    if wanted == "Attrs":
        attrs = ("i", ATTRS["i"], "f", 0.25, "b", True, "t", tf.int8.as_datatype_enum, "s", ATTRS["s"],
                 "sh", [3, 5], "li", ATTRS["li"], "lf", [0.5, 1.5],
                 "lb", [True, False, True], "lt",
                 [tf.float32.as_datatype_enum, tf.string.as_datatype_enum], "ls", ATTRS["ls"],
                 "none", [])
        return run("Com>Acme>Attrs", 1, [], attrs)
    if wanted == "Sum":
        return run("Com>Acme>Sum", 1, [x, x, x, x], ("N", 3))
    if wanted == "Text":
        text = run("Com>Acme>ToText", 1, [constant(LENGTHS, tf.int32)], ())
        return run("Com>Acme>FromText", 1, list(text), ())
    if wanted == "Forward":
        return run("Com>Acme>Forward", 2, [constant([1, 2, 3, 4.5], tf.float32)], ())
    if wanted == "Fails":
        return run("Com>Acme>Fails", 1, [x], ())
    if wanted == "Weak":
        return run("Com>Acme>Weak", 2, [constant(MANY, tf.float32)], ())
    variable = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2], shared_name="v")
    return run("Com>Acme>Counter", 1, [variable, constant([1.5, -2], tf.float32)], ())


def child(plugin, wanted):
    try:
        print(json.dumps([np.asarray(t).ravel().tolist() for t in in_tensorflow(plugin, wanted)]))
    except tf.errors.OpError as error:
        print(json.dumps({"code": error.error_code, "first": "first reason" in error.message,
                          "text": error.message}))


def models(folder, source):
    """The same cases as ONNX models for Oribi, with the inputs of the command line."""
    sys.path.insert(0, str(source / "tests/cli"))
    import onnx_lite as o

    def write(name, nodes, inputs, outputs):
        path = folder / f"{name}.onnx"
        path.write_bytes(o.model(nodes, inputs, outputs, domains=["com.acme", "org.tensorflow"]))
        return path

    acme = {"domain": "com.acme"}
    x, y = o.info("x", [4]), o.info("y", [4])
    attr_node = o.node("Attrs", [], ["y"], i=ATTRS["i"], s=ATTRS["s"], li=ATTRS["li"], **acme)
    attr_node += b"".join(o.field(5, a) for a in [strings(o, "ls", ATTRS["ls"])])
    text = [o.node("ToText", ["x"], ["t"], **acme), o.node("FromText", ["t"], ["y"], **acme)]
    counter = [o.node("VarHandleOp", [], ["v"], domain="org.tensorflow", dtype=1, shape=[2],
                      shared_name="v"), o.node("Counter", ["v", "x"], ["y"], **acme)]
    x4 = "x=4xf32=" + ",".join(map(str, X4))
    n = len(LENGTHS)
    return {
        "Attrs": (write("a", [attr_node], [], [o.info("y", [40], 11)]), []),
        "Sum": (write("s", [o.node("Sum", ["x"] * 4, ["y"], **acme)], [x], [o.info("y", [6], 11)]), [x4]),
        "Text": (write("t", text, [o.info("x", [n], 6)], [o.info("y", [n], 6)]),
                 [f"x={n}xi32=" + ",".join(map(str, LENGTHS))]),
        "Forward": (write("f", [o.node("Forward", ["x"], ["y", "facts"], **acme)], [x],
                          [o.info("y", [2, 2]), o.info("facts", [8], 6)]), ["x=4xf32=1,2,3,4.5"]),
        "Fails": (write("e", [o.node("Fails", ["x"], ["y"], **acme)], [x], [y]), [x4]),
        "Weak": (write("w", [o.node("Weak", ["x"], ["y", "used"], **acme)],
                       [o.info("x", [len(MANY)])], [o.info("y", [len(MANY)]), o.info("used", [], 6)]),
                 [f"x={len(MANY)}xf32=" + ",".join(map(repr, MANY))]),
        "Counter": (write("v", counter, [o.info("x", [2])], [y]), ["x=2xf32=1.5,-2"]),
    }


def strings(o, name, values):
    return o.field(1, name) + b"".join(o.field(9, v) for v in values) + o.field(20, 8)


def in_oribi(oribi, plugin, case):
    model, inputs = case
    stored = str(model) + ".npz"
    args = [oribi, "run", str(model), "--plugin", plugin, "-o", stored]
    for text in inputs:
        args += ["-i", text]
    done = subprocess.run(args, capture_output=True, text=True)
    if done.returncode != 0:
        return {"code": done.returncode, "text": done.stderr}
    with np.load(stored) as outputs:
        return [outputs[name].ravel().tolist() for name in outputs.files]


def build(folder, source):
    """By case: Weak's plugin against our headers, that of the others against TensorFlow's."""
    theirs, weak = str(folder / "contract_plugin.so"), str(folder / "weak_plugin.so")
    subprocess.run(["g++", "-std=c++17", "-O1", "-shared", "-fPIC", f"-I{tf.sysconfig.get_include()}",
                    str(source / "tests/peer/plugin/contract_plugin.cc"), "-o", theirs], check=True)
    subprocess.run(["gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                    "-ffp-contract=off", f"-I{source}/include",
                    str(source / "tests/peer/plugin/weak_plugin.c"), "-o", weak], check=True)
    return lambda case: weak if case == "Weak" else theirs


def compare(name, theirs, ours):
    if name == "Fails":
        good = theirs.get("code") == 15 and theirs.get("first") and "the first reason" in ours.get("text", "")
    elif name == "Weak":
        good = (isinstance(ours, list) and ours[0] == theirs[0] and theirs[1] == [USED_THERE] and
                ours[1] == [USED_HERE])
    else:
        good = ours == theirs
    if not good:
        print(f"{name}:\n  TensorFlow {theirs}\n  Oribi      {ours}")
    return good


def main():
    oribi, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    rows, bad = [], 0
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        plugin_of = build(folder, source)
        for name, case in models(folder, source).items():
            plugin = plugin_of(name)
            done = subprocess.run([sys.executable, __file__, "--child", plugin, name],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"TensorFlow failed on {name}: {done.stderr[-600:]}")
            theirs = json.loads(done.stdout.splitlines()[-1])
            good = compare(name, theirs, in_oribi(oribi, plugin, case))
            bad += not good
            numbers = len(MANY) if name == "Weak" else sum(map(len, theirs)) if isinstance(theirs, list) else 1
            rows.append(f"| {name} | {numbers} | {'same' if good else 'DIFFERENT'} |")
    table = "\n".join(rows)
    print(table)
    if "--report" in sys.argv:
        page = f"""# One plugin binary, two hosts

Last result of `tests/peer/compare_hosts.py` with tensorflow {tf.__version__}: the plugin
`tests/peer/plugin/contract_plugin.cc`, compiled once against the C headers of TensorFlow's wheel, loaded by TensorFlow and by
Oribi.

| case | numbers compared | bits |
|---|---:|---|
{table}

Attrs: attributes of every kind, sizes, truncation, wrong and missing ones. Sum: a list input and its range. Text: strings
of 0 to 5000 bytes. Forward: in place, host memory, what a context tells. Fails: code and message of the first failure.
Counter: a variable assigned, updated and read.

Weak is the other way round: `tests/peer/plugin/weak_plugin.c`, compiled once against Oribi's headers with `TF_CAPI_WEAK` defined,
so that a reference to a function that the host lacks is NULL. In Oribi it computes on the host's threads and has a resource, in
TensorFlow it loops by itself; what it computes has the same bits. A second output says which functions were used: none of the
extension in TensorFlow, all in Oribi, and neither has one that no host knows.
"""
        pathlib.Path(sys.argv[sys.argv.index("--report") + 1]).write_text(page)
    sys.exit(1 if bad else 0)


if sys.argv[1] == "--child":
    child(sys.argv[2], sys.argv[3])
else:
    main()
