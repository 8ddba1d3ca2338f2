/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute getters of shape functions; most are those of attr_getters.inc. Each sets a status of
 * its own: OK on success. And the quantisation of inputs, by the size of struct that callers know.
 */
#include <inttypes.h>
#include <string.h>

#include "op/attr_read.h"
#include "op/quantisation.h"
#include "op/shape_internal.h"

bool TF_ShapeInferenceContext_HasAttr(TF_ShapeInferenceContext *ctx, const char *attr_name)
{
    return oribi_attrs_find(ctx->attrs, attr_name) != NULL;
}

void TF_ShapeInferenceContext_GetAttrSize(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                          int32_t *list_size, int32_t *total_size,
                                          TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_size(ctx->attrs, ctx->node, attr_name, list_size, total_size, status);
}

#define GETTER(kind)   TF_ShapeInferenceContext_GetAttr##kind
#define GETTER_CONTEXT TF_ShapeInferenceContext
#define GETTER_ATTRS   ctx->attrs
#define GETTER_NODE    ctx->node
#include "op/attr_getters.inc"

/* Copied into the scratch: a handle may not outlive the attribute's own storage otherwise. */
static void take_shape(TF_ShapeInferenceContext *ctx, const oribi_shape *shape,
                       TF_ShapeHandle *result, TF_Status *status)
{
    if (!oribi_shape_take_in(ctx, shape, &result->shape)) {
        oribi_fail_memory(status);
    }
}

void TF_ShapeInferenceContext_GetAttrShape(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                           TF_ShapeHandle *result, TF_Status *status)
{
    const oribi_attr *attr = NULL;
    if (oribi_shape_begin(ctx, result, status) &&
        oribi_attr_read_scalar(ctx->attrs, ctx->node, attr_name, TF_ATTR_SHAPE, &attr, status)) {
        take_shape(ctx, &attr->u.shape[0], result, status);
    }
}

static bool check_item(const TF_ShapeInferenceContext *ctx, const oribi_attr *attr, int index,
                       TF_Status *status)
{
    if (index >= 0 && index < attr->count) {
        return true;
    }
    return oribi_fail(status, TF_OUT_OF_RANGE,
                      "Attr '%s' of node '%s' has %" PRId32 " elements, element %d was asked for",
                      attr->name, ctx->node, attr->count, index);
}

void TF_ShapeInferenceContext_GetAttrShapeListItem(TF_ShapeInferenceContext *ctx,
                                                   const char *attr_name, int index,
                                                   TF_ShapeHandle *result, TF_Status *status)
{
    const oribi_attr *attr = NULL;
    if (oribi_shape_begin(ctx, result, status) &&
        oribi_attr_read_list(ctx->attrs, ctx->node, attr_name, TF_ATTR_SHAPE, &attr, status) &&
        check_item(ctx, attr, index, status)) {
        take_shape(ctx, &attr->u.shape[index], result, status);
    }
}

void TF_ShapeInferenceContext_GetAttrTensorListItem(TF_ShapeInferenceContext *ctx,
                                                    const char *attr_name, int index,
                                                    TF_Tensor **val, TF_Status *status)
{
    const oribi_attr *attr = NULL;
    TF_SetStatus(status, TF_OK, "");
    *val = NULL;
    if (oribi_attr_read_list(ctx->attrs, ctx->node, attr_name, TF_ATTR_TENSOR, &attr, status) &&
        check_item(ctx, attr, index, status)) {
        *val = oribi_tensor_share(attr->u.tensor[index]);
        if (*val == NULL) {
            oribi_fail_memory(status);
        }
    }
}

/* --- Quantisation ----------------------------------------------------------------------------- */

bool oribi_quantisation_read(const TF_Quantisation *known, TF_Quantisation *out)
{
    if (known == NULL || known->count == 0 || out == NULL ||
        out->struct_size < TF_QUANTISATION_STRUCT_SIZE) {
        return false;
    }
    const size_t struct_size = out->struct_size;
    memcpy(out, known, TF_QUANTISATION_STRUCT_SIZE);
    out->struct_size = struct_size;
    return true;
}

bool TF_ShapeInferenceContextInputQuantisation(TF_ShapeInferenceContext *ctx, int i,
                                               TF_Quantisation *out)
{
    return i >= 0 && i < ctx->signature->n_inputs &&
           oribi_quantisation_read(ctx->input_handles[i].quantisation, out);
}
