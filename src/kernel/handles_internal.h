/* SPDX-License-Identifier: Apache-2.0 */
/* The fast path of handles, inlined into the context functions. */
#ifndef ORIBI_KERNEL_HANDLES_INTERNAL_H_
#define ORIBI_KERNEL_HANDLES_INTERNAL_H_

#include <string.h>

#include "kernel/context.h"
#include "tensor/status_internal.h"

/* What a handle and its slot have in common, first in both: data, bytes, dims, rank, dtype. */
#define ORIBI_HEAD_BYTES (offsetof(oribi_slot, dtype) + sizeof(TF_DataType))
#define ORIBI_HEAD_MATCHES(member)                                                                 \
    (offsetof(oribi_slot, member) == offsetof(TF_Tensor, member) &&                                \
     sizeof((oribi_slot){0}.member) == sizeof((TF_Tensor){0}.member))
_Static_assert(ORIBI_HEAD_MATCHES(data) && ORIBI_HEAD_MATCHES(bytes) && ORIBI_HEAD_MATCHES(dims) &&
                   ORIBI_HEAD_MATCHES(rank) && ORIBI_HEAD_MATCHES(dtype) &&
                   ORIBI_HEAD_BYTES == offsetof(TF_Tensor, buffer),
               "copied in one go");

/* Is there a spare handle, and is this the thread that may take it? */
static inline bool oribi_handle_has_spare(const TF_OpKernelContext *ctx)
{
    return oribi_context_is_running_thread(ctx) && ctx->spare_handles != NULL;
}

/* A spare handle has owner, owner_ops, buffer and dims_on_heap set already. */
static inline TF_Tensor *oribi_handle_take_spare(TF_OpKernelContext *ctx, oribi_slot *slot)
{
    TF_Tensor *tensor = ctx->spare_handles;
    ctx->spare_handles = tensor->data;
    memcpy(tensor, slot, ORIBI_HEAD_BYTES);
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
