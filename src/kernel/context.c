/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a run context: enter, leave or be detached, failure. Not here: asynchronous kernels and
 * waits (context_async.c), handles (handles.c), what kernels ask (context_inputs.c,
 * context_outputs.c).
 */
#include "kernel/context.h"

#include <string.h>

#include "base/alloc.h"
#include "tensor/handle.h"

bool oribi_context_init(TF_OpKernelContext *ctx, const oribi_context_host *host,
                        oribi_signal *signal, TF_Status *status)
{
    ctx->host = host;
    atomic_init(&ctx->owner.thread, NULL);
    atomic_init(&ctx->planned_thread, NULL);
    atomic_init(&ctx->is_noted, 0);
    atomic_init(&ctx->remote, ORIBI_CONTEXT_BIAS);
    atomic_init(&ctx->pending, 0);
    if (!oribi_mutex_init(&ctx->lock)) {
        return oribi_fail_memory(status);
    }
    ctx->signal = signal;
    if (signal != NULL) {
        oribi_signal_retain(signal);
    } else {
        ctx->signal = oribi_signal_create(status);
    }
    if (ctx->signal == NULL) {
        oribi_mutex_destroy(&ctx->lock);
        return false;
    }
    ctx->stop = &ctx->signal->stop;
    ctx->failure = TF_NewStatus();
    return true;
}

typedef struct oribi_retired {
    oribi_buffer *buffer;
    struct oribi_retired *next;
} oribi_retired;

bool oribi_context_retire(TF_OpKernelContext *ctx, const oribi_slot *slot)
{
    if (slot->stamp != ctx->stamp || slot->buffer == NULL ||
        (oribi_slot_count_open(slot) == 0 &&
         atomic_load_explicit(&ctx->remote, memory_order_acquire) == ORIBI_CONTEXT_BIAS)) {
        return true;
    }
    oribi_retired *retired = oribi_alloc_zero(1, sizeof *retired);
    if (retired == NULL) {
        return false;
    }
    oribi_buffer_retain(slot->buffer);
    oribi_mutex_lock(&ctx->lock);
    *retired = (oribi_retired){slot->buffer, ctx->retired};
    ctx->retired = retired;
    oribi_mutex_unlock(&ctx->lock);
    return true;
}

void oribi_context_drop_retired(TF_OpKernelContext *ctx)
{
    while (ctx->retired != NULL) {
        oribi_retired *next = ctx->retired->next;
        oribi_buffer_release(ctx->retired->buffer);
        oribi_free(ctx->retired);
        ctx->retired = next;
    }
}

void oribi_context_destroy(TF_OpKernelContext *ctx)
{
    if (ctx == NULL || ctx->failure == NULL) {
        return; /* never initialised */
    }
    oribi_context_drop_retired(ctx);
    while (ctx->spare_handles != NULL) {
        TF_Tensor *next = ctx->spare_handles->data;
        oribi_tensor_handle_free(ctx->spare_handles);
        ctx->spare_handles = next;
    }
    TF_DeleteStatus(ctx->failure);
    ctx->failure = NULL;
    oribi_context_drop_ticket(ctx);
    oribi_mutex_destroy(&ctx->lock);
    oribi_signal_release(ctx->signal);
}

void oribi_context_next_stamp(TF_OpKernelContext *ctx)
{
    ctx->stamp++;
    if (ctx->stamp == 0) {
        ctx->stamp = 1; /* slots start at 0, unset */
    }
}

void oribi_context_enter(TF_OpKernelContext *ctx)
{
    atomic_store_explicit(&ctx->owner.thread, oribi_thread_self(), memory_order_relaxed);
    oribi_context_set_slow(ctx, false);
    oribi_context_next_stamp(ctx);
    oribi_context_note(ctx);
    TF_SetStatus(ctx->failure, TF_OK, "");
}

void oribi_context_share(TF_OpKernelContext *ctx)
{
    atomic_store_explicit(&ctx->owner.thread, NULL, memory_order_relaxed);
    oribi_context_set_slow(ctx, false);
}

bool oribi_context_leave(TF_OpKernelContext *ctx)
{
    oribi_context_share(ctx);
    if (ctx->owner.open == 0 &&
        atomic_load_explicit(&ctx->remote, memory_order_acquire) == ORIBI_CONTEXT_BIAS) {
        return true;
    }
    /* From here on `remote` counts all open handles, and whoever brings it to 0 releases. */
    const int64_t change = ctx->owner.open - ORIBI_CONTEXT_BIAS;
    if (atomic_fetch_add_explicit(&ctx->remote, change, memory_order_acq_rel) + change == 0) {
        ctx->host->release(ctx);
    }
    return false;
}

bool oribi_context_collect(TF_OpKernelContext *ctx, int32_t n_slots)
{
    const int64_t remote = atomic_load_explicit(&ctx->remote, memory_order_acquire);
    if (ctx->owner.open + remote != ORIBI_CONTEXT_BIAS) {
        return true;
    }
    /* Other threads dropped handles that this one made: the sum is 0, the parts are not. */
    for (int32_t i = 0; i < n_slots; i++) {
        ctx->slots[i].open = 0;
        ctx->slots[i].has_own = ctx->slots[i].spare != NULL;
    }
    atomic_fetch_add_explicit(&ctx->remote, ctx->owner.open, memory_order_relaxed);
    ctx->owner.open = 0;
    return false;
}

void TF_OpKernelContext_Failure(TF_OpKernelContext *ctx, TF_Status *status)
{
    if (oribi_ok(status)) {
        return;
    }
    oribi_mutex_lock(&ctx->lock);
    const bool is_first = oribi_ok(ctx->failure);
    if (is_first) {
        oribi_status_copy(ctx->failure, status);
    }
    oribi_mutex_unlock(&ctx->lock);
    if (is_first) {
        oribi_signal_stop(ctx->signal, ORIBI_STOP_FAILED);
    }
}

void TF_OpKernelContext_UpdateStatus(TF_OpKernelContext *ctx, TF_Status *status)
{
    oribi_mutex_lock(&ctx->lock);
    oribi_status_copy(status, ctx->failure);
    oribi_mutex_unlock(&ctx->lock);
}

int oribi_context_why_stop(const TF_OpKernelContext *ctx)
{
    const int stop = atomic_load_explicit(ctx->stop, memory_order_acquire);
    if (stop != 0) {
        return stop;
    }
    if (ctx->called_off != NULL &&
        atomic_load_explicit(ctx->called_off, memory_order_relaxed) != 0) {
        return ORIBI_STOP_CANCELLED;
    }
    return ctx->deadline_ns != 0 && oribi_now_ns() >= ctx->deadline_ns ? ORIBI_STOP_DEADLINE : 0;
}

bool oribi_context_should_stop(TF_OpKernelContext *ctx)
{
    const int why = oribi_context_why_stop(ctx);
    if (why != 0) {
        oribi_signal_stop(ctx->signal, why);
    }
    return why != 0;
}

bool TF_OpKernelContext_IsCancelled(TF_OpKernelContext *ctx)
{
    return oribi_context_should_stop(ctx);
}

bool TF_OpKernelContext_MayOverwriteInput(TF_OpKernelContext *ctx, int i)
{
    return i >= 0 && i < ctx->step->n_inputs && ctx->host->may_overwrite != NULL &&
           oribi_context_is_running_thread(ctx) && ctx->host->may_overwrite(ctx, i);
}
