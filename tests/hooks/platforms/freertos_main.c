/* SPDX-License-Identifier: Apache-2.0 */
/* The application on FreeRTOS. */
#include "FreeRTOS.h"
#include "semphr.h"
#include "task.h"

#include "app.h"
#include "board.h"
#include "harness/port.h"

#ifdef APP_WOOFLES
static tvm_device_woofles_t *woofles[2];
#endif
#ifdef APP_UART_ACCEL
static tvm_device_uart_accel_t *uart_accel;
#endif

void app_assertion_failed(void)
{
    for (;;) {
        oribi_port_end(10);
    }
}

void UART1_Handler(void);
void UART1_Handler(void)
{
    BaseType_t woken = pdFALSE;
    uint8_t byte;
    while (board_uart_get(BOARD_DOORBELL, &byte) != 0) {
#ifdef APP_WOOFLES
        TVMDeviceWooflesInterrupt(woofles[0], &woken);
#endif
    }
    portYIELD_FROM_ISR(woken);
}

void UART2_Handler(void);
void UART2_Handler(void)
{
    BaseType_t woken = pdFALSE;
    uint8_t byte;
    while (board_uart_get(BOARD_LINE, &byte) != 0) {
#if defined(APP_UART_ACCEL)
        TVMDeviceUartAccelReceived(uart_accel, &byte, 1, &woken);
#elif defined(APP_TWO)
        TVMDeviceWooflesInterrupt(woofles[1], &woken);
#endif
    }
    portYIELD_FROM_ISR(woken);
}

#ifdef APP_WOOFLES
static int32_t ring(void *board)
{
    while (board_uart_put(*(const uint32_t *)board, 'w') == 0) {
    }
    return 0;
}

int32_t app_init_woofles(tvm_device_woofles_t *dev, uint32_t i)
{
    static const uint32_t bells[2] = {BOARD_DOORBELL, BOARD_DOORBELL + 1u};
    const int32_t code = TVMDeviceWooflesInit(dev, APP_WINDOW(i), APP_WINDOW_BYTES,
                                              APP_MEMORY_BYTES, ring, (void *)(uintptr_t)&bells[i]);
    woofles[i] = dev;
    board_uart_start(BOARD_DOORBELL + i);
    return code;
}
#endif

#ifdef APP_UART_ACCEL
static int32_t put(void *uart, uint8_t byte)
{
    (void)uart;
    return board_uart_put(BOARD_LINE, byte);
}

int32_t app_init_uart_accel(tvm_device_uart_accel_t *dev)
{
    const int32_t code = TVMDeviceUartAccelInit(dev, NULL, put);
    uart_accel = dev;
    board_uart_start(BOARD_LINE);
    return code;
}
#endif

/* --- Threads ---------------------------------------------------------------------------------- */

static StaticTask_t tasks[2];
static StackType_t stacks[2][2048];
static StaticSemaphore_t ended_memory;
static SemaphoreHandle_t ended;
static void (*second_run)(void);

int32_t app_check(void)
{
    return 0; /* FreeRTOS stops at an assertion */
}

void app_sleep(uint32_t ms)
{
    vTaskDelay(pdMS_TO_TICKS(ms));
}

static void second(void *nothing)
{
    (void)nothing;
    second_run();
    for (;;) {
        vTaskDelay(1000);
    }
}

void app_thread_start(void (*run)(void))
{
    ended = xSemaphoreCreateBinaryStatic(&ended_memory);
    second_run = run;
    (void)xTaskCreateStatic(second, "second", 2048, NULL, 1, stacks[1], &tasks[1]);
}

void app_thread_ended(void)
{
    (void)xSemaphoreGive(ended);
}

void app_thread_wait(void)
{
    (void)xSemaphoreTake(ended, portMAX_DELAY);
}

/* Asked for by the kernel, which declares it in no header before V11. */
void vApplicationGetIdleTaskMemory(StaticTask_t **out_task, StackType_t **out_stack,
                                   uint32_t *out_words);
void vApplicationGetIdleTaskMemory(StaticTask_t **out_task, StackType_t **out_stack,
                                   uint32_t *out_words)
{
    static StaticTask_t task;
    static StackType_t stack[configMINIMAL_STACK_SIZE];
    *out_task = &task;
    *out_stack = stack;
    *out_words = configMINIMAL_STACK_SIZE;
}

static void first(void *nothing)
{
    (void)nothing;
    app_main();
    for (;;) {
    }
}

int main(void)
{
    (void)xTaskCreateStatic(first, "first", 2048, NULL, 1, stacks[0], &tasks[0]);
    vTaskStartScheduler();
    return 0;
}
