/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute getters of shape functions; the reading itself is attr_read.c. Each sets a status of
 * its own: OK on success.
 */
#include <inttypes.h>

#include "op/attr_read.h"
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

void TF_ShapeInferenceContext_GetAttrInt32(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                           int32_t *val, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_int32(ctx->attrs, ctx->node, attr_name, val, status);
}

void TF_ShapeInferenceContext_GetAttrInt64(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                           int64_t *val, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_int64(ctx->attrs, ctx->node, attr_name, val, status);
}

void TF_ShapeInferenceContext_GetAttrFloat(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                           float *val, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_float(ctx->attrs, ctx->node, attr_name, val, status);
}

void TF_ShapeInferenceContext_GetAttrBool(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                          TF_Bool *val, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_bool(ctx->attrs, ctx->node, attr_name, val, status);
}

void TF_ShapeInferenceContext_GetAttrString(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                            char *val, size_t max_length, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_string(ctx->attrs, ctx->node, attr_name, val, max_length, status);
}

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

void TF_ShapeInferenceContext_GetAttrTensor(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                            TF_Tensor **val, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    *val = NULL;
    (void)oribi_attr_read_tensor(ctx->attrs, ctx->node, attr_name, val, status);
}

void TF_ShapeInferenceContext_GetAttrTypeList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                              TF_DataType *vals, int max_vals, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_types(ctx->attrs, ctx->node, attr_name, vals, max_vals, status);
}

void TF_ShapeInferenceContext_GetAttrInt32List(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                               int32_t *vals, int max_vals, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_int32s(ctx->attrs, ctx->node, attr_name, vals, max_vals, status);
}

void TF_ShapeInferenceContext_GetAttrInt64List(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                               int64_t *vals, int max_vals, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_int64s(ctx->attrs, ctx->node, attr_name, vals, max_vals, status);
}

void TF_ShapeInferenceContext_GetAttrFloatList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                               float *vals, int max_vals, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_floats(ctx->attrs, ctx->node, attr_name, vals, max_vals, status);
}

void TF_ShapeInferenceContext_GetAttrBoolList(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                              TF_Bool *vals, int max_vals, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_bools(ctx->attrs, ctx->node, attr_name, vals, max_vals, status);
}

void TF_ShapeInferenceContext_GetAttrStringList(TF_ShapeInferenceContext *ctx,
                                                const char *attr_name, char **values,
                                                size_t *lengths, int max_values, void *storage,
                                                size_t storage_size, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_strings(ctx->attrs, ctx->node, attr_name, values, lengths, max_values,
                                  storage, storage_size, status);
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
