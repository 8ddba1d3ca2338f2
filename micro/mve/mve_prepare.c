/* SPDX-License-Identifier: Apache-2.0 */
/* Weights into groups of four channels, with what scales their sums. */
#include "micro/mve/mve_prepare.h"

int32_t oribi_micro_mve_padded(int32_t taps)
{
    return (taps + ORIBI_MICRO_MVE_TAPS - 1) / ORIBI_MICRO_MVE_TAPS * ORIBI_MICRO_MVE_TAPS;
}

int32_t oribi_micro_mve_shifts_fit(const int32_t *shift, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (shift[i] > 0) {
            return 0;
        }
    }
    return 1;
}

static int32_t groups_of(const struct oribi_micro_mve_spec *s)
{
    return (s->channels + ORIBI_MICRO_MVE_GROUP - 1) / ORIBI_MICRO_MVE_GROUP;
}

int64_t oribi_micro_mve_words(const struct oribi_micro_mve_spec *spec)
{
    const struct oribi_micro_mve_spec *s = spec;
    if (s->taps > INT32_MAX / 256 || s->channels > INT32_MAX / 8 / (s->taps + 32) ||
        oribi_micro_mve_shifts_fit(s->shift, s->one_scale != 0 ? 1 : s->channels) == 0) {
        return 0;
    }
    return (int64_t)groups_of(s) * (oribi_micro_mve_padded(s->taps) + ORIBI_MICRO_MVE_RECORD);
}

/* Four weights from this tap on, the first in the lowest byte. */
static int32_t word_of(const struct oribi_micro_mve_spec *s, int32_t channel, int32_t tap)
{
    uint32_t word = 0;
    for (int32_t i = 0; i < 4; i++) {
        const int32_t is_there = channel < s->channels && tap + i < s->taps;
        const int32_t weight = is_there ? s->filter[channel * s->taps + tap + i] : 0;
        word |= ((uint32_t)weight & 0xffU) << 8 * i;
    }
    return (int32_t)word;
}

void oribi_micro_mve_pack(const struct oribi_micro_mve_spec *spec, int32_t *words)
{
    const struct oribi_micro_mve_spec *s = spec;
    for (int32_t first = 0; first < s->channels; first += ORIBI_MICRO_MVE_GROUP) {
        int32_t *const record = words + 4 + oribi_micro_mve_padded(s->taps);
        for (int32_t i = 0; i < ORIBI_MICRO_MVE_GROUP; i++) {
            const int32_t c = first + i, is_there = c < s->channels;
            const int32_t from = s->one_scale != 0 || !is_there ? 0 : c;
            words[i] = is_there ? s->bias[c] : 0;
            record[i] = s->multiplier[from];
            record[4 + i] = s->shift[from];
            for (int32_t k = 0; k < s->taps; k += 4) {
                words[4 + k / 16 * 16 + 4 * i + k % 16 / 4] = word_of(s, c, k);
            }
            for (int32_t k = (s->taps + 3) / 4 * 4; k < oribi_micro_mve_padded(s->taps); k += 4) {
                words[4 + k / 16 * 16 + 4 * i + k % 16 / 4] = 0;
            }
        }
        words = record + 8;
    }
}
