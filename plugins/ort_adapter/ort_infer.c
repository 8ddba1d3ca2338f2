/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of a node's outputs before it runs: what the library's own function says, where it has
 * one; else nothing is known, and the kernel says it when it computes.
 */
#include <stdlib.h>

#include "ort_adapter.h"

enum { FIRST_WITH_SHAPES = 17 };

struct ort_shape_context {
    TF_ShapeInferenceContext *tf;
    ort_attrs attrs;
    ort_tensor_info **inputs; /* what was asked for; the library borrows it */
    size_t n_inputs;
};

ORIBI_ORT_READ_ATTRS(TF_ShapeInferenceContext)

ort_status *oribi_ort_ShapeInferContext_GetInputCount(const ort_shape_context *context, size_t *out)
{
    *out = context->n_inputs;
    return NULL;
}

static oribi_dims read_dims(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape,
                            TF_DimensionHandle *dim)
{
    const int64_t rank = TF_ShapeInferenceContextRank(ctx, shape);
    oribi_dims dims = {.n = rank < 0 || rank > ORIBI_MAX_RANK ? 0 : (int32_t)rank};
    for (int32_t i = 0; i < dims.n; i++) {
        TF_ShapeInferenceContextDim(ctx, shape, i, dim);
        dims.at[i] = TF_DimensionHandleValue(dim);
    }
    return dims;
}

static ort_status *describe_input(TF_ShapeInferenceContext *ctx, int i, ort_tensor_info **out)
{
    oribi_dims dims = {.n = 0};
    TF_Status *status = TF_NewStatus();
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_DimensionHandle *dim = TF_NewDimensionHandle();
    ort_status *failed = status && shape && dim ? NULL : oribi_ort_fail_memory();
    if (!failed) {
        TF_ShapeInferenceContextGetInput(ctx, i, shape, status);
        failed = oribi_ort_from_status(status);
    }
    if (!failed) {
        const TF_DataType type = TF_ShapeInferenceContextInputType(ctx, i);
        dims = read_dims(ctx, shape, dim);
        failed =
            oribi_ort_tensor_info_make(oribi_ort_type_from_tf(type), dims.at, (size_t)dims.n, out);
    }
    TF_DeleteDimensionHandle(dim);
    TF_DeleteShapeHandle(shape);
    TF_DeleteStatus(status);
    return failed;
}

ort_status *oribi_ort_ShapeInferContext_GetInputTypeShape(const ort_shape_context *context,
                                                          size_t index, ort_tensor_info **out)
{
    ort_status *failed = NULL;
    *out = NULL;
    if (index >= context->n_inputs) {
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "input %zu of %zu", index, context->n_inputs);
    }
    if (!context->inputs[index]) {
        failed = describe_input(context->tf, (int)index, &context->inputs[index]);
    }
    *out = context->inputs[index];
    return failed;
}

ort_status *oribi_ort_ShapeInferContext_GetAttribute(const ort_shape_context *context,
                                                     const char *name, const ort_op_attr **out)
{
    *out = oribi_ort_attrs_find(&context->attrs, name);
    return *out ? NULL : oribi_ort_fail(ORT_INVALID_ARGUMENT, "there is no attribute '%s'", name);
}

ort_status *oribi_ort_ShapeInferContext_SetOutputTypeShape(const ort_shape_context *context,
                                                           size_t index,
                                                           const ort_tensor_info *info)
{
    TF_Status *status = TF_NewStatus();
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    ort_status *failed = status && shape ? NULL : oribi_ort_fail_memory();
    if (!failed) {
        TF_ShapeInferenceContextMakeShapeFromDims(context->tf, info->dims, (int64_t)info->rank,
                                                  shape, status);
        failed = oribi_ort_from_status(status);
    }
    if (!failed) {
        TF_ShapeInferenceContextSetOutput(context->tf, (int)index, shape, status);
        failed = oribi_ort_from_status(status);
    }
    TF_DeleteShapeHandle(shape);
    TF_DeleteStatus(status);
    return failed;
}

/* Libraries take ranks for granted; what is asked of them otherwise is not known. */
static bool are_ranks_known(TF_ShapeInferenceContext *ctx, bool *are_dims_known)
{
    bool known = true;
    TF_Status *status = TF_NewStatus();
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    *are_dims_known = true;
    for (int i = 0; status && shape && i < TF_ShapeInferenceContextNumInputs(ctx); i++) {
        TF_ShapeInferenceContextGetInput(ctx, i, shape, status);
        known = known && TF_ShapeInferenceContextRankKnown(ctx, shape);
        *are_dims_known = *are_dims_known && TF_ShapeInferenceContextFullyDefined(ctx, shape);
    }
    TF_DeleteShapeHandle(shape);
    TF_DeleteStatus(status);
    return known && status && shape;
}

/* Registrations of one name share one function, as there: the first one's. */
void oribi_ort_infer(void *group, TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    const ort_group *own = group;
    const ort_custom_op *op = own->members[0];
    ort_shape_context context = {.tf = ctx};
    bool are_dims_known;
    TF_ShapeInferenceContextSetUnknownShape(ctx, status);
    if (op->version < FIRST_WITH_SHAPES || !op->infer_shapes ||
        !are_ranks_known(ctx, &are_dims_known)) {
        return;
    }
    context.n_inputs = (size_t)TF_ShapeInferenceContextNumInputs(ctx);
    context.inputs = calloc(context.n_inputs + 1, sizeof(ort_tensor_info *));
    ort_status *failed =
        context.inputs ? read_attrs(ctx, &context.attrs, status) : oribi_ort_fail_memory();
    failed = failed ? failed : oribi_ort_call_infer(op, &context);
    for (size_t i = 0; context.inputs && i < context.n_inputs; i++) {
        oribi_ort_ReleaseTensorTypeAndShapeInfo(context.inputs[i]);
    }
    free(context.inputs);
    oribi_ort_attrs_clear(&context.attrs);
    if (failed && are_dims_known) {
        oribi_ort_to_status(failed, own->name, status);
    } else {
        oribi_ort_ReleaseStatus(failed);
        TF_SetStatus(status, TF_OK, "");
    }
}
