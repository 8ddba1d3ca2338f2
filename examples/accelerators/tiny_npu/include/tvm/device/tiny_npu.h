/* SPDX-License-Identifier: Apache-2.0 */
/* The device of the kind tiny_npu. The application owns the struct, and hands it to a model's run.
 */
#ifndef TVM_DEVICE_TINY_NPU_H_
#define TVM_DEVICE_TINY_NPU_H_

#include "tvm/runtime/hooks.h"

typedef struct tvm_device_tiny_npu {
    struct tvm_device_users users;
    int32_t is_on, is_open;
} tvm_device_tiny_npu_t;

TVM_DEVICE_HOOKS(TinyNpu, tvm_device_tiny_npu_t);

#endif
