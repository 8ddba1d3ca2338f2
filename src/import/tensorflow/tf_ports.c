/* SPDX-License-Identifier: Apache-2.0 */
/* What are the inputs and outputs? A signature names them; a GraphDef has none: its Placeholders
 * that are read and the pictures are the inputs, what no node reads the outputs.
 */
#include <stdlib.h>
#include <string.h>

#include "import/tensorflow/tensorflow.h"
#include "op/op.h"
#include "op/op_proto.h"

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

/* Adds the value; it feeds nothing yet. */
static bool make_input(oribi_tf *tf, const port *from, oribi_value_id *out, TF_Status *status)
{
    const char *name = oribi_import_text(&tf->kept, &from->name);
    ORIBI_TRY(name != NULL || oribi_fail_memory(status));
    if (oribi_dtype_bytes(from->dtype) == 0 && from->dtype != TF_STRING) {
        return oribi_fail(status, TF_UNIMPLEMENTED, "input '%s' is of a type that is no tensor's",
                          name);
    }
    if (from->shape.rank > ORIBI_MAX_RANK) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "input '%s' has more than %d dimensions",
                          name, ORIBI_MAX_RANK);
    }
    *out = oribi_graph_add_value(tf->graph, name, from->dtype, &from->shape, status);
    return *out >= 0 && oribi_graph_add_input(tf->graph, *out, name, status);
}

static bool add_input(oribi_tf *tf, const port *from, TF_Status *status)
{
    oribi_string node = from->tensor;
    if (node.length > 2 && memcmp(node.data + node.length - 2, ":0", 2) == 0) {
        node.length -= 2;
    }
    if (oribi_map_get_n(&tf->fed, node.data, node.length) != NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "input '%.*s' is given twice",
                          (int)(from->name.length & 0xfff), from->name.data);
    }
    oribi_value_id *id = oribi_arena_array(&tf->kept, 1, sizeof *id);
    ORIBI_TRY(id != NULL || oribi_fail_memory(status));
    return make_input(tf, from, id, status) &&
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

bool oribi_tf_read_signature(oribi_tf *tf, oribi_wire signature, TF_Status *status)
{
    port *inputs, *outputs;
    int32_t n_inputs, n_outputs;
    ORIBI_TRY(read_ports(tf, signature, 1, &inputs, &n_inputs, status) &&
              read_ports(tf, signature, 2, &outputs, &n_outputs, status));
    for (int32_t i = 0; i < n_inputs; i++) {
        ORIBI_TRY(add_input(tf, &inputs[i], status));
    }
    ORIBI_TRY(oribi_import_fix_inputs(tf->graph, tf->options, status));
    for (int32_t i = 0; i < n_outputs; i++) {
        const char *name = oribi_import_text(&tf->kept, &outputs[i].name);
        ORIBI_TRY((name != NULL || oribi_fail_memory(status)) &&
                  add_output(tf, outputs[i].tensor, name, status));
    }
    return n_outputs > 0 || oribi_fail(status, TF_INVALID_ARGUMENT, "the signature has no outputs");
}

/* --- A GraphDef alone ----------------------------------------------------------------------- */

static bool add_placeholder(oribi_tf *tf, const oribi_graphdef_seen *node, TF_Status *status)
{
    port from = {.name = node->name, .tensor = node->name, .shape = {.rank = -1}};
    oribi_wire value;
    oribi_wire_field field;
    if (oribi_graphdef_attr_field(node->message, "dtype", 6, &field)) {
        from.dtype = (TF_DataType)field.value;
    }
    if (oribi_graphdef_attr(node->message, "shape", &value, status)) {
        while (oribi_wire_next(&value, &field, status)) {
            ORIBI_TRY(field.number != 7 || read_shape(tf, &value, &field, &from.shape, status));
        }
    }
    return oribi_ok(status) && add_input(tf, &from, status);
}

/* A node that decodes a picture, which no kernel does: the picture itself is the input then, under
 * the node's name, and what the node reads is not asked for. */
static bool is_picture(const oribi_graphdef_seen *node)
{
    static const char *const decoders[] = {"DecodeBmp", "DecodeImage", "DecodeJpeg", "DecodePng"};
    for (size_t i = 0; i < sizeof decoders / sizeof decoders[0]; i++) {
        if (oribi_string_is(node->op, decoders[i])) {
            return oribi_op_find(decoders[i]) == NULL;
        }
    }
    return false;
}

/* [rows, columns, channels] */
static bool add_picture(oribi_tf *tf, const oribi_graphdef_seen *node, TF_Status *status)
{
    oribi_wire_field field;
    int64_t dims[] = {-1, -1, -1};
    port from = {.name = node->name, .tensor = node->name, .dtype = TF_UINT8};
    if (oribi_graphdef_attr_field(node->message, "dtype", 6, &field)) {
        from.dtype = (TF_DataType)field.value;
    }
    if (oribi_graphdef_attr_field(node->message, "channels", 3, &field) && field.value >= 1 &&
        field.value <= 4) {
        dims[2] = (int64_t)field.value;
    }
    return (oribi_shape_copy(&tf->outermost->arena, dims, 3, &from.shape) ||
            oribi_fail_memory(status)) &&
           add_input(tf, &from, status);
}

/* Marks the nodes that another one reads. */
static bool find_read(oribi_tf *tf, oribi_map *read, TF_Status *status)
{
    static char mark;
    for (int32_t i = 0; i < oribi_graphdef_count(tf->reader); i++) {
        oribi_graphdef_seen node;
        oribi_graphdef_at(tf->reader, i, &node);
        for (int32_t k = 0; k < node.n_inputs && !is_picture(&node); k++) {
            oribi_string name = node.inputs[k];
            const bool is_control = name.length > 0 && name.data[0] == '^';
            name = oribi_tf_without_port(
                (oribi_string){name.data + is_control, name.length - is_control});
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
            is_end = is_end && !oribi_string_is(node.op, none[k]);
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

bool oribi_tf_read_ends(oribi_tf *tf, TF_Status *status)
{
    oribi_map read = {0};
    bool ok = find_read(tf, &read, status);
    for (int32_t i = 0; ok && i < oribi_graphdef_count(tf->reader); i++) {
        oribi_graphdef_seen node;
        oribi_graphdef_at(tf->reader, i, &node);
        const bool is_read = oribi_map_get_n(&read, node.name.data, node.name.length) != NULL;
        if (is_read && oribi_string_is(node.op, "Placeholder")) {
            ok = add_placeholder(tf, &node, status);
        } else if (is_read && is_picture(&node)) {
            ok = add_picture(tf, &node, status);
        }
    }
    ok = ok && oribi_import_fix_inputs(tf->graph, tf->options, status) &&
         add_ends(tf, &read, status);
    oribi_map_destroy(&read);
    return ok;
}

/* --- As the caller says --------------------------------------------------------------------- */

bool oribi_tf_read_given(oribi_tf *tf, TF_Status *status)
{
    const oribi_import_ends *ends = tf->options->ends;
    for (int32_t i = 0; i < ends->n_feeds; i++) {
        const oribi_import_port *feed = &ends->feeds[i];
        const port from = {.name = {feed->name, strlen(feed->name)},
                           .tensor = {feed->name, strlen(feed->name)},
                           .dtype = feed->dtype,
                           .shape = feed->shape};
        oribi_value_id id = -1;
        ORIBI_TRY(make_input(tf, &from, &id, status) &&
                  oribi_graphdef_feed_output(tf->reader, feed->name, id, status));
    }
    ORIBI_TRY(oribi_import_fix_inputs(tf->graph, tf->options, status));
    for (int32_t i = 0; i < ends->n_fetches; i++) {
        const char *name = ends->fetches[i].name;
        ORIBI_TRY(add_output(tf, (oribi_string){name, strlen(name)}, name, status));
    }
    return true;
}
