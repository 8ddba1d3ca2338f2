/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QConv2D by micro/'s kernel, in parallel over rows of the result: a row is the layer with
 * another padding above. Layers of one group also by vectors, with the same results. Read next:
 * quantized_panels.h.
 */
#include "cpu/quantised/quantized_layers.h"

#include "micro/conv/conv2d_s8_prepare.h"

#include <stdlib.h>
#include <string.h>

typedef struct conv_state {
    const oribi_quantized_simd *simd; /* NULL: micro/'s kernel */
    oribi_quantized_panels panels;
    oribi_quantized_weights weights;
    struct oribi_micro_conv2d_s8_spec spec;
    struct oribi_micro_conv2d_s8_args args;
} conv_state;

/* Channels of input 0 if they are known when the kernel is created, else `otherwise`. */
static int32_t known_channels(oribi_kit_setup *setup, int32_t otherwise)
{
    int64_t dims[4] = {0};
    const int rank = TF_OpKernelConstruction_InputShape(setup->construction, 0, dims, 4);
    return rank == 4 && dims[3] >= 1 && dims[3] <= INT32_MAX ? (int32_t)dims[3] : otherwise;
}

/* Taps of a window that lie side by side in an image, or all where none do. */
static int32_t row_taps(const conv_state *state)
{
    const struct oribi_micro_conv2d_s8_spec *s = &state->spec;
    return s->filter_w * s->filter_c * (state->args.dilation_w == 1 ? 1 : s->filter_h);
}

static void conv_pack(oribi_kit_setup *setup, conv_state *state)
{
    const struct oribi_micro_conv2d_s8_args *a = &state->args;
    const int32_t taps = state->spec.filter_h * state->spec.filter_w * state->spec.filter_c;
    const oribi_quantized_layer layer = {
        a->filter, a->bias,           a->multiplier, a->shift,        taps, row_taps(state),
        1,         state->spec.out_c, taps,          row_taps(state), 1,    a->output_zero,
        a->low,    a->high,           false};
    if (!oribi_quantized_panels_make(&layer, &state->simd->format, &state->panels)) {
        (void)oribi_kit_setup_fail(setup, TF_RESOURCE_EXHAUSTED, "no memory for %d channels",
                                   (int)layer.n_channels);
    }
}

static void *conv_create_for(TF_OpKernelConstruction *construction,
                             const oribi_quantized_simd *simd)
{
    oribi_kit_setup setup;
    conv_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        ORIBI_QUANTIZED_READ(&setup, &state->spec, &state->weights, 0);
    }
    if (state != NULL && TF_GetCode(setup.status) == TF_OK) {
        state->spec.out_c = state->weights.n_channels;
        state->spec.filter_c = state->weights.filter_dims[3];
        state->spec.in_c = known_channels(&setup, state->spec.filter_c);
        (void)oribi_quantized_setup_check(
            &setup, oribi_micro_conv2d_s8_prepare(&state->spec, &state->args, state->weights.folded,
                                                  state->weights.multiplier, state->weights.shift));
    }
    if (state != NULL && TF_GetCode(setup.status) == TF_OK && state->args.groups == 1) {
        state->simd = simd;
        if (simd != NULL) {
            conv_pack(&setup, state);
        }
    }
    return oribi_kit_setup_end(&setup);
}

static void conv_destroy(void *state)
{
    if (state != NULL) {
        oribi_quantized_panels_free(&((conv_state *)state)->panels);
        oribi_quantized_weights_free(&((conv_state *)state)->weights);
        free(state);
    }
}

/* One call, split over the rows of all images; each row has scratch of its own. */
typedef struct conv_call {
    const conv_state *state;
    struct oribi_micro_conv2d_s8_args args;
    int64_t scratch_bytes; /* of a row, of the padded image where there is one */
    const int8_t *input;
    int8_t *output, *scratch;
    oribi_quantized_window window;
    int32_t padded_h, padded_w;    /* an image with what windows see around it; 0: none is made */
    int64_t n_pixels, line_pixels; /* of all results, and of those that are done in one go */
    int64_t n_lines;
    int32_t block_panels; /* that all lines meet before the next */
} conv_call;

static void conv_rows(void *object, int64_t begin, int64_t end)
{
    const conv_call *call = object;
    for (int64_t row = begin; row < end; row++) {
        struct oribi_micro_conv2d_s8_args args = call->args;
        const int64_t image = row / args.out_h, y = row % args.out_h;
        args.batch = 1;
        args.out_h = 1;
        args.before_h -= (int32_t)y * args.stride_h;
        oribi_micro_conv2d_s8(&args, call->input + image * args.in_h * args.in_w * args.in_c,
                              call->output + row * args.out_w * args.out_c,
                              call->scratch + row * call->scratch_bytes);
    }
}

/* `width` columns of a row from column x on, which may lie outside. */
static void *take_columns(const conv_call *call, const int8_t *from, int32_t x, int32_t width,
                          void *to)
{
    const struct oribi_micro_conv2d_s8_args *a = &call->args;
    const oribi_quantized_simd *simd = call->state->simd;
    const int32_t first = x < 0 ? -x : 0;
    const int32_t end = a->in_w - x < width ? a->in_w - x : width;
    const int32_t inside = end > first ? end - first : 0;
    const int32_t before = inside > 0 ? first : width;
    const int32_t behind = width - before - inside;
    if (before > 0) {
        to = simd->fill(a->input_zero, (int64_t)before * a->in_c, to);
    }
    to = simd->take(from + (int64_t)(x + first) * a->in_c, (int64_t)inside * a->in_c, to);
    return behind > 0 ? simd->fill(a->input_zero, (int64_t)behind * a->in_c, to) : to;
}

/* A row of the window, whose first input is that of column x. */
static void *take_row(const conv_call *call, const int8_t *from, int32_t x, void *to)
{
    const struct oribi_micro_conv2d_s8_args *a = &call->args;
    const oribi_quantized_simd *simd = call->state->simd;
    if (a->dilation_w == 1) {
        return take_columns(call, from, x, a->filter_w, to);
    }
    for (int32_t j = 0; j < a->filter_w; j++) {
        const int32_t column = x + j * a->dilation_w;
        const bool is_inside = column >= 0 && column < a->in_w;
        to = is_inside ? simd->take(from + (int64_t)column * a->in_c, a->in_c, to)
                       : simd->fill(a->input_zero, a->in_c, to);
    }
    return to;
}

/* The inputs of the window whose corner is (y, x), and as many more as a group wants. */
static void *take_window(const conv_call *call, const int8_t *image, int32_t y, int32_t x, void *to)
{
    const struct oribi_micro_conv2d_s8_args *a = &call->args;
    const oribi_quantized_simd *simd = call->state->simd;
    const int32_t run = a->filter_w * a->in_c, group = simd->format.group;
    const bool is_by_rows = row_taps(call->state) == run;
    const int32_t odd = (is_by_rows ? run : run * a->filter_h) % group;
    for (int32_t i = 0; i < a->filter_h; i++) {
        const int32_t row = y + i * a->dilation_h;
        to = row < 0 || row >= a->in_h
                 ? simd->fill(a->input_zero, run, to)
                 : take_row(call, image + (int64_t)row * a->in_w * a->in_c, x, to);
        if (odd != 0 && (is_by_rows || i == a->filter_h - 1)) {
            to = simd->fill(0, group - odd, to);
        }
    }
    return to;
}

static void conv_simd_rows(void *object, int64_t begin, int64_t end)
{
    const conv_call *call = object;
    const struct oribi_micro_conv2d_s8_args *a = &call->args;
    const int32_t pixels = call->state->simd->format.pixels;
    for (int64_t row = begin; row < end; row++) {
        const int8_t *image = call->input + row / a->out_h * a->in_h * a->in_w * a->in_c;
        const int32_t y = (int32_t)(row % a->out_h) * a->stride_h - a->before_h;
        int8_t *output = call->output + row * a->out_w * a->out_c;
        void *const inputs = call->scratch + row * call->scratch_bytes;
        for (int32_t x = 0; x < a->out_w; x += pixels) {
            const int32_t left = a->out_w - x;
            const int32_t n = left < pixels ? left : pixels;
            void *to = inputs;
            for (int32_t i = 0; i < n; i++) {
                to = take_window(call, image, y, (x + i) * a->stride_w - a->before_w, to);
            }
            call->state->simd->tile(&call->state->panels, inputs, &call->window, n,
                                    output + (int64_t)x * a->out_c, a->out_c);
        }
    }
}

/* --- Windows are read from an image in the format, padded, where it is not much larger ----------
 */

static void pad_rows(void *object, int64_t begin, int64_t end)
{
    const conv_call *call = object;
    const struct oribi_micro_conv2d_s8_args *a = &call->args;
    for (int64_t row = begin; row < end; row++) {
        const int8_t *image = call->input + row / call->padded_h * a->in_h * a->in_w * a->in_c;
        const int32_t y = (int32_t)(row % call->padded_h) - a->before_h;
        void *to = call->scratch + row * call->scratch_bytes;
        if (y < 0 || y >= a->in_h) {
            (void)call->state->simd->fill(a->input_zero, (int64_t)call->padded_w * a->in_c, to);
        } else {
            (void)take_columns(call, image + (int64_t)y * a->in_w * a->in_c, -a->before_w,
                               call->padded_w, to);
        }
    }
}

/* A unit is a line and a block of panels. */
static void conv_lines(void *object, int64_t begin, int64_t end)
{
    const conv_call *call = object;
    const struct oribi_micro_conv2d_s8_args *a = &call->args;
    const oribi_quantized_simd *simd = call->state->simd;
    const bool is_row = call->line_pixels == a->out_w;
    oribi_quantized_panels panels = {.n_panels = 0};
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t line = unit % call->n_lines;
        const int32_t panel = (int32_t)(unit / call->n_lines) * call->block_panels;
        if (unit == begin || line == 0) {
            panels = oribi_quantized_panels_part(&call->state->panels, &simd->format, panel,
                                                 call->block_panels);
        }
        const int64_t first = line * call->line_pixels, last = first + call->line_pixels;
        const int64_t count = (last < call->n_pixels ? last : call->n_pixels) - first;
        const int64_t row = line / a->out_h * call->padded_h + line % a->out_h * a->stride_h;
        const int8_t *x =
            call->scratch + (is_row ? row * call->scratch_bytes : first * call->window.pixel_step);
        int8_t *out = call->output + first * a->out_c + panel * ORIBI_PANEL;
        simd->tile(&panels, x, &call->window, (int32_t)count, out, a->out_c);
    }
}

/* Settles where inputs are read from; returns the bytes of scratch. */
static int64_t plan_conv(conv_call *call, int64_t batch)
{
    enum { LINE = 64 };
    const struct oribi_micro_conv2d_s8_args *a = &call->args;
    const oribi_quantized_format *f = &call->state->simd->format;
    const int32_t groups = call->state->panels.groups;
    const int64_t run = (int64_t)a->filter_w * a->in_c;
    call->n_pixels = batch * a->out_h * a->out_w;
    const int64_t high =
        (int64_t)(a->out_h - 1) * a->stride_h + (int64_t)(a->filter_h - 1) * a->dilation_h + 1;
    const int64_t wide = (int64_t)(a->out_w - 1) * a->stride_w + a->filter_w;
    const bool is_small = high <= 2 * (int64_t)a->in_h + 16 && wide <= 2 * (int64_t)a->in_w + 16;
    if (a->dilation_w != 1 || !is_small) {
        call->window =
            (oribi_quantized_window){(int64_t)groups * f->group * f->bytes, 0, 1, groups};
        call->scratch_bytes = oribi_quantized_tile_bytes(f, groups);
        return batch * a->out_h * call->scratch_bytes;
    }
    call->padded_h = (int32_t)high;
    call->padded_w = (int32_t)wide;
    call->scratch_bytes = wide * a->in_c * f->bytes;
    call->window = (oribi_quantized_window){
        .pixel_step = (int64_t)a->stride_w * a->in_c * f->bytes,
        .row_step = call->scratch_bytes * a->dilation_h,
        .n_rows = a->filter_h,
        .row_groups = (int32_t)((run + f->group - 1) / f->group),
    };
    /* Pixels of 1 x 1 follow each other beyond the end of a row. */
    const bool is_flat = a->filter_h == 1 && a->filter_w == 1 && a->stride_h == 1 &&
                         a->stride_w == 1 && a->out_w != LINE;
    const int64_t n_lines = (call->n_pixels + LINE - 1) / LINE;
    call->line_pixels = is_flat ? (call->n_pixels + n_lines - 1) / n_lines : a->out_w;
    return batch * call->padded_h * call->scratch_bytes + (int64_t)f->group * f->bytes;
}

/* Panels whose weights stay in common second level caches, while all lines meet them; fewer where
 * lines are few or not as many for each thread. */
static int32_t block_of(const oribi_quantized_panels *panels, const oribi_quantized_format *format,
                        int64_t lines, int n_threads)
{
    enum { BLOCK_BYTES = 256 * 1024, MANY_LINES = 8 };
    const int64_t bytes = oribi_quantized_panel_bytes(panels, format);
    const bool is_large = panels->n_panels * bytes > 2 * BLOCK_BYTES;
    const bool is_even = lines % n_threads == 0 || lines >= (int64_t)MANY_LINES * n_threads;
    int64_t most =
        is_large ? BLOCK_BYTES / bytes / ORIBI_SIDE_BY_SIDE * ORIBI_SIDE_BY_SIDE : panels->n_panels;
    if (!is_even) {
        const int64_t blocks = lines == 1 ? 2 * (int64_t)n_threads : n_threads;
        const int64_t each = (panels->n_panels + blocks - 1) / blocks + ORIBI_SIDE_BY_SIDE - 1;
        const int64_t even = each / ORIBI_SIDE_BY_SIDE * ORIBI_SIDE_BY_SIDE;
        most = even < most ? even : most;
    }
    most = most > ORIBI_SIDE_BY_SIDE ? most : ORIBI_SIDE_BY_SIDE;
    return most < panels->n_panels ? (int32_t)most : panels->n_panels;
}

static void conv_by_vectors(oribi_kit_run *run, conv_call *call, int64_t rows, int64_t pixel_cost)
{
    const oribi_quantized_panels *panels = &call->state->panels;
    const struct oribi_micro_conv2d_s8_args *a = &call->args;
    if (call->padded_h == 0) {
        oribi_kit_parallel(run, rows, a->out_w * pixel_cost, call, conv_simd_rows);
        return;
    }
    const int64_t padded = rows / a->out_h * call->padded_h;
    const oribi_quantized_simd *simd = call->state->simd;
    oribi_kit_parallel(run, padded, call->scratch_bytes / 8 + 1, call, pad_rows);
    (void)simd->fill(0, simd->format.group, call->scratch + padded * call->scratch_bytes);
    call->n_lines = (call->n_pixels + call->line_pixels - 1) / call->line_pixels;
    call->block_panels =
        block_of(panels, &simd->format, call->n_lines, TF_ThreadPool_NumThreads(run->context));
    const int64_t blocks = (panels->n_panels + call->block_panels - 1) / call->block_panels;
    oribi_kit_parallel(run, call->n_lines * blocks, call->line_pixels * pixel_cost / blocks + 1,
                       call, conv_lines);
}

static bool conv_run(const conv_state *state, oribi_kit_run *run)
{
    conv_call call = {.state = state, .args = state->args};
    struct oribi_micro_conv2d_s8_args *a = &call.args;
    TF_Tensor *scratch = NULL;
    int32_t in[4];
    if (!take_image(run, state->spec.in_c, in) ||
        !oribi_quantized_check(
            run, oribi_micro_conv2d_s8_resize(&state->spec, in[0], in[1], in[2], a))) {
        return false;
    }
    const int64_t dims[4] = {in[0], a->out_h, a->out_w, a->out_c};
    const int64_t rows = dims[0] * dims[1];
    call.input = TF_TensorData(run->in[0]);
    call.output = oribi_kit_output(run, 0, dims, 4);
    if (call.output != NULL) {
        call.scratch_bytes = a->scratch_bytes;
        const int64_t bytes =
            state->simd != NULL ? plan_conv(&call, in[0]) : rows * call.scratch_bytes;
        call.scratch = oribi_kit_scratch(run, bytes + 1, &scratch);
    }
    if (call.scratch != NULL) {
        const int64_t taps = (int64_t)a->filter_h * a->filter_w * state->spec.filter_c;
        const int64_t speed = state->simd != NULL ? state->simd->format.speed : 4;
        const int64_t pixel_cost = a->out_c * (taps + speed / 4) / speed + 1;
        if (state->simd != NULL) {
            conv_by_vectors(run, &call, rows, pixel_cost);
        } else {
            oribi_kit_parallel(run, rows, a->out_w * pixel_cost, &call, conv_rows);
        }
        TF_DeleteTensor(scratch);
    }
    return call.scratch != NULL;
}
ORIBI_KIT_COMPUTE(conv, 1)

#define CREATE_SET(part, set) ORIBI_QUANTIZED_CREATE(conv, set, &oribi_quantized_##set)
#define ROW_SET(part, set)    ORIBI_QUANTIZED_BY_PANELS("Oribi>QConv2D", conv, set)

ORIBI_QUANTIZED_CREATE(conv, any, NULL)
ORIBI_ISAS_OF_quantized_panels(CREATE_SET)

    /* clang-format off */
const oribi_cpu_kernel oribi_cpu_quantized_conv_kernels[] = {
    ORIBI_QUANTIZED_LAYER("Oribi>QConv2D", conv, any, ORIBI_QUANTIZED_WHY),
    ORIBI_ISAS_OF_quantized_panels(ROW_SET)
    {.op_name = NULL},
};
/* clang-format on */
