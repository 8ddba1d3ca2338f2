/* SPDX-License-Identifier: Apache-2.0 */
/* Local response normalisation of float. */
#include "micro/float_rules.h"

#include "micro/norm/lrn_f32.h"
#include "micro/math_f64.h"

void oribi_micro_lrn_f32(const struct oribi_micro_lrn_f32_args *args, const float *input,
                         float *output)
{
    for (int32_t p = 0; p < args->pixels; p++) {
        for (int32_t c = 0; c < args->channels; c++) {
            const int32_t first = c > args->radius ? c - args->radius : 0;
            const int32_t reach = args->channels - 1 - c; /* channels that follow */
            const int32_t last = c + (args->radius < reach ? args->radius : reach);
            float sum = 0.0F;
            for (int32_t i = first; i <= last; i++) {
                sum += input[i] * input[i];
            }
            output[c] = input[c] * oribi_micro_pow(args->bias + args->alpha * sum, -args->beta);
        }
        input += args->channels;
        output += args->channels;
    }
}
