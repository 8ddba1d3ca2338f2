/* SPDX-License-Identifier: Apache-2.0 */
/* Products of bytes less their zero points, as int16: weights lie in panels of COLUMNS columns,
 * pairs of their rows side by side; rows of the other matrix meet them ROWS at a time. Sums are
 * integers that wrap and so the same in any order: bit for bit micro/'s. A file of an instruction
 * set defines ORIBI_ISA, ROWS, COLUMNS and tile_of, and includes qlinear_loops.h; one that has
 * products of bytes defines ORIBI_QLINEAR_BYTES and byte_tile_of, too. Read next:
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
enum { LINES = 32, PANEL = 256, CHUNK = 256, EACH = 2 * COLUMNS };

/* Some lines of numbers, and their sums. */
typedef struct block {
    int16_t numbers[LINES * CHUNK];
    int32_t sums[LINES * PANEL];
} block;

/* sums[r][c] += the products of `pairs` pairs of numbers[r] and panel, for `rows` by COLUMNS; rows
 * of numbers are CHUNK apart, those of sums PANEL. */
static inline void tile_of(const int16_t *numbers, const int16_t *panel, int32_t pairs, int rows,
                           int32_t *sums);

/* For ROWS rows or one: each a loop of its own, whose sums stay in registers. */
static void qlinear_tile(const int16_t *numbers, const int16_t *panel, int32_t pairs, int32_t rows,
                         int32_t *sums)
{
    if (rows == ROWS) {
        tile_of(numbers, panel, pairs, ROWS, sums);
    } else {
        tile_of(numbers, panel, pairs, 1, sums);
    }
}

/* --- Weights --------------------------------------------------------------------------------- */

/* A matrix of bytes with a zero point for each column, or one. */
typedef struct weights {
    const uint8_t *from;
    const int32_t *zeros;
    int32_t zero_step, is_signed;
    int32_t inner, columns, stride; /* of a row of `from` */
} weights;

static int32_t panels_of(int32_t columns)
{
    return columns / COLUMNS + (columns % COLUMNS != 0 ? 1 : 0);
}

/* Pairs of numbers, the last perhaps with a zero. */
static int32_t pairs_of(int32_t inner)
{
    return inner / 2 + inner % 2;
}

/* Numbers of a packed matrix. */
static int64_t packed_count(int32_t inner, int32_t columns)
{
    return (int64_t)panels_of(columns) * pairs_of(inner) * EACH;
}

static inline void pack_pair(const uint8_t *even, const uint8_t *odd, uint32_t flip,
                             const int16_t *less, int32_t count, int16_t *to)
{
    for (int32_t j = 0; j < count; j++) {
        to[2 * j] = (int16_t)((int32_t)(even[j] ^ flip) - less[j]);
        to[2 * j + 1] = (int16_t)((int32_t)(odd[j] ^ flip) - less[j]);
    }
}

static void pack_panel(const weights *w, int32_t first, int16_t *to)
{
    const uint32_t flip = w->is_signed != 0 ? 128U : 0U;
    const int32_t left = w->columns - first, count = left < COLUMNS ? left : COLUMNS;
    int16_t less[COLUMNS];
    for (int32_t j = 0; j < count; j++) {
        less[j] = (int16_t)((int32_t)flip + w->zeros[(first + j) * w->zero_step]);
    }
    for (int32_t k = 0; k < w->inner; k += 2, to += EACH) {
        const uint8_t *even = w->from + (int64_t)k * w->stride + first;
        const uint8_t *odd = k + 1 < w->inner ? even + w->stride : even; /* or one that meets 0 */
        if (count == COLUMNS) {
            pack_pair(even, odd, flip, less, COLUMNS, to);
        } else {
            memset(to, 0, EACH * sizeof *to);
            pack_pair(even, odd, flip, less, count, to);
        }
    }
}

/* Memory of the kernel for packed matrices; NULL: failed. */
static int16_t *packed_allocate(oribi_kit_setup *setup, int64_t matrices, int32_t inner,
                                int32_t columns)
{
    int64_t bytes = 0;
    int16_t *packed = NULL;
    if (!__builtin_mul_overflow(matrices, packed_count(inner, columns) * 2, &bytes)) {
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

/* --- Numbers --------------------------------------------------------------------------------- */

static inline void take_bytes(const uint8_t *from, int32_t count, uint32_t flip, int32_t less,
                              int16_t *to)
{
    for (int32_t i = 0; i < count; i++) {
        to[i] = (int16_t)((int32_t)(from[i] ^ flip) - less);
    }
}

/* Behind the numbers of a chunk of `lines` lines: a zero where they are odd, and lines of zeros up
 * to whole tiles. */
static void fill_up(block *b, int32_t lines, int32_t count)
{
    for (int32_t r = 0; count % 2 != 0 && r < lines; r++) {
        b->numbers[r * CHUNK + count] = 0;
    }
    for (int32_t r = lines; lines >= ROWS && r % ROWS != 0; r++) {
        memset(b->numbers + r * CHUNK, 0, CHUNK * sizeof *b->numbers);
    }
}

static void clear_sums(block *b, int32_t lines)
{
    for (int32_t r = 0; r < LINES && r / ROWS * ROWS < lines; r++) {
        memset(b->sums + r * PANEL, 0, PANEL * sizeof *b->sums);
    }
}

/* Adds the products of a chunk with panels of `pairs` pairs, from pair `at` on. */
static void add_products(block *b, int32_t lines, int32_t count, const int16_t *panels,
                         int32_t pairs, int32_t at, int32_t columns)
{
    fill_up(b, lines, count);
    for (int32_t c = 0; c < columns; c += COLUMNS) {
        const int16_t *panel = panels + ((int64_t)(c / COLUMNS) * pairs + at) * EACH;
        const int32_t rows = lines < ROWS ? 1 : ROWS;
        for (int32_t r = 0; r < lines; r += rows) {
            qlinear_tile(b->numbers + r * CHUNK, panel, pairs_of(count), rows,
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

/* `count` results from element `at` of the output on. */
static void store_results(const ending *e, const int32_t *sums, int32_t count, void *output,
                          int64_t at)
{
    const int32_t *bias = e->bias;
    const float *multipliers = e->multipliers;
    if (e->kind == ORIBI_MICRO_QLINEAR_S32) {
        int32_t *to = (int32_t *)output + at;
        for (int32_t c = 0; c < count; c++) {
            to[c] = (int32_t)((uint32_t)sums[c] + (uint32_t)bias[c]);
        }
    } else if (e->kind == ORIBI_MICRO_QLINEAR_F32) {
        float *to = (float *)output + at;
        for (int32_t c = 0; c < count; c++) {
            to[c] = (float)(int32_t)((uint32_t)sums[c] + (uint32_t)bias[c]) * multipliers[c];
        }
    } else {
        uint8_t *to = (uint8_t *)output + at;
        const float low = (float)(e->low - e->zero), high = (float)(e->high - e->zero);
        for (int32_t c = 0; c < count; c++) { /* oribi_micro_qlinear_byte, in a form for vectors */
            float value = (float)(int32_t)((uint32_t)sums[c] + (uint32_t)bias[c]) * multipliers[c];
            value = value > low ? value : low;
            value = value < high ? value : high;
            to[c] = (uint8_t)((int32_t)rintf(value) + e->zero);
        }
    }
}

/* --- Bytes ----------------------------------------------------------------------------------- */

#ifdef ORIBI_QLINEAR_BYTES
/* Where all weights less their zero points are bytes, too, a set may multiply four at once. The
 * other numbers stay as they are, without a sign; what their zero point adds to a sum follows from
 * the totals of the weights, and sums begin with it taken off. */

/* Bytes of COLUMNS columns and four rows; bytes of a line of a block, as long as of CHUNK int16. */
enum { FOURS = 4 * COLUMNS, BYTE_CHUNK = 2 * CHUNK };

/* As tile_of, with `fours` times four bytes; rows of numbers are BYTE_CHUNK apart. */
static inline void byte_tile_of(const uint8_t *numbers, const int8_t *panel, int32_t fours,
                                int rows, int32_t *sums);

static void qlinear_byte_tile(const uint8_t *numbers, const int8_t *panel, int32_t fours,
                              int32_t rows, int32_t *sums)
{
    if (rows == ROWS) {
        byte_tile_of(numbers, panel, fours, ROWS, sums);
    } else {
        byte_tile_of(numbers, panel, fours, 1, sums);
    }
}

static int32_t fours_of(int32_t inner)
{
    return inner / 4 + (inner % 4 != 0 ? 1 : 0);
}

/* Bytes of a packed matrix. */
static int64_t byte_count(int32_t inner, int32_t columns)
{
    return (int64_t)panels_of(columns) * fours_of(inner) * FOURS;
}

/* Packs a matrix; `to` and the totals are zeros before. False: a weight is no byte. */
static bool pack_bytes(const weights *w, int8_t *to, int32_t *totals)
{
    const int32_t flip = w->is_signed != 0 ? 128 : 0;
    for (int32_t k = 0; k < w->inner; k++) {
        const uint8_t *from = w->from + (int64_t)k * w->stride;
        for (int32_t c = 0; c < w->columns; c++) {
            const int32_t number = (from[c] ^ flip) - flip - w->zeros[c * w->zero_step];
            if (number < INT8_MIN || number > INT8_MAX) {
                return false;
            }
            int8_t *panel = to + (int64_t)(c / COLUMNS) * fours_of(w->inner) * FOURS;
            panel[(int64_t)(k / 4) * FOURS + c % COLUMNS * 4 + k % 4] = (int8_t)number;
            totals[c] = (int32_t)((uint32_t)totals[c] + (uint32_t)number);
        }
    }
    return true;
}

/* Sums of whole tiles of `lines` lines without what the zero point will add. */
static void begin_sums(block *b, int32_t lines, int32_t zero, const int32_t *totals,
                       int32_t columns)
{
    for (int32_t r = 0; r < LINES && r / ROWS * ROWS < lines; r++) {
        for (int32_t c = 0; c < columns; c++) {
            b->sums[r * PANEL + c] = (int32_t)(0U - (uint32_t)zero * (uint32_t)totals[c]);
        }
    }
}

/* As add_products, of bytes that lie in the block's numbers. */
static void add_byte_products(block *b, int32_t lines, int32_t count, const int8_t *panels,
                              int32_t fours, int32_t at, int32_t columns)
{
    uint8_t *numbers = (uint8_t *)b->numbers;
    const int32_t rows = lines < ROWS ? 1 : ROWS, whole = fours_of(count) * 4;
    for (int32_t r = 0; r < lines; r++) {
        memset(numbers + r * BYTE_CHUNK + count, 0, (size_t)(whole - count));
    }
    for (int32_t r = lines; rows == ROWS && r % ROWS != 0; r++) {
        memset(numbers + r * BYTE_CHUNK, 0, (size_t)whole);
    }
    for (int32_t c = 0; c < columns; c += COLUMNS) {
        const int8_t *panel = panels + ((int64_t)(c / COLUMNS) * fours + at) * FOURS;
        for (int32_t r = 0; r < lines; r += rows) {
            qlinear_byte_tile(numbers + r * BYTE_CHUNK, panel, fours_of(count), rows,
                              b->sums + r * PANEL + c);
        }
    }
}
#endif

#endif
