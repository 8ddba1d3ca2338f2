#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Variables of TFLite models that cannot be kept, or outputs that are one, are refused with the reason; names of
those that can.

    state_test.py ORIBI SOURCE_FOLDER"""
import pathlib
import subprocess
import sys
import tempfile


def two_variables(names):
    """y is what the first held, the first becomes what the second held, the second x."""
    main, init = model.Graph(), model.Graph("init")
    handles = [[g.add(model.Tensor(f"handle{i}", [], "resource")) for i in range(2)] for g in (main, init)]
    for graph, own in ((main, handles[0]), (init, handles[1])):
        for handle, name in zip(own, names):
            graph.op("VAR_HANDLE", [], [handle], container="", shared_name=name)
    first = init.add(model.Tensor("first", [4], "f32", np.zeros(4, np.float32)))
    for handle in handles[1]:
        init.op("ASSIGN_VARIABLE", [handle, first], [])
    x, y, old = (main.add(model.Tensor(n, [4], "f32")) for n in ("x", "y", "old"))
    main.inputs, main.outputs = [x], [y]
    main.op("CALL_ONCE", [], [], init_subgraph=1)
    main.op("READ_VARIABLE", [handles[0][0]], [y])
    main.op("READ_VARIABLE", [handles[0][1]], [old])
    main.op("ASSIGN_VARIABLE", [handles[0][0], old], [])
    main.op("ASSIGN_VARIABLE", [handles[0][1], x], [])
    return model.write(main, init)


def streaming(name="kept */ <b>", initial=True, shape=(2, 3), inner=False, subgraph=1, late=False, computes=False):
    """A model that hands out what it was given in the run before."""
    main, init = model.Graph(), model.Graph("init")

    def handle(graph):
        index = graph.add(model.Tensor("handle", [], "resource"))
        graph.op("VAR_HANDLE", [], [index], container="", shared_name=name)
        return index

    first = init.add(model.Tensor("first", shape, "f32", np.zeros(shape, np.float32)))
    if computes:
        source, first = first, init.add(model.Tensor("sum", shape, "f32"))
        init.op("ADD", [source, source], [first])
    init.op("ASSIGN_VARIABLE", [handle(init), first], [])
    if inner:
        init.op("CALL_ONCE", [], [], init_subgraph=1)
    x = main.add(model.Tensor("x", [2, 3], "f32"))
    y = main.add(model.Tensor("y", [2, 3], "f32"))
    main.inputs, main.outputs = [x], [y]
    kept = handle(main)
    if initial and not late:
        main.op("CALL_ONCE", [], [], init_subgraph=subgraph)
    main.op("READ_VARIABLE", [kept], [y])
    main.op("ASSIGN_VARIABLE", [kept, x], [])
    if late:
        main.op("CALL_ONCE", [], [], init_subgraph=subgraph)
    return model.write(main, init)


CASES = [
    ({"initial": False}, "is read before it has a value"),
    ({"shape": (3, 2)}, "is read with a type or shape other than"),
    ({"inner": True}, "CALL_ONCE is not supported inside an initialiser"),
    ({"subgraph": 7}, "CALL_ONCE names subgraph 7, but there are 2"),
    ({"subgraph": 0}, "subgraph 0 cannot be the initialiser"),
    ({"late": True}, "an initialiser must come before the first use of a variable"),
    ({"computes": True}, "an initialiser must assign constants, not computed values"),
]


def main():
    oribi = sys.argv[1]
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        path, out = pathlib.Path(name) / "model.tflite", pathlib.Path(name) / "c"

        def compile_it(data, *options):
            path.write_bytes(data)
            return subprocess.run([oribi, "compile", path, "-o", out, "--force", *options], capture_output=True, text=True)

        done = compile_it(streaming())
        header = (out / "tvmgen_model.h").read_text() if done.returncode == 0 else ""
        if "struct tvmgen_model_state {" not in header or "*/ <b>" in header:
            print(f"the good model: {done.stderr}\n{header[:2000]}")
            bad += 1
        # A variable may be called as an input is: their structs are two.
        for name, options, members in (("x", [], ("float x[6];", "const float *x;")),
                                       ("x", ["--rename", "variable:x=kept"], ("float kept[6];", "const float *x;")),
                                       ("x", ["--rename", "x=a", "--rename", "variable:x=b"],
                                        ("float b[6];", "const float *a;"))):
            done = compile_it(streaming(name), *options)
            header = (out / "tvmgen_model.h").read_text() if done.returncode == 0 else ""
            built = subprocess.run(["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-r", "-nostdlib",
                                    *out.rglob("*.c"), "-o", out / "whole.o"], capture_output=True, text=True)
            if built.returncode != 0 or not all(m in header for m in members):
                print(f"variable {name} {options}: {done.stderr}{built.stderr}\n{header[:2000]}")
                bad += 1
        for options, wanted in (([], "variable 'a:1' and variable 'a.1' would both be called 'a_1' in C; give one of them "
                                     "another name: --rename 'a.1=NEW'"), (["--rename", "a.1=b"], None)):
            done = compile_it(two_variables(["a:1", "a.1"]), *options)
            if (done.returncode == 0) != (wanted is None) or (wanted or "") not in done.stderr:
                print(f"two variables {options}: {done.stderr}")
                bad += 1
        for options, wanted in CASES:
            done = compile_it(streaming(**options))
            if done.returncode == 0 or wanted not in done.stderr:
                print(f"{options}: exit {done.returncode}, wanted '{wanted}', got: {done.stderr}")
                bad += 1
        # In the workspace such an output would lie upon other bytes.
        for data in (streaming(), two_variables("ab")):
            done = compile_it(data, "--io", "pool")
            wanted = "output 'y' is the state that the run before left; with --io pool it has no place: use --io caller"
            if done.returncode != 3 or wanted not in done.stderr:
                print(f"--io pool: exit {done.returncode}, wanted '{wanted}', got: {done.stderr}")
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(sys.argv[2]) / "tests/peer/tflite"))
    import model
    import numpy as np
    sys.exit(main())
