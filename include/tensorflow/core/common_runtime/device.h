/* SPDX-License-Identifier: Apache-2.0 */
/* Device, and what sources count on that its header brings along: resources, shape functions. */
#ifndef ORIBI_TENSORFLOW_CORE_COMMON_RUNTIME_DEVICE_H_
#define ORIBI_TENSORFLOW_CORE_COMMON_RUNTIME_DEVICE_H_

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/device_base.h"
#include "tensorflow/core/framework/resource_mgr.h"

#endif
