/* SPDX-License-Identifier: Apache-2.0 */
/* The application on CMSIS-RTOS2, of RTX5 or CMSIS-FreeRTOS, and a CMSIS-Driver USART. */
#include "cmsis_os2.h"

#ifdef APP_ON_FREERTOS
#include "FreeRTOS.h"
#include "task.h"
typedef StaticTask_t thread_block;
typedef StaticSemaphore_t mutex_block, semaphore_block;
#else
#include "rtx_os.h"
typedef osRtxThread_t thread_block;
typedef osRtxMutex_t mutex_block;
typedef osRtxSemaphore_t semaphore_block;
#endif

#include "app.h"
#include "board.h"
#include "harness/port.h"
#include "usart_mps2.h"

#ifdef APP_WOOFLES
static tvm_device_woofles_t *woofles[2];
#endif
#ifdef APP_UART_ACCEL
static tvm_device_uart_accel_t *uart_accel;
#endif

void UART1_Handler(void);
void UART1_Handler(void)
{
    uint8_t byte;
    while (board_uart_get(BOARD_DOORBELL, &byte) != 0) {
#ifdef APP_WOOFLES
        TVMDeviceWooflesInterrupt(woofles[0]);
#endif
    }
}

void UART2_Handler(void);
void UART2_Handler(void)
{
#ifdef APP_TWO
    uint8_t byte;
    while (board_uart_get(BOARD_LINE, &byte) != 0) {
        TVMDeviceWooflesInterrupt(woofles[1]);
    }
#else
    usart_mps2_interrupt();
#endif
}

#ifdef APP_WOOFLES
static int32_t ring(void *board)
{
    while (board_uart_put(*(const uint32_t *)board, 'w') == 0) {
    }
    return 0;
}

/* Mutex and semaphore in memory of the application's. */
int32_t app_init_woofles(tvm_device_woofles_t *dev, uint32_t i)
{
    static const uint32_t bells[2] = {BOARD_DOORBELL, BOARD_DOORBELL + 1u};
    static mutex_block lock_memory[2];
    static semaphore_block interrupt_memory[2];
    const osMutexAttr_t lock = {.cb_mem = &lock_memory[i], .cb_size = sizeof lock_memory[i]};
    const osSemaphoreAttr_t interrupt = {.cb_mem = &interrupt_memory[i],
                                         .cb_size = sizeof interrupt_memory[i]};
    const int32_t code =
        TVMDeviceWooflesInit(dev, APP_WINDOW(i), APP_WINDOW_BYTES, APP_MEMORY_BYTES, ring,
                             (void *)(uintptr_t)&bells[i], &lock, &interrupt);
    woofles[i] = dev;
    board_uart_start(BOARD_DOORBELL + i);
    return code;
}
#endif

#ifdef APP_UART_ACCEL
static void event(uint32_t what)
{
    TVMDeviceUartAccelEvent(uart_accel, what);
}

/* The mutex in memory of the system's. */
int32_t app_init_uart_accel(tvm_device_uart_accel_t *dev)
{
    uart_accel = dev;
    return TVMDeviceUartAccelInit(dev, &Driver_USART2, event, 115200, NULL);
}
#endif

/* --- Threads ---------------------------------------------------------------------------------- */

#define STACK_BYTES 8192u

static uint64_t stacks[2][STACK_BYTES / 8u];
static thread_block blocks[2];
static osSemaphoreId_t ended;
static void (*second_run)(void);

int32_t app_check(void)
{
    return usart_mps2_unheard() == 0u ? 0 : -1;
}

void app_sleep(uint32_t ms)
{
    (void)osDelay(ms); /* a tick is a millisecond in both configurations */
}

static void second(void *nothing)
{
    (void)nothing;
    second_run();
    osThreadExit();
}

void app_thread_start(void (*run)(void))
{
    const osThreadAttr_t attributes = {.cb_mem = &blocks[1],
                                       .cb_size = sizeof blocks[1],
                                       .stack_mem = stacks[1],
                                       .stack_size = STACK_BYTES};
    ended = osSemaphoreNew(1, 0, NULL);
    second_run = run;
    (void)osThreadNew(second, NULL, &attributes);
}

void app_thread_ended(void)
{
    (void)osSemaphoreRelease(ended);
}

void app_thread_wait(void)
{
    (void)osSemaphoreAcquire(ended, osWaitForever);
}

static void first(void *nothing)
{
    (void)nothing;
    app_main();
}

int main(void)
{
    const osThreadAttr_t attributes = {.cb_mem = &blocks[0],
                                       .cb_size = sizeof blocks[0],
                                       .stack_mem = stacks[0],
                                       .stack_size = STACK_BYTES};
    (void)osKernelInitialize();
    (void)osThreadNew(first, NULL, &attributes);
    (void)osKernelStart();
    return 0;
}
