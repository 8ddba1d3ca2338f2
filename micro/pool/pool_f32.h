/* SPDX-License-Identifier: Apache-2.0 */
/* Average and maximum pools of float, NHWC. */
#ifndef ORIBI_MICRO_POOL_F32_H_
#define ORIBI_MICRO_POOL_F32_H_

#include "micro/pool/pool_window.h"

struct oribi_micro_pool_f32_args {
    int32_t batch, in_h, in_w, channels;
    int32_t out_h, out_w;
    int32_t filter_h, filter_w;
    int32_t stride_h, stride_w;
    int32_t before_h, before_w; /* padding before the first row and column */
};

static inline struct oribi_micro_pool_window
oribi_micro_pool_f32_window(const struct oribi_micro_pool_f32_args *a, int32_t y, int32_t x)
{
    return oribi_micro_pool_clip(y * a->stride_h - a->before_h, x * a->stride_w - a->before_w,
                                 a->filter_h, a->filter_w, a->in_h, a->in_w);
}

/* The average, or the largest, of the values of each window that lie in the image.
 * Shapes   input [batch, in_h, in_w, channels], output [batch, out_h, out_w, channels].
 * Units    padding does not count; every window holds at least one value of the image.
 * Owns     nothing; output is not the input's memory.
 * Context  run: no allocation, no state.
 * Source   averages are summed one value after the other, by rows, and divided once; each operation
 *          rounds once (float_rules.h). A NaN is never larger: it stays out of a maximum.
 */
void oribi_micro_average_pool_f32(const struct oribi_micro_pool_f32_args *args, const float *input,
                                  float *output);
void oribi_micro_max_pool_f32(const struct oribi_micro_pool_f32_args *args, const float *input,
                              float *output);

#endif
