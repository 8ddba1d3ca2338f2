/* SPDX-License-Identifier: Apache-2.0 */
/* `uart_accel` over a CMSIS-Driver USART: a Receive is always under way, so that a reply finds one
 * when the request is out. */
#ifndef TVM_DEVICE_UART_ACCEL_HEADER
#define TVM_DEVICE_UART_ACCEL_HEADER "tvm/device/uart_accel/cmsis.h"
#endif
#include <stddef.h>

#include "../common/uart_accel_port.h"
#include "../../kernels/cmsis.h"

#define HALF TVM_DEVICE_UART_ACCEL_HALF_BYTES

/* --- Life ------------------------------------------------------------------------------------- */

static int32_t start_half(tvm_device_uart_accel_t *dev)
{
    const int32_t code = dev->usart->Receive(dev->half[dev->n_full % 2u], HALF);
    dev->is_deaf = code != ARM_DRIVER_OK;
    return code;
}

static void switch_off(tvm_device_uart_accel_t *dev)
{
    (void)dev->usart->Control(ARM_USART_ABORT_RECEIVE, 0);
    (void)dev->usart->Control(ARM_USART_CONTROL_TX, 0);
    (void)dev->usart->Control(ARM_USART_CONTROL_RX, 0);
    (void)dev->usart->PowerControl(ARM_POWER_OFF);
    (void)dev->usart->Uninitialize();
}

/* Power before control before the first Receive, as CMSIS-Driver's states have it. */
static int32_t switch_on(tvm_device_uart_accel_t *dev, ARM_USART_SignalEvent_t event, uint32_t baud)
{
    const uint32_t mode = ARM_USART_MODE_ASYNCHRONOUS | ARM_USART_DATA_BITS_8 |
                          ARM_USART_PARITY_NONE | ARM_USART_STOP_BITS_1 |
                          ARM_USART_FLOW_CONTROL_NONE;
    if (dev->usart->Initialize(event) != ARM_DRIVER_OK) {
        return TVM_DEVICE_E_IO;
    }
    int32_t code = dev->usart->PowerControl(ARM_POWER_FULL);
    code = code != ARM_DRIVER_OK ? code : dev->usart->Control(mode, baud);
    code = code != ARM_DRIVER_OK ? code : dev->usart->Control(ARM_USART_CONTROL_TX, 1);
    code = code != ARM_DRIVER_OK ? code : dev->usart->Control(ARM_USART_CONTROL_RX, 1);
    code = code != ARM_DRIVER_OK ? code : start_half(dev);
    if (code != ARM_DRIVER_OK) {
        switch_off(dev);
        return TVM_DEVICE_E_IO;
    }
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceUartAccelInit(tvm_device_uart_accel_t *dev, ARM_DRIVER_USART *usart,
                               ARM_USART_SignalEvent_t event, uint32_t baud,
                               const osMutexAttr_t *lock)
{
    if (dev == NULL || usart == NULL || event == NULL) {
        return TVM_DEVICE_E_NULL;
    }
    dev->timeout_ms = 2000;
    dev->retries = 3;
    dev->usart = usart;
    dev->users.count = 0;
    dev->is_open = 0;
    dev->n_full = 0;
    dev->is_deaf = 0;
    dev->n_read = 0;
    dev->sequence = 0;
    dev->lock = osMutexNew(lock);
    if (dev->lock == NULL) {
        return TVM_DEVICE_E_STATE;
    }
    const int32_t code = switch_on(dev, event, baud);
    if (code != 0) {
        (void)osMutexDelete(dev->lock);
    }
    return code;
}

int32_t TVMDeviceUartAccelDestroy(tvm_device_uart_accel_t *dev)
{
    if (osMutexGetOwner(dev->lock) != NULL) {
        return TVM_DEVICE_E_STATE;
    }
    switch_off(dev);
    return osMutexDelete(dev->lock) == osOK ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

void TVMDeviceUartAccelEvent(tvm_device_uart_accel_t *dev, uint32_t event)
{
    if ((event & ARM_USART_EVENT_RECEIVE_COMPLETE) != 0u) {
        dev->n_full++;
        (void)start_half(dev);
    }
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
    const uint32_t limit = ticks_of_ms(dev->timeout_ms), start = osKernelGetTickCount();
    if (dev->usart->Send(data, bytes) != ARM_DRIVER_OK) {
        return TVM_DEVICE_E_IO;
    }
    uint32_t sent = 0, last = start;
    while (dev->usart->GetStatus().tx_busy != 0u) {
        const uint32_t now = osKernelGetTickCount(), n = dev->usart->GetTxCount();
        last = n != sent ? now : last;
        sent = n;
        if (now - last > limit) {
            (void)dev->usart->Control(ARM_USART_ABORT_SEND, 0);
            return TVM_DEVICE_E_TIMEOUT;
        }
        (void)osThreadYield();
    }
    return TVM_DEVICE_OK;
}

/* Bytes that have come so far. The event may fall between two looks. */
static uint32_t n_arrived(tvm_device_uart_accel_t *dev)
{
    uint32_t n_full, part;
    do {
        n_full = dev->n_full;
        part = dev->usart->GetRxCount();
    } while (n_full != dev->n_full);
    return n_full * HALF + part;
}

/* Takes up to `bytes` of what has come. */
static uint32_t take(tvm_device_uart_accel_t *dev, uint8_t *data, uint32_t bytes)
{
    const uint32_t there = n_arrived(dev) - dev->n_read;
    const uint32_t n = there < bytes ? there : bytes;
    if (there > 2u * HALF) { /* overtaken: what is left is garbled, and the frame asked for again */
        dev->n_read += there;
        return 0;
    }
    for (uint32_t i = 0; i < n; i++, dev->n_read++) {
        data[i] = dev->half[dev->n_read / HALF % 2u][dev->n_read % HALF];
    }
    return n;
}

int32_t uart_accel_port_receive(tvm_device_uart_accel_t *dev, void *data, uint32_t bytes,
                                int32_t timeout_ms)
{
    uint8_t *at = (uint8_t *)data;
    const uint32_t limit = ticks_of_ms(timeout_ms);
    uint32_t start = osKernelGetTickCount();
    while (bytes > 0u) {
        const uint32_t n = take(dev, at, bytes);
        at += n;
        bytes -= n;
        if (n > 0u) {
            start = osKernelGetTickCount();
        } else if (dev->is_deaf != 0 && start_half(dev) != ARM_DRIVER_OK) {
            return TVM_DEVICE_E_IO;
        } else if (osKernelGetTickCount() - start > limit) {
            return TVM_DEVICE_E_TIMEOUT;
        } else {
            (void)osDelay(1);
        }
    }
    return TVM_DEVICE_OK;
}
