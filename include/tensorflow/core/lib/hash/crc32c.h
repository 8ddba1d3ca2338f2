/* SPDX-License-Identifier: Apache-2.0 */
/* crc32c: the checksum of records, and its masked form. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_HASH_CRC32C_H_
#define ORIBI_TENSORFLOW_CORE_LIB_HASH_CRC32C_H_

#include <cstddef>

#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace crc32c
{

/* Of what `crc` is of, and these bytes behind it. */
inline uint32 Extend(uint32 crc, const char *bytes, size_t n)
{
    struct Table {
        uint32 of[256];
        Table()
        {
            for (uint32 i = 0; i < 256; i++) {
                uint32 bits = i;
                for (int k = 0; k < 8; k++) {
                    bits = (bits >> 1) ^ ((bits & 1) != 0 ? 0x82f63b78u : 0); /* Castagnoli's */
                }
                of[i] = bits;
            }
        }
    };
    static const Table table;
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc = table.of[(crc ^ static_cast<unsigned char>(bytes[i])) & 255] ^ (crc >> 8);
    }
    return ~crc;
}
inline uint32 Value(const char *bytes, size_t n)
{
    return Extend(0, bytes, n);
}
/* A sum of bytes that have sums among them is none that occurs in them. */
constexpr uint32 kMaskDelta = 0xa282ead8u;
inline uint32 Mask(uint32 crc)
{
    return ((crc >> 15) | (crc << 17)) + kMaskDelta;
}
inline uint32 Unmask(uint32 masked)
{
    const uint32 rotated = masked - kMaskDelta;
    return (rotated >> 17) | (rotated << 15);
}

} // namespace crc32c
} // namespace tensorflow

#endif
