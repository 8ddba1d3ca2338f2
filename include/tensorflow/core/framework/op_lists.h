/* SPDX-License-Identifier: Apache-2.0 */
/* OpInputList, OpMutableInputList, OpOutputList: the tensors of a list argument. Their functions
 * that ask the context are defined behind it, in op_kernel_context.h. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_LISTS_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_LISTS_H_

#include <iterator>

#include "tensorflow/core/framework/tensor.h"

namespace tensorflow ORIBI_HIDDEN
{

class OpKernelContext;

class OpInputList
{
  public:
    class Iterator
    {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = const Tensor;
        using difference_type = std::ptrdiff_t;
        using pointer = const Tensor *;
        using reference = const Tensor &;
        Iterator(const OpInputList *list, int i) : list_(list), i_(i)
        {
        }
        Iterator &operator++()
        {
            ++i_;
            return *this;
        }
        bool operator==(const Iterator &other) const
        {
            return i_ == other.i_;
        }
        bool operator!=(const Iterator &other) const
        {
            return i_ != other.i_;
        }
        const Tensor &operator*() const
        {
            return (*list_)[i_];
        }

      private:
        const OpInputList *list_;
        int i_;
    };
    OpInputList() = default;
    OpInputList(OpKernelContext *ctx, int start, int stop) : ctx_(ctx), start_(start), stop_(stop)
    {
    }
    int size() const
    {
        return stop_ - start_;
    }
    const Tensor &operator[](int i) const;
    Iterator begin() const
    {
        return Iterator(this, 0);
    }
    Iterator end() const
    {
        return Iterator(this, size());
    }

  private:
    OpKernelContext *ctx_ = nullptr;
    int start_ = 0, stop_ = 0;
};

/* Inputs of reference type, which the host has not: code that takes either kind of input compiles,
 * and OpKernelContext::mutable_input_list says so when it is asked. */
class OpMutableInputList
{
  public:
    int size() const
    {
        return 0;
    }
    Tensor at(int i, bool)
    {
        LOG(FATAL) << "input " << i << " of an empty list";
        return Tensor();
    }
    static Status Of(StringPiece name, int n)
    {
        return n == 0 ? Status()
                      : errors::FailedPrecondition("input '", name,
                                                   "' is no reference: the host has none");
    }
};

class OpOutputList
{
  public:
    OpOutputList() = default;
    OpOutputList(OpKernelContext *ctx, int start, int stop) : ctx_(ctx), start_(start), stop_(stop)
    {
    }
    int size() const
    {
        return stop_ - start_;
    }
    Tensor *operator[](int i);
    DataType expected_output_dtype(int i) const;
    Status allocate(int i, const TensorShape &shape, Tensor **out);
    void set(int i, const Tensor &tensor);
    void set(int i, Tensor &&tensor);
    bool required(int i) const
    {
        return i < size();
    }

  private:
    OpKernelContext *ctx_ = nullptr;
    int start_ = 0, stop_ = 0;
};

} // namespace tensorflow

#endif
