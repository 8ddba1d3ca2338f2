/* SPDX-License-Identifier: Apache-2.0 */
/* Does every function of the house that destroys, frees, releases or closes something take NULL?
 * The calls are written by destroyers.py from the headers; each is made in a process of its own. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct destroyer {
    const char *name;
    void (*call)(void);
} destroyer;

#include "destroyers.inc"

enum { N_DESTROYERS = sizeof destroyers / sizeof destroyers[0] };

static void spoilt(void)
{
    *(volatile int *)(uintptr_t)(void *)NULL = 1;
}

static bool returns(void (*call)(void))
{
    const pid_t child = fork();
    if (child == 0) {
        (void)signal(SIGSEGV, SIG_DFL); /* cmocka's would go on with the next test, here */
        call();
        _exit(0);
    }
    int how = 0;
    return child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

static void every_destroyer_takes_null(void **state)
{
    int n_failed = 0;

    for (int i = 0; i < N_DESTROYERS; i++) {
        if (!returns(destroyers[i].call)) {
            print_error("%s(NULL) does not return\n", destroyers[i].name);
            n_failed++;
        }
    }

    (void)state;
    assert_int_equal(n_failed, 0);
    assert_true(N_DESTROYERS > 40);
}

static void one_that_does_not_is_seen(void **state)
{
    (void)state;
    assert_false(returns(spoilt));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_destroyer_takes_null),
        cmocka_unit_test(one_that_does_not_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
