#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packed files that lie: packed.py MODEL.oribi writes beside it cut.oribi, flipped.oribi,
longer.oribi, huge_header.oribi, header_only.oribi and magic_only.oribi. Those whose header lies and
has a digest that fits are the work of tests/session/pack_test.c and of the fuzzer `packed`.
"""
import pathlib
import struct
import sys

data = pathlib.Path(sys.argv[1]).read_bytes()


def write(name, content):
    pathlib.Path(name).write_bytes(content)


header = struct.unpack_from("<Q", data, 16)[0]
write("cut.oribi", data[:-1])
write("longer.oribi", data + b"\0")
write("flipped.oribi", data[:64 + header // 2] + bytes([data[64 + header // 2] ^ 1]) + data[65 + header // 2:])
write("huge_header.oribi", data[:16] + struct.pack("<Q", 2**64 - 1) + data[24:])
write("header_only.oribi", data[:24] + struct.pack("<Q", 64 + header) + data[32:64 + header])
write("magic_only.oribi", data[:8])
