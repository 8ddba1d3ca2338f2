/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a GraphDef or a SavedModel: which of them a file is, which graph and which signature.
 */
#include <string.h>

#include "import/beside.h"
#include "import/tensorflow/tensorflow.h"
#include "op/op_proto.h"
#include "tensorflow/c/tf_tstring.h"

/* What a model may be read again for its functions, loops and conditions. */
enum { MAX_CALLS = 100000, MAX_READ = 20000000 };

/* --- Which file it is ----------------------------------------------------------------------- */

/* A GraphDef begins with a node, a SavedModel with its version and a MetaGraphDef, of which one is
 * longer than any node. */
bool oribi_is_tensorflow(const uint8_t *data, size_t bytes)
{
    enum { MOST_FIELDS = 64 };
    TF_Status *status = TF_NewStatus();
    oribi_wire wire = oribi_wire_over(data, bytes), node;
    oribi_wire_field field, inner;
    bool has_others = false, is_node = false, is_meta = false;

    for (int i = 0; i < MOST_FIELDS && oribi_wire_next(&wire, &field, status); i++) {
        const bool is_message = field.type == ORIBI_WIRE_BYTES;
        if (i == 0 && field.number == 1 && is_message &&
            oribi_wire_enter(&wire, &field, &node, status) &&
            oribi_wire_next(&node, &inner, status)) {
            is_node = inner.number == 1 && inner.type == ORIBI_WIRE_BYTES; /* its name */
        }
        if (i == 1 && field.number == 2 && is_message &&
            oribi_wire_enter(&wire, &field, &node, status)) {
            while (oribi_wire_next(&node, &inner, status)) { /* its graph */
                is_meta = is_meta || (inner.number == 2 && inner.type == ORIBI_WIRE_BYTES);
            }
        }
        has_others = has_others || field.number > 4; /* ONNX's graph, Core ML's kinds */
    }
    TF_DeleteStatus(status);
    return (is_node || is_meta) && !has_others;
}

/* --- Small things --------------------------------------------------------------------------- */

const char *oribi_tf_text(oribi_tf *tf, oribi_string string, TF_Status *status)
{
    const char *text = oribi_arena_strndup(&tf->kept, string.data, string.length);
    (void)(text != NULL || oribi_fail_memory(status));
    return text;
}

TF_Tensor *oribi_tf_constant(oribi_tf *tf, const oribi_graphdef_seen *node, TF_Status *status)
{
    oribi_wire value, proto;
    oribi_wire_field field;
    TF_Tensor *tensor = NULL;
    if (!oribi_graphdef_attr(node->message, "value", &value, status)) {
        (void)(!oribi_ok(status) ||
               oribi_fail(status, TF_INVALID_ARGUMENT, "a constant has no value"));
        return NULL;
    }
    while (tensor == NULL && oribi_wire_next(&value, &field, status)) {
        if (field.number == 8 && oribi_wire_enter(&value, &field, &proto, status)) {
            tensor = oribi_proto_read_tensor(proto, oribi_graph_charge_arg, tf->outermost, status);
        }
    }
    if (tensor == NULL) {
        (void)(!oribi_ok(status) ||
               oribi_fail(status, TF_INVALID_ARGUMENT, "a constant has no tensor"));
        return NULL;
    }
    return oribi_graph_keep_tensor(tf->outermost, tensor, status) ? tensor : NULL;
}

oribi_string oribi_tf_without_port(oribi_string reference)
{
    const char *colon = memchr(reference.data, ':', reference.length);
    return (oribi_string){reference.data,
                          colon != NULL ? (size_t)(colon - reference.data) : reference.length};
}

bool oribi_tf_spend(oribi_tf *tf, int64_t nodes, TF_Status *status)
{
    tf->nodes_left -= nodes;
    return (tf->calls_left-- > 0 && tf->nodes_left > 0) ||
           oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                      "functions, loops and conditions are read more often than is supported");
}

bool oribi_tf_string_at(const TF_Tensor *tensor, int64_t i, oribi_string *out)
{
    if (TF_TensorType(tensor) != TF_STRING || i < 0 || i >= TF_TensorElementCount(tensor)) {
        return false;
    }
    const TF_TString *string = (const TF_TString *)TF_TensorData(tensor) + i;
    *out = (oribi_string){TF_StringGetDataPointer(string), TF_StringGetSize(string)};
    return true;
}

/* --- Files beside it ------------------------------------------------------------------------ */

oribi_source *oribi_tf_open_file(void *arg, const char *name, const uint8_t **out_data,
                                 size_t *out_bytes, TF_Status *status)
{
    oribi_tf *tf = arg;
    if (tf->options->folder == NULL) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "'%s' lies beside the model, but a model from memory has no folder; open the "
                   "model by its path",
                   name);
        return NULL;
    }
    return oribi_import_open_beside(tf->outermost, tf->options, name, out_data, out_bytes, status);
}

/* --- The library of functions --------------------------------------------------------------- */

static bool read_function(oribi_tf *tf, oribi_wire message, TF_Status *status)
{
    oribi_wire wire = message, signature;
    oribi_wire_field field, part;
    oribi_string name = {"", 0};
    oribi_wire *kept = oribi_arena_memdup(&tf->kept, &message, sizeof message);
    ORIBI_TRY(kept != NULL || oribi_fail_memory(status));
    while (oribi_wire_next(&wire, &field, status)) {
        if (field.number != 1) {
            continue;
        }
        ORIBI_TRY(oribi_wire_enter(&wire, &field, &signature, status));
        while (oribi_wire_next(&signature, &part, status)) {
            ORIBI_TRY(part.number != 1 ||
                      oribi_wire_string(&part, "a function's name", &name, status));
        }
    }
    return oribi_ok(status) && (oribi_map_put_n(&tf->functions, name.data, name.length, kept) ||
                                oribi_fail_memory(status));
}

static bool read_graph_def(oribi_tf *tf, oribi_wire graph_def, TF_Status *status)
{
    oribi_tf_scope *scope = oribi_arena_array(&tf->kept, 1, sizeof *scope);
    const oribi_graphdef_known known = {.arg = scope,
                                        .skips_controls = true,
                                        .is_whole = oribi_tf_is_whole,
                                        .make = oribi_tf_make,
                                        .spelling = oribi_tf_spelling,
                                        .argument = oribi_tf_argument};
    oribi_wire wire = graph_def, library, function;
    oribi_wire_field field, part;
    ORIBI_TRY(scope != NULL || oribi_fail_memory(status));
    *scope = (oribi_tf_scope){.tf = tf, .prefix = "", .message = graph_def, .number = -1};
    while (oribi_wire_next(&wire, &field, status)) {
        if (field.number != 2) {
            continue;
        }
        ORIBI_TRY(oribi_wire_enter(&wire, &field, &library, status));
        while (oribi_wire_next(&library, &part, status)) {
            ORIBI_TRY(part.number != 1 || (oribi_wire_enter(&library, &part, &function, status) &&
                                           read_function(tf, function, status)));
        }
    }
    ORIBI_TRY(oribi_ok(status));
    tf->reader = oribi_graphdef_open(tf->graph, graph_def.at,
                                     (size_t)(graph_def.end - graph_def.at), &known, status);
    scope->reader = tf->reader;
    return tf->reader != NULL;
}

/* --- A SavedModel --------------------------------------------------------------------------- */

/* Which file a constant names: an AssetFileDef, whose first field has the constant's name in its
 * own. */
static bool read_asset(oribi_tf *tf, oribi_wire wire, TF_Status *status)
{
    oribi_wire_field field, part;
    oribi_string tensor = {"", 0}, file = {"", 0};
    oribi_wire info;
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != 2 || oribi_wire_string(&field, "a file's name", &file, status));
        if (field.number != 1) {
            continue;
        }
        ORIBI_TRY(oribi_wire_enter(&wire, &field, &info, status));
        while (oribi_wire_next(&info, &part, status)) {
            ORIBI_TRY(part.number != 1 ||
                      oribi_wire_string(&part, "a tensor's name", &tensor, status));
        }
    }
    ORIBI_TRY(oribi_ok(status));
    char *name = oribi_arena_strndup(&tf->kept, file.data, file.length);
    tensor = oribi_tf_without_port(tensor);
    return (name != NULL && oribi_map_put_n(&tf->assets, tensor.data, tensor.length, name)) ||
           oribi_fail_memory(status);
}

typedef struct choice {
    oribi_wire signature;
    bool is_found, is_default;
    oribi_text names; /* of all that could have been asked for */
} choice;

/* One entry of the map of signatures: the one to serve, else the first by name. */
static bool read_entry(oribi_tf *tf, const oribi_wire *in, const oribi_wire_field *field,
                       choice *out, TF_Status *status)
{
    static const char preferred[] = "serving_default", initialiser[] = "__saved_model_init_op";
    oribi_wire entry, signature = oribi_wire_over(field->data, 0);
    oribi_wire_field part;
    oribi_string name = {"", 0};
    ORIBI_TRY(oribi_wire_enter(in, field, &entry, status));
    while (oribi_wire_next(&entry, &part, status)) {
        ORIBI_TRY(part.number != 1 ||
                  oribi_wire_string(&part, "a signature's name", &name, status));
        ORIBI_TRY(part.number != 2 || oribi_wire_enter(&entry, &part, &signature, status));
    }
    ORIBI_TRY(oribi_ok(status));
    if (oribi_string_is(name, initialiser)) {
        return true;
    }
    const char *wanted = tf->options->signature != NULL ? tf->options->signature : preferred;
    const bool is_wanted = oribi_string_is(name, wanted);
    const char *text = oribi_import_text(&tf->kept, &name);
    ORIBI_TRY(text != NULL || oribi_fail_memory(status));
    oribi_text_printf(&out->names, "%s'%s'", out->is_found ? ", " : "", text);
    if (is_wanted || !out->is_found) {
        out->signature = out->is_default ? out->signature : signature;
        out->is_default = out->is_default || is_wanted;
    }
    out->is_found = true;
    return true;
}

static bool read_meta_graph(oribi_tf *tf, oribi_wire meta, choice *out, TF_Status *status)
{
    oribi_wire wire = meta, graph_def = oribi_wire_over(meta.at, 0), inner;
    oribi_wire_field field;
    while (oribi_wire_next(&wire, &field, status)) {
        switch (field.number) {
        case 2:
            ORIBI_TRY(oribi_wire_enter(&wire, &field, &graph_def, status));
            break;
        case 5:
            ORIBI_TRY(read_entry(tf, &wire, &field, out, status));
            break;
        case 6:
            ORIBI_TRY(oribi_wire_enter(&wire, &field, &inner, status) &&
                      read_asset(tf, inner, status));
            break;
        case 7:
            ORIBI_TRY(oribi_wire_enter(&wire, &field, &tf->objects, status));
            break;
        default:
            break;
        }
    }
    ORIBI_TRY(oribi_ok(status));
    if (tf->options->ends != NULL) {
        return read_graph_def(tf, graph_def, status) && oribi_tf_read_given(tf, status);
    }
    const char *wanted = tf->options->signature;
    if (!out->is_found || (wanted != NULL && !out->is_default)) {
        return oribi_fail(status, TF_NOT_FOUND, "it has no signature%s%s%s; it has %s",
                          wanted != NULL ? " '" : "", wanted != NULL ? wanted : "",
                          wanted != NULL ? "'" : "",
                          out->is_found ? oribi_text_string(&out->names) : "none");
    }
    return read_graph_def(tf, graph_def, status) &&
           oribi_tf_read_signature(tf, out->signature, status);
}

/* The graph to serve: the first one whose tags say so, which is nearly always the only one. */
static bool read_saved_model(oribi_tf *tf, oribi_wire file, TF_Status *status)
{
    oribi_wire wire = file, meta;
    oribi_wire_field field;
    tf->is_saved_model = true;
    while (oribi_wire_next(&wire, &field, status)) {
        if (field.number == 2) {
            choice chosen = {.is_found = false};
            const bool ok = oribi_wire_enter(&wire, &field, &meta, status) &&
                            read_meta_graph(tf, meta, &chosen, status);
            oribi_text_destroy(&chosen.names);
            return ok;
        }
    }
    return oribi_ok(status) && oribi_fail(status, TF_INVALID_ARGUMENT, "it has no graph");
}

/* --- All of it ------------------------------------------------------------------------------ */

static bool read_model(oribi_tf *tf, const uint8_t *data, size_t bytes, TF_Status *status)
{
    const oribi_wire file = oribi_wire_over(data, bytes);
    if (data[0] == 0x0a) {
        ORIBI_TRY(read_graph_def(tf, file, status) &&
                  (tf->options->ends != NULL ? oribi_tf_read_given(tf, status)
                                             : oribi_tf_read_ends(tf, status)));
    } else {
        ORIBI_TRY(read_saved_model(tf, file, status));
    }
    ORIBI_TRY(tf->missing.n_nodes == 0 || oribi_missing_report(&tf->missing, status));
    oribi_graph_remove_dead(tf->graph);
    return oribi_graph_sort(tf->graph, status);
}

static void destroy(oribi_tf *tf)
{
    oribi_map *const maps[] = {&tf->functions,     &tf->assets,        &tf->fed,
                               &tf->keys,          &tf->tables,        &tf->bound,
                               &tf->handle_ids[0], &tf->handle_ids[1], &tf->handle_ids[2]};
    oribi_graphdef_close(tf->reader);
    oribi_tf_bundle_close(&tf->bundle);
    oribi_tf_frames_destroy(tf);
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        oribi_map_destroy(maps[i]);
    }
    oribi_missing_destroy(&tf->missing);
    oribi_arena_destroy(&tf->kept);
}

oribi_graph *oribi_import_tensorflow(const uint8_t *data, size_t bytes, oribi_source *source,
                                     const char *source_name, const oribi_import_options *options,
                                     TF_Status *status)
{
    oribi_tf tf = {.options = options,
                   .graph = oribi_import_begin(source_name, "tensorflow", options, status),
                   .scope = 1,
                   .n_scopes = 1,
                   .calls_left = MAX_CALLS,
                   .nodes_left = MAX_READ};
    tf.outermost = tf.graph;
    tf.bundle = (oribi_tf_bundle){
        .kept = &tf.kept, .open = oribi_tf_open_file, .arg = &tf, .prefix = "variables/variables"};
    const bool ok = tf.graph != NULL && read_model(&tf, data, bytes, status);
    oribi_graph *graph = oribi_import_end(tf.outermost, ok, source_name, status);
    destroy(&tf);
    oribi_source_release(source);
    return graph;
}
