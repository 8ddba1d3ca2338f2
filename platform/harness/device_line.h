/* SPDX-License-Identifier: Apache-2.0 */
/* Lines from the harness to the far ends of devices: the socket "device_N" of the folder on a
 * hosted machine (host/device_line.c), the UART after the first on a board (<board>/device_line.c).
 */
#ifndef ORIBI_PLATFORM_HARNESS_DEVICE_LINE_H_
#define ORIBI_PLATFORM_HARNESS_DEVICE_LINE_H_

#include <stdint.h>

#if defined(__STDC_HOSTED__) && __STDC_HOSTED__
/* A descriptor, -1: nobody is there. */
int oribi_line_open(int32_t index);
#else
#define ORIBI_LINE_POLLS_PER_MS 10000u /* of an emulator at its best */
void *oribi_line_open(int32_t index);
int32_t oribi_line_put(void *line, uint8_t byte);
int32_t oribi_line_get(void *line, uint8_t *byte);
/* Sends one byte: 0, or a code of tvm/runtime/device.h. */
int32_t oribi_line_ring(void *line);
#endif

#endif
