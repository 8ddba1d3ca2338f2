/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TVM_DEVICE_TALLY_FAR_H_
#define TVM_DEVICE_TALLY_FAR_H_

#include "tvm/runtime/device.h"

struct tally_job;

typedef struct counting_house {
    volatile struct tally_job *job;
    uint32_t memory_bytes, window_bytes, ms;
    int32_t is_held;
    void *wire;
    int32_t (*put)(void *wire, uint8_t byte);
    int32_t (*get)(void *wire, uint8_t *byte);
    uint32_t polls_per_ms;
} tvm_device_tally_far_t;

int32_t TVMDeviceTallyFarActivate(tvm_device_tally_far_t *dev);
int32_t TVMDeviceTallyFarOpen(tvm_device_tally_far_t *dev);
int32_t TVMDeviceTallyFarInvoke(tvm_device_tally_far_t *dev, const struct tvm_device_call *call);
int32_t TVMDeviceTallyFarCopyTo(const void *source, tvm_device_tally_far_t *dev, uint32_t offset,
                                uint32_t bytes);
int32_t TVMDeviceTallyFarCopyFrom(tvm_device_tally_far_t *dev, uint32_t offset, void *destination,
                                  uint32_t bytes);
int32_t TVMDeviceTallyFarClose(tvm_device_tally_far_t *dev);
int32_t TVMDeviceTallyFarDeactivate(tvm_device_tally_far_t *dev);

#endif
