/* SPDX-License-Identifier: Apache-2.0 */
/* How a product is cut into tiles: over columns so that the panels of a block stay in the second
 * level cache, over k so that a panel stays in the first, over rows for the threads. The sums are
 * made in the micro-kernels; packing stands in gemm_pack.c. See gemm.h.
 */
#include "cpu/product/gemm.h"

enum {
    BLOCK_BYTES = 768 * 1024, /* panels of a block: within common second level caches */
    PART_DEPTH = 512,         /* k of one pass over a tile */
    CHUNK_BYTES = 512 * 1024, /* rows of A that one pass over k meets */
    UNITS_PER_THREAD = 4      /* so that threads end together */
};

static int64_t ceil_divide(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Parts of k: slices of one tap when it is deep, else several whole taps. */
static void plan_parts(const oribi_gemm *gemm, oribi_gemm_plan *plan)
{
    const int64_t most_taps = ORIBI_GEMM_MAX_POINTERS / gemm->variant->rows;
    int64_t slices = larger(1, ceil_divide(gemm->depth, PART_DEPTH + PART_DEPTH / 2));
    plan->part_depth = larger(1, ceil_divide(gemm->depth, slices));
    if (gemm->pairs) {
        plan->part_depth = larger(2, ceil_divide(plan->part_depth, 2) * 2);
        slices = larger(1, ceil_divide(gemm->depth, plan->part_depth));
    }
    plan->part_taps =
        slices > 1 ? 1 : larger(1, smaller(most_taps, PART_DEPTH / larger(1, gemm->depth)));
    plan->k_parts = slices > 1 ? slices * gemm->n_taps : ceil_divide(gemm->n_taps, plan->part_taps);
    if (slices == 1) { /* even parts */
        plan->part_taps = ceil_divide(gemm->n_taps, plan->k_parts);
        plan->k_parts = ceil_divide(gemm->n_taps, plan->part_taps);
    }
}

void oribi_gemm_lines_fill(const void *arg, int64_t row, int32_t n_rows, int64_t tap,
                           int64_t n_taps, int64_t channel, const float **out)
{
    const oribi_gemm_lines *lines = arg;
    (void)tap; /* there is one */
    (void)n_taps;
    for (int32_t i = 0; i < n_rows; i++) {
        out[i] = lines->at + (row + i) * lines->stride + channel;
    }
}

void oribi_gemm_plan_make(const oribi_gemm *gemm, int n_threads, oribi_gemm_plan *plan)
{
    const oribi_gemm_variant *variant = gemm->variant;
    const int64_t k = gemm->n_taps * gemm->depth;
    const int64_t panel_bytes = larger(1, k) * variant->width * (int64_t)sizeof(float);
    plan_parts(gemm, plan);
    plan->packed_count = oribi_gemm_packed_count(variant, k, gemm->n);
    plan->m_tiles = ceil_divide(gemm->m, variant->rows);
    plan->n_panels = ceil_divide(gemm->n, variant->width);
    plan->block_panels = larger(1, smaller(plan->n_panels, BLOCK_BYTES / panel_bytes));
    const int64_t wanted = n_threads > 1 ? (int64_t)n_threads * UNITS_PER_THREAD : 1;
    while (plan->block_panels > 1 &&
           gemm->groups * plan->m_tiles * ceil_divide(plan->n_panels, plan->block_panels) <
               wanted) {
        plan->block_panels = (plan->block_panels + 1) / 2;
    }
    plan->n_blocks = ceil_divide(plan->n_panels, plan->block_panels);
    plan->block_panels = larger(1, ceil_divide(plan->n_panels, larger(1, plan->n_blocks)));
    plan->n_blocks = ceil_divide(plan->n_panels, plan->block_panels);
    plan->units = gemm->groups * plan->n_blocks * plan->m_tiles;
    /* A micro-kernel makes about `width` products a cycle; a tile costs some by itself. */
    plan->unit_cost = smaller(variant->rows, gemm->m) * (k + 16) * plan->block_panels;
}

/* Holds what run_chunk works on. */
typedef struct chunk {
    int64_t group, first_panel, end_panel, first_tile, end_tile;
} chunk;

static void run_panels(const oribi_gemm *gemm, const oribi_gemm_plan *plan, const chunk *part,
                       int64_t k_start, int64_t row, oribi_gemm_tile *tile)
{
    const oribi_gemm_variant *variant = gemm->variant;
    const int64_t k = gemm->n_taps * gemm->depth;
    const int64_t column_base = part->group * gemm->n;
    const float *panels = gemm->panels + part->group * plan->packed_count;
    for (int64_t panel = part->first_panel; panel < part->end_panel; panel++) {
        const int64_t column = panel * variant->width;
        const int64_t remaining = gemm->n - column;
        const bool narrow = remaining <= variant->narrow;
        const bool pairs = gemm->pairs && remaining < variant->width;
        const int64_t width = pairs    ? ORIBI_GEMM_PAIRS_WIDTH
                              : narrow ? variant->narrow
                                       : variant->width;
        tile->n = (int32_t)smaller(remaining, width);
        tile->panel = panels + column * k + k_start * width;
        tile->c = gemm->c + row * gemm->c_stride + column_base + column;
        tile->bias = gemm->bias != NULL ? gemm->bias + column_base + column : NULL;
        tile->residual = gemm->residual != NULL
                             ? gemm->residual + row * gemm->residual_stride + column_base + column
                             : NULL;
        (pairs ? variant->pairs_tile : narrow ? variant->narrow_tile : variant->tile)(tile);
    }
}

static void activate_rows(const oribi_gemm *gemm, const chunk *part, int64_t row, int64_t n_rows)
{
    const int64_t width = gemm->variant->width;
    const int64_t first = part->first_panel * width;
    const int64_t count = smaller(part->end_panel * width, gemm->n) - first;
    for (int64_t i = row; i < row + n_rows; i++) {
        const int64_t column = part->group * gemm->n + first;
        gemm->activate(gemm->activate_arg, gemm->c + i * gemm->c_stride + column, column, count);
    }
}

static void run_chunk(const oribi_gemm *gemm, const oribi_gemm_plan *plan, const chunk *part)
{
    const float *pointers[ORIBI_GEMM_MAX_POINTERS];
    oribi_gemm_tile tile = {.rows = pointers,
                            .c_stride = gemm->c_stride,
                            .residual_stride = gemm->residual_stride,
                            .low = gemm->low,
                            .high = gemm->high};
    int64_t tap = 0, channel = 0;
    for (int64_t k_part = 0; k_part < plan->k_parts; k_part++) {
        tile.n_taps = smaller(plan->part_taps, gemm->n_taps - tap);
        tile.depth = smaller(plan->part_depth, gemm->depth - channel);
        tile.resume = k_part > 0;
        tile.finish = k_part + 1 == plan->k_parts;
        for (int64_t t = part->first_tile; t < part->end_tile; t++) {
            const int64_t row = t * gemm->m / plan->m_tiles;
            tile.m = (int32_t)((t + 1) * gemm->m / plan->m_tiles - row);
            gemm->rows(gemm->rows_arg, row, tile.m, tap, tile.n_taps,
                       part->group * gemm->depth + channel, pointers);
            run_panels(gemm, plan, part, tap * gemm->depth + channel, row, &tile);
            if (tile.finish && gemm->activate != NULL) {
                activate_rows(gemm, part, row, tile.m);
            }
        }
        channel += tile.depth;
        if (channel == gemm->depth) {
            channel = 0;
            tap += tile.n_taps;
        }
    }
}

void oribi_gemm_run(const oribi_gemm *gemm, const oribi_gemm_plan *plan, int64_t begin, int64_t end)
{
    const int64_t row_bytes = gemm->n_taps * gemm->depth * (int64_t)sizeof(float);
    const int64_t tile_bytes = larger(1, row_bytes) * gemm->variant->rows;
    const int64_t most_tiles = plan->k_parts == 1 ? INT64_MAX : larger(4, CHUNK_BYTES / tile_bytes);
    while (begin < end) {
        const int64_t block = begin / plan->m_tiles, tile = begin % plan->m_tiles;
        const int64_t count = smaller(smaller(end - begin, plan->m_tiles - tile), most_tiles);
        const int64_t first_panel = block % plan->n_blocks * plan->block_panels;
        const chunk part = {.group = block / plan->n_blocks,
                            .first_panel = first_panel,
                            .end_panel = smaller(first_panel + plan->block_panels, plan->n_panels),
                            .first_tile = tile,
                            .end_tile = tile + count};
        run_chunk(gemm, plan, &part);
        begin += count;
    }
}
