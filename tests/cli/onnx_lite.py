# SPDX-License-Identifier: Apache-2.0
"""Writes small ONNX models without the onnx package: just enough of the wire format."""
import struct


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, 1)
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    if isinstance(value, str):
        return field(1, name) + field(4, value) + field(20, 3)
    place, kind = {float: (7, 6), str: (9, 8)}.get(type(value[0]) if value else int, (8, 7))
    return field(1, name) + b"".join(field(place, v) for v in value) + field(20, kind)


def node(op, inputs, outputs, domain="", name="", **attributes):
    return b"".join([field(1, i) for i in inputs] + [field(2, o) for o in outputs] +
                    [field(3, name or outputs[0]), field(4, op)] +
                    [field(5, attribute(k, v)) for k, v in attributes.items()] +
                    ([field(7, domain)] if domain else []))


def info(name, dims, element=1):
    shape = b"".join(field(1, field(1, d) if isinstance(d, int) else field(2, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, element) + field(2, shape)))


def tensor(name, array):
    kinds = {"float32": 1, "int32": 6, "int64": 7, "bool": 9, "float64": 11, "int8": 3, "uint8": 2}
    return b"".join(field(1, d) for d in array.shape) + field(2, kinds[str(array.dtype)]) + \
        field(8, name) + field(9, array.tobytes())


def model(nodes, inputs, outputs, weights=(), opset=13, domains=(), infos=()):
    graph = b"".join([field(1, n) for n in nodes] + [field(2, "graph")] + [field(5, w) for w in weights] +
                     [field(11, i) for i in inputs] + [field(12, o) for o in outputs] + [field(13, i) for i in infos])
    opsets = field(8, field(1, "") + field(2, opset))
    opsets += b"".join(field(8, field(1, d) + field(2, 1)) for d in domains)
    return field(1, 8) + field(7, graph) + opsets
