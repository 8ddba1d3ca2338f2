/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalisation of float. */
#include "micro/float_rules.h"

#include "micro/unary/activation_f32.h"
#include "micro/norm/batch_norm_f32.h"

void oribi_micro_batch_norm_f32(const struct oribi_micro_batch_norm_f32_args *args,
                                const float *input, const float *residual, float *output)
{
    const int32_t channels = args->channels;
    for (int32_t p = 0; p < args->pixels; p++) {
        for (int32_t c = 0; c < channels; c++) {
            const int32_t i = p * channels + c;
            float y = (input[i] - args->mean[c]) * args->factor[c] + args->offset[c];
            y = args->adds != 0 ? y + residual[i] : y;
            output[i] = oribi_micro_activate_f32(y, args->activation, 0.0F);
        }
    }
}
