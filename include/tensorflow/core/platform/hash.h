/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes for tables within a process; the values are our own. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_HASH_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_HASH_H_

#include <functional>

#include "tensorflow/core/platform/stringpiece.h"

namespace tensorflow ORIBI_HIDDEN
{

inline uint64 Hash64(const char *data, size_t n, uint64 seed = 0xDECAFCAFFE)
{
    uint64 h = seed ^ (n * 0x9e3779b97f4a7c15ull);
    for (size_t i = 0; i < n; i++) {
        h = (h ^ static_cast<unsigned char>(data[i])) * 0x100000001b3ull;
        h ^= h >> 29;
    }
    return h;
}
inline uint64 Hash64(StringPiece text)
{
    return Hash64(text.data(), text.size());
}
inline uint32 Hash32(const char *data, size_t n, uint32 seed)
{
    return static_cast<uint32>(Hash64(data, n, seed));
}
inline uint64 Hash64Combine(uint64 a, uint64 b)
{
    return a ^ (b + 0x9e3779b97f4a7800ull + (a << 10) + (a >> 4));
}
template <typename T, typename = void> struct hash {
    size_t operator()(const T &value) const
    {
        return std::hash<T>()(value);
    }
};

} // namespace tensorflow

#endif
