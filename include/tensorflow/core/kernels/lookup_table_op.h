/* SPDX-License-Identifier: Apache-2.0 */
/* LookupTableOp: the kernel that makes a table of class Container and gives its handle. */
#ifndef ORIBI_TENSORFLOW_CORE_KERNELS_LOOKUP_TABLE_OP_H_
#define ORIBI_TENSORFLOW_CORE_KERNELS_LOOKUP_TABLE_OP_H_

#include <type_traits>

#include "tensorflow/core/framework/resource_op_kernel.h"
#include "tensorflow/core/kernels/lookup_util.h"

namespace tensorflow ORIBI_HIDDEN
{

template <class Container, class KeyType, class ValueType> class LookupTableOp : public OpKernel
{
  public:
    explicit LookupTableOp(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        use_node_name_ = ctx->HasAttr("use_node_name_sharing") &&
                         ctx->GetAttr("use_node_name_sharing", &use_node_name_).ok() &&
                         use_node_name_;
    }
    ~LookupTableOp() override
    {
        if (is_made_ && cinfo_.resource_is_private_to_kernel()) {
            cinfo_.resource_manager()
                ->template Delete<lookup::LookupInterface>(cinfo_.container(), cinfo_.name())
                .IgnoreError();
        }
    }
    void Compute(OpKernelContext *ctx) override
    {
        mutex_lock held(mu_);
        if (!is_made_) {
            OP_REQUIRES_OK(ctx, cinfo_.Init(ctx->resource_manager(), def(), use_node_name_));
        }
        lookup::LookupInterface *table = nullptr;
        OP_REQUIRES_OK(ctx,
                       cinfo_.resource_manager()->template LookupOrCreate<lookup::LookupInterface>(
                           cinfo_.container(), cinfo_.name(), &table,
                           [this, ctx](lookup::LookupInterface **out) {
                               *out = new Container(ctx, this);
                               return ctx->status();
                           }));
        core::ScopedUnref unref(table);
        OP_REQUIRES_OK(ctx,
                       lookup::CheckTableDataTypes(*table, DataTypeToEnum<KeyType>::v(),
                                                   DataTypeToEnum<ValueType>::v(), cinfo_.name()));
        OP_REQUIRES_OK(ctx, MakeResourceHandleToOutput<lookup::LookupInterface>(
                                ctx, 0, cinfo_.container(), cinfo_.name(),
                                TypeIndex::Make<lookup::LookupInterface>()));
        is_made_ = true;
    }

  private:
    mutex mu_;
    ContainerInfo cinfo_;
    bool is_made_ = false, use_node_name_ = false;
};

namespace lookup
{
/* A copy of a number, so that another thread's write to it is seen whole. */
template <typename T>
typename std::enable_if<std::is_integral<T>::value, T>::type
SubtleMustCopyIfIntegral(const T &value)
{
    const volatile T &once = value;
    return once;
}
template <typename T>
typename std::enable_if<!std::is_integral<T>::value, const T &>::type
SubtleMustCopyIfIntegral(const T &value)
{
    return value;
}
} // namespace lookup

} // namespace tensorflow

#endif
