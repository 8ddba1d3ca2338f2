/* SPDX-License-Identifier: Apache-2.0 */
/* What a run object has for devices. Streams: one for each device of the session, kept from run to
 * run. After a failure they are replaced, because what is on them is not known; blocks and sessions
 * go on.
 */
#include "base/alloc.h"
#include "session/session_internal.h"

/* A failure names the first node there, which needs it first. */
static bool open_stream(const oribi_session *session, size_t d, oribi_stream **stream, int n_marks,
                        TF_Status *status)
{
    const oribi_session_device *device = &session->devices[d];
    if (*stream != NULL) {
        return true;
    }
    *stream = oribi_stream_create(device->device, n_marks, device->account, status);
    int32_t s = 0;
    while (s < session->n_steps - 1 && session->steps[s].device != (int32_t)d) {
        s++;
    }
    if (*stream == NULL) {
        oribi_status_prefix(status, "node '%s': ", session->steps[s].node->name);
    }
    return *stream != NULL;
}

bool oribi_run_open_streams(oribi_run *run, TF_Status *status)
{
    const oribi_session *session = run->session;
    const size_t n = (size_t)session->n_devices;
    if (n == 1) {
        return true;
    }
    if (run->streams == NULL) {
        run->streams = oribi_alloc_zero(n, sizeof *run->streams);
    }
    if (run->beside == NULL) {
        run->beside = oribi_alloc_zero(n, sizeof *run->beside);
    }
    if (run->streams == NULL || run->beside == NULL) {
        return oribi_fail_memory(status);
    }
    for (size_t d = 1; d < n; d++) {
        const oribi_session_device *device = &session->devices[d];
        ORIBI_TRY(open_stream(session, d, &run->streams[d], device->n_marks, status));
        for (int kind = 0; kind < 2; kind++) {
            ORIBI_TRY(!device->has_beside[kind] ||
                      open_stream(session, d, &run->beside[d][kind], 0, status));
        }
    }
    for (size_t d = 1; d < n; d++) {
        oribi_stream_touch(run->streams[d]); /* kernels enqueue without telling us */
    }
    return true;
}

void oribi_run_reset_streams(oribi_run *run)
{
    for (int32_t d = 1; d < run->session->n_devices; d++) {
        if (run->streams != NULL) {                /* else a late kernel's frame has them */
            oribi_stream_destroy(run->streams[d]); /* waits; NULL where a run before this failed */
            run->streams[d] = NULL;
        }
        for (int kind = 0; run->beside != NULL && kind < 2; kind++) {
            oribi_stream_destroy(run->beside[d][kind]);
            run->beside[d][kind] = NULL;
        }
    }
}

void oribi_run_drain_streams(oribi_run *run)
{
    for (int32_t d = 1; run->streams != NULL && d < run->session->n_devices; d++) {
        oribi_stream_drain(run->streams[d]);
        for (int kind = 0; kind < 2; kind++) {
            if (run->beside[d][kind] != NULL) {
                oribi_stream_drain(run->beside[d][kind]);
            }
        }
    }
}

oribi_stream *oribi_run_stream_of(const oribi_run *run, const oribi_session_step *step,
                                  int32_t *out_device)
{
    const oribi_transfer *transfer = step->transfer;
    *out_device = step->device;
    if (transfer != NULL) {
        *out_device = transfer->kind == ORIBI_TO_HOST     ? transfer->from
                      : transfer->kind == ORIBI_TO_DEVICE ? transfer->to
                      : transfer->kind == ORIBI_ON_DEVICE ? transfer->to
                                                          : 0;
    }
    if (*out_device == 0) {
        return NULL;
    }
    return transfer != NULL && transfer->is_beside ? run->beside[*out_device][transfer->kind]
                                                   : run->streams[*out_device];
}

/* Ordinary memory, and text, are TF_AllocateTensor's. */
static TF_Tensor *make_tensor(oribi_session *session, int32_t value, const int64_t *dims,
                              int num_dims, size_t bytes)
{
    const oribi_session_value *known = &session->values[value];
    const int32_t device = known->crosses;
    oribi_buffer *buffer = device != 0 && bytes > 0 && !oribi_dtype_owns(known->dtype)
                               ? oribi_device_host_buffer(session->devices[device].device, bytes)
                               : NULL;
    if (buffer == NULL) {
        return TF_AllocateTensor(known->dtype, dims, num_dims, bytes);
    }
    TF_Tensor *tensor = oribi_tensor_handle(known->dtype, dims, num_dims);
    if (tensor == NULL) {
        oribi_buffer_release(buffer);
        return NULL;
    }
    tensor->buffer = buffer;
    tensor->data = buffer->data;
    tensor->bytes = bytes;
    return tensor;
}

TF_Tensor *oribi_run_make_input(oribi_run *run, int index, const int64_t *dims, int num_dims,
                                TF_Status *status)
{
    if (!ORIBI_GIVEN(status, run)) {
        return NULL;
    }
    oribi_session *session = run->session;
    const int32_t n_inputs = session->n_inputs - session->n_states;
    size_t bytes = 0;
    if (index < 0 || index >= n_inputs) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "there is no input %d; the model has %d", index,
                   (int)n_inputs);
        return NULL;
    }
    const int32_t value = session->inputs[index];
    if (num_dims < 0 || num_dims > ORIBI_MAX_TENSOR_RANK || (num_dims > 0 && dims == NULL) ||
        !oribi_size_of_dims(dims, num_dims, oribi_dtype_bytes(session->values[value].dtype),
                            &bytes)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "input '%s': rank %d or a dimension is not possible for a tensor",
                   session->graph->input_names[index], num_dims);
        return NULL;
    }
    TF_Tensor *tensor = make_tensor(session, value, dims, num_dims, bytes);
    if (tensor == NULL) {
        oribi_fail_memory(status);
    }
    return tensor;
}
