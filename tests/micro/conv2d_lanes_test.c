/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions, plain, in lanes and in quads, against the oracle, on random layers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "micro/conv/conv2d_lanes_s8_prepare.h"
#include "micro/quads/conv2d_quads_s8.h"
#include "micro/quads/conv2d_quads_s8_prepare.h"
#include "micro/quads/conv2d_quads_v6m_s8.h"
#include "micro/conv/conv2d_s8_prepare.h"
#include "tests/micro/layer.h"

typedef struct tally {
    int in_lanes, in_quads, plain_only, general_pairs, fast_pairs, odd, in_place;
} tally;

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
    w->in_c = random_once_in(seed, 2) ? 4 * random_in(seed, 1, 5) : random_in(seed, 1, 7);
    w->filter_h = is_point ? 1 : random_in(seed, 1, 4);
    w->filter_w = is_point ? 1 : random_in(seed, 1, 4);
    w->stride_h = is_point ? 1 : random_in(seed, 1, 3);
    w->stride_w = is_point ? 1 : random_in(seed, 1, 3);
    w->dilation_h = random_once_in(seed, 4) ? 2 : 1;
    w->dilation_w = random_once_in(seed, 12) ? 2 : 1;
    w->in_h = random_in(seed, (w->filter_h - 1) * w->dilation_h + 1, 9);
    w->in_w = random_in(seed, (w->filter_w - 1) * w->dilation_w + 1, 9);
    w->padding = random_in(seed, 0, 2);
    s.out_c = random_in(seed, 1, 11);
    oracle_pad(seed, w);
    return s;
}

static void count_pairs(const int32_t *words, int32_t taps, int32_t out_c, tally *t)
{
    for (int32_t c = 0; c < out_c; c += 2) {
        words += taps / 2;
        t->general_pairs += oribi_micro_lanes_is_general(words);
        t->fast_pairs += !oribi_micro_lanes_is_general(words);
        words += ORIBI_MICRO_LANES_RECORD;
    }
}

static void run_lanes(const struct oribi_micro_conv2d_s8_args *plain,
                      const struct oribi_micro_lanes_spec *spec, const shape *s, const int8_t *x,
                      const int8_t *wanted, int32_t n_out, tally *t)
{
    const int32_t n_words = oribi_micro_lanes_words(spec);
    const int32_t n_in = s->w.batch * s->w.in_h * s->w.in_w * s->w.in_c;
    int32_t *words = (int32_t *)(void *)exactly(4 * n_words);
    struct oribi_micro_conv2d_lanes_s8_args a;

    oribi_micro_lanes_pack(spec, words);
    int8_t *scratch = exactly(oribi_micro_conv2d_lanes_s8_prepare(plain, words, &a)),
           *y = exactly(n_out);
    oribi_micro_conv2d_lanes_s8(&a, x, y, scratch);
    assert_memory_equal(y, wanted, (size_t)n_out);
    if (a.filter_h * a.filter_w * a.stride_h * a.stride_w == 1 && a.out_c <= a.in_c) {
        int8_t *both = exactly(n_in);
        memcpy(both, x, (size_t)n_in);
        if (a.batch == 1 || a.out_c == a.in_c) {
            oribi_micro_conv2d_lanes_s8(&a, both, both, scratch);
            assert_memory_equal(both, wanted, (size_t)n_out);
            t->in_place++;
        }
        free(both);
    }
    count_pairs(words, a.taps, a.out_c, t);
    t->in_lanes++;
    t->odd += a.out_c % 2;
    free(words);
    free(scratch);
    free(y);
}

/* The kernels of cores without lanes: any weights fit. */
static void run_quads(const struct oribi_micro_conv2d_s8_args *plain, const int8_t *x,
                      const int8_t *wanted, int32_t n_out, tally *t)
{
    for (int32_t is_v6m = 0; is_v6m < 2; is_v6m++) {
        const struct oribi_micro_variant *v = is_v6m ? &oribi_micro_conv2d_quads_v6m_s8_variant
                                                     : &oribi_micro_conv2d_quads_s8_variant;
        const int32_t n_words = (int32_t)v->words(plain);
        if (n_words == 0) {
            continue;
        }
        int32_t *words = (int32_t *)(void *)exactly(4 * n_words);
        struct oribi_micro_conv2d_lanes_s8_args a;
        int8_t *scratch = exactly((int32_t)v->prepare(plain, words, &a)), *y = exactly(n_out);
        (is_v6m ? oribi_micro_conv2d_quads_v6m_s8 : oribi_micro_conv2d_quads_s8)(&a, x, y, scratch);
        assert_memory_equal(y, wanted, (size_t)n_out);
        t->in_quads++;
        free(words);
        free(scratch);
        free(y);
    }
}

static void check(uint64_t seed, tally *t)
{
    static layer l;
    const shape s = make_shape(&seed);
    const oracle_window *w = &s.w;
    const int32_t depth = w->filter_h * w->filter_w * w->in_c;
    const int32_t n_in = w->batch * w->in_h * w->in_w * w->in_c;
    const int32_t n_out = w->batch * w->out_h * w->out_w * s.out_c;
    int8_t *x = exactly(n_in), *wanted = exactly(n_out), *y = exactly(n_out);
    struct oribi_micro_conv2d_s8_args a;
    struct oribi_micro_lanes_spec lanes;

    layer_make(&l, &seed, s.out_c, depth, 0);
    oracle_window window = *w;
    window.in_zero = l.input.zero;
    random_bytes(&seed, x, n_in, -128, 127);
    const struct oribi_micro_conv2d_s8_spec spec = {
        w->batch,      w->in_h,
        w->in_w,       w->in_c,
        s.out_c,       w->filter_h,
        w->filter_w,   w->in_c,
        w->stride_h,   w->stride_w,
        w->dilation_h, w->dilation_w,
        w->padding,    {w->pads[0], w->pads[1], w->pads[2], w->pads[3]},
        l.activation,  0,
        l.input,       l.output,
        l.scales,      l.n_scales,
        l.filter,      l.bias};
    const int32_t code = oribi_micro_conv2d_s8_prepare(&spec, &a, l.folded, l.multiplier, l.shift);
    if (code == ORIBI_MICRO_OK) {
        for (int32_t i = 0; i < n_out; i++) {
            const int32_t c = i % s.out_c, p = i / s.out_c, column = p % w->out_w;
            const int64_t sum =
                oracle_window_sum(&window, x, l.filter + c * depth, 1, 0, w->in_c,
                                  p / w->out_w / w->out_h, p / w->out_w % w->out_h, column);
            wanted[i] = oracle_result(sum + l.bias[c], layer_real(&l, c), &l.bounds);
        }
        int8_t *scratch = exactly(a.scratch_bytes);
        oribi_micro_conv2d_s8(&a, x, y, scratch);
        assert_memory_equal(y, wanted, (size_t)n_out);
        if (oribi_micro_conv2d_lanes_s8_fits(&a, &lanes)) {
            run_lanes(&a, &lanes, &s, x, wanted, n_out, t);
        } else {
            t->plain_only++;
        }
        run_quads(&a, x, wanted, n_out, t);
        free(scratch);
    } else {
        assert_int_equal(code, ORIBI_MICRO_OVERFLOW);
    }
    free(x);
    free(wanted);
    free(y);
}

static void plain_lanes_and_quads_give_what_the_oracle_gives(void **state)
{
    tally t = {0};
    (void)state;

    for (uint64_t seed = 1; seed <= SHARE_OF(1500); seed++) {
        check(seed * UINT64_C(0x9e3779b97f4a7c15), &t);
    }
    assert_true(t.in_lanes > LEAST_OF(800) && t.in_quads > LEAST_OF(1600) &&
                t.plain_only > LEAST_OF(50) && t.odd > LEAST_OF(200) && t.in_place > LEAST_OF(50));
    assert_true(t.general_pairs > LEAST_OF(500) && t.fast_pairs > LEAST_OF(1000));
}

static void weights_that_lanes_cannot_hold_are_left_plain(void **state)
{
    int8_t filter[2][8] = {{-1, 0}, {-128, 0}};
    int32_t bias[2] = {0, 0}, multiplier[2] = {1 << 30, 1 << 30}, shift[2] = {-4, -4};
    struct oribi_micro_lanes_spec spec = {&filter[0][0], 2,          8,     1, 2,
                                          bias,          multiplier, shift, 0, {0, -128, 127, 0}};
    (void)state;

    assert_false(oribi_micro_lanes_fit(&spec));
    filter[0][0] = 0;
    assert_true(oribi_micro_lanes_fit(&spec));
}

static void a_sum_that_leaves_24_bits_is_left_plain(void **state)
{
    enum { DEPTH = 520 };
    static int8_t filter[2][DEPTH];
    int32_t bias[2] = {0, 0}, multiplier[2] = {1 << 30, 1 << 30}, shift[2] = {-4, -4};
    struct oribi_micro_lanes_spec spec = {&filter[0][0], 2,          DEPTH, 1, 2,
                                          bias,          multiplier, shift, 0, {0, -128, 127, 0}};
    (void)state;

    memset(filter, 127, sizeof filter);
    assert_false(oribi_micro_lanes_fit(&spec)); /* 127 * 520 is above 65,535 */
    spec.depth = 516;
    assert_true(oribi_micro_lanes_fit(&spec));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lanes_and_quads_give_what_the_oracle_gives),
        cmocka_unit_test(weights_that_lanes_cannot_hold_are_left_plain),
        cmocka_unit_test(a_sum_that_leaves_24_bits_is_left_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
