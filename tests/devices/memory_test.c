/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of devices: the limit of a session, unified memory, what is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "devices/on_spy.h"

static int setup(void **state)
{
    (void)state;
    spy_load("");
    return 0;
}

static void expect_text(const TF_Status *status, const char *text)
{
    if (strstr(TF_Message(status), text) == NULL) {
        print_error("'%s' is not in: %s\n", text, TF_Message(status));
        fail();
    }
}

/* NULL and the status when it fails. */
static oribi_session *limited(int64_t rows, uint64_t max_bytes, bool is_unified, TF_Status *status)
{
    small_graph g = device_dense(rows, false);
    oribi_options *options = small_options();
    oribi_options_set_device(options, "FAKE:0", status);
    small_expect_ok(status);
    oribi_options_set_device_max_bytes(options, max_bytes);
    oribi_options_set_unified_memory(options, is_unified);
    oribi_session *session = oribi_session_from_graph(g.graph, options, status);
    oribi_options_destroy(options);
    TF_DeleteStatus(g.status);
    return session;
}

/* Constants take 256 bytes each, values at least as much. */
static void constants_beyond_the_limit_are_refused_when_the_session_is_made(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();

    assert_null(limited(ROWS, 300, false, status));

    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    expect_text(status, "node 'sum': device FAKE:0: 256 bytes more than the 256 that the session "
                        "has there would pass its limit of 300");
    assert_int_equal(fake_live_bytes(), 0);
    TF_DeleteStatus(status);
}

static void values_beyond_the_limit_are_refused_when_the_session_is_made(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();

    assert_null(limited(ROWS, 600, false, status));

    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    expect_text(status, "the largest value): device FAKE:0: 512 bytes more than the 512 that the "
                        "session has there would pass its limit of 600");
    assert_int_equal(fake_live_bytes(), 0);
    TF_DeleteStatus(status);
}

/* The limit counts what a session and its runs have, not what the device keeps for the next. */
static void a_run_beyond_the_limit_fails_and_a_smaller_one_goes_on(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_session *session = limited(-1, 40000, false, status);
    small_expect_ok(status);
    oribi_run *run = device_run(session, ROWS, -3);
    oribi_run *large = device_run(session, 4000, -3);

    for (int i = 0; i < 3; i++) {
        small_execute(run);
        oribi_run_execute(large, status);
        assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
        expect_text(status, "node '");
        expect_text(status, "device FAKE:0: ");
        expect_text(status, "would pass its limit of 40000");
    }
    oribi_run_destroy(large);
    large = device_run(session, 300, -3); /* what the failed runs had is there again */
    for (int i = 0; i < 3; i++) {
        small_execute(large);
        small_execute(run);
    }

    oribi_run_destroy(run);
    oribi_run_destroy(large);
    oribi_session_destroy(session);
    assert_int_equal(fake_live_bytes(), 0);
    TF_DeleteStatus(status);
}

static void the_limit_of_the_host_counts_where_no_other_is_set(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    small_graph g = device_dense(-1, false);
    oribi_options *options = small_options();
    oribi_options_set_device(options, "FAKE:0", status);
    oribi_options_set_max_bytes(options, 300);

    assert_null(oribi_session_from_graph(g.graph, options, status));

    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    expect_text(status, "would pass its limit of 300; raise it with "
                        "oribi_options_set_device_max_bytes (--device-max-bytes)");
    oribi_options_destroy(options);
    TF_DeleteStatus(g.status);
    TF_DeleteStatus(status);
}

static void unified_memory_is_used_where_a_session_wants_it(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_session *cpu = device_session(device_dense(ROWS, false), NULL, NULL);
    oribi_session *own = limited(ROWS, 0, false, status);
    small_expect_ok(status);
    const int64_t before = spy_calls("unified_memory_allocate");
    oribi_session *session = limited(ROWS, 0, true, status);
    small_expect_ok(status);
    oribi_run *expected = device_run(cpu, ROWS, -3);
    oribi_run *other = device_run(own, ROWS, -3);
    oribi_run *run = device_run(session, ROWS, -3);
    small_execute(expected);
    small_execute(other);
    small_execute(run);

    assert_true(before == 0 && spy_calls("unified_memory_allocate") > 0);
    const int64_t n = spy_calls("unified_memory_allocate"), n_own = spy_calls("allocate");
    for (int i = 0; i < 4; i++) { /* each keeps to its own kind, and to its blocks */
        small_execute(run);
        small_execute(other);
        device_expect_same(expected, run);
        device_expect_same(expected, other);
    }
    assert_int_equal(spy_calls("unified_memory_allocate"), n);
    assert_int_equal(spy_calls("allocate"), n_own);

    oribi_run_destroy(expected);
    oribi_run_destroy(other);
    oribi_run_destroy(run);
    oribi_session_destroy(cpu);
    oribi_session_destroy(own);
    oribi_session_destroy(session);
    assert_int_equal(spy_calls("unified_memory_deallocate"), n);
    assert_int_equal(fake_live_bytes(), 0);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_beyond_the_limit_are_refused_when_the_session_is_made),
        cmocka_unit_test(values_beyond_the_limit_are_refused_when_the_session_is_made),
        cmocka_unit_test(a_run_beyond_the_limit_fails_and_a_smaller_one_goes_on),
        cmocka_unit_test(the_limit_of_the_host_counts_where_no_other_is_set),
        cmocka_unit_test(unified_memory_is_used_where_a_session_wants_it),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
