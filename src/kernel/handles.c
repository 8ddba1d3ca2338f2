/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor handles that a run context gives to kernels, and how it counts them.
 *
 * The running thread counts without atomics. Each slot has a handle of its own that lies in the
 * slot while nobody has it; a second one on the same slot comes from a chain of the context. Other
 * threads use the slabs and ctx->remote. open + remote is always the number of handles that are out
 * (plus the bias).
 */
#include <string.h>

#include "base/alloc.h"
#include "kernel/context.h"
#include "kernel/handles_internal.h"
#include "tensor/handle.h"

static _Alignas(ORIBI_TENSOR_ALIGNMENT) char empty_data[ORIBI_TENSOR_ALIGNMENT];

void *oribi_context_empty_data(void)
{
    return empty_data;
}

static void drop_own_dims(TF_Tensor *tensor)
{
    if (tensor->dims_on_heap) {
        oribi_free(tensor->dims);
        tensor->dims_on_heap = false;
    }
}

void oribi_context_count_down(TF_OpKernelContext *ctx)
{
    if (atomic_fetch_sub_explicit(&ctx->remote, 1, memory_order_acq_rel) == 1) {
        ctx->host->release(ctx);
    }
}

static void drop_counted(TF_Tensor *tensor)
{
    TF_OpKernelContext *ctx = tensor->owner;
    oribi_tensor_handle_free(tensor);
    oribi_context_count_down(ctx);
}

/* One less of the handles that the running thread made, on that thread. */
static void count_own_down(const TF_Tensor *tensor)
{
    TF_OpKernelContext *ctx = tensor->owner;
    oribi_slot *slot = tensor->slot;
    ctx->owner.open--;
    slot->open -= tensor->place == NULL;
}

/* A handle that the running thread made, where TF_DeleteTensor does not lay it back at once. */
static void drop_own(TF_Tensor *tensor)
{
    TF_OpKernelContext *ctx = tensor->owner;
    if (!oribi_context_is_running_thread(ctx)) {
        drop_counted(tensor);
        return;
    }
    drop_own_dims(tensor);
    count_own_down(tensor);
    if (tensor->place != NULL) {
        tensor->is_quick = true;
        oribi_tensor_lay_back(tensor);
    } else {
        tensor->data = ctx->spare_handles;
        ctx->spare_handles = tensor;
    }
}

static void make_plain(TF_Tensor *tensor)
{
    tensor->data = NULL;
    tensor->bytes = 0;
    tensor->owner_ops = NULL;
    tensor->owner = NULL;
    tensor->slot = NULL;
    tensor->place = NULL;
    tensor->is_quick = false;
}

static void leave_own(TF_Tensor *tensor)
{
    TF_OpKernelContext *ctx = tensor->owner;
    oribi_slot *slot = tensor->slot;
    if (oribi_context_is_running_thread(ctx)) {
        count_own_down(tensor);
        slot->has_own = slot->has_own && tensor->place == NULL; /* else the next one made is it */
        make_plain(tensor);
    } else {
        make_plain(tensor);
        oribi_context_count_down(ctx);
    }
}

static void leave_counted(TF_Tensor *tensor)
{
    TF_OpKernelContext *ctx = tensor->owner;
    make_plain(tensor);
    oribi_context_count_down(ctx);
}

static void share(const TF_Tensor *from, TF_Tensor *to);

static bool is_plain(const TF_Tensor *tensor)
{
    const oribi_slot *slot = tensor->slot;
    return slot->device == 0 && slot->row_stride == 0;
}

static const oribi_tensor_owner_ops own_ops = {drop_own, share, leave_own, is_plain};
static const oribi_tensor_owner_ops counted_ops = {drop_counted, share, leave_counted, is_plain};

static void share(const TF_Tensor *from, TF_Tensor *to)
{
    TF_OpKernelContext *ctx = from->owner;
    atomic_fetch_add_explicit(&ctx->remote, 1, memory_order_relaxed);
    to->data = from->data;
    to->bytes = from->bytes;
    to->owner_ops = &counted_ops;
    to->owner = ctx;
    to->slot = from->slot;
}

/* Of the chain, or of the slabs; the first one of a slot is its own. */
static TF_Tensor *make_own(TF_OpKernelContext *ctx, oribi_slot *slot)
{
    TF_Tensor *tensor = ctx->spare_handles;
    if (tensor != NULL) {
        ctx->spare_handles = tensor->data;
    } else {
        tensor = oribi_tensor_handle(slot->dtype, NULL, 0);
    }
    if (tensor == NULL) {
        return NULL;
    }
    tensor->owner_ops = &own_ops;
    tensor->is_quick = !slot->has_own;
    tensor->place = slot->has_own ? NULL : &slot->spare;
    slot->open += slot->has_own;
    slot->has_own = true;
    ctx->owner.open++;
    return tensor;
}

static TF_Tensor *make_counted(TF_OpKernelContext *ctx, const oribi_slot *slot)
{
    TF_Tensor *tensor = oribi_tensor_handle(slot->dtype, NULL, 0);
    if (tensor != NULL) {
        tensor->owner_ops = &counted_ops;
        atomic_fetch_add_explicit(&ctx->remote, 1, memory_order_relaxed);
    }
    return tensor;
}

TF_Tensor *oribi_context_handle(TF_OpKernelContext *ctx, oribi_slot *slot, TF_Status *status)
{
    const bool is_own = oribi_context_is_running_thread(ctx);
    if (is_own && slot->spare != NULL) {
        return oribi_handle_take_spare(ctx, slot);
    }
    TF_Tensor *tensor = is_own ? make_own(ctx, slot) : make_counted(ctx, slot);
    if (tensor == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    tensor->owner = ctx;
    tensor->slot = slot;
    memcpy(tensor, slot, ORIBI_HEAD_BYTES);
    return tensor;
}

oribi_slot *oribi_context_slot_of(const TF_OpKernelContext *ctx, const TF_Tensor *tensor)
{
    return tensor->owner_ops != NULL && tensor->owner == ctx ? tensor->slot : NULL;
}

void oribi_slots_clear(oribi_slot *slots, int32_t n)
{
    for (int32_t i = 0; slots != NULL && i < n; i++) {
        if (slots[i].spare != NULL) {
            oribi_tensor_handle_free(oribi_tensor_take_out(&slots[i].spare));
        }
        oribi_free(slots[i].dims_heap);
    }
}

bool oribi_slot_set_dims(oribi_slot *slot, const int64_t *dims, int rank)
{
    int64_t *room = slot->dims_store;
    if (rank > ORIBI_INLINE_RANK) {
        if (slot->dims_heap == NULL) {
            slot->dims_heap = oribi_alloc_array(ORIBI_MAX_TENSOR_RANK, sizeof *room);
        }
        room = slot->dims_heap;
        if (room == NULL) {
            return false;
        }
    }
    for (int i = 0; i < rank; i++) {
        room[i] = dims[i];
    }
    slot->dims = room;
    slot->rank = rank;
    return true;
}
