/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms of integers. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_BITS_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_BITS_H_

#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

/* -1 for 0. */
inline int Log2Floor64(uint64 n)
{
    return n == 0 ? -1 : 63 - __builtin_clzll(n);
}
inline int Log2Floor(uint32 n)
{
    return Log2Floor64(n);
}
inline int Log2Ceiling64(uint64 n)
{
    return n <= 1 ? static_cast<int>(n) - 1 : Log2Floor64(n - 1) + 1;
}
inline int Log2Ceiling(uint32 n)
{
    return Log2Ceiling64(n);
}
inline uint64 NextPowerOfTwo64(uint64 n)
{
    return n <= 1 ? 1 : uint64{1} << Log2Ceiling64(n);
}

} // namespace tensorflow

#endif
