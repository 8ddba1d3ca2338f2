/* SPDX-License-Identifier: Apache-2.0 */
/* The elementary functions of micro/ against the C library's in double, over floats of every
 * exponent. What is asked of them: micro/math_f32.h.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "micro/arc.h"
#include "micro/trig_double.h"

enum { STEP = 40009 }; /* of bit patterns; a prime */

/* Units in the last place of the float next to `want`. */
static double distance(float got, double want)
{
    const float nearest = (float)want;
    int exponent = 0;
    if (isnan(want) || isinf(nearest)) {
        return isnan(want) ? (isnan(got) ? 0 : 1e9) : got == nearest ? 0 : 1e9;
    }
    (void)frexp(want, &exponent);
    const double unit = ldexp(1.0, exponent - 24 < -149 ? -149 : exponent - 24);
    return fabs((double)got - want) / unit;
}

static void check(const char *name, float (*ours)(float), double (*libm)(double), double most)
{
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += STEP) {
        const float x = oribi_micro_from_bits((uint32_t)bits);
        const double d = distance(ours(x), libm((double)x));
        if (!(d <= most)) {
            fail_msg("%s(%.9g) is %.9g, %.9g was wanted: %g units", name, (double)x,
                     (double)ours(x), libm((double)x), d);
        }
    }
}

static double logistic(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

static float arc(float x)
{
    return oribi_micro_atan2(x, 1.0f);
}

static void functions_are_within_their_bounds(void **state)
{
    (void)state;
    check("exp", oribi_micro_exp, exp, 1.5);
    check("expm1", oribi_micro_expm1, expm1, 2);
    check("log", oribi_micro_log, log, 1);
    check("tanh", oribi_micro_tanh, tanh, 2);
    check("sigmoid", oribi_micro_sigmoid, logistic, 3);
    check("erf", oribi_micro_erf, erf, 0.51);
    check("atan", arc, atan, 0.51);
}

static void roots_and_roundings_are_exact(void **state)
{
    (void)state;
    check("sqrt", oribi_micro_sqrt, sqrt, 0.5);
    check("floor", oribi_micro_floor, floor, 0);
    check("ceil", oribi_micro_ceil, ceil, 0);
    check("round_even", oribi_micro_round_even, rint, 0);
}

/* The sign of a zero counts. */
static void powers_have_the_special_cases_of_c(void **state)
{
    static const float values[] = {0.0f, -0.0f, 1.0f,     -1.0f,     0.5f,  -0.5f, 2.0f,  -2.0f,
                                   3.0f, -3.0f, INFINITY, -INFINITY, 1e30f, 7.5f,  -7.5f, 1e-30f};
    const size_t n = sizeof values / sizeof values[0];
    (void)state;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            const float got = oribi_micro_pow(values[i], values[k]);
            const double want = pow((double)values[i], (double)values[k]);
            if (!(distance(got, want) <= 0.51) ||
                (want == 0 && signbit(got) != signbit((float)want))) {
                fail_msg("pow(%g, %g) is %g, %g was wanted", (double)values[i], (double)values[k],
                         (double)got, want);
            }
        }
    }
    assert_true(isnan(oribi_micro_pow(NAN, 2.0f)));
    assert_true(oribi_micro_pow(NAN, 0.0f) == 1.0f);
}

/* At the ends of the range and where the series changes, too; the sign of a zero counts. */
static void angles_have_the_special_cases_of_c(void **state)
{
    static const float values[] = {0.0f,  -0.0f, 1.0f,     -1.0f,     0.41421357f, -0.41421354f,
                                   1e30f, -7.5f, INFINITY, -INFINITY, 1e-30f,      -3e-42f,
                                   3.0f,  2e-7f, 0.1f,     -12345.6f, FLT_MAX,     FLT_MIN};
    const size_t n = sizeof values / sizeof values[0];
    (void)state;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            const float got = oribi_micro_atan2(values[i], values[k]);
            const double want = atan2((double)values[i], (double)values[k]);
            if (!(distance(got, want) <= 0.51) ||
                (want == 0 && signbit(got) != signbit((float)want))) {
                fail_msg("atan2(%g, %g) is %g, %g was wanted", (double)values[i], (double)values[k],
                         (double)got, want);
            }
        }
    }
    assert_true(isnan(oribi_micro_atan2(NAN, 1.0f)) && isnan(oribi_micro_atan2(1.0f, NAN)));
}

/* --- Of doubles ------------------------------------------------------------------------------ */

/* Units in the last place of the double next to `want`. */
static double wide_distance(double got, long double want)
{
    const double nearest = (double)want;
    int exponent = 0;
    if (isnan(nearest) || isinf(nearest) || isinf(got)) {
        return isnan(nearest) ? (isnan(got) ? 0 : 1e9) : got == nearest ? 0 : 1e9;
    }
    (void)frexpl(want, &exponent);
    const int unit = exponent - 53 < -1074 ? -1074 : exponent - 53;
    return (double)(fabsl((long double)got - want) / ldexpl(1.0L, unit));
}

/* Of any bits, and of numbers about 1, 20, 800 and 100000 in turn. */
static double any_double(uint64_t *random, int i)
{
    static const double about[] = {1.0, 20.0, 800.0, 1e5};
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return i % 2 == 0 ? oribi_micro_double_of(*random)
                      : (double)(int64_t)*random * 1.0842021724855044e-19 * about[i / 2 % 4];
}

static void check_wide(const char *name, double (*ours)(double), long double (*libm)(long double),
                       double most)
{
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        const double x = any_double(&random, i);
        const double d = wide_distance(ours(x), libm((long double)x));
        if (!(d <= most)) {
            fail_msg("%s(%.17g) is %.17g, %.17g was wanted: %g units", name, x, ours(x),
                     (double)libm((long double)x), d);
        }
    }
}

static long double wide_logistic(long double x)
{
    return 1.0L / (1.0L + expl(-x));
}

static void functions_of_doubles_are_within_their_bounds(void **state)
{
    (void)state;
    if (sizeof(long double) <= sizeof(double) || LDBL_MANT_DIG <= DBL_MANT_DIG) {
        skip(); /* nothing to measure by */
    }
    check_wide("exp", oribi_micro_double_exp, expl, 4);
    check_wide("expm1", oribi_micro_double_expm1, expm1l, 4);
    check_wide("log", oribi_micro_double_log, logl, 4);
    check_wide("tanh", oribi_micro_double_tanh, tanhl, 4);
    check_wide("sigmoid", oribi_micro_double_sigmoid, wide_logistic, 4);
    check_wide("erf", oribi_micro_double_erf, erfl, 8);
    check_wide("sin", oribi_micro_double_sin, sinl, 4);
    check_wide("cos", oribi_micro_double_cos, cosl, 4);
    check_wide("sqrt", oribi_micro_double_sqrt, sqrtl, 0.5);
    check_wide("floor", oribi_micro_double_floor, floorl, 0);
    check_wide("ceil", oribi_micro_double_ceil, ceill, 0);
    check_wide("round_even", oribi_micro_double_round_even, rintl, 0);
}

static void powers_of_doubles_are_within_their_bounds(void **state)
{
    static const double values[] = {0.0, -0.0, 1.0,      -1.0,      0.5,   -0.5, 2.0,  -2.0,
                                    3.0, -3.0, INFINITY, -INFINITY, 1e300, 7.5,  -7.5, 1e-300};
    uint64_t random = 88172645463325252u;
    (void)state;
    for (int i = 0; i < 200256; i++) {
        const bool is_listed = i >= 200000;
        const double x = is_listed ? values[i % 16] : any_double(&random, i / 2);
        const double y = is_listed ? values[i / 16 % 16] : any_double(&random, i);
        const double got = oribi_micro_double_pow(x, y);
        const long double want = powl((long double)x, (long double)y);
        if (!(wide_distance(got, want) <= 32) ||
            ((double)want == 0 && signbit(got) != signbit((double)want))) {
            fail_msg("pow(%.17g, %.17g) is %.17g, %.17g was wanted", x, y, got, (double)want);
        }
    }
}

static void signs_of_zero_stay(void **state)
{
    (void)state;
    assert_true(signbit(oribi_micro_ceil(-0.5f)));
    assert_true(signbit(oribi_micro_round_even(-0.25f)));
    assert_true(signbit(oribi_micro_sqrt(-0.0f)));
    assert_false(signbit(oribi_micro_floor(0.5f)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_within_their_bounds),
        cmocka_unit_test(roots_and_roundings_are_exact),
        cmocka_unit_test(powers_have_the_special_cases_of_c),
        cmocka_unit_test(angles_have_the_special_cases_of_c),
        cmocka_unit_test(functions_of_doubles_are_within_their_bounds),
        cmocka_unit_test(powers_of_doubles_are_within_their_bounds),
        cmocka_unit_test(signs_of_zero_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
