/* SPDX-License-Identifier: Apache-2.0 */
/* The fast path of handles, inlined into the context functions. */
#ifndef ORIBI_KERNEL_HANDLES_INTERNAL_H_
#define ORIBI_KERNEL_HANDLES_INTERNAL_H_

#include "kernel/context.h"
#include "tensor/status_internal.h"

extern const oribi_tensor_owner_ops oribi_handle_own_ops;
TF_Tensor *oribi_handle_take_slow(TF_OpKernelContext *ctx, oribi_slot *slot, TF_Status *status);

/* A spare handle has owner, owner_ops, buffer and dims_on_heap set already. */
static inline TF_Tensor *oribi_handle_take(TF_OpKernelContext *ctx, oribi_slot *slot,
                                           TF_Status *status)
{
    TF_Tensor *tensor = ctx->spare_handles;
    if (!oribi_context_is_running_thread(ctx) || tensor == NULL) {
        return oribi_handle_take_slow(ctx, slot, status);
    }
    ctx->spare_handles = tensor->data;
    tensor->data = slot->data;
    tensor->bytes = slot->bytes;
    tensor->dims = (int64_t *)slot->dims;
    tensor->rank = slot->rank;
    tensor->dtype = slot->dtype;
    tensor->slot = slot;
    slot->open++;
    ctx->open++;
    return tensor;
}

/* Contract functions clear the status first; nearly always it is clear. */
static inline void oribi_status_clear(TF_Status *status)
{
    if (status->code != TF_OK) {
        TF_SetStatus(status, TF_OK, "");
    }
}

#endif
