/* SPDX-License-Identifier: Apache-2.0 */
/* The row that computes what emitted C computes, beside the reference row of its op: float kernels
 * of micro/ called as they are, under the label "micro". An op needs one where two right kernels
 * may round otherwise; sums, products and bounds of two values round alike everywhere.
 */
#ifndef ORIBI_PLUGINS_CPU_MICRO_ROWS_H_
#define ORIBI_PLUGINS_CPU_MICRO_ROWS_H_

#include "cpu/base/cpu.h"
#include "cpu/elementwise/elementwise.h"
#include "cpu/window/reduce.h"

#include "micro/binary/binary_f32.h"
#include "micro/reduce/reduce_f32.h"
#include "micro/unary/unary_f32.h"
#include "micro/double/unary_f64_prepare.h"

typedef void oribi_cpu_micro_unary(const struct oribi_micro_unary_f32_args *args,
                                   const float *input, float *output);
typedef void oribi_cpu_micro_binary(const struct oribi_micro_binary_f32_args *args, const float *a,
                                    const float *b, float *output);
typedef void oribi_cpu_micro_reduce(const struct oribi_micro_reduce_f32_args *args,
                                    const float *input, float *output);

void oribi_cpu_micro_elements(const oribi_kit_elements *work, int64_t begin, int64_t end,
                              float alpha, oribi_cpu_micro_unary *kernel);
/* The same of doubles, by the function that bears the kernel's name. */
void oribi_cpu_micro_doubles(const oribi_kit_elements *work, int64_t begin, int64_t end,
                             float alpha, const char *name);
bool oribi_cpu_micro_line(const void *a, int64_t sa, const void *b, int64_t sb, void *y,
                          int64_t count, oribi_cpu_micro_binary *kernel);
/* `none`: what becomes of no elements, which emitted C refuses. */
void oribi_cpu_micro_units(const oribi_cpu_reduce *reduce, int64_t begin, int64_t end, float none,
                           oribi_cpu_micro_reduce *kernel);

/* micro_<name>_compute, of the kernel oribi_micro_<name>_f32. `alpha_of`: its attribute, from the
 * kernel's `state`, or 0. */
#define ORIBI_CPU_MICRO_UNARY_F32(name, alpha_of)                                                  \
    static void micro_##name##_loop(void *object, int64_t begin, int64_t end)                      \
    {                                                                                              \
        const oribi_kit_elements *work = object;                                                   \
        const void *state = work->state;                                                           \
        (void)state;                                                                               \
        oribi_cpu_micro_elements(work, begin, end, alpha_of, oribi_micro_##name##_f32);            \
    }                                                                                              \
    static void micro_##name##_compute(void *state, TF_OpKernelContext *context)                   \
    {                                                                                              \
        oribi_kit_unary(context, state, micro_##name##_loop, 20);                                  \
    }
/* And of doubles. */
#define ORIBI_CPU_MICRO_UNARY(name, alpha_of)                                                      \
    ORIBI_CPU_MICRO_UNARY_F32(name, alpha_of)                                                      \
    static void micro_##name##_doubles(void *object, int64_t begin, int64_t end)                   \
    {                                                                                              \
        const oribi_kit_elements *work = object;                                                   \
        const void *state = work->state;                                                           \
        (void)state;                                                                               \
        oribi_cpu_micro_doubles(work, begin, end, alpha_of, #name);                                \
    }                                                                                              \
    static void micro_##name##_f64_compute(void *state, TF_OpKernelContext *context)               \
    {                                                                                              \
        oribi_kit_unary(context, state, micro_##name##_doubles, 60);                               \
    }

#define ORIBI_CPU_MICRO_BINARY(name)                                                               \
    static bool micro_##name##_line(const void *a, int64_t sa, const void *b, int64_t sb, void *y, \
                                    int64_t count)                                                 \
    {                                                                                              \
        return oribi_cpu_micro_line(a, sa, b, sb, y, count, oribi_micro_##name##_f32);             \
    }                                                                                              \
    static void micro_##name##_compute(void *state, TF_OpKernelContext *context)                   \
    {                                                                                              \
        static const oribi_cpu_binary_op op = {.line = micro_##name##_line,                        \
                                               .in_bytes = 4,                                      \
                                               .out_bytes = 4,                                     \
                                               .in_place = true,                                   \
                                               .cost = 60};                                        \
        (void)state;                                                                               \
        oribi_cpu_binary_compute(context, &op);                                                    \
    }

/* Of the kernel oribi_micro_reduce_<name>_f32. */
#define ORIBI_CPU_MICRO_REDUCE(name, none)                                                         \
    static void micro_##name##_units(void *object, int64_t begin, int64_t end)                     \
    {                                                                                              \
        oribi_cpu_micro_units(object, begin, end, none, oribi_micro_reduce_##name##_f32);          \
    }                                                                                              \
    static void micro_##name##_compute(void *state, TF_OpKernelContext *context)                   \
    {                                                                                              \
        static const oribi_cpu_reduce_op op = {                                                    \
            .units = micro_##name##_units, .cost = 3, .most_axes = ORIBI_MICRO_REDUCE_RANK};       \
        oribi_cpu_reduce_compute(state, context, &op);                                             \
    }

#define ORIBI_CPU_MICRO_ROW(op, name, create_fn, destroy_fn)                                       \
    ORIBI_CPU_MICRO_TYPED(op, TF_FLOAT, micro_##name##_compute, create_fn, destroy_fn)
/* Of functions of one element: the row of doubles, too. */
#define ORIBI_CPU_MICRO_UNARY_ROWS(op, name, create_fn, destroy_fn)                                \
    ORIBI_CPU_MICRO_ROW(op, name, create_fn, destroy_fn)                                           \
    ORIBI_CPU_MICRO_TYPED(op, TF_DOUBLE, micro_##name##_f64_compute, create_fn, destroy_fn)
#define ORIBI_CPU_MICRO_TYPED(op, dtype, compute_fn, create_fn, destroy_fn)                        \
    {.op_name = op,                                                                                \
     .types = {{"T", ORIBI_KIT_TYPE(dtype)}},                                                      \
     .label = "micro",                                                                             \
     .priority = ORIBI_CPU_MICRO,                                                                  \
     .create = create_fn,                                                                          \
     .compute = compute_fn,                                                                        \
     .destroy = destroy_fn,                                                                        \
     .tolerance = 1e-5f,                                                                           \
     .why = "the arithmetic of emitted C"},

#endif
