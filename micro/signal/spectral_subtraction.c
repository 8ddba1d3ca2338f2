/* SPDX-License-Identifier: Apache-2.0 */
/* A signal without its noise. */
#include "micro/signal/listen.h"

void oribi_micro_spectral_subtraction(const struct oribi_micro_spectral_subtraction_args *args,
                                      const uint32_t *input, const uint32_t *before,
                                      uint32_t *output, uint32_t *noise)
{
    const struct oribi_micro_spectral_subtraction_args *p = args;
    for (int32_t i = 0; i < p->count; i++) {
        const int32_t is_other = i % 2;
        const uint32_t x = input[i], scaled = x << p->bits;
        const uint32_t smoothing = (uint32_t)(is_other != 0 ? p->other_smoothing : p->smoothing);
        const uint32_t rest = (uint32_t)(is_other != 0 ? p->other_rest : p->rest);
        const uint32_t estimate =
            (uint32_t)(((uint64_t)scaled * smoothing + (uint64_t)before[i] * rest) >> p->shift);
        const uint32_t taken = estimate > scaled ? scaled : estimate;
        const uint32_t least = (uint32_t)(((uint64_t)x * (uint64_t)(int64_t)p->least) >> p->shift);
        const uint32_t left = (scaled - taken) >> p->bits;
        noise[i] = p->clamps != 0 ? taken : estimate;
        output[i] = left > least ? left : least;
    }
}
