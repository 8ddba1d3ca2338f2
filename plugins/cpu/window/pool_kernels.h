/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling over NHWC windows: geometry and the compute that every row function is called from. Row
 * functions live in pool_reference.c and pool_loops.h and know nothing of tensors.
 */
#ifndef ORIBI_PLUGINS_CPU_POOL_H_
#define ORIBI_PLUGINS_CPU_POOL_H_

#include "cpu/base/cpu_shape.h"

/* One pooling call; sizes in elements. */
typedef struct oribi_cpu_pool {
    const void *x; /* [n, down.in, across.in, channels] */
    void *y;       /* [n, down.out, across.out] rows of channels, row_stride apart */
    int64_t n, channels, row_stride;
    oribi_geometry_window down, across;
} oribi_cpu_pool;

/* One line of outputs: all pixels of line `line` of n * down.out. */
typedef void (*oribi_cpu_pool_line)(const oribi_cpu_pool *pool, int64_t line);

void *oribi_cpu_pool_create(TF_OpKernelConstruction *construction);
void oribi_cpu_pool_compute(const void *state, TF_OpKernelContext *context,
                            oribi_cpu_pool_line line);

/* The taps of the window of output pixel (oh, ow) that lie inside the image. */
typedef struct oribi_cpu_window {
    oribi_geometry_taps down, across;
} oribi_cpu_window;

static inline oribi_cpu_window oribi_cpu_pool_window(const oribi_cpu_pool *p, int64_t oh,
                                                     int64_t ow)
{
    return (oribi_cpu_window){oribi_geometry_taps_of(&p->down, oh, p->down.in),
                              oribi_geometry_taps_of(&p->across, ow, p->across.in)};
}

/* Taps by which an average divides; at least 1. */
static inline int64_t oribi_cpu_pool_divisor(const oribi_cpu_window *w)
{
    const int64_t h = w->down.to - w->down.from, v = w->across.to - w->across.from;
    return h > 0 && v > 0 ? h * v : 1;
}

#endif
