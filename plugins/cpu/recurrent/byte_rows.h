/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of bytes and of weights that are bytes times a step, for layers that round their
 * left sides: sums are integers, and weights take a quarter of the memory that floats take, which a
 * step of one row reads as a whole. Read next: byte_rows.c, byte_rows_x86_avx2.c.
 */
#ifndef ORIBI_PLUGINS_CPU_BYTE_ROWS_H_
#define ORIBI_PLUGINS_CPU_BYTE_ROWS_H_

#include "cpu/product/packed_weights.h"

#include "isa_parts.h"

enum {
    ORIBI_BYTE_COLUMNS = 16, /* of a panel */
    ORIBI_BYTE_GROUP = 4,    /* of k, that lie side by side in a panel */
    ORIBI_BYTE_ROWS = 4      /* that meet a panel at once, over all instruction sets */
};

/* The weights [columns, k] of one matrix. What k and the columns lack to whole groups and panels is
 * zeros. */
typedef struct oribi_byte_panels {
    int8_t *weights; /* [panels, groups, ORIBI_BYTE_COLUMNS, ORIBI_BYTE_GROUP] */
    float *steps;    /* of each column */
    int32_t *totals; /* of the weights of each column */
    int64_t columns, panels, groups;
} oribi_byte_panels;

typedef struct oribi_byte_rows {
    int32_t rows; /* of a tile; others come alone */
    /* The sums of a panel's columns for `rows` rows or for one, [rows, ORIBI_BYTE_COLUMNS]; of x
     * whole groups are read. */
    void (*tile)(const uint8_t *const *x, bool is_whole, const int8_t *panel, int64_t groups,
                 int32_t *sums);
} oribi_byte_rows;

/* Packs matrix `index` of view [matrices, columns, k], floats, if each is a byte times a step,
 * which is one of the matrix, or of a column. False: they are not, or there is no memory for them.
 * free takes zeros, too. */
bool oribi_byte_panels_make(const oribi_weights_view *view, int64_t index, oribi_byte_panels *out);
void oribi_byte_panels_free(oribi_byte_panels *panels);

/* Rows of bytes, each scale * (byte - zero). */
typedef struct oribi_byte_source {
    const uint8_t *const *rows;
    float scale;
    int32_t zero;
} oribi_byte_source;

/* y[m, columns] = base + the product; rows of y and base are `stride` apart, base_step is 0 where
 * all rows share one base, else 1. */
void oribi_byte_rows_run(const oribi_byte_rows *loops, const oribi_byte_panels *panels,
                         const oribi_byte_source *x, int64_t m, const float *base, int base_step,
                         float *y, int64_t stride);

#define ORIBI_BYTE_ROWS_DECLARE(part, isa) extern const oribi_byte_rows oribi_byte_rows_##isa;
ORIBI_ISAS_OF_byte_rows(ORIBI_BYTE_ROWS_DECLARE)
#undef ORIBI_BYTE_ROWS_DECLARE

#endif
