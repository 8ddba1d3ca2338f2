/* SPDX-License-Identifier: Apache-2.0 */
/* Fused multiply-add by arithmetic of double, as cores without the instruction have it, against the
 * C library's fmaf: random bits, sums that nearly cancel, ties, subnormal numbers, infinities.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#define ORIBI_MICRO_PLAIN_C
#include "micro/fma/fma_f32.h"
#include "micro/random.h"

static uint32_t random_bits(uint64_t *seed)
{
    return (uint32_t)random_in(seed, 0, 65535) << 16 | (uint32_t)random_in(seed, 0, 65535);
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* True: equal bits, or a NaN for a NaN. */
static int is_right(float sum, float x, float weight)
{
    const float wanted = fmaf(x, weight, sum), got = oribi_micro_fused_f32(sum, x, weight);
    return bits_of(wanted) == bits_of(got) || (isnan(wanted) && isnan(got));
}

/* Any bits; or of an exponent near 0; or of few digits, whose sums are ties; or subnormal. */
static float any(uint64_t *seed, int kind)
{
    const uint32_t bits = random_bits(seed);
    switch (kind) {
    case 0:
        return float_of(bits);
    case 1:
        return float_of((bits & 0x807fffffu) | (100 + bits / 8388608 % 56) << 23);
    case 2:
        return float_of((bits & 0x807ff000u) | (120 + bits / 8388608 % 16) << 23);
    default:
        return float_of(bits & 0x807fffffu);
    }
}

static void random_operands_give_what_fmaf_gives(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        const float x = any(&seed, i % 4), weight = any(&seed, i / 4 % 4);
        const float sum = any(&seed, i / 16 % 4);
        if (!is_right(sum, x, weight)) {
            fail_msg("%a * %a + %a", (double)x, (double)weight, (double)sum);
        }
    }
}

static void sums_that_nearly_cancel_give_what_fmaf_gives(void **state)
{
    uint64_t seed = 2;
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        const float x = any(&seed, 1 + i % 2), weight = any(&seed, 1 + i / 2 % 2);
        const float sum = float_of(bits_of(-(x * weight)) + random_bits(&seed) % 5 - 2);
        if (!is_right(sum, x, weight)) {
            fail_msg("%a * %a + %a", (double)x, (double)weight, (double)sum);
        }
    }
}

static void a_value_next_to_a_tie_is_not_taken_for_one(void **state)
{
    (void)state;
    /* The product is 2^-24 less 2^-70, the sum next to the middle of two floats: in double it is
     * the middle. */
    const float x = 0x1.000002p-12f, weight = 0x1.fffffcp-13f, sum = 0x1.000002p0f;
    const float twice = (float)((double)x * (double)weight + (double)sum);
    assert_int_not_equal(bits_of(twice), bits_of(fmaf(x, weight, sum)));

    assert_true(is_right(sum, x, weight));
    assert_true(is_right(-sum, -x, weight));
    assert_true(is_right(-sum, x, weight));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operands_give_what_fmaf_gives),
        cmocka_unit_test(sums_that_nearly_cancel_give_what_fmaf_gives),
        cmocka_unit_test(a_value_next_to_a_tie_is_not_taken_for_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
