# SPDX-License-Identifier: Apache-2.0
"""A TFLite file of our own making: tensors, operators, one or more subgraphs; bytes by flat.py."""
import numpy as np

import flex
import schema
from flat import Table, Vector, serialise


class Tensor:
    """shape in elements; data: numpy array of a constant, or None; scales, zeros: per tensor or along
    axis, or None."""

    def __init__(self, name, shape, kind, data=None, scales=None, zeros=None, axis=0, variable=False,
                 sparsity=None):
        self.name, self.shape, self.kind, self.data = name, [int(d) for d in shape], kind, data
        self.scales = None if scales is None else np.atleast_1d(np.asarray(scales, np.float32))
        self.zeros = None if scales is None else np.atleast_1d(np.asarray(zeros, np.int64))
        self.axis, self.variable, self.sparsity = axis, variable, sparsity
        self.signature = None  # the shape with -1 where the caller chooses


def sparsity(order, blocks, levels):
    """levels: a size of a dense one, or (segments, indices), in whatever integers these are."""
    def indices(values):
        kind = {4: 1, 2: 2, 1: 3}[values.itemsize]
        return ("u8", kind), Table({0: Vector(values)})

    made = []
    for level in levels:
        if isinstance(level, int):
            made.append(Table({0: ("i8", 0), 1: ("i32", level)}))
        else:
            (first, segments), (second, places) = (indices(part) for part in level)
            made.append(Table({0: ("i8", 1), 2: first, 3: segments, 4: second, 5: places}))
    return Table({0: _indices(order), 1: _indices(blocks) if blocks else None, 2: Vector(made)})


class Graph:
    """Tensors are known by their index; -1 stands for an input that is left out."""

    def __init__(self, name="main"):
        self.name, self.tensors, self.operators, self.inputs, self.outputs = name, [], [], [], []

    def add(self, tensor):
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def op(self, name, inputs, outputs, intermediates=(), **options):
        self.operators.append((name, list(inputs), list(outputs), list(intermediates), options))


def _indices(values):
    return Vector(np.asarray(values, np.int32))


def _options(name, options):
    """The options' table; words become the schema's numbers."""
    _, _, fields = schema.OPERATORS[name]
    words = {"padding": schema.PADDINGS, "activation": schema.ACTIVATIONS, "mode": schema.MIRRORS,
             "in_type": schema.TYPES, "out_type": schema.TYPES, "output_type": schema.TYPES,
             "index_type": schema.TYPES}
    out, known = {}, set()
    for number, field in enumerate(fields):
        if field == "-":
            continue
        key, kind = field.split(":")
        known.add(key)
        if key in options:
            value = options[key]
            value = words[key][value] if isinstance(value, str) and key in words else value
            out[number] = (_indices(value) if kind == "i32s" else value if kind == "string" else
                           Vector(np.asarray(value, np.float32)) if kind == "f32s" else (kind, value))
    unknown = set(options) - known
    if unknown:
        raise ValueError(f"{name} has no option {sorted(unknown)}")
    return Table(out)


class Writer:
    def __init__(self):
        self.buffers, self.codes = [Table({})], []

    def _buffer(self, data):
        if data is None:
            return 0
        raw = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
        self.buffers.append(Table({0: Vector(raw, align=16)}))
        return len(self.buffers) - 1

    def _tensor(self, tensor):
        quantisation = None
        if tensor.scales is not None:
            quantisation = Table({2: Vector(tensor.scales), 3: Vector(tensor.zeros),
                                  6: ("i32", tensor.axis)})
        return Table({0: _indices(tensor.shape), 1: ("i8", schema.TYPES[tensor.kind]),
                      2: ("u32", self._buffer(tensor.data)), 3: tensor.name, 4: quantisation,
                      5: ("bool", int(tensor.variable)) if tensor.variable else None,
                      7: _indices(tensor.signature) if tensor.signature else None,
                      6: tensor.sparsity, 8: ("bool", 1)})

    def _operator(self, name, inputs, outputs, intermediates, options):
        """A custom operator is called "CUSTOM:Name", or "CUSTOM:Name:2" in its version 2, and has the option `words`, integers of 32 bits, or `flex`, a map, or `raw`, bytes."""
        if name not in self.codes:
            self.codes.append(name)
        if ":" in name:
            words = options["raw"] if "raw" in options else flex.dumps(options["flex"]) if "flex" in options else \
                np.asarray(options["words"], "<i4").tobytes()
            raw = np.frombuffer(words, np.uint8)
            return Table({0: ("u32", self.codes.index(name)), 1: _indices(inputs), 2: _indices(outputs),
                          5: Vector(raw)})
        kind = schema.OPERATORS[name][1]
        return Table({0: ("u32", self.codes.index(name)), 1: _indices(inputs), 2: _indices(outputs),
                      3: ("u8", kind) if kind else None, 4: _options(name, options) if kind else None,
                      8: _indices(intermediates) if intermediates else None})

    def _graph(self, graph):
        return Table({0: Vector([self._tensor(t) for t in graph.tensors]), 1: _indices(graph.inputs),
                      2: _indices(graph.outputs),
                      3: Vector([self._operator(*o) for o in graph.operators]), 4: graph.name})

    def write(self, graphs, metadata=()):
        made = Vector([self._graph(g) for g in graphs])
        notes = [Table({0: name, 1: ("u32", self._buffer(data))}) for name, data in metadata]
        codes = []
        for full in self.codes:
            operator, _, rest = full.partition(":")
            custom, _, version = rest.partition(":")
            number = schema.OPERATORS[operator][0]
            codes.append(Table({0: ("i8", min(number, 127)), 1: custom or None, 2: ("i32", int(version or 1)), 3: ("i32", number)}))
        return serialise(Table({0: ("u32", 3), 1: Vector(codes), 2: made, 3: "oribi",
                                4: Vector(self.buffers), 6: Vector(notes) if notes else None}), "TFL3")


def write(*graphs, metadata=()):
    """metadata: pairs of a name and an array."""
    return Writer().write(graphs, metadata)
