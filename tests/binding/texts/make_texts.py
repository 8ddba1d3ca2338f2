#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes texts.npz: what TensorFlow 2.16.1's own library says of ApiDefs that texts change, and of graphs as text.

    python3 -m venv peer && peer/bin/pip install tensorflow-cpu==2.16.1 && peer/bin/python make_texts.py

CASE/ops (an OpList), CASE/put:I (texts), CASE/code:I and CASE/message:I (of each), CASE/get:OP (ApiDefs after them); GRAPH/graph and
GRAPH/text."""
import os
import pathlib
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.framework import op_def_registry

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "gradients")]
import texts

API = texts.Api(pathlib.Path(tf.__file__).parent / "libtensorflow_cc.so.2")
FOUND = {}


def data(value):
    return np.frombuffer(value, np.uint8)


def api_defs(name, ops, *puts, described=True):
    listed = op_def_pb2.OpList()
    for op in ops:
        listed.op.add().CopyFrom(op_def_registry.get(op))
    if described:
        first = listed.op[0]
        first.summary, first.description = f"What `{first.name}` does", f"Of `{first.input_arg[0].name}` and `{first.attr[0].name}`."
        first.input_arg[0].description = f"`{first.input_arg[0].name}`s, `{first.name}`"
        first.attr[0].description = "a type"
    wire = listed.SerializeToString(deterministic=True)
    results, found = API.api_defs(wire, [p.encode() for p in puts], ops)
    FOUND[f"{name}/ops"] = data(wire)
    for i, (text, (code, message)) in enumerate(zip(puts, results)):
        FOUND.update({f"{name}/put:{i}": data(text.encode()), f"{name}/code:{i}": np.array(code), f"{name}/message:{i}": data(message)})
    FOUND.update({f"{name}/get:{op}": data(value) for op, value in found.items()})


api_defs("as_they_are", ["Conv2D", "SplitV", "NoOp", "Const"])
api_defs("changed", ["Conv2D", "SplitV"], '''# As TensorFlow's files are
op {
  graph_op_name: "Conv2D"
  visibility: HIDDEN
  endpoint {
    name: "nn.Conv"
  }
  endpoint: { name: 'old' , deprecated: true deprecation_version: 3 };
  in_arg {
    name: "input"
    rename_to: "x"
    description: <<END
Line `input` one
 "two" \\ three
END
  }
  attr { name: "padding" rename_to: "pad" default_value { s: "SA" 'ME\\n\\x41\\101' } description: "a" }
  attr { name: "strides" default_value { list { i: [1, 2] i: 0x10 } } }
  attr { name: "T" rename_to: "type" default_value { type: DT_HALF } }
  attr { name: "dilations" default_value { list { f: [0.5, -2e3, inf] f: 1.25f } } }
  attr { name: "explicit_paddings" default_value { list { type: [DT_INT64, DT_HALF] } } }
  attr { name: "use_cudnn_on_gpu" default_value { b: false } }
  attr { name: "data_format" default_value { shape { dim { size: -1 } dim { size: 3 name: "n" } } } }
  arg_order: "filter"
  arg_order: "input"
  summary: "`Conv2D` of `T`"
  description_prefix: "before"
  description_suffix: "after `padding`"
}
op { graph_op_name: "Nowhere" summary: "x" }
''', 'op { graph_op_name: "SplitV" visibility: SKIP }')
api_defs("wrong", ["SplitV"], 'op { graph_op_name: "SplitV" in_arg { name: "zzz" } }', 'op { graph_op_name: "SplitV" arg_order: "value" }',
         'op { graph_op_name: "SplitV" arg_order: "value" arg_order: "value" arg_order: "split_dim" }',
         'op { graph_op_name: "SplitV" attr { name: "q" } }', 'op { graph_op_name: "SplitV" nonsense: 1 }', 'op { graph_op_name: "SplitV" ',
         'op { graph_op_name: "SplitV', 'op { graph_op_name SplitV }', 'op { visibility: 9x }', 'op [', 'op { summary: <<END\nx }', "}", "op: 3")
for name in ["network", "Complex", "Pad", "GatherNd", "Einsum_ab,bc->ac", "FusedBatchNormV3_True_NCHW", "doubles"]:
    graph = np.load(FOLDER.parent / "gradients/gradients.npz")[f"{name}/graph"]
    FOUND.update({f"{name}/graph": graph, f"{name}/text": data(API.debug_string(graph.tobytes()))})
np.savez_compressed(FOLDER / "texts.npz", **FOUND)
