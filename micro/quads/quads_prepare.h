/* SPDX-License-Identifier: Apache-2.0 */
/* Packs the weights of a layer into quads (quads_s8.h). Host only. */
#ifndef ORIBI_MICRO_QUADS_PREPARE_H_
#define ORIBI_MICRO_QUADS_PREPARE_H_

#include "micro/lanes_prepare.h"

/* Taps of a channel, padded with zeros to a multiple of the spec's group, 4 or 8. */
int32_t oribi_micro_quads_taps(const struct oribi_micro_lanes_spec *spec);

/* Words of a layer, weights and records; 0: they are too many. */
int32_t oribi_micro_quads_words(const struct oribi_micro_lanes_spec *spec);

/* Fills that many words. is_biased 1: for kernels whose weights and inputs are 128 more. */
void oribi_micro_quads_pack(const struct oribi_micro_lanes_spec *spec, int32_t is_biased,
                            int32_t *words);

#endif
