/* SPDX-License-Identifier: Apache-2.0 */
/* `uart_accel` on FreeRTOS: the board sends a byte when it is asked to, and hands in what it
 * receives from its interrupt routine. Nothing is allocated: lock and stream buffer lie in the
 * struct, so the kernel's configuration has configSUPPORT_STATIC_ALLOCATION and configUSE_MUTEXES.
 * Build with common/uart_accel.c and freertos/uart_accel.c. */
#ifndef TVM_DEVICE_UART_ACCEL_FREERTOS_H_
#define TVM_DEVICE_UART_ACCEL_FREERTOS_H_

#include "FreeRTOS.h"
#include "semphr.h"
#include "stream_buffer.h"

#include "tvm/runtime/device.h"

/* Bytes between the interrupt and the task. What does not fit is lost, and the frame asked for
 * again. Defined larger, it is so for the driver and the application alike. */
#ifndef TVM_DEVICE_UART_ACCEL_LINE_BYTES
#define TVM_DEVICE_UART_ACCEL_LINE_BYTES 256
#endif

typedef struct tvm_device_uart_accel {
    int32_t timeout_ms; /* for a reply to begin and for gaps inside it; Init sets 2000 */
    int32_t retries;    /* of one request; Init sets 3 */
    /* From here on: the driver's. */
    void *uart;
    int32_t (*put)(void *uart, uint8_t byte);
    StreamBufferHandle_t line;
    SemaphoreHandle_t lock;
    StaticStreamBuffer_t line_memory;
    StaticSemaphore_t lock_memory;
    struct tvm_device_users users;
    int32_t is_open;
    uint8_t line_bytes[TVM_DEVICE_UART_ACCEL_LINE_BYTES + 1];
    uint8_t sequence;
    int32_t can_keep; /* the far end has room for params */
    struct tvm_device_residents residents;
} tvm_device_uart_accel_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares a device that the application owns.
 *   put   moves one byte if the UART is ready for it: 1 when it did, 0 when not, negative when the
 *         line is broken. It does not wait.
 * Called before or after the scheduler starts, and before the board's receive interrupt is on.
 * Errors: TVM_DEVICE_E_NULL, TVM_DEVICE_E_STATE. */
int32_t TVMDeviceUartAccelInit(tvm_device_uart_accel_t *dev, void *uart,
                               int32_t (*put)(void *uart, uint8_t byte));

/* The board's receive interrupt calls this with what has come. out_woken: for portYIELD_FROM_ISR.
 * From an interrupt only. */
void TVMDeviceUartAccelReceived(tvm_device_uart_accel_t *dev, const void *data, uint32_t bytes,
                                BaseType_t *out_woken);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "tvm/device/uart_accel.h"

#endif /* TVM_DEVICE_UART_ACCEL_FREERTOS_H_ */
