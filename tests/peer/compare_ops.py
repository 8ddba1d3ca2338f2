#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares every op of ours that bears a TensorFlow name with the op list of TensorFlow's wheel:
arguments, attributes, defaults, minimums, allowed values, their order, and the flags. Exact.

    python compare_ops.py --dump build/tests/peer/dump_ops

Exit 0: equal; 1: differences, printed; 77: no tensorflow 2.16 here (with another version the
differences are printed: definitions grow attributes with defaults and allowed types over time).
"""
import argparse
import os
import subprocess
import sys

BASELINE = "2.16."
OURS = ("ONNX>", "Oribi>")  # namespaces that TensorFlow does not have


def tensorflow_ops():
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        from tensorflow.core.framework import op_def_pb2, types_pb2
        from tensorflow.python.client import pywrap_tf_session
        import tensorflow
    except ImportError:
        print("skipped: no tensorflow in this Python")
        sys.exit(77)
    op_list = op_def_pb2.OpList()
    op_list.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    return {op.name: op for op in op_list.op}, types_pb2.DataType, tensorflow.__version__


def type_name(number, names):
    return names.Name(number)[len("DT_"):].lower()


def quote(raw):
    return "'" + raw.decode().replace("\\", "\\\\").replace("'", "\\'") + "'"


def scalar(kind, value, names):
    if kind == "int":
        return str(value)
    if kind == "float":
        return "%.9g" % value
    if kind == "bool":
        return "true" if value else "false"
    if kind == "type":
        return names.Name(value)
    if kind == "shape":
        if value.unknown_rank:
            return "{ unknown_rank: true }"
        return "{" + "".join(f" dim {{ size: {d.size} }}" for d in value.dim) + " }"
    return quote(value)


FIELDS = {"int": "i", "float": "f", "bool": "b", "type": "type", "shape": "shape", "string": "s"}


def render_attr(attr, names):
    is_list = attr.type.startswith("list(")
    base = attr.type[5:-1] if is_list else attr.type
    kind = base
    if attr.HasField("allowed_values"):
        allowed = attr.allowed_values.list
        parts = [type_name(t, names) for t in allowed.type] or [quote(s) for s in allowed.s]
        kind = "{" + ", ".join(parts) + "}"
    text = f"{attr.name}: " + (f"list({kind})" if is_list else kind)
    if attr.has_minimum:
        text += f" >= {attr.minimum}"
    if attr.HasField("default_value"):
        if is_list:
            values = getattr(attr.default_value.list, FIELDS[base])
            text += " = [" + ", ".join(scalar(base, v, names) for v in values) + "]"
        else:
            text += " = " + scalar(base, getattr(attr.default_value, FIELDS[base]), names)
    return text


def render_arg(arg, names):
    kind = arg.type_attr or arg.type_list_attr or type_name(arg.type, names)
    if arg.number_attr:
        kind = f"{arg.number_attr} * {kind}"
    return f"{arg.name}: " + (f"Ref({kind})" if arg.is_ref else kind)


def render(op, names):
    """The lines that our definitions print, for an OpDef."""
    lines = ["input " + render_arg(a, names) for a in op.input_arg]
    lines += ["output " + render_arg(a, names) for a in op.output_arg]
    lines += ["attr " + render_attr(a, names) for a in op.attr]
    for flag in ("commutative", "aggregate", "stateful"):
        if getattr(op, "is_" + flag):
            lines.append(flag)
    if op.allows_uninitialized_input:
        lines.append("allows_uninitialized_input")
    if op.HasField("deprecation"):
        lines.append(f"deprecated {op.deprecation.version} {op.deprecation.explanation}")
    return lines


def our_ops(dump):
    text = subprocess.run([dump], capture_output=True, text=True, check=True).stdout
    ops = {}
    for block in text.split("\n\n"):
        lines = block.split("\n")
        if lines[0]:
            ops[lines[0]] = [line[2:] for line in lines[1:] if line]
    return ops


def compare(ours, op_defs, names):
    bad = 0
    for name, lines in sorted(ours.items()):
        if name.startswith(OURS):
            continue
        if name not in op_defs:
            print(f"{name}: TensorFlow has no such op")
            bad += 1
            continue
        theirs = render(op_defs[name], names)
        if lines == theirs:
            continue
        bad += 1
        print(f"{name}:")
        for line in lines:
            if line not in theirs:
                print(f"  ours    {line}")
        for line in theirs:
            if line not in lines:
                print(f"  theirs  {line}")
        if sorted(lines) == sorted(theirs):
            print("  the order differs")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dump", required=True)
    args = parser.parse_args()
    op_defs, names, version = tensorflow_ops()
    ours = our_ops(args.dump)
    compared = [n for n in ours if not n.startswith(OURS)]
    bad = compare(ours, op_defs, names)
    print(f"{len(compared)} ops compared with tensorflow {version}: {bad} differ")
    if not version.startswith(BASELINE):
        print(f"skipped: the definitions are those of tensorflow {BASELINE}x")
        sys.exit(77)
    sys.exit(1 if bad or len(compared) < 100 else 0)


if __name__ == "__main__":
    main()
