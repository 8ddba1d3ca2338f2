# SPDX-License-Identifier: Apache-2.0
"""Cases of TensorFlow Lite Micro's signal library: custom operators, whose element types are their own. Each has them in
the column of its samples, int16 but for the transforms."""
import numpy as np

from build import Skip


def _samples(b, shape):
    loud = b.walk(32767, 3000, 60)
    return b.rng.integers(-loud - 1, loud + 1, shape)


def _of(column):
    def only(case):
        def wrapped(b):
            if b.column != column:
                raise Skip()
            case(b)
        return wrapped
    return only


@_of("i16x8")
def window(b):
    width, outer = b.size(1, 40), b.pick([], [2], [2, 3])
    x = b.input(outer + [width], None, data=_samples(b, outer + [width]))
    w = b.const(b.rng.integers(-3000, 4097, width), "i16")
    b.op("CUSTOM:SignalWindow", [x, w], [b.output(outer + [width])], flex={"shift": b.walk(12, 8, 15, 0)})


@_of("i16x8")
def energy(b):
    bins = b.size(2, 33)
    x = b.input([2 * bins], None, data=_samples(b, [2 * bins]))
    b.op("CUSTOM:SignalEnergy", [x], [b.output([bins], None, "u32")], flex={"start_index": 0, "end_index": bins})


@_of("i16x8")
def auto_scale(b):
    n = b.size(1, 40)
    data = np.zeros(n) if b.i % 9 == 8 else _samples(b, [n])
    if b.i % 5 == 4:
        data[-1] = -32768
    b.op("CUSTOM:SignalFftAutoScale", [b.input([n], None, data=data)],
         [b.output([n]), b.output([], None, "i32")], flex={"none": 0})


@_of("i16x8")
def filter_bank(b):
    channels = b.size(1, 12)
    widths = b.rng.integers(0, 5, channels + 1)
    starts = b.rng.integers(0, 6, channels + 1)
    weight_starts = np.concatenate([[0], np.cumsum(widths)[:-1]])
    n, n_weights = int((starts + widths).max()) + b.size(0, 3), max(1, int(widths.sum()))
    weights = b.rng.integers(0, 4097, n_weights)
    x = b.input([n], None, "u32", b.rng.integers(0, 2**32 if b.i % 2 else 2**20, n))
    tables = [b.const(t, "i16") for t in (weights, 4096 - weights, starts, weight_starts, widths)]
    b.op("CUSTOM:SignalFilterBank", [x] + tables, [b.output([channels], None, "u64")], flex={"num_channels": channels})


@_of("i16x8")
def square_root(b):
    n = b.size(1, 20)
    data = (2.0 ** b.rng.uniform(0, 63, n)).astype(np.uint64)
    data[0] = b.walk(0, 1, 2**32, 2**32 - 1, 2**62, 65535 * 65535)
    x = b.input([n], None, "u64", data)
    bits = b.input([], None, "i32", np.int32(b.walk(0, 3, 6)))
    b.op("CUSTOM:SignalFilterBankSquareRoot", [x, bits], [b.output([n], None, "u32")], flex={"none": 0})


@_of("i16x8")
def logarithm(b):
    n = b.size(1, 40)
    x = b.input([n], None, "u32", (2.0 ** b.rng.uniform(0, b.walk(32, 20), n)).astype(np.int64) - b.i % 2)
    b.op("CUSTOM:SignalFilterBankLog", [x], [b.output([n])],
         flex={"output_scale": b.walk(1600, 64, 20000), "input_correction_bits": b.walk(3, 0, 5)})


@_of("i16x8")
def spectral_subtraction(b):
    n = b.size(1, 12)
    x = b.input([n], None, "u32", b.rng.integers(0, 2**22, n))
    smoothing, other = b.walk(655, 9830), b.walk(983, 655)
    b.op("CUSTOM:SignalFilterBankSpectralSubtraction", [x], [b.output([n], None, "u32"), b.output([n], None, "u32")],
         flex={"smoothing": smoothing, "one_minus_smoothing": 16384 - smoothing, "alternate_smoothing": other,
               "alternate_one_minus_smoothing": 16384 - other, "smoothing_bits": b.walk(10, 0, 6),
               "min_signal_remaining": b.walk(819, 4000), "clamping": bool(b.i % 2), "num_channels": n,
               "spectral_subtraction_bits": 14})
    b.stream(b.walk(3, 5))


@_of("i16x8")
def pcan(b):
    n = b.size(1, 20)
    x = b.input([n], None, "u32", (2.0 ** b.rng.uniform(0, b.walk(16, 24, 31), n)).astype(np.int64))
    noise = (2.0 ** b.rng.uniform(0, b.walk(20, 31), n)).astype(np.int64)
    noise[0] = b.walk(0, 1, 2, 3)
    y = b.input([n], None, "u32", noise)
    table = b.const(b.rng.integers(-300, 16000, 125), "i16")
    b.op("CUSTOM:SignalPCAN", [x, y, table], [b.output([n], None, "u32")], flex={"snr_shift": b.walk(6, 10, 3)})


def _transform(name, is_inverse):
    types = {"f32": 0, "i16x8": 7, "i32": 2}

    def case(b):
        if b.column not in types:
            raise Skip()
        n, outer = b.walk(8, 16, 32, 64, 4, 128, 512), b.pick([], [2], [1, 3])
        given = n + 2 if is_inverse else b.pick(n, n, max(1, n - b.size(0, n // 2)))
        given = n if given < n and outer else given
        shape = outer + [given]
        if b.column == "f32":
            data = None
        else:
            top = 2 ** (15 if b.column == "i16x8" else 31) >> b.walk(0, 3, 9)
            data = b.rng.integers(-top, top, shape)
            if is_inverse:
                data //= 2
        x = b.input(shape, None, data=data)
        y = b.output(outer + [n if is_inverse else n + 2], None)
        b.op(f"CUSTOM:{name}", [x], [y], flex={"T": types[b.column], "fft_length": n})
    return case


@_of("i16x8")
def delay(b):
    frame, length, outer = b.size(1, 9), b.size(0, 12), b.pick([], [2], [2, 2])
    shape = outer + [frame]
    b.op("CUSTOM:SignalDelay", [b.input(shape, None)], [b.output(shape)], flex={"delay_length": length})
    b.stream(b.walk(4, 6))


@_of("i16x8")
def framer(b):
    """Of whole frames alone: what stands in others is not defined."""
    step = b.size(1, 8)
    size, frames, outer = step + b.size(0, 9), b.size(1, 3), b.pick([], [2])
    prefill = b.i % 3 != 2 or size > step
    shape = outer + [step * frames]
    b.op("CUSTOM:SignalFramer", [b.input(shape, None)],
         [b.output(outer + [frames, size]), b.output([], None, "bool")],
         flex={"frame_size": size, "frame_step": step, "prefill": bool(prefill)})
    b.stream(b.walk(4, 6))


def overlap_add(b):
    if b.column not in ("i16x8", "f32"):
        raise Skip()
    size, frames, outer = b.size(1, 9), b.size(1, 3), b.pick([], [2])
    step = b.size(1, size)
    shape = outer + [frames, size]
    b.op("CUSTOM:SignalOverlapAdd", [b.input(shape, None)], [b.output(outer + [frames * step], None)],
         flex={"T": 0 if b.is_float else 7, "frame_step": step})
    b.stream(b.walk(4, 6))


@_of("i16x8")
def stacker(b):
    """With nothing to the right of a frame a stack is whole from the first one on."""
    channels, left = b.size(1, 6), b.size(0, 4)
    b.op("CUSTOM:SignalStacker", [b.input([channels], None)],
         [b.output([channels * (left + 1)]), b.output([], None, "bool")],
         flex={"num_channels": channels, "stacker_left_context": left, "stacker_right_context": 0, "stacker_step": 1})
    b.stream(b.walk(4, 6))


CASES = {"SIGNAL_WINDOW": window, "SIGNAL_ENERGY": energy, "SIGNAL_FFT_AUTO_SCALE": auto_scale,
         "SIGNAL_FILTER_BANK": filter_bank, "SIGNAL_FILTER_BANK_SQUARE_ROOT": square_root,
         "SIGNAL_FILTER_BANK_LOG": logarithm, "SIGNAL_FILTER_BANK_SPECTRAL_SUBTRACTION": spectral_subtraction,
         "SIGNAL_PCAN": pcan, "SIGNAL_RFFT": _transform("SignalRfft", False),
         "SIGNAL_IRFFT": _transform("SignalIrfft", True), "SIGNAL_OVERLAP_ADD": overlap_add, "SIGNAL_DELAY": delay,
         "SIGNAL_FRAMER": framer, "SIGNAL_STACKER": stacker}
