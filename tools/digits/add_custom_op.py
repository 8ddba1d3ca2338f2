#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes digits_centred.onnx: the digit classifier with an op of the domain com.acme in front, which
only the plugin examples/custom_op knows.

    build/train/bin/python tools/digits/add_custom_op.py examples/digits/digits.onnx \\
        examples/custom_op/digits_centred.onnx
"""
import sys

import onnx
from onnx import helper

model = onnx.load(sys.argv[1])
node = helper.make_node("Centre", ["picture"], ["centred"], name="centre", domain="com.acme",
                        max_shift=1)
for other in model.graph.node:
    other.input[:] = ["centred" if name == "picture" else name for name in other.input]
model.graph.node.insert(0, node)
model.opset_import.append(helper.make_opsetid("com.acme", 1))
open(sys.argv[2], "wb").write(model.SerializeToString())
