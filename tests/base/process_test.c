/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes and dynamic libraries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/dynlib.h"
#include "base/process.h"
#include "base/thread.h"
#include "support/fail_nth.h"

static oribi_process_result shell(const char *script, size_t max_bytes, uint64_t timeout_ms)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    oribi_process_result result;
    assert_int_equal(oribi_process_run(argv, max_bytes, timeout_ms, &result), 0);
    return result;
}

static void code_and_both_streams_come_back(void **state)
{
    (void)state;
    oribi_process_result r = shell("echo out; echo err >&2; exit 7", 100, 60000);

    assert_int_equal(r.exit_code, 7);
    assert_int_equal(r.signal, 0);
    assert_false(r.timed_out);
    assert_false(r.truncated);
    assert_string_equal(oribi_text_string(&r.out), "out\n");
    assert_string_equal(oribi_text_string(&r.err), "err\n");
    oribi_process_result_destroy(&r);
}

static void signal_is_reported(void **state)
{
    (void)state;
    oribi_process_result r = shell("kill -ABRT $$", 100, 60000);
    assert_int_equal(r.signal, SIGABRT);
    assert_int_equal(r.exit_code, -1);
    oribi_process_result_destroy(&r);
}

static void output_beyond_the_cap_is_dropped_and_told(void **state)
{
    (void)state;
    oribi_process_result r = shell("head -c 300000 /dev/zero; echo x >&2", 1000, 60000);
    assert_int_equal(r.exit_code, 0);
    assert_int_equal(r.out.length, 1000);
    assert_true(r.truncated);
    assert_string_equal(oribi_text_string(&r.err), "x\n");
    oribi_process_result_destroy(&r);
}

static void stdin_is_empty(void **state)
{
    (void)state;
    oribi_process_result r = shell("cat; echo end", 100, 60000);
    assert_string_equal(oribi_text_string(&r.out), "end\n");
    oribi_process_result_destroy(&r);
}

static void child_past_its_time_is_killed_with_its_group(void **state)
{
    (void)state;
    oribi_process_result r = shell("sleep 1000 & echo $!; sleep 1000", 100, 300);

    assert_true(r.timed_out);
    assert_int_equal(r.signal, SIGKILL);
    pid_t grandchild = (pid_t)atoi(oribi_text_string(&r.out));
    assert_true(grandchild > 1);
    char path[64], status[64] = "";
    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)grandchild);
    for (int i = 0; i < 1000; i++) { /* gone, or a zombie that nobody has reaped yet */
        FILE *file = fopen(path, "r");
        size_t n = file != NULL ? fread(status, 1, sizeof(status) - 1, file) : 0;
        status[n] = '\0';
        if (file != NULL) {
            (void)fclose(file);
        }
        if (n == 0 || strstr(status, ") Z") != NULL) {
            break;
        }
        (void)usleep(1000);
    }
    assert_true(status[0] == '\0' || strstr(status, ") Z") != NULL);
    oribi_process_result_destroy(&r);
}

static void child_that_leaves_a_grandchild_on_the_pipe_ends(void **state)
{
    (void)state;
    oribi_process_result r = shell("sleep 1000 & echo early", 100, 60000);
    assert_false(r.timed_out);
    assert_int_equal(r.exit_code, 0);
    assert_string_equal(oribi_text_string(&r.out), "early\n");
    oribi_process_result_destroy(&r);
}

static void missing_program_is_an_error(void **state)
{
    (void)state;
    const char *const argv[] = {"/no/such/program", NULL};
    oribi_process_result r;
    assert_int_equal(oribi_process_run(argv, 10, 1000, &r), ENOENT);
}

static bool run_echo(void *arg)
{
    (void)arg;
    const char *const argv[] = {"/bin/echo", "a", NULL};
    oribi_process_result r;
    if (oribi_process_run(argv, 10, 60000, &r) != 0) {
        return false;
    }
    oribi_process_result_destroy(&r);
    return true;
}

static void run_survives_each_failed_allocation(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(run_echo, NULL) > 1);
}

static void library_is_opened_and_searched(void **state)
{
    (void)state;
    oribi_dynlib *maths = oribi_dynlib_open("libm.so.6", ORIBI_DYNLIB_LOCAL, NULL);
    assert_non_null(maths);

    oribi_dynlib_function function = oribi_dynlib_find_function(maths, "cbrt");
    assert_non_null(function);
    double (*root)(double) = (double (*)(double))function;
    assert_true(fabs(root(27) - 3) < 1e-12);
    assert_null(oribi_dynlib_find(maths, "no_such_symbol"));
    oribi_dynlib_close(maths);
    oribi_dynlib_close(NULL);
}

static void library_that_is_absent_gives_the_reason(void **state)
{
    (void)state;
    oribi_text reason = {0};
    assert_null(oribi_dynlib_open("/no/such/lib.so", ORIBI_DYNLIB_GLOBAL, &reason));
    assert_non_null(strstr(oribi_text_string(&reason), "/no/such/lib.so"));
    assert_null(oribi_dynlib_open("libnever.so.99", ORIBI_DYNLIB_NOLOAD, NULL));
    oribi_dynlib *self = oribi_dynlib_open(NULL, ORIBI_DYNLIB_NOLOAD, NULL);
    assert_non_null(self);
    oribi_dynlib_close(self);
    oribi_text_destroy(&reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_and_both_streams_come_back),
        cmocka_unit_test(signal_is_reported),
        cmocka_unit_test(output_beyond_the_cap_is_dropped_and_told),
        cmocka_unit_test(stdin_is_empty),
        cmocka_unit_test(child_past_its_time_is_killed_with_its_group),
        cmocka_unit_test(child_that_leaves_a_grandchild_on_the_pipe_ends),
        cmocka_unit_test(missing_program_is_an_error),
        cmocka_unit_test(run_survives_each_failed_allocation),
        cmocka_unit_test(library_is_opened_and_searched),
        cmocka_unit_test(library_that_is_absent_gives_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
