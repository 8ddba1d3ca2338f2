/* SPDX-License-Identifier: Apache-2.0 */
/* Lookup tables. What fills one is found in the model's initialisers: keys and values that are
 * constants, or a vocabulary file of the model's folder.
 */
#include <string.h>

#include "base/alloc.h"
#include "import/tensorflow/tensorflow.h"
#include "tensorflow/c/tf_tstring.h"

typedef struct table {
    TF_Tensor *keys, *values; /* kept by the model's graph */
} table;

static TF_Tensor *traced_constant(oribi_tf *tf, const oribi_graphdef *reader,
                                  const oribi_tf_function *function,
                                  const oribi_graphdef_seen *call, const oribi_graphdef_seen *node,
                                  int32_t i, TF_Status *status)
{
    oribi_graphdef_seen from;
    int32_t port;
    return i < node->n_inputs &&
                   oribi_tf_trace(tf, reader, function, call, node, i, &from, &port) &&
                   oribi_string_is(from.op, "Const")
               ? oribi_tf_constant(tf, &from, status)
               : NULL;
}

static int64_t int_attr(const oribi_graphdef_seen *node, const char *name, int64_t otherwise)
{
    oribi_wire_field field;
    return oribi_graphdef_attr_field(node->message, name, 3, &field) ? (int64_t)field.value
                                                                     : otherwise;
}

/* Lines of a file as strings, or their numbers. */
static TF_Tensor *column_of(oribi_tf *tf, const uint8_t *data, size_t bytes, int64_t n,
                            bool is_text, TF_Status *status)
{
    const size_t width = is_text ? sizeof(TF_TString) : sizeof(int64_t);
    size_t size = 0;
    if (!oribi_size_mul((size_t)n, width, &size) ||
        !oribi_graph_charge(tf->outermost, size + (is_text ? bytes : 0), status)) {
        (void)(!oribi_ok(status) || oribi_fail_memory(status));
        return NULL;
    }
    TF_Tensor *tensor =
        TF_AllocateTensor(is_text ? TF_STRING : TF_INT64, (const int64_t[]){n}, 1, size);
    if (tensor == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    const uint8_t *at = data;
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *end = memchr(at, '\n', (size_t)(data + bytes - at));
        end = end != NULL ? end : data + bytes;
        if (is_text) {
            TF_TString *string = (TF_TString *)TF_TensorData(tensor) + i;
            TF_StringInit(string);
            TF_StringCopy(string, (const char *)at, (size_t)(end - at));
        } else {
            ((int64_t *)TF_TensorData(tensor))[i] = i;
        }
        at = end < data + bytes ? end + 1 : end;
    }
    return oribi_graph_keep_tensor(tf->outermost, tensor, status) ? tensor : NULL;
}

static bool read_vocabulary(oribi_tf *tf, const char *name, const oribi_graphdef_seen *node,
                            table *out, TF_Status *status)
{
    enum { WHOLE_LINE = -2, LINE_NUMBER = -1 };
    const int64_t key = int_attr(node, "key_index", 0), value = int_attr(node, "value_index", 0);
    const uint8_t *data = NULL;
    size_t bytes = 0;
    int64_t n = 0;
    if ((key != WHOLE_LINE || value != LINE_NUMBER) &&
        (key != LINE_NUMBER || value != WHOLE_LINE)) {
        return oribi_fail(status, TF_UNIMPLEMENTED,
                          "a table of columns of a text file is not read; of lines and their "
                          "numbers it is");
    }
    oribi_source *source = oribi_tf_open_file(tf, name, &data, &bytes, status);
    ORIBI_TRY(source != NULL);
    for (size_t i = 0; i < bytes; i++) {
        n += data[i] == '\n' || i + 1 == bytes;
    }
    const int64_t most = int_attr(node, "vocab_size", -1);
    n = most >= 0 && most < n ? most : n;
    out->keys = column_of(tf, data, bytes, n, key == WHOLE_LINE, status);
    out->values =
        out->keys != NULL ? column_of(tf, data, bytes, n, value == WHOLE_LINE, status) : NULL;
    oribi_source_release(source);
    return out->values != NULL;
}

/* What the GraphDef assigns to a variable; `read`, which reads it, becomes that node. */
static void look_through_variable(oribi_tf *tf, oribi_graphdef_seen *read)
{
    oribi_graphdef_seen variable, other, node, value;
    int32_t port;
    if (!oribi_string_is(read->op, "ReadVariableOp") || read->n_inputs < 1 ||
        !oribi_graphdef_look(tf->reader, read->inputs[0], &variable, &port)) {
        return;
    }
    tf->nodes_left -= oribi_graphdef_count(tf->reader);
    for (int32_t i = 0; tf->nodes_left > 0 && i < oribi_graphdef_count(tf->reader); i++) {
        oribi_graphdef_at(tf->reader, i, &node);
        if (oribi_string_is(node.op, "AssignVariableOp") && node.n_inputs >= 2 &&
            oribi_graphdef_look(tf->reader, node.inputs[0], &other, &port) &&
            other.name.data == variable.name.data &&
            oribi_graphdef_look(tf->reader, node.inputs[1], &value, &port)) {
            *read = value;
        }
    }
}

/* The file that a constant names is one of those the model brings. */
static bool read_asset(oribi_tf *tf, oribi_graphdef_seen *constant, const oribi_graphdef_seen *node,
                       table *out, TF_Status *status)
{
    look_through_variable(tf, constant);
    const char *file = oribi_map_get_n(&tf->assets, constant->name.data, constant->name.length);
    if (file == NULL || strchr(file, '/') != NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "a table's file is none of the model's assets");
    }
    const char *inside = oribi_arena_printf(&tf->kept, "assets/%s", file);
    return inside != NULL ? read_vocabulary(tf, inside, node, out, status)
                          : oribi_fail_memory(status);
}

static bool note_table(oribi_tf *tf, const oribi_graphdef *reader,
                       const oribi_tf_function *function, const oribi_graphdef_seen *call,
                       const oribi_graphdef_seen *node, TF_Status *status)
{
    oribi_graphdef_seen handle, file;
    int32_t port;
    table *made = oribi_arena_array(&tf->kept, 1, sizeof *made);
    ORIBI_TRY(made != NULL || oribi_fail_memory(status));
    if (node->n_inputs < 2 ||
        !oribi_tf_trace(tf, reader, function, call, node, 0, &handle, &port)) {
        return true;
    }
    if (oribi_string_is(node->op, "InitializeTableFromTextFileV2")) {
        ORIBI_TRY(!oribi_tf_trace(tf, reader, function, call, node, 1, &file, &port) ||
                  read_asset(tf, &file, node, made, status));
    } else {
        made->keys = traced_constant(tf, reader, function, call, node, 1, status);
        made->values = traced_constant(tf, reader, function, call, node, 2, status);
    }
    ORIBI_TRY(oribi_ok(status));
    const oribi_string shared = oribi_tf_shared_name(handle.message, handle.name);
    return made->keys == NULL || made->values == NULL ||
           oribi_map_put_n(&tf->tables, shared.data, shared.length, made) ||
           oribi_fail_memory(status);
}

static bool note_tables(oribi_tf *tf, const oribi_graphdef *reader,
                        const oribi_tf_function *function, const oribi_graphdef_seen *call,
                        TF_Status *status)
{
    static const char *const ops[] = {"LookupTableImportV2", "InitializeTableV2",
                                      "InitializeTableFromTextFileV2"};
    for (int32_t i = 0; i < oribi_graphdef_count(reader); i++) {
        oribi_graphdef_seen node;
        oribi_graphdef_at(reader, i, &node);
        for (size_t k = 0; k < sizeof ops / sizeof ops[0]; k++) {
            ORIBI_TRY(!oribi_string_is(node.op, ops[k]) ||
                      note_table(tf, reader, function, call, &node, status));
        }
    }
    return true;
}

static const table *table_of(oribi_tf *tf, const oribi_tf_handle *handle, TF_Status *status)
{
    if (!tf->has_tables) {
        tf->has_tables = true;
        if (!oribi_tf_visit_calls(tf, note_tables, status)) {
            return NULL;
        }
    }
    const table *found = oribi_map_get(&tf->tables, handle->name);
    if (found == NULL) {
        oribi_fail(status, TF_UNIMPLEMENTED,
                   "nothing fills table '%s' with constants or from a file of the model",
                   handle->name);
    }
    return found;
}

int32_t oribi_tf_make_lookup(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                             oribi_value_id *out, int32_t max, TF_Status *status)
{
    oribi_tf *tf = scope->tf;
    oribi_graph *graph = tf->graph;
    if (max < 1 || node->n_inputs != 3 || node->inputs[1] < 0 || node->inputs[2] < 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "it has %d inputs, or such that are no tensors",
                   (int)node->n_inputs);
        return -1;
    }
    oribi_tf_handle *handle = oribi_tf_handle_at(tf, node->inputs[0], ORIBI_TF_TABLE, status);
    const table *found = handle != NULL ? table_of(tf, handle, status) : NULL;
    if (found == NULL) {
        return -1;
    }
    if (handle->scope != tf->scope) {
        handle->values[0] =
            oribi_graph_add_constant_tensor(graph, handle->label, found->keys, status);
        handle->values[1] =
            oribi_graph_add_constant_tensor(graph, handle->label, found->values, status);
        handle->scope = handle->values[0] >= 0 && handle->values[1] >= 0 ? tf->scope : 0;
    }
    const oribi_value_id inputs[] = {node->inputs[1], handle->values[0], handle->values[1],
                                     node->inputs[2]};
    oribi_node *made =
        handle->scope == tf->scope
            ? oribi_graph_add_node(graph, "ONNX>LabelEncoder", node->name, inputs, 4, 1, status)
            : NULL;
    if (made == NULL || !oribi_graph_resolve(graph, made, status)) {
        return -1;
    }
    out[0] = made->outputs[0];
    return 1;
}
