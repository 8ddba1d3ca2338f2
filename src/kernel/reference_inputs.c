/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that only kernels_experimental.h has: whether an input is a reference, which it never
 * is here, and two getters. What refuses references and variants: refuses.c. Variables:
 * kernel_variable.c.
 */
#include <string.h>

#include "kernel/construction_internal.h"
#include "kernel/context.h"
#include "op/attr_read.h"
#include "tensorflow/c/kernels_experimental.h"

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
