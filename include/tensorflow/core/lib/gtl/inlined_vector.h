/* SPDX-License-Identifier: Apache-2.0 */
/* gtl::InlinedVector. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_GTL_INLINED_VECTOR_H_
#define ORIBI_TENSORFLOW_CORE_LIB_GTL_INLINED_VECTOR_H_

#include "absl/container/inlined_vector.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace gtl
{

using absl::InlinedVector;

} // namespace gtl
} // namespace tensorflow

#endif
