/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of quantised images: a mean or the largest value of each window, channel by channel. The
 * arguments come from pool_q_prepare.h.
 */
#ifndef ORIBI_MICRO_POOL_Q_H_
#define ORIBI_MICRO_POOL_Q_H_

#include "micro/pool/pool_window.h"

struct oribi_micro_pool_q_args {
    int32_t kind; /* element.h */
    int32_t batch, in_h, in_w, channels;
    int32_t out_h, out_w;
    int32_t filter_h, filter_w;
    int32_t stride_h, stride_w;
    int32_t before_h, before_w; /* padding before the first row and column */
    int32_t low, high;          /* bounds of the result, activation included */
    int32_t scratch_bytes;      /* 0 */
};

static inline struct oribi_micro_pool_window
oribi_micro_pool_window(const struct oribi_micro_pool_q_args *a, int32_t y, int32_t x)
{
    return oribi_micro_pool_clip(y * a->stride_h - a->before_h, x * a->stride_w - a->before_w,
                                 a->filter_h, a->filter_w, a->in_h, a->in_w);
}

/* Of int8, and of uint8 or int16. A mean is rounded to the nearest integer, ties away from zero,
 * over what lies in the image.
 * Shapes   input [batch, in_h, in_w, channels], output [batch, out_h, out_w, channels], dense.
 * Owns     nothing; output must not overlap input.
 * Context  run: no allocation, no state; scratch may be NULL.
 * Source   TensorFlow Lite's reference pooling, bit for bit (docs/rounding.md).
 */
void oribi_micro_average_pool_s8(const struct oribi_micro_pool_q_args *args, const int8_t *input,
                                 int8_t *output, void *scratch);
void oribi_micro_max_pool_s8(const struct oribi_micro_pool_q_args *args, const int8_t *input,
                             int8_t *output, void *scratch);
void oribi_micro_wide_average_pool(const struct oribi_micro_pool_q_args *args, const void *input,
                                   void *output, void *scratch);
void oribi_micro_wide_max_pool(const struct oribi_micro_pool_q_args *args, const void *input,
                               void *output, void *scratch);

#endif
