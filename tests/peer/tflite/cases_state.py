# SPDX-License-Identifier: Apache-2.0
"""Cases of variables: models that run several times on other inputs and keep something in between."""
import math

import model
import numpy as np

from build import HYBRID, Skip


def initialiser(b, variables):
    """The subgraph of CALL_ONCE, which gives each variable (name, shape) its first value."""
    graph = model.Graph("init")
    for name, shape, quant in variables:
        scales, zeros = quant if quant is not None else (None, None)
        value = graph.add(model.Tensor(f"first_{name}", shape, b.kind, b.values(shape), scales, zeros))
        graph.op("ASSIGN_VARIABLE", [b.handle(graph, name), value], [])
    b.graphs.append(graph)
    b.op("CALL_ONCE", [], [], init_subgraph=len(b.graphs) - 1)


def _tensor(b, shape, quant):
    return b._add(f"t{len(b.graph.tensors)}", shape, b.kind, None, quant)


def _push(b, handle, x, length, shape, quant):
    """A history of `length` inputs takes the newest and drops the oldest."""
    history = _tensor(b, [length] + shape, quant)
    b.op("READ_VARIABLE", [handle], [history])
    parts = [_tensor(b, shape, quant) for _ in range(length)]
    b.op("UNPACK", [history], parts, count=length, axis=0)
    pushed = _tensor(b, [length] + shape, quant)
    b.op("PACK", parts[1:] + [x], [pushed], count=length, axis=0)
    b.op("ASSIGN_VARIABLE", [handle, pushed], [])
    return pushed


def _stream(b, n_variables, reads_after, reads_before):
    shape, quant, length = b.shape(b.pick(1, 2)), b.quant(), b.size(2, 4)
    variables = [(f"v{k}", [length] + shape, quant) for k in range(n_variables)]
    initialiser(b, variables)
    handles = [b.handle(b.graph, name) for name, _, _ in variables]
    for handle in handles:
        x = b.input(shape, quant)
        if reads_before:
            b.op("READ_VARIABLE", [handle], [b.output([length] + shape, quant)])
        pushed = _push(b, handle, x, length, shape, quant)
        out = b.output([length] + shape, quant)
        if reads_after:
            b.op("READ_VARIABLE", [handle], [out])
        else:
            b.op("RESHAPE", [pushed, b.ints([length] + shape)], [out], new_shape=[length] + shape)
    b.stream(b.walk(3, 5, 2))


def call_once(b):
    _stream(b, 1, False, True)


def var_handle(b):
    _stream(b, 2, b.i % 2 == 0, False)


def read_variable(b):
    _stream(b, 1, True, b.i % 2 == 0)


def assign_variable(b):
    """What was assigned last counts, and an input itself may be assigned."""
    shape, quant = b.shape(2), b.quant()
    initialiser(b, [("last", shape, quant)])
    handle = b.handle(b.graph, "last")
    x, z = b.input(shape, quant), b.input(shape, quant)
    b.op("READ_VARIABLE", [handle], [b.output(shape, quant)])
    b.op("ASSIGN_VARIABLE", [handle, x], [])
    if b.i % 2:
        b.op("READ_VARIABLE", [handle], [b.output(shape, quant)])
    if b.i % 3:
        turned = _tensor(b, shape[::-1], quant)
        b.op("TRANSPOSE", [z, b.ints([1, 0])], [turned])
        back = _tensor(b, shape, quant)
        b.op("RESHAPE", [turned, b.ints(shape)], [back], new_shape=shape)
        b.op("ASSIGN_VARIABLE", [handle, back], [])
    b.stream(b.walk(3, 4))


def svdf_narrow(b):
    """With weights over time and a state of int8."""
    if b.column != "i8":
        raise Skip()
    b.exclude("tflite")  # its kernel takes the state for int16
    b.exclude("litert")
    batch, features, units, rank, memory = b.pick(1, 1, 2), b.size(1, 9), b.size(1, 4), b.walk(1, 2, 3), b.size(2, 6)
    filters, q, out = units * rank, b.quant(), b.quant()
    scale = [np.float32(2.0 ** b.rng.uniform(-8, -6)) for _ in range(2)]
    kept = np.float32(float(q[0]) * float(scale[0]) * 5200 * math.sqrt(features) / b.pick(40, 40, 160))
    spread = 40 * 74 * math.sqrt(memory * rank)
    feature = b.const(b.rng.integers(-127, 128, [filters, features]), "i8", (scale[0], 0))
    time = b.const(b.rng.integers(-127, 128, [filters, memory]), "i8", (scale[1], 0))
    bias = b.const(b.rng.integers(-int(spread), int(spread) + 1, units), "i32", (np.float32(kept * scale[1]), 0))
    state = b.state([batch, filters * memory], (kept, b.pick(0, 0, b.size(-40, 40))))
    x, y = b.input([batch, features], q), b.output([batch, units], (np.float32(float(kept) * float(scale[1]) * spread / 60), out[1]))
    b.op("SVDF", [x, feature, time, bias, state], [y], rank=rank, activation="RELU")
    b.stream(b.walk(4, 7, 3))


def svdf(b):
    """The newest column of the state is in its range, and so is the output."""
    batch, features, units, rank, memory = b.pick(1, 1, 2), b.size(1, 9), b.size(1, 4), b.walk(1, 2, 3), b.size(2, 6)
    filters, q, out = units * rank, b.quant(), b.quant()
    x = b.input([batch, features], q)
    if b.is_float:
        feature = b.const(b.rng.standard_normal([filters, features]), "f32")
        if b.column == HYBRID:
            feature = b.const(b.rng.integers(-127, 128, [filters, features]), "i8", (np.float32(0.02), 0))
        time = b.const(b.rng.standard_normal([filters, memory]), "f32")
        if b.column == HYBRID:
            time = b.const(b.rng.integers(-127, 128, [filters, memory]), "i8", (np.float32(0.02), 0))
        bias = b.const(b.rng.standard_normal(units), "f32") if b.i % 3 else -1
        state, activation = b.state([batch, filters * memory]), b.walk("NONE", "RELU", "RELU6")
    else:
        scale = [np.float32(2.0 ** b.rng.uniform(low, low + 2)) for low in (-8, -15)]
        kept = np.float32(float(q[0]) * float(scale[0]) * 5200 * math.sqrt(features) / 9000)
        feature = b.const(b.rng.integers(-127, 128, [filters, features]), "i8", (scale[0], 0))
        time = b.const(b.rng.integers(-32767, 32768, [filters, memory]), "i16", (scale[1], 0))
        spread = 9000 * 19000 * math.sqrt(memory * rank)
        bias = b.const(b.rng.integers(-int(spread) // 2, int(spread) // 2, units), "i32",
                       (np.float32(kept * scale[1]), 0)) if b.i % 3 else -1
        out = (np.float32(float(kept) * float(scale[1]) * spread / 60), out[1])
        state, activation = b.state([batch, filters * memory], (kept, 0), "i16"), "RELU"
    y = b.output([batch, units], out)
    options = {"asymmetric": bool(b.i % 2)} if b.column == HYBRID else {}
    b.op("SVDF", [x, feature, time, bias, state], [y], rank=rank, activation=activation, **options)
    b.stream(b.walk(4, 7, 3))


def _lstm_weights(b, rows, columns, x_scale, x_rms):
    """Weights of a gate, scaled so that its sums are a few units wide, and their scale."""
    if b.is_float:
        return _lstm_matrix(b, rows, columns), 1.0
    wide = 2.0 ** b.rng.uniform(-1.5, 2.5)
    scale = np.float32(wide / (float(x_scale) * x_rms * 74 * math.sqrt(columns)))
    return b.const(b.rng.integers(-127, 128, [rows, columns]), "i8", (scale, 0)), scale


def _lstm_bias(b, units, x_scale, scale):
    if b.is_float:
        return b.const(b.rng.standard_normal(units), "f32")
    spread = int(2.0 / (float(x_scale) * float(scale))) + 1
    values = b.rng.integers(-spread, spread + 1, units)
    return b.const(values, "i64" if b.kind == "i16" else "i32", (np.float32(x_scale * scale), 0))


# coupled gates, peepholes, layer normalisation, projection (2: with a bias and a clip)
LSTM_FORMS = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 0, 0, 2), (1, 1, 0, 0), (0, 1, 1, 2),
              (1, 0, 1, 1), (1, 1, 1, 2))


def _lstm_normal(b, *shape):
    return b.const(b.rng.standard_normal(shape) / math.sqrt(shape[-1] if len(shape) > 1 else 1), "f32")


def _lstm_matrix(b, *shape):
    """Weights of a float layer; of int8 in a hybrid."""
    if b.column != HYBRID:
        return _lstm_normal(b, *shape)
    b.exclude("tflm")  # which takes them for floats
    scale = np.float32(2.0 ** b.rng.uniform(-1, 0.5) / (74 * math.sqrt(shape[-1] if len(shape) > 1 else 1)))
    return b.const(b.rng.integers(-127, 128, shape), "i8", (scale, 0))


def _asymmetric(b):
    return {"asymmetric": b.i // 2 % 2 == 1} if b.column == HYBRID else {}


def _lstm_full(b):
    """Float, in the forms that TensorFlow Lite alone has."""
    coupled, peephole, norm, projection = LSTM_FORMS[b.i // 3 % len(LSTM_FORMS)]
    batch, steps, features, units = b.pick(1, 2), b.size(1, 4), b.size(1, 6), b.size(2, 6)
    outputs, time_major = b.size(1, 7) if projection else units, b.walk(True, False)
    shape = [steps, batch] if time_major else [batch, steps]
    gates = range(1 if coupled else 0, 4)

    inputs = [b.input(shape + [features])] + [-1] * 23
    for gate in gates:
        inputs[1 + gate], inputs[5 + gate] = _lstm_matrix(b, units, features), _lstm_matrix(b, units, outputs)
        inputs[12 + gate] = _lstm_normal(b, units)
        if peephole and gate != 2:
            inputs[9 + (2 if gate == 3 else gate)] = _lstm_matrix(b, units)
        if norm:
            inputs[20 + gate] = _lstm_normal(b, units)
    if projection:
        inputs[16] = _lstm_matrix(b, outputs, units)
        inputs[17] = _lstm_normal(b, outputs) if projection == 2 else -1
    inputs[18], inputs[19] = b.state([batch, outputs]), b.state([batch, units])
    b.op("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [b.output(shape + [outputs])], activation="TANH",
         cell_clip=b.pick(0.0, 0.8), proj_clip=0.6 if projection == 2 else 0.0, time_major=time_major, **_asymmetric(b))
    b.stream(b.walk(4, 3, 5))


def lstm(b):
    """Sequences of one step and of several, on states that earlier runs have left."""
    if b.is_float and b.i % 3 == 2:
        _lstm_full(b)
        return
    batch, steps, features, units = b.walk(1, 2, 1), b.walk(1, 3, 4, 2, 5), b.size(1, 7), b.size(1, 6)
    time_major, clip = b.walk(False, True, False, False), b.walk(0.0, 0.0, 0.75, 0.0, 0.0, 3.0)
    power, is_wide = b.walk(-11, -12, -15, -13, -9, -11, -14, -10), b.kind == "i16"
    q, rms = b.quant(), 18900.0 if is_wide else 74.0
    hidden, cell = None, None
    if not b.is_float:
        scale = np.float32(2.0 ** b.rng.uniform(-0.3, 0.3) / (32768 if is_wide else 128))
        hidden = (scale, 0 if is_wide else b.pick(0, b.size(-30, 30), q[1]))
        cell = (np.float32(2.0 ** power), 0)
    shape = [steps, batch] if time_major else [batch, steps]
    x = b.input(shape + [features], q)
    x_scale, h_scale = (q[0], hidden[0]) if not b.is_float else (1.0, 1.0)
    inner = [_lstm_weights(b, units, features, x_scale, rms) for _ in range(4)]
    recurrent = [_lstm_weights(b, units, units, h_scale, rms)[0] for _ in range(4)]
    biases = [_lstm_bias(b, units, x_scale, scale) for _, scale in inner]
    states = [b.state([batch, units], hidden), b.state([batch, units], cell, "f32" if b.is_float else "i16")]
    y = b.output(shape + [units], hidden)
    between = []
    if not b.is_float:  # TensorFlow Lite wants five, and reads the last one's quantisation
        between = [_tensor(b, [0], (np.float32(2.0 ** -12), 0)) for _ in range(4)] + [_tensor(b, [0], hidden)]
    inputs = [x] + [w for w, _ in inner] + recurrent + [-1] * 3 + biases + [-1] * 2 + states
    if b.i % 4 != 3 or not b.is_float:
        inputs += [-1] * 4
    if is_wide:
        b.exclude("tflite")  # its kernel takes int16 for int8
    b.op("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [y], between, activation="TANH", cell_clip=clip,
         time_major=time_major, **_asymmetric(b))
    b.stream(b.walk(4, 3, 5))


def _rnn_weights(b, features, units, batch):
    made = [_lstm_matrix(b, units, n) for n in (features, units)]
    return made + [b.const(b.rng.standard_normal(units), "f32"), b.state([batch, units])]


def _rnn(name):
    def case(b):
        if b.column not in ("f32", HYBRID):
            raise Skip()
        batch, steps, features, units = b.size(1, 3), b.size(1, 5), b.size(1, 6), b.size(1, 6)
        time_major, activation = b.walk(False, True), b.walk("TANH", "RELU", "NONE")
        if b.column == HYBRID and name == "BIDIRECTIONAL_SEQUENCE_RNN" and time_major:
            steps = 1  # the interpreter goes over longer ones once for each of their steps
        shape = [batch] if name == "RNN" else [steps, batch] if time_major else [batch, steps]
        inputs = [b.input(shape + [features])] + _rnn_weights(b, features, units, batch)
        options = {"activation": activation, **_asymmetric(b)}
        if name != "RNN":
            options["time_major"] = time_major
        sizes = [units]
        if name == "BIDIRECTIONAL_SEQUENCE_RNN":
            sizes.append(b.size(1, 6))
            inputs += _rnn_weights(b, features, sizes[1], batch) + [-1, -1, -1]
            options["merge"] = b.i % 3 == 0
            sizes = [sum(sizes)] if options["merge"] else sizes
        b.op(name, inputs, [b.output(shape + [n]) for n in sizes], **options)
        b.stream(b.walk(3, 4))
    return case


def _gates(b, units, features):
    weights = [_lstm_matrix(b, units, n) for n in [features] * 4 + [units] * 4]
    return weights + [-1] * 3 + [b.const(b.rng.standard_normal(units), "f32") for _ in range(4)] + [-1, -1]


def _lstm_basic(b):
    """One matrix for all gates over input and hidden state; its results are states, and what it works with."""
    batch, features, units = b.size(1, 3), b.size(1, 6), b.size(1, 6)
    x, wide = b.input([batch, features]), features + units
    w = b.const(b.rng.standard_normal([4 * units, wide]) / math.sqrt(wide), "f32")
    bias = b.const(b.rng.standard_normal(4 * units), "f32")
    hidden, cell = b.state([batch, units]), b.state([batch, units])
    b.op("LSTM", [x, hidden, w, bias, cell], [b.output([batch, n]) for n in (units, units, wide, 4 * units)],
         activation="TANH", kernel=1)
    b.stream(b.walk(3, 4))


def lstm_one_step(b):
    if b.column not in ("f32", HYBRID):
        raise Skip()
    if b.column == "f32" and b.i % 3 == 2:
        _lstm_basic(b)
        return
    batch, features, units = b.size(1, 3), b.size(1, 6), b.size(1, 6)
    inputs = [b.input([batch, features])] + _gates(b, units, features) + [b.state([batch, units]) for _ in range(2)]
    b.op("LSTM", inputs + [-1] * 4, [b.output([batch, units])], activation="TANH", cell_clip=b.walk(0.0, 0.8),
         **_asymmetric(b))
    b.stream(b.walk(3, 4))


def lstm_both_ways(b):
    if b.column not in ("f32", HYBRID):
        raise Skip()
    batch, steps, features, units = b.size(1, 3), b.size(1, 4), b.size(1, 6), [b.size(1, 6)] * 2
    time_major, merge = b.walk(False, True), b.i % 3 == 0
    if merge and not time_major:
        b.exclude("tflite")  # whose joined results, the batch first, differ from run to run
        b.exclude("litert")
    shape = [steps, batch] if time_major else [batch, steps]
    inputs = [b.input(shape + [features])] + _gates(b, units[0], features) + _gates(b, units[1], features)
    inputs += [b.state([batch, n]) for n in units for _ in range(2)] + [-1] * 9
    b.op("BIDIRECTIONAL_SEQUENCE_LSTM", inputs, [b.output(shape + [n]) for n in ([sum(units)] if merge else units)],
         activation="TANH", cell_clip=b.walk(0.0, 0.8), merge=merge, time_major=time_major,
         **_asymmetric(b))
    b.stream(b.walk(3, 4))


RNNS = ("RNN", "UNIDIRECTIONAL_SEQUENCE_RNN", "BIDIRECTIONAL_SEQUENCE_RNN")
SEQUENCES = {**{name: _rnn(name) for name in RNNS}, "LSTM": lstm_one_step, "BIDIRECTIONAL_SEQUENCE_LSTM": lstm_both_ways}
CASES = {**SEQUENCES, "SVDF": svdf, "SVDF_NARROW": svdf_narrow, "UNIDIRECTIONAL_SEQUENCE_LSTM": lstm, "CALL_ONCE": call_once, "VAR_HANDLE": var_handle, "READ_VARIABLE": read_variable,
         "ASSIGN_VARIABLE": assign_variable}
