/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that fail: the run fails with a message that names node, device and call, nothing leaks,
 * the same session runs again, and other sessions go on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "devices/on_fake.h"

static int setup(void **state)
{
    (void)state;
    device_load("");
    return 0;
}

static void expect_text(const TF_Status *status, const char *text)
{
    if (text != NULL && strstr(TF_Message(status), text) == NULL) {
        print_error("'%s' is not in: %s\n", text, TF_Message(status));
        fail();
    }
}

typedef struct fault {
    const char *call;
    int after; /* calls that are well before */
    int64_t rows;
    TF_Code code;
    const char *node, *member;
} fault;

/* A run that meets the fault, then one that is well, beside a session that never sees it. */
static void expect_failed_run(const fault *f)
{
    oribi_session *session = device_session(device_dense(f->rows, true), "FAKE:0", NULL);
    oribi_session *bystander = device_session(device_dense(f->rows, true), "FAKE:1", NULL);
    oribi_run *run = device_run(session, ROWS, -3);
    oribi_run *other = device_run(bystander, ROWS, -3);
    TF_Status *status = TF_NewStatus();

    for (int i = 0; i < 2; i++) { /* in the first run, and in one after good ones */
        fake_plant(f->call, 0, f->after, 1);
        oribi_run_execute(run, status);
        if (TF_GetCode(status) != f->code) {
            print_error("%s gave %d: %s\n", f->call, TF_GetCode(status), TF_Message(status));
            fail();
        }
        expect_text(status, "FAKE:0");
        expect_text(status, f->node);
        expect_text(status, f->member);
        small_execute(other);

        small_execute(run);
        device_expect_same(run, other);
        small_execute(run);
        if (strcmp(f->call, "allocate") == 0) {
            break; /* later runs ask for nothing */
        }
    }

    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_run_destroy(other);
    oribi_session_destroy(session);
    oribi_session_destroy(bystander);
    assert_int_equal(fake_live_bytes(), 0);
}

static void calls_that_fail_are_named_with_node_and_device(void **state)
{
    (void)state;
    static const fault faults[] = {
        {"memcpy_htod", 0, ROWS, TF_INTERNAL, "'x from CPU to FAKE:0'", "memcpy_htod"},
        {"memcpy_htod", 1, ROWS, TF_INTERNAL, "'tanh from CPU to FAKE:0'", "memcpy_htod"},
        {"memcpy_dtoh", 0, ROWS, TF_INTERNAL, "'product from FAKE:0 to CPU'", "memcpy_dtoh"},
        {"memcpy_dtoh", 1, ROWS, TF_INTERNAL, "'flat from FAKE:0 to CPU'", "memcpy_dtoh"},
        {"launch", 0, ROWS, TF_INTERNAL, "node 'product' (op MatMul", "launch"},
        {"launch", 2, ROWS, TF_INTERNAL, "node 'relu' (op Relu", "launch"},
        {"launch", 1, -1, TF_INTERNAL, "node 'sum' (op AddV2", "launch"},
        {"record_event", 0, ROWS, TF_INTERNAL, "'product from FAKE:0 to CPU'", "record_event"},
        {"block_host_for_event", 0, ROWS, TF_INTERNAL, "'wait for FAKE:0 after product'",
         "block_host_for_event"},
        {"get_stream_status", 1, ROWS, TF_INTERNAL, "'wait for FAKE:0 after flat'",
         "get_stream_status"},
        {"async", 0, ROWS, TF_INTERNAL, "'wait for FAKE:0 after product'", "block_host_for_event"},
        {"async", 2, ROWS, TF_INTERNAL, "'wait for FAKE:0 after flat'", "block_host_for_event"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        expect_failed_run(&faults[i]);
    }
}

/* Memory that the device refuses twice: the first refusal makes the host give its cache back. */
static void a_failed_allocation_is_named(void **state)
{
    (void)state;
    oribi_session *session = device_session(device_dense(-1, true), "FAKE:0", NULL);
    oribi_run *run = device_run(session, 40000, -3); /* more than a region that is there already */
    TF_Status *status = TF_NewStatus();

    fake_plant("allocate", 0, 0, 2);
    oribi_run_execute(run, status);

    assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
    expect_text(status, "node '");
    expect_text(status, "device FAKE:0: allocate: there is no memory for ");
    small_execute(run);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    assert_int_equal(fake_live_bytes(), 0);
}

static void expect_failed_session(const char *call, int after, int times, TF_Code code,
                                  const char *first, const char *second)
{
    TF_Status *status = TF_NewStatus();
    small_graph g = device_dense(ROWS, false);
    fake_plant(call, 0, after, times);

    assert_null(device_try_session(&g, "FAKE:0", NULL, true, status));

    assert_int_equal(TF_GetCode(status), code);
    expect_text(status, first);
    expect_text(status, second);
    assert_int_equal(fake_live_bytes(), 0);
    oribi_session_destroy(device_session(device_dense(ROWS, false), "FAKE:0", NULL));
    assert_int_equal(fake_live_bytes(), 0);
    TF_DeleteStatus(status);
}

static void a_session_that_cannot_be_made_leaves_nothing(void **state)
{
    (void)state;
    expect_failed_session("create_device", 0, 1, TF_INTERNAL, "node 'product'",
                          "device FAKE:0: create_device");
    expect_failed_session("allocate", 0, 2, TF_RESOURCE_EXHAUSTED, "node 'product'",
                          "device FAKE:0: allocate");
    expect_failed_session("create_stream", 0, 1, TF_INTERNAL, "node 'product'",
                          "device FAKE:0: create_stream");
    expect_failed_session("create_event", 0, 1, TF_INTERNAL, "node 'product'",
                          "device FAKE:0: create_event");
    expect_failed_session("memcpy_htod", 0, 1, TF_INTERNAL, "node 'product'",
                          "device FAKE:0: memcpy_htod");
    expect_failed_session("memcpy_htod", 1, 1, TF_INTERNAL, "node 'sum'",
                          "device FAKE:0: memcpy_htod");
    expect_failed_session("record_event", 0, 1, TF_INTERNAL,
                          "node 'product' (its constants, one of 2", "device FAKE:0: record_event");
    expect_failed_session("block_host_for_event", 0, 1, TF_INTERNAL,
                          "node 'product' (its constants, one of 2",
                          "device FAKE:0: block_host_for_event");
    expect_failed_session("get_stream_status", 0, 1, TF_INTERNAL,
                          "node 'product' (its constants, one of 2",
                          "device FAKE:0: get_stream_status");
}

static void a_session_on_a_lost_device_names_the_node_too(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    small_graph g = device_dense(ROWS, false);
    fake_plant("lost", 0, 0, 0);

    assert_null(device_try_session(&g, "FAKE:0", NULL, true, status));

    assert_int_equal(TF_GetCode(status), TF_UNAVAILABLE);
    expect_text(status, "node 'product'");
    expect_text(status, "FAKE:0: create_device");
    fake_plant("found", 0, 0, 0);
    assert_int_equal(fake_live_bytes(), 0);
    oribi_session_destroy(device_session(device_dense(ROWS, false), "FAKE:0", NULL));
    TF_DeleteStatus(status);
}

static void a_lost_device_is_told_until_it_is_found(void **state)
{
    (void)state;
    oribi_session *session = device_session(device_dense(ROWS, true), "FAKE:0", NULL);
    oribi_session *bystander = device_session(device_dense(ROWS, true), "FAKE:1", NULL);
    oribi_run *run = device_run(session, ROWS, -3);
    oribi_run *other = device_run(bystander, ROWS, -3);
    TF_Status *status = TF_NewStatus();
    small_execute(run);

    fake_plant("lost", 0, 0, 0);
    for (int i = 0; i < 3; i++) {
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), TF_UNAVAILABLE);
        expect_text(status, "FAKE:0");
        expect_text(status, "the device is lost");
        small_execute(other);
    }
    TF_Tensor *kept = small_result(run, 0); /* of the last good run */
    assert_non_null(kept);
    TF_DeleteTensor(kept);

    fake_plant("found", 0, 0, 0);
    small_execute(run);
    device_expect_same(run, other);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_run_destroy(other);
    oribi_session_destroy(session);
    oribi_session_destroy(bystander);
    assert_int_equal(fake_live_bytes(), 0);
}

static void a_late_event_ends_a_run_that_has_a_time_limit(void **state)
{
    (void)state;
    oribi_session *session = device_session(device_dense(ROWS, false), "FAKE:0", NULL);
    oribi_run *run = device_run(session, ROWS, -3);
    TF_Status *status = TF_NewStatus();
    small_execute(run);

    oribi_run_set_time_limit(run, 50000000);
    fake_plant("late", 0, 0, 1);
    oribi_run_execute(run, status);
    assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
    expect_text(status, "'wait for FAKE:0 after flat'");
    expect_text(
        status,
        "device FAKE:0: host_callback: the run passed its time limit before the event came");

    oribi_run_set_time_limit(run, 10000000000u); /* nothing of it comes later */
    small_execute(run);
    oribi_run_set_time_limit(run, 0); /* without a limit it is waited for */
    fake_plant("late", 0, 0, 1);
    small_execute(run);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    assert_int_equal(fake_live_bytes(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_that_fail_are_named_with_node_and_device),
        cmocka_unit_test(a_failed_allocation_is_named),
        cmocka_unit_test(a_session_that_cannot_be_made_leaves_nothing),
        cmocka_unit_test(a_session_on_a_lost_device_names_the_node_too),
        cmocka_unit_test(a_lost_device_is_told_until_it_is_found),
        cmocka_unit_test(a_late_event_ends_a_run_that_has_a_time_limit),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
