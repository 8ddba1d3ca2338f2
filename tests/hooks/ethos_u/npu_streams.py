# SPDX-License-Identifier: Apache-2.0
"""Models as Vela writes them, of our own making: command streams whose operations read and write what is asked,
tensors at fixed offsets in one scratch; and what such a model computes on the double of an NPU (npu_double.c) when
everything lies as the file says."""
import ctypes
import pathlib
import struct
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
sys.path.insert(0, str(SOURCE / "tests/peer/tflite"))
import model  # noqa: E402

READ_ONLY, SCRATCH = 0, 1  # regions
OPTIONS = bytes([1, 4, 1])


# --- Command streams -----------------------------------------------------------------------------

def small(register, value):
    return [register | (value & 0xffff) << 16]


def large(register, value):
    return [register | 0x4000 | (value >> 32) << 16, value & 0xffffffff]




def move(source, source_bytes, target, target_bytes, weights=0):
    """One operation: `target_bytes` of (region, offset) made of `source_bytes` of another one, and of the first
    `weights` bytes of the read-only data."""
    words = []
    for depth, region, width0, precision, base, (place, offset), count in (
            (0x104, 0x10f, 0x10a, 0x105, 0x000, source, source_bytes), (0x113, 0x11f, 0x11a, 0x114, 0x010, target, target_bytes)):
        words += small(depth, count - 1) + small(region, place) + small(precision, 1)
        words += small(width0, 0) + small(width0 + 1, 0) + small(width0 + 2, 0)
        words += large(base, offset) + large(base + 4, count) + large(base + 5, count) + large(base + 6, 0)
    words += small(0x111, 0) + small(0x112, 0) + small(0x120, 0) + small(0x121, 0) + small(0x122, 0)
    for pad in range(0x100, 0x104):
        words += small(pad, 0)
    words += small(0x128, READ_ONLY) + large(0x020, 0) + large(0x021, weights)
    return words + small(0x129, READ_ONLY) + large(0x022, 0) + large(0x023, 0) + small(0x002, 0)


def payload(words):
    """A stream as the core driver takes it."""
    words = words + small(0x000, 0xffff)
    head = [int.from_bytes(b"COP1", "little"), 0x00100001, 0x00000807, 0x00010006, 5, 5, 5]
    head.append(2 | (len(words) & 0xffff) << 16)
    assert len(head) % 4 == 0
    return struct.pack(f"<{len(head) + len(words)}I", *head, *words)


# --- Models --------------------------------------------------------------------------------------

class Made:
    """A model in the making. Values are [1, 1, 1, n] of int8; offsets are those in the scratch, None: anywhere."""

    def __init__(self, read_only=64, scratch=4096):
        random = np.random.default_rng(read_only + scratch)
        self.graph, self.offsets = model.Graph(), []
        self.read_only = random.integers(-128, 128, read_only).astype(np.int8).view(np.uint8)
        self.blob = self.tensor("read_only", read_only, kind="u8", data=self.read_only)
        self.scratch = self.tensor("scratch", scratch, kind="u8", offset=0)

    def tensor(self, name, n, offset=None, kind="i8", data=None):
        shape = [n] if kind == "u8" else [1, 1, 1, n]
        scale = None if kind == "u8" else 0.5
        self.offsets.append(-1 if offset is None else offset)
        return self.graph.add(model.Tensor(name, shape, kind, data, scale, 3))

    def input(self, name, n, offset=None):
        self.graph.inputs.append(self.tensor(name, n, offset))
        return self.graph.inputs[-1]

    def bytes_of(self, tensor):
        return int(np.prod(self.graph.tensors[tensor].shape))

    def npu(self, inputs, outputs, free, words=None, bases=None):
        """An operator: every input is gathered at `free` of the scratch, and every output is made of what is there."""
        def place(tensor, k):
            return (SCRATCH, self.offsets[tensor]) if self.offsets[tensor] >= 0 else (3 + k, 0)
        words = [] if words is None else words
        for k, tensor in enumerate(inputs):
            words += move(place(tensor, k), self.bytes_of(tensor), (SCRATCH, free + 16 * k), 16, weights=64)
        for k, tensor in enumerate(outputs):
            words += move((SCRATCH, free), 16 * len(inputs), place(tensor, len(inputs) + k), self.bytes_of(tensor))
        data = np.frombuffer(payload(words), np.uint8)
        stream = self.tensor(f"commands{len(self.offsets)}", len(data), kind="u8", data=data)
        self.graph.op("CUSTOM:ethos-u", [stream, self.blob, self.scratch, self.scratch, *inputs], outputs, raw=OPTIONS)

    def reverse(self, value, name, offset=None):
        """An operator of the CPU."""
        axis = self.graph.add(model.Tensor(f"{name}_axis", [1], "i32", np.array([3], np.int32)))
        self.offsets.append(-1)
        made = self.tensor(name, self.bytes_of(value), offset)
        self.graph.op("REVERSE_V2", [value, axis], [made])
        return made

    def write(self, head=(0, 1, None), offsets=None, cut=None):
        words = [*head[:2], len(self.offsets) if head[2] is None else head[2],
                 *(self.offsets if offsets is None else offsets)]
        data = np.asarray(words, np.int32).view(np.uint8)
        return model.write(self.graph, metadata=[("OfflineMemoryAllocation", data[:cut])])


# --- As the file says ----------------------------------------------------------------------------

class Flat:
    """Runs operators over one block of memory, as a runtime does that follows the file's offsets."""

    def __init__(self, folder):
        library = folder / "npu_double.so"
        if not library.exists():
            (folder / "npu.c").write_text('#include "npu_double.h"\nstruct ethosu_driver npu_double;\n')
            subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-I", SOURCE / "include", "-I", SOURCE / "platform/ethos_u",
                            "-I", HERE, HERE / "npu_double.c", folder / "npu.c", "-o", library], check=True)
        self.library = ctypes.CDLL(str(library))

    class Driver(ctypes.Structure):
        _fields_ = [(n, ctypes.c_int32) for n in ("power", "is_locked", "is_running", "result", "n_jobs",
                                                  "n_operations", "fails_at", "n_calls")] + [("fault", ctypes.c_char_p)]

    @staticmethod
    def block(n):
        """Bytes at a multiple of 64."""
        raw = np.zeros(n + 64, np.uint8)
        start = -raw.ctypes.data % 64
        return raw[start:start + n]

    def stream(self, data, blocks):
        """The fault, or None."""
        driver = self.Driver()
        stream = self.block(len(data))
        stream[:] = np.frombuffer(data, np.uint8)
        bases = (ctypes.c_uint64 * len(blocks))(*(b.ctypes.data for b in blocks))
        sizes = (ctypes.c_size_t * len(blocks))(*(len(b) for b in blocks))
        code = self.library.npu_double_run(ctypes.byref(driver), ctypes.c_void_p(stream.ctypes.data),
                                           ctypes.c_uint32(len(data)), bases, sizes, len(blocks))
        assert (code != 0) == (driver.fault is not None)
        return driver.fault.decode() if driver.fault else None

    def model(self, tensors, operators, offsets, inputs, outputs, given):
        """tensors: (bytes, data or None); operators: (name, inputs, outputs); given: arrays. Bytes of the outputs."""
        scratch = next(i[2] for name, i, _ in operators if name == "ethos-u")
        arena = self.block(max([tensors[scratch][0], *(o + t[0] for o, t in zip(offsets, tensors) if o >= 0)]))
        arena[:] = np.random.default_rng(5).integers(0, 256, len(arena))
        place = [arena[o:o + size] if o >= 0 else self.block(size) for (size, _), o in zip(tensors, offsets)]
        fast = next(i[3] for name, i, _ in operators if name == "ethos-u")
        if fast != scratch:  # memory of its own, whose offset says nothing
            place[fast] = self.block(tensors[fast][0])
        for k, (_, data) in enumerate(tensors):
            if data is not None:
                place[k][:] = np.frombuffer(data, np.uint8)
        for index, data in zip(inputs, given):
            place[index][:] = data
        for name, reads, makes in operators:
            if name == "ethos-u":
                fault = self.stream(place[reads[0]].tobytes(), [place[k] for k in [*reads[1:], *makes]])
                assert fault is None, fault
            else:
                name(place[reads[0]].copy(), place[makes[0]])
        return [place[k].tobytes() for k in outputs]

    def made(self, made, given):
        graph = made.graph
        tensors = [(int(np.prod(t.shape)) * (4 if t.kind == "i32" else 1), None if t.data is None else t.data.tobytes())
                   for t in graph.tensors]

        def reverse(source, target):
            target[:] = source[::-1]
        operators = [("ethos-u" if o[0].startswith("CUSTOM") else reverse, o[1], o[2]) for o in graph.operators]
        return self.model(tensors, operators, made.offsets, graph.inputs, graph.outputs, given)
