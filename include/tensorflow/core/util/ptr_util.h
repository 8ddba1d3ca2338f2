/* SPDX-License-Identifier: Apache-2.0 */
/* MakeUnique and WrapUnique, under the names of before C++14. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_PTR_UTIL_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_PTR_UTIL_H_

#include <memory>
#include <utility>

#include "tensorflow/core/platform/macros.h"

namespace tensorflow ORIBI_HIDDEN
{

template <typename T> std::unique_ptr<T> WrapUnique(T *object)
{
    return std::unique_ptr<T>(object);
}
template <typename T, typename... A> std::unique_ptr<T> MakeUnique(A &&...a)
{
    return std::make_unique<T>(std::forward<A>(a)...);
}

} // namespace tensorflow

#endif
