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


def bounds(activation, scale, zero):
    low, high = -128, 127

    def quantised(value):
        return zero + int(math.floor(abs(value) / float(scale) + 0.5)) * (1 if value >= 0 else -1)
    if activation == "RELU":
        low = max(low, quantised(0.0))
    elif activation == "RELU6":
        low, high = max(low, quantised(0.0)), min(high, quantised(6.0))
    elif activation == "RELU_N1_TO_1":
        low, high = max(low, quantised(-1.0)), min(high, quantised(1.0))
    return low, high


def finish(x, quant, activation="NONE"):
    low, high = bounds(activation, *quant)
    return np.clip(x + quant[1], low, high).astype(np.int8)


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


def per_channel(x, quant_in, w_scales, quant_out):
    pairs = [multiplier(float(quant_in[0]) * float(s) / float(quant_out[0])) for s in w_scales]
    return scaled(x, np.array([p[0] for p in pairs], I64), np.array([p[1] for p in pairs], I64))


def conv_2d(x, quant_in, w, w_scales, bias, quant_out, strides, dilations, padding, activation):
    centred = x.astype(I64) - quant_in[1]
    total = None
    for i, j, got, _ in taps_of(centred, 0, w.shape[1:3], strides, dilations, padding):
        part = got @ w[:, i, j, :].astype(I64).T
        total = part if total is None else total + part
    return finish(per_channel(total + bias, quant_in, w_scales, quant_out), quant_out, activation)


def depthwise_conv_2d(x, quant_in, w, w_scales, bias, quant_out, strides, dilations, padding, activation):
    centred = x.astype(I64) - quant_in[1]
    times = w.shape[3] // x.shape[3]
    total = 0
    for i, j, got, _ in taps_of(centred, 0, w.shape[1:3], strides, dilations, padding):
        total = total + np.repeat(got, times, axis=3) * w[0, i, j].astype(I64)
    return finish(per_channel(total + bias, quant_in, w_scales, quant_out), quant_out, activation)


def fully_connected(x, quant_in, w, w_scale, bias, quant_out, activation):
    total = (x.reshape(-1, w.shape[1]).astype(I64) - quant_in[1]) @ w.astype(I64).T + bias
    m, shift = multiplier(float(np.float32(quant_in[0]) * np.float32(w_scale)) / float(quant_out[0]))
    return finish(scaled(total, m, np.int64(shift)), quant_out, activation)


def add(a, quant_a, b, quant_b, quant_out, activation):
    twice = 2.0 * max(float(quant_a[0]), float(quant_b[0]))
    total = 0
    for x, quant in ((a, quant_a), (b, quant_b)):
        m, shift = multiplier(float(quant[0]) / twice)
        total = total + scaled((x.astype(I64) - quant[1]) << 20, m, np.int64(shift))
    m, shift = multiplier(twice / (2.0**20 * float(quant_out[0])))
    return finish(scaled(total, m, np.int64(shift)), quant_out, activation)


def mul(a, quant_a, b, quant_b, quant_out, activation):
    m, shift = multiplier(float(quant_a[0]) * float(quant_b[0]) / float(quant_out[0]))
    total = (a.astype(I64) - quant_a[1]) * (b.astype(I64) - quant_b[1])
    return finish(scaled(total, m, np.int64(shift)), quant_out, activation)


def average_pool_2d(x, quant, window, strides, padding, activation):
    total, count = 0, 0
    for _, _, got, inside in taps_of(x.astype(I64), 0, window, strides, (1, 1), padding):
        total, count = total + got, count + inside.astype(I64)[None, :, :, None]
    half = count // 2
    mean = np.where(total >= 0, (total + half) // count, -((-total + half) // count))
    low, high = bounds(activation, *quant)
    return np.clip(mean, low, high).astype(np.int8)


def max_pool_2d(x, quant, window, strides, padding, activation):
    best = None
    for _, _, got, _ in taps_of(x.astype(I64), -10**6, window, strides, (1, 1), padding):
        best = got if best is None else np.maximum(best, got)
    low, high = bounds(activation, *quant)
    return np.clip(best, low, high).astype(np.int8)
