/* SPDX-License-Identifier: Apache-2.0 */
/* UnaryOp, BinaryOp: kernels of one type; UnaryElementWiseOp, BinaryElementWiseOp: whose output has
 * the shape of their input. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_NUMERIC_OP_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_NUMERIC_OP_H_

#include "tensorflow/core/framework/op_kernel.h"

namespace tensorflow ORIBI_HIDDEN
{

template <typename T> class UnaryOp : public OpKernel
{
  public:
    explicit UnaryOp(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        const DataType type = DataTypeToEnum<T>::v();
        OP_REQUIRES_OK(ctx, ctx->MatchSignature({type}, {type}));
    }
};
template <typename T> class BinaryOp : public OpKernel
{
  public:
    explicit BinaryOp(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        const DataType type = DataTypeToEnum<T>::v();
        OP_REQUIRES_OK(ctx, ctx->MatchSignature({type, type}, {type}));
    }
};
/* Child has Operate(ctx, input, output). */
template <typename T, typename Child> class UnaryElementWiseOp : public UnaryOp<T>
{
  public:
    using UnaryOp<T>::UnaryOp;
    void Compute(OpKernelContext *ctx) override
    {
        Tensor *out = nullptr;
        OP_REQUIRES_OK(ctx,
                       ctx->forward_input_or_allocate_output({0}, 0, ctx->input(0).shape(), &out));
        static_cast<Child *>(this)->Operate(ctx, ctx->input(0), out);
    }
};
/* Child has Operate<rank>(ctx, a, b, output). */
template <typename T, typename Child> class BinaryElementWiseOp : public BinaryOp<T>
{
  public:
    using BinaryOp<T>::BinaryOp;
    void Compute(OpKernelContext *ctx) override
    {
        Tensor *out = nullptr;
        if (!ctx->ValidateInputsAreSameShape(this)) {
            return;
        }
        const Tensor &a = ctx->input(0), &b = ctx->input(1);
        OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0, 1}, 0, a.shape(), &out));
        switch (a.dims()) {
#define ORIBI_RANK(n)                                                                              \
    case n:                                                                                        \
        static_cast<Child *>(this)->template Operate<n>(ctx, a, b, out);                           \
        break;
            ORIBI_RANK(0)
            ORIBI_RANK(1)
            ORIBI_RANK(2)
            ORIBI_RANK(3)
            ORIBI_RANK(4)
            ORIBI_RANK(5)
            ORIBI_RANK(6)
            ORIBI_RANK(7)
            ORIBI_RANK(8)
#undef ORIBI_RANK
        default:
            ctx->SetStatus(errors::InvalidArgument("a tensor of rank ", a.dims(),
                                                   " is too much for an elementwise op"));
        }
    }
};

} // namespace tensorflow

#endif
