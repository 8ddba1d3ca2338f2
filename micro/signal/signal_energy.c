/* SPDX-License-Identifier: Apache-2.0 */
/* What is in each frequency. */
#include "micro/signal/listen.h"

void oribi_micro_signal_energy(const struct oribi_micro_signal_energy_args *args,
                               const int16_t *input, uint32_t *output)
{
    for (int32_t i = 0; i < args->bins; i++) {
        const int32_t re = input[2 * i], im = input[2 * i + 1];
        output[i] =
            i >= args->start && i < args->end ? (uint32_t)(re * re) + (uint32_t)(im * im) : 0U;
    }
}
