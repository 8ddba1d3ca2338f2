/* SPDX-License-Identifier: Apache-2.0 */
/* See conv_geometry.h. Source of the padding rules: TensorFlow's SAME puts the odd pixel after. */
#include "cpu/product/conv_geometry.h"

enum { ROWS_AT_ONCE = 16 };

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
