/* SPDX-License-Identifier: Apache-2.0 */
/* Graph outputs of a run. They never live in the arena: each has a few buffers in turn, so that a
 * result stays while its handle lives and the last good one survives a run that fails. Or they lie
 * in the caller's memory, written in place where that can be.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "session/session_internal.h"

static const oribi_slot *output_slot(const oribi_run *run, int32_t i)
{
    return &run->frame->ctx.slots[run->session->outputs[i]];
}

/* --- The caller's memory --------------------------------------------------------------------- */

static bool overlap(const TF_Tensor *own, const void *data, size_t bytes)
{
    const char *from = own->data, *other = data;
    return own->bytes > 0 && bytes > 0 && from < other + bytes && other < from + own->bytes;
}

static bool check_memory(const oribi_run *run, int index, const TF_Tensor *tensor, const char *name,
                         TF_Status *status)
{
    if (tensor->buffer == NULL || tensor->data != tensor->buffer->data ||
        (tensor->owner_ops != NULL && !tensor->owner_ops->is_plain(tensor)) ||
        tensor->buffer->is_read_only) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "output '%s': the tensor's memory is not the host's, is read-only or a "
                          "part of another tensor's",
                          name);
    }
    for (int32_t i = 0; i < run->home->n_outputs; i++) {
        if (i != index && run->own[i] != NULL &&
            overlap(tensor, run->own[i]->data, run->own[i]->bytes)) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "output '%s': the tensor shares memory with that of output '%s'",
                              name, run->home->graph->output_names[i]);
        }
    }
    return true;
}

static bool fail_shape(const char *name, const oribi_shape *expected, const TF_Tensor *tensor,
                       TF_Status *status)
{
    const oribi_shape found = {tensor->rank, tensor->dims};
    oribi_text want = {0}, have = {0};
    oribi_shape_print(expected, &want);
    oribi_shape_print(&found, &have);
    oribi_fail(status, TF_INVALID_ARGUMENT,
               "output '%s' has shape %s, but the tensor for it has shape %s", name,
               oribi_text_string(&want), oribi_text_string(&have));
    oribi_text_destroy(&want);
    oribi_text_destroy(&have);
    return false;
}

static bool check_own(const oribi_run *run, int index, const TF_Tensor *tensor, TF_Status *status)
{
    const oribi_session_value *value = &run->home->values[run->home->outputs[index]];
    const char *name = run->home->graph->output_names[index];
    if (oribi_dtype_owns(value->dtype) || value->dtype == TF_RESOURCE) {
        return oribi_fail(status, TF_UNIMPLEMENTED,
                          "output '%s' is %s, whose elements are no plain bytes: take it by "
                          "oribi_run_output",
                          name, oribi_dtype_name(value->dtype));
    }
    if (tensor->dtype != value->dtype) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "output '%s' is %s, but the tensor for it is %s", name,
                          oribi_dtype_name(value->dtype), oribi_dtype_name(tensor->dtype));
    }
    const oribi_shape shape = {tensor->rank, tensor->dims};
    size_t bytes = 0;
    if (!oribi_shape_agrees(&value->shape, &shape)) {
        return fail_shape(name, &value->shape, tensor, status);
    }
    if (!oribi_size_of_dims(tensor->dims, tensor->rank, oribi_dtype_bytes(tensor->dtype), &bytes) ||
        bytes > tensor->bytes) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "output '%s': the shape of the tensor does not fit its %zu bytes", name,
                          tensor->bytes);
    }
    return check_memory(run, index, tensor, name, status);
}

void oribi_run_set_output(oribi_run *run, int index, const TF_Tensor *tensor, TF_Status *status)
{
    if (!ORIBI_GIVEN(status, run)) {
        return;
    }
    const int32_t n_outputs = run->home->n_outputs - run->home->n_states;
    if (index < 0 || index >= n_outputs) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "there is no output %d; the model has %d", index,
                   (int)n_outputs);
        return;
    }
    if (tensor != NULL && !check_own(run, index, tensor, status)) {
        return;
    }
    TF_Tensor *kept = tensor != NULL ? oribi_tensor_share(tensor) : NULL;
    if (tensor != NULL && kept == NULL) {
        oribi_fail_memory(status);
        return;
    }
    TF_DeleteTensor(run->own[index]);
    run->own[index] = kept;
}

/* Steps read inputs until the last one: what overlaps them is written when the steps are done. */
static oribi_buffer *own_target(const oribi_run *run, int32_t output, size_t bytes)
{
    const TF_Tensor *own = run->own[output];
    if (own == NULL || own->buffer->bytes < bytes) {
        return NULL;
    }
    for (int32_t i = 0; i < run->session->n_inputs; i++) {
        if (overlap(own, run->inputs[i]->data, run->inputs[i]->bytes)) {
            return NULL;
        }
    }
    return own->buffer;
}

/* The input that begins where the caller's memory for output i does, is read by one step alone and
 * is no other input's memory: that step's kernel may write the output over it. -1: none. */
static int32_t input_below(const oribi_run *run, int32_t i)
{
    const oribi_session *session = run->session;
    const oribi_plan *plan = run->frame->plan;
    const TF_Tensor *own = run->own[i];
    const int32_t v = session->outputs[i];
    int32_t found = -1;
    if (own == NULL || session->n_flights > 0 ||
        plan->first_output_item[i + 1] - plan->first_output_item[i] > 1) {
        return -1; /* other values lie there before the output does */
    }
    for (int32_t k = 0; k < session->n_inputs; k++) {
        if (overlap(own, run->inputs[k]->data, run->inputs[k]->bytes)) {
            if (found >= 0 || run->inputs[k]->data != own->data) {
                return -1;
            }
            found = k;
        }
    }
    if (found < 0) {
        return -1;
    }
    const oribi_session_value *in = &session->values[session->inputs[found]];
    const oribi_session_value *out = &session->values[v];
    return in->n_uses == 1 && !in->is_output && in->dtype == out->dtype && out->producer >= 0 &&
                   in->device == 0 && out->device == 0 && found != run->shared[i].refused
               ? found
               : -1;
}

/* Would copying output i write over what another output still has to be read from? */
static bool is_in_the_way(const oribi_run *run, int32_t i)
{
    for (int32_t k = 0; k < run->session->n_outputs; k++) {
        const oribi_slot *slot = output_slot(run, k);
        if (k != i && overlap(run->own[i], slot->data, slot->bytes)) {
            return true;
        }
    }
    return false;
}

static bool fill_own(oribi_run *run, TF_Status *status)
{
    for (int32_t i = 0; i < run->session->n_outputs; i++) {
        const oribi_slot *slot = output_slot(run, i);
        const TF_Tensor *own = run->own[i];
        const oribi_shape shape = {slot->rank, (int64_t *)(uintptr_t)slot->dims};
        if (own == NULL) {
            continue;
        }
        const oribi_shape wanted = {own->rank, own->dims};
        const char *name = run->home->graph->output_names[i];
        if (!oribi_shape_equal(&shape, &wanted)) {
            return fail_shape(name, &shape, own, status);
        }
        if (slot->data != own->data && is_in_the_way(run, i)) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "output '%s' and another one lie in the memory that was given for "
                              "it: take them by oribi_run_output",
                              name);
        }
    }
    for (int32_t i = 0; i < run->session->n_outputs; i++) {
        const oribi_slot *slot = output_slot(run, i);
        if (run->own[i] != NULL && slot->data != run->own[i]->data && slot->bytes > 0) {
            memmove(run->own[i]->data, slot->data, slot->bytes);
            run->shared[i].refused =
                run->shared[i].input >= 0 ? run->shared[i].input : run->shared[i].refused;
        }
    }
    return true;
}

/* --- The run's own buffers ------------------------------------------------------------------- */

/* New buffer in the place of the spare. */
static oribi_buffer *add_spare(oribi_run *run, int32_t output, int place, size_t bytes,
                               TF_Status *status)
{
    const oribi_session *session = run->session;
    const int32_t device = session->values[session->outputs[output]].crosses;
    oribi_buffer *buffer =
        device != 0 ? oribi_meter_device_buffer(session->meter, session->devices[device].device,
                                                bytes, "a graph output", status)
                    : oribi_meter_buffer(session->meter, bytes, "a graph output", status);
    if (buffer != NULL) {
        if (run->trace != NULL) {
            oribi_run_trace_alloc(run, run->session->graph->output_names[output], bytes);
        }
        oribi_buffer_release(run->spares[output][place]);
        run->spares[output][place] = buffer;
        buffer->is_spare = true;
    }
    return buffer;
}

static bool is_free(const oribi_buffer *buffer)
{
    return atomic_load_explicit(&((oribi_buffer *)buffer)->references, memory_order_acquire) == 1;
}

/* A buffer that nobody else holds; the reference stays with the run. NULL: status set. */
static oribi_buffer *find_spare(oribi_run *run, int32_t output, size_t bytes, TF_Status *status)
{
    oribi_buffer **spares = run->spares[output];
    int victim = -1;
    int empty[2] = {-1, -1};
    int n_fitting = 0;
    for (int k = 0; k < ORIBI_OUTPUT_SPARES; k++) {
        if (spares[k] == NULL) {
            empty[1] = empty[0];
            empty[0] = k;
        } else if (is_free(spares[k]) && spares[k]->bytes >= bytes) {
            return spares[k];
        } else if (spares[k]->bytes >= bytes) {
            n_fitting++;
        } else {
            victim = k; /* too small */
        }
    }
    const int place = victim >= 0 ? victim : empty[0] >= 0 ? empty[0] : 0;
    const int other = victim >= 0 ? empty[0] : empty[1];
    oribi_buffer *buffer = add_spare(run, output, place, bytes, status);
    if (buffer != NULL && run->has_good && n_fitting == 0 && other >= 0) {
        /* the next run needs another one: better now than in the third run */
        (void)add_spare(run, output, other, bytes, status);
        TF_SetStatus(status, TF_OK, "");
    }
    return buffer;
}

bool oribi_run_prepare_outputs(oribi_run *run, TF_Status *status)
{
    const oribi_plan *plan = run->frame->plan;
    for (int32_t i = 0; i < run->session->n_outputs; i++) {
        run->shared[i].input = input_below(run, i);
        if (plan->output_bytes[i] == SIZE_MAX) {
            continue;
        }
        if (run->shared[i].input >= 0) {
            oribi_frame_set_output(run->frame, i, NULL);
            continue;
        }
        oribi_buffer *buffer = own_target(run, i, plan->output_bytes[i]);
        buffer = buffer != NULL ? buffer : find_spare(run, i, plan->output_bytes[i], status);
        ORIBI_TRY(buffer != NULL);
        oribi_frame_set_output(run->frame, i, buffer);
    }
    return true;
}

/* An output that is a bound input itself is copied: the caller may write to its input again. One
 * that has the caller's memory was copied there. */
static bool copy_inputs(oribi_run *run, TF_Status *status)
{
    for (int32_t i = 0; i < run->session->n_outputs; i++) {
        const oribi_slot *slot = output_slot(run, i);
        if (run->own[i] != NULL) {
            run->copies[i] = run->own[i]->buffer;
            continue;
        }
        run->copies[i] = NULL;
        const int32_t input = run->passes != NULL ? run->passes[i] : -1;
        if (slot->storage != ORIBI_STORAGE_CALLER || (input >= 0 && run->shares[input])) {
            continue;
        }
        oribi_buffer *copy = NULL;
        if (oribi_dtype_owns(slot->dtype)) {
            copy = slot->buffer; /* cannot be moved by its bytes: shared */
        } else {
            copy = find_spare(run, i, slot->bytes, status);
            ORIBI_TRY(copy != NULL);
            if (slot->bytes > 0) {
                memcpy(copy->data, slot->data, slot->bytes);
            }
        }
        run->copies[i] = copy;
    }
    return true;
}

static bool reserve_dims(oribi_run *run)
{
    for (int32_t i = 0; i < run->session->n_outputs; i++) {
        oribi_good_output *good = &run->good[i];
        if (output_slot(run, i)->rank > ORIBI_INLINE_RANK && good->dims_heap == NULL) {
            good->dims_heap = oribi_alloc_array(ORIBI_MAX_TENSOR_RANK, sizeof(int64_t));
            if (good->dims_heap == NULL) {
                return false;
            }
        }
    }
    return true;
}

/* A heap buffer of an unplanned output serves later runs too, but for those that a device writes,
 * which get better memory. Two outputs may share it: one has it then. */
static void adopt(oribi_run *run, int32_t output, oribi_buffer *buffer)
{
    const oribi_session *session = run->session;
    if (session->values[session->outputs[output]].crosses != 0 ||
        !oribi_meter_owns(run->session->meter, buffer) || buffer->is_spare) {
        return;
    }
    for (int k = 0; k < ORIBI_OUTPUT_SPARES; k++) {
        if (run->spares[output][k] == NULL) {
            oribi_buffer_retain(buffer);
            buffer->is_spare = true;
            run->spares[output][k] = buffer;
            return;
        }
    }
}

static void keep(oribi_good_output *good, const oribi_slot *slot, oribi_buffer *copy)
{
    oribi_buffer *buffer = copy != NULL ? copy : slot->buffer;
    oribi_buffer_retain(buffer);
    oribi_buffer_release(good->buffer);
    good->buffer = buffer;
    good->data = copy != NULL ? copy->data : slot->data;
    good->bytes = slot->bytes;
    good->rank = slot->rank;
    int64_t *dims = slot->rank > ORIBI_INLINE_RANK ? good->dims_heap : good->dims;
    for (int32_t k = 0; k < slot->rank; k++) {
        dims[k] = slot->dims[k];
    }
}

bool oribi_run_keep_outputs(oribi_run *run, TF_Status *status)
{
    ORIBI_TRY(fill_own(run, status) && copy_inputs(run, status));
    ORIBI_TRY(reserve_dims(run) || oribi_fail_memory(status));
    for (int32_t i = 0; i < run->session->n_outputs; i++) {
        const oribi_slot *slot = output_slot(run, i);
        keep(&run->good[i], slot, run->copies[i]);
        if (slot->storage == ORIBI_STORAGE_HEAP && run->own[i] == NULL &&
            !oribi_dtype_owns(slot->dtype)) {
            adopt(run, i, slot->buffer);
        }
    }
    run->has_good = true;
    return true;
}

TF_Tensor *oribi_run_share_output(oribi_run *run, int32_t index, TF_Status *status)
{
    const oribi_good_output *good = &run->good[index];
    const int64_t *dims = good->rank > ORIBI_INLINE_RANK ? good->dims_heap : good->dims;
    TF_Tensor *tensor = oribi_tensor_handle(
        run->session->values[run->session->outputs[index]].dtype, dims, good->rank);
    if (tensor == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    oribi_buffer_retain(good->buffer);
    tensor->buffer = good->buffer;
    tensor->data = good->data;
    tensor->bytes = good->bytes;
    return tensor;
}

TF_Tensor *oribi_run_output(oribi_run *run, int index, TF_Status *status)
{
    if (!ORIBI_GIVEN(status, run)) {
        return NULL;
    }
    const int32_t n_outputs = run->session->n_outputs - run->session->n_states;
    if (index < 0 || index >= n_outputs) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "there is no output %d; the model has %d", index,
                   (int)n_outputs);
        return NULL;
    }
    if (!run->has_good) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "no run has succeeded yet: call oribi_run_execute");
        return NULL;
    }
    return oribi_run_share_output(run, index, status);
}
