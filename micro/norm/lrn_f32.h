/* SPDX-License-Identifier: Apache-2.0 */
/* Local response normalisation of float across channels. */
#ifndef ORIBI_MICRO_LRN_F32_H_
#define ORIBI_MICRO_LRN_F32_H_

#include <stdint.h>

struct oribi_micro_lrn_f32_args {
    int32_t pixels, channels;
    int32_t radius; /* channels on either side */
    float bias, alpha, beta;
};

/* input / (bias + alpha * the sum of squares of the channels around) ^ beta.
 * Shapes   input and output [pixels, channels].
 * Owns     nothing; output is not the input's memory.
 * Context  run: no allocation, no state.
 * Source   squares summed one after the other; each operation rounds once (float_rules.h).
 */
void oribi_micro_lrn_f32(const struct oribi_micro_lrn_f32_args *args, const float *input,
                         float *output);

#endif
