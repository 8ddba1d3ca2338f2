# SPDX-License-Identifier: Apache-2.0
"""How does a picture become an input? PNG by Python's own zlib; other formats, and other sizes than the input's, by Pillow."""
import array
import os
import struct
import zlib

from . import _tensor
from ._dtypes import BY_NAME

_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_MAX_PIXELS = 1 << 28


def picture(source, port, *, mean=0.0, scale=None, layout=None):
    """The file, or bytes, as a tensor for an input of a session: (pixel - mean) * scale, one number or one for each channel; as `oribi run`
    has it, scale is 1/255 for floats, and what is int8 is the pixel less 128.

    >>> oribi.picture(digit, oribi.Session(digits).inputs[0]).shape
    (1, 1, 8, 8)
    """
    width, height, channels, is_first = _geometry(port, layout)
    data = source if isinstance(source, bytes) else _read(source)
    name = "the picture" if isinstance(source, bytes) else os.fspath(source)
    pixels = _decode(data, name, width, height, channels)
    planes = [pixels[c::channels] for c in range(channels)]
    return _fill(port.dtype.name, planes, is_first, _each(mean, channels),
                 _each(scale if scale is not None else 1 / 255 if port.dtype.name == "float32" else 1.0, channels), port,
                 (height, width))


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def _each(value, channels):
    values = list(value) if isinstance(value, (list, tuple)) else [value] * channels
    if len(values) != channels:
        raise ValueError(f"{len(values)} numbers for {channels} channels")
    return values


def _geometry(port, layout):
    shape = port.shape or ()
    if port.dtype.name not in ("float32", "uint8", "int8") or len(shape) not in (3, 4) or \
            (len(shape) == 4 and shape[0] not in (1, None)):
        raise ValueError(f"a picture fits an input of float32, uint8 or int8 and rank 3, or 4 with batch 1; '{port.name}' is "
                         f"{port.dtype} {shape}")
    d = shape[-3:]
    is_first = layout.lower() == "nchw" if layout else d[0] in (1, 3, 4)
    height, width, channels = (d[1], d[2], d[0]) if is_first else d
    if None in (height, width) or channels not in (1, 3, 4):
        raise ValueError(f"cannot tell height, width and channels of '{port.name}' {shape}; fix its shape by input_shapes")
    return width, height, channels, is_first


def _decode(data, name, width, height, channels):
    """Rows of `channels` 8-bit values in that size."""
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        found = _png(data, name)
        if found is not None and found[:2] == (width, height):
            return _convert(found[3], found[2], channels)
    try:
        from PIL import Image
    except ImportError:
        raise ValueError(f"{name}: without Pillow a picture is a PNG without interlace of the input's size, {width} x {height}; "
                         "pip install pillow") from None
    import io

    mode = {1: "L", 3: "RGB", 4: "RGBA"}[channels]
    with Image.open(io.BytesIO(data)) as image:
        image = image.convert(mode)
        return (image if image.size == (width, height) else image.resize((width, height), Image.BICUBIC)).tobytes()


def _convert(pixels, has, wants):
    """Gray is the luma of a colour, a missing alpha 255; `has` 2 is gray with alpha."""
    if has == wants:
        return pixels
    planes = [pixels[c::has] for c in range(has)]
    red, green, blue = (planes[0],) * 3 if has < 3 else planes[:3]
    if wants == 1:
        return bytes((r * 77 + g * 150 + b * 29) >> 8 for r, g, b in zip(red, green, blue))
    out = bytearray(len(red) * wants)
    alpha = planes[-1] if has in (2, 4) else b"\xff" * len(red)
    for c, plane in enumerate((red, green, blue, alpha)[:wants]):
        out[c::wants] = plane
    return bytes(out)


def _png(data, name):
    """(width, height, channels, pixels), or None for what this does not read: interlace, 16 bits, less than 8."""
    at, packed, palette, head = 8, [], None, None
    while at + 12 <= len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if len(body) != length or zlib.crc32(kind + body) != struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]:
            raise ValueError(f"{name}: damaged PNG at byte {at}")
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", body)
        elif kind == b"PLTE":
            palette = body
        elif kind == b"tRNS" and head and head[3] == 3:
            return None
        elif kind == b"IDAT":
            packed.append(body)
        at += 12 + length
    if head is None or head[2] != 8 or head[6] != 0 or head[3] not in _CHANNELS or head[0] * head[1] > _MAX_PIXELS:
        return None
    width, height, channels = head[0], head[1], _CHANNELS[head[3]]
    size = height * (width * channels + 1)
    unpacker = zlib.decompressobj()
    rows = unpacker.decompress(b"".join(packed), size + 1)
    if len(rows) != size:
        raise ValueError(f"{name}: damaged PNG: {len(rows)} bytes of pixels, expected {size}")
    pixels = _unfilter(rows, width * channels, height, channels, name)
    if head[3] == 3:
        if palette is None or max(pixels, default=0) * 3 + 3 > len(palette):
            raise ValueError(f"{name}: damaged PNG: a colour that the palette has not")
        return width, height, 3, b"".join(palette[3 * p:3 * p + 3] for p in pixels)
    return width, height, channels, bytes(pixels)


def _paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def _unfilter(rows, stride, height, step, name):
    pixels, above = bytearray(), bytearray(stride)
    for y in range(height):
        kind, row = rows[y * (stride + 1)], bytearray(rows[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        if kind > 4:
            raise ValueError(f"{name}: damaged PNG: row {y} has filter {kind}")
        for i in range(stride if kind else 0):
            left = row[i - step] if i >= step else 0
            corner = above[i - step] if i >= step else 0
            row[i] = (row[i] + (left if kind == 1 else above[i] if kind == 2 else (left + above[i]) >> 1 if kind == 3 else
                                _paeth(left, above[i], corner))) & 255
        pixels += row
        above = row
    return pixels


def _fill(name, planes, is_first, mean, scale, port, size):
    def convert(value):
        if name == "float32":
            return value
        whole = int(min(max(value, 0), 255) + 0.5)
        return min(whole, 255) - (128 if name == "int8" else 0)

    tables = [[convert((p - m) * s) for p in range(256)] for m, s in zip(mean, scale)]
    mapped = [[table[p] for p in plane] for table, plane in zip(tables, planes)]
    flat = [v for plane in mapped for v in plane] if is_first else [v for pixel in zip(*mapped) for v in pixel]
    shape = (len(planes), *size) if is_first else (*size, len(planes))
    letter = {"float32": "f", "uint8": "B", "int8": "b"}[name]
    return _tensor.tensor(array.array(letter, flat), BY_NAME[name], (1,) * (len(port.shape) - 3) + shape)
