/* SPDX-License-Identifier: Apache-2.0 */
/* See micro_rows.h. Kernels count in 32 bits; the host's tensors come to them in slices. */
#include "cpu/base/micro_rows.h"

enum { SLICE = 1 << 20 };

void oribi_cpu_micro_elements(const oribi_kit_elements *work, int64_t begin, int64_t end,
                              float alpha, oribi_cpu_micro_unary *kernel)
{
    const float *x = work->x;
    float *y = work->y;
    while (begin < end) {
        const int64_t count = end - begin < SLICE ? end - begin : SLICE;
        const struct oribi_micro_unary_f32_args args = {.count = (int32_t)count, .alpha = alpha};
        kernel(&args, x + begin, y + begin);
        begin += count;
    }
}

void oribi_cpu_micro_doubles(const oribi_kit_elements *work, int64_t begin, int64_t end,
                             float alpha, const char *name)
{
    const double *x = work->x;
    double *y = work->y;
    struct oribi_micro_unary_f64_args args = {.function = oribi_micro_unary_f64_find(name),
                                              .alpha = alpha};
    for (; begin < end; begin += args.count) {
        args.count = (int32_t)(end - begin < SLICE ? end - begin : SLICE);
        oribi_micro_unary_f64(&args, x + begin, y + begin);
    }
}

/* Steps that the kernel cannot count: one element at a time. */
bool oribi_cpu_micro_line(const void *a, int64_t sa, const void *b, int64_t sb, void *y,
                          int64_t count, oribi_cpu_micro_binary *kernel)
{
    const bool is_near = sa >= 0 && sa < INT32_MAX / SLICE && sb >= 0 && sb < INT32_MAX / SLICE;
    const float *u = a, *v = b;
    for (int64_t at = 0; at < count;) {
        const int64_t slice = !is_near ? 1 : count - at < SLICE ? count - at : SLICE;
        const struct oribi_micro_binary_f32_args args = {
            .shape = {.rank = 1,
                      .dims = {(int32_t)slice},
                      .a_step = {is_near ? (int32_t)sa : 0},
                      .b_step = {is_near ? (int32_t)sb : 0}}};
        kernel(&args, u + at * sa, v + at * sb, (float *)y + at);
        at += slice;
    }
    return true;
}

void oribi_cpu_micro_units(const oribi_cpu_reduce *reduce, int64_t begin, int64_t end, float none,
                           oribi_cpu_micro_reduce *kernel)
{
    const oribi_cpu_walk *reduced = &reduce->reduced;
    struct oribi_micro_reduce_f32_args args = {
        .kept_rank = 1, .kept_step = {1}, .rank = reduced->rank};
    for (int k = 0; k < reduced->rank; k++) {
        args.dims[k] = (int32_t)reduced->axes[k].dim;
        args.step[k] = (int32_t)reduced->axes[k].strides[0];
    }
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t at, columns;
        const int64_t from = oribi_cpu_reduce_unit(reduce, unit, &at, &columns);
        float *y = (float *)reduce->y + at;
        args.kept_dims[0] = (int32_t)columns;
        if (reduced->count > 0) {
            kernel(&args, (const float *)reduce->x + from, y);
        }
        for (int64_t i = 0; i < columns && reduced->count == 0; i++) {
            y[i] = none;
        }
    }
}
