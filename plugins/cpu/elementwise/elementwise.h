/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise ops of two broadcast operands: the compute that every loop is called from; that of
 * one operand is oribi_kit_unary. Loops live in unary_*.c and binary_*.c and know nothing of
 * tensors.
 */
#ifndef ORIBI_PLUGINS_CPU_ELEMENTWISE_H_
#define ORIBI_PLUGINS_CPU_ELEMENTWISE_H_

#include "cpu/base/walk.h"

/* One line of a binary op: steps sa and sb in elements. False: an operand is not allowed (a divisor
 * of 0, a negative exponent). */
typedef bool (*oribi_cpu_binary_line)(const void *a, int64_t sa, const void *b, int64_t sb, void *y,
                                      int64_t count);

typedef struct oribi_cpu_binary_op {
    oribi_cpu_binary_line line;
    uint8_t in_bytes, out_bytes; /* of an element */
    bool in_place;               /* out has the type of in */
    bool collapse;               /* join dims; reference rows walk them as they are */
    uint8_t cost;                /* cycles an element */
    const char *refusal;         /* what a false of `line` means */
} oribi_cpu_binary_op;

/* The numbers of an activation: alpha and beta, or what the op has. Destroyed by oribi_kit_free. */
typedef struct oribi_cpu_activation {
    float a, b;
} oribi_cpu_activation;
void *oribi_cpu_plain_create(TF_OpKernelConstruction *construction);
void *oribi_cpu_alpha_create(TF_OpKernelConstruction *construction);
void *oribi_cpu_alpha_beta_create(TF_OpKernelConstruction *construction);
void *oribi_cpu_gelu_create(TF_OpKernelConstruction *construction); /* a = 1: by tanh */

void oribi_cpu_binary_compute(TF_OpKernelContext *context, const oribi_cpu_binary_op *op);
/* For Equal and NotEqual: not NULL where incompatible_shape_error is false. Nothing to destroy. */
void *oribi_cpu_equality_create(TF_OpKernelConstruction *construction);
/* The op where the shapes do not broadcast and may: one element, its answer for two unlike values.
 */
void oribi_cpu_equality_compute(TF_OpKernelContext *context, const oribi_cpu_binary_op *op);
/* A binary op inside a run whose inputs 0 and 1 are seen with these shapes. */
bool oribi_cpu_binary_run(oribi_kit_run *run, const oribi_cpu_binary_op *op,
                          const oribi_cpu_shape *a, const oribi_cpu_shape *b,
                          const oribi_cpu_shape *out);

#endif
