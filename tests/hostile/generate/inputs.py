#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inputs that are small and ask for much, or end early, into the folder in which it runs."""
import struct
import zlib

import numpy as np


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(name, width, height, depth, kind, interlaced, data, extra=b""):
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced)
    with open(name, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def zeros(count):
    packer = zlib.compressobj(9)
    parts = [packer.compress(bytes(1 << 20)) for _ in range(count >> 20)]
    return b"".join(parts) + packer.compress(bytes(count & 0xfffff)) + packer.flush()


png("bomb.png", 18000, 18000, 8, 2, 0, zeros(18000 * (1 + 3 * 18000)))
png("bomb1.png", 40000, 40000, 1, 0, 1, zeros(1 << 20))
png("wide.png", 2**31 - 1, 2**31 - 1, 16, 6, 0, zeros(100))
png("flat.png", 2**31 - 1, 1, 16, 6, 0, zeros(100))
png("none.png", 0, 5, 8, 2, 0, zeros(100))
png("text.png", 16, 16, 8, 2, 0, zeros(16 * 49), chunk(b"zTXt", b"a\0\0" + zeros(96 << 20)))
png("iccp.png", 16, 16, 8, 2, 0, zeros(16 * 49), chunk(b"iCCP", b"a\0\0" + zeros(96 << 20)))
png("short.png", 16, 16, 8, 2, 0, zeros(15 * 49))
with open("bomb.jpg", "wb") as file:
    tables = b"\xff\xdb\0\x43\0" + b"\1" * 64
    frame = b"\xff\xc2\0\x11\x08" + struct.pack(">HH", 65500, 65500) + b"\3\1\x11\0\2\x11\0\3\x11\0"
    file.write(b"\xff\xd8" + tables + frame + b"\xff\xda\0\x0c\3\1\0\2\0\3\0\0\0\0" + b"\0" * 99 + b"\xff\xd9")
with open("bomb.bmp", "wb") as file:
    file.write(b"BM" + struct.pack("<IHHI", 200, 0, 0, 54) +
               struct.pack("<IiiHHIIiiII", 40, 2**31 - 1, -2**31 + 1, 1, 24, 0, 0, 0, 0, 0, 0) + bytes(99))
with open("bomb.tga", "wb") as file: # runs of 128 pixels
    file.write(struct.pack("<BBBHHBHHHHBB", 0, 0, 10, 0, 0, 0, 0, 0, 20000, 20000, 24, 0) + b"\xff\0\0\0" * 9)
np.savez_compressed("bomb.npz", x=np.zeros(64 << 20, np.float32))
with open("wide.npy", "wb") as file:
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000,), }"
    file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + bytes(64))
with open("string.npy", "wb") as file:
    head = b"{'descr': '|S2000000000', 'fortran_order': False, 'shape': (4000000,), }"
    file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + bytes(64))
