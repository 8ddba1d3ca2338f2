/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a tensor that is not there as a whole: those that are still read, one behind the other. A
 * layer that is computed some rows at a time writes rows to one and reads windows of rows from
 * another.
 */
#ifndef ORIBI_MICRO_RING_H_
#define ORIBI_MICRO_RING_H_

#include "micro/memory.h"

#include <stdint.h>

struct oribi_micro_ring {
    uint8_t *data; /* of row `first`; up to `end` the others follow */
    int32_t row_bytes, first, end;
};

/* What a kernel gets of the rows from `top` on, which may lie before the tensor: `before` of them
 * do, and `count` rows are there at `data`. */
struct oribi_micro_rows {
    const uint8_t *data;
    int32_t count, before;
};

/* Of rows [first, end) of a tensor, at data. */
static inline struct oribi_micro_rows oribi_micro_rows_from(const void *data, int32_t row_bytes,
                                                            int32_t first, int32_t end, int32_t top)
{
    struct oribi_micro_rows rows;
    const int32_t skipped = top <= first ? 0 : top < end ? top - first : end - first;
    rows.data = (const uint8_t *)data + skipped * row_bytes;
    rows.count = end - first - skipped;
    rows.before = top < 0 ? -top : 0;
    return rows;
}

/* The first `leaving` rows are dropped; there is room for n at the result. */
static inline uint8_t *oribi_micro_ring_add(struct oribi_micro_ring *ring, int32_t n,
                                            int32_t leaving)
{
    const int32_t kept = ring->end - ring->first - leaving;
    for (int32_t row = 0; leaving > 0 && row < kept; row += leaving) {
        const int32_t rows = kept - row < leaving ? kept - row : leaving;
        uint8_t *to = ring->data + row * ring->row_bytes;
        memcpy(to, to + leaving * ring->row_bytes, (size_t)(rows * ring->row_bytes));
    }
    ring->first += leaving;
    ring->end += n;
    return ring->data + kept * ring->row_bytes;
}

#endif
