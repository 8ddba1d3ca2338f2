/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that are no node's: copies between the host and devices, and the host's waits. They are
 * kernels like any other, so that the walk over the steps knows nothing of devices.
 */
#include "session/session_internal.h"

/* Gives output 0 the shape of input 0; the caller deletes it. */
static TF_Tensor *make_output(TF_OpKernelContext *ctx, const oribi_slot *from, TF_Status *status)
{
    return TF_AllocateOutput(ctx, 0, from->dtype, from->dims, from->rank, from->bytes, status);
}

/* The stream of its own that the copy may go to; NULL: that of the kernels. Memory that no plan
 * knows is used again in the order of the kernels, so it stays there. */
static oribi_stream *beside(const oribi_transfer *transfer, TF_OpKernelContext *ctx, int32_t device,
                            const oribi_slot *slot)
{
    const bool is_planned = slot->storage == ORIBI_STORAGE_ARENA && !slot->is_spilled;
    return transfer->is_beside && is_planned
               ? ((oribi_frame *)ctx)->run->beside[device][transfer->kind]
               : NULL;
}

static bool copy_to_device(const oribi_transfer *transfer, TF_OpKernelContext *ctx,
                           const oribi_slot *from, const oribi_slot *to, TF_Status *status)
{
    oribi_stream *kernels = ctx->streams[transfer->to];
    oribi_stream *own = beside(transfer, ctx, transfer->to, to);
    return oribi_stream_to_device(own != NULL ? own : kernels, to->buffer, to->data, from->data,
                                  from->bytes, status) &&
           (own == NULL || oribi_stream_follow(kernels, own, status));
}

/* A copy that must stay with the kernels comes after those beside, as a wait for it says. */
static bool copy_to_host(const oribi_transfer *transfer, TF_OpKernelContext *ctx,
                         const oribi_slot *from, const oribi_slot *to, TF_Status *status)
{
    oribi_stream *kernels = ctx->streams[transfer->from];
    oribi_stream *own = beside(transfer, ctx, transfer->from, from);
    oribi_stream *stream = own != NULL ? own : kernels;
    if (own != NULL) {
        ORIBI_TRY(oribi_stream_follow(own, kernels, status));
    } else if (transfer->is_beside) {
        ORIBI_TRY(oribi_stream_follow(
            kernels, ((oribi_frame *)ctx)->run->beside[transfer->from][ORIBI_TO_HOST], status));
    }
    ORIBI_TRY(
        oribi_stream_to_host(stream, to->data, from->buffer, from->data, from->bytes, status));
    if (!transfer->is_awaited) {
        return true;
    }
    return ctx->deadline_ns != 0 ? oribi_stream_mark_aloud(kernels, transfer->mark, stream, status)
                                 : oribi_stream_mark(kernels, transfer->mark, stream, status);
}

/* The target's stream copies once the source is there; then the source may be written again. */
static bool copy_between(const oribi_transfer *transfer, TF_OpKernelContext *ctx,
                         const oribi_slot *from, const oribi_slot *to, TF_Status *status)
{
    oribi_stream *source = ctx->streams[transfer->from];
    oribi_stream *target = ctx->streams[transfer->to];
    return oribi_stream_follow(target, source, status) &&
           oribi_stream_on_device(target, to->buffer, to->data, from->buffer, from->data,
                                  from->bytes, status) &&
           oribi_stream_follow(source, target, status);
}

static void compute_copy(void *state, TF_OpKernelContext *ctx)
{
    static bool (*const copies[])(const oribi_transfer *, TF_OpKernelContext *, const oribi_slot *,
                                  const oribi_slot *,
                                  TF_Status *) = {copy_to_device, copy_to_host, copy_between};
    const oribi_transfer *transfer = state;
    TF_Status *status = TF_NewStatus();
    const oribi_slot *from = &ctx->slots[ctx->step->inputs[0]];
    TF_Tensor *output = make_output(ctx, from, status);
    if (output != NULL) {
        (void)copies[transfer->kind](transfer, ctx, from, &ctx->slots[ctx->step->outputs[0]],
                                     status);
    }
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteTensor(output);
    TF_DeleteStatus(status);
}

/* Once for all that the device still does: the kernels' stream ends after those beside. */
static bool join_streams(const oribi_run *run, int32_t device, TF_Status *status)
{
    for (int kind = 0; kind < 2; kind++) {
        oribi_stream *own = run->beside[device][kind];
        ORIBI_TRY(own == NULL || oribi_stream_follow(run->streams[device], own, status));
    }
    return true;
}

/* A failure beside need not show in the kernels' stream. */
static bool check_streams(const oribi_run *run, int32_t device, TF_Status *status)
{
    for (int kind = 0; kind < 2; kind++) {
        oribi_stream *own = run->beside[device][kind];
        ORIBI_TRY(own == NULL || oribi_stream_check(own, status));
    }
    return true;
}

static bool wait_for(const oribi_transfer *transfer, TF_OpKernelContext *ctx, oribi_run *run,
                     TF_Status *status)
{
    oribi_stream *stream = ctx->streams[transfer->from];
    const bool is_one = transfer->kind == ORIBI_WAIT;
    run->n_waits++;
    ORIBI_TRY(is_one || join_streams(run, transfer->from, status));
    ORIBI_TRY(ctx->deadline_ns == 0 || oribi_stream_await(stream, is_one ? transfer->mark : -1,
                                                          ctx->deadline_ns, ctx->stop, status));
    return (is_one ? oribi_stream_wait(stream, transfer->mark, status)
                   : oribi_stream_wait_all(stream, status)) &&
           check_streams(run, transfer->from, status);
}

static void compute_wait(void *state, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    (void)wait_for(state, ctx, ((oribi_frame *)ctx)->run, status);
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteStatus(status);
}

#define TRANSFER_KERNEL(op, name, function)                                                        \
    {                                                                                              \
        .op_name = (op), .device_type = "CPU", .label = "", .kernel_name = (name),                 \
        .provider = "built-in", .compute = (function)                                              \
    }

const oribi_kernel_def *oribi_transfer_kernel(oribi_transfer_kind kind)
{
    static const oribi_kernel_def kernels[] = {
        TRANSFER_KERNEL("Copy", "to device", compute_copy),
        TRANSFER_KERNEL("Copy", "to host", compute_copy),
        TRANSFER_KERNEL("Copy", "between devices", compute_copy),
        TRANSFER_KERNEL("Wait", "for a copy", compute_wait),
        TRANSFER_KERNEL("Wait", "for all", compute_wait),
    };
    return &kernels[kind];
}
