/* SPDX-License-Identifier: Apache-2.0 */
/* WireReader: a message of protocol buffers, field by field. Every length is checked. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_MESSAGES_WIRE_READER_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_MESSAGES_WIRE_READER_H_

#include <vector>

#include "tensorflow/core/framework/partial_tensor_shape.h"

/* What every repeated field offers to a reader. */
#define ORIBI_MESSAGE_LIST(name, type)                                                             \
    int name##_size() const                                                                        \
    {                                                                                              \
        return static_cast<int>(name##_.size());                                                   \
    }                                                                                              \
    type name(int i) const                                                                         \
    {                                                                                              \
        return name##_[static_cast<size_t>(i)];                                                    \
    }                                                                                              \
    const std::vector<type> &name() const                                                          \
    {                                                                                              \
        return name##_;                                                                            \
    }

namespace tensorflow ORIBI_HIDDEN
{

class WireReader
{
  public:
    explicit WireReader(StringPiece message) : rest_(message)
    {
    }
    /* False at the end and at the first malformed byte. */
    bool Next()
    {
        const bool more = !rest_.empty();
        failed_ = more && !Field();
        return more && !failed_;
    }
    /* Was it a malformed byte that ended it? */
    bool failed() const
    {
        return failed_;
    }
    /* For the bytes of a packed field: the next number, or four bytes, of it. */
    bool NextPacked(bool is_float)
    {
        return is_float ? Take(4, &bytes) : !rest_.empty() && Varint(&number);
    }
    StringPiece rest() const
    {
        return rest_;
    }
    int field = 0;
    bool is_bytes = false; /* text, a message, or a packed field */
    uint64 number = 0;
    StringPiece bytes;

  private:
    bool Field()
    {
        uint64 key = 0;
        if (!Varint(&key)) {
            return false;
        }
        field = static_cast<int>(key >> 3);
        is_bytes = (key & 7) == 2;
        number = 0;
        bytes = StringPiece();
        switch (key & 7) {
        case 0:
            return Varint(&number);
        case 1:
            return Take(8, &bytes);
        case 2:
            return Varint(&number) && Take(number, &bytes);
        case 5:
            return Take(4, &bytes);
        default:
            return false;
        }
    }
    bool Varint(uint64 *out)
    {
        *out = 0;
        for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            const uint64 byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            *out |= (byte & 127) << shift;
            if (byte < 128) {
                return true;
            }
        }
        return false;
    }
    bool Take(uint64 n, StringPiece *out)
    {
        if (n > rest_.size()) {
            return false;
        }
        *out = rest_.substr(0, static_cast<size_t>(n));
        rest_.remove_prefix(static_cast<size_t>(n));
        return true;
    }
    StringPiece rest_;
    bool failed_ = false;
};

inline PartialTensorShape ShapeFromProto(StringPiece bytes)
{
    std::vector<int64> dims;
    bool unknown = false;
    for (WireReader shape(bytes); shape.Next();) {
        if (shape.field == 2) {
            int64 size = 0;
            for (WireReader dim(shape.bytes); dim.Next();) {
                size = dim.field == 1 ? static_cast<int64>(dim.number) : size;
            }
            dims.push_back(size);
        } else if (shape.field == 3) {
            unknown = shape.number != 0;
        }
    }
    return unknown ? PartialTensorShape() : PartialTensorShape(gtl::ArraySlice<int64>(dims));
}

} // namespace tensorflow

#endif
