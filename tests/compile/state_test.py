#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Variables of TFLite models that cannot be kept are refused with the reason.

    state_test.py ORIBI SOURCE_FOLDER"""
import pathlib
import subprocess
import sys
import tempfile


def streaming(initial=True, shape=(2, 3), inner=False, subgraph=1, late=False, computes=False):
    """A model that hands out what it was given in the run before."""
    main, init = model.Graph(), model.Graph("init")

    def handle(graph):
        index = graph.add(model.Tensor("handle", [], "resource"))
        graph.op("VAR_HANDLE", [], [index], container="", shared_name="kept */ <b>")
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
    ({"shape": (3, 2)}, "is read with another type or shape"),
    ({"inner": True}, "CALL_ONCE inside an initialiser"),
    ({"subgraph": 7}, "CALL_ONCE names subgraph 7, and there are 2"),
    ({"subgraph": 0}, "the initialiser is subgraph 0"),
    ({"late": True}, "an initialiser behind the first use of a variable"),
    ({"computes": True}, "an initialiser that computes what it assigns"),
]


def main():
    oribi = sys.argv[1]
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        path, out = pathlib.Path(name) / "model.tflite", pathlib.Path(name) / "c"

        def compile_it(data):
            path.write_bytes(data)
            return subprocess.run([oribi, "compile", path, "-o", out, "--force"], capture_output=True, text=True)

        done = compile_it(streaming())
        header = (out / "tvmgen_model.h").read_text() if done.returncode == 0 else ""
        if "struct tvmgen_model_state {" not in header or "*/ <b>" in header:
            print(f"the good model: {done.stderr}\n{header[:2000]}")
            bad += 1
        for options, wanted in CASES:
            done = compile_it(streaming(**options))
            if done.returncode == 0 or wanted not in done.stderr:
                print(f"{options}: exit {done.returncode}, wanted '{wanted}', got: {done.stderr}")
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(sys.argv[2]) / "tests/peer/tflite"))
    import model
    import numpy as np
    sys.exit(main())
