/* SPDX-License-Identifier: Apache-2.0 */
/* TensorShapeProto: a partly known shape as the message that attributes hold. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_SHAPE_PB_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_SHAPE_PB_H_

#include <vector>

#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

class TensorShapeProto
{
  public:
    class Dim
    {
      public:
        int64 size() const
        {
            return size_;
        }
        void set_size(int64 size)
        {
            size_ = size;
        }
        const string &name() const
        {
            return name_;
        }
        void set_name(const string &name)
        {
            name_ = name;
        }

      private:
        int64 size_ = 0;
        string name_;
    };

    bool unknown_rank() const
    {
        return unknown_rank_;
    }
    void set_unknown_rank(bool unknown)
    {
        unknown_rank_ = unknown;
    }
    int dim_size() const
    {
        return static_cast<int>(dims_.size());
    }
    const Dim &dim(int i) const
    {
        return dims_[static_cast<size_t>(i)];
    }
    const std::vector<Dim> &dim() const
    {
        return dims_;
    }
    Dim *mutable_dim(int i)
    {
        return &dims_[static_cast<size_t>(i)];
    }
    Dim *add_dim()
    {
        dims_.emplace_back();
        return &dims_.back();
    }
    void Clear()
    {
        dims_.clear();
        unknown_rank_ = false;
    }

  private:
    std::vector<Dim> dims_;
    bool unknown_rank_ = false;
};

} // namespace tensorflow

#endif
