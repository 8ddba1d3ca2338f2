/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that average_pool_s8 and max_pool_s8 share; they come from pool_s8_prepare.h. */
#ifndef ORIBI_MICRO_POOL_S8_H_
#define ORIBI_MICRO_POOL_S8_H_

#include <stdint.h>

struct oribi_micro_pool_s8_args {
    int32_t batch, in_h, in_w, channels;
    int32_t out_h, out_w;
    int32_t filter_h, filter_w;
    int32_t stride_h, stride_w;
    int32_t before_h, before_w; /* padding before the first row and column */
    int32_t low, high;          /* bounds of the result, activation included */
    int32_t scratch_bytes;      /* 0 */
};

/* The part of a window that lies in the image: rows [top, bottom), columns [left, right). */
struct oribi_micro_pool_window {
    int32_t top, bottom, left, right;
};

static inline struct oribi_micro_pool_window
oribi_micro_pool_window(const struct oribi_micro_pool_s8_args *a, int32_t y, int32_t x)
{
    struct oribi_micro_pool_window w;
    w.top = y * a->stride_h - a->before_h;
    w.left = x * a->stride_w - a->before_w;
    w.bottom = w.top + a->filter_h < a->in_h ? w.top + a->filter_h : a->in_h;
    w.right = w.left + a->filter_w < a->in_w ? w.left + a->filter_w : a->in_w;
    w.top = w.top < 0 ? 0 : w.top;
    w.left = w.left < 0 ? 0 : w.left;
    return w;
}

#endif
