/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of sizes and axes hold what they can and say when they cannot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "micro/dims.h"

static void a_list_takes_sixteen_and_refuses_the_next(void **state)
{
    (void)state;
    oribi_dims dims = {0};
    oribi_perm perm = {0};
    int64_t many[ORIBI_MAX_RANK + 1] = {0};

    for (int32_t i = 0; i < ORIBI_MAX_RANK; i++) {
        assert_true(oribi_dims_add(&dims, i));
        assert_true(oribi_perm_add(&perm, i));
    }
    assert_false(oribi_dims_add(&dims, 1));
    assert_false(oribi_perm_add(&perm, 1));
    assert_int_equal(dims.n, ORIBI_MAX_RANK);
    assert_int_equal(perm.n, ORIBI_MAX_RANK);
    assert_true(oribi_dims_is_permutation(&dims));
    assert_memory_equal(oribi_perm_dims(&perm).at, dims.at, sizeof dims.at);
    for (int32_t n = -1; n <= ORIBI_MAX_RANK + 1; n += ORIBI_MAX_RANK + 2) {
        assert_false(oribi_dims_set(&dims, many, n));
        assert_false(oribi_dims_fill(&dims, n, 3));
    }
    assert_int_equal(dims.at[5], 5);
    dims.n = -1;
    assert_false(oribi_dims_add(&dims, 1));
    perm.n = -1;
    assert_false(oribi_perm_add(&perm, 1));
    assert_int_equal(oribi_perm_dims(&perm).n, 0);
}

static void a_wide_list_takes_what_a_tensor_has(void **state)
{
    (void)state;
    oribi_wide_dims dims = {0};

    for (int32_t i = 0; i < ORIBI_MAX_TENSOR_RANK; i++) {
        assert_true(oribi_wide_dims_add(&dims, i));
    }
    assert_false(oribi_wide_dims_add(&dims, 1));
    assert_int_equal(dims.at[ORIBI_MAX_TENSOR_RANK - 1], ORIBI_MAX_TENSOR_RANK - 1);
}

static void axes_are_a_permutation_when_each_is_there_once(void **state)
{
    (void)state;
    static const oribi_dims good[] = {{0}, {.n = 1}, {.n = 3, .at = {2, 0, 1}}};
    static const oribi_dims bad[] = {{.n = 2, .at = {0, 0}},
                                     {.n = 2, .at = {0, 2}},
                                     {.n = 2, .at = {0, -1}},
                                     {.n = 1, .at = {INT64_MAX}}};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(oribi_dims_is_permutation(&good[i]));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(oribi_dims_is_permutation(&bad[i]));
    }
    oribi_perm perm = {0};
    assert_false(oribi_perm_add(&perm, -1));
    assert_false(oribi_perm_add(&perm, ORIBI_MAX_RANK));
}

static void a_count_is_refused_when_it_is_negative_or_cannot_be_counted(void **state)
{
    (void)state;
    static const oribi_dims negative = {.n = 2, .at = {3, -1}};
    static const oribi_dims huge = {.n = 2, .at = {INT64_MAX / 2, 3}};
    static const oribi_dims empty = {.n = 2, .at = {5, 0}}, scalar = {0};
    int64_t count = 42;

    assert_false(oribi_dims_count(&negative, &count));
    assert_false(oribi_dims_count(&huge, &count));
    assert_int_equal(count, 42);
    assert_true(oribi_dims_count(&empty, &count));
    assert_int_equal(count, 0);
    assert_true(oribi_dims_count(&scalar, &count));
    assert_int_equal(count, 1);
}

static void a_size_is_rounded_up_unless_the_multiple_does_not_fit(void **state)
{
    (void)state;
    int64_t out = 42;

    assert_false(oribi_count_round_up(-1, 16, &out));
    assert_false(oribi_count_round_up(INT64_MAX - 14, 16, &out));
    assert_int_equal(out, 42);
    assert_true(oribi_count_round_up(INT64_MAX - 15, 16, &out));
    assert_int_equal(out, INT64_MAX - 15);
    assert_true(oribi_count_round_up(17, 16, &out));
    assert_int_equal(out, 32);
    assert_true(oribi_count_round_up(0, 16, &out));
    assert_int_equal(out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_takes_sixteen_and_refuses_the_next),
        cmocka_unit_test(a_wide_list_takes_what_a_tensor_has),
        cmocka_unit_test(axes_are_a_permutation_when_each_is_there_once),
        cmocka_unit_test(a_count_is_refused_when_it_is_negative_or_cannot_be_counted),
        cmocka_unit_test(a_size_is_rounded_up_unless_the_multiple_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
