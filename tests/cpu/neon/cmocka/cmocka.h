/* SPDX-License-Identifier: Apache-2.0 */
/* The few words of cmocka that the tests of the cpu plugin use, for the cross-built suite: there is
 * no cmocka for the other processor. A failure ends the process.
 */
#ifndef ORIBI_TESTS_CPU_NEON_CMOCKA_H_
#define ORIBI_TESTS_CPU_NEON_CMOCKA_H_

#include <stdio.h>
#include <stdlib.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};

#define cmocka_unit_test(function)                                                                 \
    {                                                                                              \
#function, function                                                                        \
    }

#define fail_msg(...)                                                                              \
    do {                                                                                           \
        (void)fprintf(stderr, __VA_ARGS__);                                                        \
        (void)fprintf(stderr, "\n%s:%d: failed\n", __FILE__, __LINE__);                            \
        exit(1);                                                                                   \
    } while (0)

#define assert_true(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fail_msg("not true: %s", #condition);                                                  \
        }                                                                                          \
    } while (0)
#define assert_non_null(pointer)  assert_true((pointer) != NULL)
#define assert_int_equal(a, b)    assert_true((long long)(a) == (long long)(b))
#define assert_string_equal(a, b) assert_true(strcmp((a), (b)) == 0)

#define assert_in_range(a, low, high)                                                              \
    assert_true((unsigned long long)(a) >= (unsigned long long)(low) &&                            \
                (unsigned long long)(a) <= (unsigned long long)(high))
#define print_error(...)   ((void)fprintf(stderr, __VA_ARGS__))
#define print_message(...) ((void)printf(__VA_ARGS__))

#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    cmocka_stand_in_run((tests), sizeof(tests) / sizeof(tests)[0])

static inline int cmocka_stand_in_run(const struct CMUnitTest *tests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *state = NULL;
        (void)printf("%s\n", tests[i].name);
        (void)fflush(stdout);
        tests[i].run(&state);
    }
    return 0;
}

#endif
