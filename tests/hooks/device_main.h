/* SPDX-License-Identifier: Apache-2.0 */
/* What devices_test.py puts round emitted C: devices in memory of the program, runs from stdin to
 * stdout. The test defines N_IN, N_OUT, RUN and the makers of devices before it includes this.
 */
#ifndef ORIBI_TESTS_HOOKS_DEVICE_MAIN_H_
#define ORIBI_TESTS_HOOKS_DEVICE_MAIN_H_

#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "examples/accelerators/uart_accel/common/uart_far_end.h"
#include "examples/accelerators/woofles/common/woofles_device.h"
#include "tests/hooks/far_line.h"

#ifdef TVM_DEVICE_WOOFLES_POSIX_H_
/* A window with 1 MiB for tensors and as much for params. */
static inline int make_woofles(tvm_device_woofles_t *dev)
{
    const size_t bytes = (2u << 20) + WOOFLES_MEMORY_OFFSET;
    return TVMDeviceWooflesInit(dev, aligned_alloc(16, bytes), (uint32_t)bytes, 1u << 20) == 0;
}

static inline int end_woofles(tvm_device_woofles_t *dev)
{
    void *const window = dev->window;
    const int32_t code = TVMDeviceWooflesDestroy(dev);
    free(window);
    return code == 0;
}
#endif

#ifdef TVM_DEVICE_UART_ACCEL_POSIX_H_
struct far_line {
    int near, far;
    pthread_t thread;
    uint8_t *buffer, *store;
};
static struct far_line far_lines[8];
static int n_far_lines;
static uint32_t far_received; /* bytes, on all lines */

static inline int32_t far_receive(void *context, void *data, uint32_t bytes, int32_t timeout_ms)
{
    const struct far_line *line = context;
    const int32_t code = far_line_receive(line->far, data, bytes, timeout_ms);
    (void)__atomic_add_fetch(&far_received, code == 0 ? bytes : 0u, __ATOMIC_RELAXED);
    return code;
}

static inline int32_t far_send(void *context, const void *data, uint32_t bytes)
{
    const struct far_line *line = context;
    return send(line->far, data, bytes, MSG_NOSIGNAL) == (ssize_t)bytes ? 0 : -1;
}

static inline void *far_main(void *arg)
{
    struct far_line *line = arg;
    struct uart_far_end end = {line, far_receive, far_send, far_line_invoke, line->buffer, 4u << 20,
                               500,  0,           0,        line->store,     4u << 20,     {0},
                               0};
    while (uart_far_end_serve(&end) == 0) {
    }
    return NULL;
}

static inline int make_uart_accel(tvm_device_uart_accel_t *dev)
{
    struct far_line *line = &far_lines[n_far_lines++];
    int pair[2];
    line->buffer = malloc(4u << 20);
    line->store = malloc(4u << 20);
    if (line->buffer == NULL || line->store == NULL ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
        return 0;
    }
    line->near = pair[0];
    line->far = pair[1];
    return pthread_create(&line->thread, NULL, far_main, line) == 0 &&
           TVMDeviceUartAccelInit(dev, line->near) == 0;
}

static inline int end_uart_accel(tvm_device_uart_accel_t *dev)
{
    const int fd = dev->fd;
    const int32_t code = TVMDeviceUartAccelDestroy(dev);
    shutdown(fd, SHUT_RDWR);
    for (int i = 0; i < n_far_lines; i++) {
        if (far_lines[i].near == fd) {
            pthread_join(far_lines[i].thread, NULL);
            close(far_lines[i].far);
            free(far_lines[i].buffer);
            free(far_lines[i].store);
        }
    }
    close(fd);
    return code == 0;
}
#endif

#endif
