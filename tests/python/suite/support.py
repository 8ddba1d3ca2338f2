# SPDX-License-Identifier: Apache-2.0
"""What the suite shares: where the examples are, whether NumPy is there, small ONNX models written by hand."""
import os
import pathlib
import struct
import sys

if os.environ.get("ORIBI_TEST_NO_NUMPY"):
    sys.modules["numpy"] = None  # importing it fails, as where it is not installed

import oribi  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

SOURCE = pathlib.Path(os.environ.get("ORIBI_TEST_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
DIGITS = SOURCE / "examples/digits/digits.onnx"
DIGITS_INT8 = SOURCE / "examples/digits/digits_int8.tflite"
PICTURES = sorted((SOURCE / "examples/digits").glob("digit-*.png"))
FLOAT, UINT8, INT8, INT32, INT64, STRING, BOOL, HALF, DOUBLE, BFLOAT16 = 1, 2, 3, 6, 7, 8, 9, 10, 11, 16


# --- ONNX by hand: protobuf's wire format -----------------------------------------------------------
def _varint(n):
    out = bytearray()
    n &= (1 << 64) - 1
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, value):
    return _varint(field << 3) + _varint(value)


def message(field, data):
    data = data.encode() if isinstance(data, str) else data
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def attribute(name, value):
    body = message(1, name)
    if isinstance(value, int):
        body += number(3, value) + number(20, 2)
    elif isinstance(value, float):
        body += _varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    elif isinstance(value, str):
        body += message(4, value) + number(20, 3)
    else:
        body += b"".join(number(8, v) for v in value) + number(20, 7)
    return message(5, body)


def node(op, inputs, outputs, name="", domain="", **attributes):
    return message(1, b"".join(message(1, i) for i in inputs) + b"".join(message(2, o) for o in outputs) + message(3, name or op) +
                   message(4, op) + b"".join(attribute(k, v) for k, v in attributes.items()) + message(7, domain))


def port(field, name, dtype, shape):
    dims = b"".join(message(1, message(2, d) if isinstance(d, str) else number(1, d)) for d in shape)
    return message(field, message(1, name) + message(2, message(1, number(1, dtype) + message(2, dims))))


def model(nodes, inputs, outputs, domains=(), extra=b""):
    """inputs and outputs are (name, ONNX's element type, shape)."""
    graph = b"".join(nodes) + message(2, "by_hand") + b"".join(port(11, *p) for p in inputs) + b"".join(
        port(12, *p) for p in outputs)
    opsets = message(8, message(1, "") + number(2, 17)) + b"".join(message(8, message(1, d) + number(2, 1)) for d in domains)
    return number(1, 8) + message(2, "suite") + extra + message(7, graph) + opsets


def add(shape=(2, 3), dtype=FLOAT):
    return model([node("Add", ["x", "y"], ["z"])], [("x", dtype, shape), ("y", dtype, shape)], [("z", dtype, shape)])


def identity(dtype, shape=(4,)):
    return model([node("Identity", ["x"], ["y"])], [("x", dtype, shape)], [("y", dtype, shape)])
