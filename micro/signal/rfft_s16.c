/* SPDX-License-Identifier: Apache-2.0 */
/* In Q0.15. */
#include "micro/signal/fft.h"

#include "micro/signal/fft_s16_body.h"
#include "micro/signal/rfft_body.h"

void oribi_micro_rfft_s16(const struct oribi_micro_fft_s16_args *args, const int16_t *input,
                          int16_t *output)
{
    for (int32_t i = 0; i < args->rows; i++) {
        forward(args->roots, args->n, input, args->given, (point *)(void *)output);
        input += args->given;
        output += args->n + 2;
    }
}
