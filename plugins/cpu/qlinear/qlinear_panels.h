/* SPDX-License-Identifier: Apache-2.0 */
/* Products of bytes less their zero points: weights lie in panels of COLUMNS columns, GROUP of
 * their rows side by side; rows of the other matrix meet them ROWS at a time. Sums are integers
 * that wrap and so the same in any order: bit for bit micro/'s. A file of an instruction set
 * defines ORIBI_ISA, ROWS and COLUMNS, says what numbers are by including qlinear_pairs.h,
 * qlinear_quads.h or qlinear_octets.h, then includes qlinear_loops.h and defines tile_of. Read
 * next: qlinear_conv_loops.h, qlinear_matmul_loops.h.
 */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_PANELS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_PANELS_H_

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"

#include "micro/qlinear.h"

/* Some lines of numbers, their zero point and total (which only some formats ask for), and sums of
 * products. */
typedef struct block {
    number numbers[LINES * CHUNK];
    int32_t sums[LINES * PANEL];
    int32_t offsets[PANEL]; /* of columns: what results have besides their sums */
    int32_t totals[LINES];
    bool has_totals, is_begun;                       /* are there sums? */
    int16_t wide[HAS_WIDE != 0 ? LINES * CHUNK : 1]; /* the numbers, for wide panels */
} block;

/* sums[r][c] += the products of `groups` groups of numbers[r] and panel, for `rows` by COLUMNS;
 * rows of numbers are CHUNK apart, those of sums PANEL. */
static inline void tile_of(const number *numbers, const weight *panel, int32_t groups, int rows,
                           int32_t *sums);

/* The products of `rows` rows of a chunk with a panel of `inner` rows, from row `at` on. */
static inline void add_tile(const block *b, int32_t r, const weight *panel, int32_t inner,
                            int32_t at, int32_t groups, int rows, int32_t *sums)
{
    const weight *from = panel + HEAD + (int64_t)(at / GROUP) * EACH;
    if (is_wide(panel)) {
        wide_tile_of(b->wide + r * CHUNK, from + (int64_t)(at / GROUP) * EACH, groups * GROUP / 2,
                     rows, sums);
    } else {
        tile_of(b->numbers + r * CHUNK, from, groups, rows, sums);
        add_extras(b->numbers + r * CHUNK, panel, inner, at, rows, sums);
    }
}

/* --- Weights --------------------------------------------------------------------------------- */

static int32_t panels_of(int32_t columns)
{
    return columns / COLUMNS + (columns % COLUMNS != 0 ? 1 : 0);
}

/* Groups of numbers, the last perhaps with zeros. */
static int32_t groups_of(int32_t inner)
{
    return inner / GROUP + (inner % GROUP != 0 ? 1 : 0);
}

/* Packed panels of a matrix of `inner` rows, from the first that is meant on. */
typedef struct packed_panels {
    const weight *packed;
    int64_t first;
    int32_t inner;
} packed_panels;

static const weight *panel_of(const packed_panels *p, int32_t column)
{
    return panel_at(p->packed, p->first + column / COLUMNS, p->inner);
}

static weight *packed_fail(oribi_kit_setup *setup)
{
    (void)oribi_kit_setup_fail(setup, TF_RESOURCE_EXHAUSTED, "no memory for packed weights");
    return NULL;
}

/* Memory of the kernel to pack n panels into; NULL: failed. */
static weight *packed_allocate(oribi_kit_setup *setup, int64_t n, int32_t inner)
{
    int64_t bytes = 0;
    weight *packed = panels_bytes(n, inner, &bytes) ? malloc((size_t)bytes) : NULL;
    return packed != NULL ? packed : packed_fail(setup);
}

/* The same for a run. */
static weight *packed_scratch(oribi_kit_run *run, int64_t n, int32_t inner, TF_Tensor **out_tensor)
{
    int64_t bytes = 0;
    if (!panels_bytes(n, inner, &bytes)) {
        (void)oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for packed weights");
        return NULL;
    }
    return oribi_kit_scratch(run, bytes, out_tensor);
}

/* n panels are packed, and the host may give the pages of the view back; returns where they are.
 * NULL: failed. */
static weight *packed_done(oribi_kit_setup *setup, const TF_ConstantView *view, weight *packed,
                           int64_t n, int32_t inner)
{
    size_t bytes = 1;
    for (int32_t i = 0; i < view->rank; i++) {
        bytes *= (size_t)view->dims[i];
    }
    TF_OpKernelConstruction_ConstantRead(setup->construction, 1, view->data, bytes);
    packed = panels_shrunk(packed, n, inner);
    return packed != NULL ? packed : packed_fail(setup);
}

/* --- Products -------------------------------------------------------------------------------- */

/* Behind the numbers of a chunk of `lines` lines: zeros up to whole groups, and lines of zeros up
 * to whole tiles. */
static void fill_up(block *b, int32_t lines, int32_t count)
{
    for (int32_t r = 0; count % GROUP != 0 && r < lines; r++) {
        memset(b->numbers + r * CHUNK + count, 0,
               (size_t)(GROUP - count % GROUP) * sizeof *b->numbers);
    }
    for (int32_t r = lines; lines >= ROWS && r % ROWS != 0; r++) {
        memset(b->numbers + r * CHUNK, 0, CHUNK * sizeof *b->numbers);
    }
}

/* No sums yet of some lines. */
static void begin_block(block *b, int32_t lines, bool has_totals)
{
    memset(b->totals, 0, (size_t)lines * sizeof *b->totals);
    b->has_totals = has_totals;
    b->is_begun = false;
}

/* What all lines of a block have in common, of `columns` columns: the zero point of their numbers,
 * and a bias or NULL. */
static void begin_columns(block *b, const packed_panels *p, int32_t zero, const int32_t *bias,
                          int32_t columns)
{
    memset(b->offsets, 0, sizeof b->offsets);
    for (int32_t c = 0; p->inner > 0 && c < columns; c += COLUMNS) {
        begin_sums(panel_of(p, c), zero, b->offsets + c);
    }
    for (int32_t c = 0; bias != NULL && c < columns; c++) {
        b->offsets[c] = (int32_t)((uint32_t)b->offsets[c] + (uint32_t)bias[c]);
    }
}

/* The same for one line that has a zero point of its own, once there are sums. */
static void add_zero(block *b, int32_t line, const packed_panels *p, int32_t zero, int32_t columns)
{
    for (int32_t c = 0; p->inner > 0 && c < columns; c += COLUMNS) {
        int32_t *to = b->sums + line * PANEL + c, more[COLUMNS];
        begin_sums(panel_of(p, c), zero, more);
        for (int32_t i = 0; i < COLUMNS; i++) {
            to[i] = (int32_t)((uint32_t)to[i] + (uint32_t)more[i]);
        }
    }
}

/* Sums of whole tiles begin at 0. */
static void zero_sums(block *b, int32_t lines)
{
    if (!b->is_begun) {
        const size_t whole = (size_t)((lines / ROWS + (lines % ROWS != 0 ? 1 : 0)) * ROWS);
        memset(b->sums, 0, whole * PANEL * sizeof *b->sums);
        b->is_begun = true;
    }
}

static int32_t total_of(const number *numbers, int32_t count)
{
    int32_t total = 0;
    for (int32_t i = 0; i < count; i++) {
        total += numbers[i];
    }
    return total;
}

/* The numbers of a chunk for wide panels. */
static void widen(block *b, int32_t lines, int32_t count)
{
    for (int32_t r = 0; r < LINES && r / ROWS * ROWS < lines; r++) {
        for (int32_t i = 0; i < count; i++) {
            b->wide[r * CHUNK + i] = b->numbers[r * CHUNK + i];
        }
    }
}

/* Adds the products of a chunk with `columns` columns, from row `at` of the matrix on. Tiles of
 * ROWS rows or of one are loops of their own, whose sums stay in registers. */
static void add_products(block *b, int32_t lines, int32_t count, const packed_panels *p, int32_t at,
                         int32_t columns)
{
    const int32_t groups = groups_of(count);
    bool is_widened = false;
    zero_sums(b, lines);
    fill_up(b, lines, count);
    for (int32_t r = 0; b->has_totals && r < lines; r++) {
        b->totals[r] += total_of(b->numbers + r * CHUNK, count);
    }
    for (int32_t c = 0; c < columns; c += COLUMNS) {
        const weight *panel = panel_of(p, c);
        if (is_wide(panel) && !is_widened) {
            widen(b, lines, groups * GROUP);
            is_widened = true;
        }
        for (int32_t r = 0; lines >= ROWS && r < lines; r += ROWS) {
            add_tile(b, r, panel, p->inner, at, groups, ROWS, b->sums + r * PANEL + c);
        }
        for (int32_t r = 0; lines < ROWS && r < lines; r++) {
            add_tile(b, r, panel, p->inner, at, groups, 1, b->sums + r * PANEL + c);
        }
    }
}

static void end_block(block *b, int32_t lines, const packed_panels *p, int32_t columns)
{
    zero_sums(b, lines); /* of matrices without rows */
    for (int32_t r = 0; b->has_totals && r < lines; r++) {
        for (int32_t c = 0; c < columns; c += COLUMNS) {
            end_sums(panel_of(p, c), b->totals[r], b->sums + r * PANEL + c);
        }
    }
}

/* --- Results --------------------------------------------------------------------------------- */

/* What results are, and where those of the block begin. */
typedef struct ending {
    int32_t kind, zero, low, high;
    const int32_t *bias;
    const float *multipliers;
} ending;

static void store_words(const ending *e, const int32_t *restrict sums, int32_t count,
                        int32_t *restrict to)
{
    const int32_t *restrict bias = e->bias;
    for (int32_t c = 0; c < count; c++) {
        to[c] = (int32_t)((uint32_t)sums[c] + (uint32_t)bias[c]);
    }
}

static void store_floats(const ending *e, const int32_t *restrict sums, int32_t count,
                         float *restrict to)
{
    const int32_t *restrict bias = e->bias;
    const float *restrict multipliers = e->multipliers;
    for (int32_t c = 0; c < count; c++) {
        to[c] = (float)(int32_t)((uint32_t)sums[c] + (uint32_t)bias[c]) * multipliers[c];
    }
}

/* Bytes of some of the first sums, by vectors; returns how many. */
static inline int32_t store_vectors(const ending *e, const int32_t *sums, int32_t count,
                                    uint8_t *to);

/* oribi_micro_qlinear_byte in a form for vectors: what the loop reads of e stands outside, as bytes
 * may be part of anything. */
static void store_bytes(const ending *e, const int32_t *restrict sums, int32_t count,
                        uint8_t *restrict to)
{
    const int32_t *restrict bias = e->bias;
    const float *restrict multipliers = e->multipliers;
    const int32_t zero = e->zero;
    const float low = (float)(e->low - zero), high = (float)(e->high - zero);
    for (int32_t c = store_vectors(e, sums, count, to); c < count; c++) {
        float value = (float)(int32_t)((uint32_t)sums[c] + (uint32_t)bias[c]) * multipliers[c];
        value = value > low ? value : low;
        value = value < high ? value : high;
        to[c] = (uint8_t)((int32_t)rintf(value) + zero);
    }
}

/* `count` results from element `at` of the output on. */
static void store_results(const ending *e, const int32_t *sums, int32_t count, void *output,
                          int64_t at)
{
    if (e->kind == ORIBI_MICRO_QLINEAR_S32) {
        store_words(e, sums, count, (int32_t *)output + at);
    } else if (e->kind == ORIBI_MICRO_QLINEAR_F32) {
        store_floats(e, sums, count, (float *)output + at);
    } else {
        store_bytes(e, sums, count, (uint8_t *)output + at);
    }
}

#endif
