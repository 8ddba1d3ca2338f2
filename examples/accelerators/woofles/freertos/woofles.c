/* SPDX-License-Identifier: Apache-2.0 */
/* `woofles` on FreeRTOS. */
#ifndef TVM_DEVICE_WOOFLES_HEADER
#define TVM_DEVICE_WOOFLES_HEADER "tvm/device/woofles/freertos.h"
#endif
#include "../common/woofles_attach.h"
#include "../../kernels/freertos.h"

int32_t TVMDeviceWooflesInit(tvm_device_woofles_t *dev, void *window, uint32_t bytes,
                             uint32_t memory_bytes, int32_t (*ring)(void *board), void *board)
{
    const int32_t code = woofles_attach(dev, window, bytes, memory_bytes);
    if (code != 0 || ring == NULL) {
        return code != 0 ? code : TVM_DEVICE_E_NULL;
    }
    dev->ring = ring;
    dev->board = board;
    dev->interrupt = xSemaphoreCreateBinaryStatic(&dev->interrupt_memory);
    dev->lock = xSemaphoreCreateMutexStatic(&dev->lock_memory);
    return dev->lock != NULL && dev->interrupt != NULL ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

int32_t TVMDeviceWooflesDestroy(tvm_device_woofles_t *dev)
{
    if (xSemaphoreGetMutexHolder(dev->lock) != NULL) {
        return TVM_DEVICE_E_STATE;
    }
    vSemaphoreDelete(dev->lock);
    vSemaphoreDelete(dev->interrupt);
    return TVM_DEVICE_OK;
}

void TVMDeviceWooflesInterrupt(tvm_device_woofles_t *dev, BaseType_t *out_woken)
{
    (void)xSemaphoreGiveFromISR(dev->interrupt, out_woken);
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
    const BaseType_t came = xSemaphoreTake(dev->interrupt, ticks_of_ms(dev->timeout_ms));
    return came == pdTRUE || woofles_port_load(&dev->window->done) != done ? TVM_DEVICE_OK
                                                                           : TVM_DEVICE_E_TIMEOUT;
}
