/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TVM_DEVICE_TAPE_H_
#define TVM_DEVICE_TAPE_H_

#include "tape_machine.h"
#include "tvm/runtime/hooks.h"

/* A tape that works in the host's memory, and is done when Invoke returns. */
typedef struct tvm_device_tape {
    int32_t is_held;
} tvm_device_tape_t;

TVM_DEVICE_HOOKS(Tape, tvm_device_tape_t);

#endif
