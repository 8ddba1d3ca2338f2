/* SPDX-License-Identifier: Apache-2.0 */
/* `uart_accel` on Zephyr: any UART device. Bytes are sent with uart_poll_out, which every driver
 * has (uart_tx is asynchronous, and many have none); they are received by interrupt where the
 * driver and CONFIG_UART_INTERRUPT_DRIVEN allow, else polled. The module zephyr/ builds
 * common/uart_accel.c and zephyr/uart_accel.c (CONFIG_ORIBI_UART_ACCEL). */
#ifndef TVM_DEVICE_UART_ACCEL_ZEPHYR_H_
#define TVM_DEVICE_UART_ACCEL_ZEPHYR_H_

#include <zephyr/device.h>
#include <zephyr/kernel.h>

#include "tvm/runtime/device.h"

/* Bytes between the interrupt and the thread. What does not fit is lost, and the frame asked for
 * again. Defined larger, it is so for the driver and the application alike. */
#ifndef TVM_DEVICE_UART_ACCEL_LINE_BYTES
#define TVM_DEVICE_UART_ACCEL_LINE_BYTES 256
#endif

typedef struct tvm_device_uart_accel {
    int32_t timeout_ms; /* for a reply to begin and for gaps inside it; Init sets 2000 */
    int32_t retries;    /* of one request; Init sets 3 */
    /* From here on: the driver's. */
    const struct device *dev;
    struct k_mutex lock;
    struct k_msgq line;
    struct tvm_device_users users;
    int32_t is_open, is_polled;
    char line_bytes[TVM_DEVICE_UART_ACCEL_LINE_BYTES];
    uint8_t sequence;
    int32_t can_keep; /* the far end has room for params */
    struct tvm_device_residents residents;
} tvm_device_uart_accel_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares a device that the application owns, over a UART, which is borrowed until Destroy and
 * configured by the devicetree. From a thread.
 * Errors: TVM_DEVICE_E_NULL, also for a uart that does not exist; TVM_DEVICE_E_STATE when it is not
 * ready. */
int32_t TVMDeviceUartAccelInit(tvm_device_uart_accel_t *dev, const struct device *uart);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "tvm/device/uart_accel.h"

#endif /* TVM_DEVICE_UART_ACCEL_ZEPHYR_H_ */
