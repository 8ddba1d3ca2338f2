/* SPDX-License-Identifier: Apache-2.0 */
/* The names of this header, where they are defined. A real Abseil before 2023 has no absl/log. */
#include "absl/base/config.h"
#if !defined(ORIBI_OWN_ABSL) && __has_include_next(<absl/log/log.h>)
#pragma GCC system_header
#include_next <absl/log/log.h>
#else
#include "tensorflow/core/platform/logging.h"
#endif
