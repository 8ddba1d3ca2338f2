/* SPDX-License-Identifier: Apache-2.0 */
/* `uart_accel` on FreeRTOS: bytes come through a stream buffer that the interrupt fills. */
#ifndef TVM_DEVICE_UART_ACCEL_HEADER
#define TVM_DEVICE_UART_ACCEL_HEADER "tvm/device/uart_accel/freertos.h"
#endif
#include "../common/uart_accel_port.h"
#include "../../kernels/freertos.h"

int32_t TVMDeviceUartAccelInit(tvm_device_uart_accel_t *dev, void *uart,
                               int32_t (*put)(void *uart, uint8_t byte))
{
    if (dev == NULL || put == NULL) {
        return TVM_DEVICE_E_NULL;
    }
    dev->timeout_ms = 2000;
    dev->retries = 3;
    dev->uart = uart;
    dev->put = put;
    dev->users.count = 0;
    dev->is_open = 0;
    dev->sequence = 0;
    dev->line = xStreamBufferCreateStatic(TVM_DEVICE_UART_ACCEL_LINE_BYTES, 1, dev->line_bytes,
                                          &dev->line_memory);
    dev->lock = xSemaphoreCreateMutexStatic(&dev->lock_memory);
    return dev->line != NULL && dev->lock != NULL ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

int32_t TVMDeviceUartAccelDestroy(tvm_device_uart_accel_t *dev)
{
    if (xSemaphoreGetMutexHolder(dev->lock) != NULL) {
        return TVM_DEVICE_E_STATE;
    }
    vSemaphoreDelete(dev->lock);
    vStreamBufferDelete(dev->line);
    return TVM_DEVICE_OK;
}

void TVMDeviceUartAccelReceived(tvm_device_uart_accel_t *dev, const void *data, uint32_t bytes,
                                BaseType_t *out_woken)
{
    (void)xStreamBufferSendFromISR(dev->line, data, bytes, out_woken);
}

/* --- Port ------------------------------------------------------------------------------------- */

int32_t uart_accel_port_lock(tvm_device_uart_accel_t *dev)
{
    return take_mutex(dev->lock);
}

int32_t uart_accel_port_unlock(tvm_device_uart_accel_t *dev)
{
    return give_mutex(dev->lock);
}

int32_t uart_accel_port_send(tvm_device_uart_accel_t *dev, const void *data, uint32_t bytes)
{
    const uint8_t *at = (const uint8_t *)data;
    const TickType_t limit = ticks_of_ms(dev->timeout_ms);
    for (uint32_t i = 0; i < bytes; i++) {
        const TickType_t start = xTaskGetTickCount();
        int32_t moved = dev->put(dev->uart, at[i]);
        while (moved == 0) {
            if (xTaskGetTickCount() - start > limit) {
                return TVM_DEVICE_E_TIMEOUT;
            }
            taskYIELD();
            moved = dev->put(dev->uart, at[i]);
        }
        if (moved < 0) {
            return TVM_DEVICE_E_IO;
        }
    }
    return TVM_DEVICE_OK;
}

int32_t uart_accel_port_receive(tvm_device_uart_accel_t *dev, void *data, uint32_t bytes,
                                int32_t timeout_ms)
{
    uint8_t *at = (uint8_t *)data;
    const TickType_t limit = ticks_of_ms(timeout_ms);
    while (bytes > 0u) {
        const uint32_t n = (uint32_t)xStreamBufferReceive(dev->line, at, bytes, limit);
        if (n == 0u) {
            return TVM_DEVICE_E_TIMEOUT;
        }
        at += n;
        bytes -= n;
    }
    return TVM_DEVICE_OK;
}
