/* SPDX-License-Identifier: Apache-2.0 */
/* Gain that follows the noise. */
#include "micro/signal/listen.h"

#include "micro/signal/signal_bits.h"

static int16_t gain_of(uint32_t x, const int16_t *table)
{
    if (x <= 2U) {
        return table[x];
    }
    const int32_t power = oribi_micro_signal_bits(x);
    const int16_t *at = table + 4 * power - 6;
    const int32_t part =
        (int32_t)((power < 11 ? x << (11 - power) : x >> (power - 11)) & UINT32_C(0x3ff));
    int32_t y = (at[2] * part) >> 5;
    y += at[1] * 32;
    y = (int32_t)(((int64_t)y * part + (1 << 14)) >> 15);
    return (int16_t)(y + at[0]);
}

/* x^2 / 4 below 2, x - 1 above; from 12 bits behind the point to 6. */
static uint32_t shrink(uint32_t x)
{
    return x < (uint32_t)2 << 12 ? (x * x) >> 20 : (x >> 6) - ((uint32_t)1 << 6);
}

void oribi_micro_signal_gain(const struct oribi_micro_signal_gain_args *args, const uint32_t *input,
                             const uint32_t *noise, const int16_t *table, uint32_t *output)
{
    for (int32_t i = 0; i < args->count; i++) {
        const uint32_t gain = (uint32_t)(int32_t)gain_of(noise[i], table);
        output[i] = shrink((uint32_t)(((uint64_t)input[i] * gain) >> args->shift));
    }
}
