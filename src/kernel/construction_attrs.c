/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute getters of the construction context; the rules are those of op/attr_read.h, which shape
 * functions share. Each clears the status first, except GetAttrSize and HasAttr (as in TensorFlow).
 */
#include "kernel/construction_internal.h"
#include "op/attr_read.h"

static const oribi_attrs *attrs_of(const TF_OpKernelConstruction *ctx)
{
    return ctx->node->attrs;
}

static const char *name_or_empty(const char *name)
{
    return name != NULL ? name : "";
}

void TF_OpKernelConstruction_GetAttrSize(TF_OpKernelConstruction *ctx, const char *attr_name,
                                         int32_t *list_size, int32_t *total_size, TF_Status *status)
{
    (void)oribi_attr_read_size(attrs_of(ctx), ctx->node->name, name_or_empty(attr_name), list_size,
                               total_size, status);
}

bool TF_OpKernelConstruction_HasAttr(TF_OpKernelConstruction *ctx, const char *attr_name,
                                     TF_Status *status)
{
    (void)status; /* never written */
    return oribi_attrs_find(attrs_of(ctx), name_or_empty(attr_name)) != NULL;
}

/* --- Single values --------------------------------------------------------------------------- */

#define DEFINE_SINGLE(kind, type, read)                                                            \
    void TF_OpKernelConstruction_GetAttr##kind(                                                    \
        TF_OpKernelConstruction *ctx, const char *attr_name, type *val, TF_Status *status)         \
    {                                                                                              \
        TF_SetStatus(status, TF_OK, "");                                                           \
        (void)read(attrs_of(ctx), ctx->node->name, name_or_empty(attr_name), val, status);         \
    }

DEFINE_SINGLE(Type, TF_DataType, oribi_attr_read_type)
DEFINE_SINGLE(Int32, int32_t, oribi_attr_read_int32)
DEFINE_SINGLE(Int64, int64_t, oribi_attr_read_int64)
DEFINE_SINGLE(Float, float, oribi_attr_read_float)
DEFINE_SINGLE(Bool, TF_Bool, oribi_attr_read_bool)

void TF_OpKernelConstruction_GetAttrString(TF_OpKernelConstruction *ctx, const char *attr_name,
                                           char *val, size_t max_length, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_string(attrs_of(ctx), ctx->node->name, name_or_empty(attr_name), val,
                                 max_length, status);
}

void TF_OpKernelConstruction_GetAttrTensor(TF_OpKernelConstruction *ctx, const char *attr_name,
                                           TF_Tensor **val, TF_Status *status)
{
    *val = NULL;
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_tensor(attrs_of(ctx), ctx->node->name, name_or_empty(attr_name), val,
                                 status);
}

TF_Buffer *TF_OpKernelConstruction_GetAttrFunction(TF_OpKernelConstruction *ctx,
                                                   const char *attr_name, TF_Status *status)
{
    const oribi_attr *attr = NULL;
    TF_SetStatus(status, TF_OK, "");
    if (!oribi_attr_read_scalar(attrs_of(ctx), ctx->node->name, name_or_empty(attr_name),
                                TF_ATTR_FUNC, &attr, status)) {
        return NULL;
    }
    TF_Buffer *buffer = TF_NewBufferFromString(attr->u.s[0].data, attr->u.s[0].length);
    if (buffer == NULL) {
        oribi_fail_memory(status);
    }
    return buffer;
}

/* --- Lists: longer ones are cut silently ------------------------------------------------------ */

#define DEFINE_LIST(kind, type, read)                                                              \
    void TF_OpKernelConstruction_GetAttr##kind##List(TF_OpKernelConstruction *ctx,                 \
                                                     const char *attr_name, type *vals,            \
                                                     int max_vals, TF_Status *status)              \
    {                                                                                              \
        TF_SetStatus(status, TF_OK, "");                                                           \
        (void)read(attrs_of(ctx), ctx->node->name, name_or_empty(attr_name), vals, max_vals,       \
                   status);                                                                        \
    }

DEFINE_LIST(Type, TF_DataType, oribi_attr_read_types)
DEFINE_LIST(Int32, int32_t, oribi_attr_read_int32s)
DEFINE_LIST(Int64, int64_t, oribi_attr_read_int64s)
DEFINE_LIST(Float, float, oribi_attr_read_floats)
DEFINE_LIST(Bool, TF_Bool, oribi_attr_read_bools)

void TF_OpKernelConstruction_GetAttrStringList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                               char **values, size_t *lengths, int max_values,
                                               void *storage, size_t storage_size,
                                               TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    (void)oribi_attr_read_strings(attrs_of(ctx), ctx->node->name, name_or_empty(attr_name), values,
                                  lengths, max_values, storage, storage_size, status);
}

void TF_OpKernelConstruction_GetAttrTensorList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                               TF_Tensor **vals, int max_values, TF_Status *status)
{
    const oribi_attr *attr = NULL;
    TF_SetStatus(status, TF_OK, "");
    if (!oribi_attr_read_list(attrs_of(ctx), ctx->node->name, name_or_empty(attr_name),
                              TF_ATTR_TENSOR, &attr, status)) {
        return;
    }
    for (int i = 0; i < attr->count && i < max_values; i++) {
        vals[i] = oribi_tensor_share(attr->u.tensor[i]);
        if (vals[i] == NULL) {
            oribi_fail_memory(status);
            return;
        }
    }
}
