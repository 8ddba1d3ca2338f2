/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TVM_DEVICE_TALLY_FAR_BAREMETAL_H_
#define TVM_DEVICE_TALLY_FAR_BAREMETAL_H_

#include "tvm/device/tally_far.h"

#endif
