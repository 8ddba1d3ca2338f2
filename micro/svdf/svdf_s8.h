/* SPDX-License-Identifier: Apache-2.0 */
/* SVDF of int8: a rank-limited filter along time. Weights over time and state are int16, or, of
 * svdf_narrow_s8, int8. The arguments come from svdf_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_SVDF_S8_H_
#define ORIBI_MICRO_SVDF_S8_H_

#include <stdint.h>

struct oribi_micro_svdf_s8_args {
    const int8_t *feature; /* [units * rank, in_c] */
    const void *time;      /* [units * rank, memory], of the state's type */
    const int32_t *bias;   /* units */
    int32_t batch, in_c, units, rank, memory;
    int32_t input_zero, output_zero, state_zero;
    int32_t feature_multiplier, feature_shift; /* of the newest column of the state */
    int32_t output_multiplier, output_shift;
};

/* The state moves one step on, its newest column is what the feature filters give; the output is
 * the state weighted along time, summed over the ranks of a unit.
 * Shapes   input [batch, in_c], output [batch, units], state and next
 *          [batch, units * rank, memory].
 * Owns     nothing; no two of them may overlap.
 * Context  run: no allocation, no state of its own.
 * Source   TensorFlow Lite Micro's reference kernel, bit for bit (docs/rounding.md).
 */
void oribi_micro_svdf_s8(const struct oribi_micro_svdf_s8_args *args, const int8_t *input,
                         const int16_t *state, int8_t *output, int16_t *next);
void oribi_micro_svdf_narrow_s8(const struct oribi_micro_svdf_s8_args *args, const int8_t *input,
                                const int8_t *state, int8_t *output, int8_t *next);

#endif
