/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel of a flight asks for that is not in its slots at once. It asks on any thread,
 * perhaps on several, perhaps when its run is over: all that changes here is the flight's own. The
 * requests of kernels that run in step are served in the same way, with less care: ../frame_host.c.
 */
#include "base/alloc.h"
#include "session/flight/flight.h"

static oribi_flight *flight_of(const TF_OpKernelContext *ctx)
{
    return (oribi_flight *)(uintptr_t)ctx;
}

/* Notes for the next plan what output `index` was asked for. */
static void wish_for(oribi_flight *flight, int index, oribi_wish_kind kind, int32_t from,
                     const int64_t *dims, int rank, size_t bytes)
{
    oribi_mutex_lock(&flight->ctx.lock);
    flight->wishes[index] = oribi_wish_make(kind, from, dims, rank, bytes);
    oribi_mutex_unlock(&flight->ctx.lock);
}

/* --- Storage --------------------------------------------------------------------------------- */

static oribi_buffer *make_buffer(const oribi_flight *flight, int32_t device, TF_DataType dtype,
                                 size_t bytes, const char *what, TF_Status *status)
{
    const oribi_session *session = flight->frame->session;
    oribi_buffer *buffer =
        device != 0
            ? oribi_device_allocate(session->devices[device].device, flight->ctx.streams[device],
                                    session->devices[device].account, bytes, status)
            : oribi_meter_buffer(session->meter, bytes, what, status);
    if (buffer != NULL) {
        oribi_buffer_begin_elements(buffer, dtype);
    }
    return buffer;
}

/* The reference is taken over. */
static void own(oribi_slot *slot, oribi_buffer *buffer, void *data, size_t bytes)
{
    if (slot->is_spilled) {
        oribi_buffer_release(slot->buffer);
    }
    slot->is_spilled = true;
    slot->storage = ORIBI_STORAGE_HEAP;
    slot->buffer = buffer;
    slot->data = data;
    slot->bytes = bytes;
    slot->row_stride = 0;
}

static bool give_storage(oribi_flight *flight, oribi_slot *slot, size_t bytes, TF_Status *status)
{
    if (!slot->is_spilled && slot->request == ORIBI_REQUEST_ALLOCATE && bytes <= slot->capacity) {
        slot->bytes = bytes;
        return true;
    }
    oribi_buffer *buffer =
        make_buffer(flight, slot->device, slot->dtype, bytes, "an unplanned value", status);
    if (buffer != NULL) {
        own(slot, buffer, buffer->data, bytes);
    }
    return buffer != NULL;
}

static bool finish_slot(const oribi_flight *flight, oribi_slot *slot, const int64_t *dims, int rank,
                        TF_Status *status)
{
    ORIBI_TRY(oribi_slot_set_dims(slot, dims, rank) || oribi_fail_memory(status));
    slot->stamp = flight->ctx.stamp;
    return true;
}

/* Nothing is taken over from an input: others may read it until the flight lands. */
static bool flight_allocate_output(TF_OpKernelContext *ctx, int index, const int64_t *dims,
                                   int rank, const int *candidates, int n_candidates,
                                   int *out_forwarded, TF_Status *status)
{
    oribi_flight *flight = flight_of(ctx);
    oribi_slot *slot = &ctx->slots[ctx->step->outputs[index]];
    size_t bytes = 0;
    (void)candidates;
    (void)n_candidates;
    *out_forwarded = -1;
    ORIBI_TRY(oribi_check_inferred(ctx, index, dims, rank, status));
    ORIBI_TRY(oribi_size_of_dims(dims, rank, oribi_dtype_bytes(slot->dtype), &bytes) ||
              oribi_fail_memory(status));
    wish_for(flight, index, ORIBI_WISH_ALLOCATE, -1, dims, rank, bytes);
    return give_storage(flight, slot, bytes, status) &&
           finish_slot(flight, slot, dims, rank, status);
}

/* --- Outputs that are set -------------------------------------------------------------------- */

/* from: the slot behind the tensor; NULL: it has a buffer of its own. */
static bool copy_to(oribi_flight *flight, oribi_slot *slot, const TF_Tensor *tensor,
                    const oribi_slot *from, size_t bytes, TF_Status *status)
{
    const oribi_buffer *buffer = from != NULL ? from->buffer : tensor->buffer;
    const int32_t device =
        from != NULL ? from->device : oribi_frame_device_of(flight->frame, tensor->buffer);
    const void *data = tensor->data;
    ORIBI_TRY(give_storage(flight, slot, bytes, status));
    return bytes == 0 || slot->data == data ||
           oribi_frame_move(flight->frame, slot, buffer, device, data, bytes, status);
}

static int32_t seen_ordinal(oribi_flight *flight, const oribi_buffer *buffer)
{
    int32_t ordinal = -1;
    oribi_mutex_lock(&flight->ctx.lock);
    for (int32_t i = 0; i < flight->seen.n; i++) {
        ordinal = flight->seen.temps[i].buffer == buffer ? flight->seen.temps[i].ordinal : ordinal;
    }
    oribi_mutex_unlock(&flight->ctx.lock);
    return ordinal;
}

/* A tensor of the kernel's own: the output takes a reference. */
static bool set_plain(oribi_flight *flight, int index, oribi_slot *slot, const TF_Tensor *tensor,
                      size_t bytes, TF_Status *status)
{
    if (oribi_frame_device_of(flight->frame, tensor->buffer) != slot->device) {
        wish_for(flight, index, ORIBI_WISH_ALLOCATE, -1, tensor->dims, tensor->rank, bytes);
        return copy_to(flight, slot, tensor, NULL, bytes, status);
    }
    const int32_t ordinal = seen_ordinal(flight, tensor->buffer);
    wish_for(flight, index, ordinal >= 0 ? ORIBI_WISH_TEMP : ORIBI_WISH_EXTERNAL, ordinal,
             tensor->dims, tensor->rank, bytes);
    oribi_buffer_retain(tensor->buffer);
    own(slot, tensor->buffer, tensor->data, bytes);
    return true;
}

/* The value of the session behind a slot of the flight, or the ordinal of a temporary. */
static int32_t number_of(const oribi_flight *flight, const oribi_slot *slot, bool *out_is_temp)
{
    const oribi_session_step *step = &flight->frame->session->steps[flight->step];
    const int32_t i = (int32_t)(slot - flight->ctx.slots);
    *out_is_temp = i >= flight->io.first_temp;
    return *out_is_temp              ? i - flight->io.first_temp
           : i < flight->io.n_inputs ? step->inputs[i]
                                     : step->outputs[i - flight->io.n_inputs];
}

/* A handle on a slot of this flight. */
static bool set_from_slot(oribi_flight *flight, int index, oribi_slot *slot, const oribi_slot *from,
                          const TF_Tensor *tensor, size_t bytes, TF_Status *status)
{
    const bool is_fixed =
        from->storage == ORIBI_STORAGE_CONSTANT || from->storage == ORIBI_STORAGE_CALLER;
    bool is_temp = false;
    const int32_t number = number_of(flight, from, &is_temp);
    oribi_wish_kind kind = is_temp ? ORIBI_WISH_TEMP : ORIBI_WISH_VIEW;
    if (from->device != slot->device || (is_fixed && slot->is_output)) {
        kind = ORIBI_WISH_ALLOCATE; /* what the application gets is never its own input */
    } else if (is_fixed) {
        kind = ORIBI_WISH_EXTERNAL;
    }
    const bool is_view = kind == ORIBI_WISH_VIEW || kind == ORIBI_WISH_TEMP;
    wish_for(flight, index, kind, is_view ? number : -1, tensor->dims, tensor->rank, bytes);
    if (kind == ORIBI_WISH_EXTERNAL) {
        if (slot->is_spilled) {
            oribi_buffer_release(slot->buffer);
        }
        slot->is_spilled = false;
        slot->storage = from->storage;
        slot->buffer = from->buffer;
        slot->data = tensor->data;
        slot->bytes = bytes;
        slot->row_stride = 0;
        return true;
    }
    if (from->device == slot->device && from->buffer != NULL &&
        (from->storage == ORIBI_STORAGE_HEAP || oribi_dtype_owns(slot->dtype))) {
        oribi_buffer_retain(from->buffer); /* elements that own memory are not moved by bytes */
        own(slot, from->buffer, tensor->data, bytes);
        return true;
    }
    if (!slot->is_spilled && slot->request == ORIBI_REQUEST_VIEW && slot->data == tensor->data &&
        bytes <= slot->capacity) {
        slot->bytes = bytes;
        return true;
    }
    return copy_to(flight, slot, tensor, from, bytes, status);
}

static bool flight_set_output(TF_OpKernelContext *ctx, int index, const TF_Tensor *tensor,
                              TF_Status *status)
{
    oribi_flight *flight = flight_of(ctx);
    oribi_slot *slot = &ctx->slots[ctx->step->outputs[index]];
    const oribi_slot *from = oribi_context_slot_of(ctx, tensor);
    size_t bytes = 0;
    ORIBI_TRY(oribi_check_set(ctx, index, tensor, &bytes, status));
    bool ok = true;
    if (from == slot && slot->stamp == ctx->stamp) {
        slot->bytes = bytes; /* its own storage under another shape */
    } else if (from != NULL) {
        ok = set_from_slot(flight, index, slot, from, tensor, bytes, status);
    } else if (tensor->buffer != NULL) {
        ok = set_plain(flight, index, slot, tensor, bytes, status);
    } else { /* kept from an earlier run */
        wish_for(flight, index, ORIBI_WISH_ALLOCATE, -1, tensor->dims, tensor->rank, bytes);
        ok = copy_to(flight, slot, tensor, tensor->slot, bytes, status);
    }
    return ok && finish_slot(flight, slot, tensor->dims, tensor->rank, status);
}

/* --- Temporaries ----------------------------------------------------------------------------- */

/* The next ordinal; the slot that is planned for it, when the request fits it. */
static oribi_slot *next_temp(oribi_flight *flight, TF_DataType dtype, const int64_t *dims, int rank,
                             size_t bytes, bool on_host, int32_t *out_ordinal)
{
    oribi_slot *slot = NULL;
    oribi_mutex_lock(&flight->ctx.lock);
    *out_ordinal = flight->n_temps++;
    oribi_mutex_unlock(&flight->ctx.lock);
    if (*out_ordinal < flight->io.n_temps && !on_host && rank <= ORIBI_INLINE_RANK &&
        !oribi_dtype_owns(dtype)) {
        slot = &flight->ctx.slots[flight->io.first_temp + *out_ordinal];
        if (bytes > slot->capacity) {
            return NULL;
        }
        slot->bytes = bytes;
        slot->dtype = dtype;
        slot->stamp = flight->ctx.stamp;
        (void)oribi_slot_set_dims(slot, dims, rank);
    }
    return slot;
}

static TF_Tensor *flight_allocate_temp(TF_OpKernelContext *ctx, TF_DataType dtype,
                                       const int64_t *dims, int rank, bool on_host,
                                       TF_Status *status)
{
    oribi_flight *flight = flight_of(ctx);
    const int32_t device = on_host ? 0 : ctx->step->device;
    size_t bytes = 0;
    int32_t ordinal = 0;
    if (!oribi_size_of_dims(dims, rank, oribi_dtype_bytes(dtype), &bytes)) {
        oribi_fail_memory(status);
        return NULL;
    }
    oribi_slot *slot = next_temp(flight, dtype, dims, rank, bytes, on_host, &ordinal);
    if (slot != NULL) {
        return oribi_context_handle(ctx, slot, status);
    }
    oribi_buffer *buffer = make_buffer(flight, device, dtype, bytes, "a temporary", status);
    TF_Tensor *tensor = buffer != NULL ? oribi_tensor_handle(dtype, dims, rank) : NULL;
    if (tensor == NULL ||
        (!oribi_dtype_owns(dtype) &&
         !oribi_seen_add(ctx, &flight->seen,
                         &(oribi_seen_temp){buffer, ordinal, device != ctx->step->device},
                         status))) {
        if (oribi_ok(status)) {
            oribi_fail_memory(status);
        }
        TF_DeleteTensor(tensor);
        oribi_buffer_release(buffer);
        return NULL;
    }
    tensor->buffer = buffer;
    tensor->data = buffer->data;
    tensor->bytes = bytes;
    return tensor;
}

static void flight_release(TF_OpKernelContext *ctx)
{
    oribi_frame_drop(flight_of(ctx)->frame);
}

static oribi_buffer *flight_allocate_lasting(TF_OpKernelContext *ctx, size_t bytes,
                                             TF_Status *status)
{
    return oribi_meter_buffer(flight_of(ctx)->frame->session->meter, bytes,
                              "an element of a list, or texts", status);
}

const oribi_context_host oribi_flight_host = {
    flight_allocate_output, flight_set_output, flight_allocate_temp, flight_release, NULL,
    flight_allocate_lasting};
