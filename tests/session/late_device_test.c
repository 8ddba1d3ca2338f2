/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous kernels of a device: waited for at once, and late. Those of the CPU:
 * tests/session/async_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <semaphore.h>

#include "base/thread.h"

#include "devices/on_fake.h"

/* --- Kernels --------------------------------------------------------------------------------- */

typedef struct later {
    TF_OpKernelContext *ctx;
    TF_AsyncOpKernelDoneCallback *done;
} later;

static oribi_thread *threads[64];
static int n_threads;
static atomic_int n_wrong;
static atomic_bool is_late;
static sem_t release;

static void relay(void *arg)
{
    later *work = arg;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    if (is_late) {
        sem_wait(&release);
    }
    (void)TF_GetStream(work->ctx, status); /* its stream is there as long as it is at work */
    n_wrong += TF_GetCode(status) != TF_OK;
    TF_GetInput(work->ctx, 0, &x, status);
    TF_SetOutput(work->ctx, 0, x, status);
    n_wrong += TF_GetCode(status) != TF_OK;
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
    TF_RunAsyncOpKernelDoneCallback(work->done);
    free(work);
}

static void compute(void *kernel, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done)
{
    later *work = malloc(sizeof *work);
    (void)kernel;
    *work = (later){ctx, done};
    threads[n_threads++] = oribi_thread_start(relay, work, "relay", 0);
}

static void compute_on_cpu(void *kernel, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    (void)kernel;
    TF_GetInput(ctx, 0, &x, status);
    TF_SetOutput(ctx, 0, x, status);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void join_all(void)
{
    while (n_threads > 0) {
        oribi_thread_join(threads[--n_threads]);
    }
}

static int setup(void **state)
{
    static const char *const x[] = {"x: float", NULL};
    static const char *const z[] = {"z: float", NULL};
    (void)state;
    device_load("");
    small_define_op("Test>Relay", x, z, NULL, small_same_shape);
    small_register(TF_NewAsyncKernelBuilder("Test>Relay", "FAKE", NULL, compute, NULL), "relay");
    small_register(TF_NewKernelBuilder("Test>Relay", "CPU", NULL, compute_on_cpu, NULL), "cpu");
    return 0;
}

/* x W -> relay -> relu -> relay -> z */
static oribi_session *relays(const char *device)
{
    const int64_t x_dims[] = {ROWS, INNER}, w_dims[] = {INNER, COLUMNS};
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, x_dims);
    const oribi_value_id w = device_constant(&g, "w", 2, w_dims);
    oribi_value_id v = device_node(&g, "MatMul", "product", (oribi_value_id[]){x, w}, 2);
    v = device_node(&g, "Test>Relay", "first", &v, 1);
    v = device_node(&g, "Relu", "relu", &v, 1);
    v = device_node(&g, "Test>Relay", "second", &v, 1);
    small_output(&g, v, "z");
    return device_session(g, device, NULL);
}

/* --- Tests ----------------------------------------------------------------------------------- */

static void a_device_computes_what_the_cpu_does(void **state)
{
    (void)state;
    oribi_session *cpu = relays(NULL), *session = relays("FAKE:0");
    oribi_run *expected = device_run(cpu, ROWS, -9), *run = device_run(session, ROWS, -9);

    for (int i = 0; i < 4; i++) {
        small_execute(expected);
        small_execute(run);
        device_expect_same(expected, run);
        join_all();
    }

    assert_int_equal(n_wrong, 0);
    oribi_run_destroy(expected);
    oribi_run_destroy(run);
    oribi_session_destroy(cpu);
    oribi_session_destroy(session);
    assert_int_equal(fake_live_bytes(), 0);
}

static void a_late_kernel_keeps_its_stream_and_its_memory(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        oribi_session *session = relays("FAKE:0");
        oribi_run *run = device_run(session, ROWS, -9);
        TF_Status *status = TF_NewStatus();
        sem_init(&release, 0, 0);
        is_late = true;
        oribi_run_set_time_limit(run, 200000000); /* long enough to get to the node */

        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
        is_late = false;
        oribi_run_set_time_limit(run, 0);
        if (k == 0) { /* the run goes on meanwhile */
            oribi_session *cpu = relays(NULL);
            oribi_run *expected = device_run(cpu, ROWS, -9);
            small_execute(expected);
            small_execute(run);
            device_expect_same(expected, run);
            oribi_run_destroy(expected);
            oribi_session_destroy(cpu);
        }
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        assert_true(fake_live_bytes() > 0);
        sem_post(&release);
        join_all();

        while (fake_live_bytes() > 0) { /* on a thread made for it */
            oribi_thread_yield();
        }
        assert_int_equal(n_wrong, 0);
        TF_DeleteStatus(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_computes_what_the_cpu_does),
        cmocka_unit_test(a_late_kernel_keeps_its_stream_and_its_memory),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
