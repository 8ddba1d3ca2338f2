/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for cores with MVE against the oracle, on random layers: on the host their twins in
 * plain C, in QEMU the assembly (arm_test.py).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "micro/mve/add_mve_s8.h"
#include "micro/mve/conv2d_add_mve_s8_prepare.h"
#include "micro/mve/conv2d_mve_s8_prepare.h"
#include "micro/mve/depthwise_conv2d_3x3_mve_s8_prepare.h"
#include "micro/mve/fully_connected_mve_s8_prepare.h"

#define DENSE             oribi_micro_fully_connected_mve_s8
#define DENSE_ARGS        struct oribi_micro_fully_connected_mve_s8_args
#define DENSE_VARIANT     oribi_micro_fully_connected_mve_s8_variant
#define DENSE_CHANNELS    LAYER_CHANNELS
#define CONV              oribi_micro_conv2d_mve_s8
#define CONV_ARGS         struct oribi_micro_conv2d_mve_s8_args
#define CONV_VARIANT      oribi_micro_conv2d_mve_s8_variant
#define CONV_CHANNELS     11
#define DEPTHWISE         oribi_micro_depthwise_conv2d_3x3_mve_s8
#define DEPTHWISE_ARGS    struct oribi_micro_depthwise_conv2d_3x3_mve_s8_args
#define DEPTHWISE_VARIANT oribi_micro_depthwise_conv2d_3x3_mve_s8_variant
#define IS_TURNED(args)   ((args).in_column_step != (args).channels)
#define ADD               oribi_micro_add_mve_s8
#define LEFT_ONCE_IN      60
#include "tests/micro/vectors_body.h"

static oracle_window make_window(uint64_t *seed)
{
    oracle_window w = {0};
    w.batch = random_once_in(seed, 5) ? 2 : 1;
    w.in_c = 8 * random_in(seed, 1, LAYER_CHANNELS / 8);
    w.filter_h = w.filter_w = 3;
    w.dilation_h = w.dilation_w = 1;
    w.stride_h = random_in(seed, 1, 3);
    w.stride_w = random_once_in(seed, 3) || w.stride_h == 3 ? random_in(seed, 1, 2) : w.stride_h;
    w.padding = random_in(seed, 0, 2);
    w.in_h = random_in(seed, w.padding != 0 ? 1 : 3, 12);
    w.in_w = random_in(seed, w.padding != 0 ? 1 : 3, 12);
    oracle_pad(seed, &w);
    return w;
}

/* --- A convolution and a sum ----------------------------------------------------------------- */

static int check_conv_and_sum(uint64_t seed)
{
    static layer l;
    const shape s = make_shape(&seed);
    const int32_t n_in = s.w.batch * s.w.in_h * s.w.in_w * s.w.in_c;
    const int32_t n = s.w.batch * s.w.out_h * s.w.out_w * s.out_c;
    tally t = {0};
    struct oribi_micro_conv2d_s8_args plain;
    struct oribi_micro_conv2d_mve_s8_args conv;
    struct oribi_micro_conv2d_add_mve_s8_args both;
    struct oribi_micro_add_s8_args add;
    int32_t *words = prepare_conv(&l, &seed, &s, &plain)
                         ? words_for(&oribi_micro_conv2d_mve_s8_variant, &plain, &t)
                         : NULL;
    if (words == NULL) {
        return 0;
    }
    const sum sum_of = {
        l.output,
        {l.output.scale * (float)random_in(&seed, 1, 4000) / 1000.0F, random_in(&seed, -128, 127)},
        {l.output.scale * (float)random_in(&seed, 500, 4000) / 1000.0F, l.output.zero},
        {l.output.zero, INT8_MIN, INT8_MAX}};
    assert_true(prepare_sum(&sum_of, n, &add));
    const int64_t bytes = oribi_micro_conv2d_mve_s8_variant.prepare(&plain, words, &conv);
    int8_t *scratch = exactly(
        (int32_t)oribi_micro_conv2d_add_mve_s8_prepare(&conv, bytes, &add.scales, 0, &both));
    int8_t *x = exactly(n_in), *other = exactly(n), *wanted = exactly(n);
    random_bytes(&seed, x, n_in, -128, 127);
    random_bytes(&seed, other, n, -128, 127);
    find_conv(&l, &s, x, n, wanted);
    for (int32_t i = 0; i < n; i++) {
        wanted[i] = oracle_sum(&sum_of, wanted[i], other[i]);
    }
    oribi_micro_conv2d_add_mve_s8(&both, x, other, other, scratch);
    assert_memory_equal(other, wanted, (size_t)n);
    free(words);
    free(scratch);
    free(x);
    free(other);
    free(wanted);
    return 1;
}

static void convolution_and_sum_are_what_the_oracle_gives(void **state)
{
    int n = 0;
    (void)state;

    for (uint64_t i = 1; i <= SHARE_OF(600); i++) {
        n += check_conv_and_sum(nth_seed(i));
    }
    assert_true(n > LEAST_OF(250));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fully_connected_layers_give_what_the_oracle_gives),
        cmocka_unit_test(convolutions_give_what_the_oracle_gives),
        cmocka_unit_test(depthwise_convolutions_give_what_the_oracle_gives),
        cmocka_unit_test(sums_of_every_two_values_give_what_the_oracle_gives),
        cmocka_unit_test(convolution_and_sum_are_what_the_oracle_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
