/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TVM_DEVICE_TAPE_OWN_H_
#define TVM_DEVICE_TAPE_OWN_H_

#include "tape_machine.h"
#include "tvm/runtime/hooks.h"

#define TAPE_STARTED 16

/* A tape with a memory of its own. It does nothing before somebody waits: what is borrowed too
 * briefly is seen. */
typedef struct tvm_device_tape_own {
    int32_t is_held, n_started;
    struct tvm_device_call started[TAPE_STARTED];
    struct tvm_device_residents residents;
    uint8_t memory[TAPE_MEMORY];
} tvm_device_tape_own_t;

TVM_DEVICE_HOOKS(TapeOwn, tvm_device_tape_own_t);

#endif
