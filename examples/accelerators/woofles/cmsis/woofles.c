/* SPDX-License-Identifier: Apache-2.0 */
/* `woofles` on CMSIS-RTOS2. */
#ifndef TVM_DEVICE_WOOFLES_HEADER
#define TVM_DEVICE_WOOFLES_HEADER "tvm/device/woofles/cmsis.h"
#endif
#include "../common/woofles_attach.h"
#include "../../kernels/cmsis.h"

int32_t TVMDeviceWooflesInit(tvm_device_woofles_t *dev, void *window, uint32_t bytes,
                             uint32_t memory_bytes, int32_t (*ring)(void *board), void *board,
                             const osMutexAttr_t *lock, const osSemaphoreAttr_t *interrupt)
{
    const int32_t code = woofles_attach(dev, window, bytes, memory_bytes);
    if (code != 0 || ring == NULL) {
        return code != 0 ? code : TVM_DEVICE_E_NULL;
    }
    dev->ring = ring;
    dev->board = board;
    dev->interrupt = osSemaphoreNew(1u, 0u, interrupt);
    dev->lock = osMutexNew(lock);
    if (dev->lock != NULL && dev->interrupt != NULL) {
        return TVM_DEVICE_OK;
    }
    /* Deleting NULL is refused and does no harm. */
    (void)osSemaphoreDelete(dev->interrupt);
    (void)osMutexDelete(dev->lock);
    return TVM_DEVICE_E_STATE;
}

int32_t TVMDeviceWooflesDestroy(tvm_device_woofles_t *dev)
{
    if (osMutexGetOwner(dev->lock) != NULL) {
        return TVM_DEVICE_E_STATE;
    }
    const int32_t is_gone = osMutexDelete(dev->lock) == osOK;
    return osSemaphoreDelete(dev->interrupt) == osOK && is_gone ? TVM_DEVICE_OK
                                                                : TVM_DEVICE_E_STATE;
}

void TVMDeviceWooflesInterrupt(tvm_device_woofles_t *dev)
{
    (void)osSemaphoreRelease(dev->interrupt); /* one that is there already is enough */
}

/* --- Port ------------------------------------------------------------------------------------- */

int32_t woofles_port_lock(tvm_device_woofles_t *dev)
{
    return take_mutex(dev->lock);
}

int32_t woofles_port_unlock(tvm_device_woofles_t *dev)
{
    return give_mutex(dev->lock);
}

int32_t woofles_port_ring(tvm_device_woofles_t *dev)
{
    return dev->ring(dev->board);
}

int32_t woofles_port_wait(tvm_device_woofles_t *dev, uint32_t done)
{
    if (woofles_port_load(&dev->window->done) != done) {
        return TVM_DEVICE_OK;
    }
    /* The signal may be an old one: the driver looks at `done`, and waits again. */
    const osStatus_t came = osSemaphoreAcquire(dev->interrupt, ticks_of_ms(dev->timeout_ms));
    return came == osOK || woofles_port_load(&dev->window->done) != done ? TVM_DEVICE_OK
                                                                         : TVM_DEVICE_E_TIMEOUT;
}
