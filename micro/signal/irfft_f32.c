/* SPDX-License-Identifier: Apache-2.0 */
/* In floats; here alone the result is divided by n. */
#include "micro/signal/fft.h"

#include "micro/signal/fft_f32_body.h"
#include "micro/signal/irfft_body.h"

void oribi_micro_irfft_f32(const struct oribi_micro_fft_f32_args *args, const float *input,
                           float *output)
{
    for (int32_t i = 0; i < args->rows; i++) {
        backward(args->roots, args->n, input, args->given, (point *)(void *)output);
        for (int32_t k = 0; k < args->n; k++) {
            output[k] = output[k] / (float)args->n;
        }
        input += args->given;
        output += args->n;
    }
}
