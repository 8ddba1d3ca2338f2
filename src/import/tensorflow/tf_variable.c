/* SPDX-License-Identifier: Apache-2.0 */
/* Variables: which tensor of the checkpoint each has is what the model's own restore function says,
 * in which RestoreV2 reads names that are constants and each result is assigned. What runs only
 * reads them, so that they are constants here.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "import/tensorflow/tensorflow.h"

/* --- Handles -------------------------------------------------------------------------------- */

oribi_string oribi_tf_shared_name(oribi_wire node, oribi_string name)
{
    oribi_wire_field field;
    return oribi_graphdef_attr_field(node, "shared_name", 2, &field) &&
                   field.type == ORIBI_WIRE_BYTES && field.bytes > 0
               ? (oribi_string){(const char *)field.data, field.bytes}
               : name;
}

oribi_value_id oribi_tf_handle_of(oribi_tf *tf, enum oribi_tf_handle_kind kind, oribi_string name,
                                  const char *label, TF_Status *status)
{
    const oribi_value_id *known = oribi_map_get_n(&tf->handle_ids[kind], name.data, name.length);
    if (known != NULL) {
        return *known;
    }
    if (tf->n_handles == tf->handles_capacity) {
        const int32_t capacity = tf->handles_capacity > 0 ? tf->handles_capacity * 2 : 16;
        oribi_tf_handle *more = oribi_arena_array(&tf->kept, (size_t)capacity, sizeof *more);
        if (more == NULL) {
            oribi_fail_memory(status);
            return -1;
        }
        if (tf->n_handles > 0) {
            memcpy(more, tf->handles, (size_t)tf->n_handles * sizeof *more);
        }
        tf->handles = more;
        tf->handles_capacity = capacity;
    }
    oribi_tf_handle *handle = &tf->handles[tf->n_handles];
    *handle = (oribi_tf_handle){.kind = kind,
                                .name = oribi_tf_text(tf, name, status),
                                .label = oribi_arena_strdup(&tf->kept, label)};
    oribi_value_id *id = oribi_arena_array(&tf->kept, 1, sizeof *id);
    if (handle->name == NULL || handle->label == NULL || id == NULL ||
        !oribi_map_put(&tf->handle_ids[kind], handle->name, id)) {
        oribi_fail_memory(status);
        return -1;
    }
    *id = -2 - tf->n_handles++;
    return *id;
}

oribi_tf_handle *oribi_tf_handle_at(oribi_tf *tf, oribi_value_id id, enum oribi_tf_handle_kind kind,
                                    TF_Status *status)
{
    const int64_t i = -2 - (int64_t)id;
    if (i < 0 || i >= tf->n_handles || tf->handles[i].kind != kind) {
        oribi_fail(status, TF_UNIMPLEMENTED, "its input 0 is not %s that the model itself makes",
                   kind == ORIBI_TF_VARIABLE ? "a variable"
                   : kind == ORIBI_TF_TABLE  ? "a table"
                                             : "a list");
        return NULL;
    }
    return &tf->handles[i];
}

/* --- Names in the checkpoint ---------------------------------------------------------------- */

/* An assignment of what was restored: the variable's node gets the tensor's name. */
static bool note_assignment(oribi_tf *tf, const oribi_graphdef *reader,
                            const oribi_tf_function *function, const oribi_graphdef_seen *call,
                            const oribi_graphdef_seen *node, TF_Status *status)
{
    oribi_graphdef_seen variable, restore, names;
    int32_t port, index, unused;
    oribi_string key;
    if (node->n_inputs < 2 ||
        !oribi_tf_trace(tf, reader, function, call, node, 0, &variable, &port) ||
        !oribi_graphdef_look(reader, node->inputs[1], &restore, &index) ||
        !oribi_string_is(restore.op, "RestoreV2") || restore.n_inputs < 2 ||
        !oribi_tf_trace(tf, reader, function, call, &restore, 1, &names, &unused) ||
        !oribi_string_is(names.op, "Const")) {
        return true;
    }
    const TF_Tensor *tensor = oribi_tf_constant(tf, &names, status);
    ORIBI_TRY(tensor != NULL);
    if (!oribi_tf_string_at(tensor, index, &key)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "node '%.*s' restores a tensor %d that has no name",
                          (int)(node->name.length & 0xfff), node->name.data, (int)index);
    }
    char *text = oribi_arena_strndup(&tf->kept, key.data, key.length);
    const oribi_string shared = oribi_tf_shared_name(variable.message, variable.name);
    return (text != NULL && oribi_map_put_n(&tf->keys, shared.data, shared.length, text)) ||
           oribi_fail_memory(status);
}

static bool note_assignments(oribi_tf *tf, const oribi_graphdef *reader,
                             const oribi_tf_function *function, const oribi_graphdef_seen *call,
                             TF_Status *status)
{
    for (int32_t i = 0; i < oribi_graphdef_count(reader); i++) {
        oribi_graphdef_seen node;
        oribi_graphdef_at(reader, i, &node);
        if (oribi_string_is(node.op, "AssignVariableOp") || oribi_string_is(node.op, "Assign")) {
            ORIBI_TRY(note_assignment(tf, reader, function, call, &node, status));
        }
    }
    return true;
}

static const oribi_tf_entry *entry_of(oribi_tf *tf, const oribi_tf_handle *variable,
                                      TF_Status *status)
{
    if (!tf->is_saved_model && tf->options->ends != NULL) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "variable '%s' is read, and nothing has assigned it in this session",
                   variable->name);
        return NULL;
    }
    if (!tf->is_saved_model) {
        oribi_fail(
            status, TF_UNIMPLEMENTED,
            "it is a variable, and a GraphDef has none of their values: give the SavedModel, "
            "or freeze the graph");
        return NULL;
    }
    if (!tf->has_keys) {
        tf->has_keys = true;
        if (!oribi_tf_visit_calls(tf, note_assignments, status)) {
            return NULL;
        }
    }
    const char *key = oribi_map_get(&tf->keys, variable->name);
    if (key == NULL && !tf->has_objects) {
        tf->has_objects = true;
        if (!oribi_tf_bind_objects(tf, status)) {
            return NULL;
        }
        key = oribi_map_get(&tf->keys, variable->name);
    }
    if (key == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "nothing restores variable '%s'", variable->name);
        return NULL;
    }
    return oribi_tf_bundle_find(&tf->bundle, key, status);
}

/* --- Values --------------------------------------------------------------------------------- */

static oribi_value_id add_constant(oribi_tf *tf, const oribi_tf_handle *variable,
                                   const oribi_tf_entry *entry, TF_Status *status)
{
    oribi_source *source = NULL;
    const size_t width = oribi_dtype_bytes(entry->dtype);
    size_t bytes = 0;
    if (width == 0 || entry->is_sliced || !oribi_shape_is_full(&entry->shape) ||
        entry->shape.rank > ORIBI_MAX_RANK) {
        oribi_fail(status, TF_UNIMPLEMENTED, "variable '%s' is %s", variable->name,
                   entry->is_sliced ? "kept in slices" : "of a type or rank that is not read");
        return -1;
    }
    if (!oribi_size_of_dims(entry->shape.dims, entry->shape.rank, width, &bytes) ||
        entry->bytes < 0 || bytes != (uint64_t)entry->bytes) {
        oribi_fail(status, TF_DATA_LOSS,
                   "variable '%s' has %" PRId64 " bytes, which is not what its shape takes",
                   variable->name, entry->bytes);
        return -1;
    }
    const uint8_t *data = oribi_tf_bundle_data(&tf->bundle, entry, &source, status);
    if (data == NULL) {
        return -1;
    }
    const oribi_constant_view view = {
        .dtype = entry->dtype, .rank = entry->shape.rank, .dims = entry->shape.dims, .data = data};
    oribi_source_retain(source);
    return oribi_graph_add_constant(tf->graph, variable->label, &view, source, status);
}

/* Its value as the caller has it; NULL: the caller knows nothing of it. */
static TF_Tensor *given_value(const oribi_tf *tf, const oribi_tf_handle *variable)
{
    const oribi_import_ends *ends = tf->options->ends;
    for (int32_t i = 0; ends != NULL && i < ends->n_variables; i++) {
        if (strcmp(ends->variables[i].name, variable->name) == 0) {
            return ends->variables[i].value;
        }
    }
    return NULL;
}

oribi_value_id oribi_tf_variable_value(oribi_tf *tf, oribi_value_id id, TF_Status *status)
{
    oribi_tf_handle *variable = oribi_tf_handle_at(tf, id, ORIBI_TF_VARIABLE, status);
    if (variable == NULL) {
        return -1;
    }
    if (variable->scope != tf->scope) {
        TF_Tensor *given = given_value(tf, variable);
        const oribi_tf_entry *entry = given == NULL ? entry_of(tf, variable, status) : NULL;
        const oribi_value_id value =
            given != NULL
                ? oribi_graph_add_constant_tensor(tf->graph, variable->label, given, status)
            : entry != NULL ? add_constant(tf, variable, entry, status)
                            : -1;
        if (value < 0) {
            return -1;
        }
        variable->scope = tf->scope;
        variable->values[0] = value;
    }
    return variable->values[0];
}
