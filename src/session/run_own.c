/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs in the caller's memory: which may be written in place, and what is copied there when the
 * steps are done. Not here: the run's own buffers (run_outputs.c).
 */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "session/session_internal.h"

/* --- Binding --------------------------------------------------------------------------------- */

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

/* --- One execution --------------------------------------------------------------------------- */

/* Steps read inputs until the last one: what overlaps them is written when the steps are done. */
oribi_buffer *oribi_run_own_target(const oribi_run *run, int32_t output, size_t bytes)
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

static const oribi_slot *output_slot(const oribi_run *run, int32_t i)
{
    return &run->frame->ctx.slots[run->session->outputs[i]];
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

bool oribi_run_fill_own(oribi_run *run, TF_Status *status)
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
        }
    }
    return true;
}
