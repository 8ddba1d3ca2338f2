/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of which four are multiplied and added at once (qlinear_unsigned.h). */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_QUADS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_QUADS_H_

#include "cpu/qlinear/qlinear_unsigned.h"

enum { GROUP = 4, EACH = GROUP * COLUMNS, HEAD = SUMS };

/* A row of a panel: one byte of each group. */
static inline void pack_row(const uint8_t *from, uint32_t flip, int32_t count, weight *to,
                            int32_t *totals)
{
    for (int32_t j = 0; j < count; j++) {
        const int32_t w = (int32_t)(from[j] ^ flip) - 128;
        to[GROUP * j] = (weight)w;
        totals[j] += w;
    }
}

static void pack_panel(const weights *w, int32_t first, weight *to)
{
    const uint32_t flip = w->is_signed != 0 ? 128U : 0U;
    const int32_t left = w->columns - first, count = left < COLUMNS ? left : COLUMNS;
    int32_t totals[COLUMNS] = {0};
    weight *group = to + HEAD;
    for (int32_t k = 0; k < w->inner; k++) {
        if (k % GROUP == 0) {
            group = to + HEAD + (int64_t)(k / GROUP) * EACH;
            memset(group, 0, EACH);
        }
        pack_row(w->from + (int64_t)k * w->stride + first, flip, count, group + k % GROUP, totals);
    }
    pack_head(w, first, count, totals, to);
}

#include "cpu/qlinear/qlinear_even.h"

#endif
