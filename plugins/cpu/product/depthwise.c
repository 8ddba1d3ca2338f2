/* SPDX-License-Identifier: Apache-2.0 */
/* DepthwiseConv2dNative and its fused forms, float32, NHWC: 3x3 and 5x5 filters with
 * stride 1 and 2 and 7x7 with stride 1 in tiles, everything else a few pixels at a time. What they
 * mean is in conv_reference.c; the inner loops are depthwise.h.
 */
#include "cpu/product/depthwise.h"
#include "cpu/product/conv_attrs.h"
#include "cpu/product/epilogue.h"
#include "cpu/base/families.h"
#include "cpu/product/packed_weights.h"

#include <stdlib.h>
#include <string.h>

enum {
    ANY_TAPS = ORIBI_DEPTHWISE_MAX_PIXELS,
    /* A block of the output when the images are in the second level cache already: what it reads
     * fits the first. Larger ones are streamed instead: all channels of a few rows. */
    BLOCK_ROWS = 8,
    BLOCK_COLUMNS = 16,
    BLOCK_BYTES = 32 * 1024,
    STREAM_ROWS = 4,
    STREAM_COLUMNS = 64,
    STREAM_BYTES = 1024 * 1024
};

typedef struct depthwise_state {
    const oribi_depthwise_variant *variant;
    oribi_conv_attrs attrs;
    oribi_epilogue epilogue;
    bool packed;
    int64_t filter[4];
    const float *weights; /* [channels / PAD, taps, PAD], then a pixel of zeros; the host's */
} depthwise_state;

typedef struct depthwise_call {
    const depthwise_state *state;
    const oribi_depthwise_loop *loop; /* NULL: pixel by pixel */
    int64_t filter[4], dims[4];
    const float *image, *weights, *zeros;
    oribi_epilogue_args args;
    oribi_geometry_window y, x;
    float *out;
    int64_t out_stride, band_rows;   /* about; a band is a few output rows of one image */
    int64_t bands, tiles, tile_rows; /* of an image: a band is some of its rows of tiles */
    int64_t block_columns, block_channels;
    TF_Tensor *scratch, *repeated;
} depthwise_call;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Packed weights, a pixel of them for each tap, and one pixel of zeros; -1 when it leaves int64. */
static int64_t weight_count(const int64_t *filter)
{
    int64_t count = 0, padded = 0, taps = 0;
    if (__builtin_mul_overflow(filter[2], filter[3], &padded) ||
        !oribi_count_round_up(padded, ORIBI_DEPTHWISE_PAD, &padded) ||
        __builtin_mul_overflow(filter[0], filter[1], &taps) ||
        __builtin_add_overflow(taps, 1, &taps) || __builtin_mul_overflow(taps, padded, &count) ||
        count > INT64_MAX / 16) {
        return -1;
    }
    return count;
}

static int64_t weight_index(int64_t taps, int64_t tap, int64_t channel)
{
    const int64_t inside = channel & (ORIBI_DEPTHWISE_PAD - 1);
    return (channel - inside) * taps + tap * ORIBI_DEPTHWISE_PAD + inside;
}

static void pack_weights(const oribi_weights_view *view, float *out)
{
    const int64_t taps = view->dims.at[0] * view->dims.at[1], multiplier = view->dims.at[3];
    memset(out, 0, (size_t)weight_count(view->dims.at) * sizeof(float));
    for (int64_t tap = 0; tap < taps; tap++) {
        const char *from = view->data + tap / view->dims.at[1] * view->strides.at[0] +
                           tap % view->dims.at[1] * view->strides.at[1];
        for (int64_t i = 0; i < view->dims.at[2] * multiplier; i++) {
            memcpy(out + weight_index(taps, tap, i),
                   from + i / multiplier * view->strides.at[2] +
                       i % multiplier * view->strides.at[3],
                   sizeof(float));
        }
    }
}

static void fill_weights(void *arg, float *to)
{
    pack_weights(arg, to);
}

static void *depthwise_create(TF_OpKernelConstruction *construction, oribi_cpu_isa isa,
                              const oribi_depthwise_variant *variant)
{
    oribi_kit_setup setup;
    oribi_weights_view view;
    depthwise_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state == NULL) {
        return oribi_kit_setup_end(&setup);
    }
    state->variant = variant;
    oribi_conv_attrs_read(&setup, &state->attrs);
    oribi_epilogue_read(&setup, isa, &state->epilogue);
    if (oribi_weights_constant(&setup, 1, 4, &view)) {
        const oribi_weights_packing packing = {.inputs = 1U << 1,
                                               .count = weight_count(view.dims.at),
                                               .fill = fill_weights,
                                               .arg = &view};
        state->weights =
            oribi_weights_pack(&setup, &packing, "depthwise.1 of %d", ORIBI_DEPTHWISE_PAD);
    }
    if (state->weights != NULL) {
        memcpy(state->filter, view.dims.at, sizeof state->filter);
        state->packed = true;
        TF_OpKernelConstruction_ReleaseConstant(construction, 1);
    }
    return oribi_kit_setup_end(&setup);
}

static void depthwise_destroy(void *arg)
{
    depthwise_state *state = arg;
    if (state != NULL) {
        free(state);
    }
}

/* Input pixels of a tile whose first one is (y, x) in the image; beyond its edges, zeros. */
static void find_pixels(const depthwise_call *call, int64_t batch, int64_t y, int64_t x,
                        int64_t rows, int64_t columns, const float **out)
{
    const int64_t channels = call->filter[2], down = call->y.dilation, right = call->x.dilation;
    const float *image = call->image + batch * call->y.in * call->x.in * channels;
    for (int64_t i = 0; i < rows; i++, out += columns) {
        const int64_t row = y + i * down;
        const bool inside = (uint64_t)row < (uint64_t)call->y.in;
        const float *line = image + (row * call->x.in + x) * channels;
        if (inside && x >= 0 && x + (columns - 1) * right < call->x.in) {
            for (int64_t j = 0; j < columns; j++) {
                out[j] = line + j * right * channels;
            }
            continue;
        }
        for (int64_t j = 0; j < columns; j++) {
            const int64_t column = x + j * right;
            out[j] = inside && (uint64_t)column < (uint64_t)call->x.in ? line + j * right * channels
                                                                       : call->zeros;
        }
    }
}

static void start_tile(const depthwise_call *call, oribi_depthwise_tile *tile, int64_t batch,
                       int64_t y, int64_t x)
{
    const int64_t pixel = (batch * call->dims[1] + y) * call->dims[2] + x;
    tile->out = call->out + pixel * call->out_stride;
    tile->residual =
        call->args.residual != NULL ? call->args.residual + pixel * call->dims[3] : NULL;
}

/* Part of a band: output rows [y, y + rows), columns [x, x + columns), which meets all taps of a
 * few channels at a time, so that what it reads stays in the first level cache. */
typedef struct block {
    int64_t batch, y, x, rows, columns;
    int64_t step; /* columns of a tile: those of the loop, or 1 */
} block;

static void run_block(const depthwise_call *call, oribi_depthwise_tile *tile, const block *part)
{
    const oribi_depthwise_loop *loop = call->loop;
    const float *pixels[ORIBI_DEPTHWISE_MAX_PIXELS];
    const int64_t stride = loop->stride, columns = (part->columns - 1) * stride + loop->taps_x;
    find_pixels(call, part->batch, part->y * stride - call->y.before,
                part->x * stride - call->x.before, (part->rows - 1) * stride + loop->taps_y,
                columns, pixels);
    tile->pixel_columns = columns;
    for (tile->first = 0; tile->first < call->dims[3]; tile->first = tile->end) {
        tile->end = smaller(tile->first + call->block_channels, call->dims[3]);
        for (int64_t y = 0; y < part->rows;) {
            const bool full = part->step > 1 && y + loop->rows <= part->rows;
            const oribi_depthwise_fn run = full             ? loop->full
                                           : part->step > 1 ? loop->row
                                                            : loop->pixel;
            for (int64_t column = 0; column < part->columns; column += part->step) {
                /* The last tile reaches back over pixels that are done: they get the same. */
                const int64_t back = part->columns - part->step;
                const int64_t x = column < back ? column : back;
                tile->pixels = pixels + y * stride * columns + x * stride;
                start_tile(call, tile, part->batch, part->y + y, part->x + x);
                run(tile);
            }
            y += full ? loop->rows : 1;
        }
    }
}

/* Output rows [y, y + rows) with the loop for this filter. */
static void run_tiles(const depthwise_call *call, oribi_depthwise_tile *tile, int64_t batch,
                      int64_t y, int64_t rows)
{
    const int64_t width = call->dims[2];
    const int64_t step = width >= call->loop->columns ? call->loop->columns : 1;
    block part = {.batch = batch, .y = y, .rows = rows, .step = step};
    for (part.x = 0; part.x < width; part.x += part.columns) {
        part.columns = smaller(width - part.x, call->block_columns);
        if (part.columns < step) { /* too narrow for a tile: done once more, with what is before */
            part.x = width - step;
            part.columns = step;
        }
        run_block(call, tile, &part);
    }
}

/* One output row of any filter. */
static void run_pixels(const depthwise_call *call, oribi_depthwise_tile *tile, int64_t batch,
                       int64_t y)
{
    const float *pixels[ORIBI_DEPTHWISE_MAX_PIXELS];
    const oribi_depthwise_variant *variant = call->state->variant;
    const int64_t taps = call->y.taps * call->x.taps, width = call->dims[2];
    const bool some = width >= ORIBI_DEPTHWISE_TOGETHER &&
                      taps <= ORIBI_DEPTHWISE_MAX_PIXELS / ORIBI_DEPTHWISE_TOGETHER;
    const int64_t step = some ? ORIBI_DEPTHWISE_TOGETHER : 1;
    tile->pixels = pixels;
    tile->pixel_columns = taps;
    for (int64_t column = 0; column < width; column += step) {
        /* The last ones reach back over pixels that are done: they get the same. */
        const int64_t x = smaller(column, width - step);
        for (int64_t i = 0; i < step; i++) {
            find_pixels(call, batch, y * call->y.stride - call->y.before,
                        (x + i) * call->x.stride - call->x.before, call->y.taps, call->x.taps,
                        pixels + i * taps);
        }
        start_tile(call, tile, batch, y, x);
        (some ? variant->some : variant->any)(tile);
    }
}

static void activate(const depthwise_call *call, int64_t batch, int64_t y, int64_t rows)
{
    for (int64_t i = 0; i < rows * call->dims[2]; i++) {
        const int64_t pixel = (batch * call->dims[1] + y) * call->dims[2] + i;
        oribi_epilogue_row(&call->args, call->out + pixel * call->out_stride, 0, call->dims[3]);
    }
}

static void run_bands(void *object, int64_t begin, int64_t end)
{
    const depthwise_call *call = object;
    const int64_t channels = call->dims[3];
    oribi_depthwise_tile tile = {.weights = call->weights,
                                 .end = channels,
                                 .row_stride = call->dims[2] * call->out_stride,
                                 .column_stride = call->out_stride,
                                 .bias = call->args.bias != NULL ? call->args.bias : call->zeros,
                                 .residual_row_stride = call->dims[2] * channels,
                                 .residual_column_stride = channels,
                                 .low = call->state->epilogue.low,
                                 .high = call->state->epilogue.high};
    for (int64_t band = begin; band < end; band++) {
        const int64_t batch = band / call->bands, number = band % call->bands;
        const int64_t y = number * call->tiles / call->bands * call->tile_rows;
        const int64_t end_y = (number + 1) * call->tiles / call->bands * call->tile_rows;
        const int64_t rows = smaller(call->dims[1], end_y) - y;
        if (call->loop == NULL) {
            run_pixels(call, &tile, batch, y);
        } else {
            run_tiles(call, &tile, batch, y, rows);
        }
        if (oribi_epilogue_needs_row(&call->state->epilogue)) {
            activate(call, batch, y, rows);
        }
    }
}

static const oribi_depthwise_loop *find_loop(const depthwise_call *call)
{
    const oribi_depthwise_loop *loop = call->state->variant->loops;
    for (; loop->taps_y != 0; loop++) {
        if (loop->taps_y == call->y.taps && loop->taps_x == call->x.taps &&
            loop->stride == call->y.stride && loop->stride == call->x.stride &&
            call->y.dilation == 1 && call->x.dilation == 1) {
            return loop;
        }
    }
    return NULL;
}

static bool take_weights(oribi_kit_run *run, depthwise_call *call, const oribi_weights_view *filter)
{
    const float *weights = call->state->weights;
    if (!call->state->packed) {
        const int64_t count = weight_count(call->filter);
        float *packed = oribi_kit_scratch(run, count < 0 ? INT64_MAX : count * 4, &call->scratch);
        if (packed == NULL) {
            return false;
        }
        pack_weights(filter, packed);
        weights = packed;
    }
    call->weights = weights;
    const int64_t taps = call->filter[0] * call->filter[1];
    call->zeros = weights + weight_count(call->filter) / (taps + 1) * taps;
    return true;
}

static bool take_shapes(oribi_kit_run *run, depthwise_call *call, oribi_weights_view *filter)
{
    const depthwise_state *state = call->state;
    oribi_weights_view image;
    if (!oribi_weights_input(run, 0, 4, &image) ||
        (!state->packed && !oribi_weights_input(run, 1, 4, filter))) {
        return false;
    }
    memcpy(call->filter, state->packed ? state->filter : filter->dims.at, sizeof call->filter);
    if (image.dims.at[3] != call->filter[2] || weight_count(call->filter) < 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "an image of %lld channels does not fit a depthwise filter of %lld",
                              (long long)image.dims.at[3], (long long)call->filter[2]);
    }
    if (!oribi_conv_attrs_resolve(run, &state->attrs, image.dims.at[1], image.dims.at[2],
                                  call->filter[0], call->filter[1], &call->y, &call->x)) {
        return false;
    }
    call->image = (const float *)(const void *)image.data;
    call->dims[0] = image.dims.at[0];
    call->dims[1] = call->y.out;
    call->dims[2] = call->x.out;
    call->dims[3] = call->filter[2] * call->filter[3];
    call->loop = find_loop(call);
    if (call->loop == NULL && call->y.taps * call->x.taps > ANY_TAPS) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED,
                              "a depthwise filter of %lld by %lld is too large; at most %d taps",
                              (long long)call->y.taps, (long long)call->x.taps, (int)ANY_TAPS);
    }
    return true;
}

static void plan_blocks(depthwise_call *call)
{
    const int64_t pixel_bytes = call->filter[2] * (int64_t)sizeof(float);
    const int64_t images = call->dims[0] * call->y.in * call->x.in * pixel_bytes;
    if (call->loop == NULL) {
        call->band_rows = 1;
    } else if (images > STREAM_BYTES) {
        call->band_rows = STREAM_ROWS;
        call->block_columns = STREAM_COLUMNS / call->loop->stride;
        call->block_channels = call->dims[3];
    } else {
        call->band_rows = BLOCK_ROWS / call->loop->stride;
        call->block_columns = BLOCK_COLUMNS / call->loop->stride;
        const int64_t rows = (smaller(call->band_rows, call->dims[1]) - 1) * call->y.stride;
        const int64_t columns = (smaller(call->block_columns, call->dims[2]) - 1) * call->x.stride;
        const int64_t pixels = (rows + call->y.taps) * (columns + call->x.taps);
        const int64_t channels = BLOCK_BYTES / (pixels * (int64_t)sizeof(float));
        call->block_channels = (channels / ORIBI_DEPTHWISE_PAD + 1) * ORIBI_DEPTHWISE_PAD;
    }
}

/* As many bands for each thread, and each begins where a tile does. */
static void plan_bands(depthwise_call *call, int64_t n_threads)
{
    const int64_t bands = (call->dims[1] + call->band_rows - 1) / call->band_rows;
    call->tile_rows = call->loop != NULL ? call->loop->rows : 1;
    call->tiles = (call->dims[1] + call->tile_rows - 1) / call->tile_rows;
    const int64_t each = (bands + n_threads - 1) / n_threads;
    call->bands = smaller(call->tiles, each * n_threads);
}

typedef struct repeat_work {
    const float *from;
    float *to;
    int64_t channels, times;
} repeat_work;

static void repeat_pixels(void *object, int64_t begin, int64_t end)
{
    const repeat_work *work = object;
    const int64_t times = work->times;
    const float *from = work->from;
    float *to = work->to + begin * work->channels * times;
    for (int64_t i = begin * work->channels; i < end * work->channels; i++, to += times) {
        for (int64_t k = 0; k < times; k++) {
            to[k] = from[i];
        }
    }
}

/* Where a channel makes several, each is read as often: the filter [y, x, c, m] is [y, x, c * m, 1]
 * of such an image, and no loop knows of it. */
static bool repeat_channels(oribi_kit_run *run, depthwise_call *call)
{
    repeat_work work = {.from = call->image, .channels = call->filter[2], .times = call->filter[3]};
    if (work.times == 1) {
        return true;
    }
    const int64_t pixels = call->dims[0] * call->y.in * call->x.in;
    int64_t bytes = 0;
    if (__builtin_mul_overflow(pixels, call->dims[3] * (int64_t)sizeof(float), &bytes)) {
        return oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "the repeated image is too large");
    }
    work.to = oribi_kit_scratch(run, bytes, &call->repeated);
    if (work.to == NULL) {
        return false;
    }
    oribi_kit_parallel(run, pixels, call->dims[3] / 2 + 4, &work, repeat_pixels);
    call->image = work.to;
    call->filter[2] = call->dims[3];
    call->filter[3] = 1;
    return true;
}

static bool depthwise_run(oribi_kit_run *run, depthwise_call *call)
{
    oribi_weights_view filter;
    if (!take_shapes(run, call, &filter) ||
        !oribi_epilogue_args_take(run, &call->state->epilogue, call->dims, 4, &call->args)) {
        return false;
    }
    const int64_t *dims = call->dims;
    call->out = oribi_kit_output(run, 0, dims, 4);
    if (call->out == NULL || dims[0] * dims[1] * dims[2] == 0 || dims[3] == 0) {
        return call->out != NULL;
    }
    if (!take_weights(run, call, &filter) || !repeat_channels(run, call)) {
        return false;
    }
    call->out_stride = TF_OutputRowStride(run->context, 0);
    plan_blocks(call);
    plan_bands(call, TF_ThreadPool_NumThreads(run->context));
    const int64_t rows = (dims[1] + call->bands - 1) / call->bands;
    const int64_t cost = rows * dims[2] * (dims[3] + 16) * call->y.taps * call->x.taps;
    oribi_kit_parallel(run, dims[0] * call->bands, cost / 8 + 1, call, run_bands);
    return true;
}

static void depthwise_compute(void *arg, TF_OpKernelContext *context)
{
    const depthwise_state *state = arg;
    depthwise_call call = {.state = state};
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, state->packed ? 1 : 2)) {
        (void)depthwise_run(&run, &call);
    }
    TF_DeleteTensor(call.scratch);
    TF_DeleteTensor(call.repeated);
    oribi_kit_end(&run);
}

#define CREATE(part, set)                                                                          \
    static void *create_##set(TF_OpKernelConstruction *construction)                               \
    {                                                                                              \
        return depthwise_create(construction, ORIBI_ISA_##set, &oribi_depthwise_##set);            \
    }
#define ROW(op, set)                                                                               \
    ORIBI_CPU_ISA_ROW(op, set, depthwise, "pixels shared by taps, " #set, ORIBI_CPU_OF(TF_FLOAT),  \
                      .create = create_##set, .destroy = depthwise_destroy, .strided_outputs = 1,  \
                      .tolerance = 1e-4f)
#define ROWS(part, set)                                                                            \
    ROW("DepthwiseConv2dNative", set), ROW("_FusedDepthwiseConv2dNative", set),                    \
        ROW("Oribi>FusedDepthwiseConv2d", set),

ORIBI_ISAS_OF_depthwise(CREATE)

    /* clang-format off */
const oribi_cpu_kernel oribi_cpu_depthwise_kernels[] = {
    ORIBI_ISAS_OF_depthwise(ROWS)
    {.op_name = NULL},
};
/* clang-format on */
