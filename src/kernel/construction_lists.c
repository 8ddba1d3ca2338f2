/* SPDX-License-Identifier: Apache-2.0 */
/* List attribute getters of the construction context. Lists longer than the caller's array are cut
 * silently, as in TensorFlow. Single values: construction_attrs.c.
 */
#include <string.h>

#include "kernel/construction_internal.h"

static const oribi_attr *find_list(const TF_OpKernelConstruction *ctx, const char *name,
                                   TF_AttrType kind, const char *kind_name, TF_Status *status)
{
    const oribi_attr *attr = oribi_construction_attr(ctx, name);
    TF_SetStatus(status, TF_OK, "");
    if (attr == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "No attr named '%s' in NodeDef of node '%s'",
                   name != NULL ? name : "", ctx->node->name);
        return NULL;
    }
    /* an empty list has no kind on the wire, so any kind reads it */
    if (!attr->is_list || (attr->kind != kind && attr->count > 0)) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Value for attr '%s' of node '%s' is not list(%s)",
                   name, ctx->node->name, kind_name);
        return NULL;
    }
    return attr;
}

static int shorter(const oribi_attr *attr, int max)
{
    return attr->count < max ? attr->count : max;
}

void TF_OpKernelConstruction_GetAttrTypeList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                             TF_DataType *vals, int max_vals, TF_Status *status)
{
    const oribi_attr *attr = find_list(ctx, attr_name, TF_ATTR_TYPE, "type", status);
    for (int i = 0; attr != NULL && i < shorter(attr, max_vals); i++) {
        vals[i] = attr->u.type[i];
    }
}

void TF_OpKernelConstruction_GetAttrInt32List(TF_OpKernelConstruction *ctx, const char *attr_name,
                                              int32_t *vals, int max_vals, TF_Status *status)
{
    const oribi_attr *attr = find_list(ctx, attr_name, TF_ATTR_INT, "int", status);
    for (int i = 0; attr != NULL && i < shorter(attr, max_vals); i++) {
        vals[i] = (int32_t)(uint32_t)(uint64_t)attr->u.i[i]; /* cut without a check, as there */
    }
}

void TF_OpKernelConstruction_GetAttrInt64List(TF_OpKernelConstruction *ctx, const char *attr_name,
                                              int64_t *vals, int max_vals, TF_Status *status)
{
    const oribi_attr *attr = find_list(ctx, attr_name, TF_ATTR_INT, "int", status);
    for (int i = 0; attr != NULL && i < shorter(attr, max_vals); i++) {
        vals[i] = attr->u.i[i];
    }
}

void TF_OpKernelConstruction_GetAttrFloatList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                              float *vals, int max_vals, TF_Status *status)
{
    const oribi_attr *attr = find_list(ctx, attr_name, TF_ATTR_FLOAT, "float", status);
    for (int i = 0; attr != NULL && i < shorter(attr, max_vals); i++) {
        vals[i] = attr->u.f[i];
    }
}

void TF_OpKernelConstruction_GetAttrBoolList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                             TF_Bool *vals, int max_vals, TF_Status *status)
{
    const oribi_attr *attr = find_list(ctx, attr_name, TF_ATTR_BOOL, "bool", status);
    for (int i = 0; attr != NULL && i < shorter(attr, max_vals); i++) {
        vals[i] = attr->u.b[i] != 0;
    }
}

void TF_OpKernelConstruction_GetAttrStringList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                               char **values, size_t *lengths, int max_values,
                                               void *storage, size_t storage_size,
                                               TF_Status *status)
{
    const oribi_attr *attr = find_list(ctx, attr_name, TF_ATTR_STRING, "string", status);
    char *at = storage;
    size_t left = storage_size;
    for (int i = 0; attr != NULL && i < shorter(attr, max_values); i++) {
        const size_t length = attr->u.s[i].length;
        values[i] = at;
        lengths[i] = length;
        if (length > left) {
            oribi_fail(status, TF_INVALID_ARGUMENT,
                       "Not enough storage to hold the requested list of strings: attr '%s' of "
                       "node '%s' needs more than %zu bytes",
                       attr_name, ctx->node->name, storage_size);
            return;
        }
        if (length > 0) {
            memcpy(at, attr->u.s[i].data, length);
            at += length;
            left -= length;
        }
    }
}

void TF_OpKernelConstruction_GetAttrTensorList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                               TF_Tensor **vals, int max_values, TF_Status *status)
{
    const oribi_attr *attr = find_list(ctx, attr_name, TF_ATTR_TENSOR, "tensor", status);
    for (int i = 0; attr != NULL && i < shorter(attr, max_values); i++) {
        vals[i] = oribi_tensor_share(attr->u.tensor[i]);
        if (vals[i] == NULL) {
            oribi_fail_memory(status);
            return;
        }
    }
}
