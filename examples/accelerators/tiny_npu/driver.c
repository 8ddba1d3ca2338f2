/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of tiny_npu: what emitted C calls, on this machine and on a board. It computes on the
 * CPU until what stands between the two marks is yours. C99; no library but memcpy, memmove and
 * memset. When each hook is called: tvm/runtime/hooks.h.
 */
#include "tvm/device/tiny_npu.h"
#include "tvm/runtime/verify.h"

TVM_DEVICE_DRIVER(TinyNpu);

/* begin: yours */
static int32_t compute(const struct tvm_device_call *call)
{
    const uint32_t n = call->params_bytes == 4u ? *(const uint32_t *)call->params : 0u;
    const float *const x = (const float *)call->tensors[0].data;
    float *const y = (float *)call->tensors[1].data;
    if (call->op != 1 || call->tensors[0].bytes / 4u != n || call->tensors[1].bytes / 4u != n) {
        return TVM_DEVICE_E_UNSUPPORTED; /* params are the compiler's word, and not trusted */
    }
    for (uint32_t i = 0; i < n; i++) {
        y[i] = x[i] > 0.0f ? x[i] : 0.0f;
    }
    return TVM_DEVICE_OK;
}
/* end: yours */

int32_t TVMDeviceTinyNpuActivate(tvm_device_tiny_npu_t *dev)
{
    if (tvm_device_users_enter(&dev->users) != 0) {
        dev->is_on = 1; /* the first one: power and clocks */
    }
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceTinyNpuDeactivate(tvm_device_tiny_npu_t *dev)
{
    if (tvm_device_users_leave(&dev->users) != 0) {
        dev->is_on = 0; /* the last one */
    }
    return TVM_DEVICE_OK;
}

/* The lock of a system stands here. */
int32_t TVMDeviceTinyNpuOpen(tvm_device_tiny_npu_t *dev)
{
    if (dev->is_open != 0) {
        return TVM_DEVICE_E_BUSY;
    }
    dev->is_open = 1;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceTinyNpuClose(tvm_device_tiny_npu_t *dev)
{
    dev->is_open = 0;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceTinyNpuInvoke(tvm_device_tiny_npu_t *dev, const struct tvm_device_call *call)
{
    return dev->is_on != 0 && dev->is_open != 0 ? compute(call) : TVM_DEVICE_E_STATE;
}

/* --- What an application does once: driver.json names these two for `oribi verify` -------------
 */

int32_t tiny_npu_start(tvm_device_tiny_npu_t *dev, const struct tvm_verify_place *place);
int32_t tiny_npu_stop(tvm_device_tiny_npu_t *dev);

int32_t tiny_npu_start(tvm_device_tiny_npu_t *dev, const struct tvm_verify_place *place)
{
    static const tvm_device_tiny_npu_t fresh;
    (void)place;
    *dev = fresh;
    return TVM_DEVICE_OK;
}

int32_t tiny_npu_stop(tvm_device_tiny_npu_t *dev)
{
    return dev->is_open == 0 && dev->is_on == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

/* --- The desk: `oribi run --device tiny_npu=./tiny_npu_driver.so` ------------------------------
 */

#if defined(__STDC_HOSTED__) && __STDC_HOSTED__
#include "tvm/runtime/desk.h"

TVM_DEVICE_DESK(TinyNpu);

int32_t TVMDeviceTinyNpuDeskCreate(const char *options, uint32_t memory_bytes, void **out_dev)
{
    static tvm_device_tiny_npu_t dev;
    (void)options;
    (void)memory_bytes;
    *out_dev = &dev;
    return tiny_npu_start(&dev, 0);
}

int32_t TVMDeviceTinyNpuDeskDestroy(void *dev)
{
    return tiny_npu_stop((tvm_device_tiny_npu_t *)dev);
}
#endif
