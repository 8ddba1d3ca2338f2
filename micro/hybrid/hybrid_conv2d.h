/* SPDX-License-Identifier: Apache-2.0 */
/* TensorFlow Lite's hybrid CONV_2D and FULLY_CONNECTED: floats that have become bytes, an image by
 * its own range (rows_to_bytes.h), weights of int8, and results in floats.
 */
#ifndef ORIBI_MICRO_HYBRID_CONV2D_H_
#define ORIBI_MICRO_HYBRID_CONV2D_H_

#include "micro/conv/qlinear_conv2d.h"

struct oribi_micro_hybrid_conv2d_args {
    struct oribi_micro_qlinear_conv2d_args conv; /* uint8 by int8 to float; its zero points are not
                                                    read */
    float low, high;                             /* bounds of results */
};

/* sum * multiplier * scale + bias, bounded, of sums (input - zero) * filter; a NaN stays one.
 * Shapes   as oribi_micro_qlinear_conv2d; bias and multipliers [out_c], scales and zeros [batch].
 * Owns     nothing; output is no input's memory.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's HybridConvPerChannel.
 */
void oribi_micro_hybrid_conv2d(const struct oribi_micro_hybrid_conv2d_args *args,
                               const uint8_t *input, const int8_t *filter, const float *bias,
                               const float *multipliers, const float *scales, const int32_t *zeros,
                               float *output);

/* A result of a product of the sum and its multiplier. */
static inline float oribi_micro_hybrid_result(float product, float scale, float bias, float low,
                                              float high)
{
    const float scaled = product * scale;
    const float y = scaled + bias;
    const float bounded = y < low ? low : y;
    return bounded > high ? high : bounded;
}

#endif
