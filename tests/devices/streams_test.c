/* SPDX-License-Identifier: Apache-2.0 */
/* The example that uses streams (examples/streams/sorted.c): results, waits of the host, runs at
 * once, and faults in each call that it makes on its own stream.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "devices/on_fake.h"

enum { SORTED_ROWS = 7, SORTED_COLUMNS = 50, THREADS = 4, RUNS = 50 };
static const int64_t DIMS[2] = {SORTED_ROWS, SORTED_COLUMNS};

static int setup(void **state)
{
    (void)state;
    setenv("TEST_FAKE_PLUGIN", TEST_SORTED, 0);
    device_load("");
    return 0;
}

/* Twice, so that the second one waits for what the first one enqueued. */
static oribi_session *sorting_session(const char *device)
{
    small_graph g = small_begin();
    oribi_value_id v = small_input(&g, "x", 2, DIMS);
    v = device_node(&g, "Com>Acme>Sorted", "sorted", &v, 1);
    v = device_node(&g, "Com>Acme>Sorted", "again", &v, 1);
    small_output(&g, v, "z");
    return device_session(g, device, NULL);
}

static float value_at(int64_t row, int64_t column, int seed)
{
    return (float)((row * 31 + column * 7919 + seed * 17) % 1013) - 500;
}

/* Executes and counts the elements that are not those of the sorted rows: by their order, and by
 * how often each is there. -1: the run failed, with its message in status. */
static int sort_once(oribi_run *run, int seed, TF_Status *status)
{
    TF_Tensor *x = small_tensor(2, DIMS, 0);
    float *values = TF_TensorData(x);
    int n_wrong = 0;
    for (int64_t i = 0; i < SORTED_ROWS * SORTED_COLUMNS; i++) {
        values[i] = value_at(i / SORTED_COLUMNS, i % SORTED_COLUMNS, seed);
    }
    oribi_run_set_input(run, 0, x, status);
    TF_DeleteTensor(x);
    oribi_run_execute(run, status);
    if (TF_GetCode(status) != TF_OK) {
        return -1;
    }
    TF_Tensor *z = oribi_run_output(run, 0, status);
    const float *found = TF_TensorData(z);
    for (int64_t row = 0; row < SORTED_ROWS; row++, found += SORTED_COLUMNS) {
        for (int64_t i = 0; i < SORTED_COLUMNS; i++) {
            int balance = 0; /* of the value found: in the row of x, less in that of z */
            for (int64_t k = 0; k < SORTED_COLUMNS; k++) {
                balance += (value_at(row, k, seed) == found[i]) - (found[k] == found[i]);
            }
            n_wrong += balance != 0 || (i > 0 && found[i - 1] > found[i]);
        }
    }
    TF_DeleteTensor(z);
    return n_wrong;
}

static void rows_are_sorted_and_the_host_waits_once(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        oribi_session *session = sorting_session(k == 0 ? "FAKE:0" : "FAKE:1");
        oribi_run *run = small_run_of(session);
        TF_Status *status = TF_NewStatus();
        for (int i = 0; i < 5; i++) {
            assert_int_equal(sort_once(run, i, status), 0);
            assert_int_equal(oribi_run_num_waits(run), 1);
        }
        TF_DeleteStatus(status);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        assert_int_equal(fake_live_bytes(), 0);
    }
}

typedef struct worker {
    oribi_session *session;
    int n_wrong;
} worker;

static void *sort_many(void *arg)
{
    worker *w = arg;
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(w->session, status);
    for (int i = 0; i < RUNS; i++) {
        w->n_wrong += sort_once(run, i, status) != 0;
    }
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
    return NULL;
}

static void runs_at_once_share_the_kernels_stream(void **state)
{
    (void)state;
    oribi_session *session = sorting_session("FAKE:0");
    worker workers[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.session = session};
        assert_int_equal(pthread_create(&threads[i], NULL, sort_many, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].n_wrong, 0);
    }
    oribi_session_destroy(session);
    assert_int_equal(fake_live_bytes(), 0);
}

/* Each call fails at each of its places in a run; the next run is well. */
static void calls_that_fail_leave_a_session_that_runs(void **state)
{
    (void)state;
    static const char *const calls[] = {"create_stream",  "create_event",     "record_event",
                                        "wait_for_event", "memcpy_dtoh",      "memcpy_htod",
                                        "host_callback",  "get_stream_status"};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        int n_failed = 0;
        for (int after = 0; after < 4; after++) {
            oribi_session *session = sorting_session("FAKE:0");
            oribi_run *run = small_run_of(session);
            TF_Status *status = TF_NewStatus();
            fake_plant(calls[i], 0, after, 1);
            for (int k = 0; k < 2; k++) {
                const int found = sort_once(run, k, status);
                assert_true(found <= 0);
                n_failed += found < 0;
                assert_true(found == 0 || strstr(TF_Message(status), calls[i]) != NULL);
                assert_true(found == 0 || strstr(TF_Message(status), "FAKE:0") != NULL);
            }
            fake_plant(calls[i], 0, 0, 0);
            assert_int_equal(sort_once(run, 3, status), 0);
            TF_DeleteStatus(status);
            oribi_run_destroy(run);
            oribi_session_destroy(session);
            assert_int_equal(fake_live_bytes(), 0);
        }
        if (n_failed == 0) {
            fail_msg("no run met the fault of %s", calls[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_and_the_host_waits_once),
        cmocka_unit_test(runs_at_once_share_the_kernels_stream),
        cmocka_unit_test(calls_that_fail_leave_a_session_that_runs),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
