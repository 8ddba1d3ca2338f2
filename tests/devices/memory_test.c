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

/* What this process has copied so far, by the kind of the host memory. */
static void expect_new_copies(int64_t pinned, int64_t plain)
{
    static int64_t n_pinned, n_plain;
    int64_t all_pinned = 0, all_plain = 0;
    spy_copies(&all_pinned, &all_plain);
    if (pinned >= 0) {
        assert_int_equal(all_pinned - n_pinned, pinned);
        assert_int_equal(all_plain - n_plain, plain);
    }
    n_pinned = all_pinned;
    n_plain = all_plain;
}

/* Of four copies (x in; product out; tanh in; flat out) the first is from the caller's memory. */
static void host_memory_of_copies_is_the_devices_and_cached(void **state)
{
    (void)state;
    oribi_session *cpu = device_session(device_dense(ROWS, true), NULL, NULL);
    oribi_session *session = device_session(device_dense(ROWS, true), "FAKE:0", NULL);
    oribi_run *expected = device_run(cpu, ROWS, -3);
    oribi_run *run = device_run(session, ROWS, -3);
    small_execute(expected);
    expect_new_copies(-1, -1);

    small_execute(run);
    expect_new_copies(3, 1);
    small_execute(run);
    small_execute(run); /* the output's second buffer is there now */
    const int64_t n = spy_calls("host_memory_allocate");
    assert_true(n > 0);
    expect_new_copies(6, 2);
    for (int i = 0; i < 10; i++) {
        small_execute(run);
        device_expect_same(expected, run);
    }
    assert_int_equal(spy_calls("host_memory_allocate"), n);
    expect_new_copies(30, 10);

    oribi_run_destroy(expected);
    oribi_run_destroy(run);
    oribi_session_destroy(cpu);
    oribi_session_destroy(session);
    assert_int_equal(spy_pinned_bytes(), 0);
    assert_int_equal(spy_calls("host_memory_deallocate"), spy_calls("host_memory_allocate"));
}

static void so_it_is_for_shapes_that_are_known_at_run_time_only(void **state)
{
    (void)state;
    oribi_session *session = device_session(device_dense(-1, true), "FAKE:0", NULL);
    oribi_run *run = device_run(session, ROWS, -3);
    for (int i = 0; i < 3; i++) {
        small_execute(run);
    }
    expect_new_copies(-1, -1);

    small_execute(run);

    expect_new_copies(3, 1);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    assert_int_equal(spy_pinned_bytes(), 0);
}

/* A session keeps the device open, and the device what runs gave back. */
static void host_memory_of_a_run_serves_the_next_one(void **state)
{
    (void)state;
    oribi_session *session = device_session(device_dense(ROWS, true), "FAKE:0", NULL);
    oribi_run *run = device_run(session, ROWS, -3);
    small_execute(run);
    oribi_run_destroy(run);
    const int64_t n = spy_calls("host_memory_allocate");

    for (int i = 0; i < 3; i++) {
        run = device_run(session, ROWS, -3);
        small_execute(run);
        oribi_run_destroy(run);
    }

    assert_int_equal(spy_calls("host_memory_allocate"), n);
    assert_true(spy_pinned_bytes() > 0);
    oribi_session_destroy(session);
    assert_int_equal(spy_pinned_bytes(), 0);
}

static void compute_with_host_temp(void *kernel, TF_OpKernelContext *ctx)
{
    const int64_t dims[] = {1000};
    TF_AllocatorAttributes on_host = {TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE, 1};
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL, *temp = TF_AllocateTemp(ctx, TF_FLOAT, dims, 1, &on_host, status);
    (void)kernel;
    if (temp != NULL) {
        memset(TF_TensorData(temp), 1, TF_TensorByteSize(temp));
        TF_GetInput(ctx, 0, &x, status);
    }
    if (x != NULL) {
        TF_SetOutput(ctx, 0, x, status);
    }
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteTensor(x);
    TF_DeleteTensor(temp);
    TF_DeleteStatus(status);
}

static void host_memory_that_a_kernel_asks_for_is_the_devices_too(void **state)
{
    (void)state;
    static const char *const x[] = {"x: float", NULL}, *const z[] = {"z: float", NULL};
    const int64_t dims[] = {ROWS, INNER};
    small_define_op("Test>HostTemp", x, z, NULL, small_same_shape);
    small_register(TF_NewKernelBuilder("Test>HostTemp", "FAKE", NULL, compute_with_host_temp, NULL),
                   "temp");
    small_graph g = small_begin();
    const oribi_value_id in = small_input(&g, "x", 2, dims);
    small_output(&g, device_node(&g, "Test>HostTemp", "temp", &in, 1), "z");
    oribi_session *session = device_session(g, "FAKE:0", NULL);
    oribi_run *run = device_run(session, ROWS, -3);

    small_execute(run);
    small_execute(run);
    small_execute(run);
    const int64_t n = spy_calls("host_memory_allocate"), bytes = spy_pinned_bytes();
    assert_true(bytes >= 4000);
    small_execute(run);
    assert_int_equal(spy_calls("host_memory_allocate"), n);

    oribi_run_destroy(run);
    oribi_session_destroy(session);
    assert_int_equal(spy_pinned_bytes(), 0);
}

static void ordinary_memory_will_do_where_the_device_has_none_to_give(void **state)
{
    (void)state;
    oribi_session *session = device_session(device_dense(ROWS, true), "FAKE:0", NULL);
    oribi_run *run = device_run(session, ROWS, -3);
    expect_new_copies(-1, -1);

    spy_set_host_memory(0);
    small_execute(run);
    small_execute(run);
    spy_set_host_memory(1);

    expect_new_copies(0, 8);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void an_input_that_the_run_made_is_copied_from_the_devices_memory(void **state)
{
    (void)state;
    const int64_t dims[] = {ROWS, INNER};
    TF_Status *status = TF_NewStatus();
    oribi_session *session = device_session(device_dense(ROWS, false), "FAKE:0", NULL);
    oribi_run *run = small_run_of(session);

    TF_Tensor *x = oribi_run_make_input(run, 0, dims, 2, status);
    small_expect_ok(status);
    assert_int_equal(TF_TensorByteSize(x), sizeof(float) * ROWS * INNER);
    memset(TF_TensorData(x), 0, TF_TensorByteSize(x));
    oribi_run_set_input(run, 0, x, status);
    small_expect_ok(status);
    expect_new_copies(-1, -1);
    small_execute(run);
    expect_new_copies(2, 0);

    oribi_run_destroy(run);
    oribi_session_destroy(session);
    memset(TF_TensorData(x), 1, TF_TensorByteSize(x)); /* it is the caller's still */
    TF_DeleteTensor(x);
    assert_int_equal(spy_pinned_bytes(), 0);
    TF_DeleteStatus(status);
}

static void inputs_that_cannot_be_made_are_refused(void **state)
{
    (void)state;
    const int64_t dims[] = {ROWS, INNER}, bad[] = {-1, INNER},
                  vast[] = {INT64_MAX / 2, INT64_MAX / 2};
    TF_Status *status = TF_NewStatus();
    oribi_session *session = device_session(device_dense(-1, false), NULL, NULL);
    oribi_run *run = small_run_of(session);

    assert_null(oribi_run_make_input(run, 1, dims, 2, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(oribi_run_make_input(run, 0, bad, 2, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(oribi_run_make_input(run, 0, vast, 2, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(oribi_run_make_input(run, 0, dims, -1, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_Tensor *x = oribi_run_make_input(run, 0, dims, 2, status); /* ordinary memory */
    small_expect_ok(status);
    TF_DeleteTensor(x);

    oribi_run_destroy(run);
    oribi_session_destroy(session);
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
        cmocka_unit_test(host_memory_of_copies_is_the_devices_and_cached),
        cmocka_unit_test(so_it_is_for_shapes_that_are_known_at_run_time_only),
        cmocka_unit_test(host_memory_of_a_run_serves_the_next_one),
        cmocka_unit_test(host_memory_that_a_kernel_asks_for_is_the_devices_too),
        cmocka_unit_test(ordinary_memory_will_do_where_the_device_has_none_to_give),
        cmocka_unit_test(an_input_that_the_run_made_is_copied_from_the_devices_memory),
        cmocka_unit_test(inputs_that_cannot_be_made_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
