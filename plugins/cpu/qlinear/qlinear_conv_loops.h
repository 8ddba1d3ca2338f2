/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearConv2D by panels (qlinear_panels.h): a pixel's window is a line of `inner` numbers.
 * Depthwise layers go by themselves. */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_CONV_LOOPS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_CONV_LOOPS_H_

#include "cpu/qlinear/qlinear_kernels.h"
#include "cpu/qlinear/qlinear_panels.h"

typedef struct conv_state {
    oribi_qlinear_state layer;
    weight *packed; /* constant weights, else NULL */
    int32_t groups; /* that they were packed for */
} conv_state;

typedef struct layer {
    const struct oribi_micro_qlinear_conv2d_args *a;
    const uint8_t *x, *w;
    const int32_t *bias, *zeros;
    const float *multipliers;
    void *output;
    weight *packed;
    int16_t *taps;        /* depthwise: weights less their zero points, [taps][channels] */
    bool has_row_part;    /* qlinear_quads.h */
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
                   panel_place(l->packed, at, (int64_t)l->a->groups * l->panels, l->inner));
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

static void fill_with(number value, int32_t count, number *to)
{
    for (int32_t i = 0; i < count; i++) {
        to[i] = value;
    }
}

/* Where the window of a result begins: perhaps in the padding. */
typedef struct place {
    int64_t image, y, x;
} place;

static place place_of(const layer *l, int64_t row)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const int64_t line = row / a->out_w;
    return (place){line / a->out_h, line % a->out_h * a->stride_h - a->before_h,
                   (row - line * a->out_w) * a->stride_w - a->before_w};
}

/* The place of the result behind. */
static void step_place(const layer *l, place *at)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    at->x += a->stride_w;
    if (at->x + a->before_w == (int64_t)a->out_w * a->stride_w) {
        at->x = -(int64_t)a->before_w;
        at->y += a->stride_h;
    }
    if (at->y + a->before_h == (int64_t)a->out_h * a->stride_h) {
        at->y = -(int64_t)a->before_h;
        at->image++;
    }
}

/* Numbers [first, last) of the window at a place, for one group. Taps of a row whose channels lie
 * side by side are one run. */
static void gather(const layer *l, const place *at, int32_t group, int32_t first, int32_t last,
                   number *to)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const uint32_t flip = a->input_signed != 0 ? 128U : 0U;
    const bool is_row =
        a->groups == 1 && a->dilation_w == 1 && at->x >= 0 && at->x + a->filter_w <= a->in_w;
    const int32_t taps = is_row ? a->filter_w : 1, run = taps * l->depth;
    int32_t y = first / run / (a->filter_w / taps), x = first / run % (a->filter_w / taps);
    for (int32_t k = first, d = first % run; k < last; d = 0) {
        const int32_t left = last - k, n = run - d < left ? run - d : left;
        const uint8_t *from = pixel(l, at->image, at->y + (int64_t)y * a->dilation_h,
                                    at->x + (int64_t)x * a->dilation_w);
        if (from != NULL) {
            take_bytes(from + group * l->depth + d, n, flip, a->input_zero, to);
        } else {
            fill_with((number)zero_number(flip, a->input_zero), n, to);
        }
        to += n;
        k += n;
        if (++x == a->filter_w / taps) {
            x = 0;
            y++;
        }
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

/* `lines` pixels from `row` on, channels [first, first + count) of a group. */
static void conv_block(const layer *l, int64_t row, int32_t lines, int32_t group, int32_t first,
                       int32_t count)
{
    const packed_panels of = {l->packed, (int64_t)group * l->panels + first / COLUMNS, l->inner};
    const int32_t channel = group * l->each + first;
    place at[LINES];
    block b;
    at[0] = place_of(l, row);
    for (int32_t r = 1; r < lines; r++) {
        at[r] = at[r - 1];
        step_place(l, &at[r]);
    }
    begin_block(&b, lines, l->has_row_part);
    begin_columns(&b, &of, zero_number(l->a->input_signed != 0 ? 128U : 0U, l->a->input_zero),
                  l->bias + channel, count);
    for (int32_t k = 0; k < l->inner; k += CHUNK) {
        const int32_t end = l->inner - k < CHUNK ? l->inner : k + CHUNK;
        for (int32_t r = 0; r < lines; r++) {
            gather(l, &at[r], group, k, end, b.numbers + r * CHUNK);
        }
        add_products(&b, lines, end - k, &of, k, count);
    }
    end_block(&b, lines, &of, count);
    const ending e = {l->a->output, l->a->output_zero, l->a->low,
                      l->a->high,   b.offsets,         l->multipliers + channel};
    for (int32_t r = 0; r < lines; r++) {
        store_results(&e, b.sums + r * PANEL, count, l->output, (row + r) * l->a->out_c + channel);
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

/* One channel in, one out. */
static void pack_depthwise(const layer *l)
{
    const int32_t channels = l->a->out_c;
    for (int32_t tap = 0; tap < l->inner; tap++) {
        const uint8_t *from = l->w + (int64_t)tap * channels;
        int16_t *to = l->taps + (int64_t)tap * channels;
        for (int32_t c = 0; c < channels; c++) {
            to[c] = (int16_t)(oribi_micro_qlinear_get(from, c, l->a->filter_signed) - l->zeros[c]);
        }
    }
}

/* Windows are looked up for MOST_TAPS taps at a time. */
enum { MOST_TAPS = 64 };

/* Taps [first, first + n) of the window at a place. */
static void find_taps(const layer *l, const place *at, int32_t first, int32_t n,
                      const uint8_t **from)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    int32_t y = first / a->filter_w, x = first % a->filter_w;
    for (int32_t i = 0; i < n; i++) {
        from[i] = pixel(l, at->image, at->y + (int64_t)y * a->dilation_h,
                        at->x + (int64_t)x * a->dilation_w);
        if (++x == a->filter_w) {
            x = 0;
            y++;
        }
    }
}

/* `count` sums of taps [first, first + n), whose bytes are known, from channel c on. */
static void sum_channels(const layer *l, const uint8_t *const *from, int32_t first, int32_t n,
                         int32_t c, int32_t count, int32_t *sums)
{
    const uint32_t flip = l->a->input_signed != 0 ? 128U : 0U;
    const tap_list taps = {.from = from,
                           .at = c,
                           .weights = l->taps + (int64_t)first * l->a->out_c + c,
                           .step = l->a->out_c,
                           .n = n,
                           .less = l->a->input_zero + (int32_t)flip,
                           .flip = flip};
    int32_t more[PANEL];
    add_taps(&taps, count, first == 0 ? sums : more);
    for (int32_t i = 0; first > 0 && i < count; i++) {
        sums[i] = (int32_t)((uint32_t)sums[i] + (uint32_t)more[i]);
    }
}

/* All channels of a pixel whose taps are known, or are looked up a few at a time. */
static void depthwise_pixel(const layer *l, int64_t row, const place *at, const uint8_t **from)
{
    const int32_t channels = l->a->out_c;
    for (int32_t c = 0; c < channels; c += PANEL) {
        int32_t sums[PANEL];
        const int32_t count = channels - c < PANEL ? channels - c : PANEL;
        for (int32_t tap = 0; tap < l->inner; tap += MOST_TAPS) {
            const int32_t left = l->inner - tap, n = left < MOST_TAPS ? left : MOST_TAPS;
            if (l->inner > MOST_TAPS) {
                find_taps(l, at, tap, n, from);
            }
            sum_channels(l, from, tap, n, c, count, sums);
        }
        conv_store(l, row, c, count, sums);
    }
}

/* Does the window lie within the columns of the image? */
static bool is_between(const layer *l, const place *at)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    return at->x >= 0 && at->x + (int64_t)(a->filter_w - 1) * a->dilation_w < a->in_w;
}

static void run_depthwise(void *object, int64_t begin, int64_t end)
{
    const layer *l = object;
    const int64_t last = end * LINES < l->rows ? end * LINES : l->rows;
    const int64_t step = (int64_t)l->a->stride_w * l->a->in_c;
    const uint8_t *from[MOST_TAPS];
    place at = place_of(l, begin * LINES), before = {-1, 0, 0};
    for (int64_t row = begin * LINES; row < last; row++) {
        const bool is_next = before.image == at.image && before.y == at.y &&
                             is_between(l, &before) && is_between(l, &at);
        for (int32_t i = 0; is_next && i < l->inner && i < MOST_TAPS; i++) {
            from[i] = from[i] != NULL ? from[i] + step : NULL;
        }
        if (!is_next && l->inner <= MOST_TAPS) {
            find_taps(l, &at, 0, l->inner, from);
        }
        depthwise_pixel(l, row, &at, from);
        before = at;
        step_place(l, &at);
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
    const int32_t nothing = zero_number(l->a->input_signed != 0 ? 128U : 0U, l->a->input_zero);
    for (int64_t at = begin; at < end; at++) {
        const int32_t first = (int32_t)at * PANEL;
        const int32_t count = l->each - first < PANEL ? l->each - first : PANEL;
        for (int64_t row = 0; row < l->rows; row++) {
            const place window_at = place_of(l, row);
            number window[CHUNK];
            int32_t acc[PANEL] = {0};
            for (int32_t k = 0; k < l->inner; k += CHUNK) {
                const int32_t last = l->inner - k < CHUNK ? l->inner : k + CHUNK;
                gather(l, &window_at, 0, k, last, window);
                for (int32_t i = k; i < last; i++) {
                    add_row(acc, l->w + (int64_t)i * l->a->out_c + first, l->zeros + first, count,
                            flip, (int32_t)window[i - k] - nothing);
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
    l->taps = oribi_kit_scratch(run, (int64_t)l->inner * l->a->out_c * 2, &tensor);
    if (l->taps == NULL) {
        return false;
    }
    pack_depthwise(l);
    oribi_kit_parallel(run, units, cost, l, run_depthwise);
    TF_DeleteTensor(tensor);
    return true;
}

static bool conv_layer(oribi_kit_run *run, layer *l)
{
    enum { PER_CYCLE = 8 * GROUP };
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const int64_t units = (l->rows + LINES - 1) / LINES;
    const int64_t cost = (int64_t)LINES * l->inner * a->out_c / PER_CYCLE;
    TF_Tensor *tensor = NULL;
    if (a->groups == a->in_c && a->groups == a->out_c) {
        return conv_run_depthwise(run, l, units, cost);
    }
    if (l->packed == NULL && l->rows < ROWS && a->groups == 1) {
        oribi_kit_parallel(run, l->parts, l->rows * l->inner * PANEL / 4, l, run_few);
        return true;
    }
    if (l->packed == NULL) {
        l->packed = packed_scratch(run, (int64_t)a->groups * l->panels, l->inner, &tensor);
        if (l->packed == NULL) {
            return false;
        }
        oribi_kit_parallel(run, (int64_t)a->groups * l->panels, (int64_t)l->inner * COLUMNS, l,
                           conv_pack);
    }
    l->has_row_part = has_row_part(l->zeros, a->out_c, a->filter_signed);
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
    layer l = {.a = &args, .w = constants->bytes, .zeros = constants->zeros};
    conv_sizes(&l);
    const int64_t n = (int64_t)args.groups * l.panels;
    l.packed = packed_allocate(setup, n, l.inner);
    if (l.packed != NULL) {
        conv_pack(&l, 0, n);
        l.packed = packed_done(setup, &constants->view, l.packed, n, l.inner);
    }
    state->packed = l.packed;
    state->groups = args.groups;
}

static void conv_read(oribi_kit_setup *setup, conv_state *state)
{
    oribi_qlinear_constants constants;
    oribi_qlinear_read(setup, &state->layer);
    if (oribi_qlinear_constants_take(setup, state->layer.filter, 4, &constants)) {
        conv_pack_constants(setup, state, &constants);
        oribi_qlinear_constants_free(&constants);
    }
}
ORIBI_KIT_CREATE(conv, conv_state)

static void conv_destroy(void *object)
{
    conv_state *state = object;
    if (state != NULL) {
        free(state->packed);
    }
    oribi_kit_free(state);
}

#endif
