/* SPDX-License-Identifier: Apache-2.0 */
/* Average and maximum pools of ONNX's quantised tensors, NHWC, 8 bits of either sign. Not TFLite's
 * arithmetic: that is pool_q.h.
 */
#ifndef ORIBI_MICRO_QLINEAR_POOL_H_
#define ORIBI_MICRO_QLINEAR_POOL_H_

#include "micro/pool/pool_window.h"

struct oribi_micro_qlinear_pool_args {
    int32_t batch, in_h, in_w, channels;
    int32_t out_h, out_w;
    int32_t filter_h, filter_w;
    int32_t stride_h, stride_w;
    int32_t before_h, before_w; /* padding before the first row and column */
    int32_t is_signed;          /* 1: int8, 0: uint8 */
    float input_scale, output_scale;
    int32_t input_zero, output_zero;
    int32_t low, high; /* bounds of the result, activation included; a maximum has none */
};

static inline struct oribi_micro_pool_window
oribi_micro_qlinear_pool_window(const struct oribi_micro_qlinear_pool_args *a, int32_t y, int32_t x)
{
    return oribi_micro_pool_clip(y * a->stride_h - a->before_h, x * a->stride_w - a->before_w,
                                 a->filter_h, a->filter_w, a->in_h, a->in_w);
}

/* The average of what a window holds of the image, dequantised and summed in float, row by row;
 * then saturate(round(average / output_scale + output_zero)). The maximum is of the bytes as
 * numbers.
 * Shapes   input [batch, in_h, in_w, channels], output [batch, out_h, out_w, channels], dense.
 * Units    padding does not count; every window holds at least one value of the image.
 * Owns     nothing; output is not the input's memory.
 * Context  run: no allocation, no state.
 * Source   ONNX Runtime's QLinearAveragePool, bit for bit (docs/rounding.md).
 */
void oribi_micro_qlinear_average_pool(const struct oribi_micro_qlinear_pool_args *args,
                                      const void *input, void *output);
void oribi_micro_qlinear_max_pool(const struct oribi_micro_qlinear_pool_args *args,
                                  const void *input, void *output);

#endif
