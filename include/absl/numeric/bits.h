/* SPDX-License-Identifier: Apache-2.0 */
/* Bits counted. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/numeric/bits.h>
#elif !defined(ORIBI_ABSL_NUMERIC_BITS_H_)
#define ORIBI_ABSL_NUMERIC_BITS_H_

#include <climits>

namespace absl ORIBI_HIDDEN
{

template <typename T> constexpr int popcount(T v)
{
    return __builtin_popcountll(static_cast<unsigned long long>(v));
}
template <typename T> constexpr int countl_zero(T v)
{
    return v == 0 ? static_cast<int>(sizeof(T)) * CHAR_BIT
                  : __builtin_clzll(static_cast<unsigned long long>(v)) -
                        (64 - static_cast<int>(sizeof(T)) * CHAR_BIT);
}
template <typename T> constexpr int countr_zero(T v)
{
    return v == 0 ? static_cast<int>(sizeof(T)) * CHAR_BIT
                  : __builtin_ctzll(static_cast<unsigned long long>(v));
}
template <typename T> constexpr int bit_width(T v)
{
    return static_cast<int>(sizeof(T)) * CHAR_BIT - countl_zero(v);
}
template <typename T> constexpr bool has_single_bit(T v)
{
    return v != 0 && (v & (v - 1)) == 0;
}

} // namespace absl
#endif
