/* SPDX-License-Identifier: Apache-2.0 */
/* Threads on devices: a session over two instances, with copies between them and the host, from
 * several threads at once; sessions that come and go beside it.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "devices/on_fake.h"

enum { THREADS = 4, RUNS = 250, SESSIONS = 20 };

static const char *const places[] = {"sum=FAKE:1", "relu=FAKE:0", NULL};

static int setup(void **state)
{
    (void)state;
    device_load("");
    return 0;
}

typedef struct worker {
    oribi_session *session;
    const float *expected;
    size_t bytes;
    int n_wrong, n_failed;
} worker;

/* cmocka's checks are for the main thread: this one counts. */
static void *run_many(void *arg)
{
    worker *w = arg;
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(w->session, status);
    const int64_t dims[] = {ROWS, INNER};
    TF_Tensor *x = small_tensor(2, dims, -3);
    oribi_run_set_input(run, 0, x, status);
    TF_DeleteTensor(x);
    for (int i = 0; i < RUNS; i++) {
        oribi_run_execute(run, status);
        w->n_failed += TF_GetCode(status) != TF_OK;
        TF_Tensor *z = oribi_run_output(run, 0, status);
        w->n_wrong += z == NULL || memcmp(TF_TensorData(z), w->expected, w->bytes) != 0;
        TF_DeleteTensor(z);
    }
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
    return NULL;
}

static void *make_sessions(void *arg)
{
    worker *w = arg;
    for (int i = 0; i < SESSIONS; i++) {
        TF_Status *status = TF_NewStatus();
        small_graph g = device_dense(ROWS, i % 2 == 0);
        oribi_session *session =
            device_try_session(&g, i % 3 == 0 ? "FAKE:1" : "FAKE:0", NULL, true, status);
        oribi_run *run = session != NULL ? device_run(session, ROWS, -3) : NULL;
        if (run != NULL) {
            oribi_run_execute(run, status);
        }
        w->n_failed += TF_GetCode(status) != TF_OK;
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        TF_DeleteStatus(status);
    }
    return NULL;
}

static void expect_agreement(small_graph g, const char *const *where, bool with_sessions)
{
    oribi_session *session = device_session(g, "FAKE:0", where);
    oribi_run *first = device_run(session, ROWS, -3);
    small_execute(first);
    TF_Tensor *expected = small_result(first, 0);
    worker workers[THREADS + 1];
    pthread_t threads[THREADS + 1];
    const int n = with_sessions ? THREADS + 1 : THREADS;

    for (int i = 0; i < n; i++) {
        workers[i] = (worker){.session = session,
                              .expected = TF_TensorData(expected),
                              .bytes = TF_TensorByteSize(expected)};
        assert_int_equal(
            pthread_create(&threads[i], NULL, i < THREADS ? run_many : make_sessions, &workers[i]),
            0);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].n_failed, 0);
        assert_int_equal(workers[i].n_wrong, 0);
    }

    TF_DeleteTensor(expected);
    oribi_run_destroy(first);
    oribi_session_destroy(session);
    assert_int_equal(fake_live_bytes(), 0);
}

static void a_thousand_runs_over_two_devices_agree(void **state)
{
    (void)state;
    expect_agreement(device_dense(ROWS, true), places, true);
}

/* z = (Relu(a) + a) + Tanh(a), a = Relu(x): each device copies in both directions while it works.
 */
static void so_they_do_with_copies_beside_the_kernels(void **state)
{
    (void)state;
    static const char *const where[] = {"again=FAKE:1", "sum=FAKE:1", NULL};
    const int64_t dims[] = {ROWS, INNER};
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, dims);
    const oribi_value_id a = device_node(&g, "Relu", "a", &x, 1);
    const oribi_value_id again = device_node(&g, "Relu", "again", &a, 1);
    const oribi_value_id sum = device_node(&g, "AddV2", "sum", (oribi_value_id[]){again, a}, 2);
    const oribi_value_id own = device_node(&g, "AddV2", "own", (oribi_value_id[]){a, a}, 2);
    const oribi_value_id tanh = device_node(&g, "Tanh", "tanh", &a, 1);
    const oribi_value_id all = device_node(&g, "AddV2", "all", (oribi_value_id[]){own, tanh}, 2);
    const oribi_value_id z = device_node(&g, "AddV2", "z", (oribi_value_id[]){sum, all}, 2);
    small_output(&g, z, "z");
    expect_agreement(g, where, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_runs_over_two_devices_agree),
        cmocka_unit_test(so_they_do_with_copies_beside_the_kernels),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
