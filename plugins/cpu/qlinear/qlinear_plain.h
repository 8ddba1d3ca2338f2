/* SPDX-License-Identifier: Apache-2.0 */
/* What a file of an instruction set need not bring: loops that compilers make vectors of as they
 * are. Included behind qlinear_loops.h. */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_PLAIN_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_PLAIN_H_

#include "cpu/qlinear/qlinear_panels.h"
#include "cpu/qlinear/qlinear_taps.h"

static inline void add_taps(const tap_list *taps, int32_t count, int32_t *sums)
{
    sum_taps(taps, 0, count, sums);
}

static inline int32_t store_vectors(const ending *e, const int32_t *sums, int32_t count,
                                    uint8_t *to)
{
    (void)e;
    (void)sums;
    (void)count;
    (void)to;
    return 0;
}

#endif
