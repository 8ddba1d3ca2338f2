/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms by a table of what log2(1 + x) is above x. */
#include "micro/signal/listen.h"

#include "micro/signal/signal_bits.h"

/* What log2(1 + i / 128) is above i / 128, times 2^16; the source's numbers, which are not all the
 * nearest ones. */
static const uint16_t above[130] = {
    0,    224,  442,  654,  861,  1063, 1259, 1450, 1636, 1817, 1992, 2163, 2329, 2490, 2646,
    2797, 2944, 3087, 3224, 3358, 3487, 3611, 3732, 3848, 3960, 4068, 4172, 4272, 4368, 4460,
    4549, 4633, 4714, 4791, 4864, 4934, 5001, 5063, 5123, 5178, 5231, 5280, 5326, 5368, 5408,
    5444, 5477, 5507, 5533, 5557, 5578, 5595, 5610, 5622, 5631, 5637, 5640, 5641, 5638, 5633,
    5626, 5615, 5602, 5586, 5568, 5547, 5524, 5498, 5470, 5439, 5406, 5370, 5332, 5291, 5249,
    5203, 5156, 5106, 5054, 5000, 4944, 4885, 4825, 4762, 4697, 4630, 4561, 4490, 4416, 4341,
    4264, 4184, 4103, 4020, 3935, 3848, 3759, 3668, 3575, 3481, 3384, 3286, 3186, 3084, 2981,
    2875, 2768, 2659, 2549, 2437, 2323, 2207, 2090, 1971, 1851, 1729, 1605, 1480, 1353, 1224,
    1094, 963,  830,  695,  559,  421,  282,  142,  0,    0};

/* log(x) * scale for x at least 2, by log2 in Q5.16. */
static uint32_t logarithm(uint32_t x, uint32_t scale)
{
    const uint32_t power = (uint32_t)oribi_micro_signal_bits(x) - 1U,
                   rest = x - ((uint32_t)1 << power);
    const uint32_t part = power < 16U ? rest << (16U - power) : rest >> (power - 16U);
    const uint32_t at = part >> 9, half = (uint32_t)1 << 15;
    const int32_t step = (int32_t)above[at + 1U] - (int32_t)above[at];
    const int32_t between = step * (int32_t)(part - (at << 9)) >> 16;
    const uint32_t log2 = (power << 16) + part + above[at] + (uint32_t)between;
    const uint32_t natural = (uint32_t)(((uint64_t)45426 * log2 + half) >> 16);
    return (scale * natural + half) >> 16;
}

void oribi_micro_filter_bank_log(const struct oribi_micro_filter_bank_log_args *args,
                                 const uint32_t *input, int16_t *output)
{
    for (int32_t i = 0; i < args->count; i++) {
        const uint32_t x = input[i] << args->shift;
        const uint32_t y = x > 1U ? logarithm(x, (uint32_t)args->scale) : 0U;
        output[i] = (int16_t)(y < (uint32_t)INT16_MAX ? y : (uint32_t)INT16_MAX);
    }
}
