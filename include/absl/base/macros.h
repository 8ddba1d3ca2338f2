/* SPDX-License-Identifier: Apache-2.0 */
/* The names of this header, where they are defined. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/base/macros.h>
#else
#include "absl/base/attributes.h"
#endif
