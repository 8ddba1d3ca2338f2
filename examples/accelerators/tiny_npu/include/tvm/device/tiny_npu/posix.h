/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TVM_DEVICE_TINY_NPU_POSIX_H_
#define TVM_DEVICE_TINY_NPU_POSIX_H_

#include "tvm/device/tiny_npu.h"

#endif
