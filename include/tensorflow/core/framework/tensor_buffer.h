/* SPDX-License-Identifier: Apache-2.0 */
/* What holds a Tensor's bytes: a counted TF_Tensor and the place in it where this view begins. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_BUFFER_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_BUFFER_H_

#include <atomic>
#include <cstdint>
#include <new>

#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"

namespace tensorflow ORIBI_HIDDEN
{

/* Bytes of one element in memory; text and handles included. */
inline size_t ElementBytes(DataType type)
{
    switch (BaseType(type)) {
    case DT_STRING:
        return sizeof(tstring);
    case DT_RESOURCE:
    case DT_VARIANT:
        return sizeof(void *);
    default:
        return static_cast<size_t>(DataTypeSize(type));
    }
}

class TensorBuffer
{
    struct Root {
        std::atomic<int> references;
        TF_Tensor *handle;
    };

  public:
    TensorBuffer() = default;
    TensorBuffer(const TensorBuffer &other) : root_(other.root_), data_(other.data_)
    {
        if (root_ != nullptr) {
            root_->references.fetch_add(1, std::memory_order_relaxed);
        }
    }
    TensorBuffer(TensorBuffer &&other) noexcept : root_(other.root_), data_(other.data_)
    {
        other.root_ = nullptr;
        other.data_ = nullptr;
    }
    TensorBuffer &operator=(TensorBuffer other) noexcept
    {
        std::swap(root_, other.root_);
        std::swap(data_, other.data_);
        return *this;
    }
    ~TensorBuffer()
    {
        Drop(root_);
    }

    static TensorBuffer Adopt(TF_Tensor *handle)
    {
        TensorBuffer out;
        out.root_ = new Root{{1}, handle};
        out.data_ = static_cast<char *>(TF_TensorData(handle));
        return out;
    }
    /* Empty when there is no memory. Text and handles begin as nothing, numbers as anything. */
    static TensorBuffer Allocate(DataType type, const TensorShape &shape)
    {
        size_t bytes = 0;
        if (__builtin_mul_overflow(static_cast<size_t>(shape.num_elements()), ElementBytes(type),
                                   &bytes)) {
            return TensorBuffer();
        }
        TF_Tensor *handle = type == DT_RESOURCE
                                ? NewHandles(shape)
                                : TF_AllocateTensor(static_cast<TF_DataType>(type), shape.data(),
                                                    shape.dims(), bytes);
        if (handle == nullptr) {
            return TensorBuffer();
        }
        if (!DataTypeCanUseMemcpy(type) && bytes > 0) {
            std::memset(TF_TensorData(handle), 0, bytes);
        }
        return Adopt(handle);
    }
    /* New handle on these bytes: the host's own one when nothing but the shape differs. */
    TF_Tensor *NewHandle(DataType type, const TensorShape &shape) const
    {
        const TF_DataType dtype = static_cast<TF_DataType>(type);
        if (root_ == nullptr) {
            return TF_AllocateTensor(dtype, shape.data(), shape.dims(), 0);
        }
        const size_t bytes = static_cast<size_t>(shape.num_elements()) * ElementBytes(type);
        if (DataTypeCanUseMemcpy(type) && data_ == TF_TensorData(root_->handle)) {
            TF_Tensor *out = TF_AllocateTensor(dtype, nullptr, 0, ElementBytes(type));
            TF_Status *status = TF_NewStatus();
            if (out != nullptr) {
                TF_TensorBitcastFrom(root_->handle, dtype, out, shape.data(), shape.dims(), status);
            }
            const bool done = out != nullptr && TF_GetCode(status) == TF_OK;
            TF_DeleteStatus(status);
            if (done) {
                return out;
            }
            TF_DeleteTensor(out);
        }
        root_->references.fetch_add(1, std::memory_order_relaxed);
        return TF_NewTensor(
            dtype, shape.data(), shape.dims(), data_, bytes,
            [](void *, size_t, void *root) { Drop(static_cast<Root *>(root)); }, root_);
    }
    /* The host's handle itself, when this view begins where it does; it stays the buffer's. */
    TF_Tensor *handle() const
    {
        return root_ != nullptr && data_ == TF_TensorData(root_->handle) ? root_->handle : nullptr;
    }

    bool has() const
    {
        return root_ != nullptr;
    }
    void *data() const
    {
        return data_;
    }
    void Advance(size_t bytes)
    {
        data_ += bytes;
    }
    bool SharesWith(const TensorBuffer &other) const
    {
        return root_ == other.root_ ||
               TF_TensorData(root_->handle) ==
                   (other.has() ? TF_TensorData(other.root_->handle) : nullptr);
    }
    bool IsUnique() const
    {
        return root_ != nullptr && root_->references.load(std::memory_order_acquire) == 1;
    }

  private:
    /* Handles of resources may count references, which the host does not know: they are dropped
     * when the last tensor on these bytes goes, whosever it is. */
    static TF_Tensor *NewHandles(const TensorShape &shape)
    {
        const size_t n = static_cast<size_t>(shape.num_elements());
        return TF_NewTensor(
            TF_RESOURCE, shape.data(), shape.dims(), new ResourceHandle[n + 1],
            n * sizeof(ResourceHandle),
            [](void *handles, size_t, void *) { delete[] static_cast<ResourceHandle *>(handles); },
            nullptr);
    }
    static void Drop(Root *root)
    {
        if (root != nullptr && root->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            TF_DeleteTensor(root->handle);
            delete root;
        }
    }
    Root *root_ = nullptr;
    char *data_ = nullptr;
};

} // namespace tensorflow

#endif
