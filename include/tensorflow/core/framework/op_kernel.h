/* SPDX-License-Identifier: Apache-2.0 */
/* OpKernel, AsyncOpKernel and REGISTER_KERNEL_BUILDER. What kernels are given:
 * op_kernel_construction.h and op_kernel_context.h. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_KERNEL_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_KERNEL_H_

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/framework/kernel_def_builder.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel_construction.h"
#include "tensorflow/core/framework/op_kernel_context.h"
#include "tensorflow/core/framework/op_requires.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/lib/gtl/array_slice.h"
#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/platform/exceptions.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/util/work_sharder.h"

namespace Eigen
{
struct ThreadPoolDevice;
struct GpuDevice;
} // namespace Eigen

namespace tensorflow ORIBI_HIDDEN
{

class AsyncOpKernel;

class OpKernel
{
  public:
    explicit OpKernel(OpKernelConstruction *ctx) : OpKernel(ctx, false)
    {
    }
    OpKernel(OpKernelConstruction *ctx, bool is_deferred)
        : def_(ctx->def()), is_deferred_(is_deferred), manager_(ctx->shared_manager())
    {
        for (int i = 0; i < ctx->num_inputs(); i++) {
            input_types_.push_back(ctx->input_type(i));
        }
        for (int i = 0; i < ctx->num_outputs(); i++) {
            output_types_.push_back(ctx->output_type(i));
        }
    }
    virtual ~OpKernel() = default;
    OpKernel(const OpKernel &) = delete;
    OpKernel &operator=(const OpKernel &) = delete;

    virtual void Compute(OpKernelContext *ctx) = 0;
    virtual bool IsExpensive()
    {
        return true;
    }
    virtual AsyncOpKernel *AsAsync()
    {
        return nullptr;
    }
    const NodeDef &def() const
    {
        return def_;
    }
    const string &name() const
    {
        return def_.name();
    }
    StringPiece name_view() const
    {
        return def_.name();
    }
    const string &type_string() const
    {
        return def_.op();
    }
    StringPiece type_string_view() const
    {
        return def_.op();
    }
    /* What the node calls its input, for messages. */
    string requested_input(int i) const
    {
        return i >= 0 && i < def_.input_size() ? def_.input(i)
                                               : strings::StrCat(name(), ":input ", i);
    }
    int num_inputs() const
    {
        return static_cast<int>(input_types_.size());
    }
    int num_outputs() const
    {
        return static_cast<int>(output_types_.size());
    }
    DataType input_type(int i) const
    {
        return input_types_[static_cast<size_t>(i)];
    }
    DataType output_type(int i) const
    {
        return output_types_[static_cast<size_t>(i)];
    }
    const DataTypeVector &input_types() const
    {
        return input_types_;
    }
    const DataTypeVector &output_types() const
    {
        return output_types_;
    }
    bool is_deferred() const
    {
        return is_deferred_;
    }
    ResourceMgr *manager() const
    {
        return manager_.get();
    }

  private:
    NodeDef def_;
    DataTypeVector input_types_, output_types_;
    bool is_deferred_;
    std::shared_ptr<ResourceMgr> manager_; /* outlives what derived destructors do */
};

inline ResourceMgr *AttachedManager(const OpKernel &kernel, TF_OpKernelContext *ctx)
{
    kernel.manager()->Attach(ctx);
    return kernel.manager();
}

/* Computes without keeping the thread: calls done exactly once when the outputs are there. */
class AsyncOpKernel : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    using DoneCallback = std::function<void()>;
    virtual void ComputeAsync(OpKernelContext *ctx, DoneCallback done) = 0;
    AsyncOpKernel *AsAsync() override
    {
        return this;
    }
    void Compute(OpKernelContext *ctx) override
    {
        ctx->SetStatus(errors::Internal("an asynchronous kernel was asked to compute at once"));
    }
};

template <typename D> const D &GetDeviceFromContext(OpKernelContext *ctx)
{
    return ctx->template eigen_device<D>();
}

namespace register_kernel
{

/* The functions of the C interface for one class. An exception is a failure of the call that it
 * would leave. */
template <typename K, bool kIsAsync = std::is_base_of<AsyncOpKernel, K>::value> struct Functions {
    static void *Create(TF_OpKernelConstruction *c)
    {
        OpKernelConstruction ctx(c);
        OpKernel *made = nullptr;
        ctx.SetStatus(StatusOfException("the constructor of the kernel",
                                        [&] { made = static_cast<OpKernel *>(new K(&ctx)); }));
        return made;
    }
    static void Delete(void *kernel)
    {
        delete static_cast<OpKernel *>(kernel);
    }
    static void Compute(void *kernel, TF_OpKernelContext *c)
    {
        OpKernel *self = static_cast<OpKernel *>(kernel);
        Prepare(*self, c);
        OpKernelContext ctx(c, self);
        if (ctx.status().ok()) {
            ctx.SetStatus(StatusOfException("the kernel", [&] { self->Compute(&ctx); }));
            ctx.HandOver();
        }
    }
    static void Prepare(const OpKernel &kernel, TF_OpKernelContext *c)
    {
        if (kernel.manager()->IsKept()) {
            kernel.manager()->Attach(c);
        }
    }
    static TF_KernelBuilder *Make(const char *op, const char *device)
    {
        return TF_NewKernelBuilder(op, device, &Create, &Compute, &Delete);
    }
};
template <typename K> struct Functions<K, true> : Functions<K, false> {
    using Base = Functions<K, false>;
    /* One call of ComputeAsync; lives until it is done and nobody holds its callback any more. */
    struct Call {
        Call(TF_OpKernelContext *c, OpKernel *kernel, TF_AsyncOpKernelDoneCallback *callback)
            : ctx(new OpKernelContext(c, kernel)), done(callback)
        {
        }
        void Finish(const Status &failure)
        {
            if (!is_done.exchange(true)) {
                ctx->SetStatus(failure);
                ctx->HandOver();
                ctx.reset();
                TF_RunAsyncOpKernelDoneCallback(done);
            }
        }
        std::unique_ptr<OpKernelContext> ctx;
        TF_AsyncOpKernelDoneCallback *done;
        std::atomic<bool> is_done{false};
    };
    static void ComputeAsync(void *kernel, TF_OpKernelContext *c,
                             TF_AsyncOpKernelDoneCallback *done)
    {
        OpKernel *self = static_cast<OpKernel *>(kernel);
        Base::Prepare(*self, c);
        const auto call = std::make_shared<Call>(c, self, done);
        OpKernelContext *ctx = call->ctx.get();
        if (!ctx->status().ok()) {
            call->Finish(Status());
            return;
        }
        const Status thrown = StatusOfException("the kernel", [&] {
            self->AsAsync()->ComputeAsync(ctx, [call] { call->Finish(Status()); });
        });
        if (!thrown.ok()) {
            call->Finish(thrown);
        }
    }
    static TF_KernelBuilder *Make(const char *op, const char *device)
    {
        return TF_NewAsyncKernelBuilder(op, device, &Base::Create, &ComputeAsync, &Base::Delete);
    }
};

class KernelEntry : public registration::Entry
{
  public:
    KernelEntry(const KernelDefBuilder &def, const char *class_name,
                TF_KernelBuilder *(*make)(const char *, const char *))
        : def_(def), class_name_(class_name), make_(make)
    {
    }
    Status Register() override
    {
        return def_.Register(class_name_, make_);
    }

  private:
    KernelDefBuilder def_;
    const char *class_name_;
    TF_KernelBuilder *(*make_)(const char *, const char *);
};

template <typename K> struct Registrar {
    Registrar(const KernelDefBuilder &def, const char *class_name)
    {
        registration::Kernels().Add(new KernelEntry(def, class_name, &Functions<K>::Make));
    }
};

} // namespace register_kernel
} // namespace tensorflow

#define ORIBI_REGISTER_KERNEL(id, kernel_builder, ...)                                             \
    static const ::tensorflow::register_kernel::Registrar<__VA_ARGS__> id TF_ATTRIBUTE_UNUSED(     \
        ::tensorflow::register_kernel::kernel_builder, #__VA_ARGS__);
#define REGISTER_KERNEL_BUILDER(kernel_builder, ...)                                               \
    ORIBI_REGISTER_KERNEL(ORIBI_UNIQUE(oribi_register_kernel_), kernel_builder, __VA_ARGS__)
#define REGISTER_SYSTEM_KERNEL_BUILDER(kernel_builder, ...)                                        \
    REGISTER_KERNEL_BUILDER(kernel_builder, __VA_ARGS__)

#endif
