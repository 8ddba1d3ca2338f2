/* SPDX-License-Identifier: Apache-2.0 */
/* Far ends: frames of a serial accelerator, or commands in a window whose doorbell the line is. */
#include "far_end.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/uart_far_end.h"
#include "common/woofles_device.h"
#include "tvm/runtime/device.h"

enum { BUFFER_BYTES = 32 << 20, GAP_MS = 500 };

static volatile sig_atomic_t is_stopped;

static void stop(int number)
{
    (void)number;
    is_stopped = 1;
}

void far_end_catch_signals(void)
{
    const struct sigaction action = {.sa_handler = stop}; /* no SA_RESTART: poll ends */
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

bool far_end_is_stopped(void)
{
    return is_stopped != 0;
}

/* --- Line ------------------------------------------------------------------------------------- */

/* 0: ready; 1: not in time; -1: the line is gone or the end is asked for. */
static int32_t wait_for(const far_end *end, short events, int32_t timeout_ms)
{
    struct pollfd line = {.fd = end->fd, .events = events};
    int n;
    do {
        n = is_stopped != 0 ? -1 : poll(&line, 1, timeout_ms);
    } while (n < 0 && errno == EINTR && is_stopped == 0);
    return n > 0 ? 0 : n == 0 ? 1 : -1;
}

static int32_t receive(void *context, void *data, uint32_t bytes, int32_t timeout_ms)
{
    const far_end *end = context;
    uint8_t *at = data;
    while (bytes > 0) {
        const int32_t code = wait_for(end, POLLIN, timeout_ms);
        if (code != 0) {
            return code;
        }
        const ssize_t n = read(end->fd, at, bytes);
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
            return -1;
        }
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (uint32_t)n : 0;
    }
    return 0;
}

static int32_t transmit(void *context, const void *data, uint32_t bytes)
{
    const far_end *end = context;
    const uint8_t *at = data;
    while (bytes > 0) {
        if (wait_for(end, POLLOUT, -1) != 0) {
            return -1;
        }
        const ssize_t n = write(end->fd, at, bytes);
        if (n < 0 && errno != EINTR && errno != EAGAIN) {
            return -1;
        }
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (uint32_t)n : 0;
    }
    return 0;
}

/* --- Operators -------------------------------------------------------------------------------- */

static int32_t code_of(const TF_Status *status)
{
    switch (TF_GetCode(status)) {
    case TF_OK:
        return TVM_DEVICE_OK;
    case TF_NOT_FOUND:
        return TVM_DEVICE_E_UNSUPPORTED;
    case TF_INVALID_ARGUMENT:
        return TVM_DEVICE_E_RANGE;
    default:
        return TVM_DEVICE_E_STATE;
    }
}

static int32_t invoke(void *context, int32_t op, const uint8_t *params, uint32_t params_bytes,
                      const uint8_t *in, uint32_t in_bytes, uint8_t *out, uint32_t out_bytes)
{
    const far_end *end = context;
    TF_Status *status = TF_NewStatus();
    oribi_desk_invoke(end->desk, op, params, params_bytes, in, in_bytes, out, out_bytes, status);
    const int32_t code = code_of(status);
    if (code != 0) {
        cli_error("%s", TF_Message(status));
    }
    TF_DeleteStatus(status);
    return code;
}

static void serve_frames(far_end *end)
{
    struct uart_far_end frames = {.context = end,
                                  .receive = receive,
                                  .send = transmit,
                                  .invoke = invoke,
                                  .buffer = cli_alloc(BUFFER_BYTES),
                                  .buffer_bytes = BUFFER_BYTES,
                                  .gap_ms = GAP_MS};
    while (uart_far_end_serve(&frames) == 0) {
    }
    end->requests += frames.requests;
    end->broken += frames.broken;
    free(frames.buffer);
}

/* --- Window ----------------------------------------------------------------------------------- */

/* Lays tensors one after the other, as the desk takes them. */
static uint8_t *gather(const struct woofles_span *spans, uint32_t n, uint32_t *out_bytes)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        bytes += spans[i].bytes;
    }
    uint8_t *all = cli_alloc(bytes), *at = all;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(at, spans[i].data, spans[i].bytes);
        at += spans[i].bytes;
    }
    *out_bytes = (uint32_t)bytes;
    return all;
}

static int32_t compute(void *context, uint32_t op, const uint8_t *params, uint32_t params_bytes,
                       const struct woofles_span *inputs, uint32_t n_inputs,
                       const struct woofles_span *outputs, uint32_t n_outputs)
{
    far_end *end = context;
    uint32_t in_bytes, out_bytes;
    uint8_t *in = gather(inputs, n_inputs, &in_bytes);
    uint8_t *out = gather(outputs, n_outputs, &out_bytes);
    const int32_t code =
        invoke(end, (int32_t)op, params, params_bytes, in, in_bytes, out, out_bytes);
    const uint8_t *at = out;
    for (uint32_t i = 0; i < n_outputs && code == 0; i++) {
        memcpy(outputs[i].data, at, outputs[i].bytes);
        at += outputs[i].bytes;
    }
    end->requests++;
    end->broken += code != 0;
    free(in);
    free(out);
    return code;
}

/* A command has ended. A board that polls leaves the interrupts unread: with no room for one more,
 * there are enough of them (a socket is full after some seventy bytes). */
static void interrupt(const far_end *end)
{
    if (wait_for(end, POLLOUT, 0) == 0) {
        const ssize_t n = write(end->fd, "i", 1);
        (void)n; /* a line that is gone is seen when it is read */
    }
}

/* Each byte on the line says: look; one back for each command that has ended is the interrupt. */
static void serve_window(far_end *end)
{
    struct woofles_window *window = (struct woofles_window *)(void *)end->window;
    uint8_t bell;
    while (receive(end, &bell, 1, -1) == 0) {
        while (woofles_device_step_with(window, end->window_bytes, compute, end) != 0) {
            interrupt(end);
        }
    }
}

void far_end_serve(far_end *end)
{
    if (end->window != NULL) {
        serve_window(end);
    } else {
        serve_frames(end);
    }
}
