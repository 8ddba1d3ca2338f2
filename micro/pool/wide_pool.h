/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over the windows of a pool, one value of the output after the other, for elements whose
 * kind is known when the model runs.
 */
#ifndef ORIBI_MICRO_WIDE_POOL_H_
#define ORIBI_MICRO_WIDE_POOL_H_

#include "micro/element.h"
#include "micro/pool/pool_q.h"
#include "micro/port.h"

struct oribi_micro_wide_pool { /* starts as all zeros but for the window */
    int32_t batch, y, x, channel;
    int32_t output; /* element */
    struct oribi_micro_pool_window window;
};

static inline struct oribi_micro_wide_pool
oribi_micro_wide_pool_first(const struct oribi_micro_pool_q_args *a)
{
    struct oribi_micro_wide_pool at = {0, 0, 0, 0, 0, oribi_micro_pool_window(a, 0, 0)};
    return at;
}

/* The image's element of this row and column. */
static inline int32_t oribi_micro_wide_pool_get(const struct oribi_micro_pool_q_args *a,
                                                const struct oribi_micro_wide_pool *at,
                                                const void *input, int32_t y, int32_t x)
{
    const int32_t pixel = (at->batch * a->in_h + y) * a->in_w + x;
    return oribi_micro_element_get(input, a->kind, pixel * a->channels + at->channel);
}

/* Moves on to the next value of the output; 0 when there is none. */
static inline int32_t oribi_micro_wide_pool_next(const struct oribi_micro_pool_q_args *a,
                                                 struct oribi_micro_wide_pool *at)
{
    at->output++;
    if (++at->channel < a->channels) {
        return 1;
    }
    at->channel = 0;
    if (++at->x == a->out_w) {
        TVMGEN_YIELD();
        at->x = 0;
        if (++at->y == a->out_h) {
            at->y = 0;
            at->batch++;
        }
    }
    at->window = oribi_micro_pool_window(a, at->y, at->x);
    return at->batch < a->batch;
}

#endif
