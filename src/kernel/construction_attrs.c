/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute getters of the construction context; most are those of op/attr_getters.inc, which shape
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

#define GETTER(kind)   TF_OpKernelConstruction_GetAttr##kind
#define GETTER_CONTEXT TF_OpKernelConstruction
#define GETTER_ATTRS   attrs_of(ctx)
#define GETTER_NODE    ctx->node->name
#include "op/attr_getters.inc"

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
