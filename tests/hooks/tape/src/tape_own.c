/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of `tape-own`: a memory of its own, and tapes that are run when somebody waits. */
#include <string.h>

#include "tvm/device/tape_own.h"
#include "tvm/runtime/verify.h"

TVM_DEVICE_DRIVER(TapeOwn);

int32_t tape_own_begin(tvm_device_tape_own_t *dev, const struct tvm_verify_place *place);
int32_t tape_own_finish(tvm_device_tape_own_t *dev);

int32_t tape_own_begin(tvm_device_tape_own_t *dev, const struct tvm_verify_place *place)
{
    memset(dev, 0, sizeof *dev);
    return place->memory_bytes <= TAPE_MEMORY ? TVM_DEVICE_OK : TVM_DEVICE_E_RANGE;
}

int32_t tape_own_finish(tvm_device_tape_own_t *dev)
{
    return dev->is_held == 0 && dev->n_started == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

int32_t TVMDeviceTapeOwnActivate(tvm_device_tape_own_t *dev)
{
    dev->residents.n = 0;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceTapeOwnDeactivate(tvm_device_tape_own_t *dev)
{
    memset(dev->memory, 0x5a, sizeof dev->memory);
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceTapeOwnOpen(tvm_device_tape_own_t *dev)
{
    return dev->is_held++ == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_BUSY;
}

int32_t TVMDeviceTapeOwnClose(tvm_device_tape_own_t *dev)
{
    dev->is_held--;
    return dev->n_started == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}

/* A tape that is known by its place in the list. */
int32_t TVMDeviceTapeOwnLoad(tvm_device_tape_own_t *dev, struct tvm_device_call *call)
{
    call->resident = tvm_device_residents_find(&dev->residents, call);
    if (call->resident == 0u) {
        call->resident = tvm_device_residents_add(&dev->residents, call, dev->residents.n + 1u);
    }
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceTapeOwnStart(tvm_device_tape_own_t *dev, const struct tvm_device_call *call)
{
    if (dev->n_started == TAPE_STARTED) {
        return TVM_DEVICE_E_BUSY;
    }
    dev->started[dev->n_started++] = *call;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceTapeOwnWait(tvm_device_tape_own_t *dev)
{
    int32_t code = TVM_DEVICE_OK;
    for (int32_t i = 0; i < dev->n_started && code == 0; i++) {
        code = tape_run(&dev->started[i], dev->memory, TAPE_MEMORY);
    }
    dev->n_started = 0;
    return code;
}

int32_t TVMDeviceTapeOwnCancel(tvm_device_tape_own_t *dev)
{
    dev->n_started = 0;
    return TVM_DEVICE_OK;
}

static int32_t is_inside(uint32_t offset, uint32_t bytes)
{
    return offset <= TAPE_MEMORY && bytes <= TAPE_MEMORY - offset;
}

/* Copies keep their order with what was started: that is run first. */
int32_t TVMDeviceTapeOwnCopyTo(const void *source, tvm_device_tape_own_t *dev, uint32_t offset,
                               uint32_t bytes)
{
    const int32_t code = is_inside(offset, bytes) ? TVMDeviceTapeOwnWait(dev) : TVM_DEVICE_E_RANGE;
    if (code == 0) {
        memcpy(dev->memory + offset, source, bytes);
    }
    return code;
}

int32_t TVMDeviceTapeOwnCopyToStart(const void *source, tvm_device_tape_own_t *dev, uint32_t offset,
                                    uint32_t bytes)
{
    return TVMDeviceTapeOwnCopyTo(source, dev, offset, bytes);
}

int32_t TVMDeviceTapeOwnCopyFrom(tvm_device_tape_own_t *dev, uint32_t offset, void *destination,
                                 uint32_t bytes)
{
    const int32_t code = is_inside(offset, bytes) ? TVMDeviceTapeOwnWait(dev) : TVM_DEVICE_E_RANGE;
    if (code == 0) {
        memcpy(destination, dev->memory + offset, bytes);
    }
    return code;
}

int32_t TVMDeviceTapeOwnCopyFromStart(tvm_device_tape_own_t *dev, uint32_t offset,
                                      void *destination, uint32_t bytes)
{
    return TVMDeviceTapeOwnCopyFrom(dev, offset, destination, bytes);
}

#if __STDC_HOSTED__
#include "tvm/runtime/desk.h"

TVM_DEVICE_DESK(TapeOwn);

int32_t TVMDeviceTapeOwnDeskCreate(const char *options, uint32_t memory_bytes, void **out_dev)
{
    static tvm_device_tape_own_t dev;
    memset(&dev, 0, sizeof dev);
    *out_dev = &dev;
    return options[0] != '\0'            ? TVM_DEVICE_E_UNSUPPORTED
           : memory_bytes <= TAPE_MEMORY ? TVM_DEVICE_OK
                                         : TVM_DEVICE_E_RANGE;
}

int32_t TVMDeviceTapeOwnDeskDestroy(void *dev)
{
    return tape_own_finish(dev);
}
#endif
