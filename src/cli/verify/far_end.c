/* SPDX-License-Identifier: Apache-2.0 */
/* What a far end of a driver calls: bytes of a descriptor, and operators computed by a desk. */
#include "far_end.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

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

static int32_t transmit(void *context, const void *data, uint32_t bytes, int32_t timeout_ms)
{
    const far_end *end = context;
    const uint8_t *at = data;
    while (bytes > 0) {
        const int32_t code = wait_for(end, POLLOUT, timeout_ms);
        if (code != 0) {
            return code;
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

static int32_t invoke(void *context, int32_t op, const void *params, uint32_t params_bytes,
                      const void *in, uint32_t in_bytes, void *out, uint32_t out_bytes)
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

/* --- Functions of the driver ------------------------------------------------------------------ */

static bool call(far_end *end, far_end_function *function, const char *name)
{
    end->end.struct_size = sizeof end->end;
    end->end.context = end;
    end->end.receive = receive;
    end->end.send = transmit;
    end->end.invoke = invoke;
    const int32_t code = function(&end->end);
    if (code != 0) {
        cli_error("the far end of '%s': %s returned %d", end->kind->name, name, (int)code);
    }
    return code == 0;
}

bool far_end_prepare(far_end *end)
{
    return end->prepare == NULL || call(end, end->prepare, end->kind->far_end.prepare);
}

bool far_end_serve(far_end *end)
{
    return call(end, end->serve, end->kind->far_end.serve);
}
