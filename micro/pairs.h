/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over the values of two tensors that broadcast, one at a time, for kernels of elements
 * whose kind is known when the model runs. Kernels of one type walk over rows instead
 * (broadcast.h).
 */
#ifndef ORIBI_MICRO_PAIRS_H_
#define ORIBI_MICRO_PAIRS_H_

#include "micro/broadcast.h"

struct oribi_micro_pairs { /* starts as all zeros */
    int32_t a, b, output;  /* elements that meet */
    int32_t column;        /* of the output's last dimension */
    struct oribi_micro_broadcast_walk row;
};

/* Moves on to the next element of the output; 0 when there is none. */
static inline int32_t oribi_micro_pairs_next(const struct oribi_micro_broadcast *shape,
                                             struct oribi_micro_pairs *at)
{
    const int32_t last = shape->rank - 1;
    at->output++;
    if (++at->column < shape->dims[last]) {
        at->a += shape->a_step[last];
        at->b += shape->b_step[last];
        return 1;
    }
    const int32_t has_more = oribi_micro_broadcast_next(shape, &at->row);
    at->column = 0;
    at->a = at->row.a;
    at->b = at->row.b;
    return has_more;
}

#endif
