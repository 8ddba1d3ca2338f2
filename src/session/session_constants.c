/* SPDX-License-Identifier: Apache-2.0 */
/* Constants that something still reads in a run, dense, in the memory where it reads them: in the
 * host's as the graph has them, on a device as a copy that is made once, with the session.
 */
#include <string.h>

#include "base/alloc.h"
#include "session/session_internal.h"

typedef struct upload { /* one device's */
    oribi_stream *stream;
    TF_Tensor **sources; /* host memory on the way */
    const char *reader;  /* the first node whose constant is among them, for messages */
    int32_t n_sources;
} upload;

/* Frees a device's tensor, whose bytes nobody may look at: no strings, no dims on the heap. */
static TF_Tensor *tensor_over(oribi_buffer *buffer, const TF_Tensor *like, TF_Status *status)
{
    TF_Tensor *tensor = oribi_tensor_handle(like->dtype, like->dims, like->rank);
    if (tensor == NULL) {
        oribi_buffer_release(buffer);
        oribi_fail_memory(status);
        return NULL;
    }
    tensor->buffer = buffer;
    tensor->data = buffer->data;
    tensor->bytes = like->bytes;
    return tensor;
}

/* All elements the same, as the graph stores it? Then the element, else NULL. */
static const void *splat_element(const oribi_graph *graph, oribi_value_id id)
{
    const oribi_constant_view *view = &graph->values[id]->constant->view;
    int32_t n_apart = 0;
    for (int32_t k = 0; k < view->rank; k++) {
        n_apart += view->strides == NULL || (view->strides[k] != 0 && view->dims[k] != 1);
    }
    return view->rank > 0 && n_apart == 0 ? view->data : NULL;
}

/* Bytes of a constant that the graph does not hold, because elements stand for several. */
static bool add_repeated(const oribi_constant_view *view, size_t *total)
{
    bool repeats = false;
    size_t bytes = 0;
    for (int32_t k = 0; view->strides != NULL && k < view->rank; k++) {
        repeats = repeats || (view->strides[k] == 0 && view->dims[k] > 1);
    }
    return !repeats ||
           (oribi_size_of_dims(view->dims, view->rank, oribi_dtype_bytes(view->dtype), &bytes) &&
            oribi_size_add(*total, bytes, total));
}

bool oribi_constants_check_repeated(oribi_session *session, TF_Status *status)
{
    const oribi_graph *graph = session->graph;
    size_t total = 0;
    for (int32_t i = 0; i < graph->n_values; i++) {
        const oribi_value *value = graph->values[i];
        if (value->constant != NULL && value->n_uses > 0 &&
            !add_repeated(&value->constant->view, &total)) {
            return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                              "constant '%s' has more bytes than can be addressed", value->name);
        }
    }
    ORIBI_TRY(oribi_meter_charge(session->meter, total,
                                 "constants whose elements stand for several", status));
    oribi_meter_discharge(session->meter, total);
    return true;
}

static bool enqueue(const oribi_session *session, upload *to, oribi_value_id id,
                    const TF_Tensor *host, const oribi_buffer *buffer, TF_Status *status)
{
    const void *element = splat_element(session->graph, id);
    bool is_done = false;
    if (element != NULL) {
        ORIBI_TRY(oribi_stream_fill(to->stream, buffer, buffer->data, element,
                                    oribi_dtype_bytes(host->dtype), host->bytes, &is_done, status));
    }
    return is_done || oribi_stream_to_device(to->stream, buffer, buffer->data, host->data,
                                             host->bytes, status);
}

static bool upload_constant(oribi_session *session, upload *uploads, oribi_session_value *value,
                            oribi_value_id id, const char *reader, TF_Status *status)
{
    upload *to = &uploads[value->device];
    oribi_device *device = session->devices[value->device].device;
    if (to->stream == NULL) {
        to->reader = reader;
        to->stream = oribi_stream_create(device, 0, NULL, status);
        to->sources = oribi_alloc_zero((size_t)session->n_values + 1, sizeof *to->sources);
        ORIBI_TRY(to->stream != NULL);
        if (to->sources == NULL) {
            return oribi_fail_memory(status);
        }
    }
    TF_Tensor *host = oribi_graph_constant_tensor(session->graph, id, status);
    ORIBI_TRY(host != NULL);
    to->sources[to->n_sources++] = host;
    oribi_buffer *buffer = oribi_device_allocate(
        device, NULL, session->devices[value->device].account, host->bytes, status);
    value->constant = buffer != NULL ? tensor_over(buffer, host, status) : NULL;
    return value->constant != NULL && enqueue(session, to, id, host, buffer, status);
}

/* Waits for what is on the way, also after a failure. */
static bool finish_uploads(const oribi_session *session, upload *uploads, bool ok,
                           TF_Status *status)
{
    for (int32_t d = 1; d < session->n_devices; d++) {
        upload *own = &uploads[d];
        if (ok && own->stream != NULL && !oribi_stream_wait_all(own->stream, status)) {
            oribi_status_prefix(status, "node '%s' (its constants, one of %d on the way there): ",
                                own->reader, (int)own->n_sources);
            ok = false;
        }
        oribi_stream_destroy(own->stream);
        for (int32_t i = 0; i < own->n_sources; i++) {
            TF_DeleteTensor(own->sources[i]);
        }
        oribi_free(own->sources);
    }
    return ok;
}

/* reader: the node that reads it, or "" for an output of the model. */
static bool keep_one(oribi_session *session, upload *uploads, int32_t number, oribi_value_id id,
                     const char *reader, TF_Status *status)
{
    oribi_session_value *value = &session->values[number];
    if (!value->is_constant || value->constant != NULL) {
        return true;
    }
    ORIBI_TRY(oribi_patience_left(status));
    if (value->device != 0) {
        return upload_constant(session, uploads, value, id, reader, status);
    }
    value->constant = oribi_graph_constant_tensor(session->graph, id, status);
    return value->constant != NULL;
}

static bool keep_all(oribi_session *session, upload *uploads, TF_Status *status)
{
    for (int32_t s = 0; s < session->n_steps; s++) {
        const oribi_session_step *step = &session->steps[s];
        for (int32_t i = 0; i < step->node->n_inputs; i++) {
            if (step->inputs[i] >= 0 && !step->released[i] &&
                !keep_one(session, uploads, step->inputs[i], step->node->inputs[i],
                          step->node->name, status)) {
                oribi_status_prefix(status, "node '%s': ", step->node->name);
                return false;
            }
        }
    }
    for (int32_t i = 0; i < session->n_outputs; i++) {
        ORIBI_TRY(keep_one(session, uploads, session->outputs[i], session->graph->outputs[i], "",
                           status));
    }
    return true;
}

bool oribi_constants_keep(oribi_session *session, TF_Status *status)
{
    upload uploads[ORIBI_MAX_DEVICES] = {{0}};
    ORIBI_TRY(finish_uploads(session, uploads, keep_all(session, uploads, status), status));
    for (int32_t d = 1; d < session->n_devices; d++) {
        session->devices[d].constant_bytes = oribi_device_account_used(session->devices[d].account);
    }
    return true;
}
