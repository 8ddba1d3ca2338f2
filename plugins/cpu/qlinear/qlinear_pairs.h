/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of qlinear_panels.h as int16 less their zero points, of which two are multiplied and
 * added at once. Nothing is left to do before and behind the products. */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_PAIRS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_PAIRS_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cpu/qlinear/qlinear_weights.h"

typedef int16_t number;
typedef int16_t weight;
enum { GROUP = 2, EACH = GROUP * COLUMNS, HEAD = 0 };

static inline void pack_pair(const uint8_t *even, const uint8_t *odd, uint32_t flip,
                             const int16_t *less, int32_t count, weight *to)
{
    for (int32_t j = 0; j < count; j++) {
        to[2 * j] = (int16_t)((int32_t)(even[j] ^ flip) - less[j]);
        to[2 * j + 1] = (int16_t)((int32_t)(odd[j] ^ flip) - less[j]);
    }
}

static void pack_panel(const weights *w, int32_t first, weight *to)
{
    const uint32_t flip = w->is_signed != 0 ? 128U : 0U;
    const int32_t left = w->columns - first, count = left < COLUMNS ? left : COLUMNS;
    int16_t less[COLUMNS];
    for (int32_t j = 0; j < count; j++) {
        less[j] = (int16_t)((int32_t)flip + w->zeros[(first + j) * w->zero_step]);
    }
    for (int32_t k = 0; k < w->inner; k += 2, to += EACH) {
        const uint8_t *even = w->from + (int64_t)k * w->stride + first;
        const uint8_t *odd = k + 1 < w->inner ? even + w->stride : even; /* or one that meets 0 */
        if (count == COLUMNS) {
            pack_pair(even, odd, flip, less, COLUMNS, to);
        } else {
            memset(to, 0, EACH * sizeof *to);
            pack_pair(even, odd, flip, less, count, to);
        }
    }
}

static inline void take_bytes(const uint8_t *from, int32_t count, uint32_t flip, int32_t zero,
                              number *to)
{
    const int32_t less = (int32_t)flip + zero;
    for (int32_t i = 0; i < count; i++) {
        to[i] = (int16_t)((int32_t)(from[i] ^ flip) - less);
    }
}

static inline void take_loosely(const uint8_t *from, int32_t count, uint32_t flip, int32_t zero,
                                number *to)
{
    take_bytes(from, count, flip, zero, to);
}

/* Are bytes numbers as they are? */
static inline bool are_numbers(uint32_t flip)
{
    (void)flip;
    return false;
}

/* What a zero point is among such numbers. */
static inline int32_t zero_number(uint32_t flip, int32_t zero)
{
    (void)flip;
    (void)zero;
    return 0;
}

static inline bool has_row_part(const int32_t *zeros, int32_t count, int32_t is_signed)
{
    (void)zeros;
    (void)count;
    (void)is_signed;
    return false;
}

static inline void begin_sums(const weight *panel, int32_t zero, int32_t *sums)
{
    (void)panel;
    (void)zero;
    memset(sums, 0, COLUMNS * sizeof *sums);
}

static inline void end_sums(const weight *panel, int32_t row_sum, int32_t *sums)
{
    (void)panel;
    (void)row_sum;
    (void)sums;
}

#include "cpu/qlinear/qlinear_even.h"

#endif
