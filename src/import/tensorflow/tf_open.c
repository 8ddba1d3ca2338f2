/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a GraphDef or a SavedModel: which signature it is, what its inputs and outputs are called.
 * A GraphDef has none: its Placeholders that are read are the inputs, what no node reads the
 * outputs.
 */
#include <string.h>

#include "base/alloc.h"
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

/* --- Calls of the GraphDef ------------------------------------------------------------------ */

static bool is_call(const oribi_graphdef_seen *node)
{
    static const char *const ops[] = {"StatefulPartitionedCall", "PartitionedCall"};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (node->op.length == strlen(ops[i]) &&
            memcmp(node->op.data, ops[i], node->op.length) == 0) {
            return true;
        }
    }
    return false;
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
    const oribi_graphdef_known known = {.is_function = true};
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

/* --- Inputs and outputs --------------------------------------------------------------------- */

typedef struct port {
    oribi_string name, tensor; /* as the caller knows it; "node:0" */
    TF_DataType dtype;
    oribi_shape shape;
} port;

static bool read_shape(oribi_tf *tf, const oribi_wire *in, const oribi_wire_field *field,
                       oribi_shape *out, TF_Status *status)
{
    oribi_wire proto;
    oribi_wide_dims dims = {0};
    bool is_unknown = false;
    return oribi_wire_enter(in, field, &proto, status) &&
           oribi_proto_read_shape(proto, &dims, &is_unknown, status) &&
           (oribi_shape_copy(&tf->outermost->arena, dims.at, is_unknown ? -1 : dims.n, out) ||
            oribi_fail_memory(status));
}

/* A TensorInfo. */
static bool read_info(oribi_tf *tf, oribi_wire wire, port *out, TF_Status *status)
{
    oribi_wire_field field;
    int64_t dtype = 0;
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != 1 ||
                  oribi_wire_string(&field, "a tensor's name", &out->tensor, status));
        ORIBI_TRY(field.number != 2 || oribi_wire_int(&field, "a type", &dtype, status));
        ORIBI_TRY(field.number != 3 || read_shape(tf, &wire, &field, &out->shape, status));
    }
    out->dtype = (TF_DataType)dtype;
    return oribi_ok(status);
}

/* An entry of a map of TensorInfo. */
static bool read_port(oribi_tf *tf, const oribi_wire *in, const oribi_wire_field *field, port *out,
                      TF_Status *status)
{
    oribi_wire entry, info;
    oribi_wire_field part;
    *out = (port){.name = {"", 0}, .tensor = {"", 0}, .shape = {.rank = -1}};
    ORIBI_TRY(oribi_wire_enter(in, field, &entry, status));
    while (oribi_wire_next(&entry, &part, status)) {
        ORIBI_TRY(part.number != 1 || oribi_wire_string(&part, "a name", &out->name, status));
        ORIBI_TRY(part.number != 2 || (oribi_wire_enter(&entry, &part, &info, status) &&
                                       read_info(tf, info, out, status)));
    }
    return oribi_ok(status);
}

static bool add_input(oribi_tf *tf, const port *from, TF_Status *status)
{
    const char *name = oribi_import_text(&tf->kept, &from->name);
    ORIBI_TRY(name != NULL || oribi_fail_memory(status));
    oribi_string node = from->tensor;
    if (node.length > 2 && memcmp(node.data + node.length - 2, ":0", 2) == 0) {
        node.length -= 2;
    }
    if (oribi_dtype_bytes(from->dtype) == 0 && from->dtype != TF_STRING) {
        return oribi_fail(status, TF_UNIMPLEMENTED, "input '%s' is of a type that is no tensor's",
                          name);
    }
    if (from->shape.rank > ORIBI_MAX_RANK ||
        oribi_map_get_n(&tf->fed, node.data, node.length) != NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "input '%s' has more than %d dimensions, or is given twice", name,
                          ORIBI_MAX_RANK);
    }
    oribi_value_id *id = oribi_arena_array(&tf->kept, 1, sizeof *id);
    ORIBI_TRY(id != NULL || oribi_fail_memory(status));
    *id = oribi_graph_add_value(tf->graph, name, from->dtype, &from->shape, status);
    return *id >= 0 && oribi_graph_add_input(tf->graph, *id, name, status) &&
           (oribi_map_put_n(&tf->fed, node.data, node.length, id) || oribi_fail_memory(status));
}

static bool add_output(oribi_tf *tf, oribi_string tensor, const char *name, TF_Status *status)
{
    const char *text = oribi_tf_text(tf, tensor, status);
    oribi_value_id id = -1;
    ORIBI_TRY(text != NULL && oribi_graphdef_fetch(tf->reader, text, &id, status));
    if (id == ORIBI_TF_BLOCKED) {
        return true; /* the report says why */
    }
    if (id < 0) {
        return oribi_fail(status, TF_UNIMPLEMENTED, "output '%s' is a variable or table", name);
    }
    return oribi_graph_add_output(tf->graph, id, name, status);
}

static int compare_names(const void *a, const void *b)
{
    const port *x = a, *y = b;
    const size_t n = x->name.length < y->name.length ? x->name.length : y->name.length;
    const int order = memcmp(x->name.data, y->name.data, n);
    return order != 0 ? order
                      : (x->name.length > y->name.length) - (x->name.length < y->name.length);
}

/* The ports of a signature: a map, so sorted by name. */
static bool read_ports(oribi_tf *tf, oribi_wire signature, uint32_t number, port **out,
                       int32_t *out_n, TF_Status *status)
{
    oribi_wire wire = signature;
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
        ORIBI_TRY(field.number != number || read_port(tf, &wire, &field, &(*out)[i++], status));
    }
    qsort(*out, (size_t)n, sizeof **out, compare_names);
    *out_n = n;
    return oribi_ok(status);
}

static bool finish_inputs(oribi_tf *tf, TF_Status *status)
{
    return oribi_import_fix_inputs(tf->graph, tf->options, status);
}

static bool read_signature(oribi_tf *tf, oribi_wire signature, TF_Status *status)
{
    port *inputs, *outputs;
    int32_t n_inputs, n_outputs;
    ORIBI_TRY(read_ports(tf, signature, 1, &inputs, &n_inputs, status) &&
              read_ports(tf, signature, 2, &outputs, &n_outputs, status));
    for (int32_t i = 0; i < n_inputs; i++) {
        ORIBI_TRY(add_input(tf, &inputs[i], status));
    }
    ORIBI_TRY(finish_inputs(tf, status));
    for (int32_t i = 0; i < n_outputs; i++) {
        const char *name = oribi_import_text(&tf->kept, &outputs[i].name);
        ORIBI_TRY((name != NULL || oribi_fail_memory(status)) &&
                  add_output(tf, outputs[i].tensor, name, status));
    }
    return n_outputs > 0 || oribi_fail(status, TF_INVALID_ARGUMENT, "the signature has no outputs");
}

/* --- A GraphDef alone ----------------------------------------------------------------------- */

static bool has_op(const oribi_graphdef_seen *node, const char *op)
{
    return node->op.length == strlen(op) && memcmp(node->op.data, op, node->op.length) == 0;
}

static bool add_placeholder(oribi_tf *tf, const oribi_graphdef_seen *node, TF_Status *status)
{
    port from = {.name = node->name, .tensor = node->name, .shape = {.rank = -1}};
    oribi_wire value;
    oribi_wire_field field;
    if (oribi_graphdef_attr(node->message, "dtype", &value, status)) {
        while (oribi_wire_next(&value, &field, status)) {
            from.dtype = field.number == 6 ? (TF_DataType)field.value : from.dtype;
        }
    }
    if (oribi_graphdef_attr(node->message, "shape", &value, status)) {
        while (oribi_wire_next(&value, &field, status)) {
            ORIBI_TRY(field.number != 7 || read_shape(tf, &value, &field, &from.shape, status));
        }
    }
    return oribi_ok(status) && add_input(tf, &from, status);
}

/* Marks the nodes that another one reads. */
static bool find_read(oribi_tf *tf, oribi_map *read, TF_Status *status)
{
    static char mark;
    for (int32_t i = 0; i < oribi_graphdef_count(tf->reader); i++) {
        oribi_graphdef_seen node;
        oribi_graphdef_at(tf->reader, i, &node);
        for (int32_t k = 0; k < node.n_inputs; k++) {
            oribi_string name = node.inputs[k];
            const bool is_control = name.length > 0 && name.data[0] == '^';
            name = (oribi_string){name.data + is_control, name.length - is_control};
            const char *colon = memchr(name.data, ':', name.length);
            name.length = colon != NULL ? (size_t)(colon - name.data) : name.length;
            ORIBI_TRY(oribi_map_put_n(read, name.data, name.length, &mark) ||
                      oribi_fail_memory(status));
        }
    }
    return true;
}

static bool add_ends(oribi_tf *tf, const oribi_map *read, TF_Status *status)
{
    static const char *const none[] = {"NoOp", "Assert", "Const", "Placeholder"};
    int32_t n = 0;
    for (int32_t i = 0; i < oribi_graphdef_count(tf->reader); i++) {
        oribi_graphdef_seen node;
        oribi_graphdef_at(tf->reader, i, &node);
        bool is_end = oribi_map_get_n(read, node.name.data, node.name.length) == NULL;
        for (size_t k = 0; k < sizeof none / sizeof none[0]; k++) {
            is_end = is_end && !has_op(&node, none[k]);
        }
        if (is_end) {
            const char *name = oribi_import_text(&tf->kept, &node.name);
            ORIBI_TRY((name != NULL || oribi_fail_memory(status)) &&
                      add_output(tf, node.name, name, status));
            n++;
        }
    }
    return n > 0 || oribi_fail(status, TF_INVALID_ARGUMENT,
                               "it has no outputs: each node is read by another one");
}

static bool read_ends(oribi_tf *tf, TF_Status *status)
{
    oribi_map read = {0};
    bool ok = find_read(tf, &read, status);
    for (int32_t i = 0; ok && i < oribi_graphdef_count(tf->reader); i++) {
        oribi_graphdef_seen node;
        oribi_graphdef_at(tf->reader, i, &node);
        const bool is_read = oribi_map_get_n(&read, node.name.data, node.name.length) != NULL;
        ok = !has_op(&node, "Placeholder") || !is_read || add_placeholder(tf, &node, status);
    }
    ok = ok && finish_inputs(tf, status) && add_ends(tf, &read, status);
    oribi_map_destroy(&read);
    return ok;
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
    const oribi_graphdef_known known = {
        .arg = scope, .skips_controls = true, .is_whole = oribi_tf_is_whole, .make = oribi_tf_make};
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

/* Which file a constant names: an AssetFileDef. */
static bool read_asset(oribi_tf *tf, oribi_wire wire, TF_Status *status)
{
    oribi_wire_field field;
    port from = {.tensor = {"", 0}};
    oribi_string file = {"", 0};
    oribi_wire info;
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != 1 || (oribi_wire_enter(&wire, &field, &info, status) &&
                                        read_info(tf, info, &from, status)));
        ORIBI_TRY(field.number != 2 || oribi_wire_string(&field, "a file's name", &file, status));
    }
    ORIBI_TRY(oribi_ok(status));
    char *name = oribi_arena_strndup(&tf->kept, file.data, file.length);
    const char *colon = memchr(from.tensor.data, ':', from.tensor.length);
    const size_t length = colon != NULL ? (size_t)(colon - from.tensor.data) : from.tensor.length;
    return (name != NULL && oribi_map_put_n(&tf->assets, from.tensor.data, length, name)) ||
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
    if (name.length == strlen(initialiser) && memcmp(name.data, initialiser, name.length) == 0) {
        return true;
    }
    const char *wanted = tf->options->signature != NULL ? tf->options->signature : preferred;
    const bool is_wanted =
        name.length == strlen(wanted) && memcmp(name.data, wanted, name.length) == 0;
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
    const char *wanted = tf->options->signature;
    if (!out->is_found || (wanted != NULL && !out->is_default)) {
        return oribi_fail(status, TF_NOT_FOUND, "it has no signature%s%s%s; it has %s",
                          wanted != NULL ? " '" : "", wanted != NULL ? wanted : "",
                          wanted != NULL ? "'" : "",
                          out->is_found ? oribi_text_string(&out->names) : "none");
    }
    return read_graph_def(tf, graph_def, status) && read_signature(tf, out->signature, status);
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
    const bool ok = data[0] == 0x0a ? read_graph_def(tf, file, status) && read_ends(tf, status)
                                    : read_saved_model(tf, file, status);
    ORIBI_TRY(ok);
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
    oribi_tf_bundle_close(tf);
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
    const bool ok = tf.graph != NULL && read_model(&tf, data, bytes, status);
    oribi_graph *graph = oribi_import_end(tf.outermost, ok, source_name, status);
    destroy(&tf);
    oribi_source_release(source);
    return graph;
}
