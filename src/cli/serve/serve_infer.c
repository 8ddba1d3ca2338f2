/* SPDX-License-Identifier: Apache-2.0 */
/* One inference of the Open Inference Protocol, version 2: tensors from JSON or from bytes behind
 * it, a run, tensors back. Everything in a request is untrusted; sizes are bounded by the body. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/serve.h"

static const struct {
    const char *name;
    TF_DataType type;
} datatypes[] = {{"BOOL", TF_BOOL},     {"UINT8", TF_UINT8},   {"UINT16", TF_UINT16},
                 {"UINT32", TF_UINT32}, {"UINT64", TF_UINT64}, {"INT8", TF_INT8},
                 {"INT16", TF_INT16},   {"INT32", TF_INT32},   {"INT64", TF_INT64},
                 {"FP16", TF_HALF},     {"FP32", TF_FLOAT},    {"FP64", TF_DOUBLE},
                 {"BF16", TF_BFLOAT16}, {"BYTES", TF_STRING}};

/* NULL: the protocol has none. */
static const char *served_type(TF_DataType type)
{
    for (size_t i = 0; i < sizeof datatypes / sizeof datatypes[0]; i++) {
        if (datatypes[i].type == type) {
            return datatypes[i].name;
        }
    }
    return NULL;
}

static const char *datatype_of(TF_DataType type)
{
    const char *name = served_type(type);
    return name != NULL ? name : cli_type_name(type);
}

void serve_fail(serve_answer *answer, int code, const char *format, ...)
{
    oribi_text message = {0};
    oribi_json json = {.text = &answer->body};
    va_list args;

    va_start(args, format);
    oribi_text_vprintf(&message, format, args);
    va_end(args);
    oribi_text_destroy(&answer->body);
    answer->body = (oribi_text){0};
    answer->code = code;
    answer->json_bytes = 0;
    oribi_json_open(&json, '{');
    oribi_json_put_string(&json, "error", oribi_text_string(&message));
    oribi_json_close(&json, '}');
    oribi_text_destroy(&message);
}

static int http_code(TF_Code code)
{
    switch ((int)code) {
    case TF_INVALID_ARGUMENT:
    case TF_OUT_OF_RANGE:
    case TF_FAILED_PRECONDITION:
        return 400;
    case TF_RESOURCE_EXHAUSTED:
        return 503;
    case TF_DEADLINE_EXCEEDED:
        return 504;
    case TF_UNIMPLEMENTED:
        return 501;
    default:
        return 500;
    }
}

static void fail_with(serve_answer *answer, const TF_Status *status)
{
    serve_fail(answer, http_code(TF_GetCode(status)), "%s", TF_Message(status));
}

/* --- Inputs ---------------------------------------------------------------------------------- */

/* Numbers of nested arrays, one after the other. */
static bool fill(TF_Tensor *tensor, const oribi_json_value *value, int64_t *at)
{
    if (value->kind == ORIBI_JSON_ARRAY) {
        for (const oribi_json_value *v = value->child; v != NULL; v = v->next) {
            if (!fill(tensor, v, at)) {
                return false;
            }
        }
        return true;
    }
    char text[512];
    const size_t length = (size_t)(value->end - value->begin);
    if (TF_TensorType(tensor) == TF_STRING) {
        if (value->kind != ORIBI_JSON_STRING || *at >= TF_TensorElementCount(tensor)) {
            return false;
        }
        TF_StringCopy((TF_TString *)TF_TensorData(tensor) + (*at)++, value->text, value->length);
        return true;
    }
    if ((value->kind != ORIBI_JSON_NUMBER && value->kind != ORIBI_JSON_BOOL) ||
        length >= sizeof text || *at >= TF_TensorElementCount(tensor)) {
        return false;
    }
    memcpy(text, value->begin, length);
    text[length] = '\0';
    const char *end = cli_element_parse(tensor, (*at)++, text);
    return end == text + length;
}

/* "shape" as dims; false: none, or not one of sizes. */
static bool read_shape(const oribi_json_value *input, cli_dims *out)
{
    const oribi_json_value *shape = oribi_json_find(input, "shape");
    out->n = 0;
    if (shape == NULL || shape->kind != ORIBI_JSON_ARRAY) {
        return false;
    }
    for (const oribi_json_value *v = shape->child; v != NULL; v = v->next) {
        if (v->kind != ORIBI_JSON_NUMBER || v->integer < 0 || v->number != (double)v->integer ||
            !cli_dims_add(out, v->integer)) {
            return false;
        }
    }
    return true;
}

/* Bytes of a tensor of that shape; false: more than `most`. */
static bool count_bytes(const cli_dims *dims, size_t element, size_t most, size_t *out)
{
    size_t bytes = element;
    for (int i = 0; i < dims->n; i++) {
        if (dims->at[i] > 0 && (uint64_t)dims->at[i] > most / bytes) {
            return false; /* dims of 0 excuse no other */
        }
        bytes *= dims->at[i] > 0 ? (size_t)dims->at[i] : 1;
    }
    *out = bytes;
    for (int i = 0; i < dims->n; i++) {
        *out = dims->at[i] == 0 ? 0 : *out;
    }
    return bytes <= most;
}

/* May the tensor have as many elements as its shape says? Each takes bytes of the request: strings
 * their lengths, or quotes. The bytes of the tensor, and of its binary where the shape tells them.
 */
static bool measure(const serve_body *body, const oribi_json_value *size, size_t left,
                    TF_DataType type, const cli_dims *dims, const char *name, size_t *out_bytes,
                    serve_answer *answer)
{
    const size_t element = cli_type_bytes(type);
    const bool is_text = type == TF_STRING;
    const size_t most = body->json_bytes * element +
                        (is_text ? body->binary_bytes / 4 * element : body->binary_bytes);

    if (!count_bytes(dims, element, most, out_bytes)) {
        serve_fail(answer, 400, "input '%s': its shape has more elements than the request", name);
        return false;
    }
    if (size != NULL && (size->integer < 0 || (uint64_t)size->integer > left ||
                         (!is_text && (uint64_t)size->integer != *out_bytes))) {
        serve_fail(answer, 400, "input '%s': binary_data_size is %lld, and %zu bytes are left%s",
                   name, (long long)size->integer, left,
                   is_text ? "" : "; it must be that of the shape");
        return false;
    }
    return true;
}

/* The elements, of binary at *at or of JSON; false after the answer has failed. */
static bool read_data(const serve_body *body, size_t *at, const oribi_json_value *size,
                      const oribi_json_value *data, const char *name, TF_Tensor *tensor,
                      serve_answer *answer)
{
    int64_t n = 0;

    if (size != NULL && TF_TensorType(tensor) == TF_STRING) {
        const uint8_t *from = body->binary + *at;
        *at += (size_t)size->integer;
        if (serve_bytes_read(from, (size_t)size->integer, tensor)) {
            return true;
        }
        serve_fail(answer, 400, "input '%s': its strings do not end where binary_data_size says",
                   name);
    } else if (size != NULL) {
        memcpy(TF_TensorData(tensor), body->binary + *at, (size_t)size->integer);
        *at += (size_t)size->integer;
        return true;
    } else if (data->kind == ORIBI_JSON_ARRAY && fill(tensor, data, &n) &&
               n == TF_TensorElementCount(tensor)) {
        return true;
    } else {
        serve_fail(answer, 400,
                   "input '%s': element %lld of 'data' is no %s, or there are not as many as the "
                   "shape says",
                   name, (long long)n, datatype_of(TF_TensorType(tensor)));
    }
    return false;
}

/* The input's tensor; NULL after the answer has failed. */
static TF_Tensor *read_tensor(const serve_body *body, size_t *at, const oribi_json_value *input,
                              const char *name, TF_DataType type, serve_answer *answer)
{
    const char *datatype = cli_json_text(input, "datatype");
    const oribi_json_value *data = oribi_json_find(input, "data"),
                           *parameters = oribi_json_find(input, "parameters"),
                           *size = oribi_json_find(parameters, "binary_data_size");
    cli_dims dims;
    size_t bytes = 0;

    if (cli_type_bytes(type) == 0) {
        serve_fail(answer, 501, "input '%s': tensors of %s are not served", name,
                   datatype_of(type));
    } else if (datatype == NULL || strcmp(datatype, datatype_of(type)) != 0) {
        serve_fail(answer, 400, "input '%s': its datatype is %s, not %s", name, datatype_of(type),
                   datatype != NULL ? datatype : "nothing");
    } else if (!read_shape(input, &dims)) {
        serve_fail(answer, 400, "input '%s': 'shape' must be an array of sizes", name);
    } else if (size == NULL && data == NULL) {
        serve_fail(answer, 400, "input '%s': it has neither 'data' nor binary_data_size", name);
    } else if (measure(body, size, body->binary_bytes - *at, type, &dims, name, &bytes, answer)) {
        TF_Tensor *tensor = TF_AllocateTensor(type, dims.at, dims.n, bytes);
        if (tensor == NULL) {
            serve_fail(answer, 503, "input '%s': no memory for it", name);
            return NULL;
        }
        if (bytes > 0 && type == TF_STRING) {
            memset(TF_TensorData(tensor), 0, bytes); /* empty ones */
        }
        if (read_data(body, at, size, data, name, tensor, answer)) {
            return tensor;
        }
        TF_DeleteTensor(tensor);
    }
    return NULL;
}

static int find_port(const oribi_model *model, bool is_input, const char *name)
{
    const int n = is_input ? oribi_model_num_inputs(model) : oribi_model_num_outputs(model);
    for (int i = 0; name != NULL && i < n; i++) {
        if (strcmp(name, is_input ? oribi_model_input_name(model, i)
                                  : oribi_model_output_name(model, i)) == 0) {
            return i;
        }
    }
    return -1;
}

static bool bind_inputs(const serve_body *body, const oribi_json_value *request,
                        const serve_model *model, oribi_run *run, TF_Status *status,
                        serve_answer *answer)
{
    const int n = oribi_model_num_inputs(model->s.model);
    size_t at = 0;
    int n_bound = 0;

    for (const oribi_json_value *v = cli_json_first(request, "inputs"); v != NULL; v = v->next) {
        const char *name = cli_json_text(v, "name");
        const int index = find_port(model->s.model, true, name);
        if (index < 0) {
            serve_fail(answer, 400, "the model has no input '%s'", name != NULL ? name : "");
            return false;
        }
        const TF_DataType type = oribi_model_input_type(model->s.model, index);
        TF_Tensor *tensor = read_tensor(body, &at, v, name, type, answer);
        if (tensor == NULL) {
            return false;
        }
        oribi_run_set_input(run, index, tensor, status);
        TF_DeleteTensor(tensor);
        if (TF_GetCode(status) != TF_OK) {
            fail_with(answer, status);
            return false;
        }
        n_bound++;
    }
    if (n_bound != n || at != body->binary_bytes) {
        serve_fail(answer, 400,
                   "%d inputs were given, the model has %d; %zu of %zu bytes were used", n_bound, n,
                   at, body->binary_bytes);
        return false;
    }
    return true;
}

/* --- Outputs --------------------------------------------------------------------------------- */

static bool wants_binary(const oribi_json_value *request, const oribi_json_value *output)
{
    const oribi_json_value *own =
        oribi_json_find(oribi_json_find(output, "parameters"), "binary_data");
    return own != NULL ? own->number != 0
                       : cli_json_is(oribi_json_find(request, "parameters"), "binary_data_output");
}

/* False: an element cannot be said in JSON. */
static bool put_element(oribi_json *json, const TF_Tensor *tensor, int64_t index)
{
    char text[64];

    if (TF_TensorType(tensor) == TF_STRING) {
        return serve_bytes_put(json, tensor, index);
    }
    if (TF_TensorType(tensor) == TF_BOOL) {
        oribi_json_bool(json, ((const uint8_t *)TF_TensorData(tensor))[index] != 0);
        return true;
    }
    cli_element_format(tensor, index, text, sizeof text);
    if (text[0] == 'n' || text[0] == 'i' || (text[0] == '-' && text[1] == 'i')) {
        oribi_json_null(json); /* JSON has no nan and no inf */
    } else {
        oribi_json_raw(json, text, strlen(text));
    }
    return true;
}

static bool put_data(oribi_json *json, const TF_Tensor *tensor, TF_Status *status)
{
    bool good = true;

    oribi_json_key(json, "data");
    oribi_json_open(json, '[');
    for (int64_t i = 0; good && i < TF_TensorElementCount(tensor); i++) {
        good = put_element(json, tensor, i);
        if (!good) {
            TF_SetStatus(status, TF_INVALID_ARGUMENT,
                         "an output has bytes that are no UTF-8, which JSON does not hold; ask for "
                         "binary_data");
        }
    }
    oribi_json_close(json, ']');
    return good;
}

static void put_binary(oribi_json *json, const TF_Tensor *tensor, oribi_text *binary)
{
    const size_t plain =
        (size_t)TF_TensorElementCount(tensor) * cli_type_bytes(TF_TensorType(tensor));
    const bool is_text = TF_TensorType(tensor) == TF_STRING;
    const size_t bytes = is_text ? serve_bytes_write(tensor, binary) : plain;

    oribi_json_key(json, "parameters");
    oribi_json_open(json, '{');
    oribi_json_put_uint(json, "binary_data_size", bytes);
    oribi_json_close(json, '}');
    if (!is_text) {
        oribi_text_append_n(binary, TF_TensorData(tensor), bytes);
    }
}

static bool put_output(oribi_json *json, oribi_text *binary, const serve_model *model, int index,
                       oribi_run *run, bool is_binary, TF_Status *status)
{
    TF_Tensor *tensor = oribi_run_output(run, index, status);
    bool good = true;

    if (tensor == NULL) {
        return false;
    }
    if (served_type(TF_TensorType(tensor)) == NULL) { /* of lists the elements are addresses */
        TF_SetStatus(status, TF_UNIMPLEMENTED,
                     "the model has an output that is a list, or of "
                     "another type that the protocol does not have");
        TF_DeleteTensor(tensor);
        return false;
    }
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "name", oribi_model_output_name(model->s.model, index));
    oribi_json_put_string(json, "datatype", datatype_of(TF_TensorType(tensor)));
    oribi_json_key(json, "shape");
    oribi_json_open(json, '[');
    for (int d = 0; d < TF_NumDims(tensor); d++) {
        oribi_json_int(json, TF_Dim(tensor, d));
    }
    oribi_json_close(json, ']');
    if (is_binary) {
        put_binary(json, tensor, binary);
    } else {
        good = put_data(json, tensor, status);
    }
    oribi_json_close(json, '}');
    TF_DeleteTensor(tensor);
    return good;
}

/* Extensions of Triton that would change the answer, and are not served: refused, not ignored. */
static const char *find_foreign(const oribi_json_value *parameters)
{
    static const char *const names[] = {"classification", "shared_memory_region", "sequence_id"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const oribi_json_value *v = oribi_json_find(parameters, names[i]);
        if (v != NULL && (v->kind == ORIBI_JSON_STRING || v->number != 0)) {
            return names[i];
        }
    }
    return NULL;
}

static bool is_plain(const oribi_json_value *request, serve_answer *answer)
{
    static const char *const lists[] = {"inputs", "outputs"};
    const char *name = find_foreign(oribi_json_find(request, "parameters"));

    for (int k = 0; k < 2; k++) {
        for (const oribi_json_value *v = cli_json_first(request, lists[k]);
             v != NULL && name == NULL; v = v->next) {
            name = find_foreign(oribi_json_find(v, "parameters"));
        }
    }
    if (name != NULL) {
        serve_fail(answer, 501, "the parameter '%s' is not served; GET /v2 lists extensions", name);
    }
    return name == NULL;
}

static bool put_outputs(const oribi_json_value *request, const serve_model *model, oribi_run *run,
                        oribi_json *json, oribi_text *binary, TF_Status *status,
                        serve_answer *answer)
{
    const oribi_json_value *asked = cli_json_first(request, "outputs");
    oribi_json_key(json, "outputs");
    oribi_json_open(json, '[');
    for (const oribi_json_value *v = asked; v != NULL; v = v->next) {
        const char *name = cli_json_text(v, "name");
        const int index = find_port(model->s.model, false, name);
        if (index < 0) {
            serve_fail(answer, 400, "the model has no output '%s'", name != NULL ? name : "");
            return false;
        }
        if (!put_output(json, binary, model, index, run, wants_binary(request, v), status)) {
            fail_with(answer, status);
            return false;
        }
    }
    for (int i = 0; asked == NULL && i < oribi_model_num_outputs(model->s.model); i++) {
        if (!put_output(json, binary, model, i, run, wants_binary(request, NULL), status)) {
            fail_with(answer, status);
            return false;
        }
    }
    oribi_json_close(json, ']');
    return true;
}

/* --- The request ----------------------------------------------------------------------------- */

/* The request's own limit, "timeout" in microseconds as Triton has it, where it is the shorter. */
static uint64_t limit_of(const oribi_json_value *request, uint64_t time_limit_ns)
{
    const int64_t own = cli_json_number(oribi_json_find(request, "parameters"), "timeout");
    const uint64_t own_ns = own > 0 && own < INT64_MAX / 1000 ? (uint64_t)own * 1000 : 0;
    return own_ns != 0 && (time_limit_ns == 0 || own_ns < time_limit_ns) ? own_ns : time_limit_ns;
}

static void answer_of(const serve_body *body, const oribi_json_value *request, serve_model *model,
                      oribi_run *run, serve_answer *answer, TF_Status *status)
{
    char version[24];
    oribi_text binary = {0};

    if (!is_plain(request, answer) || !bind_inputs(body, request, model, run, status, answer)) {
        return;
    }
    oribi_run_execute(run, status);
    if (TF_GetCode(status) != TF_OK) {
        fail_with(answer, status);
        return;
    }
    oribi_json json = {.text = &answer->body};
    snprintf(version, sizeof version, "%lld", (long long)model->version);
    answer->code = 200;
    oribi_json_open(&json, '{');
    oribi_json_put_string(&json, "model_name", model->name);
    oribi_json_put_string(&json, "model_version", version);
    if (cli_json_text(request, "id") != NULL) {
        oribi_json_put_string(&json, "id", cli_json_text(request, "id"));
    }
    if (put_outputs(request, model, run, &json, &binary, status, answer)) {
        oribi_json_close(&json, '}');
        answer->json_bytes = binary.length > 0 ? answer->body.length : 0;
        oribi_text_append_n(&answer->body, binary.data, binary.length);
        if (answer->body.failed || binary.failed) {
            serve_fail(answer, 503, "no memory for the answer");
        }
    }
    oribi_text_destroy(&binary);
}

void serve_infer(serve_model *model, const serve_body *body, uint64_t time_limit_ns,
                 serve_answer *answer)
{
    const uint64_t begin = cli_now_ns();
    TF_Status *status = TF_NewStatus();
    oribi_arena arena = {0};
    oribi_text error = {0};
    const oribi_json_value *request = oribi_json_read(body->json, body->json_bytes, &arena, &error);

    if (request == NULL || request->kind != ORIBI_JSON_OBJECT) {
        serve_fail(answer, 400, "the request is no JSON object: %s", oribi_text_string(&error));
    } else {
        oribi_run *run = serve_model_take_run(model, status);
        if (run == NULL) {
            fail_with(answer, status);
        } else {
            oribi_run_set_time_limit(run, limit_of(request, time_limit_ns));
            answer_of(body, request, model, run, answer, status);
        }
        serve_model_give_run(model, run, answer->code == 200);
    }
    atomic_fetch_add(answer->code == 200 ? &model->n_done : &model->n_failed, 1);
    atomic_fetch_add(&model->nanoseconds, cli_now_ns() - begin);
    oribi_text_destroy(&error);
    oribi_arena_destroy(&arena);
    TF_DeleteStatus(status);
}

static void put_ports(oribi_json *json, const oribi_model *model, bool is_input)
{
    const int n = is_input ? oribi_model_num_inputs(model) : oribi_model_num_outputs(model);
    oribi_json_key(json, is_input ? "inputs" : "outputs");
    oribi_json_open(json, '[');
    for (int i = 0; i < n; i++) {
        cli_dims dims;
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "name",
                              is_input ? oribi_model_input_name(model, i)
                                       : oribi_model_output_name(model, i));
        oribi_json_put_string(json, "datatype",
                              datatype_of(is_input ? oribi_model_input_type(model, i)
                                                   : oribi_model_output_type(model, i)));
        (void)cli_port_dims(model, is_input, i, false, &dims);
        oribi_json_key(json, "shape");
        oribi_json_open(json, '[');
        for (int d = 0; d < dims.n; d++) {
            oribi_json_int(json, dims.at[d]);
        }
        oribi_json_close(json, ']');
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
}

void serve_describe_model(serve_store *store, const serve_model *model, serve_answer *answer)
{
    oribi_json json = {.text = &answer->body};
    int n;
    serve_model **all = serve_store_all(store, &n);

    answer->code = 200;
    oribi_json_open(&json, '{');
    oribi_json_put_string(&json, "name", model->name);
    oribi_json_key(&json, "versions");
    oribi_json_open(&json, '[');
    for (int i = 0; i < n; i++) {
        if (strcmp(all[i]->name, model->name) == 0) {
            char version[24];
            snprintf(version, sizeof version, "%lld", (long long)all[i]->version);
            oribi_json_string(&json, version);
        }
        serve_model_release(all[i]);
    }
    free(all);
    oribi_json_close(&json, ']');
    oribi_json_put_string(&json, "platform", "oribi");
    put_ports(&json, model->s.model, true);
    put_ports(&json, model->s.model, false);
    oribi_json_close(&json, '}');
}
