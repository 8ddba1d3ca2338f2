/* SPDX-License-Identifier: Apache-2.0 */
/* `uart_accel` on POSIX: the line is a file descriptor, a terminal in raw mode, a pty or a socket.
 * Build with common/uart_accel.c and posix/uart_accel.c. */
#ifndef TVM_DEVICE_UART_ACCEL_POSIX_H_
#define TVM_DEVICE_UART_ACCEL_POSIX_H_

#include <pthread.h>

#include "tvm/runtime/device.h"

typedef struct tvm_device_uart_accel {
    int32_t timeout_ms; /* for a reply to begin and for gaps inside it; Init sets 2000 */
    int32_t retries;    /* of one request; Init sets 3 */
    int fd;             /* from here on: the driver's */
    pthread_mutex_t lock;
    struct tvm_device_users users;
    int32_t is_open;
    uint8_t sequence;
    int32_t can_keep; /* the far end has room for params */
    struct tvm_device_residents residents;
} tvm_device_uart_accel_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares a device that the application owns. fd is borrowed until Destroy, and may block or not;
 * of a socket the application ignores SIGPIPE. Errors: TVM_DEVICE_E_NULL, TVM_DEVICE_E_STATE when
 * no lock can be made. */
int32_t TVMDeviceUartAccelInit(tvm_device_uart_accel_t *dev, int fd);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "tvm/device/uart_accel.h"

#endif /* TVM_DEVICE_UART_ACCEL_POSIX_H_ */
