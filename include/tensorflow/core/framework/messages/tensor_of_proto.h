/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor::FromProto, AsProtoField and AsProtoTensorContent: a TensorProto made a tensor, and back.
 * Handles and variants are in no message here. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_MESSAGES_TENSOR_OF_PROTO_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_MESSAGES_TENSOR_OF_PROTO_H_

#include <algorithm>
#include <cstring>
#include <vector>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor.pb.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace tensor_proto
{

/* For each type: that of its elements' bits, and the list in which they are. */
#define ORIBI_PROTO_TYPES(X)                                                                       \
    X(DT_FLOAT, float, float_val)                                                                  \
    X(DT_DOUBLE, double, double_val)                                                               \
    X(DT_INT32, int32, int_val)                                                                    \
    X(DT_UINT8, uint8, int_val)                                                                    \
    X(DT_INT16, int16, int_val)                                                                    \
    X(DT_INT8, int8, int_val)                                                                      \
    X(DT_COMPLEX64, float, scomplex_val)                                                           \
    X(DT_INT64, int64, int64_val)                                                                  \
    X(DT_BOOL, bool, bool_val)                                                                     \
    X(DT_QINT8, int8, int_val)                                                                     \
    X(DT_QUINT8, uint8, int_val)                                                                   \
    X(DT_QINT32, int32, int_val)                                                                   \
    X(DT_BFLOAT16, uint16, half_val)                                                               \
    X(DT_QINT16, int16, int_val)                                                                   \
    X(DT_QUINT16, uint16, int_val)                                                                 \
    X(DT_UINT16, uint16, int_val)                                                                  \
    X(DT_COMPLEX128, double, dcomplex_val)                                                         \
    X(DT_HALF, uint16, half_val)                                                                   \
    X(DT_UINT32, uint32, uint32_val)                                                               \
    X(DT_UINT64, uint64, uint64_val)

/* n elements of `parts` numbers each; the last one of the list stands for all that follow. */
template <typename E, typename V>
void Fill(const std::vector<V> &list, int64 n, size_t parts, void *data)
{
    E *to = static_cast<E *>(data);
    const size_t count = static_cast<size_t>(n) * parts, given = list.size() / parts * parts;
    for (size_t i = 0; i < count; i++) {
        const size_t at = i < given ? i : given - parts + i % parts;
        to[i] = given > 0 ? static_cast<E>(list[at]) : E();
    }
}
inline void FillText(const std::vector<string> &list, int64 n, tstring *to)
{
    for (int64 i = 0; i < n && !list.empty(); i++) {
        to[i] = list[std::min(static_cast<size_t>(i), list.size() - 1)];
    }
}
/* All lengths, then all texts. */
inline bool ReadText(StringPiece content, int64 n, tstring *to)
{
    WireReader lengths(content);
    std::vector<uint64> sizes;
    for (int64 i = 0; i < n; i++) {
        if (!lengths.NextPacked(false)) {
            return false;
        }
        sizes.push_back(lengths.number);
    }
    StringPiece rest = lengths.rest();
    for (int64 i = 0; i < n; i++) {
        const uint64 size = sizes[static_cast<size_t>(i)];
        if (size > rest.size()) {
            return false;
        }
        to[i] = rest.substr(0, static_cast<size_t>(size));
        rest.remove_prefix(static_cast<size_t>(size));
    }
    return rest.empty();
}

} // namespace tensor_proto

inline bool Tensor::FromProto(const TensorProto &proto)
{
    TensorShape shape;
    const DataType type = proto.dtype();
    const bool is_text = type == DT_STRING;
    if (!PartialTensorShape(proto.tensor_shape()).AsTensorShape(&shape) ||
        (!is_text && DataTypeSize(type) <= 0) || IsRefType(type)) {
        return false;
    }
    const string &content = proto.tensor_content();
    const int64 n = shape.num_elements();
    if (is_text && !content.empty() && static_cast<uint64>(n) > content.size()) {
        return false;
    }
    Tensor made(type, shape);
    if (!made.IsInitialized()) {
        return false;
    }
    if (!content.empty() && !is_text) {
        const bool fits = content.size() == made.TotalBytes();
        if (fits) {
            std::memcpy(made.data(), content.data(), content.size());
            *this = made;
        }
        return fits;
    }
    switch (type) {
    case DT_STRING:
        if (!content.empty() &&
            !tensor_proto::ReadText(content, n, static_cast<tstring *>(made.data()))) {
            return false;
        }
        if (content.empty()) {
            tensor_proto::FillText(proto.string_val(), n, static_cast<tstring *>(made.data()));
        }
        break;
#define ORIBI_PROTO_TYPE(NAME, E, list)                                                            \
    case NAME:                                                                                     \
        tensor_proto::Fill<E>(proto.list(), n, ElementBytes(NAME) / sizeof(E), made.data());       \
        break;
        ORIBI_PROTO_TYPES(ORIBI_PROTO_TYPE)
#undef ORIBI_PROTO_TYPE
    default:
        return false;
    }
    *this = made;
    return true;
}
inline bool Tensor::FromProto(Allocator *, const TensorProto &proto)
{
    return FromProto(proto);
}

inline void Tensor::AsProtoField(TensorProto *proto) const
{
    proto->Clear();
    proto->set_dtype(dtype());
    shape().AsProto(proto->mutable_tensor_shape());
    switch (dtype()) {
    case DT_STRING:
        for (int64 i = 0; i < NumElements(); i++) {
            proto->add_string_val(string(static_cast<const tstring *>(data())[i]));
        }
        break;
#define ORIBI_PROTO_TYPE(NAME, E, list)                                                            \
    case NAME: {                                                                                   \
        const E *from = static_cast<const E *>(data());                                            \
        proto->mutable_##list()->assign(from, from + TotalBytes() / sizeof(E));                    \
        break;                                                                                     \
    }
        ORIBI_PROTO_TYPES(ORIBI_PROTO_TYPE)
#undef ORIBI_PROTO_TYPE
    default:
        break;
    }
}
inline void Tensor::AsProtoTensorContent(TensorProto *proto) const
{
    if (dtype() == DT_STRING || DataTypeSize(dtype()) <= 0) {
        AsProtoField(proto);
        return;
    }
    proto->Clear();
    proto->set_dtype(dtype());
    shape().AsProto(proto->mutable_tensor_shape());
    proto->set_tensor_content(data(), TotalBytes());
}
#undef ORIBI_PROTO_TYPES

} // namespace tensorflow

#endif
