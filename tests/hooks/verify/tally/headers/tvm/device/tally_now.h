/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TVM_DEVICE_TALLY_NOW_H_
#define TVM_DEVICE_TALLY_NOW_H_

#include "tvm/runtime/device.h"

/* TALLY_WORDS comes from the manifest: whoever sees this header has to be given it. */
typedef struct abacus {
    uint32_t beads[TALLY_WORDS];
    int32_t is_held;
} tvm_device_tally_now_t;

int32_t TVMDeviceTallyNowActivate(tvm_device_tally_now_t *dev);
int32_t TVMDeviceTallyNowOpen(tvm_device_tally_now_t *dev);
int32_t TVMDeviceTallyNowInvoke(tvm_device_tally_now_t *dev, const struct tvm_device_call *call);
int32_t TVMDeviceTallyNowClose(tvm_device_tally_now_t *dev);
int32_t TVMDeviceTallyNowDeactivate(tvm_device_tally_now_t *dev);

#endif
