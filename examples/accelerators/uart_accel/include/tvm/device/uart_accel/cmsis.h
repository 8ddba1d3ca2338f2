/* SPDX-License-Identifier: Apache-2.0 */
/* `uart_accel` over a CMSIS-Driver USART and CMSIS-RTOS2. Build with common/uart_accel.c
 * and cmsis/uart_accel.c. */
#ifndef TVM_DEVICE_UART_ACCEL_CMSIS_H_
#define TVM_DEVICE_UART_ACCEL_CMSIS_H_

#include "Driver_USART.h"
#include "cmsis_os2.h"

#include "tvm/runtime/device.h"

/* The driver is always receiving into one of two halves; when one is full, the event starts the
 * other. A thread has so many bytes' time to empty a half; what it misses is asked for again.
 * Defined larger, it is so for the driver and the application alike. */
#ifndef TVM_DEVICE_UART_ACCEL_HALF_BYTES
#define TVM_DEVICE_UART_ACCEL_HALF_BYTES 128u
#endif

typedef struct tvm_device_uart_accel {
    int32_t timeout_ms; /* for a reply to begin and for gaps inside it; Init sets 2000 */
    int32_t retries;    /* of one request; Init sets 3 */
    /* From here on: the driver's. */
    ARM_DRIVER_USART *usart;
    osMutexId_t lock;
    struct tvm_device_users users;
    int32_t is_open;
    volatile uint32_t n_full; /* halves, counted on and on */
    volatile int32_t is_deaf; /* a Receive did not start */
    uint32_t n_read;          /* bytes, counted on and on */
    uint8_t half[2][TVM_DEVICE_UART_ACCEL_HALF_BYTES];
    uint8_t sequence;
    int32_t can_keep; /* the far end has room for params */
    struct tvm_device_residents residents;
} tvm_device_uart_accel_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares a device that the application owns: initialises the USART, powers it, sets 8N1 and
 * starts to receive.
 *   usart  borrowed until Destroy
 *   event  the driver's events have no context, so the application has a function for each device:
 *          `static void event(uint32_t e) { TVMDeviceUartAccelEvent(&its_device, e); }`
 *   baud   bits a second
 *   lock   where the system keeps the mutex: how large it is is the system's own
 *          (osRtxMutexCbSize); NULL: in memory of the system's
 * Called from a thread, or between osKernelInitialize and osKernelStart.
 * Errors: TVM_DEVICE_E_NULL; TVM_DEVICE_E_IO when the driver refuses a step, all is undone then;
 * TVM_DEVICE_E_STATE when no mutex can be made. */
int32_t TVMDeviceUartAccelInit(tvm_device_uart_accel_t *dev, ARM_DRIVER_USART *usart,
                               ARM_USART_SignalEvent_t event, uint32_t baud,
                               const osMutexAttr_t *lock);

/* What the application's event function calls. From wherever the driver calls that: an interrupt.
 */
void TVMDeviceUartAccelEvent(tvm_device_uart_accel_t *dev, uint32_t event);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "tvm/device/uart_accel.h"

#endif /* TVM_DEVICE_UART_ACCEL_CMSIS_H_ */
