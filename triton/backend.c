/* SPDX-License-Identifier: Apache-2.0 */
/* libtriton_oribi.so: a backend of Triton Inference Server over oribi.h. A model is opened once,
 * its instances share the session and have a run each; the configuration is completed from the
 * model. Each request is a run of its own, so that no result depends on what else is under way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "oribi/oribi.h"
#include "triton_api.h"

#define TRY(call)                                                                                  \
    do {                                                                                           \
        TRITONSERVER_Error *error_ = (call);                                                       \
        if (error_ != NULL) {                                                                      \
            return error_;                                                                         \
        }                                                                                          \
    } while (0)

enum { MAX_RANK = 254 };

typedef struct served { /* a model's state */
    oribi_model *model;
    oribi_session *session;
} served;

/* Numbers of Triton's data types are their places. */
static const struct {
    const char *name;
    TF_DataType type;
} types[] = {
    {"TYPE_INVALID", (TF_DataType)0}, {"TYPE_BOOL", TF_BOOL},          {"TYPE_UINT8", TF_UINT8},
    {"TYPE_UINT16", TF_UINT16},       {"TYPE_UINT32", TF_UINT32},      {"TYPE_UINT64", TF_UINT64},
    {"TYPE_INT8", TF_INT8},           {"TYPE_INT16", TF_INT16},        {"TYPE_INT32", TF_INT32},
    {"TYPE_INT64", TF_INT64},         {"TYPE_FP16", TF_HALF},          {"TYPE_FP32", TF_FLOAT},
    {"TYPE_FP64", TF_DOUBLE},         {"TYPE_STRING", (TF_DataType)0}, {"TYPE_BF16", TF_BFLOAT16}};

/* 0: none that is served. */
static int triton_type(TF_DataType type)
{
    for (size_t i = 1; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].type == type) {
            return (int)i;
        }
    }
    return 0;
}

static int code_of(TF_Code code)
{
    switch ((int)code) {
    case TF_INVALID_ARGUMENT:
    case TF_OUT_OF_RANGE:
    case TF_FAILED_PRECONDITION:
        return TRITON_ERROR_INVALID_ARG;
    case TF_NOT_FOUND:
        return TRITON_ERROR_NOT_FOUND;
    case TF_RESOURCE_EXHAUSTED:
    case TF_DEADLINE_EXCEEDED:
        return TRITON_ERROR_UNAVAILABLE;
    case TF_UNIMPLEMENTED:
        return TRITON_ERROR_UNSUPPORTED;
    case TF_CANCELLED:
        return TRITON_ERROR_CANCELLED;
    default:
        return TRITON_ERROR_INTERNAL;
    }
}

static TRITONSERVER_Error *error_of(const TF_Status *status)
{
    return TF_GetCode(status) == TF_OK
               ? NULL
               : TRITONSERVER_ErrorNew(code_of(TF_GetCode(status)), TF_Message(status));
}

static TRITONSERVER_Error *no_memory(void)
{
    return TRITONSERVER_ErrorNew(TRITON_ERROR_UNAVAILABLE, "oribi: no memory");
}

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- A model --------------------------------------------------------------------------------- */

/* REPOSITORY/VERSION/model.onnx, or its kin. */
static TRITONSERVER_Error *find_file(TRITONBACKEND_Model *model, char *out, size_t size)
{
    static const char *const names[] = {"model.onnx", "model.tflite", "model.pb", "model.oribi"};
    const char *folder;
    uint64_t version;
    int kind;
    struct stat info;

    TRY(TRITONBACKEND_ModelRepository(model, &kind, &folder));
    TRY(TRITONBACKEND_ModelVersion(model, &version));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const int n =
            snprintf(out, size, "%s/%llu/%s", folder, (unsigned long long)version, names[i]);
        if (n > 0 && (size_t)n < size && stat(out, &info) == 0) {
            return NULL;
        }
    }
    return TRITONSERVER_ErrorNew(TRITON_ERROR_NOT_FOUND,
                                 "oribi: the version's folder has no model.onnx, model.tflite, "
                                 "model.pb or model.oribi");
}

typedef struct config { /* a text that grows */
    char *text;
    size_t length, room;
    bool failed;
} config;

static void add(config *c, const char *text)
{
    const size_t n = strlen(text);

    if (!c->failed && c->length + n + 1 > c->room) {
        char *more = realloc(c->text, 2 * (c->length + n + 1));
        c->failed = more == NULL;
        c->text = more != NULL ? more : c->text;
        c->room = more != NULL ? 2 * (c->length + n + 1) : c->room;
    }
    if (!c->failed) {
        memcpy(c->text + c->length, text, n + 1);
        c->length += n;
    }
}

/* A name comes from a file that anybody made: what JSON or a terminal would take for its own goes
 * as an escape. */
static void add_name(config *c, const char *name)
{
    char escaped[8];

    add(c, "\"");
    for (; *name != 0; name++) {
        const unsigned char byte = (unsigned char)*name;
        (void)snprintf(escaped, sizeof escaped,
                       byte < 0x20 || byte == '"' || byte == '\\' ? "\\u%04x" : "%c", byte);
        add(c, escaped);
    }
    add(c, "\"");
}

/* False: a type or a rank that Triton cannot say. */
static bool add_ports(config *c, const oribi_model *model, bool is_input)
{
    const int n = is_input ? oribi_model_num_inputs(model) : oribi_model_num_outputs(model);
    int64_t dims[MAX_RANK];
    char text[32];

    add(c, is_input ? ",\"input\":[" : ",\"output\":[");
    for (int i = 0; i < n; i++) {
        const int type = triton_type(is_input ? oribi_model_input_type(model, i)
                                              : oribi_model_output_type(model, i));
        const int rank = is_input ? oribi_model_input_shape(model, i, dims, MAX_RANK)
                                  : oribi_model_output_shape(model, i, dims, MAX_RANK);
        if (type == 0 || rank < 0) {
            return false;
        }
        add(c, i > 0 ? ",{\"name\":" : "{\"name\":");
        add_name(c,
                 is_input ? oribi_model_input_name(model, i) : oribi_model_output_name(model, i));
        add(c, ",\"data_type\":\"");
        add(c, types[type].name);
        add(c, "\",\"dims\":[");
        for (int d = 0; d < rank; d++) {
            (void)snprintf(text, sizeof text, d > 0 ? ",%lld" : "%lld", (long long)dims[d]);
            add(c, text);
        }
        add(c, "]}");
    }
    add(c, "]");
    return true;
}

/* config.pbtxt may be one line, `backend: "oribi"`: the rest is what the model says. */
static TRITONSERVER_Error *complete_config(TRITONBACKEND_Model *model, const served *s)
{
    config c = {.text = NULL};
    TRITONSERVER_Message *message = NULL;
    TRITONSERVER_Error *error = NULL;
    const char *name;
    bool is_wanted = false;

    TRY(TRITONBACKEND_ModelAutoCompleteConfig(model, &is_wanted));
    TRY(TRITONBACKEND_ModelName(model, &name));
    if (!is_wanted) {
        return NULL;
    }
    add(&c, "{\"name\":");
    add_name(&c, name);
    add(&c, ",\"backend\":\"oribi\",\"max_batch_size\":0");
    const bool is_sayable = add_ports(&c, s->model, true) && add_ports(&c, s->model, false);
    add(&c, "}");
    if (!is_sayable) {
        error = TRITONSERVER_ErrorNew(TRITON_ERROR_UNSUPPORTED,
                                      "oribi: an input or output has strings, or no known rank");
    } else if (c.failed) {
        error = no_memory();
    } else {
        error = TRITONSERVER_MessageNewFromSerializedJson(&message, c.text, c.length);
    }
    if (error == NULL) {
        error = TRITONBACKEND_ModelSetConfig(model, 1, message);
        TRITONSERVER_Error *late = TRITONSERVER_MessageDelete(message);
        if (late != NULL) {
            TRITONSERVER_ErrorDelete(late);
        }
    }
    free(c.text);
    return error;
}

TRITONSERVER_Error *TRITONBACKEND_Initialize(TRITONBACKEND_Backend *backend)
{
    uint32_t major, minor;

    (void)backend;
    TRY(TRITONBACKEND_ApiVersion(&major, &minor));
    return major == TRITON_API_MAJOR
               ? NULL
               : TRITONSERVER_ErrorNew(TRITON_ERROR_UNSUPPORTED, "oribi: wants backend API 1");
}

static void close_model(served *s)
{
    oribi_session_destroy(s->session);
    oribi_model_destroy(s->model);
    free(s);
}

TRITONSERVER_Error *TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model *model)
{
    char path[4096];
    served *s = calloc(1, sizeof *s);
    TF_Status *status = TF_NewStatus();

    TRITONSERVER_Error *error = s == NULL ? no_memory() : find_file(model, path, sizeof path);
    if (error == NULL) {
        s->model = oribi_model_open(path, NULL, status);
        s->session = s->model == NULL ? NULL : oribi_session_create(s->model, NULL, status);
        error = error_of(status);
    }
    error = error == NULL ? complete_config(model, s) : error;
    error = error == NULL ? TRITONBACKEND_ModelSetState(model, s) : error;
    if (error != NULL && s != NULL) {
        close_model(s);
    }
    TF_DeleteStatus(status);
    return error;
}

TRITONSERVER_Error *TRITONBACKEND_ModelFinalize(TRITONBACKEND_Model *model)
{
    void *state = NULL;

    TRY(TRITONBACKEND_ModelState(model, &state));
    if (state != NULL) {
        close_model(state);
    }
    return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceInitialize(TRITONBACKEND_ModelInstance *instance)
{
    TRITONBACKEND_Model *model;
    void *state;

    TRY(TRITONBACKEND_ModelInstanceModel(instance, &model));
    TRY(TRITONBACKEND_ModelState(model, &state));
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(((served *)state)->session, status);
    TRITONSERVER_Error *error = error_of(status);
    TF_DeleteStatus(status);
    return error == NULL ? TRITONBACKEND_ModelInstanceSetState(instance, run) : error;
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance *instance)
{
    void *run = NULL;

    TRY(TRITONBACKEND_ModelInstanceState(instance, &run));
    oribi_run_destroy(run);
    return NULL;
}

/* --- A request ------------------------------------------------------------------------------- */

static int find_port(const oribi_model *model, bool is_input, const char *name)
{
    const int n = is_input ? oribi_model_num_inputs(model) : oribi_model_num_outputs(model);

    for (int i = 0; i < n; i++) {
        if (strcmp(name, is_input ? oribi_model_input_name(model, i)
                                  : oribi_model_output_name(model, i)) == 0) {
            return i;
        }
    }
    return -1;
}

/* The pieces of the input one behind another, into the tensor. */
static TRITONSERVER_Error *copy_in(TRITONBACKEND_Input *input, uint32_t n_buffers,
                                   TF_Tensor *tensor)
{
    uint8_t *to = TF_TensorData(tensor);
    size_t left = TF_TensorByteSize(tensor);

    for (uint32_t i = 0; i < n_buffers; i++) {
        const void *from;
        uint64_t bytes;
        int memory = TRITON_MEMORY_CPU;
        int64_t memory_id = 0;
        TRY(TRITONBACKEND_InputBuffer(input, i, &from, &bytes, &memory, &memory_id));
        if (bytes > left || (memory != TRITON_MEMORY_CPU && memory != TRITON_MEMORY_CPU_PINNED)) {
            return TRITONSERVER_ErrorNew(TRITON_ERROR_INVALID_ARG,
                                         "oribi: an input is larger than its shape, or on a GPU");
        }
        if (bytes > 0) {
            memcpy(to, from, bytes);
        }
        to += bytes;
        left -= bytes;
    }
    return left == 0 ? NULL
                     : TRITONSERVER_ErrorNew(TRITON_ERROR_INVALID_ARG,
                                             "oribi: an input is smaller than its shape");
}

static TRITONSERVER_Error *bind_input(const served *s, oribi_run *run, TRITONBACKEND_Input *input,
                                      TF_Status *status)
{
    const char *name;
    int type;
    const int64_t *shape;
    uint32_t n_dims, n_buffers;
    uint64_t bytes;

    TRY(TRITONBACKEND_InputProperties(input, &name, &type, &shape, &n_dims, &bytes, &n_buffers));
    const int index = find_port(s->model, true, name);
    if (index < 0 || type != triton_type(oribi_model_input_type(s->model, index)) ||
        n_dims > MAX_RANK) {
        return TRITONSERVER_ErrorNew(TRITON_ERROR_INVALID_ARG,
                                     "oribi: the model has no such input of that type");
    }
    TF_Tensor *tensor = TF_AllocateTensor(types[type].type, shape, (int)n_dims, bytes);
    if (tensor == NULL) {
        return no_memory();
    }
    TRITONSERVER_Error *error = copy_in(input, n_buffers, tensor);
    if (error == NULL) {
        oribi_run_set_input(run, index, tensor, status);
        error = error_of(status);
    }
    TF_DeleteTensor(tensor);
    return error;
}

static TRITONSERVER_Error *put_output(TRITONBACKEND_Response *response, const char *name,
                                      const TF_Tensor *tensor)
{
    const int type = triton_type(TF_TensorType(tensor)), rank = TF_NumDims(tensor);
    const size_t bytes = TF_TensorByteSize(tensor);
    TRITONBACKEND_Output *output;
    int64_t dims[MAX_RANK], memory_id = 0;
    int memory = TRITON_MEMORY_CPU;
    void *buffer;

    for (int d = 0; d < rank && d < MAX_RANK; d++) {
        dims[d] = TF_Dim(tensor, d);
    }
    if (type == 0 || rank > MAX_RANK) {
        return TRITONSERVER_ErrorNew(TRITON_ERROR_UNSUPPORTED,
                                     "oribi: an output has a type that Triton does not");
    }
    TRY(TRITONBACKEND_ResponseOutput(response, &output, name, type, dims, (uint32_t)rank));
    TRY(TRITONBACKEND_OutputBuffer(output, &buffer, bytes, &memory, &memory_id));
    if (memory != TRITON_MEMORY_CPU && memory != TRITON_MEMORY_CPU_PINNED) {
        return TRITONSERVER_ErrorNew(TRITON_ERROR_UNSUPPORTED,
                                     "oribi: an output is wanted on a GPU");
    }
    if (bytes > 0) {
        memcpy(buffer, TF_TensorData(tensor), bytes);
    }
    return NULL;
}

static TRITONSERVER_Error *put_outputs(const served *s, oribi_run *run,
                                       TRITONBACKEND_Request *request,
                                       TRITONBACKEND_Response *response, TF_Status *status)
{
    uint32_t n;

    TRY(TRITONBACKEND_RequestOutputCount(request, &n));
    for (uint32_t i = 0; i < n; i++) {
        const char *name;
        TRY(TRITONBACKEND_RequestOutputName(request, i, &name));
        const int index = find_port(s->model, false, name);
        if (index < 0) {
            return TRITONSERVER_ErrorNew(TRITON_ERROR_INVALID_ARG,
                                         "oribi: the model has no such output");
        }
        TF_Tensor *tensor = oribi_run_output(run, index, status);
        TRITONSERVER_Error *error =
            tensor == NULL ? error_of(status) : put_output(response, name, tensor);
        TF_DeleteTensor(tensor);
        TRY(error);
    }
    return NULL;
}

typedef struct times {
    uint64_t begin, compute_begin, compute_end, end;
} times;

static TRITONSERVER_Error *answer(const served *s, oribi_run *run, TRITONBACKEND_Request *request,
                                  TRITONBACKEND_Response *response, times *t, TF_Status *status)
{
    uint32_t n;

    oribi_run_reset(run, status); /* nobody sees what another request left */
    TRY(error_of(status));
    TRY(TRITONBACKEND_RequestInputCount(request, &n));
    for (uint32_t i = 0; i < n; i++) {
        TRITONBACKEND_Input *input;
        TRY(TRITONBACKEND_RequestInputByIndex(request, i, &input));
        TRY(bind_input(s, run, input, status));
    }
    t->compute_begin = now_ns();
    oribi_run_execute(run, status);
    t->compute_end = now_ns();
    TRY(error_of(status));
    return put_outputs(s, run, request, response, status);
}

static void forget(TRITONSERVER_Error *error)
{
    if (error != NULL) {
        TRITONSERVER_ErrorDelete(error);
    }
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance *instance,
                                                       TRITONBACKEND_Request **requests, uint32_t n)
{
    TRITONBACKEND_Model *model;
    void *state, *run;

    TRY(TRITONBACKEND_ModelInstanceModel(instance, &model));
    TRY(TRITONBACKEND_ModelState(model, &state));
    TRY(TRITONBACKEND_ModelInstanceState(instance, &run));
    TF_Status *status = TF_NewStatus();
    for (uint32_t i = 0; i < n; i++) { /* from here on the requests are ours, whatever fails */
        TRITONBACKEND_Response *response = NULL;
        times t = {.begin = now_ns()};
        t.compute_begin = t.compute_end = t.begin;
        TRITONSERVER_Error *error = TRITONBACKEND_ResponseNew(&response, requests[i]);
        error = error == NULL ? answer(state, run, requests[i], response, &t, status) : error;
        const bool is_good = error == NULL;
        t.end = now_ns();
        if (response != NULL) {
            forget(TRITONBACKEND_ResponseSend(response, TRITON_RESPONSE_COMPLETE_FINAL, error));
        }
        forget(error);
        forget(TRITONBACKEND_ModelInstanceReportStatistics(instance, requests[i], is_good, t.begin,
                                                           t.compute_begin, t.compute_end, t.end));
        forget(TRITONBACKEND_RequestRelease(requests[i], TRITON_REQUEST_RELEASE_ALL));
    }
    TF_DeleteStatus(status);
    return NULL;
}
