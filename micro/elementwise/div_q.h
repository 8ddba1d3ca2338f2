/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients of two quantised tensors of one type. The arguments come from binary_q_prepare.h. */
#ifndef ORIBI_MICRO_DIV_Q_H_
#define ORIBI_MICRO_DIV_Q_H_

#include "micro/elementwise/mul_q.h"

/* Divides a by b, value by value: int8, uint8 or int16. By 0, which the source leaves open: the
 * bound on the side of a, 0 / 0 is 0.
 * Shapes   a and b broadcast to output, all dense.
 * Owns     nothing; output may be the memory of an input that has the output's shape.
 * Context  run: no allocation, no state; scratch may be NULL.
 * Source   TensorFlow Lite's reference division, bit for bit (docs/rounding.md).
 */
void oribi_micro_div_q(const struct oribi_micro_mul_q_args *args, const void *a, const void *b,
                       void *output, void *scratch);

#endif
