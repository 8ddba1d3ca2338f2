/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TVM_DEVICE_TALLY_NOW_POSIX_H_
#define TVM_DEVICE_TALLY_NOW_POSIX_H_

#include "tvm/device/tally_now.h"

#endif
