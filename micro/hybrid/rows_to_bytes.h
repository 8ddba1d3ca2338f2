/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of floats to bytes by their own ranges: what TensorFlow Lite's operators with weights of
 * int8 make of their inputs. The bytes are 128 more than TensorFlow Lite's, and so is their zero
 * point. through_bytes.h has the same steps in floats.
 */
#ifndef ORIBI_MICRO_ROWS_TO_BYTES_H_
#define ORIBI_MICRO_ROWS_TO_BYTES_H_

#include "micro/quantize/through_bytes.h"

/* A row is about (bytes - zero) * scale.
 * Shapes   input [rows, columns], output the same of uint8; scales and zeros [rows].
 * Units    zeros are in [0, 255]; a NaN becomes the least byte.
 * Owns     nothing; input and outputs do not overlap.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference kernels (docs/rounding.md).
 */
void oribi_micro_rows_to_bytes(const struct oribi_micro_through_bytes_args *args,
                               const float *input, uint8_t *output, float *scales, int32_t *zeros);

/* How a row becomes bytes. */
struct oribi_micro_row_steps {
    float scale, inverse, zero; /* of TensorFlow Lite's bytes, which have a sign */
    float least;                /* of those bytes */
};

static inline struct oribi_micro_row_steps oribi_micro_row_steps_of(float low, float high,
                                                                    int32_t asymmetric)
{
    struct oribi_micro_row_steps s = {0.0F, 0.0F, 0.0F, -127.0F};
    if (low < high && asymmetric != 0) {
        s.zero = oribi_micro_through_bytes_zero((double)low, (double)high, &s.scale);
        s.inverse = 1.0F / s.scale;
        s.least = -128.0F;
    } else {
        const float range = low < high ? high > -low ? high : -low : 1.0F;
        s.scale = range / 127.0F;
        s.inverse = 127.0F / range;
    }
    return s;
}

/* Part of a row. */
static inline void oribi_micro_row_to_bytes(const struct oribi_micro_row_steps *steps,
                                            const float *x, int32_t n, uint8_t *y)
{
    const float least = steps->least;
    for (int32_t i = 0; i < n; i++) {
        const float product = x[i] * steps->inverse;
        const float step = oribi_micro_through_bytes_nearest(steps->zero + product, least, 127.0F);
        y[i] = (uint8_t)(uint32_t)((int32_t)(step >= least ? step : least) + 128);
    }
}

#endif
