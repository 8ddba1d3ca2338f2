/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QDepthwiseConv2D by micro/'s kernel, in parallel over rows of the result: a row is the
 * layer with another padding above. Also by vectors, with the same results. Read next:
 * quantized_panels.h.
 */
#include "cpu/quantised/quantized_layers.h"

#include "micro/depthwise/depthwise_conv2d_s8_prepare.h"

#include <stdlib.h>
#include <string.h>

typedef struct depthwise_state {
    const oribi_quantized_simd *simd; /* NULL: micro/'s kernel */
    oribi_quantized_panels panels;
    oribi_quantized_weights weights;
    struct oribi_micro_depthwise_conv2d_s8_spec spec;
    struct oribi_micro_depthwise_conv2d_s8_args args;
} depthwise_state;

static void depthwise_pack(oribi_kit_setup *setup, depthwise_state *state)
{
    const struct oribi_micro_depthwise_conv2d_s8_args *a = &state->args;
    const int32_t channels = state->weights.n_channels;
    const int32_t taps = state->spec.filter_h * state->spec.filter_w;
    const int32_t rows = state->simd->format.by_columns;
    const bool by_columns = rows == ORIBI_ANY_ROWS || rows == state->spec.filter_h;
    const oribi_quantized_layer layer = {
        .filter = a->filter,
        .bias = a->bias,
        .multiplier = a->multiplier,
        .shift = a->shift,
        .channel_step = 1,
        .row_step = by_columns ? channels : 0,
        .tap_step = by_columns ? (int64_t)state->spec.filter_w * channels : channels,
        .n_channels = channels,
        .taps = taps,
        .row_taps = by_columns ? state->spec.filter_h : taps,
        .scale_step = 1,
        .zero = a->output_zero,
        .low = a->low,
        .high = a->high};
    if (!oribi_quantized_panels_make(&layer, &state->simd->format, &state->panels)) {
        (void)oribi_kit_setup_fail(setup, TF_RESOURCE_EXHAUSTED, "no memory for %d channels",
                                   (int)channels);
    }
}

static void *depthwise_create_for(TF_OpKernelConstruction *construction,
                                  const oribi_quantized_simd *simd)
{
    oribi_kit_setup setup;
    depthwise_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    int64_t multiplier = 1;
    if (state != NULL) {
        ORIBI_QUANTIZED_READ(&setup, &state->spec, &state->weights, 3);
        oribi_kit_attr_int(&setup, "depth_multiplier", &multiplier);
    }
    if (state != NULL && TF_GetCode(setup.status) == TF_OK) {
        const int32_t channels = state->weights.n_channels;
        if (multiplier < 1 || multiplier > channels || channels % multiplier != 0) {
            (void)oribi_kit_setup_fail(&setup, TF_INVALID_ARGUMENT,
                                       "the depth multiplier %lld does not divide %d channels",
                                       (long long)multiplier, (int)channels);
            return oribi_kit_setup_end(&setup);
        }
        state->spec.depth_multiplier = (int32_t)multiplier;
        state->spec.in_c = channels / (int32_t)multiplier;
        (void)oribi_quantized_setup_check(&setup,
                                          oribi_micro_depthwise_conv2d_s8_prepare(
                                              &state->spec, &state->args, state->weights.folded,
                                              state->weights.multiplier, state->weights.shift));
    }
    if (state != NULL && TF_GetCode(setup.status) == TF_OK) {
        state->simd = simd;
        if (simd != NULL) {
            depthwise_pack(&setup, state);
        }
    }
    return oribi_kit_setup_end(&setup);
}

static void depthwise_destroy(void *state)
{
    if (state != NULL) {
        oribi_quantized_panels_free(&((depthwise_state *)state)->panels);
        oribi_quantized_weights_free(&((depthwise_state *)state)->weights);
        free(state);
    }
}

typedef struct depthwise_call {
    const depthwise_state *state;
    struct oribi_micro_depthwise_conv2d_s8_args args;
    const int8_t *input;
    int8_t *output;
    const int8_t **taps; /* groups * group of each row */
    const int8_t *zeros; /* a row outside the image */
} depthwise_call;

static void depthwise_rows(void *object, int64_t begin, int64_t end)
{
    const depthwise_call *call = object;
    for (int64_t row = begin; row < end; row++) {
        struct oribi_micro_depthwise_conv2d_s8_args args = call->args;
        const int64_t image = row / args.out_h, y = row % args.out_h;
        args.batch = 1;
        args.out_h = 1;
        args.before_h -= (int32_t)y * args.stride_h;
        oribi_micro_depthwise_conv2d_s8(&args,
                                        call->input + image * args.in_h * args.in_w * args.in_c,
                                        call->output + row * args.out_w * args.out_c, NULL);
    }
}

/* Where the pointer of a tap is: by columns of the window, each of whole groups, or row by row. */
static int32_t place_of_tap(const depthwise_call *call, int32_t i, int32_t j)
{
    const oribi_quantized_simd *simd = call->state->simd;
    const int32_t columns = call->args.filter_w,
                  all = call->state->panels.groups * simd->format.group;
    return call->state->panels.row_taps == call->args.filter_h ? j * (all / columns) + i
                                                               : i * columns + j;
}

/* Pointers to the inputs of the window whose corner is (y, x). */
static void find_taps(const depthwise_call *call, const int8_t *image, int32_t y, int32_t x,
                      const int8_t **tap)
{
    const struct oribi_micro_depthwise_conv2d_s8_args *a = &call->args;
    for (int32_t i = 0; i < a->filter_h; i++) {
        const int32_t at = y + i * a->dilation_h;
        const int8_t *row =
            at >= 0 && at < a->in_h ? image + (int64_t)at * a->in_w * a->in_c : call->zeros;
        for (int32_t j = 0; j < a->filter_w; j++) {
            const int32_t column = x + j * a->dilation_w;
            tap[place_of_tap(call, i, j)] =
                column >= 0 && column < a->in_w ? row + (int64_t)column * a->in_c : call->zeros;
        }
    }
}

static void depthwise_simd_rows(void *object, int64_t begin, int64_t end)
{
    const depthwise_call *call = object;
    const depthwise_state *state = call->state;
    const struct oribi_micro_depthwise_conv2d_s8_args *a = &call->args;
    const int32_t n = state->simd->format.group * state->panels.groups;
    const int32_t reach = (a->filter_w - 1) * a->dilation_w; /* of a window, to the right */
    const int32_t slide = a->stride_w % a->dilation_w == 0 ? a->stride_w / a->dilation_w : 0;
    for (int64_t row = begin; row < end; row++) {
        const int8_t *image = call->input + row / a->out_h * a->in_h * a->in_w * a->in_c;
        const int32_t y = (int32_t)(row % a->out_h) * a->stride_h - a->before_h;
        int8_t *output = call->output + row * a->out_w * a->out_c;
        const int8_t **const taps = call->taps + row * n;
        for (int32_t i = 0; i < n; i++) {
            taps[i] = call->zeros; /* those that find_taps leaves alone have weights of 0 */
        }
        for (int32_t pixel = 0, count; pixel < a->out_w; pixel += count) {
            const int32_t x = pixel * a->stride_w - a->before_w;
            const int32_t room = a->in_w - 1 - reach - x; /* windows that lie inside, too */
            const int32_t left = a->out_w - pixel;
            count = x < 0 || room < 0 ? 1 : room / a->stride_w + 1;
            count = count < left ? count : left;
            find_taps(call, image, y, x, taps);
            state->simd->depthwise(&state->panels, taps, count, (int64_t)a->stride_w * a->in_c,
                                   slide, output + (int64_t)pixel * a->out_c);
        }
    }
}

/* Pixels with each input as often as it makes results. */
typedef struct repeat_work {
    const int8_t *from;
    int8_t *to;
    int64_t channels, times;
} repeat_work;

static void repeat_pixels(void *object, int64_t begin, int64_t end)
{
    const repeat_work *work = object;
    int8_t *to = work->to + begin * work->channels * work->times;
    for (int64_t i = begin * work->channels; i < end * work->channels; i++) {
        for (int64_t k = 0; k < work->times; k++) {
            *to++ = work->from[i];
        }
    }
}

/* The layer becomes one of a multiplier of 1 over an image of as many channels as results. */
static bool repeat_inputs(oribi_kit_run *run, const int32_t *in, depthwise_call *call,
                          TF_Tensor **out_tensor)
{
    repeat_work work = {.from = call->input, .channels = in[3], .times = call->args.out_c / in[3]};
    const int64_t dims[4] = {in[0], in[1], in[2], call->args.out_c};
    int64_t bytes = 0;
    if (work.times == 1) {
        return true;
    }
    if (!oribi_cpu_count(run, dims, 4, &bytes) ||
        (work.to = oribi_kit_scratch(run, bytes, out_tensor)) == NULL) {
        return false;
    }
    oribi_kit_parallel(run, dims[0] * dims[1] * dims[2], dims[3], &work, repeat_pixels);
    call->input = work.to;
    call->args.in_c = call->args.out_c;
    return true;
}

/* Rows of an image with what windows see around it. */
typedef struct pad_work {
    const depthwise_call *call;
    int8_t *to;
    int32_t height, width;
} pad_work;

static void pad_lines(void *object, int64_t begin, int64_t end)
{
    const pad_work *work = object;
    const struct oribi_micro_depthwise_conv2d_s8_args *a = &work->call->args;
    const int64_t row = (int64_t)a->in_w * a->in_c, before = (int64_t)a->before_w * a->in_c;
    const int64_t width = (int64_t)work->width * a->in_c;
    for (int64_t line = begin; line < end; line++) {
        int8_t *to = work->to + line * width;
        const int64_t y = line % work->height - a->before_h;
        memset(to, a->input_zero, (size_t)width);
        if (y >= 0 && y < a->in_h) {
            memcpy(to + before, work->call->input + (line / work->height * a->in_h + y) * row,
                   (size_t)(row < width - before ? row : width - before));
        }
    }
}

/* A narrow image is padded, as pixels at its edges would be done one by one. */
static bool pad_inputs(oribi_kit_run *run, int64_t batch, depthwise_call *call,
                       TF_Tensor **out_tensor)
{
    enum { NARROW = 64 };
    struct oribi_micro_depthwise_conv2d_s8_args *a = &call->args;
    const int64_t high =
        (int64_t)(a->out_h - 1) * a->stride_h + (int64_t)(a->filter_h - 1) * a->dilation_h + 1;
    const int64_t wide =
        (int64_t)(a->out_w - 1) * a->stride_w + (int64_t)(a->filter_w - 1) * a->dilation_w + 1;
    const int64_t dims[4] = {batch, high, wide, a->in_c};
    int64_t bytes = 0;
    if (a->in_w > NARROW || high > 2 * (int64_t)a->in_h + 4 || wide > 2 * (int64_t)a->in_w + 4 ||
        (a->before_h == 0 && a->before_w == 0 && high <= a->in_h && wide <= a->in_w)) {
        return true;
    }
    if (!oribi_cpu_count(run, dims, 4, &bytes)) {
        return false;
    }
    pad_work work = {call, oribi_kit_scratch(run, bytes, out_tensor), (int32_t)high, (int32_t)wide};
    if (work.to == NULL) {
        return false;
    }
    oribi_kit_parallel(run, batch * high, wide * a->in_c / 8 + 1, &work, pad_lines);
    call->input = work.to;
    a->in_h = work.height;
    a->in_w = work.width;
    a->before_h = a->before_w = 0;
    return true;
}

static bool depthwise_run(const depthwise_state *state, oribi_kit_run *run)
{
    depthwise_call call = {.state = state, .args = state->args};
    struct oribi_micro_depthwise_conv2d_s8_args *a = &call.args;
    TF_Tensor *scratch = NULL, *repeated = NULL, *padded = NULL;
    int32_t in[4];
    if (!take_image(run, state->spec.in_c, in) ||
        !oribi_quantized_check(
            run, oribi_micro_depthwise_conv2d_s8_resize(&state->spec, in[0], in[1], in[2], a))) {
        return false;
    }
    const int64_t dims[4] = {in[0], a->out_h, a->out_w, a->out_c};
    call.input = TF_TensorData(run->in[0]);
    call.output = oribi_kit_output(run, 0, dims, 4);
    bool ok = call.output != NULL;
    if (ok && state->simd != NULL &&
        (ok = repeat_inputs(run, in, &call, &repeated) && pad_inputs(run, in[0], &call, &padded))) {
        const int64_t taps = dims[0] * dims[1] * state->simd->format.group * state->panels.groups *
                             (int64_t)sizeof *call.taps;
        const int64_t row = (int64_t)a->in_w * a->in_c;
        call.taps = oribi_kit_scratch(run, taps + row, &scratch);
        ok = call.taps != NULL;
        if (ok) {
            int8_t *zeros = (int8_t *)call.taps + taps;
            memset(zeros, a->input_zero, (size_t)row);
            call.zeros = zeros;
        }
    }
    if (ok) {
        const int64_t products = dims[2] * dims[3] * a->filter_h * a->filter_w;
        oribi_kit_parallel(run, dims[0] * dims[1], state->simd != NULL ? products / 8 : products,
                           &call, state->simd != NULL ? depthwise_simd_rows : depthwise_rows);
    }
    TF_DeleteTensor(scratch);
    TF_DeleteTensor(repeated);
    TF_DeleteTensor(padded);
    return ok;
}
ORIBI_KIT_COMPUTE(depthwise, 1)

#define CREATE_SET(part, set) ORIBI_QUANTIZED_CREATE(depthwise, set, &oribi_quantized_##set)
#define ROW_SET(part, set)    ORIBI_QUANTIZED_BY_PANELS("Oribi>QDepthwiseConv2D", depthwise, set)

ORIBI_QUANTIZED_CREATE(depthwise, any, NULL)
ORIBI_ISAS_OF_quantized_panels(CREATE_SET)

    /* clang-format off */
const oribi_cpu_kernel oribi_cpu_quantized_depthwise_kernels[] = {
    ORIBI_QUANTIZED_LAYER("Oribi>QDepthwiseConv2D", depthwise, any, ORIBI_QUANTIZED_WHY),
    ORIBI_ISAS_OF_quantized_panels(ROW_SET)
    {.op_name = NULL},
};
/* clang-format on */
