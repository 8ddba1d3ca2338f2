/* SPDX-License-Identifier: Apache-2.0 */
/* GraphDefs into graphs. All operations are made and settled first, inputs before those that read
 * them; then they go into the graph, all or none.
 */
#include <string.h>

#include "base/alloc.h"
#include "binding/binding.h"
#include "import/graphdef/graphdef_attr.h"

enum { UNSEEN, OPEN, DONE };

typedef struct imported {
    TF_Operation *op;
    oribi_wire message;
    int32_t n_read; /* outputs that nodes of the GraphDef read */
    int32_t next_input;
    uint8_t mark;
} imported;

typedef struct import {
    TF_Graph *graph;
    const TF_ImportGraphDefOptions *options;
    oribi_arena scratch;
    imported *nodes;
    int32_t n_nodes;
    oribi_map by_name; /* as the GraphDef has them: imported */
    oribi_map taken;   /* the same by the names that their operations get */
    const char *prefix;
    oribi_wire library;
    oribi_map functions; /* of the library: oribi_wire */
    int64_t producer, min_consumer;
} import;

/* --- Names ---------------------------------------------------------------------------------- */

static bool check_name(oribi_string name, TF_Status *status)
{
    static const char others[] = "_.\\/>-";
    bool ok = name.length > 0;
    for (size_t i = 0; ok && i < name.length; i++) {
        const char c = name.data[i];
        ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             (c != '\0' && strchr(others, c) != NULL);
    }
    return ok || oribi_fail(status, TF_INVALID_ARGUMENT,
                            "'%.*s' is no name of an operation: those have letters, digits and "
                            "_.\\/>- and are not empty",
                            (int)(name.length & 0xfff), name.data);
}

static bool is_taken(const import *self, const char *name)
{
    return oribi_binding_is_taken(self->graph, &self->taken, name);
}

/* The name, or with a number behind it where somebody has it; NULL: no memory. */
static const char *unique(import *self, const char *name)
{
    return oribi_binding_free_name(self->graph, &self->taken, &self->scratch, name);
}

static bool choose_prefix(import *self, TF_Status *status)
{
    const char *prefix = self->options != NULL ? self->options->prefix : NULL;
    self->prefix = "";
    if (prefix == NULL || prefix[0] == '\0') {
        return true;
    }
    size_t length = strlen(prefix);
    length -= prefix[length - 1] == '/';
    const char *bare = oribi_arena_strndup(&self->scratch, prefix, length);
    if (bare != NULL && self->options->uniquifies_prefix) {
        bare = unique(self, bare);
    } else if (bare != NULL && is_taken(self, bare)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "Import node name prefix conflicts with names of nodes already in the "
                          "Graph, such as '%s'",
                          bare);
    }
    self->prefix = bare != NULL ? oribi_arena_printf(&self->scratch, "%s/", bare) : NULL;
    return self->prefix != NULL || oribi_fail_memory(status);
}

/* --- Nodes ---------------------------------------------------------------------------------- */

/* A text field of the node. */
static bool text_field(oribi_wire node, uint32_t number, oribi_string *out, TF_Status *status)
{
    oribi_wire_field field;
    *out = (oribi_string){"", 0};
    while (oribi_wire_next(&node, &field, status)) {
        ORIBI_TRY(field.number != number ||
                  oribi_wire_string(&field, "a node's text", out, status));
    }
    return oribi_ok(status);
}

static bool read_attrs(TF_Operation *op, oribi_wire node, bool is_renamed, TF_Status *status)
{
    oribi_wire value;
    oribi_string name;
    while (oribi_graphdef_next_attr(&node, &name, &value, status)) {
        /* Colocation names nodes by the names that they had. */
        ORIBI_TRY((is_renamed && oribi_string_is(name, "_class")) ||
                  oribi_binding_set_attr(op, name, value, status));
    }
    return oribi_ok(status);
}

static bool read_node(import *self, imported *node, TF_Status *status)
{
    oribi_string name, type, device;
    ORIBI_TRY(text_field(node->message, 1, &name, status) &&
              text_field(node->message, 2, &type, status) &&
              text_field(node->message, 4, &device, status));
    ORIBI_TRY(check_name(name, status));
    if (oribi_map_get_n(&self->by_name, name.data, name.length) != NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "Node '%.*s' is not unique",
                          (int)(name.length & 0xfff), name.data);
    }
    const char *full =
        oribi_arena_printf(&self->scratch, "%s%.*s", self->prefix, (int)name.length, name.data);
    if (full != NULL && self->options != NULL && self->options->uniquifies_names) {
        full = unique(self, full);
    } else if (full != NULL && is_taken(self, full)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "Node name '%s' already exists in the Graph",
                          full);
    }
    ORIBI_TRY(full != NULL || oribi_fail_memory(status));
    TF_Operation *op =
        oribi_binding_operation(self->graph, type, (oribi_string){full, strlen(full)}, status);
    ORIBI_TRY(op != NULL);
    node->op = op;
    if (device.length == 0 && self->options != NULL && self->options->device != NULL) {
        device = (oribi_string){self->options->device, strlen(self->options->device)};
    }
    op->device = oribi_arena_strndup(&self->graph->known->arena, device.data, device.length);
    return ((op->device != NULL && oribi_map_put_n(&self->by_name, name.data, name.length, node) &&
             oribi_map_put(&self->taken, op->name, node)) ||
            oribi_fail_memory(status)) &&
           read_attrs(op, node->message, strlen(full) != name.length, status);
}

static bool read_versions(import *self, oribi_wire versions, TF_Status *status)
{
    oribi_wire_field field;
    while (oribi_wire_next(&versions, &field, status)) {
        ORIBI_TRY(field.number != 1 ||
                  oribi_wire_int(&field, "a version", &self->producer, status));
        ORIBI_TRY(field.number != 2 ||
                  oribi_wire_int(&field, "a version", &self->min_consumer, status));
    }
    return oribi_ok(status);
}

static bool read_graph_def(import *self, oribi_wire graph_def, TF_Status *status)
{
    oribi_wire wire = graph_def, inner;
    oribi_wire_field field;
    int32_t n = 0;
    self->library = oribi_wire_over(graph_def.at, 0);
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != 2 || oribi_wire_enter(&wire, &field, &self->library, status));
        ORIBI_TRY(field.number != 4 || (oribi_wire_enter(&wire, &field, &inner, status) &&
                                        read_versions(self, inner, status)));
        n += field.number == 1;
    }
    ORIBI_TRY(oribi_ok(status));
    self->nodes = oribi_arena_array(&self->scratch, (size_t)n + 1, sizeof *self->nodes);
    ORIBI_TRY(self->nodes != NULL || oribi_fail_memory(status));
    wire = graph_def;
    while (oribi_wire_next(&wire, &field, status)) {
        if (field.number == 1) {
            imported *node = &self->nodes[self->n_nodes++];
            ORIBI_TRY(oribi_wire_enter(&wire, &field, &node->message, status) &&
                      read_node(self, node, status));
        }
    }
    return oribi_ok(status);
}

/* --- Inputs --------------------------------------------------------------------------------- */

/* "^name": port -1; "name:2". */
static oribi_string split(oribi_string text, int *out_port)
{
    if (text.length > 0 && text.data[0] == '^') {
        *out_port = -1;
        return (oribi_string){text.data + 1, text.length - 1};
    }
    *out_port = 0;
    const char *colon = memchr(text.data, ':', text.length);
    if (colon == NULL) {
        return text;
    }
    for (const char *at = colon + 1; at < text.data + text.length; at++) {
        *out_port = *at >= '0' && *at <= '9' && *out_port < 1000000 ? *out_port * 10 + (*at - '0')
                                                                    : 1000000000;
    }
    return (oribi_string){text.data, (size_t)(colon - text.data)};
}

static oribi_binding_mapping *mapping_of(const import *self, oribi_string name, int port)
{
    oribi_binding_mapping *m = self->options != NULL ? self->options->mappings : NULL;
    while (m != NULL && (m->index != port || !oribi_string_is(name, m->name))) {
        m = m->next;
    }
    if (m != NULL) {
        m->is_used = true;
    }
    return m;
}

static bool read_input(import *self, TF_Operation *op, oribi_string text, TF_Status *status)
{
    int port;
    const oribi_string name = split(text, &port);
    const oribi_binding_mapping *mapped = mapping_of(self, name, port);
    if (mapped != NULL) {
        return port < 0 ? oribi_binding_add_control(op, mapped->dst.oper, status)
                        : oribi_binding_add_input(op, mapped->dst, status);
    }
    imported *from = oribi_map_get_n(&self->by_name, name.data, name.length);
    TF_Operation *there = from == NULL && self->options != NULL && self->options->extends
                              ? oribi_binding_find(self->graph, name)
                              : NULL;
    if (there != NULL) {
        return port < 0 ? oribi_binding_add_control(op, there, status)
                        : oribi_binding_add_input(op, (TF_Output){there, port}, status);
    }
    if (from == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "Node '%s': Unknown input node '%.*s'",
                          op->name, (int)(text.length & 0xfff), text.data);
    }
    if (port < 0) {
        return oribi_binding_add_control(op, from->op, status);
    }
    from->n_read = port < 65536 && port >= from->n_read ? port + 1 : from->n_read;
    return oribi_binding_add_input(op, (TF_Output){from->op, port}, status);
}

static bool read_inputs(import *self, imported *node, TF_Status *status)
{
    oribi_wire wire = node->message;
    oribi_wire_field field;
    oribi_string text;
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != 3 ||
                  (oribi_wire_string(&field, "a node's input", &text, status) &&
                   read_input(self, node->op, text, status)));
    }
    const oribi_binding_mapping *m = self->options != NULL ? self->options->controls : NULL;
    for (; m != NULL && node->op->n_inputs + node->op->n_controls == 0; m = m->next) {
        ORIBI_TRY(oribi_binding_add_control(node->op, m->dst.oper, status));
    }
    return oribi_ok(status);
}

/* --- Order ---------------------------------------------------------------------------------- */

static imported *node_of(const import *self, const TF_Operation *op)
{
    imported *node = oribi_map_get(&self->taken, op->name);
    return node != NULL && node->op == op ? node : NULL;
}

static bool settle(imported *node, TF_Status *status)
{
    TF_Operation *op = node->op;
    for (int32_t i = 0; i < op->n_inputs; i++) {
        const TF_Output *input = &op->inputs[i];
        const bool is_back = strcmp(input->oper->type, "NextIteration") == 0;
        if (!is_back && input->index >= input->oper->n_outputs) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "Node '%s': Connecting to invalid output %d of source node %s which "
                              "has %d outputs.",
                              op->name, input->index, input->oper->name,
                              (int)input->oper->n_outputs);
        }
    }
    node->mark = DONE;
    return oribi_binding_settle(op, false, node->n_read > 0 ? node->n_read : 1, status) &&
           oribi_binding_take_shapes(op, status);
}

/* The next input that must be settled before the node; NULL: none. Loops of the older kind go
 * round through NextIteration. */
static imported *next_before(const import *self, imported *node)
{
    const TF_Operation *op = node->op;
    while (node->next_input < op->n_inputs) {
        const TF_Operation *from = op->inputs[node->next_input++].oper;
        imported *before = strcmp(from->type, "NextIteration") != 0 ? node_of(self, from) : NULL;
        if (before != NULL && before->mark != DONE) {
            return before;
        }
    }
    return NULL;
}

static bool settle_with_inputs(const import *self, imported *root, imported **stack,
                               TF_Status *status)
{
    int32_t depth = 0;
    stack[depth++] = root;
    root->mark = OPEN;
    while (depth > 0) {
        imported *node = stack[depth - 1];
        imported *before = next_before(self, node);
        if (before == NULL) {
            ORIBI_TRY(settle(node, status));
            depth--;
        } else if (before->mark == OPEN) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "node '%s' is on a cycle",
                              before->op->name);
        } else {
            before->mark = OPEN;
            stack[depth++] = before;
        }
    }
    return true;
}

static bool settle_all(import *self, TF_Status *status)
{
    imported **stack = oribi_arena_array(&self->scratch, (size_t)self->n_nodes + 1, sizeof *stack);
    ORIBI_TRY(stack != NULL || oribi_fail_memory(status));
    for (int32_t i = 0; i < self->n_nodes; i++) {
        ORIBI_TRY(self->nodes[i].mark == DONE ||
                  settle_with_inputs(self, &self->nodes[i], stack, status));
    }
    return true;
}

/* Operations may be calls of what comes with them. */
static bool read_functions(import *self, TF_Status *status)
{
    oribi_wire library = self->library;
    oribi_wire_field field;
    oribi_string name;
    while (oribi_wire_next(&library, &field, status)) {
        oribi_wire *kept = oribi_arena_array(&self->scratch, 1, sizeof *kept);
        ORIBI_TRY(kept != NULL || oribi_fail_memory(status));
        ORIBI_TRY(field.number != 1 ||
                  (oribi_wire_enter(&library, &field, kept, status) &&
                   oribi_binding_function_name(*kept, &name, status) &&
                   (oribi_map_put_n(&self->functions, name.data, name.length, kept) ||
                    oribi_fail_memory(status))));
    }
    return oribi_ok(status);
}

/* --- Results -------------------------------------------------------------------------------- */

static bool find_output(const import *self, const oribi_binding_mapping *wanted, TF_Output *out,
                        TF_Status *status)
{
    const oribi_string name = {wanted->name, strlen(wanted->name)};
    const oribi_binding_mapping *mapped =
        wanted->index >= 0 ? mapping_of(self, name, wanted->index) : NULL;
    const imported *node = oribi_map_get(&self->by_name, wanted->name);
    *out =
        mapped != NULL ? mapped->dst : (TF_Output){node != NULL ? node->op : NULL, wanted->index};
    if (out->oper == NULL || (mapped == NULL && wanted->index >= out->oper->n_outputs)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "Requested return node or output '%s:%d' is not in the graph def",
                          wanted->name, wanted->index);
    }
    return true;
}

static bool tell_missing(const import *self, TF_ImportGraphDefResults *out, TF_Status *status)
{
    int n = 0;
    for (const oribi_binding_mapping *m = self->options->mappings; m != NULL; m = m->next) {
        n++;
    }
    out->missing_names = oribi_arena_array(&out->arena, (size_t)n + 1, sizeof(char *));
    out->missing_indexes = oribi_arena_array(&out->arena, (size_t)n + 1, sizeof(int));
    ORIBI_TRY((out->missing_names != NULL && out->missing_indexes != NULL) ||
              oribi_fail_memory(status));
    for (const oribi_binding_mapping *m = self->options->mappings; m != NULL; m = m->next) {
        if (!m->is_used && oribi_map_get(&self->by_name, m->name) == NULL) {
            out->missing_names[out->n_missing] = oribi_arena_strdup(&out->arena, m->name);
            out->missing_indexes[out->n_missing++] = m->index;
        }
    }
    return true;
}

static bool tell(const import *self, TF_ImportGraphDefResults *out, TF_Status *status)
{
    const TF_ImportGraphDefOptions *options = self->options;
    if (out == NULL || options == NULL) {
        return true;
    }
    out->outputs =
        oribi_arena_array(&out->arena, (size_t)options->n_outputs + 1, sizeof *out->outputs);
    out->operations =
        oribi_arena_array(&out->arena, (size_t)options->n_operations + 1, sizeof *out->operations);
    ORIBI_TRY((out->outputs != NULL && out->operations != NULL) || oribi_fail_memory(status));
    for (const oribi_binding_mapping *m = options->outputs; m != NULL; m = m->next) {
        ORIBI_TRY(find_output(self, m, &out->outputs[out->n_outputs++], status));
    }
    for (const oribi_binding_mapping *m = options->operations; m != NULL; m = m->next) {
        TF_Output found;
        ORIBI_TRY(find_output(self, m, &found, status));
        out->operations[out->n_operations++] = found.oper;
    }
    return tell_missing(self, out, status);
}

/* --- All of it ------------------------------------------------------------------------------ */

static bool commit(import *self, TF_Status *status)
{
    TF_Graph *graph = self->graph;
    const bool is_first = graph->n_ops == 0;
    ORIBI_TRY(oribi_binding_add_library(graph, self->library, status));
    for (int32_t i = 0; i < self->n_nodes; i++) {
        ORIBI_TRY(oribi_binding_put(self->nodes[i].op, status));
    }
    for (int32_t i = 0; i < self->n_nodes; i++) {
        ORIBI_TRY(oribi_binding_link(self->nodes[i].op, status));
    }
    if (is_first || self->producer < graph->producer) {
        graph->producer = self->producer;
    }
    graph->min_consumer =
        self->min_consumer > graph->min_consumer ? self->min_consumer : graph->min_consumer;
    return true;
}

bool oribi_binding_import(TF_Graph *graph, oribi_wire graph_def,
                          const TF_ImportGraphDefOptions *options,
                          TF_ImportGraphDefResults *results, TF_Status *status)
{
import self = {.graph = graph, .options = options };
    oribi_binding_mapping *m = options != NULL ? options->mappings : NULL;
    for (; m != NULL; m = m->next) {
        m->is_used = false;
    }
    bool ok = choose_prefix(&self, status) && read_graph_def(&self, graph_def, status);
    ok = ok && read_functions(&self, status);
    graph->arriving = &self.functions;
    for (int32_t i = 0; ok && i < self.n_nodes; i++) {
        ok = read_inputs(&self, &self.nodes[i], status);
    }
    ok = ok && settle_all(&self, status) && tell(&self, results, status) && commit(&self, status);
    graph->arriving = NULL;
    oribi_map_destroy(&self.functions);
    oribi_map_destroy(&self.by_name);
    oribi_map_destroy(&self.taken);
    oribi_arena_destroy(&self.scratch);
    return ok;
}
