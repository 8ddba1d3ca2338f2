/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TVM_DEVICE_TAPE_OWN_BAREMETAL_H_
#define TVM_DEVICE_TAPE_OWN_BAREMETAL_H_

#include "tvm/device/tape_own.h"

#endif
