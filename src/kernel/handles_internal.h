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

/* Takes the slot's own handle, on the running thread, while it lies there. All but the head was set
 * when it was made. */
static inline TF_Tensor *oribi_handle_take_spare(TF_OpKernelContext *ctx, oribi_slot *slot)
{
    TF_Tensor *tensor = oribi_tensor_take_out(&slot->spare);
    memcpy(tensor, slot, ORIBI_HEAD_BYTES);
    ctx->owner.open++;
    return tensor;
}

/* All of TF_AllocateOutput, with its arguments in their places, so that the fast path need not move
 * them; not static, or the compiler would close the gaps. */
TF_Tensor *oribi__allocate_output(TF_OpKernelContext *ctx, int index, int unused,
                                  const int64_t *dims, int num_dims, size_t unused_too,
                                  TF_Status *status) __attribute__((noinline));

/* Contract functions clear the status first; nearly always it is clear. */
static inline void oribi_status_clear(TF_Status *status)
{
    if (status->code != TF_OK) {
        TF_SetStatus(status, TF_OK, "");
    }
}

#endif
