/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of functions of a byte, and of int16, under scales that models should not have: whatever
 * float makes of them, tables hold values of the type, and nothing is undefined (the sanitizers
 * look on).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "micro/elementwise/unary_8_prepare.h"
#include "micro/unary/unary_real_prepare.h"

static const float scales[] = {1.0e-45F, 1.0e-38F, 1.0e-20F, 0.004F, 1.0F, 1.0e20F, 3.0e38F};
enum { SCALES = sizeof scales / sizeof scales[0] };

static void try_spec(const struct oribi_micro_unary_8_spec *spec)
{
    uint8_t table[256];
    const int32_t code = oribi_micro_unary_8_table(spec, table);
    assert_true(code == ORIBI_MICRO_OK || code == ORIBI_MICRO_INVALID);
}

static void extreme_scales_are_refused_or_saturate(void **state)
{
    (void)state;
    for (int32_t i = 0; i < SCALES * SCALES * 8; i++) {
        struct oribi_micro_unary_8_spec spec = {.variant = i / (SCALES * SCALES) % 2,
                                                .in_unsigned = i / (SCALES * SCALES) / 2 % 2,
                                                .alpha = i % 3 == 0 ? 0.2F : -3.0e38F};
        spec.out_unsigned =
            i / (SCALES * SCALES) / 4 == 0 ? spec.in_unsigned : 1 - spec.in_unsigned;
        spec.input =
            (struct oribi_micro_quantisation){scales[i % SCALES], spec.in_unsigned != 0 ? 3 : -3};
        spec.output = (struct oribi_micro_quantisation){scales[i / SCALES % SCALES],
                                                        spec.out_unsigned != 0 ? 200 : -7};
        for (spec.function = 0; spec.function < ORIBI_MICRO_UNARY_FUNCTIONS; spec.function++) {
            try_spec(&spec);
        }
    }
}

static void a_vanishing_output_scale_leaves_zero_and_the_ends(void **state)
{
    (void)state;
    uint8_t table[256];
    const struct oribi_micro_unary_8_spec spec = {.function = ORIBI_MICRO_UNARY_TANH,
                                                  .variant = ORIBI_MICRO_TFLITE,
                                                  .in_unsigned = 1,
                                                  .out_unsigned = 1,
                                                  .input = {0.1F, 100},
                                                  .output = {1.0e-45F, 128}};

    assert_int_equal(oribi_micro_unary_8_table(&spec, table), ORIBI_MICRO_OK);

    assert_int_equal(table[100], 128); /* 0 times an infinite factor */
    assert_int_equal(table[99], 0);
    assert_int_equal(table[101], 255);
}

/* Where exp leaves float, the table holds the largest value. */
static void a_curve_in_float_takes_steps_of_any_size(void **state)
{
    (void)state;
    uint8_t table[256];
    const struct oribi_micro_unary_8_spec spec = {.function = ORIBI_MICRO_UNARY_LOGISTIC,
                                                  .variant = ORIBI_MICRO_TFLITE,
                                                  .input = {42.0F, -28},
                                                  .output = {1.0F / 256.0F, -128}};

    assert_int_equal(oribi_micro_unary_8_table(&spec, table), ORIBI_MICRO_OK);

    assert_int_equal((int8_t)table[(uint8_t)-28], 0); /* a half */
    assert_int_equal((int8_t)table[(uint8_t)-29], -128);
    assert_int_equal((int8_t)table[(uint8_t)-27], 127);
}

static void an_overflowing_function_of_int16_saturates(void **state)
{
    (void)state;
    static const float inputs[] = {1.0e-45F, 1.0e-20F, 1.0e-4F, 0.01F, 1.0F, 1.0e20F, 3.0e38F};
    int n_tried = 0;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        for (size_t k = 0; k < SCALES; k++) {
            int16_t table[ORIBI_MICRO_LOOKUP_S16] = {0};
            struct oribi_micro_unary_16_spec spec = {.input = {inputs[i], 0},
                                                     .output = {scales[k], 0}};
            for (int32_t f = 0; f < ORIBI_MICRO_UNARY_FUNCTIONS; f++) {
                spec.function = f;
                (void)oribi_micro_lookup_s16_table(&spec, table);
            }
            spec.function = ORIBI_MICRO_UNARY_EXP;
            const int32_t code = oribi_micro_lookup_s16_table(&spec, table);
            const bool overflows = code == ORIBI_MICRO_OK && inputs[i] >= 1.0F;
            for (int j = 258; overflows && j < ORIBI_MICRO_LOOKUP_S16; j++) {
                assert_int_equal(table[j], INT16_MAX); /* exp of 128 and more */
            }
            n_tried += overflows ? 1 : 0;
        }
    }
    assert_true(n_tried > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extreme_scales_are_refused_or_saturate),
        cmocka_unit_test(a_vanishing_output_scale_leaves_zero_and_the_ends),
        cmocka_unit_test(a_curve_in_float_takes_steps_of_any_size),
        cmocka_unit_test(an_overflowing_function_of_int16_saturates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
