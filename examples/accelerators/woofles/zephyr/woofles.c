/* SPDX-License-Identifier: Apache-2.0 */
/* `woofles` on Zephyr: over the device's own driver, see woofles_zephyr_api. */
#ifndef TVM_DEVICE_WOOFLES_HEADER
#define TVM_DEVICE_WOOFLES_HEADER "tvm/device/woofles/zephyr.h"
#endif
#include "../common/woofles_attach.h"

static const struct woofles_zephyr_api *api_of(const tvm_device_woofles_t *dev)
{
    return (const struct woofles_zephyr_api *)dev->dev->api;
}

/* From the device's interrupt. */
static void signalled(void *user)
{
    tvm_device_woofles_t *dev = (tvm_device_woofles_t *)user;
    k_sem_give(&dev->interrupt);
}

int32_t TVMDeviceWooflesInit(tvm_device_woofles_t *dev, const struct device *zephyr_dev)
{
    if (dev == NULL || zephyr_dev == NULL) {
        return TVM_DEVICE_E_NULL;
    }
    if (!device_is_ready(zephyr_dev)) {
        return TVM_DEVICE_E_STATE;
    }
    const struct woofles_zephyr_config *config =
        (const struct woofles_zephyr_config *)zephyr_dev->config;
    const int32_t code = woofles_attach(dev, config->window, config->bytes, config->memory_bytes);
    if (code != 0) {
        return code;
    }
    dev->dev = zephyr_dev;
    (void)k_mutex_init(&dev->lock);
    (void)k_sem_init(&dev->interrupt, 0, 1);
    return api_of(dev)->attach(zephyr_dev, signalled, dev) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_IO;
}

int32_t TVMDeviceWooflesDestroy(tvm_device_woofles_t *dev)
{
    if (dev->dev == NULL || dev->lock.owner != NULL) {
        return TVM_DEVICE_E_STATE;
    }
    const int detached = api_of(dev)->attach(dev->dev, NULL, NULL);
    dev->dev = NULL;
    return detached == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_IO;
}

/* --- Port ------------------------------------------------------------------------------------- */

/* Zephyr's mutexes nest, a device does not. */
int32_t woofles_port_lock(tvm_device_woofles_t *dev)
{
    if (dev->lock.owner == k_current_get()) {
        return TVM_DEVICE_E_STATE;
    }
    return k_mutex_lock(&dev->lock, K_FOREVER) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

int32_t woofles_port_unlock(tvm_device_woofles_t *dev)
{
    return k_mutex_unlock(&dev->lock) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

int32_t woofles_port_ring(tvm_device_woofles_t *dev)
{
    return api_of(dev)->ring(dev->dev) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_IO;
}

int32_t woofles_port_wait(tvm_device_woofles_t *dev, uint32_t done)
{
    if (woofles_port_load(&dev->window->done) != done) {
        return TVM_DEVICE_OK;
    }
    /* The signal may be an old one: the driver looks at `done`, and waits again. */
    const int failed = k_sem_take(&dev->interrupt, K_MSEC(dev->timeout_ms));
    return failed == 0 || woofles_port_load(&dev->window->done) != done ? TVM_DEVICE_OK
                                                                        : TVM_DEVICE_E_TIMEOUT;
}
