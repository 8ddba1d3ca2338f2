/* SPDX-License-Identifier: Apache-2.0 */
/* Weights side by side for all channels, with what scales their sums before them. */
#include "micro/rvv/rvv_prepare.h"

int64_t oribi_micro_rvv_words(const struct oribi_micro_rvv_spec *spec)
{
    const struct oribi_micro_rvv_spec *s = spec;
    for (int32_t i = 0; i < (s->one_scale != 0 ? 1 : s->channels); i++) {
        if (s->shift[i] > 0) {
            return 0;
        }
    }
    return s->taps > INT32_MAX / 4 / s->channels
               ? 0
               : 3 * (int64_t)s->channels + ((int64_t)s->channels * s->taps + 3) / 4;
}

struct oribi_micro_rvv_layer oribi_micro_rvv_pack(const struct oribi_micro_rvv_spec *spec,
                                                  int32_t zero, int32_t low, int32_t high,
                                                  int32_t *words)
{
    const struct oribi_micro_rvv_spec *s = spec;
    const int32_t n = s->channels, n_bytes = n * s->taps;
    int32_t *const weights = words + 3 * n;
    for (int32_t c = 0; c < n; c++) {
        const int32_t from = s->one_scale != 0 ? 0 : c;
        words[c] = s->bias[c];
        words[n + c] = s->multiplier[from];
        words[2 * n + c] = s->shift[from] == 0 ? 0 : -s->shift[from] - 32;
    }
    for (int32_t i = 0; i < (n_bytes + 3) / 4; i++) {
        uint32_t word = 0;
        for (int32_t at = 4 * i; at < 4 * i + 4 && at < n_bytes; at++) {
            const int8_t weight = s->filter[at % n * s->channel_step + at / n * s->tap_step];
            word |= ((uint32_t)weight & 0xffU) << 8 * (at % 4);
        }
        weights[i] = (int32_t)word;
    }
    const struct oribi_micro_rvv_layer layer = {words, n, (int8_t)zero, (int8_t)low, (int8_t)high};
    return layer;
}

int32_t oribi_micro_rvv_block(int32_t taps, int32_t channels)
{
    enum { BYTES = 16384, VECTOR = 16 };
    int32_t block = BYTES / taps;
    block = block > VECTOR ? block / VECTOR * VECTOR : block > 0 ? block : 1;
    return block < channels ? block : channels;
}
