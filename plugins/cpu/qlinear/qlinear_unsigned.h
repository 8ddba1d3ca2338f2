/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of qlinear_panels.h as bytes: those on the left without a sign (128 more where the
 * model's have one), weights with a sign (128 less where they have none). Zero points are made up
 * for around the products:
 *
 *     sum (u - z) (w - y) = sum u w  -  z sum (w - y)  -  y sum u
 *
 * for u, w of zero points z, y. A panel begins with its columns' sum (w - y) and y. How weights lie
 * behind that: qlinear_quads.h, qlinear_octets.h. Where a set multiplies bytes with a sign alone
 * (SIGNED_NUMBERS), both sides are 128 less. */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_UNSIGNED_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_UNSIGNED_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cpu/qlinear/qlinear_weights.h"

#ifdef SIGNED_NUMBERS
typedef int8_t number;
enum { LESS = 128 };
#else
typedef uint8_t number;
enum { LESS = 0 };
#endif
typedef int8_t weight;
enum { SUMS = 2 * COLUMNS * (int)sizeof(int32_t) }; /* bytes that a panel begins with */

/* What stands before the weights of `count` columns, whose weights have these sums. */
static inline void pack_head(const weights *w, int32_t first, int32_t count, const int32_t *totals,
                             weight *to)
{
    const int32_t less = w->is_signed != 0 ? 0 : 128;
    int32_t head[2][COLUMNS] = {{0}};
    for (int32_t j = 0; j < count; j++) {
        head[1][j] = w->zeros[(first + j) * w->zero_step] - less;
        head[0][j] = (int32_t)((uint32_t)totals[j] - (uint32_t)w->inner * (uint32_t)head[1][j]);
    }
    memcpy(to, head, sizeof head);
}

/* Eight bytes, flipped. */
static inline void take_eight(const uint8_t *from, uint64_t flips, number *to)
{
    uint64_t eight;
    memcpy(&eight, from, sizeof eight);
    eight ^= flips;
    memcpy(to, &eight, sizeof eight);
}

/* The last eight again, where they are no whole eight: runs are often short. */
static inline void take_bytes(const uint8_t *restrict from, int32_t count, uint32_t flip,
                              int32_t zero, number *restrict to)
{
    const uint64_t flips = (flip ^ LESS) * UINT64_C(0x0101010101010101);
    (void)zero;
    for (int32_t i = 0; i + 8 <= count; i += 8) {
        take_eight(from + i, flips, to + i);
    }
    if (count % 8 != 0 && count > 8) {
        take_eight(from + count - 8, flips, to + count - 8);
    }
    for (int32_t i = 0; count < 8 && i < count; i++) {
        to[i] = (number)(from[i] ^ flip ^ LESS);
    }
}

/* The same, but reads and writes as many as whole lots of LOOSE take. */
static inline void take_loosely(const uint8_t *from, int32_t count, uint32_t flip, int32_t zero,
                                number *to)
{
    typedef uint8_t lot __attribute__((vector_size(LOOSE), aligned(1), may_alias));
    const uint8_t flips = (uint8_t)(flip ^ LESS);
    (void)zero;
    for (int32_t i = 0; i < count; i += LOOSE) {
        *(lot *)(void *)(to + i) = *(const lot *)(const void *)(from + i) ^ flips;
    }
}

/* Are bytes numbers as they are? */
static inline bool are_numbers(uint32_t flip)
{
    return flip == LESS;
}

/* What a zero point is among such numbers: perhaps no byte. */
static inline int32_t zero_number(uint32_t flip, int32_t zero)
{
    return zero + (int32_t)flip - LESS;
}

/* Is a zero point of the weights other than 0, once they have a sign? */
static inline bool has_row_part(const int32_t *zeros, int32_t count, int32_t is_signed)
{
    int32_t others = 0;
    for (int32_t i = 0; i < count; i++) {
        others |= zeros[i] - (is_signed != 0 ? 0 : 128);
    }
    return others != 0;
}

static inline void begin_sums(const weight *panel, int32_t zero, int32_t *sums)
{
    int32_t totals[COLUMNS];
    memcpy(totals, panel, sizeof totals);
    for (int32_t c = 0; c < COLUMNS; c++) {
        sums[c] = (int32_t)(0U - (uint32_t)zero * (uint32_t)totals[c]);
    }
}

static inline void end_sums(const weight *panel, int32_t row_sum, int32_t *sums)
{
    int32_t zeros[COLUMNS];
    memcpy(zeros, panel + SUMS / 2, sizeof zeros);
    for (int32_t c = 0; c < COLUMNS; c++) {
        sums[c] = (int32_t)((uint32_t)sums[c] - (uint32_t)row_sum * (uint32_t)zeros[c]);
    }
}

#endif
