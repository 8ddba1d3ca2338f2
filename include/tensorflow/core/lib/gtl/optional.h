/* SPDX-License-Identifier: Apache-2.0 */
/* gtl::optional: absl::optional under the name of before. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_GTL_OPTIONAL_H_
#define ORIBI_TENSORFLOW_CORE_LIB_GTL_OPTIONAL_H_

#include "absl/types/optional.h"
#include "tensorflow/core/platform/macros.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace gtl
{
using absl::make_optional;
using absl::nullopt;
using absl::nullopt_t;
using absl::optional;
} // namespace gtl
} // namespace tensorflow

#endif
