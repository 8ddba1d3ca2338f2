/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions over few channels: the taps of a row of the filter become one. A band is some rows
 * of the result. The rows of the image that they read are copied with their padding into memory of
 * the worker's, which stays in the first level cache, and from there every tap of every pixel lies
 * at a constant distance: no pointer needs a comparison. See conv_geometry.h.
 */
#include "cpu/product/conv_geometry.h"

#include <string.h>

enum {
    MERGE_BELOW = 32,   /* channels: below, a tap costs more to begin than to do */
    BAND_FLOATS = 8192, /* of a worker's copy, where one row of the result needs no more */
    UNITS_PER_THREAD = 4
};

typedef struct job {
    const oribi_conv_rows *image;
    const oribi_gemm *direct;
    int64_t bands, most_rows;          /* of an image; rows of a band's copy */
    int64_t row_floats, worker_floats; /* of a row of the copy; of the copy */
    float *scratch;
} job;

/* Where the taps of a band's pixels lie: an oribi_gemm_rows_fn's arg. */
typedef struct band_rows {
    const float *at;
    int64_t pixels, pixel_step, row_step, tap_step; /* pixels: of a row of the result */
} band_rows;

static void fill_rows(const void *arg, int64_t row, int32_t n_rows, int64_t tap, int64_t n_taps,
                      int64_t channel, const float **out)
{
    const band_rows *rows = arg;
    int64_t x = row % rows->pixels;
    const float *line = rows->at + row / rows->pixels * rows->row_step + tap * rows->tap_step;
    line += channel;
    for (int32_t i = 0; i < n_rows; i++) {
        out[i] = line + x * rows->pixel_step;
        if (++x == rows->pixels) {
            x = 0;
            line += rows->row_step;
        }
    }
    for (int64_t i = n_rows; i < n_taps * n_rows; i++) {
        out[i] = out[i - n_rows] + rows->tap_step;
    }
}

void oribi_conv_pixels(const oribi_conv_rows *image, int64_t row, int64_t count, float *to)
{
    const int64_t step = image->y.in * image->x.in, channels = image->channels;
    const int64_t top = row / image->y.in * channels * image->y.in + row % image->y.in;
    const float *from = image->input + top * image->x.in;
    if (channels == 3 && image->variant->pixels != NULL) {
        image->variant->pixels(from, step, count, to);
        return;
    }
    for (int64_t c = 0; c < channels; c++) {
        for (int64_t x = 0; x < count; x++) {
            to[x * channels + c] = from[c * step + x];
        }
    }
}

/* Row y of image `batch` with its padding. */
static void copy_row(const job *j, int64_t batch, int64_t y, float *to)
{
    const oribi_geometry_window *x = &j->image->x;
    const int64_t channels = j->image->channels, width = j->row_floats / channels;
    const int64_t before = x->before < width ? x->before : width;
    const int64_t inside = x->in < width - before ? x->in : width - before;
    if (y < 0 || y >= j->image->y.in) {
        memset(to, 0, (size_t)j->row_floats * sizeof *to);
        return;
    }
    memset(to, 0, (size_t)(before * channels) * sizeof *to);
    const int64_t row = batch * j->image->y.in + y;
    if (j->image->is_planes) {
        oribi_conv_pixels(j->image, row, inside, to + before * channels);
    } else {
        memcpy(to + before * channels, j->image->input + row * x->in * channels,
               (size_t)(inside * channels) * sizeof *to);
    }
    memset(to + (before + inside) * channels, 0,
           (size_t)((width - before - inside) * channels) * sizeof *to);
}

static void run_band(const job *j, int64_t batch, int64_t first, int64_t end, float *copy)
{
    const oribi_geometry_window *y = &j->image->y, *x = &j->image->x;
    const int64_t top = first * y->stride - y->before;
    const int64_t rows = (end - first - 1) * y->stride + (y->taps - 1) * y->dilation + 1;
    for (int64_t i = 0; i < rows; i++) {
        copy_row(j, batch, top + i, copy + i * j->row_floats);
    }
    const band_rows at = {copy, x->out, x->stride * j->image->channels, y->stride * j->row_floats,
                          y->dilation * j->row_floats};
    const int64_t pixel = (batch * y->out + first) * x->out;
    oribi_gemm part = *j->direct;
    oribi_gemm_plan plan;
    part.m = (end - first) * x->out;
    part.n_taps = y->taps;
    part.depth = x->taps * j->image->channels;
    part.rows = fill_rows;
    part.rows_arg = &at;
    part.c += pixel * part.c_stride;
    if (part.residual != NULL) {
        part.residual += pixel * part.residual_stride;
    }
    oribi_gemm_plan_make(&part, 1, &plan);
    oribi_gemm_run(&part, &plan, 0, plan.units);
}

static void run_bands(void *object, int64_t begin, int64_t end, int worker)
{
    const job *j = object;
    float *copy = j->scratch + worker * j->worker_floats;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t band = unit % j->bands, out = j->image->y.out;
        run_band(j, unit / j->bands, band * out / j->bands, (band + 1) * out / j->bands, copy);
    }
}

bool oribi_conv_bands_are_worth(const oribi_conv_rows *image, int64_t groups)
{
    return groups == 1 && image->channels < MERGE_BELOW && image->channels > 0 &&
           image->x.taps * image->y.taps > 1 && image->x.dilation == 1;
}

/* Rows of the result that a copy of BAND_FLOATS serves, of `least` bands at least. Where dilation
 * spreads a window over more rows than that, as many as it spans: each row is copied twice then,
 * not once for each row of the result. */
static int64_t rows_of_band(const job *j, int64_t span, int64_t least)
{
    const oribi_geometry_window *y = &j->image->y;
    const int64_t fit = BAND_FLOATS / j->row_floats;
    const int64_t fewest = y->dilation > 1 ? span : 1;
    const int64_t served = fit > span ? (fit - span) / y->stride + 1 : 1;
    const int64_t rows = served > fewest ? served : fewest;
    const int64_t most = (y->out + least - 1) / least;
    return rows < most ? rows : most;
}

bool oribi_conv_bands_run(oribi_kit_run *run, const oribi_conv_rows *image,
                          const oribi_gemm *direct)
{
    const oribi_geometry_window *y = &image->y, *x = &image->x;
    const int n_threads = TF_ThreadPool_NumThreads(run->context);
    const int64_t batches = direct->m / (y->out * x->out);
    const int64_t span = (y->taps - 1) * y->dilation + 1;
    job j = {.image = image, .direct = direct};
    j.row_floats = ((x->out - 1) * x->stride + x->taps) * image->channels;
    const int64_t rows =
        rows_of_band(&j, span, n_threads > 1 ? (int64_t)n_threads * UNITS_PER_THREAD : 1);
    j.bands = (y->out + rows - 1) / rows;
    j.most_rows = ((y->out + j.bands - 1) / j.bands - 1) * y->stride + span;
    const int64_t sizes[] = {n_threads, j.most_rows, j.row_floats, (int64_t)sizeof(float)};
    int64_t bytes = 0;
    TF_Tensor *scratch = NULL;
    if (!oribi_cpu_count(run, sizes, 4, &bytes) ||
        (j.scratch = oribi_kit_scratch(run, bytes, &scratch)) == NULL) {
        return false;
    }
    j.worker_floats = j.most_rows * j.row_floats;
    const int64_t pixels = direct->m / (batches * j.bands) + 1; /* as oribi_gemm_plan_make has it */
    const int64_t cost = pixels * (direct->n_taps * direct->depth + 16) * (direct->n / 32 + 1);
    const TF_WorkerRangeCallable callable = {&j, run_bands, NULL};
    TF_ThreadPool_ParallelForWithWorkerId(run->context, batches * j.bands, cost, callable);
    TF_DeleteTensor(scratch);
    return true;
}
