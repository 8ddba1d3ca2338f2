/* SPDX-License-Identifier: Apache-2.0 */
/* Driver of devicetree nodes "oribi,woofles": the window is their reg, doorbell and interrupt are
 * bytes of a UART. What TVMDeviceWooflesInit is given. */
#define DT_DRV_COMPAT oribi_woofles

#include <errno.h>

#include <zephyr/drivers/uart.h>
#include <zephyr/init.h>

#include "tvm/device/woofles/zephyr.h"

struct config {
    struct woofles_zephyr_config shown; /* comes first */
    const struct device *doorbell;
};

struct data {
    void (*signalled)(void *user);
    void *user;
};

static int ring(const struct device *dev)
{
    const struct config *config = dev->config;
    uart_poll_out(config->doorbell, 'w');
    return 0;
}

static void on_interrupt(const struct device *uart, void *user)
{
    const struct data *data = user;
    uint8_t byte;
    while (uart_irq_update(uart) > 0 && uart_irq_rx_ready(uart) > 0 &&
           uart_fifo_read(uart, &byte, 1) == 1) {
        data->signalled(data->user);
    }
}

static int attach(const struct device *dev, void (*signalled)(void *user), void *user)
{
    const struct config *config = dev->config;
    struct data *data = dev->data;
    const struct uart_driver_api *api = config->doorbell->api;
    if (api->irq_callback_set == NULL || api->fifo_read == NULL) {
        return -ENOTSUP;
    }
    uart_irq_rx_disable(config->doorbell);
    data->signalled = signalled;
    data->user = user;
    if (signalled != NULL) {
        uart_irq_callback_user_data_set(config->doorbell, on_interrupt, data);
        uart_irq_rx_enable(config->doorbell);
    }
    return 0;
}

static int init(const struct device *dev)
{
    const struct config *config = dev->config;
    return device_is_ready(config->doorbell) ? 0 : -ENODEV;
}

static const struct woofles_zephyr_api api = {.ring = ring, .attach = attach};

#define WOOFLES(n)                                                                                 \
    static const struct config config_##n = {                                                      \
        .shown = {.window = (void *)DT_INST_REG_ADDR(n),                                           \
                  .bytes = DT_INST_REG_SIZE(n),                                                    \
                  .memory_bytes = DT_INST_PROP(n, memory_size)},                                   \
        .doorbell = DEVICE_DT_GET(DT_INST_PHANDLE(n, doorbell))};                                  \
    static struct data data_##n;                                                                   \
    DEVICE_DT_INST_DEFINE(n, init, NULL, &data_##n, &config_##n, POST_KERNEL,                      \
                          CONFIG_ORIBI_WOOFLES_INIT_PRIORITY, &api);

DT_INST_FOREACH_STATUS_OKAY(WOOFLES)
