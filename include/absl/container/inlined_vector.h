/* SPDX-License-Identifier: Apache-2.0 */
/* InlinedVector and FixedArray, here std::vector under their names. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/container/inlined_vector.h>
#elif !defined(ORIBI_ABSL_CONTAINER_INLINED_VECTOR_H_)
#define ORIBI_ABSL_CONTAINER_INLINED_VECTOR_H_

#include <vector>

#include "absl/types/span.h"

namespace absl ORIBI_HIDDEN
{

template <typename T, size_t N, typename A = std::allocator<T>>
class InlinedVector : public std::vector<T, A>
{
  public:
    using std::vector<T, A>::vector;
    InlinedVector() = default;
};
template <typename T, size_t N = 0> class FixedArray : public std::vector<T>
{
  public:
    using std::vector<T>::vector;
};

} // namespace absl
#endif
