/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearConv2D by panels (qlinear_panels.h): a pixel's window is a line of `inner` numbers.
 * Depthwise layers go by themselves. */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_CONV_LOOPS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_CONV_LOOPS_H_

#include "cpu/quantised/qlinear_kernels.h"
#include "cpu/quantised/qlinear_panels.h"

typedef struct conv_state {
    oribi_qlinear_state layer;
    int16_t *packed; /* constant weights, else NULL */
    int8_t *bytes;   /* or these, else NULL */
    int32_t *totals; /* of the columns of all panels of bytes */
    int32_t groups;  /* that they were packed for */
} conv_state;

typedef struct layer {
    const struct oribi_micro_qlinear_conv2d_args *a;
    const uint8_t *x, *w;
    const int32_t *bias, *zeros;
    const float *multipliers;
    void *output;
    int16_t *packed;
    const int8_t *bytes;
    const int32_t *totals;
    int32_t depth, inner; /* of a group: channels, numbers of a window */
    int32_t each, panels; /* of a group: results, panels of them */
    int32_t parts;        /* of a group: blocks of PANEL results */
    int64_t rows;
} layer;

/* --- Weights --------------------------------------------------------------------------------- */

/* Panels [begin, end) of all groups. */
static void conv_pack(void *object, int64_t begin, int64_t end)
{
    const layer *l = object;
    for (int64_t at = begin; at < end; at++) {
        const int32_t first = (int32_t)(at / l->panels) * l->each;
        const weights group = {.from = l->w + first,
                               .zeros = l->zeros + first,
                               .zero_step = 1,
                               .is_signed = l->a->filter_signed,
                               .inner = l->inner,
                               .columns = l->each,
                               .stride = l->a->out_c};
        pack_panel(&group, (int32_t)(at % l->panels) * COLUMNS,
                   l->packed + at * pairs_of(l->inner) * EACH);
    }
}

/* --- Windows --------------------------------------------------------------------------------- */

/* The pixel at (y, x) of image b; NULL in the padding. */
static const uint8_t *pixel(const layer *l, int64_t b, int64_t y, int64_t x)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const bool is_inside = y >= 0 && y < a->in_h && x >= 0 && x < a->in_w;
    return is_inside ? l->x + ((b * a->in_h + y) * a->in_w + x) * a->in_c : NULL;
}

static inline void take_unsigned(const uint8_t *from, int32_t count, uint32_t flip, uint8_t *to)
{
    for (int32_t i = 0; i < count; i++) {
        to[i] = (uint8_t)(from[i] ^ flip);
    }
}

/* Numbers [first, last) of the window of result pixel `row`, for one group: int16 less their zero
 * point, or bytes without a sign. */
static inline void gather(const layer *l, int64_t row, int32_t group, int32_t first, int32_t last,
                          bool is_bytes, void *out)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const int64_t b = row / a->out_w / a->out_h;
    const int64_t y = row / a->out_w % a->out_h * a->stride_h - a->before_h;
    const int64_t x = row % a->out_w * a->stride_w - a->before_w;
    const uint32_t flip = a->input_signed != 0 ? 128U : 0U;
    const int32_t less = a->input_zero + (int32_t)flip;
    int16_t *numbers = out;
    uint8_t *bytes = out;
    for (int32_t k = first; k < last;) {
        const int32_t tap = k / l->depth, d = k % l->depth;
        const int32_t left = last - k, n = l->depth - d < left ? l->depth - d : left;
        const uint8_t *from = pixel(l, b, y + (int64_t)(tap / a->filter_w) * a->dilation_h,
                                    x + (int64_t)(tap % a->filter_w) * a->dilation_w);
        if (from != NULL && is_bytes) {
            take_unsigned(from + group * l->depth + d, n, flip, bytes + k - first);
        } else if (from != NULL) {
            take_bytes(from + group * l->depth + d, n, flip, less, numbers + k - first);
        } else if (is_bytes) {
            memset(bytes + k - first, less, (size_t)n);
        } else {
            memset(numbers + k - first, 0, (size_t)n * sizeof *numbers);
        }
        k += n;
    }
}

/* `count` results from channel `first` of pixel `row` on. */
static void conv_store(const layer *l, int64_t row, int32_t first, int32_t count,
                       const int32_t *sums)
{
    const ending e = {l->a->output, l->a->output_zero, l->a->low,
                      l->a->high,   l->bias + first,   l->multipliers + first};
    store_results(&e, sums, count, l->output, row * l->a->out_c + first);
}

/* --- Layers ---------------------------------------------------------------------------------- */

/* The sums of `lines` pixels from `row` on, channels [first, first + count) of a group. */
static void number_sums(const layer *l, int64_t row, int32_t lines, int32_t group, int32_t first,
                        int32_t count, block *b)
{
    const int32_t pairs = pairs_of(l->inner);
    const int16_t *panels =
        l->packed + ((int64_t)group * l->panels + first / COLUMNS) * pairs * EACH;
    clear_sums(b, lines);
    for (int32_t k = 0; k < l->inner; k += CHUNK) {
        const int32_t end = l->inner - k < CHUNK ? l->inner : k + CHUNK;
        for (int32_t r = 0; r < lines; r++) {
            gather(l, row + r, group, k, end, false, b->numbers + r * CHUNK);
        }
        add_products(b, lines, end - k, panels, pairs, k / 2, count);
    }
}

#ifdef ORIBI_QLINEAR_BYTES
static void byte_sums(const layer *l, int64_t row, int32_t lines, int32_t group, int32_t first,
                      int32_t count, block *b)
{
    const int32_t fours = fours_of(l->inner);
    const int64_t panel = (int64_t)group * l->panels + first / COLUMNS;
    const int32_t zero = l->a->input_zero + (l->a->input_signed != 0 ? 128 : 0);
    uint8_t *numbers = (uint8_t *)b->numbers;
    begin_sums(b, lines, zero, l->totals + panel * COLUMNS, panels_of(count) * COLUMNS);
    for (int32_t k = 0; k < l->inner; k += BYTE_CHUNK) {
        const int32_t end = l->inner - k < BYTE_CHUNK ? l->inner : k + BYTE_CHUNK;
        for (int32_t r = 0; r < lines; r++) {
            gather(l, row + r, group, k, end, true, numbers + r * BYTE_CHUNK);
        }
        add_byte_products(b, lines, end - k, l->bytes + panel * fours * FOURS, fours, k / 4, count);
    }
}

/* Weights of the model as bytes; false: they are packed as int16. */
static bool conv_pack_bytes(oribi_kit_setup *setup, conv_state *state, const layer *l)
{
    const int64_t panels = (int64_t)l->a->groups * l->panels;
    const int64_t bytes = byte_count(l->inner, l->each);
    int64_t size = 0;
    if (__builtin_mul_overflow(bytes, (int64_t)l->a->groups, &size) ||
        (state->bytes = calloc(1, (size_t)size)) == NULL ||
        (state->totals = calloc((size_t)panels * COLUMNS, sizeof *state->totals)) == NULL) {
        return !oribi_kit_setup_fail(setup, TF_RESOURCE_EXHAUSTED, "no memory for packed weights");
    }
    bool fits = true;
    for (int32_t group = 0; fits && group < l->a->groups; group++) {
        const weights w = {.from = l->w + (int64_t)group * l->each,
                           .zeros = l->zeros + (int64_t)group * l->each,
                           .zero_step = 1,
                           .is_signed = l->a->filter_signed,
                           .inner = l->inner,
                           .columns = l->each,
                           .stride = l->a->out_c};
        fits = pack_bytes(&w, state->bytes + group * bytes,
                          state->totals + (int64_t)group * l->panels * COLUMNS);
    }
    if (!fits) {
        free(state->bytes);
        free(state->totals);
        state->bytes = NULL;
        state->totals = NULL;
    }
    return fits;
}
#else
#define byte_sums number_sums /* no layer has bytes */
static bool conv_pack_bytes(oribi_kit_setup *setup, conv_state *state, const layer *l)
{
    (void)setup;
    (void)state;
    (void)l;
    return false;
}
#endif

/* `lines` pixels from `row` on, channels [first, first + count) of a group. */
static void conv_block(const layer *l, int64_t row, int32_t lines, int32_t group, int32_t first,
                       int32_t count)
{
    block b;
    (l->bytes != NULL ? byte_sums : number_sums)(l, row, lines, group, first, count, &b);
    for (int32_t r = 0; r < lines; r++) {
        conv_store(l, row + r, group * l->each + first, count, b.sums + r * PANEL);
    }
}

/* A unit is a block: some pixels, and some channels of a group. */
static void run_blocks(void *object, int64_t begin, int64_t end)
{
    const layer *l = object;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t row = unit / l->parts / l->a->groups * LINES, left = l->rows - row;
        const int32_t group = (int32_t)(unit / l->parts % l->a->groups);
        const int32_t first = (int32_t)(unit % l->parts) * PANEL;
        conv_block(l, row, left < LINES ? (int32_t)left : LINES, group, first,
                   l->each - first < PANEL ? l->each - first : PANEL);
    }
}

/* One channel in, one out: weights less their zero points, [taps][channels]. */
static void pack_depthwise(const layer *l)
{
    const int32_t channels = l->a->out_c;
    for (int32_t tap = 0; tap < l->inner; tap++) {
        const uint8_t *from = l->w + (int64_t)tap * channels;
        int16_t *to = l->packed + (int64_t)tap * channels;
        for (int32_t c = 0; c < channels; c++) {
            to[c] = (int16_t)(oribi_micro_qlinear_get(from, c, l->a->filter_signed) - l->zeros[c]);
        }
    }
}

static void add_tap(int32_t *acc, const uint8_t *x, const int16_t *w, int32_t count, uint32_t flip,
                    int32_t less)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t product = ((int32_t)(x[i] ^ flip) - less) * w[i];
        acc[i] = (int32_t)((uint32_t)acc[i] + (uint32_t)product);
    }
}

static void depthwise_pixel(const layer *l, int64_t row)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const uint32_t flip = a->input_signed != 0 ? 128U : 0U;
    const int64_t b = row / a->out_w / a->out_h;
    const int64_t y = row / a->out_w % a->out_h * a->stride_h - a->before_h;
    const int64_t x = row % a->out_w * a->stride_w - a->before_w;
    for (int32_t c = 0; c < a->out_c; c += PANEL) {
        int32_t acc[PANEL] = {0};
        const int32_t count = a->out_c - c < PANEL ? a->out_c - c : PANEL;
        for (int32_t tap = 0; tap < l->inner; tap++) {
            const uint8_t *from = pixel(l, b, y + (int64_t)(tap / a->filter_w) * a->dilation_h,
                                        x + (int64_t)(tap % a->filter_w) * a->dilation_w);
            if (from != NULL) {
                add_tap(acc, from + c, l->packed + (int64_t)tap * a->out_c + c, count, flip,
                        a->input_zero + (int32_t)flip);
            }
        }
        conv_store(l, row, c, count, acc);
    }
}

static void run_depthwise(void *object, int64_t begin, int64_t end)
{
    const layer *l = object;
    const int64_t last = end * LINES < l->rows ? end * LINES : l->rows;
    for (int64_t row = begin * LINES; row < last; row++) {
        depthwise_pixel(l, row);
    }
}

/* --- Few rows: packing would cost as much as computing ---------------------------------------- */

static void add_row(int32_t *acc, const uint8_t *w, const int32_t *zeros, int32_t count,
                    uint32_t flip, int32_t x)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t product = x * ((int32_t)(w[i] ^ flip) - (int32_t)flip - zeros[i]);
        acc[i] = (int32_t)((uint32_t)acc[i] + (uint32_t)product);
    }
}

/* Panels [begin, end) of the channels of each row, of one group. */
static void run_few(void *object, int64_t begin, int64_t end)
{
    const layer *l = object;
    const uint32_t flip = l->a->filter_signed != 0 ? 128U : 0U;
    for (int64_t at = begin; at < end; at++) {
        const int32_t first = (int32_t)at * PANEL;
        const int32_t count = l->each - first < PANEL ? l->each - first : PANEL;
        for (int64_t row = 0; row < l->rows; row++) {
            int16_t window[CHUNK];
            int32_t acc[PANEL] = {0};
            for (int32_t k = 0; k < l->inner; k += CHUNK) {
                const int32_t last = l->inner - k < CHUNK ? l->inner : k + CHUNK;
                gather(l, row, 0, k, last, false, window);
                for (int32_t i = k; i < last; i++) {
                    add_row(acc, l->w + (int64_t)i * l->a->out_c + first, l->zeros + first, count,
                            flip, window[i - k]);
                }
            }
            conv_store(l, row, first, count, acc);
        }
    }
}

/* --- The kernel ------------------------------------------------------------------------------ */

static bool conv_run_depthwise(oribi_kit_run *run, layer *l, int64_t units, int64_t cost)
{
    TF_Tensor *tensor = NULL;
    l->packed = oribi_kit_scratch(run, (int64_t)l->inner * l->a->out_c * 2, &tensor);
    if (l->packed == NULL) {
        return false;
    }
    pack_depthwise(l);
    oribi_kit_parallel(run, units, cost, l, run_depthwise);
    TF_DeleteTensor(tensor);
    return true;
}

static bool conv_layer(oribi_kit_run *run, layer *l)
{
    enum { PER_CYCLE = 16 };
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const int64_t units = (l->rows + LINES - 1) / LINES;
    const int64_t cost = (int64_t)LINES * l->inner * a->out_c / PER_CYCLE;
    TF_Tensor *tensor = NULL;
    if (a->groups == a->in_c && a->groups == a->out_c) {
        return conv_run_depthwise(run, l, units, cost);
    }
    const bool is_packed = l->packed != NULL || l->bytes != NULL;
    if (!is_packed && l->rows < ROWS && a->groups == 1) {
        oribi_kit_parallel(run, l->parts, l->rows * l->inner * PANEL / 4, l, run_few);
        return true;
    }
    if (!is_packed) {
        l->packed =
            oribi_kit_scratch(run, a->groups * packed_count(l->inner, l->each) * 2, &tensor);
        if (l->packed == NULL) {
            return false;
        }
        oribi_kit_parallel(run, (int64_t)a->groups * l->panels, (int64_t)l->inner * COLUMNS, l,
                           conv_pack);
    }
    const int64_t parts = (int64_t)a->groups * l->parts;
    oribi_kit_parallel(run, units * parts, cost / parts, l, run_blocks);
    if (tensor != NULL) {
        TF_DeleteTensor(tensor);
    }
    return true;
}

static void conv_sizes(layer *l)
{
    l->depth = l->a->in_c / l->a->groups;
    l->inner = l->a->filter_h * l->a->filter_w * l->depth; /* a filter's elements fit an int32 */
    l->each = l->a->out_c / l->a->groups;
    l->panels = panels_of(l->each);
    l->parts = (l->each + PANEL - 1) / PANEL;
}

static bool conv_run(const conv_state *state, oribi_kit_run *run)
{
    struct oribi_micro_qlinear_conv2d_args args;
    if (!oribi_qlinear_fill(&state->layer, run, &args)) {
        return false;
    }
    const int64_t dims[4] = {args.batch, args.out_h, args.out_w, args.out_c};
    layer l = {.a = &args,
               .x = TF_TensorData(run->in[0]),
               .w = TF_TensorData(run->in[1]),
               .bias = TF_TensorData(run->in[2]),
               .zeros = TF_TensorData(run->in[3]),
               .multipliers = TF_TensorData(run->in[4]),
               .packed = state->groups == args.groups ? state->packed : NULL,
               .bytes = state->groups == args.groups ? state->bytes : NULL,
               .totals = state->totals,
               .rows = dims[0] * dims[1] * dims[2]};
    l.output = oribi_kit_output(run, 0, dims, 4);
    if (l.output == NULL || l.rows == 0) {
        return l.output != NULL;
    }
    conv_sizes(&l);
    return conv_layer(run, &l);
}
ORIBI_KIT_COMPUTE(conv, 5)

/* Weights of the model, packed once; the other kinds are packed in each run. */
static void conv_pack_constants(oribi_kit_setup *setup, conv_state *state,
                                const oribi_qlinear_constants *constants)
{
    const int64_t *filter = constants->view.dims;
    int64_t in[4];
    const bool is_known = TF_OpKernelConstruction_InputShape(setup->construction, 0, in, 4) == 4 &&
                          in[3] > 0 && in[3] <= INT32_MAX && in[3] % filter[2] == 0 &&
                          filter[3] <= INT32_MAX && filter[3] % (in[3] / filter[2]) == 0 &&
                          constants->n_zeros == filter[3] &&
                          filter[0] * filter[1] <= INT32_MAX / filter[2] / filter[3];
    if (!is_known || (filter[2] == 1 && in[3] == filter[3])) {
        return;
    }
    const struct oribi_micro_qlinear_conv2d_args args = {.in_c = (int32_t)in[3],
                                                         .out_c = (int32_t)filter[3],
                                                         .filter_h = (int32_t)filter[0],
                                                         .filter_w = (int32_t)filter[1],
                                                         .groups = (int32_t)(in[3] / filter[2]),
                                                         .filter_signed =
                                                             state->layer.filter == TF_INT8};
    layer l = {.a = &args, .w = constants->view.data, .zeros = constants->zeros};
    conv_sizes(&l);
    state->groups = args.groups;
    if (!conv_pack_bytes(setup, state, &l)) {
        l.packed = packed_allocate(setup, args.groups, l.inner, l.each);
        if (l.packed != NULL) {
            conv_pack(&l, 0, (int64_t)args.groups * l.panels);
        }
        state->packed = l.packed;
    }
    packed_done(setup, &constants->view);
}

static void conv_read(oribi_kit_setup *setup, conv_state *state)
{
    oribi_qlinear_constants constants;
    oribi_qlinear_read(setup, &state->layer);
    if (oribi_qlinear_constants_take(setup, state->layer.filter, 4, &constants)) {
        conv_pack_constants(setup, state, &constants);
        free(constants.zeros);
    }
}
ORIBI_KIT_CREATE(conv, conv_state)

static void conv_destroy(void *object)
{
    conv_state *state = object;
    if (state != NULL) {
        free(state->packed);
        free(state->bytes);
        free(state->totals);
    }
    oribi_kit_free(state);
}

#endif
