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
#include "cpu/base/unrolled.h"
#include "cpu/quantised/quantized.h"

#include "micro/hybrid/hybrid_conv2d.h"

/* Some lines of numbers, of which the first may be read where they lie, their totals (which only
 * some formats ask for), and sums of products: those of a panel behind those of another. */
typedef struct block {
    const number *from; /* line 0, where it lies; the next one is `step` behind */
    int64_t step;
    int32_t lines, ready; /* `ready` of them are read where they lie */
    int32_t at, groups;   /* the chunk: its first row of the matrix, its groups */
    int32_t count;        /* columns of the panel that are wanted */
    bool has_totals, is_widened, is_split, are_many_out;
    int32_t base;        /* of numbers for panels of seven */
    const weight *ahead; /* what the next panel has of its chunk, or NULL: asked for in time */
    int32_t totals[LINES];
    int32_t sums[LINES * PANEL];
    number numbers[LINES * CHUNK];                   /* of lines that are not ready */
    int16_t wide[HAS_WIDE != 0 ? LINES * CHUNK : 1]; /* the numbers, for wide panels */
    uint8_t low[HAS_WIDE != 0 ? LINES * CHUNK : 1];  /* and for those of seven */
    uint64_t above[LINES], below[LINES]; /* bit g: has group g of a line numbers out of bounds? */
} block;

/* What becomes of floats that are a hybrid layer's (hybrid_conv2d.h), from the first line and
 * column on; scales of lines are `step` apart. */
typedef struct scaling {
    const float *scales, *bias; /* scales: NULL, it is another layer */
    int32_t step;
    float low, high;
} scaling;

/* What results are, and multipliers of the first column on. */
typedef struct ending {
    int32_t kind, zero, low, high;
    const float *multipliers;
    scaling floats;
} ending;

/* Lines of numbers, `step` apart; where sums begin, `begin_step` apart; and sums, COLUMNS apart, or
 * results at once if there is an end, `to_step` bytes apart: bytes, and floats where the set says
 * so (ENDS_FLOATS), of one scale; of `count` columns, if others are not needed. */
typedef struct tile {
    const number *numbers;
    int64_t step;
    const int32_t *begin;
    int64_t begin_step;
    int32_t count;
    int32_t *sums;
    const ending *end;
    uint8_t *to;
    int64_t to_step;
} tile;

/* Where line r of a block is, and those behind. */
static inline const number *line_at(const block *b, int32_t r, int64_t *step)
{
    *step = r < b->ready ? b->step : CHUNK;
    return r < b->ready ? b->from + r * b->step : b->numbers + r * CHUNK;
}

/* sums[r][c] = begin[r][c] and the products of lines [r, r + rows) of a chunk and a panel, for
 * `rows` by COLUMNS; `rows` is a constant. */
ALWAYS void add_tile(const block *b, int32_t r, const panel_part *part, int rows, tile *t);

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

/* Packed panels of a matrix of `inner` rows, from the first that is meant on, of which it has n. */
typedef struct packed_panels {
    const weight *packed;
    int64_t first;
    int32_t inner, n;
} packed_panels;

static const weight *panel_of(const packed_panels *p, int32_t column)
{
    return panel_at(p->packed, p->first + column / COLUMNS, p->inner);
}

/* What is multiplied after chunk `at` of the panel of a column, of the first `count`; NULL: not
 * known. */
static const weight *next_part(const packed_panels *p, int32_t column, int32_t count, int32_t at)
{
    const bool is_last = column + COLUMNS >= count, goes_on = is_last && p->inner - at > CHUNK;
    const int32_t next = goes_on ? 0 : column + COLUMNS;
    const int32_t from = goes_on ? at + CHUNK : is_last ? 0 : at;
    return next / COLUMNS < p->n ? part_of(panel_of(p, next), p->inner, from).groups : NULL;
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

/* Where 128 numbers begin that have most: those at a zero point in the first quarter have no sign,
 * it is assumed. */
static int32_t base_of(int32_t zero)
{
    return zero < 64 ? 0 : zero > 192 ? 128 : zero - 64;
}

#ifndef FEWER_ROWS
#define FEWER_ROWS ROWS
#endif
/* Rows of a tile of so many lines: fewer where as many tiles have all lines and no others. */
static inline int32_t rows_of(int32_t lines)
{
    const bool are_fewer = FEWER_ROWS != ROWS && lines % FEWER_ROWS == 0 &&
                           lines / FEWER_ROWS <= (lines + ROWS - 1) / ROWS;
    return are_fewer ? FEWER_ROWS : ROWS;
}

/* A block of lines of which `ready` whole tiles lie ready from `from` on. */
static void begin_block(block *b, int32_t lines, bool has_totals)
{
    b->lines = lines;
    b->ready = 0;
    b->has_totals = has_totals;
    memset(b->totals, 0, (size_t)lines * sizeof *b->totals);
}

/* Behind the numbers of a chunk: zeros up to whole groups, and lines of zeros up to whole tiles. */
static void fill_up(block *b, int32_t count)
{
    for (int32_t r = b->ready; count % GROUP != 0 && r < b->lines; r++) {
        memset(b->numbers + r * CHUNK + count, 0,
               (size_t)(GROUP - count % GROUP) * sizeof *b->numbers);
    }
    for (int32_t r = b->lines; b->lines >= ROWS && r % ROWS != 0; r++) {
        memset(b->numbers + r * CHUNK, 0, (size_t)(b->groups * GROUP) * sizeof *b->numbers);
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

/* Lines have `count` numbers that meet the matrix from row `at` on. */
static void begin_chunk(block *b, int32_t at, int32_t count)
{
    b->at = at;
    b->groups = groups_of(count);
    b->is_widened = b->is_split = false;
    fill_up(b, count);
    for (int32_t r = 0; b->has_totals && r < b->lines; r++) {
        int64_t step;
        b->totals[r] += total_of(line_at(b, r, &step), count);
    }
}

#ifdef HAS_SEVEN
/* The numbers of a chunk for wide panels. */
static void widen(block *b)
{
    for (int32_t r = 0; r < LINES && r / ROWS * ROWS < b->lines; r++) {
        int64_t step;
        const number *from = line_at(b, r, &step);
        for (int32_t i = 0; i < b->groups * GROUP; i++) {
            b->wide[r * CHUNK + i] = from[i];
        }
    }
    b->is_widened = true;
}

/* Bounds the numbers of line r for panels of seven, and says which groups are out of bounds. */
static void split_line(block *b, int32_t r);

/* Groups of tiles that have numbers out of bounds, those above and those below. */
static int32_t out_of(const block *b)
{
    int32_t n = 0;
    for (int32_t r = 0; r < b->lines; r += ROWS) {
        uint64_t above = 0, below = 0;
        for (int32_t i = r; i < r + ROWS && i < b->lines; i++) {
            above |= b->above[i];
            below |= b->below[i];
        }
        n += __builtin_popcountll(above) + __builtin_popcountll(below);
    }
    return n;
}

static void split(block *b)
{
    for (int32_t r = 0; r < b->lines; r++) {
        split_line(b, r);
    }
    for (int32_t r = b->lines; b->lines >= ROWS && r % ROWS != 0; r++) {
        memset(b->low + r * CHUNK, 0, (size_t)(b->groups * GROUP));
        b->above[r] = b->below[r] = 0;
    }
    b->is_split = true;
    if (b->at == 0) { /* one form for all chunks, as what sums begin with depends on it */
        b->are_many_out = out_of(b) > b->groups * ((b->lines + ROWS - 1) / ROWS) * 2 / 5;
    }
}

/* What sums of a panel of seven begin with: numbers are less by the base. */
static void begin_of_seven(const block *b, const weight *panel, int32_t inner, const int32_t *begin,
                           int32_t *to)
{
    int32_t head[2][COLUMNS];
    memcpy(head, panel, sizeof head);
    for (int32_t c = 0; c < COLUMNS; c++) {
        const uint32_t total = (uint32_t)head[0][c] + (uint32_t)inner * (uint32_t)head[1][c];
        to[c] = (int32_t)((uint32_t)begin[c] + (uint32_t)b->base * total);
    }
}
#endif

/* The sums of the panel that begins at a column. */
static int32_t *sums_of(block *b, int32_t column)
{
    return b->sums + (int64_t)column * LINES;
}

#ifndef ENDS_FLOATS
#define ENDS_FLOATS 0
#endif
/* Where results of a panel go at once; NULL: to its sums. */
typedef struct panel_end {
    const ending *of;
    uint8_t *to;
    int64_t step;
} panel_end;

/* Results of such. */
static inline void store_results(const ending *e, const int32_t *sums, int32_t lines, int32_t count,
                                 void *output, int64_t step);

/* Bytes of `lines` lines of sums, COLUMNS apart; those of the next line go `step` behind. */
static inline void store_lines(const ending *e, const int32_t *sums, int32_t lines, int32_t count,
                               uint8_t *to, int64_t step);

/* Asks for a tile's share of the weights that come next. A layer finds its weights in no near
 * cache, and the processor does not foresee where they lie: a page ends, and in the first lines the
 * loop is elsewhere. */
static void ask_ahead(const block *b, int64_t bytes, int32_t r, int32_t rows)
{
    const int64_t all = bytes / 64 + 1;
    const char *from = (const char *)b->ahead;
    const int64_t last = r + rows < b->lines ? all * (r + rows) / b->lines : all;
    for (int64_t line = all * r / b->lines; from != NULL && line < last; line++) {
        __builtin_prefetch(from + line * 64);
    }
}

/* Adds the products of a chunk with a panel to sums, which begin at `begin`. Tiles of ROWS rows or
 * of one are loops of their own, whose sums stay in registers. */
static void add_panel(block *b, const weight *panel, int32_t inner, const int32_t *begin,
                      int32_t *sums, const panel_end *end)
{
    panel_part part = part_of(panel, inner, b->at);
    const bool is_first = b->at == 0;
    const int32_t most = rows_of(b->lines), rows = b->lines < most ? 1 : most;
    int64_t ahead = (int64_t)b->groups * EACH * (int64_t)sizeof(weight);
#ifdef HAS_SEVEN
    int32_t begins[COLUMNS];
    ahead = part_bytes(panel, inner, b->groups); /* the next one is like this one */
    if (part.form == OF_SEVEN && !b->is_split && (is_first || !b->are_many_out)) {
        split(b);
    }
    if (part.form == OF_SEVEN && b->are_many_out) {
        part = wide_part_of(panel, inner, b->at);
    } else if (part.form == OF_SEVEN && is_first) {
        begin_of_seven(b, panel, inner, begin, begins);
        begin = begins;
    }
    if (part.form == WIDE && !b->is_widened) {
        widen(b);
    }
#endif
    for (int32_t r = 0; r < b->lines; r += rows) {
        int32_t *to = sums + r * COLUMNS;
        ask_ahead(b, ahead, r, rows);
        tile t = {.begin = is_first ? begin : to,
                  .begin_step = is_first ? 0 : COLUMNS,
                  .count = b->count,
                  .sums = to};
        if (ENDS_TILES != 0 && end != NULL && r + rows <= b->lines) {
            t.end = end->of;
            t.to = end->to + r * end->step;
            t.to_step = end->step;
        }
        if (rows == 1) {
            add_tile(b, r, &part, 1, &t);
        } else if (FEWER_ROWS != ROWS && rows == FEWER_ROWS) {
            add_tile(b, r, &part, FEWER_ROWS, &t);
        } else {
            add_tile(b, r, &part, ROWS, &t);
        }
        if (end != NULL && t.end == NULL) {
            const int32_t left = b->lines - r;
            store_results(end->of, to, left < rows ? left : rows, b->count, end->to + r * end->step,
                          end->step);
        }
    }
}

/* What all sums of a panel begin with: what the zero point of numbers takes off, and a bias or
 * NULL for `count` of them. */
static void begin_panel(const weight *panel, int32_t zero, const int32_t *bias, int32_t count,
                        int32_t *sums)
{
    begin_sums(panel, zero, sums);
    for (int32_t c = 0; bias != NULL && c < count; c++) {
        sums[c] = (int32_t)((uint32_t)sums[c] + (uint32_t)bias[c]);
    }
}

/* Once there are sums of a panel: what zero points of its columns take off. */
static void end_panel(const block *b, const weight *panel, int32_t *sums)
{
    for (int32_t r = 0; b->has_totals && r < b->lines; r++) {
        end_sums(panel, b->totals[r], sums + r * COLUMNS);
    }
}

/* --- Results --------------------------------------------------------------------------------- */

static void store_floats(const ending *e, const int32_t *restrict sums, int32_t count,
                         float *restrict to)
{
    const float *restrict multipliers = e->multipliers;
    for (int32_t c = 0; c < count; c++) {
        to[c] = (float)sums[c] * multipliers[c];
    }
}

static void store_scaled(const ending *e, float scale, const int32_t *restrict sums, int32_t count,
                         float *restrict to)
{
    const float *restrict multipliers = e->multipliers;
    const float *restrict bias = e->floats.bias;
    const float low = e->floats.low, high = e->floats.high;
    for (int32_t c = 0; c < count; c++) {
        const float product = (float)sums[c] * multipliers[c];
        to[c] = oribi_micro_hybrid_result(product, scale, bias[c], low, high);
    }
}

/* oribi_micro_qlinear_byte of sums [first, count) in a form for vectors: what the loop reads of e
 * stands outside, as bytes may be part of anything. */
static inline void store_bytes(const ending *e, const int32_t *restrict sums, int32_t first,
                               int32_t count, uint8_t *restrict to)
{
    const float *restrict multipliers = e->multipliers;
    const int32_t zero = e->zero;
    const float low = (float)(e->low - zero), high = (float)(e->high - zero);
    for (int32_t c = first; c < count; c++) {
        float value = (float)sums[c] * multipliers[c];
        value = value > low ? value : low;
        value = value < high ? value : high;
        to[c] = (uint8_t)((int32_t)rintf(value) + zero);
    }
}

/* Bytes of a result of this kind. */
static inline int64_t width_of(int32_t kind)
{
    return kind == ORIBI_MICRO_QLINEAR_S32 || kind == ORIBI_MICRO_QLINEAR_F32 ? 4 : 1;
}

/* Not part of its callers, whose loops over bytes need the registers. */
static __attribute__((noinline)) void store_words(const ending *e, const int32_t *sums,
                                                  int32_t lines, int32_t count, void *output,
                                                  int64_t step)
{
    char *to = output;
    for (int32_t r = 0; r < lines; r++, to += step, sums += COLUMNS) {
        if (e->kind == ORIBI_MICRO_QLINEAR_S32) {
            memcpy(to, sums, (size_t)count * sizeof *sums);
        } else if (e->floats.scales != NULL) {
            store_scaled(e, e->floats.scales[(int64_t)r * e->floats.step], sums, count,
                         (float *)(void *)to);
        } else {
            store_floats(e, sums, count, (float *)(void *)to);
        }
    }
}

/* `count` results of each line; `step` bytes from line to line. */
static inline void store_results(const ending *e, const int32_t *sums, int32_t lines, int32_t count,
                                 void *output, int64_t step)
{
    if (width_of(e->kind) == 1) {
        store_lines(e, sums, lines, count, output, step);
    } else {
        store_words(e, sums, lines, count, output, step);
    }
}

#endif
