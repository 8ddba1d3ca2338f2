/* SPDX-License-Identifier: Apache-2.0 */
/* Which form a product takes on a device. Processors: code/tile_vectors.c, built for a few sizes of
 * tile, never for a shape, or code/dots_vectors.c. Others: code/tile_shared.c.
 */
#include <limits.h>
#include <string.h>

#include "device_ops/device_tile.h"

typedef struct tile_form {
    op_code code;
    int rows, columns; /* that one thread makes */
    double rate; /* results in a time, of the first; ResNet-50's layers on PoCL 3.1, AVX-512 */
} tile_form;

#define TILE(rows, width, vectors, rate)                                                           \
    {                                                                                              \
        {"tile_vectors", "op_tile_vectors",                                                        \
         "-DROWS=" #rows " -DWIDTH=" #width " -DVECTORS=" #vectors},                               \
            rows, (width) * (vectors), rate                                                        \
    }

static const tile_form tiles[] = {TILE(6, 16, 4, 1.0), TILE(6, 16, 2, 0.9), TILE(6, 16, 1, 0.5),
                                  TILE(6, 8, 1, 0.25), TILE(6, 4, 1, 0.13), TILE(6, 1, 1, 0.04),
                                  TILE(1, 16, 8, 0.5)};

#define DOTS(rows, columns)                                                                        \
    {                                                                                              \
        {"dots_vectors", "op_dots_vectors", "-DROWS=" #rows " -DCOLUMNS=" #columns " -DWIDTH=16"}, \
            rows, columns, 1.0                                                                     \
    }

static const tile_form dots[] = {DOTS(4, 4), DOTS(1, 8)};

/* The forms of code/tile_shared.c: results each way of a group, bytes that its threads share. Fewer
 * groups than MIN_GROUPS of the first leave processors of a GPU without work, which has some 100.
 */
enum { SHARED_SIDE = 16, MIN_GROUPS = 256, MAX_BLOCKS = 65535 }; /* grid.y of all */
static const struct {
    op_code code;
    int edge, slices;
} shared[] = {{{"tile_shared", "op_tile_shared", NULL}, 64, 1},
              {{"tile_shared", "op_tile_sliced", NULL}, 32, 4}};

static int64_t blocks(int64_t n, int64_t of)
{
    return (n + of - 1) / of;
}

static const tile_form *choose_form(const op_tile *t, bool is_dots)
{
    if (is_dots) {
        return &dots[t->rows < dots[0].rows];
    }
    const tile_form *best = NULL;
    double least = 0;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        const tile_form *f = &tiles[i];
        const double work = (double)(blocks(t->rows, f->rows) * f->rows) *
                            (double)(blocks(t->columns, f->columns) * f->columns) / f->rate;
        if (f->columns <= t->columns && (best == NULL || work < least)) {
            best = f;
            least = work;
        }
    }
    return best;
}

void tile_choose(const op_tile *t, bool has_vectors, bool is_dots, tile_plan *out)
{
    *out = (tile_plan){.shape = {.block = {1, 1, 1}}};
    if (t->rows < 1 || t->columns < 1 || t->groups < 1) {
        return;
    }
    if (has_vectors) {
        const tile_form *form = choose_form(t, is_dots);
        out->code = &form->code;
        out->shape.grid[0] = (uint32_t)blocks(t->rows, form->rows);
        out->shape.grid[1] = (uint32_t)blocks(t->columns, form->columns);
        out->shape.grid[2] = (uint32_t)t->groups;
        return;
    }
    const bool is_sliced =
        blocks(t->rows, shared[0].edge) * blocks(t->columns, shared[0].edge) * t->groups <
        MIN_GROUPS;
    const int edge = shared[is_sliced].edge;
    const int64_t along_y = blocks(t->columns, edge) * t->groups;
    out->code = &shared[is_sliced].code;
    out->shape.grid[0] = (uint32_t)blocks(t->rows, edge);
    out->shape.grid[1] = (uint32_t)(along_y < MAX_BLOCKS ? along_y : MAX_BLOCKS);
    out->shape.grid[2] = 1;
    out->shape.block[0] = out->shape.block[1] = SHARED_SIDE;
    out->shape.shared_bytes =
        (size_t)(shared[is_sliced].slices * 2 * SHARED_SIDE * (edge + 4)) * sizeof(float);
}

void tile_enqueue(op_kernel *kernel, op_request *r, const op_tile *t, bool is_dots,
                  const TF_LaunchArg memories[5])
{
    TF_LaunchArg args[6];
    tile_plan plan;
    tile_choose(t, op_has_vectors(r), is_dots, &plan);
    memcpy(args, memories, 5 * sizeof *args);
    args[5] = op_value(t, sizeof *t);
    if (plan.code != NULL) {
        op_launch_code(kernel, r, plan.code, &plan.shape, args, 6);
    }
}

/* --- Matrix products ------------------------------------------------------------------------- */

/* Elements from the first to past the last one of `batch` matrices. */
static bool fits(int64_t rows, int64_t columns, int64_t row_step, int64_t batch, int64_t stride)
{
    return (double)(rows - 1) * (double)row_step + (double)columns +
               (double)(batch - 1) * (double)stride <
           (double)INT_MAX;
}

static bool check(const TF_Gemm *g, TF_Status *status)
{
    const int64_t a_columns = g->transpose_a ? g->m : g->k, a_rows = g->transpose_a ? g->k : g->m;
    const int64_t b_columns = g->transpose_b ? g->k : g->n, b_rows = g->transpose_b ? g->n : g->k;
    if (g->m < 0 || g->n < 0 || g->k < 0 || g->batch < 0 || g->lda < a_columns ||
        g->ldb < b_columns || g->ldc < g->n || g->stride_a < 0 || g->stride_b < 0 ||
        g->stride_c < 0) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT,
                     "gemm: a size or stride is negative, or a row is longer than its stride");
        return false;
    }
    if (g->dtype != TF_FLOAT) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "gemm: only float is supported");
        return false;
    }
    if (g->m > INT_MAX || g->n > INT_MAX || g->k > INT_MAX || g->batch > INT_MAX ||
        !fits(a_rows, a_columns, g->lda, g->batch, g->stride_a) ||
        !fits(b_rows, b_columns, g->ldb, g->batch, g->stride_b) ||
        !fits(g->m, g->n, g->ldc, g->batch, g->stride_c)) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "gemm: 2^31 or more elements");
        return false;
    }
    return true;
}

bool tile_of_gemm(const TF_Gemm *g, bool has_vectors, op_tile *out, bool *out_is_swapped,
                  bool *out_is_dots, TF_Status *status)
{
    if (!check(g, status)) {
        return false;
    }
    const int a_row = g->transpose_a ? 1 : (int)g->lda, a_step = g->transpose_a ? (int)g->lda : 1;
    const int b_step = g->transpose_b ? 1 : (int)g->ldb, b_row = g->transpose_b ? (int)g->ldb : 1;
    /* Vectors want weights column by column. Where b^T is not and a^T is, c^T = b^T a^T. */
    *out_is_swapped = has_vectors && g->transpose_b && g->transpose_a;
    *out_is_dots = has_vectors && g->transpose_b && !g->transpose_a;
    const bool is_swapped = *out_is_swapped;
    *out = (op_tile){.rows = (int)(is_swapped ? g->n : g->m),
                     .columns = (int)(is_swapped ? g->m : g->n),
                     .groups = (int)g->batch,
                     .depth = (int)g->k,
                     .in = {1, INT_MAX},
                     .size = {1, 1},
                     .stride = {1, 1},
                     .dilation = {1, 1},
                     .x = {0, 0, is_swapped ? b_row : a_row, is_swapped ? b_step : a_step},
                     .w = {is_swapped ? a_step : b_step, is_swapped ? a_row : b_row},
                     .z = {0, 0, is_swapped ? 1 : (int)g->ldc, is_swapped ? (int)g->ldc : 1},
                     .group = {(int)(is_swapped ? g->stride_b : g->stride_a),
                               (int)(is_swapped ? g->stride_a : g->stride_b), (int)g->stride_c, 0},
                     .has_residual = g->beta != 0,
                     .alpha = (float)g->alpha,
                     .beta = (float)g->beta};
    out->out[0] = 1;
    out->out[1] = out->rows > 0 ? out->rows : 1;
    return true;
}

bool device_ops_plan_product(const TF_Gemm *gemm, bool has_vectors, device_ops_product *out,
                             TF_Status *status)
{
    op_tile t;
    tile_plan plan;
    bool is_swapped = false, is_dots = false;
    *out = (device_ops_product){0};
    if (!tile_of_gemm(gemm, has_vectors, &t, &is_swapped, &is_dots, status)) {
        return false;
    }
    tile_choose(&t, has_vectors, is_dots, &plan);
    if (plan.code != NULL) {
        out->family = plan.code->family;
        out->function = plan.code->function;
        out->options = plan.code->options;
    }
    memcpy(out->grid, plan.shape.grid, sizeof out->grid);
    memcpy(out->block, plan.shape.block, sizeof out->block);
    out->shared_bytes = plan.shape.shared_bytes;
    out->x = is_swapped ? gemm->b : gemm->a;
    out->w = is_swapped ? gemm->a : gemm->b;
    _Static_assert(sizeof t <= sizeof out->numbers, "device_ops_product.numbers");
    memcpy(out->numbers, &t, sizeof t);
    out->number_bytes = sizeof t;
    return true;
}
