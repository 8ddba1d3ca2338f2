/* SPDX-License-Identifier: Apache-2.0 */
/* How a product is cut into tiles: over columns so that the panels of a block stay in the second
 * level cache, over k so that rows of A stay in the first, over rows for the threads. Where rows
 * are few, each panel is read from memory once and meets all of them, and the next panel is fetched
 * meanwhile: a layer of 7x7 pixels takes as long as its sums, not as its weights. Threads share out
 * the panels then, not the rows: a tile at a time would read all panels for each. A row alone reads
 * several panels at a time, each a stream of its own from memory. The sums are made
 * in the micro-kernels; packing stands in gemm_pack.c. See gemm.h.
 */
#include "cpu/product/gemm.h"

enum {
    BLOCK_BYTES = 768 * 1024, /* panels of a block: within common second level caches */
    FETCH_BYTES = 512 * 1024, /* all panels: below, they are there from the last time */
    LOOKED_UP = 256,          /* k of the tiles for which a panel is looked up */
    PART_DEPTH = 512,         /* k of one pass over a tile */
    ROW_DEPTH = 4096,         /* the same of a row alone: its panels are long streams */
    CHUNK_BYTES = 512 * 1024, /* rows of A that one pass over k meets */
    UNITS_PER_THREAD = 4,     /* so that threads end together */
    STRIP_CYCLES = 4000000    /* of a block of panels, so that a run that is cancelled ends soon */
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
    const int64_t most = gemm->m == 1 ? ROW_DEPTH : PART_DEPTH;
    int64_t slices = larger(1, ceil_divide(gemm->depth, most + most / 2));
    plan->part_depth = larger(1, ceil_divide(gemm->depth, slices));
    if (gemm->pairs) {
        plan->part_depth = larger(2, ceil_divide(plan->part_depth, 2) * 2);
        slices = larger(1, ceil_divide(gemm->depth, plan->part_depth));
    }
    plan->part_taps = slices > 1 ? 1 : larger(1, smaller(most_taps, most / larger(1, gemm->depth)));
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

/* Rows in strips, as many for each thread: a thread's rows are consecutive then, and in its cache
 * where the layer before was cut likewise. The tiles of a strip meet one block of panels after the
 * other. Where tiles are fewer than threads wish, blocks are made smaller instead. */
static void plan_strips(const oribi_gemm *gemm, int64_t n_threads, oribi_gemm_plan *plan)
{
    const int64_t wanted = n_threads > 1 ? n_threads * UNITS_PER_THREAD : 1;
    if (plan->m_tiles >= n_threads) {
        plan->m_tiles = ceil_divide(plan->m_tiles, n_threads) * n_threads;
    }
    while (plan->block_panels > 1 &&
           gemm->groups * plan->m_tiles * ceil_divide(plan->n_panels, plan->block_panels) <
               wanted) {
        plan->block_panels = (plan->block_panels + 1) / 2;
    }
    plan->n_blocks = ceil_divide(plan->n_panels, plan->block_panels);
    plan->block_panels = larger(1, ceil_divide(plan->n_panels, larger(1, plan->n_blocks)));
    plan->n_blocks = ceil_divide(plan->n_panels, plan->block_panels);
    const int64_t blocks = larger(1, gemm->groups * plan->n_blocks);
    const int64_t cycles = gemm->m * gemm->n_taps * gemm->depth * plan->block_panels;
    const int64_t least = larger(ceil_divide(2 * wanted, blocks), cycles / STRIP_CYCLES);
    plan->strips = smaller(plan->m_tiles, ceil_divide(least, n_threads) * n_threads);
    plan->units = plan->strips * gemm->groups * plan->n_blocks;
}

/* Do threads share out the panels? Then each reads all of A and its part of the panels, else its
 * part of A and all panels; and the result lies in columns where the next layer wants rows. */
static bool shares_panels(const oribi_gemm *gemm, const oribi_gemm_plan *plan, int64_t n_threads)
{
    const int64_t panels = gemm->groups * plan->n_panels, each = ceil_divide(panels, n_threads);
    const int64_t moved = gemm->groups * gemm->m * (gemm->depth + gemm->n);
    const bool is_even = (each * n_threads - panels) * 8 <= panels;
    return n_threads > 1 && gemm->groups * plan->packed_count > moved &&
           (is_even || panels >= n_threads * UNITS_PER_THREAD);
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
    const int64_t most_tiles = ORIBI_GEMM_MAX_POINTERS / (variant->rows * plan->part_taps);
    const bool is_few = plan->m_tiles <= most_tiles;
    plan->tiles_at_once = is_few || plan->n_panels <= 2
                              ? most_tiles
                              : smaller(most_tiles, larger(1, LOOKED_UP / larger(1, k)));
    plan->block_panels = /* a row alone meets each panel once */
        larger(1,
               gemm->m == 1 ? plan->n_panels : smaller(plan->n_panels, BLOCK_BYTES / panel_bytes));
    plan->is_fetched =
        is_few && gemm->groups * plan->packed_count * (int64_t)sizeof(float) >= FETCH_BYTES;
    plan->by_panels = is_few && shares_panels(gemm, plan, n_threads);
    if (plan->by_panels) { /* so that one thread alone reads a panel */
        plan->block_panels = 1;
        plan->n_blocks = plan->n_panels;
        plan->units = gemm->groups * plan->n_panels;
        plan->unit_cost = larger(1, gemm->m) * (k + 16);
        return;
    }
    plan_strips(gemm, n_threads, plan);
    /* A micro-kernel makes about `width` products a cycle; a tile costs some by itself. */
    plan->unit_cost = ceil_divide(gemm->m, larger(1, plan->strips)) * (k + 16) * plan->block_panels;
}

/* Holds what run_chunk works on. */
typedef struct chunk {
    int64_t group, first_panel, end_panel, first_tile, end_tile;
} chunk;

/* What a panel of a group is made of. */
typedef struct panel_at {
    const float *first; /* of all of its k */
    int64_t column, width;
    int32_t n;
    void (*tile)(const oribi_gemm_tile *tile);
} panel_at;

static panel_at find_panel(const oribi_gemm *gemm, const oribi_gemm_plan *plan, int64_t group,
                           int64_t panel)
{
    const oribi_gemm_variant *variant = gemm->variant;
    const int64_t column = panel * variant->width, remaining = gemm->n - column;
    const bool narrow = remaining <= variant->narrow;
    const bool pairs = gemm->pairs && remaining < variant->width;
    const int64_t width = pairs    ? ORIBI_GEMM_PAIRS_WIDTH
                          : narrow ? variant->narrow
                                   : variant->width;
    return (panel_at){.first = gemm->panels + group * plan->packed_count +
                               column * gemm->n_taps * gemm->depth,
                      .column = group * gemm->n + column,
                      .width = width,
                      .n = (int32_t)smaller(remaining, width),
                      .tile = pairs    ? variant->pairs_tile
                              : narrow ? variant->narrow_tile
                                       : variant->tile};
}

/* Some tiles: the pointers of their rows follow one another. */
typedef struct tiles {
    const float *pointers[ORIBI_GEMM_MAX_POINTERS];
    int32_t heights[ORIBI_GEMM_MAX_POINTERS];
    int64_t row, n_rows; /* of all */
    int n;
} tiles;

static void run_panel(const oribi_gemm *gemm, const panel_at *panel, const tiles *all,
                      oribi_gemm_tile *tile)
{
    const int64_t looked_at =
        tile->ahead_lines == 0
            ? 0
            : tile->n_taps * ceil_divide(tile->depth, ORIBI_GEMM_AHEAD_STEP) * tile->ahead_lines;
    tile->rows = all->pointers;
    tile->n = panel->n;
    tile->c = gemm->c + all->row * gemm->c_stride + panel->column;
    tile->bias = gemm->bias != NULL ? gemm->bias + panel->column : NULL;
    tile->residual = gemm->residual != NULL
                         ? gemm->residual + all->row * gemm->residual_stride + panel->column
                         : NULL;
    for (int i = 0; i < all->n; i++) {
        tile->m = all->heights[i];
        panel->tile(tile);
        tile->rows += tile->n_taps * tile->m;
        tile->c += tile->m * gemm->c_stride;
        if (tile->residual != NULL) {
            tile->residual += tile->m * gemm->residual_stride;
        }
        tile->ahead += looked_at * ORIBI_GEMM_LINE;
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

static void take_tiles(const oribi_gemm *gemm, const oribi_gemm_plan *plan, const chunk *part,
                       int64_t first, int64_t tap, int64_t n_taps, int64_t channel, tiles *out)
{
    const float **pointers = out->pointers;
    int64_t row = first * gemm->m / plan->m_tiles;
    out->n = (int)smaller(part->end_tile - first, plan->tiles_at_once);
    out->row = row;
    for (int i = 0; i < out->n; i++) {
        const int64_t next = (first + i + 1) * gemm->m / plan->m_tiles;
        out->heights[i] = (int32_t)(next - row);
        gemm->rows(gemm->rows_arg, row, out->heights[i], tap, n_taps, channel, pointers);
        pointers += out->heights[i] * n_taps;
        row = next;
    }
    out->n_rows = row - out->row;
}

/* The panel after panel p, for which tile is set, is fetched while the tiles meet p. */
static void look_ahead(const oribi_gemm *gemm, const oribi_gemm_plan *plan, const chunk *part,
                       int64_t p, int64_t k_start, int n_tiles, oribi_gemm_tile *tile)
{
    const int64_t k = tile->n_taps * tile->depth;
    const int64_t looks = n_tiles * tile->n_taps * ceil_divide(tile->depth, ORIBI_GEMM_AHEAD_STEP);
    const bool stays = p + 1 == part->end_panel && !tile->finish;
    const panel_at next = find_panel(gemm, plan, part->group, stays ? part->first_panel : p + 1);
    const int64_t at = stays ? k_start + k : p + 1 == part->end_panel ? 0 : k_start;
    tile->ahead = next.first + at * next.width;
    tile->ahead_lines = ceil_divide(k * gemm->variant->width, ORIBI_GEMM_LINE * larger(1, looks));
}

/* Panels from p on that a single row meets at once; 1: as a tile does. */
static int64_t streams(const oribi_gemm *gemm, const oribi_gemm_plan *plan, const chunk *part,
                       int64_t p, int64_t n_rows)
{
    const int64_t end = p + ORIBI_GEMM_STREAMS;
    return n_rows == 1 && plan->is_fetched && gemm->variant->row_tile != NULL &&
                   end <= part->end_panel && end * gemm->variant->width <= gemm->n
               ? ORIBI_GEMM_STREAMS
               : 1;
}

static void run_chunk(const oribi_gemm *gemm, const oribi_gemm_plan *plan, const chunk *part)
{
    oribi_gemm_tile tile = {.ahead = gemm->panels,
                            .c_stride = gemm->c_stride,
                            .residual_stride = gemm->residual_stride,
                            .low = gemm->low,
                            .high = gemm->high};
    tiles some;
    int64_t tap = 0, channel = 0;
    for (int64_t k_part = 0; k_part < plan->k_parts; k_part++) {
        const int64_t k_start = tap * gemm->depth + channel;
        tile.n_taps = smaller(plan->part_taps, gemm->n_taps - tap);
        tile.depth = smaller(plan->part_depth, gemm->depth - channel);
        tile.resume = k_part > 0;
        tile.finish = k_part + 1 == plan->k_parts;
        for (int64_t t = part->first_tile; t < part->end_tile; t += some.n) {
            take_tiles(gemm, plan, part, t, tap, tile.n_taps, part->group * gemm->depth + channel,
                       &some);
            for (int64_t p = part->first_panel, n; p < part->end_panel; p += n) {
                panel_at panel = find_panel(gemm, plan, part->group, p);
                tile.panel = panel.first + k_start * panel.width;
                n = streams(gemm, plan, part, p, some.n_rows);
                if (n > 1) {
                    tile.panel_step = gemm->n_taps * gemm->depth * panel.width;
                    tile.ahead_lines = 0;
                    panel.tile = gemm->variant->row_tile;
                } else if (plan->is_fetched) {
                    look_ahead(gemm, plan, part, p, k_start, some.n, &tile);
                }
                run_panel(gemm, &panel, &some, &tile);
            }
            if (tile.finish && gemm->activate != NULL) {
                activate_rows(gemm, part, some.row, some.n_rows);
            }
        }
        channel += tile.depth;
        if (channel == gemm->depth) {
            channel = 0;
            tap += tile.n_taps;
        }
    }
}

static void run_panels(const oribi_gemm *gemm, const oribi_gemm_plan *plan, int64_t begin,
                       int64_t end)
{
    while (begin < end) {
        const int64_t first = begin % plan->n_panels;
        const int64_t count = smaller(end - begin, plan->n_panels - first);
        const chunk part = {.group = begin / plan->n_panels,
                            .first_panel = first,
                            .end_panel = first + count,
                            .first_tile = 0,
                            .end_tile = plan->m_tiles};
        run_chunk(gemm, plan, &part);
        begin += count;
    }
}

void oribi_gemm_run(const oribi_gemm *gemm, const oribi_gemm_plan *plan, int64_t begin, int64_t end)
{
    const int64_t row_bytes = gemm->n_taps * gemm->depth * (int64_t)sizeof(float);
    const int64_t tile_bytes = larger(1, row_bytes) * gemm->variant->rows;
    const int64_t most_tiles =
        plan->k_parts == 1 ? INT64_MAX
                           : larger(larger(4, plan->tiles_at_once), CHUNK_BYTES / tile_bytes);
    if (plan->by_panels) {
        run_panels(gemm, plan, begin, end);
        return;
    }
    const int64_t blocks = gemm->groups * plan->n_blocks;
    while (begin < end) { /* strips of one block are done together */
        const int64_t strip = begin / blocks, block = begin % blocks;
        const int64_t strips = blocks == 1 ? end - begin : 1;
        const int64_t end_tile = (strip + strips) * plan->m_tiles / plan->strips;
        const int64_t first_panel = block % plan->n_blocks * plan->block_panels;
        chunk part = {.group = block / plan->n_blocks,
                      .first_panel = first_panel,
                      .end_panel = smaller(first_panel + plan->block_panels, plan->n_panels),
                      .end_tile = strip * plan->m_tiles / plan->strips};
        while (part.end_tile < end_tile) {
            part.first_tile = part.end_tile;
            part.end_tile += smaller(end_tile - part.first_tile, most_tiles);
            run_chunk(gemm, plan, &part);
        }
        begin += strips;
    }
}
