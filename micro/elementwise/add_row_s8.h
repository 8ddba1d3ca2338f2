/* SPDX-License-Identifier: Apache-2.0 */
/* Sum or difference of two runs of int8 of different scales: what add_s8 and kernels that end in a
 * sum share.
 */
#ifndef ORIBI_MICRO_ADD_ROW_S8_H_
#define ORIBI_MICRO_ADD_ROW_S8_H_

#include <stdint.h>

/* Shifts are those of oribi_micro_scale, none to the left. */
struct oribi_micro_add_scales_s8 {
    int32_t a_multiplier, b_multiplier, output_multiplier;
    int8_t a_shift, b_shift, output_shift;
    int8_t a_zero, b_zero, output_zero;
    int8_t low, high; /* bounds of the result, activation included */
    int8_t subtract;  /* 1: a - b */
};

/* Adds count values, or subtracts them; neighbours of a lie a_step values apart, 0 or 1, and those
 * of b b_step. Output may be the memory of an input whose step is 1. */
void oribi_micro_add_row_s8(const struct oribi_micro_add_scales_s8 *scales, const int8_t *a,
                            int32_t a_step, const int8_t *b, int32_t b_step, int32_t count,
                            int8_t *output);

#endif
