# SPDX-License-Identifier: Apache-2.0
"""FlexBuffers, writing only: a map of names to integers, truth values, floats and lists of integers, as the options of
custom operators have it. All values are as wide as the widest; floats take four bytes."""
import struct


def dumps(values):
    out, width = bytearray(), 4
    keys = sorted(values)
    places, lists = [], {}
    for key in keys:
        places.append(len(out))
        out += key.encode() + b"\0"
    out += b"\0" * (-len(out) % width)
    for key in keys:
        if isinstance(values[key], (list, tuple)):
            out += struct.pack("<I", len(values[key]))
            lists[key] = len(out)
            out += struct.pack(f"<{len(values[key])}i", *values[key])
    out += struct.pack("<I", len(keys))
    keys_at = len(out)
    for place in places:
        out += struct.pack("<I", len(out) - place)
    out += struct.pack("<II", len(out) - keys_at, width)
    out += struct.pack("<I", len(keys))
    values_at = len(out)
    types = bytearray()
    for key in keys:
        value = values[key]
        if isinstance(value, bool):
            kind, raw = 26, struct.pack("<I", value)
        elif isinstance(value, float):
            kind, raw = 3, struct.pack("<f", value)
        elif key in lists:
            kind, raw = 11, struct.pack("<I", len(out) - lists[key])
        else:
            kind, raw = 1, struct.pack("<i", value)
        types.append(kind << 2 | 2)
        out += raw
    out += types
    return bytes(out + struct.pack("<BBB", len(out) - values_at, 9 << 2 | 2, 1))
