/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised softmax under scales and betas that models should not have: it is refused, or the row
 * is a distribution whose largest value stands where the largest input does. A place outside the
 * table of exponentials shows as another value, and under the sanitizers by itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>

#include <cmocka.h>

#include "micro/element.h"
#include "micro/norm/softmax_8_prepare.h"
#include "micro/norm/softmax_s16_prepare.h"

enum { N = 5 };
static const float betas[] = {1.0F, 0.0F, -1.0F, 1.0e-30F, 1.0e30F};

static void check_row(const int32_t *y, int32_t one)
{
    int32_t sum = 0;
    for (int i = 0; i < N; i++) {
        assert_true(y[i] >= 0 && y[i] <= y[0]);
        sum += y[i];
    }
    assert_true(abs(sum - one) <= one / 64 + N);
}

static int try_s16(float scale, float beta)
{
    static const int16_t x[N] = {INT16_MAX, INT16_MIN, 0, INT16_MAX - 1, -1};
    const struct oribi_micro_softmax_spec spec = {.kind = ORIBI_MICRO_S16,
                                                  .variant = ORIBI_MICRO_TFLITE,
                                                  .rows = 1,
                                                  .columns = N,
                                                  .input = {scale, 0},
                                                  .output = {1.0F / 32768.0F, 0},
                                                  .beta = beta};
    struct oribi_micro_softmax_s16_args args;
    if (oribi_micro_softmax_s16_prepare(&spec, &args) != ORIBI_MICRO_OK) {
        return 0;
    }
    int16_t y[N];
    oribi_micro_softmax_s16(&args, x, y);
    check_row((const int32_t[N]){y[0], y[1], y[2], y[3], y[4]}, 32768);
    return 1;
}

static int try_s8(float scale, float beta)
{
    static const int8_t x[N] = {INT8_MAX, INT8_MIN, 0, INT8_MAX - 1, -1};
    const struct oribi_micro_softmax_spec spec = {.kind = ORIBI_MICRO_S8,
                                                  .variant = ORIBI_MICRO_TFLITE,
                                                  .rows = 1,
                                                  .columns = N,
                                                  .input = {scale, 0},
                                                  .output = {1.0F / 256.0F, -128},
                                                  .beta = beta};
    struct oribi_micro_softmax_8_args args;
    if (oribi_micro_softmax_8_prepare(&spec, &args) != ORIBI_MICRO_OK) {
        return 0;
    }
    int8_t y[N];
    oribi_micro_softmax_s8(&args, x, y, NULL);
    check_row((const int32_t[N]){y[0] + 128, y[1] + 128, y[2] + 128, y[3] + 128, y[4] + 128}, 256);
    return 1;
}

/* As TensorFlow Lite Micro takes them: within a thousandth of 1 / 65536. */
static void results_of_16_bits_may_be_steps_of_one_over_65535(void **state)
{
    static const float steps[] = {1.0F / 65536.0F, 1.0F / 65535.0F, 1.0F / 65600.0F,
                                  1.0F / 65400.0F};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const struct oribi_micro_softmax_spec spec = {.kind = ORIBI_MICRO_S8,
                                                      .variant = ORIBI_MICRO_TFLM,
                                                      .rows = 1,
                                                      .columns = N,
                                                      .input = {0.1F, 0},
                                                      .output = {steps[i], INT16_MIN},
                                                      .beta = 1.0F};
        struct oribi_micro_softmax_wide_args args;
        assert_int_equal(oribi_micro_softmax_wide_prepare(&spec, &args),
                         i < 3 ? ORIBI_MICRO_OK : ORIBI_MICRO_INVALID);
    }
}

static void extreme_scales_are_refused_or_give_a_distribution(void **state)
{
    (void)state;
    int n_s16 = 0, n_s8 = 0;
    for (int exponent = -140; exponent <= 127; exponent++) {
        for (size_t b = 0; b < sizeof betas / sizeof *betas; b++) {
            n_s16 += try_s16(ldexpf(1.9F, exponent), betas[b]);
            n_s8 += try_s8(ldexpf(1.9F, exponent), betas[b]);
        }
    }
    assert_true(n_s16 > 100 && n_s8 > 100); /* most of them are sensible */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_16_bits_may_be_steps_of_one_over_65535),
        cmocka_unit_test(extreme_scales_are_refused_or_give_a_distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
