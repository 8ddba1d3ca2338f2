/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceOpKernel: a kernel whose output is the handle of an object that it makes once, by the
 * attributes container and shared_name, or one of its own. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_RESOURCE_OP_KERNEL_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_RESOURCE_OP_KERNEL_H_

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"

namespace tensorflow ORIBI_HIDDEN
{

template <typename T> class ResourceOpKernel : public OpKernel
{
  public:
    explicit ResourceOpKernel(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        has_resource_type_ = ctx->num_outputs() > 0 && ctx->output_type(0) == DT_RESOURCE;
        OP_REQUIRES(ctx, has_resource_type_,
                    errors::Unimplemented("op ", type_string(), " gives its resource by a ",
                                          "reference to its names; only resource outputs are"));
    }
    ~ResourceOpKernel() override
    {
        if (resource_ != nullptr) {
            resource_->Unref();
            if (cinfo_.resource_is_private_to_kernel()) {
                cinfo_.resource_manager()
                    ->template Delete<T>(cinfo_.container(), cinfo_.name())
                    .IgnoreError();
            }
        }
    }
    void Compute(OpKernelContext *ctx) override
    {
        {
            mutex_lock held(mu_);
            if (resource_ == nullptr) {
                OP_REQUIRES_OK(ctx, Open(ctx));
            }
        }
        OP_REQUIRES_OK(ctx, MakeResourceHandleToOutput<T>(ctx, 0, cinfo_.container(), cinfo_.name(),
                                                          TypeIndex::Make<T>()));
    }

  protected:
    T *get_resource()
    {
        mutex_lock held(mu_);
        return resource_;
    }
    mutex mu_;
    ContainerInfo cinfo_ TF_GUARDED_BY(mu_);
    T *resource_ TF_GUARDED_BY(mu_) = nullptr;

  private:
    /* Under the lock of the store: looks up no other resource. */
    virtual Status CreateResource(T **resource) = 0;
    /* Does an object that another node made fit this one's attributes? */
    virtual Status VerifyResource(T *)
    {
        return Status();
    }
    Status Open(OpKernelContext *ctx)
    {
        T *found = nullptr;
        TF_RETURN_IF_ERROR(cinfo_.Init(ctx->resource_manager(), def()));
        TF_RETURN_IF_ERROR(ctx->resource_manager()->template LookupOrCreate<T>(
            cinfo_.container(), cinfo_.name(), &found,
            [this](T **out) { return CreateResource(out); }));
        const Status fits = VerifyResource(found);
        if (!fits.ok()) {
            found->Unref();
            return fits;
        }
        resource_ = found;
        return Status();
    }
    bool has_resource_type_ = false;
};

} // namespace tensorflow

#endif
