/* SPDX-License-Identifier: Apache-2.0 */
/* How the value of a Variant is named, printed and taken apart: by its own functions TypeName,
 * DebugString, Encode and Decode where it has them; a tensor as itself, text and plain values as
 * bytes. */
#ifndef ORIBI_TENSORFLOW_CORE_VARIANT_VARIANT_ENCODE_DECODE_H_
#define ORIBI_TENSORFLOW_CORE_VARIANT_VARIANT_ENCODE_DECODE_H_

#include <type_traits>

#include "tensorflow/core/variant/variant_tensor_data.h"

namespace tensorflow ORIBI_HIDDEN
{

/* As the compiler writes it. */
template <typename T> const char *ClassName()
{
    static const string *name = [] {
        const string text = __PRETTY_FUNCTION__;
        const size_t begin = text.find("T = ") + 4, end = text.find_first_of(";]", begin);
        return new string(text, begin, end - begin);
    }();
    return name->c_str();
}

namespace variant_detail
{

/* Each Try comes in the order of preference: what does not compile is passed over. */
template <typename T> auto Name(const T &value, int) -> decltype(string(value.TypeName()))
{
    return value.TypeName();
}
template <typename T> string Name(const T &, long)
{
    return ClassName<T>();
}
template <typename T> auto Text(const T &value, int) -> decltype(string(value.DebugString()))
{
    return value.DebugString();
}
template <typename T> string Text(const T &, long)
{
    return string("[") + ClassName<T>() + "]";
}

inline void Encode(const Tensor &value, VariantTensorData *data, int)
{
    data->add_tensor(value);
}
inline void Encode(const string &value, VariantTensorData *data, int)
{
    data->set_metadata(value);
}
template <typename T>
auto Encode(const T &value, VariantTensorData *data, int) -> decltype(value.Encode(data), void())
{
    value.Encode(data);
}
template <typename T>
auto Encode(const T &value, VariantTensorData *data, long) ->
    typename std::enable_if<std::is_trivially_copyable<T>::value>::type
{
    data->set_metadata(value);
}
template <typename T> void Encode(const T &, VariantTensorData *, ...)
{
    LOG(ERROR) << "a variant's " << ClassName<T>() << " has no Encode: it is written as nothing";
}

inline bool Decode(VariantTensorData *data, Tensor *value, int)
{
    if (data->tensors_size() != 1) {
        return false;
    }
    *value = data->tensors(0);
    return true;
}
inline bool Decode(VariantTensorData *data, string *value, int)
{
    return data->get_metadata(value);
}
template <typename T>
auto Decode(VariantTensorData *data, T *value, int)
    -> decltype(bool(value->Decode(std::move(*data))))
{
    return value->Decode(std::move(*data));
}
template <typename T>
auto Decode(VariantTensorData *data, T *value, long) ->
    typename std::enable_if<std::is_trivially_copyable<T>::value, bool>::type
{
    return data->get_metadata(value);
}
template <typename T> bool Decode(VariantTensorData *, T *, ...)
{
    return false;
}

} // namespace variant_detail

template <typename T> string TypeNameVariant(const T &value)
{
    return variant_detail::Name(value, 0);
}
template <typename T> string DebugStringVariant(const T &value)
{
    return variant_detail::Text(value, 0);
}
template <typename T> void EncodeVariant(const T &value, VariantTensorData *data)
{
    data->set_type_name(TypeNameVariant(value));
    variant_detail::Encode(value, data, 0);
}
template <typename T> bool DecodeVariant(VariantTensorData *data, T *value)
{
    return variant_detail::Decode(data, value, 0);
}

} // namespace tensorflow

#endif
