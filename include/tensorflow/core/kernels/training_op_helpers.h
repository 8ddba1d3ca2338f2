/* SPDX-License-Identifier: Apache-2.0 */
/* Variables as ops that train take them: a Var of the plugin's own, or a variable of the host
 * (VarHandleOp). What GetInputTensorFromVariable gives may be written; who read the variable before
 * keeps what was read. Inputs of reference type are not there. */
#ifndef ORIBI_TENSORFLOW_CORE_KERNELS_TRAINING_OP_HELPERS_H_
#define ORIBI_TENSORFLOW_CORE_KERNELS_TRAINING_OP_HELPERS_H_

#include <algorithm>
#include <memory>
#include <vector>

#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor_util.h"
#include "tensorflow/core/resource/resource_var.h"
#include "tensorflow/core/variant/variant_op_registry.h"

namespace tensorflow ORIBI_HIDDEN
{

/* The locks that MaybeLockVariableInputMutexesInOrder took, until it goes. */
class VariableInputLockHolder
{
    using Vars = std::vector<core::RefCountPtr<Var>>;
    using Locks = std::vector<std::unique_ptr<mutex_lock>>;

  public:
    VariableInputLockHolder(Vars vars, Locks locks, TF_VariableInputLockHolder *of_host)
        : vars_(std::move(vars)), locks_(std::move(locks)), of_host_(of_host)
    {
    }
    VariableInputLockHolder(VariableInputLockHolder &&other) noexcept
        : vars_(std::move(other.vars_)), locks_(std::move(other.locks_)), of_host_(other.of_host_)
    {
        other.of_host_ = nullptr;
    }
    VariableInputLockHolder(const VariableInputLockHolder &) = delete;
    VariableInputLockHolder &operator=(const VariableInputLockHolder &) = delete;
    ~VariableInputLockHolder()
    {
        TF_ReleaseVariableInputLockHolder(of_host_);
    }

  private:
    Vars vars_; /* live longer than their locks */
    Locks locks_;
    TF_VariableInputLockHolder *of_host_;
};

namespace training_detail
{

/* The plugin's own Var behind an input; null: it is the host's, or no resource. */
inline core::RefCountPtr<Var> OwnVar(OpKernelContext *ctx, int input)
{
    core::RefCountPtr<Var> out;
    if (ctx->input_dtype(input) == DT_RESOURCE) {
        LookupResource(ctx, HandleFromInput(ctx, input), &out).IgnoreError();
    }
    return out;
}
inline TF_VariableInputLockHolder *LockOfHost(OpKernelContext *ctx, const std::vector<int> &inputs,
                                              bool sparse)
{
    CStatus status;
    TF_VariableInputLockHolder *out = nullptr;
    TF_MaybeLockVariableInputMutexesInOrder(ctx->c_context(), true, sparse, inputs.data(),
                                            inputs.size(), nullptr, &out, status);
    ctx->SetStatus(status.ToStatus());
    return out;
}

} // namespace training_detail

/* The lock of a Var, and the Var with a reference for the caller; null for a variable of the host,
 * whose lock only MaybeLockVariableInputMutexesInOrder takes. */
template <typename Device, typename T>
mutex *GetTrainingVariableMutex(OpKernelContext *ctx, int input, bool, Var **maybe_resource)
{
    *maybe_resource = training_detail::OwnVar(ctx, input).release();
    return *maybe_resource != nullptr ? (*maybe_resource)->mu() : nullptr;
}

/* Each variable once, in one order for all kernels; a failure is the context's status. */
template <typename Device, typename T>
VariableInputLockHolder MaybeLockVariableInputMutexesInOrder(OpKernelContext *ctx, bool do_lock,
                                                             bool sparse,
                                                             const std::vector<int> &input_ids)
{
    std::vector<core::RefCountPtr<Var>> vars;
    std::vector<std::unique_ptr<mutex_lock>> locks;
    std::vector<int> of_host;
    for (size_t i = 0; do_lock && i < input_ids.size(); i++) {
        core::RefCountPtr<Var> var = training_detail::OwnVar(ctx, input_ids[i]);
        if (var) {
            vars.push_back(std::move(var));
        } else {
            of_host.push_back(input_ids[i]);
        }
    }
    std::sort(vars.begin(), vars.end(),
              [](const core::RefCountPtr<Var> &a, const core::RefCountPtr<Var> &b) {
                  return std::less<Var *>()(a.get(), b.get());
              });
    for (size_t i = 0; i < vars.size(); i++) {
        if (i == 0 || vars[i].get() != vars[i - 1].get()) {
            locks.emplace_back(new mutex_lock(*vars[i]->mu()));
        }
    }
    TF_VariableInputLockHolder *host =
        of_host.empty() ? nullptr : training_detail::LockOfHost(ctx, of_host, sparse);
    return VariableInputLockHolder(std::move(vars), std::move(locks), host);
}

/* Gives the tensor bytes of its own when somebody reads them. */
template <typename Device, typename T>
Status PrepareToUpdateVariable(OpKernelContext *, Tensor *tensor, bool copy_on_read_mode)
{
    if (copy_on_read_mode || !tensor->RefCountIsOne()) {
        const Tensor own = tensor::DeepCopy(*tensor);
        if (!own.IsInitialized()) {
            return errors::ResourceExhausted("no memory for a variable");
        }
        *tensor = own;
    }
    return Status();
}
template <typename Device, typename T>
Status EnsureSparseVariableAccess(OpKernelContext *ctx, Var *var, bool lock_held = false)
{
    if (var->copy_on_read_mode.load()) {
        return Status();
    }
    std::unique_ptr<mutex_lock> lock(lock_held ? nullptr : new mutex_lock(*var->mu()));
    TF_RETURN_IF_ERROR((PrepareToUpdateVariable<Device, T>(ctx, var->tensor(), false)));
    var->copy_on_read_mode.store(true);
    return Status();
}

/* The variable's tensor, for writing. */
template <typename Device, typename T>
Status GetInputTensorFromVariable(OpKernelContext *ctx, int input, bool lock_held, bool sparse,
                                  Tensor *out)
{
    core::RefCountPtr<Var> var = training_detail::OwnVar(ctx, input);
    if (var && sparse) {
        TF_RETURN_IF_ERROR((EnsureSparseVariableAccess<Device, T>(ctx, var.get(), lock_held)));
    }
    if (var) {
        std::unique_ptr<mutex_lock> lock(lock_held ? nullptr : new mutex_lock(*var->mu()));
        if (!sparse) {
            TF_RETURN_IF_ERROR((PrepareToUpdateVariable<Device, T>(ctx, var->tensor(),
                                                                   var->copy_on_read_mode.load())));
        }
        *out = *var->tensor();
        return Status();
    }
    CStatus status;
    TF_Tensor *handle = nullptr;
    TF_VariableInputLockHolder *lock =
        lock_held ? nullptr : training_detail::LockOfHost(ctx, {input}, sparse);
    TF_RETURN_IF_ERROR(ctx->status());
    TF_GetInputTensorFromVariable(ctx->c_context(), input, true, std::is_same<T, Variant>::value,
                                  sparse, nullptr, &handle, status);
    TF_ReleaseVariableInputLockHolder(lock);
    if (status.ok()) {
        *out = Tensor::Adopt(handle);
    }
    return status.ToStatus();
}

inline void MaybeForwardRefInputToRefOutput(OpKernelContext *ctx, int input, int output)
{
    TF_OpKernelContext_ForwardRefInputToRefOutput(ctx->c_context(), input, output);
}

} // namespace tensorflow

#endif
