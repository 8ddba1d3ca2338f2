# SPDX-License-Identifier: Apache-2.0
"""Quantised operators as plain integers, for random graphs: int64 sums tap by tap, multipliers from doubles.
Written from the arithmetic's definition; nothing of micro/ is in it."""
import math

import numpy as np

I64 = np.int64


def multiplier(real):
    """real as m * 2^(shift - 31), m in [2^30, 2^31); 0 below 2^-32."""
    if real == 0.0:
        return 0, 0
    fraction, shift = math.frexp(real)
    m = math.floor(fraction * 2.0**31 + 0.5)
    if m == 2**31:
        m, shift = m // 2, shift + 1
    return (0, 0) if shift < -31 else (m, shift)


def scaled(x, m, shift):
    """x * m * 2^(shift - 31), rounded twice, ties away from zero."""
    x = np.asarray(x, I64) << np.maximum(shift, 0).astype(I64)
    right = np.maximum(-np.asarray(shift, I64), 0)
    product = x * np.asarray(m, I64)
    nudge = np.where(product >= 0, I64(2**30), I64(1 - 2**30))
    total = product + nudge
    high = np.where(total >= 0, total >> 31, -((-total) >> 31))
    half = np.where(right > 0, I64(1) << np.maximum(right - 1, 0), I64(0))
    return np.where(high >= 0, (high + half) >> right, -((-high + half) >> right))


def scaled_once(x, m, shift):
    """x * m * 2^(shift - 31) with m cut to 16 bits, rounded once, half up: int16 with sums of 64 bits."""
    m = np.where(np.asarray(m, I64) < 0x7FFF0000, (np.asarray(m, I64) + 2**15) >> 16, 0x7FFF)
    total = 15 - np.asarray(shift, I64)
    return (np.asarray(x, I64) * m + (I64(1) << (total - 1))) >> total


def bounds(activation, scale, zero, dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max

    def quantised(value):
        return zero + int(math.floor(abs(value) / float(scale) + 0.5)) * (1 if value >= 0 else -1)
    if activation == "RELU":
        low = max(low, quantised(0.0))
    elif activation == "RELU6":
        low, high = max(low, quantised(0.0)), min(high, quantised(6.0))
    elif activation == "RELU_N1_TO_1":
        low, high = max(low, quantised(-1.0)), min(high, quantised(1.0))
    return low, high


def finish(x, quant, dtype, activation="NONE"):
    low, high = bounds(activation, *quant, dtype)
    return np.clip(x + quant[1], low, high).astype(dtype)


def axis(size, taps, stride, dilation, padding):
    """Outputs along an axis, and padding before it."""
    reach = (taps - 1) * dilation + 1
    out = -(-size // stride) if padding == "SAME" else (size - reach) // stride + 1
    before = max((out - 1) * stride + reach - size, 0) // 2 if padding == "SAME" else 0
    return out, before


def taps_of(x, fill, window, strides, dilations, padding):
    """For each tap (i, j): the inputs below it, by output position; `fill` outside."""
    (out_h, top), (out_w, left) = (axis(x.shape[1 + k], window[k], strides[k], dilations[k], padding)
                                   for k in range(2))
    for i in range(window[0]):
        rows = np.arange(out_h) * strides[0] - top + i * dilations[0]
        for j in range(window[1]):
            columns = np.arange(out_w) * strides[1] - left + j * dilations[1]
            inside = ((rows >= 0) & (rows < x.shape[1]))[:, None] & ((columns >= 0) & (columns < x.shape[2]))
            got = x[:, np.clip(rows, 0, x.shape[1] - 1)][:, :, np.clip(columns, 0, x.shape[2] - 1)]
            yield i, j, np.where(inside[None, :, :, None], got, fill), inside


class Weights:
    """A layer's data, scales (one or one for each channel, here for each), zero point and bias; is_product:
    the source rounds input's times filter's scale to float32."""

    def __init__(self, data, scales, zero, bias, is_product):
        self.data, self.scales, self.zero, self.bias = data, scales, zero, np.asarray(bias, I64)
        self.is_product = is_product

    def centred(self):
        return self.data.astype(I64) - self.zero


def layer(total, x, quant_in, w, quant_out, activation):
    """A sum of products becomes a result."""
    pairs = []
    for scale in w.scales:
        product = np.float32(quant_in[0]) * np.float32(scale) if w.is_product else float(quant_in[0]) * float(scale)
        pairs.append(multiplier(float(product) / float(quant_out[0])))
    m, shift = np.array([p[0] for p in pairs], I64), np.array([p[1] for p in pairs], I64)
    run = scaled_once if x.dtype == np.int16 else scaled
    return finish(run(total + w.bias, m, shift), quant_out, x.dtype, activation)


def conv_2d(x, quant_in, w, quant_out, strides, dilations, padding, activation):
    centred, total = x.astype(I64) - quant_in[1], 0
    for i, j, got, _ in taps_of(centred, 0, w.data.shape[1:3], strides, dilations, padding):
        total = total + got @ w.centred()[:, i, j, :].T
    return layer(total, x, quant_in, w, quant_out, activation)


def depthwise_conv_2d(x, quant_in, w, quant_out, strides, dilations, padding, activation):
    centred, total = x.astype(I64) - quant_in[1], 0
    times = w.data.shape[3] // x.shape[3]
    for i, j, got, _ in taps_of(centred, 0, w.data.shape[1:3], strides, dilations, padding):
        total = total + np.repeat(got, times, axis=3) * w.centred()[0, i, j]
    return layer(total, x, quant_in, w, quant_out, activation)


def fully_connected(x, quant_in, w, quant_out, activation):
    total = (x.reshape(-1, w.data.shape[1]).astype(I64) - quant_in[1]) @ w.centred().T
    return layer(total, x, quant_in, w, quant_out, activation)


def add(a, quant_a, b, quant_b, quant_out, activation):
    finer = 15 if a.dtype == np.int16 else 20
    twice, total = 2.0 * max(float(quant_a[0]), float(quant_b[0])), 0
    for x, quant in ((a, quant_a), (b, quant_b)):
        m, shift = multiplier(float(quant[0]) / twice)
        total = total + scaled((x.astype(I64) - quant[1]) << finer, m, np.int64(shift))
    m, shift = multiplier(twice / (2.0**finer * float(quant_out[0])))
    return finish(scaled(total, m, np.int64(shift)), quant_out, a.dtype, activation)


def mul(a, quant_a, b, quant_b, quant_out, activation):
    if a.dtype == np.uint8:  # the source has floats here
        real = float(np.float32(quant_a[0]) * np.float32(quant_b[0]) / np.float32(quant_out[0]))
    else:
        real = float(quant_a[0]) * float(quant_b[0]) / float(quant_out[0])
    m, shift = multiplier(real)
    total = (a.astype(I64) - quant_a[1]) * (b.astype(I64) - quant_b[1])
    return finish(scaled(total, m, np.int64(shift)), quant_out, a.dtype, activation)


def average_pool_2d(x, quant, window, strides, padding, activation):
    total, count = 0, 0
    for _, _, got, inside in taps_of(x.astype(I64), 0, window, strides, (1, 1), padding):
        total, count = total + got, count + inside.astype(I64)[None, :, :, None]
    half = count // 2
    mean = np.where(total >= 0, (total + half) // count, -((-total + half) // count))
    return np.clip(mean, *bounds(activation, *quant, x.dtype)).astype(x.dtype)


def max_pool_2d(x, quant, window, strides, padding, activation):
    best = None
    for _, _, got, _ in taps_of(x.astype(I64), -10**6, window, strides, (1, 1), padding):
        best = got if best is None else np.maximum(best, got)
    return np.clip(best, *bounds(activation, *quant, x.dtype)).astype(x.dtype)
