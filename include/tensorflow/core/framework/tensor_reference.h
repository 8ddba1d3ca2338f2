/* SPDX-License-Identifier: Apache-2.0 */
/* Another path of the same header. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_REFERENCE_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_REFERENCE_H_
#include "tensorflow/core/framework/tensor.h"
#endif
