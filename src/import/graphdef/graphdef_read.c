/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a GraphDef into a graph; see graphdef_read.h. Attributes: graphdef_attr.c.
 */
#include "import/graphdef/graphdef_read.h"

#include <string.h>

#include "base/alloc.h"
#include "import/graphdef/graphdef_attr.h"
#include "op/op.h"

enum { UNSEEN, OPEN, DONE };

typedef struct node_def {
    oribi_string name, op, device;
    oribi_wire message;
    const oribi_string *inputs;
    int32_t n_inputs, next_input; /* the latter while OPEN */
    int32_t n_outputs;
    const oribi_value_id *outputs; /* {-1}: the absent input */
    uint8_t mark;
} node_def;

struct oribi_graphdef {
    oribi_graph *graph;
    oribi_graphdef_known known;
    oribi_arena scratch;
    node_def *nodes;
    int32_t n_nodes;
    oribi_map by_name; /* node_def */
    oribi_map fed;     /* oribi_value_id, in the scratch arena */
};

/* --- The message --------------------------------------------------------------------------------
 */

static bool read_node(oribi_graphdef *self, node_def *node, oribi_wire message, TF_Status *status)
{
    oribi_wire wire = message;
    oribi_wire_field field;
    int32_t capacity = 0;
    node->message = message;
    while (oribi_wire_next(&wire, &field, status)) {
        oribi_string input;
        switch (field.number) {
        case 1:
            ORIBI_TRY(oribi_wire_string(&field, "a node's name", &node->name, status));
            break;
        case 2:
            ORIBI_TRY(oribi_wire_string(&field, "a node's op", &node->op, status));
            break;
        case 3:
            ORIBI_TRY(oribi_wire_string(&field, "a node's input", &input, status));
            if (node->n_inputs == capacity) {
                capacity = capacity > 0 ? capacity * 2 : 4;
                oribi_string *more =
                    oribi_arena_array(&self->scratch, (size_t)capacity, sizeof *more);
                ORIBI_TRY(more != NULL || oribi_fail_memory(status));
                if (node->n_inputs > 0) {
                    memcpy(more, node->inputs, (size_t)node->n_inputs * sizeof *more);
                }
                node->inputs = more;
            }
            ((oribi_string *)node->inputs)[node->n_inputs++] = input;
            break;
        case 4:
            ORIBI_TRY(oribi_wire_string(&field, "a node's device", &node->device, status));
            break;
        default:
            break;
        }
    }
    return oribi_ok(status);
}

static bool read_nodes(oribi_graphdef *self, const uint8_t *data, size_t bytes, TF_Status *status)
{
    const oribi_wire whole = oribi_wire_over(data, bytes);
    oribi_wire wire = whole;
    oribi_wire_field field;
    oribi_wire message;
    int32_t n = 0;
    while (oribi_wire_next(&wire, &field, status)) {
        n += field.number == 1;
    }
    ORIBI_TRY(oribi_ok(status));
    self->nodes = oribi_arena_array(&self->scratch, (size_t)n + 1, sizeof *self->nodes);
    ORIBI_TRY(self->nodes != NULL || oribi_fail_memory(status));
    wire = whole;
    while (oribi_wire_next(&wire, &field, status)) {
        if (field.number != 1) {
            continue;
        }
        node_def *node = &self->nodes[self->n_nodes++];
        ORIBI_TRY(oribi_wire_enter(&wire, &field, &message, status) &&
                  read_node(self, node, message, status));
        if (node->name.length == 0 ||
            oribi_map_get_n(&self->by_name, node->name.data, node->name.length) != NULL) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "%s node '%.*s'",
                              node->name.length == 0 ? "an unnamed" : "a second",
                              (int)node->name.length, node->name.data);
        }
        ORIBI_TRY(oribi_map_put_n(&self->by_name, node->name.data, node->name.length, node) ||
                  oribi_fail_memory(status));
    }
    return oribi_ok(status);
}

/* --- References ---------------------------------------------------------------------------------
 */

/* "name", "name:2" or "^name". NULL with the status set: there is no such node. */
static node_def *find(const oribi_graphdef *self, oribi_string text, int32_t *out_port,
                      bool *out_control, TF_Status *status)
{
    *out_control = text.length > 0 && text.data[0] == '^';
    const char *name = text.data + *out_control;
    size_t length = text.length - *out_control;
    int64_t port = 0;
    size_t digits = 0;
    while (digits < length && digits < 9 && name[length - 1 - digits] >= '0' &&
           name[length - 1 - digits] <= '9') {
        digits++;
    }
    if (digits > 0 && digits < length && name[length - 1 - digits] == ':') {
        for (size_t i = length - digits; i < length; i++) {
            port = port * 10 + (name[i] - '0');
        }
        length -= digits + 1;
    }
    *out_port = (int32_t)port;
    node_def *found = oribi_map_get_n(&self->by_name, name, length);
    if (found == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "there is no node '%.*s'", (int)length, name);
    }
    return found;
}

/* Finds an output of a node that is DONE. False: it has no such output. */
static bool output_of(const node_def *node, int32_t port, oribi_value_id *out, TF_Status *status)
{
    if (port < 0 || port >= node->n_outputs) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "node '%.*s' has no output %d",
                          (int)node->name.length, node->name.data, (int)port);
    }
    *out = node->outputs[port];
    return true;
}

/* --- Nodes --------------------------------------------------------------------------------------
 */

static bool set_outputs(oribi_graphdef *self, node_def *node, const oribi_value_id *ids, int32_t n,
                        TF_Status *status)
{
    node->outputs = oribi_arena_memdup(&self->scratch, ids, (size_t)(n > 0 ? n : 1) * sizeof *ids);
    node->n_outputs = n;
    return node->outputs != NULL || oribi_fail_memory(status);
}

/* The next attribute of a node; false at the end, and with the status set on an error. */
static bool next_attr(oribi_wire *node, oribi_string *out_name, oribi_wire *out_value,
                      TF_Status *status)
{
    oribi_wire_field field;
    while (oribi_wire_next(node, &field, status)) {
        oribi_wire entry;
        oribi_wire_field part;
        if (field.number != 5) {
            continue;
        }
        *out_name = (oribi_string){"", 0};
        *out_value = oribi_wire_over(field.data, 0);
        ORIBI_TRY(oribi_wire_enter(node, &field, &entry, status));
        while (oribi_wire_next(&entry, &part, status)) {
            ORIBI_TRY(part.number != 1 ||
                      oribi_wire_string(&part, "an attribute's name", out_name, status));
            ORIBI_TRY(part.number != 2 || oribi_wire_enter(&entry, &part, out_value, status));
        }
        return oribi_ok(status);
    }
    return false;
}

static bool read_constant(oribi_graphdef *self, node_def *node, const char *name, TF_Status *status)
{
    static const oribi_attr_def value_def = {.name = "value", .kind = TF_ATTR_TENSOR};
    oribi_attrs attrs = {0};
    oribi_wire wire = node->message;
    oribi_wire value;
    oribi_string key;
    while (next_attr(&wire, &key, &value, status)) {
        ORIBI_TRY(
            key.length != 5 || memcmp(key.data, "value", 5) != 0 ||
            oribi_graphdef_read_attr(self->graph, &attrs, "value", &value_def, value, status));
    }
    ORIBI_TRY(oribi_ok(status));
    if (attrs.count == 0) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "a constant has no value");
    }
    TF_Tensor *tensor = attrs.items[0].u.tensor[0];
    const oribi_graphdef_known *known = &self->known;
    oribi_value_id id =
        known->constant != NULL ? known->constant(known->arg, name, tensor, status) : -1;
    if (id < 0 && oribi_ok(status)) {
        id = oribi_graph_add_constant_tensor(self->graph, name, tensor, status);
    }
    return id >= 0 && set_outputs(self, node, &id, 1, status);
}

/* Only attributes that the op declares count; others, such as "_class", mean nothing here. */
static bool read_attrs(oribi_graphdef *self, const node_def *node, const oribi_op_def *op,
                       oribi_attrs *attrs, TF_Status *status)
{
    oribi_wire wire = node->message;
    oribi_wire value;
    oribi_string key;
    while (next_attr(&wire, &key, &value, status)) {
        const char *name = oribi_arena_strndup(&self->graph->arena, key.data, key.length);
        ORIBI_TRY(name != NULL || oribi_fail_memory(status));
        const oribi_attr_def *def = oribi_op_find_attr(op, name);
        ORIBI_TRY(def == NULL ||
                  oribi_graphdef_read_attr(self->graph, attrs, name, def, value, status));
    }
    return oribi_ok(status);
}

/* Values of the data inputs; all their nodes are DONE. Control inputs order what has side effects,
 * which values do here: one on such a node is refused, others say nothing. */
static bool read_inputs(oribi_graphdef *self, const node_def *node, oribi_value_id *out,
                        int32_t *out_n, TF_Status *status)
{
    int32_t n = 0;
    for (int32_t i = 0; i < node->n_inputs; i++) {
        int32_t port;
        bool is_control;
        const node_def *from = find(self, node->inputs[i], &port, &is_control, status);
        ORIBI_TRY(from != NULL);
        if (!is_control) {
            ORIBI_TRY(output_of(from, port, &out[n++], status));
            continue;
        }
        const char *op = oribi_arena_strndup(&self->scratch, from->op.data, from->op.length);
        ORIBI_TRY(op != NULL || oribi_fail_memory(status));
        const oribi_op_def *def = oribi_op_find(op);
        if (def != NULL && def->is_stateful && from->mark == DONE && from->n_outputs == 0) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "a control input from '%.*s', whose op has side effects only",
                              (int)from->name.length, from->name.data);
        }
    }
    *out_n = n;
    return true;
}

static bool add_node(oribi_graphdef *self, node_def *node, const char *name, const char *op_name,
                     TF_Status *status)
{
    const oribi_op_def *op = oribi_op_find(op_name);
    oribi_graph *graph = self->graph;
    oribi_attrs attrs = {0};
    oribi_signature signature;
    int32_t n = 0;
    if (op == NULL) {
        return oribi_fail(status, TF_NOT_FOUND, "there is no op '%s'", op_name);
    }
    oribi_value_id *inputs =
        oribi_arena_array(&self->scratch, (size_t)node->n_inputs + 1, sizeof *inputs);
    TF_DataType *types =
        oribi_arena_array(&self->scratch, (size_t)node->n_inputs + 1, sizeof *types);
    ORIBI_TRY((inputs != NULL && types != NULL) || oribi_fail_memory(status));
    ORIBI_TRY(read_inputs(self, node, inputs, &n, status) &&
              read_attrs(self, node, op, &attrs, status));
    for (int32_t i = 0; i < n; i++) {
        types[i] = inputs[i] >= 0 ? graph->values[inputs[i]]->dtype : (TF_DataType)0;
    }
    /* Once for the number of outputs; the graph does it again with the node. */
    ORIBI_TRY(oribi_op_resolve(op, name, &attrs, types, n, &graph->arena, &signature, status));
    oribi_node *made =
        oribi_graph_add_node(graph, op_name, name, inputs, n, signature.n_outputs, status);
    ORIBI_TRY(made != NULL);
    made->attrs = attrs;
    made->device = oribi_arena_strndup(
        &graph->arena, node->device.data != NULL ? node->device.data : "", node->device.length);
    ORIBI_TRY(made->device != NULL || oribi_fail_memory(status));
    return oribi_graph_resolve(graph, made, status) &&
           (self->known.made == NULL || self->known.made(self->known.arg, made, status)) &&
           set_outputs(self, node, made->outputs, made->n_outputs, status);
}

static bool is_op(const node_def *node, const char *op)
{
    return node->op.length == strlen(op) && memcmp(node->op.data, op, node->op.length) == 0;
}

/* A node whose inputs are all there. */
static bool make_node(oribi_graphdef *self, node_def *node, TF_Status *status)
{
    const char *name = oribi_arena_strndup(&self->graph->arena, node->name.data, node->name.length);
    const char *op = oribi_arena_strndup(&self->graph->arena, node->op.data, node->op.length);
    ORIBI_TRY((name != NULL && op != NULL) || oribi_fail_memory(status));
    const oribi_value_id none = -1;
    bool ok;
    if (is_op(node, "Placeholder")) {
        const oribi_value_id *id = oribi_map_get(&self->fed, name);
        ok = id != NULL
                 ? set_outputs(self, node, id, 1, status)
                 : oribi_fail(status, TF_INVALID_ARGUMENT, "it is not an input of the model");
    } else if (is_op(node, "Const")) {
        ok = read_constant(self, node, name, status);
    } else if (is_op(node, ORIBI_ABSENT_OP)) {
        ok = set_outputs(self, node, &none, 1, status);
    } else {
        ok = add_node(self, node, name, op, status);
    }
    if (!ok) {
        oribi_status_prefix(status, "node '%s' (%s): ", name, op);
    }
    return ok;
}

/* Reads what `root` needs, then `root` itself, without recursion. */
static bool make_with_inputs(oribi_graphdef *self, node_def *root, TF_Status *status)
{
    node_def **stack = oribi_alloc_array((size_t)self->n_nodes + 1, sizeof *stack);
    int32_t depth = 0;
    bool ok = stack != NULL || oribi_fail_memory(status);
    if (ok && root->mark == UNSEEN) {
        stack[depth++] = root;
        root->mark = OPEN;
    }
    while (ok && depth > 0) {
        node_def *node = stack[depth - 1];
        int32_t port;
        bool is_control;
        if (node->next_input == node->n_inputs) {
            ok = make_node(self, node, status);
            node->mark = DONE;
            depth--;
            continue;
        }
        node_def *from = find(self, node->inputs[node->next_input++], &port, &is_control, status);
        if (from == NULL || (from->mark == OPEN && !is_control)) {
            ok = from == NULL ? false
                              : oribi_fail(status, TF_INVALID_ARGUMENT, "node '%.*s' is on a cycle",
                                           (int)from->name.length, from->name.data);
        } else if (from->mark == UNSEEN) {
            from->mark = OPEN;
            stack[depth++] = from;
        }
    }
    oribi_free(stack);
    return ok;
}

/* --- The reader ---------------------------------------------------------------------------------
 */

oribi_graphdef *oribi_graphdef_open(oribi_graph *graph, const uint8_t *data, size_t bytes,
                                    const oribi_graphdef_known *known, TF_Status *status)
{
    oribi_graphdef *self = oribi_alloc_zero(1, sizeof *self);
    if (self == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    self->graph = graph;
    self->known = known != NULL ? *known : (oribi_graphdef_known){0};
    if (!read_nodes(self, data, bytes, status)) {
        oribi_graphdef_close(self);
        return NULL;
    }
    return self;
}

void oribi_graphdef_close(oribi_graphdef *self)
{
    if (self != NULL) {
        oribi_map_destroy(&self->by_name);
        oribi_map_destroy(&self->fed);
        oribi_arena_destroy(&self->scratch);
        oribi_free(self);
    }
}

bool oribi_graphdef_feed(oribi_graphdef *self, const char *name, oribi_value_id value,
                         TF_Status *status)
{
    oribi_value_id *kept = oribi_arena_memdup(&self->scratch, &value, sizeof value);
    return (kept != NULL && oribi_map_put(&self->fed, name, kept)) || oribi_fail_memory(status);
}

bool oribi_graphdef_fetch(oribi_graphdef *self, const char *name, oribi_value_id *out,
                          TF_Status *status)
{
    int32_t port;
    bool is_control;
    node_def *node = find(self, (oribi_string){name, strlen(name)}, &port, &is_control, status);
    ORIBI_TRY(node != NULL && make_with_inputs(self, node, status) &&
              output_of(node, port, out, status));
    return *out >= 0 ||
           oribi_fail(status, TF_INVALID_ARGUMENT, "output '%s' is an absent input", name);
}
