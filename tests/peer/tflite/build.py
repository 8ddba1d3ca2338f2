# SPDX-License-Identifier: Apache-2.0
"""What case functions build with: one operator in a model, random quantisation, random inputs. A case
function takes a Builder and adds its tensors and its operator; b.i numbers the case, so that lists of
options can be walked through, and b.rng belongs to the case alone."""
import math
import zlib

import numpy as np

import model

COLUMNS = ("f32", "i8", "i16x8", "u8")  # and i8x4, int8 with weights of int4
HYBRID = "h8"  # floats with weights of int8, for layers
PLAIN = ("i32", "i64", "bool")  # element types without a quantisation
LOW = {"i8": -128, "i16": -32768, "u8": 0, "i32": -1000, "i64": -1000, "u32": 0}
HIGH = {"i8": 127, "i16": 32767, "u8": 255, "i32": 1000, "i64": 1000, "u32": 2**22}
DTYPES = {"f32": np.float32, "f16": np.float16, "i8": np.int8, "i16": np.int16, "u8": np.uint8,
          "i32": np.int32, "i64": np.int64, "u32": np.uint32, "u64": np.uint64, "c64": np.complex64, "bool": np.bool_}
ACTIVATIONS = ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")


class Skip(Exception):
    """This case does not exist for this element type."""


class Builder:
    def __init__(self, operator, column, index):
        self.column, self.i = column, index
        self.kind = {"i16x8": "i16", "i8x4": "i8", HYBRID: "f32"}.get(column, column)  # of activations
        self.is_float = self.kind == "f32"
        self.rng = np.random.default_rng([zlib.crc32(f"{operator} {column}".encode()), index])
        self.graph = model.Graph()
        self.graphs = [self.graph]
        self.data = []
        self.steps, self.fresh = 1, []
        self.atol = self.rtol = 0.0
        self.excluded = set()
        self.twin = None  # a model of the same meaning for the interpreters, where they have no such operator
        self.usual = False  # ask for the kernels that interpreters run, where the reference's are wrong

    # --- Choices

    def walk(self, *choices):
        """One choice after the other, case by case."""
        return choices[self.i % len(choices)]

    def pick(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def size(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def shape(self, rank, low=1, high=5):
        return [self.size(low, high) for _ in range(rank)]

    # --- Tensors

    def quant(self, low=-6.0, high=-2.0, kind=None, symmetric=False):
        """A random scale, 2^[low, high], and zero point; None for floats."""
        kind = kind or self.kind
        if kind in ("f32",) + PLAIN:
            return None
        scale = np.float32(2.0 ** self.rng.uniform(low, high))
        if kind == "i16":
            return (np.float32(scale / 256), 0)
        zero = self.pick(LOW[kind], HIGH[kind], self.size(LOW[kind], HIGH[kind]),
                         self.size(LOW[kind] // 4, HIGH[kind] // 4))
        return (scale, 0 if symmetric and kind == "i8" else zero)

    def values(self, shape, kind=None):
        kind = kind or self.kind
        if kind in ("f32", "f16"):
            return (self.rng.standard_normal(shape) * 2).astype(DTYPES[kind])
        if kind == "bool":
            return self.rng.integers(0, 2, shape).astype(np.bool_)
        return self.rng.integers(LOW[kind], HIGH[kind] + 1, shape).astype(DTYPES[kind])

    def _add(self, name, shape, kind, data, quant, axis=0):
        scales, zeros = quant if quant is not None else (None, None)
        return self.graph.add(model.Tensor(name, shape, kind, data, scales, zeros, axis))

    def input(self, shape, quant=None, kind=None, data=None):
        kind = kind or self.kind
        data = self.values(shape, kind) if data is None else np.asarray(data, DTYPES[kind])
        index = self._add(f"x{len(self.data)}", shape, kind, None, quant)
        self.graph.inputs.append(index)
        self.data.append(data.tobytes())
        self.fresh.append((shape, kind))
        return index

    def stream(self, steps):
        """The model runs that often, on other inputs each time, and keeps its state in between."""
        self.steps = steps
        for _ in range(steps - 1):
            self.data += [self.values(shape, kind).tobytes() for shape, kind in self.fresh]

    def state(self, shape, quant=None, kind=None):
        """A tensor that an operator keeps from run to run."""
        index = self._add(f"s{len(self.graph.tensors)}", shape, kind or self.kind, None, quant)
        self.graph.tensors[index].variable = True
        return index

    def handle(self, graph, name):
        """VAR_HANDLE in a graph."""
        index = graph.add(model.Tensor(f"h{len(graph.tensors)}", [], "resource"))
        graph.op("VAR_HANDLE", [], [index], container="", shared_name=name)
        return index

    def const(self, data, kind, quant=None, axis=0):
        data = np.asarray(data, DTYPES[kind])
        return self._add(f"c{len(self.graph.tensors)}", data.shape, kind, data, quant, axis)

    def ints(self, values):
        return self.const(values, "i32")

    def output(self, shape, quant=None, kind=None):
        index = self._add(f"y{len(self.graph.outputs)}", shape, kind or self.kind, None, quant)
        self.graph.outputs.append(index)
        return index

    def between(self, shape, quant=None):
        """A tensor from one operator to the next."""
        return self._add(f"t{len(self.graph.tensors)}", shape, self.kind, None, quant)

    def op(self, name, inputs, outputs, intermediates=(), **options):
        self.graph.op(name, inputs, outputs, intermediates, **options)

    # --- Layers with weights

    def weights(self, shape, axis, x, taps, bias=True, narrow=True):
        """Filter and bias tensors, and a quantisation of the output that uses its range."""
        channels = shape[axis]
        if self.column == HYBRID:
            n_scales = 1 if self.i % 3 == 2 and axis == 0 else channels
            scales = (2.0 ** self.rng.uniform(-9, -5, n_scales)).astype(np.float32)
            w = self.const(self.rng.integers(-127, 128, shape), "i8", (scales, [0] * n_scales), axis)
            return w, self.const(self.rng.standard_normal(channels), "f32") if bias else -1, None
        if self.is_float:
            w = self.const(self.rng.standard_normal(shape) / math.sqrt(taps), "f32")
            b = self.const(self.rng.standard_normal(channels), "f32") if bias else -1
            return w, b, None
        is_one = self.column == "u8" or self.i % 3 == 2 or (self.column == "i8x4" and len(shape) == 2)
        n_scales = 1 if is_one else channels
        scales = (2.0 ** self.rng.uniform(-9, -5, n_scales)).astype(np.float32)
        if self.column == "u8":
            zeros = [self.size(0, 255)]
            data = self.values(shape, "u8")
        else:
            zeros = [0] * n_scales
            data = self.rng.integers(-127, 128, shape)
        if self.column == "i8x4":
            scales = scales * np.float32(16)
            nibbles = self.rng.integers(-7, 8, shape).reshape(-1) & 15
            nibbles = np.pad(nibbles, (0, len(nibbles) % 2)).reshape(-1, 2)
            packed = (nibbles[:, 0] | nibbles[:, 1] << 4).astype(np.uint8)
            w = self._add(f"c{len(self.graph.tensors)}", shape, "i4", packed, (scales, zeros), axis)
        else:
            w = self.const(data, "u8" if self.column == "u8" else "i8", (scales, zeros), axis)
        x_rms = {"i8": 90.0, "u8": 110.0, "i16": 18900.0}[self.kind]
        spread = x_rms * (4.3 if self.column == "i8x4" else 74.0) * math.sqrt(taps)
        b = -1
        if bias:
            # int16 with biases of int32: the interpreters contradict each other, and only TensorFlow
            # Lite Micro's CONV_2D and FULLY_CONNECTED give what the numbers say
            is_narrow = narrow and self.kind == "i16" and self.i % 5 == 4 and axis == 0
            if is_narrow:
                self.exclude("tflite")
            wide = "i64" if self.kind == "i16" and not is_narrow else "i32"
            values = self.rng.integers(-int(spread), int(spread) + 1, channels)
            b = self.const(values, wide, (scales * np.float32(x[0]), [0] * n_scales))
        steps = 12000.0 if self.kind == "i16" else 50.0
        real = float(x[0]) * float(scales.mean()) * spread / steps
        scale = np.float32(real * 2.0 ** self.rng.uniform(-1.0, 1.0))
        zero = 0 if self.kind == "i16" else self.quant()[1]
        return w, b, (scale, zero)

    # --- The result

    def exclude(self, who):
        """This interpreter's answer to this case is wrong, and nobody's truth; say why at the call."""
        self.excluded.add(who)

    def model(self):
        return model.write(*self.graphs)

    def job(self):
        """What the interpreters get (reference.py)."""
        return self.twin or self.model(), self.data, self.steps, self.usual


def window(size, filter_size, stride, dilation, padding):
    """Outputs along an axis, as TensorFlow counts them; Skip when there is none."""
    reach = (filter_size - 1) * dilation + 1
    out = -(-size // stride) if padding == "SAME" else (size - reach) // stride + 1
    if out < 1:
        raise Skip()
    return out
