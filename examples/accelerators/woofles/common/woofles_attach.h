/* SPDX-License-Identifier: Apache-2.0 */
/* Takes over the window of a woofles that is hardware: what Init does on every platform but POSIX,
 * where the driver makes the device, too. The window is read and never cleared: its counters are
 * the device's as much as ours.
 */
#ifndef ORIBI_EXAMPLE_WOOFLES_ATTACH_H_
#define ORIBI_EXAMPLE_WOOFLES_ATTACH_H_

#include <stddef.h>

#include "woofles_port.h"
#include "woofles_window.h"

/* Fills the driver's members. TVM_DEVICE_E_NULL, TVM_DEVICE_E_RANGE. */
static inline int32_t woofles_attach(tvm_device_woofles_t *dev, void *window, uint32_t bytes,
                                     uint32_t memory_bytes)
{
    if (dev == NULL || window == NULL) {
        return TVM_DEVICE_E_NULL;
    }
    if ((uintptr_t)window % 16u != 0u || bytes < WOOFLES_MEMORY_OFFSET ||
        memory_bytes > bytes - WOOFLES_MEMORY_OFFSET || memory_bytes % 4u != 0u) {
        return TVM_DEVICE_E_RANGE;
    }
    dev->timeout_ms = 10000;
    dev->window = (struct woofles_window *)window;
    dev->memory_bytes = memory_bytes;
    dev->params_bytes = bytes - WOOFLES_MEMORY_OFFSET - memory_bytes;
    dev->params_used = 0;
    dev->params_kept = 0;
    dev->residents.n = 0;
    dev->first_pending = dev->window->posted;
    dev->users.count = 0;
    dev->is_open = 0;
    return TVM_DEVICE_OK;
}

#endif
