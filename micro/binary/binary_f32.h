/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of two floats, a file each. */
#ifndef ORIBI_MICRO_BINARY_F32_H_
#define ORIBI_MICRO_BINARY_F32_H_

#include "micro/broadcast.h"

struct oribi_micro_binary_f32_args {
    struct oribi_micro_broadcast shape; /* from broadcast_prepare.h */
};

/* Each writes the function of a and b.
 * Shapes   a and b broadcast to output, all dense.
 * Owns     nothing; output may be the memory of an input that has the output's shape.
 * Context  run: no allocation, no state.
 * Source   each operation rounds once (float_rules.h); pow is within 1 unit in the last place.
 */
void oribi_micro_add_f32(const struct oribi_micro_binary_f32_args *args, const float *a,
                         const float *b, float *output);
void oribi_micro_sub_f32(const struct oribi_micro_binary_f32_args *args, const float *a,
                         const float *b, float *output);
void oribi_micro_mul_f32(const struct oribi_micro_binary_f32_args *args, const float *a,
                         const float *b, float *output);
void oribi_micro_div_f32(const struct oribi_micro_binary_f32_args *args, const float *a,
                         const float *b, float *output);
void oribi_micro_minimum_f32(const struct oribi_micro_binary_f32_args *args, const float *a,
                             const float *b, float *output);
void oribi_micro_maximum_f32(const struct oribi_micro_binary_f32_args *args, const float *a,
                             const float *b, float *output);
void oribi_micro_prelu_f32(const struct oribi_micro_binary_f32_args *args, const float *a,
                           const float *b, float *output);
void oribi_micro_pow_f32(const struct oribi_micro_binary_f32_args *args, const float *a,
                         const float *b, float *output);
void oribi_micro_atan2_f32(const struct oribi_micro_binary_f32_args *args, const float *a,
                           const float *b, float *output);
void oribi_micro_squared_difference_f32(const struct oribi_micro_binary_f32_args *args,
                                        const float *a, const float *b, float *output);
void oribi_micro_floor_div_f32(const struct oribi_micro_binary_f32_args *args, const float *a,
                               const float *b, float *output);
/* Exact; of the divisor's sign. */
void oribi_micro_floor_mod_f32(const struct oribi_micro_binary_f32_args *args, const float *a,
                               const float *b, float *output);

#endif
