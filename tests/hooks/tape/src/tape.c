/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of `tape`: in the host's memory, and done when Invoke returns. */
#include "tvm/device/tape.h"
#include "tvm/runtime/verify.h"

TVM_DEVICE_DRIVER(Tape);

int32_t tape_begin(tvm_device_tape_t *dev, const struct tvm_verify_place *place);
int32_t tape_finish(tvm_device_tape_t *dev);

int32_t tape_begin(tvm_device_tape_t *dev, const struct tvm_verify_place *place)
{
    (void)place;
    dev->is_held = 0;
    return TVM_DEVICE_OK;
}

int32_t tape_finish(tvm_device_tape_t *dev)
{
    return dev->is_held == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

int32_t TVMDeviceTapeActivate(tvm_device_tape_t *dev)
{
    (void)dev;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceTapeDeactivate(tvm_device_tape_t *dev)
{
    (void)dev;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceTapeOpen(tvm_device_tape_t *dev)
{
    return dev->is_held++ == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_BUSY;
}

int32_t TVMDeviceTapeClose(tvm_device_tape_t *dev)
{
    dev->is_held--;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceTapeInvoke(tvm_device_tape_t *dev, const struct tvm_device_call *call)
{
    return dev->is_held == 1 ? tape_run(call, 0, 0) : TVM_DEVICE_E_STATE;
}

#if __STDC_HOSTED__
#include "tvm/runtime/desk.h"

TVM_DEVICE_DESK(Tape);

int32_t TVMDeviceTapeDeskCreate(const char *options, uint32_t memory_bytes, void **out_dev)
{
    static tvm_device_tape_t dev;
    (void)memory_bytes;
    *out_dev = &dev;
    return options[0] == '\0' ? TVM_DEVICE_OK : TVM_DEVICE_E_UNSUPPORTED;
}

int32_t TVMDeviceTapeDeskDestroy(void *dev)
{
    return tape_finish(dev);
}
#endif
