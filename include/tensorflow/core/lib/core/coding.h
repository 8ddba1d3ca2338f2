/* SPDX-License-Identifier: Apache-2.0 */
/* core::Put*, Get*: numbers of fixed and of variable length, appended to text and taken from it. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_CORE_CODING_H_
#define ORIBI_TENSORFLOW_CORE_LIB_CORE_CODING_H_

#include "tensorflow/core/platform/raw_coding.h"
#include "tensorflow/core/platform/stringpiece.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace core
{

constexpr int kMaxVarint32Bytes = 5;
constexpr int kMaxVarint64Bytes = 10;

template <typename Text> void PutFixed16(Text *out, uint16 value)
{
    char bytes[sizeof value];
    EncodeFixed16(bytes, value);
    out->append(bytes, sizeof bytes);
}
template <typename Text> void PutFixed32(Text *out, uint32 value)
{
    char bytes[sizeof value];
    EncodeFixed32(bytes, value);
    out->append(bytes, sizeof bytes);
}
template <typename Text> void PutFixed64(Text *out, uint64 value)
{
    char bytes[sizeof value];
    EncodeFixed64(bytes, value);
    out->append(bytes, sizeof bytes);
}
/* Seven bits a byte, the low ones first. The place behind the last byte. */
inline char *EncodeVarint64(char *out, uint64 value)
{
    for (; value >= 128; value >>= 7) {
        *out++ = static_cast<char>(value | 128);
    }
    *out++ = static_cast<char>(value);
    return out;
}
inline char *EncodeVarint32(char *out, uint32 value)
{
    return EncodeVarint64(out, value);
}
template <typename Text> void PutVarint64(Text *out, uint64 value)
{
    char bytes[kMaxVarint64Bytes];
    out->append(bytes, static_cast<size_t>(EncodeVarint64(bytes, value) - bytes));
}
template <typename Text> void PutVarint32(Text *out, uint32 value)
{
    PutVarint64(out, value);
}
inline int VarintLength(uint64 value)
{
    char bytes[kMaxVarint64Bytes];
    return static_cast<int>(EncodeVarint64(bytes, value) - bytes);
}
/* Takes the number from the front of *in; false, and nothing taken, when there is none. */
inline bool GetVarint64(StringPiece *in, uint64 *value)
{
    *value = 0;
    for (size_t i = 0; i < in->size() && i < static_cast<size_t>(kMaxVarint64Bytes); i++) {
        const uint64 byte = static_cast<unsigned char>((*in)[i]);
        *value |= (byte & 127) << (7 * i);
        if (byte < 128) {
            in->remove_prefix(i + 1);
            return true;
        }
    }
    return false;
}
inline bool GetVarint32(StringPiece *in, uint32 *value)
{
    StringPiece rest = *in;
    uint64 wide = 0;
    if (!GetVarint64(&rest, &wide) || wide > kuint32max) {
        return false;
    }
    *value = static_cast<uint32>(wide);
    *in = rest;
    return true;
}
/* The place behind the number; null when there is none before limit. */
inline const char *GetVarint32Ptr(const char *p, const char *limit, uint32 *value)
{
    StringPiece in(p, static_cast<size_t>(limit - p));
    return GetVarint32(&in, value) ? in.data() : nullptr;
}
inline const char *GetVarint64Ptr(const char *p, const char *limit, uint64 *value)
{
    StringPiece in(p, static_cast<size_t>(limit - p));
    return GetVarint64(&in, value) ? in.data() : nullptr;
}

} // namespace core
} // namespace tensorflow

#endif
