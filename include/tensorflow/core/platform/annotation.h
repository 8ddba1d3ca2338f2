/* SPDX-License-Identifier: Apache-2.0 */
/* Another path of the same header. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_ANNOTATION_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_ANNOTATION_H_
#include "tensorflow/core/platform/macros.h"
#endif
