/* SPDX-License-Identifier: Apache-2.0 */
/* See conv_geometry.h. Source of the padding rules: TensorFlow's SAME puts the odd pixel after. */
#include "cpu/conv_geometry.h"

enum { ROWS_AT_ONCE = 16 };

bool oribi_conv_axis_resolve(oribi_conv_axis *axis, oribi_conv_padding padding)
{
    const int64_t limit = INT32_MAX; /* keeps every sum and product below in 64 bits */
    if (axis->in < 0 || axis->in > limit || axis->taps < 1 || axis->taps > limit ||
        axis->stride < 1 || axis->stride > limit || axis->dilation < 1 || axis->dilation > limit) {
        return false;
    }
    const int64_t window = (axis->taps - 1) * axis->dilation + 1;
    if (padding == ORIBI_CONV_SAME) {
        axis->out = (axis->in + axis->stride - 1) / axis->stride;
        const int64_t needed = (axis->out - 1) * axis->stride + window - axis->in;
        axis->before = needed > 0 ? needed / 2 : 0;
        axis->after = needed > 0 ? needed - axis->before : 0;
        return true;
    }
    if (padding == ORIBI_CONV_VALID) {
        axis->before = axis->after = 0;
    } else if (axis->before < 0 || axis->before > limit || axis->after < 0 || axis->after > limit) {
        return false;
    }
    const int64_t padded = axis->in + axis->before + axis->after;
    axis->out = padded < window ? 0 : (padded - window) / axis->stride + 1;
    return padded >= window;
}

void oribi_conv_rows_fill(const void *arg, int64_t row, int32_t n_rows, int64_t tap, int64_t n_taps,
                          int64_t channel, const float **out)
{
    const oribi_conv_rows *rows = arg;
    const int64_t pixels = rows->y.out * rows->x.out;
    int64_t batch = row / pixels, y = row % pixels / rows->x.out, x = row % rows->x.out;
    int64_t top[ROWS_AT_ONCE], left[ROWS_AT_ONCE];
    const float *image[ROWS_AT_ONCE];
    for (int32_t i = 0; i < n_rows; i++) {
        top[i] = y * rows->y.stride - rows->y.before;
        left[i] = x * rows->x.stride - rows->x.before;
        image[i] = rows->input + channel +
                   ((batch * rows->y.in + top[i]) * rows->x.in + left[i]) * rows->channels;
        if (++x == rows->x.out) {
            x = 0;
            if (++y == rows->y.out) {
                y = 0;
                batch++;
            }
        }
    }
    int64_t tap_y = tap / rows->x.taps, tap_x = tap % rows->x.taps;
    for (int64_t t = 0; t < n_taps; t++, out += n_rows) {
        const int64_t down = tap_y * rows->y.dilation, right = tap_x * rows->x.dilation;
        const int64_t step = (down * rows->x.in + right) * rows->channels;
        for (int32_t i = 0; i < n_rows; i++) {
            /* One unsigned comparison tells both ends. */
            const bool inside = (uint64_t)(top[i] + down) < (uint64_t)rows->y.in &&
                                (uint64_t)(left[i] + right) < (uint64_t)rows->x.in;
            out[i] = inside ? image[i] + step : rows->zeros;
        }
        if (++tap_x == rows->x.taps) {
            tap_x = 0;
            tap_y++;
        }
    }
}
