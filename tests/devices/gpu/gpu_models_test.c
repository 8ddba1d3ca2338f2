/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions on plugins cuda and hip, on the double of their driver: models on both devices against
 * the CPU, many runs at once, and calls of the driver that fail: the message names node, device and
 * call, nothing leaks, the session runs again, others go on.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "devices/gpu/on_double.h"

/* --- Models ---------------------------------------------------------------------------------- */

static oribi_session *open_digits(const char *device)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *options = small_options();
    if (device != NULL) {
        oribi_options_set_device(options, device, status);
        oribi_options_set_soft_placement(options, false);
    }
    oribi_model *model =
        oribi_model_open(TEST_SOURCE "/examples/digits/digits.onnx", options, status);
    small_expect_ok(status);
    oribi_session *session = oribi_session_create(model, options, status);
    small_expect_ok(status);
    oribi_model_destroy(model);
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
    return session;
}

static oribi_run *digits_run(oribi_session *session)
{
    static const int64_t dims[4] = {1, 1, 8, 8};
    oribi_run *run = small_run_of(session);
    TF_Tensor *x = small_tensor(4, dims, 0);
    for (int i = 0; i < 64; i++) {
        ((float *)TF_TensorData(x))[i] = (float)((i * 37) % 17) / 16;
    }
    small_bind(run, 0, x);
    return run;
}

static void digits_on_each_device_gives_what_the_cpu_gives(void **state)
{
    oribi_session *cpu = open_digits(NULL);
    oribi_run *expected = digits_run(cpu);
    (void)state;
    small_execute(expected);
    for (int i = 0; i < 2; i++) {
        oribi_session *session = open_digits(double_name(i));
        oribi_run *run = digits_run(session);
        for (int k = 0; k < 3; k++) {
            small_execute(run);
            device_expect_same(expected, run);
            assert_int_equal(oribi_run_num_waits(run), 1);
        }
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        double_expect_nothing();
    }
    oribi_run_destroy(expected);
    oribi_session_destroy(cpu);
}

/* Nodes on one device read what nodes on the other made. */
static void a_model_over_both_devices_copies_between_them(void **state)
{
    char places[3][40];
    const char *const list[] = {places[0], places[1], places[2], NULL};
    const int64_t n_peer = double_calls(vendor->peer);
    (void)state;
    snprintf(places[0], sizeof places[0], "product=%s", double_name(0));
    snprintf(places[1], sizeof places[1], "sum=%s", double_name(1));
    snprintf(places[2], sizeof places[2], "relu=%s", double_name(0));
    oribi_session *cpu = device_session(device_dense(-1, false), NULL, NULL);
    oribi_session *both = device_session(device_dense(-1, false), double_name(0), list);
    oribi_run *expected = device_run(cpu, ROWS, -3), *run = device_run(both, ROWS, -3);
    small_execute(expected);
    double_set_delay(500);
    for (int i = 0; i < 5; i++) {
        small_execute(run);
        device_expect_same(expected, run);
    }
    double_set_delay(0);
    assert_true(double_calls(vendor->peer) > n_peer);
    oribi_run_destroy(expected);
    oribi_run_destroy(run);
    oribi_session_destroy(cpu);
    oribi_session_destroy(both);
    double_expect_nothing();
}

typedef struct worker {
    oribi_session *session;
    oribi_run *expected;
} worker;

static void *run_many(void *arg)
{
    const worker *self = arg;
    oribi_run *run = digits_run(self->session);
    TF_Status *status = TF_NewStatus();
    for (int i = 0; i < 6; i++) {
        oribi_run_execute(run, status);
        if (TF_GetCode(status) != TF_OK) {
            break;
        }
    }
    TF_Tensor *mine = oribi_run_output(run, 0, status), *other = small_result(self->expected, 0);
    const bool same = mine != NULL && TF_TensorElementCount(mine) == TF_TensorElementCount(other);
    float worst = same ? 0 : 1;
    for (int64_t i = 0; same && i < TF_TensorElementCount(mine); i++) {
        const float d = ((float *)TF_TensorData(mine))[i] - ((float *)TF_TensorData(other))[i];
        worst = d > worst ? d : -d > worst ? -d : worst;
    }
    TF_DeleteTensor(mine);
    TF_DeleteTensor(other);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    return worst < 1e-4f ? NULL : arg;
}

static void runs_at_once_on_both_devices_do_not_meet(void **state)
{
    pthread_t threads[4];
    worker workers[4];
    void *failed = NULL;
    oribi_session *sessions[2] = {open_digits(double_name(0)), open_digits(double_name(1))};
    oribi_session *cpu = open_digits(NULL);
    (void)state;
    for (int i = 0; i < 4; i++) {
        workers[i] = (worker){sessions[i % 2], digits_run(cpu)};
        small_execute(workers[i].expected);
        assert_int_equal(pthread_create(&threads[i], NULL, run_many, &workers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
        oribi_run_destroy(workers[i].expected);
    }
    oribi_session_destroy(sessions[0]);
    oribi_session_destroy(sessions[1]);
    oribi_session_destroy(cpu);
    double_expect_nothing();
}

/* --- What the host asks of the plugin -------------------------------------------------------- */

static void outputs_come_through_pinned_memory(void **state)
{
    oribi_session *session = open_digits(double_name(0));
    oribi_run *run = digits_run(session);
    (void)state;
    small_execute(run);
    small_execute(run); /* an output stays until the next one is there */
    const int64_t n = double_live("pinned");
    assert_true(n > 0);
    for (int i = 0; i < 3; i++) {
        small_execute(run);
    }
    assert_int_equal(double_live("pinned"), n); /* the same in each run */
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    double_expect_nothing();
}

/* The host waits for a call from the driver, in which nothing may use the device. */
static void a_run_with_a_time_limit_is_given_up_and_runs_again(void **state)
{
    oribi_session *cpu = open_digits(NULL), *session = open_digits(double_name(1));
    oribi_run *expected = digits_run(cpu), *run = digits_run(session);
    TF_Status *status = TF_NewStatus();
    const int64_t n = double_calls(vendor->host_call);
    (void)state;
    small_execute(expected);
    small_execute(run);
    oribi_run_set_time_limit(run, 5000000);
    double_set_delay(20000);
    oribi_run_execute(run, status);
    assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
    expect_text(status, double_name(1));
    assert_true(double_calls(vendor->host_call) > n);
    double_set_delay(0);
    oribi_run_set_time_limit(run, 60000000000u);
    small_execute(run);
    device_expect_same(expected, run);
    TF_DeleteStatus(status);
    oribi_run_destroy(expected);
    oribi_run_destroy(run);
    oribi_session_destroy(cpu);
    oribi_session_destroy(session);
    double_expect_nothing();
}

/* --- Faults ---------------------------------------------------------------------------------- */

typedef struct fault {
    const char *symbol;
    int after; /* calls that are well before */
    const char *node, *member;
} fault;

static void expect_failed_run(const fault *f, bool is_later)
{
    char symbol[64];
    oribi_session *session = device_session(device_dense(ROWS, true), double_name(0), NULL);
    oribi_session *bystander = device_session(device_dense(ROWS, true), double_name(1), NULL);
    oribi_run *run = device_run(session, ROWS, -3), *other = device_run(bystander, ROWS, -3);
    TF_Status *status = TF_NewStatus();
    small_execute(run);

    snprintf(symbol, sizeof symbol, "%s%s", f->symbol, is_later ? "()" : "");
    double_plant(symbol, 0, f->after, 1, is_later ? 700 : 719);
    oribi_run_execute(run, status);
    if (TF_GetCode(status) != TF_INTERNAL) {
        print_error("%s gave %d: %s\n", symbol, TF_GetCode(status), TF_Message(status));
        fail();
    }
    expect_text(status, double_name(0));
    expect_text(status, f->node);
    expect_text(status, f->member);
    expect_text(status, is_later ? "(700)" : f->symbol);
    small_execute(other);
    if (is_later) { /* such a device stays lost */
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), TF_INTERNAL);
        expect_text(status, "(700)");
        small_execute(other);
    }
    double_heal();
    for (int i = 0; i < 2; i++) {
        small_execute(run);
        device_expect_same(run, other);
    }

    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_run_destroy(other);
    oribi_session_destroy(session);
    oribi_session_destroy(bystander);
    double_expect_nothing();
}

static void calls_that_fail_are_named_with_node_and_device(void **state)
{
    const fault faults[] = {
        {vendor->htod, 0, "'x from CPU", "memcpy_htod"},
        {vendor->dtoh, 0, " to CPU'", "memcpy_dtoh"},
        {vendor->launch, 0, "node '", ""},
        {vendor->launch, 2, "node '", ""},
        {vendor->event_wait, 0, "'wait for ", "block_host_for_event"},
        {vendor->query, 0, "'wait for ", "get_stream_status"},
        {vendor->record, 0, "'wait for ", "record_event"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        expect_failed_run(&faults[i], false);
    }
}

/* The call that follows tells it, whichever that is: the wait, unless the host is slow. */
static void what_fails_on_the_device_is_told_later_and_until_it_is_back(void **state)
{
    const fault faults[] = {{vendor->launch, 1, "node '", ""},
                            {vendor->htod, 0, "node '", ""},
                            {vendor->dtoh, 0, "node '", ""}};
    (void)state;
    double_set_delay(300);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        expect_failed_run(&faults[i], true);
    }
    double_set_delay(0);
}

static void expect_no_session(const char *symbol, int times, TF_Code code, const char *text)
{
    TF_Status *status = TF_NewStatus();
    small_graph g = device_dense(ROWS, false);
    double_plant(symbol, -1, 0, times, 2);
    oribi_session *session = device_try_session(&g, double_name(0), NULL, true, status);
    if (session != NULL) {
        print_error("%s was not missed\n", symbol);
        fail();
    }
    if (TF_GetCode(status) != code) {
        print_error("%s gave %d: %s\n", symbol, TF_GetCode(status), TF_Message(status));
        fail();
    }
    expect_text(status, double_name(0));
    expect_text(status, text);
    double_heal();
    oribi_session_destroy(device_session(device_dense(ROWS, false), double_name(0), NULL));
    TF_DeleteStatus(status);
    double_expect_nothing();
}

static void a_session_that_cannot_be_made_leaves_nothing(void **state)
{
    (void)state;
    expect_no_session(vendor->allocate, 2, TF_RESOURCE_EXHAUSTED, "allocate");
    expect_no_session(vendor->stream, 1, TF_RESOURCE_EXHAUSTED, vendor->out_of_memory);
    expect_no_session(vendor->event, 1, TF_RESOURCE_EXHAUSTED, vendor->out_of_memory);
    expect_no_session(vendor->htod, 1, TF_RESOURCE_EXHAUSTED, "memcpy_htod");
    if (strcmp(vendor->type, "CUDA") == 0) {
        expect_no_session("cuDevicePrimaryCtxRetain", 1, TF_RESOURCE_EXHAUSTED,
                          "cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY (2)");
    }
}

/* The first compute loads code. */
static void code_that_cannot_be_loaded_is_named(void **state)
{
    const char *const symbols[] = {vendor->load, vendor->find};
    (void)state;
    for (int i = 0; i < 2; i++) {
        oribi_session *session = open_digits(double_name(0));
        oribi_run *run = digits_run(session);
        TF_Status *status = TF_NewStatus();
        double_plant(symbols[i], 0, 0, 1, 2);
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), TF_RESOURCE_EXHAUSTED);
        expect_text(status, "node '");
        expect_text(status, double_name(0));
        expect_text(status, symbols[i]);
        small_execute(run);
        TF_DeleteStatus(status);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        double_expect_nothing();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_on_each_device_gives_what_the_cpu_gives),
        cmocka_unit_test(a_model_over_both_devices_copies_between_them),
        cmocka_unit_test(runs_at_once_on_both_devices_do_not_meet),
        cmocka_unit_test(outputs_come_through_pinned_memory),
        cmocka_unit_test(a_run_with_a_time_limit_is_given_up_and_runs_again),
        cmocka_unit_test(calls_that_fail_are_named_with_node_and_device),
        cmocka_unit_test(what_fails_on_the_device_is_told_later_and_until_it_is_back),
        cmocka_unit_test(a_session_that_cannot_be_made_leaves_nothing),
        cmocka_unit_test(code_that_cannot_be_loaded_is_named),
    };
    double_choose();
    double_load();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
