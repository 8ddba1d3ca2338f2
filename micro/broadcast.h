/* SPDX-License-Identifier: Apache-2.0 */
/* How two inputs of different shapes meet: dimensions of the output and how far each input steps
 * along them, 0 where it repeats. Filled by oribi_micro_broadcast_resolve (broadcast_prepare.h).
 */
#ifndef ORIBI_MICRO_BROADCAST_H_
#define ORIBI_MICRO_BROADCAST_H_

#include <stdint.h>

enum { ORIBI_MICRO_BROADCAST_RANK = 6 };

struct oribi_micro_broadcast {
    int32_t rank; /* at least 1; dimensions that step alike were joined */
    int32_t dims[ORIBI_MICRO_BROADCAST_RANK];
    int32_t a_step[ORIBI_MICRO_BROADCAST_RANK]; /* values; 0 or 1 in the last dimension */
    int32_t b_step[ORIBI_MICRO_BROADCAST_RANK];
};

/* Where a walk over the rows of the output stands; starts as all zeros. */
struct oribi_micro_broadcast_walk {
    int32_t index[ORIBI_MICRO_BROADCAST_RANK];
    int32_t a, b; /* of the row's first value */
};

/* Moves to the next row; 0 when there is none. */
static inline int32_t oribi_micro_broadcast_next(const struct oribi_micro_broadcast *shape,
                                                 struct oribi_micro_broadcast_walk *walk)
{
    for (int32_t k = shape->rank - 2; k >= 0; k--) {
        walk->a += shape->a_step[k];
        walk->b += shape->b_step[k];
        if (++walk->index[k] < shape->dims[k]) {
            return 1;
        }
        walk->a -= shape->a_step[k] * shape->dims[k];
        walk->b -= shape->b_step[k] * shape->dims[k];
        walk->index[k] = 0;
    }
    return 0;
}

#endif
