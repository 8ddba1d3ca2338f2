/* SPDX-License-Identifier: Apache-2.0 */
/* `uart_accel` on Zephyr: bytes come through a message queue that the interrupt fills, or, where
 * the UART has none, are polled. */
#ifndef TVM_DEVICE_UART_ACCEL_HEADER
#define TVM_DEVICE_UART_ACCEL_HEADER "tvm/device/uart_accel/zephyr.h"
#endif
#include <zephyr/drivers/uart.h>

#include "../common/uart_accel_port.h"

#ifdef CONFIG_UART_INTERRUPT_DRIVEN
static void on_interrupt(const struct device *uart, void *user)
{
    tvm_device_uart_accel_t *dev = (tvm_device_uart_accel_t *)user;
    uint8_t bytes[16];
    while (uart_irq_update(uart) > 0 && uart_irq_rx_ready(uart) > 0) {
        const int n = uart_fifo_read(uart, bytes, (int)sizeof bytes);
        for (int i = 0; i < n; i++) {
            (void)k_msgq_put(&dev->line, &bytes[i], K_NO_WAIT);
        }
        if (n <= 0) {
            return;
        }
    }
}

static int32_t listen(tvm_device_uart_accel_t *dev)
{
    const struct uart_driver_api *api = (const struct uart_driver_api *)dev->dev->api;
    if (api->irq_callback_set == NULL || api->fifo_read == NULL || api->irq_rx_enable == NULL) {
        return 0;
    }
    uart_irq_rx_disable(dev->dev);
    uart_irq_tx_disable(dev->dev);
    uart_irq_callback_user_data_set(dev->dev, on_interrupt, dev);
    uart_irq_rx_enable(dev->dev);
    return 1;
}

static void stop_listening(tvm_device_uart_accel_t *dev)
{
    if (dev->is_polled == 0) {
        uart_irq_rx_disable(dev->dev);
        uart_irq_callback_user_data_set(dev->dev, NULL, NULL);
    }
}
#else
static int32_t listen(tvm_device_uart_accel_t *dev)
{
    (void)dev;
    return 0;
}

static void stop_listening(tvm_device_uart_accel_t *dev)
{
    (void)dev;
}
#endif

int32_t TVMDeviceUartAccelInit(tvm_device_uart_accel_t *dev, const struct device *uart)
{
    if (dev == NULL || uart == NULL) {
        return TVM_DEVICE_E_NULL;
    }
    if (!device_is_ready(uart)) {
        return TVM_DEVICE_E_STATE;
    }
    dev->timeout_ms = 2000;
    dev->retries = 3;
    dev->dev = uart;
    dev->users.count = 0;
    dev->is_open = 0;
    dev->sequence = 0;
    (void)k_mutex_init(&dev->lock);
    k_msgq_init(&dev->line, dev->line_bytes, 1, sizeof dev->line_bytes);
    dev->is_polled = listen(dev) == 0;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceUartAccelDestroy(tvm_device_uart_accel_t *dev)
{
    if (dev->dev == NULL || dev->lock.owner != NULL) {
        return TVM_DEVICE_E_STATE;
    }
    stop_listening(dev);
    dev->dev = NULL;
    return TVM_DEVICE_OK;
}

/* --- Port ------------------------------------------------------------------------------------- */

/* Zephyr's mutexes nest, a device does not. */
int32_t uart_accel_port_lock(tvm_device_uart_accel_t *dev)
{
    if (dev->lock.owner == k_current_get()) {
        return TVM_DEVICE_E_STATE;
    }
    return k_mutex_lock(&dev->lock, K_FOREVER) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

int32_t uart_accel_port_unlock(tvm_device_uart_accel_t *dev)
{
    return k_mutex_unlock(&dev->lock) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

int32_t uart_accel_port_send(tvm_device_uart_accel_t *dev, const void *data, uint32_t bytes)
{
    const uint8_t *at = (const uint8_t *)data;
    for (uint32_t i = 0; i < bytes; i++) {
        uart_poll_out(dev->dev, at[i]); /* waits for the UART, and cannot fail */
    }
    return TVM_DEVICE_OK;
}

/* One byte, 0 when it came. */
static int receive_byte(tvm_device_uart_accel_t *dev, uint8_t *byte, int32_t timeout_ms)
{
    if (dev->is_polled == 0) {
        return k_msgq_get(&dev->line, byte, K_MSEC(timeout_ms));
    }
    const int64_t until = k_uptime_get() + timeout_ms;
    int failed = uart_poll_in(dev->dev, byte);
    while (failed != 0 && k_uptime_get() <= until) {
        k_yield();
        failed = uart_poll_in(dev->dev, byte);
    }
    return failed;
}

int32_t uart_accel_port_receive(tvm_device_uart_accel_t *dev, void *data, uint32_t bytes,
                                int32_t timeout_ms)
{
    uint8_t *at = (uint8_t *)data;
    for (uint32_t i = 0; i < bytes; i++) {
        if (receive_byte(dev, &at[i], timeout_ms) != 0) {
            return TVM_DEVICE_E_TIMEOUT;
        }
    }
    return TVM_DEVICE_OK;
}
