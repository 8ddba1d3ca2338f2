/* SPDX-License-Identifier: Apache-2.0 */
/* Who starts the devices of a model, and what does the target give them? `oribi verify` writes a
 * table of them; harness.c starts them before the first run and stops them after the last. A target
 * that has lines to far ends brings oribi_place_line (<target>/device_place.c), one with files
 * oribi_place_window, too.
 */
#ifndef ORIBI_PLATFORM_HARNESS_DEVICES_H_
#define ORIBI_PLATFORM_HARNESS_DEVICES_H_

#include "tvm/runtime/verify.h"

struct oribi_harness_device {
    struct tvm_verify_place *place;
    int32_t (*start)(void), (*stop)(void); /* of the driver's folder, with this device */
    int32_t has_line;
    uint32_t window_at; /* in the memory that the far ends share */
};

/* The line to the far end of device `index`; 0 or a code of tvm/runtime/device.h. */
int32_t oribi_place_line(struct tvm_verify_line *line, int32_t index);

#if defined(__STDC_HOSTED__) && __STDC_HOSTED__
/* Bytes of the file "memory"; NULL: there is no such file. */
void *oribi_place_window(uint32_t at, uint32_t bytes);
#else
/* A window lies in memory that the emulator shares, in the order of the devices: link.ld. */
#define ORIBI_HARNESS_WINDOW(name, index, bytes)                                                   \
    static uint8_t name[bytes] __attribute__((section(".oribi_window." #index), aligned(65536)))
#endif

/* Starts all devices that are not started yet, stops all that are; 0, or the first failure's code
 * after a DEVICE frame. model.h has them as functions of the model. */
int32_t oribi_devices_start(void);
void oribi_devices_stop(void);
/* A DEVICE frame about a run that a hook ended, from what the model noted. */
void oribi_devices_explain(void);

#endif
