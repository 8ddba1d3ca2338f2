/* SPDX-License-Identifier: Apache-2.0 */
/* Index checks that a compiler keeps. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_BOUNDS_CHECK_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_BOUNDS_CHECK_H_

#include <type_traits>

#include "tensorflow/core/platform/macros.h"

namespace tensorflow ORIBI_HIDDEN
{

/* 0 <= index < limit, with one comparison. */
template <typename A, typename B> bool FastBoundsCheck(const A index, const B limit)
{
    using Unsigned = typename std::make_unsigned<typename std::common_type<A, B>::type>::type;
    return TF_PREDICT_TRUE(static_cast<Unsigned>(index) < static_cast<Unsigned>(limit));
}
namespace internal
{
/* A copy that is read once, so that a check and its use see the same value. */
template <typename T> T SubtleMustCopy(const T &value)
{
    const volatile T copy = value;
    return copy;
}
template <typename T> const T &SubtleMustCopyIfIntegral(const T &value)
{
    return value;
}
} // namespace internal

} // namespace tensorflow

#endif
