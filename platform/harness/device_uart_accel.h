/* SPDX-License-Identifier: Apache-2.0 */
/* A `uart_accel` for the harness: the line is a socket on a hosted machine, a UART on a bare one;
 * at its other end is `oribi verify`. Included by what verify writes. */
#ifndef ORIBI_PLATFORM_HARNESS_DEVICE_UART_ACCEL_H_
#define ORIBI_PLATFORM_HARNESS_DEVICE_UART_ACCEL_H_

#include "harness/device_line.h"

#if defined(__STDC_HOSTED__) && __STDC_HOSTED__
#define ORIBI_HARNESS_UART_ACCEL(index)                                                            \
    static tvm_device_uart_accel_t device_##index;                                                 \
    static int32_t make_##index(void)                                                              \
    {                                                                                              \
        const int32_t code = TVMDeviceUartAccelInit(&device_##index, oribi_line_open(index));      \
        device_##index.timeout_ms = 30000;                                                         \
        return code;                                                                               \
    }
#else
#define ORIBI_HARNESS_UART_ACCEL(index)                                                            \
    static tvm_device_uart_accel_t device_##index;                                                 \
    static int32_t make_##index(void)                                                              \
    {                                                                                              \
        void *const line = oribi_line_open(index);                                                 \
        const int32_t code = TVMDeviceUartAccelInit(&device_##index, line, oribi_line_put,         \
                                                    oribi_line_get, ORIBI_LINE_POLLS_PER_MS);      \
        device_##index.timeout_ms = 30000;                                                         \
        return code;                                                                               \
    }
#endif

#endif
