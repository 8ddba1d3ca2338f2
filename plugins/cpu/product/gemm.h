/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix core behind convolution and dense layers: C[m, n] = A[m, k] * B[k, n], float32.
 * B is packed into panels of a few columns; A is never copied: each of its rows is a list of
 * pointers, one for each tap of a filter, so a convolution over NHWC is a GEMM whose rows lie
 * scattered in the image. It knows no op. Read next: gemm.c, then gemm_x86_avx512.c.
 */
#ifndef ORIBI_PLUGINS_CPU_GEMM_H_
#define ORIBI_PLUGINS_CPU_GEMM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa_parts.h"

enum {
    ORIBI_GEMM_MAX_WIDTH = 32,     /* of a panel, over all variants */
    ORIBI_GEMM_PAIRS_WIDTH = 24,   /* of a panel in pairs of k */
    ORIBI_GEMM_MAX_POINTERS = 512, /* rows x taps of the tiles that meet a panel */
    ORIBI_GEMM_AHEAD_STEP = 8,     /* k between two looks ahead */
    ORIBI_GEMM_STREAMS = 4,        /* panels that one row reads at a time */
    ORIBI_GEMM_LINE = 16           /* floats of a line of the caches */
};

/* One call of a micro-kernel: c[0..m, 0..n] from m rows and one panel.
 * Shapes   rows[t * m + i] points at the `depth` floats of row i at tap t; panel holds
 *          n_taps * depth rows of the panel's width; c has row stride c_stride.
 * Context  any; reads and writes nothing beyond m rows and n columns of c, bias and residual.
 */
typedef struct oribi_gemm_tile {
    const float *const *rows;
    int64_t n_taps, depth;
    const float *panel;
    float *c;
    int64_t c_stride;
    int32_t m, n;          /* 1..variant rows, 1..panel width */
    bool resume;           /* c already holds the sum over earlier parts of k */
    bool finish;           /* the last part: apply bias, residual and bounds */
    const float *bias;     /* n values, or NULL */
    const float *residual; /* added before the bounds, or NULL */
    int64_t residual_stride;
    float low, high;     /* result = min(high, max(low, x)); infinite when there is no bound */
    const float *ahead;  /* what later calls read: a hint, which may point anywhere */
    int64_t ahead_lines; /* of it, to be fetched every ORIBI_GEMM_AHEAD_STEP of k */
    int64_t panel_step;  /* for row_tile: floats from one panel to the next */
} oribi_gemm_tile;

/* One implementation of the micro-kernel. The last panel of B is `narrow` columns wide when no more
 * remain; narrow == width where there is no such kernel. */
typedef struct oribi_gemm_variant {
    const char *name;
    int32_t rows, width, narrow;
    void (*tile)(const oribi_gemm_tile *tile);
    void (*narrow_tile)(const oribi_gemm_tile *tile);
    void (*pairs_tile)(const oribi_gemm_tile *tile); /* see oribi_gemm_pairs; or NULL */
    /* One row and ORIBI_GEMM_STREAMS whole panels, or NULL. A row alone waits for memory, and
     * memory answers several streams faster than one. */
    void (*row_tile)(const oribi_gemm_tile *tile);
    /* Pixels of three planes that lie `step` floats apart, for conv_bands.c; or NULL. */
    void (*pixels)(const float *planes, int64_t step, int64_t count, float *restrict to);
} oribi_gemm_variant;

#define ORIBI_GEMM_DECLARE(part, isa) extern const oribi_gemm_variant oribi_gemm_##isa;
ORIBI_ISAS_OF_gemm(ORIBI_GEMM_DECLARE)
#undef ORIBI_GEMM_DECLARE
    void oribi_gemm_pairs_avx512(const oribi_gemm_tile *tile);

/* B as it lies in memory: k = (outer, middle, inner) in that order, strides in bytes, 0 for a value
 * that stands for all; data may be unaligned. A filter [h, w, in, out] has outer = h, middle = w,
 * inner = in; a plain matrix has outer = middle = 1. Packing tells `done`, when it is not NULL, of
 * ranges that it has read, a MiB or so at a time. */
typedef struct oribi_gemm_source {
    const char *data;
    int64_t outer, middle, inner, n;
    int64_t outer_stride, middle_stride, inner_stride, n_stride;
    void (*done)(void *arg, const char *from, int64_t bytes);
    void *done_arg;
} oribi_gemm_source;

/* Whether the last panel of n columns holds ORIBI_GEMM_PAIRS_WIDTH of them, k in pairs: value (k,
 * j) at k / 2 * 2 * width + 2 * j + k % 2. `inner` is the source's; a tap is then even, however
 * many taps are merged into one. */
bool oribi_gemm_pairs(const oribi_gemm_variant *variant, int64_t inner, int64_t n);
/* Floats that the packed form of a k x n matrix takes. The caller knows that k * n fits. */
int64_t oribi_gemm_packed_count(const oribi_gemm_variant *variant, int64_t k, int64_t n);
/* Packs into out, 64-byte aligned, columns beyond n being zero. */
void oribi_gemm_pack(const oribi_gemm_variant *variant, const oribi_gemm_source *source,
                     float *out);

/* Writes the pointers of rows [row, row + n_rows) at taps [tap, tap + n_taps) to
 * out[t * n_rows + i], each advanced by `channel` floats unless it is padding. */
typedef void (*oribi_gemm_rows_fn)(const void *arg, int64_t row, int32_t n_rows, int64_t tap,
                                   int64_t n_taps, int64_t channel, const float **out);

/* Rows that lie `stride` floats apart; gemm.c: their oribi_gemm_rows_fn. */
typedef struct oribi_gemm_lines {
    const float *at;
    int64_t stride;
} oribi_gemm_lines;

void oribi_gemm_lines_fill(const void *arg, int64_t row, int32_t n_rows, int64_t tap,
                           int64_t n_taps, int64_t channel, const float **out);

/* A whole product, once for each group: group g reads channels from g * depth on and its own
 * panels, and writes columns g * n .. g * n + n. */
typedef struct oribi_gemm {
    const oribi_gemm_variant *variant;
    const float *panels; /* groups x packed_count(n_taps * depth, n) */
    int64_t groups, m, n;
    int64_t n_taps, depth; /* k = n_taps * depth */
    bool pairs;            /* what oribi_gemm_pairs said of the source that was packed */
    oribi_gemm_rows_fn rows;
    const void *rows_arg;
    float *c;
    int64_t c_stride;
    const float *bias;     /* groups * n, or NULL */
    const float *residual; /* as c, or NULL */
    int64_t residual_stride;
    float low, high;
    /* Applied to finished rows while they are in cache, or NULL; for what is not a bound. */
    void (*activate)(const void *arg, float *row, int64_t column, int64_t count);
    const void *activate_arg;
} oribi_gemm;

/* How the product is cut into units that may run in any order, on any thread. */
typedef struct oribi_gemm_plan {
    int64_t units, unit_cost; /* cost in cycles, roughly */
    int64_t m_tiles, n_panels, n_blocks, block_panels, strips;
    int64_t k_parts, part_taps, part_depth;
    int64_t tiles_at_once; /* by one panel, before the next */
    bool is_fetched;       /* the panels come from memory: each while another one is in use */
    bool by_panels;        /* a unit is a panel and all tiles, else a strip and a block of panels */
    int64_t packed_count;
} oribi_gemm_plan;

void oribi_gemm_plan_make(const oribi_gemm *gemm, int n_threads, oribi_gemm_plan *out_plan);
/* Computes units [begin, end). */
void oribi_gemm_run(const oribi_gemm *gemm, const oribi_gemm_plan *plan, int64_t begin,
                    int64_t end);

#endif
