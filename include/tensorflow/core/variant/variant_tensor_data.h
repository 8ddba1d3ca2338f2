/* SPDX-License-Identifier: Apache-2.0 */
/* VariantTensorData: the object of a Variant taken apart into tensors and bytes. */
#ifndef ORIBI_TENSORFLOW_CORE_VARIANT_VARIANT_TENSOR_DATA_H_
#define ORIBI_TENSORFLOW_CORE_VARIANT_VARIANT_TENSOR_DATA_H_

#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensorflow/core/framework/tensor.h"

namespace tensorflow ORIBI_HIDDEN
{

class VariantTensorData
{
  public:
    VariantTensorData() = default;
    VariantTensorData(string metadata, std::vector<Tensor> tensors)
        : metadata_(std::move(metadata)), tensors_(std::move(tensors))
    {
    }
    const string &type_name() const
    {
        return type_name_;
    }
    void set_type_name(const string &name)
    {
        type_name_ = name;
    }
    /* Text, or the bytes of a plain value. */
    void set_metadata(const string &text)
    {
        metadata_ = text;
    }
    template <typename T> void set_metadata(const T &value)
    {
        static_assert(std::is_trivially_copyable<T>::value, "only plain values are metadata");
        metadata_.assign(reinterpret_cast<const char *>(&value), sizeof value);
    }
    bool get_metadata(string *text) const
    {
        *text = metadata_;
        return true;
    }
    template <typename T> bool get_metadata(T *value) const
    {
        static_assert(std::is_trivially_copyable<T>::value, "only plain values are metadata");
        if (metadata_.size() != sizeof *value) {
            return false;
        }
        std::memcpy(static_cast<void *>(value), metadata_.data(), sizeof *value);
        return true;
    }
    string &metadata_string()
    {
        return metadata_;
    }
    const string &metadata_string() const
    {
        return metadata_;
    }
    int tensors_size() const
    {
        return static_cast<int>(tensors_.size());
    }
    const Tensor &tensors(int i) const
    {
        return tensors_[static_cast<size_t>(i)];
    }
    const std::vector<Tensor> &tensors() const
    {
        return tensors_;
    }
    Tensor *add_tensors()
    {
        tensors_.emplace_back();
        return &tensors_.back();
    }
    template <typename... A> Tensor *add_tensor(A &&...of_tensor)
    {
        tensors_.emplace_back(std::forward<A>(of_tensor)...);
        return &tensors_.back();
    }
    string DebugString() const
    {
        string out = "type_name: " + type_name_ + " metadata: " + std::to_string(metadata_.size()) +
                     " bytes";
        for (const Tensor &tensor : tensors_) {
            out += " " + tensor.DebugString();
        }
        return out;
    }

  private:
    string type_name_, metadata_;
    std::vector<Tensor> tensors_;
};

} // namespace tensorflow

#endif
