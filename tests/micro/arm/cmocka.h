/* SPDX-License-Identifier: Apache-2.0 */
/* As much of cmocka as the tests of micro/ ask for, on a bare Cortex-M4: a failure ends the run. */
#ifndef ORIBI_TESTS_MICRO_ARM_CMOCKA_H_
#define ORIBI_TESTS_MICRO_ARM_CMOCKA_H_

#include <string.h>

void arm_fail(const char *file, int line);

#define CHECK(ok)                    ((ok) ? (void)0 : arm_fail(__FILE__, __LINE__))
#define assert_true(x)               CHECK(x)
#define assert_false(x)              CHECK(!(x))
#define assert_int_equal(a, b)       CHECK((a) == (b))
#define assert_memory_equal(a, b, n) CHECK(memcmp((a), (b), (n)) == 0)
#define fail_msg(...)                arm_fail(__FILE__, __LINE__)

struct CMUnitTest {
    void (*run)(void **state);
};
#define cmocka_unit_test(test)                                                                     \
    {                                                                                              \
        test                                                                                       \
    }

static inline int arm_run(const struct CMUnitTest *tests, size_t n)
{
    void *state = NULL;
    for (size_t i = 0; i < n; i++) {
        tests[i].run(&state);
    }
    return 0;
}
#define cmocka_run_group_tests(tests, before, after)                                               \
    arm_run(tests, sizeof(tests) / sizeof(tests)[0])

#endif
