/* SPDX-License-Identifier: Apache-2.0 */
/* What conv2d_lanes_s8 needs of the plain convolution's arguments, and what it costs. */
#include "micro/conv/conv2d_lanes_s8_prepare.h"

#include <stddef.h>

#include "micro/nibbles/nibbles_prepare.h"

static int32_t sizes_fit(const struct oribi_micro_conv2d_s8_args *a)
{
    const int32_t sizes[] = {a->batch,    a->in_h,     a->in_w,     a->in_c,      a->out_h,
                             a->out_w,    a->out_c,    a->filter_h, a->filter_w,  a->stride_h,
                             a->stride_w, a->before_h, a->before_w, a->dilation_h};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i] > INT16_MAX) {
            return 0;
        }
    }
    return (int64_t)a->filter_h * a->filter_w * a->in_c <= UINT16_MAX - 7;
}

int32_t oribi_micro_conv2d_lanes_s8_spec(const struct oribi_micro_conv2d_s8_args *plain,
                                         struct oribi_micro_lanes_spec *out_spec)
{
    const struct oribi_micro_conv2d_s8_args *a = plain;
    out_spec->filter = a->filter;
    out_spec->channels = a->out_c;
    out_spec->depth = a->filter_h * a->filter_w * a->in_c;
    out_spec->rows = a->filter_h;
    out_spec->group = 2;
    out_spec->bias = a->bias;
    out_spec->multiplier = a->multiplier;
    out_spec->shift = a->shift;
    out_spec->one_scale = 0;
    out_spec->output.zero = (int8_t)a->output_zero;
    out_spec->output.low = (int8_t)a->low;
    out_spec->output.high = (int8_t)a->high;
    return a->groups == 1 && (a->dilation_w == 1 || a->filter_w == 1) && sizes_fit(a);
}

int32_t oribi_micro_conv2d_lanes_s8_fits(const struct oribi_micro_conv2d_s8_args *plain,
                                         struct oribi_micro_lanes_spec *out_spec)
{
    return oribi_micro_conv2d_lanes_s8_spec(plain, out_spec) && oribi_micro_lanes_fit(out_spec);
}

int32_t oribi_micro_conv2d_lanes_s8_sizes(const struct oribi_micro_conv2d_s8_args *plain,
                                          int32_t taps,
                                          struct oribi_micro_conv2d_lanes_s8_args *args)
{
    const struct oribi_micro_conv2d_s8_args *a = plain;
    struct oribi_micro_lanes_spec spec;
    (void)oribi_micro_conv2d_lanes_s8_spec(a, &spec);
    args->output.has_general = oribi_micro_lanes_has_general(&spec);
    args->output.zero = (int8_t)a->output_zero;
    args->output.low = (int8_t)a->low;
    args->output.high = (int8_t)a->high;
    args->batch = (int16_t)a->batch;
    args->in_h = (int16_t)a->in_h;
    args->in_w = (int16_t)a->in_w;
    args->in_c = (int16_t)a->in_c;
    args->out_h = (int16_t)a->out_h;
    args->out_w = (int16_t)a->out_w;
    args->out_c = (int16_t)a->out_c;
    args->filter_h = (int16_t)a->filter_h;
    args->filter_w = (int16_t)a->filter_w;
    args->stride_h = (int16_t)a->stride_h;
    args->stride_w = (int16_t)a->stride_w;
    args->dilation_h = (int16_t)a->dilation_h;
    args->before_h = (int16_t)a->before_h;
    args->before_w = (int16_t)a->before_w;
    args->taps = (uint16_t)taps;
    args->input_zero = (int8_t)a->input_zero;
    const int32_t run = a->filter_w * a->in_c, whole = run / 4 * 4;
    args->is_point = a->filter_h * a->filter_w == 1 && a->stride_h * a->stride_w == 1 &&
                     a->out_h == a->in_h && a->out_w == a->in_w && a->in_c % 4 == 0;
    return a->in_c % 4 == 0 ? 0 : whole == run ? run : run + taps - a->filter_h * whole;
}

int32_t oribi_micro_conv2d_lanes_s8_prepare(const struct oribi_micro_conv2d_s8_args *plain,
                                            const int32_t *words,
                                            struct oribi_micro_conv2d_lanes_s8_args *args)
{
    const struct oribi_micro_conv2d_s8_args *a = plain;
    const int32_t taps = oribi_micro_lanes_taps(a->filter_h * a->filter_w * a->in_c);
    const int32_t rests = oribi_micro_conv2d_lanes_s8_sizes(a, taps, args);
    args->filter = words;
    return 4 * taps + rests;
}

/* --- Costs ----------------------------------------------------------------------------------- */

enum {
    /* Two pixels and two channels of them: a tap (a quarter of the rounds of micro/dsp.h), the turn
     * of 16 taps, and the way from sums to results. */
    TAP = 3,
    TURN = 2,
    BLOCK = 46,
    BLOCK_UNROLLED = 37,
    /* Two pixels: what surrounds their blocks, and four inputs of both widened. */
    PIXELS = 82,
    PIXELS_KNOWN = 38,
    FOUR_INPUTS = 9,
    /* Windows of two pixels: to find them, a row of them, what is left of a row of one. */
    WINDOWS = 70,
    WINDOWS_KNOWN = 30,
    WINDOW_ROW = 12,
    ROW_REST = 12,
    REST = 45,
    REST_KNOWN = 10,
    /* A window over the border costs about so much more for each input. */
    CLIPPED = 3,
    /* Bytes of code: of the kernel, of points with their loop of 16 taps and without, of four taps
     * written out, of windows, of what is left of their rows, of their loop. */
    KERNEL_CODE = 2900,
    POINT_CODE = 690,
    POINT_UNROLLED_CODE = 460,
    TAP_CODE = 12, /* 48 bytes for each four taps */
    WINDOW_CODE = 900,
    WINDOW_RESTS_CODE = 200,
    LOOP_CODE = 410
};

/* What of a call is known: nothing, its shape class, or so much that the taps are written out. */
enum { NOTHING, CLASS, UNROLLED };

static int64_t window_cost(const struct oribi_micro_conv2d_lanes_s8_args *a, int32_t known,
                           int64_t pairs)
{
    const int64_t rows = a->filter_h, run = (int64_t)a->filter_w * a->in_c, whole = run / 4 * 4;
    int64_t pair = (known != NOTHING ? WINDOWS_KNOWN : WINDOWS) +
                   rows * (WINDOW_ROW + FOUR_INPUTS * whole / 4);
    if (whole != run) {
        pair += 2 * ((known != NOTHING ? REST_KNOWN : REST) + rows * ROW_REST / 2 +
                     FOUR_INPUTS * (a->taps - rows * whole) / 8);
    }
    return pairs * pair;
}

/* How many windows along an axis lie inside. */
static int64_t inside(int32_t out, int32_t in, int32_t filter, int32_t stride, int32_t before)
{
    int64_t n = 0;
    for (int32_t at = -before, k = 0; k < out; k++, at += stride) {
        n += at >= 0 && at + filter <= in ? 1 : 0;
    }
    return n;
}

static int64_t cost(const struct oribi_micro_conv2d_lanes_s8_args *a, int32_t known)
{
    const int64_t taps = a->taps, pixels = (int64_t)a->out_h * a->out_w, pairs = (pixels + 1) / 2;
    const int64_t block =
        TAP * taps + (known == UNROLLED ? BLOCK_UNROLLED : BLOCK + TURN * taps / 16);
    int64_t image = pairs * (a->out_c + 1) / 2 * block;
    image += pairs * (known != NOTHING ? PIXELS_KNOWN : PIXELS);
    if (a->is_point != 0) {
        image += pairs * FOUR_INPUTS * taps / 4;
    } else {
        const int64_t whole = inside(a->out_h, a->in_h, a->filter_h, a->stride_h, a->before_h) *
                              inside(a->out_w, a->in_w, a->filter_w, a->stride_w, a->before_w);
        image += window_cost(a, known, pairs) + CLIPPED * taps * (pixels - whole);
    }
    return image * a->batch;
}

static int64_t instructions(const void *args)
{
    return cost(args, NOTHING);
}

/* As micro/dsp.h can write them out. */
static int32_t can_unroll(int32_t taps)
{
    return (taps % 8 == 0 && taps <= 40) || taps == 64;
}

static int32_t code_bytes(const struct oribi_micro_conv2d_lanes_s8_args *a, int32_t known)
{
    if (a->is_point != 0) {
        return known == UNROLLED ? POINT_UNROLLED_CODE + TAP_CODE * a->taps : POINT_CODE;
    }
    return WINDOW_CODE + (a->filter_w * a->in_c % 4 != 0 ? WINDOW_RESTS_CODE : 0) +
           (known == UNROLLED ? TAP_CODE * a->taps : LOOP_CODE);
}

static void add_constant(struct oribi_micro_class *c, const char *name, int32_t value)
{
    c->constants[c->n_constants].name = name;
    c->constants[c->n_constants++].value = value;
}

/* The class of all points, or of layers with these very windows. */
static struct oribi_micro_class make_class(const struct oribi_micro_conv2d_lanes_s8_args *a,
                                           int32_t is_exact)
{
    struct oribi_micro_class c = {.n_constants = 0};
    const int32_t known = is_exact && can_unroll(a->taps) ? UNROLLED : CLASS;
    add_constant(&c, "IS_PLAIN", 1);
    add_constant(&c, "IS_POINT", a->is_point);
    if (is_exact) {
        add_constant(&c, "TAPS", a->taps);
        add_constant(&c, "ROWS", a->filter_h);
        add_constant(&c, "ROW_BYTES", a->filter_w * a->in_c);
        add_constant(&c, "IN_C", a->in_c);
    }
    if (known == UNROLLED) {
        add_constant(&c, "UNROLL", a->taps);
    }
    if (a->is_point == 0) {
        c.name = "%dx%dx%d";
        c.what = "windows of %d x %d over %d channels";
        c.numbers[0] = a->filter_h;
        c.numbers[1] = a->filter_w;
        c.numbers[2] = a->in_c;
    } else if (is_exact) {
        c.name = "point%d";
        c.what = "points of %d channels";
        c.numbers[0] = a->in_c;
    } else {
        c.name = "point";
        c.what = "points of any channels";
    }
    c.code_bytes = code_bytes(a, known);
    c.instructions = cost(a, known);
    return c;
}

static int32_t classes(const void *args, struct oribi_micro_class out[ORIBI_MICRO_CLASSES])
{
    const struct oribi_micro_conv2d_lanes_s8_args *a = args;
    int32_t n = 0;
    if (a->out_c % 2 != 0 || a->output.has_general != 0) {
        return 0;
    }
    if (a->is_point != 0) {
        out[n++] = make_class(a, 0);
    }
    if (a->is_point == 0 || can_unroll(a->taps)) {
        out[n++] = make_class(a, 1);
    }
    return n;
}

const struct oribi_micro_costs oribi_micro_conv2d_lanes_s8_costs = {
    .kernel = "conv2d_lanes_s8",
    .body = "all_pixels",
    .code_bytes = KERNEL_CODE,
    .instructions = instructions,
    .classes = classes,
};

static int64_t words_of(const void *plain)
{
    struct oribi_micro_lanes_spec spec;
    return oribi_micro_conv2d_lanes_s8_fits(plain, &spec) ? oribi_micro_lanes_words(&spec) : 0;
}

static int64_t prepare(const void *plain, int32_t *words, void *args)
{
    struct oribi_micro_lanes_spec spec;
    (void)oribi_micro_conv2d_lanes_s8_fits(plain, &spec); /* it does */
    oribi_micro_lanes_pack(&spec, words);
    return oribi_micro_conv2d_lanes_s8_prepare(plain, words, args);
}

const struct oribi_micro_variant oribi_micro_conv2d_lanes_s8_variant = {
    "conv2d_lanes_s8", &oribi_micro_conv2d_lanes_s8_costs, words_of, prepare,
    &oribi_micro_conv2d_lanes_nibbles};
