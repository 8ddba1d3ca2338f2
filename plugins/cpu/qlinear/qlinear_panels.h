/* SPDX-License-Identifier: Apache-2.0 */
/* Products of bytes less their zero points: weights lie in panels of COLUMNS columns, GROUP of
 * their rows side by side; rows of the other matrix meet them ROWS at a time. Sums are integers
 * that wrap and so the same in any order: bit for bit micro/'s. A file of an instruction set
 * defines ORIBI_ISA, ROWS and COLUMNS, says what numbers are by including qlinear_pairs.h or
 * qlinear_quads.h, then includes qlinear_loops.h and defines tile_of. Read next:
 * qlinear_conv_loops.h, qlinear_matmul_loops.h.
 */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_PANELS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_PANELS_H_

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"

#include "micro/qlinear.h"

/* A block of work: LINES rows by PANEL columns, whose sums, with CHUNK numbers of each row and of
 * COLUMNS columns, stay in the first level. */
enum { LINES = 32, PANEL = 128, CHUNK = 512 };

/* Some lines of numbers, their zero point and total (which only some formats ask for), and sums of
 * products. */
typedef struct block {
    number numbers[LINES * CHUNK];
    int32_t sums[LINES * PANEL];
    int32_t zeros[LINES], totals[LINES];
    bool has_totals;
} block;

/* sums[r][c] += the products of `groups` groups of numbers[r] and panel, for `rows` by COLUMNS;
 * rows of numbers are CHUNK apart, those of sums PANEL. */
static inline void tile_of(const number *numbers, const weight *panel, int32_t groups, int rows,
                           int32_t *sums);

/* For ROWS rows or one: each a loop of its own, whose sums stay in registers. */
static void qlinear_tile(const number *numbers, const weight *panel, int32_t groups, int32_t rows,
                         int32_t *sums)
{
    if (rows == ROWS) {
        tile_of(numbers, panel, groups, ROWS, sums);
    } else {
        tile_of(numbers, panel, groups, 1, sums);
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

/* Numbers of a panel. */
static int64_t panel_count(int32_t inner)
{
    return HEAD + (int64_t)groups_of(inner) * EACH;
}

/* Bytes of a packed matrix. */
static int64_t packed_bytes(int32_t inner, int32_t columns)
{
    return panels_of(columns) * panel_count(inner) * (int64_t)sizeof(weight);
}

/* Memory of the kernel for packed matrices; NULL: failed. */
static weight *packed_allocate(oribi_kit_setup *setup, int64_t matrices, int32_t inner,
                               int32_t columns)
{
    int64_t bytes = 0;
    weight *packed = NULL;
    if (!__builtin_mul_overflow(matrices, packed_bytes(inner, columns), &bytes)) {
        packed = malloc((size_t)bytes);
    }
    if (packed == NULL) {
        (void)oribi_kit_setup_fail(setup, TF_RESOURCE_EXHAUSTED, "no memory for packed weights");
    }
    return packed;
}

/* The host may give the pages of what was packed back. */
static void packed_done(oribi_kit_setup *setup, const TF_ConstantView *view)
{
    size_t bytes = 1;
    for (int32_t i = 0; i < view->rank; i++) {
        bytes *= (size_t)view->dims[i];
    }
    TF_OpKernelConstruction_ConstantRead(setup->construction, 1, view->data, bytes);
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

/* Sums before any product: `panels` are those of `columns` columns. */
static void begin_block(block *b, int32_t lines, const weight *panels, int32_t inner,
                        int32_t columns)
{
    memset(b->totals, 0, sizeof b->totals);
    for (int32_t r = 0; r < LINES && r / ROWS * ROWS < lines; r++) {
        if (r >= lines || inner == 0) {
            memset(b->sums + r * PANEL, 0, PANEL * sizeof *b->sums);
            continue;
        }
        for (int32_t c = 0; c < columns; c += COLUMNS) {
            begin_sums(panels + c / COLUMNS * panel_count(inner), b->zeros[r],
                       b->sums + r * PANEL + c);
        }
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

/* Adds the products of a chunk with panels of `inner` rows, from row `at` on. */
static void add_products(block *b, int32_t lines, int32_t count, const weight *panels,
                         int32_t inner, int32_t at, int32_t columns)
{
    fill_up(b, lines, count);
    for (int32_t r = 0; b->has_totals && r < lines; r++) {
        b->totals[r] += total_of(b->numbers + r * CHUNK, count);
    }
    for (int32_t c = 0; c < columns; c += COLUMNS) {
        const weight *panel =
            panels + c / COLUMNS * panel_count(inner) + HEAD + (int64_t)(at / GROUP) * EACH;
        const int32_t rows = lines < ROWS ? 1 : ROWS;
        for (int32_t r = 0; r < lines; r += rows) {
            qlinear_tile(b->numbers + r * CHUNK, panel, groups_of(count), rows,
                         b->sums + r * PANEL + c);
        }
    }
}

static void end_block(block *b, int32_t lines, const weight *panels, int32_t inner, int32_t columns)
{
    for (int32_t r = 0; b->has_totals && r < lines; r++) {
        for (int32_t c = 0; c < columns; c += COLUMNS) {
            end_sums(panels + c / COLUMNS * panel_count(inner), b->totals[r],
                     b->sums + r * PANEL + c);
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

/* oribi_micro_qlinear_byte in a form for vectors: what the loop reads of e stands outside, as bytes
 * may be part of anything. */
static void store_bytes(const ending *e, const int32_t *restrict sums, int32_t count,
                        uint8_t *restrict to)
{
    const int32_t *restrict bias = e->bias;
    const float *restrict multipliers = e->multipliers;
    const int32_t zero = e->zero;
    const float low = (float)(e->low - zero), high = (float)(e->high - zero);
    for (int32_t c = 0; c < count; c++) {
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
