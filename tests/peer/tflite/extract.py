#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the models of the vectors as files, seeds of a fuzzer: extract.py FOLDER [onnx]. With `onnx` those of
ONNX alone; else all, since the compiler takes both."""
import pathlib
import sys

sys.dont_write_bytecode = True
import container

out = pathlib.Path(sys.argv[1])
for path in sorted((pathlib.Path(__file__).parents[2] / "vectors").glob("*.bin.xz")):
    if sys.argv[2:] == ["onnx"] and not path.name.startswith("onnx_"):
        continue
    head, cases = container.unpack(path)
    for case in cases[::6]:
        (out / f"{head['operator']}_{head['type']}_{case.name}.tflite".replace("/", "_")).write_bytes(case.model)
