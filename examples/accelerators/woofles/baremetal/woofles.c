/* SPDX-License-Identifier: Apache-2.0 */
/* `woofles` without an operating system: the window is polled, time is counted in polls. */
#ifndef TVM_DEVICE_WOOFLES_HEADER
#define TVM_DEVICE_WOOFLES_HEADER "tvm/device/woofles/baremetal.h"
#endif
#include "../common/woofles_port.h"
#include "../common/woofles_window.h"

int32_t TVMDeviceWooflesInit(tvm_device_woofles_t *dev, void *window, uint32_t bytes,
                             uint32_t memory_bytes, void *bell, int32_t (*ring)(void *bell),
                             uint32_t polls_per_ms)
{
    if (dev == (void *)0 || window == (void *)0 || !ring) {
        return TVM_DEVICE_E_NULL;
    }
    if ((uintptr_t)window % 16u != 0u || bytes < WOOFLES_MEMORY_OFFSET ||
        memory_bytes > bytes - WOOFLES_MEMORY_OFFSET || memory_bytes % 4u != 0u ||
        polls_per_ms == 0u) {
        return TVM_DEVICE_E_RANGE;
    }
    dev->timeout_ms = 10000;
    dev->window = (struct woofles_window *)window;
    dev->memory_bytes = memory_bytes;
    dev->params_bytes = bytes - WOOFLES_MEMORY_OFFSET - memory_bytes;
    dev->params_used = 0;
    dev->first_pending = 0;
    dev->users.count = 0;
    dev->is_open = 0;
    dev->is_locked = 0;
    dev->bell = bell;
    dev->ring = ring;
    dev->polls_per_ms = polls_per_ms;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceWooflesDestroy(tvm_device_woofles_t *dev)
{
    return dev->is_locked == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

/* Nobody else runs: who finds it locked has locked it himself. */
int32_t woofles_port_lock(tvm_device_woofles_t *dev)
{
    if (dev->is_locked != 0) {
        return TVM_DEVICE_E_BUSY;
    }
    dev->is_locked = 1;
    return TVM_DEVICE_OK;
}

int32_t woofles_port_unlock(tvm_device_woofles_t *dev)
{
    if (dev->is_locked == 0) {
        return TVM_DEVICE_E_STATE;
    }
    dev->is_locked = 0;
    return TVM_DEVICE_OK;
}

int32_t woofles_port_ring(tvm_device_woofles_t *dev)
{
    return dev->ring(dev->bell);
}

int32_t woofles_port_wait(tvm_device_woofles_t *dev, uint32_t done)
{
    uint64_t left = (uint64_t)dev->polls_per_ms * (uint32_t)dev->timeout_ms;
    while (woofles_port_load(&dev->window->done) == done) {
        if (left-- == 0u) {
            return TVM_DEVICE_E_TIMEOUT;
        }
    }
    return TVM_DEVICE_OK;
}

/* With barriers: the window is memory that somebody else writes, too. */
uint32_t woofles_port_load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

void woofles_port_store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
