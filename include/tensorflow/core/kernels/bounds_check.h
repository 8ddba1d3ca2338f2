/* SPDX-License-Identifier: Apache-2.0 */
/* Another path of the same header. */
#ifndef ORIBI_TENSORFLOW_CORE_KERNELS_BOUNDS_CHECK_H_
#define ORIBI_TENSORFLOW_CORE_KERNELS_BOUNDS_CHECK_H_
#include "tensorflow/core/framework/bounds_check.h"
#endif
