/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of float, along rows. */
#ifndef ORIBI_MICRO_SOFTMAX_F32_H_
#define ORIBI_MICRO_SOFTMAX_F32_H_

#include <stdint.h>

struct oribi_micro_softmax_f32_args {
    int32_t rows, columns;
};

/* Softmax, or its logarithm, of each row.
 * Shapes   input and output [rows, columns].
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 * Source   the row's largest element is taken off first; exponentials are summed one after the
 *          other; each operation rounds once (float_rules.h).
 */
void oribi_micro_softmax_f32(const struct oribi_micro_softmax_f32_args *args, const float *input,
                             float *output);
void oribi_micro_log_softmax_f32(const struct oribi_micro_softmax_f32_args *args,
                                 const float *input, float *output);

#endif
