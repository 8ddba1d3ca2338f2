/* SPDX-License-Identifier: Apache-2.0 */
/* libtriton_oribi.so: a backend of Triton Inference Server over oribi.h. What does Triton call? A
 * model is opened once, its instances share the session and have runs of their own.
 */
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include "backend.h"
#include "base/alloc.h"
#include "base/text.h"

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

TRITONSERVER_Error *triton_fail(int code, const char *format, ...)
{
    oribi_text text = {0};
    va_list args;

    va_start(args, format);
    oribi_text_vprintf(&text, format, args);
    va_end(args);
    TRITONSERVER_Error *error = TRITONSERVER_ErrorNew(code, oribi_text_string(&text));
    oribi_text_destroy(&text);
    return error;
}

TRITONSERVER_Error *triton_error_of(const TF_Status *status)
{
    return TF_GetCode(status) == TF_OK
               ? NULL
               : TRITONSERVER_ErrorNew(code_of(TF_GetCode(status)), TF_Message(status));
}

TRITONSERVER_Error *triton_no_memory(void)
{
    return TRITONSERVER_ErrorNew(TRITON_ERROR_UNAVAILABLE, "oribi: no memory");
}

void triton_forget(TRITONSERVER_Error *error)
{
    if (error != NULL) {
        TRITONSERVER_ErrorDelete(error);
    }
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

TRITONSERVER_Error *TRITONBACKEND_Initialize(TRITONBACKEND_Backend *backend)
{
    uint32_t major, minor;

    (void)backend;
    TRY(TRITONBACKEND_ApiVersion(&major, &minor));
    return major == TRITON_API_MAJOR
               ? NULL
               : TRITONSERVER_ErrorNew(TRITON_ERROR_UNSUPPORTED, "oribi: wants backend API 1");
}

static void close_model(triton_model *s)
{
    oribi_session_destroy(s->session);
    oribi_model_destroy(s->model);
    oribi_arena_destroy(&s->arena);
    oribi_free(s);
}

static void open_session(triton_model *s, const char *path, TF_Status *status)
{
    oribi_options *options = oribi_options_create(status);

    if (options != NULL) {
        oribi_options_set_threads(options, s->threads);
        oribi_options_set_max_bytes(options, s->max_bytes);
        s->model = oribi_model_open(path, options, status);
    }
    if (s->model != NULL) {
        s->session = oribi_session_create(s->model, options, status);
    }
    oribi_options_destroy(options);
}

TRITONSERVER_Error *TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model *model)
{
    char path[4096];
    triton_model *s = oribi_alloc_zero(1, sizeof *s);
    TF_Status *status = TF_NewStatus();

    TRITONSERVER_Error *error =
        s == NULL ? triton_no_memory() : find_file(model, path, sizeof path);
    error = error == NULL ? triton_config_read(model, s) : error;
    if (error == NULL) {
        open_session(s, path, status);
        error = triton_error_of(status);
    }
    error = error == NULL ? triton_config_complete(model, s) : error;
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

/* --- An instance ----------------------------------------------------------------------------- */

static void close_instance(triton_instance *instance)
{
    for (int32_t i = 0; instance->sequences != NULL && i < instance->model->n_sequences; i++) {
        oribi_run_destroy(instance->sequences[i].run);
    }
    oribi_run_destroy(instance->run);
    oribi_free(instance->sequences);
    oribi_free(instance);
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceInitialize(TRITONBACKEND_ModelInstance *handle)
{
    TRITONBACKEND_Model *model;
    void *state;

    TRY(TRITONBACKEND_ModelInstanceModel(handle, &model));
    TRY(TRITONBACKEND_ModelState(model, &state));
    triton_model *s = state;
    triton_instance *instance = oribi_alloc_zero(1, sizeof *instance);
    TRITONSERVER_Error *error = NULL;
    if (instance == NULL) {
        return triton_no_memory();
    }
    TF_Status *status = TF_NewStatus();
    instance->model = s;
    instance->sequences = oribi_alloc_zero((size_t)s->n_sequences, sizeof *instance->sequences);
    error = instance->sequences == NULL ? triton_no_memory() : NULL;
    if (error == NULL) {
        instance->run = oribi_run_create(s->session, status);
        error = triton_error_of(status);
    }
    if (error == NULL) {
        oribi_run_set_time_limit(instance->run, s->time_limit_ns);
        error = TRITONBACKEND_ModelInstanceSetState(handle, instance);
    }
    TF_DeleteStatus(status);
    if (error != NULL) {
        close_instance(instance);
    }
    return error;
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance *handle)
{
    void *instance = NULL;

    TRY(TRITONBACKEND_ModelInstanceState(handle, &instance));
    if (instance != NULL) {
        close_instance(instance);
    }
    return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance *handle,
                                                       TRITONBACKEND_Request **requests, uint32_t n)
{
    void *instance;

    TRY(TRITONBACKEND_ModelInstanceState(handle, &instance));
    triton_batch_execute(handle, instance, requests, n);
    return NULL;
}
