/* SPDX-License-Identifier: Apache-2.0 */
/* Another path of the same header. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_GTL_OPTIONAL_H_
#define ORIBI_TENSORFLOW_CORE_LIB_GTL_OPTIONAL_H_
#include "absl/types/optional.h"
#endif
