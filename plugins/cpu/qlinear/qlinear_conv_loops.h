/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearConv2D by panels (qlinear_panels.h): a pixel's window is a line of `inner` numbers.
 * Depthwise layers: qlinear_depthwise_loops.h. */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_CONV_LOOPS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_CONV_LOOPS_H_

#include "cpu/qlinear/qlinear_depthwise_loops.h"
#include "cpu/qlinear/qlinear_rolled.h"
#include "cpu/qlinear/qlinear_windows.h"

typedef struct conv_state {
    oribi_qlinear_state layer;
    weight *packed; /* constant weights, else NULL */
    int32_t groups; /* that they were packed for */
    void *taps;     /* of a depthwise layer (packed_taps), else NULL */
} conv_state;

/* --- Weights --------------------------------------------------------------------------------- */

static const int32_t no_zero = 0;

/* Panels [begin, end) of all groups. */
static void conv_pack(void *object, int64_t begin, int64_t end)
{
    const layer *l = object;
    for (int64_t at = begin; at < end; at++) {
        const int32_t first = (int32_t)(at / l->panels) * l->each;
        const weights group = {.from = l->w + first,
                               .zeros = l->zeros != NULL ? l->zeros + first : &no_zero,
                               .zero_step = l->zeros != NULL ? 1 : 0,
                               .is_signed = l->a->filter_signed,
                               .inner = l->inner,
                               .columns = l->each,
                               .stride = l->a->out_c,
                               .is_layer = true};
        pack_panel(&group, (int32_t)(at % l->panels) * COLUMNS,
                   panel_place(l->packed, at, (int64_t)l->a->groups * l->panels, l->inner));
    }
}

/* --- Layers ---------------------------------------------------------------------------------- */

/* Products of a chunk with a panel, and behind the last chunk results: `count` channels from
 * `channel` on of the block's pixels, the first of which is `row`. */
static void conv_panel(const layer *l, block *b, const weight *panel, int64_t row, int32_t channel,
                       int32_t count, const int32_t *begins, int32_t *sums)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const bool is_last = l->inner - b->at <= CHUNK;
    b->count = count;
    if (is_last && ends_at_once(l) && !b->has_totals && (count == COLUMNS || ENDS_PARTS != 0)) {
        const ending e = ending_from(l, channel);
        const int64_t width = width_of(a->output), step = a->out_c * width;
        const panel_end end = {&e, (uint8_t *)l->output + row * step + channel * width, step};
        add_panel(b, panel, l->inner, begins, sums, &end);
        return;
    }
    add_panel(b, panel, l->inner, begins, sums, NULL);
    if (is_last) {
        end_panel(b, panel, sums);
        conv_store(l, row, b->lines, channel, count, sums);
    }
}

/* `lines` pixels from `row` on, channels [first, first + count) of a group. */
static void conv_block(const layer *l, int64_t row, int32_t lines, int32_t group, int32_t first,
                       int32_t count)
{
    const int64_t panels = (int64_t)group * l->panels + first / COLUMNS;
    const packed_panels of = {l->packed, panels, l->inner, l->panels - first / COLUMNS};
    const int32_t *begins = l->begins + panels * COLUMNS;
    block b;
    begin_block(&b, lines, l->has_row_part);
    b.ready = l->is_direct ? lines / rows_of(lines) * rows_of(lines) : 0;
    b.step = l->a->in_c;
    b.base = base_of(zero_number(l->a->input_signed != 0 ? 128U : 0U, l->a->input_zero));
    for (int32_t k = 0; k < l->inner; k += CHUNK) {
        const int32_t end = l->inner - k < CHUNK ? l->inner : k + CHUNK;
        b.from = (const number *)(const void *)(l->x + row * l->a->in_c + k);
        for (int32_t r = b.ready, n; r < lines; r += n) {
            const place at = place_of(l, row + r);
            n = windows_inside(l, &at, lines - r);
            if (n > 0) {
                gather_inside(l, &at, group, n, b.numbers + r * CHUNK);
            } else {
                gather(l, &at, group, k, end, b.numbers + r * CHUNK);
                n = 1;
            }
        }
        begin_chunk(&b, k, end - k);
        for (int32_t c = 0; c < count; c += COLUMNS) {
            b.ahead = next_part(&of, c, count, k);
            conv_panel(l, &b, panel_of(&of, c), row, group * l->each + first + c,
                       count - c < COLUMNS ? count - c : COLUMNS, begins + c, sums_of(&b, c));
        }
    }
}

/* Is less read again if a part of the channels meets all pixels before the next one does? Else some
 * pixels meet all channels first. */
static bool is_part_by_part(const layer *l)
{
    const int64_t lots = (l->rows + LINES - 1) / LINES, parts = (int64_t)l->a->groups * l->parts;
    const int64_t filters = (int64_t)l->inner * l->a->out_c, image = l->rows * l->a->in_c;
    return filters * (lots - 1) > image * (parts - 1);
}

/* A unit is a block: some pixels, and some channels of a group. */
static void run_blocks(void *object, int64_t begin, int64_t end)
{
    const layer *l = object;
    const int64_t lots = (l->rows + LINES - 1) / LINES, parts = (int64_t)l->a->groups * l->parts;
    const bool by_part = is_part_by_part(l);
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t row = (by_part ? unit % lots : unit / parts) * LINES, left = l->rows - row;
        const int64_t part = by_part ? unit / lots : unit % parts;
        const int32_t group = (int32_t)(part / l->parts);
        const int32_t first = (int32_t)(part % l->parts) * PANEL;
        conv_block(l, row, left < LINES ? (int32_t)left : LINES, group, first,
                   l->each - first < PANEL ? l->each - first : PANEL);
    }
}

/* What sums of panels [begin, end) begin with. */
static void begin_panels(void *object, int64_t begin, int64_t end)
{
    const layer *l = object;
    const int32_t zero = zero_number(l->a->input_signed != 0 ? 128U : 0U, l->a->input_zero);
    for (int64_t at = begin; at < end; at++) {
        const int32_t first = (int32_t)(at % l->panels) * COLUMNS, left = l->each - first;
        const int32_t *bias = l->bias != NULL ? l->bias + at / l->panels * l->each + first : NULL;
        begin_panel(panel_at(l->packed, at, l->inner), zero, bias, left < COLUMNS ? left : COLUMNS,
                    l->begins + at * COLUMNS);
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
            int32_t acc[PANEL];
            memcpy(acc, l->bias + first, (size_t)count * sizeof *acc);
            for (int32_t k = 0; k < l->inner; k += CHUNK) {
                const int32_t last = l->inner - k < CHUNK ? l->inner : k + CHUNK;
                gather(l, &window_at, 0, k, last, window);
                for (int32_t i = k; i < last; i++) {
                    add_row(acc, l->w + (int64_t)i * l->a->out_c + first, l->zeros + first, count,
                            flip, (int32_t)window[i - k] - nothing);
                }
            }
            conv_store(l, row, 1, first, count, acc);
        }
    }
}

/* --- The kernel ------------------------------------------------------------------------------ */

/* Memory that lasts as long as a run: what sums begin with, and for a depthwise layer weights,
 * where they are not packed yet, and pixels of the padding. */
static int64_t conv_scratch_bytes(const layer *l, bool is_depthwise)
{
    const int64_t channels = l->a->out_c, word = (int64_t)sizeof(int32_t);
    const int64_t taps = l->taps.weights == NULL ? taps_bytes(l->inner, channels) : 0;
    return is_depthwise ? channels * word + taps + l->a->in_w * channels
                        : (int64_t)l->a->groups * l->panels * COLUMNS * word;
}

/* The panels of weights that are not constant, and what sums begin with. False: failed. */
static bool conv_run_panels(oribi_kit_run *run, layer *l, int64_t units, int64_t cost)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const int64_t n = (int64_t)a->groups * l->panels, parts = (int64_t)a->groups * l->parts;
    TF_Tensor *tensor = NULL;
    if (l->packed == NULL) {
        l->packed = packed_scratch(run, n, l->inner, &tensor);
        if (l->packed == NULL) {
            return false;
        }
        oribi_kit_parallel(run, n, (int64_t)l->inner * COLUMNS, l, conv_pack);
    }
    l->has_row_part = l->zeros != NULL && has_row_part(l->zeros, a->out_c, a->filter_signed);
    l->is_direct = are_numbers(a->input_signed != 0 ? 128U : 0U) && a->groups == 1 &&
                   l->inner == a->in_c && a->in_c % GROUP == 0 && a->stride_h == 1 &&
                   a->stride_w == 1 && a->out_h == a->in_h && a->out_w == a->in_w &&
                   a->before_h == 0 && a->before_w == 0;
    oribi_kit_parallel(run, n, COLUMNS, l, begin_panels); /* a stopped run has packed nothing */
    if (!run_rolled(run, l)) {
        oribi_kit_parallel(run, units * parts, cost / parts, l, run_blocks);
    }
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
    find_runs(l);
}

static bool conv_layer(const conv_state *state, oribi_kit_run *run, layer *l)
{
    enum { PER_CYCLE = 8 * GROUP };
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    conv_sizes(l);
    const bool is_depthwise = a->groups == a->in_c && a->groups == a->out_c;
    const int64_t units = (l->rows + LINES - 1) / LINES;
    const int64_t cost = (int64_t)LINES * l->inner * a->out_c / PER_CYCLE;
    TF_Tensor *tensor = NULL;
    if (state->taps != NULL) {
        l->taps = taps_in(state->taps, l->inner, a->out_c);
    }
    if (!is_depthwise && l->packed == NULL && l->rows < ROWS && a->groups == 1 &&
        l->zeros != NULL) {
        oribi_kit_parallel(run, l->parts, l->rows * l->inner * PANEL / 4, l, run_few);
        return true;
    }
    l->begins = oribi_kit_scratch(run, conv_scratch_bytes(l, is_depthwise), &tensor);
    bool is_done = l->begins != NULL;
    if (is_done && is_depthwise) {
        conv_begin_depthwise(l);
        const int64_t lines = (int64_t)a->batch * a->out_h;
        oribi_kit_parallel(run, lines, (int64_t)a->out_w * l->inner * a->out_c / GROUP / 2, l,
                           run_depthwise);
    } else if (is_done) {
        is_done = conv_run_panels(run, l, units, cost);
    }
    if (tensor != NULL) {
        TF_DeleteTensor(tensor);
    }
    return is_done;
}

/* What all layers have: the output is made. False: failed. */
static bool conv_begin(const conv_state *state, oribi_kit_run *run,
                       struct oribi_micro_qlinear_conv2d_args *args, layer *l)
{
    if (!oribi_qlinear_fill(&state->layer, run, args)) {
        return false;
    }
    const int64_t dims[4] = {args->batch, args->out_h, args->out_w, args->out_c};
    *l = (layer){.a = args,
                 .x = TF_TensorData(run->in[0]),
                 .w = TF_TensorData(run->in[1]),
                 .packed = state->groups == args->groups ? state->packed : NULL,
                 .rows = dims[0] * dims[1] * dims[2]};
    l->output = oribi_kit_output(run, 0, dims, 4);
    return l->output != NULL;
}

static bool conv_run(const conv_state *state, oribi_kit_run *run)
{
    struct oribi_micro_qlinear_conv2d_args args;
    layer l;
    if (!conv_begin(state, run, &args, &l) || l.rows == 0) {
        return oribi_kit_is_ok(run);
    }
    l.bias = TF_TensorData(run->in[2]);
    l.zeros = TF_TensorData(run->in[3]);
    l.multipliers = TF_TensorData(run->in[4]);
    return conv_layer(state, run, &l);
}
ORIBI_KIT_COMPUTE(conv, 5)

/* A depthwise layer's weights, packed once. */
static void conv_pack_taps(oribi_kit_setup *setup, conv_state *state, const layer *l)
{
    state->taps = malloc((size_t)taps_bytes(l->inner, l->a->out_c));
    if (state->taps == NULL) {
        (void)packed_fail(setup);
        return;
    }
    const packed_taps to = taps_in(state->taps, l->inner, l->a->out_c);
    pack_taps(l, &to);
}

/* Weights of the model, packed once; the other kinds are packed in each run. */
static void conv_pack_constants(oribi_kit_setup *setup, conv_state *state,
                                const oribi_qlinear_constants *constants)
{
    const int64_t *filter = constants->view.dims;
    int64_t in[4];
    const bool is_known = TF_OpKernelConstruction_InputShape(setup->construction, 0, in, 4) == 4 &&
                          in[3] > 0 && in[3] <= INT32_MAX && in[3] % filter[2] == 0 &&
                          filter[3] <= INT32_MAX && filter[3] % (in[3] / filter[2]) == 0 &&
                          (constants->zeros == NULL || constants->n_zeros == filter[3]) &&
                          filter[0] * filter[1] <= INT32_MAX / filter[2] / filter[3];
    if (!is_known) {
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
    if (filter[2] == 1 && in[3] == filter[3]) {
        conv_pack_taps(setup, state, &l);
        return;
    }
    const int64_t n = (int64_t)args.groups * l.panels;
    l.packed = packed_allocate(setup, n, l.inner);
    if (l.packed != NULL) {
        conv_pack(&l, 0, n);
        l.packed = packed_done(setup, &constants->view, l.packed, n, l.inner);
    }
    state->packed = l.packed;
    state->groups = args.groups;
}

/* zeros: the input of the filter's zero points; -1: there are none. */
static void conv_take_constants(oribi_kit_setup *setup, conv_state *state, int zeros)
{
    oribi_qlinear_constants constants;
    if (oribi_qlinear_constants_take(setup, state->layer.filter, 4, zeros, &constants)) {
        conv_pack_constants(setup, state, &constants);
        oribi_qlinear_constants_free(&constants);
    }
}

static void conv_read(oribi_kit_setup *setup, conv_state *state)
{
    oribi_qlinear_read(setup, &state->layer);
    conv_take_constants(setup, state, 3);
}
ORIBI_KIT_CREATE(conv, conv_state)

static void conv_destroy(void *object)
{
    conv_state *state = object;
    if (state != NULL) {
        free(state->packed);
        free(state->taps);
    }
    oribi_kit_free(state);
}

#endif
