/* SPDX-License-Identifier: Apache-2.0 */
/* Driver of `ethos-u`: the hooks of a compiled model over Arm's core driver, which has the
 * registers. From a call it makes the base addresses in the order that command streams of Vela have
 * them: read-only data, scratch, fast scratch, inputs, outputs. The core driver cleans and drops
 * the caches of all of them.
 */
#include "tvm/device/ethos_u/core_driver.h"

#include "core_api.h"

TVM_DEVICE_DRIVER(EthosU);

int32_t TVMDeviceEthosUInit(tvm_device_ethos_u_t *dev, struct ethosu_driver *driver)
{
    if (dev == NULL || driver == NULL) {
        return TVM_DEVICE_E_NULL;
    }
    dev->driver = driver;
    dev->users.count = 0;
    dev->is_open = 0;
    dev->is_running = 0;
    dev->lock = ethosu_mutex_create();
    return dev->lock != NULL ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

int32_t TVMDeviceEthosUDestroy(tvm_device_ethos_u_t *dev)
{
    if (dev->is_open != 0) {
        return TVM_DEVICE_E_STATE;
    }
    ethosu_mutex_destroy(dev->lock);
    dev->lock = NULL;
    return TVM_DEVICE_OK;
}

/* --- Who holds it ----------------------------------------------------------------------------- */

int32_t TVMDeviceEthosUActivate(tvm_device_ethos_u_t *dev)
{
    int32_t code = TVM_DEVICE_OK;
    if (ethosu_mutex_lock(dev->lock) != 0) {
        return TVM_DEVICE_E_BUSY;
    }
    if (tvm_device_users_enter(&dev->users) != 0 &&
        !ETHOS_U_IS_POWERED(ethosu_request_power(dev->driver))) {
        (void)tvm_device_users_leave(&dev->users);
        code = TVM_DEVICE_E_IO;
    }
    return ethosu_mutex_unlock(dev->lock) == 0 ? code : TVM_DEVICE_E_STATE;
}

/* A hook that ends something has ended it, also when the lock cannot be had. */
int32_t TVMDeviceEthosUDeactivate(tvm_device_ethos_u_t *dev)
{
    const bool is_locked = ethosu_mutex_lock(dev->lock) == 0;
    if (tvm_device_users_leave(&dev->users) != 0) {
        ethosu_release_power(dev->driver);
    }
    if (!is_locked) {
        return TVM_DEVICE_E_BUSY;
    }
    return ethosu_mutex_unlock(dev->lock) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

int32_t TVMDeviceEthosUOpen(tvm_device_ethos_u_t *dev)
{
    if (ethosu_mutex_lock(dev->lock) != 0) {
        return TVM_DEVICE_E_BUSY;
    }
    dev->is_open = 1;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceEthosUClose(tvm_device_ethos_u_t *dev)
{
    if (dev->is_open == 0) {
        return TVM_DEVICE_E_STATE;
    }
    dev->is_open = 0;
    return ethosu_mutex_unlock(dev->lock) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

/* --- Base addresses --------------------------------------------------------------------------- */

static int32_t add_base(tvm_device_ethos_u_t *dev, int32_t *n, const void *data, uint32_t bytes)
{
    const uintptr_t address = (uintptr_t)data;
    if (*n >= ETHOS_U_BASES) {
        return TVM_DEVICE_E_UNSUPPORTED;
    }
    if ((address == 0u && bytes > 0u) || address % ETHOS_U_ALIGNMENT != 0u) {
        return TVM_DEVICE_E_RANGE;
    }
    dev->bases[*n] = (uint64_t)address;
    dev->sizes[*n] = bytes;
    (*n)++;
    return TVM_DEVICE_OK;
}

/* The last bytes of the params; NULL: there are none, or they lie badly. */
static const struct ethos_u_params *params_of(const struct tvm_device_call *call)
{
    const uint32_t bytes = (uint32_t)sizeof(struct ethos_u_params);
    const uintptr_t end = (uintptr_t)call->params + call->params_bytes;
    return call->params == NULL || call->params_bytes < bytes || end % ETHOS_U_ALIGNMENT != 0u
               ? NULL
               : (const struct ethos_u_params *)(end - bytes);
}

/* Do the blobs lie in the params, and the two kinds of scratch in the last tensor? */
static int32_t check_params(const struct tvm_device_call *call, const struct ethos_u_params *p,
                            uint32_t room)
{
    if (call->op != ETHOS_U_RUN) {
        return TVM_DEVICE_E_UNSUPPORTED;
    }
    return p != NULL && p->commands_bytes <= call->params_bytes &&
                   p->commands_bytes <= (uint32_t)INT32_MAX && p->read_only <= call->params_bytes &&
                   p->read_only_bytes <= call->params_bytes - p->read_only &&
                   p->scratch_bytes <= room && p->fast <= room && p->fast_bytes <= room - p->fast
               ? TVM_DEVICE_OK
               : TVM_DEVICE_E_RANGE;
}

static int32_t read_call(tvm_device_ethos_u_t *dev, const struct tvm_device_call *call,
                         int32_t *out_n)
{
    const struct ethos_u_params *p = params_of(call);
    const int32_t n = call->n_inputs + call->n_outputs;
    const int32_t has_scratch = p != NULL && (p->scratch_bytes > 0u || p->fast > 0u) ? 1 : 0;
    const struct tvm_device_tensor *last = has_scratch != 0 ? &call->tensors[n - 1] : NULL;
    int32_t code = dev->is_open != 0 ? check_params(call, p, last != NULL ? last->bytes : 0u)
                                     : TVM_DEVICE_E_STATE;
    *out_n = 0;
    if (code != 0) {
        return code;
    }
    const uint8_t *const scratch = last != NULL ? (const uint8_t *)last->data : NULL;
    code = add_base(dev, out_n, (const uint8_t *)call->params + p->read_only, p->read_only_bytes);
    code = code != 0 ? code : add_base(dev, out_n, scratch, p->scratch_bytes);
    code = code != 0
               ? code
               : add_base(dev, out_n, scratch != NULL ? scratch + p->fast : NULL, p->fast_bytes);
    for (int32_t i = 0; i < n - has_scratch && code == 0; i++) {
        code = add_base(dev, out_n, call->tensors[i].data, call->tensors[i].bytes);
    }
    return code;
}

/* --- Work ------------------------------------------------------------------------------------- */

int32_t TVMDeviceEthosUInvoke(tvm_device_ethos_u_t *dev, const struct tvm_device_call *call)
{
    int32_t n;
    int32_t code = TVMDeviceEthosUWait(dev);
    code = code != 0 ? code : read_call(dev, call, &n);
    if (code != 0) {
        return code;
    }
    return ethosu_invoke_v3(dev->driver, call->params, (int)params_of(call)->commands_bytes,
                            dev->bases, dev->sizes, (int)n, NULL) == 0
               ? TVM_DEVICE_OK
               : TVM_DEVICE_E_IO;
}

int32_t TVMDeviceEthosUStart(tvm_device_ethos_u_t *dev, const struct tvm_device_call *call)
{
    int32_t n;
    int32_t code = TVMDeviceEthosUWait(dev);
    code = code != 0 ? code : read_call(dev, call, &n);
    if (code != 0) {
        return code;
    }
    if (ethosu_invoke_async(dev->driver, call->params, (int)params_of(call)->commands_bytes,
                            dev->bases, dev->sizes, (int)n, NULL) != 0) {
        return TVM_DEVICE_E_IO;
    }
    dev->is_running = 1;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceEthosUWait(tvm_device_ethos_u_t *dev)
{
    if (dev->is_running == 0) {
        return TVM_DEVICE_OK;
    }
    dev->is_running = 0;
    return ethosu_wait(dev->driver, true) == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_IO;
}

int32_t TVMDeviceEthosUCancel(tvm_device_ethos_u_t *dev)
{
    (void)TVMDeviceEthosUWait(dev);
    return TVM_DEVICE_OK;
}
