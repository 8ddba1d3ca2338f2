/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over a bank of filters that overlap by halves. */
#include "micro/signal/listen.h"

#include "micro/port.h"

void oribi_micro_filter_bank(const struct oribi_micro_filter_bank_args *args, const uint32_t *input,
                             const int16_t *weights, const int16_t *others, const int16_t *starts,
                             const int16_t *places, const int16_t *widths, uint64_t *output)
{
    uint64_t here = 0;
    for (int32_t i = 0; i <= args->channels; i++) {
        const int32_t from = starts[i], place = places[i];
        uint64_t next = 0;
        TVMGEN_YIELD();
        for (int32_t j = 0; j < widths[i]; j++) {
            here += (uint64_t)(int64_t)weights[place + j] * input[from + j];
            next += (uint64_t)(int64_t)others[place + j] * input[from + j];
        }
        if (i > 0) {
            output[i - 1] = here;
        }
        here = next;
    }
}
