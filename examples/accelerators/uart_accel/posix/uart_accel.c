/* SPDX-License-Identifier: Apache-2.0 */
/* `uart_accel` on POSIX: a file descriptor and a mutex that knows its owner. */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "../common/uart_accel_port.h"

int32_t TVMDeviceUartAccelInit(tvm_device_uart_accel_t *dev, int fd)
{
    pthread_mutexattr_t attributes;
    if (dev == NULL) {
        return TVM_DEVICE_E_NULL;
    }
    dev->timeout_ms = 2000;
    dev->retries = 3;
    dev->fd = fd;
    dev->users.count = 0;
    dev->is_open = 0;
    dev->sequence = 0;
    if (pthread_mutexattr_init(&attributes) != 0) {
        return TVM_DEVICE_E_STATE;
    }
    const int failed = pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK) != 0 ||
                       pthread_mutex_init(&dev->lock, &attributes) != 0;
    (void)pthread_mutexattr_destroy(&attributes);
    return failed ? TVM_DEVICE_E_STATE : TVM_DEVICE_OK;
}

int32_t TVMDeviceUartAccelDestroy(tvm_device_uart_accel_t *dev)
{
    return pthread_mutex_destroy(&dev->lock) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

int32_t uart_accel_port_lock(tvm_device_uart_accel_t *dev)
{
    return pthread_mutex_lock(&dev->lock) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

int32_t uart_accel_port_unlock(tvm_device_uart_accel_t *dev)
{
    return pthread_mutex_unlock(&dev->lock) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

/* Waits until the line takes or has a byte. */
static int32_t wait_for(const tvm_device_uart_accel_t *dev, short events, int32_t timeout_ms)
{
    struct pollfd line = {.fd = dev->fd, .events = events};
    int n;
    do {
        n = poll(&line, 1, (int)timeout_ms);
    } while (n < 0 && errno == EINTR);
    return n == 0 ? TVM_DEVICE_E_TIMEOUT : n > 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_IO;
}

int32_t uart_accel_port_send(tvm_device_uart_accel_t *dev, const void *data, uint32_t bytes)
{
    const uint8_t *at = (const uint8_t *)data;
    while (bytes > 0u) {
        const int32_t code = wait_for(dev, POLLOUT, dev->timeout_ms);
        if (code != 0) {
            return code;
        }
        const ssize_t n = write(dev->fd, at, bytes);
        if (n < 0 && errno != EINTR && errno != EAGAIN) {
            return TVM_DEVICE_E_IO;
        }
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (uint32_t)n : 0u;
    }
    return TVM_DEVICE_OK;
}

int32_t uart_accel_port_receive(tvm_device_uart_accel_t *dev, void *data, uint32_t bytes,
                                int32_t timeout_ms)
{
    uint8_t *at = (uint8_t *)data;
    while (bytes > 0u) {
        const int32_t code = wait_for(dev, POLLIN, timeout_ms);
        if (code != 0) {
            return code;
        }
        const ssize_t n = read(dev->fd, at, bytes);
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
            return TVM_DEVICE_E_IO; /* the far end has hung up */
        }
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (uint32_t)n : 0u;
    }
    return TVM_DEVICE_OK;
}
