/* SPDX-License-Identifier: Apache-2.0 */
/* `uart_accel` without an operating system: bytes are polled, time is counted in polls. */
#ifndef TVM_DEVICE_UART_ACCEL_HEADER
#define TVM_DEVICE_UART_ACCEL_HEADER "tvm/device/uart_accel/baremetal.h"
#endif
#include "../common/uart_accel_port.h"

int32_t TVMDeviceUartAccelInit(tvm_device_uart_accel_t *dev, void *uart,
                               int32_t (*put)(void *uart, uint8_t byte),
                               int32_t (*get)(void *uart, uint8_t *byte), uint32_t polls_per_ms)
{
    if (dev == (void *)0 || !put || !get) {
        return TVM_DEVICE_E_NULL;
    }
    if (polls_per_ms == 0u) {
        return TVM_DEVICE_E_RANGE;
    }
    dev->timeout_ms = 2000;
    dev->retries = 3;
    dev->uart = uart;
    dev->put = put;
    dev->get = get;
    dev->polls_per_ms = polls_per_ms;
    dev->users.count = 0;
    dev->is_open = 0;
    dev->is_locked = 0;
    dev->sequence = 0;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceUartAccelDestroy(tvm_device_uart_accel_t *dev)
{
    return dev->is_locked == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

/* Nobody else runs: who finds it locked has locked it himself. */
int32_t uart_accel_port_lock(tvm_device_uart_accel_t *dev)
{
    if (dev->is_locked != 0) {
        return TVM_DEVICE_E_BUSY;
    }
    dev->is_locked = 1;
    return TVM_DEVICE_OK;
}

int32_t uart_accel_port_unlock(tvm_device_uart_accel_t *dev)
{
    if (dev->is_locked == 0) {
        return TVM_DEVICE_E_STATE;
    }
    dev->is_locked = 0;
    return TVM_DEVICE_OK;
}

static uint64_t polls(const tvm_device_uart_accel_t *dev, int32_t timeout_ms)
{
    return (uint64_t)dev->polls_per_ms * (uint32_t)timeout_ms;
}

int32_t uart_accel_port_send(tvm_device_uart_accel_t *dev, const void *data, uint32_t bytes)
{
    const uint8_t *at = (const uint8_t *)data;
    for (uint32_t i = 0; i < bytes; i++) {
        int32_t moved = 0;
        for (uint64_t left = polls(dev, dev->timeout_ms); moved == 0; left--) {
            if (left == 0u) {
                return TVM_DEVICE_E_TIMEOUT;
            }
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
    for (uint32_t i = 0; i < bytes; i++) {
        int32_t moved = 0;
        for (uint64_t left = polls(dev, timeout_ms); moved == 0; left--) {
            if (left == 0u) {
                return TVM_DEVICE_E_TIMEOUT;
            }
            moved = dev->get(dev->uart, &at[i]);
        }
        if (moved < 0) {
            return TVM_DEVICE_E_IO;
        }
    }
    return TVM_DEVICE_OK;
}
