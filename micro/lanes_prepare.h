/* SPDX-License-Identifier: Apache-2.0 */
/* Packs the weights of a layer into lanes: for a pair of channels c and c + 1, an int16 lane holds
 * 256 * w[c + 1] + w[c]. A sum of lanes times inputs is then 256 * sum[c + 1] + sum[c], and the low
 * bytes alone give sum[c]; both are exact while sum[c + 1] stays in 24 bits. Host only.
 */
#ifndef ORIBI_MICRO_LANES_PREPARE_H_
#define ORIBI_MICRO_LANES_PREPARE_H_

#include "micro/lanes_s8.h"
#include "micro/prepare.h"

/* A layer in the model's own order. */
struct oribi_micro_lanes_spec {
    const int8_t *filter; /* [channels, depth] */
    int32_t channels, depth;
    int32_t rows;  /* equal parts of depth: words come first, whatever is left of each row last */
    int32_t group; /* channels whose words lie together: 2, or 4; of quads: taps of a round */
    const int32_t *bias;       /* channels; the input's zero point is folded in */
    const int32_t *multiplier; /* channels, or 1 with one_scale */
    const int32_t *shift;      /* as multiplier; left shifts are positive */
    int32_t one_scale;
    struct oribi_micro_lanes_output output;
};

/* How a channel's results are made. */
struct oribi_micro_lanes_channel {
    int32_t bias, multiplier, right; /* shift to the right */
    int32_t is_fast;                 /* 0: the general arithmetic */
    int32_t is_constant; /* 1: the result is the same for every input, and so it is with weights of
                            zero; training leaves such channels, with biases too large to be fast */
};

/* From a folded bias, a multiplier with its shift (left is positive) and the sum of |w|. */
struct oribi_micro_lanes_channel
oribi_micro_lanes_channel(int32_t bias, int32_t multiplier, int32_t shift, int32_t magnitude,
                          const struct oribi_micro_lanes_output *output);

/* 1: lanes give the exact result for every input; 0: some weight or sum is too large. */
int32_t oribi_micro_lanes_fit(const struct oribi_micro_lanes_spec *spec);

/* A channel of a layer; one behind the last has no weights, and results of 0. */
struct oribi_micro_lanes_source {
    const int8_t *weights; /* NULL: zeros */
    struct oribi_micro_lanes_channel scale;
};
struct oribi_micro_lanes_source oribi_micro_lanes_source(const struct oribi_micro_lanes_spec *spec,
                                                         int32_t channel);

/* 1: some channel needs the general arithmetic. */
int8_t oribi_micro_lanes_has_general(const struct oribi_micro_lanes_spec *spec);

/* Where the tap that is packed k-th lies in the model's order. */
int32_t oribi_micro_lanes_tap(const struct oribi_micro_lanes_spec *spec, int32_t k);

/* Taps of a channel, padded with zeros to a multiple of 8. */
int32_t oribi_micro_lanes_taps(int32_t depth);

/* Words of a layer that fits, weights and records. */
int32_t oribi_micro_lanes_words(const struct oribi_micro_lanes_spec *spec);

/* Fills that many words. Groups come one after the other; of a group, for each four taps, its
 * pairs, of a pair a word with taps 0 and 2 and a word with taps 1 and 3; then the records of its
 * pairs. What is left when groups of four end is a group of two if that holds it. */
void oribi_micro_lanes_pack(const struct oribi_micro_lanes_spec *spec, int32_t *words);

#endif
