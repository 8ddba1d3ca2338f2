/* SPDX-License-Identifier: Apache-2.0 */
/* In floats. */
#include "micro/signal/fft.h"

#include "micro/signal/fft_f32_body.h"
#include "micro/signal/rfft_body.h"

void oribi_micro_rfft_f32(const struct oribi_micro_fft_f32_args *args, const float *input,
                          float *output)
{
    for (int32_t i = 0; i < args->rows; i++) {
        forward(args->roots, args->n, input, args->given, (point *)(void *)output);
        input += args->given;
        output += args->n + 2;
    }
}
