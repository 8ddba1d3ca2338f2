/* SPDX-License-Identifier: Apache-2.0 */
/* What a file of an instruction set need not bring: loops that compilers make vectors of as they
 * are. Included behind qlinear_loops.h. */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_PLAIN_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_PLAIN_H_

#include "cpu/qlinear/qlinear_panels.h"
#include "cpu/qlinear/qlinear_taps.h"

/* Adds the products of `n` groups of numbers and a panel's: t->sums. */
ALWAYS void tile_of(const tile *t, const weight *groups, int32_t n, int rows);

ALWAYS void add_tile(const block *b, int32_t r, const panel_part *part, int rows, tile *t)
{
    t->numbers = line_at(b, r, &t->step);
    tile_of(t, part->groups, b->groups, rows);
}

static inline void add_taps(const tap_list *taps, int32_t count, int32_t *sums)
{
    sum_taps(taps, 0, count, sums);
}

static inline int32_t end_taps(const tap_list *taps, int32_t count, int32_t n, int64_t step,
                               const ending *e, uint8_t *to, int64_t to_step)
{
    (void)taps;
    (void)count;
    (void)n;
    (void)step;
    (void)e;
    (void)to;
    (void)to_step;
    return 0;
}

static inline bool narrow_taps(int16_t *taps, int64_t step, int32_t n, int32_t columns)
{
    (void)taps;
    (void)step;
    (void)n;
    (void)columns;
    return false;
}

static inline void store_lines(const ending *e, const int32_t *sums, int32_t lines, int32_t count,
                               uint8_t *to, int64_t step)
{
    for (int32_t r = 0; r < lines; r++, to += step, sums += COLUMNS) {
        store_bytes(e, sums, 0, count, to);
    }
}

#endif
