/* SPDX-License-Identifier: Apache-2.0 */
/* The application that every system runs (app.c), and what a system gives it. */
#ifndef ORIBI_TESTS_HOOKS_PLATFORMS_APP_H_
#define ORIBI_TESTS_HOOKS_PLATFORMS_APP_H_

#include "tvmgen_net.h"

/* Where the board has them, in memory that it shares with `oribi device-serve`. */
#define APP_WINDOW(i)    ((void *)(0x21000000u + APP_WINDOW_BYTES * (i)))
#define APP_WINDOW_BYTES 0x100000u
#define APP_MEMORY_BYTES 0x80000u

/* In a thread; ends the emulator. */
void app_main(void);

/* Init of the devices that the model has. 0 is success. */
#ifdef APP_WOOFLES
int32_t app_init_woofles(tvm_device_woofles_t *dev, uint32_t i); /* i: 0, or 1 of APP_TWO */
#endif
#ifdef APP_UART_ACCEL
int32_t app_init_uart_accel(tvm_device_uart_accel_t *dev);
#endif
/* 0 when the system has nothing to complain of the drivers. */
int32_t app_check(void);
/* Runs `run` in a second thread; wait until it has ended. */
void app_thread_start(void (*run)(void));
void app_thread_wait(void);
void app_thread_ended(void); /* the last that `run` does */
void app_sleep(uint32_t ms);

#endif
