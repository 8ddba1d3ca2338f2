/* SPDX-License-Identifier: Apache-2.0 */
/* The application on Zephyr. */
#include <zephyr/device.h>
#include <zephyr/kernel.h>

#include "app.h"

#ifdef APP_WOOFLES
int32_t app_init_woofles(tvm_device_woofles_t *dev, uint32_t i)
{
    return TVMDeviceWooflesInit(dev, i == 0u ? DEVICE_DT_GET(DT_NODELABEL(woofles0))
                                             : DEVICE_DT_GET(DT_NODELABEL(woofles1)));
}
#endif

#ifdef APP_UART_ACCEL
int32_t app_init_uart_accel(tvm_device_uart_accel_t *dev)
{
    return TVMDeviceUartAccelInit(dev, DEVICE_DT_GET(DT_NODELABEL(uart2)));
}
#endif

int32_t app_check(void)
{
    return 0;
}

/* --- Threads ---------------------------------------------------------------------------------- */

static K_THREAD_STACK_DEFINE(stack, 8192);
static struct k_thread thread;

void app_sleep(uint32_t ms)
{
    (void)k_msleep((int32_t)ms);
}

static void second(void *run, void *b, void *c)
{
    (void)b;
    (void)c;
    (*(void (**)(void))run)();
}

void app_thread_start(void (*run)(void))
{
    static void (*second_run)(void);
    second_run = run;
    (void)k_thread_create(&thread, stack, K_THREAD_STACK_SIZEOF(stack), second, &second_run, NULL,
                          NULL, k_thread_priority_get(k_current_get()), 0, K_NO_WAIT);
}

void app_thread_ended(void)
{
}

void app_thread_wait(void)
{
    (void)k_thread_join(&thread, K_FOREVER);
}

int main(void)
{
    app_main();
    return 0;
}
