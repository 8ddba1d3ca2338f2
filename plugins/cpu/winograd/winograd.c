/* SPDX-License-Identifier: Apache-2.0 */
/* The image is cut into runs of tiles whose sums stay in the second level cache. Each run makes 16
 * small products for every block of output channels, by the same micro-kernels as the direct
 * product. See winograd.h.
 */
#include "cpu/winograd/winograd.h"

#include <math.h>
#include <string.h>

enum {
    TAPS = 9,
    MIN_TILES = 40,     /* below it the filter's sums are more to read than to multiply */
    MIN_CHANNELS = 32,  /* below it the transforms take what the products save */
    BLOCK_COLUMNS = 64, /* output channels of one block */
    RUN_TILES = 48,     /* about; a multiple of the rows of each micro-kernel */
    LEAST_TILES = 24,   /* of a run that is cut shorter for the threads' sake */
    LINE_FLOATS = 16,
    UNITS_PER_THREAD = 2
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t halves(int64_t pixels)
{
    return (pixels + 1) / 2;
}

bool oribi_winograd_is_worth(const int64_t *image, const int64_t *filter)
{
    const bool is_known = image[1] > 0 && image[2] > 0;
    return is_known && filter[0] == 3 && filter[1] == 3 && filter[2] >= MIN_CHANNELS &&
           filter[3] >= MIN_CHANNELS && halves(image[1]) * halves(image[2]) >= MIN_TILES;
}

int64_t oribi_winograd_count(const oribi_gemm_variant *variant, const int64_t *filter)
{
    return oribi_weights_count(variant, ORIBI_WINOGRAD_PRODUCTS, filter[2], filter[3]);
}

static float tap_at(const oribi_weights_view *filter, const char *first, int tap)
{
    float value;
    memcpy(&value, first + tap / 3 * filter->strides.at[0] + tap % 3 * filter->strides.at[1],
           sizeof value);
    return value;
}

/* The sums of one 3x3 filter: G g G', where G is (1 0 0, 1/2 1/2 1/2, 1/2 -1/2 1/2, 0 0 1). */
static void filter_sums(const double *g, double *out)
{
    const double even = g[0] + g[2], odd = g[1];
    out[0] = g[0];
    out[1] = (even + odd) / 2;
    out[2] = (even - odd) / 2;
    out[3] = g[2];
}

static void pack_one(const oribi_weights_view *filter, int64_t in, int64_t column, int64_t step,
                     float *out)
{
    const char *first = filter->data + in * filter->strides.at[2] + column * filter->strides.at[3];
    double taps[TAPS], rows[3][4], column_of_rows[3], sums[4];
    for (int t = 0; t < TAPS; t++) {
        taps[t] = tap_at(filter, first, t);
    }
    for (int y = 0; y < 3; y++) {
        filter_sums(taps + 3 * y, rows[y]);
    }
    for (int x = 0; x < 4; x++) {
        for (int y = 0; y < 3; y++) {
            column_of_rows[y] = rows[y][x];
        }
        filter_sums(column_of_rows, sums);
        for (int y = 0; y < 4; y++) {
            out[(y * 4 + x) * step] = (float)sums[y];
        }
    }
}

/* Blocks of columns outside, in each the 16 products, each as oribi_gemm_pack would leave it. */
void oribi_winograd_pack(const oribi_gemm_variant *variant, const oribi_weights_view *filter,
                         oribi_weights_reader *reader, float *out)
{
    const int64_t depth = filter->dims.at[2], n = filter->dims.at[3];
    const bool in_order = filter->strides.at[3] >= TAPS * depth * (int64_t)sizeof(float);
    for (int64_t block = 0; block < n; block += BLOCK_COLUMNS) {
        const int64_t columns = smaller(BLOCK_COLUMNS, n - block);
        const int64_t step = oribi_gemm_packed_count(variant, depth, columns);
        memset(out, 0, (size_t)(ORIBI_WINOGRAD_PRODUCTS * step) * sizeof(float));
        for (int64_t first = 0; first < columns; first += variant->width) {
            const int64_t rest = columns - first;
            const int64_t width = rest <= variant->narrow ? variant->narrow : variant->width;
            for (int64_t j = 0; j < smaller(rest, width); j++) {
                for (int64_t k = 0; k < depth; k++) {
                    pack_one(filter, k, block + first + j, step,
                             out + first * depth + k * width + j);
                }
            }
        }
        if (in_order && reader != NULL) {
            oribi_weights_read(reader, filter->data + block * filter->strides.at[3],
                               columns * filter->strides.at[3]);
        }
        out += ORIBI_WINOGRAD_PRODUCTS * step;
    }
}

/* One call. */
typedef struct job {
    const oribi_winograd_variant *variant;
    const oribi_conv_rows *image;
    const oribi_gemm *direct;
    int64_t tiles_y, tiles_x, tiles, runs, splits; /* a unit is one share of the blocks, one run */
    int64_t most_tiles;                            /* of a run */
    int64_t worker_floats;
    float *scratch;
    int64_t *made; /* of each worker: the run whose sums it has, or -1 */
} job;

/* The sums of one run, product by product, rows of `depth` floats: an oribi_gemm_rows_fn's arg. */
typedef struct run_sums {
    const float *sums;
    int64_t depth, n_tiles;
} run_sums;

static void fill_rows(const void *arg, int64_t row, int32_t n_rows, int64_t tap, int64_t n_taps,
                      int64_t channel, const float **out)
{
    const run_sums *s = arg;
    const int64_t product = channel / s->depth, inside = channel % s->depth;
    (void)tap;
    (void)n_taps; /* 1 */
    for (int32_t i = 0; i < n_rows; i++) {
        out[i] = s->sums + (product * s->n_tiles + row + i) * s->depth + inside;
    }
}

static void split_tile(const job *j, int64_t tile, int64_t *out_batch, int64_t *out_y,
                       int64_t *out_x)
{
    *out_batch = tile / (j->tiles_y * j->tiles_x);
    *out_y = tile / j->tiles_x % j->tiles_y * 2;
    *out_x = tile % j->tiles_x * 2;
}

static void make_sums(const job *j, int64_t first, int64_t n_tiles, float *sums)
{
    const oribi_conv_rows *image = j->image;
    oribi_winograd_input input = {.channels = j->direct->depth, .step = n_tiles * j->direct->depth};
    for (int64_t i = 0; i < n_tiles; i++) {
        int64_t batch, y, x;
        split_tile(j, first + i, &batch, &y, &x);
        for (int p = 0; p < ORIBI_WINOGRAD_PIXELS; p++) {
            const int64_t at_y = y - image->y.before + p / 4, at_x = x - image->x.before + p % 4;
            const bool inside =
                (uint64_t)at_y < (uint64_t)image->y.in && (uint64_t)at_x < (uint64_t)image->x.in;
            input.pixels[p] =
                inside ? image->input +
                             ((batch * image->y.in + at_y) * image->x.in + at_x) * image->channels
                       : image->zeros;
        }
        input.to = sums + i * j->direct->depth;
        j->variant->input(&input);
    }
}

/* Results of tile number `tile`, columns [column, column + columns), from its products. */
static void finish_tile(const job *j, int64_t tile, int64_t column, int64_t columns,
                        const float *products)
{
    const oribi_gemm *direct = j->direct;
    const int64_t height = j->image->y.out, width = j->image->x.out;
    int64_t batch, y, x;
    split_tile(j, tile, &batch, &y, &x);
    oribi_winograd_output output = {.from = products,
                                    .channels = columns,
                                    .step = columns,
                                    .bias = direct->bias != NULL ? direct->bias + column : NULL,
                                    .low = direct->low,
                                    .high = direct->high};
    for (int p = 0; p < ORIBI_WINOGRAD_OUTPUTS; p++) {
        const int64_t at_y = y + p / 2, at_x = x + p % 2;
        const int64_t pixel = (batch * height + at_y) * width + at_x;
        if (at_y >= height || at_x >= width) {
            continue;
        }
        output.to[p] = direct->c + pixel * direct->c_stride + column;
        if (direct->residual != NULL) {
            output.residual[p] = direct->residual + pixel * direct->residual_stride + column;
        }
    }
    j->variant->output(&output);
    for (int p = 0; direct->activate != NULL && p < ORIBI_WINOGRAD_OUTPUTS; p++) {
        if (output.to[p] != NULL) {
            direct->activate(direct->activate_arg, output.to[p], column, columns);
        }
    }
}

/* Rows of products lie apart by no power of two, so that a tile's rows do not share lines of the
 * first level. */
static int64_t product_stride(int64_t columns)
{
    return ORIBI_WINOGRAD_PRODUCTS * columns + LINE_FLOATS;
}

static void run_block(const job *j, int64_t first, int64_t n_tiles, int64_t block, float *sums,
                      float *products)
{
    const oribi_gemm *direct = j->direct;
    const run_sums rows = {sums, direct->depth, n_tiles};
    const int64_t column = block * BLOCK_COLUMNS;
    const int64_t columns = smaller(BLOCK_COLUMNS, direct->n - column);
    const oribi_gemm gemm = {
        .variant = direct->variant,
        .panels =
            direct->panels + ORIBI_WINOGRAD_PRODUCTS *
                                 oribi_gemm_packed_count(direct->variant, direct->depth, column),
        .groups = ORIBI_WINOGRAD_PRODUCTS,
        .m = n_tiles,
        .n = columns,
        .n_taps = 1,
        .depth = direct->depth,
        .rows = fill_rows,
        .rows_arg = &rows,
        .c = products,
        .c_stride = product_stride(columns),
        .low = -INFINITY,
        .high = INFINITY};
    oribi_gemm_plan plan;
    oribi_gemm_plan_make(&gemm, 1, &plan);
    oribi_gemm_run(&gemm, &plan, 0, plan.units);
    for (int64_t i = 0; i < n_tiles; i++) {
        finish_tile(j, first + i, column, columns, products + i * gemm.c_stride);
    }
}

static void run_units(void *object, int64_t begin, int64_t end, int worker)
{
    const job *j = object;
    float *sums = j->scratch + worker * j->worker_floats;
    float *products = sums + ORIBI_WINOGRAD_PRODUCTS * j->most_tiles * j->direct->depth;
    const int64_t n_blocks = (j->direct->n + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t number = unit / j->splits, split = unit % j->splits;
        const int64_t first = number * j->tiles / j->runs;
        const int64_t n_tiles = (number + 1) * j->tiles / j->runs - first;
        if (number != j->made[worker]) {
            make_sums(j, first, n_tiles, sums);
            j->made[worker] = number;
        }
        for (int64_t block = split * n_blocks / j->splits;
             block < (split + 1) * n_blocks / j->splits; block++) {
            run_block(j, first, n_tiles, block, sums, products);
        }
    }
}

/* Whole runs are shared out among threads, as many to each; where those are too few, first they are
 * cut shorter, then their blocks are shared out, too: each thread makes the sums of the run then.
 */
static void plan_units(job *j, int n_threads)
{
    const int64_t n_blocks = (j->direct->n + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS;
    const int64_t wanted = n_threads > 1 ? (int64_t)n_threads * UNITS_PER_THREAD : 1;
    j->runs = (j->tiles + RUN_TILES / 2) / RUN_TILES;
    if (j->runs < wanted) {
        j->runs = smaller(wanted, j->tiles / LEAST_TILES);
    }
    if (j->runs > n_threads) {
        const int64_t each = (j->runs + n_threads - 1) / n_threads;
        j->runs = each * n_threads;
    }
    j->runs = j->runs < 1 ? 1 : j->runs;
    j->most_tiles = (j->tiles + j->runs - 1) / j->runs;
    j->splits = smaller(n_blocks, (wanted + j->runs - 1) / j->runs);
}

bool oribi_winograd_run(oribi_kit_run *run, const oribi_winograd_variant *variant,
                        const oribi_conv_rows *image, const oribi_gemm *direct)
{
    const int n_threads = TF_ThreadPool_NumThreads(run->context);
    job j = {.variant = variant,
             .image = image,
             .direct = direct,
             .tiles_y = halves(image->y.out),
             .tiles_x = halves(image->x.out)};
    j.tiles = direct->m / (image->y.out * image->x.out) * j.tiles_y * j.tiles_x;
    plan_units(&j, n_threads);
    const int64_t columns = smaller(BLOCK_COLUMNS, direct->n);
    j.worker_floats =
        j.most_tiles * (ORIBI_WINOGRAD_PRODUCTS * direct->depth + product_stride(columns)) +
        LINE_FLOATS;
    TF_Tensor *scratch = NULL;
    const int64_t bytes = n_threads * j.worker_floats * (int64_t)sizeof(float);
    j.scratch = oribi_kit_scratch(run, bytes + n_threads * (int64_t)sizeof *j.made, &scratch);
    if (j.scratch != NULL) {
        j.made = (int64_t *)(void *)(j.scratch + n_threads * j.worker_floats); /* lines are whole */
        for (int i = 0; i < n_threads; i++) {
            j.made[i] = -1;
        }
        const int64_t cost = j.most_tiles * direct->depth * direct->n / j.splits;
        const TF_WorkerRangeCallable callable = {&j, run_units, NULL};
        TF_ThreadPool_ParallelForWithWorkerId(run->context, j.runs * j.splits, cost, callable);
    }
    TF_DeleteTensor(scratch);
    return j.scratch != NULL;
}
