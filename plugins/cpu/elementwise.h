/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise ops: the two computes (one operand, two broadcast operands) that every loop is called
 * from. Loops live in unary_*.c and binary_*.c and know nothing of tensors.
 */
#ifndef ORIBI_PLUGINS_CPU_ELEMENTWISE_H_
#define ORIBI_PLUGINS_CPU_ELEMENTWISE_H_

#include "cpu/walk.h"

/* Before a loop whose output may be one of its inputs, element for element, and else overlaps
 * nothing: without it compilers test for overlap and take the scalar loop when in place. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* builds that do not vectorise at all */
#define ORIBI_CPU_NO_ALIAS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define ORIBI_CPU_NO_ALIAS _Pragma("GCC ivdep")
#else
#define ORIBI_CPU_NO_ALIAS
#endif

/* Object of a unary loop; the loop does elements [begin, end). */
typedef struct oribi_cpu_unary {
    const void *x;
    void *y;
    float a, b; /* parameters of the op: slope, low and high bound */
} oribi_cpu_unary;
typedef void (*oribi_cpu_unary_loop)(void *object, int64_t begin, int64_t end);

/* y has x's shape, and its memory where the element types agree and the host allows.
 * cost: cycles an element. */
void oribi_cpu_unary_compute(TF_OpKernelContext *context, oribi_cpu_unary_loop loop, int64_t cost,
                             float a, float b);

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

void oribi_cpu_binary_compute(TF_OpKernelContext *context, const oribi_cpu_binary_op *op);
/* Of Equal and NotEqual: is incompatible_shape_error false? Not NULL then. Nothing to destroy. */
void *oribi_cpu_equality_create(TF_OpKernelConstruction *construction);
/* The op where the shapes do not broadcast and may: one element, its answer for two unlike values.
 */
void oribi_cpu_equality_compute(TF_OpKernelContext *context, const oribi_cpu_binary_op *op);
/* A binary op inside a run whose inputs 0 and 1 are seen with these shapes. */
bool oribi_cpu_binary_run(oribi_cpu_run *run, const oribi_cpu_binary_op *op,
                          const oribi_cpu_shape *a, const oribi_cpu_shape *b,
                          const oribi_cpu_shape *out);

#endif
