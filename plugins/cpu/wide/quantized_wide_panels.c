/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of layers of int16 and of uint8 into panels, and images into what their windows are read
 * from: int16 less the zero point, with zeros around. An image of int16 whose windows never leave
 * it is read where it is. Read next: quantized_wide_loops.h.
 */
#include "cpu/wide/quantized_wide.h"

#include "micro/dims.h"
#include "micro/element.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 48, BLOCK_BYTES = 256 * 1024 }; /* pixels, and weights, that stay in caches */

void oribi_wide_panels_free(oribi_wide_panels *panels)
{
    free(panels->weights);
    free(panels->start);
    free(panels->bias);
    *panels = (oribi_wide_panels){0};
}

static int32_t depth_of(const struct oribi_micro_wide_conv2d_args *a)
{
    return a->in_c / a->groups;
}

static bool is_depthwise(const struct oribi_micro_wide_conv2d_args *a)
{
    return a->groups > 1 && depth_of(a) == 1;
}

static int64_t bias_of(const struct oribi_micro_wide_conv2d_args *a, int32_t c)
{
    return (int64_t)a->bias_high[c] * INT64_C(4294967296) + (uint32_t)a->bias_low[c];
}

static int32_t weight_at(const struct oribi_micro_wide_conv2d_args *a, int32_t at)
{
    return oribi_micro_element_get(a->filter, a->filter_kind, at) - a->filter_zero;
}

/* Which sums fit int32? Those of int16 are 64 bits wide in micro/ unless it wraps them around. */
static void choose_ending(const struct oribi_micro_wide_conv2d_args *a, oribi_wide_panels *out)
{
    const int32_t taps = a->filter_h * a->filter_w * depth_of(a);
    int64_t products = 0, all = 0;
    for (int32_t c = 0; a->is_wide != 0 && c < a->out_c; c++) {
        const int64_t bias = bias_of(a, c);
        int64_t sum = 0;
        for (int32_t t = 0; t < taps; t++) {
            sum += abs(weight_at(a, c * taps + t));
        }
        sum *= 32768;
        products = sum > products ? sum : products;
        sum += bias < 0 ? -bias : bias;
        all = sum > all ? sum : all;
    }
    out->segment = products <= INT32_MAX ? INT32_MAX : ORIBI_WIDE_PAIRS;
    out->ending = a->is_wide == 0    ? ORIBI_WIDE_MODULO
                  : all <= INT32_MAX ? ORIBI_WIDE_NARROW
                                     : ORIBI_WIDE_FULL;
}

/* Channel c of the layer at place `at` of all; w: its first pair. */
static void pack_channel(const struct oribi_micro_wide_conv2d_args *a, int32_t width, int32_t c,
                         int32_t at, int16_t *w, oribi_wide_panels *out)
{
    const int32_t lanes = width / 2, lane = at % lanes, multiplier = a->multiplier[c];
    const int32_t n_runs = out->run_pairs == 0 ? 1 : out->n_runs;
    int32_t from = c * a->filter_h * a->filter_w * depth_of(a);
    for (int32_t r = 0; r < n_runs; r++) {
        for (int32_t t = 0; t < out->run_taps; t++) {
            w[t / 2 * 2 * width + t % 2] = (int16_t)weight_at(a, from++);
        }
        w += (int64_t)out->run_pairs * 2 * width;
    }
    if (out->ending == ORIBI_WIDE_MODULO) {
        out->multiplier[at] = multiplier;
        out->left[at] = a->shift[c] > 0 ? a->shift[c] : 0;
        out->right[at] = a->shift[c] > 0 ? 0 : -a->shift[c];
    } else { /* oribi_micro_scale_wide */
        out->multiplier[at] = multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
        out->right[at] = 15 - a->shift[c];
    }
    if (out->ending == ORIBI_WIDE_FULL) {
        out->bias[at - lane + lane % 2 * (lanes / 2) + lane / 2] = bias_of(a, c);
    } else {
        out->start[at] = a->bias_low[c];
    }
}

static void pack(const struct oribi_micro_wide_conv2d_args *a, int32_t width,
                 oribi_wide_panels *out)
{
    for (int32_t panel = 0; panel < out->n_panels; panel++) {
        int16_t *w = out->weights + (int64_t)panel * out->pairs * 2 * width;
        for (int32_t i = 0; i < width; i++) {
            const int32_t lane = i % (width / 2), second = i / (width / 2);
            const int32_t channel =
                panel % out->of_group * width + lane / 4 * 8 + second * 4 + lane % 4;
            if (channel < out->channels) {
                const int32_t c = panel / out->of_group * out->channels + channel;
                pack_channel(a, width, c, panel * width + i, w + 2 * i, out);
            }
        }
    }
}

bool oribi_wide_panels_make(const struct oribi_micro_wide_conv2d_args *args,
                            const oribi_wide_simd *simd, oribi_wide_panels *out)
{
    const struct oribi_micro_wide_conv2d_args *a = args;
    const int32_t depth = depth_of(a), rows = a->filter_h * a->filter_w;
    const bool is_apart = is_depthwise(a);
    /* Taps of a window's row are side by side unless there are gaps, or other groups, between. */
    const bool is_by_rows = a->dilation_w == 1 && a->groups == 1;
    *out = (oribi_wide_panels){
        .n_groups = is_apart ? 1 : a->groups,
        .channels = is_apart ? a->out_c : a->out_c / a->groups,
        .depth = depth,
        .n_runs = is_apart     ? rows + rows % 2
                  : is_by_rows ? a->filter_h
                               : rows,
        .run_taps = is_apart     ? rows
                    : is_by_rows ? a->filter_w * depth
                                 : depth,
        .zero = a->output_zero,
        .low = a->low,
        .high = a->high,
        .is_byte = a->kind == ORIBI_MICRO_U8,
    };
    out->run_pairs = is_apart ? 0 : out->run_taps / 2 + out->run_taps % 2;
    out->pairs = is_apart ? out->n_runs / 2 : out->n_runs * out->run_pairs;
    out->of_group = (out->channels - 1) / simd->width + 1;
    out->n_panels = out->of_group * out->n_groups;
    choose_ending(a, out);
    const size_t n = (size_t)out->n_panels * (size_t)simd->width;
    out->weights = calloc(n * (size_t)out->pairs, 2 * sizeof *out->weights);
    out->start = calloc(4 * n, sizeof *out->start);
    out->bias = calloc(out->ending == ORIBI_WIDE_FULL ? n : 1, sizeof *out->bias);
    if (out->weights == NULL || out->start == NULL || out->bias == NULL) {
        oribi_wide_panels_free(out);
        return false;
    }
    out->multiplier = out->start + n;
    out->left = out->multiplier + n;
    out->right = out->left + n;
    pack(a, simd->width, out);
    return true;
}

/* --- Images ---------------------------------------------------------------------------------- */

typedef struct wide_call {
    const oribi_wide_panels *panels;
    const oribi_wide_simd *simd;
    const struct oribi_micro_wide_conv2d_args *args;
    const char *input;
    char *output;
    int16_t *image;               /* that windows are read from, if not the input */
    int32_t high, wide, channels; /* of it; a channel for each of a depthwise layer's results */
    int32_t line_pixels, block;   /* pixels and panels of a unit */
    int64_t n_pixels, n_lines;
    oribi_wide_line line;
} wide_call;

/* The part of images that windows see. */
static void seen(const struct oribi_micro_wide_conv2d_args *a, int64_t *out_high, int64_t *out_wide)
{
    *out_high =
        (int64_t)(a->out_h - 1) * a->stride_h + (int64_t)(a->filter_h - 1) * a->dilation_h + 1;
    *out_wide =
        (int64_t)(a->out_w - 1) * a->stride_w + (int64_t)(a->filter_w - 1) * a->dilation_w + 1;
}

bool oribi_wide_panels_fit(const struct oribi_micro_wide_conv2d_args *args)
{
    int64_t high = 0, wide = 0;
    seen(args, &high, &wide);
    return high <= 2 * (int64_t)args->in_h + 16 && wide <= 2 * (int64_t)args->in_w + 16;
}

static void take(const struct oribi_micro_wide_conv2d_args *a, const char *from, int64_t count,
                 int32_t times, int16_t *to)
{
    if (a->kind == ORIBI_MICRO_S16 && times == 1) {
        memcpy(to, from, (size_t)count * sizeof *to);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const int32_t x = oribi_micro_element_get(from, a->kind, (int32_t)i) - a->input_zero;
        for (int32_t k = 0; k < times; k++) {
            *to++ = (int16_t)x;
        }
    }
}

/* A unit is a row of a padded image. */
static void pad_rows(void *object, int64_t begin, int64_t end)
{
    const wide_call *call = object;
    const struct oribi_micro_wide_conv2d_args *a = call->args;
    const int64_t bytes = (int64_t)a->in_c * (a->kind == ORIBI_MICRO_S16 ? 2 : 1);
    const int32_t before = a->before_w < call->wide ? a->before_w : call->wide;
    const int32_t left = call->wide - before, inside = left < a->in_w ? left : a->in_w;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t y = unit % call->high - a->before_h;
        int16_t *to = call->image + unit * call->wide * call->channels;
        const bool is_inside = y >= 0 && y < a->in_h;
        const int64_t first = is_inside ? before : call->wide, n = is_inside ? inside : 0;
        memset(to, 0, (size_t)(first * call->channels) * sizeof *to);
        to += first * call->channels;
        if (is_inside) {
            take(a, call->input + (unit / call->high * a->in_h + y) * a->in_w * bytes, n * a->in_c,
                 call->channels / a->in_c, to);
            memset(to + n * call->channels, 0, (size_t)((left - n) * call->channels) * sizeof *to);
        }
    }
}

/* A unit is a line and a block of panels. */
static void run_lines(void *object, int64_t begin, int64_t end)
{
    const wide_call *call = object;
    const struct oribi_micro_wide_conv2d_args *a = call->args;
    const bool is_row = call->line_pixels == a->out_w;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t of = unit % call->n_lines, first = of * call->line_pixels;
        const int64_t row = of / a->out_h * call->high + of % a->out_h * a->stride_h;
        const int64_t behind = call->n_pixels - first;
        const int32_t panel = (int32_t)(unit / call->n_lines) * call->block;
        oribi_wide_line line = call->line;
        line.x += is_row ? row * call->wide * call->channels : first * line.step;
        line.n_pixels = behind < call->line_pixels ? behind : call->line_pixels;
        line.out += first * line.stride * (call->panels->is_byte ? 1 : 2);
        for (int32_t i = panel; i < panel + call->block && i < call->panels->n_panels; i++) {
            call->simd->line(call->panels, i, &line);
        }
    }
}

/* Can windows be read from the input? Nothing behind it may be. */
static bool is_direct(const wide_call *call)
{
    const struct oribi_micro_wide_conv2d_args *a = call->args;
    const bool is_apart = call->panels->run_pairs == 0;
    const bool is_whole =
        is_apart ? a->in_c % call->simd->width == 0 : call->panels->run_taps % 2 == 0;
    return a->kind == ORIBI_MICRO_S16 && a->before_h == 0 && a->before_w == 0 &&
           call->high <= a->in_h && call->wide <= a->in_w && call->channels == a->in_c && is_whole;
}

static void fill_runs(const wide_call *call, int64_t *runs)
{
    const struct oribi_micro_wide_conv2d_args *a = call->args;
    const int32_t n = call->panels->n_runs;
    const int32_t columns = !is_depthwise(a) && n == a->filter_h ? 1 : a->filter_w;
    for (int32_t r = 0; r < n; r++) {
        const int32_t tap = r < a->filter_h * columns ? r : r - 1; /* the last again */
        runs[r] = ((int64_t)(tap / columns) * a->dilation_h * call->wide +
                   (int64_t)(tap % columns) * a->dilation_w) *
                  call->channels;
    }
}

static void plan_units(wide_call *call)
{
    const struct oribi_micro_wide_conv2d_args *a = call->args;
    const oribi_wide_panels *p = call->panels;
    const bool is_flat = a->filter_h == 1 && a->filter_w == 1 && a->stride_h == 1 &&
                         a->stride_w == 1 && call->high == a->out_h && call->wide == a->out_w &&
                         a->out_w != LINE; /* pixels follow each other beyond the end of a row */
    const int64_t panel_bytes = (int64_t)p->pairs * call->simd->width * 4;
    const int64_t fit = BLOCK_BYTES / panel_bytes;
    call->n_pixels = (int64_t)a->batch * a->out_h * a->out_w;
    call->line_pixels = is_flat ? LINE : a->out_w;
    call->n_lines = (call->n_pixels - 1) / call->line_pixels + 1;
    call->block = fit < 1 ? 1 : fit < p->n_panels ? (int32_t)fit : p->n_panels;
}

bool oribi_wide_panels_run(oribi_kit_run *run, const oribi_wide_panels *panels,
                           const oribi_wide_simd *simd,
                           const struct oribi_micro_wide_conv2d_args *args, const void *input,
                           void *output)
{
    const struct oribi_micro_wide_conv2d_args *a = args;
    wide_call call = {.panels = panels, .simd = simd, .args = a, .input = input, .output = output};
    int64_t high = 0, wide = 0;
    seen(a, &high, &wide);
    call.high = (int32_t)high;
    call.wide = (int32_t)wide;
    call.channels = panels->run_pairs == 0 ? a->out_c : a->in_c;
    const bool direct = is_direct(&call);
    const int64_t rows = a->batch * high, row = wide * call.channels;
    const int64_t runs = panels->n_runs * (int64_t)sizeof(int64_t);
    TF_Tensor *scratch = NULL;
    /* Behind the last image there is what a pair, or a panel, reads beyond it. */
    char *memory = oribi_kit_scratch(
        run, runs + (direct ? 0 : rows * row + ORIBI_WIDE_MOST) * (int64_t)sizeof(int16_t),
        &scratch);
    if (memory == NULL) {
        return false;
    }
    call.line = (oribi_wide_line){.x = input,
                                  .runs = (const int64_t *)(void *)memory,
                                  .step = (int64_t)a->stride_w * call.channels,
                                  .out = output,
                                  .stride = a->out_c};
    if (direct) {
        call.high = a->in_h;
        call.wide = a->in_w;
    } else {
        call.image = (int16_t *)(void *)(memory + runs);
        call.line.x = call.image;
        memset(call.image + rows * row, 0, ORIBI_WIDE_MOST * sizeof *call.image);
        oribi_kit_parallel(run, rows, row / 16 + 1, &call, pad_rows);
    }
    fill_runs(&call, (int64_t *)(void *)memory);
    plan_units(&call);
    const int64_t blocks = (panels->n_panels - 1) / call.block + 1;
    const int64_t cost = call.line_pixels * call.block * (panels->pairs + 8);
    oribi_kit_parallel(run, call.n_lines * blocks, cost, &call, run_lines);
    TF_DeleteTensor(scratch);
    return true;
}
