/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes by C++ type, over either family of C getters (kernel construction, shape inference).
 */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_ATTR_READER_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_ATTR_READER_H_

#include <memory>
#include <vector>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/shape_inference.h"
#include "tensorflow/core/framework/node_def_reader.h"
#include "tensorflow/core/framework/messages/tensor_of_proto.h"

namespace tensorflow ORIBI_HIDDEN
{

/* The C functions of one family, under one set of names. */
#define ORIBI_ATTR_API(Api, Context, prefix)                                                       \
    struct Api {                                                                                   \
        using Ctx = Context;                                                                       \
        static constexpr auto Size = &prefix##_GetAttrSize;                                        \
        static constexpr auto Int32 = &prefix##_GetAttrInt32;                                      \
        static constexpr auto Int64 = &prefix##_GetAttrInt64;                                      \
        static constexpr auto Float = &prefix##_GetAttrFloat;                                      \
        static constexpr auto Bool = &prefix##_GetAttrBool;                                        \
        static constexpr auto Type = &prefix##_GetAttrType;                                        \
        static constexpr auto Text = &prefix##_GetAttrString;                                      \
        static constexpr auto Handle = &prefix##_GetAttrTensor;                                    \
        static constexpr auto Int32List = &prefix##_GetAttrInt32List;                              \
        static constexpr auto Int64List = &prefix##_GetAttrInt64List;                              \
        static constexpr auto FloatList = &prefix##_GetAttrFloatList;                              \
        static constexpr auto BoolList = &prefix##_GetAttrBoolList;                                \
        static constexpr auto TypeList = &prefix##_GetAttrTypeList;                                \
        static constexpr auto TextList = &prefix##_GetAttrStringList;                              \
    }
ORIBI_ATTR_API(KernelAttrApi, TF_OpKernelConstruction, TF_OpKernelConstruction);
ORIBI_ATTR_API(ShapeAttrApi, TF_ShapeInferenceContext, TF_ShapeInferenceContext);
#undef ORIBI_ATTR_API

/* Each Get leaves *out alone when it fails. */
template <typename Api> class AttrReader
{
  public:
    AttrReader(typename Api::Ctx *ctx, StringPiece name) : ctx_(ctx), name_(name)
    {
    }
    Status Get(int32 *out) const
    {
        return One(Api::Int32, out);
    }
    Status Get(int64 *out) const
    {
        return One(Api::Int64, out);
    }
    Status Get(long long *out) const
    {
        return Through<int64>(out);
    }
    Status Get(float *out) const
    {
        return One(Api::Float, out);
    }
    Status Get(double *out) const
    {
        return Through<float>(out);
    }
    Status Get(bool *out) const
    {
        TF_Bool value = 0;
        const Status status = One(Api::Bool, &value);
        *out = status.ok() ? value != 0 : *out;
        return status;
    }
    Status Get(DataType *out) const
    {
        TF_DataType value = TF_FLOAT;
        const Status status = One(Api::Type, &value);
        *out = status.ok() ? static_cast<DataType>(value) : *out;
        return status;
    }
    Status Get(string *out) const
    {
        int32 bytes = 0;
        TF_RETURN_IF_ERROR(Size(nullptr, &bytes));
        std::vector<char> text(static_cast<size_t>(bytes > 0 ? bytes : 0) + 1);
        CStatus status;
        Api::Text(ctx_, name_.c_str(), text.data(), text.size() - 1, status);
        if (status.ok()) {
            out->assign(text.data(), text.size() - 1);
        }
        return status.ToStatus();
    }
    Status Get(tstring *out) const
    {
        return Through<string>(out);
    }
    /* A name of a list, as Padding is: AttrFromText, beside the list, knows the names. */
    template <typename E>
    auto Get(E *out) const ->
        typename std::enable_if<std::is_enum<E>::value,
                                decltype(AttrFromText(StringPiece(), out))>::type
    {
        string text;
        TF_RETURN_IF_ERROR(Get(&text));
        return AttrFromText(text, out);
    }
    Status Get(Tensor *out) const
    {
        TF_Tensor *handle = nullptr;
        const Status status = One(Api::Handle, &handle);
        if (status.ok()) {
            *out = Tensor::Adopt(handle);
        }
        return status;
    }
    Status Get(TensorProto *out) const
    {
        Tensor tensor;
        const Status status = Get(&tensor);
        if (status.ok()) {
            tensor.AsProtoField(out);
        }
        return status;
    }
    Status Get(std::vector<int32> *out) const
    {
        return List<int32>(Api::Int32List, out);
    }
    Status Get(std::vector<int64> *out) const
    {
        return List<int64>(Api::Int64List, out);
    }
    Status Get(std::vector<long long> *out) const
    {
        return List<int64>(Api::Int64List, out);
    }
    Status Get(std::vector<float> *out) const
    {
        return List<float>(Api::FloatList, out);
    }
    Status Get(std::vector<bool> *out) const
    {
        return List<TF_Bool>(Api::BoolList, out);
    }
    Status Get(std::vector<DataType> *out) const
    {
        return List<TF_DataType>(Api::TypeList, out);
    }
    Status Get(DataTypeVector *out) const
    {
        return List<TF_DataType>(Api::TypeList, out);
    }
    Status Get(std::vector<string> *out) const
    {
        int32 count = 0, bytes = 0;
        TF_RETURN_IF_ERROR(Size(&count, &bytes));
        const size_t n = static_cast<size_t>(count > 0 ? count : 0);
        std::vector<char> text(static_cast<size_t>(bytes > 0 ? bytes : 0) + 1);
        std::vector<char *> values(n + 1);
        std::vector<size_t> lengths(n + 1);
        CStatus status;
        Api::TextList(ctx_, name_.c_str(), values.data(), lengths.data(), static_cast<int>(n),
                      text.data(), text.size(), status);
        if (status.ok()) {
            out->clear();
            for (size_t i = 0; i < n; i++) {
                out->emplace_back(values[i], lengths[i]);
            }
        }
        return status.ToStatus();
    }
    Status Get(std::vector<tstring> *out) const
    {
        std::vector<string> values;
        const Status status = Get(&values);
        if (status.ok()) {
            out->assign(values.begin(), values.end());
        }
        return status;
    }
    Status Size(int32 *count, int32 *bytes) const
    {
        int32 n = 0, total = 0;
        CStatus status;
        Api::Size(ctx_, name_.c_str(), &n, &total, status);
        if (count != nullptr) {
            *count = n;
        }
        if (bytes != nullptr) {
            *bytes = total;
        }
        return status.ToStatus();
    }

  private:
    template <typename F, typename T> Status One(F get, T *out) const
    {
        CStatus status;
        get(ctx_, name_.c_str(), out, status);
        return status.ToStatus();
    }
    template <typename T, typename U> Status Through(U *out) const
    {
        T value{};
        const Status status = Get(&value);
        if (status.ok()) {
            *out = static_cast<U>(value);
        }
        return status;
    }
    template <typename T, typename F, typename C> Status List(F get, C *out) const
    {
        int32 count = 0;
        TF_RETURN_IF_ERROR(Size(&count, nullptr));
        std::vector<T> values(static_cast<size_t>(count > 0 ? count : 0) + 1);
        CStatus status;
        get(ctx_, name_.c_str(), values.data(), static_cast<int>(values.size()) - 1, status);
        if (status.ok()) {
            out->clear();
            for (size_t i = 0; i + 1 < values.size(); i++) {
                out->push_back(static_cast<typename C::value_type>(values[i]));
            }
        }
        return status.ToStatus();
    }
    typename Api::Ctx *ctx_;
    string name_;
};

} // namespace tensorflow

#endif
