/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the contract that are called, look at their arguments and always fail: graphs here
 * have no reference inputs, and objects in variants no arithmetic.
 * docs/reference/plugin-contract.md says "refuses" of each function in this file
 * (tests/contract/list.py).
 */
#include "kernel/context.h"
#include "tensorflow/c/kernels_experimental.h"

static void fail_reference(TF_OpKernelContext *ctx, int index, TF_Status *status)
{
    oribi_fail(status, TF_FAILED_PRECONDITION,
               "input %d of node '%s' is not a reference: graphs have resource handles instead",
               index, ctx->step->kernel->node->name);
    TF_OpKernelContext_Failure(ctx, status);
}

void TF_AssignRefVariable(TF_OpKernelContext *ctx, int input_ref_index, int output_ref_index,
                          int value_index, bool use_locking, bool validate_shape,
                          void (*copyFunc)(TF_OpKernelContext *, TF_Tensor *, TF_Tensor *),
                          TF_Status *status)
{
    (void)output_ref_index;
    (void)value_index;
    (void)use_locking;
    (void)validate_shape;
    (void)copyFunc;
    fail_reference(ctx, input_ref_index, status);
}

void TF_TemporaryVariable(TF_OpKernelContext *ctx, TF_DataType dtype, const int64_t *dims,
                          int num_dims, TF_StringView *var_name,
                          void (*plugin_allocator)(TF_OpKernelContext *, TF_Tensor *, TF_DataType,
                                                   const int64_t *, int, TF_Status *),
                          TF_Status *tf_status)
{
    (void)dtype;
    (void)dims;
    (void)num_dims;
    (void)var_name;
    (void)plugin_allocator;
    oribi_fail(tf_status, TF_FAILED_PRECONDITION,
               "output 0 of node '%s' is not a reference: graphs have resource handles instead",
               ctx->step->kernel->node->name);
    TF_OpKernelContext_Failure(ctx, tf_status);
}

void TF_DestroyTemporaryVariable(TF_OpKernelContext *ctx, const int index, TF_StringView *var_name,
                                 TF_Status *tf_status)
{
    (void)var_name;
    fail_reference(ctx, index, tf_status);
}

void TF_OpKernelContext_ForwardRefInputToRefOutput(TF_OpKernelContext *ctx, int32_t input_index,
                                                   int32_t output_index)
{
    (void)output_index;
    if (TF_InputDatatype(ctx, input_index) != TF_RESOURCE) {
        TF_Status *status = TF_NewStatus();
        fail_reference(ctx, input_index, status);
        TF_DeleteStatus(status);
    }
}

static void fail_variant(TF_OpKernelContext *ctx, TF_Status *status)
{
    oribi_fail(status, TF_UNIMPLEMENTED,
               "node '%s': objects in variants can be copied and destroyed, no more "
               "(tensorflow/c/variant.h)",
               ctx->step->kernel->node->name);
    TF_OpKernelContext_Failure(ctx, status);
}

void TF_AddNVariant(TF_OpKernelContext *ctx,
                    void (*binary_add_func)(TF_OpKernelContext *, TF_Tensor *, TF_Tensor *,
                                            TF_Tensor *),
                    TF_Status *status)
{
    (void)binary_add_func;
    fail_variant(ctx, status);
}

void TF_ZerosLikeVariant(TF_OpKernelContext *ctx,
                         void (*zeros_like_func)(TF_OpKernelContext *, TF_Tensor *, TF_Tensor *),
                         TF_Status *status)
{
    (void)zeros_like_func;
    fail_variant(ctx, status);
}
