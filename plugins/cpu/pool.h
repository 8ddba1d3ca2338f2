/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling over NHWC windows: geometry and the compute that every row function is called from. Row
 * functions live in pool_reference.c and pool_loops.h and know nothing of tensors.
 */
#ifndef ORIBI_PLUGINS_CPU_POOL_H_
#define ORIBI_PLUGINS_CPU_POOL_H_

#include "cpu/shape.h"

/* One pooling call; sizes in elements. */
typedef struct oribi_cpu_pool {
    const void *x; /* [n, in_h, in_w, channels] */
    void *y;       /* [n, out_h, out_w] rows of channels, row_stride apart */
    int64_t n, in_h, in_w, channels, out_h, out_w, row_stride;
    int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    int64_t pad_top, pad_left, pad_bottom, pad_right;
    bool count_pads; /* an average divides by padding too */
} oribi_cpu_pool;

/* One line of outputs: all out_w pixels of line `line` of n * out_h. */
typedef void (*oribi_cpu_pool_line)(const oribi_cpu_pool *pool, int64_t line);

void *oribi_cpu_pool_create(TF_OpKernelConstruction *construction);
void oribi_cpu_pool_compute(const void *state, TF_OpKernelContext *context,
                            oribi_cpu_pool_line line);

/* Part of the window of output pixel (oh, ow) that lies inside the image: taps [from, to) along
 * each axis, and the image's line and column of tap 0. */
typedef struct oribi_cpu_window {
    int64_t y0, x0, from_h, to_h, from_w, to_w;
} oribi_cpu_window;

static inline int64_t oribi_cpu_taps_from(int64_t first, int64_t dilation)
{
    return first >= 0 ? 0 : (-first + dilation - 1) / dilation;
}

static inline int64_t oribi_cpu_taps_to(int64_t first, int64_t dilation, int64_t size, int64_t taps)
{
    int64_t inside = size <= first ? 0 : (size - first + dilation - 1) / dilation;
    return inside < taps ? inside : taps;
}

static inline oribi_cpu_window oribi_cpu_pool_window(const oribi_cpu_pool *p, int64_t oh,
                                                     int64_t ow)
{
    oribi_cpu_window w = {.y0 = oh * p->stride_h - p->pad_top,
                          .x0 = ow * p->stride_w - p->pad_left};
    w.from_h = oribi_cpu_taps_from(w.y0, p->dilation_h);
    w.to_h = oribi_cpu_taps_to(w.y0, p->dilation_h, p->in_h, p->kernel_h);
    w.from_w = oribi_cpu_taps_from(w.x0, p->dilation_w);
    w.to_w = oribi_cpu_taps_to(w.x0, p->dilation_w, p->in_w, p->kernel_w);
    return w;
}

/* Taps by which an average divides; at least 1. With count_pads the window reaches into the
 * padding that was asked for, but not beyond it. */
static inline int64_t oribi_cpu_pool_divisor(const oribi_cpu_pool *p, const oribi_cpu_window *w)
{
    int64_t h = w->to_h - w->from_h, v = w->to_w - w->from_w;
    if (p->count_pads) {
        h = oribi_cpu_taps_to(w->y0, p->dilation_h, p->in_h + p->pad_bottom, p->kernel_h);
        v = oribi_cpu_taps_to(w->x0, p->dilation_w, p->in_w + p->pad_right, p->kernel_w);
    }
    return h > 0 && v > 0 ? h * v : 1;
}

#endif
