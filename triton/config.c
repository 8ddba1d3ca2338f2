/* SPDX-License-Identifier: Apache-2.0 */
/* What does a model's configuration ask for, can the model do it, and what does the model say where
 * the configuration is silent? config.pbtxt may be one line, `backend: "oribi"`; Triton hands it
 * over as JSON.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "base/alloc.h"
#include "format/json.h"
#include "format/json_read.h"

/* {"string_value": "4"} under `key` of "parameters": a number above 0; 0 where nothing is said. */
static TRITONSERVER_Error *read_parameter(const oribi_json_value *config, const char *key,
                                          uint64_t most, uint64_t *out)
{
    const oribi_json_value *parameters = oribi_json_find(config, "parameters");
    const oribi_json_value *given = oribi_json_find(parameters, key);
    const oribi_json_value *text = oribi_json_find(given, "string_value");
    char *end;

    *out = 0;
    if (given == NULL) {
        return NULL;
    }
    errno = 0;
    if (text != NULL && text->kind == ORIBI_JSON_STRING && text->text[0] >= '1' &&
        text->text[0] <= '9') {
        *out = strtoull(text->text, &end, 10);
        if (*end == '\0' && errno == 0 && *out <= most) {
            return NULL;
        }
    }
    return triton_fail(TRITON_ERROR_INVALID_ARG,
                       "oribi: parameter %s is no number from 1 to %llu; write it as "
                       "{ key: \"%s\" value: { string_value: \"4\" } }",
                       key, (unsigned long long)most, key);
}

/* "state" of "sequence_batching": Triton keeps what the output has for the input of the next
 * request. */
static TRITONSERVER_Error *read_carried(const oribi_json_value *sequences, triton_model *out)
{
    const oribi_json_value *states = oribi_json_find(sequences, "state");
    const int32_t n = states != NULL && states->kind == ORIBI_JSON_ARRAY ? states->count : 0;
    triton_carried *carried = oribi_arena_array(&out->arena, (size_t)n, sizeof *carried);

    if (carried == NULL) {
        return triton_no_memory();
    }
    for (const oribi_json_value *s = n > 0 ? states->child : NULL; s != NULL; s = s->next) {
        const oribi_json_value *input = oribi_json_find(s, "input_name");
        const oribi_json_value *output = oribi_json_find(s, "output_name");
        if (input == NULL || input->text == NULL || output == NULL || output->text == NULL) {
            return triton_fail(TRITON_ERROR_INVALID_ARG,
                               "oribi: a state of sequence_batching has no input_name or no "
                               "output_name");
        }
        carried[out->n_carried++] = (triton_carried){.input = input->text, .output = output->text};
    }
    out->carried = carried;
    return NULL;
}

/* What the configuration says itself stays; an empty list says nothing. */
static triton_part part_of(const oribi_json_value *config, const char *key)
{
    const oribi_json_value *value = oribi_json_find(config, key);

    if (value == NULL || (value->kind == ORIBI_JSON_ARRAY && value->count == 0)) {
        return (triton_part){.key = key};
    }
    return (triton_part){key, value->begin, (size_t)(value->end - value->begin)};
}

static TRITONSERVER_Error *read_tree(const oribi_json_value *config, triton_model *out)
{
    const oribi_json_value *rows = oribi_json_find(config, "max_batch_size");
    const oribi_json_value *sequences = oribi_json_find(config, "sequence_batching");
    const oribi_json_value *oldest = oribi_json_find(sequences, "oldest");
    const oribi_json_value *candidates = oribi_json_find(oldest, "max_candidate_sequences");
    uint64_t number;

    out->max_rows = rows != NULL && rows->integer > 0 ? rows->integer : 0;
    if (sequences != NULL) {
        out->n_sequences = 1;
        if (candidates != NULL && candidates->integer > 1) {
            out->n_sequences =
                (int32_t)(candidates->integer < TRITON_MAX_SEQUENCES ? candidates->integer
                                                                     : TRITON_MAX_SEQUENCES + 1);
        }
        TRY(read_carried(sequences, out));
    }
    out->scheduler = part_of(config, sequences != NULL ? "sequence_batching" : "dynamic_batching");
    out->inputs = part_of(config, "input");
    out->outputs = part_of(config, "output");
    TRY(read_parameter(config, "threads", INT32_MAX, &number));
    out->threads = (int32_t)number;
    TRY(read_parameter(config, "max_bytes", UINT64_MAX, &out->max_bytes));
    TRY(read_parameter(config, "time_limit_us", UINT64_MAX / 1000, &number));
    out->time_limit_ns = number * 1000;
    return NULL;
}

TRITONSERVER_Error *triton_config_read(TRITONBACKEND_Model *model, triton_model *out)
{
    TRITONSERVER_Message *message;
    const char *text;
    size_t bytes;
    oribi_text why = {0};

    TRY(TRITONBACKEND_ModelConfig(model, 1, &message));
    TRITONSERVER_Error *error = TRITONSERVER_MessageSerializeToJson(message, &text, &bytes);
    if (error == NULL) {
        out->source = oribi_arena_strndup(&out->arena, text, bytes);
        error = out->source == NULL ? triton_no_memory() : NULL;
    }
    triton_forget(TRITONSERVER_MessageDelete(message));
    TRY(error);
    const oribi_json_value *config = oribi_json_read(out->source, bytes, &out->arena, &why);
    error = config == NULL ? triton_fail(TRITON_ERROR_INVALID_ARG, "oribi: the configuration: %s",
                                         oribi_text_string(&why))
                           : read_tree(config, out);
    oribi_text_destroy(&why);
    return error;
}

/* --- What the model says --------------------------------------------------------------------- */

static int shape_of(const triton_model *s, bool is_input, int index, int64_t *dims)
{
    return is_input ? oribi_model_input_shape(s->model, index, dims, TRITON_MAX_RANK)
                    : oribi_model_output_shape(s->model, index, dims, TRITON_MAX_RANK);
}

static const char *name_of(const triton_model *s, bool is_input, int index)
{
    return is_input ? oribi_model_input_name(s->model, index)
                    : oribi_model_output_name(s->model, index);
}

static bool is_carried(const triton_model *s, bool is_input, const char *name)
{
    for (int32_t i = 0; i < s->n_carried; i++) {
        if (strcmp(name, is_input ? s->carried[i].input : s->carried[i].output) == 0) {
            return true;
        }
    }
    return false;
}

static TRITONSERVER_Error *check_port(const triton_model *s, bool is_input, int index)
{
    const char *name = name_of(s, is_input, index), *kind = is_input ? "input" : "output";
    const TF_DataType type = is_input ? oribi_model_input_type(s->model, index)
                                      : oribi_model_output_type(s->model, index);
    int64_t dims[TRITON_MAX_RANK];
    const int rank = shape_of(s, is_input, index, dims);

    if (triton_type(type) == 0) {
        return triton_fail(TRITON_ERROR_UNSUPPORTED,
                           "oribi: %s '%s' has a type that Triton has not (lists have none there)",
                           kind, name);
    }
    if (rank < 0) {
        return triton_fail(TRITON_ERROR_UNSUPPORTED, "oribi: %s '%s' has no known rank", kind,
                           name);
    }
    if (s->max_rows > 0 && (rank == 0 || dims[0] >= 0)) {
        return triton_fail(TRITON_ERROR_INVALID_ARG,
                           "oribi: max_batch_size is %lld, but the first dimension of %s '%s' is "
                           "not open; set max_batch_size to 0",
                           (long long)s->max_rows, kind, name);
    }
    return NULL;
}

static TRITONSERVER_Error *check_ports(const triton_model *s, bool is_input)
{
    const int n = is_input ? oribi_model_num_inputs(s->model) : oribi_model_num_outputs(s->model);

    for (int i = 0; i < n; i++) {
        TRY(check_port(s, is_input, i));
    }
    return NULL;
}

static TRITONSERVER_Error *check(const triton_model *s)
{
    TRY(check_ports(s, true));
    TRY(check_ports(s, false));
    for (int32_t i = 0; i < s->n_carried; i++) {
        if (triton_find_port(s->model, true, s->carried[i].input) < 0 ||
            triton_find_port(s->model, false, s->carried[i].output) < 0) {
            return triton_fail(TRITON_ERROR_INVALID_ARG,
                               "oribi: sequence_batching keeps '%s' for '%s', and the model has no "
                               "such output or input",
                               s->carried[i].output, s->carried[i].input);
        }
    }
    if (s->n_sequences > TRITON_MAX_SEQUENCES) {
        return triton_fail(TRITON_ERROR_INVALID_ARG, "oribi: max_candidate_sequences is above %d",
                           (int)TRITON_MAX_SEQUENCES);
    }
    if (s->max_rows > 0 && oribi_model_num_states(s->model) > 0) {
        return triton_fail(TRITON_ERROR_UNSUPPORTED,
                           "oribi: the model keeps its state itself, and rows of a batch have one "
                           "together; set max_batch_size to 0");
    }
    return NULL;
}

static void put_ports(oribi_json *json, const triton_model *s, bool is_input)
{
    const int n = is_input ? oribi_model_num_inputs(s->model) : oribi_model_num_outputs(s->model);
    int64_t dims[TRITON_MAX_RANK];

    oribi_json_key(json, is_input ? "input" : "output");
    oribi_json_open(json, '[');
    for (int i = 0; i < n; i++) {
        const int rank = shape_of(s, is_input, i, dims);
        if (is_carried(s, is_input, name_of(s, is_input, i))) {
            continue;
        }
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "name", name_of(s, is_input, i));
        oribi_json_put_string(json, "data_type",
                              triton_type_name(is_input ? oribi_model_input_type(s->model, i)
                                                        : oribi_model_output_type(s->model, i)));
        oribi_json_key(json, "dims");
        oribi_json_open(json, '[');
        for (int d = s->max_rows > 0 ? 1 : 0; d < rank; d++) {
            oribi_json_int(json, dims[d]);
        }
        oribi_json_close(json, ']');
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
}

static bool put_part(oribi_json *json, const triton_part *part)
{
    if (part->text != NULL) {
        oribi_json_key(json, part->key);
        oribi_json_raw(json, part->text, part->length);
    }
    return part->text != NULL;
}

TRITONSERVER_Error *triton_config_complete(TRITONBACKEND_Model *model, const triton_model *served)
{
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    TRITONSERVER_Message *message = NULL;
    const char *name;
    bool is_wanted = false;

    TRY(check(served));
    TRY(TRITONBACKEND_ModelAutoCompleteConfig(model, &is_wanted));
    TRY(TRITONBACKEND_ModelName(model, &name));
    if (!is_wanted) {
        return NULL;
    }
    oribi_json_open(&json, '{');
    oribi_json_put_string(&json, "name", name);
    oribi_json_put_string(&json, "backend", "oribi");
    oribi_json_put_int(&json, "max_batch_size", served->max_rows);
    if (!put_part(&json, &served->inputs)) {
        put_ports(&json, served, true);
    }
    if (!put_part(&json, &served->outputs)) {
        put_ports(&json, served, false);
    }
    if (!put_part(&json, &served->scheduler) && served->max_rows > 1) {
        oribi_json_key(&json, "dynamic_batching");
        oribi_json_open(&json, '{');
        oribi_json_close(&json, '}');
    }
    oribi_json_close(&json, '}');
    TRITONSERVER_Error *error =
        text.failed ? triton_no_memory()
                    : TRITONSERVER_MessageNewFromSerializedJson(&message, text.data, text.length);
    if (error == NULL) {
        error = TRITONBACKEND_ModelSetConfig(model, 1, message);
        triton_forget(TRITONSERVER_MessageDelete(message));
    }
    oribi_text_destroy(&text);
    return error;
}
