/* SPDX-License-Identifier: Apache-2.0 */
/* A graph as text for people and golden tests: one line per node in execution order. */
#include "graph/graph_internal.h"

#include <inttypes.h>

#include "base/text.h"

static void print_value(const oribi_graph *graph, oribi_value_id id, oribi_text *text)
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

static void print_node(const oribi_graph *graph, const oribi_node *node, oribi_text *text)
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

void oribi_graph_print(const oribi_graph *graph, oribi_text *text)
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
