/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute getters of the construction context: size and single values.
 * Lists: construction_lists.c.
 */
#include <string.h>

#include "base/alloc.h"
#include "kernel/construction_internal.h"

const oribi_attr *oribi_construction_attr(const TF_OpKernelConstruction *ctx, const char *name)
{
    return name != NULL ? oribi_attrs_find(ctx->node->attrs, name) : NULL;
}

static const char *kind_name(TF_AttrType kind)
{
    static const char *const names[] = {"string", "int",    "float",       "bool", "type",
                                        "shape",  "tensor", "placeholder", "func"};
    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "?";
}

/* The attribute as a single value of the kind; else NULL with status set. */
static const oribi_attr *find_single(const TF_OpKernelConstruction *ctx, const char *name,
                                     TF_AttrType kind, TF_Status *status)
{
    const oribi_attr *attr = oribi_construction_attr(ctx, name);
    TF_SetStatus(status, TF_OK, "");
    if (attr == NULL) {
        oribi_fail(status, TF_NOT_FOUND, "No attr named '%s' in NodeDef of node '%s'",
                   name != NULL ? name : "", ctx->node->name);
        return NULL;
    }
    if (attr->is_list || attr->kind != kind) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "AttrValue of '%s' in node '%s' is %s%s%s, expected '%s'", name, ctx->node->name,
                   attr->is_list ? "list(" : "", kind_name((TF_AttrType)attr->kind),
                   attr->is_list ? ")" : "", kind_name(kind));
        return NULL;
    }
    return attr;
}

static void size_of_list(const oribi_attr *attr, int32_t *list_size, int32_t *total_size)
{
    int64_t total = -1;
    *list_size = attr->kind == TF_ATTR_FUNC ? 0 : attr->count;
    if (attr->count > 0 && attr->kind == TF_ATTR_STRING) {
        total = 0;
        for (int32_t k = 0; k < attr->count; k++) {
            total += (int64_t)attr->u.s[k].length;
        }
    } else if (attr->count > 0 && attr->kind == TF_ATTR_SHAPE) {
        total = 0;
        for (int32_t k = 0; k < attr->count; k++) {
            total += attr->u.shape[k].rank > 0 ? attr->u.shape[k].rank : 0;
        }
    }
    *total_size = total > INT32_MAX ? INT32_MAX : (int32_t)total;
}

void TF_OpKernelConstruction_GetAttrSize(TF_OpKernelConstruction *ctx, const char *attr_name,
                                         int32_t *list_size, int32_t *total_size, TF_Status *status)
{
    const oribi_attr *attr = oribi_construction_attr(ctx, attr_name);
    *list_size = -1;
    *total_size = -1;
    if (attr == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Operation '%s' has no attr named '%s'.",
                   ctx->node->name, attr_name != NULL ? attr_name : "");
    } else if (attr->is_list) {
        size_of_list(attr, list_size, total_size);
    } else if (attr->kind == TF_ATTR_STRING) {
        const size_t length = attr->u.s[0].length;
        *total_size = length > INT32_MAX ? INT32_MAX : (int32_t)length;
    } else if (attr->kind == TF_ATTR_SHAPE) {
        *total_size = attr->u.shape[0].rank;
    }
}

void TF_OpKernelConstruction_GetAttrType(TF_OpKernelConstruction *ctx, const char *attr_name,
                                         TF_DataType *val, TF_Status *status)
{
    const oribi_attr *attr = find_single(ctx, attr_name, TF_ATTR_TYPE, status);
    if (attr != NULL) {
        *val = attr->u.type[0];
    }
}

void TF_OpKernelConstruction_GetAttrInt32(TF_OpKernelConstruction *ctx, const char *attr_name,
                                          int32_t *val, TF_Status *status)
{
    const oribi_attr *attr = find_single(ctx, attr_name, TF_ATTR_INT, status);
    if (attr == NULL) {
        return;
    }
    if (attr->u.i[0] < INT32_MIN || attr->u.i[0] > INT32_MAX) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Attr %s of node '%s' has value %lld out of range for an int32", attr_name,
                   ctx->node->name, (long long)attr->u.i[0]);
        return;
    }
    *val = (int32_t)attr->u.i[0];
}

void TF_OpKernelConstruction_GetAttrInt64(TF_OpKernelConstruction *ctx, const char *attr_name,
                                          int64_t *val, TF_Status *status)
{
    const oribi_attr *attr = find_single(ctx, attr_name, TF_ATTR_INT, status);
    if (attr != NULL) {
        *val = attr->u.i[0];
    }
}

void TF_OpKernelConstruction_GetAttrFloat(TF_OpKernelConstruction *ctx, const char *attr_name,
                                          float *val, TF_Status *status)
{
    const oribi_attr *attr = find_single(ctx, attr_name, TF_ATTR_FLOAT, status);
    if (attr != NULL) {
        *val = attr->u.f[0];
    }
}

void TF_OpKernelConstruction_GetAttrBool(TF_OpKernelConstruction *ctx, const char *attr_name,
                                         TF_Bool *val, TF_Status *status)
{
    const oribi_attr *attr = find_single(ctx, attr_name, TF_ATTR_BOOL, status);
    if (attr != NULL) {
        *val = attr->u.b[0] != 0;
    }
}

void TF_OpKernelConstruction_GetAttrString(TF_OpKernelConstruction *ctx, const char *attr_name,
                                           char *val, size_t max_length, TF_Status *status)
{
    const oribi_attr *attr = find_single(ctx, attr_name, TF_ATTR_STRING, status);
    if (attr != NULL && max_length > 0) {
        const size_t length = attr->u.s[0].length;
        const size_t n = length < max_length ? length : max_length;
        if (n > 0) {
            memcpy(val, attr->u.s[0].data, n);
        }
    }
}

void TF_OpKernelConstruction_GetAttrTensor(TF_OpKernelConstruction *ctx, const char *attr_name,
                                           TF_Tensor **val, TF_Status *status)
{
    *val = NULL;
    const oribi_attr *attr = find_single(ctx, attr_name, TF_ATTR_TENSOR, status);
    if (attr != NULL) {
        *val = oribi_tensor_share(attr->u.tensor[0]);
        if (*val == NULL) {
            oribi_fail_memory(status);
        }
    }
}

TF_Buffer *TF_OpKernelConstruction_GetAttrFunction(TF_OpKernelConstruction *ctx,
                                                   const char *attr_name, TF_Status *status)
{
    const oribi_attr *attr = find_single(ctx, attr_name, TF_ATTR_FUNC, status);
    if (attr == NULL) {
        return NULL;
    }
    TF_Buffer *buffer = oribi_name_attr_list_write(&attr->u.s[0]);
    if (buffer == NULL) {
        oribi_fail_memory(status);
    }
    return buffer;
}

bool TF_OpKernelConstruction_HasAttr(TF_OpKernelConstruction *ctx, const char *attr_name,
                                     TF_Status *status)
{
    (void)status; /* never written, as in TensorFlow */
    return oribi_construction_attr(ctx, attr_name) != NULL;
}
