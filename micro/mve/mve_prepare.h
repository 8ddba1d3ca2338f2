/* SPDX-License-Identifier: Apache-2.0 */
/* Packs the weights of a layer into groups of four channels, as mve.h wants them. Host only. */
#ifndef ORIBI_MICRO_MVE_PREPARE_H_
#define ORIBI_MICRO_MVE_PREPARE_H_

#include "micro/mve/mve.h"

/* A layer in the model's own order. */
struct oribi_micro_mve_spec {
    const int8_t *filter; /* [channels, taps] */
    int32_t channels, taps;
    const int32_t *bias;       /* channels; the input's zero point is folded in */
    const int32_t *multiplier; /* channels, or 1 with one_scale */
    const int32_t *shift;      /* as multiplier; left shifts are positive */
    int32_t one_scale;
};

/* Taps of a channel, padded to a multiple of 16. */
int32_t oribi_micro_mve_padded(int32_t taps);

/* Does none of so many shifts go to the left? Those have bits of their own. */
int32_t oribi_micro_mve_shifts_fit(const int32_t *shift, int32_t count);

/* Words of the layer; 0: it does not fit. */
int64_t oribi_micro_mve_words(const struct oribi_micro_mve_spec *spec);

/* Fills that many words. */
void oribi_micro_mve_pack(const struct oribi_micro_mve_spec *spec, int32_t *words);

#endif
