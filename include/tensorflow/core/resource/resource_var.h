/* SPDX-License-Identifier: Apache-2.0 */
/* Var: a tensor that a plugin's own ops share. Variables of the model (VarHandleOp) are the host's
 * and no Var: tensorflow/c/kernels_experimental.h has their functions. */
#ifndef ORIBI_TENSORFLOW_CORE_RESOURCE_RESOURCE_VAR_H_
#define ORIBI_TENSORFLOW_CORE_RESOURCE_RESOURCE_VAR_H_

#include <atomic>

#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/mutex.h"

namespace tensorflow ORIBI_HIDDEN
{

class Var : public ResourceBase
{
  public:
    explicit Var(DataType type) : tensor_(type)
    {
    }
    Var(DataType type, string name) : tensor_(type), name_(std::move(name))
    {
    }
    /* Guards tensor(). */
    mutex *mu()
    {
        return &mu_;
    }
    Tensor *tensor()
    {
        return &tensor_;
    }
    string DebugString() const override
    {
        return strings::StrCat(name_, " ", DataTypeString(tensor_.dtype()), "/",
                               tensor_.shape().DebugString());
    }
    bool is_initialized = false;
    std::atomic<bool> copy_on_read_mode{false};

  private:
    mutex mu_;
    Tensor tensor_;
    string name_;
};

} // namespace tensorflow

#endif
