# SPDX-License-Identifier: Apache-2.0
"""FlatBuffers, writing only: a tree of tables, vectors and strings becomes bytes, children behind
their parents, so that every offset is known to be positive. Not TFLite: that is model.py."""
import struct

import numpy as np

FORMATS = {"i8": "<b", "u8": "<B", "bool": "<B", "i32": "<i", "u32": "<I", "f32": "<f", "i64": "<q"}


class Table:
    """fields: {field number: (kind, value)} for numbers, or {field number: a child}."""

    def __init__(self, fields):
        self.fields = {number: value for number, value in fields.items() if value is not None}


class Vector:
    """A numpy array, or a list of Tables and strings. align: of the first element, in bytes."""

    def __init__(self, items, align=4):
        self.items, self.align = items, align


def _pad(out, align, ahead=0):
    while (len(out) + ahead) % align:
        out.append(0)


def _patch(out, at, to):
    struct.pack_into("<I", out, at, to - at)


def _write_table(out, table):
    slots = []  # (size, number, kind, value)
    for number, value in table.fields.items():
        kind = value[0] if isinstance(value, tuple) else "u32"
        slots.append((struct.calcsize(FORMATS[kind]), number, kind, value))
    slots.sort(key=lambda s: (-s[0], s[1]))
    count = 1 + max(table.fields, default=-1)
    vtable_bytes = 4 + 2 * count
    _pad(out, 8, vtable_bytes + 4)  # the first field of the table lies on 8 bytes
    vtable = len(out)
    start, at, places = vtable + vtable_bytes, 4, {}
    for size, number, _, _ in slots:
        at += -at % size if size < 8 else 0
        places[number] = at
        at += size
    out += struct.pack("<HH", vtable_bytes, at)
    out += b"".join(struct.pack("<H", places.get(i, 0)) for i in range(count))
    out += struct.pack("<i", start - vtable) + bytes(at - 4)
    children = []
    for _, number, kind, value in slots:
        if isinstance(value, tuple):
            struct.pack_into(FORMATS[kind], out, start + places[number], value[1])
        else:
            children.append((start + places[number], value))
    for place, child in children:
        _patch(out, place, _write(out, child))
    return start


def _write_vector(out, vector):
    items = vector.items
    if isinstance(items, np.ndarray):
        data = np.ascontiguousarray(items).tobytes()
        _pad(out, 4)
        _pad(out, max(vector.align, items.itemsize, 4), 4)
        start = len(out)
        out += struct.pack("<I", items.size) + data
        return start
    _pad(out, 4)
    start = len(out)
    out += struct.pack("<I", len(items)) + bytes(4 * len(items))
    for i, item in enumerate(items):
        _patch(out, start + 4 + 4 * i, _write(out, item))
    return start


def _write_string(out, text):
    data = text.encode()
    _pad(out, 4)
    start = len(out)
    out += struct.pack("<I", len(data)) + data + b"\0"
    return start


def _write(out, node):
    if isinstance(node, Table):
        return _write_table(out, node)
    return _write_string(out, node) if isinstance(node, str) else _write_vector(out, node)


def serialise(root, identifier):
    """The bytes of a file whose root is a table."""
    out = bytearray(4) + identifier.encode()
    _patch(out, 0, _write(out, root))
    _pad(out, 16)
    return bytes(out)
