/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of kernels_experimental.h on reference inputs, which graphs here do not have, on
 * variants, and the two getters that only this header has. Variables: variable.c.
 */
#include <string.h>

#include "kernel/construction_internal.h"
#include "kernel/context.h"
#include "op/attr_read.h"
#include "tensorflow/c/kernels_experimental.h"

static void fail_reference(TF_OpKernelContext *ctx, int index, TF_Status *status)
{
    oribi_fail(status, TF_FAILED_PRECONDITION,
               "input %d of node '%s' is no reference: graphs have resource handles instead", index,
               ctx->step->kernel->node->name);
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
               "output 0 of node '%s' is no reference: graphs have resource handles instead",
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

bool TF_IsRefInput(TF_OpKernelContext *ctx, int i, TF_Status *status)
{
    if (i < 0 || i >= TF_NumInputs(ctx)) {
        oribi_fail(status, TF_OUT_OF_RANGE, "input index %d of node '%s' is out of range", i,
                   ctx->step->kernel->node->name);
    } else {
        TF_SetStatus(status, TF_OK, "");
    }
    return false;
}

static void fail_variant(TF_OpKernelContext *ctx, TF_Status *status)
{
    oribi_fail(status, TF_UNIMPLEMENTED, "node '%s': variants are not implemented",
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

void TF_GetInputByName(TF_OpKernelContext *ctx, const char *inputName, TF_Tensor **tensor,
                       TF_Status *status)
{
    TF_InputRange_Args args = {.struct_size = TF_InputRange_Args_STRUCT_SIZE, .status = status};

    TF_InputRange(ctx, inputName, &args);
    if (!oribi_ok(status)) {
        return;
    }
    if (args.stop != args.start + 1) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "argument '%s' of node '%s' is a list of %d tensors", inputName,
                   ctx->step->kernel->node->name, args.stop - args.start);
        return;
    }
    TF_GetInput(ctx, args.start, tensor, status);
}

void TF_OpKernelConstruction_GetAttrTensorShape(TF_OpKernelConstruction *ctx, const char *attr_name,
                                                int64_t *dims, size_t num_dims, TF_Status *status)
{
    const oribi_attr *attr = NULL;

    if (!oribi_attr_read_scalar(ctx->node->attrs, ctx->node->name, attr_name, TF_ATTR_SHAPE, &attr,
                                status)) {
        return;
    }
    const oribi_shape *shape = &attr->u.shape[0];
    if (!oribi_shape_is_full(shape) || (size_t)shape->rank != num_dims) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Expected rank is %zu but actual rank is %d%s",
                   num_dims, (int)shape->rank,
                   shape->rank >= 0 && !oribi_shape_is_full(shape) ? ", with unknown dimensions"
                                                                   : "");
        return;
    }
    if (num_dims > 0) {
        memcpy(dims, shape->dims, num_dims * sizeof *dims);
    }
    TF_SetStatus(status, TF_OK, "");
}
