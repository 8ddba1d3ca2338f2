/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of four channels beside each other, as they are or 128 more. */
#include "micro/quads/quads_prepare.h"

#include <stddef.h>

#include "micro/quads/quads_s8.h"

int32_t oribi_micro_quads_taps(const struct oribi_micro_lanes_spec *spec)
{
    return (spec->depth + spec->group - 1) / spec->group * spec->group;
}

int32_t oribi_micro_quads_words(const struct oribi_micro_lanes_spec *spec)
{
    if (spec->depth > INT32_MAX / 256 || spec->channels > INT32_MAX / 8 / (spec->depth + 32)) {
        return 0;
    }
    return (spec->channels + 3) / 4 * (oribi_micro_quads_taps(spec) + ORIBI_MICRO_QUADS_RECORD);
}

/* A channel's weight of the tap that comes k-th; 0 in the padding. */
static int32_t weight(const struct oribi_micro_lanes_spec *s,
                      const struct oribi_micro_lanes_source *channel, int32_t k)
{
    return k < s->depth && channel->weights != NULL ? channel->weights[oribi_micro_lanes_tap(s, k)]
                                                    : 0;
}

static void pack_record(const struct oribi_micro_lanes_spec *s,
                        const struct oribi_micro_lanes_source quad[4], int32_t is_biased,
                        int32_t *record)
{
    const int32_t is_fast = quad[0].scale.is_fast && quad[1].scale.is_fast &&
                            quad[2].scale.is_fast && quad[3].scale.is_fast;
    uint32_t shifts = 0;
    for (int32_t i = 0; i < 4; i++) {
        int32_t sum = 0;
        for (int32_t k = 0; is_biased && k < s->depth; k++) {
            sum += weight(s, &quad[i], k);
        }
        const uint32_t bias = (uint32_t)quad[i].scale.bias - 128U * (uint32_t)sum; /* wraps */
        record[i] = (int32_t)(is_fast ? 2U * bias : bias);
        record[4 + i] = quad[i].scale.multiplier;
        const int32_t shift = quad[i].scale.right - (is_fast ? 1 : ORIBI_MICRO_LANES_GENERAL);
        shifts |= ((uint32_t)shift & 0xffU) << 8 * i;
    }
    record[8] = (int32_t)shifts;
}

void oribi_micro_quads_pack(const struct oribi_micro_lanes_spec *spec, int32_t is_biased,
                            int32_t *words)
{
    const int32_t taps = oribi_micro_quads_taps(spec);
    for (int32_t c = 0; c < spec->channels; c += 4) {
        struct oribi_micro_lanes_source quad[4];
        for (int32_t i = 0; i < 4; i++) {
            quad[i] = oribi_micro_lanes_source(spec, c + i);
        }
        for (int32_t k = 0; k < taps; k++) {
            uint32_t word = 0;
            for (int32_t i = 0; i < 4; i++) {
                const int32_t w = weight(spec, &quad[i], k) + (is_biased ? 128 : 0);
                word |= ((uint32_t)w & 0xffU) << 8 * i;
            }
            *words++ = (int32_t)word;
        }
        pack_record(spec, quad, is_biased, words);
        words += ORIBI_MICRO_QUADS_RECORD;
    }
}
