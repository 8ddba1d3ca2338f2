/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a GraphDef into a graph; see graphdef_read.h. Attributes: graphdef_attr.c.
 */
#include "import/graphdef/graphdef_read.h"

#include <string.h>

#include "base/alloc.h"
#include "import/graphdef/graphdef_attr.h"
#include "import/graphdef/graphdef_internal.h"
#include "op/op.h"

enum { UNSEEN, OPEN, DONE };

/* --- The message --------------------------------------------------------------------------------
 */

static bool read_node(oribi_graphdef *self, oribi_graphdef_def *node, oribi_wire message,
                      TF_Status *status)
{
    oribi_wire wire = message;
    oribi_wire_field field;
    int32_t capacity = 0;
    node->message = message;
    node->op = (oribi_string){"", 0};
    while (oribi_wire_next(&wire, &field, status)) {
        oribi_string input;
        switch (field.number) {
        case 1:
            ORIBI_TRY(oribi_wire_string(&field, "a node's name", &node->name, status));
            break;
        case 2:
            ORIBI_TRY(oribi_wire_string(&field, "a node's op", &node->op, status));
            node->op = self->known.spelling != NULL ? self->known.spelling(node->op) : node->op;
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
    const uint32_t number = self->known.is_function ? 3 : 1;
    const oribi_wire whole = oribi_wire_over(data, bytes);
    oribi_wire wire = whole;
    oribi_wire_field field;
    oribi_wire message;
    int32_t n = 0;
    while (oribi_wire_next(&wire, &field, status)) {
        n += field.number == number;
    }
    ORIBI_TRY(oribi_ok(status));
    self->nodes = oribi_arena_array(&self->scratch, (size_t)n + 1, sizeof *self->nodes);
    ORIBI_TRY(self->nodes != NULL || oribi_fail_memory(status));
    wire = whole;
    while (oribi_wire_next(&wire, &field, status)) {
        if (field.number != number) {
            continue;
        }
        oribi_graphdef_def *node = &self->nodes[self->n_nodes++];
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

/* --- Nodes --------------------------------------------------------------------------------------
 */

static bool set_outputs(oribi_graphdef *self, oribi_graphdef_def *node, const oribi_value_id *ids,
                        int32_t n, TF_Status *status)
{
    node->outputs = oribi_arena_memdup(&self->scratch, ids, (size_t)(n > 0 ? n : 1) * sizeof *ids);
    node->n_outputs = n;
    return node->outputs != NULL || oribi_fail_memory(status);
}

static bool read_constant(oribi_graphdef *self, oribi_graphdef_def *node, const char *name,
                          TF_Status *status)
{
    static const oribi_attr_def value_def = {.name = "value", .kind = TF_ATTR_TENSOR};
    oribi_attrs attrs = {0};
    oribi_wire wire = node->message;
    oribi_wire value;
    oribi_string key;
    while (oribi_graphdef_next_attr(&wire, &key, &value, status)) {
        ORIBI_TRY(
            !oribi_string_is(key, "value") ||
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
static bool read_attrs(oribi_graphdef *self, const oribi_graphdef_def *node, const oribi_op_def *op,
                       oribi_attrs *attrs, TF_Status *status)
{
    oribi_wire wire = node->message;
    oribi_wire value;
    oribi_string key;
    while (oribi_graphdef_next_attr(&wire, &key, &value, status)) {
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
static bool read_inputs(oribi_graphdef *self, const oribi_graphdef_def *node, oribi_value_id *out,
                        int32_t *out_n, TF_Status *status)
{
    int32_t n = 0;
    for (int32_t i = 0; i < node->n_inputs && !node->is_whole; i++) {
        oribi_graphdef_reference from;
        if (self->known.skips_controls && oribi_graphdef_is_control(node->inputs[i])) {
            continue;
        }
        ORIBI_TRY(oribi_graphdef_find_reference(self, node->inputs[i], &from, status));
        if (!from.is_control) {
            ORIBI_TRY(oribi_graphdef_output_of(self, &from, &out[n++], status));
            continue;
        }
        const char *op =
            oribi_arena_strndup(&self->scratch, from.node->op.data, from.node->op.length);
        ORIBI_TRY(op != NULL || oribi_fail_memory(status));
        const oribi_op_def *def = oribi_op_find(op);
        if (def != NULL && def->is_stateful && from.node->mark == DONE &&
            from.node->n_outputs == 0) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "a control input from '%.*s', whose op has side effects only",
                              (int)from.node->name.length, from.node->name.data);
        }
    }
    *out_n = n;
    return true;
}

/* What the op has no tensor for must not reach it. */
static bool check_inputs(const oribi_graphdef_node *node, TF_Status *status)
{
    for (int32_t i = 0; i < node->n_inputs; i++) {
        if (node->inputs[i] < -1) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "input %d is a variable, table or list, which the op does not take "
                              "here",
                              (int)i);
        }
    }
    return true;
}

static bool add_node(oribi_graphdef *self, oribi_graphdef_def *node,
                     const oribi_graphdef_node *from, TF_Status *status)
{
    const oribi_op_def *op = oribi_op_find(from->op);
    oribi_graph *graph = self->graph;
    oribi_attrs attrs = {0};
    oribi_signature signature;
    if (op == NULL) {
        return oribi_op_is_known(from->op)
                   ? oribi_fail_memory(status)
                   : oribi_fail(status, TF_NOT_FOUND, "there is no op '%s'", from->op);
    }
    TF_DataType *types =
        oribi_arena_array(&self->scratch, (size_t)from->n_inputs + 1, sizeof *types);
    ORIBI_TRY(types != NULL || oribi_fail_memory(status));
    ORIBI_TRY(check_inputs(from, status) && read_attrs(self, node, op, &attrs, status));
    for (int32_t i = 0; i < from->n_inputs; i++) {
        types[i] = from->inputs[i] >= 0 ? graph->values[from->inputs[i]]->dtype : (TF_DataType)0;
    }
    /* Once for the number of outputs; the graph does it again with the node. */
    ORIBI_TRY(oribi_op_resolve(op, from->name, &attrs, types, from->n_inputs, &graph->arena,
                               &signature, status));
    oribi_node *made = oribi_graph_add_node(graph, from->op, from->name, from->inputs,
                                            from->n_inputs, signature.n_outputs, status);
    ORIBI_TRY(made != NULL);
    made->attrs = attrs;
    made->device = oribi_arena_strndup(
        &graph->arena, node->device.data != NULL ? node->device.data : "", node->device.length);
    ORIBI_TRY(made->device != NULL || oribi_fail_memory(status));
    return oribi_graph_resolve(graph, made, status) &&
           (self->known.made == NULL || self->known.made(self->known.arg, made, status)) &&
           set_outputs(self, node, made->outputs, made->n_outputs, status);
}

/* Is it made by who knows it better? False with the status untouched: no. */
static bool make_known(oribi_graphdef *self, oribi_graphdef_def *node,
                       const oribi_graphdef_node *from, TF_Status *status)
{
    enum { MOST = 1024 };
    oribi_value_id ids[MOST];
    const int32_t n =
        self->known.make != NULL ? self->known.make(self->known.arg, from, ids, MOST, status) : -1;
    return n >= 0 && set_outputs(self, node, ids, n, status);
}

/* A node whose inputs are all there. */
static bool make_node(oribi_graphdef *self, oribi_graphdef_def *node, TF_Status *status)
{
    const char *name =
        self->known.prefix != NULL
            ? oribi_arena_printf(&self->graph->arena, "%s%.*s", self->known.prefix,
                                 (int)(node->name.length & 0xffff), node->name.data)
            : oribi_arena_strndup(&self->graph->arena, node->name.data, node->name.length);
    const char *op = oribi_arena_strndup(&self->graph->arena, node->op.data, node->op.length);
    oribi_value_id *inputs =
        oribi_arena_array(&self->scratch, (size_t)node->n_inputs + 1, sizeof *inputs);
    ORIBI_TRY((name != NULL && op != NULL && inputs != NULL) || oribi_fail_memory(status));
    oribi_graphdef_node from = {.name = name,
                                .op = op,
                                .inputs = inputs,
                                .message = node->message,
                                .short_name = node->name};
    const oribi_value_id none = -1;
    bool ok = read_inputs(self, node, inputs, &from.n_inputs, status);
    if (ok && !make_known(self, node, &from, status)) {
        if (!oribi_ok(status)) {
            ok = false;
        } else if (oribi_string_is(node->op, "Placeholder")) {
            const oribi_value_id *id = oribi_map_get(&self->fed, name);
            ok = id != NULL
                     ? set_outputs(self, node, id, 1, status)
                     : oribi_fail(status, TF_INVALID_ARGUMENT, "it is not an input of the model");
        } else if (oribi_string_is(node->op, "Const")) {
            ok = read_constant(self, node, name, status);
        } else if (oribi_string_is(node->op, ORIBI_ABSENT_OP)) {
            ok = set_outputs(self, node, &none, 1, status);
        } else {
            ok = add_node(self, node, &from, status);
        }
    }
    if (!ok) {
        oribi_status_prefix(status, "node '%s' (%s): ", name, op);
    }
    return ok;
}

static void see(const oribi_graphdef_def *node, oribi_graphdef_seen *out)
{
    *out = (oribi_graphdef_seen){.name = node->name,
                                 .op = node->op,
                                 .message = node->message,
                                 .inputs = node->inputs,
                                 .n_inputs = node->n_inputs};
}

/* The node's inputs come next, if it wants any. */
static void open_node(oribi_graphdef *self, oribi_graphdef_def *node)
{
    oribi_graphdef_seen seen;
    see(node, &seen);
    node->mark = OPEN;
    node->is_whole = self->known.is_whole != NULL && self->known.is_whole(self->known.arg, &seen);
    node->next_input = node->is_whole ? node->n_inputs : 0;
}

/* Reads what `root` needs, then `root` itself, without recursion. */
static bool make_with_inputs(oribi_graphdef *self, oribi_graphdef_def *root, TF_Status *status)
{
    oribi_graphdef_def **stack = oribi_alloc_array((size_t)self->n_nodes + 1, sizeof *stack);
    int32_t depth = 0;
    bool ok = stack != NULL || oribi_fail_memory(status);
    if (ok && root->mark == UNSEEN) {
        stack[depth++] = root;
        open_node(self, root);
    }
    while (ok && depth > 0) {
        oribi_graphdef_def *node = stack[depth - 1];
        oribi_graphdef_reference from;
        if (node->next_input == node->n_inputs) {
            ok = make_node(self, node, status);
            node->mark = DONE;
            depth--;
            continue;
        }
        const oribi_string input = node->inputs[node->next_input++];
        if (self->known.skips_controls && oribi_graphdef_is_control(input)) {
            continue;
        }
        ok = oribi_graphdef_find_reference(self, input, &from, status);
        if (ok && oribi_graphdef_fed_of(&from) != NULL) {
            continue;
        }
        if (ok && from.node->mark == OPEN && !from.is_control) {
            ok = oribi_fail(status, TF_INVALID_ARGUMENT, "node '%.*s' is on a cycle",
                            (int)from.node->name.length, from.node->name.data);
        } else if (ok && from.node->mark == UNSEEN) {
            open_node(self, from.node);
            stack[depth++] = from.node;
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

/* An input of a function stands among its nodes, as one that is there. */
static bool feed_argument(oribi_graphdef *self, const char *name, oribi_value_id value,
                          TF_Status *status)
{
    oribi_graphdef_def *node = oribi_arena_array(&self->scratch, 1, sizeof *node);
    ORIBI_TRY(node != NULL || oribi_fail_memory(status));
    if (oribi_map_get(&self->by_name, name) != NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "'%s' is an input and a node", name);
    }
    node->name = (oribi_string){name, strlen(name)};
    node->op = (oribi_string){"", 0};
    node->mark = DONE;
    return set_outputs(self, node, &value, 1, status) &&
           (oribi_map_put(&self->by_name, name, node) || oribi_fail_memory(status));
}

bool oribi_graphdef_feed(oribi_graphdef *self, const char *name, oribi_value_id value,
                         TF_Status *status)
{
    if (self->known.is_function) {
        const char *copy = oribi_arena_strdup(&self->scratch, name);
        return copy != NULL ? feed_argument(self, copy, value, status) : oribi_fail_memory(status);
    }
    oribi_value_id *kept = oribi_arena_memdup(&self->scratch, &value, sizeof value);
    return (kept != NULL && oribi_map_put(&self->fed, name, kept)) || oribi_fail_memory(status);
}

bool oribi_graphdef_feed_output(oribi_graphdef *self, const char *text, oribi_value_id value,
                                TF_Status *status)
{
    oribi_graphdef_reference from;
    ORIBI_TRY(
        oribi_graphdef_find_reference(self, (oribi_string){text, strlen(text)}, &from, status));
    const oribi_graphdef_fed fed = {from.port, value, from.node->fed};
    from.node->fed = oribi_arena_memdup(&self->scratch, &fed, sizeof fed);
    return from.node->fed != NULL || oribi_fail_memory(status);
}

bool oribi_graphdef_feed_node(oribi_graphdef *self, oribi_string name, const oribi_value_id *values,
                              int32_t n, TF_Status *status)
{
    oribi_graphdef_def *node = oribi_map_get_n(&self->by_name, name.data, name.length);
    if (node == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "there is no node '%.*s'",
                          (int)(name.length & 0xfff), name.data);
    }
    node->mark = DONE;
    return set_outputs(self, node, values, n, status);
}

int32_t oribi_graphdef_count(const oribi_graphdef *self)
{
    return self->n_nodes;
}

void oribi_graphdef_at(const oribi_graphdef *self, int32_t i, oribi_graphdef_seen *out)
{
    see(&self->nodes[i], out);
}

bool oribi_graphdef_at_reference(const oribi_graphdef *self, oribi_string text,
                                 oribi_graphdef_seen *out, int32_t *out_port)
{
    oribi_graphdef_reference from = {0};
    oribi_graphdef_split(self, text, &from);
    if (from.node != NULL) {
        see(from.node, out);
        *out_port = from.port;
    }
    return from.node != NULL;
}

bool oribi_graphdef_look(const oribi_graphdef *self, oribi_string text, oribi_graphdef_seen *out,
                         int32_t *out_port)
{
    oribi_graphdef_reference from = {0};
    int32_t left = 64; /* Identity nodes may be on a cycle, or many */
    oribi_graphdef_split(self, text, &from);
    while (from.node != NULL && oribi_string_is(from.node->op, "Identity") &&
           from.node->n_inputs > 0 && left-- > 0) {
        oribi_graphdef_split(self, from.node->inputs[0], &from);
    }
    *out = (oribi_graphdef_seen){.name = from.name};
    *out_port = from.port;
    if (from.node != NULL) {
        see(from.node, out);
    }
    return from.node != NULL && from.node->op.length > 0;
}

bool oribi_graphdef_fetch(oribi_graphdef *self, const char *name, oribi_value_id *out,
                          TF_Status *status)
{
    oribi_graphdef_reference from;
    ORIBI_TRY(
        oribi_graphdef_find_reference(self, (oribi_string){name, strlen(name)}, &from, status));
    ORIBI_TRY((oribi_graphdef_fed_of(&from) != NULL || make_with_inputs(self, from.node, status)) &&
              oribi_graphdef_output_of(self, &from, out, status));
    return *out != -1 ||
           oribi_fail(status, TF_INVALID_ARGUMENT, "output '%s' is an absent input", name);
}
