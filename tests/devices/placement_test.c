/* SPDX-License-Identifier: Apache-2.0 */
/* Models on the example device: results, where nodes go, which copies and waits follow from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "devices/on_fake.h"

static bool has_peers; /* do the two devices copy from each other? */

static int setup(void **state)
{
    (void)state;
    const char *options = getenv("TEST_FAKE_OPTIONS"); /* this program runs with several */
    device_load(options != NULL ? options : "");
    has_peers = options == NULL || strstr(options, "peers=0") == NULL;
    return 0;
}

/* The model on the device, as placed, gives what the CPU gives, several times. */
static void expect_as_on_cpu(int64_t rows, bool with_tanh, const char *device,
                             const char *const *places, int n_waits)
{
    oribi_session *cpu = device_session(device_dense(rows, with_tanh), NULL, NULL);
    oribi_session *other = device_session(device_dense(rows, with_tanh), device, places);
    oribi_run *expected = device_run(cpu, ROWS, -3);
    oribi_run *run = device_run(other, ROWS, -3);

    small_execute(expected);
    assert_int_equal(oribi_run_num_waits(expected), 0);
    for (int i = 0; i < 4; i++) {
        small_execute(run);
        device_expect_same(expected, run);
        assert_int_equal(oribi_run_num_waits(run), n_waits);
    }

    oribi_run_destroy(expected);
    oribi_run_destroy(run);
    oribi_session_destroy(cpu);
    oribi_session_destroy(other);
    assert_int_equal(fake_live_bytes(), 0);
}

static void a_model_on_the_device_gives_what_the_cpu_gives_and_waits_once(void **state)
{
    (void)state;
    expect_as_on_cpu(ROWS, false, "FAKE", NULL, 1);
}

static void a_name_is_found_in_any_case_of_letters(void **state)
{
    (void)state;
    expect_as_on_cpu(ROWS, false, "fake:1", NULL, 1);
}

static void a_node_without_a_kernel_there_runs_on_the_cpu_with_one_more_wait(void **state)
{
    (void)state;
    expect_as_on_cpu(ROWS, true, "FAKE", NULL, 2);
}

static void shapes_known_at_run_time_only_work_too(void **state)
{
    (void)state;
    expect_as_on_cpu(-1, true, "FAKE", NULL, 2);
}

static void two_devices_share_a_session(void **state)
{
    (void)state;
    static const char *const places[] = {"sum=FAKE:1", "relu=FAKE:0", NULL};
    expect_as_on_cpu(ROWS, false, "FAKE:0", places, has_peers ? 2 : 4);
}

static void a_node_goes_back_to_the_cpu_by_name(void **state)
{
    (void)state;
    static const char *const places[] = {"relu=CPU", NULL};
    oribi_session *session = device_session(device_dense(ROWS, false), "FAKE", places);

    assert_int_equal(device_count_steps(session, "\"device\":\"FAKE:0\""), 3);
    /* x in, sum out, relu in, flat out */
    assert_int_equal(device_count_steps(session, "\"op\":\"Copy\""), 4);
    assert_int_equal(device_count_steps(session, "\"op\":\"Wait\""), 2);
    oribi_session_destroy(session);
    expect_as_on_cpu(ROWS, false, "FAKE", places, 2);
}

static void a_session_on_the_cpu_has_neither_copies_nor_waits(void **state)
{
    (void)state;
    oribi_session *session = device_session(device_dense(ROWS, true), "CPU", NULL);

    assert_int_equal(device_count_steps(session, "\"op\":\"Copy\""), 0);
    assert_int_equal(device_count_steps(session, "\"op\":\"Wait\""), 0);
    assert_int_equal(device_count_steps(session, "FAKE"), 0);
    oribi_session_destroy(session);
}

static void expect_refused(const char *device, const char *const *places, bool is_soft,
                           TF_Code code, const char *text)
{
    TF_Status *status = TF_NewStatus();
    small_graph g = device_dense(ROWS, true);

    assert_null(device_try_session(&g, device, places, is_soft, status));

    assert_int_equal(TF_GetCode(status), code);
    if (strstr(TF_Message(status), text) == NULL) {
        print_error("'%s' is not in: %s\n", text, TF_Message(status));
        fail();
    }
    TF_DeleteStatus(status);
}

static void devices_and_nodes_that_are_not_there_are_named(void **state)
{
    (void)state;
    static const char *const places[] = {"rellu=FAKE", NULL};
    static const char *const nowhere[] = {"relu=GPU", NULL};

    expect_refused("WARP", NULL, true, TF_NOT_FOUND,
                   "there is no device 'WARP': the devices are "
                   "CPU, FAKE");
    expect_refused("FAKE:7", NULL, true, TF_NOT_FOUND, "FAKE has 2 devices");
    expect_refused("FAKE", places, true, TF_NOT_FOUND, "did you mean 'relu'?");
    expect_refused("FAKE", nowhere, true, TF_NOT_FOUND, "there is no device 'GPU'");
    expect_refused("FAKE", NULL, false, TF_NOT_FOUND,
                   "node 'tanh': op Tanh has no kernel for "
                   "device FAKE:0");
    assert_int_equal(fake_live_bytes(), 0);
}

static void device_texts_of_another_form_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", ":1", "FAKE:", "FAKE:x", "FAKE:-1", "FAKE:1:2"};
    TF_Status *status = TF_NewStatus();
    oribi_options *options = small_options();

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        oribi_options_set_device(options, texts[i], status);
        assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
        oribi_options_place_node(options, "relu", texts[i], status);
        assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    }

    oribi_options_destroy(options);
    TF_DeleteStatus(status);
}

static void watch_value(void *arg, const oribi_value_event *event)
{
    float *found = arg;
    if (strcmp(event->node, "relu") == 0) {
        memcpy(found, event->data, sizeof *found * ROWS * COLUMNS);
        found[ROWS * COLUMNS] += 1;
    }
}

static void a_watch_sees_values_of_the_device(void **state)
{
    (void)state;
    float found[ROWS * COLUMNS + 1] = {0};
    oribi_session *session = device_session(device_dense(ROWS, false), "FAKE", NULL);
    oribi_run *run = device_run(session, ROWS, -3);

    oribi_run_set_watch(run, watch_value, found);
    small_execute(run);

    TF_Tensor *z = small_result(run, 0);
    assert_true(found[ROWS * COLUMNS] == 1); /* once, not for the copies */
    assert_memory_equal(found, TF_TensorData(z), sizeof(float) * ROWS * COLUMNS);
    TF_DeleteTensor(z);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_on_the_device_gives_what_the_cpu_gives_and_waits_once),
        cmocka_unit_test(a_name_is_found_in_any_case_of_letters),
        cmocka_unit_test(a_node_without_a_kernel_there_runs_on_the_cpu_with_one_more_wait),
        cmocka_unit_test(shapes_known_at_run_time_only_work_too),
        cmocka_unit_test(two_devices_share_a_session),
        cmocka_unit_test(a_node_goes_back_to_the_cpu_by_name),
        cmocka_unit_test(a_session_on_the_cpu_has_neither_copies_nor_waits),
        cmocka_unit_test(devices_and_nodes_that_are_not_there_are_named),
        cmocka_unit_test(device_texts_of_another_form_are_refused),
        cmocka_unit_test(a_watch_sees_values_of_the_device),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
