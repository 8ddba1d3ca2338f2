/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that do nothing but note which hook was called, and fail when told to: kinds `woofles`
 * (asynchronous, a memory of its own) and `uart_accel`. Runs on a desk and on a microcontroller.
 */
#ifndef ORIBI_TESTS_HOOKS_RECORDER_H_
#define ORIBI_TESTS_HOOKS_RECORDER_H_

#include "tvm/runtime/device.h"

enum { RECORDER_MEMORY = 8192 };

typedef struct recorder_device {
    int32_t index; /* in the log */
    uint8_t memory[RECORDER_MEMORY];
} tvm_device_woofles_t, tvm_device_uart_accel_t;

#include "tvm/device/uart_accel.h"
#include "tvm/device/woofles.h"

#endif
