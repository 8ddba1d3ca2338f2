/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolutions, plain and with planes of 3x3, against the oracle, on random layers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "micro/depthwise/depthwise_conv2d_3x3_plain_s8.h"
#include "micro/depthwise/depthwise_conv2d_3x3_s8_prepare.h"
#include "micro/depthwise/depthwise_conv2d_3x3_v6m_s8.h"
#include "micro/depthwise/depthwise_conv2d_s8_prepare.h"
#include "tests/micro/layer.h"

typedef struct tally {
    int planes, general, in_place, upright, turned;
} tally;

static oracle_window make_window(uint64_t *seed)
{
    oracle_window w = {0};
    w.batch = random_once_in(seed, 5) ? 2 : 1;
    w.in_c = random_in(seed, 1, LAYER_CHANNELS);
    w.filter_h = w.filter_w = 3;
    w.dilation_h = w.dilation_w = 1;
    w.stride_h = random_in(seed, 1, 3);
    w.stride_w = random_once_in(seed, 3) ? random_in(seed, 1, 3) : w.stride_h;
    w.padding = random_in(seed, 0, 2);
    w.in_h = random_in(seed, w.padding != 0 ? 1 : 3, 12);
    w.in_w = random_in(seed, w.padding != 0 ? 1 : 3, 12);
    oracle_pad(seed, &w);
    return w;
}

/* Of cores with lanes, of others, of ARMv6-M. */
typedef void kernel(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *args,
                    const int8_t *input, int8_t *output, void *scratch);
static kernel *const kernels[] = {oribi_micro_depthwise_conv2d_3x3_s8,
                                  oribi_micro_depthwise_conv2d_3x3_plain_s8,
                                  oribi_micro_depthwise_conv2d_3x3_v6m_s8};

static void run_planes(const struct oribi_micro_depthwise_conv2d_s8_args *plain,
                       const oracle_window *w, const int8_t *x, const int8_t *wanted, int32_t n_out,
                       tally *t)
{
    const int32_t n_in = w->batch * w->in_h * w->in_w * w->in_c;
    int32_t *words = (int32_t *)(void *)exactly(4 * ORIBI_MICRO_LANES_RECORD * w->in_c);
    struct oribi_micro_depthwise_conv2d_3x3_s8_args a;

    assert_true(oribi_micro_depthwise_conv2d_3x3_s8_fits(plain));
    assert_int_equal(oribi_micro_depthwise_conv2d_3x3_s8_prepare(plain, words, &a), ORIBI_MICRO_OK);
    int8_t *scratch = exactly(a.scratch_bytes), *y = exactly(n_out);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        memset(y, 0, (size_t)n_out);
        kernels[i](&a, x, y, scratch);
        assert_memory_equal(y, wanted, (size_t)n_out);
        if (w->batch == 1 && n_out <= n_in) {
            int8_t *both = exactly(n_in);
            memcpy(both, x, (size_t)n_in);
            kernels[i](&a, both, both, scratch);
            assert_memory_equal(both, wanted, (size_t)n_out);
            free(both);
            t->in_place++;
        }
    }
    for (int32_t c = 0; c < w->in_c; c++) {
        t->general += words[ORIBI_MICRO_LANES_RECORD * c + 4] < 0;
    }
    t->planes++;
    t->upright += a.in_column_step == a.channels && w->in_h > 1;
    t->turned += a.in_column_step != a.channels;
    free(words);
    free(scratch);
    free(y);
}

static void check(uint64_t seed, tally *t)
{
    static layer l;
    oracle_window w = make_window(&seed);
    const int32_t n_in = w.batch * w.in_h * w.in_w * w.in_c;
    const int32_t n_out = w.batch * w.out_h * w.out_w * w.in_c;
    int8_t *x = exactly(n_in), *wanted = exactly(n_out), *y = exactly(n_out);
    struct oribi_micro_depthwise_conv2d_s8_args a;

    layer_make(&l, &seed, w.in_c, 9, 0);
    w.in_zero = l.input.zero;
    random_bytes(&seed, x, n_in, -128, 127);
    const struct oribi_micro_depthwise_conv2d_s8_spec spec = {
        w.batch,
        w.in_h,
        w.in_w,
        w.in_c,
        1,
        3,
        3,
        w.stride_h,
        w.stride_w,
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
    const int32_t code =
        oribi_micro_depthwise_conv2d_s8_prepare(&spec, &a, l.folded, l.multiplier, l.shift);
    if (code == ORIBI_MICRO_OK) {
        for (int32_t i = 0; i < n_out; i++) {
            const int32_t c = i % w.in_c, p = i / w.in_c;
            const int64_t sum =
                oracle_window_sum(&w, x, l.filter + c, w.in_c, c, 1, p / w.out_w / w.out_h,
                                  p / w.out_w % w.out_h, p % w.out_w);
            wanted[i] = oracle_result(sum + l.bias[c], layer_real(&l, c), &l.bounds);
        }
        oribi_micro_depthwise_conv2d_s8(&a, x, y, NULL);
        assert_memory_equal(y, wanted, (size_t)n_out);
        run_planes(&a, &w, x, wanted, n_out, t);
    } else {
        assert_int_equal(code, ORIBI_MICRO_OVERFLOW);
    }
    free(x);
    free(wanted);
    free(y);
}

static void plain_and_planes_give_what_the_oracle_gives(void **state)
{
    tally t = {0};
    (void)state;

    for (uint64_t seed = 1; seed <= SHARE_OF(1000); seed++) {
        check(seed * UINT64_C(0x9e3779b97f4a7c15), &t);
    }
    assert_true(t.planes > LEAST_OF(800) && t.general > LEAST_OF(500) &&
                t.in_place > LEAST_OF(1500));
    assert_true(t.upright > LEAST_OF(100) && t.turned > LEAST_OF(100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_and_planes_give_what_the_oracle_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
