/* SPDX-License-Identifier: Apache-2.0 */
/* Another path of the same header. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_DEFAULT_LOGGING_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_DEFAULT_LOGGING_H_
#include "tensorflow/core/platform/logging.h"
#endif
