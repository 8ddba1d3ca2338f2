/* SPDX-License-Identifier: Apache-2.0 */
/* Two passes over a row: its range, then the steps. */
#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/quantize/through_bytes.h"

/* Steps of 1/127 of the largest magnitude. */
static void symmetric_row(const float *x, int32_t n, float range, float *y)
{
    const float scale = range / 127.0F, inverse = 127.0F / range;
    for (int32_t i = 0; i < n; i++) {
        y[i] = oribi_micro_through_bytes_nearest(x[i] * inverse, -127.0F, 127.0F) * scale;
    }
}

static void asymmetric_row(const float *x, int32_t n, float low, float high, float *y)
{
    float scale = 0.0F;
    const float zero = oribi_micro_through_bytes_zero((double)low, (double)high, &scale);
    const float inverse = 1.0F / scale;
    for (int32_t i = 0; i < n; i++) {
        const float product = x[i] * inverse;
        y[i] = (oribi_micro_through_bytes_nearest(zero + product, -128.0F, 127.0F) - zero) * scale;
    }
}

void oribi_micro_through_bytes(const struct oribi_micro_through_bytes_args *args,
                               const float *input, float *output)
{
    const int32_t n = args->columns;
    for (int32_t row = 0; row < args->rows; row++) {
        const float *x = input + row * n;
        float *y = output + row * n;
        float low = 0.0F, high = 0.0F;
        TVMGEN_YIELD();
        for (int32_t i = 0; i < n; i++) {
            low = x[i] < low ? x[i] : low;
            high = x[i] > high ? x[i] : high;
        }
        if (low < high && args->asymmetric != 0) {
            asymmetric_row(x, n, low, high, y);
        } else {
            symmetric_row(x, n, low < high ? high > -low ? high : -low : 1.0F, y);
        }
    }
}
