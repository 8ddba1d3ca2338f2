/* SPDX-License-Identifier: Apache-2.0 */
/* In Q0.31. */
#include "micro/signal/fft.h"

#include "micro/signal/fft_s32_body.h"
#include "micro/signal/rfft_body.h"

void oribi_micro_rfft_s32(const struct oribi_micro_fft_s32_args *args, const int32_t *input,
                          int32_t *output)
{
    for (int32_t i = 0; i < args->rows; i++) {
        forward(args->roots, args->n, input, args->given, (point *)(void *)output);
        input += args->given;
        output += args->n + 2;
    }
}
