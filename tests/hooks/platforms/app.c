/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the model on inputs of the file "in" and writes what comes of it to "out". The first two
 * words of "in" are what to do, and how often:
 *   RUNS      n inputs: for each the record of its run, and the outputs
 *   PATIENCE  one input, again and again until a run succeeds, n times at most: a record for each,
 *             then the outputs
 *   THREADS   one input: two threads, each with an instance of its own, run it n times each over
 *             the same devices; how many runs failed or differ, then the outputs of both
 */
#include <string.h>

#include "app.h"
#include "harness/port.h"

enum { RUNS = 0, PATIENCE = 1, THREADS = 2 };

struct instance {
    APP_IN_TYPE in[APP_IN_COUNT];
    APP_OUT_TYPE out[APP_OUT_COUNT];
    uint8_t workspace[TVMGEN_NET_WORKSPACE_SIZE + 16] __attribute__((aligned(16)));
    struct tvm_device_error error;
    int32_t failures;
};

struct record {
    int32_t code, hook, cleanup_failures;
};

static struct instance instances[2];
static int32_t header[2];
#ifdef APP_WOOFLES
#ifdef APP_TWO
static tvm_device_woofles_t woofles[2];
#else
static tvm_device_woofles_t woofles[1];
#endif
#define N_WOOFLES (sizeof woofles / sizeof woofles[0])
#endif
#ifdef APP_UART_ACCEL
static tvm_device_uart_accel_t uart_accel;
#endif

static int32_t run(struct instance *own)
{
    const struct tvmgen_net_inputs inputs = {own->in};
    const struct tvmgen_net_outputs outputs = {own->out};
    const struct tvmgen_net_workspace_pools pools = {own->workspace};
    const struct tvmgen_net_devices devices = {
#if defined(APP_TWO)
        .npu1 = &woofles[0],
        .npu2 = &woofles[1],
#elif defined(APP_WOOFLES)
        .woofles = &woofles[0],
#endif
#ifdef APP_UART_ACCEL
        .uart_accel = &uart_accel,
#endif
        .error = &own->error
    };
    return tvmgen_net_run(&inputs, &outputs, &pools, &devices);
}

static int32_t run_and_record(struct instance *own)
{
    struct record record = {0, 0, 0};
    record.code = run(own);
    if (record.code != 0) {
        record.hook = own->error.hook;
        record.cleanup_failures = own->error.cleanup_failures;
    }
    oribi_port_write(&record, sizeof record);
    return record.code;
}

static void runs(struct instance *own)
{
    for (int32_t i = 0; i < header[1]; i++) {
        oribi_port_read(own->in, sizeof own->in);
        (void)run_and_record(own);
        oribi_port_write(own->out, sizeof own->out);
    }
}

static void patience(struct instance *own)
{
    int32_t code = -1;
    oribi_port_read(own->in, sizeof own->in);
    for (int32_t i = 0; i < header[1] && code != 0; i++) {
        code = run_and_record(own);
        app_sleep(code != 0 ? 50u : 0u);
    }
    oribi_port_write(own->out, sizeof own->out);
}

static void run_often(struct instance *own)
{
    static APP_OUT_TYPE first[2][APP_OUT_COUNT];
    APP_OUT_TYPE *const expected = first[own == &instances[1]];
    for (int32_t i = 0; i < header[1]; i++) {
        own->failures += run(own) != 0;
        if (i == 0) {
            memcpy(expected, own->out, sizeof own->out);
        }
        own->failures += memcmp(own->out, expected, sizeof own->out) != 0;
    }
}

static void second_thread(void)
{
    run_often(&instances[1]);
    app_thread_ended();
}

static void threads(struct instance *own)
{
    oribi_port_read(own->in, sizeof own->in);
    memcpy(instances[1].in, own->in, sizeof own->in);
    app_thread_start(second_thread);
    run_often(own);
    app_thread_wait();
    const int32_t failures = own->failures + instances[1].failures;
    oribi_port_write(&failures, sizeof failures);
    oribi_port_write(own->out, sizeof own->out);
    oribi_port_write(instances[1].out, sizeof own->out);
}

void app_main(void)
{
    int32_t code = 0;
    oribi_port_read(header, sizeof header);
#ifdef APP_WOOFLES
    for (uint32_t i = 0; i < N_WOOFLES; i++) {
        code = code != 0 ? code : app_init_woofles(&woofles[i], i);
        woofles[i].timeout_ms = APP_TIMEOUT_MS;
    }
#endif
#ifdef APP_UART_ACCEL
    code = code != 0 ? code : app_init_uart_accel(&uart_accel);
    uart_accel.timeout_ms = APP_TIMEOUT_MS;
#endif
    if (code != 0) {
        oribi_port_end(8);
    } else if (header[0] == PATIENCE) {
        patience(&instances[0]);
    } else if (header[0] == THREADS) {
        threads(&instances[0]);
    } else {
        runs(&instances[0]);
    }
    if (app_check() != 0) {
        oribi_port_end(6);
    }
#ifdef APP_WOOFLES
    for (uint32_t i = 0; i < N_WOOFLES; i++) {
        code = code != 0 ? code : TVMDeviceWooflesDestroy(&woofles[i]);
    }
#endif
#ifdef APP_UART_ACCEL
    code = code != 0 ? code : TVMDeviceUartAccelDestroy(&uart_accel);
#endif
    oribi_port_end(code == 0 ? 0 : 7);
}
