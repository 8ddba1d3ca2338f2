# SPDX-License-Identifier: Apache-2.0
"""Vectors of one operator and element type in one compressed file: models, inputs, and the outputs of
each reference interpreter (of several steps: one after the other). `magic, length of the head (u32), head (JSON), bytes` under xz; the head
names pieces of the bytes as [offset, length]."""
import json
import lzma
import struct

MAGIC = b"ORVEC1\0\0"
VARIANTS = ("tflm", "tflite")
ALL = VARIANTS + ("litert",)  # which only operators have whose arithmetic LiteRT has changed


class Case:
    """outputs: {variant: [bytes of each output]}; tolerances hold for floats, 0: to the bit."""

    def __init__(self, name, model, inputs, outputs, atol=0.0, rtol=0.0, steps=1):
        self.name, self.model, self.inputs, self.outputs = name, model, inputs, outputs
        self.atol, self.rtol, self.steps = atol, rtol, steps


def pack(operator, kind, references, cases):
    data, seen = bytearray(), {}

    def piece(raw):
        if raw not in seen:
            seen[raw] = [len(data), len(raw)]
            data.extend(raw)
        return seen[raw]

    head = {"operator": operator, "type": kind, "references": references, "cases": [
        {"name": c.name, "model": piece(c.model), "inputs": [piece(i) for i in c.inputs],
         "outputs": {v: [piece(o) for o in c.outputs[v]] for v in ALL if v in c.outputs},
         "atol": c.atol, "rtol": c.rtol, **({"steps": c.steps} if c.steps > 1 else {})} for c in cases]}
    text = json.dumps(head, separators=(",", ":"), sort_keys=True).encode()
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
    return lzma.compress(MAGIC + struct.pack("<I", len(text)) + text + bytes(data), filters=filters)


def unpack(path):
    """The head, and the cases."""
    raw = lzma.decompress(path.read_bytes())
    if raw[:8] != MAGIC:
        raise ValueError(f"{path} is no file of vectors")
    length = struct.unpack_from("<I", raw, 8)[0]
    head, data = json.loads(raw[12:12 + length]), raw[12 + length:]

    def take(piece):
        return data[piece[0]:piece[0] + piece[1]]

    cases = [Case(c["name"], take(c["model"]), [take(i) for i in c["inputs"]],
                  {v: [take(o) for o in outs] for v, outs in c["outputs"].items()},
                  c["atol"], c["rtol"], c.get("steps", 1)) for c in head["cases"]]
    return head, cases
