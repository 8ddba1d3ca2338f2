/* SPDX-License-Identifier: Apache-2.0 */
/* How do the requests that Triton hands over become runs, and their results answers? Where the
 * configuration has max_batch_size the rows of requests of the same shapes are one run; if that
 * fails, each is tried alone, so that nobody fails for a neighbour's row.
 */
#include <string.h>
#include <time.h>

#include "backend.h"
#include "base/alloc.h"

typedef struct job { /* a request on its way */
    TRITONBACKEND_Request *request;
    TRITONBACKEND_Response *response;
    TRITONSERVER_Error *error;
    triton_sequence *sequence; /* NULL: of none */
    int64_t rows;              /* of a batch; else 1 */
    bool is_done;
    uint64_t begin, compute_begin, compute_end, end;
} job;

typedef struct given { /* an input as a request has it */
    TRITONBACKEND_Input *input;
    const int64_t *dims;
    uint32_t rank, n_buffers;
    uint64_t bytes;
} given;

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- Inputs ---------------------------------------------------------------------------------- */

static TRITONSERVER_Error *look_at(const triton_model *s, TRITONBACKEND_Request *request, int index,
                                   given *out)
{
    const char *name = oribi_model_input_name(s->model, index), *its_name;
    int type;

    TRY(TRITONBACKEND_RequestInput(request, name, &out->input));
    TRY(TRITONBACKEND_InputProperties(out->input, &its_name, &type, &out->dims, &out->rank,
                                      &out->bytes, &out->n_buffers));
    const TF_DataType wanted = oribi_model_input_type(s->model, index);
    if (type != triton_type(wanted)) {
        return triton_fail(TRITON_ERROR_INVALID_ARG, "oribi: input '%s' is of type %s in the model",
                           name, triton_type_name(wanted));
    }
    if (out->rank > TRITON_MAX_RANK ||
        !triton_shape_fits(wanted, out->dims, (int)out->rank, out->bytes)) {
        return triton_fail(TRITON_ERROR_INVALID_ARG,
                           "oribi: input '%s' has %llu bytes, and its shape others", name,
                           (unsigned long long)out->bytes);
    }
    return NULL;
}

/* Rows of a request, the same in each of its inputs. */
static TRITONSERVER_Error *count_rows(const triton_model *s, job *j)
{
    j->rows = 1;
    for (int i = 0; s->max_rows > 0 && i < oribi_model_num_inputs(s->model); i++) {
        given g;
        TRY(look_at(s, j->request, i, &g));
        if (g.rank == 0 || g.dims[0] > s->max_rows || (i > 0 && g.dims[0] != j->rows)) {
            return triton_fail(TRITON_ERROR_INVALID_ARG,
                               "oribi: input '%s' has no rows, others than the request, or more "
                               "than max_batch_size",
                               oribi_model_input_name(s->model, i));
        }
        j->rows = g.dims[0];
    }
    return NULL;
}

/* May both be rows of one run? */
static bool fit(const triton_model *s, const job *a, const job *b)
{
    for (int i = 0; i < oribi_model_num_inputs(s->model); i++) {
        given x, y;
        TRITONSERVER_Error *error = look_at(s, a->request, i, &x);
        error = error == NULL ? look_at(s, b->request, i, &y) : error;
        if (error != NULL) {
            triton_forget(error);
            return false;
        }
        if (x.rank != y.rank ||
            memcmp(x.dims + 1, y.dims + 1, (x.rank - 1) * sizeof *x.dims) != 0) {
            return false;
        }
    }
    return true;
}

/* An input of the jobs, row behind row. */
static TRITONSERVER_Error *make_input(const triton_model *s, int index, job *const *jobs, int32_t n,
                                      TF_Tensor **out)
{
    int64_t dims[TRITON_MAX_RANK], begin = 0;
    given g;

    TRY(look_at(s, jobs[0]->request, index, &g));
    memcpy(dims, g.dims, g.rank * sizeof *dims);
    for (int32_t k = 1; k < n; k++) {
        dims[0] += jobs[k]->rows;
    }
    TRY(triton_tensor_make(oribi_model_input_type(s->model, index), dims, (int)g.rank, out));
    for (int32_t k = 0; k < n; k++) {
        int64_t count = 1;
        TRY(look_at(s, jobs[k]->request, index, &g));
        for (uint32_t d = 0; d < g.rank; d++) {
            count *= g.dims[d]; /* they fit its bytes */
        }
        TRY(triton_tensor_fill(*out, begin, count, g.input, g.n_buffers, g.bytes));
        begin += count;
    }
    return NULL;
}

static TRITONSERVER_Error *bind_inputs(const triton_model *s, oribi_run *run, job *const *jobs,
                                       int32_t n, TF_Status *status)
{
    for (int i = 0; i < oribi_model_num_inputs(s->model); i++) {
        TF_Tensor *tensor = NULL;
        TRITONSERVER_Error *error = make_input(s, i, jobs, n, &tensor);
        if (error == NULL) {
            oribi_run_set_input(run, i, tensor, status);
            error = triton_error_of(status);
        }
        TF_DeleteTensor(tensor);
        TRY(error);
    }
    return NULL;
}

/* --- Outputs --------------------------------------------------------------------------------- */

typedef struct part { /* of an output: what one request gets */
    const TF_Tensor *tensor;
    int64_t dims[TRITON_MAX_RANK], begin, count;
    int rank;
    size_t bytes;
} part;

/* Rows [row, row + rows) of `all`, or the whole output where a request is no batch. */
static TRITONSERVER_Error *cut(const triton_model *s, const TF_Tensor *tensor, const char *name,
                               int64_t row, int64_t rows, int64_t all, part *out)
{
    const int64_t count = TF_TensorElementCount(tensor);

    out->tensor = tensor;
    out->rank = TF_NumDims(tensor);
    out->begin = 0;
    out->count = count;
    if (triton_type(TF_TensorType(tensor)) == 0 || out->rank > TRITON_MAX_RANK) {
        return triton_fail(TRITON_ERROR_UNSUPPORTED,
                           "oribi: output '%s' has a type that Triton has "
                           "not",
                           name);
    }
    for (int d = 0; d < out->rank; d++) {
        out->dims[d] = TF_Dim(tensor, d);
    }
    if (s->max_rows > 0) {
        if (out->rank == 0 || out->dims[0] != all) {
            return triton_fail(TRITON_ERROR_UNSUPPORTED,
                               "oribi: output '%s' has not a row for each row of the inputs; set "
                               "max_batch_size to 0",
                               name);
        }
        out->dims[0] = rows;
        out->begin = all == 0 ? 0 : count / all * row;
        out->count = all == 0 ? 0 : count / all * rows;
    }
    out->bytes = triton_tensor_take(tensor, out->begin, out->count, NULL);
    if (TF_TensorType(tensor) == TF_STRING && out->bytes > UINT32_MAX) {
        return triton_fail(TRITON_ERROR_UNSUPPORTED, "oribi: output '%s' is above 4 GB of text",
                           name);
    }
    return NULL;
}

static TRITONSERVER_Error *write_part(const part *p, void *buffer, int memory)
{
    if (memory != TRITON_MEMORY_CPU && memory != TRITON_MEMORY_CPU_PINNED) {
        return triton_fail(TRITON_ERROR_UNSUPPORTED, "oribi: an output is wanted on a GPU");
    }
    (void)triton_tensor_take(p->tensor, p->begin, p->count, buffer);
    return NULL;
}

static TRITONSERVER_Error *send_part(job *j, const char *name, const part *p)
{
    TRITONBACKEND_Output *output;
    int memory = TRITON_MEMORY_CPU;
    int64_t memory_id = 0;
    void *buffer;

    TRY(TRITONBACKEND_ResponseOutput(j->response, &output, name,
                                     triton_type(TF_TensorType(p->tensor)), p->dims,
                                     (uint32_t)p->rank));
    TRY(TRITONBACKEND_OutputBuffer(output, &buffer, p->bytes, &memory, &memory_id));
    return write_part(p, buffer, memory);
}

/* Triton keeps it for the next request of the sequence. */
static TRITONSERVER_Error *keep_part(job *j, const char *name, const part *p)
{
    TRITONBACKEND_State *state;
    int memory = TRITON_MEMORY_CPU;
    int64_t memory_id = 0;
    void *buffer;

    TRY(TRITONBACKEND_StateNew(&state, j->request, name, triton_type(TF_TensorType(p->tensor)),
                               p->dims, (uint32_t)p->rank));
    TRY(TRITONBACKEND_StateBuffer(state, &buffer, p->bytes, &memory, &memory_id));
    TRY(write_part(p, buffer, memory));
    return TRITONBACKEND_StateUpdate(state);
}

typedef TRITONSERVER_Error *take_fn(job *j, const char *name, const part *p);

static TRITONSERVER_Error *put(const triton_model *s, oribi_run *run, job *j, const char *name,
                               int64_t row, int64_t all, take_fn *take, TF_Status *status)
{
    const int index = triton_find_port(s->model, false, name);
    part p;

    if (index < 0) {
        return triton_fail(TRITON_ERROR_INVALID_ARG, "oribi: the model has no output '%s'", name);
    }
    TF_Tensor *tensor = oribi_run_output(run, index, status);
    TRITONSERVER_Error *error = triton_error_of(status);
    error = error == NULL ? cut(s, tensor, name, row, j->rows, all, &p) : error;
    error = error == NULL ? take(j, name, &p) : error;
    TF_DeleteTensor(tensor);
    return error;
}

static TRITONSERVER_Error *put_outputs(const triton_model *s, oribi_run *run, job *j, int64_t row,
                                       int64_t all, TF_Status *status)
{
    uint32_t n;

    TRY(TRITONBACKEND_RequestOutputCount(j->request, &n));
    for (uint32_t i = 0; i < n; i++) {
        const char *name;
        TRY(TRITONBACKEND_RequestOutputName(j->request, i, &name));
        TRY(put(s, run, j, name, row, all, send_part, status));
    }
    for (int32_t i = 0; i < s->n_carried; i++) {
        TRY(put(s, run, j, s->carried[i].output, row, all, keep_part, status));
    }
    return NULL;
}

/* --- Runs ------------------------------------------------------------------------------------ */

static void finish(TRITONBACKEND_ModelInstance *handle, job *j)
{
    const bool is_good = j->error == NULL;

    if (j->sequence != NULL) {
        triton_sequence_close(j->sequence, j->request);
    }
    if (j->response != NULL) {
        triton_forget(
            TRITONBACKEND_ResponseSend(j->response, TRITON_RESPONSE_COMPLETE_FINAL, j->error));
    }
    triton_forget(j->error);
    triton_forget(TRITONBACKEND_ModelInstanceReportStatistics(
        handle, j->request, is_good, j->begin, j->compute_begin, j->compute_end, j->end));
    triton_forget(TRITONBACKEND_RequestRelease(j->request, TRITON_REQUEST_RELEASE_ALL));
    j->is_done = true;
}

/* The jobs as one run, and their answers. False: it failed, nobody has an answer, *error says why.
 */
static bool compute(TRITONBACKEND_ModelInstance *handle, triton_instance *instance, oribi_run *run,
                    job *const *jobs, int32_t n, TRITONSERVER_Error **error, TF_Status *status)
{
    const uint64_t begin = now_ns();
    uint64_t compute_begin = begin, compute_end = begin;
    int64_t all = 0, row = 0;

    *error = bind_inputs(instance->model, run, jobs, n, status);
    if (*error == NULL) {
        compute_begin = now_ns();
        oribi_run_execute(run, status);
        compute_end = now_ns();
        *error = triton_error_of(status);
    }
    if (*error != NULL && n > 1) {
        return false;
    }
    for (int32_t k = 0; k < n; k++) {
        all += jobs[k]->rows;
    }
    for (int32_t k = 0; k < n; k++) {
        jobs[k]->error =
            *error != NULL ? *error : put_outputs(instance->model, run, jobs[k], row, all, status);
        row += jobs[k]->rows;
    }
    const uint64_t end = now_ns(); /* what sending takes is not the model's */
    triton_forget(TRITONBACKEND_ModelInstanceReportBatchStatistics(
        handle, (uint64_t)all, begin, compute_begin, compute_end, end));
    for (int32_t k = 0; k < n; k++) {
        jobs[k]->compute_begin = compute_begin;
        jobs[k]->compute_end = compute_end;
        jobs[k]->end = end;
        finish(handle, jobs[k]);
    }
    return true;
}

static void compute_alone(TRITONBACKEND_ModelInstance *handle, triton_instance *instance, job *j,
                          TF_Status *status)
{
    const triton_model *s = instance->model;
    oribi_run *run = instance->run;

    if (s->n_sequences > 0 && oribi_model_num_states(s->model) > 0) {
        j->error = triton_sequence_find(instance, j->request, &j->sequence, status);
        run = j->sequence != NULL ? j->sequence->run : NULL;
    } else {
        oribi_run_reset(run, status); /* nobody sees what another request left */
        j->error = triton_error_of(status);
    }
    if (j->error != NULL) {
        finish(handle, j);
    } else {
        TRITONSERVER_Error *error;
        (void)compute(handle, instance, run, &j, 1, &error, status);
    }
}

/* The first job that is not done and those behind it that go with it. */
static int32_t make_group(const triton_model *s, job *jobs, uint32_t n, uint32_t first, job **group)
{
    int32_t n_group = 1;
    int64_t rows = jobs[first].rows;

    group[0] = &jobs[first];
    for (uint32_t i = first + 1; s->max_rows > 0 && i < n; i++) {
        if (!jobs[i].is_done && rows + jobs[i].rows <= s->max_rows &&
            fit(s, &jobs[first], &jobs[i])) {
            rows += jobs[i].rows;
            group[n_group++] = &jobs[i];
        }
    }
    return n_group;
}

static void take_on(const triton_model *s, job *j, TRITONBACKEND_Request *request)
{
    *j = (job){.request = request, .begin = now_ns()};
    j->compute_begin = j->compute_end = j->end = j->begin;
    j->error = TRITONBACKEND_ResponseNew(&j->response, request);
    j->error = j->error == NULL ? count_rows(s, j) : j->error;
}

void triton_batch_execute(TRITONBACKEND_ModelInstance *handle, triton_instance *instance,
                          TRITONBACKEND_Request **requests, uint32_t n)
{
    const triton_model *s = instance->model;
    job *jobs = oribi_alloc_array(n, sizeof *jobs), **group = oribi_alloc_array(n, sizeof *group);
    TF_Status *status = TF_NewStatus();

    for (uint32_t i = 0; i < n; i++) { /* from here on the requests are ours, whatever fails */
        job alone, *j = jobs == NULL || group == NULL ? &alone : &jobs[i];
        take_on(s, j, requests[i]);
        if (j == &alone) {
            j->error = j->error == NULL ? triton_no_memory() : j->error;
        }
        if (j->error != NULL) {
            finish(handle, j);
        }
    }
    for (uint32_t i = 0; jobs != NULL && group != NULL && i < n; i++) {
        TRITONSERVER_Error *error = NULL;
        if (jobs[i].is_done) {
            continue;
        }
        const int32_t n_group = make_group(s, jobs, n, i, group);
        if (n_group == 1) {
            compute_alone(handle, instance, &jobs[i], status);
        } else if (!compute(handle, instance, instance->run, group, n_group, &error, status)) {
            triton_forget(error);
            for (int32_t k = 0; k < n_group; k++) {
                compute_alone(handle, instance, group[k], status);
            }
        }
    }
    TF_DeleteStatus(status);
    oribi_free(group);
    oribi_free(jobs);
}
