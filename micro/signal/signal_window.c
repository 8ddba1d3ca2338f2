/* SPDX-License-Identifier: Apache-2.0 */
/* Samples times a window. */
#include "micro/signal/listen.h"

#include "micro/signal/signal_bits.h"

void oribi_micro_signal_window(const struct oribi_micro_signal_window_args *args,
                               const int16_t *input, const int16_t *weights, int16_t *output)
{
    int32_t at = 0;
    for (int32_t i = 0; i < args->count; i++) {
        output[i] = oribi_micro_signal_saturate((int32_t)input[i] * weights[at] >> args->shift);
        at = at + 1 < args->width ? at + 1 : 0;
    }
}
