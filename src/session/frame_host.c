/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of kernels that the plan does not serve at once: served from the planned place when they
 * fit there, else from the heap, and noted for the next plan.
 *
 * The record of the plan is read without a lock, because it does not change; only news takes one.
 */
#include <string.h>

#include "base/alloc.h"
#include "op/traits.h"
#include "session/batch/batch.h"
#include "session/session_guard.h"
#include "session/session_internal.h"

static oribi_wish with_room(const oribi_frame *frame, int32_t value, const oribi_wish *wish)
{
    const oribi_wish *known = &frame->plan->record->values[value];
    oribi_wish result = *wish;
    if (known->kind != ORIBI_WISH_NONE && known->kind != ORIBI_WISH_GUESS &&
        wish->bytes > known->bytes) {
        result.bytes = oribi_bounds_room(frame->session, frame->run, wish->bytes);
    }
    return result;
}

bool oribi_frame_note(oribi_frame *frame, int32_t value, const oribi_wish *given, TF_Status *status)
{
    bool ok = true;
    const oribi_wish whole = oribi_batch_whole_wish(frame, value, given);
    if (!oribi_record_is_news(frame->plan->record, value, &whole)) {
        return true;
    }
    const oribi_wish roomy = with_room(frame, value, &whole), *wish = &roomy;
    oribi_mutex_lock(&frame->ctx.lock);
    if (frame->news == NULL) {
        frame->news = oribi_record_copy(frame->plan->record, status);
        ok = frame->news != NULL;
    }
    if (ok && oribi_record_is_news(frame->news, value, wish)) {
        oribi_record_note(frame->news, value, wish);
    }
    oribi_mutex_unlock(&frame->ctx.lock);
    return ok;
}

static bool finish_slot(const oribi_frame *frame, oribi_slot *slot, const int64_t *dims, int rank,
                        TF_Status *status)
{
    ORIBI_TRY(oribi_slot_set_dims(slot, dims, rank) || oribi_fail_memory(status));
    oribi_guard_give(frame, slot->data, slot->row_stride == 0 ? slot->bytes : 0);
    slot->stamp = frame->ctx.stamp;
    return true;
}

/* Storage of its own: the planned place, or the heap until the end of the run. */
static bool give_storage(oribi_frame *frame, int32_t value, size_t bytes, TF_Status *status)
{
    oribi_slot *slot = &frame->ctx.slots[value];
    if (!slot->is_spilled && slot->request == ORIBI_REQUEST_ALLOCATE && bytes <= slot->capacity &&
        !(frame->ctx.is_slow && oribi_frame_overlaps_pin(frame, slot->data, bytes))) {
        slot->bytes = bytes;
        return true;
    }
    oribi_buffer *buffer = oribi_frame_buffer(frame, slot->device, bytes, status);
    if (buffer == NULL) {
        return false;
    }
    oribi_buffer_begin_elements(buffer, slot->dtype);
    oribi_frame_spill(frame, value, buffer, bytes);
    return true;
}

/* Shapes are known for the whole batch, the kernel saw a few images. */
static bool agrees_in_turn(int64_t images, const oribi_shape *given, const oribi_shape *whole)
{
    const oribi_shape one = {given->rank - 1, given->dims + 1};
    const oribi_shape other = {whole->rank - 1, whole->dims + 1};
    return given->rank >= 1 && given->rank == whole->rank && given->dims[0] == images &&
           oribi_shape_agrees(&one, &other);
}

bool oribi_check_inferred(TF_OpKernelContext *ctx, int index, const int64_t *dims, int rank,
                          TF_Status *status)
{
    const oribi_kernel *kernel = ctx->step->kernel;
    const oribi_shape given = {rank, (int64_t *)dims};
    if (kernel->node->output_shapes == NULL ||
        oribi_shape_agrees(&given, &kernel->node->output_shapes[index]) ||
        (ctx->images > 0 &&
         agrees_in_turn(ctx->images, &given, &kernel->node->output_shapes[index]))) {
        return true;
    }
    oribi_text text = {0};
    oribi_shape_print(&given, &text);
    oribi_text_append(&text, ", but the op's shape function says ");
    oribi_shape_print(&kernel->node->output_shapes[index], &text);
    oribi_fail(status, TF_INTERNAL, "output %d of node '%s' from kernel '%s' of %s has shape %s",
               index, kernel->node->name, kernel->def->kernel_name, kernel->def->provider,
               oribi_text_string(&text));
    oribi_text_destroy(&text);
    TF_OpKernelContext_Failure(ctx, status);
    return false;
}

bool oribi_check_set(TF_OpKernelContext *ctx, int index, const TF_Tensor *tensor, size_t *out_bytes,
                     TF_Status *status)
{
    if (!oribi_size_of_dims(tensor->dims, tensor->rank, oribi_dtype_bytes(tensor->dtype),
                            out_bytes) ||
        *out_bytes > tensor->bytes || tensor->data == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "output %d of node '%s': the tensor that was set has a shape that does "
                          "not fit its %zu bytes",
                          index, ctx->step->kernel->node->name, tensor->bytes);
    }
    return oribi_check_inferred(ctx, index, tensor->dims, tensor->rank, status);
}

/* --- Outputs that are allocated or forwarded ------------------------------------------------- */

static bool handles_are_closed(const oribi_frame *frame, const oribi_slot *slot)
{
    return oribi_slot_count_open(slot) == 0 &&
           atomic_load_explicit(&frame->ctx.remote, memory_order_acquire) == ORIBI_CONTEXT_BIAS;
}

/* First candidate that the output could take over, as far as one can tell before planning. */
static int find_forward(const oribi_frame *frame, int32_t value, size_t bytes,
                        const int *candidates, int n)
{
    const oribi_step_io *step = frame->ctx.step;
    const oribi_session_value *values = frame->session->values;
    for (int i = 0; i < n; i++) {
        const int32_t u = step->inputs[candidates[i]];
        if (u < 0) {
            continue;
        }
        const oribi_slot *slot = &frame->ctx.slots[u];
        if (values[u].producer >= 0 && values[u].n_uses == 1 && !values[u].is_output &&
            values[u].device == values[value].device && values[u].dtype == values[value].dtype &&
            slot->bytes == bytes && !oribi_dtype_owns(slot->dtype) &&
            handles_are_closed(frame, slot)) {
            return candidates[i];
        }
    }
    return -1;
}

/* The planned forward, when its conditions hold in this run too. */
static bool takes_planned_forward(const oribi_frame *frame, const oribi_slot *slot, size_t bytes,
                                  const int *candidates, int n)
{
    if (slot->is_spilled || slot->request != ORIBI_REQUEST_FORWARD || bytes > slot->capacity) {
        return false;
    }
    const oribi_slot *source = &frame->ctx.slots[frame->ctx.step->inputs[slot->forward_from]];
    bool is_candidate = false;
    for (int i = 0; i < n; i++) {
        is_candidate |= candidates[i] == slot->forward_from;
    }
    return is_candidate && source->data == slot->data && handles_are_closed(frame, source) &&
           source->bytes == bytes &&
           !(frame->ctx.is_slow && oribi_frame_overlaps_pin(frame, slot->data, bytes));
}

/* May the kernel write so many bytes over its input `index`? As many as it has, or, where it joins,
 * those before what it writes behind them. */
static bool fits_below(const oribi_frame *frame, int index, size_t bytes)
{
    const oribi_node *node = frame->session->steps[frame->step].node;
    const size_t before = frame->ctx.slots[frame->ctx.step->inputs[index]].bytes;
    oribi_traits traits;
    if (bytes <= before) {
        return bytes == before;
    }
    oribi_op_traits(node->op, &node->attrs, &node->signature, &traits);
    return (traits.is & ORIBI_TRAIT_JOINS) != 0 && index == traits.data;
}

/* The candidate that lies where the caller wants the output; -1: none. */
static int find_below(const oribi_frame *frame, int32_t value, const oribi_shape *shape,
                      size_t bytes, const int *candidates, int n)
{
    const oribi_session *session = frame->session;
    const oribi_run *run = frame->run;
    for (int32_t k = 0; run != NULL && n > 0 && k < session->n_outputs; k++) {
        const int32_t input = run->shared[k].input;
        if (session->outputs[k] != value || input < 0) {
            continue;
        }
        const oribi_shape own = {run->own[k]->rank, run->own[k]->dims};
        const int32_t u = session->inputs[input];
        const oribi_slot *source = &frame->ctx.slots[u];
        for (int i = 0; i < n; i++) {
            if (frame->ctx.step->inputs[candidates[i]] == u && oribi_shape_equal(&own, shape) &&
                fits_below(frame, candidates[i], bytes) && handles_are_closed(frame, source)) {
                return candidates[i];
            }
        }
    }
    return -1;
}

static bool host_allocate_output(TF_OpKernelContext *ctx, int index, const int64_t *dims, int rank,
                                 const int *candidates, int n_candidates, int *out_forwarded,
                                 TF_Status *status)
{
    oribi_frame *frame = (oribi_frame *)ctx;
    const int32_t value = ctx->step->outputs[index];
    oribi_slot *slot = &ctx->slots[value];
    size_t bytes = 0;
    *out_forwarded = -1;
    ORIBI_TRY(oribi_check_inferred(ctx, index, dims, rank, status));
    ORIBI_TRY(oribi_size_of_dims(dims, rank, oribi_dtype_bytes(slot->dtype), &bytes) ||
              oribi_fail_memory(status));
    if (takes_planned_forward(frame, slot, bytes, candidates, n_candidates)) {
        *out_forwarded = slot->forward_from;
        slot->bytes = bytes;
        return finish_slot(frame, slot, dims, rank, status);
    }
    const oribi_shape shape = {rank, (int64_t *)(uintptr_t)dims};
    const int below =
        slot->is_output ? find_below(frame, value, &shape, bytes, candidates, n_candidates) : -1;
    if (below >= 0) {
        const oribi_slot *source = &ctx->slots[ctx->step->inputs[below]];
        oribi_frame_alias(frame, value, source, source->data, bytes);
        *out_forwarded = below;
        return finish_slot(frame, slot, dims, rank, status);
    }
    const int from = find_forward(frame, value, bytes, candidates, n_candidates);
    const oribi_wish wish = oribi_wish_make(from >= 0 ? ORIBI_WISH_FORWARD : ORIBI_WISH_ALLOCATE,
                                            from, dims, rank, bytes);
    return oribi_frame_note(frame, value, &wish, status) &&
           give_storage(frame, value, bytes, status) &&
           finish_slot(frame, slot, dims, rank, status);
}

/* --- Outputs that are set -------------------------------------------------------------------- */

/* from: the slot behind the tensor, of this run or of another; NULL: it is a plain one. */
static bool copy_to_output(oribi_frame *frame, int32_t value, const TF_Tensor *tensor,
                           const oribi_slot *from, size_t bytes, TF_Status *status)
{
    oribi_slot *slot = &frame->ctx.slots[value];
    const oribi_buffer *buffer = from != NULL ? from->buffer : tensor->buffer;
    const int32_t device =
        from != NULL ? from->device : oribi_frame_device_of(frame, tensor->buffer);
    const void *data = tensor->data;
    ORIBI_TRY(give_storage(frame, value, bytes, status));
    return bytes == 0 || slot->data == data ||
           oribi_frame_move(frame, slot, buffer, device, data, bytes, status);
}

/* Ordinal of the step's temporary behind the buffer, or -1. */
static int32_t seen_ordinal(oribi_frame *frame, const oribi_buffer *buffer)
{
    int32_t ordinal = -1;
    oribi_mutex_lock(&frame->ctx.lock);
    for (int32_t i = 0; i < frame->seen.n; i++) {
        if (frame->seen.temps[i].buffer == buffer) {
            ordinal = frame->seen.temps[i].ordinal;
        }
    }
    oribi_mutex_unlock(&frame->ctx.lock);
    return ordinal;
}

/* A tensor of the kernel's own: the output takes a reference. */
static bool set_plain(oribi_frame *frame, int32_t value, const TF_Tensor *tensor, size_t bytes,
                      TF_Status *status)
{
    if (oribi_frame_device_of(frame, tensor->buffer) != frame->ctx.slots[value].device) {
        const oribi_wish copy =
            oribi_wish_make(ORIBI_WISH_ALLOCATE, -1, tensor->dims, tensor->rank, bytes);
        return oribi_frame_note(frame, value, &copy, status) &&
               copy_to_output(frame, value, tensor, NULL, bytes, status);
    }
    const int32_t ordinal = seen_ordinal(frame, tensor->buffer);
    const oribi_wish wish = oribi_wish_make(ordinal >= 0 ? ORIBI_WISH_TEMP : ORIBI_WISH_EXTERNAL,
                                            ordinal, tensor->dims, tensor->rank, bytes);
    ORIBI_TRY(oribi_frame_note(frame, value, &wish, status));
    oribi_buffer_retain(tensor->buffer);
    oribi_frame_spill(frame, value, tensor->buffer, bytes);
    frame->ctx.slots[value].data = tensor->data;
    return true;
}

/* The same for a slot of this run, whose bytes a kernel may write after it has set the output: both
 * are one storage until the step ends (oribi_frame_finish_step). */
static bool copy_at_end(oribi_frame *frame, int32_t index, const oribi_slot *from,
                        const TF_Tensor *tensor, size_t bytes, TF_Status *status)
{
    const int32_t value = frame->ctx.step->outputs[index];
    oribi_slot *slot = &frame->ctx.slots[value];
    ORIBI_TRY(give_storage(frame, value, bytes, status));
    if (bytes > 0 && slot->data != tensor->data) {
        frame->late[index] =
            (oribi_late_copy){.to = slot->data, .from = (int32_t)(from - frame->ctx.slots)};
        slot->data = tensor->data;
        atomic_store_explicit(&frame->has_late, true, memory_order_relaxed);
        oribi_context_note(&frame->ctx);
    }
    return true;
}

/* A handle on a slot of this run. */
static bool set_from_slot(oribi_frame *frame, int32_t index, const oribi_slot *from,
                          const TF_Tensor *tensor, size_t bytes, TF_Status *status)
{
    const int32_t value = frame->ctx.step->outputs[index];
    oribi_slot *slot = &frame->ctx.slots[value];
    const int32_t source = (int32_t)(from - frame->ctx.slots);
    const bool is_fixed =
        from->storage == ORIBI_STORAGE_CONSTANT || from->storage == ORIBI_STORAGE_CALLER;
    /* What the application gets is never its own input, but for elements that own memory: their
     * bytes are no copy, and both would free it. */
    const bool is_copied = slot->is_output && !oribi_dtype_owns(slot->dtype);
    oribi_wish wish = oribi_wish_make(ORIBI_WISH_VIEW, source, tensor->dims, tensor->rank, bytes);
    if (from->device != slot->device) {
        wish.kind = ORIBI_WISH_ALLOCATE;
        wish.from = -1;
        return oribi_frame_note(frame, value, &wish, status) &&
               copy_to_output(frame, value, tensor, from, bytes, status);
    }
    if (source >= frame->plan->n_values) {
        wish.kind = ORIBI_WISH_TEMP;
        wish.from = source - frame->ctx.step->first_temp;
    } else if (is_fixed) {
        wish.kind = is_copied ? ORIBI_WISH_ALLOCATE : ORIBI_WISH_EXTERNAL;
        wish.from = -1;
    }
    ORIBI_TRY(oribi_frame_note(frame, value, &wish, status));
    if (is_fixed && !is_copied) {
        oribi_frame_alias(frame, value, from, tensor->data, bytes);
        return true;
    }
    if (from->storage == ORIBI_STORAGE_HEAP) {
        oribi_buffer_retain(from->buffer);
        oribi_frame_spill(frame, value, from->buffer, bytes);
        slot->data = tensor->data;
        return true;
    }
    if (!slot->is_spilled && slot->request == ORIBI_REQUEST_VIEW && slot->data == tensor->data &&
        bytes <= slot->capacity) {
        slot->bytes = bytes;
        return true;
    }
    return copy_at_end(frame, index, from, tensor, bytes, status);
}

static bool host_set_output(TF_OpKernelContext *ctx, int index, const TF_Tensor *tensor,
                            TF_Status *status)
{
    oribi_frame *frame = (oribi_frame *)ctx;
    const int32_t value = ctx->step->outputs[index];
    oribi_slot *slot = &ctx->slots[value];
    const oribi_slot *from = oribi_context_slot_of(ctx, tensor);
    size_t bytes = 0;
    ORIBI_TRY(oribi_check_set(ctx, index, tensor, &bytes, status));
    bool ok = true;
    if (from == slot && slot->stamp == ctx->stamp) {
        slot->bytes = bytes; /* its own storage under another shape */
    } else if (from != NULL) {
        ok = set_from_slot(frame, index, from, tensor, bytes, status);
    } else if (tensor->buffer != NULL) {
        ok = set_plain(frame, value, tensor, bytes, status);
    } else { /* kept from an earlier run */
        const oribi_wish wish =
            oribi_wish_make(ORIBI_WISH_ALLOCATE, -1, tensor->dims, tensor->rank, bytes);
        ok = oribi_frame_note(frame, value, &wish, status) &&
             copy_to_output(frame, value, tensor, tensor->slot, bytes, status);
    }
    return ok && finish_slot(frame, slot, tensor->dims, tensor->rank, status);
}

/* --- Temporaries ----------------------------------------------------------------------------- */

bool oribi_seen_add(TF_OpKernelContext *ctx, oribi_seen *seen, const oribi_seen_temp *temp,
                    TF_Status *status)
{
    bool ok = true;
    oribi_mutex_lock(&ctx->lock);
    if (seen->n == seen->capacity) {
        const int32_t capacity = seen->capacity * 2 + 8;
        oribi_seen_temp *temps =
            oribi_realloc_array(seen->temps, (size_t)capacity, sizeof *seen->temps);
        ok = temps != NULL || oribi_fail_memory(status);
        if (ok) {
            seen->temps = temps;
            seen->capacity = capacity;
        }
    }
    if (ok) {
        oribi_buffer_retain(temp->buffer);
        seen->temps[seen->n++] = *temp;
        oribi_context_note(ctx);
    }
    oribi_mutex_unlock(&ctx->lock);
    return ok;
}

void oribi_seen_clear(oribi_seen *seen)
{
    for (int32_t i = 0; i < seen->n; i++) {
        oribi_buffer_release(seen->temps[i].buffer);
    }
    seen->n = 0;
}

/* Host memory that a kernel of a device asks for is for its copies, as TensorFlow has it. */
static oribi_buffer *host_temp(oribi_frame *frame, int32_t device, size_t bytes, TF_Status *status)
{
    oribi_session *session = frame->session;
    if (frame->run != NULL && frame->run->trace != NULL) {
        oribi_run_trace_alloc(frame->run, session->steps[frame->step].node->name, bytes);
    }
    return oribi_meter_device_buffer(session->meter, session->devices[device].device, bytes,
                                     "a temporary in host memory", status);
}

static TF_Tensor *host_allocate_temp(TF_OpKernelContext *ctx, TF_DataType dtype,
                                     const int64_t *dims, int rank, bool on_host, TF_Status *status)
{
    oribi_frame *frame = (oribi_frame *)ctx;
    const int32_t device = on_host ? 0 : ctx->step->device;
    size_t bytes = 0;
    TF_Tensor *tensor = NULL;
    if (!oribi_size_of_dims(dims, rank, oribi_dtype_bytes(dtype), &bytes)) {
        oribi_fail_memory(status);
        return NULL;
    }
    oribi_buffer *buffer = on_host && !oribi_dtype_owns(dtype)
                               ? host_temp(frame, ctx->step->device, bytes, status)
                               : oribi_frame_buffer(frame, device, bytes, status);
    if (buffer == NULL) {
        return NULL;
    }
    oribi_buffer_begin_elements(buffer, dtype);
    const oribi_seen_temp temp = {buffer, ctx->n_temps - 1, device != ctx->step->device};
    if (!oribi_dtype_owns(dtype) && oribi_context_is_running_thread(ctx) &&
        !oribi_seen_add(ctx, &frame->seen, &temp, status)) {
        goto failed;
    }
    tensor = oribi_tensor_handle(dtype, dims, rank);
    if (tensor == NULL) {
        oribi_fail_memory(status);
        goto failed;
    }
    tensor->buffer = buffer;
    tensor->data = buffer->data;
    tensor->bytes = bytes;
    return tensor;
failed:
    oribi_buffer_release(buffer);
    return NULL;
}

/* Planned places alone: what a kernel handed over, or kept, may be somebody else's too. */
static bool host_may_overwrite(const TF_OpKernelContext *ctx, int input)
{
    const oribi_session_value *values = ((const oribi_frame *)ctx)->session->values;
    const oribi_step_io *step = ctx->step;
    const int32_t u = step->inputs[input];
    if (u < 0 || ctx->is_slow) {
        return false;
    }
    const oribi_slot *slot = &ctx->slots[u];
    if (values[u].producer < 0 || values[u].n_uses != 1 || values[u].is_output ||
        oribi_dtype_owns(slot->dtype) || slot->storage != ORIBI_STORAGE_ARENA || slot->is_spilled ||
        slot->request != ORIBI_REQUEST_ALLOCATE || slot->row_stride != 0 ||
        oribi_slot_count_open(slot) > 1 ||
        atomic_load_explicit(&((TF_OpKernelContext *)ctx)->remote, memory_order_acquire) !=
            ORIBI_CONTEXT_BIAS) {
        return false;
    }
    const char *from = slot->data, *to = from + slot->bytes;
    for (int32_t k = 0; k < step->n_outputs; k++) {
        const oribi_slot *out = &ctx->slots[step->outputs[k]];
        const char *data = out->data;
        if (data != NULL && data < to && from < data + (out->capacity + (out->capacity == 0))) {
            return false;
        }
    }
    return true;
}

static void host_release(TF_OpKernelContext *ctx)
{
    oribi_frame_drop((oribi_frame *)ctx);
}

static oribi_buffer *host_allocate_lasting(TF_OpKernelContext *ctx, size_t bytes, TF_Status *status)
{
    return oribi_meter_buffer(((const oribi_frame *)ctx)->session->meter, bytes,
                              "an element of a list, or texts", status);
}

const oribi_context_host oribi_frame_host = {host_allocate_output, host_set_output,
                                             host_allocate_temp,   host_release,
                                             host_may_overwrite,   host_allocate_lasting};
