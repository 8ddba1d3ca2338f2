/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECLARATIONS_ZEPHYR_UART_H_
#define DECLARATIONS_ZEPHYR_UART_H_

#include <zephyr/device.h>

typedef void (*uart_irq_callback_user_data_t)(const struct device *dev, void *user);
struct uart_driver_api {
    int (*fifo_read)(const struct device *dev, uint8_t *data, const int bytes);
    void (*irq_rx_enable)(const struct device *dev);
    void (*irq_callback_set)(const struct device *dev, uart_irq_callback_user_data_t callback,
                             void *user);
};

int uart_poll_in(const struct device *dev, unsigned char *byte);
void uart_poll_out(const struct device *dev, unsigned char byte);
int uart_irq_update(const struct device *dev);
int uart_irq_rx_ready(const struct device *dev);
int uart_fifo_read(const struct device *dev, uint8_t *data, const int bytes);
void uart_irq_rx_enable(const struct device *dev);
void uart_irq_rx_disable(const struct device *dev);
void uart_irq_tx_disable(const struct device *dev);
void uart_irq_callback_user_data_set(const struct device *dev,
                                     uart_irq_callback_user_data_t callback, void *user);

#endif
