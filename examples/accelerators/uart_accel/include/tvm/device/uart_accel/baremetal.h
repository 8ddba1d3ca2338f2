/* SPDX-License-Identifier: Apache-2.0 */
/* `uart_accel` without an operating system: one thread of control, a UART that is polled. The line
 * is given as two functions of the application, so that any UART will do. Build with
 * common/uart_accel.c and baremetal/uart_accel.c. */
#ifndef TVM_DEVICE_UART_ACCEL_BAREMETAL_H_
#define TVM_DEVICE_UART_ACCEL_BAREMETAL_H_

#include "tvm/runtime/device.h"

typedef struct tvm_device_uart_accel {
    int32_t timeout_ms; /* for a reply to begin and for gaps inside it; Init sets 2000 */
    int32_t retries;    /* of one request; Init sets 3 */
    /* From here on: the driver's. */
    void *uart;
    int32_t (*put)(void *uart, uint8_t byte);
    int32_t (*get)(void *uart, uint8_t *byte);
    uint32_t polls_per_ms;
    struct tvm_device_users users;
    int32_t is_open, is_locked;
    uint8_t sequence;
    int32_t can_keep; /* the far end has room for params */
    struct tvm_device_residents residents;
} tvm_device_uart_accel_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares a device that the application owns.
 *   put, get      move one byte if the UART is ready for it: 1 when they did, 0 when not, negative
 *                 when the line is broken. They do not wait.
 *   polls_per_ms  how often get can be asked in a millisecond: the clock of the time-outs.
 * Errors: TVM_DEVICE_E_NULL, TVM_DEVICE_E_RANGE. */
int32_t TVMDeviceUartAccelInit(tvm_device_uart_accel_t *dev, void *uart,
                               int32_t (*put)(void *uart, uint8_t byte),
                               int32_t (*get)(void *uart, uint8_t *byte), uint32_t polls_per_ms);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "tvm/device/uart_accel.h"

#endif /* TVM_DEVICE_UART_ACCEL_BAREMETAL_H_ */
