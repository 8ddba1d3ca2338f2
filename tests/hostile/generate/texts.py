#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes into the present folder models whose texts become many times what the file has, and a.txt, a
text of a megabyte. Texts lie outside of the tensors that are counted by their shapes."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cli"))
import onnx_lite as onnx  # noqa: E402

TEXT, MEGABYTE = 8, "a" * 1_000_000
field = onnx.field


def strings(name, *texts):
    return field(1, len(texts)) + field(2, TEXT) + field(8, name) + b"".join(field(6, t) for t in texts)


def write(name, nodes, outputs, weights=(), inputs=(), opset=20):
    data = onnx.model(nodes, inputs or [onnx.info("x", [1], TEXT)], [onnx.info(y, dims, TEXT) for y, dims in outputs],
                      weights, opset)
    pathlib.Path(f"{name}.onnx").write_bytes(data)


def times(n):
    return onnx.tensor("n", np.array([n], np.int64))


pathlib.Path("a.txt").write_text(MEGABYTE)
write("moved", [onnx.node("Tile", ["x", "n"], ["y"])], [("y", [1000])], [times(1000)])
write("viewed", [onnx.node("Expand", ["x", "n"], ["y"])], [("y", [1000])], [times(1000)])
write("gathered", [onnx.node("Gather", ["x", "i"], ["y"])], [("y", [1000])],
      [onnx.tensor("i", np.zeros(1000, np.int64))])
write("doubled", [onnx.node("StringConcat", [f"v{i}" if i else "x"] * 2, [f"v{i + 1}"]) for i in range(40)],
      [("v40", [1])])
write("kept", [onnx.node("Tile", ["x", "n"], [f"y{i}"]) for i in range(50)], [(f"y{i}", [20]) for i in range(50)],
      [times(20)])
write("labels", [field(1, "i") + field(2, "y") + field(3, "l") + field(4, "LabelEncoder") + field(7, "ai.onnx.ml") +
                 field(5, onnx.attribute("keys_int64s", [1])) + field(5, onnx.attribute("values_strings", ["b"])) +
                 field(5, onnx.attribute("default_string", MEGABYTE))], [("y", [1000])],
      inputs=[onnx.info("i", [1000], 7)])
write("folded", [onnx.node("Tile", ["c", "n"], ["t"]), onnx.node("StringConcat", ["t", "x"], ["y"])], [("y", [1000])],
      [times(1000), strings("c", MEGABYTE)])
write("broadcast", [onnx.node("Expand", ["c", "n"], ["t"]), onnx.node("StringConcat", ["t", "x"], ["y"])],
      [("y", [1000])], [times(1000), strings("c", MEGABYTE)])
write("fits", [onnx.node("Tile", ["x", "n"], ["y"])], [("y", [20])], [times(20)])


def attr(name, value):
    return field(5, field(1, name) + field(2, value))


# A GraphDef: a constant of a million texts, of which the last stands for all that are not there.
constant = field(1, 7) + field(2, field(2, field(1, 1_000_000))) + field(8, "a" * 1000)
pathlib.Path("repeated.pb").write_bytes(
    field(1, field(1, "c") + field(2, "Const") + attr("dtype", field(6, 7)) + attr("value", field(8, constant))) +
    field(1, field(1, "y") + field(2, "Identity") + field(3, "c") + attr("T", field(6, 7))))
