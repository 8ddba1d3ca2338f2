/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalisation of float for inference, channels last. */
#ifndef ORIBI_MICRO_BATCH_NORM_F32_H_
#define ORIBI_MICRO_BATCH_NORM_F32_H_

#include <stdint.h>

struct oribi_micro_batch_norm_f32_args {
    const float *mean, *factor, *offset; /* channels; factor is scale / sqrt(variance + epsilon) */
    int32_t pixels, channels;
    int32_t adds;       /* 1: residual is added */
    int32_t activation; /* of activation_f32.h */
};

/* (input - mean) * factor + offset, plus the residual, then the activation.
 * Shapes   input, residual and output [pixels, channels].
 * Owns     nothing; output may be the memory of input or residual. residual is not read when adds
 *          is 0.
 * Context  run: no allocation, no state.
 * Source   each operation rounds once (float_rules.h).
 */
void oribi_micro_batch_norm_f32(const struct oribi_micro_batch_norm_f32_args *args,
                                const float *input, const float *residual, float *output);

#endif
