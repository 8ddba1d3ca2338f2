/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and differences of int8 against the oracle: every pair of values, scales of all kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "micro/elementwise/binary_q_prepare.h"
#include "tests/micro/layer.h"

typedef struct sum {
    double a, b, output; /* what each side, and the sum, is multiplied by */
} sum;

static sum scales_of(const struct oribi_micro_binary_q_spec *s)
{
    const double a = (double)s->a.scale, b = (double)s->b.scale;
    const double twice = 2.0 * (a > b ? a : b);
    return (sum){a / twice, b / twice, twice / (1048576.0 * (double)s->output.scale)};
}

static int check(uint64_t seed, int subtracts)
{
    static int8_t a[65536], b[65536], y[65536];
    const int32_t dims[1] = {65536};
    struct oribi_micro_binary_q_spec spec = {
        .a_dims = dims, .b_dims = dims, .a_rank = 1, .b_rank = 1};
    struct oribi_micro_add_s8_args args;
    layer l;

    layer_make(&l, &seed, 1, 1, 1);
    spec.a = l.input;
    spec.b.scale = random_once_in(&seed, 4)
                       ? l.input.scale
                       : l.input.scale * (float)random_in(&seed, 1, 4000) / 500.0F;
    spec.b.zero = random_in(&seed, -128, 127);
    spec.output = l.output;
    spec.activation = l.activation;
    if (random_once_in(&seed, 3)) { /* powers of two, where results lie halfway */
        spec.a.scale = 0.5F;
        spec.b.scale = random_once_in(&seed, 2) ? 0.5F : 0.25F;
        spec.output.scale = 1.0F;
        spec.activation = ORIBI_MICRO_NONE;
        l.bounds.low = INT8_MIN;
        l.bounds.high = INT8_MAX;
    }
    const int32_t code = subtracts ? oribi_micro_sub_s8_prepare(&spec, &args)
                                   : oribi_micro_add_s8_prepare(&spec, &args);
    if (code != ORIBI_MICRO_OK) {
        return 0;
    }
    for (int32_t i = 0; i < 65536; i++) {
        a[i] = (int8_t)(i / 256 - 128);
        b[i] = (int8_t)(i % 256 - 128);
    }
    oribi_micro_add_s8(&args, a, b, y, NULL);
    const sum real = scales_of(&spec);
    for (int32_t i = 0; i < 65536; i++) {
        const int64_t left = oracle_scale((int64_t)(a[i] - spec.a.zero) * 1048576, real.a);
        const int64_t right = oracle_scale((int64_t)(b[i] - spec.b.zero) * 1048576, real.b);
        const int8_t wanted =
            oracle_result(subtracts ? left - right : left + right, real.output, &l.bounds);
        if (y[i] != wanted) {
            fail_msg("seed %llu: %d and %d give %d, not %d", (unsigned long long)seed, a[i], b[i],
                     y[i], wanted);
        }
    }
    return 1;
}

static void sums_and_differences_give_what_the_oracle_gives(void **state)
{
    int checked = 0;
    (void)state;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        checked += check(seed * UINT64_C(0x9e3779b97f4a7c15), seed % 4 == 0);
    }
    assert_true(checked > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_differences_give_what_the_oracle_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
