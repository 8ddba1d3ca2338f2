/* SPDX-License-Identifier: Apache-2.0 */
/* The names of this header, where they are defined. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/log/absl_check.h>
#else
#include "tensorflow/core/platform/logging.h"
#endif
