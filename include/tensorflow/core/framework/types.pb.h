/* SPDX-License-Identifier: Apache-2.0 */
/* The enumeration of data types. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_TYPES_PB_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_TYPES_PB_H_
#include "tensorflow/core/framework/types.h"
#endif
