/* SPDX-License-Identifier: Apache-2.0 */
/* down_cast, implicit_cast, bit_cast. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_CASTS_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_CASTS_H_

#include <cstring>

#include "tensorflow/core/platform/macros.h"

namespace absl ORIBI_HIDDEN
{
#ifdef ORIBI_OWN_ABSL
template <typename To, typename From> To bit_cast(const From &from)
{
    static_assert(sizeof(To) == sizeof(From), "bit_cast between types of different sizes");
    To to;
    std::memcpy(&to, &from, sizeof(to));
    return to;
}
template <typename To> To implicit_cast(To to)
{
    return to;
}
#endif
} // namespace tensorflow

namespace tensorflow ORIBI_HIDDEN
{

template <typename To, typename From> To down_cast(From *from)
{
    return static_cast<To>(from);
}
template <typename To, typename From> To bit_cast(const From &from)
{
    return absl::bit_cast<To>(from);
}
template <typename To> To implicit_cast(To to)
{
    return to;
}

} // namespace tensorflow

#endif
