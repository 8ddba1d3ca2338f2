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

static bool copy_to_device(const oribi_transfer *transfer, TF_OpKernelContext *ctx,
                           const oribi_slot *from, const oribi_slot *to, TF_Status *status)
{
    return oribi_stream_to_device(ctx->streams[transfer->to], to->buffer, to->data, from->data,
                                  from->bytes, status);
}

static bool copy_to_host(const oribi_transfer *transfer, TF_OpKernelContext *ctx,
                         const oribi_slot *from, const oribi_slot *to, TF_Status *status)
{
    oribi_stream *stream = ctx->streams[transfer->from];
    ORIBI_TRY(
        oribi_stream_to_host(stream, to->data, from->buffer, from->data, from->bytes, status));
    if (!transfer->is_awaited) {
        return true;
    }
    return ctx->deadline_ns != 0 ? oribi_stream_mark_aloud(stream, transfer->mark, status)
                                 : oribi_stream_mark(stream, transfer->mark, status);
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

static void compute_wait(void *state, TF_OpKernelContext *ctx)
{
    const oribi_transfer *transfer = state;
    oribi_stream *stream = ctx->streams[transfer->from];
    oribi_frame *frame = (oribi_frame *)ctx;
    TF_Status *status = TF_NewStatus();
    const bool is_one = transfer->kind == ORIBI_WAIT;
    frame->run->n_waits++;
    if (ctx->deadline_ns == 0 || oribi_stream_await(stream, is_one ? transfer->mark : -1,
                                                    ctx->deadline_ns, ctx->stop, status)) {
        (void)(is_one ? oribi_stream_wait(stream, transfer->mark, status)
                      : oribi_stream_wait_all(stream, status));
    }
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
