/* SPDX-License-Identifier: Apache-2.0 */
/* Square roots of 64 bits, digit by digit. */
#include "micro/signal/listen.h"

/* Rounded where the result's bits allow it; `most` is the largest result. */
static uint32_t square_root(uint64_t x, uint32_t most)
{
    uint64_t rest = x, root = 0, bit = 1;
    while (bit <= x / 4U) {
        bit *= 4U;
    }
    for (; bit != 0U; bit /= 4U) {
        const int32_t is_set = rest >= root + bit ? 1 : 0;
        rest -= is_set != 0 ? root + bit : 0U;
        root = root / 2U + (is_set != 0 ? bit : 0U);
    }
    return (uint32_t)(rest > root && root != most ? root + 1U : root);
}

void oribi_micro_filter_bank_root(const struct oribi_micro_signal_scale_args *args,
                                  const uint64_t *input, const int32_t *bits, uint32_t *output)
{
    const uint32_t shift = (uint32_t)*bits & 31U;
    for (int32_t i = 0; i < args->count; i++) {
        output[i] = square_root(input[i], input[i] >> 32 == 0U ? UINT16_MAX : UINT32_MAX) >> shift;
    }
}
