/* SPDX-License-Identifier: Apache-2.0 */
/* TensorProto: a tensor as the message that attributes hold. Tensor::FromProto, AsProtoField and
 * AsProtoTensorContent, which make one of the other, are in tensor_of_proto.h. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_PB_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_PB_H_

#include <cstring>
#include <vector>

#include "tensorflow/core/framework/messages/wire_reader.h"

namespace tensorflow ORIBI_HIDDEN
{

/* The lists of elements: name, type, field, and how many bytes each takes (0: a number of as many
 * bytes as it needs). */
#define ORIBI_TENSOR_LISTS(X)                                                                      \
    X(float_val, float, 5, 4)                                                                      \
    X(double_val, double, 6, 8)                                                                    \
    X(int_val, int32, 7, 0)                                                                        \
    X(scomplex_val, float, 9, 4)                                                                   \
    X(int64_val, int64, 10, 0)                                                                     \
    X(bool_val, bool, 11, 0)                                                                       \
    X(dcomplex_val, double, 12, 8)                                                                 \
    X(half_val, int32, 13, 0)                                                                      \
    X(uint32_val, uint32, 16, 0)                                                                   \
    X(uint64_val, uint64, 17, 0)

class TensorProto
{
  public:
    DataType dtype() const
    {
        return dtype_;
    }
    void set_dtype(DataType type)
    {
        dtype_ = type;
    }
    bool has_tensor_shape() const
    {
        return has_shape_;
    }
    const TensorShapeProto &tensor_shape() const
    {
        return shape_;
    }
    TensorShapeProto *mutable_tensor_shape()
    {
        has_shape_ = true;
        return &shape_;
    }
    /* All elements as they lie in memory; else they are in a list, whose last one may stand for all
     * that follow. */
    const string &tensor_content() const
    {
        return content_;
    }
    string *mutable_tensor_content()
    {
        return &content_;
    }
    void set_tensor_content(const string &bytes)
    {
        content_ = bytes;
    }
    void set_tensor_content(const void *bytes, size_t n)
    {
        content_.assign(static_cast<const char *>(bytes), n);
    }
    const string &float8_val() const
    {
        return float8_;
    }
    void set_float8_val(const string &bytes)
    {
        float8_ = bytes;
    }
#define ORIBI_TENSOR_LIST(name, type, field, width)                                                \
    ORIBI_MESSAGE_LIST(name, type)                                                                 \
    std::vector<type> *mutable_##name()                                                            \
    {                                                                                              \
        return &name##_;                                                                           \
    }                                                                                              \
    void add_##name(type value)                                                                    \
    {                                                                                              \
        name##_.push_back(value);                                                                  \
    }
    ORIBI_TENSOR_LISTS(ORIBI_TENSOR_LIST)
#undef ORIBI_TENSOR_LIST
    int string_val_size() const
    {
        return static_cast<int>(string_val_.size());
    }
    const string &string_val(int i) const
    {
        return string_val_[static_cast<size_t>(i)];
    }
    const std::vector<string> &string_val() const
    {
        return string_val_;
    }
    void add_string_val(const string &text)
    {
        string_val_.push_back(text);
    }
    void Clear()
    {
        *this = TensorProto();
    }

    /* False: malformed. */
    bool ParseFromString(StringPiece bytes)
    {
        Clear();
        WireReader reader(bytes);
        bool fits = true;
        while (fits && reader.Next()) {
            fits = Parse(reader);
        }
        return fits && !reader.failed();
    }
    bool SerializeToString(string *out) const
    {
        out->clear();
        Number(out, 1, static_cast<uint64>(dtype_), dtype_ != DT_INVALID);
        if (has_shape_) {
            Bytes(out, 2, ShapeBytes());
        }
        if (!content_.empty()) {
            Bytes(out, 4, content_);
        }
#define ORIBI_TENSOR_LIST(name, type, field, width) WriteList<width>(out, field, name##_);
        ORIBI_TENSOR_LISTS(ORIBI_TENSOR_LIST)
#undef ORIBI_TENSOR_LIST
        for (const string &text : string_val_) {
            Bytes(out, 8, text);
        }
        if (!float8_.empty()) {
            Bytes(out, 18, float8_);
        }
        return true;
    }
    string SerializeAsString() const
    {
        string out;
        SerializeToString(&out);
        return out;
    }

  private:
    bool Parse(const WireReader &value)
    {
        switch (value.field) {
        case 1:
            dtype_ = static_cast<DataType>(value.number);
            return true;
        case 2:
            ShapeFromProto(value.bytes).AsProto(mutable_tensor_shape());
            return true;
        case 4:
            content_.assign(value.bytes.data(), value.bytes.size());
            return true;
        case 8:
            string_val_.emplace_back(value.bytes.data(), value.bytes.size());
            return true;
        case 18:
            float8_.assign(value.bytes.data(), value.bytes.size());
            return true;
#define ORIBI_TENSOR_LIST(name, type, field, width)                                                \
    case field:                                                                                    \
        return Read(value, &name##_, Width<width>());
            ORIBI_TENSOR_LISTS(ORIBI_TENSOR_LIST)
#undef ORIBI_TENSOR_LIST
        default:
            return true;
        }
    }
    template <int kBytes> struct Width {
    };
    template <typename T> static bool Read(const WireReader &value, std::vector<T> *out, Width<0>)
    {
        if (!value.is_bytes) {
            out->push_back(static_cast<T>(value.number));
            return true;
        }
        for (WireReader packed(value.bytes); packed.NextPacked(false);) {
            out->push_back(static_cast<T>(packed.number));
        }
        return true;
    }
    template <typename T, int kBytes>
    static bool Read(const WireReader &value, std::vector<T> *out, Width<kBytes>)
    {
        static_assert(sizeof(T) == kBytes, "the wire has them as memory has");
        const size_t n = value.bytes.size() / sizeof(T);
        const size_t before = out->size();
        out->resize(before + n);
        if (n > 0) {
            std::memcpy(out->data() + before, value.bytes.data(), n * sizeof(T));
        }
        return value.bytes.size() % sizeof(T) == 0;
    }
    static void Varint(string *out, uint64 value)
    {
        for (; value >= 128; value >>= 7) {
            out->push_back(static_cast<char>((value & 127) | 128));
        }
        out->push_back(static_cast<char>(value));
    }
    static void Number(string *out, int field, uint64 value, bool is_set)
    {
        if (is_set) {
            Varint(out, static_cast<uint64>(field) << 3);
            Varint(out, value);
        }
    }
    static void Bytes(string *out, int field, StringPiece bytes)
    {
        Varint(out, (static_cast<uint64>(field) << 3) | 2);
        Varint(out, bytes.size());
        out->append(bytes.data(), bytes.size());
    }
    template <int kBytes, typename T>
    static void WriteList(string *out, int field, const std::vector<T> &values)
    {
        string packed;
        for (const T value : values) {
            Append(&packed, value, Width<kBytes>());
        }
        if (!packed.empty()) {
            Bytes(out, field, packed);
        }
    }
    /* Negative numbers are those of 64 bits. */
    template <typename T> static void Append(string *out, T value, Width<0>)
    {
        Varint(out, static_cast<uint64>(value));
    }
    template <typename T, int kBytes> static void Append(string *out, T value, Width<kBytes>)
    {
        char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        out->append(bytes, sizeof value);
    }
    string ShapeBytes() const
    {
        string out, dim;
        for (const TensorShapeProto::Dim &each : shape_.dim()) {
            dim.clear();
            Number(&dim, 1, static_cast<uint64>(each.size()), each.size() != 0);
            Bytes(&out, 2, dim);
        }
        Number(&out, 3, 1, shape_.unknown_rank());
        return out;
    }
    DataType dtype_ = DT_INVALID;
    bool has_shape_ = false;
    TensorShapeProto shape_;
    string content_, float8_;
    std::vector<string> string_val_;
#define ORIBI_TENSOR_LIST(name, type, field, width) std::vector<type> name##_;
    ORIBI_TENSOR_LISTS(ORIBI_TENSOR_LIST)
#undef ORIBI_TENSOR_LIST
};

} // namespace tensorflow

#include "tensorflow/core/framework/messages/tensor_of_proto.h"

#endif
