/* SPDX-License-Identifier: Apache-2.0 */
/* core::EncodeFixed*, DecodeFixed*: numbers as little-endian bytes. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_RAW_CODING_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_RAW_CODING_H_

#include <cstring>

#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace core
{

#define ORIBI_FIXED(bits)                                                                          \
    inline void EncodeFixed##bits(char *out, uint##bits value)                                     \
    {                                                                                              \
        for (int i = 0; i < bits / 8; i++) {                                                       \
            out[i] = static_cast<char>((static_cast<uint64>(value) >> (8 * i)) & 255);             \
        }                                                                                          \
    }                                                                                              \
    inline uint##bits DecodeFixed##bits(const char *in)                                            \
    {                                                                                              \
        uint64 value = 0;                                                                          \
        for (int i = 0; i < bits / 8; i++) {                                                       \
            value |= static_cast<uint64>(static_cast<unsigned char>(in[i])) << (8 * i);            \
        }                                                                                          \
        return static_cast<uint##bits>(value);                                                     \
    }
ORIBI_FIXED(16)
ORIBI_FIXED(32)
ORIBI_FIXED(64)
#undef ORIBI_FIXED

} // namespace core
} // namespace tensorflow

#endif
