/* SPDX-License-Identifier: Apache-2.0 */
/* Another path of the same header. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_BFLOAT16_BFLOAT16_H_
#define ORIBI_TENSORFLOW_CORE_LIB_BFLOAT16_BFLOAT16_H_
#include "tensorflow/core/platform/bfloat16.h"
#endif
