/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TVM_DEVICE_TAPE_POSIX_H_
#define TVM_DEVICE_TAPE_POSIX_H_

#include "tvm/device/tape.h"

#endif
