#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Expected output shapes of tests/op/shapes.txt, from TensorFlow's own shape functions.

    python shapes.py            fills in the last column of the table
    python shapes.py --check    compares it; 77 without tensorflow 2.16
    python shapes.py --messages prints TensorFlow's message for each failing case

A line is: op | inputs | attributes | outputs. An input is dtype[dims], dtype? for an unknown rank,
with {values} when the value is known, of which some may be "?"; resource[]->dtype[dims] is the
handle of a variable. Attributes are `name=value` in
protobuf text format, joined by "; ". Type attributes and lengths follow from the inputs. The outputs
are shapes, or "error". A fifth column, "ours OUTPUTS: why", stays as it is.
"""
import argparse
import os
import pathlib
import re
import sys

TABLE = pathlib.Path(__file__).resolve().parents[1] / "op" / "shapes.txt"
BASELINE = "2.16."
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import numpy as np
    import tensorflow as tf
    from google.protobuf import text_format
    from tensorflow.core.framework import attr_value_pb2
    from tensorflow.python.framework import op_def_registry
except ImportError:
    print("skipped: no tensorflow in this Python")
    sys.exit(77)

SCALARS = {"int": "i", "float": "f", "bool": "b", "type": "type", "shape": "shape", "string": "s",
           "tensor": "tensor", "func": "func"}


def parse_input(text):
    match = re.fullmatch(r"(\w+)(\?|\[([^\]]*)\])(\{(.*)\})?", text)
    if not match:
        sys.exit(f"shapes: bad input '{text}'")
    dims = None if match[2] == "?" else [None if d == "?" else int(d) for d in match[3].split(",")
                                        if d]
    values = match[5].split(",") if match[4] else None
    return tf.as_dtype(match[1]), dims, [v for v in values if v] if values is not None else None


def make_input(text):
    if "->" in text:
        dtype, dims, _ = parse_input(text.split("->")[1])
        return tf.raw_ops.VarHandleOp(dtype=dtype, shape=tf.TensorShape(dims))
    dtype, dims, values = parse_input(text)
    if values is None:
        return tf.compat.v1.placeholder(dtype, dims)
    if "?" in values:  # partly known: a vector packed from constants and unknown scalars
        parts = [tf.compat.v1.placeholder(dtype, []) if v == "?" else tf.constant(int(v), dtype)
                 for v in values]
        return tf.raw_ops.Pack(values=parts)
    return tf.constant(np.array([float(v) for v in values], dtype.as_numpy_dtype).reshape(dims))


def parse_attr(kind, text):
    value = attr_value_pb2.AttrValue()
    is_list = kind.startswith("list(")
    base = kind[5:-1] if is_list else kind
    body = f"{SCALARS[base]}: {text}"
    text_format.Parse(f"list {{ {body} }}" if is_list else body, value)
    if is_list and text.strip() == "[]":
        value.list.SetInParent()
    return value


def complete_attrs(op_def, inputs, attrs):
    """Type attributes and lengths from the inputs."""
    at = 0
    for arg in op_def.input_arg:
        left = len(inputs) - at
        others = len(op_def.input_arg) - 1 - list(op_def.input_arg).index(arg)
        length = 1
        if arg.number_attr:
            if arg.number_attr not in attrs:
                attrs[arg.number_attr] = attr_value_pb2.AttrValue(i=left - others)
            length = attrs[arg.number_attr].i
        elif arg.type_list_attr:
            if arg.type_list_attr not in attrs:
                attrs[arg.type_list_attr] = attr_value_pb2.AttrValue()
                attrs[arg.type_list_attr].list.SetInParent()
                rest = inputs[at:len(inputs) - others] if others else inputs[at:]
                attrs[arg.type_list_attr].list.type.extend(x.dtype.as_datatype_enum for x in rest)
            length = len(attrs[arg.type_list_attr].list.type)
        if arg.type_attr and arg.type_attr not in attrs and length > 0:
            attrs[arg.type_attr] = attr_value_pb2.AttrValue(
                type=inputs[at].dtype.as_datatype_enum)
        at += length


def fill_host_args(op_name, attrs):
    if op_name == "_FusedConv2D":
        attrs.setdefault("num_host_args", attr_value_pb2.AttrValue(i=0))


def infer(line):
    op_name, inputs, attr_text = [part.strip() for part in line.split("|")[:3]]
    op_def = op_def_registry.get(op_name)
    kinds = {a.name: a.type for a in op_def.attr}
    attrs = {}
    for pair in filter(None, attr_text.split("; ")):
        name, value = pair.split("=", 1)
        attrs[name] = parse_attr(kinds[name], value)
    fill_host_args(op_name, attrs)
    with tf.Graph().as_default() as graph:
        tensors = [make_input(i) for i in inputs.split()]
        complete_attrs(op_def, tensors, attrs)
        node = tf.compat.v1.NodeDef(name="node", op=op_name, input=[t.op.name for t in tensors])
        for name, value in attrs.items():
            node.attr[name].CopyFrom(value)
        graph_def = graph.as_graph_def()
        graph_def.node.add().CopyFrom(node)
    with tf.Graph().as_default() as graph:
        try:
            tf.import_graph_def(graph_def, name="")
        except ValueError as error:
            return "error", str(error)
        outputs = graph.get_operation_by_name("node").outputs
        return " ".join(show(o.shape) for o in outputs), ""


def show(shape):
    if shape.rank is None:
        return "?"
    return "[" + ",".join("?" if d is None else str(d) for d in shape.as_list()) + "]"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--messages", action="store_true")
    args = parser.parse_args()
    if args.check and not tf.__version__.startswith(BASELINE):
        print(f"skipped: the table is that of tensorflow {BASELINE}x, here is {tf.__version__}")
        sys.exit(77)
    lines, wrong, count = [], 0, 0
    for line in TABLE.read_text().splitlines():
        if not line or line.startswith("#"):
            lines.append(line)
            continue
        result, message = infer(line)
        *columns, present = line.split("|")[:4]
        head, ours = "|".join(columns), line.split("|")[4:]
        count += 1
        if args.messages and message:
            print(f"{head.strip()}\n    {message}")
        if present.strip() != result:
            wrong += 1
            if args.check:
                print(f"{head.strip()}: table {present.strip()}, tensorflow {result} {message}")
        lines.append(" |".join([f"{head.rstrip()} | {result}".rstrip()] + ours))
    print(f"{count} cases, {wrong} differ from tensorflow {tf.__version__}")
    if args.check:
        sys.exit(1 if wrong else 0)
    TABLE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
