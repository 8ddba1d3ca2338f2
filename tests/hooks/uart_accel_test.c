/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of `uart_accel` on POSIX against its far end, over a line that garbles, cuts, delays.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "examples/accelerators/uart_accel/common/uart_far_end.h"
#include "examples/accelerators/uart_accel/common/uart_frame.h"
#include "tests/hooks/far_line.h"
#include "tvm/device/uart_accel/posix.h"

/* --- The far end, in a thread ----------------------------------------------------------------- */

enum { STORE = 16 };

typedef struct line {
    int near, far;
    atomic_int garble;   /* so many bytes from now on its sending side, one is changed */
    atomic_int swallow;  /* so many sends vanish */
    atomic_int delay_ms; /* before the next reply, once */
    atomic_int invoked;
    atomic_int forget; /* the params that it keeps, when it has served a frame more */
    pthread_t thread;
    uint8_t buffer[4096], store[STORE];
} line;

static int32_t far_receive(void *context, void *data, uint32_t bytes, int32_t timeout_ms)
{
    const line *l = context;
    return far_line_receive(l->far, data, bytes, timeout_ms);
}

static int32_t far_send(void *context, const void *data, uint32_t bytes)
{
    line *l = context;
    uint8_t copy[4096];
    const int delay = atomic_exchange(&l->delay_ms, 0);
    if (delay > 0) {
        poll(NULL, 0, delay);
    }
    if (atomic_load(&l->swallow) > 0) {
        atomic_fetch_sub(&l->swallow, 1);
        return 0;
    }
    memcpy(copy, data, bytes);
    const int garble = atomic_load(&l->garble);
    if (garble > 0) {
        const int left = garble - (int)bytes;
        if (left <= 0) {
            copy[garble - 1] ^= 0x10;
        }
        atomic_store(&l->garble, left > 0 ? left : 0);
    }
    return write(l->far, copy, bytes) == (ssize_t)bytes ? 0 : -1;
}

/* Operator 1: every input byte plus params[0]; others are unknown. */
static int32_t far_invoke(void *context, int32_t op, const uint8_t *params, uint32_t params_bytes,
                          const uint8_t *in, uint32_t in_bytes, uint8_t *out, uint32_t out_bytes)
{
    line *l = context;
    atomic_fetch_add(&l->invoked, 1);
    if (op != 1 || params_bytes != 1 || in_bytes != out_bytes) {
        return TVM_DEVICE_E_UNSUPPORTED;
    }
    for (uint32_t i = 0; i < in_bytes; i++) {
        out[i] = (uint8_t)(in[i] + params[0]);
    }
    return 0;
}

static void *far_main(void *arg)
{
    line *l = arg;
    struct uart_far_end end = {
        .context = l,
        .receive = far_receive,
        .send = far_send,
        .invoke = far_invoke,
        .buffer = l->buffer,
        .buffer_bytes = sizeof l->buffer,
        .gap_ms = 50,
        .store = l->store,
        .store_bytes = sizeof l->store,
    };
    while (uart_far_end_serve(&end) == 0) {
        end.n_slots = atomic_exchange(&l->forget, 0) != 0 ? 0 : end.n_slots;
    }
    return NULL;
}

/* --- Fixture ---------------------------------------------------------------------------------- */

typedef struct fixture {
    line line;
    tvm_device_uart_accel_t device;
    uint8_t in[300], out[300], add;
    struct tvm_device_tensor tensors[4];
    struct tvm_device_call call;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    int pair[2];
    memset(&f, 0, sizeof f);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    f.line.near = pair[0];
    f.line.far = pair[1];
    assert_int_equal(pthread_create(&f.line.thread, NULL, far_main, &f.line), 0);
    assert_int_equal(TVMDeviceUartAccelInit(&f.device, f.line.near), 0);
    f.device.timeout_ms = 300;
    f.add = 5;
    for (size_t i = 0; i < sizeof f.in; i++) {
        f.in[i] = (uint8_t)(i * 7);
    }
    /* Two inputs, two outputs, of uneven sizes. */
    f.tensors[0] = (struct tvm_device_tensor){f.in, 0, 100};
    f.tensors[1] = (struct tvm_device_tensor){f.in + 100, 0, 200};
    f.tensors[2] = (struct tvm_device_tensor){f.out, 0, 1};
    f.tensors[3] = (struct tvm_device_tensor){f.out + 1, 0, 299};
    f.call = (struct tvm_device_call){.op = 1,
                                      .n_inputs = 2,
                                      .n_outputs = 2,
                                      .tensors = f.tensors,
                                      .params = &f.add,
                                      .params_bytes = 1};
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    close(f->line.near);
    pthread_join(f->line.thread, NULL);
    close(f->line.far);
    assert_int_equal(TVMDeviceUartAccelDestroy(&f->device), 0);
    return 0;
}

/* Activate, open, invoke, close, deactivate; what invoke says. */
static int32_t run(fixture *f)
{
    memset(f->out, 0, sizeof f->out);
    int32_t code = TVMDeviceUartAccelActivate(&f->device);
    if (code != 0) {
        return code;
    }
    assert_int_equal(TVMDeviceUartAccelOpen(&f->device), 0);
    code = TVMDeviceUartAccelInvoke(&f->device, &f->call);
    assert_int_equal(TVMDeviceUartAccelClose(&f->device), 0);
    assert_int_equal(TVMDeviceUartAccelDeactivate(&f->device), 0);
    return code;
}

static void expect_result(const fixture *f)
{
    for (size_t i = 0; i < sizeof f->in; i++) {
        assert_int_equal(f->out[i], (uint8_t)(f->in[i] + 5));
    }
}

/* --- Tests ------------------------------------------------------------------------------------ */

static void operators_are_computed_far_away(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run(f), 0);
        expect_result(f);
    }
    assert_int_equal(atomic_load(&f->line.invoked), 3);
}

/* Loads one byte of params of that id, and adds it. */
static int32_t load_and_run(fixture *f, uint32_t id, uint8_t add)
{
    f->add = add;
    f->call.params_id[0] = f->call.params_id[1] = id;
    f->call.resident = 0;
    memset(f->out, 0, sizeof f->out);
    assert_int_equal(TVMDeviceUartAccelOpen(&f->device), 0);
    int32_t code = TVMDeviceUartAccelLoad(&f->device, &f->call);
    code = code != 0 ? code : TVMDeviceUartAccelInvoke(&f->device, &f->call);
    assert_int_equal(TVMDeviceUartAccelClose(&f->device), 0);
    return code;
}

/* Known by their id alone: what lies at the host's address later is not sent. */
static void params_stay_at_the_far_end_until_the_next_greeting(void **state)
{
    fixture *f = *state;
    assert_int_equal(TVMDeviceUartAccelActivate(&f->device), 0);
    assert_int_equal(load_and_run(f, 1, 5), 0);
    expect_result(f);
    assert_int_equal(load_and_run(f, 2, 9), 0);
    assert_int_equal(f->out[3], (uint8_t)(f->in[3] + 9));
    assert_int_equal(load_and_run(f, 1, 77), 0);
    expect_result(f);
    assert_int_equal(TVMDeviceUartAccelDeactivate(&f->device), 0);
    assert_int_equal(TVMDeviceUartAccelActivate(&f->device), 0);
    assert_int_equal(load_and_run(f, 1, 9), 0);
    assert_int_equal(f->out[3], (uint8_t)(f->in[3] + 9));
    assert_int_equal(TVMDeviceUartAccelDeactivate(&f->device), 0);
}

static void params_that_find_no_room_go_with_the_call(void **state)
{
    fixture *f = *state;
    int32_t n_kept = 0;
    assert_int_equal(TVMDeviceUartAccelActivate(&f->device), 0);
    for (uint32_t id = 1; id <= STORE + 4; id++) {
        assert_int_equal(load_and_run(f, id, (uint8_t)id), 0);
        assert_int_equal(f->out[3], (uint8_t)(f->in[3] + id));
        n_kept += f->call.resident != 0;
    }
    assert_int_equal(n_kept, STORE);
    assert_int_equal(TVMDeviceUartAccelDeactivate(&f->device), 0);
}

/* Its power was cut while ours was on. */
static void a_far_end_that_began_anew_is_given_the_params_with_the_call(void **state)
{
    fixture *f = *state;
    assert_int_equal(TVMDeviceUartAccelActivate(&f->device), 0);
    assert_int_equal(load_and_run(f, 1, 9), 0);
    assert_int_equal(load_and_run(f, 2, 9), 0);
    atomic_store(&f->line.forget, 1);
    assert_int_equal(load_and_run(f, 3, 9), 0); /* after which it forgets */
    for (uint32_t id = 1; id <= 3; id++) {
        assert_int_equal(load_and_run(f, id, 5), 0);
        expect_result(f);
    }
    assert_int_equal(TVMDeviceUartAccelDeactivate(&f->device), 0);
}

/* A request to keep params whose answer is garbled comes again: into the same slot. */
static void params_are_kept_once_over_a_bad_line(void **state)
{
    fixture *f = *state;
    assert_int_equal(TVMDeviceUartAccelActivate(&f->device), 0);
    f->device.timeout_ms = 60; /* for lengths that were garbled */
    for (int at = 1; at < 24; at++) {
        const uint32_t id = (uint32_t)at;
        atomic_store(&f->line.garble, at);
        assert_int_equal(load_and_run(f, id, (uint8_t)at), 0);
        assert_int_equal(f->out[3], (uint8_t)(f->in[3] + at));
        assert_int_equal(f->call.resident, at <= STORE ? id : 0);
    }
    assert_int_equal(TVMDeviceUartAccelDeactivate(&f->device), 0);
}

static void the_far_ends_code_comes_back(void **state)
{
    fixture *f = *state;
    f->call.op = 2;
    assert_int_equal(run(f), TVM_DEVICE_E_UNSUPPORTED);
    assert_int_equal(atomic_load(&f->line.invoked), 1); /* asking again would not help */
}

static void garbled_replies_are_asked_for_again(void **state)
{
    fixture *f = *state;
    for (int at = 1; at < 60; at++) {
        atomic_store(&f->line.garble, at);
        assert_int_equal(run(f), 0);
        expect_result(f);
    }
}

static void garbled_requests_are_refused_and_sent_again(void **state)
{
    fixture *f = *state;
    const uint8_t noise[] = {1, 2, UART_FRAME_MAGIC_0, UART_FRAME_MAGIC_1, 'I', 3, 0, 1};
    assert_int_equal(write(f->line.near, noise, sizeof noise), (ssize_t)sizeof noise);
    assert_int_equal(run(f), 0);
    expect_result(f);
}

static void a_lost_reply_is_asked_for_again(void **state)
{
    fixture *f = *state;
    assert_int_equal(TVMDeviceUartAccelActivate(&f->device), 0);
    atomic_store(&f->line.swallow, 3); /* header, payload, checksum */
    assert_int_equal(run(f), 0);
    expect_result(f);
    assert_int_equal(atomic_load(&f->line.invoked), 2);
    assert_int_equal(TVMDeviceUartAccelDeactivate(&f->device), 0);
}

static void a_silent_line_times_out_and_the_next_run_succeeds(void **state)
{
    fixture *f = *state;
    f->device.timeout_ms = 60;
    f->device.retries = 1;
    assert_int_equal(TVMDeviceUartAccelActivate(&f->device), 0);
    atomic_store(&f->line.swallow, 6);
    assert_int_equal(run(f), TVM_DEVICE_E_TIMEOUT);
    assert_int_equal(run(f), 0);
    expect_result(f);
    assert_int_equal(TVMDeviceUartAccelDeactivate(&f->device), 0);
}

/* The answer to a request that was given up must not be taken for the next one's. */
static void a_late_reply_is_dropped(void **state)
{
    fixture *f = *state;
    f->device.timeout_ms = 60;
    f->device.retries = 0;
    assert_int_equal(TVMDeviceUartAccelActivate(&f->device), 0);
    atomic_store(&f->line.delay_ms, 150);
    assert_int_equal(run(f), TVM_DEVICE_E_TIMEOUT);
    f->device.timeout_ms = 1000;
    f->in[0] = 77;
    assert_int_equal(run(f), 0);
    expect_result(f);
    assert_int_equal(TVMDeviceUartAccelDeactivate(&f->device), 0);
}

static void a_cut_line_is_an_error(void **state)
{
    fixture *f = *state;
    assert_int_equal(shutdown(f->line.far, SHUT_RDWR), 0);
    assert_int_equal(run(f), TVM_DEVICE_E_IO);
    assert_int_equal(f->device.users.count, 0);
}

static void hooks_out_of_order_are_refused(void **state)
{
    fixture *f = *state;
    assert_int_equal(TVMDeviceUartAccelInvoke(&f->device, &f->call), TVM_DEVICE_E_STATE);
    assert_int_equal(TVMDeviceUartAccelLoad(&f->device, &f->call), TVM_DEVICE_E_STATE);
    assert_int_equal(TVMDeviceUartAccelClose(&f->device), TVM_DEVICE_E_STATE);
    assert_int_equal(TVMDeviceUartAccelInit(NULL, 0), TVM_DEVICE_E_NULL);
    f->tensors[0].data = NULL;
    assert_int_equal(TVMDeviceUartAccelActivate(&f->device), 0);
    assert_int_equal(TVMDeviceUartAccelOpen(&f->device), 0);
    assert_int_equal(TVMDeviceUartAccelInvoke(&f->device, &f->call), TVM_DEVICE_E_UNSUPPORTED);
    assert_int_equal(TVMDeviceUartAccelClose(&f->device), 0);
    assert_int_equal(TVMDeviceUartAccelDeactivate(&f->device), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(operators_are_computed_far_away),
        CASE(params_stay_at_the_far_end_until_the_next_greeting),
        CASE(params_that_find_no_room_go_with_the_call),
        CASE(a_far_end_that_began_anew_is_given_the_params_with_the_call),
        CASE(params_are_kept_once_over_a_bad_line),
        CASE(the_far_ends_code_comes_back),
        CASE(garbled_replies_are_asked_for_again),
        CASE(garbled_requests_are_refused_and_sent_again),
        CASE(a_lost_reply_is_asked_for_again),
        CASE(a_silent_line_times_out_and_the_next_run_succeeds),
        CASE(a_late_reply_is_dropped),
        CASE(a_cut_line_is_an_error),
        CASE(hooks_out_of_order_are_refused),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
