/* SPDX-License-Identifier: Apache-2.0 */
/* Packs a layer as rvv.h wants it. Host only. */
#ifndef ORIBI_MICRO_RVV_PREPARE_H_
#define ORIBI_MICRO_RVV_PREPARE_H_

#include "micro/rvv/rvv.h"

/* A layer in the model's own order. */
struct oribi_micro_rvv_spec {
    const int8_t *filter;
    int32_t channels, taps;
    int32_t channel_step, tap_step; /* between weights of filter */
    const int32_t *bias;            /* channels; the input's zero point is folded in */
    const int32_t *multiplier;      /* channels, or 1 with one_scale */
    const int32_t *shift;           /* as multiplier; left shifts are positive */
    int32_t one_scale;
};

/* Words of the layer; 0: it does not fit, as a shift goes to the left, whose bits are others. */
int64_t oribi_micro_rvv_words(const struct oribi_micro_rvv_spec *spec);

/* Fills that many words; the layer that they are. */
struct oribi_micro_rvv_layer oribi_micro_rvv_pack(const struct oribi_micro_rvv_spec *spec,
                                                  int32_t zero, int32_t low, int32_t high,
                                                  int32_t *words);

/* Channels of a block whose weights, of four bits in flash, a call widens at once: of about 16 KiB,
 * whole vectors of the smallest registers where there are that many. */
int32_t oribi_micro_rvv_block(int32_t taps, int32_t channels);

#endif
