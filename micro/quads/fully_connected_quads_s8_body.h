/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer on a core without lanes, four results at a time. The body of
 * fully_connected_quads_s8.c, and of fully_connected_quads_v6m_s8.c, which says that
 * ORIBI_MICRO_BIASED is 1.
 */
#ifndef ORIBI_MICRO_FULLY_CONNECTED_QUADS_S8_BODY_H_
#define ORIBI_MICRO_FULLY_CONNECTED_QUADS_S8_BODY_H_

#include "micro/dense/fully_connected_lanes_s8_args.h"
#include "micro/port.h"
#include "micro/quads/quads_s8.h"

/* A row's inputs to scratch, 128 more or with zeros up to a whole four. */
static void put_row(const int8_t *from, int32_t count, int32_t taps, int8_t *to)
{
    int32_t i = 0;
    for (; i < count; i++) {
        to[i] = (int8_t)(uint8_t)oribi_micro_quads_input(from[i]);
    }
    for (; i < taps; i++) {
        to[i] = 0;
    }
}

static void row(const struct oribi_micro_fully_connected_lanes_s8_args *a, const int8_t *x,
                const int8_t *end, int8_t *output)
{
    const int32_t excess = oribi_micro_quads_excess(x, end, 4);
    const int32_t *w = a->filter;
    for (int32_t left = a->out_c; left > 0; left -= 4) {
        int32_t sums[4];
        TVMGEN_YIELD();
        w = oribi_micro_quads_sum1(x, end, w, sums);
        oribi_micro_quads_less(sums, excess);
        oribi_micro_quads_store1(&a->output, w, sums, output, left < 4 ? left : 4);
        w += ORIBI_MICRO_QUADS_RECORD;
        output += 4;
    }
}

/* See fully_connected_lanes_s8.h. */
static inline void all_rows(const struct oribi_micro_fully_connected_lanes_s8_args *a,
                            const int8_t *input, int8_t *output, void *scratch)
{
    for (int32_t i = 0; i < a->rows; i++) {
        const int8_t *x = input;
        int32_t taps = a->in_c;
        if (a->scratch_bytes != 0) {
            taps = a->scratch_bytes;
            put_row(input, a->in_c, taps, scratch);
            x = scratch;
        }
        row(a, x, x + taps, output);
        input += a->in_c;
        output += a->out_c;
    }
}

#endif
