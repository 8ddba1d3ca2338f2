/* SPDX-License-Identifier: Apache-2.0 */
/* From sums to int8 results, for kernels whose weights lie in lanes: an int16 lane holds
 * 256 * w[c + 1] + w[c] for the channels c and c + 1 of a pair, so that one product serves both.
 * Behind the weights of a pair lies its record of five words: two biases, two multipliers, two
 * shifts. lanes_prepare.h says when that is exact, and packs. Read next: dsp.h.
 */
#ifndef ORIBI_MICRO_LANES_S8_H_
#define ORIBI_MICRO_LANES_S8_H_

#include "micro/dsp.h"

/* A record's shifts are bytes of its last word: right shift - 1, in [0, 20], with biases doubled;
 * or right shift - ORIBI_MICRO_LANES_GENERAL, negative, for a pair that needs the general
 * arithmetic. */
enum { ORIBI_MICRO_LANES_RECORD = 5, ORIBI_MICRO_LANES_GENERAL = 96 };

/* `oribi compile` says 0 where no layer of any model has a general pair: what such pairs take is
 * then neither code nor stack. */
#ifndef ORIBI_MICRO_HAS_GENERAL
#define ORIBI_MICRO_HAS_GENERAL 1
#endif

struct oribi_micro_lanes_output {
    int8_t zero;
    int8_t low, high;   /* bounds of the result, activation included; for general pairs */
    int8_t has_general; /* 1: some pair, or channel of others, is */
};

/* Two results of a general pair, as oribi_micro_lanes_store. */
void oribi_micro_lanes_general(const struct oribi_micro_lanes_output *output, const int32_t *record,
                               int32_t sum0, int32_t sum1, int8_t *to);

static inline int32_t oribi_micro_lanes_is_general(const int32_t *record)
{
    return ORIBI_MICRO_HAS_GENERAL && record[4] < 0; /* both shifts are */
}

/* A record that is not general, and the half step with the zero point that rounding adds. */
struct oribi_micro_lanes_pair {
    int32_t bias0, bias1, multiplier0, multiplier1, rounding0, rounding1, shift0, shift1;
};

static inline struct oribi_micro_lanes_pair
oribi_micro_lanes_read(const struct oribi_micro_lanes_output *output, const int32_t *record)
{
    struct oribi_micro_lanes_pair p;
    const int32_t twice = 2 * output->zero + 1;
    p.bias0 = record[0];
    p.bias1 = record[1];
    p.multiplier0 = record[2];
    p.multiplier1 = record[3];
    p.shift0 = record[4] & 0xff;
    p.shift1 = record[4] >> 8;
    p.rounding0 = oribi_micro_shift_left(twice, p.shift0);
    p.rounding1 = oribi_micro_shift_left(twice, p.shift1);
    return p;
}

/* A result from twice the sum, |sum| < 2^30, so nothing overflows. */
static inline int8_t oribi_micro_lanes_result(int32_t twice, int32_t multiplier, int32_t rounding,
                                              int32_t shift)
{
    const int32_t product = oribi_micro_high_product(twice, multiplier);
    return (int8_t)oribi_micro_saturate_half_s8((product + (product >> 31) + rounding) >> shift);
}

/* Writes the two results of a pair that is not general from sum0, and from sum1 = 256 * the other
 * sum + sum0, modulo 2^32. */
static inline void oribi_micro_lanes_store(const struct oribi_micro_lanes_pair *p, int32_t sum0,
                                           int32_t sum1, int8_t *to)
{
    const int32_t twice1 = (int32_t)((uint32_t)sum1 - (uint32_t)sum0) >> 7; /* no bit is lost */
    to[0] = oribi_micro_lanes_result(p->bias0 + 2 * sum0, p->multiplier0, p->rounding0, p->shift0);
    to[1] = oribi_micro_lanes_result(p->bias1 + twice1, p->multiplier1, p->rounding1, p->shift1);
}

#endif
