# SPDX-License-Identifier: Apache-2.0
"""Cases of operators that TensorFlow Lite Micro alone has, beside its signal library: weights that are stored smaller, and
the buffer of models that listen step by step."""
import heapq
import itertools

import numpy as np

import cases_state
import model
from build import Skip

TABLE, HUFFMAN, PRUNING = 0, 1, 2


def _head(kind, *own):
    """What tables begin with: the kind and the version of all, then those of the kind."""
    return np.frombuffer(bytes([kind, 1, 0, 0, 1, *own]).ljust(16, b"\0"), np.uint8)


def _pack(bits, word=1):
    """The first bit is the highest of its byte."""
    return np.packbits(np.asarray(bits, np.uint8)).tobytes().ljust(-(-len(bits) // (8 * word)) * word, b"\0")


def _codes_of(rng, symbols, counts):
    """{symbol: its bits} of a Huffman code."""
    order = itertools.count()
    heap = [(int(c), next(order), {s: ""}) for s, c in zip(symbols, counts)]
    heapq.heapify(heap)
    while len(heap) > 1:
        (a, _, left), (b, _, right) = heapq.heappop(heap), heapq.heappop(heap)
        joined = {s: "0" + code for s, code in left.items()} | {s: "1" + code for s, code in right.items()}
        heapq.heappush(heap, (a + b, next(order), joined))
    return {s: code or "0" for s, code in heap[0][2].items()}


def _tables(codes, first, low):
    """Entries: those of the first so many bits, then tables of what is behind them."""
    def fill(codes, bits, at):
        entries.extend([0] * (at + (1 << bits) - len(entries)))
        longer = {}
        for symbol, code in codes.items():
            if len(code) <= bits:
                for rest in range(1 << (bits - len(code))):
                    entries[at + (int(code, 2) << (bits - len(code))) + rest] = \
                        1 << (low + 4) | len(code) << low | symbol & ((1 << (8 if low == 11 else 16)) - 1)
            else:
                longer.setdefault(code[:bits], {})[symbol] = code[bits:]
        for begin, inside in longer.items():
            here, there = at + int(begin, 2), len(entries)
            width = min(first, max(map(len, inside.values())))
            entries[here] = (width - 1) << low | (there - here)
            fill(inside, width, there)

    entries = []
    fill(codes, first, 0)
    return np.asarray(entries, np.uint16 if low == 11 else np.uint32)


def _huffman(b, shape):
    if b.kind not in ("i8", "i16"):
        raise Skip()
    is_wide = b.kind == "i16" or b.i % 4 == 1
    n_symbols = b.size(2, 40)
    symbols = [int(s) for s in b.rng.choice(np.arange(-128, 128) if b.kind == "i8" else np.arange(-32768, 32768), n_symbols, False)]
    counts = np.ceil(2.0 ** b.rng.uniform(0, b.walk(3, 9), n_symbols))
    values = b.rng.choice(symbols, shape, p=counts / counts.sum())
    codes, first = _codes_of(b.rng, symbols, counts), b.size(1, 6)
    bits = [int(bit) for v in values.reshape(-1) for bit in codes[int(v)]]
    table = _tables(codes, first, 27 if is_wide else 11)
    head = _head(HUFFMAN, (first - 1) << 4 | int(is_wide))
    return _pack(bits + [0] * 32, 4), head.tobytes() + table.tobytes()


def _by_table(b, shape, channels):
    width = b.walk(1, 2, 3, 4, 5, 6, 7)
    stride = 1 << width if width < 7 else b.size(100, 128)
    places = b.rng.integers(0, stride, shape).reshape(-1)
    bits = [int(p) >> (width - 1 - k) & 1 for p in places for k in range(width)]
    return _pack(bits), _head(TABLE, width, stride).tobytes() + b.values([channels, stride]).tobytes()


def _pruned(b, shape):
    kept = b.rng.integers(0, b.walk(2, 4), shape).reshape(-1) == 0
    return _pack(kept), _head(PRUNING).tobytes() + b.values([int(kept.sum())]).tobytes()


def _decoded(b, shape, quant, channels=1, axis=0):
    kind = b.walk(TABLE, PRUNING, HUFFMAN) if b.kind in ("i8", "i16") else b.walk(TABLE, PRUNING)
    codes, table = _huffman(b, shape) if kind == HUFFMAN else _pruned(b, shape) if kind == PRUNING else \
        _by_table(b, shape, channels)
    inputs = [b.const(np.frombuffer(raw, np.uint8), "u8") for raw in (codes, table)]
    scales, zeros = quant or (None, None)
    w = b.graph.add(model.Tensor(f"w{len(b.graph.tensors)}", shape, b.kind, None, scales, zeros, axis))
    b.op("CUSTOM:TFLM_DECODE", inputs, [w], raw=b"")
    return w


def decode(b):
    if b.kind == "u8":
        raise Skip()
    if b.column == "i8" and b.i % 4 == 3:
        return layer(b)
    shape = b.shape(b.size(1, 4), 1, 6)
    if b.column == "i8" and b.i % 4 == 2:  # channels with zero points of their own: moved as they are
        axis = b.walk(0, len(shape) - 1)
        channels = shape[axis]
        w = _decoded(b, shape, (2.0 ** b.rng.uniform(-9, -5, channels), b.rng.integers(-90, 90, channels)), channels, axis)
        x = b.input([2, 3], b.quant())
        b.op("RESHAPE", [w, b.ints([int(np.prod(shape))])], [b.output([int(np.prod(shape))], (1.0, 0))])
        return b.op("RESHAPE", [x, b.ints([6])], [b.output([6], (1.0, 0))])
    quant = b.quant()
    w = _decoded(b, shape, quant)
    if b.column == "i16x8":
        quant = (quant[0], 0)
    x = b.input(shape, quant)
    b.op("CONCATENATION", [x, w], [b.output([2 * shape[0]] + shape[1:], quant)], axis=0, activation="NONE")
    return None


def layer(b):
    """Weights with a scale for each channel, first (CONV_2D) or last (DEPTHWISE_CONV_2D)."""
    is_deep = b.i % 8 == 3
    h, w, c, out = b.size(2, 5), b.size(2, 5), b.size(2, 5), b.size(2, 9)
    shape, axis = ([1, 2, 2, c], 3) if is_deep else ([out, 2, 2, c], 0)
    channels = shape[axis]
    scales = (2.0 ** b.rng.uniform(-9, -5, channels)).astype(np.float32)
    x_quant = b.quant()
    x = b.input([1, h, w, c], x_quant)
    filters = _decoded(b, shape, (scales, [0] * channels), channels, axis)
    bias = b.const(b.rng.integers(-9000, 9000, channels), "i32", (scales * np.float32(x_quant[0]), [0] * channels))
    spread = float(x_quant[0]) * float(scales.mean()) * 200 * np.sqrt(4 * (1 if is_deep else c))
    y = b.output([1, h - 1, w - 1, channels], (np.float32(spread), b.quant()[1]))
    more = {"depth_multiplier": 1} if is_deep else {}
    b.op("DEPTHWISE_CONV_2D" if is_deep else "CONV_2D", [x, filters, bias], [y], padding="VALID", stride_w=1, stride_h=1,
         activation="NONE", dilation_w=1, dilation_h=1, **more)


def circular_buffer(b):
    if b.column != "i8":
        raise Skip()
    if b.i % 3 == 2:
        return streaming(b)
    slots, w, c = b.walk(5, 2, 13, 3, 25, 9), b.size(1, 3), b.size(1, 8)
    quant = b.quant()
    x = b.input([1, 1, w, c], quant)
    y = b.output([1, slots, w, c], quant)
    b.graph.tensors[y].variable = True
    b.op("CUSTOM:CIRCULAR_BUFFER", [x], [y], flex={"cycles_max": 0 if slots in (5, 13, 25) and b.i % 2 == 0 else 1})
    return b.stream(b.walk(3, 6, slots + 2))


def _inner(b, shape, quant):
    return b.graph.add(model.Tensor(f"t{len(b.graph.tensors)}", shape, b.kind, None, *quant))


def _buffered(b, x, shape, quant, slots, period, is_output=False):
    shape = [1, slots, *shape[2:]]
    y = b.output(shape, quant) if is_output else _inner(b, shape, quant)
    b.graph.tensors[y].variable = True
    b.op("CUSTOM:CIRCULAR_BUFFER", [x], [y], flex={"cycles_max": period})
    return y, shape


def streaming(b):
    """Buffers that let one of some runs pass, with layers between and behind them: what is behind is not computed else,
    and its buffers stay. Outputs are those of the last run that made them."""
    w, c, quant = b.walk(1, b.size(1, 3)), b.size(1, 6), b.quant()
    first = quant
    x, shape = b.input([1, 1, w, c], quant), [1, 1, w, c]
    given, handle = x, None
    if w == 1:  # the input of the run before that went so far is joined with the result
        cases_state.initialiser(b, [("last", shape, quant)])
        handle = b.handle(b.graph, "last")
    kinds = ((2, 1), (1, 2), (3, 2), (2, 2, 1), (1, 3, 1), (2, 1, 2))
    periods = kinds[b.i // 3 % len(kinds)]
    for k, period in enumerate(periods):
        is_last = k + 1 == len(periods)
        x, shape = _buffered(b, x, shape, quant, b.size(2, 4), period, not is_last and b.size(0, 2) == 0)
        channels = b.size(1, 6)
        scales = (2.0 ** b.rng.uniform(-9, -5, channels)).astype(np.float32)
        filters = b.const(b.values([channels, *shape[1:]]), "i8", (scales, [0] * channels))
        bias = b.const(b.rng.integers(-900, 900, channels), "i32", (scales * np.float32(quant[0]), [0] * channels))
        spread = float(quant[0]) * float(scales.mean()) * 60 * np.sqrt(int(np.prod(shape)))
        quant, shape = first if is_last else (np.float32(spread), b.quant()[1]), [1, 1, 1, channels]
        y = _inner(b, shape, quant) if not is_last or handle else b.output(shape, quant)
        b.op("CONV_2D", [x, filters, bias], [y], padding="VALID", stride_w=1, stride_h=1, activation="NONE",
             dilation_w=1, dilation_h=1)
        x = y
    if handle:
        last = _inner(b, [1, 1, 1, c], first)
        b.op("READ_VARIABLE", [handle], [last])
        b.op("ASSIGN_VARIABLE", [handle, given], [])
        b.op("CONCATENATION", [x, last], [b.output([1, 1, 1, channels + c], first)], axis=3, activation="NONE")
    return b.stream(2 * int(np.prod(periods)) + b.size(1, 5))


CASES = {"TFLM_DECODE": decode, "CIRCULAR_BUFFER": circular_buffer}
