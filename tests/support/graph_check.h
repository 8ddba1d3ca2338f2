/* SPDX-License-Identifier: Apache-2.0 */
/* What every pass must leave behind of a graph: the invariants of ids, uses, producers and types.
 * And a graph as text, a line for each node in order.
 */
#ifndef ORIBI_TESTS_SUPPORT_GRAPH_CHECK_H_
#define ORIBI_TESTS_SUPPORT_GRAPH_CHECK_H_

#include <inttypes.h>

#include "base/alloc.h"
#include "base/text.h"
#include "graph/graph.h"

/* --- Invariants ------------------------------------------------------------------------------- */

static inline bool is_value(const oribi_graph *graph, oribi_value_id value)
{
    return value >= 0 && value < graph->n_values;
}

static inline bool check_node(const oribi_graph *graph, const oribi_node *node, int32_t *uses,
                              TF_Status *status)
{
    for (int32_t i = 0; i < node->n_inputs; i++) {
        oribi_value_id id = node->inputs[i];
        if (!is_value(graph, id)) {
            return oribi_fail(status, TF_INTERNAL, "node '%s': input %d has no value", node->name,
                              (int)i);
        }
        const oribi_node *producer = oribi_graph_producer(graph, id);
        if (producer != NULL && producer->is_dead) {
            return oribi_fail(status, TF_INTERNAL, "node '%s' reads '%s' of the removed node '%s'",
                              node->name, graph->values[id]->name, producer->name);
        }
        if (node->op != NULL && node->signature.input_types != NULL &&
            node->signature.input_types[i] != graph->values[id]->dtype) {
            return oribi_fail(status, TF_INTERNAL,
                              "node '%s': input %d is %s, but its op expects %s", node->name,
                              (int)i, oribi_dtype_name(graph->values[id]->dtype),
                              oribi_dtype_name(node->signature.input_types[i]));
        }
        uses[id]++;
    }
    for (int32_t i = 0; i < node->n_outputs; i++) {
        oribi_value_id id = node->outputs[i];
        if (!is_value(graph, id) || graph->values[id]->producer != node->id ||
            graph->values[id]->producer_output != i || graph->values[id]->constant != NULL) {
            return oribi_fail(status, TF_INTERNAL, "node '%s': output %d is not its own",
                              node->name, (int)i);
        }
    }
    return true;
}

static inline bool check_value(const oribi_graph *graph, oribi_value_id id, int32_t expected_uses,
                               TF_Status *status)
{
    const oribi_value *value = graph->values[id];
    if (value->n_uses != expected_uses) {
        return oribi_fail(status, TF_INTERNAL, "value '%s' counts %d uses but has %d", value->name,
                          (int)value->n_uses, (int)expected_uses);
    }
    const oribi_use_link *link = value->uses;
    while (link != NULL) {
        if (link->use.node->is_dead || link->use.node->inputs[link->use.input] != id) {
            return oribi_fail(status, TF_INTERNAL, "value '%s' lists a use that node '%s' lacks",
                              value->name, link->use.node->name);
        }
        link = link->next == value->uses ? NULL : link->next;
    }
    const oribi_node *producer = oribi_graph_producer(graph, id);
    if (expected_uses > 0 && producer == NULL && value->constant == NULL && !value->is_input) {
        return oribi_fail(status, TF_INTERNAL, "value '%s' is used but nothing makes it",
                          value->name);
    }
    return true;
}

static inline bool oribi_graph_check(const oribi_graph *graph, TF_Status *status)
{
    bool ok = true;
    int32_t *uses = oribi_claim_zero((size_t)graph->n_values + 1, sizeof(*uses), status);
    ORIBI_TRY(uses != NULL);
    for (int32_t i = 0; ok && i < graph->n_nodes; i++) {
        ok = graph->nodes[i]->is_dead || check_node(graph, graph->nodes[i], uses, status);
    }
    for (int32_t i = 0; ok && i < graph->n_outputs; i++) {
        oribi_value_id id = graph->outputs[i];
        if (!is_value(graph, id) || !graph->values[id]->is_output) {
            ok = oribi_fail(status, TF_INTERNAL, "output '%s' has no value marked as one",
                            graph->output_names[i]);
            break;
        }
        uses[id]++;
    }
    for (int32_t i = 0; ok && i < graph->n_values; i++) {
        ok = check_value(graph, i, uses[i], status);
    }
    oribi_free(uses);
    return ok;
}

/* --- Text ------------------------------------------------------------------------------------- */

static inline void print_value(const oribi_graph *graph, oribi_value_id id, oribi_text *text)
{
    if (id < 0) {
        oribi_text_append(text, "-");
        return;
    }
    const oribi_value *value = graph->values[id];
    oribi_text_printf(text, "%%%s", value->name);
    if (value->constant != NULL || value->is_input) {
        oribi_text_printf(text, ":%s", oribi_dtype_name(value->dtype));
        oribi_shape_print(&value->shape, text);
    }
    if (value->constant != NULL) {
        oribi_text_append(text, " const");
    }
}

static inline void print_node(const oribi_graph *graph, const oribi_node *node, oribi_text *text)
{
    for (int32_t i = 0; i < node->n_outputs; i++) {
        const oribi_value *value = graph->values[node->outputs[i]];
        oribi_text_printf(text, "%s%%%s:%s", i == 0 ? "" : ", ", value->name,
                          oribi_dtype_name(value->dtype));
        oribi_shape_print(&value->shape, text);
    }
    oribi_text_printf(text, " = %s(", node->op_name);
    for (int32_t i = 0; i < node->n_inputs; i++) {
        oribi_text_append(text, i == 0 ? "" : ", ");
        print_value(graph, node->inputs[i], text);
    }
    oribi_text_append(text, ")");
    for (int32_t i = 0; i < node->attrs.count; i++) {
        oribi_text_printf(text, "%s%s=", i == 0 ? " {" : ", ", node->attrs.items[i].name);
        oribi_attr_print(&node->attrs.items[i], text);
    }
    oribi_text_append(text, node->attrs.count > 0 ? "}\n" : "\n");
}

static inline void oribi_graph_print(const oribi_graph *graph, oribi_text *text)
{
    for (int32_t i = 0; i < graph->n_inputs; i++) {
        oribi_text_printf(text,
                          "%s %s = ", i < graph->n_inputs - graph->n_states ? "input" : "state",
                          graph->input_names[i]);
        print_value(graph, graph->inputs[i], text);
        oribi_text_append(text, "\n");
    }
    for (int32_t i = 0; i < graph->n_order; i++) {
        const oribi_node *node = graph->nodes[graph->order[i]];
        if (!node->is_dead) {
            print_node(graph, node, text);
        }
    }
    for (int32_t i = 0; i < graph->n_outputs; i++) {
        oribi_text_printf(text,
                          "%s %s = ", i < graph->n_outputs - graph->n_states ? "output" : "next",
                          graph->output_names[i]);
        print_value(graph, graph->outputs[i], text);
        oribi_text_append(text, "\n");
    }
}

#endif
