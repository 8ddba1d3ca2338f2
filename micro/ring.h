/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a tensor that is not there as a whole: those that are still read, one behind the other. A
 * layer that is computed some rows at a time writes rows to one and reads windows of rows from
 * another. In a stripe of the image rows have some columns only.
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

struct oribi_micro_columns {
    int32_t first, count, before; /* the first that is there, how many are, and how many of those
                                   * that are read lie before the tensor */
};

/* Columns of a tensor of that width under the windows of n results from `first` on. */
static inline struct oribi_micro_columns oribi_micro_columns_under(int32_t first, int32_t n,
                                                                   int32_t stride, int32_t padding,
                                                                   int32_t reach, int32_t width)
{
    struct oribi_micro_columns columns;
    const int32_t left = first * stride - padding, end = left + (n - 1) * stride + reach;
    columns.first = left > 0 ? left : 0;
    columns.count = (end < width ? end : width) - columns.first;
    columns.before = left < 0 ? -left : 0;
    return columns;
}

/* Copies so many bytes of each of n rows. */
static inline void oribi_micro_rows_copy(const uint8_t *from, int32_t from_step, uint8_t *to,
                                         int32_t to_step, int32_t bytes, int32_t n)
{
    for (int32_t row = 0; row < n; row++) {
        memcpy(to, from, (size_t)bytes);
        from += from_step;
        to += to_step;
    }
}

/* What a kernel gets of the first `reach` of these rows, those before the tensor among them: so
 * many bytes of each, copied to `to`, where they are dense. */
static inline struct oribi_micro_rows oribi_micro_rows_crop(struct oribi_micro_rows rows,
                                                            int32_t reach, int32_t row_bytes,
                                                            int32_t skipped, int32_t bytes,
                                                            uint8_t *to)
{
    const int32_t n = reach - rows.before;
    rows.count = n < rows.count ? n : rows.count;
    oribi_micro_rows_copy(rows.data + skipped, row_bytes, to, bytes, bytes, rows.count);
    rows.data = to;
    return rows;
}

#endif
