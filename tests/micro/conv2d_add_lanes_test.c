/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution with a sum at its end against the oracle's convolution and the oracle's sum, beside
 * and over what it is added to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "micro/elementwise/binary_q_prepare.h"
#include "micro/conv/conv2d_add_lanes_s8.h"
#include "micro/quads/conv2d_add_quads_s8.h"
#include "micro/quads/conv2d_add_quads_v6m_s8.h"
#include "micro/conv/conv2d_lanes_s8_prepare.h"
#include "micro/quads/conv2d_quads_s8_prepare.h"
#include "micro/conv/conv2d_s8_prepare.h"
#include "tests/micro/layer.h"

enum { SIDE = 7, MOST = 2 * SIDE * SIDE * 8 };

typedef struct sum_spec {
    struct oribi_micro_quantisation other, output;
    oracle_output bounds;
} sum_spec;

static oracle_window make_window(uint64_t *seed)
{
    oracle_window w = {.batch = random_once_in(seed, 4) ? 2 : 1,
                       .in_h = random_in(seed, 1, SIDE),
                       .in_w = random_in(seed, 1, SIDE),
                       .in_c = random_in(seed, 1, 8),
                       .filter_h = random_in(seed, 1, 3),
                       .filter_w = random_in(seed, 1, 3),
                       .stride_h = 1,
                       .stride_w = 1,
                       .dilation_h = 1,
                       .dilation_w = 1,
                       .padding = random_in(seed, 1, 2)};
    oracle_pad(seed, &w);
    return w;
}

static int8_t oracle_sum(int8_t a, const struct oribi_micro_quantisation *of_a, int8_t b,
                         const sum_spec *s)
{
    const double scale_a = (double)of_a->scale, scale_b = (double)s->other.scale;
    const double twice = 2.0 * (scale_a > scale_b ? scale_a : scale_b);
    const int64_t left = oracle_scale((int64_t)(a - of_a->zero) * 1048576, scale_a / twice);
    const int64_t right = oracle_scale((int64_t)(b - s->other.zero) * 1048576, scale_b / twice);
    return oracle_result(left + right, twice / (1048576.0 * (double)s->output.scale), &s->bounds);
}

static void find_wanted(const layer *l, const oracle_window *w, const int8_t *x,
                        const int8_t *other, const sum_spec *s, int32_t n, int8_t *wanted)
{
    const int32_t depth = w->filter_h * w->filter_w * w->in_c;
    oracle_window window = *w;
    window.in_zero = l->input.zero;
    for (int32_t i = 0; i < n; i++) {
        const int32_t c = i % l->channels, p = i / l->channels;
        const int64_t sum =
            oracle_window_sum(&window, x, l->filter + c * depth, 1, 0, w->in_c,
                              p / w->out_w / w->out_h, p / w->out_w % w->out_h, p % w->out_w);
        const int8_t result = oracle_result(sum + l->bias[c], layer_real(l, c), &l->bounds);
        wanted[i] = oracle_sum(result, &l->output, other[i], s);
    }
}

/* The kernels of cores without lanes, beside `other`. */
static void run_quads(const struct oribi_micro_conv2d_s8_args *plain,
                      const struct oribi_micro_add_scales_s8 *scales, const int8_t *x,
                      const int8_t *other, int32_t n, const int8_t *wanted)
{
    for (int32_t is_v6m = 0; is_v6m < 2; is_v6m++) {
        const struct oribi_micro_variant *v = is_v6m ? &oribi_micro_conv2d_quads_v6m_s8_variant
                                                     : &oribi_micro_conv2d_quads_s8_variant;
        struct oribi_micro_conv2d_add_lanes_s8_args a = {.scales = *scales};
        int32_t *words = (int32_t *)(void *)exactly(4 * (int32_t)v->words(plain));
        a.results = (int32_t)v->prepare(plain, words, &a.conv);
        int8_t *scratch = exactly(a.results + 2 * a.conv.out_c), *y = exactly(n);
        (is_v6m ? oribi_micro_conv2d_add_quads_v6m_s8
                : oribi_micro_conv2d_add_quads_s8)(&a, x, other, y, scratch);
        assert_memory_equal(y, wanted, (size_t)n);
        free(words);
        free(scratch);
        free(y);
    }
}

/* Runs beside `other`, then over it. */
static void run(const struct oribi_micro_conv2d_s8_args *plain,
                const struct oribi_micro_lanes_spec *lanes,
                const struct oribi_micro_add_scales_s8 *scales, const int8_t *x, int8_t *other,
                int32_t n, const int8_t *wanted)
{
    struct oribi_micro_conv2d_add_lanes_s8_args a = {.scales = *scales};
    int32_t *words = (int32_t *)(void *)exactly(4 * oribi_micro_lanes_words(lanes));

    oribi_micro_lanes_pack(lanes, words);
    a.results = oribi_micro_conv2d_lanes_s8_prepare(plain, words, &a.conv);
    int8_t *scratch = exactly(a.results + 2 * a.conv.out_c), *y = exactly(n);
    oribi_micro_conv2d_add_lanes_s8(&a, x, other, y, scratch);
    assert_memory_equal(y, wanted, (size_t)n);
    oribi_micro_conv2d_add_lanes_s8(&a, x, other, other, scratch);
    assert_memory_equal(other, wanted, (size_t)n);
    free(words);
    free(scratch);
    free(y);
}

static int check(uint64_t seed)
{
    static layer l;
    static int8_t x[MOST], wanted[MOST];
    const oracle_window w = make_window(&seed);
    const int32_t channels = random_in(&seed, 1, 8), in = w.batch * w.in_h * w.in_w * w.in_c;
    const int32_t n = w.batch * w.out_h * w.out_w * channels, dims[1] = {n};
    struct oribi_micro_conv2d_s8_args plain;
    struct oribi_micro_lanes_spec lanes;
    struct oribi_micro_add_s8_args add;

    layer_make(&l, &seed, channels, w.filter_h * w.filter_w * w.in_c, 0);
    const sum_spec s = {
        {l.output.scale * (float)random_in(&seed, 1, 4000) / 1000.0F, random_in(&seed, -128, 127)},
        {l.output.scale * (float)random_in(&seed, 500, 4000) / 1000.0F, l.output.zero},
        {l.output.zero, INT8_MIN, INT8_MAX}};
    const struct oribi_micro_conv2d_s8_spec spec = {w.batch,
                                                    w.in_h,
                                                    w.in_w,
                                                    w.in_c,
                                                    channels,
                                                    w.filter_h,
                                                    w.filter_w,
                                                    w.in_c,
                                                    1,
                                                    1,
                                                    1,
                                                    1,
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
    const struct oribi_micro_binary_q_spec sum = {.a_dims = dims,
                                                  .b_dims = dims,
                                                  .a_rank = 1,
                                                  .b_rank = 1,
                                                  .a = l.output,
                                                  .b = s.other,
                                                  .output = s.output};
    random_bytes(&seed, x, in, -128, 127);
    if (oribi_micro_conv2d_s8_prepare(&spec, &plain, l.folded, l.multiplier, l.shift) !=
            ORIBI_MICRO_OK ||
        !oribi_micro_conv2d_lanes_s8_fits(&plain, &lanes) ||
        oribi_micro_add_s8_prepare(&sum, &add) != ORIBI_MICRO_OK) {
        return 0;
    }
    int8_t *other = exactly(n);
    random_bytes(&seed, other, n, -128, 127);
    find_wanted(&l, &w, x, other, &s, n, wanted);
    run_quads(&plain, &add.scales, x, other, n, wanted);
    run(&plain, &lanes, &add.scales, x, other, n, wanted);
    free(other);
    return 1;
}

static void convolution_and_sum_are_what_the_oracle_gives(void **state)
{
    int n = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SHARE_OF(1000); seed++) {
        n += check(seed * UINT64_C(0x9e3779b97f4a7c15));
    }
    assert_true(n > LEAST_OF(500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolution_and_sum_are_what_the_oracle_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
