/* SPDX-License-Identifier: Apache-2.0 */
/* A `woofles` for the harness: on a hosted machine a thread, on a bare one a window of memory that
 * `oribi verify` shares, with a UART as its doorbell. Included by what verify writes. */
#ifndef ORIBI_PLATFORM_HARNESS_DEVICE_WOOFLES_H_
#define ORIBI_PLATFORM_HARNESS_DEVICE_WOOFLES_H_

#include "harness/device_line.h"

#define ORIBI_HARNESS_WINDOW  0x200000u /* bytes; as in verify_device.c */
#define ORIBI_HARNESS_TENSORS 0x100000u

#if defined(__STDC_HOSTED__) && __STDC_HOSTED__
#define ORIBI_HARNESS_WOOFLES(index)                                                               \
    static uint8_t window_##index[ORIBI_HARNESS_WINDOW] __attribute__((aligned(16)));              \
    static tvm_device_woofles_t device_##index;                                                    \
    static int32_t make_##index(void)                                                              \
    {                                                                                              \
        return TVMDeviceWooflesInit(&device_##index, window_##index, sizeof window_##index,        \
                                    ORIBI_HARNESS_TENSORS);                                        \
    }
#else
#define ORIBI_HARNESS_WOOFLES(index)                                                               \
    static uint8_t window_##index[ORIBI_HARNESS_WINDOW]                                            \
        __attribute__((section(".oribi_window." #index), aligned(65536)));                         \
    static tvm_device_woofles_t device_##index;                                                    \
    static int32_t make_##index(void)                                                              \
    {                                                                                              \
        void *const line = oribi_line_open(index);                                                 \
        const int32_t code = TVMDeviceWooflesInit(&device_##index, window_##index,                 \
                                                  sizeof window_##index, ORIBI_HARNESS_TENSORS,    \
                                                  line, oribi_line_ring, ORIBI_LINE_POLLS_PER_MS); \
        device_##index.timeout_ms = 60000; /* the far side may have to wait for a processor */     \
        return code;                                                                               \
    }
#endif

#endif
