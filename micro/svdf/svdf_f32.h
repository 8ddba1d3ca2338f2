/* SPDX-License-Identifier: Apache-2.0 */
/* SVDF of float: a rank-limited filter along time. */
#ifndef ORIBI_MICRO_SVDF_F32_H_
#define ORIBI_MICRO_SVDF_F32_H_

#include <stdint.h>

struct oribi_micro_svdf_f32_args {
    const float *feature; /* [units * rank, in_c] */
    const float *time;    /* [units * rank, memory] */
    const float *bias;    /* units */
    int32_t batch, in_c, units, rank, memory;
};

/* As svdf_s8.h, without rounding but float's own; sums run from the first element on, and the bias
 * comes first.
 * Shapes   input [batch, in_c], output [batch, units], state and next
 *          [batch, units * rank, memory].
 * Owns     nothing; no two of them may overlap.
 * Context  run: no allocation, no state of its own.
 */
void oribi_micro_svdf_f32(const struct oribi_micro_svdf_f32_args *args, const float *input,
                          const float *state, float *output, float *next);

/* The same by fused multiply-add (`--fma`): products are not rounded before they join their sums.
 */
void oribi_micro_svdf_fma_f32(const struct oribi_micro_svdf_f32_args *args, const float *input,
                              const float *state, float *output, float *next);

#endif
