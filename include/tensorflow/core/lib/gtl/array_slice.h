/* SPDX-License-Identifier: Apache-2.0 */
/* gtl::ArraySlice: a span of constant elements. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_GTL_ARRAY_SLICE_H_
#define ORIBI_TENSORFLOW_CORE_LIB_GTL_ARRAY_SLICE_H_

#include "absl/types/span.h"
#include "tensorflow/core/lib/gtl/inlined_vector.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace gtl
{

template <typename T> using ArraySlice = absl::Span<const T>;
template <typename T> using MutableArraySlice = absl::Span<T>;

} // namespace gtl
} // namespace tensorflow

#endif
