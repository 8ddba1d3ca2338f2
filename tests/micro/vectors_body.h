/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for cores with vectors against the oracle, on random layers. Who includes this names the
 * kernels of a set, and writes make_window, which makes the windows of a depthwise convolution:
 *
 *   DENSE, CONV, DEPTHWISE, ADD   functions; for the first three also ..._ARGS and ..._VARIANT
 *   DENSE_CHANNELS, CONV_CHANNELS at most so many result channels
 *   LEFT_ONCE_IN                  of so many channels one is scaled as it comes
 *   IS_TURNED(args)               where such kernels exchange rows and columns: do they?
 */
#ifndef ORIBI_TESTS_MICRO_VECTORS_BODY_H_
#define ORIBI_TESTS_MICRO_VECTORS_BODY_H_

#include "micro/conv/conv2d_s8_prepare.h"
#include "micro/dense/fully_connected_s8_prepare.h"
#include "micro/depthwise/depthwise_conv2d_s8_prepare.h"
#include "micro/elementwise/binary_q_prepare.h"
#include "tests/micro/layer.h"

typedef struct tally {
    int fits, refused, left[4], in_place, turned, pairs_and_one, strided;
} tally;

static oracle_window make_window(uint64_t *seed);

static uint64_t nth_seed(uint64_t n)
{
    return n * UINT64_C(0x9e3779b97f4a7c15);
}

/* Words of a layer that fits; NULL: it does not. */
static int32_t *words_for(const struct oribi_micro_variant *v, const void *plain, tally *t)
{
    const int64_t n = v->words(plain);
    t->fits += n > 0;
    t->refused += n == 0;
    return n > 0 ? (int32_t *)(void *)exactly(4 * (int32_t)n) : NULL;
}

/* --- Fully connected layers ------------------------------------------------------------------ */

static void check_fully_connected(uint64_t seed, tally *t)
{
    static layer l;
    const int32_t rows = random_once_in(&seed, 3) ? random_in(&seed, 2, 4) : 1;
    const int32_t in_c =
        random_once_in(&seed, 2) ? 16 * random_in(&seed, 1, 8) : random_in(&seed, 1, 70);
    const int32_t out_c = random_in(&seed, 1, DENSE_CHANNELS), n = rows * out_c;
    struct oribi_micro_fully_connected_s8_args a;
    DENSE_ARGS vectors;

    layer_make(&l, &seed, out_c, in_c, 0);
    const struct oribi_micro_fully_connected_s8_spec spec = {
        rows, in_c, out_c, l.activation, l.input, l.output, l.scales, l.n_scales, l.filter, l.bias};
    if (oribi_micro_fully_connected_s8_prepare(&spec, &a, l.folded, l.multiplier, l.shift) !=
        ORIBI_MICRO_OK) {
        return;
    }
    int32_t *words = words_for(&DENSE_VARIANT, &a, t);
    if (words == NULL) {
        return;
    }
    int8_t *x = exactly(rows * in_c), *wanted = exactly(n), *y = exactly(n);
    random_bytes(&seed, x, rows * in_c, -128, 127);
    for (int32_t i = 0; i < n; i++) {
        const int32_t c = i % out_c;
        int64_t sum = l.bias[c];
        for (int32_t k = 0; k < in_c; k++) {
            sum += (int64_t)(x[i / out_c * in_c + k] - l.input.zero) * l.filter[c * in_c + k];
        }
        const float product = l.input.scale * l.scales[0]; /* one scale is multiplied as float32 */
        const double real =
            l.n_scales > 1 ? layer_real(&l, c) : (double)product / (double)l.output.scale;
        wanted[i] = oracle_result(sum, real, &l.bounds);
    }
    (void)DENSE_VARIANT.prepare(&a, words, &vectors);
    DENSE(&vectors, x, y, NULL);
    assert_memory_equal(y, wanted, (size_t)n);
    t->left[out_c % 4]++;
    free(words);
    free(x);
    free(wanted);
    free(y);
}

static void fully_connected_layers_give_what_the_oracle_gives(void **state)
{
    tally t = {0};
    (void)state;

    for (uint64_t i = 1; i <= SHARE_OF(1500); i++) {
        check_fully_connected(nth_seed(i), &t);
    }
    assert_true(t.fits > LEAST_OF(500) && t.refused > LEAST_OF(20));
    for (int i = 0; i < 4; i++) {
        assert_true(t.left[i] > LEAST_OF(50));
    }
}

/* --- Convolutions ---------------------------------------------------------------------------- */

typedef struct shape {
    oracle_window w;
    int32_t out_c;
} shape;

static shape make_shape(uint64_t *seed)
{
    shape s = {0};
    oracle_window *w = &s.w;
    const int is_point = random_once_in(seed, 4);
    w->batch = random_once_in(seed, 5) ? 2 : 1;
    w->in_c = random_once_in(seed, 2) ? 8 * random_in(seed, 1, 4) : random_in(seed, 1, 7);
    w->filter_h = is_point ? 1 : random_in(seed, 1, 4);
    w->filter_w = is_point ? 1 : random_in(seed, 1, 4);
    w->stride_h = is_point ? 1 : random_in(seed, 1, 3);
    w->stride_w = is_point ? 1 : random_in(seed, 1, 3);
    w->dilation_h = random_once_in(seed, 4) ? 2 : 1;
    w->dilation_w = 1;
    w->in_h = random_in(seed, (w->filter_h - 1) * w->dilation_h + 1, 9);
    w->in_w = random_in(seed, w->filter_w, 9);
    w->padding = random_in(seed, 0, 2);
    s.out_c = random_in(seed, 1, CONV_CHANNELS);
    oracle_pad(seed, w);
    return s;
}

/* The layer's arguments; false: its sums leave int32. */
static int prepare_conv(layer *l, uint64_t *seed, const shape *s,
                        struct oribi_micro_conv2d_s8_args *a)
{
    const oracle_window *w = &s->w;
    layer_make(l, seed, s->out_c, w->filter_h * w->filter_w * w->in_c, 0);
    const struct oribi_micro_conv2d_s8_spec spec = {
        w->batch,      w->in_h,
        w->in_w,       w->in_c,
        s->out_c,      w->filter_h,
        w->filter_w,   w->in_c,
        w->stride_h,   w->stride_w,
        w->dilation_h, w->dilation_w,
        w->padding,    {w->pads[0], w->pads[1], w->pads[2], w->pads[3]},
        l->activation, 0,
        l->input,      l->output,
        l->scales,     l->n_scales,
        l->filter,     l->bias};
    return oribi_micro_conv2d_s8_prepare(&spec, a, l->folded, l->multiplier, l->shift) ==
           ORIBI_MICRO_OK;
}

static void find_conv(const layer *l, const shape *s, const int8_t *x, int32_t n, int8_t *wanted)
{
    const int32_t depth = s->w.filter_h * s->w.filter_w * s->w.in_c;
    oracle_window w = s->w;
    w.in_zero = l->input.zero;
    for (int32_t i = 0; i < n; i++) {
        const int32_t c = i % s->out_c, p = i / s->out_c;
        const int64_t sum =
            oracle_window_sum(&w, x, l->filter + c * depth, 1, 0, w.in_c, p / w.out_w / w.out_h,
                              p / w.out_w % w.out_h, p % w.out_w);
        wanted[i] = oracle_result(sum + l->bias[c], layer_real(l, c), &l->bounds);
    }
}

static void check_conv(uint64_t seed, tally *t)
{
    static layer l;
    const shape s = make_shape(&seed);
    const int32_t n_in = s.w.batch * s.w.in_h * s.w.in_w * s.w.in_c;
    const int32_t n = s.w.batch * s.w.out_h * s.w.out_w * s.out_c;
    struct oribi_micro_conv2d_s8_args a;
    CONV_ARGS vectors;
    int32_t *words = prepare_conv(&l, &seed, &s, &a) ? words_for(&CONV_VARIANT, &a, t) : NULL;
    if (words == NULL) {
        return;
    }
    int8_t *x = exactly(n_in), *wanted = exactly(n), *y = exactly(n);
    int8_t *scratch = exactly((int32_t)CONV_VARIANT.prepare(&a, words, &vectors));
    random_bytes(&seed, x, n_in, -128, 127);
    find_conv(&l, &s, x, n, wanted);
    CONV(&vectors, x, y, scratch);
    assert_memory_equal(y, wanted, (size_t)n);
    if (s.w.filter_h * s.w.filter_w * s.w.stride_h * s.w.stride_w == 1 && s.out_c <= s.w.in_c &&
        (s.w.batch == 1 || s.out_c == s.w.in_c)) {
        CONV(&vectors, x, x, scratch);
        assert_memory_equal(x, wanted, (size_t)n);
        t->in_place++;
    }
    t->left[s.out_c % 4]++;
    free(words);
    free(scratch);
    free(x);
    free(wanted);
    free(y);
}

static void convolutions_give_what_the_oracle_gives(void **state)
{
    tally t = {0};
    (void)state;

    for (uint64_t i = 1; i <= SHARE_OF(1500); i++) {
        check_conv(nth_seed(i), &t);
    }
    assert_true(t.fits > LEAST_OF(700) && t.refused > LEAST_OF(50) && t.in_place > LEAST_OF(40));
    for (int i = 0; i < 4; i++) {
        assert_true(t.left[i] > LEAST_OF(50));
    }
}

/* --- Depthwise convolutions ------------------------------------------------------------------ */

static void check_depthwise(uint64_t seed, tally *t)
{
    static layer l;
    oracle_window w = make_window(&seed);
    const int32_t n_in = w.batch * w.in_h * w.in_w * w.in_c;
    const int32_t n = w.batch * w.out_h * w.out_w * w.in_c;
    struct oribi_micro_depthwise_conv2d_s8_args a;
    DEPTHWISE_ARGS vectors;

    layer_make(&l, &seed, w.in_c, w.filter_h * w.filter_w, 0);
    w.in_zero = l.input.zero;
    for (int32_t c = 0; c < w.in_c; c++) { /* else most layers have a channel that goes left */
        l.scales[c] =
            random_once_in(&seed, LEFT_ONCE_IN)
                ? l.scales[c]
                : l.output.scale / l.input.scale * (float)random_in(&seed, 1, 900) / 1000.0F;
    }
    const struct oribi_micro_depthwise_conv2d_s8_spec spec = {
        w.batch,
        w.in_h,
        w.in_w,
        w.in_c,
        1,
        w.filter_h,
        w.filter_w,
        w.stride_h,
        w.stride_w,
        w.dilation_h,
        w.dilation_w,
        w.padding,
        {w.pads[0], w.pads[1], w.pads[2], w.pads[3]},
        l.activation,
        0,
        l.input,
        l.output,
        l.scales,
        l.n_scales,
        l.filter,
        l.bias};
    int32_t *words = oribi_micro_depthwise_conv2d_s8_prepare(&spec, &a, l.folded, l.multiplier,
                                                             l.shift) == ORIBI_MICRO_OK
                         ? words_for(&DEPTHWISE_VARIANT, &a, t)
                         : NULL;
    if (words == NULL) {
        return;
    }
    int8_t *x = exactly(n_in), *wanted = exactly(n), *y = exactly(n);
    int8_t *scratch = exactly((int32_t)DEPTHWISE_VARIANT.prepare(&a, words, &vectors));
    random_bytes(&seed, x, n_in, -128, 127);
    for (int32_t i = 0; i < n; i++) {
        const int32_t c = i % w.in_c, p = i / w.in_c;
        const int64_t sum =
            oracle_window_sum(&w, x, l.filter + c, w.in_c, c, 1, p / w.out_w / w.out_h,
                              p / w.out_w % w.out_h, p % w.out_w);
        wanted[i] = oracle_result(sum + l.bias[c], layer_real(&l, c), &l.bounds);
    }
    DEPTHWISE(&vectors, x, y, scratch);
    assert_memory_equal(y, wanted, (size_t)n);
    if (w.batch == 1 && w.out_h <= w.in_h && w.out_w <= w.in_w) {
        DEPTHWISE(&vectors, x, x, scratch);
        assert_memory_equal(x, wanted, (size_t)n);
        t->in_place++;
    }
#ifdef IS_TURNED
    t->turned += IS_TURNED(vectors);
#endif
    t->pairs_and_one += w.out_w > 2 && w.out_w % 2 != 0;
    t->strided += w.stride_w > 1;
    free(words);
    free(scratch);
    free(x);
    free(wanted);
    free(y);
}

static void depthwise_convolutions_give_what_the_oracle_gives(void **state)
{
    tally t = {0};
    (void)state;

    for (uint64_t i = 1; i <= SHARE_OF(1000); i++) {
        check_depthwise(nth_seed(i), &t);
    }
    assert_true(t.fits > LEAST_OF(400) && t.refused > LEAST_OF(50) && t.in_place > LEAST_OF(200));
#ifdef IS_TURNED
    assert_true(t.turned > LEAST_OF(30));
#endif
    assert_true(t.pairs_and_one > LEAST_OF(80) && t.strided > LEAST_OF(100));
}

/* --- Sums ------------------------------------------------------------------------------------ */

typedef struct sum {
    struct oribi_micro_quantisation a, b, output;
    oracle_output bounds;
} sum;

static int8_t oracle_sum(const sum *s, int8_t a, int8_t b)
{
    const double scale_a = (double)s->a.scale, scale_b = (double)s->b.scale;
    const double twice = 2.0 * (scale_a > scale_b ? scale_a : scale_b);
    const int64_t left = oracle_scale((int64_t)(a - s->a.zero) * 1048576, scale_a / twice);
    const int64_t right = oracle_scale((int64_t)(b - s->b.zero) * 1048576, scale_b / twice);
    return oracle_result(left + right, twice / (1048576.0 * (double)s->output.scale), &s->bounds);
}

static int prepare_sum(const sum *s, int32_t n, struct oribi_micro_add_s8_args *args)
{
    const int32_t dims[1] = {n};
    const struct oribi_micro_binary_q_spec spec = {.a_dims = dims,
                                                   .b_dims = dims,
                                                   .a_rank = 1,
                                                   .b_rank = 1,
                                                   .a = s->a,
                                                   .b = s->b,
                                                   .output = s->output};
    return oribi_micro_add_s8_prepare(&spec, args) == ORIBI_MICRO_OK;
}

static void sums_of_every_two_values_give_what_the_oracle_gives(void **state)
{
    enum { PAIRS = 65536, COUNT = PAIRS - 3 /* three lanes of the last four are left out */ };
    static int8_t a[PAIRS], b[PAIRS], y[PAIRS];
    (void)state;

    for (int32_t i = 0; i < PAIRS; i++) {
        a[i] = (int8_t)(i / 256 - 128);
        b[i] = (int8_t)(i % 256 - 128);
    }
    for (uint64_t n = 1; n <= 12; n++) {
        uint64_t seed = nth_seed(n);
        struct oribi_micro_add_s8_args args;
        sum s = {{(float)random_in(&seed, 1, 1000) / 8000.0F, random_in(&seed, -128, 127)},
                 {(float)random_in(&seed, 1, 1000) / 8000.0F, random_in(&seed, -128, 127)},
                 {(float)random_in(&seed, 200, 4000) / 8000.0F, random_in(&seed, -128, 127)},
                 {0, INT8_MIN, INT8_MAX}};
        if (n % 3 == 0) { /* powers of two, where results lie halfway */
            s.a.scale = 0.5F;
            s.b.scale = n % 2 == 0 ? 0.5F : 0.25F;
            s.output.scale = 1.0F;
        }
        s.bounds.zero = s.output.zero;
        assert_true(prepare_sum(&s, COUNT, &args));
        y[COUNT] = 77;
        ADD(&args, a, b, y, NULL);
        for (int32_t i = 0; i < COUNT; i++) {
            assert_int_equal(y[i], oracle_sum(&s, a[i], b[i]));
        }
        assert_int_equal(y[COUNT], 77);
    }
}

#endif
