/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of qlinear_add and qlinear_mul, and what other kernels of ONNX's quantised tensors
 * derive from scales. Host only.
 */
#ifndef ORIBI_MICRO_QLINEAR_BINARY_PREPARE_H_
#define ORIBI_MICRO_QLINEAR_BINARY_PREPARE_H_

#include "micro/prepare.h"
#include "micro/elementwise/qlinear_binary.h"

struct oribi_micro_qlinear_binary_spec {
    const int32_t *a_dims, *b_dims;
    int32_t a_rank, b_rank;
    struct oribi_micro_quantisation a, b, output;
    int32_t a_signed, b_signed, output_signed; /* 1: int8, 0: uint8 */
    int32_t low, high;                         /* the type's range bounds them */
};

/* Errors: INVALID for shapes that do not meet, a scale or a zero point outside its range; TOO_LARGE
 * as oribi_micro_broadcast_resolve. */
int32_t oribi_micro_qlinear_add_prepare(const struct oribi_micro_qlinear_binary_spec *spec,
                                        struct oribi_micro_qlinear_binary_args *out);
int32_t oribi_micro_qlinear_mul_prepare(const struct oribi_micro_qlinear_binary_spec *spec,
                                        struct oribi_micro_qlinear_binary_args *out);

/* Is the scale finite and above 0, the zero point a byte of this sign? */
int32_t oribi_micro_qlinear_check(struct oribi_micro_quantisation quantisation, int32_t is_signed);
/* The part of [*low, *high] that the type has. */
void oribi_micro_qlinear_bound(int32_t is_signed, int32_t *low, int32_t *high);
/* Of qlinear_mean. */
float oribi_micro_qlinear_mean_multiplier(float input_scale, float output_scale, int32_t count);

#endif
