/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of functions: the nodes of a FunctionDef stand in the place of the call, with its name in
 * front of theirs.
 */
#include <string.h>

#include "import/tensorflow/tensorflow.h"

enum { MAX_DEPTH = 24, MAX_PREFIX = 400 };

/* The names of the signature's arguments: inputs are its field 2, outputs 3. */
static bool read_arguments(oribi_tf *tf, oribi_wire signature, uint32_t number, oribi_string **out,
                           int32_t *out_n, TF_Status *status)
{
    oribi_wire wire = signature, argument;
    oribi_wire_field field;
    int32_t n = 0, i = 0;
    while (oribi_wire_next(&wire, &field, status)) {
        n += field.number == number;
    }
    ORIBI_TRY(oribi_ok(status));
    *out = oribi_arena_array(&tf->kept, (size_t)n + 1, sizeof **out);
    ORIBI_TRY(*out != NULL || oribi_fail_memory(status));
    wire = signature;
    while (oribi_wire_next(&wire, &field, status)) {
        oribi_wire_field part;
        if (field.number != number) {
            continue;
        }
        ORIBI_TRY(oribi_wire_enter(&wire, &field, &argument, status));
        (*out)[i] = (oribi_string){"", 0};
        while (oribi_wire_next(&argument, &part, status)) {
            ORIBI_TRY(part.number != 1 ||
                      oribi_wire_string(&part, "an argument's name", &(*out)[i], status));
        }
        i++;
    }
    *out_n = n;
    return oribi_ok(status);
}

/* Which value an output is: an entry of the map `ret`. */
static bool read_return(const oribi_wire *entry_of, const oribi_wire_field *field,
                        oribi_tf_function *function, TF_Status *status)
{
    oribi_wire entry;
    oribi_wire_field part;
    oribi_string key = {"", 0}, value = {"", 0};
    ORIBI_TRY(oribi_wire_enter(entry_of, field, &entry, status));
    while (oribi_wire_next(&entry, &part, status)) {
        ORIBI_TRY(part.number != 1 || oribi_wire_string(&part, "an output's name", &key, status));
        ORIBI_TRY(part.number != 2 || oribi_wire_string(&part, "an output", &value, status));
    }
    for (int32_t i = 0; i < function->n_outputs; i++) {
        if (oribi_string_same(function->outputs[i], key)) {
            function->returns[i] = value;
        }
    }
    return oribi_ok(status);
}

bool oribi_tf_read_function(oribi_tf *tf, oribi_wire message, oribi_tf_function *out,
                            TF_Status *status)
{
    oribi_wire wire = message, signature = oribi_wire_over(message.at, 0);
    oribi_wire_field field;
    oribi_string name = {"", 0};
    *out = (oribi_tf_function){.message = message};
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != 1 || oribi_wire_enter(&wire, &field, &signature, status));
    }
    ORIBI_TRY(oribi_ok(status) &&
              read_arguments(tf, signature, 2, &out->inputs, &out->n_inputs, status) &&
              read_arguments(tf, signature, 3, &out->outputs, &out->n_outputs, status));
    out->returns = oribi_arena_array(&tf->kept, (size_t)out->n_outputs + 1, sizeof *out->returns);
    ORIBI_TRY(out->returns != NULL || oribi_fail_memory(status));
    for (int32_t i = 0; i < out->n_outputs; i++) {
        out->returns[i] = (oribi_string){"", 0};
    }
    wire = signature;
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != 1 || oribi_wire_string(&field, "a name", &name, status));
    }
    wire = message;
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != 4 || read_return(&wire, &field, out, status));
    }
    out->name = oribi_import_text(&tf->kept, &name);
    return oribi_ok(status) && (out->name != NULL || oribi_fail_memory(status));
}

bool oribi_tf_function_named(oribi_tf *tf, oribi_wire call, oribi_tf_function *out,
                             TF_Status *status)
{
    oribi_wire_field field;
    oribi_string name = {"", 0};
    while (oribi_wire_next(&call, &field, status)) {
        ORIBI_TRY(field.number != 1 ||
                  oribi_wire_string(&field, "a function's name", &name, status));
    }
    ORIBI_TRY(oribi_ok(status));
    const oribi_wire *found = oribi_map_get_n(&tf->functions, name.data, name.length);
    if (found == NULL) {
        return oribi_fail(status, TF_NOT_FOUND, "there is no function '%.*s' in the library",
                          (int)(name.length & 0xfff), name.data);
    }
    return oribi_tf_read_function(tf, *found, out, status);
}

int32_t oribi_tf_function_output(oribi_tf *tf, oribi_string function, oribi_string output)
{
    const oribi_wire *found = oribi_map_get_n(&tf->functions, function.data, function.length);
    oribi_tf_function read = {.n_outputs = 0};
    int32_t i = 0;
    TF_Status *status = found != NULL ? TF_NewStatus() : NULL;
    if (status != NULL && oribi_tf_read_function(tf, *found, &read, status)) {
        while (i < read.n_outputs && !oribi_string_same(read.outputs[i], output)) {
            i++;
        }
    }
    TF_DeleteStatus(status);
    return i < read.n_outputs ? i : 0;
}

bool oribi_tf_function_of(oribi_tf *tf, const oribi_graphdef_node *node, const char *attr,
                          oribi_tf_function *out, TF_Status *status)
{
    oribi_wire value, call;
    oribi_wire_field field;
    ORIBI_TRY(oribi_graphdef_attr(node->message, attr, &value, status) ||
              oribi_fail(status, TF_INVALID_ARGUMENT, "attribute '%s' is missing", attr));
    call = oribi_wire_over(value.at, 0);
    while (oribi_wire_next(&value, &field, status)) {
        ORIBI_TRY(field.number != 10 || oribi_wire_enter(&value, &field, &call, status));
    }
    return oribi_ok(status) && oribi_tf_function_named(tf, call, out, status);
}

/* What a call costs to read, so that functions that call each other twice end soon. */
static bool spend(oribi_tf *tf, const oribi_tf_function *function, TF_Status *status)
{
    oribi_wire wire = function->message;
    oribi_wire_field field;
    int64_t n = 0;
    while (oribi_wire_next(&wire, &field, status)) {
        n += field.number == 3;
    }
    return oribi_ok(status) && oribi_tf_spend(tf, n, status);
}

static const char *prefix_of(oribi_tf *tf, const char *label, const char *step)
{
    const size_t length = strlen(label);
    const char *end = label + (length > MAX_PREFIX ? length - MAX_PREFIX : 0);
    return step[0] != '\0' ? oribi_arena_printf(&tf->kept, "%s/%s/", end, step)
                           : oribi_arena_printf(&tf->kept, "%s/", end);
}

bool oribi_tf_call(oribi_tf *tf, const oribi_tf_function *function, const char *label,
                   const char *step, const oribi_value_id *inputs, oribi_value_id *out_outputs,
                   TF_Status *status)
{
    if (tf->depth >= MAX_DEPTH) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                          "functions nest deeper than %d: '%s' may call itself", MAX_DEPTH,
                          function->name);
    }
    const oribi_wire *message = &function->message;
    oribi_tf_scope scope = {.tf = tf, .prefix = prefix_of(tf, label, step)};
    const oribi_graphdef_known known = {.arg = &scope,
                                        .prefix = scope.prefix,
                                        .is_function = true,
                                        .skips_controls = true,
                                        .make = oribi_tf_make,
                                        .spelling = oribi_tf_spelling,
                                        .argument = oribi_tf_argument};
    ORIBI_TRY((scope.prefix != NULL || oribi_fail_memory(status)) && spend(tf, function, status));
    oribi_graphdef *reader = oribi_graphdef_open(
        tf->graph, message->at, (size_t)(message->end - message->at), &known, status);
    bool ok = reader != NULL;
    tf->depth++;
    for (int32_t i = 0; ok && i < function->n_inputs; i++) {
        const char *name = oribi_tf_text(tf, function->inputs[i], status);
        ok = name != NULL && oribi_graphdef_feed(reader, name, inputs[i], status);
    }
    for (int32_t i = 0; ok && i < function->n_outputs; i++) {
        const char *name = oribi_tf_text(tf, function->returns[i], status);
        ok = name != NULL && oribi_graphdef_fetch(reader, name, &out_outputs[i], status);
    }
    tf->depth--;
    oribi_graphdef_close(reader);
    if (!ok) {
        oribi_status_prefix(status, "in function '%s': ", function->name);
    }
    return ok;
}

bool *oribi_tf_handed_on(oribi_tf *tf, const oribi_tf_function *function, TF_Status *status)
{
    const oribi_wire *message = &function->message;
    const oribi_graphdef_known known = {.is_function = true, .spelling = oribi_tf_spelling};
    bool *out = oribi_arena_array(&tf->kept, (size_t)function->n_inputs + 1, sizeof *out);
    if (out == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    oribi_graphdef *reader = oribi_graphdef_open(
        tf->graph, message->at, (size_t)(message->end - message->at), &known, status);
    for (int32_t i = 0; reader != NULL && i < function->n_inputs && i < function->n_outputs; i++) {
        oribi_graphdef_seen seen;
        int32_t port;
        out[i] = !oribi_graphdef_look(reader, function->returns[i], &seen, &port) &&
                 oribi_string_same(seen.name, function->inputs[i]);
    }
    oribi_graphdef_close(reader);
    return reader != NULL ? out : NULL;
}

/* --- Calls of the GraphDef ------------------------------------------------------------------ */

static bool is_call(const oribi_graphdef_seen *node)
{
    return oribi_string_is(node->op, "PartitionedCall");
}

/* Inputs of a function by their names. */
static bool name_inputs(oribi_tf_function *function, oribi_map *out, TF_Status *status)
{
    for (int32_t i = 0; i < function->n_inputs; i++) {
        const oribi_string *input = &function->inputs[i];
        ORIBI_TRY(oribi_map_put_n(out, input->data, input->length, &function->inputs[i]) ||
                  oribi_fail_memory(status));
    }
    function->by_name = out;
    return true;
}

static bool visit_call(oribi_tf *tf, oribi_tf_visit *visit, const oribi_graphdef_seen *call,
                       TF_Status *status)
{
    const oribi_graphdef_node node = {.message = call->message};
    const oribi_graphdef_known known = {.is_function = true, .spelling = oribi_tf_spelling};
    oribi_tf_function function;
    oribi_map by_name = {0};
    ORIBI_TRY(oribi_tf_function_of(tf, &node, "f", &function, status));
    const oribi_wire *message = &function.message;
    oribi_graphdef *reader = oribi_graphdef_open(
        tf->graph, message->at, (size_t)(message->end - message->at), &known, status);
    const bool ok = reader != NULL && oribi_tf_spend(tf, oribi_graphdef_count(reader), status) &&
                    name_inputs(&function, &by_name, status) &&
                    visit(tf, reader, &function, call, status);
    oribi_map_destroy(&by_name);
    oribi_graphdef_close(reader);
    return ok;
}

bool oribi_tf_visit_calls(oribi_tf *tf, oribi_tf_visit *visit, TF_Status *status)
{
    ORIBI_TRY(visit(tf, tf->reader, NULL, NULL, status));
    for (int32_t i = 0; i < oribi_graphdef_count(tf->reader); i++) {
        oribi_graphdef_seen call;
        oribi_graphdef_at(tf->reader, i, &call);
        if (is_call(&call)) {
            ORIBI_TRY(visit_call(tf, visit, &call, status));
        }
    }
    return true;
}

bool oribi_tf_trace(oribi_tf *tf, const oribi_graphdef *reader, const oribi_tf_function *function,
                    const oribi_graphdef_seen *call, const oribi_graphdef_seen *node, int32_t i,
                    oribi_graphdef_seen *out, int32_t *out_port)
{
    if (i >= node->n_inputs) {
        return false;
    }
    if (oribi_graphdef_look(reader, node->inputs[i], out, out_port)) {
        return true;
    }
    const oribi_string *input =
        function != NULL ? oribi_map_get_n(function->by_name, out->name.data, out->name.length)
                         : NULL;
    const int64_t k = input != NULL ? input - function->inputs : INT64_MAX;
    if (k < (function != NULL ? call->n_inputs : 0)) {
        return oribi_graphdef_look(tf->reader, call->inputs[k], out, out_port);
    }
    return false;
}
