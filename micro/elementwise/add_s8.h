/* SPDX-License-Identifier: Apache-2.0 */
/* Sum or difference of two int8 tensors of different scales, exact to TensorFlow Lite Micro. The
 * arguments come from binary_q_prepare.h.
 */
#ifndef ORIBI_MICRO_ADD_S8_H_
#define ORIBI_MICRO_ADD_S8_H_

#include "micro/elementwise/add_row_s8.h"
#include "micro/broadcast.h"

struct oribi_micro_add_s8_args {
    struct oribi_micro_broadcast shape;
    struct oribi_micro_add_scales_s8 scales;
    int32_t scratch_bytes; /* 0 */
};

/* Adds a and b, or subtracts b from a.
 * Shapes   a and b broadcast to output, all dense.
 * Owns     nothing; output may be the memory of an input that has the output's shape.
 * Context  run: no allocation, no state; scratch may be NULL.
 * Source   TensorFlow Lite Micro's reference addition and subtraction, bit for bit
 *          (docs/rounding.md).
 */
void oribi_micro_add_s8(const struct oribi_micro_add_s8_args *args, const int8_t *a,
                        const int8_t *b, int8_t *output, void *scratch);

#endif
