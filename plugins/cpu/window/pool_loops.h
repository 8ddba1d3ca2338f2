/* SPDX-License-Identifier: Apache-2.0 */
/* Fast f32 pooling lines, vectors along channels, four taps a pass over the output row. The
 * including file is compiled for one ISA and defines ORIBI_ISA (cpu/base/isa.h).
 */
#include <string.h>

#include "cpu/elementwise/elementwise.h"
#include "cpu/base/families.h"
#include "cpu/window/pool_kernels.h"

#define POOL_WHY "vectors along channels, four taps a pass, " ORIBI_ISA_NAME

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static inline float sum(float a, float b)
{
    return a + b;
}

/* Calls combine on the taps of a window in groups; y holds the result so far, unless they are the
 * first. */
#define POOL_LINE(id, op)                                                                          \
    static void id##_first(float *restrict y, const float *const *taps, int64_t n)                 \
    {                                                                                              \
        const float *a = taps[0], *b = taps[1], *c = taps[2], *d = taps[3];                        \
        for (int64_t i = 0; i < n; i++) {                                                          \
            y[i] = op(op(a[i], b[i]), op(c[i], d[i]));                                             \
        }                                                                                          \
    }                                                                                              \
    static void id##_four(float *restrict y, const float *const *taps, int64_t n)                  \
    {                                                                                              \
        const float *a = taps[0], *b = taps[1], *c = taps[2], *d = taps[3];                        \
        for (int64_t i = 0; i < n; i++) {                                                          \
            y[i] = op(op(op(a[i], b[i]), op(c[i], d[i])), y[i]);                                   \
        }                                                                                          \
    }                                                                                              \
    static void id##_two(float *restrict y, const float *const *taps, int64_t n)                   \
    {                                                                                              \
        const float *a = taps[0], *b = taps[1];                                                    \
        for (int64_t i = 0; i < n; i++) {                                                          \
            y[i] = op(op(a[i], b[i]), y[i]);                                                       \
        }                                                                                          \
    }                                                                                              \
    static void id##_one(float *restrict y, const float *a, int64_t n)                             \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            y[i] = op(a[i], y[i]);                                                                 \
        }                                                                                          \
    }                                                                                              \
    static void id##_window(const oribi_cpu_pool *p, const oribi_cpu_window *w, const float *x,    \
                            float *y)                                                              \
    {                                                                                              \
        const float *taps[4], *const *rest = taps;                                                 \
        int n = 0;                                                                                 \
        bool is_first = true;                                                                      \
        for (int64_t i = w->down.from; i < w->down.to; i++) {                                      \
            const float *row =                                                                     \
                x + ((w->down.first + i * p->down.dilation) * p->across.in + w->across.first) *    \
                        p->channels;                                                               \
            for (int64_t j = w->across.from; j < w->across.to; j++) {                              \
                taps[n++] = row + j * p->across.dilation * p->channels;                            \
                if (n == 4) {                                                                      \
                    (is_first ? id##_first : id##_four)(y, taps, p->channels);                     \
                    is_first = false;                                                              \
                    n = 0;                                                                         \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        if (is_first) {                                                                            \
            memcpy(y, *rest++, (size_t)p->channels * sizeof *y);                                   \
            n--;                                                                                   \
        }                                                                                          \
        if (n >= 2) {                                                                              \
            id##_two(y, rest, p->channels);                                                        \
        }                                                                                          \
        if (n % 2 == 1) {                                                                          \
            id##_one(y, rest[n - 1], p->channels);                                                 \
        }                                                                                          \
    }
POOL_LINE(max, larger)
POOL_LINE(avg, sum)

static void fill(float *y, float value, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        y[i] = value;
    }
}

static void max_line(const oribi_cpu_pool *p, int64_t line)
{
    const float *x =
        (const float *)p->x + line / p->down.out * p->down.in * p->across.in * p->channels;
    oribi_cpu_window w = oribi_cpu_pool_window(p, line % p->down.out, 0);
    for (int64_t ow = 0; ow < p->across.out; ow++) {
        w.across = oribi_geometry_taps_of(&p->across, ow, p->across.in);
        float *y = (float *)p->y + (line * p->across.out + ow) * p->row_stride;
        if (w.down.from < w.down.to && w.across.from < w.across.to) {
            max_window(p, &w, x, y);
        } else {
            fill(y, -__builtin_inff(), p->channels);
        }
    }
}

static void avg_line(const oribi_cpu_pool *p, int64_t line)
{
    const float *x =
        (const float *)p->x + line / p->down.out * p->down.in * p->across.in * p->channels;
    oribi_cpu_window w = oribi_cpu_pool_window(p, line % p->down.out, 0);
    for (int64_t ow = 0; ow < p->across.out; ow++) {
        w.across = oribi_geometry_taps_of(&p->across, ow, p->across.in);
        float *y = (float *)p->y + (line * p->across.out + ow) * p->row_stride;
        float scale = 1.0f / (float)oribi_cpu_pool_divisor(&w);
        if (w.down.from < w.down.to && w.across.from < w.across.to) {
            avg_window(p, &w, x, y);
        } else {
            fill(y, 0.0f, p->channels);
        }
        for (int64_t c = 0; c < p->channels; c++) {
            y[c] *= scale;
        }
    }
}

static void max_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_pool_compute(state, context, max_line);
}

static void avg_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_pool_compute(state, context, avg_line);
}

#define POOL_ROW(op, create_fn, compute_fn, relative)                                              \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_CPU_F32}}, ORIBI_ISA_FIELDS(ORIBI_ISA),               \
        .create = create_fn, .compute = compute_fn, .destroy = oribi_kit_free,                     \
        .strided_outputs = 1, .tolerance = (float)(relative), .why = POOL_WHY                      \
    }
const oribi_cpu_kernel ORIBI_ISA_TABLE(pool)[] = {
    POOL_ROW("MaxPool", oribi_cpu_pool_create, max_compute, 0),
    POOL_ROW("AvgPool", oribi_cpu_pool_create, avg_compute, 1e-5),
    POOL_ROW("Oribi>AvgPool", oribi_cpu_pool_create, avg_compute, 1e-5),
    {.op_name = NULL},
};
