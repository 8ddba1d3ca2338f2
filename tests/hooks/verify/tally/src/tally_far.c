/* SPDX-License-Identifier: Apache-2.0 */
/* A TALLY behind a window: a job in front of its memory, a byte on the wire to begin, one back when
 * it is done. */
#include <string.h>

#include "tally.h"
#include "tvm/device/tally_far.h"

static uint8_t *memory(const tvm_device_tally_far_t *dev)
{
    return (uint8_t *)(uintptr_t)dev->job + TALLY_MEMORY;
}

int32_t TVMDeviceTallyFarActivate(tvm_device_tally_far_t *dev)
{
    return dev->job->ready == TALLY_READY ? TVM_DEVICE_OK : TVM_DEVICE_E_IO;
}

int32_t TVMDeviceTallyFarOpen(tvm_device_tally_far_t *dev)
{
    dev->is_held++;
    return dev->is_held == 1 ? TVM_DEVICE_OK : TVM_DEVICE_E_BUSY;
}

static int32_t exchange(tvm_device_tally_far_t *dev)
{
    uint64_t left = (uint64_t)dev->ms * dev->polls_per_ms;
    uint8_t byte = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    while (dev->put(dev->wire, (uint8_t)'g') == 0) {
        if (left-- == 0u) {
            return TVM_DEVICE_E_TIMEOUT;
        }
    }
    while (dev->get(dev->wire, &byte) == 0) {
        if (left-- == 0u) {
            return TVM_DEVICE_E_TIMEOUT;
        }
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return byte == (uint8_t)'k' ? dev->job->code : TVM_DEVICE_E_IO;
}

int32_t TVMDeviceTallyFarInvoke(tvm_device_tally_far_t *dev, const struct tvm_device_call *call)
{
    const struct tvm_device_tensor *const in = &call->tensors[0], *const out = &call->tensors[1];
    const uint32_t room = dev->window_bytes - TALLY_MEMORY - dev->memory_bytes;
    if (call->n_inputs != 1 || call->n_outputs != 1 || in->data != 0 || out->data != 0 ||
        call->params_bytes > room) {
        return TVM_DEVICE_E_UNSUPPORTED;
    }
    memcpy(memory(dev) + dev->memory_bytes, call->params, call->params_bytes);
    dev->job->op = call->op;
    dev->job->params_at = TALLY_MEMORY + dev->memory_bytes;
    dev->job->params_bytes = call->params_bytes;
    dev->job->in_at = TALLY_MEMORY + in->device_offset;
    dev->job->in_bytes = in->bytes;
    dev->job->out_at = TALLY_MEMORY + out->device_offset;
    dev->job->out_bytes = out->bytes;
    return exchange(dev);
}

int32_t TVMDeviceTallyFarCopyTo(const void *source, tvm_device_tally_far_t *dev, uint32_t offset,
                                uint32_t bytes)
{
    memcpy(memory(dev) + offset, source, bytes);
    return offset + bytes <= dev->memory_bytes ? TVM_DEVICE_OK : TVM_DEVICE_E_RANGE;
}

int32_t TVMDeviceTallyFarCopyFrom(tvm_device_tally_far_t *dev, uint32_t offset, void *destination,
                                  uint32_t bytes)
{
    memcpy(destination, memory(dev) + offset, bytes);
    return offset + bytes <= dev->memory_bytes ? TVM_DEVICE_OK : TVM_DEVICE_E_RANGE;
}

int32_t TVMDeviceTallyFarClose(tvm_device_tally_far_t *dev)
{
    dev->is_held--;
    return TVM_DEVICE_OK;
}

int32_t TVMDeviceTallyFarDeactivate(tvm_device_tally_far_t *dev)
{
    return dev->is_held == 0 ? TVM_DEVICE_OK : TVM_DEVICE_E_STATE;
}
