#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes chain<N>.onnx: N nodes in a row, of the operator NAME or, with `-`, each of another that nobody has.

    chain.py N NAME
"""
import sys


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number, content):
    """A message or text; an integer as a number."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def value(name):
    tensor = field(1, 1) + field(2, field(1, field(1, 2)))  # float [2]
    return field(1, name) + field(2, field(1, tensor))


def main():
    n, op = int(sys.argv[1]), sys.argv[2]
    nodes = b"".join(field(1, field(1, f"v{i}") + field(2, f"v{i + 1}") +
                           field(4, f"Nobody{i}" if op == "-" else op)) for i in range(n))
    graph = nodes + field(2, "g") + field(11, value("v0")) + field(12, value(f"v{n}"))
    kind = "missing" if op == "-" else "chain"
    with open(f"{kind}{n}.onnx", "wb") as out:
        out.write(field(1, 8) + field(7, graph) + field(8, field(2, 17)))


main()
