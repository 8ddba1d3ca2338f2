/* SPDX-License-Identifier: Apache-2.0 */
/* Ops made of binary lines: BiasAdd, AddN, ClipByValue. The rows stand with the lines, in
 * binary_reference.c and binary_loops.h, one for each ISA and element type.
 */
#ifndef ORIBI_PLUGINS_CPU_COMBINE_H_
#define ORIBI_PLUGINS_CPU_COMBINE_H_

#include "cpu/elementwise/elementwise.h"

void *oribi_cpu_bias_create(TF_OpKernelConstruction *construction);
void oribi_cpu_bias_compute(const void *state, TF_OpKernelContext *context,
                            const oribi_cpu_binary_op *add);
void oribi_cpu_add_n_compute(TF_OpKernelContext *context, const oribi_cpu_binary_op *add);
void oribi_cpu_clip_compute(TF_OpKernelContext *context, const oribi_cpu_binary_op *maximum,
                            const oribi_cpu_binary_op *minimum);

/* Compute functions and rows of the three for one element type T with lines id_T_line or id_line.
 */
#define ORIBI_CPU_COMBINE(suffix, add, maximum, minimum)                                           \
    static void bias##suffix##_compute(void *state, TF_OpKernelContext *context)                   \
    {                                                                                              \
        oribi_cpu_bias_compute(state, context, &add);                                              \
    }                                                                                              \
    static void add_n##suffix##_compute(void *state, TF_OpKernelContext *context)                  \
    {                                                                                              \
        (void)state;                                                                               \
        oribi_cpu_add_n_compute(context, &add);                                                    \
    }                                                                                              \
    static void clip##suffix##_compute(void *state, TF_OpKernelContext *context)                   \
    {                                                                                              \
        (void)state;                                                                               \
        oribi_cpu_clip_compute(context, &maximum, &minimum);                                       \
    }
#define ORIBI_CPU_COMBINE_ROW(op, dtype, set, create_fn, compute_fn, destroy_fn, text)             \
    {.op_name = op,                                                                                \
     .types = {{"T", ORIBI_KIT_TYPE(dtype)}},                                                      \
     ORIBI_ISA_FIELDS(set),                                                                        \
     .create = create_fn,                                                                          \
     .compute = compute_fn,                                                                        \
     .destroy = destroy_fn,                                                                        \
     .why = text},
#define ORIBI_CPU_COMBINE_ROWS(suffix, dtype, set, text)                                           \
    ORIBI_CPU_COMBINE_ROW("BiasAdd", dtype, set, oribi_cpu_bias_create, bias##suffix##_compute,    \
                          oribi_kit_free, text)                                                    \
    ORIBI_CPU_COMBINE_ROW("AddN", dtype, set, NULL, add_n##suffix##_compute, NULL, text)           \
    ORIBI_CPU_COMBINE_ROW("ClipByValue", dtype, set, NULL, clip##suffix##_compute, NULL, text)

#endif
